/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside the decoder: operand checks and one function per encoding family. */
#ifndef ISA_DECODE_H
#define ISA_DECODE_H

#include "tables.h"

#define ISA_SRC_SDWA	249
#define ISA_SRC_DPP	250

/**
 * struct isa_dec - an instruction being decoded
 * @t: target
 * @row: its table row
 * @w: first two words; @w[1] is zero when there is only one
 * @lit: a source asked for the literal dword
 * @in: the result
 */
struct isa_dec {
	const struct isa_target *t;
	const struct isa_row *row;
	u32 w[2];
	bool lit;
	struct isa_insn *in;
};

static inline u32 isa_bits(u32 w, unsigned int hi, unsigned int lo)
{
	return w >> lo & (0xffffffffu >> (31 - (hi - lo)));
}

/* Each returns false if the field is no operand of that kind. */
bool isa_dec_sgpr(u32 code, u32 dwords, u16 *out);
bool isa_dec_ssrc(struct isa_dec *d, u32 code, u32 dwords, bool lit, u16 *out);
bool isa_dec_vgpr(struct isa_dec *d, u32 n, u32 dwords, bool acc, u16 *out);

/* Return: dwords used, 0: more words needed, -EINVAL */
int isa_dec_vop(struct isa_dec *d, const u32 *dw, unsigned int n);
int isa_dec_vop3(struct isa_dec *d);
int isa_dec_vop3p(struct isa_dec *d);
int isa_dec_ds(struct isa_dec *d);
int isa_dec_flat(struct isa_dec *d);
int isa_dec_buf(struct isa_dec *d);
int isa_dec_mimg(struct isa_dec *d);

#endif /* ISA_DECODE_H */
