// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page faults of a GPU address space in the memory of its process.
 *
 * Bringing a page in may take any time: the server of a FUSE file or the handler of a
 * userfaultfd may never answer. So the GPU's threads, which serve all processes, only look
 * at pages that are resident. For the others they leave a request with a thread that belongs
 * to the VM, and come back later. If such a page never comes, only that thread is stuck: it
 * holds none of our locks and no reference to a VM or an object, and it drops mmap_lock while
 * it waits. It only completes the CPUs' page tables; whoever asked reads them again.
 *
 * The end of the VM kills the wait. Some waits cannot be killed (a request that a FUSE server
 * has read). Then the thread is left alone; it holds an mm and the module until it returns.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "backend.h"
#include "faulter.h"
#include "gpu_int.h"
#include "mm.h"
#include "race.h"
#include "share.h"
#include "svm_int.h"
#include "zone.h"

#define FAULTER_REQUESTS	8
/* How long the GPU's threads may themselves wait for an answer. */
#define FAULTER_FRESH_NS	(2 * NSEC_PER_MSEC)
/* While a request takes long, check this often whether its process still exists. */
#define FAULTER_WATCH_MS	250
/* How long the end of a VM waits for the thread. */
#define FAULTER_STOP_MS		200
/*
 * Threads for open render nodes, and for contexts. Nobody's limit on processes counts them, and a
 * process may have very many files open: each user has a share of them.
 */
#define FAULTERS_OF_FILES	4096

enum faulter_state { FAULT_FREE, FAULT_WANTED, FAULT_BUSY, FAULT_FAILED };

/*
 * For the page at @addr, which is to be writable if @write, and maybe those up to @end; or with
 * @at, 1 + the index of a device, for @addr up to @end to come to its memory.
 */
struct faulter_request {
	enum faulter_state state;
	u64 addr, end;
	bool write;
	u32 at;
	int err;
};

/**
 * struct gpu_faulter - the thread of a VM and its requests
 * @ref: held by the VM, or by the thread itself once it is an orphan, and by waiters
 * @rcu: for readers of vm->faulter, as a VM may be given to another process
 * @process: the process whose memory it is; its mm is grabbed (mmgrab), not got
 * @mm: that mm, to be compared only
 * @share: of its user in the threads for files, or NULL
 * @watch: runs while a request takes long
 * @memcg: the process's; pages that the thread brings in are charged to it
 * @task: the thread
 * @lock: guards everything below
 * @work: the thread waits here for requests
 * @done: others wait here for the thread
 * @req: requests, in no order; FAILED ones are kept until whoever asked has seen them
 * @pending: number of requests that are WANTED or BUSY
 * @seq: number of requests that have been done
 * @since: when the current request began, ns
 * @single: one page is being brought in (only the thread looks at it)
 * @home: pages of ranges that have moved are to follow them
 * @stop: accept no more requests
 * @gone: the thread has left its loop
 * @orphan: nobody waits for the thread's end; it cleans up itself
 */
struct gpu_faulter {
	struct kref ref;
	struct rcu_head rcu;
	struct gpu_process *process;
	const struct mm_struct *mm;
	struct gpu_share *share;
	struct delayed_work watch;
	struct mem_cgroup *memcg;
	struct task_struct *task;
	spinlock_t lock;
	wait_queue_head_t work, done;
	struct faulter_request req[FAULTER_REQUESTS];
	unsigned int pending;
	u64 seq, since;
	bool home, stop, gone, orphan, single;
};

static struct gpu_shares faulters_of_files = GPU_SHARES_INIT(faulters_of_files);

/* NULL: a thread of KFD's, of which a process has few */
static struct gpu_share *faulter_charge(const struct gpu_process *p)
{
	if (!p->of_file && !p->context)
		return NULL;
	return gpu_share_take(&faulters_of_files, p, FAULTERS_OF_FILES, GFP_KERNEL);
}

static void faulter_uncharge(struct gpu_share *share)
{
	if (share)
		gpu_share_give(&faulters_of_files, share);
}

static void faulter_release(struct kref *ref)
{
	struct gpu_faulter *ft = container_of(ref, struct gpu_faulter, ref);

	gpu_memcg_put(ft->memcg);
	faulter_uncharge(ft->share);
	gpu_process_put(ft->process);
	kfree_rcu(ft, rcu);
}

/* Takes a reference, for callers that do not keep the process of @vm from ending. */
static struct gpu_faulter *faulter_get(struct gpu_vm *vm)
{
	struct gpu_faulter *ft;

