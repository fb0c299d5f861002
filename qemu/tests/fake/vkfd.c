// SPDX-License-Identifier: MIT
/*
 * A stand-in for vkfd that the tests of qemu/vm load: it takes the parameters
 * that vm passes, brings a /dev/kfd, and misbehaves on request.
 *
 *	echo warn > /sys/module/vkfd/parameters/fault
 */
#include <linux/bug.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>

static char *gpus = "none";
module_param(gpus, charp, 0444);
MODULE_PARM_DESC(gpus, "passed by vm --gpus");

static unsigned int vram_mb;
module_param(vram_mb, uint, 0444);
MODULE_PARM_DESC(vram_mb, "passed by vm --vram");

static int fault_set(const char *what, const struct kernel_param *kp)
{
	if (sysfs_streq(what, "warn"))
		WARN(1, "vkfd fake: asked for");
	else if (sysfs_streq(what, "oops"))
		BUG();
	else if (sysfs_streq(what, "refcount"))
		pr_err("refcount_t: underflow; use-after-free.\n");
	else if (sysfs_streq(what, "stuck"))
		msleep(1000 * 1000);
	else
		return -EINVAL;
	return 0;
}

static const struct kernel_param_ops fault_ops = { .set = fault_set };

module_param_cb(fault, &fault_ops, NULL, 0200);
MODULE_PARM_DESC(fault, "warn, oops, refcount or stuck");

static const struct file_operations fops = { .owner = THIS_MODULE };

static struct miscdevice node = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kfd",
	.fops = &fops,
};
module_misc_device(node);

MODULE_DESCRIPTION("Stand-in for vkfd in the tests of qemu/vm");
MODULE_LICENSE("Dual MIT/GPL");
