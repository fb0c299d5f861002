/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Vector memory of a wave: what the shared integer part (mem*.c) and the SIMD
 * builds (lane_mem*.inc.c, lane_ds*.inc.c, lane_atomic*.inc.c) have in common.
 *
 * A memory instruction runs in three steps. Addresses: a lane's operands
 * become a linear address, an offset in swizzled scratch, or an offset in the
 * LDS. Probe: every byte that any active lane will touch is translated, and
 * the first that is not resident ends the instruction with no effect. Commit:
 * the accesses, lane 0 first. A fast path may fold the steps, never reorder
 * them.
 */
#ifndef ISA_MEM_H
#define ISA_MEM_H

#include "isa_int.h"

enum mem_kind {
	MEM_NONE,
	MEM_LOAD, MEM_STORE,
	MEM_ATOMIC,		/* integer read-modify-write */
	MEM_FATOMIC,		/* needs float arithmetic: lane objects only */
	MEM_FENCE, MEM_NOP,
	MEM_LOAD_LDS,		/* the data go to the LDS */
	MEM_STORE_LDS,		/* ... or come from there */
	MEM_LOAD_FMT, MEM_STORE_FMT,	/* bytes: components */
	DS_READ, DS_READ2, DS_READ2ST64, DS_READ_TID,
	DS_WRITE, DS_WRITE2, DS_WRITE2ST64, DS_WRITE_TID,
	DS_ATOMIC, DS_FATOMIC, DS_XCHG2, DS_XCHG2ST64, DS_CONDXCHG,
	DS_SWIZZLE, DS_PERMUTE, DS_BPERMUTE, DS_BPERMUTE_FI, DS_APPEND, DS_CONSUME,
	DS_SRC2, DS_FSRC2,	/* both operands are in the LDS */
	DS_GWS,			/* aop: enum isa_gws */
	DS_READ_TR,		/* aop: bits of the elements that are transposed */
	MEM_KIND_COUNT
};

/* struct isa_mem_op.flags */
#define MEM_F_SIGNED	BIT(0)	/* sub-dword load: sign-extend */
#define MEM_F_D16	BIT(1)	/* 16-bit half of the register, other half kept or cleared */
#define MEM_F_HI	BIT(2)	/* the upper half */
#define MEM_F_RTN	BIT(3)	/* DS atomic that returns the old value */
#define MEM_F_NEW_FIRST	BIT(4)	/* DS compare-and-swap: what is stored is the first operand */
#define MEM_F_TRANSPOSE	BIT(6)	/* GLOBAL: lanes exchange, see exec_load_tr() */
#define MEM_F_TID	BIT(5)	/* GLOBAL: the number of the lane, in dwords, is the VGPR's part */
#define MEM_F_CLEAR	BIT(7)	/* bound D16 load: the other half is cleared */

enum mem_aop {
	AOP_SWAP, AOP_CMPSWAP, AOP_ADD, AOP_SUB, AOP_RSUB, AOP_SMIN, AOP_UMIN,
	AOP_SMAX, AOP_UMAX, AOP_AND, AOP_OR, AOP_XOR, AOP_INC, AOP_DEC,
	AOP_MSKOR, AOP_WRAP, AOP_CSUB, AOP_COND_SUB,
	AOP_FADD, AOP_FMIN, AOP_FMAX, AOP_FMIN_NUM, AOP_FMAX_NUM, AOP_FCMPSWAP, AOP_PK_ADD_F16,
	AOP_PK_ADD_BF16,
};

/* The integer atomics that vector and scalar memory have by the same names. */
#define ISA_INT_ATOMICS(row)							\
	row(SWAP, AOP_SWAP), row(CMPSWAP, AOP_CMPSWAP),				\
	row(ADD, AOP_ADD), row(SUB, AOP_SUB),					\
	row(SMIN, AOP_SMIN), row(UMIN, AOP_UMIN),				\
	row(SMAX, AOP_SMAX), row(UMAX, AOP_UMAX),				\
	row(AND, AOP_AND), row(OR, AOP_OR), row(XOR, AOP_XOR),			\
	row(INC, AOP_INC), row(DEC, AOP_DEC)

