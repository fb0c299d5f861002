// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of GPUs and what is theirs as a whole: identity, the backend's
 * lifetime, references. A device is created, started (a backend runs it),
 * given its DRM face, and only then published: what is in the list is complete.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <drm/drm_drv.h>

#include "backend.h"
#include "capture.h"
#include "device.h"
#include "gpu_int.h"
#include "mm.h"
#include "part.h"
#include "range.h"
#include "zone.h"
#include "../model/target.h"

const struct gpu_host_ops *gpu_host;
const struct gpu_part_ops *gpu_part_ops;
struct dentry *gpu_debugfs;

static LIST_HEAD(gpu_devices);
static DEFINE_MUTEX(gpu_devices_lock);	/* gpu_devices, gpu_device_ids */
static DEFINE_IDA(gpu_device_ids);
static struct workqueue_struct *gpu_devices_wq;

/* Nobody has queues, memory or a VM of it any more: its threads end. */
static void gpu_device_end(struct work_struct *work)
{
	struct gpu_device *gdev = container_of(work, struct gpu_device, end);

	gpu_room_flush();
	if (gdev->backend)
		gdev->backend->fini(gdev);
	debugfs_remove(gdev->debugfs);
	gpu_capture_free(gdev);
	ida_free(&gpu_device_ids, gdev->index);
	gpu_range_part(gdev);
	if (gdev->whole)
		gpu_device_put(gdev->whole);
	kfree(gdev);
}

/* Who drops the last reference may be one of those threads, or hold a lock. */
static void gpu_device_release(struct kref *ref)
{
	struct gpu_device *gdev = container_of(ref, struct gpu_device, ref);

	queue_work(gpu_devices_wq, &gdev->end);
}

int gpu_device_queue_get(struct gpu_queue *q, unsigned int limit)
{
	struct gpu_share *share = gpu_share_take(&q->gdev->queues, q->process, limit,
						 GFP_KERNEL_ACCOUNT);

	if (IS_ERR(share))
		return PTR_ERR(share);
	q->share = share;
	return 0;
}

void gpu_device_queue_put(struct gpu_queue *q)
{
	gpu_share_give(&q->gdev->queues, q->share);
	q->share = NULL;
}

void gpu_device_get(struct gpu_device *gdev)
{
	kref_get(&gdev->ref);
}

void gpu_device_put(struct gpu_device *gdev)
{
	kref_put(&gdev->ref, gpu_device_release);
}

/* CRC-16 (reflected 0x8005) over @n words, low byte first. */
static u16 gpu_id_crc(const u32 *words, unsigned int n)
{
	u16 crc = 0xffff;
	unsigned int i;

	for (i = 0; i < n * 32; i++) {
		bool bit = (crc ^ (words[i / 32] >> (i % 32))) & 1;

		crc = (crc >> 1) ^ (bit ? 0xa001 : 0);
	}
	return crc;
}

static struct gpu_device *gpu_device_find_locked(u32 gpu_id)
{
	struct gpu_device *gdev;

	lockdep_assert_held(&gpu_devices_lock);
	list_for_each_entry(gdev, &gpu_devices, node)
		if (gdev->gpu_id == gpu_id)
			return gdev;
	return NULL;
}

/*
 * KFD's gpu_id is a hash of what identifies the function, so that it is the
 * same after every boot. The last word tells partitions apart, and resolves collisions.
 */
static u32 gpu_id_make_locked(const struct gpu_device *gdev)
{
	const struct gpu_target *t = gdev->target;
	u32 function = (gdev->whole ?: gdev)->location_id;
	u32 words[8] = {
		function & 0xff,
		t->subsystem_vendor | (u32)t->subsystem_device << 16,
		gdev->domain,
		t->device_id,
		function >> 8,
		lower_32_bits(gdev->vram_bytes),
		upper_32_bits(gdev->vram_bytes),
		gdev->whole ? gdev->first_xcc | t->num_xcc << 16 : 0,
	};
	u32 id;

	/* At most as many tries as there are devices, and one for 0. */
	for (;;) {
		id = gpu_id_crc(words, ARRAY_SIZE(words));
		if (id && !gpu_device_find_locked(id))
			return id;
		words[7]++;
	}
}

