// SPDX-License-Identifier: MIT
/* What rocm-smi reads below the device, in the formats of amdgpu. */
#include "drm_util.h"
#include "sysfs_util.h"

static const char LEVEL[] = "power_dpm_force_performance_level";

static char *dev_text(const char *name, char *buf, size_t bytes)
{
	if (file_read(dev_path(name), buf, bytes) < 0)
		buf[0] = '\0';
	return buf;
}

/* Lines "N: FREQMhz [*]", ascending; the current clock, or -1. */
static long long clock_now(const char *name, unsigned int *levels)
{
	unsigned int level, mhz, last = 0, n = 0;
	char buf[1024], *line, *rest = buf;
	long long now = -1;

	dev_text(name, buf, sizeof(buf));
	while ((line = strsep(&rest, "\n")) && *line) {
		ASSERT_EQ(2, sscanf(line, "%u: %uMhz", &level, &mhz));
		EXPECT_EQ(n, level);
		EXPECT_LT(last, mhz);
		last = mhz;
		n++;
		if (strchr(line, '*')) {
			EXPECT_EQ(-1ll, now);
			now = mhz;
		}
	}
	*levels = n;
	return now;
}

TEST(identity)
{
	int node = gpu_node(0);
	char buf[128], want[32];

	ASSERT_GE(node, 0);
	EXPECT_NE(0, *dev_text("vbios_version", buf, sizeof(buf)));
	EXPECT_NE(0, *dev_text("product_name", buf, sizeof(buf)));
	EXPECT_NE(0, *dev_text("serial_number", buf, sizeof(buf)));
	snprintf(want, sizeof(want), "%016llx\n", node_prop(node, "unique_id"));
	EXPECT_STREQ(want, dev_text("unique_id", buf, sizeof(buf)));
	snprintf(want, sizeof(want), "0x%08llx\n", node_prop(node, "fw_version"));
	EXPECT_STREQ(want, dev_text("fw_version/mec_fw_version", buf, sizeof(buf)));
	snprintf(want, sizeof(want), "0x%08llx\n", node_prop(node, "sdma_fw_version"));
	EXPECT_STREQ(want, dev_text("fw_version/sdma_fw_version", buf, sizeof(buf)));
}

TEST(memory)
{
	struct drm_amdgpu_info_vram_gtt g = { 0 };
	int fd = drm_open();

	ASSERT_EQ(0, drm_info(fd, AMDGPU_INFO_VRAM_GTT, &g, sizeof(g)));
	EXPECT_EQ((long long)g.vram_size, dev_number("mem_info_vram_total"));
	EXPECT_EQ((long long)g.vram_size, dev_number("mem_info_vis_vram_total"));
	EXPECT_EQ((long long)g.gtt_size, dev_number("mem_info_gtt_total"));
	close(fd);
}

TEST(gtt_used)
{
	long long before = dev_number("mem_info_gtt_used");
	int fd = drm_open();
	uint32_t handle;

	ASSERT_EQ(0, gem_create(fd, 3 * PAGE, AMDGPU_GEM_DOMAIN_GTT, 0, &handle));
	EXPECT_EQ(before + (long long)(3 * PAGE), dev_number("mem_info_gtt_used"));
	EXPECT_EQ(0, gem_close(fd, handle));
	EXPECT_EQ(before, dev_number("mem_info_gtt_used"));
	close(fd);
}

TEST(clocks)
{
	static const char * const names[] = {
		"pp_dpm_sclk", "pp_dpm_mclk", "pp_dpm_socclk", "pp_dpm_fclk",
	};
	unsigned int i, n;

	/* So that they do not follow what ran before. */
	ASSERT_EQ(0, file_write(dev_path(LEVEL), "low"));
	for (i = 0; i < 4; i++) {
		EXPECT_LT(0ll, clock_now(names[i], &n));
		/* MI100 has one level of all but the first. */
		EXPECT_LE(i ? 1u : 2u, n);
	}
	EXPECT_EQ(clock_now("pp_dpm_sclk", &n) * 1000000, hwmon_number("freq1_input"));
	EXPECT_EQ(clock_now("pp_dpm_mclk", &n) * 1000000, hwmon_number("freq2_input"));
	EXPECT_EQ(0, file_write(dev_path(LEVEL), "auto"));
}

