/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User queues: userq.c has their life, userq_watch.c looks what has become of them.
 */
#ifndef AMDGPU_USERQ_H
#define AMDGPU_USERQ_H

#include "amdgpu_int.h"

struct dma_fence;

/**
 * struct amdgpu_userq - gpu_queue.priv
 * @entry: in amdgpu_vm.userqs
 * @q: whose it is
 * @area: for the hardware's own notes (EOP, CSA)
 * @area_va: where it is
 * @handle: of @area on the client's file
 * @slot: of amdgpu_vm.slots
 * @id: below; 0: it has no ring yet, or is dead (amdgpu_vm.userq_lock)
 * @dead: its work is lost; it stays until it is destroyed (amdgpu_vm.userq_lock)
 * @last: what @id was, which @end_work frees: below, that may take ten seconds
 * @probe: what it was given is done, or it has been reset; or NULL (amdgpu_vm.userq_lock)
 */
struct amdgpu_userq {
	struct list_head entry;
	struct gpu_queue *q;
	struct amdgpu_object *area;
	u64 area_va;
	u32 handle;
	unsigned int slot;
	u32 id;
	bool dead;
	u32 last;
	struct work_struct end_work;
	struct dma_fence *probe;
};

static inline struct amdgpu_vm *amdgpu_userq_vm(const struct amdgpu_userq *uq)
{
	return uq->q->vm->priv;
}

/* userq_watch.c */
/* There is a first queue (amdgpu_vm.userq_lock). */
void amdgpu_userqs_watch(struct amdgpu_vm *avm);
void amdgpu_userq_setup(struct amdgpu_userq *uq);
/* Its queue below, which the caller frees, without the lock; 0: none */
u32 amdgpu_userq_take_locked(struct amdgpu_userq *uq);
/* What was given to the queue below is done first, for ten seconds at most. @id: may be 0 */
void amdgpu_userq_free(struct amdgpu_userq *uq, u32 id);
/* It has stopped for good. */
void amdgpu_userq_dies_locked(struct amdgpu_userq *uq);
/* Nobody else has it any more: waits for its end. */
void amdgpu_userq_finish(struct amdgpu_userq *uq);
/* All of them are dead, or soon will be; waits for nobody. */
void amdgpu_userqs_lose(struct amdgpu_vm *avm);
/* Has it stopped for good below? By a thread of the client; sleeps. */
bool amdgpu_userq_is_lost(struct amdgpu_userq *uq);
/* By a thread of the client, before its first queue: somebody to ask for resets. */
int amdgpu_userq_context(struct amdgpu_vm *avm);

#endif /* AMDGPU_USERQ_H */
