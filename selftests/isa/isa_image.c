// SPDX-License-Identifier: MIT
/*
 * Image instructions of gfx906, gfx1030, gfx1100, gfx1151 and gfx1201 against a model in floats
 * (ref_image.c): random images, samplers, coordinates, masks of lanes and forms of the
 * instruction. The engine's sources are compiled with ASan and UBSan here, and an image lies in an
 * allocation of its pages alone.
 *	isa_image		TAP
 *	isa_image counts	a line for each opcode of gfx906, for isa_fidelity
 */
#include <math.h>
#include <stdlib.h>

#include "isa_image.h"

u8 *tex, *before;
u64 tex_pages, tex_limit;
struct rig rig;
u32 gen;
u32 old[ROWS * ISA_LANES];
/* The operation that start() put down, and how often each ended */
static unsigned int op_now;
static u32 ends[ISA_OP_COUNT];

u32 rnd(u32 n)
{
	static u64 x = 0x853c49e6748fea9bull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (u32)(x >> 20) % n;
}

u32 rnd32(void)
{
	return rnd(65536) << 16 | rnd(65536);
}

static bool lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x)
{
	const u64 at = (va & -ISA_PAGE_BYTES) - TEX_VA;

	(void)access;
	x->access = ISA_R | ISA_W | ISA_X;
	if (va >= RIG_VA && va < RIG_VA + RIG_BYTES) {
		x->host = ((struct rig *)cu->priv)->mem + ((va & -ISA_PAGE_BYTES) - RIG_VA);
		return true;
	}
	if (va < TEX_VA || at >= tex_limit)
		return false;
	x->host = tex + at;
	return true;
}

/* Memory for @bytes of an image, in whole pages, with random contents */
void take_memory(u64 bytes)
{
	u64 n;

	free(tex);
	free(before);
	tex_pages = (bytes + ISA_PAGE_BYTES - 1) & -ISA_PAGE_BYTES;
	tex_limit = tex_pages;
	tex = aligned_alloc(4096, tex_pages);
	before = aligned_alloc(4096, tex_pages);
	if (!tex || !before)
		exit(1);
	for (n = 0; n < tex_pages; n += 4) {
		u32 v = rnd32();

		memcpy(tex + n, &v, 4);
	}
	isa_tlb_flush(&rig.cu.tlb);
}

/* Of any generation by gfx11's name */
static u32 opcode(const char *name, u32 enc)
{
	const struct isa_target *t = rig.cu.target;
	u32 n;

	for (n = 0; n < t->nslots[enc]; n++)
		if (t->slots[enc][n] && !strcmp(isa_op_name(isa_rows[t->slots[enc][n]].op), name)) {
			op_now = isa_rows[t->slots[enc][n]].op;
			return n;
		}
	printf("# no %s\n", name);
	exit(1);
}

static u32 assemble(const struct insn *i, u32 *w)
{
	const bool sample = strstr(i->name, "sample") || strstr(i->name, "gather");
	const u32 op = opcode(i->name, gen < 12 ? ISA_ENC_MIMG : sample ? ISA_ENC_VSAMPLE :
			      ISA_ENC_VIMAGE);
	const u32 more = i->nsa ? (i->nr_addr + 2) / 4 : 0;
	u32 n;

	memset(w, 0, 5 * sizeof(*w));
	if (gen == 12)
		return assemble_gfx12(i, op, w);
	if (gen == 9)
		return assemble_gfx9(i, op, w);
	w[0] = 0xf0000000 | i->dmask << 8;
	w[1] = (i->nsa ? i->addr[0] : V_ADDR) | V_DATA << 8 | S_IMAGE / 4 << 16;
	if (gen == 11) {
		u32 nsa = i->nsa && i->nr_addr > 1;

		w[0] |= nsa | i->dim << 2 | (u32)i->unrm << 7 | (u32)i->glc << 14 |
			(u32)i->r128 << 15 | (u32)i->a16 << 16 | (u32)i->d16 << 17 | op << 18;
		w[1] |= (u32)i->tfe << 21 | (u32)i->lwe << 22;
		if (sample)
			w[1] |= S_SAMPLER / 4 << 26;
		if (!nsa)
			return 2;
		for (n = 1; n < i->nr_addr && n < 5; n++)
			w[2] |= i->addr[n] << 8 * (n - 1);
		return 3;
	}
	w[0] |= more << 1 | i->dim << 3 | (u32)i->unrm << 12 | (u32)i->glc << 13 |
		(u32)i->r128 << 15 | (u32)i->tfe << 16 | (u32)i->lwe << 17 | (op & 127) << 18 |
		op >> 7;
	w[1] |= (u32)i->a16 << 30 | (u32)i->d16 << 31;
	if (sample)
		w[1] |= S_SAMPLER / 4 << 21;
	for (n = 1; i->nsa && n < i->nr_addr; n++)
		w[2 + (n - 1) / 4] |= i->addr[n] << 8 * ((n - 1) % 4);
	return 2 + more;
}

