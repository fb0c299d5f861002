// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fences of user queues. A queue's packets say how far it has come (PROTECTED_FENCE_SIGNAL): that
 * position of its ring goes to a word of memory, which every file with user queues sees, and can
 * only read, at the same address; so queues can wait for each other without the kernel (the real
 * driver's amdgpu_seq64.c). Here it also signals DMA fences, for everybody else.
 *
 * AQL and SDMA queues need no such packets, as the GPU tells how far they are.
 *
 * User space decides whether a queue ever gets there. So a fence that is the oldest of its queue
 * for VDRM_USERQ_TIMEOUT takes the queue down, if anybody waits for any, and the end of a queue
 * fails all fences that are left.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../gpu/backend.h"
#include "../gpu/bo.h"
#include "../gpu/vm.h"
#include "userq.h"

/* ------------------------------------------------------------------- seq64 */

/* In the reserved bottom of every address space, where GEM_VA maps nothing. */
#define VDRM_SEQ64_VA		0x100000ull
#define VDRM_SEQ64_BYTES	(VDRM_SEQ64_SLOTS * sizeof(u64))

/* With all of its pages. Both may wait for memory that the caller's memory cgroup pays. */
static struct gpu_bo *vdrm_seq64_bo(struct gpu_device *gdev)
{
	struct gpu_bo *bo = gpu_bo_create(gdev, GPU_BO_GTT, VDRM_SEQ64_BYTES, 0, 0);
	struct page *page;
	pgoff_t i;

	for (i = 0; !IS_ERR(bo) && i < VDRM_SEQ64_BYTES >> PAGE_SHIFT; i++) {
		page = gpu_bo_page(bo, i);
		if (!IS_ERR(page))
			continue;
		gpu_bo_put(bo);
		return ERR_CAST(page);
	}
	return bo;
}

/* Slots are used in turn, so that a stale address says "done" for long. */
static int vdrm_seq64_slot(struct vdrm_userqs *qs)
{
	u32 slot;

	lockdep_assert_held(&qs->lock);
	slot = find_next_zero_bit(qs->slots, VDRM_SEQ64_SLOTS, qs->next_slot);
	if (slot >= VDRM_SEQ64_SLOTS)
		slot = find_first_zero_bit(qs->slots, VDRM_SEQ64_SLOTS);
	if (slot >= VDRM_SEQ64_SLOTS)
		return -ENOSPC;
	__set_bit(slot, qs->slots);
	qs->next_slot = slot + 1;
	return slot;
}

/* The last slot takes the object along. */
static void vdrm_seq64_put_slot(struct vdrm_userqs *qs, u32 slot)
{
	lockdep_assert_held(&qs->lock);
	__clear_bit(slot, qs->slots);
	if (!qs->seq64 || !bitmap_empty(qs->slots, VDRM_SEQ64_SLOTS))
		return;
	gpu_bo_put(qs->seq64);
	qs->seq64 = NULL;
}

static int vdrm_seq64_take_locked(struct vdrm_userq *uq)
{
	struct vdrm_userqs *qs = &uq->vdev->userqs;
	struct page *page;
	int slot;

	lockdep_assert_held(&qs->lock);
	if (qs->gone)
		return -ENODEV;
	slot = vdrm_seq64_slot(qs);
	if (slot < 0)
		return slot;
	page = gpu_bo_page_now(qs->seq64, slot * sizeof(u64) >> PAGE_SHIFT);	/* it is there */
	if (IS_ERR(page)) {
		vdrm_seq64_put_slot(qs, slot);
		return PTR_ERR(page);
	}
	uq->seq64 = qs->seq64;
	gpu_bo_get(uq->seq64);
	uq->slot = slot;
	uq->seq = page_address(page) + offset_in_page(slot * sizeof(u64));
	WRITE_ONCE(*uq->seq, 0);
	return 0;
}

/* Nobody waits for memory under the device's lock, on which all files with user queues wait. */
static int vdrm_seq64_take(struct vdrm_userq *uq, struct gpu_device *gdev)
{
	struct vdrm_userqs *qs = &uq->vdev->userqs;
	struct gpu_bo *fresh = NULL;
	int ret;

	mutex_lock(&qs->lock);
	while (!qs->gone && !qs->seq64) {
		/* One that is made goes in, if there still is none. */
		if (fresh) {
			swap(qs->seq64, fresh);
			break;
		}
		mutex_unlock(&qs->lock);
		fresh = vdrm_seq64_bo(gdev);
		if (IS_ERR(fresh))
			return PTR_ERR(fresh);
		mutex_lock(&qs->lock);
	}
	ret = vdrm_seq64_take_locked(uq);
	mutex_unlock(&qs->lock);
	if (fresh)
		gpu_bo_put(fresh);
	return ret;
}

/*
 * The object is there while there are queues. So a file that had some before may show an older one,
 * and nobody waits for what is in it.
 */
static int vdrm_seq64_map(struct vdrm_file *vf, struct gpu_bo *bo)
{
	int ret;

	lockdep_assert_held(&vf->cs_lock);
	if (vf->seq64 == bo)
		return 0;
	if (vf->seq64) {
		ret = gpu_vm_clear(vf->vm, VDRM_SEQ64_VA, VDRM_SEQ64_BYTES);
		if (ret)
			return ret;
		vf->seq64 = NULL;
	}
	ret = gpu_vm_map(vf->vm, bo, VDRM_SEQ64_VA, 0, VDRM_SEQ64_BYTES, GPU_R);
	if (!ret)
		vf->seq64 = bo;
	return ret;
}

int vdrm_seq64_get(struct vdrm_userq *uq, struct vdrm_file *vf)
{
	int ret = vdrm_seq64_take(uq, vf->vm->gdev);

	if (ret)
		return ret;
	if (mutex_lock_interruptible(&vf->cs_lock)) {
		ret = -ERESTARTSYS;
	} else {
		ret = vdrm_seq64_map(vf, uq->seq64);
		mutex_unlock(&vf->cs_lock);
	}
	if (ret)
		vdrm_seq64_put(uq);
	return ret;
}

void vdrm_seq64_put(struct vdrm_userq *uq)
{
	struct vdrm_userqs *qs = &uq->vdev->userqs;

	mutex_lock(&qs->lock);
	vdrm_seq64_put_slot(qs, uq->slot);
	mutex_unlock(&qs->lock);
	gpu_bo_put(uq->seq64);
	uq->seq64 = NULL;
}

/* ------------------------------------------------------------------ fences */

static const char *vdrm_userq_fence_driver(struct dma_fence *fence)
{
	return "amdgpu_userq_fence";
}

static const char *vdrm_userq_fence_timeline(struct dma_fence *fence)
{
	return "vkfd";
}

/* As with jobs, a fence may outlive all files. */
static void vdrm_userq_fence_release(struct dma_fence *fence)
{
	dma_fence_free(fence);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops vdrm_userq_fence_ops = {
	.get_driver_name = vdrm_userq_fence_driver,
	.get_timeline_name = vdrm_userq_fence_timeline,
	.release = vdrm_userq_fence_release,
};

struct vdrm_userq_fence *to_vdrm_userq_fence(struct dma_fence *fence)
{
	return fence->ops == &vdrm_userq_fence_ops ?
	       container_of(fence, struct vdrm_userq_fence, base) : NULL;
}

/* Those of @list, which have the queue's references, without its lock. */
static void vdrm_userq_signal(struct vdrm_userq *uq, struct list_head *list, int err)
{
	struct vdrm_userq_fence *f, *next;

	list_for_each_entry_safe(f, next, list, link) {
		list_del_init(&f->link);
		if (err)
			dma_fence_set_error(&f->base, err);
		dma_fence_signal(&f->base);
		dma_fence_put(&f->base);
	}
	wake_up_all(&uq->wq);
}

struct dma_fence *vdrm_userq_fence_arm(struct vdrm_userq *uq, struct vdrm_userq_fence *f,
				       u64 value)
{
	bool done = true;
	int err;

	spin_lock_init(&f->lock);
	INIT_LIST_HEAD(&f->link);
	f->vdev = uq->vdev;
	f->va = VDRM_SEQ64_VA + uq->slot * sizeof(u64);
	__module_get(THIS_MODULE);
	spin_lock(&uq->lock);
	uq->value = max(uq->value, value);
	f->value = uq->value;
	dma_fence_init(&f->base, &vdrm_userq_fence_ops, &f->lock, uq->fence_context,
		       ++uq->fence_seq);
	err = uq->err;
	if (!err && *uq->seq < f->value) {
		done = false;
		dma_fence_get(&f->base);
		if (list_empty(&uq->fences)) {
			uq->watched = uq->fence_seq;
			uq->since = jiffies;
			/* It may run sooner, for a fence that has signaled by now. */
			schedule_delayed_work(&uq->hang, VDRM_USERQ_TIMEOUT);
		}
		list_add_tail(&f->link, &uq->fences);
		WRITE_ONCE(uq->nfences, uq->nfences + 1);
	}
	spin_unlock(&uq->lock);
	if (done) {
		if (err)
			dma_fence_set_error(&f->base, err);
		dma_fence_signal(&f->base);
	}
	return &f->base;
}

void vdrm_userq_progress(struct vdrm_userq *uq, u64 at)
{
	struct vdrm_userq_fence *f, *next;
	LIST_HEAD(done);

	spin_lock(&uq->lock);
	if (!uq->err && at > *uq->seq)
		/* Whoever sees the position sees what the packets before it wrote. */
		smp_store_release(uq->seq, at);
	list_for_each_entry_safe(f, next, &uq->fences, link) {
		if (f->value > *uq->seq)
			break;
		list_move_tail(&f->link, &done);
		WRITE_ONCE(uq->nfences, uq->nfences - 1);
	}
	spin_unlock(&uq->lock);
	vdrm_userq_signal(uq, &done, 0);
}

void vdrm_userq_fail(struct vdrm_userq *uq, int err)
{
	LIST_HEAD(left);

	spin_lock(&uq->lock);
	if (!uq->err)
		uq->err = err;
	list_splice_init(&uq->fences, &left);
	WRITE_ONCE(uq->nfences, 0);
	/* Queues that wait for this one must not do so for ever. */
	smp_store_release(uq->seq, U64_MAX);
	spin_unlock(&uq->lock);
	vdrm_userq_signal(uq, &left, err);
}

static bool vdrm_userq_settled(struct vdrm_userq *uq)
{
	bool empty;

	spin_lock(&uq->lock);
	empty = list_empty(&uq->fences);
	spin_unlock(&uq->lock);
	return empty;
}

void vdrm_userq_settle(struct vdrm_userq *uq, unsigned long timeout)
{
	wait_event_killable_timeout(uq->wq, vdrm_userq_settled(uq), timeout);
}

/* No time passes for a queue that is off because the machine sleeps. */
void vdrm_userq_awake(struct vdrm_userq *uq)
{
	spin_lock(&uq->lock);
	uq->since = jiffies;
	spin_unlock(&uq->lock);
}

/* Has anybody ever asked to be told of one of its fences? */
static bool vdrm_userq_waited_locked(const struct vdrm_userq *uq)
{
	const struct vdrm_userq_fence *f;

	lockdep_assert_held(&uq->lock);
	list_for_each_entry(f, &uq->fences, link)
		if (test_bit(DMA_FENCE_FLAG_ENABLE_SIGNAL_BIT, &f->base.flags))
			return true;
	return false;
}

static void vdrm_userq_hang(struct work_struct *work)
{
	struct vdrm_userq *uq = container_of(to_delayed_work(work), struct vdrm_userq, hang);
	struct vdrm_userq_fence *oldest;
	unsigned long now, end;
	bool late = false;

	vdrm_userq_look(uq);
	spin_lock(&uq->lock);
	oldest = list_first_entry_or_null(&uq->fences, struct vdrm_userq_fence, link);
	if (oldest) {
		now = jiffies;
		if (oldest->base.seqno != uq->watched || READ_ONCE(uq->q.evicted) ||
		    !vdrm_userq_waited_locked(uq)) {
			uq->watched = oldest->base.seqno;
			uq->since = now;
		}
		end = uq->since + VDRM_USERQ_TIMEOUT;
		late = time_after_eq(now, end);
		if (!late)
			schedule_delayed_work(&uq->hang, end - now);
	}
	spin_unlock(&uq->lock);
	if (!late)
		return;
	pr_warn_ratelimited("gpu %u pid %d: user queue %u reset: no progress\n",
			    uq->q.gdev->gpu_id, uq->q.process->pid, uq->q.id);
	vdrm_userq_down(uq);
	vdrm_userq_fail(uq, -ECANCELED);
	atomic_inc(&uq->vdev->userqs.resets);
}

/* Contexts tell of resets, of queues as well, as in the real driver (mes_userqueue.c). */
static void vdrm_userq_lost(struct work_struct *work)
{
	struct vdrm_userq *uq = container_of(work, struct vdrm_userq, lost);

	vdrm_userq_fail(uq, -ECANCELED);
	if (xchg(&uq->reset, false))
		atomic_inc(&uq->vdev->userqs.resets);
}

void vdrm_userq_fences_init(struct vdrm_userq *uq)
{
	spin_lock_init(&uq->lock);
	INIT_LIST_HEAD(&uq->fences);
	init_waitqueue_head(&uq->wq);
	INIT_DELAYED_WORK(&uq->hang, vdrm_userq_hang);
	INIT_WORK(&uq->lost, vdrm_userq_lost);
	uq->fence_context = dma_fence_context_alloc(1);
}
