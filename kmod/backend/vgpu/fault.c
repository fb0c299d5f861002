// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of a queue, or of a process's queues, when an access fails or
 * a wave raises an exception.
 *
 * A VM fault stops all of the process's queues on this GPU for good, which the
 * real driver does by an eviction that nobody takes back, and raises memory
 * events; nothing in flight completes. An exception of a wave stops its queue: the
 * CP writes the error once nothing of the queue is running any more.
 */
#include <linux/printk.h>
#include <linux/ratelimit.h>

#include "vgpu.h"
#include "../../isa/isa_int.h"	/* M0 of a stopped wave */

/* s_sendmsg: GFX9 message ids (LLVM, AMDGPU "SendMsg"). */
#define MSG_ID(m)		((m) & 0xf)
#define MSG_INTERRUPT		1
#define MSG_GET_DOORBELL	10
#define M0_EVENT_ID		0xffffffu
/* M0 of a trap handler that reports exceptions (facts: kfd-abi 5.6) */
#define M0_EXCEPTIONS		10

/* True if this call stopped any of the process's queues. */
static bool kill_process(struct vgpu *vg, struct gpu_process *p)
{
	struct vgpu_queue *vq;
	bool any = false;

	spin_lock(&vg->lock);
	list_for_each_entry(vq, &vg->queues, hq.node) {
		if (vq->hq.q->process != p || hw_queue_stopped(&vq->hq))
			continue;
		hw_queue_kill_locked(&vq->hq);
		vgpu_queue_abort_locked(vq);
		any = true;
	}
	any |= vgpu_sdma_kill_locked(vg, p);
	spin_unlock(&vg->lock);
	vgpu_work_kick(vg, vg->nworkers);
	return any;
}

/* Nothing more of this queue; an SDMA queue has stopped by itself. */
static void stop_queue(struct vgpu *vg, struct gpu_queue *q)
{
	struct vgpu_queue *vq = q->priv;

	if (q->props.type == GPU_QUEUE_SDMA)
		return;
	spin_lock(&vg->lock);
	hw_queue_kill_locked(&vq->hq);
	vgpu_queue_abort_locked(vq);
	spin_unlock(&vg->lock);
	vgpu_work_kick(vg, vg->nworkers);
}

void vgpu_memory_failed(struct gpu_queue *q, int err, const struct gpu_fault *fault)
{
	struct gpu_device *gdev = q->gdev;
	struct vgpu *vg = to_vgpu(gdev);
	struct gpu_process *p = q->process;

	/* The queue is being destroyed, or its mm ends: no fault of the others. */
	if (err == -ESRCH) {
		stop_queue(vg, q);
		return;
	}
	if (!kill_process(vg, p))
		return;
	if (err == -EFAULT) {
		atomic64_inc(&vg->vm_faults);
		pr_info_ratelimited("gpu %u pid %d queue %u: memory fault at 0x%llx (%s%s%s)\n",
				    gdev->gpu_id, p->pid, q->id, fault->va,
				    fault->not_present ? "not present" : "",
				    fault->read_only ? "read only" : "",
				    fault->no_execute ? "no execute" : "");
		gpu_host->fault(q->vm, fault);
	} else {
		/* Out of host memory: the GPU lost the process's work. */
		pr_warn_ratelimited("gpu %u pid %d: queues lost: %d\n",
				    gdev->gpu_id, p->pid, err);
		gpu_host->hw_exception(p, gdev);
	}
}

void vgpu_wave_failed(struct vgpu_queue *vq, struct isa_wave *wave,
		      const struct isa_exit *ex, u32 code)
{
	struct vgpu *vg = vq->vg;
	bool first;

	if (ex->why == ISA_STOP_ILLEGAL) {
		vgpu_count_illegal(vg, ex->name);
		pr_info_ratelimited("gpu %u pid %d queue %u: illegal instruction %s (0x%08x) at pc 0x%llx\n",
				    vg->gdev->gpu_id, vq->hq.q->process->pid, vq->hq.q->id,
				    ex->name ? ex->name : "(undefined)", ex->info,
				    isa_wave_pc(wave));
	} else {
		pr_info_ratelimited("gpu %u pid %d queue %u: wave exception %d (0x%x, address 0x%llx) at pc 0x%llx\n",
				    vg->gdev->gpu_id, vq->hq.q->process->pid, vq->hq.q->id,
				    ex->why, ex->info, ex->va, isa_wave_pc(wave));
	}
	spin_lock(&vg->lock);
	first = !hw_queue_stopped(&vq->hq);
	if (first) {
		hw_queue_event_locked(&vq->hq, HW_QUEUE_FAIL);
		vq->fail_code = code;
		vgpu_queue_abort_locked(vq);
	}
	spin_unlock(&vg->lock);
	if (first) {
		vgpu_work_kick(vg, vg->nworkers);
		vgpu_cp_kick(vg);
	}
}

/*
 * An interrupt carries an event id, or, from a trap handler while exception
 * debugging is on, exceptions and the doorbell. Other messages address graphics
 * stages and have no effect on compute.
 */
void vgpu_wave_message(struct vgpu_queue *vq, struct isa_wave *wave, u32 message)
{
	u32 data = wave->s[ISA_SRC_M0] & M0_EVENT_ID;

	switch (MSG_ID(message)) {
	case MSG_INTERRUPT:
		atomic64_inc(&vq->vg->events);
		if (isa_wave_in_trap(wave) && READ_ONCE(vq->hq.q->pdd->exception_debug))
			gpu_host->queue_exception(vq->hq.q, data >> M0_EXCEPTIONS);
		else
			gpu_host->event(vq->hq.q->process, data);
		break;
	case MSG_GET_DOORBELL:
		isa_wave_doorbell(wave, vq->hq.q->doorbell);
		break;
	}
}
