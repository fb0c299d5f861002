// SPDX-License-Identifier: GPL-2.0-only
/*
 * Submissions (CS) on the client's file: an indirect buffer to a ring, in a context of its own for
 * each queue, so that what a queue submits goes one after the other and nobody else's errors are
 * its. The driver below puts a submission's fence into a syncobj of that file, where we find it.
 */
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "amdgpu_int.h"
#include "../../../uapi/drm/amdgpu_drm.h"

/* What the driver reads, laid out in the page that the client has mapped. */
struct cs_block {
	u64 chunk_at[2];
	struct drm_amdgpu_cs_chunk chunk[2];
	struct drm_amdgpu_cs_chunk_ib ib;
	struct drm_amdgpu_cs_chunk_sem out;
};

static_assert(sizeof(struct cs_block) <= PAGE_SIZE);

int amdgpu_call_nofault(struct file *f, unsigned int nr, void *data, size_t bytes)
{
	int ret;

	pagefault_disable();
	ret = amdgpu_call(f, nr, data, bytes);
	pagefault_enable();
	return ret;
}

/*
 * The driver below keeps objects in place only for jobs that name them: each job names all that its
 * address space shows. The list is made when that has changed, and counts for later jobs, too.
 */
static int list_locked(struct amdgpu_vm *avm)
{
	const unsigned int per_page = PAGE_SIZE / sizeof(struct drm_amdgpu_bo_list_entry);
	union drm_amdgpu_bo_list args = { .in = {
		.operation = avm->list ? AMDGPU_BO_LIST_OP_UPDATE : AMDGPU_BO_LIST_OP_CREATE,
		.list_handle = avm->list,
		.bo_info_size = sizeof(struct drm_amdgpu_bo_list_entry),
		.bo_info_ptr = avm->names.user,
	} };
	struct drm_amdgpu_bo_list_entry *at;
	unsigned long handle;
	unsigned int n = 0;
	void *value;
	int ret;

	lockdep_assert_held(&avm->lock);
	if (!avm->stale)
		return 0;
	xa_for_each(&avm->handles, handle, value) {
		if (n == AMDGPU_LIST_PAGES * per_page)
			return -ENOMEM;
		at = amdgpu_area_page(&avm->names, n / per_page);
		at[n % per_page] = (struct drm_amdgpu_bo_list_entry){ .bo_handle = handle };
		n++;
	}
	args.in.bo_number = n;
	ret = amdgpu_call_nofault(avm->file, DRM_AMDGPU_BO_LIST, &args, sizeof(args));
	if (ret)
		return ret;
	avm->list = args.out.list_handle ?: avm->list;
	avm->stale = false;
	return 0;
}

static u64 in_request(const struct amdgpu_vm *avm, const void *p)
{
	return avm->request.user + (p - amdgpu_area_page(&avm->request, 0));
}

static struct dma_fence *submit_locked(struct amdgpu_channel *ch,
				       const struct drm_amdgpu_cs_chunk_ib *ib)
{
	struct amdgpu_vm *avm = ch->avm;
	struct cs_block *cs = amdgpu_area_page(&avm->request, 0);
	union drm_amdgpu_cs args = {};
	struct dma_fence *fence;
	int ret;

	lockdep_assert_held(&avm->lock);
	ret = list_locked(avm);
	if (ret)
		return ERR_PTR(ret);
	args.in.ctx_id = ch->ctx;
	args.in.bo_list_handle = avm->list;
	args.in.num_chunks = 2;
	args.in.chunks = in_request(avm, cs->chunk_at);
	*cs = (struct cs_block){
		.chunk_at = { in_request(avm, &cs->chunk[0]), in_request(avm, &cs->chunk[1]) },
		.chunk = { {
			.chunk_id = AMDGPU_CHUNK_ID_IB,
			.length_dw = sizeof(cs->ib) / 4,
			.chunk_data = in_request(avm, &cs->ib),
		}, {
			.chunk_id = AMDGPU_CHUNK_ID_SYNCOBJ_OUT,
			.length_dw = sizeof(cs->out) / 4,
			.chunk_data = in_request(avm, &cs->out),
		} },
		.ib = *ib,
		.out = { .handle = avm->sync_handle },
	};
	/* What the client has put there, or an earlier submission, is not this one's. */
	drm_syncobj_replace_fence(avm->syncobj, NULL);
	ret = amdgpu_call_nofault(avm->file, DRM_AMDGPU_CS, &args, sizeof(args));
	if (ret)
		return ERR_PTR(ret);
	fence = drm_syncobj_fence_get(avm->syncobj);
	return fence ?: ERR_PTR(-EIO);
}

