// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waves in user mode. The threads of an engine process (engine/user) are workers: they admit
 * work-groups, take turns and serve stops as the kernel's workers do, in the ioctl by which they
 * ask for work. Only the sections of a turn are run by the program, outside of the kernel: a
 * work-group goes out into memory that the thread sees, and comes back with the next call. So its
 * waves rest in the kernel, where they are saved, trapped and described as those of any queue.
 *
 * A thread that is out is inside its queue. Whoever takes the queue off waits for it;
 * remote_watch() sees to it that it comes back, or ends the process. It measures the processor time
 * that the thread has had, since a thread that gets none is not to blame. What comes back is
 * copied, then judged; what code of a wave could not have done ends the process.
 *
 * Nobody can come back who is frozen. So a thread that is out is not for the freezer of a machine
 * that suspends, as the kernel's own workers are not; it is frozen once it is in the kernel and
 * inside no queue. While the machine wants to sleep, it is not even frozen there: jobs of the
 * render node have to end first, and queues of KFD are evicted later, by the GPU's own suspend.
 *
 * interp.remotes_lock guards the list of a GPU's processes; remote_worker.lock is outside of 3 and
 * 8 (locking.rst), and is held by the thread while it is in the kernel.
 */
#include <linux/delay.h>
#include <linux/freezer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <vkfd/engine.h>

#include "remote_int.h"

#define MAX_THREADS	64u	/* an engine process has no more, and each a section of memory */
#define WATCH_JIFFIES	(HZ / 10)
#define HUNGRY_JIFFIES	max(1, HZ / 50)	/* until a thread that lacked memory looks again */
/* A section is a few thousand instructions: milliseconds. */
#define OUT_NS		(5 * NSEC_PER_SEC)
#define WAITED_NS	(10 * NSEC_PER_SEC)	/* however little processor time it has had */
#define KILLED_JIFFIES	(2 * HZ)
/* Until a thread that waits for a page asks again */
#define TOUCH_JIFFIES	max(1, HZ / 250)
#define LDS_SLACK	PAGE_SIZE	/* isa_wg.lds: vector code may access beyond the end */

/* ------------------------------------------------------ calls of the process */

static void remote_hello(void *priv, struct user_proc *up, struct vkfd_engine_hello *h)
{
	struct interp_remote *r = priv;
	u32 gfx = r->ip->vg->gdev->target->gfx_version;

	h->threads = r->nworkers;
	h->gfx[0] = gfx / 10000;
	h->gfx[1] = gfx / 100 % 100;
	h->gfx[2] = gfx % 100;
	h->section_bytes = r->section_bytes;
	h->ops = isa_op_count();
	h->counts_at = r->counts_at;
	strscpy(h->lanes, isa_lane_name(r->ip->lane), sizeof(h->lanes));
	h->jit = interp_engine_jit();
	user_proc_get(up);
	WRITE_ONCE(r->up, up);
}

static const struct gpu_memory *remote_section(void *priv, unsigned int n)
{
	struct interp_remote *r = priv;

	return n < r->nworkers ? &r->workers[array_index_nospec(n, r->nworkers)]->shared : NULL;
}

/* Only the thread itself makes it a runner. */
static bool runs_already(const struct interp_remote *r)
{
	unsigned int i;

	for (i = 0; i < r->nworkers; i++)
		if (READ_ONCE(r->workers[i]->runner) == current)
			return true;
	return false;
}

/*
 * The thread's, and nobody else's. With its lock. A thread is one worker only: in the kernel for
 * one it would be out for another one, and neither watched nor kept from the freezer.
 */
static struct remote_worker *worker_enter(struct interp_remote *r, unsigned int n)
{
	struct remote_worker *rw;

	if (n >= r->nworkers)
		return ERR_PTR(-EINVAL);
	rw = r->workers[array_index_nospec(n, r->nworkers)];
	if (mutex_lock_interruptible(&rw->lock))
		return ERR_PTR(-EINTR);
	if (!rw->runner && !runs_already(r))
		WRITE_ONCE(rw->runner, get_task_struct(current));
	if (rw->runner == current && !r->dead)
		return rw;
	mutex_unlock(&rw->lock);
	return ERR_PTR(-EPERM);
}

/* The group goes on, or its turn ends; true if it has gone out. */
static bool turn_on(struct interp_remote *r, struct remote_worker *rw)
{
	struct interp_worker *w = &rw->w;
	const struct isa_exit none = {};

	if (interp_turn_goes_on(w)) {
		if (interp_send_out(r, rw))
			return true;
		interp_turn_section(w, INTERP_SECTION_STUCK, &none);
	}
	rw->fresh = false;
	interp_turn_end(w);
	return false;
}

