// SPDX-License-Identifier: MIT
/*
 * What gfx1030, gfx1100, gfx1151 and gfx1201 execute, opcode by opcode. Most of it GFX9 does, too,
 * where vectors prove it: the same operation with the same operands, encoded for either, must leave
 * the same state behind, in waves of 64 lanes and (vector ALU) of 32. What is new has a reference
 * in isa_rdna_new.c. What is neither must be refused, and is named here.
 *	isa_rdna		TAP
 *	isa_rdna list		a line for each opcode: what proves it, or that it is refused
 */
#include <stdlib.h>
#include "format.h"
#include "isa_rdna.h"

#define TRIES	40	/* for operands that both take */
#define CASES	6	/* that are compared */

/* What is decoded and not executed, by the beginning of its name. */
static const char * const refused[] = {
	"v_interp_", "exp", "lds_", "ds_param_load", "ds_direct_load",	/* graphics */
	"image_load_pck", "image_load_mip_pck", "image_store_pck", "image_store_mip_pck",
	"image_msaa_load", "image_bvh", "image_get_lod",
	"image_sample_c", "image_sample_d_cl", "image_sample_d_g16", "image_sample_d_o_g16",
	"image_sample_b_cl", "image_gather4_c", "image_gather4_b_cl", "image_gather4h",
	"ds_ordered_count", "ds_add_gs", "ds_sub_gs", "ds_bvh",	/* global data share; rays */
	"s_code_end", "s_wait_event", "s_get_waveid",
	/* gfx12 */
	"s_alloc_vgpr", "s_get_barrier_state", "s_barrier_init", "s_barrier_join",
	"s_wakeup_barrier", "s_barrier_leave", "global_load_block", "global_store_block",
	"scratch_load_block", "scratch_store_block", "global_atomic_ordered",
};

/* Of a buffer's elements: GFX9's number and that of the target */
static u32 format9, format10;

static bool listing;
static struct rig old, new;
static const struct isa_target *gfx9, *rdna;

u32 rdna_random(void)
{
	static u64 x = 0x9e3779b97f4a7c15ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (u32)(x >> 16);
}

u32 rdna_value(void)
{
	static const u32 special[] = {
		0, 1, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
		0x00800000, 0x00000123, 0x3c003c00, 0xbc004000, 0x7fffffff, ~0u, 0x3ff00000,
	};
	u32 r = rdna_random();

	if (r % 4 == 0)
		return special[r / 4 % ARRAY_SIZE(special)];
	return r % 4 == 1 ? (rdna_random() & 0x80ffffff) | 0x3f000000 : rdna_random();
}

const struct isa_format *rdna_format(const struct isa_target *t, unsigned int enc)
{
	const struct isa_family *f = isa_target_family(t);
	unsigned int n;

	for (n = 0; n < f->num_formats; n++)
		if (f->formats[n].enc == enc)
			return &f->formats[n];
	return NULL;
}

/* The number of operation @op in @enc of GFX9: of some target that has it, *@t. */
static int number_in_gfx9(unsigned int enc, unsigned int op, const struct isa_target **t)
{
	static const char * const names[] = { "gfx906", "gfx908", "gfx942", "gfx90a", "gfx908",
					      "gfx906", "gfx950" };
	const char *name = isa_op_name(op);
	/* D16 loads that keep the other half, dot products with denormals: the older ones */
	unsigned int n, k = strstr(name, "d16") || strstr(name, "v_dot2") ? 0 : 2;

	for (; k < ARRAY_SIZE(names); k++) {
		*t = isa_target_by_name(names[k]);
		for (n = 0; (*t)->slots[enc] && n < (*t)->nslots[enc]; n++)
			if ((*t)->slots[enc][n] && isa_rows[(*t)->slots[enc][n]].op == op)
				return (int)n;
	}
	return -1;
}

/*
 * Registers: sources and destinations apart, SGPRs in fours; v0 to v7 and s0 to s15 hold
 * addresses.
 */
static u32 vgpr(u32 part)
{
	return 8 + 12 * part + rdna_random() % 3 * 4;
}

static u32 sgpr(u32 part)
{
	return 16 + 16 * part;
}

static u32 scalar_source(u32 part)
{
	u32 r = rdna_random() % 4;

	return r < 2 ? sgpr(part) : r == 2 ? 128 + rdna_random() % 65 : 240 + rdna_random() % 9;
}

