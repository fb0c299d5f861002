// SPDX-License-Identifier: MIT
/* See rig.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "rig.h"

#define NODES		"/sys/class/kfd/kfd/topology/nodes"
#define DOORBELL_BYTES	8192
#define SIGNALS		1024
#define ARGS_BYTES	(256 * 1024)
#define EVENT_SLOTS	4096

#define MEM_FLAGS	(KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |	\
			 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE |	\
			 KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE)

int rig_ioctl(const struct rig *r, unsigned long nr, void *arg)
{
	int ret;

	do {
		ret = ioctl(r->kfd, nr, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : ret;
}

u64 rig_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

/* ------------------------------------------------------------------ device */

static long node_property(const char *node, const char *want)
{
	char path[320], name[64];
	long long val, found = -1;
	FILE *f;

	snprintf(path, sizeof(path), NODES "/%s/properties", node);
	f = fopen(path, "r");
	if (!f)
		return -1;
	while (fscanf(f, "%63s %lld", name, &val) == 2)
		if (!strcmp(name, want))
			found = val;
	fclose(f);
	return found;
}

static u32 node_gpu_id(const char *node)
{
	char path[320];
	u32 id = 0;
	FILE *f;

	snprintf(path, sizeof(path), NODES "/%s/gpu_id", node);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fscanf(f, "%u", &id) != 1)
		id = 0;
	fclose(f);
	return id;
}

int rig_find_gpu(u32 other_than, u32 *gpu_id)
{
	struct dirent *d;
	char path[64];
	long minor = -1;
	int fd;
	DIR *dir = opendir(NODES);

	if (!dir)
		return -errno;
	while (minor < 0 && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		*gpu_id = node_gpu_id(d->d_name);
		if (*gpu_id && *gpu_id != other_than)
			minor = node_property(d->d_name, "drm_render_minor");
	}
	closedir(dir);
	if (minor < 0)
		return -ENODEV;
	snprintf(path, sizeof(path), "/dev/dri/renderD%ld", minor);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

long rig_property(u32 gpu_id, const char *name)
{
	struct dirent *d;
	long val = -1;
	DIR *dir = opendir(NODES);

	while (dir && val < 0 && (d = readdir(dir)))
		if (d->d_name[0] != '.' && node_gpu_id(d->d_name) == gpu_id)
			val = node_property(d->d_name, name);
	if (dir)
		closedir(dir);
	return val;
}

u32 rig_scratch_parts(const struct rig *r)
{
	long parts = rig_property(r->gpu_id, "num_xcc");

	if (rig_property(r->gpu_id, "gfx_target_version") >= 110000)
		parts = rig_property(r->gpu_id, "array_count") /
			rig_property(r->gpu_id, "simd_arrays_per_engine");
	return parts > 0 ? (u32)parts : 1;
}

bool rig_has_matrix(const struct rig *r)
{
	long version = rig_property(r->gpu_id, "gfx_target_version");

	return (version >= 90008 && version < 100000) || version >= 110000;
}

int rig_open(struct rig *r)
{
	u32 gpu_id = 0;
	int drm = rig_find_gpu(0, &gpu_id);

	return rig_open_on(r, drm, gpu_id);
}

int rig_open_on(struct rig *r, int drm, u32 gpu_id)
{
	struct kfd_ioctl_acquire_vm_args vm = { 0 };
	int ret;

	memset(r, 0, sizeof(*r));
	r->drm = drm;
	r->gpu_id = gpu_id;
	r->kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	if (r->kfd < 0)
		return -errno;
	if (r->drm < 0)
		return r->drm;
	vm.drm_fd = r->drm;
	vm.gpu_id = r->gpu_id;
	ret = rig_ioctl(r, AMDKFD_IOC_ACQUIRE_VM, &vm);
	if (!ret)
		ret = rig_anon(r, SIGNALS * sizeof(struct rig_signal), &r->signals);
	if (!ret)
		ret = rig_anon(r, ARGS_BYTES, &r->args);
	return ret;
}

void rig_close(struct rig *r)
{
	close(r->drm);
	close(r->kfd);
}

/* ------------------------------------------------------------------ memory */

static int map_gpu(struct rig *r, struct rig_mem *m)
{
	struct kfd_ioctl_map_memory_to_gpu_args a = {
		.handle = m->handle,
		.device_ids_array_ptr = (uintptr_t)&r->gpu_id,
		.n_devices = 1,
	};

	return rig_ioctl(r, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &a);
}

int rig_alloc(struct rig *r, u32 flags, size_t bytes, struct rig_mem *m)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args a = {
		.size = bytes, .gpu_id = r->gpu_id, .flags = flags | MEM_FLAGS,
	};
	void *p;
	int ret;

	m->bytes = bytes;
	m->p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		    -1, 0);
	if (m->p == MAP_FAILED)
		return -errno;
	a.va_addr = (uintptr_t)m->p;
	ret = rig_ioctl(r, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a);
	if (ret) {
		munmap(m->p, bytes);
		return ret;
	}
	m->handle = a.handle;
	p = mmap(m->p, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, r->drm,
		 a.mmap_offset);
	if (p == MAP_FAILED)
		return -errno;
	return map_gpu(r, m);
}

