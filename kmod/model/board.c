// SPDX-License-Identifier: GPL-2.0-only
/*
 * Products, each a target's row with a few differences. PCI ids and names are those of
 * libdrm's amdgpu.ids; CUs and memory are what rocminfo prints of such boards in
 * published bug reports. Products with the same ids cannot be told apart by name: an
 * MI60 says "MI60 / MI50", as the real one does.
 */
#include "board.h"
#include "fabric.h"

static const struct gpu_board boards[] = {
	{
		.name = "mi50", .target = "gfx906", .vram_mb = 16368, .gpus = 1,
	},
	{
		.name = "mi60", .target = "gfx906", .cu_count = 64, .vram_mb = 32752, .gpus = 1,
	},
	{
		.name = "radeonvii", .target = "gfx906", .product = "AMD Radeon VII",
		.device_id = 0x66af, .pci_rev = 0xc1, .subsystem_device = 0x081e,
		.vram_mb = 16368, .gpus = 1,
	},
	{
		.name = "mi100", .target = "gfx908", .vram_mb = 32752, .gpus = 1,
	},
	{
		.name = "mi210", .target = "gfx90a", .vram_mb = 65520, .gpus = 1,
		.fabric = &gpu_fabric_mi210,
	},
	{
		/* Two dies, which are two GPUs for software */
		.name = "mi250", .target = "gfx90a", .product = "AMD Instinct MI250X / MI250",
		.device_id = 0x740c, .pci_rev = 0x01, .subsystem_device = 0x0b0c,
		.vram_mb = 65520, .gpus = 2, .oam = true,
		.fabric = &gpu_fabric_mi250,
	},
	{
		.name = "mi250x", .target = "gfx90a", .product = "AMD Instinct MI250X",
		.device_id = 0x7408, .pci_rev = 0x00, .subsystem_device = 0x0b0c,
		.cu_count = 110, .vram_mb = 65520, .gpus = 2, .oam = true,
		.fabric = &gpu_fabric_mi250,
	},
	{
		.name = "mi300x", .target = "gfx942", .vram_mb = 196592, .gpus = 1,
		.fabric = &gpu_fabric_mi300x,
	},
	{
		.name = "mi355x", .target = "gfx950", .vram_mb = 294896, .gpus = 1,
		.fabric = &gpu_fabric_mi300x,
	},
	{
		.name = "w6800", .target = "gfx1030", .vram_mb = 30704, .gpus = 1,
	},
	{
		.name = "w7900", .target = "gfx1100", .vram_mb = 46064, .gpus = 1,
	},
	{
		/* What TTM may have of 128 GB */
		.name = "8060s", .target = "gfx1151", .vram_mb = 60254, .gpus = 1,
	},
	{
		.name = "rx9070xt", .target = "gfx1201", .vram_mb = 16304, .gpus = 1,
	},
};

const struct gpu_board *gpu_board_get(unsigned int i)
{
	return i < ARRAY_SIZE(boards) ? &boards[i] : NULL;
}

const struct gpu_board *gpu_board_find(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(boards); i++)
		if (strlen(boards[i].name) == len && !strncmp(boards[i].name, name, len))
			return &boards[i];
	return NULL;
}

bool gpu_board_target(const struct gpu_board *board, struct gpu_target *t)
{
	const struct gpu_target *row = gpu_target_by_name(board->target);

	if (!row)
		return false;
	*t = *row;
	if (board->product)
		t->product = board->product;
	if (board->device_id) {
		t->device_id = board->device_id;
		t->pci_rev = board->pci_rev;
		t->subsystem_device = board->subsystem_device;
	}
	if (board->cu_count)
		t->cu_count = board->cu_count;
	if (board->oam)
		t->oam = true;
	t->fabric = board->fabric;
	t->vram_bytes = (u64)board->vram_mb << 20;
	return true;
}
