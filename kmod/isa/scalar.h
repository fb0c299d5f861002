/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scalar operands. Most codes name a word of wave->s (SGPRs, VCC, M0, EXEC and
 * the inline constants): those take the fast accessors. The others (literal,
 * apertures, VCCZ, EXECZ, SCC, 64-bit constants, writes of EXEC) take the
 * general ones. A handler exists for either; the binder picks.
 */
#ifndef ISA_SCALAR_H
#define ISA_SCALAR_H

#include "isa_int.h"

u32 isa_sget32(const struct isa_wave *w, const struct isa_insn *i, u16 code);
u64 isa_sget64(const struct isa_wave *w, const struct isa_insn *i, u16 code);

/* A write to EXEC, which has effects, or to NULL, which has none. */
void isa_sput_special(struct isa_wave *w, u16 code, u32 v);

static __always_inline void isa_sput32(struct isa_wave *w, u16 code, u32 v)
{
	if (likely(code < ISA_SRC_NULL))
		w->s[code] = v;
	else
		isa_sput_special(w, code, v);
}

/* @code is even, or NULL. */
void isa_sput64(struct isa_wave *w, u16 code, u64 v);

/* True where the fast accessors give the right answer. */
bool isa_sfast_src(u16 code, u32 bits);
bool isa_sfast_dst(u16 code, u32 bits);
/* True where a scalar destination of @dwords stays inside the file. */
bool isa_sdst_ok(u16 code, u32 dwords);

/*
 * Two loads, one store: halves that were written one by one do not forward to a
 * load of both, but both forward to loads of the halves.
 */
static __always_inline u64 isa_sfast_get64(const struct isa_wave *w, u16 code)
{
	const u32 *p = w->s + code;
	u32 lo = p[0], hi = p[1];

	__asm__("" : "+r"(hi));
	return lo | (u64)hi << 32;
}

static __always_inline void isa_sfast_put64(struct isa_wave *w, u16 code, u64 v)
{
	__builtin_memcpy(w->s + code, &v, sizeof(v));
}

#endif /* ISA_SCALAR_H */
