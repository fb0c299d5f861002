// SPDX-License-Identifier: GPL-2.0-only
/* The clock of a GPU, its interrupts, and counts of things used that are not supported. */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "hw.h"

#define FEW_CPUS	4

/*
 * Boot time: it never goes back and runs on during suspend, like the system clock in
 * GET_CLOCK_COUNTERS.
 */
u64 hw_clock(void)
{
	return div_u64(ktime_get_boottime_ns(), 10);
}

/* counter_khz is the rate of a crystal in whole kHz; each new skew makes up for the rest. */
u64 hw_now(struct hw *vg, const struct gpu_vm *vm)
{
	u32 khz = vg->gdev->target->counter_khz;
	u64 now = hw_clock();

	if (khz != HW_CLOCK_KHZ)
		now = mul_u64_u32_div(now, khz, HW_CLOCK_KHZ);
	return vm ? now + (u64)atomic64_read(&vm->clock_skew) : now;
}

static void set_lengths(struct hw *vg, bool slow)
{
	vg->slow = slow;
	vg->hot_ns = slow || num_online_cpus() < FEW_CPUS ? 5 * NSEC_PER_USEC :
							    20 * NSEC_PER_USEC;
	vg->turn_ns = slow ? 10 * NSEC_PER_MSEC : NSEC_PER_MSEC;
	vg->quantum_ns = slow ? 50 * NSEC_PER_MSEC : 10 * NSEC_PER_MSEC;
}

void hw_setup(struct hw *vg, struct gpu_device *gdev, bool slow)
{
	vg->gdev = gdev;
	set_lengths(vg, slow);
	hw_cus_init(vg);
	spin_lock_init(&vg->lock);
	INIT_LIST_HEAD(&vg->queues);
	INIT_LIST_HEAD(&vg->ready);
	INIT_LIST_HEAD(&vg->late);
	INIT_LIST_HEAD(&vg->cps_through);
	INIT_LIST_HEAD(&vg->sdmas);
	init_waitqueue_head(&vg->cp_wq);
}

void hw_doorbell(struct gpu_doorbells *db)
{
	struct hw *vg = to_hw(db->gdev);

	atomic64_inc(&vg->doorbell_wakes);
	hw_cp_kick(vg);
}

u64 hw_device_clock(struct gpu_device *gdev, struct gpu_vm *vm)
{
	return hw_now(to_hw(gdev), vm);
}

u64 hw_busy_ns(struct gpu_device *gdev)
{
	struct hw *vg = to_hw(gdev);
	u64 ns;

	spin_lock(&vg->lock);
	ns = hw_busy_time_locked(&vg->busy);
	spin_unlock(&vg->lock);
	return ns;
}

void hw_interrupt(struct hw *vg, struct gpu_process *p, u32 event_id)
{
	atomic64_inc(&vg->events);
	/* A job of the DRM face has nobody to tell. */
	if (p && !gpu_inject_drop(vg->gdev))
		gpu_host->event(p, event_id);
}

void hw_count_illegal(struct hw *vg, const char *name)
{
	unsigned int i;

	if (!name)
		name = "undefined";
	spin_lock(&vg->lock);
	for (i = 0; i < HW_ILLEGAL_NAMES - 1; i++)
		if (!vg->illegal[i].name || !strcmp(vg->illegal[i].name, name))
			break;
	/* The last row counts everything that finds no free row. */
	if (!vg->illegal[i].name)
		vg->illegal[i].name = i < HW_ILLEGAL_NAMES - 1 ? name : "other";
	vg->illegal[i].count++;
	spin_unlock(&vg->lock);
}