const char * const gpu_engine_names[GPU_ENGINES] = {
	[GPU_ENGINE_DEFAULT] = "default",
	[GPU_ENGINE_KERNEL] = "kernel",
	[GPU_ENGINE_USER] = "user",
	[GPU_ENGINE_AUTO] = "auto",
};

int gpu_device_create(const struct gpu_target *target, u64 vram_bytes,
		      struct gpu_device **out)
{
	struct gpu_device *gdev;
	int index;

	vram_bytes = round_down(vram_bytes, PAGE_SIZE);
	if (!vram_bytes)
		return -EINVAL;

	gdev = kzalloc(sizeof(*gdev), GFP_KERNEL);
	if (!gdev)
		return -ENOMEM;
	index = ida_alloc_max(&gpu_device_ids, 127, GFP_KERNEL);
	if (index < 0) {
		kfree(gdev);
		return index;
	}

	kref_init(&gdev->ref);
	INIT_WORK(&gdev->end, gpu_device_end);
	INIT_LIST_HEAD(&gdev->node);
	INIT_LIST_HEAD(&gdev->workers);
	rwlock_init(&gdev->workers_lock);
	spin_lock_init(&gdev->sdma_lock);
	spin_lock_init(&gdev->vram_lock);
	gpu_shares_init(&gdev->queues);
	INIT_LIST_HEAD(&gdev->vram_bos);
	INIT_LIST_HEAD(&gdev->vram_vms);
	atomic64_set(&gdev->vram_used, 0);
	atomic64_set(&gdev->gtt_used, 0);
	gdev->index = index;
	gdev->model = *target;
	gdev->target = &gdev->model;
	gdev->vram_bytes = vram_bytes;
	gdev->cu_count = target->cu_count;
	gdev->nps = 1;
	gdev->nps_wanted = 1;
	gdev->unique_id = (u64)target->device_id << 48 | 0x766b66640000ull | index;
	*out = gdev;
	return 0;
}

void gpu_device_place(struct gpu_device *gdev, u32 domain, u32 location_id)
{
	mutex_lock(&gpu_devices_lock);
	gdev->domain = domain;
	gdev->location_id = location_id;
	gdev->gpu_id = gpu_id_make_locked(gdev);
	mutex_unlock(&gpu_devices_lock);
}

void gpu_device_set_drm(struct gpu_device *gdev, struct drm_device *drm)
{
	mutex_lock(&gpu_devices_lock);
	gdev->drm = drm;
	mutex_unlock(&gpu_devices_lock);
}

struct drm_device *gpu_device_drm_get(struct gpu_device *gdev)
{
	struct drm_device *drm;

	mutex_lock(&gpu_devices_lock);
	drm = gdev->drm;
	if (drm)
		drm_dev_get(drm);
	mutex_unlock(&gpu_devices_lock);
	return drm;
}

static bool gpu_mem_complete(const struct gpu_mem_ops *mem)
{
	return mem && mem->bo_init && mem->bo_fini && mem->bo_page && mem->bo_mmap_offset &&
	       mem->bo_allow && mem->bo_revoke && mem->vm_from_file &&
	       !mem->vm_map == !mem->vm_unmap;
}

bool gpu_backend_complete(const struct gpu_backend_ops *ops)
{
	return gpu_mem_complete(ops->mem) && ops->name && ops->init && ops->fini &&
	       ops->queue_init && ops->queue_update && ops->queue_fini && ops->queue_evict &&
	       ops->queue_restore && ops->queue_state &&
	       ops->doorbell && ops->clock && ops->busy_ns;
}

int gpu_device_start(struct gpu_device *gdev, const struct gpu_backend_ops *backend)
{
	char name[16];
	int ret;

	if (WARN_ON(!gpu_backend_complete(backend)))
		return -EINVAL;
	snprintf(name, sizeof(name), "%u", gdev->index);
	gdev->debugfs = debugfs_create_dir(name, gpu_debugfs);
	gdev->backend = backend;
	ret = backend->init(gdev);
	if (ret) {
		gdev->backend = NULL;
		debugfs_remove(gdev->debugfs);
		gdev->debugfs = NULL;
		return ret;
	}
	gpu_inject_init(gdev);
	gpu_capture_init(gdev);
	return 0;
}