int rig_userptr(struct rig *r, void *p, size_t bytes, struct rig_mem *m)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args a = {
		.va_addr = (uintptr_t)p, .mmap_offset = (uintptr_t)p, .size = bytes,
		.gpu_id = r->gpu_id,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR |
			 KFD_IOC_ALLOC_MEM_FLAGS_COHERENT | MEM_FLAGS,
	};
	int ret = rig_ioctl(r, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a);

	if (ret)
		return ret;
	m->p = p;
	m->bytes = bytes;
	m->handle = a.handle;
	return map_gpu(r, m);
}

int rig_anon(struct rig *r, size_t bytes, struct rig_mem *m)
{
	void *p;

	bytes = (bytes + RIG_PAGE - 1) & ~(RIG_PAGE - 1);
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return -errno;
	return rig_userptr(r, p, bytes, m);
}

int rig_unmap(struct rig *r, struct rig_mem *m)
{
	struct kfd_ioctl_unmap_memory_from_gpu_args a = {
		.handle = m->handle,
		.device_ids_array_ptr = (uintptr_t)&r->gpu_id,
		.n_devices = 1,
	};

	return rig_ioctl(r, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &a);
}

int rig_free(struct rig *r, struct rig_mem *m)
{
	struct kfd_ioctl_free_memory_of_gpu_args a = { .handle = m->handle };

	return rig_ioctl(r, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &a);
}

u64 rig_counter(const struct rig *r, const char *name)
{
	unsigned long long n = 0;
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/counters_%u/%s", getpid(),
		 r->gpu_id, name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llu", &n) != 1)
		n = ~0ull;
	if (f)
		fclose(f);
	return n;
}

/* ------------------------------------------------------------------ queues */

volatile u64 *rig_doorbell(struct rig *r, u64 offset)
{
	void *p;

	if (!r->doorbells) {
		p = mmap(NULL, DOORBELL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, r->kfd,
			 offset & ~(u64)(DOORBELL_BYTES - 1));
		if (p == MAP_FAILED)
			return NULL;
		r->doorbells = p;
	}
	return (u64 *)((u8 *)r->doorbells + (offset & (DOORBELL_BYTES - 1)));
}

int rig_svm_set(struct rig *r, void *p, size_t bytes, u32 type, u32 value)
{
	struct {
		struct kfd_ioctl_svm_args a;
		struct kfd_ioctl_svm_attribute attr;
	} a = {
		.a = { .start_addr = (uintptr_t)p, .size = bytes,
		       .op = KFD_IOCTL_SVM_OP_SET_ATTR, .nattr = 1 },
		.attr = { type, value },
	};

	return rig_ioctl(r, _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20, sizeof(a)), &a);
}

int rig_area_size(struct rig *r, size_t *bytes)
{
	struct queue_shape s = {
		.simds = rig_property(r->gpu_id, "simd_count"),
		.simds_per_cu = rig_property(r->gpu_id, "simd_per_cu"),
		.arrays = rig_property(r->gpu_id, "array_count"),
		.arrays_per_engine = rig_property(r->gpu_id, "simd_arrays_per_engine"),
		.gfx = rig_property(r->gpu_id, "gfx_target_version"),
		.xccs = rig_property(r->gpu_id, "num_xcc"),
	};
	struct queue_area a;

	if (s.simds_per_cu < 1 || s.arrays_per_engine < 1)
		return -ENODEV;
	a = queue_area_of(&s);
	r->save_bytes = a.cwsr;
	r->ctl_bytes = a.ctl;
	*bytes = a.bytes;
	return 0;
}

