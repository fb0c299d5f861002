// SPDX-License-Identifier: GPL-2.0-only
/*
 * SDMA threads and the life of SDMA queues. See sdma.h.
 */
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "sdma.h"
#include "../model/target.h"
#include "../trace.h"

#define SDMA_THREADS	4
#define POLL_MIN_NS	(10 * NSEC_PER_USEC)
#define POLL_MAX_NS	(500 * NSEC_PER_USEC)

/* Call with hw.lock held. */
#define for_each_sdma_queue(vg, s, sq)					\
	list_for_each_entry(s, &(vg)->sdmas, node)			\
		list_for_each_entry(sq, &(s)->queues, hq.node)

/* The result of a pass over a thread's queues. */
struct sdma_pass {
	bool progress, polling, watching;
};

static void sdma_kick(struct hw_sdma *s)
{
	atomic_set(&s->kick, 1);
	/* Orders the kick before the read of the wait queue. */
	smp_mb();
	/* A waiter adds itself to the wait queue before it reads the kick. */
	if (waitqueue_active(&s->wq))
		wake_up(&s->wq);
}

/* ----------------------------------------------------- for the CP's thread */

bool hw_sdma_watch(struct hw *vg)
{
	struct hw_sdma_queue *sq;
	bool rung = false;
	struct hw_sdma *s;
	u64 val;

	if (!READ_ONCE(vg->nsdma_queues))
		return false;
	spin_lock(&vg->lock);
	for_each_sdma_queue(vg, s, sq) {
		val = gpu_doorbell_read(sq->hq.q->pdd->doorbells, sq->hq.q->doorbell);
		if (val == sq->watched)
			continue;
		sq->watched = val;
		rung = true;
		if (val != READ_ONCE(sq->cp.doorbell))
			sdma_kick(sq->s);
	}
	spin_unlock(&vg->lock);
	return rung;
}

bool hw_sdma_arm_one(struct hw *vg)
{
	struct hw_sdma_queue *sq, *found = NULL;
	struct hw_sdma *s;

	spin_lock(&vg->lock);
	for_each_sdma_queue(vg, s, sq)
		if (!found && !READ_ONCE(sq->hq.q->pdd->doorbells->armed))
			found = sq;
	if (found)
		hw_queue_hold_locked(&found->hq);
	spin_unlock(&vg->lock);
	if (!found)
		return false;
	gpu_doorbells_arm(found->hq.q->pdd->doorbells);
	hw_queue_leave(&found->hq);
	return true;
}

/* -------------------------------------------------------------- the thread */

static void sdma_refused(struct hw_sdma_queue *sq)
{
	struct gpu_queue *q = sq->hq.q;
	struct hw *vg = sq->s->vg;
	struct cp_sdma *cp = &sq->cp;

	spin_lock(&vg->lock);
	hw_queue_kill_locked(&sq->hq);
	spin_unlock(&vg->lock);
	hw_count_illegal(vg, cp->error_name);
	atomic64_inc(&vg->queue_errors);
	pr_info_ratelimited("gpu %u pid %d queue %u: SDMA stopped at byte %llu: %s, %s 0x%08x\n",
			    q->gdev->gpu_id, q->process->pid, q->id, cp->rptr,
			    cp_sdma_error_name(cp->error), cp->error_name, cp->error_word);
	WRITE_ONCE(q->error, hw_error_of_sdma(cp->error));
	if (!gpu_queue_of_kfd(q))
		return;
	gpu_host->queue_error(q, q->error);
	/* SDMA queues have no error word of their own, so report it as a hung engine. */
	gpu_host->hw_exception(q->process, q->gdev);
}

/* SDMA packets have no index, so the trace has a running number for each queue. */
static enum cp_status sdma_step(struct hw_sdma_queue *sq, struct sdma_env *env)
{
	u64 packets = sq->cp.packets;
	enum cp_status status = cp_sdma_step(&sq->cp, env);

	if (sq->cp.packets != packets)
		trace_vkfd_packet(sq->s->vg->gdev->gpu_id, sq->hq.q->process->pid, sq->hq.q->id,
				  packets, sq->cp.pkt[0]);
	return status;
}

