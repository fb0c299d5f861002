// SPDX-License-Identifier: GPL-2.0-only
/*
 * CHECKPOINT: everything that a process has of KFD, as private data and buckets (criu.h). It is
 * written into memory of ours with the process's lock held, and copied to user space without.
 */
#include <linux/delay.h>
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <drm/drm.h>

#include "gpu/backend.h"
#include "gpu/bo.h"
#include "gpu/dmabuf.h"
#include "gpu/save_area.h"
#include "model/target.h"
#include "kfd.h"
#include "criu.h"
#include "race.h"

#define SAVE_TRIES	100
#define SAVE_MS		5

#define FLAG(name)	KFD_IOC_ALLOC_MEM_FLAGS_##name

/* Private data that is being written */
struct criu_out {
	void *data;
	u64 at, bytes;
};

/* Room for the next @bytes, zeroed; NULL: something has changed since it was measured. */
static void *criu_room(struct criu_out *out, u64 bytes)
{
	void *at = out->data + out->at;

	if (bytes > out->bytes - out->at)
		return NULL;
	out->at += bytes;
	return at;
}

/* ----------------------------------------------------------------- measure */

static u32 criu_stack_bytes(const struct vkfd_queue *q)
{
	const struct gpu_queue_props *props = &q->base.props;

	if (props->type == GPU_QUEUE_SDMA)
		return 0;
	return props->ctl_stack_bytes * gpu_target_shown_xccs(q->base.gdev->target);
}

/* An image of the queue, and control stacks; objects are multiples of 8 bytes. */
static int criu_queue_bytes(struct vkfd_queue *q, u64 *bytes)
{
	u32 image;
	int ret;

	if (gpu_svm_lost(&q->area))
		return -EFAULT;
	if (criu_stack_bytes(q) % 8)
		return -EOPNOTSUPP;
	ret = gpu_backend_queue_image(&q->base, NULL, 0, &image);
	*bytes += sizeof(struct vkfd_criu_queue) + ALIGN((u64)image, 8) + criu_stack_bytes(q);
	return ret;
}

int vkfd_criu_measure(struct vkfd_process *p, struct kfd_ioctl_criu_args *args)
{
	u32 bos = 0, events, ranges = gpu_svm_count(p->svm);
	struct vkfd_queue *q;
	unsigned int i;
	u64 bytes = 0;
	int id, ret;

	lockdep_assert_held(&p->base.lock);
	idr_for_each_entry(&p->queues, q, id) {
		ret = criu_queue_bytes(q, &bytes);
		if (ret)
			return ret;
	}
	for (i = 0; i < p->num_pdds; i++)
		bos += p->pdds[i]->num_handles;
	events = vkfd_events_save(p, NULL, 0);
	args->num_devices = p->num_pdds;
	args->num_bos = bos;
	args->num_objects = p->num_queues + events + ranges;
	args->priv_data_size = vkfd_criu_objects_at(p->num_pdds, bos) + bytes +
			       events * (u64)sizeof(struct vkfd_criu_event) +
			       ranges * vkfd_criu_range_bytes(p->num_pdds);
	return 0;
}

/* ------------------------------------------------------------------ queues */

static void criu_fill_queue(const struct vkfd_queue *q, struct vkfd_criu_queue *im)
{
	const struct gpu_queue_props *props = &q->base.props;
	struct vkfd_pdd *pdd = container_of(q->base.pdd, struct vkfd_pdd, base);

	im->object_type = VKFD_CRIU_QUEUE;
	im->ring_va = props->ring_va;
	im->ring_bytes = props->ring_bytes;
	im->rptr_va = props->rptr_va;
	im->wptr_va = props->wptr_va;
	im->eop_va = props->eop_va;
	im->cwsr_va = props->cwsr_va;
	im->gpu_id = pdd->user_gpu_id;
	im->type = props->type != GPU_QUEUE_SDMA ? VKFD_CRIU_COMPUTE :
		   q->sdma.xgmi ? VKFD_CRIU_SDMA_XGMI : VKFD_CRIU_SDMA;
	im->format = props->type == GPU_QUEUE_AQL ? VKFD_CRIU_AQL : VKFD_CRIU_PM4;
	im->id = q->base.id;
	im->priority = props->priority;
	im->percentage = props->percentage;
	im->doorbell = q->base.doorbell;
	im->gws = !!q->base.gws;
	im->sdma_id = q->sdma.id;
	im->eop_bytes = props->eop_bytes;
	im->cwsr_bytes = props->cwsr_bytes;
	im->ctl_stack_bytes = criu_stack_bytes(q);
	im->metadata_bytes = q->metadata_bytes;
}

