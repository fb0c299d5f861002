// SPDX-License-Identifier: GPL-2.0-only
/*
 * The chunks of a submission. They are copied once, and then gone over twice, as the real driver
 * does it: first to learn to which rings the submission goes, then for everything else.
 * The order of the checks decides which error a submission with several mistakes gets.
 */
#include <linux/dma-fence-chain.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <drm/drm_gem.h>
#include <drm/drm_syncobj.h>

#include "../gpu/bo.h"
#include "../gpu/charged.h"
#include "cs.h"

#define VDRM_MAX_CHUNKS		1024
#define VDRM_MAX_CHUNK_DWORDS	0x100000u	/* of all chunks together */
#define VDRM_MAX_IB_DWORDS	0xfffffu	/* a packet has 20 bits for it */
#define VDRM_MAX_COMPUTE_IBS	124		/* amdgpu_ring_max_ibs() */
#define VDRM_MAX_SDMA_IBS	48

/* ------------------------------------------------------------- first pass */

/* Index of the job that a buffer for this ring goes into. */
static int vdrm_cs_job_index(struct vdrm_cs *cs, const struct drm_amdgpu_cs_chunk_ib *ib)
{
	struct vdrm_entity *entity = vdrm_ctx_entity(cs->ctx, ib->ip_type, ib->ip_instance,
						     ib->ring);
	u32 i;

	if (IS_ERR(entity))
		return PTR_ERR(entity);
	for (i = 0; i < cs->gang; i++)
		if (cs->entity[i] == entity)
			return i;
	if (i == VDRM_GANG)
		return -EINVAL;
	cs->entity[i] = entity;
	cs->gang = i + 1;
	return i;
}

static int vdrm_cs_ring(struct vdrm_cs *cs, const struct drm_amdgpu_cs_chunk_ib *ib)
{
	int i = vdrm_cs_job_index(cs, ib);

	if (i < 0)
		return i;
	if (cs->nibs[i] == (cs->entity[i]->ring == GPU_JOB_SDMA ? VDRM_MAX_SDMA_IBS :
								  VDRM_MAX_COMPUTE_IBS))
		return -EINVAL;
	cs->nibs[i]++;
	cs->leader = i;
	return 0;
}

static int vdrm_cs_user_fence(struct vdrm_cs *cs, const struct drm_amdgpu_cs_chunk_fence *fence)
{
	const struct gpu_bo *bo;

	if (cs->user_fence)
		return -EINVAL;
	cs->user_fence = drm_gem_object_lookup(cs->file, fence->handle);
	if (!cs->user_fence)
		return -EINVAL;
	bo = to_gpu_bo(cs->user_fence);
	/* The CPU stores the number, so an object of somebody else will not do. */
	if (cs->user_fence->size != PAGE_SIZE || fence->offset > PAGE_SIZE - sizeof(u64) ||
	    (bo->kind != GPU_BO_VRAM && bo->kind != GPU_BO_GTT))
		return -EINVAL;
	/* Its page is there for good from now on: the end of a job needs no memory. */
	if (IS_ERR_OR_NULL(gpu_bo_page(to_gpu_bo(cs->user_fence), 0)))
		return -ENOMEM;
	cs->user_offset = fence->offset;
	return 0;
}

static int vdrm_cs_bo_handles(struct vdrm_cs *cs, const struct drm_amdgpu_bo_list_in *in)
{
	struct vdrm_list *list;

	if (cs->list)
		return -EINVAL;
	list = vdrm_list_create(cs->file, in);
	if (IS_ERR(list))
		return PTR_ERR(list);
	cs->list = list;
	return 0;
}

/* Bytes that the content of a chunk needs at least; -EINVAL: there is no such chunk. */
static int vdrm_chunk_bytes(u32 id)
{
	switch (id) {
	case AMDGPU_CHUNK_ID_IB:
		return sizeof(struct drm_amdgpu_cs_chunk_ib);
	case AMDGPU_CHUNK_ID_FENCE:
		return sizeof(struct drm_amdgpu_cs_chunk_fence);
	case AMDGPU_CHUNK_ID_BO_HANDLES:
		return sizeof(struct drm_amdgpu_bo_list_in);
	case AMDGPU_CHUNK_ID_DEPENDENCIES:
	case AMDGPU_CHUNK_ID_SYNCOBJ_IN:
	case AMDGPU_CHUNK_ID_SYNCOBJ_OUT:
	case AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES:
	case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT:
	case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL:
		return 0;
	default:
		return -EINVAL;
	}
}

static int vdrm_chunk_first(struct vdrm_cs *cs, const struct drm_amdgpu_cs_chunk *chunk,
			    const void *data)
{
	int bytes = vdrm_chunk_bytes(chunk->chunk_id);

	if (bytes < 0 || chunk->length_dw * 4ull < bytes)
		return -EINVAL;
	switch (chunk->chunk_id) {
	case AMDGPU_CHUNK_ID_IB:
		return vdrm_cs_ring(cs, data);
	case AMDGPU_CHUNK_ID_FENCE:
		return vdrm_cs_user_fence(cs, data);
	case AMDGPU_CHUNK_ID_BO_HANDLES:
		return vdrm_cs_bo_handles(cs, data);
	default:
		return 0;
	}
}

