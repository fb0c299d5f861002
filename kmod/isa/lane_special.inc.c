/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations with lane masks (selects, carries, counts) and those that are
 * not lane by lane (read and write of one lane, swaps, accumulators).
 */

/* ---- v_cndmask ---- */

static void cndmask_row(u32 *d, const u32 *a, const u32 *b, const u32 *c,
			struct lane_env *e)
{
	unsigned int k;

	(void)c;
	for (k = 0; k < VSTEPS; k++)
		vi_store(d + k * VW, vi_blend(vm_exec(e->cin, k), vi_load(a + k * VW),
					      vi_load(b + k * VW)));
}

static __always_inline enum isa_stop
cndmask_fast(struct isa_wave *w, const struct isa_insn *i, unsigned int form, bool full)
{
	u64 m = lane_mask_src(w, i->enc == ISA_ENC_VOP3 ? i->src[2] : ISA_SRC_NONE);
	u32 *d = lane_at(w, i, 0);
	struct lane_on on;
	struct lane_vsrc a, b;
	unsigned int k;

	if (!full)
		on = lane_on(w);
	if (form == LANE_FORM_VV) {
		a.p = lane_at(w, i, 1);
		b.p = lane_at(w, i, 2);
	} else {
		a = lane_vsrc(w, i, 0, 3);
		b = lane_vsrc(w, i, 1, 3);
	}
#pragma GCC unroll 8
	for (k = 0; k < VSTEPS; k++) {
		VI x, y;

		if (form == LANE_FORM_VV) {
			x = vi_load(a.p + k * VW);
			y = vi_load(b.p + k * VW);
		} else {
			x = lane_vget(&a, k, true);
			y = lane_vget(&b, k, true);
		}
		x = vi_blend(vm_exec(m, k), x, y);
		if (full)
			vi_store(d + k * VW, x);
		else
			vi_store_m(d + k * VW, vm_on(&on, k), x);
	}
	return ISA_STOP_NONE;
}

#define CNDMASK(name, form, full)					\
static enum isa_stop name(struct isa_wave *w, const struct isa_insn *i)	\
{									\
	return cndmask_fast(w, i, form, full);				\
}
CNDMASK(cndmask_vv_part, LANE_FORM_VV, false)
CNDMASK(cndmask_vv_full, LANE_FORM_VV, true)
CNDMASK(cndmask_any_part, LANE_FORM_ANY, false)
CNDMASK(cndmask_any_full, LANE_FORM_ANY, true)

static const isa_exec_fn cndmask_table[LANE_FORMS][2] = {
	{ cndmask_vv_part, cndmask_vv_full },
	{ cndmask_any_part, cndmask_any_full },
	{ cndmask_any_part, cndmask_any_full },
};

/* ---- additions and subtractions with carry ---- */

#define CARRY_ADD	0
#define CARRY_SUB	1
#define CARRY_REV	2	/* subtract the first from the second */

/* One step: result in *r, lanes that carry or borrow returned. */
static __always_inline VM carry_step(VI a, VI b, VM cin, bool with_cin,
				     unsigned int kind, VI *r)
{
	VI x = kind == CARRY_REV ? b : a, y = kind == CARRY_REV ? a : b, s, t;
	VI one = vi_zero();
	VM out;

	if (with_cin)
		one = vi_blend(cin, vi_zero(), vi_splat(1));
	if (kind == CARRY_ADD) {
		s = vi_add(x, y);
		out = vm_gtu(x, s);
		t = s;
		if (with_cin) {
			t = vi_add(s, one);
			out = vm_or(out, vm_gtu(s, t));
		}
	} else {
		s = vi_sub(x, y);
		out = vm_gtu(y, x);
		t = s;
		if (with_cin) {
			t = vi_sub(s, one);
			out = vm_or(out, vm_gtu(t, s));
		}
	}
	*r = t;
	return out;
}

static __always_inline void
carry_row(u32 *d, const u32 *a, const u32 *b, struct lane_env *e, bool with_cin,
	  unsigned int kind)
{
	VI sat = kind == CARRY_ADD ? vi_splat(~0u) : vi_zero(), r;
	bool clamp = e->i->mods & ISA_MOD_CLAMP;
	unsigned int k;

	for (k = 0; k < VSTEPS; k++) {
		VM out = carry_step(vi_load(a + k * VW), vi_load(b + k * VW),
				    vm_exec(e->cin, k), with_cin, kind, &r);

		if (clamp)
			r = vi_blend(out, r, sat);
		vi_store(d + k * VW, r);
		e->cout |= vm_place(out, k);
	}
}

