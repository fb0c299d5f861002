/* SPDX-License-Identifier: MIT */
/*
 * A rig for single instructions: words in, all registers of a wave before and after, each
 * SIMD build. A program includes it once.
 */
#ifndef ONE_H
#define ONE_H

#include <stdio.h>
#include <stdlib.h>
#include "tables.h"
#include "lanes.h"

#define ROWS	256
#define OVFL	BIT(23)
#define LDS	(160u << 10)
/* Registers: sources and destination */
#define S0	0u
#define S1	40u
#define S2	60u
#define DST	80u

static const struct isa_lane_ops *variants[3];
static unsigned int nvariants, tests, failures;
static const struct isa_target *target;
static struct isa_cu cu;
static struct isa_wave *wave;
static u32 *before, *want;
static struct isa_wg wg = { .lds_bytes = LDS };
static u32 m0, resource[4];

/* Runs of an opcode that came out as they must; isa_fidelity asks for them ("counts"). */
static struct {
	u32 enc, op, good;
	bool bad;
} counts[256], *last;
static bool counting;

static inline void result(bool ok, const char *name)
{
	tests++;
	failures += !ok;
	if (!counting)
		printf("%sok %u %s\n", ok ? "" : "not ", tests, name);
	if (!ok && last)
		last->bad = true;
}

static inline void count(const struct isa_insn *in)
{
	u32 enc = isa_rows[in->row].enc == ISA_ENC_SCALED ? ISA_ENC_SCALED : in->enc;

	for (last = counts; last->good; last++)
		if (last->enc == enc && last->op == in->op)
			break;
	last->enc = enc;
	last->op = in->op;
	last->good++;
	if (last == &counts[ARRAY_SIZE(counts) - 1])
		exit(1);
}

/* The plan; in place of it: target, encoding, name, how many times, and off by how many ulp */
static inline int finish(void)
{
	static const char * const encodings[ISA_ENC_COUNT] = {
		[ISA_ENC_VOP1] = "vop1", [ISA_ENC_VOP3] = "vop3", [ISA_ENC_VOP3P] = "vop3p",
		[ISA_ENC_DS] = "ds", [ISA_ENC_GLOBAL] = "global", [ISA_ENC_MUBUF] = "mubuf",
		[ISA_ENC_SCALED] = "scaled",
	};

	if (!counting)
		printf("1..%u\n", tests);
	for (last = counts; counting && last->good; last++)
		if (!last->bad)
			printf("%s %s %s %u 0\n", target->name, encodings[last->enc],
			       isa_op_name((u16)last->op), last->good);
	return failures != 0;
}

static inline void *memory(size_t bytes)
{
	void *p = aligned_alloc(64, (bytes + 63) & ~(size_t)63);

	if (!p)
		exit(1);
	memset(p, 0, (bytes + 63) & ~(size_t)63);
	return p;
}

/* Number of an operation spelled @name in @enc, -1 if there is none */
static inline int number(unsigned int enc, const char *name)
{
	int n;

	for (n = 0; n < target->nslots[enc]; n++) {
		u32 row = target->slots[enc][n];

		if (row && !strcmp(isa_target_op_name(target, isa_rows[row].op), name))
			return n;
	}
	return -1;
}

static inline bool run_words(const struct isa_lane_ops *v, const u32 *words, u32 n, u32 mode,
			     u64 exec)
{
	struct isa_slot s;

	cu.target = target;
	cu.lane = v;
	cu.cost = 0;
	isa_wave_reset(wave, &cu, &wg, 0, exec);
	wave->mode = mode;
	wave->s[ISA_SRC_M0] = m0;
	memcpy(wave->s + 4, resource, sizeof(resource));
	memcpy(wave->v, before, ROWS * 256);
	if (isa_decode(target, words, n, &s.in) != (int)n || !isa_rows_ok(wave, &s.in) ||
	    !isa_bind(v, target, &s)) {
		printf("# %08x %08x: not decoded or not bound\n", words[0], words[1]);
		return false;
	}
	count(&s.in);
	v->enter(wave);
	s.exec[wave->full](wave, &s.in);
	v->leave(wave);
	return true;
}

/* A VOP1 operation also as VOP3, which must do the same. */
static inline bool run(const struct isa_lane_ops *v, const u32 *words, u32 n, u32 mode, u64 exec)
{
	static u32 first[ROWS * 64];
	u32 long_words[2];

	if (!run_words(v, words, n, mode, exec))
		return false;
	if (n != 1 || words[0] >> 25 != 0x3f)
		return true;
	memcpy(first, wave->v, sizeof(first));
	long_words[0] = 0xd0000000 | (0x140 + (words[0] >> 9 & 0xff)) << 16 |
			(words[0] >> 17 & 0xff);
	long_words[1] = words[0] & 0x1ff;
	if (!run_words(v, long_words, 2, mode, exec))
		return false;
	for (n = 0; n < ROWS * 64 && first[n] == wave->v[n]; n++)
		;
	if (n < ROWS * 64)
		printf("# %08x %08x: row %u lane %u: %08x, as VOP1 %08x\n", long_words[0],
		       long_words[1], n / 64, n % 64, wave->v[n], first[n]);
	return n == ROWS * 64;
}

static inline bool compare(const char *name)
{
	u32 n;

	for (n = 0; n < ROWS * 64; n++) {
		if (wave->v[n] == want[n])
			continue;
		printf("# %s: row %u lane %u: %08x, want %08x, was %08x\n", name, n / 64, n % 64,
		       wave->v[n], want[n], before[n]);
		return false;
	}
	return true;
}

static inline u32 *row(u32 *rows, u32 n)
{
	return rows + n * 64;
}

/* Targets, builds and memory; nothing is left to do but the tests. */
static inline void setup(const char *name, int argc, char **argv)
{
	static const char * const names[] = { "sse2", "avx2", "avx512" };
	u32 n;

	target = isa_target_by_name(name);
	for (n = 0; n < ARRAY_SIZE(names); n++) {
		const struct isa_lane_ops *o = isa_lane_by_name(names[n], lt_cpu());

		if (o)
			variants[nvariants++] = o;
	}
	wg.lds = memory(LDS + 64);
	before = memory(ROWS * 256);
	want = memory(ROWS * 256);
	wave = isa_wave_init(memory(isa_wave_bytes()), memory(ROWS * 256), ROWS);
	counting = argc > 1 && !strcmp(argv[1], "counts");
	if (!counting)
		printf("TAP version 13\n");
}

#endif /* ONE_H */
