/* SPDX-License-Identifier: GPL-2.0-only */
/* GPUs by name: a row of the target table, or a product's case of one. */
#ifndef GPU_MODEL_H
#define GPU_MODEL_H

#include "../model/target.h"

/**
 * struct gpu_model - what a name stands for
 * @target: the row, with a product's differences
 * @vram_bytes: of the product; 0 for a bare target, which is no product
 * @gpus: that one of it has
 */
struct gpu_model {
	struct gpu_target target;
	u64 vram_bytes;
	unsigned int gpus;
};

/* -ENOENT: no such name */
int gpu_model_find(const char *name, size_t len, struct gpu_model *m);
/*
 * "NAME" or "NAME:COUNT". -ENOENT: no such name; -EINVAL: no such count. @count is of
 * models, each of which may have several GPUs.
 */
int gpu_model_parse(const char *item, struct gpu_model *m, unsigned int *count);
/* All names, with a blank between two, for messages; @buf is always terminated. */
void gpu_model_names(char *buf, size_t size);
/*
 * After counts of @t were changed: the sizes that follow from them. -EINVAL: no part of
 * this kind can have so many compute units.
 */
int gpu_model_settle(struct gpu_target *t);

#endif /* GPU_MODEL_H */
