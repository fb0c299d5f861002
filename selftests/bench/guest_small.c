// SPDX-License-Identifier: MIT
/*
 * A program of many small kernels, each of which is code that nobody has seen: what a compiler beside
 * costs it, and whether its first dispatches wait for that. Copies of one kernel, which differ by a
 * constant; each is launched some times, one dispatch after the other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"
#include "work.h"

#define KERNELS		200u
#define LAUNCHES	8u
#define GROUPS		16u
#define ROUNDS		24u
#define STRIDE		1024u		/* from copy to copy */
#define CODE_AT		256u		/* in one */
#define CODE_BYTES	512u
#define MARK		0x5ea1ab1eu	/* the constant in guest.cl */
#define DESCRIPTOR	64u
#define HOT_ROUNDS	2400u
#define HOT_NS		60e9		/* longer than any compiler takes */
#define STATS		"/sys/kernel/debug/kfd/0/stats"

struct small {
	struct rig_mem code, out;
	struct rig_kernel k[KERNELS];
	double first[KERNELS], later[KERNELS * (LAUNCHES - 1)];
};

static u32 constant(u32 n)
{
	return MARK ^ (n + 1) * 2654435761u;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Copy @n of kernel @k; false: its code has not the constant, and that once */
static bool make_copy(struct small *s, const struct rig_kernel *k, u32 n)
{
	u8 *at = (u8 *)s->code.p + n * STRIDE;
	u64 entry = CODE_AT, was;
	u32 i, found = 0, *word = (u32 *)(at + CODE_AT);

	memcpy(at, (const void *)(uintptr_t)k->object, DESCRIPTOR);
	memcpy(&was, at + 16, sizeof(was));
	memcpy(word, (const u8 *)(uintptr_t)k->object + was, CODE_BYTES);
	memcpy(at + 16, &entry, sizeof(entry));
	for (i = 0; i < CODE_BYTES / 4; i++)
		if (word[i] == MARK) {
			word[i] = constant(n);
			found++;
		}
	s->k[n] = *k;
	s->k[n].object = (uintptr_t)at;
	return found == 1;
}

static bool is_right(const u32 *out, u32 n, u32 rounds)
{
	u32 i, k, v;

	for (i = 0; i < GROUPS * BENCH_GROUP; i++) {
		for (v = i, k = 0; k < rounds; k++)
			v = (v ^ v >> 7) * constant(n) + k;
		if (out[i] != v)
			return false;
	}
	return true;
}

static double launch(struct bench_gpu *g, struct small *s, u32 n, u32 rounds)
{
	const struct {
		u64 out;
		u32 rounds, pad;
	} args = { (uintptr_t)s->out.p, rounds, 0 };
	struct rig_signal *done = rig_signal(&g->r, 1);
	union rig_packet p;
	double t;

	rig_dispatch_packet(&p, &s->k[n], GROUPS, BENCH_GROUP,
			    rig_args(&g->r, &args, sizeof(args)), done);
	t = now_ns();
	rig_submit(&g->q, &p);
	if (!spin_until(&done->value, 0))
		complain(g, "small", "no completion");
	return now_ns() - t;
}

static bool make_copies(struct bench_gpu *g, struct small *s)
{
	struct rig_kernel k;
	u32 n;

	if (rig_kernel(&g->r, "small", &k) ||
	    rig_alloc(&g->r, VRAM, KERNELS * STRIDE, &s->code) ||
	    rig_alloc(&g->r, VRAM, GROUPS * BENCH_GROUP * 4, &s->out)) {
		complain(g, "small", "no kernel, or no memory");
		return false;
	}
	for (n = 0; n < KERNELS; n++)
		if (!make_copy(s, &k, n)) {
			complain(g, "small", "the kernel is not what it should be");
			return false;
		}
	return true;
}

void bench_small(struct bench_gpu *g)
{
	static struct small s;
	double all = 0;
	u32 n, i;

	if (!make_copies(g, &s))
		return;
	for (n = 0; n < KERNELS && !g->wrong; n++) {
		s.first[n] = launch(g, &s, n, ROUNDS);
		all += s.first[n];
		for (i = 0; i < LAUNCHES - 1; i++) {
			s.later[n * (LAUNCHES - 1) + i] = launch(g, &s, n, ROUNDS);
			all += s.later[n * (LAUNCHES - 1) + i];
		}
		if (!is_right(s.out.p, n, ROUNDS))
			complain(g, "small", "wrong result");
	}
	qsort(s.first, KERNELS, sizeof(s.first[0]), by_value);
	qsort(s.later, KERNELS * (LAUNCHES - 1), sizeof(s.later[0]), by_value);
	row("small_total", all * 1e-6, "ms");
	row("small_first_median", s.first[KERNELS / 2] * 1e-3, "us");
	row("small_first_90_percent", s.first[KERNELS * 9 / 10] * 1e-3, "us");
	row("small_later_median", s.later[KERNELS * (LAUNCHES - 1) / 2] * 1e-3, "us");
}

/* Instructions that compiled code has run on this GPU, or -1 */
static long long compiled(void)
{
	FILE *f = fopen(STATS, "r");
	long long v = -1;
	char line[128];

	while (f && v < 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "engine_compiled %lld", &v) != 1)
			v = -1;
	if (f)
		fclose(f);
	return v;
}

/* The other end: a kernel that is launched again and again, and how long it is only interpreted */
void bench_hot(struct bench_gpu *g)
{
	static struct small s;
	const long long was = compiled();
	const double start = now_ns();
	double first, t = 0;
	u32 n = 0;

	if (!make_copies(g, &s))
		return;
	first = launch(g, &s, 0, HOT_ROUNDS);
	for (; compiled() == was && now_ns() - start < HOT_NS && !g->wrong; n++)
		t = launch(g, &s, 0, HOT_ROUNDS);
	row("hot_first", first * 1e-3, "us");
	row("hot_until_compiled", (now_ns() - start) * 1e-6, "ms");
	row("hot_launches", n, "dispatches");
	for (n = 0; n < LAUNCHES && !g->wrong; n++)
		t = launch(g, &s, 0, HOT_ROUNDS);
	row("hot_compiled", t * 1e-3, "us");
	if (was < 0 || compiled() == was)
		complain(g, "hot", "nothing was compiled");
	if (!is_right(s.out.p, 0, HOT_ROUNDS))
		complain(g, "hot", "wrong result");
}
