/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The DRM face of a GPU: a card and a render node of a driver that calls
 * itself "amdgpu", as far as compute runtimes and libdrm_amdgpu need it.
 */
#ifndef VDRM_H
#define VDRM_H

#include "../gpu/device.h"

/*
 * Sets gdev->drm, ->render_minor and ->drm_ops; the nodes are there on return,
 * below @parent, whose driver data is @gdev.
 */
int vdrm_device_init(struct gpu_device *gdev, struct device *parent);
/* The nodes go. Files that are still open answer ENODEV from now on. */
void vdrm_device_fini(struct gpu_device *gdev);

#endif /* VDRM_H */
