// SPDX-License-Identifier: GPL-2.0-only
/*
 * mqds, hqds, rls and mem_limit in /sys/kernel/debug/kfd, with the text of the
 * real driver's files: what people and scripts that debug queues read.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "kfd.h"
#include "topology.h"
#include "../gpu/mqd.h"
#include "../gpu/target.h"

static void queue_state(const struct vkfd_queue *q, struct gpu_queue_state *s)
{
	const struct gpu_backend_ops *ops = q->base.gdev->backend;

	memset(s, 0, sizeof(*s));
	if (ops->queue_state)
		ops->queue_state(&q->base, s);
	if (q->base.props.type == GPU_QUEUE_SDMA)
		s->hqd = q->sdma.slot;
}

/* ------------------------------------------------------------------- mqds */

static void mqd_show(struct seq_file *m, const struct vkfd_queue *q, u32 *mqd)
{
	struct gpu_queue_state s;

	queue_state(q, &s);
	gpu_mqd_fill(&q->base, &s, mqd);
	seq_printf(m, "  %s queue on device %x\n",
		   q->base.props.type == GPU_QUEUE_SDMA ? "SDMA" : "Compute",
		   q->base.gdev->gpu_id);
	seq_hex_dump(m, "    ", DUMP_PREFIX_OFFSET, 32, 4, mqd, gpu_mqd_dwords(&q->base) * 4,
		     false);
}

static int process_mqds(struct vkfd_process *p, void *data)
{
	struct seq_file *m = data;
	struct vkfd_queue *q;
	u32 *mqd;
	int id;

	mqd = kcalloc(GPU_MQD_DWORDS, sizeof(*mqd), GFP_KERNEL);
	if (!mqd)
		return -ENOMEM;
	seq_printf(m, "Process %d PASID 0x%x:\n", p->base.pid, p->pasid);
	idr_for_each_entry(&p->queues, q, id)
		mqd_show(m, q, mqd);
	kfree(mqd);
	return 0;
}

static int mqds_show(struct seq_file *m, void *unused)
{
	return vkfd_processes_each(process_mqds, m);
}
DEFINE_SHOW_ATTRIBUTE(mqds);

/* ------------------------------------------------------------------- hqds */

/* The real driver's: eight registers a line after the address of the first. */
static void reg_dump(struct seq_file *m, const u32 *regs)
{
	unsigned int i;

	for (i = 0; i < GPU_HQD_REGS; i++) {
		if (i % 8 == 0)
			seq_printf(m, "%s    %08x:", i ? "\n" : "", GPU_HQD_BASE + i * 4);
		seq_printf(m, " %08x", regs[i]);
	}
	seq_putc(m, '\n');
}

struct hqd_walk {
	struct seq_file *m;
	const struct gpu_device *gdev;
	u32 *mqd;
};

static int process_hqds(struct vkfd_process *p, void *data)
{
	struct hqd_walk *walk = data;
	const struct gpu_target *t = walk->gdev->target;
	struct gpu_queue_state s;
	struct vkfd_queue *q;
	int id;

	idr_for_each_entry(&p->queues, q, id) {
		if (q->base.gdev != walk->gdev)
			continue;
		queue_state(q, &s);
		if (!s.mapped)
			continue;
		gpu_mqd_fill(&q->base, &s, walk->mqd);
		if (q->base.props.type == GPU_QUEUE_SDMA) {
			seq_printf(walk->m, "  SDMA Engine %u, RLC %u\n",
				   q->base.props.sdma_engine, s.hqd);
			continue;
		}
		seq_printf(walk->m, "  CP Pipe %u, Queue %u\n", s.hqd / t->cp_queues_per_pipe,
			   s.hqd % t->cp_queues_per_pipe);
		reg_dump(walk->m, walk->mqd + GPU_MQD_HQD_FIRST);
	}
	return 0;
}

static int device_hqds(struct gpu_device *gdev, unsigned int node, void *data)
{
	struct hqd_walk walk = { .m = data, .gdev = gdev };
	int ret;

	walk.mqd = kcalloc(GPU_MQD_DWORDS, sizeof(*walk.mqd), GFP_KERNEL);
	if (!walk.mqd)
		return -ENOMEM;
	seq_printf(walk.m, "Node %u, gpu_id %x:\n", node, gdev->gpu_id);
	ret = vkfd_processes_each(process_hqds, &walk);
	kfree(walk.mqd);
	return ret;
}

