// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any bytes as code of a wave with few registers, little LDS and a
 * sparse memory. Registers, LDS and pages end at pages that nobody may touch; what
 * that does not show is checked here: constants, EXEC and its shadow, host FP control, read-only
 * pages, and that an instruction that missed a page had no effect.
 */
#include <stdlib.h>
#include <xmmintrin.h>

#include "guard.h"
#include "isa_int.h"
#include "mutate.h"
#include "targets.h"

#define PAGES		16	/* of the window at address 0 */
#define CODE_PAGE	8	/* code: two pages, apart in host memory */
#define PAGE		4096u
#define MAX_ROWS	40
#define MAX_LDS		512u
#define STOPS		48
#define INSNS		1500

#define CHECK(c)	do { if (!(c)) __builtin_trap(); } while (0)

static u8 *page[PAGES];
static const u8 page_access[PAGES] = {
	[0] = ISA_R | ISA_W, [1] = ISA_R | ISA_W, [3] = ISA_R | ISA_W,
	[4] = ISA_R, [6] = ISA_R | ISA_W, [7] = ISA_W,
	[CODE_PAGE] = ISA_R | ISA_X, [CODE_PAGE + 1] = ISA_R | ISA_W | ISA_X,
	[CODE_PAGE + 3] = ISA_R | ISA_W | ISA_X,
};

static bool lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x)
{
	u64 n = va / PAGE;

	(void)cu;
	if (n >= PAGES || !page[n] || (page_access[n] & access) != access)
		return false;
	x->host = page[n];
	x->access = page_access[n];
	return true;
}

static u64 ticks(struct isa_cu *cu)
{
	(void)cu;
	return 1000;
}

struct state {
	struct isa_wave w;
	u32 v[MAX_ROWS * ISA_LANES];
	u8 lds[4096], mem[PAGES][PAGE];
};

static void save(struct state *s, const struct isa_wave *w)
{
	u32 n;

	s->w = *w;
	memcpy(s->v, w->v, w->rows * ISA_LANES * 4);
	memcpy(s->lds, w->wg->lds, w->wg->lds_bytes);
	for (n = 0; n < PAGES; n++)
		if (page[n])
			memcpy(s->mem[n], page[n], PAGE);
}

static void unchanged(const struct state *s, const struct isa_wave *w)
{
	u32 n;

	CHECK(!memcmp(s->w.s, w->s, sizeof(w->s)));
	CHECK(s->w.scc == w->scc && s->w.mode == w->mode);
	CHECK(!memcmp(s->v, w->v, w->rows * ISA_LANES * 4));
	CHECK(!memcmp(s->lds, w->wg->lds, w->wg->lds_bytes));
	for (n = 0; n < PAGES; n++)
		if (page[n])
			CHECK(!memcmp(s->mem[n], page[n], PAGE));
}

static void invariants(const struct isa_wave *w, const struct state *first)
{
	CHECK(!memcmp(w->s + 128, first->w.s + 128, 128 * 4));
	CHECK(w->full == (isa_exec(w) == ~0ull));
	CHECK(w->scc <= 1);
	CHECK(w->v == first->w.v && w->cu == first->w.cu && w->wg == first->w.wg);
	CHECK(w->rows == first->w.rows && w->acc_row == first->w.acc_row);
	CHECK(!memcmp(first->mem[4], page[4], PAGE));
	CHECK(!memcmp(first->mem[CODE_PAGE], page[CODE_PAGE], PAGE));
}

static u32 length_at(const struct isa_target *t, u64 pc)
{
	struct isa_insn in;
	u32 dw[3];
	int n = 0, i;

	for (i = 0; i < 3; i++, pc += 4) {
		if (pc / PAGE >= PAGES || !page[pc / PAGE])
			break;
		memcpy(&dw[i], page[pc / PAGE] + pc % PAGE, 4);
		n++;
	}
	n = n ? isa_decode(t, dw, n, &in) : 0;
	return n > 0 ? n : 1;
}

/* Any model's */
static const char *any_target(u32 n)
{
	static const char * const rdna[] = { "gfx1030", "gfx1100", "gfx1151", "gfx1201" };
	u32 count = target_count();

	n %= count + ARRAY_SIZE(rdna);
	return n < count ? target_name(n) : rdna[n - count];
}

static u32 any_size(const struct isa_target *t, const u8 *cfg)
{
	return isa_target_arch(t)->wave_sizes & 32 && cfg[15] & 1 ? 32 : 64;
}

