// SPDX-License-Identifier: GPL-2.0-only
/*
 * PM4 streams: the table of packets, and the walk over a ring or an indirect buffer.
 *
 * A packet is copied once. Its length is checked against its row and against the end
 * of the ring or buffer, then it is executed. User space cannot make this loop for
 * long: a step executes a bounded number of packets, long copies are done in pieces,
 * and a buffer that chains to itself gets no more than its share of the thread.
 */
#include "pm4_int.h"

#define IB_BURST	64	/* packets of indirect buffers in a step */
#define PREFETCH	64	/* dwords */
#define NOP_MAX		0x4000

/**
 * struct pm4_packet - a row of the packet table
 * @opcode: of a type 3 packet
 * @min_dwords: shortest whole packet, with its header
 * @max_dwords: longest whole packet
 * @exec: handler; NULL: the packet is refused
 * @name: for logs
 */
struct pm4_packet {
	u8 opcode;
	u16 min_dwords, max_dwords;
	int (*exec)(struct pm4_exec *x);
	const char *name;
};

static int pm4_nop(struct pm4_exec *x)
{
	return 0;
}

#define IB_DWORDS(v)	((v) & 0xfffff)
#define IB_CHAIN	BIT(20)

static int pm4_indirect_buffer(struct pm4_exec *x)
{
	const struct cp_pm4 *p = &x->q->pm4;

	if (x->body[0] & 3) {
		x->bad = true;
		return 0;
	}
	x->jump = true;
	x->chain = x->body[2] & IB_CHAIN;
	x->jump_va = PM4_VA(x->body[0], x->body[1]);
	x->jump_dwords = IB_DWORDS(x->body[2]);
	x->bad = x->chain ? !p->depth : p->depth == CP_PM4_IBS;
	return 0;
}

/* The search begins at the top: NOP, the most common, is first, refused packets are last. */
#define PM4_PACKET(_opcode, _min, _max, _exec, _name)	{ _opcode, _min, _max, _exec, #_name },
#define PM4_REFUSED(_opcode, _name)			{ .opcode = _opcode, .name = #_name },
static const struct pm4_packet pm4_packets[] = {
#include "pm4_packets.def"
};

#undef PM4_PACKET
#undef PM4_REFUSED

static const struct pm4_packet *pm4_find(u32 opcode)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pm4_packets); i++)
		if (pm4_packets[i].opcode == opcode)
			return &pm4_packets[i];
	return NULL;
}

const char *cp_pm4_name(u32 opcode)
{
	const struct pm4_packet *row = pm4_find(opcode);

	return row ? row->name : NULL;
}

/* Dwords of the packet with this header, 0 if the table has no such packet. */
static u32 pm4_length(u32 header, const struct pm4_packet **row)
{
	u32 n = PM4_COUNT(header) + 2;

	*row = NULL;
	if (PM4_TYPE(header) == PM4_TYPE2)
		return 1;
	if (PM4_TYPE(header) != PM4_TYPE3)
		return 0;
	*row = pm4_find(PM4_OPCODE(header));
	if (*row == &pm4_packets[0] && PM4_COUNT(header) == PM4_COUNT_NONE)
		n = 1;
	if (!*row || n < (*row)->min_dwords || n > (*row)->max_dwords)
		return 0;	/* includes all refused packets, whose rows allow no length */
	return n;
}

/* ------------------------------------------------------------------ stream */

/* Dwords left in what the stream reads: the innermost buffer, or the ring. */
static u64 stream_left(const struct cp_queue *q)
{
	const struct cp_pm4 *p = &q->pm4;

	if (!p->depth)
		return q->limit - q->next;
	return p->ib[p->depth - 1].dwords - p->ib[p->depth - 1].pos;
}

static void stream_advance(struct cp_queue *q, u64 n)
{
	struct cp_pm4 *p = &q->pm4;

	if (p->depth)
		p->ib[p->depth - 1].pos += n;
	else
		q->next += n;
}

/* Reads @n dwords, starting @ahead of the stream's position; the caller knows they exist. */
static int stream_read(struct cp_queue *q, struct cp_env *env, u32 ahead, u32 *dst, u32 n)
{
	const struct cp_pm4 *p = &q->pm4;
	u32 at, part;
	int err;

	if (p->depth) {
		at = p->ib[p->depth - 1].pos + ahead;
		return env->ops->read(env, p->ib[p->depth - 1].va + 4ull * at, dst, 4 * n);
	}
	at = (q->next + ahead) & (q->ring_packets - 1);
	part = q->ring_packets - at < n ? q->ring_packets - at : n;
	err = env->ops->read(env, q->ring_va + 4ull * at, dst, 4 * part);
	if (!err && part < n)
		err = env->ops->read(env, q->ring_va, dst + part, 4 * (n - part));
	return err;
}

int pm4_fetch_body(struct pm4_exec *x, u32 first, u32 *dst, u32 n)
{
	return stream_read(x->q, x->env, 1 + first, dst, n);
}

void pm4_block(struct pm4_exec *x, bool polling)
{
	x->status = CP_BLOCKED;
	x->q->polling |= polling;
}

