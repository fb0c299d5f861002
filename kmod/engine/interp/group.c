// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resident work-groups of a worker: their memory, which ones to admit, and the initial state of
 * their waves.
 *
 * As long as groups end, a worker keeps one group of a dispatch at a time, which is best for the
 * caches. It takes one group of every further queue at once, because a queue must not wait for
 * another one's kernel. It takes more groups of the same queue if none of them has ended for a
 * while, because they may be waiting for each other.
 *
 * Waves that never end stay resident, even when their queue loses its HQD slot. To keep them from
 * shutting others out, the capacity of a GPU is counted per queue: each queue may have the waves
 * of a whole GPU resident, and a share of the memory for them. In any case there is one block for
 * each queue: the GPU's pool has enough for a number of queues, and each further queue brings a
 * block of its own. (On hardware, waves that have to make room go to the queue's save area, which
 * is memory of the process as well.)
 *
 * Each worker's first block serves everybody. All others are charged to the memory cgroup of the
 * process whose groups are in them, and serve no other process. If that cgroup has no room, a work
 * item reclaims memory there (gpu/charged.c); meanwhile the worker admits groups of other
 * processes, and the process goes on with the blocks that it has and with the workers' first ones.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>

#include "interp.h"
#include "../../model/target.h"

#define ROW_BYTES	(ISA_LANES * sizeof(u32))
#define LDS_SLACK	64	/* isa_wg.lds: vector code may access beyond the end */
#define BLOCK_ALIGN	64
#define SPARE_BLOCKS	4
#define SPARE_JIFFIES	HZ	/* age at which a spare block is freed */
#define BLOCK_CAP	4	/* limit on all queues' blocks, in multiples of a GPU's memory */

static size_t wave_bytes(void)
{
	return ALIGN(isa_wave_bytes(), BLOCK_ALIGN);
}

static size_t block_bytes(u32 waves, u32 lds, size_t rows)
{
	return waves * wave_bytes() + ALIGN(lds + LDS_SLACK, BLOCK_ALIGN) +
	       rows * ROW_BYTES + BLOCK_ALIGN;
}

static size_t grid_bytes(const struct hw_grid *grid)
{
	return block_bytes(grid->d.waves, grid->d.lds_bytes,
			   (size_t)grid->d.waves * grid->d.rows);
}

/* Rows of registers of a work-group: those of a CU, or of a pair */
u32 interp_rows_max(const struct gpu_target *t)
{
	return t->simd_per_cu * t->simd_vgprs << isa_arch_has(t->arch, ISA_ARCH_WGP);
}

/* Enough for any work-group that cp_dispatch_parse() accepts. */
size_t interp_block_max(const struct interp *ip)
{
	const struct gpu_target *t = ip->vg->gdev->target;

	return block_bytes(CP_MAX_GROUP_ITEMS / (t->arch->wave_sizes & 32 ? 32 : 64),
			   t->lds_kbytes * 1024, interp_rows_max(t));
}

static size_t with_group(size_t bytes)
{
	return sizeof(struct interp_group) + bytes;
}

static struct interp_group *block_in(const struct gpu_memory *m, size_t bytes)
{
	struct interp_group *g = m->p;

	g->memory = *m;
	g->mem = g + 1;
	g->bytes = bytes;
	INIT_LIST_HEAD(&g->node);
	INIT_LIST_HEAD(&g->queue_node);
	INIT_LIST_HEAD(&g->turn_node);
	return g;
}

struct interp_group *interp_block_create(size_t bytes, gfp_t gfp)
{
	struct gpu_memory m;

	return gpu_memory_get(&m, with_group(bytes), gfp) ? NULL : block_in(&m, bytes);
}

void interp_block_destroy(struct interp_group *g)
{
	struct gpu_memory m = g->memory;

	gpu_memory_put(&m);
}

static u64 block_limit(const struct interp *ip)
{
	return (u64)ip->vg->gdev->cu_count * interp_block_max(ip);
}

/* Limits the total size of all blocks, whoever is charged for them. */
u64 interp_block_cap(const struct interp *ip)
{
	return block_limit(ip) * BLOCK_CAP;
}

