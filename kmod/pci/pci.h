/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The place of a GPU among the machine's devices: a PCI function under a host
 * bridge of our own, or, where PCI cannot be had, a platform device.
 *
 * A place is a device that the GPU's other faces (DRM, sysfs) hang under. It
 * comes and goes as the user likes: unbinding the driver, removing the
 * function and scanning for it again are the PCI core's. Each time, the owner
 * of the module is told to show or to hide the GPU.
 */
#ifndef VPCI_H
#define VPCI_H

#include <linux/types.h>

struct device;
struct gpu_device;

/**
 * struct vpci_face_ops - who shows a GPU
 * @attach: there is a place, @parent, whose driver data is the gpu_device; what
 *	it says is 0 or an error, and then nothing of the GPU may be left there
 * @detach: the place goes
 * @suspend,@resume: the machine sleeps, or its memory becomes an image; and is back
 */
struct vpci_face_ops {
	int (*attach)(struct gpu_device *gdev, struct device *parent);
	void (*detach)(struct gpu_device *gdev);
	void (*suspend)(struct gpu_device *gdev);
	void (*resume)(struct gpu_device *gdev);
};

int vpci_init(const struct vpci_face_ops *face);
void vpci_fini(void);
/* Sets gdev->domain and ->location_id, and attaches the GPU before it returns. */
int vpci_device_init(struct gpu_device *gdev);
/* Detaches it if it is attached; the place is gone on return. */
void vpci_device_fini(struct gpu_device *gdev);
/* Is there an AMD GPU in this machine that is none of ours? */
bool vpci_physical_gpu_present(void);

#endif /* VPCI_H */
