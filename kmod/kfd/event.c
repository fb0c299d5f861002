// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events: create, destroy, set, reset, and the signal page.
 *
 * A signal event owns slot <id> of the signal page, which has 4096 words of 64
 * bits. The GPU writes anything but all-ones there and raises an interrupt; the
 * kernel puts all-ones back and sets the event. Other events have ids from
 * VKFD_FIRST_OTHER_EVENT on, and only the kernel sets them.
 *
 * User space may supply the page: it passes the handle of a GTT buffer with the
 * first CREATE_EVENT, as every thunk does for a discrete GPU. Otherwise the page is
 * the kernel's own, which user space maps through /dev/kfd.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "gpu/bo.h"
#include "criu_parse.h"
#include "event.h"
#include "race.h"
#include "trace.h"

/* Until user space mmaps the kernel's page, assume the slots the oldest one knows. */
#define INITIAL_SLOTS		256

#define EVENT_PAGE_PAGES	(VKFD_EVENT_PAGE_BYTES / PAGE_SIZE)
#define UNSIGNALED		0xff	/* every byte of an idle slot */

/*
 * Nodes of the tree of ids come from here first and from idr_preload() after that, which has
 * nothing charged to the client (lib/radix-tree.c takes __GFP_ACCOUNT away).
 */
#define EVENT_IDS_GFP		(GFP_NOWAIT | __GFP_ACCOUNT)

int vkfd_events_init(struct vkfd_events *evs)
{
	int id;

	spin_lock_init(&evs->lock);
	idr_init(&evs->ids);
	/* Id 0 in an interrupt means "no id"; it never names an event. */
	id = idr_alloc(&evs->ids, NULL, 0, 1, GFP_KERNEL);
	if (id < 0)
		return id;
	evs->num_signals = 1;
	return 0;
}

/* ------------------------------------------------------------ signal page */

/* Kernel address of the first 32 KiB of a user's GTT buffer. */
static void *vkfd_event_page_vmap(struct gpu_bo *bo)
{
	struct page *pages[EVENT_PAGE_PAGES];
	unsigned int i;
	void *addr;

	for (i = 0; i < EVENT_PAGE_PAGES; i++) {
		pages[i] = gpu_bo_page(bo, i);
		if (IS_ERR(pages[i]))
			return ERR_CAST(pages[i]);
	}
	addr = vmap(pages, EVENT_PAGE_PAGES, VM_MAP, PAGE_KERNEL);
	return addr ?: ERR_PTR(-ENOMEM);
}

/* Publishes @slots. The caller holds the process lock, so nobody else does so. */
static void vkfd_event_page_install(struct vkfd_events *evs, void *slots,
				    unsigned int num_slots)
{
	memset(slots, UNSIGNALED, VKFD_EVENT_PAGE_BYTES);
	spin_lock(&evs->lock);
	evs->slots = slots;
	evs->num_slots = num_slots;
	if (!evs->bo) {
		/* Pairs with vkfd_event_mmap(), which looks at evs->memory after this. */
		smp_store_release(&evs->page, slots);
	}
	spin_unlock(&evs->lock);
}

static int vkfd_event_page_from_user(struct vkfd_process *p, u64 handle)
{
	struct vkfd_events *evs = &p->events;
	struct vkfd_pdd *pdd;
	struct vkfd_mem *mem;
	void *slots;

	lockdep_assert_held(&p->base.lock);
	if (evs->slots)
		return -EINVAL;
	pdd = vkfd_process_bound_pdd(p, upper_32_bits(handle));
	if (IS_ERR(pdd))
		return PTR_ERR(pdd);
	mem = vkfd_mem_find(pdd, handle);
	if (!mem)
		return -EINVAL;
	if (mem->bo->kind != GPU_BO_GTT || mem->bo->base.size < VKFD_EVENT_PAGE_BYTES)
		return -EINVAL;

	slots = vkfd_event_page_vmap(mem->bo);
	if (IS_ERR(slots))
		return PTR_ERR(slots);
	gpu_bo_get(mem->bo);
	evs->bo = mem->bo;
	evs->handle = handle;
	vkfd_event_page_install(evs, slots, KFD_SIGNAL_EVENT_LIMIT);
	return 0;
}

