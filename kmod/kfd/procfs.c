// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/devices/virtual/kfd/kfd/proc/<pid>: what rocm-smi and amd-smi list. A context of the
 * process has a directory of the same kind in it, context_<id>.
 *
 *   pasid                          vram_<gpu_id>  bytes of VRAM
 *   queues/<id>/{size,type,gpuid}  sdma_<gpu_id>  microseconds of SDMA work
 *   stats_<gpu_id>/{evicted_ms,cu_occupancy}
 *   counters_<gpu_id>/{faults,page_in,page_out}
 *
 * As with Linux 6.1, counters_<gpu_id> exists only with SVM. It counts the faults
 * that were served and the pages that moved to VRAM and back, which here is none.
 * cu_occupancy exists only with a backend that can measure it. A missing directory
 * breaks nothing, so failures here are warnings.
 */
#include <linux/device.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "gpu/backend.h"
#include "gpu/vm.h"
#include "model/target.h"
#include "kfd.h"

static struct kobject *vkfd_proc_kobj;

/* ------------------------------------------------------- files with a number */

static ssize_t vkfd_stat_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct vkfd_stat *stat = container_of(attr, struct vkfd_stat, attr);

	return sysfs_emit(buf, "%llu\n", stat->get(stat->obj));
}

static void vkfd_dir_release(struct kobject *kobj)
{
	kfree(kobj);
}

static const struct sysfs_ops vkfd_stat_ops = {
	.show = vkfd_stat_show,
};

static struct kobj_type vkfd_stat_ktype = {
	.release = vkfd_dir_release,
	.sysfs_ops = &vkfd_stat_ops,
};

static struct kobject *vkfd_dir_create(struct kobject *parent, const char *fmt, unsigned int n)
{
	struct kobject *kobj = kzalloc(sizeof(*kobj), GFP_KERNEL);

	if (!kobj)
		return NULL;
	if (kobject_init_and_add(kobj, &vkfd_stat_ktype, parent, fmt, n)) {
		kobject_put(kobj);
		return NULL;
	}
	return kobj;
}

/* Waits for readers of the directory's files, so the objects behind them can go next. */
static void vkfd_dir_destroy(struct kobject *kobj)
{
	if (!kobj)
		return;
	kobject_del(kobj);
	kobject_put(kobj);
}

static void vkfd_stat_add(struct kobject *dir, struct vkfd_stat *stat,
			  u64 (*get)(const void *obj), const void *obj,
			  const char *fmt, unsigned int n)
{
	snprintf(stat->name, sizeof(stat->name), fmt, n);
	stat->obj = obj;
	stat->get = get;
	sysfs_attr_init(&stat->attr);
	stat->attr.name = stat->name;
	stat->attr.mode = 0444;
	if (sysfs_create_file(dir, &stat->attr))
		pr_warn_ratelimited("no sysfs file %s/%s\n", kobject_name(dir), stat->name);
}

static u64 vkfd_get_pasid(const void *obj)
{
	const struct vkfd_process *p = obj;

	return p->pasid;
}

static u64 vkfd_get_vram(const void *obj)
{
	const struct vkfd_pdd *pdd = obj;
	const struct gpu_vm *vm = READ_ONCE(pdd->base.vm);

	return READ_ONCE(pdd->vram_bytes) + (vm ? atomic64_read(&vm->svm_bytes) : 0);
}

static u64 vkfd_get_sdma(const void *obj)
{
	const struct vkfd_pdd *pdd = obj;

	return div_u64(atomic64_read(&pdd->base.sdma_ns), NSEC_PER_USEC);
}

/* Counts only evictions that have ended, as the real driver does. */
static u64 vkfd_get_evicted(const void *obj)
{
	const struct vkfd_pdd *pdd = obj;

	return div_u64(atomic64_read(&pdd->evicted_ns), NSEC_PER_MSEC);
}

