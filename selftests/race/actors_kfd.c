// SPDX-License-Identifier: MIT
/* Ioctls of /dev/kfd. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>

#include "race.h"

#define RW	KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE

/* Of the arena, behind the slots: of each task's queue, so that tasks do not share one. */
#define RING_BYTES	0x1000u
#define EOP_AT		(3 * RACE_PAGE)
#define AREA_AT		(4 * RACE_PAGE)

/* ------------------------------------------------------------ open, acquire */

static void step_open(struct race_task *t)
{
	struct kfd_ioctl_get_version_args v = { 0 };
	long fd = race_open("/dev/kfd", O_RDWR);

	if (fd < 0)
		return;
	if (race_random(t) & 1)
		race_call(ioctl, fd, AMDKFD_IOC_GET_VERSION, &v);
	race_close(fd);
}

/* What the others use is one of these, if they come to use it. */
static void step_acquire(struct race_task *t)
{
	struct kfd_ioctl_acquire_vm_args a = { .gpu_id = t->world->machine->gpu_id };
	long fd = race_open(t->world->machine->render, O_RDWR);

	a.drm_fd = race_random(t) & 3 ? fd : t->world->drm;
	race_kfd(t, AMDKFD_IOC_ACQUIRE_VM, &a);
	race_close(fd);
}

/* A context of its own, used a little; sometimes what everybody uses becomes one. */
static void step_context(struct race_task *t)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args m = {
		.va_addr = RACE_GPU_VA, .size = RACE_SLOT, .gpu_id = t->world->machine->gpu_id,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | RW,
	};
	struct kfd_ioctl_acquire_vm_args a = { .gpu_id = t->world->machine->gpu_id };
	struct kfd_ioctl_create_event_args e = { .event_type = KFD_IOC_EVENT_SIGNAL };
	long fd;

	/* Seldom: the others of this life can do little with a context. */
	if (!(race_random(t) & 1023))
		race_kfd(t, AMDKFD_IOC_CREATE_PROCESS, NULL);
	fd = race_open("/dev/kfd", O_RDWR);
	if (fd < 0)
		return;
	if (!race_call(ioctl, fd, AMDKFD_IOC_CREATE_PROCESS, NULL) && race_random(t) & 1) {
		a.drm_fd = race_open(t->world->machine->render, O_RDWR);
		race_call(ioctl, fd, AMDKFD_IOC_ACQUIRE_VM, &a);
		race_close(a.drm_fd);
		race_call(ioctl, fd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &m);
		race_call(ioctl, fd, AMDKFD_IOC_CREATE_EVENT, &e);
	}
	race_close(fd);
}

/* ------------------------------------------------------------------- memory */

static void step_alloc(struct race_task *t)
{
	static const uint32_t kinds[] = {
		KFD_IOC_ALLOC_MEM_FLAGS_VRAM, KFD_IOC_ALLOC_MEM_FLAGS_GTT,
		KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP,
	};
	uint32_t kind = kinds[race_random(t) % 4];
	struct kfd_ioctl_alloc_memory_of_gpu_args a = {
		.va_addr = RACE_GPU_VA + race_random(t) % 64 * RACE_SLOT, .size = RACE_SLOT,
		.gpu_id = t->world->machine->gpu_id,
		.flags = kind | RW | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC,
	};

	if (kind == KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL)
		a.size = RACE_DOORBELLS;
	if (kind == KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP)
		a.size = RACE_PAGE;
	if (race_kfd(t, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a))
		return;
	if (race_random(t) & 1)
		race_map(t, a.handle, true);
	race_free(t, a.handle);
}

/* The buffer that everybody has; sometimes it is another one from then on. */
static void step_map(struct race_task *t)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args a = {
		.va_addr = RACE_GPU_VA, .size = RACE_SLOT, .gpu_id = t->world->machine->gpu_id,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_GTT | RW | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC,
	};

	race_map(t, t->world->handle, race_random(t) & 1);
	if (race_random(t) % 16)
		return;
	race_free(t, t->world->handle);
	if (race_kfd(t, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a))
		return;
	t->world->handle = a.handle;
	t->world->offset = a.mmap_offset;
}

static void step_userptr(struct race_task *t)
{
	uint64_t handle = race_userptr(t, race_slot(t), RACE_SLOT);

	if (handle)
		race_free(t, handle);
}

