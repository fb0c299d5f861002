// SPDX-License-Identifier: MIT
/* Runs a program of the fuzzer: values from words, and what becomes of results. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../uapi/drm/amdgpu_drm.h"
#include "../kfd/kfd_util.h"
#include "fuzz.h"

#define ARENA	((void *)0x200000000ul)

static struct fuzz_state state;
static struct queue_area area;
struct fuzz_stats *fuzz_stats;

/* Ids do not change while the fuzzer runs, and looking them up is slow. */
void fuzz_setup(void)
{
	int node = gpu_node(0);

	ASSERT_LE(0, node);
	state.gpu_id = node_gpu_id(node);
	state.render_minor = node_prop(node, "drm_render_minor");
	area = queue_area(node);
	state.size = &area;
	fuzz_stats = mmap(NULL, sizeof(*fuzz_stats), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)fuzz_stats);
}

/* ------------------------------------------------------------------- values */

static uint64_t special(uint64_t v)
{
	static const uint64_t values[] = {
		0, 1, ~0ull, 0x1000, 0xfff, 0x1001, 0x7fffffff, 0x80000000, 0xffffffff,
		0x100000000, 0x7fffffffffff, 0x800000000000, 0xffff800000000000, 1ull << 63,
		0x7ffffffff000, 0xfffffffffffff000,
	};

	return v & 3 ? values[v / 4 % (sizeof(values) / sizeof(values[0]))] : v;
}

static uint64_t size_value(uint64_t v)
{
	static const uint32_t sizes[] = { 0x1000, 0x1000, 0x2000, 0x4000, 0x8000, 0x10000, 0x400,
					  0x40000 };

	return v & 7 ? sizes[v / 8 % 8] : v / 8 % 0x300000;
}

/* What a queue is made of where its buffers are looked at. */
static bool exact_value(const struct fuzz_state *s, uint8_t kind, uint64_t w, uint64_t *value)
{
	uintptr_t base = (uintptr_t)s->arena;

	if (!s->checked || !(w & 31))
		return false;
	w >>= 5;
	switch (kind) {
	case FZ_RING:
		*value = base + w % FUZZ_RINGS * FUZZ_RING;
		return true;
	case FZ_RING_BYTES:
		*value = FUZZ_RING;
		return true;
	case FZ_INDEX:
		*value = base + FUZZ_INDICES + w % (FUZZ_RING / 64) * 64;
		return true;
	case FZ_EOP:
		*value = w & 3 ? base + FUZZ_EOP : 0;
		return true;
	case FZ_EOP_BYTES:
		*value = FUZZ_RING;
		return true;
	case FZ_AREA_BYTES:
		*value = s->size->cwsr;
		return true;
	case FZ_STACK_BYTES:
		*value = s->size->ctl;
		return true;
	case FZ_AREA:
		*value = (uintptr_t)s->area;
		return true;
	}
	return false;
}

uint64_t fuzz_value(struct fuzz_state *s, const struct fuzz_field *f, uint64_t v)
{
	uint64_t w = v >> 8, exact;

	if (!(v & 31))
		return special(w);
	if (exact_value(s, f->kind, w, &exact))
		return exact;
	switch (f->kind) {
	case FZ_GPU:
		return s->gpu_id;
	case FZ_DRM:
		return FUZZ_GET(s->drm, s->ndrm, w);
	case FZ_BUF:
		return FUZZ_GET(s->buf, s->nbuf, w);
	case FZ_QUEUE: case FZ_EVENT: case FZ_HANDLE: case FZ_GEM: case FZ_CTX:
	case FZ_LIST:
		return FUZZ_GET(s->pool[f->kind], s->n[f->kind], w);
	case FZ_VA: case FZ_RING: case FZ_INDEX: case FZ_EOP:
		return (uintptr_t)s->arena + w % FUZZ_SLOTS * FUZZ_SLOT + (v & 32 ? w & 0xf000 : 0) +
		       (v & 0x1c0 ? 0 : w & 0xff8);
	case FZ_MEM:
		return (uintptr_t)s->mem + (w % 16) * 0x1000 + (v & 32 ? w & 0xff8 : 0);
	case FZ_AREA:
		return w & 3 ? (uintptr_t)s->area : w & 4 ? 0 : (uintptr_t)s->area + (w & 0xfff8);
	case FZ_PAGE:
		return w & 7 ? 0 : FUZZ_GET(s->pool[FZ_HANDLE], s->n[FZ_HANDLE], w >> 3);
	case FZ_SIZE: case FZ_RING_BYTES: case FZ_EOP_BYTES: case FZ_AREA_BYTES:
	case FZ_STACK_BYTES:
		return size_value(w);
	case FZ_ENUM:
		return w % (f->arg + 1);
	case FZ_BITS:
		return f->arg & w & (w >> 16);
	case FZ_SMALL:
		return w % 20;
	}
	return w;
}

