// SPDX-License-Identifier: MIT
/*
 * Waves as they stand in a save area: a program is stopped at every boundary
 * between two instructions, saved, wiped out, and goes on from what was saved;
 * nothing may differ from a run that nobody stopped. And the layout is what
 * debuggers read: registers where the layout says. TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "carry.h"
#include "rig.h"
#include "targets.h"

#define ROWS		64u
#define LDS_BYTES	1024u
#define TRASH		0xa5

static const u32 program[] = {
	0xbe8000ff, 0x00108000,		/* s_mov_b32 s0, 0x108000 */
	0xbe810080,			/* s_mov_b32 s1, 0 */
	0xb0020005,			/* s_movk_i32 s2, 0x5 */
	0xbefc00c1,			/* s_mov_b32 m0, -1 */
	0xd28c0001, 0x000100c1,		/* v_mbcnt_lo_u32_b32 v1, -1, 0 */
	0xd28d0001, 0x000202c1,		/* v_mbcnt_hi_u32_b32 v1, -1, v1 */
	0x24040282,			/* v_lshlrev_b32 v2, 2, v1 */
	0x68060303,			/* loop: v_add_u32 v3, v3, v1 */
	0x7d9802a8,			/* v_cmp_gt_u32 vcc, 40, v1 */
	0x00080303,			/* v_cndmask_b32 v4, v3, v1, vcc */
	0xbe84206a,			/* s_and_saveexec_b64 s[4:5], vcc */
	0xd2850005, 0x00020704,		/* v_mul_lo_u32 v5, v4, v3 */
	0xd81a0000, 0x00000502,		/* ds_write_b32 v2, v5 */
	0xbf8c0070,			/* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xd86c0000, 0x06000002,		/* ds_read_b32 v6, v2 */
	0xbefe0104,			/* s_mov_b64 exec, s[4:5] */
	0xd8000100, 0x00000102,		/* ds_add_u32 v2, v1 offset:256 */
	0xdd098000, 0x07000102,		/* global_atomic_add v7, v2, v1, s[0:1] glc */
	0xbf8c0070,			/* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0x68100f08,			/* v_add_u32 v8, v8, v7 */
	0xdc508000, 0x09000002,		/* global_load_dword v9, v2, s[0:1] */
	0xdc708200, 0x00000802,		/* global_store_dword v2, v8, s[0:1] offset:512 */
	0xd2890006, 0x00010f08,		/* v_readlane_b32 s6, v8, 7 */
	0x80070607,			/* s_add_u32 s7, s7, s6 */
	0x82088008,			/* s_addc_u32 s8, s8, 0 */
	0x807c077c,			/* s_add_u32 m0, m0, s7 */
	0xb9021801,			/* s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s2 */
	0x7e140d08,			/* v_cvt_f32_u32 v10, v8 */
	0x0a1414ff, 0x3dcccccd,		/* v_mul_f32 v10, 0x3dcccccd, v10 */
	0x0216150b,			/* v_add_f32 v11, v11, v10 */
	0x92658307,			/* s_mul_i32 s101, s7, 3 */
	0x80828102,			/* s_sub_u32 s2, s2, 1 */
	0xbf078002,			/* s_cmp_lg_u32 s2, 0 */
	0xbf85ffdc,			/* s_cbranch_scc1 loop */
	0xbe89007c,			/* s_mov_b32 s9, m0 */
	0xbf810000,			/* s_endpgm */
};

#define NPROGRAM	((u32)(sizeof(program) / sizeof(program[0])))

/* One wave's part of an area. */
struct area {
	u32 rows[ROWS * ISA_LANES];
	struct isa_saved s;
	u8 lds[LDS_BYTES];
};

static void start(struct rig *r)
{
	r->wg.lds_bytes = LDS_BYTES;
	rig_load(r, program, NPROGRAM);
}

static void save(struct rig *r, struct area *a)
{
	memcpy(a->rows, isa_wave_rows(r->w), isa_saved_rows_bytes(r->w));
	isa_wave_save(r->w, &a->s);
	memcpy(a->lds, r->lds, LDS_BYTES);
}

/* Nothing of the wave is left but how large it is. */
static void wipe(struct rig *r)
{
	start(r);
	memset(isa_wave_rows(r->w), TRASH, isa_saved_rows_bytes(r->w));
	memset(r->w->s, TRASH, ISA_SRC_TTMP0 * sizeof(u32));
	memset(r->lds, TRASH, LDS_BYTES);
	r->w->scc = !r->w->scc;
}

