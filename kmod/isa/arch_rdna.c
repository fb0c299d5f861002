// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generations of gfx10, gfx11 and gfx12. Sources: LLVM, AMDGPUUsage ("Kernel Descriptor", "Initial
 * Kernel Execution State") and SIDefines.h (hwreg and message numbers); RDNA2 and RDNA3 ISA 3
 * (HW_ID1); Linux, cwsr_trap_handler_gfx10.asm and cwsr_trap_handler_gfx12.asm (GPR_ALLOC,
 * LDS_ALLOC, save area, a trap's number); ROCdbgapi, gfx10_architecture_t and
 * gfx11_architecture_t (control stack, scratch of gfx11).
 */
#include "arch.h"

#define FIELD(s, n)	{ .shift = (s), .bits = (n) }

/* All waves have 106 SGPRs and VCC: descriptors do not count them. */
#define RDNA_COMMON								\
	.wave_size = 32, .wave_sizes = 32 + 64,					\
	.vgpr_granule = 4, .vgpr_granule32 = 8, .acc_granule = 4,		\
	.sgpr_granule = 16, .max_sgprs = 106, .lds_granule = 512,		\
	.rsrc1_vgprs = FIELD(0, 6), .lds_alloc = FIELD(12, 9)

#define RDNA_AREA	.area = { .sgprs = 128, .mode = 8, .scratch = 9, .redo = 11 }

/* The second word about sizes is COMPUTE_RELAUNCH2, of which debuggers read nothing. */
#define RDNA_SAVE(se_bits)							\
	.save = { .vgprs = FIELD(0, 6), .lds = FIELD(10, 8), .wave32 = FIELD(24, 1),	\
		  .slot = FIELD(0, 10), .scratch = FIELD(11, 1), .first = FIELD(12, 1),	\
		  .se = FIELD(24, se_bits), .last = FIELD(29, 1), .states = 2 }

#define RDNA_HWREGS								\
	[1] = ISA_HWREG_MODE, [2] = ISA_HWREG_STATUS, [3] = ISA_HWREG_TRAPSTS,	\
	[5] = ISA_HWREG_GPR_ALLOC, [6] = ISA_HWREG_LDS_ALLOC,			\
	[7] = ISA_HWREG_IB_STS, [15] = ISA_HWREG_SH_MEM_BASES,			\
	[20] = ISA_HWREG_FLAT_SCR_LO, [21] = ISA_HWREG_FLAT_SCR_HI,		\
	[23] = ISA_HWREG_HW_ID, [29] = ISA_HWREG_SHADER_CYCLES

/* HW_ID1: what counts as a compute unit is a work-group processor. */
#define RDNA_HW_ID(se_bits)							\
	.hw_id = { .wave = FIELD(0, 5), .simd = FIELD(8, 2), .cu = FIELD(10, 4),	\
		   .sa = FIELD(16, 1), .se = FIELD(18, se_bits) }

const struct isa_arch isa_arch_gfx103 = {
	.name = "gfx10.3",
	.features = ISA_ARCH_NO_VGPR_INDEX | ISA_ARCH_WGP,
	RDNA_COMMON, RDNA_HW_ID(2), RDNA_SAVE(2), RDNA_AREA,
	.group_ids = ISA_GROUP_IDS_SGPRS,
	.buf_formats = ISA_BUF_FORMATS_GFX10,
	.tmpring_waves = FIELD(0, 12), .tmpring_size = FIELD(12, 13), .tmpring_bytes = 1024,
	.gpr_alloc = { .vgprs = FIELD(8, 6) },
	.hwreg = { RDNA_HWREGS },
	.msg = { [1] = ISA_MSG_INTERRUPT, [10] = ISA_MSG_GET_DOORBELL },
	.trap = { .ib_sts = 11, .packet = ISA_PACKET_TTMP6, .id = FIELD(16, 8) },
};

/* gfx11.5, too. No GET_DOORBELL here: gfx11 asks for it by s_sendmsg_rtn. */
const struct isa_arch isa_arch_gfx11 = {
	.name = "gfx11",
	.features = ISA_ARCH_NO_VGPR_INDEX | ISA_ARCH_PACKED_IDS | ISA_ARCH_ARCH_SCRATCH |
		    ISA_ARCH_WGP | ISA_ARCH_SE_SCRATCH,
	RDNA_COMMON, RDNA_HW_ID(3), RDNA_SAVE(3), RDNA_AREA,
	.group_ids = ISA_GROUP_IDS_SGPRS,
	.buf_formats = ISA_BUF_FORMATS_GFX11,
	.tmpring_waves = FIELD(0, 12), .tmpring_size = FIELD(12, 15), .tmpring_bytes = 256,
	.gpr_alloc = { .vgprs = FIELD(12, 6) },
	.hwreg = { RDNA_HWREGS },
	.msg = { [1] = ISA_MSG_INTERRUPT, [3] = ISA_MSG_DEALLOC_VGPRS },
	.trap = { .ib_sts = 11, .packet = ISA_PACKET_TTMP6, .id = FIELD(16, 8) },
};

/*
 * Registers are numbered as in LLVM, AMDGPUBaseInfo. A save area has what is left of an atomic
 * where the driver's handler has the state of the group's barrier.
 */
const struct isa_arch isa_arch_gfx12 = {
	.name = "gfx12",
	.features = ISA_ARCH_NO_VGPR_INDEX | ISA_ARCH_PACKED_IDS | ISA_ARCH_ARCH_SCRATCH |
		    ISA_ARCH_WGP | ISA_ARCH_SE_SCRATCH | ISA_ARCH_TRAP_CTRL |
		    ISA_ARCH_STORE_FIRST,
	RDNA_COMMON, RDNA_HW_ID(3), RDNA_SAVE(3),
	.group_ids = ISA_GROUP_IDS_TTMPS,
	.buf_formats = ISA_BUF_FORMATS_GFX11,
	.tmpring_waves = FIELD(0, 12), .tmpring_size = FIELD(12, 18), .tmpring_bytes = 256,
	.gpr_alloc = { .vgprs = FIELD(12, 8) },
	.hwreg = {
		[1] = ISA_HWREG_MODE, [2] = ISA_HWREG_STATUS, [4] = ISA_HWREG_STATE_PRIV,
		[5] = ISA_HWREG_GPR_ALLOC, [6] = ISA_HWREG_LDS_ALLOC, [7] = ISA_HWREG_IB_STS,
		[17] = ISA_HWREG_EXCP_FLAG_PRIV, [18] = ISA_HWREG_EXCP_FLAG_USER,
		[19] = ISA_HWREG_TRAP_CTRL, [20] = ISA_HWREG_FLAT_SCR_LO,
		[21] = ISA_HWREG_FLAT_SCR_HI, [23] = ISA_HWREG_HW_ID,
		[29] = ISA_HWREG_SHADER_CYCLES, [30] = ISA_HWREG_SHADER_CYCLES_HI,
	},
	.msg = { [1] = ISA_MSG_INTERRUPT, [3] = ISA_MSG_DEALLOC_VGPRS },
	.trap = { .ib_sts = 11, .packet = ISA_PACKET_TTMP8, .id = FIELD(28, 4) },
	.area = { .sgprs = 128, .mode = 8, .scratch = 9, .redo = 14, .user = 11 },
};