static u64 vkfd_get_occupancy(const void *obj)
{
	const struct vkfd_pdd *pdd = obj;
	struct gpu_device *gdev = pdd->base.gdev;

	return READ_ONCE(pdd->num_queues) ?
		gpu_backend_busy_cus(gdev, pdd->base.process) : 0;
}

/* With XNACK, a GPU's access to a page that is not present is a fault that gets served. */
static u64 vkfd_get_faults(const void *obj)
{
	const struct vkfd_pdd *pdd = obj;
	const struct gpu_vm *vm = READ_ONCE(pdd->base.vm);

	return vm ? atomic64_read(&vm->retry_faults) : 0;
}

static u64 vkfd_get_pages_in(const void *obj)
{
	const struct vkfd_pdd *pdd = obj;
	const struct gpu_vm *vm = READ_ONCE(pdd->base.vm);

	return vm ? atomic64_read(&vm->pages_in) : 0;
}

static u64 vkfd_get_pages_out(const void *obj)
{
	const struct vkfd_pdd *pdd = obj;
	const struct gpu_vm *vm = READ_ONCE(pdd->base.vm);

	return vm ? atomic64_read(&vm->pages_out) : 0;
}

static void vkfd_procfs_add_counters(struct vkfd_process *p, struct vkfd_pdd *pdd)
{
	if (!gpu_target_has(pdd->base.gdev->target, GPU_FEAT_SVM))
		return;
	pdd->kobj_counters = vkfd_dir_create(p->kobj, "counters_%u", pdd->base.gdev->gpu_id);
	if (!pdd->kobj_counters)
		return;
	vkfd_stat_add(pdd->kobj_counters, &pdd->stats[4], vkfd_get_faults, pdd, "faults", 0);
	vkfd_stat_add(pdd->kobj_counters, &pdd->stats[5], vkfd_get_pages_in, pdd, "page_in", 0);
	vkfd_stat_add(pdd->kobj_counters, &pdd->stats[6], vkfd_get_pages_out, pdd, "page_out",
		      0);
}

static void vkfd_procfs_add_pdd(struct vkfd_process *p, struct vkfd_pdd *pdd)
{
	u32 gpu_id = pdd->base.gdev->gpu_id;

	vkfd_stat_add(p->kobj, &pdd->stats[0], vkfd_get_vram, pdd, "vram_%u", gpu_id);
	vkfd_stat_add(p->kobj, &pdd->stats[1], vkfd_get_sdma, pdd, "sdma_%u", gpu_id);
	vkfd_procfs_add_counters(p, pdd);
	pdd->kobj_stats = vkfd_dir_create(p->kobj, "stats_%u", gpu_id);
	if (!pdd->kobj_stats)
		return;
	vkfd_stat_add(pdd->kobj_stats, &pdd->stats[2], vkfd_get_evicted, pdd, "evicted_ms", 0);
	if (gpu_backend_has_busy_cus(pdd->base.gdev))
		vkfd_stat_add(pdd->kobj_stats, &pdd->stats[3], vkfd_get_occupancy, pdd,
			      "cu_occupancy", 0);
}

/*
 * An mm that is shared (CLONE_VM) and outlives an exec still has the directory of its
 * pid. sysfs dumps the stack when a name is added twice, so look first. The callers
 * hold vkfd_processes_lock, so nobody adds a directory in between.
 */
static bool vkfd_proc_dir_exists(pid_t pid)
{
	struct kernfs_node *kn;
	char name[12];

	snprintf(name, sizeof(name), "%u", pid);
	kn = sysfs_get_dirent(vkfd_proc_kobj->sd, name);
	if (!kn)
		return false;
	sysfs_put(kn);
	return true;
}

