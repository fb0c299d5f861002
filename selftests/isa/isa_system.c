// SPDX-License-Identifier: MIT
/*
 * System state of a wave, traps, and the memory instructions of which there is
 * but one form: programs as rows (words are LLVM's for the text above them),
 * and models of the scalar atomics and of the DS operations with two LDS
 * operands. Expected values follow from the ISA text.
 */
#include <stdlib.h>
#include "mem.h"
#include "rig.h"

#define WORDS	72
#define ANY	(-1)

/**
 * struct program - one row
 * @words: code at RIG_VA
 * @why,@pc: how it stops, and where (offset from RIG_VA, or ANY)
 * @want: registers afterwards; ends with the first row of value 0 in register 0
 *	behind at least one entry
 */
struct program {
	const char *name, *target;
	u32 words[WORDS];
	enum isa_stop why;
	int pc;
	struct {
		u8 sgpr;
		u32 value;
	} want[12];
};

/* The data at RIG_DATA: dword n is 0x1000 + n; v0 is the lane's number. */
static const struct program programs[] = {
	{
		"s_scratch: an SGPR counts 64-byte blocks", "gfx90a",
		/*
		 * s_mov_b32 s2, 0x108000; s_mov_b32 s3, 0; s_mov_b32 s0, 1; s_mov_b32 s8, 0x77;
		 * s_scratch_load_dword s4, s[2:3], s0; s_scratch_load_dwordx2 s[6:7], s[2:3],
		 * 0x8; s_scratch_store_dword s8, s[2:3], s0; s_load_dword s5, s[2:3], 0x40;
		 * s_endpgm
		 */
		{ 0xbe8200ff, 0x00108000, 0xbe830080, 0xbe800081, 0xbe8800ff, 0x00000077,
		  0xc0140101, 0x00000000, 0xc01a0181, 0x00000008, 0xc0540201, 0x00000000,
		  0xc0020141, 0x00000040, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 4, 0x1010 }, { 5, 0x77 }, { 6, 0x1002 }, { 7, 0x1003 } },
	},
	{
		"s_buffer_load with a negative immediate is out of range", "gfx90a",
		/*
		 * s_mov_b32 s4, 0x108000; s_mov_b32 s5, 0; s_mov_b32 s6, 0x40; s_mov_b32 s7,
		 * 0x20000; s_mov_b32 s8, -1; s_movk_i32 s10, 12; .long 0xc0220202; .long
		 * 0x1ffffc; .long 0xc0224242; .long 0x141ffffc; s_endpgm
		 */
		{ 0xbe8400ff, 0x00108000, 0xbe850080, 0xbe8600c0, 0xbe8700ff, 0x00020000,
		  0xbe8800c1, 0xb00a000c, 0xc0220202, 0x001ffffc, 0xc0224242, 0x141ffffc,
		  0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 8, 0x0 }, { 9, 0x1002 } },
	},
	{
		"s_dcache_discard, s_atc_probe: no effect", "gfx90a",
		/*
		 * s_mov_b32 s2, 0x108000; s_mov_b32 s3, 0; s_dcache_discard s[2:3], 0x40;
		 * s_dcache_discard_x2 s[2:3], 0x40; s_atc_probe 7, s[2:3], 0x0; s_load_dword s4,
		 * s[2:3], 0x0; s_endpgm
		 */
		{ 0xbe8200ff, 0x00108000, 0xbe830080, 0xc0a20001, 0x00000040, 0xc0a60001,
		  0x00000040, 0xc09a01c1, 0x00000000, 0xc0020101, 0x00000000, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 4, 0x1000 } },
	},
	{
		"buffer_load lds", "gfx90a",
		/*
		 * s_mov_b32 s4, 0x108000; s_mov_b32 s5, 0; s_mov_b32 s6, 0x40; s_mov_b32 s7,
		 * 0x20000; s_mov_b32 m0, 0x100; v_lshlrev_b32 v1, 2, v0; buffer_load_dword v1,
		 * s[4:7], 0 offen offset:4 lds; v_mov_b32 v2, 0x104; ds_read2_b32 v[4:5], v2
		 * offset1:14; s_waitcnt 0; v_readfirstlane_b32 s0, v4; v_readfirstlane_b32 s1,
		 * v5; v_mov_b32 v3, 0x140; ds_read_b32 v6, v3; v_readfirstlane_b32 s2, v6;
		 * s_endpgm
		 */
		{ 0xbe8400ff, 0x00108000, 0xbe850080, 0xbe8600c0, 0xbe8700ff, 0x00020000,
		  0xbefc00ff, 0x00000100, 0x24020082, 0xe0511004, 0x80010001, 0x7e0402ff,
		  0x00000104, 0xd86e0e00, 0x04000002, 0xbf8c0000, 0x7e000504, 0x7e020505,
		  0x7e0602ff, 0x00000140, 0xd86c0000, 0x06000003, 0x7e040506, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x1001 }, { 1, 0x100f }, { 2, 0x0 } },
	},
	{
		"buffer_load_ubyte lds extends", "gfx906",
		/*
		 * s_mov_b32 s8, 0xfedcba98; s_mov_b32 s2, 0x108000; s_mov_b32 s3, 0;
		 * s_store_dword s8, s[2:3], 0x0; s_mov_b32 s4, 0x108000; s_mov_b32 s5, 0;
		 * s_mov_b32 s6, 0x40; s_mov_b32 s7, 0x20000; s_mov_b32 m0, 0; v_mov_b32 v1, v0;
		 * buffer_load_sbyte v1, s[4:7], 0 offen lds; v_mov_b32 v2, 0; ds_read2_b32
		 * v[4:5], v2 offset1:3; v_readfirstlane_b32 s0, v4; v_readfirstlane_b32 s1, v5;
		 * s_endpgm
		 */
		{ 0xbe8800ff, 0xfedcba98, 0xbe8200ff, 0x00108000, 0xbe830080, 0xc0420201,
		  0x00000000, 0xbe8400ff, 0x00108000, 0xbe850080, 0xbe8600c0, 0xbe8700ff,
		  0x00020000, 0xbefc0080, 0x7e020300, 0xe0451000, 0x80010001, 0x7e040280,
		  0xd86e0300, 0x04000002, 0x7e000504, 0x7e020505, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0xffffff98 }, { 1, 0xfffffffe } },
	},
	{
		"buffer_store_lds", "gfx906",
		/*
		 * s_mov_b32 m0, 0x10; v_mov_b32 v1, 0x10; v_mov_b32 v2, 0x1234; ds_write_b32 v1,
		 * v2; s_mov_b64 exec, 1; s_mov_b32 s4, 0x108000; s_mov_b32 s5, 0; s_mov_b32 s6,
		 * 0x40; s_mov_b32 s7, 0x20000; buffer_store_lds_dword s[4:7], 0 lds; s_mov_b32
		 * s2, 0x108000; s_mov_b32 s3, 0; s_load_dwordx2 s[8:9], s[2:3], 0x0; s_endpgm
		 */
		{ 0xbefc0090, 0x7e020290, 0x7e0402ff, 0x00001234, 0xd81a0000, 0x00000201,
		  0xbefe0181, 0xbe8400ff, 0x00108000, 0xbe850080, 0xbe8600c0, 0xbe8700ff,
		  0x00020000, 0xe0f50000, 0x80010000, 0xbe8200ff, 0x00108000, 0xbe830080,
		  0xc0060201, 0x00000000, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 8, 0x1234 }, { 9, 0x1001 } },
	},
	{
		"global_load_lds", "gfx942",
		/*
		 * s_mov_b32 s2, 0x108000; s_mov_b32 s3, 0; s_mov_b32 m0, 0x20; v_lshlrev_b32 v1,
		 * 2, v0; global_load_lds_dword v1, s[2:3] offset:8; v_mov_b32 v2, 0x28;
		 * ds_read2_b32 v[4:5], v2 offset1:1; v_readfirstlane_b32 s0, v4;
		 * v_readfirstlane_b32 s1, v5; global_load_lds_ushort v1, s[2:3]; v_mov_b32 v2,
		 * 0x20; ds_read2_b32 v[4:5], v2 offset1:1; v_readfirstlane_b32 s4, v4;
		 * v_readfirstlane_b32 s5, v5; s_endpgm
		 */
		{ 0xbe8200ff, 0x00108000, 0xbe830080, 0xbefc00a0, 0x24020082, 0xdca88008,
		  0x00020001, 0x7e0402a8, 0xd86e0100, 0x04000002, 0x7e000504, 0x7e020505,
		  0xdca08000, 0x00020001, 0x7e0402a0, 0xd86e0100, 0x04000002, 0x7e080504,
		  0x7e0a0505, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x1002 }, { 1, 0x1003 }, { 4, 0x1000 }, { 5, 0x1001 } },
	},
	{
		"a lane without a place in the LDS does not load", "gfx942",
		/*
		 * s_mov_b32 s2, 0x4000000; s_mov_b32 s3, 0; s_mov_b32 m0, 0xfffc; s_mov_b64
		 * exec, -2; v_lshlrev_b32 v1, 2, v0; global_load_lds_dword v1, s[2:3]; s_endpgm
		 */
		{ 0xbe8200ff, 0x04000000, 0xbe830080, 0xbefc00ff, 0x0000fffc, 0xbefe01c2,
		  0x24020082, 0xdca88000, 0x00020001, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ },
	},
	{
		"a 64-bit atomic across num_records does nothing", "gfx90a",
		/*
		 * s_mov_b32 s4, 0x108000; s_mov_b32 s5, 0; s_mov_b32 s6, 0x40; s_mov_b32 s7,
		 * 0x20000; s_mov_b32 s6, 12; v_mov_b32 v1, 8; v_mov_b32 v2, 5; v_mov_b32 v3, 0;
		 * s_mov_b64 exec, 1; buffer_atomic_add_x2 v[2:3], v1, s[4:7], 0 offen glc;
		 * v_readfirstlane_b32 s0, v2; s_mov_b32 s2, 0x108000; s_mov_b32 s3, 0;
		 * s_load_dword s1, s[2:3], 0x8; s_endpgm
		 */
		{ 0xbe8400ff, 0x00108000, 0xbe850080, 0xbe8600c0, 0xbe8700ff, 0x00020000,
		  0xbe86008c, 0x7e020288, 0x7e040285, 0x7e060280, 0xbefe0181, 0xe1885000,
		  0x80010201, 0x7e000502, 0xbe8200ff, 0x00108000, 0xbe830080, 0xc0020041,
		  0x00000008, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x0 }, { 1, 0x1002 } },
	},
	{
		"a raw range check counts the scalar offset, dword by dword", "gfx90a",
		/*
		 * s_mov_b32 s4, 0x108000; s_mov_b32 s5, 0; s_mov_b32 s6, 0x40; s_mov_b32 s7,
		 * 0x20000; s_movk_i32 s6, 0x110; s_movk_i32 s9, 0x100; v_mov_b32 v1, 12;
		 * buffer_load_dwordx2 v[2:3], v1, s[4:7], s9 offen; v_readfirstlane_b32 s0, v2;
		 * v_readfirstlane_b32 s1, v3; s_endpgm
		 */
		{ 0xbe8400ff, 0x00108000, 0xbe850080, 0xbe8600c0, 0xbe8700ff, 0x00020000,
		  0xb0060110, 0xb0090100, 0x7e02028c, 0xe0541000, 0x09010201, 0x7e000502,
		  0x7e020503, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x1043 }, { 1, 0x0 } },
	},
	{
		"structured buffers check the index, raw use of them the bytes", "gfx90a",
		/*
		 * s_mov_b32 s4, 0x108000; s_mov_b32 s5, 0; s_mov_b32 s6, 0x40; s_mov_b32 s7,
		 * 0x20000; s_mov_b32 s5, 0x100000; s_mov_b32 s6, 2; v_mov_b32 v1, 1; v_mov_b32
		 * v2, 2; buffer_load_dword v3, v1, s[4:7], 0 idxen offset:4; buffer_load_dword
		 * v4, v2, s[4:7], 0 idxen; s_mov_b32 s6, 4; v_mov_b32 v1, 0; buffer_load_dwordx2
		 * v[6:7], v1, s[4:7], 0 offen; v_readfirstlane_b32 s0, v3; v_readfirstlane_b32
		 * s1, v4; v_readfirstlane_b32 s2, v6; v_readfirstlane_b32 s3, v7; s_endpgm
		 */
		{ 0xbe8400ff, 0x00108000, 0xbe850080, 0xbe8600c0, 0xbe8700ff, 0x00020000,
		  0xbe8500ff, 0x00100000, 0xbe860082, 0x7e020281, 0x7e040282, 0xe0502004,
		  0x80010301, 0xe0502000, 0x80010402, 0xbe860084, 0x7e020280, 0xe0541000,
		  0x80010601, 0x7e000503, 0x7e020504, 0x7e040506, 0x7e060507, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x1005 }, { 1, 0x0 }, { 2, 0x1000 }, { 3, 0x0 } },
	},
	{
		"tbuffer with the format in the instruction", "gfx90a",
		/*
		 * s_mov_b32 s8, 0xff8000ff; s_mov_b32 s2, 0x108000; s_mov_b32 s3, 0;
		 * s_store_dword s8, s[2:3], 0x0; s_mov_b32 s4, 0x108000; s_mov_b32 s5, 0;
		 * s_mov_b32 s6, 0x40; s_mov_b32 s7, 0x20000; tbuffer_load_format_xyzw v[4:7],
		 * off, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM];
		 * tbuffer_load_format_xy v[8:9], off, s[4:7], 0
		 * format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_SINT]; v_readfirstlane_b32 s0,
		 * v4; v_readfirstlane_b32 s1, v5; v_readfirstlane_b32 s2, v6;
		 * v_readfirstlane_b32 s3, v7; v_readfirstlane_b32 s10, v8; v_readfirstlane_b32
		 * s11, v9; s_endpgm
		 */
		{ 0xbe8800ff, 0xff8000ff, 0xbe8200ff, 0x00108000, 0xbe830080, 0xc0420201,
		  0x00000000, 0xbe8400ff, 0x00108000, 0xbe850080, 0xbe8600c0, 0xbe8700ff,
		  0x00020000, 0xe8518000, 0x80010400, 0xeaa88000, 0x80010800, 0x7e000504,
		  0x7e020505, 0x7e040506, 0x7e060507, 0x7e140508, 0x7e160509, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x3f800000 }, { 1, 0x0 }, { 2, 0x3f008081 }, { 3, 0x3f800000 }, { 10,
		  0xff }, { 11, 0xffffff80 } },
	},
	{
		"tfe: no page was missing", "gfx906",
		/*
		 * s_mov_b32 s4, 0x108000; s_mov_b32 s5, 0; s_mov_b32 s6, 0x40; s_mov_b32 s7,
		 * 0x20000; v_mov_b32 v4, -1; v_mov_b32 v5, -1; buffer_load_dword v[4:5], off,
		 * s[4:7], 0 tfe; v_readfirstlane_b32 s0, v4; v_readfirstlane_b32 s1, v5;
		 * s_endpgm
		 */
		{ 0xbe8400ff, 0x00108000, 0xbe850080, 0xbe8600c0, 0xbe8700ff, 0x00020000,
		  0x7e0802c1, 0x7e0a02c1, 0xe0500000, 0x80810400, 0x7e000504, 0x7e020505,
		  0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x1000 }, { 1, 0x0 } },
	},
	{
		"global memory instructions do not reach the apertures", "gfx90a",
		/*
		 * v_mov_b32 v2, 0; v_mov_b32 v3, 0x10000; global_load_dword v4, v[2:3], off
		 */
		{ 0x7e040280, 0x7e0602ff, 0x00010000, 0xdc508000, 0x047f0002 },
		ISA_STOP_MEMVIOL, 12,
		{ },
	},
	{
		"gws init stops behind itself", "gfx90a",
		/*
		 * s_mov_b32 m0, 0x30000; v_mov_b32 v0, 9; ds_gws_init v0 offset:2 gds; s_endpgm
		 */
		{ 0xbefc00ff, 0x00030000, 0x7e000289, 0xd9330002, 0x00000000, 0xbf810000 },
		ISA_STOP_GWS, 20,
		{ },
	},
	{
		"the global data share is not there", "gfx906",
		/*
		 * ds_add_u32 v0, v1 gds
		 */
		{ 0xd8010000, 0x00000100 },
		ISA_STOP_ILLEGAL, 0,
		{ },
	},
	{
		"hardware registers", "gfx906",
		/*
		 * s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC, 8, 6); s_getreg_b32 s1,
		 * hwreg(HW_REG_LDS_ALLOC, 12, 9); s_getreg_b32 s2, hwreg(HW_REG_IB_STS);
		 * s_getreg_b32 s3, hwreg(HW_REG_SH_MEM_BASES); s_setprio 2; s_getreg_b32 s4,
		 * hwreg(HW_REG_STATUS, 3, 2); s_mov_b32 s5, -1; s_setreg_b32
		 * hwreg(HW_REG_STATUS), s5; s_getreg_b32 s5, hwreg(HW_REG_STATUS, 13, 1);
		 * s_endpgm
		 */
		{ 0xb8802a05, 0xb8814306, 0xb882f807, 0xb883f80f, 0xbf8f0002, 0xb88408c2,
		  0xbe8500c1, 0xb905f802, 0xb8850342, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0xf }, { 1, 0x80 }, { 2, 0x0 }, { 3, 0x10002 }, { 4, 0x2 }, { 5, 0x0 } },
	},
	{
		"GPR_ALLOC of the unified file, XCC_ID", "gfx942",
		/*
		 * s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC, 6, 6); s_getreg_b32 s1,
		 * hwreg(HW_REG_GPR_ALLOC, 12, 6); s_getreg_b32 s2, hwreg(HW_REG_XCC_ID);
		 * s_endpgm
		 */
		{ 0xb8802985, 0xb8812b05, 0xb882f814, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x7 }, { 1, 0x7 }, { 2, 0x0 } },
	},
	{
		"XCC_ID before gfx940 is no register", "gfx90a",
		/*
		 * s_getreg_b32 s0, hwreg(20)
		 */
		{ 0xb880f814 },
		ISA_STOP_ILLEGAL, 0,
		{ },
	},
	{
		"TRAPSTS keeps what is written", "gfx90a",
		/*
		 * s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 7), 0x55; s_getreg_b32 s0,
		 * hwreg(HW_REG_TRAPSTS); s_endpgm
		 */
		{ 0xba003003, 0x00000055, 0xb880f803, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x55 } },
	},
	{
		"vskip skips vector instructions", "gfx90a",
		/*
		 * v_mov_b32 v1, 1; s_setvskip -1, 3; v_mov_b32 v1, 2; s_setvskip 0, 3;
		 * v_readfirstlane_b32 s0, v1; s_endpgm
		 */
		{ 0x7e020281, 0xbf1083c1, 0x7e020282, 0xbf108380, 0x7e000501, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 0, 0x1 } },
	},
	{
		"fork and join run both sides", "gfx90a",
		/*
		 * s_movk_i32 s20, 0; v_mov_b32 v1, 0; s_mov_b64 s[16:17], 0xff; s_getreg_b32
		 * s21, hwreg(HW_REG_MODE, 29, 3); s_cbranch_i_fork s[16:17], 3; v_add_u32 v1, 1,
		 * v1; s_add_u32 s20, s20, 1; s_branch 2; v_add_u32 v1, 2, v1; s_add_u32 s20,
		 * s20, 0x10; s_cbranch_join s21; v_readlane_b32 s22, v1, 0; v_readlane_b32 s23,
		 * v1, 60; s_mov_b64 s[24:25], exec; s_endpgm
		 */
		{ 0xb0140000, 0x7e020280, 0xbe9001ff, 0x000000ff, 0xb8951741, 0xb8100003,
		  0x68020281, 0x80148114, 0xbf820002, 0x68020282, 0x80149014, 0xbe802e15,
		  0xd2890016, 0x00010101, 0xd2890017, 0x00017901, 0xbe98017e, 0xbf810000 },
		ISA_STOP_END, ANY,
		{ { 20, 0x11 }, { 21, 0x0 }, { 22, 0x2 }, { 23, 0x1 }, { 24, 0xffffff00 }, { 25,
		  0xffffffff } },
	},
	{
		"s_rfe outside of a trap handler", "gfx90a",
		/*
		 * s_rfe_b64 s[0:1]
		 */
		{ 0xbe801f00 },
		ISA_STOP_ILLEGAL, 0,
		{ },
	},
	{
		"s_sendmsghalt sends first", "gfx90a",
		/*
		 * s_sendmsghalt sendmsg(MSG_INTERRUPT); s_endpgm
		 */
		{ 0xbf910001, 0xbf810000 },
		ISA_STOP_MSG, 4,
		{ },
	},
	{
		"s_sethalt 0 goes on", "gfx90a",
		/*
		 * s_sethalt 0; s_endpgm
		 */
		{ 0xbf8d0000, 0xbf810000 },
		ISA_STOP_END, 8,
		{ },
	},
	{
		"images are not executed", "gfx90a",
		/*
		 * image_load v[0:3], v[4:5], s[0:7] dmask:0xf
		 */
		{ 0xf0000f00, 0x00000004 },
		ISA_STOP_ILLEGAL, 0,
		{ },
	},
};

