// SPDX-License-Identifier: GPL-2.0-only
/* Lists of operations: the shapes of the matrix ones; for tests, which there are and which not. */
#include "meaning.h"

void emit_matrix(void)
{
	unsigned int n, k;

	emit_head();
	for (n = 0; n < nmeanings; n++) {
		const struct meaning *m = &meanings[n];

		if (!m->shape[0])
			continue;
		for (k = 0; k < ARRAY_SIZE(m->shape); k++)
			if (!m->shape[k])
				die(&m->at, "a matrix operation has m, k, blocks, kind, a, b");
		printf("{ ISA_OP_%s, %s, %s, %s, MAT_KIND_%s, MAT_%s, MAT_%s },\n",
		       upper(m->op->name), m->shape[0], m->shape[1], m->shape[2], m->shape[3],
		       m->shape[4], m->shape[5]);
	}
}

/* What is decoded and not executed, and why: for tests and reports */
void emit_refused(void)
{
	unsigned int n;

	emit_head();
	for (n = 0; n < tables.nrefused; n++)
		printf("{ \"%s\", \"%s\" },\n", tables.refused[n].prefix, tables.refused[n].why);
}

/* The operations as tests iterate over them (selftests/isa/lanes_lib.c) */
void emit_list(void)
{
	unsigned int n;

	emit_head();
	for (n = 0; n < nmeanings; n++) {
		const struct meaning *m = &meanings[n];
		const char *s = m->dst || !m->carry ? "0" : "LT_CMP";

		if (m->bind)
			continue;
		s = m->keep ? text("%s | LT_KEEP", s) : s;
		s = m->high ? text("%s | LT_HI", s) : s;
		s = m->acc ? text("%s | LT_ACC", s) : s;
		s = m->dst && m->carry ? text("%s | LT_CARRY", s) : s;
		s = m->exec ? text("%s | LT_CMPX", s) : s;
		s = m->cin ? text("%s | LT_CIN", s) : s;
		s = m->vcc ? text("%s | LT_VCC", s) : s;
		s = m->literal ? text("%s | LT_LIT", s) : s;
		s = goes_by_lane(m) ? text("%s | LT_LANES", s) : s;
		s = goes_by_lane_in_sse2(m) ? text("%s | LT_LANES_SSE2", s) : s;
		printf("{ ISA_OP_%s, \"%s\", LT_%s, { LT_%s, LT_%s, LT_%s }, %s, %s },\n",
		       upper(m->op->name), upper(m->op->name), type_info[m->dst].lane_type,
		       type_info[m->src[0]].lane_type, type_info[m->src[1]].lane_type,
		       type_info[m->src[2]].lane_type, s, m->sat ? "true" : "false");
	}
}
