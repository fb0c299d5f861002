// SPDX-License-Identifier: MIT
/*
 * Launching a kernel: the argument block, the hidden arguments, the dispatch packet.
 */
#include <errno.h>
#include <string.h>

#include "aql_int.h"

#define MAX_GROUP	1024u		/* work-items; what every GFX9 and later GPU takes */

/* A launch with everything worked out. */
struct shape {
	uint32_t grid[3];
	uint16_t group[3];
	uint16_t dims;
	uint32_t group_bytes;		/* in all */
	uint32_t dynamic_bytes;		/* of it: added by the launch */
};

static int take_shape(struct shape *s, const struct aql_kernel_info *k,
		      const struct aql_launch *l)
{
	uint32_t flat = 1;

	s->dims = 1;
	for (int i = 0; i < 3; i++) {
		if (!i && (!l->grid[0] || !l->group[0]))
			return -EINVAL;
		s->grid[i] = l->grid[i] ? l->grid[i] : 1;
		s->group[i] = l->group[i] ? l->group[i] : 1;
		if (s->grid[i] > 1 || s->group[i] > 1)
			s->dims = i + 1;
		flat *= s->group[i];
		if (flat > MAX_GROUP)
			return -EINVAL;
	}
	if (k->max_group && flat > k->max_group)
		return -EINVAL;
	for (int i = 0; i < 3 && k->reqd_group[0]; i++)
		if (s->group[i] != k->reqd_group[i])
			return -EINVAL;
	return 0;
}

/* Explicit arguments; group memory asked for by arguments is laid out behind the fixed part. */
static int put_args(char *block, const struct meta_kernel *m, const void *const *args,
		    struct shape *s)
{
	uint64_t at = m->info.group_bytes;
	uint32_t bytes;

	for (uint32_t i = 0; i < m->info.nr_args; i++) {
		const struct aql_arg_info *a = &m->info.args[i];
		uint64_t align = m->local_align[i] ? m->local_align[i] : 16;

		if (!args[i])
			return -EINVAL;
		if (a->kind != AQL_ARG_LOCAL) {
			memcpy(block + a->offset, args[i], a->size);
			continue;
		}
		memcpy(&bytes, args[i], sizeof(bytes));
		at = (at + align - 1) / align * align;
		if (at > UINT32_MAX || a->size > sizeof(at))
			return -EINVAL;
		memcpy(block + a->offset, &at, a->size);
		at += bytes;
	}
	if (at > UINT32_MAX)
		return -EINVAL;
	s->dynamic_bytes += at - m->info.group_bytes;
	return 0;
}

static uint64_t hidden_value(enum hidden_kind kind, const struct aql_queue *q,
			     const struct shape *s)
{
	switch (kind) {
	case HIDDEN_COUNT_X: case HIDDEN_COUNT_Y: case HIDDEN_COUNT_Z: {
		int i = kind - HIDDEN_COUNT_X;

		/* whole work-groups; what is left over is the remainder below */
		return s->grid[i] / s->group[i];
	}
	case HIDDEN_GROUP_X: case HIDDEN_GROUP_Y: case HIDDEN_GROUP_Z:
		return s->group[kind - HIDDEN_GROUP_X];
	case HIDDEN_REMAINDER_X: case HIDDEN_REMAINDER_Y: case HIDDEN_REMAINDER_Z: {
		int i = kind - HIDDEN_REMAINDER_X;

		return s->grid[i] % s->group[i];
	}
	case HIDDEN_DIMS:
		return s->dims;
	case HIDDEN_DYNAMIC_LDS:
		return s->dynamic_bytes;
	case HIDDEN_PRIVATE_BASE:
		return q->dev->private_base >> 32;
	case HIDDEN_SHARED_BASE:
		return q->dev->lds_base >> 32;
	case HIDDEN_QUEUE_PTR:
		return (uintptr_t)q->block;
	default:
		return 0;
	}
}

static void put_hidden(char *block, const struct meta_kernel *m, const struct aql_queue *q,
		       const struct shape *s)
{
	for (uint32_t i = 0; i < m->nr_hidden; i++) {
		uint64_t v = hidden_value(m->hidden[i].kind, q, s);

		memcpy(block + m->hidden[i].offset, &v, m->hidden[i].size);
	}
}

