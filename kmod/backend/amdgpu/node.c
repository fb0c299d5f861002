// SPDX-License-Identifier: GPL-2.0-only
/*
 * A GPU in front of a render node: its ops table, its beginning and its end. hw/ does the rest.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>

#include "amdgpu_int.h"
#include "../../hw/engine.h"
#include "../../../uapi/drm/amdgpu_drm.h"

static char *amdgpu_queues = "cs";
module_param(amdgpu_queues, charp, 0444);
MODULE_PARM_DESC(amdgpu_queues, "How KFD in front of a render node has queues: by submissions (cs, default), as user queues of that node (user), or each as the node takes it (auto)");

/* Its objects call it until the last one is gone, with or without a file. Ours is here anyway. */
static bool driver_get(struct drm_device *drm)
{
	return drm->driver->fops->owner == THIS_MODULE ||
	       try_module_get(drm->driver->fops->owner);
}

static void driver_put(struct drm_device *drm)
{
	struct module *owner = drm->driver->fops->owner;

	drm_dev_put(drm);
	if (owner != THIS_MODULE)
		module_put(owner);
}

/* gdev->drm is the device below. */
static int amdgpu_init(struct gpu_device *gdev)
{
	struct amdgpu_node *node;
	int err;

	node = kzalloc(sizeof(*node), GFP_KERNEL);
	if (!node)
		return -ENOMEM;
	hw_setup(&node->hw, gdev, false);
	mutex_init(&node->lock);
	INIT_LIST_HEAD(&node->vms);
	node->drm = gdev->drm;
	if (!driver_get(node->drm)) {
		kfree(node);
		return -ENODEV;
	}
	drm_dev_get(node->drm);
	gdev->backend_priv = &node->hw;
	node->hw.engine = &amdgpu_engine_ops;
	err = amdgpu_engine_ops.init(&node->hw);
	if (err)
		goto out_free;
	node->hw.mover = &amdgpu_mover;
	err = hw_sdma_init(&node->hw);
	if (err)
		goto out_sdma;
	err = hw_cp_start(&node->hw);
	if (err)
		goto out_sdma;
	hw_stats_init(&node->hw);
	return 0;

out_sdma:
	hw_sdma_fini(&node->hw);
	amdgpu_engine_ops.fini(&node->hw);
out_free:
	gdev->backend_priv = NULL;
	driver_put(node->drm);
	kfree(node);
	return err;
}

static void amdgpu_fini(struct gpu_device *gdev)
{
	struct amdgpu_node *node = to_node(gdev);

	hw_stats_fini(&node->hw);
	hw_cp_stop(&node->hw);
	hw_sdma_fini(&node->hw);
	amdgpu_engine_ops.fini(&node->hw);
	gdev->backend_priv = NULL;
	driver_put(node->drm);
	mutex_destroy(&node->lock);
	kfree(node);
}

static u64 amdgpu_sdma_busy_ns(struct gpu_device *gdev)
{
	return atomic64_read(&to_hw(gdev)->sdma_busy_ns);
}

/* Never steps back, while hw_now() may, with a new skew. */
static u64 amdgpu_clock(struct gpu_device *gdev, struct gpu_vm *vm)
{
	s64 now = hw_now(to_hw(gdev), vm), told;

	if (!vm)
		return now;
	told = atomic64_read(&vm->clock_told);
	do {
		if (now <= told)
			return told;
	} while (!atomic64_try_cmpxchg(&vm->clock_told, &told, now));
	return now;
}

void amdgpu_queue_fini(struct gpu_queue *q)
{
	amdgpu_vm_leave(q->vm);
	hw_compute_fini(q);
}

static const struct gpu_backend_ops amdgpu_cs_ops = {
	.name = "amdgpu",
	.init = amdgpu_init,
	.fini = amdgpu_fini,
	.mem = &amdgpu_mem_ops,
	.queue_init = hw_compute_init,
	.queue_update = hw_compute_update,
	.queue_fini = amdgpu_queue_fini,
	.queue_evict = hw_compute_evict,
	.queue_restore = hw_compute_restore,
	.queue_state = hw_compute_state,
	.doorbell = hw_doorbell,
	.clock = amdgpu_clock,
	.clock_sync = amdgpu_clock_sync,
	.busy_ns = hw_busy_ns,
	.sdma_busy_ns = amdgpu_sdma_busy_ns,
	.reset = hw_reset,
};

