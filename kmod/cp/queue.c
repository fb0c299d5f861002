// SPDX-License-Identifier: GPL-2.0-only
/*
 * The code common to all kinds of queues, and the AQL ring: which packet is next, when
 * its slot is given back, when the queue stops.
 *
 * Doorbells are hints. They are RAM, so if two producers ring 5 and then 3, we may see
 * only the 3. Therefore any change of the value opens the ring up to write_dispatch_id
 * as well, and the header of a packet (INVALID until it is published) tells whether the
 * packet is there. Packets behind an unpublished one need no polling, because its
 * producer rings after publishing.
 *
 * Errors stop the queue in order: only after all packets ahead of the one at fault have
 * finished, so that read_dispatch_id points to it.
 */
#include "cp_int.h"

#define AMD_QUEUE_INACTIVE_SIGNAL	192

static bool aql_set_ring(struct cp_queue *q, u64 ring_va, u32 ring_bytes)
{
	if (ring_va % CP_PACKET_BYTES || ring_bytes < CP_PACKET_BYTES ||
	    (ring_bytes & (ring_bytes - 1)))
		return false;
	q->ring_va = ring_va;
	q->ring_packets = ring_bytes / CP_PACKET_BYTES;
	return true;
}

static int aql_init(struct cp_queue *q)
{
	if (q->rptr_va % 8 || q->wptr_va % 8)
		return -EINVAL;
	/* Only with ROCr's amd_queue_t are error signal and scratch next to the indices. */
	if (q->rptr_va - CP_AMD_QUEUE_READ_ID == q->wptr_va - CP_AMD_QUEUE_WRITE_ID &&
	    q->rptr_va >= CP_AMD_QUEUE_READ_ID)
		q->amd_queue_va = q->rptr_va - CP_AMD_QUEUE_READ_ID;
	return 0;
}

int cp_queue_init(struct cp_queue *q, const struct gpu_target *target, enum cp_kind kind,
		  u64 ring_va, u32 ring_bytes, u64 rptr_va, u64 wptr_va)
{
	memset(q, 0, sizeof(*q));
	q->target = target;
	q->ops = kind == CP_KIND_AQL ? &cp_aql_queue_ops : &cp_pm4_queue_ops;
	q->rptr_va = rptr_va;
	q->wptr_va = wptr_va;
	q->doorbell = ~0ull;
	cp_pm4_init(q);
	if (!q->ops->set_ring(q, ring_va, ring_bytes))
		return -EINVAL;
	return q->ops->init(q);
}

/* Uses another ring with the same indices. The owner keeps all other callers out. */
int cp_queue_move(struct cp_queue *q, u64 ring_va, u32 ring_bytes)
{
	return q->ops->set_ring(q, ring_va, ring_bytes) ? 0 : -EINVAL;
}

u64 cp_queue_in_flight(const struct cp_queue *q)
{
	return q->ops->in_flight(q) + cp_pm4_in_flight(q);
}

bool cp_queue_busy(const struct cp_queue *q)
{
	return cp_queue_in_flight(q) || q->ops->pending(q);
}

static u64 aql_in_flight(const struct cp_queue *q)
{
	/* Pairs with cp_packet_finish(): the packet's writes are visible. */
	return q->next - smp_load_acquire(&q->finished);
}

static bool aql_pending(const struct cp_queue *q)
{
	return (s64)(q->limit - q->next) > 0;
}

static u64 aql_slot_va(const struct cp_queue *q, u64 index)
{
	return q->ring_va + (index & (q->ring_packets - 1)) * CP_PACKET_BYTES;
}

static void aql_raise_limit(struct cp_queue *q, u64 limit)
{
	if ((s64)(limit - q->limit) > 0)
		q->limit = limit;
}

enum cp_status cp_queue_fault(struct cp_queue *q)
{
	q->state = CP_STATE_FAULT;
	return CP_ERROR;
}

static int aql_doorbell(struct cp_queue *q, struct cp_env *env, u64 value)
{
	u64 written;
	int err;

	err = env->ops->read64(env, q->wptr_va, &written);
	if (err)
		return err;
	aql_raise_limit(q, value + 1);
	aql_raise_limit(q, written);
	return 0;
}

bool cp_queue_ring(struct cp_queue *q, struct cp_env *env, u64 value)
{
	if (q->state == CP_STATE_ERROR || q->state == CP_STATE_FAULT)
		return false;
	if (value != q->doorbell) {
		q->doorbell = value;
		if (q->ops->doorbell(q, env, value)) {
			cp_queue_fault(q);
			return true;
		}
	}
	return q->ops->pending(q);
}

enum cp_status cp_queue_fail(struct cp_queue *q, struct cp_env *env, u32 code)
{
	u64 signal = 0;

	if (q->amd_queue_va &&
	    env->ops->read64(env, q->amd_queue_va + AMD_QUEUE_INACTIVE_SIGNAL, &signal))
		return cp_queue_fault(q);
	if (signal % 8)
		signal = 0;
	q->error = code;
	q->inactive_signal = signal;
	q->state = code == CP_ERR_SCRATCH && signal ? CP_STATE_SCRATCH :
						      CP_STATE_ERROR;
	if (cp_signal_store(env, signal, code))
		return cp_queue_fault(q);
	if (q->state == CP_STATE_SCRATCH) {
		q->polling = true;
		return CP_BLOCKED;
	}
	env->ops->error(env, q, code);
	return CP_ERROR;
}

