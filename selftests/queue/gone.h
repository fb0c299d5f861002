/* SPDX-License-Identifier: MIT */
/* GPUs that are taken from their driver, and given back: for tests of that */
#ifndef QUEUE_GONE_H
#define QUEUE_GONE_H

#include <glob.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "queue_test.h"

#define DRIVER		"/sys/bus/pci/drivers/amdgpu"

/* The PCI function of the render node */
static inline void function_of(int drm, char name[32])
{
	char path[64], real[PATH_MAX];
	struct stat st;

	ASSERT_EQ(0, fstat(drm, &st));
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device", major(st.st_rdev),
		 minor(st.st_rdev));
	ASSERT_TRUE(realpath(path, real) != NULL);
	snprintf(name, 32, "%.31s", strrchr(real, '/') + 1);
}

static inline bool have_unbind(void)
{
	return !access(DRIVER "/unbind", W_OK);
}

/* The mode of the render nodes; 0 leaves it, and anything else sets it. */
static inline mode_t nodes_mode(mode_t set)
{
	mode_t mode = 0;
	struct stat st;
	unsigned int i;
	glob_t g;

	if (glob("/dev/dri/renderD*", 0, NULL, &g))
		return 0;
	for (i = 0; i < g.gl_pathc; i++) {
		if (set)
			chmod(g.gl_pathv[i], set);
		if (!stat(g.gl_pathv[i], &st))
			mode = st.st_mode & 07777;
	}
	globfree(&g);
	return mode;
}

#endif /* QUEUE_GONE_H */
