// SPDX-License-Identifier: MIT
/*
 * What happens to the GPU below a render node reaches the processes of KFD above it. GPU 0 is the
 * one below, or the only one.
 */
#define _GNU_SOURCE
#include "../kfd/file_util.h"
#include "queue_test.h"

#define RESET	"/sys/kernel/debug/kfd/0/inject/reset"

FIXTURE(below) {
	FIXTURE_DATA(gpu) g;
	u32 event;
};

FIXTURE_SETUP(below)
{
	u32 slot;

	ASSERT_EQ(0, rig_open(&self->g.r));
	ASSERT_EQ(0, rig_load(&self->g.r));
	ASSERT_EQ(0, rig_queue_create(&self->g.r, RIG_RING, &self->g.q));
	ASSERT_EQ(0, rig_anon(&self->g.r, 64 * RIG_PAGE, &self->g.data));
	self->g.words = self->g.data.p;
	ASSERT_EQ(0, rig_event(&self->g.r, KFD_IOC_EVENT_HW_EXCEPTION, &self->event, &slot));
	ASSERT_TRUE(queue_works(&self->g.r, &self->g.q, self->g.words));
	if (access(RESET, W_OK))
		SKIP(return, "no debugfs");
}

FIXTURE_TEARDOWN(below)
{
	rig_close(&self->g.r);
}

/* Its process is told, its queue does nothing any more, and others find a GPU that works. */
static void expect_told(FIXTURE_DATA(below) *self, const struct rig_signal *lost)
{
	struct kfd_event_data d = {};

	EXPECT_EQ(0, rig_event_wait(&self->g.r, self->event, RIG_LONG, &d));
	EXPECT_EQ(self->g.r.gpu_id, d.hw_exception_data.gpu_id);
	EXPECT_EQ(1, lost->value);
	EXPECT_EQ(0, rig_queue_destroy(&self->g.r, &self->g.q));
	EXPECT_TRUE(other_process_works());
}

TEST_F(below, reset_while_a_kernel_runs)
{
	u32 *stop = self->g.words + 1024, *alive = self->g.words + 1025;
	struct rig_signal *s;

	s = start(&self->g.r, &self->g.q, "spin_sleep", (uintptr_t)stop, (uintptr_t)alive, 1, 64);
	ASSERT_TRUE(rig_wait32(alive, 1, RIG_LONG));
	ASSERT_EQ(0, file_write(RESET, "hang"));
	expect_told(self, s);
}

/* Whoever is idle may not be told before it wants something. */
TEST_F(below, reset_while_nothing_runs)
{
	ASSERT_EQ(0, file_write(RESET, "hang"));
	expect_told(self, start_add(&self->g.r, &self->g.q, self->g.words, 1, 1));
}

/* Who comes behind each of them finds a GPU that works. */
TEST_F(below, resets_one_after_the_other)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, file_write(RESET, i == 1 ? "ecc" : "hang"));
		EXPECT_TRUE(other_process_works());
	}
	EXPECT_EQ(0, rig_queue_destroy(&self->g.r, &self->g.q));
}

TEST_HARNESS_MAIN
