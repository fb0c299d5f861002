/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of an event, for event.c, event_wait.c and host.c. Everything here is
 * guarded by vkfd_events.lock.
 */
#ifndef VKFD_EVENT_H
#define VKFD_EVENT_H

#include <linux/list.h>
#include <linux/sched.h>

#include "kfd.h"

/*
 * Setting an event must not take long, nor all events of a process at once: it happens
 * in the GPU's threads, under the lock.
 */
#define VKFD_MAX_EVENT_WAITERS	4096
#define VKFD_MAX_WAITERS	(1 << 16)

/**
 * struct vkfd_event - an event
 * @age: how often it was set, from 1 on; 0 is no age
 * @num_waiters: in the next two lists; who sets the event walks them
 * @waiters: struct vkfd_waiter.node of everybody who waits for it
 * @takers: of those who found it set, and are in their call for other events
 * @signaled: set and not yet taken by a waiter
 * @memory,@hw: what a memory or a hardware exception event tells its waiter
 */
struct vkfd_event {
	u32 id;
	u32 type;
	bool auto_reset;
	bool signaled;
	u64 age;
	unsigned int num_waiters;
	struct list_head waiters;
	struct list_head takers;
	union {
		struct kfd_hsa_memory_exception_data memory;
		struct kfd_hsa_hw_exception_data hw;
	};
};

/**
 * struct vkfd_waiter - one element of a WAIT_EVENTS call
 * @node: in event->waiters or ->takers; empty when in none
 * @event: NULL once the event was destroyed
 * @task: who sleeps
 * @activated: the event was set for this waiter
 * @by_age: only in that it was set since the age that the waiter knows
 * @wants_age: and the caller is told the age
 * @has_data: what the event tells is for user space
 */
struct vkfd_waiter {
	struct list_head node;
	struct vkfd_event *event;
	struct task_struct *task;
	bool activated;
	bool by_age, wants_age;
	bool has_data;
};

/* Has a slot in the signal page, so the GPU can set it. */
static inline bool vkfd_event_has_slot(const struct vkfd_event *ev)
{
	return ev->type == KFD_IOC_EVENT_SIGNAL || ev->type == KFD_IOC_EVENT_DEBUG_EVENT;
}

static inline struct vkfd_event *vkfd_event_find(struct vkfd_events *evs, u32 id)
{
	lockdep_assert_held(&evs->lock);
	return idr_find(&evs->ids, id);
}

void vkfd_event_set(struct vkfd_process *p, struct vkfd_event *ev);
/* For those who put back what they took: it was not set again. */
void vkfd_event_give_back(struct vkfd_event *ev);
/* What SET_EVENT and the exception channel may set: -EINVAL if it is no signal event. */
int vkfd_event_set_signal(struct vkfd_process *p, u32 id);

#endif /* VKFD_EVENT_H */
