// SPDX-License-Identifier: MIT
/*
 * What generations may have that no GPU here has: waves of 32 lanes, a NULL operand,
 * M0 somewhere else, 106 SGPRs, literals in VOP3, instructions of four dwords, other
 * numbers of hardware registers and messages, ids of work-groups in TTMPs. Each is
 * tried with gfx90a's instructions and a family or generation that is made up here.
 */
#include <stdlib.h>
#include "decode.h"
#include "rig.h"

#define ROWS	16
#define END	0xbf810000	/* s_endpgm */

static void start(struct rig *r, u32 lanes, const u32 *words, u32 n)
{
	struct isa_wave_setup s = {
		.mode = 0x3c0, .lanes = lanes, .rows = ROWS, .acc_offset = ROWS, .sgprs = 104,
		.shared_base = 0x10000, .private_base = 0x20000, .hw_id = 0x12345678,
		.ids = 1, .size = { 64, 1, 1 },
	};
	u32 k;

	rig_load(r, words, n);
	for (k = 0; k < 64; k++)
		memcpy(r->mem + RIG_DATA + 4 * k, &(u32){ 0x1000 + k }, 4);
	isa_wave_reset(r->w, &r->cu, &r->wg, RIG_VA + RIG_CODE, ~0ull);
	isa_wave_setup(r->w, &s);
	r->w->s[0] = RIG_VA + RIG_DATA;
}

static bool ends(struct rig *r)
{
	return rig_run(r, 1000) == ISA_STOP_END;
}

/* Row @row is @want[lane] in 32 lanes, and 0 in those that a wave does not have. */
static bool row_is(const struct rig *r, u32 row, const u32 *want)
{
	const u32 *v = r->w->v + row * ISA_LANES;
	u32 l;

	for (l = 0; l < ISA_LANES; l++)
		if (v[l] != (l < 32 ? want[l] : 0))
			return false;
	return true;
}

static u32 data(const struct rig *r, u32 dword)
{
	u32 v;

	memcpy(&v, r->mem + RIG_DATA + 4 * dword, 4);
	return v;
}

/* Waves of 32 lanes ------------------------------------------------------- */

static void masks_32(struct rig *r)
{
	static const u32 code[] = {
		0xbe8600ff, 0x1234,		/* s_mov_b32 s6, 0x1234 */
		0xbeeb00ff, 0x5678,		/* s_mov_b32 vcc_hi, 0x5678 */
		0xd0cc0005, 0x0002008a,		/* v_cmp_gt_u32 s5, 10, v0 */
		0x7d980094,			/* v_cmp_gt_u32 vcc, 20, v0 */
		0x7e040287,			/* v_mov_b32 v2, 7 */
		0x00020500,			/* v_cndmask_b32 v1, v0, v2, vcc */
		0xbe8f006a,			/* s_mov_b32 s15, vcc_lo */
		0x7e0a02c1,			/* v_mov_b32 v5, -1 */
		0x32080b00,			/* v_add_co_u32 v4, vcc, v0, v5 */
		0xbe90006a,			/* s_mov_b32 s16, vcc_lo */
		0x380c0100,			/* v_addc_co_u32 v6, vcc, v0, v0, vcc */
		0xbe91006b,			/* s_mov_b32 s17, vcc_hi */
		0xd2890012, 0x00014300,		/* v_readlane_b32 s18, v0, 33 */
		END,
	};
	const u32 *s = r->w->s;
	u32 v1[32], v6[32], l;

	for (l = 0; l < 32; l++) {
		v1[l] = l < 20 ? 7 : l;
		v6[l] = 2 * l + (l > 0);
	}
	start(r, 32, code, ARRAY_SIZE(code));
	tap_ok(ends(r) && s[5] == 0x3ff && s[6] == 0x1234,
	       "32 lanes: a comparison writes one SGPR");
	tap_ok(s[15] == 0xfffff && s[17] == 0x5678,
	       "32 lanes: VCC is VCC_LO, VCC_HI is a register like others");
	tap_ok(row_is(r, 1, v1) && s[16] == 0xfffffffe && row_is(r, 6, v6),
	       "32 lanes: selects and carries");
	tap_ok(s[18] == 1, "32 lanes: numbers of lanes wrap at 32");
}

