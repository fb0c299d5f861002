// SPDX-License-Identifier: GPL-2.0-only
/*
 * The SVM ioctl: sets or gets a list of attributes of an address range. The list
 * follows the argument; the size in the command number limits its length.
 *
 * A list is first checked as a whole. As later attributes override earlier ones, the
 * list is reduced to one net change, which gpu/svm_attr.c then applies to the range.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/overflow.h>

#include "gpu/svm.h"
#include "model/target.h"
#include "kfd.h"
#include "smi.h"

#define MAX_GRANULARITY	0x3f

static_assert(VKFD_MAX_GPUS <= GPU_SVM_MAX_GPUS);
static_assert(KFD_IOCTL_SVM_LOCATION_UNDEFINED == GPU_SVM_NOWHERE);
static_assert(KFD_IOCTL_SVM_FLAG_HOST_ACCESS == GPU_SVM_HOST_ACCESS);
static_assert(KFD_IOCTL_SVM_FLAG_COHERENT == GPU_SVM_COHERENT);
static_assert(KFD_IOCTL_SVM_FLAG_GPU_RO == GPU_SVM_READ_ONLY);
static_assert(KFD_IOCTL_SVM_FLAG_GPU_EXEC == GPU_SVM_EXEC);

int vkfd_check_svm(const void *data, unsigned int user_bytes)
{
	const struct kfd_ioctl_svm_args *args = data;

	return struct_size(args, attrs, args->nattr) <= user_bytes ? 0 : -EINVAL;
}

static u32 vkfd_svm_gpus(struct vkfd_process *p)
{
	unsigned int i;
	u32 gpus = 0;

	for (i = 0; i < p->num_pdds; i++)
		if (gpu_target_has(p->pdds[i]->base.gdev->target, GPU_FEAT_SVM))
			gpus |= BIT(i);
	return gpus;
}

int vkfd_svm_init(struct vkfd_process *p)
{
	struct gpu_svm *svm = gpu_svm_create(&p->base, vkfd_svm_gpus(p));

	if (IS_ERR(svm))
		return PTR_ERR(svm);
	p->svm = svm;
	return 0;
}

/* The bit of a device if it has SVM, else 0. */
static u32 vkfd_svm_gpu(struct vkfd_process *p, u32 gpu_id)
{
	struct vkfd_pdd *pdd = vkfd_process_pdd(p, gpu_id);

	if (!pdd || !gpu_target_has(pdd->base.gdev->target, GPU_FEAT_SVM))
		return 0;
	return BIT(pdd->index);
}

bool vkfd_svm_has_gpu(struct vkfd_process *p, u32 gpu_id)
{
	return vkfd_svm_gpu(p, gpu_id);
}

/* --------------------------------------------------------------------- set */

static int vkfd_svm_add_location(struct vkfd_process *p, u32 type, u32 where,
				 struct gpu_svm_change *c)
{
	bool preferred = type == KFD_IOCTL_SVM_ATTR_PREFERRED_LOC;
	bool place = where == KFD_IOCTL_SVM_LOCATION_SYSMEM ||
		     (preferred && where == KFD_IOCTL_SVM_LOCATION_UNDEFINED);

	if (!place && !vkfd_svm_gpu(p, where))
		return -EINVAL;
	if (preferred) {
		c->preferred = true;
		c->value.preferred = where;
	} else {
		c->prefetch = true;
		c->value.prefetch = where;
		/* 0 is no GPU, so the pdd's index plus one. */
		c->value.at = place ? 0 : ffs(vkfd_svm_gpu(p, where));
	}
	return 0;
}

static int vkfd_svm_add_access(struct vkfd_process *p, u32 type, u32 gpu_id,
			       struct gpu_svm_change *c)
{
	u32 gpu = vkfd_svm_gpu(p, gpu_id);

	if (!gpu)
		return -EINVAL;
	c->remap = true;
	c->gpus |= gpu;
	c->value.access &= ~gpu;
	c->value.in_place &= ~gpu;
	if (type == KFD_IOCTL_SVM_ATTR_ACCESS)
		c->value.access |= gpu;
	else if (type == KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE)
		c->value.in_place |= gpu;
	return 0;
}

static int vkfd_svm_add(struct vkfd_process *p, const struct kfd_ioctl_svm_attribute *attr,
			struct gpu_svm_change *c)
{
	switch (attr->type) {
	case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
	case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
		return vkfd_svm_add_location(p, attr->type, attr->value, c);
	case KFD_IOCTL_SVM_ATTR_ACCESS:
	case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
	case KFD_IOCTL_SVM_ATTR_NO_ACCESS:
		return vkfd_svm_add_access(p, attr->type, attr->value, c);
	case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
		c->remap = true;
		c->flags_set |= attr->value;
		return 0;
	case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
		c->remap = true;
		c->flags_set &= ~attr->value;
		c->flags_clear |= attr->value;
		return 0;
	case KFD_IOCTL_SVM_ATTR_GRANULARITY:
		c->granularity = true;
		c->value.granularity = min_t(u32, attr->value, MAX_GRANULARITY);
		return 0;
	default:
		return -EINVAL;
	}
}

