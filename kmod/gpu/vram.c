// SPDX-License-Identifier: GPL-2.0-only
/*
 * Room in a GPU's memory, and who has to leave it for somebody else.
 *
 * What KFD allocates, of all processes together, never exceeds a GPU's memory: more is -ENOMEM,
 * as in the real driver (amdgpu_amdkfd_reserve_mem_limit()). Objects of the render node and
 * shared memory have no such limit. When the memory is full, the one that asks for more makes
 * others leave for system memory: first ranges of shared memory, which faults serve wherever
 * they are, then objects, the oldest first.
 *
 * An object that KFD has mapped leaves only after all queues of the processes that have it
 * mapped have been stopped (gpu_host_ops.evict). They are put back a moment later, with what then
 * has room there. A process's own requests do not stop it. An object that jobs use leaves when
 * they have ended. Those that none uses go first; then whoever has no lock waits for jobs, but
 * not for long, as anybody can make them last, also the one who waits.
 *
 * KFD's own requests stop nobody, as their caller has the lock of a process, and would need that
 * of another one. They need not either: because of the limit above, there is always enough
 * that others can leave, unless their jobs last.
 *
 * Partitions that share a range of their card's memory (range.c) are asked in turn, whoever wants
 * room first.
 *
 * What leaves is the object's share of the quotas. Its pages stay where they are, which is in
 * RAM; GPUs look again where they are (gpu_mem_ops.bo_move).
 */
#include <linux/bsearch.h>
#include <linux/dma-resv.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <drm/drm_gem.h>

#include "backend.h"
#include "device.h"
#include "gpu_int.h"
#include "race.h"
#include "range.h"
#include "vram.h"

/* Processes that may have an object that can be evicted. */
#define VRAM_MAX_USERS	8

/* How long a request may wait and start again, and how long it waits for the jobs of one object. */
#define VRAM_PATIENCE	(2 * HZ)
#define VRAM_JOBS_WAIT	max(HZ / 20, 1)

/*
 * How long it waits for a process that is in a call, and how many such processes it remembers: it
 * does not ask them again before it has looked at what others have. A call may last as long as its
 * process likes; but most end soon, so that who can wait asks again, as often as its time allows.
 */
#define VRAM_CALL_WAIT	max(HZ / 10, 1)
#define VRAM_MAX_DEAF	8

/*
 * A request that goes on: @until: so long; @waits: for jobs; @busy: some object is in use by them;
 * @moved: an object left; @deaf: ids of processes that were in a call, @ndeaf of them
 */
struct vram_try {
	const struct gpu_vram_want *want;
	unsigned long until;
	bool waits, busy, moved;
	u64 deaf[VRAM_MAX_DEAF];
	unsigned int ndeaf;
};

/* ---------------------------------------------------------------- the list */

void gpu_vram_join(struct gpu_bo *bo)
{
	struct gpu_device *gdev = bo->gdev;

	spin_lock(&gdev->vram_lock);
	list_add_tail(&bo->vram_node, &gdev->vram_bos);
	gdev->vram_nbos++;
	spin_unlock(&gdev->vram_lock);
}

static void vram_remove(struct gpu_bo *bo)
{
	lockdep_assert_held(&bo->gdev->vram_lock);
	if (list_empty(&bo->vram_node))
		return;
	list_del_init(&bo->vram_node);
	bo->gdev->vram_nbos--;
}

void gpu_vram_part(struct gpu_bo *bo)
{
	spin_lock(&bo->gdev->vram_lock);
	vram_remove(bo);
	spin_unlock(&bo->gdev->vram_lock);
}

void gpu_vram_join_vm(struct gpu_vm *vm)
{
	struct gpu_device *gdev = vm->gdev;

	spin_lock(&gdev->vram_lock);
	list_add_tail(&vm->vram_node, &gdev->vram_vms);
	gdev->vram_nvms++;
	spin_unlock(&gdev->vram_lock);
}

void gpu_vram_part_vm(struct gpu_vm *vm)
{
	struct gpu_device *gdev = vm->gdev;

	spin_lock(&gdev->vram_lock);
	list_del(&vm->vram_node);
	gdev->vram_nvms--;
	spin_unlock(&gdev->vram_lock);
}

