// SPDX-License-Identifier: MIT
/* The MessagePack reader: one value per call; containers announce how many follow. */
#include <errno.h>
#include <string.h>

#include "msgpack.h"

static int take(struct mp_reader *r, unsigned int n, uint64_t *out)
{
	uint64_t v = 0;

	if ((size_t)(r->end - r->p) < n)
		return -EBADMSG;
	while (n--)
		v = v << 8 | *r->p++;
	*out = v;
	return 0;
}

static int take_bytes(struct mp_reader *r, uint64_t n, struct mp_value *v)
{
	if ((uint64_t)(r->end - r->p) < n)
		return -EBADMSG;
	v->s = (const char *)r->p;
	v->len = n;
	r->p += n;
	return 0;
}

static int sized(struct mp_reader *r, enum mp_type type, unsigned int len_bytes,
		 unsigned int extra, struct mp_value *v)
{
	uint64_t n = 0;
	int err = take(r, len_bytes, &n);

	v->type = type;
	return err ? err : take_bytes(r, n + extra, v);
}

static int counted(struct mp_reader *r, enum mp_type type, unsigned int len_bytes,
		   struct mp_value *v)
{
	uint64_t n = 0;
	int err = take(r, len_bytes, &n);

	v->type = type;
	v->len = n;
	return err;
}

static int number(struct mp_reader *r, enum mp_type type, unsigned int bytes, struct mp_value *v)
{
	int err = take(r, bytes, &v->u);

	v->type = type;
	if (!err && type == MP_INT && bytes < 8 && v->u >> (8 * bytes - 1))
		v->u |= ~0ull << (8 * bytes);
	return err;
}

/* First bytes 0xc0 to 0xdf: what follows, and how wide. */
static int prefixed(struct mp_reader *r, uint8_t b, struct mp_value *v)
{
	switch (b) {
	case 0xc0:
		v->type = MP_NIL;
		return 0;
	case 0xc2:
	case 0xc3:
		v->type = MP_BOOL;
		v->u = b & 1;
		return 0;
	case 0xc4: case 0xc5: case 0xc6:
		return sized(r, MP_BIN, 1u << (b - 0xc4), 0, v);
	case 0xc7: case 0xc8: case 0xc9:
		return sized(r, MP_EXT, 1u << (b - 0xc7), 1, v);
	case 0xca: case 0xcb:
		return number(r, MP_FLOAT, 4u << (b - 0xca), v);
	case 0xcc: case 0xcd: case 0xce: case 0xcf:
		return number(r, MP_UINT, 1u << (b - 0xcc), v);
	case 0xd0: case 0xd1: case 0xd2: case 0xd3:
		return number(r, MP_INT, 1u << (b - 0xd0), v);
	case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8:
		v->type = MP_EXT;
		return take_bytes(r, 1 + (1u << (b - 0xd4)), v);
	case 0xd9: case 0xda: case 0xdb:
		return sized(r, MP_STR, 1u << (b - 0xd9), 0, v);
	case 0xdc: case 0xdd:
		return counted(r, MP_ARRAY, 2u << (b - 0xdc), v);
	case 0xde: case 0xdf:
		return counted(r, MP_MAP, 2u << (b - 0xde), v);
	default:
		return -EBADMSG;
	}
}

/**
 * mp_next() - read one value; of a container, its head
 *
 * Return: 0 or -EBADMSG.
 */
int mp_next(struct mp_reader *r, struct mp_value *v)
{
	uint8_t b;

	memset(v, 0, sizeof(*v));
	if (r->p >= r->end)
		return -EBADMSG;
	b = *r->p++;
	if (b < 0x80 || b >= 0xe0) {
		v->type = b < 0x80 ? MP_UINT : MP_INT;
		v->u = (uint64_t)(int64_t)(int8_t)b;
		return 0;
	}
	if (b < 0x90) {
		v->type = MP_MAP;
		v->len = b & 0xf;
		return 0;
	}
	if (b < 0xa0) {
		v->type = MP_ARRAY;
		v->len = b & 0xf;
		return 0;
	}
	if (b < 0xc0) {
		v->type = MP_STR;
		return take_bytes(r, b & 0x1f, v);
	}
	return prefixed(r, b, v);
}

static int skip_depth(struct mp_reader *r, const struct mp_value *v, int depth)
{
	uint64_t n = v->type == MP_ARRAY ? v->len : v->type == MP_MAP ? 2ull * v->len : 0;
	struct mp_value inner;
	int err;

	if (depth >= MP_MAX_DEPTH)
		return -EBADMSG;
	/* each item is a byte at least: a count beyond the input ends at its end */
	while (n--) {
		err = mp_next(r, &inner);
		if (!err)
			err = skip_depth(r, &inner, depth + 1);
		if (err)
			return err;
	}
	return 0;
}

/* Pass over the contents of a container whose head was read; nothing for other values. */
int mp_skip_rest(struct mp_reader *r, const struct mp_value *v)
{
	return skip_depth(r, v, 0);
}

int mp_skip(struct mp_reader *r)
{
	struct mp_value v;
	int err = mp_next(r, &v);

	return err ? err : mp_skip_rest(r, &v);
}

bool mp_is(const struct mp_value *v, const char *text)
{
	return v->type == MP_STR && v->len == strlen(text) && !memcmp(v->s, text, v->len);
}
