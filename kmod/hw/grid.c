// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which groups of a dispatch have not begun: those from hw_grid.started on, and those that an
 * engine's thread had claimed ahead of time and has given back. A claim takes all of a range that
 * was given back, or leaves room for what it may give back itself, so there is always room.
 *
 * Threads of engines look for such groups under the GPU's lock. A queue whose grids they cannot
 * take, because it has no slot, is not where they look: there may be thousands of them.
 */
#include <linux/minmax.h>

#include "engine.h"

void hw_grids_ready_locked(struct hw_compute *vq)
{
	lockdep_assert_held(&vq->vg->lock);
	if (!hw_queue_running(&vq->hq) || list_empty(&vq->waits))
		list_del_init(&vq->ready);
	else if (list_empty(&vq->ready))
		list_add_tail(&vq->ready, &vq->vg->ready);
}

/* In the order of dispatches: one that has been there before is older than what is there now. */
void hw_grid_wait_locked(struct hw_grid *grid)
{
	struct hw_compute *vq = grid->vq;
	struct hw_grid *at;

	list_for_each_entry_reverse(at, &vq->waits, node)
		if (at->seq < grid->seq)
			break;
	list_add(&grid->node, &at->node);
	hw_grids_ready_locked(vq);
}

/* The queue's next dispatch comes behind those of others that are there already. */
void hw_grid_unwait_locked(struct hw_grid *grid)
{
	struct hw_compute *vq = grid->vq;

	list_del_init(&grid->node);
	if (!list_empty(&vq->ready))
		list_move_tail(&vq->ready, &vq->vg->ready);
	hw_grids_ready_locked(vq);
}

bool hw_grid_waits_locked(const struct hw_grid *grid)
{
	return grid->nback || grid->started != grid->d.total_groups;
}

u64 hw_grid_left_locked(const struct hw_grid *grid)
{
	u64 left = grid->d.total_groups - grid->started;
	unsigned int i;

	for (i = 0; i < grid->nback; i++)
		left += grid->back[i].n;
	return left;
}

/* The range with the lowest groups: others may wait for what these do. */
static unsigned int first_back(const struct hw_grid *grid)
{
	unsigned int i, found = 0;

	for (i = 1; i < grid->nback; i++)
		if (grid->back[i].first < grid->back[found].first)
			found = i;
	return found;
}

u64 hw_grid_next_locked(const struct hw_grid *grid)
{
	return grid->nback ? grid->back[first_back(grid)].first : grid->started;
}

static void take(struct hw_grid *grid, u64 n)
{
	struct hw_range *r;

	lockdep_assert_held(&grid->vq->vg->lock);
	if (grid->nback) {
		r = &grid->back[first_back(grid)];
		r->first += n;
		r->n -= n;
		if (!r->n)
			*r = grid->back[--grid->nback];
	} else {
		grid->started += n;
	}
	if (!hw_grid_waits_locked(grid))
		hw_grid_unwait_locked(grid);
}

u64 hw_grid_take_locked(struct hw_grid *grid)
{
	u64 index = hw_grid_next_locked(grid);

	take(grid, 1);
	return index;
}

u64 hw_grid_claim_locked(struct hw_grid *grid, u64 most, u64 end, u64 *first)
{
	u64 n;

	if (grid->nback + grid->claims >= ARRAY_SIZE(grid->back) || !hw_grid_waits_locked(grid))
		return 0;
	*first = hw_grid_next_locked(grid);
	n = grid->nback ? grid->back[first_back(grid)].n : grid->d.total_groups - grid->started;
	n = min(min(n, most), end > *first ? end - *first : 0);
	if (n) {
		take(grid, n);
		grid->claims++;
	}
	return n;
}

bool hw_grid_unclaim_locked(struct hw_grid *grid, u64 first, u64 n)
{
	bool waited = hw_grid_waits_locked(grid);

	grid->claims--;
	if (!n || grid->aborted)
		return false;
	if (first + n == grid->started)
		grid->started = first;
	else	/* hw_grid_claim_locked() has left room. */
		grid->back[grid->nback++] = (struct hw_range){ first, n };
	if (!waited)
		hw_grid_wait_locked(grid);
	return !waited;
}