static int hqds_show(struct seq_file *m, void *unused)
{
	return vkfd_topology_each_gpu(device_hqds, m);
}
DEFINE_SHOW_ATTRIBUTE(hqds);

/* -------------------------------------------------------------------- rls */

/* The runlist of a device, being made: @n dwords in @ib, which has room for @max. */
struct runlist {
	const struct gpu_device *gdev;
	u32 *ib;
	unsigned int n, max;
};

/* Room for @p with all its queues. */
static int runlist_grow(struct runlist *r, unsigned int queues)
{
	unsigned int want = r->n + GPU_MAP_PROCESS_DWORDS + queues * GPU_MAP_QUEUES_DWORDS;
	u32 *ib;

	if (want <= r->max)
		return 0;
	ib = kvmalloc_array(want, 2 * sizeof(*ib), GFP_KERNEL);
	if (!ib)
		return -ENOMEM;
	if (r->n)
		memcpy(ib, r->ib, r->n * sizeof(*ib));
	kvfree(r->ib);
	r->ib = ib;
	r->max = want * 2;
	return 0;
}

static int process_runlist(struct vkfd_process *p, void *data)
{
	struct gpu_queue_state s;
	struct runlist *r = data;
	unsigned int count = 0;
	struct vkfd_queue *q;
	int id, ret;

	ret = runlist_grow(r, p->num_queues);
	if (ret)
		return ret;
	idr_for_each_entry(&p->queues, q, id) {
		queue_state(q, &s);
		count += q->base.gdev == r->gdev && s.active;
	}
	if (!count)
		return 0;
	r->n += gpu_runlist_process(r->gdev, p->pasid, count, r->ib + r->n);
	idr_for_each_entry(&p->queues, q, id) {
		if (q->base.gdev != r->gdev || !count)
			continue;
		queue_state(q, &s);
		if (!s.active)
			continue;
		r->n += gpu_runlist_queue(&q->base, r->ib + r->n);
		count--;
	}
	return 0;
}

static int device_runlist(struct gpu_device *gdev, unsigned int node, void *data)
{
	struct runlist r = { .gdev = gdev };
	struct seq_file *m = data;
	int ret;

	seq_printf(m, "Node %u, gpu_id %x:\n", node, gdev->gpu_id);
	ret = vkfd_processes_each(process_runlist, &r);
	if (!ret && !r.n)
		seq_puts(m, "  No active runlist\n");
	else if (!ret)
		seq_hex_dump(m, "  ", DUMP_PREFIX_OFFSET, 32, 4, r.ib, r.n * 4, false);
	kvfree(r.ib);
	return ret;
}

static int rls_show(struct seq_file *m, void *unused)
{
	return vkfd_topology_each_gpu(device_runlist, m);
}
DEFINE_SHOW_ATTRIBUTE(rls);

/* -------------------------------------------------------------- mem_limit */

static int device_gtt(struct gpu_device *gdev, unsigned int node, void *data)
{
	*(u64 *)data += atomic64_read(&gdev->gtt_used);
	return 0;
}

/* All system memory that GPUs use is theirs to page: one number for both. */
static int mem_limit_show(struct seq_file *m, void *unused)
{
	u64 used = 0, limit = gpu_gtt_limit();
	int ret = vkfd_topology_each_gpu(device_gtt, &used);

	if (ret)
		return ret;
	seq_printf(m, "System mem used %lluM out of %lluM\n", used >> 20, limit >> 20);
	seq_printf(m, "TTM mem used %lluM out of %lluM\n", used >> 20, limit >> 20);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(mem_limit);

void vkfd_debugfs_hw_init(void)
{
	/* Memory of all processes is in there, as far as queues are: root's */
	debugfs_create_file("mqds", 0400, gpu_debugfs, NULL, &mqds_fops);
	debugfs_create_file("hqds", 0400, gpu_debugfs, NULL, &hqds_fops);
	debugfs_create_file("rls", 0400, gpu_debugfs, NULL, &rls_fops);
	debugfs_create_file("mem_limit", 0400, gpu_debugfs, NULL, &mem_limit_fops);
}
