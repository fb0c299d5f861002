// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contents of the topology: one node per NUMA node with CPUs, then one per GPU;
 * memory banks, caches, links. The rules are those of the real driver (kfd_crat.c,
 * kfd_topology.c of Linux), the figures those of the GPU's target.
 *
 * The CPU can access all of VRAM ("large BAR"). So its bank is public, and there is a
 * link from the CPU to the GPU, which is how user space finds out. GPUs are on the first
 * NUMA node and can access each other: over XGMI within a hive, else as PCIe peers.
 */
#include <linux/acpi.h>
#include <linux/cpumask.h>
#include <linux/dmi.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "compat/cpu.h"
#include "model/fabric.h"
#include "kfd.h"
#include "topology.h"

static DEFINE_MUTEX(vkfd_topology_lock);
static LIST_HEAD(vkfd_topo_nodes);	/* struct vkfd_topo_node, in order of id */
static unsigned int vkfd_num_topo_nodes;
static u32 vkfd_next_simd_id;

/* The real driver starts here, too, so that SIMD ids and APIC ids differ. */
#define FIRST_SIMD_ID		0x80001000u

/* PCIe: the weight that KFD uses; MB/s of gen 4 x16, and of gen 1 x1. */
#define PCIE_WEIGHT		20
#define PCIE_MAX_BANDWIDTH	32000
#define PCIE_MIN_BANDWIDTH	312
/* XGMI: the same of one hop, and of one between partitions of a GPU, in MB/s of its memory */
#define XGMI_WEIGHT		15
#define PART_WEIGHT		13
#define PART_BANDWIDTH		819200

unsigned int vkfd_topology_num_nodes(void)
{
	return READ_ONCE(vkfd_num_topo_nodes);
}

int vkfd_topology_each_gpu(int (*fn)(struct gpu_device *gdev, unsigned int node, void *data),
			   void *data)
{
	struct {
		struct gpu_device *gdev;
		unsigned int node;
	} gpus[VKFD_MAX_GPUS];
	struct vkfd_topo_node *n;
	unsigned int i, count = 0;
	int ret = 0;

	mutex_lock(&vkfd_topology_lock);
	list_for_each_entry(n, &vkfd_topo_nodes, node) {
		if (!n->gpu || count == VKFD_MAX_GPUS)
			continue;
		gpu_device_get(n->gpu);
		gpus[count].gdev = n->gpu;
		gpus[count++].node = n->id;
	}
	mutex_unlock(&vkfd_topology_lock);
	for (i = 0; i < count; i++) {
		if (!ret)
			ret = fn(gpus[i].gdev, gpus[i].node, data);
		gpu_device_put(gpus[i].gdev);
	}
	return ret;
}

static struct vkfd_topo_node *vkfd_topo_node_add(struct vkfd_topo_node *n)
{
	int ret;

	lockdep_assert_held(&vkfd_topology_lock);
	n->id = vkfd_num_topo_nodes;
	ret = vkfd_topo_sysfs_add_node(n);
	if (ret)
		return ERR_PTR(ret);
	list_add_tail(&n->node, &vkfd_topo_nodes);
	WRITE_ONCE(vkfd_num_topo_nodes, n->id + 1);
	return n;
}

/* --------------------------------------------------------------------- links */

/*
 * Links of partitions, as the driver has them: those of one GPU are neighbours; of others in the
 * hive it does not ask the firmware for more.
 */
static void vkfd_topo_set_part(struct vkfd_topo_link *link, const struct gpu_device *from,
			       const struct gpu_device *to)
{
	const struct gpu_target *t = from->target;
	u32 xgmi = BIT(t->sdma_engines + t->sdma_xgmi_engines) - BIT(t->sdma_engines);

	link->sdma_mask = xgmi ?: BIT(t->sdma_engines) - 1;
	link->weight = 2 * PART_WEIGHT + XGMI_WEIGHT;
	if (from->whole && from->whole == to->whole) {
		link->weight = PART_WEIGHT;
		link->min_bandwidth = PART_BANDWIDTH;
		link->max_bandwidth = PART_BANDWIDTH;
	}
}

/* Of the members of a hive; all have the same wiring, their product's or that of users. */
static void vkfd_topo_set_xgmi(struct vkfd_topo_link *link, const struct gpu_device *from,
			       const struct gpu_device *to)
{
	const struct gpu_fabric *f = from->target->fabric;

	if (from->whole || to->whole) {
		vkfd_topo_set_part(link, from, to);
		return;
	}
	link->min_bandwidth = gpu_fabric_link_mbs(f);
	link->max_bandwidth = gpu_fabric_link_mbs(f) * from->hive.links;
	link->sdma_mask = gpu_fabric_engines(from->target, from->hive.node, to->hive.node);
}

