// SPDX-License-Identifier: MIT
/*
 * libFuzzer: image instructions of every target on hostile descriptors. An input is an image as a
 * description (format, type, tiles, sizes, levels, slices), bits of the descriptors and of the
 * instruction that are flipped then, and what lanes name. Memory is wherever the image says, in
 * pages that may be read, written, both, or not at all; each lies between pages that nobody may
 * touch, and those that may only be read are such for the host, too.
 *
 * Whatever the bits: nothing is touched that is not mapped for it, nor outside of the image, whose
 * size is worked out here once more; what is refused or misses a page has done nothing; loads write
 * no memory, stores no registers; lanes that are off keep theirs. Targets without images refuse
 * all.
 */
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "guard.h"
#include "image/image.h"
#include "isa_int.h"
#include "mutate.h"
#include "tables.h"

#define PAGE		4096u
#define PAGES		8u
#define CODE_VA		0x7ffff0000000ull	/* above all images, which have 48 bits */
#define ROWS		64u
#define S_IMAGE		8u
#define S_SAMPLER	16u
#define V_ADDR		20u

#define CHECK(c)	do { if (!(c)) __builtin_trap(); } while (0)

/* What an input is. Numbers are taken by the remainder. */
struct input {
	u8 target, lane, op, kinds;
	u8 format, type, mode, levels;
	u16 width, height, depth, first;
	u8 base, last, mask, bits;
	u32 insn;		/* fields of the instruction */
	u32 sampler[2];
	u64 exec;
	u32 seed, base_va;
	u16 flips[4];		/* from 0x8000 on: this bit of the twelve dwords of descriptors */
	u16 insn_flips[2];	/* likewise, of the instruction */
	u16 pitch;
	u8 where, spread;
};

static u8 *rw[PAGES], *ro[PAGES], *code;
static u8 first_page[PAGE];
static u32 first_rows[ROWS * ISA_LANES];
static struct isa_cu *cu;
static struct isa_wg wg;
static struct isa_wave *w;
static void *wave_mem;
static u32 *rows;
/* Of the input: pages' kinds, and what has been looked up for the image */
static u8 kinds;
static u64 lowest, highest;
static bool looked;

static u32 access_of(u64 va)
{
	static const u8 of[4] = { ISA_R | ISA_W, ISA_R | ISA_W, ISA_R, 0 };

	/* Two bits for each of four pages in turn; all may be used if there are no bits. */
	return of[kinds >> va / PAGE % 4 * 2 & 3];
}

static bool lookup(struct isa_cu *c, u64 va, u32 access, struct isa_page *x)
{
	const u32 n = (u32)(va / PAGE) % PAGES;

	(void)c;
	if (va / PAGE == CODE_VA / PAGE) {
		x->host = code;
		x->access = ISA_R | ISA_X;
		return !(access & ISA_W);
	}
	if (!looked || va < lowest)
		lowest = va;
	if (!looked || va > highest)
		highest = va;
	looked = true;
	x->access = access_of(va);
	x->host = x->access & ISA_W ? rw[n] : ro[n];
	return (x->access & access) == access;
}

static u64 ticks(struct isa_cu *c)
{
	(void)c;
	return 1000;
}

static void init(void)
{
	u32 n;

	cu = guard_alloc(sizeof(*cu), false);
	wave_mem = guard_alloc((isa_wave_bytes() + 63) & ~63ul, false);
	rows = (u32 *)guard_alloc(ROWS * ISA_LANES * 4, false);
	code = guard_alloc(PAGE, true);
	for (n = 0; n < PAGE; n++)
		first_page[n] = (u8)(n * 37 + n / 256);
	for (n = 0; n < PAGES; n++) {
		rw[n] = guard_alloc(PAGE, true);
		ro[n] = guard_alloc(PAGE, true);
		memcpy(ro[n], first_page, PAGE);
		CHECK(!mprotect(ro[n], PAGE, PROT_READ));
	}
	cu->icache = isa_icache_init(guard_alloc((isa_icache_bytes(8) + 63) & ~63ul, false), 8);
	cu->lookup = lookup;
	cu->clock = ticks;
}

/* ---- descriptors ---- */

