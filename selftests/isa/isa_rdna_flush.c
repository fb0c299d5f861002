// SPDX-License-Identifier: MIT
/*
 * Of isa_rdna: what flushes denormals on gfx12 whatever MODE says, and elsewhere does not: RDNA4
 * ISA, 7.2.4. Faces of a cube are as the ISAs' texts have them.
 */
#include <math.h>
#include "isa_rdna.h"

static bool is_nan(u32 x) { return (x & 0x7fffffff) > 0x7f800000; }
static u32 flushed(u32 x) { return x & 0x7f800000 ? x : x & 0x80000000; }

static u32 fma_dx9(u32 a, u32 b, u32 c)
{
	if (!(a << 1) || !(b << 1))
		return c;
	return flushed(rdna_bits(fmaf(rdna_float(a), rdna_float(b), rdna_float(c))));
}

static u32 major_axis(const float *v)
{
	const float x = fabsf(v[0]), y = fabsf(v[1]), z = fabsf(v[2]);

	return z >= x && z >= y ? 2 : y >= x ? 1 : 0;
}

static u32 cube_id(u32 a, u32 b, u32 c)
{
	const float v[3] = { rdna_float(a), rdna_float(b), rdna_float(c) };
	const u32 n = major_axis(v);

	return rdna_bits((float)(2 * n + (v[n] < 0)));
}

static u32 cube_sc(u32 a, u32 b, u32 c)
{
	const float v[3] = { rdna_float(a), rdna_float(b), rdna_float(c) };

	switch (major_axis(v)) {
	case 0:
		return rdna_bits(v[0] < 0 ? v[2] : -v[2]);
	case 1:
		return a;
	default:
		return rdna_bits(v[2] < 0 ? -v[0] : v[0]);
	}
}

static u32 cube_tc(u32 a, u32 b, u32 c)
{
	const float v[3] = { rdna_float(a), rdna_float(b), rdna_float(c) };

	return rdna_bits(major_axis(v) != 1 ? -v[1] : v[1] < 0 ? -v[2] : v[2]);
}

static u32 cube_ma(u32 a, u32 b, u32 c)
{
	const float v[3] = { rdna_float(a), rdna_float(b), rdna_float(c) };

	return rdna_bits(2 * v[major_axis(v)]);
}

static const struct {
	const char *name;
	u32 (*f)(u32 a, u32 b, u32 c);
} refs[] = {
	{ "v_fma_dx9_zero_f32", fma_dx9 }, { "v_cubeid_f32_gfx12", cube_id },
	{ "v_cubesc_f32_gfx12", cube_sc }, { "v_cubetc_f32_gfx12", cube_tc },
	{ "v_cubema_f32_gfx12", cube_ma },
};

/* No NaN; a third are denormals, some are zeros */
static u32 value(void)
{
	u32 x = rdna_random(), kind = rdna_random() % 8;

	if (kind < 3)
		return x & 0x807fffff;
	if (kind == 3)
		return x & 0x80000000;
	return is_nan(x) ? x & 0x80ffffff : kind < 6 ? (x & 0x80ffffff) | 0x00800000 : x;
}

int rdna_flush(struct rig *r, const struct isa_target *t, const struct isa_row *row,
	       unsigned int enc, u32 op)
{
	const char *name = isa_op_names[row->op];
	const u32 w[4] = {
		rdna_format(t, enc)->match | op << rdna_format(t, enc)->lo | D,
		(256 | A) | (256 | B) << 9 | (256 | C) << 18, NOP, NOP,
	};
	u32 n, l, try;

	for (n = 0; n < ARRAY_SIZE(refs) && strcmp(refs[n].name, name); n++)
		;
	if (n == ARRAY_SIZE(refs))
		return -1;
	for (try = 0; try < 40; try++) {
		rdna_prepare(r, w, 64, ~0ull, try);
		for (l = 0; l < ISA_LANES; l++) {
			rdna_row(r, A)[l] = value();
			rdna_row(r, B)[l] = value();
			rdna_row(r, C)[l] = value();
		}
		if (rig_run(r, 1) != ISA_STOP_BUDGET)
			return rdna_tell(name, "the stop", r->ex.why, ISA_STOP_BUDGET);
		for (l = 0; l < ISA_LANES; l++) {
			const u32 want = refs[n].f(flushed(rdna_row(r, A)[l]), flushed(rdna_row(r, B)[l]),
						   flushed(rdna_row(r, C)[l]));

			if (!is_nan(want) && rdna_row(r, D)[l] != want)
				return rdna_tell(name, "a lane", rdna_row(r, D)[l], want);
		}
	}
	return 1;
}
