/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the interpreter: wave layout, decoded instruction, tables.
 *
 * Operand codes (u16) are one numbering for all generations; the decoder brings
 * the fields of an encoding there (struct isa_family). Below 256 a code is a
 * word of isa_wave.s, where there is one:
 *	  0..105  SGPRs; where there are 102, FLAT_SCRATCH and XNACK_MASK are the last
 *	106..107  VCC          108..123 TTMP0..15
 *	124       M0           125      NULL: reads 0, swallows what is written
 *	126..127  EXEC
 *	128..208  integer inline constants     235..239 apertures
 *	240..248  float inline constants       251..253 VCCZ, EXECZ, SCC
 *	255       literal      256..511 VGPR   512..767 AccVGPR
 * GFX9's own numbers are these, but for NULL, which it does not have.
 * Source: CDNA2 ISA, "Scalar operands", "Vector operands".
 */
#ifndef ISA_INT_H
#define ISA_INT_H

#include "isa.h"
#include "generated/isa_ops.h"	/* enum isa_op: ISA_OP_V_ADD_F32, ... */

#define ISA_SRC_FLAT_SCR_LO	102
#define ISA_SRC_XNACK_LO	104
#define ISA_SRC_VCC_LO		106
#define ISA_SRC_VCC_HI		107
#define ISA_SRC_TTMP0		108
#define ISA_SRC_M0		124
#define ISA_SRC_NULL		125
#define ISA_SRC_EXEC_LO		126
#define ISA_SRC_EXEC_HI		127
#define ISA_SRC_INT0		128
#define ISA_SRC_INT_LAST	208
#define ISA_SRC_SHARED_BASE	235
#define ISA_SRC_SHARED_LIMIT	236
#define ISA_SRC_PRIVATE_BASE	237
#define ISA_SRC_PRIVATE_LIMIT	238
#define ISA_SRC_POPS_WAVE_ID	239
#define ISA_SRC_FLOAT0		240
#define ISA_SRC_FLOAT_LAST	248
#define ISA_SRC_VCCZ		251
#define ISA_SRC_EXECZ		252
#define ISA_SRC_SCC		253
#define ISA_SRC_LDS_DIRECT	254
#define ISA_SRC_LITERAL		255
#define ISA_SRC_VGPR0		256
#define ISA_SRC_ACC0		512
#define ISA_SRC_NONE		0xffff
#define ISA_SADDR_OFF		0x7f	/* FLAT family: no scalar address */

#define ISA_SRCS		4	/* sources that there can be; vector ALU: 3 */
#define ISA_INSN_MAX_DWORDS	4	/* of an instruction with its literal */

enum isa_enc {
	ISA_ENC_SOP1, ISA_ENC_SOP2, ISA_ENC_SOPK, ISA_ENC_SOPC, ISA_ENC_SOPP,
	ISA_ENC_SMEM, ISA_ENC_VOP1, ISA_ENC_VOP2, ISA_ENC_VOPC, ISA_ENC_VOP3,
	ISA_ENC_VOP3P, ISA_ENC_DS, ISA_ENC_FLAT, ISA_ENC_GLOBAL,
	ISA_ENC_SCRATCH, ISA_ENC_MUBUF, ISA_ENC_MTBUF, ISA_ENC_MIMG,
	/* gfx10 on */
	ISA_ENC_VIMAGE, ISA_ENC_VSAMPLE, ISA_ENC_VOPDX, ISA_ENC_VOPDY,
	ISA_ENC_VINTERP, ISA_ENC_LDSDIR, ISA_ENC_EXP,
	ISA_ENC_SCALED,		/* what a matrix operation behind its scales is */
	ISA_ENC_COUNT
};

