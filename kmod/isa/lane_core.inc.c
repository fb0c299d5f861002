/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a vector ALU instruction is run: operand kinds, the rows that hold
 * them, the fast handlers for plain forms.
 *
 * Rows in tab/ say what an operation is; gen/ makes its functions of the templates
 * here (generated/isa_lanes.h). A row function computes all 64 lanes; its caller
 * writes back those that are on in EXEC. Results of the others are thrown away, so
 * their inputs may be anything.
 *
 * Destination and source rows may be the same row. A step loads everything
 * before it stores, so that vector row functions and fast handlers can work
 * in place; scalar row functions write a scratch row.
 */

enum lane_type {
	T_NONE,
	T_U32,			/* any 32 bits */
	T_I32,			/* the same; inline constants sign-extend alike */
	T_F32,
	T_U16, T_I16, T_F16,
	T_U64, T_I64, T_F64,
	T_BF16,			/* the upper half of a float */
	T_PKI, T_PKF, T_PKBF,	/* two 16-bit integers or floats */
	T_PKF32,		/* two floats in two registers */
	T_MIX,			/* float, or half picked by op_sel, made float */
	T_COUNT
};

/* struct lane_op.flags */
#define LF_KEEP		BIT(0)	/* 16-bit result keeps the other half */
#define LF_ACC		BIT(1)	/* third source is the destination */
#define LF_HI		BIT(2)	/* 16-bit result goes to the high half */
#define LF_CARRY	BIT(3)	/* writes a lane mask to sdst */
#define LF_CIN		BIT(4)	/* reads a lane mask: src[2] or VCC */
#define LF_CMP		BIT(5)	/* result is the lane mask alone */
#define LF_CMPX		BIT(6)	/* ... and EXEC gets it too */
#define LF_VCC		BIT(7)	/* reads VCC, whatever the encoding */
#define LF_LITK		BIT(8)	/* literal is src1 (madmk) */
#define LF_LITA		BIT(9)	/* literal is src2 (madak) */
#define LF_NOFLUSH	BIT(10)	/* f16: denormals pass (moves, selects) */
#define LF_RNE		BIT(11)	/* computed in nearest even whatever MODE says */
#define LF_FLUSH	BIT(12)	/* f32 denormals always flushed (v_mad, v_mac) */
#define LF_COMM		BIT(13)	/* the first two sources may change places */
#define LF_IN		BIT(14)	/* has handlers of its own if it works in place */
#define LF_SDWA		BIT(15)	/* has handlers of its own for parts of sources */
#define LF_PLACE	BIT(16)	/* the row function may work in place */
#define LF_DOTS		BIT(17)	/* denormals flushed where the target does so: lane_dot_flushes() */
#define LF_DEAR		BIT(18)	/* charged though it is made of vectors: lane_dear() */
#define LF_WIDE		BIT(19)	/* has handlers as operations of 64 bits have: LANE_FORM_S1 */
#define LF_FORMS	(LF_COMM | LF_IN | LF_SDWA | LF_PLACE | LF_DEAR | LF_WIDE)
					/* these change no result */

/* Builds that have these: with mask registers they would save nothing. */
#define LF_IN_ALL	(LANE_WIDTH != 16 ? LF_IN : 0)
#define LF_IN_AVX2	(LANE_WIDTH == 8 ? LF_IN : 0)
#define LF_SDWA_AVX	(LANE_WIDTH != 4 ? LF_SDWA : 0)
/* Floats: with longer vectors no operand makes them take as long. */
#define LF_DEAR_SSE2	(LANE_WIDTH == 4 ? LF_DEAR : 0)

/**
 * struct lane_env - what a row function may need besides its operands
 * @w: the wave
 * @i: the instruction
 * @cin: lane mask read
 * @cout: lane mask produced
 * @exec: lanes whose results count
 * @round: rounding of this type: 0 nearest even, 1 up, 2 down, 3 to zero
 */
struct lane_env {
	struct isa_wave *w;
	const struct isa_insn *i;
	u64 cin;
	u64 cout;
	u64 exec;
	u32 round;
};

