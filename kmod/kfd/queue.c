// SPDX-License-Identifier: GPL-2.0-only
/*
 * User queues: validation of what user space asks for, ids and doorbells, and the
 * calls to the backend.
 *
 * The backend knows a queue from queue_init to queue_fini. Once queue_fini has
 * returned, the GPU no longer reads or writes the ring, the indices or the doorbell;
 * user space frees that memory at once.
 *
 * While the queues of the process are evicted (evict.c), all ioctls here work as usual
 * but no queue runs. Queues that were created or changed meanwhile take effect when
 * they are restored.
 *
 * On kernels whose own driver checks that a queue's addresses are mapped,
 * queue_bufs.c checks it. On others a missing page becomes a GPU fault once the
 * GPU accesses it.
 */
#include <linux/bitmap.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "gpu/backend.h"
#include "gpu/doorbell.h"
#include "kfd.h"
#include "race.h"

/* The real driver's max_num_of_queues_per_device. */
static unsigned int queues_per_gpu = 4096;
module_param(queues_per_gpu, uint, 0644);
MODULE_PARM_DESC(queues_per_gpu, "Queues of all users on a GPU, of which an unprivileged one may have half of what others leave (default 4096)");

/* The registers that hold these addresses lack the low bits. */
#define RING_ALIGN_BYTES	256
#define INDEX_ALIGN_BYTES	8

static bool vkfd_user_va_ok(u64 va, size_t bytes)
{
	return access_ok(u64_to_user_ptr(va), bytes);
}

/*
 * Bits 8 to 15 say to which XCC the packets of a PM4 queue go (Linux 7.2). Results do not depend on
 * that, so it is not kept.
 */
static u32 vkfd_queue_percentage(u32 word)
{
	return word & 0xff;
}

/* Checks common to CREATE and UPDATE, in the order of the real driver. */
static int vkfd_check_ring(u32 percentage, u32 priority, u64 ring, u32 *ring_bytes)
{
	if (vkfd_queue_percentage(percentage) > KFD_MAX_QUEUE_PERCENTAGE)
		return -EINVAL;
	if (priority > KFD_MAX_QUEUE_PRIORITY)
		return -EINVAL;
	if (ring && !vkfd_user_va_ok(ring, sizeof(u64)))
		return -EFAULT;
	if (*ring_bytes && !is_power_of_2(*ring_bytes))
		return -EINVAL;
	*ring_bytes = max_t(u32, *ring_bytes, KFD_MIN_QUEUE_RING_SIZE);
	return 0;
}

/* The backend's queue type for a uapi type, or -errno. */
static int vkfd_queue_type(u32 type)
{
	switch (type) {
	case KFD_IOC_QUEUE_TYPE_COMPUTE:
		return GPU_QUEUE_PM4;
	case KFD_IOC_QUEUE_TYPE_COMPUTE_AQL:
		return GPU_QUEUE_AQL;
	case KFD_IOC_QUEUE_TYPE_SDMA:
	case KFD_IOC_QUEUE_TYPE_SDMA_XGMI:
	case KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID:
		return GPU_QUEUE_SDMA;
	default:
		return -ENOTSUPP;	/* sic: the driver's raw 524 */
	}
}

/* The read index of a PM4 queue is written back as one dword. */
static u32 vkfd_rptr_align(u32 type)
{
	return type == KFD_IOC_QUEUE_TYPE_COMPUTE ? sizeof(u32) : INDEX_ALIGN_BYTES;
}

static int vkfd_queue_props(struct vkfd_process *p, struct kfd_ioctl_create_queue_args *args,
			    struct gpu_queue_props *props)
{
	int ret;

	ret = vkfd_check_ring(args->queue_percentage, args->queue_priority,
			      args->ring_base_address, &args->ring_size);
	if (ret)
		return ret;
	if (args->metadata_ring_size && !is_power_of_2(args->metadata_ring_size))
		return -EINVAL;
	if (!vkfd_user_va_ok(args->read_pointer_address, sizeof(u32)) ||
	    !vkfd_user_va_ok(args->write_pointer_address, sizeof(u32)))
		return -EFAULT;
	if (args->eop_buffer_address &&
	    !vkfd_user_va_ok(args->eop_buffer_address, sizeof(u32)))
		return -EFAULT;
	if (args->ctx_save_restore_address &&
	    !vkfd_user_va_ok(args->ctx_save_restore_address, sizeof(u32)))
		return -EFAULT;
	ret = vkfd_queue_type(args->queue_type);
	if (ret < 0)
		return ret;

