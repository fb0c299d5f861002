// SPDX-License-Identifier: MIT
/* What libdrm_amdgpu asks when it opens a node, and what it must not get. */
#include <dirent.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "drm_util.h"
#include "sysfs_util.h"

#define GB_ADDR_CONFIG	0x263e

FIXTURE(node) {
	int fd;
};

FIXTURE_SETUP(node)
{
	self->fd = drm_open();
}

FIXTURE_TEARDOWN(node)
{
	close(self->fd);
}

TEST_F(node, is_amdgpu_3)
{
	char name[32] = "", date[32] = "", desc[64] = "";
	struct drm_version v = {
		.name = name, .name_len = sizeof(name) - 1, .date = date,
		.date_len = sizeof(date) - 1, .desc = desc, .desc_len = sizeof(desc) - 1,
	};

	ASSERT_IOCTL(0, self->fd, DRM_IOCTL_VERSION, &v);
	EXPECT_STREQ("amdgpu", name);
	EXPECT_EQ(3, v.version_major);
	EXPECT_LT(0, v.version_minor);
}

TEST_F(node, char_device_and_card)
{
	char path[128];
	struct stat st;

	ASSERT_EQ(0, fstat(self->fd, &st));
	ASSERT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(226u, major(st.st_rdev));
	EXPECT_LE(128u, minor(st.st_rdev));
	snprintf(path, sizeof(path), "/sys/dev/char/226:%u/device/drm/card%u", minor(st.st_rdev),
		 minor(st.st_rdev) - 128);
	EXPECT_EQ(0, access(path, F_OK));
	snprintf(path, sizeof(path), "/dev/dri/card%u", minor(st.st_rdev) - 128);
	EXPECT_EQ(0, access(path, F_OK));
}

TEST_F(node, accel_working)
{
	uint32_t word = 0;

	EXPECT_EQ(0, drm_info(self->fd, AMDGPU_INFO_ACCEL_WORKING, &word, sizeof(word)));
	EXPECT_EQ(1u, word);
}

/* As amdgpu_drm.h numbers them */
static uint32_t family_of(long long gfx)
{
	return gfx < 100000 ? AMDGPU_FAMILY_AI : gfx < 110000 ? 143 : gfx < 110500 ? 145 :
	       gfx < 120000 ? 150 : 152;
}

TEST_F(node, dev_info_agrees_with_topology)
{
	struct drm_amdgpu_info_device d = { 0 };
	int i, j, cus = 0, n = gpu_node(0);

	ASSERT_EQ(0, drm_info(self->fd, AMDGPU_INFO_DEV_INFO, &d, sizeof(d)));
	EXPECT_EQ(node_prop(n, "device_id"), (long long)d.device_id);
	EXPECT_EQ(node_prop(n, "simd_count") / node_prop(n, "simd_per_cu"),
		  (long long)d.cu_active_number);
	EXPECT_EQ(node_prop(n, "max_engine_clk_fcompute") * 1000, (long long)d.max_engine_clock);
	EXPECT_EQ(node_prop(n, "wave_front_size"), (long long)d.wave_front_size);
	EXPECT_EQ(100000u, d.gpu_counter_freq);
	EXPECT_EQ(family_of(node_prop(n, "gfx_target_version")), d.family);
	EXPECT_EQ(1ull << 47, d.virtual_address_max);
	for (i = 0; i < 4; i++)
		for (j = 0; j < 4; j++)
			cus += __builtin_popcount(d.cu_bitmap[i][j]);
	/* The bitmap shows the first of several XCCs. */
	ASSERT_LT(0, cus);
	EXPECT_EQ(0u, d.cu_active_number % cus);
}

