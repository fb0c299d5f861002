// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of the model table: what a GPU is, in one place. Where the figures come from: rocminfo
 * and topology dumps of the real parts, published with bug reports; the counting
 * rules of the real driver (capability, control stack and save area sizes);
 * PCI ids and names as in libdrm's amdgpu.ids. ctl_stack_bytes and cwsr_bytes
 * follow from the counts and are checked against them when the module loads
 * (gpu_target_check()), because user space computes them too. How many bytes an
 * SDMA copy may have is what ROCr takes for granted.
 */
#include "partition.h"

#define AMDGPU_FAMILY_AI	141

#define CACHE_D(lvl, kb, line, n) \
	{ .level = lvl, .kbytes = kb, .line_bytes = line, .type = GPU_CACHE_DATA, .cus = n }
#define CACHE_I(lvl, kb, line, n) \
	{ .level = lvl, .kbytes = kb, .line_bytes = line, .type = GPU_CACHE_INST, .cus = n }

/* Vega 20, which Arcturus took over: kfd_crat.c has one table for both. */
static const struct gpu_target_cache caches_gfx906[] = {
	CACHE_D(1, 16, 64, 1),
	CACHE_I(1, 32, 64, 3),
	CACHE_D(1, 16, 64, 3),
	CACHE_D(2, 8192, 64, 0),
};

static const struct gpu_target_cache caches_gfx90a[] = {
	CACHE_D(1, 16, 64, 1),
	CACHE_I(1, 32, 64, 2),
	CACHE_D(1, 16, 64, 2),
	CACHE_D(2, 8192, 128, 0),
};

static const struct gpu_target_cache caches_gfx942[] = {
	CACHE_D(1, 32, 128, 1),
	CACHE_I(1, 64, 128, 2),
	CACHE_D(1, 16, 128, 2),
	CACHE_D(2, 4096, 128, 0),
	CACHE_D(3, 262144, 64, 0),
};

/* Every GFX9 part: 64-bit doorbells, four watch points, debugging, reset. */
#define CAP_GFX9 \
	(GPU_CAP_WATCH_POINTS | GPU_CAP_WATCH_POINTS_LOG2(2) | GPU_CAP_DOORBELL_64 | \
	 GPU_CAP_TRAP_DEBUG | GPU_CAP_WAVE_OVERRIDE | GPU_CAP_WAVE_MODE | \
	 GPU_CAP_SVM | GPU_CAP_DEBUG_FW | GPU_CAP_QUEUE_RESET)
#define CAP_ECC	(GPU_CAP_MEM_EDC | GPU_CAP_RAS_NOTIFY | GPU_CAP_SRAM_EDC)

