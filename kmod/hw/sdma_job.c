// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs of the DRM face on the SDMA engines. The caller executes the packets in the VM of its DRM
 * file. No ring and no KFD queue is involved, and the threads that run user queues are not
 * affected.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "sdma.h"
#include "../model/target.h"

/* amdgpu's lockup_timeout: a job that makes no progress is stopped after this time. */
#define JOB_TIMEOUT_NS	(10ull * NSEC_PER_SEC)	/* without progress */
#define JOB_MOST_NS	(60ull * NSEC_PER_SEC)	/* in all, as of compute (job.c) */
#define POLL_MIN_NS	(20 * NSEC_PER_USEC)
#define POLL_MAX_NS	(500 * NSEC_PER_USEC)

struct sdma_job {
	struct hw_sdma s;
	struct hw_sdma_queue sq;
	struct gpu_queue q;
	struct hw_sdma_env env;
};

static int job_failed(struct sdma_job *j)
{
	const struct cp_sdma *cp = &j->sq.cp;

	/* This is not the job's fault, so it may be submitted again. */
	if (cp->faulted && j->env.err == -ENOMEM)
		return -ENOMEM;
	if (cp->faulted) {
		if (j->env.err == -EFAULT)
			gpu_vm_faulted(j->q.vm, &j->env.fault);
		pr_info_ratelimited("gpu %u pid %d: SDMA job: memory fault at 0x%llx\n",
				    j->q.gdev->gpu_id, j->q.job->pid, j->env.fault.va);
		return -EFAULT;
	}
	hw_count_illegal(j->s.vg, cp->error_name);
	pr_info_ratelimited("gpu %u pid %d: SDMA job: %s, %s 0x%08x\n", j->q.gdev->gpu_id,
			    j->q.job->pid, cp_sdma_error_name(cp->error), cp->error_name,
			    cp->error_word);
	return -EINVAL;
}

/* Executes one buffer. */
static int ib_run(struct sdma_job *j)
{
	struct gpu_job *job = j->q.job;
	u64 begin = ktime_get_ns(), since = begin, poll_ns = POLL_MIN_NS;
	enum cp_status status;

	while (cp_sdma_in_ib(&j->sq.cp)) {
		if (READ_ONCE(job->cancelled))
			return -ECANCELED;
		if (hw_job_late(job->vm->gdev))
			return -ETIME;
		status = cp_sdma_step(&j->sq.cp, &j->env.env);
		if (status == CP_ERROR)
			return job_failed(j);
		if (status == CP_PROGRESS) {
			since = ktime_get_ns();
			poll_ns = POLL_MIN_NS;
			cond_resched();
			continue;
		}
		/* A job ends in finite time, so that waits for its fence do. */
		if (ktime_get_ns() - since > JOB_TIMEOUT_NS ||
		    ktime_get_ns() - begin > JOB_MOST_NS)
			return -ETIME;
		wait_event_interruptible_hrtimeout(job->wq, READ_ONCE(job->cancelled),
						   ns_to_ktime(poll_ns));
		poll_ns = min_t(u64, poll_ns * 2, POLL_MAX_NS);
	}
	return 0;
}

int hw_sdma_job(struct gpu_job *job)
{
	struct gpu_vm *vm = job->vm;
	struct hw *vg = to_hw(vm->gdev);
	u64 start = ktime_get_ns();
	struct sdma_job *j;
	int ret = 0;
	u32 i;

	if (!vg->nsdma || job->engine >= vm->gdev->target->sdma_engines)
		return -EINVAL;
	j = kzalloc(sizeof(*j), GFP_KERNEL_ACCOUNT);
	if (!j)
		return -ENOMEM;
	j->s.vg = vg;
	j->sq.s = &j->s;
	j->sq.hq.q = &j->q;
	j->q.gdev = vm->gdev;
	j->q.vm = vm;
	j->q.job = job;
	gpu_vm_worker_add(vm->gdev, &j->s.vmw);
	for (i = 0; i < job->nibs && !ret; i++) {
		if (!job->ib[i].dwords)
			continue;
		cp_sdma_init_ib(&j->sq.cp, vg->gdev->target, job->engine, job->ib[i].va,
				job->ib[i].dwords);
		hw_sdma_env_init(&j->env, &j->sq);
		ret = ib_run(j);
		atomic64_add(j->sq.cp.packets, &vg->sdma_packets);
		atomic64_add(j->sq.cp.bytes, &vg->sdma_bytes);
	}
	gpu_vm_worker_del(vm->gdev, &j->s.vmw);
	atomic64_add(ktime_get_ns() - start, &vg->sdma_busy_ns);
	kfree(j);
	return ret;
}