static bool vkfd_svm_any_vm(const struct vkfd_process *p)
{
	unsigned int i;

	for (i = 0; i < p->num_pdds; i++)
		if (p->pdds[i]->base.vm)
			return true;
	return false;
}

int vkfd_svm_set(struct vkfd_process *p, const struct kfd_ioctl_svm_args *args)
{
	struct gpu_svm_change c = { };
	int ret = 0;
	u32 i;

	lockdep_assert_held(&p->base.lock);
	for (i = 0; i < args->nattr && !ret; i++)
		ret = vkfd_svm_add(p, &args->attrs[i], &c);
	if (ret)
		return ret;
	if (!vkfd_svm_any_vm(p))
		return -EINVAL;
	return gpu_svm_set(p->svm, args->start_addr, args->size, &c);
}

/* --------------------------------------------------------------------- get */

static int vkfd_svm_check_get(const struct kfd_ioctl_svm_args *args)
{
	u32 i;

	for (i = 0; i < args->nattr; i++) {
		switch (args->attrs[i].type) {
		case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
		case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
		case KFD_IOCTL_SVM_ATTR_ACCESS:
		case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
		case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
		case KFD_IOCTL_SVM_ATTR_GRANULARITY:
			continue;
		default:
			return -EINVAL;
		}
	}
	return 0;
}

/* The caller asks with ACCESS for a GPU; the answer replaces the attribute's type. */
static int vkfd_svm_tell_access(struct vkfd_process *p, struct kfd_ioctl_svm_attribute *attr,
				const struct gpu_svm_attrs *a)
{
	struct vkfd_pdd *pdd = vkfd_process_pdd(p, attr->value);

	if (!pdd)
		return -EINVAL;
	if (a->access & BIT(pdd->index))
		attr->type = KFD_IOCTL_SVM_ATTR_ACCESS;
	else if (a->in_place & BIT(pdd->index))
		attr->type = KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE;
	else
		attr->type = KFD_IOCTL_SVM_ATTR_NO_ACCESS;
	return 0;
}

static int vkfd_svm_tell(struct vkfd_process *p, struct kfd_ioctl_svm_attribute *attr,
			 const struct gpu_svm_summary *s)
{
	switch (attr->type) {
	case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
		attr->value = s->attrs.preferred;
		return 0;
	case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
		attr->value = s->attrs.prefetch;
		return 0;
	case KFD_IOCTL_SVM_ATTR_ACCESS:
		return vkfd_svm_tell_access(p, attr, &s->attrs);
	case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
		attr->value = s->attrs.flags;
		return 0;
	case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
		attr->value = ~s->flags_any;
		return 0;
	case KFD_IOCTL_SVM_ATTR_GRANULARITY:
		attr->value = s->attrs.granularity;
		return 0;
	default:
		return -EINVAL;
	}
}

int vkfd_svm_get(struct vkfd_process *p, struct kfd_ioctl_svm_args *args)
{
	struct gpu_svm_summary s;
	int ret;
	u32 i;

	lockdep_assert_held(&p->base.lock);
	ret = gpu_svm_get(p->svm, args->start_addr, args->size, &s);
	if (!ret)
		ret = vkfd_svm_check_get(args);
	for (i = 0; i < args->nattr && !ret; i++)
		ret = vkfd_svm_tell(p, &args->attrs[i], &s);
	return ret;
}

int vkfd_ioctl_svm(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_svm_args *args = data;
	int ret;

	if (p->primary)
		return -EOPNOTSUPP;
	if (!args->start_addr || !args->size || offset_in_page(args->start_addr | args->size))
		return -EINVAL;
	mutex_lock(&p->base.lock);
	if (args->op == KFD_IOCTL_SVM_OP_SET_ATTR)
		ret = vkfd_svm_set(p, args);
	else if (args->op == KFD_IOCTL_SVM_OP_GET_ATTR)
		ret = vkfd_svm_get(p, args);
	else
		ret = -EINVAL;
	mutex_unlock(&p->base.lock);
	return ret;
}

/* ------------------------------------------------------------------ events */

static_assert((int)KFD_SVM_UNMAP_TRIGGER_MMU_NOTIFY == (int)GPU_SVM_TAKEN);
static_assert((int)KFD_SVM_UNMAP_TRIGGER_MMU_NOTIFY_MIGRATE == (int)GPU_SVM_TAKEN_MOVED);
static_assert((int)KFD_SVM_UNMAP_TRIGGER_UNMAP_FROM_CPU == (int)GPU_SVM_TAKEN_UNMAPPED);

