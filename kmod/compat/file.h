/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files: flags of their operations, and their end.
 *
 * The end of a file that must not be left for later: the caller may be about to unload what has
 * its release function, or be an init function that is about to fail. Up to 6.5, __fput_sync() is
 * a BUG in whoever is no kernel thread.
 */
#ifndef VKFD_COMPAT_FILE_H
#define VKFD_COMPAT_FILE_H

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

/* 6.12: a driver whose offsets have all 64 bits says so itself. */
#ifdef FOP_UNSIGNED_OFFSET
#define COMPAT_DRM_FOP_FLAGS	.fop_flags = FOP_UNSIGNED_OFFSET,
#else
#define COMPAT_DRM_FOP_FLAGS
#endif

struct compat_file_end {
	struct work_struct work;
	struct file *file;
};

static inline void compat_file_end_work(struct work_struct *work)
{
	__fput_sync(container_of(work, struct compat_file_end, work)->file);
}

/* Puts @f; if that was the last reference, it has been released. Sleeps. */
static inline void compat_fput_sync(struct file *f)
{
	struct compat_file_end end = { .file = f };

	if (current->flags & PF_KTHREAD) {
		__fput_sync(f);
		return;
	}
	INIT_WORK_ONSTACK(&end.work, compat_file_end_work);
	queue_work(system_percpu_wq, &end.work);
	flush_work(&end.work);
	destroy_work_on_stack(&end.work);
}

#endif /* VKFD_COMPAT_FILE_H */
