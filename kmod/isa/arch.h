/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the waves of a generation are, beside the encoding of their instructions:
 * one const row a generation (arch.c). The interpreter, the packet processors and
 * the virtual GPU read it; a GPU model names its row (model/target.c). Code asks
 * for a value or a feature, never for a name or a version.
 */
#ifndef ISA_ARCH_H
#define ISA_ARCH_H

#include "isa_env.h"

/* isa_arch.features */
#define ISA_ARCH_UNIFIED_VGPRS	BIT(0)	/* AccVGPRs lie behind the VGPRs, in one file */
#define ISA_ARCH_PACKED_IDS	BIT(1)	/* work-item ids in one VGPR, 10 bits each */
#define ISA_ARCH_ARCH_SCRATCH	BIT(2)	/* hardware knows where a wave's scratch is */
#define ISA_ARCH_ACC_FILE	BIT(3)	/* a file of AccVGPRs, as large as the VGPRs' */
#define ISA_ARCH_NO_VGPR_INDEX	BIT(4)	/* MODE neither indexes VGPRs nor skips instructions */
#define ISA_ARCH_WGP		BIT(5)	/* CUs are in pairs; a work-group may use both of one */
#define ISA_ARCH_SE_SCRATCH	BIT(6)	/* waves of TMPRING_SIZE are those of a shader engine */
/*
 * What is enabled of exceptions is a register of its own, as is what has happened; MODE says
 * nothing of NaNs: where it would, they become 0 if a result is clamped, and IEEE is off.
 */
#define ISA_ARCH_TRAP_CTRL	BIT(7)
/*
 * Formatted stores, also of images, give the first component to those that no register has; before
 * gfx12 these are 0 (LLVM, FeatureDefaultComponentBroadcast and FeatureDefaultComponentZero).
 */
#define ISA_ARCH_STORE_FIRST	BIT(8)

/* A field of a register: @bits wide, 0 if there is none. */
struct isa_field {
	u8 shift, bits;
};

static inline u32 isa_field_get(struct isa_field f, u32 word)
{
	return word >> f.shift & (u32)((1ull << f.bits) - 1);
}

/* @v in its place; what does not fit is cut off. */
static inline u32 isa_field_put(struct isa_field f, u32 v)
{
	return (v & (u32)((1ull << f.bits) - 1)) << f.shift;
}

/* What s_getreg_b32 and s_setreg_b32 reach; a generation numbers them as it likes. */
enum isa_hwreg {
	ISA_HWREG_NONE,
	ISA_HWREG_MODE,
	ISA_HWREG_STATUS,
	ISA_HWREG_TRAPSTS,
	ISA_HWREG_HW_ID,
	ISA_HWREG_GPR_ALLOC,
	ISA_HWREG_LDS_ALLOC,
	ISA_HWREG_IB_STS,
	ISA_HWREG_SH_MEM_BASES,
	ISA_HWREG_FIRST_LEVEL,	/* the first-level trap handler's, which is not code here */
	ISA_HWREG_XCC_ID,
	ISA_HWREG_FLAT_SCR_LO,	/* scratch of the wave: gfx10, gfx11 */
	ISA_HWREG_FLAT_SCR_HI,
	ISA_HWREG_SHADER_CYCLES,
	ISA_HWREG_SHADER_CYCLES_HI,	/* gfx12, as the rest */
	ISA_HWREG_STATE_PRIV,
	ISA_HWREG_EXCP_FLAG_PRIV,
	ISA_HWREG_EXCP_FLAG_USER,
	ISA_HWREG_TRAP_CTRL,
	ISA_HWREG_COUNT
};

#define ISA_HWREG_IDS	64

/* Messages of s_sendmsg that mean something to compute. */
enum isa_msg {
	ISA_MSG_NONE,
	ISA_MSG_INTERRUPT,
	ISA_MSG_GET_DOORBELL,
	ISA_MSG_DEALLOC_VGPRS,	/* the wave is about to end, and needs none any more */
};

#define ISA_MSG_IDS	16

/* How the format of a buffer's elements is numbered: format.h */
enum isa_buf_formats {
	ISA_BUF_FORMATS_NONE,
	ISA_BUF_FORMATS_GFX9,
	ISA_BUF_FORMATS_GFX10,
	ISA_BUF_FORMATS_GFX11,
};

/* Where a new wave finds the ids of its work-group. */
enum isa_group_ids {
	ISA_GROUP_IDS_SGPRS,	/* in SGPRs behind the user's, those that are asked for */
	ISA_GROUP_IDS_TTMPS,	/* in TTMP9 and TTMP7, always */
};

/* Where a trap handler finds which packet of the ring its wave is of. */
enum isa_packet_ttmp {
	ISA_PACKET_TTMP6,	/* alone */
	ISA_PACKET_TTMP11,	/* above the wave's number */
	ISA_PACKET_TTMP8,	/* below it */
};

