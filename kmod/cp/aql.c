// SPDX-License-Identifier: GPL-2.0-only
/*
 * AQL packets, one handler per type. If a handler blocks, it is called again later
 * with a fresh copy of the packet. State that must survive between these calls is in
 * cp_queue.seen.
 *
 * Sources of the formats: HSA System Architecture, "AQL packet"; ROCr's hsa_ext_amd.h
 * and AqlQueue::ExecutePM4() for the two vendor formats.
 */
#include "cp_int.h"

typedef int (*aql_fn)(struct cp_queue *q, struct cp_env *env,
		      const struct cp_aql_packet *p, struct cp_outcome *out);

#define VENDOR_PM4_IB		1
#define VENDOR_BARRIER_VALUE	2

static int aql_dispatch(struct cp_queue *q, struct cp_env *env,
			const struct cp_aql_packet *p, struct cp_outcome *out)
{
	struct cp_dispatch d;
	int err;

	err = cp_dispatch_parse(q, env, p, &d, &out->code);
	if (err || out->code)
		return err;
	out->async = true;
	d.barrier = q->orders && (p->header & CP_AQL_BARRIER);
	d.acquire = CP_AQL_ACQUIRE(p->header);
	d.early = d.barrier && cp_queue_in_flight(q);
	err = env->ops->dispatch(env, q, &d);
	if (err == -EBUSY) {
		out->status = CP_BLOCKED;
		return 0;
	}
	return err;
}

/* Sets *@zero if @signal is zero now; a dependency seen at zero stays satisfied. */
static int aql_observe_signal(struct cp_env *env, u64 signal, bool *zero, u32 *code)
{
	u64 value;
	int err;

	*zero = false;
	if (signal % 8) {
		*code = CP_ERR_PACKET;
		return 0;
	}
	err = env->ops->read64(env, signal + CP_SIGNAL_VALUE, &value);
	if (!err)
		*zero = !value;
	return err;
}

static int aql_barrier(struct cp_queue *q, struct cp_env *env,
		       const struct cp_aql_packet *p, struct cp_outcome *out,
		       bool any)
{
	u32 wanted = 0;
	unsigned int i;
	bool zero;
	int err;

	for (i = 0; i < ARRAY_SIZE(p->barrier.dep); i++) {
		if (!p->barrier.dep[i])
			continue;
		wanted |= BIT(i);
		if (q->seen & BIT(i))
			continue;
		err = aql_observe_signal(env, p->barrier.dep[i], &zero, &out->code);
		if (err || out->code)
			return err;
		if (zero)
			q->seen |= BIT(i);
	}
	if (any ? !wanted || (q->seen & wanted) : (q->seen & wanted) == wanted)
		return 0;
	q->polling = true;
	out->status = CP_BLOCKED;
	return 0;
}

static int aql_barrier_and(struct cp_queue *q, struct cp_env *env,
			   const struct cp_aql_packet *p, struct cp_outcome *out)
{
	return aql_barrier(q, env, p, out, false);
}

static int aql_barrier_or(struct cp_queue *q, struct cp_env *env,
			  const struct cp_aql_packet *p, struct cp_outcome *out)
{
	return aql_barrier(q, env, p, out, true);
}

static bool cond_eq(s64 a, s64 b)
{
	return a == b;
}

static bool cond_ne(s64 a, s64 b)
{
	return a != b;
}

static bool cond_lt(s64 a, s64 b)
{
	return a < b;
}

static bool cond_gte(s64 a, s64 b)
{
	return a >= b;
}

static int vendor_barrier_value(struct cp_queue *q, struct cp_env *env,
				const struct cp_aql_packet *p,
				struct cp_outcome *out)
{
	static bool (* const cond[])(s64 a, s64 b) = {
		cond_eq, cond_ne, cond_lt, cond_gte,
	};
	u64 signal = p->barrier_value.signal, value;
	u32 which = p->barrier_value.cond;
	int err;

	if (which >= ARRAY_SIZE(cond) || signal % 8) {
		out->code = CP_ERR_VENDOR;
		return 0;
	}
	if (!signal)
		return 0;
	err = env->ops->read64(env, signal + CP_SIGNAL_VALUE, &value);
	if (err)
		return err;
	which = array_index_nospec(which, ARRAY_SIZE(cond));
	if (cond[which](value & p->barrier_value.mask, p->barrier_value.value))
		return 0;
	q->polling = true;
	out->status = CP_BLOCKED;
	return 0;
}

/* A vendor packet may carry a PM4 INDIRECT_BUFFER packet: header, address, size. */
#define PM4_IB_HEADER	0xc0023f00u
#define PM4_IB_MASK	0xffffff00u
#define PM4_IB_DWORDS	0xfffffu
#define PM4_IB_REMAIN	0xau

static int vendor_pm4_ib(struct cp_queue *q, struct cp_env *env,
			 const struct cp_aql_packet *p, struct cp_outcome *out)
{
	u64 va = p->pm4_ib.jump[1] | (u64)(p->pm4_ib.jump[2] & 0xffff) << 32;

	if ((p->pm4_ib.jump[0] & PM4_IB_MASK) != PM4_IB_HEADER ||
	    p->pm4_ib.dw_cnt_remain != PM4_IB_REMAIN || va % 4) {
		q->error_word = p->pm4_ib.jump[0];
		out->code = CP_ERR_VENDOR;
		return 0;
	}
	return cp_pm4_run_ib(q, env, va, p->pm4_ib.jump[3] & PM4_IB_DWORDS, out);
}

static int aql_vendor(struct cp_queue *q, struct cp_env *env,
		      const struct cp_aql_packet *p, struct cp_outcome *out)
{
	static const aql_fn format[] = {
		[VENDOR_PM4_IB] = vendor_pm4_ib,
		[VENDOR_BARRIER_VALUE] = vendor_barrier_value,
	};
	u8 which = p->barrier_value.format;

	if (which < ARRAY_SIZE(format)) {
		which = array_index_nospec(which, ARRAY_SIZE(format));
		if (format[which])
			return format[which](q, env, p, out);
	}
	q->error_word = p->header | (u32)which << 16;
	out->code = CP_ERR_VENDOR;
	return 0;
}

static u32 scope_cache(u32 header)
{
	return (CP_AQL_ACQUIRE(header) ? CP_CACHE_INV : 0) |
	       (CP_AQL_RELEASE(header) ? CP_CACHE_WB : 0);
}

int cp_aql_exec(struct cp_queue *q, struct cp_env *env,
		const struct cp_aql_packet *p, struct cp_outcome *out)
{
	/* Agent dispatch packets are for queues of a host agent, never for a GPU. */
	static const aql_fn exec[CP_AQL_TYPES] = {
		[CP_AQL_VENDOR] = aql_vendor,
		[CP_AQL_DISPATCH] = aql_dispatch,
		[CP_AQL_BARRIER_AND] = aql_barrier_and,
		[CP_AQL_BARRIER_OR] = aql_barrier_or,
	};
	unsigned int type = CP_AQL_TYPE(p->header);

	if (type < CP_AQL_TYPES) {
		type = array_index_nospec(type, CP_AQL_TYPES);
		if (exec[type]) {
			env->ops->cache(env, scope_cache(p->header));
			return exec[type](q, env, p, out);
		}
	}
	q->error_word = p->header;
	out->code = CP_ERR_PACKET;
	return 0;
}
