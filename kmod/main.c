// SPDX-License-Identifier: GPL-2.0-only
/*
 * vkfd: virtual AMD GPUs behind the interfaces of the real driver.
 *
 * This file reads the parameters and brings up the layers from the inside out: first the
 * devices with their backends and DRM faces, then the topology, and /dev/kfd last. So
 * whoever can open /dev/kfd finds everything ready. Exit goes the other way.
 */
#include <linux/err.h>
#include <linux/init.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "gpu/backend.h"
#include "gpu/device.h"
#include "gpu/model.h"
#include "gpu/part.h"
#include "kfd/kfd.h"
#include "model/fabric.h"
#include "nodes.h"
#include "parts.h"
#include "pci/pci.h"
#include "plug.h"
#include "race.h"
#include "tests/late.h"
#include "vkfd.h"

static char *gpus = "gfx90a";
module_param(gpus, charp, 0444);
MODULE_PARM_DESC(gpus, "GPUs as NAME[:COUNT][,...], e.g. gfx90a:2,mi300x, or none (default gfx90a)");

static unsigned int vram_mb;
module_param(vram_mb, uint, 0444);
MODULE_PARM_DESC(vram_mb, "VRAM of each GPU in MiB; pages are allocated as they are touched (default: a product's own, of gfx names 1024)");

static DEFINE_MUTEX(vkfd_devices_lock);	/* the two below; the PCI core is called within */
static struct gpu_device *vkfd_devices[VKFD_MAX_GPUS];
static unsigned int vkfd_num_devices;

/* From one default unique_id to the next that no index leads to: indices are fewer. */
#define UNIQUE_ID_STEP	128
/* Hives have numbers of their own, as from firmware. */
#define VKFD_HIVE_ID	0x766b666468697600ull

/* amdgpu.ko, which exists only to sit on top of this module, calls this. */
unsigned int vkfd_device_count(void)
{
	return READ_ONCE(vkfd_num_devices);
}
EXPORT_SYMBOL_GPL(vkfd_device_count);

bool vkfd_physical_gpu_present(void)
{
	return vpci_physical_gpu_present();
}
EXPORT_SYMBOL_GPL(vkfd_physical_gpu_present);

/* ------------------------------------------------------------------- devices */

static void vkfd_remove_device_locked(struct gpu_device *gdev)
{
	unsigned int i = 0;

	lockdep_assert_held(&vkfd_devices_lock);
	while (vkfd_devices[i] != gdev)
		i++;
	WRITE_ONCE(vkfd_num_devices, vkfd_num_devices - 1);
	for (; i < vkfd_num_devices; i++)
		vkfd_devices[i] = vkfd_devices[i + 1];
	vpci_device_fini(gdev);
	gpu_device_destroy(gdev);
}

static bool vkfd_has_unique_id_locked(u64 unique_id)
{
	unsigned int i;

	for (i = 0; i < vkfd_num_devices; i++)
		if (vkfd_devices[i]->unique_id == unique_id)
			return true;
	return false;
}

/* What the user chose; else what follows from the index, unless a user chose that for another. */
static void vkfd_set_unique_id_locked(struct gpu_device *gdev, u64 unique_id)
{
	lockdep_assert_held(&vkfd_devices_lock);
	if (unique_id)
		gdev->unique_id = unique_id;
	/* The next ones that no index leads to; fewer are taken than are tried */
	while (!unique_id && vkfd_has_unique_id_locked(gdev->unique_id))
		gdev->unique_id += UNIQUE_ID_STEP;
}

/*
 * A hive is made by its first member. The others have to be of its kind, as all pairs are wired
 * alike. A member gets the first place that is free.
 */
static int vkfd_join_hive_locked(struct gpu_device *gdev, const struct gpu_hive *hive)
{
	const struct gpu_device *other;
	unsigned int i, taken = 0;

	lockdep_assert_held(&vkfd_devices_lock);
	gdev->hive = *hive;
	gdev->hive.nodes = 0;
	for (i = 0; i < vkfd_num_devices; i++) {
		other = vkfd_devices[i];
		if (other->hive.id != hive->id)
			continue;
		if (other->target->fabric != gdev->target->fabric ||
		    other->target->device_id != gdev->target->device_id ||
		    other->hive.links != hive->links)
			return -EINVAL;
		taken |= BIT(other->hive.node);
		gdev->hive.nodes = other->hive.nodes;
	}
	gdev->hive.node = ffz(taken);
	if (gdev->hive.node >= GPU_FABRIC_MAX)
		return -ENOSPC;
	gdev->hive.nodes = max_t(u8, gdev->hive.nodes, gdev->hive.node + 1);
	return 0;
}

