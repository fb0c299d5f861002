// SPDX-License-Identifier: MIT
/*
 * Vector memory in every SIMD build against a model that moves bytes lane by
 * lane: address forms, shapes, EXEC masks, scattered pages, pages that are
 * not resident. A miss must leave registers and memory as they were.
 *
 *	mem [-s SEED] [-n ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#define PAGES		64u
#define PAGE		4096u
#define SIZE		(PAGES * PAGE)
/* A 4 GiB line runs through the middle. */
#define BASE		(0x500000000000ull - SIZE / 2)
#define LDS_BYTES	8192u
#define ROWS		64u
#define SCRATCH_AT	(16 * PAGE)
#define SHARED		0x12340000u
#define PRIVATE		0x56780000u

enum form { F_V64, F_SADDR, F_FLAT, F_FLAT_LDS, F_SCRATCH, F_SCRATCH_S, F_MUBUF_SCRATCH,
	    F_MUBUF_RAW, F_DS, F_DS2, F_DS2ST64, FORMS };
static const char *const form_names[] = { "v64", "saddr", "flat", "flat-lds", "scratch",
	"scratch-s", "mubuf-scratch", "mubuf-raw", "ds", "ds2", "ds2st64" };

/**
 * struct row - one operation to test
 * @op: in the encodings FLAT, GLOBAL, SCRATCH, MUBUF, DS; 0 where there is none
 */
struct row {
	u16 op[5];
	u8 bytes;
	bool store, sext, d16, hi;
	int aop;		/* -1: no atomic */
};

