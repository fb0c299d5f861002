// SPDX-License-Identifier: MIT
/* The render node: its files, its objects, their addresses, jobs, dma-bufs. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "race.h"
#include "../../uapi/drm/amdgpu_drm.h"

#define JOB_WORDS	5u

static void step_open(struct race_task *t)
{
	const struct race_machine *m = t->world->machine;
	long fd = race_open(race_random(t) & 3 ? m->render : m->card, O_RDWR);

	race_close(fd);
}

static void step_info(struct race_task *t)
{
	uint8_t out[1024];
	struct drm_amdgpu_info a = {
		.return_pointer = (uintptr_t)out, .return_size = sizeof(out),
		.query = race_random(t) % 0x23,
	};

	race_drm(t, DRM_IOCTL_AMDGPU_INFO, &a);
}

static uint32_t create(struct race_task *t)
{
	union drm_amdgpu_gem_create g = {
		.in = { .bo_size = RACE_SLOT,
			.domains = race_random(t) & 1 ? AMDGPU_GEM_DOMAIN_GTT :
							AMDGPU_GEM_DOMAIN_VRAM },
	};

	return race_drm(t, DRM_IOCTL_AMDGPU_GEM_CREATE, &g) ? 0 : g.out.handle;
}

static void close_handle(struct race_task *t, uint32_t handle)
{
	struct drm_gem_close c = { .handle = handle };

	race_drm(t, DRM_IOCTL_GEM_CLOSE, &c);
}

static void step_gem(struct race_task *t)
{
	uint32_t handle = create(t);
	union drm_amdgpu_gem_mmap m = { .in = { .handle = handle } };
	union drm_amdgpu_gem_wait_idle idle = { .in = { .handle = handle } };
	struct drm_amdgpu_gem_metadata md = {
		.handle = handle, .op = 1 + (race_random(t) & 1), .data.data_size_bytes = 64,
	};
	uint8_t *p = NULL;

	if (!handle)
		return;
	if (!race_drm(t, DRM_IOCTL_AMDGPU_GEM_MMAP, &m))
		p = race_mmap(NULL, RACE_SLOT, PROT_READ | PROT_WRITE, MAP_SHARED, t->world->drm,
			      m.out.addr_ptr);
	race_touch(p, true);
	race_drm(t, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &idle);
	race_drm(t, DRM_IOCTL_AMDGPU_GEM_METADATA, &md);
	close_handle(t, handle);
	race_touch(p + RACE_PAGE, true);
	race_munmap(p, RACE_SLOT);
}

/* The low handles, which are whose they are. */
static void step_va(struct race_task *t)
{
	uint32_t handle = race_random(t) & 1 ? create(t) : 1 + race_random(t) % 4;
	struct drm_amdgpu_gem_va v = {
		.handle = handle, .operation = 1 + race_random(t) % 4,
		.flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE,
		.va_address = RACE_GPU_VA + race_random(t) % 128 * RACE_SLOT,
		.map_size = race_random(t) & 1 ? RACE_SLOT : 4 * RACE_PAGE,
	};

	race_drm(t, DRM_IOCTL_AMDGPU_GEM_VA, &v);
	v.operation = AMDGPU_VA_OP_CLEAR;
	race_drm(t, DRM_IOCTL_AMDGPU_GEM_VA, &v);
	close_handle(t, handle);
}

/* The task's own memory as an object, which others take away by munmap(), or close. */
static void step_user(struct race_task *t)
{
	uint8_t *slot = race_slot(t);
	struct drm_amdgpu_gem_userptr u = {
		.addr = (uintptr_t)slot, .size = RACE_SLOT,
		.flags = AMDGPU_GEM_USERPTR_REGISTER |
			 (race_random(t) & 1 ? AMDGPU_GEM_USERPTR_VALIDATE : 0),
	};
	struct drm_amdgpu_gem_va v = {
		.operation = AMDGPU_VA_OP_MAP + 3 * (race_random(t) & 1),
		.flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE,
		.va_address = RACE_GPU_VA + race_random(t) % 128 * RACE_SLOT, .map_size = RACE_SLOT,
	};
	union drm_amdgpu_vm vmid = { .in = { .op = 1 + (race_random(t) & 1) } };

	if (!race_drm(t, DRM_IOCTL_AMDGPU_GEM_USERPTR, &u)) {
		v.handle = u.handle;
		race_drm(t, DRM_IOCTL_AMDGPU_GEM_VA, &v);
		close_handle(t, u.handle);
	}
	race_drm(t, DRM_IOCTL_AMDGPU_VM, &vmid);
}

