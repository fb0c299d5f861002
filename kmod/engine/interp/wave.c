// SPDX-License-Identifier: GPL-2.0-only
/* What a wave says while it runs, and how one that failed is told in the log. */
#include <linux/printk.h>
#include <linux/ratelimit.h>

#include "interp.h"

#define M0_EVENT_ID		0xffffffu
/* M0 of a trap handler that reports exceptions (facts: kfd-abi 5.6) */
#define M0_EXCEPTIONS		10

void interp_wave_failed(struct hw_compute *vq, struct isa_wave *wave,
		      const struct isa_exit *ex, u32 code)
{
	struct hw *vg = vq->vg;

	if (ex->why == ISA_STOP_ILLEGAL) {
		hw_count_illegal(vg, ex->name);
		pr_info_ratelimited("gpu %u pid %d queue %u: illegal instruction %s (0x%08x) at pc 0x%llx\n",
				    vg->gdev->gpu_id, vq->hq.q->process->pid, vq->hq.q->id,
				    ex->name ? ex->name : "(undefined)", ex->info,
				    isa_wave_pc(wave));
	} else {
		pr_info_ratelimited("gpu %u pid %d queue %u: wave exception %d (0x%x, address 0x%llx) at pc 0x%llx\n",
				    vg->gdev->gpu_id, vq->hq.q->process->pid, vq->hq.q->id,
				    ex->why, ex->info, ex->va, isa_wave_pc(wave));
	}
	hw_compute_failed(vq, code);
}

/*
 * An interrupt carries an event id, or, from a trap handler while exception
 * debugging is on, exceptions and the doorbell. Other messages address graphics
 * stages and have no effect on compute.
 */
void interp_wave_message(struct hw_compute *vq, struct isa_wave *wave, u32 message)
{
	u32 data = isa_wave_m0(wave) & M0_EVENT_ID;

	switch (isa_wave_msg(wave, message)) {
	case ISA_MSG_INTERRUPT:
		if (isa_wave_in_trap(wave) && READ_ONCE(vq->hq.q->pdd->exception_debug)) {
			atomic64_inc(&vq->vg->events);
			gpu_host->queue_exception(vq->hq.q, data >> M0_EXCEPTIONS);
		} else {
			hw_interrupt(vq->vg, vq->hq.q->process, data);
		}
		break;
	case ISA_MSG_GET_DOORBELL:
		isa_wave_doorbell(wave, vq->hq.q->doorbell);
		break;
	case ISA_MSG_NONE:
		break;
	}
}
