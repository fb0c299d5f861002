// SPDX-License-Identifier: GPL-2.0-only
/*
 * The topology in sysfs: /sys/devices/virtual/kfd/kfd/topology.
 *
 * Names, order and format of the lines are ABI, "name value\n" with unsigned decimals.
 * They are those of the running kernel's own driver (compat/sysfs.h knows which version
 * added what). The files of a GPU return EPERM to a reader whose device cgroup denies
 * the GPU's render node. libhsakmt drops such a node, which is how containers are given
 * some of the GPUs.
 */
#include <linux/cpufreq.h>
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "compat/sysfs.h"
#include "gpu/save_area.h"
#include "model/target.h"
#include "kfd.h"
#include "topology.h"

/*
 * Capability bits that this driver fulfils. Other bits of a target's word (the
 * debugger's) are masked out. Runtimes check DEBUG_FW before they call RUNTIME_ENABLE;
 * debuggers check TRAP_DEBUG first, which we do not set.
 */
#define CAPABILITIES \
	(GPU_CAP_WATCH_POINTS | GENMASK(11, 8) | GENMASK(13, 12) | GPU_CAP_MEM_EDC | \
	 GPU_CAP_RAS_NOTIFY | GENMASK(25, 22) | GPU_CAP_SRAM_EDC | GPU_CAP_SVM | \
	 GPU_CAP_DEBUG_FW | GPU_CAP_QUEUE_RESET)

struct vkfd_topo_system vkfd_topo_system;
static struct kobject *vkfd_topo_kobj, *vkfd_nodes_kobj;

static int vkfd_topo_check(const struct gpu_device *gpu)
{
	return !gpu || vkfd_device_permitted(gpu) ? 0 : -EPERM;
}

/* -------------------------------------------------------------------- leaves */

static ssize_t vkfd_show_mem(const struct vkfd_topo_mem *mem, char *buf)
{
	return sysfs_emit(buf, "heap_type %u\nsize_in_bytes %llu\nflags %u\nwidth %u\n"
			  "mem_clk_max %u\n",
			  mem->heap_type, mem->size_in_bytes, mem->flags, mem->width,
			  mem->mem_clk_max);
}

static ssize_t vkfd_show_cache(const struct vkfd_topo_cache *cache, char *buf)
{
	ssize_t len;
	u32 i;

	len = sysfs_emit(buf, "processor_id_low %u\nlevel %u\nsize %u\ncache_line_size %u\n"
			 "cache_lines_per_tag 0\nassociation 0\nlatency 0\ntype %u\nsibling_map ",
			 cache->processor_id_low, cache->level, cache->size, cache->line_size,
			 cache->type);
	for (i = 0; i < cache->sibling_map_bytes * 8; i++)
		len += sysfs_emit_at(buf, len, "%u,", cache->sibling_map[i / 8] >> i % 8 & 1);
	buf[len - 1] = '\n';
	return len;
}

static ssize_t vkfd_emit_u32(char *buf, ssize_t at, const char *name, u32 value)
{
	return at + sysfs_emit_at(buf, at, "%s %u\n", name, value);
}

static ssize_t vkfd_show_link(const struct vkfd_topo_link *link, char *buf)
{
	ssize_t at;

	at = sysfs_emit(buf, "type %u\nversion_major 0\nversion_minor 0\nnode_from %u\n"
			"node_to %u\nweight %u\nmin_latency 0\nmax_latency 0\n"
			"min_bandwidth %u\nmax_bandwidth %u\nrecommended_transfer_size 0\n",
			link->type, link->node_from, link->node_to, link->weight,
			link->min_bandwidth, link->max_bandwidth);
	if (COMPAT_TOPOLOGY_AREAS)
		at = vkfd_emit_u32(buf, at, "recommended_sdma_engine_id_mask", link->sdma_mask);
	return vkfd_emit_u32(buf, at, "flags", link->flags);
}

static ssize_t vkfd_leaf_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct vkfd_topo_leaf *leaf = container_of(kobj, struct vkfd_topo_leaf, kobj);
	int ret = vkfd_topo_check(leaf->gpu);

	if (ret)
		return ret;
	switch (leaf->kind) {
	case VKFD_LEAF_MEM:
		return vkfd_show_mem(&leaf->mem, buf);
	case VKFD_LEAF_CACHE:
		return vkfd_show_cache(&leaf->cache, buf);
	case VKFD_LEAF_IO_LINK:
	case VKFD_LEAF_P2P_LINK:
		return vkfd_show_link(&leaf->link, buf);
	default:
		return -EINVAL;
	}
}

static struct attribute vkfd_leaf_properties = { .name = "properties", .mode = 0444 };
static struct attribute *vkfd_leaf_attrs[] = { &vkfd_leaf_properties, NULL };
ATTRIBUTE_GROUPS(vkfd_leaf);