/* A fill of a slot, or a store to it, by a job of a context. */
static void step_cs(struct race_task *t)
{
	union drm_amdgpu_ctx ctx = { .in = { .op = AMDGPU_CTX_OP_ALLOC_CTX } };
	uint8_t *slot = race_slot(t);
	uint64_t handle = race_userptr(t, slot, RACE_SLOT);
	struct drm_amdgpu_cs_chunk_ib ib = {
		.va_start = (uintptr_t)slot, .ip_type = AMDGPU_HW_IP_DMA, .ib_bytes = 4 * JOB_WORDS,
	};
	struct drm_amdgpu_cs_chunk chunk = {
		AMDGPU_CHUNK_ID_IB, sizeof(ib) / 4, (uintptr_t)&ib,
	};
	uint64_t chunks = (uintptr_t)&chunk, to = (uintptr_t)slot + RACE_PAGE;
	union drm_amdgpu_wait_cs wait = { .in = { .ip_type = AMDGPU_HW_IP_DMA } };
	union drm_amdgpu_cs cs = { 0 };
	/* Another task may take the slot away: by the kernel's hands */
	uint32_t w[JOB_WORDS] = { 11 | 2u << 30, to, to >> 32, 0x5a5a5a5a, 4095 };
	const uint32_t pm4[JOB_WORDS] = { 0xc0033702, 5u << 8 | 1u << 20, to, to >> 32, 1 };
	int pipe[2];

	if (race_random(t) & 1) {
		memcpy(w, pm4, sizeof(w));
		ib.ip_type = AMDGPU_HW_IP_COMPUTE;
		ib.ring = race_random(t) % 4;
		wait.in.ip_type = ib.ip_type;
		wait.in.ring = ib.ring;
	}
	if (!race_call(pipe2, pipe, O_CLOEXEC | O_NONBLOCK)) {
		race_call(write, pipe[1], w, sizeof(w));
		race_call(read, pipe[0], slot, sizeof(w));
		race_close(pipe[0]);
		race_close(pipe[1]);
	}
	if (!race_drm(t, DRM_IOCTL_AMDGPU_CTX, &ctx)) {
		cs.in.ctx_id = ctx.out.alloc.ctx_id;
		cs.in.num_chunks = 1;
		cs.in.chunks = (uintptr_t)&chunks;
		wait.in.ctx_id = cs.in.ctx_id;
		race_drm(t, DRM_IOCTL_AMDGPU_CS, &cs);
		wait.in.handle = cs.out.handle;
		race_drm(t, DRM_IOCTL_AMDGPU_WAIT_CS, &wait);
		ctx.in = (struct drm_amdgpu_ctx_in){
			.op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = wait.in.ctx_id,
		};
		race_drm(t, DRM_IOCTL_AMDGPU_CTX, &ctx);
	}
	if (handle)
		race_free(t, handle);
}

/* A user queue, its fence, and its end; slots of others are its ring. */
static void step_userq(struct race_task *t)
{
	uint64_t slot = RACE_GPU_VA + race_random(t) % 128 * RACE_SLOT;
	uint32_t ring = create(t), index = 0, doorbell = 0;
	struct drm_amdgpu_userq_mqd_compute_gfx11 mqd = { slot };
	union drm_amdgpu_gem_create g = {
		.in = { .bo_size = RACE_PAGE, .domains = AMDGPU_GEM_DOMAIN_GTT },
	};
	struct drm_amdgpu_gem_va v = {
		.handle = ring, .operation = AMDGPU_VA_OP_REPLACE,
		.flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE, .va_address = slot,
		.map_size = RACE_PAGE,
	};
	union drm_amdgpu_gem_mmap m;
	union drm_amdgpu_userq q;
	struct drm_amdgpu_userq_signal s = { 0 };
	struct drm_amdgpu_userq_wait w = { .num_fences = 1, .out_fences = (uintptr_t)race_slot(t) };
	uint64_t *p = NULL;

	if (!race_drm(t, DRM_IOCTL_AMDGPU_GEM_CREATE, &g))
		index = g.out.handle;
	g.in = (struct drm_amdgpu_gem_create_in){
		.bo_size = RACE_PAGE, .domains = AMDGPU_GEM_DOMAIN_DOORBELL,
	};
	if (!race_drm(t, DRM_IOCTL_AMDGPU_GEM_CREATE, &g))
		doorbell = g.out.handle;
	race_drm(t, DRM_IOCTL_AMDGPU_GEM_VA, &v);
	v.handle = index;
	v.va_address += RACE_PAGE;
	race_drm(t, DRM_IOCTL_AMDGPU_GEM_VA, &v);
	m.in.handle = doorbell;
	if (!race_drm(t, DRM_IOCTL_AMDGPU_GEM_MMAP, &m))
		p = race_mmap(NULL, RACE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, t->world->drm,
			      m.out.addr_ptr);
	q.in = (struct drm_amdgpu_userq_in){
		.op = AMDGPU_USERQ_OP_CREATE, .ip_type = AMDGPU_HW_IP_COMPUTE,
		.doorbell_handle = doorbell, .queue_va = slot, .queue_size = RACE_PAGE,
		.wptr_va = slot + RACE_PAGE, .rptr_va = slot + RACE_PAGE + 8,
		.mqd = (uintptr_t)&mqd, .mqd_size = sizeof(mqd),
	};
	if (!race_drm(t, DRM_IOCTL_AMDGPU_USERQ, &q)) {
		uint32_t id = q.out.queue_id;

		s.queue_id = id;
		w.waitq_id = id;
		s.bo_write_handles = (uintptr_t)&ring;
		s.num_bo_write_handles = 1;
		race_drm(t, DRM_IOCTL_AMDGPU_USERQ_SIGNAL, &s);
		race_touch((uint8_t *)p, true);
		race_drm(t, DRM_IOCTL_AMDGPU_USERQ_WAIT, &w);
		q.in = (struct drm_amdgpu_userq_in){
			.op = AMDGPU_USERQ_OP_FREE, .queue_id = race_random(t) & 3 ? id : 1,
		};
		race_drm(t, DRM_IOCTL_AMDGPU_USERQ, &q);
	}
	race_munmap((uint8_t *)p, RACE_PAGE);
	close_handle(t, doorbell);
	close_handle(t, index);
	close_handle(t, ring);
}