/* struct isa_insn.mods */
#define ISA_MOD_CLAMP	BIT(0)
#define ISA_MOD_SDWA	BIT(1)
#define ISA_MOD_DPP	BIT(2)
#define ISA_MOD_GLC	BIT(3)	/* sc0 on gfx940: return pre-op for atomics */
#define ISA_MOD_SLC	BIT(4)
#define ISA_MOD_SCC	BIT(5)
#define ISA_MOD_LDS	BIT(6)	/* MUBUF/FLAT lds bit */
#define ISA_MOD_OFFEN	BIT(7)
#define ISA_MOD_IDXEN	BIT(8)
#define ISA_MOD_GDS	BIT(9)
#define ISA_MOD_NV	BIT(10)
#define ISA_MOD_SOE	BIT(11)	/* SMEM: SGPR offset enabled */
#define ISA_MOD_IMM	BIT(12)	/* SMEM: immediate offset enabled */
#define ISA_MOD_BOUND	BIT(13)	/* DPP bound_ctrl */
#define ISA_MOD_ACC	BIT(15)	/* memory data in AccVGPRs */
#define ISA_MOD_TFE	ISA_MOD_NV	/* buffers before gfx90a */
/* gfx10 on */
#define ISA_MOD_DLC	BIT(14)	/* memory: device level coherent */
#define ISA_MOD_DPP8	BIT(14)	/* vector ALU: eight selectors in ctl */
#define ISA_MOD_FI	ISA_MOD_GLC	/* DPP: fetches from lanes that are off */
#define ISA_MOD_KEEP	ISA_MOD_SLC	/* vector ALU: a result of 16 bits keeps the other half */

typedef enum isa_stop (*isa_exec_fn)(struct isa_wave *w,
				     const struct isa_insn *i);

/**
 * struct isa_insn - one decoded instruction: what it is
 * @op: enum isa_op, the operation whatever the encoding
 * @enc: enum isa_enc
 * @size: dwords
 * @mods: ISA_MOD_*
 * @dst: first destination operand code
 * @sdst: second (VCC-like carry, VOP3B/VOPC destination), or ISA_SRC_NONE
 * @src: source operand codes. SMEM: sbase, soffset, sdata(store). FLAT family:
 *	addr, saddr, data. DS: addr, data0, data1. MUBUF: vaddr, srsrc, soffset
 *	with dst = vdata.
 * @lit: literal, or the sign-extended simm16/branch distance (dwords)
 * @offset: memory offset; DS: offset0 | offset1 << 8; s_setreg: simm16
 * @neg,@abs: a bit a source; VOP3P: @neg = neg_lo, @abs = neg_hi
 * @omod: output modifier 0..3
 * @opsel: VOP3 op_sel[3:0]; VOP3P: op_sel[2:0] | op_sel_hi[2:0] << 4;
 *	VOP3P-MAI: cbsz | abid << 4 (blgp in @neg; of scaled ones the bytes of the
 *	scales in @abs: op_sel | op_sel_hi << 2)
 * @ctl: DPP: dpp_ctrl | bank_mask << 12 | row_mask << 16;
 *	SDWA: dst_sel | dst_unused << 3 | src0_sel << 8 | src0_sext << 11 |
 *	      src1_sel << 12 | src1_sext << 15;
 *	MTBUF: dfmt | nfmt << 4; from gfx10 on a unified format; V_BITOP3: truth table;
 *	scaled matrix operations: VGPR of A's scales | B's << 16
 * @pair: the second operation of a pair that is issued as one instruction: it has
 *	neither offset nor @ctl. @row is that of the first; the third source of either
 *	is its destination or the literal, of which there is one
 *
 * Literals, of VOP3 too, are in @lit; instructions of up to ISA_INSN_MAX_DWORDS differ
 * in @size alone; NULL is an operand like others, ISA_SRC_NULL. Memory of gfx12: @opsel
 * is temporal hint | scope << 3. Halves of VGPRs in short encodings (true16): @opsel as
 * in VOP3.
 */