/*
 * May there be another block of @bytes? Up to the size of the register files and LDS of all CUs:
 * yes. Beyond that, a queue, which has @own bytes, may have one block, and more up to its share
 * of half as much again. POOL_QUEUES (queue.c) and these together stay below the cap. A queue that
 * has brought a block has that one for its first, or it would take the place of one that has not.
 */
static bool block_allowed(const struct interp *ip, const struct interp_queue *iq, u64 own,
			  size_t bytes)
{
	u64 limit = block_limit(ip);
	u64 total = atomic64_read(&ip->block_bytes) + bytes;

	if (total <= limit)
		return true;
	if (total > interp_block_cap(ip))
		return false;
	return (!own && !iq->has_block) ||
	       (own + bytes) * max(1u, READ_ONCE(ip->vg->nqueues)) <= limit / 2;
}

/* Is it large enough, and charged to nobody else? */
static bool block_fits(const struct interp_group *g, const struct interp_queue *iq, size_t bytes)
{
	return g->bytes >= bytes && (g->home || g->payer == iq->vq.owner);
}

/* Is there a block for a group of @grid, or may one be created? */
static bool block_possible(struct interp_worker *w, const struct hw_grid *grid)
{
	const struct interp_queue *iq = to_interp_queue(grid->vq);
	size_t bytes = grid_bytes(grid);
	const struct interp_group *g;

	if (iq->block)
		return true;
	list_for_each_entry(g, &w->spare, node)
		if (block_fits(g, iq, bytes))
			return true;
	if (!block_allowed(w->ip, iq, iq->block_bytes, bytes))
		return false;
	if (!gpu_memory_awaited(iq->vq.hq.q->vm))
		return true;
	w->hungry = true;
	return false;
}

/* The block that @iq has brought, unless a group uses it. */
static struct interp_group *block_of_queue(struct interp_queue *iq)
{
	struct interp_group *g;

	if (!READ_ONCE(iq->block))
		return NULL;
	spin_lock(&iq->vq.vg->lock);
	g = iq->block;
	WRITE_ONCE(iq->block, NULL);
	spin_unlock(&iq->vq.vg->lock);
	return g;
}

/*
 * A new block, charged to the process. -EAGAIN if its cgroup has no room: groups of others need
 * not wait for that.
 */
static struct interp_group *block_new(struct interp_worker *w, struct interp_queue *iq,
				      size_t bytes)
{
	struct gpu_vm *vm = iq->vq.hq.q->vm;
	struct interp_group *g;
	struct gpu_memory m;

	if (gpu_memory_get_now(&m, with_group(bytes), vm)) {
		gpu_memory_ask(vm, with_group(bytes));
		return ERR_PTR(-EAGAIN);
	}
	g = block_in(&m, bytes);
	g->payer = iq->vq.owner;
	atomic64_add(bytes, &w->ip->block_bytes);
	return g;
}

/* A block, or NULL if the GPU has no more, or -EAGAIN: see block_new(). */
static struct interp_group *block_get(struct interp_worker *w, struct interp_queue *iq, u64 own,
				      size_t bytes)
{
	struct interp_group *g, *home = NULL, *brought;

	list_for_each_entry(g, &w->spare, node) {
		if (!block_fits(g, iq, bytes))
			continue;
		if (g->home) {
			home = g;
			continue;
		}
		w->nspare--;
		list_del_init(&g->node);
		return g;
	}
	if (home) {
		list_del_init(&home->node);
		return home;
	}
	g = block_allowed(w->ip, iq, own, bytes) ? block_new(w, iq, bytes) : NULL;
	if (!IS_ERR_OR_NULL(g))
		return g;
	brought = block_of_queue(iq);
	return brought ?: g;
}

/* The queue that brought the block cannot go away before this: hw_compute_fini(). */
static void block_return(struct interp_worker *w, struct interp_group *g)
{
	struct interp_queue *iq = g->keeper;

	spin_lock(&w->vg->lock);
	WRITE_ONCE(iq->block, g);
	hw_compute_wake_locked(&iq->vq);
	spin_unlock(&w->vg->lock);
}

