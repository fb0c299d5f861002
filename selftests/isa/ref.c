// SPDX-License-Identifier: MIT
/* Registry of the reference model. */
#include "ref.h"

static struct ref_entry *refs[ISA_OP_COUNT];

void ref_add(struct ref_entry *e)
{
	refs[e->op] = e;
}

bool ref_op(const struct lt_op *op, const struct ref_in *in, struct ref_out *out)
{
	memset(out, 0, sizeof(*out));
	if (!refs[op->op])
		return false;
	refs[op->op]->fn(in, out);
	return true;
}