typedef void (*lane_row_fn)(u32 *d, const u32 *a, const u32 *b, const u32 *c,
			    struct lane_env *e);

#define LANE_FORM_VV	0	/* all sources are VGPRs */
#define LANE_FORM_SV	1	/* the first is a scalar, the rest VGPRs */
#define LANE_FORM_ANY	2	/* any mix, float neg and abs */
#define LANE_FORMS	3
/* LF_WIDE: the second or third is the one scalar. No abs in these and SV; no scalar in ANY */
#define LANE_FORM_S1	3
#define LANE_FORM_S2	4
#define LANE_WIDE_FORMS	5
#define LANE_FORM_SDWA	3	/* VGPRs, or unsigned bytes or words in them */
#define LANE_FORM_IN	4	/* of partial EXEC, by form: where the destination is */
#define LANE_IN_FORMS	8	/* the first source, and where it is the last */

/* No source of a fast handler is the destination */
#define LANE_IN_NONE	3

/**
 * struct lane_op - one vector ALU operation
 * @row: all lanes, from rows to rows
 * @fast: handlers by form and EXEC (as isa_slot.exec); may be NULL. LANE_FORMS of
 *	them, or more as LF_SDWA and LF_IN say; NULL among these: as any other
 * @sat: what clamp makes of an integer operation; may be NULL
 * @special: sets the handlers itself when no row function fits
 * @dst,@src: enum lane_type
 * @flags: LF_*
 */
struct lane_op {
	lane_row_fn row;
	const isa_exec_fn (*fast)[2];
	lane_row_fn sat;
	bool (*special)(const struct isa_target *t, struct isa_insn *i);
	u8 dst, src[3];
	u32 flags;
};

static __always_inline bool lane_is64(unsigned int type)
{
	return type == T_U64 || type == T_I64 || type == T_F64 || type == T_PKF32;
}

static __always_inline bool lane_is16(unsigned int type)
{
	return type == T_U16 || type == T_I16 || type == T_F16 || type == T_BF16;
}

static __always_inline bool lane_is_pk16(unsigned int type)
{
	return type == T_PKI || type == T_PKF || type == T_PKBF;
}

static __always_inline bool lane_isf(unsigned int type)
{
	return type == T_F32 || type == T_F16 || type == T_F64 ||
	       type == T_BF16 || type == T_PKF || type == T_PKBF || type == T_PKF32 ||
	       type == T_MIX;
}

/* Types whose rounding and denormals are in the f64/f16 fields of MODE. */
static __always_inline bool lane_is_fp64(unsigned int type)
{
	return type == T_F64 || type == T_F16 || type == T_PKF;
}

static __always_inline bool lane_is_vgpr(u32 code)
{
	return code >= ISA_SRC_VGPR0 && code < ISA_SRC_ACC0;
}

/* FP_ROUND and FP_DENORM differ between f32 and f64/f16. */
static __always_inline bool lane_split_mode(const struct isa_wave *w)
{
	return (w->mode ^ w->mode >> 2) & 0x33;
}

/*
 * MXCSR for two bits of FP_ROUND and two of FP_DENORM: all exceptions masked;
 * x86 orders the modes nearest, down, up, zero.
 */
static __always_inline u32 lane_mxcsr(u32 round, u32 denorm)
{
	static const u16 rc[4] = { 0x0000, 0x4000, 0x2000, 0x6000 };

	return 0x1f80 | rc[round & 3] | (denorm & 1 ? 0 : 0x0040) |
	       (denorm & 2 ? 0 : 0x8000);
}

static __always_inline void lane_set_mxcsr(u32 v)
{
	asm volatile("ldmxcsr %0" : : "m"(v) : "memory");
}

static __always_inline void lane_mode_f32(const struct isa_wave *w)
{
	lane_set_mxcsr(lane_mxcsr(w->mode, w->mode >> 4));
}

