// SPDX-License-Identifier: MIT
/*
 * Speed of the 28 shapes that AMD's emulator, rocjitsu, is measured by every night: sizes and types
 * are those of benchmarks/suites/nightly.toml in ROCm/rocjitsu-test-corpus (commit 29d257508afd, 2026).
 * The kernels there are Triton's and those of a library; here they are shapes.cl's, so tiles and
 * instructions are others. One thread; CPU time, the best of some runs:
 *	shape NAME TARGET VARIANT ENGINE ELEMENTS MS ELEMENTS_PER_S GFLOPS ERROR
 * Each result is checked; a wrong one fails the program.
 *
 *	isa_shapes_bench [-d DIR] [-r RUNS] [-k NAME] [-v VARIANT] [-e ENGINE] [TARGET]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "launch.h"
#include "shapes.h"
#ifdef HAVE_JIT
#include "launch_jit.h"
#endif

#define GROUP	256u
#define TILE	64u
#define WARM	3u		/* runs before the first that counts: hot code is compiled in them */

static const struct shape shapes[] = {
	{ "copy_fp32_32m", "copy", COPY, F32, { 8388608 }, 0 },
	{ "vector_add_fp32_boundary", "vector_add", VECTOR_ADD, F32, { 8388611 }, 0 },
	{ "transpose_fp16_2048", "transpose", TRANSPOSE, F16, { 2048, 2048 }, 0 },
	{ "gather_fp32_irregular", "gather", GATHER, F32, { 8388608, 4194307, 104729, 17 }, 0 },
	{ "atomic_add_fp32_contended", "atomic_add", ATOMIC_ADD, F32, { 131072, 256 }, 0 },
	{ "softmax_fp16_aligned", "softmax_f16", SOFTMAX, F16, { 64, 4096 }, 2 },
	{ "softmax_fp16_boundary", "softmax_f16_wide", SOFTMAX, F16, { 64, 4097 }, 2 },
	{ "rmsnorm_bf16", "rmsnorm_bf16", RMSNORM, BF16, { 128, 4096 }, 2 },
	{ "gemm_bf16_aligned", "gemm_bf16", GEMM, BF16, { 256, 256, 512 }, 0 },
	{ "gemm_bf16_ragged", "gemm_bf16_ragged", GEMM, BF16, { 250, 250, 510 }, 0 },
	{ "gpt_oss_attention_bf16", "attention", ATTENTION, BF16, { 64, 8, 128, 128 }, 4 },
	{ "gemm_fp16_128x128x128", "gemm_f16", GEMM, F16, { 128, 128, 128 }, 0 },
	{ "gemm_fp16_256x256x512", "gemm_f16", GEMM, F16, { 256, 256, 512 }, 0 },
	{ "gemm_fp16_512x512x512", "gemm_f16", GEMM, F16, { 512, 512, 512 }, 0 },
	{ "gemm_fp16_1024x1024x1024", "gemm_f16", GEMM, F16, { 1024, 1024, 1024 }, 0 },
	{ "gemm_fp16_1024x128x512", "gemm_f16", GEMM, F16, { 1024, 128, 512 }, 0 },
	{ "gemm_fp16_128x1024x512", "gemm_f16", GEMM, F16, { 128, 1024, 512 }, 0 },
	{ "gemm_fp16_128x128x2048", "gemm_f16", GEMM, F16, { 128, 128, 2048 }, 0 },
	{ "gemm_fp16_250x250x510", "gemm_f16_ragged", GEMM, F16, { 250, 250, 510 }, 0 },
	{ "gemm_bf16_128x128x128", "gemm_bf16", GEMM, BF16, { 128, 128, 128 }, 0 },
	{ "gemm_bf16_512x512x512", "gemm_bf16", GEMM, BF16, { 512, 512, 512 }, 0 },
	{ "gemm_bf16_1024x1024x1024", "gemm_bf16", GEMM, BF16, { 1024, 1024, 1024 }, 0 },
	{ "gemm_bf16_1024x128x512", "gemm_bf16", GEMM, BF16, { 1024, 128, 512 }, 0 },
	{ "gemm_bf16_128x1024x512", "gemm_bf16", GEMM, BF16, { 128, 1024, 512 }, 0 },
	{ "gemm_bf16_128x128x2048", "gemm_bf16", GEMM, BF16, { 128, 128, 2048 }, 0 },
	{ "softmax_fp32_64x4096", "softmax_f32", SOFTMAX, F32, { 64, 4096 }, 16 },
	{ "rmsnorm_fp16_128x4096", "rmsnorm_f16", RMSNORM, F16, { 128, 4096 }, 2 },
	{ "gpt_oss_attention_bf16_seq256", "attention", ATTENTION, BF16, { 64, 8, 256, 128 }, 4 },
};

struct options {
	const char *dir, *name, *variant, *engine, *target;
	u32 runs;
};

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void make_groups(const struct shape *s, u16 groups[3])
{
	groups[0] = (u16)s->n[0];
	groups[1] = groups[2] = 1;
	switch (s->work) {
	case COPY:
	case VECTOR_ADD:
	case ATOMIC_ADD:
		groups[0] = (u16)((s->n[0] + 1023) / 1024);
		break;
	case GATHER:
		groups[0] = (u16)((s->n[1] + 1023) / 1024);
		break;
	case TRANSPOSE:
		groups[0] = (u16)(s->n[1] / 32);
		groups[1] = (u16)(s->n[0] / 32);
		break;
	case GEMM:
		groups[0] = (u16)((s->n[1] + TILE - 1) / TILE);
		groups[1] = (u16)((s->n[0] + TILE - 1) / TILE);
		break;
	case ATTENTION:
		groups[0] = (u16)(s->n[2] / TILE);
		groups[1] = (u16)s->n[0];
		break;
	default:
		break;
	}
}

