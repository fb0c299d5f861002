/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The DRM face of a GPU: a card and a render node whose driver calls itself "amdgpu". It
 * has what compute runtimes and libdrm_amdgpu need.
 */
#ifndef VDRM_H
#define VDRM_H

#include "../gpu/device.h"

/*
 * Sets gdev->drm, ->render_minor and ->drm_ops. Creates the nodes below @parent, whose
 * driver data must be @gdev. All but the first of a GPU's partitions have only xcp/ there.
 */
int vdrm_device_init(struct gpu_device *gdev, struct device *parent);
/* Removes the nodes. Files that are still open answer ENODEV from now on. */
void vdrm_device_fini(struct gpu_device *gdev);

/*
 * Files below @parent that divide @whole into partitions and show how it is, if it can be. They
 * stay while partitions come and go. The end waits for those who use them.
 */
int vdrm_partition_init(struct gpu_device *whole, struct device *parent);
void vdrm_partition_fini(struct gpu_device *whole);
/* sysfs_xcp.c: the directory that says what partitions of each mode have, among those files */
int vdrm_xcp_init(struct gpu_device *whole, struct kobject *parent);
void vdrm_xcp_fini(struct gpu_device *whole);
/* Video decoders that each of @parts partitions of @whole has */
unsigned int vdrm_xcp_decoders(const struct gpu_device *whole, unsigned int parts);

#endif /* VDRM_H */
