/* SPDX-License-Identifier: GPL-2.0-only */
/* GPUs that come and go while the machine runs: main.c has them, configfs.c asks. */
#ifndef VKFD_PLUG_H
#define VKFD_PLUG_H

#include <linux/types.h>

#include "gpu/device.h"

/* Least VRAM that user space starts with; most that a u64 of bytes and sanity allow. */
#define VKFD_MIN_VRAM_MB	16
#define VKFD_MAX_VRAM_MB	(1u << 20)
#define VKFD_TARGET_VRAM_MB	1024	/* of a GPU that is no product */

/**
 * vkfd_plug() - make a GPU and show it
 * @target: what it is; copied
 * @vram_bytes: its memory
 * @unique_id: what sysfs shows; 0: one that follows from its index
 * @engine: who runs its waves
 * @hive: the id of the one that it joins, and the links between two members, if the target has
 *	a fabric; its place there is found. NULL: it is in none
 * @out: the GPU, until vkfd_unplug()
 *
 * May sleep, and calls the PCI core: nothing may be locked but what is outside of that.
 * Return: 0; -ENOSPC: there are as many as there can be, in all or in the hive; -EEXIST: one has
 * this id; -EINVAL: the hive's members are of another kind, or wired otherwise; or why it cannot
 * be made.
 */
int vkfd_plug(const struct gpu_target *target, u64 vram_bytes, u64 unique_id,
	      enum gpu_engine engine, const struct gpu_hive *hive, struct gpu_device **out);

/**
 * vkfd_unplug() - take a GPU away from its users and from the machine
 * @gdev: it is not the caller's any more
 *
 * Users lose their queues on it and hear of that; its memory stays with them until they
 * let go of it, and then its threads end.
 */
void vkfd_unplug(struct gpu_device *gdev);

#if VKFD_CONFIGFS
int vkfd_configfs_init(void);
void vkfd_configfs_fini(void);
#else
static inline int vkfd_configfs_init(void)
{
	return 0;
}

static inline void vkfd_configfs_fini(void)
{
}
#endif

#endif /* VKFD_PLUG_H */
