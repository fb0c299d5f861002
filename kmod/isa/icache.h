/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decode cache: lines of decoded instructions, one slot a dword, so that
 * a branch target is an index. Slots are decoded when they are first run.
 *
 * A line belongs to one (address, register allocation): the bounds of vector
 * operands are checked once, at decode, against the rows of the wave. It
 * keeps the words it was decoded from and is compared with memory when it is
 * first entered in a new epoch, so code that was rewritten is decoded anew.
 */
#ifndef ISA_ICACHE_H
#define ISA_ICACHE_H

#include "isa_int.h"

#define ISA_LINE_DWORDS		128
#define ISA_LINE_BYTES		(ISA_LINE_DWORDS * 4)
#define ISA_LINE_CFG_32		BIT(31)	/* of isa_line.cfg: for waves of 32 lanes */
#define ISA_INSN_MAX_SLOTS	(ISA_INSN_MAX_DWORDS + 32)	/* with folded waits */

/**
 * struct isa_line - one line
 * @va: address of its first word; ~0 when empty
 * @epoch: isa_cu.icache_epoch in which it was last compared
 * @cfg: rows, first AccVGPR row and wave size that it was decoded for
 * @words: how many of @raw are valid; those behind the line's end serve
 *	instructions that cross it
 * @counted: @entries and @slot were set up
 * @entries: for counting, by slot: how often the loop began to run there less
 *	how often it left before it; taken branches are counted in their slots
 * @waits: a bit for each instruction behind which a wait for memory was folded
 * @slot: one a dword, and sentinels for instructions that cross the end
 */
struct isa_line {
	u64 va;
	u64 epoch;
	u32 cfg;
	u32 words;
	bool counted;
	u32 raw[ISA_LINE_DWORDS + ISA_INSN_MAX_DWORDS - 1];
	s32 entries[ISA_LINE_DWORDS + ISA_INSN_MAX_SLOTS];
	u32 waits[ISA_LINE_DWORDS / 32];
	struct isa_slot slot[ISA_LINE_DWORDS + ISA_INSN_MAX_DWORDS];
};

struct isa_icache {
	u32 mask;
	struct isa_line line[];
};

static inline struct isa_line *container_of_line(const struct isa_slot *first)
{
	return (struct isa_line *)((char *)(uintptr_t)first -
				   offsetof(struct isa_line, slot));
}

/*
 * Line that holds @va, ready to run, or NULL with *@stop the reason (MISS, with
 * w->ex filled in).
 */
struct isa_line *isa_icache_get(struct isa_wave *w, u64 va, enum isa_stop *stop);

/* Makes words [0, n) of the line valid; false with w->ex a miss. */
bool isa_icache_words(struct isa_wave *w, struct isa_line *l, u32 n);

#endif /* ISA_ICACHE_H */
