// SPDX-License-Identifier: GPL-2.0-only
/*
 * PM4 packets that synchronise: WAIT_REG_MEM, COND_WRITE, REWIND, COND_EXEC, PRED_EXEC,
 * cache and event packets, and RELEASE_MEM. The stream goes on after a RELEASE_MEM, which
 * executes once the dispatches before it are done.
 */
#include "pm4_int.h"

/* ------------------------------------------------------------ WAIT_REG_MEM */

#define WAIT_FUNCTION(v)	((v) & 7)
#define WAIT_SPACE(v)		(((v) >> 4) & 3)
#define WAIT_OPERATION(v)	(((v) >> 6) & 3)
enum { WAIT_REGISTER, WAIT_MEMORY };
enum { WAIT_ONLY, WAIT_WRITE_FIRST, WAIT_PREEMPTABLE = 3 };

static bool pm4_wait_over(u32 function, u64 value, u64 reference)
{
	switch (function) {
	case 1:
		return value < reference;
	case 2:
		return value <= reference;
	case 3:
		return value == reference;
	case 4:
		return value != reference;
	case 5:
		return value >= reference;
	case 6:
		return value > reference;
	default:
		return true;
	}
}

static bool pm4_wait_ok(const struct pm4_exec *x)
{
	u32 operation = WAIT_OPERATION(x->body[0]);

	return WAIT_FUNCTION(x->body[0]) < 7 && WAIT_SPACE(x->body[0]) == WAIT_MEMORY &&
	       (operation == WAIT_ONLY || operation == WAIT_PREEMPTABLE);
}

/*
 * A wait for a register makes sense only in the form in which the driver's own rings
 * flush the host data path: write the reference value to one register, then poll another.
 * Nobody else writes a queue's registers, so any other wait would never end: refuse it.
 */
static int pm4_wait_register(struct pm4_exec *x)
{
	u32 operation = WAIT_OPERATION(x->body[0]), function = WAIT_FUNCTION(x->body[0]);
	u32 reg = PM4_REG(x->body[operation == WAIT_WRITE_FIRST ? 2 : 1]), value;

	if (function > 6 || (operation != WAIT_ONLY && operation != WAIT_WRITE_FIRST))
		return pm4_refuse(x);
	if (operation == WAIT_WRITE_FIRST &&
	    !pm4_reg_write(x, PM4_REG(x->body[1]), x->body[3]))
		return 0;
	if (pm4_reg_read(x, reg, &value) &&
	    !pm4_wait_over(function, value & x->body[4], x->body[3])) {
		x->bad_reg = reg;
		return pm4_refuse(x);
	}
	return 0;
}

int pm4_wait_reg_mem(struct pm4_exec *x)
{
	u32 value;
	int err;

	if (WAIT_SPACE(x->body[0]) == WAIT_REGISTER)
		return pm4_wait_register(x);
	if (!pm4_wait_ok(x))
		return pm4_refuse(x);
	err = x->env->ops->read32(x->env, PM4_VA(x->body[1] & ~3u, x->body[2]), &value);
	if (!err && !pm4_wait_over(WAIT_FUNCTION(x->body[0]), value & x->body[4], x->body[3]))
		pm4_block(x, true);
	return err;
}

int pm4_wait_reg_mem64(struct pm4_exec *x)
{
	u64 reference = x->body[3] | (u64)x->body[4] << 32;
	u64 mask = x->body[5] | (u64)x->body[6] << 32, value;
	int err;

	if (!pm4_wait_ok(x))
		return pm4_refuse(x);
	err = x->env->ops->read64(x->env, PM4_VA(x->body[1] & ~7u, x->body[2]), &value);
	if (!err && !pm4_wait_over(WAIT_FUNCTION(x->body[0]), value & mask, reference))
		pm4_block(x, true);
	return err;
}

/* ------------------------------------------------------- COND_WRITE, REWIND */

#define COND_SPACE(v)	(((v) >> 4) & 1)
#define COND_TARGET(v)	(((v) >> 8) & 3)

int pm4_cond_write(struct pm4_exec *x)
{
	u32 function = WAIT_FUNCTION(x->body[0]), target = COND_TARGET(x->body[0]), value;
	int err = 0;

	if (function > 6 || target > WAIT_MEMORY)
		return pm4_refuse(x);
	if (COND_SPACE(x->body[0]) == WAIT_MEMORY)
		err = x->env->ops->read32(x->env, PM4_VA(x->body[1] & ~3u, x->body[2]),
					  &value);
	else if (!pm4_reg_read(x, PM4_REG(x->body[1]), &value))
		return 0;
	if (err || !pm4_wait_over(function, value & x->body[4], x->body[3]))
		return err;
	if (target == WAIT_MEMORY)
		return x->env->ops->write(x->env, PM4_VA(x->body[5] & ~3u, x->body[6]),
					  &x->body[7], sizeof(x->body[7]));
	pm4_reg_write(x, PM4_REG(x->body[5]), x->body[7]);
	return 0;
}

