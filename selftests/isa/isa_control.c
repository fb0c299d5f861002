// SPDX-License-Identifier: MIT
/*
 * Program control, SOPK, scalar memory and the reasons why a wave stops:
 * small programs as rows. Their words are LLVM's for the text above them;
 * expected values follow from the ISA text (CDNA2 ISA chapters 4, 7, 12).
 */
#include <stdlib.h>
#include "rig.h"

#define WORDS	270
#define ANY	(-1)

/**
 * struct program - one row
 * @words: code at RIG_VA
 * @why,@pc: how it stops, and where (offset from RIG_VA, or ANY)
 * @want: registers afterwards; ends with the first row of value 0 in register 0
 *	behind at least one entry
 */
struct program {
	const char *name;
	u32 words[WORDS];
	enum isa_stop why;
	int pc;
	struct {
		u8 sgpr;
		u32 value;
	} want[32];
};

/* The data at RIG_DATA: dword n is 0x1000 + n. */
static const struct program programs[] = {
	{
		"movk, cmovk, addk, mulk",
		/*
		 * s_movk_i32 s0, 0x8000; s_cmp_eq_u32 s0, s0; s_cmovk_i32 s1, 0x7fff;
		 * s_cmp_lg_u32 s0, s0; s_cmovk_i32 s1, 0x1; s_movk_i32 s2, 5; s_addk_i32 s2,
		 * 0xfffe; s_mulk_i32 s2, 0xfffd; s_endpgm
		 */
		{ 0xb0008000, 0xbf060000, 0xb0817fff, 0xbf070000, 0xb0810001, 0xb0020005,
		  0xb702fffe, 0xb782fffd, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0xffff8000 }, { 1, 0x7fff }, { 2, 0xfffffff7 } },
	},
	{
		"addk sets SCC on signed overflow",
		/*
		 * s_mov_b32 s0, 0x7fffffff; s_addk_i32 s0, 1; s_cselect_b32 s1, 1, 0;
		 * s_addk_i32 s0, 1; s_cselect_b32 s2, 1, 0; s_endpgm
		 */
		{ 0xbe8000ff, 0x7fffffff, 0xb7000001, 0x85018081, 0xb7000001, 0x85028081,
		  0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x80000001 }, { 1, 0x1 }, { 2, 0x0 } },
	},
	{
		"cmpk extends its constant by the type",
		/*
		 * s_movk_i32 s0, 0xffff; s_cmpk_eq_i32 s0, 0xffff; s_cselect_b32 s1, 1, 0;
		 * s_cmpk_eq_u32 s0, 0xffff; s_cselect_b32 s2, 1, 0; s_mov_b32 s0, 0xffff;
		 * s_cmpk_eq_u32 s0, 0xffff; s_cselect_b32 s3, 1, 0; s_cmpk_gt_i32 s0, 0xffff;
		 * s_cselect_b32 s4, 1, 0; s_cmpk_lt_u32 s0, 0xffff; s_cselect_b32 s5, 1, 0;
		 * s_cmpk_le_u32 s0, 0xffff; s_cselect_b32 s6, 1, 0; s_endpgm
		 */
		{ 0xb000ffff, 0xb100ffff, 0x85018081, 0xb400ffff, 0x85028081, 0xbe8000ff,
		  0x0000ffff, 0xb400ffff, 0x85038081, 0xb200ffff, 0x85048081, 0xb600ffff,
		  0x85058081, 0xb680ffff, 0x85068081, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 1, 0x1 }, { 2, 0x0 }, { 3, 0x1 }, { 4, 0x1 }, { 5, 0x0 }, { 6, 0x1 } },
	},
	{
		"loop with a backward branch",
		/*
		 * s_movk_i32 s0, 10; s_movk_i32 s1, 0; s_add_u32 s1, s1, s0; s_sub_u32 s0, s0,
		 * 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 0xfffc; s_endpgm
		 */
		{ 0xb000000a, 0xb0010000, 0x80010001, 0x80808100, 0xbf078000, 0xbf85fffc,
		  0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x0 }, { 1, 0x37 } },
	},
	{
		"branches on VCC, EXEC and SCC",
		/*
		 * s_mov_b64 vcc, 0; s_cbranch_vccz 1; s_endpgm; s_cbranch_vccnz 2; s_mov_b64
		 * vcc, 1; s_cbranch_vccnz 1; s_endpgm; s_cbranch_execz 2; s_mov_b64 exec, 0;
		 * s_cbranch_execz 1; s_endpgm; s_cbranch_execnz 1; s_movk_i32 s0, 7; s_endpgm
		 */
		{ 0xbeea0180, 0xbf860001, 0xbf810000, 0xbf870002, 0xbeea0181, 0xbf870001,
		  0xbf810000, 0xbf880002, 0xbefe0180, 0xbf880001, 0xbf810000, 0xbf890001,
		  0xb0000007, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x7 } },
	},
	{
		"getpc, call, setpc",
		/*
		 * s_getpc_b64 s[0:1]; s_call_b64 s[2:3], 2; s_movk_i32 s5, 2; s_endpgm;
		 * s_movk_i32 s4, 1; s_setpc_b64 s[2:3]
		 */
		{ 0xbe801c00, 0xba820002, 0xb0050002, 0xbf810000, 0xb0040001, 0xbe801d02 },
		ISA_STOP_END, ANY,
		{ { 0, 0x100004 }, { 1, 0x0 }, { 2, 0x100008 }, { 4, 0x1 }, { 5, 0x2 } },
	},
	{
		"swappc into the next line and back",
		/*
		 * s_getpc_b64 s[0:1]; s_add_u32 s0, s0, 0x3fc; s_swappc_b64 s[2:3], s[0:1];
		 * s_movk_i32 s5, 2; s_endpgm; .org 0x400; s_movk_i32 s4, 1; s_setpc_b64 s[2:3]
		 */
		{ 0xbe801c00, 0x8000ff00, 0x000003fc, 0xbe821e00, 0xb0050002, 0xbf810000, [256]
		  = 0xb0040001, 0xbe801d02 },
		ISA_STOP_END, ANY,
		{ { 0, 0x100400 }, { 2, 0x100010 }, { 4, 0x1 }, { 5, 0x2 } },
	},
	{
		"an instruction across the end of a line",
		/* s_branch 0x7d; .org 0x1f8; s_nop 0; s_mov_b32 s0, 0x12345678; s_endpgm */
		{ 0xbf82007d, [127] = 0xbe8000ff, 0x12345678, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x12345678 } },
	},
	{
		"running off the end of a line",
		/*
		 * s_branch 0x7d; .org 0x1f8; s_movk_i32 s0, 1; s_movk_i32 s1, 2; s_movk_i32
		 * s2, 3; s_endpgm
		 */
		{ 0xbf82007d, [126] = 0xb0000001, 0xb0010002, 0xb0020003, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x1 }, { 1, 0x2 }, { 2, 0x3 } },
	},
	{
		"waits between instructions",
		/*
		 * s_waitcnt vmcnt(0); s_nop 7; s_movk_i32 s0, 1; s_waitcnt lgkmcnt(0); s_nop
		 * 0; s_movk_i32 s1, 2; s_nop 0; s_branch 1; s_nop 0; s_waitcnt 0; s_movk_i32
		 * s2, 3; s_endpgm
		 */
		{ 0xbf8c0f70, 0xbf800007, 0xb0000001, 0xbf8cc07f, 0xbf800000, 0xb0010002,
		  0xbf800000, 0xbf820001, 0xbf800000, 0xbf8c0000, 0xb0020003, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x1 }, { 1, 0x2 }, { 2, 0x3 } },
	},
	{
		"s_load of all sizes",
		/*
		 * s_mov_b64 s[2:3], 0x108000; s_load_dword s4, s[2:3], 0x4; s_load_dwordx2
		 * s[6:7], s[2:3], 0x8; s_load_dwordx4 s[8:11], s[2:3], 0x10; s_load_dwordx8
		 * s[12:19], s[2:3], 0x20; s_load_dwordx16 s[20:35], s[2:3], 0x40; s_endpgm
		 */
		{ 0xbe8201ff, 0x00108000, 0xc0020101, 0x00000004, 0xc0060181, 0x00000008,
		  0xc00a0201, 0x00000010, 0xc00e0301, 0x00000020, 0xc0120501, 0x00000040,
		  0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 4, 0x1001 }, { 6, 0x1002 }, { 7, 0x1003 }, { 8, 0x1004 }, { 9, 0x1005 }, {
		  10, 0x1006 }, { 11, 0x1007 }, { 12, 0x1008 }, { 13, 0x1009 }, { 14, 0x100a }, {
		  15, 0x100b }, { 16, 0x100c }, { 17, 0x100d }, { 18, 0x100e }, { 19, 0x100f }, {
		  20, 0x1010 }, { 21, 0x1011 }, { 22, 0x1012 }, { 23, 0x1013 }, { 24, 0x1014 }, {
		  25, 0x1015 }, { 26, 0x1016 }, { 27, 0x1017 }, { 28, 0x1018 }, { 29, 0x1019 }, {
		  30, 0x101a }, { 31, 0x101b }, { 32, 0x101c }, { 33, 0x101d }, { 34, 0x101e }, {
		  35, 0x101f } },
	},
	{
		"s_load with SGPR offset, negative offset, low bits ignored",
		/*
		 * s_mov_b64 s[2:3], 0x108000; s_movk_i32 s0, 0x10; s_load_dword s4, s[2:3],
		 * s0; s_load_dword s5, s[2:3], s0 offset:0x4; s_add_u32 s2, s2, 0x23;
		 * s_load_dword s6, s[2:3], -0x4; s_endpgm
		 */
		{ 0xbe8201ff, 0x00108000, 0xb0000010, 0xc0000101, 0x00000000, 0xc0024141,
		  0x00000004, 0x8002a302, 0xc0020181, 0x001ffffc, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 4, 0x1004 }, { 5, 0x1005 }, { 6, 0x1007 } },
	},
	{
		"s_store and back",
		/*
		 * s_mov_b64 s[2:3], 0x108000; s_mov_b64 s[4:5], 0x55; s_mov_b64 s[6:7], -2;
		 * s_store_dword s4, s[2:3], 0x100; s_store_dwordx2 s[6:7], s[2:3], 0x104;
		 * s_store_dwordx4 s[4:7], s[2:3], 0x110; s_load_dwordx8 s[8:15], s[2:3],
		 * 0x100; s_endpgm
		 */
		{ 0xbe8201ff, 0x00108000, 0xbe8401ff, 0x00000055, 0xbe8601c2, 0xc0420101,
		  0x00000100, 0xc0460181, 0x00000104, 0xc04a0101, 0x00000110, 0xc00e0201,
		  0x00000100, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 8, 0x55 }, { 9, 0xfffffffe }, { 10, 0xffffffff }, { 11, 0x1043 }, { 12, 0x55
		  }, { 13, 0x0 }, { 14, 0xfffffffe }, { 15, 0xffffffff } },
	},
	{
		"s_buffer_load checks its range by the dword",
		/*
		 * s_mov_b32 s4, 0x108000; s_mov_b32 s5, 0; s_mov_b32 s6, 16; s_mov_b32 s7, 0;
		 * s_buffer_load_dwordx4 s[8:11], s[4:7], 0x8; s_movk_i32 s12, 0xfffc;
		 * s_buffer_load_dword s12, s[4:7], s12; s_mov_b32 s5, 0x40000; s_mov_b32 s6,
		 * 5; s_buffer_load_dword s13, s[4:7], 0x10; s_buffer_load_dword s14, s[4:7],
		 * 0x14; s_endpgm
		 */
		{ 0xbe8400ff, 0x00108000, 0xbe850080, 0xbe860090, 0xbe870080, 0xc02a0202,
		  0x00000008, 0xb00cfffc, 0xc0200302, 0x0000000c, 0xbe8500ff, 0x00040000,
		  0xbe860085, 0xc0220342, 0x00000010, 0xc0220382, 0x00000014, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 8, 0x1002 }, { 9, 0x1003 }, { 10, 0x0 }, { 11, 0x0 }, { 12, 0x0 }, { 13,
		  0x1004 }, { 14, 0x0 } },
	},
	{
		"clocks run",
		/*
		 * s_memrealtime s[0:1]; s_memrealtime s[2:3]; s_memtime s[4:5]; s_sub_u32 s6,
		 * s2, s0; s_cmp_gt_u32 s4, s2; s_cselect_b32 s7, 1, 0; s_endpgm
		 */
		{ 0xc0940000, 0x00000000, 0xc0940080, 0x00000000, 0xc0900100, 0x00000000,
		  0x80860002, 0xbf080204, 0x85078081, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 6, 0x1 }, { 7, 0x1 } },
	},
	{
		"hwregs",
		/*
		 * s_getreg_b32 s0, hwreg(HW_REG_HW_ID); s_getreg_b32 s1, hwreg(HW_REG_MODE, 4,
		 * 4); s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0; s_getreg_b32 s2,
		 * hwreg(HW_REG_MODE); s_movk_i32 s3, 3; s_setreg_b32 hwreg(HW_REG_MODE, 0, 2),
		 * s3; s_getreg_b32 s4, hwreg(HW_REG_MODE, 0, 4); s_endpgm
		 */
		{ 0xb880f804, 0xb8811901, 0xba001901, 0x00000000, 0xb882f801, 0xb0030003,
		  0xb9030801, 0xb8841801, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x12345678 }, { 1, 0xc }, { 2, 0x300 }, { 4, 0x3 } },
	},
	{
		"apertures and flags as sources",
		/*
		 * s_mov_b32 s0, src_shared_base; s_mov_b32 s1, src_private_base; s_mov_b64
		 * s[2:3], src_shared_base; s_mov_b64 vcc, 0; s_mov_b32 s4, src_vccz; s_mov_b32
		 * s5, src_execz; s_cmp_eq_u32 s4, 1; s_mov_b32 s6, src_scc; s_endpgm
		 */
		{ 0xbe8000eb, 0xbe8100ed, 0xbe8201eb, 0xbeea0180, 0xbe8400fb, 0xbe8500fc,
		  0xbf068104, 0xbe8600fd, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x0 }, { 1, 0x0 }, { 2, 0x0 }, { 3, 0x10000 }, { 4, 0x1 }, { 5, 0x0 },
		  { 6, 0x1 } },
	},
	{
		"64-bit constants",
		/*
		 * s_mov_b64 s[0:1], 0.5; s_mov_b64 s[2:3], -4.0; s_mov_b64 s[4:5],
		 * 0.15915494309189532; s_mov_b64 s[6:7], -16; s_mov_b32 s8, 0.5; s_endpgm
		 */
		{ 0xbe8001f0, 0xbe8201f7, 0xbe8401f8, 0xbe8601d0, 0xbe8800f0, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x0 }, { 1, 0x3fe00000 }, { 2, 0x0 }, { 3, 0xc0100000 }, { 4, 0x6dc9c882
		  }, { 5, 0x3fc45f30 }, { 6, 0xfffffff0 }, { 7, 0xffffffff }, { 8, 0x3f000000 } },
	},
	{
		"movrels and movreld",
		/*
		 * s_movk_i32 m0, 2; s_movk_i32 s6, 66; s_movrels_b32 s0, s4; s_movreld_b32 s8,
		 * 5; s_movrels_b64 s[2:3], s[4:5]; s_movreld_b64 s[12:13], -1; s_endpgm
		 */
		{ 0xb07c0002, 0xb0060042, 0xbe802a04, 0xbe882c85, 0xbe822b04, 0xbe8c2dc1,
		  0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x42 }, { 2, 0x42 }, { 10, 0x5 }, { 14, 0xffffffff }, { 15, 0xffffffff } },
	},
	{
		"movrels out of the file is illegal",
		/* s_mov_b32 m0, 0x7fffffff; s_movrels_b32 s0, s4 */
		{ 0xbefc00ff, 0x7fffffff, 0xbe802a04 },
		ISA_STOP_ILLEGAL, 8,
		{ },
	},
	{
		"VGPR indexing: each source, the destination, and none of them",
		/*
		 * s_movk_i32 s2, 3; v_mov_b32 v4, 1; v_mov_b32 v5, 32; v_mov_b32 v6, 0x300;
		 * v_mov_b32 v7, 0x4000; s_mov_b32 s0, 2; s_set_gpr_idx_on s0, gpr_idx(SRC0);
		 * v_mov_b32 v1, v4; v_add_u32 v2, v4, v5; v_lshl_add_u32 v3, v4, 1, v5;
		 * s_set_gpr_idx_mode gpr_idx(SRC1); v_add_u32 v8, v4, v5; s_set_gpr_idx_mode
		 * gpr_idx(SRC2); v_lshl_add_u32 v9, v4, 1, v5; s_set_gpr_idx_mode gpr_idx(DST);
		 * v_mov_b32 v10, v4; s_set_gpr_idx_idx s2; v_mov_b32 v10, s0;
		 * s_set_gpr_idx_off; v_mov_b32 v11, v4; v_readfirstlane_b32 s1, v1;
		 * v_readfirstlane_b32 s3, v2; v_readfirstlane_b32 s4, v3; v_readfirstlane_b32
		 * s5, v8; v_readfirstlane_b32 s6, v9; v_readfirstlane_b32 s7, v12;
		 * v_readfirstlane_b32 s8, v13; v_readfirstlane_b32 s9, v11; s_endpgm
		 */
		{ 0xb0020003, 0x7e080281, 0x7e0a02a0, 0x7e0c02ff, 0x00000300, 0x7e0e02ff,
		  0x00004000, 0xbe800082, 0xbf110100, 0x7e020304, 0x68040b04, 0xd1fd0003,
		  0x04150304, 0xbf9d0002, 0x68100b04, 0xbf9d0004, 0xd1fd0009, 0x04150304,
		  0xbf9d0008, 0x7e140304, 0xbe803202, 0x7e140200, 0xbf9c0000, 0x7e160304,
		  0x7e020501, 0x7e060502, 0x7e080503, 0x7e0a0508, 0x7e0c0509, 0x7e0e050c,
		  0x7e10050d, 0x7e12050b, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 1, 0x300 }, { 3, 0x320 }, { 4, 0x620 }, { 5, 0x4001 }, { 6, 0x4002 }, { 7, 0x1 },
		  { 8, 0x2 }, { 9, 0x1 } },
	},
	{
		"VGPR indexing out of the file is illegal",
		/* s_movk_i32 s0, 0xff; s_set_gpr_idx_on s0, gpr_idx(SRC0); v_mov_b32 v1, v4 */
		{ 0xb00000ff, 0xbf110100, 0x7e020304 },
		ISA_STOP_ILLEGAL, 8,
		{ },
	},
	{
		"a 16 dword load into too few registers is illegal",
		/* s_mov_b64 s[2:3], 0x108000; .long 0xc0121841, 0 */
		{ 0xbe8201ff, 0x00108000, 0xc0121841, 0x00000000 },
		ISA_STOP_ILLEGAL, 8,
		{ },
	},
	{
		"s_endpgm",
		/* s_endpgm */
		{ 0xbf810000 },
		ISA_STOP_END, 4,
		{ },
	},
	{
		"s_barrier stops behind itself",
		/* s_barrier; s_endpgm */
		{ 0xbf8a0000, 0xbf810000 },
		ISA_STOP_BARRIER, 4,
		{ },
	},
	{
		"s_sendmsg stops behind itself",
		/* s_sendmsg sendmsg(MSG_INTERRUPT); s_endpgm */
		{ 0xbf900001, 0xbf810000 },
		ISA_STOP_MSG, 4,
		{ },
	},
	{
		"s_trap stops at itself",
		/* s_nop 0; s_trap 2 */
		{ 0xbf800000, 0xbf920002 },
		ISA_STOP_TRAP, 4,
		{ },
	},
	{
		"s_sleep yields",
		/* s_sleep 1; s_endpgm */
		{ 0xbf8e0001, 0xbf810000 },
		ISA_STOP_BUDGET, 4,
		{ },
	},
	{
		"s_sethalt halts",
		/* s_sethalt 1; s_endpgm */
		{ 0xbf8d0001, 0xbf810000 },
		ISA_STOP_HALT, 4,
		{ },
	},
	{
		"no instruction",
		/* s_nop 0; .long 0xffffffff */
		{ 0xbf800000, 0xffffffff },
		ISA_STOP_ILLEGAL, 4,
		{ },
	},
	{
		"an opcode that is not executed",
		/* image_load v[0:3], v[4:5], s[0:7] dmask:0xf */
		{ 0xf0000f00, 0x00000004 },
		ISA_STOP_ILLEGAL, 0,
		{ },
	},
	{
		"code that is not there",
		/* s_mov_b64 s[0:1], 0x400000; s_setpc_b64 s[0:1] */
		{ 0xbe8001ff, 0x00400000, 0xbe801d00 },
		ISA_STOP_MISS, ANY,
		{ },
	},
	{
		"data that is not there",
		/*
		 * s_mov_b64 s[2:3], 0x400000; s_movk_i32 s5, 1; s_load_dwordx2 s[4:5], s[2:3],
		 * 0x0
		 */
		{ 0xbe8201ff, 0x00400000, 0xb0050001, 0xc0060101, 0x00000000 },
		ISA_STOP_MISS, 12,
		{ { 5, 0x1 } },
	},
	{
		"an endless loop uses its budget up",
		/* s_branch . */
		{ 0xbf82ffff },
		ISA_STOP_BUDGET, 0,
		{ },
	},
};

