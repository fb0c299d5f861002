// SPDX-License-Identifier: GPL-2.0-only
/*
 * The part of a process that backends and buffer objects see. kfd/ embeds it in its own
 * process struct and decides when the process ends. Here it only has a reference count and
 * a grip on the mm_struct (mm_count, not mm_users, so that it does not keep the address space
 * alive).
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "gpu_int.h"

static atomic64_t process_ids = ATOMIC64_INIT(0);

u64 gpu_process_new_id(void)
{
	return atomic64_inc_return(&process_ids);
}

/*
 * With subordinate ids (subuid(5)), a user has as many uids as he likes, in user namespaces of his
 * own. So who owns the outermost of them counts, unless that is root, who makes namespaces for
 * others.
 */
kuid_t gpu_user(void)
{
	const struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns != &init_user_ns; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	return uid;
}

bool gpu_user_privileged(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
}

void gpu_process_init(struct gpu_process *p, struct mm_struct *mm,
		      struct task_struct *lead, void (*release)(struct gpu_process *))
{
	kref_init(&p->ref);
	mutex_init(&p->lock);
	mmgrab(mm);
	p->mm = mm;
	p->lead = get_task_struct(lead);
	p->pid = task_tgid_nr(lead);
	p->own_pid = task_tgid_nr_ns(lead, task_active_pid_ns(lead));
	p->id = gpu_process_new_id();
	p->uid = gpu_user();
	p->privileged = gpu_user_privileged();
	get_task_comm(p->comm, lead);
	p->dying = false;
	p->of_file = false;
	p->context = false;
	p->release = release;
}

static void gpu_process_release(struct kref *ref)
{
	struct gpu_process *p = container_of(ref, struct gpu_process, ref);
	struct task_struct *lead = p->lead;
	struct mm_struct *mm = p->mm;

	p->release(p);	/* frees @p */
	put_task_struct(lead);
	mmdrop(mm);
}

/*
 * signal->live counts the threads that have not begun to exit. exec gives the leader another
 * mm or, if a different thread called it, another leader. No lock is needed, because none of
 * these conditions can become false again.
 */
bool gpu_process_left(const struct gpu_process *p)
{
	struct task_struct *lead = p->lead;
	struct mm_struct *mm = READ_ONCE(lead->mm);

	return !atomic_read(&lead->signal->live) || READ_ONCE(lead->group_leader) != lead ||
	       (mm && mm != p->mm);
}

void gpu_process_get(struct gpu_process *p)
{
	kref_get(&p->ref);
}

bool gpu_process_tryget(struct gpu_process *p)
{
	return kref_get_unless_zero(&p->ref);
}

void gpu_process_put(struct gpu_process *p)
{
	kref_put(&p->ref, gpu_process_release);
}
