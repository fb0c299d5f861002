// SPDX-License-Identifier: MIT
/*
 * Runs the test programs natively: every program for every target at every
 * optimisation level, in every SIMD variant this CPU has, with memory in one
 * stretch and in scattered pages; every byte is compared.
 *
 *	run [-d DIR] [-t TARGET] [-c] [-e jit] [-l LEVEL] [PROGRAM...]
 * -c prints how often each opcode ran instead of a test report; -e jit compiles what
 * runs more than once. ISA_PROGRAMS_EVERY=N in the environment: an Nth of all, so that each
 * program runs at some level for most targets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"
#include "programs.h"
#include "../targets.h"
#ifdef HAVE_JIT
#include "launch_jit.h"
#endif

static const char *const lanes[] = { "sse2", "avx2", "avx512" };

#define LEVELS	4

struct options {
	const char *dir;
	const char *target;
	u64 *counters;
	bool jit;
	u32 level, levels;	/* from one to before the other */
	u32 every, turn;	/* an Nth of all, beginning with another one for each target */
};

#ifdef HAVE_JIT
static struct jit *jit_start(struct sim *s, const char *lane)
{
	const struct jit_options o = { .hot = 2, .wait = true, .verify = true, .lane = lane };
	struct jit *j = jit_create(&o);

	if (j)
		sim_set_jit(s, j);
	return j;
}

static bool jit_end(struct jit *j, const char *target, const char *lane)
{
	struct jit_stats st;

	jit_stats(j, &st);
	printf("# %s %s: %llu units of %llu instructions in %.1f s, %llu failed; "
	       "%llu instructions run, %llu interpreted, %llu by handlers\n", target, lane,
	       (unsigned long long)st.units, (unsigned long long)st.compiled_insns,
	       (double)st.compile_ns * 1e-9, (unsigned long long)st.failed,
	       (unsigned long long)st.insns, (unsigned long long)st.interpreted,
	       (unsigned long long)st.calls);
	jit_destroy(j);
	return st.units && !st.failed;
}
#else
struct jit;
static struct jit *jit_start(struct sim *s, const char *lane)
{
	(void)s, (void)lane;
	return NULL;
}

static bool jit_end(struct jit *j, const char *target, const char *lane)
{
	(void)j, (void)target, (void)lane;
	return false;
}
#endif

static void *zeroed(size_t bytes)
{
	void *p = calloc(1, bytes);

	if (!p) {
		perror("calloc");
		exit(1);
	}
	return p;
}

static void buffers_make(const struct program *p, void **b)
{
	u32 n;

	for (n = 0; n < PROGRAM_ARGS; n++)
		b[n] = p->args[n].kind == PROGRAM_ARG_BUFFER ? zeroed(p->args[n].v) : NULL;
	p->init(p, b);
}

static void buffers_free(void **b)
{
	u32 n;

	for (n = 0; n < PROGRAM_ARGS; n++)
		free(b[n]);
}

static bool compare(const struct program *p, void *const *got, void *const *want,
		    char *err, size_t len)
{
	u32 n, k;

	for (n = 0; n < PROGRAM_ARGS; n++) {
		const u32 *g = got[n], *e = want[n];

		if (p->args[n].kind != PROGRAM_ARG_BUFFER)
			continue;
		for (k = 0; k < p->args[n].v / 4; k++) {
			if (g[k] == e[k])
				continue;
			snprintf(err, len, "argument %u dword %u: %#x, expected %#x",
				 n, k, g[k], e[k]);
			return false;
		}
	}
	return true;
}

