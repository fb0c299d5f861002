// SPDX-License-Identifier: GPL-2.0-only
/*
 * AMDGPU_INFO: one row per query. A row's function writes its answer into a zeroed buffer
 * and returns the answer's length; the dispatcher copies as much of it as the caller has
 * room for. A query without a row is EINVAL, as in the real driver.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../gpu/backend.h"
#include "../gpu/vram.h"
#include "cs.h"
#include "../model/target.h"
#include "../vkfd.h"
#include "../../uapi/drm/amdgpu_drm.h"

/* Limit on registers in one READ_MMR_REG, the same as in the real driver. */
#define VDRM_MAX_REGS	128

union vdrm_answer {
	u32 word;
	u64 qword;
	u32 regs[VDRM_MAX_REGS];
	struct drm_amdgpu_info_device device;
	struct drm_amdgpu_info_firmware fw;
	struct drm_amdgpu_info_gds gds;
	struct drm_amdgpu_info_gpuvm_fault fault;
	struct drm_amdgpu_info_hw_ip hw_ip;
	struct drm_amdgpu_info_vbios vbios;
	struct drm_amdgpu_info_vram_gtt vram_gtt;
	struct drm_amdgpu_memory_info memory;
	struct drm_amdgpu_info_uq_metadata userq;
};

/*
 * Returns the number of bytes of the answer, or an error. Use @drm, not
 * gpu_device.drm_priv: the file may be that of a @drm which the GPU has left since, and
 * then drm_priv belongs to another one, or is NULL.
 */
typedef int (*vdrm_query_fn)(struct drm_device *drm, const struct drm_amdgpu_info *in,
			     union vdrm_answer *out);

static int vdrm_accel_working(struct drm_device *drm, const struct drm_amdgpu_info *in,
			      union vdrm_answer *out)
{
	out->word = 1;
	return sizeof(out->word);
}

/* The block that executes jobs of this type, or NULL. */
static const struct gpu_target_ip *vdrm_ip_of(const struct gpu_target *t, u32 type)
{
	u16 hw_id;
	unsigned int i;

	switch (type) {
	case AMDGPU_HW_IP_GFX:
	case AMDGPU_HW_IP_COMPUTE:
		hw_id = GPU_HWID_GC;
		break;
	case AMDGPU_HW_IP_DMA:
		hw_id = GPU_HWID_SDMA0;
		break;
	default:
		return NULL;
	}
	for (i = 0; i < t->ips->num_rows; i++)
		if (t->ips->rows[i].hw_id == hw_id)
			return &t->ips->rows[i];
	return NULL;
}

/* The rings that contexts have (ctx.c). There is none for graphics. */
static int vdrm_hw_ip_info(struct drm_device *drm, const struct drm_amdgpu_info *in,
			   union vdrm_answer *out)
{
	struct gpu_device *gdev = to_gdev(drm);
	u32 type = in->query_hw_ip.type;
	const struct gpu_target_ip *ip;

	if (in->query_hw_ip.ip_instance >= AMDGPU_HW_IP_INSTANCE_MAX_COUNT ||
	    type >= AMDGPU_HW_IP_NUM)
		return -EINVAL;
	ip = vdrm_ip_of(gdev->target, type);
	if (!ip)
		return sizeof(out->hw_ip);
	out->hw_ip.hw_ip_version_major = ip->major;
	out->hw_ip.hw_ip_version_minor = ip->minor;
	out->hw_ip.ip_discovery_version = ip->major << 16 | ip->minor << 8 | ip->revision;
	out->hw_ip.ib_start_alignment = type == AMDGPU_HW_IP_DMA ? 256 : 32;
	out->hw_ip.ib_size_alignment = type == AMDGPU_HW_IP_DMA ? 4 : 32;
	if (!gpu_backend_has_jobs(gdev))
		return sizeof(out->hw_ip);
	if (vdrm_userq_ips(gdev) & BIT(type))
		out->hw_ip.userq_num_slots = gdev->target->cp_queues;
	if (type == AMDGPU_HW_IP_COMPUTE)
		out->hw_ip.available_rings = BIT(VDRM_COMPUTE_RINGS) - 1;
	else if (type == AMDGPU_HW_IP_DMA)
		out->hw_ip.available_rings =
			BIT(min_t(u32, gdev->target->sdma_engines, VDRM_SDMA_RINGS)) - 1;
	return sizeof(out->hw_ip);
}

