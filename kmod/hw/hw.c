// SPDX-License-Identifier: GPL-2.0-only
/* The clock of a GPU, its interrupts, and its list of what it does not support and was asked for. */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "hw.h"

/*
 * Boot time: never steps back, runs on in suspend, as the system clock of
 * GET_CLOCK_COUNTERS does.
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
	/* The last row collects what finds no row of its own. */
	if (!vg->illegal[i].name)
		vg->illegal[i].name = i < HW_ILLEGAL_NAMES - 1 ? name : "other";
	vg->illegal[i].count++;
	spin_unlock(&vg->lock);
}
