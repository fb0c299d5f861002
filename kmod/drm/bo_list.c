// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of objects that jobs use. A list keeps them alive, as they never move. It is sorted by
 * the objects' locks and has each of these once, so that a submission can take them all.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>
#include <drm/drm_gem.h>

#include "cs.h"

#define VDRM_MAX_LISTS		4096	/* of a file */
#define VDRM_MAX_LIST		131072	/* objects of a list, as in the real driver */

static void vdrm_list_release(struct kref *ref)
{
	struct vdrm_list *list = container_of(ref, struct vdrm_list, ref);

	while (list->n)
		drm_gem_object_put(list->obj[--list->n]);
	kvfree(list);
}

void vdrm_list_put(struct vdrm_list *list)
{
	kref_put(&list->ref, vdrm_list_release);
}

static struct vdrm_list *vdrm_list_alloc(u32 n)
{
	struct vdrm_list *list = kvzalloc(struct_size(list, obj, n), GFP_KERNEL_ACCOUNT);

	if (list)
		kref_init(&list->ref);
	return list;
}

static int vdrm_list_compare(const void *a, const void *b)
{
	const struct drm_gem_object *x = *(const struct drm_gem_object *const *)a;
	const struct drm_gem_object *y = *(const struct drm_gem_object *const *)b;

	return x->resv < y->resv ? -1 : x->resv > y->resv;
}

static void vdrm_list_sort(struct vdrm_list *list)
{
	u32 i, n = 0;

	sort(list->obj, list->n, sizeof(list->obj[0]), vdrm_list_compare, NULL);
	for (i = 0; i < list->n; i++) {
		if (n && list->obj[n - 1]->resv == list->obj[i]->resv)
			drm_gem_object_put(list->obj[i]);
		else
			list->obj[n++] = list->obj[i];
	}
	list->n = n;
}

struct vdrm_list *vdrm_list_create(struct drm_file *file,
				   const struct drm_amdgpu_bo_list_in *in)
{
	u32 i, copy = min_t(u32, in->bo_info_size, sizeof(struct drm_amdgpu_bo_list_entry));
	struct vdrm_list *list;
	int ret = 0;

	if (in->bo_number > VDRM_MAX_LIST || (in->bo_number && copy < sizeof(u32)))
		return ERR_PTR(-EINVAL);
	list = vdrm_list_alloc(in->bo_number);
	if (!list)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < in->bo_number && !ret; i++) {
		struct drm_amdgpu_bo_list_entry e = { 0 };
		const void __user *from = u64_to_user_ptr(in->bo_info_ptr +
							  (u64)i * in->bo_info_size);

		cond_resched();
		if (fatal_signal_pending(current)) {
			ret = -EINTR;
			break;
		}
		if (copy_from_user(&e, from, copy)) {
			ret = -EFAULT;
			break;
		}
		list->obj[i] = drm_gem_object_lookup(file, e.bo_handle);
		if (!list->obj[i])
			ret = -ENOENT;
		else
			list->n++;
	}
	if (ret) {
		vdrm_list_put(list);
		return ERR_PTR(ret);
	}
	vdrm_list_sort(list);
	return list;
}

struct vdrm_list *vdrm_list_with(const struct vdrm_list *list, struct drm_gem_object *obj)
{
	struct vdrm_list *both = vdrm_list_alloc((list ? list->n : 0) + !!obj);
	u32 i;

	if (!both)
		return NULL;
	for (i = 0; list && i < list->n; i++)
		both->obj[both->n++] = list->obj[i];
	if (obj)
		both->obj[both->n++] = obj;
	for (i = 0; i < both->n; i++)
		drm_gem_object_get(both->obj[i]);
	vdrm_list_sort(both);
	return both;
}

struct vdrm_list *vdrm_list_both(const struct vdrm_list *a, const struct vdrm_list *b)
{
	struct vdrm_list *both = vdrm_list_alloc(a->n + b->n);
	u32 i;

	if (!both)
		return NULL;
	for (i = 0; i < a->n; i++)
		both->obj[both->n++] = a->obj[i];
	for (i = 0; i < b->n; i++)
		both->obj[both->n++] = b->obj[i];
	for (i = 0; i < both->n; i++)
		drm_gem_object_get(both->obj[i]);
	vdrm_list_sort(both);
	return both;
}

struct vdrm_list *vdrm_list_get(struct vdrm_file *vf, u32 id)
{
	struct vdrm_list *list;

	mutex_lock(&vf->lock);
	list = xa_load(&vf->lists, id);
	if (list)
		kref_get(&list->ref);
	mutex_unlock(&vf->lock);
	return list;
}

void vdrm_lists_free(struct vdrm_file *vf)
{
	struct vdrm_list *list;
	unsigned long id;

	/* A file may have 4095 lists of 131072 objects. */
	xa_for_each(&vf->lists, id, list) {
		vdrm_list_put(list);
		cond_resched();
	}
	xa_destroy(&vf->lists);
}

static int vdrm_list_put_in(struct vdrm_file *vf, union drm_amdgpu_bo_list *args,
			    struct vdrm_list *list)
{
	struct vdrm_list *old = NULL;
	u32 id = args->in.list_handle;
	int ret = 0;

	if (args->in.operation == AMDGPU_BO_LIST_OP_CREATE) {
		ret = xa_alloc(&vf->lists, &id, list, XA_LIMIT(1, VDRM_MAX_LISTS - 1),
			       GFP_KERNEL_ACCOUNT);
		if (ret)
			return ret == -EBUSY ? -ENOSPC : ret;
	} else {
		mutex_lock(&vf->lock);
		old = xa_load(&vf->lists, id);
		ret = old ? xa_err(xa_store(&vf->lists, id, list, GFP_KERNEL_ACCOUNT)) : -ENOENT;
		mutex_unlock(&vf->lock);
		if (ret)
			return ret;
		vdrm_list_put(old);
	}
	args->out = (struct drm_amdgpu_bo_list_out){ .list_handle = id };
	return 0;
}

static int vdrm_list_destroy(struct vdrm_file *vf, union drm_amdgpu_bo_list *args)
{
	struct vdrm_list *list;

	mutex_lock(&vf->lock);
	list = xa_erase(&vf->lists, args->in.list_handle);
	mutex_unlock(&vf->lock);
	if (list)
		vdrm_list_put(list);
	args->out = (struct drm_amdgpu_bo_list_out){ 0 };
	return 0;
}

int vdrm_ioctl_bo_list(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vdrm_file *vf = file->driver_priv;
	union drm_amdgpu_bo_list *args = data;
	struct vdrm_list *list;
	int ret;

	if (args->in.operation > AMDGPU_BO_LIST_OP_UPDATE)
		return -EINVAL;
	if (args->in.operation == AMDGPU_BO_LIST_OP_DESTROY)
		return vdrm_list_destroy(vf, args);
	list = vdrm_list_create(file, &args->in);
	if (IS_ERR(list))
		return PTR_ERR(list);
	ret = vdrm_list_put_in(vf, args, list);
	if (ret)
		vdrm_list_put(list);
	return ret;
}
