/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of GPU models. A model is a row of data: code asks a row for a
 * value or a feature, never for a name. Everything that KFD's topology, the
 * DRM INFO queries and the virtual GPU say about a model stands here.
 *
 * Counts of a partitioned part (num_xcc > 1) are totals over all its XCCs,
 * as the topology prints them, unless the member says "per XCC".
 */
#ifndef GPU_TARGET_H
#define GPU_TARGET_H

#include "../isa/arch.h"

#define GPU_VENDOR_ID	0x1002
#define GPU_PCIE_GEN	4	/* where the row does not say */
#define GPU_PCIE_LANES	16
#define GPU_GB_ADDR_CONFIG_REG	0x263e	/* GFX9 to gfx12; where the row does not say */

/* Cache types as the topology prints them, without the HSACU bit (8). */
#define GPU_CACHE_DATA	1
#define GPU_CACHE_INST	2
#define GPU_CACHE_HSACU	8

/**
 * struct gpu_target_cache - one kind of cache
 * @kbytes,@line_bytes: size and line of one instance
 * @level: 1..3
 * @type: GPU_CACHE_*
 * @cus: physical compute units of one shader array that share an instance;
 *	0: one instance for the whole device (or XCC)
 */
struct gpu_target_cache {
	u32 kbytes;
	u16 line_bytes;
	u8 level;
	u8 type;
	u16 cus;
};

/* What kind of memory; values of AMDGPU_VRAM_TYPE_*. */
#define GPU_VRAM_GDDR6	9
#define GPU_VRAM_HBM	6
#define GPU_VRAM_LPDDR5	12

/* Who counts memory errors, and which. */
enum gpu_ras_counter {
	GPU_RAS_UMC,
	GPU_RAS_SDMA,
	GPU_RAS_GFX,
	GPU_RAS_MMHUB,
	GPU_RAS_PCIE_BIF,
	GPU_RAS_HDP,
	GPU_RAS_MCA_MP0,
	GPU_RAS_MCA_MP1,
	GPU_RAS_MCA_MPIO,
	GPU_RAS_VCN,
	GPU_RAS_JPEG,
	GPU_RAS_NUM
};

enum gpu_ras_error { GPU_RAS_UE, GPU_RAS_CE, GPU_RAS_DE, GPU_RAS_ERRORS };

/**
 * struct gpu_target_ras - what is protected against memory errors
 * @counters: BIT(enum gpu_ras_counter) that have files
 * @aca: they are those of the accelerator check architecture, named otherwise
 * @table_version: format of the card's list of bad pages
 */
struct gpu_target_ras {
	u32 counters;
	bool aca;
	u32 table_version;
};

/* target_ip.c */
extern const struct gpu_target_ras gpu_ras_mi100, gpu_ras_mi210, gpu_ras_mi300x, gpu_ras_w6800,
	gpu_ras_w7900;

/* Numbers of hardware blocks, as amdgpu's IP discovery has them. */
enum gpu_hw_id {
	GPU_HWID_MP1 = 1,
	GPU_HWID_THM = 3,
	GPU_HWID_SMUIO = 4,
	GPU_HWID_CLKA = 6,
	GPU_HWID_GC = 11,
	GPU_HWID_UVD = 12,	/* and VCN after it */
	GPU_HWID_DCI = 15,
	GPU_HWID_VCE = 32,
	GPU_HWID_MMHUB = 34,
	GPU_HWID_ATHUB = 35,
	GPU_HWID_OSSSYS = 40,
	GPU_HWID_HDP = 41,
	GPU_HWID_SDMA0 = 42,
	GPU_HWID_SDMA1 = 43,
	GPU_HWID_DF = 46,
	GPU_HWID_SDMA2 = 68,
	GPU_HWID_SDMA3 = 69,
	GPU_HWID_NBIF = 108,
	GPU_HWID_UMC = 150,
	GPU_HWID_XGMI = 200,
	GPU_HWID_MP0 = 255,
};

#define GPU_IP_BASES	6

/**
 * struct gpu_target_ip - instances of a hardware block
 * @hw_id: enum gpu_hw_id
 * @first,@step,@count: their numbers: @first, @first + @step, ...
 * @major,@minor,@revision: version
 * @harvest: the driver takes them for cut off
 * @num_bases,@base: register bases of the first instance, in dwords
 * @stride: what each further instance adds to them
 */