/* A newcomer tells the others how many they are now. */
static void vkfd_tell_hive_locked(const struct gpu_hive *hive)
{
	unsigned int i;

	lockdep_assert_held(&vkfd_devices_lock);
	for (i = 0; hive->id && i < vkfd_num_devices; i++)
		if (vkfd_devices[i]->hive.id == hive->id)
			WRITE_ONCE(vkfd_devices[i]->hive.nodes, hive->nodes);
}

static int vkfd_add_device_locked(const struct gpu_target *target, u64 vram_bytes, u64 unique_id,
				  enum gpu_engine engine, const struct gpu_hive *hive,
				  struct gpu_device **out)
{
	struct gpu_device *gdev;
	int ret;

	lockdep_assert_held(&vkfd_devices_lock);
	ret = gpu_device_create(target, vram_bytes, &gdev);
	if (ret)
		return ret;
	vkfd_set_unique_id_locked(gdev, unique_id);
	gdev->engine = engine;
	if (hive) {
		ret = vkfd_join_hive_locked(gdev, hive);
		if (ret)
			goto out_destroy;
	}
	ret = gpu_device_start(gdev, &vgpu_backend_ops);
	if (ret)
		goto out_destroy;
	ret = vpci_device_init(gdev);
	if (ret)
		goto out_destroy;
	vkfd_device_debugfs_init(gdev);
	vkfd_devices[vkfd_num_devices] = gdev;
	WRITE_ONCE(vkfd_num_devices, vkfd_num_devices + 1);
	vkfd_tell_hive_locked(&gdev->hive);
	*out = gdev;
	return 0;

out_destroy:
	gpu_device_destroy(gdev);
	return ret;
}

int vkfd_plug(const struct gpu_target *target, u64 vram_bytes, u64 unique_id,
	      enum gpu_engine engine, const struct gpu_hive *hive, struct gpu_device **out)
{
	int ret;

	mutex_lock(&vkfd_devices_lock);
	if (vkfd_num_devices == VKFD_MAX_GPUS)
		ret = -ENOSPC;
	else if (vkfd_has_unique_id_locked(unique_id))
		ret = -EEXIST;
	else
		ret = vkfd_add_device_locked(target, vram_bytes, unique_id, engine, hive, out);
	mutex_unlock(&vkfd_devices_lock);
	return ret;
}

void vkfd_unplug(struct gpu_device *gdev)
{
	mutex_lock(&vkfd_devices_lock);
	vkfd_remove_device_locked(gdev);
	mutex_unlock(&vkfd_devices_lock);
}

bool vkfd_devices_trylock(void)
{
	return mutex_trylock(&vkfd_devices_lock);
}

void vkfd_devices_unlock(void)
{
	mutex_unlock(&vkfd_devices_lock);
}

void vkfd_hive_memory_locked(struct gpu_device *gdev, unsigned int nps)
{
	unsigned int i;

	lockdep_assert_held(&vkfd_devices_lock);
	WRITE_ONCE(gdev->nps_wanted, nps);
	for (i = 0; gdev->hive.id && i < vkfd_num_devices; i++)
		if (vkfd_devices[i]->hive.id == gdev->hive.id)
			WRITE_ONCE(vkfd_devices[i]->nps_wanted, nps);
}

/* One line that says what is wrong, and what would be right. */
static int vkfd_refuse_item(const char *item, int err)
{
	char names[320];

	if (err == -ENOENT) {
		gpu_model_names(names, sizeof(names));
		pr_err("gpus=%s: there is no GPU \"%.*s\", but %s\n", gpus,
		       (int)strcspn(item, ":"), item, names);
	} else {
		pr_err("gpus=%s: \"%s\" is no NAME or NAME:COUNT of at most %u GPUs\n", gpus, item,
		       VKFD_MAX_GPUS);
	}
	return -EINVAL;
}

/* The hive of the @i-th of @n GPUs of one item; false if it has no neighbour. */
static bool vkfd_hive_of(const struct gpu_fabric *f, unsigned int i, unsigned int n,
			 struct gpu_hive *hive)
{
	static unsigned int hives;
	unsigned int first;

	if (!f)
		return false;
	first = rounddown(i, f->gpus);
	if (i == first)
		hives++;
	*hive = (struct gpu_hive){ .id = VKFD_HIVE_ID + hives, .links = f->links };
	return min_t(unsigned int, f->gpus, n - first) > 1;
}

