/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Matrix operations: MFMA and SMFMAC, which look at no EXEC mask and no MODE; WMMA and SWMMAC:
 * lane_mat_wmma.inc.c, lane_mat_wmma12.inc.c.
 * The variant's file sets LANE_WIDTH and LANE_MAT_BIND and includes this.
 * Sources and layouts: lane_mat_stage.inc.c; arithmetic: lane_mat_dot.inc.c.
 */
#include "lane.h"
#include "tables.h"
#include "lane_core.inc.c"
#include "lane_soft.inc.c"
#include "lane_mat_stage.inc.c"
#include "lane_mat_dot.inc.c"

#define MAT_MXCSR	0x1f80u		/* nearest even */
#define MAT_MXCSR_FLUSH	0x9fc0u		/* and denormals are zeros */

typedef VI (*mat_fn)(const struct mat_lane *m, u32 k, VI c, u32 s, u32 flags);
typedef void (*mat_run_fn)(struct isa_wave *w, struct mat *o);

/* Rows of the result and elements from one k to the next */
enum mat_geometry {
	MAT_16,			/* 16x16, 16 */
	MAT_32,			/* 32x32, 32 */
	MAT_16B,		/* several blocks of 16x16, 64 */
	MAT_32B,		/* several blocks of 32x32, 64 */
	MAT_4B,			/* 16 blocks of 4x4, 64 */
	MAT_GEOMETRIES
};

static enum mat_geometry mat_geometry(const struct mat_shape *sh)
{
	if (sh->m == 4)
		return MAT_4B;
	if (sh->m == 16)
		return sh->blocks > 1 ? MAT_16B : MAT_16;
	return sh->blocks > 1 ? MAT_32B : MAT_32;
}

/* Where the lanes from @l on of result register @r take A and B, rows of @n. */
static __always_inline void
mat_lanes(const struct mat *o, u32 n, u32 r, u32 l, struct mat_lane *m)
{
	u32 at, block, i;

	if (n == 4) {
		at = r * ISA_LANES + l;
		i = 0;
		block = l;
	} else if (n == 16) {
		i = l / 16 * 4 + r % 4;
		block = r / 4 * 16;
		at = block + i;
		block += l % 16;
	} else {
		i = r % 16 / 4 * 8 + l / 32 * 4 + r % 4;
		block = r / 16 * 32;
		at = block + i;
		block += l % 32;
	}
	m->a = o->a + at;
	m->a2 = o->a2 + at;
	m->b = o->b + block;
	m->b2 = o->b2 + block;
	m->pick = o->pick + i * o->k;
}

/*
 * The result register by register; an accumulator that overlaps it with
 * another number of registers is read before it is overwritten.
 */
static __always_inline void
mat_run(struct isa_wave *w, struct mat *o, mat_fn fn, u32 m, u32 s, u32 flags)
{
	u32 rows = isa_rows[o->i->row].dst[0].dwords, n, l;
	u32 code = flags & MAT_PICK ? o->i->dst : o->i->src[2];
	u32 *d = lane_row(w, o->i->dst);
	const u32 *c = code < ISA_SRC_VGPR0 ? NULL : lane_row(w, code);
	VI constant = vi_zero();

	if (!c)
		constant = vi_splat(lane_scalar(w, o->i, code));
	for (n = 0; n < rows; n++) {
		u32 r = c && d > c ? rows - 1 - n : n;

		for (l = 0; l < ISA_LANES; l += VW) {
			struct mat_lane at LANE_SCRATCH;
			VI x = c ? vi_load(c + r * ISA_LANES + l) : constant;

			mat_lanes(o, m, r, l, &at);
			vi_store(d + r * ISA_LANES + l, fn(&at, o->k, x, s, flags));
		}
	}
}

