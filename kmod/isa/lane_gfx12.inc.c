/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations that only gfx12 has. Sources: RDNA4 ISA, pseudo-code of V_MIN_NUM_F32, V_MINIMUM_F32
 * and the like, V_S_*, V_PERMLANE16_VAR_B32, V_CVT_F32_FP8; LLVM, VOP3Instructions.td.
 */

/* ---- minimum and maximum: MODE has no say in NaNs ---- */

/* Of a number and a NaN the number, of two NaNs the first, quieted. */
static noinline VI vf_num_nan(VI a, VI b, VI r)
{
	VM an = fm_uno(a, a), bn = fm_uno(b, b);

	r = vi_blend(bn, r, a);
	r = vi_blend(an, r, b);
	return vi_blend(vm_and(an, bn), r, vi_or(a, vi_splat(0x400000)));
}

static __always_inline VI vf_min_num(VI a, VI b)
{
	VI r = vi_or(vf_min(a, b), vf_min(b, a));

	if (unlikely(vm_any(fm_uno(a, b))))
		r = vf_num_nan(a, b, r);
	return r;
}

static __always_inline VI vf_max_num(VI a, VI b)
{
	VI r = vf_max_numbers(a, b);

	if (unlikely(vm_any(fm_uno(a, b))))
		r = vf_num_nan(a, b, r);
	return r;
}

static __always_inline VI vf_med3_num(VI a, VI b, VI c)
{
	VM nan = vm_or(fm_uno(a, b), fm_uno(c, c));
	VI r = vf_max_numbers(a, b), mx = vf_max_numbers(r, c);

	r = vi_blend(fm_eq(mx, b), r, vf_max_numbers(a, c));
	r = vi_blend(fm_eq(mx, a), r, vf_max_numbers(b, c));
	if (unlikely(vm_any(nan)))
		r = vi_blend(nan, r, vf_min_num(vf_min_num(a, b), c));
	return r;
}

/* NaNs win, signalling ones before quiet ones, the first before the second. */
static noinline VI vf_minimum_nan(VI a, VI b, VI r)
{
	VI q = vi_splat(0x400000);
	VM an = fm_uno(a, a), bn = fm_uno(b, b);
	VM as = vm_and(an, vm_eq(vi_and(a, q), vi_zero()));
	VM bs = vm_and(bn, vm_eq(vi_and(b, q), vi_zero()));

	r = vi_blend(bn, r, vi_or(b, q));
	r = vi_blend(an, r, vi_or(a, q));
	r = vi_blend(bs, r, vi_or(b, q));
	return vi_blend(as, r, vi_or(a, q));
}

static __always_inline VI vf_minimum(VI a, VI b)
{
	VI r = vi_or(vf_min(a, b), vf_min(b, a));

	if (unlikely(vm_any(fm_uno(a, b))))
		r = vf_minimum_nan(a, b, r);
	return r;
}

static __always_inline VI vf_maximum(VI a, VI b)
{
	VI r = vf_max_numbers(a, b);

	if (unlikely(vm_any(fm_uno(a, b))))
		r = vf_minimum_nan(a, b, r);
	return r;
}

/* Masks of 64-bit lanes are vectors. */
static __always_inline VI vd_pick(VI m, VI r, VI x)
{
	return vi_or(vi_and(m, x), vi_andnot(m, r));
}

static noinline VI vd_num_nan(VI a, VI b, VI r)
{
	VI an = vd_uno(a, a), bn = vd_uno(b, b);

	r = vd_pick(bn, r, a);
	r = vd_pick(an, r, b);
	return vd_pick(vi_and(an, bn), r, vi_or(a, vq_splat(1ull << 51)));
}

static noinline VI vd_minimum_nan(VI a, VI b, VI r)
{
	VI q = vq_splat(1ull << 51), an = vd_uno(a, a), bn = vd_uno(b, b);
	VI as = vi_and(an, vq_eq(vi_and(a, q), vi_zero()));
	VI bs = vi_and(bn, vq_eq(vi_and(b, q), vi_zero()));

	r = vd_pick(bn, r, vi_or(b, q));
	r = vd_pick(an, r, vi_or(a, q));
	r = vd_pick(bs, r, vi_or(b, q));
	return vd_pick(as, r, vi_or(a, q));
}

