// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of a GPU in debugfs: "stats", one "name value" a line, and "queues",
 * one queue a line. Each counter has one writer; reads are not a snapshot.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/seq_file.h>

#include "engine.h"

static int stats_show(struct seq_file *m, void *unused)
{
	struct hw *vg = m->private;
	unsigned int i;

	/* The CP thread uses plain stores, so this may miss the last increment. */
	seq_printf(m, "packets %llu\n", data_race(READ_ONCE(vg->packets)));
	/* Likewise. */
	seq_printf(m, "dispatches %llu\n", data_race(READ_ONCE(vg->dispatches)));
	engine_show(vg, m);
	seq_printf(m, "doorbell_wakes %lld\n", atomic64_read(&vg->doorbell_wakes));
	seq_printf(m, "events %lld\n", atomic64_read(&vg->events));
	seq_printf(m, "queue_errors %lld\n", atomic64_read(&vg->queue_errors));
	seq_printf(m, "bad_packets %lld\n", atomic64_read(&vg->bad_packets));
	seq_printf(m, "queue_resets %lld\n", atomic64_read(&vg->resets));
	seq_printf(m, "vm_faults %lld\n", atomic64_read(&vg->vm_faults));
	seq_printf(m, "sdma_packets %lld\n", atomic64_read(&vg->sdma_packets));
	seq_printf(m, "sdma_bytes %lld\n", atomic64_read(&vg->sdma_bytes));
	seq_printf(m, "sdma_busy_ns %lld\n", atomic64_read(&vg->sdma_busy_ns));
	seq_printf(m, "traps %lld\n", atomic64_read(&vg->traps));
	seq_printf(m, "sched_looks %u\n", READ_ONCE(vg->sched_looks));
	seq_printf(m, "busy_ns %llu\n", hw_busy_ns(vg->gdev));
	for (i = 0; i < HW_ILLEGAL_NAMES; i++)
		if (READ_ONCE(vg->illegal[i].name))
			seq_printf(m, "illegal %s %llu\n", vg->illegal[i].name,
				   vg->illegal[i].count);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int queues_show(struct seq_file *m, void *unused)
{
	struct hw *vg = m->private;
	struct hw_compute *vq;

	spin_lock(&vg->lock);
	list_for_each_entry(vq, &vg->queues, hq.node)
		seq_printf(m, "pid %d queue %u %s next %llu read %llu in_flight %llu packets %llu dispatches %llu busy_ns %llu error 0x%x weight %u hqd %d\n",
			   vq->hq.q->process->pid, vq->hq.q->id,
			   hw_queue_state_name(&vq->hq),
			   vq->cp.next, vq->cp.release, cp_queue_in_flight(&vq->cp),
			   vq->packets, vq->dispatches,
			   hw_busy_time_locked(&vq->busy), vq->cp.error, vq->weight,
			   (int)vq->hq.hqd);
	hw_sdma_show_locked(vg, m);
	spin_unlock(&vg->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(queues);

void hw_stats_init(struct hw *vg)
{
	struct dentry *dir = vg->gdev->debugfs;

	if (IS_ERR_OR_NULL(dir))
		return;
	vg->stats_file = debugfs_create_file("stats", 0444, dir, vg, &stats_fops);
	vg->queues_file = debugfs_create_file("queues", 0444, dir, vg, &queues_fops);
}

void hw_stats_fini(struct hw *vg)
{
	debugfs_remove(vg->queues_file);
	debugfs_remove(vg->stats_file);
}