/* The caller holds vkfd_processes_lock. */
void vkfd_procfs_add_process(struct vkfd_process *p)
{
	unsigned int i;

	if (!vkfd_proc_kobj)
		return;
	if (p->primary) {
		/* A thread of the primary process is calling, so its directory stays. */
		if (p->primary->kobj)
			p->kobj = vkfd_dir_create(p->primary->kobj, "context_%u", p->context_id);
	} else if (!vkfd_proc_dir_exists(p->base.pid)) {
		p->kobj = vkfd_dir_create(vkfd_proc_kobj, "%u", p->base.pid);
	}
	if (!p->kobj) {
		pr_warn_ratelimited("no sysfs directory for process %d\n", p->base.pid);
		return;
	}
	vkfd_stat_add(p->kobj, &p->stat_pasid, vkfd_get_pasid, p, "pasid", 0);
	p->kobj_queues = kobject_create_and_add("queues", p->kobj);
	for (i = 0; i < p->num_pdds; i++)
		vkfd_procfs_add_pdd(p, p->pdds[i]);
}

/* The caller has removed the queues and their directories. */
void vkfd_procfs_del_process(struct vkfd_process *p)
{
	unsigned int i;

	for (i = 0; i < p->num_pdds; i++) {
		vkfd_dir_destroy(p->pdds[i]->kobj_stats);
		p->pdds[i]->kobj_stats = NULL;
		vkfd_dir_destroy(p->pdds[i]->kobj_counters);
		p->pdds[i]->kobj_counters = NULL;
	}
	vkfd_dir_destroy(p->kobj_queues);
	p->kobj_queues = NULL;
	vkfd_dir_destroy(p->kobj);
	p->kobj = NULL;
}

/* -------------------------------------------------------------------- queues */

static struct vkfd_queue *kobj_to_queue(struct kobject *kobj)
{
	return container_of(kobj, struct vkfd_queue, kobj);
}

/* These three files have no newline, as in Linux 6.1. */
static ssize_t size_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u", READ_ONCE(kobj_to_queue(kobj)->base.props.ring_bytes));
}

/* 0 compute, 1 SDMA, 4 SDMA over XGMI: the driver's own numbering. */
static ssize_t type_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct vkfd_queue *q = kobj_to_queue(kobj);

	if (q->base.props.type != GPU_QUEUE_SDMA)
		return sysfs_emit(buf, "0");
	return sysfs_emit(buf, "%d", q->sdma.xgmi ? 4 : 1);
}

static ssize_t gpuid_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u", kobj_to_queue(kobj)->base.gdev->gpu_id);
}

static struct kobj_attribute vkfd_queue_size = __ATTR_RO(size);
static struct kobj_attribute vkfd_queue_type = __ATTR_RO(type);
static struct kobj_attribute vkfd_queue_gpuid = __ATTR_RO(gpuid);

static struct attribute *vkfd_queue_attrs[] = {
	&vkfd_queue_size.attr,
	&vkfd_queue_type.attr,
	&vkfd_queue_gpuid.attr,
	NULL
};
ATTRIBUTE_GROUPS(vkfd_queue);

static void vkfd_queue_kobj_release(struct kobject *kobj)
{
	kfree(kobj_to_queue(kobj));
}

static struct kobj_type vkfd_queue_ktype = {
	.release = vkfd_queue_kobj_release,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = vkfd_queue_groups,
};

/* From here on kobject_put() frees the queue. */
void vkfd_queue_kobj_init(struct vkfd_queue *q)
{
	kobject_init(&q->kobj, &vkfd_queue_ktype);
}

int vkfd_procfs_add_queue(struct vkfd_process *p, struct vkfd_queue *q)
{
	if (!p->kobj_queues)
		return -ENOENT;
	return kobject_add(&q->kobj, p->kobj_queues, "%u", q->base.id);
}

void vkfd_procfs_del_queue(struct vkfd_queue *q)
{
	if (q->kobj.state_in_sysfs)
		kobject_del(&q->kobj);
}

/* -------------------------------------------------------------------- module */

void vkfd_procfs_init(void)
{
	vkfd_proc_kobj = kobject_create_and_add("proc", &vkfd_device->kobj);
	if (!vkfd_proc_kobj)
		pr_warn("no sysfs directory for processes\n");
}

void vkfd_procfs_fini(void)
{
	kobject_put(vkfd_proc_kobj);
	vkfd_proc_kobj = NULL;
}