/* @user: address of an array element that has the address of the chunk. */
static int vdrm_chunk_read(struct vdrm_cs *cs, u64 user)
{
	struct drm_amdgpu_cs_chunk *chunk = &cs->chunk[cs->nchunks];
	void *data;
	u64 at;

	if (copy_from_user(&at, u64_to_user_ptr(user), sizeof(at)) ||
	    copy_from_user(chunk, u64_to_user_ptr(at), sizeof(*chunk)))
		return -EFAULT;
	if (chunk->length_dw > VDRM_MAX_CHUNK_DWORDS - cs->dwords)
		return -ENOMEM;
	cs->dwords += chunk->length_dw;
	data = gpu_copy_array(chunk->chunk_data, chunk->length_dw, 4);
	if (IS_ERR(data))
		return PTR_ERR(data);
	cs->data[cs->nchunks++] = data;
	return vdrm_chunk_first(cs, chunk, data);
}

int vdrm_cs_read(struct vdrm_cs *cs, const struct drm_amdgpu_cs_in *in)
{
	int ret = 0;
	u32 i;

	if (!in->num_chunks || in->num_chunks > VDRM_MAX_CHUNKS)
		return -EINVAL;
	cs->ctx = vdrm_ctx_get(cs->vf, in->ctx_id);
	if (!cs->ctx)
		return -EINVAL;
	cs->chunk = kvcalloc(in->num_chunks, sizeof(*cs->chunk), GFP_KERNEL_ACCOUNT);
	cs->data = kvcalloc(in->num_chunks, sizeof(*cs->data), GFP_KERNEL_ACCOUNT);
	if (!cs->chunk || !cs->data)
		return -ENOMEM;
	for (i = 0; i < in->num_chunks && !ret; i++)
		ret = vdrm_chunk_read(cs, in->chunks + i * sizeof(u64));
	if (!ret && !cs->gang)
		ret = -EINVAL;
	if (ret)
		return ret;
	ret = vdrm_ctx_check(cs->ctx);
	if (ret || !in->bo_list_handle)
		return ret;
	/* The real driver looks at the list only after the second pass. */
	if (cs->list)
		return -EINVAL;
	cs->list = vdrm_list_get(cs->vf, in->bo_list_handle);
	return cs->list ? 0 : -ENOENT;
}

/* ------------------------------------------------------------- second pass */

static int vdrm_cs_ib(struct vdrm_cs *cs, const struct drm_amdgpu_cs_chunk_ib *ib)
{
	int i = vdrm_cs_job_index(cs, ib);
	struct gpu_job *run;

	if (i < 0)
		return i;
	/* There is no constant engine. */
	if (ib->flags & AMDGPU_IB_FLAG_CE || ib->ib_bytes / 4 > VDRM_MAX_IB_DWORDS)
		return -EINVAL;
	/* What the hardware would make of these is not known. */
	if (ib->va_start % 4 || ib->ib_bytes % 4)
		return -EINVAL;
	run = &cs->job[i]->run;
	cs->job[i]->ib[run->nibs++] = (struct gpu_ib){ ib->va_start, ib->ib_bytes / 4 };
	return 0;
}

static int vdrm_cs_dep(struct vdrm_cs *cs, const struct drm_amdgpu_cs_chunk_dep *dep,
		       bool scheduled)
{
	struct vdrm_ctx *ctx = vdrm_ctx_get(cs->vf, dep->ctx_id);
	struct vdrm_entity *entity;
	struct dma_fence *fence;
	struct vdrm_fence *f;

	if (!ctx)
		return -EINVAL;
	entity = vdrm_ctx_entity(ctx, dep->ip_type, dep->ip_instance, dep->ring);
	fence = IS_ERR(entity) ? ERR_CAST(entity) : vdrm_entity_fence(entity, dep->handle);
	vdrm_ctx_put(ctx);
	if (IS_ERR_OR_NULL(fence))
		return PTR_ERR_OR_ZERO(fence);
	f = scheduled ? to_vdrm_fence(fence) : NULL;
	if (f) {
		dma_fence_get(&f->started->base);
		dma_fence_put(fence);
		fence = &f->started->base;
	}
	return vdrm_deps_add(&cs->deps, fence);
}

static int vdrm_cs_wait_syncobj(struct vdrm_cs *cs, u32 handle, u64 point, u64 flags)
{
	struct dma_fence *fence;
	int ret = drm_syncobj_find_fence(cs->file, handle, point, flags, &fence);

	return ret ? ret : vdrm_deps_add(&cs->deps, fence);
}

/*
 * There may be one chunk of syncobjs to signal. Each new point of a timeline walks those that have
 * not signaled (drm_syncobj_add_point()), with locks held that others wait for.
 */
#define VDRM_MAX_POSTS	256

