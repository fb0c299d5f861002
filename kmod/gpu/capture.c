// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file "capture" of a GPU in debugfs: root reads dispatches and the memory that they touch,
 * in the format of uapi/linux/vkfd_capture.h. Whatever the program is (static, Go, setuid), it is
 * seen, since nothing has to be loaded into it.
 *
 * A dispatch touches the pages that its waves look up. So before it starts, its VM's page cache is
 * emptied, and each page that appears there is copied first: these are the contents that the
 * dispatch finds. When it has ended, before anybody is told, the pages are compared with their
 * copies. For the copies to be right, nothing else of the process may run on the GPU in between.
 * So captured dispatches run one after another, and each waits until the reader has taken the one
 * before. A dispatch that has waited for PATIENCE_NS runs without being captured, because the one
 * before it may wait for it; the reader is told how many these were.
 *
 *	OFF	nobody has the file open
 *	FREE	the next dispatch may be captured
 *	CLAIMED	one is about to start; its ticket is c->ticket
 *	RUNS	it runs
 *	ENDS	its pages are being compared
 *	FULL	the reader takes it
 *
 * c->lock is a leaf. Only its owner (who has the ticket, or the reader) may use the copies
 * without it; gpu_capture_page() takes it.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "capture.h"
#include "gpu_int.h"
#include "pagecache.h"
#include "process.h"
#include "queue.h"
#include "vm.h"
#include "../../uapi/linux/vkfd_capture.h"

#define CAPTURE_MB	64
#define CAPTURE_MB_MAX	4096
#define PATIENCE_NS	(30 * NSEC_PER_SEC)
#define NO_COPY		(~0u)

static_assert(PAGE_SIZE == VKFD_CAPTURE_PAGE_BYTES);

enum capture_state {
	CAPTURE_OFF, CAPTURE_FREE, CAPTURE_CLAIMED, CAPTURE_RUNS, CAPTURE_ENDS, CAPTURE_FULL,
};

/**
 * struct capture_page - a page that the dispatch has touched
 * @page: its number in the VM
 * @access: GPU_*
 * @flags: VKFD_CAPTURE_*
 * @before: its copy, by number
 * @after: likewise, or NO_COPY
 */
struct capture_page {
	u64 page;
	u32 access, flags;
	u32 before, after;
};

/**
 * struct gpu_capture - of one GPU
 * @gdev: the GPU
 * @lock: guards what follows, up to @owner
 * @wq: @state has changed, or @lost
 * @state: see above
 * @ticket: of the capture in CLAIMED to FULL
 * @skip: first page, by number, that is not copied
 * @skip_end: the one behind the last of these
 * @queue: the pages, by number, of its ring and indices, from each first to behind the last
 * @pages: touched, in the order in which they appeared
 * @hash: finds them; 0: none, else the position + 1
 * @hash_bits: of its size
 * @copies: room for contents, in pages
 * @npages: number of @pages
 * @ncopies: of @copies
 * @max: the most of both
 * @full: there would have been more
 * @waits_since: when a dispatch first had to wait, or 0
 * @lost: not captured, and not told yet
 * @owner: whose descendants' dispatches are captured
 * @insns: of the dispatch
 * @d: what else is known of it
 * @pm4: its registers, if @d says VKFD_CAPTURE_PM4
 * @read_lock: one reader at a time; guards @at
 * @at: the next page that it takes, -1: the dispatch
 * @gone: the GPU is being removed
 * @mb: room for copies in MiB, for the next open
 * @file: capture
 * @mb_file: capture_mb
 */
struct gpu_capture {
	struct gpu_device *gdev;
	spinlock_t lock;
	wait_queue_head_t wq;
	enum capture_state state;
	u64 ticket;
	u64 skip, skip_end;
	u64 queue[3][2];
	struct capture_page *pages;
	u32 *hash;
	unsigned int hash_bits;
	u8 *copies;
	u32 npages, ncopies, max;
	bool full;
	u64 waits_since, lost;
	struct pid *owner;
	atomic64_t insns;
	struct vkfd_capture_dispatch d;
	struct vkfd_capture_pm4 pm4;
	struct mutex read_lock;	/* @at */
	s64 at;
	bool gone;
	u32 mb;
	struct dentry *file, *mb_file;
};

/* ------------------------------------------------------------- dispatches */