static int vkfd_event_page_of_kernel(struct vkfd_process *p)
{
	struct vkfd_events *evs = &p->events;
	int ret;

	lockdep_assert_held(&p->base.lock);
	/* It stays, though slots leave it (vkfd_event_page_forget()). */
	if (!evs->page) {
		ret = gpu_memory_get(&evs->memory, VKFD_EVENT_PAGE_BYTES, GFP_KERNEL_ACCOUNT);
		if (ret)
			return ret;
	}
	vkfd_event_page_install(evs, evs->memory.p, INITIAL_SLOTS);
	return 0;
}

/* Keeps the kernel's own page, because mmap reads it without a lock. */
static void vkfd_event_page_forget(struct vkfd_events *evs)
{
	struct gpu_bo *bo;
	void *slots;

	spin_lock(&evs->lock);
	bo = evs->bo;
	slots = evs->slots;
	evs->bo = NULL;
	evs->slots = NULL;
	evs->num_slots = 0;
	spin_unlock(&evs->lock);
	if (!bo)
		return;
	vunmap(slots);
	gpu_bo_put(bo);
}

/* Called under mmap_lock. The VMA counts the pages, so it may outlive the process. */
int vkfd_event_mmap(struct vkfd_process *p, struct vm_area_struct *vma)
{
	struct vkfd_events *evs = &p->events;
	unsigned long bytes = vma->vm_end - vma->vm_start;
	/* As vkfd_event_page_install() has published it */
	void *page = smp_load_acquire(&evs->page);
	int ret;

	/* A page that user space supplied is mapped through the render node. */
	if (bytes > VKFD_EVENT_PAGE_BYTES || !page)
		return -EINVAL;
	vkfd_race_point("mmap: event page found, not yet mapped");
	ret = vm_map_pages_zero(vma, evs->memory.pages, evs->memory.n);
	if (ret)
		return ret;
	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	spin_lock(&evs->lock);
	if (evs->slots)
		evs->num_slots = bytes / sizeof(u64);
	spin_unlock(&evs->lock);
	return 0;
}

/* ---------------------------------------------------------- create, destroy */

static int vkfd_event_alloc_id(struct vkfd_events *evs, struct vkfd_event *ev)
{
	lockdep_assert_held(&evs->lock);
	if (!vkfd_event_has_slot(ev))
		return idr_alloc(&evs->ids, ev, VKFD_FIRST_OTHER_EVENT,
				 VKFD_FIRST_OTHER_EVENT + VKFD_MAX_OTHER_EVENTS, EVENT_IDS_GFP);
	if (evs->num_signals >= evs->num_slots)
		return -ENOSPC;
	return idr_alloc(&evs->ids, ev, 0, evs->num_slots, EVENT_IDS_GFP);
}

/* Publishes @ev and returns its id. From then on another thread may destroy it. */
static int vkfd_event_add(struct vkfd_events *evs, struct vkfd_event *ev)
{
	int id;

	idr_preload(GFP_KERNEL_ACCOUNT);
	spin_lock(&evs->lock);
	id = vkfd_event_alloc_id(evs, ev);
	if (id >= 0) {
		ev->id = id;
		evs->num_total++;
		if (vkfd_event_has_slot(ev)) {
			evs->num_signals++;
			WRITE_ONCE(evs->slots[id], ~0ull);
		}
	}
	spin_unlock(&evs->lock);
	idr_preload_end();
	return id;
}

static int vkfd_event_prepare_page(struct vkfd_process *p, u64 handle, bool needs_slot)
{
	int ret = 0;

	mutex_lock(&p->base.lock);
	if (handle)
		ret = vkfd_event_page_from_user(p, handle);
	if (!ret && needs_slot && !p->events.slots)
		ret = vkfd_event_page_of_kernel(p);
	mutex_unlock(&p->base.lock);
	return ret;
}

int vkfd_ioctl_create_event(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_create_event_args *args = data;
	struct vkfd_event *ev;
	bool has_slot;
	int ret;

	ev = kzalloc(sizeof(*ev), GFP_KERNEL_ACCOUNT);
	if (!ev)
		return -ENOMEM;
	INIT_LIST_HEAD(&ev->waiters);
	INIT_LIST_HEAD(&ev->takers);
	ev->type = args->event_type;
	ev->auto_reset = args->auto_reset;
	ev->age = 1;
	has_slot = vkfd_event_has_slot(ev);

	ret = vkfd_event_prepare_page(p, args->event_page_offset, has_slot);
	vkfd_race_point("create event: page is there, no id yet");
	if (!ret)
		ret = vkfd_event_add(&p->events, ev);
	if (ret < 0) {
		kfree(ev);
		return ret;
	}
	args->event_id = ret;
	args->event_trigger_data = ret;
	args->event_page_offset = has_slot ? KFD_MMAP_TYPE_EVENTS : 0;
	if (has_slot)
		args->event_slot_index = ret;
	return 0;
}

