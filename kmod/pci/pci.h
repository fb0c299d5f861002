/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The place of a GPU in the device tree: a PCI function under a host bridge of our own or,
 * where PCI is not available, a platform device.
 *
 * A place is the parent device of the GPU's other faces (DRM, sysfs). Users can take it
 * away and bring it back: they unbind the driver, remove the function, rescan the bus. The
 * PCI core does the work, and each time main.c is called to show or to hide the GPU.
 */
#ifndef VPCI_H
#define VPCI_H

#include <linux/types.h>

struct device;
struct gpu_device;

/**
 * struct vpci_face_ops - callbacks that show and hide a GPU
 * @attach: show the GPU below @parent, whose driver data is the gpu_device. On error,
 *	nothing of the GPU may be left there
 * @detach: the place goes away: hide the GPU
 * @suspend,@resume: the machine goes to sleep or makes an image of its memory, which @suspend may
 *	refuse; and resumes
 */
struct vpci_face_ops {
	int (*attach)(struct gpu_device *gdev, struct device *parent);
	void (*detach)(struct gpu_device *gdev);
	int (*suspend)(struct gpu_device *gdev);
	void (*resume)(struct gpu_device *gdev);
};

int vpci_init(const struct vpci_face_ops *face);
void vpci_fini(void);
/* Sets gdev->domain and ->location_id, and attaches the GPU before it returns. */
int vpci_device_init(struct gpu_device *gdev);
/* Detaches it if it is attached; nobody finds the place on return. */
void vpci_device_fini(struct gpu_device *gdev);
/* Does this machine have an AMD GPU that is not one of ours? */
bool vpci_physical_gpu_present(void);

#endif /* VPCI_H */
