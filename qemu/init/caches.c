// SPDX-License-Identifier: MIT
/*
 * Caches of the host's CPUs, where the host's sysfs has none: some hypervisors hide what Linux
 * reads for it (CPUID leaves 4 and 0x8000001d). ROCm's runtime of Debian 12 and 13 finds no CPU then,
 * and so no GPU. What an AMD CPU says in the older leaves 0x80000005 and 0x80000006 is shown in the
 * guest instead, as legacy_amd_cpuid4() of Linux reads it for CPUs that have no others. Each
 * CPU is taken to have its own L1 and L2, as these leaves do not say who shares them.
 */
#include <cpuid.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "init.h"

#define CPUS		"/sys/devices/system/cpu"
#define LAYER		"/run/vkfd-caches"	/* of init's own root: whoever runs later does not see it */

struct cache {
	const char *type;
	unsigned int level, kb, line, ways;
	bool shared;
};

/* AMD's manual, volume 3, E.4.4: ways of an L2 or L3 by its field; 0: none, or said elsewhere */
static const unsigned int ways_of[16] = { 0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0 };

static unsigned int read_caches(struct cache c[4])
{
	unsigned int eax, ebx, l1d, l1i, l2, l3, n = 0;

	if (__get_cpuid(0x80000005, &eax, &ebx, &l1d, &l1i)) {
		if (l1d >> 24)
			c[n++] = (struct cache){ "Data", 1, l1d >> 24, l1d & 0xff, l1d >> 16 & 0xff };
		if (l1i >> 24)
			c[n++] = (struct cache){ "Instruction", 1, l1i >> 24, l1i & 0xff,
						 l1i >> 16 & 0xff };
	}
	if (__get_cpuid(0x80000006, &eax, &ebx, &l2, &l3)) {
		if (l2 >> 16)
			c[n++] = (struct cache){ "Unified", 2, l2 >> 16, l2 & 0xff,
						 ways_of[l2 >> 12 & 0xf] };
		if (l3 >> 18)
			c[n++] = (struct cache){ "Unified", 3, (l3 >> 18) * 512, l3 & 0xff,
						 ways_of[l3 >> 12 & 0xf], .shared = true };
	}
	return n;
}

static void say_in(const char *dir, const char *name, const char *fmt, const char *text,
		   unsigned long number)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	if (!f || (text ? fprintf(f, fmt, text) : fprintf(f, fmt, number)) < 0 || fclose(f))
		die("cannot write %s: %m", path);
}

static void write_cache(const char *dir, const struct cache *c, unsigned int cpu, unsigned int cpus)
{
	char list[32];

	if (c->shared && cpus > 1)
		snprintf(list, sizeof(list), "0-%u", cpus - 1);
	else
		snprintf(list, sizeof(list), "%u", cpu);
	say_in(dir, "level", "%lu\n", NULL, c->level);
	say_in(dir, "type", "%s\n", c->type, 0);
	say_in(dir, "size", "%luK\n", NULL, c->kb);
	say_in(dir, "coherency_line_size", "%lu\n", NULL, c->line);
	say_in(dir, "physical_line_partition", "%lu\n", NULL, 1);
	say_in(dir, "ways_of_associativity", "%lu\n", NULL, c->ways);
	if (c->ways && c->line)
		say_in(dir, "number_of_sets", "%lu\n", NULL, c->kb * 1024ul / c->line / c->ways);
	say_in(dir, "shared_cpu_list", "%s\n", list, 0);
	if (cpus <= 32)
		say_in(dir, "shared_cpu_map", "%08lx\n", NULL,
		       c->shared ? (1ul << cpus) - 1 : 1ul << cpu);
}

void caches_show(void)
{
	unsigned int cpu, i, n, cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct cache caches[4];
	char dir[PATH_MAX];

	if (access(CPUS "/cpu0", F_OK) || !access(CPUS "/cpu0/cache", F_OK))
		return;
	n = read_caches(caches);
	if (!n)
		return;
	mkdir_p(LAYER);
	if (mount("caches", LAYER, "tmpfs", 0, NULL))
		die("cannot mount %s: %m", LAYER);
	for (cpu = 0; cpu < cpus; cpu++) {
		for (i = 0; i < n; i++) {
			snprintf(dir, sizeof(dir), LAYER "/upper/cpu%u/cache/index%u", cpu, i);
			mkdir_p(dir);
			write_cache(dir, &caches[i], cpu, cpus);
		}
	}
	mkdir_p(LAYER "/upper");
	if (mount("overlay", CPUS, "overlay", MS_RDONLY, "lowerdir=" LAYER "/upper:" CPUS))
		die("cannot show the caches of CPUs: %m");
}