struct isa_insn {
	u16 op;
	u8 enc;
	u8 size;
	u16 mods;
	u16 dst, sdst;
	u16 src[ISA_SRCS];
	u16 row;		/* decoder's table row */
	u32 lit;
	union {
		struct {
			s32 offset;
			u32 ctl;
		};
		struct {
			u16 op, dst, src[2];
		} pair;
	};
	u8 neg, abs, omod, opsel;
};

/**
 * struct isa_slot - what the interpreter binds to an instruction; one cache line
 * @in: the instruction, which is what handlers get. It comes first: then the address of
 *	a slot is that of its instruction, and the run loop has nothing to add
 * @taken: how often this branch was taken, for counting
 * @exec: handlers for [0] partial EXEC, [1] EXEC all ones
 * @aux: free for the binder
 * @at: the same, of plain vector ALU operations: see lane_at()
 */
struct isa_slot {
	struct isa_insn in;
	u32 taken;
	isa_exec_fn exec[2];
	union {
		u64 aux;
		u16 at[4];
	};
} __aligned(64);

/* The slot of an instruction that is being bound, or run */
static __always_inline struct isa_slot *isa_slot_of(const struct isa_insn *i)
{
	return (struct isa_slot *)((uintptr_t)i - offsetof(struct isa_slot, in));
}

/* Binds handlers: for partial EXEC, and for EXEC all ones. */
static __always_inline void isa_bind_to(struct isa_insn *i, isa_exec_fn part, isa_exec_fn whole)
{
	struct isa_slot *s = isa_slot_of(i);

	s->exec[0] = part;
	s->exec[1] = whole;
}

/*
 * Mnemonics without encoding suffix (_e32, _e64, _sdwa, _dpp), by
 * enum isa_op; how wide operands are, the row that matched says: isa_insn.row
 */
extern const char *const isa_op_names[];

/**
 * struct isa_wave - a wavefront
 * @s: scalar operand file indexed by operand code 0..255: SGPRs, VCC, M0,
 *	EXEC, and the inline constants, so that a 32-bit scalar source is one
 *	load. Codes 251..253 (VCCZ, EXECZ, SCC) and 255 are not kept here.
 *	s[106..107] is VCC, s[126..127] is EXEC: there is no second copy. NULL
 *	is never written, and so is 0.
 * @v: VGPR rows, v[row * 64 + lane], 64-byte aligned
 * @pc: address of the instruction to run next
 * @scc: 0 or 1
 * @lanes: 32 or 64. Rows have 64 dwords in any case: a wave of 32 lanes is one of 64
 *	whose upper half is off for good, and whose lane masks are one SGPR each
 * @full: 1 if 64 lanes are on; indexes isa_slot.exec
 * @all: the lanes that there are
 * @acc_row: first AccVGPR row; operand 512 + n is row @acc_row + n
 */
struct isa_wave {
	u32 s[256] __aligned(64);
	u32 *v;
	u64 pc;
	u32 scc;
	u32 lanes;
	u32 full;
	u64 all;
	u32 mode, status, trapsts, ib_sts;
	bool record;		/* arithmetic exceptions go into trapsts */
	bool lead;		/* stops at its first wait for memory */
	u32 raised;		/* those of the running instruction */
	u32 rows, max_rows, acc_row, nsgpr;
	struct isa_cu *cu;
	struct isa_wg *wg;
	struct isa_exit *ex;
	u32 shared_base, private_base;
	u64 scratch_base;
	u32 scratch_lane_bytes;
	u32 hw_id, xcc_id;
	u64 redo, redo_pc;	/* lanes of the atomic there that are still to be done */
	u64 line_va;		/* run loop: address of slots[0] */
	const struct isa_slot *slots;	/* of the line being run */
	u64 on_exec;		/* the EXEC that on[] was made of */
	u32 on[ISA_LANES] __aligned(64);	/* lanes on: all ones; narrow variants */
	u32 tmp[8][ISA_LANES] __aligned(64);	/* operand staging rows */
};

