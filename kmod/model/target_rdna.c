// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows of RDNA GPUs, for those who ask for one by name: there is more to do, and no row is
 * among the targets that tests take by default. Where the figures come from: rocminfo of these
 * cards in published bug reports (CUs, engines, revisions, clocks, memory, which has ECC on,
 * caches, firmware); topology of a Radeon RX 7900 XTX, which has the same chip as the W7900, in
 * tinygrad's tests; the real driver for its counting rules, caches of Navi 21, SDMA engines and
 * queues; PCI ids and names as in libdrm's amdgpu.ids. The firmware of the W6800 is that of other
 * Navi 21 cards. Subsystem ids and GB_ADDR_CONFIG are not from a source that was at hand.
 *
 * Radeon 8060S, an APU: rocminfo of machines with 128 GB (issues 4618 of rocm-libraries, 1881 and
 * 4240 of TheRock, 5595 of ROCm) for CUs, engines, clocks, memory, firmware, L1, L2 and L3;
 * amdgpu_top of one (issue 44 of magnitude) for its revision and what an array has of CUs. The
 * driver has the APU as a GPU node beside the CPU's, as any card. Sizes of the SQC's caches and GL1
 * are those of gfx11, for which the driver takes the card's IP discovery; channels of L2 and
 * render backends follow from data sheets. 512 MiB is the smallest carve-out that firmware offers.
 *
 * RX 9070 XT: rocminfo of such cards (issues 5849 and 6625 of legacy-rocm-build) for CUs, engines,
 * revision, clock, memory, SDMA's firmware, L1, L2 with its lines, L3; KFD's and DRM's files of a
 * Radeon AI PRO R9700, which has the same chip, in tests of programs that read them, for the MEC's
 * firmware, the save area and the memory's clock. gfx12 has no GL1. Sizes of the SQC's caches and
 * their lines are gfx11's, channels of L2 and render backends follow from data sheets.
 */
#include "target.h"

#define AMDGPU_FAMILY_NV	143
#define AMDGPU_FAMILY_GC_11_0_0	145
#define AMDGPU_FAMILY_GC_11_5_0	150
#define AMDGPU_FAMILY_GC_12_0_0	152

#define CACHE_D(lvl, kb, line, n) \
	{ .level = lvl, .kbytes = kb, .line_bytes = line, .type = GPU_CACHE_DATA, .cus = n }
#define CACHE_I(lvl, kb, line, n) \
	{ .level = lvl, .kbytes = kb, .line_bytes = line, .type = GPU_CACHE_INST, .cus = n }

static const struct gpu_target_cache caches_gfx1030[] = {
	CACHE_D(1, 16, 128, 1),
	CACHE_I(1, 32, 64, 2),
	CACHE_D(1, 16, 64, 2),
	CACHE_D(1, 128, 128, 10),
	CACHE_D(2, 4096, 128, 0),
	CACHE_D(3, 131072, 64, 0),
};

/* The driver has them of the card's IP discovery; sizes of the SQC's and GL1 as data sheets. */
static const struct gpu_target_cache caches_gfx1100[] = {
	CACHE_D(1, 32, 128, 1),
	CACHE_I(1, 32, 128, 2),
	CACHE_D(1, 16, 64, 2),
	CACHE_D(1, 256, 128, 8),
	CACHE_D(2, 6144, 128, 0),
	CACHE_D(3, 98304, 64, 0),
};

static const struct gpu_target_cache caches_gfx1151[] = {
	CACHE_D(1, 32, 128, 1),
	CACHE_I(1, 32, 128, 2),
	CACHE_D(1, 16, 64, 2),
	CACHE_D(1, 256, 128, 10),
	CACHE_D(2, 2048, 128, 0),
	CACHE_D(3, 32768, 64, 0),
};

static const struct gpu_target_cache caches_gfx1201[] = {
	CACHE_D(1, 32, 128, 1),
	CACHE_I(1, 32, 128, 2),
	CACHE_D(1, 16, 64, 2),
	CACHE_D(2, 8192, 256, 0),
	CACHE_D(3, 65536, 64, 0),
};

/* From gfx10 on the driver resets no queues, and there are no precise memory operations. */
#define CAP_RDNA \
	(GPU_CAP_WATCH_POINTS | GPU_CAP_WATCH_POINTS_LOG2(2) | GPU_CAP_DOORBELL_64 | \
	 GPU_CAP_TRAP_DEBUG | GPU_CAP_WAVE_OVERRIDE | GPU_CAP_WAVE_MODE | \
	 GPU_CAP_SVM | GPU_CAP_DEBUG_FW)
