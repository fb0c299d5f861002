/* SPDX-License-Identifier: MIT */
/* What the parts of isa_image share: one instruction on one image. */
#ifndef ISA_IMAGE_H
#define ISA_IMAGE_H

#include "ref_image.h"
#include "rig.h"
#include "tables.h"

#define TEX_VA		0x40000000ull
#define V_DATA		0	/* registers of the instruction under test */
#define V_ADDR		20
#define ROWS		64
#define S_IMAGE		8
#define S_SAMPLER	16

/* The instruction that is run; its fields */
struct insn {
	const char *name;
	u32 dmask;
	bool d16, a16, tfe, glc, unrm, nsa, r128, lwe, da;
	u32 dim, nr_addr;
	u32 addr[12];	/* registers of addresses */
};

/* The image's memory, which ends at @tex_limit for the wave; what it was before run() */
extern u8 *tex, *before;
extern u64 tex_pages, tex_limit;
extern struct rig rig;
extern u32 gen;		/* of the target: 9 to 12 */
/* Registers before run() */
extern u32 old[ROWS * ISA_LANES];

u32 rnd(u32 n);
u32 rnd32(void);
void take_memory(u64 bytes);
void put_image(const struct ref_image *m, u32 *d);
void put_sampler(const struct ref_sampler *s, u32 *d);
void random_image(struct ref_image *m);
u32 random_lanes(void);
u64 random_exec(u32 lanes);
void random_addresses(struct insn *i);
void put_address(const struct insn *i, u32 n, u32 lane, u32 v);
void put_coords(const struct insn *i, u32 first, u32 lane, const u32 *c, u32 n);
void start(const struct insn *i, u32 lanes, u64 exec, const u32 *image, const u32 *sampler);
enum isa_stop go(void);
bool others_kept(u64 exec, u32 dwords);

/* isa_image_gfx9.c: likewise */
u32 assemble_gfx9(const struct insn *i, u32 op, u32 *w);
void put_image_gfx9(const struct ref_image *m, u32 *d);
/* The pitch of a tiled image is a multiple of a tile's width. */
void put_tiled_gfx9(u32 mode, u32 log2, u32 width, u32 *d);
bool format_known_gfx9(u32 code);
bool arrays_gfx9(void);

/* isa_image_gfx12.c: the same as assemble() and put_sampler() */
u32 assemble_gfx12(const struct insn *i, u32 op, u32 *w);
void put_sampler_gfx12(const struct ref_sampler *s, u32 *d);
bool linear_places_gfx12(void);

/* isa_image_more.c */
const struct ref_format *format(const char *name);
void plain_image(struct ref_image *m, const char *f);
bool refuses(const struct insn *i, const u32 *image, const u32 *sampler);
void test_more(const char *name);

/* isa_image_atomic.c */
bool atomics(void);

/* isa_image_tiles.c */
bool tiled_places(const char *target);
bool tiled_levels(const char *target);

#endif /* ISA_IMAGE_H */