/* Old and new libdrm ask for different sizes: the shorter of the two is copied. */
TEST_F(node, answers_are_cut_to_the_buffer)
{
	unsigned char buf[512];

	memset(buf, 0x5a, sizeof(buf));
	ASSERT_EQ(0, drm_info(self->fd, AMDGPU_INFO_DEV_INFO, buf, 368));
	EXPECT_EQ(0x5a, buf[368]);
	memset(buf, 0x5a, sizeof(buf));
	ASSERT_EQ(0, drm_info(self->fd, AMDGPU_INFO_DEV_INFO, buf, sizeof(buf)));
	EXPECT_NE(0x5a, buf[439]);
	EXPECT_EQ(0x5a, buf[440]);
	memset(buf, 0x5a, sizeof(buf));
	ASSERT_EQ(0, drm_info(self->fd, AMDGPU_INFO_DEV_INFO, buf, 1));
	EXPECT_NE(0x5a, buf[0]);
	EXPECT_EQ(0x5a, buf[1]);
}

TEST_F(node, registers)
{
	struct drm_amdgpu_info in = {
		.read_mmr_reg = { .dword_offset = GB_ADDR_CONFIG, .count = 1, .instance = ~0u },
	};
	uint32_t word = 0, many[256];

	EXPECT_EQ(0, drm_info_get(self->fd, &in, AMDGPU_INFO_READ_MMR_REG, &word, sizeof(word)));
	EXPECT_NE(0u, word);
	in.read_mmr_reg.count = 0;
	EXPECT_EQ(EINVAL, drm_info_get(self->fd, &in, AMDGPU_INFO_READ_MMR_REG, many, 1024));
	in.read_mmr_reg.count = 129;
	EXPECT_EQ(EINVAL, drm_info_get(self->fd, &in, AMDGPU_INFO_READ_MMR_REG, many, 1024));
	in.read_mmr_reg.count = ~0u;
	EXPECT_EQ(EINVAL, drm_info_get(self->fd, &in, AMDGPU_INFO_READ_MMR_REG, many, 1024));
	in.read_mmr_reg.count = 2;
	EXPECT_EQ(EFAULT, drm_info_get(self->fd, &in, AMDGPU_INFO_READ_MMR_REG, many, 1024));
	in.read_mmr_reg.dword_offset = 0;
	EXPECT_EQ(EFAULT, drm_info_get(self->fd, &in, AMDGPU_INFO_READ_MMR_REG, many, 1024));
}

static bool is_apu(int fd)
{
	struct drm_amdgpu_info_device d = { 0 };

	ASSERT_EQ(0, drm_info(fd, AMDGPU_INFO_DEV_INFO, &d, sizeof(d)));
	return d.ids_flags & AMDGPU_IDS_FLAGS_FUSION;
}

/* What KFD gives out is GTT; VRAM is what firmware has cut off. */
TEST_F(node, memory_of_an_apu)
{
	struct drm_amdgpu_memory_info m = { 0 }, after = { 0 };
	long long bank;
	char path[128];
	uint32_t handle;

	EXPECT_EQ(node_prop(gpu_node(0), "gfx_target_version") == 110501, is_apu(self->fd));
	if (!is_apu(self->fd))
		SKIP(return, "it is a card");
	snprintf(path, sizeof(path), NODES "/%d/mem_banks/0/properties", gpu_node(0));
	bank = prop_get(path, "size_in_bytes");
	ASSERT_EQ(0, drm_info(self->fd, AMDGPU_INFO_MEMORY, &m, sizeof(m)));
	EXPECT_EQ(bank, (long long)m.gtt.total_heap_size);
	EXPECT_LT(0ull, m.vram.total_heap_size);
	EXPECT_LT(m.vram.total_heap_size, m.gtt.total_heap_size);
	ASSERT_EQ(0, gem_create(self->fd, 5 * PAGE, AMDGPU_GEM_DOMAIN_VRAM, 0, &handle));
	ASSERT_EQ(0, drm_info(self->fd, AMDGPU_INFO_MEMORY, &after, sizeof(after)));
	EXPECT_EQ(m.gtt.heap_usage + 5 * PAGE, after.gtt.heap_usage);
	EXPECT_EQ(m.vram.heap_usage, after.vram.heap_usage);
	EXPECT_EQ(0, gem_close(self->fd, handle));
}