bool gpu_bo_evicted(const struct gpu_bo *bo)
{
	return READ_ONCE(bo->evicted);
}

static int vram_compare_lock(const void *key, const void *elt)
{
	const struct drm_gem_object *obj = *(const struct drm_gem_object *const *)elt;
	const struct dma_resv *resv = key;

	return resv < obj->resv ? -1 : resv > obj->resv;
}

static bool vram_kept(const struct gpu_bo *bo, const struct gpu_vram_want *want)
{
	return want->nkeep && bsearch(bo->base.resv, want->keep, want->nkeep,
				      sizeof(want->keep[0]), vram_compare_lock);
}

/*
 * The oldest object, with a reference, or NULL if that one must not leave. It becomes the
 * youngest, so that nobody who cannot use it looks at it again soon.
 */
static struct gpu_bo *vram_oldest(struct gpu_device *gdev, const struct gpu_vram_want *want)
{
	struct gpu_bo *bo;

	spin_lock(&gdev->vram_lock);
	bo = list_first_entry_or_null(&gdev->vram_bos, struct gpu_bo, vram_node);
	if (bo) {
		list_move_tail(&bo->vram_node, &gdev->vram_bos);
		if (vram_kept(bo, want) || !kref_get_unless_zero(&bo->base.refcount))
			bo = NULL;
	}
	spin_unlock(&gdev->vram_lock);
	return bo;
}

static bool vram_may_look(const struct gpu_vram_want *want)
{
	if (!want->looks)
		return true;
	if (!*want->looks)
		return false;
	(*want->looks)--;
	return true;
}

/* ----------------------------------------------------------------- leaving */

/*
 * Processes that have the object mapped by KFD, with references. Those mappings end before a
 * process lets go of its VM, so they lead to one that is there.
 */
static int vram_users(struct gpu_bo *bo, struct gpu_process **users)
{
	struct gpu_mapping *m;
	struct gpu_process *p;
	int i, n = 0;

	mutex_lock(&bo->maps_lock);
	list_for_each_entry(m, &bo->maps, bo_node) {
		cond_resched();
		p = READ_ONCE(m->vm->process);
		if (m->gem || !p)
			continue;
		for (i = 0; i < n && users[i] != p; i++)
			;
		if (i < n || !gpu_process_tryget(p))
			continue;
		if (n == VRAM_MAX_USERS) {
			/* Not the last one: its mapping is there. */
			gpu_process_put(p);
			n++;
			break;
		}
		users[n++] = p;
	}
	mutex_unlock(&bo->maps_lock);
	return n;
}

/* A caller with a lock must not get references, as one of them might become the last one. */
static bool vram_has_users(struct gpu_bo *bo)
{
	struct gpu_mapping *m;
	bool has = false;

	mutex_lock(&bo->maps_lock);
	list_for_each_entry(m, &bo->maps, bo_node) {
		has = !m->gem && READ_ONCE(m->vm->process);
		if (has)
			break;
		cond_resched();
	}
	mutex_unlock(&bo->maps_lock);
	return has;
}

/* Somebody who has no lock, and does not wait where others wait for him. */
static bool vram_may_stop(enum gpu_vram_who who)
{
	return who == GPU_VRAM_CS || who == GPU_VRAM_GEM;
}

static bool vram_may_wait(enum gpu_vram_who who)
{
	return who == GPU_VRAM_KFD_FIRST || who == GPU_VRAM_GEM;
}

static bool vram_in_time(const struct vram_try *t)
{
	return time_before(jiffies, t->until);
}

static bool vram_is_deaf(const struct gpu_process *p, const struct vram_try *t)
{
	unsigned int i;

	for (i = 0; i < t->ndeaf; i++)
		if (t->deaf[i] == p->id)
			return true;
	return false;
}

static int vram_stop_user(struct gpu_process *p, struct vram_try *t)
{
	unsigned long until = jiffies + VRAM_CALL_WAIT;
	int ret;

	ret = gpu_host->evict(p, time_before(until, t->until) ? until : t->until);
	if (ret == -EBUSY && t->ndeaf < VRAM_MAX_DEAF)
		t->deaf[t->ndeaf++] = p->id;
	return ret;
}

