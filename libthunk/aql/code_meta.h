/* SPDX-License-Identifier: MIT */
/*
 * What a code object says of its kernels.  Pure; the strings are copies.
 */
#ifndef AQL_CODE_META_H
#define AQL_CODE_META_H

#include "aql.h"

/* Kinds of argument that the library fills in, from the metadata's names. */
enum hidden_kind {
	HIDDEN_NOT,		/* the caller's */
	HIDDEN_NONE,		/* stays 0: also printf, hostcall, heap and queues we do not have */
	HIDDEN_OFFSET_X, HIDDEN_OFFSET_Y, HIDDEN_OFFSET_Z,
	HIDDEN_COUNT_X, HIDDEN_COUNT_Y, HIDDEN_COUNT_Z,
	HIDDEN_GROUP_X, HIDDEN_GROUP_Y, HIDDEN_GROUP_Z,
	HIDDEN_REMAINDER_X, HIDDEN_REMAINDER_Y, HIDDEN_REMAINDER_Z,
	HIDDEN_DIMS,
	HIDDEN_DYNAMIC_LDS,
	HIDDEN_PRIVATE_BASE,
	HIDDEN_SHARED_BASE,
	HIDDEN_QUEUE_PTR,
};

struct meta_hidden {
	enum hidden_kind kind;
	uint32_t offset;
	uint32_t size;
};

struct meta_kernel {
	struct aql_kernel_info info;	/* name and args are owned by this */
	char *symbol;			/* of the descriptor */
	bool dynamic_stack;
	uint32_t *local_align;		/* of AQL_ARG_LOCAL arguments, else 0 */
	struct meta_hidden *hidden;
	uint32_t nr_hidden;
};

struct meta_code {
	char target[96];
	struct meta_kernel *kernels;
	uint32_t nr_kernels;
};

int meta_parse(const void *msgpack, size_t size, struct meta_code *out);
void meta_free(struct meta_code *m);

#endif /* AQL_CODE_META_H */
