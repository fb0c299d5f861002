// SPDX-License-Identifier: GPL-2.0-only
/* Ranges of shared virtual memory when the memory is unmapped, and when it moves. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/slab.h>

#include "../gpu/device.h"
#include "../gpu/faulter.h"
#include "../gpu/pagecache.h"
#include "../gpu/vm.h"
#include "../gpu/gpu_int.h"
#include "../gpu/svm.h"
#include "../gpu/svm_int.h"
#include "../gpu/vram.h"
#include "process.h"

#define PAGES	16

struct svm_test {
	struct test_process tp;
	struct gpu_vm *vm;
	struct gpu_svm *svm;
	struct page *page;
	unsigned long addr;
};

static int svm_init(struct kunit *test)
{
	struct svm_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	test_process_init(test, &t->tp);
	t->vm = gpu_vm_create(t->tp.gdev);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->vm);
	t->svm = gpu_svm_create(t->tp.process, BIT(0));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->svm);
	gpu_svm_attach(t->svm, t->vm, 0);
	t->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	KUNIT_ASSERT_NOT_NULL(test, t->page);
	t->addr = vm_mmap(NULL, 0, PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(t->addr));
	return 0;
}

static void svm_exit(struct kunit *test)
{
	struct svm_test *t = test->priv;

	if (!t)
		return;
	if (!IS_ERR_OR_NULL(t->svm)) {
		gpu_svm_detach(t->svm);
		gpu_svm_free(t->svm);
	}
	if (!IS_ERR_OR_NULL(t->vm))
		gpu_vm_put(t->vm);
	if (t->page)
		__free_page(t->page);
	test_process_fini(&t->tp);
}

/* The GPU maps it. */
static void svm_store_page(struct kunit *test, unsigned int i)
{
	struct svm_test *t = test->priv;
	u64 index = (t->addr >> PAGE_SHIFT) + i;

	KUNIT_ASSERT_EQ(test, gpu_pc_reserve(t->vm, index, 1, GFP_KERNEL), 0);
	mutex_lock(&t->vm->pc_lock);
	KUNIT_EXPECT_EQ(test, gpu_pc_store(t->vm, index, page_to_pfn(t->page), GPU_R,
					   GPU_PLACE_SYSTEM), 0);
	mutex_unlock(&t->vm->pc_lock);
}

/* Neighbours get different attributes, so each page is a range; the GPU maps it. */
static void svm_share_page(struct kunit *test, unsigned int i)
{
	struct svm_test *t = test->priv;
	struct gpu_svm_change c = {
		.remap = true, .gpus = BIT(0), .value.access = BIT(0),
		.flags_set = i & 1 ? GPU_SVM_READ_ONLY : GPU_SVM_EXEC,
	};

	mutex_lock(&t->tp.process->lock);
	KUNIT_EXPECT_EQ(test, gpu_svm_set(t->svm, t->addr + i * PAGE_SIZE, PAGE_SIZE, &c), 0);
	mutex_unlock(&t->tp.process->lock);
	svm_store_page(test, i);
}

/* When the pages of many ranges are unmapped at once, there is one wait for the GPU. */
static void svm_unmap_waits_once(struct kunit *test)
{
	struct svm_test *t = test->priv;
	unsigned int i;
	u32 access;
	u64 gen;

	for (i = 0; i < PAGES; i++)
		svm_share_page(test, i);
	KUNIT_EXPECT_EQ(test, gpu_svm_count(t->svm), PAGES);
	gen = READ_ONCE(t->vm->gen);
	KUNIT_EXPECT_NOT_NULL(test, gpu_vm_lookup(t->vm, t->addr, GPU_R, &access));
	KUNIT_ASSERT_EQ(test, vm_munmap(t->addr, PAGES * PAGE_SIZE), 0);
	for (i = 0; i < PAGES; i++)
		KUNIT_EXPECT_NULL(test, gpu_vm_lookup(t->vm, t->addr + i * PAGE_SIZE, GPU_R,
						      &access));
	KUNIT_EXPECT_EQ(test, READ_ONCE(t->vm->gen), gen + 1);
	KUNIT_EXPECT_EQ(test, gpu_svm_count(t->svm), 0);
}

static void svm_prefetch_at(struct kunit *test, unsigned int i, unsigned int n, u32 at)
{
	struct svm_test *t = test->priv;
	struct gpu_svm_change c = { .prefetch = true, .value.at = at };

	mutex_lock(&t->tp.process->lock);
	KUNIT_EXPECT_EQ(test, gpu_svm_set(t->svm, t->addr + i * PAGE_SIZE, n * PAGE_SIZE, &c), 0);
	mutex_unlock(&t->tp.process->lock);
}

static void svm_prefetch_pages(struct kunit *test, unsigned int n, u32 at)
{
	svm_prefetch_at(test, 0, n, at);
}

