/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The private data of checkpoints, which user space keeps in a file and
 * gives back. Its parts and their order are those of the real driver (kfd_criu_*_priv_data in
 * kfd_priv.h of Linux 7.2):
 *
 *	vkfd_criu_process
 *	vkfd_criu_device	for each device
 *	vkfd_criu_bo		for each buffer
 *	objects			queues, events, SVM ranges, each with its type first
 *
 * What follows a vkfd_criu_queue is the backend's own (gpu_backend_queue_image()) where the real
 * driver has an MQD. So the version is our own, too: neither driver takes what the other one wrote.
 *
 * Everything in it is hostile. criu_parse.c checks the sizes, criu_load.c the contents.
 */
#ifndef VKFD_CRIU_PARSE_H
#define VKFD_CRIU_PARSE_H

#include <linux/types.h>

#include "../../uapi/linux/kfd_ioctl.h"

#define VKFD_CRIU_VERSION	0x766b0001	/* "vk", 1 */
#define VKFD_CRIU_MAX_GPUS	64	/* as the real driver's array */
#define VKFD_CRIU_MAX_BYTES	(1u << 30)	/* of private data */
#define VKFD_CRIU_SVM_ATTRS	4	/* and one for each device */
#define VKFD_CRIU_INVALID_FD	0xffffffffu

struct vkfd_criu_process {
	u32 version, xnack;
};

struct vkfd_criu_device {
	u64 reserved;
};

/* @mapped: user_gpu_ids, up to the first 0 */
struct vkfd_criu_bo {
	u64 user_addr;
	u32 id;
	u32 mapped[VKFD_CRIU_MAX_GPUS];
	u32 unused;
};

enum vkfd_criu_type { VKFD_CRIU_QUEUE, VKFD_CRIU_EVENT, VKFD_CRIU_SVM_RANGE };

/* Types and formats of queues as the real driver counts them, not as the uapi does. */
enum { VKFD_CRIU_COMPUTE, VKFD_CRIU_SDMA, VKFD_CRIU_PARSE_HIQ, VKFD_CRIU_SDMA_XGMI };
enum { VKFD_CRIU_PM4, VKFD_CRIU_AQL };

/* The image follows, of @mqd_bytes, and control stacks of all XCCs, of @ctl_stack_bytes. */
struct vkfd_criu_queue {
	u32 object_type, unused;
	u64 ring_va, ring_bytes, rptr_va, wptr_va, doorbell_off, eop_va, cwsr_va;
	u32 gpu_id, type, format, id, priority, percentage, doorbell, gws, sdma_id;
	u32 eop_bytes, cwsr_bytes, ctl_stack_bytes, mqd_bytes;
	u32 metadata_bytes;
};

/* @page_handle: of the signal page, in the first event; 0 in others */
struct vkfd_criu_event {
	u32 object_type, unused;
	u64 page_handle;
	u32 id, auto_reset, type, signaled;
	union {
		struct kfd_hsa_memory_exception_data memory;
		struct kfd_hsa_hw_exception_data hw;
	};
};

/* @start,@pages: in pages; @attrs: VKFD_CRIU_SVM_ATTRS, and one for each device */
struct vkfd_criu_range {
	u32 object_type, unused;
	u64 start, pages;
	struct kfd_ioctl_svm_attribute attrs[];
};

/**
 * struct vkfd_criu_object - an object in private data
 * @at: its first byte; @bytes: of all of it
 */
struct vkfd_criu_object {
	enum vkfd_criu_type type;
	union {
		const void *at;
		const struct vkfd_criu_queue *queue;
		const struct vkfd_criu_event *event;
		const struct vkfd_criu_range *range;
	};
	u64 bytes;
};

/**
 * struct vkfd_criu_data - private data, and what it consists of
 * @data,@bytes: all of it, 8-byte aligned
 * @devices,@bos,@objects: how many there are
 */
struct vkfd_criu_data {
	const void *data;
	u64 bytes;
	u32 devices, bos, objects;
};

/* criu_parse.c: reads nothing but @d->data, and knows no process */
/* 0, or -EINVAL: not private data of ours, or not of so many parts */
int vkfd_criu_check(const struct vkfd_criu_data *d);
const struct vkfd_criu_bo *vkfd_criu_bos(const struct vkfd_criu_data *d);
u64 vkfd_criu_range_bytes(u32 devices);
u64 vkfd_criu_objects_at(u32 devices, u32 bos);
/* The object at *@at, which then is where the next one is; false: there is no whole one. */
bool vkfd_criu_next(const struct vkfd_criu_data *d, u64 *at, struct vkfd_criu_object *o);

#endif /* VKFD_CRIU_PARSE_H */
