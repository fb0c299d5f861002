// SPDX-License-Identifier: MIT
/*
 * The kernels, each run on the GPU and compared with the CPU's result element by element.
 *
 * A kernel whose arithmetic is exact in its order must match in every bit; the one that uses
 * hardware approximations has a tolerance.  Sizes are for a GPU that is emulated on an
 * emulated CPU: the whole takes a minute or two there.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"
#include "native.h"

#define GROUP		256u
#define MAX_BUFFERS	3u
#define TIMEOUT_NS	(300ull * 1000000000)

#define VADD_N		(1u << 20)
#define SAXPY_N		(1u << 18)
#define SAXPY_A		0.75f
#define SGEMM_LOG	7u
#define SGEMM_N		(1u << (2 * SGEMM_LOG))
#define REDUCE_GROUPS	64u
#define TRANS_N		(1u << 12)
#define HASH_N		(1u << 15)
#define DIVERGE_N	(1u << 14)

/**
 * struct work - one kernel
 * @items: work-items
 * @elems: elements of each buffer; buffer 0 is the result, and the others are its input
 * @arg: bytes behind the pointers, @arg_bytes of them
 * @result_is_input: what is in buffer 0 beforehand matters
 * @tolerance: relative; 0: bit for bit
 * @integer: elements are numbers, not floats
 * @native: the same on the CPU
 */
struct work {
	const char *name;
	const char *what;
	uint32_t items;
	uint32_t nr_buffers;
	uint32_t elems[MAX_BUFFERS];
	uint32_t arg;
	bool own, has_arg, integer;
	double tolerance;
	void (*native)(uint32_t *const *b);
};

#define FLOATS(p)	((float *)(p))

static void vadd(uint32_t *const *b)
{
	for (uint32_t i = 0; i < VADD_N; i++)
		FLOATS(b[0])[i] = FLOATS(b[1])[i] + FLOATS(b[2])[i];
}

static void saxpy(uint32_t *const *b)
{
	native_saxpy(FLOATS(b[0]), FLOATS(b[1]), SAXPY_A, SAXPY_N);
}

static void sgemm(uint32_t *const *b)
{
	native_sgemm(FLOATS(b[0]), FLOATS(b[1]), FLOATS(b[2]), SGEMM_LOG);
}

static void reduce(uint32_t *const *b)
{
	native_lds_reduce(FLOATS(b[0]), FLOATS(b[1]), REDUCE_GROUPS);
}

static void trans(uint32_t *const *b)
{
	native_trans(FLOATS(b[0]), FLOATS(b[1]), TRANS_N);
}

static void inthash(uint32_t *const *b)
{
	native_inthash(b[0], b[1], HASH_N);
}

static void diverge(uint32_t *const *b)
{
	native_diverge(b[0], b[1], DIVERGE_N);
}

static const struct work works[] = {
	{ .name = "vadd", .what = "c = a + b, 1 Mi floats", .own = true, .items = VADD_N,
	  .nr_buffers = 3, .elems = { VADD_N, VADD_N, VADD_N }, .native = vadd },
	{ .name = "saxpy", .what = "y = a*x + y, 256 Ki floats", .items = SAXPY_N,
	  .nr_buffers = 2, .elems = { SAXPY_N, SAXPY_N }, .has_arg = true,
	  .arg = 0x3f400000 /* SAXPY_A */, .native = saxpy },
	{ .name = "sgemm", .what = "C = A * B, 128 x 128", .items = SGEMM_N, .nr_buffers = 3,
	  .elems = { SGEMM_N, SGEMM_N, SGEMM_N }, .has_arg = true, .arg = SGEMM_LOG,
	  .native = sgemm },
	{ .name = "lds_reduce", .what = "sums of 4096, in LDS", .items = REDUCE_GROUPS * GROUP,
	  .nr_buffers = 2, .elems = { REDUCE_GROUPS, REDUCE_GROUPS * 4096 }, .native = reduce },
	{ .name = "trans", .what = "64 rounds of exp2 sin cos rcp rsq log2 sqrt",
	  .items = TRANS_N, .nr_buffers = 2, .elems = { TRANS_N, TRANS_N }, .tolerance = 2e-3,
	  .native = trans },
	{ .name = "inthash", .what = "64 rounds of integer mixing", .items = HASH_N,
	  .nr_buffers = 2, .elems = { HASH_N, HASH_N }, .integer = true, .native = inthash },
	{ .name = "diverge", .what = "Collatz lengths, divergent loop", .items = DIVERGE_N,
	  .nr_buffers = 2, .elems = { DIVERGE_N, DIVERGE_N }, .integer = true,
	  .native = diverge },
};

struct buffers {
	void *gpu[MAX_BUFFERS];
	uint32_t *cpu[MAX_BUFFERS];
};

static uint32_t xorshift(uint32_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 17;
	*s ^= *s << 5;
	return *s;
}