	*props = (struct gpu_queue_props) {
		.type = ret,
		.ring_va = ALIGN_DOWN(args->ring_base_address, RING_ALIGN_BYTES),
		.ring_bytes = args->ring_size,
		.wptr_va = ALIGN_DOWN(args->write_pointer_address, INDEX_ALIGN_BYTES),
		.rptr_va = ALIGN_DOWN(args->read_pointer_address,
				      vkfd_rptr_align(args->queue_type)),
		.percentage = vkfd_queue_percentage(args->queue_percentage),
		.priority = args->queue_priority,
		.eop_va = args->eop_buffer_address,
		.eop_bytes = lower_32_bits(args->eop_buffer_size),
		.cwsr_va = args->ctx_save_restore_address,
		.cwsr_bytes = args->ctx_save_restore_size,
		.ctl_stack_bytes = args->ctl_stack_size,
	};
	return 0;
}

/* ---------------------------------------------------------- doorbell indices */

static int vkfd_doorbell_get(struct vkfd_pdd *pdd, const struct vkfd_queue *q,
			     const struct vkfd_queue_want *want)
{
	struct gpu_doorbells *db = pdd->base.doorbells;
	unsigned int index;

	lockdep_assert_held(&pdd->process->base.lock);
	if (q->base.props.type == GPU_QUEUE_SDMA)
		index = vkfd_sdma_doorbell(q);
	else if (want->restored)
		index = want->doorbell;
	else
		index = find_first_zero_bit(db->used, VKFD_SDMA_DOORBELL_FIRST);
	/* As in the real driver, for the doorbell of a checkpoint */
	if (want->restored && (index != want->doorbell || index >= GPU_DOORBELL_COUNT ||
			       (q->base.props.type != GPU_QUEUE_SDMA &&
				index >= VKFD_SDMA_DOORBELL_FIRST) || test_bit(index, db->used)))
		return -EINVAL;
	if (test_bit(index, db->used) || (q->base.props.type != GPU_QUEUE_SDMA &&
					  index >= VKFD_SDMA_DOORBELL_FIRST))
		return -EBUSY;
	__set_bit(index, db->used);
	gpu_doorbell_reset(db, index);
	return index;
}

static void vkfd_doorbell_put(struct vkfd_pdd *pdd, unsigned int index)
{
	struct gpu_doorbells *db = pdd->base.doorbells;

	lockdep_assert_held(&pdd->process->base.lock);
	/* A stale value must not ring the next queue that gets this index. */
	gpu_doorbell_reset(db, index);
	__clear_bit(index, db->used);
}

/* ------------------------------------------------------------------- create */

static struct vkfd_pdd *to_vkfd_pdd(struct gpu_pdd *pdd)
{
	return container_of(pdd, struct vkfd_pdd, base);
}

/* The id of the checkpoint, or any. */
static int vkfd_queue_id(struct vkfd_process *p, struct vkfd_queue *q,
			 const struct vkfd_queue_want *want)
{
	int ret;

	if (!want->restored) {
		ret = idr_alloc(&p->queues, q, 0, VKFD_MAX_QUEUES, GFP_KERNEL_ACCOUNT);
		return ret < 0 ? -ENOMEM : ret;
	}
	if (want->id >= VKFD_MAX_QUEUES)
		return -EINVAL;
	return idr_alloc(&p->queues, q, want->id, want->id + 1, GFP_KERNEL_ACCOUNT);
}

/* Gives the queue an id and a doorbell and passes it to the backend; unwinds on error. */
static int vkfd_queue_start(struct vkfd_process *p, struct vkfd_pdd *pdd,
			    struct vkfd_queue *q, const struct vkfd_queue_want *want)
{
	struct gpu_device *gdev = pdd->base.gdev;
	int ret;

	lockdep_assert_held(&p->base.lock);
	q->base.pdd = &pdd->base;
	q->base.gdev = gdev;
	q->base.vm = pdd->base.vm;
	q->base.evicted = pdd->evicted;

