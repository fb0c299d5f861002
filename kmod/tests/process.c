// SPDX-License-Identifier: GPL-2.0-only
/* A process for KUnit cases. */
#include <kunit/test.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "process.h"

static void process_release(struct gpu_process *p)
{
	kfree(p);
}

void test_process_init(struct kunit *test, struct test_process *tp)
{
	KUNIT_ASSERT_EQ(test, kunit_attach_mm(), 0);
	tp->gdev = gpu_device_by_index(0);
	KUNIT_ASSERT_NOT_NULL(test, tp->gdev);
	tp->process = kzalloc(sizeof(*tp->process), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, tp->process);
	gpu_process_init(tp->process, current->mm, current, process_release);
}

void test_process_fini(struct test_process *tp)
{
	if (tp->process)
		gpu_process_put(tp->process);
	if (tp->gdev)
		gpu_device_put(tp->gdev);
}
