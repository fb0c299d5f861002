// SPDX-License-Identifier: GPL-2.0-only
/*
 * The exception channel of a queue. Its context save area begins with a header in
 * which user space has stored the address of a word and the id of an event
 * (struct kfd_context_save_area_header). An exception is ORed into the word as a bit,
 * then the event is set. Only processes that called RUNTIME_ENABLE use this. The
 * others look at the queue's queue_inactive_signal, which is written in any case.
 *
 * The GPU's threads raise exceptions. They must not wait for a process's memory, so
 * a work item writes the word. The work item, too, only touches resident pages; if
 * one is missing it tries again after the VM's thread has brought it in
 * (gpu/faulter.c). So destroying a queue never waits for a page.
 */
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "gpu/faulter.h"
#include "event.h"

/* A page that is missing may never come (FUSE, userfaultfd): asked for less and less often. */
#define RETRY_JIFFIES	max(HZ / 4, 1)

/* The exception codes KFD passes on for a queue: those of waves, and of packets. */
#define VKFD_EC_WAVE	GENMASK_ULL(EC_QUEUE_WAVE_APERTURE_VIOLATION - 1, \
				    EC_QUEUE_WAVE_ABORT - 1)
#define VKFD_EC_PACKET	GENMASK_ULL(EC_QUEUE_PACKET_VENDOR_UNSUPPORTED - 1, \
				    EC_QUEUE_PACKET_DISPATCH_DIM_INVALID - 1)
#define VKFD_EC_QUEUE	(VKFD_EC_WAVE | VKFD_EC_PACKET)

/**
 * struct vkfd_touch - result of one access to the header and the word it points to
 * @event_id: from the header
 * @missing: the address that was not resident
 * @write: it is needed for writing
 */
struct vkfd_touch {
	u32 event_id;
	u64 missing;
	bool write;
};

u64 vkfd_exception_of_error(enum gpu_queue_error error)
{
	/* SDMA errors and lack of scratch have no exception code. */
	static const u8 ecs[GPU_QUEUE_ERRORS] = {
		[GPU_QUEUE_ERR_DIM] = EC_QUEUE_PACKET_DISPATCH_DIM_INVALID,
		[GPU_QUEUE_ERR_GROUP_MEM] = EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID,
		[GPU_QUEUE_ERR_GROUP_SIZE] = EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID,
		[GPU_QUEUE_ERR_REGISTERS] = EC_QUEUE_PACKET_DISPATCH_REGISTER_INVALID,
		[GPU_QUEUE_ERR_CODE] = EC_QUEUE_PACKET_DISPATCH_CODE_INVALID,
		[GPU_QUEUE_ERR_PACKET] = EC_QUEUE_PACKET_UNSUPPORTED,
		[GPU_QUEUE_ERR_VENDOR] = EC_QUEUE_PACKET_VENDOR_UNSUPPORTED,
		[GPU_QUEUE_ERR_APERTURE] = EC_QUEUE_WAVE_APERTURE_VIOLATION,
		[GPU_QUEUE_ERR_ILLEGAL] = EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION,
		[GPU_QUEUE_ERR_TRAP] = EC_QUEUE_WAVE_TRAP,
	};

	return error < GPU_QUEUE_ERRORS && ecs[error] ? KFD_EC_MASK(ecs[error]) : 0;
}

/* Runs in the process's mm, with page faults disabled. */
static int vkfd_exception_touch(u64 area, u64 mask, struct vkfd_touch *t)
{
	struct kfd_context_save_area_header header;
	u64 __user *word;
	u64 seen;

	t->missing = area;
	t->write = false;
	if (copy_from_user(&header, u64_to_user_ptr(area), sizeof(header)))
		return -EFAULT;
	t->event_id = header.err_event_id;
	t->missing = header.err_payload_addr;
	t->write = true;
	word = u64_to_user_ptr(header.err_payload_addr);
	if (!IS_ALIGNED(header.err_payload_addr, sizeof(u64)))
		return -EINVAL;
	if (get_user(seen, word) || put_user(seen | mask, word))
		return -EFAULT;
	return 0;
}

static int vkfd_exception_post(struct vkfd_queue *q, u64 mask, struct vkfd_touch *t)
{
	struct mm_struct *mm = q->base.process->mm;
	int ret;

	if (!mmget_not_zero(mm))
		return -ESRCH;
	kthread_use_mm(mm);
	pagefault_disable();
	ret = vkfd_exception_touch(q->base.props.cwsr_va, mask, t);
	pagefault_enable();
	kthread_unuse_mm(mm);
	mmput_async(mm);
	if (ret == -EFAULT)
		ret = gpu_vm_user_ask(q->base.vm, q->base.process, t->missing, t->write);
	return ret;
}

static void vkfd_exception_work(struct work_struct *work)
{
	struct vkfd_queue *q = container_of(to_delayed_work(work), struct vkfd_queue,
					    exception_work);
	u64 mask = atomic64_read(&q->exceptions);
	struct vkfd_touch t = {};
	int ret;

	if (!mask)
		return;
	ret = vkfd_exception_post(q, mask, &t);
	if (ret == -EAGAIN) {
		q->exception_delay = min(2 * q->exception_delay + 1, RETRY_JIFFIES);
		queue_delayed_work(system_percpu_wq, &q->exception_work, q->exception_delay);
		return;
	}
	q->exception_delay = 0;
	atomic64_andnot(mask, &q->exceptions);
	/* Set the event even if the word could not be written. */
	if (t.event_id)
		vkfd_event_set_signal(to_vkfd_process(q->base.process), t.event_id);
}

void vkfd_exception_init(struct vkfd_queue *q)
{
	INIT_DELAYED_WORK(&q->exception_work, vkfd_exception_work);
}

void vkfd_exception_fini(struct vkfd_queue *q)
{
	cancel_delayed_work_sync(&q->exception_work);
}

void vkfd_exception_raise(struct vkfd_queue *q, u64 mask)
{
	mask &= VKFD_EC_QUEUE;
	if (!mask || !q->base.props.cwsr_va || !READ_ONCE(q->base.pdd->exception_debug))
		return;
	atomic64_or(mask, &q->exceptions);
	queue_delayed_work(system_percpu_wq, &q->exception_work, 0);
}
