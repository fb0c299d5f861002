// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of inject/. A file that holds a number is read by the code that the number
 * is for; a file that takes a word acts when it is written. A write that makes no sense
 * fails with -EINVAL and changes nothing.
 */
#include <linux/bits.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/uaccess.h>

#include "backend.h"
#include "device.h"
#include "inject.h"

#define INJECT_MAX_DELAY_US	USEC_PER_SEC
#define INJECT_MAX_COUNT	1000000
#define INJECT_LINE		64

/* ------------------------------------------------------------------- hooks */

static void inject_delay(u32 us)
{
	if (us)
		usleep_range(us, us + us / 8 + 1);
}

/* True for as many callers as the count says, even if more come at the same time. */
static bool inject_take(atomic_t *count)
{
	return atomic_read(count) && atomic_dec_if_positive(count) >= 0;
}

int gpu_inject_alloc(struct gpu_device *gdev)
{
	struct gpu_inject *in = &gdev->inject;

	inject_delay(READ_ONCE(in->alloc_delay_us));
	if (!atomic_read(&in->alloc_fail) || inject_take(&in->alloc_fail_after))
		return 0;
	return inject_take(&in->alloc_fail) ? -ENOMEM : 0;
}

void gpu_inject_complete(const struct gpu_device *gdev)
{
	inject_delay(READ_ONCE(gdev->inject.complete_delay_us));
}

bool gpu_inject_drop(struct gpu_device *gdev)
{
	return inject_take(&gdev->inject.drop_interrupts);
}

/* ----------------------------------------------------------------- numbers */

static int inject_count_get(void *data, u64 *val)
{
	*val = atomic_read(data);
	return 0;
}