/* A 32-bit scalar source. */
static __always_inline u32 lane_scalar(const struct isa_wave *w,
				       const struct isa_insn *i, u32 code)
{
	if (unlikely(code >= ISA_SRC_SHARED_BASE && code <= ISA_SRC_LITERAL)) {
		if (code == ISA_SRC_LITERAL)
			return i->lit;
		if (code < ISA_SRC_FLOAT0 || code > ISA_SRC_FLOAT_LAST)
			return (u32)isa_scalar_special(w, i, code);
	}
	return w->s[code & 255];
}

/* Inline constants 240..248 as halves and doubles. Source: CDNA2 ISA 6.1. */
static const u16 lane_const_f16[9] = {
	0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
};

static const u64 lane_const_f64[9] = {
	0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
	0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
	0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882,
};

static __always_inline bool lane_is_fconst(u32 code)
{
	return code >= 240 && code <= 248;
}

/* Scalar source @n, @code, as operand of @type: 64 bits, the low ones for most types. */
static u64 lane_scalar_as(const struct isa_wave *w, const struct isa_insn *i,
			  unsigned int n, u32 code, unsigned int type)
{
	u32 v;

	if (lane_is_fconst(code)) {
		if (type == T_BF16 || type == T_PKBF)	/* as LLVM's encoder has them */
			return lane_scalar(w, i, code) >> 16;
		if (lane_is16(type) || type == T_PKF)
			return lane_const_f16[code - 240];
		if (lane_is64(type) && type != T_PKF32)	/* integers too */
			return lane_const_f64[code - 240];
		if (type == T_MIX && i->opsel >> (4 + n) & 1)	/* as ACO's get_operand_size() */
			return lane_const_f16[code - 240];
	}
	v = lane_scalar(w, i, code);
	if (!lane_is64(type))
		return v;
	if (code < ISA_SRC_EXEC_HI && code != ISA_SRC_M0 && code != ISA_SRC_NULL)
		return v | (u64)w->s[code + 1] << 32;
	if (code == ISA_SRC_LITERAL && type == T_F64)
		return (u64)v << 32;
	if (type == T_PKF32)
		return v | (u64)v << 32;
	if ((code >= ISA_SRC_SHARED_BASE && code <= ISA_SRC_PRIVATE_LIMIT) ||
	    (code >= ISA_SRC_VCCZ && code <= ISA_SRC_SCC))
		return isa_scalar_special(w, i, code);
	if (code == ISA_SRC_LITERAL && type == T_U64)
		return v;
	return (u64)(s64)(s32)v;
}

static __always_inline void lane_splat_row(u32 *d, u32 v)
{
	VI x = vi_splat(v);
	unsigned int k;

	for (k = 0; k < VSTEPS; k++)
		vi_store(d + k * VW, x);
}

/* A lane mask operand: SGPRs, as many as the wave has lanes for, or a constant. */
static __always_inline u64 lane_mask_src(const struct isa_wave *w, u32 code)
{
	if (likely(code < ISA_SRC_NULL))
		return isa_lane_mask(w, code);
	if (code == ISA_SRC_NONE)
		return isa_vcc(w);
	if (code == ISA_SRC_EXEC_LO)
		return isa_exec(w);
	return (u64)(s64)(s32)w->s[code & 255];
}

static __always_inline void lane_mask_dst(struct isa_wave *w, u32 code, u64 v)
{
	if (unlikely(code == ISA_SRC_NONE))
		code = ISA_SRC_VCC_LO;
	if (unlikely(code >= ISA_SRC_M0)) {
		if (code == ISA_SRC_EXEC_LO)
			isa_set_exec(w, v);
		else if (code == ISA_SRC_M0 && w->lanes != ISA_LANES)
			w->s[ISA_SRC_M0] = (u32)v;
		return;
	}
	isa_put_lane_mask(w, code, v);
}

/* ---- fast handlers ---- */

typedef VI (*lane_vfn)(VI a, VI b, VI c, const struct isa_wave *w);
/* The same in the lanes of @m, @old in the others. */
typedef VI (*lane_mfn)(VM m, VI old, VI a, VI b, VI c, const struct isa_wave *w);

/* One source of a fast handler: vectors from @p, @step dwords apart. */
struct lane_vsrc {
	const u32 *p;
	u32 step;
	u32 clear, flip;	/* abs and neg on the sign bits */
	VI shift, mask;		/* SDWA: where the part lies */
};