static void step_dmabuf(struct race_task *t)
{
	struct kfd_ioctl_export_dmabuf_args e = { .handle = t->world->handle,
						  .flags = O_CLOEXEC | O_RDWR };
	struct kfd_ioctl_get_dmabuf_info_args info = { 0 };
	struct kfd_ioctl_import_dmabuf_args i = {
		.va_addr = RACE_GPU_VA + (64 + race_random(t) % 64) * RACE_SLOT,
		.gpu_id = t->world->machine->gpu_id,
	};
	struct pollfd p = { .events = POLLIN | POLLOUT };
	uint8_t *m;

	if (race_kfd(t, AMDKFD_IOC_EXPORT_DMABUF, &e))
		return;
	p.fd = e.dmabuf_fd;
	race_call(poll, &p, 1, 0);
	m = race_mmap(NULL, RACE_SLOT, PROT_READ | PROT_WRITE, MAP_SHARED, e.dmabuf_fd, 0);
	race_touch(m, true);
	info.dmabuf_fd = e.dmabuf_fd;
	race_kfd(t, AMDKFD_IOC_GET_DMABUF_INFO, &info);
	i.dmabuf_fd = e.dmabuf_fd;
	if (!race_kfd(t, AMDKFD_IOC_IMPORT_DMABUF, &i)) {
		race_map(t, i.handle, true);
		race_free(t, i.handle);
	}
	race_close(e.dmabuf_fd);
	race_munmap(m, RACE_SLOT);
}

/* ------------------------------------------------------------------- queues */

static size_t queue_bytes(const struct race_task *t)
{
	return AREA_AT + t->world->machine->area.bytes;
}

/*
 * Memory for a queue of the task's own: a ring, a page for each index, one for ends of
 * pipes, an area for saved waves. Each is a buffer of its own, as kernels from 6.12 on
 * want it.
 */
static bool prepare_queue(struct race_task *t)
{
	unsigned int i;

	t->map = race_mmap(NULL, queue_bytes(t), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!t->map)
		return false;
	for (i = 0; i < AREA_AT / RACE_PAGE; i++)
		race_userptr(t, t->map + i * RACE_PAGE, RACE_PAGE);
	race_userptr(t, t->map + AREA_AT, t->world->machine->area.bytes);
	return true;
}

static void finish_queue(struct race_task *t)
{
	race_munmap(t->map, queue_bytes(t));
}

static bool create_queue(struct race_task *t, uint32_t type, struct kfd_ioctl_create_queue_args *a)
{
	const struct queue_area *area = &t->world->machine->area;
	long ret;

	*a = (struct kfd_ioctl_create_queue_args) {
		.ring_base_address = (uintptr_t)t->map, .ring_size = RING_BYTES,
		.write_pointer_address = (uintptr_t)t->map + RACE_PAGE,
		.read_pointer_address = (uintptr_t)t->map + 2 * RACE_PAGE,
		.gpu_id = t->world->machine->gpu_id, .queue_type = type,
		.queue_percentage = 100, .queue_priority = 7,
	};
	if (type != KFD_IOC_QUEUE_TYPE_SDMA) {
		a->eop_buffer_address = (uintptr_t)t->map + EOP_AT;
		a->eop_buffer_size = RACE_PAGE;
		a->ctx_save_restore_address = (uintptr_t)t->map + AREA_AT;
		a->ctx_save_restore_size = area->cwsr;
		a->ctl_stack_size = area->ctl;
	}
	/* It is the process's own memory: nobody else takes it away */
	*(volatile uint64_t *)(t->map + RACE_PAGE) = 0;
	*(volatile uint64_t *)(t->map + 2 * RACE_PAGE) = 0;
	ret = race_kfd(t, AMDKFD_IOC_CREATE_QUEUE, a);
	t->queues[type].tried += ret != -EBADF;
	t->queues[type].made += !ret;
	if (ret && ret != -EBADF)
		t->queues[type].error = ret;
	return !ret;
}

/* Another task may have unmapped the doorbells. @value: as the type of queue wants it. */
static void ring(struct race_task *t, uint64_t offset, uint64_t index, uint64_t value)
{
	volatile uint8_t *p = (volatile uint8_t *)t->world->doorbells;

	*(volatile uint64_t *)(t->map + RACE_PAGE) = index;
	if (p)
		race_store(p + (offset & (RACE_DOORBELLS - 1)), value);
}

/* Barriers of AQL: nothing to do, and the GPU is busy. */
static void step_queue(struct race_task *t)
{
	struct kfd_ioctl_create_queue_args a;
	struct kfd_ioctl_destroy_queue_args d;
	unsigned int i;

	if (!create_queue(t, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, &a))
		return;
	t->world->queue = a.queue_id;
	memset(t->map, 0, RING_BYTES);
	for (i = 0; i < 8; i++)
		*(volatile uint16_t *)(t->map + 64 * i) = 3 | 1 << 8;
	ring(t, a.doorbell_offset, 8, 7);
	if (race_random(t) & 1)
		race_sleep_us(race_random(t) % 500);
	d.queue_id = a.queue_id;
	race_kfd(t, AMDKFD_IOC_DESTROY_QUEUE, &d);
}

