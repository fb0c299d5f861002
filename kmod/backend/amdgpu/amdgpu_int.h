/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to backend/amdgpu/.
 *
 *   amdgpu_node	a GPU: hw/ with an engine that submits to a render node
 *   amdgpu_vm		an address space: a client's file of that node
 *   amdgpu_object	memory that the node has provided
 *
 * "Below" is the render node's driver. Whatever happens there in the name of a client happens on
 * the client's own file, so the driver below sees to it that it can't reach anybody else's memory
 * or contexts. A client may use its file beside us, and spoil what we have there: its own queues.
 */
#ifndef AMDGPU_INT_H
#define AMDGPU_INT_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_syncobj.h>

#include "../../hw/hw.h"
#include "amdgpu.h"

struct dma_buf;
struct dma_buf_attachment;
struct dma_fence;
struct amdgpu_runner;
struct sg_table;
struct vm_area_struct;

/**
 * struct amdgpu_node - gpu_device.backend_priv
 * @hw: must be first: what hw/ knows
 * @drm: the device below, with a reference
 * @lock: @vms, @file, @nvms
 * @vms: address spaces that clients have acquired
 * @file: a file of the node below that is nobody's: objects come into being on it. Opened with the
 *	first address space and closed with the last one, as it keeps the driver below from going
 * @high_va: of each address space, where we may map our own objects
 * @runners: of @vms that have compute queues by submissions (hw.lock)
 * @sdma_rings: of the driver below; 0: none
 * @user: queues are user queues below (userq.c); neither @hw nor @task have anything to do with
 *	these. Of @automatic, those that the driver below has taken
 * @made: user queues that there have been, for debugfs
 * @submissions,@submitted: batches, and dispatches in them, that have got below; for debugfs
 * @stale: dispatches whose kernel's descriptor was another one by then; for debugfs
 */
struct amdgpu_node {
	struct hw hw;
	struct drm_device *drm;
	struct mutex lock;		/* address spaces */
	struct list_head vms;
	struct file *file;
	unsigned int nvms;
	u64 high_va;
	unsigned int sdma_rings;
	struct list_head runners;
	bool user, automatic;
	atomic64_t made, submissions, submitted, stale;
};

static inline struct amdgpu_node *to_node(struct gpu_device *gdev)
{
	return container_of(to_hw(gdev), struct amdgpu_node, hw);
}

/**
 * struct amdgpu_object - memory from below
 * @obj: GEM object below, with a reference; @offset: where a file of the node has it for mmap
 * @file,@handle: of the node: as long as an object has a handle, it has one dma-buf at most
 * @dmabuf,@attach,@sgt: how we look at its pages, once we do; @pages: these (@lock)
 */
struct amdgpu_object {
	struct drm_gem_object *obj;
	u64 offset;
	struct file *file;
	u32 handle;
	struct mutex lock;		/* of what follows */
	struct dma_buf *dmabuf;
	struct dma_buf_attachment *attach;
	struct sg_table *sgt;
	struct page **pages;
};

/* Doorbells of a process that are not the driver's below, if some are and some are not: a page. */
#define AMDGPU_DOORBELLS_OURS	(PAGE_SIZE / sizeof(u64))

#define AMDGPU_VM_QUEUES	1024	/* compute queues of an address space */
#define AMDGPU_VM_STEP		0x10000u	/* of their buffers, from amdgpu_node.high_va on */

/**
 * struct amdgpu_area - pages in a client's address space
 * @file: that they belong to; NULL: there are none
 * @user: where the driver below finds them, in the client's mm
 */
struct amdgpu_area {
	struct file *file;
	unsigned long user;
};

#define AMDGPU_LIST_PAGES	8	/* for the names of 4096 objects */

/**
 * struct amdgpu_vm - gpu_vm.priv
 * @node_entry: in amdgpu_node.vms
 * @file: the client's, with a reference
 * @lock: what follows; inside of vm->update
 * @request,@names: what the driver below reads: a submission, a list of objects
 * @answer: where it writes
 * @syncobj,@sync_handle: of @file: gets the fence of each submission
 * @handles: of @file, of all objects that are mapped: they have to be there while the GPU works
 * @list: of these objects, as the driver below has it; 0: none; @stale: it has to be made anew
 * @left: its process has left the file, see amdgpu_vm_leave()
 * @slots: of addresses that queues have
 * @runner: of its compute queues by submissions, or NULL; @nrun: how many these are (process->lock)
 * @doorbells: with user queues: theirs, on @file, or NULL
 * @doorbells_first: KFD's index of the first of them
 * @wq: of user queues, from the first one on: what it does may take as long as the client likes
 * @userq_lock: what follows; outside of @lock
 * @lose: @watch is to find all queues dead; who wants that does not wait for @userq_lock (no lock)
 * @userqs: user queues; @watch: looks at what nobody tells; @ask_at: when it asks next, for faults
 *	and resets (jiffies)
 * @told: the last fault of which the process was told
 * @witness: a context that tells of resets, or 0
 * @probe: a queue has been reset, maybe one of these
 */