/* -EBUSY: they are not stopped for this. */
static int vram_stop_users(struct gpu_bo *bo, struct vram_try *t)
{
	struct gpu_process *users[VRAM_MAX_USERS];
	int i, n, ret = 0;

	if (!vram_may_stop(t->want->who) || !vram_in_time(t) || !gpu_host->evict)
		return vram_has_users(bo) ? -EBUSY : 0;
	n = vram_users(bo, users);
	if (n > VRAM_MAX_USERS) {
		n = VRAM_MAX_USERS;
		ret = -EBUSY;
	}
	for (i = 0; i < n && !ret; i++)
		if (users[i]->mm == current->mm || vram_is_deaf(users[i], t))
			ret = -EBUSY;
	for (i = 0; i < n; i++) {
		if (!ret)
			ret = vram_stop_user(users[i], t);
		gpu_process_put(users[i]);
	}
	return ret;
}

static int vram_wait_jobs(struct gpu_bo *bo, struct vram_try *t)
{
	long ret = 0;

	if (dma_resv_test_signaled(bo->base.resv, DMA_RESV_USAGE_READ))
		return 0;
	if (t->waits && vram_in_time(t))
		ret = dma_resv_wait_timeout(bo->base.resv, DMA_RESV_USAGE_READ, true,
					    VRAM_JOBS_WAIT);
	if (ret > 0)
		return 0;
	t->busy = true;
	return ret ?: -EBUSY;
}

/* Its share of system memory has been taken. False: somebody else was faster. */
static bool vram_move_out(struct gpu_bo *bo)
{
	struct gpu_device *gdev = bo->gdev;
	u64 bytes = bo->charged;
	bool moved = false;

	spin_lock(&gdev->vram_lock);
	if (!bo->evicted && !list_empty(&bo->vram_node)) {
		WRITE_ONCE(bo->evicted, true);
		vram_remove(bo);
		moved = true;
	}
	spin_unlock(&gdev->vram_lock);
	if (!moved)
		return false;
	vkfd_race_point("eviction: object counts as elsewhere, GPUs not yet told");
	gdev->backend->mem->bo_move(bo);
	gpu_vram_give(gdev, bytes);
	atomic64_add(bytes, &gdev->vram_moved);
	atomic64_inc(&gdev->vram_evictions);
	return true;
}

/* Nobody is stopped for an object that has nowhere to go. */
static int vram_evict(struct gpu_bo *bo, struct vram_try *t)
{
	int ret = vram_wait_jobs(bo, t);

	if (!ret)
		ret = gpu_gtt_take(bo->gdev, bo->charged);
	if (ret)
		return ret;
	ret = vram_stop_users(bo, t);
	if (!ret && vram_move_out(bo))
		t->moved = true;
	else
		gpu_gtt_give(bo->gdev, bo->charged);
	return ret;
}

/* ------------------------------------------------------------ shared memory */

/* The next VM in turn, with a reference, or NULL if that one has no shared memory here. */
static struct gpu_vm *vram_next_vm(struct gpu_device *gdev)
{
	struct gpu_vm *vm;

	spin_lock(&gdev->vram_lock);
	vm = list_first_entry_or_null(&gdev->vram_vms, struct gpu_vm, vram_node);
	if (vm) {
		list_move_tail(&vm->vram_node, &gdev->vram_vms);
		if (atomic64_read(&vm->svm_bytes))
			gpu_vm_get(vm);
		else
			vm = NULL;
	}
	spin_unlock(&gdev->vram_lock);
	return vm;
}

static u64 vram_missing(struct gpu_device *gdev, u64 bytes)
{
	u64 have = gpu_vram_free(gdev);

	return bytes > have ? bytes - have : 0;
}

/* For @gdev, of what is in @at. */
static void vram_evict_svm(struct gpu_device *gdev, struct gpu_device *at,
			   const struct gpu_vram_want *want)
{
	unsigned int n = READ_ONCE(at->vram_nvms);
	struct gpu_vm *vm;
	u64 missing;

	while (n-- && (missing = vram_missing(gdev, want->bytes)) && vram_may_look(want)) {
		cond_resched();
		vm = vram_next_vm(at);
		if (!vm)
			continue;
		gpu_svm_evict(vm, missing, want);
		gpu_vm_put(vm);
		if (signal_pending(current))
			break;
	}
}