	rcu_read_lock();
	ft = READ_ONCE(vm->faulter);
	if (ft && !kref_get_unless_zero(&ft->ref))
		ft = NULL;
	rcu_read_unlock();
	return ft;
}

static bool faulter_busy(struct gpu_faulter *ft)
{
	bool busy = false;
	unsigned int i;

	spin_lock(&ft->lock);
	for (i = 0; i < FAULTER_REQUESTS; i++)
		busy |= ft->req[i].state == FAULT_BUSY;
	spin_unlock(&ft->lock);
	return busy;
}

static void faulter_kill(struct gpu_faulter *ft)
{
	spin_lock(&ft->lock);
	WRITE_ONCE(ft->stop, true);
	if (!ft->gone)
		send_sig(SIGKILL, ft->task, 1);
	spin_unlock(&ft->lock);
	wake_up_all(&ft->work);
}

/*
 * The thread keeps the mm alive while it waits. A process that exits normally announces it by
 * closing /dev/kfd. This watch notices one that had closed /dev/kfd before, or that called
 * exec.
 */
static void faulter_watch(struct work_struct *work)
{
	struct gpu_faulter *ft = container_of(to_delayed_work(work), struct gpu_faulter, watch);

	if (!faulter_busy(ft) || READ_ONCE(ft->stop))
		return;
	vkfd_race_point("faulter's watch: before it asks who is left");
	if (gpu_process_left(ft->process)) {
		gpu_host->process_left(ft->process);
		/* Nobody else ends a wait for an open render node. */
		if (ft->process->of_file)
			faulter_kill(ft);
	} else {
		schedule_delayed_work(&ft->watch, msecs_to_jiffies(FAULTER_WATCH_MS));
	}
}

/* ------------------------------------------------------------------ thread */

static int faulter_thread(void *arg);

static int faulter_page(struct gpu_faulter *ft, struct mm_struct *mm, u64 addr, bool write)
{
	unsigned int flags = FAULT_FLAG_REMOTE | (write ? FAULT_FLAG_WRITE : 0);
	bool unlocked = false;
	int ret;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	ft->single = true;
	ret = fixup_user_fault(mm, addr, flags, &unlocked);
	ft->single = false;
	mmap_read_unlock(mm);
	return ret;
}

/*
 * Pages that nobody has asked for, as far as they come without a wait: a later one may be one
 * that never comes, and the thread has others to serve.
 */
static void faulter_ahead(struct mm_struct *mm, u64 addr, u64 end, bool write)
{
	unsigned int flags = FOLL_NOWAIT | (write ? FOLL_WRITE : 0);

	/* It would bring pages back that are with the GPUs. */
	if (addr >= end || gpu_zone_used() || mmap_read_lock_killable(mm))
		return;
	compat_get_user_pages_remote(mm, addr, (end - addr) >> PAGE_SHIFT, flags, NULL, NULL);
	mmap_read_unlock(mm);
}

/* Brings in the page that was asked for, and the rest of the request if that is quick. */
static int faulter_serve(struct gpu_faulter *ft, const struct faulter_request *r)
{
	struct mm_struct *mm = ft->process->mm;
	int ret;

	if (!mmget_not_zero(mm))
		return -ESRCH;
	vkfd_race_point("faulter: has the mm, before the fault");
	schedule_delayed_work(&ft->watch, msecs_to_jiffies(FAULTER_WATCH_MS));
	if (r->at) {
		gpu_svm_bring_pages(mm, r->addr, r->end - 1, r->at);
		ret = 0;
	} else {
		ret = faulter_page(ft, mm, r->addr, r->write);
		if (!ret)
			faulter_ahead(mm, r->addr + PAGE_SIZE, r->end, r->write);
	}
	mmput_async(mm);
	return ret;
}

bool gpu_faulter_is_current(void)
{
	return kthread_func(current) == faulter_thread;
}

bool gpu_faulter_looks_again(void)
{
	struct gpu_faulter *ft;

	if (!gpu_faulter_is_current())
		return false;
	ft = kthread_data(current);
	return ft->single;
}

static struct faulter_request *faulter_next(struct gpu_faulter *ft)
{
	struct faulter_request *r = NULL;
	unsigned int i;

	spin_lock(&ft->lock);
	for (i = 0; i < FAULTER_REQUESTS && !r; i++)
		if (ft->req[i].state == FAULT_WANTED)
			r = &ft->req[i];
	if (r) {
		r->state = FAULT_BUSY;
		WRITE_ONCE(ft->since, ktime_get_ns());
	}
	spin_unlock(&ft->lock);
	return r;
}