/* Launches and reads the buffers back into @b. */
static bool launch(struct sim *s, const struct program *p, const char *path,
		   void **b, char *err, size_t len)
{
	u32 bytes = program_arg_offset(p, PROGRAM_ARGS), n;
	u64 va[PROGRAM_ARGS], kernarg;
	struct sim_kernel k;

	/* Buffers first: they lie before the 4 GiB line, or across it. */
	for (n = 0; n < PROGRAM_ARGS; n++) {
		if (p->args[n].kind != PROGRAM_ARG_BUFFER)
			continue;
		va[n] = sim_alloc(s, p->args[n].v, 64 * n);
		sim_write(s, va[n], b[n], p->args[n].v);
	}
	if (sim_load(s, path) || sim_kernel(s, p->kernel, &k)) {
		snprintf(err, len, "no kernel %s in its code object", p->kernel);
		return false;
	}
	kernarg = sim_alloc(s, bytes + 256, 0);
	for (n = 0; n < PROGRAM_ARGS && p->args[n].kind != PROGRAM_ARG_NONE; n++) {
		u64 v = p->args[n].kind == PROGRAM_ARG_BUFFER ? va[n] : p->args[n].v;

		sim_write(s, kernarg + program_arg_offset(p, n), &v,
			  p->args[n].kind == PROGRAM_ARG_BUFFER ? 8 : 4);
	}
	if (sim_launch(s, &k, p->group, p->groups, kernarg, err, len))
		return false;
	for (n = 0; n < PROGRAM_ARGS; n++)
		if (p->args[n].kind == PROGRAM_ARG_BUFFER)
			sim_read(s, va[n], b[n], p->args[n].v);
	return true;
}

static bool run_one(struct sim *s, const struct program *p, const char *path,
		    void *const *want, char *err, size_t len)
{
	void *b[PROGRAM_ARGS];
	bool ok;

	buffers_make(p, b);
	ok = launch(s, p, path, b, err, len);
	if (ok && p->fold)
		p->fold(p, b);
	ok = ok && compare(p, b, want, err, len);
	buffers_free(b);
	sim_reset(s);
	return ok;
}

/* One program at one level on all machines. */
static bool run_level(const struct options *o, struct sim **sims, u32 count,
		      const struct program *p, u32 level)
{
	void *want[PROGRAM_ARGS];
	char path[512], err[256];
	bool ok = true;
	u32 n;

	buffers_make(p, want);
	p->ref(p, want);
	snprintf(path, sizeof(path), "%s/%s.%s.O%u.hsaco", o->dir, p->object, o->target, level);
	for (n = 0; n < count; n++) {
		if (!sims[n] || run_one(sims[n], p, path, want, err, sizeof(err)))
			continue;
		printf("# %s O%u %s %s: %s\n", p->name, level, lanes[n / 2],
		       n & 1 ? "pages" : "flat", err);
		ok = false;
	}
	buffers_free(want);
	return ok;
}

static bool wanted(const char *name, char **list)
{
	if (!*list)
		return true;
	for (; *list; list++)
		if (!strcmp(*list, name))
			return true;
	return false;
}

/* Targets of RDNA. Behind a w are the lanes of their waves, if not 32. */
static const char *const rdna_targets[] = {
	"gfx1100", "gfx1100w64", "gfx1151", "gfx1151w64", "gfx1030", "gfx1030w64",
	"gfx1201", "gfx1201w64",
};

/* Whether @target is one of the words, or begins with one that ends in a star. */
static bool is_for(const struct program *p, const char *target)
{
	const char *s = p->targets;
	size_t len;

	for (; s && *s; s += len, s += *s == ' ') {
		len = strcspn(s, " ");
		if (s[len - 1] == '*' ? !strncmp(s, target, len - 1) :
		    len == strlen(target) && !strncmp(s, target, len))
			return true;
	}
	return !p->targets;
}

static void print_counters(const u64 *counters)
{
	u32 n;

	for (n = 0; n < isa_op_count(); n++)
		if (counters[n])
			printf("%12llu %s\n", (unsigned long long)counters[n], isa_op_name(n));
}

/**
 * struct tally - results so far
 * @tests,@failed: of all targets
 */
struct tally {
	u32 tests, failed;
};

