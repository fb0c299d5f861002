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

/* The dma-buf of a handle, or -errno. */
static inline int gem_export(int fd, uint32_t handle, uint32_t flags)
{
	struct drm_prime_handle args = { .handle = handle, .flags = flags };
	int err = kfd_err(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	return err ? -err : args.fd;
}

static inline int gem_import(int fd, int dmabuf, uint32_t *handle)
{
	struct drm_prime_handle args = { .fd = dmabuf };
	int err = kfd_err(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	*handle = err ? 0 : args.handle;
	return err;
}

static inline int gem_va(int fd, uint32_t op, uint32_t handle, const void *va, uint64_t offset,
			 uint64_t bytes, uint32_t flags)
{
	struct drm_amdgpu_gem_va args = {
		.handle = handle, .operation = op, .flags = flags,
		.va_address = (uintptr_t)va, .offset_in_bo = offset, .map_size = bytes,
	};

	return kfd_err(fd, DRM_IOCTL_AMDGPU_GEM_VA, &args);
}

static inline void *gem_map(int fd, uint32_t handle, size_t bytes)
{
	uint64_t offset;

	ASSERT_EQ(0, gem_offset(fd, handle, &offset));
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
}

static inline uint64_t vram_used(int fd)
{
	uint64_t used = 0;

	ASSERT_EQ(0, drm_info(fd, AMDGPU_INFO_VRAM_USAGE, &used, sizeof(used)));
	return used;
}

#endif /* DRM_UTIL_H */