TEST(performance_level)
{
	static const char * const good[] = {
		"low", "high", "manual", "profile_standard", "profile_min_sclk",
		"profile_min_mclk", "profile_peak", "auto",
	};
	static const char * const bad[] = { "", "fast", "profile", "profile_exit", "unknown" };
	char buf[64], want[64];
	unsigned int i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		EXPECT_EQ(0, file_write(dev_path(LEVEL), good[i]));
		snprintf(want, sizeof(want), "%s\n", good[i]);
		EXPECT_STREQ(want, dev_text(LEVEL, buf, sizeof(buf)));
	}
	for (i = 1; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(EINVAL, file_write(dev_path(LEVEL), bad[i]));
		EXPECT_STREQ("auto\n", dev_text(LEVEL, buf, sizeof(buf)));
	}
	/* A profile is left for what was before it. */
	EXPECT_EQ(0, file_write(dev_path(LEVEL), "high"));
	EXPECT_EQ(0, file_write(dev_path(LEVEL), "profile_peak"));
	EXPECT_EQ(0, file_write(dev_path(LEVEL), "profile_exit"));
	EXPECT_STREQ("high\n", dev_text(LEVEL, buf, sizeof(buf)));
	EXPECT_EQ(0, file_write(dev_path(LEVEL), "auto"));
}

TEST(level_sets_clocks)
{
	long long low, high;
	unsigned int n;

	ASSERT_EQ(0, file_write(dev_path(LEVEL), "low"));
	low = clock_now("pp_dpm_sclk", &n);
	ASSERT_EQ(0, file_write(dev_path(LEVEL), "high"));
	high = clock_now("pp_dpm_sclk", &n);
	EXPECT_LT(low, high);
	EXPECT_EQ(node_prop(gpu_node(0), "max_engine_clk_fcompute"), high);
	EXPECT_EQ(0, file_write(dev_path(LEVEL), "auto"));
}

/* Levels are chosen in manual mode only. */
TEST(clock_masks)
{
	long long high, now;
	unsigned int n;

	ASSERT_EQ(0, file_write(dev_path(LEVEL), "high"));
	high = clock_now("pp_dpm_sclk", &n);
	EXPECT_EQ(EINVAL, file_write(dev_path("pp_dpm_sclk"), "1"));
	ASSERT_EQ(0, file_write(dev_path(LEVEL), "manual"));
	EXPECT_EQ(EINVAL, file_write(dev_path("pp_dpm_sclk"), "16 17"));
	EXPECT_EQ(EINVAL, file_write(dev_path("pp_dpm_sclk"), "32"));
	EXPECT_EQ(EINVAL, file_write(dev_path("pp_dpm_sclk"), "-1"));
	EXPECT_EQ(EINVAL, file_write(dev_path("pp_dpm_sclk"), "one"));
	EXPECT_EQ(EINVAL, file_write(dev_path("pp_dpm_sclk"), "\n"));
	EXPECT_EQ(0, file_write(dev_path("pp_dpm_sclk"), "1\n"));
	now = clock_now("pp_dpm_sclk", &n);
	EXPECT_TRUE(n > 2 || now == high);
	EXPECT_EQ(EINVAL, file_write(dev_path("pp_dpm_pcie"), "1"));
	EXPECT_EQ(EINVAL, file_write(dev_path("pp_sclk_od"), "5"));
	EXPECT_EQ(0, file_write(dev_path(LEVEL), "auto"));
}

/* MI210 and later: clocks from the lowest level to the highest, not to be moved. */
TEST(clock_range)
{
	long long version = node_prop(gpu_node(0), "gfx_target_version");
	bool has = version >= 90010 && version < 100000;
	unsigned int lo = 0, hi = 0, n = 0;
	char text[512], head[16] = "";

	ASSERT_LT(0ll, version);
	EXPECT_EQ(has ? 0 : -1, access(dev_path("pp_od_clk_voltage"), R_OK));
	if (!has)
		return;
	ASSERT_EQ(0, file_write(dev_path(LEVEL), "low"));
	dev_text("pp_od_clk_voltage", text, sizeof(text));
	while (strchr(text, '*'))
		*strchr(text, '*') = ' ';
	ASSERT_EQ(3, sscanf(text, "%15s 0: %uMhz 1: %uMhz", head, &lo, &hi));
	EXPECT_TRUE(!strcmp(head, "GFXCLK:") || !strcmp(head, "OD_SCLK:"));
	EXPECT_EQ((long long)lo, clock_now("pp_dpm_sclk", &n));
	EXPECT_EQ((long long)hi, node_prop(gpu_node(0), "max_engine_clk_fcompute"));
	EXPECT_NE(NULL, strstr(text, strcmp(head, "GFXCLK:") ? "\nOD_MCLK:\n0: " : "\nMCLK:\n0: "));
	EXPECT_EQ(EINVAL, file_write(dev_path("pp_od_clk_voltage"), "s 1 1000"));
	EXPECT_EQ(0, file_write(dev_path(LEVEL), "auto"));
}

