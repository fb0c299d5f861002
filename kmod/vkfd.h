/* SPDX-License-Identifier: GPL-2.0-only */
/* The symbols that the module exports. They exist so that amdgpu.ko can depend on it. */
#ifndef VKFD_H
#define VKFD_H

#define VKFD_VERSION	"0.1.0"

#include <linux/types.h>

unsigned int vkfd_device_count(void);
/* Is there a real AMD GPU, that is, one that is not ours? */
bool vkfd_physical_gpu_present(void);

#endif /* VKFD_H */
