// SPDX-License-Identifier: GPL-2.0-only
/*
 * ip_discovery/die/0/HW_ID/INSTANCE/: the hardware blocks of a GPU, in the names and
 * formats of amdgpu. The directories of blocks are numbers, with links that have the
 * names. amdgpu shows them for GPUs that contain an IP discovery table and, since Linux
 * 6.17, for some older GPUs whose table it has in a firmware file.
 */
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "../compat/sysfs.h"
#include "../gpu/device.h"
#include "../model/target.h"
#include "drm_int.h"

/**
 * struct vdrm_ip_dir - a directory
 * @kobj: its release frees this struct
 * @node: in vdrm_device.ip_dirs, after its parent
 * @num_ips: of a die: number of all its instances
 * @ip: of an instance: its row
 * @nth: of an instance: its index among those of the row
 */
struct vdrm_ip_dir {
	struct kobject kobj;
	struct list_head node;
	unsigned int num_ips;
	const struct gpu_target_ip *ip;
	unsigned int nth;
};

static struct vdrm_ip_dir *to_ip_dir(struct kobject *kobj)
{
	return container_of(kobj, struct vdrm_ip_dir, kobj);
}

/* -------------------------------------------------------------------- files */

static unsigned int instance_of(const struct vdrm_ip_dir *dir)
{
	return dir->ip->first + dir->nth * dir->ip->step;
}

#define IP_FILE(name, value) \
	static ssize_t name##_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf) \
	{ \
		struct vdrm_ip_dir *dir = to_ip_dir(kobj); \
		\
		return sysfs_emit(buf, "%d\n", value); \
	} \
	static struct kobj_attribute ip_##name = __ATTR_RO(name)

IP_FILE(num_ips, dir->num_ips);
IP_FILE(hw_id, dir->ip->hw_id);
IP_FILE(num_instance, instance_of(dir));
IP_FILE(major, dir->ip->major);
IP_FILE(minor, dir->ip->minor);
IP_FILE(revision, dir->ip->revision);
IP_FILE(num_base_addresses, dir->ip->num_bases);

static ssize_t harvest_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%01X\n", to_ip_dir(kobj)->ip->harvest);
}

static ssize_t base_addr_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct vdrm_ip_dir *dir = to_ip_dir(kobj);
	unsigned int i;
	int at = 0;

	for (i = 0; i < dir->ip->num_bases; i++)
		at += sysfs_emit_at(buf, at, "0x%08X\n",
				    dir->ip->base[i] + dir->nth * dir->ip->stride);
	return at;
}

static struct kobj_attribute ip_harvest = __ATTR_RO(harvest);
static struct kobj_attribute ip_base_addr = __ATTR_RO(base_addr);

static struct attribute *ip_instance_attrs[] = {
	&ip_hw_id.attr,
	&ip_num_instance.attr,
	&ip_major.attr,
	&ip_minor.attr,
	&ip_revision.attr,
	&ip_harvest.attr,
	&ip_num_base_addresses.attr,
	&ip_base_addr.attr,
	NULL
};
ATTRIBUTE_GROUPS(ip_instance);

static struct attribute *ip_die_attrs[] = {
	&ip_num_ips.attr,
	NULL
};
ATTRIBUTE_GROUPS(ip_die);

/* -------------------------------------------------------------- directories */

static void ip_dir_release(struct kobject *kobj)
{
	kfree(to_ip_dir(kobj));
}

static const struct kobj_type ip_plain_type = {
	.release = ip_dir_release,
	.sysfs_ops = &kobj_sysfs_ops,
};

static const struct kobj_type ip_die_type = {
	.release = ip_dir_release,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = ip_die_groups,
};

static const struct kobj_type ip_instance_type = {
	.release = ip_dir_release,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = ip_instance_groups,
};

/* The new directory copies the contents of its files from @proto. */
static struct vdrm_ip_dir *ip_dir_add(struct vdrm_device *vdev, struct kobject *parent,
				      const struct kobj_type *type,
				      const struct vdrm_ip_dir *proto, const char *name)
{
	struct vdrm_ip_dir *dir = kzalloc(sizeof(*dir), GFP_KERNEL);

	if (!dir)
		return NULL;
	dir->num_ips = proto->num_ips;
	dir->ip = proto->ip;
	dir->nth = proto->nth;
	if (kobject_init_and_add(&dir->kobj, type, parent, "%s", name)) {
		kobject_put(&dir->kobj);
		return NULL;
	}
	list_add_tail(&dir->node, &vdev->ip_dirs);
	return dir;
}

