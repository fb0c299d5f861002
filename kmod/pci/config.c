// SPDX-License-Identifier: GPL-2.0-only
/*
 * Configuration space as data: an image, and a mask of the writable bits. BARs need no
 * code: their low bits are not writable, which is how the PCI core learns their sizes.
 *
 * The image describes a card as far as that is true: identity, address ranges (VRAM in BAR
 * 0, doorbells in 2, registers in 5), power management, PCI Express with its link, MSI. It
 * has no interrupt line (INTx pin 0), no expansion ROM and no I/O BAR. Nothing is mapped
 * behind the BARs: VRAM is pages of system memory, mapped through the render node.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/pci.h>
#include <linux/sizes.h>

#include "../gpu/device.h"
#include "../model/target.h"
#include "pci_int.h"

/* Offsets of the capabilities on these cards. */
#define CAP_PM		0x50
#define CAP_EXP		0x64
#define CAP_MSI		0xa0

#define APERTURE_MIN	SZ_256M

/* Display controller, other: the class of an Instinct card without outputs. */
#define CLASS_DEFAULT	(PCI_CLASS_DISPLAY_OTHER << 8)

u64 vpci_aperture_bytes(const struct gpu_device *gdev)
{
	return max_t(u64, roundup_pow_of_two(gdev->vram_bytes), APERTURE_MIN);
}

static void put(struct vpci_config *c, int at, int size, u32 val, u32 writable)
{
	int i;

	for (i = 0; i < size; i++) {
		c->data[at + i] = val >> 8 * i;
		c->writable[at + i] = writable >> 8 * i;
	}
}

static void put16(struct vpci_config *c, int at, u16 val, u16 writable)
{
	put(c, at, 2, val, writable);
}

static void put32(struct vpci_config *c, int at, u32 val, u32 writable)
{
	put(c, at, 4, val, writable);
}

static void put_header(struct vpci_config *c, const struct gpu_target *t)
{
	put16(c, PCI_VENDOR_ID, GPU_VENDOR_ID, 0);
	put16(c, PCI_DEVICE_ID, t->device_id, 0);
	put16(c, PCI_COMMAND, 0, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY |
	      PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE);
	put16(c, PCI_STATUS, PCI_STATUS_CAP_LIST, 0);
	put32(c, PCI_CLASS_REVISION, (t->pci_class ?: CLASS_DEFAULT) << 8 | t->pci_rev, 0);
	put16(c, PCI_CACHE_LINE_SIZE, L1_CACHE_BYTES / 4, 0xff);
	put16(c, PCI_SUBSYSTEM_VENDOR_ID, t->subsystem_vendor, 0);
	put16(c, PCI_SUBSYSTEM_ID, t->subsystem_device, 0);
	c->data[PCI_CAPABILITY_LIST] = CAP_PM;
	put16(c, PCI_INTERRUPT_LINE, 0xff, 0xff);
}

static void put_bar64(struct vpci_config *c, int at, u64 bytes)
{
	u64 writable = ~(bytes - 1);

	put32(c, at, PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH,
	      lower_32_bits(writable));
	put32(c, at + 4, 0, upper_32_bits(writable));
}

static void put_pm(struct vpci_config *c, u8 next)
{
	put16(c, CAP_PM, PCI_CAP_ID_PM | next << 8, 0);
	put16(c, CAP_PM + PCI_PM_PMC, 3, 0);	/* version 1.2, D0 and D3hot */
	put16(c, CAP_PM + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET, PCI_PM_CTRL_STATE_MASK);
}

