// SPDX-License-Identifier: MIT
/* See fake_env.h. */
#include "fake_env.h"

static struct fake_env *to_fake(struct cp_env *env)
{
	return (struct fake_env *)env;
}

static int fake_read(struct cp_env *env, u64 va, void *dst, u32 len)
{
	return fake_mem_read(&to_fake(env)->m, va, dst, len);
}

static int fake_write(struct cp_env *env, u64 va, const void *src, u32 len)
{
	return fake_mem_write(&to_fake(env)->m, va, src, len);
}

static int fake_read32(struct cp_env *env, u64 va, u32 *val)
{
	if (va % 4)
		__builtin_trap();
	return fake_read(env, va, val, 4);
}

static int fake_read64(struct cp_env *env, u64 va, u64 *val)
{
	if (va % 8)
		__builtin_trap();
	return fake_read(env, va, val, 8);
}

static int fake_write64(struct cp_env *env, u64 va, u64 val)
{
	return fake_mem_store(&to_fake(env)->m, va, val, 8);
}

static int fake_add64(struct cp_env *env, u64 va, u64 val, u64 *old)
{
	int err = fake_read64(env, va, old);

	return err ? err : fake_write64(env, va, *old + val);
}

static int fake_cas(struct cp_env *env, u64 va, u32 bytes, u64 *old, u64 val)
{
	return fake_mem_cas(&to_fake(env)->m, va, bytes, old, val);
}

static int fake_dispatch(struct cp_env *env, struct cp_queue *q,
			 const struct cp_dispatch *d)
{
	struct fake_env *f = to_fake(env);

	(void)q;
	if (!f->slots || f->ndispatched == ARRAY_SIZE(f->dispatched))
		return -EBUSY;
	f->slots--;
	f->dispatched[f->ndispatched++] = *d;
	return 0;
}

static int fake_complete(struct cp_env *env, struct cp_queue *q,
			 struct cp_done *done)
{
	int err;

	if (done->pm4) {
		cp_pm4_dispatch_done(q, done->index);
		return 0;
	}
	err = cp_ring_release(q, env, done->index);
	if (!err)
		err = cp_signal_complete(env, done);
	if (!err)
		cp_packet_finish(q);
	return err;
}

static void fake_event(struct cp_env *env, u32 event_id)
{
	to_fake(env)->events++;
	to_fake(env)->last_event = event_id;
	if (to_fake(env)->q.rptr_va)
		to_fake(env)->event_rptr = fake_get(to_fake(env), to_fake(env)->q.rptr_va, 4);
}

static int fake_fence(struct cp_env *env, u64 at)
{
	to_fake(env)->signals++;
	to_fake(env)->signaled = at;
	return 0;
}

static void fake_cache(struct cp_env *env, u32 flags)
{
	if (flags & CP_CACHE_ICACHE)
		to_fake(env)->icache++;
	if (flags & CP_CACHE_WB)
		to_fake(env)->flushes++;
}

static void fake_error(struct cp_env *env, struct cp_queue *q, u32 code)
{
	(void)q;
	to_fake(env)->errors++;
	to_fake(env)->last_error = code;
}

static u64 fake_clock(struct cp_env *env)
{
	return ++to_fake(env)->now;
}

static const struct cp_env_ops fake_ops = {
	.read = fake_read,
	.write = fake_write,
	.read32 = fake_read32,
	.read64 = fake_read64,
	.write64 = fake_write64,
	.add64 = fake_add64,
	.cas = fake_cas,
	.dispatch = fake_dispatch,
	.complete = fake_complete,
	.event = fake_event,
	.fence = fake_fence,
	.cache = fake_cache,
	.error = fake_error,
	.clock = fake_clock,
};

void *fake_at(struct fake_env *f, u64 va)
{
	return fake_mem_at(&f->m, va, 1);
}

u64 fake_get(struct fake_env *f, u64 va, unsigned int bytes)
{
	return fake_mem_get(&f->m, va, bytes);
}

void fake_put(struct fake_env *f, u64 va, u64 val, unsigned int bytes)
{
	fake_mem_put(&f->m, va, val, bytes);
}

void fake_env_init(struct fake_env *f)
{
	unsigned int i;

	memset(f, 0, sizeof(*f));
	f->env.ops = &fake_ops;
	f->m = (struct fake_mem){ f->mem, sizeof(f->mem) };
	f->slots = 8;
	for (i = 0; i < RING_PACKETS; i++)
		fake_put(f, RING_VA + i * CP_PACKET_BYTES, CP_PACKET_INVALID, 2);
	fake_put(f, QUEUE_VA + 192, INACTIVE_VA, 8);
	if (cp_queue_init(&f->q, gpu_target_by_version(90010), CP_KIND_AQL, RING_VA,
			  RING_PACKETS * CP_PACKET_BYTES,
			  QUEUE_VA + CP_AMD_QUEUE_READ_ID,
			  QUEUE_VA + CP_AMD_QUEUE_WRITE_ID))
		__builtin_trap();
}

enum cp_status fake_run(struct fake_env *f)
{
	enum cp_status status = CP_IDLE;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		status = cp_step(&f->q, &f->env);
		if (status != CP_PROGRESS)
			break;
	}
	return status;
}

void fake_finish(struct fake_env *f, unsigned int nth)
{
	struct cp_dispatch *d = &f->dispatched[nth];
	struct cp_done done = {
		.index = d->index, .signal = d->signal, .start = f->now, .end = f->now + 5,
		.pm4 = d->pm4,
	};

	f->slots++;
	f->now += 5;
	if (fake_complete(&f->env, &f->q, &done))
		__builtin_trap();
}

void fake_submit(struct fake_env *f, u64 index, const void *packet)
{
	u64 va = RING_VA + index % RING_PACKETS * CP_PACKET_BYTES;

	memcpy(fake_at(f, va), packet, CP_PACKET_BYTES);
	fake_put(f, QUEUE_VA + CP_AMD_QUEUE_WRITE_ID, index + 1, 8);
	cp_queue_ring(&f->q, &f->env, index);
}
