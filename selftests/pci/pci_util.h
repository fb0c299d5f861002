/* SPDX-License-Identifier: MIT */
/* PCI functions of GPUs in sysfs: found by what the topology says of them. */
#ifndef PCI_UTIL_H
#define PCI_UTIL_H

#include <limits.h>

#include "../drm/drm_util.h"
#include "../kfd/file_util.h"

#define PCI	"/sys/bus/pci"

/* "dddd:bb:dd.f" of a GPU node. */
static inline void pci_name(int node, char name[16])
{
	unsigned int where = node_prop(node, "location_id");

	snprintf(name, 16, "%04x:%02x:%02x.%x", (unsigned int)node_prop(node, "domain"),
		 where >> 8 & 0xff, where >> 3 & 0x1f, where & 7);
}

/* First line of @dir/@file without its end; "" if it cannot be read. */
static inline char *sysfs_read(const char *dir, const char *file, char *buf, size_t bytes)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "r");
	if (!f || !fgets(buf, bytes, f))
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	if (f)
		fclose(f);
	return buf;
}

/* What link @dir/@file names, last component; "" if there is none. */
static inline char *sysfs_link(const char *dir, const char *file, char *buf, size_t bytes)
{
	char path[PATH_MAX], target[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	n = readlink(path, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = '\0';
	snprintf(buf, bytes, "%s", strrchr(target, '/') ? strrchr(target, '/') + 1 : "");
	return buf;
}

#endif /* PCI_UTIL_H */