/* Copies between slots of the arena, which others may take away meanwhile. */
static void step_sdma(struct race_task *t)
{
	struct kfd_ioctl_create_queue_args a;
	struct kfd_ioctl_destroy_queue_args d;
	uint64_t handle[2];
	uint8_t *slot[2];
	uint32_t *w = (uint32_t *)t->map;
	unsigned int i;

	if (!create_queue(t, KFD_IOC_QUEUE_TYPE_SDMA, &a))
		return;
	t->world->queue = a.queue_id;
	for (i = 0; i < 2; i++) {
		slot[i] = race_slot(t);
		handle[i] = race_userptr(t, slot[i], RACE_SLOT);
	}
	for (i = 0; i < 8; i++, w += 7) {
		uint64_t from = (uintptr_t)slot[i & 1] + i * RACE_PAGE;
		uint64_t to = (uintptr_t)slot[!(i & 1)] + i * RACE_PAGE;

		w[0] = 1;	/* COPY */
		w[1] = RACE_PAGE - 1;
		w[2] = 0;
		w[3] = from;
		w[4] = from >> 32;
		w[5] = to;
		w[6] = to >> 32;
	}
	ring(t, a.doorbell_offset, 8 * 7 * 4, 8 * 7 * 4);
	race_sleep_us(race_random(t) % 1000);
	if (race_random(t) & 1)
		for (i = 0; i < 2; i++)
			if (handle[i])
				race_free(t, handle[i]);
	d.queue_id = a.queue_id;
	race_kfd(t, AMDKFD_IOC_DESTROY_QUEUE, &d);
	for (i = 0; i < 2; i++)
		if (handle[i])
			race_free(t, handle[i]);
}

/* A queue of anybody's: off and on, its waves, its mask. */
static void step_change_queue(struct race_task *t)
{
	static const uint32_t mask[2] = { 0x0f0f0f0f, 0xffffffff };
	struct kfd_ioctl_update_queue_args u = {
		.ring_base_address = (uintptr_t)t->map, .queue_id = t->world->queue,
		.ring_size = RING_BYTES, .queue_percentage = race_random(t) & 1 ? 100 : 0,
	};
	struct kfd_ioctl_get_queue_wave_state_args s = {
		.ctl_stack_address = (uintptr_t)race_slot(t), .queue_id = t->world->queue,
	};
	struct kfd_ioctl_set_cu_mask_args m = {
		.queue_id = t->world->queue, .num_cu_mask = 64, .cu_mask_ptr = (uintptr_t)mask,
	};
	struct kfd_ioctl_alloc_queue_gws_args g = {
		.queue_id = t->world->queue, .num_gws = race_random(t) & 1 ? 64 : 0,
	};

	race_kfd(t, AMDKFD_IOC_UPDATE_QUEUE, &u);
	race_kfd(t, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &s);
	race_kfd(t, AMDKFD_IOC_SET_CU_MASK, &m);
	race_kfd(t, AMDKFD_IOC_ALLOC_QUEUE_GWS, &g);
}

/* ------------------------------------------------------------------- events */

static void step_event(struct race_task *t)
{
	struct kfd_ioctl_create_event_args c = {
		.event_type = race_random(t) & 3 ? KFD_IOC_EVENT_SIGNAL : KFD_IOC_EVENT_MEMORY,
		.auto_reset = race_random(t) & 1,
	};
	struct kfd_ioctl_set_event_args s;
	struct kfd_ioctl_destroy_event_args d;

	/* The first with a page of the process's own */
	if (t->actor->bare && !(race_random(t) & 7))
		c.event_page_offset = t->world->handle;
	if (race_kfd(t, AMDKFD_IOC_CREATE_EVENT, &c))
		return;
	d.event_id = t->world->event;
	t->world->event = s.event_id = c.event_id;
	race_kfd(t, AMDKFD_IOC_SET_EVENT, &s);
	if (race_random(t) & 1)
		race_sleep_us(race_random(t) % 200);
	race_kfd(t, AMDKFD_IOC_DESTROY_EVENT, &d);
}

static void step_wait(struct race_task *t)
{
	struct kfd_event_data e[2] = { { .event_id = t->world->event },
				       { .event_id = t->world->event } };
	struct kfd_ioctl_wait_events_args w = {
		.events_ptr = (uintptr_t)e, .num_events = 1 + (race_random(t) & 1),
		.wait_for_all = race_random(t) & 1, .timeout = race_random(t) % 4,
	};
	struct kfd_ioctl_set_event_args s = { .event_id = t->world->event };

	race_kfd(t, AMDKFD_IOC_WAIT_EVENTS, &w);
	race_kfd(t, race_random(t) & 1 ? AMDKFD_IOC_SET_EVENT : AMDKFD_IOC_RESET_EVENT, &s);
}