/* A function @name for each geometry, in table mat_@name */
#define MAT_BODY(name, expr)						\
static __always_inline VI mat_fn_##name(const struct mat_lane *m, u32 k, VI c, u32 s,	\
					u32 flags)			\
{									\
	return expr;							\
}
#define MAT_RUN(name, geo, m, s, flags)					\
static noinline void mat_run_##name##_##geo(struct isa_wave *w, struct mat *o)	\
{									\
	mat_run(w, o, mat_fn_##name, m, s, flags);			\
}
#define MAT_ENTRY(name, geo)	[MAT_##geo] = mat_run_##name##_##geo
#define MAT_SINGLE(name, flags, expr)					\
MAT_BODY(name, expr)							\
MAT_RUN(name, 16, 16, 16, flags)					\
MAT_RUN(name, 32, 32, 32, flags)					\
static const mat_run_fn mat_##name[MAT_GEOMETRIES] = {			\
	MAT_ENTRY(name, 16), MAT_ENTRY(name, 32),			\
};
#define MAT_BLOCKS(name, flags, expr)					\
MAT_BODY(name, expr)							\
MAT_RUN(name, 16B, 16, 64, flags)					\
MAT_RUN(name, 32B, 32, 64, flags)					\
MAT_RUN(name, 4B, 4, 64, (flags) | MAT_SPREAD)				\
static const mat_run_fn mat_##name[MAT_GEOMETRIES] = {			\
	MAT_ENTRY(name, 16B), MAT_ENTRY(name, 32B), MAT_ENTRY(name, 4B),	\
};
#define MAT_ALL(name, flags, expr)					\
MAT_BODY(name, expr)							\
MAT_RUN(name, 16, 16, 16, flags)					\
MAT_RUN(name, 32, 32, 32, flags)					\
MAT_RUN(name, 16B, 16, 64, flags)					\
MAT_RUN(name, 32B, 32, 64, flags)					\
MAT_RUN(name, 4B, 4, 64, (flags) | MAT_SPREAD)				\
static const mat_run_fn mat_##name[MAT_GEOMETRIES] = {			\
	MAT_ENTRY(name, 16), MAT_ENTRY(name, 32), MAT_ENTRY(name, 16B),	\
	MAT_ENTRY(name, 32B), MAT_ENTRY(name, 4B),			\
};

MAT_ALL(f32, 0, mat_chain_f32(m, k, c, s, flags))
MAT_ALL(i8, 0, mat_bytes(m, k, c, s, flags))
MAT_SINGLE(i8_sparse, MAT_PICK, mat_bytes(m, k, c, s, flags))
MAT_ALL(pair2, 0, mat_pairs(m, k, c, s, flags, 2))
MAT_ALL(pair4, 0, mat_pairs(m, k, c, s, flags, 4))
MAT_ALL(pair2_flush, MAT_FLUSH, mat_pairs(m, k, c, s, flags, 2))
MAT_ALL(pair4_flush, MAT_FLUSH, mat_pairs(m, k, c, s, flags, 4))
MAT_SINGLE(direct8, MAT_DIRECT | MAT_PAIRED, mat_fused(m, k, c, s, flags, 8))
MAT_BLOCKS(direct4, MAT_DIRECT | MAT_PAIRED, mat_fused(m, k, c, s, flags, 4))
MAT_SINGLE(direct_sparse, MAT_DIRECT | MAT_PICK, mat_fused(m, k, c, s, flags, 8))
MAT_SINGLE(direct_xf32, MAT_DIRECT, mat_fused(m, k, c, s, flags, 4))
MAT_SINGLE(split8, MAT_PAIRED, mat_fused(m, k, c, s, flags, 8))
MAT_BLOCKS(split4, MAT_PAIRED, mat_fused(m, k, c, s, flags, 4))
MAT_SINGLE(split_sparse, MAT_PICK, mat_fused(m, k, c, s, flags, 8))
MAT_SINGLE(split_xf32, 0, mat_fused(m, k, c, s, flags, 4))
MAT_SINGLE(bytes16, MAT_BYTES | MAT_DIRECT | MAT_PAIRED, mat_fused(m, k, c, s, flags, 16))
MAT_SINGLE(bytes_sparse, MAT_BYTES | MAT_DIRECT | MAT_PICK, mat_fused(m, k, c, s, flags, 16))

#define MAT_SPECIAL_COST	ISA_COST_TURN

/* One element after the other; see mat_fused_one(). */
static noinline void mat_run_special(struct isa_wave *w, struct mat *o, u32 group)
{
	bool sparse = o->sh->kind == MAT_KIND_SPARSE, bytes = mat_bits(o->sh->a) == 8;
	u32 rows = isa_rows[o->i->row].dst[0].dwords, n, l, r;
	u32 code = sparse ? o->i->dst : o->i->src[2];
	u32 *d = lane_row(w, o->i->dst);
	const u32 *c = code < ISA_SRC_VGPR0 ? NULL : lane_row(w, code);
	u32 constant = c ? 0 : lane_scalar(w, o->i, code);

	for (n = 0; n < rows; n++) {
		r = c && d > c ? rows - 1 - n : n;
		for (l = 0; l < ISA_LANES; l++) {
			struct mat_one m = { .sa = o->sa, .sb = o->sb, .pairs = o->pairs };

			mat_lanes(o, o->sh->m, r, l & ~3u, &m.at);
			if (!sparse)
				m.at.pick = NULL;
			d[r * ISA_LANES + l] = mat_fused_one(&m, o->k, group,
							     c ? c[r * ISA_LANES + l] : constant,
							     bytes, o->sh->m == 4, l & 3);
		}
	}
	w->cu->cost += MAT_SPECIAL_COST;
}

