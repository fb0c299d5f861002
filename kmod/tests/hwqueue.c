// SPDX-License-Identifier: GPL-2.0-only
/* The states of a queue under the events of front ends and of the GPU's threads, in turn. */
#include <linux/bitmap.h>
#include <kunit/test.h>

#include "../hw/queue.h"

struct hwqueue {
	spinlock_t lock;
	DECLARE_BITMAP(slots, HW_QUEUE_MAX_SLOTS);
	struct gpu_queue q;
	struct hw_queue hq;
};

static int hwqueue_init(struct kunit *test)
{
	struct hwqueue *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	spin_lock_init(&t->lock);
	t->q.props.percentage = 100;
	t->q.props.ring_va = PAGE_SIZE;
	t->q.props.ring_bytes = PAGE_SIZE;
	return 0;
}

static void begin_queue(struct hwqueue *t, bool on, bool evicted, bool has_slot)
{
	memset(&t->hq, 0, sizeof(t->hq));
	t->q.props.percentage = on ? 100 : 0;
	t->q.evicted = evicted;
	hw_queue_init(&t->hq, &t->q, &t->lock, has_slot ? NULL : t->slots);
}

static bool happens(struct hwqueue *t, enum hw_queue_event event)
{
	bool ok;

	spin_lock(&t->lock);
	ok = hw_queue_event_locked(&t->hq, event);
	spin_unlock(&t->lock);
	return ok;
}

static void hwqueue_first_state(struct kunit *test)
{
	struct hwqueue *t = test->priv;

	begin_queue(t, false, false, false);
	KUNIT_EXPECT_EQ(test, t->hq.state, HW_QUEUE_OFF);
	begin_queue(t, false, true, false);
	KUNIT_EXPECT_EQ(test, t->hq.state, HW_QUEUE_OFF_EVICTED);
	begin_queue(t, true, true, false);
	KUNIT_EXPECT_EQ(test, t->hq.state, HW_QUEUE_EVICTED);
	begin_queue(t, true, false, false);
	KUNIT_EXPECT_EQ(test, t->hq.state, HW_QUEUE_WAITING);
	begin_queue(t, true, false, true);
	KUNIT_EXPECT_EQ(test, t->hq.state, HW_QUEUE_RUNNING);
}

/* Every event that takes a queue off frees its slot; only a running queue is entered. */
static void hwqueue_slot(struct kunit *test)
{
	static const enum hw_queue_event off[] = {
		HW_QUEUE_UNMAP, HW_QUEUE_PAUSE, HW_QUEUE_EVICT, HW_QUEUE_FAIL, HW_QUEUE_KILL,
	};
	struct hwqueue *t = test->priv;
	unsigned int i;

	__set_bit(0, t->slots);
	for (i = 0; i < ARRAY_SIZE(off); i++) {
		begin_queue(t, true, false, false);
		KUNIT_EXPECT_EQ(test, t->hq.hqd, HW_QUEUE_NO_SLOT);
		KUNIT_EXPECT_TRUE(test, happens(t, HW_QUEUE_MAP));
		KUNIT_EXPECT_EQ(test, t->hq.hqd, 1u);
		KUNIT_EXPECT_TRUE(test, test_bit(1, t->slots));
		KUNIT_EXPECT_TRUE(test, happens(t, off[i]));
		KUNIT_EXPECT_EQ(test, t->hq.hqd, HW_QUEUE_NO_SLOT);
		KUNIT_EXPECT_FALSE(test, test_bit(1, t->slots));
		spin_lock(&t->lock);
		KUNIT_EXPECT_FALSE(test, hw_queue_enter_locked(&t->hq));
		spin_unlock(&t->lock);
	}
}

