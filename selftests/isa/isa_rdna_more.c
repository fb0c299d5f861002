// SPDX-License-Identifier: MIT
/* References of isa_rdna for the scalar unit and memory. */
#include <math.h>
#include "isa_rdna.h"

struct scalar_ref {
	const char *name;
	u32 (*f)(u32 s, u32 exec);
	bool result;		/* D gets the new EXEC, not the old one */
};

#define MASK(n, x)	static u32 n(u32 s, u32 exec) { return x; }
MASK(s_and, s & exec)
MASK(s_or, s | exec)
MASK(s_xor, s ^ exec)
MASK(s_andn2, s & ~exec)
MASK(s_orn2, s | ~exec)
MASK(s_nand, ~(s & exec))
MASK(s_nor, ~(s | exec))
MASK(s_xnor, ~(s ^ exec))
MASK(s_andn1, ~s & exec)
MASK(s_orn1, ~s | exec)

static const struct scalar_ref masks[] = {
	{ "s_and_saveexec_b32", s_and, false }, { "s_or_saveexec_b32", s_or, false },
	{ "s_xor_saveexec_b32", s_xor, false }, { "s_andn2_saveexec_b32", s_andn2, false },
	{ "s_orn2_saveexec_b32", s_orn2, false }, { "s_nand_saveexec_b32", s_nand, false },
	{ "s_nor_saveexec_b32", s_nor, false }, { "s_xnor_saveexec_b32", s_xnor, false },
	{ "s_andn1_saveexec_b32", s_andn1, false }, { "s_orn1_saveexec_b32", s_orn1, false },
	{ "s_andn1_wrexec_b32", s_andn1, true }, { "s_andn2_wrexec_b32", s_andn2, true },
};

static int lane_masks(struct rig *r, const struct isa_target *t, const char *name, u32 op)
{
	const u32 w[4] = { 0xbe800000 | 30 << 16 | op << 8 | 20, NOP, NOP, NOP };
	u32 n, try;

	(void)t;
	for (n = 0; n < ARRAY_SIZE(masks) && strcmp(masks[n].name, name); n++)
		;
	if (n == ARRAY_SIZE(masks))
		return -1;
	for (try = 0; try < 8; try++) {
		u32 lanes = try & 1 ? 32 : 64, s, want, low;
		u64 exec = rdna_random() | (u64)rdna_random() << 32;

		exec &= ~0ull >> (64 - lanes);
		rdna_prepare(r, w, lanes, exec, rdna_random());
		if (try > 5)
			r->w->s[20] = masks[n].f(0, 0) ? (u32)exec : 0;
		s = r->w->s[20];
		low = (u32)exec;
		want = masks[n].f(s, low);
		rig_run(r, 1);
		if (isa_exec(r->w) != ((exec & ~0xffffffffull) | want))
			return rdna_tell(name, "EXEC", (u32)isa_exec(r->w), want);
		if (r->w->s[30] != (masks[n].result ? want : low))
			return rdna_tell(name, "D", r->w->s[30], low);
		if (r->w->scc != !!want)
			return rdna_tell(name, "SCC", r->w->scc, !!want);
	}
	return 1;
}

/* s20 + 3 to s30 + 5, and registers that there are not */
static int movrelsd_2(struct rig *r, const char *name, u32 *w)
{
	u32 want;

	w[0] |= 30 << 16 | 20;
	rdna_prepare(r, w, 64, ~0ull, 3);
	r->w->s[ISA_SRC_M0] = 0xf805fc03;
	want = r->w->s[23];
	rig_run(r, 1);
	if (r->w->s[35] != want || r->ex.why != ISA_STOP_BUDGET)
		return rdna_tell(name, "D", r->w->s[35], want);
	rdna_prepare(r, w, 64, ~0ull, 3);
	r->w->s[ISA_SRC_M0] = 0x00050056;
	if (rig_run(r, 1) != ISA_STOP_ILLEGAL)
		return rdna_tell(name, "the stop", r->ex.why, ISA_STOP_ILLEGAL);
	rdna_prepare(r, w, 64, ~0ull, 3);
	r->w->s[ISA_SRC_M0] = 0x004c0003;
	return rig_run(r, 1) == ISA_STOP_ILLEGAL ||
	       rdna_tell(name, "the stop", r->ex.why, ISA_STOP_ILLEGAL);
}

