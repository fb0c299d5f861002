// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of the model table. Where the figures come from: rocminfo and
 * topology dumps of the real parts, published with bug reports; the counting
 * rules of the real driver (capability, control stack and save area sizes);
 * PCI ids and names as in libdrm's amdgpu.ids. ctl_stack_bytes and cwsr_bytes
 * follow from the counts and are checked against them when the module loads
 * (gpu_target_check()), because user space computes them too.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "compat/sysfs.h"
#include "target.h"
#include "gpu_int.h"

#define AMDGPU_FAMILY_AI	141
#define AMDGPU_FAMILY_GC_11_0_0	145

#define CACHE_D(lvl, kb, line, n) \
	{ .level = lvl, .kbytes = kb, .line_bytes = line, .type = GPU_CACHE_DATA, .cus = n }
#define CACHE_I(lvl, kb, line, n) \
	{ .level = lvl, .kbytes = kb, .line_bytes = line, .type = GPU_CACHE_INST, .cus = n }

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
		.simd_per_cu = 4, .wave_size = 64, .waves_per_simd = 10,
		.scratch_slots_per_cu = 32, .lds_kbytes = 64, .gws = 64,
		.sdma_engines = 2, .sdma_xgmi_engines = 0, .sdma_queues = 8,
		.cp_queues = 24, .cp_pipes = 4, .cp_queues_per_pipe = 8,
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
	},
	{
		.name = "gfx90a", .product = "AMD Instinct MI210",
		.sysfs_name = "aldebaran", .gfx_version = 90010,
		.device_id = 0x740f, .pci_rev = 0x02,
		.subsystem_vendor = 0x1002, .subsystem_device = 0x0c34,
		.family = AMDGPU_FAMILY_AI, .external_rev = 0x3c + 1, .rev = 1,
		.num_xcc = 1, .shader_engines = 8, .arrays_per_engine = 1,
		.cu_per_array = 14, .cu_count = 104,
		.simd_per_cu = 4, .wave_size = 64, .waves_per_simd = 8,
		.scratch_slots_per_cu = 32, .lds_kbytes = 64, .gws = 64,
		.sdma_engines = 2, .sdma_xgmi_engines = 3, .sdma_queues = 8,
		.cp_queues = 24, .cp_pipes = 4, .cp_queues_per_pipe = 8,
		.mec_fw = 78, .sdma_fw = 8,
		.engine_mhz = 1700, .memory_mhz = 1600,
		.vram_bytes = 68702699520ull, .vram_type = GPU_VRAM_HBM, .vram_bits = 4096,
		.capability = CAP_GFX9 | CAP_ECC | GPU_CAP_PRECISE_MEMORY | GPU_CAP_REV(1),
		.debug_prop = 0x1d6, .counter_khz = 100000,
		.ctl_stack_bytes = 36864, .cwsr_bytes = 63508480, .debug_bytes = 131072,
		.gb_addr_config = 0x22014042, .tcc_blocks = 16, .num_rb = 0,
		.features = BIT(GPU_FEAT_SVM) | BIT(GPU_FEAT_GWS) | BIT(GPU_FEAT_SRAM_ECC) |
			    BIT(GPU_FEAT_XNACK_PER_PROCESS) | BIT(GPU_FEAT_UNIFIED_VGPR) |
			    BIT(GPU_FEAT_PACKED_TID),
		.caches = caches_gfx90a, .num_caches = ARRAY_SIZE(caches_gfx90a),
		.pm = &gpu_pm_mi210,
	},
	{
		.name = "gfx942", .product = "AMD Instinct MI300X",
		.sysfs_name = "ip discovery", .gfx_version = 90402,
		.device_id = 0x74a1, .pci_rev = 0x00,
		.subsystem_vendor = 0x1002, .subsystem_device = 0x74a1,
		/* A processing accelerator, as lspci shows the real one. */
		.pci_class = 0x120000, .pcie_gen = 5,
		.family = AMDGPU_FAMILY_AI, .external_rev = 0x46 + 1, .rev = 1,
		.num_xcc = 8, .shader_engines = 32, .arrays_per_engine = 1,
		.cu_per_array = 10, .cu_count = 304,
		.simd_per_cu = 4, .wave_size = 64, .waves_per_simd = 8,
		.scratch_slots_per_cu = 32, .lds_kbytes = 64, .gws = 64,
		.sdma_engines = 2, .sdma_xgmi_engines = 14, .sdma_queues = 8,
		.cp_queues = 24, .cp_pipes = 4, .cp_queues_per_pipe = 8,
		/* Below 177: no asynchronous scratch reclaim is promised. */
		.mec_fw = 166, .sdma_fw = 22,
		.engine_mhz = 2100, .memory_mhz = 1300,
		.vram_bytes = 205822885888ull, .vram_type = GPU_VRAM_HBM, .vram_bits = 8192,
		.capability = CAP_GFX9 | CAP_ECC | GPU_CAP_PRECISE_MEMORY | GPU_CAP_REV(1),
		.debug_prop = 0x5e7, .counter_khz = 100000,
		.ctl_stack_bytes = 12288, .cwsr_bytes = 23203840, .debug_bytes = 48640,
		.gb_addr_config = 0x2a114042, .tcc_blocks = 16, .num_rb = 0,
		.features = BIT(GPU_FEAT_SVM) | BIT(GPU_FEAT_GWS) | BIT(GPU_FEAT_SRAM_ECC) |
			    BIT(GPU_FEAT_XNACK_PER_PROCESS) | BIT(GPU_FEAT_UNIFIED_VGPR) |
			    BIT(GPU_FEAT_PACKED_TID) | BIT(GPU_FEAT_ARCH_SCRATCH),
		.caches = caches_gfx942, .num_caches = ARRAY_SIZE(caches_gfx942),
		.pm = &gpu_pm_mi300x,
	},
};

