// SPDX-License-Identifier: GPL-2.0-only
/* What a process has of each device: which it may have, and which one it means. */
#include <linux/device_cgroup.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/slab.h>

#include "gpu/backend.h"
#include "gpu/bo.h"
#include "gpu/doorbell.h"
#include "gpu/faulter.h"
#include "gpu/vm.h"
#include "kfd.h"
#include "smi.h"

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

/* --------------------------------------------------------------------- life */

/* Consumes the reference to @gdev, also on failure. */
static struct vkfd_pdd *vkfd_pdd_create(struct vkfd_process *p, struct gpu_device *gdev)
{
	struct vkfd_pdd *pdd;
	int ret;

	pdd = kzalloc(sizeof(*pdd), GFP_KERNEL_ACCOUNT);
	if (!pdd) {
		ret = -ENOMEM;
		goto out_gdev;
	}
	pdd->process = p;
	pdd->base.process = &p->base;
	pdd->base.gdev = gdev;
	pdd->user_gpu_id = gdev->gpu_id;
	idr_init(&pdd->handles);

	pdd->base.doorbells = gpu_doorbells_create(&p->base, gdev);
	if (IS_ERR(pdd->base.doorbells)) {
		ret = PTR_ERR(pdd->base.doorbells);
		goto out_free;
	}
	pdd->mmio = gpu_bo_create(gdev, GPU_BO_MMIO, PAGE_SIZE,
				  KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP, 0);
	if (IS_ERR(pdd->mmio)) {
		ret = PTR_ERR(pdd->mmio);
		goto out_doorbells;
	}
	return pdd;

out_doorbells:
	gpu_doorbells_put(pdd->base.doorbells);
out_free:
	kfree(pdd);
out_gdev:
	gpu_device_put(gdev);
	return ERR_PTR(ret);
}

/* The process has ended: release its VM on the device. */
static void vkfd_pdd_unbind(struct vkfd_pdd *pdd)
{
	struct file *drm_file = pdd->base.drm_file;
	struct gpu_vm *vm = pdd->base.vm;

	if (!vm)
		return;
	vkfd_smi_process(pdd->base.gdev, pdd->base.process, KFD_SMI_EVENT_PROCESS_END);
	mutex_lock(&pdd->process->base.lock);
	pdd->base.vm = NULL;
	gpu_doorbells_set_vm(pdd->base.doorbells, NULL);
	pdd->base.drm_file = NULL;
	mutex_unlock(&pdd->process->base.lock);
	/* Somebody else may still have the DRM file open, and use its VM for another process. */
	gpu_faulter_stop(vm);
	WRITE_ONCE(vm->process, NULL);
	gpu_vm_put(vm);
	/*
	 * Put the file now rather than when this worker returns: the file holds the
	 * module, and whoever reaps the process may unload the module next.
	 */
	__fput_sync(drm_file);
}

static void vkfd_pdd_free(struct vkfd_pdd *pdd)
{
	struct gpu_device *gdev = pdd->base.gdev;

	gpu_bo_put(pdd->mmio);
	gpu_doorbells_put(pdd->base.doorbells);
	idr_destroy(&pdd->handles);
	kfree(pdd);
	gpu_device_put(gdev);
}

int vkfd_process_add_pdds(struct vkfd_process *p)
{
	struct gpu_device *gdev;
	struct vkfd_pdd *pdd;
	unsigned int i;

	for (i = 0; i < VKFD_MAX_GPUS; i++) {
		gdev = gpu_device_by_index(i);
		if (!gdev)
			break;
		if (!vkfd_device_permitted(gdev)) {
			gpu_device_put(gdev);
			continue;
		}
		pdd = vkfd_pdd_create(p, gdev);
		if (IS_ERR(pdd))
			return PTR_ERR(pdd);
		pdd->index = p->num_pdds;
		p->pdds[p->num_pdds++] = pdd;
	}
	return 0;
}

void vkfd_process_unbind_pdds(struct vkfd_process *p)
{
	unsigned int i;

	for (i = 0; i < p->num_pdds; i++)
		vkfd_pdd_unbind(p->pdds[i]);
}

void vkfd_process_free_pdds(struct vkfd_process *p)
{
	while (p->num_pdds)
		vkfd_pdd_free(p->pdds[--p->num_pdds]);
}
