// SPDX-License-Identifier: GPL-2.0-only
/*
 * KFD nodes in front of render nodes whose driver calls itself amdgpu. Which ones, the parameter
 * says; there is none that it does not name. A card that has displays is used only if it is named
 * by its PCI address, as a wrong dispatch can take a display away from who looks at it.
 *
 * Nodes of other drivers go before these do: a notifier of the PCI bus tells of that.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/suspend.h>
#include <drm/drm_device.h>
#include <drm/drm_drv.h>

#include "backend/amdgpu/amdgpu.h"
#include "compat/file.h"
#include "gpu/device.h"
#include "kfd/kfd.h"
#include "nodes.h"

#define FIRST_RENDER	128
#define LAST_RENDER	191

static char *amdgpu = "";
module_param(amdgpu, charp, 0444);
MODULE_PARM_DESC(amdgpu, "Render nodes to put KFD in front of: paths, PCI addresses, virtual (default none)");

/**
 * struct vkfd_node - a KFD node in front of a render node
 * @entry: in vkfd_nodes
 * @gdev: the GPU that KFD shows
 * @dev: whose driver has the render node
 * @below: one of ours, or NULL
 */
struct vkfd_node {
	struct list_head entry;
	struct gpu_device *gdev;
	struct device *dev;
	struct gpu_device *below;
};

static LIST_HEAD(vkfd_nodes);
static DEFINE_MUTEX(vkfd_nodes_lock);	/* the list; outside of the topology's */

/* Calls @fn for each item until one returns an error. */
static int each_item(int (*fn)(const char *item))
{
	char *list = kstrdup(amdgpu, GFP_KERNEL), *rest = list, *item;
	int ret = 0;

	if (!list)
		return -ENOMEM;
	while (!ret && (item = strsep(&rest, ",")))
		if (*strim(item))
			ret = fn(strim(item));
	kfree(list);
	return ret;
}

static bool is_virtual(const char *item)
{
	return !strcmp(item, "virtual");
}

/* The answer must not depend on memory: what was attached by it is detached by it. */
bool vkfd_nodes_stacked(void)
{
	const char *p = amdgpu;
	size_t n;

	for (;; p += n + 1) {
		n = strcspn(p, ",");
		if (n == strlen("virtual") && !strncmp(p, "virtual", n))
			return true;
		if (!p[n])
			return false;
	}
}

/* ------------------------------------------------------------ one of them */

static struct vkfd_node *node_create(struct file *f)
{
	struct vkfd_node *n = kzalloc(sizeof(*n), GFP_KERNEL);
	int ret;

	if (!n)
		return ERR_PTR(-ENOMEM);
	ret = amdgpu_device_create(f, &n->gdev);
	if (ret) {
		kfree(n);
		return ERR_PTR(ret);
	}
	n->dev = amdgpu_device_of(f)->dev;
	return n;
}

static int node_show(struct vkfd_node *n)
{
	int ret;

	vkfd_device_debugfs_init(n->gdev);
	gpu_device_publish(n->gdev);
	ret = vkfd_topology_add_gpu(n->gdev);
	if (ret) {
		gpu_device_unpublish(n->gdev);
		return ret;
	}
	mutex_lock(&vkfd_nodes_lock);
	list_add_tail(&n->entry, &vkfd_nodes);
	mutex_unlock(&vkfd_nodes_lock);
	return 0;
}

/* It is off the list. */
static void node_end(struct vkfd_node *n)
{
	gpu_device_set_gone(n->gdev, true);
	vkfd_device_resume(n->gdev);
	gpu_device_unpublish(n->gdev);
	vkfd_topology_remove_gpu(n->gdev);
	vkfd_process_device_lost(n->gdev);
	gpu_device_destroy(n->gdev);
	kfree(n);
}

/* Takes off the list, and returns, one whose @below or @dev is that one; both NULL: any. */
static struct vkfd_node *node_take(const struct gpu_device *below, const struct device *dev)
{
	struct vkfd_node *n, *found = NULL;

	mutex_lock(&vkfd_nodes_lock);
	list_for_each_entry(n, &vkfd_nodes, entry) {
		if (below ? n->below != below : dev ? n->dev != dev || n->below : false)
			continue;
		list_del(&n->entry);
		found = n;
		break;
	}
	mutex_unlock(&vkfd_nodes_lock);
	return found;
}

static bool is_used(const struct drm_device *drm)
{
	const struct vkfd_node *n;
	bool used = false;

	mutex_lock(&vkfd_nodes_lock);
	list_for_each_entry(n, &vkfd_nodes, entry)
		used |= n->gdev->drm == drm;
	mutex_unlock(&vkfd_nodes_lock);
	return used;
}

static int node_add(struct file *f, struct gpu_device *below)
{
	struct vkfd_node *n = node_create(f);
	int ret;

	if (IS_ERR(n))
		return PTR_ERR(n);
	if (is_used(n->gdev->drm)) {
		ret = -EEXIST;
		goto out_destroy;
	}
	n->below = below;
	if (below) {
		n->gdev->unique_id = below->unique_id;
		n->gdev->hive = (struct gpu_hive){};
	} else {
		/* INFO has no word for it. */
		n->gdev->unique_id = 0;
	}
	ret = node_show(n);
	if (ret)
		goto out_destroy;
	pr_info("gpu %u: %s in front of renderD%u\n", n->gdev->index, n->gdev->target->name,
		n->gdev->render_minor);
	return 0;

out_destroy:
	gpu_device_destroy(n->gdev);
	kfree(n);
	return ret;
}

static struct file *open_minor(unsigned int minor)
{
	char path[32];

	snprintf(path, sizeof(path), "/dev/dri/renderD%u", minor);
	return filp_open(path, O_RDWR | O_CLOEXEC, 0);
}