static int alloc_area(struct rig *r, struct rig_mem *m)
{
	size_t bytes;
	void *p;
	int ret = rig_area_size(r, &bytes);

	if (ret)
		return ret;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		 -1, 0);
	return p == MAP_FAILED ? -errno : rig_userptr(r, p, bytes, m);
}

int rig_area(struct rig *r, struct rig_mem *m)
{
	int ret = alloc_area(r, m);

	if (!ret)
		r->save_area = (uintptr_t)m->p;
	return ret;
}

int rig_area_args(struct rig *r, struct kfd_ioctl_create_queue_args *a)
{
	size_t bytes;
	int ret = 0;

	if (!r->save_area && !r->shared_area.p)
		ret = alloc_area(r, &r->shared_area);
	else if (!r->save_bytes)
		ret = rig_area_size(r, &bytes);
	a->ctx_save_restore_address = r->save_area ?: (uintptr_t)r->shared_area.p;
	a->ctx_save_restore_size = r->save_bytes;
	a->ctl_stack_size = r->ctl_bytes;
	return ret;
}

int rig_queue_create(struct rig *r, u32 packets, struct rig_queue *q)
{
	struct kfd_ioctl_create_queue_args a = {
		.gpu_id = r->gpu_id, .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
		.queue_percentage = 100, .queue_priority = r->priority ?: 7,
	};
	u32 i;
	int ret;

	memset(q, 0, sizeof(*q));
	ret = rig_anon(r, packets * sizeof(union rig_packet), &q->ring_mem);
	if (!ret)
		ret = rig_anon(r, RIG_PAGE, &q->amd_mem);
	if (!ret)
		ret = rig_area_args(r, &a);
	if (ret)
		return ret;
	q->packets = packets;
	q->ring = q->ring_mem.p;
	q->amd = q->amd_mem.p;
	q->inactive = rig_signal(r, 0);
	q->amd->inactive_signal = (uintptr_t)q->inactive;
	for (i = 0; i < packets; i++)
		q->ring[i].header = RIG_INVALID;
	a.ring_base_address = (uintptr_t)q->ring;
	a.ring_size = packets * sizeof(union rig_packet);
	a.write_pointer_address = (uintptr_t)&q->amd->write_id;
	a.read_pointer_address = (uintptr_t)&q->amd->read_id;
	ret = rig_ioctl(r, AMDKFD_IOC_CREATE_QUEUE, &a);
	if (ret)
		return ret;
	q->id = a.queue_id;
	q->doorbell = rig_doorbell(r, a.doorbell_offset);
	return q->doorbell ? 0 : -ENOMEM;
}

int rig_queue_update(struct rig *r, struct rig_queue *q, u32 percentage)
{
	struct kfd_ioctl_update_queue_args a = {
		.ring_base_address = (uintptr_t)q->ring, .queue_id = q->id,
		.ring_size = q->packets * sizeof(union rig_packet),
		.queue_percentage = percentage, .queue_priority = 7,
	};

	return rig_ioctl(r, AMDKFD_IOC_UPDATE_QUEUE, &a);
}

int rig_queue_destroy(struct rig *r, struct rig_queue *q)
{
	struct kfd_ioctl_destroy_queue_args a = { .queue_id = q->id };

	return rig_ioctl(r, AMDKFD_IOC_DESTROY_QUEUE, &a);
}

u64 rig_put(struct rig_queue *q, const union rig_packet *p)
{
	u64 index = __atomic_fetch_add(&q->amd->write_id, 1, __ATOMIC_ACQ_REL);
	union rig_packet *slot = &q->ring[index & (q->packets - 1)];

	memcpy(slot->bytes + 4, p->bytes + 4, sizeof(*p) - 4);
	__atomic_store_n(&slot->u32s[0], p->u32s[0], __ATOMIC_RELEASE);
	return index;
}

