// SPDX-License-Identifier: GPL-2.0-only
/* Requests for memory (gpu/room.c): one user's do not take the places of others. */
#include <linux/completion.h>
#include <linux/mm.h>
#include <linux/workqueue.h>
#include <kunit/test.h>

#include "../gpu/gpu_int.h"
#include "../gpu/room.h"

/* More than a workqueue has places */
#define MANY	(WQ_DFL_ACTIVE + 100)

struct room_test {
	struct completion go, done;
	atomic_t now, most, over;
	struct gpu_room_user *user[2];
	struct one {
		struct gpu_room_job job;
		struct room_test *of;
	} one[MANY + 1];
};

/* Waits as one does whose memory does not come. */
static void run_late(struct gpu_room_job *job)
{
	struct room_test *t = container_of(job, struct one, job)->of;
	int now = atomic_inc_return(&t->now), most = atomic_read(&t->most);

	while (now > most && !atomic_try_cmpxchg(&t->most, &most, now))
		;
	wait_for_completion(&t->go);
	atomic_dec(&t->now);
	atomic_inc(&t->over);
}

static void run_now(struct gpu_room_job *job)
{
	complete(&container_of(job, struct one, job)->of->done);
}

static int room_test_init(struct kunit *test)
{
	struct room_test *t = kvzalloc(sizeof(*t), GFP_KERNEL);
	unsigned int i;

	test->priv = t;
	KUNIT_ASSERT_NOT_NULL(test, t);
	init_completion(&t->go);
	init_completion(&t->done);
	for (i = 0; i <= MANY; i++) {
		gpu_room_job_init(&t->one[i].job, i < MANY ? run_late : run_now);
		t->one[i].of = t;
	}
	for (i = 0; i < 2; i++) {
		t->user[i] = gpu_room_user_get(KUIDT_INIT(0x7ffffff0 + i));
		KUNIT_ASSERT_NOT_NULL(test, t->user[i]);
	}
	return 0;
}

static void room_test_exit(struct kunit *test)
{
	struct room_test *t = test->priv;
	unsigned int i;

	if (!t)
		return;
	complete_all(&t->go);
	for (i = 0; i < 2; i++)
		if (t->user[i])
			gpu_room_user_put(t->user[i]);
	gpu_room_flush();
	kvfree(t);
}

static void room_for_another_user(struct kunit *test)
{
	struct room_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < MANY; i++)
		gpu_room_queue(t->user[0], &t->one[i].job);
	gpu_room_queue(t->user[1], &t->one[MANY].job);
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&t->done, 30 * HZ), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->over), 0);
	complete_all(&t->go);
	/* Each has the next one run. */
	for (i = 0; i < MANY && atomic_read(&t->over) < MANY; i++)
		gpu_room_flush();
	KUNIT_EXPECT_EQ(test, atomic_read(&t->over), MANY);
	KUNIT_EXPECT_LE(test, atomic_read(&t->most), 8);
}

static void room_users_are_counted(struct kunit *test)
{
	struct room_test *t = test->priv;
	struct gpu_room_user *again = gpu_room_user_get(KUIDT_INIT(0x7ffffff0));

	KUNIT_EXPECT_PTR_EQ(test, again, t->user[0]);
	if (again)
		gpu_room_user_put(again);
	gpu_room_queue(t->user[1], &t->one[MANY].job);
	gpu_room_user_put(t->user[1]);
	t->user[1] = NULL;
	wait_for_completion(&t->done);
	gpu_room_flush();
}

static struct kunit_case room_cases[] = {
	KUNIT_CASE(room_for_another_user),
	KUNIT_CASE(room_users_are_counted),
	{}
};

static struct kunit_suite room_suite = {
	.name = "vkfd_room",
	.init = room_test_init,
	.exit = room_test_exit,
	.test_cases = room_cases,
};

kunit_test_suite(room_suite);
