/* SPDX-License-Identifier: GPL-2.0-only */
/* Products: what somebody buys, as opposed to what code is compiled for (target.h). */
#ifndef GPU_BOARD_H
#define GPU_BOARD_H

#include "target.h"

/**
 * struct gpu_board - a product
 * @name: what `modprobe vkfd gpus=` takes besides a target's name ("mi210")
 * @target: name of the row that it is a case of
 * @product: marketing name; NULL: the target's
 * @device_id,@pci_rev,@subsystem_device: of its own if @device_id is not 0
 * @cu_count: active CUs of a GPU; 0: the target's
 * @vram_mb: memory of a GPU, as the driver shows it
 * @gpus: that one board has
 * @fabric: how several GPUs are wired; NULL: by PCIe alone
 * @oam: an accelerator module, not a card
 */
struct gpu_board {
	const char *name;
	const char *target;
	const char *product;
	u16 device_id;
	u8 pci_rev;
	u16 subsystem_device;
	u32 cu_count;
	u32 vram_mb;
	u32 gpus;
	const struct gpu_fabric *fabric;
	bool oam;
};

/* Row called @name (of @len bytes), or NULL. */
const struct gpu_board *gpu_board_find(const char *name, size_t len);
/* Row @i, or NULL past the end: to iterate over all. */
const struct gpu_board *gpu_board_get(unsigned int i);
/* Its target with what differs; sizes that follow from counts are the caller's to settle. */
bool gpu_board_target(const struct gpu_board *board, struct gpu_target *t);

#endif /* GPU_BOARD_H */