static void fill(struct rig *r)
{
	u32 n, v;

	for (n = 0; n < (RIG_BYTES - RIG_DATA) / 4; n++) {
		v = 0x1000 + n;
		memcpy(r->mem + RIG_DATA + 4 * n, &v, 4);
	}
	memset(r->lds, 0, 65536);
}

static void check(const struct program *p)
{
	enum isa_stop why;
	struct rig r;
	bool ok;
	u32 n;

	rig_init(&r, p->target, NULL, 64);
	fill(&r);
	rig_load(&r, p->words, WORDS);
	why = rig_run(&r, 1000);
	ok = why == p->why && (p->pc == ANY || isa_wave_pc(r.w) == RIG_VA + (u32)p->pc);
	if (!ok)
		printf("# stop %d at %#llx, not %d at %#x\n", why,
		       (unsigned long long)(isa_wave_pc(r.w) - RIG_VA), p->why, p->pc);
	for (n = 0; n < ARRAY_SIZE(p->want); n++) {
		u32 s = p->want[n].sgpr, v = p->want[n].value;

		if (n && !s && !v)
			break;
		if (!n && !s && !v && !p->want[1].sgpr)
			break;
		if (r.w->s[s] != v) {
			printf("# s%u is %#x, not %#x\n", s, r.w->s[s], v);
			ok = false;
		}
	}
	tap_ok(ok, "%s", p->name);
	rig_fini(&r);
}