void put_image(const struct ref_image *m, u32 *d)
{
	static const u8 types[] = { 8, 9, 10, 11, 12, 13 };
	const u64 va = TEX_VA >> 8;
	const u32 w = m->size[0] - 1;
	u32 c;

	if (gen == 9) {
		put_image_gfx9(m, d);
		return;
	}
	memset(d, 0, 32);
	d[0] = (u32)va;
	for (c = 0; c < 4; c++)
		d[3] |= (u32)m->sel[c] << 3 * c;
	d[3] |= (u32)types[m->dim] << 28;
	/* The border's alpha goes where the program's alpha comes from. */
	for (c = 0; c < 4 && m->sel[3] != 4 + c; c++)
		;
	d[3] |= (c == 0 ? 3u : c == 1 ? 1u : 0u) << 25;
	if (m->dim == REF_3D)
		d[4] = m->size[2] - 1;
	else if (ref_is_array(m->dim))
		d[4] = (m->first + m->slices - 1) | m->first << 16;
	else
		d[4] = m->pitch ? m->pitch - 1 : 0;
	d[1] = (u32)(va >> 32) | (w & 3) << 30;
	d[2] = w >> 2 | (m->size[1] - 1) << 14;
	if (gen == 12) {
		d[1] |= (m->levels - 1) << 12 | (u32)m->f->gfx11 << 17 | m->base << 25;
		d[3] |= m->last << 15;
		return;
	}
	d[1] |= (u32)(gen == 11 ? m->f->gfx11 : m->f->gfx10) << 20;
	d[2] |= 1u << 31;
	d[3] |= m->base << 12 | m->last << 16;
	if (gen == 11)
		d[1] |= (m->levels - 1) << 16;
	else
		d[5] |= (m->levels - 1) << 4;
}

void put_sampler(const struct ref_sampler *s, u32 *d)
{
	memset(d, 0, 16);
	if (gen == 12) {
		put_sampler_gfx12(s, d);
		return;
	}
	d[0] = s->clamp[0] | s->clamp[1] << 3 | s->clamp[2] << 6 | (u32)s->unnormalised << 15 |
	       (u32)s->truncate << 27;
	d[1] = (u32)(s->min_lod * 256) | (u32)(s->max_lod * 256) << 12;
	d[2] = (u32)s->linear[0] << 20 | (u32)s->linear[1] << 22 | (u32)s->mip << 26;
	d[3] = (u32)s->border << 30;
	if (s->linear_z[0] != s->linear[0] || s->linear_z[1] != s->linear[1])
		d[2] |= (s->linear_z[0] ? 2u : 1u) << 24;
}

