/* SPDX-License-Identifier: MIT */
/*
 * Private to libthunk: the one state of the process, its locks, and what the files offer each
 * other.
 *
 * Rules: inside the library errors are negative errno values, turned into HSAKMT_STATUS at the
 * exported function by thunk_status().  Lock order: thunk.lock, then thunk.mem_lock.  No lock is
 * held across WAIT_EVENTS or a queue's creation and destruction.
 */
#ifndef THUNK_H
#define THUNK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hsakmt/hsakmt.h"
#include "linux/kfd_ioctl.h"

#define THUNK_API	__attribute__((visibility("default")))

#define THUNK_MAX_GPUS	128
#define THUNK_PAGE	4096ul

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static inline uint64_t align_up(uint64_t v, uint64_t a)
{
	return (v + a - 1) & ~(a - 1);
}

static inline uint64_t align_down(uint64_t v, uint64_t a)
{
	return v & ~(a - 1);
}

static inline bool is_pow2(uint64_t v)
{
	return v && !(v & (v - 1));
}

struct topo;

/*
 * What the process holds of one GPU.  It outlives hsaKmtCloseKFD: the kernel binds a VM to the
 * first DRM file of the process and to no other, and keeps all memory until the process ends.
 */
struct thunk_gpu {
	uint32_t gpu_id;
	uint32_t node;			/* in the current snapshot */
	uint32_t gfxv;			/* major << 16 | minor << 8 | stepping */
	int drm_fd;			/* the render node the VM was acquired with */
	bool vm_acquired;
	struct kfd_process_device_apertures aperture;
	void *mmio;			/* HDP flush registers, NULL if the kernel gave none */
	void *doorbells;		/* the process's slice; protected by thunk.mem_lock */
	void *scratch;			/* reserved address range, same protection */
	uint64_t scratch_size;
	void *amdgpu_dev;		/* libdrm's handle, made on demand */
};

struct thunk_state {
	pthread_mutex_t lock;		/* protects opens, kfd_fd, topo, gpus, event page */
	int kfd_fd;
	unsigned int opens;
	HsaVersionInfo version;
	struct topo *topo;		/* internal snapshot, from open to close */
	bool topo_acquired;		/* the user may read it */
	unsigned int nr_gpus;
	struct thunk_gpu gpus[THUNK_MAX_GPUS];
	uint64_t *event_page;

	pthread_mutex_t mem_lock;	/* protects the object table of memory.c */
};

extern struct thunk_state thunk;

/* open.c */
int thunk_ioctl(unsigned long cmd, void *arg);
HSAKMT_STATUS thunk_status(int err);
bool thunk_is_open(void);
struct thunk_gpu *thunk_gpu_by_id(uint32_t gpu_id);
int thunk_gpu_by_node(uint32_t node, struct thunk_gpu **gpu);
HSAKMT_STATUS thunk_gpu_required(uint32_t node, struct thunk_gpu **gpu);

#define THUNK_CHECK_OPEN()						\
	do {								\
		if (!thunk_is_open())					\
			return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;	\
	} while (0)

/* topology.c */
int thunk_topology_take(void);
void thunk_topology_drop(void);
uint32_t thunk_nr_cpu_nodes(void);

/* drm.c */
int thunk_drm_open(uint32_t minor);
int thunk_drm_info(int fd, uint32_t *device, uint32_t *revision, uint32_t *family);
void thunk_drm_marketing_name(uint32_t device, uint32_t revision, char *buf, size_t size);

/* memory.c, map.c, vm.c */
int thunk_memory_init(void);
void thunk_memory_forget(void);
HSAKMT_STATUS thunk_mem_alloc(uint32_t node, uint64_t size, uint64_t align, HsaMemFlags flags,
			      void **addr);
HSAKMT_STATUS thunk_mem_free(void *addr);
int thunk_mem_map(void *addr, const uint32_t *gpu_ids, unsigned int n, uint64_t *va);
uint64_t thunk_mem_handle(const void *addr);
int thunk_mem_doorbells(struct thunk_gpu *gpu, uint64_t cookie, void **addr);

/* queue.c, event.c: what a forked child must forget */
void thunk_queues_forget(void);
void thunk_events_forget(void);

#endif /* THUNK_H */
