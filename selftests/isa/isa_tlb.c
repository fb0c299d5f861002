// SPDX-License-Identifier: MIT
/*
 * Streams that lie a power of two apart, as buffers of a program often do, at the same pace: each
 * of their pages is looked up once, so none takes another's entry in the TLB. TAP.
 */
#include <stdlib.h>
#include "rig.h"

#define BASE	0x7f1200000000ull
#define STREAMS	3u
#define VISITS	16u

static u8 host[ISA_PAGE_BYTES];
static u32 lookups;

static bool lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x)
{
	(void)cu, (void)va, (void)access;
	lookups++;
	x->host = host;
	x->access = ISA_R | ISA_W;
	return true;
}

/* Does every access get its own place in the page? */
static bool walk(struct isa_cu *cu, u64 apart, u32 pages)
{
	u32 p, v, s;
	u64 left;

	for (p = 0; p < pages; p++)
		for (v = 0; v < VISITS; v++)
			for (s = 0; s < STREAMS; s++) {
				u64 va = BASE + s * apart + p * ISA_PAGE_BYTES + v * 64;

				if (isa_translate(cu, va, ISA_R, &left) != host + v * 64 ||
				    left != ISA_PAGE_BYTES - v * 64)
					return false;
			}
	return true;
}

int main(void)
{
	struct isa_cu *cu = calloc(1, sizeof(*cu));
	u32 shift;

	if (!cu)
		return 1;
	cu->lookup = lookup;
	for (shift = 21; shift < 38; shift++) {
		const u32 pages = 500;
		bool ok;

		isa_tlb_flush(&cu->tlb);
		lookups = 0;
		ok = walk(cu, 1ull << shift, pages);
		tap_ok(ok && lookups == STREAMS * pages, "%u streams, 2^%u bytes apart: %u lookups",
		       STREAMS, shift, lookups);
	}
	free(cu);
	return tap_done();
}