static void load(struct rig *r, const struct area *a)
{
	memcpy(isa_wave_rows(r->w), a->rows, isa_saved_rows_bytes(r->w));
	memcpy(r->lds, a->lds, LDS_BYTES);
	isa_wave_load(r->w, &a->s);
}

static bool same(const struct area *a, const struct area *b, u32 rows_bytes)
{
	return !memcmp(a->rows, b->rows, rows_bytes) && !memcmp(&a->s, &b->s, sizeof(a->s)) &&
	       !memcmp(a->lds, b->lds, LDS_BYTES);
}

/* Stopped and restored every @budget instructions; how often, or 0: it differs. */
static u32 interrupted(struct rig *r, u32 budget, struct area *end)
{
	static struct area before, after;
	u32 n;

	start(r);
	for (n = 1; n < 10000; n++) {
		enum isa_stop why = rig_run(r, budget);

		if (why == ISA_STOP_END) {
			save(r, end);
			return n;
		}
		if (why != ISA_STOP_BUDGET)
			return 0;
		save(r, &before);
		wipe(r);
		load(r, &before);
		save(r, &after);
		if (!same(&before, &after, isa_saved_rows_bytes(r->w)))
			return 0;
	}
	return 0;
}

static void round_trips(const char *target, const char *lane)
{
	static struct area whole, parts;
	static u8 mem[RIG_BYTES - RIG_DATA];
	u32 budget, n, most = 0;
	struct rig r;

	if (!rig_can(lane))
		return;
	rig_init(&r, target, lane, ROWS);
	start(&r);
	tap_ok(rig_run(&r, 100000) == ISA_STOP_END, "%s %s: runs", target, lane);
	save(&r, &whole);
	memcpy(mem, r.mem + RIG_DATA, sizeof(mem));
	for (budget = 1; budget <= 13; budget++) {
		memset(r.mem + RIG_DATA, 0, sizeof(mem));
		memset(r.lds, 0, LDS_BYTES);
		memset(r.vgprs, 0, ROWS * ISA_LANES * sizeof(u32));
		n = interrupted(&r, budget, &parts);
		most = n > most ? n : most;
		tap_ok(n && same(&whole, &parts, isa_saved_rows_bytes(r.w)) &&
		       !memcmp(mem, r.mem + RIG_DATA, sizeof(mem)),
		       "%s %s: saved every %u instructions, %u times", target, lane, budget, n);
	}
	tap_ok(most > 100, "%s %s: at each of its boundaries", target, lane);
	rig_fini(&r);
}

/* ROCdbgapi's offsets, in dwords: SGPRs, then hardware registers, then TTMPs. */
static void layout(const char *target)
{
	static struct area a;
	u32 i, rows, granule, lds;
	const u32 *saved = (const u32 *)&a.s;
	struct rig r;

	rig_init(&r, target, "sse2", ROWS);
	start(&r);
	rig_run(&r, 40);
	granule = isa_wave_arch(r.w)->lds_granule;
	lds = (LDS_BYTES + granule - 1) / granule * granule;
	rows = isa_saved_rows_bytes(r.w) / (ISA_LANES * 4);
	save(&r, &a);
	for (i = 0; i < 102 && saved[i] == r.w->s[i]; i++)
		;
	tap_ok(i == 102, "%s: SGPRs from 0 on", target);
	tap_ok(saved[106] == r.w->s[106] && saved[107] == r.w->s[107], "%s: VCC", target);
	tap_ok(saved[112] == r.w->s[ISA_SRC_M0], "%s: M0", target);
	tap_ok(saved[113] == (u32)isa_wave_pc(r.w), "%s: PC", target);
	tap_ok(saved[115] == r.w->s[ISA_SRC_EXEC_LO], "%s: EXEC", target);
	tap_ok(saved[121] == r.w->mode, "%s: MODE", target);
	tap_ok(saved[128] == r.w->s[ISA_SRC_TTMP0], "%s: TTMP0", target);
	tap_ok(rows && rows <= ROWS && a.rows[ISA_LANES + 5] == 5, "%s: v1 of lane 5", target);
	tap_ok(isa_saved_bytes(r.w, true) - isa_saved_bytes(r.w, false) == lds,
	       "%s: LDS with the first wave", target);
	rig_fini(&r);
}

