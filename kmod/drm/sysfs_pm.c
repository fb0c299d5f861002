// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clocks and performance level in sysfs, in amdgpu's format. A file accepts what that of
 * the real card accepts; anything else is EINVAL, or the file is not writable.
 */
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/pci.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../compat/sysfs.h"
#include "../model/target.h"
#include "drm_int.h"

/* ------------------------------------------------------------------- level */

static const char * const vdrm_perf_names[] = {
	[VDRM_PERF_AUTO] = "auto",
	[VDRM_PERF_LOW] = "low",
	[VDRM_PERF_HIGH] = "high",
	[VDRM_PERF_MANUAL] = "manual",
	[VDRM_PERF_PROFILE_STANDARD] = "profile_standard",
	[VDRM_PERF_PROFILE_MIN_SCLK] = "profile_min_sclk",
	[VDRM_PERF_PROFILE_MIN_MCLK] = "profile_min_mclk",
	[VDRM_PERF_PROFILE_PEAK] = "profile_peak",
	[VDRM_PERF_DETERMINISM] = "perf_determinism",
	[VDRM_PERF_PROFILE_EXIT] = "profile_exit",
};

static ssize_t power_dpm_force_performance_level_show(struct device *dev,
						      struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", vdrm_perf_names[READ_ONCE(dev_to_pm(dev)->level)]);
}

static ssize_t power_dpm_force_performance_level_store(struct device *dev,
						       struct device_attribute *attr,
						       const char *buf, size_t count)
{
	int ret = sysfs_match_string(vdrm_perf_names, buf);

	if (ret >= 0)
		ret = vdrm_pm_set_level(dev_to_pm(dev), ret);
	return ret ?: count;
}
static DEVICE_ATTR_RW(power_dpm_force_performance_level);

/* ------------------------------------------------------------------ clocks */

/* One of the files pp_dpm_* */
struct vdrm_clock_attr {
	struct device_attribute attr;
	enum vdrm_clock which;
};

static enum vdrm_clock to_clock(struct device_attribute *attr)
{
	return container_of(attr, struct vdrm_clock_attr, attr)->which;
}

static int show_level(char *buf, int at, unsigned int level, unsigned int mhz, bool now)
{
	return sysfs_emit_at(buf, at, "%u: %uMhz %s\n", level, mhz, now ? "*" : "");
}

/* Prints the lowest clock, the current one if it is in between, and the highest. */
static int show_fine(const struct gpu_target_clock *c, unsigned int now, char *buf, int at)
{
	unsigned int lo = c->mhz[0], hi = c->mhz[c->num - 1], level = 0;

	at += show_level(buf, at, level++, lo, now == lo);
	if (now > lo && now < hi)
		at += show_level(buf, at, level++, now, true);
	return at + show_level(buf, at, level, hi, now == hi);
}

/* Appends to the text of length @at; returns the new length. */
static int show_clock(const struct gpu_target_clock *c, unsigned int now, char *buf, int at)
{
	unsigned int i;

	if (c->fine)
		return show_fine(c, now, buf, at);
	for (i = 0; i < c->num; i++)
		at += show_level(buf, at, i, c->mhz[i], now == c->mhz[i]);
	return at;
}

static ssize_t clock_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	enum vdrm_clock which = to_clock(attr);
	struct vdrm_pm *pm = dev_to_pm(dev);
	struct vdrm_sensors s;

	vdrm_pm_sense(pm, &s);
	return show_clock(vdrm_pm_clock(pm, which), s.mhz[which], buf, 0);
}

/* A list of levels, as in "0 1 2". */
static int parse_levels(const char *buf, u32 *mask)
{
	char copy[128], *rest = copy, *word;
	unsigned int level;

	*mask = 0;
	if (strscpy(copy, buf, sizeof(copy)) < 0)
		return -EINVAL;
	while ((word = strsep(&rest, " \n"))) {
		if (!*word)
			continue;
		if (kstrtouint(word, 0, &level) || level > 31)
			return -EINVAL;
		*mask |= BIT(level);
	}
	return 0;
}

