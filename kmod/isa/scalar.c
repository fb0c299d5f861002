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

u32 isa_sget32(const struct isa_wave *w, const struct isa_insn *i, u16 code)
{
	switch (code) {
	case ISA_SRC_SHARED_BASE:
		return w->shared_base;
	case ISA_SRC_PRIVATE_BASE:
		return w->private_base;
	case ISA_SRC_SHARED_LIMIT:
	case ISA_SRC_PRIVATE_LIMIT:
		return 0xffffffff;
	case ISA_SRC_VCCZ:
		return !isa_vcc(w);
	case ISA_SRC_EXECZ:
		return !isa_exec(w);
	case ISA_SRC_SCC:
		return w->scc;
	case ISA_SRC_LITERAL:
		return i->lit;
	default:
		return w->s[code & 255];
	}
}

u64 isa_sget64(const struct isa_wave *w, const struct isa_insn *i, u16 code)
{
	if (code < ISA_SRC_EXEC_HI)
		return isa_sfast_get64(w, code);
	if (code >= 240 && code < 240 + ARRAY_SIZE(f64_constants))
		return f64_constants[code - 240];
	switch (code) {
	case ISA_SRC_SHARED_BASE:
		return (u64)w->shared_base << 32;
	case ISA_SRC_PRIVATE_BASE:
		return (u64)w->private_base << 32;
	case ISA_SRC_SHARED_LIMIT:
		return (u64)w->shared_base << 32 | 0xffffffff;
	case ISA_SRC_PRIVATE_LIMIT:
		return (u64)w->private_base << 32 | 0xffffffff;
	case ISA_SRC_LITERAL:
		return i->lit;
	default:
		if (code >= ISA_SRC_INT0 && code <= 208)
			return (u64)(s64)(s32)w->s[code];
		return isa_sget32(w, i, code);
	}
}

void isa_sput32(struct isa_wave *w, u16 code, u32 v)
{
	w->s[code & 127] = v;
	if ((code & 126) == ISA_SRC_EXEC_LO)
		isa_set_exec(w, isa_exec(w));
}

void isa_sput64(struct isa_wave *w, u16 code, u64 v)
{
	isa_sfast_put64(w, code & 126, v);
	if ((code & 126) == ISA_SRC_EXEC_LO)
		isa_set_exec(w, v);
}

bool isa_sfast_src(u16 code, u32 bits)
{
	if (bits == 64)
		return code < ISA_SRC_EXEC_HI;
	return code < ISA_SRC_SHARED_BASE ||
	       (code > ISA_SRC_PRIVATE_LIMIT && code < ISA_SRC_VCCZ);
}

bool isa_sfast_dst(u16 code, u32 bits)
{
	return bits == 64 ? code + 1 < ISA_SRC_EXEC_LO : code < ISA_SRC_EXEC_LO;
}

bool isa_sdst_ok(u16 code, u32 dwords)
{
	return code + dwords <= 128 && !(dwords == 2 && (code & 1));
}
