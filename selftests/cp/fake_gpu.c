// SPDX-License-Identifier: MIT
/* See fake_gpu.h. */
#include <sys/mman.h>

#include "fake_gpu.h"
#include "../../kmod/engine/interp/interp.h"
#include "../../kmod/gpu/capture.h"
#include "../../kmod/hw/capture.h"
#include "../../kmod/model/target.h"

#define ARENA_BYTES	(64ul << 20)
#define ARENA_PAGES	(ARENA_BYTES / PAGE_SIZE)

static u8 *arena;
static size_t arena_used;
static u8 page_state[ARENA_PAGES];	/* 0 absent, 1 resident, 2 gone for good */

static struct gpu_target target;
unsigned int fake_xccs;
u32 fake_private, fake_edge;
struct gpu_device fake_gdev = { .gpu_id = 7, .target = &target, .cu_count = 8 };

u32 gpu_target_shown_xccs(const struct gpu_target *t)
{
	return fake_xccs ?: t->num_xcc;
}

/* An MI210 of eight compute units and four queues */
__attribute__((constructor)) static void fake_target(void)
{
	target = *gpu_target_by_version(90010);
	target.name = "fake";
	target.cu_count = 8;
	target.shader_engines = 1;
	target.cp_queues = 4;
}

/* ------------------------------------------------------------------ memory */

void *fake_alloc(size_t bytes)
{
	size_t at;

	bytes = ALIGN(bytes, PAGE_SIZE);
	at = __atomic_fetch_add(&arena_used, bytes, __ATOMIC_RELAXED);
	if (at + bytes > ARENA_BYTES)
		abort();
	return arena + at;
}

static u8 *state_of(u64 va)
{
	u64 off = va - (uintptr_t)arena;

	return off < ARENA_BYTES ? &page_state[off >> PAGE_SHIFT] : NULL;
}

/* Memory for work-groups. The cgroup of all processes has no more of it if fake_no_room is set. */
bool fake_no_room;

int gpu_memory_get(struct gpu_memory *m, size_t bytes, gfp_t gfp)
{
	(void)gfp;
	*m = (struct gpu_memory){ .p = shim_pages(bytes) };
	return m->p ? 0 : -ENOMEM;
}

int gpu_memory_get_now(struct gpu_memory *m, size_t bytes, struct gpu_vm *vm)
{
	(void)vm;
	return READ_ONCE(fake_no_room) ? -ENOMEM : gpu_memory_get(m, bytes, GFP_KERNEL);
}

void gpu_memory_put(struct gpu_memory *m)
{
	kfree(m->p);
}

void gpu_memory_ask(struct gpu_vm *vm, size_t bytes)
{
	(void)vm;
	(void)bytes;
}

bool gpu_memory_awaited(struct gpu_vm *vm)
{
	(void)vm;
	return READ_ONCE(fake_no_room);
}

void gpu_vm_worker_add(struct gpu_device *gdev, struct gpu_vm_worker *w)
{
	write_lock(&gdev->workers_lock);
	list_add_tail(&w->node, &gdev->workers);
	write_unlock(&gdev->workers_lock);
}

void gpu_vm_worker_del(struct gpu_device *gdev, struct gpu_vm_worker *w)
{
	write_lock(&gdev->workers_lock);
	list_del(&w->node);
	write_unlock(&gdev->workers_lock);
}

u64 gpu_vm_enter(struct gpu_vm_worker *w, struct gpu_vm *vm)
{
	__atomic_store_n(&w->vm, vm, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&vm->gen, __ATOMIC_SEQ_CST);
}

void gpu_vm_exit(struct gpu_vm_worker *w)
{
	__atomic_store_n(&w->vm, NULL, __ATOMIC_SEQ_CST);
	__atomic_store_n(&w->seq, w->seq + 1, __ATOMIC_SEQ_CST);
}

