// SPDX-License-Identifier: MIT
/* The calls of the render node, each with every failure. */
#include <sys/stat.h>
#include <sys/sysmacros.h>

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

/* The same with a syncobj that is waited for, and signalled then. */
static void prepare_syncobj(struct nth *t, uint64_t *token)
{
	struct drm_syncobj_create c = { .flags = DRM_SYNCOBJ_CREATE_SIGNALED };

	ASSERT_EQ(0, kfd_err(t->g.drm, DRM_IOCTL_SYNCOBJ_CREATE, &c));
	t->own = c.handle;
	*token = 0;
}

static int call_gem_map_sync(struct nth *t, uint64_t *token)
{
	struct drm_amdgpu_gem_va a = {
		.handle = t->gem, .operation = AMDGPU_VA_OP_MAP, .flags = AMDGPU_VM_PAGE_READABLE,
		.va_address = (uintptr_t)t->va, .map_size = 4 * PAGE, .vm_timeline_point = 1,
		.vm_timeline_syncobj_out = t->own, .num_syncobj_handles = 1,
		.input_fence_syncobj_handles = (uintptr_t)&t->own,
	};

	*token = 0;
	return kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_GEM_VA, &a);
}

static void undo_gem_map_sync(struct nth *t, uint64_t token)
{
	struct drm_syncobj_destroy d = { .handle = t->own };

	undo_gem_map(t, token);
	ASSERT_EQ(0, kfd_err(t->g.drm, DRM_IOCTL_SYNCOBJ_DESTROY, &d));
}

static int call_gem_userptr(struct nth *t, uint64_t *token)
{
	struct drm_amdgpu_gem_userptr a = {
		.addr = (uintptr_t)nth_page(t, 4), .size = 4 * PAGE,
		.flags = AMDGPU_GEM_USERPTR_REGISTER | AMDGPU_GEM_USERPTR_VALIDATE,
	};
	int err = kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_GEM_USERPTR, &a);

	*token = a.handle;
	return err;
}

static int call_vmid(struct nth *t, uint64_t *token)
{
	union drm_amdgpu_vm a = { .in = { .op = AMDGPU_VM_OP_RESERVE_VMID } };

	*token = 0;
	return kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_VM, &a);
}

static void undo_vmid(struct nth *t, uint64_t token)
{
	union drm_amdgpu_vm a = { .in = { .op = AMDGPU_VM_OP_UNRESERVE_VMID } };

	(void)token;
	ASSERT_EQ(0, kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_VM, &a));
}

/* The master is who opens the card first. */
static void prepare_card(struct nth *t, uint64_t *token)
{
	char path[32];
	struct stat st;
	int fd;

	ASSERT_EQ(0, fstat(t->g.drm, &st));
	snprintf(path, sizeof(path), "/dev/dri/card%u", minor(st.st_rdev) - 128);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	*token = fd;
}

static int call_sched(struct nth *t, uint64_t *token)
{
	union drm_amdgpu_sched a = {
		.in = { AMDGPU_SCHED_OP_PROCESS_PRIORITY_OVERRIDE, t->g.drm,
			AMDGPU_CTX_PRIORITY_NORMAL, 0 },
	};

	return kfd_err(*token, DRM_IOCTL_AMDGPU_SCHED, &a);
}

static void undo_card(struct nth *t, uint64_t token)
{
	(void)t;
	close(token);
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

static int call_wait_fences(struct nth *t, uint64_t *token)
{
	struct drm_amdgpu_fence f = {
		.ctx_id = t->ctx, .ip_type = AMDGPU_HW_IP_DMA, .seq_no = ~0ull,
	};
	union drm_amdgpu_wait_fences a = { .in = { .fences = (uintptr_t)&f, .fence_count = 1 } };

	*token = 0;
	return kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_WAIT_FENCES, &a);
}

static int call_fence_file(struct nth *t, uint64_t *token)
{
	union drm_amdgpu_fence_to_handle a = {
		.in = { .fence = { .ctx_id = t->ctx, .ip_type = AMDGPU_HW_IP_DMA },
			.what = AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD },
	};
	int err = kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, &a);

	*token = 0;
	if (!err)
		close(a.out.handle);
	return err;
}

/* -------------------------------------------------------------- user queues */

