/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The topology: nodes, and their memory banks, caches and links. topology.c decides
 * what there is, topology_sysfs.c shows it.
 *
 * vkfd_topology_lock guards all lists and counts while nodes are added. The sysfs files
 * read without it, which is safe: a leaf is complete before it is shown, and counts
 * are single words.
 */
#ifndef VKFD_TOPOLOGY_H
#define VKFD_TOPOLOGY_H

#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/types.h>

#include "gpu/device.h"

/* What a node may have several of. Each kind has a directory, created in this order. */
enum vkfd_leaf_kind {
	VKFD_LEAF_MEM,
	VKFD_LEAF_CACHE,
	VKFD_LEAF_IO_LINK,
	VKFD_LEAF_P2P_LINK,
	VKFD_NUM_LEAF_KINDS
};

/* Values of heap_type of a memory bank. */
#define VKFD_HEAP_SYSTEM	0
#define VKFD_HEAP_FB_PUBLIC	1

/* Values of type and flags of a link. */
#define VKFD_LINK_HYPERTRANSPORT	1
#define VKFD_LINK_PCIE			2
#define VKFD_LINK_QPI			5
#define VKFD_LINK_XGMI			11
#define VKFD_LINK_ENABLED		BIT(0)
#define VKFD_LINK_NON_COHERENT		BIT(1)

struct vkfd_topo_mem {
	u32 heap_type;
	u64 size_in_bytes;
	u32 flags;
	u32 width;
	u32 mem_clk_max;
};

#define VKFD_SIBLING_MAP_BYTES	128	/* 4 per shader array */

struct vkfd_topo_cache {
	u32 processor_id_low;
	u32 level;
	u32 size;
	u32 line_size;
	u32 type;
	u32 sibling_map_bytes;
	u8 sibling_map[VKFD_SIBLING_MAP_BYTES];
};

/* @sdma_mask: engines that may copy over this link, or 0 if the real driver says nothing */
struct vkfd_topo_link {
	u32 type;
	u32 node_from, node_to;
	u32 weight;
	u32 min_bandwidth, max_bandwidth;
	u32 sdma_mask;
	u32 flags;
};

/**
 * struct vkfd_topo_leaf - a directory with one file, "properties"
 * @node: in node->leaves[@kind]
 * @gpu: a reader's device cgroup must permit this GPU; or NULL
 */
struct vkfd_topo_leaf {
	struct kobject kobj;
	struct list_head node;
	enum vkfd_leaf_kind kind;
	struct gpu_device *gpu;
	union {
		struct vkfd_topo_mem mem;
		struct vkfd_topo_cache cache;
		struct vkfd_topo_link link;
	};
};

/**
 * struct vkfd_topo_node - a CPU or GPU node
 * @node: in the list of all
 * @id: nodes/<id>
 * @gpu: NULL for a CPU
 * @nid: a CPU's NUMA node, whose number is another one where a node without CPUs lies before it
 * @dirs: directories of the leaves
 * @perf: an empty directory, as the real driver has without IOMMUv2
 * @counts: number of visible @leaves of each kind
 */
struct vkfd_topo_node {
	struct kobject kobj;
	struct list_head node;
	unsigned int id;
	struct gpu_device *gpu;
	int nid;
	u32 cpu_cores_count;
	u32 cpu_core_id_base;
	u32 simd_id_base;
	struct kobject *dirs[VKFD_NUM_LEAF_KINDS];
	struct kobject *perf;
	struct list_head leaves[VKFD_NUM_LEAF_KINDS];
	u32 counts[VKFD_NUM_LEAF_KINDS];
};

struct vkfd_topo_system {
	u64 platform_oem, platform_id, platform_rev;
	u32 generation;
};

extern struct vkfd_topo_system vkfd_topo_system;

/*
 * topology.c: calls @fn for each GPU, in node order and with no lock held, until @fn
 * fails.
 */
int vkfd_topology_each_gpu(int (*fn)(struct gpu_device *gdev, unsigned int node, void *data),
			   void *data);

/* topology_sysfs.c */
int vkfd_topo_sysfs_init(void);
void vkfd_topo_sysfs_fini(void);
/* Adds a node without leaves, visible at once; the caller sets the node's own fields. */
int vkfd_topo_sysfs_add_node(struct vkfd_topo_node *n);
void vkfd_topo_sysfs_del_node(struct vkfd_topo_node *n);	/* and its leaves; frees */
/* The file "properties" of a node; @buf is a page. */
ssize_t vkfd_topo_node_text(const struct vkfd_topo_node *n, char *buf);
struct vkfd_topo_leaf *vkfd_topo_leaf_alloc(struct vkfd_topo_node *n, enum vkfd_leaf_kind kind);
int vkfd_topo_sysfs_add_leaf(struct vkfd_topo_node *n, struct vkfd_topo_leaf *leaf);
/* Removes the links of @n to node @to, which must be the last ones of @n. */
void vkfd_topo_sysfs_del_links(struct vkfd_topo_node *n, unsigned int to);

#endif /* VKFD_TOPOLOGY_H */