/* Operations of the scalar unit without effect, or with one on MODE */
int rdna_scalar(struct rig *r, const struct isa_target *t, const struct isa_row *row_,
		  unsigned int enc, u32 op)
{
	static const char * const waits[] = {
		"s_waitcnt_vscnt", "s_waitcnt_vmcnt", "s_waitcnt_expcnt", "s_waitcnt_lgkmcnt",
		"s_inst_prefetch", "s_clause", "s_wait_idle", "s_waitcnt_depctr", "s_delay_alu",
		"s_version", "s_ttracedata_imm", "s_singleuse_vdst", "s_wait_loadcnt",
		"s_wait_storecnt", "s_wait_samplecnt", "s_wait_bvhcnt", "s_wait_expcnt",
		"s_wait_dscnt", "s_wait_kmcnt", "s_wait_loadcnt_dscnt", "s_wait_storecnt_dscnt",
	};
	const char *name = isa_op_names[row_->op];
	u32 w[4], k, before[128], mode = 0x3f0, n;
	int ok = enc == ISA_ENC_SOP1 ? lane_masks(r, t, name, op) : -1;

	if (ok >= 0)
		return ok;
	w[0] = rdna_format(t, enc)->match | op << rdna_format(t, enc)->lo;
	w[1] = NOP;
	w[2] = NOP;
	w[3] = NOP;
	if (!strcmp(name, "s_movrelsd_2_b32"))
		return movrelsd_2(r, name, w);
	if (!strcmp(name, "s_pack_hl_b32_b16")) {
		w[0] |= 30 << 16 | 21 << 8 | 20;
		rdna_prepare(r, w, 64, ~0ull, 3);
		n = r->w->s[20] >> 16 | r->w->s[21] << 16;
		rig_run(r, 1);
		return r->w->s[30] == n || rdna_tell(name, "D", r->w->s[30], n);
	}
	if (!strncmp(name, "s_sendmsg_rtn_b", 15)) {	/* the clock, the doorbell */
		bool wide = row_->op == ISA_OP_S_SENDMSG_RTN_B64;

		w[0] |= 30 << 16 | 131;
		rdna_prepare(r, w, 64, ~0ull, 3);
		n = r->w->s[31];
		rig_run(r, 1);
		if (r->w->s[30] != 1000 || r->w->s[31] != (wide ? 0 : n))
			return rdna_tell(name, "D", r->w->s[30], 1000);
		w[0] ^= 131 ^ 133;
		rdna_prepare(r, w, 64, ~0ull, 3);
		if (rig_run(r, 1) != ISA_STOP_ILLEGAL)
			return rdna_tell(name, "the stop for TBA", r->ex.why, ISA_STOP_ILLEGAL);
		w[0] ^= 133 ^ 128;
		rdna_prepare(r, w, 64, 5, 3);
		n = r->w->s[31];
		if (rig_run(r, 1) != ISA_STOP_MSG ||
		    isa_wave_msg(r->w, r->ex.info) != ISA_MSG_GET_DOORBELL)
			return rdna_tell(name, "the stop", r->ex.why, ISA_STOP_MSG);
		isa_wave_doorbell(r->w, r->ex.info, 0x155);
		return r->w->s[30] == 0x155 && r->w->s[31] == (wide ? 0 : n) &&
		       isa_exec(r->w) == 5 && r->w->pc == RIG_VA + RIG_CODE + 4;
	}
	for (n = 0; n < ARRAY_SIZE(waits) && strcmp(waits[n], name); n++)
		;
	if (!strcmp(name, "s_round_mode"))
		mode = 0x3f6;
	else if (!strcmp(name, "s_denorm_mode"))
		mode = 0x360;
	else if (n == ARRAY_SIZE(waits))
		return -1;
	/* Of these, an immediate; others have the same or none. */
	w[0] |= row_->src[0].kind == ISA_K_S ? 124 << 16 : row_->src[0].kind ? 6 : 0;
	rdna_prepare(r, w, 64, 5, 3);
	memcpy(before, r->w->s, sizeof(before));
	rig_run(r, 1);
	for (k = 0; k < 128; k++)
		if (before[k] != r->w->s[k])
			return rdna_tell(name, "an SGPR", r->w->s[k], before[k]);
	if (isa_target_has(t, ISA_FEAT_SCOPES))
		mode &= ~(u32)ISA_MODE_IEEE;
	return (r->w->mode == mode && r->ex.why == ISA_STOP_BUDGET) ||
	       rdna_tell(name, "MODE", r->w->mode, mode);
}

/* ---- memory ---- */

