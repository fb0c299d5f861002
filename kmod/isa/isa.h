/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interpreter core: decode, disassemble, run one wavefront.
 *
 * The core is pure: it allocates nothing, never sleeps and knows neither the
 * kernel nor a process. Its world is a translation callback that must answer
 * at once from what is already resident; what is not resident ends the run
 * with ISA_STOP_MISS, the runner makes it resident and runs the wave again
 * (the same instruction restarts: memory instructions probe every lane before
 * they touch anything).
 *
 * Execution: a compute-unit worker owns one struct isa_cu (TLB, decode cache,
 * lane variant). Waves of a work-group share a struct isa_wg (LDS) and are
 * run in turns on that one worker, so LDS and s_barrier need no atomics.
 */
#ifndef ISA_H
#define ISA_H

#include "arch.h"

#define ISA_LANES		64
#define ISA_MAX_ROWS		512	/* ArchVGPR + AccVGPR of a wave, gfx90a on */
#define ISA_PAGE_SHIFT		12
#define ISA_PAGE_BYTES		(1ull << ISA_PAGE_SHIFT)

/* Access bits of translations. */
#define ISA_R	1u
#define ISA_W	2u
#define ISA_X	4u

enum isa_stop {
	ISA_STOP_NONE,		/* internal: go on with the next instruction */
	ISA_STOP_BUDGET,	/* budget or time used up; info: 1 if the wave yields its turn */
	ISA_STOP_END,		/* s_endpgm */
	ISA_STOP_BARRIER,	/* s_barrier and kin: info as barrier.h has it, PC is behind it */
	ISA_STOP_MISS,		/* va/len/access not resident; PC at the insn */
	ISA_STOP_MSG,		/* s_sendmsg: PC behind it; info: isa_wave_msg() */
	ISA_STOP_TRAP,		/* s_trap: info = trap id, PC at the insn */
	ISA_STOP_ILLEGAL,	/* undefined or not executed yet, PC at the insn */
	ISA_STOP_MEMVIOL,	/* misaligned atomic, aperture violation: va */
	ISA_STOP_HALT,		/* s_sethalt, s_sendmsghalt */
	ISA_STOP_GWS,		/* info = enum isa_gws | resource << 8, va = operand; PC behind */
	ISA_STOP_EXCP,		/* arithmetic exception enabled in MODE: info =
				 * TRAPSTS bits that this instruction set, PC behind
				 */
};

/* Global wave sync: what the runner has to do for a wave. */
enum isa_gws {
	ISA_GWS_INIT,		/* counter := operand */
	ISA_GWS_SEMA_V,		/* counter += 1 */
	ISA_GWS_SEMA_BR,	/* counter += operand */
	ISA_GWS_SEMA_P,		/* wait until counter > 0, counter -= 1 */
	ISA_GWS_RELEASE_ALL,	/* let all go that wait in SEMA_P */
	ISA_GWS_BARRIER,	/* wait for as many others as the counter says; the
				 * last one sets it to the operand
				 */
};

#define ISA_GWS_RESOURCES	64

struct isa_cu;
struct isa_insn;
struct isa_target;
struct isa_wave;

/**
 * struct isa_exit - why isa_wave_run() came back
 * @why: the reason
 * @info: trap id, message, GWS operation, exceptions, or for ILLEGAL the instruction's first dword
 * @va: MISS, MEMVIOL: first byte that could not be reached
 * @len: MISS: bytes from @va (never crosses a page)
 * @access: MISS: ISA_R, ISA_W, ISA_X
 * @name: ILLEGAL: mnemonic of a decoded but not executed opcode, NULL if the
 *	word is no instruction of this target
 * @insns: wave-instructions retired by this call
 * @cost: what they cost, in cheap instructions: @insns and more for dear ones.
 *	A call ends when dear ones have cost ISA_COST_TURN.
 */
struct isa_exit {
	enum isa_stop why;
	u32 info;
	u64 va;
	u32 len;
	u32 access;
	const char *name;
	u32 insns, cost;
};

/*
 * The most that dear instructions may cost in one call of isa_wave_run(). A unit is
 * what a cheap vector instruction takes at most, some 60 ns.
 */
#define ISA_COST_TURN	512u

/**
 * struct isa_page - a resident page of GPU memory
 * @host: where its first byte is in host memory
 * @access: what is allowed, ISA_R | ISA_W | ISA_X
 */