/* The stack grows down from its end, as in the save area. */
static int criu_save_stacks(struct vkfd_queue *q, void *to)
{
	u32 xccs = gpu_target_shown_xccs(q->base.gdev->target), xcc;
	u32 each = q->base.props.ctl_stack_bytes;
	struct gpu_wave_state s;
	u32 *stack;
	int ret;

	if (!criu_stack_bytes(q) || !q->base.props.cwsr_va)
		return 0;
	for (xcc = 0; xcc < xccs; xcc++, to += each) {
		ret = gpu_backend_queue_wave_state(&q->base, xcc, &s, NULL);
		if (ret == -EINVAL && READ_ONCE(q->base.error))
			return 0;	/* it is dead, and has no waves */
		if (ret)
			return ret;
		if (!s.stack_bytes || s.stack_bytes > each)
			continue;
		stack = kvzalloc(s.stack_bytes, GFP_KERNEL_ACCOUNT);
		if (!stack)
			return -ENOMEM;
		ret = gpu_backend_queue_wave_state(&q->base, xcc, &s, stack);
		if (!ret)
			memcpy(to + each - s.stack_bytes, stack, s.stack_bytes);
		kvfree(stack);
		if (ret)
			return ret;
	}
	return 0;
}

static int criu_save_queue(struct vkfd_queue *q, struct criu_out *out)
{
	struct vkfd_criu_queue *im;
	u32 bytes, stacks = criu_stack_bytes(q);
	void *image, *to;
	int ret;

	ret = gpu_backend_queue_image(&q->base, NULL, 0, &bytes);
	if (ret)
		return ret;
	im = criu_room(out, sizeof(*im));
	to = criu_room(out, ALIGN((u64)bytes, 8));
	image = criu_room(out, stacks);
	if (!im || !to || !image)
		return -EINVAL;
	criu_fill_queue(q, im);
	im->mqd_bytes = ALIGN(bytes, 8);
	ret = gpu_backend_queue_image(&q->base, to, bytes, &bytes);
	return ret ?: criu_save_stacks(q, image);
}

static int criu_save_queues(struct vkfd_process *p, struct criu_out *out)
{
	struct vkfd_queue *q;
	int id, ret;

	idr_for_each_entry(&p->queues, q, id) {
		ret = criu_save_queue(q, out);
		if (ret)
			return ret;
		cond_resched();
	}
	return 0;
}

/* ------------------------------------------------------------------ ranges */

static int criu_save_range(struct vkfd_process *p, struct criu_out *out,
			   struct kfd_ioctl_svm_args *args, u64 start, u64 last)
{
	static const u32 types[VKFD_CRIU_SVM_ATTRS] = {
		KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC,
		KFD_IOCTL_SVM_ATTR_SET_FLAGS, KFD_IOCTL_SVM_ATTR_GRANULARITY,
	};
	struct vkfd_criu_range *im = criu_room(out, vkfd_criu_range_bytes(p->num_pdds));
	unsigned int i;
	int ret;

	if (!im)
		return -EINVAL;
	args->start_addr = start;
	args->size = last - start + 1;
	args->op = KFD_IOCTL_SVM_OP_GET_ATTR;
	args->nattr = VKFD_CRIU_SVM_ATTRS + p->num_pdds;
	for (i = 0; i < VKFD_CRIU_SVM_ATTRS; i++)
		args->attrs[i].type = types[i];
	for (i = 0; i < p->num_pdds; i++) {
		args->attrs[VKFD_CRIU_SVM_ATTRS + i].type = KFD_IOCTL_SVM_ATTR_ACCESS;
		args->attrs[VKFD_CRIU_SVM_ATTRS + i].value = p->pdds[i]->user_gpu_id;
	}
	ret = vkfd_svm_get(p, args);
	if (ret)
		return ret;
	im->object_type = VKFD_CRIU_SVM_RANGE;
	im->start = start >> PAGE_SHIFT;
	im->pages = args->size >> PAGE_SHIFT;
	memcpy(im->attrs, args->attrs, args->nattr * sizeof(args->attrs[0]));
	return 0;
}

