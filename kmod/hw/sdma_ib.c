// SPDX-License-Identifier: GPL-2.0-only
/*
 * Indirect buffers of SDMA packets submitted through the DRM face. The caller executes them at
 * once, in the VM of its DRM file. No ring and no KFD queue is involved, and the threads that
 * run user queues are not affected.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "sdma.h"
#include "../model/target.h"

/* amdgpu's lockup_timeout: a job that makes no progress is stopped after this time. */
#define JOB_TIMEOUT_NS	(10ull * NSEC_PER_SEC)

struct job {
	struct hw_sdma s;
	struct hw_sdma_queue sq;
	struct gpu_queue q;
	struct hw_sdma_env env;
};

static int job_failed(struct job *j)
{
	const struct cp_sdma *cp = &j->sq.cp;

	/* This is not the job's fault, so it may be submitted again. */
	if (cp->faulted && j->env.err == -ENOMEM)
		return -ENOMEM;
	if (cp->faulted) {
		pr_info_ratelimited("gpu %u: SDMA job: memory fault at 0x%llx\n",
				    j->q.gdev->gpu_id, j->env.fault.va);
		return -EFAULT;
	}
	hw_count_illegal(j->s.vg, cp->error_name);
	pr_info_ratelimited("gpu %u: SDMA job: %s, %s 0x%08x\n", j->q.gdev->gpu_id,
			    cp_sdma_error_name(cp->error), cp->error_name, cp->error_word);
	return -EINVAL;
}

static int job_run(struct job *j)
{
	u64 since = ktime_get_ns();
	enum cp_status status;

	while (cp_sdma_in_ib(&j->sq.cp)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		status = cp_sdma_step(&j->sq.cp, &j->env.env);
		if (status == CP_ERROR)
			return job_failed(j);
		if (status == CP_PROGRESS) {
			since = ktime_get_ns();
			cond_resched();
			continue;
		}
		if (ktime_get_ns() - since > JOB_TIMEOUT_NS)
			return -ETIME;
		usleep_range(20, 200);
	}
	return 0;
}

int hw_sdma_ib(struct gpu_vm *vm, u32 engine, u64 va, u32 dwords)
{
	struct hw *vg = to_hw(vm->gdev);
	struct job *j;
	int ret;

	if (!vg->nsdma || engine >= vm->gdev->target->sdma_engines)
		return -EINVAL;
	j = kzalloc(sizeof(*j), GFP_KERNEL);
	if (!j)
		return -ENOMEM;
	j->s.vg = vg;
	j->sq.s = &j->s;
	j->sq.hq.q = &j->q;
	j->q.gdev = vm->gdev;
	j->q.vm = vm;
	cp_sdma_init_ib(&j->sq.cp, vg->gdev->target, engine, va, dwords);
	hw_sdma_env_init(&j->env, &j->sq);
	gpu_vm_worker_add(vm->gdev, &j->s.vmw);
	ret = job_run(j);
	gpu_vm_worker_del(vm->gdev, &j->s.vmw);
	atomic64_add(j->sq.cp.packets, &vg->sdma_packets);
	atomic64_add(j->sq.cp.bytes, &vg->sdma_bytes);
	kfree(j);
	return ret;
}