static const struct sysfs_ops vkfd_leaf_ops = {
	.show = vkfd_leaf_show,
};

static void vkfd_leaf_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct vkfd_topo_leaf, kobj));
}

static struct kobj_type vkfd_leaf_ktype = {
	.release = vkfd_leaf_release,
	.sysfs_ops = &vkfd_leaf_ops,
	.default_groups = vkfd_leaf_groups,
};

struct vkfd_topo_leaf *vkfd_topo_leaf_alloc(struct vkfd_topo_node *n, enum vkfd_leaf_kind kind)
{
	struct vkfd_topo_leaf *leaf = kzalloc(sizeof(*leaf), GFP_KERNEL);

	if (!leaf)
		return NULL;
	kobject_init(&leaf->kobj, &vkfd_leaf_ktype);
	leaf->kind = kind;
	leaf->gpu = n->gpu;
	return leaf;
}

/* Consumes @leaf, also on failure. */
int vkfd_topo_sysfs_add_leaf(struct vkfd_topo_node *n, struct vkfd_topo_leaf *leaf)
{
	int ret;

	ret = kobject_add(&leaf->kobj, n->dirs[leaf->kind], "%u", n->counts[leaf->kind]);
	if (ret) {
		kobject_put(&leaf->kobj);
		return ret;
	}
	list_add_tail(&leaf->node, &n->leaves[leaf->kind]);
	WRITE_ONCE(n->counts[leaf->kind], n->counts[leaf->kind] + 1);
	return 0;
}

/* --------------------------------------------------------------------- nodes */

/* The lines that the real driver prints for every node; 0 where they do not apply. */
static ssize_t vkfd_show_common(const struct vkfd_topo_node *n, char *buf)
{
	static const struct gpu_target no_target;
	const struct gpu_target *t = n->gpu ? n->gpu->target : &no_target;
	ssize_t at = 0;

	at = vkfd_emit_u32(buf, at, "cpu_cores_count", n->cpu_cores_count);
	at = vkfd_emit_u32(buf, at, "simd_count", t->cu_count * t->simd_per_cu);
	at = vkfd_emit_u32(buf, at, "mem_banks_count", READ_ONCE(n->counts[VKFD_LEAF_MEM]));
	at = vkfd_emit_u32(buf, at, "caches_count", READ_ONCE(n->counts[VKFD_LEAF_CACHE]));
	at = vkfd_emit_u32(buf, at, "io_links_count", READ_ONCE(n->counts[VKFD_LEAF_IO_LINK]));
	at = vkfd_emit_u32(buf, at, "p2p_links_count", READ_ONCE(n->counts[VKFD_LEAF_P2P_LINK]));
	at = vkfd_emit_u32(buf, at, "cpu_core_id_base", n->cpu_core_id_base);
	at = vkfd_emit_u32(buf, at, "simd_id_base", n->simd_id_base);
	at = vkfd_emit_u32(buf, at, "max_waves_per_simd", t->waves_per_simd);
	at = vkfd_emit_u32(buf, at, "lds_size_in_kb", t->lds_kbytes);
	at = vkfd_emit_u32(buf, at, "gds_size_in_kb", 0);
	at = vkfd_emit_u32(buf, at, "num_gws", t->gws);
	at = vkfd_emit_u32(buf, at, "wave_front_size", n->gpu ? t->arch->wave_size : 0);
	at = vkfd_emit_u32(buf, at, "array_count", t->shader_engines * t->arrays_per_engine);
	at = vkfd_emit_u32(buf, at, "simd_arrays_per_engine", t->arrays_per_engine);
	at = vkfd_emit_u32(buf, at, "cu_per_simd_array", t->cu_per_array);
	at = vkfd_emit_u32(buf, at, "simd_per_cu", t->simd_per_cu);
	at = vkfd_emit_u32(buf, at, "max_slots_scratch_cu", t->scratch_slots_per_cu);
	at = vkfd_emit_u32(buf, at, "gfx_target_version", t->gfx_version);
	at = vkfd_emit_u32(buf, at, "vendor_id", n->gpu ? GPU_VENDOR_ID : 0);
	at = vkfd_emit_u32(buf, at, "device_id", t->device_id);
	at = vkfd_emit_u32(buf, at, "location_id", n->gpu ? n->gpu->location_id : 0);
	at = vkfd_emit_u32(buf, at, "domain", n->gpu ? n->gpu->domain : 0);
	at = vkfd_emit_u32(buf, at, "drm_render_minor", n->gpu ? n->gpu->render_minor : 0);
	at += sysfs_emit_at(buf, at, "hive_id %llu\n", n->gpu ? n->gpu->hive.id : 0);
	at = vkfd_emit_u32(buf, at, "num_sdma_engines", t->sdma_engines);
	at = vkfd_emit_u32(buf, at, "num_sdma_xgmi_engines", t->sdma_xgmi_engines);
	at = vkfd_emit_u32(buf, at, "num_sdma_queues_per_engine", t->sdma_queues);
	return vkfd_emit_u32(buf, at, "num_cp_queues", t->cp_queues);
}

