/* SPDX-License-Identifier: MIT */
/* Raw ioctls on the render node: 0 or the errno. */
#ifndef DRM_UTIL_H
#define DRM_UTIL_H

#include "../kfd/kfd_util.h"
#include "../../uapi/drm/amdgpu_drm.h"

static inline int drm_open(void)
{
	int node = gpu_node(0);

	ASSERT_GE(node, 0);
	return open_render(node);
}

static inline int drm_info_get(int fd, struct drm_amdgpu_info *in, uint32_t query, void *out,
			       uint32_t bytes)
{
	in->query = query;
	in->return_pointer = (uintptr_t)out;
	in->return_size = bytes;
	return kfd_err(fd, DRM_IOCTL_AMDGPU_INFO, in);
}

static inline int drm_info(int fd, uint32_t query, void *out, uint32_t bytes)
{
	struct drm_amdgpu_info in = { 0 };

	return drm_info_get(fd, &in, query, out, bytes);
}

static inline int gem_create(int fd, uint64_t bytes, uint64_t domains, uint64_t flags,
			     uint32_t *handle)
{
	union drm_amdgpu_gem_create args = {
		.in = { .bo_size = bytes, .domains = domains, .domain_flags = flags },
	};
	int err = kfd_err(fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &args);

	*handle = err ? 0 : args.out.handle;
	return err;
}

static inline int gem_offset(int fd, uint32_t handle, uint64_t *offset)
{
	union drm_amdgpu_gem_mmap args = { .in = { .handle = handle } };
	int err = kfd_err(fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &args);

	*offset = err ? 0 : args.out.addr_ptr;
	return err;
}

static inline int gem_close(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return kfd_err(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

static inline uint64_t vram_used(int fd)
{
	uint64_t used = 0;

	ASSERT_EQ(0, drm_info(fd, AMDGPU_INFO_VRAM_USAGE, &used, sizeof(used)));
	return used;
}

#endif /* DRM_UTIL_H */
