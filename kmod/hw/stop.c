// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens to a wave that has stopped, whatever engine runs it: a page is brought in, its
 * process's trap handler runs, an event is raised, or its queue is stopped.
 */
#include <linux/printk.h>
#include <linux/ratelimit.h>

#include "engine.h"

#define TRAP_DEBUG		3	/* s_trap 3: ignored without a debugger */
#define M0_EVENT_ID		0xffffffu
/* M0 when a trap handler reports exceptions (ROCr: trap_handler.s) */
#define M0_EXCEPTIONS		10

int hw_wave_missed(struct hw_compute *vq, u64 va, u32 access)
{
	struct gpu_fault fault = {};
	int err = gpu_vm_fault(vq->hq.q->vm, va, access, &fault);

	if (err == -EAGAIN)
		return gpu_vm_fault_wait(vq->hq.q->vm, 1, true) ? 0 : -EAGAIN;
	if (err)
		hw_memory_failed(vq->hq.q, err, &fault);
	return err;
}

/* Nobody handles the exception: stops the queue, and logs where it happened. */
static void wave_failed(struct hw_compute *vq, const struct hw_exception *x)
{
	static const u32 codes[] = {
		[HW_EXC_ILLEGAL] = CP_ERR_ILLEGAL,
		[HW_EXC_APERTURE] = CP_ERR_APERTURE,
		[HW_EXC_TRAP] = CP_ERR_TRAP,
		[HW_EXC_ARITH] = CP_ERR_TRAP,
	};
	struct hw *vg = vq->vg;

	if (x->kind == HW_EXC_ILLEGAL) {
		hw_count_illegal(vg, x->name);
		pr_info_ratelimited("gpu %u pid %d queue %u: illegal instruction %s (0x%08x) at pc 0x%llx\n",
				    vg->gdev->gpu_id, vq->hq.q->process->pid, vq->hq.q->id,
				    x->name ? x->name : "(undefined)", x->info, x->pc);
	} else {
		pr_info_ratelimited("gpu %u pid %d queue %u: wave exception %d (0x%x, address 0x%llx) at pc 0x%llx\n",
				    vg->gdev->gpu_id, vq->hq.q->process->pid, vq->hq.q->id,
				    x->why, x->info, x->va, x->pc);
	}
	hw_compute_failed(vq, codes[x->kind]);
}

bool hw_wave_exception(struct hw_compute *vq, const struct hw_exception *x)
{
	const struct gpu_pdd *pdd = vq->hq.q->pdd;
	u64 tba = READ_ONCE(pdd->tba);

	if (tba && engine_trap(vq->vg, x, tba, READ_ONCE(pdd->tma))) {
		atomic64_inc(&vq->vg->traps);
		WRITE_ONCE(vq->trapped, true);
		if (x->kind == HW_EXC_ILLEGAL)
			hw_count_illegal(vq->vg, x->name);
		return false;
	}
	if (x->kind == HW_EXC_TRAP && x->info == TRAP_DEBUG && !x->in_trap)
		return true;
	wave_failed(vq, x);
	return false;
}

/*
 * The data of an interrupt is an event id. From a trap handler, while exception debugging is
 * on, it is exceptions and a doorbell.
 */
void hw_wave_interrupt(struct hw_compute *vq, u32 data, bool in_trap)
{
	data &= M0_EVENT_ID;
	if (in_trap && READ_ONCE(vq->hq.q->pdd->exception_debug)) {
		atomic64_inc(&vq->vg->events);
		gpu_host->queue_exception(vq->hq.q, data >> M0_EXCEPTIONS);
	} else {
		hw_interrupt(vq->vg, gpu_queue_of_kfd(vq->hq.q) ? vq->hq.q->process : NULL, data);
	}
}