void random_image(struct ref_image *m)
{
	static const u8 dims[] = { REF_1D, REF_2D, REF_2D, REF_3D, REF_1DA, REF_2DA };
	static const u8 sels[][4] = {
		{ 4, 5, 6, 7 }, { 6, 5, 4, 7 }, { 4, 0, 0, 1 }, { 4, 4, 4, 1 }, { 0, 0, 0, 4 },
		{ 5, 6, 7, 4 }, { 4, 5, 0, 1 }, { 4, 4, 4, 4 },
	};
	const u32 align = gen == 12 ? 128 : 256;

	memset(m, 0, sizeof(*m));
	m->row = align;
	m->at = ref_linear;
	m->f = &ref_formats[rnd(ref_nformats)];
	m->dim = dims[rnd(sizeof(dims))];
	memcpy(m->sel, sels[rnd(8)], 4);
	m->size[0] = 1 + rnd(rnd(4) ? 20 : 100);
	m->size[1] = ref_axes(m->dim) > 1 ? 1 + rnd(20) : 1;
	m->size[2] = m->dim == REF_3D ? 1 + rnd(8) : 1;
	m->slices = 1;
	m->levels = 1;
	if (ref_is_array(m->dim)) {
		m->first = rnd(3);
		m->slices = 1 + rnd(5);
	}
	if (gen > 9 && !rnd(3)) {
		u32 most = m->size[0] | m->size[1] | m->size[2];

		m->levels = 1 + rnd(32 - (u32)__builtin_clz(most));
		m->last = rnd(m->levels);
		m->base = rnd(m->last + 1);
	} else if ((m->dim == REF_1D || m->dim == REF_2D) && rnd(2)) {
		m->pitch = (m->size[0] + align / m->f->bytes) / (align / m->f->bytes) *
			   (align / m->f->bytes) + rnd(3) * align / m->f->bytes;
	}
	take_memory(ref_bytes(m));
	m->mem = tex;
}

static void random_sampler(const struct ref_image *m, struct ref_sampler *s, bool filter)
{
	static const u8 modes[] = { 0, 1, 2, 3, 6 };
	u32 n;

	memset(s, 0, sizeof(*s));
	s->unnormalised = rnd(2);
	for (n = 0; n < 3; n++)
		s->clamp[n] = modes[rnd(sizeof(modes))];
	s->border = ref_is_int(m) ? 0 : (u8)rnd(3);
	s->truncate = !rnd(4);
	s->linear[0] = filter && rnd(2);
	s->linear[1] = filter && rnd(2);
	s->linear_z[0] = s->linear_z[1] = filter && rnd(2);
	if (rnd(2) || (s->linear_z[0] != s->linear[0] && m->dim != REF_3D))
		memcpy(s->linear_z, s->linear, sizeof(s->linear));
	s->mip = (u8)rnd(ref_is_int(m) ? 2 : 3);
	s->max_lod = rnd(3) ? 15.99609375 : rnd(4);
	s->min_lod = rnd(3) ? 0 : rnd(1024) / 256.;
}

void start(const struct insn *i, u32 lanes, u64 exec, const u32 *image, const u32 *sampler)
{
	struct isa_wave_setup s = {
		.mode = rnd(2) ? 0x3f0 : 0x300, .lanes = lanes, .rows = ROWS, .acc_offset = ROWS,
		.sgprs = 104, .shared_base = 0x10000, .private_base = 0x20000,
	};
	u32 w[8], n = assemble(i, w), k;

	w[n++] = 0xbf810000;
	if (gen > 10)
		w[n - 1] = 0xbfb00000;
	memcpy(rig.mem + RIG_CODE, w, n * 4);
	rig.cu.icache_epoch++;
	isa_wave_reset(rig.w, &rig.cu, &rig.wg, RIG_VA + RIG_CODE, exec);
	isa_wave_setup(rig.w, &s);
	isa_set_exec(rig.w, exec);
	memcpy(rig.w->s + S_IMAGE, image, 32);
	memcpy(rig.w->s + S_SAMPLER, sampler, 16);
	for (k = 0; k < ROWS * ISA_LANES; k++)
		rig.vgprs[k] = rnd32();
}

u32 random_lanes(void)
{
	return gen == 9 || rnd(2) ? 64 : 32;
}

u64 random_exec(u32 lanes)
{
	const u64 all = lanes == 64 ? ~0ull : 0xffffffff;
	u64 exec = rnd(3) ? (u64)rnd32() << 32 | rnd32() : all;

	return exec & all ? exec & all : 1;
}