static void fill(struct rig *r)
{
	u32 n, v;

	for (n = 0; n < 1024; n++) {
		v = 0x1000 + n;
		memcpy(r->mem + RIG_DATA + 4 * n, &v, 4);
	}
}

static void check(struct rig *r, const struct program *p)
{
	enum isa_stop why;
	u32 n;
	u64 pc;

	memset(r->mem, 0, RIG_BYTES);
	fill(r);
	rig_load(r, p->words, WORDS);
	why = rig_run(r, 1000);
	pc = isa_wave_pc(r->w) - RIG_VA;
	if (why != p->why || (p->pc != ANY && pc != (u64)p->pc)) {
		tap_ok(0, "%s: stop %d at 0x%llx, not %d at 0x%x", p->name, why,
		       (unsigned long long)pc, p->why, p->pc);
		return;
	}
	for (n = 0; n < ARRAY_SIZE(p->want); n++) {
		u32 got = r->w->s[p->want[n].sgpr];

		if (n && !p->want[n].sgpr)
			break;
		if (p->want[0].sgpr || p->want[0].value || p->want[1].sgpr)
			if (got != p->want[n].value) {
				tap_ok(0, "%s: s%u is 0x%x, not 0x%x", p->name,
				       p->want[n].sgpr, got, p->want[n].value);
				return;
			}
	}
	tap_ok(1, "%s", p->name);
}

