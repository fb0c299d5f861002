/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operands of 64-bit operations where they are not all plain VGPRs: scalars, and doubles
 * whose signs change.
 */

#define LANE_NO_SCALAR	3

/* Scalar source @n, of @type, with its modifiers */
static __always_inline u64
lane_any_scalar(const struct isa_wave *w, const struct isa_insn *i, unsigned int n,
		unsigned int type)
{
	const u64 sign = type == T_F64 ? F64_SIGN : type == T_F32 ? F32_SIGN : 0;
	u32 code = i->src[n];
	u64 v;

	if (type == T_F64 && lane_is_fconst(code))
		v = lane_const_f64[code - 240];
	else if (lane_is64(type) && code <= ISA_SRC_VCC_LO)
		v = w->s[code] | (u64)w->s[code + 1] << 32;
	else
		v = lane_scalar_as(w, i, n, code, type);
	if (!lane_is64(type))
		v = (u32)v;
	if (i->abs >> n & 1)
		v &= ~sign;
	return i->neg >> n & 1 ? v ^ sign : v;
}

/* Any source: low row at @p, high row behind it; of a scalar only the first vectors are there. */
struct lane_qsrc {
	const u32 *p;
	u32 step;
	u32 clear, flip;	/* abs and neg of a float */
};

static __always_inline struct lane_qsrc
lane_qsrc(struct isa_wave *w, const struct isa_insn *i, unsigned int n, unsigned int type)
{
	struct lane_qsrc s = { .step = VW };
	u32 code = i->src[n];

	if (code >= ISA_SRC_VGPR0) {
		s.p = lane_row(w, code);
	} else {
		u64 v = lane_scalar_as(w, i, n, code, type);

		vi_store(w->tmp[2 * n], vi_splat((u32)v));
		vi_store(w->tmp[2 * n + 1], vi_splat((u32)(v >> 32)));
		s.p = w->tmp[2 * n];
		s.step = 0;
	}
	if (type == T_F64 || type == T_F32) {
		s.clear = (u32)(i->abs >> n & 1) << 31;
		s.flip = (u32)(i->neg >> n & 1) << 31;
	}
	return s;
}

/* The next vectors of an integer */
static __always_inline void
lane_qget(struct lane_qsrc *s, unsigned int type, VI *x, VI *y)
{
	VI lo = vi_load(s->p), hi = vi_zero();

	if (lane_is64(type))
		hi = vi_load(s->p + ISA_LANES);
	s->p += s->step;
	*x = vq_x(lo, hi);
	*y = vq_y(lo, hi);
}

/*
 * lane_qfast() where source @scalar, if it is one, is a scalar, and where signs of doubles are
 * changed: by @abs, too, where no source is a scalar.
 */
static __always_inline enum isa_stop
lane_qfast_any(struct isa_wave *w, const struct isa_insn *i, lane_vfn fn,
	       unsigned int ta, unsigned int tb, unsigned int tc, bool wide, bool acc,
	       unsigned int scalar, bool full)
{
	const unsigned int types[3] = { ta, tb, tc };
	u32 *d = lane_at(w, i, 0), clear[3], flip[3];
	const u32 *p[3] = { d, d, d };
	struct lane_on on;
	VI v = vi_zero();
	unsigned int k, n;

	if (!full)
		on = lane_on(w);
#pragma GCC unroll 3
	for (n = 0; n < 3; n++) {
		clear[n] = (u32)(i->abs >> n & 1) << 31;
		flip[n] = (u32)(i->neg >> n & 1) << 31;
		if (!types[n] || (acc && n == 2))
			continue;
		if (n != scalar)
			p[n] = lane_at(w, i, 1 + n);
		else
			v = vq_splat(lane_any_scalar(w, i, n, types[n]));
	}
#pragma GCC unroll 1
	for (k = 0; k < VSTEPS; k++) {
		VI x[3], y[3];

#pragma GCC unroll 3
		for (n = 0; n < 3; n++) {
			VI lo, hi = vi_zero();

			x[n] = y[n] = n == scalar ? v : hi;
			if (!types[n] || n == scalar)
				continue;
			lo = vi_load(p[n] + k * VW);
			if (lane_is64(types[n]))
				hi = vi_load(p[n] + ISA_LANES + k * VW);
			if (types[n] == T_F64 && !(acc && n == 2)) {
				if (scalar == LANE_NO_SCALAR)
					hi = vi_andnot(vi_splat(clear[n]), hi);
				hi = vi_xor(hi, vi_splat(flip[n]));
			}
			x[n] = vq_x(lo, hi);
			y[n] = vq_y(lo, hi);
		}
		x[0] = fn(x[0], x[1], x[2], w);
		y[0] = fn(y[0], y[1], y[2], w);
		lane_qput(d, x[0], y[0], wide, &on, k, full);
	}
	return lane_qdone(w);
}
