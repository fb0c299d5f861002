// SPDX-License-Identifier: MIT
/*
 * Scalar ALU against a reference that is written bit by bit from the ISA text
 * (CDNA2 ISA chapter 12), sharing nothing with the engine: operands in
 * registers, inline constants and literals, special values and random ones.
 */
#include <stdlib.h>
#include "rig.h"
#include "tables.h"

struct ref {
	u64 a, b, exec;		/* in; @exec also out */
	int scc;		/* in and out */
	u64 d;			/* in: old destination, out */
};

typedef void (*ref_fn)(struct ref *r, int bits);

static u64 mask(int bits)
{
	return bits == 64 ? ~0ull : (1ull << bits) - 1;
}

static s64 sx(u64 v, int bits)
{
	return v >> (bits - 1) & 1 ? (s64)(v | ~mask(bits)) : (s64)v;
}

static void nz(struct ref *r)
{
	r->scc = r->d != 0;
}

#define REF(NAME)	static void NAME(struct ref *r, int bits)
#define REFD(NAME, EXPR) REF(NAME) { (void)bits; r->d = (EXPR) & mask(bits); }
#define REFZ(NAME, EXPR) REF(NAME) { (void)bits; r->d = (EXPR) & mask(bits); nz(r); }
#define REFC(NAME, COND) REF(NAME) { (void)bits; r->scc = !!(COND); }

REF(add_u)
{
	unsigned __int128 t = (unsigned __int128)r->a + r->b;

	r->d = (u64)t & mask(bits);
	r->scc = (t >> bits) != 0;
}
REF(sub_u) { r->scc = r->b > r->a; r->d = (r->a - r->b) & mask(bits); }
REF(add_i)
{
	__int128 t = (__int128)sx(r->a, bits) + sx(r->b, bits);

	r->d = (u64)t & mask(bits);
	r->scc = sx(r->d, bits) != t;
}
REF(sub_i)
{
	__int128 t = (__int128)sx(r->a, bits) - sx(r->b, bits);

	r->d = (u64)t & mask(bits);
	r->scc = sx(r->d, bits) != t;
}
REF(addc) { u64 t = r->a + r->b + r->scc; r->d = t & mask(bits); r->scc = t >> 32 & 1; }
REF(subb) { s64 t = (s64)r->a - (s64)r->b - r->scc; r->d = (u64)t & mask(bits); r->scc = t < 0; }
REF(min_i) { r->scc = sx(r->a, bits) < sx(r->b, bits); r->d = r->scc ? r->a : r->b; }
REF(max_i) { r->scc = sx(r->a, bits) >= sx(r->b, bits); r->d = r->scc ? r->a : r->b; }
REF(min_u) { (void)bits; r->scc = r->a < r->b; r->d = r->scc ? r->a : r->b; }
REF(max_u) { (void)bits; r->scc = r->a >= r->b; r->d = r->scc ? r->a : r->b; }
REFD(cselect, r->scc ? r->a : r->b)
REFZ(and, r->a & r->b)
REFZ(or, r->a | r->b)
REFZ(xor, r->a ^ r->b)
REFZ(andn2, r->a & ~r->b)
REFZ(orn2, r->a | ~r->b)
REFZ(nand, ~(r->a & r->b))
REFZ(nor, ~(r->a | r->b))
REFZ(xnor, ~(r->a ^ r->b))
REF(lshl)
{
	int n = r->b & (bits - 1);

	r->d = r->a;
	while (n--) r->d = (r->d * 2) & mask(bits);
	nz(r);
}
REF(lshr) { int n = r->b & (bits - 1); r->d = r->a; while (n--) r->d /= 2; nz(r); }
REF(ashr)
{
	int n = r->b & (bits - 1);

	r->d = r->a;
	while (n--)
		r->d = r->d / 2 | (r->d & 1ull << (bits - 1));
	nz(r);
}
REF(bfm)
{
	int n = r->a & (bits - 1), at = r->b & (bits - 1), k;

	r->d = 0;
	for (k = 0; k < n; k++)
		if (at + k < bits)
			r->d |= 1ull << (at + k);
}
REFD(mul_i, r->a * r->b)
REF(mul_hi_u) { (void)bits; r->d = (r->a * r->b) >> 32; }
REF(mul_hi_i) { (void)bits; r->d = (u64)((sx(r->a, 32) * sx(r->b, 32)) >> 32) & mask(32); }
REF(bfe_u)
{
	int at = r->b & (bits - 1), n = r->b >> 16 & 127, k;

	r->d = 0;
	for (k = 0; k < n && at + k < bits; k++)
		r->d |= (r->a >> (at + k) & 1) << k;
	nz(r);
}
REF(bfe_i)
{
	int at = r->b & (bits - 1), n = r->b >> 16 & 127, k;

	if (at + n > bits)
		n = bits - at;
	r->d = 0;
	for (k = 0; k < bits; k++)
		if (n)
			r->d |= (r->a >> (at + (k < n ? k : n - 1)) & 1) << k;
	nz(r);
}
REF(absdiff)
{
	s64 t = sx((r->a - r->b) & mask(32), 32);

	(void)bits;
	r->d = (u64)(t < 0 ? -t : t) & mask(32);
	nz(r);
}
REF(lshl1_add) { u64 t = r->a * 2 + r->b; r->d = t & mask(bits); r->scc = (t >> 32) != 0; }
REF(lshl2_add) { u64 t = r->a * 4 + r->b; r->d = t & mask(bits); r->scc = (t >> 32) != 0; }
REF(lshl3_add) { u64 t = r->a * 8 + r->b; r->d = t & mask(bits); r->scc = (t >> 32) != 0; }
REF(lshl4_add) { u64 t = r->a * 16 + r->b; r->d = t & mask(bits); r->scc = (t >> 32) != 0; }
REFD(pack_ll, (r->a & 0xffff) + (r->b & 0xffff) * 65536)
REFD(pack_lh, (r->a & 0xffff) + (r->b >> 16) * 65536)
REFD(pack_hh, (r->a >> 16) + (r->b >> 16) * 65536)

