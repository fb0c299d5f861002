// SPDX-License-Identifier: MIT
/*
 * Speed of the interpreter on the eight kernels, natively:
 *	bench KERNEL TARGET VARIANT NS, bar NS: RATIO  (more after it)
 * NS is CPU time per wave-instruction, scalar ones counted too, the median of
 * several runs. The ratio is to the same work in C, measured in the same run.
 * Results are checked; a wrong one fails the program.
 *
 * What it costs that lanes are off, in the same kernels launched with EXEC
 * trimmed: ns with all lanes on, and for each EXEC the ratio to it; both are
 * medians, of launches in turns. The bar is for the worst of them:
 *	bench-exec KERNEL TARGET VARIANT NS RATIO RATIO RATIO, bar RATIO: RATIO
 *
 * And what a second worker, a process of its own here, adds on the clock once
 * both are ready to launch; the best of several turns of one and of two:
 *	bench-workers KERNEL TARGET VARIANT RATIO, bar RATIO: RATIO
 *
 * What it costs to begin and end a wave: CPU time of a grid whose code is s_endpgm, by
 * the number of its waves, the best of several runs. VGPRs are cleared, so it depends on
 * how many a wave has:
 *	bench-start TARGET VARIANT VGPRS NS, bar NS: RATIO
 *
 *	bench [-d DIR] [-r RUNS] [-k KERNEL] [-v VARIANT] [-e ENGINE] [TARGET...]
 *
 * KERNEL may be start, for what it costs to begin a wave alone.
 * ENGINE is interp or jit; with jit hot code is compiled, in the first of the runs:
 *	jit KERNEL TARGET VARIANT: units and what they are, instructions by who ran them
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launch.h"
#include "work.h"
#ifdef HAVE_JIT
#include "launch_jit.h"
#endif

#define MAX_RUNS	31

static const char *const lanes[] = { "sse2", "avx2", "avx512" };

struct options {
	const char *dir, *kernel, *variant;
	u32 runs;
	bool jit;
};

/* A kernel in a machine, ready to be launched */
struct loaded {
	struct sim *s;
	const struct bench *b;
	const char *what;
	struct sim_kernel k;
	u64 kernarg;
	void *buf[3];
};

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static double time_native(const struct bench *b, void **want, u32 runs)
{
	double t[MAX_RUNS];
	u32 n;

	for (n = 0; n < runs; n++) {
		bench_fill(b, want);
		t[n] = cpu_ns();
		b->native(want);
		t[n] = cpu_ns() - t[n];
	}
	return bench_median(t, runs);
}

/* What an instruction may cost, ns. */
static double bar_of(const struct bench *b, const char *lane)
{
	if (!strcmp(lane, "sse2") && !strcmp(b->name, "f64"))
		return 400;	/* no fma: each is made of integer arithmetic */
	if (!strcmp(lane, "sse2"))
		return strcmp(b->name, "trans") && strcmp(b->name, "sgemm") ? 60 : 150;
	return strcmp(lane, "avx2") || !strcmp(b->name, "f64") ? 15 : 20;
}

static bool bench_load(struct loaded *l, struct sim *s, const struct options *o,
		       const struct bench *b, const char *target)
{
	char path[600];
	u32 n;

	*l = (struct loaded) { .s = s, .b = b, .what = target };
	snprintf(path, sizeof(path), "%s/kernels.%s.hsaco", o->dir, target);
	sim_reset(s);
	if (sim_load(s, path) || sim_kernel(s, b->name, &l->k)) {
		printf("# %s: no %s\n", path, b->name);
		return false;
	}
	l->kernarg = sim_alloc(s, 256, 0);
	for (n = 0; n < b->buffers; n++) {
		u64 va = sim_alloc(s, (u64)b->dwords[n] * 4, 0);

		l->buf[n] = sim_host(s, va);
		sim_write(s, l->kernarg + 8 * n, &va, 8);
	}
	sim_write(s, l->kernarg + 8 * b->buffers, &b->arg, 4);
	return true;
}

static bool bench_launch(struct loaded *l)
{
	const u16 group[3] = { 256, 1, 1 }, groups[3] = { (u16)(l->b->items / 256), 1, 1 };
	char err[256];

	if (!sim_launch(l->s, &l->k, group, groups, l->kernarg, err, sizeof(err)))
		return true;
	printf("# %s %s: %s\n", l->b->name, l->what, err);
	return false;
}

#ifdef HAVE_JIT
static struct jit *engine_start(struct sim *s, const struct options *o, const char *lane)
{
	const struct jit_options jo = { .hot = 2, .wait = true, .lane = lane };
	struct jit *j = o->jit ? jit_create(&jo) : NULL;

