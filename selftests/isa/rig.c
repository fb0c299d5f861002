// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdlib.h>
#include "rig.h"

static bool lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x)
{
	struct rig *r = cu->priv;

	(void)access;
	if (va < RIG_VA || va >= RIG_VA + RIG_BYTES)
		return false;
	x->host = r->mem + ((va & -ISA_PAGE_BYTES) - RIG_VA);
	x->access = ISA_R | ISA_W | ISA_X;
	return true;
}

static u64 clock_100mhz(struct isa_cu *cu)
{
	return ((struct rig *)cu->priv)->clock++;
}

static void *lines(size_t bytes)
{
	void *p = aligned_alloc(64, (bytes + 63) & ~(size_t)63);

	if (!p) {
		perror("rig");
		exit(1);
	}
	memset(p, 0, (bytes + 63) & ~(size_t)63);
	return p;
}

static u32 cpu_features(void)
{
	return (__builtin_cpu_supports("avx2") ? ISA_CPU_AVX2 : 0) |
	       (__builtin_cpu_supports("avx512bw") ? ISA_CPU_AVX512 : 0);
}

bool rig_can(const char *lane)
{
	return isa_lane_by_name(lane, cpu_features());
}

void rig_init(struct rig *r, const char *target, const char *lane, u32 rows)
{
	memset(r, 0, sizeof(*r));
	r->mem = lines(RIG_BYTES + 64);
	r->vgprs = lines(rows * ISA_LANES * sizeof(u32));
	r->wave_mem = lines(isa_wave_bytes());
	r->icache_mem = lines(isa_icache_bytes(16));
	r->lds = lines(65536 + 64);
	r->cu.target = isa_target_by_name(target);
	r->cu.lane = isa_lane_by_name(lane ? lane : "sse2", ISA_CPU_AVX2 | ISA_CPU_AVX512);
	r->cu.icache = isa_icache_init(r->icache_mem, 16);
	r->cu.lookup = lookup;
	r->cu.clock = clock_100mhz;
	r->cu.priv = r;
	r->wg.lds = r->lds;
	r->wg.lds_bytes = 65536;
	r->w = isa_wave_init(r->wave_mem, r->vgprs, rows);
}

void rig_fini(struct rig *r)
{
	free(r->mem);
	free(r->vgprs);
	free(r->wave_mem);
	free(r->icache_mem);
	free(r->lds);
}

void rig_load(struct rig *r, const u32 *words, u32 n)
{
	struct isa_wave_setup s = {
		.mode = 0x3c0, .rows = 64, .acc_offset = 32, .sgprs = 104,
		.shared_base = 0x10000, .private_base = 0x20000,
		.hw_id = 0x12345678, .ids = 1, .size = { 64, 1, 1 },
	};

	memcpy(r->mem + RIG_CODE, words, n * sizeof(*words));
	r->cu.icache_epoch++;
	isa_wave_reset(r->w, &r->cu, &r->wg, RIG_VA + RIG_CODE, ~0ull);
	isa_wave_setup(r->w, &s);
}

enum isa_stop rig_run(struct rig *r, u32 budget)
{
	u32 n = 0;

	/* Dear instructions end a run before its budget is used up. */
	do {
		isa_wave_run(r->w, budget - n, &r->ex);
		n += r->ex.insns;
	} while (r->ex.why == ISA_STOP_BUDGET && !r->ex.info && n < budget);
	r->ex.insns = n;
	return r->ex.why;
}

static int tests, failures;

void tap_ok(int ok, const char *fmt, ...)
{
	va_list ap;

	if (!tests++)
		printf("TAP version 13\n");
	failures += !ok;
	printf("%sok %d - ", ok ? "" : "not ", tests);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

int tap_done(void)
{
	printf("1..%d\n", tests);
	return failures ? 1 : 0;
}