/*
 * Dwords fetched ahead in one read, valid within a step. buf[@at] to buf[@have - 1] are
 * the next ones of the stream.
 */
struct pm4_ahead {
	u32 buf[PREFETCH];
	u32 at, have;
};

/* Gets the header and the start of the body of the current packet. */
static int pm4_look(struct cp_queue *q, struct cp_env *env, struct pm4_ahead *a,
		    u64 left, struct pm4_exec *x)
{
	u32 want = left < 1 + PM4_BODY_MAX ? left : 1 + PM4_BODY_MAX;
	int err;

	if (a->have - a->at < want) {
		a->at = 0;
		a->have = left < PREFETCH ? left : PREFETCH;
		err = stream_read(q, env, 0, a->buf, a->have);
		if (err) {
			a->have = 0;
			return err;
		}
	}
	x->header = a->buf[a->at];
	memcpy(x->body, a->buf + a->at + 1, 4 * (want - 1));
	return 0;
}

static void pm4_leave(struct cp_queue *q, struct pm4_ahead *a, struct pm4_exec *x)
{
	struct cp_pm4 *p = &q->pm4;
	u64 n = x->n, left = stream_left(q);
	u32 discard = x->skip < left - n ? x->skip : left - n;

	stream_advance(q, n + discard);
	if (!p->depth) {
		p->skip = x->skip - discard;
		p->chains = 0;
	}
	a->at = n + discard < a->have - a->at && !x->refetch ? a->at + n + discard : a->have;
	p->moved = 0;
	p->packets++;
	if (!x->jump)
		return;
	if (!x->chain)
		p->depth++;
	if (p->chains < ~0u)
		p->chains++;
	p->ib[p->depth - 1].va = x->jump_va;
	p->ib[p->depth - 1].dwords = x->jump_dwords;
	p->ib[p->depth - 1].pos = 0;
	a->have = 0;
	a->at = 0;
}

/*
 * Executes the packet at the stream's position. *@status becomes CP_IDLE if only a part
 * of it was written so far, CP_ERROR if it is invalid.
 */
static int pm4_one(struct cp_queue *q, struct cp_env *env, struct pm4_ahead *a,
		   enum cp_status *status)
{
	struct pm4_exec x = { .q = q, .env = env, .status = CP_PROGRESS,
			      .bad_reg = CP_PM4_NO_REG };
	const struct pm4_packet *row;
	u64 left = stream_left(q);
	int err;

	err = pm4_look(q, env, a, left, &x);
	if (err)
		return err;
	x.n = pm4_length(x.header, &row);
	*status = CP_ERROR;
	if (x.n && x.n <= left) {
		err = row ? row->exec(&x) : 0;
		if (err)
			return err;
		if (!x.bad)
			*status = x.status;
	} else if (x.n && !q->pm4.depth && x.n <= q->ring_packets) {
		*status = CP_IDLE;
	}
	if (*status == CP_ERROR) {
		q->error_word = x.header;
		q->pm4.bad_opcode = PM4_OPCODE(x.header);
		q->pm4.bad_reg = x.bad_reg;
	} else if (*status == CP_PROGRESS && !x.more) {
		if (!q->pm4.depth)
			q->header = x.header;
		pm4_leave(q, a, &x);
	}
	return 0;
}

static void pm4_return(struct cp_queue *q, struct pm4_ahead *a)
{
	struct cp_pm4 *p = &q->pm4;

	while (p->depth && p->ib[p->depth - 1].pos == p->ib[p->depth - 1].dwords) {
		p->depth--;
		a->have = 0;
		a->at = 0;
	}
}

/* Executes packets of indirect buffers until the outermost buffer has ended. */
static int pm4_walk(struct cp_queue *q, struct cp_env *env, enum cp_status *status)
{
	struct pm4_ahead a;
	unsigned int i;
	int err = 0;

	a.at = 0;
	a.have = 0;
	*status = CP_PROGRESS;
	for (i = 0; i < IB_BURST && !err && *status == CP_PROGRESS; i++) {
		pm4_return(q, &a);
		if (!q->pm4.depth)
			break;
		err = pm4_one(q, env, &a, status);
	}
	pm4_return(q, &a);
	return err;
}

void cp_pm4_begin(struct cp_queue *q, u64 va, u32 dwords)
{
	struct cp_pm4 *p = &q->pm4;

	p->ib[0].va = va;
	p->ib[0].dwords = dwords;
	p->ib[0].pos = 0;
	p->depth = 1;
	p->chains = 0;
}

int cp_pm4_run_ib(struct cp_queue *q, struct cp_env *env, u64 va, u32 dwords,
		  struct cp_outcome *out)
{
	struct cp_pm4 *p = &q->pm4;
	bool ran;
	int err;

	if (!q->seen) {
		q->seen = 1;
		p->ib[0].va = va;
		p->ib[0].dwords = dwords;
		p->ib[0].pos = 0;
		p->depth = 1;
		p->chains = 0;
	}
	err = pm4_run_fences(q, env, &ran);
	if (!err)
		err = pm4_walk(q, env, &out->status);
	if (err)
		return err;
	if (out->status == CP_ERROR)
		out->code = CP_ERR_VENDOR;
	else if (out->status == CP_PROGRESS && p->depth)
		out->more = true;
	else if (out->status == CP_PROGRESS && !cp_pm4_drained(q))
		out->status = CP_BLOCKED;
	return 0;
}