	if (j)
		sim_set_jit(s, j);
	return j;
}

static void engine_end(struct jit *j, const struct bench *b, const char *target, const char *lane)
{
	struct jit_stats st;

	if (!j)
		return;
	jit_stats(j, &st);
	printf("jit %s %s %s: %llu units of %llu instructions, %.1f ms to compile, %llu not; "
	       "%llu instructions, %llu interpreted, %llu handlers called, %llu entries\n", b->name,
	       target, lane, (unsigned long long)st.units, (unsigned long long)st.compiled_insns,
	       (double)st.compile_ns * 1e-6, (unsigned long long)st.failed,
	       (unsigned long long)st.insns, (unsigned long long)st.interpreted,
	       (unsigned long long)st.calls, (unsigned long long)st.entries);
	jit_destroy(j);
}
#else
struct jit;
static struct jit *engine_start(struct sim *s, const struct options *o, const char *lane)
{
	(void)s, (void)o, (void)lane;
	return NULL;
}

static void engine_end(struct jit *j, const struct bench *b, const char *target, const char *lane)
{
	(void)j, (void)b, (void)target, (void)lane;
}
#endif

/* Runs one kernel in one variant; false if the result is wrong. */
static bool bench_one(struct sim *s, const struct options *o, const struct bench *b,
		      const char *target, const char *lane, void *const *want,
		      double native)
{
	double t[MAX_RUNS], worst = 0, ns;
	struct loaded l;
	u64 insns = 0;
	u32 j;

	if (!bench_load(&l, s, o, b, target))
		return false;
	for (j = 0; j < o->runs; j++) {
		bench_fill(b, l.buf);
		insns = sim_insns(s);
		t[j] = cpu_ns();
		if (!bench_launch(&l))
			return false;
		t[j] = cpu_ns() - t[j];
		insns = sim_insns(s) - insns;
	}
	worst = bench_check(b, l.buf[0], want[0]);
	ns = bench_median(t, o->runs);
	printf("bench %-10s %s %-6s %7.2f, bar %3.0f: %.2f  %8llu insns %8.3f ms, "
	       "%5.1fx native %.3f ms, err %.1e\n", b->name, target, lane, ns / insns,
	       bar_of(b, lane), ns / insns / bar_of(b, lane), (unsigned long long)insns, ns * 1e-6,
	       ns / native, native * 1e-6, worst);
	return worst >= 0 && worst <= b->tolerance;
}

/* Every other lane, half a wave, all but one; the first is on in each. */
static const u64 execs[] = { ~0ull, 0x5555555555555555, 0xffffffff, ~0ull >> 1 };

/* ns of CPU time an instruction takes, or -1. */
static double time_exec(struct loaded *l, u64 exec, const void *want)
{
	u64 insns = sim_insns(l->s);
	double ns, err;

	bench_fill(l->b, l->buf);
	sim_set_exec(l->s, exec);
	ns = cpu_ns();
	if (!bench_launch(l))
		return -1;
	ns = cpu_ns() - ns;
	err = bench_check(l->b, l->buf[0], want);
	if (err >= 0 && err <= l->b->tolerance)
		return ns / (double)(sim_insns(l->s) - insns);
	printf("# %s %s: wrong result with EXEC %#llx\n", l->b->name, l->what,
	       (unsigned long long)exec);
	return -1;
}

static bool bench_exec(struct sim *s, const struct options *o, const struct bench *b,
		       const char *target, const char *lane, void *const want[])
{
	const double bar = b->memory ? 1.5 : 1.3;
	double t[ARRAY_SIZE(execs)][MAX_RUNS], worst = 0;
	struct loaded l;
	u32 n, j;

	if (!bench_load(&l, s, o, b, target))
		return false;
	for (j = 0; j < o->runs; j++)
		for (n = 0; n < ARRAY_SIZE(execs); n++) {
			t[n][j] = time_exec(&l, execs[n], want[n]);
			if (t[n][j] < 0)
				return false;
		}
	for (n = 0; n < ARRAY_SIZE(execs); n++) {
		t[n][0] = bench_median(t[n], o->runs);
		if (!n) {
			printf("bench-exec %-10s %s %-6s %7.2f ", b->name, target, lane, t[0][0]);
			continue;
		}
		t[n][0] /= t[0][0];
		worst = t[n][0] > worst ? t[n][0] : worst;
		printf(" %.2f", t[n][0]);
	}
	printf(", bar %.1f: %.2f%s\n", bar, worst / bar, worst > bar ? " over" : "");
	return true;
}