static void sdma_run_queue(struct hw_sdma *s, struct hw_sdma_queue *sq,
			   struct sdma_pass *pass)
{
	struct hw *vg = s->vg;
	u64 start = ktime_get_ns(), packets = sq->cp.packets, bytes = sq->cp.bytes;
	enum cp_status status, report;
	struct hw_sdma_env e;

	hw_sdma_env_init(&e, sq);
	if (!cp_sdma_ring(&sq->cp, &e.env,
			  gpu_doorbell_read(sq->hq.q->pdd->doorbells, sq->hq.q->doorbell)))
		return;
	do {
		status = sdma_step(sq, &e.env);
		if (status == CP_PROGRESS)
			pass->progress = true;
		cond_resched();
	} while (status == CP_PROGRESS && hw_queue_running(&sq->hq) &&
		 ktime_get_ns() - start < vg->turn_ns);
	if (hw_sdma_settle(&e)) {
		sq->cp.stopped = true;
		sq->cp.faulted = true;
		status = CP_ERROR;
	}
	report = cp_sdma_report(&sq->cp, &e.env);
	if (sq->hq.q->client && status != CP_ERROR)
		sq->hq.q->client->fence(sq->hq.q, sq->cp.rptr);
	if (report != CP_PROGRESS && status != CP_ERROR)
		status = report;
	if (status == CP_BLOCKED && sq->cp.polling)
		pass->polling = true;
	pass->watching |= hw_sdma_hang_watch(sq, status);
	start = ktime_get_ns() - start;
	WRITE_ONCE(sq->busy_ns, sq->busy_ns + start);
	atomic64_add(start, &sq->hq.q->pdd->sdma_ns);
	atomic64_add(start, &vg->sdma_busy_ns);
	atomic64_add(sq->cp.packets - packets, &vg->sdma_packets);
	atomic64_add(sq->cp.bytes - bytes, &vg->sdma_bytes);
	if (status != CP_ERROR)
		return;
	if (sq->cp.faulted)
		hw_memory_failed(sq->hq.q, e.err, &e.fault);
	else
		sdma_refused(sq);
}

/* Enters the next of this thread's queues in turn; @n counts down the queues left. */
static struct hw_sdma_queue *sdma_next_queue(struct hw_sdma *s, unsigned int *n)
{
	struct hw *vg = s->vg;
	struct hw_sdma_queue *sq, *found = NULL;

	spin_lock(&vg->lock);
	while (*n && !found && !list_empty(&s->queues)) {
		--*n;
		sq = list_first_entry(&s->queues, struct hw_sdma_queue, hq.node);
		list_move_tail(&sq->hq.node, &s->queues);
		if (hw_queue_enter_locked(&sq->hq))
			found = sq;
	}
	spin_unlock(&vg->lock);
	return found;
}

static void sdma_pass_over_queues(struct hw_sdma *s, struct sdma_pass *pass)
{
	unsigned int n = READ_ONCE(s->vg->nsdma_queues);
	struct hw_sdma_queue *sq;

	memset(pass, 0, sizeof(*pass));
	while (!kthread_should_stop()) {
		sq = sdma_next_queue(s, &n);
		if (!sq)
			break;
		sdma_run_queue(s, sq, pass);
		hw_queue_leave(&sq->hq);
	}
}

static bool sdma_called(struct hw_sdma *s)
{
	return atomic_read(&s->kick) || kthread_should_stop();
}

static int sdma_thread(void *arg)
{
	struct hw_sdma *s = arg;
	u64 poll_ns = POLL_MIN_NS;
	struct sdma_pass pass;

	while (!kthread_should_stop()) {
		atomic_set(&s->kick, 0);
		/* Orders the reset before the reads of whatever was kicked for. */
		smp_mb();
		sdma_pass_over_queues(s, &pass);
		if (pass.progress) {
			poll_ns = POLL_MIN_NS;
			cond_resched();
			continue;
		}
		if (!pass.polling && pass.watching) {
			wait_event_interruptible_hrtimeout(s->wq, sdma_called(s),
							   ns_to_ktime(hw_hang_poll_ns()));
			continue;
		}
		if (!pass.polling) {
			wait_event_idle(s->wq, sdma_called(s));
			continue;
		}
		wait_event_interruptible_hrtimeout(s->wq, sdma_called(s),
						   ns_to_ktime(poll_ns));
		poll_ns = min_t(u64, poll_ns * 2, POLL_MAX_NS);
	}
	return 0;
}

