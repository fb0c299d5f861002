// SPDX-License-Identifier: MIT
/*
 * What operations do at their edges, written out: inputs and results as AMD's documents or LLVM
 * have them. The models of the other tests say the same more often, but may have an error that the
 * engine has, too: each of these rows is for one that both once had. Words are llvm-mc's. TAP.
 */
#include <stdio.h>
#include <string.h>
#include "rig.h"

#define AT	((u32)RIG_VA + RIG_DATA)	/* the data's address; the upper half is 0 */
#define KEEP	0x3f0				/* MODE: denormals are kept */
#define FLUSH	0x300

enum where { VGPR, SGPR, SCC, DATA, ILLEGAL };

/**
 * struct edge - an instruction, alone
 * @words: it, and s_endpgm of its target
 * @v: v0 to v5, the same in all lanes
 * @s: s4 to s15
 * @data: in memory, and in the LDS; @where, @reg: what is in @want after that; ILLEGAL: it stops
 */
static const struct edge {
	const char *what, *target;
	u32 words[4], mode, v[6], s[12], data[4];
	enum where where;
	u32 reg, want[4], n;
} edges[] = {
#define END9	0xbf810000
#define END11	0xbfb00000
	/* the field ends beyond bit 31: of the sign there is as much as it takes */
	{ "v_bfe_i32: bits beyond the last are the sign's", "gfx90a",
	  { 0xd1c90005, 0x040a0300, END9 }, KEEP, { 0x80000000, 28, 8 }, .where = VGPR, .reg = 5,
	  .want = { 0xfffffff8 }, .n = 1 },
	{ "v_bfe_i32: ... also of a positive number", "gfx90a",
	  { 0xd1c90005, 0x040a0300, END9 }, KEEP, { 0x70000000, 28, 8 }, .where = VGPR, .reg = 5,
	  .want = { 7 }, .n = 1 },

	/* buffer_load_dword v5, v1, s[4:7], s8 offen: the scalar offset takes from a raw buffer's size */
	{ "buffer_load_dword: the last dword in range", "gfx90a",
	  { 0xe0501000, 0x08010501, END9 }, KEEP, { [1] = 4, [5] = 7 }, { AT, 0, 12, 0x20000, 4 },
	  { 1, 2, 3, 4 }, VGPR, 5, { 3 }, 1 },
	{ "buffer_load_dword: behind it by the scalar offset", "gfx90a",
	  { 0xe0501000, 0x08010501, END9 }, KEEP, { [1] = 4, [5] = 7 }, { AT, 0, 12, 0x20000, 8 },
	  { 1, 2, 3, 4 }, VGPR, 5, { 0 }, 1 },
	{ "buffer_load_dword: a scalar offset beyond the size", "gfx90a",
	  { 0xe0501000, 0x08010501, END9 }, KEEP, { [1] = 0, [5] = 7 }, { AT, 0, 8, 0x20000, 12 },
	  { 1, 2, 3, 4 }, VGPR, 5, { 0 }, 1 },
	{ "buffer_load_dword: behind it by the scalar offset", "gfx906",
	  { 0xe0501000, 0x08010501, END9 }, KEEP, { [1] = 4, [5] = 7 }, { AT, 0, 12, 0x20000, 8 },
	  { 1, 2, 3, 4 }, VGPR, 5, { 0 }, 1 },
	{ "buffer_load_dword: behind it by the scalar offset", "gfx942",
	  { 0xe0501000, 0x08010501, END9 }, KEEP, { [1] = 4, [5] = 7 }, { AT, 0, 12, 0x20000, 8 },
	  { 1, 2, 3, 4 }, VGPR, 5, { 0 }, 1 },

	{ "s_max_i32: SCC of equal sources", "gfx90a", { 0x84050706, END9 }, KEEP,
	  .s = { [2] = 5, [3] = 5 }, .where = SCC, .want = { 1 }, .n = 1 },
	{ "s_max_u32: SCC of equal sources", "gfx90a", { 0x84850706, END9 }, KEEP,
	  .s = { [2] = 0x80000000, [3] = 0x80000000 }, .where = SCC, .want = { 1 }, .n = 1 },

	{ "v_lshl_add_u64: by 4", "gfx942", { 0xd2080004, 0x040a0500, END9 }, KEEP,
	  { 0x80000001, 0, 4, 1 }, .where = VGPR, .reg = 4, .want = { 0x14, 9 }, .n = 2 },
	{ "v_lshl_add_u64: by 5, which is by 0", "gfx942", { 0xd2080004, 0x040a0500, END9 }, KEEP,
	  { 0x80000001, 0, 5, 1 }, .where = VGPR, .reg = 4, .want = { 0x80000006, 1 }, .n = 2 },

	/* 2^60 - 2^60 + 1 */
	{ "v_dot2_f32_bf16: products first", "gfx950", { 0xd39a4005, 0x1c0a0300, END9 }, KEEP,
	  { 0x4e804e80, 0xce804e80, 0x3f800000 }, .where = VGPR, .reg = 5, .want = { 0x3f800000 },
	  .n = 1 },
	/* denormals of bfloat16 times 2^126, of halves times 1, and as an addend */
	{ "v_dot2_f32_bf16: denormals are flushed", "gfx950",
	  { 0xd39a4005, 0x1c0a0300, END9 }, KEEP, { 0x00400040, 0x7e807e80, 0x00400000 },
	  .where = VGPR, .reg = 5, .want = { 0 }, .n = 1 },
	{ "v_dot2_f32_f16: denormals are flushed", "gfx90a", { 0xd3a34005, 0x1c0a0300, END9 }, KEEP,
	  { 0x02000001, 0x3c003c00, 0x00400000 }, .where = VGPR, .reg = 5, .want = { 0 }, .n = 1 },
	{ "v_dot2c_f32_f16: denormals are flushed", "gfx942", { 0x6e0a0300, END9 }, KEEP,
	  { 0x02000001, 0x3c003c00, [5] = 0x80400000 }, .where = VGPR, .reg = 5, .want = { 0 },
	  .n = 1 },
	{ "v_dot2_f32_f16: ... of the third source, too", "gfx942",
	  { 0xd3a34005, 0x1c0a0300, END9 }, KEEP, { 0, 0, 0x80400000 }, .where = VGPR, .reg = 5,
	  .want = { 0 }, .n = 1 },
	/* 2^-63 times 2^-64 */
	{ "v_dot2c_f32_bf16: a denormal result, too", "gfx950", { 0x2c0a0300, END9 }, KEEP,
	  { 0x2000, 0x1f80 }, .where = VGPR, .reg = 5, .want = { 0 }, .n = 1 },
	{ "v_dot2_f32_f16: MODE says it before gfx90a", "gfx908", { 0xd3a34005, 0x1c0a0300, END9 },
	  KEEP, { 0x02000000, 0x3c003c00, 0 }, .where = VGPR, .reg = 5, .want = { 0x38000000 },
	  .n = 1 },

	{ "global_atomic_add_f32: gfx11 keeps denormals", "gfx1100",
	  { 0xdd5a0000, 0x007c0200, END11 }, FLUSH, { AT, 0, 2 }, .data = { 1 }, .where = DATA,
	  .want = { 3 }, .n = 1 },

	/* of 8_8_8_8, uint and sint */
	{ "buffer_store_format_x: too large for a byte", "gfx90a",
	  { 0xe0101000, 0x80020001, END9 }, KEEP, { 300 }, { [4] = AT, 0, 64, 0x54fac },
	  .data = { 0x55555555 }, .where = DATA, .want = { 0xff }, .n = 1 },
	{ "buffer_store_format_x: too large for a signed byte", "gfx90a",
	  { 0xe0101000, 0x80020001, END9 }, KEEP, { 200 }, { [4] = AT, 0, 64, 0x55fac },
	  .data = { 0x55555555 }, .where = DATA, .want = { 0x7f }, .n = 1 },
	{ "buffer_store_format_x: too small for a signed byte", "gfx90a",
	  { 0xe0101000, 0x80020001, END9 }, KEEP, { -200u }, { [4] = AT, 0, 64, 0x55fac },
	  .data = { 0x55555555 }, .where = DATA, .want = { 0x80 }, .n = 1 },

	/* of 32_32_32_32 uint, which is 61 in gfx11's numbers; offsets count, not indices */
	{ "buffer_store_format_x: gfx12 gives all the first", "gfx1201",
	  { 0xc401007c, 0x40801000, 0x00000001, END11 }, KEEP, { 7 },
	  { [4] = AT, 0, 64, 0xfac | 61 << 12 | 3u << 28 }, .data = { 1, 2, 3, 4 }, .where = DATA,
	  .want = { 7, 7, 7, 7 }, .n = 4 },
	{ "buffer_store_format_xy: gfx12 gives the rest the first", "gfx1201",
	  { 0xc401407c, 0x40801002, 0x00000001, END11 }, KEEP, { [2] = 7, 9 },
	  { [4] = AT, 0, 64, 0xfac | 61 << 12 | 3u << 28 }, .data = { 1, 2, 3, 4 }, .where = DATA,
	  .want = { 7, 9, 7, 7 }, .n = 4 },

	/* a line of four texels of the same format */
	{ "image_store: gfx12 gives all the first", "gfx1201",
	  { 0xd0418000, 0x00001002, 0x00000000, END11 }, KEEP, { [2] = 7 },
	  { [4] = AT >> 8, 61 << 17 | 3u << 30, 0, 0x80000fac }, .data = { 1, 2, 3, 4 },
	  .where = DATA, .want = { 7, 7, 7, 7 }, .n = 4 },

	/* D16 loads: memory with ECC clears the other half (CDNA 3 ISA, 9.1.6), other keeps it */
	{ "global_load_short_d16: clears with ECC", "gfx908", { 0xdc908000, 0x047f0000, END9 },
	  KEEP, { AT, 0, 0, 0, 0xaaaabbbb }, .data = { 0x12348765 }, .where = VGPR, .reg = 4,
	  .want = { 0x8765 }, .n = 1 },
	{ "global_load_short_d16_hi: clears with ECC", "gfx90a", { 0xdc948000, 0x047f0000, END9 },
	  KEEP, { AT, 0, 0, 0, 0xaaaabbbb }, .data = { 0x12348765 }, .where = VGPR, .reg = 4,
	  .want = { 0x87650000 }, .n = 1 },
	{ "global_load_sbyte_d16: clears with ECC", "gfx942", { 0xdc888000, 0x047f0000, END9 },
	  KEEP, { AT, 0, 0, 0, 0xaaaabbbb }, .data = { 0x12348780 }, .where = VGPR, .reg = 4,
	  .want = { 0xff80 }, .n = 1 },
	{ "ds_read_u16_d16: clears with ECC", "gfx950", { 0xd8b40000, 0x04000002, END9 }, KEEP,
	  { 0, 0, 0, 0, 0xaaaabbbb }, .data = { 0x12348765 }, .where = VGPR, .reg = 4,
	  .want = { 0x8765 }, .n = 1 },
	{ "ds_read_u8_d16_hi: clears with ECC", "gfx90a", { 0xd8ae0000, 0x04000002, END9 }, KEEP,
	  { 0, 0, 0, 0, 0xaaaabbbb }, .data = { 0x12348765 }, .where = VGPR, .reg = 4,
	  .want = { 0x650000 }, .n = 1 },
	{ "global_load_short_d16: keeps without ECC", "gfx906", { 0xdc908000, 0x047f0000, END9 },
	  KEEP, { AT, 0, 0, 0, 0xaaaabbbb }, .data = { 0x12348765 }, .where = VGPR, .reg = 4,
	  .want = { 0xaaaa8765 }, .n = 1 },
	{ "ds_read_u8_d16_hi: keeps without ECC", "gfx906", { 0xd8ae0000, 0x04000002, END9 }, KEEP,
	  { 0, 0, 0, 0, 0xaaaabbbb }, .data = { 0x12348765 }, .where = VGPR, .reg = 4,
	  .want = { 0x65bbbb }, .n = 1 },

	/* hardware's approximations of floats have no denormals, of scalars neither */
	{ "v_s_rcp_f32: denormals are flushed", "gfx1201", { 0xd6840005, 0x00000006, END11 }, KEEP,
	  .s = { [2] = 0x807fffff }, .where = SGPR, .reg = 5, .want = { 0xff800000 }, .n = 1 },
	{ "v_s_rcp_f32: a denormal result, too", "gfx1201", { 0xd6840005, 0x00000006, END11 }, KEEP,
	  .s = { [2] = 0xff7fffff }, .where = SGPR, .reg = 5, .want = { 0x80000000 }, .n = 1 },
	{ "v_s_rsq_f32: denormals are flushed", "gfx1201", { 0xd6860005, 0x00000006, END11 }, KEEP,
	  .s = { [2] = 1 }, .where = SGPR, .reg = 5, .want = { 0x7f800000 }, .n = 1 },
	{ "v_s_sqrt_f32: denormals are flushed", "gfx1201", { 0xd6880005, 0x00000006, END11 }, KEEP,
	  .s = { [2] = 0x807fffff }, .where = SGPR, .reg = 5, .want = { 0x80000000 }, .n = 1 },
	{ "v_s_exp_f32: a denormal result is flushed", "gfx1201", { 0xd6800005, 0x00000006, END11 },
	  KEEP, .s = { [2] = 0xc2fe0000 }, .where = SGPR, .reg = 5, .want = { 0 }, .n = 1 },
	{ "v_s_log_f32: denormals are flushed", "gfx1201", { 0xd6820005, 0x00000006, END11 }, KEEP,
	  .s = { [2] = 1 }, .where = SGPR, .reg = 5, .want = { 0xff800000 }, .n = 1 },

	/* RDNA4 ISA, 7.2.4 */
	{ "v_fma_dx9_zero_f32: denormals are flushed", "gfx1201",
	  { 0xd6090005, 0x040a0300, END11 }, KEEP, { 0x3f800000, 0, 1 }, .where = VGPR, .reg = 5,
	  .want = { 0 }, .n = 1 },
	{ "v_fma_dx9_zero_f32: a denormal factor is 0", "gfx1201",
	  { 0xd6090005, 0x040a0300, END11 }, KEEP, { 0x007fffff, 0x7f800000, 0x40400000 },
	  .where = VGPR, .reg = 5, .want = { 0x40400000 }, .n = 1 },
	{ "v_cubema_f32: denormals are flushed", "gfx1201", { 0xd60f0005, 0x040a0300, END11 },
	  KEEP, { 0, 0, 0x00400000 }, .where = VGPR, .reg = 5, .want = { 0 }, .n = 1 },
	{ "v_cubetc_f32: denormals are flushed", "gfx1201", { 0xd60e0005, 0x040a0300, END11 },
	  KEEP, { 0, 1, 0x3f800000 }, .where = VGPR, .reg = 5, .want = { 0x80000000 }, .n = 1 },
	{ "v_cubema_f32: gfx11 keeps denormals", "gfx1100", { 0xd60f0005, 0x040a0300, END11 },
	  KEEP, { 0, 0, 0x00400000 }, .where = VGPR, .reg = 5, .want = { 0x00800000 }, .n = 1 },

	/* AMD's ISA texts; no other zero has a sign, as others measured on a gfx1200 */
	{ "v_sin_f32: -0 of -0", "gfx1100", { 0x7e0a6b00, END11 }, KEEP, { 0x80000000 },
	  .where = VGPR, .reg = 5, .want = { 0x80000000 }, .n = 1 },
	{ "v_sin_f32: 0 of -1/2", "gfx1100", { 0x7e0a6b00, END11 }, KEEP, { 0xbf000000 },
	  .where = VGPR, .reg = 5, .want = { 0 }, .n = 1 },
	{ "v_sin_f32: 0 of 3/2", "gfx1100", { 0x7e0a6b00, END11 }, KEEP, { 0x3fc00000 },
	  .where = VGPR, .reg = 5, .want = { 0 }, .n = 1 },
	{ "v_sin_f32: 0 of -3, rounding down", "gfx1100", { 0x7e0a6b00, END11 }, KEEP | 10,
	  { 0xc0400000 }, .where = VGPR, .reg = 5, .want = { 0 }, .n = 1 },
	{ "v_sin_f32: -0 of a denormal that MODE flushes", "gfx1100", { 0x7e0a6b00, END11 }, FLUSH,
	  { 0x80000001 }, .where = VGPR, .reg = 5, .want = { 0x80000000 }, .n = 1 },
	{ "v_sin_f16: -0 of -0", "gfx1100", { 0x7e0ac100, END11 }, KEEP, { 0x8000 },
	  .where = VGPR, .reg = 5, .want = { 0x8000 }, .n = 1 },
	{ "v_sin_f16: 0 of -1/2", "gfx1100", { 0x7e0ac100, END11 }, KEEP, { 0xb800 },
	  .where = VGPR, .reg = 5, .want = { 0 }, .n = 1 },

	/* op_sel of encodings of 64 bits (LLVM 22), and where it picks a byte and nothing else */
	{ "v_mul_lo_u16: an upper half", "gfx1030", { 0xd7050805, 0x00020300, END9 }, KEEP,
	  { 0x00070003, 5 }, .where = VGPR, .reg = 5, .want = { 35 }, .n = 1 },
	{ "v_lshlrev_b16: an upper half", "gfx1030", { 0xd7141005, 0x00020300, END9 }, KEEP,
	  { 2, 0x00070003 }, .where = VGPR, .reg = 5, .want = { 28 }, .n = 1 },
	{ "v_lshrrev_b16: an upper half", "gfx1030", { 0xd7071005, 0x00020300, END9 }, KEEP,
	  { 2, 0x80070003 }, .where = VGPR, .reg = 5, .want = { 0x2001 }, .n = 1 },
	{ "v_ashrrev_i16: an upper half", "gfx1030", { 0xd7081005, 0x00020300, END9 }, KEEP,
	  { 2, 0x80070003 }, .where = VGPR, .reg = 5, .want = { 0xe001 }, .n = 1 },
	{ "v_max_u16: an upper half", "gfx1030", { 0xd7090805, 0x00020300, END9 }, KEEP,
	  { 0x80070003, 5 }, .where = VGPR, .reg = 5, .want = { 0x8007 }, .n = 1 },
	{ "v_max_i16: an upper half", "gfx1030", { 0xd70a0805, 0x00020300, END9 }, KEEP,
	  { 0x00070003, 5 }, .where = VGPR, .reg = 5, .want = { 7 }, .n = 1 },
	{ "v_min_u16: an upper half", "gfx1030", { 0xd70b0805, 0x00020300, END9 }, KEEP,
	  { 0x00010009, 5 }, .where = VGPR, .reg = 5, .want = { 1 }, .n = 1 },
	{ "v_min_i16: an upper half", "gfx1030", { 0xd70c0805, 0x00020300, END9 }, KEEP,
	  { 0x80070003, 5 }, .where = VGPR, .reg = 5, .want = { 0x8007 }, .n = 1 },
	{ "v_cvt_f32_fp8: the last byte", "gfx1201", { 0xd5ec1805, 0x00000100, END11 }, KEEP,
	  { 0x38000000 }, .where = VGPR, .reg = 5, .want = { 0x3f800000 }, .n = 1 },
	{ "v_cvt_f32_fp8: no half of a result", "gfx1201", { 0xd5ec5805, 0x00000100, END11 },
	  .where = ILLEGAL },
	{ "v_cvt_sr_fp8_f32: no half of a source", "gfx1201", { 0xd76b0805, 0x00020300, END11 },
	  .where = ILLEGAL },
	{ "v_pk_fmac_f16: DPP of gfx10", "gfx1030", { 0x780a02fa, 0xff00e400, END9 }, KEEP,
	  { 0x40003c00, 0x42004200 }, .where = VGPR, .reg = 5, .want = { 0x46004200 }, .n = 1 },
	{ "v_pk_fmac_f16: DPP of gfx10, but no signs", "gfx1030",
	  { 0x780a02fa, 0xff10e400, END9 }, .where = ILLEGAL },
	{ "v_pk_fmac_f16: no DPP on gfx11", "gfx1100", { 0x780a02fa, 0xff00e400, END11 },
	  .where = ILLEGAL },
	{ "v_cvt_pk_f32_fp8: an upper half in the short form", "gfx1201", { 0x7e08dd80, END11 },
	  KEEP, { 0xb8380000 }, .where = VGPR, .reg = 4, .want = { 0x3f800000, 0xbf800000 },
	  .n = 2 },
};

