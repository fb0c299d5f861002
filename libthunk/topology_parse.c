// SPDX-License-Identifier: MIT
/*
 * sysfs -> struct topo.
 *
 * Every property file is lines of "name value" in decimal; which names there are depends on the
 * kernel, so what is missing stays 0 and what is unknown is passed over.  The files are input
 * like any other: counts are bounded, directories must be there, values are stored in the width
 * of their field.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topology.h"

#define TOPO_MAX_NODES		1024
#define TOPO_RETRIES		16

struct prop {
	const char *name;
	uint16_t offset;
	uint8_t size;
};

#define PROP(type, text, field)	\
	{ text, offsetof(type, field), sizeof(((type *)0)->field) }

#define NODE(text, field)	PROP(struct topo_node, text, field)
static const struct prop node_props[] = {
	NODE("array_count", props.NumShaderBanks),
	NODE("caches_count", props.NumCaches),
	NODE("capability", props.Capability),
	NODE("cpu_core_id_base", props.CComputeIdLo),
	NODE("cpu_cores_count", props.NumCPUCores),
	NODE("ctl_stack_size", ctl_stack_size),
	NODE("cu_per_simd_array", props.NumCUPerArray),
	NODE("cwsr_size", cwsr_size),
	NODE("debug_prop", props.DebugProperties),
	NODE("device_id", props.DeviceId),
	NODE("domain", props.Domain),
	NODE("drm_render_minor", props.DrmRenderMinor),
	NODE("family_id", props.FamilyID),
	NODE("fw_version", fw_version),
	NODE("gds_size_in_kb", props.GDSSizeInKB),
	NODE("gfx_target_version", gfxv),
	NODE("hive_id", props.HiveID),
	NODE("io_links_count", props.NumIOLinks),
	NODE("lds_size_in_kb", props.LDSSizeInKB),
	NODE("local_mem_size", props.LocalMemSize),
	NODE("location_id", props.LocationId),
	NODE("max_engine_clk_ccompute", props.MaxEngineClockMhzCCompute),
	NODE("max_engine_clk_fcompute", props.MaxEngineClockMhzFCompute),
	NODE("max_slots_scratch_cu", props.MaxSlotsScratchCU),
	NODE("max_waves_per_simd", props.MaxWavesPerSIMD),
	NODE("mem_banks_count", props.NumMemoryBanks),
	NODE("num_cp_queues", props.NumCpQueues),
	NODE("num_gws", props.NumGws),
	NODE("num_sdma_engines", props.NumSdmaEngines),
	NODE("num_sdma_queues_per_engine", props.NumSdmaQueuesPerEngine),
	NODE("num_sdma_xgmi_engines", props.NumSdmaXgmiEngines),
	NODE("num_xcc", props.NumXcc),
	NODE("sdma_fw_version", sdma_fw_version),
	NODE("simd_arrays_per_engine", props.NumArrays),
	NODE("simd_count", props.NumFComputeCores),
	NODE("simd_id_base", props.FComputeIdLo),
	NODE("simd_per_cu", props.NumSIMDPerCU),
	NODE("unique_id", props.UniqueID),
	NODE("vendor_id", props.VendorId),
	NODE("wave_front_size", props.WaveFrontSize),
};

#define MEM(text, field)	PROP(HsaMemoryProperties, text, field)
static const struct prop mem_props[] = {
	MEM("flags", Flags),
	MEM("heap_type", HeapType),
	MEM("mem_clk_max", MemoryClockMax),
	MEM("size_in_bytes", SizeInBytes),
	MEM("width", Width),
};

#define CACHE(text, field)	PROP(HsaCacheProperties, text, field)
static const struct prop cache_props[] = {
	CACHE("association", CacheAssociativity),
	CACHE("cache_line_size", CacheLineSize),
	CACHE("cache_lines_per_tag", CacheLinesPerTag),
	CACHE("latency", CacheLatency),
	CACHE("level", CacheLevel),
	CACHE("processor_id_low", ProcessorIdLow),
	CACHE("size", CacheSize),
	CACHE("type", CacheType),
};

#define LINK(text, field)	PROP(HsaIoLinkProperties, text, field)
static const struct prop link_props[] = {
	LINK("flags", Flags),
	LINK("max_bandwidth", MaximumBandwidth),
	LINK("max_latency", MaximumLatency),
	LINK("min_bandwidth", MinimumBandwidth),
	LINK("min_latency", MinimumLatency),
	LINK("node_from", NodeFrom),
	LINK("node_to", NodeTo),
	LINK("recommended_transfer_size", RecTransferSize),
	LINK("type", IoLinkType),
	LINK("version_major", VersionMajor),
	LINK("version_minor", VersionMinor),
	LINK("weight", Weight),
};

#define SYS(text, field)	PROP(HsaSystemProperties, text, field)
static const struct prop sys_props[] = {
	SYS("platform_id", PlatformId),
	SYS("platform_oem", PlatformOem),
	SYS("platform_rev", PlatformRev),
};

#define PROPS(table)	table, sizeof(table) / sizeof((table)[0])

/* Read a whole small file as a string; -errno, or its length. */
int topo_read_file(char *buf, size_t size, const char *fmt, ...)
{
	char path[4096];
	size_t len = 0;
	ssize_t n;
	va_list ap;
	int fd, r;

	va_start(ap, fmt);
	r = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (r < 0 || (size_t)r >= sizeof(path))
		return -ENAMETOOLONG;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		n = read(fd, buf + len, size - 1 - len);
		if (n > 0)
			len += n;
	} while ((n > 0 && len < size - 1) || (n < 0 && errno == EINTR));
	r = n < 0 ? -errno : (int)len;
	close(fd);
	buf[len] = '\0';
	return r;
}