/* An update during an eviction, and an eviction during an update, end in the right state. */
static void hwqueue_update_and_evict(struct kunit *test)
{
	struct hwqueue *t = test->priv;
	bool on;

	begin_queue(t, true, false, true);
	hw_queue_evict(&t->hq);
	KUNIT_EXPECT_EQ(test, hw_queue_pause(&t->hq, &on), 0);
	KUNIT_EXPECT_TRUE(test, on);
	KUNIT_EXPECT_TRUE(test, hw_queue_evicted(&t->hq));
	hw_queue_resume(&t->hq, false);
	KUNIT_EXPECT_EQ(test, t->hq.state, HW_QUEUE_OFF_EVICTED);
	KUNIT_EXPECT_EQ(test, hw_queue_pause(&t->hq, &on), 0);
	KUNIT_EXPECT_FALSE(test, on);
	hw_queue_restore(&t->hq);
	KUNIT_EXPECT_EQ(test, t->hq.state, HW_QUEUE_PAUSED);
	hw_queue_evict(&t->hq);
	hw_queue_resume(&t->hq, true);
	KUNIT_EXPECT_EQ(test, t->hq.state, HW_QUEUE_EVICTED);
	hw_queue_restore(&t->hq);
	KUNIT_EXPECT_EQ(test, t->hq.state, HW_QUEUE_RUNNING);
}

/* A failed queue is reported once, and not while it is evicted. */
static void hwqueue_failed(struct kunit *test)
{
	struct hwqueue *t = test->priv;
	bool on;

	begin_queue(t, true, false, true);
	happens(t, HW_QUEUE_FAIL);
	KUNIT_EXPECT_TRUE(test, hw_queue_stopped(&t->hq));
	hw_queue_evict(&t->hq);
	KUNIT_EXPECT_TRUE(test, hw_queue_evicted(&t->hq));
	KUNIT_EXPECT_EQ(test, t->hq.state, HW_QUEUE_FAILED_EVICTED);
	KUNIT_EXPECT_EQ(test, hw_queue_pause(&t->hq, &on), 0);
	hw_queue_resume(&t->hq, true);
	hw_queue_restore(&t->hq);
	KUNIT_EXPECT_EQ(test, t->hq.state, HW_QUEUE_FAILED);
	happens(t, HW_QUEUE_REPORT);
	KUNIT_EXPECT_EQ(test, t->hq.state, HW_QUEUE_DEAD);
	spin_lock(&t->lock);
	KUNIT_EXPECT_FALSE(test, hw_queue_kill_locked(&t->hq));
	spin_unlock(&t->lock);
}

/* Nothing brings a dead queue back. */
static void hwqueue_dead(struct kunit *test)
{
	struct hwqueue *t = test->priv;
	bool on;

	begin_queue(t, true, false, false);
	happens(t, HW_QUEUE_MAP);
	spin_lock(&t->lock);
	KUNIT_EXPECT_TRUE(test, hw_queue_kill_locked(&t->hq));
	spin_unlock(&t->lock);
	hw_queue_evict(&t->hq);
	KUNIT_EXPECT_FALSE(test, hw_queue_evicted(&t->hq));
	hw_queue_restore(&t->hq);
	KUNIT_EXPECT_EQ(test, hw_queue_pause(&t->hq, &on), 0);
	hw_queue_resume(&t->hq, true);
	KUNIT_EXPECT_EQ(test, t->hq.state, HW_QUEUE_DEAD);
}

/* An eviction does not wait for a thread that is parked, an update does. */
static void hwqueue_parked(struct kunit *test)
{
	struct hwqueue *t = test->priv;

	begin_queue(t, true, false, true);
	spin_lock(&t->lock);
	KUNIT_EXPECT_TRUE(test, hw_queue_enter_locked(&t->hq));
	spin_unlock(&t->lock);
	hw_queue_park(&t->hq);
	hw_queue_evict(&t->hq);
	KUNIT_EXPECT_EQ(test, t->hq.users, 1u);
	KUNIT_EXPECT_FALSE(test, hw_queue_unpark(&t->hq));
	hw_queue_restore(&t->hq);
	KUNIT_EXPECT_TRUE(test, hw_queue_unpark(&t->hq));
	hw_queue_leave(&t->hq);
	KUNIT_EXPECT_EQ(test, t->hq.users, 0u);
}

static struct kunit_case hwqueue_cases[] = {
	KUNIT_CASE(hwqueue_first_state),
	KUNIT_CASE(hwqueue_slot),
	KUNIT_CASE(hwqueue_update_and_evict),
	KUNIT_CASE(hwqueue_failed),
	KUNIT_CASE(hwqueue_dead),
	KUNIT_CASE(hwqueue_parked),
	{ }
};

static struct kunit_suite hwqueue_suite = {
	.name = "vkfd_hw_queue",
	.init = hwqueue_init,
	.test_cases = hwqueue_cases,
};

kunit_test_suite(hwqueue_suite);
