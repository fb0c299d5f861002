/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A render node whose driver is "amdgpu" as a backend: memory and execution are asked for
 * through the ioctls of that driver. For main.c, which makes GPUs of such nodes.
 */
#ifndef AMDGPU_H
#define AMDGPU_H

#include "../../gpu/device.h"

struct file;

/*
 * The DRM device of @f, if that is an open render node of a driver called "amdgpu"; else NULL.
 * It lives as long as @f.
 */
struct drm_device *amdgpu_device_of(struct file *f);

/**
 * amdgpu_identify() - what a render node says of its GPU
 * @f: amdgpu_device_of() is not NULL
 * @target: out: the row of the model that fits, with what the node says in place of what the row
 *	says, and without what can't be had through such a node
 * @vram_bytes: out
 *
 * By a thread of a process: the answers pass through its memory. Return: 0; -ENODEV: it is no GPU
 * that we could show; or why the node could not be asked.
 */
int amdgpu_identify(struct file *f, struct gpu_target *target, u64 *vram_bytes);

/**
 * amdgpu_device_create() - a GPU in front of a render node
 * @f: an open file of the node; it need not stay open
 * @out: started, but not published; with a reference of the node's DRM device
 *
 * As amdgpu_identify(). The caller ends it by gpu_device_destroy(), when nobody can find it.
 */
int amdgpu_device_create(struct file *f, struct gpu_device **out);

#endif /* AMDGPU_H */
