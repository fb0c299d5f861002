// SPDX-License-Identifier: GPL-2.0-only
/*
 * More controls of a queue: the CUs its waves may run on, the wave state in its save
 * area, and global wave sync (GWS).
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "gpu/backend.h"
#include "gpu/save_area.h"
#include "model/target.h"
#include "kfd.h"

/* The real driver's limit; it ignores further bits. */
#define VKFD_MAX_CU_MASK_BITS	1024

int vkfd_ioctl_set_cu_mask(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_set_cu_mask_args *args = data;
	u32 bits = min_t(u32, args->num_cu_mask, VKFD_MAX_CU_MASK_BITS), *mask;
	struct vkfd_queue *q;
	int ret = -EFAULT;

	if (!args->num_cu_mask || args->num_cu_mask % 32)
		return -EINVAL;
	mask = memdup_user(u64_to_user_ptr(args->cu_mask_ptr), bits / 8);
	if (IS_ERR(mask))
		return PTR_ERR(mask);

	mutex_lock(&p->base.lock);
	q = idr_find(&p->queues, args->queue_id);
	if (q && !gpu_target_cu_mask_ok(q->base.gdev->target, mask, bits / 32))
		ret = -EINVAL;
	else if (q)
		ret = gpu_backend_queue_cu_mask(&q->base, mask, bits);
	mutex_unlock(&p->base.lock);
	kfree(mask);
	return ret;
}

/**
 * struct vkfd_wave_states - the contents of a queue's save areas, as reported to user space
 * @xccs: number of areas, one per XCC
 * @ctl_stack_bytes: of the queue
 * @cwsr_bytes: of the queue
 * @xcc: sizes of what each XCC saved, and a copy of its control stack or NULL
 */
struct vkfd_wave_states {
	u32 xccs, ctl_stack_bytes, cwsr_bytes;
	struct {
		struct gpu_wave_state s;
		u32 *stack;
	} xcc[GPU_MAX_XCCS];
};

/* The control stack grows down from ctl_stack_bytes, the wave data grows up from there. */
static int vkfd_copy_wave_state(const struct vkfd_wave_states *ws, u32 xcc, void __user *out)
{
	const struct gpu_wave_state *s = &ws->xcc[xcc].s;
	struct kfd_context_save_area_header header = {
		.wave_state = {
			.control_stack_offset = ws->ctl_stack_bytes - s->stack_bytes,
			.control_stack_size = s->stack_bytes,
			.wave_state_offset = ws->ctl_stack_bytes + s->wave_bytes,
			.wave_state_size = s->wave_bytes,
		},
	};

	if (copy_to_user(out, &header.wave_state, sizeof(header.wave_state)))
		return -EFAULT;
	if (s->stack_bytes &&
	    copy_to_user(out + header.wave_state.control_stack_offset, ws->xcc[xcc].stack,
			 s->stack_bytes))
		return -EFAULT;
	return 0;
}

static int vkfd_xcc_wave_state(struct vkfd_queue *q, u32 xcc, struct vkfd_wave_states *ws)
{
	struct gpu_wave_state *s = &ws->xcc[xcc].s;
	int ret;

	ret = gpu_backend_queue_wave_state(&q->base, xcc, s, NULL);
	if (ret || !s->stack_bytes)
		return ret;
	ws->xcc[xcc].stack = kvzalloc(s->stack_bytes, GFP_KERNEL_ACCOUNT);
	if (!ws->xcc[xcc].stack)
		return -ENOMEM;
	return gpu_backend_queue_wave_state(&q->base, xcc, s, ws->xcc[xcc].stack);
}

static int vkfd_wave_states_locked(struct vkfd_queue *q, struct vkfd_wave_states *ws)
{
	const struct gpu_queue_props *props = &q->base.props;
	u32 xcc;
	int ret = 0;

	if (props->type == GPU_QUEUE_SDMA || !props->cwsr_va)
		return -EINVAL;
	if (props->percentage && props->ring_va && !q->base.evicted)
		return -EINVAL;
	if (gpu_svm_lost(&q->area))
		return -EFAULT;
	ws->xccs = min_t(u32, gpu_target_shown_xccs(q->base.gdev->target), GPU_MAX_XCCS);
	ws->ctl_stack_bytes = props->ctl_stack_bytes;
	ws->cwsr_bytes = props->cwsr_bytes;
	for (xcc = 0; xcc < ws->xccs && !ret; xcc++)
		ret = vkfd_xcc_wave_state(q, xcc, ws);
	return ret;
}

/*
 * Every XCC has its own area; the ioctl returns the sizes of the first. The destination
 * may be any memory and a store to it may block, so copy without process->lock.
 */
int vkfd_ioctl_get_queue_wave_state(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_get_queue_wave_state_args *args = data;
	struct vkfd_wave_states ws = {};
	struct vkfd_queue *q;
	int ret = -EFAULT;
	u32 xcc;

	mutex_lock(&p->base.lock);
	vkfd_area_settle(p);
	q = idr_find(&p->queues, args->queue_id);
	if (q)
		ret = vkfd_wave_states_locked(q, &ws);
	mutex_unlock(&p->base.lock);
	for (xcc = 0; xcc < ws.xccs && !ret; xcc++)
		ret = vkfd_copy_wave_state(&ws, xcc, u64_to_user_ptr(args->ctl_stack_address +
							(u64)xcc * ws.cwsr_bytes));
	if (ws.xccs) {
		args->ctl_stack_used_size = ws.xcc[0].s.stack_bytes;
		args->save_area_used_size = ws.xcc[0].s.wave_bytes;
	}
	for (xcc = 0; xcc < ws.xccs; xcc++)
		kvfree(ws.xcc[xcc].stack);
	return ret;
}

/* The queue of @p that has the GPU's global wave sync (GWS), or NULL. */
static struct vkfd_queue *vkfd_gws_holder(struct vkfd_process *p, const struct gpu_pdd *pdd)
{
	struct vkfd_queue *q;
	int id;

	lockdep_assert_held(&p->base.lock);
	idr_for_each_entry(&p->queues, q, id)
		if (q->base.pdd == pdd && q->base.gws)
			return q;
	return NULL;
}

/* GWS goes as a whole to one queue of a process at a time, as in the real driver. */
int vkfd_queue_set_gws(struct vkfd_process *p, struct vkfd_queue *q, bool want)
{
	struct vkfd_queue *holder = vkfd_gws_holder(p, q->base.pdd);
	const struct gpu_target *t = q->base.gdev->target;

	if (!t->gws || !gpu_target_has(t, GPU_FEAT_GWS))
		return -ENODEV;
	if (want && holder)
		return -EBUSY;
	if (!want && holder != q)
		return -EINVAL;
	WRITE_ONCE(q->base.gws, want ? t->gws : 0);
	return 0;
}

int vkfd_ioctl_alloc_queue_gws(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_alloc_queue_gws_args *args = data;
	struct vkfd_queue *q;
	int ret = -EINVAL;

	mutex_lock(&p->base.lock);
	q = idr_find(&p->queues, args->queue_id);
	if (q)
		ret = vkfd_queue_set_gws(p, q, args->num_gws);
	mutex_unlock(&p->base.lock);
	args->first_gws = 0;
	return ret;
}