/* For what is rare: the run loop and handlers know it from their binding. */
static inline const struct isa_arch *isa_wave_arch(const struct isa_wave *w)
{
	return w->cu->arch ?: isa_target_arch(w->cu->target);
}

/* Rows that registers and save areas count as VGPRs. */
static inline u32 isa_sized_rows(const struct isa_wave *w)
{
	return isa_arch_has(isa_wave_arch(w), ISA_ARCH_ACC_FILE) ? w->acc_row : w->rows;
}

/* EXEC_HI of a wave of 32 lanes is 0. */
static inline u64 isa_exec(const struct isa_wave *w)
{
	return w->s[ISA_SRC_EXEC_LO] | (u64)w->s[ISA_SRC_EXEC_HI] << 32;
}

static inline void isa_set_exec(struct isa_wave *w, u64 exec)
{
	exec &= w->all;
	__builtin_memcpy(w->s + ISA_SRC_EXEC_LO, &exec, sizeof(exec));
	w->full = exec == ~0ull;
}

/* The lane mask in SGPRs from @code on: one of them for 32 lanes, else two. */
static __always_inline u64 isa_lane_mask(const struct isa_wave *w, u32 code)
{
	return (w->s[code] | (u64)w->s[code + 1] << 32) & w->all;
}

static __always_inline void isa_put_lane_mask(struct isa_wave *w, u32 code, u64 v)
{
	/* One store: of two, compilers make a vector first. */
	if (likely(w->lanes == ISA_LANES))
		__builtin_memcpy(w->s + code, &v, sizeof(v));
	else
		w->s[code] = (u32)v;
}

static inline u64 isa_vcc(const struct isa_wave *w)
{
	return isa_lane_mask(w, ISA_SRC_VCC_LO);
}

static inline u32 *isa_row(struct isa_wave *w, u32 row)
{
	return w->v + row * ISA_LANES;
}

/**
 * struct isa_lane_ops - one SIMD build of the vector handlers
 * @name: "sse2", "avx2", "avx512"
 * @cpu: ISA_CPU_* bits it needs
 * @bind: set @exec of a slot for a VALU, DS, FLAT-family or buffer instruction;
 *	false if the operation is not executed by this engine yet
 * @record: run a bound vector ALU instruction, noting its exceptions
 * @enter,@leave: load and restore the host's FP control for a wave's MODE
 */
struct isa_lane_ops {
	const char *name;
	u32 cpu;
	bool (*bind)(const struct isa_target *t, struct isa_slot *s);
	enum isa_stop (*record)(struct isa_wave *w, const struct isa_insn *i);
	void (*enter)(struct isa_wave *w);
	void (*leave)(struct isa_wave *w);
};

/* Internal stops of the run loop, never seen outside. */
#define ISA_STOP_JUMP	((enum isa_stop)0x100)	/* w->pc is the next instruction */
#define ISA_STOP_BRANCH	((enum isa_stop)0x103)	/* i->lit words on from the next */
#define ISA_STOP_AGAIN	((enum isa_stop)0x101)	/* run the same slot again */
#define ISA_STOP_SWITCH	((enum isa_stop)0x102)	/* done; VGPR indexing changed */
#define ISA_STOP_RETRY	((enum isa_stop)0x104)	/* not done, or not for all lanes: later */

/* MODE */
#define ISA_MODE_EXCP_EN	0x7f000u	/* arithmetic exceptions, from bit 12 on */
#define ISA_MODE_EXCP_SHIFT	12
#define ISA_MODE_FP16_OVFL	BIT(23)	/* overflow gives the largest number */
#define ISA_MODE_GPR_IDX_EN	BIT(27)
#define ISA_MODE_VSKIP		BIT(28)
/* Fields that make the run loop look at every instruction. */
#define ISA_MODE_SLOW	(ISA_MODE_EXCP_EN | ISA_MODE_GPR_IDX_EN | ISA_MODE_VSKIP)

/* What MODE says of NaNs: they become 0 if a result is clamped; IEEE */
#define ISA_MODE_DX10_CLAMP	BIT(8)
#define ISA_MODE_IEEE		BIT(9)

