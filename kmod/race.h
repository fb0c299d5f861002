/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places where one thread may race with another: between a lookup and its use, before a
 * lock, between the steps of a teardown. On kernels built to find bugs (KASAN, KCSAN,
 * lockdep), the module parameter race_delay_us makes some of the threads that pass such a
 * place wait there for a random time up to that value, so that others can catch up. Modules
 * for other kernels contain none of this. selftests/race uses it; race_points in debugfs has
 * the counts.
 */
#ifndef VKFD_RACE_H
#define VKFD_RACE_H

#ifdef VKFD_RACE

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/llist.h>

/**
 * struct vkfd_race_point - a place
 * @name: "where: between what and what"
 * @node: in the list of places that a thread has passed
 * @known: set once it is in that list
 * @passed: how often a thread passed it; @stayed: how often one was delayed
 */
struct vkfd_race_point {
	const char *name;
	struct llist_node node;
	atomic_t known, passed, stayed;
};

extern unsigned int vkfd_race_delay_us;
void vkfd_race_pass(struct vkfd_race_point *point);
void vkfd_race_debugfs_init(void);

/* May sleep. */
#define vkfd_race_point(_name) \
	do { \
		static struct vkfd_race_point vkfd_race_here = { .name = _name }; \
		if (READ_ONCE(vkfd_race_delay_us)) \
			vkfd_race_pass(&vkfd_race_here); \
	} while (0)

#else

#define vkfd_race_point(_name)		((void)0)
#define vkfd_race_debugfs_init()	((void)0)

#endif

#endif /* VKFD_RACE_H */
