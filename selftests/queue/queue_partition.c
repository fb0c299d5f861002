// SPDX-License-Identifier: MIT
/*
 * A GPU of several XCCs, divided into partitions: what topology shows of them, and that each runs
 * kernels and copies on XCCs and memory of its own; who may divide it, and when; and that nothing
 * is left behind.
 *
 * Whoever has opened /dev/kfd has all GPUs. So tests do that in children.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "../kfd/file_util.h"
#include "peer.h"
#include "rig_sdma.h"

#define TOPOLOGY	"/sys/class/kfd/kfd/topology"
#define DRIVER		"/sys/bus/pci/drivers/amdgpu"
#define SUSPEND		"/sys/kernel/debug/kfd/0/suspend"
#define XCCS		8u
#define GROUPS		(16 * XCCS)
#define BYTES		(64 * 1024u)
#define VRAM		(KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC)

static const struct mode {
	const char *name;
	u32 parts;
} modes[] = { { "SPX", 1 }, { "DPX", 2 }, { "QPX", 4 }, { "CPX", 8 } };

#define NUM_MODES (sizeof(modes) / sizeof(modes[0]))

/* The GPU: its directory, its place, and what it is as a whole */
FIXTURE(card) {
	char dir[128], function[32];
	long location, simds, xgmi, sdma, links, hive;
	u64 bytes;
};

static const char *file(const FIXTURE_DATA(card) *c, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", c->dir, name);
	return path;
}

static const char *text(const char *path)
{
	static char t[256];

	if (file_read(path, t, sizeof(t)) < 0)
		t[0] = '\0';
	return t;
}

static int divide(const FIXTURE_DATA(card) *c, const char *mode)
{
	return file_write(file(c, "current_compute_partition"), mode);
}

/* gpu_ids of the nodes that are partitions of the GPU, or the GPU, in order */
static u32 nodes(const FIXTURE_DATA(card) *c, u32 ids[XCCS])
{
	char path[128];
	u32 n = 0, i, id;

	for (i = 0; n < XCCS; i++) {
		snprintf(path, sizeof(path), TOPOLOGY "/nodes/%u/gpu_id", i);
		if (access(path, R_OK))
			break;
		id = file_number(path);
		if (id && rig_property(id, "location_id") >> 8 == c->location >> 8)
			ids[n++] = id;
	}
	return n;
}

static long generation(void)
{
	return file_number(TOPOLOGY "/generation_id");
}

static u64 node_bytes(u32 gpu_id)
{
	char path[128], name[64];
	unsigned long long value;
	u64 bytes = 0;
	u32 i;
	FILE *f;

	for (i = 0; i < 64; i++) {
		snprintf(path, sizeof(path), TOPOLOGY "/nodes/%u/gpu_id", i);
		if (access(path, R_OK) || file_number(path) != gpu_id)
			continue;
		snprintf(path, sizeof(path), TOPOLOGY "/nodes/%u/mem_banks/0/properties", i);
		f = fopen(path, "r");
		while (f && fscanf(f, "%63s %llu", name, &value) == 2)
			if (!strcmp(name, "size_in_bytes"))
				bytes = value;
		if (f)
			fclose(f);
	}
	return bytes;
}

FIXTURE_SETUP(card)
{
	char real[PATH_MAX];
	u32 ids[XCCS];
	glob_t g;

	if (glob("/sys/class/drm/card*/device/current_compute_partition", 0, NULL, &g))
		SKIP(return, "no GPU has partitions");
	/* card0 may be another one next time */
	ASSERT_NE(NULL, realpath(g.gl_pathv[0], real));
	globfree(&g);
	*strrchr(real, '/') = '\0';
	snprintf(self->dir, sizeof(self->dir), "%.100s", real);
	snprintf(self->function, sizeof(self->function), "%.30s", strrchr(real, '/') + 1);
	ASSERT_EQ(0, divide(self, "SPX"));
	/* The whole one is the one whose render node is there */
	ASSERT_EQ(0, glob(file(self, "drm/renderD*"), 0, NULL, &g));
	for (self->location = 0; self->location < 256 << 8; self->location += 1 << 8)
		if (nodes(self, ids) && rig_property(ids[0], "drm_render_minor") ==
		    atoi(strrchr(g.gl_pathv[0], 'D') + 1))
			break;
	globfree(&g);
	ASSERT_EQ(1u, nodes(self, ids));
	self->simds = rig_property(ids[0], "simd_count");
	self->sdma = rig_property(ids[0], "num_sdma_engines");
	self->xgmi = rig_property(ids[0], "num_sdma_xgmi_engines");
	self->links = rig_property(ids[0], "io_links_count");
	self->hive = rig_property(ids[0], "hive_id");
	self->bytes = node_bytes(ids[0]);
}

