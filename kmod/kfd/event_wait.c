// SPDX-License-Identifier: GPL-2.0-only
/*
 * WAIT_EVENTS: sleep until any or all of a list of events are set.
 *
 * A call makes one waiter per list element. A waiter takes an event that is
 * already set at once (which consumes an auto-reset event); the others are queued at
 * their events. Setting an event marks the waiters in its queue and wakes their
 * tasks. Destroying it detaches it from them, and from the waiters that have taken
 * it and are still in their call. All that happens under events.lock. The sleeping
 * task looks at the marks without the lock; it sets its task state first, so it
 * cannot miss a wake-up.
 */
#include <linux/jiffies.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "event.h"
#include "race.h"

#define TIMEOUT_IMMEDIATE	0
#define TIMEOUT_INFINITE	0xffffffffu

/* Limit on the elements of a list, which may name an event more than once. */
#define MAX_WAIT_EVENTS		4096

/**
 * struct vkfd_wait - a WAIT_EVENTS call
 * @p: the caller's process
 * @w: one waiter per element
 * @data: copy of the elements, changed in place and copied back
 * @user_data: where user space has them
 * @num: number of elements
 * @all: wait for all of them, not for any
 */
struct vkfd_wait {
	struct vkfd_process *p;
	struct vkfd_waiter *w;
	struct kfd_event_data *data;
	struct kfd_event_data __user *user_data;
	unsigned int num;
	bool all;
};

/*
 * Adds a jiffy, because part of the current one is over. For user space, values above
 * 2^31 - 1 are finite; msecs_to_jiffies() would take them as infinite, so cap them.
 */
static long vkfd_wait_jiffies(u32 ms)
{
	if (ms == TIMEOUT_IMMEDIATE)
		return 0;
	if (ms == TIMEOUT_INFINITE)
		return MAX_SCHEDULE_TIMEOUT;
	return msecs_to_jiffies(min_t(u32, ms, 0x7fffffff)) + 1;
}

/*
 * If the caller passes the age that it knows and the event was set since then, the wait
 * is over at once: another waiter may have consumed that event, or it was set before
 * this call.
 */
static void vkfd_wait_take(struct vkfd_waiter *w, const struct kfd_event_data *data)
{
	struct vkfd_event *ev = w->event;
	u64 known = data->signal_event_data.last_event_age;

	w->wants_age = ev->type == KFD_IOC_EVENT_SIGNAL && known;
	w->activated = ev->signaled;
	w->by_age = w->wants_age && !w->activated && ev->age != known;
	w->activated |= w->by_age;
	ev->signaled = ev->signaled && !ev->auto_reset;
	list_add_tail(&w->node, w->activated ? &ev->takers : &ev->waiters);
}

/* Takes the events that are set and queues for the others; on failure does neither. */
static int vkfd_wait_begin(struct vkfd_wait *wait)
{
	struct vkfd_events *evs = &wait->p->events;
	struct vkfd_waiter *w;
	unsigned int i, n;
	int ret = 0;

	spin_lock(&evs->lock);
	if (wait->num > VKFD_MAX_WAITERS - evs->num_waiters) {
		spin_unlock(&evs->lock);
		return -ENOMEM;
	}
	for (n = 0; n < wait->num; n++) {
		w = &wait->w[n];
		INIT_LIST_HEAD(&w->node);
		w->task = current;
		w->event = vkfd_event_find(evs, wait->data[n].event_id);
		ret = !w->event ? -EINVAL :
		      w->event->num_waiters >= VKFD_MAX_EVENT_WAITERS ? -ENOMEM : 0;
		if (ret)
			break;
		w->event->num_waiters++;
	}
	while (ret && n--)
		wait->w[n].event->num_waiters--;
	for (i = 0; i < wait->num && !ret; i++)
		vkfd_wait_take(&wait->w[i], &wait->data[i]);
	if (!ret)
		evs->num_waiters += wait->num;
	spin_unlock(&evs->lock);
	return ret;
}

static void vkfd_wait_take_data(struct vkfd_wait *wait, unsigned int i)
{
	struct vkfd_waiter *w = &wait->w[i];

	lockdep_assert_held(&wait->p->events.lock);
	w->has_data = true;
	if (w->event->type == KFD_IOC_EVENT_MEMORY)
		wait->data[i].memory_exception_data = w->event->memory;
	else if (w->event->type == KFD_IOC_EVENT_HW_EXCEPTION)
		wait->data[i].hw_exception_data = w->event->hw;
	else if (w->wants_age)
		wait->data[i].signal_event_data.last_event_age = w->event->age;
	else
		w->has_data = false;
}

/* The state of the call so far: one of KFD_IOC_WAIT_RESULT_*. */
static u32 vkfd_wait_test(const struct vkfd_wait *wait)
{
	unsigned int i, activated = 0;

	for (i = 0; i < wait->num; i++) {
		if (!READ_ONCE(wait->w[i].event))
			return KFD_IOC_WAIT_RESULT_FAIL;
		if (!READ_ONCE(wait->w[i].activated))
			continue;
		if (!wait->all)
			return KFD_IOC_WAIT_RESULT_COMPLETE;
		activated++;
	}
	return activated == wait->num ? KFD_IOC_WAIT_RESULT_COMPLETE :
					KFD_IOC_WAIT_RESULT_TIMEOUT;
}