/*
 * MODE as the interpreter has it, which for gfx12 is one that does what its waves do. Bits that the
 * generation does not have there would change instructions that know nothing of them.
 */
static inline u32 isa_mode_of(const struct isa_arch *a, u32 mode)
{
	if (isa_arch_has(a, ISA_ARCH_NO_VGPR_INDEX))
		mode &= ~(u32)(ISA_MODE_GPR_IDX_EN | ISA_MODE_VSKIP);
	if (!isa_arch_has(a, ISA_ARCH_TRAP_CTRL))
		return mode;
	return (mode & ~(u32)ISA_MODE_IEEE) | ISA_MODE_DX10_CLAMP;
}

/* STATUS */
#define ISA_STATUS_SCC		0x1u
#define ISA_STATUS_PRIO		0x1eu		/* SPI_PRIO, USER_PRIO */
#define ISA_STATUS_USER_PRIO	0x18u
#define ISA_STATUS_PRIV		0x20u
#define ISA_STATUS_TRAP_EN	0x40u
#define ISA_STATUS_EXECZ	0x200u
#define ISA_STATUS_VCCZ		0x400u
#define ISA_STATUS_IN_TG	0x800u
#define ISA_STATUS_HALT		0x2000u
#define ISA_STATUS_VALID	0x10000u
#define ISA_STATUS_COND_DBG	0x300000u

/* TRAPSTS */
#define ISA_EXCP_INVALID	BIT(0)
#define ISA_EXCP_DENORM		BIT(1)
#define ISA_EXCP_DIV0		BIT(2)
#define ISA_EXCP_OVERFLOW	BIT(3)
#define ISA_EXCP_UNDERFLOW	BIT(4)
#define ISA_EXCP_INEXACT	BIT(5)
#define ISA_EXCP_INT_DIV0	BIT(6)
#define ISA_TRAPSTS_MEM_VIOL	BIT(8)
#define ISA_TRAPSTS_ILLEGAL	BIT(11)
#define ISA_TRAPSTS_XNACK_ERROR	BIT(28)

#define ISA_LDS_MAX		(160u << 10)	/* bytes of LDS that there can be */

/* Address of an instruction of the line being run. */
static inline u64 isa_insn_pc(const struct isa_wave *w, const struct isa_insn *i)
{
	return w->line_va + (u64)(isa_slot_of(i) - w->slots) * 4;
}

/* lane_mat_*.c: bind a matrix operation, whose slot it lies in */
bool isa_mat_bind_sse2(const struct isa_target *t, struct isa_insn *i);
bool isa_mat_bind_avx2(const struct isa_target *t, struct isa_insn *i);
bool isa_mat_bind_avx512(const struct isa_target *t, struct isa_insn *i);

/* decode.c: isa_decode() by @f, for a wave of @lanes */
int isa_decode_as(const struct isa_target *t, const struct isa_family *f, u32 lanes,
		  const u32 *dw, unsigned int n, struct isa_insn *out);

/* run.c: handler of a slot that is not decoded yet */
enum isa_stop isa_exec_decode(struct isa_wave *w, const struct isa_insn *i);

/* lane_index.c: a VOP instruction while MODE.GPR_IDX_EN is set */
enum isa_stop isa_lane_indexed(struct isa_wave *w, const struct isa_insn *i);

/* excp.c */
void isa_excp_record(struct isa_wave *w, const struct isa_insn *i, const u32 *const s[3],
		     u64 lanes);

/* scalar.c: a source that is not, or not all, in the operand file; 64 bits of it */
u64 isa_scalar_special(const struct isa_wave *w, const struct isa_insn *i, u32 code);