	ret = gpu_device_queue_get(&q->base, READ_ONCE(queues_per_gpu));
	if (ret)
		return ret == -ENOSPC ? -EPERM : ret;
	ret = vkfd_queue_id(p, q, want);
	if (ret < 0)
		goto out_count;
	q->base.id = ret;
	ret = want->restored ? vkfd_sdma_get_id(gdev, q, want->sdma_id) : vkfd_sdma_get(gdev, q);
	if (ret)
		goto out_id;
	ret = vkfd_doorbell_get(pdd, q, want);
	if (ret < 0)
		goto out_sdma;
	q->base.doorbell = ret;
	ret = gpu_backend_queue_init(&q->base);
	if (ret)
		goto out_doorbell;
	pdd->num_queues++;
	p->num_queues++;
	vkfd_count(queues);
	return 0;

out_doorbell:
	vkfd_doorbell_put(pdd, q->base.doorbell);
out_sdma:
	vkfd_sdma_put(gdev, q);
out_id:
	idr_remove(&p->queues, q->base.id);
out_count:
	gpu_device_queue_put(&q->base);
	return ret;
}

/* Releases everything but the struct, to which sysfs may still have a reference. */
static void vkfd_queue_stop(struct vkfd_process *p, struct vkfd_queue *q)
{
	struct vkfd_pdd *pdd = to_vkfd_pdd(q->base.pdd);

	lockdep_assert_held(&p->base.lock);
	gpu_backend_queue_fini(&q->base);
	vkfd_exception_fini(q);
	vkfd_doorbell_put(pdd, q->base.doorbell);
	vkfd_sdma_put(q->base.gdev, q);
	idr_remove(&p->queues, q->base.id);
	gpu_device_queue_put(&q->base);
	pdd->num_queues--;
	p->num_queues--;
}

/*
 * GPUs of GFX12.1 read a second ring with metadata of packets behind an AQL queue's ring, in
 * the same buffer. Others ignore it, but the buffer has to be that large on all.
 */
static u32 vkfd_metadata_bytes(const struct kfd_ioctl_create_queue_args *args)
{
	return args->queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL ? args->metadata_ring_size : 0;
}

struct vkfd_queue *vkfd_queue_add(struct vkfd_process *p, struct vkfd_pdd *pdd,
				  const struct vkfd_queue_want *want)
{
	struct vkfd_queue *q;
	int ret;

	lockdep_assert_held(&p->base.lock);
	if (pdd->num_queues >= VKFD_MAX_QUEUES_PDD)
		return ERR_PTR(-ENOSPC);

	q = kzalloc(sizeof(*q), GFP_KERNEL_ACCOUNT);
	if (!q)
		return ERR_PTR(-ENOMEM);
	vkfd_queue_kobj_init(q);
	vkfd_exception_init(q);
	INIT_LIST_HEAD(&q->area.link);
	q->base.process = &p->base;
	q->base.props = want->props;
	q->sdma.xgmi = want->xgmi;
	q->sdma.engine = want->engine;
	ret = vkfd_queue_bufs_get(p, pdd, q, want->metadata_bytes);
	/* User memory may come back only after this; the real driver does not look at all. */
	if (want->restored)
		ret = 0;
	if (!ret)
		ret = vkfd_queue_start(p, pdd, q, want);
	if (ret) {
		vkfd_queue_bufs_put(p, q);
		kobject_put(&q->kobj);
		return ERR_PTR(ret);
	}
	/* A queue works without its sysfs directory, so only warn. */
	if (vkfd_procfs_add_queue(p, q))
		pr_warn_ratelimited("no sysfs directory for queue %u of %d\n", q->base.id,
				    p->base.pid);
	return q;
}

static int vkfd_create_queue_locked(struct vkfd_process *p,
				    struct kfd_ioctl_create_queue_args *args,
				    const struct gpu_queue_props *props)
{
	struct vkfd_pdd *pdd = vkfd_process_bound_pdd(p, args->gpu_id);
	struct vkfd_queue_want want = {
		.props = *props,
		.metadata_bytes = vkfd_metadata_bytes(args),
		.xgmi = args->queue_type == KFD_IOC_QUEUE_TYPE_SDMA_XGMI,
		.engine = VKFD_SDMA_ANY_ENGINE,
	};
	struct vkfd_queue *q;
	unsigned int engines;

	lockdep_assert_held(&p->base.lock);
	if (IS_ERR(pdd))
		return PTR_ERR(pdd) == -ENODEV ? -ESRCH : PTR_ERR(pdd);
	if (args->queue_type == KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID) {
		engines = vkfd_sdma_engines(pdd->base.gdev);
		if (args->sdma_engine_id >= engines)
			return -EINVAL;
		want.engine = array_index_nospec(args->sdma_engine_id, engines);
	}
	q = vkfd_queue_add(p, pdd, &want);
	if (IS_ERR(q))
		return PTR_ERR(q);

	args->queue_id = q->base.id;
	args->doorbell_offset = KFD_MMAP_TYPE_DOORBELL |
				KFD_MMAP_GPU_ID(pdd->base.gdev->gpu_id) |
				q->base.doorbell * sizeof(u64);
	return 0;
}

