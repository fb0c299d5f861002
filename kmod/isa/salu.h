/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the scalar ALU: rows of arithmetic (salu_arith.c), control (salu_ctl.c),
 * the wave's system state (salu_sys.c).
 */
#ifndef ISA_SALU_H
#define ISA_SALU_H

#include "scalar.h"

/**
 * struct salu_row - one scalar operation
 * @fast: handler where every operand is a plain word of the file
 * @gen: handler for any operand
 * @d,@a,@b: operand widths in bits; 0: none
 */
struct salu_row {
	isa_exec_fn fast, gen;
	u8 d, a, b;
};

const struct salu_row *salu_arith_row(unsigned int op);
isa_exec_fn salu_ctl_handler(unsigned int op);
isa_exec_fn salu_sys_handler(unsigned int op);

#endif /* ISA_SALU_H */