/* ----------------------------------------------------------------- an ioctl */

static void add_queue(struct fuzz_state *s, const struct kfd_ioctl_create_queue_args *a)
{
	struct fuzz_queue q = {
		.id = a->queue_id, .bytes = a->ring_size, .type = a->queue_type,
		.ring = a->ring_base_address, .wptr = a->write_pointer_address,
		.doorbell = a->doorbell_offset, .area_bytes = a->ctx_save_restore_size,
	};

	FUZZ_PUT(s->queue, s->nqueues, q);
}

void fuzz_remember_queue(struct fuzz_state *s, const struct kfd_ioctl_create_queue_args *a)
{
	FUZZ_PUT(s->pool[FZ_QUEUE], s->n[FZ_QUEUE], a->queue_id);
	add_queue(s, a);
}

static void remember(struct fuzz_state *s, const struct fuzz_call *c, const uint8_t *data)
{
	uint64_t out = 0;

	if (c->out.kind != FZ_END) {
		memcpy(&out, data + c->out.at, c->out.bytes);
		if (c->out.kind == FZ_BUF)
			FUZZ_PUT(s->buf, s->nbuf, (int)out);
		else
			FUZZ_PUT(s->pool[c->out.kind], s->n[c->out.kind], out);
	}
	if (c->cmd == AMDKFD_IOC_CREATE_QUEUE)
		add_queue(s, (const void *)data);
	if (c->cmd == AMDKFD_IOC_ALLOC_MEMORY_OF_GPU)
		FUZZ_PUT(s->offset, s->noffsets,
			 ((const struct kfd_ioctl_alloc_memory_of_gpu_args *)data)->mmap_offset);
}

static bool fuzz_ioctl(struct fuzz_state *s, const struct fuzz_call *c, const uint64_t *v)
{
	uint8_t data[1024] __attribute__((aligned(8))) = { 0 };
	unsigned int i;
	int fd;

	for (i = 0; i < FUZZ_WORDS && c->in[i].kind != FZ_END; i++) {
		uint64_t value = fuzz_value(s, &c->in[i], v[i]);

		memcpy(data + c->in[i].at, &value, c->in[i].bytes);
	}
	fd = c->drm ? FUZZ_GET(s->drm, s->ndrm, v[15] >> 4) : FUZZ_GET(s->kfd, s->nkfd, v[15] >> 4);
	if (ioctl(fd, c->cmd, data))
		return false;
	remember(s, c, data);
	return true;
}

/* ------------------------------------------------------------------ a program */

static __thread sigjmp_buf on_fault;
static __thread volatile sig_atomic_t may_fault;

static void fault(int sig)
{
	if (may_fault)
		siglongjmp(on_fault, sig);
	_exit(1);
}

static void run_op(const struct fuzz_op *op)
{
	const struct fuzz_call *calls, *c;
	unsigned int n = fuzz_calls(&calls), row = op->call % n;
	uint64_t begin;

	c = &calls[row];
	begin = fuzz_now();
	__atomic_fetch_add(&fuzz_stats->tried[state.checked][row], 1, __ATOMIC_RELAXED);
	if (!sigsetjmp(on_fault, 1)) {
		may_fault = 1;
		if (c->cmd ? fuzz_ioctl(&state, c, op->v) : c->fn(&state, op->v))
			__atomic_fetch_add(&fuzz_stats->done[state.checked][row], 1,
					   __ATOMIC_RELAXED);
	}
	may_fault = 0;
	__atomic_fetch_add(&fuzz_stats->ns[row], fuzz_now() - begin, __ATOMIC_RELAXED);
}

struct part {
	const struct fuzz_prog *p;
	unsigned int from, to;
};

static void *run_part(void *arg)
{
	const struct part *part = arg;
	unsigned int i;

	for (i = part->from; i < part->to; i++)
		run_op(&part->p->op[i]);
	return NULL;
}

static size_t area_bytes(const struct fuzz_state *s)
{
	return s->checked ? s->size->bytes : (size_t)FUZZ_AREA * s->size->xccs;
}

