// SPDX-License-Identifier: GPL-2.0-only
/*
 * The environment of a packet processor: memory of a process as the packet processor sees it.
 *
 * Words that the host writes concurrently (headers, signals, doorbell targets) are read and
 * written by single loads and stores inside a section. Bulk copies use gpu_vm_read() and
 * gpu_vm_write().
 */
#include <linux/err.h>
#include <linux/kthread.h>

#include "engine.h"
#include "../gpu/capture.h"

static struct hw_env *to_env(struct cp_env *env)
{
	return container_of(env, struct hw_env, env);
}

static int env_err(struct hw_env *e, int err)
{
	if (err)
		e->err = err;
	return err;
}

/* Repeats an operation that waits for pages of the process, as long as that makes sense. */
#define ENV_TRY(e, call) ({						\
	int err_;							\
									\
	do {								\
		err_ = (call);						\
	} while (err_ == -EAGAIN && !(e)->nowait && !(err_ = hw_stall(e))); \
	if (!err_)							\
		(e)->stalled_ns = 0;					\
	env_err(e, err_);						\
})

static int env_read(struct cp_env *env, u64 va, void *dst, u32 len)
{
	struct hw_env *e = to_env(env);

	return ENV_TRY(e, gpu_vm_read(e->w, e->vq->hq.q->vm, va, dst, len, &e->fault));
}

static int env_write(struct cp_env *env, u64 va, const void *src, u32 len)
{
	struct hw_env *e = to_env(env);

	return ENV_TRY(e, gpu_vm_write(e->w, e->vq->hq.q->vm, va, src, len, &e->fault));
}

void *hw_hold(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va, u32 bytes, u32 access,
	      struct gpu_fault *fault)
{
	if (va & (bytes - 1)) {
		*fault = (struct gpu_fault){ .va = va, .access = access };
		return ERR_PTR(-EFAULT);
	}
	return gpu_vm_hold(w, vm, va, access, fault);
}

u64 hw_held_load(struct gpu_vm_worker *w, const void *p, u32 bytes)
{
	u64 val;

	if (bytes == 8)
		val = smp_load_acquire((const u64 *)p);	/* before what it announces */
	else
		val = smp_load_acquire((const u32 *)p);	/* likewise */
	gpu_vm_exit(w);
	return val;
}

void hw_held_store(struct gpu_vm_worker *w, void *p, u32 bytes, u64 val)
{
	if (bytes == 8)
		smp_store_release((u64 *)p, val);	/* after what it announces */
	else
		smp_store_release((u32 *)p, (u32)val);	/* likewise */
	gpu_vm_exit(w);
}

u64 hw_held_cas(struct gpu_vm_worker *w, void *p, u32 bytes, u64 old, u64 val)
{
	u64 was = bytes == 8 ? cmpxchg((u64 *)p, old, val) :
			       cmpxchg((u32 *)p, (u32)old, (u32)val);

	gpu_vm_exit(w);
	return was;
}

static void *env_hold(struct hw_env *e, u64 va, u32 bytes, u32 access)
{
	int err = 0;
	void *p;

	do {
		p = hw_hold(e->w, e->vq->hq.q->vm, va, bytes, access, &e->fault);
		if (!IS_ERR(p)) {
			e->stalled_ns = 0;
			return p;
		}
		err = PTR_ERR(p);
	} while (err == -EAGAIN && !e->nowait && !(err = hw_stall(e)));
	return ERR_PTR(env_err(e, err));
}

static int env_read32(struct cp_env *env, u64 va, u32 *val)
{
	struct hw_env *e = to_env(env);
	void *p = env_hold(e, va, sizeof(*val), GPU_R);

	if (IS_ERR(p))
		return PTR_ERR(p);
	*val = hw_held_load(e->w, p, sizeof(*val));
	return 0;
}

static int env_read64(struct cp_env *env, u64 va, u64 *val)
{
	struct hw_env *e = to_env(env);
	void *p = env_hold(e, va, sizeof(*val), GPU_R);

	if (IS_ERR(p))
		return PTR_ERR(p);
	*val = hw_held_load(e->w, p, sizeof(*val));
	return 0;
}

static int env_write64(struct cp_env *env, u64 va, u64 val)
{
	struct hw_env *e = to_env(env);
	void *p = env_hold(e, va, sizeof(val), GPU_W);

	if (IS_ERR(p))
		return PTR_ERR(p);
	hw_held_store(e->w, p, sizeof(val), val);
	return 0;
}

static int env_add64(struct cp_env *env, u64 va, u64 val, u64 *old)
{
	struct hw_env *e = to_env(env);

	return ENV_TRY(e, gpu_vm_atomic_add64(e->w, e->vq->hq.q->vm, va, val, old,
					      &e->fault));
}