/* Integer read-modify-write by the ISA text, in the order of the opcodes. */
enum { M_SWAP, M_CMPSWAP, M_ADD, M_SUB, M_SMIN, M_UMIN, M_SMAX, M_UMAX, M_AND, M_OR, M_XOR,
	M_INC, M_DEC, M_RSUB, M_COUNT };

static u64 model(u32 op, bool wide, u64 old, u64 data, u64 cmp)
{
	s64 so = wide ? (s64)old : (s32)old, sd = wide ? (s64)data : (s32)data;
	u64 r = old;

	switch (op) {
	case M_SWAP:
		r = data;
		break;
	case M_CMPSWAP:
		r = old == cmp ? data : old;
		break;
	case M_ADD:
		r = old + data;
		break;
	case M_SUB:
		r = old - data;
		break;
	case M_RSUB:
		r = data - old;
		break;
	case M_SMIN:
		r = sd < so ? data : old;
		break;
	case M_SMAX:
		r = sd > so ? data : old;
		break;
	case M_UMIN:
		r = data < old ? data : old;
		break;
	case M_UMAX:
		r = data > old ? data : old;
		break;
	case M_AND:
		r = old & data;
		break;
	case M_OR:
		r = old | data;
		break;
	case M_XOR:
		r = old ^ data;
		break;
	case M_INC:
		r = old >= data ? 0 : old + 1;
		break;
	case M_DEC:
		r = old == 0 || old > data ? data : old - 1;
		break;
	}
	return wide ? r : (u32)r;
}