static void store(void *base, const struct prop *p, uint64_t v)
{
	char *at = (char *)base + p->offset;

	/* little-endian: the low bytes are the number in the field's width */
	memcpy(at, &v, p->size);
}

static void parse_line(char *line, const struct prop *props, size_t n, void *base)
{
	char *sp = strchr(line, ' ');

	if (!sp)
		return;
	*sp = '\0';
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(line, props[i].name)) {
			store(base, &props[i], strtoull(sp + 1, NULL, 10));
			break;
		}
	}
	*sp = ' ';
}

static void parse_props(char *text, const struct prop *props, size_t n, void *base)
{
	char *save = NULL;

	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		parse_line(l, props, n, base);
}

/* How many entries named 0, 1, 2... a directory has; they must be dense. */
static int count_dir(const char *fmt, ...)
{
	char path[4096], sub[4200];
	va_list ap;
	int n = 0;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	for (; n < TOPO_MAX_ITEMS; n++) {
		snprintf(sub, sizeof(sub), "%s/%d", path, n);
		if (access(sub, F_OK))
			break;
	}
	return n;
}

static int parse_mem(const struct topo_roots *r, struct topo_node *nd)
{
	char buf[TOPO_MAX_FILE];
	uint32_t i;
	int len;

	if (nd->props.NumMemoryBanks > TOPO_MAX_ITEMS)
		return -EINVAL;
	nd->mem = calloc(nd->props.NumMemoryBanks ? nd->props.NumMemoryBanks : 1,
			 sizeof(*nd->mem));
	if (!nd->mem)
		return -ENOMEM;
	for (i = 0; i < nd->props.NumMemoryBanks; i++) {
		len = topo_read_file(buf, sizeof(buf), "%s/nodes/%u/mem_banks/%u/properties",
				     r->kfd, nd->sysfs_id, i);
		if (len < 0)
			return len;
		parse_props(buf, PROPS(mem_props), &nd->mem[i]);
	}
	return 0;
}

static void parse_siblings(const char *text, HsaCacheProperties *c)
{
	const char *s = strstr(text, "sibling_map ");
	unsigned int n = 0;

	if (!s)
		return;
	s += strlen("sibling_map ");
	while (n < HSA_CPU_SIBLINGS && isdigit((unsigned char)*s)) {
		char *end;

		c->SiblingMap[n++] = strtoul(s, &end, 10);
		if (*end != ',')
			break;
		s = end + 1;
	}
}

