// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a driver reads from user memory while it handles an ioctl: the chunks of a submission. They
 * have to be in user memory when our thread submits, in an mm that it uses meanwhile; and that has
 * to be the client's, as the driver compares it with that of the client's user pointers. So a page
 * of ours is mapped into the client. It may read it. If it puts something else in its place, it
 * has submitted that itself, on its own file. Answers go to another page, which it may write to:
 * what they say is about itself.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "../../compat/file.h"
#include "amdgpu_int.h"

/* What a file of ours shows, for as long as there is the file. */
struct area_pages {
	unsigned int n;
	struct page *page[];
};

static void area_free(struct area_pages *p)
{
	while (p->n)
		__free_page(p->page[--p->n]);
	kfree(p);
}

static struct area_pages *area_alloc(unsigned int n)
{
	struct area_pages *p = kzalloc(struct_size(p, page, n), GFP_KERNEL_ACCOUNT);

	if (!p)
		return NULL;
	while (p->n < n) {
		p->page[p->n] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!p->page[p->n]) {
			area_free(p);
			return NULL;
		}
		p->n++;
	}
	return p;
}

static int area_mmap(struct file *f, struct vm_area_struct *vma)
{
	const struct area_pages *p = f->private_data;
	unsigned int i;
	int ret = 0;

	if (vma->vm_end - vma->vm_start != p->n * PAGE_SIZE)
		return -EINVAL;
	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	/* Of a file that can't be written to, the core has taken away VM_MAYWRITE. */
	for (i = 0; i < p->n && !ret; i++)
		ret = vm_insert_page(vma, vma->vm_start + i * PAGE_SIZE, p->page[i]);
	return ret;
}

static int area_release(struct inode *inode, struct file *f)
{
	area_free(f->private_data);
	return 0;
}

static const struct file_operations area_fops = {
	.owner = THIS_MODULE,
	.mmap = area_mmap,
	.release = area_release,
};

int amdgpu_area_create(struct amdgpu_area *a, unsigned int pages, bool write)
{
	struct area_pages *p = area_alloc(pages);
	struct file *f;

	if (!p)
		return -ENOMEM;
	f = anon_inode_getfile("[vkfd]", &area_fops, p, write ? O_RDWR : O_RDONLY);
	if (IS_ERR(f)) {
		area_free(p);
		return PTR_ERR(f);
	}
	a->user = vm_mmap(f, 0, pages * PAGE_SIZE, PROT_READ | (write ? PROT_WRITE : 0),
			  MAP_SHARED, 0);
	if (IS_ERR_VALUE(a->user)) {
		fput(f);
		return a->user;
	}
	a->file = f;
	return 0;
}

void *amdgpu_area_page(const struct amdgpu_area *a, unsigned int i)
{
	const struct area_pages *p = a->file->private_data;

	return page_address(p->page[i]);
}

void amdgpu_area_destroy(struct amdgpu_area *a)
{
	if (a->file)
		compat_fput_sync(a->file);
	a->file = NULL;
}