static void capture_state_locked(struct gpu_capture *c, enum capture_state state)
{
	lockdep_assert_held(&c->lock);
	WRITE_ONCE(c->state, state);
	if (state != CAPTURE_CLAIMED && state != CAPTURE_RUNS)
		WRITE_ONCE(c->gdev->capture_vm, NULL);
	wake_up_all(&c->wq);
}

/* Is it a child of the owner's, or of one of these, at any depth? */
static bool capture_descends(const struct gpu_process *p, const struct pid *owner)
{
	struct task_struct *t = p->lead;
	bool found = false;

	rcu_read_lock();
	while (t && pid_alive(t) && !is_global_init(t) && !found) {
		t = rcu_dereference(t->real_parent);
		found = t && task_tgid(t) == owner;
	}
	rcu_read_unlock();
	return found;
}

int gpu_capture_claim(struct gpu_device *gdev, const struct gpu_process *p, u64 *ticket)
{
	struct gpu_capture *c = gdev->capture;
	u64 now = ktime_get_ns();
	int ret = 0;

	*ticket = GPU_CAPTURE_NONE;
	spin_lock(&c->lock);
	if (c->state == CAPTURE_OFF || !capture_descends(p, c->owner))
		goto out_unlock;
	if (c->state == CAPTURE_FREE) {
		*ticket = c->ticket + 1;
		WRITE_ONCE(c->ticket, *ticket);
		c->waits_since = 0;
		capture_state_locked(c, CAPTURE_CLAIMED);
	} else if (!c->waits_since) {
		c->waits_since = now;
		ret = -EBUSY;
	} else if (now - c->waits_since < PATIENCE_NS) {
		ret = -EBUSY;
	} else {
		WRITE_ONCE(c->lost, c->lost + 1);
		c->d.flags |= VKFD_CAPTURE_BESIDE;
		wake_up_all(&c->wq);
	}
out_unlock:
	spin_unlock(&c->lock);
	return ret;
}

static bool capture_mine_locked(const struct gpu_capture *c, u64 ticket, enum capture_state state)
{
	lockdep_assert_held(&c->lock);
	return c->state == state && c->ticket == ticket;
}

static void capture_queue_pages(u64 range[2], u64 va, u32 bytes)
{
	range[0] = va >> PAGE_SHIFT;
	range[1] = DIV_ROUND_UP(va + bytes, PAGE_SIZE);
}

void gpu_capture_arm(struct gpu_device *gdev, u64 ticket, const struct gpu_queue *q, u64 skip,
		     u64 skip_end)
{
	struct gpu_capture *c = gdev->capture;
	struct gpu_vm *vm = q->vm;
	bool mine;

	spin_lock(&c->lock);
	mine = capture_mine_locked(c, ticket, CAPTURE_CLAIMED);
	if (mine) {
		c->skip = skip >> PAGE_SHIFT;
		c->skip_end = skip_end >> PAGE_SHIFT;
		capture_queue_pages(c->queue[0], q->props.ring_va, q->props.ring_bytes);
		capture_queue_pages(c->queue[1], q->props.rptr_va, sizeof(u64));
		capture_queue_pages(c->queue[2], q->props.wptr_va, sizeof(u64));
		c->npages = 0;
		c->ncopies = 0;
		c->full = false;
		atomic64_set(&c->insns, 0);
		memset(c->hash, 0, sizeof(*c->hash) << c->hash_bits);
		memset(&c->d, 0, sizeof(c->d));
		WRITE_ONCE(gdev->capture_vm, vm);
	}
	spin_unlock(&c->lock);
	if (!mine)
		return;
	mutex_lock(&vm->pc_lock);
	gpu_pc_shootdown(vm, 0, ULONG_MAX, true);
	mutex_unlock(&vm->pc_lock);
}

void gpu_capture_start(struct gpu_device *gdev, u64 ticket, const struct vkfd_capture_dispatch *d,
		       const struct vkfd_capture_pm4 *pm4)
{
	struct gpu_capture *c = gdev->capture;

	spin_lock(&c->lock);
	if (capture_mine_locked(c, ticket, CAPTURE_CLAIMED)) {
		c->d = *d;
		if (pm4)
			c->pm4 = *pm4;
		c->d.start_ns = ktime_get_ns();
		capture_state_locked(c, CAPTURE_RUNS);
	}
	spin_unlock(&c->lock);
}

void gpu_capture_insns(struct gpu_device *gdev, u64 ticket, u64 insns)
{
	struct gpu_capture *c = gdev->capture;

	if (READ_ONCE(c->ticket) == ticket)
		atomic64_add(insns, &c->insns);
}