TEST_F(node, memory_is_what_is_there)
{
	struct drm_amdgpu_memory_info m = { 0 };
	struct drm_amdgpu_info_vram_gtt g = { 0 };
	uint64_t before = vram_used(self->fd);
	uint32_t handle;

	if (is_apu(self->fd))
		SKIP(return, "of an APU it is GTT");
	ASSERT_EQ(0, drm_info(self->fd, AMDGPU_INFO_VRAM_GTT, &g, sizeof(g)));
	ASSERT_EQ(0, gem_create(self->fd, 5 * PAGE - 1, AMDGPU_GEM_DOMAIN_VRAM, 0, &handle));
	ASSERT_EQ(0, drm_info(self->fd, AMDGPU_INFO_MEMORY, &m, sizeof(m)));
	EXPECT_EQ(g.vram_size, m.vram.total_heap_size);
	EXPECT_EQ(g.gtt_size, m.gtt.total_heap_size);
	EXPECT_EQ(before + 5 * PAGE, m.vram.heap_usage);
	EXPECT_EQ(before + 5 * PAGE, m.cpu_accessible_vram.heap_usage);
	EXPECT_EQ(0, gem_close(self->fd, handle));
	EXPECT_EQ(before, vram_used(self->fd));
}

TEST_F(node, firmware)
{
	struct drm_amdgpu_info_firmware fw = { 0 };
	struct drm_amdgpu_info in = { .query_fw = { .fw_type = AMDGPU_INFO_FW_GFX_MEC } };

	ASSERT_EQ(0, drm_info_get(self->fd, &in, AMDGPU_INFO_FW_VERSION, &fw, sizeof(fw)));
	EXPECT_EQ(node_prop(gpu_node(0), "fw_version"), (long long)fw.ver);
	in.query_fw.index = 2;
	EXPECT_EQ(EINVAL, drm_info_get(self->fd, &in, AMDGPU_INFO_FW_VERSION, &fw, sizeof(fw)));
	in.query_fw.index = 0;
	in.query_fw.fw_type = 0xffff;
	EXPECT_EQ(EINVAL, drm_info_get(self->fd, &in, AMDGPU_INFO_FW_VERSION, &fw, sizeof(fw)));
}

/* What drm_cs submits to; nothing for graphics or video. */
TEST_F(node, rings)
{
	struct drm_amdgpu_info in = { .query_hw_ip = { .type = AMDGPU_HW_IP_COMPUTE } };
	struct drm_amdgpu_info_hw_ip ip;
	uint32_t count, dma = node_prop(gpu_node(0), "num_sdma_engines") > 1 ? 3 : 1;

	for (; in.query_hw_ip.type < AMDGPU_HW_IP_NUM; in.query_hw_ip.type++) {
		bool there = in.query_hw_ip.type <= AMDGPU_HW_IP_DMA;

		memset(&ip, 0, sizeof(ip));
		count = 7;
		EXPECT_EQ(0, drm_info_get(self->fd, &in, AMDGPU_INFO_HW_IP_COUNT, &count, 4));
		EXPECT_EQ(there ? 1u : 0u, count);
		EXPECT_EQ(0, drm_info_get(self->fd, &in, AMDGPU_INFO_HW_IP_INFO, &ip, sizeof(ip)));
		EXPECT_EQ(there ? (in.query_hw_ip.type == AMDGPU_HW_IP_DMA ? dma : 15u) : 0u,
			  ip.available_rings);
		EXPECT_EQ(there, !!ip.hw_ip_version_major);
		EXPECT_EQ(ip.hw_ip_version_major, ip.ip_discovery_version >> 16);
	}
	in.query_hw_ip.type = AMDGPU_HW_IP_GFX;
	EXPECT_EQ(0, drm_info_get(self->fd, &in, AMDGPU_INFO_HW_IP_INFO, &ip, sizeof(ip)));
	EXPECT_EQ(0u, ip.available_rings);
	in.query_hw_ip.type = AMDGPU_HW_IP_NUM;
	EXPECT_EQ(EINVAL, drm_info_get(self->fd, &in, AMDGPU_INFO_HW_IP_COUNT, &count, 4));
	EXPECT_EQ(EINVAL, drm_info_get(self->fd, &in, AMDGPU_INFO_HW_IP_INFO, &ip, sizeof(ip)));
}

