// SPDX-License-Identifier: GPL-2.0-only
/*
 * struct cp_dispatch -> PM4. pm4_compute.c reads what is written here: selftests/cp/
 * test_pm4_write.c sends a dispatch through both and compares.
 *
 * Registers: the kernel's gc_9_4_2_offset.h and sh_mask.h; packets: soc15d.h.
 */
#include "cp_int.h"
#include "pm4_write.h"

enum {
	OP_NOP = 0x10, OP_DISPATCH_DIRECT = 0x15, OP_ATOMIC_MEM = 0x1e, OP_COND_EXEC = 0x22,
	OP_COPY_DATA = 0x40, OP_COND_WRITE = 0x45, OP_EVENT_WRITE = 0x46, OP_RELEASE_MEM = 0x49,
	OP_ACQUIRE_MEM = 0x58, OP_SET_SH_REG = 0x76,
};

/* Dword addresses, as in pm4_compute.c, less the base of SET_SH_REG */
#define SH_BASE		0x2c00
enum {
	SH_START_X = 0x2e04 - SH_BASE, SH_PGM_LO = 0x2e0c - SH_BASE,
	SH_SCRATCH_LO = 0x2e10 - SH_BASE, SH_RSRC1 = 0x2e12 - SH_BASE,
	SH_LIMITS = 0x2e15 - SH_BASE, SH_RSRC3 = 0x2e2d - SH_BASE,
	SH_USER_DATA = 0x2e40 - SH_BASE,
};

#define INIT_SHADER_EN	BIT(0)
#define INIT_THREADS	BIT(5)	/* dimensions are work-items, so the last groups may be partial */
#define INIT_W32	BIT(15)

#define RSRC2_LDS_SHIFT	15
#define RSRC2_LDS_MASK	(0x1ffu << RSRC2_LDS_SHIFT)
#define ALL_CUS		0xffffffffu

/* CP_COHER_CNTL: write back and drop L2, drop the vector and scalar caches */
#define COHER_DATA	(BIT(18) | BIT(22) | BIT(23) | BIT(27))
#define COHER_CODE	BIT(29)		/* and that of instructions */
#define COHER_SIZE_HI	0xffu	/* with the size, all of the address space */
#define COHER_POLL	0xau

/* CS_PARTIAL_FLUSH, of event index 4; CACHE_FLUSH_AND_INV_TS_EVENT, of event index 5 */
#define EVENT_IDLE	(0x07u | 4u << 8)
#define EVENT_RELEASE	(0x14u | 5u << 8 | BIT(15) | BIT(16) | BIT(17))
#define RELEASE_IRQ	(2u << 24)	/* once the data has been written */

/* COPY_DATA: the clock, 64 bits, to memory; the stream goes on when it is there */
#define COPY_CLOCK	(9u | 5u << 8 | BIT(16) | BIT(20))
/* TC_OP_ATOMIC_ADD_RTN_64 (vega10_enum.h), once: the result comes back, so that it has happened */
#define ATOMIC_ADD64	0x2fu
/* COND_WRITE: if memory is not equal, to memory. No source at hand has its bits for the MEC. */
#define COND_NOT_EQUAL	(4u | BIT(4) | 1u << 8)

static u32 header(u32 op, u32 dwords)
{
	return 3u << 30 | ((dwords - 2) & 0x3fff) << 16 | op << 8 | 2u;
}

/* Room for a packet of @n dwords, with its header written; NULL if there is none. */
static u32 *begin(struct cp_pm4_out *o, u32 op, u32 n)
{
	u32 *dw = o->dw + o->n;

	if (o->full || o->room - o->n < n) {
		o->full = true;
		return NULL;
	}
	o->n += n;
	dw[0] = header(op, n);
	return dw + 1;
}

static void set_sh(struct cp_pm4_out *o, u32 reg, const u32 *val, u32 n)
{
	u32 *dw = begin(o, OP_SET_SH_REG, n + 2);

	if (!dw)
		return;
	dw[0] = reg;
	memcpy(dw + 1, val, n * sizeof(*val));
}

bool cp_pm4_writable(const struct gpu_target *t)
{
	return t->gfx_version / 10000 == 9;
}

