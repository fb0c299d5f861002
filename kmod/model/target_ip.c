// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hardware blocks of the models: which of them count errors; versions, instances
 * and register bases, as amdgpu shows them in ip_discovery/.
 *
 * MI50 and MI210: what amdgpu's files vega20_ip_discovery.bin and
 * aldebaran_ip_discovery.bin say, which the driver reads since 6.17 because
 * these cards have no such table themselves.
 *
 * MI100: versions as amdgpu_discovery.c sets them, bases of arct_ip_offset.h; the driver
 * reads a file for it, too, arcturus_ip_discovery.bin, which was not at hand. Its SDMA
 * engines are four instances each of two blocks; which are whose is a guess.
 *
 * MI300X has a table, of which no dump is published. Its rows are therefore
 * put together:
 * - versions: the only ones that amdgpu_discovery.c takes for this GPU;
 * - bases: addresses of the register headers (*_offset.h have the address of
 *   each block and the registers' distances from its bases);
 * - instances: 8 XCCs on 4 dies with 4 SDMA engines, an MMHUB, a VCN and 4 UMCs
 *   each, as the driver counts them; the distances between those of XCCs and
 *   SDMA engines are those of gem5's model, which runs the driver on a real
 *   card's table, and those between UMCs are umc_v12_0.h's.
 * Blocks whose version or place the driver does not need (clocks, fuses,
 * thermal, links) are missing there, as are bases that no header gives away.
 *
 * MI355X: the versions that the driver takes for this GPU, which it otherwise handles as an
 * MI300X: four SDMA engines of each two XCCs, UMCs in fours, too. Instances and bases
 * are therefore MI300X's. The version of its data fabric is not known, so DF is missing.
 */

#include "target.h"

/*
 * Blocks whose driver in amdgpu can count errors (query_ras_error_count); on
 * MI300X those with a bank of the accelerator check architecture (aca_info). XGMI
 * counts only in a hive.
 */
const struct gpu_target_ras gpu_ras_mi100 = {
	.counters = BIT(GPU_RAS_UMC) | BIT(GPU_RAS_SDMA) | BIT(GPU_RAS_GFX) |
		    BIT(GPU_RAS_MMHUB) | BIT(GPU_RAS_PCIE_BIF) | BIT(GPU_RAS_HDP),
	.table_version = 0x10000,
};

const struct gpu_target_ras gpu_ras_mi210 = {
	.counters = BIT(GPU_RAS_UMC) | BIT(GPU_RAS_SDMA) | BIT(GPU_RAS_GFX) |
		    BIT(GPU_RAS_MMHUB) | BIT(GPU_RAS_PCIE_BIF) | BIT(GPU_RAS_HDP) |
		    BIT(GPU_RAS_MCA_MP0) | BIT(GPU_RAS_MCA_MP1) | BIT(GPU_RAS_MCA_MPIO),
	.table_version = 0x10000,
};

const struct gpu_target_ras gpu_ras_mi300x = {
	.counters = BIT(GPU_RAS_UMC) | BIT(GPU_RAS_SDMA) | BIT(GPU_RAS_GFX) |
		    BIT(GPU_RAS_MMHUB) | BIT(GPU_RAS_VCN) | BIT(GPU_RAS_JPEG),
	.aca = true,
	.table_version = 0x30000,
};

const struct gpu_target_ras gpu_ras_w6800 = {
	.counters = BIT(GPU_RAS_UMC),
	.table_version = 0x10000,
};

const struct gpu_target_ras gpu_ras_w7900 = {
	.counters = BIT(GPU_RAS_UMC),
	.table_version = 0x21000,
};

#define IP_BASES(...) \
	.num_bases = sizeof((const u32[]){ __VA_ARGS__ }) / sizeof(u32), \
	.base = { __VA_ARGS__ }

/* Instance @inst of a block. */
#define IP_ONE(id, inst, maj, min, rev, ...) \
	{ .hw_id = GPU_HWID_##id, .first = inst, .step = 1, .count = 1, .major = maj, \
	  .minor = min, .revision = rev, IP_BASES(__VA_ARGS__) }

/* @n instances, from @inst in steps of @by, whose bases are @dist apart. */
#define IP_MANY(id, inst, by, n, dist, maj, min, rev, ...) \
	{ .hw_id = GPU_HWID_##id, .first = inst, .step = by, .count = n, .major = maj, \
	  .minor = min, .revision = rev, .stride = dist, IP_BASES(__VA_ARGS__) }

/* The driver keeps no mask of VCNs for MI210, and so takes them all for cut off. */
#define IP_CUT(id, inst, maj, min, rev, ...) \
	{ .hw_id = GPU_HWID_##id, .first = inst, .step = 1, .count = 1, .major = maj, \
	  .minor = min, .revision = rev, .harvest = 1, IP_BASES(__VA_ARGS__) }

static const struct gpu_target_ip rows_mi50[] = {
	IP_ONE(MP1, 0, 11, 0, 2, 0x16000),
	IP_ONE(THM, 0, 11, 0, 2, 0x16600),
	IP_ONE(SMUIO, 0, 11, 0, 2, 0x16800, 0x16a00),
	IP_ONE(CLKA, 0, 11, 0, 2, 0x16c00, 0x16e00, 0x17000, 0x17200, 0x1b000, 0x1b200),
	IP_ONE(GC, 0, 9, 4, 0, 0x2000, 0xa000),
	IP_ONE(UVD, 0, 7, 2, 0, 0x7800, 0x7e00),
	IP_ONE(UVD, 1, 7, 2, 0, 0x0, 0x9000),
	IP_ONE(DCI, 0, 12, 1, 0, 0x12, 0xc0, 0x34c0),
	IP_ONE(VCE, 0, 4, 1, 0, 0x7e00),
	IP_ONE(MMHUB, 0, 9, 4, 0, 0x1a000),
	IP_ONE(ATHUB, 0, 9, 4, 0, 0xc20),
	IP_ONE(OSSSYS, 0, 4, 2, 0, 0x10a0),
	IP_ONE(HDP, 0, 4, 2, 0, 0xf20),
	IP_ONE(SDMA0, 0, 4, 2, 0, 0x1260),
	IP_ONE(SDMA1, 0, 4, 2, 0, 0x1860),
	IP_ONE(DF, 0, 3, 6, 0, 0x7000),
	IP_ONE(NBIF, 0, 7, 4, 0, 0x0, 0x14, 0xd20, 0x10400),
	IP_ONE(UMC, 0, 6, 1, 1, 0x14000),
	IP_ONE(MP0, 0, 11, 0, 2, 0x16000),
};

static const struct gpu_target_ip rows_mi100[] = {
	IP_ONE(MP1, 0, 11, 0, 2, 0x16000),
	IP_ONE(THM, 0, 11, 0, 3, 0x16600),
	IP_ONE(SMUIO, 0, 11, 0, 3, 0x16800, 0x16a00),
	IP_ONE(GC, 0, 9, 4, 1, 0x2000, 0xa000, 0x12160, 0x402c00),
	IP_ONE(UVD, 0, 2, 5, 0, 0x7800, 0x7e00, 0x12180, 0x403000),
	IP_ONE(UVD, 1, 2, 5, 0, 0x7a00, 0x9000, 0x136e0, 0x42dc00),
	IP_ONE(MMHUB, 0, 9, 4, 1, 0x12440, 0x1a000, 0x408800),
	IP_ONE(ATHUB, 0, 9, 4, 1, 0xc20, 0x12460, 0x408c00),
	IP_ONE(OSSSYS, 0, 4, 2, 1, 0x10a0, 0x12500, 0x40a000),
	IP_ONE(HDP, 0, 4, 2, 1, 0xf20, 0x12520, 0x40a400),
	IP_ONE(SDMA0, 0, 4, 2, 2, 0x1260, 0x12540, 0x40a800),
	IP_ONE(SDMA0, 1, 4, 2, 2, 0x1860, 0x12560, 0x40ac00),
	IP_ONE(SDMA0, 2, 4, 2, 2, 0x13760, 0x1e000, 0x42ec00),
	IP_ONE(SDMA0, 3, 4, 2, 2, 0x13780, 0x1e400, 0x42f000),
	IP_ONE(SDMA1, 0, 4, 2, 2, 0x137a0, 0x1e800, 0x42f400),
	IP_ONE(SDMA1, 1, 4, 2, 2, 0x137c0, 0x1ec00, 0x42f800),
	IP_ONE(SDMA1, 2, 4, 2, 2, 0x137e0, 0x1f000, 0x42fc00),
	IP_ONE(SDMA1, 3, 4, 2, 2, 0x13800, 0x1f400, 0x430000),
	IP_ONE(DF, 0, 3, 6, 1, 0x7000, 0x125c0, 0x40b800),
	IP_ONE(NBIF, 0, 7, 4, 1, 0x0, 0x14, 0xd20, 0x10400, 0x12d80, 0x41b000),
	IP_ONE(UMC, 0, 6, 1, 2, 0x132c0, 0x14000, 0x425800),
	IP_ONE(UMC, 1, 6, 1, 2, 0x132e0, 0x54000, 0x425c00),
	IP_ONE(UMC, 2, 6, 1, 2, 0x13300, 0x94000, 0x426000),
	IP_ONE(UMC, 3, 6, 1, 2, 0x13320, 0xd4000, 0x426400),
	IP_ONE(UMC, 4, 6, 1, 2, 0x13340, 0x114000, 0x426800),
	IP_ONE(UMC, 5, 6, 1, 2, 0x13360, 0x154000, 0x426c00),
	IP_ONE(UMC, 6, 6, 1, 2, 0x13380, 0x194000, 0x427000),
	IP_ONE(UMC, 7, 6, 1, 2, 0x133a0, 0x1d4000, 0x427400),
	IP_ONE(MP0, 0, 11, 0, 4, 0x16000),
};

static const struct gpu_target_ip rows_mi210[] = {
	IP_ONE(MP1, 0, 13, 0, 2, 0x16000, 0xdc0000, 0xe00000, 0xe40000, 0x243fc00),
	IP_ONE(THM, 0, 13, 0, 2, 0x16600, 0x2400c00),
	IP_ONE(SMUIO, 0, 13, 0, 2, 0x16800, 0x16a00, 0x2401000, 0x3440000),
	IP_ONE(GC, 0, 9, 4, 2, 0x2000, 0xa000, 0x2402c00),
	IP_CUT(UVD, 0, 2, 6, 0, 0x7800, 0x7e00, 0x2403000),
	IP_CUT(UVD, 1, 2, 6, 0, 0x7a00, 0x9000, 0x2445000),
	IP_ONE(MMHUB, 0, 9, 4, 2, 0x1a000, 0x2408800),
	IP_ONE(ATHUB, 0, 9, 4, 2, 0xc20, 0x2408c00),
	IP_ONE(OSSSYS, 0, 4, 4, 0, 0x10a0, 0x240a000),
	IP_ONE(HDP, 0, 4, 4, 0, 0xf20, 0x240a400),
	IP_ONE(SDMA0, 0, 4, 4, 0, 0x1260, 0x12540, 0x40a800),
	IP_ONE(SDMA0, 1, 4, 4, 0, 0x1860, 0x12560, 0x40ac00),
	IP_ONE(SDMA0, 2, 4, 4, 0, 0x13760, 0x1e000, 0x42ec00),
	IP_ONE(SDMA0, 3, 4, 4, 0, 0x13780, 0x1e400, 0x42f000),
	IP_ONE(SDMA0, 4, 4, 4, 0, 0x137a0, 0x1e800, 0x42f400),
	IP_ONE(DF, 0, 3, 6, 2, 0x7000, 0x240b800, 0x7c00000),
	IP_ONE(NBIF, 0, 7, 4, 4, 0x0, 0x14, 0xd20, 0x10400, 0x241b000, 0x4040000),
	IP_ONE(UMC, 0, 6, 7, 0, 0x14000, 0x54000, 0x2425800),
	IP_ONE(UMC, 1, 6, 7, 0, 0x94000, 0xd4000, 0x2425c00),
	IP_ONE(UMC, 2, 6, 7, 0, 0x114000, 0x154000, 0x2426000),
	IP_ONE(UMC, 3, 6, 7, 0, 0x194000, 0x1d4000, 0x2426400),
	IP_ONE(MP0, 0, 13, 0, 2, 0x16000, 0xdc0000, 0xe00000, 0xe40000, 0x243fc00),
};

#define XCC_DIST	0x10000
#define AID_DIST	0x20000		/* a die has two XCCs */

/*
 * UMCs of other dies lie beyond the 30 bits of an address that the driver shows;
 * so those of all dies look the same.
 */
static const struct gpu_target_ip rows_mi300x[] = {
	IP_ONE(MP1, 0, 13, 0, 6, 0x16000),
	IP_ONE(SMUIO, 0, 13, 0, 3, 0x0, 0x16800, 0x16a00),
	IP_MANY(GC, 0, 1, 8, XCC_DIST, 9, 4, 3, 0x2000, 0xa000),
	IP_MANY(UVD, 0, 1, 4, AID_DIST, 4, 0, 3, 0x7800, 0x7e00),
	IP_MANY(MMHUB, 0, 1, 4, AID_DIST, 1, 8, 0, 0x18000),
	IP_ONE(ATHUB, 0, 1, 8, 0, 0xc20, 0x11800),
	IP_ONE(OSSSYS, 0, 4, 4, 2, 0x10a0),
	IP_ONE(HDP, 0, 4, 4, 2, 0xf20),
	IP_MANY(SDMA0, 0, 4, 4, AID_DIST, 4, 4, 2, 0x1260),
	IP_MANY(SDMA0, 1, 4, 4, AID_DIST, 4, 4, 2, 0x1860),
	IP_MANY(SDMA0, 2, 4, 4, AID_DIST, 4, 4, 2, 0x19400),
	IP_MANY(SDMA0, 3, 4, 4, AID_DIST, 4, 4, 2, 0x19800),
	IP_ONE(DF, 0, 4, 6, 2, 0x7000),
	IP_ONE(NBIF, 0, 7, 9, 0, 0x0, 0x14, 0xd20, 0x10400),
	IP_MANY(UMC, 0, 4, 4, 0, 12, 0, 0, 0x14000, 0x54000),
	IP_MANY(UMC, 1, 4, 4, 0, 12, 0, 0, 0x94000, 0xd4000),
	IP_MANY(UMC, 2, 4, 4, 0, 12, 0, 0, 0x114000, 0x154000),
	IP_MANY(UMC, 3, 4, 4, 0, 12, 0, 0, 0x194000, 0x1d4000),
	IP_ONE(XGMI, 0, 6, 4, 0, 0x0),
	IP_ONE(MP0, 0, 13, 0, 6, 0x16000),
};

static const struct gpu_target_ip rows_mi355x[] = {
	IP_ONE(MP1, 0, 13, 0, 12, 0x16000),
	IP_ONE(SMUIO, 0, 13, 0, 11, 0x0, 0x16800, 0x16a00),
	IP_MANY(GC, 0, 1, 8, XCC_DIST, 9, 5, 0, 0x2000, 0xa000),
	IP_MANY(UVD, 0, 1, 4, AID_DIST, 5, 0, 1, 0x7800, 0x7e00),
	IP_MANY(MMHUB, 0, 1, 4, AID_DIST, 1, 8, 1, 0x18000),
	IP_ONE(ATHUB, 0, 1, 8, 1, 0xc20, 0x11800),
	IP_ONE(OSSSYS, 0, 4, 4, 5, 0x10a0),
	IP_ONE(HDP, 0, 4, 4, 5, 0xf20),
	IP_MANY(SDMA0, 0, 4, 4, AID_DIST, 4, 4, 5, 0x1260),
	IP_MANY(SDMA0, 1, 4, 4, AID_DIST, 4, 4, 5, 0x1860),
	IP_MANY(SDMA0, 2, 4, 4, AID_DIST, 4, 4, 5, 0x19400),
	IP_MANY(SDMA0, 3, 4, 4, AID_DIST, 4, 4, 5, 0x19800),
	IP_ONE(NBIF, 0, 7, 9, 1, 0x0, 0x14, 0xd20, 0x10400),
	IP_MANY(UMC, 0, 4, 4, 0, 12, 5, 0, 0x14000, 0x54000),
	IP_MANY(UMC, 1, 4, 4, 0, 12, 5, 0, 0x94000, 0xd4000),
	IP_MANY(UMC, 2, 4, 4, 0, 12, 5, 0, 0x114000, 0x154000),
	IP_MANY(UMC, 3, 4, 4, 0, 12, 5, 0, 0x194000, 0x1d4000),
	IP_ONE(XGMI, 0, 6, 4, 1, 0x0),
	IP_ONE(MP0, 0, 13, 0, 12, 0x16000),
};

/* Bases of sienna_cichlid_ip_offset.h, versions as amdgpu_discovery.c takes them. */
static const struct gpu_target_ip rows_w6800[] = {
	IP_ONE(MP1, 0, 11, 0, 7, 0x16000, 0xdc0000, 0xe00000, 0xe40000, 0x243fc00),
	IP_ONE(THM, 0, 11, 0, 6, 0x16600, 0x2400c00),
	IP_ONE(SMUIO, 0, 11, 0, 6, 0x16800, 0x16a00, 0x440000, 0x2401000),
	IP_ONE(GC, 0, 10, 3, 0, 0x1260, 0xa000, 0x1c000, 0x2402c00),
	IP_ONE(UVD, 0, 3, 0, 0, 0x7800, 0x7e00, 0x2403000),
	IP_ONE(UVD, 1, 3, 0, 0, 0x7800, 0x7e00, 0x2403000),
	IP_ONE(MMHUB, 0, 2, 1, 0, 0x1a000, 0x2408800),
	IP_ONE(ATHUB, 0, 2, 1, 0, 0xc00, 0x2408c00),
	IP_ONE(OSSSYS, 0, 5, 0, 3, 0x10a0, 0x240a000),
	IP_ONE(HDP, 0, 5, 0, 3, 0xf20, 0x240a400),
	IP_ONE(SDMA0, 0, 5, 2, 0, 0x1260, 0xa000, 0x1c000, 0x2402c00),
	IP_ONE(SDMA1, 0, 5, 2, 0, 0x1260, 0xa000, 0x1c000, 0x2402c00),
	IP_ONE(SDMA2, 0, 5, 2, 0, 0x1260, 0xa000, 0x1c000, 0x2402c00),
	IP_ONE(SDMA3, 0, 5, 2, 0, 0x1260, 0xa000, 0x1c000, 0x2402c00),
	IP_ONE(DF, 0, 3, 7, 2, 0x7000, 0x240b800),
	IP_ONE(NBIF, 0, 3, 3, 0, 0x0, 0x14, 0xd20, 0x10400, 0x241b000),
	IP_ONE(UMC, 0, 8, 7, 0, 0x14000, 0x2425800),
	IP_ONE(MP0, 0, 11, 0, 7, 0x16000, 0xdc0000, 0xe00000, 0xe40000, 0x243fc00),
};

/*
 * W7900's table is not published either. Versions: those that amdgpu_discovery.c takes for
 * Navi 31; bases: addresses of the register headers; GC's further ones and UMC's are Navi 21's.
 * SDMA engines are registers of GC. A UMC is on each of six memory dies.
 */
static const struct gpu_target_ip rows_w7900[] = {
	IP_ONE(MP1, 0, 13, 0, 0, 0x16000),
	IP_ONE(SMUIO, 0, 13, 0, 6, 0x16800, 0x16a00),
	IP_ONE(GC, 0, 11, 0, 0, 0x1260, 0xa000, 0x1c000, 0x2402c00),
	IP_ONE(UVD, 0, 4, 0, 0, 0x7800, 0x7e00),
	IP_ONE(UVD, 1, 4, 0, 0, 0x7800, 0x7e00),
	IP_ONE(MMHUB, 0, 3, 0, 0, 0x1a000),
	IP_ONE(ATHUB, 0, 3, 0, 0, 0xc00),
	IP_ONE(OSSSYS, 0, 6, 0, 0, 0x10a0),
	IP_ONE(HDP, 0, 6, 0, 0, 0xf20),
	IP_ONE(SDMA0, 0, 6, 0, 0, 0x1260, 0xa000, 0x1c000, 0x2402c00),
	IP_ONE(SDMA1, 0, 6, 0, 0, 0x1260, 0xa000, 0x1c000, 0x2402c00),
	IP_ONE(DF, 0, 4, 3, 0, 0x7000),
	IP_ONE(NBIF, 0, 4, 3, 0, 0x0, 0x14, 0xd20, 0x10400),
	IP_MANY(UMC, 0, 1, 6, 0, 8, 10, 0, 0x14000),
	IP_ONE(MP0, 0, 13, 0, 0, 0x16000),
};

/*
 * Strix Halo's table is not published. Versions: those of the firmware that Linux 7.2's driver asks
 * for (gc_11_5_1, sdma_6_1_1, psp_14_0_1, vcn_4_0_6); that they go together is our reading of it.
 * Bases: as W7900's. Blocks of which no version is known are left out.
 */
static const struct gpu_target_ip rows_8060s[] = {
	IP_ONE(MP1, 0, 14, 0, 1, 0x16000),
	IP_ONE(GC, 0, 11, 5, 1, 0x1260, 0xa000, 0x1c000, 0x2402c00),
	IP_ONE(UVD, 0, 4, 0, 6, 0x7800, 0x7e00),
	IP_ONE(SDMA0, 0, 6, 1, 1, 0x1260, 0xa000, 0x1c000, 0x2402c00),
	IP_ONE(MP0, 0, 14, 0, 1, 0x16000),
};

/*
 * RX 9070 XT's table is not published; of an R9700's, with the same chip, GC and SDMA0 are.
 * Versions: of MP0 and MP1 as firmware that Linux 7.2's driver asks for (psp_14_0_3, smu_14_0_3),
 * whose other choice goes with gfx1200's; of DF the first of two; of the rest the only ones that it
 * knows beside gfx12. Bases: addresses of the register headers (mmhub_4_1_0, athub_4_1_0,
 * osssys_7_0_0, hdp_7_0_0, smuio_14_0_2, vcn_5_0_0, gc_12_0_0); those that they do not tell are
 * W7900's. No header has an address of UMCs.
 */
static const struct gpu_target_ip rows_9070xt[] = {
	IP_ONE(MP1, 0, 14, 0, 3, 0x16000),
	IP_ONE(THM, 0, 14, 0, 2, 0x16600),
	IP_ONE(SMUIO, 0, 14, 0, 2, 0x16800, 0x16a00),
	IP_ONE(GC, 0, 12, 0, 1, 0x1260, 0xa000, 0x1c000, 0x2402c00),
	IP_ONE(UVD, 0, 5, 0, 0, 0x7800, 0x7e00),
	IP_ONE(MMHUB, 0, 4, 1, 0, 0x1a000),
	IP_ONE(ATHUB, 0, 4, 1, 0, 0xc00),
	IP_ONE(OSSSYS, 0, 7, 0, 0, 0x10a0),
	IP_ONE(HDP, 0, 7, 0, 0, 0xf20),
	IP_ONE(SDMA0, 0, 7, 0, 1, 0x1260, 0xa000, 0x1c000, 0x2402c00),
	IP_ONE(SDMA1, 0, 7, 0, 1, 0x1260, 0xa000, 0x1c000, 0x2402c00),
	IP_ONE(DF, 0, 4, 15, 0, 0x7000),
	IP_ONE(NBIF, 0, 6, 3, 1, 0x0, 0x14, 0xd20, 0x10400),
	IP_ONE(MP0, 0, 14, 0, 3, 0x16000),
};

const struct gpu_target_ips gpu_ips_mi50 = { rows_mi50, ARRAY_SIZE(rows_mi50) };
const struct gpu_target_ips gpu_ips_mi100 = { rows_mi100, ARRAY_SIZE(rows_mi100) };
const struct gpu_target_ips gpu_ips_mi210 = { rows_mi210, ARRAY_SIZE(rows_mi210) };
const struct gpu_target_ips gpu_ips_mi300x = { rows_mi300x, ARRAY_SIZE(rows_mi300x) };
const struct gpu_target_ips gpu_ips_mi355x = { rows_mi355x, ARRAY_SIZE(rows_mi355x) };
const struct gpu_target_ips gpu_ips_w6800 = { rows_w6800, ARRAY_SIZE(rows_w6800) };
const struct gpu_target_ips gpu_ips_w7900 = { rows_w7900, ARRAY_SIZE(rows_w7900) };
const struct gpu_target_ips gpu_ips_8060s = { rows_8060s, ARRAY_SIZE(rows_8060s) };
const struct gpu_target_ips gpu_ips_9070xt = { rows_9070xt, ARRAY_SIZE(rows_9070xt) };
