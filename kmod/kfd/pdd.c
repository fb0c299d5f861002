// SPDX-License-Identifier: GPL-2.0-only
/* Which of its devices a process means, and which devices it may have. */
#include <linux/device_cgroup.h>
#include <linux/err.h>

#include "kfd.h"

#define DRM_CHAR_MAJOR	226

struct vkfd_pdd *vkfd_process_pdd(struct vkfd_process *p, u32 gpu_id)
{
	unsigned int i;

	for (i = 0; i < p->num_pdds; i++)
		if (READ_ONCE(p->pdds[i]->user_gpu_id) == gpu_id && !READ_ONCE(p->pdds[i]->lost))
			return p->pdds[i];
	return NULL;
}

struct vkfd_pdd *vkfd_process_pdd_real(struct vkfd_process *p, u32 gpu_id)
{
	unsigned int i;

	for (i = 0; i < p->num_pdds; i++)
		if (p->pdds[i]->base.gdev->gpu_id == gpu_id && !READ_ONCE(p->pdds[i]->lost))
			return p->pdds[i];
	return NULL;
}

struct vkfd_pdd *vkfd_process_pdd_on(struct vkfd_process *p, const struct gpu_device *gdev)
{
	return vkfd_process_pdd_real(p, gdev->gpu_id);
}

struct vkfd_pdd *vkfd_process_bound_pdd(struct vkfd_process *p, u32 gpu_id)
{
	struct vkfd_pdd *pdd = vkfd_process_pdd(p, gpu_id);

	lockdep_assert_held(&p->base.lock);
	if (!pdd)
		return ERR_PTR(-EINVAL);
	return pdd->base.vm ? pdd : ERR_PTR(-ENODEV);
}

/* Containers are given some of the GPUs by a device cgroup rule for the render node. */
bool vkfd_device_permitted(const struct gpu_device *gdev)
{
	return !devcgroup_check_permission(DEVCG_DEV_CHAR, DRM_CHAR_MAJOR, gdev->render_minor,
					   DEVCG_ACC_READ | DEVCG_ACC_WRITE);
}
