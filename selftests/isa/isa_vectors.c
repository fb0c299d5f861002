// SPDX-License-Identifier: MIT
/*
 * The test vectors of vectors/: each case is an instruction's words, the state
 * before and what must have changed after, made by a model in Python that
 * shares nothing with the engine. Every SIMD build runs every case; whatever a
 * case does not name must be as it was.
 *
 *	isa_vectors [FILE]	TAP, a line a target and encoding
 *	isa_vectors counts	target, encoding, opcode, vectors, worst ulp: of
 *				those without a failure
 *
 * FILE is isa_vectors.rows, next to the program, if it is not named.
 *
 * Built as isa_vectors_jit: some of the cases, for one target each, compiled.
 */
#include <stdlib.h>
#include "rig.h"
#include "targets.h"
#ifdef HAVE_JIT
#include "jit.h"
#endif

#define ROWS		64
#define AT		0x800u	/* of the instruction */
#define DATA_BYTES	4096u
#define LDS_BYTES	4096u
#define MAX_RESULTS	8192

static const char * const lanes[] = { "sse2", "avx2", "avx512" };

struct result {
	u32 target;
	char enc[12], name[40];
	u32 vectors, failed, ulp;
};

struct state {
	u32 v[ROWS * ISA_LANES], s[128], m[DATA_BYTES / 4], l[LDS_BYTES / 4];
	u32 scc, mode;
};

struct kase {
	char name[40], enc[24];
	u32 targets, count, words[4], nwords, ulp;
	u64 stop, info, pc;
	bool has_info;
	struct state in, out;
	u8 close[ROWS];		/* rows that may be @ulp off */
};

static struct result results[MAX_RESULTS];
static u32 nresults, complaints;
static struct state fresh;

/* As pattern() of cases.py */
static u32 pattern(u32 i)
{
	u32 x = (i + 1) * 2654435761u;

	x ^= x >> 15;
	x *= 0x85ebca6b;
	return x ^ x >> 13;
}

static void make_fresh(void)
{
	u32 n;

	for (n = 0; n < ROWS * ISA_LANES; n++)
		fresh.v[n] = pattern(0x10000 + n);
	for (n = 0; n < 126; n++)
		fresh.s[n] = pattern(0x20000 + n);
	fresh.s[125] = 0;
	fresh.s[126] = fresh.s[127] = ~0u;
	for (n = 0; n < DATA_BYTES / 4; n++)
		fresh.m[n] = pattern(0x30000 + n);
	for (n = 0; n < LDS_BYTES / 4; n++)
		fresh.l[n] = pattern(0x40000 + n);
	fresh.mode = 0x3f0;
}

static void set_words(u32 *to, u32 limit, u32 at, char *p)
{
	while (*p && *p != '\n') {
		u32 x = (u32)strtoul(p, &p, 16);

		if (at >= limit) {
			printf("Bail out! a case names what is not there\n");
			exit(1);
		}
		to[at++] = x;
	}
}

static void set_row(struct kase *k, struct state *st, u32 row, char *p)
{
	u32 n, v[ISA_LANES];

	for (n = 0; n < ISA_LANES && *p && *p != '\n'; n++)
		v[n] = (u32)strtoul(p, &p, 16);
	for (; n < ISA_LANES; n++)
		v[n] = v[0];
	if (row >= ROWS)
		exit(1);
	memcpy(st->v + row * ISA_LANES, v, sizeof(v));
	if (st == &k->out)
		k->close[row] = 1;
}