static int vdrm_hw_ip_count(struct drm_device *drm, const struct drm_amdgpu_info *in,
			    union vdrm_answer *out)
{
	if (in->query_hw_ip.type >= AMDGPU_HW_IP_NUM)
		return -EINVAL;
	out->word = !!vdrm_ip_of(to_gdev(drm)->target, in->query_hw_ip.type);
	return sizeof(out->word);
}

static int vdrm_timestamp(struct drm_device *drm, const struct drm_amdgpu_info *in,
			  union vdrm_answer *out)
{
	out->qword = gpu_device_clock(to_gdev(drm), NULL);
	return sizeof(out->qword);
}

/* Firmware that the model does not have is reported as version 0, that is, not loaded. */
static int vdrm_fw_version(struct drm_device *drm, const struct drm_amdgpu_info *in,
			   union vdrm_answer *out)
{
	const struct gpu_target *t = to_gdev(drm)->target;

	if (in->query_fw.ip_instance)
		return -EINVAL;
	switch (in->query_fw.fw_type) {
	case AMDGPU_INFO_FW_GFX_MEC:
		if (in->query_fw.index > 1)
			return -EINVAL;
		out->fw.ver = t->mec_fw;
		break;
	case AMDGPU_INFO_FW_SDMA:
		if (in->query_fw.index >= t->sdma_engines + t->sdma_xgmi_engines)
			return -EINVAL;
		out->fw.ver = t->sdma_fw;
		break;
	case AMDGPU_INFO_FW_VCE ... AMDGPU_INFO_FW_GFX_RLC:
	case AMDGPU_INFO_FW_SMC:
	case AMDGPU_INFO_FW_SOS ... AMDGPU_INFO_FW_VCN:
		break;
	default:
		return -EINVAL;
	}
	return sizeof(out->fw);
}

/* The CPU sees all of VRAM, so no BO is moved for it. */
static int vdrm_vram_cpu_faults(struct drm_device *drm, const struct drm_amdgpu_info *in,
				union vdrm_answer *out)
{
	return sizeof(out->qword);
}

/* Each reset of the whole GPU loses what is in VRAM. */
static int vdrm_vram_lost(struct drm_device *drm, const struct drm_amdgpu_info *in,
			  union vdrm_answer *out)
{
	out->word = atomic_read(&to_gdev(drm)->inject.resets);
	return sizeof(out->word);
}

/* There is no GDS and no OA. The GWS resources belong to KFD. */
static int vdrm_gds_config(struct drm_device *drm, const struct drm_amdgpu_info *in,
			   union vdrm_answer *out)
{
	out->gds.gws_per_compute_partition = to_gdev(drm)->target->gws;
	return sizeof(out->gds);
}

/* The CPU can access all of VRAM, so both queries report the same number. */
static int vdrm_vram_usage(struct drm_device *drm, const struct drm_amdgpu_info *in,
			   union vdrm_answer *out)
{
	out->qword = vdrm_memory_of(to_gdev(drm)).vram_used;
	return sizeof(out->qword);
}

static int vdrm_gtt_usage(struct drm_device *drm, const struct drm_amdgpu_info *in,
			  union vdrm_answer *out)
{
	out->qword = vdrm_memory_of(to_gdev(drm)).gtt_used;
	return sizeof(out->qword);
}

/* Of an APU all but the carve-out is GTT, and so is whatever was asked for as VRAM. */
struct vdrm_memory vdrm_memory_of(const struct gpu_device *gdev)
{
	struct vdrm_memory m = {
		.vram = gpu_vram_limit(gdev), .vram_used = atomic64_read(&gdev->vram_used),
		.gtt = gpu_gtt_limit(), .gtt_used = atomic64_read(&gdev->gtt_used),
	};

