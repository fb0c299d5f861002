// SPDX-License-Identifier: MIT
/*
 * Time of every opcode, per SIMD build: waves that run nothing else. What there
 * is to run are the first plain cases of the test vectors (../isa/vectors), which
 * the generator makes of the tables; a row of the tables that none could be run of
 * is named at the end.
 *	bench-opcode VARIANT NS NS-PARTIAL OP ENCODING TARGET [one lane at a time]
 *
 * The dearest come first. NS is CPU time an instruction with all lanes on, dispatch
 * counted, the best of several runs; NS-PARTIAL with every other lane off. Vector
 * arithmetic finds numbers of middling size in its registers.
 *
 *	opcodes [-v VARIANT] [-f ROWS-FILE] [OP...]
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "../isa/lanes.h"
#include "../isa/rig.h"
#include "../isa/targets.h"

#define RUNS		7
#define COPIES		32
#define BUDGET		(16 * (COPIES + 1))
#define MOST_NS		2e6	/* a run that takes longer is not repeated as often */
#define BAR		40	/* ns, of AVX2 */
#define ROWS		64
#define SET_WORDS	1024
#define LDS_BYTES	4096

enum place { IN_SGPRS, IN_VGPRS, IN_MEMORY, IN_LDS };

/* What a case puts in before: words from @at on */
struct set {
	enum place place;
	u32 at, count, first;
};

struct kase {
	char name[40], enc[24];
	u32 targets, words[4], nwords, mode, nsets, nvalues;
	bool plain, moves;	/* no modifiers; the PC is elsewhere after it */
	u64 exec;
	struct set set[64];
	u32 value[SET_WORDS];
};

struct timing {
	const struct kase *k;
	const char *target;
	double full, part;
};

/* The target that is looked at first; then come those that have what it has not */
#define FIRST_TARGET	"gfx90a"

static const char * const lanes[] = { "sse2", "avx2", "avx512" };

static struct kase **kases;
static u32 nkases;

static struct kase *kase_of(const char *name, const char *enc)
{
	size_t len = strcspn(enc, ".");
	u32 n;

	for (n = nkases; n-- > 0;) {
		struct kase *k = kases[n];

		if (!strcmp(k->name, name) && strlen(k->enc) == len && !strncmp(k->enc, enc, len))
			return k;
	}
	kases = realloc(kases, (nkases + 1) * sizeof(*kases));
	kases[nkases] = calloc(1, sizeof(**kases));
	snprintf(kases[nkases]->name, sizeof(kases[0]->name), "%s", name);
	snprintf(kases[nkases]->enc, sizeof(kases[0]->enc), "%.*s", (int)len, enc);
	return kases[nkases++];
}

static void add_set(struct kase *k, enum place place, u32 at, char *p)
{
	struct set *s = &k->set[k->nsets];

	if (k->nsets == ARRAY_SIZE(k->set))
		return;
	*s = (struct set) { place, at, 0, k->nvalues };
	while (*p && *p != '\n' && k->nvalues < SET_WORDS) {
		k->value[k->nvalues++] = (u32)strtoul(p, &p, 16);
		s->count++;
	}
	k->nsets++;
}

/* See ../isa/isa_vectors.c for what lines there are. */
static void read_line(struct kase *k, char *p)
{
	char key[8];
	int used = 0;
	u32 at;

	if (sscanf(p, "%7s%n", key, &used) != 1)
		return;
	p += used;
	if (!strcmp(key, "w")) {
		while (*p && *p != '\n' && k->nwords < ARRAY_SIZE(k->words))
			k->words[k->nwords++] = (u32)strtoul(p, &p, 16);
	} else if (!strcmp(key, "mode")) {
		k->mode = (u32)strtoul(p, &p, 16);
	} else if (!strcmp(key, "exec")) {
		k->exec = strtoull(p, &p, 16);
	} else if (!strcmp(key, "pc") || !strcmp(key, "stop")) {
		k->moves = true;
	} else if (key[1] == 0 && strchr("svml", key[0])) {
		at = (u32)strtoul(p, &p, 16);
		add_set(k, key[0] == 's' ? IN_SGPRS : key[0] == 'v' ? IN_VGPRS :
			key[0] == 'm' ? IN_MEMORY : IN_LDS, at, p);
	}
}