FIXTURE_TEARDOWN(card)
{
	EXPECT_EQ(0, divide(self, "SPX"));
}

/* ----------------------------------------------------------------- topology */

/* Partitions of a GPU that is in no hive are one */
static long hive_id(const FIXTURE_DATA(card) *c, u32 parts)
{
	return c->hive || parts == 1 ? c->hive : c->location;
}

static void check_nodes(const FIXTURE_DATA(card) *c, u32 parts)
{
	long engines = (c->sdma + c->xgmi) / parts;
	u32 ids[XCCS], i;
	char path[64];

	ASSERT_EQ(parts, nodes(c, ids));
	for (i = 0; i < parts; i++) {
		EXPECT_EQ(c->location | i, (u32)rig_property(ids[i], "location_id"));
		EXPECT_EQ(c->simds / parts, rig_property(ids[i], "simd_count"));
		EXPECT_EQ(c->bytes / parts, node_bytes(ids[i]));
		EXPECT_EQ(engines < 2 ? engines : 2, rig_property(ids[i], "num_sdma_engines"));
		EXPECT_EQ(engines < 2 ? 0 : engines - 2,
			  rig_property(ids[i], "num_sdma_xgmi_engines"));
		EXPECT_EQ(parts - 1, rig_property(ids[i], "io_links_count") - c->links);
		EXPECT_EQ(rig_property(ids[0], "hive_id"), rig_property(ids[i], "hive_id"));
		if (rig_property(ids[i], "num_xcc") >= 0)
			EXPECT_EQ(XCCS / parts, (u32)rig_property(ids[i], "num_xcc"));
		snprintf(path, sizeof(path), "/dev/dri/renderD%ld",
			 rig_property(ids[i], "drm_render_minor"));
		EXPECT_EQ(0, access(path, R_OK | W_OK));
		EXPECT_NE(0, rig_property(ids[i], "unique_id"));
	}
	EXPECT_EQ(hive_id(c, parts), rig_property(ids[0], "hive_id"));
}

/* From each mode to each other one */
TEST_F(card, nodes_of_each_mode)
{
	u32 from, to;
	char want[8];
	long before;

	for (from = 0; from < NUM_MODES; from++)
		for (to = 0; to < NUM_MODES; to++) {
			ASSERT_EQ(0, divide(self, modes[from].name));
			before = generation();
			ASSERT_EQ(0, divide(self, modes[to].name));
			EXPECT_EQ(from != to, generation() != before);
			snprintf(want, sizeof(want), "%s\n", modes[to].name);
			EXPECT_STREQ(want, text(file(self, "current_compute_partition")));
			check_nodes(self, modes[to].parts);
		}
}

/* Files of the function are those of the whole GPU. */
TEST_F(card, files_of_the_whole)
{
	char id[64];
	long long total = file_number(file(self, "mem_info_vram_total"));

	snprintf(id, sizeof(id), "%s", text(file(self, "unique_id")));
	ASSERT_EQ(0, divide(self, "CPX"));
	EXPECT_STREQ(id, text(file(self, "unique_id")));
	EXPECT_EQ(total, file_number(file(self, "mem_info_vram_total")));
	EXPECT_STREQ("SPX, DPX, QPX, CPX\n", text(file(self, "available_compute_partition")));
}

/* Kernels whose driver has it, and those without GPUs of this kind, where all is shown */
static bool kernel_has(int since)
{
	unsigned int major = 0, minor = 0;
	int version;

	ASSERT_EQ(2, sscanf(text("/proc/sys/kernel/osrelease"), "%u.%u", &major, &minor));
	version = major * 100 + minor;
	return version >= since || version < 605;
}

/* An attribute of a table: AMDGPU_METRICS_ATTR_ID_*, and its values */
struct metric {
	u32 id, count, bytes;
	const u8 *values;
};

