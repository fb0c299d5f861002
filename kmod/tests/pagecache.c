// SPDX-License-Identifier: GPL-2.0-only
/* The page cache of a VM: slots and rights; removing a page waits for the workers. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mm.h>

#include "../gpu/device.h"
#include "../gpu/pagecache.h"
#include "../gpu/vm.h"
#include "../gpu/gpu_int.h"
#include "late.h"

#define FIRST	0x1000ull	/* page numbers */

struct pc_test {
	struct gpu_device *gdev;
	struct gpu_vm *vm;
	struct page *page;
};

static int pc_init(struct kunit *test)
{
	struct pc_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->gdev = gpu_device_by_index(0);
	KUNIT_ASSERT_NOT_NULL(test, t->gdev);
	test->priv = t;
	t->vm = gpu_vm_create(t->gdev);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->vm);
	t->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	KUNIT_ASSERT_NOT_NULL(test, t->page);
	return 0;
}

static void pc_shootdown(struct pc_test *t)
{
	mutex_lock(&t->vm->pc_lock);
	gpu_pc_shootdown(t->vm, FIRST, FIRST + 1, false);
	mutex_unlock(&t->vm->pc_lock);
}

static void pc_exit(struct kunit *test)
{
	struct pc_test *t = test->priv;

	if (!t)
		return;
	if (!IS_ERR_OR_NULL(t->vm)) {
		pc_shootdown(t);
		gpu_vm_put(t->vm);
	}
	if (t->page)
		__free_page(t->page);
	gpu_device_put(t->gdev);
}

static void pc_fill(struct kunit *test, u32 access)
{
	struct pc_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, gpu_pc_reserve(t->vm, FIRST, 2, GFP_KERNEL), 0);
	mutex_lock(&t->vm->pc_lock);
	KUNIT_EXPECT_EQ(test, gpu_pc_store(t->vm, FIRST, page_to_pfn(t->page), access,
					   GPU_PLACE_SYSTEM), 0);
	mutex_unlock(&t->vm->pc_lock);
	gpu_pc_release(t->vm, FIRST, 2);
}

static void pc_lookup(struct kunit *test)
{
	struct pc_test *t = test->priv;
	u64 va = FIRST << PAGE_SHIFT;
	u32 access = 0;

	pc_fill(test, GPU_R | GPU_X);
	KUNIT_EXPECT_PTR_EQ(test, gpu_vm_lookup(t->vm, va + 8, GPU_R, &access),
			    page_address(t->page));
	KUNIT_EXPECT_EQ(test, access, (u32)(GPU_R | GPU_X));
	KUNIT_EXPECT_NULL(test, gpu_vm_lookup(t->vm, va, GPU_W, &access));
	/* reserved, then released without being filled: no entry */
	KUNIT_EXPECT_NULL(test, gpu_vm_lookup(t->vm, va + PAGE_SIZE, GPU_R, &access));
}

static void pc_shootdown_counts(struct kunit *test)
{
	struct pc_test *t = test->priv;
	u64 gen = READ_ONCE(t->vm->gen);
	u32 access;

	pc_shootdown(t);
	KUNIT_EXPECT_EQ_MSG(test, READ_ONCE(t->vm->gen), gen, "nothing was removed");
	pc_fill(test, GPU_R);
	pc_shootdown(t);
	KUNIT_EXPECT_EQ(test, READ_ONCE(t->vm->gen), gen + 1);
	KUNIT_EXPECT_NULL(test, gpu_vm_lookup(t->vm, FIRST << PAGE_SHIFT, GPU_R, &access));
}

/* Entries that the shrinker removes are gone, and the VM's workers look them up again. */
static void pc_shrinks(struct kunit *test)
{
	struct pc_test *t = test->priv;
	u64 gen = READ_ONCE(t->vm->gen);
	u32 access;

	pc_fill(test, GPU_R);
	KUNIT_EXPECT_GE(test, gpu_pc_shrink(ULONG_MAX), 1ul);
	KUNIT_EXPECT_EQ(test, READ_ONCE(t->vm->gen), gen + 1);
	KUNIT_EXPECT_NULL(test, gpu_vm_lookup(t->vm, FIRST << PAGE_SHIFT, GPU_R, &access));
	KUNIT_EXPECT_EQ(test, gpu_pc_shrink(ULONG_MAX), 0ul);
}

/* A worker on another CPU that stays in its section for a while. */
struct pc_worker {
	struct pc_test *t;
	struct gpu_vm_worker w;
	bool inside, done;
};

static int pc_worker_thread(void *data)
{
	struct pc_worker *pw = data;

	gpu_vm_enter(&pw->w, pw->t->vm);
	smp_store_release(&pw->inside, true);	/* in the section */
	mdelay(20);
	WRITE_ONCE(pw->done, true);
	gpu_vm_exit(&pw->w);
	while (!kthread_should_stop())
		usleep_range(100, 200);
	return 0;
}

static void pc_shootdown_waits(struct kunit *test)
{
	struct pc_worker pw = { .t = test->priv };
	unsigned int here, cpu;
	struct task_struct *task;

	if (num_online_cpus() < 2)
		kunit_skip(test, "wants two CPUs");
	pc_fill(test, GPU_R);
	gpu_vm_worker_add(pw.t->gdev, &pw.w);
	task = kthread_create(pc_worker_thread, &pw, "vkfd-test");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	migrate_disable();
	here = smp_processor_id();
	cpu = cpumask_any_but(cpu_online_mask, here);
	kthread_bind(task, cpu);
	wake_up_process(task);
	/* Pairs with pc_worker_thread(). */
	while (!smp_load_acquire(&pw.inside))
		usleep_range(50, 100);
	pc_shootdown(pw.t);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(pw.done));
	migrate_enable();
	kthread_stop(task);
	gpu_vm_worker_del(pw.t->gdev, &pw.w);
}

static struct kunit_case pc_list[] = {
	KUNIT_CASE(pc_lookup),
	KUNIT_CASE(pc_shootdown_counts),
	KUNIT_CASE(pc_shrinks),
	KUNIT_CASE(pc_shootdown_waits),
	{}
};

static struct kunit_suite pc_suite = {
	.name = "vkfd_pagecache",
	.init = pc_init,
	.exit = pc_exit,
	.test_cases = pc_list,
};

VKFD_LATE_SUITE(pc_suite);