/* What is put in before is also expected after. */
static void line(struct kase *k, char *p)
{
	char key[8];
	int used = 0;
	u32 at = 0;
	bool in;

	if (sscanf(p, "%7s%n", key, &used) != 1)
		return;
	p += used;
	in = key[0] >= 'a' && !strchr(key, '!');
	if (!strcmp(key, "w")) {
		while (*p && *p != '\n')
			k->words[k->nwords++] = (u32)strtoul(p, &p, 16);
	} else if (!strncmp(key, "mode", 4) || !strncmp(key, "scc", 3)) {
		u32 x = (u32)strtoul(p, &p, 16);

		if (in)
			*(key[0] == 'm' ? &k->in.mode : &k->in.scc) = x;
		*(key[0] == 'm' ? &k->out.mode : &k->out.scc) = x;
	} else if (!strncmp(key, "exec", 4)) {
		u64 x = strtoull(p, &p, 16);

		if (in)
			memcpy(k->in.s + 126, &x, 8);
		memcpy(k->out.s + 126, &x, 8);
	} else if (!strcmp(key, "u")) {
		k->ulp = (u32)strtoul(p, &p, 16);
	} else if (!strcmp(key, "pc")) {
		k->pc = strtoull(p, &p, 16);
	} else if (!strcmp(key, "stop")) {
		k->stop = strtoull(p, &p, 16);
		k->has_info = *p == ' ';
		k->info = strtoull(p, &p, 16);
	} else {
		at = (u32)strtoul(p, &p, 16);
		if (key[0] == 'v' || key[0] == 'V') {
			if (in)
				set_row(k, &k->in, at, p);
			set_row(k, &k->out, at, p);
		} else {
			char c = key[0] | 32;
			u32 limit = c == 's' ? 126 : DATA_BYTES / 4;
			struct state *st[2] = { &k->out, &k->in };
			int n;

			for (n = 0; n <= in; n++)
				set_words(c == 's' ? st[n]->s : c == 'm' ? st[n]->m : st[n]->l,
					  limit, c == 's' ? at : at / 4, p);
		}
		if (in && key[0] == 'v')
			k->close[at] = 0;
	}
}

static struct result *result_of(u32 target, const struct kase *k)
{
	size_t len = strcspn(k->enc, ".");
	u32 n;

	for (n = nresults; n-- > 0;) {
		struct result *r = &results[n];

		if (r->target == target && !strcmp(r->name, k->name) &&
		    strlen(r->enc) == len && !strncmp(r->enc, k->enc, len))
			return r;
	}
	if (nresults == MAX_RESULTS)
		exit(1);
	results[nresults].target = target;
	snprintf(results[nresults].enc, sizeof(results[0].enc), "%.*s", (int)len, k->enc);
	snprintf(results[nresults].name, sizeof(results[0].name), "%s", k->name);
	return &results[nresults++];
}

static s64 order(u64 x, int bits)
{
	u64 sign = 1ull << (bits - 1);

	x &= sign | (sign - 1);
	return x & sign ? -(s64)(x & (sign - 1)) : (s64)x;
}

/* How far apart two results are, in units of the last place. */
static u64 distance(const struct kase *k, const u32 *want, const u32 *got, u32 row)
{
	int bits = strstr(k->name, "_f64") ? 64 : strstr(k->name, "_f16") ? 16 : 32;
	u64 a = *want, b = *got;
	s64 d;

	if (bits == 64) {
		if (row & 1)		/* with the low half */
			return 0;
		a |= (u64)want[ISA_LANES] << 32;
		b |= (u64)got[ISA_LANES] << 32;
	}
	if (bits == 16 && (a ^ b) >> 16)
		return ~0ull;
	d = order(a, bits) - order(b, bits);
	return d < 0 ? -(u64)d : (u64)d;
}

static bool complain(const struct kase *k, const char *target, const char *lane, const char *what,
		     u32 at, u32 was, u32 want, u32 got)
{
	static char last[64];
	char now[64];

	snprintf(now, sizeof(now), "%s %s", k->enc, k->name);
	complaints++;
	if (strcmp(now, last) && complaints < 1000)	/* one a form is enough */
		fprintf(stderr, "# %s %s %s %s (%08x %08x): %s %u (0x%x): was %08x, want %08x, got %08x\n",
		       target, lane, k->enc, k->name, k->words[0], k->words[1], what, at, at, was,
		       want, got);
	snprintf(last, sizeof(last), "%s", now);
	return false;
}

static bool same_rows(const struct kase *k, const u32 *got, struct result *r, const char *lane)
{
	const char *t = target_name(r->target);
	u32 n;

	for (n = 0; n < ROWS * ISA_LANES; n++) {
		u32 row = n / ISA_LANES;
		u64 d;

		if (got[n] == k->out.v[n])
			continue;
		d = k->ulp && k->close[row] ? distance(k, k->out.v + n, got + n, row) : ~0ull;
		if (d > k->ulp)
			return complain(k, t, lane, row < 32 ? "lane of v0 +" : "lane of a0 +", n,
					k->in.v[n], k->out.v[n], got[n]);
		if (d > r->ulp)
			r->ulp = (u32)d;
	}
	return true;
}

