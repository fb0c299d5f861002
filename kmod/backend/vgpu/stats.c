// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of a virtual GPU in debugfs: "stats" and "opcodes" (how often each
 * ran), one "name value" a line, and "queues", one queue a line. Each counter
 * has one writer; reads are not a snapshot.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "stats.h"
#include "../../engine/interp/interp.h"

static const struct {
	const char *name;
	size_t at;
	bool max;
} counters[] = {
	{ "packets", offsetof(struct hw_counters, packets), false },
	{ "dispatches", offsetof(struct hw_counters, dispatches), false },
	{ "groups", offsetof(struct hw_counters, groups), false },
	{ "waves", offsetof(struct hw_counters, waves), false },
	{ "instructions", offsetof(struct hw_counters, insns), false },
	{ "messages", offsetof(struct hw_counters, messages), false },
	{ "tlb_misses", offsetof(struct hw_counters, misses), false },
	{ "access_faults", offsetof(struct hw_counters, faults), false },
	{ "sections", offsetof(struct hw_counters, sections), false },
	{ "section_ns", offsetof(struct hw_counters, section_ns), false },
	{ "section_max_ns", offsetof(struct hw_counters, section_max_ns), true },
	{ "section_max_cpu_ns", offsetof(struct hw_counters, section_max_cpu_ns), true },
	{ "owner_changes", offsetof(struct hw_counters, owner_changes), false },
	{ "predictor_barriers", offsetof(struct hw_counters, barriers), false },
};

/* Their owners count with plain stores: what is read here may lack the last one. */
static u64 counter(const struct hw_counters *c, size_t at)
{
	return data_race(READ_ONCE(*(const u64 *)((const u8 *)c + at)));
}

static u64 sum(const struct hw *vg, size_t at, bool max)
{
	u64 v = counter(&vg->cp_n, at), n;
	unsigned int i;

	for (i = 0; i < vg->nworkers; i++) {
		n = counter(&vg->workers[i].n, at);
		v = max ? max(v, n) : v + n;
	}
	return v;
}

static int stats_show(struct seq_file *m, void *unused)
{
	struct hw *vg = m->private;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		seq_printf(m, "%s %llu\n", counters[i].name,
			   sum(vg, counters[i].at, counters[i].max));
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
	seq_printf(m, "block_bytes %lld\n", atomic64_read(&vg->block_bytes));
	seq_printf(m, "block_bytes_max %llu\n", interp_block_cap(vg));
	seq_printf(m, "busy_ns %llu\n", vgpu_backend_ops.busy_ns(vg->gdev));
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

/* What has run, an opcode and its count a line. */
static int opcodes_show(struct seq_file *m, void *unused)
{
	struct hw *vg = m->private;
	u64 *count = kvcalloc(isa_op_count(), sizeof(*count), GFP_KERNEL);
	unsigned int i;

	if (!count)
		return -ENOMEM;
	for (i = 0; i < vg->nworkers; i++)
		isa_icache_count(vg->workers[i].cu, count);
	for (i = 0; i < isa_op_count(); i++)
		if (count[i])
			seq_printf(m, "%s %llu\n", isa_op_name(i), count[i]);
	kvfree(count);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(opcodes);

/* Whether sections are timed by interp_cpu_clock_ns(), too; turning it on starts anew. */
static int cpu_clock_get(void *data, u64 *val)
{
	struct hw *vg = data;

	*val = READ_ONCE(vg->cpu_clock);
	return 0;
}

static int cpu_clock_set(void *data, u64 val)
{
	struct hw *vg = data;
	unsigned int i;

	for (i = 0; val && i < vg->nworkers; i++)
		WRITE_ONCE(vg->workers[i].n.section_max_cpu_ns, 0);
	WRITE_ONCE(vg->cpu_clock, val);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(cpu_clock_fops, cpu_clock_get, cpu_clock_set, "%llu\n");

void vgpu_stats_init(struct hw *vg)
{
	struct dentry *dir = vg->gdev->debugfs;

	if (IS_ERR_OR_NULL(dir))
		return;
	vg->stats_file = debugfs_create_file("stats", 0444, dir, vg, &stats_fops);
	vg->queues_file = debugfs_create_file("queues", 0444, dir, vg, &queues_fops);
	vg->opcodes_file = debugfs_create_file("opcodes", 0444, dir, vg, &opcodes_fops);
	vg->clock_file = debugfs_create_file("section_cpu_clock", 0600, dir, vg, &cpu_clock_fops);
}

void vgpu_stats_fini(struct hw *vg)
{
	debugfs_remove(vg->clock_file);
	debugfs_remove(vg->opcodes_file);
	debugfs_remove(vg->queues_file);
	debugfs_remove(vg->stats_file);
}
