/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the queues' side of the virtual GPU (vgpu.h) asks of the side that runs waves
 * (interp.h). The first knows packets and the states of queues, and nothing of waves.
 */
#ifndef VGPU_ENGINE_H
#define VGPU_ENGINE_H

#include "vgpu.h"

/* cu.c: there is something for @nr workers: work-groups to start, or to drop */
void vgpu_work_kick(struct vgpu *vg, unsigned int nr);

/* cus.c */
void vgpu_cus_init(struct vgpu *vg);
/* Let waves of @q run on the CUs of @mask only, of @bits bits. */
int vgpu_queue_cu_mask(struct gpu_queue *q, const u32 *mask, u32 bits);

/* group.c */
/* A queue that is one of too many brings a block: -ENOMEM. */
int vgpu_queue_block_init(struct vgpu_queue *vq);
void vgpu_queue_block_fini(struct vgpu_queue *vq);

/* cwsr.c; the queue is at rest */
void vgpu_waves_save(struct vgpu_queue *vq);
int vgpu_waves_load(struct vgpu_queue *vq);
void vgpu_waves_restore(struct vgpu_queue *vq);
void vgpu_waves_off(struct vgpu_queue *vq, bool was_on, bool off);
int vgpu_queue_wave_state(struct gpu_queue *q, u32 xcc, struct gpu_wave_state *s, u32 *stack);

#endif /* VGPU_ENGINE_H */
