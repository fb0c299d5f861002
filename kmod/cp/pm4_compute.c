// SPDX-License-Identifier: GPL-2.0-only
/*
 * PM4 packets that run shaders. DISPATCH_DIRECT and DISPATCH_INDIRECT build a struct
 * cp_dispatch from the compute registers, as kd.c does from an AQL packet and a kernel
 * descriptor.
 *
 * Register numbers and fields: the kernel's gc_9_4_2_offset.h and sh_mask.h.
 */
#include "pm4_int.h"

#define SH(name)		(CS_##name - CP_PM4_SH_FIRST)

enum {
	CS_START_X = 0x2e04, CS_NUM_THREAD_X = 0x2e07, CS_PGM_LO = 0x2e0c, CS_PGM_HI,
	CS_SCRATCH_LO = 0x2e10, CS_SCRATCH_HI, CS_RSRC1, CS_RSRC2,
	CS_TMPRING = 0x2e18, CS_RSRC3 = 0x2e2d, CS_USER_DATA = 0x2e40,
};

/* ---------------------------------------------------------------- dispatch */

#define INIT_SHADER_EN		BIT(0)
#define INIT_PARTIAL		BIT(1)
#define INIT_START_AT_0		BIT(2)
#define INIT_THREADS		BIT(5)	/* dimensions are work-items */
#define INIT_W32		BIT(15)	/* GFX10 on: waves of 32 */

/*
 * Parses one dimension; returns false if the registers make no sense. @dim is where the
 * grid ends, in groups or in work-items (INIT_THREADS).
 */
static bool shape_dim(const struct cp_pm4 *p, u32 init, u32 dim, unsigned int i,
		      struct cp_dispatch *d)
{
	u32 threads = p->sh[SH(NUM_THREAD_X) + i], full = threads & 0xffff;
	u32 partial = init & INIT_PARTIAL ? threads >> 16 : 0;
	u32 start = init & INIT_START_AT_0 ? 0 : p->sh[SH(START_X) + i];
	u64 groups = dim, items;

	if (!full || full > CP_MAX_GROUP_ITEMS || partial > full)
		return false;
	if (init & INIT_THREADS)
		groups = ((u64)dim + full - 1) / full;
	d->first[i] = start;
	d->groups[i] = groups > start ? groups - start : 0;
	items = (u64)d->groups[i] * full;
	if (init & INIT_THREADS)
		items -= groups * full - dim;
	else if (partial)
		items -= full - partial;
	d->group[i] = full;
	d->grid[i] = items;
	return !d->groups[i] || (items && items <= ~0u);
}

static u32 shape(const struct cp_queue *q, u32 init, const u32 dim[3], struct cp_dispatch *d)
{
	const struct cp_pm4 *p = &q->pm4;
	u64 items = 1, total = 1;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (!shape_dim(p, init, dim[i], i, d))
			return CP_ERR_DIM;
		items *= d->group[i];
		if (items > CP_MAX_GROUP_ITEMS)
			return CP_ERR_GROUP_SIZE;
		if (d->groups[i] && total > (1ull << 62) / d->groups[i])
			return CP_ERR_DIM;
		total *= d->groups[i];
	}
	d->total_groups = total;
	return cp_waves_parse(q->target, init & INIT_W32, d);
}