static ssize_t clock_store(struct device *dev, struct device_attribute *attr, const char *buf,
			   size_t count)
{
	u32 mask;
	int ret;

	ret = parse_levels(buf, &mask);
	if (!ret)
		ret = vdrm_pm_set_mask(dev_to_pm(dev), to_clock(attr), mask);
	return ret ?: count;
}

#define CLOCK_ATTR(name, clock) \
	static struct vdrm_clock_attr vdrm_attr_##name = { \
		.attr = __ATTR(name, 0644, clock_show, clock_store), .which = clock, \
	}

CLOCK_ATTR(pp_dpm_sclk, VDRM_SCLK);
CLOCK_ATTR(pp_dpm_mclk, VDRM_MCLK);
CLOCK_ATTR(pp_dpm_socclk, VDRM_SOCCLK);
CLOCK_ATTR(pp_dpm_fclk, VDRM_FCLK);
CLOCK_ATTR(pp_dpm_dcefclk, VDRM_DCEFCLK);

/* The link has two states, idle and current. amdgpu has an empty line where it has none. */
static ssize_t pp_dpm_pcie_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	static const char * const speeds[] = { "", "2.5", "5.0", "8.0", "16.0", "32.0" };
	unsigned int lclk = dev_to_pm(dev)->model->lclk_mhz, speed;
	u16 status = 0;
	int at;

	if (!lclk || !dev_is_pci(dev))
		return sysfs_emit(buf, "\n");
	pcie_capability_read_word(to_pci_dev(dev), PCI_EXP_LNKSTA, &status);
	speed = min_t(unsigned int, status & PCI_EXP_LNKSTA_CLS, ARRAY_SIZE(speeds) - 1);
	at = sysfs_emit(buf, "0: 2.5GT/s, x16 %uMhz \n", lclk);
	return at + sysfs_emit_at(buf, at, "1: %sGT/s, x16 %uMhz *\n", speeds[speed], lclk);
}

/* The link has one speed, so it cannot be set. */
static ssize_t pp_dpm_pcie_store(struct device *dev, struct device_attribute *attr,
				 const char *buf, size_t count)
{
	return -EINVAL;
}
static DEVICE_ATTR_RW(pp_dpm_pcie);

/* Overdrive in percent. There is none. */
static ssize_t overdrive_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0\n");
}

static ssize_t overdrive_store(struct device *dev, struct device_attribute *attr,
			       const char *buf, size_t count)
{
	return -EINVAL;
}

static struct device_attribute dev_attr_pp_sclk_od =
	__ATTR(pp_sclk_od, 0644, overdrive_show, overdrive_store);
static struct device_attribute dev_attr_pp_mclk_od =
	__ATTR(pp_mclk_od, 0644, overdrive_show, overdrive_store);

static int show_od_clock(struct vdrm_pm *pm, enum vdrm_clock which, char *buf, int at)
{
	static const char * const names[] = {
		[VDRM_SCLK] = COMPAT_OD_RANGES ? "OD_SCLK" : "GFXCLK",
		[VDRM_MCLK] = COMPAT_OD_RANGES ? "OD_MCLK" : "MCLK",
	};
	const struct gpu_target_clock *c = vdrm_pm_clock(pm, which);
	struct vdrm_sensors s;

	at += sysfs_emit_at(buf, at, "%s:\n", names[which]);
	if (COMPAT_OD_RANGES)
		return at + sysfs_emit_at(buf, at, "0: %uMhz\n1: %uMhz\n", c->mhz[0],
					  c->mhz[c->num - 1]);
	vdrm_pm_sense(pm, &s);
	return show_clock(c, s.mhz[which], buf, at);
}

/*
 * The range of each clock, which the real driver shows for parts with determinism
 * (aldebaran and later). Here it spans all levels and cannot be narrowed.
 */
