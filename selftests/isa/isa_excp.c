// SPDX-License-Identifier: MIT
/*
 * Arithmetic exceptions against the host's: the flags that its own scalar
 * instructions raise for the same operands, rounding and denormal modes. Then
 * how they reach a wave: TRAPSTS, EXEC, MODE.EXCP_EN, in every SIMD build; and what a handler of
 * gfx12 finds of them.
 */
#include <immintrin.h>
#include <stdlib.h>
#include "rig.h"

#define CASES	40000

static u64 seed = 0x2545f4914f6cdd1dull;

static u64 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * 0x9e3779b97f4a7c15ull;
}

static u32 value32(void)
{
	static const u32 special[] = {
		0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x00800001, 0x3f800000,
		0xbf800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x4f000000,
		0xcf000000, 0x4effffff, 0x3f000000, 0x4b000001, 0x40800000, 0x00ffffff,
	};
	u64 r = rnd();

	switch (r & 7) {
	case 0:
	case 1:
		return special[(r >> 8) % ARRAY_SIZE(special)];
	case 2:		/* small */
		return (u32)(r >> 32) & 0x81ffffff;
	case 3:		/* large */
		return (u32)(r >> 32) | 0x7e000000;
	case 4:		/* about one, few bits */
		return ((u32)(r >> 32) & 0x80700000) | (u32)(120 + (r >> 8) % 16) << 23;
	case 5:
		return ((u32)(r >> 32) & 0x80ffffff) | (u32)(0x30 + (r >> 8) % 0x20) << 24;
	default:
		return (u32)(r >> 32);
	}
}

static u64 value64(void)
{
	static const u64 special[] = {
		0, 1ull << 63, 1, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000,
		0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
		0x7ff0000000000001, 0x41dfffffffc00000, 0x41e0000000000000, 0x47efffffe0000000,
		0x47effffff0000000, 0x380fffffffffffff, 0x36a0000000000000,
	};
	u64 r = rnd();

	switch (r & 7) {
	case 0:
	case 1:
		return special[(r >> 8) % ARRAY_SIZE(special)];
	case 2:
		return rnd() & 0x803fffffffffffff;
	case 3:
		return rnd() | 0x7fc0000000000000;
	case 4:
		return (rnd() & 0x800fffffffffffff) | (0x3f0ull + (r >> 8) % 32) << 52;
	case 5:		/* about the smallest floats */
		return (rnd() & 0x800fffffffffffff) | (0x360ull + (r >> 8) % 40) << 52;
	default:
		return rnd();
	}
}

/* MXCSR of two-bit rounding and denormal fields. */
static u32 csr_of(u32 round, u32 denorm)
{
	static const u32 rc[4] = { 0, 0x4000, 0x2000, 0x6000 };

	return 0x1f80 | rc[round] | (denorm & 1 ? 0 : 0x40) | (denorm & 2 ? 0 : 0x8000);
}

/* IE, DE, ZE, OE, UE, PE are the bits of TRAPSTS in the same order. */
#define HOST32(expr)	({ __m128 r_ = expr; __asm__ volatile("" : : "x"(r_)); })
#define HOST64(expr)	({ __m128d r_ = expr; __asm__ volatile("" : : "x"(r_)); })

static __m128 f(u64 v)
{
	return _mm_castsi128_ps(_mm_cvtsi32_si128((int)v));
}

static __m128d d(u64 v)
{
	return _mm_castsi128_pd(_mm_cvtsi64_si128((long long)v));
}

struct op {
	u16 op;
	const char *name;
	u8 bits, nsrc;
	u8 mode64;		/* MODE fields of f64 */
	u8 ignore;		/* flags that the host's instruction has no notion of */
};

enum { ADD, SUB, SUBREV, MUL, FMA, SQRT, TO_I32, OF_I32, TO_F64, EQ, ADD64, MUL64, FMA64,
	SQRT64, TO_F32, TO_I32_64, OPS };

