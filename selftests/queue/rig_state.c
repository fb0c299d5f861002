// SPDX-License-Identifier: MIT
/*
 * What a GPU and its machine do at the moment, for the report of a test that has waited in vain:
 * the queues, and who runs.
 */
#include <glob.h>
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

/* A thread that runs or is ours, and how much processor time it has had, in ticks (proc(5)). */
static void say_thread(const char *path)
{
	unsigned long user = 0, system = 0;
	const char *name, *end;
	char line[512], state;
	FILE *f = fopen(path, "r");

	if (!f)
		return;
	name = fgets(line, sizeof(line), f) ? strchr(line, '(') : NULL;
	end = name ? strrchr(name, ')') : NULL;
	if (end && sscanf(end, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state,
			  &user, &system) == 3 &&
	    (!strncmp(name, "(vkfd", 5) || !strchr("SI", state)))
		printf("# %s %.*s: %c, ticks %lu user %lu system\n", path,
		       (int)(end + 1 - name), name, state, user, system);
	fclose(f);
}

void rig_say_state(void)
{
	size_t i;
	glob_t g;

	say_file("/sys/kernel/debug/kfd/0/queues");
	say_file("/sys/kernel/debug/kfd/0/stats");
	say_file("/sys/kernel/debug/kfd/counters");
	say_file("/sys/kernel/debug/kfd/page_cache");
	if (glob("/proc/[0-9]*/task/[0-9]*/stat", 0, NULL, &g))
		return;
	for (i = 0; i < g.gl_pathc; i++)
		say_thread(g.gl_pathv[i]);
	globfree(&g);
}
