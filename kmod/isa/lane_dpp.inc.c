/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DPP: lanes of the first source change places.
 *
 * Most controls do the same in each row of 16 lanes. Such a move is a word of 16 nibbles,
 * lane 0's lowest, which say what lane of the row a lane takes its value from.
 *
 * Sources: CDNA2 ISA, chapter on DPP; RDNA3 ISA, DPP8, row_share and row_xmask.
 */

#define DPP_ITSELF		0xfedcba9876543210ull
#define DPP_EACH_LANE(x)	((x) * 0x1111111111111111ull)
#define DPP_EACH_ROW(x)		((x) * 0x0001000100010001ull)

static __always_inline u64 lane_dpp_turned(u32 lanes)
{
	return lanes ? DPP_ITSELF >> 4 * lanes | DPP_ITSELF << (64 - 4 * lanes) : DPP_ITSELF;
}

/* The four lanes of a quad by two bits each, in each quad of a row */
static __always_inline u64 lane_dpp_quads(u32 perm)
{
	u64 quad = (perm & 3) | (perm & 0xc) << 2 | (perm & 0x30) << 4 | (perm & 0xc0) << 6;

	return 0xcccc888844440000ull | DPP_EACH_ROW(quad);
}

/* Rows of 16 lanes moved; @d may be @s if all lanes have the same value. */
#if LANE_WIDTH == 16
static __always_inline void lane_dpp_rows(u32 *d, const u32 *s, u64 from)
{
	const u32 lo = (u32)from, hi = (u32)(from >> 32);
	const VI at = vi_srlv(_mm512_inserti64x4(vi_splat(lo), _mm256_set1_epi32((int)hi), 1),
			      _mm512_broadcast_i64x4(_mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24,
								       28)));
	unsigned int k;

	for (k = 0; k < VSTEPS; k++)
		vi_store(d + k * VW, _mm512_permutexvar_epi32(at, vi_load(s + k * VW)));
}
#elif LANE_WIDTH == 8
static __always_inline void lane_dpp_rows(u32 *d, const u32 *s, u64 from)
{
	const VI nibble = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
	const VI lo = vi_srlv(vi_splat((u32)from), nibble);
	const VI hi = vi_srlv(vi_splat((u32)(from >> 32)), nibble);
	/* bit 3, the half of the row, becomes the sign */
	const VM lo_up = vm_of(vi_slli(lo, 28)), hi_up = vm_of(vi_slli(hi, 28));
	unsigned int l;

	for (l = 0; l < ISA_LANES; l += 16) {
		VI x = vi_load(s + l), y = vi_load(s + l + VW);

		vi_store(d + l, vi_blend(lo_up, _mm256_permutevar8x32_epi32(x, lo),
					 _mm256_permutevar8x32_epi32(y, lo)));
		vi_store(d + l + VW, vi_blend(hi_up, _mm256_permutevar8x32_epi32(x, hi),
					      _mm256_permutevar8x32_epi32(y, hi)));
	}
}
#else
static void lane_dpp_rows(u32 *d, const u32 *s, u64 from)
{
	unsigned int l, at;

	for (l = 0; l < 16; l++, from >>= 4) {
		at = from & 15;
		d[l] = s[at];
		d[l + 16] = s[at + 16];
		d[l + 32] = s[at + 32];
		d[l + 48] = s[at + 48];
	}
}
#endif

/* One lane for a row of 16 */
static __always_inline void lane_dpp_fill(u32 *d, u32 v)
{
	unsigned int l;

	for (l = 0; l < 16; l += VW)
		vi_store(d + l, vi_splat(v));
}

static __always_inline void lane_dpp_copy(u32 *d, const u32 *s, u32 lanes)
{
	unsigned int l;

	for (l = 0; l < lanes; l += VW)
		vi_store(d + l, vi_load(s + l));
}

/* All lanes take the value that lies @n lanes on, around the wave. */
static void lane_dpp_wave(u32 *d, const u32 *s, u32 n)
{
	unsigned int l;

	for (l = 0; l < ISA_LANES; l++)
		d[l] = s[(l + n) % ISA_LANES];
}

