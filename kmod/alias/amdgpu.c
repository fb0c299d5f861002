// SPDX-License-Identifier: GPL-2.0-only
/*
 * amdgpu.ko: only a name, and the parameters that tools read below it.
 *
 * rocminfo reads /sys/module/amdgpu/initstate to see whether there is a driver, older
 * versions run lsmod and grep, and kfdtest reads parameters. This module depends on vkfd
 * and satisfies them; it drives nothing. On a machine with a real AMD GPU, "amdgpu" has
 * to mean the real driver, so there this module refuses to load unless forced.
 */
#include <linux/module.h>

#include "vkfd.h"

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

static int __init amdgpu_alias_init(void)
{
	if (!vkfd_device_count())
		return -ENODEV;
	if (vkfd_physical_gpu_present() && !force) {
		pr_err("a physical AMD GPU is present; this is vkfd's stand-in, not its driver\n");
		return -EBUSY;
	}
	return 0;
}

static void __exit amdgpu_alias_exit(void)
{
}

module_init(amdgpu_alias_init);
module_exit(amdgpu_alias_exit);

MODULE_DESCRIPTION("The name amdgpu, for vkfd");
MODULE_AUTHOR("The vkfd developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(VKFD_VERSION);