static const struct op ops[OPS] = {
	[ADD] = { ISA_OP_V_ADD_F32, "v_add_f32", 32, 2, 0, 0 },
	[SUB] = { ISA_OP_V_SUB_F32, "v_sub_f32", 32, 2, 0, 0 },
	[SUBREV] = { ISA_OP_V_SUBREV_F32, "v_subrev_f32", 32, 2, 0, 0 },
	[MUL] = { ISA_OP_V_MUL_F32, "v_mul_f32", 32, 2, 0, 0 },
	[FMA] = { ISA_OP_V_FMA_F32, "v_fma_f32", 32, 3, 0, 0 },
	[SQRT] = { ISA_OP_V_SQRT_F32, "v_sqrt_f32", 32, 1, 0, 0 },
	[TO_I32] = { ISA_OP_V_CVT_I32_F32, "v_cvt_i32_f32", 32, 1, 0, ISA_EXCP_DENORM },
	[OF_I32] = { ISA_OP_V_CVT_F32_I32, "v_cvt_f32_i32", 32, 1, 0, 0 },
	[TO_F64] = { ISA_OP_V_CVT_F64_F32, "v_cvt_f64_f32", 32, 1, 1, 0 },
	[EQ] = { ISA_OP_V_CMP_EQ_F32, "v_cmp_eq_f32", 32, 2, 0, 0 },
	[ADD64] = { ISA_OP_V_ADD_F64, "v_add_f64", 64, 2, 1, 0 },
	[MUL64] = { ISA_OP_V_MUL_F64, "v_mul_f64", 64, 2, 1, 0 },
	[FMA64] = { ISA_OP_V_FMA_F64, "v_fma_f64", 64, 3, 1, 0 },
	[SQRT64] = { ISA_OP_V_SQRT_F64, "v_sqrt_f64", 64, 1, 1, 0 },
	[TO_F32] = { ISA_OP_V_CVT_F32_F64, "v_cvt_f32_f64", 64, 1, 0, 0 },
	[TO_I32_64] = { ISA_OP_V_CVT_I32_F64, "v_cvt_i32_f64", 64, 1, 1, ISA_EXCP_DENORM },
};

__attribute__((target("fma"), __noinline__))
static void host_fma(u32 n, const u64 *v)
{
	if (n == FMA)
		HOST32(_mm_fmadd_ss(f(v[0]), f(v[1]), f(v[2])));
	else
		HOST64(_mm_fmadd_sd(d(v[0]), d(v[1]), d(v[2])));
}

/* The flags that the host raises. */
static noinline u32 host(u32 n, const u64 *v, u32 csr)
{
	u32 flags;
	int i;

	_mm_setcsr(csr);
	switch (n) {
	case ADD:
		HOST32(_mm_add_ss(f(v[0]), f(v[1])));
		break;
	case SUB:
		HOST32(_mm_sub_ss(f(v[0]), f(v[1])));
		break;
	case SUBREV:
		HOST32(_mm_sub_ss(f(v[1]), f(v[0])));
		break;
	case MUL:
		HOST32(_mm_mul_ss(f(v[0]), f(v[1])));
		break;
	case FMA:
	case FMA64:
		host_fma(n, v);
		break;
	case SQRT:
		HOST32(_mm_sqrt_ss(f(v[0])));
		break;
	case TO_I32:
		i = _mm_cvttss_si32(f(v[0]));
		__asm__ volatile("" : : "r"(i));
		break;
	case TO_I32_64:
		i = _mm_cvttsd_si32(d(v[0]));
		__asm__ volatile("" : : "r"(i));
		break;
	case OF_I32:
		HOST32(_mm_cvtsi32_ss(_mm_setzero_ps(), (int)v[0]));
		break;
	case TO_F64:
		HOST64(_mm_cvtss_sd(_mm_setzero_pd(), f(v[0])));
		break;
	case TO_F32:
		HOST32(_mm_cvtsd_ss(_mm_setzero_ps(), d(v[0])));
		break;
	case EQ:
		i = _mm_ucomieq_ss(f(v[0]), f(v[1]));
		__asm__ volatile("" : : "r"(i));
		break;
	case ADD64:
		HOST64(_mm_add_sd(d(v[0]), d(v[1])));
		break;
	case MUL64:
		HOST64(_mm_mul_sd(d(v[0]), d(v[1])));
		break;
	case SQRT64:
		HOST64(_mm_sqrt_sd(_mm_setzero_pd(), d(v[0])));
		break;
	}
	flags = _mm_getcsr() & 0x3f;
	_mm_setcsr(0x1f80);
	return flags;
}

