// SPDX-License-Identifier: MIT
/*
 * Virtio ports by name. A port appears some time after its driver, and a
 * blocking write waits until the host listens, so nothing is lost at start.
 * Serial lines by number; they are there from the start.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "init.h"

#define PORT_CLASS	"/sys/class/virtio-ports"
#define PORT_WAIT_MS	5000

static bool port_find(const char *name, char *dev, size_t len)
{
	DIR *dir = opendir(PORT_CLASS);
	struct dirent *d;
	bool found = false;

	if (!dir)
		return false;
	while (!found && (d = readdir(dir))) {
		char path[sizeof(PORT_CLASS) + sizeof(d->d_name) + 8], label[64];
		ssize_t n;
		int fd;

		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), PORT_CLASS "/%s/name", d->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		n = read(fd, label, sizeof(label) - 1);
		close(fd);
		if (n <= 0)
			continue;
		label[n] = '\0';
		label[strcspn(label, "\n")] = '\0';
		found = !strcmp(label, name);
		if (found)
			snprintf(dev, len, "/dev/%s", d->d_name);
	}
	closedir(dir);
	return found;
}

int port_open(const char *name)
{
	char dev[300];

	for (int ms = 0; ms < PORT_WAIT_MS; ms += 5) {
		if (port_find(name, dev, sizeof(dev))) {
			int fd = open(dev, O_RDWR | O_CLOEXEC);

			if (fd >= 0)
				return fd;
		}
		usleep(5000);
	}
	die("port %s did not appear", name);
}

int port_open_serial(unsigned int index)
{
	struct termios tio;
	char dev[32];
	int fd;

	snprintf(dev, sizeof(dev), "/dev/ttyS%u", index);
	fd = open(dev, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || tcgetattr(fd, &tio))
		die("%s: %m", dev);
	cfmakeraw(&tio);
	if (tcsetattr(fd, TCSANOW, &tio))
		die("%s: %m", dev);
	return fd;
}

void port_write(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			die("port write: %m");
		if (n > 0) {
			p += n;
			len -= n;
		}
	}
}

void port_printf(int fd, const char *fmt, ...)
{
	char line[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(line))
		die("port message too long");
	port_write(fd, line, n);
}
