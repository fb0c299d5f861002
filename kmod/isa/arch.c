// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generations. Sources: LLVM, AMDGPUUsage ("Kernel Descriptor", "Trap Handler
 * ABI") and SIDefines.h (hwreg and message numbers); CDNA2 ISA 3 (HW_ID,
 * LDS_ALLOC); Linux, cwsr_trap_handler_gfx9.asm (GPR_ALLOC, TTMPs); ROCdbgapi,
 * gfx9_architecture_t::cwsr_record_t (control stack).
 */
#include "arch.h"

#define FIELD(s, n)	{ .shift = (s), .bits = (n) }

/* What all of GFX9 agree on. */
#define GFX9_COMMON								\
	.wave_size = 64, .wave_sizes = 64,					\
	.acc_granule = 4, .sgpr_granule = 16, .max_sgprs = 102,			\
	.group_ids = ISA_GROUP_IDS_SGPRS, .buf_formats = ISA_BUF_FORMATS_GFX9,	\
	.rsrc1_vgprs = FIELD(0, 6), .rsrc1_sgprs = FIELD(6, 4),			\
	.tmpring_waves = FIELD(0, 12), .tmpring_size = FIELD(12, 13),		\
	.tmpring_bytes = 1024,							\
	.lds_alloc = FIELD(12, 9),						\
	.area = { .sgprs = 112, .tail = 64, .xnack = 7, .mode = 9, .redo = 10 },	\
	.msg = { [1] = ISA_MSG_INTERRUPT, [10] = ISA_MSG_GET_DOORBELL }

/* Of the word about a wave in a control stack */
#define GFX9_SAVE_WAVE								\
	.slot = FIELD(0, 9), .scratch = FIELD(15, 1), .last = FIELD(16, 1),	\
	.first = FIELD(17, 1), .states = 1

#define GFX9_HW_ID(se_bits)							\
	.hw_id = { .wave = FIELD(0, 4), .simd = FIELD(4, 2), .cu = FIELD(8, 4),	\
		   .sa = FIELD(12, 1), .se = FIELD(13, se_bits), .group = FIELD(16, 4) }

#define GFX9_HWREGS								\
	[1] = ISA_HWREG_MODE, [2] = ISA_HWREG_STATUS, [3] = ISA_HWREG_TRAPSTS,	\
	[4] = ISA_HWREG_HW_ID, [5] = ISA_HWREG_GPR_ALLOC,			\
	[6] = ISA_HWREG_LDS_ALLOC, [7] = ISA_HWREG_IB_STS,			\
	[15] = ISA_HWREG_SH_MEM_BASES,						\
	[16] = ISA_HWREG_FIRST_LEVEL, [17] = ISA_HWREG_FIRST_LEVEL,		\
	[18] = ISA_HWREG_FIRST_LEVEL, [19] = ISA_HWREG_FIRST_LEVEL

/* Registers in one file: sizes in blocks of 8, where AccVGPRs begin in blocks of 4. */
#define UNIFIED_SIZES								\
	.vgpr_granule = 8, .rsrc3_acc = FIELD(0, 6),				\
	.gpr_alloc = { .vgprs = FIELD(6, 6), .acc = FIELD(12, 6), .sgprs = FIELD(24, 4) }

const struct isa_arch isa_arch_gfx9 = {
	.name = "gfx9",
	GFX9_COMMON, GFX9_HW_ID(2),
	.vgpr_granule = 4, .lds_granule = 512,
	.gpr_alloc = { .vgprs = FIELD(8, 6), .sgprs = FIELD(24, 4) },
	.hwreg = { GFX9_HWREGS },
	.trap = { .ib_sts = 11, .packet = ISA_PACKET_TTMP6, .id = FIELD(16, 8) },
	.save = { .vgprs = FIELD(0, 6), .sgprs = FIELD(6, 3), .lds = FIELD(9, 9),
		  .se = FIELD(11, 2), GFX9_SAVE_WAVE },
};

/*
 * MI100 has eight engines: HIP reads three bits, and so does ROCdbgapi (gfx908_t), which
 * takes a wave to have as many AccVGPRs as VGPRs.
 */
const struct isa_arch isa_arch_gfx908 = {
	.name = "gfx908",
	.features = ISA_ARCH_ACC_FILE,
	GFX9_COMMON, GFX9_HW_ID(3),
	.vgpr_granule = 4, .lds_granule = 512,
	.gpr_alloc = { .vgprs = FIELD(8, 6), .sgprs = FIELD(24, 4) },
	.hwreg = { GFX9_HWREGS },
	.trap = { .ib_sts = 11, .packet = ISA_PACKET_TTMP6, .id = FIELD(16, 8) },
	.save = { .vgprs = FIELD(0, 6), .sgprs = FIELD(6, 3), .lds = FIELD(9, 9),
		  .se = FIELD(11, 3), GFX9_SAVE_WAVE },
};