static void exec_32(struct rig *r)
{
	static const u32 code[] = {
		0xbefe00ff, 0x3ff,		/* s_mov_b32 exec_lo, 0x3ff */
		0xbeff00c1,			/* s_mov_b32 exec_hi, -1 */
		0xbe8a007f,			/* s_mov_b32 s10, exec_hi */
		0x7e060281,			/* v_mov_b32 v3, 1 */
		0xbeeb00c1,			/* s_mov_b32 vcc_hi, -1 */
		0xbeea00ff, 0xff,		/* s_mov_b32 vcc_lo, 0xff */
		0xbe84206a,			/* s_and_saveexec_b64 s[4:5], vcc */
		0xbe8c017e,			/* s_mov_b64 s[12:13], exec */
		0xbeea0080,			/* s_mov_b32 vcc_lo, 0 */
		0xbf860001,			/* s_cbranch_vccz 1 */
		0xbf900000,			/* s_sendmsg 0: not here */
		0xbe8e00fb,			/* s_mov_b32 s14, src_vccz */
		0xbefe01c1,			/* s_mov_b64 exec, -1 */
		0xbe90017e,			/* s_mov_b64 s[16:17], exec */
		END,
	};
	const u32 *s = r->w->s;
	u32 v3[32], l;

	for (l = 0; l < 32; l++)
		v3[l] = l < 10;
	start(r, 32, code, ARRAY_SIZE(code));
	tap_ok(isa_exec(r->w) == 0xffffffff, "32 lanes: no others are on at launch");
	tap_ok(ends(r) && !s[10] && row_is(r, 3, v3), "32 lanes: EXEC_HI stays 0");
	tap_ok(s[4] == 0x3ff && !s[5] && s[12] == 0xff && !s[13] && s[14] == 1,
	       "32 lanes: saveexec, and branches on VCC that leave VCC_HI out");
	tap_ok(s[16] == ~0u && !s[17], "32 lanes: all on are 32");
}

static void memory_32(struct rig *r)
{
	static const u32 code[] = {
		0x240e0082,			/* v_lshlrev_b32 v7, 2, v0 */
		0xdc708000, 0x00000007,		/* global_store_dword v7, v0, s[0:1] */
		0x680e0eff, 0x80,		/* v_add_u32 v7, 0x80, v7 */
		0xd87e0000, 0x08000007,		/* ds_bpermute_b32 v8, v7, v0 */
		0x7e120284,			/* v_mov_b32 v9, 4 */
		0xdc704000, 0x007f0009,		/* scratch_store_dword v9, v0, off */
		END,
	};
	u32 l, bad = 0, apart = 0, v8[32];

	for (l = 0; l < 32; l++)
		v8[l] = l;
	start(r, 32, code, ARRAY_SIZE(code));
	r->w->s[ISA_SRC_FLAT_SCR_LO] = RIG_VA + RIG_DATA + 0x1000;
	tap_ok(ends(r), "32 lanes: memory");
	for (l = 0; l < 64; l++)
		bad += data(r, l) != (l < 32 ? l : 0x1000 + l);
	tap_ok(!bad, "32 lanes: a store is one of 32 lanes");
	tap_ok(row_is(r, 8, v8), "32 lanes: ds_bpermute wraps at 32");
	for (l = 0; l < 32; l++)
		apart += data(r, 0x400 + 32 + l) != l;
	tap_ok(!apart && !data(r, 0x400 + 64), "32 lanes: private memory is interleaved by 32");
}

/* Operands ---------------------------------------------------------------- */

/* NULL and M0 change places, 102 to 105 are SGPRs. */
static const struct isa_scalars scalars[] = {
	{ 0, 123, 0 },
	{ 124, 124, ISA_SRC_NULL },
	{ 125, 125, ISA_SRC_M0 },
	{ 126, 127, ISA_SRC_EXEC_LO },
	{ 128, 208, ISA_SRC_INT0 },
	{ 235, 238, ISA_SRC_SHARED_BASE },
	{ 240, 248, ISA_SRC_FLOAT0 },
	{ 251, 255, ISA_SRC_VCCZ },
};