REFD(mov, r->a)
REFD(cmov, r->scc ? r->a : r->d)
REFZ(not, ~r->a)
REF(wqm)
{
	int k;

	r->d = 0;
	for (k = 0; k < bits; k += 4)
		if (r->a >> k & 15)
			r->d |= 15ull << k;
	nz(r);
}
REF(quadmask)
{
	int k;

	r->d = 0;
	for (k = 0; k < bits; k += 4)
		if (r->a >> k & 15)
			r->d |= 1ull << (k / 4);
	nz(r);
}
REF(brev) { int k; r->d = 0; for (k = 0; k < bits; k++) r->d |= (r->a >> k & 1) << (bits - 1 - k); }
REF(bcnt0) { int k; r->d = 0; for (k = 0; k < bits; k++) r->d += !(r->a >> k & 1); nz(r); }
REF(bcnt1) { int k; r->d = 0; for (k = 0; k < bits; k++) r->d += r->a >> k & 1; nz(r); }
REF(ff0) { int k; r->d = mask(32); for (k = bits - 1; k >= 0; k--) if (!(r->a >> k & 1)) r->d = k; }
REF(ff1) { int k; r->d = mask(32); for (k = bits - 1; k >= 0; k--) if (r->a >> k & 1) r->d = k; }
REF(flbit)
{
	int k;

	r->d = mask(32);
	for (k = 0; k < bits; k++)
		if (r->a >> k & 1)
			r->d = bits - 1 - k;
}
REF(flbit_i)
{
	int k;

	r->d = mask(32);
	for (k = 0; k < bits - 1; k++)
		if ((r->a >> k & 1) != (r->a >> (bits - 1) & 1))
			r->d = bits - 1 - k;
}
REF(sext8) { (void)bits; r->d = (u64)sx(r->a & 0xff, 8) & mask(32); }
REF(sext16) { (void)bits; r->d = (u64)sx(r->a & 0xffff, 16) & mask(32); }
REFD(bitset0, r->d & ~(1ull << (r->a & (bits - 1))))
REFD(bitset1, r->d | 1ull << (r->a & (bits - 1)))
REF(addk) { r->b = r->d; add_i(r, bits); }
REFD(mulk, r->d * r->a)
REF(abs_i) { (void)bits; r->d = r->a >> 31 & 1 ? (0 - r->a) & mask(32) : r->a; nz(r); }
REF(replicate)
{
	int k;

	(void)bits;
	r->d = 0;
	for (k = 0; k < 64; k++)
		r->d |= (r->a >> (k / 2) & 1) << k;
}

