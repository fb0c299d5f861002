// SPDX-License-Identifier: MIT
/*
 * Atomics on memory. Where a misaligned one can be asked for, the address that comes
 * out in the end is what counts, whoever chose which part of it: it is a memory
 * violation and touches nothing. (An engine that lets one through dies of
 * isa_assert() here.) And one that others' writes hold up is done once for each lane,
 * also if the wave is saved in between. TAP.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mem.h"
#include "rig.h"
#include "targets.h"

#define DATA		(RIG_VA + RIG_DATA)
#define PRIVATE		0x20000ull	/* rig_load()'s apertures, high dwords */
#define SHARED		0x10000ull
#define BUFFER_STRIDE	4u

enum base { FLAT_SCRATCH, FLAT_MEMORY, FLAT_LDS, BUFFER_BASE, BUFFER_SOFFSET, SCALAR };

/*
 * v[2:3] is an address, v[4:5] data, v6 the result of who has one, s[4:7] a V#, s8 an
 * offset, s[10:11] an address
 */
static const struct row {
	const char *name;
	u32 words[2], bytes;
	enum base base;
	const char *only;	/* the target that has it, or NULL */
} rows[] = {
	{ "flat_atomic_add, scratch", { 0xdd080000, 0x00000402 }, 4, FLAT_SCRATCH, NULL },
	{ "flat_atomic_umax, scratch", { 0xdd1c0000, 0x00000402 }, 4, FLAT_SCRATCH, NULL },
	{ "flat_atomic_add glc, scratch", { 0xdd090000, 0x06000402 }, 4, FLAT_SCRATCH, NULL },
	{ "flat_atomic_add", { 0xdd080000, 0x00000402 }, 4, FLAT_MEMORY, NULL },
	{ "flat_atomic_add_x2", { 0xdd880000, 0x00000402 }, 8, FLAT_MEMORY, NULL },
	{ "flat_atomic_umax_x2", { 0xdd9c0000, 0x00000402 }, 8, FLAT_MEMORY, NULL },
	{ "flat_atomic_add_f64", { 0xdd3c0000, 0x00000402 }, 8, FLAT_MEMORY, "gfx90a" },
	{ "flat_atomic_add_f64", { 0xdd3c0000, 0x00000402 }, 8, FLAT_MEMORY, "gfx942" },
	{ "flat_atomic_add, LDS", { 0xdd080000, 0x00000402 }, 4, FLAT_LDS, NULL },
	{ "buffer_atomic_add, base", { 0xe1081000, 0x08010402 }, 4, BUFFER_BASE, NULL },
	{ "buffer_atomic_umax, base", { 0xe11c1000, 0x08010402 }, 4, BUFFER_BASE, NULL },
	{ "buffer_atomic_add, soffset", { 0xe1081000, 0x08010402 }, 4, BUFFER_SOFFSET, NULL },
	{ "s_atomic_add_x2", { 0xc28a0105, 0x00000000 }, 8, SCALAR, NULL },
};

static const char *const lanes[] = { "sse2", "avx2", "avx512" };

static void set_addresses(struct rig *r, u64 va, u32 step)
{
	u32 *v = isa_wave_rows(r->w), l;

	for (l = 0; l < ISA_LANES; l++, va += step) {
		v[2 * ISA_LANES + l] = (u32)va;
		v[3 * ISA_LANES + l] = (u32)(va >> 32);
		v[4 * ISA_LANES + l] = 0x7fffffff;
		v[5 * ISA_LANES + l] = 0x3ff00000;
	}
}

/* A wave about to run @row at a place @off bytes from where it may be. */
static void set_up(struct rig *r, const struct row *row, u32 off)
{
	const u32 code[] = { row->words[0], row->words[1], 0xbf810000 };
	struct isa_wave *w = r->w;

	rig_load(r, code, 3);
	memset(r->mem + RIG_DATA, 0x11, RIG_BYTES - RIG_DATA);
	memset(r->lds, 0x11, 4096);
	w->s[ISA_SRC_FLAT_SCR_LO] = (u32)DATA;
	w->s[ISA_SRC_FLAT_SCR_LO + 1] = 0;
	w->scratch_base = DATA;
	w->s[4] = (u32)DATA;
	w->s[5] = 1u << 31 | BUFFER_STRIDE << 16;	/* swizzled */
	w->s[6] = 0x1000;
	w->s[7] = 3u << 21 | 1u << 23;			/* by 64 lanes, thread id added */
	w->s[8] = 0;
	w->s[10] = (u32)DATA + off;
	w->s[11] = 0;
	switch (row->base) {
	case FLAT_SCRATCH:
		w->s[ISA_SRC_FLAT_SCR_LO] += off;
		w->scratch_base += off;
		set_addresses(r, PRIVATE << 32, 0);
		break;
	case FLAT_MEMORY:
		set_addresses(r, DATA + off, row->bytes);
		break;
	case FLAT_LDS:
		set_addresses(r, (SHARED << 32) + off, row->bytes);
		break;
	case BUFFER_BASE:
		w->s[4] += off;
		set_addresses(r, 0, 0);
		break;
	case BUFFER_SOFFSET:
		w->s[8] = off;
		set_addresses(r, 0, 0);
		break;
	case SCALAR:
		break;
	}
}

