// SPDX-License-Identifier: GPL-2.0-only
/*
 * amdgpu.ko: only a name, and what tools read below it.
 *
 * rocminfo reads /sys/module/amdgpu/initstate to see whether there is a driver, older
 * versions run lsmod and grep, and kfdtest reads parameters. Kubernetes' device plugin for AMD
 * GPUs finds these by /sys/module/amdgpu/drivers/pci:amdgpu. This module depends on vkfd and
 * satisfies them; it drives nothing. On a machine with a real AMD GPU, "amdgpu" has
 * to mean the real driver, so there this module refuses to load unless forced.
 */
#include <linux/device/bus.h>
#include <linux/err.h>
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sysfs.h>

#include "vkfd.h"

#define DRIVER	"amdgpu"

static bool force;
module_param(force, bool, 0444);
MODULE_PARM_DESC(force, "load in spite of a physical AMD GPU (default no)");

/* Parameters of the real driver, with the values that are true of vkfd. */
static int cwsr_enable = 1;
module_param(cwsr_enable, int, 0444);
MODULE_PARM_DESC(cwsr_enable, "compute wave save and restore: 1, waves are saved to their queue's area");

static int emu_mode;
module_param(emu_mode, int, 0444);
MODULE_PARM_DESC(emu_mode, "emulation: 0, timeouts need not be stretched");

static int noretry = 1;
module_param(noretry, int, 0444);
MODULE_PARM_DESC(noretry, "no retry faults: 1, XNACK is off");

static int sched_policy;
module_param(sched_policy, int, 0444);
MODULE_PARM_DESC(sched_policy, "scheduling: 0, as the hardware scheduler with oversubscription");

static struct kobject *drivers;

/*
 * The driver's directory. The driver core keeps it to itself, so it is looked up by name in
 * sysfs, where a directory has its kobject. It stays while vkfd does, which we depend on.
 */
static struct kobject *driver_kobject(void)
{
	struct kset *bus = bus_get_kset(&pci_bus_type);
	struct kernfs_node *all, *one;
	struct kobject *kobj;

	all = bus ? kernfs_find_and_get(bus->kobj.sd, "drivers") : NULL;
	one = all ? kernfs_find_and_get(all, DRIVER) : NULL;
	kobj = one ? kobject_get(one->priv) : NULL;
	kernfs_put(one);
	kernfs_put(all);
	return kobj;
}

/* As the driver core links the driver of a module. With pci=0 there is none on this bus. */
static int link_driver(void)
{
	struct kobject *driver = driver_kobject();
	int ret;

	if (!driver)
		return 0;
	drivers = kobject_create_and_add("drivers", &THIS_MODULE->mkobj.kobj);
	ret = drivers ? sysfs_create_link(drivers, driver, "pci:" DRIVER) : -ENOMEM;
	kobject_put(driver);
	if (ret)
		kobject_put(drivers);
	return ret;
}

static int __init amdgpu_alias_init(void)
{
	if (!vkfd_device_count())
		return -ENODEV;
	if (vkfd_physical_gpu_present() && !force) {
		pr_err("a physical AMD GPU is present; this is vkfd's stand-in, not its driver\n");
		return -EBUSY;
	}
	return link_driver();
}

static void __exit amdgpu_alias_exit(void)
{
	if (!drivers)
		return;
	sysfs_remove_link(drivers, "pci:" DRIVER);
	kobject_put(drivers);
}

module_init(amdgpu_alias_init);
module_exit(amdgpu_alias_exit);

MODULE_DESCRIPTION("The name amdgpu, for vkfd");
MODULE_AUTHOR("The vkfd developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(VKFD_VERSION);