struct isa_page {
	u8 *host;
	u32 access;
};

#define ISA_TLB_SHIFT	9
#define ISA_TLB_ENTRIES	(1u << ISA_TLB_SHIFT)
#define ISA_MAT_DWORDS	6656	/* of struct isa_cu: what lane_mat.inc.c needs */

/**
 * struct isa_tlb - soft TLB of one worker, a cache of isa_cu.lookup() answers
 * @e: direct-mapped by page (isa_tlb_slot()); @tag: the page's address and what is allowed
 *
 * A hit that a CPU only guesses ends in the page of @host, which is one that the
 * VM has, or NULL: an entry of another VM, or of pages that have been taken away,
 * is zeroed before code runs (isa_tlb_flush()).
 */
struct isa_tlb {
	struct {
		u64 tag;
		u8 *host;
	} e[ISA_TLB_ENTRIES];
};

/**
 * struct isa_cu - engine state of one compute-unit worker
 * @target: what is being executed
 * @arch: its generation; NULL: isa_target_arch()
 * @family: how instructions are encoded; NULL: isa_target_family()
 * @lane: SIMD variant in use
 * @icache: decoded code, memory from the caller (isa_icache_init())
 * @icache_epoch: bumped by the caller at dispatch start and by s_icache_inv;
 *	a line older than this is compared with memory before it is used
 * @lookup: non-sleeping translation of @va's page; false if that is not
 *	resident with @access
 * @clock: 100 MHz constant counter (s_memrealtime; s_memtime scales it)
 * @priv: the runner's
 * @insn_count: optional: where counts of executed instructions go when a line of
 *	code leaves the decode cache (isa_op_count() entries); see
 *	isa_icache_count()
 * @cost: of dear instructions in this call of isa_wave_run()
 * @mat: operands of the matrix operation being run, unpacked
 */
struct isa_cu {
	const struct isa_target *target;
	const struct isa_arch *arch;
	const struct isa_family *family;
	const struct isa_lane_ops *lane;
	struct isa_icache *icache;
	u64 icache_epoch;
	bool (*lookup)(struct isa_cu *cu, u64 va, u32 access, struct isa_page *page);
	u64 (*clock)(struct isa_cu *cu);
	void *priv;
	u64 *insn_count;
	u32 cost;
	struct isa_tlb tlb;
	u32 mat[ISA_MAT_DWORDS] __aligned(64);
};

/**
 * struct isa_wg - what the waves of a work-group share
 * @lds: LDS backing, @lds_bytes long (+ 64 bytes of slack for vector code)
 * @lds_bytes: size that range checks use
 */
struct isa_wg {
	u8 *lds;
	u32 lds_bytes;
};

/* Host CPU features, from the port side (cpuid or boot_cpu_has). */
#define ISA_CPU_AVX2	BIT(0)	/* AVX2 + FMA + F16C */
#define ISA_CPU_AVX512	BIT(1)	/* F, VL, DQ, BW */
#define ISA_CPU_TCG	BIT(2)	/* emulated CPU: wide vectors are slower */

/* decode.c, targets.c */
const struct isa_target *isa_target_find(u32 major, u32 minor, u32 step);
const struct isa_target *isa_target_by_name(const char *name);
/* Target @n of the tables, NULL behind the last. */
const struct isa_target *isa_target_get(size_t n);
const char *isa_target_name(const struct isa_target *t);
const struct isa_arch *isa_target_arch(const struct isa_target *t);

/**
 * isa_decode() - decode one instruction
 * @t: target
 * @dw: instruction words
 * @n: words available at @dw
 * @out: result; only complete when the return value is positive
 *
 * Return: length in dwords (1..4), 0 if @n is too small to tell, -EINVAL if
 * the words are no instruction of @t.
 */
int isa_decode(const struct isa_target *t, const u32 *dw, unsigned int n,
	       struct isa_insn *out);
/* disasm.c: text as llvm-mc prints it */
int isa_disasm(const struct isa_target *t, const struct isa_insn *in,
	       char *buf, size_t len);

/* icache.c */
size_t isa_icache_bytes(unsigned int lines);
struct isa_icache *isa_icache_init(void *mem, unsigned int lines);
void isa_icache_flush(struct isa_icache *ic);
/*
 * Adds to @count (isa_op_count() entries) how often each opcode ran on @cu.
 * Waits and nops that were folded into the instruction before them are not
 * counted. May be called while the worker runs; then it is no snapshot.
 */
