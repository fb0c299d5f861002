// SPDX-License-Identifier: GPL-2.0-only
/*
 * KFD processes: one per mm, looked up by mm, created by the first open of
 * /dev/kfd, torn down after the mm has ended; and contexts, of which each belongs
 * to a file. See kfd.h for the model.
 *
 * Teardown goes in this order, each step relying on the one before: queues (from
 * then on nothing executes), mappings and buffers (nothing is reachable), events
 * (nobody can set one), then the devices' VMs, doorbells and files.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/idr.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "gpu/backend.h"
#include "gpu/bo.h"
#include "gpu/doorbell.h"
#include "gpu/faulter.h"
#include "gpu/vm.h"
#include "gpu/svm.h"
#include "kfd.h"
#include "race.h"
#include "smi.h"

/*
 * All processes and contexts, until their last reference is put. Code that holds the lock does not
 * wait for a process and does not take a process's own lock.
 */
static DEFINE_MUTEX(vkfd_processes_lock);
static LIST_HEAD(vkfd_processes);
/* Works of processes that live, and the ends of others, do not stand in line for each other. */
static struct workqueue_struct *vkfd_teardown_wq, *vkfd_work_wq;
static DEFINE_IDA(vkfd_pasids);

/* PASID 0 belongs to nobody; the real driver, too, starts above the 15-bit ones. */
#define VKFD_FIRST_PASID	0x8000
#define VKFD_LAST_PASID		0xffff

/* Jiffies until a work that did not get the lock comes again, at most */
#define VKFD_WORK_AGAIN		max(HZ / 4, 1)

/* How long one who looks at all processes waits for the locks of those that are in a call. */
#define VKFD_LOOK_WAIT		(2 * HZ)

/* Nothing depends on them, so a process does without if others have them all. */
int vkfd_pasid_get(void)
{
	int pasid = ida_alloc_range(&vkfd_pasids, VKFD_FIRST_PASID, VKFD_LAST_PASID, GFP_KERNEL);

	return pasid == -ENOSPC ? 0 : pasid;
}

void vkfd_pasid_put(int pasid)
{
	if (pasid)
		ida_free(&vkfd_pasids, pasid);
}

/* ----------------------------------------------------------- end of the mm */

/*
 * The MMU notifier's ->release must not wait for teardown. But when it puts a file,
 * the file's release runs a little later as task work, when the task leaves the kernel
 * or exits, and there it may wait. The process has a file just for that. The file
 * holds the module, as does the DRM file of a VM; that is why it is created with the
 * first VM and not earlier.
 */
static int vkfd_reaper_release(struct inode *inode, struct file *file)
{
	struct vkfd_process *p = file->private_data;

	if (!(current->flags & PF_KTHREAD))
		flush_work(&p->teardown);
	gpu_process_put(&p->base);
	return 0;
}

static const struct file_operations vkfd_reaper_fops = {
	.owner = THIS_MODULE,
	.release = vkfd_reaper_release,
};

int vkfd_process_hold(struct vkfd_process *p)
{
	struct file *f;

	lockdep_assert_held(&p->base.lock);
	if (p->reaper)
		return 0;
	f = anon_inode_getfile("kfd_process", &vkfd_reaper_fops, p, O_RDONLY);
	if (IS_ERR(f))
		return PTR_ERR(f);
	gpu_process_get(&p->base);
	WRITE_ONCE(p->reaper, f);
	return 0;
}

static void vkfd_process_end(struct vkfd_process *p)
{
	if (!test_and_set_bit(0, &p->ending))
		queue_work(vkfd_teardown_wq, &p->teardown);
}

/* Teardown is queued last, so the VMs stay while their faults are aborted. */
static void vkfd_process_leave(struct vkfd_process *p)
{
	struct gpu_vm *vm;
	unsigned int i;

	if (test_and_set_bit(0, &p->ending))
		return;
	for (i = 0; i < p->num_pdds; i++) {
		vm = READ_ONCE(p->pdds[i]->base.vm);
		if (vm)
			gpu_vm_fault_abort(vm);
	}
	queue_work(vkfd_teardown_wq, &p->teardown);
}

/*
 * The last thread of the process closes its files. Do not wait for the end of the mm:
 * a thread that serves a GPU fault may hold the mm and wait for something that never
 * happens, and the queues of a killed process must not go on running.
 */
void vkfd_process_exit(struct vkfd_process *p)
{
	if (p->primary)
		vkfd_process_exit(p->primary);	/* which may have no file */
	if (test_bit(0, &p->ending))
		return;
	vkfd_process_leave(p);
	vkfd_race_point("exit: teardown queued, nobody waits yet");
	/* A child may have inherited the file, so this need not be its last close. */
	flush_work(&p->teardown);
}