TEST(power_cap)
{
	char text[32];
	long long max;

	EXPECT_EQ(0ll, hwmon_number("power1_cap_min"));
	max = hwmon_number("power1_cap_max");
	ASSERT_LT(0ll, max);
	EXPECT_EQ(hwmon_number("power1_cap_default"), hwmon_number("power1_cap"));
	snprintf(text, sizeof(text), "%lld", max + 1000000);
	EXPECT_EQ(EINVAL, file_write(hwmon_path("power1_cap"), text));
	EXPECT_EQ(EINVAL, file_write(hwmon_path("power1_cap"), "much"));
	EXPECT_EQ(0, file_write(hwmon_path("power1_cap"), "100000000"));
	EXPECT_EQ(100000000ll, hwmon_number("power1_cap"));
	snprintf(text, sizeof(text), "%lld", hwmon_number("power1_cap_default"));
	EXPECT_EQ(0, file_write(hwmon_path("power1_cap"), text));
	EXPECT_EQ(atoll(text), hwmon_number("power1_cap"));
}

TEST(temperatures)
{
	static const char * const labels[] = { "edge\n", "junction\n", "mem\n" };
	char name[32], buf[32];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "temp%u_label", i + 1);
		ASSERT_LT(0, file_read(hwmon_path(name), buf, sizeof(buf)));
		EXPECT_STREQ(labels[i], buf);
		snprintf(name, sizeof(name), "temp%u_input", i + 1);
		EXPECT_LT(20000ll, hwmon_number(name));
		snprintf(name, sizeof(name), "temp%u_crit", i + 1);
		EXPECT_LT(90000ll, hwmon_number(name));
		snprintf(name, sizeof(name), "temp%u_emergency", i + 1);
		EXPECT_LT(90000ll, hwmon_number(name));
	}
	ASSERT_LT(0, file_read(hwmon_path("name"), buf, sizeof(buf)));
	EXPECT_STREQ("amdgpu\n", buf);
}

TEST(metrics)
{
	struct metrics_v1_3 m = { 0 };
	size_t n;

	ASSERT_TRUE(comes_to_rest());
	n = metrics_read(&m, sizeof(m));
	ASSERT_LE(80u, n);
	EXPECT_EQ(n, m.bytes);
	if (m.format != 1)
		SKIP(return, "an APU");
	EXPECT_TRUE((m.content == 3 && n == 120) || (m.content == 0 && n == 80));
	if (m.content != 3)
		return;
	EXPECT_EQ(hwmon_number("temp1_input") / 1000, (long long)m.edge);
	EXPECT_EQ(hwmon_number("freq1_input") / 1000000, (long long)m.current[0]);
	EXPECT_EQ(hwmon_number("power1_average") / 1000000, (long long)m.socket_power);
	EXPECT_EQ(hwmon_number("in0_input"), (long long)m.voltage_gfx);
	/* All ones: not known, where the GPU is no PCI function */
	if (access(dev_path("current_link_width"), F_OK)) {
		EXPECT_EQ(0xffff, m.pcie_link_width);
	} else {
		EXPECT_EQ(16, m.pcie_link_width);
		EXPECT_LE(160, m.pcie_link_speed);
	}
	EXPECT_EQ(0u, m.throttle_status);
}

