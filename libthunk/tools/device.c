// SPDX-License-Identifier: MIT
/* What tools say about a GPU that cannot be opened; see device.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aql/aql.h"
#include "device.h"

/* The first render node that the user may not open, which a GPU wants beside /dev/kfd; or NULL. */
static const char *render_closed(void)
{
	static char text[96];

	for (unsigned int minor = 128; minor < 192; minor++) {
		char path[32];

		snprintf(path, sizeof(path), "/dev/dri/renderD%u", minor);
		if (!access(path, R_OK | W_OK) || errno != EACCES)
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