/* "mov4": v_mov_b32 of four dwords; its register is the second, its source the last. */
static int dec_mov4(struct isa_dec *d)
{
	d->in->src[0] = ISA_SRC_LITERAL;
	d->in->lit = d->w[3];
	return isa_dec_vgpr(d, d->w[1] & 255, 1, false, &d->in->dst) ? 4 : -EINVAL;
}

#define MOV4	0xd4000001	/* v_mov_b32 has number 1 */

/* "pair": two moves of 32 bits in one instruction; see struct isa_insn. */
static int dec_pair(struct isa_dec *d)
{
	struct isa_insn *in = d->in;
	u16 dst;

	in->src[0] = ISA_SRC_VGPR0 + isa_bits(d->w[0], 7, 0);
	in->dst = ISA_SRC_VGPR0 + isa_bits(d->w[0], 15, 8);
	in->pair.op = ISA_OP_V_MOV_B32;
	in->pair.src[0] = ISA_SRC_LITERAL;
	in->pair.src[1] = ISA_SRC_NONE;
	in->lit = d->w[2];
	if (!isa_dec_vgpr(d, d->w[1] & 255, 1, false, &dst))
		return -EINVAL;
	in->pair.dst = dst;
	return 3;
}

#define PAIR	0xd8010000	/* v_mov_b32 has number 1 */

static struct isa_format formats[32];
static struct isa_family family;

static void make_family(void)
{
	family = isa_family_gfx9;
	formats[0] = (struct isa_format){ 0xfc000000, 0xd4000000, ISA_ENC_VOP1, 4, 7, 0,
					  dec_mov4 };
	formats[1] = (struct isa_format){ 0xffff0000, PAIR, ISA_ENC_VOP1, 3, 16, 16, dec_pair };
	memcpy(&formats[2], family.formats, family.num_formats * sizeof(formats[0]));
	family.formats = formats;
	family.num_formats += 2;
	family.scalars = scalars;
	family.num_scalars = ARRAY_SIZE(scalars);
	family.sgprs = 106;
	family.sgpr_names = 106;
	family.vop3_literal = true;
}

static void null_operand(struct rig *r)
{
	static const u32 code[] = {
		0xbefd0085,			/* s_mov_b32 m0, 5 */
		0xbefc0089,			/* s_mov_b32 null, 9 */
		0xbe8000c1,			/* s_mov_b32 s0, -1 */
		0xbe80007c,			/* s_mov_b32 s0, null */
		0xbe81007d,			/* s_mov_b32 s1, m0 */
		0xbe8201c1,			/* s_mov_b64 s[2:3], -1 */
		0xbe82017c,			/* s_mov_b64 s[2:3], null */
		0xbefc01c1,			/* s_mov_b64 null, -1 */
		0xb07c0007,			/* s_movk_i32 null, 7 */
		0xbefc1b83,			/* s_bitset1_b64 null, 3 */
		0xbefc207c,			/* s_and_saveexec_b64 null, null */
		0xbe84017e,			/* s_mov_b64 s[4:5], exec */
		0xbefe01c1,			/* s_mov_b64 exec, -1 */
		0xd0cc007c, 0x0002008a,		/* v_cmp_gt_u32 null, 10, v0 */
		0x7ef80500,			/* v_readfirstlane_b32 null, v0 */
		0xbe86007d,			/* s_mov_b32 s6, m0 */
		0xbe88017e,			/* s_mov_b64 s[8:9], exec */
		0xbe8e00ff, RIG_VA + RIG_DATA,	/* s_mov_b32 s14, data */
		0xbe8f0080,			/* s_mov_b32 s15, 0 */
		0xc0061f07, 0,			/* s_load_dwordx2 null, s[14:15], 0 */
		0xbe8a007c,			/* s_mov_b32 s10, null */
		0x7e02027c,			/* v_mov_b32 v1, null */
		END,
	};
	const u32 *s = r->w->s;

	start(r, 64, code, ARRAY_SIZE(code));
	memset(r->w->v + ISA_LANES, 0xff, ISA_LANES * 4);
	tap_ok(ends(r), "NULL: is an operand of scalar, vector and memory instructions");
	tap_ok(!s[0] && !s[2] && !s[3] && !s[10] && !r->w->v[ISA_LANES],
	       "NULL: reads 0, 64 bits of it, too");
	tap_ok(s[1] == 5 && s[6] == 5, "NULL: M0, where NULL was, keeps its value");
	tap_ok(!s[4] && !s[5] && s[8] == ~0u && s[9] == ~0u && !s[ISA_SRC_NULL],
	       "NULL: swallows 32 and 64 bits and lane masks; EXEC behind it is spared");
}

