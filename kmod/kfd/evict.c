// SPDX-License-Identifier: GPL-2.0-only
/*
 * Eviction: taking queues off the GPUs for a while, and putting them back.
 *
 * Evictions are counted per process and device. The first one takes the queues
 * off the GPU, the last restore puts them back. The queues keep their state in
 * between, so that the process notices only the delay.
 *
 * Queues are evicted for two reasons. When the machine suspends or hibernates, the
 * first GPU that goes to sleep evicts the queues of every process, and the last one
 * that wakes up restores them. User space is frozen during that time, the GPU's
 * threads are not. The file "suspend" in a GPU's debugfs directory does the same
 * while user space runs. User queues of the render node sleep with their own GPU.
 *
 * And when a process unmaps the save area of a queue from its own memory, all its
 * queues are evicted for good, as in the real driver (svm_range_unmap_from_cpu() of
 * Linux 6.12). That driver stops them within munmap(). Here the MMU notifier must not
 * wait for the GPU's threads, which its caller's locks may block, so a work item
 * evicts the queues right afterwards.
 */
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/notifier.h>
#include <linux/suspend.h>

#include "gpu/backend.h"
#include "kfd.h"
#include "race.h"
#include "smi.h"
#include "trace.h"

static void vkfd_pdd_evict(struct vkfd_process *p, struct vkfd_pdd *pdd, u32 trigger)
{
	struct gpu_device *gdev = pdd->base.gdev;
	struct vkfd_queue *q;
	int id;

	vkfd_smi_event(gdev, p->base.pid, KFD_SMI_EVENT_QUEUE_EVICTION,
		       KFD_EVENT_FMT_QUEUE_EVICTION(ktime_get_boottime_ns(), p->base.own_pid,
						    gdev->gpu_id, trigger));
	trace_vkfd_eviction(gdev->gpu_id, p->base.pid, pdd->num_queues, pdd->evicted + 1);
	if (pdd->evicted++)
		return;
	pdd->evicted_since = ktime_get_ns();
	idr_for_each_entry(&p->queues, q, id) {
		if (q->base.pdd != &pdd->base)
			continue;
		q->base.evicted = true;
		gpu_backend_queue_evict(&q->base);
	}
}

static void vkfd_pdd_restore(struct vkfd_process *p, struct vkfd_pdd *pdd)
{
	struct gpu_device *gdev = pdd->base.gdev;
	struct vkfd_queue *q;
	int id;

	/* '0': restored. The real driver says 'R' when it has to try again later. */
	vkfd_smi_event(gdev, p->base.pid, KFD_SMI_EVENT_QUEUE_RESTORE,
		       KFD_EVENT_FMT_QUEUE_RESTORE(ktime_get_boottime_ns(), p->base.own_pid,
						   gdev->gpu_id, '0'));
	trace_vkfd_eviction(gdev->gpu_id, p->base.pid, pdd->num_queues, pdd->evicted - 1);
	if (--pdd->evicted)
		return;
	idr_for_each_entry(&p->queues, q, id) {
		if (q->base.pdd != &pdd->base)
			continue;
		q->base.evicted = false;
		gpu_backend_queue_restore(&q->base);
	}
	atomic64_add(ktime_get_ns() - pdd->evicted_since, &pdd->evicted_ns);
}

void vkfd_process_evict(struct vkfd_process *p, u32 trigger)
{
	unsigned int i;

	lockdep_assert_held(&p->base.lock);
	for (i = 0; i < p->num_pdds; i++)
		vkfd_pdd_evict(p, p->pdds[i], trigger);
}

void vkfd_process_restore(struct vkfd_process *p)
{
	unsigned int i;

	lockdep_assert_held(&p->base.lock);
	for (i = 0; i < p->num_pdds; i++)
		vkfd_pdd_restore(p, p->pdds[i]);
}

/* --------------------------------------------------------- lost save areas */