static u64 seed = 0x123456789abcdefull;

static u64 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % 3 ? seed * 0x9e3779b97f4a7c15ull : seed >> 60;
}

/* s_atomic_* and s_buffer_atomic_*: data in s[16:19], base s[8:11], offset 0x10. */
static bool atomic_ok(struct rig *r, u32 op, bool wide, bool buffer, bool glc, bool inside)
{
	u32 code = (buffer ? 0x40 : 0x80) + (wide ? 0x20 : 0) + op, mask = wide ? 2 : 1;
	u32 words[3] = { 0xc0020000 | code << 18 | (u32)glc << 16 | 16 << 6 | 4, 0x10,
			 0xbf810000 };
	u64 old = rnd(), data = rnd(), cmp = rnd() & 1 ? old : rnd(), got = 0, was;
	u8 *p = r->mem + RIG_DATA + 0x10;

	if (!wide) {
		old = (u32)old;
		data = (u32)data;
		cmp = (u32)cmp;
	}
	rig_load(r, words, 3);
	memcpy(p, &old, 4 * mask);
	r->w->s[8] = (u32)RIG_VA + RIG_DATA;
	r->w->s[9] = 0;
	r->w->s[10] = inside ? 0x10 + 4 * mask : 0x10 + 4 * mask - 1;
	r->w->s[16] = (u32)data;
	r->w->s[17] = wide ? (u32)(data >> 32) : (u32)cmp;
	r->w->s[18] = (u32)cmp;
	r->w->s[19] = (u32)(cmp >> 32);
	if (rig_run(r, 10) != ISA_STOP_END)
		return false;
	memcpy(&got, p, 4 * mask);
	was = r->w->s[16] | (wide ? (u64)r->w->s[17] << 32 : 0);
	if (buffer && !inside)
		return got == old && was == (glc ? 0 : data);
	return got == model(op, wide, old, data, cmp) && was == (glc ? old : data);
}