enum { METRIC_ACCUMULATIONS = 9, METRIC_GFXCLK = 33, METRIC_GFX_BUSY = 40, METRIC_VCN_BUSY = 42,
       METRIC_GFX_BUSY_ACC = 43, METRIC_ATTRS = 15 };

/* Types are of 1, 1, 2, 2, 4... bytes, without and with a sign */
static const u8 *next_metric(const u8 *at, struct metric *m)
{
	u64 what;

	memcpy(&what, at, 8);
	m->id = what >> 10 & 0x3ff;
	m->count = what & 0x3ff;
	m->bytes = 1u << (what >> 21 & 7);
	m->values = at + 8;
	return m->values + m->count * m->bytes;
}

/* How many values there are that are not all ones; *@first: the first */
static u32 values_of(const struct metric *m, u64 *first)
{
	u64 none = m->bytes == 8 ? ~0ull : (1ull << 8 * m->bytes) - 1, value;
	u32 i, n = 0;

	for (i = 0; i < m->count; i++) {
		value = 0;
		memcpy(&value, m->values + i * m->bytes, m->bytes);
		if (!i)
			*first = value;
		n += value != none;
	}
	return n;
}

static void check_metrics(long minor, u32 xccs, u32 decoders)
{
	static u8 table[4096];
	const u8 *at = table + 8;
	struct metric m;
	u64 first = 0;
	char path[96];
	ssize_t size;
	u32 seen = 0;
	int32_t attrs;
	int fd;

	snprintf(path, sizeof(path), "/sys/class/drm/renderD%ld/device/xcp/xcp_metrics", minor);
	fd = open(path, O_RDONLY);
	ASSERT_LE(0, fd);
	size = read(fd, table, sizeof(table));
	close(fd);
	ASSERT_EQ(size, table[0] | table[1] << 8);
	EXPECT_EQ(1, table[2]);
	EXPECT_EQ(1, table[3]);
	memcpy(&attrs, table + 4, 4);
	ASSERT_EQ(METRIC_ATTRS, attrs);
	while (attrs--) {
		ASSERT_LT(at, table + size);
		at = next_metric(at, &m);
		switch (m.id) {
		case METRIC_GFXCLK:
			EXPECT_EQ(xccs, values_of(&m, &first));
			EXPECT_LT(0, first);
			break;
		case METRIC_GFX_BUSY:
		case METRIC_GFX_BUSY_ACC:
			EXPECT_EQ(xccs, values_of(&m, &first));
			break;
		case METRIC_VCN_BUSY:
			EXPECT_EQ(decoders, values_of(&m, &first));
			EXPECT_EQ(0, first);
			break;
		case METRIC_ACCUMULATIONS:
			EXPECT_EQ(1, values_of(&m, &first));
			break;
		default:
			continue;
		}
		seen++;
	}
	EXPECT_EQ(5, seen);
	EXPECT_EQ(table + size, at);
}

/* Each partition has a table of its own XCCs and decoders. */
TEST_F(card, metrics_of_partitions)
{
	u32 ids[XCCS], i, k;

	if (!kernel_has(619))
		SKIP(return, "the driver of this kernel has no such file");
	for (i = 0; i < NUM_MODES; i++) {
		u32 parts = modes[i].parts;

		ASSERT_EQ(0, divide(self, modes[i].name));
		ASSERT_EQ(parts, nodes(self, ids));
		for (k = 0; k < parts; k++)
			check_metrics(rig_property(ids[k], "drm_render_minor"), XCCS / parts,
				      parts < 4 ? 4 / parts : 1);
	}
}

/* What a partition of a mode has, as xcp_config, which changes nothing, chooses it */
static const struct {
	const char *mode, *nps[2];		/* on gfx942, gfx950 */
	int xcc, dma, dec, dec_shared, jpeg;	/* JPEG decoders, not their rings */
} configs[] = {
	{ "SPX", { "NPS1\n", "NPS1\n" }, 8, 16, 4, 1, 4 },
	{ "DPX", { "NPS1\n", "NPS1, NPS2\n" }, 4, 8, 2, 1, 2 },
	{ "QPX", { "NPS1, NPS4\n", "NPS1, NPS2\n" }, 2, 4, 1, 1, 1 },
	{ "CPX", { "NPS1, NPS4\n", "NPS1, NPS2\n" }, 1, 2, 1, 2, 1 },
};

