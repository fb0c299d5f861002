/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel memory that is charged to a client: see charged.c. */
#ifndef GPU_CHARGED_H
#define GPU_CHARGED_H

#include <linux/types.h>

#include "room.h"

struct gpu_job;
struct gpu_vm;
struct page;

/**
 * struct gpu_memory - zeroed pages, mapped one after the other
 * @p: address of the first byte, or NULL
 * @pages,@n: the pages, and how many
 */
struct gpu_memory {
	void *p;
	struct page **pages;
	unsigned int n;
};

/**
 * struct gpu_memory_ask - a request of a VM for memory that was not available at once
 * @job: the work item that waits; it holds a reference to the VM
 * @bytes: how much
 * @busy: a request is in progress
 * @refused: the last one found no memory; @until: and for so long nobody tries again (jiffies)
 */
struct gpu_memory_ask {
	struct gpu_room_job job;
	size_t bytes;
	atomic_t busy;
	bool refused;
	unsigned long until;
};

/**
 * gpu_memory_get() - allocate memory
 * @m: filled in if there is memory
 * @bytes: how much
 * @gfp: for the pages; with __GFP_ACCOUNT the caller's cgroup is charged
 *
 * It may sleep, whatever @gfp is, because page tables are allocated. Return: 0 or -ENOMEM
 */
int gpu_memory_get(struct gpu_memory *m, size_t bytes, gfp_t gfp);
/* For a thread of the GPU: what is available at once, charged to the client of @vm. */
int gpu_memory_get_now(struct gpu_memory *m, size_t bytes, struct gpu_vm *vm);
void gpu_memory_put(struct gpu_memory *m);
/* After gpu_memory_get_now() has failed: lets a work item make room. The caller tries later. */
void gpu_memory_ask(struct gpu_vm *vm, size_t bytes);
/* Is there such a request, or was one refused a moment ago? Then it makes no sense to try. */
bool gpu_memory_awaited(struct gpu_vm *vm);

/*
 * @n elements of @bytes each from user space, charged to the caller's cgroup, as a call may wait
 * with them; or ERR_PTR(). For kvfree().
 */
void *gpu_copy_array(u64 user, size_t n, size_t bytes);

/* gpu_backend_job_run() by a thread of the kernel, charged to the client of the job's VM. */
int gpu_job_run(struct gpu_job *job);

#endif /* GPU_CHARGED_H */