static bool op_ok(struct rig *r, u32 n)
{
	const struct op *o = &ops[n];
	struct isa_insn i = { .op = o->op, .enc = ISA_ENC_VOP3 };
	u32 rows[3][2 * ISA_LANES] = { { 0 } }, k, c;
	const u32 *s[3] = { NULL, NULL, NULL };

	for (c = 0; c < CASES; c++) {
		u32 round = c & 3, denorm = c >> 2 & 3, lane = c >> 4 & 63, want, got;
		u64 v[3] = { 0 };

		for (k = 0; k < o->nsrc; k++) {
			v[k] = o->bits == 64 ? value64() : value32();
			rows[k][lane] = (u32)v[k];
			rows[k][lane + ISA_LANES] = (u32)(v[k] >> 32);
			s[k] = rows[k];
		}
		/* Operands of a conversion are flushed as their own format says. */
		r->w->mode = n == TO_F64 || n == TO_F32 ? round | round << 2 | denorm << 4 |
			     denorm << 6 : o->mode64 ? round << 2 | denorm << 6 :
			     round | denorm << 4;
		r->w->raised = 0;
		isa_excp_record(r->w, &i, s, 1ull << lane);
		got = r->w->raised;
		/* hardware's root has no denormals, whatever MODE says */
		want = host(n, v, csr_of(round, n == SQRT ? 0 : denorm));
		if ((got ^ want) & ~o->ignore) {
			printf("# %s %llx %llx %llx round %u denorm %u: %#x, the host %#x\n",
			       o->name, (unsigned long long)v[0], (unsigned long long)v[1],
			       (unsigned long long)v[2], round, denorm, got, want);
			return false;
		}
	}
	return true;
}

/* Operands that only the approximations and helpers know. */
static void check_special(struct rig *r)
{
	static const struct { u16 op; u32 a, b, c, want; } rows[] = {
		{ ISA_OP_V_RCP_F32, 0, 0, 0, ISA_EXCP_DIV0 },
		{ ISA_OP_V_RCP_F32, 0x7f800001, 0, 0, ISA_EXCP_INVALID },
		{ ISA_OP_V_RCP_F32, 0x40000000, 0, 0, 0 },
		{ ISA_OP_V_RCP_F32, 1, 0, 0, ISA_EXCP_DIV0 },	/* flushed */
		{ ISA_OP_V_RSQ_F32, 0x80000001, 0, 0, ISA_EXCP_DIV0 },
		{ ISA_OP_V_LOG_F32, 0x007fffff, 0, 0, ISA_EXCP_DIV0 },
		{ ISA_OP_V_EXP_F32, 1, 0, 0, 0 },
		{ ISA_OP_V_RCP_IFLAG_F32, 0, 0, 0, ISA_EXCP_INT_DIV0 },
		{ ISA_OP_V_RCP_IFLAG_F32, 0x7f800001, 0, 0, 0 },
		{ ISA_OP_V_RSQ_F32, 0x80000000, 0, 0, ISA_EXCP_DIV0 },
		{ ISA_OP_V_RSQ_F32, 0xbf800000, 0, 0, ISA_EXCP_INVALID },
		{ ISA_OP_V_LOG_F32, 0xbf800000, 0, 0, ISA_EXCP_INVALID },
		{ ISA_OP_V_LOG_F32, 0, 0, 0, ISA_EXCP_DIV0 },
		{ ISA_OP_V_SIN_F32, 0x7f800000, 0, 0, ISA_EXCP_INVALID },
		{ ISA_OP_V_MIN_F32, 0x7f800001, 0x3f800000, 0, ISA_EXCP_INVALID },
		{ ISA_OP_V_MIN_F32, 0x7fc00001, 0x3f800000, 0, 0 },
		{ ISA_OP_V_MUL_LEGACY_F32, 0, 0x7f800000, 0, 0 },
		{ ISA_OP_V_DIV_FIXUP_F32, 0x3f800000, 0, 0x3f800000, ISA_EXCP_DIV0 },
		{ ISA_OP_V_DIV_FIXUP_F32, 0x3f800000, 0, 0, ISA_EXCP_INVALID },
		{ ISA_OP_V_DIV_FIXUP_F32, 0x3f800000, 0x7f800000, 0xff800000, ISA_EXCP_INVALID },
		{ ISA_OP_V_LDEXP_F32, 0x3f800000, 128, 0, ISA_EXCP_OVERFLOW | ISA_EXCP_INEXACT },
		{ ISA_OP_V_LDEXP_F32, 0x3f800001, -127, 0, ISA_EXCP_UNDERFLOW | ISA_EXCP_INEXACT },
		{ ISA_OP_V_LDEXP_F32, 0x3f800000, -127, 0, 0 },
		{ ISA_OP_V_CVT_U32_F32, 0xbf800000, 0, 0, ISA_EXCP_INVALID },
		{ ISA_OP_V_CVT_U32_F32, 0xbf000000, 0, 0, ISA_EXCP_INEXACT },
		{ ISA_OP_V_CVT_F16_F32, 0x477ff000, 0, 0, ISA_EXCP_OVERFLOW | ISA_EXCP_INEXACT },
		{ ISA_OP_V_CVT_F16_F32, 0x3f800001, 0, 0, ISA_EXCP_INEXACT },
		{ ISA_OP_V_CVT_F32_F16, 0x0001, 0, 0, ISA_EXCP_DENORM },
		{ ISA_OP_V_ADD_F16, 0x7bff, 0x7bff, 0, ISA_EXCP_OVERFLOW | ISA_EXCP_INEXACT },
		{ ISA_OP_V_MUL_F16, 0x0400, 0x3800, 0, 0 },
		{ ISA_OP_V_MUL_F16, 0x0401, 0x3800, 0, ISA_EXCP_UNDERFLOW | ISA_EXCP_INEXACT },
		{ ISA_OP_V_PK_MUL_F16, 0x7c000000, 0x00000000, 0, ISA_EXCP_INVALID },
		{ ISA_OP_V_MAD_F32, 0x3f800001, 0x3f800001, 0x3f800000, ISA_EXCP_INEXACT },
		{ ISA_OP_V_MAD_F32, 0x00000001, 0x3f800000, 0, 0 },
	};
	u32 n, k;

	for (n = 0; n < ARRAY_SIZE(rows); n++) {
		struct isa_insn i = { .op = rows[n].op, .enc = ISA_ENC_VOP3 };
		const u32 v[3] = { rows[n].a, rows[n].b, rows[n].c };
		u32 row[3][2 * ISA_LANES] = { { 0 } };
		const u32 *s[3] = { row[0], row[1], row[2] };

		for (k = 0; k < 3; k++)
			row[k][5] = v[k];
		r->w->mode = 0xf0;
		r->w->raised = 0;
		isa_excp_record(r->w, &i, s, 1ull << 5);
		tap_ok(r->w->raised == rows[n].want, "%s %#x %#x %#x: %#x", isa_op_name(i.op),
		       v[0], v[1], v[2], r->w->raised);
	}
}