#define CONFIG(name)	"compute_partition_config/" name

static void check_number(const FIXTURE_DATA(card) *c, const char *name, int want)
{
	struct stat st;
	char t[16];

	snprintf(t, sizeof(t), "%d\n", want);
	EXPECT_STREQ(t, text(file(c, name)));
	ASSERT_EQ(0, stat(file(c, name), &st));
	EXPECT_EQ(0400u, st.st_mode & 07777);
}

TEST_F(card, configuration)
{
	u32 ids[XCCS], i, new;

	if (access(file(self, CONFIG("")), F_OK))
		SKIP(return, "this kernel's driver does not tell");
	ASSERT_EQ(1u, nodes(self, ids));
	new = rig_property(ids[0], "gfx_target_version") >= 90500;
	EXPECT_STREQ("SPX, DPX, QPX, CPX\n", text(file(self, CONFIG("supported_xcp_configs"))));
	for (i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		char mode[8];

		ASSERT_EQ(0, file_write(file(self, CONFIG("xcp_config")), configs[i].mode));
		snprintf(mode, sizeof(mode), "%s\n", configs[i].mode);
		EXPECT_STREQ(mode, text(file(self, CONFIG("xcp_config"))));
		EXPECT_STREQ(configs[i].nps[new],
			     text(file(self, CONFIG("supported_nps_configs"))));
		check_number(self, CONFIG("xcc/num_inst"), configs[i].xcc);
		check_number(self, CONFIG("xcc/num_shared"), 1);
		check_number(self, CONFIG("dma/num_inst"), configs[i].dma);
		check_number(self, CONFIG("dma/num_shared"), 1);
		check_number(self, CONFIG("dec/num_inst"), configs[i].dec);
		check_number(self, CONFIG("dec/num_shared"), configs[i].dec_shared);
		check_number(self, CONFIG("jpeg/num_inst"), configs[i].jpeg * (new ? 10 : 8));
		check_number(self, CONFIG("jpeg/num_shared"), configs[i].dec_shared);
	}
	EXPECT_EQ(EINVAL, file_write(file(self, CONFIG("xcp_config")), "TPX"));
	EXPECT_EQ(EINVAL, file_write(file(self, CONFIG("xcp_config")), "NPS1"));
	EXPECT_STREQ("CPX\n", text(file(self, CONFIG("xcp_config"))));
	EXPECT_STREQ("SPX\n", text(file(self, "current_compute_partition")));
	/* As in the driver, it goes its own way. */
	ASSERT_EQ(0, file_write(file(self, CONFIG("xcp_config")), "qpx and more"));
	ASSERT_EQ(0, divide(self, "DPX"));
	EXPECT_STREQ("QPX\n", text(file(self, CONFIG("xcp_config"))));
	check_number(self, CONFIG("xcc/num_inst"), 2);
	ASSERT_EQ(0, file_write(file(self, CONFIG("xcp_config")), "SPX"));
}

/* ------------------------------------------------------------------ kernels */

static void open_part(struct rig *r, u32 id)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/dri/renderD%ld", rig_property(id, "drm_render_minor"));
	fd = open(path, O_RDWR | O_CLOEXEC);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, rig_open_on(r, fd, id));
	ASSERT_EQ(0, rig_load(r));
}

struct part {
	struct rig r;
	struct rig_queue q;
	struct rig_mem out, far;
	struct rig_signal *s;
};

static void start_part(struct part *p)
{
	union rig_packet packet;
	struct rig_kernel k;
	u64 va;

	ASSERT_EQ(0, rig_queue_create(&p->r, RIG_RING, &p->q));
	ASSERT_EQ(0, rig_alloc(&p->r, VRAM, BYTES, &p->out));
	ASSERT_EQ(0, rig_alloc(&p->r, VRAM, BYTES, &p->far));
	memset(p->out.p, 0xff, BYTES);
	memset(p->far.p, 0, BYTES);
	ASSERT_EQ(0, rig_kernel(&p->r, "xcc_ids", &k));
	p->s = rig_signal(&p->r, 1);
	va = (uintptr_t)p->out.p;
	rig_dispatch_packet(&packet, &k, GROUPS, 64, rig_args(&p->r, &va, sizeof(va)), p->s);
	rig_submit(&p->q, &packet);
}