/* Between turns: may the caller be frozen from now on? interp_send_out() says no. */
static bool is_freezing(const struct interp *ip)
{
	if (READ_ONCE(ip->vg->gdev->sleepy_ns)) {
		current->flags |= PF_NOFREEZE;
		return false;
	}
	current->flags &= ~PF_NOFREEZE;
	return freezing(current);
}

static int next_section(struct interp_remote *r, struct remote_worker *rw)
{
	struct interp_worker *w = &rw->w;
	struct interp *ip = w->ip;
	int now;

	for (;;) {
		if (is_freezing(ip) || signal_pending(current)) {
			/* Nobody watches what it does until it comes again. */
			current->flags &= ~PF_NOFREEZE;
			return -EINTR;
		}
		now = atomic_read_acquire(&ip->work_seq);
		if (now != rw->seen)
			interp_drop_aborted(w);
		rw->seen = now;
		interp_admit(w);
		if (!interp_turn_begin(w)) {
			if (rw->uncounted) {
				interp_send_none(rw);
				return 0;
			}
			/* Not exclusive: one wake-up is for the kernel's workers, too. */
			interp_spare_trim(w, 0);
			wait_event_interruptible_timeout(ip->work_wq,
							 atomic_read(&ip->work_seq) != rw->seen,
							 w->hungry ? HUNGRY_JIFFIES :
								     MAX_SCHEDULE_TIMEOUT);
			continue;
		}
		if (turn_on(r, rw))
			return 0;
		cond_resched();
	}
}

static int remote_run(void *priv, unsigned int n)
{
	struct interp_remote *r = priv;
	struct remote_worker *rw = worker_enter(r, n);
	enum interp_section_end how;
	struct isa_exit ex = {};
	bool more, out = false;
	int ret = 0;

	if (IS_ERR(rw))
		return PTR_ERR(rw);
	WRITE_ONCE(rw->counting, false);
	if (rw->out) {
		if (!interp_come_back(r, rw, &how, &ex)) {
			user_proc_kill(r->up, "what it says makes no sense");
			ret = -EINVAL;
			how = INTERP_SECTION_STUCK;
		}
		more = interp_turn_section(&rw->w, how, &ex);
		interp_torn_back(rw);
		if (!more) {
			rw->fresh = false;
			interp_turn_end(&rw->w);
		} else {
			out = turn_on(r, rw);
		}
	}
	if (!ret && !out)
		ret = next_section(r, rw);
	mutex_unlock(&rw->lock);
	if (ret == -EINTR)
		try_to_freeze();
	return ret;
}

static int note_access(void *arg, u64 index, unsigned long pfn, u32 access)
{
	*(u32 *)arg = access;
	return 0;
}

/* The thread is inside its queue, so the address space is that of a process that lives. */
static int remote_touch(void *priv, unsigned int n, u64 va, u32 *access)
{
	struct interp_remote *r = priv;
	struct remote_worker *rw = worker_enter(r, n);
	const bool wait = *access & VKFD_ENGINE_TOUCH_WAIT;
	struct gpu_fault fault;
	int ret = -EPERM;

	if (IS_ERR(rw))
		return PTR_ERR(rw);
	*access &= ~VKFD_ENGINE_TOUCH_WAIT;
	if (rw->out && *access && !(*access & ~(GPU_R | GPU_W | GPU_X))) {
		rw->w.n.misses++;
		ret = gpu_vm_mirror_pages(r->vm, va, 1, *access, note_access, access);
		if (ret) {
			ret = gpu_vm_fault(r->vm, va, *access, &fault);
			if (!ret && gpu_vm_mirror_pages(r->vm, va, 1, *access, note_access, access))
				ret = -EAGAIN;
		}
	}
	mutex_unlock(&rw->lock);
	/* Nobody has asked for one that is just being changed. */
	if (wait && ret == -EAGAIN && !gpu_vm_fault_wait(r->vm, TOUCH_JIFFIES, false))
		usleep_range(50, 100);
	return ret;
}

/* ---------------------------------------------------------------- the end */

static void remote_free(struct kref *ref)
{
	struct interp_remote *r = container_of(ref, struct interp_remote, ref);
	unsigned int i;

	for (i = 0; i < r->nworkers; i++) {
		struct remote_worker *rw = r->workers[i];

		if (!rw)
			continue;
		if (rw->runner)
			put_task_struct(rw->runner);
		if (rw->w.vg)
			gpu_vm_worker_del(r->vm->gdev, &rw->w.vmw);
		interp_worker_free(&rw->w);
		gpu_memory_put(&rw->shared);
		mutex_destroy(&rw->lock);
		kvfree(rw);
	}
	if (r->up)
		user_proc_put(r->up);
	kfree(r);
}

