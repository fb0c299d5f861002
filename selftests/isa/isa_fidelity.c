// SPDX-License-Identifier: MIT
/*
 * The fidelity report: for every opcode of every target whether it is executed,
 * and how exactly. Read off the decoder's tables, the binders of all SIMD
 * builds, and the reference model (which results may differ by a unit in the
 * last place).
 *
 *	isa_fidelity			the report, an opcode a line, and a summary
 *	isa_fidelity check		TAP: all is executed but what is named below,
 *					and all SIMD builds execute the same
 */
#include <stdlib.h>
#include "lanes.h"
#include "tables.h"

#define TRIES	20000
#define ROWS	512

static const char * const targets[] = { "gfx906", "gfx90a", "gfx942" };

static const char * const encodings[ISA_ENC_COUNT] = {
	"sop1", "sop2", "sopk", "sopc", "sopp", "smem", "vop1", "vop2", "vopc", "vop3",
	"vop3p", "ds", "flat", "global", "scratch", "mubuf", "mtbuf", "mimg",
};

/* First word and opcode field of the encodings. */
static const struct { u32 base, mask; u8 shift; } formats[ISA_ENC_COUNT] = {
	[ISA_ENC_SOP1] = { 0xbe800000, 0xff800000, 8 },
	[ISA_ENC_SOP2] = { 0x80000000, 0xc0000000, 23 },
	[ISA_ENC_SOPK] = { 0xb0000000, 0xf0000000, 23 },
	[ISA_ENC_SOPC] = { 0xbf000000, 0xff800000, 16 },
	[ISA_ENC_SOPP] = { 0xbf800000, 0xff800000, 16 },
	[ISA_ENC_SMEM] = { 0xc0000000, 0xfc000000, 18 },
	[ISA_ENC_VOP1] = { 0x7e000000, 0xfe000000, 9 },
	[ISA_ENC_VOP2] = { 0x00000000, 0x80000000, 25 },
	[ISA_ENC_VOPC] = { 0x7c000000, 0xfe000000, 17 },
	[ISA_ENC_VOP3] = { 0xd0000000, 0xfc000000, 16 },
	[ISA_ENC_VOP3P] = { 0xd3800000, 0xff800000, 16 },
	[ISA_ENC_DS] = { 0xd8000000, 0xfc000000, 17 },
	[ISA_ENC_FLAT] = { 0xdc000000, 0xfc00c000, 18 },
	[ISA_ENC_GLOBAL] = { 0xdc008000, 0xfc00c000, 18 },
	[ISA_ENC_SCRATCH] = { 0xdc004000, 0xfc00c000, 18 },
	[ISA_ENC_MUBUF] = { 0xe0000000, 0xfc000000, 18 },
	[ISA_ENC_MTBUF] = { 0xe8000000, 0xfc000000, 15 },
	[ISA_ENC_MIMG] = { 0xf0000000, 0xfc000000, 18 },
};

/* What is decoded and never executed, by the beginning of its name. */
static const struct { const char *prefix, *why; } refused[] = {
	{ "ds_ordered_count", "needs the global data share" },
	{ "image_", "images are no part of compute profiles" },
	{ "v_interp_", "parameter interpolation" },
	{ "v_screen_partition", "graphics: where a pixel is rasterised" },
};

static u64 seed;

static u32 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (u32)(seed >> 16);
}

/* The opcode's bits: what is left of the first word above the operands. */
static u32 op_bits(unsigned int enc)
{
	switch (enc) {
	case ISA_ENC_SOP1:
	case ISA_ENC_SMEM:
	case ISA_ENC_VOP1:
	case ISA_ENC_VOPC:
	case ISA_ENC_DS:
		return 8;
	case ISA_ENC_SOPK:
		return 5;
	case ISA_ENC_VOP2:
		return 6;
	case ISA_ENC_VOP3:
		return 10;
	case ISA_ENC_MTBUF:
		return 4;
	default:
		return 7;
	}
}

/* Random operands of an opcode, tame ones first. */
static void words(unsigned int enc, u32 op, u32 try, u32 *w)
{
	u32 keep = formats[enc].mask | ((1u << op_bits(enc)) - 1) << formats[enc].shift;
	u32 first = formats[enc].base | op << formats[enc].shift, k;

	w[0] = first | (try % 4 ? rnd() & rnd() & ~keep : 0);
	if (enc == ISA_ENC_DS || enc == ISA_ENC_MUBUF)
		w[0] = try & 1 ? w[0] | 1u << 16 : w[0] & ~(1u << 16);
	w[1] = rnd() & (try % 3 ? 0x1f1f1f1f : 0xffffffff);
	if (enc == ISA_ENC_VOP3 || enc == ISA_ENC_VOP3P) {
		static const u32 masks[] = { 0x1ff, 0x3ffff, 0x7ffffff, 0 };

		w[1] = (0x04020100 | (rnd() & 0x387878)) & masks[try / 2 % 4];
		if (try % 16 > 11)
			w[1] &= ~0x100u | rnd();
		w[0] &= ~0xff00u;
	}
	if (enc == ISA_ENC_GLOBAL || enc == ISA_ENC_SCRATCH)
		w[1] |= 0x7f0000;
	if (enc == ISA_ENC_FLAT)
		w[1] &= ~0x7f0000u;
	if (enc == ISA_ENC_DS)
		for (k = 0; k < 4; k++)
			if (rnd() & 1)
				w[1] &= ~(0xffu << 8 * k);
	if (enc == ISA_ENC_VOP1 || enc == ISA_ENC_VOP2 || enc == ISA_ENC_VOPC)
		w[0] = (w[0] & ~0x1ffu) | 0x100 | (rnd() & 31);
	w[2] = rnd();
}