#define SAVEEXEC(NAME, EXPR)				\
REF(NAME)						\
{							\
	(void)bits;					\
	r->d = r->exec;					\
	r->exec = (EXPR);				\
	r->scc = r->exec != 0;				\
}
SAVEEXEC(x_and, r->a & r->exec)
SAVEEXEC(x_or, r->a | r->exec)
SAVEEXEC(x_xor, r->a ^ r->exec)
SAVEEXEC(x_andn2, r->a & ~r->exec)
SAVEEXEC(x_orn2, r->a | ~r->exec)
SAVEEXEC(x_nand, ~(r->a & r->exec))
SAVEEXEC(x_nor, ~(r->a | r->exec))
SAVEEXEC(x_xnor, ~(r->a ^ r->exec))
SAVEEXEC(x_andn1, ~r->a & r->exec)
SAVEEXEC(x_orn1, ~r->a | r->exec)
REF(w_andn1) { (void)bits; r->exec = ~r->a & r->exec; r->d = r->exec; nz(r); }
REF(w_andn2) { (void)bits; r->exec = r->a & ~r->exec; r->d = r->exec; nz(r); }

REFC(eq, r->a == r->b)
REFC(lg, r->a != r->b)
REFC(gt_i, sx(r->a, 32) > sx(r->b, 32))
REFC(ge_i, sx(r->a, 32) >= sx(r->b, 32))
REFC(lt_i, sx(r->a, 32) < sx(r->b, 32))
REFC(le_i, sx(r->a, 32) <= sx(r->b, 32))
REFC(gt_u, r->a > r->b)
REFC(ge_u, r->a >= r->b)
REFC(lt_u, r->a < r->b)
REFC(le_u, r->a <= r->b)
REFC(bitcmp0, !(r->a >> (r->b & (bits - 1)) & 1))
REFC(bitcmp1, r->a >> (r->b & (bits - 1)) & 1)

/* Name, reference, width that the reference works in. */
struct reference {
	const char *name;
	ref_fn fn;
	int bits;
};