static double wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* A worker: warm, says that it is, launches when @go ends, and says that it has. */
static bool work(const struct options *o, const struct bench *b, const char *target,
		 const char *lane, int ready, int go)
{
	struct sim *s = sim_create(target, lane, SIM_FLAT);
	struct loaded l;
	bool ok;
	char c = 0;
	u32 n;

	ok = s && bench_load(&l, s, o, b, target);
	if (ok) {
		bench_fill(b, l.buf);
		ok = bench_launch(&l);
	}
	ok = write(ready, &c, 1) == 1 && ok && !read(go, &c, 1);
	for (n = 0; n < o->runs && ok; n++)
		ok = bench_launch(&l);
	return write(ready, &c, 1) == 1 && ok;
}

/* @b @o->runs times, each in @workers processes; nanoseconds, or -1. */
static double time_workers(const struct options *o, const struct bench *b, const char *target,
			   const char *lane, u32 workers)
{
	int ready[2], go[2], status;
	double start;
	bool ok = true;
	char c;
	u32 n;

	if (pipe(ready) || pipe(go))
		return -1;
	fflush(stdout);
	for (n = 0; n < workers; n++) {
		pid_t pid = fork();

		if (pid < 0)
			return -1;
		if (!pid) {
			close(go[1]);
			ok = work(o, b, target, lane, ready[1], go[0]);
			fflush(stdout);
			_exit(!ok);
		}
	}
	close(ready[1]);
	for (n = 0; n < workers; n++)
		ok &= read(ready[0], &c, 1) == 1;
	start = wall_ns();
	close(go[1]);
	/* What their ends take, with all their memory, is no work. */
	for (n = 0; n < workers; n++)
		ok &= read(ready[0], &c, 1) == 1;
	start = wall_ns() - start;
	for (n = 0; n < workers; n++)
		ok &= wait(&status) > 0 && !status;
	close(go[0]);
	close(ready[0]);
	return ok ? start : -1;
}

#define TURNS	5

static bool bench_workers(const struct options *o, const struct bench *b, const char *target)
{
	const char *lane = isa_lane_name(isa_lane_pick(host_cpu()));
	double best[2] = { 1e18, 1e18 };
	u32 n, k;

	for (n = 0; n < TURNS; n++)
		for (k = 0; k < 2; k++) {
			double ns = time_workers(o, b, target, lane, k + 1);

			if (ns < 0)
				return false;
			best[k] = ns < best[k] ? ns : best[k];
		}
	printf("bench-workers %-10s %s %-6s %5.2f, bar 1.80: %.2f\n", b->name, target, lane,
	       2 * best[0] / best[1], 2 * best[0] / best[1] / 1.8);
	return true;
}

static void bench_kernel(const struct options *o, const struct bench *b, const char *target,
			 u32 *total, u32 *bad)
{
	void *want[3] = { 0 }, *trimmed[ARRAY_SIZE(execs)];
	double native;
	u32 n;

	for (n = 0; n < b->buffers; n++)
		want[n] = malloc((size_t)b->dwords[n] * 4);
	for (n = 0; n < ARRAY_SIZE(execs); n++) {
		bench_native_exec(b, want, execs[n]);
		trimmed[n] = memcpy(malloc((size_t)b->dwords[0] * 4), want[0],
				    (size_t)b->dwords[0] * 4);
	}
	native = time_native(b, want, o->runs);
	for (n = 0; n < ARRAY_SIZE(lanes); n++) {
		struct sim *s;
		struct jit *j;

		if (o->variant && strcmp(o->variant, lanes[n]))
			continue;
		s = sim_create(target, lanes[n], SIM_FLAT);
		if (!s) {
			printf("# no %s for %s here\n", lanes[n], target);
			continue;
		}
		++*total;
		j = engine_start(s, o, lanes[n]);
		*bad += !bench_one(s, o, b, target, lanes[n], want, native) ||
			!bench_exec(s, o, b, target, lanes[n], trimmed);
		engine_end(j, b, target, lanes[n]);
		fflush(stdout);
		sim_destroy(s);
	}
	for (n = 0; n < b->buffers; n++)
		free(want[n]);
	for (n = 0; n < ARRAY_SIZE(execs); n++)
		free(trimmed[n]);
}

#define START_GROUPS	4096
#define START_WAVES	4	/* of a group */
#define START_BAR	60