static u32 vector_source(u32 part)
{
	return rdna_random() % 4 ? 256 + vgpr(part) : scalar_source(part);
}

/* Bits of the first word that are the same in both encodings, and the second word. */
static void fields(const struct isa_row *r, unsigned int enc, u32 *first, u32 *second)
{
	bool scalar_dst = r->dst[0].kind == ISA_K_S || r->dst[0].kind == ISA_K_VCC, hwreg;
	u32 n;

	*first = *second = 0;
	if (!r->dst[0].kind && !r->src[0].kind && !r->src[1].kind && enc != ISA_ENC_SOPP)
		return;
	switch (enc) {
	case ISA_ENC_SOP2:
		*first = sgpr(3) << 16 | scalar_source(1) << 8 | scalar_source(0);
		break;
	case ISA_ENC_SOP1:
		*first = sgpr(3) << 16 | (r->src[0].kind == ISA_K_R ? sgpr(0) : scalar_source(0));
		break;
	case ISA_ENC_SOPC:
		*first = scalar_source(1) << 8 | scalar_source(0);
		break;
	case ISA_ENC_SOPK:
		hwreg = r->src[0].kind == ISA_K_HWREG || r->src[1].kind == ISA_K_HWREG;
		*first = sgpr(3) << 16 | (hwreg ? 0x3801 : rdna_random() & 0xffff);
		break;
	case ISA_ENC_SOPP:
		*first = r->src[0].kind ? 1 : 0;
		break;
	case ISA_ENC_VOP1:
		*first = (scalar_dst ? sgpr(3) : vgpr(3)) << 17 |
			 (r->src[0].kind == ISA_K_X ? vector_source(0) : 256 + vgpr(0));
		break;
	case ISA_ENC_VOP2:
		*first = vgpr(3) << 17 | vgpr(1) << 9 |
			 (r->src[0].kind == ISA_K_X ? vector_source(0) : 256 + vgpr(0));
		break;
	case ISA_ENC_VOPC:
		*first = vgpr(1) << 9 | vector_source(0);
		break;
	case ISA_ENC_MIMG:		/* a mask of components */
		*first = (strstr(isa_op_name(r->op), "cmpswap") ? 3 : 1) << 8;
		break;
	case ISA_ENC_VOP3:
	case ISA_ENC_VOP3P:
		*first = scalar_dst ? sgpr(3) : vgpr(3);
		if (r->dst[1].kind)
			*first |= sgpr(2) << 8;
		for (n = 0; n < 3; n++) {
			u32 code = r->src[n].kind == ISA_K_V ? 256 + vgpr(n) :
				   r->src[n].kind == ISA_K_VCC || r->src[n].kind == ISA_K_C ?
				   sgpr(n) : vector_source(n);

			if (r->src[n].kind)
				*second |= code << 9 * n;
		}
		*second |= (rdna_random() & r->mods & 7) << 29;
		if (enc == ISA_ENC_VOP3P) {
			*first |= 1u << 14;	/* op_sel_hi as usual */
			*second |= 3u << 27;
		} else if (!r->dst[1].kind) {
			*first |= (rdna_random() & r->mods & 7) << 8;
		}
		break;
	case ISA_ENC_DS:
		*first = rdna_random() % 64 * 8;
		*second = vgpr(3) << 24 | vgpr(2) << 16 | vgpr(1) << 8 | 4;
		if (!r->dst[0].kind)
			*second &= 0xffffff;
		for (n = 0; n < 3; n++)
			if (!r->src[n].kind)
				*second &= ~(0xffu << 8 * n);
		break;
	case ISA_ENC_FLAT:
	case ISA_ENC_GLOBAL:
		*first = rdna_random() % 8 * 16;
		*second = vgpr(3) << 24 | vgpr(2) << 8;
		break;
	case ISA_ENC_SCRATCH:
		*first = rdna_random() % 8 * 16;
		*second = vgpr(3) << 24 | vgpr(2) << 8 | 7;
		break;
	case ISA_ENC_MUBUF:
	case ISA_ENC_MTBUF:
		*first = rdna_random() % 8 * 16;
		*second = 128u << 24 | 8 / 4 << 16 | vgpr(3) << 8 | 6;
		break;
	case ISA_ENC_SMEM:
		*first = sgpr(3) << 6;
		*second = rdna_random() % 8 * 16;
		break;
	}
}