static void put(u32 *d, u32 at, u32 bits, u64 v)
{
	u32 n;

	for (n = 0; n < bits; n++)
		if (v >> n & 1)
			d[(at + n) / 32] |= 1u << (at + n) % 32;
}

static u64 get(const u32 *d, u32 at, u32 bits)
{
	u64 v = 0;
	u32 n;

	for (n = 0; n < bits; n++)
		v |= (u64)(d[(at + n) / 32] >> (at + n) % 32 & 1) << n;
	return v;
}

/* Where fields are that decide how large an image is: first bit and number; RDNA2 to 4 ISA, ROCr */
struct fields {
	u8 format, format_bits, width, width_bits, height, height_bits, depth_bits;
	u8 pitch, pitch_bits, base, last, level_bits, levels, first;
};

static const struct fields fields[] = {
	[IMG_GFX9] = { 52, 10, 64, 14, 78, 14, 13, 141, 16, 108, 112, 4, 188, 160 },
	[IMG_GFX10] = { 52, 9, 62, 14, 78, 14, 13, 128, 14, 108, 112, 4, 164, 144 },
	[IMG_GFX11] = { 52, 8, 62, 14, 78, 14, 13, 128, 14, 108, 112, 4, 48, 144 },
	[IMG_GFX12] = { 49, 8, 62, 16, 78, 16, 14, 128, 16, 57, 111, 5, 44, 144 },
};

static enum img_gen gen_of(const struct isa_target *t)
{
	return t->major >= 12 ? IMG_GFX12 : t->major == 11 ? IMG_GFX11 :
	       t->major == 10 ? IMG_GFX10 : IMG_GFX9;
}

static bool has_images(const struct isa_target *t)
{
	return t->major > 9 || (t->major == 9 && !t->minor && t->step == 6);
}

static bool deep(u32 type)
{
	return type == 10 || type == 12 || type == 13;
}

static void make_image(const struct input *in, enum img_gen gen, u32 *d)
{
	static const u8 types[] = { 8, 9, 9, 10, 12, 13, 13, 11 };
	static const u8 modes[] = {
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 20, 21, 22, 24, 25, 26, 27, 28, 29, 31,
	};
	static const u8 formats[4][16] = {
		[IMG_GFX9] = { 1, 2, 3, 4, 4, 5, 10, 11, 12, 14, 4, 10, 16, 19, 9, 14 },
		[IMG_GFX10] = { 1, 5, 7, 13, 14, 20, 21, 22, 23, 56, 60, 62, 64, 71, 75, 77 },
		[IMG_GFX11] = { 1, 5, 7, 13, 14, 20, 21, 22, 23, 42, 46, 48, 50, 57, 61, 63 },
		[IMG_GFX12] = { 1, 5, 7, 13, 14, 20, 21, 22, 23, 42, 46, 48, 50, 57, 61, 63 },
	};
	const struct fields *f = &fields[gen];
	const u32 type = types[in->type % 8], shift = in->bits & 7;
	const u32 levels = in->levels & 64 ? in->levels % 15 + 1 : 1;
	u32 code = formats[gen][in->format % 16], n;

	if (gen == IMG_GFX9)
		code |= in->format & 16 || code == 4 || code == 11 || code == 14 ? 4u << 6 : 0;
	put(d, 0, 40, (in->where & 1 ? 0 : (u64)in->base_va << (in->where >> 1 & 7)) &
	    ~(in->where & 128 ? 0ull : 0x3ffull));
	put(d, f->format, f->format_bits, code);
	put(d, f->width, f->width_bits, in->width >> shift);
	put(d, f->height, f->height_bits, type == 8 || type == 12 ? 0 : in->height >> shift);
	for (n = 0; n < 4; n++)
		put(d, 96 + 3 * n, 3, 4 + n);
	put(d, 116, 5, modes[in->mode % sizeof(modes)]);
	put(d, 124, 4, type);
	put(d, f->levels, f->level_bits, levels - 1);
	n = in->last % levels;
	put(d, f->last, f->level_bits, n);
	put(d, f->base, f->level_bits, in->base % (n + 1));
	if (deep(type)) {
		put(d, 128, f->depth_bits, in->depth >> shift);
		if (type != 10)
			put(d, f->first, f->depth_bits, in->first >> shift);
	}
	if (gen == IMG_GFX9 || (!deep(type) && in->pitch & 4))
		put(d, f->pitch, f->pitch_bits,
		    ((in->width >> shift) | 255) + 256u * (in->pitch & 3));
}