static void map_memory(struct fuzz_state *s)
{
	uint32_t *w;
	unsigned int i;

	/* Slots in turns: memory, nothing; the first half of the memory is there */
	s->arena = mmap(ARENA, FUZZ_SLOTS * FUZZ_SLOT, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	s->area = mmap(s->arena + FUZZ_SLOTS * FUZZ_SLOT, area_bytes(s), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	s->mem = mmap(NULL, FUZZ_MEM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s->arena == MAP_FAILED || s->area == MAP_FAILED || s->mem == MAP_FAILED)
		_exit(2);
	for (i = 0; i < FUZZ_SLOTS; i += 2)
		mprotect(s->arena + i * FUZZ_SLOT, FUZZ_SLOT, PROT_READ | PROT_WRITE);
	w = (uint32_t *)s->mem;
	for (i = 0; i < FUZZ_MEM / 4; i++)
		w[i] = i & 1 ? 0 : s->gpu_id;
}

/* Memory of the arena or behind it for the GPU, as a buffer of its own. */
static void show(struct fuzz_state *s, const struct gpu *g, uint8_t *p, size_t bytes,
		 uint32_t flags)
{
	struct mem m;

	if (mem_alloc_at(g, USERPTR | RW | flags, p, bytes, (uintptr_t)p, &m))
		return;
	FUZZ_PUT(s->pool[FZ_HANDLE], s->n[FZ_HANDLE], m.handle);
	mem_map(g, m.handle);
}

static void show_memory(struct fuzz_state *s, const struct gpu *g)
{
	uint64_t at = 0;

	for (; s->checked && at < FUZZ_KERNELS; at += FUZZ_RING)
		show(s, g, s->arena + at, FUZZ_RING, 0);
	show(s, g, s->arena + at, FUZZ_SLOT - at, KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE);
	show(s, g, s->area, area_bytes(s), 0);
}

/* One GPU, its memory in the first slots, a buffer, events: what most programs want. */
static void open_gpu(struct fuzz_state *s)
{
	struct gpu g = { .id = s->gpu_id };
	union drm_amdgpu_gem_create gem = { 0 };
	struct mem m;
	char path[64];
	unsigned int i;

	g.kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	snprintf(path, sizeof(path), "/dev/dri/renderD%d", s->render_minor);
	g.drm = open(path, O_RDWR | O_CLOEXEC);
	if (g.kfd < 0 || g.drm < 0 || acquire_vm(g.kfd, g.drm, g.id))
		_exit(2);
	FUZZ_PUT(s->kfd, s->nkfd, g.kfd);
	FUZZ_PUT(s->drm, s->ndrm, g.drm);
	show_memory(s, &g);
	if (!mem_alloc_at(&g, GTT | RW, s->arena + FUZZ_SLOT, FUZZ_SLOT, 0, &m)) {
		FUZZ_PUT(s->pool[FZ_HANDLE], s->n[FZ_HANDLE], m.handle);
		FUZZ_PUT(s->offset, s->noffsets, m.offset);
		mem_map(&g, m.handle);
	}
	gem.in.bo_size = FUZZ_SLOT;
	gem.in.domains = AMDGPU_GEM_DOMAIN_GTT;
	if (!ioctl(g.drm, DRM_IOCTL_AMDGPU_GEM_CREATE, &gem))
		FUZZ_PUT(s->pool[FZ_GEM], s->n[FZ_GEM], gem.out.handle);
	for (i = 0; i < 2; i++) {
		struct kfd_ioctl_create_event_args e = {
			.event_type = i ? KFD_IOC_EVENT_MEMORY : KFD_IOC_EVENT_SIGNAL,
		};

		if (!ioctl(g.kfd, AMDKFD_IOC_CREATE_EVENT, &e))
			FUZZ_PUT(s->pool[FZ_EVENT], s->n[FZ_EVENT], e.event_id);
	}
	s->doorbells = mmap(NULL, FUZZ_DOORBELLS, PROT_READ | PROT_WRITE, MAP_SHARED, g.kfd,
			    KFD_MMAP_TYPE_DOORBELL | KFD_MMAP_GPU_ID(g.id));
	if (s->doorbells == MAP_FAILED)
		s->doorbells = NULL;
}

static void no_descriptors(struct fuzz_state *s)
{
	unsigned int i;

	for (i = 0; i < FUZZ_POOL; i++)
		s->kfd[i] = s->drm[i] = s->buf[i] = -1;
}

void fuzz_exec(const struct fuzz_prog *p)
{
	struct part whole = { p, 0, p->n }, half = { p, p->n / 2, p->n };
	uint64_t begin = fuzz_now(), ready;
	pthread_t thread;

	signal(SIGSEGV, fault);
	signal(SIGBUS, fault);
	signal(SIGPIPE, SIG_IGN);
	no_descriptors(&state);
	state.checked = p->checked;
	map_memory(&state);
	if (!p->bare)
		open_gpu(&state);
	ready = fuzz_now();
	if (p->race && !pthread_create(&thread, NULL, run_part, &half)) {
		whole.to = p->n / 2;
		run_part(&whole);
		pthread_join(thread, NULL);
	} else {
		run_part(&whole);
	}
	fuzz_stats->setup_ns += ready - begin;
	fuzz_stats->ops_ns += fuzz_now() - ready;
}
