// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compute and copies by user queues (USERQ): each of KFD's queues is one of the driver below, with
 * the client's ring and indices, and the client's doorbells are an object of that driver in the
 * doorbell domain, at KFD's own indices. Nothing of ours is on the way from a packet to the GPU.
 *
 * All queues of a GPU are such queues, as a process has one mapping of doorbells, and of those
 * below we see no store; or each is as it can be had, see auto.c. Today's driver (Linux 7.2) has no
 * AQL queues, see amdgpu_drm.h.
 *
 * The interface has no way to change a queue, or to take it off the GPU and go on later:
 * UPDATE_QUEUE is refused where it asks for that, unless nobody has used the queue so far. Sleep of
 * the machine and memory that has to leave are the driver's own affair, so an eviction of KFD's has
 * nothing to do here.
 *
 * And it tells nothing: userq_watch.c looks.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "userq.h"
#include "../../gpu/doorbell.h"
#include "../../gpu/mqd.h"
#include "../../../uapi/drm/amdgpu_drm.h"

#define INDEX_ALIGN	8

static bool props_on(const struct gpu_queue_props *p)
{
	return p->percentage && p->ring_va && p->ring_bytes;
}

/* ------------------------------------------------------------------------ start */

/* KFD's priorities, as classes below; see ctx_priority() of channel.c. */
static u32 userq_priority(u32 priority)
{
	if (priority < 7)
		return AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_LOW;
	if (priority < 9)
		return AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_NORMAL_LOW;
	return priority < 11 ? AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_NORMAL_HIGH :
			       AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_HIGH;
}

static int userq_call(struct amdgpu_vm *avm, const union drm_amdgpu_userq *wish, u64 area_va,
		      u32 *id)
{
	union drm_amdgpu_userq args = *wish;
	u64 *mqd;
	int ret;

	mutex_lock(&avm->lock);
	/* Of either kind of MQD, that is all. */
	mqd = amdgpu_area_page(&avm->request, 0);
	*mqd = area_va;
	args.in.mqd = avm->request.user;
	args.in.mqd_size = sizeof(*mqd);
	ret = amdgpu_call_nofault(avm->file, DRM_AMDGPU_USERQ, &args, sizeof(args));
	mutex_unlock(&avm->lock);
	*id = args.out.queue_id;
	return ret;
}

/* A new queue below, @id; its indices begin at 0. On error @id is 0. */
static int userq_start(struct amdgpu_userq *uq, const struct gpu_queue_props *p, u32 *id)
{
	struct amdgpu_vm *avm = amdgpu_userq_vm(uq);
	union drm_amdgpu_userq args = { .in = {
		.op = AMDGPU_USERQ_OP_CREATE,
		.ip_type = p->type == GPU_QUEUE_SDMA ? AMDGPU_HW_IP_DMA : AMDGPU_HW_IP_COMPUTE,
		.doorbell_handle = avm->doorbells->handle,
		.doorbell_offset = uq->q->doorbell - avm->doorbells_first,
		.flags = userq_priority(p->priority),
		.queue_va = p->ring_va, .queue_size = p->ring_bytes,
		.rptr_va = p->rptr_va, .wptr_va = p->wptr_va,
	} };
	u32 high = AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_HIGH;
	int ret;

	*id = 0;
	if (!IS_ALIGNED(p->rptr_va | p->wptr_va, INDEX_ALIGN))
		return -EINVAL;
	if (p->type == GPU_QUEUE_AQL)
		args.in.flags |= AMDGPU_USERQ_CREATE_FLAGS_QUEUE_AQL_COMPUTE;
	ret = userq_call(avm, &args, uq->area_va, id);
	/* The highest class is for who may have it; KFD asks nobody. */
	if (ret == -EACCES && (args.in.flags & high) == high) {
		args.in.flags &= ~high;
		args.in.flags |= AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_NORMAL_HIGH;
		ret = userq_call(avm, &args, uq->area_va, id);
	}
	if (ret)
		*id = 0;
	return ret == -ENOMEM || !ret ? ret : -EINVAL;
}

/* ------------------------------------------------------------------ the backend's */