/* A program's view, in one SIMD build. */
static void check_wave(const char *lane)
{
	/*
	 * 0x00 s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 9), 0
	 * 0x08 v_mov_b32 v1, 0; 0x0c v_rcp_f32 v2, v1; 0x10 s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS)
	 * 0x14 s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 4; 0x1c v_add_f32 v3, 1.0, v1
	 * 0x20 v_rcp_f32 v2, v1; 0x24 s_endpgm
	 */
	static const u32 words[] = {
		0xba004003, 0x00000000, 0x7e020280, 0x7e044501, 0xb880f803, 0xba003301,
		0x00000004, 0x020602f2, 0x7e044501, 0xbf810000,
	};
	struct rig r;
	bool ok;

	if (!rig_can(lane))
		return;
	rig_init(&r, "gfx90a", lane, 64);
	rig_load(&r, words, ARRAY_SIZE(words));
	ok = rig_run(&r, 100) == ISA_STOP_EXCP && r.ex.info == ISA_EXCP_DIV0 &&
	     isa_wave_pc(r.w) == RIG_VA + 0x24 && r.w->s[0] == ISA_EXCP_DIV0 &&
	     isa_row(r.w, 2)[0] == 0x7f800000;
	tap_ok(ok, "%s: recorded, then enabled", lane);
	ok = rig_run(&r, 100) == ISA_STOP_END;
	tap_ok(ok, "%s: goes on behind the exception", lane);

	rig_load(&r, words, ARRAY_SIZE(words));
	isa_set_exec(r.w, 0);
	ok = rig_run(&r, 100) == ISA_STOP_END && r.w->s[0] == 0 && !r.w->trapsts;
	tap_ok(ok, "%s: lanes that are off raise nothing", lane);

	/* Not recording: no cost, no bits. */
	rig_load(&r, words + 2, 2);
	memcpy(r.mem + RIG_CODE + 8, &words[9], 4);
	ok = rig_run(&r, 100) == ISA_STOP_END && !r.w->trapsts;
	tap_ok(ok, "%s: nothing asked, nothing recorded", lane);
	rig_fini(&r);
}

