// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doorbells: two pages of RAM per process and device to which user space stores. While the
 * backend polls them, a store is just a store. Before the backend sleeps it arms the slice:
 * it removes the user PTEs, so that the next store faults. The fault handler puts the PTE
 * back and wakes the backend.
 *
 * One mutex is held across "insert PTE, disarm" and across "arm, zap". Without it, a fault
 * handler that has decided to insert could do so after the zap. The slice would then be
 * armed with a PTE in place, and no later store would ever wake the backend.
 *
 * A store that faulted is retried only after the fault handler has returned. If the backend
 * is woken at once, it may look, find nothing and zap again before the retry. On one CPU it
 * preempts the storing thread every time, and neither makes progress (measured: 40,000
 * faults for 5,000 packets, and some rings took longer than 20 s). So the handler wakes the
 * backend later, by a timer, in two cases: if the storing thread can only run after the
 * backend has gone to sleep again (one CPU), or if the same store has faulted before.
 *
 * Every slice has an inode of its own in a small internal file system, and mmap makes the
 * VMA a mapping of a file on that inode. So unmap_mapping_range() finds all VMAs of the
 * slice, also after mremap and partial munmap, and none of another process. These files
 * hold the module; the VMAs hold references to the slice.
 *
 * To others, mappings of /dev/kfd's doorbells are what they are with the real driver: mappings of
 * that device at KFD's offset, as CRIU wants them. So their file is /dev/kfd, opened once more,
 * which does not make its holder a user of KFD. Its open is told by credentials that nobody else
 * has.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/magic.h>
#include <linux/module.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/printk.h>
#include <linux/pseudo_fs.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>

#include "backend.h"
#include "device.h"
#include "doorbell.h"
#include "gpu_int.h"
#include "race.h"
#include "trace.h"
#include "vm.h"

#define GPU_DOORBELL_ORDER	get_order(GPU_DOORBELL_BYTES)

/* Limit on the VMAs of a slice that mmap creates; user space needs one. */
#define GPU_DOORBELL_MAX_VMAS		64

/* Delay of late wakes: starts here, doubles each time the same store faults again. */
#define GPU_DOORBELL_DELAY_NS		(20 * NSEC_PER_USEC)
#define GPU_DOORBELL_MAX_DELAY_NS	NSEC_PER_MSEC
/* A fault after this time counts as a new ring, not as a retry of the last one. */
#define GPU_DOORBELL_AGAIN_NS		(20 * NSEC_PER_MSEC)

/* ---------------------------------------------------------- the file system */

/* The mount exists while there are slices (simple_pin_fs), and holds the module then. */
static struct vfsmount *gpu_doorbell_mnt;
static int gpu_doorbell_mnt_count;

static int gpu_doorbell_init_fs_context(struct fs_context *fc)
{
	return init_pseudo(fc, ANON_INODE_FS_MAGIC) ? 0 : -ENOMEM;
}

static struct file_system_type gpu_doorbell_fs = {
	.name = "vkfd_doorbell",
	.owner = THIS_MODULE,
	.init_fs_context = gpu_doorbell_init_fs_context,
	.kill_sb = kill_anon_super,
};

static struct inode *gpu_doorbell_inode(void)
{
	struct inode *inode;
	int ret;

	ret = simple_pin_fs(&gpu_doorbell_fs, &gpu_doorbell_mnt, &gpu_doorbell_mnt_count);
	if (ret)
		return ERR_PTR(ret);
	inode = alloc_anon_inode(gpu_doorbell_mnt->mnt_sb);
	if (IS_ERR(inode))
		simple_release_fs(&gpu_doorbell_mnt, &gpu_doorbell_mnt_count);
	return inode;
}

static int gpu_doorbell_release(struct inode *inode, struct file *file)
{
	if (file->private_data)
		fput(file->private_data);
	return 0;
}

static const struct file_operations gpu_doorbell_fops = {
	.owner = THIS_MODULE,
	.release = gpu_doorbell_release,
};

static const struct cred *gpu_doorbell_cred;

int gpu_doorbell_start(void)
{
	gpu_doorbell_cred = prepare_creds();
	return gpu_doorbell_cred ? 0 : -ENOMEM;
}

void gpu_doorbell_stop(void)
{
	put_cred(gpu_doorbell_cred);
}

bool gpu_doorbell_opens(struct file *file)
{
	const struct file_operations *fops = &gpu_doorbell_fops;

	if (file->f_cred != gpu_doorbell_cred)
		return false;
	replace_fops(file, fops_get(fops));
	return true;
}

