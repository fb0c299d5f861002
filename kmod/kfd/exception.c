// SPDX-License-Identifier: GPL-2.0-only
/*
 * The exception channel of a queue. Its context save area begins with a header
 * in which user space has written the address of a word and the number of an
 * event. Exceptions are ORed into the word, as bits, and the event is set. That
 * is for processes with RUNTIME_ENABLE; the others look at the queue's
 * queue_inactive_signal, which is written in any case (facts: kfd-abi 5.3).
 *
 * What raises exceptions are the GPU's threads, which must not wait for memory
 * of a process; the words are touched by a work item. That one only looks at
 * what is resident, too, and comes back when the VM's thread has brought in
 * what is not (gpu/faulter.c), so destroying a queue never waits for a page.
 */
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "gpu/faulter.h"
#include "event.h"

#define RETRY_JIFFIES	1

/* What KFD passes on for a queue: codes of waves, of packets, and of itself. */
#define VKFD_EC_WAVE	GENMASK_ULL(EC_QUEUE_WAVE_APERTURE_VIOLATION - 1, \
				    EC_QUEUE_WAVE_ABORT - 1)
#define VKFD_EC_PACKET	GENMASK_ULL(EC_QUEUE_PACKET_VENDOR_UNSUPPORTED - 1, \
				    EC_QUEUE_PACKET_DISPATCH_DIM_INVALID - 1)
#define VKFD_EC_QUEUE	(VKFD_EC_WAVE | VKFD_EC_PACKET)

/**
 * struct vkfd_touch - a look at the header and at what it leads to
 * @event_id: from the header
 * @missing: address that is not resident
 * @write: and is wanted for writing
 */
struct vkfd_touch {
	u32 event_id;
	u64 missing;
	bool write;
};

u64 vkfd_exception_of_error(enum gpu_queue_error error)
{
	/* None of SDMA queues, which have no exception channel, nor of lack of scratch. */
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

/* In the process's mm, page faults off. */
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
		queue_delayed_work(system_percpu_wq, &q->exception_work, RETRY_JIFFIES);
		return;
	}
	atomic64_andnot(mask, &q->exceptions);
	/* A word that cannot be written keeps nobody from being woken. */
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
