// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that divide a GPU into partitions. Names, formats and errors are those of amdgpu: names
 * of modes are looked at without regard to case, and whatever follows one is ignored. Whoever
 * writes a mode of the memory gets it when a driver is bound the next time.
 *
 * They belong to the place, not to the GPU that is shown there, which another one replaces while
 * current_compute_partition is being written. So they have a pointer of their own.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../compat/sysfs.h"
#include "../gpu/part.h"
#include "../model/partition.h"
#include "drm.h"

/* Files, in the order of the rows below */
enum { COMPUTE, COMPUTE_MODES, MEMORY, MEMORY_MODES, MEMORY_SHARE, NUM_FILES };

/*
 * struct vdrm_partition - the files of a GPU
 * @whole: which; it outlives them
 * @parent: where they are
 * @file: each of them; @attrs,@group: the same, for sysfs
 */
struct vdrm_partition {
	struct gpu_device *whole;
	struct device *parent;
	struct vdrm_partition_file {
		struct device_attribute dev;
		struct vdrm_partition *of;
	} file[NUM_FILES];
	struct attribute *attrs[NUM_FILES + 1];
	struct attribute_group group;
};

static struct gpu_device *attr_to_whole(struct device_attribute *attr)
{
	return container_of(attr, struct vdrm_partition_file, dev)->of->whole;
}

static bool names(const char *text, const char *mode)
{
	return !strncasecmp(text, mode, strlen(mode));
}

/* ----------------------------------------------------------------- compute */

static ssize_t compute_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct gpu_device *whole = attr_to_whole(attr);
	unsigned int parts = READ_ONCE(whole->num_parts) ?: 1;

	return sysfs_emit(buf, "%s\n", gpu_part_mode_of(whole->target, parts)->name);
}

static ssize_t compute_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	struct gpu_device *whole = attr_to_whole(attr);
	const struct gpu_part_mode *m;
	unsigned int i;
	int ret;

	for (i = 0; (m = gpu_part_mode_get(whole->target, i)); i++)
		if (names(buf, m->name))
			break;
	if (!m)
		return -EINVAL;
	ret = gpu_part_ops->divide(whole, dev, m->parts);
	return ret ?: count;
}

static ssize_t compute_modes_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct gpu_device *whole = attr_to_whole(attr);
	const struct gpu_part_mode *m;
	unsigned int i;
	ssize_t at = 0;

	for (i = 0; (m = gpu_part_mode_get(whole->target, i)); i++)
		if (m->nps & BIT(whole->nps))
			at += sysfs_emit_at(buf, at, "%s%s", at ? ", " : "", m->name);
	return at + sysfs_emit_at(buf, at, "\n");
}

/* ------------------------------------------------------------------ memory */

static ssize_t memory_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "NPS%u\n", attr_to_whole(attr)->nps);
}

static ssize_t memory_store(struct device *dev, struct device_attribute *attr,
			    const char *buf, size_t count)
{
	struct gpu_device *whole = attr_to_whole(attr);
	char mode[] = "NPS0";
	unsigned int nps;
	int ret;

	for (nps = 1; nps <= GPU_NPS_MAX; nps++) {
		mode[3] = '0' + nps;
		if (whole->target->nps_modes & BIT(nps) && names(buf, mode))
			break;
	}
	if (nps > GPU_NPS_MAX)
		return -EINVAL;
	ret = gpu_part_ops->memory(whole, nps);
	return ret ?: count;
}

static ssize_t memory_modes_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	u8 modes = attr_to_whole(attr)->target->nps_modes;
	unsigned int nps;
	ssize_t at = 0;

	for (nps = 1; nps <= GPU_NPS_MAX; nps++)
		if (modes & BIT(nps))
			at += sysfs_emit_at(buf, at, "%sNPS%u", at ? ", " : "", nps);
	return at + sysfs_emit_at(buf, at, "\n");
}

/* Has a partition its share of the range of memory that it is in, or all of it? See gpu/range.c */
static const char * const share_names[] = { "CAPPING", "ALL" };

static ssize_t memory_share_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", share_names[READ_ONCE(attr_to_whole(attr)->share_all)]);
}

static ssize_t memory_share_store(struct device *dev, struct device_attribute *attr,
				  const char *buf, size_t count)
{
	unsigned int all;

	for (all = 0; all < ARRAY_SIZE(share_names); all++) {
		if (!names(buf, share_names[all]))
			continue;
		WRITE_ONCE(attr_to_whole(attr)->share_all, all);
		return count;
	}
	return -EINVAL;
}

/* ------------------------------------------------------------------- group */

static const struct device_attribute rows[NUM_FILES] = {
	[COMPUTE] = __ATTR(compute, 0644, compute_show, compute_store),
	[COMPUTE_MODES] = __ATTR(compute_modes, 0444, compute_modes_show, NULL),
	[MEMORY] = __ATTR(memory, 0644, memory_show, memory_store),
	[MEMORY_MODES] = __ATTR(memory_modes, 0444, memory_modes_show, NULL),
	[MEMORY_SHARE] = __ATTR(memory_share, 0644, memory_share_show, memory_share_store),
};

static const char * const file_names[NUM_FILES] = {
	[COMPUTE] = "current_compute_partition",
	[COMPUTE_MODES] = "available_compute_partition",
	[MEMORY] = "current_memory_partition",
	[MEMORY_MODES] = "available_memory_partition",
	[MEMORY_SHARE] = "compute_partition_mem_alloc_mode",
};

static void add_file(struct vdrm_partition *p, unsigned int i, unsigned int at)
{
	struct device_attribute *dev = &p->file[i].dev;

	p->file[i].of = p;
	*dev = rows[i];
	dev->attr.name = file_names[i];
	if (i == MEMORY && !COMPAT_FILE_NPS) {
		dev->attr.mode = 0444;
		dev->store = NULL;
	}
	sysfs_attr_init(&dev->attr);
	p->attrs[at] = &dev->attr;
}

static bool file_shown(unsigned int i)
{
	if (i == MEMORY_MODES)
		return COMPAT_FILE_NPS;
	return i != MEMORY_SHARE || COMPAT_FILE_MEM_ALLOC;
}

int vdrm_partition_init(struct gpu_device *whole, struct device *parent)
{
	struct vdrm_partition *p;
	unsigned int i, at = 0;
	int ret;

	if (!gpu_part_mode_get(whole->target, 0))
		return 0;
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	p->whole = whole;
	p->parent = parent;
	for (i = 0; i < NUM_FILES; i++)
		if (file_shown(i))
			add_file(p, i, at++);
	p->group.attrs = p->attrs;
	ret = sysfs_create_group(&parent->kobj, &p->group);
	if (ret) {
		kfree(p);
		return ret;
	}
	whole->part_files = p;
	ret = vdrm_xcp_init(whole, &parent->kobj);
	if (ret)
		vdrm_partition_fini(whole);
	return ret;
}

void vdrm_partition_fini(struct gpu_device *whole)
{
	struct vdrm_partition *p = whole->part_files;

	if (!p)
		return;
	whole->part_files = NULL;
	vdrm_xcp_fini(whole);
	sysfs_remove_group(&p->parent->kobj, &p->group);
	kfree(p);
}