static int sdma_start(struct hw_sdma *s, struct hw *vg, unsigned int index)
{
	struct task_struct *task;

	s->vg = vg;
	s->index = index;
	INIT_LIST_HEAD(&s->queues);
	init_waitqueue_head(&s->wq);
	task = kthread_create(sdma_thread, s, "vkfd-sdma/%u.%u", vg->gdev->index, index);
	if (IS_ERR(task))
		return PTR_ERR(task);
	s->task = task;
	gpu_vm_worker_add(vg->gdev, &s->vmw);
	spin_lock(&vg->lock);
	list_add_tail(&s->node, &vg->sdmas);
	spin_unlock(&vg->lock);
	wake_up_process(task);
	return 0;
}

/* It has no queues any more, or never began. */
static void sdma_stop(struct hw_sdma *s)
{
	struct hw *vg = s->vg;

	if (!s->task)
		return;
	spin_lock(&vg->lock);
	list_del(&s->node);
	spin_unlock(&vg->lock);
	kthread_stop(s->task);
	gpu_vm_worker_del(vg->gdev, &s->vmw);
}

void hw_sdma_fini(struct hw *vg)
{
	unsigned int i;

	for (i = 0; i < vg->nsdma; i++)
		sdma_stop(&vg->sdma[i]);
	kfree(vg->sdma);
	vg->sdma = NULL;
	vg->nsdma = 0;
}

int hw_sdma_init(struct hw *vg)
{
	const struct gpu_target *t = vg->gdev->target;
	unsigned int i, engines = t->sdma_engines + t->sdma_xgmi_engines;
	int err = 0;

	if (!engines || vg->mover)
		return 0;
	vg->nsdma = min_t(unsigned int, engines, SDMA_THREADS);
	vg->nsdma = min_t(unsigned int, vg->nsdma, num_online_cpus());
	vg->sdma = kcalloc(vg->nsdma, sizeof(*vg->sdma), GFP_KERNEL);
	if (!vg->sdma) {
		vg->nsdma = 0;
		return -ENOMEM;
	}
	for (i = 0; i < vg->nsdma && !err; i++)
		err = sdma_start(&vg->sdma[i], vg, i);
	return err;	/* the caller calls hw_sdma_fini() */
}

/* -------------------------------------------------------------- the queues */

/* With what moves memory for it, and the thread that waits for that */
static int sdma_mover_open(struct hw_sdma_queue *sq, struct gpu_queue *q)
{
	struct hw *vg = to_hw(q->gdev);
	struct hw_sdma *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	int err;

	if (!s)
		return -ENOMEM;
	sq->mover = vg->mover->open(q);
	if (IS_ERR(sq->mover)) {
		err = PTR_ERR(sq->mover);
		goto out_free;
	}
	err = sdma_start(s, vg, q->props.sdma_engine);
	if (err)
		goto out_mover;
	sq->s = s;
	return 0;

out_mover:
	vg->mover->close(sq->mover);
out_free:
	kfree(s);
	return err;
}

static void sdma_mover_close(struct hw_sdma_queue *sq)
{
	struct hw *vg = sq->s->vg;

	sdma_stop(sq->s);
	vg->mover->close(sq->mover);
	kfree(sq->s);
}

