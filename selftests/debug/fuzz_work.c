// SPDX-License-Identifier: MIT
/*
 * Work that is well-formed, so that programs come as far as waves: queues with
 * their memory in place, kernels of a few instructions, waits for events that
 * there are, and waves in and out of a save area that others write to.
 */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../uapi/drm/amdgpu_drm.h"
#include "../kfd/kfd_util.h"
#include "fuzz.h"

#define RING(_i)	((_i) % FUZZ_RINGS * FUZZ_RING)
#define KERNEL(_i)	(0x8000ul + (_i) % 16 * 0x400ul)
#define ARGS		0xc000ul
#define CODE_AT		256u	/* from the descriptor */

#define SAVE_POLLS	100u
#define NOT_YET		0xffffffffu

unsigned int fuzz_patience = 1;

static int kfd(struct fuzz_state *s, uint64_t v)
{
	return FUZZ_GET(s->kfd, s->nkfd, v);
}

bool fuzz_op_queue(struct fuzz_state *s, const uint64_t *v)
{
	static const uint32_t types[] = {
		KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
		KFD_IOC_QUEUE_TYPE_COMPUTE, KFD_IOC_QUEUE_TYPE_SDMA,
	};
	uintptr_t base = (uintptr_t)s->arena;
	unsigned int i = s->nqueues;
	struct kfd_ioctl_create_queue_args a = {
		.ring_base_address = base + RING(i), .ring_size = 0x1000,
		.write_pointer_address = base + FUZZ_INDICES + i % 16 * 128,
		.read_pointer_address = base + FUZZ_INDICES + i % 16 * 128 + 64,
		.gpu_id = s->gpu_id, .queue_type = types[v[0] & 3],
		.queue_percentage = v[1] & 7 ? 100 : 0, .queue_priority = v[2] & 15,
	};

	if (v[3] & 3) {
		a.ctx_save_restore_address = (uintptr_t)s->area;
		a.ctx_save_restore_size = v[4] & 7 ? FUZZ_AREA : v[4] >> 8 & 0xffff;
		a.ctl_stack_size = v[5] & 7 ? 0x4000 : v[5] >> 8 & 0x1fff;
	}
	if (s->checked && v[5] & 31) {
		a.ctx_save_restore_address = (uintptr_t)s->area;
		a.ctx_save_restore_size = s->size->cwsr;
		a.ctl_stack_size = s->size->ctl;
	}
	/* Memory that was used before: what is there is no more than stale */
	if (v[6] & 1)
		memset((void *)(uintptr_t)(a.write_pointer_address), 0, 128);
	if (ioctl(kfd(s, v[7]), AMDKFD_IOC_CREATE_QUEUE, &a))
		return false;
	fuzz_remember_queue(s, &a);
	return true;
}

/* ------------------------------------------------------------------- kernels */

static unsigned int put_code(uint32_t *w, const uint64_t *v, uint64_t va)
{
	static const uint32_t end = 0xbf810000, spin = 0xbf82ffff;
	unsigned int n = 0;

	if (!(v[1] & 3)) {	/* v_mov_b32 twice, global_store_dword or _load_ or an atomic */
		static const uint32_t memory[] = { 0xdc708000, 0xdc508000, 0xdd088000, 0xdc748000 };

		w[n++] = 0x7e0002ff;
		w[n++] = va;
		w[n++] = 0x7e0202ff;
		w[n++] = va >> 32;
		w[n++] = memory[v[2] & 3];
		w[n++] = v[2] & 4 ? 0x007f0000 : 0x027f0000;
		w[n++] = 0xbf8c0000;	/* s_waitcnt 0 */
	}
	switch (v[3] % 9) {
	case 0: case 1:
		w[n++] = spin;
		break;
	case 2:
		w[n++] = 0xbf8e000a;	/* s_sleep, and back to it or to the beginning */
		w[n] = 0xbf820000 | (v[4] & 1 ? 0xfffe : (uint16_t)-(n + 1));
		n++;
		break;
	case 3:
		w[n++] = 0xbf920000 | (v[4] & 7);	/* s_trap */
		break;
	case 4:
		w[n++] = v[4];		/* whatever that is */
		break;
	case 5:
		w[n++] = 0xbf8d0001;	/* s_sethalt */
		break;
	case 6:
		w[n++] = 0xbf8a0000;	/* s_barrier */
		break;
	}
	w[n++] = end;
	return n;
}