static const struct gpu_target targets[] = {
	{
		.name = "gfx906", .product = "AMD Instinct MI60 / MI50",
		.sysfs_name = "vega20", .gfx_version = 90006,
		.device_id = 0x66a1, .pci_rev = 0x02,
		.subsystem_vendor = 0x1002, .subsystem_device = 0x0834,
		.family = AMDGPU_FAMILY_AI, .external_rev = 0x28 + 1, .rev = 1,
		.num_xcc = 1, .shader_engines = 4, .arrays_per_engine = 1,
		.cu_per_array = 16, .cu_count = 60,
		.arch = &isa_arch_gfx9, .simd_per_cu = 4, .waves_per_simd = 10,
		.scratch_slots_per_cu = 32, .lds_kbytes = 64, .gws = 64,
		.wave_vgprs = 256, .simd_vgprs = 256,
		.sdma_count_mask = 0x003fffff,
		.sdma_engines = 2, .sdma_xgmi_engines = 0, .sdma_queues = 8,
		.cp_queues = 24, .cp_pipes = 4, .cp_queues_per_pipe = 8,
		.mqd = GPU_MQD_V9,
		.mec_fw = 470, .sdma_fw = 145,
		.engine_mhz = 1725, .memory_mhz = 1000,
		.vram_bytes = 17163091968ull, .vram_type = GPU_VRAM_HBM, .vram_bits = 4096,
		.capability = CAP_GFX9 | GPU_CAP_REV(1), .debug_prop = 0x5d6,
		.counter_khz = 100000,
		.ctl_stack_bytes = 20480, .cwsr_bytes = 20910080, .debug_bytes = 65536,
		.gb_addr_config = 0x2a114042, .tcc_blocks = 16, .num_rb = 16,
		.features = BIT(GPU_FEAT_SVM) | BIT(GPU_FEAT_GWS),
		.caches = caches_gfx906, .num_caches = ARRAY_SIZE(caches_gfx906),
		.pm = &gpu_pm_mi50,
		.ips = &gpu_ips_mi50,
	},
	{
		.name = "gfx908", .product = "AMD Instinct MI100",
		.sysfs_name = "arcturus", .gfx_version = 90008,
		.device_id = 0x738c, .pci_rev = 0x01,
		.subsystem_vendor = 0x1002, .subsystem_device = 0x0c34,
		.family = AMDGPU_FAMILY_AI, .external_rev = 0x32 + 2, .rev = 2,
		.num_xcc = 1, .shader_engines = 8, .arrays_per_engine = 1,
		.cu_per_array = 16, .cu_count = 120,
		.arch = &isa_arch_gfx908, .simd_per_cu = 4, .waves_per_simd = 10,
		.scratch_slots_per_cu = 32, .lds_kbytes = 64, .gws = 64,
		.wave_vgprs = 512, .simd_vgprs = 512,
		.sdma_count_mask = 0x003fffff,
		.sdma_engines = 2, .sdma_xgmi_engines = 6, .sdma_queues = 8,
		.cp_queues = 24, .cp_pipes = 4, .cp_queues_per_pipe = 8,
		.mqd = GPU_MQD_V9,
		.mec_fw = 63, .sdma_fw = 18,
		.engine_mhz = 1502, .memory_mhz = 1200,
		.vram_bytes = 34342961152ull, .vram_type = GPU_VRAM_HBM, .vram_bits = 4096,
		.capability = CAP_GFX9 | CAP_ECC | GPU_CAP_REV(2), .debug_prop = 0x5d6,
		.counter_khz = 100000,
		.ctl_stack_bytes = 36864, .cwsr_bytes = 73273344, .debug_bytes = 131072,
		.gb_addr_config = 0x22014042, .tcc_blocks = 32, .num_rb = 0,
		.features = BIT(GPU_FEAT_SVM) | BIT(GPU_FEAT_GWS) | BIT(GPU_FEAT_SRAM_ECC),
		.caches = caches_gfx906, .num_caches = ARRAY_SIZE(caches_gfx906),
		.pm = &gpu_pm_mi100,
		.ips = &gpu_ips_mi100,
		.ras = &gpu_ras_mi100,
	},
	{
		.name = "gfx90a", .product = "AMD Instinct MI210",
		.sysfs_name = "aldebaran", .gfx_version = 90010,
		.device_id = 0x740f, .pci_rev = 0x02,
		.subsystem_vendor = 0x1002, .subsystem_device = 0x0c34,
		.family = AMDGPU_FAMILY_AI, .external_rev = 0x3c + 1, .rev = 1,
		.num_xcc = 1, .shader_engines = 8, .arrays_per_engine = 1,
		.cu_per_array = 14, .cu_count = 104,
		.arch = &isa_arch_gfx90a, .simd_per_cu = 4, .waves_per_simd = 8,
		.scratch_slots_per_cu = 32, .lds_kbytes = 64, .gws = 64,
		.wave_vgprs = 512, .simd_vgprs = 512,
		.sdma_count_mask = 0x3fffffff,
		.sdma_engines = 2, .sdma_xgmi_engines = 3, .sdma_queues = 8,
		.cp_queues = 24, .cp_pipes = 4, .cp_queues_per_pipe = 8,
		.mqd = GPU_MQD_V9,
		.mec_fw = 78, .sdma_fw = 8,
		.engine_mhz = 1700, .memory_mhz = 1600,
		.vram_bytes = 68702699520ull, .vram_type = GPU_VRAM_HBM, .vram_bits = 4096,
		.capability = CAP_GFX9 | CAP_ECC | GPU_CAP_PRECISE_MEMORY | GPU_CAP_REV(1),
		.debug_prop = 0x1d6, .counter_khz = 100000,
		.ctl_stack_bytes = 36864, .cwsr_bytes = 63508480, .debug_bytes = 131072,
		.gb_addr_config = 0x22014042, .tcc_blocks = 16, .num_rb = 0,
		.features = BIT(GPU_FEAT_SVM) | BIT(GPU_FEAT_GWS) | BIT(GPU_FEAT_SRAM_ECC) |
			    BIT(GPU_FEAT_XNACK_PER_PROCESS),
		.caches = caches_gfx90a, .num_caches = ARRAY_SIZE(caches_gfx90a),
		.pm = &gpu_pm_mi210,
		.ips = &gpu_ips_mi210,
		.ras = &gpu_ras_mi210,
	},
	{
		.name = "gfx942", .product = "AMD Instinct MI300X",
		.sysfs_name = "ip discovery", .gfx_version = 90402,
		.device_id = 0x74a1, .pci_rev = 0x00,
		.subsystem_vendor = 0x1002, .subsystem_device = 0x74a1,
		/* A processing accelerator, as lspci shows the real one. */
		.pci_class = 0x120000, .pcie_gen = 5,
		.family = AMDGPU_FAMILY_AI, .external_rev = 0x46 + 1, .rev = 1,
		.num_xcc = 8, .nps_modes = GPU_NPS1 | GPU_NPS4,
		.shader_engines = 32, .arrays_per_engine = 1,
		.cu_per_array = 10, .cu_count = 304,
		.arch = &isa_arch_gfx940, .simd_per_cu = 4, .waves_per_simd = 8,
		.scratch_slots_per_cu = 32, .lds_kbytes = 64, .gws = 64,
		.wave_vgprs = 512, .simd_vgprs = 512,
		.sdma_count_mask = 0x3fffffff,
		.sdma_engines = 2, .sdma_xgmi_engines = 14, .sdma_queues = 8,
		.cp_queues = 24, .cp_pipes = 4, .cp_queues_per_pipe = 8,
		.mqd = GPU_MQD_V9,
		/* Below 177: no asynchronous scratch reclaim is promised. */
		.mec_fw = 166, .sdma_fw = 22,
		.engine_mhz = 2100, .memory_mhz = 1300,
		.vram_bytes = 205822885888ull, .vram_type = GPU_VRAM_HBM, .vram_bits = 8192,
		.capability = CAP_GFX9 | CAP_ECC | GPU_CAP_PRECISE_MEMORY | GPU_CAP_REV(1),
		.debug_prop = 0x5e7, .counter_khz = 100000,
		.ctl_stack_bytes = 12288, .cwsr_bytes = 23203840, .debug_bytes = 48640,
		.gb_addr_config = 0x2a114042, .tcc_blocks = 16, .num_rb = 0,
		.features = BIT(GPU_FEAT_SVM) | BIT(GPU_FEAT_GWS) | BIT(GPU_FEAT_SRAM_ECC) |
			    BIT(GPU_FEAT_XNACK_PER_PROCESS) | BIT(GPU_FEAT_SDMA_SWAP),
		.caches = caches_gfx942, .num_caches = ARRAY_SIZE(caches_gfx942),
		.pm = &gpu_pm_mi300x,
		.ips = &gpu_ips_mi300x,
		.ras = &gpu_ras_mi300x,
		.oam = true, .discovered = true,
	},
	{
		/*
		 * Sizes of memory and caches, firmware and clocks: what public logs of these
		 * cards have. ASIC revision and CUs of a shader array: ROCm's simulator
		 * rocjitsu, which has a profile of an MI350X.
		 */
		.name = "gfx950", .product = "AMD Instinct MI355X",
		.sysfs_name = "ip discovery", .gfx_version = 90500,
		.device_id = 0x75a3, .pci_rev = 0x00,
		.subsystem_vendor = 0x1002, .subsystem_device = 0x75a3,
		.pci_class = 0x120000, .pcie_gen = 5,
		.family = AMDGPU_FAMILY_AI, .external_rev = 0x50, .rev = 0,
		.num_xcc = 8, .nps_modes = GPU_NPS1 | GPU_NPS2,
		.shader_engines = 32, .arrays_per_engine = 1,
		.cu_per_array = 9, .cu_count = 256,
		.arch = &isa_arch_gfx950, .simd_per_cu = 4, .waves_per_simd = 8,
		.scratch_slots_per_cu = 32, .lds_kbytes = 160, .gws = 64,
		.wave_vgprs = 512, .simd_vgprs = 512,
		.sdma_count_mask = 0x3fffffff,
		.sdma_engines = 2, .sdma_xgmi_engines = 14, .sdma_queues = 8,
		.cp_queues = 24, .cp_pipes = 4, .cp_queues_per_pipe = 8,
		/* From 21 on the driver resets queues; ROCr reclaims scratch from 24 on. */
		.mec_fw = 23, .sdma_fw = 12,
		.engine_mhz = 2400, .memory_mhz = 1900,
		.vram_bytes = 309220868096ull, .vram_type = GPU_VRAM_HBM, .vram_bits = 8192,
		.capability = CAP_GFX9 | CAP_ECC | GPU_CAP_PRECISE_MEMORY | GPU_CAP_REV(0),
		.debug_prop = 0x5d6, .counter_khz = 100000,
		.ctl_stack_bytes = 12288, .cwsr_bytes = 22687744, .debug_bytes = 40960,
		.gb_addr_config = 0x2a114042, .tcc_blocks = 16, .num_rb = 0,
		.features = BIT(GPU_FEAT_SVM) | BIT(GPU_FEAT_GWS) | BIT(GPU_FEAT_SRAM_ECC) |
			    BIT(GPU_FEAT_XNACK_PER_PROCESS) | BIT(GPU_FEAT_SDMA_SWAP),
		.caches = caches_gfx942, .num_caches = ARRAY_SIZE(caches_gfx942),
		.pm = &gpu_pm_mi355x,
		.ips = &gpu_ips_mi355x,
		.ras = &gpu_ras_mi300x,
		.oam = true, .discovered = true,
	},
};