/* Code that was rewritten runs as it is now, after an invalidation. */
static void check_rewrite(struct rig *r)
{
	static const u32 one[] = { 0xb0000001, 0xbf810000 };	/* s_movk_i32 s0, 1 */
	static const u32 two[] = { 0xb0000002, 0xbf810000 };
	bool ok;

	rig_load(r, one, 2);
	ok = rig_run(r, 10) == ISA_STOP_END && r->w->s[0] == 1;
	rig_load(r, two, 2);
	ok = ok && rig_run(r, 10) == ISA_STOP_END && r->w->s[0] == 2;
	tap_ok(ok, "rewritten code");
}

/* A wave stopped by its budget goes on where it was. */
static void check_budget(struct rig *r)
{
	/* s_movk_i32 s0, 0; 6 x s_addk_i32 s0, 1; s_endpgm */
	static const u32 words[] = {
		0xb0000000, 0xb7000001, 0xb7000001, 0xb7000001, 0xb7000001, 0xb7000001,
		0xb7000001, 0xbf810000,
	};
	bool ok = true;
	u32 n;

	rig_load(r, words, ARRAY_SIZE(words));
	for (n = 0; n < 7; n++) {
		ok = ok && rig_run(r, 1) == ISA_STOP_BUDGET && r->ex.insns == 1;
		ok = ok && r->w->s[0] == n && isa_wave_pc(r->w) == RIG_VA + 4 * (n + 1);
	}
	ok = ok && rig_run(r, 1) == ISA_STOP_END;
	tap_ok(ok, "one instruction at a time");
}