/* After an insufficient-scratch stop, the runtime enlarges the scratch and stores 0. */
static enum cp_status aql_scratch_wait(struct cp_queue *q, struct cp_env *env)
{
	u64 value;

	if (env->ops->read64(env, q->inactive_signal + CP_SIGNAL_VALUE, &value))
		return cp_queue_fault(q);
	if (value) {
		q->polling = true;
		return CP_BLOCKED;
	}
	q->state = CP_STATE_RUN;
	q->error = 0;
	return CP_PROGRESS;
}

static enum cp_status aql_consume(struct cp_queue *q, struct cp_env *env,
				  const struct cp_aql_packet *p,
				  const struct cp_outcome *out)
{
	struct cp_done done = {
		.index = q->next,
		.signal = p->completion_signal,
		.start = q->packet_start,
	};

	q->header = p->header;
	q->next++;
	q->packet_start = 0;
	q->seen = 0;
	if (out->async)
		return CP_PROGRESS;
	done.end = env->ops->clock(env);
	if (env->ops->complete(env, q, &done))
		return cp_queue_fault(q);
	return CP_PROGRESS;
}

/* Does the packet wait here for those before it? */
static bool aql_must_wait(const struct cp_queue *q, u16 header)
{
	return (header & CP_AQL_BARRIER) && cp_queue_in_flight(q) &&
	       !(q->orders && CP_AQL_TYPE(header) == CP_AQL_DISPATCH);
}

/* Copies, checks and executes the published packet at q->next. */
static enum cp_status aql_step_packet(struct cp_queue *q, struct cp_env *env,
				      u16 header)
{
	struct cp_outcome out = { .status = CP_PROGRESS };
	struct cp_aql_packet p;

	if (aql_must_wait(q, header))
		return CP_BLOCKED;
	if (env->ops->read(env, aql_slot_va(q, q->next), &p, sizeof(p)))
		return cp_queue_fault(q);
	p.header = header;
	if (!q->packet_start)
		q->packet_start = env->ops->clock(env);
	if (p.completion_signal % 8)
		out.code = CP_ERR_PACKET;
	else if (cp_aql_exec(q, env, &p, &out))
		return cp_queue_fault(q);
	if (out.code) {
		if (cp_queue_in_flight(q))
			return CP_BLOCKED;
		return cp_queue_fail(q, env, out.code);
	}
	if (out.status != CP_PROGRESS || out.more)
		return out.status;
	return aql_consume(q, env, &p, &out);
}

static enum cp_status aql_step(struct cp_queue *q, struct cp_env *env)
{
	u64 held = q->next - READ_ONCE(q->release);
	u32 word;

	BUILD_BUG_ON(sizeof(struct cp_aql_packet) != CP_PACKET_BYTES);

	if ((s64)(q->limit - q->next) <= 0)
		return CP_IDLE;
	if (held >= CP_WINDOW || held >= q->ring_packets)
		return CP_BLOCKED;
	if (env->ops->read32(env, aql_slot_va(q, q->next), &word))
		return cp_queue_fault(q);
	if (CP_AQL_TYPE(word) == CP_AQL_INVALID)
		return CP_IDLE;
	return aql_step_packet(q, env, (u16)word);
}

const struct cp_queue_ops cp_aql_queue_ops = {
	.init = aql_init,
	.set_ring = aql_set_ring,
	.doorbell = aql_doorbell,
	.pending = aql_pending,
	.in_flight = aql_in_flight,
	.step = aql_step,
};

enum cp_status cp_step(struct cp_queue *q, struct cp_env *env)
{
	enum cp_status status;

	q->polling = false;
	if (q->state == CP_STATE_SCRATCH) {
		status = aql_scratch_wait(q, env);
		if (status != CP_PROGRESS)
			return status;
	}
	if (q->state != CP_STATE_RUN)
		return CP_ERROR;
	return q->ops->step(q, env);
}

int cp_ring_release(struct cp_queue *q, struct cp_env *env, u64 index)
{
	const u16 invalid = CP_PACKET_INVALID;
	u64 release = q->release;
	int err;

	if ((s64)(index - release) >= 0)
		q->done |= 1ull << ((index - release) % CP_WINDOW);
	for (; q->done & 1; q->done >>= 1) {
		err = env->ops->write(env, aql_slot_va(q, release), &invalid,
				      sizeof(invalid));
		if (err)
			return err;
		WRITE_ONCE(q->release, ++release);
	}
	if (q->told == release)
		return 0;
	err = env->ops->write64(env, q->rptr_va, release);
	if (!err)
		q->told = release;
	return err;
}

void cp_packet_finish(struct cp_queue *q)
{
	/* Pairs with cp_queue_in_flight(). */
	smp_store_release(&q->finished, q->finished + 1);
}