static void sgprs_106(struct rig *r)
{
	static const u32 code[] = {
		0xbee90083,			/* s_mov_b32 s105, 3 */
		0xbee60184,			/* s_mov_b64 s[102:103], 4 */
		0xbefd00ff, 100,		/* s_mov_b32 m0, 100 */
		0xbe872a05,			/* s_movrels_b32 s7, s5: s105 */
		END,
	};
	struct isa_insn in;

	start(r, 64, code, ARRAY_SIZE(code));
	tap_ok(ends(r) && r->w->s[105] == 3 && r->w->s[102] == 4 && r->w->s[7] == 3,
	       "SGPRs 102 to 105");
	/* s_load_dwordx4 s[100:103] reaches over the last SGPR of gfx90a only */
	tap_ok(isa_decode_as(r->cu.target, &family, 64, (u32[]){ 0xc00a1907, 0 }, 2, &in) == 2 &&
	       in.dst == 100 &&
	       isa_decode_as(r->cu.target, &family, 64, (u32[]){ 0xc00a1a07, 0 }, 2, &in) < 0,
	       "tuples end with the last SGPR");
}

/* Encodings ----------------------------------------------------------------- */

static void literals(struct rig *r)
{
	static const u32 code[] = {
		0xd2850001, 0x000200ff, 0x1000,	/* v_mul_lo_u32 v1, 0x1000, v0 */
		END,
	};
	struct isa_insn in;
	u32 l, bad = 0;

	start(r, 64, code, ARRAY_SIZE(code));
	tap_ok(ends(r), "VOP3 with a literal");
	for (l = 0; l < 64; l++)
		bad += r->w->v[ISA_LANES + l] != l * 0x1000;
	tap_ok(!bad && isa_decode_as(r->cu.target, &family, 64, code, 2, &in) == 0 &&
	       isa_decode(r->cu.target, code, 3, &in) == -EINVAL,
	       "the literal is its third dword; gfx90a has none");
}

static void four_dwords(struct rig *r)
{
	u32 code[ISA_INSN_MAX_DWORDS + 128], n, bad = 0;
	struct isa_insn in;

	/* s_branch to 2 dwords before the end of a line */
	code[0] = 0xbf82007d;
	for (n = 1; n < 126; n++)
		code[n] = 0;
	code[126] = MOV4;
	code[127] = 5;
	code[128] = 0;
	code[129] = 0xabcdef;
	code[130] = END;
	start(r, 64, code, 131);
	tap_ok(ends(r), "four dwords, across the end of a line of code");
	for (n = 0; n < 64; n++)
		bad += r->w->v[5 * ISA_LANES + n] != 0xabcdef;
	tap_ok(!bad, "all four were there");
	for (n = 1; n < 4; n++)
		bad += isa_decode_as(r->cu.target, &family, 64, &code[126], n, &in) != 0;
	tap_ok(!bad, "fewer dwords ask for more");
}

