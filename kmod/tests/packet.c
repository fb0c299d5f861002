// SPDX-License-Identifier: GPL-2.0-only
/* The packet processor in a kernel, with a ring in plain memory. */
#include <kunit/test.h>

#include "../cp/cp_int.h"

#define MEM_VA		0x40000ull
#define MEM_BYTES	8192u
#define RING_VA		MEM_VA
#define RING_PACKETS	16
#define RPTR_VA		(MEM_VA + 4096)
#define WPTR_VA		(MEM_VA + 4104)
#define SIGNAL_VA	(MEM_VA + 4160)

struct packet_test {
	struct cp_env env;
	struct cp_queue q;
	u8 mem[MEM_BYTES] __aligned(64);
	unsigned int events, dispatches;
	u32 error;
};

static void *packet_host(struct cp_env *env, u64 va, u32 len)
{
	struct packet_test *t = container_of(env, struct packet_test, env);

	return va >= MEM_VA && va - MEM_VA <= MEM_BYTES - len ? t->mem + (va - MEM_VA) : NULL;
}

static int packet_read(struct cp_env *env, u64 va, void *dst, u32 len)
{
	void *p = packet_host(env, va, len);

	if (p)
		memcpy(dst, p, len);
	return p ? 0 : -EFAULT;
}

static int packet_write(struct cp_env *env, u64 va, const void *src, u32 len)
{
	void *p = packet_host(env, va, len);

	if (p)
		memcpy(p, src, len);
	return p ? 0 : -EFAULT;
}

static int packet_read32(struct cp_env *env, u64 va, u32 *val)
{
	return packet_read(env, va, val, sizeof(*val));
}

static int packet_read64(struct cp_env *env, u64 va, u64 *val)
{
	return packet_read(env, va, val, sizeof(*val));
}

static int packet_write64(struct cp_env *env, u64 va, u64 val)
{
	return packet_write(env, va, &val, sizeof(val));
}

static int packet_add64(struct cp_env *env, u64 va, u64 val, u64 *old)
{
	int ret = packet_read64(env, va, old);

	return ret ?: packet_write64(env, va, *old + val);
}

static int packet_dispatch(struct cp_env *env, struct cp_queue *q, const struct cp_dispatch *d)
{
	container_of(env, struct packet_test, env)->dispatches++;
	return 0;
}

static int packet_complete(struct cp_env *env, struct cp_queue *q, struct cp_done *done)
{
	int ret = cp_ring_release(q, env, done->index);

	if (!ret)
		ret = cp_signal_complete(env, done);
	if (!ret)
		cp_packet_finish(q);
	return ret;
}

static void packet_event(struct cp_env *env, u32 event_id)
{
	container_of(env, struct packet_test, env)->events++;
}

static void packet_cache(struct cp_env *env, u32 flags)
{
}

static void packet_error(struct cp_env *env, struct cp_queue *q, u32 code)
{
	container_of(env, struct packet_test, env)->error = code;
}

static u64 packet_clock(struct cp_env *env)
{
	return 1000;
}

static const struct cp_env_ops packet_ops = {
	.read = packet_read,
	.write = packet_write,
	.read32 = packet_read32,
	.read64 = packet_read64,
	.write64 = packet_write64,
	.add64 = packet_add64,
	.dispatch = packet_dispatch,
	.complete = packet_complete,
	.event = packet_event,
	.cache = packet_cache,
	.error = packet_error,
	.clock = packet_clock,
};

static int packet_init(struct kunit *test)
{
	struct packet_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->env.ops = &packet_ops;
	for (i = 0; i < RING_PACKETS; i++)
		t->mem[i * CP_PACKET_BYTES] = CP_PACKET_INVALID;
	KUNIT_ASSERT_EQ(test, cp_queue_init(&t->q, gpu_target_by_version(90010), CP_KIND_AQL,
					    RING_VA, RING_PACKETS * CP_PACKET_BYTES, RPTR_VA,
					    WPTR_VA), 0);
	test->priv = t;
	return 0;
}

static u64 packet_word(struct packet_test *t, u64 va)
{
	u64 val = 0;

	packet_read64(&t->env, va, &val);
	return val;
}

static void packet_put(struct packet_test *t, unsigned int index, u16 header, u64 signal)
{
	struct cp_aql_packet p = { .header = header, .completion_signal = signal };

	memcpy(t->mem + index * CP_PACKET_BYTES, &p, sizeof(p));
	packet_write64(&t->env, WPTR_VA, index + 1);
}