struct amdgpu_vm {
	struct list_head node_entry;
	struct amdgpu_node *node;
	struct gpu_vm *vm;
	struct file *file;
	struct mutex lock;		/* of what follows */
	struct amdgpu_area request, names, answer;
	struct drm_syncobj *syncobj;
	u32 sync_handle;
	struct xarray handles;
	u32 list;
	bool stale;
	bool left;
	DECLARE_BITMAP(slots, AMDGPU_VM_QUEUES);
	struct amdgpu_runner *runner;
	unsigned int nrun;
	struct amdgpu_object *doorbells;
	unsigned int doorbells_first;
	struct workqueue_struct *wq;
	struct mutex userq_lock;	/* see above */
	bool lose;
	struct list_head userqs;
	struct delayed_work watch;
	unsigned long ask_at;
	struct gpu_fault told;
	u32 witness;
	bool probe;
};

static inline struct drm_file *amdgpu_drm_file(struct file *f)
{
	return f->private_data;
}

/* below.c */
/*
 * An ioctl of the driver below. @data: its argument, of @bytes: what a newer driver's has beyond
 * that is zero. DRM_AMDGPU_* says which. Sleeps.
 */
int amdgpu_call(struct file *f, unsigned int nr, void *data, size_t bytes);
/*
 * By our thread in a client's mm, or under locks of the client's: a page that the client has put in
 * the place of one of ours, to hold us up at it, is not waited for. Ours are always there.
 */
int amdgpu_call_nofault(struct file *f, unsigned int nr, void *data, size_t bytes);
/* INFO: the answer comes by way of the caller's memory, and is zero where the driver's ends. */
struct drm_amdgpu_info;
int amdgpu_info(struct file *f, struct drm_amdgpu_info *info, void *answer, u32 bytes);

/* object.c */
struct amdgpu_object *amdgpu_object_create(struct file *f, u64 bytes, u32 domain, u64 flags);
void amdgpu_object_destroy(struct amdgpu_object *o);
/* The one dma-buf that @o has, with a reference. */
struct dma_buf *amdgpu_object_export(struct amdgpu_object *o, int flags);
/*
 * Page @index, which stays until the end of @o; -EINVAL: there is none that a CPU could reach. The
 * first call pins all of @o: -ENOMEM if @gfp does not allow to wait for that.
 */
struct page *amdgpu_object_page(struct amdgpu_object *o, pgoff_t index, gfp_t gfp);
/* A handle on its file, at @va with AMDGPU_VM_PAGE_* @flags; on failure there is none. */
int amdgpu_object_map(struct drm_gem_object *obj, struct amdgpu_vm *avm, u64 va, u64 offset,
		      u64 bytes, u32 flags, u32 *handle);
void amdgpu_object_unmap(struct drm_gem_object *obj, struct amdgpu_vm *avm, u64 va, u64 bytes,
			 u32 handle);

/* vm.c */
int amdgpu_vm_from_file(struct gpu_device *gdev, struct file *f, struct gpu_vm **out);
void amdgpu_vm_fini(struct gpu_vm *vm);
/* Before something of @vm ends: if that is its process's end, what the file has below ends, too. */
void amdgpu_vm_leave(struct gpu_vm *vm);
/* For objects: an open file of the node that no client has; NULL: nobody has acquired a VM. */
struct file *amdgpu_node_file_get(struct amdgpu_node *node);

/* area.c */
/*
 * Maps zeroed pages into the caller, who is a client. It can write to them only if @write. They
 * stay mapped until the client's mm ends, and are there at least as long as @a.
 */
int amdgpu_area_create(struct amdgpu_area *a, unsigned int pages, bool write);
void *amdgpu_area_page(const struct amdgpu_area *a, unsigned int i);
void amdgpu_area_destroy(struct amdgpu_area *a);

/* mem.c */
extern const struct gpu_mem_ops amdgpu_mem_ops;

/* channel.c */
/**
 * struct amdgpu_channel - where a queue's work goes below
 * @ib: indirect buffers; @ib_va: in the client's address space; @handle: on the client's file
 * @ctx: context there, for work that may be @priority (KFD's); @va_slot: of amdgpu_vm.slots
 */
