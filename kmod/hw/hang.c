// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues that hang, and their reset.
 *
 * A kernel may run for ever, and a packet may wait for memory for ever. That is the user's
 * choice, and costs other queues nothing but a share of time. A queue hangs if no store to
 * memory could make it go on: an incomplete packet, indirect buffers that form a circle, waves
 * that are all halted. After hang_ms its work is dropped, and its process gets the hardware
 * exception event of a reset; no other process notices. This applies to compute and SDMA
 * queues.
 *
 * Destroying a queue in the middle of a packet raises that event at once, because the hardware
 * cannot take such a queue off and would be reset.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/module.h>

#include "engine.h"
#include "sdma.h"

/* With more jumps between buffers than this, a packet of the ring counts as a circle. */
#define CHAINS_MAX	256
#define JOB_SLEEPY_MS	10000	/* most that suspend waits for a job */

static unsigned int hang_ms = 10000;
module_param(hang_ms, uint, 0644);
MODULE_PARM_DESC(hang_ms, "Time in ms after which a queue that cannot get on is reset (0: never)");

u64 hw_hang_poll_ns(void)
{
	return max(READ_ONCE(hang_ms) / 4, 1u) * NSEC_PER_MSEC;
}

/*
 * amdgpu waits for all jobs when the machine goes to sleep, and resets the ring of one that takes
 * too long. Tasks have 20 seconds to freeze (pm_freeze_timeout), and so has the jobs' workqueue.
 */
bool hw_job_late(const struct gpu_device *gdev)
{
	u64 since = READ_ONCE(gdev->sleepy_ns), ms = READ_ONCE(hang_ms) ?: JOB_SLEEPY_MS;

	return since && ktime_get_ns() - since > min_t(u64, ms, JOB_SLEEPY_MS) * NSEC_PER_MSEC;
}

/* Nothing is in flight, and reading memory again will not help. */
static bool cp_stuck(const struct hw_compute *vq, enum cp_status status)
{
	const struct cp_queue *cp = &vq->cp;

	if (cp->state != CP_STATE_RUN || cp->polling || cp_queue_in_flight(cp))
		return false;
	if (cp->pm4.depth)
		return cp->pm4.chains > CHAINS_MAX;
	return status == CP_IDLE && vq->hq.q->props.type == GPU_QUEUE_PM4 && cp_queue_busy(cp);
}

/* @q was stopped for good: tell its process. */
static void report_reset(struct gpu_queue *q, const char *why)
{
	atomic64_inc(&to_hw(q->gdev)->resets);
	pr_warn_ratelimited("gpu %u pid %d queue %u: reset: %s\n", q->gdev->gpu_id,
			    q->process->pid, q->id, why);
	if (q->job)
		hw_job_failed(q, -ETIME);
	else if (!q->client)
		gpu_host->hw_exception(q->process, q->gdev);
}

void hw_hang_destroyed(struct hw_compute *vq)
{
	if (vq->cp_stuck_ns && !vq->hq.reset)
		report_reset(vq->hq.q, "destroyed within a packet");
}

void hw_hang_restored(struct hw_compute *vq)
{
	WRITE_ONCE(vq->hq.stuck_ns, 0);
	if (vq->cp_stuck_ns)
		vq->cp_stuck_ns = ktime_get_ns();
}

static void reset_queue(struct hw_compute *vq, const char *why)
{
	struct hw *vg = vq->vg;
	bool first;

	spin_lock(&vg->lock);
	first = hw_queue_kill_locked(&vq->hq);
	if (first)
		hw_compute_abort_locked(vq);
	spin_unlock(&vg->lock);
	if (!first)
		return;
	engine_kill(vg);
	vq->hq.reset = true;
	report_reset(vq->hq.q, why);
}

bool hw_hang_watch(struct hw_compute *vq, enum cp_status status)
{
	u64 now = ktime_get_ns(), limit = READ_ONCE(hang_ms) * (u64)NSEC_PER_MSEC, since, still;

	if (!cp_stuck(vq, status))
		vq->cp_stuck_ns = 0;
	else if (!vq->cp_stuck_ns)
		vq->cp_stuck_ns = now;
	since = READ_ONCE(vq->hq.stuck_ns);
	still = READ_ONCE(vq->hq.still_ns);
	if (vq->cp_stuck_ns || since)
		vq->watch_until = now + hw_hang_poll_ns();
	if (!limit || now >= vq->watch_until) {
		WRITE_ONCE(vq->watched, false);
		smp_mb();	/* pairs with hw_hang_turn() */
		if (!limit || !READ_ONCE(vq->hq.stuck_ns))
			return false;
	}
	WRITE_ONCE(vq->watched, true);
	if (vq->cp_stuck_ns && now - vq->cp_stuck_ns > limit)
		reset_queue(vq, "its packets lead nowhere");
	else if (since && still > since && still - since > limit)
		reset_queue(vq, "its waves are halted");
	return true;
}

/*
 * Several workers write these fields. It only matters whether any of them made progress, and when
 * a turn last made none: a worker that the host gives no CPU has no turns, and that is no hang.
 * The CP thread goes on watching for a while, because waves that wait for each other often make no
 * progress, but never for long.
 */
void hw_hang_turn(struct hw_compute *vq, u64 insns)
{
	if (insns) {
		if (READ_ONCE(vq->hq.stuck_ns))
			WRITE_ONCE(vq->hq.stuck_ns, 0);
		return;
	}
	if (READ_ONCE(vq->trapped))
		return;
	WRITE_ONCE(vq->hq.still_ns, ktime_get_ns());
	if (READ_ONCE(vq->hq.stuck_ns))
		return;
	WRITE_ONCE(vq->hq.stuck_ns, READ_ONCE(vq->hq.still_ns));
	smp_mb();	/* pairs with hw_hang_watch() */
	if (!READ_ONCE(vq->watched))
		hw_cp_kick(vq->vg);
}

/* ------------------------------------------------------------------- SDMA */

void hw_sdma_hang_destroyed(struct hw_sdma_queue *sq)
{
	if (sq->hq.stuck_ns && !sq->cp.stopped && !sq->hq.reset)
		report_reset(sq->hq.q, "destroyed within a packet");
}

void hw_sdma_hang_restored(struct hw_sdma_queue *sq)
{
	if (sq->hq.stuck_ns)
		sq->hq.stuck_ns = ktime_get_ns();
}

/* Indirect buffers are finite, and polls may last. So only an incomplete packet is a hang. */
bool hw_sdma_hang_watch(struct hw_sdma_queue *sq, enum cp_status status)
{
	u64 limit = READ_ONCE(hang_ms) * NSEC_PER_MSEC, now = ktime_get_ns();

	if (status != CP_IDLE || sq->cp.rptr == sq->cp.wptr) {
		sq->hq.stuck_ns = 0;
		return false;
	}
	if (!sq->hq.stuck_ns)
		sq->hq.stuck_ns = now;
	if (limit && now - sq->hq.stuck_ns > limit) {
		spin_lock(&sq->s->vg->lock);
		hw_queue_kill_locked(&sq->hq);
		spin_unlock(&sq->s->vg->lock);
		sq->hq.reset = true;
		report_reset(sq->hq.q, "its packets lead nowhere");
	}
	return limit;
}