/* Groups go round the XCCs of a partition, and see no others. */
static void check_part(struct part *p, u32 first, u32 xccs)
{
	struct rig_sdma q = { 0 };
	u32 *out = p->out.p, seen = 0, i;

	ASSERT_TRUE(rig_wait(p->s, 0, RIG_LONG));
	for (i = 0; i < GROUPS; i++) {
		ASSERT_LT(out[i], XCCS);
		seen |= 1u << out[i];
	}
	ASSERT_EQ((1u << xccs) - 1, seen >> first);
	ASSERT_EQ(0u, seen & ((1u << first) - 1));
	ASSERT_EQ(0, rig_sdma_create(&p->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &q));
	rig_sdma_copy(&q, p->far.p, out, BYTES);
	ASSERT_TRUE(rig_sdma_run(&q));
	ASSERT_EQ(0, memcmp(p->far.p, out, BYTES));
	ASSERT_EQ(0, rig_sdma_destroy(&p->r, &q));
}

/* A partition has its own memory, and no more of it. */
static void check_room(struct part *p, u64 bytes)
{
	struct rig_mem m;

	ASSERT_EQ(-ENOMEM, rig_alloc(&p->r, VRAM, bytes, &m));
}

/* All partitions at once, in one process */
static void run_parts(struct peer *me, u64 arg)
{
	const FIXTURE_DATA(card) *c = (const void *)(uintptr_t)arg;
	static struct part parts[XCCS];
	u32 ids[XCCS], n = nodes(c, ids), i;

	ASSERT_GT(n, 0u);
	for (i = 0; i < n; i++)
		open_part(&parts[i].r, ids[i]);
	for (i = 0; i < n; i++)
		start_part(&parts[i]);
	for (i = 0; i < n; i++)
		check_part(&parts[i], i * (XCCS / n), XCCS / n);
	for (i = 0; i < n; i++)
		check_room(&parts[i], c->bytes / n);
	peer_go(me);
	peer_wait(me);
	/* queues and memory are the kernel's to take */
}

TEST_F(card, kernels_of_each_mode)
{
	struct peer p;
	u32 i;

	for (i = 0; i < NUM_MODES; i++) {
		ASSERT_EQ(0, divide(self, modes[i].name));
		peer_start(&p, run_parts, (uintptr_t)self);
		peer_wait(&p);
		/* while somebody uses it, it stays what it is */
		EXPECT_EQ(EBUSY, divide(self, modes[(i + 1) % NUM_MODES].name));
		EXPECT_EQ(0, divide(self, modes[i].name));
		check_nodes(self, modes[i].parts);
		peer_go(&p);
		peer_end(&p);
	}
}

static void hold_kfd(struct peer *me, u64 arg)
{
	int fd = open("/dev/kfd", O_RDWR);

	(void)arg;
	ASSERT_GE(fd, 0);
	peer_go(me);
	peer_wait(me);
}

/* To have opened /dev/kfd is enough; to have a render node open is not. */
TEST_F(card, busy)
{
	struct peer p;
	u32 ids[XCCS];
	char path[64];
	int fd;

	ASSERT_EQ(0, divide(self, "DPX"));
	peer_start(&p, hold_kfd, 0);
	peer_wait(&p);
	EXPECT_EQ(EBUSY, divide(self, "CPX"));
	check_nodes(self, 2);
	peer_go(&p);
	peer_end(&p);
	ASSERT_EQ(2u, nodes(self, ids));
	snprintf(path, sizeof(path), "/dev/dri/renderD%ld",
		 rig_property(ids[1], "drm_render_minor"));
	fd = open(path, O_RDWR);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, divide(self, "CPX"));
	check_nodes(self, 8);
	close(fd);
}

/* ---------------------------------------------------------------- bad input */

TEST_F(card, bad_text)
{
	static const char * const bad[] = {
		"TPX", "XPX", "SP", "S", "\n", " SPX", "1", "NPS1", "CP X",
	};
	u32 i;

	ASSERT_EQ(0, divide(self, "QPX"));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(EINVAL, divide(self, bad[i]));
	EXPECT_STREQ("QPX\n", text(file(self, "current_compute_partition")));
	check_nodes(self, 4);
	/* as the driver reads it */
	EXPECT_EQ(0, divide(self, "dpx\n"));
	EXPECT_EQ(0, divide(self, "DPX and more"));
	check_nodes(self, 2);
}

