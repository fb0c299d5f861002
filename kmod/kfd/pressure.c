// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that make room in a GPU's memory for clients of the render node (gpu/vram.c).
 *
 * Buffers leave a GPU only while the queues of their process are off it. So the first buffer that
 * has to leave has all queues of its process evicted. A moment later a work item brings the
 * buffers back, as far as there is room, and restores the queues. What has none stays in
 * system memory, where GPUs reach it, too; so the process always goes on. Times and reasons are
 * the real driver's (evict_process_worker() and restore_process_worker() in kfd_process.c).
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "gpu/backend.h"
#include "gpu/bo.h"
#include "kfd.h"
#include "race.h"

#define RESTORE_MS	100	/* PROCESS_RESTORE_TIME_MS */
#define ACTIVE_MS	10	/* PROCESS_ACTIVE_TIME_MS */

/* How many that may leave are looked at, on each GPU, to bring a process back. */
#define RESTORE_LOOKS	1024

/* A process that has just come back is left in peace for a while. Jiffies that are left of that. */
static u64 vkfd_peace(const struct vkfd_process *p)
{
	/* The clock of the events, by which a process sees how long it ran */
	u64 until = p->restored_at + ACTIVE_MS * NSEC_PER_MSEC, now = ktime_get_boottime_ns();

	lockdep_assert_held(&p->base.lock);
	if (p->base.dying || p->displaced || !p->restored_at || now >= until)
		return 0;
	return nsecs_to_jiffies64(until - now) + 1;
}

/*
 * Looks again after each wait: others who want the same may have been faster. A call of the process
 * may hold the lock for as long as the process likes, and this is for somebody else.
 */
static int vkfd_lock_after_peace(struct vkfd_process *p, unsigned long until)
{
	u64 peace;
	int ret;

	for (;;) {
		ret = vkfd_process_lock_until(p, until);
		if (ret)
			return ret;
		peace = vkfd_peace(p);
		if (!peace)
			return 0;
		mutex_unlock(&p->base.lock);
		schedule_timeout_killable(peace);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
}

int vkfd_host_evict(struct gpu_process *base, unsigned long until)
{
	struct vkfd_process *p = to_vkfd_process(base);
	int ret = vkfd_lock_after_peace(p, until);

	if (ret)
		return ret;
	/* The queues of one that ends go anyway. */
	if (!p->base.dying && !p->displaced) {
		vkfd_process_evict(p, KFD_QUEUE_EVICTION_TRIGGER_TTM);
		p->displaced = true;
		vkfd_process_work(p, &p->restore_work, msecs_to_jiffies(RESTORE_MS));
	}
	mutex_unlock(&p->base.lock);
	return 0;
}

/*
 * Nobody else is stopped for it: then two processes would do this to each other all the time. The
 * queues are off meanwhile, so it is not tried for long.
 */
static void vkfd_bring_buffers(struct vkfd_pdd *pdd)
{
	unsigned int looks = RESTORE_LOOKS;
	const struct gpu_vram_want want = { .who = GPU_VRAM_RESTORE, .looks = &looks };
	u64 too_large = U64_MAX;
	struct vkfd_mem *mem;
	bool here;
	int id;

	lockdep_assert_held(&pdd->process->base.lock);
	idr_for_each_entry(&pdd->handles, mem, id) {
		cond_resched();
		if (test_bit(0, &pdd->process->ending))
			break;
		here = mem->bo->gdev == pdd->base.gdev;	/* or imported from another GPU */
		if (mem->bo->kind != GPU_BO_VRAM || (here && mem->bo->base.size >= too_large))
			continue;
		if (gpu_bo_bring(mem->bo, &want) == -ENOMEM && here)
			too_large = mem->bo->base.size;
	}
}

static void vkfd_restore_work(struct work_struct *work)
{
	struct vkfd_process *p = container_of(to_delayed_work(work), struct vkfd_process,
					      restore_work);
	unsigned int i;

	vkfd_race_point("restore: before the lock");
	if (!vkfd_process_work_begin(p, &p->restore_work))
		return;
	if (!p->base.dying) {
		for (i = 0; i < p->num_pdds; i++)
			vkfd_bring_buffers(p->pdds[i]);
		p->displaced = false;
		vkfd_process_restore(p);
		p->restored_at = ktime_get_boottime_ns();
	}
	vkfd_process_work_end(p);
}

void vkfd_pressure_init(struct vkfd_process *p)
{
	INIT_DELAYED_WORK(&p->restore_work, vkfd_restore_work);
}