void cp_pm4_put_acquire(struct cp_pm4_out *o, bool code)
{
	u32 *dw = begin(o, OP_ACQUIRE_MEM, CP_PM4_ACQUIRE_DWORDS);

	if (!dw)
		return;
	dw[0] = COHER_DATA | (code ? COHER_CODE : 0);
	dw[1] = ~0u;
	dw[2] = COHER_SIZE_HI;
	dw[3] = 0;
	dw[4] = 0;
	dw[5] = COHER_POLL;
}

/* Where the grid ends, counted from group 0, which may lie before the first one that runs. */
static bool ends(const struct cp_dispatch *d, u32 end[3])
{
	unsigned int i;
	u64 last;

	for (i = 0; i < 3; i++) {
		last = d->grid[i] + (u64)d->first[i] * d->group[i];
		if (last > ~0u)
			return false;
		end[i] = last;
	}
	return true;
}

static void put_start(struct cp_pm4_out *o, const struct cp_dispatch *d, const u32 end[3])
{
	u32 *dw = begin(o, OP_DISPATCH_DIRECT, 5);

	if (!dw)
		return;
	memcpy(dw, end, 3 * sizeof(*end));
	dw[3] = INIT_SHADER_EN | INIT_THREADS | (d->lanes == 32 ? INIT_W32 : 0);
}

static void put_registers(struct cp_pm4_out *o, const struct gpu_target *t,
			  const struct cp_dispatch *d)
{
	u32 start[] = { d->first[0], d->first[1], d->first[2],
			d->group[0], d->group[1], d->group[2] };
	u32 program[] = { (u32)(d->pc >> 8), (u32)(d->pc >> 40) };
	u32 scratch[] = { (u32)(d->scratch_base >> 8), (u32)(d->scratch_base >> 40) };
	u32 rsrc[] = { d->rsrc[0], (d->rsrc[1] & ~RSRC2_LDS_MASK) |
		       d->lds_bytes / t->arch->lds_granule << RSRC2_LDS_SHIFT };
	/* RESOURCE_LIMITS, SE0, SE1, TMPRING_SIZE, SE2, SE3. No scratch for who uses none */
	const u32 limits[] = { 0, ALL_CUS, ALL_CUS, d->scratch_lane_bytes ? d->tmpring : 0,
			 ALL_CUS, ALL_CUS };

	set_sh(o, SH_START_X, start, ARRAY_SIZE(start));
	set_sh(o, SH_PGM_LO, program, ARRAY_SIZE(program));
	set_sh(o, SH_SCRATCH_LO, scratch, ARRAY_SIZE(scratch));
	set_sh(o, SH_RSRC1, rsrc, ARRAY_SIZE(rsrc));
	set_sh(o, SH_LIMITS, limits, ARRAY_SIZE(limits));
	if (isa_arch_has(t->arch, ISA_ARCH_UNIFIED_VGPRS))
		set_sh(o, SH_RSRC3, &d->rsrc[2], 1);
	set_sh(o, SH_USER_DATA, d->user, CP_MAX_USER_SGPRS);
}

bool cp_pm4_put_dispatch(struct cp_pm4_out *o, const struct gpu_target *t,
			 const struct cp_dispatch *d)
{
	u32 was = o->n, end[3];

	if (!ends(d, end))
		return false;
	put_registers(o, t, d);
	put_start(o, d, end);
	if (o->full)
		o->n = was;
	return true;
}

void cp_pm4_put_idle(struct cp_pm4_out *o)
{
	u32 *dw = begin(o, OP_EVENT_WRITE, CP_PM4_IDLE_DWORDS);

	if (dw)
		dw[0] = EVENT_IDLE;
}

void cp_pm4_put_release(struct cp_pm4_out *o, u64 va, enum cp_pm4_data what, u64 data,
			bool interrupt)
{
	u32 *dw = begin(o, OP_RELEASE_MEM, CP_PM4_RELEASE_DWORDS);

	if (!dw)
		return;
	dw[0] = EVENT_RELEASE;
	dw[1] = (u32)what << 29 | (interrupt ? RELEASE_IRQ : 0);
	dw[2] = (u32)va;
	dw[3] = (u32)(va >> 32);
	dw[4] = (u32)data;
	dw[5] = (u32)(data >> 32);
	dw[6] = 0;
}

