// SPDX-License-Identifier: MIT
/* The topology's text: files, modes, lines and their order, and that it adds up. */
#include <dirent.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "kfd_util.h"

#define TOPOLOGY	"/sys/devices/virtual/kfd/kfd/topology"
#define MAX_TEXT	65536

/*
 * Lines of a node in the order of Linux 7.2, which is that of all before it.
 * capability2 is shown on all kernels here, as the uapi header that defines its
 * bits is the same on all.
 */
static const char * const node_lines[] = {
	"cpu_cores_count", "simd_count", "mem_banks_count", "caches_count", "io_links_count",
	"p2p_links_count", "cpu_core_id_base", "simd_id_base", "max_waves_per_simd",
	"lds_size_in_kb", "gds_size_in_kb", "num_gws", "wave_front_size", "array_count",
	"simd_arrays_per_engine", "cu_per_simd_array", "simd_per_cu", "max_slots_scratch_cu",
	"gfx_target_version", "vendor_id", "device_id", "location_id", "domain",
	"drm_render_minor", "hive_id", "num_sdma_engines", "num_sdma_xgmi_engines",
	"num_sdma_queues_per_engine", "num_cp_queues", "cwsr_size", "ctl_stack_size",
	"max_engine_clk_fcompute", "local_mem_size", "fw_version", "capability",
	"capability2", "debug_prop", "sdma_fw_version", "unique_id", "num_xcc",
	"max_engine_clk_ccompute", NULL
};
/* Those that only a GPU has. */
static const char * const gpu_lines[] = {
	"max_engine_clk_fcompute", "local_mem_size", "fw_version", "capability", "capability2",
	"debug_prop", "sdma_fw_version", "unique_id", "num_xcc", NULL
};
/* Those that the driver of Linux 6.1 has not. */
static const struct {
	const char *name;
	int major, minor;
} newer_lines[] = {
	{ "debug_prop", 6, 5 }, { "num_xcc", 6, 5 },
	{ "recommended_sdma_engine_id_mask", 6, 12 },
	{ "cwsr_size", 6, 12 }, { "ctl_stack_size", 6, 12 },
};

static const char * const mem_lines[] = {
	"heap_type", "size_in_bytes", "flags", "width", "mem_clk_max", NULL
};
static const char * const cache_lines[] = {
	"processor_id_low", "level", "size", "cache_line_size", "cache_lines_per_tag",
	"association", "latency", "type", "sibling_map", NULL
};
static const char * const link_lines[] = {
	"type", "version_major", "version_minor", "node_from", "node_to", "weight",
	"min_latency", "max_latency", "min_bandwidth", "max_bandwidth",
	"recommended_transfer_size", "recommended_sdma_engine_id_mask", "flags", NULL
};
static const char * const system_lines[] = {
	"platform_oem", "platform_id", "platform_rev", NULL
};

static const char *read_text(const char *path)
{
	static char text[MAX_TEXT];
	ssize_t n;
	int fd = open(path, O_RDONLY);

	ASSERT_GE(fd, 0);
	n = read(fd, text, sizeof(text) - 1);
	ASSERT_GE(n, 0);
	text[n] = 0;
	close(fd);
	return text;
}

static bool is_among(const char *name, const char * const *names)
{
	while (*names && strcmp(name, *names))
		names++;
	return *names;
}

/* Whether this kernel's driver has the line. */
static bool is_there(const char *name)
{
	int major = 0, minor = 0;
	struct utsname u;
	unsigned int i;

	uname(&u);
	sscanf(u.release, "%d.%d", &major, &minor);
	for (i = 0; i < sizeof(newer_lines) / sizeof(*newer_lines); i++)
		if (!strcmp(name, newer_lines[i].name))
			return major * 1000 + minor >=
			       newer_lines[i].major * 1000 + newer_lines[i].minor;
	return true;
}

