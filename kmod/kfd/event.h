/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internals of events, shared by event.c, event_wait.c and host.c. Everything here
 * is guarded by vkfd_events.lock.
 */
#ifndef VKFD_EVENT_H
#define VKFD_EVENT_H

#include <linux/list.h>
#include <linux/sched.h>

#include "kfd.h"

/*
 * Limits on waiters. The GPU's threads set events, under the lock, so neither setting
 * one event nor setting all events of a process may take long.
 */
#define VKFD_MAX_EVENT_WAITERS	4096
#define VKFD_MAX_WAITERS	(1 << 16)

/**
 * struct vkfd_event - an event
 * @age: how often it was set, counted from 1 on; 0 means "no age"
 * @num_waiters: entries in the next two lists, which are walked when it is set
 * @waiters: struct vkfd_waiter.node of everybody who waits for it
 * @takers: waiters that found it set and still wait for other events in their call
 * @signaled: set and not yet taken by a waiter
 * @memory,@hw: what a memory or a hardware exception event reports to its waiter
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
 * @node: in event->waiters or ->takers, or in no list (empty)
 * @event: NULL once the event was destroyed
 * @task: the sleeping task
 * @activated: the event was set for this waiter
 * @by_age: activated only because the event was set since the age the caller knows
 * @wants_age: report the event's age to the caller
 * @has_data: the element carries data that must be copied to user space
 */
struct vkfd_waiter {
	struct list_head node;
	struct vkfd_event *event;
	struct task_struct *task;
	bool activated;
	bool by_age, wants_age;
	bool has_data;
};

/* Does it have a slot in the signal page, so that the GPU can set it? */
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
/* For waiters that put back an event they had taken: does not count as a new set. */
void vkfd_event_give_back(struct vkfd_event *ev);
/* For SET_EVENT and the exception channel: -EINVAL if @id is not a signal event. */
int vkfd_event_set_signal(struct vkfd_process *p, u32 id);
/* Set every event of the kind; waiters are told @data. Return: how many there are. */
unsigned int vkfd_event_set_memory(struct vkfd_process *p,
				   const struct kfd_hsa_memory_exception_data *data);
unsigned int vkfd_event_set_hw(struct vkfd_process *p,
			       const struct kfd_hsa_hw_exception_data *data);

#endif /* VKFD_EVENT_H */