int vkfd_ioctl_create_queue(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_create_queue_args *args = data;
	struct gpu_queue_props props;
	int ret;

	ret = vkfd_queue_props(p, args, &props);
	if (ret)
		return ret;
	vkfd_race_point("create queue: checked, before the lock");
	mutex_lock(&p->base.lock);
	vkfd_area_settle(p);
	ret = vkfd_create_queue_locked(p, args, &props);
	mutex_unlock(&p->base.lock);
	return ret;
}

/* ---------------------------------------------------------- update, destroy */

int vkfd_ioctl_update_queue(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_update_queue_args *args = data;
	struct gpu_queue_props props;
	struct vkfd_queue *q;
	int ret;

	ret = vkfd_check_ring(args->queue_percentage, args->queue_priority,
			      args->ring_base_address, &args->ring_size);
	if (ret)
		return ret;

	mutex_lock(&p->base.lock);
	vkfd_area_settle(p);
	q = idr_find(&p->queues, args->queue_id);
	if (!q) {
		ret = -EFAULT;
		goto out_unlock;
	}
	props = q->base.props;
	props.ring_va = ALIGN_DOWN(args->ring_base_address, RING_ALIGN_BYTES);
	props.ring_bytes = args->ring_size;
	props.percentage = vkfd_queue_percentage(args->queue_percentage);
	props.priority = args->queue_priority;
	ret = vkfd_queue_bufs_move(q, args->ring_base_address, args->ring_size);
	if (!ret)
		ret = gpu_backend_queue_update(&q->base, &props);
	if (!ret)
		q->base.props = props;
out_unlock:
	mutex_unlock(&p->base.lock);
	return ret;
}

void vkfd_queue_destroy(struct vkfd_process *p, struct vkfd_queue *q)
{
	lockdep_assert_held(&p->base.lock);
	vkfd_procfs_del_queue(q);
	vkfd_race_point("queue: out of sysfs, still running");
	vkfd_queue_stop(p, q);
	vkfd_queue_bufs_put(p, q);
	kobject_put(&q->kobj);
}

int vkfd_ioctl_destroy_queue(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_destroy_queue_args *args = data;
	struct vkfd_queue *q;
	int ret = 0;

	mutex_lock(&p->base.lock);
	vkfd_area_settle(p);
	q = idr_find(&p->queues, args->queue_id);
	if (q)
		vkfd_queue_destroy(p, q);
	else
		ret = -EINVAL;
	mutex_unlock(&p->base.lock);
	return ret;
}

void vkfd_queue_teardown(struct vkfd_process *p)
{
	struct vkfd_queue *q;
	int id;

	mutex_lock(&p->base.lock);
	idr_for_each_entry(&p->queues, q, id)
		vkfd_queue_destroy(p, q);
	mutex_unlock(&p->base.lock);
}

void vkfd_queue_lose(struct vkfd_process *p, const struct gpu_device *gdev)
{
	struct vkfd_queue *q;
	int id;

	lockdep_assert_held(&p->base.lock);
	idr_for_each_entry(&p->queues, q, id)
		if (q->base.gdev == gdev)
			vkfd_queue_destroy(p, q);
}

void vkfd_queues_show(struct vkfd_process *p, struct seq_file *m)
{
	struct vkfd_queue *q;
	int id;

	lockdep_assert_held(&p->base.lock);
	idr_for_each_entry(&p->queues, q, id)
		seq_printf(m, "  queue %d: gpu %u, ring 0x%llx + 0x%x, doorbell %u, percentage %u, priority %u, error %s\n",
			   id, q->base.gdev->gpu_id, q->base.props.ring_va,
			   q->base.props.ring_bytes, q->base.doorbell,
			   q->base.props.percentage, q->base.props.priority,
			   gpu_queue_error_name(READ_ONCE(q->base.error)));
}
