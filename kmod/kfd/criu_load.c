// SPDX-License-Identifier: GPL-2.0-only
/*
 * RESTORE: makes in a new process what criu_save.c has described, with the same ids.
 *
 * User space has kept the description in a file, so every field of it is checked as the argument
 * of the ioctl that makes such a thing, or by the backend. Everything is copied before the lock is
 * taken. Queues stay evicted until RESUME. If anything fails, all that was made goes again; only
 * the GPUs' address spaces stay acquired, as nothing else gives them back before the process ends.
 */
#include <linux/bitmap.h>
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/log2.h>
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

#define FLAG(name)	KFD_IOC_ALLOC_MEM_FLAGS_##name

/* So all objects are aligned. */
static_assert(sizeof(struct vkfd_criu_queue) % 8 == 0);
static_assert(sizeof(struct vkfd_criu_event) % 8 == 0);
static_assert(sizeof(struct vkfd_criu_bo) % 8 == 0);

/* What RESUME has to set */
struct criu_range {
	struct list_head node;
	struct kfd_ioctl_svm_args args;	/* and its attributes */
};

/*
 * struct criu_load: a RESTORE
 * @d: private data; @devices: of user space; @bufs: buckets and dma-bufs
 * @made_bos,@made_objects: so many were made, in order
 * @had_page: the process had a signal page before
 * @xnack: and this XNACK mode
 */
struct criu_load {
	struct vkfd_process *p;
	struct vkfd_criu_data d;
	struct kfd_criu_device_bucket *devices;
	struct vkfd_criu_bufs bufs;
	u32 made_bos, made_objects;
	bool had_page, xnack;
};

/* ----------------------------------------------------------------- devices */

/* Each of the process's devices once, and names that differ. */
static int criu_check_devices(struct criu_load *l)
{
	DECLARE_BITMAP(seen, VKFD_MAX_GPUS) = {};
	struct vkfd_pdd *pdd;
	u32 i, j;

	for (i = 0; i < l->d.devices; i++) {
		pdd = vkfd_process_pdd_real(l->p, l->devices[i].actual_gpu_id);
		if (!pdd || pdd->base.drm_file || !l->devices[i].user_gpu_id ||
		    __test_and_set_bit(pdd->index, seen))
			return -EINVAL;
		for (j = 0; j < i; j++)
			if (l->devices[j].user_gpu_id == l->devices[i].user_gpu_id)
				return -EINVAL;
	}
	return 0;
}

static int criu_load_devices(struct criu_load *l)
{
	struct vkfd_pdd *pdd;
	struct file *f;
	int ret = 0;
	u32 i;

	for (i = 0; i < l->d.devices && !ret; i++) {
		pdd = vkfd_process_pdd_real(l->p, l->devices[i].actual_gpu_id);
		f = fget(l->devices[i].drm_fd);
		if (!pdd || !f) {
			if (f)
				fput(f);
			return -EINVAL;
		}
		WRITE_ONCE(pdd->user_gpu_id, l->devices[i].user_gpu_id);
		/* As in the real driver, whatever is wrong */
		if (vkfd_acquire_vm(l->p, pdd, f))
			ret = -EINVAL;
		fput(f);
	}
	return ret;
}

static void criu_forget_names(struct vkfd_process *p)
{
	struct vkfd_pdd *pdd;
	unsigned int i;

	for (i = 0; i < p->num_pdds; i++) {
		pdd = p->pdds[i];
		WRITE_ONCE(pdd->user_gpu_id, pdd->base.gdev->gpu_id);
		gpu_svm_name(p->svm, i, pdd->user_gpu_id);
	}
}

/* ----------------------------------------------------------------- buffers */

static int criu_map_bo(struct vkfd_process *p, struct vkfd_mem *mem,
		       const struct vkfd_criu_bo *im)
{
	struct vkfd_pdd *peer;
	unsigned int i;
	int ret;

	for (i = 0; i < p->num_pdds && im->mapped[i]; i++) {
		peer = vkfd_process_bound_pdd(p, im->mapped[i]);
		if (IS_ERR(peer))
			return PTR_ERR(peer);
		ret = vkfd_mem_map(mem, peer);
		if (ret)
			return ret;
	}
	return 0;
}

