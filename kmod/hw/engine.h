/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The border between hw/ and who runs waves (engine/). An engine never sees a packet; of a
 * queue it asks whether it runs (hw_queue_running()) and enters and leaves it. hw/ never
 * sees a wave.
 *
 * Work comes as dispatches in hw.grids. The engine takes work-groups from their cursors,
 * under hw.lock, runs them, and gives each back by hw_grid_leave_locked() and
 * hw_grid_left(). What stops a wave that is hw/'s to judge goes to hw_compute_failed() and
 * hw_memory_failed().
 */
#ifndef HW_ENGINE_H
#define HW_ENGINE_H

#include "hw.h"

/**
 * struct engine_ops - who runs waves; no member is NULL
 * @admit: there may be work-groups to take, of grids or of queues that run again, or to
 *	drop, of grids that are aborted: wake up to @nr of those who do it
 * @queue_init: a queue comes: 0, or -ENOMEM
 * @queue_fini: it goes; none of its work-groups is resident any more
 * @queue_idle_locked: is nothing of the engine's with the queue's work-groups? (lock)
 * @cu_mask: see gpu_backend_queue_cu_mask(); a compute queue
 * @load: a queue at rest is about to run: read its waves from its save area, if they are
 *	there: 0; -EINTR, -ETIME: not all could be read
 * @update: a queue at rest, which @was_on, changes to @on: if that takes it off, its waves
 *	go to its save area, as far as they fit; of an evicted one once it is restored
 * @restore: a queue is about to be restored: its waves come from the save area, or go
 *	there, as its last update wanted it; waves that cannot be read go on as they were
 * @wave_state: see gpu_backend_queue_wave_state()
 */
struct engine_ops {
	void (*admit)(struct hw *vg, unsigned int nr);
	int (*queue_init)(struct hw_compute *vq);
	void (*queue_fini)(struct hw_compute *vq);
	bool (*queue_idle_locked)(const struct hw_compute *vq);
	int (*cu_mask)(struct gpu_queue *q, const u32 *mask, u32 bits);
	int (*load)(struct hw_compute *vq);
	void (*update)(struct hw_compute *vq, bool was_on, bool on);
	void (*restore)(struct hw_compute *vq);
	int (*wave_state)(struct gpu_queue *q, u32 xcc, struct gpu_wave_state *s, u32 *stack);
};

#endif /* HW_ENGINE_H */