static const struct reference references[] = {
	{ "s_add_u32", add_u, 32 }, { "s_sub_u32", sub_u, 32 }, { "s_add_i32", add_i, 32 },
	{ "s_sub_i32", sub_i, 32 }, { "s_addc_u32", addc, 32 }, { "s_subb_u32", subb, 32 },
	{ "s_min_i32", min_i, 32 }, { "s_min_u32", min_u, 32 }, { "s_max_i32", max_i, 32 },
	{ "s_max_u32", max_u, 32 }, { "s_cselect_b32", cselect, 32 },
	{ "s_cselect_b64", cselect, 64 }, { "s_and_b32", and, 32 }, { "s_and_b64", and, 64 },
	{ "s_or_b32", or, 32 }, { "s_or_b64", or, 64 }, { "s_xor_b32", xor, 32 },
	{ "s_xor_b64", xor, 64 }, { "s_andn2_b32", andn2, 32 }, { "s_andn2_b64", andn2, 64 },
	{ "s_orn2_b32", orn2, 32 }, { "s_orn2_b64", orn2, 64 }, { "s_nand_b32", nand, 32 },
	{ "s_nand_b64", nand, 64 }, { "s_nor_b32", nor, 32 }, { "s_nor_b64", nor, 64 },
	{ "s_xnor_b32", xnor, 32 }, { "s_xnor_b64", xnor, 64 }, { "s_lshl_b32", lshl, 32 },
	{ "s_lshl_b64", lshl, 64 }, { "s_lshr_b32", lshr, 32 }, { "s_lshr_b64", lshr, 64 },
	{ "s_ashr_i32", ashr, 32 }, { "s_ashr_i64", ashr, 64 }, { "s_bfm_b32", bfm, 32 },
	{ "s_bfm_b64", bfm, 64 }, { "s_mul_i32", mul_i, 32 }, { "s_bfe_u32", bfe_u, 32 },
	{ "s_bfe_i32", bfe_i, 32 }, { "s_bfe_u64", bfe_u, 64 }, { "s_bfe_i64", bfe_i, 64 },
	{ "s_absdiff_i32", absdiff, 32 }, { "s_mul_hi_u32", mul_hi_u, 32 },
	{ "s_mul_hi_i32", mul_hi_i, 32 }, { "s_lshl1_add_u32", lshl1_add, 32 },
	{ "s_lshl2_add_u32", lshl2_add, 32 }, { "s_lshl3_add_u32", lshl3_add, 32 },
	{ "s_lshl4_add_u32", lshl4_add, 32 }, { "s_pack_ll_b32_b16", pack_ll, 32 },
	{ "s_pack_lh_b32_b16", pack_lh, 32 }, { "s_pack_hh_b32_b16", pack_hh, 32 },
	{ "s_mov_b32", mov, 32 }, { "s_mov_b64", mov, 64 }, { "s_cmov_b32", cmov, 32 },
	{ "s_cmov_b64", cmov, 64 }, { "s_not_b32", not, 32 }, { "s_not_b64", not, 64 },
	{ "s_wqm_b32", wqm, 32 }, { "s_wqm_b64", wqm, 64 }, { "s_brev_b32", brev, 32 },
	{ "s_brev_b64", brev, 64 }, { "s_bcnt0_i32_b32", bcnt0, 32 },
	{ "s_bcnt0_i32_b64", bcnt0, 64 }, { "s_bcnt1_i32_b32", bcnt1, 32 },
	{ "s_bcnt1_i32_b64", bcnt1, 64 }, { "s_ff0_i32_b32", ff0, 32 },
	{ "s_ff0_i32_b64", ff0, 64 }, { "s_ff1_i32_b32", ff1, 32 }, { "s_ff1_i32_b64", ff1, 64 },
	{ "s_flbit_i32_b32", flbit, 32 }, { "s_flbit_i32_b64", flbit, 64 },
	{ "s_flbit_i32", flbit_i, 32 }, { "s_flbit_i32_i64", flbit_i, 64 },
	{ "s_sext_i32_i8", sext8, 32 }, { "s_sext_i32_i16", sext16, 32 },
	{ "s_bitset0_b32", bitset0, 32 }, { "s_bitset0_b64", bitset0, 64 },
	{ "s_bitset1_b32", bitset1, 32 }, { "s_bitset1_b64", bitset1, 64 },
	{ "s_and_saveexec_b64", x_and, 64 }, { "s_or_saveexec_b64", x_or, 64 },
	{ "s_xor_saveexec_b64", x_xor, 64 }, { "s_andn2_saveexec_b64", x_andn2, 64 },
	{ "s_orn2_saveexec_b64", x_orn2, 64 }, { "s_nand_saveexec_b64", x_nand, 64 },
	{ "s_nor_saveexec_b64", x_nor, 64 }, { "s_xnor_saveexec_b64", x_xnor, 64 },
	{ "s_quadmask_b32", quadmask, 32 }, { "s_quadmask_b64", quadmask, 64 },
	{ "s_abs_i32", abs_i, 32 }, { "s_andn1_saveexec_b64", x_andn1, 64 },
	{ "s_orn1_saveexec_b64", x_orn1, 64 }, { "s_andn1_wrexec_b64", w_andn1, 64 },
	{ "s_andn2_wrexec_b64", w_andn2, 64 }, { "s_bitreplicate_b64_b32", replicate, 64 },
	{ "s_cmp_eq_i32", eq, 32 }, { "s_cmp_lg_i32", lg, 32 }, { "s_cmp_gt_i32", gt_i, 32 },
	{ "s_cmp_ge_i32", ge_i, 32 }, { "s_cmp_lt_i32", lt_i, 32 }, { "s_cmp_le_i32", le_i, 32 },
	{ "s_cmp_eq_u32", eq, 32 }, { "s_cmp_lg_u32", lg, 32 }, { "s_cmp_gt_u32", gt_u, 32 },
	{ "s_cmp_ge_u32", ge_u, 32 }, { "s_cmp_lt_u32", lt_u, 32 }, { "s_cmp_le_u32", le_u, 32 },
	{ "s_cmp_eq_u64", eq, 64 }, { "s_cmp_lg_u64", lg, 64 }, { "s_bitcmp0_b32", bitcmp0, 32 },
	{ "s_bitcmp1_b32", bitcmp1, 32 }, { "s_bitcmp0_b64", bitcmp0, 64 },
	{ "s_bitcmp1_b64", bitcmp1, 64 },
	{ "s_movk_i32", mov, 32 }, { "s_cmovk_i32", cmov, 32 }, { "s_addk_i32", addk, 32 },
	{ "s_mulk_i32", mulk, 32 },
	{ "s_cmpk_eq_i32", eq, 32 }, { "s_cmpk_lg_i32", lg, 32 }, { "s_cmpk_gt_i32", gt_i, 32 },
	{ "s_cmpk_ge_i32", ge_i, 32 }, { "s_cmpk_lt_i32", lt_i, 32 }, { "s_cmpk_le_i32", le_i, 32 },
	{ "s_cmpk_eq_u32", eq, 32 }, { "s_cmpk_lg_u32", lg, 32 }, { "s_cmpk_gt_u32", gt_u, 32 },
	{ "s_cmpk_ge_u32", ge_u, 32 }, { "s_cmpk_lt_u32", lt_u, 32 }, { "s_cmpk_le_u32", le_u, 32 },
};