static int criu_load_bo_locked(struct criu_load *l, u32 i)
{
	const struct vkfd_criu_bo *im = &vkfd_criu_bos(&l->d)[i];
	struct kfd_criu_bo_bucket *b = &l->bufs.buckets[i];
	struct vkfd_mem_want want = {
		.va = b->addr, .bytes = b->size, .flags = b->alloc_flags,
		.id = im->id, .user_addr = im->user_addr,
	};
	struct vkfd_process *p = l->p;
	struct vkfd_pdd *pdd;
	struct dma_buf *made;
	struct vkfd_mem *mem;
	u32 gpu_id;
	int ret;

	lockdep_assert_held(&p->base.lock);
	pdd = vkfd_process_bound_pdd(p, b->gpu_id);
	if (IS_ERR(pdd))
		return -ENODEV;
	mem = vkfd_mem_restore(p, pdd, &want);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	l->made_bos = i + 1;
	gpu_id = pdd->base.gdev->gpu_id;
	if (mem->flags & FLAG(DOORBELL))
		b->restored_offset = KFD_MMAP_TYPE_DOORBELL | KFD_MMAP_GPU_ID(gpu_id);
	else
		b->restored_offset = vkfd_mem_mmap_offset(mem, gpu_id, b->restored_offset);
	ret = criu_map_bo(p, mem, im);
	if (ret || (mem->bo->kind != GPU_BO_VRAM && mem->bo->kind != GPU_BO_GTT))
		return ret;
	/* For its contents, which come from the checkpoint, also where the process may only read */
	made = gpu_bo_export(mem->bo, DRM_RDWR);
	if (IS_ERR(made))
		return PTR_ERR(made);
	l->bufs.dmabufs[i] = made;
	return 0;
}

static int criu_load_bo(struct criu_load *l, u32 i)
{
	struct kfd_criu_bo_bucket *b = &l->bufs.buckets[i];
	const struct kfd_ioctl_alloc_memory_of_gpu_args room = {
		.gpu_id = b->gpu_id,
		.flags = b->alloc_flags & ~FLAG(AQL_QUEUE_MEM),
		.size = b->size,
	};
	struct vkfd_process *p = l->p;
	int ret;

	ret = vkfd_mem_room(p, &room);
	if (ret)
		return ret;
	mutex_lock(&p->base.lock);
	ret = p->base.dying ? -ESRCH : criu_load_bo_locked(l, i);
	mutex_unlock(&p->base.lock);
	return ret;
}

/* ------------------------------------------------------------------ queues */

static int criu_queue_type(const struct vkfd_criu_queue *im)
{
	if (im->type == VKFD_CRIU_COMPUTE)
		return im->format == VKFD_CRIU_AQL ? GPU_QUEUE_AQL :
		       im->format == VKFD_CRIU_PM4 ? GPU_QUEUE_PM4 : -EINVAL;
	if (im->type == VKFD_CRIU_SDMA || im->type == VKFD_CRIU_SDMA_XGMI)
		return GPU_QUEUE_SDMA;
	return -EINVAL;
}

static bool criu_va_ok(u64 va)
{
	return access_ok(u64_to_user_ptr(va), sizeof(u64));
}

/* As CREATE_QUEUE and UPDATE_QUEUE leave them. */
static int criu_queue_want(const struct vkfd_pdd *pdd, const struct vkfd_criu_queue *im,
			   struct vkfd_queue_want *want)
{
	u32 xccs = gpu_target_shown_xccs(pdd->base.gdev->target);
	int type = criu_queue_type(im);
	u32 index_align = type == GPU_QUEUE_PM4 ? 4 : 8;