/* Registers of addresses: in turn, or, with NSA, anywhere outside of the data */
void random_addresses(struct insn *i)
{
	u32 n;

	i->nsa = gen > 9 && i->nr_addr > 1 && i->nr_addr < 10 && rnd(2);
	for (n = 0; n < 12; n++)
		i->addr[n] = V_ADDR + n;
	if (!i->nsa)
		return;
	for (n = 0; n < i->nr_addr; n++)
		i->addr[n] = V_ADDR + n * 3 % 37;
	/* gfx11: from the fifth on they are consecutive, on gfx12 from the fourth. */
	for (n = 16 - gen; gen > 10 && n < i->nr_addr; n++)
		i->addr[n] = i->addr[15 - gen] + n - (15 - gen);
}

void put_address(const struct insn *i, u32 n, u32 lane, u32 v)
{
	rig.vgprs[i->addr[n] * 64 + lane] = v;
}

static u32 half_bits(float f)
{
	_Float16 h = (_Float16)f;
	u16 v;

	memcpy(&v, &h, 2);
	return v;
}

/* Coordinates, of 32 or 16 bits, from address @first on */
void put_coords(const struct insn *i, u32 first, u32 lane, const u32 *c, u32 n)
{
	u32 k;

	for (k = 0; k < n; k++) {
		if (!i->a16)
			put_address(i, first + k, lane, c[k]);
		else if (k & 1)
			put_address(i, first + k / 2, lane,
				    (c[k] & 0xffff) << 16 | (c[k - 1] & 0xffff));
		else
			put_address(i, first + k / 2, lane, c[k] & 0xffff);
	}
}

static u32 popcount(u32 v)
{
	return (u32)__builtin_popcount(v);
}

/* What register @k-th of @lane holds of the data */
static u32 data_of(const struct insn *i, u32 k, u32 lane)
{
	if (!i->d16)
		return rig.vgprs[(V_DATA + k) * 64 + lane];
	return rig.vgprs[(V_DATA + k / 2) * 64 + lane] >> 16 * (k & 1) & 0xffff;
}

static void describe(const struct ref_image *m, const struct insn *i, u32 lane)
{
	u32 n;

	printf("# %ux%ux%u, slices %u to %u, levels %u to %u of %u, pitch %u, "
	       "sel %u%u%u%u,%s%s%s%s mask %x\n",
	       m->size[0], m->size[1], m->size[2], m->first, m->first + m->slices - 1, m->base,
	       m->last, m->levels, m->pitch, m->sel[0], m->sel[1], m->sel[2], m->sel[3],
	       i->d16 ? " d16" : "", i->a16 ? " a16" : "", i->nsa ? " nsa" : "",
	       i->tfe ? " tfe" : "", i->dmask);
	for (n = 0; n < i->nr_addr; n++)
		printf("# v%u %08x\n", i->addr[n], rig.vgprs[i->addr[n] * 64 + lane]);
}

static bool check_lane(const struct ref_image *m, const struct insn *i, u32 lane,
		       const struct ref_value *v, u32 mask)
{
	u32 c, k = 0;

	for (c = 0; c < 4; c++) {
		if (!(mask >> c & 1))
			continue;
		if (!ref_matches(m, &v[c], data_of(i, k, lane), i->d16)) {
			printf("# %s: %s dim %u, lane %u, component %u: %08x, "
			       "expected %.9g or %08x (off by %g)\n",
			       i->name, m->f->name, m->dim, lane, c, data_of(i, k, lane),
			       v[c].value, v[c].bits, v[c].slack);
			describe(m, i, lane);
			return false;
		}
		k++;
	}
	return true;
}

/* Registers that nothing may have written */
bool others_kept(u64 exec, u32 dwords)
{
	u32 row, lane;

	for (row = 0; row < ROWS; row++)
		for (lane = 0; lane < 64; lane++)
			if ((!(exec >> lane & 1) || row >= V_DATA + dwords) &&
			    rig.vgprs[row * 64 + lane] != old[row * 64 + lane]) {
				printf("# v%u of lane %u has changed\n", row, lane);
				return false;
			}
	return true;
}

enum isa_stop go(void)
{
	enum isa_stop stop;

	memcpy(old, rig.vgprs, sizeof(old));
	memcpy(before, tex, tex_pages);
	stop = rig_run(&rig, 4);
	ends[op_now] += stop == ISA_STOP_END;
	return stop;
}

