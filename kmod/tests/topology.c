// SPDX-License-Identifier: GPL-2.0-only
/* The text of a node, which user space parses line by line. */
#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/string.h>

#include "../gpu/device.h"
#include "../compat/sysfs.h"
#include "../model/target.h"
#include "../kfd/topology.h"
#include "late.h"

struct topo_test {
	struct gpu_device *gdev;
	struct vkfd_topo_node *n;
	char *text;
};

static int topo_init(struct kunit *test)
{
	struct topo_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->gdev = gpu_device_by_index(0);
	KUNIT_ASSERT_NOT_NULL(test, t->gdev);
	test->priv = t;
	t->n = kunit_kzalloc(test, sizeof(*t->n), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->n);
	t->text = (char *)get_zeroed_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->text);
	return 0;
}

static void topo_exit(struct kunit *test)
{
	struct topo_test *t = test->priv;

	if (!t)
		return;
	free_page((unsigned long)t->text);
	gpu_device_put(t->gdev);
}

/* The number that follows "@name ", or -1. */
static long long topo_value(const char *text, const char *name)
{
	size_t len = strlen(name);
	const char *line;

	for (line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
		if (!strncmp(line, name, len) && line[len] == ' ')
			return simple_strtoull(line + len + 1, NULL, 10);
	return -1;
}

static void topo_gpu(struct kunit *test)
{
	struct topo_test *t = test->priv;
	const struct gpu_target *target = t->gdev->target;
	ssize_t len;

	t->n->gpu = t->gdev;
	t->n->counts[VKFD_LEAF_MEM] = 3;
	len = vkfd_topo_node_text(t->n, t->text);
	KUNIT_ASSERT_GT(test, len, (ssize_t)0);
	KUNIT_EXPECT_EQ(test, strlen(t->text), (size_t)len);
	KUNIT_EXPECT_EQ(test, t->text[len - 1], '\n');
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "cpu_cores_count"), 0ll);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "simd_count"),
			(long long)target->cu_count * target->simd_per_cu);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "mem_banks_count"), 3ll);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "gfx_target_version"),
			(long long)target->gfx_version);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "vendor_id"), 0x1002ll);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "device_id"), (long long)target->device_id);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "drm_render_minor"),
			(long long)t->gdev->render_minor);
	KUNIT_EXPECT_EQ(test, (u64)topo_value(t->text, "unique_id"), t->gdev->unique_id);
	/* only shown by newer drivers; debugging is not supported */
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "num_xcc"),
			COMPAT_TOPOLOGY_XCC ? (long long)target->num_xcc : -1);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "debug_prop"), COMPAT_TOPOLOGY_XCC ? 0ll : -1);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "cwsr_size"),
			COMPAT_TOPOLOGY_AREAS ? (long long)target->cwsr_bytes : -1);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "ctl_stack_size"),
			COMPAT_TOPOLOGY_AREAS ? (long long)target->ctl_stack_bytes : -1);
}

static void topo_cpu(struct kunit *test)
{
	struct topo_test *t = test->priv;

	t->n->cpu_cores_count = 4;
	t->n->cpu_core_id_base = 8;
	KUNIT_ASSERT_GT(test, vkfd_topo_node_text(t->n, t->text), (ssize_t)0);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "cpu_cores_count"), 4ll);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "cpu_core_id_base"), 8ll);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "simd_count"), 0ll);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "vendor_id"), 0ll);
	/* only shown for GPUs */
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "unique_id"), -1ll);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "fw_version"), -1ll);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "num_xcc"), -1ll);
	KUNIT_EXPECT_EQ(test, topo_value(t->text, "cwsr_size"), COMPAT_TOPOLOGY_AREAS ? 0ll : -1);
}

/* Every line is a word, a space and a number. */
static void topo_form(struct kunit *test)
{
	struct topo_test *t = test->priv;
	unsigned int lines = 0, words = 0;
	const char *p;

	t->n->gpu = t->gdev;
	KUNIT_ASSERT_GT(test, vkfd_topo_node_text(t->n, t->text), (ssize_t)0);
	for (p = t->text; *p; p++) {
		lines += *p == '\n';
		words += *p == ' ' && p[1] >= '0' && p[1] <= '9';
	}
	KUNIT_EXPECT_GT(test, lines, 30u);
	KUNIT_EXPECT_EQ(test, words, lines);
}

static struct kunit_case topo_list[] = {
	KUNIT_CASE(topo_gpu),
	KUNIT_CASE(topo_cpu),
	KUNIT_CASE(topo_form),
	{}
};

static struct kunit_suite topo_suite = {
	.name = "vkfd_topology",
	.init = topo_init,
	.exit = topo_exit,
	.test_cases = topo_list,
};

VKFD_LATE_SUITE(topo_suite);