void vkfd_area_settle(struct vkfd_process *p)
{
	struct vkfd_pdd *pdd;
	unsigned int i;

	lockdep_assert_held(&p->base.lock);
	if (!xchg(&p->area_lost, false))
		return;
	/* One munmap() tells of each queue that had the area, maybe with this in between. */
	for (i = 0; i < p->num_pdds; i++) {
		pdd = p->pdds[i];
		if (!pdd->area_lost)
			vkfd_pdd_evict(p, pdd, KFD_QUEUE_EVICTION_TRIGGER_SVM);
		pdd->area_lost = true;
	}
}

static void vkfd_area_work(struct work_struct *work)
{
	struct vkfd_process *p = container_of(to_delayed_work(work), struct vkfd_process,
					      area_work);

	if (!vkfd_process_work_begin(p, &p->area_work))
		return;
	if (!p->base.dying)
		vkfd_area_settle(p);
	vkfd_process_work_end(p);
}

void vkfd_area_init(struct vkfd_process *p)
{
	INIT_DELAYED_WORK(&p->area_work, vkfd_area_work);
}

/* The process outlives its SVM, which calls this: the put below is not the last one. */
void vkfd_area_lost(struct gpu_svm_hold *h)
{
	struct vkfd_queue *q = container_of(h, struct vkfd_queue, area);
	struct vkfd_process *p = to_vkfd_process(q->base.process);

	/* Teardown stops the queues anyway. */
	if (test_bit(0, &p->ending))
		return;
	pr_info_ratelimited("%s[%d]: the save area of queue %u is unmapped, queues evicted\n",
			    p->base.comm, p->base.pid, q->base.id);
	WRITE_ONCE(p->area_lost, true);
	vkfd_process_work(p, &p->area_work, 0);
}

/* ----------------------------------------------------- sleep of the machine */

/*
 * Serialises suspend and resume, as GPUs sleep and wake in parallel. The outermost of
 * our locks.
 */
static DEFINE_MUTEX(vkfd_suspend_lock);
static unsigned int vkfd_suspended;	/* suspended GPUs; written under the lock */

/* Whatever has changed since it was asked for. */
static void vkfd_sleep_settle(struct vkfd_process *p)
{
	bool sleep = vkfd_is_suspended();

	lockdep_assert_held(&p->base.lock);
	if (p->base.dying || p->suspended == sleep)
		return;
	if (sleep)
		vkfd_process_evict(p, KFD_QUEUE_EVICTION_TRIGGER_SUSPEND);
	else
		vkfd_process_restore(p);
	p->suspended = sleep;
}

static void vkfd_sleep_work(struct work_struct *work)
{
	struct vkfd_process *p = container_of(to_delayed_work(work), struct vkfd_process,
					      sleep_work);

	if (!vkfd_process_work_begin(p, &p->sleep_work))
		return;
	vkfd_sleep_settle(p);
	vkfd_process_work_end(p);
}

void vkfd_sleep_init(struct vkfd_process *p)
{
	INIT_DELAYED_WORK(&p->sleep_work, vkfd_sleep_work);
}

/* -EBUSY, -EINTR: works do it for some, when those let them. */
static int vkfd_sleep_settle_all(unsigned long until)
{
	struct vkfd_process *p;
	int ret = 0, err;

	/* One that is not in the list yet looks at the count itself (vkfd_process_publish()). */
	for_each_vkfd_process(p) {
		err = vkfd_process_lock_until(p, ret == -EINTR ? jiffies : until);
		if (err) {
			vkfd_process_work(p, &p->sleep_work, 0);
			ret = ret ?: err;
			continue;
		}
		vkfd_sleep_settle(p);
		mutex_unlock(&p->base.lock);
	}
	return ret;
}

static void vkfd_suspended_set(struct gpu_device *gdev, bool suspended)
{
	lockdep_assert_held(&vkfd_suspend_lock);
	WRITE_ONCE(gdev->suspended, suspended);
	WRITE_ONCE(vkfd_suspended, vkfd_suspended + (suspended ? 1 : -1));
}