static int inject_count_set(void *data, u64 val)
{
	if (val > INJECT_MAX_COUNT)
		return -EINVAL;
	atomic_set(data, val);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(inject_count_fops, inject_count_get, inject_count_set, "%llu\n");

static int inject_delay_get(void *data, u64 *val)
{
	*val = READ_ONCE(*(u32 *)data);
	return 0;
}

static int inject_delay_set(void *data, u64 val)
{
	if (val > INJECT_MAX_DELAY_US)
		return -EINVAL;
	WRITE_ONCE(*(u32 *)data, val);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(inject_delay_fops, inject_delay_get, inject_delay_set, "%llu\n");

/* ------------------------------------------------------------------- words */

/* A line from user space without its end; -EINVAL if it is too long. */
static int inject_line(const char __user *user, size_t size, char *line)
{
	if (size >= INJECT_LINE)
		return -EINVAL;
	if (copy_from_user(line, user, size))
		return -EFAULT;
	line[size] = 0;
	strim(line);
	return 0;
}

/* A position in @names, NULL at its end; -EINVAL. */
static int inject_find(const char * const *names, unsigned int n, const char *name)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (names[i] && !strcmp(names[i], name))
			return i;
	return -EINVAL;
}

/* As amdgpu_ras_mark_ras_event() does it. */
static void inject_mark(struct gpu_device *gdev, enum gpu_ras_event event)
{
	struct gpu_inject *in = &gdev->inject;

	atomic64_set(&in->events[event].last, atomic64_inc_return(&in->seqno));
	atomic64_inc(&in->events[event].count);
}

static const char * const reset_causes[GPU_RESET_CAUSES] = {
	[GPU_RESET_HANG] = "hang",
	[GPU_RESET_ECC] = "ecc",
};

static ssize_t reset_write(struct file *file, const char __user *user, size_t size, loff_t *pos)
{
	struct gpu_device *gdev = file->private_data;
	char line[INJECT_LINE];
	int cause, ret;

	ret = inject_line(user, size, line);
	if (ret)
		return ret;
	cause = inject_find(reset_causes, GPU_RESET_CAUSES, line);
	if (cause < 0)
		return cause;
	pr_warn("gpu %u: reset on demand: %s\n", gdev->gpu_id, line);
	if (cause == GPU_RESET_ECC)
		inject_mark(gdev, GPU_RAS_FATAL);
	ret = gpu_host->reset(gdev, cause);
	return ret ?: size;
}

/* Memory that is marked as bad costs the process that read it its queues, and a SIGBUS. */
static ssize_t poison_write(struct file *file, const char __user *user, size_t size, loff_t *pos)
{
	struct gpu_device *gdev = file->private_data;
	char line[INJECT_LINE];
	int pid, ret;

	ret = inject_line(user, size, line);
	if (!ret)
		ret = kstrtoint(line, 0, &pid);
	if (!ret)
		ret = gpu_host->poison(gdev, pid);
	if (ret)
		return ret;
	inject_mark(gdev, GPU_RAS_CONSUMPTION);
	pr_warn("gpu %u: poison is consumed by process %d\n", gdev->gpu_id, pid);
	return size;
}

static const char * const ecc_blocks[GPU_RAS_NUM] = {
	[GPU_RAS_UMC] = "umc",
	[GPU_RAS_SDMA] = "sdma",
	[GPU_RAS_GFX] = "gfx",
	[GPU_RAS_MMHUB] = "mmhub",
	[GPU_RAS_PCIE_BIF] = "pcie_bif",
	[GPU_RAS_HDP] = "hdp",
	[GPU_RAS_MCA_MP0] = "mp0",
	[GPU_RAS_MCA_MP1] = "mp1",
	[GPU_RAS_MCA_MPIO] = "mpio",
	[GPU_RAS_VCN] = "vcn",
	[GPU_RAS_JPEG] = "jpeg",
};

static const char * const ecc_kinds[GPU_RAS_ERRORS] = {
	[GPU_RAS_UE] = "ue",
	[GPU_RAS_CE] = "ce",
	[GPU_RAS_DE] = "de",
};

static const char * const ecc_texts[GPU_RAS_ERRORS] = {
	[GPU_RAS_UE] = "uncorrectable",
	[GPU_RAS_CE] = "correctable",
	[GPU_RAS_DE] = "deferred",
};

/* "BLOCK ue|ce|de [COUNT]": adds so many errors to the block's count. */
static ssize_t ecc_write(struct file *file, const char __user *user, size_t size, loff_t *pos)
{
	struct gpu_device *gdev = file->private_data;
	const struct gpu_target_ras *ras = gdev->target->ras;
	char line[INJECT_LINE], *rest = line, *block, *kind, *number;
	int which, error, ret;
	u32 count = 1;

	ret = inject_line(user, size, line);
	if (ret)
		return ret;
	block = strsep(&rest, " ");
	kind = strsep(&rest, " ");
	number = strsep(&rest, " ");
	if (!kind || rest || (number && kstrtou32(number, 0, &count)))
		return -EINVAL;
	which = inject_find(ecc_blocks, GPU_RAS_NUM, block);
	error = inject_find(ecc_kinds, GPU_RAS_ERRORS, kind);
	if (which < 0 || error < 0 || !count || count > INJECT_MAX_COUNT)
		return -EINVAL;
	/* A block without a counter has no way to count. */
	if (!ras || !(ras->counters & BIT(which)))
		return -EINVAL;
	atomic64_add(count, &gdev->ras_errors[which][error]);
	if (which == GPU_RAS_UMC && error == GPU_RAS_DE)
		inject_mark(gdev, GPU_RAS_CREATION);
	pr_warn("gpu %u: %u %s hardware errors detected in %s block\n", gdev->gpu_id, count,
		ecc_texts[error], block);
	return size;
}

static const struct {
	const char *name;
	unsigned int bit;
} throttlers[] = {
	{ "power",	GPU_THROTTLE_POWER },
	{ "gpu",	GPU_THROTTLE_TEMP_GPU },
	{ "memory",	GPU_THROTTLE_TEMP_MEM },
};

/* Names of the reasons to throttle from now on, or "none". */
static ssize_t throttle_write(struct file *file, const char __user *user, size_t size,
			      loff_t *pos)
{
	struct gpu_device *gdev = file->private_data;
	char line[INJECT_LINE], *rest = line, *name;
	unsigned int i;
	u64 mask = 0;
	int ret;

	ret = inject_line(user, size, line);
	if (ret)
		return ret;
	while (strcmp(line, "none") && (name = strsep(&rest, " "))) {
		for (i = 0; i < ARRAY_SIZE(throttlers); i++)
			if (!strcmp(throttlers[i].name, name))
				break;
		if (i == ARRAY_SIZE(throttlers))
			return -EINVAL;
		mask |= BIT_ULL(throttlers[i].bit);
	}
	if (xchg(&gdev->inject.throttle, mask) == mask || !mask)
		return size;
	pr_warn("gpu %u: WARN: GPU thermal throttling temperature reached, expect performance decrease. %s.\n",
		gdev->gpu_id, line);
	gpu_host->throttled(gdev, mask, atomic64_inc_return(&gdev->inject.throttled));
	return size;
}

#define INJECT_WORD(word) \
	static const struct file_operations inject_##word##_fops = { \
		.owner = THIS_MODULE, \
		.open = simple_open, \
		.write = word##_write, \
		.llseek = noop_llseek, \
	}

INJECT_WORD(reset);
INJECT_WORD(poison);
INJECT_WORD(ecc);
INJECT_WORD(throttle);

void gpu_inject_init(struct gpu_device *gdev)
{
	struct gpu_inject *in = &gdev->inject;

	in->dir = debugfs_create_dir("inject", gdev->debugfs);
	debugfs_create_file_unsafe("alloc_fail", 0600, in->dir, &in->alloc_fail,
				   &inject_count_fops);
	debugfs_create_file_unsafe("alloc_fail_after", 0600, in->dir, &in->alloc_fail_after,
				   &inject_count_fops);
	debugfs_create_file_unsafe("drop_interrupts", 0600, in->dir, &in->drop_interrupts,
				   &inject_count_fops);
	debugfs_create_file_unsafe("alloc_delay_us", 0600, in->dir, &in->alloc_delay_us,
				   &inject_delay_fops);
	debugfs_create_file_unsafe("complete_delay_us", 0600, in->dir, &in->complete_delay_us,
				   &inject_delay_fops);
	debugfs_create_file("reset", 0200, in->dir, gdev, &inject_reset_fops);
	debugfs_create_file("poison", 0200, in->dir, gdev, &inject_poison_fops);
	debugfs_create_file("ecc", 0200, in->dir, gdev, &inject_ecc_fops);
	debugfs_create_file("throttle", 0200, in->dir, gdev, &inject_throttle_fops);
}

void gpu_inject_fini(struct gpu_device *gdev)
{
	debugfs_remove(gdev->inject.dir);
	gdev->inject.dir = NULL;
}
