// SPDX-License-Identifier: GPL-2.0-only
/* Shares of users in what there is only so much of. */
#include <linux/err.h>
#include <linux/slab.h>
#include <kunit/test.h>

#include "../gpu/process.h"
#include "../gpu/share.h"

#define LIMIT	8
#define USERS	4

struct share_test {
	struct gpu_shares shares;
	struct gpu_process user[USERS];
	struct gpu_share *of[USERS][LIMIT];
	unsigned int n[USERS];
};

static struct share_test *share_test_new(struct kunit *test)
{
	struct share_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	gpu_shares_init(&t->shares);
	for (i = 0; i < USERS; i++)
		t->user[i].uid = KUIDT_INIT(1000 + i);
	return t;
}

/* All that it gets. */
static unsigned int take_all(struct kunit *test, struct share_test *t, unsigned int user)
{
	struct gpu_share *s;

	while (t->n[user] < LIMIT) {
		s = gpu_share_take(&t->shares, &t->user[user], LIMIT, GFP_KERNEL);
		if (IS_ERR(s)) {
			KUNIT_EXPECT_EQ(test, PTR_ERR(s), -ENOSPC);
			break;
		}
		t->of[user][t->n[user]++] = s;
	}
	return t->n[user];
}

static void give_all(struct share_test *t)
{
	unsigned int i;

	for (i = 0; i < USERS; i++)
		while (t->n[i])
			gpu_share_give(&t->shares, t->of[i][--t->n[i]]);
}

static void share_half_of_what_is_left(struct kunit *test)
{
	struct share_test *t = share_test_new(test);

	KUNIT_EXPECT_EQ(test, take_all(test, t, 0), 4);
	KUNIT_EXPECT_EQ(test, take_all(test, t, 1), 2);
	KUNIT_EXPECT_EQ(test, take_all(test, t, 2), 1);
	KUNIT_EXPECT_EQ(test, take_all(test, t, 3), 1);
	KUNIT_EXPECT_EQ(test, t->shares.taken, LIMIT);
	/* Others have come since: what is given back is for one who has nothing. */
	gpu_share_give(&t->shares, t->of[1][--t->n[1]]);
	KUNIT_EXPECT_EQ(test, take_all(test, t, 0), 4);
	KUNIT_EXPECT_EQ(test, take_all(test, t, 1), 1);
	gpu_share_give(&t->shares, t->of[2][--t->n[2]]);
	KUNIT_EXPECT_EQ(test, take_all(test, t, 2), 1);
	give_all(t);
	KUNIT_EXPECT_EQ(test, t->shares.taken, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&t->shares.users));
}

static void share_of_the_privileged(struct kunit *test)
{
	struct share_test *t = share_test_new(test);
	struct gpu_share *more;

	t->user[1].privileged = true;
	KUNIT_EXPECT_EQ(test, take_all(test, t, 0), 4);
	KUNIT_EXPECT_EQ(test, take_all(test, t, 1), 4);
	KUNIT_EXPECT_EQ(test, take_all(test, t, 2), 0);
	/* Fewer than there are by now */
	more = gpu_share_take(&t->shares, &t->user[1], 2, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(more), -ENOSPC);
	give_all(t);
	KUNIT_EXPECT_TRUE(test, list_empty(&t->shares.users));
}

static struct kunit_case share_cases[] = {
	KUNIT_CASE(share_half_of_what_is_left),
	KUNIT_CASE(share_of_the_privileged),
	{ }
};

static struct kunit_suite share_suite = {
	.name = "vkfd_share",
	.test_cases = share_cases,
};

kunit_test_suite(share_suite);
