// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel memory that is charged to a client.
 *
 * A thread of the GPU needs memory for the registers of a client's waves. It is charged to the
 * memory cgroup of the client. vmalloc() may wait, and then a client at its limit would hold up
 * the thread, which serves everybody (see room.c). So this takes single pages, without waiting,
 * and maps them. If there are none, a work item waits instead: it allocates as much, so that the
 * kernel reclaims memory of the cgroup, and frees it again. Then the thread finds it when it
 * looks again.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kmemleak.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "backend.h"
#include "gpu_int.h"
#include "job.h"

/* After a refusal, nobody tries again for so long. */
#define ASK_AGAIN_JIFFIES	max(1, HZ / 4)

static void pages_free(struct gpu_memory *m)
{
	unsigned int i;

	for (i = 0; i < m->n; i++)
		__free_page(m->pages[i]);
	kfree(m->pages);
	*m = (struct gpu_memory){};
}

static int pages_alloc(struct gpu_memory *m, unsigned int n, gfp_t gfp)
{
	struct page *page;

	*m = (struct gpu_memory){ .pages = kmalloc_array(n, sizeof(*m->pages), gfp) };
	if (!m->pages)
		return -ENOMEM;
	for (; m->n < n; m->n++) {
		page = alloc_page(gfp | __GFP_ZERO);
		if (!page) {
			pages_free(m);
			return -ENOMEM;
		}
		m->pages[m->n] = page;
	}
	return 0;
}

int gpu_memory_get(struct gpu_memory *m, size_t bytes, gfp_t gfp)
{
	int ret = pages_alloc(m, PFN_UP(bytes), gfp);

	if (ret)
		return ret;
	m->p = vmap(m->pages, m->n, VM_MAP, PAGE_KERNEL);
	if (!m->p) {
		pages_free(m);
		return -ENOMEM;
	}
	/* Users keep *m in the memory itself, where kmemleak does not look for pointers. */
	kmemleak_not_leak(m->pages);
	return 0;
}

static int memory_for(struct gpu_vm *vm, struct gpu_memory *m, size_t bytes, gfp_t gfp)
{
	struct mem_cgroup *old = gpu_memcg_enter(vm->memcg);
	int ret = gpu_memory_get(m, bytes, gfp);

	gpu_memcg_leave(old);
	gpu_memcg_pass(vm);
	return ret;
}

int gpu_memory_get_now(struct gpu_memory *m, size_t bytes, struct gpu_vm *vm)
{
	return memory_for(vm, m, bytes, GPU_GFP_NOW);
}

void gpu_memory_put(struct gpu_memory *m)
{
	if (!m->p)
		return;
	vunmap(m->p);
	pages_free(m);
}

/* ------------------------------------------------------------------- waiting */

static void ask_work(struct gpu_room_job *job)
{
	struct gpu_memory_ask *ask = container_of(job, struct gpu_memory_ask, job);
	struct gpu_vm *vm = container_of(ask, struct gpu_vm, memory_ask);
	struct gpu_memory m;
	int err = memory_for(vm, &m, ask->bytes, GPU_GFP_WAIT);

	if (!err)
		gpu_memory_put(&m);
	WRITE_ONCE(ask->until, jiffies + ASK_AGAIN_JIFFIES);
	WRITE_ONCE(ask->refused, err);
	atomic_set_release(&ask->busy, 0);
	gpu_vm_put(vm);
}

void gpu_memory_ask(struct gpu_vm *vm, size_t bytes)
{
	struct gpu_memory_ask *ask = &vm->memory_ask;

	if (atomic_cmpxchg(&ask->busy, 0, 1))
		return;
	ask->bytes = bytes;
	gpu_vm_get(vm);
	gpu_room_queue(vm->room_user, &ask->job);
}

bool gpu_memory_awaited(struct gpu_vm *vm)
{
	const struct gpu_memory_ask *ask = &vm->memory_ask;

	return atomic_read_acquire(&ask->busy) ||
	       (READ_ONCE(ask->refused) && time_before(jiffies, READ_ONCE(ask->until)));
}

void gpu_memory_ask_init(struct gpu_memory_ask *ask)
{
	gpu_room_job_init(&ask->job, ask_work);
}

/* --------------------------------------------------------------------- jobs */

int gpu_job_run(struct gpu_job *job)
{
	struct mem_cgroup *old = gpu_memcg_enter(job->vm->memcg);
	int ret = gpu_backend_job_run(job);

	gpu_memcg_leave(old);
	gpu_memcg_pass(job->vm);
	return ret;
}

/* vmemdup_user() charges nobody. */
void *gpu_copy_array(u64 user, size_t n, size_t bytes)
{
	void *copy = kvmalloc_array(n, bytes, GFP_KERNEL_ACCOUNT);

	if (!copy)
		return ERR_PTR(-ENOMEM);
	if (copy_from_user(copy, u64_to_user_ptr(user), n * bytes)) {
		kvfree(copy);
		return ERR_PTR(-EFAULT);
	}
	return copy;
}