/* Compare and store: the operands of ds_cmpst, the other way round */
static int cmpstore(struct rig *r, const char *name, u32 *w)
{
	bool wide = strstr(name, "64"), rtn = strstr(name, "_rtn_");
	u32 l, n, k, words = wide ? 2 : 1;

	w[1] = (rtn ? D << 24 : 0) | 16u << 16 | 12u << 8 | 4;
	rdna_prepare(r, w, 64, ~0ull, 5);
	for (l = 0; l < ISA_LANES; l++)
		for (k = 0; k < words; k++) {
			rdna_row(r, 4)[l] = 16 * l;
			((u32 *)r->lds)[4 * l + k] = 0x40000000 + l;
			rdna_row(r, 12 + k)[l] = 0x3f800000 + l;
			rdna_row(r, 16 + k)[l] = 0x40000000 + l + (l & 1);
		}
	rig_run(r, 1);
	for (l = 0; l < ISA_LANES; l++)
		for (k = 0; k < words; k++) {
			n = l & 1 ? 0x40000000 + l : 0x3f800000 + l;
			if (((u32 *)r->lds)[4 * l + k] != n)
				return rdna_tell(name, "the LDS", ((u32 *)r->lds)[4 * l + k], n);
			if (rtn && rdna_row(r, D + k)[l] != 0x40000000 + l)
				return rdna_tell(name, "the old value", rdna_row(r, D + k)[l], l);
		}
	return 1;
}

static u32 combine(const char *name, u32 old, u32 data)
{
	if (strstr(name, "csub") || strstr(name, "sub_clamp"))
		return old < data ? 0 : old - data;
	if (strstr(name, "cond_sub"))
		return old < data ? old : old - data;
	if (strstr(name, "fmin"))
		return rdna_bits(fminf(rdna_float(old), rdna_float(data)));
	return rdna_bits(fmaxf(rdna_float(old), rdna_float(data)));
}

/* Atomics of 32 bits with return: each lane has its own dword. */
static int atomic(struct rig *r, const struct isa_target *t, const char *name, unsigned int enc,
		  u32 *w)
{
	bool gfx11 = isa_target_has(t, ISA_FEAT_GFX11_TEXT), buffer = enc == ISA_ENC_MUBUF;
	u32 null = gfx11 ? 124 : 125, l, old[ISA_LANES], data[ISA_LANES], want, op_bits = w[0];
	const u32 *m = (const u32 *)(r->mem + RIG_DATA);
	u64 exec = 0xf0f0ffff12345679ull;

	w[0] |= BIT(gfx11 || buffer ? 14 : 16) | (buffer && !gfx11 ? BIT(12) : 0);
	w[1] = buffer ? 128u << 24 | 2 << 16 | D << 8 | 6 | (gfx11 ? BIT(22) : 0) :
			D << 24 | null << 16 | 12 << 8;
	if (isa_target_has(t, ISA_FEAT_SCOPES)) {
		w[0] = (w[0] & ~BIT(14)) | 124 | op_bits;
		w[1] = D | BIT(20) | (buffer ? 8 << 9 | 1 << 23 | BIT(30) : 12 << 23);
		w[2] = buffer ? 6 : 0;
	}
	rdna_prepare(r, w, 64, exec, 9);
	r->w->s[10] = 0x1000;
	for (l = 0; l < ISA_LANES; l++) {
		rdna_row(r, 0)[l] = (u32)(RIG_VA + RIG_DATA) + 16 * l;
		rdna_row(r, 6)[l] = 16 * l;
		old[l] = 0x3f800000 + (l * 37 % 64 << 16);
		((u32 *)(r->mem + RIG_DATA))[4 * l] = old[l];
		data[l] = rdna_row(r, buffer ? D : 12)[l] = 0x3f800000 + (l * 11 % 64 << 16);
	}
	rig_run(r, 1);
	for (l = 0; l < ISA_LANES; l++) {
		bool on = exec >> l & 1;

		want = on ? combine(name, old[l], data[l]) : old[l];
		if (m[4 * l] != want)
			return rdna_tell(name, "memory", m[4 * l], want);
		if (on && rdna_row(r, D)[l] != old[l])
			return rdna_tell(name, "the old value", rdna_row(r, D)[l], old[l]);
	}
	return 1;
}