void *gpu_vm_lookup(struct gpu_vm *vm, u64 va, u32 want, u32 *access)
{
	u8 *s = state_of(va);

	(void)vm;
	(void)want;
	if (!s || __atomic_load_n(s, __ATOMIC_SEQ_CST) != 1)
		return NULL;
	*access = GPU_R | GPU_W | GPU_X;
	return (void *)(uintptr_t)(va & PAGE_MASK);
}

unsigned int gpu_vm_lookup_run(struct gpu_vm *vm, u64 va, u32 want, void **pages,
			       unsigned int n)
{
	unsigned int i;
	u32 access;

	for (i = 0; i < n; i++) {
		pages[i] = gpu_vm_lookup(vm, va + i * PAGE_SIZE, want, &access);
		if (!pages[i])
			break;
	}
	return i;
}

void gpu_vm_faulted(struct gpu_vm *vm, const struct gpu_fault *fault)
{
	WRITE_ONCE(vm->fault_va, fault->va);
}

int gpu_vm_fault(struct gpu_vm *vm, u64 va, u32 access, struct gpu_fault *fault)
{
	u8 *s = state_of(va), absent = 0;

	(void)vm;
	if (s && __atomic_load_n(s, __ATOMIC_SEQ_CST) == 3)
		return -EAGAIN;
	if (s && __atomic_load_n(s, __ATOMIC_SEQ_CST) != 2) {
		__atomic_compare_exchange_n(s, &absent, 1, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST);
		return 0;
	}
	*fault = (struct gpu_fault){ .va = va, .access = access, .not_present = true };
	return -EFAULT;
}

/* Nobody says when a page comes. */
bool gpu_vm_fault_wait(struct gpu_vm *vm, unsigned long timeout, bool fresh)
{
	(void)vm;
	(void)timeout;
	(void)fresh;
	return false;
}

static void take_page(struct fake_process *p, void *at, u8 state)
{
	struct gpu_vm_worker *w;

	__atomic_store_n(state_of((uintptr_t)at), state, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&p->vm.gen, 1, __ATOMIC_SEQ_CST);
	read_lock(&fake_gdev.workers_lock);
	list_for_each_entry(w, &fake_gdev.workers, node) {
		u64 seq = __atomic_load_n(&w->seq, __ATOMIC_SEQ_CST);

		while (__atomic_load_n(&w->vm, __ATOMIC_SEQ_CST) == &p->vm &&
		       __atomic_load_n(&w->seq, __ATOMIC_SEQ_CST) == seq)
			cpu_relax();
	}
	read_unlock(&fake_gdev.workers_lock);
}

void fake_unmap(struct fake_process *p, void *at, bool for_good)
{
	take_page(p, at, for_good ? 2 : 0);
}

void fake_late(struct fake_process *p, void *at)
{
	take_page(p, at, 3);
}

void *gpu_vm_hold(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va, u32 want,
		  struct gpu_fault *fault)
{
	u32 access;
	void *p;
	int err;

	for (;;) {
		gpu_vm_enter(w, vm);
		p = gpu_vm_lookup(vm, va, want, &access);
		if (p)
			return p + (va & ~PAGE_MASK);
		gpu_vm_exit(w);
		err = gpu_vm_fault(vm, va, want, fault);
		if (err)
			return ERR_PTR(err);
	}
}

int gpu_vm_bring(struct gpu_vm *vm, u64 va, u32 want, unsigned int *tries,
		 struct gpu_fault *fault)
{
	++*tries;
	return gpu_vm_fault(vm, va, want, fault);
}

