// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the GPU's threads do while a page of a process takes long to come in.
 *
 * A wave that misses a page is simply run again later. A packet cannot be, as the packet
 * processor is in the middle of it. So the thread that steps packets waits within the packet.
 * If that takes longer than an instant, another thread takes over its role; the stalled thread
 * keeps this one queue until the packet is done, and then ends. Meanwhile no other queue of
 * the same process is entered, so a process can stall one thread at most. A worker that
 * completes a dispatch never waits: it leaves the rest of the completion to the CP thread
 * (retire.c).
 *
 * Destroying a queue kills it, and that ends its stall. Evicting a queue does not wait for the
 * page: the stalled thread parks here and continues when the queue is restored.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "hw.h"

/* How often a stalled thread checks whether it still has to wait. */
#define STALL_LOOK_MS		4
/* After this time another thread steps the packets. */
#define STALL_INSTANT_NS	(2 * NSEC_PER_MSEC)
/*
 * How long to try to write the error of a dead queue: a busy host takes its time to bring a page
 * in, and a program that is not told waits for ever. Who destroys the queue waits as long. If the
 * GPU is taken away, all queues together have that time: their process is told of that, too.
 */
#define STALL_LAST_WORDS_NS	(2 * NSEC_PER_SEC)

/* ------------------------------------------------------------- CP threads */

static struct hw_cp *hw_cp_create(struct hw *vg)
{
	struct hw_cp *cp = kzalloc(sizeof(*cp), GFP_KERNEL);

	if (!cp)
		return NULL;
	cp->vg = vg;
	cp->task = kthread_create(hw_cp_thread, cp, "vkfd-cp/%u", vg->gdev->index);
	if (IS_ERR(cp->task)) {
		kfree(cp);
		return NULL;
	}
	gpu_vm_worker_add(vg->gdev, &cp->vmw);
	return cp;
}

static void hw_cp_destroy(struct hw_cp *cp)
{
	kthread_stop(cp->task);
	gpu_vm_worker_del(cp->vg->gdev, &cp->vmw);
	kfree(cp);
}

int hw_cp_start(struct hw *vg)
{
	vg->cp = hw_cp_create(vg);
	if (!vg->cp)
		return -ENOMEM;
	wake_up_process(vg->cp->task);
	return 0;
}

void hw_cp_reap(struct hw *vg)
{
	struct hw_cp *cp;

	for (;;) {
		cp = NULL;
		spin_lock(&vg->lock);
		if (!list_empty(&vg->cps_through)) {
			cp = list_first_entry(&vg->cps_through, struct hw_cp, node);
			list_del(&cp->node);
			vg->cps_away--;
		}
		spin_unlock(&vg->lock);
		if (!cp)
			break;
		hw_cp_destroy(cp);
	}
}

static bool hw_cp_all_through(struct hw *vg)
{
	hw_cp_reap(vg);
	return !READ_ONCE(vg->cps_away);
}

/* All queues are gone, so the stalled threads end soon. */
void hw_cp_stop(struct hw *vg)
{
	if (!vg->cp)
		return;
	hw_cp_destroy(vg->cp);
	vg->cp = NULL;
	while (!hw_cp_all_through(vg))
		usleep_range(500, 1000);
}

bool hw_cp_replaced(struct hw_cp *cp)
{
	return READ_ONCE(cp->vg->cp) != cp;
}

/* The thread has nothing left to do. The thread that took over its role stops it. */
void hw_cp_through(struct hw_cp *cp)
{
	struct hw *vg = cp->vg;

	spin_lock(&vg->lock);
	list_add_tail(&cp->node, &vg->cps_through);
	spin_unlock(&vg->lock);
	hw_cp_kick(vg);
	wait_event_idle(vg->cp_wq, kthread_should_stop());
}

static void hw_cp_replace(struct hw_cp *cp, struct hw_compute *vq)
{
	struct hw *vg = cp->vg;
	struct hw_cp *fresh;

	if (hw_cp_replaced(cp))
		return;
	fresh = hw_cp_create(vg);
	if (!fresh)
		return;		/* try again at the next check */
	spin_lock(&vg->lock);
	vq->stay = HW_STAY_STALL;
	vq->hq.q->vm->stalled++;
	vg->cps_away++;
	WRITE_ONCE(vg->cp, fresh);
	spin_unlock(&vg->lock);
	wake_up_process(fresh->task);
}

void hw_stay_end_locked(struct hw_compute *vq)
{
	lockdep_assert_held(&vq->vg->lock);
	if (vq->stay == HW_STAY_STALL)
		vq->hq.q->vm->stalled--;
	vq->stay = HW_STAY_NONE;
}

/* ------------------------------------------------------------------- stalls */

/* Waits in the middle of a packet until the queue is restored, without accessing memory. */
static void hw_stall_park(struct hw_env *e)
{
	struct hw_compute *vq = e->vq;

	hw_queue_park(&vq->hq);
	while (!hw_queue_unpark(&vq->hq)) {
		hw_cp_replace(e->cp, vq);
		usleep_range(1000, STALL_LOOK_MS * 1000);
	}
	e->stalled_ns = 0;
}

/* @waited: for this page, ns */
static bool last_words_over(const struct hw_env *e, u64 now, u64 waited)
{
	u64 gone = READ_ONCE(e->vq->vg->gdev->gone_ns);

	return waited > STALL_LAST_WORDS_NS ||
	       (gone && now > gone && now - gone > STALL_LAST_WORDS_NS);
}

/* Runs on a thread that steps packets. */
int hw_stall(struct hw_env *e)
{
	struct hw_compute *vq = e->vq;
	u64 now, waited;

	if (hw_queue_evicted(&vq->hq))
		hw_stall_park(e);
	now = ktime_get_ns();
	if (!e->stalled_ns)
		e->stalled_ns = now;
	waited = now - e->stalled_ns;
	if (hw_queue_stopped(&vq->hq) && (!e->last_words || last_words_over(e, now, waited)))
		return -ESRCH;
	if (waited > STALL_INSTANT_NS)
		hw_cp_replace(e->cp, vq);
	/* Pages that are just being changed come back without a fault. */
	if (!gpu_vm_fault_wait(vq->hq.q->vm, msecs_to_jiffies(STALL_LOOK_MS), false))
		usleep_range(50, 100);
	return 0;
}
