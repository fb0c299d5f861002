// SPDX-License-Identifier: GPL-2.0-only
/*
 * The soft TLB: a direct-mapped cache of what isa_cu.lookup() answered. It
 * only makes hits cheap; progress never depends on it, because a miss asks
 * lookup() again and uses the answer itself.
 */
#include "isa_int.h"

void isa_tlb_flush(struct isa_tlb *tlb)
{
	memset(tlb, 0, sizeof(*tlb));
}

u8 *isa_translate_slow(struct isa_cu *cu, u64 va, u32 access, u64 *left)
{
	struct isa_xlat *slot = &cu->tlb.e[(va >> ISA_TLB_PAGE_SHIFT) % ISA_TLB_ENTRIES];
	struct isa_xlat x;

	if (!cu->lookup(cu, va, access, &x))
		return NULL;
	*slot = x;
	*left = x.end - va;
	return x.host + (va - x.start);
}