	if (type < 0 || im->percentage > KFD_MAX_QUEUE_PERCENTAGE ||
	    im->priority > KFD_MAX_QUEUE_PRIORITY || im->gws > 1)
		return -EINVAL;
	if (im->ring_bytes > U32_MAX || im->ring_bytes < KFD_MIN_QUEUE_RING_SIZE ||
	    !is_power_of_2(im->ring_bytes) || im->ring_va % 256 || im->wptr_va % 8 ||
	    im->rptr_va % index_align)
		return -EINVAL;
	if (!criu_va_ok(im->ring_va) || !criu_va_ok(im->wptr_va) || !criu_va_ok(im->rptr_va) ||
	    !criu_va_ok(im->eop_va) || !criu_va_ok(im->cwsr_va))
		return -EFAULT;
	if (im->metadata_bytes && !is_power_of_2(im->metadata_bytes))
		return -EINVAL;
	if (im->ctl_stack_bytes % xccs || (type == GPU_QUEUE_SDMA && im->ctl_stack_bytes))
		return -EINVAL;
	*want = (struct vkfd_queue_want){
		.props = {
			.type = type,
			.ring_va = im->ring_va, .ring_bytes = im->ring_bytes,
			.wptr_va = im->wptr_va, .rptr_va = im->rptr_va,
			.percentage = im->percentage, .priority = im->priority,
			.eop_va = im->eop_va, .eop_bytes = im->eop_bytes,
			.cwsr_va = im->cwsr_va, .cwsr_bytes = im->cwsr_bytes,
			.ctl_stack_bytes = im->ctl_stack_bytes / xccs,
		},
		.metadata_bytes = im->metadata_bytes,
		.xgmi = im->type == VKFD_CRIU_SDMA_XGMI,
		.engine = VKFD_SDMA_ANY_ENGINE,
		.restored = true,
		.id = im->id, .doorbell = im->doorbell, .sdma_id = im->sdma_id,
	};
	return 0;
}

static int criu_load_queue(struct vkfd_process *p, const struct vkfd_criu_queue *im)
{
	struct vkfd_queue_want want;
	struct vkfd_pdd *pdd;
	struct vkfd_queue *q;
	int ret;

	pdd = vkfd_process_bound_pdd(p, im->gpu_id);
	if (IS_ERR(pdd))
		return -EINVAL;
	ret = criu_queue_want(pdd, im, &want);
	if (ret)
		return ret;
	q = vkfd_queue_add(p, pdd, &want);
	if (IS_ERR(q))
		return PTR_ERR(q);
	ret = gpu_backend_queue_adopt(&q->base, im + 1, im->mqd_bytes);
	if (!ret && im->gws)
		ret = vkfd_queue_set_gws(p, q, true);
	if (ret)
		vkfd_queue_destroy(p, q);
	return ret;
}

/* ------------------------------------------------------------------ ranges */

/* @first: attributes that name no GPU; the others say what access each GPU has. */
static bool criu_attr_ok(struct vkfd_process *p, const struct kfd_ioctl_svm_attribute *a,
			 bool first)
{
	switch (a->type) {
	case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
	case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
	case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
	case KFD_IOCTL_SVM_ATTR_GRANULARITY:
		return first;
	case KFD_IOCTL_SVM_ATTR_ACCESS:
	case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
	case KFD_IOCTL_SVM_ATTR_NO_ACCESS:
		return !first && vkfd_process_pdd(p, a->value);
	default:
		return false;
	}
}

static int criu_load_range(struct vkfd_process *p, const struct vkfd_criu_range *im)
{
	u32 i, n = VKFD_CRIU_SVM_ATTRS + p->num_pdds, flags = 0;
	struct kfd_ioctl_svm_attribute *a;
	struct criu_range *r;
	u64 end;

	if (!im->start || !im->pages || check_add_overflow(im->start, im->pages, &end) ||
	    end > TASK_SIZE_MAX >> PAGE_SHIFT)
		return -EINVAL;
	r = kzalloc(struct_size(r, args.attrs, n + 1), GFP_KERNEL_ACCOUNT);
	if (!r)
		return -ENOMEM;
	r->args.start_addr = im->start << PAGE_SHIFT;
	r->args.size = im->pages << PAGE_SHIFT;
	r->args.op = KFD_IOCTL_SVM_OP_SET_ATTR;
	r->args.nattr = n + 1;
	for (i = 0; i < n; i++) {
		a = &r->args.attrs[i];
		*a = im->attrs[i];
		if (!criu_attr_ok(p, a, i < VKFD_CRIU_SVM_ATTRS)) {
			kfree(r);
			return -EINVAL;
		}
		if (a->type == KFD_IOCTL_SVM_ATTR_SET_FLAGS)
			flags |= a->value;
		/* Nothing to set: it was never prefetched, or the GPU has no shared memory. */
		if ((a->type == KFD_IOCTL_SVM_ATTR_PREFETCH_LOC &&
		     a->value == KFD_IOCTL_SVM_LOCATION_UNDEFINED) ||
		    (a->type == KFD_IOCTL_SVM_ATTR_NO_ACCESS && !vkfd_svm_has_gpu(p, a->value)))
			*a = (struct kfd_ioctl_svm_attribute){ KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0 };
	}
	r->args.attrs[n] = (struct kfd_ioctl_svm_attribute){ KFD_IOCTL_SVM_ATTR_CLR_FLAGS, ~flags };
	list_add_tail(&r->node, &p->criu.svm);
	return 0;
}