static int vkfd_topo_add_link(struct vkfd_topo_node *from, enum vkfd_leaf_kind kind,
			      const struct vkfd_topo_node *to, u32 type, u32 weight, u32 flags)
{
	struct vkfd_topo_leaf *leaf = vkfd_topo_leaf_alloc(from, kind);

	if (!leaf)
		return -ENOMEM;
	leaf->link.type = type;
	leaf->link.node_from = from->id;
	leaf->link.node_to = to->id;
	leaf->link.weight = weight;
	leaf->link.flags = flags;
	if (type == VKFD_LINK_PCIE) {
		leaf->link.min_bandwidth = PCIE_MIN_BANDWIDTH;
		leaf->link.max_bandwidth = PCIE_MAX_BANDWIDTH;
	}
	/* A GPU's other direct links, both ways, use the engines that are not for XGMI. */
	if (type == VKFD_LINK_XGMI)
		vkfd_topo_set_xgmi(&leaf->link, from->gpu, to->gpu);
	else if (kind == VKFD_LEAF_IO_LINK && (from->gpu || to->gpu))
		leaf->link.sdma_mask =
			BIT((from->gpu ?: to->gpu)->target->sdma_engines) - 1;
	/* A process that may not use the GPU at the far end may not read about it, either. */
	if ((kind == VKFD_LEAF_P2P_LINK || type == VKFD_LINK_XGMI) && to->gpu)
		leaf->gpu = to->gpu;
	return vkfd_topo_sysfs_add_leaf(from, leaf);
}

/*
 * The link to the GPU's own CPU node is direct, those to other CPU nodes go through it. It is the
 * first, which the PCI function names as well (pci/host.c).
 */
static int vkfd_topo_link_cpus(struct vkfd_topo_node *gpu)
{
	struct vkfd_topo_node *cpu;
	enum vkfd_leaf_kind kind;
	int ret, home = NUMA_NO_NODE;
	u32 weight;

	list_for_each_entry(cpu, &vkfd_topo_nodes, node) {
		if (cpu->gpu)
			break;
		if (!cpu->id)
			home = cpu->nid;
		kind = cpu->id ? VKFD_LEAF_P2P_LINK : VKFD_LEAF_IO_LINK;
		weight = PCIE_WEIGHT + (cpu->id ? node_distance(home, cpu->nid) : 0);
		ret = vkfd_topo_add_link(gpu, kind, cpu, VKFD_LINK_PCIE, weight,
					 VKFD_LINK_ENABLED);
		if (!ret)
			ret = vkfd_topo_add_link(cpu, kind, gpu, VKFD_LINK_PCIE, weight,
						 VKFD_LINK_ENABLED | VKFD_LINK_NON_COHERENT);
		if (ret)
			return ret;
	}
	return 0;
}

static int vkfd_topo_link_pair(struct vkfd_topo_node *a, struct vkfd_topo_node *b)
{
	enum vkfd_leaf_kind kind = VKFD_LEAF_P2P_LINK;
	u32 type = VKFD_LINK_PCIE, weight = 2 * PCIE_WEIGHT;
	u32 flags = VKFD_LINK_ENABLED | VKFD_LINK_NON_COHERENT;
	int ret;

	if (a->gpu->hive.id && a->gpu->hive.id == b->gpu->hive.id) {
		kind = VKFD_LEAF_IO_LINK;
		type = VKFD_LINK_XGMI;
		weight = XGMI_WEIGHT;
		flags = VKFD_LINK_ENABLED;
	}
	ret = vkfd_topo_add_link(a, kind, b, type, weight, flags);
	if (!ret)
		ret = vkfd_topo_add_link(b, kind, a, type, weight, flags);
	return ret;
}

/*
 * Members of a hive are neighbours. Other GPUs reach each other over PCIe and the root
 * complex; the weight counts both hops.
 */
static int vkfd_topo_link_gpus(struct vkfd_topo_node *gpu)
{
	struct vkfd_topo_node *peer;
	int ret;

	list_for_each_entry(peer, &vkfd_topo_nodes, node) {
		if (!peer->gpu || peer == gpu)
			continue;
		ret = vkfd_topo_link_pair(peer, gpu);
		if (ret)
			return ret;
	}
	return 0;
}

