// SPDX-License-Identifier: MIT
/*
 * Queues: making one, putting packets into it, and looking after it when it stops.
 *
 * Submitting: the packet's body is written, the write index is advanced, the header is stored
 * with release, and the doorbell gets the index.  That is all: stores and a fence.  Only queues
 * of several producers take a lock for it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aql_int.h"

#define PACKETS_MIN	16u		/* the kernel's smallest ring is 1 KiB */
#define PACKETS_MAX	(1u << 20)
#define ROOM_SPINS	10000u		/* before a waiter for room gives up the CPU */

static void init_block(struct aql_queue *q)
{
	const struct aql_dev *dev = q->dev;
	struct amd_queue *b = q->block;

	b->features = 1;
	b->base = (uintptr_t)q->ring;
	b->size = q->packets;
	b->group_aperture_hi = dev->lds_base >> 32;
	b->private_aperture_hi = dev->private_base >> 32;
	b->max_cu_id = dev->info.cu_count - 1;
	b->max_wave_id = dev->info.waves_per_simd * dev->info.simd_per_cu - 1;
	b->read_id_offset = offsetof(struct amd_queue, read_dispatch_id);
	b->properties = AMD_QUEUE_PTR64 | AMD_QUEUE_PROFILING;
	b->inactive_signal = (uintptr_t)q->inactive->sig;
}

static int make_arena(struct aql_queue *q)
{
	void *p;
	int err = aql_alloc(q->dev, ARENA_SEGMENTS * ARENA_BYTES, AQL_MEM_HOST, &p);

	if (err)
		return err;
	q->arena.mem = p;
	for (unsigned int i = 0; i < ARENA_SEGMENTS && !err; i++)
		err = aql_signal_create(q->dev, 0, AQL_SIGNAL_POLL, &q->arena.done[i]);
	return err;
}

static int make_buffers(struct aql_queue *q)
{
	HsaMemFlags f = { .ui32 = { .HostAccess = 1, .ExecuteAccess = 1 } };
	uint16_t *header;
	void *p;
	int err;

	err = aql_alloc_flags(q->dev, 0, (size_t)q->packets * AQL_PACKET_BYTES, f, &p);
	if (err)
		return err;
	q->ring = p;
	for (uint32_t i = 0; i < q->packets; i++) {
		header = (uint16_t *)(q->ring + (size_t)i * AQL_PACKET_BYTES);
		*header = AQL_PACKET_INVALID;
	}
	f.Value = 0;
	f.ui32.HostAccess = 1;
	f.ui32.Uncached = 1;
	err = aql_alloc_flags(q->dev, 0, AQL_PAGE, f, &p);
	if (err)
		return err;
	q->block = p;
	err = aql_signal_create(q->dev, 0, 0, &q->inactive);
	if (!err)
		err = aql_signal_create(q->dev, 0, AQL_SIGNAL_POLL, &q->doorbell_slot);
	return err ? err : make_arena(q);
}

static int start(struct aql_queue *q)
{
	HSAKMT_STATUS status;

	init_block(q);
	q->res.Queue_write_ptr_aql = &q->block->write_dispatch_id;
	q->res.Queue_read_ptr_aql = &q->block->read_dispatch_id;
	status = hsaKmtCreateQueue(q->dev->node, HSA_QUEUE_COMPUTE_AQL, 100,
				   HSA_QUEUE_PRIORITY_NORMAL, q->ring,
				   (uint64_t)q->packets * AQL_PACKET_BYTES, NULL, &q->res);
	if (status != HSAKMT_STATUS_SUCCESS) {
		q->res.QueueId = 0;
		return aql_status(status);
	}
	q->doorbell = (volatile uint64_t *)q->res.Queue_DoorBell_aql;
	q->doorbell_slot->sig->kind = AMD_SIGNAL_DOORBELL;
	q->doorbell_slot->sig->doorbell = q->doorbell;
	q->doorbell_slot->sig->queue = (uintptr_t)q->block;
	q->block->doorbell_signal = (uintptr_t)q->doorbell_slot->sig;
	q->block->id = q->res.QueueId;
	return 0;
}