void gpu_device_publish(struct gpu_device *gdev)
{
	mutex_lock(&gpu_devices_lock);
	/* Another one may have taken the id since it was made. */
	if (gpu_device_find_locked(gdev->gpu_id))
		gdev->gpu_id = gpu_id_make_locked(gdev);
	list_add_tail(&gdev->node, &gpu_devices);
	mutex_unlock(&gpu_devices_lock);
}

void gpu_device_unpublish(struct gpu_device *gdev)
{
	mutex_lock(&gpu_devices_lock);
	list_del_init(&gdev->node);
	mutex_unlock(&gpu_devices_lock);
}

void gpu_device_set_gone(struct gpu_device *gdev, bool gone)
{
	WRITE_ONCE(gdev->gone_ns, gone ? ktime_get_ns() : 0);
}

void gpu_device_destroy(struct gpu_device *gdev)
{
	gpu_capture_fini(gdev);
	gpu_inject_fini(gdev);
	gpu_device_put(gdev);
	flush_workqueue(gpu_devices_wq);
}

struct gpu_device *gpu_device_by_id(u32 gpu_id)
{
	struct gpu_device *gdev;

	mutex_lock(&gpu_devices_lock);
	gdev = gpu_device_find_locked(gpu_id);
	if (gdev)
		gpu_device_get(gdev);
	mutex_unlock(&gpu_devices_lock);
	return gdev;
}

struct gpu_device *gpu_device_by_index(unsigned int index)
{
	struct gpu_device *gdev, *found = NULL;

	mutex_lock(&gpu_devices_lock);
	list_for_each_entry(gdev, &gpu_devices, node) {
		if (index--)
			continue;
		found = gdev;
		gpu_device_get(gdev);
		break;
	}
	mutex_unlock(&gpu_devices_lock);
	return found;
}

unsigned int gpu_device_count(void)
{
	struct gpu_device *gdev;
	unsigned int n = 0;

	mutex_lock(&gpu_devices_lock);
	list_for_each_entry(gdev, &gpu_devices, node)
		n++;
	mutex_unlock(&gpu_devices_lock);
	return n;
}

u64 gpu_device_clock(struct gpu_device *gdev, struct gpu_vm *vm)
{
	return gdev->backend ? gpu_backend_clock(gdev, vm) : 0;
}

/* Half of the memory, as TTM allows all devices together. */
u64 gpu_gtt_limit(void)
{
	return (u64)totalram_pages() / 2 << PAGE_SHIFT;
}

static int bo_count_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%u\n", gpu_bo_count());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bo_count);

int gpu_init(void)
{
	int ret;

	ret = gpu_target_check();
	if (ret)
		return ret;
	gpu_devices_wq = alloc_workqueue("vkfd_devices", WQ_UNBOUND, 0);
	if (!gpu_devices_wq)
		return -ENOMEM;
	ret = gpu_mm_start();
	if (ret)
		goto out_wq;
	ret = gpu_room_start();
	if (ret)
		goto out_mm;
	gpu_debugfs = debugfs_create_dir("kfd", NULL);
	debugfs_create_file("bo_count", 0444, gpu_debugfs, NULL, &bo_count_fops);
	ret = gpu_shrink_start();
	if (ret)
		goto out_room;
	ret = gpu_zone_start();
	if (ret)
		goto out_shrink;
	ret = gpu_doorbell_start();
	if (ret)
		goto out_zone;
	return 0;

out_zone:
	gpu_zone_stop();
out_shrink:
	gpu_shrink_stop();
out_room:
	debugfs_remove(gpu_debugfs);
	gpu_room_stop();
out_mm:
	gpu_mm_stop();
out_wq:
	destroy_workqueue(gpu_devices_wq);
	return ret;
}

void gpu_exit(void)
{
	/* Whoever had a reference has dropped it: all is over in there. */
	destroy_workqueue(gpu_devices_wq);
	debugfs_remove(gpu_debugfs);
	gpu_doorbell_stop();
	gpu_zone_stop();
	gpu_shrink_stop();
	gpu_room_stop();
	gpu_mm_stop();
	ida_destroy(&gpu_device_ids);
	if (gpu_bo_count())
		pr_err("%u buffer objects leaked\n", gpu_bo_count());
}