TEST_F(node, timestamp_advances)
{
	uint64_t a = 0, b = 0;

	ASSERT_EQ(0, drm_info(self->fd, AMDGPU_INFO_TIMESTAMP, &a, sizeof(a)));
	usleep(1000);
	ASSERT_EQ(0, drm_info(self->fd, AMDGPU_INFO_TIMESTAMP, &b, sizeof(b)));
	EXPECT_LT(a, b);
}

/* As hwmon has them; a GPU at rest has its lowest clock and is not hot. */
TEST_F(node, sensors_agree_with_sysfs)
{
	static const struct {
		uint32_t type;
		const char *file;
		long long unit;
	} rows[] = {
		{ AMDGPU_INFO_SENSOR_GFX_SCLK,		"freq1_input", 1000000 },
		{ AMDGPU_INFO_SENSOR_GFX_MCLK,		"freq2_input", 1000000 },
		{ AMDGPU_INFO_SENSOR_GPU_TEMP,		"temp1_input", 1 },
		{ AMDGPU_INFO_SENSOR_GPU_AVG_POWER,	"power1_average", 1000000 },
		{ AMDGPU_INFO_SENSOR_VDDGFX,		"in0_input", 1 },
	};
	static const uint32_t none[] = { 0, AMDGPU_INFO_SENSOR_VDDNB, 0x100, ~0u };
	struct drm_amdgpu_info in = { 0 };
	char pattern[256];
	uint32_t word;
	glob_t g;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(pattern, sizeof(pattern), DEVICE "/hwmon/hwmon*/%s", rows[i].file);
		if (glob(pattern, 0, NULL, &g))
			SKIP(return, "no hwmon");
		in.sensor_info.type = rows[i].type;
		word = 0;
		EXPECT_EQ(0, drm_info_get(self->fd, &in, AMDGPU_INFO_SENSOR, &word, sizeof(word)));
		EXPECT_EQ(file_number(g.gl_pathv[0]) / rows[i].unit, word);
		globfree(&g);
	}
	in.sensor_info.type = AMDGPU_INFO_SENSOR_GPU_LOAD;
	EXPECT_EQ(0, drm_info_get(self->fd, &in, AMDGPU_INFO_SENSOR, &word, sizeof(word)));
	EXPECT_GE(100u, word);
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		in.sensor_info.type = none[i];
		EXPECT_EQ(EINVAL, drm_info_get(self->fd, &in, AMDGPU_INFO_SENSOR, &word, 4));
	}
}

TEST_F(node, stable_clocks_are_those_of_the_standard_profile)
{
	static const char level[] = DEVICE "/power_dpm_force_performance_level";
	struct drm_amdgpu_info in = { 0 };
	uint32_t stable, now;
	int i;

	if (access(level, W_OK))
		SKIP(return, "not allowed to set the level");
	ASSERT_EQ(0, file_write(level, "profile_standard"));
	for (i = 0; i < 2; i++) {
		in.sensor_info.type = i + AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_SCLK;
		EXPECT_EQ(0, drm_info_get(self->fd, &in, AMDGPU_INFO_SENSOR, &stable, 4));
		in.sensor_info.type = i + AMDGPU_INFO_SENSOR_GFX_SCLK;
		EXPECT_EQ(0, drm_info_get(self->fd, &in, AMDGPU_INFO_SENSOR, &now, 4));
		EXPECT_EQ(now, stable);
	}
	EXPECT_EQ(0, file_write(level, "auto"));
}