/* Texts and names that LLVM 22 has and LLVM 19 has not, as the former writes them */
static const struct {
	const char *target;
	u32 words[3];
	const char *text;
} texts[] = {
	{ "gfx1201", { 0xbe805306 }, "s_alloc_vgpr s6" },
	{ "gfx1201", { 0xdb800000, 0x05080403 },
	  "ds_bvh_stack_push4_pop1_rtn_b32 v5, v3, v4, v[8:11]" },
	{ "gfx1201", { 0xdb840000, 0x05080403 },
	  "ds_bvh_stack_push8_pop1_rtn_b32 v5, v3, v4, v[8:15]" },
	{ "gfx1201", { 0xdb880000, 0x05080403 },
	  "ds_bvh_stack_push8_pop2_rtn_b64 v[5:6], v3, v4, v[8:15]" },
	{ "gfx1201", { 0xd5ec1805, 0x00000100 }, "v_cvt_f32_fp8_e64 v5, v0 byte_sel:3" },
	{ "gfx1201", { 0xd76b6005, 0x00020300 }, "v_cvt_sr_fp8_f32 v5, v0, v1 byte_sel:3" },
	{ "gfx1030", { 0xd7050805, 0x00020300 }, "v_mul_lo_u16 v5, v0, v1 op_sel:[1,0,0]" },
	{ "gfx1030", { 0xd7071005, 0x00020300 }, "v_lshrrev_b16 v5, v0, v1 op_sel:[0,1,0]" },
	{ "gfx1030", { 0xd7081005, 0x00020300 }, "v_ashrrev_i16 v5, v0, v1 op_sel:[0,1,0]" },
	{ "gfx1030", { 0xd7141005, 0x00020300 }, "v_lshlrev_b16 v5, v0, v1 op_sel:[0,1,0]" },
	{ "gfx1030", { 0xd7090805, 0x00020300 }, "v_max_u16 v5, v0, v1 op_sel:[1,0,0]" },
	{ "gfx1030", { 0xd70a0805, 0x00020300 }, "v_max_i16 v5, v0, v1 op_sel:[1,0,0]" },
	{ "gfx1030", { 0xd70b0805, 0x00020300 }, "v_min_u16 v5, v0, v1 op_sel:[1,0,0]" },
	{ "gfx1030", { 0xd70c0805, 0x00020300 }, "v_min_i16 v5, v0, v1 op_sel:[1,0,0]" },
	{ "gfx1100", { 0x780a02fa, 0xff00e400 }, "none" },	/* v_pk_fmac_f16 with DPP */
	{ "gfx1100", { 0xd5324805, 0x00020300 }, "v_add_f16_e64 v5, v0, v1 op_sel:[1,0,1]" },
	{ "gfx1100", { 0xd402086a, 0x00020300 },
	  "v_cmp_eq_f16_e64 vcc_lo, v0, v1 op_sel:[1,0,0]" },
	{ "gfx1100", { 0xd402086a, 0x000202fa, 0x00e40001 },
	  "v_cmp_eq_f16_e64_dpp vcc_lo, v1, v1 op_sel:[1,0] quad_perm:[0,0,0,0] row_mask:0x0 "
	  "bank_mask:0x0 fi:1" },
};

