/* SPDX-License-Identifier: GPL-2.0-only */
/* Formats of the elements of a buffer: data formats and number formats by GFX9's codes. */
#ifndef ISA_FORMAT_H
#define ISA_FORMAT_H

#include "arch.h"

enum isa_num_format {
	ISA_NUM_UNORM, ISA_NUM_SNORM, ISA_NUM_USCALED, ISA_NUM_SSCALED,
	ISA_NUM_UINT, ISA_NUM_SINT, ISA_NUM_FLOAT = 7,
};

#define ISA_DATA_FORMATS	16
#define ISA_NUM_FORMATS		8

/**
 * struct isa_shape - a data format
 * @bytes: of the element; 0: there is no such format
 * @n: components
 * @packed: components share bytes
 * @bits: of each component, from the least significant one on
 */
struct isa_shape {
	u8 bytes, n;
	bool packed;
	u8 bits[4];
};

extern const struct isa_shape isa_shapes[ISA_DATA_FORMATS];

/*
 * mem_fmt.c: a component of @bits in memory as a register's float or integer, by enum
 * isa_num_format, and back; @half: floats of registers have 16 bits
 */
u32 isa_texel_get(u32 raw, u32 bits, u32 num, bool half);
u32 isa_texel_put(u32 v, u32 bits, u32 num, bool half);
/* A float as a half, to nearest even, and back */
u32 isa_half_of(u32 v);
u32 isa_float_of(u32 v);

/* The format in word 3 of a V#, a code for isa_buf_format(). */
u32 isa_buf_format_field(enum isa_buf_formats formats, u32 word3);
/*
 * Data and number format that @code stands for, which MTBUF or a V# has. Returns false if
 * there is no such format. GFX9's codes are the two side by side, and any can be written.
 */
bool isa_buf_format(enum isa_buf_formats formats, u32 code, u32 *data, u32 *num);

/* Whether a data format goes with a number format: as on gfx10, GFX9 takes any of them */
bool isa_format_exists(u32 data, u32 num);

/* For reports, from the highest bits on: "10_11_11", "FLOAT" */
extern const char * const isa_data_format_names[ISA_DATA_FORMATS];
extern const char * const isa_num_format_names[ISA_NUM_FORMATS];

#endif /* ISA_FORMAT_H */