/*
 * Takes the waiters off all lists. If the call will be restarted (@give_back), puts
 * back the events it consumed. Otherwise collects the events' data and updates
 * *@result: an event that was set after the last look has been consumed, so the
 * call must not report a timeout. Returns false if an event was destroyed meanwhile.
 */
static bool vkfd_wait_end(struct vkfd_wait *wait, bool give_back, u32 *result)
{
	struct vkfd_events *evs = &wait->p->events;
	struct vkfd_waiter *w;
	bool alive = true;
	unsigned int i;

	spin_lock(&evs->lock);
	evs->num_waiters -= wait->num;
	*result = vkfd_wait_test(wait);
	for (i = 0; i < wait->num; i++) {
		list_del_init(&wait->w[i].node);
		if (wait->w[i].event)
			wait->w[i].event->num_waiters--;
	}
	for (i = 0; i < wait->num; i++) {
		w = &wait->w[i];
		if (!w->event)
			alive = false;
		else if (!w->activated)
			continue;
		else if (!give_back)
			vkfd_wait_take_data(wait, i);
		else if (w->event->auto_reset && !w->by_age)
			vkfd_event_give_back(w->event);
	}
	spin_unlock(&evs->lock);
	return alive;
}

/*
 * Sleeps. If a signal interrupts it, it stores the remaining time in the caller's
 * struct, where the restarted call finds it.
 */
static int vkfd_wait_sleep(struct vkfd_wait *wait, u32 *timeout_ms, u32 *result)
{
	long timeout = vkfd_wait_jiffies(*timeout_ms);
	int ret = 0;

	for (;;) {
		if (signal_pending(current)) {
			ret = fatal_signal_pending(current) ? -EINTR : -ERESTARTSYS;
			if (*timeout_ms != TIMEOUT_IMMEDIATE && *timeout_ms != TIMEOUT_INFINITE)
				*timeout_ms = jiffies_to_msecs(max(0l, timeout - 1));
			break;
		}
		set_current_state(TASK_INTERRUPTIBLE);
		*result = vkfd_wait_test(wait);
		if (*result != KFD_IOC_WAIT_RESULT_TIMEOUT || timeout <= 0)
			break;
		timeout = schedule_timeout(timeout);
	}
	__set_current_state(TASK_RUNNING);
	return ret;
}

/* Only elements whose event was set have data, and only for some event types. */
static int vkfd_wait_copy_back(const struct vkfd_wait *wait)
{
	unsigned int i;
	size_t len;

	for (i = 0; i < wait->num; i++) {
		if (!wait->w[i].has_data)
			continue;
		len = wait->w[i].wants_age ? sizeof(wait->data[i].signal_event_data) :
					     sizeof(wait->data[i].memory_exception_data);
		if (copy_to_user(&wait->user_data[i].memory_exception_data,
				 &wait->data[i].memory_exception_data, len))
			return -EFAULT;
	}
	return 0;
}

static int vkfd_wait(struct vkfd_wait *wait, u32 *timeout_ms, u32 *result)
{
	int ret;

	ret = vkfd_wait_begin(wait);
	if (ret)
		return ret;
	vkfd_race_point("wait: queued at the events, before sleep");
	*result = vkfd_wait_test(wait);
	if (*result == KFD_IOC_WAIT_RESULT_TIMEOUT)
		ret = vkfd_wait_sleep(wait, timeout_ms, result);
	vkfd_race_point("wait: awake, still at the events");
	if (!vkfd_wait_end(wait, ret == -ERESTARTSYS, result) && !ret)
		*result = KFD_IOC_WAIT_RESULT_FAIL;
	if (!ret && *result == KFD_IOC_WAIT_RESULT_COMPLETE)
		ret = vkfd_wait_copy_back(wait);
	return ret;
}

int vkfd_ioctl_wait_events(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_wait_events_args *args = data;
	struct vkfd_wait wait = {
		.p = p,
		.user_data = u64_to_user_ptr(args->events_ptr),
		.num = args->num_events,
		.all = args->wait_for_all,
	};
	int ret = -ENOMEM;

	if (wait.num > MAX_WAIT_EVENTS)
		goto out_result;
	wait.w = kvcalloc(max(wait.num, 1u), sizeof(*wait.w), GFP_KERNEL_ACCOUNT);
	wait.data = kvcalloc(max(wait.num, 1u), sizeof(*wait.data), GFP_KERNEL_ACCOUNT);
	if (!wait.w || !wait.data)
		goto out_free;
	if (copy_from_user(wait.data, wait.user_data, wait.num * sizeof(*wait.data)))
		ret = -EFAULT;
	else
		ret = vkfd_wait(&wait, &args->timeout, &args->wait_result);
out_free:
	kvfree(wait.data);
	kvfree(wait.w);
out_result:
	if (ret)
		args->wait_result = KFD_IOC_WAIT_RESULT_FAIL;
	else if (args->wait_result == KFD_IOC_WAIT_RESULT_FAIL)
		ret = -EIO;
	return ret;
}