/* Keeps the first case of an opcode and encoding; one without modifiers, if there is one. */
static bool read_file(const char *name)
{
	FILE *f = fopen(name, "r");
	struct kase *k = NULL;
	char *buf = NULL;
	size_t size = 0;

	if (!f) {
		perror(name);
		return false;
	}
	while (getline(&buf, &size, f) > 0) {
		char op[40], enc[24];
		u32 mask;

		if (sscanf(buf, "case %39s %23s %x", op, enc, &mask) == 3) {
			bool plain = !strchr(enc, '.');

			k = kase_of(op, enc);
			if (k->nwords && (k->plain || !plain) && !(k->moves && plain)) {
				k = NULL;
				continue;
			}
			memset(&k->targets, 0, sizeof(*k) - offsetof(struct kase, targets));
			k->targets = mask;
			k->plain = plain;
			k->exec = ~0ull;
			k->mode = 0x3f0;
		} else if (k) {
			read_line(k, buf);
		}
	}
	free(buf);
	fclose(f);
	return true;
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* Normal as a double, as a float and as two halves, and a fit shift or exponent nowhere */
static u32 middling(void)
{
	u64 x = lt_rand();

	return 0x3f803c00 | (u32)(x & 0x7f) << 16 | (u32)(x >> 8 & 0x3ff);
}

/* Where a random number as a source is nothing that programs have: what it is instead */
static const struct {
	const char *name;
	unsigned int source;
	u32 value;
} usual[] = {
	{ "v_ldexp_f64", 1, 3 }, { "v_ldexp_f32", 1, 3 }, { "v_ldexp_f16", 1, 3 },
	{ "v_perm_b32", 2, 0x0c040100 },
};

/* The vectors have the first source in v8, the others four rows on each. */
static void put_usual(struct rig *r, const struct kase *k)
{
	u32 n, lane;

	for (n = 0; n < ARRAY_SIZE(usual); n++)
		for (lane = 0; lane < ISA_LANES && !strcmp(usual[n].name, k->name); lane++)
			r->w->v[(8 + 4 * usual[n].source) * ISA_LANES + lane] = usual[n].value;
}

static void put(struct rig *r, const struct kase *k, const struct set *s)
{
	const u32 *v = k->value + s->first;
	u32 n;

	switch (s->place) {
	case IN_SGPRS:
		for (n = 0; n < s->count && s->at + n < 126; n++)
			r->w->s[s->at + n] = v[n];
		break;
	case IN_VGPRS:
		for (n = 0; n < ISA_LANES && s->at < ROWS; n++)
			r->w->v[s->at * ISA_LANES + n] = v[n < s->count ? n : 0];
		break;
	case IN_MEMORY:
		memcpy(r->mem + RIG_DATA + s->at, v, s->count * 4);
		break;
	case IN_LDS:
		memcpy(r->lds + s->at, v, s->count * 4);
		break;
	}
}

static void load(struct rig *r, const struct kase *k)
{
	u32 code[4 * COPIES + 1], n, j, at = 0;

	for (n = 0; n < COPIES; n++)
		for (j = 0; j < k->nwords; j++)
			code[at++] = k->words[j];
	code[at] = 0xbf820000 | (-(at + 1) & 0xffff);
	rig_load(r, code, at + 1);
	r->wg.lds_bytes = LDS_BYTES;
	for (n = 0; n < ROWS * ISA_LANES; n++)
		r->w->v[n] = middling();
	for (n = 0; n < 106; n++)
		r->w->s[n] = middling();
	for (n = 0; n < k->nsets; n++)
		if (k->name[0] != 'v' || k->set[n].place != IN_VGPRS)
			put(r, k, &k->set[n]);
	put_usual(r, k);
	if (k->name[0] == 'v')	/* v_div_fmas: no quotient needs to be scaled */
		r->w->s[ISA_SRC_VCC_LO] = r->w->s[ISA_SRC_VCC_HI] = 0;
	r->w->mode = k->mode;
	r->w->scratch_base = RIG_VA + RIG_DATA;
	r->w->scratch_lane_bytes = 4096 / ISA_LANES;
}

/* ns of one, or -1 where it does not go on behind itself. */
static double run(struct rig *r, const struct kase *k, u64 exec)
{
	double ns, best = 1e18;
	u32 n;

	for (n = 0; n < RUNS; n++) {
		load(r, k);
		isa_set_exec(r->w, exec);
		if (!n)		/* decodes */
			rig_run(r, COPIES + 1);
		ns = cpu_ns();
		if (rig_run(r, BUDGET) != ISA_STOP_BUDGET || r->ex.insns < BUDGET)
			return -1;
		ns = cpu_ns() - ns;
		best = ns < best ? ns : best;
		if (ns > MOST_NS)
			break;
	}
	return best / BUDGET;
}

/* Its name in the list of vector operations is in capitals. */
static const char *mark(const struct kase *k, const char *lane)
{
	u32 n;

	for (n = 0; n < lt_op_count; n++) {
		if (strcasecmp(lt_ops[n].name, k->name))
			continue;
		if (lt_ops[n].flags & LT_LANES ||
		    (lt_ops[n].flags & LT_LANES_SSE2 && !strcmp(lane, "sse2")))
			return "one lane at a time";
	}
	return "";
}

static int dearest_first(const void *a, const void *b)
{
	const struct timing *x = a, *y = b;

	return (x->full < y->full) - (x->full > y->full);
}

static bool wanted(const struct kase *k, char **ops)
{
	if (!*ops)
		return true;
	for (; *ops; ops++)
		if (!strcmp(*ops, k->name))
			return true;
	return false;
}

static u32 target_of(const struct kase *k)
{
	u32 n, all = target_count();

	for (n = 0; n < all; n++)
		if (!strcmp(target_name(n), FIRST_TARGET) && k->targets >> n & 1)
			return n;
	for (n = all; n-- > 0;)
		if (k->targets >> n & 1)
			return n;
	return all;
}

static u32 time_all(const char *lane, char **ops, struct timing *t)
{
	struct rig rigs[MAX_TARGETS];
	u32 n, j, all = target_count(), count = 0;

	for (n = 0; n < all; n++)
		rig_init(&rigs[n], target_name(n), lane, ROWS);
	for (n = 0; n < nkases; n++) {
		if (kases[n]->moves || !wanted(kases[n], ops))
			continue;
		j = target_of(kases[n]);
		if (j == all)
			continue;
		t[count].k = kases[n];
		t[count].target = target_name(j);
		t[count].full = run(&rigs[j], kases[n], kases[n]->exec);
		t[count].part = run(&rigs[j], kases[n],
				    kases[n]->exec & 0x5555555555555555);
		count += t[count].full >= 0;
	}
	for (n = 0; n < all; n++)
		rig_fini(&rigs[n]);
	return count;
}

static void report(const char *lane, const struct timing *t, u32 count)
{
	u32 n, over = 0, marked = 0;

	for (n = 0; n < count; n++) {
		const char *m = mark(t[n].k, lane);

		over += t[n].full > BAR;
		marked += !!*m;
		printf("bench-opcode %-6s %8.1f %8.1f %-28s %-7s %s%s%s\n", lane, t[n].full,
		       t[n].part, t[n].k->name, t[n].k->enc, t[n].target, *m ? " " : "", m);
	}
	printf("# %s: %u opcodes and encodings, %u over %u ns, %u one lane at a time\n", lane,
	       count, over, BAR, marked);
}

static void report_missing(const struct timing *t, u32 count)
{
	u32 op, n, missing = 0;

	for (op = 0; op < isa_op_count(); op++) {
		for (n = 0; n < count; n++)
			if (!strcmp(t[n].k->name, isa_op_name(op)))
				break;
		if (n == count)
			printf("%s%s", missing++ ? " " : "# not timed: ", isa_op_name(op));
	}
	printf("%s", missing ? "\n" : "");
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/'), *variant = NULL;
	char path[4096];
	struct timing *t;
	u32 n, count = 0;
	int a;

	snprintf(path, sizeof(path), "%.*s/../host/isa_vectors.rows",
		 slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
	for (a = 1; a + 1 < argc && argv[a][0] == '-'; a += 2) {
		if (!strcmp(argv[a], "-v"))
			variant = argv[a + 1];
		else if (!strcmp(argv[a], "-f"))
			snprintf(path, sizeof(path), "%s", argv[a + 1]);
		else
			return 2;
	}
	if (!read_file(path))
		return 1;
	t = calloc(nkases, sizeof(*t));
	for (n = 0; n < ARRAY_SIZE(lanes); n++) {
		if (!rig_can(lanes[n]) || (variant && strcmp(variant, lanes[n])))
			continue;
		count = time_all(lanes[n], argv + a, t);
		qsort(t, count, sizeof(*t), dearest_first);
		report(lanes[n], t, count);
		fflush(stdout);
	}
	if (a == argc)
		report_missing(t, count);
	return !count;
}