void isa_icache_count(const struct isa_cu *cu, u64 *count);

/* tlb.c */
void isa_tlb_flush(struct isa_tlb *tlb);

/* wave.c */
size_t isa_wave_bytes(void);
struct isa_wave *isa_wave_init(void *mem, u32 *vgprs, unsigned int rows);
/* From its next instruction on it runs on @cu. */
void isa_wave_move(struct isa_wave *w, struct isa_cu *cu);
void isa_wave_reset(struct isa_wave *w, struct isa_cu *cu, struct isa_wg *wg,
		    u64 pc, u64 exec);
/*
 * The same for a wave of the grid that the one before it was of: it finds in SGPRs what that has
 * left there, as on hardware.
 */
void isa_wave_again(struct isa_wave *w, struct isa_cu *cu, struct isa_wg *wg, u64 pc, u64 exec);

/**
 * struct isa_wave_setup - launch state of a wave besides PC and EXEC
 * @mode: MODE register (FP_ROUND, FP_DENORM, DX10_CLAMP, IEEE, EXCP_EN)
 * @lanes: 32; 64 or 0: 64
 * @rows: VGPR rows allocated to it (Arch + Acc)
 * @acc_offset: first AccVGPR row
 * @sgprs: SGPRs allocated (reads beyond give 0)
 * @nsgpr: how many of @sgpr to load from s0 on
 * @sgpr: user and system SGPRs in their final order
 * @shared_base: high dword of the LDS aperture (SRC_SHARED_BASE)
 * @private_base: high dword of the scratch aperture
 * @scratch_base: GPU address of this wave's scratch (flat aperture accesses
 *	to the private aperture add this; swizzled by lane, see mem code)
 * @scratch_lane_bytes: private segment bytes per lane
 * @hw_id: HW_ID register
 * @xcc_id: XCC_ID register (gfx940 on)
 * @ids: components of work-item ids in v0.. (1: X, 2: XY, 3: XYZ)
 * @packed_ids: gfx90a on: all three in v0, 10 bits each
 * @first_item: linear index in the work-group of lane 0
 * @size: work-group size, to split the linear index
 * @ttmp: trap temporaries that tell a trap handler about the wave
 * @keep_rows: VGPRs need not be cleared: a wave of the same grid had them before
 */
struct isa_wave_setup {
	u32 mode;
	u32 lanes;
	u32 rows, acc_offset, sgprs;
	u32 nsgpr;
	u32 sgpr[32];
	u32 shared_base, private_base;
	u64 scratch_base;
	u32 scratch_lane_bytes;
	u32 hw_id, xcc_id;
	u32 ids;
	bool packed_ids;
	u32 first_item;
	u16 size[3];
	u32 ttmp[16];
	bool keep_rows;
};

void isa_wave_setup(struct isa_wave *w, const struct isa_wave_setup *s);

/* launch.c: parts of a setup that differ between generations */
/* Ids of the work-group; @wanted: those that the kernel asks for in SGPRs. */
void isa_setup_group(const struct isa_arch *a, struct isa_wave_setup *s, const u32 id[3],
		     const bool wanted[3]);
/*
 * TTMPs that tell a trap handler about its wave: the work-group, @wave's number in
 * it, the @packet's place in the ring.
 */
void isa_setup_trap(const struct isa_arch *a, struct isa_wave_setup *s, const u32 id[3],
		    u32 wave, u32 packet);
/* Where a wave runs; @group: the number that its compute unit knows the work-group by. */
struct isa_hw_place {
	u32 wave, simd, cu, sa, se, group;
};

u32 isa_hw_id(const struct isa_arch *a, const struct isa_hw_place *p);

u64 isa_wave_pc(const struct isa_wave *w);

/**
 * isa_wave_trap() - make a stopped wave enter a trap handler
 * @w: the wave
 * @ex: why it stopped: TRAP, ILLEGAL, MEMVIOL, EXCP
 * @tba,@tma: the handler, and what it finds in TTMP14 and 15
 *
 * The state is that of the second-level handler: what hardware and the
 * first-level one do has been done. Nothing happens if the wave is in a
 * handler, or halted.
 *
 * Return: false if it was not done.
 */
