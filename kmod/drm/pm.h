/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measured activity, and what is derived from it: the model of clocks, power and
 * temperatures behind the files that monitoring tools read.
 */
#ifndef VDRM_PM_H
#define VDRM_PM_H

#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "../model/target.h"

struct attribute_group;
struct device;
struct device_attribute;
struct gpu_device;

#define VDRM_SAMPLES	8

/* Units whose activity is measured: compute units, and memory whoever uses it. */
enum vdrm_unit { VDRM_GFX, VDRM_MEM, VDRM_NUM_UNITS };

/**
 * struct vdrm_activity - recent activity of a GPU
 * @lock: guards the members below
 * @users: open files; while there are none, nothing can run on the GPU
 * @at,@busy: time of each sample, and how long each unit had been busy until then
 * @next: index of the oldest sample, which the next one replaces
 * @sampler: takes samples while there are users
 */
struct vdrm_activity {
	struct gpu_device *gdev;
	spinlock_t lock;
	unsigned int users;
	u64 at[VDRM_SAMPLES], busy[VDRM_SAMPLES][VDRM_NUM_UNITS];
	unsigned int next;
	struct delayed_work sampler;
};

enum vdrm_perf_level {
	VDRM_PERF_AUTO,
	VDRM_PERF_LOW,
	VDRM_PERF_HIGH,
	VDRM_PERF_MANUAL,
	VDRM_PERF_PROFILE_STANDARD,
	VDRM_PERF_PROFILE_MIN_SCLK,
	VDRM_PERF_PROFILE_MIN_MCLK,
	VDRM_PERF_PROFILE_PEAK,
	VDRM_PERF_DETERMINISM,
	VDRM_PERF_PROFILE_EXIT,		/* a command, never a state */
};

enum vdrm_clock { VDRM_SCLK, VDRM_MCLK, VDRM_SOCCLK, VDRM_FCLK, VDRM_DCEFCLK, VDRM_NUM_CLOCKS };

/**
 * struct vdrm_pm - power management of a GPU, as far as users can set it
 * @since: when the device appeared (ns); @before: how long units had been busy until then
 * @lock: guards the members below
 * @level: performance level; @saved: the level before a profile was chosen
 * @owner: the context of the render node that has chosen it, to be compared only, or NULL;
 *	@owner_found: what it will leave behind, see vdrm_pm_pstate()
 * @mask: allowed levels of each clock in manual mode, 0: all
 * @cap_watts: power limit
 * @profile: power profile; @custom: values of the user's profile; @custom_set: the user
 *	has set them
 * @log_interval: of thermal throttling, in seconds; 0: off
 * @policy: level of each policy, where @model has them
 */
struct vdrm_pm {
	const struct gpu_target_pm *model;
	u64 since, before[VDRM_NUM_UNITS];
	struct vdrm_activity activity;
	struct mutex lock;
	enum vdrm_perf_level level, saved;
	const void *owner;
	u32 owner_found;
	u32 mask[VDRM_NUM_CLOCKS];
	unsigned int cap_watts;
	unsigned int profile;
	s32 custom[GPU_PROFILE_CLOCKS][GPU_PROFILE_VALUES];
	bool custom_set;
	unsigned int log_interval;
	u8 policy[GPU_NUM_POLICIES];
};

/**
 * struct vdrm_sensors - all sensors at one moment
 * @busy: percent of the last second in which the units had work
 * @busy_ns: total busy time; @up_ns: time since the device appeared
 * @mhz: clocks
 * @microjoules: energy since the device appeared
 * @throttle: what throttles, bits GPU_THROTTLE_*
 */
struct vdrm_sensors {
	unsigned int busy[VDRM_NUM_UNITS];
	u64 busy_ns[VDRM_NUM_UNITS], up_ns;
	unsigned int mhz[VDRM_NUM_CLOCKS];
	unsigned int millivolts;
	u64 microwatts, microjoules, throttle;
	unsigned int edge_mc, junction_mc, mem_mc;	/* thousandths of a degree */
};

/* activity.c */
void vdrm_activity_init(struct vdrm_activity *a, struct gpu_device *gdev);
void vdrm_activity_get(struct vdrm_activity *a);
void vdrm_activity_put(struct vdrm_activity *a);
unsigned int vdrm_activity_percent(struct vdrm_activity *a, enum vdrm_unit unit);
u64 vdrm_activity_ns(const struct vdrm_activity *a, enum vdrm_unit unit);

/* pm.c */
void vdrm_pm_init(struct vdrm_pm *pm, struct gpu_device *gdev);
const struct gpu_target_clock *vdrm_pm_clock(const struct vdrm_pm *pm, enum vdrm_clock which);
unsigned int vdrm_pm_stable_mhz(struct vdrm_pm *pm, enum vdrm_clock which);
void vdrm_pm_sense(struct vdrm_pm *pm, struct vdrm_sensors *s);
/* By the machine's master: what a context has chosen is forgotten. */
int vdrm_pm_set_level(struct vdrm_pm *pm, enum vdrm_perf_level level);
/* AMDGPU_CTX_STABLE_PSTATE_*: the profile, if there is one */
u32 vdrm_pm_pstate(struct vdrm_pm *pm);
/* @owner, a context, has it from now on. -EBUSY: another one has. */
int vdrm_pm_pstate_take(struct vdrm_pm *pm, const void *owner, u32 pstate);
/* What @owner has found is there again, if it has chosen something. */
void vdrm_pm_pstate_leave(struct vdrm_pm *pm, const void *owner);
int vdrm_pm_set_mask(struct vdrm_pm *pm, enum vdrm_clock which, u32 mask);
int vdrm_pm_set_cap(struct vdrm_pm *pm, unsigned int watts);

/* metrics.c: writes the table for @pm's card into a page; returns its length */
ssize_t vdrm_metrics(struct vdrm_pm *pm, struct device *dev, char *buf);

/* sysfs_pm.c */
extern const struct attribute_group vdrm_pm_group;

/* sysfs_profile.c */
extern struct device_attribute dev_attr_pp_power_profile_mode;

/* sysfs_policy.c */
extern const struct attribute_group vdrm_policy_group;
void vdrm_policy_init(struct vdrm_pm *pm);
bool vdrm_policy_shown(const struct vdrm_pm *pm);

/* hwmon.c */
int vdrm_hwmon_init(struct vdrm_pm *pm, struct device *parent, struct device **hwmon);
void vdrm_hwmon_fini(struct device *hwmon);

#endif /* VDRM_PM_H */
