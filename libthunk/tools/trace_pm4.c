// SPDX-License-Identifier: MIT
/*
 * PM4 packets that do a recorded dispatch again: its registers, then DISPATCH_DIRECT. Numbers:
 * the kernel's gc_9_4_2_offset.h, soc15d.h and gc_9_4_2_sh_mask.h.
 */
#include "trace.h"

#define SET_SH_REG	0x76u
#define DISPATCH_DIRECT	0x15u
#define INDIRECT_BUFFER	0x3fu
#define HEADER(op, n)	(3u << 30 | ((n) - 2u) << 16 | (op) << 8 | 2u)	/* of compute */

/* Registers, counted from SET_SH_REG's base */
enum {
	START_X = 0x204, NUM_THREAD_X = 0x207, PGM_LO = 0x20c, SCRATCH_LO = 0x210,
	PGM_RSRC1 = 0x212, TMPRING_SIZE = 0x218, PGM_RSRC3 = 0x22d, USER_DATA = 0x240,
};

/* COMPUTE_DISPATCH_INITIATOR */
#define SHADER_EN	(1u << 0)
#define PARTIAL_TG	(1u << 1)	/* the last group of a dimension may have fewer items */
#define CS_W32		(1u << 15)

#define GROUP_MAX	1024u
#define VA_END		(1ull << 47)

static uint32_t *set(uint32_t *to, uint32_t reg, const uint32_t *values, uint32_t n)
{
	*to++ = HEADER(SET_SH_REG, n + 2);
	*to++ = reg;
	while (n--)
		*to++ = *values++;
	return to;
}

static uint32_t *set_address(uint32_t *to, uint32_t reg, uint64_t va)
{
	const uint32_t halves[] = { va >> 8, va >> 40 };

	return set(to, reg, halves, 2);
}

const char *trace_pm4_check(const struct vkfd_capture_dispatch *d,
			    const struct vkfd_capture_pm4 *p)
{
	for (unsigned int i = 0; i < 3; i++) {
		if (!d->grid[i] || !d->group[i] || d->group[i] > GROUP_MAX)
			return "its size makes no sense";
		if ((uint64_t)p->start[i] + (d->grid[i] - 1) / d->group[i] + 1 > UINT32_MAX)
			return "its size makes no sense";
	}
	if (d->pc % 256 || d->pc >= VA_END)
		return "there is no code at such an address";
	if (p->lanes != 32 && p->lanes != 64)
		return "its waves have neither 32 nor 64 lanes";
	if (p->scratch_bytes && (p->scratch < VKFD_CAPTURE_PAGE_BYTES || p->scratch % 256 ||
				 p->scratch >= VA_END || p->scratch_bytes > VA_END - p->scratch))
		return "its private memory is at an address that is none";
	return NULL;
}

unsigned int trace_pm4_packets(const struct vkfd_capture_dispatch *d,
			       const struct vkfd_capture_pm4 *p, uint32_t *packets)
{
	uint32_t *to = packets, threads[3], groups[3];

	for (unsigned int i = 0; i < 3; i++) {
		/* The upper half: items of the last group */
		groups[i] = (d->grid[i] - 1) / d->group[i] + 1;
		threads[i] = d->group[i] | (d->grid[i] - (groups[i] - 1) * d->group[i]) << 16;
		groups[i] += p->start[i];
	}
	to = set(to, START_X, p->start, 3);
	to = set(to, NUM_THREAD_X, threads, 3);
	to = set_address(to, PGM_LO, d->pc);
	to = set_address(to, SCRATCH_LO, p->scratch);
	to = set(to, PGM_RSRC1, p->rsrc, 2);
	to = set(to, PGM_RSRC3, &p->rsrc[2], 1);
	to = set(to, TMPRING_SIZE, &p->tmpring, 1);
	to = set(to, USER_DATA, p->user, 16);
	*to++ = HEADER(DISPATCH_DIRECT, 5);
	for (unsigned int i = 0; i < 3; i++)
		*to++ = groups[i];
	*to++ = SHADER_EN | PARTIAL_TG | (p->lanes == 32 ? CS_W32 : 0);
	return to - packets;
}

/* What ROCr's queues put PM4 packets into: amd_hsa_pm4_ib_packet_t of its amd_hsa_queue code. */
void trace_pm4_buffer(uint8_t packet[64], uint64_t va, unsigned int dwords)
{
	uint32_t *dw = (uint32_t *)packet;

	for (unsigned int i = 0; i < 16; i++)
		dw[i] = 0;
	dw[0] = 1u << 16;		/* a buffer of PM4 packets */
	dw[1] = 3u << 30 | 2u << 16 | INDIRECT_BUFFER << 8;
	dw[2] = va;
	dw[3] = va >> 32;
	dw[4] = dwords | 1u << 23;	/* valid */
	dw[5] = 10;			/* dwords that follow */
}