/* One of its queues that is not stopped, held; or NULL. */
static struct hw_compute *queue_of(struct interp_remote *r)
{
	struct hw *vg = r->ip->vg;
	struct hw_compute *vq, *found = NULL;

	spin_lock(&vg->lock);
	list_for_each_entry(vq, &vg->queues, hq.node) {
		if (to_interp_queue(vq)->remote != r || hw_queue_stopped(&vq->hq))
			continue;
		hw_queue_hold_locked(&vq->hq);
		found = vq;
		break;
	}
	spin_unlock(&vg->lock);
	return found;
}

/* Drops what a thread will not run any more. */
static void drop_groups(struct interp_remote *r, struct remote_worker *rw)
{
	if (!mutex_trylock(&rw->lock))
		return;
	if (r->dead && rw->w.turn.g) {
		WRITE_ONCE(rw->out, false);
		interp_forget_claim(rw);
		rw->w.turn.how = INTERP_SECTION_STUCK;
		interp_turn_end(&rw->w);
	}
	/* Also while the thread is out with another one, and may not come back. */
	interp_drop_aborted(&rw->w);
	mutex_unlock(&rw->lock);
}

/* Its queues are lost, and their process is told: the hardware exception of a reset. */
static void remote_lost(struct interp_remote *r)
{
	struct hw_compute *vq;
	unsigned int i;

	WRITE_ONCE(r->dead, true);
	/* Again and again: a queue may have been created meanwhile. */
	vq = queue_of(r);
	if (vq) {
		hw_memory_failed(vq->hq.q, -EIO, NULL);
		hw_compute_leave(vq);
	}
	for (i = 0; i < r->nworkers; i++)
		drop_groups(r, r->workers[i]);
}

static void remote_died(void *priv)
{
	struct interp_remote *r = priv;

	/* Otherwise it is lost already, or has no queues; the GPU may be gone. */
	if (!READ_ONCE(r->dead))
		remote_lost(r);
	kref_put(&r->ref, remote_free);
}

static bool has_ended(const struct task_struct *t)
{
	return READ_ONCE(t->exit_state) || READ_ONCE(t->flags) & PF_EXITING;
}

/*
 * Has somebody taken the queue off whose waves the thread has? It may get no processor, or be
 * frozen, and is not to blame for that; but others must not wait for it for ever.
 */
static bool is_waited_for(struct remote_worker *rw)
{
	bool waited;

	if (!mutex_trylock(&rw->lock))
		return false;
	waited = rw->out && rw->w.turn.g && !hw_queue_running(&rw->w.turn.g->grid->vq->hq);
	mutex_unlock(&rw->lock);
	return waited;
}

/* Why a thread will not come back, or NULL. */
static const char *stays_away(struct remote_worker *rw, const struct task_struct *t)
{
	if (has_ended(t))
		return "one of its threads has ended";
	if (READ_ONCE(t->__state) & (__TASK_STOPPED | __TASK_TRACED))
		return "it was stopped";
	if ((READ_ONCE(rw->out) || READ_ONCE(rw->counting)) &&
	    READ_ONCE(t->se.sum_exec_runtime) - READ_ONCE(rw->out_cpu_ns) > OUT_NS)
		return "one of its threads does not come back";
	if (is_waited_for(rw) && ktime_get_ns() - READ_ONCE(rw->out_ns) > WAITED_NS)
		return "its queue is waited for";
	return NULL;
}

static void remote_watch(struct work_struct *work)
{
	struct interp_remote *r = container_of(to_delayed_work(work), struct interp_remote, watch);
	unsigned int i;

	for (i = 0; i < r->nworkers; i++) {
		struct remote_worker *rw = r->workers[i];
		struct task_struct *t = READ_ONCE(rw->runner);
		const char *why = t ? stays_away(rw, t) : NULL;

		if (why && !READ_ONCE(r->dead))
			user_proc_kill(r->up, why);
		/* The file may live on, with somebody whom the process has given it to. */
		if (r->dead || (t && has_ended(t)))
			remote_lost(r);
		drop_groups(r, rw);
	}
	/* Killed, but it gets no processor to die on: it is let in no more. */
	if (READ_ONCE(r->up->dead)) {
		r->killed_since = r->killed_since ?: jiffies | 1;
		if (time_after(jiffies, r->killed_since + KILLED_JIFFIES))
			remote_lost(r);
	}
	schedule_delayed_work(&r->watch, WATCH_JIFFIES);
}

