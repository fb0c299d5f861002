/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plain forms of operations that have no handlers of their own: all sources are
 * registers or scalars, nothing is modified. One handler for all of them calls the
 * row function, on the registers themselves where it can. The general path, which they
 * would take otherwise, looks at every modifier that an instruction can have. DPP without
 * other modifiers is done here, too.
 */

/* Halves that MODE flushes are left to the general path. */
static __always_inline bool lane_flushes(const struct isa_wave *w, const struct lane_op *op)
{
	bool halves = op->src[0] == T_F16 || op->src[0] == T_PKF || op->dst == T_F16 ||
		      op->dst == T_PKF;

	return halves && !(op->flags & LF_NOFLUSH) &&
	       (~w->mode & 0xc0 || lane_dot_flushes(w, op));
}

static __always_inline const u32 *
lane_plain_src(struct isa_wave *w, const struct isa_insn *i, const struct lane_op *op,
	       unsigned int n)
{
	u32 code = i->src[n], *d = w->tmp[2 * n];
	u64 v;

	if (op->flags & LF_ACC && n == 2)
		return lane_row(w, i->dst);
	if (code >= ISA_SRC_VGPR0 && code != ISA_SRC_NONE)
		return lane_row(w, code);
	v = code == ISA_SRC_NONE ? 0 : lane_scalar_as(w, i, n, code, op->src[n]);
	lane_splat_row(d, (u32)v);
	if (lane_is64(op->src[n]))
		lane_splat_row(d + ISA_LANES, (u32)(v >> 32));
	return d;
}

/* Rounding and denormals of @op where MODE has fields for them. True: MXCSR was changed. */
static __always_inline bool
lane_plain_mode(const struct isa_wave *w, const struct lane_op *op, struct lane_env *e)
{
	bool fp64 = lane_op_fp64(op);

	e->round = fp64 ? w->mode >> 2 & 3 : w->mode & 3;
	if (likely(!lane_split_mode(w) && !(op->flags & (LF_RNE | LF_FLUSH))))
		return false;
	lane_set_mxcsr(lane_op_mxcsr(w, op, fp64));
	return true;
}

/* Would a row function that writes @d spoil source @s, two registers at most each? */
static __always_inline bool lane_meets(const u32 *d, const u32 *s)
{
	return (size_t)s - (size_t)d + 8 * ISA_LANES - 1 < 16 * ISA_LANES - 1;
}

/*
 * What an operation costs that is {dear}: where operands or results are denormal, a division of
 * doubles takes up to 0.8 us instead of 60 ns, a product of floats 0.65. See ISA_COST_TURN.
 */
static __always_inline enum isa_stop lane_dear(struct isa_wave *w, bool wide)
{
	if (LANE_WIDTH != 4 && !wide)
		return ISA_STOP_NONE;
	return isa_charge(w, wide ? 4 : 2);
}

static __always_inline enum isa_stop
lane_plain(struct isa_wave *w, const struct isa_insn *i, bool dpp, bool full)
{
	const struct lane_op *op = &lane_ops[i->op];
	const u32 flags = op->flags;
	struct lane_env e = { .w = w, .i = i, .exec = isa_exec(w) };
	const u32 *s[3] = { NULL, NULL, NULL };
	u32 *out = NULL, *d = w->tmp[6];
	bool mode = false, place = full && op->dst && !(flags & (LF_KEEP | LF_HI));
	unsigned int n;

	if (unlikely(lane_flushes(w, op)))
		return lane_generic(w, i);
	if (op->dst)
		out = lane_row(w, i->dst);
	for (n = 0; n < 3 && op->src[n]; n++) {
		s[n] = lane_plain_src(w, i, op, n);
		if (dpp && !n) {
			e.exec &= lane_dpp(w, i, w->tmp[0], s[0], lane_is64(op->src[0]));
			s[0] = w->tmp[0];
			place = place && e.exec == ~0ull;
		}
		place = place && (flags & LF_PLACE || !lane_meets(out, s[n]));
	}
	if (flags & LF_CIN)
		e.cin = lane_mask_src(w, i->enc == ISA_ENC_VOP3 ? i->src[2] : ISA_SRC_NONE);
	else if (flags & LF_VCC)
		e.cin = isa_vcc(w);
	if (lane_isf(op->src[0]) || lane_isf(op->dst))
		mode = lane_plain_mode(w, op, &e);
	op->row(place ? out : d, s[0], s[1], s[2], &e);
	if (unlikely(mode))
		lane_mode_f32(w);
	if (op->dst && !place) {
		if (flags & (LF_KEEP | LF_HI))
			lane_merge(i, op, d, out);
		lane_write(w, out, d, e.exec);
		if (lane_is64(op->dst))
			lane_write(w, out + ISA_LANES, d + ISA_LANES, e.exec);
	}
	if (flags & LF_CARRY)
		lane_mask_dst(w, i->sdst, e.cout & e.exec);
	if (flags & LF_CMPX)
		isa_set_exec(w, e.cout & e.exec);
	if ((flags & (LF_PLACE | LF_DEAR)) == LF_PLACE)
		return ISA_STOP_NONE;
	return isa_charge(w, GENERIC_COST);
}

