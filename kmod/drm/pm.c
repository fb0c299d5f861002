// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model of clocks, power and temperatures. A virtual GPU has no clock generator, no
 * voltage regulator and no thermometer, but tools expect them. Their values follow from
 * the user's settings (performance level, masks, power limit) and from the activity a
 * (0..1) measured over the last second. For the shader clock and power, a is the activity
 * of the compute units; for the other clocks, that of the memory.
 *
 *   clock        lowest + a * (highest - lowest), rounded up to a level; fixed by the
 *                performance level, or limited by the mask in manual mode
 *   voltage      between the voltages of the lowest and the highest shader clock
 *   power        idle + a * (default limit - idle), never above the limit
 *   energy       the same, over the total time the GPU was busy
 *   temperature  30 C at no power, 75 C at the edge at the default limit; the
 *                junction is up to 12 C and the memory up to 6 C warmer
 *
 * A GPU that was told to throttle (gpu/inject.c) shows its lowest shader clock, and the
 * limit that it has reached. Nothing runs slower at a lower clock.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "../gpu/device.h"
#include "../model/target.h"
#include "pm.h"

#define AMBIENT_MC	30000
#define EDGE_RISE_MC	45000
#define JUNCTION_MC	12000
#define MEM_MC		6000

const struct gpu_target_clock *vdrm_pm_clock(const struct vdrm_pm *pm, enum vdrm_clock which)
{
	static const size_t at[VDRM_NUM_CLOCKS] = {
		[VDRM_SCLK] = offsetof(struct gpu_target_pm, sclk),
		[VDRM_MCLK] = offsetof(struct gpu_target_pm, mclk),
		[VDRM_SOCCLK] = offsetof(struct gpu_target_pm, socclk),
		[VDRM_FCLK] = offsetof(struct gpu_target_pm, fclk),
		[VDRM_DCEFCLK] = offsetof(struct gpu_target_pm, dcefclk),
	};

	return (const void *)pm->model + at[which];
}

/* How far up a clock goes, in percent, given the performance level and the activity. */
static unsigned int vdrm_pm_demand(const struct vdrm_pm *pm, enum vdrm_clock which,
				   unsigned int busy)
{
	lockdep_assert_held(&pm->lock);
	switch (pm->level) {
	case VDRM_PERF_LOW:
		return 0;
	case VDRM_PERF_HIGH:
	case VDRM_PERF_PROFILE_PEAK:
		return 100;
	case VDRM_PERF_PROFILE_STANDARD:
		return 50;
	case VDRM_PERF_PROFILE_MIN_SCLK:
		return which == VDRM_SCLK ? 0 : 50;
	case VDRM_PERF_PROFILE_MIN_MCLK:
		return which == VDRM_MCLK ? 0 : 50;
	default:
		return busy;
	}
}

/* The clock @percent of the way from level @lo to level @hi, rounded up to a level. */
static unsigned int vdrm_pm_clock_at(const struct gpu_target_clock *c, unsigned int lo,
				     unsigned int hi, unsigned int percent)
{
	unsigned int want = c->mhz[lo] + (c->mhz[hi] - c->mhz[lo]) * percent / 100, i;

	if (c->fine)
		return want;
	for (i = lo; i < hi; i++)
		if (c->mhz[i] >= want)
			break;
	return c->mhz[i];
}

static unsigned int vdrm_pm_mhz(const struct vdrm_pm *pm, enum vdrm_clock which,
				unsigned int busy)
{
	const struct gpu_target_clock *c = vdrm_pm_clock(pm, which);
	u32 mask = pm->level == VDRM_PERF_MANUAL ? pm->mask[which] : 0;

	if (!c->num)
		return 0;
	return vdrm_pm_clock_at(c, mask ? __ffs(mask) : 0, mask ? __fls(mask) : c->num - 1,
				vdrm_pm_demand(pm, which, busy));
}

/* The voltage is a linear function of the shader clock. */
static unsigned int vdrm_pm_millivolts(const struct vdrm_pm *pm, unsigned int sclk)
{
	const struct gpu_target_pm *m = pm->model;
	unsigned int lo = m->sclk.mhz[0], hi = m->sclk.mhz[m->sclk.num - 1];

	return m->idle_mv + (m->peak_mv - m->idle_mv) * (sclk - lo) / max(hi - lo, 1u);
}