/* The number of a new copy of the page at @from, NO_COPY if there is no room. */
static u32 capture_copy(struct gpu_capture *c, const void *from)
{
	if (c->ncopies == c->max) {
		c->full = true;
		return NO_COPY;
	}
	memcpy(c->copies + (size_t)c->ncopies * PAGE_SIZE, from, PAGE_SIZE);
	return c->ncopies++;
}

void gpu_capture_page(struct gpu_device *gdev, const struct gpu_vm *vm, u64 index,
		      unsigned long pfn, u32 access)
{
	struct gpu_capture *c = gdev->capture;
	struct capture_page *p;
	u32 at;

	lockdep_assert_held(&vm->pc_lock);
	spin_lock(&c->lock);
	if (gdev->capture_vm != vm || (index >= c->skip && index < c->skip_end))
		goto out_unlock;
	at = hash_64(index, c->hash_bits);
	/* There is room for twice as many as there can be */
	for (; c->hash[at]; at = (at + 1) & (BIT(c->hash_bits) - 1))
		if (c->pages[c->hash[at] - 1].page == index)
			goto out_unlock;
	if (c->npages == c->max) {
		c->full = true;
		goto out_unlock;
	}
	p = &c->pages[c->npages];
	*p = (struct capture_page){ .page = index, .access = access, .after = NO_COPY };
	p->before = capture_copy(c, pfn_to_kaddr(pfn));
	if (p->before != NO_COPY)
		c->hash[at] = ++c->npages;
out_unlock:
	spin_unlock(&c->lock);
}

static bool capture_of_queue(const struct gpu_capture *c, u64 page)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(c->queue); i++)
		if (page >= c->queue[i][0] && page < c->queue[i][1])
			return true;
	return false;
}

static void capture_compare(struct gpu_capture *c, struct gpu_vm *vm, struct gpu_vm_worker *w,
			    struct capture_page *p)
{
	const u8 *before = c->copies + (size_t)p->before * PAGE_SIZE;
	const void *now;
	u32 access;

	gpu_vm_enter(w, vm);
	now = gpu_vm_lookup(vm, p->page << PAGE_SHIFT, 0, &access);
	if (!now || capture_of_queue(c, p->page)) {
		p->flags |= VKFD_CAPTURE_GONE;
	} else if (memcmp(now, before, PAGE_SIZE)) {
		p->after = capture_copy(c, now);
		p->flags |= p->after == NO_COPY ? VKFD_CAPTURE_GONE : VKFD_CAPTURE_CHANGED;
	}
	gpu_vm_exit(w);
	if (!memchr_inv(before, 0, PAGE_SIZE))
		p->flags |= VKFD_CAPTURE_ZERO;
}

void gpu_capture_end(struct gpu_device *gdev, u64 ticket, struct gpu_vm_worker *w)
{
	struct gpu_capture *c = gdev->capture;
	struct gpu_vm *vm = NULL;
	u32 i;

	spin_lock(&c->lock);
	if (capture_mine_locked(c, ticket, CAPTURE_RUNS)) {
		vm = gdev->capture_vm;
		c->d.ns = ktime_get_ns() - c->d.start_ns;
		capture_state_locked(c, CAPTURE_ENDS);
	}
	spin_unlock(&c->lock);
	if (!vm)
		return;
	/* In ENDS nobody else touches the pages; whoever closes the file waits. */
	for (i = 0; i < c->npages; i++) {
		capture_compare(c, vm, w, &c->pages[i]);
		cond_resched();
	}
	spin_lock(&c->lock);
	c->d.rec.type = VKFD_CAPTURE_DISPATCH;
	c->d.rec.bytes = sizeof(c->d) + (c->d.flags & VKFD_CAPTURE_PM4 ? sizeof(c->pm4) : 0);
	c->d.instructions = atomic64_read(&c->insns);
	c->d.pages = c->npages;
	if (c->full)
		c->d.flags |= VKFD_CAPTURE_SHORT;
	c->at = -1;
	capture_state_locked(c, CAPTURE_FULL);
	spin_unlock(&c->lock);
}

void gpu_capture_drop(struct gpu_device *gdev, u64 ticket)
{
	struct gpu_capture *c = gdev->capture;

	spin_lock(&c->lock);
	if (capture_mine_locked(c, ticket, CAPTURE_RUNS))
		WRITE_ONCE(c->lost, c->lost + 1);
	if (capture_mine_locked(c, ticket, CAPTURE_RUNS) ||
	    capture_mine_locked(c, ticket, CAPTURE_CLAIMED))
		capture_state_locked(c, CAPTURE_FREE);
	spin_unlock(&c->lock);
}