static __always_inline struct lane_vsrc
lane_vsrc(struct isa_wave *w, const struct isa_insn *i, unsigned int n,
	  unsigned int floats)
{
	struct lane_vsrc s = { .step = VW };
	u32 code = i->src[n];

	if (code >= ISA_SRC_VGPR0) {
		s.p = lane_row(w, code);
	} else {
		VI x = vi_splat(lane_scalar(w, i, code));

		vi_store(w->tmp[n], x);
		s.p = w->tmp[n];
		s.step = 0;
	}
	if (floats >> n & 1) {
		s.clear = (u32)(i->abs >> n & 1) << 31;
		s.flip = (u32)(i->neg >> n & 1) << 31;
	}
	return s;
}

static __always_inline VI lane_vget(const struct lane_vsrc *s, unsigned int k,
				    bool isf)
{
	VI x = vi_load(s->p + k * s->step);

	if (isf)
		x = vi_xor(vi_andnot(vi_splat(s->clear), x), vi_splat(s->flip));
	return x;
}

/*
 * Register row @n of a plain instruction: 0 is the destination, then come the sources.
 * isa_slot.at holds its number times 32, so one shift gives its place in the file.
 * In the SV form the first source is the code of a scalar: lane_at_scalar().
 */
static __always_inline u32 *lane_at(const struct isa_wave *w, const struct isa_insn *i,
				    unsigned int n)
{
	u32 *p = w->v + 2 * (size_t)isa_slot_of(i)->at[n];

	isa_hide(p);		/* one register, not one and an index */
	return p;
}

static __always_inline VI lane_at_scalar(const struct isa_wave *w, const struct isa_insn *i)
{
	return vi_splat(lane_scalar(w, i, isa_slot_of(i)->at[1]));
}

/* A VGPR of which SDWA picks a part. */
static __always_inline struct lane_vsrc
lane_part(const struct isa_wave *w, const struct isa_insn *i, unsigned int n)
{
	static const struct {
		u32 shift, mask;
	} parts[] = {
		{ 0, 0xff }, { 8, 0xff }, { 16, 0xff }, { 24, 0xff },
		{ 0, 0xffff }, { 16, 0xffff }, { 0, ~0u },
	};
	u32 sel = i->ctl >> (8 + 4 * n) & 7;

	return (struct lane_vsrc) {
		.p = lane_at(w, i, 1 + n),
		.shift = vi_count(parts[sel].shift),
		.mask = vi_splat(parts[sel].mask),
	};
}

static __always_inline VI lane_part_get(const struct lane_vsrc *s, unsigned int k)
{
	return vi_and(vi_srl(vi_load(s->p + k * VW), s->shift), s->mask);
}

static __always_inline void
lane_fast_step(struct isa_wave *w, u32 *d, const struct lane_vsrc *s, VI sa,
	       const struct lane_on *on, lane_vfn fn, lane_mfn part, unsigned int nsrc,
	       unsigned int floats, unsigned int in, unsigned int form, bool full,
	       unsigned int k)
{
	VI x[3] = { sa, vi_zero(), vi_zero() }, old = vi_zero();
	unsigned int n;

	if (in != LANE_IN_NONE || !full)
		old = vi_load(d + k * VW);
	if (in != LANE_IN_NONE && !full)
		vi_hide(old);	/* else compilers load it twice */
#pragma GCC unroll 3
	for (n = form == LANE_FORM_SV; n < nsrc; n++) {
		if (n == in)
			x[n] = old;
		else if (form == LANE_FORM_ANY)
			x[n] = lane_vget(&s[n], k, floats >> n & 1);
		else if (form == LANE_FORM_SDWA)
			x[n] = lane_part_get(&s[n], k);
		else
			x[n] = vi_load(s[n].p + k * VW);
	}
	if (full)
		vi_store(d + k * VW, fn(x[0], x[1], x[2], w));
	else
		vi_store_whole(d + k * VW, part(vm_on(on, k), old, x[0], x[1], x[2], w));
}