TEST(metrics_of_an_apu)
{
	struct metrics_v3_0 m = { 0 };
	unsigned int levels, i;

	ASSERT_TRUE(comes_to_rest());
	metrics_read(&m, sizeof(m));
	if (m.format == 1)
		SKIP(return, "a card");
	EXPECT_EQ(3, m.format);
	EXPECT_EQ(0, m.content);
	EXPECT_EQ(sizeof(m), m.bytes);
	EXPECT_EQ(hwmon_number("temp1_input") / 10, (long long)m.gfx);
	EXPECT_EQ(hwmon_number("freq1_input") / 1000000, (long long)m.gfxclk);
	EXPECT_EQ(hwmon_number("power1_average") / 1000, (long long)m.socket_power);
	EXPECT_EQ(clock_now("pp_dpm_mclk", &levels), (long long)m.uclk);
	EXPECT_EQ(clock_now("pp_dpm_fclk", &levels), (long long)m.fclk);
	EXPECT_EQ(0, m.gfx_activity);
	EXPECT_LE(m.gfxclk, m.gfx_max);
	/* Nobody knows the CPU's cores here. */
	for (i = 0; i < 16; i++)
		EXPECT_EQ(0xffff, m.core[i] & m.core_power[i] & m.coreclk[i]);
}

/* No fan, no hive: no file that says there were. */
TEST(absent)
{
	static const char * const names[] = {
		"xgmi_error", "xgmi_device_id", "df_cntr_avail",
	};
	unsigned int i;

	EXPECT_EQ(0, access(DEVICE "/gpu_metrics", F_OK));
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		EXPECT_NE(0, access(dev_path(names[i]), F_OK));
	EXPECT_NE(0, access(hwmon_path("fan1_input"), F_OK));
	EXPECT_NE(0, access(hwmon_path("pwm1"), F_OK));
}

/* Major * 100 + minor of the kernel, whose driver decides which files there are. */
static int kernel(void)
{
	unsigned int major = 0, minor = 0;
	char text[64];

	ASSERT_LT(0, file_read("/proc/sys/kernel/osrelease", text, sizeof(text)));
	ASSERT_EQ(2, sscanf(text, "%u.%u", &major, &minor));
	return major * 100 + minor;
}

static bool exists(const char *name)
{
	return !access(dev_path(name), F_OK);
}

/* Where memory has ECC (the topology's capability, bit 20), and only there. */
TEST(ras)
{
	static const char * const old[] = {
		"umc", "sdma", "gfx", "mmhub", "pcie_bif", "hdp",
	};
	long long version = node_prop(gpu_node(0), "gfx_target_version");
	bool ecc = node_prop(gpu_node(0), "capability") & 1 << 20, aca = version >= 90400;
	struct drm_amdgpu_info in = { 0 };
	unsigned int i, mask = 0;
	char name[64], text[256];
	uint64_t enabled = 0;
	int fd = drm_open();

	EXPECT_EQ(ecc, exists("ras"));
	EXPECT_EQ(ecc ? 0 : EINVAL, drm_info_get(fd, &in, AMDGPU_INFO_RAS_ENABLED_FEATURES,
						 &enabled, sizeof(enabled)));
	close(fd);
	if (!ecc)
		return;
	ASSERT_EQ(1, sscanf(dev_text("ras/features", text, sizeof(text)), "feature mask: 0x%x",
			    &mask));
	EXPECT_EQ(0x7u, mask & 0x7);
	EXPECT_EQ((uint64_t)mask << 32 | mask, enabled);
	for (i = 0; i < sizeof(old) / sizeof(old[0]); i++) {
		snprintf(name, sizeof(name), "ras/%s_err_count", old[i]);
		EXPECT_EQ(!aca, exists(name));
		snprintf(name, sizeof(name), aca ? "ras/aca_%s" : "ras/%s_err_count", old[i]);
		if (aca && i >= 4) {
			EXPECT_FALSE(exists(name));
			continue;
		}
		dev_text(name, text, sizeof(text));
		EXPECT_STREQ(kernel() >= 610 && (aca || !i) ? "ue: 0\nce: 0\nde: 0\n" :
			     "ue: 0\nce: 0\n", text);
	}
	EXPECT_TRUE(exists("ras/gpu_vram_bad_pages"));
	EXPECT_STREQ("", dev_text("ras/gpu_vram_bad_pages", text, sizeof(text)));
	EXPECT_EQ(kernel() >= 607, exists("ras/schema"));
	if (kernel() < 607)
		return;
	EXPECT_STREQ("schema: 0x8\n", dev_text("ras/schema", text, sizeof(text)));
	EXPECT_EQ(0, strncmp(dev_text("ras/version", text, sizeof(text)), "table version: 0x", 17));
}