static u32 resources(const struct cp_queue *q, struct cp_dispatch *d)
{
	const struct cp_pm4 *p = &q->pm4;
	const struct gpu_target *t = q->target;
	struct cp_rsrc r = { p->sh[SH(RSRC1)], p->sh[SH(RSRC2)], p->sh[SH(RSRC3)] };
	u32 tmpring = p->sh[SH(TMPRING)];
	u32 code;

	/*
	 * ENABLE_DYNAMIC_VGPR (LLVM's AMDHSAKernelDescriptor.h), where earlier ones have
	 * TRAP_PRESENT: its waves grow by s_alloc_vgpr, which there is not.
	 */
	if (isa_arch_has(t->arch, ISA_ARCH_TRAP_CTRL) && (r.rsrc2 & BIT(6)))
		return CP_ERR_VGPRS;
	code = cp_registers_parse(t, &r, d);
	if (code)
		return code;
	d->rsrc[0] = r.rsrc1;
	d->rsrc[1] = r.rsrc2;
	d->rsrc[2] = r.rsrc3;
	d->tmpring = tmpring;
	memcpy(d->user, &p->sh[SH(USER_DATA)], sizeof(d->user));
	d->lds_bytes = ((r.rsrc2 >> 15) & 0x1ff) * t->arch->lds_granule;
	if (d->lds_bytes > t->lds_kbytes * 1024)
		return CP_ERR_GROUP_MEM;
	d->pc = ((u64)p->sh[SH(PGM_LO)] | (u64)(p->sh[SH(PGM_HI)] & 0xff) << 32) << 8;
	if (d->pc >= CP_VA_END)
		return CP_ERR_CODE;
	if (!(r.rsrc2 & 1))
		return 0;
	cp_tmpring_parse(t->arch, tmpring, d);
	d->scratch_lane_bytes = d->scratch_wave_bytes / d->lanes;
	d->scratch_base = ((u64)p->sh[SH(SCRATCH_LO)] |
			   (u64)(p->sh[SH(SCRATCH_HI)] & 0xff) << 32) << 8;
	return d->scratch_lane_bytes && d->waves > d->scratch_waves ? CP_ERR_SCRATCH : 0;
}

static int dispatch(struct pm4_exec *x, const u32 dim[3], u32 init)
{
	struct cp_pm4 *p = &x->q->pm4;
	struct cp_dispatch d = { .pm4 = true, .index = p->issued };
	u32 code;
	int err;

	if (!(init & INIT_SHADER_EN))
		return 0;
	code = shape(x->q, init, dim, &d);
	if (!code)
		code = resources(x->q, &d);
	if (code) {
		x->bad = true;
		return 0;
	}
	if (!d.total_groups)
		return 0;
	/* Pairs with cp_pm4_dispatch_done(). */
	if (p->issued - smp_load_acquire(&p->released) >= CP_WINDOW) {
		pm4_block(x, false);
		return 0;
	}
	/* Count the dispatch before it starts, as it may end at once. */
	WRITE_ONCE(p->issued, p->issued + 1);
	err = x->env->ops->dispatch(x->env, x->q, &d);
	if (!err)
		return 0;
	WRITE_ONCE(p->issued, p->issued - 1);
	if (err != -EBUSY)
		return err;
	pm4_block(x, false);
	return 0;
}

void cp_pm4_resources(const struct cp_queue *q, u32 rsrc[3], u32 *tmpring)
{
	rsrc[0] = q->pm4.sh[SH(RSRC1)];
	rsrc[1] = q->pm4.sh[SH(RSRC2)];
	rsrc[2] = q->pm4.sh[SH(RSRC3)];
	*tmpring = q->pm4.sh[SH(TMPRING)];
}

int pm4_dispatch_direct(struct pm4_exec *x)
{
	return dispatch(x, x->body, x->body[3]);
}

int pm4_dispatch_indirect(struct pm4_exec *x)
{
	u32 dim[3];
	int err;

	err = x->env->ops->read(x->env, PM4_VA(x->body[0] & ~3u, x->body[1]), dim,
				sizeof(dim));
	return err ? err : dispatch(x, dim, x->body[2]);
}

u64 cp_pm4_in_flight(const struct cp_queue *q)
{
	/* Pairs with cp_pm4_dispatch_done(): the dispatch's writes are visible. */
	return READ_ONCE(q->pm4.issued) - smp_load_acquire(&q->pm4.finished);
}

bool cp_pm4_drained(const struct cp_queue *q)
{
	return !q->pm4.fences && !cp_pm4_in_flight(q);
}

void cp_pm4_dispatch_done(struct cp_queue *q, u64 index)
{
	struct cp_pm4 *p = &q->pm4;
	u64 released = p->released;

	p->done |= 1ull << ((index - released) % CP_WINDOW);
	for (; p->done & 1; p->done >>= 1)
		released++;
	smp_store_release(&p->released, released);	/* pairs with pm4_run_fences() */
	smp_store_release(&p->finished, p->finished + 1);	/* with cp_pm4_in_flight() */
}