	if (gpu_target_is_apu(gdev->target)) {
		m.gtt_used += m.vram_used;
		m.gtt = max(m.vram, m.gtt_used);
		m.vram = min(gdev->target->carve_bytes, gdev->vram_bytes / 2);
		m.vram_used = 0;
	}
	return m;
}

static int vdrm_moved(struct drm_device *drm, const struct drm_amdgpu_info *in,
		      union vdrm_answer *out)
{
	out->qword = atomic64_read(&to_gdev(drm)->vram_moved);
	return sizeof(out->qword);
}

static int vdrm_evictions(struct drm_device *drm, const struct drm_amdgpu_info *in,
			  union vdrm_answer *out)
{
	out->qword = atomic64_read(&to_gdev(drm)->vram_evictions);
	return sizeof(out->qword);
}

static int vdrm_vram_gtt(struct drm_device *drm, const struct drm_amdgpu_info *in,
			 union vdrm_answer *out)
{
	const struct vdrm_memory m = vdrm_memory_of(to_gdev(drm));

	out->vram_gtt.vram_size = m.vram;
	out->vram_gtt.vram_cpu_accessible_size = m.vram;
	out->vram_gtt.gtt_size = m.gtt;
	return sizeof(out->vram_gtt);
}

/* libdrm reads GB_ADDR_CONFIG when it opens a device. */
static int vdrm_read_mmr_reg(struct drm_device *drm, const struct drm_amdgpu_info *in,
			     union vdrm_answer *out)
{
	const struct gpu_target *t = to_gdev(drm)->target;
	u32 reg = t->gb_addr_config_reg ?: GPU_GB_ADDR_CONFIG_REG;
	u32 count = in->read_mmr_reg.count, i;

	if (!count || count > VDRM_MAX_REGS)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		if (in->read_mmr_reg.dword_offset + i != reg)
			return -EFAULT;
		out->regs[i] = t->gb_addr_config;
	}
	return count * sizeof(u32);
}

/*
 * The CU bitmap has room for 4 x 4 arrays; engines beyond the fourth continue in the next
 * columns. For a part with several XCCs it shows the first XCC.
 */
static void vdrm_cu_bitmap(const struct gpu_target *t, struct drm_amdgpu_info_device *d)
{
	unsigned int se, sa, col;

	for (se = 0; se < t->shader_engines / t->num_xcc; se++) {
		for (sa = 0; sa < t->arrays_per_engine; sa++) {
			col = sa + se / 4 * t->arrays_per_engine;
			if (col < ARRAY_SIZE(d->cu_bitmap[0]))
				d->cu_bitmap[se % 4][col] = gpu_target_cu_mask(t, se, sa);
		}
	}
}

/* KiB of the first cache of that kind, 0 if there is none. */
static u32 vdrm_cache_kbytes(const struct gpu_target *t, u8 level, u8 type, bool shared)
{
	unsigned int i;

	for (i = 0; i < t->num_caches; i++) {
		bool own = t->caches[i].cus == 1;

		if (t->caches[i].level == level && t->caches[i].type == type && own != shared)
			return t->caches[i].kbytes;
	}
	return 0;
}

static void vdrm_caches(const struct gpu_target *t, struct drm_amdgpu_info_device *d)
{
	d->tcp_cache_size = vdrm_cache_kbytes(t, 1, GPU_CACHE_DATA, false);
	d->sqc_data_cache_size = vdrm_cache_kbytes(t, 1, GPU_CACHE_DATA, true);
	d->sqc_inst_cache_size = vdrm_cache_kbytes(t, 1, GPU_CACHE_INST, true);
	d->gl2c_cache_size = vdrm_cache_kbytes(t, 2, GPU_CACHE_DATA, true);
	d->mall_size = (u64)vdrm_cache_kbytes(t, 3, GPU_CACHE_DATA, true) << 10;
}