/**
 * aql_queue_create() - make a queue
 * @packets: room for this many, a power of two from 16 to 1048576
 * @queue: the handle
 *
 * Return: 0, -EINVAL for a size that is none, or another negative errno.
 */
AQL_API int aql_queue_create(struct aql_dev *dev, unsigned int packets, struct aql_queue **queue)
{
	struct aql_queue *q;
	int err;

	if (!queue || packets < PACKETS_MIN || packets > PACKETS_MAX || (packets & (packets - 1)))
		return -EINVAL;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	pthread_mutex_init(&q->lock, NULL);
	q->dev = dev;
	q->packets = packets;
	err = make_buffers(q);
	if (!err)
		err = start(q);
	if (err) {
		aql_queue_destroy(q);
		return err;
	}
	*queue = q;
	return 0;
}

/**
 * aql_queue_single_producer() - promise that one thread at a time uses the queue
 *
 * Spares each submission the lock, as HSA_QUEUE_TYPE_SINGLE does.  To be called before the first
 * packet; a queue is one of several producers otherwise.
 */
AQL_API void aql_queue_single_producer(struct aql_queue *queue)
{
	queue->single = true;
}

/**
 * aql_queue_destroy() - stop a queue and free it
 *
 * Packets that have not finished are dropped; their signals do not change any more.
 */
AQL_API void aql_queue_destroy(struct aql_queue *queue)
{
	if (!queue)
		return;
	if (queue->res.QueueId)
		hsaKmtDestroyQueue(queue->res.QueueId);
	for (unsigned int i = 0; i < ARENA_SEGMENTS; i++)
		aql_signal_destroy(queue->arena.done[i]);
	aql_signal_destroy(queue->inactive);
	aql_signal_destroy(queue->doorbell_slot);
	aql_free(queue->dev, queue->arena.mem);
	aql_free(queue->dev, queue->scratch);
	aql_free(queue->dev, queue->block);
	aql_free(queue->dev, queue->ring);
	pthread_mutex_destroy(&queue->lock);
	free(queue);
}

/**
 * aql_queue_get_info() - where a queue is and how far it has come
 */
AQL_API void aql_queue_get_info(const struct aql_queue *queue, struct aql_queue_info *info)
{
	info->ring = queue->ring;
	info->packets = queue->packets;
	info->doorbell = queue->doorbell;
	info->write_index = __atomic_load_n(&queue->block->write_dispatch_id, __ATOMIC_ACQUIRE);
	info->read_index = __atomic_load_n(&queue->block->read_dispatch_id, __ATOMIC_ACQUIRE);
}

/* ---- when the GPU has stopped ---- */

/*
 * Look whether the GPU stopped the queue.  Too little scratch is put right here: the packet is
 * still in the ring, and the GPU takes it again once the signal is 0.  Anything else is for good.
 */
int aql_queue_service(struct aql_queue *q)
{
	struct amd_signal *s = q->inactive->sig;
	const struct aql_dispatch_packet *p;
	uint64_t code, read;
	int err;

	if (q->error)
		return -EIO;
	code = __atomic_load_n(&s->value, __ATOMIC_ACQUIRE);
	if (!code)
		return 0;
	if (code != QUEUE_ERR_SCRATCH64 && code != QUEUE_ERR_SCRATCH32) {
		q->error = code;
		return -EIO;
	}
	read = __atomic_load_n(&q->block->read_dispatch_id, __ATOMIC_ACQUIRE);
	p = (const void *)(q->ring + (read & (q->packets - 1)) * AQL_PACKET_BYTES);
	/* It had that much: asking again would go on for ever. */
	err = p->private_bytes <= q->block->scratch_lane_bytes ? -E2BIG :
	      aql_scratch_grow(q, p->private_bytes);
	if (err) {
		q->error = code;
		return err;
	}
	__atomic_store_n(&s->value, 0, __ATOMIC_RELEASE);
	/* in case the GPU does not watch the signal while it is stopped */
	*q->doorbell = q->write - 1;
	return 0;
}