/* What shapes.cl calls @n, less what the grid says */
static void make_numbers(const struct shape *s, u32 n[4])
{
	const float epsilon = EPSILON;

	memcpy(n, s->n, sizeof(s->n));
	switch (s->work) {
	case GATHER:
		n[0] = s->n[1];
		break;
	case SOFTMAX:
	case RMSNORM:
		n[0] = s->n[1];
		memcpy(&n[1], &epsilon, sizeof(epsilon));
		break;
	case ATTENTION:
		n[0] = s->n[2];
		n[1] = s->n[3];
		n[2] = s->n[0] / s->n[1];
		break;
	default:
		break;
	}
}

static bool run_shape(struct sim *sim, const struct options *o, const struct shape *s, bool jit)
{
	const u16 group[3] = { GROUP, 1, 1 };
	double best = 1e18, ns, err;
	struct sim_kernel k;
	char path[600], why[256];
	u64 bytes[4], args;
	u16 groups[3];
	void *buf[4] = { 0 };
	u32 n[4], i;

	snprintf(path, sizeof(path), "%s/shapes.%s.hsaco", o->dir, o->target);
	sim_reset(sim);
	if (sim_load(sim, path) || sim_kernel(sim, s->kernel, &k)) {
		printf("# %s: no %s\n", path, s->kernel);
		return false;
	}
	args = sim_alloc(sim, 256, 0);
	shape_sizes(s, bytes);
	for (i = 0; i < 4; i++) {
		u64 va = bytes[i] ? sim_alloc(sim, bytes[i], 0) : 0;

		buf[i] = bytes[i] ? sim_host(sim, va) : NULL;
		sim_write(sim, args + 8 * i, &va, sizeof(va));
	}
	make_numbers(s, n);
	make_groups(s, groups);
	sim_write(sim, args + 32, n, sizeof(n));
	shape_fill(s, buf);
	for (i = 0; i < o->runs + (jit ? WARM : 1); i++) {
		memset(buf[0], 0, bytes[0]);
		ns = cpu_ns();
		if (sim_launch(sim, &k, group, groups, args, why, sizeof(why))) {
			printf("# %s: %s\n", s->name, why);
			return false;
		}
		ns = cpu_ns() - ns;
		if (i >= (jit ? WARM : 1) && ns < best)
			best = ns;
	}
	err = shape_check(s, buf);
	printf("shape %s %s %s %s %.0f %.3f %.4g %.3f %.2f\n", s->name, o->target, o->variant,
	       jit ? "jit" : "interp", shape_elements(s), best * 1e-6,
	       shape_elements(s) / best * 1e9, shape_flops(s) / best, err);
	fflush(stdout);
	return err <= s->tolerance;
}

static u32 run_all(const struct options *o, bool jit)
{
	struct sim *sim = sim_create(o->target, o->variant, SIM_FLAT);
	u32 bad = 0, k;

	if (!sim) {
		printf("# no %s for %s here\n", o->variant, o->target);
		return 1;
	}
	for (k = 0; k < ARRAY_SIZE(shapes); k++) {
#ifdef HAVE_JIT
		const struct jit_options jo = { .hot = 2, .wait = true, .lane = o->variant };
		struct jit *j = jit ? jit_create(&jo) : NULL;

		if (j)
			sim_set_jit(sim, j);
#endif
		if (!o->name || !strcmp(o->name, shapes[k].name))
			bad += !run_shape(sim, o, &shapes[k], jit);
#ifdef HAVE_JIT
		if (j)
			jit_destroy(j);
#endif
	}
	sim_destroy(sim);
	return bad;
}

int main(int argc, char **argv)
{
	struct options o = { .runs = 5, .variant = isa_lane_name(isa_lane_pick(host_cpu())) };
	char *slash = strrchr(argv[0], '/'), dir[512], path[600];
	u32 bad = 0;
	int a;

	snprintf(dir, sizeof(dir), "%.*s/../programs", slash ? (int)(slash - argv[0]) : 1,
		 slash ? argv[0] : ".");
	o.dir = dir;
	for (a = 1; a + 1 < argc && argv[a][0] == '-'; a += 2) {
		if (!strcmp(argv[a], "-d"))
			o.dir = argv[a + 1];
		else if (!strcmp(argv[a], "-r"))
			o.runs = (u32)atoi(argv[a + 1]);
		else if (!strcmp(argv[a], "-k"))
			o.name = argv[a + 1];
		else if (!strcmp(argv[a], "-v"))
			o.variant = argv[a + 1];
		else if (!strcmp(argv[a], "-e"))
			o.engine = argv[a + 1];
		else
			return 2;
	}
	/* The target that the other one is measured with needs a younger compiler: selftests/gpu.mk. */
	snprintf(path, sizeof(path), "%s/shapes.gfx950.hsaco", o.dir);
	o.target = a < argc ? argv[a] : access(path, R_OK) ? "gfx942" : "gfx950";
	if (!o.runs)
		return 2;
	if (!o.engine || !strcmp(o.engine, "interp"))
		bad += run_all(&o, false);
#ifdef HAVE_JIT
	if (!o.engine || !strcmp(o.engine, "jit"))
		bad += run_all(&o, true);
#else
	printf("# no JIT: built without LLVM 19\n");
#endif
	printf("# %u wrong\n", bad);
	return bad != 0;
}