static ssize_t pp_od_clk_voltage_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct vdrm_pm *pm = dev_to_pm(dev);

	return show_od_clock(pm, VDRM_MCLK, buf, show_od_clock(pm, VDRM_SCLK, buf, 0));
}

static struct device_attribute dev_attr_pp_od_clk_voltage =
	__ATTR(pp_od_clk_voltage, 0644, pp_od_clk_voltage_show, overdrive_store);

/* ---------------------------------------------------------------- activity */

static ssize_t gpu_busy_percent_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n",
			  vdrm_activity_percent(&dev_to_pm(dev)->activity, VDRM_GFX));
}
static DEVICE_ATTR_RO(gpu_busy_percent);

static ssize_t mem_busy_percent_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n",
			  vdrm_activity_percent(&dev_to_pm(dev)->activity, VDRM_MEM));
}
static DEVICE_ATTR_RO(mem_busy_percent);

static ssize_t gpu_metrics_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return vdrm_metrics(dev_to_pm(dev), dev, buf);
}
static DEVICE_ATTR_RO(gpu_metrics);

static ssize_t thermal_throttling_logging_show(struct device *dev, struct device_attribute *attr,
					       char *buf)
{
	struct vdrm_device *vdev = dev_to_vdev(dev);
	unsigned int interval = READ_ONCE(vdev->pm.log_interval);

	return sysfs_emit(buf, "%s: thermal throttling logging %s, with interval %u seconds\n",
			  vdev->drm.unique, interval ? "enabled" : "disabled", interval);
}

/* Up to an hour; 0 or less is off. There is never anything to log. */
static ssize_t thermal_throttling_logging_store(struct device *dev,
						struct device_attribute *attr,
						const char *buf, size_t count)
{
	long seconds;
	int ret = kstrtol(buf, 0, &seconds);

	if (ret)
		return ret;
	if (seconds > 3600)
		return -EINVAL;
	WRITE_ONCE(dev_to_pm(dev)->log_interval, max(seconds, 0l));
	return count;
}
static DEVICE_ATTR_RW(thermal_throttling_logging);

static struct attribute *vdrm_pm_attrs[] = {
	&dev_attr_power_dpm_force_performance_level.attr,
	&vdrm_attr_pp_dpm_sclk.attr.attr,
	&vdrm_attr_pp_dpm_mclk.attr.attr,
	&vdrm_attr_pp_dpm_socclk.attr.attr,
	&vdrm_attr_pp_dpm_fclk.attr.attr,
	&vdrm_attr_pp_dpm_dcefclk.attr.attr,
	&dev_attr_pp_dpm_pcie.attr,
	&dev_attr_pp_sclk_od.attr,
	&dev_attr_pp_mclk_od.attr,
	&dev_attr_pp_power_profile_mode.attr,
	&dev_attr_pp_od_clk_voltage.attr,
	&dev_attr_gpu_busy_percent.attr,
	&dev_attr_mem_busy_percent.attr,
	&dev_attr_gpu_metrics.attr,
	&dev_attr_thermal_throttling_logging.attr,
	NULL
};

/* A clock that the card lacks has no file; one that cannot be set has no store. */
static umode_t vdrm_pm_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	struct device_attribute *dattr = container_of(attr, struct device_attribute, attr);
	const struct gpu_target_clock *c;

	if (dattr == &dev_attr_pp_od_clk_voltage)
		return dev_to_pm(kobj_to_dev(kobj))->model->determinism ? attr->mode : 0;
	if (dattr == &dev_attr_pp_power_profile_mode)
		return dev_to_pm(kobj_to_dev(kobj))->model->profiles ? attr->mode : 0;
	if (dattr->show != clock_show)
		return attr->mode;
	c = vdrm_pm_clock(dev_to_pm(kobj_to_dev(kobj)), to_clock(dattr));
	if (!c->num)
		return 0;
	return c->writable || to_clock(dattr) == VDRM_SCLK ? attr->mode : 0444;
}

const struct attribute_group vdrm_pm_group = {
	.attrs = vdrm_pm_attrs,
	.is_visible = vdrm_pm_visible,
};