static int parse_caches(const struct topo_roots *r, struct topo_node *nd)
{
	char buf[TOPO_MAX_FILE];
	uint32_t i;
	int len;

	if (nd->props.NumCaches > TOPO_MAX_ITEMS)
		return -EINVAL;
	nd->caches = calloc(nd->props.NumCaches ? nd->props.NumCaches : 1, sizeof(*nd->caches));
	if (!nd->caches)
		return -ENOMEM;
	for (i = 0; i < nd->props.NumCaches; i++) {
		len = topo_read_file(buf, sizeof(buf), "%s/nodes/%u/caches/%u/properties",
				     r->kfd, nd->sysfs_id, i);
		if (len < 0)
			return len;
		parse_siblings(buf, &nd->caches[i]);
		parse_props(buf, PROPS(cache_props), &nd->caches[i]);
	}
	return 0;
}

/* io_links and, on kernels that have them, p2p_links in one list. */
static int parse_links(const struct topo_roots *r, struct topo_node *nd)
{
	static const char * const kinds[] = { "io_links", "p2p_links" };
	char buf[TOPO_MAX_FILE];
	uint32_t n = 0;
	int count[2], len;

	for (int k = 0; k < 2; k++)
		count[k] = count_dir("%s/nodes/%u/%s", r->kfd, nd->sysfs_id, kinds[k]);
	nd->links = calloc(count[0] + count[1] + 1, sizeof(*nd->links));
	if (!nd->links)
		return -ENOMEM;
	for (int k = 0; k < 2; k++) {
		for (int i = 0; i < count[k]; i++) {
			len = topo_read_file(buf, sizeof(buf), "%s/nodes/%u/%s/%d/properties",
					     r->kfd, nd->sysfs_id, kinds[k], i);
			if (len == -EPERM)	/* to a GPU the caller may not see */
				continue;
			if (len < 0)
				return len;
			parse_props(buf, PROPS(link_props), &nd->links[n++]);
		}
	}
	nd->props.NumIOLinks = n;
	return 0;
}

static void fill_gpu_names(const struct topo_roots *r, struct topo_node *nd)
{
	char buf[TOPO_MAX_FILE];
	int len = topo_read_file(buf, sizeof(buf), "%s/nodes/%u/name", r->kfd, nd->sysfs_id);

	if (len > 0) {
		buf[strcspn(buf, "\n")] = '\0';
		snprintf((char *)nd->props.AMDName, HSA_PUBLIC_NAME_SIZE, "%.*s",
			 HSA_PUBLIC_NAME_SIZE - 1, buf);
	}
}

/* Devices of kernels that did not print gfx_target_version yet. */
static const struct {
	uint32_t device_id;
	uint32_t version;
} old_devices[] = {
	{ 0x6860, 90000 }, { 0x6861, 90000 }, { 0x6862, 90000 }, { 0x6863, 90000 },
	{ 0x6864, 90000 }, { 0x6867, 90000 }, { 0x6868, 90000 }, { 0x687f, 90000 },
	{ 0x66a0, 90006 }, { 0x66a1, 90006 }, { 0x66a2, 90006 }, { 0x66a3, 90006 },
	{ 0x66a7, 90006 }, { 0x66af, 90006 },
	{ 0x7388, 90008 }, { 0x738c, 90008 }, { 0x738e, 90008 }, { 0x7390, 90008 },
	{ 0x7408, 90010 }, { 0x740c, 90010 }, { 0x740f, 90010 }, { 0x7410, 90010 },
};

/* The printed decimal version as major << 16 | minor << 8 | stepping; 0 if nobody knows. */
uint32_t topo_gfxv(uint32_t v, uint32_t device_id)
{
	for (size_t i = 0; !v && i < sizeof(old_devices) / sizeof(old_devices[0]); i++)
		if (old_devices[i].device_id == device_id)
			v = old_devices[i].version;
	return (v / 10000 & 0xff) << 16 | (v / 100 % 100) << 8 | v % 100;
}

/* What follows from the gfx version and is not printed. */
static void fill_gpu_engine(struct topo_node *nd)
{
	uint32_t v = topo_gfxv(nd->gfxv, nd->props.DeviceId);
	bool big_vgpr = v == 0x090008 || v == 0x09000a || (v >= 0x090400 && v < 0x0a0000);
	bool mid_vgpr = v == 0x0b0000 || v == 0x0b0001 || v == 0x0b0501 || v == 0x0c0000 ||
			v == 0x0c0001;

	nd->gfxv = v;
	nd->props.EngineId.ui32.Major = v >> 16;
	nd->props.EngineId.ui32.Minor = v >> 8;
	nd->props.EngineId.ui32.Stepping = v;
	nd->props.EngineId.ui32.uCode = nd->fw_version;
	nd->props.uCodeEngineVersions.uCodeSDMA = nd->sdma_fw_version;
	nd->props.SGPRSizePerCU = 0x4000;
	nd->props.VGPRSizePerCU = big_vgpr ? 0x80000 : mid_vgpr ? 0x60000 : 0x40000;
	nd->props.KFDGpuID = nd->gpu_id;
	if (!nd->props.NumXcc)
		nd->props.NumXcc = 1;
}