const struct gpu_target *gpu_target_get(unsigned int i)
{
	if (i < ARRAY_SIZE(targets))
		return &targets[i];
	i -= ARRAY_SIZE(targets);
	return i < GPU_TARGETS_RDNA ? &gpu_targets_rdna[i] : NULL;
}

const struct gpu_target *gpu_target_find(const char *name, size_t len)
{
	const struct gpu_target *t;
	unsigned int i;

	for (i = 0; (t = gpu_target_get(i)); i++)
		if (strlen(t->name) == len && !strncmp(t->name, name, len))
			return t;
	return NULL;
}

const struct gpu_target *gpu_target_by_version(u32 gfx_version)
{
	const struct gpu_target *t;
	unsigned int i;

	for (i = 0; (t = gpu_target_get(i)); i++)
		if (t->gfx_version == gfx_version)
			return t;
	return NULL;
}

bool gpu_target_cu_mask_ok(const struct gpu_target *t, const u32 *mask, unsigned int words)
{
	unsigned int i;

	if (!gpu_target_has(t, GPU_FEAT_CU_PAIRS))
		return true;
	for (i = 0; i < words; i++)
		if ((mask[i] ^ mask[i] >> 1) & 0x55555555)
			return false;
	return true;
}

const struct gpu_target *gpu_target_by_name(const char *name)
{
	return gpu_target_find(name, strlen(name));
}

/*
 * Harvested CUs are the highest of an array; engines of an XCC take turns in
 * having one more where the count does not divide (MI50, MI100: 15 each; MI210:
 * 13 of 14 each; MI300X: 10, 10, 9 and 9). Where CUs are in pairs, pairs are dealt out
 * (W6800: 8 in six arrays, 6 in two; which ones real cards lack is not known).
 */
u32 gpu_target_cu_mask(const struct gpu_target *t, unsigned int se, unsigned int sa)
{
	unsigned int arrays = t->shader_engines * t->arrays_per_engine;
	unsigned int n = se * t->arrays_per_engine + sa;
	unsigned int pairs = gpu_target_has(t, GPU_FEAT_CU_PAIRS);
	unsigned int units, cus, per_xcc = arrays / t->num_xcc;

	if (n >= arrays)
		return 0;
	units = t->cu_count / t->num_xcc;
	cus = units & pairs && n == per_xcc - 1;	/* an odd one is the last array's */
	units >>= pairs;
	cus += (units / per_xcc + (n % per_xcc < units % per_xcc)) << pairs;
	return cus ? GENMASK(cus - 1, 0) : 0;
}