/* An instruction that missed runs again once its page is there. */
static void check_miss(struct rig *r)
{
	/* s_mov_b64 s[2:3], 0x10fffc; s_load_dwordx2 s[4:5], s[2:3], 0x0 */
	static const u32 words[] = { 0xbe8201ff, 0x0010fffc, 0xc0060101, 0x00000000, 0xbf810000 };
	bool ok;

	rig_load(r, words, ARRAY_SIZE(words));
	ok = rig_run(r, 10) == ISA_STOP_MISS && r->ex.va == RIG_VA + RIG_BYTES &&
	     r->ex.access == ISA_R && isa_wave_pc(r->w) == RIG_VA + 8;
	r->w->s[2] -= 4;
	ok = ok && rig_run(r, 10) == ISA_STOP_END;
	tap_ok(ok, "restart after a miss");
}

/* A wave's registers end where its allocation ends, and not one earlier. */
static void check_last_row(struct rig *r)
{
	/* s_mov_b64 s[2:3], 0x108000; global_load_dword v0, v7, s[2:3]; v_mov_b32 v8, 0 */
	static const u32 words[] = {
		0xbe8201ff, 0x00108000, 0xdc508000, 0x00020007, 0x7e100280, 0xbf810000,
	};
	bool ok;

	fill(r);
	rig_load(r, words, ARRAY_SIZE(words));
	r->w->rows = 8;
	r->w->acc_row = 8;
	ok = rig_run(r, 10) == ISA_STOP_ILLEGAL && isa_wave_pc(r->w) == RIG_VA + 16 &&
	     r->w->v[0] == 0x1000 && r->w->v[63] == 0x1000;
	tap_ok(ok, "the last register of the allocation, and the one behind it");
}

