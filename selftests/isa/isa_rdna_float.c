// SPDX-License-Identifier: MIT
/*
 * Floats of the scalar unit against the vector ALU: the operation of the same name, whose vectors
 * prove it, gives the same in any lane, in every mode, and raises the same exceptions.
 */
#include <stdlib.h>
#include "isa_rdna.h"

#define S_D	30u
#define S_A	20u
#define S_B	21u
#define K	0x3fc12345u	/* a literal */
#define TRIES	96

enum { ROUND_UP32 = 1, ROUND_ZERO = 0xf, ROUND_DOWN16 = 8, KEEP = 0xf0, IEEE = 1 << 9 };

static const u32 modes[] = {
	KEEP, KEEP | IEEE, 0, IEEE, KEEP | ROUND_ZERO, KEEP | ROUND_UP32 | ROUND_DOWN16, 0xa, 5,
	0x50 | 0xa, 0xa0 | 5, 0x10 | ROUND_ZERO, 0x80 | IEEE, 0x20, 0x40,
};

/**
 * struct sample - an operation of the scalar unit, its twin
 * @scalar,@vector: names
 * @shape: how many sources, which of them is a literal
 */
struct sample {
	const char *scalar, *vector;
	enum { LIKE_NAMED, FMAC, FMAAK, FMAMK, HIGH } shape;
};

static const struct sample samples[] = {
	{ "s_fmac_f32", "v_fma_f32", FMAC }, { "s_fmac_f16", "v_fma_f16", FMAC },
	{ "s_fmaak_f32", "v_fma_f32", FMAAK }, { "s_fmamk_f32", "v_fma_f32", FMAMK },
	{ "s_cvt_hi_f32_f16", "v_cvt_f32_f16", HIGH },
	{ "s_cvt_pk_rtz_f16_f32", "v_cvt_pkrtz_f16_f32", LIKE_NAMED },
};

/* The number of a VOP3 operation called @name, or -1 */
static int vop3_number(const struct isa_target *t, const char *name)
{
	u32 n;

	for (n = 0; n < t->nslots[ISA_ENC_VOP3]; n++)
		if (t->slots[ISA_ENC_VOP3][n] &&
		    !strcmp(isa_op_names[isa_rows[t->slots[ISA_ENC_VOP3][n]].op], name))
			return (int)n;
	return -1;
}

/* Halves, floats, and both kinds of NaN; pairs that are near each other, or cancel out */
static u32 operand(bool half)
{
	static const u32 specials[] = {
		0, 0x80000000, 1, 0x80000001, 0x7f800000, 0xff800000, 0x7f800001, 0xffc12345,
		0x00800000, 0x007fffff, 0x80400000, 0x7f7fffff, 0x3f000000, 0xbf000000,
		0x3fc00000, 0x4b000001, 0xcf000000, 0x4f000000, 0x4f800000, 0x33000000,
		0x38800000, 0x387fffff, 0x477fefff, 0x477ff000, 0x33800001, 0x0d000000,
	};
	static const u32 halves[] = {
		0, 0x8000, 1, 0x8001, 0x7c00, 0xfc00, 0x7c01, 0xfe12, 0x400, 0x3ff, 0x8200, 0x7bff,
		0x3800, 0xb800, 0x3e00, 0x6400, 0x6401, 0x1c00, 0x03c0, 0x1400,
	};
	u32 r = rdna_random(), low, high;

	if (half) {
		low = r & 1 ? halves[r / 16 % ARRAY_SIZE(halves)] : rdna_random() & 0xffff;
		high = r & 2 ? halves[r / 512 % ARRAY_SIZE(halves)] : rdna_random() & 0xffff;
		return low | high << 16;
	}
	switch (r & 3) {
	case 0:
		return specials[r / 16 % ARRAY_SIZE(specials)];
	case 1:		/* not far from 1 */
		return (rdna_random() & 0x80ffffff) | 0x3f000000;
	case 2:		/* small, or large */
		return (rdna_random() & 0x83ffffff) | (r & 4 ? 0x7c000000 : 0);
	}
	return rdna_random();
}

/* Result and exceptions of a wave that runs @words in @mode */
struct outcome {
	u32 d, scc, raised;
};

static void run_scalar(struct rig *r, u32 word, u32 mode, const u32 *s, struct outcome *out)
{
	const u32 words[4] = { word, K, NOP, NOP };

	rdna_prepare(r, words, 32, ~0u, 3);
	r->w->mode = mode;
	r->w->record = true;
	r->w->trapsts = 0;
	r->w->s[S_A] = s[0];
	r->w->s[S_B] = s[1];
	r->w->s[S_D] = s[2];
	rig_run(r, 1);
	*out = (struct outcome){ r->w->s[S_D], r->w->scc, r->w->trapsts & 0x7f };
}

static void run_vector(struct rig *r, int op, u32 mode, const u32 *s, bool compares,
		       struct outcome *out)
{
	const u32 words[4] = {
		0xd4000000 | (u32)op << 16 | (compares ? S_D : D),
		(256 + A) | (256 + B) << 9 | (256 + C) << 18, NOP, NOP,
	};
	u32 one_word = isa_rows[r->cu.target->slots[ISA_ENC_VOP3][op]].src[2].kind ? 0 : 0x1ff << 18;
	u32 w[4];

	memcpy(w, words, sizeof(w));
	w[1] &= ~one_word;
	if (!isa_rows[r->cu.target->slots[ISA_ENC_VOP3][op]].src[1].kind)
		w[1] &= 0x1ff;
	rdna_prepare(r, w, 32, 1, 3);
	r->w->mode = mode;
	r->w->record = true;
	r->w->trapsts = 0;
	rdna_row(r, A)[0] = s[0];
	rdna_row(r, B)[0] = s[1];
	rdna_row(r, C)[0] = s[2];
	rdna_row(r, D)[0] = 0;
	rig_run(r, 1);
	*out = (struct outcome){ rdna_row(r, D)[0], r->w->s[S_D] & 1, r->w->trapsts & 0x7f };
}

