// SPDX-License-Identifier: MIT
/*
 * What a GPU and its machine do at the moment, for the report of a test that has waited in vain:
 * the queues, and who runs.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"

static void say_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		printf("# %s: %s", path, line);
	if (f)
		fclose(f);
}

/* Where a task in the kernel is; and how much processor time it has had, in ticks (proc(5)). */
static void say_task(const char *pid)
{
	unsigned long user = 0, system = 0;
	char path[64], line[512], state = '?';
	const char *name, *rest;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return;
	name = fgets(line, sizeof(line), f) ? strchr(line, '(') : NULL;
	rest = name ? strrchr(name, ')') : NULL;
	if (rest)
		sscanf(rest, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state,
		       &user, &system);
	if (rest && (state != 'S' && state != 'I'))
		printf("# task %s %.*s: %c, ticks %lu user %lu system\n", pid,
		       (int)(rest + 1 - name), name, state, user, system);
	fclose(f);
}

void rig_say_state(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;

	say_file("/sys/kernel/debug/kfd/0/queues");
	say_file("/sys/kernel/debug/kfd/0/stats");
	while (proc && (e = readdir(proc)))
		if (isdigit((unsigned char)e->d_name[0]))
			say_task(e->d_name);
	if (proc)
		closedir(proc);
}
