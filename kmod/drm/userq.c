// SPDX-License-Identifier: GPL-2.0-only
/*
 * USERQ: queues of the render node, whose packets the GPU takes from memory as soon as a doorbell
 * says so. The backend executes them as it does KFD's. The order of the checks is that of the real
 * driver (amdgpu_userq.c, mes_userqueue.c of Linux 7.2).
 *
 * That driver has them on hardware with MES, from GFX11 on, and there only if its parameter
 * user_queue says so; so has ours. Without it, the ioctls answer ENOTSUPP, as on GFX9.
 *
 * With 1 they are compute queues with PM4 packets. With 2 there are SDMA queues, too, and those AQL
 * queues that AMD's own runtime asks for, but no driver of Linux has yet.
 *
 * A call of the backend may last as long as a queue that will not come to rest. So
 * vdrm_userq.calls, which serialises them, is of that queue alone. Who does something to all queues
 * of a device takes a reference to one, drops the lock of the list, calls, and looks at the list
 * again.
 */
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <drm/drm_auth.h>
#include <drm/drm_gem.h>

#include "../gpu/backend.h"
#include "../gpu/bo.h"
#include "../gpu/doorbell.h"
#include "../gpu/mqd.h"
#include "../gpu/vm.h"
#include "../model/target.h"
#include "userq.h"
#include "../../uapi/drm/amdgpu_drm.h"

static int user_queue = -1;
module_param(user_queue, int, 0644);
MODULE_PARM_DESC(user_queue, "User queues of the render node: 1 enabled, 2 also AQL and SDMA queues, 0 disabled, -1 as amdgpu: disabled (default)");

#define VDRM_USERQ_FLAGS \
	(AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_MASK | AMDGPU_USERQ_CREATE_FLAGS_QUEUE_SECURE)
#define VDRM_MAX_GPU_USERQS	4096
#define VDRM_FREE_TIMEOUT	(10 * HZ)	/* as long as a hang (hang_ms) by default */

/* The registers that hold these addresses lack the low bits. */
#define VDRM_RING_ALIGN		256
#define VDRM_INDEX_ALIGN	8

static bool vdrm_userq_all(void)
{
	return READ_ONCE(user_queue) > 1;
}

u32 vdrm_userq_ips(const struct gpu_device *gdev)
{
	if (READ_ONCE(user_queue) <= 0 || !gpu_backend_has_jobs(gdev))
		return 0;
	return BIT(AMDGPU_HW_IP_COMPUTE) |
	       (vdrm_userq_all() && gdev->target->sdma_engines ? BIT(AMDGPU_HW_IP_DMA) : 0);
}

/* ------------------------------------------------------ calls from the backend */

static struct vdrm_userq *to_vdrm_userq(struct gpu_queue *q)
{
	return container_of(q, struct vdrm_userq, q);
}

static void vdrm_userq_stopped(struct gpu_queue *q)
{
	struct vdrm_userq *uq = to_vdrm_userq(q);

	WRITE_ONCE(uq->reset, !READ_ONCE(uq->ending));
	schedule_work(&uq->lost);
}

static void vdrm_userq_fence(struct gpu_queue *q, u64 at)
{
	vdrm_userq_progress(to_vdrm_userq(q), at);
}

static const struct gpu_queue_client vdrm_userq_client = {
	.stopped = vdrm_userq_stopped,
	.fence = vdrm_userq_fence,
};

/* ---------------------------------------------------------- life and death */

static void vdrm_userq_release(struct kref *ref)
{
	struct vdrm_userq *uq = container_of(ref, struct vdrm_userq, ref);

	vdrm_seq64_put(uq);
	if (uq->doorbell)
		gpu_bo_put(uq->doorbell);
	mutex_destroy(&uq->calls);
	kfree(uq);
}

void vdrm_userq_put(struct vdrm_userq *uq)
{
	kref_put(&uq->ref, vdrm_userq_release);
}

struct vdrm_userq *vdrm_userq_get(struct vdrm_file *vf, u32 id)
{
	struct vdrm_userq *uq;

	mutex_lock(&vf->lock);
	uq = xa_load(&vf->userqs, id);
	if (uq)
		kref_get(&uq->ref);
	mutex_unlock(&vf->lock);
	return uq;
}

