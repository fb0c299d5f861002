// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine in a kernel: runs small gfx90a programs with every SIMD variant that this
 * CPU supports, in the same kind of section that the workers use.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../compat/cpu.h"
#include "../isa/isa_int.h"

#define CODE_VA		0x100000ull
#define ROWS		64
#define LINES		16
#define BUDGET		10000

struct engine {
	struct isa_cu *cu;
	struct isa_wg wg;
	struct isa_wave *w;
	struct isa_exit ex;
	u32 *page;
	u64 ticks;
};

static bool engine_lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x)
{
	struct engine *e = cu->priv;

	if (va < CODE_VA || va >= CODE_VA + PAGE_SIZE)
		return false;
	x->host = (u8 *)e->page;
	x->access = ISA_R | ISA_W | ISA_X;
	return true;
}

static u64 engine_clock(struct isa_cu *cu)
{
	return ((struct engine *)cu->priv)->ticks++;
}

static void *engine_memory(struct kunit *test, size_t bytes)
{
	void *p = kunit_kzalloc(test, roundup_pow_of_two(bytes + 64), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return PTR_ALIGN(p, 64);
}

static int engine_init(struct kunit *test)
{
	struct engine *e = engine_memory(test, sizeof(*e));

	e->cu = engine_memory(test, sizeof(*e->cu));
	e->page = engine_memory(test, 2 * PAGE_SIZE);
	e->wg.lds = engine_memory(test, 4096 + 64);
	e->wg.lds_bytes = 4096;
	e->cu->target = isa_target_by_name("gfx90a");
	e->cu->icache = isa_icache_init(engine_memory(test, isa_icache_bytes(LINES)), LINES);
	e->cu->lookup = engine_lookup;
	e->cu->clock = engine_clock;
	e->cu->priv = e;
	e->w = isa_wave_init(engine_memory(test, isa_wave_bytes()),
			     engine_memory(test, ROWS * ISA_LANES * sizeof(u32)), ROWS);
	test->priv = e;
	return 0;
}

static const char * const engine_lanes[] = { "sse2", "avx2", "avx512" };

static void engine_lane_name(const char * const *lane, char *name)
{
	strscpy(name, *lane, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(engine, engine_lanes, engine_lane_name);

/* The CPU features that the backend would find, by the same words of cpuid. */
static u32 engine_cpu(void)
{
	u32 cpu = 0;

	if (boot_cpu_has(X86_FEATURE_AVX2) && boot_cpu_has(X86_FEATURE_FMA) &&
	    boot_cpu_has(X86_FEATURE_F16C) && cpu_has_xfeatures(XFEATURE_MASK_YMM, NULL))
		cpu |= ISA_CPU_AVX2;
	if (boot_cpu_has(X86_FEATURE_AVX512F) && boot_cpu_has(X86_FEATURE_AVX512VL) &&
	    boot_cpu_has(X86_FEATURE_AVX512DQ) && boot_cpu_has(X86_FEATURE_AVX512BW) &&
	    cpu_has_xfeatures(XFEATURE_MASK_AVX512, NULL))
		cpu |= ISA_CPU_AVX512;
	return cpu;
}

static enum isa_stop engine_run(struct kunit *test, const u32 *words, size_t bytes, u64 exec)
{
	struct isa_wave_setup setup = {
		.mode = 0x3c0, .rows = ROWS, .acc_offset = ROWS / 2, .sgprs = 104,
		.ids = 1, .size = { ISA_LANES, 1, 1 },
	};
	const char * const *lane = test->param_value;
	struct engine *e = test->priv;
	enum isa_stop why;

	e->cu->lane = isa_lane_by_name(*lane, engine_cpu());
	if (!e->cu->lane)
		kunit_skip(test, "this CPU has no %s", *lane);
	memcpy(e->page, words, bytes);
	e->cu->icache_epoch++;
	isa_wave_reset(e->w, e->cu, &e->wg, CODE_VA, exec);
	isa_wave_setup(e->w, &setup);
	kernel_fpu_begin();
	why = isa_wave_run(e->w, BUDGET, &e->ex);
	kernel_fpu_end();
	return why;
}

/* v1 = lane + 7, in the lanes enabled in EXEC */
static void engine_vector(struct kunit *test)
{
	static const u32 code[] = {
		0x7e020280,		/* v_mov_b32 v1, 0 */
		0xbe800087,		/* s_mov_b32 s0, 7 */
		0x68020000,		/* v_add_u32 v1, s0, v0 */
		0xbf810000,		/* s_endpgm */
	};
	struct engine *e = test->priv;
	u64 exec = 0xf0f0f0f00f0f0f0full;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, (int)engine_run(test, code, sizeof(code), exec), (int)ISA_STOP_END);
	for (i = 0; i < ISA_LANES; i++)
		KUNIT_EXPECT_EQ_MSG(test, e->w->v[ISA_LANES + i], exec >> i & 1 ? i + 7 : 0,
				    "lane %u", i);
}

/* v1 = 1.5 * 2 + v0 as float: conversion and a fused operation */
static void engine_float(struct kunit *test)
{
	static const u32 code[] = {
		0x7e020d00,		/* v_cvt_f32_u32 v1, v0 */
		0x7e0402ff, 0x3fc00000,	/* v_mov_b32 v2, 1.5 */
		0xd1cb0001, 0x0405e902,	/* v_fma_f32 v1, v2, 2.0, v1 */
		0x7e020f01,		/* v_cvt_u32_f32 v1, v1 */
		0xbf810000,
	};
	struct engine *e = test->priv;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, (int)engine_run(test, code, sizeof(code), ~0ull), (int)ISA_STOP_END);
	for (i = 0; i < ISA_LANES; i++)
		KUNIT_EXPECT_EQ_MSG(test, e->w->v[ISA_LANES + i], i + 3, "lane %u", i);
}

/* s0 counts down from 100 */
static void engine_loop(struct kunit *test)
{
	static const u32 code[] = {
		0xbe8000ff, 100,	/* s_mov_b32 s0, 100 */
		0xbe810080,		/* s_mov_b32 s1, 0 */
		0x80010001,		/* loop: s_add_u32 s1, s1, s0 */
		0x80808100,		/* s_sub_u32 s0, s0, 1 */
		0xbf078000,		/* s_cmp_lg_u32 s0, 0 */
		0xbf85fffc,		/* s_cbranch_scc1 loop */
		0xbf810000,
	};
	struct engine *e = test->priv;

	KUNIT_ASSERT_EQ(test, (int)engine_run(test, code, sizeof(code), ~0ull), (int)ISA_STOP_END);
	KUNIT_EXPECT_EQ(test, e->w->s[1], 5050u);
	KUNIT_EXPECT_EQ(test, e->ex.insns, 2 + 4 * 100 + 1u);
}

static void engine_budget(struct kunit *test)
{
	static const u32 code[] = { 0xbf82ffff };	/* s_branch to itself */

	KUNIT_EXPECT_EQ(test, (int)engine_run(test, code, sizeof(code), ~0ull),
			(int)ISA_STOP_BUDGET);
}

static void engine_miss(struct kunit *test)
{
	static const u32 code[] = {
		0x7e040280, 0x7e060280,	/* v_mov_b32 v2, 0; v_mov_b32 v3, 0 */
		0xdc508000, 0x017f0002,	/* global_load_dword v1, v[2:3], off */
		0xbf810000,
	};
	struct engine *e = test->priv;

	KUNIT_ASSERT_EQ(test, (int)engine_run(test, code, sizeof(code), ~0ull),
			(int)ISA_STOP_MISS);
	KUNIT_EXPECT_EQ(test, e->ex.va, 0ull);
	KUNIT_EXPECT_EQ(test, isa_wave_pc(e->w), CODE_VA + 8);
}

static void engine_illegal(struct kunit *test)
{
	static const u32 code[] = { 0xffffffff, 0xffffffff };
	struct engine *e = test->priv;

	KUNIT_ASSERT_EQ(test, (int)engine_run(test, code, sizeof(code), ~0ull),
			(int)ISA_STOP_ILLEGAL);
	KUNIT_EXPECT_EQ(test, isa_wave_pc(e->w), CODE_VA);
}

static struct kunit_case engine_list[] = {
	KUNIT_CASE_PARAM(engine_vector, engine_gen_params),
	KUNIT_CASE_PARAM(engine_float, engine_gen_params),
	KUNIT_CASE_PARAM(engine_loop, engine_gen_params),
	KUNIT_CASE_PARAM(engine_budget, engine_gen_params),
	KUNIT_CASE_PARAM(engine_miss, engine_gen_params),
	KUNIT_CASE_PARAM(engine_illegal, engine_gen_params),
	{}
};

static struct kunit_suite engine_suite = {
	.name = "vkfd_engine",
	.init = engine_init,
	.test_cases = engine_list,
};

kunit_test_suite(engine_suite);
