/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What architectures differ in about a PCI host bridge of our own.
 */
#ifndef VKFD_COMPAT_PCI_H
#define VKFD_COMPAT_PCI_H

#ifdef CONFIG_UML

/*
 * User Mode Linux has a bus of its own (drivers/virt-pci.c), for devices that
 * another process of the host emulates: bus 0 of the only domain there is. So
 * ours are the buses after it. Behind bus->sysdata nobody looks for anything;
 * the struct is here so that x86's code needs no branches.
 */
#define COMPAT_PCI_DOMAINS	0

struct pci_sysdata {
	int domain;
	int node;
};

/* Memory is the lowest of what it calls physical; above it all is free. */
#define compat_phys_bits()	46

#else

#include <asm/processor.h>

#define COMPAT_PCI_DOMAINS	1
#define compat_phys_bits()	boot_cpu_data.x86_phys_bits

#endif
#endif /* VKFD_COMPAT_PCI_H */