static int criu_save_ranges(struct vkfd_process *p, struct criu_out *out)
{
	struct kfd_ioctl_svm_args *args;
	u64 from = 0, start, last;
	int ret = 0;

	args = kzalloc(struct_size(args, attrs, VKFD_CRIU_SVM_ATTRS + p->num_pdds),
		       GFP_KERNEL_ACCOUNT);
	if (!args)
		return -ENOMEM;
	while (!ret && gpu_svm_find(p->svm, from, &start, &last)) {
		ret = criu_save_range(p, out, args, start, last);
		from = last + 1;
		cond_resched();
	}
	kfree(args);
	return ret;
}

/* ----------------------------------------------------------------- buffers */

static int criu_save_bo(struct vkfd_process *p, struct vkfd_pdd *pdd,
			const struct vkfd_mem *mem, u32 id, struct kfd_criu_bo_bucket *b,
			struct vkfd_criu_bo *im, struct dma_buf **dmabuf)
{
	u32 gpu_id = pdd->base.gdev->gpu_id;
	struct dma_buf *made;
	unsigned int i, n = 0;

	BUILD_BUG_ON(VKFD_MAX_GPUS > VKFD_CRIU_MAX_GPUS);
	b->gpu_id = pdd->user_gpu_id;
	b->addr = mem->va;
	b->size = mem->bo->base.size;
	b->alloc_flags = mem->flags;
	b->offset = mem->flags & FLAG(DOORBELL) ?
		    KFD_MMAP_TYPE_DOORBELL | KFD_MMAP_GPU_ID(gpu_id) :
		    vkfd_mem_mmap_offset(mem, gpu_id, 0);
	im->id = id;
	if (mem->bo->kind == GPU_BO_USERPTR)
		im->user_addr = mem->bo->userptr.addr;
	for_each_set_bit(i, mem->mapped, p->num_pdds)
		im->mapped[n++] = p->pdds[i]->user_gpu_id;
	if (mem->bo->kind != GPU_BO_VRAM && mem->bo->kind != GPU_BO_GTT)
		return 0;
	made = gpu_bo_export(mem->bo, mem->flags & FLAG(WRITABLE) ? DRM_RDWR : 0);
	if (IS_ERR(made))
		return PTR_ERR(made);
	*dmabuf = made;
	return 0;
}

static int criu_save_bos(struct vkfd_process *p, struct vkfd_criu_bo *ims,
			 struct vkfd_criu_bufs *bufs)
{
	struct vkfd_mem *mem;
	unsigned int i;
	u32 n = 0;
	int id, ret;

	for (i = 0; i < p->num_pdds; i++) {
		idr_for_each_entry(&p->pdds[i]->handles, mem, id) {
			if (n == bufs->n)
				return -EINVAL;
			ret = criu_save_bo(p, p->pdds[i], mem, id, &bufs->buckets[n], &ims[n],
					   &bufs->dmabufs[n]);
			if (ret)
				return ret;
			n++;
			cond_resched();
		}
	}
	return n == bufs->n ? 0 : -EINVAL;
}

/* -------------------------------------------------------------- everything */

static int criu_save_events(struct vkfd_process *p, struct criu_out *out)
{
	unsigned int n = vkfd_events_save(p, NULL, 0);
	struct vkfd_criu_event *ims = criu_room(out, n * (u64)sizeof(*ims));

	/* Events come and go without the process's lock. */
	return ims && vkfd_events_save(p, ims, n) == n ? 0 : -EINVAL;
}

static int criu_save_locked(struct vkfd_process *p, const struct kfd_ioctl_criu_args *args,
			    struct criu_out *out, struct vkfd_criu_bufs *bufs,
			    struct kfd_criu_device_bucket *devices)
{
	struct vkfd_criu_process *process;
	struct kfd_ioctl_criu_args now;
	struct vkfd_criu_bo *ims;
	unsigned int i;
	int ret;