static void vdrm_pm_power(const struct vdrm_pm *pm, struct vdrm_sensors *s)
{
	const struct gpu_target_pm *m = pm->model;
	u64 span = m->cap_watts - m->idle_watts, rise;

	s->microwatts = (u64)m->idle_watts * USEC_PER_SEC +
			span * s->busy[VDRM_GFX] * (USEC_PER_SEC / 100);
	s->microwatts = min_t(u64, s->microwatts, (u64)pm->cap_watts * USEC_PER_SEC);
	/* Watts times microseconds are microjoules. */
	s->microjoules = m->idle_watts * div_u64(s->up_ns, NSEC_PER_USEC) +
			 span * div_u64(s->busy_ns[VDRM_GFX], NSEC_PER_USEC);

	rise = div_u64(s->microwatts * EDGE_RISE_MC, m->cap_watts * USEC_PER_SEC);
	s->edge_mc = AMBIENT_MC + rise;
	s->junction_mc = s->edge_mc + JUNCTION_MC * rise / EDGE_RISE_MC;
	s->mem_mc = s->edge_mc + MEM_MC * rise / EDGE_RISE_MC;
}

static void vdrm_pm_throttle(const struct vdrm_pm *pm, struct vdrm_sensors *s)
{
	const struct gpu_target_pm *m = pm->model;

	if (s->throttle)
		s->mhz[VDRM_SCLK] = m->sclk.mhz[0];
	if (s->throttle & BIT_ULL(GPU_THROTTLE_POWER))
		s->microwatts = (u64)pm->cap_watts * USEC_PER_SEC;
	if (s->throttle & BIT_ULL(GPU_THROTTLE_TEMP_GPU)) {
		s->junction_mc = m->junction.crit * 1000;
		/* As far below the hottest place as at the power limit */
		s->edge_mc = s->junction_mc - JUNCTION_MC;
	}
	if (s->throttle & BIT_ULL(GPU_THROTTLE_TEMP_MEM))
		s->mem_mc = m->mem.crit * 1000;
}

void vdrm_pm_sense(struct vdrm_pm *pm, struct vdrm_sensors *s)
{
	enum vdrm_unit unit;
	enum vdrm_clock i;

	for (unit = 0; unit < VDRM_NUM_UNITS; unit++) {
		s->busy[unit] = vdrm_activity_percent(&pm->activity, unit);
		s->busy_ns[unit] = vdrm_activity_ns(&pm->activity, unit) - pm->before[unit];
	}
	s->up_ns = ktime_get_ns() - pm->since;
	mutex_lock(&pm->lock);
	for (i = 0; i < VDRM_NUM_CLOCKS; i++)
		s->mhz[i] = vdrm_pm_mhz(pm, i, s->busy[i == VDRM_SCLK ? VDRM_GFX : VDRM_MEM]);
	s->millivolts = vdrm_pm_millivolts(pm, s->mhz[VDRM_SCLK]);
	vdrm_pm_power(pm, s);
	s->throttle = READ_ONCE(pm->activity.gdev->inject.throttle);
	vdrm_pm_throttle(pm, s);
	mutex_unlock(&pm->lock);
}

/* The clock that the level profile_standard fixes. */
unsigned int vdrm_pm_stable_mhz(struct vdrm_pm *pm, enum vdrm_clock which)
{
	const struct gpu_target_clock *c = vdrm_pm_clock(pm, which);

	return vdrm_pm_clock_at(c, 0, c->num - 1, 50);
}

static bool vdrm_pm_is_profile(enum vdrm_perf_level level)
{
	return level >= VDRM_PERF_PROFILE_STANDARD && level <= VDRM_PERF_PROFILE_PEAK;
}

/* As amdgpu_dpm_force_performance_level(): leaving a profile restores the level before it. */
static int vdrm_pm_level_locked(struct vdrm_pm *pm, enum vdrm_perf_level level)
{
	lockdep_assert_held(&pm->lock);
	if (level == VDRM_PERF_DETERMINISM && !pm->model->determinism)
		return -EINVAL;
	if (level == VDRM_PERF_PROFILE_EXIT) {
		if (!vdrm_pm_is_profile(pm->level))
			return -EINVAL;
		level = pm->saved;
	} else if (vdrm_pm_is_profile(level) && !vdrm_pm_is_profile(pm->level)) {
		pm->saved = pm->level;
	}
	pm->level = level;
	if (level != VDRM_PERF_MANUAL)
		memset(pm->mask, 0, sizeof(pm->mask));
	return 0;
}