/* A kernel whose first act is a store tells that it runs; others get a moment. */
static void wait_for_kernel(volatile uint32_t *stored, bool stores)
{
	unsigned int i;

	for (i = 0; i < SAVE_POLLS * th_slow() * fuzz_patience && *stored == NOT_YET; i++) {
		if (!stores && i == SAVE_POLLS / 10)
			return;
		usleep(500);
	}
}

/* A kernel in slot 0 and a packet for it, in one of the queues. */
bool fuzz_op_kernel(struct fuzz_state *s, const uint64_t *v)
{
	static const struct fuzz_field anywhere = { .kind = FZ_VA };
	struct fuzz_queue q = FUZZ_GET(s->queue, s->nqueues, v[14]);
	uint8_t *descriptor = s->arena + KERNEL(v[13]);
	volatile uint32_t *stored = (void *)(s->arena + ARGS);
	volatile uint64_t *wptr = (void *)q.wptr;
	bool waits = (v[12] & FUZZ_KERNEL_WAITS) == FUZZ_KERNEL_WAITS;
	uint64_t at;
	uint32_t *w;

	if (q.type != KFD_IOC_QUEUE_TYPE_COMPUTE_AQL || q.bytes != 0x1000 ||
	    q.ring % 64 || !s->doorbells)
		return false;
	memset(descriptor, 0, 64);
	*(int64_t *)(descriptor + 16) = CODE_AT;
	*(uint32_t *)(descriptor + 48) = 0x00ac0041;
	*(uint32_t *)(descriptor + 52) = v[5] & 1 ? v[5] >> 8 & 15 : 0;
	*(uint16_t *)(descriptor + 56) = v[5] & 1 ? v[5] >> 16 & 15 : 0;
	put_code((uint32_t *)(descriptor + CODE_AT), v,
		 v[6] & 32 ? fuzz_value(s, &anywhere, v[6]) : (uintptr_t)s->arena + ARGS);

	at = *wptr;
	w = (uint32_t *)(q.ring + at % 64 * 64);
	memset(w + 1, 0, 60);
	w[1] = 64u << (v[7] & 3) | 1u << 16;
	w[2] = 1;
	w[3] = (1 + (v[7] >> 8) % 4) * (64u << (v[7] & 3));
	w[4] = w[5] = 1;
	w[7] = v[8] & 3 ? 0 : v[8] >> 8 & 0x7fff;
	*(uint64_t *)(w + 8) = (uintptr_t)descriptor;
	*(uint64_t *)(w + 10) = (uintptr_t)s->arena + ARGS;
	if (v[9] & 1)
		*(uint64_t *)(w + 14) = (uintptr_t)s->arena + ARGS + (v[9] >> 8) % 16 * 64;
	if (waits)
		*stored = NOT_YET;
	__atomic_store_n(&w[0], 2 | 2 << 9 | 2 << 11 | (v[10] & 1) << 8 | 1 << 16,
			 __ATOMIC_RELEASE);
	*wptr = at + 1;
	s->doorbells[(q.doorbell & (FUZZ_DOORBELLS - 1)) / 8] = at;
	if (waits)
		wait_for_kernel(stored, !(v[1] & 3 || v[2] & 3 || v[6] & 32));
	else if (v[12] & 1)
		usleep(v[12] >> 8 & 0xfff);
	return true;
}

/* ---------------------------------------------------------- off the GPU and on */

static bool update(struct fuzz_state *s, const struct fuzz_queue *q, uint32_t percentage,
		   const uint64_t *v)
{
	struct kfd_ioctl_update_queue_args a = {
		.ring_base_address = q->ring, .queue_id = q->id, .ring_size = q->bytes,
		.queue_percentage = percentage, .queue_priority = v[4] & 15,
	};

	return !ioctl(kfd(s, v[3]), AMDKFD_IOC_UPDATE_QUEUE, &a);
}

bool fuzz_op_pause(struct fuzz_state *s, const uint64_t *v)
{
	struct fuzz_queue q = FUZZ_GET(s->queue, s->nqueues, v[0]);

	return update(s, &q, v[1] & 1 ? 100 : 0, v);
}

