/* SPDX-License-Identifier: MIT */
/*
 * A snapshot of the topology and its parser.
 *
 * topology_parse.c is pure: it reads the trees it is pointed at and touches nothing else, so
 * that selftests/thunk can run it on fixtures.
 */
#ifndef THUNK_TOPOLOGY_H
#define THUNK_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hsakmt/hsakmttypes.h"

struct topo_roots {
	const char *kfd;	/* .../kfd/kfd/topology */
	const char *numa;	/* .../system/node, for CPU caches */
	const char *cpuinfo;	/* for CPU names */
};

struct topo_node {
	uint32_t sysfs_id;	/* number of its directory */
	uint32_t gpu_id;	/* 0: CPU */
	bool hidden;		/* the caller may not see this GPU */
	uint32_t gfxv;		/* gfx_target_version as printed: 90010 */
	uint32_t fw_version;
	uint32_t sdma_fw_version;
	uint32_t cwsr_size;	/* 0: not printed, compute it */
	uint32_t ctl_stack_size;
	HsaNodeProperties props;
	HsaMemoryProperties *mem;
	HsaCacheProperties *caches;
	HsaIoLinkProperties *links;
};

struct topo {
	HsaSystemProperties sys;
	uint32_t generation;
	uint32_t nr_nodes;
	struct topo_node *nodes;
};

int topo_parse(const struct topo_roots *roots, struct topo **out);
void topo_free(struct topo *t);
int topo_drop_hidden(struct topo *t);
int topo_add_indirect_links(struct topo *t);
uint32_t topo_gfxv(uint32_t target_version, uint32_t device_id);

/* Between the parser's files */
#define TOPO_MAX_ITEMS		65536	/* banks, caches or links of one node */
#define TOPO_MAX_FILE		16384

int topo_read_file(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void topo_cpu_name(const struct topo_roots *r, struct topo_node *nd);
int topo_cpu_caches(const struct topo_roots *r, struct topo_node *nd);

#endif /* THUNK_TOPOLOGY_H */
