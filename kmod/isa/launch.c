// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a new wave finds in its registers, where generations differ. Sources: LLVM,
 * AMDGPUUsage, "Initial Kernel Execution State" (on GFX12 ids of the work-group are
 * architected: X in TTMP9, Y and Z in the halves of TTMP7); for TTMPs the Linux trap
 * handler and ROCdbgapi; HW_ID1: RDNA2 and RDNA3 ISA.
 */
#include "isa.h"

#define TTMP11_PACKET	6	/* above the number of the wave */
#define TTMP8_WAVE	25
#define PACKET_MASK	0x1ffffffu

void isa_setup_group(const struct isa_arch *a, struct isa_wave_setup *s, const u32 id[3],
		     const bool wanted[3])
{
	unsigned int i;

	if (a->group_ids == ISA_GROUP_IDS_TTMPS) {
		s->ttmp[9] = id[0];
		s->ttmp[7] = (id[1] & 0xffff) | id[2] << 16;
		return;
	}
	for (i = 0; i < 3; i++)
		if (wanted[i] && s->nsgpr < ARRAY_SIZE(s->sgpr))
			s->sgpr[s->nsgpr++] = id[i];
}

void isa_setup_trap(const struct isa_arch *a, struct isa_wave_setup *s, const u32 id[3],
		    u32 wave, u32 packet)
{
	/*
	 * llvm.amdgcn.wave.id is s_bfe_u32 of TTMP8, 0x50019: five bits from 25 on. That the packet
	 * is below it, no source at hand says.
	 */
	if (a->trap.packet == ISA_PACKET_TTMP8) {
		s->ttmp[8] = (packet & PACKET_MASK) | (wave & 31) << TTMP8_WAVE;
		return;
	}
	memcpy(&s->ttmp[8], id, 3 * sizeof(u32));
	s->ttmp[11] = wave;
	if (a->trap.packet == ISA_PACKET_TTMP11)
		s->ttmp[11] |= (packet & PACKET_MASK) << TTMP11_PACKET | BIT(31);
	else
		s->ttmp[6] = packet & PACKET_MASK;
}

u32 isa_hw_id(const struct isa_arch *a, const struct isa_hw_place *p)
{
	u32 cu = p->cu, simd = p->simd;

	/* A pair of CUs has a number; its SIMDs are counted through. */
	if (isa_arch_has(a, ISA_ARCH_WGP)) {
		simd |= (cu & 1) << 1;
		cu >>= 1;
	}
	return isa_field_put(a->hw_id.wave, p->wave) | isa_field_put(a->hw_id.simd, simd) |
	       isa_field_put(a->hw_id.cu, cu) | isa_field_put(a->hw_id.sa, p->sa) |
	       isa_field_put(a->hw_id.se, p->se) | isa_field_put(a->hw_id.group, p->group);
}
