/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each kernel's own driver shows in sysfs. No header tells, so versions decide.
 */
#ifndef VKFD_COMPAT_SYSFS_H
#define VKFD_COMPAT_SYSFS_H

#include <linux/version.h>

/*
 * Topology. 6.5: XCCs and properties for debuggers. 6.12: engines of links and, in its
 * stable updates, sizes of save areas. 6.18: partitions have unique_ids of their own.
 */
#define COMPAT_TOPOLOGY_XCP_ID	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0))
#define COMPAT_TOPOLOGY_XCC	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0))
#define COMPAT_TOPOLOGY_AREAS	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0))

/* pp_od_clk_voltage: since 6.12 ranges, as on other cards; before, levels by other names. */
#define COMPAT_OD_RANGES	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0))

/*
 * Files about the board. 6.13: memory partitions can be changed, and what partitions have is told
 * (before 6.5 no driver knows GPUs that have any, and they are what the newest shows). 6.8:
 * manufacturer and FRU. 6.9: form factor. 6.11: policies of power management. 6.12: isolation of
 * processes.
 */
#define COMPAT_FILE_NPS		(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0) || \
				 LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0))
#define COMPAT_FILE_XCP_CONFIG	COMPAT_FILE_NPS
/*
 * 6.19: xcp/xcp_metrics, as a list of attributes (6.17's is another table). 7.1: who may have how
 * much of a range of memory that partitions share.
 */
#define COMPAT_FILE_XCP_METRICS	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0) || \
				 LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0))
#define COMPAT_FILE_MEM_ALLOC	(LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0) || \
				 LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0))
#define COMPAT_FILE_FRU		(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0))
#define COMPAT_FILE_BOARD	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0))
#define COMPAT_FILE_POLICY	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0))
#define COMPAT_FILE_ISOLATION	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0))

/*
 * ras/. 6.4: names of MCA processors begin with "mca.". 6.5: no XGMI without a link. 6.7:
 * version and schema. 6.10: deferred errors, 2 more blocks. 6.11: events. 6.16: one more
 * block.
 */
#define COMPAT_RAS_MCA_NAMES	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0))
#define COMPAT_RAS_XGMI_LINK	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0))
#define COMPAT_RAS_SCHEMA	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0))
#define COMPAT_RAS_DEFERRED	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0))
#define COMPAT_RAS_EVENTS	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0))
#define COMPAT_RAS_BLOCKS	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0) ? 20 : \
				 LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0) ? 19 : 17)

/* 6.17: amdgpu reads the hardware blocks of GPUs without such a table from a file. */
#define COMPAT_IP_DISCOVERY_FILES	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0))

#endif /* VKFD_COMPAT_SYSFS_H */
