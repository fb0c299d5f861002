/* SPDX-License-Identifier: MIT */
/* How the reference model's operations register themselves. */
#ifndef REF_H
#define REF_H

#include "lanes.h"

typedef void (*ref_fn)(const struct ref_in *in, struct ref_out *o);

struct ref_entry {
	u16 op;
	ref_fn fn;
	struct ref_entry *next;
};

void ref_add(struct ref_entry *e);

#define REF_ENTRY(N, f)							\
static struct ref_entry ref_entry_##N = { ISA_OP_##N, f, NULL };	\
__attribute__((constructor)) static void ref_add_##N(void)		\
{									\
	ref_add(&ref_entry_##N);					\
}
#define REFX(N, ...)							\
static void ref_##N(const struct ref_in *in, struct ref_out *o)		\
{									\
	(void)in;							\
	__VA_ARGS__;							\
}									\
REF_ENTRY(N, ref_##N)
#define REF(N, expr)	REFX(N, o->d = (expr))
#define REFC(N, expr)							\
static void ref_cmp_##N(const struct ref_in *in, struct ref_out *o)	\
{									\
	(void)in;							\
	o->mask = (expr);						\
}									\
REF_ENTRY(V_CMP_##N, ref_cmp_##N)					\
REF_ENTRY(V_CMPX_##N, ref_cmp_##N)

/* ref_fp8.c */
double ref_fp8_value(u32 code, int mbits);
u32 ref_fp8_nearest(u32 x, int mbits);

#endif /* REF_H */