/* salu.c, smem.c: the integer side; false if not executed yet */
bool isa_salu_bind(const struct isa_target *t, struct isa_insn *i);
bool isa_smem_bind(const struct isa_target *t, struct isa_insn *i);
/* salu_ctl.c: it waits for what an engine that executes in order has always done */
bool isa_salu_is_wait(unsigned int op);
/* salu.c: on hardware it may wait for a load, of memory or of LDS */
bool isa_salu_is_memory_wait(unsigned int op);
/* salu_sys.c: STATUS with the bits that are kept elsewhere */
u32 isa_wave_status(const struct isa_wave *w);
/* likewise what gfx12 has apart from it, and from TRAPSTS; what it has left of MODE */
u32 isa_wave_state_priv(const struct isa_wave *w);
u32 isa_wave_excp_flag_priv(const struct isa_wave *w);
u32 isa_wave_mode(const struct isa_wave *w);
void isa_wave_put_state_priv(struct isa_wave *w, u32 v);
/* TRAPSTS of EXCP_FLAG_PRIV and EXCP_FLAG_USER */
u32 isa_trapsts_of(u32 priv, u32 user);

/* run.c */
bool isa_bind(const struct isa_lane_ops *lane, const struct isa_target *t,
	      struct isa_slot *s);
/* Whether every vector operand lies in the wave's rows. */
bool isa_rows_ok(const struct isa_wave *w, const struct isa_insn *i);
enum isa_stop isa_exec_illegal(struct isa_wave *w, const struct isa_insn *i);
/* Reports a miss and returns ISA_STOP_MISS; PC stays at the instruction. */
enum isa_stop isa_miss(struct isa_wave *w, u64 va, u32 len, u32 access);
/* The same for an access that no page could make good. */
enum isa_stop isa_memviol(struct isa_wave *w, u64 va, u32 len, u32 access);

/*
 * The entry of a page. Buffers of a program often lie a power of two apart, and it walks through
 * several at the same pace: the upper bits keep such pages out of each other's entry.
 */
static __always_inline u32 isa_tlb_slot(u64 va)
{
	const u64 n = va >> ISA_PAGE_SHIFT;

	return (u32)(n ^ n >> ISA_TLB_SHIFT ^ n >> 2 * ISA_TLB_SHIFT) % ISA_TLB_ENTRIES;
}

/* What isa_translate() finds in the TLB, or NULL */
static __always_inline u8 *isa_tlb_find(const struct isa_cu *cu, u64 va, u32 access, u64 *left)
{
	const u64 page = -ISA_PAGE_BYTES, in = va & ~page;
	const u32 n = isa_tlb_slot(va);

	*left = ISA_PAGE_BYTES - in;
	if (likely((cu->tlb.e[n].tag & (page | access)) == ((va & page) | access)))
		return cu->tlb.e[n].host + in;
	return NULL;
}

/**
 * isa_translate() - GPU address to host pointer, from TLB or lookup()
 * @cu: whose TLB it is
 * @va: GPU address
 * @access: ISA_R or ISA_W or both
 * @left: out: bytes from @va to the end of its page; who may need more asks
 *	isa_within()
 *
 * Return: pointer that is good until isa_wave_run() returns, or NULL.
 */
u8 *isa_translate_slow(struct isa_cu *cu, u64 va, u32 access);

static __always_inline u8 *isa_translate(struct isa_cu *cu, u64 va, u32 access,
					 u64 *left)
{
	u8 *p = isa_tlb_find(cu, va, access, left);

	return likely(p) ? p : isa_translate_slow(cu, va, access);
}

/*
 * Instructions differ in cost by four orders of magnitude. Dear ones say what
 * they cost beyond a cheap one, in the units of ISA_COST_TURN, and go on by what
 * isa_charge() returns: the time between two looks at the clock is bounded.
 */
static __always_inline enum isa_stop isa_charge(struct isa_wave *w, u32 cost)
{
	w->cu->cost += cost;
	return unlikely(w->cu->cost >= ISA_COST_TURN) ? ISA_STOP_BUDGET : ISA_STOP_NONE;
}

#endif /* ISA_INT_H */
