// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command processor (CP) thread: steps the packet processors of all mapped queues, and
 * sleeps without polling when there is nothing to do.
 *
 * Before it sleeps, it zaps the doorbell PTEs (gpu_doorbells_arm()) and looks at every queue
 * once more. It sees a ring that came before the zap; a ring after the zap faults and kicks it.
 * It polls only queues that wait for a value in memory (a barrier's signal, the answer to
 * insufficient scratch), at decreasing rates.
 *
 * It also watches the doorbells of the SDMA queues, because they share pages with the other
 * queues of their process, and one thread has to decide when a page may be armed.
 */
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "engine.h"
#include "../trace.h"

/* How long a queue is stepped before the next one gets its turn */
#define BURST_PACKETS	64
#define BURST_NS	NSEC_PER_MSEC
#define POLL_MIN_NS	(20 * NSEC_PER_USEC)
#define POLL_MAX_NS	(500 * NSEC_PER_USEC)

/* The result of a pass over the queues. */
struct cp_pass {
	unsigned int progress, polling;
	bool waiting, watching;
};

void hw_cp_kick(struct hw *vg)
{
	atomic_set(&vg->kick, 1);
	/* Orders the kick before the read of the wait queue. */
	smp_mb();
	/* A waiter adds itself to the wait queue before it reads the kick. */
	if (waitqueue_active(&vg->cp_wq))
		wake_up(&vg->cp_wq);
}

static bool drained_locked(const struct hw_compute *vq)
{
	unsigned int i;

	for (i = 0; i < HW_QUEUE_GRIDS; i++)
		if (vq->grids[i].used)
			return false;
	return true;
}

/* Enters and returns the next queue in turn; NULL if that queue cannot be entered. */
static struct hw_compute *next_queue(struct hw *vg, u32 *fail_code)
{
	struct hw_compute *vq = NULL;

	*fail_code = 0;
	spin_lock(&vg->lock);
	if (list_empty(&vg->queues))
		goto out;
	vq = list_first_entry(&vg->queues, struct hw_compute, hq.node);
	list_move_tail(&vq->hq.node, &vg->queues);
	/* One thread already waits for a page of this process; do not risk another. */
	if (vq->stay != HW_STAY_NONE || vq->hq.q->vm->stalled) {
		vq = NULL;
		goto out;
	}
	if (hw_queue_enter_locked(&vq->hq)) {
		vq->stay = HW_STAY_STEP;
		goto out;
	}
	if (vq->hq.state == HW_QUEUE_FAILED && !vq->hq.users && drained_locked(vq)) {
		*fail_code = vq->fail_code;
		hw_queue_event_locked(&vq->hq, HW_QUEUE_REPORT);
		hw_queue_hold_locked(&vq->hq);
		vq->stay = HW_STAY_STEP;
		goto out;
	}
	vq = NULL;
out:
	spin_unlock(&vg->lock);
	return vq;
}

static void queue_stopped(struct hw_compute *vq, struct hw_env *e)
{
	if (vq->cp.state == CP_STATE_FAULT) {
		hw_memory_failed(vq->hq.q, e->err, &e->fault);
		return;
	}
	spin_lock(&vq->vg->lock);
	hw_queue_kill_locked(&vq->hq);
	spin_unlock(&vq->vg->lock);
}

/* A queue that executes a job has no packets left in this buffer. */
static enum cp_status step_job(struct hw_compute *vq, struct cp_pass *pass)
{
	enum cp_status status;

	WRITE_ONCE(vq->blocked, true);
	/* As in step_queue(). */
	smp_mb();
	status = hw_job_step(vq);
	if (status != CP_BLOCKED)
		WRITE_ONCE(vq->blocked, false);
	if (status == CP_PROGRESS)
		pass->progress++;
	return status;
}

static enum cp_status step_queue(struct hw_cp *cp, struct hw_compute *vq,
				 struct cp_pass *pass)
{
	struct hw *vg = vq->vg;
	struct gpu_queue *q = vq->hq.q;
	u64 end = ktime_get_ns() + BURST_NS;
	enum cp_status status = CP_IDLE;
	struct hw_env e;
	unsigned int i;

	hw_env_init(&e, &cp->vmw, cp, vq);
	if (!cp_queue_ring(&vq->cp, &e.env, hw_compute_doorbell(vq)))
		return q->job ? step_job(vq, pass) : CP_IDLE;
	for (i = 0; i < BURST_PACKETS; i++) {
		u64 index = vq->cp.next;

		if (!hw_queue_running(&vq->hq) || hw_cp_replaced(cp))
			break;
		/* Step at least once, as a queue that makes progress is visited again. */
		if (i && ktime_get_ns() > end)
			break;
		WRITE_ONCE(vq->blocked, true);
		/* Set @blocked before the step looks, so that later completions kick us. */
		smp_mb();
		status = cp_step(&vq->cp, &e.env);
		if (status != CP_BLOCKED)
			WRITE_ONCE(vq->blocked, false);
		if (status != CP_PROGRESS)
			break;
		pass->progress++;
		if (vq->cp.next == index)
			continue;
		vq->packets++;
		vg->packets++;
		trace_vkfd_packet(vg->gdev->gpu_id, q->process->pid, q->id,
				  index, vq->cp.header);
	}
	if (status == CP_ERROR)
		queue_stopped(vq, &e);
	if (status == CP_BLOCKED && vq->cp.polling)
		pass->polling++;
	return status;
}