static void faulter_done(struct gpu_faulter *ft, struct faulter_request *r, int err)
{
	spin_lock(&ft->lock);
	r->state = err ? FAULT_FAILED : FAULT_FREE;
	r->err = err;
	WRITE_ONCE(ft->pending, ft->pending - 1);
	WRITE_ONCE(ft->seq, ft->seq + 1);
	spin_unlock(&ft->lock);
	wake_up_all(&ft->done);
}

/* Nobody waits for it. What has been asked for meanwhile comes next. */
static void faulter_bring_home(struct gpu_faulter *ft)
{
	struct mm_struct *mm = ft->process->mm;

	if (!mmget_not_zero(mm))
		return;
	gpu_svm_bring_home(mm);
	mmput_async(mm);
}

static int faulter_thread(void *arg)
{
	struct gpu_faulter *ft = arg;
	struct faulter_request *r;
	bool orphan;

	allow_signal(SIGKILL);
	gpu_memcg_enter(ft->memcg);
	while (!READ_ONCE(ft->stop)) {
		r = faulter_next(ft);
		if (r)
			faulter_done(ft, r, faulter_serve(ft, r));
		else if (xchg(&ft->home, false))
			faulter_bring_home(ft);
		else
			wait_event_idle(ft->work, READ_ONCE(ft->pending) || READ_ONCE(ft->home) ||
					READ_ONCE(ft->stop));
	}
	gpu_memcg_leave(NULL);
	cancel_delayed_work_sync(&ft->watch);
	spin_lock(&ft->lock);
	ft->gone = true;
	orphan = ft->orphan;
	spin_unlock(&ft->lock);
	wake_up_all(&ft->done);
	if (orphan) {
		kref_put(&ft->ref, faulter_release);
		module_put_and_kthread_exit(0);
	}
	wait_event_idle(ft->work, kthread_should_stop());
	return 0;
}

/* --------------------------------------------------------- life and death */

/* Also called by the GPU's threads, which must not wait for memory in a cgroup. */
static struct gpu_faulter *faulter_create(struct gpu_process *p)
{
	struct gpu_share *share = faulter_charge(p);
	struct gpu_faulter *ft;

	if (IS_ERR(share))
		return ERR_PTR(-ENOMEM);
	ft = kzalloc(sizeof(*ft), GFP_KERNEL);
	if (!ft) {
		faulter_uncharge(share);
		return ERR_PTR(-ENOMEM);
	}
	ft->share = share;
	kref_init(&ft->ref);
	spin_lock_init(&ft->lock);
	init_waitqueue_head(&ft->work);
	init_waitqueue_head(&ft->done);
	INIT_DELAYED_WORK(&ft->watch, faulter_watch);
	ft->task = kthread_create(faulter_thread, ft, "vkfd-fault/%d", p->pid);
	if (IS_ERR(ft->task)) {
		int ret = PTR_ERR(ft->task);

		kfree(ft);
		faulter_uncharge(share);
		return ERR_PTR(ret);
	}
	gpu_process_get(p);
	ft->process = p;
	ft->mm = p->mm;
	ft->memcg = gpu_memcg_get(p->mm);
	__module_get(THIS_MODULE);
	wake_up_process(ft->task);
	return ft;
}

static void faulter_destroy(struct gpu_faulter *ft)
{
	bool gone;

	faulter_kill(ft);
	wait_event_timeout(ft->done, READ_ONCE(ft->gone), msecs_to_jiffies(FAULTER_STOP_MS));
	spin_lock(&ft->lock);
	gone = ft->gone;
	ft->orphan = !gone;
	spin_unlock(&ft->lock);
	if (!gone)
		return;		/* the thread now owns our reference and the module's */
	kthread_stop(ft->task);
	kref_put(&ft->ref, faulter_release);
	module_put(THIS_MODULE);
}

/* Does @vm have a thread already? 0: no; 1: yes; -EPERM: for the memory of another process. */
static int faulter_there(struct gpu_vm *vm, const struct gpu_process *p)
{
	struct gpu_faulter *ft;
	int ret = 0;

	rcu_read_lock();
	ft = READ_ONCE(vm->faulter);
	if (ft)
		ret = ft->mm == p->mm ? 1 : -EPERM;
	rcu_read_unlock();
	return ret;
}