struct amdgpu_channel {
	struct amdgpu_vm *avm;
	struct amdgpu_object *ib;
	u64 ib_va;
	u32 handle, ctx, priority;
	unsigned int va_slot;
};

/*
 * By a thread of the client. @bytes: of all indirect buffers, AMDGPU_VM_STEP at most, a multiple of
 * PAGE_SIZE. @priority: KFD's
 */
int amdgpu_channel_open(struct amdgpu_channel *ch, struct amdgpu_vm *avm, u32 bytes, u32 priority);
/*
 * Of what is submitted from now on; nothing is below. By a thread of the client. On error all is as
 * before.
 */
int amdgpu_channel_priority(struct amdgpu_channel *ch, u32 priority);
/* Nothing is below any more. */
void amdgpu_channel_close(struct amdgpu_channel *ch);
/* The indirect buffer at @offset, as a CPU sees it up to the end of its page. */
void *amdgpu_channel_ib(struct amdgpu_channel *ch, u32 offset);
int amdgpu_channel_write(struct amdgpu_channel *ch, u32 offset, const void *src, u32 bytes);
/*
 * Submits @dwords at @offset to a ring, in the mm of @p, which a thread of ours uses meanwhile.
 * Return: the submission's fence, with a reference; ERR_PTR: -ESRCH: the process is gone; or
 * what the driver below says.
 */
struct dma_fence *amdgpu_channel_submit(struct amdgpu_channel *ch, struct gpu_process *p,
					u32 ip_type, u32 ring, u32 offset, u32 dwords);

/*
 * Has there been a fault of an address space? Then that may be why something below has failed. By a
 * thread of ours.
 */
bool amdgpu_vm_fault(struct amdgpu_vm *avm, struct gpu_process *p, struct gpu_fault *fault);
/* The same, of a submission that has failed: that is told of, and the end of all queues, too. */
bool amdgpu_channel_fault(struct amdgpu_channel *ch, struct gpu_process *p,
			  struct gpu_fault *fault);
/*
 * What submissions need, by a thread of the client; and one of amdgpu_vm.slots, each of which is
 * AMDGPU_VM_STEP bytes of addresses from amdgpu_node.high_va on.
 */
int amdgpu_vm_slot_get(struct amdgpu_vm *avm, unsigned int *slot);
void amdgpu_vm_slot_put(struct amdgpu_vm *avm, unsigned int slot);

/* See gpu_backend_clock_sync(). */
void amdgpu_clock_sync(struct gpu_vm *vm);
/* What has become of its context, for logs. */
const char *amdgpu_channel_reset(struct amdgpu_channel *ch);

/* sdma.c */
extern const struct hw_mover amdgpu_mover;

/* engine.c */
extern const struct engine_ops amdgpu_engine_ops;

/* userq.c, userq_watch.c */
void amdgpu_userqs_init(struct amdgpu_vm *avm);
void amdgpu_userqs_fini(struct amdgpu_vm *avm);
/* See gpu/backend.h. */
int amdgpu_userq_init(struct gpu_queue *q);
int amdgpu_userq_update(struct gpu_queue *q, const struct gpu_queue_props *p);
void amdgpu_userq_fini(struct gpu_queue *q);
void amdgpu_userq_evict(struct gpu_queue *q);
void amdgpu_userq_restore(struct gpu_queue *q);
void amdgpu_userq_state(const struct gpu_queue *q, struct gpu_queue_state *s);
int amdgpu_userqs_reset(struct gpu_device *gdev, struct gpu_process *p);
/* A submission has found a fault, and the process will be told: user queues have ended with it. */
void amdgpu_userqs_faulted(struct amdgpu_vm *avm, const struct gpu_fault *fault);
int amdgpu_userq_doorbells(struct gpu_vm *vm, struct vm_area_struct *vma);

/* node.c: see gpu/backend.h; of submissions */
void amdgpu_queue_fini(struct gpu_queue *q);

/* auto.c: see gpu/backend.h */
int amdgpu_auto_init(struct gpu_queue *q);
int amdgpu_auto_update(struct gpu_queue *q, const struct gpu_queue_props *p);
void amdgpu_auto_fini(struct gpu_queue *q);
void amdgpu_auto_evict(struct gpu_queue *q);
void amdgpu_auto_restore(struct gpu_queue *q);
void amdgpu_auto_state(const struct gpu_queue *q, struct gpu_queue_state *s);
int amdgpu_auto_reset(struct gpu_device *gdev, struct gpu_process *p);
struct file *amdgpu_auto_doorbells(struct gpu_vm *vm, u64 *offset);

#endif /* AMDGPU_INT_H */