/* Elements too far apart for products as floats: significands take their place. */
static void mat_significands(u32 *d, u32 n)
{
	VI scale = vi_splat(0x34000000);	/* 2^-23 */
	u32 l;

	for (l = 0; l < n; l += VW) {
		VI x = vi_load(d + l), sign = vi_srai(x, 31);
		VI m = vi_and(x, vi_splat(0x7fffff)), e = vi_and(x, vi_splat(0x7f800000));

		m = vi_blend(vm_eq(e, vi_zero()), vi_or(m, vi_splat(0x800000)), m);
		m = vi_sub(vi_xor(m, sign), sign);
		vi_store(d + l, vf_mul(vf_of_i(m), scale));
	}
}

static void mat_run_fused(struct isa_wave *w, struct mat *o)
{
	bool sparse = o->sh->kind == MAT_KIND_SPARSE, bytes = mat_bits(o->sh->a) == 8;
	enum mat_geometry g = mat_geometry(o->sh);
	u32 group = o->sh->a == MAT_XF32 ? 4 : bytes ? 16 : o->k < 8 ? o->k : 8;

	if (unlikely(o->special)) {
		mat_run_special(w, o, group);
		return;
	}
	if (bytes) {
		(sparse ? mat_bytes_sparse : mat_bytes16)[g](w, o);
		return;
	}
	if (o->wide) {
		mat_significands(o->a, o->k * o->sa);
		mat_significands(o->b, o->sh->k * o->sb);
	}
	if (sparse)
		(o->wide ? mat_split_sparse : mat_direct_sparse)[g](w, o);
	else if (o->sh->a == MAT_XF32)
		(o->wide ? mat_split_xf32 : mat_direct_xf32)[g](w, o);
	else if (group == 4)
		(o->wide ? mat_split4 : mat_direct4)[g](w, o);
	else
		(o->wide ? mat_split8 : mat_direct8)[g](w, o);
}

static void mat_run_pairs(struct isa_wave *w, struct mat *o, bool flush)
{
	/* the first bf16 operations have two elements in an operand */
	bool two = isa_rows[o->i->row].src[0].dwords == 1;
	enum mat_geometry g = mat_geometry(o->sh);

	if (two)
		(flush ? mat_pair2_flush : mat_pair2)[g](w, o);
	else
		(flush ? mat_pair4_flush : mat_pair4)[g](w, o);
}

static unsigned int mat_ocp(unsigned int type)
{
	return type == MAT_FP8 ? MAT_OCP_FP8 : type == MAT_BF8 ? MAT_OCP_BF8 : type;
}

/* Places in isa_cu.mat, and A and B there. */
static void mat_prepare(struct isa_wave *w, struct mat *o, bool flush)
{
	const struct mat_shape *sh = o->sh;
	bool sparse = sh->kind == MAT_KIND_SPARSE;
	unsigned int ta = sh->a, tb = sh->b;
	struct mat_range r = { vi_zero(), vi_splat((u32)-126), vm_of_bits(0) };
	u32 na, nb, *p = w->cu->mat, *to = p;

	o->pairs = !sparse && ta != MAT_XF32 && ta != MAT_F32 && ta != MAT_I8;
	o->k = sparse ? sh->k / 2 : sh->kind == MAT_KIND_I8 ? sh->k / 4 : sh->k;
	o->sa = sh->m * sh->blocks;
	o->sb = o->sa;
	na = o->k * o->sa;
	nb = (sparse ? sh->k : o->k) * o->sb;
	if (sparse && ta == MAT_I8)
		ta = tb = MAT_BYTE;
	if (isa_slot_of(o->i)->aux & MAT_AUX_OCP) {
		ta = mat_ocp(ta);
		tb = mat_ocp(tb);
	}
	o->b = p;
	o->b2 = o->b + nb;
	o->a = o->b2 + nb;
	o->a2 = o->a + na;
	if (sparse) {
		o->pick = (u16 *)(o->a2 + na);
		mat_picks(w, o);
	}
	mat_stage(w, o, 0, ta, flush, &r);
	mat_stage(w, o, 1, tb, flush, &r);
	o->special = vm_any(vm_or(r.special, vm_gts(r.emax, vi_splat(62))));
	o->wide = vm_any(vm_or(vm_gts(r.emax, vi_splat(50)), vm_gts(vi_splat((u32)-50), r.emin)));
	if (sh->m != 4)
		return;
	to = o->a2 + na;
	mat_spread(to, o->a, o->k);
	mat_spread(to + 4 * na, o->a2, o->pairs ? o->k / 2 : o->k);
	o->a = to;
	o->a2 = to + 4 * na;
	o->sa = 4 * ISA_LANES;
}