#define USER_QUEUE	"/sys/module/vkfd/parameters/user_queue"

static void user_queue_set(const char *value)
{
	int fd = open(USER_QUEUE, O_WRONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	ASSERT_EQ((ssize_t)strlen(value), write(fd, value, strlen(value)));
	close(fd);
}

/* A ring, its indices and an area of four pages in all, and a doorbell. */
static void prepare_doorbell(struct nth *t, uint64_t *token)
{
	user_queue_set("1");
	ASSERT_EQ(0, gem_create(t->g.drm, PAGE, AMDGPU_GEM_DOMAIN_GTT, 0, &t->own));
	ASSERT_EQ(0, gem_va(t->g.drm, AMDGPU_VA_OP_MAP, t->own, t->va, 0, PAGE,
			    AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE));
	ASSERT_EQ(0, gem_create(t->g.drm, PAGE, AMDGPU_GEM_DOMAIN_DOORBELL, 0, &t->ctx));
	*token = 0;
}

static void undo_doorbell(struct nth *t, uint64_t token)
{
	undo_gem_map(t, token);
	undo_gem(t, t->own);
	undo_gem(t, t->ctx);
	user_queue_set("-1");
}

static int call_userq(struct nth *t, uint64_t *token)
{
	uint64_t page = (uintptr_t)t->va;
	struct drm_amdgpu_userq_mqd_compute_gfx11 mqd = { page };
	union drm_amdgpu_userq a = {
		.in = { .op = AMDGPU_USERQ_OP_CREATE, .ip_type = AMDGPU_HW_IP_COMPUTE,
			.doorbell_handle = t->ctx, .queue_va = page, .queue_size = PAGE,
			.rptr_va = page + 2048, .wptr_va = page + 2056, .mqd = (uintptr_t)&mqd,
			.mqd_size = sizeof(mqd) },
	};
	int err = kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_USERQ, &a);

	*token = err ? 0 : a.out.queue_id;
	return err;
}

static void undo_userq(struct nth *t, uint64_t token)
{
	union drm_amdgpu_userq a = { .in = { .op = AMDGPU_USERQ_OP_FREE, .queue_id = token } };

	ASSERT_EQ(0, kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_USERQ, &a));
	undo_doorbell(t, 0);
}

static void prepare_userq(struct nth *t, uint64_t *token)
{
	prepare_doorbell(t, token);
	ASSERT_EQ(0, call_userq(t, token));
}

static int call_userq_signal(struct nth *t, uint64_t *token)
{
	struct drm_amdgpu_userq_signal a = {
		.queue_id = *token, .bo_read_handles = (uintptr_t)&t->gem, .num_bo_read_handles = 1,
		.bo_write_handles = (uintptr_t)&t->own, .num_bo_write_handles = 1,
	};

	return kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_USERQ_SIGNAL, &a);
}

static int call_userq_wait(struct nth *t, uint64_t *token)
{
	struct drm_amdgpu_userq_fence_info info[2];
	struct drm_amdgpu_userq_wait a = {
		.waitq_id = *token, .bo_read_handles = (uintptr_t)&t->gem, .num_bo_read_handles = 1,
		.num_fences = 2, .out_fences = (uintptr_t)info,
	};

	return kfd_err(t->g.drm, DRM_IOCTL_AMDGPU_USERQ_WAIT, &a);
}

struct nth_case nth_drm_cases[] = {
	CASE(gem_create, .undo = undo_gem),
	CASE(gem_close, .prepare = prepare_gem),
	CASE(gem_offset),
	CASE(gem_map, .undo = undo_gem_map),
	CASE(gem_map_sync, WITH(syncobj, gem_map_sync)),
	CASE(gem_userptr, .undo = undo_gem),
	CASE(vmid, .undo = undo_vmid),
	CASE(sched, WITH(card, card)),
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
	CASE(wait_fences, WITH(job, job)),
	CASE(fence_file, WITH(job, job)),
	CASE(userq, WITH(doorbell, userq)),
	CASE(userq_signal, WITH(userq, userq)),
	CASE(userq_wait, WITH(userq, userq)),
};

const unsigned int nth_drm_ncases = sizeof(nth_drm_cases) / sizeof(nth_drm_cases[0]);