/* The words for target @t, what differs put in its place. @ret: atomics return */
static void encode(const struct isa_target *t, unsigned int enc, u32 op, const struct isa_row *r,
		   u32 first, u32 second, bool ret, u32 *w)
{
	const struct isa_format *f = rdna_format(t, enc);
	bool rdna_t = isa_target_has(t, ISA_FEAT_RDNA);
	bool gfx11 = isa_target_has(t, ISA_FEAT_GFX11_TEXT);
	u32 null = gfx11 ? 124 : 125;

	if (rdna_gfx12_encode(t, f, r, op, first, second, ret, format10, w))
		return;
	w[0] = f->match | (op & ((2u << (f->hi - f->lo)) - 1)) << f->lo | first;
	w[1] = second;
	switch (enc) {
	case ISA_ENC_DS:
		w[0] |= r->flags & ISA_OPF_GDS ? BIT(rdna_t ? 17 : 16) : 0;
		break;
	case ISA_ENC_FLAT:
		if (rdna_t)
			w[1] |= null << 16;
		w[0] |= ret && r->flags & ISA_OPF_RET ? BIT(gfx11 ? 14 : 16) : 0;
		break;
	case ISA_ENC_GLOBAL:
		w[1] |= (rdna_t ? null : 0x7f) << 16;
		w[0] |= ret && r->flags & ISA_OPF_RET ? BIT(gfx11 ? 14 : 16) : 0;
		break;
	case ISA_ENC_SCRATCH:	/* a VGPR and no SGPR */
		w[1] |= (rdna_t ? null : 0x7f) << 16;
		if (gfx11)
			w[1] |= BIT(23);
		else if (isa_target_has(t, ISA_FEAT_SVE))
			w[0] |= BIT(13);
		break;
	case ISA_ENC_MIMG:
		if (rdna_t && !gfx11)		/* likewise the lowest bit of the word */
			w[0] |= op >> 7;
		break;
	case ISA_ENC_MTBUF:
		w[0] |= (rdna_t ? format10 : format9) << 19;
		if (gfx11)
			w[1] |= BIT(22);
		else
			w[0] |= BIT(12);
		if (rdna_t && !gfx11)		/* the highest bit of the opcode */
			w[1] |= op >> 3 << 21;
		break;
	case ISA_ENC_MUBUF:
		if (!r->src[1].kind) {
			w[0] &= ~0xffffu;
			w[1] = 0;
		} else if (gfx11) {
			w[1] |= BIT(22);
		} else {
			w[0] |= BIT(12);
		}
		w[0] |= ret && r->flags & ISA_OPF_RET ? BIT(14) : 0;
		break;
	case ISA_ENC_SMEM:
		if (!r->src[0].kind) {
			w[1] = rdna_t ? null << 25 : 0;
			break;
		}
		w[0] |= r->src[0].dwords == 4 ? 8 / 2 : 4 / 2;
		if (rdna_t)
			w[1] |= null << 25;
		else
			w[0] |= BIT(17);
		break;
	}
	w[2] = NOP;
	w[3] = NOP;
}

static u32 *row(struct rig *r, u32 n)
{
	return r->vgprs + n * ISA_LANES;
}

#define NEXT(x)	((x) ^= (x) << 13, (x) ^= (x) >> 17, (x) ^= (x) << 5, (x))

/* @count words of many, which are made once: for each wave, that was most of the time */
static const u32 *pool(bool floats, u32 seed_value, u32 count)
{
	static u32 words[2][1 << 18];
	u32 n, x = 1;

	for (n = 0; !words[0][ARRAY_SIZE(words[0]) - 1] && n < ARRAY_SIZE(words[0]); n++) {
		words[0][n] = NEXT(x);
		words[1][n] = NEXT(x) % 3 ? NEXT(x) : (NEXT(x) & 0x80ffffff) | 0x3f000000;
	}
	return words[floats] + (seed_value * 0x9e3779b1u >> 8) % (ARRAY_SIZE(words[0]) - count);
}