static bool run(const struct insn *i)
{
	if (go() == ISA_STOP_END)
		return true;
	printf("# %s stops with %d at %llx\n", i->name, rig.ex.why, (unsigned long long)rig.ex.va);
	return false;
}

static void random_texel(const struct ref_image *m, u32 mip, u32 *c)
{
	const int axes = ref_axes(m->dim);
	int k;

	for (k = 0; k < axes; k++)
		c[k] = rnd(ref_level_size(m, m->base + mip > 15 ? 15 : m->base + mip, k) + !rnd(4));
	if (ref_is_array(m->dim))
		c[axes] = rnd(m->slices + !rnd(4));
	if (!rnd(30))
		c[rnd((u32)axes)] = rnd(2) ? ~0u : 0x8000;
}

/* @c, a texel of @m, as an instruction for arrays of 2D images names it */
static void as_array(const struct ref_image *m, u32 *c)
{
	const int axes = ref_axes(m->dim);

	if (ref_is_array(m->dim))
		c[2] = c[axes];
	else if (m->dim != REF_3D)
		c[2] = 0;
	if (axes == 1)
		c[1] = 0;
}

static bool one_load(bool store)
{
	static const char * const names[2][2] = {
		{ "image_load", "image_load_mip" }, { "image_store", "image_store_mip" },
	};
	const u32 some = (1 + rnd(15)) | (store && gen > 11);	/* without the first: refused there */
	struct insn i = { .dmask = some, .d16 = rnd(2), .a16 = rnd(2), .unrm = rnd(2) };
	const u32 lanes = random_lanes(), mipped = rnd(2);
	const u64 exec = random_exec(lanes);
	u32 image[8], sampler[4] = { 0 }, c[5] = { 0 }, lane, n, k, comps, dwords;
	const u32 values = popcount(i.dmask);
	const bool any_dim = gen > 9 && !rnd(3);
	u32 in[64][5] = { { 0 } };
	struct ref_image m;
	struct ref_value v[4];

	do {
		random_image(&m);
	} while (store && m.f->kind == REF_SRGB);
	i.name = names[store][mipped];
	i.dim = any_dim ? REF_2DA : m.dim;
	i.da = rnd(2);
	i.tfe = !store && !rnd(4);
	comps = (u32)ref_axes(i.dim) + ref_is_array(i.dim) + mipped;
	i.nr_addr = i.a16 ? (comps + 1) / 2 : comps;
	random_addresses(&i);
	put_image(&m, image);
	start(&i, lanes, exec, image, sampler);
	for (lane = 0; lane < lanes; lane++) {
		u32 mip = mipped ? rnd(m.last - m.base + 1 + !rnd(4)) : 0;

		random_texel(&m, mip, c);
		for (k = 0; k < 4; k++)
			in[lane][k] = i.a16 ? c[k] & 0xffff : c[k];
		in[lane][4] = i.a16 ? mip & 0xffff : mip;
		if (any_dim)
			as_array(&m, c);
		c[comps - mipped] = mip;
		if (!mipped)
			c[comps] = 0;
		put_coords(&i, 0, lane, c, comps);
	}
	/* Values that saturate, and some that do not */
	for (lane = 0; store && lane < 64; lane++)
		for (k = 0; k < 4; k++)
			if (rnd(4) && !i.d16 && !ref_is_int(&m)) {
				float f = (float)rnd(3000) / 1000 - 1.5f;

				memcpy(&rig.vgprs[k * 64 + lane], &f, 4);
			} else if (rnd(4) && i.d16 && !ref_is_int(&m)) {
				rig.vgprs[k * 64 + lane] = half_bits((float)rnd(300) / 100 - 1) |
							   half_bits((float)rnd(300) / 100) << 16;
			} else if (rnd(2)) {
				rig.vgprs[k * 64 + lane] = (u32)((int)rnd(1024) - 512);
			}
	if (!run(&i))
		return false;
	dwords = (i.d16 ? (values + 1) / 2 : values) + i.tfe;
	if (!others_kept(exec, store ? 0 : dwords))
		return false;
	for (lane = 0; lane < lanes; lane++) {
		u64 at = ref_texel(&m, in[lane][4], in[lane]);
		u32 value[4] = { 0 };

		if (!(exec >> lane & 1))
			continue;
		if (!store) {
			ref_load(&m, at, v);
			if (!check_lane(&m, &i, lane, v, i.dmask))
				return false;
			if (i.tfe && rig.vgprs[(dwords - 1) * 64 + lane])
				return false;
			continue;
		}
		for (n = 0, k = 0; n < 4; n++)
			value[n] = i.dmask >> n & 1 ? data_of(&i, k++, lane) : value[0];
		if (at != ~0ull)
			ref_pack(&m, value, gen > 11 ? 15 : i.dmask, i.d16, before + at);
	}
	/* Stores that others overwrite, in order of lanes: @before is what must have come out. */
	if (store && memcmp(before, tex, tex_pages)) {
		for (n = 0; before[n] == tex[n]; n++)
			;
		printf("# %s %s: byte %u is %02x, expected %02x\n", i.name, m.f->name, n, tex[n],
		       before[n]);
		return false;
	}
	return store || !memcmp(before, tex, tex_pages);
}

