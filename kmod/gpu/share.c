// SPDX-License-Identifier: GPL-2.0-only
/* Shares of users. See share.h. */
#include <linux/err.h>
#include <linux/math.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#include "process.h"
#include "share.h"

void gpu_shares_init(struct gpu_shares *s)
{
	spin_lock_init(&s->lock);
	INIT_LIST_HEAD(&s->users);
	s->taken = 0;
}

static struct gpu_share *share_find_locked(struct gpu_shares *s, kuid_t uid)
{
	struct gpu_share *share;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(share, &s->users, node)
		if (uid_eq(share->uid, uid))
			return share;
	return NULL;
}

struct gpu_share *gpu_share_add_locked(struct gpu_shares *s, struct gpu_share *fresh)
{
	struct gpu_share *share = share_find_locked(s, fresh->uid);

	if (!share) {
		share = fresh;
		list_add(&share->node, &s->users);
	}
	share->n++;
	s->taken++;
	return share;
}

bool gpu_share_del_locked(struct gpu_shares *s, struct gpu_share *share)
{
	lockdep_assert_held(&s->lock);
	s->taken--;
	if (--share->n)
		return false;
	list_del(&share->node);
	return true;
}

static bool share_allows(const struct gpu_shares *s, bool privileged, unsigned int mine,
			 unsigned int limit)
{
	unsigned int others = s->taken - mine;

	if (s->taken >= limit)
		return false;
	return privileged || mine < DIV_ROUND_UP(limit - others, 2);
}

static struct gpu_share *share_take(struct gpu_shares *s, kuid_t uid, bool privileged,
				    unsigned int limit, gfp_t gfp)
{
	struct gpu_share *fresh = kmalloc(sizeof(*fresh), gfp), *share;

	if (!fresh)
		return ERR_PTR(-ENOMEM);
	*fresh = (struct gpu_share){ .uid = uid };
	spin_lock(&s->lock);
	share = share_find_locked(s, uid);
	if (share_allows(s, privileged, share ? share->n : 0, limit))
		share = gpu_share_add_locked(s, fresh);
	else
		share = ERR_PTR(-ENOSPC);
	spin_unlock(&s->lock);
	if (share != fresh)
		kfree(fresh);
	return share;
}

struct gpu_share *gpu_share_take(struct gpu_shares *s, const struct gpu_process *p,
				 unsigned int limit, gfp_t gfp)
{
	return share_take(s, p->uid, p->privileged, limit, gfp);
}

struct gpu_share *gpu_share_take_own(struct gpu_shares *s, unsigned int limit, gfp_t gfp)
{
	return share_take(s, gpu_user(), gpu_user_privileged(), limit, gfp);
}

void gpu_share_give(struct gpu_shares *s, struct gpu_share *share)
{
	bool last;

	spin_lock(&s->lock);
	last = gpu_share_del_locked(s, share);
	spin_unlock(&s->lock);
	if (last)
		kfree(share);
}
