// SPDX-License-Identifier: GPL-2.0-only
#include "icache.h"

size_t isa_icache_bytes(unsigned int lines)
{
	return sizeof(struct isa_icache) + (size_t)lines * sizeof(struct isa_line);
}

/* @lines is a power of two; @mem is 64-byte aligned. */
struct isa_icache *isa_icache_init(void *mem, unsigned int lines)
{
	struct isa_icache *ic = mem;

	u32 n;

	ic->mask = lines - 1;
	for (n = 0; n < lines; n++)
		ic->line[n].counted = false;
	isa_icache_flush(ic);
	return ic;
}

void isa_icache_flush(struct isa_icache *ic)
{
	u32 n;

	for (n = 0; n <= ic->mask; n++)
		ic->line[n].va = ~0ull;
}

/* Copies @n words from @va on; they may cross a page. */
static bool fetch(struct isa_wave *w, u64 va, u32 *dst, u32 n)
{
	while (n) {
		u64 left;
		u8 *p = isa_translate(w->cu, va, ISA_X, &left);
		u32 k;

		if (!p) {
			isa_miss(w, va, 4, ISA_X);
			return false;
		}
		k = left / 4 < n ? (u32)(left / 4) : n;
		if (!k)
			return false;
		memcpy(dst, p, k * 4);
		dst += k;
		va += k * 4;
		n -= k;
	}
	return true;
}

/* Sentinels: running off the end of a line is a jump to the next one. */
static enum isa_stop exec_line_end(struct isa_wave *w, const struct isa_insn *i)
{
	w->pc = isa_insn_pc(w, i);
	return ISA_STOP_JUMP;
}

/*
 * The loop notes only where runs of instructions began and ended, and which branches
 * were taken. How often each instruction of a line ran follows from that.
 */
static void line_count(const struct isa_line *l, u64 *count)
{
	s32 into[ISA_LINE_DWORDS + ISA_INSN_MAX_SLOTS];
	s64 ran = 0;
	u32 n;

	memcpy(into, l->entries, sizeof(into));
	for (n = 0; n < ISA_LINE_DWORDS; n++) {
		const struct isa_slot *s = &l->slot[n];
		s64 target = (s64)n + 1 + (s32)s->in.lit;

		if (!s->taken)
			continue;
		into[n + s->in.size % ISA_INSN_MAX_SLOTS] -= (s32)s->taken;
		if (target >= 0 && target < ISA_LINE_DWORDS)
			into[target] += (s32)s->taken;
	}
	for (n = 0; n < ISA_LINE_DWORDS; n++) {
		const struct isa_insn *i = &l->slot[n].in;

		ran += into[n];
		if (ran > 0 && i->size && i->op < ISA_OP_COUNT)
			count[i->op] += (u64)ran;
	}
}

void isa_icache_count(const struct isa_cu *cu, u64 *count)
{
	u32 n;

	for (n = 0; n < ISA_OP_COUNT; n++)
		count[n] += cu->insn_count ? READ_ONCE(cu->insn_count[n]) : 0;
	for (n = 0; n <= cu->icache->mask; n++)
		if (cu->icache->line[n].counted)
			line_count(&cu->icache->line[n], count);
}

/* Adds what the line counted to @count, if that is not NULL. */
static void reset_slots(struct isa_line *l, u64 *count)
{
	u32 n;

	if (count)
		line_count(l, count);
	memset(l->entries, 0, sizeof(l->entries));
	memset(l->waits, 0, sizeof(l->waits));
	for (n = 0; n < ARRAY_SIZE(l->slot); n++) {
		struct isa_slot *s = &l->slot[n];

		isa_bind_to(&s->in, n < ISA_LINE_DWORDS ? isa_exec_decode : exec_line_end,
			    n < ISA_LINE_DWORDS ? isa_exec_decode : exec_line_end);
		s->in.size = 0;
		s->taken = 0;
	}
}

bool isa_icache_words(struct isa_wave *w, struct isa_line *l, u32 n)
{
	if (n <= l->words)
		return true;
	if (!fetch(w, l->va + l->words * 4, l->raw + l->words, n - l->words))
		return false;
	l->words = n;
	return true;
}

/* Compares a line with memory; a difference empties its slots. */
static bool refresh(struct isa_wave *w, struct isa_line *l, bool keep)
{
	u32 raw[ARRAY_SIZE(l->raw)];
	u32 words = keep ? l->words : ISA_LINE_DWORDS;
	u64 left;

	/* An instruction that crosses into the next line keeps words of that line. */
	if (!isa_translate(w->cu, l->va, ISA_X, &left)) {
		isa_miss(w, l->va, 4, ISA_X);
		return false;
	}
	if (words > ISA_LINE_DWORDS &&
	    !isa_translate(w->cu, l->va + ISA_LINE_BYTES, ISA_X, &left)) {
		words = ISA_LINE_DWORDS;
		keep = false;
	}
	if (!fetch(w, l->va, raw, words))
		return false;
	if (!keep || memcmp(raw, l->raw, words * 4)) {
		memcpy(l->raw, raw, ISA_LINE_BYTES);
		l->words = ISA_LINE_DWORDS;
		reset_slots(l, l->counted ? w->cu->insn_count : NULL);
		l->counted = true;
	}
	l->epoch = w->cu->icache_epoch;
	return true;
}

struct isa_line *isa_icache_get(struct isa_wave *w, u64 va, enum isa_stop *stop)
{
	struct isa_icache *ic = w->cu->icache;
	u64 base = va & ~(u64)(ISA_LINE_BYTES - 1);
	struct isa_line *l = &ic->line[(base / ISA_LINE_BYTES) & ic->mask];
	u32 cfg = w->rows | w->acc_row << 16 | (w->lanes == ISA_LANES ? 0 : ISA_LINE_CFG_32);
	bool keep = l->va == base && l->cfg == cfg;

	if (likely(keep && l->epoch == w->cu->icache_epoch))
		return l;
	if (!keep) {
		l->va = base;
		l->cfg = cfg;
		l->words = 0;
	}
	if (!refresh(w, l, keep)) {
		l->va = ~0ull;
		*stop = ISA_STOP_MISS;
		return NULL;
	}
	return l;
}