static void vkfd_notifier_release(struct mmu_notifier *mn, struct mm_struct *mm)
{
	struct vkfd_process *p = container_of(mn, struct vkfd_process, notifier);
	struct file *f;

	vkfd_race_point("end of the mm: before teardown is queued");
	vkfd_process_end(p);
	if (current->flags & PF_KTHREAD)
		return;		/* a kthread has no parent that waits for the reaper */
	f = xchg(&p->reaper, NULL);
	if (f)
		fput(f);
}

static const struct mmu_notifier_ops vkfd_notifier_ops = {
	.release = vkfd_notifier_release,
};

static void vkfd_process_teardown(struct work_struct *work)
{
	struct vkfd_process *p = container_of(work, struct vkfd_process, teardown);
	struct file *f;

	/*
	 * This returns once ->release has been called and has returned. No thread of
	 * the opener is left, or a context's file is closed and no thread can find it.
	 * Other tasks that share the mm may still run and look at the structs.
	 */
	mmu_notifier_unregister(&p->notifier, p->base.mm);
	vkfd_race_point("teardown: off the mm, before queues");
	mutex_lock(&p->base.lock);
	p->base.dying = true;
	mutex_unlock(&p->base.lock);

	vkfd_process_work_cancel(p, &p->restore_work);
	vkfd_process_work_cancel(p, &p->area_work);
	vkfd_process_work_cancel(p, &p->sleep_work);
	vkfd_stale_cancel(p);
	vkfd_queue_teardown(p);
	vkfd_race_point("teardown: queues gone, before sysfs and SVM");
	vkfd_procfs_del_process(p);
	vkfd_profiler_release(p);
	gpu_svm_detach(p->svm);
	vkfd_memory_teardown(p);
	vkfd_race_point("teardown: memory gone, before events");
	vkfd_events_fini(&p->events);
	vkfd_race_point("teardown: events gone, before pdds");
	vkfd_process_unbind_pdds(p);
	vkfd_race_point("teardown: pdds gone, still in the list");
	WRITE_ONCE(p->gone, true);
	f = xchg(&p->reaper, NULL);
	if (f)
		__fput_sync(f);
	gpu_process_put(&p->base);
}

/*
 * The last reference was put, so nobody can find the process any more. Only now free
 * the fields that entry points read without a lock. May sleep.
 */
static void vkfd_process_release(struct gpu_process *base)
{
	struct vkfd_process *p = to_vkfd_process(base);

	mutex_lock(&vkfd_processes_lock);
	list_del(&p->node);
	mutex_unlock(&vkfd_processes_lock);
	vkfd_events_free(&p->events);
	vkfd_process_free_pdds(p);
	vkfd_criu_release(p);
	if (p->svm)
		gpu_svm_free(p->svm);
	vkfd_pasid_put(p->pasid);
	idr_destroy(&p->queues);
	ida_destroy(&p->contexts);
	if (p->primary) {
		ida_free(&p->primary->contexts, p->context_id);
		gpu_process_put(&p->primary->base);
	}
	kfree(p);
}

/* ------------------------------------------------------------------- open */

/* Takes a reference. */
static struct vkfd_process *vkfd_process_find_locked(const struct mm_struct *mm)
{
	struct vkfd_process *p;

	lockdep_assert_held(&vkfd_processes_lock);
	/* An mm that is shared (CLONE_VM) may outlive a process that is ending. */
	list_for_each_entry(p, &vkfd_processes, node)
		if (p->base.mm == mm && !p->primary && !test_bit(0, &p->ending) &&
		    gpu_process_tryget(&p->base))
			return p;
	return NULL;
}

/* Of all that an mm has: contexts, too, whose file somebody else may hold. */
static void vkfd_process_leave_all(struct vkfd_process *primary)
{
	struct vkfd_process *p, *contexts[VKFD_MAX_CONTEXTS];
	unsigned int n = 0;

	vkfd_process_leave(primary);
	mutex_lock(&vkfd_processes_lock);
	list_for_each_entry(p, &vkfd_processes, node)
		if (p->primary == primary && n < VKFD_MAX_CONTEXTS &&
		    gpu_process_tryget(&p->base))
			contexts[n++] = p;
	mutex_unlock(&vkfd_processes_lock);
	while (n--) {
		vkfd_process_leave(contexts[n]);
		gpu_process_put(&contexts[n]->base);
	}
}