static void vdrm_userq_unlist(struct vdrm_userq *uq)
{
	struct vdrm_userqs *qs = &uq->vdev->userqs;

	mutex_lock(&qs->lock);
	list_del(&uq->node);
	mutex_unlock(&qs->lock);
	gpu_device_queue_put(&uq->q);
}

void vdrm_userq_down(struct vdrm_userq *uq)
{
	struct gpu_doorbells *db = uq->pdd.doorbells;

	mutex_lock(&uq->calls);
	if (uq->up) {
		WRITE_ONCE(uq->ending, true);
		gpu_backend_queue_fini(&uq->q);
		/* A stale value must not ring the next queue that gets this index. */
		gpu_doorbell_reset(db, uq->q.doorbell);
		clear_bit(uq->q.doorbell, db->used);
		vdrm_userq_unlist(uq);
		uq->up = false;
	}
	mutex_unlock(&uq->calls);
}

/* The file's reference goes, and with it all that could still happen to the queue. */
static void vdrm_userq_end(struct vdrm_userq *uq)
{
	vdrm_userq_down(uq);
	vdrm_userq_fail(uq, -ECANCELED);
	/* Neither is started again: the backend has forgotten the queue, and it has failed. */
	cancel_delayed_work_sync(&uq->hang);
	cancel_work_sync(&uq->lost);
	vdrm_userq_put(uq);
}

/*
 * A PM4 queue whose packets have no fences tells nobody how far it is. But what is idle has done
 * all that it was given.
 */
void vdrm_userq_look(struct vdrm_userq *uq)
{
	struct gpu_queue_state s = {};

	if (!mutex_trylock(&uq->calls))
		return;
	if (uq->up)
		gpu_backend_queue_state(&uq->q, &s);
	mutex_unlock(&uq->calls);
	if (s.idle)
		vdrm_userq_progress(uq, s.rptr);
}

/* ------------------------------------------------------------------ create */

static int vdrm_userq_check(const struct drm_amdgpu_userq_in *in)
{
	u32 flags = VDRM_USERQ_FLAGS;

	if (vdrm_userq_all() && in->ip_type == AMDGPU_HW_IP_COMPUTE)
		flags |= AMDGPU_USERQ_CREATE_FLAGS_QUEUE_AQL_COMPUTE;
	if (in->flags & ~flags)
		return -EINVAL;
	if (in->ip_type > AMDGPU_HW_IP_DMA)
		return -EINVAL;
	/* There is no protected memory. The real driver asks for it for SDMA only. */
	if (in->flags & AMDGPU_USERQ_CREATE_FLAGS_QUEUE_SECURE)
		return -EINVAL;
	if (!in->queue_va || in->queue_va == ~0ull || !is_power_of_2(in->queue_size) ||
	    in->queue_size < PAGE_SIZE || in->queue_size > SZ_1G)
		return -EINVAL;
	return in->wptr_va && in->rptr_va ? 0 : -EINVAL;
}

/* KFD's priorities, 0 to 15: see vdrm_priority() of job.c. */
static u32 vdrm_userq_priority(u32 level)
{
	static const u32 priorities[] = {
		[AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_NORMAL_LOW] = 7,
		[AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_LOW] = 0,
		[AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_NORMAL_HIGH] = 9,
		[AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_HIGH] = 11,
	};

	return priorities[array_index_nospec(level, ARRAY_SIZE(priorities))];
}

static bool vdrm_userq_shown(struct gpu_vm *vm, const struct drm_amdgpu_userq_in *in)
{
	return gpu_vm_shows(vm, in->queue_va, in->queue_size) &&
	       gpu_vm_shows(vm, in->rptr_va, PAGE_SIZE) &&
	       gpu_vm_shows(vm, in->wptr_va, PAGE_SIZE);
}

/* What the hardware keeps for itself is at the one address that either kind of MQD has. */
static int vdrm_userq_mqd(struct gpu_vm *vm, const struct drm_amdgpu_userq_in *in, u64 *eop)
{
	u32 bytes = in->ip_type == AMDGPU_HW_IP_DMA ? VDRM_CSA_BYTES : VDRM_EOP_BYTES;

	static_assert(sizeof(struct drm_amdgpu_userq_mqd_compute_gfx11) == sizeof(*eop));
	static_assert(sizeof(struct drm_amdgpu_userq_mqd_sdma_gfx11) == sizeof(*eop));

	if (in->mqd_size != sizeof(*eop))
		return -EINVAL;
	if (copy_from_user(eop, u64_to_user_ptr(in->mqd), sizeof(*eop)))
		return -EFAULT;
	return gpu_vm_shows(vm, *eop, bytes) ? 0 : -EINVAL;
}