void interp_block_drop(struct interp *ip, struct interp_group *g)
{
	atomic64_sub(g->bytes, &ip->block_bytes);
	interp_block_destroy(g);
}

struct interp_group *interp_block_for(struct interp *ip, struct interp_queue *iq,
				      const struct hw_grid *grid)
{
	size_t bytes = grid_bytes(grid);
	struct interp_group *g;

	if (!block_allowed(ip, iq, iq->block_bytes, bytes))
		return ERR_PTR(-ENOMEM);
	g = interp_block_create(bytes, GFP_KERNEL_ACCOUNT);
	if (!g)
		return ERR_PTR(-ENOMEM);
	g->payer = iq->vq.owner;
	atomic64_add(bytes, &ip->block_bytes);
	return g;
}

void interp_spare_trim(struct interp_worker *w, unsigned long age)
{
	struct interp_group *g, *tmp;

	list_for_each_entry_safe(g, tmp, &w->spare, node) {
		if (g->home || time_before(jiffies, g->spare_since + age))
			continue;
		list_del(&g->node);
		w->nspare--;
		interp_block_drop(w->ip, g);
	}
}

static void block_put(struct interp_worker *w, struct interp_group *g)
{
	g->grid = NULL;
	if (g->keeper) {
		block_return(w, g);
		return;
	}
	if (g->home || w->nspare < SPARE_BLOCKS) {
		g->spare_since = jiffies;
		list_add(&g->node, &w->spare);
		w->nspare += !g->home;
		return;
	}
	interp_block_drop(w->ip, g);
}

/* Resident waves that a compute unit can have */
static u32 cu_waves(const struct interp *ip)
{
	const struct gpu_target *t = ip->vg->gdev->target;

	return t->simd_per_cu * t->waves_per_simd;
}

/* A queue with few CUs on this worker may have few waves at a time. */
static bool cus_have_room_locked(const struct interp_worker *w, const struct hw_grid *grid)
{
	const struct interp_queue *iq = to_interp_queue(grid->vq);
	u64 waves = (u64)iq->on_worker[w->index].groups * grid->d.waves;

	return !grid->vq->cu_masked ||
	       waves + grid->d.waves <= interp_cus_of_locked(iq, w) * cu_waves(w->ip);
}

/* A grid of a queue in hw.ready of which @w can take a group now; @more: it has some already. */
static struct hw_grid *grid_of_locked(struct interp_worker *w, struct hw_compute *vq, bool more)
{
	const u32 limit = w->vg->gdev->cu_count * cu_waves(w->ip) /
			  interp_workers_for(w->ip, w->remote);
	const struct interp_share *s = &to_interp_queue(vq)->on_worker[w->index];
	struct hw_grid *grid;

	list_for_each_entry(grid, &vq->waits, node) {
		if (more && (!cus_have_room_locked(w, grid) || s->waves + grid->d.waves > limit))
			continue;
		if (block_possible(w, grid) && interp_scratch_there_locked(grid))
			return grid;
	}
	return NULL;
}

static struct hw_grid *pick_locked(struct interp_worker *w)
{
	struct hw_grid *grid, *first = NULL, *more = NULL, **best;
	unsigned int looks = 0;
	struct hw_compute *vq;

	list_for_each_entry(vq, &w->vg->ready, ready) {
		const struct interp_queue *iq = to_interp_queue(vq);
		const struct interp_share *s = &iq->on_worker[w->index];

		looks++;
		if (iq->remote != w->remote || !interp_cus_of_locked(iq, w) ||
		    (s->groups && s->groups >= s->target))
			continue;
		best = s->groups ? &more : &first;
		if (*best && vq->weight <= (*best)->vq->weight)
			continue;
		grid = grid_of_locked(w, vq, s->groups);
		if (grid)
			*best = grid;
	}
	WRITE_ONCE(w->ip->pick_looks, max(w->ip->pick_looks, looks));
	return first ?: more;
}

