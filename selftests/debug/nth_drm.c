// SPDX-License-Identifier: MIT
/* The calls of the render node, each with every failure. */
#include "nth.h"

static int call_gem_create(struct nth *t, uint64_t *token)
{
	uint32_t handle;
	int err = gem_create(t->g.drm, 4 * PAGE, AMDGPU_GEM_DOMAIN_VRAM, 0, &handle);

	*token = handle;
	return err;
}

static int call_gem_close(struct nth *t, uint64_t *token)
{
	return gem_close(t->g.drm, *token);
}

static void prepare_gem(struct nth *t, uint64_t *token)
{
	ASSERT_EQ(0, call_gem_create(t, token));
}

static void undo_gem(struct nth *t, uint64_t token)
{
	ASSERT_EQ(0, gem_close(t->g.drm, token));
}

static int call_gem_offset(struct nth *t, uint64_t *token)
{
	return gem_offset(t->g.drm, t->gem, token);
}

static int call_gem_map(struct nth *t, uint64_t *token)
{
	*token = 0;
	return gem_va(t->g.drm, AMDGPU_VA_OP_MAP, t->gem, t->va, 0, 4 * PAGE,
		      AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE);
}

static int call_gem_unmap(struct nth *t, uint64_t *token)
{
	*token = 0;
	return gem_va(t->g.drm, AMDGPU_VA_OP_UNMAP, t->gem, t->va, 0, 4 * PAGE, 0);
}

/* The hole splits the mapping: that wants memory. */
static int call_gem_clear(struct nth *t, uint64_t *token)
{
	*token = 0;
	return gem_va(t->g.drm, AMDGPU_VA_OP_CLEAR, 0, (char *)t->va + PAGE, 0, PAGE, 0);
}

static int call_gem_replace(struct nth *t, uint64_t *token)
{
	*token = 0;
	return gem_va(t->g.drm, AMDGPU_VA_OP_REPLACE, t->gem, (char *)t->va + PAGE, 0, PAGE,
		      AMDGPU_VM_PAGE_READABLE);
}

static void prepare_gem_map(struct nth *t, uint64_t *token)
{
	ASSERT_EQ(0, call_gem_map(t, token));
}

static void undo_gem_map(struct nth *t, uint64_t token)
{
	(void)token;
	ASSERT_EQ(0, gem_va(t->g.drm, AMDGPU_VA_OP_CLEAR, 0, t->va, 0, 4 * PAGE, 0));
}

static void prepare_own_gem(struct nth *t, uint64_t *token)
{
	ASSERT_EQ(0, call_gem_create(t, token));
	t->own = *token;
}

static void undo_gem_export(struct nth *t, uint64_t fd)
{
	close(fd);
	undo_gem(t, t->own);
}

static int call_gem_export(struct nth *t, uint64_t *token)
{
	int fd = gem_export(t->g.drm, t->own, O_CLOEXEC);

	*token = fd;
	return fd < 0 ? -fd : 0;
}

/* Into the file's own table: the handle of the object that is there. */
static int call_gem_import(struct nth *t, uint64_t *token)
{
	uint32_t handle;
	int err = gem_import(t->g.drm, t->dmabuf, &handle);

	*token = handle;
	return err;
}

static int call_gem_metadata(struct nth *t, uint64_t *token)
{
	struct drm_amdgpu_gem_metadata a = {
		.handle = t->gem, .op = AMDGPU_GEM_METADATA_OP_SET_METADATA,
		.data = { .data_size_bytes = 64 },
	};

	*token = 0;
	return kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_GEM_METADATA, &a);
}

static int call_gem_op(struct nth *t, uint64_t *token)
{
	struct drm_amdgpu_gem_op a = {
		.handle = t->gem, .op = AMDGPU_GEM_OP_GET_GEM_CREATE_INFO,
		.value = (uintptr_t)nth_page(t, 0),
	};

	*token = 0;
	return kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_GEM_OP, &a);
}

static int call_gem_wait(struct nth *t, uint64_t *token)
{
	union drm_amdgpu_gem_wait_idle a = { .in = { .handle = t->gem } };

	*token = 0;
	return kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &a);
}

static int call_info(struct nth *t, uint64_t *token)
{
	*token = 0;
	return drm_info(t->g.drm, AMDGPU_INFO_DEV_INFO, nth_page(t, 0), PAGE);
}

static int call_ctx(struct nth *t, uint64_t *token)
{
	union drm_amdgpu_ctx a = { .in = { .op = AMDGPU_CTX_OP_ALLOC_CTX } };
	int err = kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_CTX, &a);

	*token = a.out.alloc.ctx_id;
	return err;
}