static void vdrm_address_space(struct drm_amdgpu_info_device *d)
{
	d->virtual_address_offset = VDRM_VA_RESERVED;
	d->virtual_address_max = VDRM_VA_HOLE_START;
	d->virtual_address_alignment = PAGE_SIZE;
	d->high_va_offset = VDRM_VA_HOLE_END;
	d->high_va_max = ~0ull - VDRM_VA_RESERVED + 1;
	d->pte_fragment_size = 512 * PAGE_SIZE;
	d->gart_page_size = PAGE_SIZE;
}

static int vdrm_dev_info(struct drm_device *drm, const struct drm_amdgpu_info *in,
			 union vdrm_answer *out)
{
	struct gpu_device *gdev = to_gdev(drm);
	struct drm_amdgpu_info_device *d = &out->device;
	const struct gpu_target *t = gdev->target;

	d->device_id = t->device_id;
	d->chip_rev = t->rev;
	d->external_rev = t->external_rev;
	d->pci_rev = t->pci_rev;
	d->family = t->family;
	d->num_shader_engines = t->shader_engines / t->num_xcc;
	d->num_shader_arrays_per_engine = t->arrays_per_engine;
	d->gpu_counter_freq = t->counter_khz;
	d->max_engine_clock = (u64)t->engine_mhz * 1000;
	d->max_memory_clock = (u64)t->memory_mhz * 1000;
	d->cu_active_number = gdev->cu_count;
	d->num_rb_pipes = t->num_rb;
	d->enabled_rb_pipes_mask = t->num_rb ? GENMASK(t->num_rb - 1, 0) : 0;
	d->num_hw_gfx_contexts = 8;
	d->ids_flags = gpu_target_is_apu(t) ? AMDGPU_IDS_FLAGS_FUSION : 0;
	d->vram_type = t->vram_type;
	d->vram_bit_width = t->vram_bits;
	d->wave_front_size = t->arch->wave_size;
	d->num_shader_visible_vgprs = 256;
	d->num_cu_per_sh = t->cu_per_array;
	d->num_tcc_blocks = t->tcc_blocks;
	d->pcie_gen = t->pcie_gen ?: GPU_PCIE_GEN;
	d->pcie_num_lanes = GPU_PCIE_LANES;
	vdrm_address_space(d);
	vdrm_cu_bitmap(t, d);
	vdrm_caches(t, d);
	d->userq_ip_mask = vdrm_userq_ips(gdev);
	return sizeof(*d);
}

static void vdrm_vbios_version(char *out, size_t bytes)
{
	unsigned int v[3] = {};

	if (sscanf(VKFD_VERSION, "%u.%u.%u", &v[0], &v[1], &v[2]) == ARRAY_SIZE(v))
		snprintf(out, bytes, VDRM_VBIOS_VERSION, v[0], v[1], v[2]);
}

/* There is a part number, as in sysfs, but no image, so its size is 0. */
static int vdrm_vbios(struct drm_device *drm, const struct drm_amdgpu_info *in,
		      union vdrm_answer *out)
{
	struct gpu_device *gdev = to_gdev(drm);

	switch (in->vbios_info.type) {
	case AMDGPU_INFO_VBIOS_SIZE:
		return sizeof(out->word);
	case AMDGPU_INFO_VBIOS_INFO:
		snprintf(out->vbios.name, sizeof(out->vbios.name), "%s", gdev->target->product);
		snprintf(out->vbios.vbios_pn, sizeof(out->vbios.vbios_pn), VDRM_VBIOS_PN,
			 gdev->target->name);
		vdrm_vbios_version((char *)out->vbios.vbios_ver_str,
				   sizeof(out->vbios.vbios_ver_str));
		strscpy((char *)out->vbios.date, VDRM_VBIOS_DATE, sizeof(out->vbios.date));
		return sizeof(out->vbios);
	default:
		return -EINVAL;
	}
}