static __always_inline enum isa_stop
carry_fast(struct isa_wave *w, const struct isa_insn *i, bool with_cin,
	   unsigned int kind, unsigned int form, bool full)
{
	u32 *d = lane_at(w, i, 0);
	u64 cin = 0, cout = 0;
	struct lane_on on;
	struct lane_vsrc a, b;
	unsigned int k;

	if (!full)
		on = lane_on(w);
	if (with_cin)
		cin = lane_mask_src(w, i->enc == ISA_ENC_VOP3 ? i->src[2] : ISA_SRC_NONE);
	if (form == LANE_FORM_VV) {
		a.p = lane_at(w, i, 1);
		b.p = lane_at(w, i, 2);
		a.step = b.step = VW;
	} else {
		a = lane_vsrc(w, i, 0, 0);
		b = lane_vsrc(w, i, 1, 0);
	}
#pragma GCC unroll 8
	for (k = 0; k < VSTEPS; k++) {
		VI r;
		VM out = carry_step(vi_load(a.p + k * a.step), vi_load(b.p + k * b.step),
				    vm_exec(cin, k), with_cin, kind, &r);

		cout |= vm_place(out, k);
		if (full)
			vi_store(d + k * VW, r);
		else
			vi_store_m(d + k * VW, vm_on(&on, k), r);
	}
	lane_mask_dst(w, i->sdst, cout & isa_exec(w));
	return ISA_STOP_NONE;
}