/* -------------------------------------------------------------------- caches */

/*
 * Adds one instance of a cache. @first_cu is the id of the first CU in the group that
 * shares it, @mask has a bit for each active CU of the group. As in the real driver, the
 * id reported is that of the first active CU, and the sibling map begins with that CU.
 */
static int vkfd_topo_add_cache(struct vkfd_topo_node *n, const struct gpu_target_cache *c,
			       u32 first_cu, u32 mask, const u8 *map, u32 map_bytes)
{
	struct vkfd_topo_leaf *leaf = vkfd_topo_leaf_alloc(n, VKFD_LEAF_CACHE);

	if (!leaf)
		return -ENOMEM;
	leaf->cache.processor_id_low = first_cu + __ffs(mask);
	leaf->cache.level = c->level;
	leaf->cache.size = c->level == 3 ? c->kbytes / n->gpu->nps : c->kbytes;
	leaf->cache.line_size = c->line_bytes;
	leaf->cache.type = c->type | GPU_CACHE_HSACU;
	leaf->cache.sibling_map_bytes = map_bytes;
	memcpy(leaf->cache.sibling_map, map, map_bytes);
	return vkfd_topo_sysfs_add_leaf(n, leaf);
}

static void vkfd_put_mask(u8 *map, u32 mask)
{
	map[0] = mask;
	map[1] = mask >> 8;
	map[2] = mask >> 16;
	map[3] = mask >> 24;
}

/* One cache per @c->cus CUs of a shader array; groups without an active CU have none. */
static int vkfd_topo_add_cu_caches(struct vkfd_topo_node *n, const struct gpu_target_cache *c)
{
	const struct gpu_target *t = n->gpu->target;
	u32 id = n->simd_id_base;
	unsigned int se, sa, cu;
	u32 mask;
	u8 map[4];
	int ret;

	for (se = 0; se < t->shader_engines; se++)
		for (sa = 0; sa < t->arrays_per_engine; sa++)
			for (cu = 0; cu < t->cu_per_array; cu += c->cus) {
				mask = gpu_target_cu_mask(t, se, sa) >> cu & (BIT(c->cus) - 1);
				if (mask) {
					vkfd_put_mask(map, mask >> __ffs(mask));
					ret = vkfd_topo_add_cache(n, c, id, mask, map,
								  sizeof(map));
					if (ret)
						return ret;
				}
				id += min(c->cus + 0u, t->cu_per_array - cu);
			}
	return 0;
}

/* One cache for the whole GPU: the sibling map lists the CUs of every array. */
static int vkfd_topo_add_shared_cache(struct vkfd_topo_node *n, const struct gpu_target_cache *c)
{
	const struct gpu_target *t = n->gpu->target;
	unsigned int se, sa, bytes = 0;
	u8 map[VKFD_SIBLING_MAP_BYTES];

	for (se = 0; se < t->shader_engines; se++)
		for (sa = 0; sa < t->arrays_per_engine; sa++) {
			if (bytes + 4 > sizeof(map))
				break;
			vkfd_put_mask(map + bytes, gpu_target_cu_mask(t, se, sa));
			bytes += 4;
		}
	return vkfd_topo_add_cache(n, c, n->simd_id_base, gpu_target_cu_mask(t, 0, 0), map,
				   bytes);
}

static int vkfd_topo_add_caches(struct vkfd_topo_node *n)
{
	const struct gpu_target *t = n->gpu->target;
	const struct gpu_target_cache *c;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < t->num_caches && !ret; i++) {
		c = &t->caches[i];
		ret = c->cus ? vkfd_topo_add_cu_caches(n, c) : vkfd_topo_add_shared_cache(n, c);
	}
	return ret;
}

/* ------------------------------------------------------------------- removal */

/*
 * Only the last node can be removed: node ids are dense, and its links are the last
 * ones of every other node.
 */
static void vkfd_topo_del_last(struct vkfd_topo_node *n)
{
	struct vkfd_topo_node *other;

	lockdep_assert_held(&vkfd_topology_lock);
	list_del(&n->node);
	list_for_each_entry(other, &vkfd_topo_nodes, node)
		vkfd_topo_sysfs_del_links(other, n->id);
	WRITE_ONCE(vkfd_num_topo_nodes, n->id);
	vkfd_next_simd_id = n->simd_id_base;
	vkfd_topo_sysfs_del_node(n);
}

static int vkfd_topo_add_gpu(struct gpu_device *gdev);

