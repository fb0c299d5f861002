// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host bridges: one per GPU, each with a root bus and a single function on it. All are in
 * one PCI domain of their own, where the architecture has domains. The GPU's index gives
 * the bus number, so the bus number tells the GPUs apart, as on a machine where each has
 * its own root port.
 *
 * BARs are assigned from windows in the upper half of the physical address space, where
 * the firmware has placed nothing. The driver claims the BARs exclusively, so that
 * /sys/.../resource0 cannot be mapped. If a machine has no room for the windows, the
 * function has no BARs.
 */
#include <linux/err.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/sizes.h>
#include <linux/wait_bit.h>

#include "../gpu/device.h"
#include "pci_int.h"

/*
 * Four digits, because libdrm reads no more (drmParsePciBusInfo()), and far from the
 * segments of the firmware, which start at 0.
 */
#define FIRST_DOMAIN	0x1000
#define LAST_DOMAIN	0xffff
#define FIRST_BUS	1

#define BASE_CLASS_ACCELERATOR	0x12

/* Bus address of the 32-bit BARs: a window of its own for each GPU. */
#define MMIO_WINDOW	SZ_1M
#define MMIO_BUS_BASE	0xe0000000u

static int vpci_domain;
static atomic_t vpci_num_hosts;		/* that are not freed yet */

/* ------------------------------------------------------------- config space */

static struct vpci_host *bus_to_host(struct pci_bus *bus)
{
	return container_of((struct pci_sysdata *)bus->sysdata, struct vpci_host, sysdata);
}

static int vpci_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *val)
{
	if (devfn) {
		*val = ~0u;
		return PCIBIOS_DEVICE_NOT_FOUND;
	}
	return vpci_config_read(&bus_to_host(bus)->config, where, size, val);
}

static int vpci_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 val)
{
	if (devfn)
		return PCIBIOS_DEVICE_NOT_FOUND;
	return vpci_config_write(&bus_to_host(bus)->config, where, size, val);
}

static struct pci_ops vpci_ops = {
	.read = vpci_read,
	.write = vpci_write,
};

struct vpci_host *vpci_host_of(struct pci_dev *pdev)
{
	return pdev->bus->ops == &vpci_ops ? bus_to_host(pdev->bus) : NULL;
}

/* The newest Instinct cards have the class of a processing accelerator, not of a display. */
bool vpci_is_foreign_gpu(struct pci_dev *pdev)
{
	u8 base = pdev->class >> 16;

	return (base == PCI_BASE_CLASS_DISPLAY ||
		base == BASE_CLASS_ACCELERATOR) && !vpci_host_of(pdev);
}

/* ------------------------------------------------------------------ windows */

static bool reserve(struct resource *res, const char *name, u64 bytes, u64 align,
		    unsigned long flags)
{
	u64 end = 1ull << compat_phys_bits();

	res->name = name;
	res->flags = IORESOURCE_MEM | flags;
	return !allocate_resource(&iomem_resource, res, bytes, end / 2, end - 1, align,
				  NULL, NULL);
}

static void release(struct resource *res)
{
	if (res->parent)
		release_resource(res);
}

static bool reserve_windows(struct vpci_host *host)
{
	u64 aperture = vpci_aperture_bytes(host->gdev);

	if (reserve(&host->aperture, "vkfd GPU memory", aperture + VPCI_DOORBELL_BYTES,
		    aperture, IORESOURCE_PREFETCH | IORESOURCE_MEM_64) &&
	    reserve(&host->mmio, "vkfd GPU registers", MMIO_WINDOW, MMIO_WINDOW, 0))
		return true;
	release(&host->aperture);
	return false;
}

static void add_windows(struct vpci_host *host, struct list_head *windows)
{
	u64 mmio_bus = MMIO_BUS_BASE + host->gdev->index * MMIO_WINDOW;

	if (host->aperture.parent) {
		pci_add_resource(windows, &host->aperture);
		pci_add_resource_offset(windows, &host->mmio, host->mmio.start - mmio_bus);
	}
	pci_add_resource(windows, &host->busn);
}

/* -------------------------------------------------------- create and destroy */