/*
 * True if there are waves in the save areas. The ioctl's own answer is about the first XCC
 * only, and waves may be on any; what each has is in the header of its area.
 */
static bool wave_state(struct fuzz_state *s, const struct fuzz_queue *q, int fd)
{
	struct kfd_ioctl_get_queue_wave_state_args a = {
		.ctl_stack_address = (uintptr_t)s->area, .queue_id = q->id,
	};
	const volatile struct kfd_context_save_area_header *h;
	unsigned int xcc;

	if (ioctl(fd, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &a))
		return false;
	for (xcc = 0; xcc < s->size->xccs; xcc++) {
		h = (const void *)(s->area + (uint64_t)xcc * q->area_bytes);
		if (!h->wave_state.control_stack_size)
			continue;
		__atomic_fetch_add(&fuzz_stats->waves, 1, __ATOMIC_RELAXED);
		return true;
	}
	return false;
}

bool fuzz_op_wave_state(struct fuzz_state *s, const uint64_t *v)
{
	struct fuzz_queue q = FUZZ_GET(s->queue, s->nqueues, v[0]);

	if (v[2] & 3)
		update(s, &q, 0, v);
	return wave_state(s, &q, kfd(s, v[1]));
}

/* As a debugger would, or a madman. */
bool fuzz_op_scribble(struct fuzz_state *s, const uint64_t *v)
{
	uint32_t *w = (uint32_t *)s->area;
	unsigned int i, n = 1 + v[0] % 64;

	for (i = 0; i < n; i++)
		w[(v[1] + i * (v[2] & 1 ? 1 : 61)) % (v[2] & 2 ? FUZZ_AREA / 4 : 0x6000)] =
			v[3] & 1 ? v[4] : v[4] * (i + 1);
	return true;
}

/*
 * All of it in order, which chance hardly comes to: a queue, a kernel that stays,
 * the queue off the GPU when it runs; others write to the waves, and they go on.
 */
bool fuzz_op_save(struct fuzz_state *s, const uint64_t *v)
{
	static const uint8_t stay[] = { 0, 2, 5, 2 };	/* of put_code()'s */
	uint64_t queue[FUZZ_WORDS] = { 0, 1, v[0], 1, v[1] | 1, v[2] | 1, 1, v[3] };
	uint64_t kernel[FUZZ_WORDS], again[FUZZ_WORDS] = { 0, 0, 0, v[3], v[4] };
	struct fuzz_queue q;
	bool saved;

	if (!fuzz_op_queue(s, queue))
		return false;
	memcpy(kernel, v, sizeof(kernel));
	if (v[0] & 3)
		kernel[1] = kernel[2] = kernel[6] = 0;
	kernel[3] = stay[v[3] >> 8 & 3];
	kernel[12] = FUZZ_KERNEL_WAITS;
	kernel[14] = s->nqueues - 1;
	q = FUZZ_GET(s->queue, s->nqueues, kernel[14]);
	if (!fuzz_op_kernel(s, kernel))
		return false;
	update(s, &q, 0, again);
	saved = wave_state(s, &q, kfd(s, v[3]));
	if (v[0] & 16)
		fuzz_op_scribble(s, v + 4);
	if (v[0] & 32)
		update(s, &q, 100, again);
	if (v[0] & 64)
		usleep(v[0] >> 8 & 0xfff);
	if (v[0] & 128)
		fuzz_op_wave_state(s, kernel + 3);
	return saved;
}

/* ------------------------------------------------------------------- events */

bool fuzz_op_wait(struct fuzz_state *s, const uint64_t *v)
{
	static const struct fuzz_field event = { .kind = FZ_EVENT };
	struct kfd_event_data d[8];
	struct kfd_ioctl_wait_events_args a = {
		.events_ptr = (uintptr_t)d, .num_events = 1 + v[0] % 8,
		.wait_for_all = v[1] & 1, .timeout = v[2] % 20,
	};
	unsigned int i;

	memset(d, 0, sizeof(d));
	for (i = 0; i < a.num_events; i++) {
		d[i].event_id = fuzz_value(s, &event, v[3 + i]);
		d[i].signal_event_data.last_event_age = v[11] >> i * 4 & 3;
	}
	return !ioctl(kfd(s, v[12]), AMDKFD_IOC_WAIT_EVENTS, &a);
}