static void criu_forget_ranges(struct vkfd_process *p)
{
	struct criu_range *r, *next;

	list_for_each_entry_safe(r, next, &p->criu.svm, node) {
		list_del(&r->node);
		kfree(r);
	}
}

int vkfd_criu_set_ranges(struct vkfd_process *p)
{
	struct criu_range *r, *next;
	int ret;

	lockdep_assert_held(&p->base.lock);
	list_for_each_entry_safe(r, next, &p->criu.svm, node) {
		ret = vkfd_svm_set(p, &r->args);
		if (ret)
			return ret;
		list_del(&r->node);
		kfree(r);
		cond_resched();
	}
	return 0;
}

/* When the last reference is put */
void vkfd_criu_release(struct vkfd_process *p)
{
	criu_forget_ranges(p);
}

/* ----------------------------------------------------------------- objects */

static int criu_load_object(struct vkfd_process *p, const struct vkfd_criu_object *o)
{
	switch (o->type) {
	case VKFD_CRIU_QUEUE:
		return criu_load_queue(p, o->queue);
	case VKFD_CRIU_EVENT:
		return vkfd_event_restore(p, o->event);
	case VKFD_CRIU_SVM_RANGE:
		return criu_load_range(p, o->range);
	}
	return -EINVAL;
}

static int criu_load_objects(struct criu_load *l)
{
	u64 at = vkfd_criu_objects_at(l->d.devices, l->d.bos);
	struct vkfd_process *p = l->p;
	struct vkfd_criu_object o;
	int ret = 0;

	while (l->made_objects < l->d.objects && !ret) {
		if (!vkfd_criu_next(&l->d, &at, &o))
			return -EINVAL;
		mutex_lock(&p->base.lock);
		ret = p->base.dying ? -ESRCH : criu_load_object(p, &o);
		mutex_unlock(&p->base.lock);
		if (!ret)
			l->made_objects++;
		cond_resched();
	}
	return ret;
}

/* ------------------------------------------------------------------- undo */

static void criu_undo_objects(struct criu_load *l)
{
	u64 at = vkfd_criu_objects_at(l->d.devices, l->d.bos);
	struct vkfd_process *p = l->p;
	struct vkfd_criu_object o;
	struct vkfd_queue *q;
	u32 i;

	lockdep_assert_held(&p->base.lock);
	for (i = 0; i < l->made_objects && vkfd_criu_next(&l->d, &at, &o); i++) {
		if (o.type == VKFD_CRIU_EVENT)
			vkfd_event_forget(p, o.event->id);
		if (o.type != VKFD_CRIU_QUEUE)
			continue;
		q = idr_find(&p->queues, o.queue->id);
		if (q)
			vkfd_queue_destroy(p, q);
	}
	if (!l->had_page)
		vkfd_events_forget_page(p);
	criu_forget_ranges(p);
}

static void criu_undo(struct criu_load *l)
{
	const struct vkfd_criu_bo *ims = vkfd_criu_bos(&l->d);
	struct vkfd_process *p = l->p;
	struct vkfd_pdd *pdd;

	mutex_lock(&p->base.lock);
	if (p->base.dying)
		goto out_unlock;
	criu_undo_objects(l);
	while (l->made_bos--) {
		pdd = vkfd_process_pdd(p, l->bufs.buckets[l->made_bos].gpu_id);
		if (pdd)
			vkfd_mem_forget(p, pdd, ims[l->made_bos].id);
	}
	criu_forget_names(p);
	vkfd_svm_set_xnack(p, l->xnack);
	vkfd_process_restore(p);
	p->criu.state = VKFD_CRIU_IDLE;
out_unlock:
	mutex_unlock(&p->base.lock);
}

