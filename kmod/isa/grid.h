/* SPDX-License-Identifier: GPL-2.0-only */
/* How work-groups of a dispatch begin, wherever their waves are run: grid.c. */
#ifndef ISA_GRID_H
#define ISA_GRID_H

#include "isa.h"

#define ISA_GRID_USER	16

/**
 * struct isa_grid - what the groups of a dispatch have in common
 * @pc: where waves begin
 * @grid,@group: sizes in work-items; @groups: the grid's size in work-groups
 * @first: id of the first work-group
 * @lanes,@waves,@rows,@acc_offset,@sgprs,@mode: of each wave, as in struct isa_wave_setup; waves of
 *	a group that is whole
 * @ids: number of work-item id components in VGPRs, 1..3
 * @nuser: number of user SGPRs in @user
 * @wg_id: which of the ids X, Y, Z follow these; @wg_info,@scratch_offset: whether these SGPRs do
 * @scratch_lane_bytes,@scratch_wave_bytes: of scratch, if there is any
 * @shared_base,@private_base: high dwords of the apertures
 * @packet: its place in the ring, for trap handlers
 * @simds: of a compute unit
 */
struct isa_grid {
	u64 pc;
	u32 grid[3], groups[3], first[3];
	u16 group[3];
	u8 wg_id[3], wg_info, scratch_offset;
	u32 lanes, waves, rows, acc_offset, sgprs, mode, ids;
	u32 nuser, user[ISA_GRID_USER];
	u32 scratch_lane_bytes, scratch_wave_bytes;
	u32 shared_base, private_base;
	u32 packet, simds;
};

/* A compute unit */
struct isa_cu_id {
	u8 xcc, se, sh, cu;
};

/**
 * struct isa_group_place - a group, and where it is
 * @index: of the group in its grid
 * @scratch_slot,@scratch_at: of its first wave: number and address; ISA_NO_SCRATCH: it has none
 */
struct isa_group_place {
	u64 index, scratch_at;
	u32 scratch_slot;
	struct isa_cu_id cu;
};

#define ISA_NO_SCRATCH	0xffffffffu

/**
 * isa_group_launch() - the initial state of the waves of a group
 * @wave: of whole groups' number; those that the group has are launched
 * @again: they have been waves of this grid before, or of one with the same owner
 *
 * Return: how many waves it has, which the edge of the grid may reduce.
 */
u32 isa_group_launch(const struct isa_grid *d, const struct isa_group_place *p, struct isa_cu *cu,
		     struct isa_wg *wg, struct isa_wave *const *wave, bool again);

/*
 * Groups [0, this) are whole, if no other dimension than the last one has an edge that is not;
 * otherwise 0.
 */
u64 isa_grid_whole_groups(const struct isa_grid *d);

#endif /* ISA_GRID_H */
