// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwmon: temperatures, power, clocks and voltage, by the names that amdgpu uses for
 * cards without a fan. All values except the power limit come from the model in pm.c.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/hwmon.h>
#include <linux/hwmon-sysfs.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/sysfs.h>

#include "../model/target.h"
#include "pm.h"

enum { TEMP_EDGE, TEMP_JUNCTION, TEMP_MEM };

static const struct gpu_target_temp *temp_limits(const struct vdrm_pm *pm, int which)
{
	return which == TEMP_EDGE ? &pm->model->edge :
	       which == TEMP_JUNCTION ? &pm->model->junction : &pm->model->mem;
}

static ssize_t temp_input_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct vdrm_sensors s;

	vdrm_pm_sense(dev_get_drvdata(dev), &s);
	switch (to_sensor_dev_attr(attr)->index) {
	case TEMP_EDGE:
		return sysfs_emit(buf, "%u\n", s.edge_mc);
	case TEMP_JUNCTION:
		return sysfs_emit(buf, "%u\n", s.junction_mc);
	default:
		return sysfs_emit(buf, "%u\n", s.mem_mc);
	}
}

static ssize_t temp_label_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	static const char * const labels[] = { "edge", "junction", "mem" };

	return sysfs_emit(buf, "%s\n", labels[to_sensor_dev_attr(attr)->index]);
}

static ssize_t temp_crit_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	int which = to_sensor_dev_attr(attr)->index;

	return sysfs_emit(buf, "%u\n", temp_limits(dev_get_drvdata(dev), which)->crit * 1000u);
}

/* The real driver's lowest temperature: -273.15 C. */
static ssize_t temp_crit_hyst_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", -273150);
}

static ssize_t temp_emergency_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	int which = to_sensor_dev_attr(attr)->index;

	return sysfs_emit(buf, "%u\n",
			  temp_limits(dev_get_drvdata(dev), which)->emergency * 1000u);
}

#define TEMP_ATTRS(n, which) \
	static SENSOR_DEVICE_ATTR_RO(temp##n##_input, temp_input, which); \
	static SENSOR_DEVICE_ATTR_RO(temp##n##_label, temp_label, which); \
	static SENSOR_DEVICE_ATTR_RO(temp##n##_crit, temp_crit, which); \
	static SENSOR_DEVICE_ATTR_RO(temp##n##_crit_hyst, temp_crit_hyst, which); \
	static SENSOR_DEVICE_ATTR_RO(temp##n##_emergency, temp_emergency, which)

TEMP_ATTRS(1, TEMP_EDGE);
TEMP_ATTRS(2, TEMP_JUNCTION);
TEMP_ATTRS(3, TEMP_MEM);

static ssize_t power1_average_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct vdrm_sensors s;

	vdrm_pm_sense(dev_get_drvdata(dev), &s);
	return sysfs_emit(buf, "%llu\n", s.microwatts);
}

static ssize_t power1_label_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "PPT\n");
}

static ssize_t show_watts(char *buf, unsigned int watts)
{
	return sysfs_emit(buf, "%llu\n", (u64)watts * USEC_PER_SEC);
}

static ssize_t power1_cap_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct vdrm_pm *pm = dev_get_drvdata(dev);

	return show_watts(buf, READ_ONCE(pm->cap_watts));
}

static ssize_t power1_cap_store(struct device *dev, struct device_attribute *attr,
				const char *buf, size_t count)
{
	u32 microwatts;
	int ret;

	ret = kstrtou32(buf, 10, &microwatts);
	if (!ret)
		ret = vdrm_pm_set_cap(dev_get_drvdata(dev), microwatts / USEC_PER_SEC);
	return ret ?: count;
}

static ssize_t power1_cap_default_show(struct device *dev, struct device_attribute *attr,
				       char *buf)
{
	struct vdrm_pm *pm = dev_get_drvdata(dev);

	return show_watts(buf, pm->model->cap_watts);
}

static ssize_t power1_cap_max_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct vdrm_pm *pm = dev_get_drvdata(dev);

	return show_watts(buf, pm->model->max_cap_watts);
}

static ssize_t power1_cap_min_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return show_watts(buf, 0);
}

static DEVICE_ATTR_RO(power1_average);
static DEVICE_ATTR_RO(power1_label);
static DEVICE_ATTR_RW(power1_cap);
static DEVICE_ATTR_RO(power1_cap_default);
static DEVICE_ATTR_RO(power1_cap_max);
static DEVICE_ATTR_RO(power1_cap_min);

static ssize_t freq_input_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct vdrm_sensors s;

	vdrm_pm_sense(dev_get_drvdata(dev), &s);
	return sysfs_emit(buf, "%llu\n",
			  (u64)s.mhz[to_sensor_dev_attr(attr)->index] * 1000000);
}

static ssize_t freq_label_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  to_sensor_dev_attr(attr)->index == VDRM_SCLK ? "sclk" : "mclk");
}

static SENSOR_DEVICE_ATTR_RO(freq1_input, freq_input, VDRM_SCLK);
static SENSOR_DEVICE_ATTR_RO(freq1_label, freq_label, VDRM_SCLK);
static SENSOR_DEVICE_ATTR_RO(freq2_input, freq_input, VDRM_MCLK);
static SENSOR_DEVICE_ATTR_RO(freq2_label, freq_label, VDRM_MCLK);

static ssize_t in0_input_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct vdrm_sensors s;

	vdrm_pm_sense(dev_get_drvdata(dev), &s);
	return sysfs_emit(buf, "%u\n", s.millivolts);
}

static ssize_t in0_label_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "vddgfx\n");
}

static DEVICE_ATTR_RO(in0_input);
static DEVICE_ATTR_RO(in0_label);

#define TEMP_LIST(n) \
	&sensor_dev_attr_temp##n##_input.dev_attr.attr, \
	&sensor_dev_attr_temp##n##_label.dev_attr.attr, \
	&sensor_dev_attr_temp##n##_crit.dev_attr.attr, \
	&sensor_dev_attr_temp##n##_crit_hyst.dev_attr.attr, \
	&sensor_dev_attr_temp##n##_emergency.dev_attr.attr

static struct attribute *vdrm_hwmon_attrs[] = {
	TEMP_LIST(1),
	TEMP_LIST(2),
	TEMP_LIST(3),
	&dev_attr_power1_average.attr,
	&dev_attr_power1_label.attr,
	&dev_attr_power1_cap.attr,
	&dev_attr_power1_cap_default.attr,
	&dev_attr_power1_cap_max.attr,
	&dev_attr_power1_cap_min.attr,
	&sensor_dev_attr_freq1_input.dev_attr.attr,
	&sensor_dev_attr_freq1_label.dev_attr.attr,
	&sensor_dev_attr_freq2_input.dev_attr.attr,
	&sensor_dev_attr_freq2_label.dev_attr.attr,
	&dev_attr_in0_input.attr,
	&dev_attr_in0_label.attr,
	NULL
};
ATTRIBUTE_GROUPS(vdrm_hwmon);

int vdrm_hwmon_init(struct vdrm_pm *pm, struct device *parent, struct device **hwmon)
{
	struct device *dev;

	*hwmon = NULL;
	if (!IS_REACHABLE(CONFIG_HWMON))
		return 0;
	dev = hwmon_device_register_with_groups(parent, "amdgpu", pm, vdrm_hwmon_groups);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	*hwmon = dev;
	return 0;
}

void vdrm_hwmon_fini(struct device *hwmon)
{
	if (IS_REACHABLE(CONFIG_HWMON) && hwmon)
		hwmon_device_unregister(hwmon);
}
