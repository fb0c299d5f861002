/* SPDX-License-Identifier: GPL-2.0-only */
/* GPUs shown and hidden, whole or as partitions. */
#ifndef VKFD_PARTS_H
#define VKFD_PARTS_H

#include <linux/types.h>

struct gpu_device;

extern const struct vpci_face_ops vkfd_face_ops;
extern const struct gpu_part_ops vkfd_part_ops;

/* main.c: the list of GPUs, outside of the PCI core's locks. */
bool vkfd_devices_trylock(void);
void vkfd_devices_unlock(void);
/* The memory of @gdev, and that of all others of its hive, shall have @nps ranges. */
void vkfd_hive_memory_locked(struct gpu_device *gdev, unsigned int nps);

#endif /* VKFD_PARTS_H */
