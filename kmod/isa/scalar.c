// SPDX-License-Identifier: GPL-2.0-only
#include "scalar.h"

/*
 * As 64-bit operands float constants are doubles, integers are sign-extended
 * and literals zero-extended (LLVM: S_MOV_B64 with a 32-bit literal).
 */
static const u64 f64_constants[] = {
	0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
	0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
	0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882,
};

/*
 * Apertures are 64 bits wide, with what a program wants in the high half. A 32-bit
 * operand is the low half, which LLVM calls SRC_SHARED_BASE_LO and never reads
 * because it is of no use.
 */
u64 isa_scalar_special(const struct isa_wave *w, const struct isa_insn *i, u32 code)
{
	switch (code) {
	case ISA_SRC_SHARED_BASE:
		return (u64)w->shared_base << 32;
	case ISA_SRC_PRIVATE_BASE:
		return (u64)w->private_base << 32;
	case ISA_SRC_SHARED_LIMIT:
		return (u64)w->shared_base << 32 | 0xffffffff;
	case ISA_SRC_PRIVATE_LIMIT:
		return (u64)w->private_base << 32 | 0xffffffff;
	case ISA_SRC_VCCZ:
		return !isa_vcc(w);
	case ISA_SRC_EXECZ:
		return !isa_exec(w);
	case ISA_SRC_SCC:
		return w->scc;
	case ISA_SRC_LITERAL:
		return i->lit;
	default:		/* an inline constant */
		return w->s[code & 255];
	}
}

u32 isa_sget32(const struct isa_wave *w, const struct isa_insn *i, u16 code)
{
	if (code < ISA_SRC_SHARED_BASE)
		return w->s[code];
	if (code == ISA_SRC_LITERAL)
		return i->lit;
	return (u32)isa_scalar_special(w, i, code);
}

u64 isa_sget64(const struct isa_wave *w, const struct isa_insn *i, u16 code)
{
	if (code < ISA_SRC_EXEC_HI)
		return code == ISA_SRC_NULL ? 0 : isa_sfast_get64(w, code);
	if (code >= ISA_SRC_FLOAT0 && code <= ISA_SRC_FLOAT_LAST)
		return f64_constants[code - ISA_SRC_FLOAT0];
	if (code >= ISA_SRC_INT0 && code <= ISA_SRC_INT_LAST)
		return (u64)(s64)(s32)w->s[code];
	return isa_scalar_special(w, i, code);
}

void isa_sput_special(struct isa_wave *w, u16 code, u32 v)
{
	if (code != ISA_SRC_EXEC_LO && code != ISA_SRC_EXEC_HI)
		return;
	w->s[code] = v;
	isa_set_exec(w, isa_exec(w));
}

void isa_sput64(struct isa_wave *w, u16 code, u64 v)
{
	if (code < ISA_SRC_M0)
		isa_sfast_put64(w, code & ~1u, v);
	else if (code == ISA_SRC_EXEC_LO)
		isa_set_exec(w, v);
}

bool isa_sfast_src(u16 code, u32 bits)
{
	if (bits == 64)
		return code < ISA_SRC_EXEC_HI && code != ISA_SRC_NULL;
	return code < ISA_SRC_SHARED_BASE ||
	       (code > ISA_SRC_PRIVATE_LIMIT && code < ISA_SRC_VCCZ);
}

bool isa_sfast_dst(u16 code, u32 bits)
{
	return bits == 64 ? code + 1 < ISA_SRC_M0 : code < ISA_SRC_NULL;
}

bool isa_sdst_ok(u16 code, u32 dwords)
{
	if (code == ISA_SRC_NULL)
		return true;
	return code + dwords <= 128 && !(dwords == 2 && (code & 1));
}