/* Two operations: both are there whole, and what handlers bind lies apart from them. */
static void pairs(struct rig *r)
{
	const u32 code[] = { PAIR | 7 << 8 | 3, 9, 0x1234567 };
	struct isa_slot s = { .aux = ~0ull, .taken = ~0u };
	const struct isa_insn *in = &s.in;

	tap_ok(isa_decode_as(r->cu.target, &family, 64, code, 3, &s.in) == 3 &&
	       in->op == ISA_OP_V_MOV_B32 && in->dst == ISA_SRC_VGPR0 + 7 &&
	       in->src[0] == ISA_SRC_VGPR0 + 3 && in->sdst == ISA_SRC_NONE &&
	       in->pair.op == ISA_OP_V_MOV_B32 && in->pair.dst == ISA_SRC_VGPR0 + 9 &&
	       in->pair.src[0] == ISA_SRC_LITERAL && in->lit == 0x1234567,
	       "a pair: both operations, and the literal");
	tap_ok(!s.exec[0] && !s.exec[1] && s.aux == ~0ull && s.taken == ~0u &&
	       isa_slot_of(in) == &s && sizeof(s) == 64,
	       "decoding leaves alone what is bound, which makes a cache line with it");
}

/* Generations ------------------------------------------------------------------ */

static void registers(struct rig *r, struct isa_arch *a)
{
	static const u32 code[] = {
		0xb884f817,			/* s_getreg_b32 s4, hwreg(23) */
		0xb885f806,			/* s_getreg_b32 s5, hwreg(6) */
		0xbf900005,			/* s_sendmsg 5 */
		0xb886f804,			/* s_getreg_b32 s6, hwreg(4) */
	};
	bool stopped;

	memset(a->hwreg, 0, sizeof(a->hwreg));
	a->hwreg[23] = ISA_HWREG_HW_ID;
	a->hwreg[6] = ISA_HWREG_LDS_ALLOC;
	memset(a->msg, 0, sizeof(a->msg));
	a->msg[5] = ISA_MSG_GET_DOORBELL;
	a->lds_granule = 1280;
	start(r, 64, code, ARRAY_SIZE(code));
	r->wg.lds_bytes = 1281;
	stopped = rig_run(r, 10) == ISA_STOP_MSG;
	tap_ok(r->w->s[4] == 0x12345678, "hardware registers have the numbers of the generation");
	tap_ok(r->w->s[5] == 2 << 12, "LDS is counted in blocks of the generation");
	tap_ok(stopped && isa_wave_msg(r->w, r->ex.info) == ISA_MSG_GET_DOORBELL &&
	       isa_wave_msg(r->w, 10) == ISA_MSG_NONE, "and so are messages");
	tap_ok(rig_run(r, 10) == ISA_STOP_ILLEGAL, "a register that there is not is illegal");
	r->wg.lds_bytes = 65536;
}

static void traps(struct rig *r, struct isa_arch *a)
{
	const struct isa_exit ex = { .why = ISA_STOP_TRAP, .info = 2 };

	a->trap.ib_sts = 9;
	start(r, 64, (u32[]){ END }, 1);
	r->w->ib_sts = 0x1f8000;
	tap_ok(isa_wave_trap(r->w, &ex, RIG_VA, 0) &&
	       r->w->s[ISA_SRC_TTMP0 + 9] == 0xfc000000 && !r->w->s[ISA_SRC_TTMP0 + 11],
	       "a trap handler finds IB_STS in the TTMP of the generation");
}

