/* SPDX-License-Identifier: GPL-2.0-only */
/* Members of gpu_host_ops: see there. */
#ifndef VKFD_RESET_H
#define VKFD_RESET_H

#include "gpu/backend.h"

int vkfd_host_reset(struct gpu_device *gdev, enum gpu_reset_cause cause);
int vkfd_host_poison(struct gpu_device *gdev, pid_t pid);
void vkfd_host_throttled(struct gpu_device *gdev, u64 mask, u64 count);

#endif /* VKFD_RESET_H */