enum state { REFUSED, EXECUTED, DIFFERS };

/* Whether the builds execute some operands of an opcode; all must agree. */
static enum state state_of(const struct isa_target *t, unsigned int enc, u32 op)
{
	static const char * const names[] = { "sse2", "avx2", "avx512" };
	enum state s = REFUSED;
	u32 try, n, w[3];

	seed = 0x9e3779b97f4a7c15ull;
	for (try = 0; try < TRIES && s == REFUSED; try++) {
		u32 yes = 0, builds = 0;
		struct isa_insn in;

		words(enc, op, try, w);
		if (isa_decode(t, w, 3, &in) <= 0 || in.enc != enc)
			continue;
		for (n = 0; n < ARRAY_SIZE(names); n++) {
			const struct isa_lane_ops *lane = isa_lane_by_name(names[n], lt_cpu());
			struct isa_insn i = in;

			if (!lane)
				continue;
			builds++;
			yes += isa_bind(lane, t, &i);
		}
		if (yes)
			s = yes == builds ? EXECUTED : DIFFERS;
	}
	return s;
}

/* Results that may be one unit in the last place off. */
static bool is_approximate(unsigned int op)
{
	struct ref_in in = { .s = { 0x3fc00000, 0x3fc00000, 0x3fc00000 }, .mode = 0x3f0 };
	struct ref_out o;
	unsigned int n;

	for (n = 0; n < lt_op_count; n++)
		if (lt_ops[n].op == op)
			return ref_op(&lt_ops[n], &in, &o) && o.ulp;
	return false;
}

static const char *refusal(const char *name)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(refused); n++)
		if (!strncmp(name, refused[n].prefix, strlen(refused[n].prefix)))
			return refused[n].why;
	return NULL;
}

struct sums {
	u32 slots, exact, ulp, unsupported, surprising, differing;
};

static void target_report(const struct isa_target *t, bool print, struct sums *s)
{
	unsigned int e, op;

	memset(s, 0, sizeof(*s));
	for (e = 0; e < ISA_ENC_COUNT; e++)
		for (op = 0; t->slots[e] && op < t->nslots[e]; op++) {
			const struct isa_row *r;
			const char *name, *what;
			enum state st;

			if (!t->slots[e][op])
				continue;
			r = &isa_rows[t->slots[e][op]];
			name = isa_target_op_name(t, r->op);
			st = state_of(t, e, op);
			s->slots++;
			if (st == DIFFERS) {
				s->differing++;
				what = "DIFFERS BETWEEN BUILDS";
			} else if (st == REFUSED) {
				s->unsupported++;
				what = refusal(name);
				if (!what) {
					s->surprising++;
					what = "unsupported";
					if (!print)
						printf("# %s: %s %s is not executed\n", t->name,
						       encodings[e], name);
				}
			} else if (is_approximate(r->op)) {
				s->ulp++;
				what = "within 1 ulp";
			} else {
				s->exact++;
				what = "exact";
			}
			if (print)
				printf("%-8s %-8s 0x%03x %-36s %s%s\n", t->name, encodings[e], op, name,
				       st == REFUSED && strcmp(what, "unsupported") ?
				       "unsupported: " : "", what);
		}
}

int main(int argc, char **argv)
{
	bool check = argc > 1 && !strcmp(argv[1], "check");
	struct sums s[ARRAY_SIZE(targets)];
	int failed = 0, n;

	if (check)
		printf("TAP version 13\n1..%zu\n", 2 * ARRAY_SIZE(targets));
	for (n = 0; n < (int)ARRAY_SIZE(targets); n++) {
		target_report(isa_target_by_name(targets[n]), !check, &s[n]);
		if (!check)
			continue;
		printf("%sok %d - %s: %u of %u opcodes executed, the rest on purpose\n",
		       s[n].surprising ? "not " : "", 2 * n + 1, targets[n],
		       s[n].exact + s[n].ulp, s[n].slots);
		printf("%sok %d - %s: SIMD builds execute the same\n",
		       s[n].differing ? "not " : "", 2 * n + 2, targets[n]);
		failed |= s[n].surprising || s[n].differing;
	}
	for (n = 0; !check && n < (int)ARRAY_SIZE(targets); n++)
		printf("%s: %u opcodes: %u exact, %u within 1 ulp, %u unsupported\n", targets[n],
		       s[n].slots, s[n].exact, s[n].ulp, s[n].unsupported);
	return failed;
}