static void svm_prefetch(struct kunit *test, u32 at)
{
	svm_prefetch_pages(test, 1, at);
}

/* No page of theirs is left, and there was one wait for the GPU since @gen. */
static void svm_expect_gone(struct kunit *test, u64 gen)
{
	struct svm_test *t = test->priv;
	unsigned int i;
	u32 access;

	for (i = 0; i < PAGES; i++)
		KUNIT_EXPECT_NULL(test, gpu_vm_lookup(t->vm, t->addr + i * PAGE_SIZE, GPU_R,
						      &access));
	KUNIT_EXPECT_EQ(test, READ_ONCE(t->vm->gen), gen + 1);
	KUNIT_EXPECT_EQ(test, gpu_svm_count(t->svm), PAGES);
}

/* So, too, when many ranges move to a GPU at once, and when they leave it for somebody else. */
static void svm_move_waits_once(struct kunit *test)
{
	struct svm_test *t = test->priv;
	const struct gpu_vram_want want = { .who = GPU_VRAM_GEM };
	unsigned int i;
	u64 gen;

	for (i = 0; i < PAGES; i++)
		svm_share_page(test, i);
	gen = READ_ONCE(t->vm->gen);
	svm_prefetch_pages(test, PAGES, 1);
	svm_expect_gone(test, gen);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->vm->svm_bytes), (u64)PAGES * PAGE_SIZE);
	for (i = 0; i < PAGES; i++)
		svm_store_page(test, i);
	gen = READ_ONCE(t->vm->gen);
	gpu_svm_evict(t->vm, PAGES * PAGE_SIZE, &want);
	svm_expect_gone(test, gen);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->vm->svm_bytes), 0ull);
}

static void svm_fault_in(struct kunit *test)
{
	struct svm_test *t = test->priv;
	struct gpu_fault fault;
	int ret, tries = 1000;

	do {
		ret = gpu_vm_fault(t->vm, t->addr, GPU_R, &fault);
		if (ret == -EAGAIN)
			gpu_vm_fault_wait(t->vm, HZ / 10, false);
	} while (ret == -EAGAIN && --tries);
	KUNIT_EXPECT_EQ(test, ret, 0);
}

/* Pages say where the range is, and follow it when it moves. */
static void svm_page_has_place(struct kunit *test)
{
	struct gpu_svm_change c = { .remap = true, .gpus = BIT(0), .value.access = BIT(0) };
	struct svm_test *t = test->priv;

	mutex_lock(&t->tp.process->lock);
	KUNIT_ASSERT_EQ(test, gpu_svm_set(t->svm, t->addr, PAGE_SIZE, &c), 0);
	mutex_unlock(&t->tp.process->lock);
	svm_fault_in(test);
	KUNIT_EXPECT_EQ(test, gpu_vm_place(t->vm, t->addr), (u32)GPU_PLACE_SYSTEM);
	svm_prefetch(test, 1);
	KUNIT_EXPECT_EQ(test, gpu_vm_place(t->vm, t->addr), (u32)GPU_PLACE_NONE);
	svm_fault_in(test);
	KUNIT_EXPECT_EQ(test, gpu_vm_place(t->vm, t->addr), GPU_PLACE_VRAM(t->tp.gdev));
	svm_prefetch(test, 0);
	KUNIT_EXPECT_EQ(test, gpu_vm_place(t->vm, t->addr), (u32)GPU_PLACE_NONE);
	svm_fault_in(test);
	KUNIT_EXPECT_EQ(test, gpu_vm_place(t->vm, t->addr), (u32)GPU_PLACE_SYSTEM);
}

/* Ranges that are at the GPU are in its list, and no others. Returns how many. */
static unsigned int svm_check_placed(struct kunit *test)
{
	struct svm_test *t = test->priv;
	unsigned int there = 0, listed = 0;
	struct gpu_svm_range *r;

	mutex_lock(&t->svm->lock);
	for_each_svm_range(r, t->svm, 0, U64_MAX) {
		KUNIT_EXPECT_EQ(test, list_empty(&r->placed), !r->attrs.at);
		there += !!r->attrs.at;
	}
	list_for_each_entry(r, &t->svm->placed[0], placed) {
		KUNIT_EXPECT_EQ(test, r->attrs.at, 1u);
		listed++;
	}
	mutex_unlock(&t->svm->lock);
	KUNIT_EXPECT_EQ(test, there, listed);
	return listed;
}

/*
 * Who makes ranges leave looks at those that are there, whatever else their process has, and the
 * one that has been there longest goes first.
 */
