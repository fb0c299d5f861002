/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef VGPU_STATS_H
#define VGPU_STATS_H

struct hw;

/* The debugfs files of a virtual GPU. */
void vgpu_stats_init(struct hw *vg);
void vgpu_stats_fini(struct hw *vg);

#endif /* VGPU_STATS_H */