/* VGPRs of the kernel in the units of its generation, less 1 */
static u32 start_rsrc1(const char *target, u32 vgprs)
{
	const struct isa_arch *a = isa_target_arch(isa_target_by_name(target));

	return isa_field_put(a->rsrc1_vgprs, isa_arch_units(vgprs, a->vgpr_granule) - 1);
}

static bool bench_start(const struct options *o, const char *target, const char *lane,
			u32 vgprs)
{
	const u16 group[3] = { 64 * START_WAVES, 1, 1 }, groups[3] = { START_GROUPS, 1, 1 };
	const u32 endpgm = 0xbf810000, rsrc1 = start_rsrc1(target, vgprs);
	struct sim *s = sim_create(target, lane, SIM_FLAT);
	struct sim_kernel k = { 0 };
	double best = 1e18;
	char err[256];
	u64 entry;
	u32 n;

	if (!s)
		return true;
	k.kd_va = sim_alloc(s, sizeof(k.kd), 0);
	entry = sim_alloc(s, sizeof(endpgm), 0) - k.kd_va;
	sim_write(s, k.kd_va + entry, &endpgm, sizeof(endpgm));
	memcpy(k.kd + 16, &entry, sizeof(entry));
	memcpy(k.kd + 48, &rsrc1, sizeof(rsrc1));
	for (n = 0; n < o->runs; n++) {
		double ns = cpu_ns();

		if (sim_launch(s, &k, group, groups, 0, err, sizeof(err))) {
			printf("# bench-start %s: %s\n", target, err);
			sim_destroy(s);
			return false;
		}
		ns = (cpu_ns() - ns) / (START_GROUPS * START_WAVES);
		best = ns < best ? ns : best;
	}
	printf("bench-start %s %-6s %2u %6.2f, bar %u: %.2f\n", target, lane, vgprs, best,
	       START_BAR, best / START_BAR);
	sim_destroy(s);
	return true;
}

static bool has_code(const struct options *o, const char *target)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/kernels.%s.hsaco", o->dir, target);
	return !access(path, R_OK);
}

int main(int argc, char **argv)
{
	/* The last one needs a younger compiler: see selftests/gpu.mk. */
	static const char *const every[] = { "gfx906", "gfx90a", "gfx942", "gfx950" };
	struct options o = { .runs = 9 };
	const char *const *targets = every;
	char *slash = strrchr(argv[0], '/'), dir[512];
	u32 count = ARRAY_SIZE(every), total = 0, bad = 0, n, k;
	int a;

	snprintf(dir, sizeof(dir), "%.*s/../programs", slash ? (int)(slash - argv[0]) : 1,
		 slash ? argv[0] : ".");
	o.dir = dir;
	for (a = 1; a + 1 < argc && argv[a][0] == '-'; a += 2) {
		if (!strcmp(argv[a], "-d"))
			o.dir = argv[a + 1];
		else if (!strcmp(argv[a], "-r"))
			o.runs = atoi(argv[a + 1]) < MAX_RUNS ? atoi(argv[a + 1]) : MAX_RUNS;
		else if (!strcmp(argv[a], "-k"))
			o.kernel = argv[a + 1];
		else if (!strcmp(argv[a], "-v"))
			o.variant = argv[a + 1];
		else if (!strcmp(argv[a], "-e"))
			o.jit = !strcmp(argv[a + 1], "jit");
		else
			return 2;
	}
#ifndef HAVE_JIT
	if (o.jit) {
		printf("# no JIT: built without LLVM 19\n");
		return 1;
	}
#endif
	if (a < argc) {
		targets = (const char *const *)argv + a;
		count = argc - a;
	} else if (!has_code(&o, every[count - 1])) {
		count--;
	}
	for (k = 0; k < count; k++)
		for (n = 0; n < BENCHES; n++)
			if (!o.kernel || !strcmp(o.kernel, benches[n].name))
				bench_kernel(&o, &benches[n], targets[k], &total, &bad);
	for (n = 0; n < ARRAY_SIZE(lanes); n++) {
		if ((o.kernel && strcmp(o.kernel, "start")) ||
		    (o.variant && strcmp(o.variant, lanes[n])))
			continue;
		total++;
		bad += !bench_start(&o, targets[0], lanes[n], 8) ||
		       !bench_start(&o, targets[0], lanes[n], 24);
	}
	/* Workers interpret. */
	if (!o.jit && sysconf(_SC_NPROCESSORS_ONLN) > 1)
		for (n = 0; n < BENCHES; n++)
			if (!o.kernel || !strcmp(o.kernel, benches[n].name))
				bad += !bench_workers(&o, &benches[n], targets[0]);
	printf("# %u benchmarks, %u wrong\n", total, bad);
	return bad || !total;
}