/* ------------------------------------------------------ of our virtual GPUs */

int vkfd_nodes_attach(struct gpu_device *below)
{
	struct file *f = open_minor(below->render_minor);
	int ret;

	if (IS_ERR(f))
		return PTR_ERR(f);
	ret = amdgpu_device_of(f) == below->drm ? node_add(f, below) : -ENODEV;
	compat_fput_sync(f);
	if (ret)
		pr_err("no node in front of renderD%u: %d\n", below->render_minor, ret);
	return ret;
}

void vkfd_nodes_detach(struct gpu_device *below)
{
	struct vkfd_node *n = node_take(below, NULL);

	if (n)
		node_end(n);
}

int vkfd_nodes_sleep(struct gpu_device *below, unsigned long patience)
{
	struct vkfd_node *n;
	int ret = 0;

	mutex_lock(&vkfd_nodes_lock);
	list_for_each_entry(n, &vkfd_nodes, entry)
		if (n->below == below && !ret)
			ret = vkfd_device_suspend(n->gdev, patience);
	mutex_unlock(&vkfd_nodes_lock);
	return ret;
}

void vkfd_nodes_wake(struct gpu_device *below)
{
	struct vkfd_node *n;

	mutex_lock(&vkfd_nodes_lock);
	list_for_each_entry(n, &vkfd_nodes, entry)
		if (n->below == below)
			vkfd_device_resume(n->gdev);
	mutex_unlock(&vkfd_nodes_lock);
}

/*
 * Before tasks and workqueues freeze: what is below has to end first, and nothing there would end
 * any more. The devices' own sleep, where it comes, finds it done. If it fails, the machine stays
 * awake, and nobody tells us of that.
 */
static int pm_notify(struct notifier_block *nb, unsigned long action, void *unused)
{
	bool sleep = action == PM_SUSPEND_PREPARE || action == PM_HIBERNATION_PREPARE ||
		     action == PM_RESTORE_PREPARE;
	struct vkfd_node *n;
	int ret = 0;

	mutex_lock(&vkfd_nodes_lock);
	if (sleep)
		list_for_each_entry(n, &vkfd_nodes, entry)
			ret = ret ?: vkfd_device_suspend(n->gdev, VKFD_CALLS_WAIT);
	if (!sleep || ret)
		list_for_each_entry(n, &vkfd_nodes, entry)
			vkfd_device_resume(n->gdev);
	mutex_unlock(&vkfd_nodes_lock);
	return notifier_from_errno(ret);
}

static struct notifier_block vkfd_nodes_pm_notifier = {
	.notifier_call = pm_notify,
};

/* --------------------------------------------------------- of other drivers */

static int bus_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct vkfd_node *n;

	if (action != BUS_NOTIFY_UNBIND_DRIVER)
		return NOTIFY_DONE;
	while ((n = node_take(NULL, data)))
		node_end(n);
	return NOTIFY_OK;
}

static struct notifier_block vkfd_nodes_notifier = {
	.notifier_call = bus_notify,
};

/* @named: by its PCI address. Ours have their own way in, and are nobody's displays. */
static int add_file(struct file *f, const char *item, bool named)
{
	struct drm_device *drm = amdgpu_device_of(f);

	if (!drm || drm->driver->fops->owner == THIS_MODULE) {
		pr_err("amdgpu=%s: no render node of amdgpu\n", item);
		return -ENODEV;
	}
	if (!named && drm_core_check_feature(drm, DRIVER_MODESET)) {
		pr_err("amdgpu=%s: has displays: say %s if that is what you want\n", item,
		       dev_name(drm->dev));
		return -EBUSY;
	}
	return node_add(f, NULL);
}

static int add_address(const char *item)
{
	struct drm_device *drm;
	unsigned int minor;
	struct file *f;
	int ret = -ENODEV;

	for (minor = FIRST_RENDER; minor <= LAST_RENDER && ret == -ENODEV; minor++) {
		f = open_minor(minor);
		if (IS_ERR(f))
			continue;
		drm = amdgpu_device_of(f);
		if (drm && dev_is_pci(drm->dev) && !strcmp(dev_name(drm->dev), item))
			ret = add_file(f, item, true) ?: 1;
		compat_fput_sync(f);
	}
	if (ret == -ENODEV)
		pr_err("amdgpu=%s: no PCI device of amdgpu\n", item);
	return min(ret, 0);
}

static int add_item(const char *item)
{
	struct file *f;
	int ret;

	if (is_virtual(item))
		return 0;
	if (*item != '/')
		return add_address(item);
	f = filp_open(item, O_RDWR | O_CLOEXEC, 0);
	if (IS_ERR(f)) {
		pr_err("amdgpu=%s: %ld\n", item, PTR_ERR(f));
		return PTR_ERR(f);
	}
	ret = add_file(f, item, false);
	compat_fput_sync(f);
	return ret;
}

int vkfd_nodes_init(void)
{
	int ret = bus_register_notifier(&pci_bus_type, &vkfd_nodes_notifier);

	if (ret)
		return ret;
	ret = register_pm_notifier(&vkfd_nodes_pm_notifier);
	if (ret) {
		bus_unregister_notifier(&pci_bus_type, &vkfd_nodes_notifier);
		return ret;
	}
	ret = each_item(add_item);
	if (ret)
		vkfd_nodes_fini();
	return ret;
}

void vkfd_nodes_fini(void)
{
	struct vkfd_node *n;

	unregister_pm_notifier(&vkfd_nodes_pm_notifier);
	bus_unregister_notifier(&pci_bus_type, &vkfd_nodes_notifier);
	while ((n = node_take(NULL, NULL)))
		node_end(n);
}
