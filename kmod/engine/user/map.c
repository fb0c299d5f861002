// SPDX-License-Identifier: GPL-2.0-only
/*
 * An address space in the page tables of its process. A page is there only if it is in the VM's
 * page cache: it is put in under pc_lock, and taken out under pc_lock when the page cache loses it.
 * So whoever has taken a page from a VM knows that the process has lost it, too, whatever the
 * process does.
 *
 * A fault here brings nothing in: the process's mmap_lock is held, which is inside of vm->lock
 * (locking.rst). What is not resident is a signal; the program asks for it by an ioctl, and then
 * repeats the access or stops its wave.
 */
#include <linux/bitops.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <vkfd/engine.h>

#include "proc.h"
#include "../../gpu/charged.h"
#include "../../gpu/vm.h"

/* Pages that one fault shows at most. */
#define SHOW_PAGES	16u

/* Offsets in the file are addresses without the copies of bit 47 above it. */
#define OFFSET_BITS	48
#define INDEX_BITS	(OFFSET_BITS - PAGE_SHIFT)

static u64 va_of(u64 pgoff)
{
	return sign_extend64(pgoff << PAGE_SHIFT, OFFSET_BITS - 1);
}

/*
 * The caller may hold the same locks of other address spaces: it may be in a notifier of the
 * client's, within reclaim. Lockdep knows them by their kind only, so it would see a circle.
 * There is none: nobody registers notifiers of this process's mm with us, since a client cannot
 * map this file; and who holds the locks that are taken here does not allocate.
 */
void user_map_gone(struct gpu_vm_mirror *m, u64 first, u64 last)
{
	struct user_proc *up = container_of(m, struct user_proc, mirror);

	first &= BIT(INDEX_BITS) - 1;
	last &= BIT(INDEX_BITS) - 1;
	if (last < first) {
		/* Of both halves; sections stay. */
		first = 0;
		last = BIT(INDEX_BITS) - 1;
	}
	lockdep_off();
	unmap_mapping_range(up->inode->i_mapping, first << PAGE_SHIFT,
			    (last - first + 1) << PAGE_SHIFT, 1);
	lockdep_on();
}

struct show {
	struct vm_area_struct *vma;
	vm_fault_t ret;
};

static int show_page(void *arg, u64 index, unsigned long pfn, u32 access)
{
	struct show *s = arg;
	struct vm_area_struct *vma = s->vma;
	unsigned long flags = vma->vm_flags;

	if (!(access & GPU_W))
		flags &= ~VM_WRITE;
	index &= BIT(INDEX_BITS) - 1;
	s->ret = vmf_insert_pfn_prot(vma, vma->vm_start + ((index - vma->vm_pgoff) << PAGE_SHIFT),
				     pfn, vm_get_page_prot(flags));
	return s->ret != VM_FAULT_NOPAGE;
}

static int no_change(pte_t *pte, unsigned long addr, void *data)
{
	return 0;
}

static vm_fault_t user_map_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct user_proc *up = vma->vm_private_data;
	struct show s = { .vma = vma, .ret = VM_FAULT_SIGBUS };
	unsigned long left = (vma->vm_end - vmf->address) >> PAGE_SHIFT;
	unsigned long table = (PMD_SIZE - (vmf->address & ~PMD_MASK)) >> PAGE_SHIFT;
	u32 want = vmf->flags & FAULT_FLAG_WRITE ? GPU_W : 0;

	/* Allocates the page table. Under pc_lock nothing may be allocated. */
	if (apply_to_page_range(vma->vm_mm, vmf->address & PAGE_MASK, PAGE_SIZE, no_change, NULL))
		return VM_FAULT_OOM;
	gpu_vm_mirror_pages(up->vm, va_of(vmf->pgoff),
			    min3(left, table, (unsigned long)SHOW_PAGES), want, show_page, &s);
	/* At least the first is there, or somebody takes pages away as fast as they come. */
	return s.ret;
}

/* A write to a page that is shown to be read: it may be written only after an ioctl. */
static vm_fault_t user_map_mkwrite(struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;
}

static int user_map_mremap(struct vm_area_struct *vma)
{
	return -EINVAL;
}

static const struct vm_operations_struct user_map_ops = {
	.fault = user_map_fault,
	.pfn_mkwrite = user_map_mkwrite,
	.mremap = user_map_mremap,
};

static int map_section(struct user_proc *up, struct vm_area_struct *vma)
{
	unsigned long n = vma->vm_pgoff - (VKFD_ENGINE_SECTIONS >> PAGE_SHIFT);
	unsigned long pages = vma_pages(vma);
	const struct gpu_memory *mem;

	/* Threads' sections follow each other, all of the size that hello has told. */
	if (n % pages || n / pages > UINT_MAX)
		return -EINVAL;
	mem = up->ops->section(up->priv, n / pages);
	if (!mem || pages != mem->n)
		return -EINVAL;
	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	return vm_insert_pages(vma, vma->vm_start, mem->pages, &pages);
}

int user_map(struct user_proc *up, struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_SHARED) || !user_may_call(up))
		return -EPERM;
	if (vma->vm_pgoff >= VKFD_ENGINE_SECTIONS >> PAGE_SHIFT)
		return map_section(up, vma);
	if (vma->vm_pgoff + vma_pages(vma) > BIT(INDEX_BITS))
		return -EINVAL;
	/* GPU code is data here. */
	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	vm_flags_clear(vma, VM_MAYEXEC);
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP |
		     VM_NORESERVE);
	vma->vm_private_data = up;
	vma->vm_ops = &user_map_ops;
	return 0;
}
