/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plain forms of operations that have no handlers of their own: all sources are
 * registers or scalars, nothing is modified. One handler for all of them calls the
 * row function, on the registers themselves where it can. Without it these take the
 * general path, which looks at all that an instruction can say.
 */

/* Halves that MODE flushes are the general path's. */
static __always_inline bool lane_flushes(const struct isa_wave *w, const struct lane_op *op)
{
	bool halves = op->src[0] == T_F16 || op->src[0] == T_PKF || op->dst == T_F16 ||
		      op->dst == T_PKF;

	return halves && ~w->mode & 0xc0 && !(op->flags & LF_NOFLUSH);
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
	v = code == ISA_SRC_NONE ? 0 : lane_scalar_as(w, i, code, op->src[n]);
	lane_splat_row(d, (u32)v);
	if (lane_is64(op->src[n]))
		lane_splat_row(d + ISA_LANES, (u32)(v >> 32));
	return d;
}

/* Would a row function that writes @d spoil source @s, two registers at most each? */
static __always_inline bool lane_meets(const u32 *d, const u32 *s)
{
	return (size_t)s - (size_t)d + 8 * ISA_LANES - 1 < 16 * ISA_LANES - 1;
}

static __always_inline enum isa_stop
lane_plain(struct isa_wave *w, const struct isa_insn *i, bool full)
{
	const struct lane_op *op = &lane_ops[i->op];
	const u32 flags = op->flags;
	struct lane_env e = { .w = w, .i = i, .exec = isa_exec(w) };
	const u32 *s[3] = { NULL, NULL, NULL };
	u32 *out = NULL, *d = w->tmp[6], csr = 0, csr32 = 0;
	bool place = full && op->dst && !(flags & (LF_KEEP | LF_HI));
	unsigned int n;

	if (unlikely(lane_flushes(w, op)))
		return lane_generic(w, i);
	if (op->dst)
		out = lane_row(w, i->dst);
	for (n = 0; n < 3 && op->src[n]; n++) {
		s[n] = lane_plain_src(w, i, op, n);
		place = place && (flags & LF_PLACE || !lane_meets(out, s[n]));
	}
	if (flags & LF_CIN)
		e.cin = lane_mask_src(w, i->enc == ISA_ENC_VOP3 ? i->src[2] : ISA_SRC_NONE);
	else if (flags & LF_VCC)
		e.cin = isa_vcc(w);
	if (lane_isf(op->src[0]) || lane_isf(op->dst)) {
		bool fp64 = lane_op_fp64(op);

		csr32 = lane_mxcsr(w->mode, w->mode >> 4);
		csr = lane_op_mxcsr(w, op, fp64);
		e.round = fp64 ? w->mode >> 2 & 3 : w->mode & 3;
		if (unlikely(csr != csr32))
			lane_set_mxcsr(csr);
	}
	op->row(place ? out : d, s[0], s[1], s[2], &e);
	if (unlikely(csr != csr32))
		lane_set_mxcsr(csr32);
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
	return flags & LF_PLACE ? ISA_STOP_NONE : isa_charge(w, GENERIC_COST);
}

static enum isa_stop lane_plain_part(struct isa_wave *w, const struct isa_insn *i)
{
	return lane_plain(w, i, false);
}

static enum isa_stop lane_plain_full(struct isa_wave *w, const struct isa_insn *i)
{
	return lane_plain(w, i, true);
}
