/* SPDX-License-Identifier: MIT */
/*
 * Kernel arguments in words: i32:5, f32:1.5, buf:4K=iota:f32, out:1M, local:256.  Pure.
 */
#ifndef TOOLS_ARGSPEC_H
#define TOOLS_ARGSPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum elem { ELEM_I8, ELEM_U8, ELEM_I16, ELEM_U16, ELEM_I32, ELEM_U32, ELEM_X32, ELEM_I64,
	    ELEM_U64, ELEM_X64, ELEM_F32, ELEM_F64, NR_ELEMS };

enum arg_what { ARG_VALUE, ARG_BUF, ARG_OUT, ARG_LOCAL };
enum arg_fill { FILL_ZERO, FILL_IOTA, FILL_RAND, FILL_FILE };

struct arg_spec {
	enum arg_what what;
	enum elem elem;			/* of a value, or of an iota */
	uint8_t value[8];
	uint32_t value_bytes;
	uint64_t size;			/* of buffers and local memory */
	enum arg_fill fill;
	uint64_t seed;
	const char *path;		/* points into the text */
};

int elem_parse(const char *text, size_t len, enum elem *out);
unsigned int elem_size(enum elem e);
int elem_print(char *buf, size_t size, enum elem e, const void *at);

int size_parse(const char *text, uint64_t *out);
int dims_parse(const char *text, uint32_t out[3], uint32_t max);
const char *arg_parse(const char *text, struct arg_spec *out);
void arg_fill(const struct arg_spec *a, void *to);

#endif /* TOOLS_ARGSPEC_H */
