// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files in /sys/class/drm/cardN/device besides those of PCI: identity, memory, firmware.
 * Names and formats are those of amdgpu. There is no fan.
 */
#include <linux/device.h>
#include <linux/pci.h>
#include <linux/sysfs.h>

#include "../gpu/part.h"
#include "../model/target.h"
#include "drm_int.h"

static struct gpu_device *dev_to_gdev(struct device *dev)
{
	return dev_get_drvdata(dev);
}

/* These are files of the function, which is the whole GPU, also if it is divided. */
static const struct gpu_device *dev_to_whole(struct device *dev)
{
	return gpu_device_whole(dev_to_gdev(dev));
}

/* ---------------------------------------------------------------- identity */

static ssize_t vbios_version_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, VDRM_VBIOS_PN "\n", dev_to_gdev(dev)->target->name);
}

static ssize_t product_name_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", dev_to_gdev(dev)->target->product);
}

static ssize_t product_number_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "VKFD-%s\n", dev_to_gdev(dev)->target->name);
}

static ssize_t unique_id_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%016llx\n", dev_to_whole(dev)->unique_id);
}

static ssize_t serial_number_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return unique_id_show(dev, attr, buf);
}

static DEVICE_ATTR_RO(vbios_version);
static DEVICE_ATTR_RO(product_name);
static DEVICE_ATTR_RO(product_number);
static DEVICE_ATTR_RO(unique_id);
static DEVICE_ATTR_RO(serial_number);

/* ------------------------------------------------------------------ memory */

static ssize_t show_bytes(char *buf, u64 bytes)
{
	return sysfs_emit(buf, "%llu\n", bytes);
}

/* Partitions stay as long as the files of the first one do. */
static struct vdrm_memory memory_of(struct device *dev)
{
	const struct gpu_device *whole = dev_to_whole(dev);
	struct vdrm_memory m = vdrm_memory_of(whole);
	unsigned int i, n = READ_ONCE(whole->num_parts);

	for (i = 0; i < n; i++) {
		m.vram_used += atomic64_read(&whole->parts[i]->vram_used);
		m.gtt_used += atomic64_read(&whole->parts[i]->gtt_used);
	}
	return m;
}

static ssize_t mem_info_vram_total_show(struct device *dev, struct device_attribute *attr,
					char *buf)
{
	return show_bytes(buf, memory_of(dev).vram);
}

static ssize_t mem_info_vram_used_show(struct device *dev, struct device_attribute *attr,
				       char *buf)
{
	return show_bytes(buf, memory_of(dev).vram_used);
}

/* The CPU can access all of it. */
static ssize_t mem_info_vis_vram_total_show(struct device *dev, struct device_attribute *attr,
					    char *buf)
{
	return mem_info_vram_total_show(dev, attr, buf);
}

static ssize_t mem_info_vis_vram_used_show(struct device *dev, struct device_attribute *attr,
					   char *buf)
{
	return mem_info_vram_used_show(dev, attr, buf);
}

static ssize_t mem_info_vram_vendor_show(struct device *dev, struct device_attribute *attr,
					 char *buf)
{
	return sysfs_emit(buf, "unknown\n");
}

static ssize_t mem_info_gtt_total_show(struct device *dev, struct device_attribute *attr,
				       char *buf)
{
	return show_bytes(buf, memory_of(dev).gtt);
}

static ssize_t mem_info_gtt_used_show(struct device *dev, struct device_attribute *attr,
				      char *buf)
{
	return show_bytes(buf, memory_of(dev).gtt_used);
}

static DEVICE_ATTR_RO(mem_info_vram_total);
static DEVICE_ATTR_RO(mem_info_vram_used);
static DEVICE_ATTR_RO(mem_info_vis_vram_total);
static DEVICE_ATTR_RO(mem_info_vis_vram_used);
static DEVICE_ATTR_RO(mem_info_vram_vendor);
static DEVICE_ATTR_RO(mem_info_gtt_total);
static DEVICE_ATTR_RO(mem_info_gtt_used);

/* -------------------------------------------------------------------- link */

/* Packets in, packets out, largest payload. Nothing is transferred over this link. */
static ssize_t pcie_bw_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0 0 %i\n", pcie_get_mps(to_pci_dev(dev)));
}

static ssize_t pcie_replay_count_show(struct device *dev, struct device_attribute *attr,
				      char *buf)
{
	return sysfs_emit(buf, "0\n");
}

static DEVICE_ATTR_RO(pcie_bw);
static DEVICE_ATTR_RO(pcie_replay_count);

static struct attribute *vdrm_attrs[] = {
	&dev_attr_vbios_version.attr,
	&dev_attr_product_name.attr,
	&dev_attr_product_number.attr,
	&dev_attr_unique_id.attr,
	&dev_attr_serial_number.attr,
	&dev_attr_mem_info_vram_total.attr,
	&dev_attr_mem_info_vram_used.attr,
	&dev_attr_mem_info_vis_vram_total.attr,
	&dev_attr_mem_info_vis_vram_used.attr,
	&dev_attr_mem_info_vram_vendor.attr,
	&dev_attr_mem_info_gtt_total.attr,
	&dev_attr_mem_info_gtt_used.attr,
	&dev_attr_pcie_bw.attr,
	&dev_attr_pcie_replay_count.attr,
	NULL
};