void *amdgpu_channel_ib(struct amdgpu_channel *ch, u32 offset)
{
	struct page *page = amdgpu_object_page(ch->ib, offset >> PAGE_SHIFT, GFP_KERNEL);

	return IS_ERR(page) ? ERR_CAST(page) : page_address(page) + offset_in_page(offset);
}

int amdgpu_channel_write(struct amdgpu_channel *ch, u32 offset, const void *src, u32 bytes)
{
	u32 n;
	void *p;

	for (; bytes; bytes -= n, offset += n, src += n) {
		p = amdgpu_channel_ib(ch, offset);
		if (IS_ERR(p))
			return PTR_ERR(p);
		n = min_t(u32, bytes, PAGE_SIZE - offset_in_page(offset));
		memcpy(p, src, n);
	}
	return 0;
}

struct dma_fence *amdgpu_channel_submit(struct amdgpu_channel *ch, struct gpu_process *p,
					u32 ip_type, u32 ring, u32 offset, u32 dwords)
{
	struct drm_amdgpu_cs_chunk_ib ib = {
		.va_start = ch->ib_va + offset, .ib_bytes = dwords * 4,
		.ip_type = ip_type, .ring = ring,
	};
	struct dma_fence *fence;

	/* The buffer is to be there before the submission is. */
	wmb();
	if (!mmget_not_zero(p->mm))
		return ERR_PTR(-ESRCH);
	kthread_use_mm(p->mm);
	mutex_lock(&ch->avm->lock);
	fence = submit_locked(ch, &ib);
	mutex_unlock(&ch->avm->lock);
	kthread_unuse_mm(p->mm);
	mmput_async(p->mm);
	return fence;
}

/* VM_L2_PROTECTION_FAULT_STATUS (Documentation/gpu/amdgpu/debugging.rst) */
#define STATUS_INVALID	BIT(4)
#define STATUS_EXECUTE	BIT(7)
#define STATUS_RW	BIT(18)

/* The driver below tells of the last one, whenever it was. It has been the end of all queues. */
static bool fault_locked(struct amdgpu_vm *avm, struct gpu_fault *fault)
{
	struct drm_amdgpu_info_gpuvm_fault *last = amdgpu_area_page(&avm->answer, 0);
	struct drm_amdgpu_info args = {
		.query = AMDGPU_INFO_GPUVM_FAULT, .return_size = sizeof(*last),
		.return_pointer = avm->answer.user,
	};
	u32 status;

	lockdep_assert_held(&avm->lock);
	memset(last, 0, sizeof(*last));
	if (amdgpu_call_nofault(avm->file, DRM_AMDGPU_INFO, &args, sizeof(args)))
		return false;
	status = READ_ONCE(last->status);
	*fault = (struct gpu_fault){
		.va = READ_ONCE(last->addr),
		.access = status & STATUS_RW ? GPU_W : status & STATUS_EXECUTE ? GPU_X : GPU_R,
		.not_present = status & STATUS_INVALID,
		.read_only = !(status & STATUS_INVALID) && status & STATUS_RW,
		.no_execute = !(status & STATUS_INVALID) && status & STATUS_EXECUTE,
	};
	return status;
}

/*
 * The GPU's clock was read somewhen between two readings of ours: as long as ours, with what it was
 * behind the last time, may have been the same, it was.
 */
static void skew_set(struct gpu_vm *vm, u64 before, u64 after, u64 gpu)
{
	if ((s64)(gpu - before) < 0)
		atomic64_add(gpu - before, &vm->clock_skew);
	else if ((s64)(gpu - after) > 0)
		atomic64_add(gpu - after, &vm->clock_skew);
}