/* -------------------------------------------------------------------- ring */

void cp_pm4_init(struct cp_queue *q)
{
	/* COMPUTE_STATIC_THREAD_MGMT_SE0.. start with all CUs enabled, as in the MQD */
	static const u16 all_ones[] = { 0x2e16, 0x2e17, 0x2e19, 0x2e1a,
					0x2e25, 0x2e26, 0x2e27, 0x2e28 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all_ones); i++)
		q->pm4.sh[all_ones[i] - CP_PM4_SH_FIRST] = ~0u;
}

static bool pm4_set_ring(struct cp_queue *q, u64 ring_va, u32 ring_bytes)
{
	if (ring_va % 4 || ring_bytes < 4 * PREFETCH || (ring_bytes & (ring_bytes - 1)))
		return false;
	q->ring_va = ring_va;
	q->ring_packets = ring_bytes / 4;
	if (q->limit - q->next > q->ring_packets)
		q->limit = q->next + ((q->limit - q->next) & (q->ring_packets - 1));
	return true;
}

static int pm4_init(struct cp_queue *q)
{
	if (q->rptr_va % 4 || q->wptr_va % 4)
		return -EINVAL;
	/* A fresh doorbell contains write index 0. */
	q->doorbell = 0;
	return 0;
}

/*
 * The value is the write index in dwords. With 64-bit doorbells it grows for ever, but
 * a producer that writes it modulo the ring's size is understood, too.
 */
static int pm4_doorbell(struct cp_queue *q, struct cp_env *env, u64 value)
{
	u64 n = value - q->next;

	if (n > q->ring_packets)
		n &= q->ring_packets - 1;
	q->limit = q->next + n;
	return 0;
}

static bool pm4_pending(const struct cp_queue *q)
{
	return q->limit != q->next || q->pm4.depth || q->pm4.fences;
}

static u64 pm4_queue_in_flight(const struct cp_queue *q)
{
	return 0;
}

static int pm4_write_rptr(struct cp_queue *q, struct cp_env *env)
{
	u32 rptr = q->next & (q->ring_packets - 1);

	return env->ops->write(env, q->rptr_va, &rptr, sizeof(rptr));
}

/*
 * The hardware's fetcher would have read everything, so move the read index to the end.
 * A producer that waits for room goes on then, and learns of the error by the reset.
 */
static enum cp_status pm4_stop(struct cp_queue *q, struct cp_env *env)
{
	if (cp_queue_in_flight(q))
		return CP_BLOCKED;
	q->next = q->limit;
	q->pm4.depth = 0;
	q->pm4.fences = 0;
	if (!q->pm4.no_ring && pm4_write_rptr(q, env))
		return cp_queue_fault(q);
	return cp_queue_fail(q, env, CP_ERR_PACKET);
}

static void pm4_discard(struct cp_queue *q)
{
	u64 n = q->limit - q->next;

	if (n > q->pm4.skip)
		n = q->pm4.skip;
	q->next += n;
	q->pm4.skip -= n;
}

static enum cp_status pm4_step(struct cp_queue *q, struct cp_env *env)
{
	struct cp_pm4 *p = &q->pm4;
	enum cp_status status = CP_IDLE;
	struct pm4_ahead a;
	u64 next = q->next;
	bool ran = false;
	int err;

	a.at = 0;
	a.have = 0;
	err = pm4_run_fences(q, env, &ran);
	if (!err && p->depth) {
		err = pm4_walk(q, env, &status);
	} else if (!err && q->limit != q->next) {
		pm4_discard(q);
		status = CP_PROGRESS;
		if (q->limit != q->next)
			err = pm4_one(q, env, &a, &status);
	}
	/* A packet that calls a buffer is consumed once the buffer has ended. */
	if (!err && !p->depth && status != CP_ERROR && (q->next != next || p->rptr_late)) {
		err = pm4_write_rptr(q, env);
		p->rptr_late = false;
	} else if (q->next != next) {
		p->rptr_late = true;
	}
	/* Run fences after the read index is written: whoever they wake finds room in the ring. */
	if (!err && status == CP_PROGRESS && p->fences)
		err = pm4_run_fences(q, env, &ran);
	if (err)
		return cp_queue_fault(q);
	if (status == CP_ERROR)
		return pm4_stop(q, env);
	if (status == CP_IDLE && ran)
		return CP_PROGRESS;
	q->takes_more = status == CP_IDLE && p->fences;
	return q->takes_more ? CP_BLOCKED : status;
}

const struct cp_queue_ops cp_pm4_queue_ops = {
	.init = pm4_init,
	.set_ring = pm4_set_ring,
	.doorbell = pm4_doorbell,
	.pending = pm4_pending,
	.in_flight = pm4_queue_in_flight,
	.step = pm4_step,
};
