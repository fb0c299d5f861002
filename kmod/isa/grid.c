// SPDX-License-Identifier: GPL-2.0-only
/*
 * How work-groups of a dispatch begin: one text for the kernel and for the processes that run waves
 * (engine/), which begin groups themselves.
 */
#include "grid.h"
#include "isa_int.h"

/* What all waves of a group have: user SGPRs and the group's place in the grid */
static void group_sgprs(const struct isa_arch *a, const struct isa_grid *d, const u32 id[3],
			struct isa_wave_setup *s)
{
	const bool wanted[3] = { d->wg_id[0], d->wg_id[1], d->wg_id[2] };

	s->nsgpr = d->nuser < ISA_GRID_USER ? d->nuser : ISA_GRID_USER;
	memcpy(s->sgpr, d->user, sizeof(d->user));
	isa_setup_group(a, s, id, wanted);
}

/* Behind them what differs between its waves */
static void wave_sgprs(const struct isa_grid *d, const struct isa_group_place *p, u32 nwaves,
		       u32 wave, struct isa_wave_setup *s)
{
	if (d->wg_info)
		s->sgpr[s->nsgpr++] = nwaves | (wave ? 0 : 1u << 31);
	if (d->scratch_offset)
		s->sgpr[s->nsgpr++] = p->scratch_slot == ISA_NO_SCRATCH ? 0 :
				      (p->scratch_slot + wave) * d->scratch_wave_bytes;
}

/* Computes the id of the group, and its size, which the edge of the grid may reduce. */
static u32 group_shape(const struct isa_grid *d, u64 index, u32 id[3], u16 size[3])
{
	u32 items = 1, rest;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		id[i] = (u32)(index % d->groups[i]);
		index /= d->groups[i];
		rest = d->grid[i] - id[i] * d->group[i];
		size[i] = rest < d->group[i] ? (u16)rest : d->group[i];
		items *= size[i];
		id[i] += d->first[i];
	}
	return items;
}

static u32 hw_id(const struct isa_arch *a, const struct isa_grid *d,
		 const struct isa_group_place *p, u32 wave)
{
	const struct isa_hw_place place = {
		.wave = wave / d->simds, .simd = wave % d->simds,
		.cu = p->cu.cu, .sa = p->cu.sh, .se = p->cu.se, .group = (u32)p->index,
	};

	return isa_hw_id(a, &place);
}

u32 isa_group_launch(const struct isa_grid *d, const struct isa_group_place *p, struct isa_cu *cu,
		     struct isa_wg *wg, struct isa_wave *const *wave, bool again)
{
	const struct isa_arch *a = cu->arch;
	struct isa_wave_setup s = {
		.mode = d->mode, .lanes = d->lanes, .rows = d->rows, .acc_offset = d->acc_offset,
		.sgprs = d->sgprs, .ids = d->ids,
		.packed_ids = isa_arch_has(a, ISA_ARCH_PACKED_IDS),
		.shared_base = d->shared_base, .private_base = d->private_base,
		.scratch_lane_bytes = d->scratch_lane_bytes,
		.keep_rows = again, .xcc_id = p->cu.xcc,
	};
	u32 id[3], items, nsgpr, nwaves, i;

	items = group_shape(d, p->index, id, s.size);
	group_sgprs(a, d, id, &s);
	nsgpr = s.nsgpr;
	nwaves = (items + d->lanes - 1) / d->lanes;
	for (i = 0; i < nwaves; i++) {
		u32 lanes = items - i * d->lanes;

		if (lanes > d->lanes)
			lanes = d->lanes;
		s.first_item = i * d->lanes;
		s.hw_id = hw_id(a, d, p, i);
		if (p->scratch_slot != ISA_NO_SCRATCH)
			s.scratch_base = p->scratch_at + (u64)i * d->scratch_wave_bytes;
		s.nsgpr = nsgpr;
		wave_sgprs(d, p, nwaves, i, &s);
		isa_setup_trap(a, &s, id, i, d->packet);
		(again ? isa_wave_again : isa_wave_reset)(wave[i], cu, wg, d->pc,
							  ~0ull >> (64 - lanes));
		isa_wave_setup(wave[i], &s);
	}
	return nwaves;
}

u64 isa_grid_whole_groups(const struct isa_grid *d)
{
	u64 n = 1;
	int i, last = 2;

	while (last > 0 && d->groups[last] == 1)
		last--;
	for (i = 0; i <= last; i++) {
		if (d->grid[i] / d->group[i] != d->groups[i] && i != last)
			return 0;
		n *= i == last ? d->grid[i] / d->group[i] : d->groups[i];
	}
	for (; i < 3; i++)
		if (d->grid[i] != d->group[i])
			return 0;
	return n;
}