static int make_buffers(struct demo *d, const struct work *w, struct buffers *b)
{
	uint32_t seed = 12345;

	for (uint32_t i = 0; i < w->nr_buffers; i++) {
		size_t bytes = w->elems[i] * sizeof(uint32_t);
		int err = aql_alloc(d->dev, bytes, AQL_MEM_VRAM, &b->gpu[i]);

		b->cpu[i] = malloc(bytes);
		if (err || !b->cpu[i])
			return err ? err : -ENOMEM;
		for (uint32_t e = 0; e < w->elems[i]; e++) {
			uint32_t r = xorshift(&seed);
			float f = (r >> 8) * (1.0f / (1 << 24));

			memcpy(&b->cpu[i][e], w->integer ? (void *)&r : (void *)&f, 4);
		}
		err = aql_copy(d->dev, b->gpu[i], b->cpu[i], bytes);
		if (err)
			return err;
	}
	return 0;
}

static void free_buffers(struct demo *d, struct buffers *b)
{
	for (uint32_t i = 0; i < MAX_BUFFERS; i++) {
		aql_free(d->dev, b->gpu[i]);
		free(b->cpu[i]);
	}
}

static int launch(struct demo *d, const struct work *w, struct buffers *b)
{
	struct aql_launch l = { .grid = { w->items }, .group = { GROUP } };
	const void *args[MAX_BUFFERS + 1];
	struct aql_kernel *k;
	uint32_t n = 0;
	int err;

	err = aql_code_kernel(w->own ? d->own : d->bench, w->name, &k);
	if (err)
		return err;
	for (; n < w->nr_buffers; n++)
		args[n] = &b->gpu[n];
	if (w->has_arg)
		args[n++] = &w->arg;
	aql_signal_store(d->done, 1);
	err = aql_dispatch(d->queue, k, &l, args, n, d->done);
	return err ? err : aql_wait(d->queue, d->done, TIMEOUT_NS);
}

static bool same(const struct work *w, uint32_t got, uint32_t want)
{
	float g, x;

	if (!w->tolerance)
		return got == want;
	memcpy(&g, &got, sizeof(g));
	memcpy(&x, &want, sizeof(x));
	return fabs((double)g - x) <= w->tolerance * (fabs((double)x) + 1e-2);
}

/* How many elements are wrong; the first few are shown. */
static uint32_t compare(const struct work *w, const uint32_t *got, const uint32_t *want)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < w->elems[0]; i++) {
		if (same(w, got[i], want[i]))
			continue;
		if (wrong++ < 4)
			fprintf(stderr, "  %s[%u]: GPU 0x%08x, CPU 0x%08x\n", w->name, i, got[i],
				want[i]);
	}
	return wrong;
}

static int run(struct demo *d, const struct work *w, double *gpu, double *cpu, uint32_t *wrong)
{
	struct buffers b = { 0 };
	uint64_t start, end;
	uint32_t *got = malloc(w->elems[0] * sizeof(*got));
	double t;
	int err = got ? make_buffers(d, w, &b) : -ENOMEM;

	if (!err)
		err = launch(d, w, &b);
	if (!err) {
		aql_signal_times(d->done, &start, &end);
		*gpu = d->info.counter_hz ? (double)(end - start) / d->info.counter_hz : 0;
		err = aql_copy(d->dev, got, b.gpu[0], w->elems[0] * sizeof(*got));
	}
	if (!err) {
		t = demo_seconds();
		w->native(b.cpu);
		*cpu = demo_seconds() - t;
		*wrong = compare(w, got, b.cpu[0]);
	}
	free_buffers(d, &b);
	free(got);
	return err;
}

/* Run all, one line each; how many failed. */
int demo_kernels(struct demo *d)
{
	int failed = 0;

	printf("\n  kernel      work-items    GPU time   CPU in C  check\n");
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		const struct work *w = &works[i];
		double gpu = 0, cpu = 0;
		uint32_t wrong = 0;
		int err = run(d, w, &gpu, &cpu, &wrong);

		printf("  %-10s %11u  %9.2f ms %7.2f ms  ", w->name, w->items, gpu * 1e3,
		       cpu * 1e3);
		if (err) {
			struct aql_fault f;
			uint64_t code = 0;

			printf("FAILED: %s", aql_strerror(err));
			if (aql_queue_error(d->queue, &code))
				printf(" (%s, 0x%" PRIx64 ")", aql_queue_error_name(code), code);
			if (aql_dev_fault(d->dev, &f))
				printf(" (address 0x%" PRIx64 ")", f.va);
		} else if (wrong) {
			printf("WRONG: %u of %u elements", wrong, w->elems[0]);
		} else {
			printf("ok, %u elements %s", w->elems[0],
			       w->tolerance ? "within tolerance" : "identical");
		}
		printf("   %s\n", w->what);
		fflush(stdout);
		failed += err || wrong;
		if (err)
			break;
	}
	return failed;
}