/*
 * The body of every fast handler of 32-bit operations; all arguments but the
 * first two are constants after inlining. @floats: a bit for a float source.
 * @in: the source that is the destination, if it matters. @rolled: @fn is so long
 * that the loop is not to be unrolled.
 */
static __always_inline enum isa_stop
lane_fast(struct isa_wave *w, const struct isa_insn *i, lane_vfn fn, lane_mfn part,
	  unsigned int nsrc, unsigned int floats, unsigned int in, unsigned int form,
	  bool full, bool rolled)
{
	u32 *d = lane_at(w, i, 0);
	struct lane_vsrc s[3] = { 0 };
	struct lane_on on;
	VI sa = vi_zero();
	unsigned int k, n;

	if (!full)
		on = lane_on(w);
	if (form == LANE_FORM_SV)
		sa = lane_at_scalar(w, i);
#pragma GCC unroll 3
	for (n = form == LANE_FORM_SV; n < nsrc; n++) {
		if (n == in)
			continue;
		if (form == LANE_FORM_ANY)
			s[n] = lane_vsrc(w, i, n, floats);
		else if (form == LANE_FORM_SDWA)
			s[n] = lane_part(w, i, n);
		else
			s[n].p = lane_at(w, i, 1 + n);
	}
	if (rolled) {
#pragma GCC unroll 1
		for (k = 0; k < VSTEPS; k++)
			lane_fast_step(w, d, s, sa, &on, fn, part, nsrc, floats, in, form, full, k);
		return ISA_STOP_NONE;
	}
#pragma GCC unroll 8
	for (k = 0; k < VSTEPS; k++)
		lane_fast_step(w, d, s, sa, &on, fn, part, nsrc, floats, in, form, full, k);
	return ISA_STOP_NONE;
}

/* The row function of the same body, for the general path. */
static __always_inline void
lane_vrow(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e,
	  lane_vfn fn, unsigned int nsrc)
{
	unsigned int k;

#pragma GCC unroll 2
	for (k = 0; k < VSTEPS; k++) {
		VI x = vi_load(a + k * VW), y = vi_zero(), z = vi_zero();

		if (nsrc > 1)
			y = vi_load(b + k * VW);
		if (nsrc > 2)
			z = vi_load(c + k * VW);
		vi_store(d + k * VW, fn(x, y, z, e->w));
	}
}

/*
 * 64-bit operations, two vectors a step. wide is a mask of what is 64 bits:
 * bits 0..2 sources, bit 3 the destination.
 */
static __always_inline void
lane_qstep(const u32 *a, const u32 *b, const u32 *c, unsigned int wide,
	   unsigned int nsrc, VI x[3], VI y[3])
{
	const u32 *p[3] = { a, b, c };
	unsigned int n;

#pragma GCC unroll 3
	for (n = 0; n < nsrc; n++) {
		VI lo = vi_load(p[n]), hi = vi_zero();

		if (wide >> n & 1)
			hi = vi_load(p[n] + ISA_LANES);
		x[n] = vq_x(lo, hi);
		y[n] = vq_y(lo, hi);
	}
	for (; n < 3; n++)
		x[n] = y[n] = vi_zero();
}

static __always_inline void
lane_qput(u32 *d, VI x, VI y, bool wide, const struct lane_on *on, unsigned int k,
	  bool full)
{
	VI lo = vq_lo(x, y), hi = vq_hi(x, y);

	if (full) {
		vi_store(d + k * VW, lo);
		if (wide)
			vi_store(d + ISA_LANES + k * VW, hi);
	} else {
		VM m = vm_on(on, k);

		vi_store_m(d + k * VW, m, lo);
		if (wide)
			vi_store_m(d + ISA_LANES + k * VW, m, hi);
	}
}

/* SSE2 counts the cost of what it has no instruction for: see sse2_fma_pd_soft(). */
static __always_inline enum isa_stop lane_qdone(struct isa_wave *w)
{
	return LANE_WIDTH == 4 ? isa_charge(w, 0) : ISA_STOP_NONE;
}