#define CARRY_FAST(name, cin, kind, form, full)				\
static enum isa_stop name(struct isa_wave *w, const struct isa_insn *i)	\
{									\
	return carry_fast(w, i, cin, kind, form, full);			\
}
#define CARRY(name, cin, kind)						\
static void name##_row(u32 *d, const u32 *a, const u32 *b, const u32 *c,	\
		       struct lane_env *e)				\
{									\
	(void)c;							\
	carry_row(d, a, b, e, cin, kind);				\
}									\
CARRY_FAST(name##_vv_part, cin, kind, LANE_FORM_VV, false)		\
CARRY_FAST(name##_vv_full, cin, kind, LANE_FORM_VV, true)		\
CARRY_FAST(name##_any_part, cin, kind, LANE_FORM_ANY, false)		\
CARRY_FAST(name##_any_full, cin, kind, LANE_FORM_ANY, true)		\
static const isa_exec_fn name##_table[LANE_FORMS][2] = {		\
	{ name##_vv_part, name##_vv_full },				\
	{ name##_any_part, name##_any_full },				\
	{ name##_any_part, name##_any_full },				\
};
CARRY(add_co, false, CARRY_ADD)
CARRY(sub_co, false, CARRY_SUB)
CARRY(subrev_co, false, CARRY_REV)
CARRY(addc_co, true, CARRY_ADD)
CARRY(subb_co, true, CARRY_SUB)
CARRY(subbrev_co, true, CARRY_REV)

/* ---- 32 x 32 + 64 bits, carry out ---- */

static __always_inline VI mad64_half(VI a, VI b, VI c, bool sign, VI *out)
{
	VI p = vq_mulu(a, b), s, o;

	if (sign) {	/* unsigned product less the operands of negative ones */
		VI na = vi_srai(a, 31), nb = vi_srai(b, 31);

		p = vq_sub(p, vq_slli(vi_and(na, b), 32));
		p = vq_sub(p, vq_slli(vi_and(nb, a), 32));
	}
	s = vq_add(p, c);
	if (sign)	/* overflow of the signed sum: bit 64 is its true sign */
		o = vi_xor(vi_xor(s, p), vi_xor(p, c));
	else
		o = vq_gtu(c, s);
	if (sign) {
		VI ps = vq_gts(vi_zero(), p), cs = vq_gts(vi_zero(), c);
		VI same = vi_not(vi_xor(ps, cs)), ss = vq_gts(vi_zero(), s);

		o = vi_or(vi_and(same, ps), vi_andnot(same, ss));
	}
	*out = o;
	return s;
}

static __always_inline void
mad64_row(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e, bool sign)
{
	unsigned int k;

	for (k = 0; k < VSTEPS; k++) {
		VI x[3], y[3], ox, oy;

		lane_qstep(a + k * VW, b + k * VW, c + k * VW, 4, 3, x, y);
		x[0] = mad64_half(x[0], x[1], x[2], sign, &ox);
		y[0] = mad64_half(y[0], y[1], y[2], sign, &oy);
		vi_store(d + k * VW, vq_lo(x[0], y[0]));
		vi_store(d + ISA_LANES + k * VW, vq_hi(x[0], y[0]));
		e->cout |= vm_place(vm_of_q(ox, oy), k);
	}
}

static void mad_u64_row(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e)
{
	mad64_row(d, a, b, c, e, false);
}

static void mad_i64_row(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e)
{
	mad64_row(d, a, b, c, e, true);
}

static __always_inline enum isa_stop
mad64_fast(struct isa_wave *w, const struct isa_insn *i, bool sign, bool full)
{
	const unsigned int wide = sign ? T_I64 : T_U64;
	u32 *d = lane_at(w, i, 0);
	struct lane_qsrc a = lane_qsrc(w, i, 0, T_U32), b = lane_qsrc(w, i, 1, T_U32);
	struct lane_qsrc c = lane_qsrc(w, i, 2, wide);
	struct lane_on on;
	u64 cout = 0;
	unsigned int k;

	if (!full)
		on = lane_on(w);
#pragma GCC unroll 4
	for (k = 0; k < VSTEPS; k++) {
		VI x[3], y[3], ox, oy;

		lane_qget(&a, T_U32, &x[0], &y[0]);
		lane_qget(&b, T_U32, &x[1], &y[1]);
		lane_qget(&c, wide, &x[2], &y[2]);
		x[0] = mad64_half(x[0], x[1], x[2], sign, &ox);
		y[0] = mad64_half(y[0], y[1], y[2], sign, &oy);
		cout |= vm_place(vm_of_q(ox, oy), k);
		lane_qput(d, x[0], y[0], true, &on, k, full);
	}
	lane_mask_dst(w, i->sdst, cout & isa_exec(w));
	return ISA_STOP_NONE;
}

#define MAD64(name, sign)						\
static enum isa_stop name##_part(struct isa_wave *w, const struct isa_insn *i)	\
{									\
	return mad64_fast(w, i, sign, false);				\
}									\
static enum isa_stop name##_full(struct isa_wave *w, const struct isa_insn *i)	\
{									\
	return mad64_fast(w, i, sign, true);				\
}									\
static const isa_exec_fn name##_table[LANE_FORMS][2] = {		\
	{ name##_part, name##_full },					\
	{ name##_part, name##_full },					\
	{ name##_part, name##_full },					\
};
MAD64(mad_u64, false)
MAD64(mad_i64, true)

/* ---- counts of lanes below ---- */

/* The bits of a word below each */
static const u32 bits_below[32] __aligned(64) = {
	0x0, 0x1, 0x3, 0x7, 0xf, 0x1f, 0x3f, 0x7f,
	0xff, 0x1ff, 0x3ff, 0x7ff, 0xfff, 0x1fff, 0x3fff, 0x7fff,
	0xffff, 0x1ffff, 0x3ffff, 0x7ffff, 0xfffff, 0x1fffff, 0x3fffff, 0x7fffff,
	0xffffff, 0x1ffffff, 0x3ffffff, 0x7ffffff, 0xfffffff, 0x1fffffff, 0x3fffffff, 0x7fffffff,
};

/* Of the 32 lanes from @base on, @a has a bit each: those of the lanes below count. */
static __always_inline void
mbcnt_row(u32 *d, const u32 *a, const u32 *b, u32 base)
{
	unsigned int l;

	for (l = 0; l < ISA_LANES; l += VW) {
		VI x = vi_load(a + l);

		if (l < base)
			x = vi_zero();
		else if (l < base + 32)
			x = vi_and(x, vi_load(bits_below + (l - base)));
		vi_store(d + l, vi_add(vi_load(b + l), vi_popcnt(x)));
	}
}

static void mbcnt_lo_row(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e)
{
	(void)c, (void)e;
	mbcnt_row(d, a, b, 0);
}

static void mbcnt_hi_row(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e)
{
	(void)c, (void)e;
	mbcnt_row(d, a, b, 32);
}

/* ---- pairs of registers ---- */

/* op_sel already picked each half's register: low of the first, high of the second. */
static void pk_mov_row(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e)
{
	u32 sel = e->i->opsel;

	(void)c;
	__builtin_memcpy(d, a + (sel & 1) * ISA_LANES, 4 * ISA_LANES);
	__builtin_memcpy(d + ISA_LANES, b + (sel >> 1 & 1) * ISA_LANES, 4 * ISA_LANES);
}

/* One dword of a source of v_pk_mov_b32, which op_sel picks: a row, or one vector */
static __always_inline const u32 *pk_mov_src(struct isa_wave *w, const struct isa_insn *i,
					     unsigned int n, u32 *step)
{
	u32 high = i->opsel >> n & 1, code = i->src[n];
	u64 v;

	*step = VW;
	if (code >= ISA_SRC_VGPR0)
		return lane_row(w, code) + high * ISA_LANES;
	*step = 0;
	v = lane_scalar_as(w, i, 0, code, T_U64);
	vi_store(w->tmp[n], vi_splat((u32)(high ? v >> 32 : v)));
	return w->tmp[n];
}

static __always_inline enum isa_stop
pk_mov(struct isa_wave *w, const struct isa_insn *i, bool full)
{
	u32 *d = lane_row(w, i->dst), stepa, stepb;
	const u32 *a = pk_mov_src(w, i, 0, &stepa), *b = pk_mov_src(w, i, 1, &stepb);
	struct lane_on on;
	unsigned int k;

	if (!full)
		on = lane_on(w);
#pragma GCC unroll 2
	for (k = 0; k < VSTEPS; k++) {
		VI x = vi_load(a + k * stepa), y = vi_load(b + k * stepb);

		if (full) {
			vi_store(d + k * VW, x);
			vi_store(d + ISA_LANES + k * VW, y);
		} else {
			vi_store_m(d + k * VW, vm_on(&on, k), x);
			vi_store_m(d + ISA_LANES + k * VW, vm_on(&on, k), y);
		}
	}
	return ISA_STOP_NONE;
}

static enum isa_stop pk_mov_part(struct isa_wave *w, const struct isa_insn *i)
{
	return pk_mov(w, i, false);
}

static enum isa_stop pk_mov_whole(struct isa_wave *w, const struct isa_insn *i)
{
	return pk_mov(w, i, true);
}

static const isa_exec_fn pk_mov_table[LANE_FORMS][2] = {
	[LANE_FORM_ANY] = { pk_mov_part, pk_mov_whole },
};

/* ---- moves between lanes and scalars ---- */

static u32 lane_read(struct isa_wave *w, const struct isa_insn *i, u32 l)
{
	u32 code = i->src[0];

	return code >= ISA_SRC_VGPR0 ? lane_row(w, code)[l & (w->lanes - 1)] :
				       lane_scalar(w, i, code);
}

static enum isa_stop readfirstlane(struct isa_wave *w, const struct isa_insn *i)
{
	u64 exec = isa_exec(w);

	isa_sput32(w, i->dst, lane_read(w, i, exec ? (u32)__builtin_ctzll(exec) : 0));
	return ISA_STOP_NONE;
}

static enum isa_stop readlane(struct isa_wave *w, const struct isa_insn *i)
{
	isa_sput32(w, i->dst, lane_read(w, i, lane_scalar(w, i, i->src[1])));
	return ISA_STOP_NONE;
}

static enum isa_stop writelane(struct isa_wave *w, const struct isa_insn *i)
{
	u32 l = lane_scalar(w, i, i->src[1]) & (w->lanes - 1);

	lane_row(w, i->dst)[l] = lane_scalar(w, i, i->src[0]);
	return ISA_STOP_NONE;
}

static enum isa_stop swap_rows(struct isa_wave *w, const struct isa_insn *i)
{
	u32 *a = lane_row(w, i->dst), *b = lane_row(w, i->src[0]);
	struct lane_on on = lane_on(w);
	unsigned int k;

#pragma GCC unroll 4
	for (k = 0; k < VSTEPS; k++) {
		VI x = vi_load(a + k * VW), y = vi_load(b + k * VW);
		VM m = vm_on(&on, k);

		vi_store_over(a + k * VW, m, x, y);
		vi_store_over(b + k * VW, m, y, x);
	}
	return ISA_STOP_NONE;
}

/* Halves of registers, which may be the two of one */
static enum isa_stop swap_halves(struct isa_wave *w, const struct isa_insn *i)
{
	u16 *a = (u16 *)lane_row(w, i->dst) + !!(i->opsel & 8);
	u16 *b = (u16 *)lane_row(w, i->src[0]) + (i->opsel & 1);
	u64 exec = isa_exec(w);
	unsigned int l;

	for (l = 0; l < ISA_LANES; l++)
		if (exec >> l & 1) {
			const u16 x = a[2 * l];

			a[2 * l] = b[2 * l];
			b[2 * l] = x;
		}
	return isa_charge(w, GENERIC_COST);
}

static enum isa_stop lane_nop(struct isa_wave *w, const struct isa_insn *i)
{
	(void)w, (void)i;
	return ISA_STOP_NONE;
}

/* Four sums of absolute differences into four registers. */
static enum isa_stop mqsad_u32_u8(struct isa_wave *w, const struct isa_insn *i)
{
	u32 *d = lane_row(w, i->dst);
	const u32 *c = lane_row(w, i->src[2]);
	u64 exec = isa_exec(w), s0 = 0, k64;
	u32 s1 = 0;
	unsigned int l, k;

	if (i->src[0] < ISA_SRC_VGPR0)
		s0 = lane_scalar_as(w, i, 0, i->src[0], T_U64);
	if (i->src[1] < ISA_SRC_VGPR0)
		s1 = lane_scalar(w, i, i->src[1]);
	for (l = 0; l < ISA_LANES; l++) {
		u32 r[4];

		if (i->src[0] >= ISA_SRC_VGPR0) {
			const u32 *a = lane_row(w, i->src[0]);

			s0 = a[l] | (u64)a[l + ISA_LANES] << 32;
		}
		if (i->src[1] >= ISA_SRC_VGPR0)
			s1 = lane_row(w, i->src[1])[l];
		for (k = 0; k < 4; k++) {
			k64 = (u64)int_msad_u8((u32)(s0 >> 8 * k), s1) + c[k * ISA_LANES + l];
			r[k] = i->mods & ISA_MOD_CLAMP && k64 >> 32 ? ~0u : (u32)k64;
		}
		for (k = 0; k < 4 && exec >> l & 1; k++)
			d[k * ISA_LANES + l] = r[k];
	}
	return isa_charge(w, GENERIC_COST);
}

static bool bind_one(struct isa_insn *i, isa_exec_fn fn)
{
	isa_bind_to(i, fn, fn);
	return true;
}

static bool bind_readfirstlane(const struct isa_target *t, struct isa_insn *i)
{
	(void)t;
	return i->dst <= ISA_SRC_EXEC_LO + 1 && bind_one(i, readfirstlane);
}

static bool bind_readlane(const struct isa_target *t, struct isa_insn *i)
{
	(void)t;
	return i->dst <= ISA_SRC_EXEC_LO + 1 && i->src[1] < ISA_SRC_VGPR0 &&
	       bind_one(i, readlane);
}

static bool bind_writelane(const struct isa_target *t, struct isa_insn *i)
{
	(void)t;
	return lane_is_vgpr(i->dst) && i->src[0] < ISA_SRC_VGPR0 &&
	       i->src[1] < ISA_SRC_VGPR0 && bind_one(i, writelane);
}

static bool bind_swap(const struct isa_target *t, struct isa_insn *i)
{
	(void)t;
	return lane_is_vgpr(i->dst) && lane_is_vgpr(i->src[0]) && bind_one(i, swap_rows);
}

static bool bind_swap16(const struct isa_target *t, struct isa_insn *i)
{
	(void)t;
	return lane_is_vgpr(i->dst) && lane_is_vgpr(i->src[0]) && bind_one(i, swap_halves);
}

static bool bind_nop(const struct isa_target *t, struct isa_insn *i)
{
	(void)t;
	return bind_one(i, lane_nop);
}

static bool bind_mqsad(const struct isa_target *t, struct isa_insn *i)
{
	(void)t;
	return lane_is_vgpr(i->dst) && lane_is_vgpr(i->src[2]) && bind_one(i, mqsad_u32_u8);
}