bool isa_wave_trap(struct isa_wave *w, const struct isa_exit *ex, u64 tba, u64 tma);
/* The wave is in a trap handler: a message is the driver's. */
bool isa_wave_in_trap(const struct isa_wave *w);
/* A wave that stopped at s_trap goes on behind it. */
void isa_wave_skip_trap(struct isa_wave *w);
/* M0 of a stopped wave: the data of a message. */
u32 isa_wave_m0(const struct isa_wave *w);
/* What message ISA_STOP_MSG's @info is. */
enum isa_msg isa_wave_msg(const struct isa_wave *w, u32 info);
/*
 * The answer to MSG_GET_DOORBELL: EXEC_LO, bit 31 clear; to that of s_sendmsg_rtn: the SGPR that
 * ISA_STOP_MSG's @info names.
 */
void isa_wave_doorbell(struct isa_wave *w, u32 info, u32 doorbell);
/*
 * The wave has the lead (barrier.h) until its first wait for memory, where isa_wave_run() returns
 * ISA_STOP_BUDGET with info, or until its runner says that this is over.
 */
void isa_wave_lead(struct isa_wave *w, bool lead);
bool isa_wave_leads(const struct isa_wave *w);
/* After ISA_STOP_BARRIER with ISA_BARRIER_FIRST: what the wave asked for */
void isa_wave_set_scc(struct isa_wave *w, bool scc);
/* state.c: a wave in a context save area; see there */
#define ISA_SAVED_SGPRS	112
#define ISA_SAVED_TTMPS	16
struct isa_saved {	/* what follows the VGPR rows, before the LDS */
	u32 sgpr[ISA_SAVED_SGPRS];
	/* isa_saved_gap() bytes on */
	u32 hwreg[16], ttmp[ISA_SAVED_TTMPS];
};

/* The VGPRs, ISA_LANES dwords each; isa_saved_row_bytes() of each are saved. */
u32 *isa_wave_rows(struct isa_wave *w);
u32 isa_saved_row_bytes(const struct isa_wave *w);
u32 isa_saved_rows_bytes(const struct isa_wave *w);
/* Unused bytes of the area behind the SGPRs */
u32 isa_saved_gap(const struct isa_wave *w);
/* All of it; the @first wave of a work-group brings the LDS. */
u32 isa_saved_bytes(const struct isa_wave *w, bool first);
void isa_wave_save(const struct isa_wave *w, struct isa_saved *s);
void isa_wave_load(struct isa_wave *w, const struct isa_saved *s);
bool isa_wave_halted(const struct isa_wave *w);
/* What a wave has besides, that neither its launch nor its save area gives back */
struct isa_kept {
	u32 status, ib_sts, record;
};

void isa_wave_keep(const struct isa_wave *w, struct isa_kept *k);
/* Before isa_wave_load(). Any value will do. */
void isa_wave_take(struct isa_wave *w, const struct isa_kept *k);
/*
 * Words of a control stack: isa_relaunch_states() about sizes, of which the first is
 * isa_relaunch_state() and others are 0, and one about a wave; @slot: of scratch, -1: none
 */
u32 isa_relaunch_states(const struct isa_wave *w);
u32 isa_relaunch_state(const struct isa_wave *w);
u32 isa_relaunch_wave(const struct isa_wave *w, u32 se, s32 slot, bool first, bool last);
/* Dump of registers for debugfs and error reports: returns bytes written. */
int isa_wave_dump(const struct isa_wave *w, char *buf, size_t len);

/**
 * isa_wave_run() - run a wave until it stops
 * @w: the wave
 * @budget: instructions at most
 * @ex: out: the reason and its details
 *
 * In the kernel the caller brackets this with kernel_fpu_begin()/end() and is
 * inside the VM section that isa_cu.lookup() answers from. MXCSR is set from
 * the wave's MODE on entry and restored on return.
 */
enum isa_stop isa_wave_run(struct isa_wave *w, unsigned int budget,
			   struct isa_exit *ex);

/* lane_*.c */
extern const struct isa_lane_ops isa_lane_sse2, isa_lane_avx2, isa_lane_avx512;
const struct isa_lane_ops *isa_lane_pick(u32 cpu);	/* ISA_CPU_* */
const struct isa_lane_ops *isa_lane_by_name(const char *name, u32 cpu);
const char *isa_lane_name(const struct isa_lane_ops *ops);

/* targets.c: names for reports */
const char *isa_op_name(unsigned int op);
unsigned int isa_op_count(void);

#endif /* ISA_H */