/* From MI300 on: GFX9.4.3 and later of that generation */
static bool accelerator_module(void)
{
	long long version = node_prop(gpu_node(0), "gfx_target_version");

	return version >= 90400 && version < 100000;
}

/* The board, and how it is divided (queue_partition has the rest). */
TEST(board)
{
	bool xcps = accelerator_module();
	char text[64];

	EXPECT_STREQ("0\n", dev_text("mem_info_preempt_used", text, sizeof(text)));
	EXPECT_STREQ("performance\n", dev_text("power_dpm_state", text, sizeof(text)));
	EXPECT_EQ(0, file_write(dev_path("power_dpm_state"), "balanced"));
	EXPECT_EQ(EINVAL, file_write(dev_path("power_dpm_state"), "eager"));
	EXPECT_EQ(0, strncmp(dev_text("pp_num_states", text, sizeof(text)), "states: ", 8));
	EXPECT_EQ(kernel() >= 608, exists("manufacturer"));
	EXPECT_EQ(kernel() >= 608, exists("fru_id"));
	EXPECT_EQ(kernel() >= 609, exists("board_info"));
	if (kernel() >= 609)
		EXPECT_STREQ(xcps ? "type : oam\n" : "type : cem\n",
			     dev_text("board_info", text, sizeof(text)));
	EXPECT_EQ(kernel() >= 612, exists("enforce_isolation"));
	if (kernel() >= 612) {
		EXPECT_STREQ("0\n", dev_text("enforce_isolation", text, sizeof(text)));
		EXPECT_EQ(0, file_write(dev_path("enforce_isolation"), "0"));
		EXPECT_EQ(EINVAL, file_write(dev_path("enforce_isolation"), "1"));
	}
	EXPECT_EQ(xcps, exists("current_compute_partition"));
	EXPECT_EQ(xcps, exists("current_memory_partition"));
	EXPECT_EQ(xcps && (kernel() >= 613 || kernel() < 605), exists("available_memory_partition"));
	if (!xcps)
		return;
	EXPECT_STREQ("SPX\n", dev_text("current_compute_partition", text, sizeof(text)));
	EXPECT_STREQ("SPX, DPX, QPX, CPX\n",
		     dev_text("available_compute_partition", text, sizeof(text)));
	EXPECT_STREQ("NPS1\n", dev_text("current_memory_partition", text, sizeof(text)));
	EXPECT_EQ(0, file_write(dev_path("current_compute_partition"), "SPX"));
	EXPECT_EQ(EINVAL, file_write(dev_path("current_compute_partition"), "XCX"));
}

/* Accelerator modules have policies, and nothing but their levels can be written. */
TEST(policies)
{
	static const char * const bad[] = { "-1\n", "5\n", "default\n", "1 2\n", " \n" };
	bool has = kernel() >= 611 && accelerator_module();
	char text[256];
	unsigned int i;

	ASSERT_TRUE(exists("pp_dpm_sclk"));
	EXPECT_EQ(has, exists("pm_policy/soc_pstate"));
	EXPECT_EQ(has, exists("pm_policy/xgmi_plpd"));
	if (!has)
		return;
	EXPECT_STREQ("0 : soc_pstate_default*\n1 : soc_pstate_0\n2 : soc_pstate_1\n"
		     "3 : soc_pstate_2\n",
		     dev_text("pm_policy/soc_pstate", text, sizeof(text)));
	EXPECT_STREQ("0 : plpd_disallow\n1 : plpd_default*\n2 : plpd_optimized\n",
		     dev_text("pm_policy/xgmi_plpd", text, sizeof(text)));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(EINVAL, file_write(dev_path("pm_policy/xgmi_plpd"), bad[i]));
	EXPECT_EQ(EINVAL, file_write(dev_path("pm_policy/xgmi_plpd"), "3\n"));
	EXPECT_EQ(0, file_write(dev_path("pm_policy/xgmi_plpd"), "2\n"));
	EXPECT_STREQ("0 : plpd_disallow\n1 : plpd_default\n2 : plpd_optimized*\n",
		     dev_text("pm_policy/xgmi_plpd", text, sizeof(text)));
	EXPECT_EQ(0, file_write(dev_path("pm_policy/soc_pstate"), "3\n"));
	EXPECT_STREQ("0 : soc_pstate_default\n1 : soc_pstate_0\n2 : soc_pstate_1\n"
		     "3 : soc_pstate_2*\n",
		     dev_text("pm_policy/soc_pstate", text, sizeof(text)));
	EXPECT_EQ(0, file_write(dev_path("pm_policy/soc_pstate"), "0\n"));
	EXPECT_EQ(0, file_write(dev_path("pm_policy/xgmi_plpd"), "1\n"));
}

