// SPDX-License-Identifier: GPL-2.0-only
/*
 * mqds, hqds, rls and mem_limit in /sys/kernel/debug/kfd. The text is that of the real
 * driver's files, as people and scripts that debug queues parse it.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "gpu/backend.h"
#include "kfd.h"
#include "topology.h"
#include "../gpu/mqd.h"
#include "../model/target.h"

static void queue_state(const struct vkfd_queue *q, struct gpu_queue_state *s)
{
	memset(s, 0, sizeof(*s));
	gpu_backend_queue_state(&q->base, s);
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

	mqd = kcalloc(GPU_MQD_MAX_DWORDS, sizeof(*mqd), GFP_KERNEL);
	if (!mqd)
		return -ENOMEM;
	seq_printf(m, "Process %d PASID 0x%x:\n", p->base.pid, p->pasid);
	idr_for_each_entry(&p->queues, q, id)
		mqd_show(m, q, mqd);
	kfree(mqd);
	return 0;
}

static void process_mqds_busy(struct vkfd_process *p, void *data)
{
	struct seq_file *m = data;

	seq_printf(m, "Process %d PASID 0x%x: busy\n", p->base.pid, p->pasid);
}

static int mqds_show(struct seq_file *m, void *unused)
{
	return vkfd_processes_look(process_mqds, process_mqds_busy, m);
}
DEFINE_SHOW_ATTRIBUTE(mqds);

/* ------------------------------------------------------------------- hqds */

/*
 * Registers of all hardware queues of a device: those of each CP slot, then those of
 * each queue of each SDMA engine. Slots without a queue are zero.
 */
struct hqd_regs {
	const struct gpu_device *gdev;
	const struct gpu_mqd_format *format;
	u32 *mqd;
	u32 *cp, *sdma;
};

static u32 *cp_hqd(const struct hqd_regs *r, unsigned int slot)
{
	return r->cp + slot * r->format->hqd_regs;
}

static u32 *sdma_hqd(const struct hqd_regs *r, unsigned int engine, unsigned int queue)
{
	return r->sdma + (engine * r->gdev->target->sdma_queues + queue) * r->format->sdma_hqd_regs;
}

static int process_hqds(struct vkfd_process *p, void *data)
{
	struct hqd_regs *r = data;
	const struct gpu_target *t = r->gdev->target;
	struct gpu_queue_state s;
	struct vkfd_queue *q;
	int id;

	idr_for_each_entry(&p->queues, q, id) {
		if (q->base.gdev != r->gdev)
			continue;
		queue_state(q, &s);
		if (!s.mapped)
			continue;
		gpu_mqd_fill(&q->base, &s, r->mqd);
		if (q->base.props.type == GPU_QUEUE_SDMA)
			memcpy(sdma_hqd(r, q->base.props.sdma_engine, s.hqd), r->mqd,
			       r->format->sdma_hqd_regs * sizeof(u32));
		else if (s.hqd < t->cp_queues)
			memcpy(cp_hqd(r, s.hqd), r->mqd + r->format->hqd_first,
			       r->format->hqd_regs * sizeof(u32));
	}
	return 0;
}

/* As the real driver prints them: eight registers a line after the first one's address. */
static void reg_put(struct seq_file *m, u32 at, u32 value, u32 *next, unsigned int *left)
{
	if (!*left || at != *next) {
		seq_printf(m, "%s    %08x:", *next ? "\n" : "", at);
		*left = 8;
	}
	seq_printf(m, " %08x", value);
	*next = at + sizeof(u32);
	--*left;
}

/* The first slots of each pipe are reserved for the kernel's rings. */
static void cp_hqds_show(struct seq_file *m, const struct hqd_regs *r)
{
	const struct gpu_target *t = r->gdev->target;
	unsigned int per_pipe = t->cp_queues / t->cp_pipes, slot, i, left;
	u32 next;

	for (slot = 0; slot < t->cp_queues; slot++) {
		seq_printf(m, "  CP Pipe %u, Queue %u\n", slot / per_pipe,
			   t->cp_queues_per_pipe - per_pipe + slot % per_pipe);
		for (i = 0, next = 0, left = 0; i < r->format->hqd_regs; i++)
			reg_put(m, r->format->hqd_base + i * 4, cp_hqd(r, slot)[i], &next, &left);
		seq_putc(m, '\n');
	}
}

