// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of an engine process: there is one, which the module makes for it and nobody can open.
 * It has an inode of its own in a small internal file system, as slices of doorbells have, so that
 * unmap_mapping_range() finds its mappings and no others. The file holds the module.
 *
 * The end of the file is the end of the process: it is told by flush, which comes when a process
 * closes the file or exits, and by release, whoever has had the file last.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <vkfd/engine.h>

#include "proc.h"

static struct vfsmount *user_mnt;
static int user_mnt_count;

static int user_init_fs_context(struct fs_context *fc)
{
	return init_pseudo(fc, ANON_INODE_FS_MAGIC) ? 0 : -ENOMEM;
}

static struct file_system_type user_fs = {
	.name = "vkfd_engine",
	.owner = THIS_MODULE,
	.init_fs_context = user_init_fs_context,
	.kill_sb = kill_anon_super,
};

int user_inode_create(struct user_proc *up)
{
	int ret = simple_pin_fs(&user_fs, &user_mnt, &user_mnt_count);

	if (ret)
		return ret;
	up->inode = alloc_anon_inode(user_mnt->mnt_sb);
	if (!IS_ERR(up->inode))
		return 0;
	ret = PTR_ERR(up->inode);
	up->inode = NULL;
	simple_release_fs(&user_mnt, &user_mnt_count);
	return ret;
}

void user_inode_put(struct user_proc *up)
{
	if (!up->inode)
		return;
	iput(up->inode);
	simple_release_fs(&user_mnt, &user_mnt_count);
}

static long user_hello(struct user_proc *up, void __user *arg)
{
	struct vkfd_engine_hello h;

	if (copy_from_user(&h, arg, sizeof(h)))
		return -EFAULT;
	if (h.version != VKFD_ENGINE_VERSION) {
		/* Later, it is the client's to say anything. */
		if (!READ_ONCE(up->mm))
			WRITE_ONCE(up->foreign, true);
		return -EINVAL;
	}
	h = (struct vkfd_engine_hello){ .version = VKFD_ENGINE_VERSION };
	/* The program that was started has an mm that the module has not seen before. */
	if (cmpxchg(&up->mm, NULL, current->mm))
		return -EBUSY;
	h.confine = IS_ENABLED(CONFIG_SECCOMP_FILTER);
	h.uid = from_kuid(&init_user_ns, up->uid);
	h.gid = from_kgid(&init_user_ns, up->gid);
	up->ops->hello(up->priv, up, &h);
	if (copy_to_user(arg, &h, sizeof(h)))
		return -EFAULT;
	smp_store_release(&up->greeted, true);	/* what was said before it */
	wake_up(&up->changed);
	return 0;
}

static long user_touch(struct user_proc *up, void __user *arg)
{
	struct vkfd_engine_touch t;
	int ret;

	if (copy_from_user(&t, arg, sizeof(t)))
		return -EFAULT;
	ret = up->ops->touch(up->priv, t.thread, t.va, &t.access);
	if (!ret && copy_to_user(arg, &t, sizeof(t)))
		return -EFAULT;
	return ret;
}

/*
 * Is the caller the process, and lives? Another one may have been given the file, or have the
 * process's memory; and an mm that comes after its own may lie where that was.
 */
static bool is_process(const struct user_proc *up)
{
	return task_tgid(current) == READ_ONCE(up->pid) && !READ_ONCE(up->dead);
}

bool user_may_call(const struct user_proc *up)
{
	/* Pairs with user_hello(). */
	return is_process(up) && smp_load_acquire(&up->greeted) && up->mm == current->mm &&
	       user_is_client(up);
}

static long user_ioctl(struct file *f, unsigned int cmd, unsigned long arg)
{
	struct user_proc *up = f->private_data;

	if (cmd == VKFD_ENGINE_HELLO && is_process(up))
		return user_hello(up, (void __user *)arg);
	if (!user_may_call(up))
		return -EPERM;
	switch (cmd) {
	case VKFD_ENGINE_TOUCH:
		return user_touch(up, (void __user *)arg);
	case VKFD_ENGINE_RUN:
		return up->ops->run(up->priv, arg);
	default:
		return -ENOTTY;
	}
}

static int user_mmap(struct file *f, struct vm_area_struct *vma)
{
	return user_map(f->private_data, vma);
}

/* A process that closes its file has no use for the rest of its life. */
static int user_flush(struct file *f, fl_owner_t id)
{
	struct user_proc *up = f->private_data;

	if (task_tgid(current) == READ_ONCE(up->pid))
		user_proc_kill(up, NULL);
	return 0;
}

static int user_release(struct inode *inode, struct file *f)
{
	struct user_proc *up = f->private_data;

	gpu_vm_mirror_clear(up->vm, &up->mirror);
	WRITE_ONCE(up->dead, true);
	up->ops->died(up->priv);
	complete_all(&up->gone);
	wake_up(&up->changed);
	user_proc_put(up);
	return 0;
}

static const struct file_operations user_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = user_ioctl,
	.mmap = user_mmap,
	.flush = user_flush,
	.release = user_release,
};

struct file *user_file_create(struct user_proc *up)
{
	struct file *f;

	if (!try_module_get(THIS_MODULE))
		return ERR_PTR(-ENODEV);
	ihold(up->inode);
	f = alloc_file_pseudo(up->inode, user_mnt, "vkfd-engine", O_RDWR, &user_fops);
	if (IS_ERR(f)) {
		iput(up->inode);
		module_put(THIS_MODULE);
		return f;
	}
	kref_get(&up->ref);
	f->private_data = up;
	return f;
}
