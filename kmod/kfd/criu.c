// SPDX-License-Identifier: GPL-2.0-only
/*
 * CRIU_OP: checkpoints of processes, as CRIU's amdgpu plugin makes and restores them.
 *
 *	PROCESS_INFO	takes the queues off the GPUs and says how large everything is
 *	CHECKPOINT	describes everything, and gives out the buffers as dma-bufs
 *	UNPAUSE		puts the queues back
 *	RESTORE		makes all of it anew, with the same ids, in a process that has nothing yet
 *	RESUME		sets the SVM ranges and lets the queues go
 *
 * The first three come by the file of the process that is saved, from the process that traces it.
 * RESTORE comes from the new process itself. Its memory is not there yet. When it is, RESUME
 * names the process by its id.
 *
 * The process that is saved may end at any time; gpu_process.dying says so, under its lock.
 */
#include <linux/delay.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "gpu/backend.h"
#include "kfd.h"
#include "criu.h"
#include "race.h"

/* A thread of the GPU may be in the middle of a packet, waiting for a page. */
#define PAUSE_TRIES	100
#define PAUSE_MS	20

static int criu_pause(struct vkfd_process *p, struct kfd_ioctl_criu_args *args)
{
	int ret;

	if (p->base.dying)
		return -ESRCH;
	if (!p->num_pdds)
		return -ENODEV;
	/* The real driver would evict once more, and never restore that. */
	if (p->criu.state == VKFD_CRIU_PAUSED)
		return vkfd_criu_measure(p, args);
	if (p->criu.state != VKFD_CRIU_IDLE)
		return -EINVAL;
	vkfd_process_evict(p, KFD_QUEUE_EVICTION_CRIU_CHECKPOINT);
	ret = vkfd_criu_measure(p, args);
	if (ret)
		vkfd_process_restore(p);
	else
		p->criu.state = VKFD_CRIU_PAUSED;
	return ret;
}

static int criu_process_info(struct vkfd_process *p, struct kfd_ioctl_criu_args *args)
{
	unsigned int i;
	int ret = -EAGAIN;

	for (i = 0; i < PAUSE_TRIES && ret == -EAGAIN; i++) {
		if (i && msleep_interruptible(PAUSE_MS))
			return -EINTR;
		if (mutex_lock_killable(&p->base.lock))
			return -EINTR;
		vkfd_area_settle(p);
		ret = criu_pause(p, args);
		mutex_unlock(&p->base.lock);
	}
	if (!ret)
		args->pid = p->base.own_pid;
	return ret == -EAGAIN ? -EBUSY : ret;
}

static int criu_unpause(struct vkfd_process *p)
{
	int ret = 0;

	if (mutex_lock_killable(&p->base.lock))
		return -EINTR;
	if (p->base.dying) {
		ret = -ESRCH;
	} else if (p->criu.state != VKFD_CRIU_PAUSED) {
		ret = -EINVAL;
	} else {
		vkfd_process_restore(p);
		p->criu.state = VKFD_CRIU_IDLE;
	}
	mutex_unlock(&p->base.lock);
	return ret;
}

static int criu_resume_locked(struct vkfd_process *p)
{
	int ret;

	lockdep_assert_held(&p->base.lock);
	if (p->base.dying)
		return -ESRCH;
	if (p->criu.state != VKFD_CRIU_LOADED)
		return -EINVAL;
	ret = vkfd_criu_set_ranges(p);
	if (ret)
		return ret;
	vkfd_process_restore(p);
	p->criu.state = VKFD_CRIU_IDLE;
	return 0;
}

/* By anybody with the capability, for another process. */
static int criu_resume(const struct kfd_ioctl_criu_args *args)
{
	struct vkfd_process *p = vkfd_process_get_by_pid(args->pid);
	int ret = -ESRCH;

	if (!p)
		return -ESRCH;
	vkfd_race_point("criu resume: process found, mm not yet held");
	if (mmget_not_zero(p->base.mm)) {
		ret = mutex_lock_killable(&p->base.lock);
		if (!ret) {
			ret = criu_resume_locked(p);
			mutex_unlock(&p->base.lock);
		}
		mmput(p->base.mm);
	}
	gpu_process_put(&p->base);
	return ret;
}

int vkfd_ioctl_criu_op(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_criu_args *args = data;

	if (args->op == KFD_CRIU_OP_RESUME)
		return criu_resume(args);
	/* A context has a file of its own, which the plugin does not know how to make. */
	if (p->primary || vkfd_process_has_contexts(p))
		return args->op > KFD_CRIU_OP_RESUME ? -EINVAL : -EOPNOTSUPP;
	switch (args->op) {
	case KFD_CRIU_OP_PROCESS_INFO:
		return criu_process_info(p, args);
	case KFD_CRIU_OP_CHECKPOINT:
		return vkfd_criu_checkpoint(p, args);
	case KFD_CRIU_OP_UNPAUSE:
		return criu_unpause(p);
	case KFD_CRIU_OP_RESTORE:
		/* Its memory is to be the process's own, so a tracer cannot do it. */
		return p->base.mm == current->mm ? vkfd_criu_restore(p, args) : -EBADF;
	default:
		return -EINVAL;
	}
}