struct vkfd_process *vkfd_process_get_by_pid(pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = pid ? get_pid_task(pid, PIDTYPE_TGID) : NULL;
	struct vkfd_process *p, *found = NULL;

	put_pid(pid);
	if (!task)
		return NULL;
	mutex_lock(&vkfd_processes_lock);
	list_for_each_entry(p, &vkfd_processes, node) {
		if (p->base.lead != task || p->primary || test_bit(0, &p->ending) ||
		    !gpu_process_tryget(&p->base))
			continue;
		found = p;
		break;
	}
	mutex_unlock(&vkfd_processes_lock);
	put_task_struct(task);
	return found;
}

bool vkfd_process_has_contexts(struct vkfd_process *p)
{
	return !ida_is_empty(&p->contexts);
}

void vkfd_process_left(struct gpu_process *base)
{
	struct vkfd_process *p;

	if (!base->of_file) {
		p = to_vkfd_process(base);
		vkfd_process_leave_all(p->primary ?: p);
		return;
	}
	/* The mm may be that of a process of ours, too; of another one than has left, if shared. */
	mutex_lock(&vkfd_processes_lock);
	p = vkfd_process_find_locked(base->mm);
	mutex_unlock(&vkfd_processes_lock);
	if (!p)
		return;
	if (gpu_process_left(&p->base))
		vkfd_process_leave_all(p);
	gpu_process_put(&p->base);
}

static int vkfd_process_number(struct vkfd_process *p, struct vkfd_process *primary)
{
	p->pasid = vkfd_pasid_get();
	if (p->pasid < 0)
		return p->pasid;
	if (!primary)
		return 0;
	p->context_id = ida_alloc_max(&primary->contexts, VKFD_MAX_CONTEXTS - 1, GFP_KERNEL);
	if (p->context_id < 0) {
		vkfd_pasid_put(p->pasid);
		return p->context_id;
	}
	gpu_process_get(&primary->base);
	p->primary = primary;
	return 0;
}

/* @primary: NULL, or the process of which it becomes a context */
static struct vkfd_process *vkfd_process_create(struct vkfd_process *primary)
{
	struct vkfd_process *p;
	int ret;

	p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	if (!p)
		return ERR_PTR(-ENOMEM);
	ret = vkfd_process_number(p, primary);
	if (ret) {
		kfree(p);
		return ERR_PTR(ret);
	}
	ida_init(&p->contexts);
	INIT_LIST_HEAD(&p->node);
	INIT_WORK(&p->teardown, vkfd_process_teardown);
	vkfd_area_init(p);
	vkfd_pressure_init(p);
	vkfd_stale_init(p);
	vkfd_sleep_init(p);
	vkfd_lost_init(p);
	INIT_LIST_HEAD(&p->criu.svm);
	idr_init(&p->queues);
	gpu_process_init(&p->base, current->mm, current->group_leader, vkfd_process_release);
	p->base.context = primary;

	/* From here on, putting the last reference undoes the steps above. */
	ret = vkfd_events_init(&p->events);
	if (!ret)
		ret = vkfd_process_add_pdds(p);
	if (!ret)
		ret = vkfd_svm_init(p);
	p->notifier.ops = &vkfd_notifier_ops;
	/* Takes mmap_lock, which another thread of this process may hold while it is stuck. */
	if (!ret)
		ret = mmu_notifier_register(&p->notifier, p->base.mm);
	if (!ret)
		return p;
	gpu_process_put(&p->base);
	return ERR_PTR(ret);
}

/* A process object of the caller's image before exec, with a reference; NULL if none. */
static struct vkfd_process *vkfd_process_former(void)
{
	struct vkfd_process *p, *found = NULL;
	pid_t pid = task_tgid_nr(current);

	mutex_lock(&vkfd_processes_lock);
	list_for_each_entry(p, &vkfd_processes, node) {
		if (p->base.pid != pid || !test_bit(0, &p->ending) || READ_ONCE(p->gone))
			continue;
		if (gpu_process_tryget(&p->base)) {
			found = p;
			break;
		}
	}
	mutex_unlock(&vkfd_processes_lock);
	return found;
}

/* With another reference, for the file. */
static void vkfd_process_publish(struct vkfd_process *p)
{
	lockdep_assert_held(&vkfd_processes_lock);
	vkfd_lost_before(p);
	gpu_process_get(&p->base);
	list_add_tail(&p->node, &vkfd_processes);
	vkfd_procfs_add_process(p);
	vkfd_count(processes);
	/*
	 * GPUs may have gone to sleep since open() looked. vkfd_device_suspend() counts them before
	 * it walks the processes, so it sees this one, or this sees the count.
	 */
	if (vkfd_is_suspended())
		vkfd_process_work(p, &p->sleep_work, 0);
}

