// SPDX-License-Identifier: MIT
/*
 * Runs the test programs natively: every program for every target at every
 * optimisation level, in every SIMD variant this CPU has, with memory in one
 * stretch and in scattered pages; every byte is compared.
 *
 *	run [-d DIR] [-t TARGET] [-c] [PROGRAM...]
 * -c prints how often each opcode ran instead of a test report.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"
#include "programs.h"
#include "../targets.h"

static const char *const lanes[] = { "sse2", "avx2", "avx512" };

#define LEVELS	4

struct options {
	const char *dir;
	const char *target;
	u64 *counters;
};

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

/* Target names are never parts of one another. */
static bool is_for(const struct program *p, const char *target)
{
	return !p->targets || strstr(p->targets, target);
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
	u32 n, level, count = 0;
	size_t k;

	for (n = 0; n < ARRAY_SIZE(sims); n++) {
		sims[n] = sim_create(o->target, lanes[n / 2], n & 1 ? SIM_PAGES : SIM_FLAT);
		count += !!sims[n];
		if (!sims[n] && !(n & 1))
			printf("# no %s for %s here\n", lanes[n / 2], o->target);
	}
	for (k = 0; k < program_count(); k++) {
		const struct program *p = program_at(k);

		if (!wanted(p->name, list) || !is_for(p, o->target))
			continue;
		for (level = 0; level < LEVELS; level++) {
			bool ok = count && run_level(o, sims, ARRAY_SIZE(sims), p, level);

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
	struct options o = { 0 };
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
		else if (!strcmp(argv[n], "-c"))
			o.counters = zeroed(isa_op_count() * sizeof(u64));
		else
			return 2;
	}
	return run_all(&o, argv + n);
}
