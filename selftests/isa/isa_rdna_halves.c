// SPDX-License-Identifier: MIT
/*
 * Of isa_rdna: upper halves of VGPRs where gfx11 and gfx12 have them and GFX9 has none, as LLVM 22
 * assembles them: v_swap_b16, the accumulator of v_fmac_f16, the mask of v_cmp_class_f16, how
 * far v_alignbit_b32 and v_alignbyte_b32 shift, two floats of 8 bits, sources of long encodings.
 * The reference is the same with the half moved down, or v_fma_f16.
 */
#include "isa_rdna.h"

#define SDST	30	/* of masks */
#define LANES	32

/* The first word of an instruction; 0: @t has none */
static u32 word(const struct isa_target *t, const char *name, unsigned int enc)
{
	const struct isa_format *f = rdna_format(t, enc);
	u32 n;

	for (n = 0; n < t->nslots[enc]; n++)
		if (t->slots[enc][n] && !strcmp(isa_op_names[isa_rows[t->slots[enc][n]].op], name))
			return f->match | n << f->lo;
	return 0;
}

static bool tell(const char *name, u32 is, u32 want)
{
	return rdna_tell(name, "halves", is, want);
}

/* v_swap_b16 of D and B, or of two halves of D */
static bool swaps(struct rig *r, const struct isa_target *t)
{
	const u32 first = word(t, "v_swap_b16", ISA_ENC_VOP1), exec = rdna_random() | 3;
	u32 n, l;

	for (n = 0; n < 8; n++) {
		const u32 from = n & 4 ? D : B, dh = n & 1, sh = n >> 1 & 1;
		const u32 w[4] = {
			first | (D | dh << 7) << 17 | 256 | from | sh << 7, NOP, NOP, NOP,
		};
		u16 d[2 * ISA_LANES], s[2 * ISA_LANES];

		rdna_prepare(r, w, LANES, exec, rdna_random());
		memcpy(d, rdna_row(r, D), sizeof(d));
		memcpy(s, rdna_row(r, B), sizeof(s));
		if (rig_run(r, 1) != ISA_STOP_BUDGET)
			return tell("v_swap_b16", r->ex.why, ISA_STOP_BUDGET);
		for (l = 0; l < LANES; l++) {
			u16 *x = &d[2 * l + dh], *y = (from == D ? d : s) + 2 * l + sh, z;

			if (!(exec >> l & 1))
				continue;
			z = *x;
			*x = *y;
			*y = z;
		}
		if (memcmp(d, rdna_row(r, D), sizeof(d)) || memcmp(s, rdna_row(r, B), sizeof(s)))
			return tell("v_swap_b16", n, 0);
	}
	return true;
}

/* Halves of D, A and B: v_fmac_f16, short and long, is v_fma_f16 with D in the third place. */
static bool accumulates(struct rig *r, const struct isa_target *t)
{
	const u32 e32 = word(t, "v_fmac_f16", ISA_ENC_VOP2);
	const u32 e64 = word(t, "v_fmac_f16", ISA_ENC_VOP3);
	const u32 fma = word(t, "v_fma_f16", ISA_ENC_VOP3), exec = rdna_random() | 3;
	u32 n, k, want[ISA_LANES];

	for (n = 0; n < 8; n++) {
		const u32 a = n & 1, b = n >> 1 & 1, d = n >> 2, seed = rdna_random();
		const u32 sources = 256 | A | (256 | B) << 9, sel = a << 11 | b << 12 | d << 14;
		const u32 w[3][4] = {
			{ fma | D | sel | d << 13, sources | (u32)(256 | D) << 18, NOP, NOP },
			{ e64 | D | sel, sources, NOP, NOP },
			{ e32 | (D | d << 7) << 17 | (B | b << 7) << 9 | 256 | A | a << 7,
			  NOP, NOP, NOP },
		};

		for (k = 0; k < 3; k++) {
			rdna_prepare(r, w[k], LANES, exec, seed);
			if (rig_run(r, 1) != ISA_STOP_BUDGET)
				return tell("v_fmac_f16", r->ex.why, k);
			if (!k)
				memcpy(want, rdna_row(r, D), sizeof(want));
			else if (memcmp(want, rdna_row(r, D), sizeof(want)))
				return tell("v_fmac_f16", n, k);
		}
	}
	return true;
}