int hw_sdma_queue_init(struct gpu_queue *q)
{
	struct hw *vg = to_hw(q->gdev);
	const struct gpu_queue_props *p = &q->props;
	struct hw_sdma_queue *sq;
	int err;

	if (!vg->nsdma && !vg->mover)
		return -EINVAL;
	sq = kzalloc(sizeof(*sq), GFP_KERNEL_ACCOUNT);
	if (!sq)
		return -ENOMEM;
	err = cp_sdma_init(&sq->cp, vg->gdev->target, p->sdma_engine, p->ring_va,
			   p->ring_bytes, p->wptr_va, p->rptr_va);
	if (!err && vg->mover)
		err = sdma_mover_open(sq, q);
	if (err) {
		kfree(sq);
		return err;
	}
	if (!vg->mover)
		sq->s = &vg->sdma[p->sdma_engine % vg->nsdma];
	hw_queue_init(&sq->hq, q, &vg->lock, NULL);
	q->error = GPU_QUEUE_NO_ERROR;
	q->priv = sq;
	spin_lock(&vg->lock);
	list_add_tail(&sq->hq.node, &sq->s->queues);
	WRITE_ONCE(vg->nsdma_queues, vg->nsdma_queues + 1);
	spin_unlock(&vg->lock);
	/* The write pointer may already be set in memory, and the doorbell page may need arming. */
	sdma_kick(sq->s);
	hw_cp_kick(vg);
	return 0;
}

/* Takes the queue off the list under the same lock; otherwise the CP thread could enter it. */
static bool sdma_removed(struct hw *vg, struct hw_sdma_queue *sq)
{
	bool rest;

	spin_lock(&vg->lock);
	rest = !sq->hq.users;
	if (rest) {
		list_del(&sq->hq.node);
		WRITE_ONCE(vg->nsdma_queues, vg->nsdma_queues - 1);
	}
	spin_unlock(&vg->lock);
	return rest;
}

int hw_sdma_queue_update(struct gpu_queue *q, const struct gpu_queue_props *p)
{
	struct hw_sdma_queue *sq = q->priv;
	bool was_on, on = hw_queue_props_on(p);
	int err = hw_queue_pause(&sq->hq, &was_on);

	if (!err && on)
		err = cp_sdma_move(&sq->cp, p->ring_va, p->ring_bytes);
	if (!err && sq->mover) {
		err = sq->s->vg->mover->priority(sq->mover, p->priority);
		if (err && on && was_on)
			cp_sdma_move(&sq->cp, q->props.ring_va, q->props.ring_bytes);
	}
	hw_queue_resume(&sq->hq, err ? was_on : on);
	sdma_kick(sq->s);
	return err;
}

void hw_sdma_queue_evict(struct gpu_queue *q)
{
	struct hw_sdma_queue *sq = q->priv;

	hw_queue_evict(&sq->hq);
}

void hw_sdma_queue_restore(struct gpu_queue *q)
{
	struct hw_sdma_queue *sq = q->priv;

	hw_sdma_hang_restored(sq);
	hw_queue_restore(&sq->hq);
	sdma_kick(sq->s);
}

void hw_sdma_queue_fini(struct gpu_queue *q)
{
	struct hw_sdma_queue *sq = q->priv;
	struct hw *vg = to_hw(q->gdev);

	spin_lock(&vg->lock);
	hw_queue_kill_locked(&sq->hq);
	spin_unlock(&vg->lock);
	wait_event(sq->hq.rest_wq, sdma_removed(vg, sq));
	hw_sdma_hang_destroyed(sq);
	q->priv = NULL;
	if (vg->mover)
		sdma_mover_close(sq);
	kfree(sq);
}

bool hw_sdma_kill_locked(struct hw *vg, const struct gpu_process *p)
{
	struct hw_sdma_queue *sq;
	struct hw_sdma *s;
	bool any = false;

	lockdep_assert_held(&vg->lock);
	for_each_sdma_queue(vg, s, sq) {
		if (!p || sq->hq.q->process == p)
			any |= hw_queue_kill_locked(&sq->hq);
	}
	return any;
}

void hw_sdma_show_locked(struct hw *vg, struct seq_file *m)
{
	struct hw_sdma_queue *sq;
	struct hw_sdma *s;

	lockdep_assert_held(&vg->lock);
	for_each_sdma_queue(vg, s, sq)
		seq_printf(m, "pid %d queue %u sdma %u %s rptr %llu wptr %llu packets %llu bytes %llu busy_ns %llu error %u\n",
			   sq->hq.q->process->pid, sq->hq.q->id, sq->cp.engine,
			   hw_queue_state_name(&sq->hq), sq->cp.rptr, sq->cp.wptr,
			   sq->cp.packets, sq->cp.bytes, sq->busy_ns, sq->cp.error);
}
