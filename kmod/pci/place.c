// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chooses a GPU's place: PCI if the kernel supports it, else a platform device. Without
 * PCI, the GPU's bus number (1 and up, in domain 0) only identifies it. Drivers of both
 * kinds of devices are told when the machine sleeps.
 */
#include <linux/err.h>
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/platform_device.h>

#include "../gpu/device.h"
#include "../model/target.h"
#include "pci_int.h"

static bool pci = true;
module_param(pci, bool, 0444);
MODULE_PARM_DESC(pci, "show GPUs as PCI functions; if not, as platform devices (default yes)");

const struct vpci_face_ops *vpci_face;
static bool vpci_available;

#ifdef COMPAT_HAVE_PCI_FACE

static int vpci_face_init(void)
{
	int ret = vpci_hosts_init();

	return ret ?: vpci_driver_init();
}

static bool is_foreign_gpu(struct pci_dev *pdev)
{
	return vpci_is_foreign_gpu(pdev);
}

#else

static int vpci_face_init(void)
{
	return -ENODEV;
}

static void vpci_hosts_fini(void)
{
}

static void vpci_driver_fini(void)
{
}

static int vpci_host_create(struct gpu_device *gdev)
{
	return -ENODEV;
}

struct vpci_host;

static void vpci_host_destroy(struct vpci_host *host)
{
}

static bool is_foreign_gpu(struct pci_dev *pdev)
{
	return pdev->class >> 16 == PCI_BASE_CLASS_DISPLAY;
}

#endif

bool vpci_physical_gpu_present(void)
{
	struct pci_dev *pdev = NULL;

	while ((pdev = pci_get_device(GPU_VENDOR_ID, PCI_ANY_ID, pdev))) {
		if (!is_foreign_gpu(pdev))
			continue;
		pci_dev_put(pdev);
		return true;
	}
	return false;
}

/* -------------------------------------------------------------------- sleep */

static int vpci_suspend(struct device *dev)
{
	return vpci_face->suspend(dev_get_drvdata(dev));
}

static int vpci_resume(struct device *dev)
{
	vpci_face->resume(dev_get_drvdata(dev));
	return 0;
}

/*
 * There is no thaw callback: code that runs after the image was made would use pages and
 * swap of which the image knows nothing. If the image could not be used, the PM notifier
 * of kfd/evict.c resumes the GPUs at the end.
 */
const struct dev_pm_ops vpci_pm_ops = {
	.suspend = pm_sleep_ptr(vpci_suspend),
	.resume = pm_sleep_ptr(vpci_resume),
	.freeze = pm_sleep_ptr(vpci_suspend),
	.poweroff = pm_sleep_ptr(vpci_suspend),
	.restore = pm_sleep_ptr(vpci_resume),
};

/* ----------------------------------------------------------------- platform */

/* No probe function: whoever creates the device attaches the GPU. */
static struct platform_driver vpci_platform_driver = {
	.driver = {
		.name = "vkfd_gpu",
		.pm = pm_sleep_ptr(&vpci_pm_ops),
		.suppress_bind_attrs = true,
	},
};

static int vpci_platform_create(struct gpu_device *gdev)
{
	struct platform_device *pdev;
	int ret;

	pdev = platform_device_register_simple("vkfd_gpu", gdev->index, NULL, 0);
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	platform_set_drvdata(pdev, gdev);
	gpu_device_place(gdev, 0, (gdev->index + 1) << 8);
	ret = vpci_face->attach(gdev, &pdev->dev);
	if (ret) {
		platform_device_unregister(pdev);
		return ret;
	}
	gdev->place = pdev;
	return 0;
}

static void vpci_platform_destroy(struct gpu_device *gdev)
{
	vpci_face->detach(gdev);
	platform_device_unregister(gdev->place);
}

/* ------------------------------------------------------------------ devices */

int vpci_device_init(struct gpu_device *gdev)
{
	int ret;

	gdev->on_pci = false;
	if (vpci_available) {
		ret = vpci_host_create(gdev);
		gdev->on_pci = !ret;
		if (ret != -ENODEV)
			return ret;
		pr_warn("GPU %u gets no PCI function, but a platform device\n", gdev->index);
	}
	return vpci_platform_create(gdev);
}

void vpci_device_fini(struct gpu_device *gdev)
{
	if (gdev->on_pci)
		vpci_host_destroy(gdev->place);
	else
		vpci_platform_destroy(gdev);
	gdev->place = NULL;
}

int vpci_init(const struct vpci_face_ops *face)
{
	int ret;

	vpci_face = face;
	ret = platform_driver_register(&vpci_platform_driver);
	if (ret || !pci)
		return ret;
	ret = vpci_face_init();
	vpci_available = !ret;
	if (ret && ret != -ENODEV)
		pr_warn("no PCI driver (%d): GPUs are platform devices\n", ret);
	return 0;
}

void vpci_fini(void)
{
	if (vpci_available) {
		vpci_hosts_fini();
		vpci_driver_fini();
	}
	vpci_available = false;
	platform_driver_unregister(&vpci_platform_driver);
}