/* The same state for both, but for V#s, which are of each generation. */
void rdna_prepare(struct rig *r, const u32 *words, u32 lanes, u64 exec, u32 seed_value)
{
	struct isa_wave_setup s = {
		.mode = 0x3f0, .lanes = lanes, .rows = 64, .acc_offset = 64, .sgprs = 104,
		.shared_base = 0x10000, .private_base = 0x20000, .scratch_base = RIG_VA + RIG_DATA,
		.ids = 1, .size = { 64, 1, 1 },
	};
	bool is_rdna = isa_target_has(r->cu.target, ISA_FEAT_RDNA);
	u32 n, l, x = seed_value | 1;

	memcpy(r->mem + RIG_CODE, words, 16);
	r->cu.icache_epoch++;
	r->cu.icache_epoch++;
	r->clock = 1000;
	isa_wave_reset(r->w, &r->cu, &r->wg, RIG_VA + RIG_CODE, exec);
	isa_wave_setup(r->w, &s);
	isa_set_exec(r->w, exec);
	memcpy(r->vgprs, pool(true, seed_value, 64 * ISA_LANES), 64 * ISA_LANES * sizeof(u32));
	for (n = 0; n < ISA_LANES; n += 7)
		row(r, 8 + n % 48)[n] = 0x7f800000;
	for (n = 0; n < 106; n++)
		r->w->s[n] = NEXT(x);
	r->w->s[ISA_SRC_VCC_LO] = NEXT(x);
	r->w->s[ISA_SRC_VCC_HI] = NEXT(x);
	r->w->s[ISA_SRC_M0] = NEXT(x) & 3;
	r->w->scc = NEXT(x) >> 9 & 1;
	memcpy(r->mem + RIG_DATA, pool(false, NEXT(x), 0x3000 / 4), 0x3000);
	memcpy(r->lds, pool(false, NEXT(x), 0x2000 / 4), 0x2000);
	r->wg.lds_bytes = 0x2000;
	for (l = 0; l < ISA_LANES; l++) {
		row(r, 0)[l] = (u32)(RIG_VA + RIG_DATA) + 16 * (l ^ 5);
		row(r, 1)[l] = 0;
		row(r, 4)[l] = 16 * (l ^ 3);	/* in the LDS; of permutes: the own half */
		row(r, 6)[l] = 16 * (l ^ 9);	/* in buffers */
		row(r, 7)[l] = 4 * (l & 3);	/* in scratch */
	}
	if (lanes == 64)
		for (l = 0; l < ISA_LANES; l++)
			row(r, 4)[l] = (16 * (l ^ 3) & 0x3ff) | (l & 32) << 4;
	r->w->s[4] = (u32)(RIG_VA + RIG_DATA);
	r->w->s[5] = 0;
	r->w->s[8] = (u32)(RIG_VA + RIG_DATA);
	r->w->s[9] = 0;
	r->w->s[10] = 0x380;			/* some lanes are outside */
	r->w->s[11] = is_rdna ? 3u << 28 | 1u << 24 | format10 << 12 :
				(format9 >> 4) << 12 | (format9 & 15) << 15;
	r->w->s[11] |= 4 | 5 << 3 | 6 << 6 | 7 << 9;
	/* FLAT_SCRATCH of GFX9 */
	if (!is_rdna) {
		r->w->s[102] = (u32)s.scratch_base;
		r->w->s[103] = 0;
	}
}

static bool is_half(unsigned int op)
{
	unsigned int n;

	for (n = 0; n < rdna_list_count; n++)
		if (rdna_list[n].op == op)
			return !(rdna_list[n].flags & LT_HI) &&
			       (rdna_list[n].dst == LT_F16 || rdna_list[n].dst == LT_U16 ||
				rdna_list[n].dst == LT_I16);
	return false;
}

/* What of GFX9's state must be otherwise on gfx10: see below. @before: GFX9's */
static void expect(const struct isa_insn *in, struct rig *o, const u32 *v, const u32 *s, u32 lanes)
{
	const struct isa_row *r = &isa_rows[in->row];
	u32 l;

	/* A result of 16 bits keeps the other half. */
	if (is_half(in->op) && in->dst >= ISA_SRC_VGPR0)
		for (l = 0; l < lanes; l++)
			if (isa_exec(o->w) >> l & 1) {
				u32 at = (in->dst - ISA_SRC_VGPR0) * ISA_LANES + l;

				o->vgprs[at] = (o->vgprs[at] & 0xffff) | (v[at] & 0xffff0000);
			}
	/* Compares that write EXEC write nothing else; masks of 32 lanes are one SGPR. */
	if (!strncmp(isa_op_names[in->op], "v_cmpx", 6)) {
		memcpy(o->w->s, s, ISA_SRC_M0 * sizeof(u32));
	} else if (lanes == 32 && in->sdst < ISA_SRC_M0) {
		o->w->s[in->sdst + 1] = s[in->sdst + 1];
	} else if (lanes == 32 && r->enc == ISA_ENC_VOPC) {
		o->w->s[ISA_SRC_VCC_HI] = s[ISA_SRC_VCC_HI];
	}
}

