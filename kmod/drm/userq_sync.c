// SPDX-License-Identifier: GPL-2.0-only
/*
 * USERQ_SIGNAL: puts a fence of what a queue has been given into objects and syncobjs.
 * USERQ_WAIT: tells which words of memory a queue has to wait for before others' work is done;
 * fences that are not in such memory are waited for here. Both as amdgpu_userq_fence.c of Linux
 * 7.2, but for waits that a signal ends, and that the fences of another GPU are waited for here:
 * its words are not in our address space.
 */
#include <linux/dma-fence-chain.h>
#include <linux/dma-fence-unwrap.h>
#include <linux/dma-resv.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <drm/drm_gem.h>
#include <drm/drm_syncobj.h>

#include "../gpu/charged.h"
#include "../gpu/vm.h"
#include "cs.h"
#include "userq.h"
#include "../../uapi/drm/amdgpu_drm.h"

#define VDRM_MAX_OBJECTS	0x10000u	/* of each kind, as in the real driver */

/* @n words of user space, NULL if there are none. */
static void *vdrm_words(u64 from, u32 n, size_t bytes)
{
	return n ? gpu_copy_array(from, n, bytes) : NULL;
}

/* Objects by their handles, each lock of theirs once. */
static struct vdrm_list *vdrm_objects(struct drm_file *file, u64 from, u32 n)
{
	struct drm_amdgpu_bo_list_in in = {
		.bo_number = n, .bo_info_size = sizeof(u32), .bo_info_ptr = from,
	};

	return vdrm_list_create(file, &in);
}

/* ------------------------------------------------------------------ SIGNAL */

/**
 * struct vdrm_signal - a SIGNAL that is being prepared
 * @read: objects that are read
 * @write: objects that are written
 * @all: both
 * @syncobj: with references
 * @nsyncobjs: their number
 * @fence: that will be put into all of these
 */
struct vdrm_signal {
	struct vdrm_list *read, *write, *all;
	struct drm_syncobj **syncobj;
	u32 nsyncobjs;
	struct vdrm_userq_fence *fence;
};

static int vdrm_signal_syncobjs(struct vdrm_signal *s, struct drm_file *file,
				const struct drm_amdgpu_userq_signal *args)
{
	u32 n = args->num_syncobj_handles, *handles;
	int ret = 0;

	handles = vdrm_words(args->syncobj_handles, n, sizeof(*handles));
	if (IS_ERR(handles))
		return PTR_ERR(handles);
	s->syncobj = kvcalloc(n, sizeof(*s->syncobj), GFP_KERNEL_ACCOUNT);
	if (n && !s->syncobj)
		ret = -ENOMEM;
	for (; !ret && s->nsyncobjs < n; s->nsyncobjs++) {
		s->syncobj[s->nsyncobjs] = drm_syncobj_find(file, handles[s->nsyncobjs]);
		if (!s->syncobj[s->nsyncobjs])
			ret = -ENOENT;
		if (ret)
			break;
	}
	kvfree(handles);
	return ret;
}

static int vdrm_signal_read(struct vdrm_signal *s, struct drm_file *file,
			    const struct drm_amdgpu_userq_signal *args)
{
	int ret;

	if (args->num_bo_write_handles > VDRM_MAX_OBJECTS ||
	    args->num_bo_read_handles > VDRM_MAX_OBJECTS)
		return -EINVAL;
	ret = vdrm_signal_syncobjs(s, file, args);
	if (ret)
		return ret;
	s->read = vdrm_objects(file, args->bo_read_handles, args->num_bo_read_handles);
	if (IS_ERR(s->read))
		return PTR_ERR(s->read);
	s->write = vdrm_objects(file, args->bo_write_handles, args->num_bo_write_handles);
	if (IS_ERR(s->write))
		return PTR_ERR(s->write);
	s->all = vdrm_list_both(s->read, s->write);
	s->fence = kzalloc(sizeof(*s->fence), GFP_KERNEL_ACCOUNT);
	return s->all && s->fence ? 0 : -ENOMEM;
}

static void vdrm_signal_free(struct vdrm_signal *s)
{
	kfree(s->fence);
	if (s->all)
		vdrm_list_put(s->all);
	if (!IS_ERR_OR_NULL(s->write))
		vdrm_list_put(s->write);
	if (!IS_ERR_OR_NULL(s->read))
		vdrm_list_put(s->read);
	while (s->nsyncobjs)
		drm_syncobj_put(s->syncobj[--s->nsyncobjs]);
	kvfree(s->syncobj);
}