static void undo_ctx(struct nth *t, uint64_t token)
{
	union drm_amdgpu_ctx a = { .in = { .op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = token } };

	ASSERT_EQ(0, kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_CTX, &a));
}

/* --------------------------------------------------------------------- jobs */

static int call_list(struct nth *t, uint64_t *token)
{
	struct drm_amdgpu_bo_list_entry e = { .bo_handle = t->gem };
	union drm_amdgpu_bo_list a = {
		.in = { AMDGPU_BO_LIST_OP_CREATE, 0, 1, sizeof(e), (uintptr_t)&e },
	};
	int err = kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_BO_LIST, &a);

	*token = a.out.list_handle;
	return err;
}

static void undo_list(struct nth *t, uint64_t token)
{
	union drm_amdgpu_bo_list a = {
		.in = { .operation = AMDGPU_BO_LIST_OP_DESTROY, .list_handle = token },
	};

	ASSERT_EQ(0, kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_BO_LIST, &a));
}

static void prepare_list(struct nth *t, uint64_t *token)
{
	ASSERT_EQ(0, call_list(t, token));
	t->list = *token;
}

static int call_list_update(struct nth *t, uint64_t *token)
{
	struct drm_amdgpu_bo_list_entry e = { .bo_handle = t->gem };
	union drm_amdgpu_bo_list a = {
		.in = { AMDGPU_BO_LIST_OP_UPDATE, t->list, 1, sizeof(e), (uintptr_t)&e },
	};

	*token = t->list;
	return kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_BO_LIST, &a);
}

/* What a job is made of: memory of nothing but zeros, which are NOPs, and a context. */
static void prepare_job(struct nth *t, uint64_t *token)
{
	uint64_t ctx;

	ASSERT_EQ(0, gem_create(t->g.drm, 4 * PAGE, AMDGPU_GEM_DOMAIN_VRAM, 0, &t->own));
	ASSERT_EQ(0, gem_va(t->g.drm, AMDGPU_VA_OP_MAP, t->own, t->va, 0, 4 * PAGE,
			    AMDGPU_VM_PAGE_READABLE));
	ASSERT_EQ(0, call_ctx(t, &ctx));
	t->ctx = ctx;
	*token = 0;
}

/* A failure of the machine is none of the job's. */
static void undo_job(struct nth *t, uint64_t token)
{
	union drm_amdgpu_ctx a = {
		.in = { .op = AMDGPU_CTX_OP_QUERY_STATE, .ctx_id = t->ctx },
	};

	(void)token;
	ASSERT_EQ(0, kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_CTX, &a));
	ASSERT_EQ(0u, a.out.state.reset_status);
	undo_ctx(t, t->ctx);
	undo_gem_map(t, 0);
	undo_gem(t, t->own);
}

static int call_cs(struct nth *t, uint64_t *token)
{
	struct drm_amdgpu_cs_chunk_ib ib = {
		.va_start = (uintptr_t)t->va, .ib_bytes = 64, .ip_type = AMDGPU_HW_IP_DMA,
	};
	struct drm_amdgpu_cs_chunk chunk = {
		AMDGPU_CHUNK_ID_IB, sizeof(ib) / 4, (uintptr_t)&ib,
	};
	uint64_t chunks = (uintptr_t)&chunk;
	union drm_amdgpu_cs a = { .in = { t->ctx, 0, 1, 0, (uintptr_t)&chunks } };

	*token = 0;
	return kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_CS, &a);
}

static int call_wait_cs(struct nth *t, uint64_t *token)
{
	union drm_amdgpu_wait_cs a = {
		.in = { .handle = ~0ull, .ip_type = AMDGPU_HW_IP_DMA, .ctx_id = t->ctx },
	};

	*token = 0;
	return kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_WAIT_CS, &a);
}

struct nth_case nth_drm_cases[] = {
	CASE(gem_create, .undo = undo_gem),
	CASE(gem_close, .prepare = prepare_gem),
	CASE(gem_offset),
	CASE(gem_map, .undo = undo_gem_map),
	CASE(gem_unmap, .prepare = prepare_gem_map),
	CASE(gem_clear, WITH(gem_map, gem_map)),
	CASE(gem_replace, WITH(gem_map, gem_map)),
	CASE(gem_export, WITH(own_gem, gem_export)),
	CASE(gem_import, .undo = undo_gem),
	CASE(gem_metadata), CASE(gem_op), CASE(gem_wait), CASE(info),
	CASE(ctx, .undo = undo_ctx),
	CASE(list, .undo = undo_list),
	CASE(list_update, WITH(list, list)),
	CASE(cs, WITH(job, job)),
	CASE(wait_cs, WITH(job, job)),
};

const unsigned int nth_drm_ncases = sizeof(nth_drm_cases) / sizeof(nth_drm_cases[0]);
