/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to kmod/pci/: a software PCI host bridge per GPU, with one function
 * behind it, and the driver that binds to these functions.
 */
#ifndef VPCI_INT_H
#define VPCI_INT_H

#include <linux/errno.h>
#include <linux/types.h>

#include "pci.h"

/* place.c */
extern const struct vpci_face_ops *vpci_face;
/* For devices whose driver data is the gpu_device. */
extern const struct dev_pm_ops vpci_pm_ops;

#ifdef COMPAT_HAVE_PCI_FACE

#include <linux/ioport.h>
#include <linux/pci.h>
#include <linux/spinlock.h>

#include "../compat/pci.h"

#define VPCI_CONFIG_BYTES	4096

/**
 * struct vpci_config - configuration space of a function
 * @lock: serialises accesses, as the x86 core takes no lock for them
 * @data: the values read
 * @writable: mask of the bits that can be written (both arrays: bytes, little endian)
 */
struct vpci_config {
	raw_spinlock_t lock;
	u8 data[VPCI_CONFIG_BYTES];
	u8 writable[VPCI_CONFIG_BYTES];
};

/**
 * struct vpci_host - a host bridge
 * @sysdata: what the architecture expects behind pci_bus.sysdata
 * @bridge: its root bus has one function, in slot 0
 * @busn: number of that bus
 * @aperture: window for the 64-bit BARs, @mmio: for the 32-bit one. Nothing is behind these
 *	parts of the machine's address space. Without a parent they were not reserved
 * @attached: the GPU is shown below the function (driver core's device lock)
 * @error: why the last attach failed
 */
struct vpci_host {
	struct pci_sysdata sysdata;
	struct gpu_device *gdev;
	struct pci_host_bridge *bridge;
	struct resource busn, aperture, mmio;
	bool attached;
	int error;
	struct vpci_config config;
};

/* The bridge above @pdev if it is ours, else NULL. */
struct vpci_host *vpci_host_of(struct pci_dev *pdev);

/* config.c */
#define VPCI_DOORBELL_BYTES	SZ_2M
#define VPCI_MMIO_BYTES		SZ_512K
u64 vpci_aperture_bytes(const struct gpu_device *gdev);
/* @bars: give the function the address ranges of a card. */
void vpci_config_init(struct vpci_config *c, const struct gpu_device *gdev, bool bars);
int vpci_config_read(struct vpci_config *c, int where, int size, u32 *val);
int vpci_config_write(struct vpci_config *c, int where, int size, u32 val);

/* driver.c */
int vpci_driver_init(void);
void vpci_driver_fini(void);

/* host.c */
int vpci_hosts_init(void);
void vpci_hosts_fini(void);	/* waits until all are freed */
/* -ENODEV: PCI is not available; other errors are those of attach. */
int vpci_host_create(struct gpu_device *gdev);
void vpci_host_destroy(struct vpci_host *host);
bool vpci_is_foreign_gpu(struct pci_dev *pdev);

#endif /* COMPAT_HAVE_PCI_FACE */
#endif /* VPCI_INT_H */