/* Counts of a loop, in pieces of any length, and after its line is gone. */
static void check_count(struct rig *r)
{
	/* s_movk_i32 s0, 100; s_addk_i32 s0, -1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 -3; */
	/* s_nop 0; s_branch 0; s_endpgm */
	static const u32 words[] = {
		0xb0000064, 0xb700ffff, 0xbf078000, 0xbf85fffd, 0xbf800000, 0xbf820000,
		0xbf810000,
	};
	static u64 kept[ISA_OP_COUNT], count[ISA_OP_COUNT];
	bool ok;
	u32 n;

	for (n = 1; n < 8; n++) {
		isa_icache_init(r->icache_mem, 16);
		memset(kept, 0, sizeof(kept));
		memset(count, 0, sizeof(count));
		r->cu.insn_count = kept;
		rig_load(r, words, ARRAY_SIZE(words));
		while (rig_run(r, n) == ISA_STOP_BUDGET)
			;
		isa_icache_count(&r->cu, count);
		ok = count[ISA_OP_S_MOVK_I32] == 1 && count[ISA_OP_S_ADDK_I32] == 100 &&
		     count[ISA_OP_S_CMP_LG_U32] == 100 &&
		     count[ISA_OP_S_CBRANCH_SCC1] == 100 && count[ISA_OP_S_BRANCH] == 1 &&
		     count[ISA_OP_S_ENDPGM] == 1;
		/* Other code in the same line */
		rig_load(r, words + 6, 1);
		rig_run(r, 10);
		ok = ok && kept[ISA_OP_S_ADDK_I32] == 100;
		r->cu.insn_count = NULL;
		tap_ok(ok, "opcodes counted, %u instructions at a time", n);
	}
}

