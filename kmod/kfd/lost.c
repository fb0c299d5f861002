// SPDX-License-Identifier: GPL-2.0-only
/*
 * A GPU is taken from the processes that use it.
 *
 * A call of a process may last, with process->lock held: it may wait for the process's mmap_lock,
 * or for a packet that stands in the middle of a page that does not come. How long is up to the
 * process. Whoever takes a GPU away must not wait for that. So it says that the GPU is lost, and
 * stops the queues, with no lock held. A work item of each process takes the queues apart under its
 * lock; all of them run side by side, and are waited for together, and not for long. One that is
 * late does the same later: until then the queues are dead, and have references to the device.
 */
#include <linux/jiffies.h>
#include <linux/wait.h>

#include "gpu/backend.h"
#include "kfd.h"
#include "race.h"

/* Last words of queues have two seconds of that (hw/stall.c). */
#define LOST_WAIT	(5 * HZ)

static DECLARE_WAIT_QUEUE_HEAD(vkfd_lost_wq);

/* The CPU can still access the lost GPU's memory until the process ends. */
static void vkfd_lost_work(struct work_struct *work)
{
	struct vkfd_process *p = container_of(to_delayed_work(work), struct vkfd_process,
					      lost_work);
	struct vkfd_pdd *pdd;
	unsigned int i;

	if (!vkfd_process_work_begin(p, &p->lost_work))
		return;
	for (i = 0; i < p->num_pdds; i++) {
		pdd = p->pdds[i];
		if (!READ_ONCE(pdd->lost) || pdd->taken)
			continue;
		if (!p->base.dying) {
			vkfd_queue_lose(p, pdd->base.gdev);
			vkfd_host_ops.hw_exception(&p->base, pdd->base.gdev);
		}
		WRITE_ONCE(pdd->taken, true);
	}
	wake_up_all(&vkfd_lost_wq);
	vkfd_process_work_end(p);
}

void vkfd_lost_init(struct vkfd_process *p)
{
	INIT_DELAYED_WORK(&p->lost_work, vkfd_lost_work);
}

/* Whoever takes a GPU says so before looking at the list of processes, where @p comes now. */
void vkfd_lost_before(struct vkfd_process *p)
{
	unsigned int i;

	for (i = 0; i < p->num_pdds; i++) {
		if (!READ_ONCE(p->pdds[i]->base.gdev->gone_ns))
			continue;
		WRITE_ONCE(p->pdds[i]->lost, true);
		p->pdds[i]->taken = true;
	}
}

static void vkfd_process_lose(struct vkfd_process *p, struct gpu_device *gdev)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < p->num_pdds; i++) {
		if (p->pdds[i]->base.gdev != gdev || p->pdds[i]->lost)
			continue;
		WRITE_ONCE(p->pdds[i]->lost, true);
		any = true;
	}
	if (!any)
		return;
	/* Ends what a thread of the process may wait for with the lock held, if it is the GPU. */
	gpu_backend_reset(gdev, &p->base);
	vkfd_race_point("unbind: queues stopped, not yet taken apart");
	vkfd_process_work(p, &p->lost_work, 0);
}

static bool vkfd_process_taken(const struct vkfd_process *p, const struct gpu_device *gdev)
{
	unsigned int i;

	for (i = 0; i < p->num_pdds; i++)
		if (p->pdds[i]->base.gdev == gdev && READ_ONCE(p->pdds[i]->lost) &&
		    !READ_ONCE(p->pdds[i]->taken))
			return false;
	return true;
}

void vkfd_process_device_lost(struct gpu_device *gdev)
{
	long left = LOST_WAIT;
	struct vkfd_process *p;

	for_each_vkfd_process(p)
		vkfd_process_lose(p, gdev);
	for_each_vkfd_process(p) {
		left = wait_event_timeout(vkfd_lost_wq, vkfd_process_taken(p, gdev), left);
		if (!left)
			pr_warn_ratelimited("%s[%d]: GPU %u is gone, and a call of the process holds up its end\n",
					    p->base.comm, p->base.pid, gdev->gpu_id);
	}
}