static int vdrm_signal_publish(struct vdrm_signal *s, struct vdrm_userq *uq, u64 value)
{
	struct ww_acquire_ctx ticket;
	struct dma_fence *fence;
	int ret;
	u32 i;

	ret = drm_gem_lock_reservations(s->all->obj, s->all->n, &ticket);
	if (ret)
		return ret;
	for (i = 0; i < s->all->n && !ret; i++)
		ret = dma_resv_reserve_fences(s->all->obj[i]->resv, 2);
	if (ret)
		goto out_unlock;
	/* Nothing fails from here on. */
	fence = vdrm_userq_fence_arm(uq, s->fence, value);
	s->fence = NULL;
	for (i = 0; i < s->read->n; i++)
		dma_resv_add_fence(s->read->obj[i]->resv, fence, DMA_RESV_USAGE_READ);
	for (i = 0; i < s->write->n; i++)
		dma_resv_add_fence(s->write->obj[i]->resv, fence, DMA_RESV_USAGE_WRITE);
	for (i = 0; i < s->nsyncobjs; i++)
		drm_syncobj_replace_fence(s->syncobj[i], fence);
	dma_fence_put(fence);
out_unlock:
	drm_gem_unlock_reservations(s->all->obj, s->all->n, &ticket);
	return ret;
}

int vdrm_ioctl_userq_signal(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_amdgpu_userq_signal *args = data;
	struct vdrm_file *vf = file->driver_priv;
	struct vdrm_signal s = { };
	struct vdrm_userq *uq;
	u64 value;
	int ret;

	if (!vdrm_userq_ips(vf->vm->gdev) && xa_empty(&vf->userqs))
		return -ENOTSUPP;
	ret = vdrm_signal_read(&s, file, args);
	if (ret)
		goto out_free;
	uq = vdrm_userq_get(vf, args->queue_id);
	if (!uq) {
		ret = -ENOENT;
		goto out_free;
	}
	ret = gpu_vm_peek64(vf->vm, uq->q.props.wptr_va, &value);
	if (!ret)
		vdrm_userq_look(uq);
	/* The thread that signals them serves everybody. A few too many do no harm. */
	if (!ret && READ_ONCE(uq->nfences) >= VDRM_MAX_USERQ_FENCES)
		ret = -ENOMEM;
	if (!ret)
		ret = vdrm_signal_publish(&s, uq, value);
	vdrm_userq_put(uq);
out_free:
	vdrm_signal_free(&s);
	return ret;
}

/* -------------------------------------------------------------------- WAIT */

/**
 * struct vdrm_wait - a WAIT
 * @file: the caller's
 * @vdev: its GPU
 * @count: no more than to count them
 * @fence: those that are the GPU's to wait for, with references
 * @n: number of these, or of all
 * @room: for as many
 */
struct vdrm_wait {
	struct drm_file *file;
	const struct vdrm_device *vdev;
	bool count;
	struct dma_fence **fence;
	u32 n, room;
};

/* Does not take over the reference. */
static int vdrm_wait_fence(struct vdrm_wait *w, struct dma_fence *fence)
{
	const struct vdrm_userq_fence *f = to_vdrm_userq_fence(fence);

	/* A syncobj's chain may be of any length, and named again and again. */
	cond_resched();
	if (fatal_signal_pending(current))
		return -EINTR;
	if (w->count) {
		w->n++;
		return 0;
	}
	if (dma_fence_is_signaled(fence))
		return 0;
	if (!f || f->vdev != w->vdev || w->n == w->room)
		return dma_fence_wait(fence, true);
	w->fence[w->n++] = dma_fence_get(fence);
	return 0;
}

static int vdrm_wait_syncobj(struct vdrm_wait *w, u32 handle, u64 point)
{
	struct dma_fence_unwrap iter;
	struct dma_fence *fence, *f;
	int ret = drm_syncobj_find_fence(w->file, handle, point,
					 DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, &fence);

	if (ret)
		return ret;
	dma_fence_unwrap_for_each(f, &iter, fence) {
		ret = vdrm_wait_fence(w, f);
		if (ret)
			break;
	}
	if (ret)
		dma_fence_put(iter.chain);	/* the walk ended early */
	dma_fence_put(fence);
	return ret;
}

static int vdrm_wait_syncobjs(struct vdrm_wait *w, u64 from, u64 from_points, u32 n, bool points)
{
	u32 *handles = vdrm_words(from, n, sizeof(*handles)), i;
	u64 *at = points ? vdrm_words(from_points, n, sizeof(*at)) : NULL;
	int ret = 0;

	if (IS_ERR(handles))
		ret = PTR_ERR(handles);
	else if (IS_ERR(at))
		ret = PTR_ERR(at);
	for (i = 0; i < n && !ret; i++)
		ret = vdrm_wait_syncobj(w, handles[i], at ? at[i] : 0);
	if (!IS_ERR(handles))
		kvfree(handles);
	if (!IS_ERR(at))
		kvfree(at);
	return ret;
}