/* The line of @profile in the table of profiles; "" if there is none. */
static char *profile_line(int profile, char *buf, size_t bytes)
{
	char text[4096], *line, *rest = text;
	int n;

	dev_text("pp_power_profile_mode", text, sizeof(text));
	buf[0] = '\0';
	while ((line = strsep(&rest, "\n")))
		if (strchr(line, ':') && sscanf(line, "%d", &n) == 1 && n == profile)
			snprintf(buf, bytes, "%s", line);
	return buf;
}

/* Vega 20 tells its profiles; they are chosen in manual mode, the last is the user's. */
TEST(power_profiles)
{
	static const char CLOCK[] = " 2(         UCLK)       1       2       3       4       5"
				    "       6       7      -8       9\n";
	bool has = node_prop(gpu_node(0), "gfx_target_version") == 90006;
	const char *path;
	char text[4096];

	ASSERT_TRUE(exists("pp_num_states"));
	EXPECT_EQ(has, exists("pp_power_profile_mode"));
	if (!has)
		return;
	EXPECT_STREQ(" 0 BOOTUP_DEFAULT*:", profile_line(0, text, sizeof(text)));
	EXPECT_STREQ(" 5        COMPUTE :", profile_line(5, text, sizeof(text)));
	path = strdup(dev_path("pp_power_profile_mode"));
	EXPECT_EQ(EINVAL, file_write(path, "5"));
	ASSERT_EQ(0, file_write(dev_path(LEVEL), "manual"));
	EXPECT_EQ(0, file_write(path, "5"));
	EXPECT_STREQ(" 5        COMPUTE*:", profile_line(5, text, sizeof(text)));
	EXPECT_STREQ(" 0 BOOTUP_DEFAULT :", profile_line(0, text, sizeof(text)));
	EXPECT_EQ(EINVAL, file_write(path, "7"));
	EXPECT_EQ(EINVAL, file_write(path, "x"));
	EXPECT_EQ(EINVAL, file_write(path, "6 2 1 2 3"));
	EXPECT_EQ(EINVAL, file_write(path, "6 4 1 2 3 4 5 6 7 -8 9"));
	EXPECT_EQ(EINVAL, file_write(path, "6 2 1 2 3 4 5 6 7 -8 9 10"));
	EXPECT_STREQ(" 5        COMPUTE*:", profile_line(5, text, sizeof(text)));
	EXPECT_EQ(0, file_write(path, "6 2 1 2 3 4 5 6 7 -8 9\n"));
	EXPECT_STREQ(" 6         CUSTOM*:", profile_line(6, text, sizeof(text)));
	EXPECT_TRUE(strstr(dev_text("pp_power_profile_mode", text, sizeof(text)), CLOCK));
	EXPECT_EQ(0, file_write(path, "0"));
	EXPECT_EQ(0, file_write(dev_path(LEVEL), "auto"));
}

TEST(throttling_log)
{
	char buf[128];

	EXPECT_TRUE(strstr(dev_text("thermal_throttling_logging", buf, sizeof(buf)),
			   "enabled, with interval 60 seconds"));
	EXPECT_EQ(EINVAL, file_write(dev_path("thermal_throttling_logging"), "3601"));
	EXPECT_EQ(0, file_write(dev_path("thermal_throttling_logging"), "0"));
	EXPECT_TRUE(strstr(dev_text("thermal_throttling_logging", buf, sizeof(buf)), "disabled"));
	EXPECT_EQ(0, file_write(dev_path("thermal_throttling_logging"), "60"));
}

TEST_HARNESS_MAIN
