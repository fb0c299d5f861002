/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside the disassembler: the text buffer and operand printers. */
#ifndef ISA_DISASM_H
#define ISA_DISASM_H

#include "tables.h"

/**
 * struct isa_text - text being written
 * @buf,@len: the caller's buffer
 * @at: bytes the text needs so far; more than @len says it was cut
 * @ops: operands written, for the commas
 */
struct isa_text {
	const struct isa_target *t;
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
void isa_dis_mimg(struct isa_text *x);
void isa_dis_imm(struct isa_text *x, unsigned int kind);
void isa_dis_vop(struct isa_text *x);

#endif /* ISA_DISASM_H */
