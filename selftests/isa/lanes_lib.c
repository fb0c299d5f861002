// SPDX-License-Identifier: MIT
/* Test waves and hand-made instructions; see lanes.h. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lanes.h"

const struct lt_op lt_ops[] = {
#include "generated/isa_list.h"
};
const unsigned int lt_op_count = ARRAY_SIZE(lt_ops);

static u64 rng[2] = { 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9 };

void lt_seed(u64 seed)
{
	rng[0] = seed * 0x9e3779b97f4a7c15 + 1;
	rng[1] = ~seed * 0xbf58476d1ce4e5b9 + 3;
}

u64 lt_rand(void)	/* xorshift128+ */
{
	u64 a = rng[0], b = rng[1];

	rng[0] = b;
	a ^= a << 23;
	rng[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
	return rng[1] + b;
}

bool lt_is64(unsigned int t)
{
	return t == LT_U64 || t == LT_I64 || t == LT_F64 || t == LT_PKF32;
}

bool lt_is16(unsigned int t)
{
	return t == LT_U16 || t == LT_I16 || t == LT_F16 || t == LT_BF16;
}

bool lt_isf(unsigned int t)
{
	return t == LT_F32 || t == LT_F16 || t == LT_BF16 || t == LT_F64 || t == LT_PKF ||
	       t == LT_PKBF || t == LT_PKF32 || t == LT_MIX;
}

static u32 pick32(const u32 *v, size_t n)
{
	return v[lt_rand() % n];
}

u32 lt_value32(void)
{
	static const u32 special[] = {
		0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
		0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001,
		0xff9abcde, 0x00800000, 0x007fffff, 0x80800000, 0x7f7fffff,
		0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3f7fffff,
		0x4b000000, 0x4affffff, 0x4f000000, 0x4effffff, 0x4f800000,
		0xcf000000, 0x43800000, 0x3e800000, 0x3fc00000, 0x40200000,
		31, 32, 33, 63, 64, 0x7c00fc00, 0x7e007d01, 0x3c003c00, 0x04000001,
		0x83ff03ff, 0x7bfffbff, 0x38003801,
	};
	u64 r = lt_rand();

	switch (r & 15) {
	case 0:
	case 1:
	case 2:
		return pick32(special, ARRAY_SIZE(special));
	case 3:		/* floats of middling size */
	case 4:
	case 5:
		return (u32)(r >> 32 & 0x80ffffff) | (u32)(0x30 + (r >> 8) % 0x1f) << 24;
	case 6:		/* denormal or near it */
		return (u32)(r >> 32) & 0x80ffffff;
	case 7:		/* small integers */
		return (u32)(r >> 32) & 0xff;
	}
	return (u32)(r >> 32);
}

u64 lt_value(unsigned int type)
{
	static const u64 special[] = {
		0, 1, 1ull << 63, ~0ull, 0x7ff0000000000000, 0xfff0000000000000,
		0x7ff8000000000000, 0xfff8000000012345, 0x7ff0000000000001,
		0x0010000000000000, 0x000fffffffffffff, 0x7fefffffffffffff,
		0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000,
		0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000,
		0x41f0000000000000, 0x4330000000000000, 0x3ff8000000000000,
		0x8000000000000001, 0x7fffffffffffffff,
	};
	u64 r;

	if (!lt_is64(type) || type == LT_PKF32)
		return lt_value32() | (u64)lt_value32() << 32;
	r = lt_rand();
	if (!(r & 3))
		return special[lt_rand() % ARRAY_SIZE(special)];
	if ((r & 3) == 1 && type == LT_F64)	/* middling exponents */
		return (lt_rand() & 0x800fffffffffffff) | (0x3c0ull + r % 0x80) << 52;
	if ((r & 7) == 2 && type == LT_F64)
		return lt_rand() & 0x803fffffffffffff;
	return lt_rand();
}

static struct isa_cu cu;

/* The register file is the last thing before an inaccessible page. */
bool lt_wave_make(struct lt_wave *t)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), file = LT_ROWS * ISA_LANES * 4;
	size_t head = (isa_wave_bytes() + page - 1) / page * page;
	size_t body = (file + page - 1) / page * page;
	char *p;

	t->bytes = head + body + page;
	p = mmap(NULL, t->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return false;
	if (mprotect(p + head + body, page, PROT_NONE))
		return false;
	t->map = p;
	t->w = isa_wave_init(p, (u32 *)(void *)(p + head + body - file), LT_ROWS);
	cu.target = isa_target_by_name("gfx942");
	isa_wave_reset(t->w, &cu, NULL, 0, ~0ull);
	t->w->acc_row = 8;
	return true;
}