/* A x16 link that is always up, at the generation of the model. */
static void put_exp(struct vpci_config *c, u8 next, u8 gen)
{
	u16 width = GPU_PCIE_LANES << 4;

	put16(c, CAP_EXP, PCI_CAP_ID_EXP | next << 8, 0);
	put16(c, CAP_EXP + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_LEG_END << 4, 0);
	put32(c, CAP_EXP + PCI_EXP_DEVCAP, 1 | PCI_EXP_DEVCAP_EXT_TAG | PCI_EXP_DEVCAP_RBER, 0);
	put16(c, CAP_EXP + PCI_EXP_DEVCTL,
	      PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_PAYLOAD_256B | PCI_EXP_DEVCTL_EXT_TAG |
	      PCI_EXP_DEVCTL_NOSNOOP_EN | PCI_EXP_DEVCTL_READRQ_512B,
	      0x7fff & ~(PCI_EXP_DEVCTL_PHANTOM | PCI_EXP_DEVCTL_AUX_PME));
	put32(c, CAP_EXP + PCI_EXP_LNKCAP, gen | width, 0);
	put16(c, CAP_EXP + PCI_EXP_LNKCTL, PCI_EXP_LNKCTL_CCC,
	      PCI_EXP_LNKCTL_RCB | PCI_EXP_LNKCTL_CCC | PCI_EXP_LNKCTL_ES);
	put16(c, CAP_EXP + PCI_EXP_LNKSTA, gen | width | PCI_EXP_LNKSTA_SLC, 0);
	put32(c, CAP_EXP + PCI_EXP_DEVCAP2,
	      PCI_EXP_DEVCAP2_ATOMIC_COMP32 | PCI_EXP_DEVCAP2_ATOMIC_COMP64, 0);
	put16(c, CAP_EXP + PCI_EXP_DEVCTL2, PCI_EXP_DEVCTL2_ATOMIC_REQ,
	      PCI_EXP_DEVCTL2_ATOMIC_REQ | PCI_EXP_DEVCTL2_COMP_TIMEOUT);
	put32(c, CAP_EXP + PCI_EXP_LNKCAP2, (2u << gen) - 2, 0);
	put16(c, CAP_EXP + PCI_EXP_LNKCTL2, gen, PCI_EXP_LNKCTL2_TLS);
}

/* MSI with one 64-bit message, which is never sent. */
static void put_msi(struct vpci_config *c, u8 next)
{
	put16(c, CAP_MSI, PCI_CAP_ID_MSI | next << 8, 0);
	put16(c, CAP_MSI + PCI_MSI_FLAGS, PCI_MSI_FLAGS_64BIT, PCI_MSI_FLAGS_ENABLE);
	put32(c, CAP_MSI + PCI_MSI_ADDRESS_LO, 0, ~3u);
	put32(c, CAP_MSI + PCI_MSI_ADDRESS_HI, 0, ~0u);
	put16(c, CAP_MSI + PCI_MSI_DATA_64, 0, 0xffff);
}

void vpci_config_init(struct vpci_config *c, const struct gpu_device *gdev, bool bars)
{
	const struct gpu_target *t = gdev->target;

	raw_spin_lock_init(&c->lock);
	put_header(c, t);
	put_pm(c, CAP_EXP);
	put_exp(c, CAP_MSI, t->pcie_gen ?: GPU_PCIE_GEN);
	put_msi(c, 0);
	if (!bars)
		return;
	put_bar64(c, PCI_BASE_ADDRESS_0, vpci_aperture_bytes(gdev));
	put_bar64(c, PCI_BASE_ADDRESS_2, VPCI_DOORBELL_BYTES);
	put32(c, PCI_BASE_ADDRESS_5, 0, ~(VPCI_MMIO_BYTES - 1));
}

static bool vpci_access_ok(int where, int size)
{
	return where >= 0 && (size == 1 || size == 2 || size == 4) &&
	       where <= VPCI_CONFIG_BYTES - size;
}

int vpci_config_read(struct vpci_config *c, int where, int size, u32 *val)
{
	unsigned long flags;
	u32 v = 0;
	int i;

	if (!vpci_access_ok(where, size))
		return PCIBIOS_BAD_REGISTER_NUMBER;
	raw_spin_lock_irqsave(&c->lock, flags);
	for (i = 0; i < size; i++)
		v |= (u32)c->data[where + i] << 8 * i;
	raw_spin_unlock_irqrestore(&c->lock, flags);
	*val = v;
	return PCIBIOS_SUCCESSFUL;
}

int vpci_config_write(struct vpci_config *c, int where, int size, u32 val)
{
	unsigned long flags;
	u8 mask;
	int i;

	if (!vpci_access_ok(where, size))
		return PCIBIOS_BAD_REGISTER_NUMBER;
	raw_spin_lock_irqsave(&c->lock, flags);
	for (i = 0; i < size; i++, val >>= 8) {
		mask = c->writable[where + i];
		c->data[where + i] = (c->data[where + i] & ~mask) | (val & mask);
	}
	raw_spin_unlock_irqrestore(&c->lock, flags);
	return PCIBIOS_SUCCESSFUL;
}