/* "name number[,number...]\n" for every name, and nothing else. */
static void expect_lines(const char *path, const char * const *names, const char * const *skip)
{
	const char *p = read_text(path);
	struct stat st;
	int i;

	ASSERT_EQ(0, stat(path, &st));
	EXPECT_EQ(0444u, st.st_mode & 07777);
	for (i = 0; names[i]; i++) {
		size_t n = strlen(names[i]);

		if (!is_there(names[i]) || (skip && is_among(names[i], skip)))
			continue;
		if (strncmp(p, names[i], n) || p[n] != ' ') {
			TH_LOG("%s: expected \"%s\", seen \"%.40s\"", path, names[i], p);
			exit(TH_FAIL);
		}
		p += n + 1;
		n = strspn(p, "0123456789,");
		EXPECT_LT(0ul, n);
		EXPECT_EQ('\n', p[n]);
		p += n + 1;
	}
	EXPECT_STREQ("", p);
}

static int count_dirs(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	int n = 0;

	ASSERT_NE(NULL, d);
	while ((e = readdir(d)))
		n += e->d_type == DT_DIR && e->d_name[0] != '.';
	closedir(d);
	return n;
}

TEST(system)
{
	expect_lines(TOPOLOGY "/system_properties", system_lines, NULL);
	EXPECT_LT(1, atoi(read_text(TOPOLOGY "/generation_id")));
	EXPECT_EQ(count_nodes(), count_dirs(NODES));
	EXPECT_EQ(0, access("/sys/class/kfd/kfd/topology/nodes/0/gpu_id", R_OK));
}

TEST(node_lines_and_modes)
{
	char path[128];
	int i, n = count_nodes();
	struct stat st;

	ASSERT_LE(2, n);
	for (i = 0; i < n; i++) {
		bool gpu = node_gpu_id(i);

		snprintf(path, sizeof(path), NODES "/%d/properties", i);
		expect_lines(path, node_lines, gpu ? NULL : gpu_lines);
		snprintf(path, sizeof(path), NODES "/%d/gpu_id", i);
		ASSERT_EQ(0, stat(path, &st));
		EXPECT_EQ(0444u, st.st_mode & 07777);
		snprintf(path, sizeof(path), NODES "/%d/name", i);
		ASSERT_EQ(0, stat(path, &st));
		EXPECT_EQ(0444u, st.st_mode & 07777);
		if (!gpu)
			EXPECT_STREQ("\n", read_text(path));
		snprintf(path, sizeof(path), NODES "/%d/perf", i);
		EXPECT_EQ(0, access(path, F_OK));
	}
}

static void check_leaves(int node, const char *dir, const char *count, const char * const *names)
{
	char path[160];
	int i, n;

	snprintf(path, sizeof(path), NODES "/%d/%s", node, dir);
	n = count_dirs(path);
	EXPECT_EQ(node_prop(node, count), (long long)n);
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), NODES "/%d/%s/%d/properties", node, dir, i);
		expect_lines(path, names, NULL);
	}
}

TEST(leaves_agree_with_their_counts)
{
	int i, n = count_nodes();

	ASSERT_LE(2, n);
	for (i = 0; i < n; i++) {
		check_leaves(i, "mem_banks", "mem_banks_count", mem_lines);
		check_leaves(i, "caches", "caches_count", cache_lines);
		check_leaves(i, "io_links", "io_links_count", link_lines);
		check_leaves(i, "p2p_links", "p2p_links_count", link_lines);
	}
}

TEST(cpu_node)
{
	ASSERT_LE(2, count_nodes());
	EXPECT_EQ(0u, node_gpu_id(0));
	EXPECT_LT(0ll, node_prop(0, "cpu_cores_count"));
	EXPECT_EQ(0ll, node_prop(0, "simd_count"));
	EXPECT_EQ(0ll, node_prop(0, "caches_count"));
	EXPECT_EQ(1ll, node_prop(0, "mem_banks_count"));
	EXPECT_EQ(0ll, prop_get(NODES "/0/mem_banks/0/properties", "heap_type"));
	EXPECT_LT(0ll, prop_get(NODES "/0/mem_banks/0/properties", "size_in_bytes"));
}

/*
 * The numbers that runtimes divide by, and the identity of some GPUs. MI210: 104 L1, 56 each of
 * I$ and K$, one L2. W7900: as a Radeon RX 7900 XTX, which has the same chip, in published
 * topologies (96 L1, 48 each of I$ and K$, 12 GL1, one L2 and one L3). W6800: 60 L1, 30 each of
 * I$ and K$, 8 GL1, one L2 and one L3; Radeon 8060S: 40 L1, 20 each of I$ and K$, 4 GL1, one L2 and
 * one L3. CUs of both as rocminfo has them. RX 9070 XT: 64 L1, 32 each of I$ and K$, one L2 and one
 * L3; arrays and SDMA engines as an R9700, of the same chip, in published topologies.
 */