/* ---------------------------------------------------------------- the start */

static const struct user_proc_ops remote_ops = {
	.hello = remote_hello,
	.section = remote_section,
	.run = remote_run,
	.touch = remote_touch,
	.died = remote_died,
};

static int worker_create(struct interp_remote *r, unsigned int n)
{
	struct remote_worker *rw = kvzalloc(sizeof(*rw), GFP_KERNEL_ACCOUNT);

	if (!rw)
		return -ENOMEM;
	mutex_init(&rw->lock);
	r->workers[n] = rw;
	rw->seen = atomic_read(&r->ip->work_seq) - 1;
	interp_worker_lists(&rw->w);
	if (interp_worker_alloc(r->ip, &rw->w, n, GFP_KERNEL_ACCOUNT)) {
		rw->w.vg = NULL;
		return -ENOMEM;
	}
	rw->w.remote = r;
	gpu_vm_worker_add(r->ip->vg->gdev, &rw->w.vmw);
	if (gpu_memory_get(&rw->shared, r->section_bytes, GFP_KERNEL_ACCOUNT))
		return -ENOMEM;
	rw->section = rw->shared.p;
	return 0;
}

static struct interp_remote *remote_create(struct interp *ip, struct gpu_vm *vm)
{
	const unsigned int threads = min(ip->nworkers, MAX_THREADS);
	const struct gpu_target *t = ip->vg->gdev->target;
	struct interp_remote *r;
	struct user_proc *up;
	unsigned int i;
	int err = 0;

	r = kzalloc(struct_size(r, workers, threads), GFP_KERNEL_ACCOUNT);
	if (!r)
		return ERR_PTR(-ENOMEM);
	kref_init(&r->ref);
	INIT_LIST_HEAD(&r->node);
	INIT_DELAYED_WORK(&r->watch, remote_watch);
	r->ip = ip;
	r->vm = vm;
	r->queues = 1;
	r->lds_at = ROWS_AT + PAGE_ALIGN((size_t)interp_rows_max(t) * ISA_LANES * sizeof(u32));
	r->counts_at = r->lds_at + PAGE_ALIGN(t->lds_kbytes * 1024) + LDS_SLACK;
	r->section_bytes = r->counts_at + PAGE_ALIGN(isa_op_count() * sizeof(u64));
	r->nworkers = threads;
	for (i = 0; i < r->nworkers && !err; i++)
		err = worker_create(r, i);
	if (err) {
		kref_put(&r->ref, remote_free);
		return ERR_PTR(err);
	}
	kref_get(&r->ref);	/* remote_died() puts it */
	up = user_proc_start(vm, &remote_ops, r);
	if (!IS_ERR(up)) {
		schedule_delayed_work(&r->watch, WATCH_JIFFIES);
		return r;
	}
	kref_put(&r->ref, remote_free);
	return ERR_CAST(up);
}

unsigned int interp_remote_threads(const struct interp_remote *r)
{
	return r->nworkers;
}

static struct interp_remote *remote_find(struct interp *ip, struct gpu_vm *vm)
{
	struct interp_remote *r, *found = NULL;

	mutex_lock(&ip->remotes_lock);
	list_for_each_entry(r, &ip->remotes, node)
		if (r->vm == vm && r->queues && !READ_ONCE(r->up->dead)) {
			r->queues++;
			found = r;
			break;
		}
	mutex_unlock(&ip->remotes_lock);
	return found;
}

/* One that has died leaves the page tables before another one takes its place. */
static void remote_settle(struct interp *ip, struct gpu_vm *vm)
{
	struct interp_remote *r;
	struct user_proc *up;
	bool gone;

	do {
		up = NULL;
		mutex_lock(&ip->remotes_lock);
		list_for_each_entry(r, &ip->remotes, node) {
			if (r->vm == vm && !completion_done(&r->up->gone)) {
				up = r->up;
				user_proc_get(up);
				break;
			}
		}
		mutex_unlock(&ip->remotes_lock);
		if (!up)
			return;
		user_proc_stop(up);
		gone = completion_done(&up->gone);
		user_proc_put(up);
	} while (gone);
}

/* The process of @vm, started by the caller if there is none. */
static struct interp_remote *remote_open(struct interp *ip, struct gpu_vm *vm)
{
	struct interp_remote *r;