/* Its waiters fail, including those that have already taken it and still wait for others. */
static void vkfd_event_remove(struct vkfd_events *evs, struct vkfd_event *ev)
{
	struct vkfd_waiter *w, *next;

	lockdep_assert_held(&evs->lock);
	list_splice_init(&ev->takers, &ev->waiters);
	list_for_each_entry_safe(w, next, &ev->waiters, node) {
		list_del_init(&w->node);
		WRITE_ONCE(w->event, NULL);
		wake_up_process(w->task);
	}
	idr_remove(&evs->ids, ev->id);
	evs->num_total--;
	if (vkfd_event_has_slot(ev))
		evs->num_signals--;
}

int vkfd_ioctl_destroy_event(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_destroy_event_args *args = data;
	struct vkfd_events *evs = &p->events;
	struct vkfd_event *ev;

	spin_lock(&evs->lock);
	ev = vkfd_event_find(evs, args->event_id);
	if (ev)
		vkfd_event_remove(evs, ev);
	spin_unlock(&evs->lock);
	if (!ev)
		return -EINVAL;
	vkfd_race_point("destroy event: gone, not yet freed");
	kfree(ev);
	return 0;
}

/* The process ended and its queues are gone; removal of a GPU may still set events. */
void vkfd_events_fini(struct vkfd_events *evs)
{
	struct vkfd_event *ev;
	int id;

	do {
		id = 0;
		spin_lock(&evs->lock);
		ev = idr_get_next(&evs->ids, &id);
		if (ev)
			vkfd_event_remove(evs, ev);
		spin_unlock(&evs->lock);
		kfree(ev);
		cond_resched();
	} while (ev);
	vkfd_event_page_forget(evs);
}

/* ------------------------------------------------------------- checkpoints */

unsigned int vkfd_events_save(struct vkfd_process *p, struct vkfd_criu_event *out,
			      unsigned int room)
{
	struct vkfd_events *evs = &p->events;
	struct vkfd_event *ev;
	unsigned int n = 0;
	int id;

	lockdep_assert_held(&p->base.lock);
	spin_lock(&evs->lock);
	idr_for_each_entry(&evs->ids, ev, id) {
		if (n == room)
			break;
		out[n] = (struct vkfd_criu_event){
			.object_type = VKFD_CRIU_EVENT,
			.page_handle = !n && evs->bo ? evs->handle : 0,
			.id = ev->id,
			.type = ev->type,
			.auto_reset = ev->auto_reset,
			.signaled = ev->signaled,
		};
		if (ev->type == KFD_IOC_EVENT_MEMORY)
			out[n].memory = ev->memory;
		else if (ev->type == KFD_IOC_EVENT_HW_EXCEPTION)
			out[n].hw = ev->hw;
		n++;
	}
	n = evs->num_total;
	spin_unlock(&evs->lock);
	return n;
}

/* An id as CREATE_EVENT could have given it, and free. */
static int vkfd_event_restore_id(struct vkfd_events *evs, struct vkfd_event *ev, u32 id)
{
	u32 first = vkfd_event_has_slot(ev) ? 1 : VKFD_FIRST_OTHER_EVENT;
	u32 n = vkfd_event_has_slot(ev) ? KFD_SIGNAL_EVENT_LIMIT - 1 : VKFD_MAX_OTHER_EVENTS;
	int ret;

	if (id < first || id - first >= n)
		return -EINVAL;
	idr_preload(GFP_KERNEL_ACCOUNT);
	spin_lock(&evs->lock);
	ret = idr_alloc(&evs->ids, ev, id, id + 1, EVENT_IDS_GFP);
	if (ret >= 0) {
		ev->id = id;
		evs->num_total++;
		if (vkfd_event_has_slot(ev)) {
			evs->num_signals++;
			evs->num_slots = max(evs->num_slots, id + 1);
			WRITE_ONCE(evs->slots[id], ~0ull);
		}
	}
	spin_unlock(&evs->lock);
	idr_preload_end();
	return ret < 0 ? ret : 0;
}