/* @at9, @at10: sizes of the instructions */
static bool same(struct rig *o, struct rig *n, const char *name, u32 lanes, u32 at9, u32 at10)
{
	bool info = o->ex.why == ISA_STOP_MSG || o->ex.why == ISA_STOP_GWS;
	/* gfx12 has no IEEE there, and behaves as if it was off. */
	u32 k, not_in_mode = isa_target_has(rdna, ISA_FEAT_SCOPES) ? ISA_MODE_IEEE : 0;

	if (o->ex.why != n->ex.why || (info && o->ex.info != n->ex.info)) {
		printf("# %s/%u: stops with %d, GFX9 with %d\n", name, lanes, n->ex.why, o->ex.why);
		return false;
	}
	for (k = 0; k < 64 * ISA_LANES; k++)
		if (k % ISA_LANES < lanes && o->vgprs[k] != n->vgprs[k]) {
			printf("# %s/%u: v%u lane %u is %#x, GFX9's %#x\n", name, lanes,
			       k / ISA_LANES, k % ISA_LANES, n->vgprs[k], o->vgprs[k]);
			return false;
		}
	for (k = 16; k < 128; k++)
		if (k != 102 && k != 103 && k != 125 && o->w->s[k] != n->w->s[k]) {
			printf("# %s/%u: s%u is %#x, GFX9's %#x\n", name, lanes, k, n->w->s[k],
			       o->w->s[k]);
			return false;
		}
	if (o->w->scc != n->w->scc || o->w->pc - at9 != n->w->pc - at10 ||
	    (o->w->mode ^ n->w->mode) & ~not_in_mode) {
		printf("# %s/%u: SCC, PC or MODE differ\n", name, lanes);
		return false;
	}
	for (k = 0; k < 0x3000; k++)
		if (o->mem[RIG_DATA + k] != n->mem[RIG_DATA + k]) {
			printf("# %s/%u: memory differs at %#x\n", name, lanes, k);
			return false;
		}
	if (memcmp(o->lds, n->lds, 0x2000))
		printf("# %s/%u: LDS differs\n", name, lanes);
	return !memcmp(o->lds, n->lds, 0x2000);
}

/* In waves of 32 lanes, too, but where the number of lanes is an operand's limit */
static bool in_both_sizes(unsigned int enc, const char *name)
{
	return enc >= ISA_ENC_VOP1 && enc <= ISA_ENC_VOP3P && strncmp(name, "v_readlane", 10) &&
	       strncmp(name, "v_writelane", 11);
}

/* Halves of 64 lanes exchange nothing before gfx12: the lanes that permutes name are in the own one. */
static bool is_permute(const char *name)
{
	return !strncmp(name, "ds_permute", 10) || !strncmp(name, "ds_bpermute", 11);
}

static void own_half(struct rig *r)
{
	u32 l;

	for (l = 0; l < ISA_LANES; l++)
		row(r, 4)[l] = 4 * ((l & 32) | ((l * 5 + 3) & 31));
}

/*
 * gfx11 has a constant of v_pk_fmac_f16 in both halves (LLVM issue 94116), GFX9 in the lower one:
 * it gets the two in a VGPR.
 */
static bool both_halves(const struct isa_insn *in)
{
	return in->op == ISA_OP_V_PK_FMAC_F16 && isa_target_has(rdna, ISA_FEAT_GFX11_TEXT) &&
	       in->src[0] >= 240 && in->src[0] <= 248;
}

static void give_both_halves(struct rig *r, u32 constant)
{
	static const u32 half[] = {
		0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
	};
	u32 l;

	for (l = 0; l < ISA_LANES; l++)
		row(r, 63)[l] = half[constant - 240] * 0x10001;
}