static int vkfd_add_devices_of(const char *item)
{
	struct gpu_hive hive;
	struct gpu_device *gdev;
	struct gpu_model model;
	unsigned int i, count;
	u64 vram_bytes;
	int ret = gpu_model_parse(item, &model, &count);

	if (ret)
		return vkfd_refuse_item(item, ret);
	if (count > (VKFD_MAX_GPUS - vkfd_num_devices) / model.gpus)
		return vkfd_refuse_item(item, -EINVAL);
	vram_bytes = vram_mb ? (u64)vram_mb << 20 : model.vram_bytes;
	if (!vram_bytes)
		vram_bytes = (u64)VKFD_TARGET_VRAM_MB << 20;
	for (i = 0; i < count * model.gpus && !ret; i++)
		ret = vkfd_plug(&model.target, vram_bytes, 0, GPU_ENGINE_DEFAULT,
				vkfd_hive_of(model.target.fabric, i, count * model.gpus, &hive) ?
				&hive : NULL, &gdev);
	return ret;
}

static int vkfd_add_all_devices(void)
{
	char *list, *rest, *item;
	int ret = 0;

	if (vram_mb && (vram_mb < VKFD_MIN_VRAM_MB || vram_mb > VKFD_MAX_VRAM_MB)) {
		pr_err("vram_mb=%u: not in %u..%u\n", vram_mb, VKFD_MIN_VRAM_MB, VKFD_MAX_VRAM_MB);
		return -EINVAL;
	}
	list = kstrdup(gpus, GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	rest = strim(list);
	/* Those of configfs are enough for some */
	if (!strcmp(rest, "none"))
		rest = NULL;
	while (!ret && (item = strsep(&rest, ",")))
		ret = vkfd_add_devices_of(item);
	kfree(list);
	return ret;
}

static void vkfd_remove_all_devices(void)
{
	mutex_lock(&vkfd_devices_lock);
	while (vkfd_num_devices)
		vkfd_remove_device_locked(vkfd_devices[vkfd_num_devices - 1]);
	mutex_unlock(&vkfd_devices_lock);
}

/* -------------------------------------------------------------------- module */

static int __init vkfd_init(void)
{
	int ret;

	gpu_host = &vkfd_host_ops;
	gpu_part_ops = &vkfd_part_ops;
	ret = gpu_init();
	if (ret)
		return ret;
	vkfd_debugfs_init();
	vkfd_race_debugfs_init();
	ret = vkfd_process_init();
	if (ret)
		goto out_gpu;
	ret = vkfd_chardev_init();
	if (ret) {
		pr_err("no device \"kfd\" (%d): is another driver loaded that has it?\n", ret);
		goto out_process;
	}
	vkfd_procfs_init();
	ret = vkfd_suspend_init();
	if (ret)
		goto out_procfs;
	ret = vkfd_topology_init();
	if (ret)
		goto out_suspend;
	ret = vpci_init(&vkfd_face_ops);
	if (ret)
		goto out_topology;
	ret = vkfd_add_all_devices();
	if (ret)
		goto out_devices;
	ret = vkfd_nodes_init();
	if (ret)
		goto out_devices;
	ret = vkfd_chardev_publish();
	if (ret)
		goto out_nodes;
	ret = vkfd_configfs_init();
	if (ret)
		goto out_chardev;
	vkfd_late_suites_run();
	pr_info("version " VKFD_VERSION ", %u GPU(s): %s\n", vkfd_num_devices, gpus);
	return 0;

out_chardev:
	vkfd_chardev_unpublish();
out_nodes:
	vkfd_nodes_fini();
out_devices:
	vkfd_remove_all_devices();
	vpci_fini();
out_topology:
	vkfd_topology_fini();
out_suspend:
	vkfd_suspend_fini();
out_procfs:
	vkfd_procfs_fini();
	vkfd_chardev_fini();
out_process:
	vkfd_process_fini();
out_gpu:
	gpu_exit();
	return ret;
}

static void __exit vkfd_exit(void)
{
	vkfd_late_suites_forget();
	vkfd_configfs_fini();
	vkfd_chardev_unpublish();
	vkfd_process_fini();
	vkfd_nodes_fini();
	vkfd_remove_all_devices();
	vpci_fini();
	vkfd_topology_fini();
	vkfd_suspend_fini();
	vkfd_procfs_fini();
	vkfd_chardev_fini();
	gpu_exit();
}

module_init(vkfd_init);
module_exit(vkfd_exit);

MODULE_DESCRIPTION("Virtual AMD GPUs with the interfaces of amdkfd and amdgpu");
MODULE_AUTHOR("The vkfd developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(VKFD_VERSION);
