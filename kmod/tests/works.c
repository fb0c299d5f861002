// SPDX-License-Identifier: GPL-2.0-only
/* Works that take the lock of a process (vkfd_process_work()), while many hold theirs. */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <kunit/test.h>

#include "../kfd/kfd.h"

/* More than a workqueue has places */
#define MANY	(WQ_DFL_ACTIVE + 100)

struct works {
	struct completion done;
	atomic_t runs;
	struct one {
		struct vkfd_process p;
		struct works *of;
	} one[MANY];
};

static void work(struct work_struct *work)
{
	struct one *o = container_of(to_delayed_work(work), struct one, p.area_work);

	if (!vkfd_process_work_begin(&o->p, &o->p.area_work))
		return;
	if (atomic_inc_return(&o->of->runs) == 1)
		complete(&o->of->done);
	vkfd_process_work_end(&o->p);
}

static int works_init(struct kunit *test)
{
	struct works *w = kvzalloc(sizeof(*w), GFP_KERNEL);
	unsigned int i;

	test->priv = w;
	KUNIT_ASSERT_NOT_NULL(test, w);
	init_completion(&w->done);
	for (i = 0; i < MANY; i++) {
		kref_init(&w->one[i].p.base.ref);
		mutex_init(&w->one[i].p.base.lock);
		INIT_DELAYED_WORK(&w->one[i].p.area_work, work);
		w->one[i].of = w;
	}
	return 0;
}

/* The first process of all is kept for who does not hold his lock. lockdep could not count them. */
static void hold_all(struct works *w)
{
	unsigned int i;

	lockdep_off();
	for (i = 1; i < MANY; i++)
		mutex_lock(&w->one[i].p.base.lock);
	lockdep_on();
}

static void let_go(struct works *w)
{
	unsigned int i;

	lockdep_off();
	for (i = 1; i < MANY; i++)
		mutex_unlock(&w->one[i].p.base.lock);
	lockdep_on();
}

static void works_exit(struct kunit *test)
{
	struct works *w = test->priv;
	unsigned int i;

	for (i = 0; w && i < MANY; i++) {
		while (flush_delayed_work(&w->one[i].p.area_work))
			;
		KUNIT_EXPECT_EQ(test, kref_read(&w->one[i].p.base.ref), 1);
		mutex_destroy(&w->one[i].p.base.lock);
	}
	kvfree(w);
}

static void works_of_others_wait(struct kunit *test)
{
	struct works *w = test->priv;
	unsigned int i;

	hold_all(w);
	for (i = MANY; i--;)
		vkfd_process_work(&w->one[i].p, &w->one[i].p.area_work, 0);
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&w->done, 30 * HZ), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&w->runs), 1);
	let_go(w);
	for (i = 0; i < MANY; i++)
		while (flush_delayed_work(&w->one[i].p.area_work))
			;
	KUNIT_EXPECT_EQ(test, atomic_read(&w->runs), MANY);
}

/* One that would come again, and one that is about to run */
static void works_are_cancelled(struct kunit *test)
{
	struct works *w = test->priv;
	struct vkfd_process *held = &w->one[1].p, *late = &w->one[0].p;
	unsigned int i;

	mutex_lock(&held->base.lock);
	vkfd_process_work(held, &held->area_work, 0);
	vkfd_process_work(late, &late->area_work, 3600 * HZ);
	for (i = 0; i < 10000 && !READ_ONCE(held->work_delay); i++)
		usleep_range(1000, 2000);
	KUNIT_EXPECT_NE(test, READ_ONCE(held->work_delay), 0);
	vkfd_process_work(held, &held->area_work, 0);	/* queued already, or again */
	if (READ_ONCE(held->work_delay))
		vkfd_process_work_cancel(held, &held->area_work);
	vkfd_process_work_cancel(late, &late->area_work);
	mutex_unlock(&held->base.lock);
	KUNIT_EXPECT_EQ(test, kref_read(&held->base.ref), 1);
	KUNIT_EXPECT_EQ(test, kref_read(&late->base.ref), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&w->runs), 0);
}

static struct kunit_case works_cases[] = {
	KUNIT_CASE(works_of_others_wait),
	KUNIT_CASE(works_are_cancelled),
	{}
};

static struct kunit_suite works_suite = {
	.name = "vkfd_works",
	.init = works_init,
	.exit = works_exit,
	.test_cases = works_cases,
};

kunit_test_suite(works_suite);
