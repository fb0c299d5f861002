// SPDX-License-Identifier: GPL-2.0-only
/* The interpreter as an engine: its ops table, its parameters, its demands on the CPU. */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "remote.h"
#include "../engines.h"
#include "../../compat/cpu.h"

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

static u32 cpu_features(const struct hw *vg)
{
	u32 cpu = vg->slow ? ISA_CPU_TCG : 0;

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

static int interp_init(struct hw *vg)
{
	u32 gfx = vg->gdev->target->gfx_version;
	struct interp *ip = kzalloc(sizeof(*ip), GFP_KERNEL);
	int err = -EOPNOTSUPP;

	if (!ip)
		return -ENOMEM;
	ip->vg = vg;
	ip->isa = isa_target_find(gfx / 10000, gfx / 100 % 100, gfx % 100);
	if (!ip->isa) {
		pr_err("gpu %u: no interpreter for %s\n", vg->gdev->index, vg->gdev->target->name);
		goto out_free;
	}
	ip->lane = pick_lanes(cpu_features(vg));
	if (!ip->lane) {
		pr_err("this CPU has no %s\n", lanes);
		goto out_free;
	}
	ip->section_ns = vg->slow ? NSEC_PER_MSEC : 100 * NSEC_PER_USEC;
	ip->grow_ns = vg->slow ? 100 * NSEC_PER_MSEC : 5 * NSEC_PER_MSEC;
	init_waitqueue_head(&ip->work_wq);
	mutex_init(&ip->remotes_lock);
	INIT_LIST_HEAD(&ip->remotes);
	ip->remote_opcodes = kvcalloc(isa_op_count(), sizeof(u64), GFP_KERNEL);
	if (!ip->remote_opcodes) {
		err = -ENOMEM;
		goto out_free;
	}
	ip->nworkers = clamp_t(unsigned int, workers ?: num_online_cpus(), 1, INTERP_MAX_WORKERS);
	vg->engine_priv = ip;
	err = interp_workers_start(ip);
	if (err)
		goto out_priv;
	interp_debugfs_init(ip);
	pr_info("gpu %u: %s, %u workers, %s lanes%s\n", vg->gdev->index,
		vg->gdev->target->name, ip->nworkers, isa_lane_name(ip->lane),
		vg->slow ? ", emulated CPU" : "");
	return 0;

out_priv:
	vg->engine_priv = NULL;
	kvfree(ip->remote_opcodes);
out_free:
	kfree(ip);
	return err;
}

static void interp_fini(struct hw *vg)
{
	struct interp *ip = to_interp(vg);

	interp_debugfs_fini(ip);
	interp_workers_stop(ip);
	vg->engine_priv = NULL;
	mutex_destroy(&ip->remotes_lock);
	kvfree(ip->remote_opcodes);
	kfree(ip);
}

static void interp_admit_groups(struct hw_compute *vq, u64 groups)
{
	struct interp *ip = to_interp(vq->vg);

	interp_work_kick(ip, min_t(u64, groups, ip->nworkers));
}

/* Wakes all workers: those that have groups that may go on, or must be dropped, will see it. */
static void interp_kick_all(struct hw *vg)
{
	struct interp *ip = to_interp(vg);

	interp_work_kick(ip, ip->nworkers);
}

static void interp_code_changed(struct hw *vg)
{
	atomic_inc(&to_interp(vg)->code_epoch);
}

const struct engine_ops interp_engine_ops = {
	.name = "interpreter",
	.init = interp_init,
	.fini = interp_fini,
	.admit = interp_admit_groups,
	.run = interp_kick_all,
	.kill = interp_kick_all,
	.trap = interp_trap,
	.save = interp_save,
	.load = interp_load,
	.saved = interp_saved,
	.image = interp_image,
	.adopt = interp_adopt,
	.queue_create = interp_queue_create,
	.queue_destroy = interp_queue_destroy,
	.queue_idle_locked = interp_queue_idle_locked,
	.cu_mask_locked = interp_cu_mask_locked,
	.jobs_open = interp_jobs_open,
	.jobs_close = interp_jobs_close,
	.code_changed = interp_code_changed,
	.busy_cus = interp_busy_cus,
	.show = interp_show,
};
