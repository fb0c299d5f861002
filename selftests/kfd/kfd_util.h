/* SPDX-License-Identifier: MIT */
/*
 * What every test of /dev/kfd begins with. Raw ioctls: the tests are about the
 * kernel's answers, so nothing is retried or translated. Functions that can
 * only fail if the driver is broken or absent assert.
 */
#ifndef KFD_UTIL_H
#define KFD_UTIL_H

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "harness.h"
#include "queue_area.h"
#include "../../uapi/linux/kfd_ioctl.h"

#define KB		1024ul
#define MB		(1024 * KB)
#define PAGE		4096ul
#define BAD_GPU		0xdeadu		/* 16 bit, and hopefully nobody's */
#define BAD_PTR		0x10ul
#define NODES		"/sys/devices/virtual/kfd/kfd/topology/nodes"

#define VRAM		KFD_IOC_ALLOC_MEM_FLAGS_VRAM
#define GTT		KFD_IOC_ALLOC_MEM_FLAGS_GTT
#define USERPTR		KFD_IOC_ALLOC_MEM_FLAGS_USERPTR
#define DOORBELL	KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL
#define MMIO		KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP
#define RW		KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE
#define HOST		(RW | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC)

/* 0 or the errno. */
static inline int kfd_err(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) < 0 ? errno : 0;
}

#define EXPECT_IOCTL(_errno, _fd, _cmd, _arg)	EXPECT_EQ(_errno, kfd_err(_fd, _cmd, _arg))
#define ASSERT_IOCTL(_errno, _fd, _cmd, _arg)	ASSERT_EQ(_errno, kfd_err(_fd, _cmd, _arg))

static inline int kfd_open(void)
{
	int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);

	ASSERT_GE(fd, 0);
	return fd;
}

/* The value of @name in a file of "name value" lines; -1 if there is none. */
static inline long long prop_get(const char *path, const char *name)
{
	char key[64];
	long long value;
	FILE *f = fopen(path, "r");

	if (!f)
		return -1;
	while (fscanf(f, "%63s %lld%*[^\n]", key, &value) == 2)
		if (!strcmp(key, name)) {
			fclose(f);
			return value;
		}
	fclose(f);
	return -1;
}

static inline long long node_prop(int node, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), NODES "/%d/properties", node);
	return prop_get(path, name);
}

static inline uint32_t node_gpu_id(int node)
{
	char path[128];
	uint32_t id = 0;
	FILE *f;

	snprintf(path, sizeof(path), NODES "/%d/gpu_id", node);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fscanf(f, "%u", &id) != 1)
		id = 0;
	fclose(f);
	return id;
}

static inline int count_nodes(void)
{
	char path[128];
	int n = 0;

	for (;; n++) {
		snprintf(path, sizeof(path), NODES "/%d", n);
		if (access(path, F_OK))
			return n;
	}
}

/* The @nth GPU node; -1 if there is none. */
static inline int gpu_node(int nth)
{
	int i, n = count_nodes();

	for (i = 0; i < n; i++)
		if (node_gpu_id(i) && !nth--)
			return i;
	return -1;
}

static inline int open_render(int node)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/dri/renderD%lld", node_prop(node, "drm_render_minor"));
	fd = open(path, O_RDWR | O_CLOEXEC);
	ASSERT_GE(fd, 0);
	return fd;
}

static inline int acquire_vm(int kfd, int drm, uint32_t gpu_id)
{
	struct kfd_ioctl_acquire_vm_args args = { .drm_fd = drm, .gpu_id = gpu_id };

	return kfd_err(kfd, AMDKFD_IOC_ACQUIRE_VM, &args);
}

/* A process with the first GPU, its VM acquired. */
struct gpu {
	int kfd, drm, node;
	uint32_t id;
};

/* A parameter of the module; false if we may not. */
static inline bool set_parameter(const char *name, int value)
{
	char path[80];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/vkfd/parameters/%s", name);
	f = fopen(path, "w");
	if (!f)
		return false;
	fprintf(f, "%d\n", value);
	return !fclose(f);
}

/* Are queues' buffers looked at? -1: as the driver of this kernel does. */
static inline void set_queue_buffers(int check)
{
	set_parameter("queue_buffers", check);
}

static inline struct queue_area queue_area(int node)
{
	struct queue_shape s = {
		.simds = node_prop(node, "simd_count"),
		.simds_per_cu = node_prop(node, "simd_per_cu"),
		.arrays = node_prop(node, "array_count"),
		.arrays_per_engine = node_prop(node, "simd_arrays_per_engine"),
		.gfx = node_prop(node, "gfx_target_version"),
		.xccs = node_prop(node, "num_xcc"),
	};

	return queue_area_of(&s);
}

