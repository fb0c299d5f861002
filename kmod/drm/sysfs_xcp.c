// SPDX-License-Identifier: GPL-2.0-only
/*
 * compute_partition_config/: what a partition of each mode would have, without a change of the
 * mode. Names, formats and modes of files are those of amdgpu_xcp.c (Linux 7.2), and numbers those
 * of aqua_vanjaram_get_xcp_res_info(): where there are fewer blocks than partitions, they share.
 *
 * The mode is chosen by xcp_config. It begins as the one that the GPU was started with, and does
 * not follow current_compute_partition, as in the driver.
 */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../compat/sysfs.h"
#include "../gpu/part.h"
#include "../model/partition.h"
#include "drm.h"

enum { XCP_MODES, XCP_MODE, XCP_NPS, NUM_XCP_FILES };
enum { RES_XCC, RES_DMA, RES_DEC, RES_JPEG, NUM_RES };
enum { RES_INSTANCES, RES_SHARED, NUM_RES_FILES };

/* jpeg_v4_0_3.c, jpeg_v5_0_1.c: each is as many rings */
#define JPEG_4_RINGS	8
#define JPEG_5_RINGS	10

struct vdrm_xcp;

/*
 * struct vdrm_xcp_res - a kind of blocks
 * @of: whose
 * @dir: its directory
 * @blocks: how many the GPU has; @each: what one of them counts as
 * @file: num_inst, num_shared
 */
struct vdrm_xcp_res {
	struct vdrm_xcp *of;
	struct kobject *dir;
	unsigned int blocks, each;
	struct vdrm_xcp_file {
		struct kobj_attribute attr;
		struct vdrm_xcp_res *of;
	} file[NUM_RES_FILES];
};

/*
 * struct vdrm_xcp - the directory of a GPU
 * @whole: which; it outlives it
 * @mode: the chosen mode (READ_ONCE)
 * @dir: the directory
 * @file: those in it; @res: the directories in it
 */
struct vdrm_xcp {
	struct gpu_device *whole;
	const struct gpu_part_mode *mode;
	struct kobject *dir;
	struct {
		struct kobj_attribute attr;
		struct vdrm_xcp *of;
	} file[NUM_XCP_FILES];
	struct vdrm_xcp_res res[NUM_RES];
};

static struct vdrm_xcp *attr_to_xcp(struct kobj_attribute *attr)
{
	return container_of(attr, typeof(((struct vdrm_xcp *)NULL)->file[0]), attr)->of;
}

/* ------------------------------------------------------------------- blocks */

static ssize_t instances_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct vdrm_xcp_res *r = container_of(attr, struct vdrm_xcp_file, attr)->of;
	unsigned int parts = READ_ONCE(r->of->mode)->parts;

	return sysfs_emit(buf, "%u\n", max(r->blocks / parts, 1u) * r->each);
}

static ssize_t shared_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct vdrm_xcp_res *r = container_of(attr, struct vdrm_xcp_file, attr)->of;
	unsigned int parts = READ_ONCE(r->of->mode)->parts;

	return sysfs_emit(buf, "%u\n", r->blocks < parts ? parts / r->blocks : 1);
}

/* Video decoders; each has a JPEG decoder (both are UVD where hardware lists its blocks). */
static unsigned int count_decoders(const struct gpu_target *t, unsigned int *major)
{
	const struct gpu_target_ips *ips = t->ips;
	unsigned int i, n = 0;

	*major = 0;
	for (i = 0; ips && i < ips->num_rows; i++) {
		if (ips->rows[i].hw_id != GPU_HWID_UVD)
			continue;
		n += ips->rows[i].count;
		*major = ips->rows[i].major;
	}
	return n;
}

unsigned int vdrm_xcp_decoders(const struct gpu_device *whole, unsigned int parts)
{
	unsigned int major, decoders = count_decoders(whole->target, &major);

	return decoders ? max(decoders / parts, 1u) : 0;
}

static void count_blocks(struct vdrm_xcp *x)
{
	const struct gpu_target *t = x->whole->target;
	unsigned int i, major, decoders = count_decoders(t, &major);

	for (i = 0; i < NUM_RES; i++)
		x->res[i].each = 1;
	x->res[RES_XCC].blocks = t->num_xcc;
	x->res[RES_DMA].blocks = t->sdma_engines + t->sdma_xgmi_engines;
	x->res[RES_DEC].blocks = decoders;
	x->res[RES_JPEG].blocks = decoders;
	x->res[RES_JPEG].each = major < 5 ? JPEG_4_RINGS : JPEG_5_RINGS;
}

/* -------------------------------------------------------------------- modes */

