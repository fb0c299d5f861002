/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places where one thread may meet another: between a lookup and its use, before
 * a lock, between the steps of taking something apart. On a kernel that is built
 * to find mistakes (KASAN, KCSAN, lockdep) the module parameter race_delay_us
 * makes some of those who come by stay there for a random time up to that, so that
 * the others arrive. Other kernels have none of this in the module. selftests/race
 * uses it; race_points in debugfs counts.
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
 * @node: in the list of those that somebody came by
 * @known: set when it is there
 * @passed: how often somebody came by; @stayed: and had to wait
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