static u64 up(u64 n, u64 to)
{
	return (n + to - 1) / to * to;
}

/*
 * Bytes from the base that an image has at most. In rows: those of all levels, whose sizes are
 * rounded up, in all slices. In tiles: with blocks of 256 KB of whatever shape.
 */
static u64 limit_of(const struct isa_target *t, const u32 *d)
{
	const enum img_gen gen = gen_of(t);
	const struct fields *f = &fields[gen];
	const u32 type = d[3] >> 28, levels = (u32)get(d, f->levels, f->level_bits) + 1;
	const u64 width = get(d, f->width, f->width_bits) + 1;
	const u64 height = get(d, f->height, f->height_bits) + 1;
	const u64 depth = deep(type) ? get(d, 128, f->depth_bits) + 1 : 1;
	const bool tiled = d[3] >> 20 & 31;
	u64 sum = 0, pitch = 0, row;
	struct isa_shape shape;
	u8 num;
	u32 n;

	if (!isa_img_format(isa_target_arch(t)->buf_formats, (u32)get(d, f->format, f->format_bits),
			    &shape, &num))
		return 0;
	if (!deep(type) || gen == IMG_GFX9)
		pitch = get(d, f->pitch, f->pitch_bits) + 1;
	for (n = 0; n < levels; n++) {
		const u64 x = (width + (1ull << n) - 1) >> n, y = (height + (1ull << n) - 1) >> n;

		row = up(x * shape.bytes, 256);
		if (pitch > 1 && row < pitch * shape.bytes)
			row = pitch * shape.bytes;
		if (tiled)
			sum += up(row, 512ull * shape.bytes) * up(y, 512);
		else
			sum += row * y;
	}
	return tiled ? (sum + (256 << 10)) * up(depth, 64) : sum * depth;
}

/* ---- instructions ---- */

/* Opcode @n, if it is to be one: half of the inputs have but those that are executed. */
static bool wanted(const struct input *in, const struct isa_target *t, u32 enc, u32 n)
{
	const u32 row = t->slots[enc][n];

	return row && (in->bits & 8 || isa_img_op(isa_rows[row].op).kind);
}

/* The words of one for the target's images; what it decodes to. False: there is no such. */
static bool make_insn(const struct input *in, const struct isa_target *t, u32 *dw,
		      struct isa_insn *out)
{
	static const u8 dims[] = { 0, 1, 1, 2, 4, 5, 5, 3 };	/* of make_image()'s types */
	const u32 major = t->major;
	u32 enc = major < 12 ? ISA_ENC_MIMG : in->op & 128 ? ISA_ENC_VSAMPLE : ISA_ENC_VIMAGE;
	u32 n, nth = in->op & 127, have = 0, op = 0;
	const u32 mask = in->mask % 15 + 1;
	u32 x = in->insn;