static bool one(struct rig *r, const struct sample *k, u32 word, int op, u32 mode, const u32 *s)
{
	const bool compares = !strncmp(k->scalar, "s_cmp", 5);
	u32 v[3] = { s[0], s[1], s[2] };
	struct outcome is, want;

	if (k->shape == FMAAK)
		v[2] = K;
	if (k->shape == FMAMK) {
		v[1] = K;
		v[2] = s[1];
	}
	if (k->shape == HIGH)
		v[0] >>= 16;
	run_scalar(r, word, mode, s, &is);
	run_vector(r, op, mode, v, compares, &want);
	if (compares ? is.scc == want.scc : is.d == want.d) {
		if (is.raised == want.raised)
			return true;
	}
	printf("# %s mode %#x of %08x %08x %08x: %08x SCC %u raises %#x\n", k->scalar, mode, s[0],
	       s[1], s[2], is.d, is.scc, is.raised);
	return rdna_tell(k->scalar, k->vector, compares ? is.scc : is.d,
			 compares ? want.scc : want.d);
}

/* Constants, a result that nobody gets, an exception that stops the wave, FP16_OVFL */
static bool rest(struct rig *r, const struct isa_target *t, const char *name, u32 word, bool half)
{
	u32 words[4] = { word, K, NOP, NOP }, other[4], d;
	struct isa_slot slot = { 0 };
	enum isa_stop why;

	if (!strcmp(name, "s_cvt_hi_f32_f16")) {
		words[0] = (word & ~0xffu) | 242;
		return isa_decode(t, words, 4, &slot.in) > 0 && !isa_bind(r->cu.lane, t, &slot);
	}
	if (strcmp(name, half ? "s_add_f16" : "s_add_f32"))
		return true;
	words[0] = (word & ~0xffu) | 242;	/* 1.0 */
	rdna_prepare(r, words, 32, ~0u, 3);
	r->w->mode = KEEP;
	r->w->s[S_B] = half ? 0xabcd4000 : 0x40000000;
	rig_run(r, 1);
	if (r->w->s[S_D] != (half ? 0x4200 : 0x40400000))
		return rdna_tell(name, "1 + 2", r->w->s[S_D], half ? 0x4200 : 0x40400000);
	memcpy(other, words, sizeof(other));
	other[0] = (words[0] & ~0x7f0000u) | 124 << 16;	/* NULL */
	rdna_prepare(r, other, 32, ~0u, 3);
	d = r->w->s[S_D];
	rig_run(r, 1);
	if (r->w->s[S_D] != d || r->w->s[ISA_SRC_NULL])
		return rdna_tell(name, "NULL", r->w->s[ISA_SRC_NULL], 0);
	words[0] = word;
	rdna_prepare(r, words, 32, ~0u, 3);
	r->w->mode = KEEP | ISA_EXCP_OVERFLOW << ISA_MODE_EXCP_SHIFT;
	r->w->s[S_A] = half ? 0x7bff : 0x7f7fffff;
	r->w->s[S_B] = r->w->s[S_A];
	why = rig_run(r, 1);
	if (why != ISA_STOP_EXCP || !(r->ex.info & ISA_EXCP_OVERFLOW) ||
	    r->w->pc != RIG_VA + RIG_CODE + 4)
		return rdna_tell(name, "the stop", why, ISA_STOP_EXCP);
	if (!half)
		return true;
	rdna_prepare(r, words, 32, ~0u, 3);
	r->w->mode = KEEP | ISA_MODE_FP16_OVFL;
	r->w->s[S_A] = 0xfbff;
	r->w->s[S_B] = 0xfbff;
	rig_run(r, 1);
	return r->w->s[S_D] == 0xfbff || rdna_tell(name, "FP16_OVFL", r->w->s[S_D], 0xfbff);
}

int rdna_scalar_float(struct rig *r, const struct isa_target *t, const struct isa_row *row,
		      unsigned int enc, u32 op)
{
	const char *name = isa_op_names[row->op];
	struct sample k = { .scalar = name };
	const size_t len = strlen(name);
	char vector[32];
	u32 word, n, try;
	bool half;
	int number;

	if (enc > ISA_ENC_SOPC || strncmp(name, "s_", 2) ||
	    (!strstr(name, "_f32") && !strstr(name, "_f16")))
		return -1;
	for (n = 0; n < ARRAY_SIZE(samples); n++)
		if (!strcmp(samples[n].scalar, name))
			k = samples[n];
	snprintf(vector, sizeof(vector), "v_%s", name + 2);
	if (!k.vector)
		k.vector = vector;
	number = vop3_number(t, k.vector);
	if (number < 0) {
		printf("# %s: no %s\n", name, k.vector);
		return 0;
	}
	half = !strcmp(name + len - 4, "_f16");
	word = rdna_format(t, enc)->match | op << rdna_format(t, enc)->lo | S_A;
	if (enc != ISA_ENC_SOPC)
		word |= S_D << 16;
	if (enc != ISA_ENC_SOP1)
		word |= S_B << 8;
	for (n = 0; n < ARRAY_SIZE(modes); n++)
		for (try = 0; try < TRIES; try++) {
			u32 s[3] = { operand(half), operand(half), operand(half) };

			if (try % 8 == 7)	/* cancels out, or nearly */
				s[1] = s[0] ^ (half ? 0x8000 : 0x80000000) ^ (rdna_random() & 1);
			if (!one(r, &k, word, number, modes[n], s))
				return 0;
		}
	return rest(r, t, name, word, half);
}
