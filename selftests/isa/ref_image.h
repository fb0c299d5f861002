/* SPDX-License-Identifier: MIT */
/* A model of images in floating point, which shares no code with the engine. */
#ifndef REF_IMAGE_H
#define REF_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

enum ref_kind { REF_UNORM, REF_SNORM, REF_UINT, REF_SINT, REF_FLOAT, REF_SRGB };
enum ref_dim { REF_1D, REF_2D, REF_3D, REF_CUBE, REF_1DA, REF_2DA };

struct ref_format {
	const char *name;
	uint16_t gfx9, gfx10, gfx11;	/* its number; GFX9: data format, and << 6, number format */
	uint8_t bytes, n, kind, bits[4];
};

extern const struct ref_format ref_formats[];
extern const unsigned int ref_nformats;

/**
 * struct ref_image - an image
 * @mem: where it lies; @at: offset of a texel, of which a custom layout may be made
 * @size: of level 0: width, height, depth; @slices: of an array, from @first on
 * @pitch: texels of a row if not the usual ones; @sel: as DST_SEL
 * @row: bytes of which rows are a multiple, 256 or, on gfx12, 128
 */
struct ref_image {
	uint8_t *mem;
	const struct ref_format *f;
	uint8_t dim, sel[4];
	uint32_t size[3], first, slices, base, last, levels, pitch, row;
	uint64_t (*at)(const struct ref_image *m, uint32_t level, uint32_t x, uint32_t y,
		       uint32_t z);
};

/* Clamp modes by their numbers; @mip: 0 to 2; lod in units */
struct ref_sampler {
	uint8_t clamp[3], mip, border;
	bool linear[2], linear_z[2], unnormalised, truncate;
	double min_lod, max_lod;
};

/* What a component of a register is to be: bits, or a float that may be off by @slack. */
struct ref_value {
	bool exact;
	uint32_t bits;
	double value, slack;
};

int ref_axes(unsigned int dim);
bool ref_is_array(unsigned int dim);
bool ref_is_int(const struct ref_image *m);
uint64_t ref_linear(const struct ref_image *m, uint32_t level, uint32_t x, uint32_t y, uint32_t z);
uint32_t ref_level_size(const struct ref_image *m, uint32_t level, unsigned int axis);
/* Texels of a row of level 0 */
uint32_t ref_pitch(const struct ref_image *m);
/* Bytes of the image */
uint64_t ref_bytes(const struct ref_image *m);
/* Offset of the texel, or ~0 if out of range; @mip: from the base level */
uint64_t ref_texel(const struct ref_image *m, uint32_t mip, const uint32_t *c);
void ref_load(const struct ref_image *m, uint64_t at, struct ref_value v[4]);
/* @offset: of texels; @coord: floats, the slice behind them */
void ref_sample(const struct ref_image *m, const struct ref_sampler *s, const float *coord,
		const int *offset, float lod, struct ref_value v[4]);
void ref_gather(const struct ref_image *m, const struct ref_sampler *s, const float *coord,
		const int *offset, unsigned int c, struct ref_value v[4]);
/* The texel that registers make */
void ref_pack(const struct ref_image *m, const uint32_t *value, uint32_t mask, bool half,
	      uint8_t *texel);
/* The same as a register of 16 bits has it */
bool ref_matches(const struct ref_image *m, const struct ref_value *v, uint32_t got, bool half);

#endif /* REF_IMAGE_H */
