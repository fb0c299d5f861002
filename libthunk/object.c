// SPDX-License-Identifier: MIT
/*
 * Two arrays of the same objects, sorted by GPU and by CPU address.  Ranges in the CPU array
 * may overlap (the same pages registered twice), which is why a search looks back as far as the
 * largest object could reach.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

enum { BY_VA, BY_CPU, NR_INDEX };

static struct {
	struct mem_object **v;
	size_t n, room;
	uint64_t largest;		/* never shrinks: a bound is all it has to be */
} idx[NR_INDEX];

static uint64_t start_of(int by, const struct mem_object *o)
{
	return by == BY_VA ? o->va : o->cpu;
}

static uint64_t size_of(int by, const struct mem_object *o)
{
	return by == BY_VA ? o->size : o->cpu_size;
}

/* The first position whose start is greater than @addr. */
static size_t upper(int by, uint64_t addr)
{
	size_t lo = 0, hi = idx[by].n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (start_of(by, idx[by].v[mid]) <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct mem_object *find(int by, uint64_t addr)
{
	for (size_t i = upper(by, addr); i-- > 0; ) {
		struct mem_object *o = idx[by].v[i];
		uint64_t start = start_of(by, o);

		if (addr - start < size_of(by, o))
			return o;
		if (addr - start >= idx[by].largest)
			break;
	}
	return NULL;
}

struct mem_object *obj_new(void)
{
	return calloc(1, sizeof(struct mem_object));
}

void obj_free(struct mem_object *o)
{
	free(o->registered.v);
	free(o->mapped.v);
	free(o->reg_nodes.v);
	free(o->map_nodes.v);
	free(o->metadata);
	free(o);
}

static int reserve_slot(int by)
{
	struct mem_object **v;
	size_t room;

	if (idx[by].n < idx[by].room)
		return 0;
	room = idx[by].room ? idx[by].room * 2 : 64;
	v = realloc(idx[by].v, room * sizeof(*v));
	if (!v)
		return -ENOMEM;
	idx[by].v = v;
	idx[by].room = room;
	return 0;
}

int obj_insert(struct mem_object *o)
{
	for (int by = 0; by < NR_INDEX; by++)
		if (reserve_slot(by))
			return -ENOMEM;
	for (int by = 0; by < NR_INDEX; by++) {
		size_t at = upper(by, start_of(by, o));

		memmove(&idx[by].v[at + 1], &idx[by].v[at], (idx[by].n - at) * sizeof(o));
		idx[by].v[at] = o;
		idx[by].n++;
		if (size_of(by, o) > idx[by].largest)
			idx[by].largest = size_of(by, o);
	}
	return 0;
}

void obj_remove(struct mem_object *o)
{
	for (int by = 0; by < NR_INDEX; by++) {
		for (size_t i = upper(by, start_of(by, o)); i-- > 0; ) {
			if (idx[by].v[i] != o)
				continue;
			memmove(&idx[by].v[i], &idx[by].v[i + 1],
				(--idx[by].n - i) * sizeof(o));
			break;
		}
	}
}

/* By the CPU's address first: that is what callers have in hand. */
struct mem_object *obj_find(const void *addr)
{
	struct mem_object *o = find(BY_CPU, (uintptr_t)addr);

	return o ? o : find(BY_VA, (uintptr_t)addr);
}

struct mem_object *obj_find_exact(const void *addr)
{
	for (int by = NR_INDEX - 1; by >= 0; by--) {
		size_t i = upper(by, (uintptr_t)addr);

		if (i && start_of(by, idx[by].v[i - 1]) == (uintptr_t)addr)
			return idx[by].v[i - 1];
	}
	return NULL;
}

struct mem_object *obj_first_in(uint64_t va, uint64_t size)
{
	size_t i;

	if (find(BY_VA, va))
		return find(BY_VA, va);
	i = upper(BY_VA, va);
	if (i < idx[BY_VA].n && idx[BY_VA].v[i]->va - va < size)
		return idx[BY_VA].v[i];
	return NULL;
}

bool obj_overlaps(uint64_t va, uint64_t size)
{
	return obj_first_in(va, size) != NULL;
}

void obj_forget_all(void)
{
	for (size_t i = 0; i < idx[BY_VA].n; i++)
		obj_free(idx[BY_VA].v[i]);
	for (int by = 0; by < NR_INDEX; by++) {
		free(idx[by].v);
		memset(&idx[by], 0, sizeof(idx[by]));
	}
}

int ids_set(struct id_list *l, const uint32_t *v, uint32_t n)
{
	uint32_t *copy = NULL;

	if (n) {
		copy = malloc(n * sizeof(*copy));
		if (!copy)
			return -ENOMEM;
		memcpy(copy, v, n * sizeof(*copy));
	}
	free(l->v);
	l->v = copy;
	l->n = n;
	return 0;
}

int ids_add(struct id_list *l, uint32_t id)
{
	uint32_t *v = realloc(l->v, (l->n + 1) * sizeof(*v));

	if (!v)
		return -ENOMEM;
	l->v = v;
	l->v[l->n++] = id;
	return 0;
}

void ids_del(struct id_list *l, uint32_t id)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		if (l->v[i] != id)
			l->v[n++] = l->v[i];
	l->n = n;
}

bool ids_have(const struct id_list *l, uint32_t id)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->v[i] == id)
			return true;
	return false;
}

int ids_to_nodes(struct id_list *nodes, const struct id_list *gpus)
{
	int err = ids_set(nodes, gpus->v, gpus->n);

	for (uint32_t i = 0; !err && i < gpus->n; i++) {
		const struct thunk_gpu *gpu = thunk_gpu_by_id(gpus->v[i]);

		nodes->v[i] = gpu ? gpu->node : INVALID_NODEID;
	}
	return err;
}