/* @w with a half of register @reg gives what @plain gives once the half has been moved down. */
static bool moved_down(struct rig *r, const char *name, const u32 *w, const u32 *plain, u32 reg)
{
	const u32 seed = rdna_random(), exec = rdna_random() | 3;
	u32 d[2 * ISA_LANES], s[ISA_SRC_VCC_HI + 1], l;

	rdna_prepare(r, plain, LANES, exec, seed);
	for (l = 0; l < LANES; l++)
		rdna_row(r, reg)[l] >>= 16;
	if (rig_run(r, 1) != ISA_STOP_BUDGET)
		return tell(name, r->ex.why, 0);
	memcpy(d, rdna_row(r, D), sizeof(d));
	memcpy(s, r->w->s, sizeof(s));
	rdna_prepare(r, w, LANES, exec, seed);
	if (rig_run(r, 1) != ISA_STOP_BUDGET)
		return tell(name, r->ex.why, 1);
	return (!memcmp(d, rdna_row(r, D), sizeof(d)) && !memcmp(s, r->w->s, sizeof(s))) ||
	       tell(name, 1, 2);
}

static bool other_sources(struct rig *r, const struct isa_target *t)
{
	static const char * const align[] = { "v_alignbit_b32", "v_alignbyte_b32" };
	const u32 e32 = word(t, "v_cmp_class_f16", ISA_ENC_VOPC);
	const u32 e64 = word(t, "v_cmp_class_f16", ISA_ENC_VOP3), two = 256 | A | (256 | B) << 9;
	const u32 s[4] = { e32 | B << 9 | 256 | A, NOP, NOP, NOP };
	const u32 sh[4] = { e32 | (B | 128) << 9 | 256 | A, NOP, NOP, NOP };
	const u32 l[4] = { e64 | SDST, two, NOP, NOP };
	const u32 lh[4] = { e64 | SDST | BIT(12), two, NOP, NOP };
	u32 n;

	if (!moved_down(r, "v_cmp_class_f16", sh, s, B) ||
	    !moved_down(r, "v_cmp_class_f16_e64", lh, l, B))
		return false;
	for (n = 0; n < ARRAY_SIZE(align); n++) {
		const u32 first = word(t, align[n], ISA_ENC_VOP3) | D;
		const u32 more = two | (u32)(256 | 20) << 18;
		const u32 p[4] = { first, more, NOP, NOP };
		const u32 h[4] = { first | BIT(13), more, NOP, NOP };

		if (!moved_down(r, align[n], h, p, 20))
			return false;
	}
	return true;
}

/* Sources of long encodings by op_sel, the pair of floats of 8 bits in a short one */
static bool more_sources(struct rig *r, const struct isa_target *t)
{
	static const struct {
		const char *name;
		u32 sources;
	} ops[] = {
		{ "v_add_f16", 2 }, { "v_max_f16", 2 }, { "v_maxmin_f16", 3 },
		{ "v_minmax_f16", 3 }, { "v_max_num_f16", 2 }, { "v_maxmin_num_f16", 3 },
	};
	static const char * const bytes[] = { "v_cvt_pk_f32_fp8_half", "v_cvt_pk_f32_bf8_half" };
	static const u32 regs[] = { A, B, C };
	u32 n, k;

	for (n = 0; n < ARRAY_SIZE(ops); n++) {
		const u32 first = word(t, ops[n].name, ISA_ENC_VOP3) | D;
		const u32 third = ops[n].sources > 2 ? (256u | C) << 18 : 0;
		const u32 second = 256 | A | (256 | B) << 9 | third;

		for (k = 0; first != D && k < ops[n].sources; k++) {
			const u32 h[4] = { first | BIT(11) << k, second, NOP, NOP };
			const u32 p[4] = { first, second, NOP, NOP };

			if (!moved_down(r, ops[n].name, h, p, regs[k]))
				return false;
		}
	}
	for (n = 0; n < ARRAY_SIZE(bytes); n++) {
		const u32 e32 = word(t, bytes[n], ISA_ENC_VOP1) | D << 17 | 256;
		const u32 h[4] = { e32 | A | 128, NOP, NOP, NOP };
		const u32 p[4] = { e32 | A, NOP, NOP, NOP };

		if (word(t, bytes[n], ISA_ENC_VOP1) && !moved_down(r, bytes[n], h, p, A))
			return false;
	}
	return true;
}

bool rdna_halves(struct rig *r, const struct isa_target *t)
{
	u32 n;

	if (!isa_target_has(t, ISA_FEAT_GFX11_TEXT))
		return true;
	for (n = 0; n < 20; n++)
		if (!swaps(r, t) || !accumulates(r, t) || !other_sources(r, t) ||
		    !more_sources(r, t))
			return false;
	return true;
}