/*
 * Claims the next work-group of @grid if that is still the dispatch that was picked: other
 * workers may have finished it meanwhile, and the struct may be in use again.
 */
static bool take_locked(struct interp_worker *w, struct hw_grid *grid, u64 seq,
			struct interp_group *g)
{
	struct interp_queue *iq = to_interp_queue(grid->vq);

	if (!grid->used || grid->seq != seq || grid->aborted || !hw_grid_waits_locked(grid))
		return false;
	g->cu = hw_cu_pick_locked(grid->vq, hw_grid_next_locked(grid));
	g->slot = interp_scratch_find_locked(iq, &grid->d, g->cu);
	if (g->slot == -2)
		return false;
	if (g->slot >= 0)
		bitmap_set(iq->scratch, g->slot, grid->d.waves);
	g->grid = grid;
	g->owner = grid->vq->owner;
	g->index = hw_grid_take_locked(grid);
	grid->resident++;
	list_add_tail(&g->queue_node, &iq->groups);
	iq->block_bytes += g->bytes;
	g->counted = grid->d.waves;
	interp_share_add_locked(w, g);
	return true;
}

/* What all groups of @g's dispatch have in common */
static void grid_of(struct interp_worker *w, struct interp_group *g)
{
	const struct gpu_target *t = w->vg->gdev->target;
	const struct cp_dispatch *d = &g->grid->d;
	struct isa_grid *x = &g->of;
	unsigned int i;

	BUILD_BUG_ON(sizeof(x->user) != sizeof(d->user));
	*x = (struct isa_grid){
		.pc = d->pc,
		.wg_info = d->wg_info, .scratch_offset = d->scratch_offset,
		.lanes = d->lanes, .waves = d->waves, .rows = d->rows, .acc_offset = d->acc_offset,
		.sgprs = d->sgprs, .mode = d->mode, .ids = d->ids, .nuser = d->nuser,
		.scratch_lane_bytes = d->scratch_lane_bytes,
		.scratch_wave_bytes = d->scratch_wave_bytes,
		.shared_base = GPU_LDS_BASE >> 32,
		.private_base = GPU_SCRATCH_BASE >> 32,
		.packet = g->grid->packet, .simds = t->simd_per_cu,
	};
	for (i = 0; i < 3; i++) {
		x->grid[i] = d->grid[i];
		x->groups[i] = d->groups[i];
		x->first[i] = d->first[i];
		x->group[i] = d->group[i];
		x->wg_id[i] = d->wg_id[i];
	}
	memcpy(x->user, d->user, sizeof(x->user));
}

void interp_group_place(const struct interp_worker *w, const struct interp_group *g,
			struct isa_group_place *p)
{
	const struct hw_cu_id *cu = &w->vg->cus[g->cu];

	*p = (struct isa_group_place){
		.index = g->index,
		.scratch_slot = ISA_NO_SCRATCH,
		.cu = { .xcc = cu->xcc, .se = cu->se, .sh = cu->sh, .cu = cu->cu },
	};
	if (g->slot >= 0) {
		p->scratch_slot = interp_scratch_slot(g, 0);
		p->scratch_at = interp_scratch_at(g, 0);
	}
}

/*
 * Lays out the waves in a block. A wave structure is larger than the registers of most waves, so
 * it is initialised only if the block has a different layout.
 */
static void group_lay_out(struct interp_group *g, u64 last_owner)
{
	const struct cp_dispatch *d = &g->grid->d;
	u8 *waves = PTR_ALIGN((u8 *)g->mem, BLOCK_ALIGN);
	u8 *lds = waves + d->waves * wave_bytes();
	u8 *rows = lds + ALIGN(d->lds_bytes + LDS_SLACK, BLOCK_ALIGN);
	size_t row_bytes = d->rows * ROW_BYTES;
	size_t used = rows + d->waves * row_bytes - (u8 *)g->mem;
	u32 i;

	/* A process must not read what another one left in registers or LDS. */
	if (last_owner != g->owner) {
		memset(g->mem, 0, g->used_bytes);
		g->used_bytes = 0;
		g->laid_waves = 0;
	}
	g->used_bytes = max(g->used_bytes, used);
	g->wg.lds_bytes = d->lds_bytes;
	if (g->laid_waves == d->waves && g->laid_rows == d->rows && g->wg.lds == lds &&
	    g->wave_rows == (u32 *)rows)
		return;
	for (i = 0; i < d->waves; i++)
		g->wave[i] = isa_wave_init(waves + i * wave_bytes(),
					   (u32 *)(rows + i * row_bytes), d->rows);
	/* Waves were here, in which there are addresses of the kernel. */
	memset(lds, 0, rows - lds);
	g->wg.lds = lds;
	g->wave_rows = (u32 *)rows;
	g->laid_waves = d->waves;
	g->laid_rows = d->rows;
}