/* -------------------------------------------------------------------- room */

/* Each object in @at has its turn, if nobody else looks at them at the same time. */
static int vram_pass_at(struct gpu_device *gdev, struct gpu_device *at, struct vram_try *t)
{
	const struct gpu_vram_want *want = t->want;
	unsigned int all = READ_ONCE(at->vram_nbos), n = all;
	struct gpu_bo *bo;
	int ret;

	vram_evict_svm(gdev, at, want);
	while (gpu_vram_charge(gdev, want->bytes)) {
		if (!n || !vram_may_look(want))
			return -ENOMEM;
		if (n-- < all && signal_pending(current))
			return -ERESTARTSYS;
		cond_resched();
		bo = vram_oldest(at, want);
		if (!bo)
			continue;
		ret = vram_evict(bo, t);
		gpu_bo_put(bo);
		if (ret == -ERESTARTSYS || ret == -EINTR)
			return ret;
	}
	return 0;
}

/* Others in the same range can only help if it is the range that is full. */
static int vram_pass(struct gpu_device *gdev, struct vram_try *t)
{
	int ret = vram_pass_at(gdev, gdev, t);
	struct gpu_device *other;
	unsigned int i;

	for (i = 0; i < GPU_MAX_XCCS && ret == -ENOMEM; i++) {
		if (t->want->bytes > gpu_vram_own_free(gdev))
			break;
		other = gpu_range_other(gdev, i);
		if (!other)
			continue;
		ret = vram_pass_at(gdev, other, t);
		gpu_device_put(other);
	}
	return ret;
}

/* What left may have gone to somebody else, and jobs end. */
static bool vram_again(struct vram_try *t)
{
	enum gpu_vram_who who = t->want->who;
	bool again = who != GPU_VRAM_RESTORE && vram_in_time(t) &&
		     (t->moved || ((t->busy || t->ndeaf) && vram_may_wait(who)));

	t->waits = vram_may_wait(who);
	t->moved = false;
	t->busy = false;
	t->ndeaf = 0;
	return again;
}

int gpu_vram_take(struct gpu_device *gdev, const struct gpu_vram_want *want)
{
	struct vram_try t = { .want = want, .until = jiffies + VRAM_PATIENCE };
	int ret = gpu_vram_charge(gdev, want->bytes);

	if (!ret || want->who == GPU_VRAM_FREE || want->bytes > gpu_vram_limit(gdev) ||
	    !gdev->backend->mem->bo_move)
		return ret;
	do
		ret = vram_pass(gdev, &t);
	while (ret == -ENOMEM && vram_again(&t));
	return ret;
}

int gpu_vram_make_room(struct gpu_device *gdev, const struct gpu_vram_want *want)
{
	int ret;

	if (!vram_missing(gdev, want->bytes))
		return 0;
	ret = gpu_vram_take(gdev, want);
	if (!ret)
		gpu_vram_give(gdev, want->bytes);
	return ret;
}

int gpu_bo_bring(struct gpu_bo *bo, const struct gpu_vram_want *want)
{
	struct gpu_device *gdev = bo->gdev;
	struct gpu_vram_want all = *want;
	u64 bytes = bo->charged;
	bool moved = false;
	int ret;

	if (!gpu_bo_evicted(bo))
		return 0;
	all.bytes = bytes;
	ret = gpu_vram_take(gdev, &all);
	if (ret)
		return ret;
	spin_lock(&gdev->vram_lock);
	if (bo->evicted) {
		WRITE_ONCE(bo->evicted, false);
		list_add_tail(&bo->vram_node, &gdev->vram_bos);
		gdev->vram_nbos++;
		moved = true;
	}
	spin_unlock(&gdev->vram_lock);
	if (!moved) {
		gpu_vram_give(gdev, bytes);
		return 0;
	}
	gpu_gtt_give(gdev, bytes);
	gdev->backend->mem->bo_move(bo);
	atomic64_add(bytes, &gdev->vram_moved);
	return 0;
}