/* Removes @gdev and all nodes after it, then adds the latter again, one id lower. */
static void vkfd_topo_del_gpu(struct gpu_device *gdev)
{
	struct gpu_device *stay[VKFD_MAX_GPUS];
	struct vkfd_topo_node *n, *prev;
	unsigned int num = 0;
	bool found = false;

	list_for_each_entry(n, &vkfd_topo_nodes, node)
		found |= n->gpu == gdev;
	if (!found)
		return;
	list_for_each_entry_safe_reverse(n, prev, &vkfd_topo_nodes, node) {
		found = n->gpu == gdev;
		if (!found) {
			gpu_device_get(n->gpu);
			stay[num++] = n->gpu;
		}
		vkfd_topo_del_last(n);
		if (found)
			break;
	}
	while (num--) {
		if (vkfd_topo_add_gpu(stay[num]))
			pr_err("GPU %u: its topology node is incomplete\n",
			       stay[num]->gpu_id);
		gpu_device_put(stay[num]);
	}
}

/* ----------------------------------------------------------------- GPU nodes */

static int vkfd_topo_add_vram(struct vkfd_topo_node *n)
{
	struct vkfd_topo_leaf *leaf = vkfd_topo_leaf_alloc(n, VKFD_LEAF_MEM);

	if (!leaf)
		return -ENOMEM;
	leaf->mem.heap_type = VKFD_HEAP_FB_PUBLIC;
	leaf->mem.size_in_bytes = n->gpu->vram_bytes;
	leaf->mem.width = n->gpu->target->vram_bits;
	leaf->mem.mem_clk_max = n->gpu->target->memory_mhz;
	return vkfd_topo_sysfs_add_leaf(n, leaf);
}

static int vkfd_topo_add_gpu(struct gpu_device *gdev)
{
	const struct gpu_target *t = gdev->target;
	struct vkfd_topo_node *n;
	int ret;

	lockdep_assert_held(&vkfd_topology_lock);
	n = kzalloc(sizeof(*n), GFP_KERNEL);
	if (!n)
		return -ENOMEM;
	gpu_device_get(gdev);
	n->gpu = gdev;
	n->simd_id_base = vkfd_next_simd_id;
	vkfd_next_simd_id += t->shader_engines * t->arrays_per_engine * t->cu_per_array;
	n = vkfd_topo_node_add(n);
	if (IS_ERR(n))
		return PTR_ERR(n);
	ret = vkfd_topo_add_vram(n);
	if (!ret)
		ret = vkfd_topo_add_caches(n);
	if (!ret)
		ret = vkfd_topo_link_cpus(n);
	if (!ret)
		ret = vkfd_topo_link_gpus(n);
	return ret;
}

/* Readers that compare the generation before and after will start over. */
static void vkfd_topo_changed(void)
{
	lockdep_assert_held(&vkfd_topology_lock);
	WRITE_ONCE(vkfd_topo_system.generation, vkfd_topo_system.generation + 1);
}

static unsigned int vkfd_topo_gpus(void)
{
	struct vkfd_topo_node *n;
	unsigned int num = 0;

	lockdep_assert_held(&vkfd_topology_lock);
	list_for_each_entry(n, &vkfd_topo_nodes, node)
		num += !!n->gpu;
	return num;
}

int vkfd_topology_add_gpu(struct gpu_device *gdev)
{
	int ret = -ENOSPC;

	mutex_lock(&vkfd_topology_lock);
	if (vkfd_topo_gpus() < VKFD_MAX_GPUS) {
		ret = vkfd_topo_add_gpu(gdev);
		if (ret)
			vkfd_topo_del_gpu(gdev);
		vkfd_topo_changed();
	}
	mutex_unlock(&vkfd_topology_lock);
	return ret;
}

void vkfd_topology_remove_gpu(struct gpu_device *gdev)
{
	mutex_lock(&vkfd_topology_lock);
	vkfd_topo_del_gpu(gdev);
	vkfd_topo_changed();
	mutex_unlock(&vkfd_topology_lock);
}

/* ----------------------------------------------------------------- CPU nodes */

/* Width and clock of the memory modules, as far as the firmware reports them. */
static void vkfd_dmi_memory(const struct dmi_header *dm, void *arg)
{
	struct vkfd_topo_mem *mem = arg;
	const u8 *data = (const u8 *)dm;
	u16 width, clock;

	if (dm->type != DMI_ENTRY_MEM_DEVICE || dm->length < 0x17)
		return;
	width = data[0x0a] | data[0x0b] << 8;
	clock = data[0x15] | data[0x16] << 8;
	if (width && width != 0xffff)
		mem->width = width;
	if (clock)
		mem->mem_clk_max = clock;
}