/*
 * Returns the process of the caller's mm with a reference, or NULL. If there is none
 * yet and @fresh is not NULL, publishes @fresh.
 */
static struct vkfd_process *vkfd_process_find_or_add(struct vkfd_process *fresh)
{
	struct vkfd_process *p;

	mutex_lock(&vkfd_processes_lock);
	p = vkfd_process_find_locked(current->mm);
	if (!p && fresh) {
		p = fresh;
		vkfd_process_publish(p);
	}
	mutex_unlock(&vkfd_processes_lock);
	return p;
}

/*
 * Between the moment when a process gets its pdds and the one when others find it, the list of
 * GPUs may not be another: who changes what GPUs are tries to write (vkfd_process_freeze()).
 */
static DECLARE_RWSEM(vkfd_opens);

static struct vkfd_process *vkfd_process_open_fresh(void)
{
	struct vkfd_process *p, *fresh;

	down_read(&vkfd_opens);
	fresh = vkfd_process_create(NULL);
	if (IS_ERR(fresh)) {
		p = fresh;
		goto out;
	}
	vkfd_race_point("open: process made, not yet published");
	p = vkfd_process_find_or_add(fresh);
	if (p != fresh)
		vkfd_process_end(fresh);
out:
	up_read(&vkfd_opens);
	return p;
}

struct vkfd_process *vkfd_process_open(void)
{
	struct vkfd_process *p;

	/* Threads may share a process; others that share the mm (CLONE_VM) may not. */
	if (!current->mm || current->group_leader->mm != current->mm)
		return ERR_PTR(-EINVAL);

	/* After exec, wait until the resources of the old image are released. */
	while ((p = vkfd_process_former())) {
		flush_work(&p->teardown);
		gpu_process_put(&p->base);
	}
	p = vkfd_process_find_or_add(NULL);
	if (p)
		return p;
	vkfd_race_point("open: no process found, none made yet");
	return vkfd_process_open_fresh();
}

struct vkfd_process *vkfd_process_open_context(struct vkfd_process *primary)
{
	struct vkfd_process *p;

	down_read(&vkfd_opens);
	p = vkfd_process_create(primary);
	if (!IS_ERR(p)) {
		mutex_lock(&vkfd_processes_lock);
		vkfd_process_publish(p);
		mutex_unlock(&vkfd_processes_lock);
	}
	up_read(&vkfd_opens);
	return p;
}

static bool vkfd_process_has(const struct vkfd_process *p, struct gpu_device *const *gdevs,
			     unsigned int n)
{
	unsigned int i, k;

	if (READ_ONCE(p->gone))
		return false;
	for (i = 0; i < p->num_pdds; i++)
		for (k = 0; k < n; k++)
			if (p->pdds[i]->base.gdev == gdevs[k] && !READ_ONCE(p->pdds[i]->lost))
				return true;
	return false;
}

/* One who opens may be held up by its own memory for any time: nobody waits for that. */
int vkfd_process_freeze(struct gpu_device *const *gdevs, unsigned int n)
{
	struct vkfd_process *p;
	int ret = 0;

	if (!down_write_trylock(&vkfd_opens))
		return -EBUSY;
	mutex_lock(&vkfd_processes_lock);
	list_for_each_entry(p, &vkfd_processes, node)
		if (vkfd_process_has(p, gdevs, n))
			ret = -EBUSY;
	mutex_unlock(&vkfd_processes_lock);
	if (ret)
		up_write(&vkfd_opens);
	return ret;
}

void vkfd_process_thaw(void)
{
	up_write(&vkfd_opens);
}

void vkfd_process_close(struct vkfd_process *p)
{
	/*
	 * A context has one file. Calls and mappings of its event page hold it, so there
	 * are none any more; doorbells may still be mapped, as after any teardown.
	 */
	if (p->primary)
		vkfd_process_leave(p);
	/* A task that exits closes its files after leaving its mm: wait for teardown. */
	if (test_bit(0, &p->ending))
		flush_work(&p->teardown);
	vkfd_race_point("release: before the file's reference goes");
	gpu_process_put(&p->base);
}

/* ------------------------------------------------------------------ module */

int vkfd_process_init(void)
{
	/* Unbound, because stopping queues waits for other threads. */
	vkfd_teardown_wq = alloc_workqueue("vkfd_teardown", WQ_UNBOUND, 0);
	if (!vkfd_teardown_wq)
		return -ENOMEM;
	vkfd_work_wq = alloc_workqueue("vkfd_process", WQ_UNBOUND, 0);
	if (!vkfd_work_wq) {
		destroy_workqueue(vkfd_teardown_wq);
		return -ENOMEM;
	}
	return 0;
}

