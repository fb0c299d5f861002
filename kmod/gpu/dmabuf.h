/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffer objects as dma-bufs, and dma-bufs as buffer objects.
 */
#ifndef GPU_DMABUF_H
#define GPU_DMABUF_H

#include <linux/types.h>

struct dma_buf;
struct gpu_bo;
struct gpu_device;
struct sg_table;

/* Exports @bo, returns a reference; @flags: DRM_RDWR. -EPERM except for VRAM and GTT. */
struct dma_buf *gpu_bo_export(struct gpu_bo *bo, int flags);
/* The object behind one of our dma-bufs, without a new reference; NULL for others. */
struct gpu_bo *gpu_bo_of_dmabuf(struct dma_buf *dmabuf);
/*
 * What KFD may know a dma-buf as on @gdev: the object of it or of another GPU that is behind it,
 * with a reference; -EINVAL: none.
 */
struct gpu_bo *gpu_bo_lookup(struct gpu_device *gdev, struct dma_buf *dmabuf);
/* Imports a dma-buf as an object of @gdev, with a reference. */
struct gpu_bo *gpu_bo_import(struct gpu_device *gdev, struct dma_buf *dmabuf);
/* For drm/: creates the object of a mapped attachment; the object then owns @sgt. */
struct gpu_bo *gpu_bo_create_import(struct gpu_device *gdev, u64 size, struct sg_table *sgt);

#endif /* GPU_DMABUF_H */