static void launch(void)
{
	static const u32 id[3] = { 0x11, 0x22, 0x33 };
	static const bool wanted[3] = { true, false, true };
	struct isa_arch a = isa_arch_gfx90a;
	struct isa_wave_setup s = { .nsgpr = 3 };
	const struct isa_hw_place p = {
		.wave = 3, .simd = 2, .cu = 9, .sa = 1, .se = 6, .group = 0x15,
	};
	const struct isa_hw_place odd = { .wave = 17, .simd = 1, .cu = 5, .sa = 1, .se = 5 };
	u32 id9;

	isa_setup_group(&a, &s, id, wanted);
	tap_ok(s.nsgpr == 5 && s.sgpr[3] == 0x11 && s.sgpr[4] == 0x33 && !s.ttmp[9],
	       "ids of a work-group in SGPRs, those that are asked for");
	a.group_ids = ISA_GROUP_IDS_TTMPS;
	isa_setup_group(&a, &s, id, wanted);
	tap_ok(s.nsgpr == 5 && s.ttmp[9] == 0x11 && s.ttmp[7] == 0x330022, "or in TTMPs, all");
	isa_setup_trap(&isa_arch_gfx90a, &s, id, 7, 0x123);
	tap_ok(s.ttmp[6] == 0x123 && s.ttmp[8] == 0x11 && s.ttmp[10] == 0x33 && s.ttmp[11] == 7,
	       "TTMPs of a wave before gfx940");
	isa_setup_trap(&isa_arch_gfx940, &s, id, 7, 0x123);
	tap_ok(s.ttmp[11] == (7 | 0x123 << 6 | 1u << 31), "and from then on");
	isa_setup_group(&isa_arch_gfx12, &s, id, wanted);
	isa_setup_trap(&isa_arch_gfx12, &s, id, 7, 0x123);
	tap_ok(s.ttmp[8] == (0x123 | 7 << 25) && s.ttmp[9] == 0x11 && s.ttmp[7] == 0x330022,
	       "and on gfx12, beside the ids of the work-group");
	id9 = 3 | 2 << 4 | 9 << 8 | 1 << 12 | 5 << 16;
	tap_ok(isa_hw_id(&isa_arch_gfx90a, &p) == (id9 | 6 << 13) &&
	       isa_hw_id(&isa_arch_gfx9, &p) == (id9 | 2 << 13),
	       "HW_ID has as many bits of the shader engine as the generation");
	tap_ok(isa_hw_id(&isa_arch_gfx11, &odd) == (17 | 3 << 8 | 2 << 10 | 1 << 16 | 5 << 18),
	       "HW_ID1 has a pair of CUs, whose SIMDs are counted through");
}

/* Sizes of a generation whose waves of 32 lanes get 16 registers at a time */
static void sizes_32(struct rig *r)
{
	/* s_getreg_b32 s4, hwreg(GPR_ALLOC) */
	static const u32 code[] = { 0xb884f805, END };
	const struct isa_arch *before = r->cu.arch;
	struct isa_arch a = isa_arch_gfx9;
	u32 acc, lanes, state[2], alloc[2], bytes[2];

	a.vgpr_granule32 = 16;
	a.save.wave32 = (struct isa_field){ .shift = 20, .bits = 1 };
	tap_ok(isa_arch_rows(&a, 32, 2, 0, &acc) == 48 && isa_arch_rows(&a, 64, 2, 0, &acc) == 12 &&
	       isa_arch_rows(&isa_arch_gfx9, 32, 2, 0, &acc) == 12,
	       "registers of a wave: by its size, if the generation says so");
	r->cu.arch = &a;
	for (lanes = 32; lanes <= 64; lanes += 32) {
		start(r, lanes, code, ARRAY_SIZE(code));
		ends(r);
		alloc[lanes == 64] = r->w->s[4];
		state[lanes == 64] = isa_relaunch_state(r->w);
		bytes[lanes == 64] = isa_saved_rows_bytes(r->w);
		tap_ok(isa_saved_row_bytes(r->w) == 4 * lanes &&
		       isa_saved_bytes(r->w, false) == bytes[lanes == 64] +
						       sizeof(struct isa_saved) + 64,
		       "%u lanes: a row of a save area has as many dwords", lanes);
	}
	r->cu.arch = before;
	tap_ok((alloc[0] >> 8 & 0x3f) == ROWS / 16 - 1 && (alloc[1] >> 8 & 0x3f) == ROWS / 4 - 1,
	       "32 lanes: GPR_ALLOC counts by its own granule");
	tap_ok((state[0] & 0x3f) == ROWS / 16 - 1 && (state[1] & 0x3f) == ROWS / 4 - 1 &&
	       (state[0] >> 20 & 1) && !(state[1] >> 20 & 1) && bytes[0] * 2 == bytes[1],
	       "32 lanes: so does the control stack, which tells the size of waves");
}

/* Whether an instruction at the start of the wave, which has 32 VGPRs, is executed. */
static bool runs(struct rig *r, u32 w0, u32 w1)
{
	rig_load(r, (u32[]){ w0, w1, 0xbf810000 }, 3);
	return rig_run(r, 1) == ISA_STOP_BUDGET;
}

