// SPDX-License-Identifier: GPL-2.0-only
/* The clock of a GPU, its interrupts, and counts of things used that are not supported. */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "hw.h"

/*
 * Boot time: it never goes back and runs on during suspend, like the system clock in
 * GET_CLOCK_COUNTERS.
 */
u64 hw_clock(void)
{
	return div_u64(ktime_get_boottime_ns(), 10);
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