#define REWIND_VALID	BIT(31)

/* The producer of the stream sets VALID once it has written the packets that follow. */
int pm4_rewind(struct pm4_exec *x)
{
	x->refetch = true;
	if (!(x->body[0] & REWIND_VALID))
		pm4_block(x, true);
	return 0;
}

/* ---------------------------------------------------- COND_EXEC, PRED_EXEC */

#define EXEC_COUNT(v)	((v) & 0x3fff)

int pm4_cond_exec(struct pm4_exec *x)
{
	u32 value;
	int err;

	err = x->env->ops->read32(x->env, PM4_VA(x->body[0] & ~3u, x->body[1]), &value);
	if (!err && !value)
		x->skip = EXEC_COUNT(x->body[3]);
	return err;
}

/* One stream stands for all XCCs of the device, so execute if any of them is selected. */
int pm4_pred_exec(struct pm4_exec *x)
{
	u32 chosen = x->body[0] >> 24;

	if (!(chosen & (BIT(x->q->target->num_xcc) - 1)))
		x->skip = EXEC_COUNT(x->body[0]);
	return 0;
}

/* ------------------------------------------------------------------ events */

/* Event types (enum VGT_EVENT_TYPE in the kernel's vega10_enum.h) */
#define EVENT_TYPE(v)		((v) & 0x3f)
#define EVENT_INDEX(v)		(((v) >> 8) & 0xf)
#define CACHE_FLUSH_TS		0x04
#define CACHE_FLUSH		0x06
#define CS_PARTIAL_FLUSH	0x07
#define CACHE_FLUSH_INV_TS	0x14
#define CACHE_FLUSH_INV		0x16
#define BOTTOM_OF_PIPE_TS	0x28
#define CS_DONE			0x2f

int pm4_event_write(struct pm4_exec *x)
{
	switch (EVENT_TYPE(x->body[0])) {
	case CS_PARTIAL_FLUSH:
		if (cp_pm4_in_flight(x->q))
			pm4_block(x, false);
		return 0;
	case CACHE_FLUSH:
	case CACHE_FLUSH_INV:
		x->env->ops->cache(x->env, CP_CACHE_WB | CP_CACHE_INV);
		return 0;
	default:
		/* The others start counters and traces, which we do not have. */
		return pm4_refuse(x);
	}
}

int pm4_hdp_flush(struct pm4_exec *x)
{
	x->env->ops->cache(x->env, CP_CACHE_WB | CP_CACHE_INV);
	return 0;
}

/* COHER_CNTL: SH_ICACHE_ACTION_ENA; GCR_CNTL, the last dword from gfx10 on: GLI_INV (nvd.h) */
#define COHER_ICACHE	BIT(29)
#define GCR_ICACHE	3
#define GCR_DWORDS	8

int pm4_acquire_mem(struct pm4_exec *x)
{
	u32 icache = x->body[0] & COHER_ICACHE;

	if (gpu_target_has(x->q->target, GPU_FEAT_GCR)) {
		if (x->n != GCR_DWORDS)
			return pm4_refuse(x);
		icache = x->body[6] & GCR_ICACHE;
	}
	x->env->ops->cache(x->env, CP_CACHE_WB | CP_CACHE_INV | (icache ? CP_CACHE_ICACHE : 0));
	return 0;
}

/* ------------------------------------------------------------- RELEASE_MEM */

#define RELEASE_DST(v)		(((v) >> 16) & 3)
#define RELEASE_INT(v)		(((v) >> 24) & 7)
#define RELEASE_DATA(v)		(((v) >> 29) & 7)
#define END_OF_PIPE		5
#define SHADER_DONE		6

enum { DATA_NONE, DATA_32, DATA_64, DATA_CLOCK, DATA_KINDS };
enum { INT_NONE, INT_ONLY, INT_AFTER_WRITE, INT_WRITE_CONFIRM, INT_ALWAYS, INT_KINDS };