/*
 * gfx10 and gfx11, by ROCdbgapi's gfx10_architecture_t: rows have as many dwords as the wave has
 * lanes, 128 SGPRs, MODE before FLAT_SCRATCH, no XNACK_MASK; two words about sizes. gfx12 has no
 * IEEE in MODE (Linux, cwsr_trap_handler_gfx12.asm, for what registers it has).
 */
static void layout_rdna(const char *target, u32 lanes, u32 se_bits)
{
	static struct area a;
	struct isa_wave_setup s = {
		.mode = 0x2f0, .lanes = lanes, .rows = 48, .acc_offset = 48, .sgprs = 106,
		.scratch_base = 0x123456789000ull, .ids = 1, .size = { 64, 1, 1 },
		.ttmp = { 0x77 },
	};
	const u64 exec = 0xf0f0f0f0ffff5555ull >> (64 - lanes);
	const u32 *hw = a.s.hwreg;
	struct rig r;
	u32 state, wave, bytes, mode, has;

	rig_init(&r, target, "sse2", ROWS);
	mode = isa_arch_has(isa_target_arch(r.cu.target), ISA_ARCH_TRAP_CTRL) ? 0xf0 : 0x2f0;
	has = mode == 0xf0 ? 0x1f0 : mode;
	r.wg.lds_bytes = LDS_BYTES;
	isa_wave_reset(r.w, &r.cu, &r.wg, RIG_VA + RIG_CODE, exec);
	isa_wave_setup(r.w, &s);
	r.w->s[104] = 0xabcd;
	r.w->s[ISA_SRC_VCC_HI] = 0x1234;
	save(&r, &a);
	bytes = 48 * lanes * 4 + 512 + 64 + 64;
	tap_ok(isa_saved_row_bytes(r.w) == lanes * 4 && isa_saved_gap(r.w) == 512 - 112 * 4 &&
	       isa_saved_bytes(r.w, false) == bytes &&
	       isa_saved_bytes(r.w, true) == bytes + LDS_BYTES,
	       "%s, %u lanes: sizes", target, lanes);
	tap_ok(a.s.sgpr[104] == 0xabcd && a.s.sgpr[107] == 0x1234 && a.s.ttmp[0] == 0x77 &&
	       hw[1] == (u32)isa_wave_pc(r.w) && hw[3] == (u32)exec && hw[4] == exec >> 32 &&
	       !hw[7] && hw[8] == mode && hw[9] == 0x56789000 && hw[10] == 0x1234,
	       "%s, %u lanes: registers", target, lanes);
	state = isa_relaunch_state(r.w);
	wave = isa_relaunch_wave(r.w, (1u << se_bits) - 1, 0x3ff, true, false);
	tap_ok(isa_relaunch_states(r.w) == 2 && state >> 31 && (state >> 24 & 1) == (lanes == 32) &&
	       ((state & 0x3f) + 1) * (lanes == 32 ? 8 : 4) == 48 &&
	       (state >> 10 & 0xff) * 512 == LDS_BYTES && !(state >> 26 & 0xf),
	       "%s, %u lanes: the word about sizes: %#x", target, lanes, state);
	tap_ok(wave == (0x3ff | 1u << 11 | 1u << 12 | ((1u << se_bits) - 1) << 24) &&
	       isa_relaunch_wave(r.w, 0, -1, false, true) == 1u << 29,
	       "%s, %u lanes: the word about a wave: %#x", target, lanes, wave);
	r.w->s[104] = 0;
	r.w->mode = 0;
	r.w->scratch_base = 0;
	isa_set_exec(r.w, 0);
	load(&r, &a);
	tap_ok(r.w->s[104] == 0xabcd && r.w->mode == has && isa_exec(r.w) == exec &&
	       r.w->scratch_base == 0x123456789000ull,
	       "%s, %u lanes: and all back", target, lanes);
	rig_fini(&r);
}