static void setup(struct isa_wave *w, const u8 *cfg, u32 rows)
{
	struct isa_wave_setup s = {
		.lanes = any_size(w->cu->target, cfg),
		.mode = cfg[5] | (cfg[6] & 3) << 8 | (u32)(cfg[6] >> 2) << 12, .rows = rows,
		.acc_offset = cfg[3] & 0x3c, .sgprs = 104,
		.nsgpr = 16, .shared_base = 2, .private_base = 1,
		.scratch_base = 0x3000, .scratch_lane_bytes = 16, .ids = 3,
		.packed_ids = true, .size = { 16, 2, 2 },
	};
	static const u32 sgpr[16] = {
		0x0ff0, 0, 0x3000, 0, 0x100, 0x00040000, 0x400, 0x00027000,
		0, 0x80040000, 0x1000, 0x00e00000, 0x6ff8, 0, 4, 0x8010,
	};
	u32 r, lane;

	memcpy(s.sgpr, sgpr, sizeof(sgpr));
	isa_wave_setup(w, &s);
	w->s[ISA_SRC_FLAT_SCR_LO] = 0x3000;
	w->s[ISA_SRC_M0] = cfg[7];
	for (r = 1; r < w->rows; r++)
		for (lane = 0; lane < ISA_LANES; lane++)
			switch (r % 8) {
			case 1: w->v[r * 64 + lane] = 0; break;
			case 2: w->v[r * 64 + lane] = 0x0fd0 + lane * cfg[8]; break;
			case 3: w->v[r * 64 + lane] = lane & 32 ? cfg[9] & 3 : 0; break;
			case 4: w->v[r * 64 + lane] = lane * 4; break;
			case 5: w->v[r * 64 + lane] = 0; break;
			case 6: w->v[r * 64 + lane] = 0x3f800000 + (lane << cfg[10] % 24); break;
			case 7: w->v[r * 64 + lane] = (lane * 2654435761u) << cfg[11] % 32; break;
			}
}

static struct isa_icache *icache;
static struct isa_cu *cu;
static u32 *rows_end;
static u8 *lds_end;
static void *wave_mem;
static const struct isa_target *target;

static void init(void)
{
	u32 n;

	icache = isa_icache_init(aligned_alloc(64, (isa_icache_bytes(8) + 63) & ~63ul), 8);
	for (n = 0; n < PAGES; n++)
		if (page_access[n])
			page[n] = guard_alloc(PAGE, true);
	rows_end = (u32 *)guard_alloc(MAX_ROWS * 256, false) + MAX_ROWS * ISA_LANES;
	lds_end = (u8 *)guard_alloc(MAX_LDS + 64, false) + MAX_LDS + 64;
	wave_mem = guard_alloc((isa_wave_bytes() + 63) & ~63ul, false);
	cu = guard_alloc(sizeof(*cu), false);
}