int vdrm_pm_set_level(struct vdrm_pm *pm, enum vdrm_perf_level level)
{
	int ret;

	mutex_lock(&pm->lock);
	ret = vdrm_pm_level_locked(pm, level);
	if (!ret)
		pm->owner = NULL;
	mutex_unlock(&pm->lock);
	return ret;
}

/* ------------------------------------------------------- levels of contexts */

/* Profiles stand in the order of AMDGPU_CTX_STABLE_PSTATE_*, from STANDARD on. */
static u32 vdrm_pm_pstate_locked(const struct vdrm_pm *pm)
{
	return vdrm_pm_is_profile(pm->level) ? pm->level - VDRM_PERF_PROFILE_STANDARD + 1 : 0;
}

static int vdrm_pm_pstate_set_locked(struct vdrm_pm *pm, u32 pstate)
{
	return vdrm_pm_level_locked(pm, pstate ? VDRM_PERF_PROFILE_STANDARD + pstate - 1 :
						 VDRM_PERF_AUTO);
}

u32 vdrm_pm_pstate(struct vdrm_pm *pm)
{
	u32 pstate;

	mutex_lock(&pm->lock);
	pstate = vdrm_pm_pstate_locked(pm);
	mutex_unlock(&pm->lock);
	return pstate;
}

/* As amdgpu_ctx_set_stable_pstate(): who asks for what is there anyway does not have it. */
int vdrm_pm_pstate_take(struct vdrm_pm *pm, const void *owner, u32 pstate)
{
	u32 found;
	int ret = 0;

	mutex_lock(&pm->lock);
	found = vdrm_pm_pstate_locked(pm);
	if (pm->owner && pm->owner != owner)
		ret = -EBUSY;
	else if (found != pstate)
		ret = vdrm_pm_pstate_set_locked(pm, pstate);
	if (!ret && found != pstate && !pm->owner) {
		pm->owner = owner;
		pm->owner_found = found;
	}
	mutex_unlock(&pm->lock);
	return ret;
}

void vdrm_pm_pstate_leave(struct vdrm_pm *pm, const void *owner)
{
	mutex_lock(&pm->lock);
	if (pm->owner == owner) {
		if (vdrm_pm_pstate_locked(pm) != pm->owner_found)
			vdrm_pm_pstate_set_locked(pm, pm->owner_found);
		pm->owner = NULL;
	}
	mutex_unlock(&pm->lock);
}

/* Only in manual mode, and only with levels that exist. */
int vdrm_pm_set_mask(struct vdrm_pm *pm, enum vdrm_clock which, u32 mask)
{
	const struct gpu_target_clock *c = vdrm_pm_clock(pm, which);
	int ret = -EINVAL;

	mutex_lock(&pm->lock);
	if (pm->level == VDRM_PERF_MANUAL && mask && mask < 1u << c->num) {
		pm->mask[which] = mask;
		ret = 0;
	}
	mutex_unlock(&pm->lock);
	return ret;
}

int vdrm_pm_set_cap(struct vdrm_pm *pm, unsigned int watts)
{
	if (watts > pm->model->max_cap_watts)
		return -EINVAL;
	mutex_lock(&pm->lock);
	pm->cap_watts = watts ?: pm->model->cap_watts;
	mutex_unlock(&pm->lock);
	return 0;
}

void vdrm_pm_init(struct vdrm_pm *pm, struct gpu_device *gdev)
{
	pm->model = gpu_target_pm(gdev->target);
	mutex_init(&pm->lock);
	pm->cap_watts = pm->model->cap_watts;
	pm->log_interval = 60;
	vdrm_policy_init(pm);
	if (pm->model->profiles)
		memcpy(pm->custom, pm->model->profiles->value[GPU_PROFILES - 1],
		       sizeof(pm->custom));
	vdrm_activity_init(&pm->activity, gdev);
	pm->since = ktime_get_ns();
	pm->before[VDRM_GFX] = vdrm_activity_ns(&pm->activity, VDRM_GFX);
	pm->before[VDRM_MEM] = vdrm_activity_ns(&pm->activity, VDRM_MEM);
}
