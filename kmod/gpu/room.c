// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is charged for memory that a GPU allocates, and who waits for it.
 *
 * Pages of buffers and nodes of page caches appear when a GPU touches something.
 * That happens in kernel threads, which no control group accounts for. So a VM and
 * a buffer remember the memory cgroup of their creator, and memory that is allocated
 * for them is charged to it.
 *
 * A thread that allocates for a cgroup at its limit has to reclaim, and above
 * memory.high it has to sleep, two seconds at a time. Threads that serve everybody
 * must do neither. They take memory that is free at once. For more they leave a
 * request with the VM and come back, as they do for pages of a process (faulter.c).
 * A work item does the waiting, one at a time for each VM. One user may have very many VMs; a few
 * of them wait at a time, and the others in line, so that they do not take all places, and all
 * processors, from VMs of others.
 *
 * The OOM killer is never called: a process without room loses its queues, no more.
 *
 * For memory.high, the kernel counts what a thread takes, and has it reclaim or sleep
 * before it returns to user space. A thread of ours never does, so the VM takes the count
 * over. Whichever thread of its process next returns from an ioctl of /dev/kfd or the render
 * node, or from the fault of a doorbell, reclaims or sleeps for it.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/memcontrol.h>
#include <linux/rcupdate.h>
#include <linux/resume_user_mode.h>
#include <linux/sched/mm.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "gpu_int.h"
#include "share.h"

/* As in faulter.c: threads that serve everybody wait for a request that is that young. */
#define ROOM_FRESH_NS		(2 * NSEC_PER_MSEC)
/* After a refusal, everybody who asks within that time is refused, too. */
#define ROOM_REFUSAL_JIFFIES	HZ

/* Requests of one user that are under way; a workqueue has places for 256 or 1024. */
#define ROOM_OF_USER		8

/**
 * struct gpu_room_user - one who has VMs
 * @share: counts VMs, and requests that are under way: whoever has none is nobody's concern
 * @running: the latter
 * @line: struct gpu_room_job.node of those that come next
 */
struct gpu_room_user {
	struct gpu_share share;
	unsigned int running;
	struct list_head line;
};

static struct workqueue_struct *gpu_room_wq;
static struct gpu_shares room_users = GPU_SHARES_INIT(room_users);	/* its lock: lines, too */

/* ----------------------------------------------------------------- cgroups */

struct mem_cgroup *gpu_memcg_get(struct mm_struct *mm)
{
	return get_mem_cgroup_from_mm(mm);
}

void gpu_memcg_put(struct mem_cgroup *memcg)
{
	mem_cgroup_put(memcg);
}

struct mem_cgroup *gpu_memcg_enter(struct mem_cgroup *memcg)
{
	return set_active_memcg(memcg);
}

void gpu_memcg_leave(struct mem_cgroup *old)
{
	set_active_memcg(old);
}

#ifdef CONFIG_MEMCG
void gpu_memcg_pass(struct gpu_vm *vm)
{
	unsigned int pages = current->memcg_nr_pages_over_high;

	if (!pages || !(current->flags & PF_KTHREAD))
		return;
	current->memcg_nr_pages_over_high = 0;
	atomic_add(pages, &vm->over_high);
}

/* mem_cgroup_handle_over_high() is not exported, but this is how the kernel calls it. */
void gpu_vm_throttle(struct gpu_vm *vm)
{
	if (!atomic_read(&vm->over_high))
		return;
	current->memcg_nr_pages_over_high += atomic_xchg(&vm->over_high, 0);
	set_notify_resume(current);
}
#else
void gpu_memcg_pass(struct gpu_vm *vm)
{
}

void gpu_vm_throttle(struct gpu_vm *vm)
{
}
#endif

/* ---------------------------------------------------------------- requests */

/*
 * Slots of the page cache. To get them, the whole cache of the VM may be emptied, as
 * faults fill it again. Its memory is free after a grace period.
 */
static int room_for_slots(struct gpu_vm *vm, u64 first, unsigned int n)
{
	int ret = gpu_pc_reserve(vm, first, n, GPU_GFP_WAIT);

	if (ret != -ENOMEM)
		return ret;
	mutex_lock(&vm->pc_lock);
	gpu_pc_shootdown(vm, 0, ULONG_MAX, true);
	mutex_unlock(&vm->pc_lock);
	rcu_barrier();
	return gpu_pc_reserve(vm, first, n, GPU_GFP_WAIT);
}

/* The page at @va, and as many of the others in its window as can be had. */
static int room_for_pages(const struct gpu_vm_window *win)
{
	struct page *page;
	unsigned int i;

	page = gpu_bo_page(win->bo, win->index + win->at);
	if (IS_ERR(page))
		return PTR_ERR(page);
	for (i = 0; i < win->n; i++)
		if (IS_ERR(gpu_bo_page(win->bo, win->index + i)))
			break;
	return 0;
}

