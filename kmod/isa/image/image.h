/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Images: what a descriptor says, where a texel lies, what it holds, and how several become one.
 *
 * desc.c makes one neutral form of the descriptors of all generations. layout.c and texel.c know
 * nothing but that form. exec.c has the instructions that name a texel, sample.c those that name a
 * place between texels; blend.c is the only file with floating point.
 *
 * All texels that an instruction reads are translated and read before it writes a register. All
 * that it writes are translated before the first is written.
 */
#ifndef ISA_IMAGE_H
#define ISA_IMAGE_H

#include "../format.h"
#include "../mem.h"
#include "fields.h"

#define ISA_NUM_SRGB	6	/* with enum isa_num_format: alpha is unorm */

enum { IMG_SEL_0, IMG_SEL_1, IMG_SEL_X = 4 };

/* struct img_rsrc.type and the dimensions of an instruction */
enum img_dim { IMG_1D, IMG_2D, IMG_3D, IMG_CUBE, IMG_1D_ARRAY, IMG_2D_ARRAY };

static inline bool img_is_array(u32 dim)
{
	return dim == IMG_1D_ARRAY || dim == IMG_2D_ARRAY;
}

/* Coordinates that select a texel of a slice, or of all of a 3D image */
static inline u32 img_axes(u32 dim)
{
	return dim == IMG_3D ? 3 : dim == IMG_2D || dim == IMG_2D_ARRAY ? 2 : 1;
}

#define IMG_LEVELS	17	/* gfx12: of 65536 texels */

/* Generations of instructions, descriptors and layouts */
enum img_gen { IMG_GFX9, IMG_GFX10, IMG_GFX11, IMG_GFX12 };

enum img_gen isa_img_gen(const struct isa_wave *w);

/**
 * struct img_level - a level of an image
 * @at: bytes from the start of a slice, or of the image; of tiled ones, of a layer of blocks
 * @pitch: texels, or blocks of tiled images
 * @size: width, height, depth
 * @from: texels that are before it in its block
 */
struct img_level {
	u64 at;
	u32 pitch;
	u32 size[3];
	u32 from[2];
};

/**
 * struct img_swizzle - a tiled layout
 * @mode: SW_MODE; @dims: a bit for each enum img_dim; @bytes: log2 of those of a texel
 * @block: log2 of width, height, depth
 * @z,@x,@y: what a bit of a coordinate changes in the offset in a block
 */
struct img_swizzle {
	u8 mode, dims, bytes;
	u8 block[3];
	u32 z[8], x[11], y[11];
};

/**
 * struct img_rsrc - an image descriptor (T#)
 * @null: no image: reads give 0, writes are dropped
 * @dim: enum img_dim
 * @shape,@num: of a texel; @num: enum isa_num_format, or ISA_NUM_SRGB
 * @sel: component of the texel that a component of a register is, or a constant
 * @border: component of a border colour that one of the texel is
 * @first,@layers: slices of an array; no layers: everything is out of range
 * @base,@last: first and last level of the view
 * @slice: bytes between slices, or between layers of blocks
 * @level: those of the image
 * @swizzle: NULL: texels lie in rows
 */
struct img_rsrc {
	u64 va;
	bool null;
	u8 dim, num;
	u8 sel[4], border[4];
	struct isa_shape shape;
	u32 first, layers;
	u32 base, last;
	u64 slice;
	const struct img_swizzle *swizzle;
	u32 width, height, depth, pitch, levels;
	struct img_level level[IMG_LEVELS];
};

enum img_clamp { IMG_WRAP, IMG_MIRROR, IMG_EDGE, IMG_MIRROR_ONCE, IMG_BORDER = 6 };

/**
 * struct img_samp - a sampler descriptor (S#)
 * @clamp: enum img_clamp, of each axis
 * @linear: between texels: [0] magnified, [1] minified; @linear_z: along z, likewise
 * @mip: between levels: 0 none, 1 the nearest, 2 linear
 * @min_lod,@max_lod,@bias: of the level of detail, in 1/256
 * @truncate: coordinates are cut off, not rounded to 1/256
 * @white: border colour: its red, green, blue; @alpha
 */
struct img_samp {
	u8 clamp[3];
	bool linear[2], linear_z[2];
	u8 mip;
	bool unnormalised, truncate, white, alpha;
	s32 min_lod, max_lod, bias;
};

/* desc.c; false: not executed, as something in it is reserved or unknown here */
bool isa_img_rsrc(const struct isa_wave *w, const struct isa_insn *i, struct img_rsrc *r);
bool isa_img_samp(const struct isa_wave *w, const struct isa_insn *i, struct img_samp *s);

/* swizzle.c: NULL: not executed */
const struct img_swizzle *isa_img_swizzle(const struct isa_target *t, u32 mode, u32 dim, u32 bytes);