static void check_atomics(void)
{
	struct rig r;
	u32 op, k;

	rig_init(&r, "gfx90a", NULL, 64);
	for (op = 0; op <= M_DEC; op++)
		for (k = 0; k < 4; k++) {
			bool ok = true;
			u32 n;

			for (n = 0; ok && n < 64; n++)
				ok = atomic_ok(&r, op, k & 1, k & 2, n & 1, n & 6);
			tap_ok(ok, "s_%satomic %u%s", k & 2 ? "buffer_" : "", op,
			       k & 1 ? " x2" : "");
		}
	rig_fini(&r);
}

/* ds_*_src2: A in v1, B 4 * 5 bytes further, or where the upper half of v1 says. */
static bool src2_ok(struct rig *r, u32 code, u32 op, bool wide, bool by_addr)
{
	u32 words[3] = { 0xd8000000 | code << 17 | (by_addr ? 0x8000 : 5), 1, 0xbf810000 };
	u32 bytes = wide ? 8 : 4, l, k;
	u8 before[65536];
	s32 dist = by_addr ? -7 : 5;

	rig_load(r, words, 3);
	for (k = 0; k < 65536; k += 8) {
		u64 v = rnd();

		memcpy(r->lds + k, &v, 8);
	}
	memcpy(before, r->lds, sizeof(before));
	isa_set_exec(r->w, 0x8000000000000101ull);
	for (l = 0; l < 64; l++)
		isa_row(r->w, 1)[l] = (0x1000 + l * 64) | (by_addr ? (u32)dist << 17 : 0);
	if (rig_run(r, 10) != ISA_STOP_END)
		return false;
	for (l = 0; l < 64; l++) {
		u64 a = 0, b = 0;
		u32 at = 0x1000 + l * 64;

		if (!(0x8000000000000101ull >> l & 1))
			continue;
		memcpy(&a, before + at, bytes);
		memcpy(&b, before + at + dist * 4, bytes);
		a = model(op, wide, a, b, 0);
		memcpy(before + at, &a, bytes);
	}
	return !memcmp(before, r->lds, sizeof(before));
}

