// SPDX-License-Identifier: GPL-2.0-only
/*
 * The virtual GPU as a backend: its ops table, its engine, its clock.
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "stats.h"
#include "../../engine/engines.h"
#include "../../hw/engine.h"
#include "../../hw/sdma.h"
#include "../../compat/cpu.h"
#include "../../model/target.h"

#define FEW_CPUS	4

/* QEMU's emulator (TCG): there, wide vectors cost more than they gain. */
static bool cpu_is_emulated(void)
{
	u32 eax, sig[3];

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return false;
	cpuid(0x40000000, &eax, &sig[0], &sig[1], &sig[2]);
	return !memcmp(sig, "TCGTCGTCGTCG", sizeof(sig));
}

static void set_lengths(struct hw *vg, bool slow)
{
	vg->slow = slow;
	vg->hot_ns = slow || num_online_cpus() < FEW_CPUS ? 5 * NSEC_PER_USEC :
							    20 * NSEC_PER_USEC;
	vg->turn_ns = slow ? 10 * NSEC_PER_MSEC : NSEC_PER_MSEC;
	vg->quantum_ns = slow ? 50 * NSEC_PER_MSEC : 10 * NSEC_PER_MSEC;
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

static void vgpu_setup(struct hw *vg, struct gpu_device *gdev)
{
	vg->gdev = gdev;
	set_lengths(vg, cpu_is_emulated());
	hw_cus_init(vg);
	spin_lock_init(&vg->lock);
	INIT_LIST_HEAD(&vg->queues);
	INIT_LIST_HEAD(&vg->grids);
	INIT_LIST_HEAD(&vg->late);
	INIT_LIST_HEAD(&vg->cps_through);
	init_waitqueue_head(&vg->cp_wq);
}

static int vgpu_init(struct gpu_device *gdev)
{
	struct hw *vg = kzalloc(sizeof(*vg), GFP_KERNEL);
	int err;

	if (!vg)
		return -ENOMEM;
	vgpu_setup(vg, gdev);
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
	vgpu_stats_init(vg);
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

	vgpu_stats_fini(vg);
	hw_cp_stop(vg);
	hw_sdma_fini(vg);
	vg->engine->fini(vg);
	gdev->backend_priv = NULL;
	kfree(vg);
}

static void vgpu_doorbell(struct gpu_doorbells *db)
{
	struct hw *vg = to_hw(db->gdev);

	atomic64_inc(&vg->doorbell_wakes);
	hw_cp_kick(vg);
}

static u64 vgpu_device_clock(struct gpu_device *gdev)
{
	return hw_clock();
}

static u64 vgpu_busy_ns(struct gpu_device *gdev)
{
	struct hw *vg = to_hw(gdev);
	u64 ns;

	spin_lock(&vg->lock);
	ns = hw_busy_time_locked(&vg->busy);
	spin_unlock(&vg->lock);
	return ns;
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
	.job_run = hw_job_run,
	.jobs_open = vgpu_jobs_open,
	.jobs_close = vgpu_jobs_close,
	.doorbell = vgpu_doorbell,
	.clock = vgpu_device_clock,
	.busy_ns = vgpu_busy_ns,
	.queue_state = hw_compute_state,
	.sdma_busy_ns = vgpu_sdma_busy_ns,
	.busy_cus = vgpu_busy_cus,
	.reset = hw_reset,
};