static bool text_ok(const char *target, const u32 *words, const char *text)
{
	const struct isa_target *t = isa_target_by_name(target);
	struct isa_insn in;
	char got[256] = "";

	if (isa_decode(t, words, 3, &in) <= 0 || isa_disasm(t, &in, got, sizeof(got)) < 0)
		strcpy(got, "none");
	if (strcmp(got, text))
		printf("# want %s, got %s\n", text, got);
	return !strcmp(got, text);
}

static u32 *vgpr(struct rig *r, u32 n)
{
	return r->vgprs + n * ISA_LANES;
}

static bool told(const struct edge *e, const char *lane, u32 n, u32 got)
{
	if (got != e->want[n])
		printf("# %s: %s: want %08x, got %08x\n", lane, e->what, e->want[n], got);
	return got == e->want[n];
}

static bool check(struct rig *r, const struct edge *e, const char *lane)
{
	u32 n, l, got;

	for (n = 0; n < e->n; n++) {
		for (l = 0; e->where == VGPR && l < ISA_LANES; l++)
			if (!told(e, lane, n, vgpr(r, e->reg + n)[l]))
				return false;
		memcpy(&got, r->mem + RIG_DATA + 4 * n, 4);
		if (e->where == SGPR)
			got = r->w->s[e->reg + n];
		else if (e->where == SCC)
			got = r->w->scc;
		if (e->where != VGPR && !told(e, lane, n, got))
			return false;
	}
	return true;
}