/* A file of AccVGPRs apart: as many as VGPRs, and none of the two is the other. */
static void acc_file(void)
{
	static const u32 getreg[] = { 0xb880f805, 0xbf810000 };	/* hwreg(HW_REG_GPR_ALLOC) */
	u32 acc = 0, state;
	struct rig r;

	tap_ok(isa_arch_rows(&isa_arch_gfx908, 64, 7, 0x3f, &acc) == 64 && acc == 32 &&
	       isa_arch_rows(&isa_arch_gfx9, 64, 7, 0x3f, &acc) == 32 && acc == 32 &&
	       isa_arch_rows(&isa_arch_gfx90a, 64, 7, 3, &acc) == 64 && acc == 16 &&
	       isa_arch_rows(&isa_arch_gfx90a, 64, 0, 3, &acc) == 8 && acc == 8,
	       "rows of a wave: VGPRs, as many AccVGPRs, or both out of one number");
	rig_init(&r, "gfx908", "sse2", 64);
	tap_ok(runs(&r, 0x7e3e0281, 0xbf800000) && !runs(&r, 0x7e400281, 0xbf800000),
	       "gfx908: v31 is the last VGPR, what follows is no VGPR");
	tap_ok(runs(&r, 0xd3d9401f, 0x18000107) && !runs(&r, 0xd3d94020, 0x18000107),
	       "gfx908: a31 is the last AccVGPR");
	rig_load(&r, getreg, 2);
	rig_run(&r, 1);
	state = isa_relaunch_state(r.w);
	tap_ok(r.w->s[0] == (7 << 8 | 6 << 24) && (state & 0x3f) == 7 && !(state >> 24 & 0x3f),
	       "gfx908: GPR_ALLOC and the control stack count VGPRs: %#x %#x", r.w->s[0], state);
	rig_fini(&r);
	rig_init(&r, "gfx90a", "sse2", 64);
	tap_ok(runs(&r, 0x7e400281, 0xbf800000), "gfx90a: v32 lies in the file of both");
	rig_fini(&r);
}

/* Dot products of halves select halves on GFX9; gfx11 is said to ignore it. */
static void dot_op_sel(void)
{
	static const struct { const char *gpu; u32 word; bool may; } t[] = {
		{ "gfx906", 0xd3a34000, true }, { "gfx90a", 0xd3a34000, true },
		{ "gfx1100", 0xcc134000, false },
	};
	const u32 usual = 3u << 27 | 259u << 18 | 258 << 9 | 257;
	struct rig r;
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(t); n++) {
		rig_init(&r, t[n].gpu, "sse2", ROWS);
		tap_ok(runs(&r, t[n].word, usual) &&
		       runs(&r, t[n].word | 0x800, usual) == t[n].may &&
		       runs(&r, t[n].word, usual & ~(1u << 27)) == t[n].may &&
		       runs(&r, t[n].word, usual & ~(2u << 27)) == t[n].may,
		       "%s: v_dot2_f32_f16 %s op_sel", t[n].gpu, t[n].may ? "has" : "refuses");
		rig_fini(&r);
	}
}

int main(void)
{
	static const char * const lanes[] = { "sse2", "avx2", "avx512" };
	struct isa_arch arch = isa_arch_gfx90a;
	struct rig r;
	unsigned int n;

	make_family();
	for (n = 0; n < ARRAY_SIZE(lanes); n++) {
		if (!rig_can(lanes[n]))
			continue;
		rig_init(&r, "gfx90a", lanes[n], ROWS);
		masks_32(&r);
		exec_32(&r);
		memory_32(&r);
		sizes_32(&r);
		arch = isa_arch_gfx90a;
		arch.max_sgprs = 106;
		r.cu.arch = &arch;
		r.cu.family = &family;
		null_operand(&r);
		sgprs_106(&r);
		literals(&r);
		four_dwords(&r);
		pairs(&r);
		rig_fini(&r);
	}
	rig_init(&r, "gfx90a", "sse2", ROWS);
	arch = isa_arch_gfx90a;
	r.cu.arch = &arch;
	registers(&r, &arch);
	traps(&r, &arch);
	rig_fini(&r);
	launch();
	acc_file();
	dot_op_sel();
	return tap_done();
}