	for (n = 0; t->slots[enc] && n < t->nslots[enc]; n++)
		have += wanted(in, t, enc, n);
	if (!have)
		return false;
	nth %= have;
	for (n = 0; n < t->nslots[enc]; n++)
		if (wanted(in, t, enc, n) && !nth--)
			op = n;
	/* As many dimensions as the image has, mostly */
	if (in->bits & 0x70)
		x = (x & ~7u) | dims[in->type % 8];
	memset(dw, 0, 5 * sizeof(*dw));
	if (major >= 12) {
		dw[0] = (enc == ISA_ENC_VSAMPLE ? 0xe4000000 : 0xd0000000) | op << 14 |
			mask << 22 | (x & 0x67);
		dw[1] = S_IMAGE << 9 | (x >> 8 & 1) << 20;
		if (enc == ISA_ENC_VSAMPLE) {
			dw[0] |= (x >> 9 & 1) << 3 | (x >> 10 & 1) << 13;
			dw[1] |= S_SAMPLER << 23;
		} else {
			dw[1] |= (x >> 9 & 1) << 23 | (V_ADDR + 4) << 24;
		}
		dw[2] = V_ADDR | (V_ADDR + 1) << 8 | (V_ADDR + 2) << 16 | (V_ADDR + 3) << 24;
	} else {
		dw[0] = 0xf0000000 | mask << 8;
		dw[1] = V_ADDR | S_IMAGE / 4 << 16;
		if (major == 11) {
			dw[0] |= op << 18 | (x & 7) << 2 | (x >> 8 & 1) << 14 |
				 (x >> 5 & 3) << 16 | (x >> 10 & 1) << 7;
			dw[1] |= S_SAMPLER / 4 << 26 | (x >> 9 & 1) << 21;
		} else {
			dw[0] |= (op & 127) << 18 | op >> 7 | (x >> 8 & 1) << 13 |
				 (x >> 9 & 1) << 16 | (x >> 10 & 1) << 12;
			dw[1] |= S_SAMPLER / 4 << 21 | (x >> 5 & 1) << 31;
			if (major == 10) {
				dw[0] |= (x & 7) << 3;
				dw[1] |= (x >> 6 & 1) << 30;
			} else {
				dw[0] |= (x >> 6 & 1) << 15 | (x >> 4 & 1) << 14;
			}
		}
	}
	for (n = 0; n < 2; n++)
		if (in->insn_flips[n] & 0x8000)
			dw[in->insn_flips[n] % 96 / 32] ^= 1u << in->insn_flips[n] % 32;
	return isa_decode(t, dw, 5, out) > 0 && out->enc == enc;
}

/* ---- a run ---- */

static void make_rows(const struct input *in)
{
	u32 s = in->seed | 1, n, l;

	for (n = 0; n < ROWS; n++)
		for (l = 0; l < ISA_LANES; l++) {
			u32 v = rnd(&s);

			/* Small numbers, floats from -2 to 2, and any */
			if (n >= V_ADDR && in->spread & 1 && v % 4)
				v = v >> 8 & ((2u << (in->spread >> 1 & 15)) - 1);
			else if (n >= V_ADDR && in->spread & 32 && v % 4)
				v = (v & 0x807fffff) | (0x3e800000 + (v >> 24 & 3) * 0x800000);
			first_rows[n * ISA_LANES + l] = v;
		}
}

static void start(const struct input *in, const struct isa_target *t, const u32 *d, u64 exec)
{
	static const struct isa_lane_ops *const lane[] = { &isa_lane_sse2, &isa_lane_avx2 };
	static u64 epoch;
	struct isa_wave_setup s = {
		.mode = 0x3f0, .rows = ROWS, .acc_offset = ROWS, .sgprs = 104,
		.shared_base = 0x10000, .private_base = 0x20000,
		.lanes = isa_target_arch(t)->wave_sizes & 32 && in->lane & 2 ? 32 : 64,
	};
	u32 n;

	cu->target = t;
	cu->lane = lane[in->lane & 1 && __builtin_cpu_supports("avx2")];
	cu->icache_epoch = ++epoch << 16;
	isa_icache_flush(cu->icache);
	isa_tlb_flush(&cu->tlb);
	for (n = 0; n < PAGES; n++)
		memcpy(rw[n], first_page, PAGE);
	w = isa_wave_init(wave_mem, rows, ROWS);
	isa_wave_reset(w, cu, &wg, CODE_VA, exec);
	isa_wave_setup(w, &s);
	isa_set_exec(w, exec & (s.lanes == 32 ? 0xffffffff : ~0ull));
	memcpy(w->s + S_IMAGE, d, 48);
	memcpy(w->v, first_rows, sizeof(first_rows));
	looked = false;
}

static bool memory_changed(void)
{
	u32 n;

	for (n = 0; n < PAGES; n++)
		if (memcmp(rw[n], first_page, PAGE))
			return true;
	return false;
}

/* Registers that the instruction may not write have what they had. */
static void check_rows(const struct isa_insn *i, u64 exec, bool none)
{
	const u32 from = i->dst - ISA_SRC_VGPR0;
	u32 n, l;

	for (n = 0; n < ROWS; n++)
		for (l = 0; l < ISA_LANES; l++)
			if (none || n < from || n > from + 4 || !(exec >> l & 1))
				CHECK(w->v[n * ISA_LANES + l] == first_rows[n * ISA_LANES + l]);
}