/* The words of an access to memory, with a result in D and data in v12, or a buffer's in D */
static void access_words(const struct isa_target *t, unsigned int enc, u32 *w, u32 saddr,
			 u32 offset, bool ret)
{
	bool gfx11 = isa_target_has(t, ISA_FEAT_GFX11_TEXT), buffer = enc == ISA_ENC_MUBUF;

	if (isa_target_has(t, ISA_FEAT_SCOPES)) {
		w[0] |= saddr;
		w[1] = D | (ret ? BIT(20) : 0) | 12 << 23;
		w[2] = offset << 8;
		return;
	}
	w[0] |= offset | (ret ? BIT(gfx11 || buffer ? 14 : 16) : 0);
	if (buffer && !gfx11)
		w[0] |= BIT(12);
	w[1] = buffer ? 128u << 24 | 2 << 16 | D << 8 | 6 | (gfx11 ? BIT(22) : 0) :
			D << 24 | saddr << 16 | 12 << 8;
}

/* The lane's number is the address of its dword. */
static int addtid(struct rig *r, const struct isa_target *t, const char *name, unsigned int enc,
		  u32 *w)
{
	bool load = strstr(name, "load");
	u32 try, l, old, n = RIG_DATA + 16;

	access_words(t, enc, w, 4, 16, false);
	for (try = 0; try < 6; try++) {
		u32 lanes = try & 1 ? 32 : 64, got, want;
		u64 exec = (try > 1 ? rdna_random() | (u64)rdna_random() << 32 : ~0ull) >>
			   (64 - lanes);

		rdna_prepare(r, w, lanes, exec, rdna_random());
		for (l = 0; l < ISA_LANES; l++)
			((u32 *)(r->mem + n))[l] = 0xabc000 + l;
		old = rdna_row(r, D)[5];
		for (l = 0; l < ISA_LANES; l++)
			rdna_row(r, D)[l] = old;
		if (rig_run(r, 1) != ISA_STOP_BUDGET)
			return rdna_tell(name, "the stop", r->ex.why, ISA_STOP_BUDGET);
		for (l = 0; l < lanes; l++) {
			bool on = exec >> l & 1;

			got = load ? rdna_row(r, D)[l] : ((u32 *)(r->mem + n))[l];
			want = load ? (on ? 0xabc000 + l : old) :
				      on ? rdna_row(r, 12)[l] : 0xabc000 + l;
			if (got != want)
				return rdna_tell(name, "a lane", got, want);
		}
	}
	return 1;
}

/* Where in memory lane @l of a transposed load looks */
static u32 tr_place(u32 l, u32 bytes)
{
	return 32 + bytes * (l * 5 % 32) + (l & 4);
}

/*
 * Byte @b that lane @l gets. b128: the lane's half of what its eight lanes load. b64: as programs
 * for gfx1201 prepare memory, lane by lane: byte (l & 7) + (l >> 3 & 1) * 32 + (l >> 4) * 128 +
 * (b & 3) * 8 + (b >> 2) * 64 of the 256 that all load.
 */
static u8 tr_byte(const u8 *m, u32 l, u32 b, u32 bytes)
{
	u32 at = (l & 7) + (l >> 3 & 1) * 32 + (l >> 4) * 128 + (b & 3) * 8 + (b >> 2) * 64;

	if (bytes == 16)
		return m[tr_place((l & ~7u) + b / 2, 16) + 2 * (l & 7) + b % 2];
	return m[tr_place(at / 8, 8) + at % 8];
}

/*
 * Where elements @m, @k of a matrix A are, in bytes of a lane, by RDNA4 ISA, 7.12.2, from which
 * 64 lanes are known by 32
 */
static void tr_element(u32 m, u32 k, u32 bytes, u32 lanes, u32 *lane, u32 *at)
{
	const u32 k0 = k & 1, k1 = k >> 1 & 1, k2 = k >> 2 & 1, k3 = k >> 3;

	if (bytes == 16) {
		*lane = m | k2 << 4 | (lanes == 64 ? k3 << 5 : 0);
		*at = 4 * (lanes == 64 ? k1 : k3 << 1 | k1) + 2 * k0;
	} else {
		*lane = m | k3 << 4 | (lanes == 64 ? k2 << 5 : 0);
		*at = 4 * (lanes == 64 ? 0 : k2) + 2 * k1 + k0;
	}
}

static u32 tr_got(struct rig *r, u32 lane, u32 at)
{
	return rdna_row(r, D + at / 4)[lane] >> 8 * (at & 3) & 0xff;
}

