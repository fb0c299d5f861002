// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sizes in private data of checkpoints. This file also builds on the host, where it is fuzzed
 * (selftests/cp/fuzz_image.c).
 */
#include <linux/errno.h>

#include "criu_parse.h"

u64 vkfd_criu_objects_at(u32 devices, u32 bos)
{
	return sizeof(struct vkfd_criu_process) +
	       devices * (u64)sizeof(struct vkfd_criu_device) +
	       bos * (u64)sizeof(struct vkfd_criu_bo);
}

const struct vkfd_criu_bo *vkfd_criu_bos(const struct vkfd_criu_data *d)
{
	return d->data + vkfd_criu_objects_at(d->devices, 0);
}

u64 vkfd_criu_range_bytes(u32 devices)
{
	return sizeof(struct vkfd_criu_range) + (VKFD_CRIU_SVM_ATTRS + (u64)devices) *
	       sizeof(struct kfd_ioctl_svm_attribute);
}

/* Of the object at @at, of which @left bytes are there at most; 0: it is none. */
static u64 object_bytes(const struct vkfd_criu_data *d, const void *at, u64 left)
{
	const struct vkfd_criu_queue *q = at;
	const u32 *type = at;

	if (left < sizeof(*type))
		return 0;
	switch (*type) {
	case VKFD_CRIU_QUEUE:
		if (left < sizeof(*q))
			return 0;
		return sizeof(*q) + (u64)q->mqd_bytes + q->ctl_stack_bytes;
	case VKFD_CRIU_EVENT:
		return sizeof(struct vkfd_criu_event);
	case VKFD_CRIU_SVM_RANGE:
		return vkfd_criu_range_bytes(d->devices);
	default:
		return 0;
	}
}

bool vkfd_criu_next(const struct vkfd_criu_data *d, u64 *at, struct vkfd_criu_object *o)
{
	u64 left = d->bytes - *at;

	o->at = d->data + *at;
	o->bytes = object_bytes(d, o->at, left);
	/* Objects are multiples of 8 bytes, so that the next one is aligned, too. */
	if (!o->bytes || o->bytes > left || o->bytes % 8)
		return false;
	o->type = *(const u32 *)o->at;
	*at += o->bytes;
	return true;
}

int vkfd_criu_check(const struct vkfd_criu_data *d)
{
	const struct vkfd_criu_process *process = d->data;
	u64 at = vkfd_criu_objects_at(d->devices, d->bos);
	struct vkfd_criu_object o;
	u32 i;

	if (at > d->bytes)
		return -EINVAL;
	if (process->version != VKFD_CRIU_VERSION || process->xnack > 1)
		return -EINVAL;
	for (i = 0; i < d->objects; i++)
		if (!vkfd_criu_next(d, &at, &o))
			return -EINVAL;
	return at == d->bytes ? 0 : -EINVAL;
}