/* One case in waves of @lanes: 1 right, 0 wrong, -1 cannot be compared */
static int compare(const struct isa_insn *in, u32 size9, u32 *w9, u32 *w10, u32 lanes,
		   const char *name)
{
	static u32 v[64 * ISA_LANES];
	u32 s[128], seed_value = rdna_random();
	u64 exec = rdna_random() | (u64)rdna_random() << 32;

	exec = rdna_random() % 3 ? exec : ~0ull;
	exec &= ~0ull >> (64 - lanes);
	exec |= 1;
	if (both_halves(in))
		w9[0] = (w9[0] & ~0x1ffu) | 256 | 63;
	rdna_prepare(&old, w9, 64, exec, seed_value);
	if (lanes == 32)	/* the mask that GFX9 reads */
		exec &= 0xffffffff;
	rdna_prepare(&new, w10, lanes, exec, seed_value);
	if (both_halves(in)) {
		give_both_halves(&old, in->src[0]);
		give_both_halves(&new, in->src[0]);
	}
	memcpy(v, old.vgprs, sizeof(v));
	memcpy(s, old.w->s, sizeof(s));
	if (is_permute(name) && !isa_target_has(rdna, ISA_FEAT_SCOPES)) {
		own_half(&old);
		own_half(&new);
	}
	rig_run(&old, 1);
	rig_run(&new, 1);
	/* s_rfe_b64 is a trap handler's */
	if (old.ex.why == ISA_STOP_MISS && in->enc >= ISA_ENC_SMEM)
		return rdna_tell(name, "GFX9's stop", old.ex.why, ISA_STOP_BUDGET);
	if (old.ex.why == ISA_STOP_ILLEGAL)
		return strcmp(name, "s_rfe_b64") || new.ex.why != ISA_STOP_ILLEGAL ? -1 : 1;
	expect(in, &old, v, s, lanes);
	return same(&old, &new, name, lanes, size9 * 4, in->size * 4);
}

/* A format that the target has. What its number stands for, isa_formats proves. */
static void pick_format(void)
{
	const enum isa_buf_formats formats = isa_target_arch(rdna)->buf_formats;
	u32 data, num;

	do
		format10 = 1 + rdna_random() % 77;
	while (!isa_buf_format(formats, format10, &data, &num));
	format9 = data | num << 4;
}

static struct isa_arch arch9;

/* An opcode against GFX9's: 1, 0, or -1 if nothing can be compared */
static int against_gfx9(unsigned int enc, u32 op)
{
	const struct isa_row *r = &isa_rows[rdna->slots[enc][op]];
	const char *name = isa_target_op_name(rdna, r->op);
	int number = number_in_gfx9(enc, r->op, &gfx9), ok = -1;
	bool longer = number < 0 && enc == ISA_ENC_VOP2;
	u32 try, cases = 0, enc9 = longer ? ISA_ENC_VOP3 : enc;

	if (longer)		/* GFX9 has a long form only */
		number = number_in_gfx9(ISA_ENC_VOP3, r->op, &gfx9);
	if (number < 0 || !rdna_format(rdna, enc))
		return -1;
	/* What a formatted store does with components that it is not given is the generation's. */
	arch9 = *isa_target_arch(gfx9);
	arch9.features |= isa_target_arch(rdna)->features & ISA_ARCH_STORE_FIRST;
	old.cu.arch = &arch9;
	old.cu.target = gfx9;
	for (try = 0; try < TRIES && cases < CASES; try++) {
		u32 first, second, w9[4], w10[4];
		struct isa_insn a, b;
		bool ret = try & 1;

		pick_format();
		fields(r, enc, &first, &second);
		if (is_permute(name))
			first = 0;
		encode(rdna, enc, op, r, first, second, ret, w10);
		if (longer) {
			second = (first & 0x1ff) | (256 | (first >> 9 & 0xff)) << 9;
			first = first >> 17 & 0xff;
		}
		encode(gfx9, enc9, (u32)number, &isa_rows[gfx9->slots[enc9][number]], first, second,
		       ret, w9);
		if (isa_decode_as(gfx9, isa_target_family(gfx9), 64, w9, 4, &a) <= 0 ||
		    isa_decode_as(rdna, isa_target_family(rdna), 64, w10, 4, &b) <= 0 ||
		    a.op != b.op || a.enc != enc9 || b.enc != enc)
			continue;
		ok = compare(&b, a.size, w9, w10, 64, name);
		if (ok > 0 && in_both_sizes(enc, name))
			ok = compare(&b, a.size, w9, w10, 32, name);
		if (ok < 0)
			continue;
		cases++;
		if (!ok)
			return 0;
	}
	return cases ? 1 : -1;
}