static ssize_t vkfd_show_areas(const struct gpu_device *gpu, char *buf, ssize_t at)
{
	struct gpu_save_area area = {};

	if (gpu)
		gpu_target_save_area(gpu->target, gpu_target_shown_xccs(gpu->target), &area);
	at = vkfd_emit_u32(buf, at, "cwsr_size", area.cwsr_bytes);
	return vkfd_emit_u32(buf, at, "ctl_stack_size", area.ctl_stack_bytes);
}

static ssize_t vkfd_show_gpu(const struct gpu_device *gpu, char *buf, ssize_t at)
{
	const struct gpu_target *t = gpu->target;
	u32 capability = t->capability & CAPABILITIES;

	at = vkfd_emit_u32(buf, at, "max_engine_clk_fcompute", t->engine_mhz);
	/* Always 0; the memory bank has the size. */
	at = vkfd_emit_u32(buf, at, "local_mem_size", 0);
	at = vkfd_emit_u32(buf, at, "fw_version", t->mec_fw);
	at = vkfd_emit_u32(buf, at, "capability", capability);
	/* Newer than some kernels, but libhsakmt skips names that it does not know. */
	at = vkfd_emit_u32(buf, at, "capability2",
			   t->sdma_engines && capability & GPU_CAP_QUEUE_RESET ?
			   GPU_CAP2_SDMA_QUEUE_RESET : 0);
	if (COMPAT_TOPOLOGY_XCC)
		at += sysfs_emit_at(buf, at, "debug_prop %llu\n",
				    capability & GPU_CAP_TRAP_DEBUG ? t->debug_prop : 0);
	at = vkfd_emit_u32(buf, at, "sdma_fw_version", t->sdma_fw);
	at += sysfs_emit_at(buf, at, "unique_id %llu\n", gpu->unique_id);
	if (COMPAT_TOPOLOGY_XCC)
		at = vkfd_emit_u32(buf, at, "num_xcc", gpu_target_shown_xccs(t));
	return at;
}

ssize_t vkfd_topo_node_text(const struct vkfd_topo_node *n, char *buf)
{
	ssize_t at = vkfd_show_common(n, buf);

	if (COMPAT_TOPOLOGY_AREAS)
		at = vkfd_show_areas(n->gpu, buf, at);
	if (n->gpu)
		at = vkfd_show_gpu(n->gpu, buf, at);
	return vkfd_emit_u32(buf, at, "max_engine_clk_ccompute",
			     cpufreq_quick_get_max(0) / 1000);
}

static struct attribute vkfd_node_gpu_id = { .name = "gpu_id", .mode = 0444 };
static struct attribute vkfd_node_name = { .name = "name", .mode = 0444 };
static struct attribute vkfd_node_properties = { .name = "properties", .mode = 0444 };

static ssize_t vkfd_node_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct vkfd_topo_node *n = container_of(kobj, struct vkfd_topo_node, kobj);
	int ret = vkfd_topo_check(n->gpu);

	if (ret)
		return ret;
	if (attr == &vkfd_node_gpu_id)
		return sysfs_emit(buf, "%u\n", n->gpu ? n->gpu->gpu_id : 0);
	if (attr == &vkfd_node_name)
		return sysfs_emit(buf, "%s\n", n->gpu ? n->gpu->target->sysfs_name : "");
	return vkfd_topo_node_text(n, buf);
}

static struct attribute *vkfd_node_attrs[] = {
	&vkfd_node_gpu_id, &vkfd_node_name, &vkfd_node_properties, NULL
};
ATTRIBUTE_GROUPS(vkfd_node);

static const struct sysfs_ops vkfd_node_ops = {
	.show = vkfd_node_show,
};

static void vkfd_node_release(struct kobject *kobj)
{
	struct vkfd_topo_node *n = container_of(kobj, struct vkfd_topo_node, kobj);

	if (n->gpu)
		gpu_device_put(n->gpu);
	kfree(n);
}

static struct kobj_type vkfd_node_ktype = {
	.release = vkfd_node_release,
	.sysfs_ops = &vkfd_node_ops,
	.default_groups = vkfd_node_groups,
};