static const struct {
	const char *name;
	long long gfx90a, gfx1030, gfx1100, gfx1151, gfx1201;
} gpu_figures[] = {
	{ "device_id", 29711, 29603, 29768, 5510, 30032 },
	{ "simd_count", 416, 120, 192, 80, 128 },
	{ "max_waves_per_simd", 8, 16, 16, 16, 16 },
	{ "array_count", 8, 8, 12, 4, 8 },
	{ "simd_arrays_per_engine", 1, 2, 2, 2, 2 },
	{ "cu_per_simd_array", 14, 10, 8, 10, 8 },
	{ "simd_id_base", 2147487744, 2147487744, 2147487744, 2147487744, 2147487744 },
	{ "wave_front_size", 64, 32, 32, 32, 32 },
	{ "num_gws", 64, 64, 64, 64, 64 },
	{ "num_sdma_engines", 2, 4, 2, 1, 2 },
	{ "num_sdma_queues_per_engine", 8, 8, 6, 6, 6 },
	{ "num_cp_queues", 24, 8, 8, 8, 4 },
	{ "caches_count", 217, 130, 206, 86, 130 },
};

/* Of the GPU of this version; 0: it has none */
static int figure_of(unsigned int i, long long gfx, long long *v)
{
	*v = gfx == 90010 ? gpu_figures[i].gfx90a : gfx == 100300 ? gpu_figures[i].gfx1030 :
	     gfx == 110000 ? gpu_figures[i].gfx1100 : gfx == 110501 ? gpu_figures[i].gfx1151 :
	     gpu_figures[i].gfx1201;
	return gfx == 90010 || gfx == 100300 || gfx == 110000 || gfx == 110501 || gfx == 120001;
}

TEST(gpu_node)
{
	int n = gpu_node(0);
	unsigned int i;
	long long gfx, want;

	ASSERT_LE(1, n);
	EXPECT_EQ(0ll, node_prop(n, "cpu_cores_count"));
	EXPECT_EQ(4098ll, node_prop(n, "vendor_id"));
	EXPECT_LE(128ll, node_prop(n, "drm_render_minor"));
	EXPECT_LT(0ll, node_prop(n, "simd_per_cu"));
	EXPECT_LT(0ll, node_prop(n, "simd_arrays_per_engine"));
	EXPECT_LT(0ll, node_prop(n, "max_slots_scratch_cu"));
	EXPECT_EQ(0ll, node_prop(n, "local_mem_size"));
	EXPECT_EQ(2ll, node_prop(n, "capability") >> 12 & 3);
	gfx = node_prop(n, "gfx_target_version");
	if (!figure_of(0, gfx, &want))
		SKIP(return, "none of those");
	for (i = 0; i < sizeof(gpu_figures) / sizeof(gpu_figures[0]); i++) {
		figure_of(i, gfx, &want);
		EXPECT_EQ(want, node_prop(n, gpu_figures[i].name));
	}
}

TEST(gpu_memory_is_public)
{
	char path[128];
	int n = gpu_node(0);

	ASSERT_LE(1, n);
	snprintf(path, sizeof(path), NODES "/%d/mem_banks/0/properties", n);
	EXPECT_EQ(1ll, prop_get(path, "heap_type"));
	EXPECT_LT(0ll, prop_get(path, "size_in_bytes"));
}

TEST(gpu_has_an_l1_data_cache)
{
	char path[128];
	int i, n = gpu_node(0), found = 0;

	ASSERT_LE(1, n);
	for (i = 0; i < node_prop(n, "caches_count"); i++) {
		snprintf(path, sizeof(path), NODES "/%d/caches/%d/properties", n, i);
		found += prop_get(path, "level") == 1 && prop_get(path, "type") == 9;
	}
	EXPECT_LT(0, found);
}