static int vdrm_wait_objects(struct vdrm_wait *w, u64 from, u32 n, enum dma_resv_usage usage)
{
	struct vdrm_list *list = vdrm_objects(w->file, from, n);
	struct dma_fence **fences;
	unsigned int i, f, nfences;
	int ret = 0;

	if (IS_ERR(list))
		return PTR_ERR(list);
	for (i = 0; i < list->n && !ret; i++) {
		ret = dma_resv_get_fences(list->obj[i]->resv, usage, &nfences, &fences);
		if (ret)
			break;
		for (f = 0; f < nfences; f++) {
			if (!ret)
				ret = vdrm_wait_fence(w, fences[f]);
			dma_fence_put(fences[f]);
		}
		kfree(fences);
	}
	vdrm_list_put(list);
	return ret;
}

static int vdrm_wait_collect(struct vdrm_wait *w, const struct drm_amdgpu_userq_wait *args)
{
	int ret;

	ret = vdrm_wait_syncobjs(w, args->syncobj_timeline_handles, args->syncobj_timeline_points,
				 args->num_syncobj_timeline_handles, true);
	if (!ret)
		ret = vdrm_wait_syncobjs(w, args->syncobj_handles, 0, args->num_syncobj_handles,
					 false);
	if (!ret)
		ret = vdrm_wait_objects(w, args->bo_read_handles, args->num_bo_read_handles,
					DMA_RESV_USAGE_READ);
	if (!ret)
		ret = vdrm_wait_objects(w, args->bo_write_handles, args->num_bo_write_handles,
					DMA_RESV_USAGE_WRITE);
	return ret;
}

/* By queue, the last of each first. */
static int vdrm_wait_compare(const void *a, const void *b)
{
	const struct dma_fence *x = *(const struct dma_fence *const *)a;
	const struct dma_fence *y = *(const struct dma_fence *const *)b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	return x->seqno > y->seqno ? -1 : x->seqno < y->seqno;
}

/* Of each queue, the last fence is enough. */
static int vdrm_wait_answer(struct vdrm_wait *w, struct drm_amdgpu_userq_wait *args)
{
	struct drm_amdgpu_userq_fence_info *info;
	const struct vdrm_userq_fence *f;
	u32 i, n = 0;
	int ret = 0;

	info = kvcalloc(max(w->n, 1u), sizeof(*info), GFP_KERNEL_ACCOUNT);
	if (!info)
		return -ENOMEM;
	sort(w->fence, w->n, sizeof(w->fence[0]), vdrm_wait_compare, NULL);
	for (i = 0; i < w->n; i++) {
		if (i && w->fence[i]->context == w->fence[i - 1]->context)
			continue;
		f = to_vdrm_userq_fence(w->fence[i]);
		info[n++] = (struct drm_amdgpu_userq_fence_info){ .va = f->va, .value = f->value };
	}
	if (copy_to_user(u64_to_user_ptr(args->out_fences), info, n * sizeof(*info)))
		ret = -EFAULT;
	else
		args->num_fences = n;
	kvfree(info);
	return ret;
}

int vdrm_ioctl_userq_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_amdgpu_userq_wait *args = data;
	struct vdrm_file *vf = file->driver_priv;
	struct vdrm_wait w = {
		.file = file, .vdev = container_of(drm, struct vdrm_device, drm),
		.count = !args->num_fences, .room = args->num_fences,
	};
	struct vdrm_userq *uq;
	int ret;

	if (!vdrm_userq_ips(vf->vm->gdev) && xa_empty(&vf->userqs))
		return -ENOTSUPP;
	if (args->num_bo_write_handles > VDRM_MAX_OBJECTS ||
	    args->num_bo_read_handles > VDRM_MAX_OBJECTS)
		return -EINVAL;
	if (!w.count) {
		w.fence = kvcalloc(w.room, sizeof(*w.fence), GFP_KERNEL_ACCOUNT);
		if (!w.fence)
			return -ENOMEM;
	}
	ret = vdrm_wait_collect(&w, args);
	if (w.count) {
		/* drm_ioctl() copies it out after an error, too; a restart would not count then. */
		if (!ret)
			args->num_fences = min_t(u32, w.n, U16_MAX);
		return ret;
	}
	if (!ret) {
		/* The addresses are for this queue. */
		uq = vdrm_userq_get(vf, args->waitq_id);
		ret = uq ? vdrm_wait_answer(&w, args) : -EINVAL;
		if (uq)
			vdrm_userq_put(uq);
	}
	while (w.n)
		dma_fence_put(w.fence[--w.n]);
	kvfree(w.fence);
	return ret;
}