/* ---------------------------------------------------------------- the others */

static void step_svm(struct race_task *t)
{
	struct {
		struct kfd_ioctl_svm_args a;
		struct kfd_ioctl_svm_attribute attr[2];
	} s = {
		.a = { .start_addr = (uintptr_t)race_slot(t), .size = RACE_SLOT,
		       .op = race_random(t) & 3 ? KFD_IOCTL_SVM_OP_SET_ATTR :
						  KFD_IOCTL_SVM_OP_GET_ATTR, .nattr = 2 },
	};

	s.attr[0].type = race_random(t) & 1 ? KFD_IOCTL_SVM_ATTR_ACCESS :
					      KFD_IOCTL_SVM_ATTR_PREFETCH_LOC;
	s.attr[0].value = t->world->machine->gpu_id;
	s.attr[1].type = race_random(t) & 1 ? KFD_IOCTL_SVM_ATTR_SET_FLAGS :
					      KFD_IOCTL_SVM_ATTR_CLR_FLAGS;
	s.attr[1].value = race_random(t) & 0x3f;
	race_kfd(t, _IOC(_IOC_READ | _IOC_WRITE, 'K', _IOC_NR(AMDKFD_IOC_SVM), sizeof(s)), &s);
}

static void step_smi(struct race_task *t)
{
	struct kfd_ioctl_smi_events_args a = { .gpuid = t->world->machine->gpu_id };
	struct pollfd p = { .events = POLLIN };
	uint64_t events = ~0ull;
	char buf[256];

	if (race_kfd(t, AMDKFD_IOC_SMI_EVENTS, &a))
		return;
	race_call(write, a.anon_fd, &events, sizeof(events));
	p.fd = a.anon_fd;
	race_call(poll, &p, 1, race_random(t) & 1);
	race_call(read, a.anon_fd, buf, sizeof(buf));
	race_close(a.anon_fd);
}

static void step_runtime(struct race_task *t)
{
	struct kfd_ioctl_runtime_enable_args a = {
		.r_debug = (uintptr_t)race_slot(t), .mode_mask = race_random(t) & 3,
	};

	race_kfd(t, AMDKFD_IOC_RUNTIME_ENABLE, &a);
}

/* Settings and questions. */
static void step_settings(struct race_task *t)
{
	struct kfd_ioctl_set_xnack_mode_args x = { .xnack_enabled = race_random(t) & 1 };
	struct kfd_ioctl_set_trap_handler_args h = {
		.tba_addr = race_random(t) & 1 ? (uintptr_t)race_slot(t) : 0,
		.gpu_id = t->world->machine->gpu_id,
	};
	struct kfd_ioctl_get_available_memory_args m = { .gpu_id = t->world->machine->gpu_id };
	struct kfd_process_device_apertures ap[2];
	struct kfd_ioctl_get_process_apertures_new_args n = {
		.kfd_process_device_apertures_ptr = (uintptr_t)ap, .num_of_nodes = 2,
	};
	struct kfd_ioctl_get_clock_counters_args c = { .gpu_id = t->world->machine->gpu_id };

	race_kfd(t, AMDKFD_IOC_SET_XNACK_MODE, &x);
	race_kfd(t, AMDKFD_IOC_SET_TRAP_HANDLER, &h);
	race_kfd(t, AMDKFD_IOC_AVAILABLE_MEMORY, &m);
	race_kfd(t, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &n);
	race_kfd(t, AMDKFD_IOC_GET_CLOCK_COUNTERS, &c);
}

const struct race_actor race_kfd_actors[] = {
	{ .name = "open", .step = step_open, .bare = true },
	{ .name = "acquire", .step = step_acquire, .bare = true },
	{ .name = "context", .step = step_context, .bare = true },
	{ .name = "alloc", .step = step_alloc },
	{ .name = "map", .step = step_map },
	{ .name = "userptr", .step = step_userptr },
	{ .name = "dmabuf", .step = step_dmabuf },
	{ .name = "queue", .prepare = prepare_queue, .step = step_queue, .finish = finish_queue },
	{ .name = "sdma", .prepare = prepare_queue, .step = step_sdma, .finish = finish_queue },
	{ .name = "change-queue", .prepare = prepare_queue, .step = step_change_queue,
	  .finish = finish_queue },
	{ .name = "event", .step = step_event, .bare = true },
	{ .name = "wait", .step = step_wait },
	{ .name = "svm", .step = step_svm },
	{ .name = "smi", .step = step_smi },
	{ .name = "runtime", .step = step_runtime },
	{ .name = "settings", .step = step_settings },
	{ 0 }
};