static int fill_block(struct aql_queue *q, const struct meta_kernel *m, const void *const *args,
		      struct shape *s, void **block)
{
	int err;

	*block = NULL;
	if (!m->info.kernarg_bytes)
		return 0;
	err = aql_kernarg_get(q, m->info.kernarg_bytes, block);
	if (err)
		return err;
	memset(*block, 0, m->info.kernarg_bytes);
	err = put_args(*block, m, args, s);
	if (!err)
		put_hidden(*block, m, q, s);
	return err;
}

/* More private memory than the queue has: nothing may run while it is exchanged. */
static int ensure_scratch(struct aql_queue *q, uint32_t private_bytes)
{
	int err;

	if (private_bytes <= q->block->scratch_lane_bytes)
		return 0;
	err = aql_drain_locked(q);
	return err ? err : aql_scratch_grow(q, private_bytes);
}

static int launch_locked(struct aql_queue *q, const struct aql_kernel *kernel,
			 const struct aql_launch *launch, struct shape *s,
			 const void *const *args, struct aql_signal *done)
{
	const struct aql_kernel_info *k = &kernel->meta->info;
	struct aql_dispatch_packet *p;
	uint16_t header;
	char *slot;
	void *block;
	int err;

	if (q->error)
		return -EIO;
	err = ensure_scratch(q, k->private_bytes);
	if (err)
		return err;
	err = fill_block(q, kernel->meta, args, s, &block);
	if (err)
		return err;
	s->group_bytes = k->group_bytes + s->dynamic_bytes;
	if (s->group_bytes < k->group_bytes || s->group_bytes > q->dev->info.lds_bytes)
		return -EINVAL;

	err = aql_slot_locked(q, &slot);
	if (err)
		return err;
	p = (struct aql_dispatch_packet *)slot;
	for (int i = 0; i < 3; i++) {
		p->group[i] = s->group[i];
		p->grid[i] = s->grid[i];
	}
	p->rsvd0 = 0;
	p->private_bytes = k->private_bytes;
	p->group_bytes = s->group_bytes;
	p->kernel_object = kernel->object;
	p->kernarg = (uintptr_t)block;
	p->rsvd1 = 0;
	p->completion = done ? (uintptr_t)done->sig : 0;
	header = AQL_PACKET_DISPATCH | (launch->no_barrier ? 0 : AQL_HEADER_BARRIER) |
		 AQL_HEADER_ACQUIRE(AQL_SCOPE_SYSTEM) | AQL_HEADER_RELEASE(AQL_SCOPE_SYSTEM);
	aql_publish_locked(q, slot, header, s->dims);
	return 0;
}

/**
 * aql_dispatch() - run a kernel
 * @queue: where
 * @kernel: what
 * @launch: its shape
 * @args: a pointer to the value of each explicit argument, in order: the bytes of a value, the
 *	address of a buffer (so a pointer to a pointer), the uint32_t size of local memory
 * @nr_args: how many; must be what the kernel has
 * @done: decremented when it has run; may be NULL
 *
 * The values are copied; hidden arguments are filled in.  Without @launch->no_barrier the kernel
 * starts after all packets before it have completed.
 *
 * Return: 0; -EINVAL for a shape or arguments the kernel cannot have; -ENOMEM; or the error that
 * stopped the queue.
 */
AQL_API int aql_dispatch(struct aql_queue *queue, const struct aql_kernel *kernel,
			 const struct aql_launch *launch, const void *const *args,
			 unsigned int nr_args, struct aql_signal *done)
{
	const struct aql_kernel_info *k;
	struct shape s = { 0 };
	int err;

	if (!queue || !kernel || !launch || kernel->code->dev != queue->dev)
		return -EINVAL;
	k = &kernel->meta->info;
	if (nr_args != k->nr_args || (nr_args && !args))
		return -EINVAL;
	err = take_shape(&s, k, launch);
	if (err)
		return err;
	s.dynamic_bytes = launch->group_bytes;

	aql_queue_lock(queue);
	err = launch_locked(queue, kernel, launch, &s, args, done);
	aql_queue_unlock(queue);
	return err;
}