/* Every operation that has a meaning: of isa/tab/sop.tab */
static const struct {
	u16 op;
	const char *name;
} operations[] = {
#include "generated/isa_scalar_list.h"
};

static u64 rng_state = 0x9e3779b97f4a7c15ull;

static u64 rng(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return rng_state;
}

static u64 value(void)
{
	static const u64 special[] = {
		0, 1, 2, 31, 32, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
		0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
		~0ull, 0x00100004, 0x00200000, 0x00400000, 0x003f0001, 0x007f001f,
	};
	u64 v = rng();

	switch (v & 3) {
	case 0:
		return special[rng() % ARRAY_SIZE(special)];
	case 1:
		return rng() & rng() & rng();
	default:
		return rng();
	}
}

/* Slot of a mnemonic in the target's tables. */
static bool find(const struct isa_target *t, const char *name, u32 *enc, u32 *num)
{
	static const u8 encs[] = { ISA_ENC_SOP1, ISA_ENC_SOP2, ISA_ENC_SOPC, ISA_ENC_SOPK };
	u32 e, n;

	for (e = 0; e < ARRAY_SIZE(encs); e++) {
		for (n = 0; n < t->nslots[encs[e]]; n++) {
			u16 row = t->slots[encs[e]][n];

			if (row && !strcmp(isa_op_name(isa_rows[row].op), name)) {
				*enc = encs[e];
				*num = n;
				return true;
			}
		}
	}
	return false;
}

/* A source: s[4:5] or s[6:7], an inline integer or a literal, with its value. */
static u32 source(struct rig *r, u32 n, u32 dwords, u32 *lit, bool *has_lit, u64 *v)
{
	u32 kind = rng() % 8;

	*v = value();
	if (kind == 0) {
		u32 k = rng() % 65;

		*v = k;
		return ISA_SRC_INT0 + k;
	}
	if (kind == 1) {
		u32 k = 1 + rng() % 16;

		*v = (u64)-(s64)k & mask(32 * dwords);
		return 192 + k;
	}
	if (kind == 2 && !*has_lit) {
		*has_lit = true;
		*lit = (u32)*v;
		*v = *lit;
		return ISA_SRC_LITERAL;
	}
	*v &= mask(32 * dwords);
	r->w->s[4 + 2 * n] = (u32)*v;
	r->w->s[5 + 2 * n] = (u32)(*v >> 32);
	return 4 + 2 * n;
}

/* SOPK: its 16 bits; a compare reads the register that others write: *@dst. */
static u32 immediate(struct rig *r, const struct isa_row *row, u32 *dst, struct ref *ref)
{
	bool compare = !row->dst[0].kind;
	const struct isa_opnd *o = &row->src[compare];
	u32 k = value() & 0xffff;
	u64 v = o->kind == ISA_K_SIMM ? (u64)sx(k, 16) & mask(32) : k;

	if (!compare) {
		ref->a = v;
		return k;
	}
	*dst = 4;
	ref->a = rng() & 1 ? v : value() & mask(32);
	ref->b = v;
	r->w->s[4] = (u32)ref->a;
	return k;
}

