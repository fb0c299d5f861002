/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside the disassembler: the text buffer and operand printers. */
#ifndef ISA_DISASM_H
#define ISA_DISASM_H

#include "decode.h"

/**
 * struct isa_text - text being written
 * @family: how @t encodes
 * @buf,@len: the caller's buffer
 * @at: bytes the text needs so far; more than @len says it was cut
 * @ops: operands written, for the commas
 */
struct isa_text {
	const struct isa_target *t;
	const struct isa_family *family;
	const struct isa_insn *in;
	const struct isa_row *row;
	char *buf;
	size_t len, at;
	u32 ops;
};

void isa_put(struct isa_text *x, const char *fmt, ...) __attribute__((__format__(printf, 2, 3)));
/* Starts the next operand: a space, or a comma and a space. */
void isa_put_sep(struct isa_text *x);
void isa_put_reg(struct isa_text *x, u32 code, u32 dwords);
/* A source with its literal; no separator. */
void isa_put_src(struct isa_text *x, u32 code, const struct isa_opnd *o);
/* [a,b,c] of the low @n bits */
void isa_put_bits(struct isa_text *x, const char *name, u32 bits, u32 n);

void isa_dis_ds(struct isa_text *x);
void isa_dis_flat(struct isa_text *x);
void isa_dis_buf(struct isa_text *x);
/* A buffer instruction with a V#; @format and @cache write what generations spell otherwise. */
void isa_dis_buf_as(struct isa_text *x, bool tfe, void (*format)(struct isa_text *x),
		    void (*cache)(struct isa_text *x));
void isa_dis_mimg(struct isa_text *x);
void isa_dis_imm(struct isa_text *x, unsigned int kind);
/* Counters of s_waitcnt that are not at @full, the most; those of vectors and exports: 63, 7 */
void isa_dis_counters(struct isa_text *x, u32 vm, u32 exp, u32 lgkm, u32 full);
/* Destination and sources; @imm writes those that are no registers. */
void isa_dis_operands(struct isa_text *x, void (*imm)(struct isa_text *x, unsigned int kind));
void isa_dis_vop(struct isa_text *x);
/* Clamp and output modifier; selections of SDWA, with these. */
void isa_dis_omod(struct isa_text *x);
void isa_dis_sdwa(struct isa_text *x);

/* disasm_rdna*.c: gfx10 on */
void isa_dis_rdna(struct isa_text *x);
void isa_dis_rdna_imm(struct isa_text *x, unsigned int kind);
void isa_dis_rdna_flat(struct isa_text *x);
void isa_dis_rdna_buf(struct isa_text *x);
void isa_dis_rdna_smem(struct isa_text *x);
void isa_dis_rdna_image(struct isa_text *x);

static inline u32 isa_dis_sources(const struct isa_row *r)
{
	u32 n = 0;

	while (n < ARRAY_SIZE(r->src) && r->src[n].kind)
		n++;
	return n;
}

#endif /* ISA_DISASM_H */