struct gpu_target_ip {
	u16 hw_id;
	u8 first, step, count;
	u8 major, minor, revision;
	u8 harvest;
	u8 num_bases;
	u32 base[GPU_IP_BASES];
	u32 stride;
};

/* target_ip.c */
struct gpu_target_ips {
	const struct gpu_target_ip *rows;
	unsigned int num_rows;
};

extern const struct gpu_target_ips gpu_ips_mi50, gpu_ips_mi100, gpu_ips_mi210, gpu_ips_mi300x,
	gpu_ips_mi355x, gpu_ips_w6800, gpu_ips_w7900, gpu_ips_8060s, gpu_ips_9070xt;

/* Optional features: BIT(GPU_FEAT_x) in gpu_target.features. */
enum gpu_target_feature {
	GPU_FEAT_SRAM_ECC,	/* sramecc+ in the ISA name, RAS bits */
	GPU_FEAT_SVM,		/* shared virtual memory API advertised */
	GPU_FEAT_XNACK_PER_PROCESS, /* SET_XNACK_MODE may switch it on */
	GPU_FEAT_GWS,		/* 64 global wave sync resources */
	GPU_FEAT_SDMA_SWAP,	/* SDMA copies that exchange two buffers */
	GPU_FEAT_CU_PAIRS,	/* a CU mask selects both CUs of a pair (WGP) or none */
	GPU_FEAT_GCR,		/* packets name caches in GCR_CNTL; SDMA has a packet for it */
	GPU_FEAT_SDMA7,		/* SDMA packets are those of SDMA 7 */
};

/* Layouts of the scheduler's structures (gpu/mqd.h). */
enum gpu_mqd_version {
	GPU_MQD_V9,
	GPU_MQD_V10,
	GPU_MQD_V11,
	GPU_MQD_V12,
	GPU_MQD_VERSIONS
};

#define GPU_PM_LEVELS	16

/* Versions of gpu_metrics, the driver's struct gpu_metrics_vX_Y */
enum gpu_metrics_version { GPU_METRICS_V1_0, GPU_METRICS_V1_3, GPU_METRICS_V3_0 };

/**
 * struct gpu_target_clock - levels of a clock
 * @mhz: ascending; the last one is the highest
 * @fine: any clock between the first and the last
 * @writable: a mask of levels may be set, as on the real card
 */
struct gpu_target_clock {
	u16 mhz[GPU_PM_LEVELS];
	u8 num;
	bool fine;
	bool writable;
};

/* Where firmware takes measures, in degrees Celsius. */
struct gpu_target_temp {
	u8 crit, emergency;
};

#define GPU_PROFILES		7	/* the last is the user's */
#define GPU_PROFILE_CLOCKS	4
#define GPU_PROFILE_VALUES	9

/**
 * struct gpu_target_profiles - how firmware's power profiles weigh activity
 * @value: of each profile and clock, in the order of pp_power_profile_mode
 */
struct gpu_target_profiles {
	s32 value[GPU_PROFILES][GPU_PROFILE_CLOCKS][GPU_PROFILE_VALUES];
};

enum gpu_policy { GPU_POLICY_SOC_PSTATE, GPU_POLICY_XGMI_PLPD, GPU_NUM_POLICIES };

/**
 * struct gpu_target_pm - clocks, power, temperatures of a model
 * @lclk_mhz: of the PCIe block; 0: the driver does not show its levels
 * @idle_watts,@cap_watts,@max_cap_watts: at rest; default and highest limit
 * @idle_mv,@peak_mv: voltage of the shader core at the lowest and highest clock
 * @determinism: has the performance level perf_determinism
 * @metrics: version of gpu_metrics
 * @profiles: power profiles; NULL: none, but one power state
 * @policies: its firmware has policies of power management (enum gpu_policy)
 */
struct gpu_target_pm {
	struct gpu_target_clock sclk, mclk, socclk, fclk, dcefclk;
	u16 lclk_mhz;
	u16 idle_watts, cap_watts, max_cap_watts;
	u16 idle_mv, peak_mv;
	struct gpu_target_temp edge, junction, mem;
	bool determinism;
	enum gpu_metrics_version metrics;
	const struct gpu_target_profiles *profiles;
	bool policies;
};

