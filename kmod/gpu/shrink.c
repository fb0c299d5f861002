// SPDX-License-Identifier: GPL-2.0-only
/*
 * A shrinker for the page caches of VMs. They may be dropped at any time, because faults fill
 * them again. They hold no pages, only the tree that says where pages are. But a GPU that
 * touches a wide address space leaves a tree node for every few pages. When the machine is
 * short of memory, the shrinker removes entries from one VM after the other.
 *
 * A VM at the limit of its memory cgroup drops its own page cache (room.c).
 */
#include <linux/debugfs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/shrinker.h>

#include "device.h"
#include "gpu_int.h"
#include "../compat/shrinker.h"

/* Large batches, because each removal stops the workers inside the VM for a moment. */
#define SHRINK_BATCH_PAGES	4096

/* Taken within reclaim, so do not allocate under it. Outside of vm->pc_lock. */
static DEFINE_MUTEX(gpu_pc_vms_lock);	/* gpu_pc_vms, gpu_vm.pc_node, gpu_vm.pc_next */
static LIST_HEAD(gpu_pc_vms);
static atomic_long_t gpu_pc_pages = ATOMIC_LONG_INIT(0);
static struct shrinker *gpu_pc_shrinker;

void gpu_pc_count(long pages)
{
	atomic_long_add(pages, &gpu_pc_pages);
}

void gpu_pc_join(struct gpu_vm *vm)
{
	mutex_lock(&gpu_pc_vms_lock);
	list_add_tail(&vm->pc_node, &gpu_pc_vms);
	mutex_unlock(&gpu_pc_vms_lock);
}

void gpu_pc_part(struct gpu_vm *vm)
{
	mutex_lock(&gpu_pc_vms_lock);
	list_del(&vm->pc_node);
	mutex_unlock(&gpu_pc_vms_lock);
}

/* Removes at most @max pages, from where the last call ended; returns how many. */
static unsigned long shrink_vm(struct gpu_vm *vm, unsigned long max)
{
	unsigned long index, last = ULONG_MAX, n = 0;
	void *entry;

	lockdep_assert_held(&vm->pc_lock);
	xa_for_each_start(&vm->pages, index, entry, vm->pc_next) {
		last = index;
		if (++n == max)
			break;
	}
	if (n)
		gpu_pc_shootdown(vm, vm->pc_next, last, true);
	vm->pc_next = n == max ? last + 1 : 0;
	return n;
}

unsigned long gpu_pc_shrink(unsigned long max)
{
	unsigned long n = 0;
	struct gpu_vm *vm, *first = NULL;

	if (!mutex_trylock(&gpu_pc_vms_lock))
		return 0;
	while (n < max && !list_empty(&gpu_pc_vms)) {
		vm = list_first_entry(&gpu_pc_vms, struct gpu_vm, pc_node);
		if (vm == first)
			break;		/* every VM had its turn */
		if (!first)
			first = vm;
		list_move_tail(&vm->pc_node, &gpu_pc_vms);
		if (!mutex_trylock(&vm->pc_lock))
			continue;
		n += shrink_vm(vm, max - n);
		mutex_unlock(&vm->pc_lock);
	}
	mutex_unlock(&gpu_pc_vms_lock);
	return n;
}

static unsigned long pc_shrink_count(struct shrinker *s, struct shrink_control *sc)
{
	return atomic_long_read(&gpu_pc_pages) ?: SHRINK_EMPTY;
}

static unsigned long pc_shrink_scan(struct shrinker *s, struct shrink_control *sc)
{
	return gpu_pc_shrink(sc->nr_to_scan) ?: SHRINK_STOP;
}

static int page_cache_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%ld\n", atomic_long_read(&gpu_pc_pages));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(page_cache);

int gpu_shrink_start(void)
{
	gpu_pc_shrinker = shrinker_alloc(0, "vkfd-pagecache");
	if (!gpu_pc_shrinker)
		return -ENOMEM;
	gpu_pc_shrinker->count_objects = pc_shrink_count;
	gpu_pc_shrinker->scan_objects = pc_shrink_scan;
	gpu_pc_shrinker->batch = SHRINK_BATCH_PAGES;
	shrinker_register(gpu_pc_shrinker);
	debugfs_create_file("page_cache", 0444, gpu_debugfs, NULL, &page_cache_fops);
	return 0;
}

void gpu_shrink_stop(void)
{
	shrinker_free(gpu_pc_shrinker);
	WARN_ON_ONCE(atomic_long_read(&gpu_pc_pages));
}
