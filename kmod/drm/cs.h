/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command submission: contexts (ctx.c), lists of objects (bo_list.c), jobs and their fences
 * (job.c), the CS ioctl (cs.c, cs_chunks.c) and waiting (fences.c).
 *
 *   vdrm_ctx		a context: an entity for each of its rings
 *   vdrm_entity	a ring of a context; its jobs run one after the other
 *   vdrm_job		one submission to one entity, with the fences that it waits for
 *   vdrm_fence		signals that a job has started, or that it is done
 *
 * A job belongs to the file it came through, and ends before the file does.
 */
#ifndef VDRM_CS_H
#define VDRM_CS_H

#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "drm_int.h"
#include "../gpu/job.h"
#include "../../uapi/drm/amdgpu_drm.h"

#define VDRM_COMPUTE_RINGS	4	/* amdgpu_ctx_num_entities */
#define VDRM_SDMA_RINGS		2
#define VDRM_ENTITIES		(VDRM_COMPUTE_RINGS + VDRM_SDMA_RINGS)
#define VDRM_ENTITY_JOBS	32	/* amdgpu_sched_jobs: a power of two */
#define VDRM_GANG		4	/* AMDGPU_CS_GANG_SIZE */

struct drm_gem_object;
struct gpu_bo;

/**
 * struct vdrm_fence - of a job
 * @base: must be first: the DMA fence code frees it
 * @lock: for @base
 * @vm: address space of the job, to be compared only: it may be gone
 * @started: of a fence that says "done": the one that says "started", with a reference
 */
struct vdrm_fence {
	struct dma_fence base;
	spinlock_t lock;	/* see above */
	const struct gpu_vm *vm;
	struct vdrm_fence *started;
};

/**
 * struct vdrm_entity - a ring of a context
 * @ring: who executes its jobs; @index: which of the context's rings of that kind
 * @lock: @jobs, @seq, @fences
 * @jobs: that have not ended, the oldest first
 * @work: runs them
 * @fence_context: of the fences that say "started"; the next one is of those that say "done"
 * @seq: number of the next job, as user space counts (from 1)
 * @fences: of the last jobs, by number
 */
struct vdrm_entity {
	struct vdrm_ctx *ctx;
	enum gpu_job_ring ring;
	u32 index;
	spinlock_t lock;	/* see above */
	struct list_head jobs;
	struct work_struct work;
	u64 fence_context;
	u64 seq, fence_seq;
	struct dma_fence *fences[VDRM_ENTITY_JOBS];
};

/**
 * struct vdrm_ctx - a context; in vdrm_file.ctxs
 * @priority: AMDGPU_CTX_PRIORITY_* (written under the file's lock)
 * @guilty: a job of it failed (no lock)
 * @resets: of the GPU when it came; @queue_resets: of user queues
 * @resets_told: those that QUERY_STATE has told (the file's lock)
 * @pm: has the level that it has chosen (SET_STABLE_PSTATE), or NULL (the file's lock)
 * @ce: corrected memory errors that QUERY_STATE2 has told (the file's lock)
 * @ue: uncorrected ones that it has told (the file's lock)
 */
struct vdrm_ctx {
	struct kref ref;
	struct vdrm_file *vf;
	s32 priority;
	bool guilty;
	u32 resets, queue_resets, resets_told;
	struct vdrm_pm *pm;
	u64 ce, ue;
	struct vdrm_entity entity[VDRM_ENTITIES];
};

/* Objects that a job needs. The list keeps them alive, and has each lock of theirs once. */
struct vdrm_list {
	struct kref ref;
	u32 n;
	struct drm_gem_object *obj[];
};

/* Fences with references. */
struct vdrm_deps {
	struct dma_fence **fence;
	u32 n, room;
};

/**
 * struct vdrm_job - a submission to an entity
 * @node: in vdrm_entity.jobs
 * @in_file: in vdrm_file.jobs, in order of @number
 * @ctx: with a reference
 * @started,@done: its fences
 * @deps: what it waits for; @dep: the next of them
 * @cb: on that one; @waiting: @cb is there
 * @list: what it uses, with a reference, or NULL
 * @user_fence: object that @user_seq is stored in when it is done, or NULL
 * @run: for the backend
 */
struct vdrm_job {
	struct list_head node, in_file;
	u64 number;
	struct vdrm_entity *entity;
	struct vdrm_ctx *ctx;
	struct vdrm_fence *started, *done;
	struct vdrm_deps deps;
	u32 dep;
	struct dma_fence_cb cb;
	bool waiting;
	struct vdrm_list *list;
	struct gpu_bo *user_fence;
	u32 user_offset;
	u64 user_seq;
	struct gpu_job run;
	struct gpu_ib ib[];
};