static bool same_words(const struct kase *k, const char *what, const u32 *was, const u32 *want,
		       const void *mem, u32 n, const char *t, const char *lane)
{
	u32 k2, got;

	for (k2 = 0; k2 < n; k2++) {
		memcpy(&got, (const u8 *)mem + k2 * 4, 4);
		if (got != want[k2])
			return complain(k, t, lane, what, k2, was[k2], want[k2], got);
	}
	return true;
}

#ifdef HAVE_JIT
#define JIT_CASES	31u	/* one of so many */
#define JIT_LIVES	1000u	/* cases until another one begins */

static struct jit_stats compiled;

/* The instruction, as a unit of one */
static enum isa_stop run(struct rig *r, const char *lane)
{
	const struct jit_options o = {
		.hot = 1, .wait = true, .verify = true, .lane = lane, .max_insns = 1,
	};
	static struct jit *jits[3];
	static u32 lives;
	struct jit_stats st;
	u32 n = !strcmp(lane, "avx512") ? 2 : 1;

	if (jits[n] && ++lives % JIT_LIVES == 0) {
		jit_destroy(jits[n]);
		jits[n] = NULL;
	}
	if (!jits[n])
		jits[n] = jit_create(&o);
	if (!jits[n])
		exit(1);
	memset(&r->ex, 0, sizeof(r->ex));
	jit_wave_run(jits[n], r->w, 1, &r->ex);
	jit_stats(jits[n], &st);
	compiled.entries += !!st.entries;
	compiled.failed += st.failed;
	return r->ex.why;
}

/* Some of the cases; once each, in one width or the other. @at: 0, then of this case */
static bool is_chosen(const char *lane, u32 *at)
{
	static u32 cases;

	if (!*at)
		*at = ++cases;
	if (*at % JIT_CASES)
		return false;
	return !strcmp(lane, *at & 1 && rig_can("avx512") ? "avx512" : "avx2");
}
#else
static enum isa_stop run(struct rig *r, const char *lane)
{
	(void)lane;
	return rig_run(r, 1);
}

static bool is_chosen(const char *lane, u32 *at)
{
	(void)lane, (void)at;
	return true;
}
#endif

static bool run_case(struct rig *r, const struct kase *k, struct result *res, const char *lane)
{
	const char *t = target_name(res->target);
	struct isa_wave *w = r->w;
	u32 n, end = 0xbf810000;

	for (n = 0; n < 4096; n += 4)
		memcpy(r->mem + n, &end, 4);
	memcpy(r->mem + AT, k->words, k->nwords * 4);
	memcpy(r->mem + RIG_DATA, k->in.m, DATA_BYTES);
	memcpy(r->lds, k->in.l, LDS_BYTES);
	r->wg.lds_bytes = LDS_BYTES;
	r->clock = 0x1234;
	rig_load(r, &end, 1);
	w->pc = RIG_VA + AT;
	memcpy(w->s, k->in.s, sizeof(k->in.s));
	memcpy(w->v, k->in.v, sizeof(k->in.v));
	isa_set_exec(w, isa_exec(w));
	w->scc = k->in.scc;
	w->mode = k->in.mode;
	w->scratch_base = RIG_VA + RIG_DATA;
	w->scratch_lane_bytes = DATA_BYTES / ISA_LANES;
	if (run(r, lane) != (enum isa_stop)k->stop)
		return complain(k, t, lane, "stop", 0, 0, (u32)k->stop, r->ex.why);
	if (k->has_info && r->ex.info != k->info)
		return complain(k, t, lane, "info", 0, 0, (u32)k->info, r->ex.info);
	if (isa_wave_pc(w) - RIG_VA - AT != k->pc)
		return complain(k, t, lane, "pc", 0, 0, (u32)k->pc,
				(u32)(isa_wave_pc(w) - RIG_VA - AT));
	if (w->scc != k->out.scc)
		return complain(k, t, lane, "scc", 0, k->in.scc, k->out.scc, w->scc);
	if (w->mode != k->out.mode)
		return complain(k, t, lane, "mode", 0, k->in.mode, k->out.mode, w->mode);
	return same_words(k, "scalar", k->in.s, k->out.s, w->s, 128, t, lane) &&
	       same_rows(k, w->v, res, lane) &&
	       same_words(k, "memory", k->in.m, k->out.m, r->mem + RIG_DATA, DATA_BYTES / 4, t,
			  lane) &&
	       same_words(k, "LDS", k->in.l, k->out.l, r->lds, LDS_BYTES / 4, t, lane);
}