static bool untouched(const struct rig *r)
{
	u32 n;

	for (n = RIG_DATA; n < RIG_BYTES; n++)
		if (r->mem[n] != 0x11)
			return false;
	for (n = 0; n < 4096; n++)
		if (r->lds[n] != 0x11)
			return false;
	return true;
}

static bool row_ok(struct rig *r, const struct row *row)
{
	u32 off;

	set_up(r, row, 0);
	if (rig_run(r, 10) != ISA_STOP_END || untouched(r)) {
		printf("# aligned: stop %u\n", r->ex.why);
		return false;
	}
	for (off = 1; off < row->bytes; off++) {
		/* The two low bits of a scalar address do not count. */
		if (row->base == SCALAR && off < 4)
			continue;
		set_up(r, row, off);
		if (rig_run(r, 10) != ISA_STOP_MEMVIOL || !untouched(r)) {
			printf("# off by %u: stop %u, memory %s\n", off, r->ex.why,
			       untouched(r) ? "untouched" : "written");
			return false;
		}
	}
	return true;
}

static void test_alignment(void)
{
	u32 t, l, n;

	for (t = 0; t < target_count(); t++)
		for (l = 0; l < ARRAY_SIZE(lanes); l++) {
			struct rig r;
			bool ok = true;

			if (!rig_can(lanes[l]))
				continue;
			rig_init(&r, target_name(t), lanes[l], 64);
			for (n = 0; n < ARRAY_SIZE(rows); n++) {
				if (rows[n].only && strcmp(rows[n].only, target_name(t)))
					continue;
				if (!strcmp(target_name(t), "gfx942") && rows[n].base == SCALAR)
					continue;
				if (row_ok(&r, &rows[n]))
					continue;
				printf("# %s\n", rows[n].name);
				ok = false;
			}
			tap_ok(ok, "%s, %s: misaligned atomics are memory violations", target_name(t),
			       lanes[l]);
			rig_fini(&r);
		}
}

/* ------------------------------------------------------------------ held up */

/* global_atomic_inc v6, v[2:3], v4, off glc; s_endpgm */
static const u32 inc[] = { 0xdd2d8000, 0x067f0402, 0xbf810000 };

/* Lanes that are left over from the turn before are the only ones that are done. */
static void test_redo(void)
{
	const u64 left = 0xff00ff0000f0f001;
	struct isa_saved s;
	struct rig r;
	u32 *v, l, *word, round;
	bool ok;

	rig_init(&r, "gfx90a", "sse2", 64);
	for (round = 0; round < 3; round++) {
		rig_load(&r, inc, 3);
		set_addresses(&r, DATA, 0);
		v = isa_wave_rows(r.w);
		word = (u32 *)(r.mem + RIG_DATA);
		*word = 100;
		for (l = 0; l < ISA_LANES; l++) {
			v[4 * ISA_LANES + l] = ~0u;
			v[6 * ISA_LANES + l] = 7;
		}
		r.w->redo = left;
		/* In the third round it was another instruction. */
		r.w->redo_pc = RIG_VA + RIG_CODE + (round == 2 ? 4 : 0);
		if (round) {
			isa_wave_save(r.w, &s);
			r.w->redo = 5;
			r.w->redo_pc = 0;
			isa_wave_load(r.w, &s);
		}
		ok = rig_run(&r, 10) == ISA_STOP_END && !r.w->redo &&
		     *word == 100u + (round == 2 ? 64 : (u32)__builtin_popcountll(left));
		for (l = 0; l < ISA_LANES; l++)
			ok &= round == 2 || left >> l & 1 ? v[6 * ISA_LANES + l] >= 100 :
							    v[6 * ISA_LANES + l] == 7;
		tap_ok(ok, "%s", !round ? "an atomic goes on with the lanes that are left" :
		       round == 1 ? "... after it was saved, too" :
		       "... but not if they are another instruction's");
	}
	rig_fini(&r);
}

/* Calls from other files than its own come here: the Makefile says --wrap. */
bool __real_isa_mem_rmw(u8 *p, u32 aop, u32 bytes, u64 data, u64 data2, u64 *old, u32 *tries);
bool __wrap_isa_mem_rmw(u8 *p, u32 aop, u32 bytes, u64 data, u64 data2, u64 *old, u32 *tries);

static u32 lose;

