// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/kfd: the counters and the list of processes. Each device has a
 * directory of its own below it, which its backend fills.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "gpu/bo.h"
#include "gpu/svm.h"
#include "kfd.h"

struct vkfd_counters vkfd_counters;

/* Shown as one line each: name, value. */
static const struct {
	const char *name;
	const atomic64_t *value;
} counter_rows[] = {
	{ "opens",		&vkfd_counters.opens },
	{ "processes",		&vkfd_counters.processes },
	{ "ioctls",		&vkfd_counters.ioctls },
	{ "ioctl_errors",	&vkfd_counters.ioctl_errors },
	{ "queues",		&vkfd_counters.queues },
	{ "maps",		&vkfd_counters.maps },
	{ "unmaps",		&vkfd_counters.unmaps },
	{ "events",		&vkfd_counters.events },
	{ "interrupts",		&vkfd_counters.interrupts },
	{ "spurious",		&vkfd_counters.spurious },
	{ "faults",		&vkfd_counters.faults },
	{ "queue_errors",	&vkfd_counters.queue_errors },
	{ "hw_exceptions",	&vkfd_counters.hw_exceptions },
};

static int counters_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counter_rows); i++)
		seq_printf(m, "%s %lld\n", counter_rows[i].name,
			   (s64)atomic64_read(counter_rows[i].value));
	seq_printf(m, "bo_count %u\n", gpu_bo_count());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

static void vkfd_pdd_show(struct vkfd_pdd *pdd, struct seq_file *m)
{
	seq_printf(m, "  gpu %u: vm %s, buffers %u, vram %llu, queues %u%s, faults %lld\n",
		   pdd->base.gdev->gpu_id, pdd->base.vm ? "acquired" : "none",
		   pdd->num_handles, pdd->vram_bytes, pdd->num_queues,
		   pdd->evicted ? " (evicted)" : "", (s64)atomic64_read(&pdd->faults));
}

static int vkfd_process_show(struct vkfd_process *p, void *data)
{
	struct seq_file *m = data;
	unsigned int i;

	seq_printf(m, "process %d (%s): pasid 0x%x, ioctls %lld, events %u, queues %u, svm ranges %u\n",
		   p->base.pid, p->base.comm, p->pasid, (s64)atomic64_read(&p->ioctls),
		   READ_ONCE(p->events.num_total), p->num_queues, gpu_svm_count(p->svm));
	for (i = 0; i < p->num_pdds; i++)
		vkfd_pdd_show(p->pdds[i], m);
	vkfd_queues_show(p, m);
	return 0;
}

static void vkfd_process_busy(struct vkfd_process *p, void *data)
{
	struct seq_file *m = data;

	seq_printf(m, "process %d (%s): busy\n", p->base.pid, p->base.comm);
}

static int processes_show(struct seq_file *m, void *unused)
{
	return vkfd_processes_look(vkfd_process_show, vkfd_process_busy, m);
}
DEFINE_SHOW_ATTRIBUTE(processes);

/* gpu_exit() removes the directory with all its files. */
void vkfd_debugfs_init(void)
{
	debugfs_create_file("counters", 0444, gpu_debugfs, NULL, &counters_fops);
	debugfs_create_file("processes", 0400, gpu_debugfs, NULL, &processes_fops);
	vkfd_debugfs_hw_init();
}