/* The values that hwmon shows. These GPUs have no north bridge: VDDNB is EINVAL. */
static int vdrm_sensor(struct drm_device *drm, const struct drm_amdgpu_info *in,
		       union vdrm_answer *out)
{
	struct vdrm_pm *pm = &container_of(drm, struct vdrm_device, drm)->pm;
	struct vdrm_sensors s;

	vdrm_pm_sense(pm, &s);
	switch (in->sensor_info.type) {
	case AMDGPU_INFO_SENSOR_GFX_SCLK:
		out->word = s.mhz[VDRM_SCLK];
		break;
	case AMDGPU_INFO_SENSOR_GFX_MCLK:
		out->word = s.mhz[VDRM_MCLK];
		break;
	case AMDGPU_INFO_SENSOR_GPU_TEMP:
		out->word = s.edge_mc;
		break;
	case AMDGPU_INFO_SENSOR_GPU_LOAD:
		out->word = s.busy[VDRM_GFX];
		break;
	case AMDGPU_INFO_SENSOR_GPU_AVG_POWER:
		out->word = div_u64(s.microwatts, USEC_PER_SEC);
		break;
	case AMDGPU_INFO_SENSOR_VDDGFX:
		out->word = s.millivolts;
		break;
	case AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_SCLK:
		out->word = vdrm_pm_stable_mhz(pm, VDRM_SCLK);
		break;
	case AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_MCLK:
		out->word = vdrm_pm_stable_mhz(pm, VDRM_MCLK);
		break;
	default:
		return -EINVAL;
	}
	return sizeof(out->word);
}

static void vdrm_heap(struct drm_amdgpu_heap_info *h, u64 total, u64 used)
{
	h->total_heap_size = total;
	h->usable_heap_size = total;
	h->heap_usage = used;
	h->max_allocation = total * 3 / 4;
}

static int vdrm_memory(struct drm_device *drm, const struct drm_amdgpu_info *in,
		       union vdrm_answer *out)
{
	const struct vdrm_memory m = vdrm_memory_of(to_gdev(drm));

	vdrm_heap(&out->memory.vram, m.vram, m.vram_used);
	vdrm_heap(&out->memory.cpu_accessible_vram, m.vram, m.vram_used);
	vdrm_heap(&out->memory.gtt, m.gtt, m.gtt_used);
	return sizeof(out->memory);
}

/* Blocks protected by the driver in the upper half, those protected by the card below. */
static int vdrm_ras_enabled(struct drm_device *drm, const struct drm_amdgpu_info *in,
			    union vdrm_answer *out)
{
	u32 features = vdrm_ras_features(to_gdev(drm)->target);

	if (!features)
		return -EINVAL;
	out->qword = (u64)features << 32 | features;
	return sizeof(out->qword);
}

/* Where the hardware keeps notes about the ends of dispatches. Ours needs none, but checks it. */
static int vdrm_userq_areas(struct drm_device *drm, const struct drm_amdgpu_info *in,
			    union vdrm_answer *out)
{
	if (in->query_hw_ip.type > AMDGPU_HW_IP_DMA)
		return -EINVAL;
	if (!(vdrm_userq_ips(to_gdev(drm)) & BIT(in->query_hw_ip.type)))
		return -EOPNOTSUPP;
	if (in->query_hw_ip.type == AMDGPU_HW_IP_DMA) {
		out->userq.sdma.csa_size = VDRM_CSA_BYTES;
		out->userq.sdma.csa_alignment = 256;
	} else {
		out->userq.compute.eop_size = VDRM_EOP_BYTES;
		out->userq.compute.eop_alignment = 256;
	}
	return sizeof(out->userq);
}

/* VM_L2_PROTECTION_FAULT_STATUS (gc_9_4_2_sh_mask.h, Documentation/gpu/amdgpu/debugging.rst) */
#define STATUS_INVALID	BIT(4)
#define STATUS_READ	BIT(5)
#define STATUS_WRITE	BIT(6)
#define STATUS_EXECUTE	BIT(7)
#define STATUS_RW	BIT(18)

