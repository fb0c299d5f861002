// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shows GPUs and hides them. One of several XCCs may be shown as partitions: GPUs of some XCCs and
 * a part of its memory each, with a backend, a render node and a KFD node of their own. The whole
 * one stays what the function, configfs and the list of GPUs know, but is hidden meanwhile.
 *
 * The first partition is shown in the place of the whole GPU, the others below platform devices
 * called amdgpu_xcp_N, as with the real driver. That one has them as long as it is bound; here
 * they come and go with the partitions.
 *
 * What a GPU is shown as changes under the device lock of its place and, where a user asks,
 * vkfd_devices_lock. A file of the place that asks holds up its own removal, which whoever has
 * one of the locks may be waiting for. So it only tries them, and else starts over.
 */
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/platform_device.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat/sysfs.h"
#include "drm/drm.h"
#include "gpu/backend.h"
#include "gpu/part.h"
#include "gpu/range.h"
#include "kfd/kfd.h"
#include "model/partition.h"
#include "nodes.h"
#include "parts.h"
#include "pci/pci.h"
#include "race.h"

#define XCP_MAX	64	/* platform devices of the real driver */

/* --------------------------------------------------------------------- a GPU */

static int vkfd_show(struct gpu_device *gdev, struct device *parent)
{
	int ret;

	dev_set_drvdata(parent, gdev);
	gpu_device_set_gone(gdev, false);
	ret = vdrm_device_init(gdev, parent);
	if (ret)
		return ret;
	if (vkfd_nodes_stacked()) {
		ret = vkfd_nodes_attach(gdev);
		if (ret)
			goto out_drm;
		return 0;
	}
	gpu_device_publish(gdev);
	ret = vkfd_topology_add_gpu(gdev);
	if (ret)
		goto out_unpublish;
	return 0;

out_unpublish:
	gpu_device_unpublish(gdev);
out_drm:
	vdrm_device_fini(gdev);
	return ret;
}

/* New processes do not find the device any more; processes that use it lose it. */
static void vkfd_hide(struct gpu_device *gdev)
{
	gpu_device_set_gone(gdev, true);
	if (vkfd_nodes_stacked()) {
		vkfd_nodes_detach(gdev);
		vkfd_device_resume(gdev);
		vdrm_device_fini(gdev);
		return;
	}
	vkfd_device_resume(gdev);
	gpu_device_unpublish(gdev);
	vkfd_race_point("unbind: not found any more, still in use");
	vkfd_topology_remove_gpu(gdev);
	vkfd_process_device_lost(gdev);
	vkfd_race_point("unbind: users have lost it, DRM still there");
	vdrm_device_fini(gdev);
}

/* ---------------------------------------------------------------- partitions */

/* KFD calls partitions a hive, which has the number of the function if the GPU is in none. */
static void vkfd_part_identify(struct gpu_device *gdev, struct gpu_device *whole, unsigned int i)
{
	gpu_device_get(whole);
	gdev->whole = whole;
	gdev->part = i;
	gdev->first_xcc = i * gdev->target->num_xcc;
	gdev->nps = whole->nps;
	gdev->engine = whole->engine;
	gdev->hive = whole->hive;
	if (!gdev->hive.id)
		gdev->hive.id = whole->location_id;
	/* An XCC has a number of its own, too; newer drivers call a partition after its first. */
	gdev->unique_id = whole->unique_id;
	if (COMPAT_TOPOLOGY_XCP_ID)
		gdev->unique_id += (u64)(gdev->first_xcc + 1) << 40;
	gpu_device_place(gdev, whole->domain, whole->location_id | i);
}

static struct gpu_device *vkfd_part_create(struct gpu_device *whole, struct gpu_range *range,
					   unsigned int i, unsigned int n)
{
	struct gpu_target *t = kmalloc(sizeof(*t), GFP_KERNEL);
	struct gpu_device *gdev;
	int ret;

	if (!t)
		return ERR_PTR(-ENOMEM);
	gpu_part_target(whole->target, n, t);
	ret = gpu_device_create(t, div_u64(whole->vram_bytes, n), &gdev);
	kfree(t);
	if (ret)
		return ERR_PTR(ret);
	vkfd_part_identify(gdev, whole, i);
	gpu_range_join(range, gdev);
	ret = gpu_device_start(gdev, &vgpu_backend_ops);
	if (ret) {
		gpu_device_destroy(gdev);
		return ERR_PTR(ret);
	}
	vkfd_device_debugfs_init(gdev);
	return gdev;
}

static void vkfd_parts_destroy(struct gpu_device **parts, unsigned int n)
{
	while (n--)
		gpu_device_destroy(parts[n]);
}