/* -------------------------------------------------------------------- jobs */

#define JOB(_i)		(0xd000ul + (_i) % 4 * 0x400ul)

/* A packet of SDMA that is whole; some of them do nothing but harm. */
static unsigned int put_packet(uint32_t *w, uint64_t va, uint64_t v)
{
	switch (v % 7) {
	case 0:
		w[0] = 1;			/* COPY */
		w[1] = v >> 8 & 0x3ff;
		w[2] = 0;
		w[5] = va + 0x400;
		w[6] = (va + 0x400) >> 32;
		w[3] = va;
		w[4] = va >> 32;
		return 7;
	case 1:
		w[0] = 2;			/* WRITE */
		w[3] = v >> 8 & 3;
		w[1] = va;
		w[2] = va >> 32;
		memset(w + 4, 0x5a, 4 * (w[3] + 1));
		return 5 + w[3];
	case 2:
		w[0] = 11 | 2u << 30;		/* CONST_FILL */
		w[3] = v >> 16;
		w[4] = v >> 8 & 0xfff;
		break;
	case 3:
		w[0] = 5;			/* FENCE */
		w[3] = v >> 16;
		w[1] = va;
		w[2] = va >> 32;
		return 4;
	case 4:
		w[0] = 10 | (v >> 8 & 0x7f) << 25;	/* ATOMIC */
		w[3] = w[4] = w[5] = w[6] = w[7] = v >> 16;
		w[1] = va;
		w[2] = va >> 32;
		return 8;
	case 5:
		w[0] = v >> 8;			/* whatever that is */
		return 1;
	default:
		w[0] = (v >> 8 & 3) << 16;	/* NOP */
		return 1 + (v >> 8 & 3);
	}
	w[1] = va;
	w[2] = va >> 32;
	return 5;
}

/*
 * Packets in slot 0 as a job of a context, which is made if there is none. True if
 * the job was done to its end.
 */
bool fuzz_op_job(struct fuzz_state *s, const uint64_t *v)
{
	static const struct fuzz_field anywhere = { .kind = FZ_VA }, id = { .kind = FZ_CTX };
	union drm_amdgpu_ctx ctx = { .in = { .op = AMDGPU_CTX_OP_ALLOC_CTX } };
	struct drm_amdgpu_cs_chunk_ib ib = {
		.va_start = (uintptr_t)s->arena + JOB(v[0]), .ip_type = AMDGPU_HW_IP_DMA,
		.ring = v[1] & 1,
	};
	struct drm_amdgpu_cs_chunk chunk = {
		AMDGPU_CHUNK_ID_IB, sizeof(ib) / 4, (uintptr_t)&ib,
	};
	uint64_t chunks[2] = { (uintptr_t)&chunk, (uintptr_t)&chunk };
	uint32_t *w = (uint32_t *)(uintptr_t)ib.va_start;
	union drm_amdgpu_cs cs = { 0 };
	int fd = FUZZ_GET(s->drm, s->ndrm, v[2]);
	unsigned int i, n = 0;

	for (i = 0; i < 1 + v[3] % 4; i++)
		n += put_packet(w + n, v[4 + i] & 3 ? (uintptr_t)s->arena + ARGS :
				fuzz_value(s, &anywhere, v[4 + i] >> 2), v[8 + i]);
	ib.ib_bytes = 4 * n;
	if (!s->n[FZ_CTX] || !(v[12] & 15)) {
		if (ioctl(fd, DRM_IOCTL_AMDGPU_CTX, &ctx))
			return false;
		FUZZ_PUT(s->pool[FZ_CTX], s->n[FZ_CTX], ctx.out.alloc.ctx_id);
	}
	cs.in.ctx_id = fuzz_value(s, &id, v[13] | 1);
	cs.in.num_chunks = 1 + (v[14] & 1);
	cs.in.chunks = (uintptr_t)chunks;
	ctx.in = (struct drm_amdgpu_ctx_in){
		.op = AMDGPU_CTX_OP_QUERY_STATE, .ctx_id = cs.in.ctx_id,
	};
	return !ioctl(fd, DRM_IOCTL_AMDGPU_CS, &cs) &&
	       !ioctl(fd, DRM_IOCTL_AMDGPU_CTX, &ctx) && !ctx.out.state.reset_status;
}