void cp_pm4_put_clock(struct cp_pm4_out *o, u64 va)
{
	u32 *dw = begin(o, OP_COPY_DATA, CP_PM4_CLOCK_DWORDS);

	if (!dw)
		return;
	dw[0] = COPY_CLOCK;
	dw[1] = 0;
	dw[2] = 0;
	dw[3] = (u32)va;
	dw[4] = (u32)(va >> 32);
}

static void put_decrement(struct cp_pm4_out *o, u64 va)
{
	u32 *dw = begin(o, OP_ATOMIC_MEM, 9);

	if (!dw)
		return;
	dw[0] = ATOMIC_ADD64;
	dw[1] = (u32)va;
	dw[2] = (u32)(va >> 32);
	dw[3] = ~0u;
	dw[4] = ~0u;
	memset(dw + 5, 0, 3 * sizeof(*dw));
}

/* In the order of cp_signal_complete(): whoever sees the value sees all the rest. */
void cp_pm4_put_complete(struct cp_pm4_out *o, u64 signal_va)
{
	u32 was = o->n;

	cp_pm4_put_idle(o);
	cp_pm4_put_acquire(o, false);	/* writes back */
	cp_pm4_put_clock(o, signal_va + CP_SIGNAL_END_TS);
	put_decrement(o, signal_va + CP_SIGNAL_VALUE);
	if (o->full)
		o->n = was;
}

static void put_check32(struct cp_pm4_out *o, u64 va, u32 want, u64 flag_va)
{
	u32 *dw = begin(o, OP_COND_WRITE, 9);

	if (!dw)
		return;
	dw[0] = COND_NOT_EQUAL;
	dw[1] = (u32)va;
	dw[2] = (u32)(va >> 32);
	dw[3] = want;
	dw[4] = ~0u;
	dw[5] = (u32)flag_va;
	dw[6] = (u32)(flag_va >> 32);
	dw[7] = 0;
}

/* All of the descriptor that cp_dispatch_parse() looks at */
void cp_pm4_put_check(struct cp_pm4_out *o, const struct cp_dispatch *d, u64 flag_va)
{
	u64 kd = d->kernel_object, entry = d->pc - kd;
	u32 was = o->n;

	put_check32(o, kd + CP_KD_ENTRY, (u32)entry, flag_va);
	put_check32(o, kd + CP_KD_ENTRY + 4, (u32)(entry >> 32), flag_va);
	put_check32(o, kd + CP_KD_RSRC3, d->rsrc[2], flag_va);
	put_check32(o, kd + CP_KD_RSRC3 + 4, d->rsrc[0], flag_va);
	put_check32(o, kd + CP_KD_RSRC3 + 8, d->rsrc[1], flag_va);
	put_check32(o, kd + CP_KD_PROPERTIES, d->properties, flag_va);
	if (o->full)
		o->n = was;
}

u32 cp_pm4_put_if(struct cp_pm4_out *o, u64 flag_va)
{
	u32 *dw = begin(o, OP_COND_EXEC, CP_PM4_IF_DWORDS);

	if (!dw)
		return o->n;
	dw[0] = (u32)flag_va;
	dw[1] = (u32)(flag_va >> 32);
	dw[2] = 0;
	dw[3] = 0;		/* cp_pm4_put_end_if() */
	return o->n;
}

void cp_pm4_put_end_if(struct cp_pm4_out *o, u32 at)
{
	if (!o->full)
		o->dw[at - 1] = o->n - at;
}

void cp_pm4_put_padding(struct cp_pm4_out *o, u32 dwords)
{
	u32 n = -o->n & (dwords - 1), *dw;

	/* A packet has a body, but for a NOP that says that it has none. */
	if (n == 1) {
		dw = begin(o, OP_NOP, 1);
		if (dw)
			dw[-1] = header(OP_NOP, 1);
		return;
	}
	dw = n ? begin(o, OP_NOP, n) : NULL;
	if (dw)
		memset(dw, 0, (n - 1) * sizeof(*dw));
}