/* @n is 1: nothing to create, as the whole GPU is there. */
static int vkfd_parts_create(struct gpu_device *whole, struct gpu_device **parts, unsigned int n)
{
	unsigned int each = max(n / whole->nps, 1u), i;
	struct gpu_range *range = NULL;
	int ret = 0;

	for (i = 0; n > 1 && i < n; i++) {
		if (!(i % each)) {
			if (range)
				gpu_range_put(range);
			range = gpu_range_create(div_u64(whole->vram_bytes, n) * each);
			if (IS_ERR(range)) {
				ret = PTR_ERR(range);
				break;
			}
		}
		parts[i] = vkfd_part_create(whole, range, i, n);
		if (IS_ERR(parts[i])) {
			ret = PTR_ERR(parts[i]);
			break;
		}
	}
	if (!IS_ERR_OR_NULL(range))
		gpu_range_put(range);
	if (ret)
		vkfd_parts_destroy(parts, i);
	return ret;
}

/* The first number that no partition has, of ours or of the real driver's. */
static struct platform_device *vkfd_xcp_register(void)
{
	struct device *dev;
	char name[24];
	int i;

	for (i = 0; i < XCP_MAX; i++) {
		snprintf(name, sizeof(name), "amdgpu_xcp_%d", i);
		dev = bus_find_device_by_name(&platform_bus_type, NULL, name);
		if (!dev)
			return platform_device_register_simple(name, PLATFORM_DEVID_NONE, NULL, 0);
		put_device(dev);
	}
	return ERR_PTR(-ENODEV);
}

static int vkfd_part_show(struct gpu_device *gdev, struct device *parent)
{
	struct platform_device *xcp;
	int ret;

	if (!gdev->part)
		return vkfd_show(gdev, parent);
	xcp = vkfd_xcp_register();
	if (IS_ERR(xcp))
		return PTR_ERR(xcp);
	ret = vkfd_show(gdev, &xcp->dev);
	if (ret) {
		platform_device_unregister(xcp);
		return ret;
	}
	gdev->place = xcp;
	return 0;
}

static void vkfd_part_hide(struct gpu_device *gdev)
{
	vkfd_hide(gdev);
	if (gdev->part)
		platform_device_unregister(gdev->place);
	gdev->place = NULL;
}

/* Shows @n partitions, or the whole GPU. */
static int vkfd_parts_show(struct gpu_device *whole, struct device *parent,
			   struct gpu_device **parts, unsigned int n)
{
	unsigned int i;
	int ret;

	if (n == 1)
		return vkfd_show(whole, parent);
	/* Files of the first one read the others. */
	memcpy(whole->parts, parts, n * sizeof(*parts));
	WRITE_ONCE(whole->num_parts, n);
	for (i = 0; i < n; i++) {
		ret = vkfd_part_show(parts[i], parent);
		if (ret)
			goto out_hide;
	}
	return 0;

out_hide:
	while (i--)
		vkfd_part_hide(parts[i]);
	WRITE_ONCE(whole->num_parts, 0);
	return ret;
}

static void vkfd_parts_hide(struct gpu_device *whole, struct gpu_device **parts, unsigned int n)
{
	if (n == 1) {
		vkfd_hide(whole);
		return;
	}
	while (n--)
		vkfd_part_hide(parts[n]);
	WRITE_ONCE(whole->num_parts, 0);
}

/* -------------------------------------------------------------------- switch */

static int vkfd_parts_switch_locked(struct gpu_device *whole, struct device *parent,
				    unsigned int to)
{
	struct gpu_device *old[GPU_MAX_XCCS] = { whole }, *new[GPU_MAX_XCCS];
	unsigned int from = whole->num_parts ?: 1;
	int ret;

	/* An earlier switch could show neither the new mode nor the old one again. */
	if (!whole->num_parts && !whole->drm)
		return -ENODEV;
	if (from == to)
		return 0;
	if (vkfd_nodes_stacked())
		return -EOPNOTSUPP;
	if (gpu_device_count() - from + to > VKFD_MAX_GPUS)
		return -ENOSPC;
	if (from > 1)
		memcpy(old, whole->parts, from * sizeof(*old));
	ret = vkfd_parts_create(whole, new, to);
	if (ret)
		return ret;
	ret = vkfd_process_freeze(old, from);
	if (ret)
		goto out_new;
	vkfd_parts_hide(whole, old, from);
	ret = vkfd_parts_show(whole, parent, new, to);
	if (ret && vkfd_parts_show(whole, parent, old, from)) {
		pr_err("GPU %u: not shown any more\n", whole->index);
		dev_set_drvdata(parent, whole);
		if (from > 1)
			vkfd_parts_destroy(old, from);
	}
	vkfd_process_thaw();
	if (ret)
		goto out_new;
	if (from > 1)
		vkfd_parts_destroy(old, from);
	WRITE_ONCE(whole->share_all, false);	/* as in the driver: amdgpu_xcp_init() */
	return 0;

out_new:
	if (to > 1)
		vkfd_parts_destroy(new, to);
	return ret;
}