/* ---- doubles ---- */

/* A double of @p at @l, its high half a row further on */
static __always_inline u64 mat_f64(const u32 *p, u32 l)
{
	return p[l] | (u64)p[l + ISA_LANES] << 32;
}

static __always_inline VI mat_canon_f64(VI x)
{
	VI nan = vd_uno(x, x);

	return vi_or(vi_andnot(nan, x), vi_and(nan, vq_splat(0x7ff8000000000000)));
}

/* Copies of A and B that the result cannot overlap, with their signs changed. */
static void mat_prepare_f64(struct isa_wave *w, struct mat *o)
{
	u32 *p = w->cu->mat, n, l, k;

	for (n = 0; n < 2; n++, p += 2 * ISA_LANES) {
		__builtin_memcpy(p, lane_row(w, o->i->src[n]), 8 * ISA_LANES);
		for (l = ISA_LANES; l < 2 * ISA_LANES; l++)
			p[l] ^= (u32)(o->i->neg >> n & 1) << 31;
	}
	o->a = w->cu->mat;
	o->b = o->a + 2 * ISA_LANES;
	if (o->sh->m != 4)
		return;
	/* 4x4: A for every lane, for each k */
	for (k = 0; k < 4; k++, p += 2 * ISA_LANES)
		for (l = 0; l < ISA_LANES; l++) {
			u32 from = l / 16 + (l & 12) + 16 * k;

			p[l] = o->a[from];
			p[l + ISA_LANES] = o->a[from + ISA_LANES];
		}
	o->a += 4 * ISA_LANES;
}

static __always_inline void
mat_chain_f64(const struct isa_wave *w, const struct mat *o, u32 r, u32 l, VI *lo, VI *hi,
	      VI flip)
{
	VI x = vi_xor(vq_x(*lo, *hi), flip), y = vi_xor(vq_y(*lo, *hi), flip), ax, ay;
	u32 k;

	for (k = 0; k < 4; k++) {
		const u32 *b = o->b + 16 * k + l % 16;
		VI bl = vi_load(b), bh = vi_load(b + ISA_LANES);

		if (o->sh->m == 4) {
			const u32 *a = o->a + 2 * k * ISA_LANES + l;

			ax = vq_x(vi_load(a), vi_load(a + ISA_LANES));
			ay = vq_y(vi_load(a), vi_load(a + ISA_LANES));
		} else {
			ax = vq_splat(mat_f64(o->a, 16 * k + 4 * r + l / 16));
			ay = ax;
		}
		x = vd_fma_of(ax, vq_x(bl, bh), x, w, 0);
		y = vd_fma_of(ay, vq_y(bl, bh), y, w, 0);
	}
	x = mat_canon_f64(x);
	y = mat_canon_f64(y);
	*lo = vq_lo(x, y);
	*hi = vq_hi(x, y);
}

static noinline void mat_run_f64(struct isa_wave *w, struct mat *o)
{
	u32 pairs = isa_rows[o->i->row].dst[0].dwords / 2, n, l, code = o->i->src[2];
	u32 *d = lane_row(w, o->i->dst);
	const u32 *c = code < ISA_SRC_VGPR0 ? NULL : lane_row(w, code);
	u64 constant = c ? 0 : lane_scalar_as(w, o->i, 2, code, T_F64);
	VI flip = vq_splat(o->i->neg & 4 ? F64_SIGN : 0);

	mat_prepare_f64(w, o);
	for (n = 0; n < pairs; n++) {
		u32 r = c && d > c ? pairs - 1 - n : n, at = 2 * r * ISA_LANES;

		for (l = 0; l < ISA_LANES; l += VW) {
			VI lo = vi_splat((u32)constant), hi = vi_splat((u32)(constant >> 32));

			if (c) {
				lo = vi_load(c + at + l);
				hi = vi_load(c + at + l + ISA_LANES);
			}
			mat_chain_f64(w, o, r, l, &lo, &hi, flip);
			vi_store(d + at + l, lo);
			vi_store(d + at + l + ISA_LANES, hi);
		}
	}
}

/* ---- the handler ---- */