void lt_wave_fill(struct lt_wave *t)
{
	static const u64 masks[] = { ~0ull, 0, 1, 1ull << 63, 0x5555555555555555 };
	struct isa_wave *w = t->w;
	unsigned int n;
	u64 r = lt_rand();

	for (n = 0; n < LT_ROWS * ISA_LANES; n++)
		w->v[n] = lt_value32();
	for (n = 0; n < 108; n++)
		w->s[n] = lt_value32();
	w->s[ISA_SRC_M0] = (u32)lt_rand();
	w->scc = r & 1;
	isa_set_exec(w, (r >> 8 & 3) == 0 ? lt_rand() :
		     (r >> 8 & 3) == 1 ? masks[(r >> 16) % 5] : ~0ull);
}

void lt_wave_copy(struct lt_wave *d, const struct lt_wave *s)
{
	u32 *v = d->w->v;

	*d->w = *s->w;
	d->w->v = v;
	memcpy(v, s->w->v, LT_ROWS * ISA_LANES * 4);
}

bool lt_wave_equal(const struct lt_wave *a, const struct lt_wave *b, char *why, size_t len)
{
	unsigned int n;

	for (n = 0; n < LT_ROWS * ISA_LANES; n++)
		if (a->w->v[n] != b->w->v[n]) {
			snprintf(why, len, "v%u lane %u: %08x, %08x", n / ISA_LANES,
				 n % ISA_LANES, a->w->v[n], b->w->v[n]);
			return false;
		}
	for (n = 0; n < 128; n++)
		if (a->w->s[n] != b->w->s[n]) {
			snprintf(why, len, "s%u: %08x, %08x", n, a->w->s[n], b->w->s[n]);
			return false;
		}
	if (a->w->full != b->w->full) {
		snprintf(why, len, "full: %u, %u", a->w->full, b->w->full);
		return false;
	}
	return true;
}

static bool is_vop3p(const struct lt_op *op)
{
	return !strncmp(op->name, "V_PK_", 5) || strstr(op->name, "_MIX") ||
	       !strncmp(op->name, "V_ACCVGPR_", 10) ||
	       (!strncmp(op->name, "V_DOT", 5) && op->name[6] == '_');
}

static u16 random_source(unsigned int type)
{
	u64 r = lt_rand();
	u32 wide = lt_is64(type);

	switch (r & 7) {
	case 0:		/* SGPR */
		return (u16)((r >> 8) % 50 * 2);
	case 1:		/* constants */
		return (u16)(r & 0x100 ? 128 + (r >> 16) % 81 : 240 + (r >> 16) % 9);
	case 2:
		return (u16)(ISA_SRC_ACC0 + (r >> 8) % (8 - wide));
	}
	return (u16)(ISA_SRC_VGPR0 + (r >> 8) % (8 - wide));
}

static u16 random_vgpr(unsigned int type)
{
	return (u16)(ISA_SRC_VGPR0 + lt_rand() % (8 - lt_is64(type)));
}

/* The dword behind the instruction: SDWA or DPP. */
static void random_sub(struct isa_insn *i, const struct lt_op *op)
{
	static const u16 ctrl[] = {
		0x1b, 0xe4, 0x4e, 0x101, 0x10f, 0x111, 0x118, 0x121, 0x12c, 0x130, 0x134,
		0x138, 0x13c, 0x140, 0x141, 0x142, 0x143, 0x150, 0x15b,
	};
	u64 r = lt_rand();

	i->src[0] = random_vgpr(op->src[0]);
	if (op->src[1])
		i->src[1] = random_vgpr(op->src[1]);
	if (r & 1 || lt_is64(op->src[0]) || lt_is64(op->dst)) {
		if (op->flags & LT_CMP)		/* no DPP compares on GFX9 */
			return;
		i->mods |= ISA_MOD_DPP | (r & 2 ? ISA_MOD_BOUND : 0);
		i->ctl = ctrl[(r >> 8) % ARRAY_SIZE(ctrl)] |
			 (r & 4 ? 15 : (u32)(r >> 16) & 15) << 12 |
			 (r & 8 ? 15 : (u32)(r >> 20) & 15) << 16;
		return;
	}
	i->mods |= ISA_MOD_SDWA;
	i->ctl = (u32)(r >> 8) % 7 | (u32)(r >> 16) % 3 << 3 | (u32)(r >> 24) % 7 << 8 |
		 (u32)(r >> 30 & 1) << 11 | (u32)(r >> 32) % 7 << 12 |
		 (u32)(r >> 40 & 1) << 15;
	/* Handlers of their own: a whole result of unsigned parts, of the whole second */
	if (r >> 48 & 1)
		i->ctl = (i->ctl & 0x7700) | 6;
	if (r >> 48 & 2)
		i->ctl = (i->ctl & ~0xf000u) | 6 << 12;
	if (op->flags & LT_CMP)
		i->ctl = (i->ctl & ~0x1fu) | 6;
}