/**
 * struct isa_mem_op - what a memory opcode does, whatever its encoding
 * @kind: enum mem_kind
 * @bytes: size of a lane's element in memory (of one of the two for *2)
 * @flags: MEM_F_*
 * @aop: enum mem_aop
 */
struct isa_mem_op {
	u8 kind, bytes, flags, aop;
};

/* The facts of @op; kind MEM_NONE if it is no memory operation known here. */
struct isa_mem_op isa_mem_op_of(unsigned int op);

/* isa_slot.aux of a bound memory instruction */
static __always_inline struct isa_mem_op mem_op(const struct isa_insn *i)
{
	const u64 aux = isa_slot_of(i)->aux;

	return (struct isa_mem_op){
		.kind = (u8)aux, .bytes = (u8)(aux >> 8),
		.flags = (u8)(aux >> 16), .aop = (u8)(aux >> 24),
	};
}

/*
 * Lane state, laid over the wave's staging rows (isa_wave.tmp), which belong
 * to the running instruction.
 * @va: address of the first byte; swizzled lanes: of the lane's column;
 *	LDS lanes: offset in the LDS
 * @host: where it is, NULL if the bytes are not contiguous in host memory
 * @off: swizzled lanes: byte offset in the lane's own space
 * @valid: bytes in range; the rest reads 0 and is not written
 */
struct mem_lanes {
	u64 va[ISA_LANES];
	u8 *host[ISA_LANES];
	u32 off[ISA_LANES];
	u8 valid[ISA_LANES];
} __attribute__((__may_alias__));

/**
 * struct mem_req - addresses of one instruction
 * @lanes: active lanes
 * @swz: lanes with swizzled addresses (4-byte elements, @step apart)
 * @lds: lanes that address the LDS
 */
struct mem_req {
	struct mem_lanes *l;
	u64 lanes, swz, lds;
	u32 step;
};

/*
 * What is out of range, as OOB_SELECT says it from gfx10 on. Source: Mesa,
 * ac_gpu_info and ac_descriptors (V_008F0C_OOB_SELECT_*).
 */
enum mem_oob {
	MEM_OOB_GFX9,		/* by stride and idxen: mem.c */
	MEM_OOB_STRUCTURED_OFFSET,	/* the index, or the offset in what it names */
	MEM_OOB_STRUCTURED,	/* the index */
	MEM_OOB_EMPTY,		/* all if there are no records, else nothing */
	MEM_OOB_RAW,		/* the offset */
};

/* Buffer resource (V#) of GFX9. Source: Vega ISA, "Buffer Resource Descriptor". */
struct mem_vsharp {
	u64 base;
	u32 stride, records;
	u32 index_stride;
	bool swizzle, add_tid;
};

void isa_mem_vsharp(const struct isa_wave *w, const struct isa_insn *i,
		    struct mem_vsharp *v);

/*
 * Row of a register operand, NULL if the wave has not that many rows: code
 * may name any register whatever the descriptor allocated.
 */
static __always_inline u32 *mem_rows(struct isa_wave *w, u32 code, u32 n)
{
	u32 row = code >= ISA_SRC_ACC0 ? code - ISA_SRC_ACC0 + w->acc_row :
					 code - ISA_SRC_VGPR0;

	if (unlikely(row + n > w->rows || row >= w->rows))
		return NULL;
	return w->v + row * ISA_LANES;
}

static __always_inline bool mem_has_saddr(const struct isa_insn *i)
{
	return i->src[1] < ISA_SRC_EXEC_HI;	/* 127 is "off" */
}

static __always_inline u64 mem_s64(const struct isa_wave *w, u32 code)
{
	return w->s[code & 255] | (u64)w->s[(code + 1) & 255] << 32;
}

/* isa_slot.aux: scratch is where the launch said, not where FLAT_SCRATCH says */
#define MEM_AUX_ARCH_SCRATCH	BIT_ULL(32)
/* isa_slot.aux: gfx10 on: V#s of their own */
#define MEM_AUX_RDNA		BIT_ULL(34)
/* isa_slot.aux: gfx10, gfx11: halves of 64 lanes exchange nothing by the LDS */
#define MEM_AUX_HALVES		BIT_ULL(35)
/* isa_slot.aux: float adds in memory keep denormals */
#define MEM_AUX_KEEP_DENORM	BIT_ULL(33)