static void mat_dispatch(struct isa_wave *w, struct mat *o, unsigned int sum)
{
	enum mat_geometry g = mat_geometry(o->sh);

	if (o->sh->kind == MAT_KIND_F32)
		mat_f32[g](w, o);
	else if (o->sh->kind == MAT_KIND_I8)
		mat_i8[g](w, o);
	else if (o->sh->a == MAT_I8)
		mat_i8_sparse[g](w, o);
	else if (sum == MAT_SUM_FUSED)
		mat_run_fused(w, o);
	else
		mat_run_pairs(w, o, sum == MAT_SUM_PAIRS_FLUSH);
}

/*
 * By twice the products that it sums, as they take some CPUs ten times as long if they
 * are denormals: see ISA_COST_TURN.
 */
static u32 mat_cost(const struct mat_shape *sh)
{
	u32 products = sh->m * sh->m * sh->k * sh->blocks;
	u32 shift = LANE_WIDTH == 16 ? 8 : LANE_WIDTH == 8 ? 7 : 5;

	if (sh->kind == MAT_KIND_F64)
		shift -= LANE_WIDTH == 4 ? 1 : 3;
	return 1 + 2 * (products >> shift);
}

static enum isa_stop mat_exec(struct isa_wave *w, const struct isa_insn *i)
{
	const u64 aux = isa_slot_of(i)->aux;
	unsigned int sum = (unsigned int)(aux >> MAT_AUX_SUM) & 0xff;
	struct mat o = { .sh = &mat_shapes[aux & 0xff], .i = i };
	bool flush = o.sh->kind >= MAT_KIND_DOT && sum != MAT_SUM_PAIRS;

	lane_set_mxcsr(flush ? MAT_MXCSR_FLUSH : MAT_MXCSR);
	if (o.sh->kind == MAT_KIND_F64) {
		mat_run_f64(w, &o);
	} else {
		mat_prepare(w, &o, flush && sum == MAT_SUM_PAIRS_FLUSH);
		mat_dispatch(w, &o, sum);
	}
	lane_mode_f32(w);
	return isa_charge(w, mat_cost(o.sh));
}

#ifdef ISA_HAVE_RDNA
#include "lane_dot.inc.c"
#include "lane_mat_wmma.inc.c"
#include "lane_mat_wmma12.inc.c"
#endif

/* Modifiers that this operation does not have are refused. */
static bool mat_mods_ok(const struct isa_target *t, const struct mat_shape *sh,
			const struct isa_insn *i)
{
	u32 cbsz = i->opsel & 7, abid = i->opsel >> 4, blgp = i->neg;

	if (sh->kind == MAT_KIND_SPARSE)
		return !blgp;
	if (sh->kind == MAT_KIND_F64)
		return !cbsz && !abid && (!blgp || isa_target_has(t, ISA_FEAT_MFMA_F64_NEG));
	if (1u << cbsz > sh->blocks || (abid && abid >= 1u << cbsz))
		return false;
	return !blgp || sh->blocks > 1 || sh->kind == MAT_KIND_F32 ||
	       !isa_target_has(t, ISA_FEAT_MFMA_NO_BLGP);
}

bool LANE_MAT_BIND(const struct isa_target *t, struct isa_insn *i)
{
	unsigned int n, sum = MAT_SUM_PAIRS;

	for (n = 0; n < ARRAY_SIZE(mat_shapes); n++)
		if (mat_shapes[n].op == i->op)
			break;
	if (n == ARRAY_SIZE(mat_shapes))
		return false;
#ifdef ISA_HAVE_RDNA
	if (mat_shapes[n].kind >= MAT_KIND_WMMA_F32) {
		isa_slot_of(i)->aux = n;
		if (isa_target_has(t, ISA_FEAT_SCOPES))
			return wmma12_bind(i, &mat_shapes[n]);
		return wmma_bind(i, &mat_shapes[n]);
	}
#endif
	if (!mat_mods_ok(t, &mat_shapes[n], i))
		return false;
	if (isa_target_has(t, ISA_FEAT_MFMA_FUSED))
		sum = MAT_SUM_FUSED;
	else if (isa_target_has(t, ISA_FEAT_MFMA_FLUSH))
		sum = MAT_SUM_PAIRS_FLUSH;
	isa_slot_of(i)->aux = n | sum << MAT_AUX_SUM;
	if (isa_target_has(t, ISA_FEAT_OCP_FP8))
		isa_slot_of(i)->aux |= MAT_AUX_OCP;
	isa_bind_to(i, mat_exec, mat_exec);
	return true;
}