static struct file *gpu_doorbell_file(struct gpu_doorbells *db)
{
	struct file *f;

	if (!try_module_get(THIS_MODULE))
		return ERR_PTR(-ENODEV);
	ihold(db->inode);
	f = alloc_file_pseudo(db->inode, gpu_doorbell_mnt, "doorbells", O_RDWR,
			      &gpu_doorbell_fops);
	if (IS_ERR(f)) {
		iput(db->inode);
		module_put(THIS_MODULE);
		return f;
	}
	return f;
}

/*
 * The VMA's own file once more, but with the slice's pages. Others may hold it for longer than there
 * is the VMA (madvise(MADV_WILLNEED) does), and look at f_mapping: so it holds a file that has them.
 */
static struct file *gpu_doorbell_same_file(struct gpu_doorbells *db, struct file *file)
{
	struct file *own = gpu_doorbell_file(db), *f;

	if (IS_ERR(own))
		return own;
	f = dentry_open(&file->f_path, O_RDWR, gpu_doorbell_cred);
	if (IS_ERR(f)) {
		fput(own);
		return f;
	}
	f->private_data = own;
	f->f_mapping = own->f_mapping;
	return f;
}

/* -------------------------------------------------------------------- wakes */

static enum hrtimer_restart gpu_doorbell_kick(struct hrtimer *timer)
{
	struct gpu_doorbells *db = container_of(timer, struct gpu_doorbells, kick);

	gpu_backend_doorbell(db);
	return HRTIMER_NORESTART;
}

/* A store to doorbell @index faulted: ns after which to wake the backend, 0 for at once. */
static u64 gpu_doorbell_delay_locked(struct gpu_doorbells *db, unsigned int index)
{
	u64 now = ktime_get_ns(), val = READ_ONCE(db->val[index]);
	bool again = index == db->rung && val == db->rung_val &&
		     now - db->rung_at < GPU_DOORBELL_AGAIN_NS;

	lockdep_assert_held(&db->lock);
	db->rung = index;
	db->rung_val = val;
	db->rung_at = now;
	if (again)
		db->delay_ns = clamp_t(u64, db->delay_ns * 2, GPU_DOORBELL_DELAY_NS,
				       GPU_DOORBELL_MAX_DELAY_NS);
	else
		db->delay_ns = num_online_cpus() > 1 ? 0 : GPU_DOORBELL_DELAY_NS;
	return db->delay_ns;
}

/* --------------------------------------------------------- life and death */

struct gpu_doorbells *gpu_doorbells_create(struct gpu_process *p, struct gpu_device *gdev)
{
	struct gpu_doorbells *db;
	int ret = -ENOMEM;

