/* SPDX-License-Identifier: MIT */
/*
 * Somebody else's dma-bufs: the kernel's vgem device. Tests that want it are
 * skipped where the kernel has none.
 */
#ifndef VGEM_H
#define VGEM_H

#include "drm_util.h"

/* A card of the driver @name, or -1. */
static inline int card_of(const char *name)
{
	char path[32], seen[16];
	int i, fd;

	for (i = 0; i < 32; i++) {
		struct drm_version v = { .name = seen, .name_len = sizeof(seen) - 1 };

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		memset(seen, 0, sizeof(seen));
		if (!ioctl(fd, DRM_IOCTL_VERSION, &v) && !strcmp(seen, name))
			return fd;
		close(fd);
	}
	return -1;
}

static inline int vgem_open(void)
{
	int i, fd = -1;

	if (system("modprobe -q vgem"))
		SKIP(return -1, "no vgem in this kernel");
	/* udev may take a moment */
	for (i = 0; i < 100 && fd < 0; i++) {
		fd = card_of("vgem");
		if (fd < 0)
			usleep(20000);
	}
	ASSERT_LE(0, fd);
	return fd;
}

/* @bytes of memory: its dma-buf, and where the CPU sees it. */
static inline int vgem_create(int vgem, size_t bytes, void **p)
{
	struct drm_mode_create_dumb c = { .height = bytes / 4096, .width = 1024, .bpp = 32 };
	struct drm_mode_map_dumb m = { 0 };
	int fd;

	ASSERT_EQ(0, kfd_err(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &c));
	ASSERT_EQ(bytes, c.size);
	m.handle = c.handle;
	ASSERT_EQ(0, kfd_err(vgem, DRM_IOCTL_MODE_MAP_DUMB, &m));
	*p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, vgem, m.offset);
	ASSERT_NE(MAP_FAILED, *p);
	fd = gem_export(vgem, c.handle, DRM_RDWR | DRM_CLOEXEC);
	ASSERT_LE(0, fd);
	return fd;
}

#endif /* VGEM_H */
