// SPDX-License-Identifier: MIT
/*
 * References of the per-item programs: the same text, compiled for the host.
 * Inputs mix special values, random bits and moderate numbers.
 */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "items.h"
#include "programs.h"

#define ITEM_COUNT	1024

static const u32 special32[] = {
	0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000,
	0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x40490fdb,
	0x7e7fffff, 0x00ffffff, 0x3f7fffff, 0x4b7fffff, 0x5f000000, 0x0f7fffff,
};

static const u64 special64[] = {
	0, 0x8000000000000000, 1, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000,
	0x3ff0000000000000, 0xbff0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
	0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x400921fb54442d18,
	0x7fdfffffffffffff, 0xffffffffffffffff, 0x7fffffffffffffff, 0x43dfffffffffffff,
};

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* Input @n of stream @seed; neighbours in @n are of different kinds. */
static u64 item_input(u32 seed, u32 n)
{
	u64 r = program_random(seed, n), s = program_random(seed + 100, n);
	u32 kind = (n + (seed ? n / 8 : 0)) % 8;

	switch (kind) {
	case 0:
		return special32[r % COUNT(special32)] |
		       (u64)special32[s % COUNT(special32)] << 32;
	case 1:
		return special64[r % COUNT(special64)];
	case 2:		/* floats near one in both halves */
		return (r & 0x80ffffff80ffffffUL) | 0x3f0000003f000000UL;
	case 3:		/* doubles near one */
		return (r & 0x800fffffffffffffUL) | (0x3f8UL + s % 16) << 52;
	case 4:
		return r % 1000;
	case 5:		/* denormal floats and halves */
		return r & 0x807fffff807fffffUL;
	case 6:
		return r >> (s & 63);
	default:
		return r;
	}
}

static void item_init(const struct program *p, void *const *b)
{
	u64 *x = b[1], *y = b[2];
	u32 n;

	for (n = 0; n < ITEM_COUNT; n++) {
		x[n] = item_input(0, n);
		y[n] = item_input(1, n);
	}
}

#define ITEM_REF(name)							\
static void ref_##name(const struct program *p, void *const *b)		\
{									\
	const u64 *x = b[1], *y = b[2];					\
	u64 *out = b[0];						\
	u32 i;								\
									\
	for (i = 0; i < ITEM_COUNT; i++)				\
		out[i] = name(i, x[i], y[i]);				\
}
ITEMS(ITEM_REF)
CALL_ITEMS(ITEM_REF)
#undef ITEM_REF

#define BYTES		(ITEM_COUNT * 8)
#define ROW(obj, n)							\
	{								\
		.name = #n, .object = obj, .kernel = "it_" #n,	\
		.group = { 64, 1, 1 }, .groups = { ITEM_COUNT / 64, 1, 1 }, \
		.args = { { PROGRAM_ARG_BUFFER, BYTES },		\
			  { PROGRAM_ARG_BUFFER, BYTES },		\
			  { PROGRAM_ARG_BUFFER, BYTES } },		\
		.init = item_init, .ref = ref_##n,			\
	},
#define ITEM_ROW(n)		ROW("items", n)
#define CALL_ROW(n)		ROW("calls", n)
const struct program item_programs[] = { ITEMS(ITEM_ROW) CALL_ITEMS(CALL_ROW) };
const size_t item_program_count = COUNT(item_programs);