static int vdrm_cs_posts(struct vdrm_cs *cs, u32 n)
{
	if (cs->posted)
		return -EINVAL;
	if (n > VDRM_MAX_POSTS)
		return -ENOMEM;
	cs->posted = true;
	cs->post = kvcalloc(n, sizeof(*cs->post), GFP_KERNEL_ACCOUNT);
	return cs->post || !n ? 0 : -ENOMEM;
}

struct dma_fence_chain *vdrm_chain_alloc(void)
{
	return kmalloc(sizeof(struct dma_fence_chain), GFP_KERNEL_ACCOUNT);
}

static int vdrm_cs_post(struct vdrm_cs *cs, u32 handle, u64 point)
{
	struct vdrm_post *post = &cs->post[cs->nposts];

	post->point = point;
	if (point) {
		post->chain = vdrm_chain_alloc();
		if (!post->chain)
			return -ENOMEM;
	}
	post->syncobj = drm_syncobj_find(cs->file, handle);
	if (!post->syncobj) {
		dma_fence_chain_free(post->chain);
		return -EINVAL;
	}
	cs->nposts++;
	return 0;
}

/* Between the entries of a chunk, of which there may be a million. */
static int vdrm_cs_pause(void)
{
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static int vdrm_chunk_deps(struct vdrm_cs *cs, u32 bytes, const void *data, bool scheduled)
{
	const struct drm_amdgpu_cs_chunk_dep *dep = data;
	u32 i, n = bytes / sizeof(*dep);
	int ret = 0;

	for (i = 0; i < n && !ret; i++)
		ret = vdrm_cs_pause() ?: vdrm_cs_dep(cs, &dep[i], scheduled);
	return ret;
}

static int vdrm_chunk_syncobjs(struct vdrm_cs *cs, u32 bytes, const void *data, bool out)
{
	const struct drm_amdgpu_cs_chunk_sem *sem = data;
	u32 i, n = bytes / sizeof(*sem);
	int ret = out ? vdrm_cs_posts(cs, n) : 0;

	for (i = 0; i < n && !ret; i++)
		ret = vdrm_cs_pause() ?:
		      (out ? vdrm_cs_post(cs, sem[i].handle, 0) :
			     vdrm_cs_wait_syncobj(cs, sem[i].handle, 0, 0));
	return ret;
}

static int vdrm_chunk_points(struct vdrm_cs *cs, u32 bytes, const void *data, bool out)
{
	const struct drm_amdgpu_cs_chunk_syncobj *s = data;
	u32 i, n = bytes / sizeof(*s);
	int ret = out ? vdrm_cs_posts(cs, n) : 0;

	for (i = 0; i < n && !ret; i++)
		ret = vdrm_cs_pause() ?:
		      (out ? vdrm_cs_post(cs, s[i].handle, s[i].point) :
			     vdrm_cs_wait_syncobj(cs, s[i].handle, s[i].point, s[i].flags));
	return ret;
}

static int vdrm_chunk_second(struct vdrm_cs *cs, const struct drm_amdgpu_cs_chunk *chunk,
			     const void *data)
{
	u32 bytes = chunk->length_dw * 4;

	switch (chunk->chunk_id) {
	case AMDGPU_CHUNK_ID_IB:
		return vdrm_cs_ib(cs, data);
	case AMDGPU_CHUNK_ID_DEPENDENCIES:
	case AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES:
		return vdrm_chunk_deps(cs, bytes, data,
				       chunk->chunk_id == AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES);
	case AMDGPU_CHUNK_ID_SYNCOBJ_IN:
	case AMDGPU_CHUNK_ID_SYNCOBJ_OUT:
		return vdrm_chunk_syncobjs(cs, bytes, data,
					   chunk->chunk_id == AMDGPU_CHUNK_ID_SYNCOBJ_OUT);
	case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT:
	case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL:
		return vdrm_chunk_points(cs, bytes, data, chunk->chunk_id ==
					 AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL);
	default:
		return 0;
	}
}

int vdrm_cs_build(struct vdrm_cs *cs)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < cs->gang; i++) {
		cs->job[i] = vdrm_job_alloc(cs->entity[i], cs->nibs[i]);
		if (!cs->job[i])
			return -ENOMEM;
	}
	for (i = 0; i < cs->nchunks && !ret; i++)
		ret = vdrm_chunk_second(cs, &cs->chunk[i], cs->data[i]);
	return ret;
}

void vdrm_cs_free(struct vdrm_cs *cs)
{
	u32 i;

	for (i = 0; i < cs->gang; i++)
		if (cs->job[i])
			vdrm_job_free(cs->job[i]);
	for (i = 0; i < cs->nposts; i++) {
		drm_syncobj_put(cs->post[i].syncobj);
		dma_fence_chain_free(cs->post[i].chain);
	}
	kvfree(cs->post);
	vdrm_deps_free(&cs->deps);
	if (cs->list)
		vdrm_list_put(cs->list);
	if (cs->user_fence)
		drm_gem_object_put(cs->user_fence);
	for (i = 0; i < cs->nchunks; i++)
		kvfree(cs->data[i]);
	kvfree(cs->data);
	kvfree(cs->chunk);
	if (cs->ctx)
		vdrm_ctx_put(cs->ctx);
}