int gpu_faulter_start(struct gpu_vm *vm, struct gpu_process *p)
{
	int ret = faulter_there(vm, p);
	struct gpu_faulter *ft;

	if (ret)
		return min(ret, 0);
	ft = faulter_create(p);
	if (IS_ERR(ft))
		return PTR_ERR(ft);
	/* KFD's process and that of the file may come at the same time, with one mm or two. */
	if (cmpxchg(&vm->faulter, NULL, ft)) {
		faulter_destroy(ft);
		ret = min(faulter_there(vm, p), 0);
	}
	return ret;
}

void gpu_faulter_stop(struct gpu_vm *vm)
{
	struct gpu_faulter *ft;

	/* gpu_faulter_ask() runs with vm->lock held for reading. */
	down_write(&vm->lock);
	ft = xchg(&vm->faulter, NULL);
	up_write(&vm->lock);
	if (ft)
		faulter_destroy(ft);
}

void gpu_vm_fault_abort(struct gpu_vm *vm)
{
	struct gpu_faulter *ft = READ_ONCE(vm->faulter);

	if (ft)
		faulter_kill(ft);
}

/* ---------------------------------------------------------- the GPU's side */

static int faulter_ask(struct gpu_faulter *ft, const struct mm_struct *mm,
		       const struct faulter_request *want)
{
	struct faulter_request *r, *slot = NULL;
	int ret = -EAGAIN;
	unsigned int i;

	if (!ft || READ_ONCE(ft->stop))
		return -ESRCH;
	/* The VM has become another process's since this memory was mapped. */
	if (ft->mm != mm)
		return -EFAULT;
	spin_lock(&ft->lock);
	for (i = 0; i < FAULTER_REQUESTS; i++) {
		r = &ft->req[i];
		if (r->state != FAULT_FREE && r->addr == want->addr &&
		    r->write == want->write && r->at == want->at)
			break;
		/* A failed request whose asker never came back can be overwritten. */
		if (r->state == FAULT_FREE || (!slot && r->state == FAULT_FAILED))
			slot = r;
	}
	if (i < FAULTER_REQUESTS) {
		if (r->state == FAULT_FAILED) {
			ret = r->err;
			r->state = FAULT_FREE;
		}
	} else if (slot) {
		*slot = *want;
		slot->state = FAULT_WANTED;
		WRITE_ONCE(ft->pending, ft->pending + 1);
	}
	spin_unlock(&ft->lock);
	if (ret == -EAGAIN)
		wake_up(&ft->work);
	return ret == -EINTR ? -ESRCH : ret;
}

int gpu_faulter_ask(struct gpu_faulter *ft, const struct mm_struct *mm, u64 addr, u64 end,
		    bool write)
{
	struct faulter_request want = { .addr = addr, .end = end, .write = write };

	return faulter_ask(ft, mm, &want);
}

bool gpu_faulter_move(struct gpu_faulter *ft, const struct mm_struct *mm, u64 addr, u64 end,
		      u32 at)
{
	struct faulter_request want = { .addr = addr, .end = end, .at = at };

	return faulter_ask(ft, mm, &want) == -EAGAIN;
}

void gpu_faulter_home(struct gpu_faulter *ft, const struct mm_struct *mm)
{
	if (!ft || ft->mm != mm)
		return;
	WRITE_ONCE(ft->home, true);
	wake_up(&ft->work);
}

int gpu_vm_user_ask(struct gpu_vm *vm, struct gpu_process *p, u64 addr, bool write)
{
	u64 page = addr & PAGE_MASK;
	int ret = gpu_faulter_start(vm, p);

	return ret ?: gpu_faulter_ask(READ_ONCE(vm->faulter), p->mm, page, page + PAGE_SIZE, write);
}

bool gpu_vm_fault_wait(struct gpu_vm *vm, unsigned long timeout, bool fresh)
{
	u64 seq, changing = READ_ONCE(vm->changing_ns);
	struct gpu_faulter *ft;
	bool done = false;

	if (READ_ONCE(vm->room.busy))
		return gpu_room_wait(vm, timeout, fresh);
	/* Nobody was asked for that: whoever wants the page comes again. */
	if (changing)
		return (!fresh || ktime_get_ns() - changing <= FAULTER_FRESH_NS) &&
		       gpu_mm_wait(READ_ONCE(vm->changing_seen), timeout);
	ft = faulter_get(vm);
	if (!ft)
		return false;
	seq = READ_ONCE(ft->seq);
	if (!fresh || ktime_get_ns() - READ_ONCE(ft->since) <= FAULTER_FRESH_NS)
		done = wait_event_idle_timeout(ft->done, !READ_ONCE(ft->pending) ||
					       READ_ONCE(ft->seq) != seq, timeout) > 0;
	kref_put(&ft->ref, faulter_release);
	return done;
}