static void check_src2(void)
{
	static const struct { u8 code, op; } ops[] = {
		{ 0, M_ADD }, { 1, M_SUB }, { 2, M_RSUB }, { 3, M_INC }, { 4, M_DEC },
		{ 5, M_SMIN }, { 6, M_SMAX }, { 7, M_UMIN }, { 8, M_UMAX }, { 9, M_AND },
		{ 10, M_OR }, { 11, M_XOR }, { 13, M_SWAP },
	};
	struct rig r;
	u32 n, k;

	rig_init(&r, "gfx906", NULL, 64);
	for (n = 0; n < ARRAY_SIZE(ops); n++)
		for (k = 0; k < 2; k++) {
			u32 code = (k ? 0xc0 : 0x80) + ops[n].code;

			tap_ok(src2_ok(&r, code, ops[n].op, k, false) &&
			       src2_ok(&r, code, ops[n].op, k, true), "ds src2 opcode %#x", code);
		}
	rig_fini(&r);
}

/* ds_{min,max,add}_src2_f*: two dwords apart, one lane, every build alike. */
static void check_fsrc2(void)
{
	static const struct { u8 code; u64 a, b, want; } rows[] = {
		{ 0x92, 0x3f800000, 0xbf800000, 0xbf800000 },
		{ 0x93, 0x3f800000, 0x7fc00000, 0x3f800000 },
		{ 0x93, 0x80000000, 0, 0 },
		{ 0x92, 0, 0x80000000, 0x80000000 },
		{ 0x92, 0x7f800001, 0x3f800000, 0x7fc00001 },
		{ 0x95, 0x3f800000, 0x40000000, 0x40400000 },
		{ 0x95, 0x00000001, 0x00000001, 0x00000002 },
		{ 0xd2, 0x3ff0000000000000, 0x4000000000000000, 0x3ff0000000000000 },
		{ 0xd3, 0x3ff0000000000000, 0x4000000000000000, 0x4000000000000000 },
	};
	static const char * const lanes[] = { "sse2", "avx2", "avx512" };
	u32 n, k;

	for (k = 0; k < ARRAY_SIZE(lanes); k++)
		for (n = 0; n < ARRAY_SIZE(rows); n++) {
			u32 words[3] = { 0xd8000000 | (u32)rows[n].code << 17 | 2, 1, 0xbf810000 };
			u32 bytes = rows[n].code >= 0xc0 ? 8 : 4;
			struct rig r;
			u64 v = 0;

			if (!rig_can(lanes[k]))
				continue;
			rig_init(&r, "gfx906", lanes[k], 64);
			rig_load(&r, words, 3);
			r.w->mode |= 0x30;
			isa_set_exec(r.w, 1);
			isa_row(r.w, 1)[0] = 16;
			memcpy(r.lds + 16, &rows[n].a, bytes);
			memcpy(r.lds + 24, &rows[n].b, bytes);
			rig_run(&r, 10);
			memcpy(&v, r.lds + 16, bytes);
			tap_ok(v == rows[n].want, "%s float src2 row %u: %#llx", lanes[k], n,
			       (unsigned long long)v);
			rig_fini(&r);
		}
}