/* Large BAR: there is a link each way, and only CPU to GPU is non-coherent. */
TEST(gpu_and_cpu_are_linked)
{
	char path[128];
	int n = gpu_node(0), i;
	bool back = false;

	ASSERT_LE(1, n);
	snprintf(path, sizeof(path), NODES "/%d/io_links/0/properties", n);
	EXPECT_EQ(2ll, prop_get(path, "type"));
	EXPECT_EQ((long long)n, prop_get(path, "node_from"));
	EXPECT_EQ(0ll, prop_get(path, "node_to"));
	EXPECT_EQ(20ll, prop_get(path, "weight"));
	EXPECT_EQ(1ll, prop_get(path, "flags"));
	for (i = 0; i < node_prop(0, "io_links_count"); i++) {
		snprintf(path, sizeof(path), NODES "/0/io_links/%d/properties", i);
		if (prop_get(path, "node_to") == n) {
			EXPECT_EQ(3ll, prop_get(path, "flags"));
			back = true;
		}
	}
	EXPECT_TRUE(back);
}

/* ------------------------------------------------------------------- NUMA */

#define NUMA	"/sys/devices/system/node"

/* NUMA nodes with CPUs, in order; one whose number nobody knows where the kernel has none */
static int numa_nodes(int *nids, int max)
{
	int nid, n = 0;
	char path[96];

	if (access(NUMA, F_OK)) {
		nids[0] = -1;
		return 1;
	}
	for (nid = 0; nid < 64 && n < max; nid++) {
		snprintf(path, sizeof(path), NUMA "/node%d/cpulist", nid);
		if (!access(path, R_OK) && read_text(path)[0] != '\n')
			nids[n++] = nid;
	}
	return n;
}

static int distance(int from, int to)
{
	char path[96], *at;
	const char *text;
	int nid, value = 0;

	snprintf(path, sizeof(path), NUMA "/node%d/distance", from);
	text = read_text(path);
	/* Numbers are of the nodes that there are, in order */
	for (nid = 0; nid <= to; nid++) {
		snprintf(path, sizeof(path), NUMA "/node%d", nid);
		if (access(path, F_OK))
			continue;
		value = strtol(text, &at, 10);
		text = at;
	}
	return value;
}

/* The link of @dir from @node to @to: its weight; -1: there is none */
static long long link_weight(int node, const char *dir, int to)
{
	char path[128];
	int i, n;

	snprintf(path, sizeof(path), NODES "/%d/%s", node, dir);
	n = count_dirs(path);
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), NODES "/%d/%s/%d/properties", node, dir, i);
		if (prop_get(path, "node_to") == to)
			return prop_get(path, "weight");
	}
	return -1;
}

/* A GPU is at the first of the CPUs' nodes, and its function says so; the others are farther. */
TEST(cpu_nodes_are_numa_nodes)
{
	int gpu = gpu_node(0), nids[16], n = numa_nodes(nids, 16), i, k, total = 0;
	char path[160];

	ASSERT_LE(1, gpu);
	for (i = 0; i < count_nodes(); i++)
		total += !node_gpu_id(i);
	ASSERT_EQ(n, total);
	for (i = 0; i < n; i++) {
		EXPECT_LT(0ll, node_prop(i, "cpu_cores_count"));
		EXPECT_EQ(i ? 20ll + distance(nids[0], nids[i]) : 20ll,
			  link_weight(gpu, i ? "p2p_links" : "io_links", i));
		EXPECT_EQ(-1ll, link_weight(gpu, i ? "io_links" : "p2p_links", i));
		for (k = 0; k < n; k++)
			EXPECT_EQ(k == i ? -1ll : distance(nids[i], nids[k]),
				  link_weight(i, "io_links", k));
	}
	snprintf(path, sizeof(path), "/sys/class/drm/renderD%lld/device/numa_node",
		 node_prop(gpu, "drm_render_minor"));
	/* A kernel without NUMA has no such file. */
	if (!access(path, R_OK))
		EXPECT_EQ(access(NUMA "/node1", F_OK) ? -1 : nids[0], atoi(read_text(path)));
}

TEST(gpu_ids_are_unique)
{
	int i, j, n = count_nodes();

	ASSERT_LE(2, n);
	for (i = 0; i < n; i++)
		for (j = i + 1; j < n; j++)
			if (node_gpu_id(i))
				EXPECT_NE(node_gpu_id(i), node_gpu_id(j));
}

TEST_HARNESS_MAIN