/*
 * Matrix operations end a turn early, behind one of them: each is done once. Not by
 * rig_run(), which hides the turns.
 */
static void check_matrix_turns(struct rig *r)
{
	enum { OPS = 300 };	/* at a cost of 2 and more, by the width of the SIMD build */
	u32 words[2 * OPS + 1], n, turns = 0, insns = 0;
	u64 pc = RIG_VA + RIG_CODE, last;
	bool ok = true;

	/* v_mfma_f32_4x4x1f32 a[0:3], v8, v8, a[0:3]: adds 1 */
	for (n = 0; n < OPS; n++) {
		words[2 * n] = 0xd3c28000;
		words[2 * n + 1] = 0x04021108;
	}
	words[2 * OPS] = 0xbf810000;
	rig_load(r, words, ARRAY_SIZE(words));
	for (n = 0; n < 64; n++)
		r->w->v[8 * 64 + n] = 0x3f800000;
	while (isa_wave_run(r->w, 100000, &r->ex) == ISA_STOP_BUDGET && turns < OPS) {
		insns += r->ex.insns;
		turns++;
		last = pc;
		pc = isa_wave_pc(r->w);
		/* No yield; dear ones used it up, the last of them by little. */
		ok = ok && !r->ex.info && pc > last && !(pc % 8) &&
		     r->ex.cost - r->ex.insns >= ISA_COST_TURN &&
		     r->ex.cost - r->ex.insns < ISA_COST_TURN + 16;
	}
	ok = ok && r->ex.why == ISA_STOP_END && turns && insns + r->ex.insns >= OPS + 1;
	for (n = 0; n < 4 * 64; n++)
		ok = ok && r->w->v[(32 * 64) + n] == 0x43960000;	/* 300.0 */
	tap_ok(ok, "%u matrix operations in %u turns and one", OPS, turns);
}

int main(void)
{
	struct rig r;
	size_t n;

	rig_init(&r, "gfx90a", NULL, 64);
	for (n = 0; n < ARRAY_SIZE(programs); n++)
		check(&r, &programs[n]);
	check_rewrite(&r);
	check_budget(&r);
	check_miss(&r);
	check_last_row(&r);
	check_count(&r);
	check_matrix_turns(&r);
	rig_fini(&r);
	return tap_done();
}