	db = kzalloc(sizeof(*db), GFP_KERNEL_ACCOUNT);
	if (!db)
		return ERR_PTR(-ENOMEM);
	db->page = alloc_pages(GFP_KERNEL_ACCOUNT | __GFP_ZERO, GPU_DOORBELL_ORDER);
	if (!db->page)
		goto out_free_db;
	db->inode = gpu_doorbell_inode();
	if (IS_ERR(db->inode)) {
		ret = PTR_ERR(db->inode);
		goto out_free_pages;
	}
	kref_init(&db->ref);
	mutex_init(&db->lock);
	atomic_set(&db->rings, 0);
	hrtimer_setup(&db->kick, gpu_doorbell_kick, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	db->val = page_address(db->page);
	db->pid = p->pid;
	db->gdev = gdev;
	db->armed = true;	/* there are no PTEs yet */
	gpu_device_get(gdev);
	return db;

out_free_pages:
	__free_pages(db->page, GPU_DOORBELL_ORDER);
out_free_db:
	kfree(db);
	return ERR_PTR(ret);
}

static void gpu_doorbells_release(struct kref *ref)
{
	struct gpu_doorbells *db = container_of(ref, struct gpu_doorbells, ref);

	hrtimer_cancel(&db->kick);
	iput(db->inode);
	simple_release_fs(&gpu_doorbell_mnt, &gpu_doorbell_mnt_count);
	__free_pages(db->page, GPU_DOORBELL_ORDER);
	gpu_device_put(db->gdev);
	mutex_destroy(&db->lock);
	kfree(db);
}

void gpu_doorbells_put(struct gpu_doorbells *db)
{
	kref_put(&db->ref, gpu_doorbells_release);
}

void gpu_doorbells_set_vm(struct gpu_doorbells *db, struct gpu_vm *vm)
{
	mutex_lock(&db->lock);
	db->vm = vm;
	mutex_unlock(&db->lock);
}

void gpu_doorbells_drop_vm(struct gpu_doorbells *db, const struct gpu_vm *vm)
{
	mutex_lock(&db->lock);
	if (db->vm == vm)
		db->vm = NULL;
	mutex_unlock(&db->lock);
}

/* -------------------------------------------------------------------- VMAs */

static void gpu_doorbell_vm_open(struct vm_area_struct *vma)
{
	struct gpu_doorbells *db = vma->vm_private_data;

	kref_get(&db->ref);
	atomic_inc(&db->vmas);
}

static void gpu_doorbell_vm_close(struct vm_area_struct *vma)
{
	struct gpu_doorbells *db = vma->vm_private_data;

	atomic_dec(&db->vmas);
	gpu_doorbells_put(db);
}

/* Are those of this page not ours? */
static bool gpu_doorbell_is_elsewhere(const struct gpu_doorbells *db, pgoff_t page)
{
	return page && db->gdev->backend->doorbells_rest;
}

static pgoff_t gpu_doorbell_page(const struct gpu_doorbells *db, pgoff_t pgoff)
{
	return pgoff - READ_ONCE(db->pgoff);
}

/*
 * The page becomes a mapping of the file that has these doorbells, as if the process had mapped
 * that there. This needs mmap_lock for writing, so the fault gives it back and is retried, which
 * whoever began it has to allow. Retried before and here again: the mapping has failed. It is
 * mmap_lock that is held, not the VMA's own: faults of a mapping without vm_ops.map_pages are not
 * tried with that (vmf_can_call_fault()).
 */
static vm_fault_t gpu_doorbell_elsewhere(struct vm_fault *vmf, struct gpu_doorbells *db)
{
	struct vm_area_struct *vma = vmf->vma;
	unsigned long prot = (vma->vm_flags & VM_READ ? PROT_READ : 0) |
			     (vma->vm_flags & VM_WRITE ? PROT_WRITE : 0);
	unsigned long at = vmf->address & PAGE_MASK;
	struct mm_struct *mm = vma->vm_mm;
	struct file *f = NULL;
	u64 offset;

	if (mm != current->mm || !(vmf->flags & FAULT_FLAG_ALLOW_RETRY) ||
	    (vmf->flags & (FAULT_FLAG_RETRY_NOWAIT | FAULT_FLAG_TRIED)))
		return VM_FAULT_SIGBUS;
	mutex_lock(&db->lock);
	if (db->vm)
		f = db->gdev->backend->doorbells_rest(db->vm, &offset);
	mutex_unlock(&db->lock);
	if (!f)
		return VM_FAULT_SIGBUS;
	/* From here on @vma and @db may be gone. */
	mmap_read_unlock(mm);
	if (IS_ERR_VALUE(vm_mmap(f, at, PAGE_SIZE, prot, MAP_SHARED | MAP_FIXED, offset)))
		pr_info_ratelimited("pid %d: doorbells below can't be mapped\n", current->tgid);
	fput(f);
	return VM_FAULT_RETRY;
}

static int gpu_doorbell_no_change(pte_t *pte, unsigned long addr, void *data)
{
	return 0;
}

static vm_fault_t gpu_doorbell_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct gpu_doorbells *db = vma->vm_private_data;
	pgoff_t page = gpu_doorbell_page(db, vmf->pgoff);
	unsigned long off = (page << PAGE_SHIFT) + offset_in_page(vmf->real_address);
	vm_fault_t ret;
	u64 delay;

	if (off >= GPU_DOORBELL_BYTES)
		return VM_FAULT_SIGBUS;
	if (gpu_doorbell_is_elsewhere(db, page))
		return gpu_doorbell_elsewhere(vmf, db);

	/*
	 * A page table is charged to the process, and may have to be waited for. A thread that
	 * serves all processes takes the lock, too (gpu_doorbells_arm()), so it is allocated before.
	 */
	if (apply_to_page_range(vma->vm_mm, vmf->address & PAGE_MASK, PAGE_SIZE,
				gpu_doorbell_no_change, NULL))
		return VM_FAULT_OOM;
	vkfd_race_point("doorbell fault: before the lock");
	mutex_lock(&db->lock);
	ret = vmf_insert_pfn(vma, vmf->address & PAGE_MASK, page_to_pfn(db->page) + page);
	if (ret != VM_FAULT_NOPAGE) {
		mutex_unlock(&db->lock);
		return ret;
	}
	db->armed = false;
	/* A process that submits needs no system call, so this may be the only time it stops. */
	if (db->vm)
		gpu_vm_throttle(db->vm);
	delay = gpu_doorbell_delay_locked(db, off / sizeof(u64));
	if (delay)
		hrtimer_start(&db->kick, ns_to_ktime(delay), HRTIMER_MODE_REL);
	mutex_unlock(&db->lock);

