// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clocks, power and temperatures of the models. Levels are what rocm-smi prints
 * of the real cards, limits what their data sheets say (typical board power) and
 * what their firmware reports as critical. How a value within them comes about
 * is drm/pm.c's model.
 */
#include "target.h"

/* As a Radeon VII shows them, which has the same chip. */
static const struct gpu_target_profiles profiles_vega20 = { .value = {
	{	/* BOOTUP_DEFAULT */
		{ 0, 0, 1, 0, 4, 800, 4587520, -65536, 0 },
		{ 0, 0, 1, 0, 4, 800, 327680, -6553, 0 },
		{ 0, 0, 1, 0, 4, 800, 327680, -65536, 0 },
		{ 0, 0, 0, 0, 4, 800, 327680, -6553, 0 },
	},
	{	/* 3D_FULL_SCREEN */
		{ 0, 1, 1, 0, 4, 800, 4587520, -65536, 0 },
		{ 0, 1, 4, 850, 4, 800, 327680, -65536, 0 },
		{ 0, 1, 4, 850, 4, 800, 327680, -65536, 0 },
		{ 0, 1, 4, 850, 4, 800, 327680, -65536, 0 },
	},
	{	/* POWER_SAVING */
		{ 0, 0, 1, 0, 3, 0, 5898240, -65536, 0 },
		{ 0, 0, 1, 0, 3, 0, 1310720, -6553, 0 },
		{ 0, 0, 1, 0, 3, 0, 1966080, -65536, 0 },
		{ 0, 0, 0, 0, 3, 800, 1966080, -6553, 0 },
	},
	{	/* VIDEO */
		{ 0, 1, 1, 0, 4, 500, 4587520, -6553, 0 },
		{ 0, 0, 1, 0, 4, 500, 1310720, -6553, 0 },
		{ 0, 0, 1, 0, 4, 500, 1966080, -65536, 0 },
		{ 0, 0, 3, 0, 4, 500, 1966080, -6553, 0 },
	},
	{	/* VR */
		{ 0, 1, 0, 1540, 4, 800, 5898240, -6553, 65536 },
		{ 0, 1, 2, 0, 4, 800, 327680, -32768, -65536 },
		{ 0, 1, 2, 0, 4, 800, 327680, -32768, -65536 },
		{ 0, 1, 2, 0, 4, 800, 327680, -32768, -65536 },
	},
	{	/* COMPUTE */
		{ 0, 1, 0, 1600, 3, 0, 3932160, -65536, -65536 },
		{ 0, 0, 4, 850, 3, 0, 327680, -65536, -32768 },
		{ 0, 0, 4, 850, 3, 0, 327680, -65536, -32768 },
		{ 0, 0, 4, 850, 3, 0, 327680, -65536, -32768 },
	},
	{	/* CUSTOM */
		{ 0, 0, 1, 0, 4, 800, 4587520, -65536, 0 },
		{ 0, 0, 1, 0, 4, 800, 327680, -6553, 0 },
		{ 0, 0, 1, 0, 4, 800, 327680, -65536, 0 },
		{ 0, 0, 0, 0, 4, 800, 327680, -6553, 0 },
	},
} };

const struct gpu_target_pm gpu_pm_mi50 = {
	.sclk = { .mhz = { 925, 1000, 1150, 1300, 1450, 1550, 1625, 1675, 1725 }, .num = 9 },
	.mclk = { .mhz = { 350, 800, 1000 }, .num = 3, .writable = true },
	.socclk = { .mhz = { 309, 523, 566, 618, 680, 755, 850, 971 }, .num = 8, .writable = true },
	.fclk = { .mhz = { 550, 610, 690, 760, 870, 960, 1080, 1225 }, .num = 8, .writable = true },
	.dcefclk = { .mhz = { 357 }, .num = 1, .writable = true },
	.lclk_mhz = 619,
	.idle_watts = 20, .cap_watts = 300, .max_cap_watts = 300,
	.idle_mv = 737, .peak_mv = 1081,
	.edge = { .crit = 100, .emergency = 105 },
	.junction = { .crit = 100, .emergency = 105 },
	.mem = { .crit = 94, .emergency = 99 },
	.metrics = GPU_METRICS_V1_0, .profiles = &profiles_vega20,
};