static void run_everywhere(const struct kase *k)
{
	static struct rig rigs[MAX_TARGETS][3];
	u32 t, n, at = 0;

	for (t = 0; t < target_count(); t++) {
		struct result *res;
		bool ok = true;

		if (!(k->targets >> t & 1))
			continue;
		res = result_of(t, k);
		res->vectors += k->count;
		for (n = 0; n < ARRAY_SIZE(lanes); n++) {
			if (!rig_can(lanes[n]) || !is_chosen(lanes[n], &at))
				continue;
			if (!rigs[t][n].mem)
				rig_init(&rigs[t][n], target_name(t), lanes[n], ROWS);
			ok &= run_case(&rigs[t][n], k, res, lanes[n]);
		}
		res->failed += !ok;
	}
}

static void start_case(struct kase *k, const char *p)
{
	memset(k, 0, offsetof(struct kase, in));
	memset(k->close, 0, sizeof(k->close));
	k->in = fresh;
	k->out = fresh;
	k->stop = ISA_STOP_BUDGET;
	k->pc = ~0ull;
	if (sscanf(p, "case %39s %23s %x %u", k->name, k->enc, &k->targets, &k->count) != 4) {
		printf("Bail out! %s", p);
		exit(1);
	}
}

static void run_file(const char *name)
{
	static struct kase k;
	char *buf = NULL;
	size_t size = 0;
	FILE *f = fopen(name, "r");

	if (!f) {
		perror(name);
		exit(1);
	}
	while (getline(&buf, &size, f) > 0) {
		if (!strncmp(buf, "case ", 5)) {
			start_case(&k, buf);
		} else if (!strncmp(buf, "end", 3)) {
			if (k.pc == ~0ull)
				k.pc = k.nwords * 4;
			run_everywhere(&k);
		} else {
			line(&k, buf);
		}
	}
	free(buf);
	fclose(f);
}

static void report(u32 target)
{
	u32 n, k;

	for (n = 0; n < nresults; n++) {
		u32 ops = 0, bad = 0, vectors = 0;
		bool first = true;

		for (k = 0; k < nresults; k++) {
			if (results[k].target != target || strcmp(results[k].enc, results[n].enc))
				continue;
			first &= k >= n;
			ops++;
			vectors += results[k].vectors;
			bad += !!results[k].failed;
		}
		if (ops && first && results[n].target == target)
			tap_ok(!bad, "%s %s: %u opcodes, %u vectors", target_name(target),
			       results[n].enc, ops, vectors);
	}
}

int main(int argc, char **argv)
{
	bool counts = argc > 1 && !strcmp(argv[1], "counts");
	char path[4096];
	u32 n;

	if (argc > 1 && !counts)
		snprintf(path, sizeof(path), "%s", argv[1]);
	else
		snprintf(path, sizeof(path), "%s.rows", argv[0]);
	make_fresh();
	run_file(path);
	if (counts) {
		for (n = 0; n < nresults; n++)
			if (!results[n].failed)
				printf("%s %s %s %u %u\n", target_name(results[n].target),
				       results[n].enc, results[n].name, results[n].vectors,
				       results[n].ulp);
		return 0;
	}
	for (n = 0; n < target_count(); n++)
		report(n);
#ifdef HAVE_JIT
	printf("# %llu cases ran compiled code\n", (unsigned long long)compiled.entries);
	tap_ok(compiled.entries && !compiled.failed, "cases are compiled");
#endif
	if (complaints)
		printf("# %u cases failed\n", complaints);
	return tap_done();
}