	atomic_inc(&db->rings);
	trace_vkfd_doorbell(db->gdev->gpu_id, db->pid, off);
	if (!delay)
		gpu_backend_doorbell(db);
	return ret;
}

/* A store by a debugger rings the doorbell, too. */
static int gpu_doorbell_access(struct vm_area_struct *vma, unsigned long addr, void *buf,
			       int len, int write)
{
	struct gpu_doorbells *db = vma->vm_private_data;
	unsigned long off = (gpu_doorbell_page(db, vma->vm_pgoff) << PAGE_SHIFT) +
			    (addr - vma->vm_start);

	if (off >= GPU_DOORBELL_BYTES || gpu_doorbell_is_elsewhere(db, off >> PAGE_SHIFT))
		return -EIO;
	len = min_t(unsigned long, len, PAGE_ALIGN(off + 1) - off);
	if (!write) {
		memcpy(buf, (void *)db->val + off, len);
		return len;
	}
	memcpy((void *)db->val + off, buf, len);
	gpu_backend_doorbell(db);
	return len;
}

static const struct vm_operations_struct gpu_doorbell_vm_ops = {
	.open = gpu_doorbell_vm_open,
	.close = gpu_doorbell_vm_close,
	.fault = gpu_doorbell_fault,
	.access = gpu_doorbell_access,
};

/* @same: the VMA goes on to be one of the same file, at the same offset. */
static int gpu_doorbells_map(struct gpu_doorbells *db, struct vm_area_struct *vma,
			     unsigned long bytes, bool same)
{
	struct file *f;

	if (vma->vm_end - vma->vm_start > min_t(unsigned long, bytes, GPU_DOORBELL_BYTES))
		return -EINVAL;
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (!atomic_add_unless(&db->vmas, 1, GPU_DOORBELL_MAX_VMAS))
		return -ENOMEM;

	vkfd_race_point("mmap: doorbells counted, no reference yet");
	f = same ? gpu_doorbell_same_file(db, vma->vm_file) : gpu_doorbell_file(db);
	if (IS_ERR(f)) {
		atomic_dec(&db->vmas);
		return PTR_ERR(f);
	}
	vma_set_file(vma, f);
	fput(f);	/* the VMA has its own reference */

	if (same)
		WRITE_ONCE(db->pgoff, vma->vm_pgoff);	/* which is the same each time */
	else
		vma->vm_pgoff = 0;
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP |
		     VM_NORESERVE);
	kref_get(&db->ref);
	vma->vm_private_data = db;
	vma->vm_ops = &gpu_doorbell_vm_ops;
	return 0;
}

int gpu_doorbells_mmap_start(struct gpu_doorbells *db, struct vm_area_struct *vma,
			     unsigned long bytes)
{
	return gpu_doorbells_map(db, vma, bytes, false);
}

int gpu_doorbells_mmap(struct gpu_doorbells *db, struct vm_area_struct *vma)
{
	const struct gpu_backend_ops *ops = db->gdev->backend;
	int ret = -EINVAL;

	if (vma->vm_end - vma->vm_start != GPU_DOORBELL_BYTES)
		return -EINVAL;
	if (!ops->doorbells_mmap)
		return gpu_doorbells_map(db, vma, GPU_DOORBELL_BYTES,
					 S_ISCHR(file_inode(vma->vm_file)->i_mode));
	mutex_lock(&db->lock);
	if (db->vm)
		ret = ops->doorbells_mmap(db->vm, vma);
	mutex_unlock(&db->lock);
	return ret;
}

/* ------------------------------------------------------------ backend side */

void gpu_doorbells_arm(struct gpu_doorbells *db)
{
	vkfd_race_point("doorbell zap: before the lock");
	mutex_lock(&db->lock);
	if (!db->armed) {
		db->armed = true;
		unmap_mapping_range(db->inode->i_mapping, (loff_t)db->pgoff << PAGE_SHIFT,
				    GPU_DOORBELL_BYTES, 1);
	}
	mutex_unlock(&db->lock);
}

u64 gpu_doorbell_read(struct gpu_doorbells *db, unsigned int index)
{
	return READ_ONCE(db->val[index]);
}

void gpu_doorbell_reset(struct gpu_doorbells *db, unsigned int index)
{
	WRITE_ONCE(db->val[index], 0);
}