/* A row as DPP moves it; lanes without a source are not returned. */
static u64 lane_dpp_move(u32 *d, const u32 *s, u32 ctrl)
{
	const u32 n = ctrl & 15;
	unsigned int l;

	if (ctrl < 0x100) {	/* quad_perm */
		lane_dpp_rows(d, s, lane_dpp_quads(ctrl));
		return ~0ull;
	}
	switch (ctrl & 0x1f0) {
	case 0x100:		/* row_shl */
		lane_dpp_rows(d, s, lane_dpp_turned(n));
		return DPP_EACH_ROW(0xffffull >> n);
	case 0x110:		/* row_shr */
		lane_dpp_rows(d, s, lane_dpp_turned(-n & 15));
		return DPP_EACH_ROW(0xffffull << n & 0xffff);
	case 0x120:		/* row_ror */
		lane_dpp_rows(d, s, lane_dpp_turned(-n & 15));
		return ~0ull;
	case 0x150:		/* row_newbcast, row_share */
		lane_dpp_rows(d, s, DPP_EACH_LANE((u64)n));
		return ~0ull;
	case 0x160:		/* row_xmask */
		lane_dpp_rows(d, s, DPP_ITSELF ^ DPP_EACH_LANE((u64)n));
		return ~0ull;
	}
	switch (ctrl) {
	case 0x130:		/* wave_shl */
	case 0x134:		/* wave_rol */
		lane_dpp_wave(d, s, 1);
		return ctrl == 0x134 ? ~0ull : ~0ull >> 1;
	case 0x138:		/* wave_shr */
	case 0x13c:		/* wave_ror */
		lane_dpp_wave(d, s, ISA_LANES - 1);
		return ctrl == 0x13c ? ~0ull : ~0ull << 1;
	case 0x140:		/* row_mirror */
		lane_dpp_rows(d, s, DPP_ITSELF ^ DPP_EACH_LANE(15ull));
		return ~0ull;
	case 0x141:		/* row_half_mirror */
		lane_dpp_rows(d, s, DPP_ITSELF ^ DPP_EACH_LANE(7ull));
		return ~0ull;
	/*
	 * Rows that nothing is broadcast to have their own lanes, whatever bound_ctrl says. The
	 * ISA's text does not tell; rocWMMA's tests (WFallBCast), made on hardware, do.
	 */
	case 0x142:		/* row_bcast15 */
		lane_dpp_copy(d, s, 16);
		for (l = 16; l < ISA_LANES; l += 16)
			lane_dpp_fill(d + l, s[l - 1]);
		return ~0ull;
	case 0x143:		/* row_bcast31 */
		lane_dpp_copy(d, s, 32);
		lane_dpp_fill(d + 32, s[31]);
		lane_dpp_fill(d + 48, s[31]);
		return ~0ull;
	}
	return 0;
}

/* DPP8: lanes of each eight by three bits each */
static u64 lane_dpp_eights(u32 sel)
{
	u64 from = 0;
	unsigned int l;

	for (l = 0; l < 8; l++)
		from |= (u64)(sel >> 3 * l & 7) << 4 * l;
	return from | from << 32 | 0x8888888800000000ull;
}

static __always_inline u64 lane_dpp_any(u32 *d, const u32 *s, const struct isa_insn *i)
{
	if (!(i->mods & ISA_MOD_DPP8))
		return lane_dpp_move(d, s, i->ctl & 0x1ff);
	lane_dpp_rows(d, s, lane_dpp_eights(i->ctl));
	return ~0ull;
}

/* The lanes whose source is on: EXEC moved as a row is. @t: two rows. */
static u64 lane_dpp_live(u64 exec, const struct isa_insn *i, u32 *t)
{
	u32 *moved = t + ISA_LANES;
	unsigned int k;
	u64 live = 0;

	for (k = 0; k < VSTEPS; k++)
		vi_store(t + k * VW, vi_blend(vm_exec(exec, k), vi_zero(), vi_splat(~0u)));
	lane_dpp_any(moved, t, i);
	for (k = 0; k < VSTEPS; k++)
		live |= vm_place(vm_of(vi_load(moved + k * VW)), k);
	return live;
}

/* Lanes that row_mask and bank_mask leave on */
static __always_inline u64 lane_dpp_masks(u32 bank, u32 row)
{
	u64 banks = 0, rows = 0;
	unsigned int n;

	if (likely((bank & row) == 15))
		return ~0ull;
	for (n = 0; n < 4; n++) {
		banks |= bank >> n & 1 ? DPP_EACH_ROW(0xfull) << 4 * n : 0;
		rows |= row >> n & 1 ? 0xffffull << 16 * n : 0;
	}
	return banks & rows;
}

/*
 * Stages a DPP source of one or two rows, and returns the lanes that may be written. Those
 * of them that have no source, or one that is off, get 0.
 */
static u64 lane_dpp(struct isa_wave *w, const struct isa_insn *i, u32 *d, const u32 *s,
		    bool pair)
{
	const bool all = i->mods & (ISA_MOD_DPP8 | ISA_MOD_BOUND);
	u64 exec = isa_exec(w), ok = lane_dpp_any(d, s, i);
	unsigned int k;

	if (pair)
		lane_dpp_any(d + ISA_LANES, s + ISA_LANES, i);
	if (exec != ~0ull && !(i->mods & ISA_MOD_FI))
		ok &= lane_dpp_live(exec, i, w->tmp[4]);
	for (k = 0; all && ok != ~0ull && k < (pair ? 2 : 1) * VSTEPS; k++)
		vi_store(d + k * VW, vi_blend(vm_exec(ok, k % VSTEPS), vi_zero(),
					      vi_load(d + k * VW)));
	if (i->mods & ISA_MOD_DPP8)	/* its selectors are where others have the masks */
		return ~0ull;
	return (all ? ~0ull : ok) & lane_dpp_masks(i->ctl >> 12 & 15, i->ctl >> 16 & 15);
}
