/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between architectures that matter to a PCI host bridge of our own.
 */
#ifndef VKFD_COMPAT_PCI_H
#define VKFD_COMPAT_PCI_H

#ifdef CONFIG_UML

/*
 * User Mode Linux has a PCI bus of its own (drivers/virt-pci.c), for devices that another
 * process of the host emulates: bus 0 of the only domain. Ours are the buses after it.
 * Nobody reads bus->sysdata there; the struct exists so that host.c needs no #ifdef.
 */
#define COMPAT_PCI_DOMAINS	0

struct pci_sysdata {
	int domain;
	int node;
};

/* um's memory is at the bottom of its physical address space; the rest is free. */
#define compat_phys_bits()	46

#else

#include <asm/processor.h>

#define COMPAT_PCI_DOMAINS	1
#define compat_phys_bits()	boot_cpu_data.x86_phys_bits

#endif
#endif /* VKFD_COMPAT_PCI_H */
