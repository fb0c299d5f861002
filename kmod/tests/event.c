// SPDX-License-Identifier: GPL-2.0-only
/* Events of a process: ids, limits, set, reset, and which waits consume them. */
#include <kunit/test.h>

#include "../kfd/event.h"

static int event_init(struct kunit *test)
{
	struct vkfd_process *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	mutex_init(&p->base.lock);
	KUNIT_ASSERT_EQ(test, vkfd_events_init(&p->events), 0);
	test->priv = p;
	return 0;
}

static void event_exit(struct kunit *test)
{
	struct vkfd_process *p = test->priv;

	if (!p)
		return;
	vkfd_events_fini(&p->events);
	vkfd_events_free(&p->events);
}

static int event_create(struct kunit *test, u32 type, bool auto_reset, u32 *id)
{
	struct kfd_ioctl_create_event_args args = {
		.event_type = type, .auto_reset = auto_reset,
	};
	int ret = vkfd_ioctl_create_event(test->priv, &args);

	*id = args.event_id;
	return ret;
}

static int event_set(struct kunit *test, u32 id)
{
	struct kfd_ioctl_set_event_args args = { .event_id = id };

	return vkfd_ioctl_set_event(test->priv, &args);
}

static int event_reset(struct kunit *test, u32 id)
{
	struct kfd_ioctl_reset_event_args args = { .event_id = id };

	return vkfd_ioctl_reset_event(test->priv, &args);
}

static int event_destroy(struct kunit *test, u32 id)
{
	struct kfd_ioctl_destroy_event_args args = { .event_id = id };

	return vkfd_ioctl_destroy_event(test->priv, &args);
}

static bool event_signaled(struct kunit *test, u32 id)
{
	struct vkfd_process *p = test->priv;
	struct vkfd_event *ev;
	bool signaled;

	spin_lock(&p->events.lock);
	ev = vkfd_event_find(&p->events, id);
	signaled = ev && ev->signaled;
	spin_unlock(&p->events.lock);
	return signaled;
}

static void event_ids(struct kunit *test)
{
	u32 a, b, other;

	KUNIT_ASSERT_EQ(test, event_create(test, KFD_IOC_EVENT_SIGNAL, true, &a), 0);
	KUNIT_ASSERT_EQ(test, event_create(test, KFD_IOC_EVENT_SIGNAL, true, &b), 0);
	KUNIT_ASSERT_EQ(test, event_create(test, KFD_IOC_EVENT_MEMORY, false, &other), 0);
	KUNIT_EXPECT_NE(test, a, 0u);	/* in an interrupt, 0 means "no id" */
	KUNIT_EXPECT_NE(test, a, b);
	KUNIT_EXPECT_GT(test, other, (u32)KFD_SIGNAL_EVENT_LIMIT - 1);
	KUNIT_EXPECT_EQ(test, event_destroy(test, a), 0);
	KUNIT_EXPECT_EQ(test, event_destroy(test, a), -EINVAL);
	KUNIT_EXPECT_EQ(test, event_destroy(test, 0), -EINVAL);
	/* the lowest free id is used again */
	KUNIT_ASSERT_EQ(test, event_create(test, KFD_IOC_EVENT_SIGNAL, true, &b), 0);
	KUNIT_EXPECT_EQ(test, b, a);
}

static void event_slots_run_out(struct kunit *test)
{
	unsigned int n = 0;
	int ret;
	u32 id;

	do {
		ret = event_create(test, KFD_IOC_EVENT_SIGNAL, true, &id);
	} while (!ret && ++n <= KFD_SIGNAL_EVENT_LIMIT);
	KUNIT_EXPECT_EQ(test, ret, -ENOSPC);
	KUNIT_EXPECT_EQ(test, n, 255u);	/* 256 slots before the page is mapped, without id 0 */
	/* others have no slot */
	KUNIT_EXPECT_EQ(test, event_create(test, KFD_IOC_EVENT_HW_EXCEPTION, false, &id), 0);
}

static void event_set_reset(struct kunit *test)
{
	u32 id;

	KUNIT_ASSERT_EQ(test, event_create(test, KFD_IOC_EVENT_SIGNAL, false, &id), 0);
	KUNIT_EXPECT_FALSE(test, event_signaled(test, id));
	KUNIT_EXPECT_EQ(test, event_set(test, id), 0);
	KUNIT_EXPECT_EQ(test, event_set(test, id), 0);
	KUNIT_EXPECT_TRUE(test, event_signaled(test, id));
	KUNIT_EXPECT_EQ(test, event_reset(test, id), 0);
	KUNIT_EXPECT_FALSE(test, event_signaled(test, id));
	KUNIT_EXPECT_EQ(test, event_set(test, id + 1), -EINVAL);
}

/* Only the kernel may set memory and hardware events. */
static void event_kernel_only(struct kunit *test)
{
	u32 id;

	KUNIT_ASSERT_EQ(test, event_create(test, KFD_IOC_EVENT_MEMORY, false, &id), 0);
	KUNIT_EXPECT_EQ(test, event_set(test, id), -EINVAL);
	KUNIT_EXPECT_EQ(test, event_reset(test, id), -EINVAL);
}

/* An auto-reset event that wakes a waiter is consumed, else it stays set. */
static void event_auto_reset(struct kunit *test)
{
	struct vkfd_process *p = test->priv;
	struct vkfd_waiter w = { .task = current };
	struct vkfd_event *ev;
	u32 id;

	KUNIT_ASSERT_EQ(test, event_create(test, KFD_IOC_EVENT_SIGNAL, true, &id), 0);
	KUNIT_EXPECT_EQ(test, event_set(test, id), 0);
	KUNIT_EXPECT_TRUE(test, event_signaled(test, id));
	KUNIT_EXPECT_EQ(test, event_reset(test, id), 0);

	spin_lock(&p->events.lock);
	ev = vkfd_event_find(&p->events, id);
	w.event = ev;
	list_add_tail(&w.node, &ev->waiters);
	vkfd_event_set(p, ev);
	spin_unlock(&p->events.lock);
	KUNIT_EXPECT_TRUE(test, w.activated);
	KUNIT_EXPECT_FALSE(test, event_signaled(test, id));

	/* destroying an event detaches its waiters */
	KUNIT_EXPECT_EQ(test, event_destroy(test, id), 0);
	KUNIT_EXPECT_NULL(test, w.event);
	KUNIT_EXPECT_TRUE(test, list_empty(&w.node));
}

static struct kunit_case event_list[] = {
	KUNIT_CASE(event_ids),
	KUNIT_CASE(event_slots_run_out),
	KUNIT_CASE(event_set_reset),
	KUNIT_CASE(event_kernel_only),
	KUNIT_CASE(event_auto_reset),
	{}
};

static struct kunit_suite event_suite = {
	.name = "vkfd_event",
	.init = event_init,
	.exit = event_exit,
	.test_cases = event_list,
};

kunit_test_suite(event_suite);