static int vkfd_device_suspend_locked(struct gpu_device *gdev, unsigned long patience)
{
	int ret = 0;

	lockdep_assert_held(&vkfd_suspend_lock);
	if (gdev->suspended)
		return 0;
	vkfd_suspended_set(gdev, true);
	if (vkfd_suspended == 1) {
		vkfd_race_point("suspend: said so, nobody evicted yet");
		vkfd_process_flush();
		ret = vkfd_sleep_settle_all(jiffies + patience);
	}
	if (ret) {
		vkfd_suspended_set(gdev, false);
		vkfd_sleep_settle_all(jiffies);
	} else if (gdev->drm_ops) {
		gdev->drm_ops->sleep(gdev, true);
	}
	return ret;
}

/* The PM core may call this twice for one sleep: at freeze, then at power off. */
int vkfd_device_suspend(struct gpu_device *gdev, unsigned long patience)
{
	int ret;

	mutex_lock(&vkfd_suspend_lock);
	ret = vkfd_device_suspend_locked(gdev, patience);
	mutex_unlock(&vkfd_suspend_lock);
	return ret;
}

void vkfd_device_resume(struct gpu_device *gdev)
{
	mutex_lock(&vkfd_suspend_lock);
	if (gdev->suspended) {
		vkfd_suspended_set(gdev, false);
		if (!vkfd_suspended)
			vkfd_sleep_settle_all(jiffies + VKFD_CALLS_WAIT);
		if (gdev->drm_ops)
			gdev->drm_ops->sleep(gdev, false);
	}
	mutex_unlock(&vkfd_suspend_lock);
}

bool vkfd_is_suspended(void)
{
	return READ_ONCE(vkfd_suspended);
}

static int vkfd_suspend_get(void *data, u64 *val)
{
	struct gpu_device *gdev = data;

	*val = READ_ONCE(gdev->suspended);
	return 0;
}

static int vkfd_suspend_set(void *data, u64 val)
{
	struct gpu_device *gdev = data;
	int ret;

	if (!val) {
		vkfd_device_resume(gdev);
		return 0;
	}
	/* Who takes a GPU away says so and then wakes it: it would sleep for ever. */
	mutex_lock(&vkfd_suspend_lock);
	ret = READ_ONCE(gdev->gone_ns) ? -ENODEV :
		vkfd_device_suspend_locked(gdev, VKFD_CALLS_WAIT);
	mutex_unlock(&vkfd_suspend_lock);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(vkfd_suspend_fops, vkfd_suspend_get, vkfd_suspend_set, "%llu\n");

void vkfd_device_debugfs_init(struct gpu_device *gdev)
{
	debugfs_create_file_unsafe("suspend", 0600, gdev->debugfs, gdev, &vkfd_suspend_fops);
}

/*
 * Jobs of the render node that run must end before the machine can sleep (hw_job_late()). If a
 * hibernation image could not be written or read, or was made only as a test, nothing else wakes
 * the GPUs.
 */
static int vkfd_pm_notify(struct notifier_block *nb, unsigned long action, void *unused)
{
	bool sleepy = action == PM_SUSPEND_PREPARE || action == PM_HIBERNATION_PREPARE;
	struct gpu_device *gdev;
	unsigned int i;

	for (i = 0; (gdev = gpu_device_by_index(i)); i++) {
		WRITE_ONCE(gdev->sleepy_ns, sleepy ? ktime_get_ns() : 0);
		if (action == PM_POST_HIBERNATION || action == PM_POST_RESTORE)
			vkfd_device_resume(gdev);
		gpu_device_put(gdev);
	}
	return NOTIFY_OK;
}

static struct notifier_block vkfd_pm_notifier = {
	.notifier_call = vkfd_pm_notify,
};

int vkfd_suspend_init(void)
{
	return register_pm_notifier(&vkfd_pm_notifier);
}

void vkfd_suspend_fini(void)
{
	unregister_pm_notifier(&vkfd_pm_notifier);
}
