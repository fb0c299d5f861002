// SPDX-License-Identifier: MIT
/* The topology parser on trees that this writes into a temporary directory. */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"
#include "topology.h"

static char root[64];
static char kfd[96], numa[96], cpuinfo[96];
static const struct topo_roots roots = { .kfd = kfd, .numa = numa, .cpuinfo = cpuinfo };

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void clear(void)
{
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	mkdir(root, 0700);
}

/* Write @text to a file below the root, with the directories that lead there. */
static void put(const char *text, const char *fmt, ...)
{
	char path[512], rel[256];
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	vsnprintf(rel, sizeof(rel), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s/%s", root, rel);
	for (char *s = path + strlen(root) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(path, 0700);
		*s = '/';
	}
	f = fopen(path, "w");
	if (!f)
		abort();
	fputs(text, f);
	fclose(f);
}

static const char gpu_props[] =
	"cpu_cores_count 0\nsimd_count 416\nmem_banks_count 1\ncaches_count 2\n"
	"io_links_count 1\np2p_links_count 0\ncpu_core_id_base 0\nsimd_id_base 2147487744\n"
	"max_waves_per_simd 8\nlds_size_in_kb 64\ngds_size_in_kb 0\nnum_gws 64\n"
	"wave_front_size 64\narray_count 8\nsimd_arrays_per_engine 1\ncu_per_simd_array 14\n"
	"simd_per_cu 4\nmax_slots_scratch_cu 32\ngfx_target_version 90010\nvendor_id 4098\n"
	"device_id 29711\nlocation_id 256\ndomain 7\ndrm_render_minor 128\nhive_id 0\n"
	"num_sdma_engines 2\nnum_sdma_xgmi_engines 3\nnum_sdma_queues_per_engine 8\n"
	"num_cp_queues 24\nmax_engine_clk_fcompute 1700\nlocal_mem_size 0\nfw_version 1104\n"
	"capability 738628256\ndebug_prop 1\nsdma_fw_version 8\nunique_id 18364758544493064720\n"
	"num_xcc 1\nmax_engine_clk_ccompute 3000\nnever_heard_of_it 7\n";

static void put_gpu(unsigned int node, unsigned int gpu_id)
{
	char text[32];

	snprintf(text, sizeof(text), "%u\n", gpu_id);
	put(text, "kfd/nodes/%u/gpu_id", node);
	put("aldebaran\n", "kfd/nodes/%u/name", node);
	put(gpu_props, "kfd/nodes/%u/properties", node);
	put("heap_type 1\nsize_in_bytes 68702699520\nflags 0\nwidth 4096\nmem_clk_max 1600\n",
	    "kfd/nodes/%u/mem_banks/0/properties", node);
	put("processor_id_low 2147487744\nlevel 1\nsize 16\ncache_line_size 64\n"
	    "cache_lines_per_tag 1\nassociation 0\nlatency 0\ntype 9\nsibling_map 1,0,1,1\n",
	    "kfd/nodes/%u/caches/0/properties", node);
	put("processor_id_low 2147487744\nlevel 2\nsize 8192\ntype 9\nsibling_map 1\n",
	    "kfd/nodes/%u/caches/1/properties", node);
}

static void put_link(unsigned int node, unsigned int i, const char *kind, unsigned int to,
		     unsigned int weight)
{
	char text[256];

	snprintf(text, sizeof(text), "type 2\nnode_from %u\nnode_to %u\nweight %u\n"
		 "min_bandwidth 312\nmax_bandwidth 16000\nflags 1\n", node, to, weight);
	put(text, "kfd/nodes/%u/%s/%u/properties", node, kind, i);
}

/* A CPU node and @gpus GPUs, all linked with the CPU. */
static void put_system(unsigned int gpus)
{
	clear();
	put("5\n", "kfd/generation_id");
	put("platform_oem 12\nplatform_id 34\nplatform_rev 56\n", "kfd/system_properties");
	put("0\n", "kfd/nodes/0/gpu_id");
	put("\n", "kfd/nodes/0/name");
	put("cpu_cores_count 2\nsimd_count 0\nmem_banks_count 1\ncaches_count 0\n"
	    "io_links_count 1\nmax_engine_clk_ccompute 3000\n", "kfd/nodes/0/properties");
	put("heap_type 0\nsize_in_bytes 4294967296\n", "kfd/nodes/0/mem_banks/0/properties");
	for (unsigned int g = 1; g <= gpus; g++) {
		put_gpu(g, 40000 + g);
		put_link(0, g - 1, "io_links", g, 20);
		put_link(g, 0, "io_links", 0, 20);
	}
	put("processor : 0\nmodel name\t: A CPU of Some Kind\n", "cpuinfo");
	for (int c = 0; c < 2; c++) {
		put("32K\n", "numa/node0/cpu%d/cache/index0/size", c);
		put("Data\n", "numa/node0/cpu%d/cache/index0/type", c);
		put("1\n", "numa/node0/cpu%d/cache/index0/level", c);
		put(c ? "1\n" : "0\n", "numa/node0/cpu%d/cache/index0/shared_cpu_list", c);
		put("16M\n", "numa/node0/cpu%d/cache/index1/size", c);
		put("Unified\n", "numa/node0/cpu%d/cache/index1/type", c);
		put("3\n", "numa/node0/cpu%d/cache/index1/level", c);
		put("0-1\n", "numa/node0/cpu%d/cache/index1/shared_cpu_list", c);
	}
}

static void test_cpu(void)
{
	const struct topo_node *n;
	struct topo *t = NULL;

	put_system(1);
	CHECK(topo_parse(&roots, &t) == 0);
	if (!t)
		return;
	n = &t->nodes[0];
	CHECK(t->sys.NumNodes == 2 && t->generation == 5);
	CHECK(t->sys.PlatformOem == 12 && t->sys.PlatformId == 34 && t->sys.PlatformRev == 56);
	CHECK(n->gpu_id == 0 && n->props.NumCPUCores == 2);
	CHECK(n->props.MarketingName[0] == 'A' && n->props.MarketingName[17] == 'd');
	CHECK(n->mem[0].SizeInBytes == 4294967296);
	/* two level 1 caches and one level 3 cache that both share */
	CHECK(n->props.NumCaches == 3);
	CHECK(n->caches[0].CacheSize == 32768 && n->caches[0].CacheType.ui32.CPU);
	CHECK(n->caches[1].CacheSize == 16 << 20 && n->caches[1].CacheType.ui32.Instruction);
	topo_free(t);
}

static void test_gpu(void)
{
	const HsaNodeProperties *p;
	struct topo *t = NULL;

	put_system(1);
	CHECK(topo_parse(&roots, &t) == 0);
	if (!t)
		return;
	p = &t->nodes[1].props;
	CHECK(t->nodes[1].gpu_id == 40001 && p->KFDGpuID == 40001);
	CHECK(t->nodes[1].gfxv == 0x09000a);
	CHECK(p->EngineId.ui32.Major == 9 && p->EngineId.ui32.Stepping == 10);
	CHECK(p->EngineId.ui32.uCode == (1104 & 0x3ff));
	CHECK(p->NumFComputeCores == 416 && p->NumSIMDPerCU == 4 && p->NumXcc == 1);
	CHECK(p->VendorId == 4098 && p->DeviceId == 29711 && p->Domain == 7);
	CHECK(p->UniqueID == 18364758544493064720ull && p->FComputeIdLo == 2147487744u);
	CHECK(p->NumCpQueues == 24 && p->NumGws == 64 && p->DrmRenderMinor == 128);
	CHECK(p->VGPRSizePerCU == 0x80000);
	CHECK(!strcmp((const char *)p->AMDName, "aldebaran"));
	CHECK(t->nodes[1].mem[0].SizeInBytes == 68702699520);
	CHECK(t->nodes[1].caches[0].SiblingMap[0] == 1 && !t->nodes[1].caches[0].SiblingMap[1] &&
	      t->nodes[1].caches[0].SiblingMap[3] == 1);
	CHECK(p->NumIOLinks == 1 && t->nodes[1].links[0].Weight == 20);
	topo_free(t);
}

static void test_peer_links(void)
{
	struct topo *t = NULL;

	put_system(2);
	put_link(1, 0, "p2p_links", 2, 40);
	CHECK(topo_parse(&roots, &t) == 0);
	if (!t)
		return;
	CHECK(t->nodes[1].props.NumIOLinks == 2 && t->nodes[1].links[1].NodeTo == 2);
	CHECK(topo_add_indirect_links(t) == 0);
	CHECK(t->nodes[1].props.NumIOLinks == 2);
	/* the way back was not printed: it is the sum of its hops */
	CHECK(t->nodes[2].props.NumIOLinks == 2);
	CHECK(t->nodes[2].links[1].NodeTo == 1 && t->nodes[2].links[1].Weight == 40);
	topo_free(t);
}

static void test_hidden(void)
{
	struct topo *t = NULL;

	put_system(3);
	CHECK(topo_parse(&roots, &t) == 0);
	if (!t)
		return;
	t->nodes[2].hidden = true;
	CHECK(topo_drop_hidden(t) == 0);
	CHECK(t->sys.NumNodes == 3 && t->nr_nodes == 3);
	CHECK(t->nodes[2].gpu_id == 40003 && t->nodes[2].links[0].NodeFrom == 2);
	CHECK(t->nodes[0].props.NumIOLinks == 2 && t->nodes[0].links[1].NodeTo == 2);
	topo_free(t);
}

static void test_missing(void)
{
	struct topo *t = NULL;
	char path[256];

	put_system(1);
	snprintf(path, sizeof(path), "%s/nodes/1/properties", kfd);
	unlink(path);
	CHECK(topo_parse(&roots, &t) == -ENOENT);
	clear();
	CHECK(topo_parse(&roots, &t) == -ENOENT);
	put("1\n", "kfd/generation_id");
	put("", "kfd/system_properties");
	CHECK(topo_parse(&roots, &t) == -EINVAL);
}

/* Files of nonsense: an error or a tree, and nothing that sanitizers mind. */
static void test_nonsense(void)
{
	static const char * const texts[] = {
		"", "\n\n\n", "caches_count", "caches_count \n", "caches_count 4294967295\n",
		"mem_banks_count 99999999999999999999\n", " 5\n", "io_links_count -1\n",
		"cpu_cores_count 4000000000\n", "simd_count 1\nsimd_count 2\n",
		"gfx_target_version 4294967295\n", "device_id 99999999\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct topo *t = NULL;

		put_system(1);
		put(texts[i], "kfd/nodes/1/properties");
		if (!topo_parse(&roots, &t)) {
			CHECK(topo_drop_hidden(t) == 0 && topo_add_indirect_links(t) == 0);
			topo_free(t);
		}
		put_system(1);
		put(texts[i], "kfd/nodes/0/mem_banks/0/properties");
		put("node_to 4294967295\nnode_from 17\n", "kfd/nodes/0/io_links/0/properties");
		put("sibling_map 1,2,3,,,4\n", "kfd/nodes/1/caches/0/properties");
		CHECK(topo_parse(&roots, &t) == 0);
		CHECK(topo_drop_hidden(t) == 0 && t->nodes[0].props.NumIOLinks == 0);
		CHECK(topo_add_indirect_links(t) == 0);
		topo_free(t);
	}
}

static void test_versions(void)
{
	CHECK(topo_gfxv(90010, 0) == 0x09000a);
	CHECK(topo_gfxv(90402, 0x740f) == 0x090402);
	CHECK(topo_gfxv(110000, 0) == 0x0b0000);
	CHECK(topo_gfxv(0, 0x740f) == 0x09000a);
	CHECK(topo_gfxv(0, 0x1234) == 0);
}

int main(void)
{
	strcpy(root, "/tmp/vkfd-topology-XXXXXX");
	if (!mkdtemp(root))
		return 1;
	snprintf(kfd, sizeof(kfd), "%s/kfd", root);
	snprintf(numa, sizeof(numa), "%s/numa", root);
	snprintf(cpuinfo, sizeof(cpuinfo), "%s/cpuinfo", root);
	printf("TAP version 13\n");
	tap_test("CPU node with caches of its CPUs", test_cpu);
	tap_test("GPU node, every property", test_gpu);
	tap_test("peer links, printed and inferred", test_peer_links);
	tap_test("a hidden GPU goes, the others are renumbered", test_hidden);
	tap_test("missing files are errors", test_missing);
	tap_test("nonsense in files", test_nonsense);
	tap_test("gfx versions", test_versions);
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return tap_done();
}