static void run(struct isa_wave *w, u32 step, const struct state *first)
{
	static struct state before;
	struct isa_exit ex;
	u32 stops = 0, insns = 0;

	while (stops < STOPS && insns < INSNS) {
		u32 csr = _mm_getcsr(), budget = step ? 1 : 200;

		if (step)
			save(&before, w);
		isa_wave_run(w, budget, &ex);
		CHECK((_mm_getcsr() & ~0x3fu) == (csr & ~0x3fu));
		CHECK(ex.insns <= budget);
		invariants(w, first);
		insns += ex.insns;
		switch (ex.why) {
		case ISA_STOP_BUDGET:
			insns++;
			break;
		case ISA_STOP_END:
		case ISA_STOP_BARRIER:
		case ISA_STOP_HALT:
		case ISA_STOP_MSG:
			stops += 4;
			break;
		case ISA_STOP_GWS:
			CHECK((ex.info & 0xff) <= ISA_GWS_BARRIER);
			CHECK(ex.info >> 8 < ISA_GWS_RESOURCES);
			stops += 4;
			break;
		case ISA_STOP_EXCP:
			CHECK(ex.info && !(ex.info & ~0x7fu) && ex.insns);
			stops++;
			if (w->pc & 4)
				isa_wave_trap(w, &ex, CODE_PAGE * PAGE + 64, 0x6000);
			break;
		case ISA_STOP_MISS:
			CHECK(ex.len && ex.access);
			CHECK(ex.va / PAGE == (ex.va + ex.len - 1) / PAGE);
			CHECK(ex.va / PAGE >= PAGES ||
			      (page_access[ex.va / PAGE] & ex.access) != ex.access);
			fallthrough;
		default:
			if (step && ex.insns == 0)
				unchanged(&before, w);
			stops++;
			if (ex.why == ISA_STOP_TRAP &&
			    isa_wave_trap(w, &ex, CODE_PAGE * PAGE + 64, 0x6000))
				CHECK(isa_wave_in_trap(w));
			else if (ex.access == ISA_X)
				w->pc = CODE_PAGE * PAGE + stops * 32;
			else
				w->pc += 4 * length_at(target, w->pc);
		}
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct state first;
	static u64 epoch;
	static const struct isa_lane_ops *const lane[] = {
		&isa_lane_sse2, &isa_lane_avx2, &isa_lane_avx512,
	};
	static unsigned int lanes;
	struct isa_wave *w;
	struct isa_wg wg;
	u32 rows, *v, n;
	size_t at;

	if (size < 32)
		return 0;
	if (!icache)
		init();
	if (!lanes)
		lanes = 1 + !!__builtin_cpu_supports("avx2") +
			!!__builtin_cpu_supports("avx512bw");
	rows = 4 + data[1] % (MAX_ROWS - 4);
	wg.lds_bytes = data[2] % 9 * 64;
	wg.lds = lds_end - 64 - wg.lds_bytes;
	memset(wg.lds, 0, wg.lds_bytes + 64);
	v = rows_end - rows * ISA_LANES;
	w = wave_mem;
	for (n = 0; n < PAGES; n++)
		if (page[n])
			memset(page[n], n & 1 ? 0 : 0x33, PAGE);
	/* The code crosses into a page that is elsewhere. */
	for (at = 16, n = CODE_PAGE * PAGE + (data[4] & 1 ? PAGE - 64 : 0); at < size &&
	     n < (CODE_PAGE + 2) * PAGE; at++, n++)
		page[n / PAGE][n % PAGE] = data[at];
	memset(cu, 0, sizeof(*cu));
	/* What is decoded is decoded for one target. */
	isa_icache_flush(icache);
	target = isa_target_by_name(any_target(data[4] >> 1));
	cu->target = target;
	cu->lane = lane[(data[0] >> 3) % lanes];
	cu->icache = icache;
	cu->icache_epoch = ++epoch << 16;
	cu->lookup = lookup;
	cu->clock = ticks;
	isa_wave_init(w, v, rows);
	isa_wave_reset(w, cu, &wg, CODE_PAGE * PAGE + (data[4] & 1 ? PAGE - 64 : 0),
		       data[0] & 4 ? ~0ull : data[12] | (u64)data[13] << 40);
	setup(w, data, rows);
	save(&first, w);
	run(w, data[0] & 1, &first);
	return 0;
}

/* Instructions with the bits that name an encoding set, the others at random. */
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	static const struct { u32 bits, keep; } enc[] = {
		{ 0xbe800000, 0x007fffff }, { 0x80000000, 0x3fffffff },
		{ 0xb0000000, 0x0fffffff }, { 0xbf000000, 0x007fffff },
		{ 0xbf800000, 0x007fffff }, { 0xc0000000, 0x03ffffff },
		{ 0x7e000000, 0x01ffffff }, { 0x00000000, 0x7fffffff },
		{ 0x7c000000, 0x01ffffff }, { 0xd0000000, 0x03ffffff },
		{ 0xd3800000, 0x007fffff }, { 0xd3c00000, 0x003fffff },
		{ 0xd8000000, 0x03ffffff }, { 0xdc000000, 0x03ffffff },
		{ 0xe0000000, 0x03ffffff }, { 0xd1000000, 0x00ffffff },
		{ 0x000000f9, 0x7fffff00 }, { 0x000000fa, 0x7fffff00 },
		/* gfx10, gfx11 */
		{ 0xd4000000, 0x03ffffff }, { 0xcc000000, 0x007fffff },
		{ 0xc8000000, 0x03ffffff }, { 0xf4000000, 0x03ffffff },
		{ 0x000000e9, 0x7fffff00 }, { 0xdc000000, 0x01fbffff },
		/* Images; gfx12's memory */
		{ 0xf0000000, 0x03ffffff }, { 0xe4000000, 0x03ffffff }, { 0xc4000000, 0x007fffff },
		{ 0xec000000, 0x007fffff }, { 0xed000000, 0x007fffff }, { 0xee000000, 0x007fffff },
	};
	u32 s = seed * 2654435761u + 1, n, k;

	if (size < 64 || rnd(&s) % 3 == 0) {
		if (size < 64 && max >= 64) {
			memset(data + size, 0, 64 - size);
			size = 64;
		}
		return LLVMFuzzerMutate(data, size, max);
	}
	if (size + 64 < max && rnd(&s) % 4 == 0) {
		memcpy(data + size, data + 16 + rnd(&s) % (size - 32) / 4 * 4, 16);
		size += 16;
	}
	for (k = rnd(&s) % 4 + 1; k; k--) {
		u32 e = rnd(&s) % ARRAY_SIZE(enc), dw[2];
		size_t at = 16 + rnd(&s) % ((size - 24) / 4) * 4;

		dw[0] = enc[e].bits | (rnd(&s) & enc[e].keep);
		dw[1] = rnd(&s);
		/* Low registers mostly: high ones are out of the file. */
		if (rnd(&s) % 8) {
			for (n = 0; n < 4; n++)
				if (rnd(&s) % 4)
					dw[1] &= ~(0xe0u << n * 8);
			if (enc[e].bits >= 0xc0000000)
				dw[0] &= ~0xe0u;
			else
				dw[0] &= ~0x00c000e0u;
		}
		memcpy(data + at, dw, 8);
	}
	if (rnd(&s) % 8 == 0)
		data[rnd(&s) % 16] = (u8)rnd(&s);
	return size;
}
