/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The integer read-modify-write operations: new value from @old in memory,
 * the operand, and what CMPSWAP compares with or the second operand of MSKOR
 * and WRAP. Inline: callers loop over lanes with a constant or loop-invariant
 * operation.
 */
#ifndef ISA_MEM_ALU_H
#define ISA_MEM_ALU_H

#include "mem.h"

#define MEM_ALU(bits)								\
static __always_inline u##bits mem_alu##bits(u32 aop, u##bits old, u##bits data, \
					     u##bits data2)			\
{										\
	switch (aop) {								\
	case AOP_SWAP:		return data;					\
	case AOP_CMPSWAP:	return old == data2 ? data : old;		\
	case AOP_ADD:		return old + data;				\
	case AOP_SUB:		return old - data;				\
	case AOP_RSUB:		return data - old;				\
	case AOP_SMIN:		return (s##bits)data < (s##bits)old ? data : old; \
	case AOP_UMIN:		return data < old ? data : old;			\
	case AOP_SMAX:		return (s##bits)data > (s##bits)old ? data : old; \
	case AOP_UMAX:		return data > old ? data : old;			\
	case AOP_AND:		return old & data;				\
	case AOP_OR:		return old | data;				\
	case AOP_XOR:		return old ^ data;				\
	case AOP_INC:		return old >= data ? 0 : old + 1;		\
	case AOP_DEC:		return !old || old > data ? data : old - 1;	\
	case AOP_MSKOR:		return (old & ~data) | data2;			\
	case AOP_WRAP:		return old >= data ? old - data : old + data2;	\
	case AOP_CSUB:		return old < data ? 0 : old - data;		\
	case AOP_COND_SUB:	return old < data ? old : old - data;		\
	default:		return old;					\
	}									\
}

MEM_ALU(32)
MEM_ALU(64)

#undef MEM_ALU

#endif /* ISA_MEM_ALU_H */