static inline void gpu_open(struct gpu *g)
{
	g->kfd = kfd_open();
	g->node = gpu_node(0);
	ASSERT_GE(g->node, 0);
	g->id = node_gpu_id(g->node);
	g->drm = open_render(g->node);
	ASSERT_EQ(0, acquire_vm(g->kfd, g->drm, g->id));
}

/* Addresses nobody uses, to give to the GPU. */
static inline void *va_reserve(size_t bytes)
{
	void *va = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	ASSERT_NE(MAP_FAILED, va);
	return va;
}

struct mem {
	void *va;
	size_t bytes;
	uint64_t handle, offset;
};

static inline int mem_alloc_at(const struct gpu *g, uint32_t flags, void *va, size_t bytes,
			       uint64_t offset, struct mem *m)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = (uintptr_t)va, .size = bytes, .mmap_offset = offset,
		.gpu_id = g->id, .flags = flags,
	};
	int err = kfd_err(g->kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args);

	*m = (struct mem) { .va = va, .bytes = bytes, .handle = args.handle,
			    .offset = args.mmap_offset };
	return err;
}

static inline struct mem mem_alloc(const struct gpu *g, uint32_t flags, size_t bytes)
{
	struct mem m;

	ASSERT_EQ(0, mem_alloc_at(g, flags, va_reserve(bytes), bytes, 0, &m));
	return m;
}

/* CPU mapping, at the GPU's address. */
static inline void *mem_mmap(const struct gpu *g, const struct mem *m)
{
	return mmap(m->va, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, g->drm,
		    m->offset);
}

static inline int mem_free(const struct gpu *g, uint64_t handle)
{
	struct kfd_ioctl_free_memory_of_gpu_args args = { .handle = handle };

	return kfd_err(g->kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
}

static inline int mem_map_call(const struct gpu *g, unsigned long cmd, uint64_t handle,
			       uint32_t gpu_id)
{
	struct kfd_ioctl_map_memory_to_gpu_args args = {
		.handle = handle, .device_ids_array_ptr = (uintptr_t)&gpu_id, .n_devices = 1,
	};

	return kfd_err(g->kfd, cmd, &args);
}

static inline int mem_map(const struct gpu *g, uint64_t handle)
{
	return mem_map_call(g, AMDKFD_IOC_MAP_MEMORY_TO_GPU, handle, g->id);
}

static inline int mem_unmap(const struct gpu *g, uint64_t handle)
{
	return mem_map_call(g, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, handle, g->id);
}

/* Runs @body in a child; its exit status, or -1 if it died. */
static inline int in_child(int (*body)(void *arg), void *arg)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(body(arg));
	ASSERT_GT(pid, 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A buffer of @bytes at @p, which is memory of the process. */
static inline void queue_buffer(const struct gpu *g, char *p, size_t bytes)
{
	struct mem m;

	ASSERT_EQ(0, mem_alloc_at(g, USERPTR | RW, p, bytes, (uintptr_t)p, &m));
	ASSERT_EQ(0, mem_map(g, m.handle));
}

/* Memory for a queue: a ring, a page for the indices, a save area; a buffer for each. */
static inline char *ring_memory(const struct gpu *g, size_t ring_bytes)
{
	size_t area = queue_area(g->node).bytes;
	char *p = mmap(NULL, ring_bytes + PAGE + area, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)p);
	queue_buffer(g, p, ring_bytes);
	queue_buffer(g, p + ring_bytes, PAGE);
	queue_buffer(g, p + ring_bytes + PAGE, area);
	return p;
}

/* An AQL queue in memory of ring_memory() */
static inline struct kfd_ioctl_create_queue_args ring_queue(const struct gpu *g, char *p,
							    uint32_t ring_bytes,
							    uint32_t priority)
{
	struct queue_area area = queue_area(g->node);

	return (struct kfd_ioctl_create_queue_args) {
		.ring_base_address = (uintptr_t)p, .ring_size = ring_bytes,
		.write_pointer_address = (uintptr_t)p + ring_bytes + 56,
		.read_pointer_address = (uintptr_t)p + ring_bytes + 128,
		.ctx_save_restore_address = (uintptr_t)p + ring_bytes + PAGE,
		.ctx_save_restore_size = area.cwsr, .ctl_stack_size = area.ctl,
		.gpu_id = g->id, .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
		.queue_percentage = 100, .queue_priority = priority,
	};
}

#endif /* KFD_UTIL_H */