static __always_inline VI vd_min_num(VI a, VI b)
{
	VI r = vi_or(vd_min(a, b), vd_min(b, a));

	if (unlikely(vm_any(vm_of(vd_uno(a, b)))))
		r = vd_num_nan(a, b, r);
	return r;
}

static __always_inline VI vd_max_num(VI a, VI b)
{
	VI r = vi_and(vd_max(a, b), vd_max(b, a));

	if (unlikely(vm_any(vm_of(vd_uno(a, b)))))
		r = vd_num_nan(a, b, r);
	return r;
}

static __always_inline VI vd_minimum(VI a, VI b)
{
	VI r = vi_or(vd_min(a, b), vd_min(b, a));

	if (unlikely(vm_any(vm_of(vd_uno(a, b)))))
		r = vd_minimum_nan(a, b, r);
	return r;
}

static __always_inline VI vd_maximum(VI a, VI b)
{
	VI r = vi_and(vd_max(a, b), vd_max(b, a));

	if (unlikely(vm_any(vm_of(vd_uno(a, b)))))
		r = vd_minimum_nan(a, b, r);
	return r;
}

static u32 f16_num_nan(u32 a, u32 b)
{
	if (f16_nan(a) && f16_nan(b))
		return f16_quiet(a);
	return f16_nan(a) ? b : a;
}

static u32 f16_min_num(u32 a, u32 b)
{
	if (f16_nan(a) || f16_nan(b))
		return f16_num_nan(a, b);
	return f16_key(a) < f16_key(b) ? a : b;
}

static u32 f16_max_num(u32 a, u32 b)
{
	if (f16_nan(a) || f16_nan(b))
		return f16_num_nan(a, b);
	return f16_key(a) > f16_key(b) ? a : b;
}

static u32 f16_med3_num(u32 a, u32 b, u32 c, const struct lane_env *e)
{
	if (f16_nan(a) || f16_nan(b) || f16_nan(c))
		return f16_min_num(f16_min_num(a, b), c);
	return f16_med3(a, b, c, e);
}

static u32 f16_minimum_nan(u32 a, u32 b)
{
	if (f16_snan(a) || (f16_nan(a) && !f16_snan(b)))
		return f16_quiet(a);
	return f16_quiet(b);
}

static u32 f16_minimum(u32 a, u32 b)
{
	if (f16_nan(a) || f16_nan(b))
		return f16_minimum_nan(a, b);
	return f16_key(a) < f16_key(b) ? a : b;
}

static u32 f16_maximum(u32 a, u32 b)
{
	if (f16_nan(a) || f16_nan(b))
		return f16_minimum_nan(a, b);
	return f16_key(a) > f16_key(b) ? a : b;
}

/* ---- floats of eight bits: op_sel picks a byte, the lower bit the half ---- */

static __always_inline u32 f8_byte(const struct lane_env *e)
{
	return (e->i->opsel & 1) * 16 + (e->i->opsel >> 1 & 1) * 8;
}

/* The half is in the lower place already, as the source has 16 bits. */
static __always_inline void f8_half_row(u32 *d, const u32 *a, unsigned int format)
{
	u32 l;

	for (l = 0; l < ISA_LANES; l++) {
		d[l] = f32_of_f8_ocp(a[l], format);
		d[l + ISA_LANES] = f32_of_f8_ocp(a[l] >> 8, format);
	}
}

static void cvt_pk_f32_fp8_half_row(u32 *d, const u32 *a, const u32 *b, const u32 *c,
				    struct lane_env *e)
{
	(void)b, (void)c, (void)e;
	f8_half_row(d, a, CVT_FP8);
}

static void cvt_pk_f32_bf8_half_row(u32 *d, const u32 *a, const u32 *b, const u32 *c,
				    struct lane_env *e)
{
	(void)b, (void)c, (void)e;
	f8_half_row(d, a, CVT_BF8);
}

/* ---- v_permlane16_var, v_permlanex16_var: the lane to read is in a VGPR ---- */

