/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the driver of a kernel shows in sysfs, which no header tells.
 */
#ifndef VKFD_COMPAT_SYSFS_H
#define VKFD_COMPAT_SYSFS_H

#include <linux/version.h>

/*
 * Topology. 6.5: XCCs and what debuggers ask. 6.12: engines for links, and (its
 * stable updates) sizes of save areas.
 */
#define COMPAT_TOPOLOGY_XCC	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0))
#define COMPAT_TOPOLOGY_AREAS	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0))

/* pp_od_clk_voltage has ranges as on other cards; before, levels, called otherwise. */
#define COMPAT_OD_RANGES	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0))

#endif /* VKFD_COMPAT_SYSFS_H */