TEST_F(node, vbios_is_a_name_without_an_image)
{
	struct drm_amdgpu_info_vbios vbios = { .version = 1 };
	struct drm_amdgpu_info in = { 0 };
	uint32_t size = 1;
	char pn[80] = "";
	unsigned int v[3];

	in.vbios_info.type = AMDGPU_INFO_VBIOS_SIZE;
	EXPECT_EQ(0, drm_info_get(self->fd, &in, AMDGPU_INFO_VBIOS, &size, sizeof(size)));
	EXPECT_EQ(0u, size);
	in.vbios_info.type = AMDGPU_INFO_VBIOS_INFO;
	EXPECT_EQ(0, drm_info_get(self->fd, &in, AMDGPU_INFO_VBIOS, &vbios, sizeof(vbios)));
	EXPECT_EQ(0u, vbios.version);
	ASSERT_LT(0, file_read(DEVICE "/vbios_version", pn, sizeof(pn)));
	pn[strcspn(pn, "\n")] = '\0';
	EXPECT_STREQ(pn, (char *)vbios.vbios_pn);
	ASSERT_LT(0, file_read("/sys/module/vkfd/version", pn, sizeof(pn)));
	ASSERT_EQ(3, sscanf(pn, "%u.%u.%u", &v[0], &v[1], &v[2]));
	snprintf(pn, sizeof(pn), "%03u.%03u.%03u.000.000000", v[0], v[1], v[2]);
	EXPECT_STREQ(pn, (char *)vbios.vbios_ver_str);
	EXPECT_STREQ("2026/11/01 00:00", (char *)vbios.date);
	in.vbios_info.type = AMDGPU_INFO_VBIOS_IMAGE;
	EXPECT_EQ(EINVAL, drm_info_get(self->fd, &in, AMDGPU_INFO_VBIOS, &size, sizeof(size)));
}

TEST_F(node, info_bad)
{
	uint32_t word, i;
	static const uint32_t unknown[] = { 0x1a, 0x1c, 0x21, 0x100, ~0u };

	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		EXPECT_EQ(EINVAL, drm_info(self->fd, unknown[i], &word, sizeof(word)));
	EXPECT_EQ(EINVAL, drm_info(self->fd, AMDGPU_INFO_ACCEL_WORKING, &word, 0));
	EXPECT_EQ(EINVAL, drm_info(self->fd, AMDGPU_INFO_ACCEL_WORKING, NULL, 4));
	EXPECT_EQ(EFAULT, drm_info(self->fd, AMDGPU_INFO_ACCEL_WORKING, (void *)BAD_PTR, 4));
	EXPECT_EQ(EFAULT, drm_info(self->fd, AMDGPU_INFO_DEV_INFO, (void *)(1ul << 63), 4));
}

TEST_F(node, counters_of_what_does_not_happen)
{
	struct drm_amdgpu_info_gds gds;
	uint32_t lost = 1;

	EXPECT_EQ(0, drm_info(self->fd, AMDGPU_INFO_VRAM_LOST_COUNTER, &lost, sizeof(lost)));
	EXPECT_EQ(0u, lost);
	EXPECT_EQ(0, drm_info(self->fd, AMDGPU_INFO_GDS_CONFIG, &gds, sizeof(gds)));
	EXPECT_EQ(0u, gds.gds_total_size);
}

/* Between, just behind and far behind the rows of the table; 0x19 is GEM_LIST_HANDLES. */
TEST_F(node, what_is_not_there_is_einval)
{
	static const unsigned int nr[] = { 0x0a, 0x0f, 0x19, 0x1a, 0x5f };
	char arg[256] = { 0 };
	unsigned int i;

	for (i = 0; i < sizeof(nr) / sizeof(nr[0]); i++)
		EXPECT_IOCTL(EINVAL, self->fd, DRM_IOWR(DRM_COMMAND_BASE + nr[i], char[64]), arg);
}

TEST_HARNESS_MAIN