static enum isa_stop permlane16_var(struct isa_wave *w, const struct isa_insn *i)
{
	const u32 cross = i->op == ISA_OP_V_PERMLANEX16_VAR_B32 ? 16 : 0;
	const u64 exec = isa_exec(w);
	u32 *d = lane_row(w, i->dst), *s = w->tmp[0], *sel = w->tmp[1];
	unsigned int l;

	__builtin_memcpy(s, lane_row(w, i->src[0]), 4 * ISA_LANES);
	__builtin_memcpy(sel, lane_row(w, i->src[1]), 4 * ISA_LANES);
	for (l = 0; l < w->lanes; l++) {
		u32 from = ((l & ~15u) ^ cross) | (sel[l] & 15);

		if (!(exec >> l & 1))
			continue;
		if (exec >> from & 1 || i->opsel & PERMLANE_FI)
			d[l] = s[from];
		else if (i->opsel & PERMLANE_BOUND)
			d[l] = 0;
	}
	return isa_charge(w, GENERIC_COST);
}

static bool bind_permlane16_var(const struct isa_target *t, struct isa_insn *i)
{
	(void)t;
	return lane_is_vgpr(i->dst) && lane_is_vgpr(i->src[0]) && lane_is_vgpr(i->src[1]) &&
	       bind_one(i, permlane16_var);
}

/* ---- v_s_*: a scalar in, a scalar out, whatever EXEC is ---- */

static u16 scalar_twin(u16 op)
{
	static const u16 twins[][2] = {
		{ ISA_OP_V_S_EXP_F32, ISA_OP_V_EXP_F32 }, { ISA_OP_V_S_EXP_F16, ISA_OP_V_EXP_F16 },
		{ ISA_OP_V_S_LOG_F32, ISA_OP_V_LOG_F32 }, { ISA_OP_V_S_LOG_F16, ISA_OP_V_LOG_F16 },
		{ ISA_OP_V_S_RCP_F32, ISA_OP_V_RCP_F32 }, { ISA_OP_V_S_RCP_F16, ISA_OP_V_RCP_F16 },
		{ ISA_OP_V_S_RSQ_F32, ISA_OP_V_RSQ_F32 }, { ISA_OP_V_S_RSQ_F16, ISA_OP_V_RSQ_F16 },
		{ ISA_OP_V_S_SQRT_F32, ISA_OP_V_SQRT_F32 },
		{ ISA_OP_V_S_SQRT_F16, ISA_OP_V_SQRT_F16 },
	};
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(twins) - 1 && twins[n][0] != op; n++)
		;
	return twins[n][1];
}

/*
 * What the vector operation of the same name gives for one lane. A result of 16 bits has zeros
 * above it.
 */
static enum isa_stop scalar_trans(struct isa_wave *w, const struct isa_insn *i)
{
	struct isa_insn x = *i;
	const struct lane_op *op;
	struct lane_env e = { .w = w, .i = &x };
	u32 *d = w->tmp[6], csr, csr32 = lane_mxcsr(w->mode, w->mode >> 4);
	const u32 *s[3] = { NULL, NULL, NULL };
	u64 one = 1;

	x.op = scalar_twin(i->op);
	op = &lane_ops[x.op];
	csr = lane_op_mxcsr(w, op, lane_op_fp64(op));
	e.round = lane_op_fp64(op) ? w->mode >> 2 & 3 : w->mode & 3;
	e.exec = one;
	s[0] = lane_stage(w, &x, 0, op, &one);
	if (unlikely(w->record))
		isa_excp_record(w, &x, s, one);
	lane_set_mxcsr(csr);
	op->row(d, s[0], s[1], s[2], &e);
	lane_post(w, &x, op, d);
	lane_set_mxcsr(csr32);
	isa_sput32(w, i->dst, op->dst == T_F16 ? d[0] & 0xffff : d[0]);
	return isa_charge(w, GENERIC_COST);
}

static bool bind_scalar_trans(const struct isa_target *t, struct isa_insn *i)
{
	(void)t;
	return i->dst < ISA_SRC_VGPR0 && isa_sdst_ok(i->dst, 1) && i->src[0] < ISA_SRC_VGPR0 &&
	       !i->opsel && bind_one(i, scalar_trans);
}