static bool pm4_release_ok(const u32 *body)
{
	u32 event = EVENT_TYPE(body[0]), index = EVENT_INDEX(body[0]);

	if (event != CACHE_FLUSH_TS && event != CACHE_FLUSH_INV_TS &&
	    event != BOTTOM_OF_PIPE_TS && event != CS_DONE)
		return false;
	/* We have no conditional interrupts, GDS, counters or pointers of other queues. */
	return (index == END_OF_PIPE || index == SHADER_DONE) && RELEASE_DST(body[1]) < 2 &&
	       RELEASE_INT(body[1]) < INT_KINDS && RELEASE_DATA(body[1]) < DATA_KINDS;
}

/* In place of a RELEASE_MEM's first dword: a PROTECTED_FENCE_SIGNAL. No event has that type. */
#define RELEASE_PROTECTED	(~0u)

/* Writes the data first, because whoever the interrupt wakes reads them. */
static int pm4_release(struct cp_env *env, const u32 *body)
{
	u32 data = RELEASE_DATA(body[1]), interrupt = RELEASE_INT(body[1]);
	u64 va = PM4_VA(body[2] & (data == DATA_32 ? ~3u : ~7u), body[3]);
	u64 value = body[4] | (u64)body[5] << 32;
	int err = 0;

	env->ops->cache(env, CP_CACHE_WB | CP_CACHE_INV);
	if (body[0] == RELEASE_PROTECTED)
		return env->ops->fence(env, value);
	if (data == DATA_32)
		err = env->ops->write(env, va, &body[4], sizeof(u32));
	else if (data == DATA_64)
		err = env->ops->write64(env, va, value);
	else if (data == DATA_CLOCK)
		err = env->ops->write64(env, va, env->ops->clock(env));
	if (!err && interrupt != INT_NONE && interrupt != INT_WRITE_CONFIRM)
		env->ops->event(env, body[6]);
	return err;
}

/* Now, or when the dispatches before it are done. */
static int pm4_release_later(struct pm4_exec *x)
{
	struct cp_pm4 *p = &x->q->pm4;
	u32 at;

	/* In the ring, wait until the read index has been written (pm4_step()). */
	if (p->depth && !p->fences && smp_load_acquire(&p->released) == p->issued)
		return pm4_release(x->env, x->body);
	if (p->fences == CP_PM4_FENCES) {
		pm4_block(x, false);
		return 0;
	}
	at = (p->first_fence + p->fences) % CP_PM4_FENCES;
	p->fence[at].after = p->issued;
	memcpy(p->fence[at].body, x->body, sizeof(p->fence[at].body));
	p->fences++;
	return 0;
}

int pm4_release_mem(struct pm4_exec *x)
{
	if (x->n < 8)
		x->body[6] = 0;
	return pm4_release_ok(x->body) ? pm4_release_later(x) : pm4_refuse(x);
}

/* Its value is the position in the ring after it, as user space knows it from the write index. */
int pm4_protected_fence(struct pm4_exec *x)
{
	const struct cp_queue *q = x->q;
	u64 at = q->next + (q->pm4.depth ? 0 : x->n);

	if (!q->pm4.protected)
		return pm4_refuse(x);
	x->body[0] = RELEASE_PROTECTED;
	x->body[1] = 0;
	x->body[4] = at;
	x->body[5] = at >> 32;
	return pm4_release_later(x);
}

/* Waits until each of the 64-bit words has at least its value. They never become less. */
int pm4_fence_wait(struct pm4_exec *x)
{
	struct cp_pm4 *p = &x->q->pm4;
	u32 n = (x->n - 2) / 4, dw[4];
	u64 value;
	int err;

	if (!p->protected || (x->n - 2) % 4)
		return pm4_refuse(x);
	for (; p->moved < n; p->moved++) {
		err = pm4_fetch_body(x, 1 + 4 * p->moved, dw, 4);
		if (!err)
			err = x->env->ops->read64(x->env, PM4_VA(dw[0] & ~7u, dw[1]), &value);
		if (err)
			return err;
		if (value < (dw[2] | (u64)dw[3] << 32)) {
			pm4_block(x, true);
			return 0;
		}
	}
	return 0;
}

int pm4_run_fences(struct cp_queue *q, struct cp_env *env, bool *ran)
{
	struct cp_pm4 *p = &q->pm4;
	int err;

	*ran = false;
	while (p->fences &&
	       /* Pairs with cp_pm4_dispatch_done(): the dispatches' writes are visible. */
	       p->fence[p->first_fence].after <= smp_load_acquire(&p->released)) {
		err = pm4_release(env, p->fence[p->first_fence].body);
		if (err)
			return err;
		p->first_fence = (p->first_fence + 1) % CP_PM4_FENCES;
		p->fences--;
		*ran = true;
	}
	return 0;
}
