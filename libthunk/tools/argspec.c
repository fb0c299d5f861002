// SPDX-License-Identifier: MIT
/* Parsing of argument specifications; errors are sentences for the user. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "argspec.h"

#define MAX_SIZE	(1ull << 40)

static const struct {
	const char *name;
	uint8_t size;
	char format;		/* i, u, x or f */
} elems[NR_ELEMS] = {
	[ELEM_I8]  = { "i8",  1, 'i' },
	[ELEM_U8]  = { "u8",  1, 'u' },
	[ELEM_I16] = { "i16", 2, 'i' },
	[ELEM_U16] = { "u16", 2, 'u' },
	[ELEM_I32] = { "i32", 4, 'i' },
	[ELEM_U32] = { "u32", 4, 'u' },
	[ELEM_X32] = { "x32", 4, 'x' },
	[ELEM_I64] = { "i64", 8, 'i' },
	[ELEM_U64] = { "u64", 8, 'u' },
	[ELEM_X64] = { "x64", 8, 'x' },
	[ELEM_F32] = { "f32", 4, 'f' },
	[ELEM_F64] = { "f64", 8, 'f' },
};

int elem_parse(const char *text, size_t len, enum elem *out)
{
	for (int e = 0; e < NR_ELEMS; e++) {
		if (strlen(elems[e].name) == len && !memcmp(elems[e].name, text, len)) {
			*out = e;
			return 0;
		}
	}
	return -EINVAL;
}

unsigned int elem_size(enum elem e)
{
	return elems[e].size;
}

int elem_print(char *buf, size_t size, enum elem e, const void *at)
{
	unsigned int bits = elems[e].size * 8;
	uint64_t u = 0;
	float f;
	double d;

	memcpy(&u, at, elems[e].size);
	switch (elems[e].format) {
	case 'i':
		return snprintf(buf, size, "%" PRId64, (int64_t)(u << (64 - bits)) >> (64 - bits));
	case 'u':
		return snprintf(buf, size, "%" PRIu64, u);
	case 'x':
		return snprintf(buf, size, "0x%0*" PRIx64, elems[e].size * 2, u);
	default:
		break;
	}
	if (bits == 32) {
		memcpy(&f, at, sizeof(f));
		return snprintf(buf, size, "%.9g", f);
	}
	memcpy(&d, at, sizeof(d));
	return snprintf(buf, size, "%.17g", d);
}

/* A size in bytes with an optional K, M or G. */
static const char *size_until(const char *text, uint64_t *out)
{
	unsigned int shift = 0;
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	errno = 0;
	*out = strtoull(text, &end, 0);
	switch (*end) {
	case 'K': case 'k':
		shift = 10;
		break;
	case 'M': case 'm':
		shift = 20;
		break;
	case 'G': case 'g':
		shift = 30;
		break;
	default:
		break;
	}
	if (shift)
		end++;
	if (errno || *out > MAX_SIZE >> shift)
		return NULL;
	*out <<= shift;
	return end;
}

int size_parse(const char *text, uint64_t *out)
{
	const char *end = size_until(text, out);

	return end && !*end ? 0 : -EINVAL;
}

/* X[,Y[,Z]], each from 1 to @max; what is not given is 1. */
int dims_parse(const char *text, uint32_t out[3], uint32_t max)
{
	int i = 0;

	out[1] = out[2] = 1;
	for (;;) {
		uint64_t v;
		const char *end = size_until(text, &v);

		if (!end || !v || v > max || i == 3)
			return -EINVAL;
		out[i++] = v;
		if (!*end)
			return 0;
		if (*end != ',')
			return -EINVAL;
		text = end + 1;
	}
}