/* target_pm.c */
extern const struct gpu_target_pm gpu_pm_mi50, gpu_pm_mi100, gpu_pm_mi210, gpu_pm_mi300x,
	gpu_pm_mi355x, gpu_pm_w6800, gpu_pm_w7900, gpu_pm_8060s, gpu_pm_9070xt;

struct gpu_fabric;

/**
 * struct gpu_target - a model
 * @name: what `modprobe vkfd gpus=` and tools call it ("gfx90a")
 * @product: marketing name
 * @sysfs_name: the topology's nodes/N/name
 * @gfx_version: major * 10000 + minor * 100 + stepping
 * @device_id,@pci_rev,@subsystem_vendor,@subsystem_device: PCI identity
 * @pci_class: base class, sub-class, interface; 0: display controller
 * @pcie_gen: of the link, x16; 0: generation 4
 * @family: AMDGPU_FAMILY_*; @external_rev: ASIC revision within the family
 * @rev: silicon revision (capability bits 22-25, DEV_INFO chip_rev)
 * @num_xcc: XCCs of the device; @nps_modes: memory modes that it has (partition.h), 0: one
 * @shader_engines: over all XCCs; @arrays_per_engine: SAs of one of them
 * @cu_per_array: physical CUs of an SA; @cu_count: active CUs, all XCCs
 * @arch: what its waves are
 * @simd_per_cu,@waves_per_simd,@scratch_slots_per_cu: CU layout
 * @lds_kbytes: LDS of a CU
 * @wave_vgprs,@simd_vgprs: VGPRs (Arch + Acc) that a wave can have, of a SIMD
 * @sdma_count_mask: bytes of an SDMA copy, less one
 * @gws: global wave sync resources; what num_gws shows
 * @sdma_engines,@sdma_xgmi_engines,@sdma_queues: topology's SDMA counts
 * @cp_queues: compute HQDs left to user queues (num_cp_queues)
 * @cp_pipes,@cp_queues_per_pipe: HQD layout of the first MEC
 * @mqd: layouts of its queue descriptors
 * @mec_fw,@sdma_fw: firmware versions (low 10 bits are what tools look at)
 * @engine_mhz,@memory_mhz: highest clocks
 * @vram_bytes: of the real product; @vram_type,@vram_bits: kind, bus width
 * @carve_bytes: an APU, whose memory is the machine's: what firmware cuts off as VRAM; 0: a card
 * @capability: topology's capability word, complete, of the newest KFD
 * @debug_prop: topology's debug_prop, 0 before it existed
 * @counter_khz: GPU clock counter frequency; the backend's clock runs at it
 * @ctl_stack_bytes,@cwsr_bytes,@debug_bytes: per XCC; what user space computes
 *	from the counts above, and so must agree with them
 * @gb_addr_config: GB_ADDR_CONFIG register (libdrm reads it at start);
 *	@gb_addr_config_reg: its offset in dwords; 0: GPU_GB_ADDR_CONFIG_REG
 * @tcc_blocks,@num_rb: texture channel caches; render backends
 * @features: BIT(enum gpu_target_feature)
 * @caches,@num_caches: kinds of caches in topology's order
 * @pm: clocks and power; gpu_target_pm() if there is none
 * @ips: hardware blocks; may be NULL
 * @ras: NULL if memory has no ECC
 * @fabric: how several of it are wired (fabric.h); NULL: by PCIe alone
 * @oam: an accelerator module, not a card
 * @discovered: the driver finds it by IP discovery, not by its PCI id
 */
struct gpu_target {
	const char *name;
	const char *product;
	const char *sysfs_name;
	u32 gfx_version;
	u16 device_id;
	u8 pci_rev;
	u16 subsystem_vendor;
	u16 subsystem_device;
	u32 pci_class;
	u8 pcie_gen;
	u32 family;
	u32 external_rev;
	u32 rev;
	u32 num_xcc;
	u8 nps_modes;
	u32 shader_engines;
	u32 arrays_per_engine;
	u32 cu_per_array;
	u32 cu_count;
	const struct isa_arch *arch;
	u32 simd_per_cu;
	u32 waves_per_simd;
	u32 scratch_slots_per_cu;
	u32 lds_kbytes;
	u16 wave_vgprs;
	u16 simd_vgprs;
	u32 sdma_count_mask;
	u32 gws;
	u32 sdma_engines;
	u32 sdma_xgmi_engines;
	u32 sdma_queues;
	u32 cp_queues;
	u32 cp_pipes;
	u32 cp_queues_per_pipe;
	enum gpu_mqd_version mqd;
	u32 mec_fw;
	u32 sdma_fw;
	u32 engine_mhz;
	u32 memory_mhz;
	u64 vram_bytes;
	u64 carve_bytes;
	u32 vram_type;
	u32 vram_bits;
	u32 capability;
	u64 debug_prop;
	u32 counter_khz;
	u32 ctl_stack_bytes;
	u32 cwsr_bytes;
	u32 debug_bytes;
	u32 gb_addr_config;
	u32 gb_addr_config_reg;
	u32 tcc_blocks;
	u32 num_rb;
	u32 features;
	const struct gpu_target_cache *caches;
	unsigned int num_caches;
	const struct gpu_target_pm *pm;
	const struct gpu_target_ips *ips;
	const struct gpu_target_ras *ras;
	const struct gpu_fabric *fabric;
	bool oam;
	bool discovered;
};

