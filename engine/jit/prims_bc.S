/* SPDX-License-Identifier: MIT */
/* The bitcode of prims.c, as data */
	.section .rodata
#define BITCODE(name, file)	\
	.globl	name;		\
	.globl	name##_end;	\
	.balign	16;		\
name:	.incbin	file;		\
name##_end:
BITCODE(jit_prims_avx2, "prims_avx2.bc")
BITCODE(jit_prims_avx512, "prims_avx512.bc")
	.section .note.GNU-stack, "", @progbits
