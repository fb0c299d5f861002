// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operations that engine/jit compiles: for each the function that it calls by name
 * (jit_...), and what that is made of, which lanes.c and scalars.c write. For every other
 * operation compiled code calls the handler. Names are spelled out, so that grep finds them.
 */
#include <string.h>
#include "meaning.h"

static bool is_plain32(enum type t)
{
	return t == TY_U32 || t == TY_I32 || t == TY_F32;
}

static bool sources_are(const struct meaning *m, bool (*fits)(enum type t))
{
	unsigned int n;

	for (n = 0; n < nsrc(m); n++)
		if (!fits(m->src[n]))
			return false;
	return true;
}

static bool is_plain(enum type t)
{
	return is_plain32(t) || t == TY_U64 || t == TY_I64 || t == TY_F64;
}

static unsigned int float_sources(const struct meaning *m)
{
	unsigned int n, r = 0;

	for (n = 0; n < nsrc(m); n++)
		r |= (unsigned int)type_info[m->src[n]].is_float << n;
	return r;
}

static unsigned int wide_operands(const struct meaning *m)
{
	unsigned int n, r = (unsigned int)(type_info[m->dst].bits == 64) << 3;

	for (n = 0; n < nsrc(m); n++)
		r |= (unsigned int)(type_info[m->src[n]].bits == 64) << n;
	return r;
}

static bool takes_f64(const struct meaning *m)
{
	return m->dst == TY_F64 || m->src[0] == TY_F64;
}

static void emit_vector_row(const struct meaning *m)
{
	const char *name = m->op->name, *op = upper(name), *base = same_as(m)->op->name;

	if (m->carry && m->dst)
		return;
	switch (shape_of(m)) {
	case SHAPE_VECTOR:
		if (is_plain32(m->dst) && sources_are(m, is_plain32) && !m->keep && !m->high)
			printf("JIT_VEC(ISA_OP_%s, jit_%s, %s_expr, %u, %#x, %u, %u)\n", op, name,
			       base, nsrc(m), float_sources(m), m->acc, m->flush);
		break;
	case SHAPE_CMP:
		if (!m->exec && sources_are(m, is_plain32))
			printf("JIT_CMP(ISA_OP_%s, jit_%s, %s_expr, %#x)\n", op, name, base,
			       float_sources(m));
		break;
	case SHAPE_WIDE:
		if (is_plain(m->dst) && sources_are(m, is_plain) && !m->flush)
			printf("JIT_WIDE(%s, %s_expr, %u, %#x, T_%s, T_%s, T_%s, %u, %u)\n",
			       text("ISA_OP_%s, jit_%s, jit_source_%s", op, name, name), base,
			       nsrc(m), wide_operands(m), type_info[m->src[0]].lane_type,
			       type_info[m->src[1]].lane_type, type_info[m->src[2]].lane_type,
			       m->acc, takes_f64(m));
		break;
	case SHAPE_PAIR:
		printf("JIT_PAIR(ISA_OP_%s, jit_%s, jit_source_%s, %s_expr, %u)\n", op, name, name,
		       base, nsrc(m));
		break;
	default:
		break;
	}
}

void emit_jit(void)
{
	unsigned int n, k;

	emit_head();
	for (n = 0; n < nmeanings; n++)
		emit_vector_row(&meanings[n]);
	for (n = 0; n < nscalars; n++) {
		const struct meaning *m = &scalars[n];
		bool branch = false;

		if (m->bind)
			continue;
		for (k = 0; k < m->nsteps; k++)
			branch |= m->steps[k].target && !strcmp(m->steps[k].target, "BRANCH");
		printf("JIT_SALU(ISA_OP_%s, jit_%s, %s_%s, %u)\n", upper(m->op->name), m->op->name,
		       m->op->name, scalar_needs_any(m) ? "any" : "fast", branch);
	}
}
