// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a new engine process does before it becomes the program: it goes into its client's control
 * groups, so that limits on processors, memory and processes hold for its waves, and gets its
 * nice value and its limit of processes; it loses its capabilities; and it gets its file.
 *
 * Counts of a user's processes are kept such that only a system call changes a task's user well. So
 * for a client that is not root, the program keeps the two capabilities that it needs to become the
 * client; user_is_client() lets it do nothing else before it has.
 *
 * cgroup_attach_task_all() knows the hierarchies of version 1 only. That of version 2 is entered
 * as a program would: by writing to the group's cgroup.procs. A process that cannot enter is not
 * started.
 */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/resource.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/umh.h>

#include "proc.h"

#ifdef CONFIG_CGROUPS
/* Path of the client's group below the mount of version 2; empty: the root. */
static int group_path(struct task_struct *client, char *buf, size_t size)
{
	int ret;

	rcu_read_lock();
	ret = cgroup_path(task_dfl_cgroup(client), buf, size);
	rcu_read_unlock();
	if (ret < 0 || ret >= size)
		return -ENAMETOOLONG;
	if (!strcmp(buf, "/"))
		buf[0] = '\0';
	return 0;
}

static int write_procs(const char *mount, const char *group)
{
	char *path = kasprintf(GFP_KERNEL, "%s%s/cgroup.procs", mount, group);
	struct file *f;
	ssize_t n;

	if (!path)
		return -ENOMEM;
	f = filp_open(path, O_WRONLY, 0);
	kfree(path);
	if (IS_ERR(f))
		return PTR_ERR(f);
	n = kernel_write(f, "0", 1, NULL);
	fput(f);
	return n == 1 ? 0 : n < 0 ? (int)n : -EIO;
}

static int enter_groups(struct task_struct *client)
{
	char *group;
	int ret;

	ret = cgroup_attach_task_all(client, current);
	if (ret)
		return ret;
	group = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!group)
		return -ENOMEM;
	ret = group_path(client, group, PATH_MAX);
	if (!ret && group[0]) {
		ret = write_procs("/sys/fs/cgroup", group);
		if (ret == -ENOENT)
			ret = write_procs("/sys/fs/cgroup/unified", group);
	}
	kfree(group);
	return ret;
}
#else
static int enter_groups(struct task_struct *client)
{
	return 0;
}
#endif

static void drop_caps(struct user_proc *up, struct cred *new)
{
	kernel_cap_t left = CAP_EMPTY_SET;

	if (!uid_eq(up->uid, GLOBAL_ROOT_UID)) {
		cap_raise(left, CAP_SETUID);
		cap_raise(left, CAP_SETGID);
		cap_raise(left, CAP_CHOWN);	/* of its user's directory for compiled code */
	}
	new->cap_inheritable = CAP_EMPTY_SET;
	new->cap_ambient = CAP_EMPTY_SET;
	new->cap_permitted = left;
	new->cap_effective = left;
	new->cap_bset = left;
}

/* Its threads are processes of the client's user, of whom there may be so many. */
static void take_limit(const struct task_struct *client)
{
	struct rlimit limit = {
		.rlim_cur = task_rlimit(client, RLIMIT_NPROC),
		.rlim_max = task_rlimit_max(client, RLIMIT_NPROC),
	};

	task_lock(current);
	current->signal->rlim[RLIMIT_NPROC] = limit;
	task_unlock(current);
}

bool user_is_client(const struct user_proc *up)
{
	const struct cred *c = current_cred();

	return uid_eq(c->uid, up->uid) && uid_eq(c->euid, up->uid) && uid_eq(c->suid, up->uid) &&
	       gid_eq(c->gid, up->gid) && gid_eq(c->egid, up->gid) && gid_eq(c->sgid, up->gid) &&
	       cap_isclear(c->cap_permitted) && cap_isclear(c->cap_effective);
}

int user_proc_enter(struct subprocess_info *info, struct cred *new)
{
	struct user_proc *up = info->data;
	struct file *f;
	int ret, fd;

	ret = enter_groups(up->client);
	if (ret) {
		pr_warn_ratelimited("engine process: cannot enter its client's cgroup: %d\n", ret);
		/* The client may have left a group that is gone now: no missing program. */
		return ret == -ENOENT || ret == -EOPNOTSUPP ? -EACCES : ret;
	}
	drop_caps(up, new);
	set_user_nice(current, task_nice(up->client));
	take_limit(up->client);
	current->signal->oom_score_adj = up->client->signal->oom_score_adj;
	fd = get_unused_fd_flags(0);
	if (fd < 0)
		return fd;
	f = fd ? ERR_PTR(-EBUSY) : user_file_create(up);
	if (IS_ERR(f)) {
		put_unused_fd(fd);
		return PTR_ERR(f);
	}
	WRITE_ONCE(up->pid, get_pid(task_tgid(current)));
	fd_install(fd, f);
	return 0;
}
