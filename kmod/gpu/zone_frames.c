// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page frames for pages that are with the GPUs (zone.c). They are device-private: they exist only
 * as struct page, in chunks that come as they are needed. A chunk costs the machine the memory of
 * its struct pages, 2 MiB.
 *
 * What lies behind a frame is allocated with it, and freed with it at once. The chunks stay for
 * those who come next, as a chunk is dear to make. When the machine is short of memory, a shrinker
 * has those given back of which no frame is in use. It only asks for that: what takes struct pages
 * away waits for locks within which others allocate, so it is done outside of reclaim.
 *
 * Frames are taken from chunks that are in use before others, so that the others stay free.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/highmem.h>
#include <linux/ioport.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../compat/shrinker.h"
#include "../compat/zone.h"
#include "device.h"
#include "race.h"
#include "zone.h"
#include "zone_frames.h"

/* What the kernel hands out at least: PA_SECTION_SHIFT */
#define CHUNK_BYTES	(128ul << 20)
#define CHUNK_FRAMES	(CHUNK_BYTES >> PAGE_SHIFT)
/* What its struct pages take, in pages */
#define CHUNK_COST	DIV_ROUND_UP(CHUNK_FRAMES * sizeof(struct page), PAGE_SIZE)

#define BEHIND_GFP	(GFP_HIGHUSER | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/**
 * struct frame_chunk - page frames that came together
 * @node: in frame_chunks
 * @avail: in frame_avail; empty if all of its frames are in use
 * @map: what the kernel knows of them
 * @free: the free ones, linked by zone_device_data
 * @num_free: how many
 */
struct frame_chunk {
	struct list_head node, avail;
	struct dev_pagemap map;
	struct page *free;
	unsigned long num_free;
};

static DEFINE_MUTEX(frame_grow_lock);	/* frame_chunks; outside mem_hotplug_lock */
static LIST_HEAD(frame_chunks);
static DEFINE_SPINLOCK(frame_lock);	/* the following; taken under page table locks */
static LIST_HEAD(frame_avail);		/* those that nobody uses last */
static unsigned long frames_free, frames_used, chunks_idle, chunks_returned;
static u64 frames_promised;	/* to those who are about to take them */
static bool frames_closed;

static struct shrinker *frame_shrinker;
static vm_fault_t (*frame_to_ram)(struct vm_fault *vmf);

bool gpu_zone_used(void)
{
	return READ_ONCE(frames_used);
}

void *gpu_zone_owner(void)
{
	return &frame_chunks;
}

static struct frame_chunk *chunk_of(struct page *page)
{
	return container_of(compat_zone_pgmap(page), struct frame_chunk, map);
}

/* ------------------------------------------------------------------ frames */

static void frame_put_locked(struct frame_chunk *c, struct page *page)
{
	lockdep_assert_held(&frame_lock);
	page->zone_device_data = c->free;
	c->free = page;
	frames_free++;
	if (!c->num_free++)
		list_add(&c->avail, &frame_avail);
	if (c->num_free == CHUNK_FRAMES) {
		list_move_tail(&c->avail, &frame_avail);
		WRITE_ONCE(chunks_idle, chunks_idle + 1);
	}
}

/* The kernel still has a reference of the map: the chunk stays until it drops that. */
static void frame_free(struct page *page)
{
	struct page *behind = page->zone_device_data;

	spin_lock(&frame_lock);
	WRITE_ONCE(frames_used, frames_used - 1);
	frame_put_locked(chunk_of(page), page);
	spin_unlock(&frame_lock);
	if (behind)
		put_page(behind);
}

COMPAT_ZONE_FREE(frame_free)

static struct page *frame_take_locked(void)
{
	struct frame_chunk *c = list_first_entry_or_null(&frame_avail, struct frame_chunk, avail);
	struct page *page;

	lockdep_assert_held(&frame_lock);
	if (!c || frames_closed)
		return NULL;
	page = c->free;
	c->free = page->zone_device_data;
	if (c->num_free-- == CHUNK_FRAMES)
		WRITE_ONCE(chunks_idle, chunks_idle - 1);
	if (!c->num_free)
		list_del_init(&c->avail);
	frames_free--;
	WRITE_ONCE(frames_used, frames_used + 1);
	return page;
}

struct page *gpu_frame_get(void)
{
	struct page *page, *behind = alloc_page(BEHIND_GFP);

	if (!behind)
		return NULL;
	spin_lock(&frame_lock);
	page = frame_take_locked();
	spin_unlock(&frame_lock);
	if (!page) {
		__free_page(behind);
		return NULL;
	}
	compat_zone_page_init(page);
	page->zone_device_data = behind;
	return page;
}

/* ------------------------------------------------------------------ chunks */

static vm_fault_t frame_touched(struct vm_fault *vmf)
{
	return frame_to_ram(vmf);
}

static const struct dev_pagemap_ops frame_ops = {
	COMPAT_ZONE_FREE_OP(frame_free)
	.migrate_to_ram = frame_touched,
};

static void chunk_fill(struct frame_chunk *c)
{
	unsigned long pfn = PHYS_PFN(c->map.range.start), i;

	spin_lock(&frame_lock);
	for (i = CHUNK_FRAMES; i--;)
		frame_put_locked(c, pfn_to_page(pfn + i));
	spin_unlock(&frame_lock);
}