/**
 * struct isa_arch - a generation
 * @name: for reports
 * @features: ISA_ARCH_*
 * @wave_size: lanes that a SIMD is built for, by which its registers are counted
 * @wave_sizes: sizes that it can choose, a sum of 32 and 64
 * @vgpr_granule,@acc_granule: registers that a wave gets at a time; RSRC registers,
 *	GPR_ALLOC and save areas count by it. @vgpr_granule32: a wave of 32 lanes, if it
 *	gets others
 * @sgpr_granule,@max_sgprs: of SGPRs
 * @lds_granule: bytes of LDS that a work-group gets at a time, likewise
 * @group_ids: enum isa_group_ids
 * @buf_formats: enum isa_buf_formats; NONE: formatted access is refused
 * @rsrc1_vgprs,@rsrc1_sgprs,@rsrc3_acc: sizes in COMPUTE_PGM_RSRC1 and 3. SGPRs
 *	are counted in halves of @sgpr_granule
 * @tmpring_waves,@tmpring_size: COMPUTE_TMPRING_SIZE
 * @tmpring_bytes: unit of @tmpring_size
 * @hw_id: HW_ID: wave of its SIMD, SIMD, compute unit, shader array, shader engine,
 *	work-group
 * @gpr_alloc: GPR_ALLOC: VGPRs, first AccVGPR, SGPRs; all less 1
 * @lds_alloc: LDS_ALLOC: size
 * @hwreg: enum isa_hwreg by number
 * @msg: enum isa_msg by number
 * @trap: entry of a trap handler: @ib_sts: the TTMP that IB_STS is saved in;
 *	@packet: enum isa_packet_ttmp; @id: of TTMP1, the trap's number
 * @save: words of a control stack. @states: of them are about sizes, the first of which has
 *	@vgprs,@acc,@sgprs (less 1),@lds, with @wave32, set if waves have 32 lanes; that of a
 *	wave has @se: shader engine, @slot: of scratch, @scratch: it has one, @first,@last:
 *	wave of its work-group
 * @area: a wave in a save area. @sgprs: dwords for SGPRs; @tail: unused bytes at its end;
 *	@xnack,@mode,@scratch,@redo: dwords of hardware registers, 0: not there; @user: those
 *	of EXCP_FLAG_USER, TRAP_CTRL and STATUS
 */
struct isa_arch {
	const char *name;
	u32 features;
	u8 wave_size, wave_sizes;
	u8 vgpr_granule, vgpr_granule32, acc_granule;
	u8 sgpr_granule, max_sgprs;
	u16 lds_granule;
	u8 group_ids;
	u8 buf_formats;
	struct isa_field rsrc1_vgprs, rsrc1_sgprs, rsrc3_acc;
	struct isa_field tmpring_waves, tmpring_size;
	u16 tmpring_bytes;
	struct {
		struct isa_field wave, simd, cu, sa, se, group;
	} hw_id;
	struct {
		struct isa_field vgprs, acc, sgprs;
	} gpr_alloc;
	struct isa_field lds_alloc;
	u8 hwreg[ISA_HWREG_IDS];
	u8 msg[ISA_MSG_IDS];
	struct {
		u8 ib_sts;
		u8 packet;
		struct isa_field id;
	} trap;
	struct {
		struct isa_field vgprs, acc, sgprs, lds, wave32, se;
		struct isa_field slot, scratch, first, last;
		u8 states;
	} save;
	struct {
		u8 sgprs, tail;
		u8 xnack, mode, scratch, redo, user;
	} area;
};

/* arch_rdna.c */
extern const struct isa_arch isa_arch_gfx103, isa_arch_gfx11, isa_arch_gfx12;

/* gfx900 and gfx906, gfx908, gfx90a, gfx942, gfx950 */
extern const struct isa_arch isa_arch_gfx9, isa_arch_gfx908, isa_arch_gfx90a, isa_arch_gfx940,
	isa_arch_gfx950;

/* The row of a version, NULL if there is none. */
const struct isa_arch *isa_arch_find(u32 major, u32 minor, u32 step);

/*
 * Rows of VGPRs and AccVGPRs that a kernel asks for in COMPUTE_PGM_RSRC1 and 3, for waves
 * of @lanes.
 */
u32 isa_arch_rows(const struct isa_arch *a, u32 lanes, u32 rsrc1, u32 rsrc3, u32 *acc_offset);

/* VGPRs that a wave of @lanes gets at a time */
static inline u32 isa_arch_vgpr_granule(const struct isa_arch *a, u32 lanes)
{
	return lanes == 32 && a->vgpr_granule32 ? a->vgpr_granule32 : a->vgpr_granule;
}

static inline bool isa_arch_has(const struct isa_arch *a, u32 feature)
{
	return a->features & feature;
}

/* Units of @granule that @n take. */
static inline u32 isa_arch_units(u32 n, u32 granule)
{
	return (n + granule - 1) / granule;
}

#endif /* ISA_ARCH_H */
