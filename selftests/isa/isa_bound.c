// SPDX-License-Identifier: MIT
/*
 * Does every opcode of the decode tables execute? For each target, each slot
 * of each encoding is tried with operands until words decode that bind. What
 * never does must be a row of the list below, and nothing else may be. TAP.
 *
 *	isa_bound [TARGET]	-- the slots without an executor, one a line
 */
#include <stdio.h>
#include <stdlib.h>
#include "refused.h"
#include "tables.h"
#include "targets.h"

#define TRIES	30000

static const char * const encodings[ISA_ENC_COUNT] = {
	"sop1", "sop2", "sopk", "sopc", "sopp", "smem", "vop1", "vop2", "vopc", "vop3",
	"vop3p", "ds", "flat", "global", "scratch", "mubuf", "mtbuf", "mimg",
	[ISA_ENC_SCALED] = "scaled",
};

/* Words of an encoding: fixed bits, where the number stands, what may vary */
static const struct format {
	u32 base, shift, vary;
} formats[ISA_ENC_COUNT] = {
	[ISA_ENC_SOP1] = { 0xbe800000, 8, 0x007f00ff },
	[ISA_ENC_SOP2] = { 0x80000000, 23, 0x007fffff },
	[ISA_ENC_SOPK] = { 0xb0000000, 23, 0x007fffff },
	[ISA_ENC_SOPC] = { 0xbf000000, 16, 0x0000ffff },
	[ISA_ENC_SOPP] = { 0xbf800000, 16, 0x0000ffff },
	[ISA_ENC_SMEM] = { 0xc0000000, 18, 0x0003ffff },
	[ISA_ENC_VOP1] = { 0x7e000000, 9, 0x01fe01ff },
	[ISA_ENC_VOP2] = { 0x00000000, 25, 0x01ffffff },
	[ISA_ENC_VOPC] = { 0x7c000000, 17, 0x0001ffff },
	[ISA_ENC_VOP3] = { 0xd0000000, 16, 0x0000ffff },
	[ISA_ENC_VOP3P] = { 0xd3800000, 16, 0x0000ffff },
	[ISA_ENC_DS] = { 0xd8000000, 17, 0x0001ffff },
	[ISA_ENC_FLAT] = { 0xdc000000, 18, 0x00033fff },
	[ISA_ENC_GLOBAL] = { 0xdc008000, 18, 0x00033fff },
	[ISA_ENC_SCRATCH] = { 0xdc004000, 18, 0x00033fff },
	[ISA_ENC_MUBUF] = { 0xe0000000, 18, 0x0003ffff },
	[ISA_ENC_MTBUF] = { 0xe8000000, 15, 0x03f87fff },
	[ISA_ENC_MIMG] = { 0xf0000000, 18, 0x0003ffff },
	/* the two words behind the scales */
	[ISA_ENC_SCALED] = { 0xd3800800, 16, 0x0000ffff },
};