static void packet_barrier(struct kunit *test)
{
	struct packet_test *t = test->priv;

	packet_write64(&t->env, SIGNAL_VA + CP_SIGNAL_VALUE, 1);
	packet_put(t, 0, CP_AQL_BARRIER_AND | CP_AQL_BARRIER, SIGNAL_VA);
	KUNIT_EXPECT_EQ(test, (int)cp_step(&t->q, &t->env), (int)CP_IDLE);	/* nobody rang */
	cp_queue_ring(&t->q, &t->env, 0);
	KUNIT_EXPECT_EQ(test, (int)cp_step(&t->q, &t->env), (int)CP_PROGRESS);
	KUNIT_EXPECT_EQ(test, (int)cp_step(&t->q, &t->env), (int)CP_IDLE);
	KUNIT_EXPECT_EQ(test, packet_word(t, SIGNAL_VA + CP_SIGNAL_VALUE), 0ull);
	KUNIT_EXPECT_EQ(test, packet_word(t, RPTR_VA), 1ull);
	KUNIT_EXPECT_EQ(test, t->error, 0u);
}

/* The doorbell announces two packets, but the second one is not published yet. */
static void packet_published_late(struct kunit *test)
{
	struct packet_test *t = test->priv;

	packet_put(t, 0, CP_AQL_BARRIER_AND | CP_AQL_BARRIER, 0);
	packet_write64(&t->env, WPTR_VA, 2);
	cp_queue_ring(&t->q, &t->env, 1);
	KUNIT_EXPECT_EQ(test, (int)cp_step(&t->q, &t->env), (int)CP_PROGRESS);
	KUNIT_EXPECT_NE(test, (int)cp_step(&t->q, &t->env), (int)CP_PROGRESS);
	KUNIT_EXPECT_EQ(test, packet_word(t, RPTR_VA), 1ull);
	packet_put(t, 1, CP_AQL_BARRIER_AND | CP_AQL_BARRIER, 0);
	KUNIT_EXPECT_EQ(test, (int)cp_step(&t->q, &t->env), (int)CP_PROGRESS);
	KUNIT_EXPECT_EQ(test, packet_word(t, RPTR_VA), 2ull);
}

static void packet_unknown_stops(struct kunit *test)
{
	struct packet_test *t = test->priv;

	packet_put(t, 0, 0x77, 0);
	packet_put(t, 1, CP_AQL_BARRIER_AND | CP_AQL_BARRIER, 0);
	cp_queue_ring(&t->q, &t->env, 1);
	KUNIT_EXPECT_EQ(test, (int)cp_step(&t->q, &t->env), (int)CP_ERROR);
	KUNIT_EXPECT_EQ(test, (int)cp_step(&t->q, &t->env), (int)CP_ERROR);
	KUNIT_EXPECT_EQ(test, (int)t->q.state, (int)CP_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, t->q.error, CP_ERR_PACKET);
	KUNIT_EXPECT_EQ(test, packet_word(t, RPTR_VA), 0ull);
}

/* A dispatch with an empty grid is malformed and does not start. */
static void packet_empty_grid_stops(struct kunit *test)
{
	struct packet_test *t = test->priv;

	packet_put(t, 0, CP_AQL_DISPATCH, 0);
	cp_queue_ring(&t->q, &t->env, 0);
	KUNIT_EXPECT_EQ(test, (int)cp_step(&t->q, &t->env), (int)CP_ERROR);
	KUNIT_EXPECT_EQ(test, t->dispatches, 0u);
	KUNIT_EXPECT_NE(test, t->q.error, 0u);
}

static void packet_ring_sizes(struct kunit *test)
{
	const struct gpu_target *target = gpu_target_by_version(90010);
	struct cp_queue *q = kunit_kzalloc(test, sizeof(*q), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, q);
	KUNIT_EXPECT_NE(test, cp_queue_init(q, target, CP_KIND_AQL, RING_VA, 0, RPTR_VA, WPTR_VA),
			0);
	KUNIT_EXPECT_NE(test, cp_queue_init(q, target, CP_KIND_AQL, RING_VA, 3 * CP_PACKET_BYTES,
					    RPTR_VA, WPTR_VA), 0);
}

static struct kunit_case packet_list[] = {
	KUNIT_CASE(packet_barrier),
	KUNIT_CASE(packet_published_late),
	KUNIT_CASE(packet_unknown_stops),
	KUNIT_CASE(packet_empty_grid_stops),
	KUNIT_CASE(packet_ring_sizes),
	{}
};

static struct kunit_suite packet_suite = {
	.name = "vkfd_packet",
	.init = packet_init,
	.test_cases = packet_list,
};

kunit_test_suite(packet_suite);
