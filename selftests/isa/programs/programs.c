// SPDX-License-Identifier: MIT
/* The table of test programs as one list. */
#include "programs.h"

size_t program_count(void)
{
	return item_program_count + group_program_count + matrix_program_count +
	       library_program_count + rdna_program_count + image_program_count;
}

const struct program *program_at(size_t n)
{
	if (n < item_program_count)
		return &item_programs[n];
	n -= item_program_count;
	if (n < group_program_count)
		return &group_programs[n];
	n -= group_program_count;
	if (n < matrix_program_count)
		return &matrix_programs[n];
	n -= matrix_program_count;
	if (n < library_program_count)
		return &library_programs[n];
	n -= library_program_count;
	if (n < rdna_program_count)
		return &rdna_programs[n];
	return &image_programs[n - rdna_program_count];
}

uint32_t program_arg_offset(const struct program *p, unsigned int n)
{
	uint32_t at = 0, k;

	for (k = 0; k < PROGRAM_ARGS; k++) {
		uint32_t size = p->args[k].kind == PROGRAM_ARG_BUFFER ? 8 : 4;

		if (p->args[k].kind == PROGRAM_ARG_NONE)
			return at;
		at = (at + size - 1) & -size;
		if (k == n)
			return at;
		at += size;
	}
	return at;
}
