// SPDX-License-Identifier: GPL-2.0-only
/*
 * The part of a process that backends and buffer objects see. kfd/ embeds it
 * in its own process and decides when it dies; here it only has a reference
 * count and a grip on the mm_struct (mm_count, not mm_users: it must not keep
 * the address space from being torn down).
 */
#include <linux/sched/mm.h>
#include <linux/string.h>

#include "gpu_int.h"

void gpu_process_init(struct gpu_process *p, struct mm_struct *mm,
		      struct task_struct *lead, void (*release)(struct gpu_process *))
{
	kref_init(&p->ref);
	mutex_init(&p->lock);
	mmgrab(mm);
	p->mm = mm;
	p->pid = task_tgid_nr(lead);
	get_task_comm(p->comm, lead);
	p->dying = false;
	p->release = release;
}

static void gpu_process_release(struct kref *ref)
{
	struct gpu_process *p = container_of(ref, struct gpu_process, ref);
	struct mm_struct *mm = p->mm;

	p->release(p);	/* frees @p */
	mmdrop(mm);
}

void gpu_process_get(struct gpu_process *p)
{
	kref_get(&p->ref);
}

void gpu_process_put(struct gpu_process *p)
{
	kref_put(&p->ref, gpu_process_release);
}
