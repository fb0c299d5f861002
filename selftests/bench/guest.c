// SPDX-License-Identifier: MIT
/*
 * Speed end to end: what a program sees that drives /dev/kfd. Runs in a guest;
 * scripts/bench starts it and compares it with the engine alone. A line for
 * every figure:
 *	row NAME VALUE UNIT
 * All work is checked, and what is wrong fails the program. Times are the best of
 * some: the clock runs on while the host does other things.
 *
 *	vkfd-bench [-r RUNS] [packets|trips|groups|pauses|copies|KERNEL|small|hot|memory]...
 *
 * Small kernels, and a hot one, want a process that has run nothing yet, and memory is of its own:
 * only if they are asked for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"
#include "rig_sdma.h"
#include "work.h"

#define HALF		(RING / 2)
#define BATCHES		10u		/* of HALF packets each */
#define ROUNDS		10u
#define TRIPS		400u
#define GROUPS		16384u
#define PAUSES		200u
#define PAUSE_GROUPS	16u
#define COPY_BYTES	(16u << 20)
#define COPY_ROUNDS	25u
#define MAX_RUNS	31u
#define TICK_NS		10.0		/* of a dispatch's time stamps */

double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

double best(const double *t, u32 n)
{
	double least = t[0];

	while (n--)
		if (t[n] < least)
			least = t[n];
	return least;
}

void row(const char *name, double value, const char *unit)
{
	printf("row %s %.3f %s\n", name, value, unit);
	fflush(stdout);
}

void complain(struct bench_gpu *g, const char *what, const char *why)
{
	printf("# %s: %s\n", what, why);
	g->wrong++;
}