void rig_ring(struct rig_queue *q, u64 index)
{
	__atomic_store_n(q->doorbell, index, __ATOMIC_RELEASE);
}

void rig_submit(struct rig_queue *q, const union rig_packet *p)
{
	rig_ring(q, rig_put(q, p));
}

void rig_dispatch_packet(union rig_packet *p, const struct rig_kernel *k,
			 u32 groups, u32 group, u64 args, struct rig_signal *s)
{
	memset(p, 0, sizeof(*p));
	p->dispatch.header = RIG_DISPATCH | RIG_SCOPES;
	p->dispatch.setup = 1;
	p->dispatch.group[0] = group;
	p->dispatch.group[1] = 1;
	p->dispatch.group[2] = 1;
	p->dispatch.grid[0] = groups * group;
	p->dispatch.grid[1] = 1;
	p->dispatch.grid[2] = 1;
	p->dispatch.private_bytes = k->private_bytes;
	p->dispatch.group_bytes = k->group_bytes;
	p->dispatch.object = k->object;
	p->dispatch.kernarg = args;
	p->dispatch.signal = (uintptr_t)s;
}

/* ----------------------------------------------------- signals, arguments */

struct rig_signal *rig_signal(struct rig *r, s64 value)
{
	struct rig_signal *s = (struct rig_signal *)r->signals.p + r->nsignals++ % SIGNALS;

	memset(s, 0, sizeof(*s));
	s->kind = 1;
	s->value = value;
	return s;
}

u64 rig_args(struct rig *r, const void *args, size_t bytes)
{
	u8 *p;

	if (r->args_used + bytes > ARGS_BYTES)
		r->args_used = 0;
	p = (u8 *)r->args.p + r->args_used;
	memcpy(p, args, bytes);
	r->args_used += (bytes + 63) & ~63ul;
	return (uintptr_t)p;
}

/* What has to happen may take longer in a guest that qemu/vm says is slow. */
static u64 deadline(unsigned int ms)
{
	const char *slow = getenv("VKFD_SLOW");
	int n = slow ? atoi(slow) : 1;

	return rig_ms() + (u64)ms * (n > 1 ? n : 1);
}

bool rig_wait(const struct rig_signal *s, s64 value, unsigned int ms)
{
	u64 end = deadline(ms);

	while (__atomic_load_n(&s->value, __ATOMIC_ACQUIRE) != value) {
		if (rig_ms() > end)
			return false;
		usleep(200);
	}
	return true;
}

bool rig_wait32(const volatile u32 *p, u32 at_least, unsigned int ms)
{
	u64 end = deadline(ms);

	while (__atomic_load_n(p, __ATOMIC_ACQUIRE) < at_least) {
		if (rig_ms() > end)
			return false;
		usleep(200);
	}
	return true;
}

/* ------------------------------------------------------------------ events */

int rig_event(struct rig *r, u32 type, u32 *id, u32 *slot)
{
	struct kfd_ioctl_create_event_args a = {
		.event_type = type, .auto_reset = 1,
	};
	struct rig_mem page;
	int ret;

	if (!r->event_page) {
		ret = rig_alloc(r, KFD_IOC_ALLOC_MEM_FLAGS_GTT, EVENT_SLOTS * 8, &page);
		if (ret)
			return ret;
		r->event_page = page.p;
		a.event_page_offset = page.handle;
	}
	ret = rig_ioctl(r, AMDKFD_IOC_CREATE_EVENT, &a);
	*id = a.event_id;
	*slot = a.event_slot_index;
	return ret;
}

int rig_event_wait(struct rig *r, u32 id, unsigned int ms, struct kfd_event_data *data)
{
	struct kfd_event_data d = { .event_id = id };
	struct kfd_ioctl_wait_events_args a = {
		.events_ptr = (uintptr_t)&d, .num_events = 1, .timeout = ms,
	};
	int ret = rig_ioctl(r, AMDKFD_IOC_WAIT_EVENTS, &a);

	if (ret)
		return ret;
	if (a.wait_result != KFD_IOC_WAIT_RESULT_COMPLETE)
		return -ETIME;
	if (data)
		*data = d;
	return 0;
}
