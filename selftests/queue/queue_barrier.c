// SPDX-License-Identifier: MIT
/*
 * Barriers in two halves, as gfx12 has them: a wave signals, does something else, and waits. In
 * between it is no wave that waits, whatever happens to its queue meanwhile.
 */
#include "queue_test.h"

#define WAVES	4u
#define ROUNDS	300u

/* Words of the kernel "split" */
enum { FIRST_GOES, SECOND_GOES, OTHERS_END, THERE = 8, WAITED = 16 };

#define NEED_SPLIT(self)						\
do {									\
	struct rig_kernel split;					\
									\
	if (rig_kernel(&(self)->r, "split", &split))			\
		SKIP(return, "barriers are of one piece");		\
} while (0)

static void set(u32 *word)
{
	__atomic_store_n(word, 1, __ATOMIC_RELEASE);
}

/* @waves waves, all of which have come to where they spin; NULL: they have not */
static struct rig_signal *start_split(FIXTURE_DATA(gpu) *self, u32 waves)
{
	struct rig_signal *s;
	u32 i;

	memset(self->words, 0, RIG_PAGE);
	s = start(&self->r, &self->q, "split", (uintptr_t)self->words, 0, 1, waves * 32);
	for (i = 0; i < waves; i++)
		if (!rig_wait32(&self->words[THERE + i], 1, RIG_LONG))
			return NULL;
	return s;
}

/* Takes the queue off the GPU, which saves its waves, and puts it back. */
static int off_and_on(FIXTURE_DATA(gpu) *self)
{
	int ret = rig_queue_update(&self->r, &self->q, 0);

	return ret ?: rig_queue_update(&self->r, &self->q, 100);
}

TEST_F(gpu, nobody_waits_for_who_has_signalled)
{
	struct rig_signal *s;

	NEED_SPLIT(self);
	s = start_split(self, 2);
	ASSERT_NE(s, NULL);
	set(&self->words[SECOND_GOES]);
	EXPECT_TRUE(rig_wait32(&self->words[WAITED + 1], 1, RIG_LONG));
	EXPECT_EQ(self->words[WAITED], 0);
	set(&self->words[FIRST_GOES]);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(self->words[WAITED], 1);
}

TEST_F(gpu, who_waits_waits_for_all_signals)
{
	struct rig_signal *s;

	NEED_SPLIT(self);
	s = start_split(self, 2);
	ASSERT_NE(s, NULL);
	set(&self->words[FIRST_GOES]);
	EXPECT_FALSE(rig_wait(s, 0, 200));
	EXPECT_EQ(self->words[WAITED], 0);
	set(&self->words[SECOND_GOES]);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(self->words[WAITED], 1);
	EXPECT_EQ(self->words[WAITED + 1], 1);
}

TEST_F(gpu, who_ends_need_not_signal)
{
	struct rig_signal *s;

	NEED_SPLIT(self);
	s = start_split(self, WAVES);
	ASSERT_NE(s, NULL);
	set(&self->words[FIRST_GOES]);
	set(&self->words[SECOND_GOES]);
	EXPECT_FALSE(rig_wait(s, 0, 200));
	EXPECT_EQ(self->words[WAITED], 0);
	set(&self->words[OTHERS_END]);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(self->words[WAITED], 1);
	EXPECT_EQ(self->words[WAITED + 1], 1);
}

/* Signals that were given, and a barrier that is complete for who has not waited yet, stay so. */
TEST_F(gpu, saved_between_the_halves)
{
	struct rig_signal *s;
	struct rig_mem area;

	NEED_SPLIT(self);
	ASSERT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	ASSERT_EQ(rig_area(&self->r, &area), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	s = start_split(self, 2);
	ASSERT_NE(s, NULL);
	ASSERT_EQ(off_and_on(self), 0);
	set(&self->words[SECOND_GOES]);
	EXPECT_TRUE(rig_wait32(&self->words[WAITED + 1], 1, RIG_LONG));
	ASSERT_EQ(off_and_on(self), 0);
	EXPECT_EQ(self->words[WAITED], 0);
	set(&self->words[FIRST_GOES]);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(self->words[WAITED], 1);
	/* And a wave that waits */
	s = start_split(self, 2);
	ASSERT_NE(s, NULL);
	set(&self->words[FIRST_GOES]);
	EXPECT_FALSE(rig_wait(s, 0, 100));
	ASSERT_EQ(off_and_on(self), 0);
	EXPECT_FALSE(rig_wait(s, 0, 100));
	EXPECT_EQ(self->words[WAITED], 0);
	set(&self->words[SECOND_GOES]);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
}

TEST_F(gpu, many_rounds)
{
	const u32 groups = 6;
	struct rig_signal *s;
	u32 i;

	NEED_SPLIT(self);
	memset(self->words, 0, RIG_PAGE);
	s = start(&self->r, &self->q, "split_rounds", (uintptr_t)self->words, ROUNDS, groups, 256);
	for (i = 0; i < 20 && !rig_wait(s, 0, 20); i++)
		ASSERT_EQ(off_and_on(self), 0);
	EXPECT_TRUE(rig_wait(s, 0, 3 * RIG_LONG));
	EXPECT_EQ(self->words[0], 0);
	EXPECT_EQ(self->words[1], groups * 256);
}

TEST_HARNESS_MAIN
