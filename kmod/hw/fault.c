// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens to a queue, or to all queues of a process, when a memory access fails or a wave
 * stops its queue.
 *
 * A VM fault stops all of the process's queues on this GPU for good, and raises memory events;
 * nothing in flight completes. (The real driver evicts the queues and never restores them.) An
 * exception of a wave stops its queue. The CP thread writes the error once no wave of the queue
 * runs any more.
 */
#include <linux/printk.h>
#include <linux/ratelimit.h>

#include "engine.h"

bool hw_lose_queues(struct hw *vg, const struct gpu_process *p)
{
	struct hw_compute *vq;
	bool any = false;

	spin_lock(&vg->lock);
	list_for_each_entry(vq, &vg->queues, hq.node) {
		if ((p && vq->hq.q->process != p) || hw_queue_stopped(&vq->hq))
			continue;
		hw_queue_kill_locked(&vq->hq);
		hw_compute_abort_locked(vq);
		any = true;
	}
	any |= hw_sdma_kill_locked(vg, p);
	spin_unlock(&vg->lock);
	engine_kill(vg);
	return any;
}

/* Stops this queue for good; an SDMA queue has already stopped itself. */
static void stop_queue(struct hw *vg, struct gpu_queue *q)
{
	struct hw_compute *vq = q->priv;

	if (q->props.type == GPU_QUEUE_SDMA)
		return;
	spin_lock(&vg->lock);
	hw_queue_kill_locked(&vq->hq);
	hw_compute_abort_locked(vq);
	spin_unlock(&vg->lock);
	engine_kill(vg);
}

void hw_memory_failed(struct gpu_queue *q, int err, const struct gpu_fault *fault)
{
	struct gpu_device *gdev = q->gdev;
	struct hw *vg = to_hw(gdev);
	struct gpu_process *p = q->process;

	/* The queue is being destroyed, or its mm ends: no fault of the others. */
	if (err == -ESRCH) {
		stop_queue(vg, q);
		return;
	}
	if (q->job) {
		stop_queue(vg, q);
		hw_job_failed(q, err);
	} else if (!hw_lose_queues(vg, p)) {
		return;
	}
	if (err == -EFAULT) {
		atomic64_inc(&vg->vm_faults);
		gpu_vm_faulted(q->vm, fault);
		pr_info_ratelimited("gpu %u pid %d queue %u: memory fault at 0x%llx (%s%s%s)\n",
				    gdev->gpu_id, p->pid, q->id, fault->va,
				    fault->not_present ? "not present" : "",
				    fault->read_only ? "read only" : "",
				    fault->no_execute ? "no execute" : "");
		if (gpu_queue_of_kfd(q))
			gpu_host->fault(q->vm, fault);
	} else if (gpu_queue_of_kfd(q)) {
		/* Out of host memory: the GPU lost the process's work. */
		pr_warn_ratelimited("gpu %u pid %d: queues lost: %d\n",
				    gdev->gpu_id, p->pid, err);
		gpu_host->hw_exception(p, gdev);
	}
}

int hw_reset(struct gpu_device *gdev, struct gpu_process *p)
{
	struct hw *vg = to_hw(gdev);

	atomic64_inc(&vg->resets);
	hw_lose_queues(vg, p);
	return 0;
}

void hw_compute_failed(struct hw_compute *vq, u32 code)
{
	struct hw *vg = vq->vg;
	bool first;

	spin_lock(&vg->lock);
	first = !hw_queue_stopped(&vq->hq);
	if (first) {
		hw_queue_event_locked(&vq->hq, HW_QUEUE_FAIL);
		vq->fail_code = code;
		hw_compute_abort_locked(vq);
	}
	spin_unlock(&vg->lock);
	if (first) {
		engine_kill(vg);
		hw_cp_kick(vg);
	}
}