void amdgpu_clock_sync(struct gpu_vm *vm)
{
	struct amdgpu_vm *avm = vm->priv;
	struct drm_amdgpu_info args = {
		.query = AMDGPU_INFO_TIMESTAMP, .return_size = sizeof(u64),
	};
	struct hw *vg = &avm->node->hw;
	u64 before;

	mutex_lock(&avm->lock);
	/* Only packets of queues have times of the GPU; with the first one there is an area. */
	if (avm->answer.file) {
		args.return_pointer = avm->answer.user;
		before = hw_now(vg, vm);
		if (!amdgpu_call_nofault(avm->file, DRM_AMDGPU_INFO, &args, sizeof(args)))
			skew_set(vm, before, hw_now(vg, vm),
				 READ_ONCE(*(u64 *)amdgpu_area_page(&avm->answer, 0)));
	}
	mutex_unlock(&avm->lock);
}

bool amdgpu_vm_fault(struct amdgpu_vm *avm, struct gpu_process *p, struct gpu_fault *fault)
{
	bool found;

	if (!mmget_not_zero(p->mm))
		return false;
	kthread_use_mm(p->mm);
	mutex_lock(&avm->lock);
	found = fault_locked(avm, fault);
	mutex_unlock(&avm->lock);
	kthread_unuse_mm(p->mm);
	mmput_async(p->mm);
	return found;
}

bool amdgpu_channel_fault(struct amdgpu_channel *ch, struct gpu_process *p,
			  struct gpu_fault *fault)
{
	bool found = amdgpu_vm_fault(ch->avm, p, fault);

	if (found)
		amdgpu_userqs_faulted(ch->avm, fault);
	return found;
}

const char *amdgpu_channel_reset(struct amdgpu_channel *ch)
{
	union drm_amdgpu_ctx args = { .in = {
		.op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = ch->ctx,
	} };
	u64 flags;

	if (amdgpu_call(ch->avm->file, DRM_AMDGPU_CTX, &args, sizeof(args)))
		return "";
	flags = args.out.state.flags;
	if (flags & AMDGPU_CTX_QUERY2_FLAGS_RAS_UE)
		return ", bad memory";
	if (flags & AMDGPU_CTX_QUERY2_FLAGS_GUILTY)
		return ", by its own fault";
	if (flags & AMDGPU_CTX_QUERY2_FLAGS_VRAMLOST)
		return ", in a reset that lost memory";
	return flags & AMDGPU_CTX_QUERY2_FLAGS_RESET ? ", in a reset" : "";
}

/* ---------------------------------------------------------- setup, cleanup */

static int vm_setup_locked(struct amdgpu_vm *avm)
{
	struct drm_syncobj *s;
	int ret = 0;

	lockdep_assert_held(&avm->lock);
	/* What is there already, a later call does not make again. */
	if (!avm->request.file)
		ret = amdgpu_area_create(&avm->request, 1, false);
	if (!ret && !avm->names.file)
		ret = amdgpu_area_create(&avm->names, AMDGPU_LIST_PAGES, false);
	if (!ret && !avm->answer.file)
		ret = amdgpu_area_create(&avm->answer, 1, true);
	if (ret || avm->syncobj)
		return ret;
	ret = drm_syncobj_create(&s, 0, NULL);
	if (ret)
		return ret;
	ret = drm_syncobj_get_handle(amdgpu_drm_file(avm->file), s, &avm->sync_handle);
	if (ret)
		drm_syncobj_put(s);
	else
		avm->syncobj = s;
	return ret;
}

int amdgpu_vm_slot_get(struct amdgpu_vm *avm, unsigned int *slot)
{
	int ret;

	mutex_lock(&avm->lock);
	ret = vm_setup_locked(avm);
	if (!ret) {
		*slot = find_first_zero_bit(avm->slots, AMDGPU_VM_QUEUES);
		if (*slot < AMDGPU_VM_QUEUES)
			__set_bit(*slot, avm->slots);
		else
			ret = -ENOMEM;
	}
	mutex_unlock(&avm->lock);
	return ret;
}

void amdgpu_vm_slot_put(struct amdgpu_vm *avm, unsigned int slot)
{
	mutex_lock(&avm->lock);
	__clear_bit(slot, avm->slots);
	mutex_unlock(&avm->lock);
}

