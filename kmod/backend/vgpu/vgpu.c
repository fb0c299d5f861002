// SPDX-License-Identifier: GPL-2.0-only
/*
 * The virtual GPU as a backend: its ops table, its engine, its clock.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../../engine/engines.h"
#include "../../hw/engine.h"
#include "../../hw/sdma.h"
#include "../../compat/cpu.h"
#include "../../model/target.h"

/* QEMU's emulator (TCG): there, wide vectors cost more than they gain. */
static bool cpu_is_emulated(void)
{
	u32 eax, sig[3];

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return false;
	cpuid(0x40000000, &eax, &sig[0], &sig[1], &sig[2]);
	return !memcmp(sig, "TCGTCGTCGTCG", sizeof(sig));
}

/* A GPU gets the first of these engines that can run its code. */
static const struct engine_ops * const engines[] = {
	&interp_engine_ops,
};

static int start_engine(struct hw *vg)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(engines); i++) {
		vg->engine = engines[i];
		err = vg->engine->init(vg);
		if (err != -EOPNOTSUPP)
			return err;
	}
	return err;
}

static int vgpu_init(struct gpu_device *gdev)
{
	struct hw *vg = kzalloc(sizeof(*vg), GFP_KERNEL);
	int err;

	if (!vg)
		return -ENOMEM;
	hw_setup(vg, gdev, cpu_is_emulated());
	gdev->backend_priv = vg;
	err = start_engine(vg);
	if (err)
		goto out_free;
	err = hw_sdma_init(vg);
	if (err)
		goto out_sdma;
	err = hw_cp_start(vg);
	if (err)
		goto out_sdma;
	hw_stats_init(vg);
	return 0;

out_sdma:
	hw_sdma_fini(vg);
	vg->engine->fini(vg);
out_free:
	gdev->backend_priv = NULL;
	kfree(vg);
	return err;
}

static void vgpu_fini(struct gpu_device *gdev)
{
	struct hw *vg = to_hw(gdev);

	hw_stats_fini(vg);
	hw_cp_stop(vg);
	hw_sdma_fini(vg);
	vg->engine->fini(vg);
	gdev->backend_priv = NULL;
	kfree(vg);
}

static u64 vgpu_sdma_busy_ns(struct gpu_device *gdev)
{
	return atomic64_read(&to_hw(gdev)->sdma_busy_ns);
}

static u32 vgpu_busy_cus(struct gpu_device *gdev, struct gpu_process *p)
{
	return engine_busy_cus(to_hw(gdev), p);
}

static int vgpu_jobs_open(struct gpu_vm *vm, enum gpu_job_runner *runner, void **priv)
{
	return engine_jobs_open(to_hw(vm->gdev), vm, runner, priv);
}

static void vgpu_jobs_close(struct gpu_vm *vm, void *priv)
{
	engine_jobs_close(to_hw(vm->gdev), priv);
}

const struct gpu_backend_ops vgpu_backend_ops = {
	.name = "vgpu",
	.init = vgpu_init,
	.fini = vgpu_fini,
	.mem = &gpu_ram_ops,
	.queue_init = hw_compute_init,
	.queue_update = hw_compute_update,
	.queue_fini = hw_compute_fini,
	.queue_evict = hw_compute_evict,
	.queue_restore = hw_compute_restore,
	.queue_cu_mask = hw_cu_mask,
	.queue_wave_state = hw_waves_state,
	.queue_image = hw_queue_image,
	.queue_adopt = hw_queue_adopt,
	.job_run = hw_job_run,
	.jobs_open = vgpu_jobs_open,
	.jobs_close = vgpu_jobs_close,
	.doorbell = hw_doorbell,
	.clock = hw_device_clock,
	.busy_ns = hw_busy_ns,
	.queue_state = hw_compute_state,
	.sdma_busy_ns = vgpu_sdma_busy_ns,
	.busy_cus = vgpu_busy_cus,
	.reset = hw_reset,
};