static int parse_node(const struct topo_roots *r, struct topo_node *nd)
{
	char buf[TOPO_MAX_FILE];
	int len;

	len = topo_read_file(buf, sizeof(buf), "%s/nodes/%u/gpu_id", r->kfd, nd->sysfs_id);
	if (len == -EPERM) {
		nd->hidden = true;
		return 0;
	}
	if (len < 0)
		return len;
	nd->gpu_id = strtoul(buf, NULL, 10);

	len = topo_read_file(buf, sizeof(buf), "%s/nodes/%u/properties", r->kfd, nd->sysfs_id);
	if (len < 0)
		return len;
	parse_props(buf, PROPS(node_props), nd);

	len = parse_mem(r, nd);
	if (!len)
		len = parse_caches(r, nd);
	if (!len)
		len = parse_links(r, nd);
	if (len)
		return len;

	if (nd->gpu_id) {
		fill_gpu_names(r, nd);
		fill_gpu_engine(nd);
	}
	if (nd->props.NumCPUCores) {
		topo_cpu_name(r, nd);
		return nd->props.NumCaches ? 0 : topo_cpu_caches(r, nd);
	}
	return 0;
}

static int read_generation(const struct topo_roots *r, uint32_t *gen)
{
	char buf[64];
	int len = topo_read_file(buf, sizeof(buf), "%s/generation_id", r->kfd);

	if (len < 0)
		return len;
	*gen = strtoul(buf, NULL, 10);
	return 0;
}

static int parse_once(const struct topo_roots *r, struct topo *t)
{
	char buf[TOPO_MAX_FILE];
	int err, n;

	err = read_generation(r, &t->generation);
	if (err)
		return err;
	err = topo_read_file(buf, sizeof(buf), "%s/system_properties", r->kfd);
	if (err < 0)
		return err;
	parse_props(buf, PROPS(sys_props), &t->sys);

	n = count_dir("%s/nodes", r->kfd);
	if (!n || n > TOPO_MAX_NODES)
		return -EINVAL;
	t->nodes = calloc(n, sizeof(*t->nodes));
	if (!t->nodes)
		return -ENOMEM;
	for (t->nr_nodes = 0; t->nr_nodes < (uint32_t)n; ) {
		struct topo_node *nd = &t->nodes[t->nr_nodes];

		nd->sysfs_id = t->nr_nodes++;
		err = parse_node(r, nd);
		if (err)
			return err;
	}
	t->sys.NumNodes = t->nr_nodes;
	return 0;
}

static void topo_clear(struct topo *t)
{
	for (uint32_t i = 0; i < t->nr_nodes; i++) {
		free(t->nodes[i].mem);
		free(t->nodes[i].caches);
		free(t->nodes[i].links);
	}
	free(t->nodes);
	memset(t, 0, sizeof(*t));
}

void topo_free(struct topo *t)
{
	if (!t)
		return;
	topo_clear(t);
	free(t);
}

/**
 * topo_parse() - read a consistent snapshot
 *
 * The whole reading is repeated when the generation changed meanwhile.
 *
 * Return: 0 and a topo for topo_free(), or a negative errno.
 */
int topo_parse(const struct topo_roots *roots, struct topo **out)
{
	struct topo *t = calloc(1, sizeof(*t));
	uint32_t gen;
	int err = -EAGAIN;

	if (!t)
		return -ENOMEM;
	for (int i = 0; i < TOPO_RETRIES && err == -EAGAIN; i++) {
		topo_clear(t);
		err = parse_once(roots, t);
		if (!err)
			err = read_generation(roots, &gen);
		if (!err && gen != t->generation)
			err = -EAGAIN;
	}
	if (err) {
		topo_free(t);
		return err;
	}
	*out = t;
	return 0;
}
