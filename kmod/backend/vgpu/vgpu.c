// SPDX-License-Identifier: GPL-2.0-only
/*
 * The virtual GPU as a backend: its ops table, its threads, its clock.
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "stats.h"
#include "../../engine/interp/interp.h"
#include "../../hw/sdma.h"
#include "../../compat/cpu.h"
#include "../../model/target.h"

#define ICACHE_LINES	256
#define FEW_CPUS	4

static unsigned int workers;
module_param(workers, uint, 0444);
MODULE_PARM_DESC(workers, "Compute-unit threads of a virtual GPU (0: online CPUs)");

static const char * const lane_names[] = { "auto", "sse2", "avx2", "avx512" };
static const char *lanes = "auto";

static int lanes_set(const char *val, const struct kernel_param *kp)
{
	int i = sysfs_match_string(lane_names, val);

	if (i < 0)
		return i;
	lanes = lane_names[i];
	return 0;
}

static int lanes_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", lanes);
}

static const struct kernel_param_ops lanes_ops = {
	.set = lanes_set,
	.get = lanes_get,
};
module_param_cb(lanes, &lanes_ops, NULL, 0444);
MODULE_PARM_DESC(lanes, "SIMD variant of the interpreter: auto, sse2, avx2 or avx512");

/* QEMU's emulator: wide vectors cost more there than they give. */
static bool cpu_is_emulated(void)
{
	u32 eax, sig[3];

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return false;
	cpuid(0x40000000, &eax, &sig[0], &sig[1], &sig[2]);
	return !memcmp(sig, "TCGTCGTCGTCG", sizeof(sig));
}

static u32 cpu_features(void)
{
	u32 cpu = cpu_is_emulated() ? ISA_CPU_TCG : 0;

	if (boot_cpu_has(X86_FEATURE_AVX2) && boot_cpu_has(X86_FEATURE_FMA) &&
	    boot_cpu_has(X86_FEATURE_F16C) &&
	    cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL))
		cpu |= ISA_CPU_AVX2;
	if ((cpu & ISA_CPU_AVX2) && boot_cpu_has(X86_FEATURE_AVX512F) &&
	    boot_cpu_has(X86_FEATURE_AVX512VL) && boot_cpu_has(X86_FEATURE_AVX512DQ) &&
	    boot_cpu_has(X86_FEATURE_AVX512BW) &&
	    cpu_has_xfeatures(XFEATURE_MASK_AVX512, NULL))
		cpu |= ISA_CPU_AVX512;
	return cpu;
}

static const struct isa_lane_ops *pick_lanes(u32 cpu)
{
	if (lanes == lane_names[0])
		return isa_lane_pick(cpu);
	return isa_lane_by_name(lanes, cpu);
}

static u64 cu_clock(struct isa_cu *cu)
{
	return hw_clock();
}

static void set_lengths(struct hw *vg, bool slow)
{
	vg->slow = slow;
	vg->hot_ns = slow || num_online_cpus() < FEW_CPUS ? 5 * NSEC_PER_USEC :
							    20 * NSEC_PER_USEC;
	vg->section_ns = slow ? NSEC_PER_MSEC : 100 * NSEC_PER_USEC;
	vg->turn_ns = slow ? 10 * NSEC_PER_MSEC : NSEC_PER_MSEC;
	vg->grow_ns = slow ? 100 * NSEC_PER_MSEC : 5 * NSEC_PER_MSEC;
	vg->quantum_ns = slow ? 50 * NSEC_PER_MSEC : 10 * NSEC_PER_MSEC;
}

static void worker_free(struct interp_worker *w)
{
	struct interp_group *g, *tmp;

	list_splice_init(&w->resident, &w->spare);
	list_splice_init(&w->asleep, &w->spare);
	list_splice_init(&w->inbox, &w->spare);
	list_for_each_entry_safe(g, tmp, &w->spare, node) {
		list_del(&g->node);
		interp_block_destroy(g);
	}
	if (w->cu)
		kvfree(w->cu->insn_count);
	kvfree(w->icache);
	kvfree(w->cu);
}

/* Everything a worker needs later is allocated here, but for more blocks. */
static int worker_alloc(struct hw *vg, struct interp_worker *w, unsigned int index)
{
	struct interp_group *home;

	w->vg = vg;
	w->index = index;
	w->budget = vg->slow ? 256 : 4096;
	w->tlb_epoch = -1;
	INIT_LIST_HEAD(&w->resident);
	INIT_LIST_HEAD(&w->asleep);
	INIT_LIST_HEAD(&w->spare);
	INIT_LIST_HEAD(&w->inbox);
	w->cu = kvzalloc(sizeof(*w->cu), GFP_KERNEL);
	w->icache = kvzalloc(isa_icache_bytes(ICACHE_LINES), GFP_KERNEL);
	home = interp_block_create(interp_block_max(vg), GFP_KERNEL);
	if (home) {
		home->home = true;
		list_add(&home->node, &w->spare);
	}
	if (!w->cu || !w->icache || !home)
		return -ENOMEM;
	w->cu->insn_count = kvcalloc(isa_op_count(), sizeof(u64), GFP_KERNEL);
	if (!w->cu->insn_count)
		return -ENOMEM;
	w->cu->target = vg->isa;
	w->cu->arch = vg->gdev->target->arch;
	w->cu->lane = vg->lane;
	w->cu->icache = isa_icache_init(w->icache, ICACHE_LINES);
	w->cu->lookup = interp_cu_lookup;
	w->cu->clock = cu_clock;
	w->cu->priv = w;
	return 0;
}