static bool once(struct rig *r, u32 enc, u32 num, const struct isa_row *row, ref_fn fn, int bits)
{
	static const u32 bases[] = {
		[ISA_ENC_SOP1] = 0xbe800000, [ISA_ENC_SOP2] = 0x80000000,
		[ISA_ENC_SOPC] = 0xbf000000, [ISA_ENC_SOPK] = 0xb0000000,
	};
	u32 words[3] = { 0 }, n = 1, lit = 0, a, b = 0, dst = 8;
	struct ref ref = { 0 };
	bool has_lit = false;
	u64 old = value(), got;

	rig_load(r, words, 3);
	if (enc == ISA_ENC_SOPK)
		a = immediate(r, row, &dst, &ref);
	else
		a = source(r, 0, row->src[0].dwords, &lit, &has_lit, &ref.a);
	if (enc != ISA_ENC_SOPK && row->src[1].kind)
		b = source(r, 1, row->src[1].dwords, &lit, &has_lit, &ref.b);
	r->w->scc = rng() & 1;
	isa_set_exec(r->w, rng() & 1 ? ~0ull : value());
	if (row->dst[0].kind && rng() % 4 == 0)
		dst = rng() & 1 ? ISA_SRC_VCC_LO : 0;
	if (row->dst[0].kind) {
		r->w->s[dst] = (u32)old;
		r->w->s[dst + 1] = (u32)(old >> 32);
	}
	ref.scc = r->w->scc;
	ref.exec = isa_exec(r->w);
	ref.d = row->dst[0].dwords == 2 ? old : (u32)old;
	words[0] = bases[enc] | a;
	if (enc == ISA_ENC_SOP1)
		words[0] |= dst << 16 | num << 8;
	else if (enc == ISA_ENC_SOP2)
		words[0] |= dst << 16 | num << 23 | b << 8;
	else if (enc == ISA_ENC_SOPK)
		words[0] |= dst << 16 | num << 23;
	else
		words[0] |= num << 16 | b << 8;
	if (has_lit)
		words[n++] = lit;
	words[n] = 0xbf810000;		/* s_endpgm */
	memcpy(r->mem + RIG_CODE, words, sizeof(words));
	fn(&ref, bits);
	if (rig_run(r, 16) != ISA_STOP_END)
		return false;
	got = row->dst[0].dwords == 2 ? (r->w->s[dst] | (u64)r->w->s[dst + 1] << 32) : r->w->s[dst];
	if (row->dst[0].kind && got != ref.d)
		return false;
	return (int)r->w->scc == ref.scc && isa_exec(r->w) == ref.exec &&
	       r->w->full == (ref.exec == ~0ull);
}

/* One operation: found, and a few thousand times like its reference */
static void operation(struct rig *r, const char *name)
{
	const struct reference *ref = references, *end = ref + ARRAY_SIZE(references);
	const struct isa_row *row;
	u32 enc, num, n;
	bool ok = true;

	while (ref < end && strcmp(ref->name, name))
		ref++;
	if (ref == end || !find(r->cu.target, name, &enc, &num)) {
		tap_ok(0, "%s: %s", name, ref == end ? "no reference" : "no opcode");
		return;
	}
	row = &isa_rows[r->cu.target->slots[enc][num]];
	for (n = 0; n < 4000 && ok; n++)
		ok = once(r, enc, num, row, ref->fn, ref->bits);
	tap_ok(ok, "%s", name);
}

int main(void)
{
	struct rig r;
	size_t k, n = 0;
	u32 enc, num;

	rig_init(&r, "gfx90a", NULL, 64);
	for (k = 0; k < ARRAY_SIZE(operations); k++) {
		/* RDNA's are isa_rdna's */
		if (!find(r.cu.target, operations[k].name, &enc, &num))
			continue;
		operation(&r, operations[k].name);
		n++;
	}
	tap_ok(n == ARRAY_SIZE(references), "as many references as operations: %zu", n);
	rig_fini(&r);
	return tap_done();
}