static int chunk_add(void)
{
	struct frame_chunk *c = kzalloc(sizeof(*c), GFP_KERNEL);
	struct resource *res;
	void *p;

	lockdep_assert_held(&frame_grow_lock);
	if (!c)
		return -ENOMEM;
	res = request_free_mem_region(&iomem_resource, CHUNK_BYTES, "vkfd");
	if (IS_ERR(res)) {
		kfree(c);
		return PTR_ERR(res);
	}
	INIT_LIST_HEAD(&c->avail);
	c->map.type = MEMORY_DEVICE_PRIVATE;
	c->map.range.start = res->start;
	c->map.range.end = res->end;
	c->map.nr_range = 1;
	c->map.ops = &frame_ops;
	c->map.owner = gpu_zone_owner();
	p = memremap_pages(&c->map, NUMA_NO_NODE);
	if (IS_ERR(p)) {
		release_mem_region(res->start, resource_size(res));
		kfree(c);
		return PTR_ERR(p);
	}
	list_add_tail(&c->node, &frame_chunks);
	chunk_fill(c);
	return 0;
}

/* One that nobody uses, or is about to use, out of reach of who wants frames; or NULL. */
static struct frame_chunk *chunk_take_idle(void)
{
	struct frame_chunk *c;

	lockdep_assert_held(&frame_grow_lock);
	spin_lock(&frame_lock);
	c = list_last_entry(&frame_avail, struct frame_chunk, avail);
	if (list_empty(&frame_avail) || c->num_free != CHUNK_FRAMES ||
	    frames_free < frames_promised + CHUNK_FRAMES) {
		c = NULL;
	} else {
		list_del(&c->avail);
		frames_free -= CHUNK_FRAMES;
		WRITE_ONCE(chunks_idle, chunks_idle - 1);
	}
	spin_unlock(&frame_lock);
	return c;
}

static bool chunk_return(void)
{
	struct frame_chunk *c;

	mutex_lock(&frame_grow_lock);
	c = chunk_take_idle();
	if (c) {
		vkfd_race_point("zone: a chunk is to be given back");
		list_del(&c->node);
		memunmap_pages(&c->map);
		release_mem_region(c->map.range.start, range_len(&c->map.range));
		kfree(c);
		WRITE_ONCE(chunks_returned, chunks_returned + 1);
	}
	mutex_unlock(&frame_grow_lock);
	return c;
}

/* A machine may have thousands of them; who wants one meanwhile waits for one. */
static void chunks_return(void)
{
	while (chunk_return())
		cond_resched();
}

/* As of system memory that GPUs have otherwise (GTT), it may be half of the machine's. */
static bool frames_wanted(u64 pages)
{
	bool wanted;

	spin_lock(&frame_lock);
	wanted = !frames_closed && frames_free < pages &&
		frames_free + frames_used + CHUNK_FRAMES <= totalram_pages() / 2;
	spin_unlock(&frame_lock);
	return wanted;
}

/* The range may be as large as its process likes, so others have their turn after each chunk. */
void gpu_zone_prepare(u64 bytes)
{
	bool more;

	spin_lock(&frame_lock);
	frames_promised += bytes >> PAGE_SHIFT;
	spin_unlock(&frame_lock);
	do {
		if (mutex_lock_killable(&frame_grow_lock))
			return;
		more = frames_wanted(bytes >> PAGE_SHIFT) && !fatal_signal_pending(current) &&
		       !chunk_add();
		mutex_unlock(&frame_grow_lock);
	} while (more);
}

void gpu_zone_prepare_end(u64 bytes)
{
	spin_lock(&frame_lock);
	frames_promised -= bytes >> PAGE_SHIFT;
	spin_unlock(&frame_lock);
}

void gpu_frames_each(void (*fn)(unsigned long pfn, unsigned long n, void *arg), void *arg)
{
	struct frame_chunk *c;

	mutex_lock(&frame_grow_lock);
	list_for_each_entry(c, &frame_chunks, node)
		fn(PHYS_PFN(c->map.range.start), CHUNK_FRAMES, arg);
	mutex_unlock(&frame_grow_lock);
}

/* ---------------------------------------------------------------- pressure */

static void frame_shrink_work(struct work_struct *work)
{
	chunks_return();
}

static DECLARE_WORK(frame_shrink, frame_shrink_work);

static unsigned long frame_shrink_count(struct shrinker *s, struct shrink_control *sc)
{
	unsigned long pages = READ_ONCE(chunks_idle) * CHUNK_COST;

	return pages ?: SHRINK_EMPTY;
}

/* Nothing is free yet, so that is no progress of whoever reclaims. */
static unsigned long frame_shrink_scan(struct shrinker *s, struct shrink_control *sc)
{
	schedule_work(&frame_shrink);
	return SHRINK_STOP;
}

static int zone_show(struct seq_file *m, void *unused)
{
	spin_lock(&frame_lock);
	seq_printf(m, "used %lu\nfree %lu\nidle_chunks %lu\nreturned_chunks %lu\n", frames_used,
		   frames_free, chunks_idle, chunks_returned);
	spin_unlock(&frame_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(zone);

/* --------------------------------------------------------- life and death */

int gpu_frames_start(vm_fault_t (*to_ram)(struct vm_fault *vmf))
{
	frame_to_ram = to_ram;
	frame_shrinker = shrinker_alloc(0, "vkfd-zone");
	if (!frame_shrinker)
		return -ENOMEM;
	frame_shrinker->count_objects = frame_shrink_count;
	frame_shrinker->scan_objects = frame_shrink_scan;
	frame_shrinker->batch = CHUNK_COST;
	shrinker_register(frame_shrinker);
	debugfs_create_file("zone", 0444, gpu_debugfs, NULL, &zone_fops);
	return 0;
}

void gpu_frames_close(void)
{
	spin_lock(&frame_lock);
	frames_closed = true;
	spin_unlock(&frame_lock);
}

void gpu_frames_stop(void)
{
	shrinker_free(frame_shrinker);
	cancel_work_sync(&frame_shrink);
	chunks_return();
	WARN_ON_ONCE(!list_empty(&frame_chunks));
}
