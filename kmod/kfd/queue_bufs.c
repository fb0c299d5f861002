// SPDX-License-Identifier: GPL-2.0-only
/*
 * The buffers of a queue. From Linux 6.12 on, the real driver checks at queue creation
 * that each buffer is mapped, starting at its address and with its exact size, and
 * refuses to unmap it before the queue is destroyed. Older drivers take any address; a
 * missing page becomes a GPU fault once the GPU accesses it.
 *
 * Source of the rules: kfd_queue.c of Linux 7.2.
 */
#include <linux/bits.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "gpu/vm.h"
#include "gpu/save_area.h"
#include "model/target.h"
#include "kfd.h"

#define EOP_MIN_BYTES	4096

static int queue_buffers = -1;
module_param(queue_buffers, int, 0644);
MODULE_PARM_DESC(queue_buffers, "Check the buffers of queues: 1 yes, 0 no, -1 as the driver of this kernel (default)");

static bool vkfd_bufs_wanted(void)
{
	int want = READ_ONCE(queue_buffers);

	return want < 0 ? COMPAT_QUEUE_BUFFERS : want;
}

/* @va need not be the start of its page. */
static int vkfd_buf_pin(struct vkfd_queue *q, struct gpu_vm *vm, u64 va, u64 bytes)
{
	int ret;

	va = ALIGN_DOWN(va, PAGE_SIZE);
	ret = gpu_vm_pin(vm, va, bytes);
	if (!ret)
		q->bufs[q->num_bufs++] = va;
	return ret;
}

static int vkfd_pin_compute(struct vkfd_process *p, const struct vkfd_pdd *pdd,
			    struct vkfd_queue *q)
{
	const struct gpu_queue_props *props = &q->base.props;
	const struct gpu_target *t = pdd->base.gdev->target;
	u32 xccs = gpu_target_shown_xccs(t);
	struct gpu_save_area area;
	u64 bytes;
	int ret;

	if (props->eop_va) {
		if (props->eop_bytes < EOP_MIN_BYTES)
			return -EINVAL;
		ret = vkfd_buf_pin(q, pdd->base.vm, props->eop_va,
				   PAGE_ALIGN((u64)props->eop_bytes));
		if (ret)
			return ret;
	}
	gpu_target_save_area(t, xccs, &area);
	if (props->ctl_stack_bytes != area.ctl_stack_bytes || props->cwsr_bytes < area.cwsr_bytes)
		return -EINVAL;
	bytes = PAGE_ALIGN(((u64)props->cwsr_bytes + area.debug_bytes) * xccs);
	if (!vkfd_buf_pin(q, pdd->base.vm, props->cwsr_va, bytes))
		return 0;
	/* The process's own memory (SVM) is fine, too, if it is always mapped on the GPU. */
	if (!props->cwsr_va || offset_in_page(props->cwsr_va))
		return -EINVAL;
	q->area.lost = vkfd_area_lost;
	return gpu_svm_hold(p->svm, &q->area, props->cwsr_va, props->cwsr_va + bytes - 1,
			    pdd->index);
}

int vkfd_queue_bufs_get(struct vkfd_process *p, struct vkfd_pdd *pdd, struct vkfd_queue *q,
			u32 metadata_bytes)
{
	const struct gpu_queue_props *props = &q->base.props;
	struct gpu_vm *vm = pdd->base.vm;
	int ret;

	lockdep_assert_held(&p->base.lock);
	if (!vkfd_bufs_wanted())
		return 0;
	q->bufs_vm = vm;
	q->metadata_bytes = metadata_bytes;
	/* The ring must be bufs[0], where vkfd_queue_bufs_move() replaces it. */
	ret = vkfd_buf_pin(q, vm, props->ring_va,
			   PAGE_ALIGN((u64)props->ring_bytes + metadata_bytes));
	if (!ret)
		ret = vkfd_buf_pin(q, vm, props->wptr_va, PAGE_SIZE);
	if (!ret)
		ret = vkfd_buf_pin(q, vm, props->rptr_va, PAGE_SIZE);
	if (!ret && props->type != GPU_QUEUE_SDMA)
		ret = vkfd_pin_compute(p, pdd, q);
	if (ret)
		vkfd_queue_bufs_put(p, q);
	return ret;
}

int vkfd_queue_bufs_move(struct vkfd_queue *q, u64 ring_va, u64 ring_bytes)
{
	u64 va = ALIGN_DOWN(ring_va, PAGE_SIZE);

	if (!q->bufs_vm || !ring_va)
		return 0;
	/* As in the real driver, which rounds the size down to pages here. */
	ring_bytes = ALIGN_DOWN(ring_bytes + q->metadata_bytes, PAGE_SIZE);
	if (gpu_vm_pin(q->bufs_vm, va, ring_bytes))
		return -EFAULT;
	gpu_vm_unpin(q->bufs_vm, q->bufs[0]);
	q->bufs[0] = va;
	return 0;
}

void vkfd_queue_bufs_put(struct vkfd_process *p, struct vkfd_queue *q)
{
	gpu_svm_release(p->svm, &q->area);
	while (q->num_bufs)
		gpu_vm_unpin(q->bufs_vm, q->bufs[--q->num_bufs]);
	q->bufs_vm = NULL;
}
