// SPDX-License-Identifier: MIT
/*
 * The render node: opening it, the few facts it knows that /dev/kfd does not, and libdrm's
 * device handle for callers that want one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "thunk.h"

/* DRM_IOCTL_AMDGPU_INFO and the head of its device query; the ABI of amdgpu_drm.h. */
struct drm_info_args {
	uint64_t return_pointer;
	uint32_t return_size;
	uint32_t query;
	uint32_t in[4];
};

struct drm_dev_info_head {
	uint32_t device_id;
	uint32_t chip_rev;
	uint32_t external_rev;
	uint32_t pci_rev;
	uint32_t family;
};

#define DRM_INFO_CMD		_IOW('d', 0x45, struct drm_info_args)
#define DRM_INFO_DEV_INFO	0x16

int thunk_drm_open(uint32_t minor)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/dri/renderD%u", minor);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int thunk_drm_info(int fd, uint32_t *device, uint32_t *revision, uint32_t *family)
{
	struct drm_dev_info_head head = { 0 };
	struct drm_info_args args = {
		.return_pointer = (uintptr_t)&head,
		.return_size = sizeof(head),
		.query = DRM_INFO_DEV_INFO,
	};

	if (ioctl(fd, DRM_INFO_CMD, &args))
		return -errno;
	*device = head.device_id;
	*revision = head.pci_rev;
	*family = head.family;
	return 0;
}

/* libdrm's table of product names: "device, revision, name", hexadecimal, '#' comments. */
void thunk_drm_marketing_name(uint32_t device, uint32_t revision, char *buf, size_t size)
{
	FILE *f = fopen("/usr/share/libdrm/amdgpu.ids", "re");
	char line[256];

	buf[0] = '\0';
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		unsigned int dev, rev;
		int at = 0;

		if (sscanf(line, "%x , %x , %n", &dev, &rev, &at) < 2 || !at)
			continue;
		if (dev != device || rev != revision)
			continue;
		line[strcspn(line, "\r\n")] = '\0';
		snprintf(buf, size, "%s", line + at);
		break;
	}
	fclose(f);
}

/**
 * hsaKmtGetAMDGPUDeviceHandle() - libdrm_amdgpu's handle of a node's render node
 *
 * libdrm is loaded when the first caller asks, so that nobody else needs it.
 */
THUNK_API HSAKMT_STATUS hsaKmtGetAMDGPUDeviceHandle(HSAuint32 NodeId,
						    HsaAMDGPUDeviceHandle *DeviceHandle)
{
	int (*init)(int fd, uint32_t *major, uint32_t *minor, void **dev);
	HSAKMT_STATUS status;
	struct thunk_gpu *gpu;
	uint32_t major, minor;
	void *lib;

	THUNK_CHECK_OPEN();
	if (!DeviceHandle)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = thunk_gpu_required(NodeId, &gpu);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;

	pthread_mutex_lock(&thunk.lock);
	if (!gpu->amdgpu_dev) {
		lib = dlopen("libdrm_amdgpu.so.1", RTLD_NOW);
		*(void **)&init = lib ? dlsym(lib, "amdgpu_device_initialize") : NULL;
		if (!init || init(gpu->drm_fd, &major, &minor, &gpu->amdgpu_dev))
			gpu->amdgpu_dev = NULL;
	}
	*DeviceHandle = gpu->amdgpu_dev;
	pthread_mutex_unlock(&thunk.lock);
	return *DeviceHandle ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}
