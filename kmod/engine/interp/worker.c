// SPDX-License-Identifier: GPL-2.0-only
/* The pool of compute-unit workers: their memory and threads. cu.c is what they do. */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "interp.h"

#define ICACHE_LINES	256

static u64 cu_clock(struct isa_cu *cu)
{
	return hw_clock();
}

void interp_worker_lists(struct interp_worker *w)
{
	INIT_LIST_HEAD(&w->resident);
	INIT_LIST_HEAD(&w->asleep);
	INIT_LIST_HEAD(&w->spare);
	INIT_LIST_HEAD(&w->inbox);
	INIT_LIST_HEAD(&w->shares);
}

void interp_worker_free(struct interp_worker *w)
{
	struct interp_group *g, *tmp;

	list_splice_init(&w->resident, &w->spare);
	list_splice_init(&w->asleep, &w->spare);
	list_splice_init(&w->inbox, &w->spare);
	list_for_each_entry_safe(g, tmp, &w->spare, node) {
		list_del(&g->node);
		/* A worker's first block is in nobody's books. */
		if (g->home)
			interp_block_destroy(g);
		else
			interp_block_drop(w->ip, g);
	}
	if (w->cu)
		kvfree(w->cu->insn_count);
	kvfree(w->icache);
	kvfree(w->cu);
}

int interp_worker_alloc(struct interp *ip, struct interp_worker *w, unsigned int index, gfp_t gfp)
{
	struct interp_group *home;

	w->ip = ip;
	w->vg = ip->vg;
	w->index = index;
	w->budget = interp_first_budget(ip);
	w->tlb_epoch = -1;
	w->cu = kvzalloc(sizeof(*w->cu), gfp);
	home = interp_block_create(interp_block_max(ip), gfp);
	if (home) {
		home->home = true;
		list_add(&home->node, &w->spare);
	}
	if (!w->cu || !home)
		return -ENOMEM;
	w->cu->target = ip->isa;
	w->cu->arch = ip->vg->gdev->target->arch;
	w->cu->lane = ip->lane;
	w->cu->priv = w;
	return 0;
}

/* What a worker needs that runs waves itself. */
static int worker_alloc_caches(struct interp_worker *w)
{
	w->icache = kvzalloc(isa_icache_bytes(ICACHE_LINES), GFP_KERNEL);
	w->cu->insn_count = kvcalloc(isa_op_count(), sizeof(u64), GFP_KERNEL);
	if (!w->icache || !w->cu->insn_count)
		return -ENOMEM;
	w->cu->icache = isa_icache_init(w->icache, ICACHE_LINES);
	w->cu->lookup = interp_cu_lookup;
	w->cu->clock = cu_clock;
	return 0;
}

static int worker_start(struct interp_worker *w)
{
	w->task = kthread_create(interp_worker_thread, w, "vkfd-cu/%u.%u",
				 w->vg->gdev->index, w->index);
	if (IS_ERR(w->task)) {
		int err = PTR_ERR(w->task);

		w->task = NULL;
		return err;
	}
	gpu_vm_worker_add(w->vg->gdev, &w->vmw);
	wake_up_process(w->task);
	return 0;
}

static void worker_stop(struct interp_worker *w)
{
	if (!w->task)
		return;
	kthread_stop(w->task);
	gpu_vm_worker_del(w->vg->gdev, &w->vmw);
	w->task = NULL;
}

int interp_workers_start(struct interp *ip)
{
	unsigned int i;
	int err = 0;

	ip->workers = kvcalloc(ip->nworkers, sizeof(*ip->workers), GFP_KERNEL);
	if (!ip->workers)
		return -ENOMEM;
	/* First, as workers look at each other's lists, and an error frees all of them. */
	for (i = 0; i < ip->nworkers; i++)
		interp_worker_lists(&ip->workers[i]);
	for (i = 0; i < ip->nworkers && !err; i++) {
		err = interp_worker_alloc(ip, &ip->workers[i], i, GFP_KERNEL);
		err = err ?: worker_alloc_caches(&ip->workers[i]);
	}
	for (i = 0; i < ip->nworkers && !err; i++)
		err = worker_start(&ip->workers[i]);
	if (err)
		interp_workers_stop(ip);
	return err;
}

void interp_workers_stop(struct interp *ip)
{
	unsigned int i;

	for (i = 0; i < ip->nworkers; i++)
		worker_stop(&ip->workers[i]);
	for (i = 0; i < ip->nworkers; i++)
		interp_worker_free(&ip->workers[i]);
	kvfree(ip->workers);
	ip->workers = NULL;
}