/* Somebody else's jobs: their fences as files, and the wait for them. */
static void step_fences(struct race_task *t)
{
	struct drm_amdgpu_fence fence[2] = {
		{ .ctx_id = 1 + race_random(t) % 4, .ip_type = AMDGPU_HW_IP_DMA, .seq_no = ~0ull },
		{ .ctx_id = 1 + race_random(t) % 4, .ip_type = AMDGPU_HW_IP_COMPUTE,
		  .ring = race_random(t) % 4, .seq_no = ~0ull },
	};
	union drm_amdgpu_fence_to_handle h = {
		.in = { .fence = fence[1], .what = AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD },
	};
	union drm_amdgpu_wait_fences w = {
		.in = { (uintptr_t)fence, 2, race_random(t) & 1, 0 },
	};

	race_drm(t, DRM_IOCTL_AMDGPU_WAIT_FENCES, &w);
	if (!race_drm(t, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, &h)) {
		struct pollfd poll_fd = { .fd = h.out.handle, .events = POLLIN };

		race_call(poll, &poll_fd, 1, 0);
		race_close(h.out.handle);
	}
}

static void step_list(struct race_task *t)
{
	struct drm_amdgpu_bo_list_entry e[2] = { { .bo_handle = create(t) },
						 { .bo_handle = 1 + race_random(t) % 4 } };
	union drm_amdgpu_bo_list l = {
		.in = { .operation = AMDGPU_BO_LIST_OP_CREATE, .bo_number = 1 + (race_random(t) & 1),
			.bo_info_size = sizeof(e[0]), .bo_info_ptr = (uintptr_t)e },
	};

	if (!race_drm(t, DRM_IOCTL_AMDGPU_BO_LIST, &l)) {
		uint32_t list = l.out.list_handle;

		l.in = (struct drm_amdgpu_bo_list_in){
			.operation = AMDGPU_BO_LIST_OP_DESTROY, .list_handle = list,
		};
		race_drm(t, DRM_IOCTL_AMDGPU_BO_LIST, &l);
	}
	close_handle(t, e[0].bo_handle);
}

static void step_prime(struct race_task *t)
{
	uint32_t handle = race_random(t) & 1 ? create(t) : 1 + race_random(t) % 4;
	struct drm_prime_handle p = { .handle = handle, .flags = O_CLOEXEC | O_RDWR, .fd = -1 };
	struct pollfd poll_fd = { .events = POLLIN | POLLOUT };
	struct kfd_ioctl_import_dmabuf_args i = {
		.va_addr = RACE_GPU_VA, .gpu_id = t->world->machine->gpu_id,
	};
	uint8_t *m;

	if (race_drm(t, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p)) {
		close_handle(t, handle);
		return;
	}
	poll_fd.fd = p.fd;
	race_call(poll, &poll_fd, 1, 0);
	m = race_mmap(NULL, RACE_SLOT, PROT_READ | PROT_WRITE, MAP_SHARED, p.fd, 0);
	race_touch(m, true);
	close_handle(t, handle);
	if (!race_drm(t, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p))
		close_handle(t, p.handle);
	i.dmabuf_fd = p.fd;
	if (!race_kfd(t, AMDKFD_IOC_IMPORT_DMABUF, &i))
		race_free(t, i.handle);
	race_close(p.fd);
	race_munmap(m, RACE_SLOT);
}

const struct race_actor race_drm_actors[] = {
	{ .name = "drm-open", .step = step_open },
	{ .name = "drm-info", .step = step_info },
	{ .name = "gem", .step = step_gem },
	{ .name = "gem-va", .step = step_va },
	{ .name = "gem-user", .step = step_user },
	{ .name = "cs", .step = step_cs },
	{ .name = "cs-fences", .step = step_fences },
	{ .name = "userq", .step = step_userq },
	{ .name = "bo-list", .step = step_list },
	{ .name = "prime", .step = step_prime },
	{ 0 }
};