static int room_make(struct gpu_vm *vm, u64 va)
{
	struct mem_cgroup *old = gpu_memcg_enter(vm->memcg);
	struct gpu_vm_window win;
	int ret = 0;

	gpu_vm_window_get(vm, va, &win);
	if (win.bo)
		ret = room_for_pages(&win);
	if (!ret)
		ret = room_for_slots(vm, win.first, win.n);
	if (win.bo)
		gpu_bo_put(win.bo);
	gpu_memcg_leave(old);
	return ret;
}

static void room_run(struct gpu_room_job *job)
{
	struct gpu_room *room = container_of(job, struct gpu_room, job);
	struct gpu_vm *vm = container_of(room, struct gpu_vm, room);
	int err = room_make(vm, room->va);

	gpu_memcg_pass(vm);
	spin_lock(&room->lock);
	room->err = err;
	room->until = jiffies + ROOM_REFUSAL_JIFFIES;
	WRITE_ONCE(room->busy, false);
	spin_unlock(&room->lock);
	wake_up_all(&room->done);
	gpu_vm_put(vm);
}

int gpu_room_ask(struct gpu_vm *vm, u64 va)
{
	struct gpu_room *room = &vm->room;
	int ret = -EAGAIN;

	spin_lock(&room->lock);
	if (!room->busy && room->err && time_before(jiffies, room->until)) {
		ret = room->err;
		room->err = 0;
	} else if (!room->busy) {
		room->va = va;
		room->err = 0;
		room->since = ktime_get_ns();
		WRITE_ONCE(room->busy, true);
		gpu_vm_get(vm);
		gpu_room_queue(vm->room_user, &room->job);
	}
	spin_unlock(&room->lock);
	return ret;
}

bool gpu_room_wait(struct gpu_vm *vm, unsigned long timeout, bool fresh)
{
	struct gpu_room *room = &vm->room;

	if (fresh && ktime_get_ns() - READ_ONCE(room->since) > ROOM_FRESH_NS)
		return false;
	return wait_event_idle_timeout(room->done, !READ_ONCE(room->busy), timeout) > 0;
}

void gpu_room_init(struct gpu_room *room)
{
	spin_lock_init(&room->lock);
	init_waitqueue_head(&room->done);
	gpu_room_job_init(&room->job, room_run);
}

/* ------------------------------------------------------------------- turns */

struct gpu_room_user *gpu_room_user_get(kuid_t uid)
{
	struct gpu_room_user *fresh = kmalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT), *u;

	if (!fresh)
		return NULL;
	*fresh = (struct gpu_room_user){ .share.uid = uid };
	INIT_LIST_HEAD(&fresh->line);
	spin_lock(&room_users.lock);
	u = container_of(gpu_share_add_locked(&room_users, &fresh->share), struct gpu_room_user,
			 share);
	spin_unlock(&room_users.lock);
	if (u != fresh)
		kfree(fresh);
	return u;
}

void gpu_room_user_put(struct gpu_room_user *u)
{
	bool last;

	spin_lock(&room_users.lock);
	last = gpu_share_del_locked(&room_users, &u->share);
	spin_unlock(&room_users.lock);
	if (last)
		kfree(u);
}

/* The next one in line, or none, in place of one that is over. */
static void room_next(struct gpu_room_user *u)
{
	struct gpu_room_job *next;
	bool last = false;

	spin_lock(&room_users.lock);
	next = list_first_entry_or_null(&u->line, struct gpu_room_job, node);
	if (next) {
		list_del(&next->node);
		queue_work(gpu_room_wq, &next->work);
	} else {
		u->running--;
		last = gpu_share_del_locked(&room_users, &u->share);
	}
	spin_unlock(&room_users.lock);
	if (last)
		kfree(u);
}

static void room_job_work(struct work_struct *work)
{
	struct gpu_room_job *job = container_of(work, struct gpu_room_job, work);
	struct gpu_room_user *u = job->user;

	job->run(job);	/* may be the end of the VM that has @job, or have it queued again */
	room_next(u);
}

void gpu_room_job_init(struct gpu_room_job *job, void (*run)(struct gpu_room_job *job))
{
	INIT_WORK(&job->work, room_job_work);
	job->run = run;
}

/* @job holds a reference to a VM, see gpu_room_flush(). */
void gpu_room_queue(struct gpu_room_user *u, struct gpu_room_job *job)
{
	spin_lock(&room_users.lock);
	job->user = u;
	if (u->running == ROOM_OF_USER) {
		list_add_tail(&job->node, &u->line);
	} else {
		u->running++;
		gpu_share_add_locked(&room_users, &u->share);
		queue_work(gpu_room_wq, &job->work);
	}
	spin_unlock(&room_users.lock);
}

/* Of a device of which there is no VM any more, none stands in line. */
void gpu_room_flush(void)
{
	flush_workqueue(gpu_room_wq);
}

int gpu_room_start(void)
{
	gpu_room_wq = alloc_workqueue("vkfd-room", WQ_UNBOUND, 0);
	return gpu_room_wq ? 0 : -ENOMEM;
}

void gpu_room_stop(void)
{
	WARN_ON_ONCE(!list_empty(&room_users.users));
	destroy_workqueue(gpu_room_wq);
}