static u32 rnd(void)
{
	static u32 x = 1;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

/* Operands in all the ways that some opcode wants them */
static void words(u32 *w, const struct format *f, u32 n, u32 try)
{
	static const u32 second[] = {
		~0u, 0x1ff, 0x3ffff, 0x7ffffff, 0xff, 0xffff, 0xffffff, 0xff0000ff, 0xff00ffff,
		0xffffffff, 0,
	};
	u32 k;

	for (k = 0; k < 3; k++)
		w[k] = rnd();
	w[0] &= f->vary & (try & 1 ? rnd() : ~0u) & (try % 5 ? ~0u : ~0x7f00u);
	w[1] &= second[try % ARRAY_SIZE(second)];
	if (try % 3 == 0)	/* FLAT family: no scalar address; VOP3: VGPRs */
		w[1] |= f->base >> 24 == 0xdc ? 0x7f0000 : 0x04020100;
	if (try % 7 == 0) {
		w[0] = 0;
		w[1] = 0x06040200;
	}
	w[0] |= f->base | n << f->shift;
}

static bool executes(const struct isa_target *t, const struct isa_lane_ops *lane,
		     unsigned int enc, u32 n)
{
	struct isa_slot s;
	u32 w[4] = { 0 }, try;

	for (try = 0; try < TRIES; try++) {
		words(w, &formats[enc], n, try);
		if (enc == ISA_ENC_SCALED) {
			memmove(w + 2, w, 2 * sizeof(*w));
			w[0] = 0xd3ac0000;
			w[1] = 0x00020700;	/* v0, v3 */
		}
		if (isa_decode(t, w, 4, &s.in) <= 0 || !isa_bind(lane, t, &s))
			continue;
		if (enc == ISA_ENC_SCALED ? isa_rows[s.in.row].enc == enc : s.in.enc == enc)
			return true;
	}
	return false;
}

/* Returns how many slots are not as they should be. */
static unsigned int walk(const struct isa_target *t, const struct isa_lane_ops *lane, bool list)
{
	unsigned int enc, bad = 0;
	u32 n, slots = 0, missing = 0;

	for (enc = 0; enc < ISA_ENC_COUNT; enc++) {
		for (n = 0; t->slots[enc] && n < t->nslots[enc]; n++) {
			const char *name;
			bool ok;

			if (!t->slots[enc][n])
				continue;
			slots++;
			name = isa_target_op_name(t, isa_rows[t->slots[enc][n]].op);
			ok = executes(t, lane, enc, n);
			missing += !ok;
			if (ok != !refused_why(t, name)) {
				printf("%s%s %u %s %s\n", list ? "" : "# ", encodings[enc], n, name,
				       ok ? "executes, but is listed" : "does not execute");
				bad++;
			}
		}
	}
	printf("# %s %s: %u slots, %u not executed\n", isa_target_name(t), lane->name, slots, missing);
	return bad;
}

static u32 row_of(const char *name)
{
	u32 n = 1;

	while (strcmp(isa_op_name(isa_rows[n].op), name))
		n++;
	return n;
}

/*
 * Registers are checked with the widths of the row that matched: of two rows of
 * one operation the second may be wider. v_add_f32 stands for the first here.
 */
static bool widths(void)
{
	static u32 file[4 * ISA_LANES] __aligned(64);
	struct isa_cu cu = { .target = isa_target_by_name("gfx90a") };
	void *room = calloc(1, isa_wave_bytes() + 64);
	struct isa_wave *w = isa_wave_init((void *)(((uintptr_t)room + 63) & ~63ul), file, 4);
	struct isa_insn i = {
		.op = isa_rows[row_of("v_add_f32")].op, .enc = ISA_ENC_VOP3, .dst = ISA_SRC_VGPR0 + 3,
		.sdst = ISA_SRC_NONE, .src = { ISA_SRC_VGPR0 + 3, ISA_SRC_VGPR0 + 3, ISA_SRC_NONE },
	};
	bool narrow, wide;

	isa_wave_move(w, &cu);
	i.row = (u16)row_of("v_add_f32");
	narrow = isa_rows_ok(w, &i);
	i.row = (u16)row_of("v_add_f64");
	wide = isa_rows_ok(w, &i);
	free(room);
	return narrow && !wide;
}

int main(int argc, char **argv)
{
	const struct isa_lane_ops *lane = isa_lane_by_name("sse2", 0);
	unsigned int n, failed = 0;

	if (argc > 1) {
		if (!isa_target_by_name(argv[1]))
			return 2;
		return walk(isa_target_by_name(argv[1]), lane, true) != 0;
	}
	printf("TAP version 13\n1..%u\n", target_count() + 1);
	for (n = 0; n < target_count(); n++) {
		bool ok = !walk(isa_target_by_name(target_name(n)), lane, false);

		printf("%sok %u every opcode of %s executes\n", ok ? "" : "not ", n + 1, target_name(n));
		failed += !ok;
	}
	if (!widths()) {
		printf("not ");
		failed++;
	}
	printf("ok %u registers are checked with the widths of the row\n", target_count() + 1);
	return failed != 0;
}
