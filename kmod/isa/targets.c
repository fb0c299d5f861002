// SPDX-License-Identifier: GPL-2.0-only
/* The generated tables and the look-ups on them. */
#include "tables.h"
#include "generated/isa_tables.h"

const struct isa_target *isa_target_find(u32 major, u32 minor, u32 step)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(isa_targets); n++) {
		const struct isa_target *t = &isa_targets[n];

		if (t->major == major && t->minor == minor && t->step == step)
			return t;
	}
	return NULL;
}

const struct isa_target *isa_target_by_name(const char *name)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(isa_targets); n++)
		if (!strcmp(isa_targets[n].name, name))
			return &isa_targets[n];
	return NULL;
}

const struct isa_target *isa_target_get(size_t n)
{
	return n < ARRAY_SIZE(isa_targets) ? &isa_targets[n] : NULL;
}

const char *isa_target_name(const struct isa_target *t)
{
	return t->name;
}

const struct isa_arch *isa_target_arch(const struct isa_target *t)
{
	return isa_arch_find(t->major, t->minor, t->step);
}

const struct isa_family *isa_target_family(const struct isa_target *t)
{
	return isa_target_families[t - isa_targets];
}

const char *isa_target_op_name(const struct isa_target *t, unsigned int op)
{
	const struct isa_alias *a;

	for (a = t->alias; a->name; a++)
		if (a->op == op)
			return a->name;
	return isa_op_name(op);
}

const char *isa_op_name(unsigned int op)
{
	return op < ISA_OP_COUNT ? isa_op_names[op] : NULL;
}

unsigned int isa_op_count(void)
{
	return ISA_OP_COUNT;
}
