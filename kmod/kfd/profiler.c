// SPDX-License-Identifier: GPL-2.0-only
/*
 * PROFILER (1.23): a profiler reserves a GPU for itself, so that two of them do not
 * program its counters at the same time. The rules are those of the driver of Linux 7.2
 * (kfd_ioctl_profiler() in kfd_chardev.c). A reservation keeps nobody from using the GPU.
 *
 * There are no performance counters here, so enabling them for queues changes nothing.
 * There is no limit of peak operations (PTL) either, which the driver tells by EOPNOTSUPP.
 */
#include <linux/capability.h>

#include "kfd.h"

static int vkfd_profiler_lock(struct vkfd_pdd *pdd, u32 lock)
{
	struct gpu_process *p = pdd->base.process, *owner;
	struct gpu_device *gdev = pdd->base.gdev;

	switch (lock) {
	case 0:
		return cmpxchg(&gdev->profiler, p, NULL) == p ? 0 : -EINVAL;
	case 1:
		owner = cmpxchg(&gdev->profiler, NULL, p);
		if (!owner)
			return 0;
		return owner == p ? -EALREADY : -EBUSY;
	default:
		return -EINVAL;
	}
}

static int vkfd_profiler_pmc(struct vkfd_process *p, const struct kfd_ioctl_pmc_settings *pmc)
{
	struct vkfd_pdd *pdd;

	if (!perfmon_capable())
		return -EPERM;
	pdd = vkfd_process_pdd(p, pmc->gpu_id);
	return pdd ? vkfd_profiler_lock(pdd, pmc->lock) : -EINVAL;
}

/*
 * The driver's answers on a GPU without a limit: there is nothing to disable, and nobody
 * has disabled it, so that enabling it again succeeds.
 */
static int vkfd_profiler_ptl(struct vkfd_process *p, const struct kfd_ioctl_ptl_control *ptl)
{
	if (!vkfd_process_pdd(p, ptl->gpu_id))
		return -EINVAL;
	return ptl->enable ? 0 : -EOPNOTSUPP;
}

int vkfd_ioctl_profiler(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_profiler_args *args = data;

	switch (args->op) {
	case KFD_IOC_PROFILER_VERSION:
		args->version = KFD_IOC_PROFILER_VERSION_NUM;
		return 0;
	case KFD_IOC_PROFILER_PMC:
		return vkfd_profiler_pmc(p, &args->pmc);
	case KFD_IOC_PROFILER_PTL_CONTROL:
		return vkfd_profiler_ptl(p, &args->ptl);
	default:
		return -EINVAL;
	}
}

/* The owner ends; it makes no calls any more. */
void vkfd_profiler_release(struct vkfd_process *p)
{
	unsigned int i;

	for (i = 0; i < p->num_pdds; i++)
		cmpxchg(&p->pdds[i]->base.gdev->profiler, &p->base, NULL);
}