/* With user queues below: hw/ has none, and its threads sleep. */
static const struct gpu_backend_ops amdgpu_user_ops = {
	.name = "amdgpu, user queues",
	.init = amdgpu_init,
	.fini = amdgpu_fini,
	.mem = &amdgpu_mem_ops,
	.queue_init = amdgpu_userq_init,
	.queue_update = amdgpu_userq_update,
	.queue_fini = amdgpu_userq_fini,
	.queue_evict = amdgpu_userq_evict,
	.queue_restore = amdgpu_userq_restore,
	.queue_state = amdgpu_userq_state,
	.doorbell = hw_doorbell,
	.doorbells_mmap = amdgpu_userq_doorbells,
	.clock = amdgpu_clock,
	.clock_sync = amdgpu_clock_sync,
	.busy_ns = hw_busy_ns,
	.reset = amdgpu_userqs_reset,
};

/* Each of its queues is one or the other. */
static const struct gpu_backend_ops amdgpu_auto_ops = {
	.name = "amdgpu, user queues and submissions",
	.init = amdgpu_init,
	.fini = amdgpu_fini,
	.mem = &amdgpu_mem_ops,
	.queue_init = amdgpu_auto_init,
	.queue_update = amdgpu_auto_update,
	.queue_fini = amdgpu_auto_fini,
	.queue_evict = amdgpu_auto_evict,
	.queue_restore = amdgpu_auto_restore,
	.queue_state = amdgpu_auto_state,
	.doorbell = hw_doorbell,
	.doorbells_rest = amdgpu_auto_doorbells,
	.clock = amdgpu_clock,
	.clock_sync = amdgpu_clock_sync,
	.busy_ns = hw_busy_ns,
	.sdma_busy_ns = amdgpu_sdma_busy_ns,
	.reset = amdgpu_auto_reset,
};

/* KFD's place of a GPU is that of its function. */
static void set_place(struct gpu_device *gdev, struct drm_device *drm)
{
	u32 domain = 0, location = 0;

	if (dev_is_pci(drm->dev)) {
		domain = pci_domain_nr(to_pci_dev(drm->dev)->bus);
		location = pci_dev_id(to_pci_dev(drm->dev));
	}
	gpu_device_place(gdev, domain, location);
	gdev->render_minor = drm->render->index;
}

/* By user queues only, if that is wanted: then it has to have all kinds that KFD has. */
static int choose_ops(const struct drm_amdgpu_info_device *dev, const struct gpu_backend_ops **ops)
{
	const u32 both = BIT(AMDGPU_HW_IP_COMPUTE) | BIT(AMDGPU_HW_IP_DMA);

	*ops = &amdgpu_cs_ops;
	if (!strcmp(amdgpu_queues, "cs"))
		return 0;
	if (!strcmp(amdgpu_queues, "auto")) {
		if (dev->userq_ip_mask & both)
			*ops = &amdgpu_auto_ops;
		return 0;
	}
	if (strcmp(amdgpu_queues, "user")) {
		pr_err("amdgpu_queues=%s: cs, user or auto\n", amdgpu_queues);
		return -EINVAL;
	}
	if ((dev->userq_ip_mask & both) != both) {
		pr_err("amdgpu_queues=user: this GPU's driver has no user queues for compute and SDMA\n");
		return -EOPNOTSUPP;
	}
	*ops = &amdgpu_user_ops;
	return 0;
}

static int choose(struct file *f, const struct gpu_backend_ops **ops, u64 *va)
{
	struct drm_amdgpu_info info = { .query = AMDGPU_INFO_DEV_INFO };
	struct drm_amdgpu_info_device dev = {};
	int ret = amdgpu_info(f, &info, &dev, sizeof(dev));

	*va = dev.high_va_offset;
	/* Below the middle is what KFD's clients have. */
	if (!ret && !dev.high_va_offset)
		ret = -ENODEV;
	return ret ?: choose_ops(&dev, ops);
}

int amdgpu_device_create(struct file *f, struct gpu_device **out)
{
	struct drm_device *drm = amdgpu_device_of(f);
	const struct gpu_backend_ops *ops;
	struct gpu_target target;
	struct gpu_device *gdev;
	u64 vram_bytes, va;
	int ret;

	if (!drm || !drm_core_check_feature(drm, DRIVER_SYNCOBJ))
		return -ENODEV;
	ret = amdgpu_identify(f, &target, &vram_bytes);
	if (!ret)
		ret = choose(f, &ops, &va);
	if (!ret)
		ret = gpu_device_create(&target, vram_bytes, &gdev);
	if (ret)
		return ret;
	gpu_device_set_drm(gdev, drm);
	set_place(gdev, drm);
	ret = gpu_device_start(gdev, ops);
	if (ret) {
		gpu_device_destroy(gdev);
		return ret;
	}
	to_node(gdev)->high_va = va;
	to_node(gdev)->user = ops != &amdgpu_cs_ops;
	to_node(gdev)->automatic = ops == &amdgpu_auto_ops;
	to_node(gdev)->sdma_rings = target.sdma_engines;
	*out = gdev;
	return 0;
}
