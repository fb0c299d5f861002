// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads, writes and atomics through a VM, for callers that move only a few bytes (command
 * processors, ioctls). Waves have a faster way: a TLB over gpu_vm_lookup().
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "access.h"
#include "pagecache.h"
#include "gpu_int.h"

#define GPU_ACCESS_TRIES	10000	/* give up on a page that keeps disappearing */

int gpu_vm_bring(struct gpu_vm *vm, u64 va, u32 want, unsigned int *tries,
		 struct gpu_fault *fault)
{
	int err;

	if (++*tries > GPU_ACCESS_TRIES) {
		*fault = (struct gpu_fault){ .va = va, .access = want, .not_present = true };
		return -EFAULT;
	}
	err = gpu_vm_fault(vm, va, want, fault);
	cond_resched();
	return err;
}

void *gpu_vm_hold(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va, u32 want,
		  struct gpu_fault *fault)
{
	unsigned int tries = 0;
	u32 access;
	void *page;
	int err;

	for (;;) {
		gpu_vm_enter(w, vm);
		page = gpu_vm_lookup(vm, va, want, &access);
		if (page)
			return page + offset_in_page(va);
		gpu_vm_exit(w);
		err = gpu_vm_bring(vm, va, want, &tries, fault);
		if (err)
			return ERR_PTR(err);
	}
}

/*
 * Naturally aligned words are copied in one piece and in order, because producer and
 * consumer synchronise by them: packet headers, ring indices, signal values.
 */
static void gpu_copy_from(void *dst, const void *page, size_t n)
{
	bool aligned = IS_ALIGNED((unsigned long)page, n);

	if (n == 8 && aligned)
		/* before what the word announces */
		put_unaligned(smp_load_acquire((const u64 *)page), (u64 *)dst);
	else if (n == 4 && aligned)
		/* before what the word announces */
		put_unaligned(smp_load_acquire((const u32 *)page), (u32 *)dst);
	else if (n == 2 && aligned)
		/* before what the word announces */
		put_unaligned(smp_load_acquire((const u16 *)page), (u16 *)dst);
	else
		memcpy(dst, page, n);
}

static void gpu_copy_to(void *page, const void *src, size_t n)
{
	bool aligned = IS_ALIGNED((unsigned long)page, n);

	if (n == 8 && aligned)
		/* after what the word announces */
		smp_store_release((u64 *)page, get_unaligned((const u64 *)src));
	else if (n == 4 && aligned)
		/* after what the word announces */
		smp_store_release((u32 *)page, get_unaligned((const u32 *)src));
	else if (n == 2 && aligned)
		/* after what the word announces */
		smp_store_release((u16 *)page, get_unaligned((const u16 *)src));
	else
		memcpy(page, src, n);
}

int gpu_vm_read(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va, void *dst,
		size_t len, struct gpu_fault *fault)
{
	while (len) {
		size_t n = min_t(size_t, len, PAGE_SIZE - offset_in_page(va));
		void *at = gpu_vm_hold(w, vm, va, GPU_R, fault);

		if (IS_ERR(at))
			return PTR_ERR(at);
		gpu_copy_from(dst, at, n);
		gpu_vm_exit(w);
		va += n;
		dst += n;
		len -= n;
	}
	return 0;
}

int gpu_vm_write(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va,
		 const void *src, size_t len, struct gpu_fault *fault)
{
	while (len) {
		size_t n = min_t(size_t, len, PAGE_SIZE - offset_in_page(va));
		void *at = gpu_vm_hold(w, vm, va, GPU_W, fault);

		if (IS_ERR(at))
			return PTR_ERR(at);
		gpu_copy_to(at, src, n);
		gpu_vm_exit(w);
		va += n;
		src += n;
		len -= n;
	}
	return 0;
}

int gpu_vm_atomic_add64(struct gpu_vm_worker *w, struct gpu_vm *vm, u64 va,
			u64 val, u64 *old, struct gpu_fault *fault)
{
	void *at;

	if (va & 7) {
		*fault = (struct gpu_fault){ .va = va & PAGE_MASK, .access = GPU_W };
		return -EFAULT;
	}
	at = gpu_vm_hold(w, vm, va, GPU_R | GPU_W, fault);
	if (IS_ERR(at))
		return PTR_ERR(at);
	*old = atomic64_fetch_add(val, (atomic64_t *)at);
	gpu_vm_exit(w);
	return 0;
}