static const char *ip_name(u16 hw_id)
{
	static const char * const names[] = {
		[GPU_HWID_MP1] = "MP1", [GPU_HWID_THM] = "THM", [GPU_HWID_SMUIO] = "SMUIO",
		[GPU_HWID_CLKA] = "CLKA", [GPU_HWID_GC] = "GC", [GPU_HWID_UVD] = "UVD",
		[GPU_HWID_DCI] = "DCI", [GPU_HWID_VCE] = "VCE", [GPU_HWID_MMHUB] = "MMHUB",
		[GPU_HWID_ATHUB] = "ATHUB", [GPU_HWID_OSSSYS] = "OSSSYS",
		[GPU_HWID_HDP] = "HDP", [GPU_HWID_SDMA0] = "SDMA0",
		[GPU_HWID_SDMA1] = "SDMA1", [GPU_HWID_DF] = "DF",
		[GPU_HWID_SDMA2] = "SDMA2", [GPU_HWID_SDMA3] = "SDMA3", [GPU_HWID_NBIF] = "NBIF",
		[GPU_HWID_UMC] = "UMC", [GPU_HWID_XGMI] = "XGMI", [GPU_HWID_MP0] = "MP0",
	};

	return names[hw_id];
}

/* @ip is the first row of a block; the others follow it. */
static int ip_instances_add(struct vdrm_device *vdev, struct vdrm_ip_dir *block,
			    const struct gpu_target_ip *ip)
{
	struct vdrm_ip_dir proto = { .ip = ip };
	char name[8];

	for (proto.nth = 0; proto.nth < ip->count; proto.nth++) {
		snprintf(name, sizeof(name), "%u", instance_of(&proto));
		if (!ip_dir_add(vdev, &block->kobj, &ip_instance_type, &proto, name))
			return -ENOMEM;
	}
	return 0;
}

static int ip_blocks_add(struct vdrm_device *vdev, struct vdrm_ip_dir *die,
			 const struct gpu_target_ips *ips)
{
	static const struct vdrm_ip_dir plain;
	struct vdrm_ip_dir *block = NULL;
	const struct gpu_target_ip *ip;
	char name[8];
	int ret = 0;

	for (ip = ips->rows; ip < ips->rows + ips->num_rows && !ret; ip++) {
		if (ip == ips->rows || ip->hw_id != ip[-1].hw_id) {
			snprintf(name, sizeof(name), "%u", ip->hw_id);
			block = ip_dir_add(vdev, &die->kobj, &ip_plain_type, &plain, name);
			if (!block)
				return -ENOMEM;
			ret = sysfs_create_link(&die->kobj, &block->kobj, ip_name(ip->hw_id));
		}
		ret = ret ?: ip_instances_add(vdev, block, ip);
	}
	return ret;
}

static bool ip_shown(const struct gpu_target *t)
{
	return t->ips && (t->discovered || COMPAT_IP_DISCOVERY_FILES);
}

int vdrm_discovery_init(struct vdrm_device *vdev, struct device *parent)
{
	const struct gpu_target *t = vdev->gdev->target;
	struct vdrm_ip_dir *top, *dies, *die, proto = { };
	unsigned int i;
	int ret = -ENOMEM;

	INIT_LIST_HEAD(&vdev->ip_dirs);
	if (!ip_shown(t))
		return 0;
	top = ip_dir_add(vdev, &parent->kobj, &ip_plain_type, &proto, "ip_discovery");
	dies = top ? ip_dir_add(vdev, &top->kobj, &ip_plain_type, &proto, "die") : NULL;
	for (i = 0; i < t->ips->num_rows; i++)
		proto.num_ips += t->ips->rows[i].count;
	die = dies ? ip_dir_add(vdev, &dies->kobj, &ip_die_type, &proto, "0") : NULL;
	if (die)
		ret = ip_blocks_add(vdev, die, t->ips);
	if (ret)
		vdrm_discovery_fini(vdev);
	return ret;
}

/* Waits for readers of the files. */
void vdrm_discovery_fini(struct vdrm_device *vdev)
{
	struct vdrm_ip_dir *dir, *next;

	list_for_each_entry_safe_reverse(dir, next, &vdev->ip_dirs, node) {
		list_del(&dir->node);
		kobject_del(&dir->kobj);
		kobject_put(&dir->kobj);
	}
}