static void vkfd_topo_del_leaves(struct vkfd_topo_node *n, enum vkfd_leaf_kind kind)
{
	struct vkfd_topo_leaf *leaf, *next;

	list_for_each_entry_safe(leaf, next, &n->leaves[kind], node) {
		list_del(&leaf->node);
		kobject_del(&leaf->kobj);
		kobject_put(&leaf->kobj);
	}
}

void vkfd_topo_sysfs_del_links(struct vkfd_topo_node *n, unsigned int to)
{
	struct vkfd_topo_leaf *leaf, *next;
	enum vkfd_leaf_kind kind;

	for (kind = VKFD_LEAF_IO_LINK; kind <= VKFD_LEAF_P2P_LINK; kind++)
		list_for_each_entry_safe(leaf, next, &n->leaves[kind], node) {
			if (leaf->link.node_to != to)
				continue;
			list_del(&leaf->node);
			WRITE_ONCE(n->counts[kind], n->counts[kind] - 1);
			kobject_del(&leaf->kobj);
			kobject_put(&leaf->kobj);
		}
}

void vkfd_topo_sysfs_del_node(struct vkfd_topo_node *n)
{
	int i;

	for (i = VKFD_NUM_LEAF_KINDS - 1; i >= 0; i--)
		vkfd_topo_del_leaves(n, i);
	kobject_put(n->perf);
	for (i = VKFD_NUM_LEAF_KINDS - 1; i >= 0; i--)
		kobject_put(n->dirs[i]);
	if (n->kobj.state_in_sysfs)
		kobject_del(&n->kobj);
	kobject_put(&n->kobj);
}

/* Consumes @n and its reference to the device, also on failure. */
int vkfd_topo_sysfs_add_node(struct vkfd_topo_node *n)
{
	static const char * const dir_names[VKFD_NUM_LEAF_KINDS] = {
		[VKFD_LEAF_MEM] = "mem_banks",
		[VKFD_LEAF_CACHE] = "caches",
		[VKFD_LEAF_IO_LINK] = "io_links",
		[VKFD_LEAF_P2P_LINK] = "p2p_links",
	};
	unsigned int i;
	int ret;

	for (i = 0; i < VKFD_NUM_LEAF_KINDS; i++)
		INIT_LIST_HEAD(&n->leaves[i]);
	kobject_init(&n->kobj, &vkfd_node_ktype);
	ret = kobject_add(&n->kobj, vkfd_nodes_kobj, "%u", n->id);
	if (ret)
		goto out_node;
	ret = -ENOMEM;
	for (i = 0; i < VKFD_NUM_LEAF_KINDS; i++) {
		n->dirs[i] = kobject_create_and_add(dir_names[i], &n->kobj);
		if (!n->dirs[i])
			goto out_node;
	}
	n->perf = kobject_create_and_add("perf", &n->kobj);
	if (!n->perf)
		goto out_node;
	return 0;

out_node:
	vkfd_topo_sysfs_del_node(n);
	return ret;
}

/* -------------------------------------------------------------------- system */

static ssize_t generation_id_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(vkfd_topo_system.generation));
}

static ssize_t system_properties_show(struct kobject *kobj, struct kobj_attribute *attr,
				      char *buf)
{
	return sysfs_emit(buf, "platform_oem %llu\nplatform_id %llu\nplatform_rev %llu\n",
			  vkfd_topo_system.platform_oem, vkfd_topo_system.platform_id,
			  vkfd_topo_system.platform_rev);
}

static struct kobj_attribute vkfd_topo_generation = __ATTR_RO(generation_id);
static struct kobj_attribute vkfd_topo_properties = __ATTR_RO(system_properties);
static const struct attribute *vkfd_topo_attrs[] = {
	&vkfd_topo_generation.attr, &vkfd_topo_properties.attr, NULL
};

int vkfd_topo_sysfs_init(void)
{
	int ret = -ENOMEM;

	vkfd_topo_kobj = kobject_create_and_add("topology", &vkfd_device->kobj);
	if (!vkfd_topo_kobj)
		return -ENOMEM;
	vkfd_nodes_kobj = kobject_create_and_add("nodes", vkfd_topo_kobj);
	if (!vkfd_nodes_kobj)
		goto out_topo;
	ret = sysfs_create_files(vkfd_topo_kobj, vkfd_topo_attrs);
	if (ret)
		goto out_nodes;
	return 0;

out_nodes:
	kobject_put(vkfd_nodes_kobj);
out_topo:
	kobject_put(vkfd_topo_kobj);
	return ret;
}

void vkfd_topo_sysfs_fini(void)
{
	sysfs_remove_files(vkfd_topo_kobj, vkfd_topo_attrs);
	kobject_put(vkfd_nodes_kobj);
	kobject_put(vkfd_topo_kobj);
}
