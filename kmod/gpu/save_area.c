// SPDX-License-Identifier: GPL-2.0-only
/* Sizes that user space and the driver both compute, and a check that rows agree. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sizes.h>

#include "compat/sysfs.h"
#include "../model/target.h"
#include "gpu_int.h"
#include "save_area.h"

#define GFX10			100100
#define GFX11			110000
#define GFX10_STACK_MOST	0x7000	/* limit of the hardware */

/* As KFD and libhsakmt compute them (kfd_queue_ctx_save_restore_size()). */
void gpu_target_save_area(const struct gpu_target *t, u32 xccs, struct gpu_save_area *a)
{
	u32 cus = t->cu_count / xccs;
	u32 waves = t->gfx_version < GFX10 ? min(cus * 40, t->shader_engines / xccs * 512) :
					     cus * 32;
	u32 of_wave = t->gfx_version < GFX10 ? 8 : 12;
	u32 vgpr = t->simd_per_cu * t->simd_vgprs * t->arch->wave_size * sizeof(u32);
	u32 wg = PAGE_ALIGN(cus * (vgpr + 0x4000 + t->lds_kbytes * SZ_1K + 0x1000));

	a->ctl_stack_bytes = PAGE_ALIGN(40 + waves * of_wave + 8);
	if (t->gfx_version >= GFX10 && t->gfx_version < GFX11)
		a->ctl_stack_bytes = min_t(u32, a->ctl_stack_bytes, GFX10_STACK_MOST);
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

	for (i = 0; gpu_target_get(i) && !ret; i++)
		ret = gpu_target_check_one(gpu_target_get(i));
	return ret;
}