/* -------------------------------------------------------------- everything */

static int criu_begin_locked(struct criu_load *l)
{
	const struct vkfd_criu_process *process = l->d.data;
	struct vkfd_process *p = l->p;
	int ret;

	lockdep_assert_held(&p->base.lock);
	if (p->base.dying)
		return -ESRCH;
	if (p->num_queues || p->criu.state != VKFD_CRIU_IDLE)
		return -EINVAL;
	l->xnack = gpu_svm_xnack(p->svm);
	ret = criu_check_devices(l);
	if (!ret)
		ret = vkfd_svm_set_xnack(p, process->xnack);
	if (ret)
		return ret;
	l->had_page = p->events.slots;
	vkfd_process_evict(p, KFD_QUEUE_EVICTION_CRIU_RESTORE);
	p->criu.state = VKFD_CRIU_LOADING;
	ret = criu_load_devices(l);
	if (ret) {
		criu_forget_names(p);
		vkfd_svm_set_xnack(p, l->xnack);
		vkfd_process_restore(p);
		p->criu.state = VKFD_CRIU_IDLE;
	}
	return ret;
}

static int criu_load(struct criu_load *l, void __user *bos)
{
	struct vkfd_process *p = l->p;
	u32 i;
	int ret;

	mutex_lock(&p->base.lock);
	ret = criu_begin_locked(l);
	mutex_unlock(&p->base.lock);
	if (ret)
		return ret;
	vkfd_race_point("restore: devices there, nothing else");
	for (i = 0; i < l->d.bos && !ret; i++) {
		ret = criu_load_bo(l, i);
		cond_resched();
	}
	if (!ret)
		ret = criu_load_objects(l);
	vkfd_race_point("restore: all there, not yet told");
	if (!ret)
		ret = vkfd_criu_bufs_give(&l->bufs, bos);
	if (ret) {
		criu_undo(l);
		return ret;
	}
	mutex_lock(&p->base.lock);
	p->criu.state = VKFD_CRIU_LOADED;
	mutex_unlock(&p->base.lock);
	return 0;
}

static int criu_copy_in(struct criu_load *l, const struct kfd_ioctl_criu_args *args)
{
	void *data;

	if (vkfd_criu_bufs_init(&l->bufs, args->num_bos))
		return -ENOMEM;
	if (copy_from_user(l->bufs.buckets, u64_to_user_ptr(args->bos),
			   args->num_bos * sizeof(*l->bufs.buckets)))
		return -EFAULT;
	l->devices = memdup_user(u64_to_user_ptr(args->devices),
				 args->num_devices * sizeof(*l->devices));
	if (IS_ERR(l->devices)) {
		int ret = PTR_ERR(l->devices);

		l->devices = NULL;
		return ret;
	}
	data = kvmalloc(args->priv_data_size, GFP_KERNEL_ACCOUNT);
	l->d.data = data;
	if (!data)
		return -ENOMEM;
	if (copy_from_user(data, u64_to_user_ptr(args->priv_data), args->priv_data_size))
		return -EFAULT;
	return vkfd_criu_check(&l->d);
}

int vkfd_criu_restore(struct vkfd_process *p, const struct kfd_ioctl_criu_args *args)
{
	struct criu_load l = {
		.p = p,
		.d = {
			.bytes = args->priv_data_size, .devices = args->num_devices,
			.bos = args->num_bos, .objects = args->num_objects,
		},
	};
	int ret;

	if ((args->num_bos && !args->bos) || !args->devices || !args->priv_data ||
	    !args->priv_data_size || !args->num_devices)
		return -EINVAL;
	if (args->num_devices != p->num_pdds ||
	    args->num_bos > p->num_pdds * (u64)VKFD_MAX_HANDLES ||
	    args->priv_data_size < vkfd_criu_objects_at(args->num_devices, args->num_bos))
		return -EINVAL;
	if (args->priv_data_size > VKFD_CRIU_MAX_BYTES)
		return -ENOMEM;
	ret = criu_copy_in(&l, args);
	if (!ret)
		ret = criu_load(&l, u64_to_user_ptr(args->bos));
	vkfd_criu_bufs_free(&l.bufs);
	kfree(l.devices);
	kvfree(l.d.data);
	return ret;
}