static enum gpu_queue_type vdrm_userq_type(const struct drm_amdgpu_userq_in *in)
{
	if (in->ip_type == AMDGPU_HW_IP_DMA)
		return GPU_QUEUE_SDMA;
	return in->flags & AMDGPU_USERQ_CREATE_FLAGS_QUEUE_AQL_COMPUTE ? GPU_QUEUE_AQL :
									 GPU_QUEUE_PM4;
}

/* Takes the doorbell: @uq->doorbell and its index. */
static int vdrm_userq_doorbell(struct vdrm_userq *uq, struct drm_file *file,
			       const struct drm_amdgpu_userq_in *in)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(file, in->doorbell_handle);
	struct gpu_bo *bo;
	u64 n;

	if (!obj)
		return -EINVAL;
	bo = to_gpu_bo(obj);
	n = bo->own_doorbells ? bo->base.size / sizeof(u64) : 0;
	if (in->doorbell_offset >= n) {
		gpu_bo_put(bo);
		return -EINVAL;
	}
	uq->q.doorbell = array_index_nospec(in->doorbell_offset, n);
	if (test_and_set_bit(uq->q.doorbell, bo->doorbells->used)) {
		gpu_bo_put(bo);
		return -EBUSY;
	}
	uq->doorbell = bo;
	uq->pdd.doorbells = bo->doorbells;
	gpu_doorbell_reset(bo->doorbells, uq->q.doorbell);
	return 0;
}

/* In the list, where it is found from now on: whoever wants to call waits until it is up. */
static int vdrm_userq_list(struct vdrm_userq *uq)
{
	struct vdrm_userqs *qs = &uq->vdev->userqs;
	int ret = gpu_device_queue_get(&uq->q, VDRM_MAX_GPU_USERQS);

	if (ret)
		return ret;
	mutex_lock(&qs->lock);
	if (qs->gone) {
		ret = -ENODEV;
	} else {
		uq->told_asleep = qs->asleep;
		uq->q.evicted = qs->asleep;
		list_add_tail(&uq->node, &qs->list);
	}
	mutex_unlock(&qs->lock);
	if (ret)
		gpu_device_queue_put(&uq->q);
	return ret;
}

int vdrm_userq_up(struct vdrm_userq *uq)
{
	int ret;

	mutex_lock(&uq->calls);
	ret = vdrm_userq_list(uq);
	if (!ret) {
		ret = gpu_backend_queue_init(&uq->q);
		if (ret)
			vdrm_userq_unlist(uq);
		uq->up = !ret;
	}
	mutex_unlock(&uq->calls);
	return ret;
}

/* Somebody has to run its waves. A process is started here, where nobody else waits for that. */
static int vdrm_userq_runner(struct vdrm_userq *uq, struct vdrm_file *vf)
{
	int ret;

	if (mutex_lock_interruptible(&vf->cs_lock))
		return -ERESTARTSYS;
	ret = gpu_backend_jobs_open(vf->vm, &vf->runner, &vf->runner_priv);
	uq->q.runner = vf->runner;
	mutex_unlock(&vf->cs_lock);
	return ret;
}

static struct vdrm_userq *vdrm_userq_alloc(struct vdrm_device *vdev, struct vdrm_file *vf,
					   const struct drm_amdgpu_userq_in *in)
{
	struct gpu_process *p = vdrm_process(vf);
	struct vdrm_userq *uq;
	int ret;

	if (IS_ERR(p))
		return ERR_CAST(p);
	uq = kzalloc(sizeof(*uq), GFP_KERNEL_ACCOUNT);
	if (!uq)
		return ERR_PTR(-ENOMEM);
	kref_init(&uq->ref);
	mutex_init(&uq->calls);
	uq->vdev = vdev;
	vdrm_userq_fences_init(uq);
	uq->pdd.process = p;
	uq->pdd.gdev = vf->vm->gdev;
	uq->pdd.vm = vf->vm;
	uq->q = (struct gpu_queue){
		.process = p, .pdd = &uq->pdd, .gdev = vf->vm->gdev, .vm = vf->vm,
		.client = &vdrm_userq_client,
		.props = {
			.type = vdrm_userq_type(in), .percentage = 100,
			.priority = vdrm_userq_priority(in->flags &
				AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_MASK),
			.ring_va = ALIGN_DOWN(in->queue_va, VDRM_RING_ALIGN),
			.ring_bytes = in->queue_size,
			.rptr_va = ALIGN_DOWN(in->rptr_va, VDRM_INDEX_ALIGN),
			.wptr_va = ALIGN_DOWN(in->wptr_va, VDRM_INDEX_ALIGN),
			.eop_bytes = VDRM_EOP_BYTES,
		},
	};
	ret = vdrm_seq64_get(uq, vf);
	if (ret) {
		mutex_destroy(&uq->calls);
		kfree(uq);
		return ERR_PTR(ret);
	}
	return uq;
}

