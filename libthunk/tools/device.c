// SPDX-License-Identifier: MIT
/* What tools say about a GPU that cannot be opened; see device.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aql/aql.h"
#include "device.h"

/* The render node of a node of the topology, by its number; -1: there is no such node. 0: a CPU */
static int render_minor(unsigned int node)
{
	char path[80], line[80];
	int minor = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/topology/nodes/%u/properties", node);
	f = fopen(path, "r");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "drm_render_minor %d", &minor) == 1)
			break;
	fclose(f);
	return minor;
}

/* The first render node of KFD's GPUs that the user may not open; or NULL. */
static const char *render_closed(void)
{
	static char text[96];
	int minor;

	for (unsigned int node = 0; (minor = render_minor(node)) >= 0; node++) {
		char path[32];

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", minor);
		if (!minor || !access(path, R_OK | W_OK) || errno != EACCES)
			continue;
		snprintf(text, sizeof(text), "%s: permission denied: join group render, or use sudo",
			 path);
		return text;
	}
	return NULL;
}

const char *device_closed(void)
{
	if (!access("/dev/kfd", R_OK | W_OK))
		return render_closed() ?: aql_strerror(-ENXIO);
	switch (errno) {
	case ENOENT:
		return "there is no /dev/kfd: load a driver (modprobe vkfd)";
	case EACCES:
		return "/dev/kfd: permission denied: join group render, or use sudo";
	default:
		return strerror(errno);
	}
}

const char *device_why(unsigned int index, int err)
{
	static char text[160];
	const char *closed = err == -EIO ? render_closed() : NULL;

	if (closed)
		return closed;
	if (err == -ENXIO)
		return device_closed();
	snprintf(text, sizeof(text), "GPU %u: %s%s", index, aql_strerror(err),
		 err == -ENODEV ? " (vkfd-info lists those that there are)" : "");
	return text;
}