/* job.c */
int vdrm_deps_add(struct vdrm_deps *deps, struct dma_fence *fence);
void vdrm_deps_free(struct vdrm_deps *deps);
struct vdrm_job *vdrm_job_alloc(struct vdrm_entity *entity, u32 nibs);
/* One that was not pushed. */
void vdrm_job_free(struct vdrm_job *job);
/* Its fences are valid from now on: vdrm_job_push() must follow. Under vdrm_file.cs_lock. */
void vdrm_job_arm(struct vdrm_job *job);
void vdrm_job_push(struct vdrm_job *job);
void vdrm_entity_work(struct work_struct *work);
/* NULL unless @fence is that of a finished job of ours. */
struct vdrm_fence *to_vdrm_fence(struct dma_fence *fence);

/* ctx.c */
/* With a reference; NULL: there is none of that id. */
struct vdrm_ctx *vdrm_ctx_get(struct vdrm_file *vf, u32 id);
void vdrm_ctx_put(struct vdrm_ctx *ctx);
/* May it submit jobs? -ECANCELED: one of its jobs has failed, or the GPU was reset. */
int vdrm_ctx_check(const struct vdrm_ctx *ctx);
/* ERR_PTR(-EINVAL): the GPU has no such ring. */
struct vdrm_entity *vdrm_ctx_entity(struct vdrm_ctx *ctx, u32 ip_type, u32 instance, u32 ring);
/* The fence of a job with a reference, NULL if it ended long ago, or ERR_PTR(-EINVAL). */
struct dma_fence *vdrm_entity_fence(struct vdrm_entity *entity, u64 seq);
/* Waits until the entity can remember one more job. */
int vdrm_entity_room(struct vdrm_entity *entity);
u64 vdrm_entity_remember(struct vdrm_entity *entity, struct dma_fence *fence);

/* bo_list.c */
struct vdrm_list *vdrm_list_create(struct drm_file *file,
				   const struct drm_amdgpu_bo_list_in *in);
struct vdrm_list *vdrm_list_get(struct vdrm_file *vf, u32 id);
void vdrm_list_put(struct vdrm_list *list);
/* @list, which may be NULL, and @obj, which may be NULL, in a list of their own. */
struct vdrm_list *vdrm_list_with(const struct vdrm_list *list, struct drm_gem_object *obj);
struct vdrm_list *vdrm_list_both(const struct vdrm_list *a, const struct vdrm_list *b);

/**
 * struct vdrm_post - a syncobj that the job's fence is put into
 * @point: of a timeline; @chain: its node, NULL if there is no timeline
 */
struct vdrm_post {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
	u64 point;
};

/**
 * struct vdrm_cs - a submission that is being put together
 * @entity,@nibs,@job: of each of the @gang rings it goes to; @leader: index of the one whose
 *	fence stands for all
 * @chunk,@data: the chunks; @nchunks: number of them that were read
 * @deps: what all jobs wait for
 * @post: syncobjs, @nposts of them; @posted: there was such a chunk
 * @list: its objects, or NULL; @user_fence: one with a reference, or NULL
 */
struct vdrm_cs {
	struct vdrm_file *vf;
	struct drm_file *file;
	struct vdrm_ctx *ctx;
	struct vdrm_entity *entity[VDRM_GANG];
	u32 nibs[VDRM_GANG];
	struct vdrm_job *job[VDRM_GANG];
	u32 gang, leader;
	struct drm_amdgpu_cs_chunk *chunk;
	void **data;
	u32 nchunks, dwords;
	struct vdrm_deps deps;
	struct vdrm_post *post;
	u32 nposts;
	bool posted;
	struct vdrm_list *list;
	struct drm_gem_object *user_fence;
	u32 user_offset;
};

/* cs_chunks.c. As dma_fence_chain_alloc(), which charges nobody */
struct dma_fence_chain *vdrm_chain_alloc(void);
/* From the chunks to jobs that have not been pushed; 0 or -errno. */
int vdrm_cs_read(struct vdrm_cs *cs, const struct drm_amdgpu_cs_in *in);
int vdrm_cs_build(struct vdrm_cs *cs);
void vdrm_cs_free(struct vdrm_cs *cs);

/* cs_place.c: objects that had to leave VRAM come back, within limits. 0, or a signal came. */
int vdrm_cs_place(struct vdrm_cs *cs);

#endif /* VDRM_CS_H */