/* 64 lanes: the addresses of the lower 32 count, and half as many registers are written. */
static int load_tr_64(struct rig *r, const char *name, u32 *w, u32 bytes)
{
	u32 l, m, k, b, from, to, at, beyond = D + bytes / 8;

	w[1] = 63 - bytes / 8 + 1;	/* the last registers that there are */
	rdna_prepare(r, w, 64, ~0ull, 9);
	if (rig_run(r, 1) != ISA_STOP_MEMVIOL && r->ex.why != ISA_STOP_MISS)
		return rdna_tell(name, "the stop of wild addresses", r->ex.why, ISA_STOP_MISS);
	w[1] = D;
	rdna_prepare(r, w, 64, ~0ull, 9);
	for (l = 0; l < 32; l++)
		rdna_row(r, 12)[l] = tr_place(l, bytes) - 32;
	k = rdna_row(r, beyond)[40];
	if (rig_run(r, 1) != ISA_STOP_BUDGET)
		return rdna_tell(name, "the stop of 64 lanes", r->ex.why, ISA_STOP_BUDGET);
	if (rdna_row(r, beyond)[40] != k)
		return rdna_tell(name, "a register behind", rdna_row(r, beyond)[40], k);
	for (m = 0; m < 16; m++)
		for (k = 0; k < 16; k++)
			for (b = 0; b < bytes / 8; b++) {
				u8 want;

				tr_element(m, k, bytes, 32, &from, &at);
				want = tr_byte(r->mem + RIG_DATA, from, at + b, bytes);
				tr_element(m, k, bytes, 64, &to, &at);
				if (tr_got(r, to, at + b) != want)
					return rdna_tell(name, "a byte of 64 lanes",
							 tr_got(r, to, at + b), want);
			}
	rdna_prepare(r, w, 64, ~1ull, 9);
	return rig_run(r, 1) == ISA_STOP_ILLEGAL ||
	       rdna_tell(name, "the stop without a lane of 64", r->ex.why, ISA_STOP_ILLEGAL);
}

/* Lanes exchange what they load as a matrix is transposed; only all lanes together do. */
static int load_tr(struct rig *r, const char *name, u32 *w, u32 bytes)
{
	u32 l, k;

	w[0] |= 4;		/* s[4:5] */
	w[1] = D;
	w[2] = 12 | 32 << 8;
	rdna_prepare(r, w, 32, 0xffffffff, 9);
	for (l = 0; l < 32; l++)
		rdna_row(r, 12)[l] = tr_place(l, bytes) - 32;
	if (rig_run(r, 1) != ISA_STOP_BUDGET)
		return rdna_tell(name, "the stop", r->ex.why, ISA_STOP_BUDGET);
	for (l = 0; l < 32; l++)
		for (k = 0; k < bytes; k++) {
			u32 got = tr_got(r, l, k);
			u8 want = tr_byte(r->mem + RIG_DATA, l, k, bytes);

			if (got != want)
				return rdna_tell(name, "a byte", got, want);
		}
	rdna_prepare(r, w, 32, 0xfffffffe, 9);
	if (rig_run(r, 1) != ISA_STOP_ILLEGAL)
		return rdna_tell(name, "the stop without a lane", r->ex.why, ISA_STOP_ILLEGAL);
	rdna_prepare(r, w, 32, 0, 9);
	k = rdna_row(r, D)[3];
	if (rig_run(r, 1) != ISA_STOP_BUDGET || rdna_row(r, D)[3] != k)
		return rdna_tell(name, "the stop without lanes", r->ex.why, ISA_STOP_BUDGET);
	return load_tr_64(r, name, w, bytes);
}

/* What is in memory, what is compared with it, and are they equal? */
static const struct {
	u64 old, cmp;
	bool equal;
} floats[] = {
	{ 0x3f800000, 0x3f800000, true }, { 0x3f800000, 0x3f800001, false },
	{ 0x80000000, 0, true }, { 0x7fc00000, 0x7fc00000, false }, { 5, 5, true },
	{ 5, 0, false }, { 0x7f800000, 0x7f800000, true }, { 0x7f800000, 0xff800000, false },
}, doubles[] = {
	{ 0x3ff0000000000000, 0x3ff0000000000000, true },
	{ 0x3ff0000000000000, 0x3ff0000000000001, false }, { 1ull << 63, 0, true },
	{ 0x7ff8000000000000, 0x7ff8000000000000, false }, { 5, 5, true }, { 5, 0, false },
	{ 0x7ff0000000000000, 0x7ff0000000000000, true },
	{ 0x7ff0000000000000, 0xfff0000000000000, false },
};

