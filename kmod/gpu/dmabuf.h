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

/* As a dma-buf, with a reference; @flags: DRM_RDWR. -EPERM but for VRAM and GTT. */
struct dma_buf *gpu_bo_export(struct gpu_bo *bo, int flags);
/* The object behind a dma-buf of ours, no new reference; NULL if it is not ours. */
struct gpu_bo *gpu_bo_of_dmabuf(struct dma_buf *dmabuf);
/* An object of @gdev that shows a dma-buf, with a reference. */
struct gpu_bo *gpu_bo_import(struct gpu_device *gdev, struct dma_buf *dmabuf);
/* For drm/: the object of a mapped attachment, which then owns @sgt. */
struct gpu_bo *gpu_bo_create_import(struct gpu_device *gdev, u64 size, struct sg_table *sgt);

#endif /* GPU_DMABUF_H */
