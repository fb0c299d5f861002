// SPDX-License-Identifier: GPL-2.0-only
/*
 * Binding of SOP1, SOP2, SOPC, SOPK and SOPP. Semantics: CDNA2 ISA chapter 5
 * and the opcode descriptions of chapter 12.
 */
#include "salu.h"

static bool bind_arith(struct isa_insn *i, const struct salu_row *r)
{
	bool fast = (!r->d || isa_sfast_dst(i->dst, r->d)) &&
		    (!r->a || isa_sfast_src(i->src[0], r->a)) &&
		    (!r->b || isa_sfast_src(i->src[1], r->b));

	if (r->d && !isa_sdst_ok(i->dst, r->d / 32))
		return false;
	if ((r->a && i->src[0] > ISA_SRC_LITERAL) || (r->b && i->src[1] > ISA_SRC_LITERAL))
		return false;
	i->exec[0] = fast ? r->fast : r->gen;
	i->exec[1] = i->exec[0];
	return true;
}

bool isa_salu_bind(const struct isa_target *t, struct isa_insn *i)
{
	const struct salu_row *r;
	isa_exec_fn fn;

	(void)t;
	/* Scalar operands are 8-bit codes here; anything else is not decoded so. */
	if (i->enc != ISA_ENC_SOPK && i->enc != ISA_ENC_SOPP) {
		r = salu_arith_row(i->op);
		if (r)
			return bind_arith(i, r);
	}
	fn = salu_ctl_handler(i->op);
	if (!fn)
		return false;
	i->exec[0] = fn;
	i->exec[1] = fn;
	return true;
}