bool __wrap_isa_mem_rmw(u8 *p, u32 aop, u32 bytes, u64 data, u64 data2, u64 *old, u32 *tries)
{
	if (!lose)
		return __real_isa_mem_rmw(p, aop, bytes, data, data2, old, tries);
	lose--;
	*tries = 0;
	return false;
}

/* A turn in which an atomic only lost retired nothing, but it took time, and says so. */
static void test_lost(void)
{
	/* s_atomic_add s4, s[2:3], 0x0 glc; s_endpgm */
	static const u32 add[] = { 0xc20b0101, 0, 0xbf810000 };
	u32 *word, turns;
	bool ok = true;
	struct rig r;

	rig_init(&r, "gfx906", "sse2", 64);
	rig_load(&r, add, 3);
	word = (u32 *)(r.mem + RIG_DATA);
	*word = 100;
	r.w->s[2] = (u32)DATA;
	r.w->s[3] = (u32)(DATA >> 32);
	r.w->s[4] = 3;
	lose = 5;
	for (turns = 0; isa_wave_run(r.w, 10, &r.ex) == ISA_STOP_BUDGET && turns < 10; turns++)
		ok &= !r.ex.insns && !r.ex.info && r.ex.cost >= ISA_RMW_TRIES && *word == 100;
	ok &= r.ex.why == ISA_STOP_END && turns == 5 && *word == 103 && r.w->s[4] == 100;
	tap_ok(ok, "turns in which an atomic only lost have their cost");
	rig_fini(&r);
}

static volatile bool stop;

static void *hammer(void *p)
{
	u64 n = 0;

	for (; !stop; n++)
		__atomic_fetch_add((u32 *)p, 1, __ATOMIC_SEQ_CST);
	return (void *)n;
}

/* Loops of compare-and-swap against a thread that never stops: bounded, and exact. */
static void test_contended(void)
{
	const u32 runs = 3000;
	u32 n, *word, held = 0, most = 0;
	void *others;
	pthread_t t;
	struct rig r;
	bool ok = true;

	rig_init(&r, "gfx90a", "sse2", 64);
	word = (u32 *)(r.mem + RIG_DATA);
	*word = 0;
	pthread_create(&t, NULL, hammer, word);
	for (n = 0; n < runs; n++) {
		u32 tries = 0, l;

		rig_load(&r, inc, 3);
		set_addresses(&r, DATA, 0);
		for (l = 0; l < ISA_LANES; l++)
			isa_wave_rows(r.w)[4 * ISA_LANES + l] = ~0u;
		while (isa_wave_run(r.w, 10, &r.ex) == ISA_STOP_BUDGET) {
			held += !!r.w->redo;
			/* Nothing retired, but it took time. */
			ok &= r.ex.insns || r.ex.cost >= ISA_RMW_TRIES;
			tries++;
		}
		ok &= r.ex.why == ISA_STOP_END;
		most = tries > most ? tries : most;
	}
	stop = true;
	pthread_join(t, &others);
	printf("# held up %u times in %u instructions, %u in one\n", held, runs, most);
	tap_ok(ok && *word == (u32)((u64)others + 64ull * runs),
	       "contended atomics are done once for each lane");
	rig_fini(&r);
}

static bool (*there)(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x);
static u64 absent;

/* A page that another worker brings in just after the first look at it. */
static bool arrives(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x)
{
	if ((va & -ISA_PAGE_BYTES) == absent) {
		absent = 0;
		return false;
	}
	return there(cu, va, access, x);
}

/*
 * Such a page is missed once. Whoever looked again, and found it, took the element for one in pieces,
 * which are read, changed and written one after another: an addition got lost in between.
 */
static void test_arriving(void)
{
	const struct row *row;
	struct rig r;
	bool ok = true;
	u32 n = 0;

	rig_init(&r, "gfx90a", NULL, 64);
	there = r.cu.lookup;
	r.cu.lookup = arrives;
	for (row = rows; row < rows + sizeof(rows) / sizeof(rows[0]); row++) {
		if (row->base == FLAT_LDS || row->base == SCALAR || (row->only && strcmp(row->only, "gfx90a")))
			continue;
		set_up(&r, row, 0);
		isa_tlb_flush(&r.cu.tlb);
		absent = DATA & -ISA_PAGE_BYTES;
		if (rig_run(&r, 10) != ISA_STOP_MISS || !untouched(&r) ||
		    rig_run(&r, 10) != ISA_STOP_END || untouched(&r)) {
			printf("# %s: stop %u\n", row->name, r.ex.why);
			ok = false;
		}
		n++;
	}
	tap_ok(ok && n, "%u atomics on a page that is just coming are missed", n);
	rig_fini(&r);
}

int main(void)
{
	test_alignment();
	test_arriving();
	test_redo();
	test_lost();
	test_contended();
	return tap_done();
}