/* A wave has stopped the queue and none of its waves run any more: report the error. */
static void fail_queue(struct hw_cp *cp, struct hw_compute *vq, u32 code)
{
	struct hw_env e;

	hw_env_init(&e, &cp->vmw, cp, vq);
	e.last_words = true;
	cp_queue_fail(&vq->cp, &e.env, code);
	if (vq->cp.state == CP_STATE_FAULT)
		hw_memory_failed(vq->hq.q, e.err, &e.fault);
}

static void leave_queue(struct hw_compute *vq)
{
	struct hw *vg = vq->vg;

	spin_lock(&vg->lock);
	hw_stay_end_locked(vq);
	hw_queue_leave_locked(&vq->hq);
	spin_unlock(&vg->lock);
}

static void pass_over_queues(struct hw_cp *cp, struct cp_pass *pass)
{
	struct hw *vg = cp->vg;
	unsigned int n = READ_ONCE(vg->nqueues);
	struct hw_compute *vq;
	u32 code;

	memset(pass, 0, sizeof(*pass));
	pass->waiting = hw_sched(vg);
	if (hw_retire_late(cp))
		pass->progress++;
	while (n-- && !kthread_should_stop() && !hw_cp_replaced(cp)) {
		vq = next_queue(vg, &code);
		if (!vq)
			continue;
		if (code)
			fail_queue(cp, vq, code);
		else
			pass->watching |= hw_hang_watch(vq, step_queue(cp, vq, pass));
		leave_queue(vq);
		cond_resched();
	}
	if (hw_cp_replaced(cp))
		return;
	WRITE_ONCE(vg->polling, pass->polling);
	pass->progress += hw_sdma_watch(vg);
}

/*
 * Finds a queue whose doorbell page is not armed, and holds it. Skips queues that are blocked
 * and take no packets: they look at their doorbell when they are unblocked, and an armed page
 * would make every store of a producer fault in the meantime.
 */
static struct hw_compute *unarmed_queue(struct hw *vg)
{
	struct hw_compute *vq, *found = NULL;

	spin_lock(&vg->lock);
	list_for_each_entry(vq, &vg->queues, hq.node) {
		if (vq->hq.q->job || READ_ONCE(vq->hq.q->pdd->doorbells->armed) ||
		    (READ_ONCE(vq->blocked) && !READ_ONCE(vq->cp.takes_more)))
			continue;
		hw_queue_hold_locked(&vq->hq);
		found = vq;
		break;
	}
	spin_unlock(&vg->lock);
	return found;
}

static bool arm_doorbells(struct hw *vg)
{
	struct hw_compute *vq;
	bool any = false;

	while (!kthread_should_stop() && !atomic_read(&vg->kick)) {
		vq = unarmed_queue(vg);
		if (vq) {
			gpu_doorbells_arm(vq->hq.q->pdd->doorbells);
			hw_queue_leave(&vq->hq);
		} else if (!hw_sdma_arm_one(vg)) {
			break;
		}
		any = true;
	}
	return any;
}

static bool cp_wanted(struct hw *vg)
{
	return atomic_read(&vg->kick) || kthread_should_stop();
}

static void cp_sleep(struct hw *vg, const struct cp_pass *pass, u64 poll_ns)
{
	u64 ns = U64_MAX;

	if (pass->polling)
		ns = poll_ns;
	if (pass->waiting)
		ns = min(ns, vg->quantum_ns);
	if (pass->watching)
		ns = min(ns, hw_hang_poll_ns());
	if (ns == U64_MAX)
		wait_event_idle(vg->cp_wq, cp_wanted(vg));
	else
		wait_event_interruptible_hrtimeout(vg->cp_wq,
						   cp_wanted(vg), ns_to_ktime(ns));
}

int hw_cp_thread(void *arg)
{
	struct hw_cp *cp = arg;
	struct hw *vg = cp->vg;
	u64 hot_until = 0, poll_ns = POLL_MIN_NS, now;
	struct cp_pass pass;

	while (!kthread_should_stop()) {
		if (hw_cp_replaced(cp)) {
			hw_cp_through(cp);
			break;
		}
		if (!list_empty(&vg->cps_through))
			hw_cp_reap(vg);
		atomic_set(&vg->kick, 0);
		/* Orders the reset before the reads of whatever was kicked for. */
		smp_mb();
		pass_over_queues(cp, &pass);
		if (hw_cp_replaced(cp))
			continue;
		now = ktime_get_ns();
		if (pass.progress) {
			hot_until = now + vg->hot_ns;
			poll_ns = POLL_MIN_NS;
			cond_resched();
			continue;
		}
		if (now < hot_until && !atomic_read(&vg->kick)) {
			cpu_relax();
			cond_resched();
			continue;
		}
		if (arm_doorbells(vg))
			continue;
		cp_sleep(vg, &pass, poll_ns);
		if (pass.polling)
			poll_ns = min_t(u64, poll_ns * 2, POLL_MAX_NS);
	}
	return 0;
}