/* As lock_device_hotplug_sysfs(): who starts over does not spin. */
static int vkfd_part_again(void)
{
	usleep_range(5000, 6000);
	return restart_syscall();
}

static int vkfd_part_divide(struct gpu_device *whole, struct device *parent, unsigned int parts)
{
	const struct gpu_part_mode *mode = gpu_part_mode_of(whole->target, parts);
	int ret;

	if (!vkfd_devices_trylock())
		return vkfd_part_again();
	if (!device_trylock(parent)) {
		vkfd_devices_unlock();
		return vkfd_part_again();
	}
	ret = mode && mode->nps & BIT(whole->nps) ?
		vkfd_parts_switch_locked(whole, parent, parts) : -EINVAL;
	device_unlock(parent);
	vkfd_devices_unlock();
	return ret;
}

static int vkfd_part_memory(struct gpu_device *whole, unsigned int nps)
{
	if (!(whole->target->nps_modes & BIT(nps)))
		return -EINVAL;
	if (!vkfd_devices_trylock())
		return vkfd_part_again();
	if (nps != whole->nps)
		vkfd_hive_memory_locked(whole, nps);
	vkfd_devices_unlock();
	return 0;
}

const struct gpu_part_ops vkfd_part_ops = {
	.divide = vkfd_part_divide,
	.memory = vkfd_part_memory,
};

/* ----------------------------------------------------------------- the place */

static int vkfd_attach_device(struct gpu_device *whole, struct device *parent)
{
	unsigned int n = vkfd_nodes_stacked() ? 1 : gpu_part_auto(whole->target, whole->nps);
	struct gpu_device *parts[GPU_MAX_XCCS];
	int ret;

	ret = vkfd_parts_create(whole, parts, n);
	if (ret)
		return ret;
	ret = vkfd_parts_show(whole, parent, parts, n);
	if (ret)
		goto out_parts;
	ret = vdrm_partition_init(whole, parent);
	if (ret)
		goto out_hide;
	return 0;

out_hide:
	vkfd_parts_hide(whole, parts, n);
out_parts:
	if (n > 1)
		vkfd_parts_destroy(parts, n);
	return ret;
}

/* Another one has its memory as was asked for, and starts with the mode that goes with that. */
static void vkfd_detach_device(struct gpu_device *whole)
{
	unsigned int n = whole->num_parts ?: 1;
	bool shown;

	vdrm_partition_fini(whole);
	shown = whole->num_parts || whole->drm;
	if (shown)
		vkfd_parts_hide(whole, whole->parts, n);
	if (n > 1)
		vkfd_parts_destroy(whole->parts, n);
	whole->nps = READ_ONCE(whole->nps_wanted);
	WRITE_ONCE(whole->share_all, false);
}

/* @gdev: the whole one, or its first partition */
static int vkfd_each_shown(struct gpu_device *gdev, int (*fn)(struct gpu_device *gdev))
{
	struct gpu_device *whole = gdev->whole ?: gdev;
	unsigned int i;
	int ret = 0;

	if (!whole->num_parts)
		ret = fn(whole);
	for (i = 0; i < whole->num_parts && !ret; i++)
		ret = fn(whole->parts[i]);
	return ret;
}

static int vkfd_wake(struct gpu_device *gdev)
{
	vkfd_device_resume(gdev);
	vkfd_nodes_wake(gdev);
	return 0;
}

static void vkfd_wake_device(struct gpu_device *gdev)
{
	vkfd_each_shown(gdev, vkfd_wake);
}

static int vkfd_sleep(struct gpu_device *gdev)
{
	int ret = vkfd_nodes_sleep(gdev, VKFD_FROZEN_WAIT);

	return ret ?: vkfd_device_suspend(gdev, VKFD_FROZEN_WAIT);
}

/* The PM core resumes those whose suspend has not failed. */
static int vkfd_sleep_device(struct gpu_device *gdev)
{
	int ret = vkfd_each_shown(gdev, vkfd_sleep);

	if (ret)
		vkfd_wake_device(gdev);
	return ret;
}

const struct vpci_face_ops vkfd_face_ops = {
	.attach = vkfd_attach_device,
	.detach = vkfd_detach_device,
	.suspend = vkfd_sleep_device,
	.resume = vkfd_wake_device,
};
