// SPDX-License-Identifier: MIT
/*
 * A qword that others write at the same time is never seen, or left, half written, whichever
 * way a wave gets at it: HSA's signals are 64 bits wide, and waves wait for them by plain
 * loads. Larger elements are qwords one behind the other. TAP.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "rig.h"

#define DATA		(RIG_VA + RIG_DATA)
#define QWORDS		((RIG_BYTES - RIG_DATA) / 8)
#define CASE_NS		30000000ull

/* v[2:3] address, v[4:7] data, v[8:11] result, v12 offset, s[4:7] a V#, s[10:11] address */
static const struct access {
	const char *name;
	u32 words[2], dwords;
	bool store, scalar;
} accesses[] = {
	{ "global_load_dwordx2", { 0xdc548000, 0x087f0002 }, 2, false, false },
	{ "global_load_dwordx3", { 0xdc588000, 0x087f0002 }, 3, false, false },
	{ "global_load_dwordx4", { 0xdc5c8000, 0x087f0002 }, 4, false, false },
	{ "flat_load_dwordx2", { 0xdc540000, 0x08000002 }, 2, false, false },
	{ "buffer_load_dwordx2", { 0xe0541000, 0x8001080c }, 2, false, false },
	{ "s_load_dwordx2", { 0xc0060305, 0 }, 2, false, true },
	{ "global_store_dwordx2", { 0xdc748000, 0x007f0402 }, 2, true, false },
	{ "global_store_dwordx3", { 0xdc788000, 0x007f0402 }, 3, true, false },
	{ "global_store_dwordx4", { 0xdc7c8000, 0x007f0402 }, 4, true, false },
	{ "buffer_store_dwordx2", { 0xe0741000, 0x8001040c }, 2, true, false },
};

/* How the lanes lie; 0 bytes from one to the next: all at the same place. */
static const struct shape {
	const char *name;
	u64 exec;
	bool one, anywhere;
} shapes[] = {
	{ "a row", ~0ull, false, false },
	{ "a row with holes", 0xa5c31e7ff00f8001ull, false, false },
	{ "one place", ~0ull, true, false },
	{ "anywhere", ~0ull, false, true },
	{ "anywhere, some", 0x0123456789abcdefull, false, true },
};

static struct rig rig;
static volatile bool stop;
static u64 torn;

static volatile u64 *qword(unsigned int n)
{
	return (volatile u64 *)(rig.mem + RIG_DATA) + n;
}

static bool is_torn(u64 v)
{
	return (u32)v != (u32)(v >> 32);
}

static void *change(void *arg)
{
	u64 v = 0;
	unsigned int n;

	for (; !stop; v = ~v)
		for (n = 0; n < QWORDS; n++)
			*qword(n) = v;
	return arg;
}

/* @arg: of three dwords the last one has half a qword for itself. */
static void *look(void *arg)
{
	const struct access *a = arg;
	unsigned int n;

	while (!stop)
		for (n = 0; n < QWORDS; n += a->dwords == 3 ? 2 : 1)
			torn += is_torn(*qword(n));
	return NULL;
}

static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Where lane @l is: three dwords are 16 bytes apart, so that their first two are a qword. */
static u32 place(const struct access *a, const struct shape *s, unsigned int l)
{
	if (s->one)
		return 64;
	return s->anywhere ? (l * 37 % 64) * 16 : l * (a->dwords == 2 ? 8 : 16);
}

static void load_wave(const struct access *a, const struct shape *s, u64 value)
{
	const u32 code[] = { a->words[0], a->words[1], 0xbf810000 };
	u32 *v, l, d;

	/* An instruction of two words each; s_endpgm */
	rig_load(&rig, code, 3);
	v = isa_wave_rows(rig.w);
	for (l = 0; l < ISA_LANES; l++) {
		v[2 * ISA_LANES + l] = (u32)DATA + place(a, s, l);
		v[3 * ISA_LANES + l] = 0;
		v[12 * ISA_LANES + l] = place(a, s, l);
		for (d = 0; d < 4; d++) {
			v[(4 + d) * ISA_LANES + l] = (u32)value;
			v[(8 + d) * ISA_LANES + l] = 0;
		}
	}
	rig.w->s[4] = (u32)DATA;
	rig.w->s[5] = 0;
	rig.w->s[6] = RIG_BYTES - RIG_DATA;
	rig.w->s[7] = 0x00027000;
	rig.w->s[10] = (u32)DATA + 64;
	rig.w->s[11] = 0;
	rig.w->s[ISA_SRC_EXEC_LO] = (u32)s->exec;
	rig.w->s[ISA_SRC_EXEC_LO + 1] = (u32)(s->exec >> 32);
}

static u64 torn_in_wave(const struct access *a, const struct shape *s)
{
	const u32 *v = isa_wave_rows(rig.w);
	u64 n = 0;
	u32 l, d;

	if (a->scalar)
		return rig.w->s[12] != rig.w->s[13];
	for (l = 0; l < ISA_LANES; l++)
		for (d = 0; s->exec >> l & 1 && d + 2 <= a->dwords; d += 2)
			n += v[(8 + d) * ISA_LANES + l] != v[(9 + d) * ISA_LANES + l];
	return n;
}

static void run_case(const char *lane, const struct access *a, const struct shape *s)
{
	pthread_t other;
	u64 end, value = 0, runs = 0;
	unsigned int n;

	for (n = 0; n < QWORDS; n++)
		*qword(n) = 0;
	stop = false;
	torn = 0;
	pthread_create(&other, NULL, a->store ? look : change, (void *)a);
	for (end = now() + CASE_NS; now() < end; value = ~value, runs++) {
		load_wave(a, s, value);
		if (rig_run(&rig, 10) != ISA_STOP_END)
			break;
		if (!a->store)
			torn += torn_in_wave(a, s);
	}
	stop = true;
	pthread_join(other, NULL);
	if (torn || rig.ex.why != ISA_STOP_END)
		printf("# %s, %s: stop %u, %llu of %llu torn\n", a->name, s->name, rig.ex.why,
		       (unsigned long long)torn, (unsigned long long)runs);
	tap_ok(!torn && rig.ex.why == ISA_STOP_END, "%s: %s, %s: no halves", lane, a->name, s->name);
}

int main(void)
{
	static const char * const lanes[] = { "sse2", "avx2", "avx512" };
	unsigned int l, a, s;

	for (l = 0; l < ARRAY_SIZE(lanes); l++) {
		if (!rig_can(lanes[l]))
			continue;
		rig_init(&rig, "gfx90a", lanes[l], 64);
		for (a = 0; a < ARRAY_SIZE(accesses); a++)
			for (s = 0; s < (accesses[a].scalar ? 1 : ARRAY_SIZE(shapes)); s++)
				run_case(lanes[l], &accesses[a], &shapes[s]);
		rig_fini(&rig);
	}
	return tap_done();
}
