/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * 6.7: shrinkers are allocated, and registering one cannot fail. On older kernels, a
 * shrinker whose registration fails is simply never called.
 */
#ifndef VKFD_COMPAT_SHRINKER_H
#define VKFD_COMPAT_SHRINKER_H

#ifndef COMPAT_HAVE_SHRINKER_ALLOC
#include <linux/printk.h>
#include <linux/shrinker.h>
#include <linux/slab.h>

static inline struct shrinker *shrinker_alloc(unsigned int flags, const char *name)
{
	struct shrinker *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (s) {
		s->flags = flags;
		s->seeks = DEFAULT_SEEKS;
	}
	return s;
}

static inline void shrinker_register(struct shrinker *s)
{
	if (register_shrinker(s, KBUILD_MODNAME))
		pr_warn("no memory for a shrinker\n");
}

static inline void shrinker_free(struct shrinker *s)
{
	unregister_shrinker(s);
	kfree(s);
}
#endif /* COMPAT_HAVE_SHRINKER_ALLOC */

#endif /* VKFD_COMPAT_SHRINKER_H */
