// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of the driver below: entries of its own ioctl table, on an open file of its, from inside
 * the kernel. Arguments are kernel memory, as the DRM core has them when it has copied them in.
 */
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pm_runtime.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <drm/drm_drv.h>
#include <drm/drm_ioctl.h>

#include "amdgpu_int.h"
#include "../../../uapi/drm/amdgpu_drm.h"

#define DRM_CHAR_MAJOR	226
#define MAX_ARG_BYTES	256

struct drm_device *amdgpu_device_of(struct file *f)
{
	struct drm_file *file;

	/* A DRM driver's file: the core has a major of its own, and drivers its open function. */
	if (!S_ISCHR(file_inode(f)->i_mode) || imajor(file_inode(f)) != DRM_CHAR_MAJOR ||
	    f->f_op->open != drm_open)
		return NULL;
	file = f->private_data;
	if (!file || file->minor->type != DRM_MINOR_RENDER ||
	    strcmp(file->minor->dev->driver->name, "amdgpu"))
		return NULL;
	return file->minor->dev;
}

/*
 * drm_ioctl_kernel() makes the caller the owner of the file, whose pid debugfs and fdinfo show, and
 * waits for RCU if another one was it before. Threads of ours call for the client, often two of them
 * by turns, so these do here what else it does for a render node.
 */
static int call_below(struct file *f, const struct drm_ioctl_desc *desc, void *arg)
{
	struct drm_file *file = amdgpu_drm_file(f);
	struct drm_device *drm = file->minor->dev;

	if (!(current->flags & PF_KTHREAD))
		return drm_ioctl_kernel(f, desc->func, arg, desc->flags);
	if (drm_dev_is_unplugged(drm))
		return -ENODEV;
	if (!(desc->flags & DRM_RENDER_ALLOW) || (desc->flags & DRM_ROOT_ONLY))
		return -EACCES;
	return desc->func(drm, arg, file);
}

int amdgpu_call(struct file *f, unsigned int nr, void *data, size_t bytes)
{
	struct drm_device *drm = amdgpu_drm_file(f)->minor->dev;
	const struct drm_driver *driver = drm->driver;
	const struct drm_ioctl_desc *desc;
	u64 arg[MAX_ARG_BYTES / sizeof(u64)] = {};
	int ret;

	if (nr >= driver->num_ioctls || !driver->ioctls[nr].func)
		return -EOPNOTSUPP;
	desc = &driver->ioctls[nr];
	if (bytes > sizeof(arg) || _IOC_SIZE(desc->cmd) > sizeof(arg))
		return -EOPNOTSUPP;
	/* The driver's own ioctl() wakes the device. -EACCES: it does not know sleep. */
	ret = pm_runtime_get_sync(drm->dev);
	if (ret >= 0 || ret == -EACCES) {
		memcpy(arg, data, bytes);
		ret = call_below(f, desc, arg);
		memcpy(data, arg, bytes);
	}
	pm_runtime_mark_last_busy(drm->dev);
	pm_runtime_put_autosuspend(drm->dev);
	return ret;
}

int amdgpu_info(struct file *f, struct drm_amdgpu_info *info, void *answer, u32 bytes)
{
	unsigned long at;
	int ret;

	if (!current->mm || bytes > PAGE_SIZE)
		return -EINVAL;
	at = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(at))
		return at;
	info->return_pointer = at;
	info->return_size = bytes;
	ret = amdgpu_call(f, DRM_AMDGPU_INFO, info, sizeof(*info));
	if (!ret && copy_from_user(answer, (void __user *)at, bytes))
		ret = -EFAULT;
	vm_munmap(at, PAGE_SIZE);
	return ret;
}
