// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the GPU's threads do when a page of a process takes its time.
 *
 * A wave is simply run again later. A packet is not: the packet processor is in
 * the middle of it. So the thread that steps packets waits inside, and if that
 * takes longer than an instant another thread takes its place: the stalled one
 * keeps this one queue until it is through, and then ends. Other queues of the
 * same process are not entered meanwhile, so a process can hold one thread, not
 * more. A worker that completes a dispatch never waits: it leaves what is left of
 * the completion to the CP (retire.c).
 *
 * Who destroys a queue makes it dead, and a stall ends with that. Who evicts one
 * does not wait for the page: the thread parks here, and goes on when the queue is
 * restored.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "hw.h"

/* Every so often it is looked whether the wait still makes sense. */
#define STALL_LOOK_MS		4
/* From then on somebody else steps the packets. */
#define STALL_INSTANT_NS	(2 * NSEC_PER_MSEC)
/* The error of a dead queue is written if that is possible at once. */
#define STALL_LAST_WORDS_NS	(20 * NSEC_PER_MSEC)

/* ------------------------------------------------------------- CP threads */

static struct hw_cp *cp_create(struct hw *vg)
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

static void cp_destroy(struct hw_cp *cp)
{
	kthread_stop(cp->task);
	gpu_vm_worker_del(cp->vg->gdev, &cp->vmw);
	kfree(cp);
}

int hw_cp_start(struct hw *vg)
{
	vg->cp = cp_create(vg);
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
		cp_destroy(cp);
	}
}

static bool all_through(struct hw *vg)
{
	hw_cp_reap(vg);
	return !READ_ONCE(vg->cps_away);
}

/* There are no queues any more, so nothing is stalled for long. */
void hw_cp_stop(struct hw *vg)
{
	if (!vg->cp)
		return;
	cp_destroy(vg->cp);
	vg->cp = NULL;
	while (!all_through(vg))
		usleep_range(500, 1000);
}

bool hw_cp_replaced(struct hw_cp *cp)
{
	return READ_ONCE(cp->vg->cp) != cp;
}

/* The thread has nothing to do any more; whoever took its place stops it. */
void hw_cp_through(struct hw_cp *cp)
{
	struct hw *vg = cp->vg;

	spin_lock(&vg->lock);
	list_add_tail(&cp->node, &vg->cps_through);
	spin_unlock(&vg->lock);
	hw_cp_kick(vg);
	wait_event_idle(vg->cp_wq, kthread_should_stop());
}

static void replace_cp(struct hw_cp *cp, struct hw_compute *vq)
{
	struct hw *vg = cp->vg;
	struct hw_cp *fresh;

	if (hw_cp_replaced(cp))
		return;
	fresh = cp_create(vg);
	if (!fresh)
		return;		/* the next look tries again */
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

/* In the middle of a packet, and outside of the memory that it is about. */
static void park(struct hw_env *e)
{
	struct hw_compute *vq = e->vq;

	hw_queue_park(&vq->hq);
	while (!hw_queue_unpark(&vq->hq)) {
		replace_cp(e->cp, vq);
		usleep_range(1000, STALL_LOOK_MS * 1000);
	}
	e->stalled_ns = 0;
}

/* On a thread that steps packets. */
int hw_stall(struct hw_env *e)
{
	struct hw_compute *vq = e->vq;
	u64 now;

	if (hw_queue_evicted(&vq->hq))
		park(e);
	now = ktime_get_ns();
	if (!e->stalled_ns)
		e->stalled_ns = now;
	now -= e->stalled_ns;
	if (hw_queue_stopped(&vq->hq) && (!e->last_words || now > STALL_LAST_WORDS_NS))
		return -ESRCH;
	if (now > STALL_INSTANT_NS)
		replace_cp(e->cp, vq);
	/* Pages that are being changed come back by themselves. */
	if (!gpu_vm_fault_wait(vq->hq.q->vm, msecs_to_jiffies(STALL_LOOK_MS), false))
		usleep_range(50, 100);
	return 0;
}