static void vpci_host_free(struct vpci_host *host)
{
	release(&host->mmio);
	release(&host->aperture);
	gpu_device_put(host->gdev);
	kfree(host);
}

/*
 * Whoever has the function (an open render node does) may read its config space until
 * now. A GPU that was unplugged does not wait for that, only the module's end does.
 */
static void vpci_bridge_release(struct pci_host_bridge *bridge)
{
	vpci_host_free(bridge->release_data);
	if (atomic_dec_and_test(&vpci_num_hosts))
		wake_up_var(&vpci_num_hosts);
}

static struct vpci_host *vpci_host_alloc(struct gpu_device *gdev)
{
	struct vpci_host *host = kzalloc(sizeof(*host), GFP_KERNEL);
	unsigned int busnr = FIRST_BUS + gdev->index;

	if (!host)
		return NULL;
	gpu_device_get(gdev);
	host->gdev = gdev;
	host->error = -ENODEV;
	host->sysdata.domain = vpci_domain;
	/* A node with CPUs, as topology has no others */
	host->sysdata.node = num_online_nodes() > 1 ? first_node(node_states[N_CPU]) : NUMA_NO_NODE;
	host->busn = (struct resource) {
		.name = "vkfd bus", .flags = IORESOURCE_BUS, .start = busnr, .end = busnr,
	};
	if (!reserve_windows(host))
		pr_info("no address space for the BARs of GPU %u\n", gdev->index);
	vpci_config_init(&host->config, gdev, host->aperture.parent);
	gpu_device_place(gdev, vpci_domain, PCI_DEVID(busnr, 0));
	return host;
}

/* When the scan finds the function, the driver binds to it and attaches the GPU. */
static int vpci_host_scan(struct vpci_host *host)
{
	int ret;

	pci_lock_rescan_remove();
	ret = pci_scan_root_bus_bridge(host->bridge);
	if (!ret) {
		pci_assign_unassigned_bus_resources(host->bridge->bus);
		pci_bus_add_devices(host->bridge->bus);
	}
	pci_unlock_rescan_remove();
	return ret;
}

int vpci_host_create(struct gpu_device *gdev)
{
	struct pci_host_bridge *bridge = pci_alloc_host_bridge(0);
	struct vpci_host *host;
	int ret;

	if (!bridge)
		return -ENOMEM;
	host = vpci_host_alloc(gdev);
	if (!host) {
		pci_free_host_bridge(bridge);
		return -ENOMEM;
	}
	host->bridge = bridge;
	add_windows(host, &bridge->windows);
	bridge->ops = &vpci_ops;
	bridge->sysdata = &host->sysdata;
	atomic_inc(&vpci_num_hosts);
	pci_set_host_bridge_release(bridge, vpci_bridge_release, host);
	if (vpci_host_scan(host)) {
		pci_free_host_bridge(bridge);
		return -ENODEV;
	}
	if (!host->attached) {
		ret = host->error;
		vpci_host_destroy(host);
		return ret;
	}
	gdev->place = host;
	return 0;
}

/* @host ends with the last reference of its function, maybe later. */
void vpci_host_destroy(struct vpci_host *host)
{
	struct pci_host_bridge *bridge = host->bridge;
	struct pci_bus *bus = bridge->bus;

	pci_lock_rescan_remove();
	pci_stop_root_bus(bus);
	pci_remove_root_bus(bus);
	pci_unlock_rescan_remove();
	pci_free_host_bridge(bridge);
}

void vpci_hosts_fini(void)
{
	wait_var_event(&vpci_num_hosts, !atomic_read(&vpci_num_hosts));
}

static bool domain_is_free(int domain)
{
	struct pci_bus *bus = NULL;

	while ((bus = pci_find_next_bus(bus)))
		if (pci_domain_nr(bus) == domain)
			return false;
	return true;
}

int vpci_hosts_init(void)
{
	/* Without domains, scanning the first bus shows whether our bus numbers are free. */
	if (!COMPAT_PCI_DOMAINS)
		return 0;
	for (vpci_domain = FIRST_DOMAIN; vpci_domain <= LAST_DOMAIN; vpci_domain++)
		if (domain_is_free(vpci_domain))
			return 0;
	return -ENODEV;
}