static umode_t vdrm_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	bool link = attr == &dev_attr_pcie_bw.attr || attr == &dev_attr_pcie_replay_count.attr;

	return link && !dev_is_pci(kobj_to_dev(kobj)) ? 0 : attr->mode;
}

static const struct attribute_group vdrm_group = {
	.attrs = vdrm_attrs,
	.is_visible = vdrm_visible,
};

/* ---------------------------------------------------------------- firmware */

static ssize_t mec_fw_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%08x\n", dev_to_gdev(dev)->target->mec_fw);
}

static ssize_t sdma_fw_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%08x\n", dev_to_gdev(dev)->target->sdma_fw);
}

/* amdgpu shows firmware that it did not load as version 0. */
static ssize_t no_fw_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%08x\n", 0);
}

#define FW_ATTR(name, fn) \
	(&((struct device_attribute)__ATTR(name##_fw_version, 0444, fn, NULL)).attr)

static struct attribute *vdrm_fw_attrs[] = {
	FW_ATTR(vce, no_fw_show),
	FW_ATTR(uvd, no_fw_show),
	FW_ATTR(mc, no_fw_show),
	FW_ATTR(me, no_fw_show),
	FW_ATTR(pfp, no_fw_show),
	FW_ATTR(ce, no_fw_show),
	FW_ATTR(rlc, no_fw_show),
	FW_ATTR(rlc_srlc, no_fw_show),
	FW_ATTR(rlc_srlg, no_fw_show),
	FW_ATTR(rlc_srls, no_fw_show),
	FW_ATTR(mec, mec_fw_show),
	FW_ATTR(mec2, mec_fw_show),
	FW_ATTR(imu, no_fw_show),
	FW_ATTR(sos, no_fw_show),
	FW_ATTR(asd, no_fw_show),
	FW_ATTR(ta_ras, no_fw_show),
	FW_ATTR(ta_xgmi, no_fw_show),
	FW_ATTR(smc, no_fw_show),
	FW_ATTR(sdma, sdma_fw_show),
	FW_ATTR(sdma2, sdma_fw_show),
	FW_ATTR(vcn, no_fw_show),
	FW_ATTR(dmcu, no_fw_show),
	NULL
};

static const struct attribute_group vdrm_fw_group = {
	.name = "fw_version",
	.attrs = vdrm_fw_attrs,
};

static const struct attribute_group *vdrm_groups[] = {
	&vdrm_group,
	&vdrm_pm_group,
	&vdrm_fw_group,
	&vdrm_board_group,
	NULL
};

int vdrm_sysfs_init(struct vdrm_device *vdev, struct device *parent)
{
	int ret;

	ret = sysfs_create_groups(&parent->kobj, vdrm_groups);
	if (ret)
		return ret;
	if (vdev->gdev->target->ras)
		ret = sysfs_create_group(&parent->kobj, &vdrm_ras_group);
	if (ret)
		goto out_groups;
	if (vdrm_policy_shown(&vdev->pm))
		ret = sysfs_create_group(&parent->kobj, &vdrm_policy_group);
	if (ret)
		goto out_ras;
	if (gpu_device_whole(vdev->gdev)->hive.id)
		ret = sysfs_create_groups(&parent->kobj, vdrm_xgmi_groups);
	if (ret)
		goto out_policy;
	ret = vdrm_discovery_init(vdev, parent);
	if (ret)
		goto out_xgmi;
	ret = vdrm_hwmon_init(&vdev->pm, parent, &vdev->hwmon);
	if (ret)
		goto out_discovery;
	return 0;

out_discovery:
	vdrm_discovery_fini(vdev);
out_xgmi:
	if (gpu_device_whole(vdev->gdev)->hive.id)
		sysfs_remove_groups(&parent->kobj, vdrm_xgmi_groups);
out_policy:
	if (vdrm_policy_shown(&vdev->pm))
		sysfs_remove_group(&parent->kobj, &vdrm_policy_group);
out_ras:
	if (vdev->gdev->target->ras)
		sysfs_remove_group(&parent->kobj, &vdrm_ras_group);
out_groups:
	sysfs_remove_groups(&parent->kobj, vdrm_groups);
	return ret;
}

/* Waits for readers of the files. */
void vdrm_sysfs_fini(struct vdrm_device *vdev, struct device *parent)
{
	vdrm_hwmon_fini(vdev->hwmon);
	vdrm_discovery_fini(vdev);
	if (gpu_device_whole(vdev->gdev)->hive.id)
		sysfs_remove_groups(&parent->kobj, vdrm_xgmi_groups);
	if (vdrm_policy_shown(&vdev->pm))
		sysfs_remove_group(&parent->kobj, &vdrm_policy_group);
	if (vdev->gdev->target->ras)
		sysfs_remove_group(&parent->kobj, &vdrm_ras_group);
	sysfs_remove_groups(&parent->kobj, vdrm_groups);
}