int vkfd_event_restore(struct vkfd_process *p, const struct vkfd_criu_event *want)
{
	struct vkfd_event *ev;
	int ret = 0;

	lockdep_assert_held(&p->base.lock);
	if (want->auto_reset > 1 || want->signaled > 1)
		return -EINVAL;
	ev = kzalloc(sizeof(*ev), GFP_KERNEL_ACCOUNT);
	if (!ev)
		return -ENOMEM;
	INIT_LIST_HEAD(&ev->waiters);
	INIT_LIST_HEAD(&ev->takers);
	ev->type = want->type;
	ev->auto_reset = want->auto_reset;
	ev->signaled = want->signaled;
	ev->age = 1;
	if (ev->type == KFD_IOC_EVENT_MEMORY)
		ev->memory = want->memory;
	else if (ev->type == KFD_IOC_EVENT_HW_EXCEPTION)
		ev->hw = want->hw;
	if (want->page_handle)
		ret = vkfd_event_page_from_user(p, want->page_handle);
	if (!ret && vkfd_event_has_slot(ev) && !p->events.slots)
		ret = vkfd_event_page_of_kernel(p);
	if (!ret)
		ret = vkfd_event_restore_id(&p->events, ev, want->id);
	if (ret)
		kfree(ev);
	return ret;
}

void vkfd_event_forget(struct vkfd_process *p, u32 id)
{
	struct vkfd_events *evs = &p->events;
	struct vkfd_event *ev;

	spin_lock(&evs->lock);
	ev = vkfd_event_find(evs, id);
	if (ev)
		vkfd_event_remove(evs, ev);
	spin_unlock(&evs->lock);
	kfree(ev);
}

/* The kernel's own page stays: who has mapped it goes on with it. */
void vkfd_events_forget_page(struct vkfd_process *p)
{
	struct vkfd_events *evs = &p->events;
	bool unused;

	lockdep_assert_held(&p->base.lock);
	spin_lock(&evs->lock);
	unused = evs->bo && evs->num_signals == 1;
	spin_unlock(&evs->lock);
	if (unused)
		vkfd_event_page_forget(evs);
}

/* Called when the last reference to the process is put. */
void vkfd_events_free(struct vkfd_events *evs)
{
	idr_destroy(&evs->ids);
	gpu_memory_put(&evs->memory);
}

/* --------------------------------------------------------------- set, reset */

/*
 * Setting an auto-reset event wakes all its waiters, and that consumes it. Without
 * waiters it stays set for the next one.
 */
static void vkfd_event_wake(struct vkfd_event *ev)
{
	struct vkfd_waiter *w;

	ev->signaled = !ev->auto_reset || list_empty(&ev->waiters);
	list_for_each_entry(w, &ev->waiters, node) {
		/* This waiter was woken before and has not left its call yet. */
		if (w->activated)
			continue;
		WRITE_ONCE(w->activated, true);
		wake_up_process(w->task);
	}
}

void vkfd_event_give_back(struct vkfd_event *ev)
{
	vkfd_event_wake(ev);
}

void vkfd_event_set(struct vkfd_process *p, struct vkfd_event *ev)
{
	lockdep_assert_held(&p->events.lock);
	/* 0 means "no age" and 1 "never set", so skip them on wrap-around. */
	if (!++ev->age)
		ev->age = 2;
	vkfd_event_wake(ev);
	vkfd_count(events);
	trace_vkfd_event(p->base.pid, ev->id, ev->type);
}

/* User space may set and reset signal events only. */
static int vkfd_event_set_or_reset(struct vkfd_process *p, u32 id, bool set)
{
	struct vkfd_event *ev;
	int ret = 0;

	spin_lock(&p->events.lock);
	ev = vkfd_event_find(&p->events, id);
	if (!ev || ev->type != KFD_IOC_EVENT_SIGNAL)
		ret = -EINVAL;
	else if (set)
		vkfd_event_set(p, ev);
	else
		ev->signaled = false;
	spin_unlock(&p->events.lock);
	return ret;
}

int vkfd_event_set_signal(struct vkfd_process *p, u32 id)
{
	return vkfd_event_set_or_reset(p, id, true);
}

int vkfd_ioctl_set_event(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_set_event_args *args = data;

	return vkfd_event_set_signal(p, args->event_id);
}

int vkfd_ioctl_reset_event(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_reset_event_args *args = data;

	return vkfd_event_set_or_reset(p, args->event_id, false);
}