/* gfx12: STATE_PRIV and EXCP_FLAG_PRIV in place of STATUS and TRAPSTS, and what they lack */
static void layout_gfx12(void)
{
	static struct area a;
	const u32 *hw = a.s.hwreg;
	struct rig r;

	rig_init(&r, "gfx1201", "sse2", ROWS);
	start(&r);
	r.w->scc = 1;
	r.w->status |= ISA_STATUS_HALT;
	r.w->trapsts = ISA_TRAPSTS_MEM_VIOL | ISA_TRAPSTS_ILLEGAL | ISA_EXCP_DIV0;
	r.w->mode = 0x1f0 | 5 << ISA_MODE_EXCP_SHIFT;
	save(&r, &a);
	tap_ok(hw[5] == (1u << 9 | 1u << 14) && hw[6] == (1u << 4 | 1u << 6) && hw[8] == 0xf0 &&
	       hw[11] == 4 && hw[12] == 5, "gfx1201: what a save area has of exceptions");
	start(&r);
	load(&r, &a);
	tap_ok(r.w->scc == 1 && r.w->status & ISA_STATUS_HALT && r.w->mode == 0x51f0 &&
	       r.w->trapsts == (ISA_TRAPSTS_MEM_VIOL | ISA_TRAPSTS_ILLEGAL | ISA_EXCP_DIV0),
	       "gfx1201: and all back");
	rig_fini(&r);
}

/*
 * From gfx10 on there is no VGPR indexing and nothing is skipped, so MODE has no such bits, whoever
 * hands in a state: a save area, or an engine process.
 */
static void no_such_mode(const char *target)
{
	static const u32 words[] = {
		0x7e020285,			/* v_mov_b32 v1, 5 */
		0xbf810000,			/* s_endpgm */
	};
	const u32 foreign = ISA_MODE_GPR_IDX_EN | ISA_MODE_VSKIP;
	static struct area a;
	struct isa_carried c;
	struct rig r;
	u32 *hw = a.s.hwreg, mode;

	rig_init(&r, target, "sse2", ROWS);
	rig_load(&r, words, 2);
	mode = r.w->mode;
	save(&r, &a);
	hw[isa_target_arch(r.cu.target)->area.mode] |= foreign;
	load(&r, &a);
	rig_run(&r, 1);
	tap_ok(r.w->mode == mode && isa_wave_rows(r.w)[ISA_LANES] == 5,
	       "%s: MODE of a save area indexes and skips nothing", target);
	isa_wave_carry(r.w, &c);
	c.mode |= foreign;
	isa_wave_carried(r.w, &c);
	tap_ok(r.w->mode == mode, "%s: nor that of a wave that was away", target);
	rig_fini(&r);
}

/*
 * FLAT_SCRATCH: of gfx10 code may write it, and finds that again after it was run elsewhere. @word:
 * s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s0
 */
static void scratch_carried(const char *target, u32 word, bool written)
{
	struct isa_carried c;
	struct rig here, there;

	rig_init(&here, target, "sse2", ROWS);
	rig_init(&there, target, "sse2", ROWS);
	rig_load(&here, &word, 1);
	rig_load(&there, &word, 1);
	here.w->s[0] = 0x12345600;
	isa_wave_carry(here.w, &c);
	isa_wave_arrive(there.w, &there.cu, &there.wg, &c, there.vgprs);
	rig_run(&there, 1);
	isa_wave_carry(there.w, &c);
	isa_wave_carried(here.w, &c);
	tap_ok(here.w->pc == RIG_VA + RIG_CODE + 4 &&
	       ((u32)here.w->scratch_base == 0x12345600) == written,
	       "%s: FLAT_SCRATCH %s after a section", target, written ? "is kept" : "is the launch's");
	rig_fini(&here);
	rig_fini(&there);
}

int main(void)
{
	static const char * const lanes[] = { "sse2", "avx2", "avx512" };
	u32 t, l;

	for (t = 0; target_name(t); t++) {
		for (l = 0; l < 3; l++)
			round_trips(target_name(t), lanes[l]);
		layout(target_name(t));
	}
	for (l = 32; l <= 64; l += 32) {
		layout_rdna("gfx1030", l, 2);
		layout_rdna("gfx1100", l, 3);
		layout_rdna("gfx1151", l, 3);
		layout_rdna("gfx1201", l, 3);
	}
	layout_gfx12();
	no_such_mode("gfx1030");
	no_such_mode("gfx1100");
	no_such_mode("gfx1201");
	scratch_carried("gfx1030", 0xb980f814, true);
	scratch_carried("gfx1100", 0xb900f814, false);
	return tap_done();
}
