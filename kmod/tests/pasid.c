// SPDX-License-Identifier: GPL-2.0-only
/* PASIDs: different ones, and none, but no error, when others have them all. */
#include <kunit/test.h>
#include <linux/bitmap.h>

#include "../kfd/kfd.h"

#define PASIDS	0x10000

static void pasids_run_out(struct kunit *test)
{
	unsigned long *taken = bitmap_zalloc(PASIDS, GFP_KERNEL);
	unsigned int i, n = 0;
	int pasid;

	KUNIT_ASSERT_NOT_NULL(test, taken);
	while ((pasid = vkfd_pasid_get()) > 0 && n++ < PASIDS) {
		KUNIT_EXPECT_LT(test, pasid, PASIDS);
		KUNIT_EXPECT_FALSE(test, test_and_set_bit(pasid % PASIDS, taken));
	}
	KUNIT_EXPECT_EQ(test, pasid, 0);
	KUNIT_EXPECT_GT(test, n, 0x1000u);
	KUNIT_EXPECT_EQ(test, vkfd_pasid_get(), 0);
	vkfd_pasid_put(0);
	for_each_set_bit(i, taken, PASIDS)
		vkfd_pasid_put(i);
	pasid = vkfd_pasid_get();
	KUNIT_EXPECT_GT(test, pasid, 0);
	if (pasid > 0)
		vkfd_pasid_put(pasid);
	bitmap_free(taken);
}

static struct kunit_case pasid_cases[] = {
	KUNIT_CASE(pasids_run_out),
	{}
};

static struct kunit_suite pasid_suite = {
	.name = "vkfd_pasid",
	.test_cases = pasid_cases,
};

kunit_test_suite(pasid_suite);