static enum isa_stop lane_plain_part(struct isa_wave *w, const struct isa_insn *i)
{
	return lane_plain(w, i, false, false);
}

static enum isa_stop lane_plain_full(struct isa_wave *w, const struct isa_insn *i)
{
	return lane_plain(w, i, false, true);
}

static enum isa_stop lane_dpp_part(struct isa_wave *w, const struct isa_insn *i)
{
	return lane_plain(w, i, true, false);
}

static enum isa_stop lane_dpp_full(struct isa_wave *w, const struct isa_insn *i)
{
	return lane_plain(w, i, true, true);
}

/*
 * Lanes of @bits of one step, in vectors @s, with results in @r: one after the other, in
 * the last places of the staging rows, whose first ones may hold scalars. Returns their
 * bits of the lane mask that is written.
 */
static noinline u64 lane_near_left(const struct lane_pair *s, struct lane_pair *r,
				   lane_one_fn one, u32 bits, const struct lane_env *e)
{
	const unsigned int at = ISA_LANES - VW;
	struct lane_env last = *e;
	u32 (*t)[ISA_LANES] = e->w->tmp;
	unsigned int n;

	last.cout = 0;
	for (n = 0; n < 3; n++) {
		vi_store(t[2 * n] + at, s[n].lo);
		vi_store(t[2 * n + 1] + at, s[n].hi);
	}
	vi_store(t[6] + at, r->lo);
	vi_store(t[7] + at, r->hi);
	lane_left(t[6], t[0], t[2], t[4], &last, one, true, (u64)bits << at);
	r->lo = vi_load(t[6] + at);
	r->hi = vi_load(t[7] + at);
	return last.cout >> at;
}

static __always_inline struct lane_pair
lane_near_get(const struct lane_qsrc *q, unsigned int type, bool vv)
{
	struct lane_pair p = { vi_load(q->p), vi_zero() };

	if (lane_is64(type))
		p.hi = vi_load(q->p + ISA_LANES);
	if (type == T_F32 && !vv)
		p.lo = vi_xor(vi_andnot(vi_splat(q->clear), p.lo), vi_splat(q->flip));
	if (type == T_F64 && !vv)
		p.hi = vi_xor(vi_andnot(vi_splat(q->clear), p.hi), vi_splat(q->flip));
	return p;
}

/*
 * The handler of lane_near(), for all plain forms. @vv: all sources are VGPRs, as they are.
 * @carry: it writes a lane mask, too.
 */