/* A file's own, so it is no row of the table. Faults are those of the graphics hub, number 0. */
static int vdrm_gpuvm_fault(struct drm_file *file, union vdrm_answer *out)
{
	u32 why = gpu_vm_last_fault(((struct vdrm_file *)file->driver_priv)->vm, &out->fault.addr);

	out->fault.addr &= PAGE_MASK;
	if (why)
		out->fault.status = (why & GPU_FAULTED_ABSENT ? STATUS_INVALID : 0) |
			(why & GPU_FAULTED_WRITE ? STATUS_WRITE | STATUS_RW :
			 why & GPU_FAULTED_EXECUTE ? STATUS_EXECUTE : STATUS_READ);
	return sizeof(out->fault);
}

static const struct {
	u32 query;
	vdrm_query_fn fn;
} vdrm_queries[] = {
	{ AMDGPU_INFO_ACCEL_WORKING,	vdrm_accel_working },
	{ AMDGPU_INFO_HW_IP_INFO,	vdrm_hw_ip_info },
	{ AMDGPU_INFO_HW_IP_COUNT,	vdrm_hw_ip_count },
	{ AMDGPU_INFO_TIMESTAMP,	vdrm_timestamp },
	{ AMDGPU_INFO_FW_VERSION,	vdrm_fw_version },
	{ AMDGPU_INFO_NUM_BYTES_MOVED,	vdrm_moved },
	{ AMDGPU_INFO_VRAM_USAGE,	vdrm_vram_usage },
	{ AMDGPU_INFO_GTT_USAGE,	vdrm_gtt_usage },
	{ AMDGPU_INFO_VRAM_GTT,		vdrm_vram_gtt },
	{ AMDGPU_INFO_GDS_CONFIG,	vdrm_gds_config },
	{ AMDGPU_INFO_READ_MMR_REG,	vdrm_read_mmr_reg },
	{ AMDGPU_INFO_DEV_INFO,		vdrm_dev_info },
	{ AMDGPU_INFO_VIS_VRAM_USAGE,	vdrm_vram_usage },
	{ AMDGPU_INFO_NUM_EVICTIONS,	vdrm_evictions },
	{ AMDGPU_INFO_MEMORY,		vdrm_memory },
	{ AMDGPU_INFO_VBIOS,		vdrm_vbios },
	{ AMDGPU_INFO_SENSOR,		vdrm_sensor },
	{ AMDGPU_INFO_NUM_VRAM_CPU_PAGE_FAULTS, vdrm_vram_cpu_faults },
	{ AMDGPU_INFO_VRAM_LOST_COUNTER, vdrm_vram_lost },
	{ AMDGPU_INFO_RAS_ENABLED_FEATURES, vdrm_ras_enabled },
	{ AMDGPU_INFO_UQ_FW_AREAS,	vdrm_userq_areas },
};

static vdrm_query_fn vdrm_query_find(u32 query)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vdrm_queries); i++)
		if (vdrm_queries[i].query == query)
			return vdrm_queries[i].fn;
	return NULL;
}

int vdrm_ioctl_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_amdgpu_info *in = data;
	vdrm_query_fn fn = vdrm_query_find(in->query);
	union vdrm_answer *out;
	bool fault = in->query == AMDGPU_INFO_GPUVM_FAULT;
	int n;

	static_assert(sizeof(struct drm_amdgpu_info) == 32);
	static_assert(sizeof(struct drm_amdgpu_info_device) == 440);

	if (!in->return_size || !in->return_pointer || (!fn && !fault))
		return -EINVAL;
	out = kzalloc(sizeof(*out), GFP_KERNEL);
	if (!out)
		return -ENOMEM;
	n = fault ? vdrm_gpuvm_fault(file, out) : fn(drm, in, out);
	if (n > 0 && copy_to_user(u64_to_user_ptr(in->return_pointer), out,
				  min_t(u32, n, in->return_size)))
		n = -EFAULT;
	kfree(out);
	return n < 0 ? n : 0;
}