/* One step of waiting with the lock held. */
static int pause_locked(struct aql_queue *q, unsigned int *turn)
{
	const struct timespec nap = { .tv_nsec = 50000 };
	int err;

	if (++*turn < ROOM_SPINS) {
		__builtin_ia32_pause();
		return 0;
	}
	err = aql_queue_service(q);
	if (!err && !(*turn & 0xff))
		err = aql_dev_fault(q->dev, NULL);
	if (err)
		return err;
	nanosleep(&nap, NULL);
	return 0;
}

int aql_wait_locked(struct aql_queue *q, const struct aql_signal *signal)
{
	unsigned int turn = 0;
	int err = 0;

	while (!err && aql_signal_load(signal) > 0)
		err = pause_locked(q, &turn);
	return err;
}

static int wait_room(struct aql_queue *q)
{
	const uint64_t *read = &q->block->read_dispatch_id;
	unsigned int turn = 0;
	int err = 0;

	while (!err && q->write - q->read >= q->packets) {
		err = pause_locked(q, &turn);
		q->read = __atomic_load_n(read, __ATOMIC_ACQUIRE);
	}
	return err;
}

/* ---- submitting ---- */

static char *slot_at(const struct aql_queue *q, uint64_t index)
{
	return q->ring + (index & (q->packets - 1)) * AQL_PACKET_BYTES;
}

/* The slot of the next packet, if there is room for it; looks at the GPU's index itself. */
static __attribute__((noinline)) int slot_slow(struct aql_queue *q, char **slot)
{
	int err;

	q->read = __atomic_load_n(&q->block->read_dispatch_id, __ATOMIC_ACQUIRE);
	if (q->write - q->read >= q->packets) {
		err = wait_room(q);
		if (err)
			return err;
	}
	*slot = slot_at(q, q->write);
	return 0;
}

/*
 * The next slot, to be filled from its fourth byte on and then published.  Until then its header
 * says that there is nothing, whatever the doorbell said.
 */
int aql_slot_locked(struct aql_queue *q, char **slot)
{
	/* the GPU's index is looked at only when the last look is used up */
	if (q->write - q->read >= q->packets)
		return slot_slow(q, slot);
	*slot = slot_at(q, q->write);
	return 0;
}

/* The caller's packet may lie anywhere. */
static inline uint64_t load64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void ring_locked(struct aql_queue *q, uint64_t at)
{
	__builtin_ia32_sfence();
	*q->doorbell = at;
}

void aql_publish_locked(struct aql_queue *q, char *slot, uint16_t header, uint16_t setup)
{
	uint64_t at = q->write++;

	__atomic_store_n(&q->block->write_dispatch_id, at + 1, __ATOMIC_RELAXED);
	__atomic_store_n((uint32_t *)slot, header | (uint32_t)setup << 16, __ATOMIC_RELEASE);
	ring_locked(q, at);
}

/* Aligned words, and the header with the last of them: what a packet costs is these stores. */
static inline int submit_locked(struct aql_queue *q, const void *packet, uint16_t header,
				uint16_t setup)
{
	const uint64_t *from = packet;
	uint64_t at, *to;
	char *slot;
	int err = aql_slot_locked(q, &slot);

	if (err)
		return err;
	to = (uint64_t *)slot;
	for (unsigned int i = 1; i < AQL_PACKET_BYTES / 8; i++)
		to[i] = load64(from + i);
	at = q->write++;
	__atomic_store_n(&q->block->write_dispatch_id, at + 1, __ATOMIC_RELAXED);
	__atomic_store_n(to, (load64(from) & ~0xffffffffull) | header | (uint32_t)setup << 16,
			 __ATOMIC_RELEASE);
	ring_locked(q, at);
	return 0;
}

