// SPDX-License-Identifier: GPL-2.0-only
/* The life of an engine process: start, kill, end. */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/umh.h>

#include "proc.h"
#include "../../gpu/vm.h"

/* It has that long to say hello; a busy machine may need some time to read the program. */
#define HELLO_JIFFIES	(30 * HZ)
/* A killed process ends at once, unless it waits for a disk. Then it ends later. */
#define GONE_JIFFIES	(10 * HZ)

static char engine_program[256] = "/usr/libexec/vkfd-engine";
module_param_string(engine_program, engine_program, sizeof(engine_program), 0600);
MODULE_PARM_DESC(engine_program, "Program that runs waves in user mode");

static void user_proc_free(struct kref *ref)
{
	struct user_proc *up = container_of(ref, struct user_proc, ref);

	put_pid(up->pid);
	if (up->client)
		put_task_struct(up->client);
	user_inode_put(up);
	gpu_vm_put(up->vm);
	kfree(up);
}

void user_proc_get(struct user_proc *up)
{
	kref_get(&up->ref);
}

void user_proc_put(struct user_proc *up)
{
	kref_put(&up->ref, user_proc_free);
}

void user_proc_kill(struct user_proc *up, const char *why)
{
	struct pid *pid = READ_ONCE(up->pid);

	if (xchg(&up->dead, true))
		return;
	if (why)
		pr_warn_ratelimited("engine process %d: killed: %s\n", pid_nr(pid), why);
	wake_up(&up->changed);
	if (pid)
		kill_pid(pid, SIGKILL, 1);
}

void user_proc_stop(struct user_proc *up)
{
	user_proc_kill(up, NULL);
	if (up->pid && !wait_for_completion_timeout(&up->gone, GONE_JIFFIES))
		pr_warn("engine process %d does not end\n", pid_nr(up->pid));
}

/* The helper is through with @info: it runs, or it never will. */
static void user_proc_entered(struct subprocess_info *info)
{
	user_proc_put(info->data);
}

static struct user_proc *user_proc_alloc(struct gpu_vm *vm, const struct user_proc_ops *ops,
					 void *priv)
{
	struct user_proc *up = kzalloc(sizeof(*up), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!up)
		return ERR_PTR(-ENOMEM);
	kref_init(&up->ref);
	gpu_vm_get(vm);
	up->vm = vm;
	up->mirror.gone = user_map_gone;
	up->ops = ops;
	up->priv = priv;
	init_completion(&up->gone);
	init_waitqueue_head(&up->changed);
	up->client = get_task_struct(current);
	up->uid = current_uid();
	up->gid = current_gid();
	ret = user_inode_create(up);
	if (ret) {
		user_proc_put(up);
		return ERR_PTR(ret);
	}
	return up;
}

static int user_proc_exec(struct user_proc *up)
{
	static char *envp[] = { "PATH=/usr/bin:/bin", NULL };
	char *path, *argv[2] = {};
	struct subprocess_info *info;
	int ret;

	kernel_param_lock(THIS_MODULE);
	path = kstrdup(strim(engine_program), GFP_KERNEL);
	kernel_param_unlock(THIS_MODULE);
	if (!path)
		return -ENOMEM;
	/* call_usermodehelper_exec() would do nothing, and call that a success. */
	if (!path[0]) {
		kfree(path);
		return -ENOENT;
	}
	argv[0] = path;
	info = call_usermodehelper_setup(path, argv, envp, GFP_KERNEL, user_proc_enter,
					 user_proc_entered, up);
	if (!info) {
		kfree(path);
		return -ENOMEM;
	}
	kref_get(&up->ref);
	/* Not killable: @path is to live until it has been used. It takes as long as an exec. */
	ret = call_usermodehelper_exec(info, UMH_WAIT_EXEC);
	/* That it is not installed says who wanted it (remote_wanted()). */
	if (ret && ret != -ENOENT)
		pr_warn_ratelimited("engine process: %s: %d\n", path, ret);
	kfree(path);
	return ret;
}

struct user_proc *user_proc_start(struct gpu_vm *vm, const struct user_proc_ops *ops, void *priv)
{
	struct user_proc *up = user_proc_alloc(vm, ops, priv);
	long ret;

	if (IS_ERR(up)) {
		ops->died(priv);
		return up;
	}
	/* The pages of one that was killed and has not ended yet have to be taken away, too. */
	ret = gpu_vm_mirror_set(vm, &up->mirror);
	if (ret) {
		ops->died(priv);
		user_proc_put(up);
		return ERR_PTR(ret);
	}
	ret = user_proc_exec(up);
	if (ret)
		goto out_stop;
	ret = wait_event_killable_timeout(up->changed, READ_ONCE(up->greeted) ||
					  READ_ONCE(up->dead), HELLO_JIFFIES);
	if (ret > 0 && !READ_ONCE(up->dead)) {
		put_task_struct(up->client);
		up->client = NULL;
		return up;
	}
	if (ret >= 0)
		pr_warn_ratelimited("engine process %d: %s without a word\n", pid_nr(up->pid),
				    ret ? "ended" : "killed");
	ret = ret < 0 ? ret : READ_ONCE(up->foreign) ? -EOPNOTSUPP : -ENOEXEC;
out_stop:
	user_proc_stop(up);
	if (!up->pid) {
		/* It never had its file, whose end would do this. */
		gpu_vm_mirror_clear(vm, &up->mirror);
		ops->died(priv);
	}
	user_proc_put(up);
	return ERR_PTR(ret);
}