static bool edge_ok(const struct edge *e, const char *lane)
{
	struct rig r;
	u32 n, l;
	bool ok;

	rig_init(&r, e->target, lane, 64);
	rig_load(&r, e->words, 4);
	r.w->mode = e->mode;
	for (n = 0; n < 6; n++)
		for (l = 0; l < ISA_LANES; l++)
			vgpr(&r, n)[l] = e->v[n];
	memcpy(&r.w->s[4], e->s, sizeof(e->s));
	memcpy(r.mem + RIG_DATA, e->data, sizeof(e->data));
	memcpy(r.lds, e->data, sizeof(e->data));
	if (e->where == DATA)		/* one lane, as all have the same address */
		isa_set_exec(r.w, 1);
	ok = rig_run(&r, 10) == (e->where == ILLEGAL ? ISA_STOP_ILLEGAL : ISA_STOP_END);
	if (!ok)
		printf("# %s: %s: stops for %u\n", lane, e->what, r.ex.why);
	ok = ok && check(&r, e, lane);
	rig_fini(&r);
	return ok;
}

/*
 * The other half of the wave, by ds_permute_b32 and ds_bpermute_b32 v4, v0, v2: reached on gfx12
 * (LLVM, supportsWaveWideBPermute()), not before.
 */
static bool permute_ok(const char *target, bool fetch, const char *lane, bool whole)
{
	const u32 words[3] = { fetch ? 0xdacc0000 : 0xdac80000, 0x04000200, END11 };
	struct rig r;
	bool ok;
	u32 l;

	rig_init(&r, target, lane, 64);
	rig_load(&r, words, 3);
	for (l = 0; l < ISA_LANES; l++) {
		vgpr(&r, 0)[l] = 4 * (l ^ 33);
		vgpr(&r, 2)[l] = 100 + l;
	}
	ok = rig_run(&r, 10) == ISA_STOP_END;
	for (l = 0; ok && l < ISA_LANES; l++) {
		u32 want = 100 + (l ^ (whole ? 33 : 1)), got = vgpr(&r, 4)[l];

		ok = got == want;
		if (!ok)
			printf("# %s: lane %u: want %u, got %u\n", lane, l, want, got);
	}
	rig_fini(&r);
	return ok;
}

int main(void)
{
	static const char * const lanes[] = { "sse2", "avx2", "avx512" };
	u32 n, k;

	for (n = 0; n < ARRAY_SIZE(edges); n++) {
		bool ok = true;

		for (k = 0; k < ARRAY_SIZE(lanes); k++)
			ok = (!rig_can(lanes[k]) || edge_ok(&edges[n], lanes[k])) && ok;
		tap_ok(ok, "%s: %s", edges[n].target, edges[n].what);
	}
	for (n = 0; n < ARRAY_SIZE(texts); n++)
		tap_ok(text_ok(texts[n].target, texts[n].words, texts[n].text), "%s: %s",
		       texts[n].target, texts[n].text);
	for (n = 0; n < 2; n++) {
		bool ok = true;

		for (k = 0; k < ARRAY_SIZE(lanes); k++)
			ok = (!rig_can(lanes[k]) ||
			      (permute_ok("gfx1201", n, lanes[k], true) &&
			       permute_ok("gfx1100", n, lanes[k], false))) && ok;
		tap_ok(ok, "ds_%spermute_b32: gfx12 reaches the other half", n ? "b" : "");
	}
	return tap_done();
}
