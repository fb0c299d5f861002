// SPDX-License-Identifier: GPL-2.0-only
/* Delays where threads may meet; see race.h. */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/random.h>
#include <linux/seq_file.h>

#include "gpu/device.h"
#include "race.h"

/* Threads may hold mmap_lock or mutexes here: long enough to collide, too short for a hang. */
#define MAX_DELAY_US	100000u
/* One of so many threads that pass is delayed. */
#define STAY_ONE_IN	4

unsigned int vkfd_race_delay_us;
module_param_named(race_delay_us, vkfd_race_delay_us, uint, 0644);
MODULE_PARM_DESC(race_delay_us, "longest of the random delays at places where threads may meet, in microseconds; 0: none (default)");

static LLIST_HEAD(vkfd_race_points);

void vkfd_race_pass(struct vkfd_race_point *point)
{
	unsigned int most = min(READ_ONCE(vkfd_race_delay_us), MAX_DELAY_US), us;

	might_sleep();
	if (!atomic_xchg(&point->known, 1))
		llist_add(&point->node, &vkfd_race_points);
	atomic_inc(&point->passed);
	if (!most || get_random_u32() % STAY_ONE_IN)
		return;
	atomic_inc(&point->stayed);
	us = 1 + get_random_u32() % most;
	usleep_range(us, us + us / 4);
}

static int race_points_show(struct seq_file *m, void *unused)
{
	struct vkfd_race_point *point;

	llist_for_each_entry(point, READ_ONCE(vkfd_race_points.first), node)
		seq_printf(m, "%d %d %s\n", atomic_read(&point->passed),
			   atomic_read(&point->stayed), point->name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(race_points);

void vkfd_race_debugfs_init(void)
{
	debugfs_create_file("race_points", 0444, gpu_debugfs, NULL, &race_points_fops);
}
