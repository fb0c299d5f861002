// SPDX-License-Identifier: GPL-2.0-only
/*
 * User queues of the render node: one that does not come to rest holds up nobody who wants
 * something of others, and each hears of sleep once, whoever comes and goes meanwhile.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <kunit/test.h>

#include "../drm/userq.h"
#include "../gpu/backend.h"
#include "../gpu/doorbell.h"

#define QUEUES	3
#define LONG	(30 * HZ)	/* ends a test that has failed */

struct userq_test;

/* What the backend heard of a queue. */
struct heard {
	struct vdrm_userq uq;
	struct userq_test *t;
	unsigned int inits, finis, evicts, restores;
	bool slow;	/* its end, and its eviction, last until @go */
};

struct userq_test {
	struct gpu_device gdev;
	struct gpu_process process;
	struct vdrm_device vdev;
	struct gpu_doorbells db;
	u64 val[QUEUES];
	struct completion inside, go, done;
	bool stuck;
	struct heard h[QUEUES];
};

static struct heard *to_heard(struct gpu_queue *q)
{
	return container_of(q, struct heard, uq.q);
}

static void stay(struct heard *h)
{
	if (!h->slow)
		return;
	complete(&h->t->inside);
	if (!wait_for_completion_timeout(&h->t->go, LONG))
		h->t->stuck = true;
}

static int hear_init(struct gpu_queue *q)
{
	to_heard(q)->inits++;
	return 0;
}

static void hear_fini(struct gpu_queue *q)
{
	to_heard(q)->finis++;
	stay(to_heard(q));
}

static void hear_evict(struct gpu_queue *q)
{
	to_heard(q)->evicts++;
	stay(to_heard(q));
}

static void hear_restore(struct gpu_queue *q)
{
	to_heard(q)->restores++;
}

static const struct gpu_backend_ops hearing = {
	.queue_init = hear_init,
	.queue_fini = hear_fini,
	.queue_evict = hear_evict,
	.queue_restore = hear_restore,
};

static int userq_test_init(struct kunit *test)
{
	struct userq_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	t->gdev.backend = &hearing;
	gpu_shares_init(&t->gdev.queues);
	t->db.val = t->val;
	vdrm_userqs_init(&t->vdev.userqs, false);
	init_completion(&t->inside);
	init_completion(&t->go);
	init_completion(&t->done);
	for (i = 0; i < QUEUES; i++) {
		struct vdrm_userq *uq = &t->h[i].uq;

		t->h[i].t = t;
		kref_init(&uq->ref);	/* never put: it is not freed on its own */
		mutex_init(&uq->calls);
		vdrm_userq_fences_init(uq);
		uq->vdev = &t->vdev;
		uq->pdd.doorbells = &t->db;
		uq->q.gdev = &t->gdev;
		uq->q.process = &t->process;
		uq->q.doorbell = i;
	}
	return 0;
}

static int end_first(void *data)
{
	struct userq_test *t = data;

	vdrm_userq_down(&t->h[0].uq);
	complete(&t->done);
	return 0;
}

static int sleep_all(void *data)
{
	struct userq_test *t = data;

	vdrm_userqs_sleep(&t->vdev.userqs, true);
	complete(&t->done);
	return 0;
}

/* Returns when the backend is at the first queue, and stays there. */
static void start(struct kunit *test, int (*run)(void *))
{
	struct userq_test *t = test->priv;

	t->h[0].slow = true;
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(run, t, "vkfd_userq_test")));
	wait_for_completion(&t->inside);
}

static void finish(struct kunit *test)
{
	struct userq_test *t = test->priv;

	complete(&t->go);
	wait_for_completion(&t->done);
	KUNIT_EXPECT_FALSE(test, t->stuck);
	t->h[0].slow = false;
}

static void userq_slow_end(struct kunit *test)
{
	struct userq_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, vdrm_userq_up(&t->h[0].uq), 0);
	KUNIT_ASSERT_EQ(test, vdrm_userq_up(&t->h[1].uq), 0);
	start(test, end_first);
	/* Others come and go meanwhile. */
	KUNIT_EXPECT_EQ(test, vdrm_userq_up(&t->h[2].uq), 0);
	vdrm_userq_down(&t->h[1].uq);
	vdrm_userq_down(&t->h[2].uq);
	KUNIT_EXPECT_EQ(test, t->h[2].finis, 1);
	finish(test);
	KUNIT_EXPECT_EQ(test, t->h[0].finis, 1);
	KUNIT_EXPECT_TRUE(test, list_empty(&t->vdev.userqs.list));
	KUNIT_EXPECT_EQ(test, t->gdev.queues.taken, 0);
}

static void userq_slow_sleep(struct kunit *test)
{
	struct userq_test *t = test->priv;
	struct vdrm_userqs *qs = &t->vdev.userqs;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, vdrm_userq_up(&t->h[0].uq), 0);
	KUNIT_ASSERT_EQ(test, vdrm_userq_up(&t->h[1].uq), 0);
	start(test, sleep_all);
	/* The next one of the walk goes, another comes, which is asleep at once. */
	vdrm_userq_down(&t->h[1].uq);
	KUNIT_EXPECT_EQ(test, vdrm_userq_up(&t->h[2].uq), 0);
	KUNIT_EXPECT_TRUE(test, t->h[2].uq.q.evicted);
	finish(test);
	KUNIT_EXPECT_EQ(test, t->h[0].evicts, 1);
	KUNIT_EXPECT_EQ(test, t->h[1].evicts, 0);
	KUNIT_EXPECT_EQ(test, t->h[2].evicts, 0);
	vdrm_userqs_sleep(qs, false);
	for (i = 0; i < QUEUES; i++) {
		KUNIT_EXPECT_EQ(test, t->h[i].restores, i == 1 ? 0 : 1);
		KUNIT_EXPECT_FALSE(test, t->h[i].uq.q.evicted);
	}
	vdrm_userqs_sleep(qs, false);
	KUNIT_EXPECT_EQ(test, t->h[0].restores, 1);

	vdrm_userqs_fini(qs);
	for (i = 0; i < QUEUES; i++)
		KUNIT_EXPECT_EQ(test, t->h[i].finis, 1);
	KUNIT_EXPECT_EQ(test, vdrm_userq_up(&t->h[1].uq), -ENODEV);
	KUNIT_EXPECT_EQ(test, t->h[1].inits, 1);
	KUNIT_EXPECT_EQ(test, t->gdev.queues.taken, 0);
}

static struct kunit_case userq_cases[] = {
	KUNIT_CASE(userq_slow_end),
	KUNIT_CASE(userq_slow_sleep),
	{ }
};

static struct kunit_suite userq_suite = {
	.name = "vkfd_userq",
	.init = userq_test_init,
	.test_cases = userq_cases,
};

kunit_test_suite(userq_suite);
