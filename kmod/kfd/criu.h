/* SPDX-License-Identifier: GPL-2.0-only */
/* Private to the files of checkpoints, criu*.c. */
#ifndef VKFD_CRIU_H
#define VKFD_CRIU_H

#include "criu_parse.h"

struct dma_buf;
struct vkfd_process;

/* criu_save.c */
/* Under process->lock, with the queues evicted: fills in the numbers. -EAGAIN: try later. */
int vkfd_criu_measure(struct vkfd_process *p, struct kfd_ioctl_criu_args *args);
int vkfd_criu_checkpoint(struct vkfd_process *p, const struct kfd_ioctl_criu_args *args);

/* criu_load.c */
int vkfd_criu_restore(struct vkfd_process *p, const struct kfd_ioctl_criu_args *args);
/* Under process->lock: sets the ranges that RESTORE has put aside. */
int vkfd_criu_set_ranges(struct vkfd_process *p);

/* criu_bos.c: objects for buffers, as dma-bufs that get descriptors at the very end */
struct vkfd_criu_bufs {
	struct dma_buf **dmabufs;
	struct kfd_criu_bo_bucket *buckets;
	u32 n;
};

int vkfd_criu_bufs_init(struct vkfd_criu_bufs *b, u32 n);
/* Reserves descriptors, copies the buckets to @out, installs the descriptors; all or nothing. */
int vkfd_criu_bufs_give(struct vkfd_criu_bufs *b, void __user *out);
void vkfd_criu_bufs_free(struct vkfd_criu_bufs *b);

#endif /* VKFD_CRIU_H */
