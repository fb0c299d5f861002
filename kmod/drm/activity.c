// SPDX-License-Identifier: GPL-2.0-only
/*
 * How busy a GPU was in the last second. The backend counts the time in which it has
 * work. While somebody has the device open, a sampler reads these counters every quarter
 * of a second; the activity of the last second is computed from its samples.
 *
 * There is no memory controller to ask. Memory counts as busy while compute units or
 * SDMA engines work, as nothing else uses it.
 */
#include <linux/math64.h>

#include "../gpu/backend.h"
#include "../gpu/device.h"
#include "pm.h"

#define WINDOW_NS	NSEC_PER_SEC
#define PERIOD		msecs_to_jiffies(250)

u64 vdrm_activity_ns(const struct vdrm_activity *a, enum vdrm_unit unit)
{
	u64 ns = gpu_backend_busy_ns(a->gdev);

	if (unit == VDRM_MEM)
		ns += gpu_backend_sdma_busy_ns(a->gdev);
	return ns;
}

static void vdrm_activity_sample(struct vdrm_activity *a)
{
	u64 gfx = vdrm_activity_ns(a, VDRM_GFX), mem = vdrm_activity_ns(a, VDRM_MEM);

	spin_lock(&a->lock);
	a->at[a->next] = ktime_get_ns();
	a->busy[a->next][VDRM_GFX] = gfx;
	a->busy[a->next][VDRM_MEM] = mem;
	a->next = (a->next + 1) % VDRM_SAMPLES;
	spin_unlock(&a->lock);
}

static void vdrm_activity_work(struct work_struct *work)
{
	struct vdrm_activity *a = container_of(to_delayed_work(work), struct vdrm_activity,
					       sampler);

	vdrm_activity_sample(a);
	if (READ_ONCE(a->users))
		schedule_delayed_work(&a->sampler, PERIOD);
}

void vdrm_activity_get(struct vdrm_activity *a)
{
	bool first;

	spin_lock(&a->lock);
	first = !a->users++;
	spin_unlock(&a->lock);
	if (first)
		mod_delayed_work(system_percpu_wq, &a->sampler, 0);
}

void vdrm_activity_put(struct vdrm_activity *a)
{
	bool last;

	spin_lock(&a->lock);
	last = !--a->users;
	spin_unlock(&a->lock);
	/* Take a last sample, so that the work done until now counts; then stop. */
	if (last) {
		cancel_delayed_work_sync(&a->sampler);
		vdrm_activity_sample(a);
		/* That may have been the work of one who has come meanwhile and cancels it later. */
		spin_lock(&a->lock);
		if (a->users)
			mod_delayed_work(system_percpu_wq, &a->sampler, PERIOD);
		spin_unlock(&a->lock);
	}
}

/* Measures from the newest sample that is a window old, or from the oldest there is. */
unsigned int vdrm_activity_percent(struct vdrm_activity *a, enum vdrm_unit unit)
{
	u64 busy = vdrm_activity_ns(a, unit), now = ktime_get_ns();
	unsigned int i, n, from;
	u64 percent;

	spin_lock(&a->lock);
	from = a->next;
	for (n = 0, i = a->next; n < VDRM_SAMPLES; n++, i = (i + 1) % VDRM_SAMPLES)
		if (a->at[i] + WINDOW_NS <= now)
			from = i;
	percent = div64_u64((busy - min(busy, a->busy[from][unit])) * 100,
			    max_t(u64, now - a->at[from], 1));
	spin_unlock(&a->lock);
	return min_t(u64, percent, 100);
}

void vdrm_activity_init(struct vdrm_activity *a, struct gpu_device *gdev)
{
	unsigned int i;

	a->gdev = gdev;
	spin_lock_init(&a->lock);
	INIT_DELAYED_WORK(&a->sampler, vdrm_activity_work);
	for (i = 0; i < VDRM_SAMPLES; i++)
		vdrm_activity_sample(a);
}