/*
 * Sets the initial state of the waves of group g->index. @next: the block had another group of the
 * same grid before.
 */
static void group_launch(struct interp_worker *w, struct interp_group *g, bool next)
{
	const size_t row_bytes = g->grid->d.rows * ROW_BYTES;
	struct isa_group_place p;
	u32 i;

	if (!next)
		grid_of(w, g);
	interp_group_place(w, g, &p);
	g->nwaves = isa_group_launch(&g->of, &p, w->cu, &g->wg, g->wave, next);
	/* A group at the edge of the grid has fewer waves than one that comes after it may have. */
	if (!next)
		memset((u8 *)g->wave_rows + g->nwaves * row_bytes, 0,
		       (g->of.waves - g->nwaves) * row_bytes);
	g->live = g->nwaves;
	isa_barriers_init(&g->barriers, g->nwaves);
	g->next = ISA_FIRST_TURN;
	g->asleep = false;
	for (i = 0; i < g->nwaves; i++)
		g->state[i] = INTERP_WAVE_RUN;
}

static void group_launched(struct interp_worker *w, const struct interp_group *g)
{
	w->n.groups++;
	w->n.waves += g->nwaves;
}

void interp_group_relaunch(struct interp_worker *w, struct interp_group *g)
{
	group_lay_out(g, 0);
	group_launch(w, g, false);
}

void interp_group_begun(struct interp_worker *w, struct interp_group *g, u64 n)
{
	group_launch(w, g, true);
	w->n.groups += n;
	w->n.waves += n * g->nwaves;
}

/* 1: admitted a group; 0: there is none to admit; -EAGAIN: not of that queue, so look again */
static int admit_one(struct interp_worker *w)
{
	struct hw *vg = w->vg;
	struct interp_group *g = NULL;
	struct hw_grid *grid;
	struct hw_compute *vq;
	u64 last_owner = 0, seq = 0, own = 0;
	bool taken = false;
	size_t bytes = 0;

	spin_lock(&vg->lock);
	grid = pick_locked(w);
	if (grid) {
		hw_queue_hold_locked(&grid->vq->hq);
		seq = grid->seq;
		own = to_interp_queue(grid->vq)->block_bytes;
		bytes = grid_bytes(grid);
	}
	spin_unlock(&vg->lock);
	if (!grid)
		return 0;
	vq = grid->vq;
	g = block_get(w, to_interp_queue(vq), own, bytes);
	if (!IS_ERR_OR_NULL(g)) {
		last_owner = g->owner;
		spin_lock(&vg->lock);
		taken = take_locked(w, grid, seq, g);
		spin_unlock(&vg->lock);
		if (!taken)
			block_put(w, g);
	}
	if (taken) {
		group_lay_out(g, last_owner);
		group_launch(w, g, false);
		group_launched(w, g);
		interp_group_stays(w, g);
	}
	hw_compute_leave(vq);
	return IS_ERR(g) ? PTR_ERR(g) : taken;
}

bool interp_admit(struct interp_worker *w)
{
	bool any = false;
	int ret = 1;

	w->hungry = false;
	/* The process that is charged for a spare block may be gone, or idle. */
	if (w->nspare)
		interp_spare_trim(w, SPARE_JIFFIES);
	/* Without the lock: a new grid is announced by work_seq, after it is in the list. */
	while (ret && !list_empty(&w->vg->ready)) {
		ret = admit_one(w);
		any |= ret > 0;
		/* There may be room for thousands, and nothing else here lets others run. */
		cond_resched();
	}
	return any;
}