const struct gpu_target *gpu_target_get(unsigned int i)
{
	return i < ARRAY_SIZE(targets) ? &targets[i] : NULL;
}

const struct gpu_target *gpu_target_find(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(targets); i++)
		if (strlen(targets[i].name) == len && !strncmp(targets[i].name, name, len))
			return &targets[i];
	return NULL;
}

const struct gpu_target *gpu_target_by_name(const char *name)
{
	return gpu_target_find(name, strlen(name));
}

/*
 * Harvested CUs are the highest of an array; engines of an XCC take turns in
 * having one more where the count does not divide (MI50: 15 each; MI210: 13 of
 * 14 each; MI300X: 10, 10, 9 and 9).
 */
u32 gpu_target_cu_mask(const struct gpu_target *t, unsigned int se, unsigned int sa)
{
	unsigned int arrays = t->shader_engines * t->arrays_per_engine;
	unsigned int n = se * t->arrays_per_engine + sa;
	unsigned int cus, per_xcc = arrays / t->num_xcc;

	if (n >= arrays)
		return 0;
	cus = t->cu_count / t->num_xcc;
	cus = cus / per_xcc + (n % per_xcc < cus % per_xcc);
	return cus ? GENMASK(cus - 1, 0) : 0;
}

/* As KFD and libhsakmt compute them for GFX9. */
void gpu_target_save_area(const struct gpu_target *t, u32 xccs, struct gpu_save_area *a)
{
	u32 cus = t->cu_count / xccs;
	u32 waves = min(cus * 40, t->shader_engines / xccs * 512);
	u32 vgpr = gpu_target_has(t, GPU_FEAT_UNIFIED_VGPR) ? 0x80000 : 0x40000;
	u32 wg = PAGE_ALIGN(cus * (vgpr + 0x4000 + t->lds_kbytes * SZ_1K + 0x1000));

	a->ctl_stack_bytes = PAGE_ALIGN(40 + waves * 8 + 8);
	a->cwsr_bytes = PAGE_ALIGN(a->ctl_stack_bytes + wg);
	a->debug_bytes = round_up(waves * 32, 64);
}

u32 gpu_target_shown_xccs(const struct gpu_target *t)
{
	return COMPAT_TOPOLOGY_XCC ? t->num_xcc : 1;
}

static int gpu_target_check_one(const struct gpu_target *t)
{
	struct gpu_save_area a;

	if (t->num_xcc > GPU_MAX_XCCS)
		return -EINVAL;
	gpu_target_save_area(t, t->num_xcc, &a);
	if (t->ctl_stack_bytes != a.ctl_stack_bytes || t->cwsr_bytes != a.cwsr_bytes ||
	    t->debug_bytes != a.debug_bytes) {
		pr_err("%s: save area sizes: %u %u %u expected\n", t->name, a.ctl_stack_bytes,
		       a.cwsr_bytes, a.debug_bytes);
		return -EINVAL;
	}
	return 0;
}

int gpu_target_check(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(targets) && !ret; i++)
		ret = gpu_target_check_one(&targets[i]);
	return ret;
}