/* --------------------------------------------------------------- the file */

static void capture_buffers_free(struct gpu_capture *c)
{
	kvfree(c->pages);
	kvfree(c->hash);
	vfree(c->copies);
	c->pages = NULL;
	c->hash = NULL;
	c->copies = NULL;
}

static int capture_buffers_make(struct gpu_capture *c)
{
	c->max = READ_ONCE(c->mb) << (20 - PAGE_SHIFT);
	c->hash_bits = ilog2(roundup_pow_of_two(c->max)) + 1;
	c->pages = kvcalloc(c->max, sizeof(*c->pages), GFP_KERNEL);
	c->hash = kvcalloc(BIT(c->hash_bits), sizeof(*c->hash), GFP_KERNEL);
	c->copies = vmalloc((size_t)c->max * PAGE_SIZE);
	if (c->pages && c->hash && c->copies)
		return 0;
	capture_buffers_free(c);
	return -ENOMEM;
}

static int capture_open(struct inode *inode, struct file *file)
{
	struct gpu_capture *c = inode->i_private;
	int ret;

	mutex_lock(&c->read_lock);
	ret = -EBUSY;
	if (c->copies)
		goto out_unlock;
	ret = capture_buffers_make(c);
	if (ret)
		goto out_unlock;
	gpu_device_get(c->gdev);
	file->private_data = c;
	spin_lock(&c->lock);
	c->owner = get_pid(task_tgid(current));
	WRITE_ONCE(c->lost, 0);
	c->waits_since = 0;
	capture_state_locked(c, CAPTURE_FREE);
	spin_unlock(&c->lock);
	WRITE_ONCE(c->gdev->capture_on, true);
	ret = nonseekable_open(inode, file);
out_unlock:
	mutex_unlock(&c->read_lock);
	return ret;
}

/* What is being compared is soon done. */
static bool capture_closed(struct gpu_capture *c)
{
	bool closed;

	spin_lock(&c->lock);
	closed = c->state != CAPTURE_ENDS;
	if (closed)
		capture_state_locked(c, CAPTURE_OFF);
	spin_unlock(&c->lock);
	return closed;
}

static int capture_release(struct inode *inode, struct file *file)
{
	struct gpu_capture *c = file->private_data;
	struct gpu_device *gdev = c->gdev;

	WRITE_ONCE(gdev->capture_on, false);
	wait_event(c->wq, capture_closed(c));
	mutex_lock(&c->read_lock);
	capture_buffers_free(c);
	put_pid(c->owner);
	c->owner = NULL;
	mutex_unlock(&c->read_lock);
	gpu_device_put(gdev);
	return 0;
}

static bool capture_readable(const struct gpu_capture *c)
{
	return READ_ONCE(c->state) == CAPTURE_FULL || READ_ONCE(c->lost) || READ_ONCE(c->gone);
}

static size_t capture_page_bytes(const struct capture_page *p)
{
	return sizeof(struct vkfd_capture_page) + (p->flags & VKFD_CAPTURE_ZERO ? 0 : PAGE_SIZE) +
	       (p->flags & VKFD_CAPTURE_CHANGED ? PAGE_SIZE : 0);
}

static int capture_put_page(const struct gpu_capture *c, const struct capture_page *p,
			    char __user *to)
{
	struct vkfd_capture_page head = {
		.rec = { .type = VKFD_CAPTURE_PAGE, .bytes = capture_page_bytes(p) },
		.va = p->page << PAGE_SHIFT,
		.access = p->access,
		.flags = p->flags,
	};

	if (copy_to_user(to, &head, sizeof(head)))
		return -EFAULT;
	to += sizeof(head);
	if (!(p->flags & VKFD_CAPTURE_ZERO)) {
		if (copy_to_user(to, c->copies + (size_t)p->before * PAGE_SIZE, PAGE_SIZE))
			return -EFAULT;
		to += PAGE_SIZE;
	}
	if (p->flags & VKFD_CAPTURE_CHANGED &&
	    copy_to_user(to, c->copies + (size_t)p->after * PAGE_SIZE, PAGE_SIZE))
		return -EFAULT;
	return 0;
}

static int capture_put_dispatch(const struct gpu_capture *c, char __user *to)
{
	if (copy_to_user(to, &c->d, sizeof(c->d)))
		return -EFAULT;
	if (c->d.flags & VKFD_CAPTURE_PM4 &&
	    copy_to_user(to + sizeof(c->d), &c->pm4, sizeof(c->pm4)))
		return -EFAULT;
	return 0;
}

