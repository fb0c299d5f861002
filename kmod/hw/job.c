// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs of the DRM face on the compute pipes. A job gets a PM4 queue of its own, which has no
 * ring and no doorbell: the CP thread executes the job's buffers one after the other, and then
 * waits for what they have started. Registers start as in a fresh MQD, so that no job sees what
 * another one has left in them.
 *
 * The queue belongs to no process of KFD. So what it does wrong fails the job, and nobody else
 * is told: wherever hw/ calls up, it asks gpu_queue_of_kfd().
 */
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "engine.h"
#include "sdma.h"

/* amdgpu's lockup_timeout for compute: a job that lasts longer is stopped. */
#define JOB_TIMEOUT_NS	(60ull * NSEC_PER_SEC)
#define JOB_LOOK_NS	(NSEC_PER_SEC / 4)	/* whether the machine wants to sleep */

/* All of it that hw/ and the engine look at; the rest stays zero. */
struct compute_job {
	struct gpu_queue q;
	struct gpu_process process;
	struct gpu_pdd pdd;
};

static void job_end(struct gpu_job *job)
{
	WRITE_ONCE(job->over, true);
	wake_up(&job->wq);
}

void hw_job_failed(struct gpu_queue *q, int err)
{
	struct gpu_job *job = q->job;

	if (!READ_ONCE(job->err))
		WRITE_ONCE(job->err, err);
	job_end(job);
}

enum cp_status hw_job_step(struct hw_compute *vq)
{
	struct gpu_job *job = vq->hq.q->job;

	if (job->over)
		return CP_IDLE;
	if (job->at < job->nibs) {
		cp_pm4_begin(&vq->cp, job->ib[job->at].va, job->ib[job->at].dwords);
		job->at++;
		return CP_PROGRESS;
	}
	if (!cp_pm4_drained(&vq->cp))
		return CP_BLOCKED;
	job_end(job);
	return CP_IDLE;
}

static bool job_done(const struct gpu_job *job, const struct hw_compute *vq)
{
	return READ_ONCE(job->over) || READ_ONCE(job->cancelled) ||
	       READ_ONCE(vq->hq.state) == HW_QUEUE_DEAD;
}

/* Its queue has come to rest or is stopped here; either way, nothing of it runs any more. */
static int job_finish(struct gpu_job *job, struct gpu_queue *q, bool late)
{
	bool over = READ_ONCE(job->over);

	hw_compute_fini(q);
	/* The GPU's own failure, or that of who ran its waves, is as good as a reset. */
	if (job->err)
		return job->err == -EIO ? -ECANCELED : job->err;
	return over ? 0 : late ? -ETIME : -ECANCELED;
}

static int compute_job_run(struct gpu_job *job)
{
	u64 end = ktime_get_ns() + JOB_TIMEOUT_NS;
	struct compute_job *c;
	bool late = false;
	int err;

	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return -ENOMEM;
	c->process.id = job->owner;
	c->process.pid = job->pid;
	c->pdd.process = &c->process;
	c->pdd.gdev = job->vm->gdev;
	c->pdd.vm = job->vm;
	c->q = (struct gpu_queue){
		.process = &c->process, .pdd = &c->pdd, .gdev = job->vm->gdev, .vm = job->vm,
		/* A ring that nobody reads: without one, a queue is off. */
		.props = { .type = GPU_QUEUE_PM4, .ring_va = PAGE_SIZE, .ring_bytes = PAGE_SIZE,
			   .percentage = 100, .priority = job->priority },
		.job = job,
	};
	err = hw_compute_init(&c->q);
	while (!err && !job_done(job, c->q.priv) && !late) {
		wait_event_interruptible_hrtimeout(job->wq, job_done(job, c->q.priv),
						   ns_to_ktime(JOB_LOOK_NS));
		late = ktime_get_ns() >= end || hw_job_late(job->vm->gdev);
	}
	if (!err)
		err = job_finish(job, &c->q, late);
	kfree(c);
	return err;
}

int hw_job_run(struct gpu_job *job)
{
	switch (job->ring) {
	case GPU_JOB_COMPUTE:
		return compute_job_run(job);
	case GPU_JOB_SDMA:
		return hw_sdma_job(job);
	default:
		return -EINVAL;
	}
}
