/* SPDX-License-Identifier: GPL-2.0-only */
/* What the module exports: only so that amdgpu.ko can depend on it. */
#ifndef VKFD_H
#define VKFD_H

#define VKFD_VERSION	"0.1.0"

unsigned int vkfd_device_count(void);

#endif /* VKFD_H */