static const char *parse_value(const char *text, struct arg_spec *out)
{
	unsigned int bits = elems[out->elem].size * 8;
	char *end;

	if (!*text)
		return "a value is missing behind the colon";
	errno = 0;
	if (elems[out->elem].format == 'f') {
		double d = strtod(text, &end);
		float f = d;

		memcpy(out->value, bits == 32 ? (void *)&f : (void *)&d, bits / 8);
	} else if (elems[out->elem].format == 'i') {
		int64_t v = strtoll(text, &end, 0);

		if (bits < 64 && (v < -(1ll << (bits - 1)) || v >= 1ll << (bits - 1)))
			return "the value does not fit the type";
		memcpy(out->value, &v, bits / 8);
	} else {
		uint64_t v = strtoull(text, &end, 0);

		if (*text == '-' || (bits < 64 && v >> bits))
			return "the value does not fit the type";
		memcpy(out->value, &v, bits / 8);
	}
	if (*end || end == text)
		return "the value is not a number";
	if (errno == ERANGE && elems[out->elem].format != 'f')
		return "the value does not fit the type";
	out->value_bytes = bits / 8;
	return NULL;
}

static const char *parse_fill(const char *text, struct arg_spec *out)
{
	char *end;

	if (!strcmp(text, "zero")) {
		out->fill = FILL_ZERO;
	} else if (!strncmp(text, "iota:", 5)) {
		out->fill = FILL_IOTA;
		if (elem_parse(text + 5, strlen(text + 5), &out->elem))
			return "iota: needs a type such as f32";
	} else if (!strcmp(text, "rand") || !strncmp(text, "rand:", 5)) {
		out->fill = FILL_RAND;
		out->seed = 1;
		if (text[4]) {
			out->seed = strtoull(text + 5, &end, 0);
			if (*end || !text[5])
				return "rand: needs a number as seed";
		}
	} else if (*text) {
		out->fill = FILL_FILE;
		out->path = text;
	} else {
		return "what to fill with is missing behind the equals sign";
	}
	return NULL;
}

/**
 * arg_parse() - parse one specification
 *
 * Return: NULL, or what is wrong with it.
 */
const char *arg_parse(const char *text, struct arg_spec *out)
{
	static const struct {
		const char *name;
		enum arg_what what;
	} whats[] = {
		{ "buf", ARG_BUF },
		{ "local", ARG_LOCAL },
		{ "out", ARG_OUT },
	};
	const char *colon = strchr(text, ':'), *end;
	size_t len;

	memset(out, 0, sizeof(*out));
	if (!colon)
		return "it must be TYPE:VALUE, buf:SIZE, out:SIZE or local:SIZE";
	len = colon - text;
	if (!elem_parse(text, len, &out->elem))
		return parse_value(colon + 1, out);
	for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]); i++) {
		if (strlen(whats[i].name) != len || memcmp(whats[i].name, text, len))
			continue;
		out->what = whats[i].what;
		end = size_until(colon + 1, &out->size);
		if (!end || !out->size)
			return "the size must be a number from 1, with K, M or G if need be";
		if (!*end)
			return NULL;
		if (*end != '=' || out->what == ARG_LOCAL)
			return "something stands behind the size";
		return parse_fill(end + 1, out);
	}
	return "the type is none of i8 u8 i16 u16 i32 u32 x32 i64 u64 x64 f32 f64 buf out local";
}

/* splitmix64: the same bytes from the same seed, everywhere. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static void fill_iota(enum elem e, uint8_t *to, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++, to += elems[e].size) {
		float f = i;
		double d = i;

		if (elems[e].format != 'f')
			memcpy(to, &i, elems[e].size);
		else
			memcpy(to, e == ELEM_F32 ? (void *)&f : (void *)&d, elems[e].size);
	}
}

/* Fill a buffer; what comes from a file is the caller's work. */
void arg_fill(const struct arg_spec *a, void *to)
{
	uint64_t seed = a->seed, v;

	memset(to, 0, a->size);
	if (a->fill == FILL_IOTA)
		fill_iota(a->elem, to, a->size / elems[a->elem].size);
	for (uint64_t i = 0; a->fill == FILL_RAND && i < a->size; i += 8) {
		v = next_random(&seed);
		memcpy((char *)to + i, &v, a->size - i < 8 ? a->size - i : 8);
	}
}