	lockdep_assert_held(&p->base.lock);
	if (p->base.dying)
		return -ESRCH;
	if (p->criu.state != VKFD_CRIU_PAUSED)
		return -EINVAL;
	ret = vkfd_criu_measure(p, &now);
	if (ret)
		return ret;
	if (now.num_devices != args->num_devices || now.num_bos != args->num_bos ||
	    now.num_objects != args->num_objects || now.priv_data_size != args->priv_data_size)
		return -EINVAL;
	process = criu_room(out, sizeof(*process));
	if (!process || !criu_room(out, p->num_pdds * sizeof(struct vkfd_criu_device)))
		return -EINVAL;
	process->version = VKFD_CRIU_VERSION;
	process->xnack = gpu_svm_xnack(p->svm);
	for (i = 0; i < p->num_pdds; i++) {
		devices[i].user_gpu_id = p->pdds[i]->user_gpu_id;
		devices[i].actual_gpu_id = p->pdds[i]->base.gdev->gpu_id;
	}
	ims = criu_room(out, bufs->n * (u64)sizeof(*ims));
	if (!ims)
		return -EINVAL;
	ret = criu_save_queues(p, out);
	if (!ret)
		ret = criu_save_events(p, out);
	if (!ret)
		ret = criu_save_ranges(p, out);
	if (!ret && out->at != out->bytes)
		ret = -EINVAL;
	return ret ?: criu_save_bos(p, ims, bufs);
}

/* A thread that arms doorbells is inside a queue now and then, for a moment. */
static int criu_save(struct vkfd_process *p, const struct kfd_ioctl_criu_args *args,
		     struct criu_out *out, struct vkfd_criu_bufs *bufs,
		     struct kfd_criu_device_bucket *devices)
{
	unsigned int i;
	int ret = -EAGAIN;

	for (i = 0; i < SAVE_TRIES && ret == -EAGAIN; i++) {
		if (i) {
			if (msleep_interruptible(SAVE_MS))
				return -EINTR;
			out->at = 0;
			memset(out->data, 0, out->bytes);
		}
		if (mutex_lock_killable(&p->base.lock))
			return -EINTR;
		ret = criu_save_locked(p, args, out, bufs, devices);
		mutex_unlock(&p->base.lock);
	}
	return ret == -EAGAIN ? -EBUSY : ret;
}

static int criu_copy_out(const struct kfd_ioctl_criu_args *args, const struct criu_out *out,
			 const struct kfd_criu_device_bucket *devices,
			 struct vkfd_criu_bufs *bufs)
{
	if (copy_to_user(u64_to_user_ptr(args->devices), devices,
			 args->num_devices * sizeof(*devices)) ||
	    copy_to_user(u64_to_user_ptr(args->priv_data), out->data, out->bytes))
		return -EFAULT;
	return vkfd_criu_bufs_give(bufs, u64_to_user_ptr(args->bos));
}

int vkfd_criu_checkpoint(struct vkfd_process *p, const struct kfd_ioctl_criu_args *args)
{
	struct criu_out out = { .bytes = args->priv_data_size };
	struct kfd_criu_device_bucket *devices;
	struct vkfd_criu_bufs bufs = {};
	int ret = -ENOMEM;

	if (!args->devices || !args->bos || !args->priv_data)
		return -EINVAL;
	if (args->num_devices != p->num_pdds ||
	    args->num_bos > p->num_pdds * (u64)VKFD_MAX_HANDLES ||
	    args->priv_data_size < vkfd_criu_objects_at(args->num_devices, args->num_bos))
		return -EINVAL;
	if (args->priv_data_size > VKFD_CRIU_MAX_BYTES)
		return -ENOMEM;
	devices = kcalloc(max(args->num_devices, 1u), sizeof(*devices), GFP_KERNEL_ACCOUNT);
	out.data = kvzalloc(out.bytes, GFP_KERNEL_ACCOUNT);
	if (!devices || !out.data || vkfd_criu_bufs_init(&bufs, args->num_bos))
		goto out_free;
	ret = criu_save(p, args, &out, &bufs, devices);
	vkfd_race_point("checkpoint: written, not yet copied");
	if (!ret)
		ret = criu_copy_out(args, &out, devices, &bufs);
out_free:
	vkfd_criu_bufs_free(&bufs);
	kvfree(out.data);
	kfree(devices);
	return ret;
}
