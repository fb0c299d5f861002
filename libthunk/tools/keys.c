// SPDX-License-Identifier: MIT
/* Keys that count at once; see keys.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "keys.h"

static struct termios found, ours;
static bool on;

static void give_back(void)
{
	tcsetattr(STDIN_FILENO, TCSANOW, &found);
}

static void end(int number)
{
	give_back();
	signal(number, SIG_DFL);
	raise(number);
}

/* Shells take the terminal for themselves while a job is stopped. */
static void go_on(int number)
{
	int err = errno;

	(void)number;
	if (tcgetpgrp(STDIN_FILENO) == getpgrp())
		tcsetattr(STDIN_FILENO, TCSANOW, &ours);
	errno = err;
}

/* That it is handled is enough: it ends the wait. */
static void resized(int number)
{
	(void)number;
}

bool keys_begin(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	signal(SIGWINCH, resized);
	/* A job in the background may not touch the terminal */
	if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
	    tcgetattr(STDIN_FILENO, &found))
		return false;
	ours = found;
	ours.c_lflag &= ~(ICANON | ECHO);
	ours.c_cc[VMIN] = 1;
	ours.c_cc[VTIME] = 0;
	atexit(give_back);
	for (unsigned int i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (signal(ends[i], end) == SIG_IGN)
			signal(ends[i], SIG_IGN);
	signal(SIGCONT, go_on);
	on = !tcsetattr(STDIN_FILENO, TCSANOW, &ours);
	return on;
}

int keys_wait(double seconds)
{
	struct pollfd p = { .fd = on ? STDIN_FILENO : -1, .events = POLLIN };
	unsigned char key;

	if (poll(&p, 1, seconds * 1e3) <= 0)
		return 0;
	if (p.revents & POLLIN && read(STDIN_FILENO, &key, 1) == 1)
		return key;
	/* The terminal is gone: time goes on without it */
	on = false;
	return 0;
}
