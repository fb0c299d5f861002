/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Force-included into every object: supplies the newest kernel's names on
 * older kernels, so that no other file knows of versions.
 */
#ifndef VKFD_COMPAT_H
#define VKFD_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "vkfd needs Linux 6.1 or newer"
#endif

#endif /* VKFD_COMPAT_H */