/*
 * s_trap enters the handler with the state of the second level; s_rfe leaves
 * it, and a HALT that the handler set takes effect then.
 */
static void check_trap(const char *target)
{
	/* 0: s_cmp_eq_u32 s0, s0; s_trap 2; s_movk_i32 s9, 1; s_endpgm */
	/* 0x100: s_add_u32 ttmp0, ttmp0, 4; s_bitset1_b32 ttmp3, 13; */
	/* s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12; s_rfe_b64 [ttmp0, ttmp1] */
	static const u32 words[WORDS] = {
		0xbf060000, 0xbf920002, 0xb0090001, 0xbf810000,
		[64] = 0x806c846c, 0xbeef1a8d, 0xb978f802, 0xbe801f6c,
	};
	const u64 handler = RIG_VA + 0x100, tma = 0x123456789000ull;
	struct rig r;
	u32 saved;
	bool ok;

	rig_init(&r, target, NULL, 64);
	saved = !strcmp(target, "gfx942") ? 13 : 11;
	rig_load(&r, words, WORDS);
	ok = rig_run(&r, 10) == ISA_STOP_TRAP && r.ex.info == 2 &&
	     isa_wave_pc(r.w) == RIG_VA + 4;
	r.w->ib_sts = 0x8000;
	ok = ok && isa_wave_trap(r.w, &r.ex, handler, tma) && isa_wave_in_trap(r.w) &&
	     isa_wave_pc(r.w) == handler;
	ok = ok && r.w->s[108] == (u32)RIG_VA + 4 && r.w->s[109] == 2 << 16 &&
	     r.w->s[122] == (u32)tma && r.w->s[123] == tma >> 32 &&
	     r.w->s[108 + saved] >> 26 == 1 && r.w->s[120] & 1 && !(r.w->s[120] & 0x20);
	ok = ok && !isa_wave_trap(r.w, &r.ex, handler, tma);	/* not twice */
	tap_ok(ok, "%s: state of a trap handler", target);
	r.w->s[111] = 0;
	ok = rig_run(&r, 10) == ISA_STOP_END && r.w->s[9] == 1 && !isa_wave_in_trap(r.w) &&
	     r.w->scc == 1;
	tap_ok(ok, "%s: back from a trap handler", target);

	rig_load(&r, words, WORDS);
	rig_run(&r, 10);
	isa_wave_trap(r.w, &r.ex, handler, tma);
	r.w->s[120] |= 0x2000;
	ok = rig_run(&r, 10) == ISA_STOP_HALT && isa_wave_pc(r.w) == RIG_VA + 8 &&
	     r.w->s[9] == 0 && rig_run(&r, 10) == ISA_STOP_HALT;
	tap_ok(ok, "%s: halted by a trap handler", target);
	rig_fini(&r);
}

static void check_doorbell(void)
{
	static const u32 words[] = { 0xbf90000a, 0xbf810000 };	/* s_sendmsg 10 */
	struct rig r;
	bool ok;

	rig_init(&r, "gfx90a", NULL, 64);
	rig_load(&r, words, 2);
	r.w->s[126] = 0x80000000;
	ok = rig_run(&r, 10) == ISA_STOP_MSG && r.ex.info == 10;
	isa_wave_doorbell(r.w, r.ex.info, 0x155);
	ok = ok && r.w->s[126] == 0x155 && !r.w->full;
	tap_ok(ok, "the answer to MSG_GET_DOORBELL");
	rig_fini(&r);
}

int main(void)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(programs); n++)
		check(&programs[n]);
	check_atomics();
	check_src2();
	check_fsrc2();
	check_trap("gfx906");
	check_trap("gfx90a");
	check_trap("gfx942");
	check_doorbell();
	return tap_done();
}