/*
 * Address of this wave's scratch: lane l's dword d is at + d * 256 + l * 4.
 * Before gfx940 the kernel's prologue puts it into FLAT_SCRATCH.
 */
static __always_inline u64 mem_scratch_base(const struct isa_wave *w,
					    const struct isa_insn *i)
{
	return isa_slot_of(i)->aux & MEM_AUX_ARCH_SCRATCH ? w->scratch_base :
					       mem_s64(w, ISA_SRC_FLAT_SCR_LO);
}

/* Bits set; the compiler's builtin may call a library that a kernel has not. */
static __always_inline u32 mem_popcount(u64 v)
{
	v -= v >> 1 & 0x5555555555555555ull;
	v = (v & 0x3333333333333333ull) + (v >> 2 & 0x3333333333333333ull);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (u32)(v * 0x0101010101010101ull >> 56);
}

/* mem.c */
enum isa_stop isa_mem_addr(struct isa_wave *w, const struct isa_insn *i,
			   u32 bytes, struct mem_req *r);
enum isa_stop isa_mem_probe(struct isa_wave *w, struct mem_req *r, u32 bytes,
			    u32 access, bool aligned);
void isa_mem_get(struct isa_wave *w, struct mem_req *r, unsigned int lane,
		 void *buf, u32 bytes);
void isa_mem_put(struct isa_wave *w, struct mem_req *r, unsigned int lane,
		 const void *buf, u32 bytes);
enum isa_stop isa_mem_exec_load(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop isa_mem_exec_store(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop isa_mem_exec_fence(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop isa_mem_exec_nop(struct isa_wave *w, const struct isa_insn *i);
/* The handler of an operation that has none but the general form, or NULL. */
isa_exec_fn isa_mem_general(const struct isa_insn *i);

/* mem_lds.c: between memory and the LDS */
void isa_mem_to_lds(struct isa_wave *w, const struct isa_insn *i, unsigned int lane,
		    const u32 *v, u32 bytes);
enum isa_stop isa_mem_exec_load_lds(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop isa_mem_exec_store_lds(struct isa_wave *w, const struct isa_insn *i);

/* mem_fmt.c: formatted buffer access */
enum isa_stop isa_mem_exec_load_fmt(struct isa_wave *w, const struct isa_insn *i);
enum isa_stop isa_mem_exec_store_fmt(struct isa_wave *w, const struct isa_insn *i);

/* What an instruction costs that goes lane by lane: see ISA_COST_TURN. */
#define MEM_LANES_COST	24

/* How often an atomic may lose against others before the wave's turn ends. */
#define ISA_RMW_TRIES	64u

/* mem_atomic.c */
u64 isa_mem_alu(u32 aop, u32 bytes, u64 old, u64 data, u64 data2);
bool isa_mem_rmw(u8 *p, u32 aop, u32 bytes, u64 data, u64 data2, u64 *old, u32 *tries);
enum isa_stop isa_mem_retry(struct isa_wave *w, const struct isa_insn *i, u64 lanes);
enum isa_stop isa_mem_done(struct isa_wave *w, const struct isa_insn *i, u32 tries);
enum isa_stop isa_mem_exec_atomic(struct isa_wave *w, const struct isa_insn *i);

/* The two addresses of a DS_*_SRC2 lane. */
void isa_ds_src2(const struct isa_insn *i, u32 addr, u32 *a, u32 *b);

/* mem_ds.c: the generic form of DS, one handler a kind */
isa_exec_fn isa_ds_handler(u32 kind);

/* Sub-dword forms of a loaded value and of one to store. */
static __always_inline u32 mem_extend(u32 flags, u32 bytes, u32 raw, u32 old)
{
	u32 v = raw;

	if (bytes == 1)
		v = flags & MEM_F_SIGNED ? (u32)(s32)(s8)raw : (u8)raw;
	else if (bytes == 2)
		v = flags & MEM_F_SIGNED ? (u32)(s32)(s16)raw : (u16)raw;
	if (!(flags & MEM_F_D16))
		return v;
	if (flags & MEM_F_CLEAR)
		old = 0;
	return flags & MEM_F_HI ? (old & 0xffff) | v << 16 :
				  (old & 0xffff0000) | (v & 0xffff);
}

#endif /* ISA_MEM_H */
