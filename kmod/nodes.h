/* SPDX-License-Identifier: GPL-2.0-only */
/* KFD nodes in front of render nodes that call themselves amdgpu: the parameter amdgpu=. */
#ifndef VKFD_NODES_H
#define VKFD_NODES_H

#include <linux/types.h>

struct gpu_device;

/* Does the parameter ask for a node in front of each virtual GPU's own, in that one's place? */
bool vkfd_nodes_stacked(void);
/*
 * Show KFD the render node of @below instead of @below, and no longer. Called by main.c if
 * vkfd_nodes_stacked(), when @below has its DRM face, and before it loses that.
 */
int vkfd_nodes_attach(struct gpu_device *below);
void vkfd_nodes_detach(struct gpu_device *below);
/*
 * The machine goes to sleep, or wakes up: what @below has in front of it does, too. The former as
 * vkfd_device_suspend().
 */
int vkfd_nodes_sleep(struct gpu_device *below, unsigned long patience);
void vkfd_nodes_wake(struct gpu_device *below);

/* All others that the parameter names. On error there are none. */
int vkfd_nodes_init(void);
/* Before vkfd_remove_all_devices(). */
void vkfd_nodes_fini(void);

#endif /* VKFD_NODES_H */
