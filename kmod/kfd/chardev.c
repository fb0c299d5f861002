// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/kfd: open, release, the ioctl entry, and what an mmap offset means.
 *
 * The ioctl entry does all copying. It follows the rules of the real driver
 * (kfd_ioctl() in kfd_chardev.c of Linux), because user space relies on them:
 *  - the number alone selects the row; magic, direction and size of the command
 *    are not compared with it. A number without a row is -ENOTTY;
 *  - the file works only in the process that opened it: -EBADF in a child. But who saves a
 *    process traces it, and has got its file;
 *  - the size in the caller's command counts for copying. If the caller's struct is
 *    shorter than ours, the rest of ours reads as zero; if it is longer, the excess
 *    is handed back unchanged;
 *  - if the row returns data, it is copied back even when the handler failed,
 *    because MAP and WAIT_EVENTS report that way how far they got.
 */
#include <linux/cdev.h>
#include <linux/compat.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "gpu/doorbell.h"
#include "gpu/vm.h"
#include "kfd.h"
#include "race.h"
#include "trace.h"

/* The real driver takes as many minors; all but 0 answer ENODEV. */
#define NUM_MINORS	256

/* Arguments up to this size live on the stack. */
#define STACK_ARG_BYTES	128

typedef int (*vkfd_ioctl_fn)(struct vkfd_process *p, void *data);
typedef int (*vkfd_file_fn)(struct vkfd_process *p, struct file *file);
typedef int (*vkfd_check_fn)(const void *data, unsigned int user_bytes);

/**
 * struct vkfd_ioctl - a row
 * @name: for traces
 * @fn: handler; data is the argument, zero-extended to its full size
 * @file_fn: instead of it, where there is no argument
 * @check: for arguments that an array follows: does the caller's size cover the
 *	array? NULL for others
 * @criu: for who saves and restores processes: CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN, as the
 *	real driver asks for; the process's tracer may call
 * @cmd: as in the uapi header: gives size and directions
 */
struct vkfd_ioctl {
	const char *name;
	vkfd_ioctl_fn fn;
	vkfd_file_fn file_fn;
	vkfd_check_fn check;
	bool criu;
	unsigned int cmd;
};

/*
 * The file gets a process object of its own, which the process that it was opened for keeps
 * company (kfd.h). Once only; when two threads try, one of them is late, as in the real driver.
 * Threads that are in a call with the file's former process go on with it: the context
 * keeps that.
 */
static int vkfd_ioctl_create_process(struct vkfd_process *p, struct file *file)
{
	struct vkfd_process *context;

	if (p->primary)
		return -EINVAL;
	/* As for open: nobody would evict what a new process object does. */
	if (vkfd_is_suspended())
		return -EAGAIN;
	context = vkfd_process_open_context(p);
	if (IS_ERR(context))
		return PTR_ERR(context);
	vkfd_race_point("create process: made, not yet the file's");
	if (cmpxchg(&file->private_data, p, context) != p) {
		vkfd_process_close(context);
		return -EINVAL;
	}
	gpu_process_put(&p->base);	/* the file's; the context has another one */
	return 0;
}

