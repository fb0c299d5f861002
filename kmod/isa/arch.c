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
	.family = ISA_FAMILY_GFX9, .wave_size = 64, .wave_sizes = 64,		\
	.acc_granule = 4, .sgpr_granule = 16, .max_sgprs = 102,			\
	.lds_granule = 512,							\
	.group_ids = ISA_GROUP_IDS_SGPRS,					\
	.rsrc1_vgprs = FIELD(0, 6), .rsrc1_sgprs = FIELD(6, 4),			\
	.tmpring_waves = FIELD(0, 12), .tmpring_size = FIELD(12, 13),		\
	.tmpring_bytes = 1024,							\
	.lds_alloc = FIELD(12, 9),						\
	.msg = { [1] = ISA_MSG_INTERRUPT, [10] = ISA_MSG_GET_DOORBELL }

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
	.vgpr_granule = 4,
	.gpr_alloc = { .vgprs = FIELD(8, 6), .sgprs = FIELD(24, 4) },
	.hwreg = { GFX9_HWREGS },
	.trap = { .ib_sts = 11, .packet = ISA_PACKET_TTMP6 },
	.save = { .vgprs = FIELD(0, 6), .sgprs = FIELD(6, 3), .lds = FIELD(9, 9),
		  .se = FIELD(11, 2) },
};

/*
 * MI100 has eight engines: HIP reads three bits, and so does ROCdbgapi (gfx908_t), which
 * takes a wave to have as many AccVGPRs as VGPRs.
 */
const struct isa_arch isa_arch_gfx908 = {
	.name = "gfx908",
	.features = ISA_ARCH_ACC_FILE,
	GFX9_COMMON, GFX9_HW_ID(3),
	.vgpr_granule = 4,
	.gpr_alloc = { .vgprs = FIELD(8, 6), .sgprs = FIELD(24, 4) },
	.hwreg = { GFX9_HWREGS },
	.trap = { .ib_sts = 11, .packet = ISA_PACKET_TTMP6 },
	.save = { .vgprs = FIELD(0, 6), .sgprs = FIELD(6, 3), .lds = FIELD(9, 9),
		  .se = FIELD(11, 3) },
};

/* MI200 has eight engines in one XCC: HIP reads three bits. */
const struct isa_arch isa_arch_gfx90a = {
	.name = "gfx90a",
	.features = ISA_ARCH_UNIFIED_VGPRS | ISA_ARCH_PACKED_IDS,
	GFX9_COMMON, GFX9_HW_ID(3), UNIFIED_SIZES,
	.hwreg = { GFX9_HWREGS },
	.trap = { .ib_sts = 11, .packet = ISA_PACKET_TTMP6 },
	.save = { .vgprs = FIELD(0, 6), .sgprs = FIELD(6, 3), .lds = FIELD(9, 9),
		  .acc = FIELD(24, 6), .se = FIELD(9, 3) },
};

const struct isa_arch isa_arch_gfx940 = {
	.name = "gfx940",
	.features = ISA_ARCH_UNIFIED_VGPRS | ISA_ARCH_PACKED_IDS | ISA_ARCH_ARCH_SCRATCH,
	GFX9_COMMON, GFX9_HW_ID(2), UNIFIED_SIZES,
	.hwreg = { GFX9_HWREGS, [20] = ISA_HWREG_XCC_ID },
	.trap = { .ib_sts = 13, .packet = ISA_PACKET_TTMP11 },
	.save = { .vgprs = FIELD(0, 6), .sgprs = FIELD(6, 3), .lds = FIELD(9, 9),
		  .acc = FIELD(24, 6), .se = FIELD(9, 2) },
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
};

const struct isa_arch *isa_arch_find(u32 major, u32 minor, u32 step)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(rows); n++)
		if (rows[n].major == major && rows[n].minor == minor && rows[n].step == step)
			return rows[n].arch;
	return NULL;
}

u32 isa_arch_rows(const struct isa_arch *a, u32 rsrc1, u32 rsrc3, u32 *acc_offset)
{
	u32 n = (isa_field_get(a->rsrc1_vgprs, rsrc1) + 1) * a->vgpr_granule, acc = n;

	if (isa_arch_has(a, ISA_ARCH_UNIFIED_VGPRS))
		acc = (isa_field_get(a->rsrc3_acc, rsrc3) + 1) * a->acc_granule;
	*acc_offset = acc < n ? acc : n;
	return isa_arch_has(a, ISA_ARCH_ACC_FILE) ? 2 * n : n;
}