bool spin_until(const volatile void *word, u32 wanted)
{
	const volatile u32 *value = word;
	u64 end = rig_ms() + RIG_LONG;

	for (u32 i = 1; __atomic_load_n(value, __ATOMIC_ACQUIRE) != wanted; i++) {
		__builtin_ia32_pause();
		if (i % 65536 == 0 && rig_ms() > end)
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------- packets */

/* Half a ring at a time; the one who submits sleeps meanwhile, as in bench_packets. */
static void bench_packets(struct bench_gpu *g, const char *name, const union rig_packet *p)
{
	struct timespec nap = { 0, 20000 };
	u64 end = rig_ms() + RIG_LONG, last = 0;
	double t[ROUNDS];
	u32 n, i, k;

	for (k = 0; k < ROUNDS; k++) {
		t[k] = now_ns();
		for (n = 0; n < BATCHES; n++) {
			for (i = 0; i < HALF; i++)
				last = rig_put(&g->q, p);
			rig_ring(&g->q, last);
			while (g->q.amd->read_id + HALF <= last && rig_ms() < end)
				nanosleep(&nap, NULL);
		}
		while (g->q.amd->read_id != last + 1 && rig_ms() < end)
			nanosleep(&nap, NULL);
		t[k] = now_ns() - t[k];
	}
	if (g->q.amd->read_id != last + 1 || g->q.inactive->value)
		complain(g, name, "the packets were not all read");
	row(name, (double)BATCHES * HALF / best(t, ROUNDS) * 1e9, "per_s");
}

static void bench_all_packets(struct bench_gpu *g)
{
	union rig_packet barrier = { .header = RIG_BARRIER_AND }, dispatch;
	struct rig_kernel k;

	if (rig_kernel(&g->r, "nothing", &k)) {
		complain(g, "packets", "no kernel");
		return;
	}
	bench_packets(g, "packets_barrier", &barrier);
	rig_dispatch_packet(&dispatch, &k, 1, BENCH_GROUP, 0, NULL);
	bench_packets(g, "packets_empty_kernel", &dispatch);
}

/* --------------------------------------------------------------- round trips */

static void bench_trip(struct bench_gpu *g, const char *name, u32 event, u32 slot)
{
	static double t[TRIPS];
	union rig_packet p;
	struct rig_kernel k;
	u32 i, late = 0;

	if (rig_kernel(&g->r, "nothing", &k)) {
		complain(g, name, "no kernel");
		return;
	}
	for (i = 0; i < TRIPS; i++) {
		struct rig_signal *s = rig_signal(&g->r, 1);

		if (event) {
			s->event_id = event;
			s->mailbox = (uintptr_t)&g->r.event_page[slot];
		}
		rig_dispatch_packet(&p, &k, 1, BENCH_GROUP, 0, s);
		t[i] = now_ns();
		rig_submit(&g->q, &p);
		if (event)
			late += rig_event_wait(&g->r, event, RIG_LONG, NULL) || s->value != 0;
		else
			late += !spin_until(&s->value, 0);
		t[i] = now_ns() - t[i];
		if (late) {
			complain(g, name, "no completion");
			return;
		}
	}
	row(name, bench_median(t, TRIPS) * 1e-3, "us");
}

static void bench_trips(struct bench_gpu *g)
{
	u32 id, slot;

	bench_trip(g, "trip_spin", 0, 0);
	if (rig_event(&g->r, KFD_IOC_EVENT_SIGNAL, &id, &slot))
		complain(g, "trip_event", "no event");
	else
		bench_trip(g, "trip_event", id, slot);
}

/* -------------------------------------------------------------------- groups */

/* Work-groups that do nothing: what it costs to begin and end one */
static void bench_groups(struct bench_gpu *g)
{
	double t[ROUNDS];
	union rig_packet p;
	struct rig_kernel k;
	u32 i;

	if (rig_kernel(&g->r, "nothing", &k)) {
		complain(g, "groups", "no kernel");
		return;
	}
	for (i = 0; i < ROUNDS; i++) {
		struct rig_signal *s = rig_signal(&g->r, 1);

		rig_dispatch_packet(&p, &k, GROUPS, BENCH_GROUP, 0, s);
		rig_submit(&g->q, &p);
		if (!rig_wait(s, 0, RIG_LONG)) {
			complain(g, "groups", "no completion");
			return;
		}
		t[i] = (s->end_ts - s->start_ts) * TICK_NS;
	}
	row("groups_empty", GROUPS / best(t, ROUNDS) * 1e9, "per_s");
}

/* -------------------------------------------------------------------- pauses */

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* UPDATE_QUEUE to nothing, while PAUSE_GROUPS waves run, until it returns: they are saved. */
static void bench_pause(struct bench_gpu *g, struct rig_queue *q, u32 *words, const char *kernel)
{
	struct {
		u64 stop, mem;
	} args = { (uintptr_t)words, (uintptr_t)(words + 1024) };
	struct rig_signal *s = rig_signal(&g->r, 1);
	static double t[PAUSES];
	union rig_packet p;
	struct rig_kernel k;
	char name[48];
	u32 i;

	if (rig_kernel(&g->r, kernel, &k)) {
		complain(g, kernel, "no kernel");
		return;
	}
	__atomic_store_n(words, 0, __ATOMIC_RELEASE);
	rig_dispatch_packet(&p, &k, PAUSE_GROUPS, 64, rig_args(&g->r, &args, sizeof(args)), s);
	rig_submit(q, &p);
	for (i = 0; i < PAUSES; i++) {
		usleep(2000);
		t[i] = now_ns();
		if (rig_queue_update(&g->r, q, 0))
			complain(g, kernel, "no pause");
		t[i] = now_ns() - t[i];
		if (rig_queue_update(&g->r, q, 100))
			complain(g, kernel, "does not go on");
	}
	__atomic_store_n(words, 1, __ATOMIC_RELEASE);
	if (!spin_until(&s->value, 0))
		complain(g, kernel, "no completion");
	qsort(t, PAUSES, sizeof(t[0]), compare);
	snprintf(name, sizeof(name), "pause_%s_least", kernel);
	row(name, t[0] * 1e-3, "us");
	snprintf(name, sizeof(name), "pause_%s_median", kernel);
	row(name, t[PAUSES / 2] * 1e-3, "us");
	snprintf(name, sizeof(name), "pause_%s_90_percent", kernel);
	row(name, t[PAUSES * 9 / 10] * 1e-3, "us");
	snprintf(name, sizeof(name), "pause_%s_longest", kernel);
	row(name, t[PAUSES - 1] * 1e-3, "us");
}

static void bench_pauses(struct bench_gpu *g)
{
	static const char * const kernels[] = { "busy_loop", "busy_sleep", "busy_stores" };
	struct rig_mem area, data;
	struct rig_queue q;
	u32 i;

	if (rig_area(&g->r, &area) || rig_anon(&g->r, COPY_BYTES, &data)) {
		complain(g, "pauses", "no memory");
		return;
	}
	memset(data.p, 0, COPY_BYTES);
	if (rig_queue_create(&g->r, RING, &q)) {
		complain(g, "pauses", "no queue");
		return;
	}
	for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		bench_pause(g, &q, data.p, kernels[i]);
	if (rig_queue_destroy(&g->r, &q))
		complain(g, "pauses", "the queue stays");
}

/* -------------------------------------------------------------------- copies */

static void give_back(struct bench_gpu *g, const char *what, struct rig_mem *m)
{
	if (rig_unmap(&g->r, m) || rig_free(&g->r, m))
		complain(g, what, "memory cannot be given back");
}

static bool run_dispatch(struct bench_gpu *g, const union rig_packet *p, struct rig_signal *s)
{
	rig_submit(&g->q, p);
	return rig_wait(s, 0, RIG_LONG);
}

enum { BY_MEMCPY, BY_SDMA, BY_KERNEL, WAYS };

static bool copy_once(struct bench_gpu *g, struct rig_sdma *sdma, int way, void *dst, void *src)
{
	const u64 args[2] = { (uintptr_t)dst, (uintptr_t)src };
	struct rig_signal *s;
	struct rig_kernel k;
	union rig_packet p;

	switch (way) {
	case BY_MEMCPY:
		memcpy(dst, src, COPY_BYTES);
		return true;
	case BY_SDMA:
		rig_sdma_copy(sdma, dst, src, COPY_BYTES);
		return spin_until(sdma->fences, rig_sdma_submit(sdma));
	default:
		s = rig_signal(&g->r, 1);
		if (rig_kernel(&g->r, "copy", &k))
			return false;
		rig_dispatch_packet(&p, &k, COPY_BYTES / 16 / BENCH_GROUP, BENCH_GROUP,
				    rig_args(&g->r, args, sizeof(args)), s);
		rig_submit(&g->q, &p);
		return spin_until(&s->value, 0);
	}
}

/* The ways in turns: whatever else the machine does meets all of them. */
static void bench_copy(struct bench_gpu *g, struct rig_sdma *sdma, const char *what, u32 *dst,
		       u32 *src)
{
	static const char *const ways[WAYS] = { "memcpy", "sdma", "kernel" };
	double t[WAYS][COPY_ROUNDS];
	char name[WAYS][64];
	u32 i, n;
	int way;

	for (i = 0; i < COPY_BYTES / 4; i++)
		src[i] = i * 2654435761u;
	for (way = 0; way < WAYS; way++)
		snprintf(name[way], sizeof(name[way]), "copy_%s_%s", what, ways[way]);
	for (n = 0; n < COPY_ROUNDS; n++) {
		for (way = 0; way < WAYS; way++) {
			memset(dst, 0, COPY_BYTES);
			t[way][n] = now_ns();
			if (!copy_once(g, sdma, way, dst, src))
				complain(g, name[way], "no end");
			t[way][n] = now_ns() - t[way][n];
			if (memcmp(dst, src, COPY_BYTES))
				complain(g, name[way], "wrong bytes");
		}
	}
	for (way = 0; way < WAYS; way++)
		row(name[way], COPY_BYTES / best(t[way], COPY_ROUNDS) * 1e3, "MB_per_s");
}

static void bench_copies(struct bench_gpu *g)
{
	struct rig_mem a, b, v;
	struct rig_sdma sdma = { 0 };

	if (rig_sdma_create(&g->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &sdma) ||
	    rig_anon(&g->r, COPY_BYTES, &a) || rig_anon(&g->r, COPY_BYTES, &b) ||
	    rig_alloc(&g->r, VRAM, COPY_BYTES, &v)) {
		complain(g, "copies", "no queue or no memory");
		return;
	}
	bench_copy(g, &sdma, "host_to_host", b.p, a.p);
	bench_copy(g, &sdma, "host_to_vram", v.p, a.p);
	bench_copy(g, &sdma, "vram_to_host", b.p, v.p);
	if (rig_sdma_destroy(&g->r, &sdma))
		complain(g, "copies", "the queue cannot be destroyed");
	give_back(g, "copies", &a);
	give_back(g, "copies", &b);
	give_back(g, "copies", &v);
}

/* ------------------------------------------------------------------- kernels */

static void bench_kernel(struct bench_gpu *g, const struct bench *b)
{
	struct rig_mem mem[3] = { 0 };
	double gpu[MAX_RUNS], all[MAX_RUNS], worst;
	u64 args[4] = { 0 };
	void *buf[3], *want[3];
	union rig_packet p;
	struct rig_kernel k;
	char name[64];
	u32 n, i;

	if (rig_kernel(&g->r, b->name, &k)) {
		complain(g, b->name, "no such kernel");
		return;
	}
	for (n = 0; n < b->buffers; n++) {
		if (rig_alloc(&g->r, VRAM, (size_t)b->dwords[n] * 4, &mem[n])) {
			complain(g, b->name, "no memory");
			return;
		}
		args[n] = (uintptr_t)mem[n].p;
		buf[n] = mem[n].p;
		want[n] = malloc((size_t)b->dwords[n] * 4);
	}
	args[n] = b->arg;
	bench_fill(b, want);
	b->native(want);
	for (i = 0; i < g->runs; i++) {
		struct rig_signal *s = rig_signal(&g->r, 1);

		bench_fill(b, buf);
		rig_dispatch_packet(&p, &k, b->items / BENCH_GROUP, BENCH_GROUP,
				    rig_args(&g->r, args, sizeof(args)), s);
		all[i] = now_ns();
		if (!run_dispatch(g, &p, s)) {
			complain(g, b->name, "no completion");
			return;
		}
		all[i] = now_ns() - all[i];
		gpu[i] = (s->end_ts - s->start_ts) * TICK_NS;
	}
	worst = bench_check(b, buf[0], want[0]);
	if (worst < 0 || worst > b->tolerance)
		complain(g, b->name, "wrong result");
	snprintf(name, sizeof(name), "kernel_%s", b->name);
	row(name, best(gpu, g->runs) * 1e-6, "ms");
	snprintf(name, sizeof(name), "end_to_end_%s", b->name);
	row(name, best(all, g->runs) * 1e-6, "ms");
	for (n = 0; n < b->buffers; n++) {
		free(want[n]);
		give_back(g, b->name, &mem[n]);
	}
}

static bool named(int argc, char **argv, const char *name)
{
	int i;

	for (i = optind; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return false;
}

static bool wanted(int argc, char **argv, const char *name)
{
	return optind >= argc || named(argc, argv, name);
}

int main(int argc, char **argv)
{
	static struct bench_gpu g = { .runs = 15 };
	u32 i;
	int c;

	while ((c = getopt(argc, argv, "r:")) != -1)
		g.runs = c == 'r' ? atoi(optarg) : 0;
	if (!g.runs || g.runs > MAX_RUNS) {
		fprintf(stderr, "usage: vkfd-bench [-r RUNS] [packets|trips|groups|pauses|copies|KERNEL|small|hot|memory]...\n");
		return 2;
	}
	if (rig_open(&g.r) || rig_load(&g.r) || rig_queue_create(&g.r, RING, &g.q)) {
		fprintf(stderr, "vkfd-bench: no GPU, or it does not take the kernels\n");
		return 1;
	}
	if (wanted(argc, argv, "packets"))
		bench_all_packets(&g);
	if (wanted(argc, argv, "trips"))
		bench_trips(&g);
	if (wanted(argc, argv, "groups"))
		bench_groups(&g);
	if (wanted(argc, argv, "pauses"))
		bench_pauses(&g);
	if (wanted(argc, argv, "copies"))
		bench_copies(&g);
	for (i = 0; i < BENCHES; i++)
		/* The rig's queue has no scratch memory. */
		if (!benches[i].scratch && wanted(argc, argv, benches[i].name))
			bench_kernel(&g, &benches[i]);
	if (named(argc, argv, "small"))
		bench_small(&g);
	if (named(argc, argv, "hot"))
		bench_hot(&g);
	if (named(argc, argv, "memory"))
		bench_memory(&g);
	rig_close(&g.r);
	printf("# %u wrong\n", g.wrong);
	return g.wrong != 0;
}
