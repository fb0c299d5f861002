// SPDX-License-Identifier: GPL-2.0-only
/*
 * SOP1, SOP2, SOPC, SOPK and SOPP: handlers, made of the meanings in tab/sop.tab, and
 * what binds them.
 */
#include "salu.h"
#include "salu_prim.h"
#include "tables.h"
#include "generated/isa_scalars.h"

bool isa_salu_is_wait(unsigned int op)
{
	return op < ISA_OP_COUNT && salu_ops[array_index_nospec(op, ISA_OP_COUNT)].any == salu_wait;
}

bool isa_salu_is_memory_wait(unsigned int op)
{
	switch (op) {
	case ISA_OP_S_WAITCNT:
	case ISA_OP_S_WAITCNT_VMCNT:
	case ISA_OP_S_WAITCNT_LGKMCNT:
	case ISA_OP_S_WAIT_LOADCNT:
	case ISA_OP_S_WAIT_SAMPLECNT:
	case ISA_OP_S_WAIT_DSCNT:
	case ISA_OP_S_WAIT_KMCNT:
	case ISA_OP_S_WAIT_LOADCNT_DSCNT:
		return true;
	default:
		return false;
	}
}

static bool is_register(const struct isa_opnd *o)
{
	return o->kind == ISA_K_S || o->kind == ISA_K_C || o->kind == ISA_K_R;
}

/* Operands are as wide as the row that matched says. */
bool isa_salu_bind(const struct isa_target *t, struct isa_insn *i)
{
	const struct isa_row *r = &isa_rows[i->row];
	const struct salu_op *op;
	bool fast = true;
	isa_exec_fn fn;
	u32 n;

	(void)t;
	if (i->op >= ISA_OP_COUNT)
		return false;
	op = &salu_ops[array_index_nospec(i->op, ISA_OP_COUNT)];
	if (!op->any || (op->any == salu_float && !salu_float_bind(i)))
		return false;
	if (r->dst[0].kind) {
		if (!isa_sdst_ok(i->dst, r->dst[0].dwords))
			return false;
		fast = isa_sfast_dst(i->dst, r->dst[0].dwords * 32);
	}
	for (n = 0; n < ARRAY_SIZE(r->src); n++) {
		if (!is_register(&r->src[n]))
			continue;
		/* Scalar operands are 8-bit codes here; anything else is not decoded so. */
		if (i->src[n] > ISA_SRC_LITERAL)
			return false;
		fast &= isa_sfast_src(i->src[n], r->src[n].dwords * 32);
	}
	fn = fast ? op->fast : op->any;
	isa_bind_to(i, fn, fn);
	return true;
}