/**
 * interp_group_next() - turn a group that has ended into the next one of its grid
 * @w: the worker of the group, in a section, or at the end of one in user mode
 * @g: has no live wave
 *
 * Without this, each group of a few waves costs a section, a block and taking the lock five
 * times. Return: false if there is no next group, or something else has to be done first; then
 * the group has to be retired.
 */
bool interp_group_next(struct interp_worker *w, struct interp_group *g)
{
	struct hw_grid *grid = g->grid;
	struct hw_compute *vq = grid->vq;
	struct hw *vg = w->vg;
	bool more, wake = false;
	unsigned int cu;

	/*
	 * Sections must not sleep, but spinlocks of PREEMPT_RT do. Kernels that check for this
	 * (PROVE_RAW_LOCK_NESTING) do without it, too. The end of a remote one is none.
	 */
	if (!w->remote && (IS_ENABLED(CONFIG_PREEMPT_RT) ||
			   IS_ENABLED(CONFIG_PROVE_RAW_LOCK_NESTING)))
		return false;
	spin_lock(&vg->lock);
	more = !grid->aborted && hw_grid_waits_locked(grid) && hw_queue_running(&vq->hq) &&
	       interp_cus_of_locked(to_interp_queue(vq), w);
	if (more) {
		cu = hw_cu_pick_locked(vq, hw_grid_next_locked(grid));
		more = interp_scratch_move_locked(g, cu);
	}
	if (more) {
		grid->finished++;
		g->index = hw_grid_take_locked(grid);
		g->cu = cu;
		wake = interp_scratch_wakes_locked(grid);
	}
	spin_unlock(&vg->lock);
	if (wake)
		interp_work_kick(w->ip, w->ip->nworkers);
	if (!more)
		return false;
	group_launch(w, g, true);
	group_launched(w, g);
	return true;
}

/* The group leaves its worker; the grid is retired if it was the last one. */
static void group_leave(struct interp_worker *w, struct interp_group *g, bool finished)
{
	struct hw_grid *grid = g->grid;
	struct interp_queue *iq = interp_queue_of(g);
	struct hw *vg = w->vg;
	struct hw_grid_left left;
	bool slots = g->slot >= 0;

	spin_lock(&vg->lock);
	list_del_init(&g->queue_node);
	interp_share_del_locked(w, g);
	iq->block_bytes -= g->bytes;
	if (slots)
		bitmap_clear(iq->scratch, g->slot, grid->d.waves);
	hw_grid_leave_locked(grid, finished, &left);
	spin_unlock(&vg->lock);
	hw_grid_left(vg, &w->vmw, grid, &left);
	if (slots && !left.drained)
		interp_work_kick(w->ip, w->ip->nworkers);
}

void interp_group_retire(struct interp_worker *w, struct interp_group *g, bool finished)
{
	list_del_init(&g->node);
	list_del_init(&g->turn_node);
	w->nresident--;
	group_leave(w, g, finished);
	block_put(w, g);
}

/* Not while waves of the queue are saved or loaded; whoever does that kicks us afterwards. */
static bool may_drop(struct interp_worker *w, struct interp_group *g)
{
	bool may;

	spin_lock(&w->vg->lock);
	may = !interp_queue_of(g)->moving;
	if (may)
		list_del_init(&g->queue_node);
	spin_unlock(&w->vg->lock);
	return may;
}

static void drop_aborted(struct interp_worker *w, struct list_head *groups)
{
	struct interp_group *g, *tmp;

	list_for_each_entry_safe(g, tmp, groups, node)
		if (g != w->turn.g && READ_ONCE(g->grid->aborted) && may_drop(w, g))
			interp_group_retire(w, g, false);
}

void interp_drop_aborted(struct interp_worker *w)
{
	drop_aborted(w, &w->resident);
	drop_aborted(w, &w->asleep);
}