static int vkfd_topo_add_system_memory(struct vkfd_topo_node *n, int nid)
{
	struct vkfd_topo_leaf *leaf = vkfd_topo_leaf_alloc(n, VKFD_LEAF_MEM);
	unsigned long pages = 0;
	unsigned int i;

	if (!leaf)
		return -ENOMEM;
	for (i = 0; i < MAX_NR_ZONES; i++)
		pages += zone_managed_pages(&NODE_DATA(nid)->node_zones[i]);
	leaf->mem.heap_type = VKFD_HEAP_SYSTEM;
	leaf->mem.size_in_bytes = (u64)pages << PAGE_SHIFT;
	dmi_walk(vkfd_dmi_memory, &leaf->mem);
	return vkfd_topo_sysfs_add_leaf(n, leaf);
}

static int vkfd_topo_add_cpu(int nid)
{
	const struct cpumask *cpus = cpumask_of_node(nid);
	struct vkfd_topo_node *n;

	n = kzalloc(sizeof(*n), GFP_KERNEL);
	if (!n)
		return -ENOMEM;
	n->nid = nid;
	n->cpu_cores_count = cpumask_weight(cpus);
	n->cpu_core_id_base = compat_apicid(cpumask_first(cpus));
	n = vkfd_topo_node_add(n);
	return IS_ERR(n) ? PTR_ERR(n) : vkfd_topo_add_system_memory(n, nid);
}

static int vkfd_topo_link_cpu_nodes(void)
{
	u32 type = compat_cpu_is_amd() ? VKFD_LINK_HYPERTRANSPORT : VKFD_LINK_QPI;
	struct vkfd_topo_node *from, *to;
	int ret;

	list_for_each_entry(from, &vkfd_topo_nodes, node)
		list_for_each_entry(to, &vkfd_topo_nodes, node) {
			if (from == to)
				continue;
			ret = vkfd_topo_add_link(from, VKFD_LEAF_IO_LINK, to, type,
						 node_distance(from->nid, to->nid), 0);
			if (ret)
				return ret;
		}
	return 0;
}

/* The platform's OEM names come from the header of the DSDT; 0 if there is none. */
static void vkfd_topo_read_platform(void)
{
	struct acpi_table_header *dsdt;

	if (ACPI_FAILURE(acpi_get_table(ACPI_SIG_DSDT, 0, &dsdt)))
		return;
	memcpy(&vkfd_topo_system.platform_id, dsdt->oem_id, ACPI_OEM_ID_SIZE);
	memcpy(&vkfd_topo_system.platform_oem, dsdt->oem_table_id, ACPI_OEM_TABLE_ID_SIZE);
	vkfd_topo_system.platform_rev = dsdt->revision;
	acpi_put_table(dsdt);
}

static void vkfd_topo_del_nodes(void)
{
	struct vkfd_topo_node *n, *prev;

	lockdep_assert_held(&vkfd_topology_lock);
	list_for_each_entry_safe_reverse(n, prev, &vkfd_topo_nodes, node) {
		list_del(&n->node);
		vkfd_topo_sysfs_del_node(n);
	}
	vkfd_num_topo_nodes = 0;
}

int vkfd_topology_init(void)
{
	int nid, ret;

	ret = vkfd_topo_sysfs_init();
	if (ret)
		return ret;
	vkfd_topo_read_platform();
	vkfd_next_simd_id = FIRST_SIMD_ID;

	mutex_lock(&vkfd_topology_lock);
	for_each_online_node(nid) {
		/* KFD has no nodes for NUMA nodes without CPUs. */
		if (cpumask_empty(cpumask_of_node(nid)))
			continue;
		ret = vkfd_topo_add_cpu(nid);
		if (ret)
			goto out_nodes;
	}
	ret = vkfd_topo_link_cpu_nodes();
	if (ret)
		goto out_nodes;
	vkfd_topo_system.generation = 1;
	mutex_unlock(&vkfd_topology_lock);
	return 0;

out_nodes:
	vkfd_topo_del_nodes();
	mutex_unlock(&vkfd_topology_lock);
	vkfd_topo_sysfs_fini();
	return ret;
}

void vkfd_topology_fini(void)
{
	mutex_lock(&vkfd_topology_lock);
	vkfd_topo_del_nodes();
	mutex_unlock(&vkfd_topology_lock);
	vkfd_topo_sysfs_fini();
}