static float random_coord(const struct ref_sampler *s, u32 size)
{
	float f = (float)((int)rnd(4001) - 1000) / 2000;

	if (!rnd(8))
		f = (float)((int)rnd(400001) - 200000) / 8192;
	if (!rnd(60))
		f = rnd(2) ? NAN : -0.f;
	if (s->unnormalised)
		f *= (float)size;
	if (!rnd(4))	/* on a texel, or between two */
		f = (float)rnd(2 * size) / 2 / (s->unnormalised ? 1 : (float)size);
	return f;
}

/* gfx11 has not the last two. */
static const char * const sample_names[2][10] = {
	{ "image_sample", "image_sample_l", "image_sample_lz", "image_sample_d",
	  "image_sample_b", "image_sample_o", "image_sample_l_o", "image_sample_lz_o",
	  "image_sample_d_o", "image_sample_b_o" },
	{ "image_gather4", "image_gather4_lz", "image_gather4_o", "image_gather4_lz_o",
	  "image_gather4", "image_gather4_l", "image_gather4_b", "image_gather4_lz",
	  "image_gather4_l_o", "image_gather4_b_o" },
};

static bool one_sample(bool gather)
{
	struct insn i = {
		.dmask = gather ? 1u << rnd(4) : 1 + rnd(15), .d16 = rnd(2), .a16 = !rnd(3),
	};
	const u32 lanes = random_lanes();
	const u64 exec = random_exec(lanes);
	const u32 values = gather ? 4 : popcount(i.dmask);
	u32 image[8], sampler[4], lane, k, first = 0, comps;
	bool moved, has_lod, grads;
	struct ref_image m;
	struct ref_sampler s;
	struct ref_value v[4];
	float coord[64][4], lod[64];
	int offset[64][3] = { { 0 } };

	do {
		random_image(&m);
	} while (gather && m.dim != REF_2D && m.dim != REF_2DA);
	random_sampler(&m, &s, !ref_is_int(&m));
	i.name = sample_names[gather][rnd(gather && gen > 10 ? 8 : 10)];
	i.dim = m.dim;
	has_lod = strstr(i.name, "_l") && !strstr(i.name, "_lz");
	grads = strstr(i.name, "_d");
	moved = strstr(i.name, "_o");
	if (gen == 9 && grads)	/* they would have 16 bits, too */
		i.a16 = false;
	if (gather) {
		s.mip = 0;
	} else if (!has_lod && !strstr(i.name, "_lz")) {
		/* The level does not matter: anything else is refused. */
		s.linear[1] = s.linear[0];
		s.linear_z[1] = s.linear_z[0] = s.linear[0];
		if (m.base != m.last)
			s.mip = 0;
	}
	first = moved + !!strstr(i.name, "_b") + (grads ? 2 * (u32)ref_axes(m.dim) : 0);
	comps = (u32)ref_axes(m.dim) + ref_is_array(m.dim) + has_lod;
	i.nr_addr = first + (i.a16 ? (comps + 1) / 2 : comps);
	random_addresses(&i);
	put_image(&m, image);
	put_sampler(&s, sampler);
	start(&i, lanes, exec, image, sampler);
	for (lane = 0; lane < lanes; lane++) {
		u32 c[4];

		for (k = 0; k < (u32)ref_axes(m.dim); k++)
			coord[lane][k] = random_coord(&s, m.size[k]);
		if (ref_is_array(m.dim))
			coord[lane][k++] = (float)((int)rnd(80) - 8) / 10;
		lod[lane] = (float)((int)rnd(2048) - 512) / 256;
		if (has_lod)
			coord[lane][k++] = lod[lane];
		else
			lod[lane] = 0;
		for (k = 0; k < comps; k++) {
			if (i.a16) {
				coord[lane][k] = (float)(_Float16)coord[lane][k];
				c[k] = half_bits(coord[lane][k]);
			} else {
				memcpy(&c[k], &coord[lane][k], 4);
			}
		}
		if (has_lod)
			lod[lane] = coord[lane][comps - 1];
		put_coords(&i, first, lane, c, comps);
		for (k = 0; moved && k < 3; k++)
			offset[lane][k] = (int)rnd(64) - 32;
		if (moved)
			put_address(&i, 0, lane, (offset[lane][0] & 63) |
				    (offset[lane][1] & 63) << 8 |
				    (offset[lane][2] & 63) << 16 | rnd(4) << 6);
	}
	if (!run(&i) || !others_kept(exec, i.d16 ? (values + 1) / 2 : values))
		return false;
	for (lane = 0; lane < lanes; lane++) {
		if (!(exec >> lane & 1))
			continue;
		if (gather)
			ref_gather(&m, &s, coord[lane], offset[lane],
				   (u32)__builtin_ctz(i.dmask), v);
		else
			ref_sample(&m, &s, coord[lane], offset[lane], lod[lane], v);
		if (!check_lane(&m, &i, lane, v, gather ? 15 : i.dmask)) {
			printf("# at %g %g %g, lod %g, clamp %u %u %u, "
			       "linear %d %d z %d, mip %u, %s\n",
			       coord[lane][0], coord[lane][1], coord[lane][2], lod[lane],
			       s.clamp[0], s.clamp[1], s.clamp[2], s.linear[0], s.linear[1],
			       s.linear_z[0], s.mip,
			       s.unnormalised ? "unnormalised" : "normalised");
			return false;
		}
	}
	return !memcmp(before, tex, tex_pages);
}