#define VKFD_IOCTL(_name, _nr, _bytes, _fn) \
	[_nr] = { .name = #_name, .fn = vkfd_ioctl_##_fn, .cmd = AMDKFD_IOC_##_name },
#define VKFD_IOCTL_VAR(_name, _nr, _bytes, _fn) \
	[_nr] = { .name = #_name, .fn = vkfd_ioctl_##_fn, .check = vkfd_check_##_fn, \
		  .cmd = AMDKFD_IOC_##_name },
#define VKFD_IOCTL_CRIU(_name, _nr, _bytes, _fn) \
	[_nr] = { .name = #_name, .fn = vkfd_ioctl_##_fn, .criu = true, \
		  .cmd = AMDKFD_IOC_##_name },
#define VKFD_IOCTL_FILE(_name, _nr, _bytes, _fn) \
	[_nr] = { .name = #_name, .file_fn = vkfd_ioctl_##_fn, .cmd = AMDKFD_IOC_##_name },
static const struct vkfd_ioctl vkfd_ioctls[] = {
#include "ioctls.def"
};

#undef VKFD_IOCTL_FILE
#undef VKFD_IOCTL_CRIU
#undef VKFD_IOCTL_VAR
#undef VKFD_IOCTL

#define VKFD_IOCTL(_name, _nr, _bytes, _fn) \
	static_assert(_IOC_NR(AMDKFD_IOC_##_name) == (_nr) && \
		      _IOC_SIZE(AMDKFD_IOC_##_name) == (_bytes), #_name);
#define VKFD_IOCTL_VAR VKFD_IOCTL
#define VKFD_IOCTL_CRIU VKFD_IOCTL
#define VKFD_IOCTL_FILE VKFD_IOCTL
#include "ioctls.def"
#undef VKFD_IOCTL_FILE
#undef VKFD_IOCTL_CRIU
#undef VKFD_IOCTL_VAR
#undef VKFD_IOCTL

struct device *vkfd_device;
static struct class *vkfd_class;
static struct cdev vkfd_cdev;
static dev_t vkfd_devt;

static int vkfd_open(struct inode *inode, struct file *file)
{
	struct vkfd_process *p;

	if (iminor(inode) != 0)
		return -ENODEV;
	if (gpu_doorbell_opens(file))
		return nonseekable_open(inode, file);
	if (in_compat_syscall())
		return -EPERM;

	if (vkfd_is_suspended())
		return -EAGAIN;
	p = vkfd_process_open();
	if (IS_ERR(p))
		return PTR_ERR(p);
	file->private_data = p;
	vkfd_count(opens);
	return nonseekable_open(inode, file);
}

/* Called for each close of a descriptor, also when an exiting task closes it. */
static int vkfd_flush(struct file *file, fl_owner_t id)
{
	struct vkfd_process *p = READ_ONCE(file->private_data);

	if (current->flags & PF_EXITING && p->base.pid == task_tgid_nr(current) &&
	    !atomic_read(&current->signal->live)) {
		vkfd_race_point("flush: last thread, before the end");
		vkfd_process_exit(p);
	}
	return 0;
}

static int vkfd_release(struct inode *inode, struct file *file)
{
	vkfd_process_close(file->private_data);
	return 0;
}

/*
 * Only threads of the opener may call, and only while they run in the mm that the
 * process object stands for. After exec the old object is being torn down.
 */
static bool vkfd_caller_ok(const struct vkfd_process *p)
{
	return p->base.lead == current->group_leader && p->base.mm == current->mm;
}

/*
 * The process may end while its tracer calls. The file, which the tracer has, keeps the
 * struct; vkfd_ioctl_criu_op() looks at gpu_process.dying.
 */
static bool vkfd_caller_traces(const struct vkfd_process *p)
{
	bool traces;

	rcu_read_lock();
	traces = ptrace_parent(p->base.lead) == current;
	rcu_read_unlock();
	return traces;
}

static long vkfd_ioctl_call(const struct vkfd_ioctl *row, struct vkfd_process *p,
			    void __user *arg, unsigned int user_bytes)
{
	unsigned int bytes = max_t(unsigned int, _IOC_SIZE(row->cmd), user_bytes);
	char stack_data[STACK_ARG_BYTES] __aligned(8);
	char *data = stack_data;
	long ret;

	if (bytes > sizeof(stack_data)) {
		data = kmalloc(bytes, GFP_KERNEL_ACCOUNT);
		if (!data)
			return -ENOMEM;
	}
	memset(data, 0, bytes);
	if ((_IOC_DIR(row->cmd) & _IOC_WRITE) && copy_from_user(data, arg, user_bytes)) {
		ret = -EFAULT;
		goto out_free;
	}

	ret = row->check ? row->check(data, user_bytes) : 0;
	if (!ret)
		ret = row->fn(p, data);

	if ((_IOC_DIR(row->cmd) & _IOC_READ) && copy_to_user(arg, data, user_bytes))
		ret = -EFAULT;
out_free:
	if (data != stack_data)
		kfree(data);
	return ret;
}

/* No lock needed: the VMs of a process stay while it makes ioctls. */
static void vkfd_throttle(struct vkfd_process *p)
{
	unsigned int i;
	struct gpu_vm *vm;

	for (i = 0; i < p->num_pdds; i++) {
		vm = READ_ONCE(p->pdds[i]->base.vm);
		if (vm)
			gpu_vm_throttle(vm);
	}
}

static long vkfd_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct vkfd_process *p = READ_ONCE(file->private_data);
	unsigned int nr = _IOC_NR(cmd);
	const struct vkfd_ioctl *row;
	bool own;
	long ret;

	if (nr >= ARRAY_SIZE(vkfd_ioctls))
		return -ENOTTY;
	row = &vkfd_ioctls[array_index_nospec(nr, ARRAY_SIZE(vkfd_ioctls))];
	if (!row->fn && !row->file_fn)
		return -ENOTTY;
	own = vkfd_caller_ok(p);
	if (!own && !(row->criu && vkfd_caller_traces(p)))
		return -EBADF;
	if (row->criu && !capable(CAP_CHECKPOINT_RESTORE) && !capable(CAP_SYS_ADMIN))
		return -EACCES;

	vkfd_count(ioctls);
	atomic64_inc(&p->ioctls);
	vkfd_race_point("ioctl: caller looked at, not yet called");
	ret = row->file_fn ? row->file_fn(p, file) :
		vkfd_ioctl_call(row, p, (void __user *)arg, _IOC_SIZE(cmd));
	if (ret)
		vkfd_count(ioctl_errors);
	if (own)
		vkfd_throttle(p);
	trace_vkfd_ioctl(p->base.pid, nr, row->name, ret);
	return ret;
}

/*
 * A task that shares the mm without being a thread of the opener (vfork, CLONE_VM) can
 * get here after the opener has left and its process is torn down. It is refused, as
 * by the ioctls. A task in another mm gets EINVAL, as in Linux 6.1.
 *
 * Runs under mmap_lock, so it must not take process->lock. The fields it reads are
 * constant until the file, which holds a reference to the process, is closed.
 */
static int vkfd_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct vkfd_process *p = READ_ONCE(file->private_data);
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u32 gpu_id = KFD_MMAP_GET_GPU_ID(offset);
	u64 type = offset & KFD_MMAP_TYPE_MASK;
	struct vkfd_pdd *pdd;

	if (p->base.mm != current->mm)
		return -EINVAL;
	if (!vkfd_caller_ok(p))
		return -EBADF;
	vkfd_race_point("mmap: caller looked at, before the pdd");
	if (type == KFD_MMAP_TYPE_EVENTS)
		return vkfd_event_mmap(p, vma);

	pdd = gpu_id ? vkfd_process_pdd_real(p, gpu_id) : NULL;
	if (!pdd)
		return -ENODEV;
	vkfd_race_point("mmap: pdd found, not yet used");
	if (type == KFD_MMAP_TYPE_DOORBELL) {
		if (vma->vm_end - vma->vm_start != GPU_DOORBELL_BYTES)
			return -EINVAL;
		/* As the real driver, regardless of the bits below; the slice counts on one offset. */
		vma->vm_pgoff = (type | KFD_MMAP_GPU_ID(gpu_id)) >> PAGE_SHIFT;
		return gpu_doorbells_mmap(pdd->base.doorbells, vma);
	}
	if (type == KFD_MMAP_TYPE_MMIO)
		return vkfd_mmio_mmap(pdd, vma);
	/* KFD_MMAP_TYPE_RESERVED_MEM is the save area of an APU, and we have no APU. */
	return -EINVAL;
}

static const struct file_operations vkfd_fops = {
	.owner = THIS_MODULE,
	.open = vkfd_open,
	.flush = vkfd_flush,
	.release = vkfd_release,
	.unlocked_ioctl = vkfd_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = vkfd_mmap,
};

/* No parent device: user space looks below /sys/devices/virtual/kfd/kfd. */
int vkfd_chardev_init(void)
{
	int ret;

	ret = alloc_chrdev_region(&vkfd_devt, 0, NUM_MINORS, "kfd");
	if (ret)
		return ret;
	vkfd_class = COMPAT_CLASS_CREATE("kfd");
	if (IS_ERR(vkfd_class)) {
		ret = PTR_ERR(vkfd_class);
		goto out_region;
	}
	vkfd_device = device_create(vkfd_class, NULL, vkfd_devt, NULL, "kfd");
	if (IS_ERR(vkfd_device)) {
		ret = PTR_ERR(vkfd_device);
		goto out_class;
	}
	return 0;

out_class:
	class_destroy(vkfd_class);
out_region:
	unregister_chrdev_region(vkfd_devt, NUM_MINORS);
	return ret;
}

void vkfd_chardev_fini(void)
{
	device_destroy(vkfd_class, vkfd_devt);
	class_destroy(vkfd_class);
	unregister_chrdev_region(vkfd_devt, NUM_MINORS);
}

int vkfd_chardev_publish(void)
{
	cdev_init(&vkfd_cdev, &vkfd_fops);
	vkfd_cdev.owner = THIS_MODULE;
	return cdev_add(&vkfd_cdev, vkfd_devt, NUM_MINORS);
}

void vkfd_chardev_unpublish(void)
{
	cdev_del(&vkfd_cdev);
}