/* What comes before the queue is on the GPU; @uq is put by the caller in any case. */
static int vdrm_userq_prepare(struct vdrm_userq *uq, struct vdrm_file *vf, struct drm_file *file,
			      const struct drm_amdgpu_userq_in *in)
{
	int ret;

	if (!vdrm_userq_shown(vf->vm, in))
		return -EINVAL;
	ret = vdrm_userq_doorbell(uq, file, in);
	if (ret)
		return ret;
	ret = vdrm_userq_mqd(vf->vm, in, &uq->q.props.eop_va);
	if (!ret && !gpu_vm_can_peek(vf->vm, uq->q.props.wptr_va))
		ret = -EINVAL;
	if (!ret)
		ret = xa_alloc(&vf->userqs, &uq->q.id, NULL, XA_LIMIT(1, VDRM_MAX_USERQS),
			       GFP_KERNEL_ACCOUNT);
	if (ret)
		clear_bit(uq->q.doorbell, uq->pdd.doorbells->used);
	else if (uq->q.props.type == GPU_QUEUE_SDMA)
		uq->q.props.sdma_engine = uq->q.id % vf->vm->gdev->target->sdma_engines;
	return ret;
}

static int vdrm_userq_create(struct vdrm_device *vdev, struct drm_file *file,
			     union drm_amdgpu_userq *args)
{
	const struct drm_amdgpu_userq_in in = args->in;
	struct vdrm_file *vf = file->driver_priv;
	struct vdrm_userq *uq;
	int ret;

	if ((in.flags & AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_MASK) ==
	    AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_HIGH &&
	    !capable(CAP_SYS_NICE) && !drm_is_current_master(file))
		return -EACCES;
	if (!(BIT(in.ip_type) & vdrm_userq_ips(vf->vm->gdev)))
		return -EINVAL;
	uq = vdrm_userq_alloc(vdev, vf, &in);
	if (IS_ERR(uq))
		return PTR_ERR(uq);
	ret = vdrm_userq_prepare(uq, vf, file, &in);
	if (ret)
		goto out_put;
	ret = vdrm_userq_runner(uq, vf);
	if (!ret)
		ret = vdrm_userq_up(uq);
	if (ret) {
		clear_bit(uq->q.doorbell, uq->pdd.doorbells->used);
		goto out_id;
	}
	args->out = (struct drm_amdgpu_userq_out){ .queue_id = uq->q.id };
	mutex_lock(&vf->lock);
	/* The entry is there since xa_alloc(), so this needs no memory. */
	xa_store(&vf->userqs, uq->q.id, uq, GFP_KERNEL_ACCOUNT);
	mutex_unlock(&vf->lock);
	return 0;

out_id:
	mutex_lock(&vf->lock);
	xa_erase(&vf->userqs, uq->q.id);
	mutex_unlock(&vf->lock);
out_put:
	vdrm_userq_put(uq);
	return ret;
}

/* -------------------------------------------------------------------- free */

static int vdrm_userq_free(struct vdrm_file *vf, const struct drm_amdgpu_userq_in *in)
{
	struct vdrm_userq *uq;

	if (in->ip_type || in->doorbell_handle || in->doorbell_offset || in->flags ||
	    in->queue_va || in->queue_size || in->rptr_va || in->wptr_va || in->mqd ||
	    in->mqd_size)
		return -EINVAL;
	mutex_lock(&vf->lock);
	/* One that is being created has an entry, too, which has to stay. */
	uq = xa_load(&vf->userqs, in->queue_id);
	if (uq)
		xa_erase(&vf->userqs, in->queue_id);
	mutex_unlock(&vf->lock);
	if (!uq)
		return -ENOENT;
	/* As in the real driver, what it was given is done first, unless that takes too long. */
	vdrm_userq_look(uq);
	vdrm_userq_settle(uq, VDRM_FREE_TIMEOUT);
	vdrm_userq_end(uq);
	return 0;
}