static int fcmpswap(struct rig *r, const struct isa_target *t, const char *name, unsigned int enc,
		    u32 *w)
{
	const u32 null = isa_target_has(t, ISA_FEAT_GFX11_TEXT) ? 124 : 125;
	const u32 n = strstr(name, "_x2") ? 2 : 1, data = enc == ISA_ENC_MUBUF ? D : 12;
	const u64 exec = 0xf0f0ffff12345679ull, mask = n == 2 ? ~0ull : 0xffffffff;
	u32 try, l, k, w0 = w[0];

	for (try = 0; try < 2; try++) {
		w[0] = w0;
		access_words(t, enc, w, null, 0, try);
		rdna_prepare(r, w, 64, exec, 9);
		r->w->s[10] = 0x1000;
		for (l = 0; l < ISA_LANES; l++) {
			u64 old = n == 2 ? doubles[l % 8].old : floats[l % 8].old;
			u64 cmp = n == 2 ? doubles[l % 8].cmp : floats[l % 8].cmp;

			rdna_row(r, 0)[l] = (u32)(RIG_VA + RIG_DATA) + 16 * l;
			rdna_row(r, 6)[l] = 16 * l;
			memcpy(r->mem + RIG_DATA + 16 * l, &old, 4 * n);
			for (k = 0; k < n; k++) {
				rdna_row(r, data + k)[l] = 0x1234500 + l + (k << 28);
				rdna_row(r, data + n + k)[l] = (u32)(cmp >> 32 * k);
			}
		}
		if (rig_run(r, 1) != ISA_STOP_BUDGET)
			return rdna_tell(name, "the stop", r->ex.why, ISA_STOP_BUDGET);
		for (l = 0; l < ISA_LANES; l++) {
			u64 old = n == 2 ? doubles[l % 8].old : floats[l % 8].old, got = 0, want;

			want = 0x1234500 + l + ((u64)(0x1234500 + l + (1 << 28)) << 32);
			want = exec >> l & 1 && floats[l % 8].equal ? want & mask : old;
			memcpy(&got, r->mem + RIG_DATA + 16 * l, 4 * n);
			if (got != want)
				return rdna_tell(name, "memory", (u32)got, (u32)want);
			got = rdna_row(r, D)[l] | (n == 2 ? (u64)rdna_row(r, D + 1)[l] << 32 : 0);
			if (try && exec >> l & 1 && got != old)
				return rdna_tell(name, "the old value", (u32)got, (u32)old);
		}
	}
	return 1;
}

/* gfx11: from a buffer to the LDS, to M0 and the instruction's offset, a dword for each lane */
static int load_lds(struct rig *r, const struct isa_target *t, const char *name, unsigned int enc,
		    u32 *w)
{
	const u64 exec = 0xf0f0ffff12345679ull;
	u32 l, old[1024], want, bits = strstr(name, "8") ? 8 : strstr(name, "16") ? 16 : 32;

	access_words(t, enc, w, 0, 8, false);
	w[1] &= ~0xff00u;
	rdna_prepare(r, w, 64, exec, 9);
	r->w->s[10] = 0x1000;
	r->w->s[11] = 3u << 28 | 20 << 12 | 4 | 5 << 3 | 6 << 6 | 7 << 9;	/* 32_UINT */
	r->w->s[ISA_SRC_M0] = 0xab000040;
	for (l = 0; l < ISA_LANES; l++)
		rdna_row(r, 6)[l] = 16 * l;
	memcpy(old, r->lds, sizeof(old));
	if (rig_run(r, 1) != ISA_STOP_BUDGET)
		return rdna_tell(name, "the stop", r->ex.why, ISA_STOP_BUDGET);
	for (l = 0; l < ARRAY_SIZE(old); l++) {
		u32 lane = l - (0x40 + 8) / 4, x;

		want = old[l];
		if (lane < 64 && exec >> lane & 1) {
			x = ((u32 *)(r->mem + RIG_DATA))[(16 * lane + 8) / 4] << (32 - bits);
			want = strstr(name, "_i") ? (u32)((s32)x >> (32 - bits)) : x >> (32 - bits);
		}
		if (((u32 *)r->lds)[l] != want)
			return rdna_tell(name, "the LDS", ((u32 *)r->lds)[l], want);
	}
	return 1;
}

/* Caches and pipelines: nothing is different afterwards. */
static int nothing(struct rig *r, const char *name, u32 *w)
{
	static u32 v[64 * ISA_LANES];
	u32 s[128];

	w[1] = 0;
	if (!strncmp(name, "global_", 7)) {	/* gfx12 */
		w[0] |= 124;
		w[2] = 0;
	}
	rdna_prepare(r, w, 64, ~0ull, 11);
	memcpy(v, r->vgprs, sizeof(v));
	memcpy(s, r->w->s, sizeof(s));
	if (rig_run(r, 1) != ISA_STOP_BUDGET)
		return rdna_tell(name, "the stop", r->ex.why, ISA_STOP_BUDGET);
	return !memcmp(v, r->vgprs, sizeof(v)) && !memcmp(s, r->w->s, sizeof(s));
}

