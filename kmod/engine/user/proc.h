/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that run waves in user mode (uapi/vkfd/engine.h): one for an address space, started
 * by the module. Nothing that comes from one is trusted. A process that ends, for whatever reason,
 * or that is told to end because of what it did, costs its own client its queues.
 */
#ifndef USER_PROC_H
#define USER_PROC_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>

#include "../../gpu/pagecache.h"

struct cred;
struct file;
struct gpu_memory;
struct gpu_vm;
struct inode;
struct subprocess_info;
struct task_struct;
struct user_proc;
struct vm_area_struct;
struct vkfd_engine_hello;

/**
 * struct user_proc_ops - who gives a process its work
 * @hello: fills in what the process is told; from then on @section has an answer
 * @section: memory of thread @n's section; NULL: there is none
 * @run: the ioctl; by any thread of the process, any number at a time. Interruptible
 * @touch: likewise
 * @died: no thread of the process is in the above, and none will be. Called once in any case,
 *	also if the process could not be started
 */
struct user_proc_ops {
	void (*hello)(void *priv, struct user_proc *up, struct vkfd_engine_hello *h);
	const struct gpu_memory *(*section)(void *priv, unsigned int n);
	int (*run)(void *priv, unsigned int thread);
	int (*touch)(void *priv, unsigned int thread, u64 va, u32 *access);
	void (*died)(void *priv);
};

/**
 * struct user_proc - a process
 * @vm: the address space that it shows, with a reference
 * @mirror: its page tables are one of the page cache
 * @inode: of its file; its mappings are all that show the address space
 * @client: on whose behalf it was started; only until it has started
 * @uid,@gid: the client's
 * @pid: the process; NULL: it has not come up to its first instruction
 * @mm: its memory, the only one that may map the file; for comparison only
 * @greeted: it has said hello; @foreign: it speaks another version
 * @dead: it has ended, or will
 * @gone: completed when it has ended
 * @changed: @greeted or @dead
 */
struct user_proc {
	struct kref ref;
	struct gpu_vm *vm;
	struct gpu_vm_mirror mirror;
	struct inode *inode;
	struct task_struct *client;
	kuid_t uid;
	kgid_t gid;
	struct pid *pid;
	const void *mm;
	const struct user_proc_ops *ops;
	void *priv;
	bool greeted, foreign, dead;
	struct completion gone;
	wait_queue_head_t changed;
};

/**
 * user_proc_start() - start a process for the caller
 * @vm: what it shows
 * @ops: its work
 * @priv: for @ops
 *
 * It gets the caller's credentials without any capability, and its control groups. Killable.
 * Return: the process, which has said hello, or ERR_PTR, and why is in the log. -ENOENT: there is
 * no program; -EOPNOTSUPP: it is of another version. No client can bring these two about.
 */
struct user_proc *user_proc_start(struct gpu_vm *vm, const struct user_proc_ops *ops, void *priv);
/* Ends it, if it has not ended yet, and says so if there is a reason. Does not wait. */
void user_proc_kill(struct user_proc *up, const char *why);
/* Ends it and waits for that: user_proc_ops.died has been called. */
void user_proc_stop(struct user_proc *up);
void user_proc_get(struct user_proc *up);
void user_proc_put(struct user_proc *up);

/* file.c: the file, with a reference of @up */
struct file *user_file_create(struct user_proc *up);
/* Is the caller the process, which has said hello and has not ended? */
bool user_may_call(const struct user_proc *up);
int user_inode_create(struct user_proc *up);
void user_inode_put(struct user_proc *up);

/* enter.c: what a new process does before its program: as call_usermodehelper() has it */
int user_proc_enter(struct subprocess_info *info, struct cred *new);
/* Is the caller its client's user, without any capability? */
bool user_is_client(const struct user_proc *up);

/* map.c */
int user_map(struct user_proc *up, struct vm_area_struct *vma);
void user_map_gone(struct gpu_vm_mirror *m, u64 first, u64 last);

#endif /* USER_PROC_H */