int vdrm_ioctl_userq(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vdrm_file *vf = file->driver_priv;
	union drm_amdgpu_userq *args = data;
	int ret;

	/* Whoever has a queue may free it, even if the parameter has changed. */
	if (!vdrm_userq_ips(vf->vm->gdev) && xa_empty(&vf->userqs))
		return -ENOTSUPP;	/* sic: the driver's raw 524 */
	switch (args->in.op) {
	case AMDGPU_USERQ_OP_CREATE:
		ret = vdrm_userq_check(&args->in);
		return ret ?: vdrm_userq_create(container_of(drm, struct vdrm_device, drm), file,
						args);
	case AMDGPU_USERQ_OP_FREE:
		return vdrm_userq_free(vf, &args->in);
	default:
		return -EINVAL;
	}
}

/* --------------------------------------------------- all of a file, of a GPU */

/* The last descriptor is closed: what was submitted gets a second in all, as jobs do. */
void vdrm_userqs_close(struct vdrm_file *vf, bool killed)
{
	unsigned long id, end = jiffies + HZ;
	struct vdrm_userq *uq;
	long left;

	xa_for_each(&vf->userqs, id, uq) {
		left = end - jiffies;
		if (!killed && left > 0)
			vdrm_userq_settle(uq, left);
		xa_erase(&vf->userqs, id);
		vdrm_userq_end(uq);
	}
}

void vdrm_userqs_init(struct vdrm_userqs *qs, bool asleep)
{
	mutex_init(&qs->lock);
	INIT_LIST_HEAD(&qs->list);
	qs->asleep = asleep;
}

/*
 * The GPU is taken from its users; the queues of open files are dead from now on. Nothing is added
 * to the list any more, and each round takes one out, so this ends.
 */
void vdrm_userqs_fini(struct vdrm_userqs *qs)
{
	struct vdrm_userq *uq;

	mutex_lock(&qs->lock);
	qs->gone = true;
	/* Each is told by the backend that it was stopped. */
	while (!list_empty(&qs->list)) {
		uq = list_first_entry(&qs->list, struct vdrm_userq, node);
		kref_get(&uq->ref);
		mutex_unlock(&qs->lock);
		vdrm_userq_down(uq);
		vdrm_userq_put(uq);
		mutex_lock(&qs->lock);
	}
	if (qs->seq64)
		gpu_bo_put(qs->seq64);
	qs->seq64 = NULL;
	mutex_unlock(&qs->lock);
}

static void vdrm_userq_sleep(struct vdrm_userq *uq, bool sleep)
{
	mutex_lock(&uq->calls);
	if (uq->up && uq->q.evicted != sleep) {
		/* Before it is no longer evicted, when vdrm_userq_hang() must find no old time. */
		if (!sleep)
			vdrm_userq_awake(uq);
		WRITE_ONCE(uq->q.evicted, sleep);
		if (sleep)
			gpu_backend_queue_evict(&uq->q);
		else
			gpu_backend_queue_restore(&uq->q);
	}
	mutex_unlock(&uq->calls);
}

/* The first that has not been told, with a reference; it goes behind all that have. */
static struct vdrm_userq *vdrm_userqs_tell(struct vdrm_userqs *qs)
{
	struct vdrm_userq *uq;

	mutex_lock(&qs->lock);
	uq = list_first_entry_or_null(&qs->list, struct vdrm_userq, node);
	if (uq && uq->told_asleep == qs->asleep)
		uq = NULL;
	if (uq) {
		uq->told_asleep = qs->asleep;
		list_move_tail(&uq->node, &qs->list);
		kref_get(&uq->ref);
	}
	mutex_unlock(&qs->lock);
	return uq;
}

/*
 * Under vkfd_suspend_lock. Queues that come meanwhile are in the state that is wanted, and at the
 * end of the list, so there are ever fewer in front of these.
 */
void vdrm_userqs_sleep(struct vdrm_userqs *qs, bool sleep)
{
	struct vdrm_userq *uq;

	mutex_lock(&qs->lock);
	qs->asleep = sleep;
	mutex_unlock(&qs->lock);
	while ((uq = vdrm_userqs_tell(qs))) {
		vdrm_userq_sleep(uq, sleep);
		vdrm_userq_put(uq);
	}
}
