/* SPDX-License-Identifier: MIT */
/* Files of the first GPU's device, as monitoring tools read them. */
#ifndef SYSFS_UTIL_H
#define SYSFS_UTIL_H

#include <glob.h>
#include <limits.h>
#include <stdint.h>

#include "../kfd/file_util.h"

#define DEVICE	"/sys/class/drm/card0/device"

struct metrics_v1_3 {
	uint16_t bytes;
	uint8_t format, content;
	uint16_t edge, hotspot, mem, vrgfx, vrsoc, vrmem;
	uint16_t gfx_activity, umc_activity, mm_activity, socket_power;
	uint64_t energy_accumulator, system_clock_counter;
	uint16_t average[7], current[7];
	uint32_t throttle_status;
	uint16_t fan_speed, pcie_link_width, pcie_link_speed, padding;
	uint32_t gfx_activity_acc, mem_activity_acc;
	uint16_t temperature_hbm[4];
	uint64_t firmware_timestamp;
	uint16_t voltage_soc, voltage_gfx, voltage_mem, padding1;
	uint64_t indep_throttle_status;
};

/* An APU's. Source of both: kgd_pp_interface.h. */
struct metrics_v3_0 {
	uint16_t bytes;
	uint8_t format, content;
	uint16_t gfx, soc, core[16], skin;			/* 0.01 degrees */
	uint16_t gfx_activity, vcn_activity, ipu_activity[8], core_activity[16], bandwidth[4];
	uint64_t system_clock_counter;
	uint32_t socket_power;					/* mW */
	uint16_t ipu_power;
	uint32_t apu_power, gfx_power, dgpu_power, cores_power;
	uint16_t core_power[16], sys_power, stapm[2];
	uint16_t gfxclk, socclk, vpeclk, ipuclk, fclk, vclk, uclk, mpipuclk;
	uint16_t coreclk[16], core_max, gfx_max;
	uint32_t throttled[7], time_filter;
};

static inline const char *dev_path(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), DEVICE "/%s", name);
	return path;
}

static inline long long dev_number(const char *name)
{
	return file_number(dev_path(name));
}

static inline const char *hwmon_path(const char *name)
{
	static char path[PATH_MAX];
	glob_t g;

	path[0] = '\0';
	if (!glob(DEVICE "/hwmon/hwmon*", 0, NULL, &g) && g.gl_pathc)
		snprintf(path, sizeof(path), "%s/%s", g.gl_pathv[0], name);
	globfree(&g);
	return path;
}

static inline long long hwmon_number(const char *name)
{
	return file_number(hwmon_path(name));
}

/*
 * While the host stops the guest, no samples are taken, and then a look covers what was before,
 * too. So what has to come may come later.
 */
static inline bool comes_to(long long (*number)(const char *file), const char *file,
			    long long min, long long max)
{
	unsigned int i;
	long long now = -1;

	for (i = 0; i < TH_TIMEOUT_S * 10 * th_slow(); i++) {
		now = number(file);
		if (now >= min && now <= max)
			return true;
		usleep(50000);
	}
	TH_LOG("%s is %lld, not %lld to %lld", file, now, min, max);
	return false;
}

/* What ran before is over, and out of the averages. */
static inline bool comes_to_rest(void)
{
	return comes_to(dev_number, "gpu_busy_percent", 0, 0) &&
	       comes_to(dev_number, "mem_busy_percent", 0, 0);
}

/* Bytes of gpu_metrics, at most @bytes into @m. */
static inline size_t metrics_read(void *m, size_t bytes)
{
	char buf[4096];
	ssize_t n = file_read(DEVICE "/gpu_metrics", buf, sizeof(buf));

	if (n < 0)
		return 0;
	memcpy(m, buf, (size_t)n < bytes ? (size_t)n : bytes);
	return n;
}

#endif /* SYSFS_UTIL_H */