/* By words where possible: other threads look at them meanwhile. */
static void copy(void *dst, const void *src, size_t len)
{
	if (len == 2) {
		__atomic_store_n((u16 *)dst, *(const u16 *)src, __ATOMIC_RELAXED);
		return;
	}
	for (; len >= 4; len -= 4, dst += 4, src += 4)
		__atomic_store_n((u32 *)dst, __atomic_load_n((const u32 *)src,
							     __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
}

int gpu_vm_read(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va, void *dst,
		size_t len, struct gpu_fault *fault)
{
	void *p = gpu_vm_hold(w, vm, va, GPU_R, fault);

	if (IS_ERR(p))
		return PTR_ERR(p);
	copy(dst, p, len);
	gpu_vm_exit(w);
	return 0;
}

int gpu_vm_write(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va,
		 const void *src, size_t len, struct gpu_fault *fault)
{
	void *p = gpu_vm_hold(w, vm, va, GPU_R, fault);

	if (IS_ERR(p))
		return PTR_ERR(p);
	copy(p, src, len);
	gpu_vm_exit(w);
	return 0;
}

int gpu_vm_atomic_add64(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va,
			u64 val, u64 *old, struct gpu_fault *fault)
{
	u64 *p = gpu_vm_hold(w, vm, va, GPU_R, fault);

	if (IS_ERR(p))
		return PTR_ERR(p);
	*old = __atomic_fetch_add(p, val, __ATOMIC_SEQ_CST);
	gpu_vm_exit(w);
	return 0;
}

/* --------------------------------------------------------------- doorbells */

void gpu_doorbells_arm(struct gpu_doorbells *db)
{
	mutex_lock(&db->lock);
	__atomic_store_n(&db->armed, true, __ATOMIC_SEQ_CST);
	mutex_unlock(&db->lock);
}

u64 gpu_doorbell_read(struct gpu_doorbells *db, unsigned int index)
{
	return __atomic_load_n(&db->val[index], __ATOMIC_ACQUIRE);
}

/* The store, and the fault that it takes on an armed page. */
void fake_ring(struct gpu_doorbells *db, unsigned int index, u64 value)
{
	if (__atomic_load_n(&db->armed, __ATOMIC_SEQ_CST)) {
		mutex_lock(&db->lock);
		__atomic_store_n(&db->armed, false, __ATOMIC_SEQ_CST);
		mutex_unlock(&db->lock);
		vgpu_backend_ops.doorbell(db);
	}
	__atomic_store_n(&db->val[index], value, __ATOMIC_SEQ_CST);
	/*
	 * Hardware orders the store with the zap by the TLB; here a zap may
	 * slip in between, so look again as the restarted store would.
	 */
	if (__atomic_load_n(&db->armed, __ATOMIC_SEQ_CST)) {
		__atomic_store_n(&db->armed, false, __ATOMIC_SEQ_CST);
		vgpu_backend_ops.doorbell(db);
	}
}

/* ------------------------------------------------------------------ upcalls */

static struct fake_process *to_process(struct gpu_process *p)
{
	return container_of(p, struct fake_process, base);
}

static void host_event(struct gpu_process *p, u32 event_id)
{
	(void)event_id;
	__atomic_fetch_add(&to_process(p)->events, 1, __ATOMIC_SEQ_CST);
}

static void host_fault(struct gpu_vm *vm, const struct gpu_fault *fault)
{
	struct fake_process *p = container_of(vm, struct fake_process, vm);

	__atomic_store_n(&p->fault_va, fault->va, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&p->faults, 1, __ATOMIC_SEQ_CST);
}

static void host_queue_error(struct gpu_queue *q, enum gpu_queue_error error)
{
	__atomic_store_n(&to_process(q->process)->error, error, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&to_process(q->process)->errors, 1, __ATOMIC_SEQ_CST);
}

static void host_hw_exception(struct gpu_process *p, struct gpu_device *gdev)
{
	(void)gdev;
	__atomic_fetch_add(&to_process(p)->hw_exceptions, 1, __ATOMIC_SEQ_CST);
}

static const struct gpu_host_ops host_ops = {
	.event = host_event,
	.fault = host_fault,
	.queue_error = host_queue_error,
	.hw_exception = host_hw_exception,
};
const struct gpu_host_ops *gpu_host = &host_ops;

/* Nobody makes buffers here: the arena is all there is. */
const struct gpu_mem_ops gpu_ram_ops;

/* Nothing goes wrong on purpose. */
void gpu_inject_complete(const struct gpu_device *gdev)
{
	(void)gdev;
}

bool gpu_inject_drop(struct gpu_device *gdev)
{
	(void)gdev;
	return false;
}

/* ------------------------------------------------------- debugfs has no host */

void hw_stats_init(struct hw *vg)
{
	(void)vg;
}

void hw_stats_fini(struct hw *vg)
{
	(void)vg;
}

void interp_debugfs_init(struct interp *ip)
{
	(void)ip;
}

void interp_debugfs_fini(struct interp *ip)
{
	(void)ip;
}

void interp_show(struct hw *vg, struct seq_file *m)
{
	(void)vg;
	(void)m;
}

/* ------------------------------------------------------------------- set-up */

void fake_init(void)
{
	arena = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED)
		abort();
	INIT_LIST_HEAD(&fake_gdev.workers);
	rwlock_init(&fake_gdev.workers_lock);
	fake_gdev.backend = &vgpu_backend_ops;
	if (vgpu_backend_ops.init(&fake_gdev))
		abort();
}

u64 fake_kernel(const struct fake_insn *prog, unsigned int n, u32 lds)
{
	u8 *kd = fake_alloc(256 + n * sizeof(*prog));
	u64 entry = 256;

	memcpy(kd, &lds, 4);
	memcpy(kd + 16, &entry, 8);
	memcpy(kd + 256, prog, n * sizeof(*prog));
	return (uintptr_t)kd;
}

/* The CPUs of this machine are the host's. */
void interp_own_cpu(struct interp_worker *w, u64 owner)
{
}

u64 interp_cpu_clock_ns(void)
{
	return ktime_get_ns();
}

void fake_process_init(struct fake_process *p)
{
	static u64 processes;

	memset(p, 0, sizeof(*p));
	p->base.pid = 1;
	p->base.id = ++processes;
	p->vm.gdev = &fake_gdev;
	p->vm.process = &p->base;
	p->pdd.process = &p->base;
	p->pdd.gdev = &fake_gdev;
	p->pdd.vm = &p->vm;
	p->pdd.doorbells = &p->db;
	mutex_init(&p->db.lock);
	p->db.gdev = &fake_gdev;
	p->db.val = fake_alloc(GPU_DOORBELL_BYTES);
}

int fake_queue_create(struct fake_process *p, u32 packets, struct fake_queue *q)
{
	u32 i;
	u64 sig;

	memset(q, 0, sizeof(*q));
	q->ring = fake_alloc(packets * CP_PACKET_BYTES);
	q->amd = fake_alloc(PAGE_SIZE);
	q->packets = packets;
	for (i = 0; i < packets; i++)
		q->ring[i * CP_PACKET_BYTES] = CP_PACKET_INVALID;
	sig = (uintptr_t)q->amd + 1024;
	memcpy(q->amd + 192, &sig, 8);
	q->q.process = &p->base;
	q->q.pdd = &p->pdd;
	q->q.gdev = &fake_gdev;
	q->q.vm = &p->vm;
	q->q.evicted = p->evicted;
	q->q.doorbell = p->ndoorbells++ % GPU_DOORBELL_COUNT;
	q->q.props = (struct gpu_queue_props) {
		.type = GPU_QUEUE_AQL,
		.ring_va = (uintptr_t)q->ring,
		.ring_bytes = packets * CP_PACKET_BYTES,
		.wptr_va = (uintptr_t)q->amd + CP_AMD_QUEUE_WRITE_ID,
		.rptr_va = (uintptr_t)q->amd + CP_AMD_QUEUE_READ_ID,
		.percentage = 100,
	};
	return vgpu_backend_ops.queue_init(&q->q);
}

void fake_queue_destroy(struct fake_queue *q)
{
	vgpu_backend_ops.queue_fini(&q->q);
	/* Whoever still touched it would be seen by the sanitizer or here. */
	memset(q->ring, 0xee, q->packets * CP_PACKET_BYTES);
}

u64 *fake_signal(s64 value)
{
	static u8 *page;
	static size_t used = PAGE_SIZE;
	u64 *s;

	if (used == PAGE_SIZE) {
		page = fake_alloc(PAGE_SIZE);
		used = 0;
	}
	s = (u64 *)(page + used);
	used += 64;
	s[1] = value;
	return s;
}

static u32 fake_lds(u64 kernel)
{
	return *(u32 *)(uintptr_t)kernel;
}

static void submit(struct fake_queue *q, u64 kernel, u32 groups, u32 size,
		   u64 *signal, u64 args, bool barrier)
{
	u32 lds = fake_lds(kernel);
	u64 *wid = (u64 *)(q->amd + CP_AMD_QUEUE_WRITE_ID);
	u64 *rid = (u64 *)(q->amd + CP_AMD_QUEUE_READ_ID);
	u64 index = __atomic_fetch_add(wid, 1, __ATOMIC_SEQ_CST);
	u8 *p = q->ring + (index & (q->packets - 1)) * CP_PACKET_BYTES;
	u32 words[16] = { 0 }, i;

	while (index - __atomic_load_n(rid, __ATOMIC_ACQUIRE) >= q->packets)
		sched_yield();
	words[0] = 2 | (barrier ? 1 << 8 : 0) | (fake_edge ? 2 : 1) << 16;
	words[1] = size | 1 << 16;
	words[2] = 1;
	words[3] = groups * size - fake_edge;
	words[4] = fake_edge ? FAKE_EDGE_HIGH : 1;
	words[5] = 1;
	words[6] = fake_private;
	words[7] = lds;
	memcpy(words + 8, &kernel, 8);
	memcpy(words + 10, &args, 8);
	memcpy(words + 14, &signal, 8);
	for (i = 1; i < 16; i++)
		__atomic_store_n((u32 *)p + i, words[i], __ATOMIC_RELAXED);
	__atomic_store_n((u32 *)p, words[0], __ATOMIC_RELEASE);
	fake_ring(q->q.pdd->doorbells, q->q.doorbell, index);
}

void fake_dispatch(struct fake_queue *q, u64 kernel, u32 groups, u32 size,
		   u64 *signal, bool barrier)
{
	submit(q, kernel, groups, size, signal, 0, barrier);
}

void fake_dispatch_args(struct fake_queue *q, u64 kernel, u32 groups, u32 size,
			u64 *signal, u64 args)
{
	submit(q, kernel, groups, size, signal, args, false);
}

/* Of this process, which spins while it waits: a busy machine takes as long as it likes. */
u64 cpu_time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

bool fake_wait(u64 *signal, u64 value)
{
	u64 end = cpu_time_ns() + 20 * 1000000000ull;

	while (__atomic_load_n(&signal[1], __ATOMIC_ACQUIRE) != value) {
		if (cpu_time_ns() > end)
			return false;
		sched_yield();
	}
	return true;
}

/* ---------------------------------------------------------------- nobody captures */

int hw_capture_begin(struct hw_env *e, const struct cp_dispatch *d, u64 *ticket)
{
	abort();
}

void hw_capture_started_locked(struct hw_grid *grid, u64 ticket)
{
}

void hw_capture_insns(struct hw_compute *vq, u64 insns)
{
}

void hw_capture_end(struct hw_grid *grid, struct gpu_vm_worker *w)
{
}

void hw_capture_drop_locked(struct hw_grid *grid)
{
}

void gpu_capture_drop(struct gpu_device *gdev, u64 ticket)
{
}
