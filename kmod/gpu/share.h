/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What there is only so much of for all users together.
 *
 * A user may have half of what the others have left. So whoever comes later finds something,
 * however much others have taken; and one who is alone has half of all. A process that was
 * privileged (CAP_SYS_RESOURCE) when it opened the device may have all that is left.
 */
#ifndef GPU_SHARE_H
#define GPU_SHARE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct gpu_process;

/**
 * struct gpu_share - what one user has; room.c keeps more about each of them
 * @node: in gpu_shares.users
 * @uid: who, as gpu_user() says
 * @n: how many, not 0
 */
struct gpu_share {
	struct list_head node;
	kuid_t uid;
	unsigned int n;
};

/**
 * struct gpu_shares - one kind of thing
 * @lock: a leaf, guards the rest
 * @users: struct gpu_share.node of those who have any
 * @taken: by all of them
 */
struct gpu_shares {
	spinlock_t lock;
	struct list_head users;
	unsigned int taken;
};

#define GPU_SHARES_INIT(name) \
	{ __SPIN_LOCK_UNLOCKED(name.lock), LIST_HEAD_INIT(name.users), 0 }

void gpu_shares_init(struct gpu_shares *s);

/**
 * gpu_share_add_locked() - one more for a user, whatever others have
 * @s: the kind of thing
 * @fresh: with nothing but the user, or what that has already
 * Return: what the user of @fresh has; @fresh, if that was nothing
 */
struct gpu_share *gpu_share_add_locked(struct gpu_shares *s, struct gpu_share *fresh);
/* One less; true if that was the last one: nobody finds @share any more. */
bool gpu_share_del_locked(struct gpu_shares *s, struct gpu_share *share);

/**
 * gpu_share_take() - one more for the user of @p
 * @s: the kind of thing
 * @p: a process
 * @limit: of all users together; may fall below what is taken
 * @gfp: how to allocate
 * Return: what to give back; -ENOSPC: there is none for that user; -ENOMEM
 */
struct gpu_share *gpu_share_take(struct gpu_shares *s, const struct gpu_process *p,
				 unsigned int limit, gfp_t gfp);
/* The same for the user who calls, and by his privileges */
struct gpu_share *gpu_share_take_own(struct gpu_shares *s, unsigned int limit, gfp_t gfp);
void gpu_share_give(struct gpu_shares *s, struct gpu_share *share);

#endif /* GPU_SHARE_H */