static __always_inline enum isa_stop
lane_near_fast(struct isa_wave *w, const struct isa_insn *i, lane_near_fn near,
	       lane_one_fn one, unsigned int ta, unsigned int tb, unsigned int tc,
	       unsigned int td, bool carry, bool vv, bool full)
{
	const unsigned int types[3] = { ta, tb, tc };
	struct lane_env e = { .w = w, .i = i, .exec = isa_exec(w), .round = w->mode & 3 };
	struct lane_qsrc q[3];
	struct lane_on on;
	u32 *d = lane_at(w, i, 0);
	unsigned int k, n, dear = 0;

	if (ta == T_F64 && unlikely(lane_split_mode(w)))
		return lane_generic(w, i);
	if (!full)
		on = lane_on(w);
#pragma GCC unroll 3
	for (n = 0; n < 3; n++)
		if (types[n])
			q[n] = vv ? (struct lane_qsrc){ .p = lane_at(w, i, 1 + n), .step = VW } :
			       lane_qsrc(w, i, n, types[n]);
#pragma GCC unroll 1
	for (k = 0; k < VSTEPS; k++) {
		struct lane_pair s[3], r = { vi_zero(), vi_zero() };
		u32 left;

#pragma GCC unroll 3
		for (n = 0; n < 3; n++) {
			s[n].lo = s[n].hi = vi_zero();
			if (!types[n])
				continue;
			s[n] = lane_near_get(&q[n], types[n], vv);
			q[n].p += q[n].step;
		}
		left = vm_bits(near(s, &r));
		if (unlikely(left)) {
			/* copies, so that the originals can stay in registers */
			const struct lane_pair in[3] = { s[0], s[1], s[2] };
			struct lane_pair out = r;

			left &= (u32)(e.exec >> k * VW);
			if (left)
				e.cout |= lane_near_left(in, &out, one, left, &e) << k * VW;
			r = out;
			dear = GENERIC_COST;
		}
		if (full) {
			vi_store(d + k * VW, r.lo);
			if (lane_is64(td))
				vi_store(d + ISA_LANES + k * VW, r.hi);
		} else {
			vi_store_m(d + k * VW, vm_on(&on, k), r.lo);
			if (lane_is64(td))
				vi_store_m(d + ISA_LANES + k * VW, vm_on(&on, k), r.hi);
		}
	}
	if (carry)
		lane_mask_dst(w, i->sdst, e.cout & e.exec);
	return isa_charge(w, dear);
}

/* ---- v_div_fmas: v_fma where no lane is in VCC, the usual case ---- */

/* @fma: v_fma of the same type, and its form */
static __always_inline enum isa_stop
div_fmas(struct isa_wave *w, const struct isa_insn *i, unsigned int fma, unsigned int form,
	 bool full)
{
	if (isa_vcc(w) & isa_exec(w))
		return lane_generic(w, i);
	return lane_ops[fma].fast[form][full](w, i);
}

#define DIV_FMAS(name, fma, form)						\
static enum isa_stop name##_part(struct isa_wave *w, const struct isa_insn *i)	\
{										\
	return div_fmas(w, i, fma, form, false);				\
}										\
static enum isa_stop name##_full(struct isa_wave *w, const struct isa_insn *i)	\
{										\
	return div_fmas(w, i, fma, form, true);					\
}
DIV_FMAS(div_fmas_f32, ISA_OP_V_FMA_F32, LANE_FORM_ANY)
DIV_FMAS(div_fmas_f64_vv, ISA_OP_V_FMA_F64, LANE_FORM_VV)
DIV_FMAS(div_fmas_f64_s0, ISA_OP_V_FMA_F64, LANE_FORM_SV)
DIV_FMAS(div_fmas_f64_s1, ISA_OP_V_FMA_F64, LANE_FORM_S1)
DIV_FMAS(div_fmas_f64_s2, ISA_OP_V_FMA_F64, LANE_FORM_S2)
DIV_FMAS(div_fmas_f64_any, ISA_OP_V_FMA_F64, LANE_FORM_ANY)

static const isa_exec_fn div_fmas_f32_table[LANE_FORMS][2] = {
	{ div_fmas_f32_part, div_fmas_f32_full },
	{ div_fmas_f32_part, div_fmas_f32_full },
	{ div_fmas_f32_part, div_fmas_f32_full },
};

static const isa_exec_fn div_fmas_f64_table[LANE_WIDE_FORMS][2] = {
	[LANE_FORM_VV] = { div_fmas_f64_vv_part, div_fmas_f64_vv_full },
	[LANE_FORM_SV] = { div_fmas_f64_s0_part, div_fmas_f64_s0_full },
	[LANE_FORM_S1] = { div_fmas_f64_s1_part, div_fmas_f64_s1_full },
	[LANE_FORM_S2] = { div_fmas_f64_s2_part, div_fmas_f64_s2_full },
	[LANE_FORM_ANY] = { div_fmas_f64_any_part, div_fmas_f64_any_full },
};