static void sdma_hqd_show(struct seq_file *m, const struct hqd_regs *r, unsigned int engine,
			  unsigned int queue)
{
	const u32 *regs = sdma_hqd(r, engine, queue);
	unsigned int i, left = 0;
	u32 next = 0;

	seq_printf(m, "  SDMA Engine %u, RLC %u\n", engine, queue);
	for (i = 0; i < r->format->sdma_hqd_regs; i++)
		reg_put(m, r->format->sdma_hqd_reg(engine, queue, i), regs[i], &next, &left);
	seq_putc(m, '\n');
}

static void sdma_hqds_show(struct seq_file *m, const struct hqd_regs *r)
{
	const struct gpu_target *t = r->gdev->target;
	unsigned int engine, queue;

	for (engine = 0; engine < vkfd_sdma_engines(r->gdev); engine++)
		for (queue = 0; queue < t->sdma_queues; queue++)
			sdma_hqd_show(m, r, engine, queue);
}

static int device_hqds(struct gpu_device *gdev, unsigned int node, void *data)
{
	const struct gpu_target *t = gdev->target;
	struct hqd_regs r = { .gdev = gdev, .format = gpu_mqd_format(gdev) };
	struct seq_file *m = data;
	int ret = -ENOMEM;

	r.mqd = kcalloc(GPU_MQD_MAX_DWORDS, sizeof(*r.mqd), GFP_KERNEL);
	r.cp = kvcalloc(t->cp_queues, r.format->hqd_regs * sizeof(u32), GFP_KERNEL);
	r.sdma = kvcalloc(vkfd_sdma_engines(gdev) * t->sdma_queues,
			  r.format->sdma_hqd_regs * sizeof(u32), GFP_KERNEL);
	if (!r.mqd || !r.cp || !r.sdma)
		goto out_free;
	seq_printf(m, "Node %u, gpu_id %x:\n", node, gdev->gpu_id);
	ret = vkfd_processes_look(process_hqds, NULL, &r);
	if (!ret) {
		cp_hqds_show(m, &r);
		sdma_hqds_show(m, &r);
	}
out_free:
	kvfree(r.sdma);
	kvfree(r.cp);
	kfree(r.mqd);
	return ret;
}

static int hqds_show(struct seq_file *m, void *unused)
{
	return vkfd_topology_each_gpu(device_hqds, m);
}
DEFINE_SHOW_ATTRIBUTE(hqds);

/* -------------------------------------------------------------------- rls */

/* The runlist of a device under construction: @n dwords in @ib, which has room for @max. */
struct runlist {
	const struct gpu_device *gdev;
	u32 *ib;
	unsigned int n, max;
};

/* Makes room for a process with @queues queues. */
static int runlist_grow(struct runlist *r, unsigned int queues)
{
	const struct gpu_mqd_format *f = gpu_mqd_format(r->gdev);
	unsigned int want = r->n + f->map_process_dwords + queues * f->map_queues_dwords;
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
	struct runlist *r = data;
	const struct gpu_mqd_format *f = gpu_mqd_format(r->gdev);
	struct gpu_queue_state s;
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
	r->n += f->map_process(r->gdev, p->pasid, count, r->ib + r->n);
	idr_for_each_entry(&p->queues, q, id) {
		if (q->base.gdev != r->gdev || !count)
			continue;
		queue_state(q, &s);
		if (!s.active)
			continue;
		r->n += f->map_queues(&q->base, r->ib + r->n);
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
	ret = vkfd_processes_look(process_runlist, NULL, &r);
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

/* One counter covers all system memory that GPUs use, so both lines show it. */
static int mem_limit_show(struct seq_file *m, void *unused)
{
	u64 used = gpu_gtt_used(), limit = gpu_gtt_limit();

	seq_printf(m, "System mem used %lluM out of %lluM\n", used >> 20, limit >> 20);
	seq_printf(m, "TTM mem used %lluM out of %lluM\n", used >> 20, limit >> 20);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(mem_limit);

void vkfd_debugfs_hw_init(void)
{
	/* The files show the queues of all processes, so only root may read them. */
	debugfs_create_file("mqds", 0400, gpu_debugfs, NULL, &mqds_fops);
	debugfs_create_file("hqds", 0400, gpu_debugfs, NULL, &hqds_fops);
	debugfs_create_file("rls", 0400, gpu_debugfs, NULL, &rls_fops);
	debugfs_create_file("mem_limit", 0400, gpu_debugfs, NULL, &mem_limit_fops);
}