static void svm_looks_at_what_is_there(struct kunit *test)
{
	struct svm_test *t = test->priv;
	const struct gpu_vram_want want = { .who = GPU_VRAM_GEM };
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		svm_share_page(test, i);
	KUNIT_EXPECT_EQ(test, svm_check_placed(test), 0);
	svm_prefetch_at(test, 9, 1, 1);
	svm_prefetch_at(test, 2, 1, 1);
	KUNIT_EXPECT_EQ(test, svm_check_placed(test), 2);
	gpu_svm_evict(t->vm, PAGE_SIZE, &want);
	KUNIT_EXPECT_EQ(test, svm_check_placed(test), 1);
	mutex_lock(&t->svm->lock);
	KUNIT_EXPECT_EQ(test, gpu_svm_first(t->svm, t->addr + 9 * PAGE_SIZE, U64_MAX)->attrs.at, 0);
	KUNIT_EXPECT_EQ(test, gpu_svm_first(t->svm, t->addr + 2 * PAGE_SIZE, U64_MAX)->attrs.at, 1);
	mutex_unlock(&t->svm->lock);
	/* Cut, merged and unmapped */
	svm_prefetch_pages(test, PAGES, 1);
	KUNIT_EXPECT_EQ(test, svm_check_placed(test), PAGES);
	KUNIT_ASSERT_EQ(test, vm_munmap(t->addr + 4 * PAGE_SIZE, 2 * PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, svm_check_placed(test), PAGES - 2);
	svm_prefetch_at(test, 0, 3, 0);
	KUNIT_EXPECT_EQ(test, svm_check_placed(test), PAGES - 5);
	gpu_svm_evict(t->vm, PAGES * PAGE_SIZE, &want);
	KUNIT_EXPECT_EQ(test, svm_check_placed(test), 0);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&t->vm->svm_bytes), 0ull);
}

struct svm_visitor {
	struct svm_test *t;
	struct gpu_svm *other;
	struct completion go, began, ended;
};

static int svm_touch_thread(void *arg)
{
	struct svm_visitor *v = arg;
	struct gpu_svm_touch touch = { .mm = v->t->tp.process->mm, .addr = v->t->addr };

	wait_for_completion(&v->go);
	complete(&v->began);
	gpu_svm_touch(&touch);
	complete(&v->ended);
	return 0;
}

static int svm_enable_thread(void *arg)
{
	struct svm_visitor *v = arg;

	wait_for_completion(&v->go);
	mutex_lock(&v->t->tp.process->lock);
	complete(&v->began);
	gpu_svm_enable(v->other);
	mutex_unlock(&v->t->tp.process->lock);
	complete(&v->ended);
	return 0;
}

static void svm_start(struct kunit *test, struct svm_visitor *v, int (*fn)(void *arg))
{
	init_completion(&v->go);
	init_completion(&v->began);
	init_completion(&v->ended);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(fn, v, "svm_visitor")));
}

static void svm_go(struct svm_visitor *v)
{
	complete(&v->go);
	wait_for_completion(&v->began);
	msleep(50);
}

/*
 * A process may hold its ranges for long, as there may be many of them; who touches its memory
 * waits for that, but who begins to share some does not.
 */
static void svm_others_do_not_wait(struct kunit *test)
{
	struct svm_test *t = test->priv;
	struct svm_visitor *touch = kunit_kzalloc(test, sizeof(*touch), GFP_KERNEL);
	struct svm_visitor *enable = kunit_kzalloc(test, sizeof(*enable), GFP_KERNEL);
	bool ended;

	KUNIT_ASSERT_TRUE(test, touch && enable);
	svm_share_page(test, 0);
	enable->other = gpu_svm_create(t->tp.process, BIT(0));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, enable->other);
	enable->t = t;
	touch->t = t;
	svm_start(test, touch, svm_touch_thread);
	svm_start(test, enable, svm_enable_thread);
	/* Nothing is allocated with this lock. */
	mutex_lock(&t->svm->lock);
	svm_go(touch);
	svm_go(enable);
	KUNIT_EXPECT_FALSE(test, completion_done(&touch->ended));
	ended = wait_for_completion_timeout(&enable->ended, 20 * HZ);
	KUNIT_EXPECT_TRUE(test, ended);
	mutex_unlock(&t->svm->lock);
	wait_for_completion(&touch->ended);
	if (!ended)
		wait_for_completion(&enable->ended);
	gpu_svm_detach(enable->other);
	gpu_svm_free(enable->other);
}

static struct kunit_case svm_list[] = {
	KUNIT_CASE(svm_unmap_waits_once),
	KUNIT_CASE(svm_move_waits_once),
	KUNIT_CASE(svm_page_has_place),
	KUNIT_CASE(svm_looks_at_what_is_there),
	KUNIT_CASE(svm_others_do_not_wait),
	{}
};

static struct kunit_suite svm_suite = {
	.name = "vkfd_svm",
	.init = svm_init,
	.exit = svm_exit,
	.test_cases = svm_list,
};

kunit_test_suite(svm_suite);