/* layout.c */
bool isa_img_layout(const struct isa_wave *w, struct img_rsrc *r, u32 mode);
/* Address of texel @x, @y, @z, which are in range; @z: of a 3D image, or a slice */
u64 isa_img_va(const struct img_rsrc *r, u32 level, u32 x, u32 y, u32 z);

/* texel.c */
bool isa_img_format(enum isa_buf_formats formats, u32 code, struct isa_shape *s, u8 *num);
/* Component @c of the texel in @buf as a register has it; NULL: out of range */
u32 isa_img_component(const struct img_rsrc *r, const u32 *buf, u32 c, bool half);
/* Selected component of a register made of the texel's @value[], which isa_img_component() gave */
u32 isa_img_select(const struct img_rsrc *r, const u32 *value, u32 c, bool half);
/* The texel in @buf of what registers hold; @mask: components that they have */
void isa_img_pack(const struct img_rsrc *r, const u32 *value, u32 mask, bool half, u32 *buf);

/* blend.c: sum of @f[n] * @weight[n] / 2^@shift; NaN and Inf count if their weight is not 0 */
u32 isa_img_blend(const u32 *f, const u32 *weight, u32 n, u32 shift);
/* blend.c: of AOP_FADD, or of the halves of AOP_PK_ADD_F16 and AOP_PK_ADD_BF16 */
u32 isa_img_sum(u32 aop, u32 old, u32 data);

enum img_kind {
	IMG_NONE, IMG_LOAD, IMG_STORE, IMG_RESINFO, IMG_ATOMIC, IMG_SAMPLE, IMG_GATHER,
};

/* struct img_op.flags */
#define IMG_F_MIP	BIT(0)	/* level in an address register */
#define IMG_F_OFFSET	BIT(1)	/* offsets of texels in an address register */
#define IMG_F_ZERO	BIT(2)	/* level 0 */
#define IMG_F_IMPLICIT	BIT(3)	/* the level comes from gradients, its own or other lanes' */

struct img_op {
	u8 kind, flags, aop;
};

struct img_op isa_img_op(unsigned int op);

/**
 * struct img_addr - address registers of an instruction
 * @dim: enum img_dim of the instruction, which says what the coordinates are; on GFX9 of the image
 * @row: of each; they are counted from the first
 * @coord: the first coordinate
 * @half: coordinates have 16 bits, two in a register
 */
struct img_addr {
	const u32 *row[16];
	u32 dim, coord;
	bool half;
};

/* addr.c: those for @r; false if the wave has not that many registers */
bool isa_img_addr(struct isa_wave *w, const struct isa_insn *i, const struct img_rsrc *r,
		  struct img_addr *a);
/* Coordinate @n, 16 bits zero-extended */
static inline u32 img_coord(const struct img_addr *a, u32 n, unsigned int lane)
{
	if (!a->half)
		return a->row[a->coord + n][lane];
	return a->row[a->coord + n / 2][lane] >> 16 * (n & 1) & 0xffff;
}

/*
 * x, y and the third coordinate of a texel in an image of @dim; those that it does not have are 0.
 * False if a lane names something in an axis that the image does not have, see img_fits().
 */
bool isa_img_texel(const struct img_addr *a, u32 dim, unsigned int lane, u32 *c);

/*
 * Whether an instruction of dimensions @dim may name texels of an image of @type: they are the
 * same, or it is one for arrays of 2D images. The runtime of HIP and OpenCL copies and fills images
 * of all types by kernels with image2d_array_t (ROCm, blitcl.cpp); one of 1D arrays then has its
 * slice in the third coordinate. No source says what coordinates do that the image does not have,
 * so these must be 0, as that runtime's are.
 */
static inline bool img_fits(u32 dim, u32 type)
{
	return dim == type || dim == IMG_2D_ARRAY;
}

/* Dwords of data, 0: no such instruction */
u32 isa_img_dwords(const struct isa_insn *i);
/* Results are put down in w->tmp until all lanes have theirs. */
void isa_img_put(struct isa_wave *w, const struct isa_insn *i, unsigned int lane, u32 n, u32 value);
enum isa_stop isa_img_commit(struct isa_wave *w, const struct isa_insn *i, u32 *dst, u32 cost);
/* Reads the texel at @va */
enum isa_stop isa_img_read(struct isa_wave *w, const struct img_rsrc *r, u64 va, u32 *buf);

/* fatomic.c: as isa_mem_rmw() */
bool isa_img_float_rmw(u8 *at, u32 aop, u32 data, u32 with, u64 *before, u32 *tries);

/* sample.c */
enum isa_stop isa_img_exec_sample(struct isa_wave *w, const struct isa_insn *i);

#define IMG_LANES(l, m)	\
	for (u64 m_ = (m); m_ && (l = __builtin_ctzll(m_), 1); m_ &= m_ - 1)

#endif /* ISA_IMAGE_H */