/* Half of the time a source is the destination. */
static void random_in_place(struct isa_insn *i, const struct lt_op *op)
{
	u64 r = lt_rand();
	u32 n = (u32)(r >> 8) % 3;

	if (r & 1 && op->dst && op->src[n] && i->src[n] >= ISA_SRC_VGPR0 &&
	    i->src[n] + lt_is64(op->dst) < ISA_SRC_VGPR0 + 8)
		i->dst = i->src[n];
}

static void random_insn(struct isa_insn *i, const struct lt_op *op, bool plain)
{
	bool packed = is_vop3p(op), isf = lt_isf(op->src[0]);
	u64 r = lt_rand();
	unsigned int n;

	memset(i, 0, sizeof(*i));
	i->op = op->op;
	i->size = 2;
	i->enc = packed ? ISA_ENC_VOP3P : ISA_ENC_VOP3;
	i->dst = op->dst ? random_vgpr(op->dst) : ISA_SRC_NONE;
	i->sdst = op->flags & (LT_CARRY | LT_CMP) ? (r & 0xff00 ? 20 : ISA_SRC_VCC_LO) :
						    ISA_SRC_NONE;
	i->lit = lt_value32();
	for (n = 0; n < 3; n++)
		i->src[n] = !op->src[n] ? ISA_SRC_NONE :
			    plain ? random_vgpr(op->src[n]) : random_source(op->src[n]);
	if (op->flags & LT_CIN)
		i->src[2] = 30;
	if (op->flags & LT_LIT) {
		n = strstr(op->name, "MK_") ? 1 : 2;	/* v_madmk, v_fmamk */
		i->enc = ISA_ENC_VOP2;
		i->src[n] = ISA_SRC_LITERAL;
		i->src[3 - n] = random_vgpr(op->src[0]);
	}
	if (packed)
		i->opsel = 7 << 4;
	if (plain)
		return;
	if (packed) {
		i->opsel = r & 1 ? 7 << 4 : r >> 8 & 0x77;
		i->neg = isf && r & 2 ? r >> 16 & 7 : 0;
		i->abs = isf && r & 4 ? r >> 24 & 7 : 0;
	} else if (!(op->flags & LT_LIT)) {
		for (n = 0; n < 3; n++)
			if (lt_isf(op->src[n])) {
				i->neg |= (r >> (8 + n) & 1) << n;
				i->abs |= (r >> (12 + n) & 1) << n;
			}
		if (r & 0xf0000)
			i->neg = i->abs = 0;
		if (lt_isf(op->dst) && !(r & 0xf00000))
			i->omod = r >> 32 & 3;
		if (op->flags & LT_KEEP && !(r & 0x3000000))
			i->opsel = r >> 40 & 15;
	}
	if (!(r & 0x70000000))
		i->mods |= ISA_MOD_CLAMP;
	if (!packed && !op->src[2] && !(op->flags & LT_LIT) && !(r & 0x700000000)) {
		i->opsel = 0;
		i->enc = op->flags & LT_CMP ? ISA_ENC_VOPC :
			 op->src[1] ? ISA_ENC_VOP2 : ISA_ENC_VOP1;
		random_sub(i, op);
	}
}

/* A random instruction of @op; @plain: registers only, no modifiers. */
void lt_insn(struct isa_insn *i, const struct lt_op *op, bool plain)
{
	random_insn(i, op, plain);
	random_in_place(i, op);
}

void lt_insn_print(const struct isa_insn *i, const struct lt_op *op)
{
	printf("# %s enc %u dst %u sdst %u src %u %u %u mods %x ",
	       op->name, i->enc, i->dst, i->sdst, i->src[0], i->src[1], i->src[2], i->mods);
	printf("neg %x abs %x omod %u opsel %x ctl %x lit %x\n",
	       i->neg, i->abs, i->omod, i->opsel, i->ctl, i->lit);
}

bool lt_run(const struct isa_lane_ops *ops, struct isa_wave *w, const struct isa_insn *in)
{
	struct isa_slot s = { .in = *in };
	enum isa_stop why;

	if (!ops->bind(isa_target_by_name("gfx942"), &s))
		return false;
	ops->enter(w);
	why = s.exec[w->full](w, &s.in);
	ops->leave(w);
	/* Dear ones end a turn. */
	return why == ISA_STOP_NONE || why == ISA_STOP_BUDGET;
}

u32 lt_cpu(void)
{
	u32 cpu = 0;

	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		cpu |= ISA_CPU_AVX2;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
		cpu |= ISA_CPU_AVX512;
	return cpu;
}
