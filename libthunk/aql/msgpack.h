/* SPDX-License-Identifier: MIT */
/*
 * A reader for MessagePack, as much of it as code object metadata uses.
 *
 * It reads forward over bytes it does not own, never past their end and never deeper than
 * MP_MAX_DEPTH; a malformed input is an error of the next call, not of the process.
 */
#ifndef AQL_MSGPACK_H
#define AQL_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MP_MAX_DEPTH	32

enum mp_type { MP_NIL, MP_BOOL, MP_UINT, MP_INT, MP_FLOAT, MP_STR, MP_BIN, MP_ARRAY, MP_MAP,
	       MP_EXT };

struct mp_reader {
	const uint8_t *p;
	const uint8_t *end;
};

struct mp_value {
	enum mp_type type;
	uint64_t u;		/* UINT, BOOL; INT as two's complement */
	uint32_t len;		/* STR, BIN: bytes; ARRAY: items; MAP: pairs */
	const char *s;		/* STR, BIN */
};

int mp_next(struct mp_reader *r, struct mp_value *v);
int mp_skip(struct mp_reader *r);
int mp_skip_rest(struct mp_reader *r, const struct mp_value *v);
bool mp_is(const struct mp_value *v, const char *text);

#endif /* AQL_MSGPACK_H */