static int area_create(struct amdgpu_userq *uq)
{
	u32 flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE;
	struct amdgpu_vm *avm = amdgpu_userq_vm(uq);
	struct file *f = amdgpu_node_file_get(avm->node);
	int ret;

	if (!f)
		return -ENODEV;
	uq->area_va = avm->node->high_va + (u64)uq->slot * AMDGPU_VM_STEP;
	uq->area = amdgpu_object_create(f, PAGE_SIZE, AMDGPU_GEM_DOMAIN_GTT,
					AMDGPU_GEM_CREATE_EXPLICIT_SYNC);
	fput(f);
	if (IS_ERR(uq->area))
		return PTR_ERR(uq->area);
	ret = amdgpu_object_map(uq->area->obj, avm, uq->area_va, 0, PAGE_SIZE, flags, &uq->handle);
	if (ret)
		amdgpu_object_destroy(uq->area);
	return ret;
}

static void area_destroy(struct amdgpu_userq *uq)
{
	amdgpu_object_unmap(uq->area->obj, amdgpu_userq_vm(uq), uq->area_va, PAGE_SIZE, uq->handle);
	amdgpu_object_destroy(uq->area);
}

static void userq_show(struct amdgpu_vm *avm, struct amdgpu_userq *uq)
{
	mutex_lock(&avm->userq_lock);
	if (list_empty(&avm->userqs))
		amdgpu_userqs_watch(avm);
	list_add(&uq->entry, &avm->userqs);
	mutex_unlock(&avm->userq_lock);
	atomic64_inc(&avm->node->made);
}

int amdgpu_userq_init(struct gpu_queue *q)
{
	struct amdgpu_vm *avm = q->vm->priv;
	struct amdgpu_userq *uq;
	int ret;

	/* Jobs, and queues of a DRM face of our own: there is none. */
	if (!gpu_queue_of_kfd(q) || q->process->mm != current->mm ||
	    !avm->doorbells)
		return -EINVAL;
	uq = kzalloc(sizeof(*uq), GFP_KERNEL_ACCOUNT);
	if (!uq)
		return -ENOMEM;
	uq->q = q;
	amdgpu_userq_setup(uq);
	ret = amdgpu_vm_slot_get(avm, &uq->slot);
	if (ret)
		goto out_free;
	ret = amdgpu_userq_context(avm);
	if (!ret)
		ret = area_create(uq);
	if (ret)
		goto out_slot;
	amdgpu_clock_sync(q->vm);
	if (props_on(&q->props))
		ret = userq_start(uq, &q->props, &uq->id);
	if (ret)
		goto out_area;
	q->error = GPU_QUEUE_NO_ERROR;
	q->priv = uq;
	userq_show(avm, uq);
	return 0;

out_area:
	area_destroy(uq);
out_slot:
	amdgpu_vm_slot_put(avm, uq->slot);
out_free:
	kfree(uq);
	return ret == -ENOMEM ? -ENOMEM : -EINVAL;
}

static u64 index_of(u64 va)
{
	u64 index = 0;

	/* A page that is not there holds nobody up. */
	return copy_from_user_nofault(&index, u64_to_user_ptr(va), sizeof(index)) ? ~0ull : index;
}

/* Has an AQL queue never been given anything? Of others, the doorbell alone may know. */
static bool is_fresh(const struct amdgpu_userq *uq)
{
	const struct gpu_queue_props *p = &uq->q->props;

	return p->type == GPU_QUEUE_AQL && !index_of(p->wptr_va) && !index_of(p->rptr_va);
}

/*
 * Packets that came while there was no queue below were rung for at a doorbell to which nobody
 * listened: it is rung once more, as the client does it.
 */
static int ring_again(struct amdgpu_userq *uq)
{
	struct amdgpu_vm *avm = amdgpu_userq_vm(uq);
	size_t bytes = avm->doorbells->obj->size;
	u64 written = index_of(uq->q->props.wptr_va);
	unsigned long at;
	int ret;

	if (uq->q->props.type != GPU_QUEUE_AQL || !written || written == ~0ull)
		return 0;
	at = vm_mmap(avm->file, 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		     avm->doorbells->offset);
	if (IS_ERR_VALUE(at))
		return at;
	ret = put_user(written - 1,
		       (u64 __user *)at + (uq->q->doorbell - avm->doorbells_first));
	vm_munmap(at, bytes);
	return ret;
}

