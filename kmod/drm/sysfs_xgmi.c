// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of a GPU in a hive, as amdgpu_xgmi.c of Linux has them. A member that was unplugged
 * counts as before: a hive's wiring is that of the machine.
 */
#include <linux/compiler.h>
#include <linux/device.h>
#include <linux/sysfs.h>

#include "../gpu/part.h"
#include "drm_int.h"

/* Partitions are members of a hive for KFD only. */
static const struct gpu_device *dev_to_gdev(struct device *dev)
{
	return gpu_device_whole(dev_get_drvdata(dev));
}

static ssize_t xgmi_device_id_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", dev_to_gdev(dev)->unique_id);
}

static ssize_t xgmi_physical_id_show(struct device *dev, struct device_attribute *attr,
				     char *buf)
{
	return sysfs_emit(buf, "%u\n", dev_to_gdev(dev)->hive.node);
}

static ssize_t xgmi_error_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0\n");
}

/* One number for each member; 0 for the GPU itself. */
static ssize_t show_members(const struct gpu_hive *hive, unsigned int value, char *buf)
{
	unsigned int i, nodes = READ_ONCE(hive->nodes);
	ssize_t len = 0;

	for (i = 0; i < nodes; i++)
		len += sysfs_emit_at(buf, len, "%02x ", i == hive->node ? 0 : value);
	return len + sysfs_emit_at(buf, len, "\n");
}

static ssize_t xgmi_num_hops_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return show_members(&dev_to_gdev(dev)->hive, 1, buf);
}

static ssize_t xgmi_num_links_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct gpu_hive *hive = &dev_to_gdev(dev)->hive;

	return show_members(hive, hive->links, buf);
}

static DEVICE_ATTR_RO(xgmi_device_id);
static DEVICE_ATTR_RO(xgmi_physical_id);
static DEVICE_ATTR_RO(xgmi_error);
static DEVICE_ATTR_RO(xgmi_num_hops);
static DEVICE_ATTR_RO(xgmi_num_links);

static struct attribute *vdrm_xgmi_attrs[] = {
	&dev_attr_xgmi_device_id.attr,
	&dev_attr_xgmi_physical_id.attr,
	&dev_attr_xgmi_error.attr,
	&dev_attr_xgmi_num_hops.attr,
	&dev_attr_xgmi_num_links.attr,
	NULL
};

static const struct attribute_group vdrm_xgmi_group = {
	.attrs = vdrm_xgmi_attrs,
};

/* The real driver has it at one member, and links from the others. */
static ssize_t xgmi_hive_id_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", dev_to_gdev(dev)->hive.id);
}

static DEVICE_ATTR_RO(xgmi_hive_id);

static struct attribute *vdrm_hive_attrs[] = {
	&dev_attr_xgmi_hive_id.attr,
	NULL
};

static const struct attribute_group vdrm_hive_group = {
	.name = "xgmi_hive_info",
	.attrs = vdrm_hive_attrs,
};

const struct attribute_group *vdrm_xgmi_groups[] = {
	&vdrm_xgmi_group,
	&vdrm_hive_group,
	NULL
};