static int env_cas(struct cp_env *env, u64 va, u32 bytes, u64 *old, u64 val)
{
	struct hw_env *e = to_env(env);
	void *p = env_hold(e, va, bytes, GPU_R | GPU_W);

	if (IS_ERR(p))
		return PTR_ERR(p);
	*old = hw_held_cas(e->w, p, bytes, *old, val);
	return 0;
}

static int env_dispatch(struct cp_env *env, struct cp_queue *q,
			const struct cp_dispatch *d)
{
	int err = hw_grid_start(to_env(env), d);

	/* Poll: a reader that has taken a capture does not kick us. */
	if (err == -EBUSY && gpu_capture_on(to_env(env)->vq->vg->gdev))
		q->polling = true;
	return err;
}

static int env_complete(struct cp_env *env, struct cp_queue *q,
			struct cp_done *done)
{
	gpu_inject_complete(to_env(env)->vq->vg->gdev);
	return hw_packet_complete(to_env(env), done);
}

static void env_event(struct cp_env *env, u32 event_id)
{
	struct hw_compute *vq = to_env(env)->vq;

	hw_interrupt(vq->vg, gpu_queue_of_kfd(vq->hq.q) ? vq->hq.q->process : NULL, event_id);
}

static int env_fence(struct cp_env *env, u64 at)
{
	struct gpu_queue *q = to_env(env)->vq->hq.q;

	if (!q->client)
		return -EOPNOTSUPP;
	q->client->fence(q, at);
	return 0;
}

/* The GPU uses the host's caches, so only decoded code can be stale. */
static void env_cache(struct cp_env *env, u32 flags)
{
	if (flags & CP_CACHE_ICACHE)
		engine_code_changed(to_env(env)->vq->vg);
	if (!flags)
		return;
	/* Orders memory between host threads, as the packet's scope demands. */
	smp_mb();
}

static void env_error(struct cp_env *env, struct cp_queue *q, u32 code)
{
	struct hw_compute *vq = to_env(env)->vq;
	u32 opcode = q->pm4.bad_opcode, reg = q->pm4.bad_reg;

	atomic64_inc(&vq->vg->queue_errors);
	if (opcode)
		hw_count_illegal(vq->vg, reg == CP_PM4_NO_REG ? cp_pm4_name(opcode) :
						  cp_pm4_reg_name(reg));
	if (opcode && reg != CP_PM4_NO_REG)
		pr_info_ratelimited("gpu %u pid %d queue %u: PM4 packet 0x%02x (%s) refused, register 0x%x (%s)\n",
				    vq->vg->gdev->gpu_id, vq->hq.q->process->pid,
				    vq->hq.q->id, opcode, cp_pm4_name(opcode) ?: "unknown", reg,
				    cp_pm4_reg_name(reg) ?: "unknown");
	else if (opcode)
		pr_info_ratelimited("gpu %u pid %d queue %u: PM4 packet 0x%02x (%s) refused, header 0x%08x\n",
				    vq->vg->gdev->gpu_id, vq->hq.q->process->pid,
				    vq->hq.q->id, opcode, cp_pm4_name(opcode) ?: "unknown",
				    q->error_word);
	else if (q->error_word)
		pr_info_ratelimited("gpu %u pid %d queue %u: packet %llu refused for its word 0x%08x\n",
				    vq->vg->gdev->gpu_id, vq->hq.q->process->pid,
				    vq->hq.q->id, q->next, q->error_word);
	if (q->error_word)
		atomic64_inc(&vq->vg->bad_packets);
	WRITE_ONCE(vq->hq.q->error, hw_error_of_code(code));
	if (vq->hq.q->job) {
		hw_job_failed(vq->hq.q, -EINVAL);
		return;
	}
	if (vq->hq.q->client)
		return;
	gpu_host->queue_error(vq->hq.q, vq->hq.q->error);
	/* A PM4 queue has no error word in memory, so report it as a reset. */
	if (vq->hq.q->props.type == GPU_QUEUE_PM4)
		gpu_host->hw_exception(vq->hq.q->process, vq->vg->gdev);
}

static u64 env_clock(struct cp_env *env)
{
	struct hw_compute *vq = to_env(env)->vq;

	return hw_now(vq->vg, vq->hq.q->vm);
}

static const struct cp_env_ops hw_env_ops = {
	.read = env_read,
	.write = env_write,
	.read32 = env_read32,
	.read64 = env_read64,
	.write64 = env_write64,
	.add64 = env_add64,
	.cas = env_cas,
	.dispatch = env_dispatch,
	.complete = env_complete,
	.event = env_event,
	.fence = env_fence,
	.cache = env_cache,
	.error = env_error,
	.clock = env_clock,
};

void hw_env_init(struct hw_env *e, struct gpu_vm_worker *w, struct hw_cp *cp,
		 struct hw_compute *vq)
{
	memset(e, 0, sizeof(*e));
	e->env.ops = &hw_env_ops;
	e->w = w;
	e->vq = vq;
	e->cp = cp;
	e->nowait = !cp;
}
