/* SPDX-License-Identifier: MIT */
/* Launches whose waves, ranges of groups, and groups the JIT runs */
#ifndef LAUNCH_JIT_H
#define LAUNCH_JIT_H

#include "jit.h"
#include "launch.h"

static inline enum isa_stop run_wave(void *priv, struct isa_wave *w, unsigned int budget,
				     struct isa_exit *ex)
{
	return jit_wave_run(priv, w, budget, ex);
}

static inline u64 run_span(void *priv, struct isa_wave *w, const struct sim_span *g, u32 budget,
			   u64 *insns)
{
	const struct jit_grid grid = {
		.waves = g->waves, .item = g->item, .items = g->items, .id = g->id,
	};

	return jit_grid_run(priv, w, &grid, budget, insns);
}

static inline enum isa_stop run_group(void *priv, struct sim_group *g, u32 budget,
				      struct isa_exit *ex)
{
	struct jit_group group = {
		.wave = g->wave, .waves = g->waves, .runs = g->runs, .waits = g->waits,
		.next = g->next, .barriers = g->barriers,
	};
	enum isa_stop why = jit_group_run(priv, &group, ~0u, budget, ex);

	g->runs = group.runs;
	g->waits = group.waits;
	g->next = group.next;
	g->insns = group.insns;
	return why;
}

static inline void sim_set_jit(struct sim *s, struct jit *j)
{
	sim_set_run(s, run_wave, j);
	sim_set_span(s, run_span);
	sim_set_group(s, run_group);
}

#endif /* LAUNCH_JIT_H */
