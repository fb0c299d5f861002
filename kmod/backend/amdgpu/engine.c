// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine (hw/engine.h) that has dispatches executed below: its ops. It takes whole grids, and
 * batch.c does the rest. It can't save waves, or run a trap handler.
 */
#include <linux/err.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "batch.h"
#include "../../cp/pm4_write.h"

static int engine_init(struct hw *vg)
{
	struct amdgpu_node *node = container_of(vg, struct amdgpu_node, hw);

	if (!cp_pm4_writable(vg->gdev->target))
		return -EOPNOTSUPP;
	INIT_LIST_HEAD(&node->runners);
	return 0;
}

/* There are no queues any more, so there are no threads. */
static void engine_fini(struct hw *vg)
{
}

static void engine_admit_groups(struct hw_compute *vq, u64 groups)
{
	amdgpu_runner_kick(to_amdgpu_queue(vq)->runner);
}

/* Also for what was aborted: what is below ends there. */
static void engine_kick(struct hw *vg)
{
	amdgpu_runners_kick(container_of(vg, struct amdgpu_node, hw));
}

static bool engine_no_trap(const struct hw_exception *x, u64 tba, u64 tma)
{
	return false;
}

static int engine_no_save(struct hw_compute *vq)
{
	return -EINVAL;
}

static int engine_no_saved(struct hw_compute *vq, u32 xcc, struct gpu_wave_state *s, u32 *stack)
{
	return -EINVAL;
}

static struct hw_compute *engine_new_queue(struct hw *vg, struct gpu_queue *q)
{
	struct amdgpu_vm *avm = q->vm->priv;
	struct amdgpu_queue *aq;
	int err;

	/* Jobs, and queues of a DRM face of our own: there is none. */
	if (!gpu_queue_of_kfd(q) || q->process->mm != current->mm)
		return ERR_PTR(-EINVAL);
	aq = kvzalloc(sizeof(*aq), GFP_KERNEL_ACCOUNT);
	if (!aq)
		return ERR_PTR(-ENOMEM);
	aq->runner = amdgpu_runner_get(avm);
	if (IS_ERR(aq->runner)) {
		err = PTR_ERR(aq->runner);
		goto out_free;
	}
	err = amdgpu_channel_open(&aq->ch, avm, AMDGPU_COMPUTE_BYTES, q->props.priority);
	if (err)
		goto out_runner;
	aq->mark = amdgpu_channel_ib(&aq->ch, AMDGPU_MARKS);
	if (IS_ERR(aq->mark)) {
		err = PTR_ERR(aq->mark);
		goto out_channel;
	}
	aq->go = amdgpu_channel_ib(&aq->ch, AMDGPU_GO);
	*aq->go = 1;
	return &aq->vq;

out_channel:
	amdgpu_channel_close(&aq->ch);
out_runner:
	amdgpu_runner_put(avm);
out_free:
	kvfree(aq);
	return ERR_PTR(err == -ENOMEM ? -ENOMEM : -EINVAL);
}

static void engine_end_queue(struct hw_compute *vq)
{
	struct amdgpu_queue *aq = to_amdgpu_queue(vq);
	struct amdgpu_vm *avm = aq->ch.avm;

	amdgpu_runner_put(avm);
	amdgpu_channel_close(&aq->ch);
	kvfree(aq);
}

static bool engine_idle_locked(const struct hw_compute *vq)
{
	return true;
}

static void engine_cu_mask(struct hw_compute *vq)
{
}

static int engine_set_priority(struct hw_compute *vq, u32 priority)
{
	return amdgpu_channel_priority(&to_amdgpu_queue(vq)->ch, priority);
}

static int engine_no_jobs(struct hw *vg, struct gpu_vm *vm, enum gpu_job_runner *runner,
			  void **priv)
{
	return -EINVAL;
}

static void engine_jobs_end(struct hw *vg, void *priv)
{
}

/* Each submission invalidates the instruction cache. */
static void engine_code_is_new(struct hw *vg)
{
}

static u32 engine_no_busy_cus(struct hw *vg, const struct gpu_process *p)
{
	return 0;
}

static void engine_show_batches(struct hw *vg, struct seq_file *m)
{
	const struct amdgpu_node *node = container_of(vg, struct amdgpu_node, hw);

	seq_printf(m, "submissions %lld\n", atomic64_read(&node->submissions));
	seq_printf(m, "submitted_dispatches %lld\n", atomic64_read(&node->submitted));
	seq_printf(m, "stale_descriptors %lld\n", atomic64_read(&node->stale));
	seq_printf(m, "user_queues_made %lld\n", atomic64_read(&node->made));
}

const struct engine_ops amdgpu_engine_ops = {
	.name = "amdgpu",
	.orders = true,
	.init = engine_init,
	.fini = engine_fini,
	.admit = engine_admit_groups,
	.run = engine_kick,
	.kill = engine_kick,
	.trap = engine_no_trap,
	.save = engine_no_save,
	.load = engine_no_save,
	.saved = engine_no_saved,
	.queue_create = engine_new_queue,
	.queue_destroy = engine_end_queue,
	.queue_idle_locked = engine_idle_locked,
	.cu_mask_locked = engine_cu_mask,
	.priority = engine_set_priority,
	.jobs_open = engine_no_jobs,
	.jobs_close = engine_jobs_end,
	.code_changed = engine_code_is_new,
	.busy_cus = engine_no_busy_cus,
	.show = engine_show_batches,
};