/*
 * No file is open any more, but processes that have closed theirs may still exist.
 * They cannot have a VM, as its DRM file would hold the module, so there is little
 * left to tear down.
 */
void vkfd_process_fini(void)
{
	struct vkfd_process *p;

	mutex_lock(&vkfd_processes_lock);
	list_for_each_entry(p, &vkfd_processes, node)
		vkfd_process_end(p);
	mutex_unlock(&vkfd_processes_lock);
	/* A ->release may have set @ending and not queued the work yet. */
	mmu_notifier_synchronize();
	flush_workqueue(vkfd_teardown_wq);
	/* Works that did not get a lock; by now, only another one can hold it. */
	for_each_vkfd_process(p)
		while (flush_delayed_work(&p->lost_work) || flush_delayed_work(&p->sleep_work) ||
		       flush_delayed_work(&p->area_work) || vkfd_stale_flush(p))
			;
	destroy_workqueue(vkfd_work_wq);
	destroy_workqueue(vkfd_teardown_wq);
	WARN_ON(!list_empty(&vkfd_processes));
	ida_destroy(&vkfd_pasids);
}

struct vkfd_process *vkfd_process_next(struct vkfd_process *p)
{
	struct vkfd_process *next, *found = NULL;

	mutex_lock(&vkfd_processes_lock);
	next = p ? p : list_entry(&vkfd_processes, struct vkfd_process, node);
	list_for_each_entry_continue(next, &vkfd_processes, node) {
		if (gpu_process_tryget(&next->base)) {
			found = next;
			break;
		}
	}
	mutex_unlock(&vkfd_processes_lock);
	if (p)
		gpu_process_put(&p->base);
	return found;
}

void vkfd_process_work(struct vkfd_process *p, struct delayed_work *work, unsigned long delay)
{
	gpu_process_get(&p->base);
	if (!queue_delayed_work(vkfd_work_wq, work, delay))
		gpu_process_put(&p->base);
}

/* Sooner, if it has not waited for long. */
bool vkfd_process_work_begin(struct vkfd_process *p, struct delayed_work *work)
{
	unsigned int delay;

	if (mutex_trylock(&p->base.lock)) {
		WRITE_ONCE(p->work_delay, 0);
		return true;
	}
	delay = min_t(unsigned int, 2 * READ_ONCE(p->work_delay) + 1, VKFD_WORK_AGAIN);
	WRITE_ONCE(p->work_delay, delay);
	/* It is queued already, or nobody wants it any more. */
	if (!queue_delayed_work(vkfd_work_wq, work, delay))
		gpu_process_put(&p->base);
	return false;
}

void vkfd_process_work_end(struct vkfd_process *p)
{
	mutex_unlock(&p->base.lock);
	gpu_process_put(&p->base);
}

void vkfd_process_work_cancel(struct vkfd_process *p, struct delayed_work *work)
{
	if (cancel_delayed_work_sync(work))
		gpu_process_put(&p->base);
}

void vkfd_process_flush(void)
{
	flush_workqueue(vkfd_work_wq);
	flush_workqueue(vkfd_teardown_wq);
}

int vkfd_process_lock_until(struct vkfd_process *p, unsigned long until)
{
	while (!mutex_trylock(&p->base.lock)) {
		if (time_after_eq(jiffies, until))
			return -EBUSY;
		schedule_timeout_killable(1);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

int vkfd_processes_look(int (*fn)(struct vkfd_process *p, void *data),
			void (*busy)(struct vkfd_process *p, void *data), void *data)
{
	unsigned long until = jiffies + VKFD_LOOK_WAIT;
	struct vkfd_process *p;
	int ret;

	for_each_vkfd_process(p) {
		ret = vkfd_process_lock_until(p, until);
		if (!ret) {
			if (!p->base.dying)
				ret = fn(p, data);
			mutex_unlock(&p->base.lock);
		} else if (ret == -EBUSY) {
			if (busy)
				busy(p, data);
			ret = 0;
		}
		if (ret) {
			gpu_process_put(&p->base);
			return ret;
		}
	}
	return 0;
}

int vkfd_processes_tell(int (*fn)(struct vkfd_process *p, void *data), void *data)
{
	struct vkfd_process *p;
	int ret;

	for_each_vkfd_process(p) {
		ret = test_bit(0, &p->ending) ? 0 : fn(p, data);
		if (ret) {
			gpu_process_put(&p->base);
			return ret;
		}
	}
	return 0;
}