/* Bits of the capability word on which code depends (kfd_sysfs.h, HSA_CAP_*). */
#define GPU_CAP_WATCH_POINTS		BIT(7)
#define GPU_CAP_WATCH_POINTS_LOG2(n)	((n) << 8)
#define GPU_CAP_DOORBELL_64		(2u << 12)
#define GPU_CAP_TRAP_DEBUG		BIT(15)
#define GPU_CAP_WAVE_OVERRIDE		BIT(16)
#define GPU_CAP_WAVE_MODE		BIT(17)
#define GPU_CAP_PRECISE_MEMORY		BIT(18)
#define GPU_CAP_MEM_EDC			BIT(20)
#define GPU_CAP_RAS_NOTIFY		BIT(21)
#define GPU_CAP_REV(n)			((n) << 22)
#define GPU_CAP_SRAM_EDC		BIT(26)
#define GPU_CAP_SVM			BIT(27)
#define GPU_CAP_DEBUG_FW		BIT(29)
#define GPU_CAP_PRECISE_ALU		BIT(30)
#define GPU_CAP_QUEUE_RESET		BIT(31)
/* capability2 */
#define GPU_CAP2_SDMA_QUEUE_RESET	BIT(0)

/* Apertures: the same for every GFX9 to GFX12.0 part. */
#define GPU_LDS_BASE		0x0001000000000000ull
#define GPU_LDS_LIMIT		0x00010000ffffffffull
#define GPU_SCRATCH_BASE	0x0002000000000000ull
#define GPU_SCRATCH_LIMIT	0x00020000ffffffffull
#define GPU_GPUVM_BASE		0x0000000000010000ull
#define GPU_GPUVM_LIMIT		0x00007fffffffffffull
#define GPU_GPUVM_HIGH_BASE	0xffff800000000000ull
#define GPU_GPUVM_HIGH_LIMIT	0xffffffffffdfffffull	/* below 2 MiB of the kernel's */

static inline bool gpu_target_has(const struct gpu_target *t, enum gpu_target_feature f)
{
	return t->features & (1u << f);
}

/*
 * An APU's memory for compute is the machine's, as much as TTM may have: what the driver calls
 * apu_prefer_gtt, which it sets where that is more than the carve-out.
 */
static inline bool gpu_target_is_apu(const struct gpu_target *t)
{
	return t->carve_bytes;
}

/* target_rdna.c; they come behind the rows of target.c. */
#define GPU_TARGETS_RDNA	4
extern const struct gpu_target gpu_targets_rdna[GPU_TARGETS_RDNA];

/* Row called @name (of @len bytes), or NULL. */
const struct gpu_target *gpu_target_find(const char *name, size_t len);
const struct gpu_target *gpu_target_by_name(const char *name);
const struct gpu_target *gpu_target_by_version(u32 gfx_version);
/* Whether @mask of @words selects CUs that may be selected without others. */
bool gpu_target_cu_mask_ok(const struct gpu_target *t, const u32 *mask, unsigned int words);
/* Row @i, or NULL past the end: to iterate over all. */
const struct gpu_target *gpu_target_get(unsigned int i);
const struct gpu_target_pm *gpu_target_pm(const struct gpu_target *t);
/* Active CUs of shader array @sa of engine @se as a bit mask. */
u32 gpu_target_cu_mask(const struct gpu_target *t, unsigned int se, unsigned int sa);

#define GPU_MAX_XCCS		8

#endif /* GPU_TARGET_H */
