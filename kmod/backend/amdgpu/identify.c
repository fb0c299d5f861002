// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which GPU is behind a render node. What INFO says decides; the model's row adds what follows
 * from the kind of GPU and INFO has no word for (caches, SIMDs of a CU, the layout of descriptors).
 * Where the two contradict each other, it is not that kind of GPU, and there is no other.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/printk.h>

#include "amdgpu_int.h"
#include "../../cp/pm4_write.h"
#include "../../gpu/model.h"
#include "../../../uapi/drm/amdgpu_drm.h"

struct answers {
	struct drm_amdgpu_info_device dev;
	struct drm_amdgpu_info_hw_ip ip, dma;
	struct drm_amdgpu_info_vram_gtt mem;
	struct drm_amdgpu_info_firmware mec, sdma;
};

static int ask(struct file *f, struct answers *a)
{
	struct drm_amdgpu_info info = { .query = AMDGPU_INFO_DEV_INFO };
	int ret = amdgpu_info(f, &info, &a->dev, sizeof(a->dev));

	if (ret)
		return ret;
	info = (struct drm_amdgpu_info){ .query = AMDGPU_INFO_HW_IP_INFO };
	info.query_hw_ip.type = AMDGPU_HW_IP_COMPUTE;
	ret = amdgpu_info(f, &info, &a->ip, sizeof(a->ip));
	if (ret)
		return ret;
	info = (struct drm_amdgpu_info){ .query = AMDGPU_INFO_HW_IP_INFO };
	info.query_hw_ip.type = AMDGPU_HW_IP_DMA;
	ret = amdgpu_info(f, &info, &a->dma, sizeof(a->dma));
	if (ret)
		return ret;
	info = (struct drm_amdgpu_info){ .query = AMDGPU_INFO_VRAM_GTT };
	ret = amdgpu_info(f, &info, &a->mem, sizeof(a->mem));
	if (ret)
		return ret;
	info = (struct drm_amdgpu_info){ .query = AMDGPU_INFO_FW_VERSION };
	info.query_fw.fw_type = AMDGPU_INFO_FW_GFX_MEC;
	ret = amdgpu_info(f, &info, &a->mec, sizeof(a->mec));
	if (ret || !a->dma.available_rings)
		return ret;
	info = (struct drm_amdgpu_info){ .query = AMDGPU_INFO_FW_VERSION };
	info.query_fw.fw_type = AMDGPU_INFO_FW_SDMA;
	return amdgpu_info(f, &info, &a->sdma, sizeof(a->sdma));
}

/* The version of the shader block, as IP discovery numbers it; old drivers say 0. */
static bool same_block(const struct gpu_target *t, u32 version)
{
	unsigned int i;

	if (!version || !t->ips)
		return true;
	for (i = 0; i < t->ips->num_rows; i++) {
		const struct gpu_target_ip *ip = &t->ips->rows[i];

		if (ip->hw_id == GPU_HWID_GC)
			return version == (ip->major << 16 | ip->minor << 8 | ip->revision);
	}
	return true;
}

static bool fits(const struct gpu_target *t, const struct answers *a)
{
	const struct drm_amdgpu_info_device *d = &a->dev;

	return t->device_id == d->device_id && t->family == d->family &&
	       same_block(t, a->ip.ip_discovery_version) &&
	       t->shader_engines == d->num_shader_engines * t->num_xcc &&
	       t->arrays_per_engine == d->num_shader_arrays_per_engine &&
	       t->cu_per_array == d->num_cu_per_sh && t->arch->wave_size == d->wave_front_size;
}

static const struct gpu_target *find_row(const struct answers *a)
{
	const struct gpu_target *t;
	unsigned int i;

	for (i = 0; (t = gpu_target_get(i)); i++)
		if (fits(t, a))
			return t;
	return NULL;
}

/*
 * The interface has no trap handlers, no debugger, no faults that are retried, no global wave sync,
 * and cannot take a queue off in the middle of a dispatch.
 */
static void take_away(struct gpu_target *t)
{
	t->capability &= ~(GPU_CAP_WATCH_POINTS | GPU_CAP_WATCH_POINTS_LOG2(0xfu) |
			   GPU_CAP_TRAP_DEBUG | GPU_CAP_WAVE_OVERRIDE | GPU_CAP_WAVE_MODE |
			   GPU_CAP_PRECISE_MEMORY | GPU_CAP_SVM | GPU_CAP_DEBUG_FW |
			   GPU_CAP_QUEUE_RESET);
	t->debug_prop = 0;
	t->features &= ~(BIT(GPU_FEAT_SVM) | BIT(GPU_FEAT_XNACK_PER_PROCESS) | BIT(GPU_FEAT_GWS));
	t->gws = 0;
	t->sdma_xgmi_engines = 0;
	t->fabric = NULL;
}

int amdgpu_identify(struct file *f, struct gpu_target *target, u64 *vram_bytes)
{
	const struct gpu_target *row;
	struct answers a = {};
	int ret = ask(f, &a);

	if (ret)
		return ret;
	row = find_row(&a);
	if (!row) {
		pr_err("amdgpu: no row of the model fits device %04x of family %u, GC %u.%u.%u, %u CUs\n",
		       a.dev.device_id, a.dev.family, a.ip.ip_discovery_version >> 16,
		       (a.ip.ip_discovery_version >> 8) & 0xff, a.ip.ip_discovery_version & 0xff,
		       a.dev.cu_active_number);
		return -ENODEV;
	}
	*target = *row;
	if (!cp_pm4_writable(target)) {
		pr_err("amdgpu: %s: its packets are not known\n", row->name);
		return -ENODEV;
	}
	target->rev = a.dev.chip_rev;
	target->external_rev = a.dev.external_rev;
	target->pci_rev = a.dev.pci_rev;
	target->cu_count = a.dev.cu_active_number;
	target->counter_khz = a.dev.gpu_counter_freq;
	target->engine_mhz = a.dev.max_engine_clock / 1000;
	target->memory_mhz = a.dev.max_memory_clock / 1000;
	target->vram_type = a.dev.vram_type;
	target->vram_bits = a.dev.vram_bit_width;
	target->mec_fw = a.mec.ver;
	target->sdma_fw = a.sdma.ver;
	target->sdma_engines = min(target->sdma_engines, hweight32(a.dma.available_rings));
	take_away(target);
	*vram_bytes = a.mem.vram_size;
	return gpu_model_settle(target) ? -ENODEV : 0;
}
