// SPDX-License-Identifier: MIT
/*
 * Time of single vector instructions, per SIMD build: the bound handler is
 * called over and over, all lanes on and half of them. CPU time, best of
 * several runs.
 *	bench-lane OP FORM VARIANT NS-FULL NS-PARTIAL RATIO
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "../isa/lanes.h"

#define CALLS	20000
#define RUNS	7

struct row {
	unsigned int op;
	const char *name;
	u8 dst64, nsrc;
	u8 enc;
};

static const struct row rows[] = {
	{ ISA_OP_V_MOV_B32, "v_mov_b32", 0, 1, ISA_ENC_VOP1 },
	{ ISA_OP_V_ADD_F32, "v_add_f32", 0, 2, ISA_ENC_VOP2 },
	{ ISA_OP_V_MUL_F32, "v_mul_f32", 0, 2, ISA_ENC_VOP2 },
	{ ISA_OP_V_FMA_F32, "v_fma_f32", 0, 3, ISA_ENC_VOP3 },
	{ ISA_OP_V_FMAC_F32, "v_fmac_f32", 0, 2, ISA_ENC_VOP2 },
	{ ISA_OP_V_MAX_F32, "v_max_f32", 0, 2, ISA_ENC_VOP2 },
	{ ISA_OP_V_ADD_U32, "v_add_u32", 0, 2, ISA_ENC_VOP2 },
	{ ISA_OP_V_MUL_LO_U32, "v_mul_lo_u32", 0, 2, ISA_ENC_VOP3 },
	{ ISA_OP_V_MUL_HI_U32, "v_mul_hi_u32", 0, 2, ISA_ENC_VOP3 },
	{ ISA_OP_V_LSHLREV_B32, "v_lshlrev_b32", 0, 2, ISA_ENC_VOP2 },
	{ ISA_OP_V_LSHL_ADD_U32, "v_lshl_add_u32", 0, 3, ISA_ENC_VOP3 },
	{ ISA_OP_V_ALIGNBIT_B32, "v_alignbit_b32", 0, 3, ISA_ENC_VOP3 },
	{ ISA_OP_V_CNDMASK_B32, "v_cndmask_b32", 0, 2, ISA_ENC_VOP2 },
	{ ISA_OP_V_CMP_GT_U32, "v_cmp_gt_u32", 0, 2, ISA_ENC_VOPC },
	{ ISA_OP_V_CMP_LT_F32, "v_cmp_lt_f32", 0, 2, ISA_ENC_VOPC },
	{ ISA_OP_V_CMP_LT_U64, "v_cmp_lt_u64", 1, 2, ISA_ENC_VOPC },
	{ ISA_OP_V_ADD_CO_U32, "v_add_co_u32", 0, 2, ISA_ENC_VOP2 },
	{ ISA_OP_V_ADDC_CO_U32, "v_addc_co_u32", 0, 2, ISA_ENC_VOP2 },
	{ ISA_OP_V_MAD_U64_U32, "v_mad_u64_u32", 1, 3, ISA_ENC_VOP3 },
	{ ISA_OP_V_LSHLREV_B64, "v_lshlrev_b64", 1, 2, ISA_ENC_VOP3 },
	{ ISA_OP_V_FMA_F64, "v_fma_f64", 1, 3, ISA_ENC_VOP3 },
	{ ISA_OP_V_ADD_F64, "v_add_f64", 1, 2, ISA_ENC_VOP3 },
	{ ISA_OP_V_CVT_F32_U32, "v_cvt_f32_u32", 0, 1, ISA_ENC_VOP1 },
	{ ISA_OP_V_CVT_U32_F32, "v_cvt_u32_f32", 0, 1, ISA_ENC_VOP1 },
	{ ISA_OP_V_RCP_F32, "v_rcp_f32", 0, 1, ISA_ENC_VOP1 },
	{ ISA_OP_V_SQRT_F32, "v_sqrt_f32", 0, 1, ISA_ENC_VOP1 },
	{ ISA_OP_V_RSQ_F32, "v_rsq_f32", 0, 1, ISA_ENC_VOP1 },
	{ ISA_OP_V_EXP_F32, "v_exp_f32", 0, 1, ISA_ENC_VOP1 },
	{ ISA_OP_V_LOG_F32, "v_log_f32", 0, 1, ISA_ENC_VOP1 },
	{ ISA_OP_V_SIN_F32, "v_sin_f32", 0, 1, ISA_ENC_VOP1 },
	{ ISA_OP_V_COS_F32, "v_cos_f32", 0, 1, ISA_ENC_VOP1 },
	{ ISA_OP_V_FRACT_F32, "v_fract_f32", 0, 1, ISA_ENC_VOP1 },
	{ ISA_OP_V_PERM_B32, "v_perm_b32", 0, 3, ISA_ENC_VOP3 },
	{ ISA_OP_V_MBCNT_LO_U32_B32, "v_mbcnt_lo", 0, 2, ISA_ENC_VOP3 },
	{ ISA_OP_V_ADD_F16, "v_add_f16", 0, 2, ISA_ENC_VOP2 },
	{ ISA_OP_V_PK_FMA_F16, "v_pk_fma_f16", 0, 3, ISA_ENC_VOP3P },
	{ ISA_OP_V_PK_FMA_F32, "v_pk_fma_f32", 1, 3, ISA_ENC_VOP3P },
	{ ISA_OP_V_DOT4_I32_I8, "v_dot4_i32_i8", 0, 3, ISA_ENC_VOP3P },
	{ ISA_OP_V_CVT_F16_F32, "v_cvt_f16_f32", 0, 1, ISA_ENC_VOP1 },
	{ ISA_OP_V_CVT_F32_F16, "v_cvt_f32_f16", 0, 1, ISA_ENC_VOP1 },
	{ ISA_OP_V_DIV_SCALE_F32, "v_div_scale_f32", 0, 3, ISA_ENC_VOP3 },
	{ ISA_OP_V_DIV_FIXUP_F32, "v_div_fixup_f32", 0, 3, ISA_ENC_VOP3 },
	{ ISA_OP_V_DIV_FMAS_F32, "v_div_fmas_f32", 0, 3, ISA_ENC_VOP3 },
};

static double cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e9 +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e3;
}

static double measure(const struct isa_lane_ops *o, struct isa_wave *w, struct isa_insn *i)
{
	double best = 1e9, ns;
	unsigned int k, n;

	for (n = 0; n < RUNS; n++) {
		o->enter(w);
		ns = cpu_ns();
		for (k = 0; k < CALLS; k++) {
			i->exec[w->full](w, i);
			__asm__ volatile("" : : : "memory");
		}
		ns = (cpu_ns() - ns) / CALLS;
		o->leave(w);
		if (ns < best)
			best = ns;
	}
	return best;
}

/* @form: 'v' registers, 's' SGPR first, 'n' negated first, 'd' DPP, 'w' SDWA */
static void bench(const struct isa_lane_ops *o, struct isa_wave *w, const struct row *r,
		  char form)
{
	struct isa_insn i = {
		.op = r->op, .enc = r->enc, .size = 1, .sdst = ISA_SRC_VCC_LO,
		.dst = ISA_SRC_VGPR0 + 6, .opsel = r->enc == ISA_ENC_VOP3P ? 0x70 : 0,
	};
	unsigned int n;
	double full, part;

	for (n = 0; n < 3; n++)
		i.src[n] = n < r->nsrc ? ISA_SRC_VGPR0 + 2 * n : ISA_SRC_NONE;
	if (form == 's')
		i.src[0] = 10;
	if (form == 'n') {
		i.neg = 1;
		i.enc = r->enc == ISA_ENC_VOP3P ? r->enc : ISA_ENC_VOP3;
	}
	if (form == 'd') {
		i.mods = ISA_MOD_DPP;
		i.ctl = 0x111 | 0xff000;
	}
	if (form == 'w') {
		i.mods = ISA_MOD_SDWA;
		i.ctl = 6 | 5 << 8 | 6 << 12;
	}
	if (!o->bind(NULL, &i)) {
		printf("bench-lane %s %c %s unsupported\n", r->name, form, o->name);
		return;
	}
	isa_set_exec(w, ~0ull);
	full = measure(o, w, &i);
	isa_set_exec(w, 0x5555555555555555);
	part = measure(o, w, &i);
	printf("bench-lane %-16s %c %-6s %8.2f %8.2f %5.2f\n", r->name, form, o->name, full,
	       part, part / full);
}

int main(int argc, char **argv)
{
	static const char * const names[] = { "sse2", "avx2", "avx512" };
	static const char forms[] = "vsndw";
	struct lt_wave t;
	unsigned int n, k, f;

	if (!lt_wave_make(&t))
		return 1;
	t.w->mode = 0x3f0;
	for (n = 0; n < LT_ROWS * ISA_LANES; n++)
		t.w->v[n] = 0x3f800000 + (u32)lt_rand() % 0x800000;
	t.w->s[10] = 0x3fc00000;
	for (k = 0; k < ARRAY_SIZE(names); k++) {
		const struct isa_lane_ops *o = isa_lane_by_name(names[k], lt_cpu());

		if (!o || (argc > 1 && strcmp(argv[1], names[k])))
			continue;
		for (n = 0; n < ARRAY_SIZE(rows); n++)
			bench(o, t.w, &rows[n], 'v');
		for (f = 1; forms[f]; f++)
			bench(o, t.w, &rows[1], forms[f]);
	}
	return 0;
}