	/* Nobody waits for others than those who share this address space. */
	if (mutex_lock_killable(&vm->mirror_start))
		return ERR_PTR(-EINTR);
	r = remote_find(ip, vm);
	if (r)
		goto out;
	remote_settle(ip, vm);
	r = remote_create(ip, vm);
	if (IS_ERR(r))
		goto out;
	mutex_lock(&ip->remotes_lock);
	list_add(&r->node, &ip->remotes);
	ip->remote_starts++;
	mutex_unlock(&ip->remotes_lock);
out:
	mutex_unlock(&vm->mirror_start);
	return r;
}

/*
 * The same, as the GPU's user wants it; NULL: the kernel is to run waves of @vm. With auto, that is
 * for what no client has a hand in (user_proc_start()): its limits, control groups or signals must
 * not choose who runs its code.
 */
static struct interp_remote *remote_wanted(struct interp *ip, struct gpu_vm *vm, pid_t pid)
{
	enum gpu_engine mode = interp_engine(ip);
	struct interp_remote *r;

	if (mode == GPU_ENGINE_KERNEL)
		return NULL;
	r = remote_open(ip, vm);
	if (!IS_ERR(r))
		return r;
	if (mode == GPU_ENGINE_AUTO && PTR_ERR(r) == -ENOENT) {
		pr_info_once("no engine program is installed: waves run in the kernel\n");
		return NULL;
	}
	if (mode == GPU_ENGINE_AUTO && PTR_ERR(r) == -EOPNOTSUPP) {
		pr_warn_once("the engine program is of another version: waves run in the kernel\n");
		return NULL;
	}
	pr_warn_ratelimited("gpu %u pid %d: no engine process: %ld\n", ip->vg->gdev->gpu_id, pid,
			    PTR_ERR(r));
	return r;
}

/*
 * A job is begun by a thread of the kernel, for which no process could be started; a user queue of
 * the render node is made with a lock, on which suspend may wait. For both, interp_jobs_open() has
 * started it.
 */
struct interp_remote *interp_remote_get(struct interp *ip, struct gpu_queue *q)
{
	struct interp_remote *r;

	if (gpu_queue_of_kfd(q))
		return remote_wanted(ip, q->vm, q->process->pid);
	if ((q->job ? q->job->runner : q->runner) != GPU_JOB_PROCESS)
		return NULL;
	r = remote_find(ip, q->vm);
	return r ?: ERR_PTR(-ECANCELED);
}

/* A process that has died has cost the jobs of its time; those that come next get another. */
int interp_jobs_open(struct hw *vg, struct gpu_vm *vm, enum gpu_job_runner *runner, void **priv)
{
	struct interp *ip = to_interp(vg);
	struct interp_remote *r = *priv;

	if (*runner == GPU_JOB_KERNEL || (r && !READ_ONCE(r->up->dead)))
		return 0;
	/* Whose a process would have to be, a thread of the kernel can't tell: that is not root. */
	if (current->flags & PF_KTHREAD) {
		if (*runner == GPU_JOB_PROCESS || interp_engine(ip) == GPU_ENGINE_USER)
			return -EINVAL;
		*runner = GPU_JOB_KERNEL;
		return 0;
	}
	r = *runner == GPU_JOB_PROCESS ? remote_open(ip, vm) :
					 remote_wanted(ip, vm, task_tgid_nr(current));
	if (IS_ERR(r))
		return PTR_ERR(r);
	if (*priv)
		interp_remote_put(*priv);
	*runner = r ? GPU_JOB_PROCESS : GPU_JOB_KERNEL;
	*priv = r;
	return 0;
}

void interp_jobs_close(struct hw *vg, void *priv)
{
	interp_remote_put(priv);
}

void interp_remote_put(struct interp_remote *r)
{
	struct interp *ip = r->ip;
	struct user_proc *up = r->up;
	bool last;
	unsigned int i;

	mutex_lock(&ip->remotes_lock);
	last = !--r->queues;
	mutex_unlock(&ip->remotes_lock);
	if (!last)
		return;
	/* Nobody finds it any more, but remote_settle(), who waits for its page tables to go. */
	user_proc_stop(up);
	cancel_delayed_work_sync(&r->watch);
	/* There is no queue and no group left that could be lost, whenever its file goes. */
	WRITE_ONCE(r->dead, true);
	mutex_lock(&ip->remotes_lock);
	list_del(&r->node);
	interp_remote_counted(r);
	mutex_unlock(&ip->remotes_lock);
	/* Its blocks count in what the GPU may have. Those of a thread that stays go with it. */
	for (i = 0; i < r->nworkers; i++) {
		if (!mutex_trylock(&r->workers[i]->lock))
			continue;
		interp_spare_trim(&r->workers[i]->w, 0);
		mutex_unlock(&r->workers[i]->lock);
	}
	user_proc_put(up);
	kref_put(&r->ref, remote_free);
}