static int worker_start(struct hw *vg, struct interp_worker *w)
{
	w->task = kthread_create(interp_worker_thread, w, "vkfd-cu/%u.%u",
				 vg->gdev->index, w->index);
	if (IS_ERR(w->task)) {
		int err = PTR_ERR(w->task);

		w->task = NULL;
		return err;
	}
	gpu_vm_worker_add(vg->gdev, &w->vmw);
	wake_up_process(w->task);
	return 0;
}

static void worker_stop(struct hw *vg, struct interp_worker *w)
{
	if (!w->task)
		return;
	kthread_stop(w->task);
	gpu_vm_worker_del(vg->gdev, &w->vmw);
	w->task = NULL;
}

static void vgpu_fini(struct gpu_device *gdev)
{
	struct hw *vg = to_hw(gdev);
	unsigned int i;

	vgpu_stats_fini(vg);
	hw_cp_stop(vg);
	hw_sdma_fini(vg);
	for (i = 0; i < vg->nworkers; i++)
		worker_stop(vg, &vg->workers[i]);
	for (i = 0; i < vg->nworkers; i++)
		worker_free(&vg->workers[i]);
	kvfree(vg->workers);
	gdev->backend_priv = NULL;
	kfree(vg);
}

static int vgpu_setup(struct hw *vg, struct gpu_device *gdev)
{
	u32 gfx = gdev->target->gfx_version, cpu = cpu_features();

	vg->gdev = gdev;
	vg->engine = &interp_engine_ops;
	vg->isa = isa_target_find(gfx / 10000, gfx / 100 % 100, gfx % 100);
	if (!vg->isa) {
		pr_err("gpu %u: no engine for %s\n", gdev->index, gdev->target->name);
		return -EOPNOTSUPP;
	}
	vg->lane = pick_lanes(cpu);
	if (!vg->lane) {
		pr_err("this CPU has no %s\n", lanes);
		return -EOPNOTSUPP;
	}
	set_lengths(vg, cpu & ISA_CPU_TCG);
	interp_cus_init(vg);
	spin_lock_init(&vg->lock);
	INIT_LIST_HEAD(&vg->queues);
	INIT_LIST_HEAD(&vg->grids);
	INIT_LIST_HEAD(&vg->late);
	INIT_LIST_HEAD(&vg->cps_through);
	init_waitqueue_head(&vg->cp_wq);
	init_waitqueue_head(&vg->work_wq);
	vg->nworkers = clamp_t(unsigned int, workers ?: num_online_cpus(), 1,
			       HW_MAX_WORKERS);
	return 0;
}

static int vgpu_init(struct gpu_device *gdev)
{
	struct hw *vg = kzalloc(sizeof(*vg), GFP_KERNEL);
	unsigned int i;
	int err;

	if (!vg)
		return -ENOMEM;
	err = vgpu_setup(vg, gdev);
	if (err)
		goto out_free;
	vg->workers = kvcalloc(vg->nworkers, sizeof(*vg->workers), GFP_KERNEL);
	if (!vg->workers) {
		err = -ENOMEM;
		goto out_free;
	}
	gdev->backend_priv = vg;
	for (i = 0; i < vg->nworkers; i++) {
		INIT_LIST_HEAD(&vg->workers[i].resident);
		INIT_LIST_HEAD(&vg->workers[i].asleep);
		INIT_LIST_HEAD(&vg->workers[i].spare);
		INIT_LIST_HEAD(&vg->workers[i].inbox);
	}
	for (i = 0; i < vg->nworkers && !err; i++)
		err = worker_alloc(vg, &vg->workers[i], i);
	for (i = 0; i < vg->nworkers && !err; i++)
		err = worker_start(vg, &vg->workers[i]);
	if (!err)
		err = hw_sdma_init(vg);
	if (!err)
		err = hw_cp_start(vg);
	if (err) {
		vgpu_fini(gdev);
		return err;
	}
	vgpu_stats_init(vg);
	pr_info("gpu %u: %s, %u workers, %s lanes%s\n", gdev->index,
		gdev->target->name, vg->nworkers, isa_lane_name(vg->lane),
		vg->slow ? ", emulated CPU" : "");
	return 0;

out_free:
	kfree(vg);
	return err;
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

/* A worker is what a compute unit is: the place where a work-group lives. */
static u32 vgpu_busy_cus(struct gpu_device *gdev, struct gpu_process *p)
{
	struct hw *vg = to_hw(gdev);
	DECLARE_BITMAP(busy, HW_MAX_WORKERS) = {};
	const struct hw_compute *vq;
	unsigned int i;

	spin_lock(&vg->lock);
	list_for_each_entry(vq, &vg->queues, hq.node) {
		if (vq->hq.q->process != p)
			continue;
		for (i = 0; i < vg->nworkers; i++)
			if (vq->on_worker[i].groups)
				__set_bit(i, busy);
	}
	spin_unlock(&vg->lock);
	return bitmap_weight(busy, HW_MAX_WORKERS);
}

const struct gpu_backend_ops vgpu_backend_ops = {
	.name = "vgpu",
	.init = vgpu_init,
	.fini = vgpu_fini,
	.queue_init = hw_compute_init,
	.queue_update = hw_compute_update,
	.queue_fini = hw_compute_fini,
	.queue_evict = hw_compute_evict,
	.queue_restore = hw_compute_restore,
	.queue_cu_mask = hw_compute_cu_mask,
	.queue_wave_state = hw_compute_wave_state,
	.sdma_ib = hw_sdma_ib,
	.doorbell = vgpu_doorbell,
	.clock = vgpu_device_clock,
	.busy_ns = vgpu_busy_ns,
	.queue_state = hw_compute_state,
	.sdma_busy_ns = vgpu_sdma_busy_ns,
	.busy_cus = vgpu_busy_cus,
	.reset = hw_reset,
};