/* MI200 has eight engines in one XCC: HIP reads three bits. */
const struct isa_arch isa_arch_gfx90a = {
	.name = "gfx90a",
	.features = ISA_ARCH_UNIFIED_VGPRS | ISA_ARCH_PACKED_IDS,
	GFX9_COMMON, GFX9_HW_ID(3), UNIFIED_SIZES,
	.lds_granule = 512,
	.hwreg = { GFX9_HWREGS },
	.trap = { .ib_sts = 11, .packet = ISA_PACKET_TTMP6, .id = FIELD(16, 8) },
	.save = { .vgprs = FIELD(0, 6), .sgprs = FIELD(6, 3), .lds = FIELD(9, 9),
		  .acc = FIELD(24, 6), .se = FIELD(9, 3), GFX9_SAVE_WAVE },
};

const struct isa_arch isa_arch_gfx940 = {
	.name = "gfx940",
	.features = ISA_ARCH_UNIFIED_VGPRS | ISA_ARCH_PACKED_IDS | ISA_ARCH_ARCH_SCRATCH,
	GFX9_COMMON, GFX9_HW_ID(2), UNIFIED_SIZES,
	.lds_granule = 512,
	.hwreg = { GFX9_HWREGS, [20] = ISA_HWREG_XCC_ID },
	.trap = { .ib_sts = 13, .packet = ISA_PACKET_TTMP11, .id = FIELD(16, 8) },
	.save = { .vgprs = FIELD(0, 6), .sgprs = FIELD(6, 3), .lds = FIELD(9, 9),
		  .acc = FIELD(24, 6), .se = FIELD(9, 2), GFX9_SAVE_WAVE },
};

/* 160 KiB of LDS, in units of 320 dwords: LLVM, AMDGPUUsage, GRANULATED_LDS_SIZE. */
const struct isa_arch isa_arch_gfx950 = {
	.name = "gfx950",
	.features = ISA_ARCH_UNIFIED_VGPRS | ISA_ARCH_PACKED_IDS | ISA_ARCH_ARCH_SCRATCH,
	GFX9_COMMON, GFX9_HW_ID(2), UNIFIED_SIZES,
	.lds_granule = 1280,
	.hwreg = { GFX9_HWREGS, [20] = ISA_HWREG_XCC_ID },
	.trap = { .ib_sts = 13, .packet = ISA_PACKET_TTMP11, .id = FIELD(16, 8) },
	.save = { .vgprs = FIELD(0, 6), .sgprs = FIELD(6, 3), .lds = FIELD(9, 9),
		  .acc = FIELD(24, 6), .se = FIELD(9, 2), GFX9_SAVE_WAVE },
};

static const struct {
	u32 major, minor, step;
	const struct isa_arch *arch;
} rows[] = {
	{ 9, 0, 0, &isa_arch_gfx9 },
	{ 9, 0, 6, &isa_arch_gfx9 },
	{ 9, 0, 8, &isa_arch_gfx908 },
	{ 9, 0, 10, &isa_arch_gfx90a },
	{ 9, 4, 2, &isa_arch_gfx940 },
	{ 9, 5, 0, &isa_arch_gfx950 },
	{ 10, 3, 0, &isa_arch_gfx103 },
	{ 11, 0, 0, &isa_arch_gfx11 },
	{ 11, 5, 1, &isa_arch_gfx11 },
	{ 12, 0, 1, &isa_arch_gfx12 },
};

const struct isa_arch *isa_arch_find(u32 major, u32 minor, u32 step)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(rows); n++)
		if (rows[n].major == major && rows[n].minor == minor && rows[n].step == step)
			return rows[n].arch;
	return NULL;
}

u32 isa_arch_rows(const struct isa_arch *a, u32 lanes, u32 rsrc1, u32 rsrc3, u32 *acc_offset)
{
	u32 n = (isa_field_get(a->rsrc1_vgprs, rsrc1) + 1) * isa_arch_vgpr_granule(a, lanes);
	u32 acc = n;

	if (isa_arch_has(a, ISA_ARCH_UNIFIED_VGPRS))
		acc = (isa_field_get(a->rsrc3_acc, rsrc3) + 1) * a->acc_granule;
	*acc_offset = acc < n ? acc : n;
	return isa_arch_has(a, ISA_ARCH_ACC_FILE) ? 2 * n : n;
}
