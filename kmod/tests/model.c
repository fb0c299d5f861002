// SPDX-License-Identifier: GPL-2.0-only
/* Names of GPUs: what is taken, what is refused, and what a product changes. */
#include <kunit/test.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../gpu/model.h"
#include "../gpu/save_area.h"
#include "../model/board.h"
#include "../model/fabric.h"
#include "../model/partition.h"

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
	char *names = kunit_kzalloc(test, 320, GFP_KERNEL);
	char *small = kunit_kzalloc(test, 8, GFP_KERNEL);
	const struct gpu_board *b;
	unsigned int i, count;

	KUNIT_ASSERT_NOT_NULL(test, names);
	KUNIT_ASSERT_NOT_NULL(test, small);
	gpu_model_names(names, 320);
	KUNIT_EXPECT_LT(test, strlen(names), (size_t)319);
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

/* What every row has to say, and what follows from a pair of CUs. */
static void model_rows(struct kunit *test)
{
	static const u32 whole[] = { 0xc0000003, 0x30 }, halved[] = { 0xc0000003, 0x10 };
	struct gpu_model *m = test->priv;
	const struct gpu_target *t;
	unsigned int i;

	for (i = 0; (t = gpu_target_get(i)); i++) {
		KUNIT_EXPECT_NE_MSG(test, t->gb_addr_config, 0u, "%s", t->name);
		KUNIT_EXPECT_LT_MSG(test, (u32)t->mqd, (u32)GPU_MQD_VERSIONS, "%s", t->name);
		KUNIT_EXPECT_NOT_NULL_MSG(test, t->arch, "%s", t->name);
		KUNIT_EXPECT_EQ_MSG(test, gpu_target_is_apu(t), t->gfx_version == 110501, "%s",
				    t->name);
		KUNIT_EXPECT_LT_MSG(test, t->carve_bytes, t->vram_bytes, "%s", t->name);
	}
	m->target = *gpu_target_get(0);
	m->target.features &= ~BIT(GPU_FEAT_CU_PAIRS);
	KUNIT_EXPECT_TRUE(test, gpu_target_cu_mask_ok(&m->target, whole, 2));
	KUNIT_EXPECT_TRUE(test, gpu_target_cu_mask_ok(&m->target, halved, 2));
	m->target.features |= BIT(GPU_FEAT_CU_PAIRS);
	KUNIT_EXPECT_TRUE(test, gpu_target_cu_mask_ok(&m->target, whole, 2));
	KUNIT_EXPECT_TRUE(test, gpu_target_cu_mask_ok(&m->target, halved, 1));
	KUNIT_EXPECT_FALSE(test, gpu_target_cu_mask_ok(&m->target, halved, 2));
}

/* Each member of a hive has an engine of its own for each other one; all are for XGMI. */
static void model_fabrics(struct kunit *test)
{
	struct gpu_model *m = test->priv;
	const struct gpu_fabric *f;
	unsigned int from, to;
	u32 xgmi, seen, mask;

	KUNIT_ASSERT_EQ(test, gpu_model_find("mi300x", 6, m), 0);
	f = m->target.fabric;
	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_EXPECT_EQ(test, gpu_fabric_link_mbs(f), 64000u);
	xgmi = GENMASK(m->target.sdma_engines + m->target.sdma_xgmi_engines - 1,
		       m->target.sdma_engines);
	for (from = 0; from < f->gpus; from++) {
		for (to = 0, seen = 0; to < f->gpus; to++) {
			if (to == from)
				continue;
			mask = gpu_fabric_engines(&m->target, from, to);
			KUNIT_EXPECT_EQ(test, hweight32(mask), 1u);
			KUNIT_EXPECT_EQ(test, mask & ~xgmi, 0u);
			KUNIT_EXPECT_EQ(test, mask & seen, 0u);
			seen |= mask;
		}
	}
	/* Beyond the table, and without one: all of them */
	KUNIT_EXPECT_EQ(test, gpu_fabric_engines(&m->target, 0, f->gpus), xgmi);
	KUNIT_ASSERT_EQ(test, gpu_model_find("mi250", 5, m), 0);
	KUNIT_EXPECT_EQ(test, gpu_fabric_engines(&m->target, 0, 1), 0x1cu);
	KUNIT_ASSERT_EQ(test, gpu_model_find("gfx942", 6, m), 0);
	KUNIT_EXPECT_NULL(test, m->target.fabric);
}

static void model_check_part(struct kunit *test, const struct gpu_target *t,
			     const struct gpu_part_mode *mode, struct gpu_target *part)
{
	u32 n = mode->parts;

	gpu_part_target(t, n, part);
	KUNIT_EXPECT_EQ(test, part->num_xcc * n, t->num_xcc);
	KUNIT_EXPECT_EQ(test, part->cu_count * n, t->cu_count);
	KUNIT_EXPECT_EQ(test, (part->sdma_engines + part->sdma_xgmi_engines) * n,
			t->sdma_engines + t->sdma_xgmi_engines);
	/* It still is a GPU with as many CUs in each engine, and save areas are those of an XCC */
	KUNIT_EXPECT_EQ(test, gpu_target_cu_mask(part, 0, 0), gpu_target_cu_mask(t, 0, 0));
	KUNIT_EXPECT_EQ(test, gpu_model_settle(part), 0);
	KUNIT_EXPECT_EQ(test, part->cwsr_bytes, t->cwsr_bytes);
	KUNIT_EXPECT_PTR_EQ(test, gpu_part_mode_of(t, n), mode);
}

static void model_partitions(struct kunit *test)
{
	struct gpu_model *m = test->priv;
	const struct gpu_part_mode *mode;
	const struct gpu_target *t;
	unsigned int i, k, nps;

	for (i = 0; (t = gpu_target_get(i)); i++) {
		for (k = 0; (mode = gpu_part_mode_get(t, k)); k++)
			model_check_part(test, t, mode, &m->target);
		KUNIT_EXPECT_EQ(test, k, t->num_xcc == 8 ? 4u : 0u);
		/* What the driver starts with goes with the memory's mode */
		for (nps = 1; k && nps <= GPU_NPS_MAX; nps++) {
			if (!(t->nps_modes & BIT(nps)))
				continue;
			mode = gpu_part_mode_of(t, gpu_part_auto(t, nps));
			KUNIT_ASSERT_NOT_NULL(test, mode);
			KUNIT_EXPECT_TRUE(test, mode->nps & BIT(nps));
		}
	}
	t = gpu_target_by_name("gfx942");
	KUNIT_EXPECT_EQ(test, gpu_part_auto(t, 1), 1u);
	KUNIT_EXPECT_EQ(test, gpu_part_auto(t, 4), 8u);
	KUNIT_EXPECT_NULL(test, gpu_part_mode_of(t, 3));
	KUNIT_EXPECT_EQ(test, gpu_part_auto(gpu_target_by_name("gfx950"), 2), 2u);
}

static struct kunit_case model_cases[] = {
	KUNIT_CASE(model_names),
	KUNIT_CASE(model_refused),
	KUNIT_CASE(model_list),
	KUNIT_CASE(model_counts),
	KUNIT_CASE(model_rows),
	KUNIT_CASE(model_fabrics),
	KUNIT_CASE(model_partitions),
	{}
};

static struct kunit_suite model_suite = {
	.name = "vkfd_model",
	.init = model_init,
	.test_cases = model_cases,
};

kunit_test_suite(model_suite);
