// SPDX-License-Identifier: GPL-2.0-only
/*
 * GPUs by name. A device has a copy of its target's row, with the changes of a product
 * and of users. Code that reads gdev->target need not know about either.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/string.h>

#include "../model/board.h"
#include "model.h"
#include "save_area.h"

int gpu_model_settle(struct gpu_target *t)
{
	struct gpu_save_area a;
	u32 most = t->shader_engines * t->arrays_per_engine * t->cu_per_array;

	/* XCCs are alike, and an engine without a CU is none */
	if (t->cu_count < t->shader_engines * t->arrays_per_engine || t->cu_count > most ||
	    t->cu_count % t->num_xcc)
		return -EINVAL;
	gpu_target_save_area(t, t->num_xcc, &a);
	t->ctl_stack_bytes = a.ctl_stack_bytes;
	t->cwsr_bytes = a.cwsr_bytes;
	t->debug_bytes = a.debug_bytes;
	return 0;
}

int gpu_model_find(const char *name, size_t len, struct gpu_model *m)
{
	const struct gpu_target *row = gpu_target_find(name, len);
	const struct gpu_board *board;

	if (row) {
		m->target = *row;
		m->vram_bytes = 0;
		m->gpus = 1;
		return 0;
	}
	board = gpu_board_find(name, len);
	if (!board || !gpu_board_target(board, &m->target))
		return -ENOENT;
	m->vram_bytes = m->target.vram_bytes;
	m->gpus = board->gpus;
	return gpu_model_settle(&m->target);
}

int gpu_model_parse(const char *item, struct gpu_model *m, unsigned int *count)
{
	const char *colon = strchrnul(item, ':');
	int ret = gpu_model_find(item, colon - item, m);

	if (ret)
		return ret;
	*count = 1;
	/* kstrtouint() takes a sign and a line break */
	if (*colon && (!isdigit(colon[1]) || strchr(colon, '\n') ||
		       kstrtouint(colon + 1, 10, count) || !*count))
		return -EINVAL;
	return 0;
}

void gpu_model_names(char *buf, size_t size)
{
	size_t at = 0;
	unsigned int i;

	buf[0] = '\0';
	for (i = 0; gpu_target_get(i); i++)
		at += scnprintf(buf + at, size - at, "%s%s", at ? " " : "",
				gpu_target_get(i)->name);
	for (i = 0; gpu_board_get(i); i++)
		at += scnprintf(buf + at, size - at, " %s", gpu_board_get(i)->name);
}
