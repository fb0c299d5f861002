// SPDX-License-Identifier: GPL-2.0-only
/*
 * The soft TLB: a direct-mapped cache of what isa_cu.lookup() answered. It
 * only makes hits cheap; progress never depends on it, because a miss asks
 * lookup() again and uses the answer itself.
 */
#include "isa_int.h"

#define MISS_COST	4	/* see ISA_COST_TURN */

void isa_tlb_flush(struct isa_tlb *tlb)
{
	memset(tlb, 0, sizeof(*tlb));
}

u8 *isa_translate_slow(struct isa_cu *cu, u64 va, u32 access)
{
	const u32 n = isa_tlb_slot(va);
	struct isa_page page;

	cu->cost += MISS_COST;
	if (!cu->lookup(cu, va, access, &page))
		return NULL;
	cu->tlb.e[n].tag = (va & -ISA_PAGE_BYTES) | page.access;
	cu->tlb.e[n].host = page.host;
	return page.host + (va & (ISA_PAGE_BYTES - 1));
}
