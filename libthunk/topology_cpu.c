// SPDX-License-Identifier: MIT
/*
 * What a CPU node is besides its topology directory: the CPU's name, and its caches, which the
 * kernel keeps with each CPU.  Pure, like the parser.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topology.h"

/* The name of the first CPU, as UTF-16 and as bytes. */
void topo_cpu_name(const struct topo_roots *r, struct topo_node *nd)
{
	char buf[TOPO_MAX_FILE];
	char *s, *end;
	size_t i;

	if (topo_read_file(buf, sizeof(buf), "%s", r->cpuinfo) < 0)
		return;
	s = strstr(buf, "model name");
	if (s)
		s = strchr(s, ':');
	if (!s)
		return;
	s++;
	s += strspn(s, " \t");
	end = strchr(s, '\n');
	if (end)
		*end = '\0';
	for (i = 0; s[i] && i < HSA_PUBLIC_NAME_SIZE - 1; i++) {
		nd->props.MarketingName[i] = (unsigned char)s[i];
		nd->props.AMDName[i] = s[i];
	}
}

/* One CPU cache directory; 1 if it is an entry of its own, 0 if another CPU stands for it. */
static int parse_cpu_cache(const char *dir, unsigned int cpu, HsaCacheProperties *c)
{
	char buf[TOPO_MAX_FILE];
	char *end;

	if (topo_read_file(buf, sizeof(buf), "%s/shared_cpu_list", dir) < 0)
		return 0;
	if (strtoul(buf, &end, 10) != cpu)
		return 0;
	memset(c, 0, sizeof(*c));
	c->ProcessorIdLow = cpu;
	c->CacheType.ui32.CPU = 1;
	if (topo_read_file(buf, sizeof(buf), "%s/level", dir) > 0)
		c->CacheLevel = strtoul(buf, NULL, 10);
	if (topo_read_file(buf, sizeof(buf), "%s/size", dir) > 0) {
		/* bytes, other than for GPUs: callers have learned to live with it */
		c->CacheSize = strtoul(buf, &end, 10) * (*end == 'M' ? 1048576 : 1024);
	}
	if (topo_read_file(buf, sizeof(buf), "%s/coherency_line_size", dir) > 0)
		c->CacheLineSize = strtoul(buf, NULL, 10);
	if (topo_read_file(buf, sizeof(buf), "%s/ways_of_associativity", dir) > 0)
		c->CacheAssociativity = strtoul(buf, NULL, 10);
	if (topo_read_file(buf, sizeof(buf), "%s/physical_line_partition", dir) > 0)
		c->CacheLinesPerTag = strtoul(buf, NULL, 10);
	if (topo_read_file(buf, sizeof(buf), "%s/type", dir) > 0) {
		c->CacheType.ui32.Data = buf[0] == 'D' || buf[0] == 'U';
		c->CacheType.ui32.Instruction = buf[0] == 'I' || buf[0] == 'U';
	}
	c->SiblingMap[0] = 1;
	return 1;
}

/* The kernel prints no caches for CPU nodes; they are in the CPUs' own directories. */
int topo_cpu_caches(const struct topo_roots *r, struct topo_node *nd)
{
	char dir[4096];
	HsaCacheProperties *list = NULL, *more;
	uint32_t n = 0, room = 0;
	unsigned int cpu, seen = 0;

	/* a kernel without NUMA has no such directories */
	snprintf(dir, sizeof(dir), "%s/node%u", r->numa, nd->sysfs_id);
	if (access(dir, F_OK))
		return 0;
	for (cpu = 0; cpu < TOPO_MAX_ITEMS && seen < nd->props.NumCPUCores; cpu++) {
		snprintf(dir, sizeof(dir), "%s/node%u/cpu%u", r->numa, nd->sysfs_id, cpu);
		if (access(dir, F_OK))
			continue;
		seen++;
		for (int i = 0; i < 16; i++) {
			snprintf(dir, sizeof(dir), "%s/node%u/cpu%u/cache/index%d", r->numa,
				 nd->sysfs_id, cpu, i);
			if (access(dir, F_OK))
				break;
			if (n == room) {
				room = room ? room * 2 : 16;
				more = realloc(list, room * sizeof(*list));
				if (!more) {
					free(list);
					return -ENOMEM;
				}
				list = more;
			}
			n += parse_cpu_cache(dir, cpu, &list[n]);
		}
	}
	free(nd->caches);
	nd->caches = list;
	nd->props.NumCaches = n;
	return 0;
}