/* What the lane has that A, a number of bytes, names: whether it is on or not. Others keep D. */
static int fetch_any(struct rig *r, const char *name, u32 *w)
{
	u32 addr[ISA_LANES], data[ISA_LANES], d[ISA_LANES], l, try;
	const u32 plain = w[0];

	w[1] = A | B << 8 | D << 24;
	for (try = 0; try < 32; try++) {
		const u32 lanes = try & 1 ? 32 : 64, offset = rdna_random() & (try & 2 ? 0xffff : 0);
		const u64 exec = (rdna_random() | (u64)rdna_random() << 32) & ~0ull >> (64 - lanes);

		w[0] = plain | offset;
		rdna_prepare(r, w, lanes, exec, rdna_random());
		for (l = 0; l < ISA_LANES; l++)
			rdna_row(r, A)[l] = rdna_random();
		memcpy(addr, rdna_row(r, A), sizeof(addr));
		memcpy(data, rdna_row(r, B), sizeof(data));
		memcpy(d, rdna_row(r, D), sizeof(d));
		if (rig_run(r, 1) != ISA_STOP_BUDGET)
			return rdna_tell(name, "the stop", r->ex.why, ISA_STOP_BUDGET);
		for (l = 0; l < lanes; l++) {
			u32 want = exec >> l & 1 ? data[(addr[l] + offset) / 4 % lanes] : d[l];

			if (rdna_row(r, D)[l] != want)
				return rdna_tell(name, "a lane", rdna_row(r, D)[l], want);
		}
	}
	return 1;
}

int rdna_memory(struct rig *r, const struct isa_target *t, const struct isa_row *row_,
		  unsigned int enc, u32 op)
{
	static const char * const atomics[] = { "_atomic_csub", "_atomic_fmin", "_atomic_fmax",
					       "_atomic_sub_clamp", "_atomic_cond_sub" };
	const char *name = isa_op_names[row_->op];
	u32 w[4] = { 0, 0, NOP, NOP }, n;

	if (!rdna_format(t, enc))
		return -1;
	w[0] = rdna_format(t, enc)->match | op << rdna_format(t, enc)->lo;
	if (enc == ISA_ENC_DS && !strncmp(name, "ds_cmpstore", 11))
		return cmpstore(r, name, w);
	if (!strcmp(name, "ds_bpermute_fi_b32"))
		return fetch_any(r, name, w);
	if (!strcmp(name, "s_gl1_inv") || !strcmp(name, "buffer_gl0_inv") ||
	    !strcmp(name, "buffer_gl1_inv") || !strcmp(name, "v_pipeflush") ||
	    !strcmp(name, "global_inv") || !strncmp(name, "global_wb", 9))
		return nothing(r, name, w);
	if (strstr(name, "_addtid") && enc == ISA_ENC_GLOBAL)
		return addtid(r, t, name, enc, w);
	if (!strncmp(name, "global_load_tr_b", 16))
		return load_tr(r, name, w, strstr(name, "b64") ? 8 : 16);
	if (strstr(name, "_fcmpswap"))
		return fcmpswap(r, t, name, enc, w);
	if (!strncmp(name, "buffer_load_lds_", 16))
		return load_lds(r, t, name, enc, w);
	for (n = 0; n < ARRAY_SIZE(atomics); n++)
		if (strstr(name, atomics[n]) && !strstr(name, "x2"))
			return atomic(r, t, name, enc, w);
	return -1;
}

/* ---- buffers ---- */

/* Whether the dword at @off of element @index is in a buffer; @soff: the scalar offset */
static bool is_inside(u32 select, bool swizzle, u32 stride, u32 records, u32 index, u32 off,
		      u32 soff)
{
	if (select == 1)
		return index < records;
	if (select == 2)
		return records;
	if (select == 0 || (swizzle && stride))
		return index < records && off + 4 <= stride;
	return soff + off + 4 <= records;
}

