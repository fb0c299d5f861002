// SPDX-License-Identifier: GPL-2.0-only
/* The decoder as built for this kernel: valid words from compilers, and invalid ones. */
#include <kunit/test.h>

#include "../isa/isa_int.h"

struct decode_case {
	const char *target, *op;
	u32 words[2];
	int size;		/* what isa_decode() returns */
};

static const struct decode_case decode_cases[] = {
	{ "gfx90a", "s_endpgm", { 0xbf810000 }, 1 },
	{ "gfx90a", "s_barrier", { 0xbf8a0000 }, 1 },
	{ "gfx90a", "s_mov_b32", { 0xbe800085 }, 1 },
	{ "gfx90a", "s_mov_b32", { 0xbe8000ff, 0x12345678 }, 2 },
	{ "gfx90a", "s_load_dwordx2", { 0xc0060100, 0x00000000 }, 2 },
	{ "gfx90a", "v_mov_b32", { 0x7e020200 }, 1 },
	{ "gfx90a", "v_add_f32", { 0x02020300 }, 1 },
	{ "gfx90a", "global_load_dword", { 0xdc508000, 0x017f0002 }, 2 },
	{ "gfx906", "v_mac_f32", { 0x2c020300 }, 1 },
	/* invalid; one that gfx942 has dropped; half of one */
	{ "gfx90a", NULL, { 0xffffffff, 0xffffffff }, -EINVAL },
	{ "gfx942", NULL, { 0x2c020300 }, -EINVAL },
};

static void decode_case_name(const struct decode_case *c, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%s %08x", c->target, c->words[0]);
}

KUNIT_ARRAY_PARAM(decode, decode_cases, decode_case_name);

static void decode_words(struct kunit *test)
{
	const struct decode_case *c = test->param_value;
	const struct isa_target *t = isa_target_by_name(c->target);
	struct isa_insn in = {};

	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_ASSERT_EQ(test, isa_decode(t, c->words, 2, &in), c->size);
	if (c->op)
		KUNIT_EXPECT_STREQ(test, isa_op_name(in.op), c->op);
}

static void decode_needs_more_words(struct kunit *test)
{
	static const u32 literal[] = { 0xbe8000ff };
	const struct isa_target *t = isa_target_by_name("gfx90a");
	struct isa_insn in = {};

	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_EXPECT_EQ(test, isa_decode(t, literal, 1, &in), 0);
	KUNIT_EXPECT_EQ(test, isa_decode(t, literal, 0, &in), 0);
}

static void decode_targets(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, isa_target_by_name("gfx90a"), isa_target_find(9, 0, 10));
	KUNIT_EXPECT_NULL(test, isa_target_by_name("gfx1"));
	KUNIT_EXPECT_NULL(test, isa_target_find(99, 0, 0));
}

static struct kunit_case decode_list[] = {
	KUNIT_CASE_PARAM(decode_words, decode_gen_params),
	KUNIT_CASE(decode_needs_more_words),
	KUNIT_CASE(decode_targets),
	{}
};

static struct kunit_suite decode_suite = { .name = "vkfd_decode", .test_cases = decode_list };
kunit_test_suite(decode_suite);
