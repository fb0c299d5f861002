// SPDX-License-Identifier: GPL-2.0-only
/* Evictions of a process: which queues are evicted, how evictions nest, how long they took. */
#include <linux/delay.h>
#include <kunit/test.h>

#include "../gpu/backend.h"
#include "../gpu/device.h"
#include "../gpu/process.h"
#include "../gpu/queue.h"
#include "../kfd/kfd.h"

#define QUEUES	3	/* two on the first device, one on the second */

struct evict {
	struct vkfd_process p;
	struct vkfd_pdd pdd[2];
	struct vkfd_queue q[QUEUES];
	struct gpu_device gdev[2];
};

static void count_evict(struct gpu_queue *q)
{
	q->error++;
}

static void count_restore(struct gpu_queue *q)
{
	q->error += 0x100;
}

static const struct gpu_backend_ops backend = {
	.queue_evict = count_evict,
	.queue_restore = count_restore,
};

static void add_queue(struct kunit *test, unsigned int i, struct vkfd_pdd *pdd)
{
	struct evict *e = test->priv;

	e->q[i].base.pdd = &pdd->base;
	e->q[i].base.gdev = pdd->base.gdev;
	KUNIT_ASSERT_EQ(test, idr_alloc(&e->p.queues, &e->q[i], i, i + 1, GFP_KERNEL), i);
}

static int evict_init(struct kunit *test)
{
	struct evict *e = kunit_kzalloc(test, sizeof(*e), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, e);
	test->priv = e;
	mutex_init(&e->p.base.lock);
	idr_init(&e->p.queues);
	for (i = 0; i < 2; i++) {
		e->gdev[i].backend = &backend;
		e->pdd[i].base.gdev = &e->gdev[i];
		e->p.pdds[e->p.num_pdds++] = &e->pdd[i];
	}
	add_queue(test, 0, &e->pdd[0]);
	add_queue(test, 1, &e->pdd[0]);
	add_queue(test, 2, &e->pdd[1]);
	return 0;
}

static void evict_exit(struct kunit *test)
{
	struct evict *e = test->priv;

	if (e)
		idr_destroy(&e->p.queues);
}

static void evict(struct evict *e)
{
	mutex_lock(&e->p.base.lock);
	vkfd_process_evict(&e->p, KFD_QUEUE_EVICTION_TRIGGER_TTM);
	mutex_unlock(&e->p.base.lock);
}

static void restore(struct evict *e)
{
	mutex_lock(&e->p.base.lock);
	vkfd_process_restore(&e->p);
	mutex_unlock(&e->p.base.lock);
}

/* All queues got @heard calls, and are evicted or not. */
static void expect(struct kunit *test, u32 heard, bool evicted)
{
	struct evict *e = test->priv;
	unsigned int i;

	for (i = 0; i < QUEUES; i++) {
		KUNIT_EXPECT_EQ(test, e->q[i].base.error, heard);
		KUNIT_EXPECT_EQ(test, e->q[i].base.evicted, evicted);
	}
}

static void evict_nests(struct kunit *test)
{
	struct evict *e = test->priv;

	evict(e);
	expect(test, 1, true);
	evict(e);
	expect(test, 1, true);
	KUNIT_EXPECT_EQ(test, e->pdd[0].evicted, 2);
	restore(e);
	expect(test, 1, true);
	KUNIT_EXPECT_EQ(test, atomic64_read(&e->pdd[0].evicted_ns), 0);
	restore(e);
	expect(test, 0x101, false);
	KUNIT_EXPECT_EQ(test, e->pdd[1].evicted, 0);
	evict(e);
	restore(e);
	expect(test, 0x202, false);
}

static void evict_counts_time(struct kunit *test)
{
	struct evict *e = test->priv;
	s64 once;

	evict(e);
	msleep(20);
	evict(e);
	msleep(20);
	restore(e);
	restore(e);
	once = atomic64_read(&e->pdd[1].evicted_ns);
	KUNIT_EXPECT_GE(test, once, 40 * NSEC_PER_MSEC);
	msleep(50);
	KUNIT_EXPECT_EQ(test, atomic64_read(&e->pdd[1].evicted_ns), once);
	evict(e);
	msleep(20);
	restore(e);
	KUNIT_EXPECT_GE(test, atomic64_read(&e->pdd[1].evicted_ns), once + 20 * NSEC_PER_MSEC);
}

static struct kunit_case evict_cases[] = {
	KUNIT_CASE(evict_nests),
	KUNIT_CASE(evict_counts_time),
	{ }
};

static struct kunit_suite evict_suite = {
	.name = "vkfd_evict",
	.init = evict_init,
	.exit = evict_exit,
	.test_cases = evict_cases,
};

kunit_test_suite(evict_suite);
