/* SPDX-License-Identifier: MIT */
/* Files of the first GPU's device, as monitoring tools read them. */
#ifndef SYSFS_UTIL_H
#define SYSFS_UTIL_H

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* All of a small file; its length, or -1. */
static inline ssize_t file_read(const char *path, char *buf, size_t bytes)
{
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, bytes - 1);
	close(fd);
	if (n >= 0)
		buf[n] = '\0';
	return n;
}

static inline long long file_number(const char *path)
{
	char buf[64];

	return file_read(path, buf, sizeof(buf)) > 0 ? atoll(buf) : -1;
}

/* 0 or the errno. */
static inline int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

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
