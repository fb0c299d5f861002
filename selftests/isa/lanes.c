// SPDX-License-Identifier: MIT
/*
 * The SIMD builds of the vector ALU against each other (bit by bit, with every
 * modifier and MODE) and against the scalar model of ref.c. Rows lie before a
 * guard page. TAP output.
 */
#include <stdio.h>
#include <stdlib.h>
#include "lanes.h"

#define CROSS_ROUNDS	60
#define REF_ROUNDS	40

static const struct isa_lane_ops *variants[3];
static unsigned int nvariants, tests, failures;

static void result(bool ok, const char *name, const char *what)
{
	printf("%sok %u %s %s\n", ok ? "" : "not ", ++tests, name, what);
	failures += !ok;
}

static u32 random_mode(void)
{
	u64 r = lt_rand();

	/* half of the time clang's default */
	return r & 1 ? 0x3f0 : (u32)(r >> 8) & 0x3ff;
}

static bool cross_op(const struct lt_op *op, struct lt_wave *t)
{
	struct isa_insn i;
	char why[128];
	unsigned int k, n;

	for (k = 0; k < CROSS_ROUNDS; k++) {
		lt_insn(&i, op, k % 3 == 0);
		lt_wave_fill(&t[3]);
		t[3].w->mode = random_mode();
		for (n = 0; n < nvariants; n++) {
			lt_wave_copy(&t[n], &t[3]);
			if (!lt_run(variants[n], t[n].w, &i)) {
				printf("# %s: not executed\n", variants[n]->name);
				lt_insn_print(&i, op);
				return false;
			}
			if (n && !lt_wave_equal(&t[0], &t[n], why, sizeof(why))) {
				printf("# %s, %s: %s; mode %x\n", variants[0]->name,
				       variants[n]->name, why, t[3].w->mode);
				lt_insn_print(&i, op);
				return false;
			}
		}
	}
	return true;
}

static void cross(void)
{
	struct lt_wave t[4];
	unsigned int n;

	for (n = 0; n < 4; n++)
		if (!lt_wave_make(&t[n]))
			exit(1);
	for (n = 0; n < lt_op_count; n++)
		result(cross_op(&lt_ops[n], t), lt_ops[n].name, "variants agree");
}

int main(void)
{
	static const char * const names[] = { "sse2", "avx2", "avx512" };
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(names); n++) {
		const struct isa_lane_ops *o = isa_lane_by_name(names[n], lt_cpu());

		if (o)
			variants[nvariants++] = o;
		else
			printf("# no %s on this CPU\n", names[n]);
	}
	printf("TAP version 13\n");
	cross();
	printf("1..%u\n", tests);
	return failures != 0;
}