void vkfd_host_svm(struct gpu_process *p, struct gpu_device *gdev, const struct gpu_svm_event *e)
{
	static const int triggers[] = {
		[GPU_SVM_PREFETCH] = KFD_MIGRATE_TRIGGER_PREFETCH,
		[GPU_SVM_FAULT] = KFD_MIGRATE_TRIGGER_PAGEFAULT_GPU,
		[GPU_SVM_CPU_FAULT] = KFD_MIGRATE_TRIGGER_PAGEFAULT_CPU,
		[GPU_SVM_EVICTION] = KFD_MIGRATE_TRIGGER_TTM_EVICTION,
	};
	unsigned long first = e->first, pages = e->pages;
	u64 now = ktime_get_boottime_ns();

	switch (e->kind) {
	case GPU_SVM_MIGRATED:
		vkfd_smi_event(gdev, p->pid, KFD_SMI_EVENT_MIGRATE_START,
			       KFD_EVENT_FMT_MIGRATE_START(e->since, p->own_pid, first, pages,
							   e->from, e->to, e->prefetch,
							   e->preferred, triggers[e->move]));
		/* What cannot move is not told of, so there is no error. */
		vkfd_smi_event(gdev, p->pid, KFD_SMI_EVENT_MIGRATE_END,
			       KFD_EVENT_FMT_MIGRATE_END(now, p->own_pid, first, pages, e->from,
							 e->to, triggers[e->move], 0));
		/* There, the migration takes pages that GPUs have mapped (svm_range_evict()). */
		if (e->mapped && (e->always || !gpu_svm_xnack(to_vkfd_process(p)->svm)))
			vkfd_host_stale(p, GPU_STALE_SVM);
		break;
	case GPU_SVM_FAULTED:
		vkfd_smi_event(gdev, p->pid, KFD_SMI_EVENT_PAGE_FAULT_START,
			       KFD_EVENT_FMT_PAGEFAULT_START(e->since, p->own_pid, first,
							     gdev->gpu_id, e->write ? 'W' : 'R'));
		vkfd_smi_event(gdev, p->pid, KFD_SMI_EVENT_PAGE_FAULT_END,
			       KFD_EVENT_FMT_PAGEFAULT_END(now, p->own_pid, first, gdev->gpu_id,
							   e->migrates ? 'M' : 'U'));
		break;
	case GPU_SVM_UNMAPPED:
		vkfd_smi_event(gdev, p->pid, KFD_SMI_EVENT_UNMAP_FROM_GPU,
			       KFD_EVENT_FMT_UNMAP_FROM_GPU(now, p->own_pid, first, pages,
							    gdev->gpu_id, e->why));
		break;
	}
}

/* ------------------------------------------------------------------- XNACK */

/*
 * Waves of GFX9 run in one mode for all processes; from GFX9.4.2 on each process
 * chooses. All devices can run without retry.
 */
static bool vkfd_xnack_possible(const struct vkfd_process *p)
{
	unsigned int i;

	for (i = 0; i < p->num_pdds; i++)
		if (!gpu_target_has(p->pdds[i]->base.gdev->target, GPU_FEAT_XNACK_PER_PROCESS))
			return false;
	return true;
}

int vkfd_svm_set_xnack(struct vkfd_process *p, bool on)
{
	lockdep_assert_held(&p->base.lock);
	if (on == gpu_svm_xnack(p->svm))
		return 0;
	return on && !vkfd_xnack_possible(p) ? -EPERM : gpu_svm_set_xnack(p->svm, on);
}

/* While there are queues, the real driver refuses even the mode that is set already. */
int vkfd_ioctl_set_xnack_mode(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_set_xnack_mode_args *args = data;
	bool on = args->xnack_enabled;
	int ret = 0;

	mutex_lock(&p->base.lock);
	if (args->xnack_enabled < 0)
		args->xnack_enabled = gpu_svm_xnack(p->svm);
	else if (p->num_queues)
		ret = -EBUSY;
	else
		ret = vkfd_svm_set_xnack(p, on);
	mutex_unlock(&p->base.lock);
	return ret;
}

/* ----------------------------------------------------------------- buffers */

static bool vkfd_svm_takes(struct vkfd_process *p, u64 start, u64 bytes)
{
	u64 last;

	if (check_add_overflow(start, bytes - 1, &last))
		last = U64_MAX;
	return gpu_svm_overlaps(p->svm, start, last);
}

bool vkfd_svm_conflicts(struct vkfd_process *p,
			const struct kfd_ioctl_alloc_memory_of_gpu_args *args)
{
	bool placed = args->va_addr || !(args->flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM);

	if (placed && vkfd_svm_takes(p, args->va_addr, args->size))
		return true;
	return args->flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR &&
	       vkfd_svm_takes(p, untagged_addr(args->mmap_offset), args->size);
}
