// SPDX-License-Identifier: GPL-2.0-only
/*
 * pp_power_profile_mode of cards whose firmware lets the driver read all of its profiles
 * (Vega 20): a table, of which the last profile is the user's. As on the card, a profile
 * can be chosen in manual mode only. Here it changes only what this file shows; clocks
 * follow the activity as pm.c describes.
 */
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../model/target.h"
#include "drm_int.h"

#define CUSTOM	(GPU_PROFILES - 1)

static int show_values(const s32 value[GPU_PROFILE_VALUES], unsigned int clock, char *buf, int at)
{
	static const char * const clocks[GPU_PROFILE_CLOCKS] = {
		"GFXCLK", "SOCCLK", "UCLK", "FCLK",
	};
	int n = sysfs_emit_at(buf, at, "%19s %d(%13s)", "", clock, clocks[clock]);
	unsigned int i;

	for (i = 0; i < GPU_PROFILE_VALUES; i++)
		n += sysfs_emit_at(buf, at + n, " %7d", value[i]);
	return n + sysfs_emit_at(buf, at + n, "\n");
}

static ssize_t pp_power_profile_mode_show(struct device *dev, struct device_attribute *attr,
					  char *buf)
{
	static const char * const names[GPU_PROFILES] = {
		"BOOTUP_DEFAULT", "3D_FULL_SCREEN", "POWER_SAVING", "VIDEO", "VR", "COMPUTE",
		"CUSTOM",
	};
	static const char * const columns[] = {
		" CLOCK_TYPE(NAME)", " FPS", " UseRlcBusy", " MinActiveFreqType", " MinActiveFreq",
		" BoosterFreqType", " BoosterFreq", " PD_Data_limit_c", " PD_Data_error_coeff",
		" PD_Data_error_rate_coeff\n",
	};
	struct vdrm_pm *pm = dev_to_pm(dev);
	unsigned int i, clock;
	int at;

	at = sysfs_emit(buf, "PROFILE_INDEX(NAME)");
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		at += sysfs_emit_at(buf, at, "%s", columns[i]);
	mutex_lock(&pm->lock);
	for (i = 0; i < GPU_PROFILES; i++) {
		at += sysfs_emit_at(buf, at, "%2d %14s%s:\n", i, names[i],
				    i == pm->profile ? "*" : " ");
		for (clock = 0; clock < GPU_PROFILE_CLOCKS; clock++)
			at += show_values(i == CUSTOM ? pm->custom[clock] :
					  pm->model->profiles->value[i][clock], clock, buf, at);
	}
	mutex_unlock(&pm->lock);
	return at;
}

/* Parses a clock and its values; returns how many numbers there were. */
static int parse_numbers(const char *buf, s32 number[GPU_PROFILE_VALUES + 1])
{
	char copy[128], *rest = copy, *word;
	int n = 0;

	if (strscpy(copy, buf, sizeof(copy)) < 0)
		return -EINVAL;
	while ((word = strsep(&rest, "\n "))) {
		if (!*word)
			continue;
		if (n > GPU_PROFILE_VALUES || kstrtos32(word, 0, &number[n++]))
			return -EINVAL;
	}
	return n;
}

static int set_custom(struct vdrm_pm *pm, const char *buf)
{
	s32 number[GPU_PROFILE_VALUES + 1];
	int n = parse_numbers(buf, number);

	lockdep_assert_held(&pm->lock);
	/* Without numbers, the values that were set last stay in force. */
	if (!n && pm->custom_set)
		return 0;
	if (n != GPU_PROFILE_VALUES + 1 || number[0] < 0 || number[0] >= GPU_PROFILE_CLOCKS)
		return -EINVAL;
	memcpy(pm->custom[number[0]], number + 1, sizeof(pm->custom[0]));
	pm->custom_set = true;
	return 0;
}

static ssize_t pp_power_profile_mode_store(struct device *dev, struct device_attribute *attr,
					   const char *buf, size_t count)
{
	struct vdrm_pm *pm = dev_to_pm(dev);
	unsigned int profile = *buf - '0';	/* one digit, as in amdgpu */
	int ret = -EINVAL;

	if (profile >= GPU_PROFILES)
		return -EINVAL;
	mutex_lock(&pm->lock);
	if (pm->level == VDRM_PERF_MANUAL)
		ret = profile == CUSTOM ? set_custom(pm, buf + 1) : 0;
	if (!ret)
		pm->profile = profile;
	mutex_unlock(&pm->lock);
	return ret ?: count;
}

struct device_attribute dev_attr_pp_power_profile_mode = __ATTR_RW(pp_power_profile_mode);
