// SPDX-License-Identifier: GPL-2.0-only
/*
 * Further files about a card, which newer drivers have: manufacturer and form factor,
 * isolation of processes. Names and formats are those of amdgpu. Settings that would change
 * how the GPU works cannot be made.
 */
#include <linux/device.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../compat/sysfs.h"
#include "../gpu/device.h"
#include "../model/target.h"
#include "drm_int.h"

static const struct gpu_target *dev_to_target(struct device *dev)
{
	return ((const struct gpu_device *)dev_get_drvdata(dev))->target;
}

static ssize_t manufacturer_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "AMD\n");
}
static DEVICE_ATTR_RO(manufacturer);

/* A real one names a file of the manufacturer; ours, like the product number, names vkfd. */
static ssize_t fru_id_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, VDRM_VBIOS_PN "-FRU\n", dev_to_target(dev)->name);
}
static DEVICE_ATTR_RO(fru_id);

static ssize_t board_info_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "type : %s\n", dev_to_target(dev)->oam ? "oam" : "cem");
}
static DEVICE_ATTR_RO(board_info);

/* System memory that the driver may evict to preserve a queue: never any. */
static ssize_t mem_info_preempt_used_show(struct device *dev, struct device_attribute *attr,
					  char *buf)
{
	return sysfs_emit(buf, "0\n");
}
static DEVICE_ATTR_RO(mem_info_preempt_used);

/* ------------------------------------------------------------- power states */

/* From before there were performance levels. Always reads the same, whatever was written. */
static ssize_t power_dpm_state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "performance\n");
}

static ssize_t power_dpm_state_store(struct device *dev, struct device_attribute *attr,
				     const char *buf, size_t count)
{
	static const char * const states[] = { "battery", "balanced", "performance" };
	int ret = sysfs_match_string(states, buf);

	return ret < 0 ? ret : count;
}
static DEVICE_ATTR_RW(power_dpm_state);

static ssize_t pp_num_states_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	if (dev_to_pm(dev)->model->profiles)
		return sysfs_emit(buf, "states: 0\n");
	return sysfs_emit(buf, "states: 1\n0 default\n");
}
static DEVICE_ATTR_RO(pp_num_states);

static ssize_t pp_cur_state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return dev_to_pm(dev)->model->profiles ? -EINVAL : sysfs_emit(buf, "0\n");
}
static DEVICE_ATTR_RO(pp_cur_state);

/* ---------------------------------------------------------------- isolation */

/*
 * 0: processes may use the GPU at the same time. They always may. They never find data
 * of another process even so, and never wait for one another.
 */
static ssize_t enforce_isolation_show(struct device *dev, struct device_attribute *attr,
				      char *buf)
{
	return sysfs_emit(buf, "0\n");
}

static ssize_t enforce_isolation_store(struct device *dev, struct device_attribute *attr,
				       const char *buf, size_t count)
{
	return sysfs_streq(buf, "0") ? count : -EINVAL;
}
static DEVICE_ATTR_RW(enforce_isolation);

/* -------------------------------------------------------------------- group */

static struct attribute *vdrm_board_attrs[] = {
	&dev_attr_manufacturer.attr,
	&dev_attr_fru_id.attr,
	&dev_attr_board_info.attr,
	&dev_attr_mem_info_preempt_used.attr,
	&dev_attr_power_dpm_state.attr,
	&dev_attr_pp_num_states.attr,
	&dev_attr_pp_cur_state.attr,
	&dev_attr_enforce_isolation.attr,
	NULL
};

/* Shows the files that this kernel's own driver has for a card of this kind. */
static umode_t vdrm_board_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	bool has = true;

	if (attr == &dev_attr_manufacturer.attr || attr == &dev_attr_fru_id.attr)
		has = COMPAT_FILE_FRU;
	else if (attr == &dev_attr_board_info.attr)
		has = COMPAT_FILE_BOARD;
	else if (attr == &dev_attr_enforce_isolation.attr)
		has = COMPAT_FILE_ISOLATION;
	return has ? attr->mode : 0;
}

const struct attribute_group vdrm_board_group = {
	.attrs = vdrm_board_attrs,
	.is_visible = vdrm_board_visible,
};