static void run_target(const struct options *o, char **list, struct tally *r)
{
	struct sim *sims[2 * ARRAY_SIZE(lanes)];
	struct jit *jits[2 * ARRAY_SIZE(lanes)] = { 0 };
	char name[16];
	u32 n, level, count = 0;
	size_t k;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(o->target, "w"), o->target);
	rdna_lanes = strchr(o->target, 'w') ? 64 : 32;
	rdna_halves = strncmp(o->target, "gfx12", 5);
	for (n = 0; n < ARRAY_SIZE(sims); n++) {
		/* With the JIT the widest: pages, or flat memory where that is AVX2 */
		sims[n] = o->jit && n != (host_cpu() & ISA_CPU_AVX512 ? 5u : 2u) ? NULL :
			  sim_create(name, lanes[n / 2], n & 1 ? SIM_PAGES : SIM_FLAT);
		count += !!sims[n];
		if (sims[n] && o->jit)
			jits[n] = jit_start(sims[n], lanes[n / 2]);
		if (!sims[n] && !(n & 1) && !o->jit)
			printf("# no %s for %s here\n", lanes[n / 2], o->target);
	}
	for (k = 0; k < program_count(); k++) {
		const struct program *p = program_at(k);

		if (!wanted(p->name, list) || !is_for(p, o->target))
			continue;
		for (level = o->level; level < o->levels; level++) {
			bool ok;

			if (rdna_lanes == 64 && level & 1)	/* not built */
				continue;
			if ((k + level + o->turn) % o->every)
				continue;
			ok = count && run_level(o, sims, ARRAY_SIZE(sims), p, level);

			r->tests++;
			r->failed += !ok;
			if (!o->counters || !ok)
				printf("%sok %u %s %s_O%u\n", ok ? "" : "not ", r->tests,
				       o->target, p->name, level);
			fflush(stdout);
		}
	}
	for (n = 0; n < ARRAY_SIZE(sims); n++) {
		if (sims[n] && o->counters)
			sim_count(sims[n], o->counters);
		if (sims[n])
			sim_destroy(sims[n]);
		if (!o->jit || !sims[n])
			continue;
		r->tests++;
		if (jits[n] && jit_end(jits[n], o->target, lanes[n / 2])) {
			printf("ok %u %s %s compiled\n", r->tests, o->target, lanes[n / 2]);
			continue;
		}
		printf("not ok %u %s %s compiled\n", r->tests, o->target, lanes[n / 2]);
		r->failed++;
	}
}

static int run_all(struct options *o, char **list)
{
	struct tally r = { 0 };
	u32 n;

	if (!o->counters)
		printf("TAP version 13\n");
	if (o->target) {
		run_target(o, list, &r);
	} else {
		for (n = 0; n < target_count(); n++) {
			o->target = target_name(n);
			run_target(o, list, &r);
			o->turn++;
		}
		for (n = 0; n < ARRAY_SIZE(rdna_targets); n++) {
			o->target = rdna_targets[n];
			run_target(o, list, &r);
			o->turn++;
		}
	}
	if (o->counters)
		print_counters(o->counters);
	else
		printf("1..%u\n# %u of %u failed\n", r.tests, r.failed, r.tests);
	return !!r.failed;
}

int main(int argc, char **argv)
{
	const char *every = getenv("ISA_PROGRAMS_EVERY");
	struct options o = { .levels = LEVELS, .every = every ? (u32)atoi(every) : 1 };
	char dir[512];
	char *slash = strrchr(argv[0], '/');
	int n = 1;

	snprintf(dir, sizeof(dir), "%.*s/../programs", slash ? (int)(slash - argv[0]) : 1,
		 slash ? argv[0] : ".");
	o.dir = dir;
	for (; n < argc && argv[n][0] == '-'; n++) {
		if (!strcmp(argv[n], "-d") && n + 1 < argc)
			o.dir = argv[++n];
		else if (!strcmp(argv[n], "-t") && n + 1 < argc)
			o.target = argv[++n];
		else if (!strcmp(argv[n], "-e") && n + 1 < argc)
			o.jit = !strcmp(argv[++n], "jit");
		else if (!strcmp(argv[n], "-l") && n + 1 < argc)
			o.level = (u32)atoi(argv[++n]) % LEVELS, o.levels = o.level + 1;
		else if (!strcmp(argv[n], "-c"))
			o.counters = zeroed(isa_op_count() * sizeof(u64));
		else
			return 2;
	}
	if (!o.every)
		return 2;
	return run_all(&o, argv + n);
}
