// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PCI driver of our functions. It is called "amdgpu", because tools look for that
 * name. On a machine with a real AMD GPU the name is left to the real driver, and ours is
 * called "vkfd".
 *
 * It has no table of ids. Our functions select it by driver_override, and it never matches
 * another device. Our functions send no uevents, because their ids would make udev load
 * the real amdgpu, which every distribution's kernel has.
 */
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/notifier.h>
#include <linux/slab.h>

#include "../gpu/device.h"
#include "pci_int.h"

static int vpci_bus_notify(struct notifier_block *nb, unsigned long action, void *data);

static struct notifier_block vpci_notifier = {
	.notifier_call = vpci_bus_notify,
};

/* Claims the BARs exclusively, so that nobody maps them; see host.c. */
static int vpci_enable(struct pci_dev *pdev)
{
	int ret;

	if (!pci_resource_len(pdev, 0))
		return 0;
	ret = pci_enable_device_mem(pdev);
	if (ret)
		return ret;
	ret = pci_request_regions_exclusive(pdev, "vkfd");
	if (ret) {
		pci_disable_device(pdev);
		return ret;
	}
	pci_set_master(pdev);
	return 0;
}

static void vpci_disable(struct pci_dev *pdev)
{
	if (!pci_is_enabled(pdev))
		return;
	pci_clear_master(pdev);
	pci_release_regions(pdev);
	pci_disable_device(pdev);
}

static int vpci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct vpci_host *host = vpci_host_of(pdev);
	int ret;

	/* A user wrote the ids of another device to new_id. */
	if (!host)
		return -ENODEV;
	ret = vpci_enable(pdev);
	if (ret)
		goto out;
	/* The function does no DMA: the CPU accesses imported buffers through their pages. */
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		goto out_disable;
	pci_set_drvdata(pdev, host->gdev);
	ret = vpci_face->attach(host->gdev, &pdev->dev);
	if (ret)
		goto out_disable;
	host->attached = true;
	return 0;

out_disable:
	vpci_disable(pdev);
out:
	host->error = ret;
	return ret;
}

static void vpci_remove(struct pci_dev *pdev)
{
	struct vpci_host *host = vpci_host_of(pdev);

	vpci_face->detach(host->gdev);
	host->attached = false;
	vpci_disable(pdev);
}

static struct pci_driver vpci_driver = {
	.name = "amdgpu",
	.probe = vpci_probe,
	.remove = vpci_remove,
	.driver.pm = pm_sleep_ptr(&vpci_pm_ops),
};

/* The bus calls this after adding a device and before sending its uevent. */
static int vpci_bus_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct pci_dev *pdev = to_pci_dev((struct device *)data);

	if (action != BUS_NOTIFY_ADD_DEVICE || !vpci_host_of(pdev))
		return NOTIFY_DONE;
	dev_set_uevent_suppress(&pdev->dev, true);
	if (compat_set_driver_override(pdev, vpci_driver.name))
		dev_err(&pdev->dev, "no memory for the driver's name\n");
	return NOTIFY_OK;
}

int vpci_driver_init(void)
{
	int ret;

	if (vpci_physical_gpu_present())
		vpci_driver.name = "vkfd";
	ret = bus_register_notifier(&pci_bus_type, &vpci_notifier);
	if (ret)
		return ret;
	ret = pci_register_driver(&vpci_driver);
	if (ret)
		bus_unregister_notifier(&pci_bus_type, &vpci_notifier);
	return ret;
}

void vpci_driver_fini(void)
{
	pci_unregister_driver(&vpci_driver);
	bus_unregister_notifier(&pci_bus_type, &vpci_notifier);
}
