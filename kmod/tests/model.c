// SPDX-License-Identifier: GPL-2.0-only
/* Names of GPUs: what is taken, what is refused, and what a product changes. */
#include <kunit/test.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../gpu/model.h"
#include "../gpu/save_area.h"
#include "../model/board.h"

static int model_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct gpu_model), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return 0;
}

static void model_names(struct kunit *test)
{
	struct gpu_model *m = test->priv;
	unsigned int count;

	KUNIT_EXPECT_EQ(test, gpu_model_parse("gfx90a", m, &count), 0);
	KUNIT_EXPECT_EQ(test, count, 1u);
	KUNIT_EXPECT_EQ(test, m->gpus, 1u);
	KUNIT_EXPECT_EQ(test, m->vram_bytes, 0ull);
	KUNIT_EXPECT_EQ(test, gpu_model_parse("mi210:3", m, &count), 0);
	KUNIT_EXPECT_EQ(test, count, 3u);
	KUNIT_EXPECT_EQ(test, m->vram_bytes, 65520ull << 20);
	KUNIT_EXPECT_EQ(test, gpu_model_parse("mi250:2", m, &count), 0);
	KUNIT_EXPECT_EQ(test, count * m->gpus, 4u);
	KUNIT_EXPECT_EQ(test, m->target.device_id, 0x740c);
	/* A row has none of a product's differences */
	KUNIT_EXPECT_EQ(test, gpu_target_by_name("gfx90a")->device_id, 0x740f);
}

static void model_refused(struct kunit *test)
{
	static const char * const unknown[] = {
		"", ":", ":1", "mi", "mi2100", "MI210", " mi210", "mi210 ", "mi210,mi50", "gfx",
	};
	static const char * const uncounted[] = {
		"mi210:", "mi210:0", "mi210:-1", "mi210:+1", "mi210: 1", "mi210:1 ", "mi210:1\n",
		"mi210:0x1", "mi210:1:1", "mi210:4294967296", "gfx90a:4294967297",
	};
	struct gpu_model *m = test->priv;
	unsigned int i, count;

	for (i = 0; i < ARRAY_SIZE(unknown); i++)
		KUNIT_EXPECT_EQ_MSG(test, gpu_model_parse(unknown[i], m, &count), -ENOENT,
				    "\"%s\"", unknown[i]);
	for (i = 0; i < ARRAY_SIZE(uncounted); i++)
		KUNIT_EXPECT_EQ_MSG(test, gpu_model_parse(uncounted[i], m, &count), -EINVAL,
				    "\"%s\"", uncounted[i]);
}

/* No two names are the same; each is in the list that error messages have. */
static void model_list(struct kunit *test)
{
	char *names = kunit_kzalloc(test, 256, GFP_KERNEL);
	char *small = kunit_kzalloc(test, 8, GFP_KERNEL);
	const struct gpu_board *b;
	unsigned int i, count;

	KUNIT_ASSERT_NOT_NULL(test, names);
	KUNIT_ASSERT_NOT_NULL(test, small);
	gpu_model_names(names, 256);
	KUNIT_EXPECT_LT(test, strlen(names), (size_t)255);
	KUNIT_EXPECT_EQ(test, strncmp(names, gpu_target_get(0)->name, 6), 0);
	for (i = 0; (b = gpu_board_get(i)); i++) {
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(names, b->name), "%s", b->name);
		KUNIT_EXPECT_NULL_MSG(test, gpu_target_by_name(b->name), "%s", b->name);
		KUNIT_EXPECT_PTR_EQ_MSG(test, gpu_board_find(b->name, strlen(b->name)), b, "%s",
					b->name);
		KUNIT_EXPECT_EQ_MSG(test, gpu_model_parse(b->name, test->priv, &count), 0, "%s",
				    b->name);
	}
	gpu_model_names(small, 8);
	KUNIT_EXPECT_EQ(test, strlen(small), (size_t)7);
}

/* Counts decide sizes that user space computes, too; absurd ones are refused. */
static void model_counts(struct kunit *test)
{
	struct gpu_model *m = test->priv;
	struct gpu_save_area a;
	u32 bytes;

	KUNIT_ASSERT_EQ(test, gpu_model_find("gfx906", 6, m), 0);
	bytes = m->target.cwsr_bytes;
	KUNIT_ASSERT_EQ(test, gpu_model_find("mi60", 4, m), 0);
	KUNIT_EXPECT_EQ(test, m->target.cu_count, 64u);
	gpu_target_save_area(&m->target, 1, &a);
	KUNIT_EXPECT_EQ(test, m->target.cwsr_bytes, a.cwsr_bytes);
	KUNIT_EXPECT_GT(test, m->target.cwsr_bytes, bytes);
	m->target.cu_count = 65;
	KUNIT_EXPECT_EQ(test, gpu_model_settle(&m->target), -EINVAL);
	m->target.cu_count = 0;
	KUNIT_EXPECT_EQ(test, gpu_model_settle(&m->target), -EINVAL);
	m->target.cu_count = 4;
	KUNIT_EXPECT_EQ(test, gpu_model_settle(&m->target), 0);
	KUNIT_ASSERT_EQ(test, gpu_model_find("mi300x", 6, m), 0);
	m->target.cu_count = 300;	/* of 8 XCCs */
	KUNIT_EXPECT_EQ(test, gpu_model_settle(&m->target), -EINVAL);
}

static struct kunit_case model_cases[] = {
	KUNIT_CASE(model_names),
	KUNIT_CASE(model_refused),
	KUNIT_CASE(model_list),
	KUNIT_CASE(model_counts),
	{}
};

static struct kunit_suite model_suite = {
	.name = "vkfd_model",
	.init = model_init,
	.test_cases = model_cases,
};

kunit_test_suite(model_suite);
