// SPDX-License-Identifier: GPL-2.0-only
/* Buffers of a checkpoint as dma-bufs, through which user space reads and writes their contents. */
#include <linux/dma-buf.h>
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kfd.h"
#include "criu.h"

int vkfd_criu_bufs_init(struct vkfd_criu_bufs *b, u32 n)
{
	b->n = n;
	b->buckets = kvcalloc(max(n, 1u), sizeof(*b->buckets), GFP_KERNEL_ACCOUNT);
	b->dmabufs = kvcalloc(max(n, 1u), sizeof(*b->dmabufs), GFP_KERNEL_ACCOUNT);
	return b->buckets && b->dmabufs ? 0 : -ENOMEM;
}

void vkfd_criu_bufs_free(struct vkfd_criu_bufs *b)
{
	u32 i;

	for (i = 0; b->dmabufs && i < b->n; i++)
		if (b->dmabufs[i])
			dma_buf_put(b->dmabufs[i]);
	kvfree(b->dmabufs);
	kvfree(b->buckets);
}

/* The first @n buckets have descriptors where they have dma-bufs. */
static void bufs_put_fds(struct vkfd_criu_bufs *b, u32 n)
{
	while (n--)
		if (b->dmabufs[n])
			put_unused_fd(b->buckets[n].dmabuf_fd);
}

int vkfd_criu_bufs_give(struct vkfd_criu_bufs *b, void __user *out)
{
	u32 i;
	int ret;

	for (i = 0; i < b->n; i++) {
		b->buckets[i].dmabuf_fd = VKFD_CRIU_INVALID_FD;
		if (!b->dmabufs[i])
			continue;
		ret = get_unused_fd_flags(O_CLOEXEC);
		if (ret < 0) {
			bufs_put_fds(b, i);
			return ret;
		}
		b->buckets[i].dmabuf_fd = ret;
	}
	if (copy_to_user(out, b->buckets, b->n * sizeof(*b->buckets))) {
		bufs_put_fds(b, b->n);
		return -EFAULT;
	}
	for (i = 0; i < b->n; i++) {
		if (!b->dmabufs[i])
			continue;
		fd_install(b->buckets[i].dmabuf_fd, b->dmabufs[i]->file);
		b->dmabufs[i] = NULL;
	}
	return 0;
}