static bool many(bool (*one)(bool), bool what, u32 n)
{
	while (n--)
		if (!one(what))
			return false;
	return true;
}

static void test_target(const char *name, u32 n)
{
	memset(ends, 0, sizeof(ends));
	rig_init(&rig, name, NULL, ROWS);
	rig.cu.lookup = lookup;
	gen = rig.cu.target->major;
	tap_ok(many(one_load, false, n), "%s: loads", name);
	tap_ok(many(one_load, true, n), "%s: stores", name);
	tap_ok(many(one_sample, false, 2 * n), "%s: samples", name);
	tap_ok(many(one_sample, true, n), "%s: gathers", name);
	test_more(name);
	rig_fini(&rig);
	free(tex);
	free(before);
	tex = before = NULL;
}

/* Sums between texels are within a unit of the last place, see ref_matches(). */
static int counts(void)
{
	u32 n;

	test_target("gfx906", 400);
	for (n = 0; n < ISA_OP_COUNT; n++)
		if (ends[n])
			printf("gfx906 mimg %s %u %u\n", isa_op_name(n), ends[n],
			       strstr(isa_op_name(n), "sample") || strstr(isa_op_name(n), "gather"));
	return tap_done();
}

int main(int argc, char **argv)
{
	const char *cases = getenv("ISA_IMAGE_CASES");
	const u32 n = cases ? (u32)atoi(cases) : 3000;

	if (argc > 1 && !strcmp(argv[1], "counts"))
		return counts();
	test_target("gfx906", n);
	test_target("gfx1030", n);
	test_target("gfx1100", n);
	test_target("gfx1151", n);
	test_target("gfx1201", n);
	return tap_done();
}