static void check(const struct isa_insn *i, const struct isa_exit *ex, const u32 *d)
{
	const struct isa_target *t = cu->target;
	const enum img_kind kind = isa_img_op(i->op).kind;
	const u64 base = get(d, 0, 40) << 8, limit = limit_of(t, d);
	const bool done = ex->why == ISA_STOP_BUDGET || ex->why == ISA_STOP_NONE;

	CHECK(done || ex->why == ISA_STOP_ILLEGAL || ex->why == ISA_STOP_MISS);
	if (!has_images(t))
		CHECK(ex->why == ISA_STOP_ILLEGAL && !looked);
	if (looked)
		CHECK(lowest >= base && highest < base + limit);
	if (ex->why == ISA_STOP_MISS) {
		CHECK(ex->access && (access_of(ex->va) & ex->access) != ex->access);
		CHECK(ex->va >= base && ex->va + ex->len <= base + limit);
	}
	if (!done || (kind != IMG_STORE && kind != IMG_ATOMIC))
		CHECK(!memory_changed());
	check_rows(i, isa_exec(w), !done || kind == IMG_STORE);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const struct isa_target *t;
	struct isa_exit ex;
	struct isa_insn i;
	u32 d[12] = { 0 }, dw[5], n, csr = _mm_getcsr();
	struct input in;

	if (size < sizeof(in))
		return 0;
	if (!cu)
		init();
	memcpy(&in, data, sizeof(in));
	for (n = 0; isa_target_get(n); n++)
		;
	t = isa_target_get(in.target % n);
	kinds = in.kinds & 3 ? 0 : in.kinds;
	if (!make_insn(&in, t, dw, &i))
		return 0;
	make_image(&in, gen_of(t), d);
	d[8] = in.sampler[0] & 0x0800ffff;
	d[9] = 0xfff << (t->major >= 12 ? 13 : 12);
	d[10] = in.sampler[1] & 0x0bf00000;
	for (n = 0; n < 4; n++)
		if (in.flips[n] & 0x8000)
			d[in.flips[n] % 384 / 32] ^= 1u << in.flips[n] % 32;
	memcpy(code, dw, sizeof(dw));
	make_rows(&in);
	start(&in, t, d, in.exec);
	isa_wave_run(w, 1, &ex);
	CHECK((_mm_getcsr() & ~0x3fu) == (csr & ~0x3fu));
	check(&i, &ex, d);
	return 0;
}

/* Fields come anew or are changed by a bit; flips come and go. */
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	u32 s = seed * 2654435761u | 1, n, k;
	struct input in;

	if (max < sizeof(in))
		return LLVMFuzzerMutate(data, size, max);
	if (size < sizeof(in)) {
		for (n = 0; n < sizeof(in); n++)
			data[n] = (u8)rnd(&s);
		memcpy(&in, data, sizeof(in));
		memset(in.flips, 0, sizeof(in.flips));
		memset(in.insn_flips, 0, sizeof(in.insn_flips));
		memcpy(data, &in, sizeof(in));
		return sizeof(in);
	}
	for (k = rnd(&s) % 6 + 1; k; k--) {
		n = rnd(&s) % offsetof(struct input, flips);
		data[n] = rnd(&s) % 2 ? (u8)rnd(&s) : data[n] ^ (u8)(1 << rnd(&s) % 8);
	}
	memcpy(&in, data, sizeof(in));
	if (rnd(&s) % 3 == 0)
		in.flips[rnd(&s) % 4] = rnd(&s) % 3 ? 0 : (u16)rnd(&s);
	if (rnd(&s) % 6 == 0)
		in.insn_flips[rnd(&s) % 2] = rnd(&s) % 3 ? 0 : (u16)rnd(&s);
	if (rnd(&s) % 4 == 0)
		in.pitch = (u16)rnd(&s);
	if (rnd(&s) % 4 == 0)
		in.where = (u8)rnd(&s);
	if (rnd(&s) % 4 == 0)
		in.spread = (u8)rnd(&s);
	memcpy(data, &in, sizeof(in));
	return sizeof(in);
}