static void try_unprivileged(struct peer *me, u64 arg)
{
	(void)me;
	ASSERT_EQ(0, setuid(65534));
	ASSERT_EQ(EACCES, divide((const void *)(uintptr_t)arg, "CPX"));
}

TEST_F(card, only_root)
{
	struct peer p;

	peer_start(&p, try_unprivileged, (uintptr_t)self);
	peer_end(&p);
	check_nodes(self, 1);
}

static void try_to_open(struct peer *me, u64 arg)
{
	(void)me, (void)arg;
	ASSERT_LE(0, open("/dev/kfd", O_RDWR));
}

/* As nothing would wake it again: while a GPU sleeps nobody opens /dev/kfd. */
TEST_F(card, a_divided_card_is_not_sent_to_sleep)
{
	struct peer p;

	if (access(SUSPEND, W_OK))
		SKIP(return, "no debugfs");
	ASSERT_EQ(0, divide(self, "CPX"));
	EXPECT_EQ(ENODEV, file_write(SUSPEND, "1"));
	ASSERT_EQ(0, divide(self, "SPX"));
	peer_start(&p, try_to_open, 0);
	peer_end(&p);
	EXPECT_EQ(0, file_write(SUSPEND, "1"));
	EXPECT_EQ(0, file_write(SUSPEND, "0"));
}

/* ------------------------------------------------------------ unbind, memory */

static void rebind(const FIXTURE_DATA(card) *c)
{
	u32 ids[XCCS];
	glob_t g;

	ASSERT_EQ(0, file_write(DRIVER "/unbind", c->function));
	EXPECT_EQ(0u, nodes(c, ids));
	EXPECT_NE(0, access(file(c, "current_compute_partition"), F_OK));
	EXPECT_NE(0, glob("/sys/devices/platform/amdgpu_xcp_*", 0, NULL, &g));
	ASSERT_EQ(0, file_write(DRIVER "/bind", c->function));
}

/* A driver that is bound again starts with one partition. */
TEST_F(card, unbound_in_each_mode)
{
	u32 i;

	if (access(DRIVER, F_OK))
		SKIP(return, "no PCI driver");
	for (i = 0; i < NUM_MODES; i++) {
		ASSERT_EQ(0, divide(self, modes[i].name));
		rebind(self);
		check_nodes(self, 1);
	}
}

TEST_F(card, memory_modes)
{
	if (access(DRIVER, F_OK))
		SKIP(return, "no PCI driver");
	if (access(file(self, "available_memory_partition"), F_OK))
		SKIP(return, "this kernel's driver cannot change it");
	if (strcmp(text(file(self, "available_memory_partition")), "NPS1, NPS4\n"))
		SKIP(return, "not NPS4");
	EXPECT_EQ(EINVAL, file_write(file(self, "current_memory_partition"), "NPS2"));
	EXPECT_EQ(EINVAL, file_write(file(self, "current_memory_partition"), "4"));
	EXPECT_EQ(0, file_write(file(self, "current_memory_partition"), "NPS4"));
	/* not before a driver starts */
	EXPECT_STREQ("NPS1\n", text(file(self, "current_memory_partition")));
	rebind(self);
	EXPECT_STREQ("NPS4\n", text(file(self, "current_memory_partition")));
	EXPECT_STREQ("QPX, CPX\n", text(file(self, "available_compute_partition")));
	EXPECT_STREQ("CPX\n", text(file(self, "current_compute_partition")));
	EXPECT_STREQ("CPX\n", text(file(self, CONFIG("xcp_config"))));
	check_nodes(self, 8);
	EXPECT_EQ(EINVAL, divide(self, "SPX"));
	EXPECT_EQ(EINVAL, divide(self, "DPX"));
	EXPECT_EQ(0, divide(self, "QPX"));
	check_nodes(self, 4);
	EXPECT_EQ(0, file_write(file(self, "current_memory_partition"), "NPS1"));
	rebind(self);
	EXPECT_STREQ("NPS1\n", text(file(self, "current_memory_partition")));
	check_nodes(self, 1);
}

TEST_HARNESS_MAIN
