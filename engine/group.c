// SPDX-License-Identifier: MIT
/*
 * Work-groups that begin here: behind that which came with its waves, the module has handed over
 * others of its grid. Where compiled code can, it runs their waves one after another
 * (jit_grid_run()); they are then never waves that anybody could see.
 */
#include "engine.h"
#include "jit.h"

#define LAUNCH_COST	16u	/* of a wave that begins, in instructions */

static const struct isa_grid *grid_of(const struct thread *t)
{
	return (const void *)((u8 *)t->section + t->section->grid_at);
}

/* Groups of this section that begin here, the first one first */
static u32 count(const struct vkfd_engine_section *s)
{
	return s->ahead + s->fresh;
}

static u64 index_of(const struct vkfd_engine_section *s, u32 n)
{
	return s->fresh && !n ? s->index : s->first + n - s->fresh;
}

/* One row of groups of whole waves: they differ by the numbers of groups and work-items alone. */
static bool can_stream(const struct thread *t, const struct isa_grid *d)
{
	return t->jit && jit_has_any(t->jit) && d->lanes == ISA_LANES && !(d->group[0] % ISA_LANES) &&
	       d->group[1] == 1 && d->group[2] == 1 && d->groups[1] == 1 && d->groups[2] == 1 &&
	       d->wg_id[0] && !d->wg_id[1] && !d->wg_id[2] && !d->wg_info &&
	       !d->scratch_offset && !d->scratch_lane_bytes &&
	       t->cu->arch->group_ids != ISA_GROUP_IDS_TTMPS;
}

void groups_arrive(struct thread *t)
{
	const struct vkfd_engine_section *s = t->section;
	const struct isa_grid *d = grid_of(t);
	u32 i;

	if (!count(s))
		return;
	for (i = 0; i < d->waves; i++)
		isa_wave_place(t->wave[i], (u32 *)((u8 *)s + s->rows_at[i]), d->rows);
	t->streams = can_stream(t, d);
}

/* The waves of group @n, of which the first @gone have ended */
static void launch(struct thread *t, u32 n, u32 gone)
{
	struct vkfd_engine_section *s = t->section;
	const struct isa_cu_id *cus = (const void *)((u8 *)s + s->cus_at);
	struct isa_group_place p = *(struct isa_group_place *)((u8 *)s + s->place_at);
	u32 i;

	p.index = index_of(s, n);
	p.cu = cus[p.index % s->ncus];
	s->nwaves = isa_group_launch(grid_of(t), &p, t->cu, &t->wg, t->wave, true);
	s->begun = n + 1;
	s->next = ISA_FIRST_TURN;
	for (i = 0; i < s->nwaves; i++) {
		s->state[i] = i < gone ? VKFD_ENGINE_ENDED : VKFD_ENGINE_RUNS;
		t->sent[i] = true;
	}
	isa_barriers_init(&t->barriers, s->nwaves - gone);
}

/* Groups from @n on, one after another; @insns, @waves: that have ended */
struct span {
	u32 n;
	u64 insns, waves;
};

static void run_span(struct thread *t, void *arg)
{
	const struct vkfd_engine_section *s = t->section;
	const struct isa_grid *d = grid_of(t);
	struct span *x = arg;
	bool alone = s->fresh && !x->n && s->ahead && s->first != s->index + 1;
	struct jit_grid g = {
		.waves = (u64)(alone ? 1 : count(s) - x->n) * d->waves,
		.items = d->group[0], .id = d->nuser,
	};

	if (s->cost < s->budget)
		x->waves = jit_grid_run(t->jit, t->wave[0], &g, s->budget - s->cost, &x->insns);
}

bool groups_next(struct thread *t, struct isa_exit *ex, bool *torn)
{
	struct vkfd_engine_section *s = t->section;
	struct span x;
	u32 gone;

	*torn = false;
	while (s->begun < count(s) && s->cost < s->budget) {
		x = (struct span){ .n = s->begun };
		launch(t, x.n, 0);
		s->cost += s->nwaves * LAUNCH_COST;
		/* One at the edge of its grid may have fewer waves, or not all lanes of them. */
		if (!t->streams || (u64)(index_of(s, x.n) + 1) * grid_of(t)->group[0] >
				   grid_of(t)->grid[0])
			return true;
		if (!run_untorn(t, run_span, &x, ex)) {
			*torn = true;
			return true;
		}
		if (!x.waves)
			return true;
		s->insns += (u32)x.insns;
		s->cost += (u32)(x.insns + x.waves);
		gone = x.waves % s->nwaves;
		x.n += x.waves / s->nwaves;
		if (gone) {
			launch(t, x.n, gone);
			return true;
		}
		s->begun = x.n;
		memset(s->state, VKFD_ENGINE_ENDED, s->nwaves);
	}
	return false;
}