/* Loads of @dwords, each lane of another element: those outside read 0 */
static bool bounds_case(struct rig *r, const struct isa_target *t, u32 select, bool swizzle,
			u32 stride, u32 records, u32 dwords, u32 soff)
{
	const bool gfx11 = isa_target_has(t, ISA_FEAT_GFX11_TEXT);
	const u32 op = dwords == 1 ? gfx11 ? 20 : 12 : gfx11 ? 23 : 14;
	const u32 *m = (const u32 *)(r->mem + RIG_DATA);
	u32 w[4], l, k;

	w[0] = rdna_format(t, ISA_ENC_MUBUF)->match | op << 18 | (gfx11 ? 0 : 3u << 12);
	w[1] = 12u << 24 | 2 << 16 | D << 8 | 6 | (gfx11 ? 3u << 22 : 0);
	w[2] = NOP;
	w[3] = NOP;
	if (isa_target_has(t, ISA_FEAT_SCOPES)) {
		w[0] = rdna_format(t, ISA_ENC_MUBUF)->match | op << 14 | 12;
		w[1] = D | 8 << 9 | 1 << 23 | 3u << 30;
		w[2] = 6;
	}
	rdna_prepare(r, w, 64, ~0ull, rdna_random());
	r->w->s[9] = stride << 16 | (u32)swizzle << (gfx11 ? 30 : 31);
	r->w->s[10] = records;
	r->w->s[11] = select << 28 | 1u << 24 | 20 << 12;	/* index stride 8 */
	r->w->s[12] = soff;
	for (l = 0; l < ISA_LANES; l++) {
		rdna_row(r, 6)[l] = l / 4;
		rdna_row(r, 7)[l] = l % 4 * 8;
	}
	rig_run(r, 1);
	/* Nobody knows what that is on gfx10. */
	if (select == 3 && swizzle && !gfx11)
		return r->ex.why == ISA_STOP_ILLEGAL ||
		       rdna_tell("a swizzled raw buffer", "the stop", r->ex.why, ISA_STOP_ILLEGAL);
	if (r->ex.why != ISA_STOP_BUDGET)
		return rdna_tell("a buffer", "the stop", r->ex.why, ISA_STOP_BUDGET);
	for (l = 0; l < ISA_LANES; l++)
		for (k = 0; k < dwords; k++) {
			u32 index = l / 4, off = l % 4 * 8, at = off + index * stride + 4 * k, want;
			bool in = is_inside(select, swizzle, stride, records, index, off + 4 * k,
					    soff);

			if (swizzle)
				at = index / 8 * stride * 8 + index % 8 * 4 + (off + 4 * k) * 8;
			want = in ? m[(at + soff) / 4] : 0;
			if (rdna_row(r, D + k)[l] != want) {
				printf("# select %u, swizzle %u, stride %u, records %u, lane %u\n",
				       select, swizzle, stride, records, l);
				return rdna_tell("a buffer", "a dword", rdna_row(r, D + k)[l],
						 want);
			}
		}
	return true;
}

/* MTBUF with a format that there is not, and with the one of no element */
static bool formats(struct rig *r, const struct isa_target *t)
{
	const bool gfx11 = isa_target_has(t, ISA_FEAT_GFX11_TEXT);
	const bool gfx12 = isa_target_has(t, ISA_FEAT_SCOPES);
	u32 w[4] = { rdna_format(t, ISA_ENC_MTBUF)->match, 128u << 24 | 2 << 16 | D << 8 | 6,
		     NOP, NOP };
	u32 *format = &w[gfx12], shift = gfx12 ? 23 : 19;

	if (gfx12) {
		w[0] |= 124;
		w[1] = D | 8 << 9;
		w[2] = 6;
	}
	*format |= 100u << shift;
	rdna_prepare(r, w, 64, ~0ull, 1);
	if (rig_run(r, 1) != ISA_STOP_ILLEGAL)
		return rdna_tell("format 100", "the stop", r->ex.why, ISA_STOP_ILLEGAL);
	*format ^= (100u ^ (gfx11 ? 64u : 78u)) << shift;
	rdna_prepare(r, w, 64, ~0ull, 1);
	if (rig_run(r, 1) != ISA_STOP_ILLEGAL)
		return rdna_tell("the last format", "the stop", r->ex.why, ISA_STOP_ILLEGAL);
	*format ^= (gfx11 ? 64u : 78u) << shift;
	rdna_prepare(r, w, 64, ~0ull, 1);
	return rig_run(r, 1) == ISA_STOP_BUDGET && rdna_row(r, D)[5] == 0;
}

bool rdna_bounds(struct rig *r, const struct isa_target *t)
{
	static const u32 records[4][2] = { { 3, 7 }, { 7, 16 }, { 0, 1 }, { 20, 7 } };
	u32 n;

	for (n = 0; n < 128; n++)
		if (!bounds_case(r, t, n & 3, n & 4, n & 8 ? 24 : 0, records[n & 3][n >> 4 & 1],
				 n & 32 ? 4 : 1, n & 64 ? 8 : 0))
			return false;
	return formats(r, t);
}
