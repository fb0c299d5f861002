// SPDX-License-Identifier: MIT
/*
 * The main line of the guest's PID 1. Whatever goes wrong before the command
 * runs ends in die(): the reason goes to the console and to the host, which
 * takes it for a lost guest, never for a result.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "init.h"

static int result_port = -1;

void say(const char *fmt, ...)
{
	int fd = open("/dev/console", O_WRONLY | O_CLOEXEC | O_NOCTTY);
	va_list ap;

	va_start(ap, fmt);
	if (fd >= 0) {
		dprintf(fd, "vm-init: ");
		vdprintf(fd, fmt, ap);
		dprintf(fd, "\n");
		close(fd);
	}
	va_end(ap);
}

void die(const char *fmt, ...)
{
	char why[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	say("%s", why);
	if (result_port >= 0)
		dprintf(result_port, "failed %s\n", why);
	sync();
	sleep(1);	/* the host reads the reason before the machine goes */
	reboot(RB_POWER_OFF);
	_exit(1);
}

/* Taint bits tell of an oops or a warning even where its text got lost */
static unsigned long read_taint(void)
{
	FILE *f = fopen("/proc/sys/kernel/tainted", "re");
	unsigned long taint;

	if (!f || fscanf(f, "%lu", &taint) != 1)
		die("cannot read the taint word: %m");
	fclose(f);
	return taint;
}

/* The result's port first: all that goes wrong from there on is told */
static void open_ports(const struct job *job, int ports[5])
{
	static const char * const names[] = { "result", "out", "err", "log", "in" };

	for (unsigned int i = 0; i < 5; i++) {
		char name[16];
		int fd;

		snprintf(name, sizeof(name), "vkfd.%s", names[i]);
		fd = job->serial ? port_open_serial(i) : port_open(name);
		if (i)
			ports[i - 1] = fd;
		else
			result_port = fd;
	}
	ports[4] = result_port;
}

int main(void)
{
	struct run_result res;
	struct job job;
	int ports[5];

	setup_early();
	job_read(&job);
	setup_boot_modules();
	open_ports(&job, ports);
	setup_root(&job);
	setup_modules(&job);
	port_printf(result_port, "ready\n");

	run_command(&job, ports, &res);
	setup_teardown(&job);
	port_printf(result_port, "%s %d %llu %llu %lu\n", res.how, res.status,
		    res.bytes[0], res.bytes[1], read_taint());

	/* The host ends the machine once it holds every byte; this is if it died */
	sleep(30);
	reboot(RB_POWER_OFF);
	return 1;
}
