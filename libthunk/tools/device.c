// SPDX-License-Identifier: MIT
/* What tools say about a GPU that cannot be opened; see device.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aql/aql.h"
#include "device.h"

const char *device_closed(void)
{
	if (!access("/dev/kfd", R_OK | W_OK))
		return aql_strerror(-ENXIO);
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

	if (err == -ENXIO)
		return device_closed();
	snprintf(text, sizeof(text), "GPU %u: %s%s", index, aql_strerror(err),
		 err == -ENODEV ? " (vkfd-info lists those that there are)" : "");
	return text;
}
