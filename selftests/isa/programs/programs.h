/* SPDX-License-Identifier: MIT */
/*
 * The table of test programs: what to launch, with which arguments, and what
 * must come out. Nothing here knows how a program is run; a runner builds the
 * buffers, calls init, launches, calls fold on the result if there is one, and
 * compares every byte with what ref makes of the same initial buffers. Where
 * the kernel descriptor says that the stack is dynamic (recursion), a work-item
 * needs 4 KiB of private segment above the fixed size.
 */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRAM_ARGS	6

enum program_arg_kind {
	PROGRAM_ARG_NONE,
	PROGRAM_ARG_BUFFER,	/* @v: bytes; a pointer in the kernel arguments */
	PROGRAM_ARG_U32,	/* @v: value */
	PROGRAM_ARG_F32,	/* @v: bits */
};

struct program_arg {
	enum program_arg_kind kind;
	uint32_t v;
};

/**
 * struct program - one program
 * @name: name of the test
 * @object: code object: <object>.O<level>.hsaco
 * @kernel: symbol, without .kd
 * @group: work-group size
 * @groups: work-groups
 * @targets: those that it is for, or how their names begin ("gfx9*"); NULL: all
 * @args: kernel arguments in order; naturally aligned in the kernarg segment
 * @init: fills the buffers, which come zeroed; @b is indexed like @args
 * @ref: turns initial buffers into expected ones
 * @fold: makes equal what may differ (order of atomics); may be NULL
 */
struct program {
	const char *name;
	const char *object;
	const char *kernel;
	const char *targets;
	uint16_t group[3];
	uint16_t groups[3];
	struct program_arg args[PROGRAM_ARGS];
	void (*init)(const struct program *p, void *const *b);
	void (*ref)(const struct program *p, void *const *b);
	void (*fold)(const struct program *p, void *const *b);
};

extern const struct program item_programs[], group_programs[], matrix_programs[],
	library_programs[], rdna_programs[], image_programs[];
extern const size_t item_program_count, group_program_count, matrix_program_count,
	library_program_count, rdna_program_count, image_program_count;

/* Lanes of the waves that programs of rdna.c are about to run in. */
extern uint32_t rdna_lanes;
/* rdna.c: halves of 64 lanes exchange nothing by permutes */
extern bool rdna_halves;

size_t program_count(void);
const struct program *program_at(size_t n);
/* Offset of argument @n, or with @n = PROGRAM_ARGS the size of all. */
uint32_t program_arg_offset(const struct program *p, unsigned int n);

/* Deterministic random numbers: the @n-th of stream @seed. */
static inline uint64_t program_random(uint64_t seed, uint64_t n)
{
	uint64_t z = (seed + 1) * 0xd1342543de82ef95u + (n + 1) * 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

#endif /* PROGRAMS_H */