static ssize_t supported_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct gpu_target *t = attr_to_xcp(attr)->whole->target;
	const struct gpu_part_mode *m;
	unsigned int i;
	ssize_t at = 0;

	for (i = 0; (m = gpu_part_mode_get(t, i)); i++)
		at += sysfs_emit_at(buf, at, "%s%s", at ? ", " : "", m->name);
	return at + sysfs_emit_at(buf, at, "\n");
}

static ssize_t config_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", READ_ONCE(attr_to_xcp(attr)->mode)->name);
}

static ssize_t config_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			    size_t count)
{
	struct vdrm_xcp *x = attr_to_xcp(attr);
	const struct gpu_part_mode *m;
	unsigned int i;

	for (i = 0; (m = gpu_part_mode_get(x->whole->target, i)); i++)
		if (!strncasecmp(buf, m->name, strlen(m->name)))
			break;
	if (!m)
		return -EINVAL;
	WRITE_ONCE(x->mode, m);
	return count;
}

/* Modes of the memory that go with it */
static ssize_t nps_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct vdrm_xcp *x = attr_to_xcp(attr);
	u8 modes = x->whole->target->nps_modes & READ_ONCE(x->mode)->nps;
	unsigned int nps;
	ssize_t at = 0;

	if (!modes)
		return sysfs_emit(buf, "Not supported\n");
	for (nps = 1; nps <= GPU_NPS_MAX; nps++)
		if (modes & BIT(nps))
			at += sysfs_emit_at(buf, at, "%sNPS%u", at ? ", " : "", nps);
	return at + sysfs_emit_at(buf, at, "\n");
}

/* -------------------------------------------------------------- directories */

static const struct kobj_attribute xcp_rows[NUM_XCP_FILES] = {
	[XCP_MODES] = __ATTR(supported_xcp_configs, 0444, supported_show, NULL),
	[XCP_MODE] = __ATTR(xcp_config, 0644, config_show, config_store),
	[XCP_NPS] = __ATTR(supported_nps_configs, 0444, nps_show, NULL),
};

static const struct kobj_attribute res_rows[NUM_RES_FILES] = {
	[RES_INSTANCES] = __ATTR(num_inst, 0400, instances_show, NULL),
	[RES_SHARED] = __ATTR(num_shared, 0400, shared_show, NULL),
};

static const char * const res_names[NUM_RES] = { "xcc", "dma", "dec", "jpeg" };

static int add_res(struct vdrm_xcp *x, struct vdrm_xcp_res *r, const char *name)
{
	unsigned int i;
	int ret = 0;

	r->of = x;
	r->dir = kobject_create_and_add(name, x->dir);
	if (!r->dir)
		return -ENOMEM;
	for (i = 0; i < NUM_RES_FILES && !ret; i++) {
		r->file[i].of = r;
		r->file[i].attr = res_rows[i];
		sysfs_attr_init(&r->file[i].attr.attr);
		ret = sysfs_create_file(r->dir, &r->file[i].attr.attr);
	}
	return ret;
}

static int add_files(struct vdrm_xcp *x)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < NUM_XCP_FILES && !ret; i++) {
		x->file[i].of = x;
		x->file[i].attr = xcp_rows[i];
		sysfs_attr_init(&x->file[i].attr.attr);
		ret = sysfs_create_file(x->dir, &x->file[i].attr.attr);
	}
	for (i = 0; i < NUM_RES && !ret; i++)
		if (x->res[i].blocks)
			ret = add_res(x, &x->res[i], res_names[i]);
	return ret;
}

/* Whoever is reading a file is waited for, so nothing of @x is in use behind it. */
static void remove_dir(struct kobject *dir)
{
	if (!dir)
		return;
	kobject_del(dir);
	kobject_put(dir);
}

int vdrm_xcp_init(struct gpu_device *whole, struct kobject *parent)
{
	struct vdrm_xcp *x;
	int ret;

	if (!COMPAT_FILE_XCP_CONFIG)
		return 0;
	x = kzalloc(sizeof(*x), GFP_KERNEL);
	if (!x)
		return -ENOMEM;
	x->whole = whole;
	x->mode = gpu_part_mode_of(whole->target, whole->num_parts ?: 1);
	count_blocks(x);
	x->dir = kobject_create_and_add("compute_partition_config", parent);
	ret = x->dir ? add_files(x) : -ENOMEM;
	whole->xcp_files = x;
	if (ret)
		vdrm_xcp_fini(whole);
	return ret;
}

void vdrm_xcp_fini(struct gpu_device *whole)
{
	struct vdrm_xcp *x = whole->xcp_files;
	unsigned int i;

	if (!x)
		return;
	whole->xcp_files = NULL;
	for (i = 0; i < NUM_RES; i++)
		remove_dir(x->res[i].dir);
	remove_dir(x->dir);
	kfree(x);
}