#define ROW(n, ds, b, st, ...)						\
	{ { ISA_OP_FLAT_##n, ISA_OP_GLOBAL_##n, ISA_OP_SCRATCH_##n,	\
	    ISA_OP_BUFFER_##n, ds }, b, .store = st, .aop = -1, __VA_ARGS__ }
#define ATOMIC_ROW(n, ds, b, a)							\
	{ { ISA_OP_FLAT_ATOMIC_##n, ISA_OP_GLOBAL_ATOMIC_##n, 0,	\
	    ISA_OP_BUFFER_ATOMIC_##n, ISA_OP_DS_##ds }, b, .aop = a }

static const struct row rows[] = {
	ROW(LOAD_UBYTE, ISA_OP_DS_READ_U8, 1, false),
	ROW(LOAD_SBYTE, ISA_OP_DS_READ_I8, 1, false, .sext = true),
	ROW(LOAD_USHORT, ISA_OP_DS_READ_U16, 2, false),
	ROW(LOAD_SSHORT, ISA_OP_DS_READ_I16, 2, false, .sext = true),
	ROW(LOAD_DWORD, ISA_OP_DS_READ_B32, 4, false),
	ROW(LOAD_DWORDX2, ISA_OP_DS_READ_B64, 8, false),
	ROW(LOAD_DWORDX3, ISA_OP_DS_READ_B96, 12, false),
	ROW(LOAD_DWORDX4, ISA_OP_DS_READ_B128, 16, false),
	ROW(LOAD_UBYTE_D16, ISA_OP_DS_READ_U8_D16, 1, false, .d16 = true),
	ROW(LOAD_SBYTE_D16_HI, ISA_OP_DS_READ_I8_D16_HI, 1, false, .sext = true, .d16 = true,
	  .hi = true),
	ROW(LOAD_SHORT_D16, ISA_OP_DS_READ_U16_D16, 2, false, .d16 = true),
	ROW(LOAD_SHORT_D16_HI, ISA_OP_DS_READ_U16_D16_HI, 2, false, .d16 = true, .hi = true),
	ROW(STORE_BYTE, ISA_OP_DS_WRITE_B8, 1, true),
	ROW(STORE_BYTE_D16_HI, ISA_OP_DS_WRITE_B8_D16_HI, 1, true, .hi = true),
	ROW(STORE_SHORT, ISA_OP_DS_WRITE_B16, 2, true),
	ROW(STORE_SHORT_D16_HI, ISA_OP_DS_WRITE_B16_D16_HI, 2, true, .hi = true),
	ROW(STORE_DWORD, ISA_OP_DS_WRITE_B32, 4, true),
	ROW(STORE_DWORDX2, ISA_OP_DS_WRITE_B64, 8, true),
	ROW(STORE_DWORDX3, ISA_OP_DS_WRITE_B96, 12, true),
	ROW(STORE_DWORDX4, ISA_OP_DS_WRITE_B128, 16, true),
	ATOMIC_ROW(ADD, ADD_RTN_U32, 4, AOP_ADD),
	ATOMIC_ROW(SUB_X2, SUB_RTN_U64, 8, AOP_SUB),
	ATOMIC_ROW(SMIN, MIN_RTN_I32, 4, AOP_SMIN),
	ATOMIC_ROW(UMAX_X2, MAX_RTN_U64, 8, AOP_UMAX),
	ATOMIC_ROW(XOR, XOR_RTN_B32, 4, AOP_XOR),
	ATOMIC_ROW(INC, INC_RTN_U32, 4, AOP_INC),
	ATOMIC_ROW(DEC_X2, DEC_RTN_U64, 8, AOP_DEC),
	ATOMIC_ROW(SWAP, WRXCHG_RTN_B32, 4, AOP_SWAP),
	ATOMIC_ROW(CMPSWAP_X2, CMPST_RTN_B64, 8, AOP_CMPSWAP),
};

struct machine {
	struct isa_cu cu;
	struct isa_wave *w;
	struct isa_wg wg;
	struct isa_exit ex;
	u8 *mem;		/* host pages, in another order */
	u8 lds[LDS_BYTES + 64];
	bool resident[PAGES];
	bool flat;		/* one stretch, page order kept */
};

static struct machine m;
static u8 shadow[SIZE], shadow_lds[LDS_BYTES];
static u32 want[ROWS][64];
static u64 seed = 1;

static u32 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (u32)(seed >> 16);
}

static u32 host_page(u32 page)
{
	return m.flat ? page : (page * 29 + 7) % PAGES;
}

static bool clears;		/* what the case's target does with the other half */

static bool lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x)
{
	u64 at = va - BASE;

	(void)cu;
	(void)access;
	if (at >= SIZE || !m.resident[at / PAGE])
		return false;
	x->access = ISA_R | ISA_W;
	x->host = m.mem + host_page((u32)(at / PAGE)) * PAGE;
	return true;
}

static void memory_fill(void)
{
	u32 n;

	for (n = 0; n < SIZE; n++)
		shadow[n] = (u8)rnd();
	for (n = 0; n < PAGES; n++)
		memcpy(m.mem + host_page(n) * PAGE, shadow + n * PAGE, PAGE);
	for (n = 0; n < LDS_BYTES; n++)
		shadow_lds[n] = m.lds[n] = (u8)rnd();
	isa_tlb_flush(&m.cu.tlb);
}

/* ---- the model ---- */

struct place {
	enum { P_MEM, P_LDS, P_SWZ, P_RAW } kind;
	u64 at;			/* offset in memory, LDS, or lane space */
	u64 base;		/* swizzled: offset of the wave's scratch */
	u32 limit;		/* raw buffers: bytes in range */
	bool whole;		/* checked as one, not by the dword */
	u32 lane;
};

/* Offset of byte @n in @pool, or -1 if it is out of range. */
static s64 byte_at(const struct place *p, u32 n, u32 bytes, u8 **pool)
{
	u64 o = p->at + n;

	*pool = p->kind == P_LDS ? shadow_lds : shadow;
	switch (p->kind) {
	case P_LDS:
		return p->at + bytes <= LDS_BYTES ? (s64)o : -1;
	case P_SWZ:
		return (s64)(p->base + o / 4 * 256 + p->lane * 4 + o % 4);
	case P_RAW:
		if (bytes < 4 || p->whole ? p->at + bytes > p->limit :
		    p->at + n / 4 * 4 + 4 > p->limit)
			return -1;
		return (s64)(p->base + o);
	default:
		return (s64)o;
	}
}

static u64 model_atomic(int aop, u32 bytes, u64 old, u64 x, u64 cmp)
{
	u64 mask = bytes == 4 ? 0xffffffffu : ~0ull;
	s64 so = bytes == 4 ? (s32)old : (s64)old, sx = bytes == 4 ? (s32)x : (s64)x;

	switch (aop) {
	case AOP_ADD:
		return (old + x) & mask;
	case AOP_SUB:
		return (old - x) & mask;
	case AOP_SMIN:
		return (sx < so ? x : old) & mask;
	case AOP_UMAX:
		return x > old ? x : old;
	case AOP_XOR:
		return old ^ x;
	case AOP_INC:
		return old >= x ? 0 : old + 1;
	case AOP_DEC:
		return old == 0 || old > x ? x : old - 1;
	case AOP_CMPSWAP:
		return old == cmp ? x : old;
	default:
		return x;
	}
}

/* One lane's element: registers @d (destination) and @s (source) of want[]. */
static void model_lane(const struct row *r, const struct place *p, u32 d, u32 s, bool ds)
{
	u8 buf[16] = { 0 }, *pool;
	u32 v[4] = { 0 }, k, l = p->lane;
	s64 at;

	for (k = 0; k < r->bytes; k++) {
		at = byte_at(p, k, r->bytes, &pool);
		buf[k] = at < 0 ? 0 : pool[at];
	}
	memcpy(v, buf, 16);
	if (r->store) {
		for (k = 0; k < 4 && k * 4 < r->bytes; k++)
			v[k] = want[s + k][l];
		if (r->hi)
			v[0] >>= 16;
	} else if (r->aop >= 0) {
		u32 n = r->bytes / 4;
		u64 old = v[0] | (u64)v[1] << 32, x, y, new;

		x = want[s][l] | (n == 2 ? (u64)want[s + 1][l] << 32 : 0);
		y = want[s + n][l] | (n == 2 ? (u64)want[s + n + 1][l] << 32 : 0);
		if (ds && r->aop == AOP_CMPSWAP) {	/* data0 compares, data1 is stored */
			y = x;
			x = want[s + 4][l] | (n == 2 ? (u64)want[s + 5][l] << 32 : 0);
		}
		new = model_atomic(r->aop, r->bytes, old, x, y);
		for (k = 0; k < n; k++)
			want[d + k][l] = v[k];
		v[0] = (u32)new;
		v[1] = (u32)(new >> 32);
	} else if (r->bytes < 4) {
		u32 x = r->sext ? (r->bytes == 1 ? (u32)(s8)v[0] : (u32)(s16)v[0]) : v[0];
		u32 old = clears ? 0 : want[d][l];

		want[d][l] = !r->d16 ? x : r->hi ? (old & 0xffff) | x << 16 :
						   (old & 0xffff0000) | (x & 0xffff);
	} else {
		for (k = 0; k < r->bytes / 4; k++)
			want[d + k][l] = v[k];
	}
	if (!r->store && r->aop < 0)
		return;
	memcpy(buf, v, 16);
	for (k = 0; k < r->bytes; k++) {
		at = byte_at(p, k, r->bytes, &pool);
		if (at >= 0)
			pool[at] = buf[k];
	}
}

/* ---- a case: instruction, registers, addresses ---- */

#define V_ADDR	2	/* address rows */
#define V_DATA	8	/* data, and data1 of DS 4 rows on */
#define V_DST	24

struct acase {
	const struct row *r;
	enum form form;
	struct isa_slot s;
	u64 exec;
	struct place p[64];
	bool two;
	s32 off2;
};

static u64 random_exec(void)
{
	switch (rnd() % 7) {
	case 0:
	case 1:
		return ~0ull;
	case 2:
		return 0x5555555555555555ull << (rnd() & 1);
	case 3:
		return 1ull << (rnd() & 63);
	case 4:
		return rnd() & 1 ? 0xffffffffull : 0xffffffff00000000ull;
	case 5:
		return 0;
	default:
		return rnd() | (u64)rnd() << 32;
	}
}

/* Offsets of the lanes below @span, in one of several shapes. */
static void shape(u32 *off, u32 span, u32 bytes, u32 align)
{
	u32 kind = rnd() % 8, l, first = rnd() % (span - 64 * bytes) & -align;
	u32 stride = (rnd() % 40 * align + bytes) & -align;

	for (l = 0; l < 64; l++) {
		switch (kind) {
		case 0:
		case 1:
			off[l] = first + l * bytes;
			break;
		case 2:
			off[l] = first + (63 - l) * bytes;
			break;
		case 3:
			off[l] = first;
			break;
		case 4:
			off[l] = (first + l * stride) % (span - 64);
			break;
		case 5:		/* up to a page's end */
			off[l] = PAGE - 32 * bytes + l * bytes;
			break;
		case 6:
			off[l] = first + (l ^ 1) * bytes;
			break;
		default:
			off[l] = rnd() % (span - bytes);
		}
		off[l] = off[l] % (span - bytes) & -align;
	}
}

static void lane_addr(u32 l, u64 va)
{
	isa_row(m.w, V_ADDR)[l] = (u32)va;
	isa_row(m.w, V_ADDR + 1)[l] = (u32)(va >> 32);
}

static void vsharp(u64 base, u32 records, bool swizzle)
{
	u32 *s = &m.w->s[8];

	s[0] = (u32)base;
	s[1] = (u32)(base >> 32) | (u32)swizzle << 31;
	s[2] = records;
	s[3] = swizzle ? 3u << 21 | 1u << 23 : 0;
}

/* Sets addresses for lane-relative offsets @off. */
static void addresses(struct acase *c, const u32 *off)
{
	struct isa_insn *i = &c->s.in;
	u32 imm = rnd() % 64 * 4, l, soff = 0, records = 1u << 20;

	i->offset = (s32)imm;
	if (c->form == F_MUBUF_RAW || c->form == F_MUBUF_SCRATCH) {
		soff = rnd() % 8 * 256;
		m.w->s[20] = soff;
		i->src[2] = 20;
		i->src[1] = 8;
		i->mods |= ISA_MOD_OFFEN;
		records = rnd() & 1 ? SIZE / 2 : 3000 + rnd() % 8;
		vsharp(BASE + SCRATCH_AT, records, c->form == F_MUBUF_SCRATCH);
	}
	if (c->form == F_SADDR || c->form == F_SCRATCH_S)
		i->src[1] = 12;
	if (c->form == F_SCRATCH_S)
		i->src[0] = ISA_SRC_NONE;
	for (l = 0; l < 64; l++) {
		struct place *p = &c->p[l];

		*p = (struct place){ .lane = l, .at = off[l], .base = SCRATCH_AT };
		switch (c->form) {
		case F_V64:
		case F_FLAT:
			lane_addr(l, BASE + off[l] - imm);
			break;
		case F_FLAT_LDS:
			p->kind = P_LDS;
			lane_addr(l, ((u64)SHARED << 32) + off[l] - imm);
			break;
		case F_SADDR:
			lane_addr(l, off[l]);
			m.w->s[12] = (u32)(BASE - imm);
			m.w->s[13] = (u32)((BASE - imm) >> 32);
			break;
		case F_SCRATCH:
			p->kind = P_SWZ;
			lane_addr(l, off[l] - imm);
			break;
		case F_SCRATCH_S:
			p->kind = P_SWZ;
			p->at = off[0];
			m.w->s[12] = off[0] - imm;
			break;
		case F_MUBUF_SCRATCH:
			p->kind = P_SWZ;
			p->at = off[l] + imm;
			p->base += soff;
			lane_addr(l, off[l]);
			break;
		case F_MUBUF_RAW:
			p->kind = P_RAW;
			p->at = off[l] + imm;
			p->base += soff;
			p->limit = records - soff;
			p->whole = c->r->aop >= 0;
			lane_addr(l, off[l]);
			break;
		default:
			p->kind = P_LDS;
			lane_addr(l, off[l] - (c->form == F_DS ? imm : 0));
		}
	}
}

static u16 form_op(const struct row *r, enum form f, u8 *enc)
{
	static const u8 encs[5] = { ISA_ENC_FLAT, ISA_ENC_GLOBAL, ISA_ENC_SCRATCH,
				    ISA_ENC_MUBUF, ISA_ENC_DS };
	static const u8 index[FORMS] = { 1, 1, 0, 0, 2, 2, 3, 3, 4, 4, 4 };
	static const u16 twos[2][2][2] = {
		{ { ISA_OP_DS_READ2_B32, ISA_OP_DS_READ2ST64_B32 },
		  { ISA_OP_DS_READ2_B64, ISA_OP_DS_READ2ST64_B64 } },
		{ { ISA_OP_DS_WRITE2_B32, ISA_OP_DS_WRITE2ST64_B32 },
		  { ISA_OP_DS_WRITE2_B64, ISA_OP_DS_WRITE2ST64_B64 } },
	};

	*enc = encs[index[f]];
	if (f != F_DS2 && f != F_DS2ST64)
		return r->op[index[f]];
	if (r->aop >= 0 || (r->bytes != 4 && r->bytes != 8))
		return 0;
	return twos[r->store][r->bytes == 8][f == F_DS2ST64];
}

/* Builds a random case; false where form and operation do not go together. */
static bool make_case(struct acase *c, const struct isa_lane_ops *lane)
{
	const struct row *r = &rows[rnd() % ARRAY_SIZE(rows)];
	u32 off[64], span, align, l;
	bool lds;

	memset(c, 0, sizeof(*c));
	c->r = r;
	c->form = rnd() % FORMS;
	c->s.in.op = form_op(r, c->form, &c->s.in.enc);
	if (!c->s.in.op)
		return false;
	c->two = c->form == F_DS2 || c->form == F_DS2ST64;
	lds = c->form >= F_DS || c->form == F_FLAT_LDS;
	c->s.in.src[0] = ISA_SRC_VGPR0 + V_ADDR;
	c->s.in.src[1] = ISA_SRC_NONE;
	c->s.in.src[2] = ISA_SRC_VGPR0 + V_DATA;
	c->s.in.dst = ISA_SRC_VGPR0 + V_DST;
	c->s.in.sdst = ISA_SRC_NONE;
	if (r->aop >= 0)
		c->s.in.mods |= ISA_MOD_GLC;
	align = r->aop >= 0 ? r->bytes : rnd() & 1 ? 4 : 1;
	span = lds ? LDS_BYTES + 200 : c->form == F_SCRATCH || c->form == F_SCRATCH_S ||
	       c->form == F_MUBUF_SCRATCH ? 2400 : c->form == F_MUBUF_RAW ? PAGE : SIZE;
	if (c->form == F_SCRATCH_S && align < 4)
		align = 4;
	shape(off, span, r->bytes, align);
	addresses(c, off);
	if (c->s.in.enc == ISA_ENC_MUBUF && (r->store || r->aop >= 0))
		c->s.in.dst = ISA_SRC_VGPR0 + V_DATA;
	if (c->s.in.enc == ISA_ENC_DS) {
		c->s.in.src[1] = ISA_SRC_VGPR0 + V_DATA;
		c->s.in.src[2] = ISA_SRC_VGPR0 + V_DATA + 4;
	}
	if (c->two) {
		u32 unit = r->bytes * (c->form == F_DS2ST64 ? 64 : 1);
		u32 o0 = rnd() % 4, o1 = rnd() % 8;

		c->s.in.offset = (s32)(o0 | o1 << 8);
		for (l = 0; l < 64; l++)
			c->p[l].at += o0 * unit;
		c->off2 = (s32)(o1 * unit) - (s32)(o0 * unit);
	}
	c->exec = random_exec();
	/* With ECC in memory, as a GPU of gfx90a has it, D16 loads clear the other half. */
	clears = !r->d16 || rnd() & 1;
	return isa_bind(lane, isa_target_by_name(clears ? "gfx90a" : "gfx906"), &c->s);
}

static void model(const struct acase *c)
{
	u32 d = c->s.in.enc == ISA_ENC_MUBUF && c->r->aop >= 0 ? V_DATA : V_DST, l, e;
	bool ds = c->s.in.enc == ISA_ENC_DS;
	u32 n = (c->r->bytes + 3) / 4;

	for (l = 0; l < 64; l++)
		for (e = 0; e < 1u + c->two; e++) {
			struct place p = c->p[l];

			if (!(c->exec >> l & 1))
				continue;
			p.at += (s64)e * c->off2;
			/* The second of two writes comes after the first of all lanes. */
			if (c->two && c->r->store && e)
				continue;
			model_lane(c->r, &p, d + e * n, V_DATA + e * 4, ds);
		}
	for (l = 0; c->two && c->r->store && l < 64; l++) {
		struct place p = c->p[l];

		p.at += c->off2;
		if (c->exec >> l & 1)
			model_lane(c->r, &p, d, V_DATA + 4, ds);
	}
}

static bool same(const struct acase *c, const char *lane, const char *what)
{
	u32 n, k;

	for (n = 0; n < ROWS; n++)
		for (k = 0; k < 64; k++)
			if (isa_row(m.w, n)[k] != want[n][k]) {
				printf("# %s %s %s %s exec %#llx: v%u[%u] %#x, not %#x\n", lane,
				       what, isa_op_name(c->s.in.op), form_names[c->form],
				       (unsigned long long)c->exec, n, k, isa_row(m.w, n)[k],
				       want[n][k]);
				return false;
			}
	for (n = 0; n < PAGES; n++)
		for (k = 0; k < PAGE; k++)
			if (m.mem[host_page(n) * PAGE + k] != shadow[n * PAGE + k]) {
				printf("# %s %s %s %s exec %#llx: memory at %#x\n", lane, what,
				       isa_op_name(c->s.in.op), form_names[c->form],
				       (unsigned long long)c->exec, n * PAGE + k);
				return false;
			}
	if (memcmp(m.lds, shadow_lds, LDS_BYTES)) {
		printf("# %s %s %s %s: LDS differs\n", lane, what, isa_op_name(c->s.in.op),
		       form_names[c->form]);
		return false;
	}
	return true;
}

static bool run_case(struct acase *c, const char *lane)
{
	enum isa_stop stop;
	u32 n, misses = 0;

	memcpy(want, m.w->v, sizeof(want));
	isa_set_exec(m.w, c->exec);
	for (;;) {
		stop = c->s.exec[m.w->full](m.w, &c->s.in);
		if (stop == ISA_STOP_BUDGET)	/* done; dear ones end a turn */
			stop = ISA_STOP_NONE;
		if (stop != ISA_STOP_MISS)
			break;
		if (!same(c, lane, "after a miss"))
			return false;
		n = (u32)((m.ex.va - BASE) / PAGE);
		if (m.ex.va - BASE >= SIZE || m.resident[n] || ++misses > PAGES) {
			printf("# %s %s %s: miss at %#llx\n", lane, isa_op_name(c->s.in.op),
			       form_names[c->form], (unsigned long long)m.ex.va);
			return false;
		}
		m.resident[n] = true;
	}
	if (stop == ISA_STOP_MEMVIOL && c->r->aop >= 0)
		return same(c, lane, "after a violation");
	if (stop) {
		printf("# %s %s: stop %u\n", lane, isa_op_name(c->s.in.op), stop);
		return false;
	}
	model(c);
	return same(c, lane, "result");
}

static bool run_lane(const char *name, u32 rounds)
{
	const u32 cpu = (__builtin_cpu_supports("avx2") ? ISA_CPU_AVX2 : 0) |
			(__builtin_cpu_supports("avx512bw") ? ISA_CPU_AVX512 : 0);
	const struct isa_lane_ops *lane = isa_lane_by_name(name, cpu);
	struct acase c;
	u32 n, k, bad = 0, ran = 0;

	if (!lane)
		return true;
	m.cu.lane = lane;
	memory_fill();
	for (n = 0; n < rounds && bad < 10; n++) {
		if (n % 64 == 0) {
			m.flat = n / 64 & 1;
			memory_fill();
		}
		if (!make_case(&c, lane))
			continue;
		for (k = 0; k < PAGES; k++)
			m.resident[k] = rnd() % 8 != 0;
		isa_tlb_flush(&m.cu.tlb);
		for (k = 0; k < 64 * 30; k++)
			m.w->v[V_DATA * 64 + k] = rnd() % 5 ? rnd() : k % 3;
		ran++;
		if (!run_case(&c, name)) {
			bad++;
			memory_fill();
		}
	}
	printf("# %s: %u cases\n", name, ran);
	return !bad && ran;
}

int main(int argc, char **argv)
{
	static const char *const lanes[] = { "sse2", "avx2", "avx512" };
	u32 rounds = 8000, n, failed = 0;
	int a;

	for (a = 1; a + 1 < argc; a += 2) {
		if (!strcmp(argv[a], "-s"))
			seed = strtoull(argv[a + 1], NULL, 0) * 2 + 1;
		else if (!strcmp(argv[a], "-n"))
			rounds = (u32)atoi(argv[a + 1]);
	}
	m.mem = aligned_alloc(4096, SIZE);
	m.w = isa_wave_init(aligned_alloc(64, (isa_wave_bytes() + 63) & ~63ull),
			    aligned_alloc(64, ROWS * 256), ROWS);
	m.wg = (struct isa_wg){ .lds = m.lds, .lds_bytes = LDS_BYTES };
	m.cu.target = isa_target_by_name("gfx90a");
	m.cu.lookup = lookup;
	isa_wave_reset(m.w, &m.cu, &m.wg, 0, ~0ull);
	m.w->ex = &m.ex;
	m.w->shared_base = SHARED;
	m.w->private_base = PRIVATE;
	m.w->s[102] = (u32)(BASE + SCRATCH_AT);
	m.w->s[103] = (u32)((BASE + SCRATCH_AT) >> 32);
	memset(m.w->v, 0, ROWS * 256);
	printf("TAP version 13\n1..%zu\n", ARRAY_SIZE(lanes));
	for (n = 0; n < ARRAY_SIZE(lanes); n++) {
		bool ok = run_lane(lanes[n], rounds);

		failed += !ok;
		printf("%sok %u mem_%s\n", ok ? "" : "not ", n + 1, lanes[n]);
	}
	return !!failed;
}