/*
 * One that is below can't be changed, but may be made anew as long as nobody has used it. @id: what
 * it was below, and then what it is; 0: nothing
 */
static int change(struct amdgpu_userq *uq, const struct gpu_queue_props *p, u32 *id)
{
	int ret;

	amdgpu_userq_free(uq, *id);
	*id = 0;
	if (!props_on(p))
		return 0;
	ret = userq_start(uq, p, id);
	if (ret && props_on(&uq->q->props))
		userq_start(uq, &uq->q->props, id);	/* @id tells whether it is again */
	return ret;
}

int amdgpu_userq_update(struct gpu_queue *q, const struct gpu_queue_props *p)
{
	struct amdgpu_vm *avm = q->vm->priv;
	struct amdgpu_userq *uq = q->priv;
	bool was_on = props_on(&q->props), on = props_on(p);
	bool same = p->ring_va == q->props.ring_va && p->ring_bytes == q->props.ring_bytes &&
		    userq_priority(p->priority) == userq_priority(q->props.priority) &&
		    on == was_on;
	int ret = 0;
	u32 id = 0;

	if (q->process->mm != current->mm)
		return -EINVAL;
	mutex_lock(&avm->userq_lock);
	same |= uq->dead;
	if (!same && uq->id && !is_fresh(uq))
		ret = -EBUSY;
	else if (!same)
		id = amdgpu_userq_take_locked(uq);
	mutex_unlock(&avm->userq_lock);
	/* What has stopped for good is off. */
	if (ret)
		return amdgpu_userq_is_lost(uq) ? 0 : -EINVAL;
	if (same)
		return 0;
	/* Calls below are not made under the lock; process->lock keeps other updates away. */
	ret = change(uq, p, &id);
	mutex_lock(&avm->userq_lock);
	uq->id = id;
	/* It has died meanwhile, or cannot even be what it was. */
	if (uq->dead || (ret && was_on && !id))
		amdgpu_userq_dies_locked(uq);
	mutex_unlock(&avm->userq_lock);
	return !ret && on ? ring_again(uq) : ret;
}

void amdgpu_userq_fini(struct gpu_queue *q)
{
	struct amdgpu_vm *avm = q->vm->priv;
	struct amdgpu_userq *uq = q->priv;

	amdgpu_vm_leave(q->vm);
	mutex_lock(&avm->userq_lock);
	list_del(&uq->entry);
	mutex_unlock(&avm->userq_lock);
	amdgpu_userq_finish(uq);
	area_destroy(uq);
	amdgpu_vm_slot_put(avm, uq->slot);
	q->priv = NULL;
	kfree(uq);
}

void amdgpu_userq_evict(struct gpu_queue *q)
{
}

void amdgpu_userq_restore(struct gpu_queue *q)
{
}

void amdgpu_userq_state(const struct gpu_queue *q, struct gpu_queue_state *s)
{
	const struct amdgpu_userq *uq = q->priv;

	s->active = READ_ONCE(uq->id);
}

/* Whoever takes the GPU away waits for no process; each may hold its lock as long as it likes. */
int amdgpu_userqs_reset(struct gpu_device *gdev, struct gpu_process *p)
{
	struct amdgpu_node *node = to_node(gdev);
	struct amdgpu_vm *avm;

	atomic64_inc(&node->hw.resets);
	mutex_lock(&node->lock);
	list_for_each_entry(avm, &node->vms, node_entry)
		if (!p || READ_ONCE(avm->vm->process) == p)
			amdgpu_userqs_lose(avm);
	mutex_unlock(&node->lock);
	return 0;
}

/* The VMA becomes one of the client's own file, as if the client had mapped the object there. */
int amdgpu_userq_doorbells(struct gpu_vm *vm, struct vm_area_struct *vma)
{
	struct amdgpu_vm *avm = vm->priv;
	struct file *f = avm->file;

	if (!f->f_op->mmap)
		return -EINVAL;
	vma_set_file(vma, f);
	vma->vm_pgoff = avm->doorbells->offset >> PAGE_SHIFT;
	return f->f_op->mmap(f, vma);
}