/* Firmware has profiles, too, whose values nobody has published. */
const struct gpu_target_pm gpu_pm_mi100 = {
	.sclk = { .mhz = { 300, 495, 731, 962, 1029, 1087, 1147, 1189, 1235, 1283, 1319, 1363,
			   1404, 1430, 1472, 1502 }, .num = 16 },
	.mclk = { .mhz = { 1200 }, .num = 1 },
	.socclk = { .mhz = { 1000 }, .num = 1 },
	.fclk = { .mhz = { 1402 }, .num = 1 },
	.idle_watts = 34, .cap_watts = 290, .max_cap_watts = 290,
	.idle_mv = 668, .peak_mv = 1000,
	.edge = { .crit = 100, .emergency = 105 },
	.junction = { .crit = 100, .emergency = 105 },
	.mem = { .crit = 94, .emergency = 99 },
	.metrics = GPU_METRICS_V1_3,
};

const struct gpu_target_pm gpu_pm_mi210 = {
	.sclk = { .mhz = { 500, 1700 }, .num = 2, .fine = true },
	.mclk = { .mhz = { 400, 700, 1200, 1600 }, .num = 4 },
	.socclk = { .mhz = { 666, 857, 1000, 1090, 1333 }, .num = 5 },
	.fclk = { .mhz = { 400, 700, 1200, 1600 }, .num = 4 },
	.idle_watts = 40, .cap_watts = 300, .max_cap_watts = 300,
	.idle_mv = 706, .peak_mv = 1000,
	.edge = { .crit = 100, .emergency = 105 },
	.junction = { .crit = 100, .emergency = 105 },
	.mem = { .crit = 100, .emergency = 105 },
	.determinism = true, .metrics = GPU_METRICS_V1_3,
};

const struct gpu_target_pm gpu_pm_mi300x = {
	.sclk = { .mhz = { 500, 2100 }, .num = 2, .fine = true },
	.mclk = { .mhz = { 900, 1100, 1200, 1300 }, .num = 4 },
	.socclk = { .mhz = { 800, 1000, 1142 }, .num = 3 },
	.fclk = { .mhz = { 1200, 1600, 1900, 2000 }, .num = 4 },
	.idle_watts = 140, .cap_watts = 750, .max_cap_watts = 750,
	.idle_mv = 700, .peak_mv = 1000,
	.edge = { .crit = 100, .emergency = 105 },
	.junction = { .crit = 100, .emergency = 105 },
	.mem = { .crit = 105, .emergency = 110 },
	.determinism = true, .metrics = GPU_METRICS_V1_3, .policies = true,
};

/*
 * As amd-smi shows it: the highest clocks of the shaders and of the memory (7782 GB/s), power at
 * rest and its limit. Nobody has published the levels below and the temperatures, which are
 * MI300X's. Its firmware has no policies of power management (smu_v13_0_12_init_caps).
 */
const struct gpu_target_pm gpu_pm_mi355x = {
	.sclk = { .mhz = { 500, 2400 }, .num = 2, .fine = true },
	.mclk = { .mhz = { 900, 1100, 1300, 1900 }, .num = 4 },
	.socclk = { .mhz = { 800, 1000, 1142 }, .num = 3 },
	.fclk = { .mhz = { 1200, 1600, 1900, 2000 }, .num = 4 },
	.idle_watts = 239, .cap_watts = 1400, .max_cap_watts = 1400,
	.idle_mv = 700, .peak_mv = 1000,
	.edge = { .crit = 100, .emergency = 105 },
	.junction = { .crit = 100, .emergency = 105 },
	.mem = { .crit = 105, .emergency = 110 },
	.determinism = true, .metrics = GPU_METRICS_V1_3,
};