/* What counts errors is GDDR6 with ECC. */
#define CAP_ECC	(GPU_CAP_MEM_EDC | GPU_CAP_RAS_NOTIFY)

const struct gpu_target gpu_targets_rdna[GPU_TARGETS_RDNA] = {
	{
		.name = "gfx1030", .product = "AMD Radeon Pro W6800",
		.sysfs_name = "sienna_cichlid", .gfx_version = 100300,
		.device_id = 0x73a3, .pci_rev = 0x00,
		.subsystem_vendor = 0x1002, .subsystem_device = 0x0e1e,
		.family = AMDGPU_FAMILY_NV, .external_rev = 0x28 + 1, .rev = 1,
		.num_xcc = 1, .shader_engines = 4, .arrays_per_engine = 2,
		.cu_per_array = 10, .cu_count = 60,
		.arch = &isa_arch_gfx103, .simd_per_cu = 2, .waves_per_simd = 16,
		.scratch_slots_per_cu = 32, .lds_kbytes = 64, .gws = 64,
		.wave_vgprs = 256, .simd_vgprs = 1024,
		.sdma_count_mask = 0x3fffffff,
		.sdma_engines = 4, .sdma_xgmi_engines = 0, .sdma_queues = 8,
		.cp_queues = 8, .cp_pipes = 4, .cp_queues_per_pipe = 4,
		.mqd = GPU_MQD_V10,
		.mec_fw = 118, .sdma_fw = 83,
		.engine_mhz = 2555, .memory_mhz = 1000,
		.vram_bytes = 32195477504ull, .vram_type = GPU_VRAM_GDDR6, .vram_bits = 256,
		.capability = CAP_RDNA | CAP_ECC | GPU_CAP_REV(1), .debug_prop = 0x5d7,
		.counter_khz = 100000,
		.ctl_stack_bytes = 24576, .cwsr_bytes = 20914176, .debug_bytes = 61440,
		.gb_addr_config = 0x00000444, .tcc_blocks = 16, .num_rb = 12,
		.features = BIT(GPU_FEAT_SVM) | BIT(GPU_FEAT_GWS) | BIT(GPU_FEAT_CU_PAIRS) |
			    BIT(GPU_FEAT_GCR),
		.caches = caches_gfx1030, .num_caches = ARRAY_SIZE(caches_gfx1030),
		.pm = &gpu_pm_w6800,
		.ips = &gpu_ips_w6800,
		.ras = &gpu_ras_w6800,
	},
	{
		.name = "gfx1100", .product = "AMD Radeon Pro W7900",
		.sysfs_name = "ip discovery", .gfx_version = 110000,
		.device_id = 0x7448, .pci_rev = 0x00,
		.subsystem_vendor = 0x1002, .subsystem_device = 0x0e0d,
		.family = AMDGPU_FAMILY_GC_11_0_0, .external_rev = 0x01, .rev = 0,
		.num_xcc = 1, .shader_engines = 6, .arrays_per_engine = 2,
		.cu_per_array = 8, .cu_count = 96,
		.arch = &isa_arch_gfx11, .simd_per_cu = 2, .waves_per_simd = 16,
		.scratch_slots_per_cu = 32, .lds_kbytes = 64, .gws = 64,
		.wave_vgprs = 256, .simd_vgprs = 1536,
		.sdma_count_mask = 0x3fffffff,
		.sdma_engines = 2, .sdma_xgmi_engines = 0, .sdma_queues = 6,
		.cp_queues = 8, .cp_pipes = 4, .cp_queues_per_pipe = 4,
		.mqd = GPU_MQD_V11,
		.mec_fw = 546, .sdma_fw = 19,
		.engine_mhz = 1760, .memory_mhz = 1124,
		.vram_bytes = 48301604864ull, .vram_type = GPU_VRAM_GDDR6, .vram_bits = 384,
		.capability = CAP_RDNA | CAP_ECC | GPU_CAP_REV(0), .debug_prop = 0x5d7,
		.counter_khz = 100000,
		.ctl_stack_bytes = 40960, .cwsr_bytes = 46047232, .debug_bytes = 98304,
		.gb_addr_config = 0x00000545, .tcc_blocks = 24, .num_rb = 24,
		.features = BIT(GPU_FEAT_SVM) | BIT(GPU_FEAT_GWS) | BIT(GPU_FEAT_CU_PAIRS) |
			    BIT(GPU_FEAT_GCR),
		.caches = caches_gfx1100, .num_caches = ARRAY_SIZE(caches_gfx1100),
		.pm = &gpu_pm_w7900,
		.ips = &gpu_ips_w7900,
		.ras = &gpu_ras_w7900,
		.discovered = true,
	},
	{
		.name = "gfx1151", .product = "Radeon 8060S Graphics",
		.sysfs_name = "ip discovery", .gfx_version = 110501,
		.device_id = 0x1586, .pci_rev = 0xd1,
		.subsystem_vendor = 0x1002, .subsystem_device = 0x1586,
		.family = AMDGPU_FAMILY_GC_11_5_0, .external_rev = 0xc1, .rev = 0,
		.num_xcc = 1, .shader_engines = 2, .arrays_per_engine = 2,
		.cu_per_array = 10, .cu_count = 40,
		.arch = &isa_arch_gfx11, .simd_per_cu = 2, .waves_per_simd = 16,
		.scratch_slots_per_cu = 32, .lds_kbytes = 64, .gws = 64,
		.wave_vgprs = 256, .simd_vgprs = 1536,
		.sdma_count_mask = 0x3fffffff,
		.sdma_engines = 1, .sdma_xgmi_engines = 0, .sdma_queues = 6,
		.cp_queues = 8, .cp_pipes = 4, .cp_queues_per_pipe = 4,
		.mqd = GPU_MQD_V11,
		.mec_fw = 32, .sdma_fw = 17,
		.engine_mhz = 2900, .memory_mhz = 1000,
		.vram_bytes = 63181680640ull, .carve_bytes = 512ull << 20,
		.vram_type = GPU_VRAM_LPDDR5, .vram_bits = 256,
		.capability = CAP_RDNA | GPU_CAP_REV(0), .debug_prop = 0x5d7,
		.counter_khz = 100000,
		.ctl_stack_bytes = 16384, .cwsr_bytes = 19185664, .debug_bytes = 40960,
		.gb_addr_config = 0x00000345, .tcc_blocks = 8, .num_rb = 8,
		.features = BIT(GPU_FEAT_SVM) | BIT(GPU_FEAT_GWS) | BIT(GPU_FEAT_CU_PAIRS) |
			    BIT(GPU_FEAT_GCR),
		.caches = caches_gfx1151, .num_caches = ARRAY_SIZE(caches_gfx1151),
		.pm = &gpu_pm_8060s,
		.ips = &gpu_ips_8060s,
		.discovered = true,
	},
	{
		.name = "gfx1201", .product = "AMD Radeon RX 9070 XT",
		.sysfs_name = "ip discovery", .gfx_version = 120001,
		.device_id = 0x7550, .pci_rev = 0xc0,
		.subsystem_vendor = 0x1002, .subsystem_device = 0x7550, .pcie_gen = 5,
		.family = AMDGPU_FAMILY_GC_12_0_0, .external_rev = 0x51, .rev = 1,
		.num_xcc = 1, .shader_engines = 4, .arrays_per_engine = 2,
		.cu_per_array = 8, .cu_count = 64,
		.arch = &isa_arch_gfx12, .simd_per_cu = 2, .waves_per_simd = 16,
		.scratch_slots_per_cu = 32, .lds_kbytes = 64, .gws = 64,
		.wave_vgprs = 256, .simd_vgprs = 1536,
		.sdma_count_mask = 0x3fffffff,
		.sdma_engines = 2, .sdma_xgmi_engines = 0, .sdma_queues = 6,
		.cp_queues = 4, .cp_pipes = 2, .cp_queues_per_pipe = 4,
		.mqd = GPU_MQD_V12,
		.mec_fw = 3010, .sdma_fw = 662,
		.engine_mhz = 2570, .memory_mhz = 1258,
		.vram_bytes = 17095983104ull, .vram_type = GPU_VRAM_GDDR6, .vram_bits = 256,
		.capability = CAP_RDNA | GPU_CAP_PRECISE_ALU | GPU_CAP_REV(1), .debug_prop = 0x5d7,
		.counter_khz = 100000,
		.ctl_stack_bytes = 28672, .cwsr_bytes = 30699520, .debug_bytes = 65536,
		.gb_addr_config = 0x00000444, .tcc_blocks = 16, .num_rb = 16,
		.features = BIT(GPU_FEAT_SVM) | BIT(GPU_FEAT_GWS) | BIT(GPU_FEAT_CU_PAIRS) |
			    BIT(GPU_FEAT_GCR) | BIT(GPU_FEAT_SDMA7),
		.caches = caches_gfx1201, .num_caches = ARRAY_SIZE(caches_gfx1201),
		.pm = &gpu_pm_9070xt,
		.ips = &gpu_ips_9070xt,
		.discovered = true,
	},
};