/*
 * gfx12: the trap's number is in the highest bits, the handler finds STATE_PRIV where others have
 * STATUS, and reads and writes what has happened and what is enabled in registers of their own.
 */
static void check_trap_gfx12(void)
{
	/* 0: s_cmp_eq_u32 s0, s0; s_trap 2; s_getreg_b32 s9, hwreg(HW_REG_STATE_PRIV); s_endpgm */
	/* 0x100: s_add_co_u32 ttmp0, ttmp0, 4; s_bitset1_b32 ttmp3, 13; */
	/* s_getreg_b32 s10, hwreg(HW_REG_EXCP_FLAG_PRIV); s_getreg_b32 s11, ...(TRAP_CTRL); */
	/* s_getreg_b32 s12, hwreg(HW_REG_EXCP_FLAG_USER); s_getreg_b32 s13, hwreg(HW_REG_MODE); */
	/* s_setreg_b32 hwreg(HW_REG_EXCP_FLAG_PRIV), s0; ...(HW_REG_TRAP_CTRL), s0; */
	/* s_setreg_b32 hwreg(HW_REG_STATE_PRIV), ttmp12; s_rfe_b64 [ttmp0, ttmp1] */
	static const u32 words[80] = {
		0xbf060000, 0xbf900002, 0xb889f804, 0xbfb00000,
		[64] = 0x806c846c, 0xbeef128d, 0xb88af811, 0xb88bf813, 0xb88cf812, 0xb88df801,
		0xb900f811, 0xb900f813, 0xb978f804, 0xbe804a6c,
	};
	const u64 handler = RIG_VA + 0x100, tma = 0x123456789000ull;
	struct rig r;
	bool ok;

	rig_init(&r, "gfx1201", NULL, 64);
	rig_load(&r, words, ARRAY_SIZE(words));
	r.w->mode |= 0x300 | 5 << ISA_MODE_EXCP_SHIFT;
	ok = rig_run(&r, 10) == ISA_STOP_TRAP && r.ex.info == 2;
	r.w->trapsts = ISA_TRAPSTS_MEM_VIOL | ISA_EXCP_DIV0;
	ok = ok && isa_wave_trap(r.w, &r.ex, handler, tma);
	ok = ok && r.w->s[108] == (u32)RIG_VA + 4 && r.w->s[109] == 2u << 28 &&
	     r.w->s[120] == 1 << 9;
	tap_ok(ok, "gfx1201: state of a trap handler");
	ok = rig_run(&r, 100) == ISA_STOP_END && r.w->s[10] == 1 << 4 && r.w->s[11] == 5 &&
	     r.w->s[12] == 4 && !(r.w->s[13] & 0x7f300) && r.w->s[9] == 1 << 9 &&
	     r.w->trapsts == ISA_EXCP_DIV0 && !(r.w->mode & ISA_MODE_EXCP_EN);
	tap_ok(ok, "gfx1201: registers of a trap handler");

	/* Others' code reads them, but changes nothing that is a handler's. */
	rig_load(&r, words + 64, 9);
	r.w->trapsts = ISA_TRAPSTS_MEM_VIOL;
	r.w->s[120] = 1 << 14 | 1 << 9;
	r.w->scc = 0;
	rig_run(&r, 9);
	tap_ok(r.w->s[10] == 1 << 4 && r.w->trapsts == ISA_TRAPSTS_MEM_VIOL && !r.w->scc &&
	       !(r.w->status & ISA_STATUS_HALT), "gfx1201: and not of others");
	rig_fini(&r);
}

int main(void)
{
	struct rig r;
	u32 n;

	rig_init(&r, "gfx90a", NULL, 64);
	r.w->cu = &r.cu;
	for (n = 0; n < OPS; n++) {
		if ((n == FMA || n == FMA64) && !__builtin_cpu_supports("fma"))
			continue;
		tap_ok(op_ok(&r, n), "%s: as the host", ops[n].name);
	}
	check_special(&r);
	rig_fini(&r);
	check_wave("sse2");
	check_wave("avx2");
	check_wave("avx512");
	check_trap_gfx12();
	return tap_done();
}