/*
 * Highest clocks of shaders and memory as the topology has them; power at the limit as data
 * sheets (board power) less what rocm-smi does not see. Levels below are those of cards with the
 * same chip, and voltages and power at rest are a guess.
 */
const struct gpu_target_pm gpu_pm_w6800 = {
	.sclk = { .mhz = { 500, 2555 }, .num = 2, .fine = true },
	.mclk = { .mhz = { 96, 456, 673, 1000 }, .num = 4 },
	.socclk = { .mhz = { 480, 1200 }, .num = 2 },
	.fclk = { .mhz = { 506, 1550, 1941 }, .num = 3 },
	.idle_watts = 12, .cap_watts = 213, .max_cap_watts = 213,
	.idle_mv = 725, .peak_mv = 1150,
	.edge = { .crit = 100, .emergency = 105 },
	.junction = { .crit = 110, .emergency = 115 },
	.mem = { .crit = 100, .emergency = 105 },
	.metrics = GPU_METRICS_V1_3,
};

const struct gpu_target_pm gpu_pm_w7900 = {
	.sclk = { .mhz = { 500, 1760 }, .num = 2, .fine = true },
	.mclk = { .mhz = { 96, 456, 772, 1124 }, .num = 4 },
	.socclk = { .mhz = { 500, 1200 }, .num = 2 },
	.fclk = { .mhz = { 300, 1300, 2000 }, .num = 3 },
	.idle_watts = 18, .cap_watts = 241, .max_cap_watts = 241,
	.idle_mv = 700, .peak_mv = 1150,
	.edge = { .crit = 100, .emergency = 105 },
	.junction = { .crit = 110, .emergency = 115 },
	.mem = { .crit = 108, .emergency = 113 },
	.metrics = GPU_METRICS_V1_3,
};

/*
 * Highest clocks as rocminfo prints them, 120 W as the data sheet; the rest is a guess.
 */
const struct gpu_target_pm gpu_pm_8060s = {
	.sclk = { .mhz = { 600, 2900 }, .num = 2, .fine = true },
	.mclk = { .mhz = { 400, 800, 1000 }, .num = 3 },
	.socclk = { .mhz = { 600, 1200 }, .num = 2 },
	.fclk = { .mhz = { 600, 2000 }, .num = 2 },
	.idle_watts = 8, .cap_watts = 120, .max_cap_watts = 120,
	.idle_mv = 700, .peak_mv = 1100,
	.edge = { .crit = 100, .emergency = 105 },
	.junction = { .crit = 100, .emergency = 105 },
	.mem = { .crit = 100, .emergency = 105 },
	.metrics = GPU_METRICS_V3_0,
};

/*
 * Highest clocks as rocminfo and rocm-smi print them, levels of memory as rocm-smi has them of
 * cards with the same chip, 304 W as the data sheet; the rest is a guess. Firmware has profiles,
 * too, whose values nobody has published.
 */
const struct gpu_target_pm gpu_pm_9070xt = {
	.sclk = { .mhz = { 500, 2570 }, .num = 2, .fine = true },
	.mclk = { .mhz = { 96, 456, 1124, 1258 }, .num = 4 },
	.socclk = { .mhz = { 500, 1200 }, .num = 2 },
	.fclk = { .mhz = { 300, 2000 }, .num = 2 },
	.idle_watts = 14, .cap_watts = 304, .max_cap_watts = 304,
	.idle_mv = 700, .peak_mv = 1100,
	.edge = { .crit = 100, .emergency = 105 },
	.junction = { .crit = 110, .emergency = 115 },
	.mem = { .crit = 108, .emergency = 113 },
	.metrics = GPU_METRICS_V1_3,
};

/* A row that does not say is taken for a card of the middle class. */
const struct gpu_target_pm *gpu_target_pm(const struct gpu_target *t)
{
	return t->pm ?: &gpu_pm_mi210;
}