/* The classes of the pipe that KFD's priorities stand for, see hw/sched.c. */
static s32 ctx_priority(u32 priority)
{
	if (priority < 7)
		return AMDGPU_CTX_PRIORITY_LOW;
	return priority < 11 ? AMDGPU_CTX_PRIORITY_NORMAL : AMDGPU_CTX_PRIORITY_HIGH;
}

/* The driver below grants a high priority to who may have it only; KFD asks nobody. */
static int ctx_create(struct amdgpu_channel *ch, u32 priority)
{
	const union drm_amdgpu_ctx wish = { .in = {
		.op = AMDGPU_CTX_OP_ALLOC_CTX, .priority = ctx_priority(priority),
	} };
	union drm_amdgpu_ctx args = wish;
	int ret = amdgpu_call(ch->avm->file, DRM_AMDGPU_CTX, &args, sizeof(args));

	if (ret == -EACCES) {
		args = wish;
		args.in.priority = AMDGPU_CTX_PRIORITY_NORMAL;
		ret = amdgpu_call(ch->avm->file, DRM_AMDGPU_CTX, &args, sizeof(args));
	}
	ch->ctx = args.out.alloc.ctx_id;
	ch->priority = priority;
	return ret;
}

static void ctx_destroy(struct amdgpu_channel *ch)
{
	union drm_amdgpu_ctx args = { .in = {
		.op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = ch->ctx,
	} };

	amdgpu_call(ch->avm->file, DRM_AMDGPU_CTX, &args, sizeof(args));
}

static int ib_create(struct amdgpu_channel *ch, u32 bytes)
{
	u32 flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_PAGE_EXECUTABLE;
	struct file *f = amdgpu_node_file_get(ch->avm->node);
	int ret;

	if (!f)
		return -ENODEV;
	ch->ib = amdgpu_object_create(f, bytes, AMDGPU_GEM_DOMAIN_GTT,
				      AMDGPU_GEM_CREATE_EXPLICIT_SYNC);
	fput(f);
	if (IS_ERR(ch->ib))
		return PTR_ERR(ch->ib);
	ch->ib_va = ch->avm->node->high_va + (u64)ch->va_slot * AMDGPU_VM_STEP;
	ret = amdgpu_object_map(ch->ib->obj, ch->avm, ch->ib_va, 0, bytes, flags,
				&ch->handle);
	if (ret)
		amdgpu_object_destroy(ch->ib);
	return ret;
}

int amdgpu_channel_open(struct amdgpu_channel *ch, struct amdgpu_vm *avm, u32 bytes, u32 priority)
{
	int ret = amdgpu_vm_slot_get(avm, &ch->va_slot);

	ch->avm = avm;
	if (ret)
		return ret;
	amdgpu_clock_sync(avm->vm);
	ret = ctx_create(ch, priority);
	if (ret)
		goto out_slot;
	ret = ib_create(ch, bytes);
	if (ret)
		goto out_ctx;
	return 0;

out_ctx:
	ctx_destroy(ch);
out_slot:
	amdgpu_vm_slot_put(avm, ch->va_slot);
	return ret;
}

/* A context's priority can't be changed by its owner, so this is another one. */
int amdgpu_channel_priority(struct amdgpu_channel *ch, u32 priority)
{
	struct amdgpu_channel was = *ch;
	int ret;

	if (ctx_priority(priority) == ctx_priority(ch->priority))
		return 0;
	ret = ctx_create(ch, priority);
	if (ret) {
		ch->ctx = was.ctx;
		ch->priority = was.priority;
		return ret == -ENOMEM ? -ENOMEM : -EINVAL;
	}
	ctx_destroy(&was);
	return 0;
}

void amdgpu_channel_close(struct amdgpu_channel *ch)
{
	amdgpu_object_unmap(ch->ib->obj, ch->avm, ch->ib_va, ch->ib->obj->size, ch->handle);
	amdgpu_object_destroy(ch->ib);
	ctx_destroy(ch);
	amdgpu_vm_slot_put(ch->avm, ch->va_slot);
}