/* Does the binder take some operands? */
static bool executes(unsigned int enc, u32 op)
{
	const struct isa_row *r = &isa_rows[rdna->slots[enc][op]];
	u32 try;

	for (try = 0; try < TRIES; try++) {
		struct isa_slot slot = { 0 };
		u32 first, second, w[4];

		fields(r, enc, &first, &second);
		if (!rdna_format(rdna, enc))
			return false;
		encode(rdna, enc, op, r, first, second, try & 1, w);
		if (isa_decode(rdna, w, 4, &slot.in) > 0 && slot.in.enc == enc &&
		    isa_bind(new.cu.lane, rdna, &slot))
			return true;
	}
	return false;
}

static bool is_refused(const char *name)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(refused); n++)
		if (!strncmp(name, refused[n], strlen(refused[n])))
			return true;
	return false;
}

static void list_one(u32 e, const char *what, const char *how)
{
	static const char * const encodings[ISA_ENC_COUNT] = {
		"sop1", "sop2", "sopk", "sopc", "sopp", "smem", "vop1", "vop2", "vopc", "vop3",
		"vop3p", "ds", "flat", "global", "scratch", "mubuf", "mtbuf", "mimg",
		[ISA_ENC_VOPDX] = "vopd",
	};

	if (listing)
		printf("%s %s %s: %s\n", isa_target_name(rdna), encodings[e] ? encodings[e] : "-",
		       what, how);
}

static void test_target(const char *name, const char *lane)
{
	u32 e, op, total = 0, as9 = 0, with_reference = 0, not_executed = 0, wrong = 0, open = 0;

	rdna = isa_target_by_name(name);
	rig_init(&old, "gfx90a", lane, 64);
	rig_init(&new, name, lane, 64);
	for (e = 0; e < ISA_ENC_COUNT; e++)
		for (op = 0; rdna->slots[e] && op < rdna->nslots[e]; op++) {
			const struct isa_row *r = &isa_rows[rdna->slots[e][op]];
			const char *what = isa_target_op_name(rdna, r->op);
			bool runs;
			int ok;

			if (!rdna->slots[e][op] || e == ISA_ENC_VOPDY)
				continue;
			total++;
			ok = rdna_reference(&new, rdna, e, op);
			if (ok >= 0) {
				with_reference++;
				wrong += !ok;
				list_one(e, what, ok ? "as its reference" : "WRONG");
				continue;
			}
			runs = executes(e, op);
			if (runs != !is_refused(what)) {
				printf("# %s: %s (%u) is %s\n", name, what, e,
				       runs ? "executed, against the list" : "not executed");
				open++;
			}
			if (!runs) {
				not_executed++;
				list_one(e, what, "unsupported");
				continue;
			}
			if (!strncmp(what, "image_", 6)) {
				with_reference++;
				list_one(e, what, "as its reference, see isa_image.c");
				continue;
			}
			ok = against_gfx9(e, op);
			wrong += !ok;
			as9 += ok > 0;
			list_one(e, what, ok > 0 ? "as on GFX9" : "WRONG");
			if (ok < 0) {
				printf("# %s: nothing says what %s (%u) does\n", name, what, e);
				open++;
			}
		}
	if (!listing) {
		tap_ok(!wrong && as9 > 100,
		       "%s %s: %u opcodes do as on GFX9, %u as their reference says",
		       name, lane, as9, with_reference);
		tap_ok(!open, "%s %s: of %u opcodes %u are refused, by name", name, lane, total,
		       not_executed);
		tap_ok(rdna_bounds(&new, rdna), "%s %s: bounds of buffers", name, lane);
		tap_ok(rdna_dpp_scalar(&new, rdna) && rdna_dpp_packed(&new, rdna),
		       "%s %s: DPP with scalars, of pairs", name, lane);
		tap_ok(rdna_long_move(&new, rdna), "%s %s: moves of halves", name, lane);
	}
	rig_fini(&old);
	rig_fini(&new);
}

int main(int argc, char **argv)
{
	static const char * const targets[] = { "gfx1030", "gfx1100", "gfx1151", "gfx1201" };
	static const char * const lanes[] = { "sse2", "avx2", "avx512" };
	u32 n, k;

	listing = argc > 1 && !strcmp(argv[1], "list");
	for (n = 0; n < (listing ? 1 : ARRAY_SIZE(lanes)); n++)
		for (k = 0; k < ARRAY_SIZE(targets) && rig_can(lanes[n]); k++)
			test_target(targets[k], lanes[n]);
	return listing ? 0 : tap_done();
}