static uint16_t make_header(enum aql_packet_type type, bool barrier)
{
	return type | (barrier ? AQL_HEADER_BARRIER : 0) | AQL_HEADER_ACQUIRE(AQL_SCOPE_SYSTEM) |
	       AQL_HEADER_RELEASE(AQL_SCOPE_SYSTEM);
}

/* Put in a marker that completes after everything before it. */
static int mark_locked(struct aql_queue *q, struct aql_signal *done)
{
	struct aql_barrier_packet p = { .completion = (uintptr_t)done->sig };

	aql_signal_store(done, 1);
	return submit_locked(q, &p, make_header(AQL_PACKET_BARRIER_AND, true), 0);
}

/* Wait until all that was submitted has completed. */
int aql_drain_locked(struct aql_queue *q)
{
	struct aql_signal *done;
	int err = aql_signal_create(q->dev, 1, AQL_SIGNAL_POLL, &done);

	if (err)
		return err;
	err = mark_locked(q, done);
	if (!err)
		err = aql_wait_locked(q, done);
	/* after an error the packet may still complete some day: leave it its signal */
	if (!err)
		aql_signal_destroy(done);
	return err;
}

/* An argument block that stays until the packet submitted next has completed. */
int aql_kernarg_get(struct aql_queue *q, size_t bytes, void **block)
{
	struct kernarg_arena *a = &q->arena;
	int err;

	bytes = (bytes + 63) & ~63ul;
	if (bytes > ARENA_BYTES)
		return -E2BIG;
	if (a->pos + bytes > ARENA_BYTES) {
		err = mark_locked(q, a->done[a->cur]);
		if (err)
			return err;
		a->busy[a->cur] = true;
		a->cur = (a->cur + 1) % ARENA_SEGMENTS;
		a->pos = 0;
		if (a->busy[a->cur]) {
			err = aql_wait_locked(q, a->done[a->cur]);
			if (err)
				return err;
			a->busy[a->cur] = false;
		}
	}
	*block = a->mem + a->cur * ARENA_BYTES + a->pos;
	a->pos += bytes;
	return 0;
}

/**
 * aql_submit_raw() - put a packet into a queue as it is
 * @packet: 64 bytes; the first two are taken from @header
 * @header: type, barrier bit and fences
 *
 * For packets that the library has no function for, and for trying out wrong ones.
 *
 * Return: 0, or the error that stopped the queue.
 */
AQL_API int aql_submit_raw(struct aql_queue *queue, const void *packet, uint16_t header)
{
	uint16_t setup;
	int err;

	memcpy(&setup, (const char *)packet + 2, sizeof(setup));
	aql_queue_lock(queue);
	err = submit_locked(queue, packet, header, setup);
	aql_queue_unlock(queue);
	return err;
}

/**
 * aql_barrier() - a packet that waits for signals, and for all packets before it
 * @deps: signals that must be 0; more than five take several packets
 * @nr_deps: how many, may be 0
 * @any: one of them is enough (then five at most)
 * @done: decremented when the barrier is passed; may be NULL
 *
 * Return: 0, -EINVAL, -E2BIG, or the error that stopped the queue.
 */
AQL_API int aql_barrier(struct aql_queue *queue, struct aql_signal *const *deps,
			unsigned int nr_deps, bool any, struct aql_signal *done)
{
	const enum aql_packet_type type = any ? AQL_PACKET_BARRIER_OR : AQL_PACKET_BARRIER_AND;
	unsigned int at = 0;
	int err = 0;

	if (nr_deps && !deps)
		return -EINVAL;
	if (any && nr_deps > AQL_BARRIER_DEPS)
		return -E2BIG;
	aql_queue_lock(queue);
	do {
		struct aql_barrier_packet p = { 0 };

		for (unsigned int i = 0; i < AQL_BARRIER_DEPS && at < nr_deps; i++)
			p.dep[i] = (uintptr_t)deps[at++]->sig;
		if (at == nr_deps && done)
			p.completion = (uintptr_t)done->sig;
		err = submit_locked(queue, &p, make_header(type, true), 0);
	} while (!err && at < nr_deps);
	aql_queue_unlock(queue);
	return err;
}
