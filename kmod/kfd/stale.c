// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues of a process stop for a moment when its mm changes memory that its GPUs have mapped: a
 * USERPTR, or a range of SVM where GPUs cannot wait for a page (without XNACK, or ranges that are
 * always mapped). The real driver has to stop them before the change; then it looks for the new
 * pages, and lets the queues go on a millisecond later (amdgpu_amdkfd_evict_userptr(),
 * svm_range_evict()). Clients see that in events, in evicted_ms and in their times.
 *
 * Our GPUs lose the page within the MMU notifier, and look for it when they want it. So it is of no
 * matter that the queues stop a little later: a notifier must not wait for the GPU's threads. And
 * a process whose memory changes all the time gets on: its queues run for ACTIVE_MS in between.
 */
#include <linux/jiffies.h>

#include "gpu/backend.h"
#include "kfd.h"
#include "race.h"

/* AMDGPU_USERPTR_RESTORE_DELAY_MS, AMDGPU_SVM_RANGE_RESTORE_DELAY_MS */
#define RESTORE_MS	1
#define ACTIVE_MS	10	/* as after an eviction from VRAM (pressure.c) */

/* @told stays set while the queues are off: all that comes meanwhile is one eviction, as there. */
static void vkfd_stale_settle(struct vkfd_process *p, struct vkfd_stale *s)
{
	lockdep_assert_held(&p->base.lock);
	if (p->base.dying || !READ_ONCE(s->told))
		return;
	if (!s->stopped) {
		vkfd_process_evict(p, s->trigger);
		s->stopped = true;
		vkfd_process_work(p, &s->work, msecs_to_jiffies(RESTORE_MS));
		return;
	}
	s->stopped = false;
	WRITE_ONCE(s->quiet_until, jiffies + msecs_to_jiffies(ACTIVE_MS));
	xchg(&s->told, false);
	vkfd_race_point("stale memory: queues not yet restored");
	vkfd_process_restore(p);
}

static void vkfd_stale_work(struct work_struct *work)
{
	struct vkfd_stale *s = container_of(to_delayed_work(work), struct vkfd_stale, work);
	struct vkfd_process *p = s->process;

	if (!vkfd_process_work_begin(p, &s->work))
		return;
	vkfd_stale_settle(p, s);
	vkfd_process_work_end(p);
}

void vkfd_stale_init(struct vkfd_process *p)
{
	static const u32 triggers[GPU_STALE_KINDS] = {
		[GPU_STALE_USERPTR] = KFD_QUEUE_EVICTION_TRIGGER_USERPTR,
		[GPU_STALE_SVM] = KFD_QUEUE_EVICTION_TRIGGER_SVM,
	};
	unsigned int i;

	for (i = 0; i < GPU_STALE_KINDS; i++) {
		p->stale[i].process = p;
		p->stale[i].trigger = triggers[i];
		INIT_DELAYED_WORK(&p->stale[i].work, vkfd_stale_work);
		p->stale[i].quiet_until = jiffies;
	}
}

void vkfd_stale_cancel(struct vkfd_process *p)
{
	unsigned int i;

	for (i = 0; i < GPU_STALE_KINDS; i++)
		vkfd_process_work_cancel(p, &p->stale[i].work);
}

bool vkfd_stale_flush(struct vkfd_process *p)
{
	unsigned int i;
	bool any = false;

	for (i = 0; i < GPU_STALE_KINDS; i++)
		any |= flush_delayed_work(&p->stale[i].work);
	return any;
}

/*
 * From a notifier. The memory is that of an object or of ranges of the process, which it outlives:
 * vkfd_process_work() does not put the last reference.
 */
void vkfd_host_stale(struct gpu_process *base, enum gpu_stale what)
{
	struct vkfd_process *p = to_vkfd_process(base);
	struct vkfd_stale *s = &p->stale[what];
	unsigned long now = jiffies, until = READ_ONCE(s->quiet_until);

	/* Teardown stops the queues anyway. */
	if (test_bit(0, &p->ending))
		return;
	/* As there (block_mmu_notifications): what CRIU puts in place between RESTORE and RESUME */
	if (what == GPU_STALE_USERPTR && READ_ONCE(p->criu.state) >= VKFD_CRIU_LOADING)
		return;
	if (!xchg(&s->told, true))
		vkfd_process_work(p, &s->work, time_before(now, until) ? until - now : 0);
}