static __always_inline enum isa_stop
lane_qfast(struct isa_wave *w, const struct isa_insn *i, lane_vfn fn,
	   unsigned int nsrc, unsigned int wide, bool acc, bool full)
{
	u32 *d = lane_at(w, i, 0);
	const u32 *p[3] = { d, d, d };
	struct lane_on on;
	unsigned int k, n;

	if (!full)
		on = lane_on(w);
	for (n = 0; n < nsrc; n++)
		if (!(acc && n == 2))
			p[n] = lane_at(w, i, 1 + n);
#pragma GCC unroll 8
	for (k = 0; k < VSTEPS; k++) {
		VI x[3], y[3];

		lane_qstep(p[0] + k * VW, p[1] + k * VW, p[2] + k * VW, wide,
			   nsrc, x, y);
		x[0] = fn(x[0], x[1], x[2], w);
		y[0] = fn(y[0], y[1], y[2], w);
		lane_qput(d, x[0], y[0], wide & 8, &on, k, full);
	}
	return lane_qdone(w);
}

static __always_inline void
lane_qrow(u32 *d, const u32 *a, const u32 *b, const u32 *c, struct lane_env *e,
	  lane_vfn fn, unsigned int nsrc, unsigned int wide)
{
	unsigned int k;

	for (k = 0; k < VSTEPS; k++) {
		VI x[3], y[3];

		lane_qstep(a + k * VW, b + k * VW, c + k * VW, wide, nsrc, x, y);
		x[0] = fn(x[0], x[1], x[2], e->w);
		y[0] = fn(y[0], y[1], y[2], e->w);
		vi_store(d + k * VW, vq_lo(x[0], y[0]));
		if (wide & 8)
			vi_store(d + ISA_LANES + k * VW, vq_hi(x[0], y[0]));
	}
}

/* ---- compares ---- */

typedef VM (*lane_cfn)(VI a, VI b);

static __always_inline u64
lane_cmp_rows(const u32 *a, const u32 *b, lane_cfn fn)
{
	u64 r = 0;
	unsigned int k;

#pragma GCC unroll 4
	for (k = 0; k < VSTEPS; k++)
		r |= vm_place(fn(vi_load(a + k * VW), vi_load(b + k * VW)), k);
	return r;
}

static __always_inline u64
lane_qcmp_rows(const u32 *a, const u32 *b, lane_vfn fn)
{
	u64 r = 0;
	unsigned int k;

#pragma GCC unroll 2
	for (k = 0; k < VSTEPS; k++) {
		VI x[3], y[3];

		lane_qstep(a + k * VW, b + k * VW, b, 3, 2, x, y);
		r |= vm_place(vm_of_q(fn(x[0], x[1], x[0], NULL),
				      fn(y[0], y[1], y[0], NULL)), k);
	}
	return r;
}

static __always_inline enum isa_stop
lane_cmp_fast(struct isa_wave *w, const struct isa_insn *i, lane_cfn fn,
	      unsigned int floats, bool cmpx, unsigned int form)
{
	struct lane_vsrc a, b;
	VI sa = vi_zero();
	u64 r = 0;
	unsigned int k;

	if (form == LANE_FORM_ANY) {
		a = lane_vsrc(w, i, 0, floats);
		b = lane_vsrc(w, i, 1, floats);
	} else {
		if (form == LANE_FORM_SV)
			sa = vi_splat(lane_scalar(w, i, i->src[0]));
		else
			a.p = lane_at(w, i, 1);
		b.p = lane_at(w, i, 2);
	}
#pragma GCC unroll 8
	for (k = 0; k < VSTEPS; k++) {
		VI x, y;

		if (form == LANE_FORM_ANY) {
			x = lane_vget(&a, k, floats & 1);
			y = lane_vget(&b, k, floats & 2);
		} else {
			x = form == LANE_FORM_SV ? sa : vi_load(a.p + k * VW);
			y = vi_load(b.p + k * VW);
		}
		r |= vm_place(fn(x, y), k);
	}
	r &= isa_exec(w);
	lane_mask_dst(w, i->sdst, r);
	if (cmpx)
		isa_set_exec(w, r);
	return ISA_STOP_NONE;
}