/* The next record, if there is one and it fits: its length, 0, or an error. */
static ssize_t capture_next(struct gpu_capture *c, char __user *to, size_t room)
{
	struct vkfd_capture_lost lost = {
		.rec = { .type = VKFD_CAPTURE_LOST, .bytes = sizeof(lost) },
	};
	size_t bytes;

	if (READ_ONCE(c->state) != CAPTURE_FULL || c->at < 0) {
		if (room < sizeof(lost))
			return 0;
		spin_lock(&c->lock);
		lost.dispatches = c->lost;
		WRITE_ONCE(c->lost, 0);
		spin_unlock(&c->lock);
		if (lost.dispatches)
			return copy_to_user(to, &lost, sizeof(lost)) ? -EFAULT : sizeof(lost);
		if (READ_ONCE(c->state) != CAPTURE_FULL)
			return 0;
	}
	bytes = c->at < 0 ? c->d.rec.bytes : capture_page_bytes(&c->pages[c->at]);
	if (bytes > room)
		return 0;
	if (c->at < 0 ? capture_put_dispatch(c, to) :
	    capture_put_page(c, &c->pages[c->at], to))
		return -EFAULT;
	if (++c->at == c->npages) {
		spin_lock(&c->lock);
		c->waits_since = 0;
		capture_state_locked(c, CAPTURE_FREE);
		spin_unlock(&c->lock);
	}
	return bytes;
}

/* Whole records. @size has to be enough for the longest. */
static ssize_t capture_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	struct gpu_capture *c = file->private_data;
	ssize_t sum = 0, got;

	if (size < sizeof(struct vkfd_capture_page) + 2 * PAGE_SIZE)
		return -EINVAL;
	if (!(file->f_flags & O_NONBLOCK) &&
	    wait_event_interruptible(c->wq, capture_readable(c)))
		return -ERESTARTSYS;
	mutex_lock(&c->read_lock);
	do {
		got = capture_next(c, to + sum, size - sum);
		if (got > 0)
			sum += got;
	} while (got > 0);
	mutex_unlock(&c->read_lock);
	if (got < 0 && !sum)
		return got;
	return sum || READ_ONCE(c->gone) ? sum : -EAGAIN;
}

static __poll_t capture_poll(struct file *file, poll_table *table)
{
	struct gpu_capture *c = file->private_data;

	poll_wait(file, &c->wq, table);
	return capture_readable(c) ? EPOLLIN | EPOLLRDNORM : 0;
}

static const struct file_operations capture_fops = {
	.owner = THIS_MODULE,
	.open = capture_open,
	.release = capture_release,
	.read = capture_read,
	.poll = capture_poll,
	.llseek = noop_llseek,
};

static int capture_mb_get(void *data, u64 *val)
{
	struct gpu_capture *c = data;

	*val = READ_ONCE(c->mb);
	return 0;
}

static int capture_mb_set(void *data, u64 val)
{
	struct gpu_capture *c = data;

	if (!val || val > CAPTURE_MB_MAX)
		return -EINVAL;
	WRITE_ONCE(c->mb, val);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(capture_mb_fops, capture_mb_get, capture_mb_set, "%llu\n");

/* Without memory for it, the GPU does without the file. */
void gpu_capture_init(struct gpu_device *gdev)
{
	struct gpu_capture *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return;
	c->gdev = gdev;
	c->mb = CAPTURE_MB;
	spin_lock_init(&c->lock);
	mutex_init(&c->read_lock);
	init_waitqueue_head(&c->wq);
	gdev->capture = c;
	c->file = debugfs_create_file("capture", 0400, gdev->debugfs, c, &capture_fops);
	c->mb_file = debugfs_create_file_unsafe("capture_mb", 0600, gdev->debugfs, c,
						&capture_mb_fops);
}

void gpu_capture_fini(struct gpu_device *gdev)
{
	struct gpu_capture *c = gdev->capture;

	if (!c)
		return;
	/* Otherwise the removal would wait for a reader that waits for a dispatch */
	WRITE_ONCE(c->gone, true);
	wake_up_all(&c->wq);
	debugfs_remove(c->file);
	debugfs_remove(c->mb_file);
	c->file = NULL;
	c->mb_file = NULL;
}

void gpu_capture_free(struct gpu_device *gdev)
{
	kfree(gdev->capture);
	gdev->capture = NULL;
}
