// SPDX-License-Identifier: MIT
/*
 * libFuzzer: programs. An input is a machine (target, registers, EXEC, MODE, LDS) and
 * a list of picks, each of which becomes a valid instruction of the target with
 * whatever operands and modifiers the bits say. Every SIMD build that this CPU has
 * runs the program step by step on a machine of its own, and one of them again in
 * long runs: all must end alike, bit for bit. Registers, LDS, wave, matrix staging
 * and each page of memory lie between pages that nobody may touch; every atomic
 * checks its alignment (isa_assert).
 */
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "guard.h"
#include "mutate.h"
#include "tables.h"
#include "targets.h"

#define PAGE		4096u
#define PAGES		16	/* of the window at address 0 */
#define CODE_PAGE	8
#define MAX_ROWS	48
#define MAX_LDS		4096u
#define MAX_INSNS	96	/* of a program */
#define STEPS		400
#define STOPS		60
#define HEADER		48
#define PICK		16	/* bytes of input for an instruction */

static const u8 page_access[PAGES] = {
	[0] = ISA_R | ISA_W, [1] = ISA_R | ISA_W, [3] = ISA_R | ISA_W,
	[4] = ISA_R, [6] = ISA_R | ISA_W, [7] = ISA_W,
	[CODE_PAGE] = ISA_R | ISA_X, [CODE_PAGE + 1] = ISA_R | ISA_X,
};

struct machine {
	struct isa_cu *cu;
	struct isa_wg wg;
	struct isa_wave *w;
	struct isa_exit ex;
	void *wave_mem;
	u32 *rows[2];		/* up to the page before, and to the one behind */
	u8 *lds_end, *page[PAGES];
	u32 stops;
	bool done;
};

/* The builds, and the last of them in long runs */
static struct machine machines[4];
static const struct isa_lane_ops *const lane[] = {
	&isa_lane_sse2, &isa_lane_avx2, &isa_lane_avx512,
};
static unsigned int lanes;

static const struct isa_target *target;
static u32 code[MAX_INSNS * 3 + 1], ncode;

/* FUZZ_SHOW in the environment: says each program, and each instruction before it runs */
static bool show;
/* The input of libFuzzer, and whether machines are compared after each instruction */
static const u8 *input;
static size_t input_size;
static bool again;
static u64 step_pc;

static bool lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x)
{
	const struct machine *m = cu->priv;
	u64 n = va / PAGE;

	if (n >= PAGES || !m->page[n] || (page_access[n] & access) != access)
		return false;
	x->host = m->page[n];
	x->access = page_access[n];
	return true;
}

static u64 ticks(struct isa_cu *cu)
{
	(void)cu;
	return 1000;
}

static void machine_init(struct machine *m)
{
	u32 n;

	m->cu = guard_alloc(sizeof(*m->cu), false);
	m->wave_mem = guard_alloc((isa_wave_bytes() + 63) & ~63ul, false);
	m->rows[0] = guard_alloc(MAX_ROWS * 256, true);
	m->rows[1] = guard_alloc(MAX_ROWS * 256, false);
	m->lds_end = (u8 *)guard_alloc(MAX_LDS + 64, false) + MAX_LDS + 64;
	for (n = 0; n < PAGES; n++)
		if (page_access[n])
			m->page[n] = guard_alloc(PAGE, true);
	m->cu->icache = isa_icache_init(guard_alloc((isa_icache_bytes(8) + 63) & ~63ul, false), 8);
	m->cu->lookup = lookup;
	m->cu->clock = ticks;
	m->cu->priv = m;
}

/* ------------------------------------------------------------------ programs */

static const struct format {
	u32 match;
	u8 enc, hi, lo;
	u8 weight;
} formats[] = {
	{ 0xbe800000, ISA_ENC_SOP1, 15, 8, 2 },
	{ 0xbf000000, ISA_ENC_SOPC, 22, 16, 1 },
	{ 0xbf800000, ISA_ENC_SOPP, 22, 16, 1 },
	{ 0xb0000000, ISA_ENC_SOPK, 27, 23, 1 },
	{ 0x80000000, ISA_ENC_SOP2, 29, 23, 2 },
	{ 0x7e000000, ISA_ENC_VOP1, 16, 9, 4 },
	{ 0x7c000000, ISA_ENC_VOPC, 24, 17, 2 },
	{ 0x00000000, ISA_ENC_VOP2, 30, 25, 4 },
	{ 0xc0000000, ISA_ENC_SMEM, 25, 18, 2 },
	{ 0xd3800000, ISA_ENC_VOP3P, 22, 16, 4 },
	{ 0xd0000000, ISA_ENC_VOP3, 25, 16, 6 },
	{ 0xd8000000, ISA_ENC_DS, 24, 17, 4 },
	{ 0xdc000000, ISA_ENC_FLAT, 24, 18, 3 },
	{ 0xdc004000, ISA_ENC_SCRATCH, 24, 18, 2 },
	{ 0xdc008000, ISA_ENC_GLOBAL, 24, 18, 4 },
	{ 0xe0000000, ISA_ENC_MUBUF, 24, 18, 4 },
	{ 0xe8000000, ISA_ENC_MTBUF, 18, 15, 1 },
};

static const struct format *pick_format(u32 bits)
{
	u32 n, sum = 0;

	for (n = 0; n < ARRAY_SIZE(formats); n++)
		sum += formats[n].weight;
	bits %= sum;
	for (n = 0; bits >= formats[n].weight; n++)
		bits -= formats[n].weight;
	return &formats[n];
}

/* The @nth of the opcodes that the target has in an encoding. */
static u32 pick_op(const struct format *f, u32 nth)
{
	u32 n, count = 0, slots = 1u << (f->hi - f->lo + 1);

	for (n = 0; n < slots; n++)
		count += !!target->slots[f->enc][n];
	nth %= count ? count : 1;
	for (n = 0; n < slots; n++)
		if (target->slots[f->enc][n] && !nth--)
			return n;
	return 0;
}

static void put_bits(u32 *w, u32 hi, u32 lo, u32 v)
{
	u32 mask = (hi - lo == 31 ? ~0u : (1u << (hi - lo + 1)) - 1) << lo;

	*w = (*w & ~mask) | (v << lo & mask);
}

static u32 get_bits(u32 w, u32 hi, u32 lo)
{
	return w >> lo & ((1u << (hi - lo + 1)) - 1);
}

/* VGPR fields to registers that exist, mostly. */
static void low_vgprs(u32 *w, u32 hi, u32 lo)
{
	u32 v = get_bits(*w, hi, lo);

	if (hi - lo == 8) {	/* a source: half of them VGPRs */
		if (v & 0x100)
			put_bits(w, hi, lo, 0x100 | (v & 0x1f));
	} else if (v % 16) {
		put_bits(w, hi, lo, v & 0x1f);
	}
}

static void shape(const struct format *f, u32 dw[3])
{
	switch (f->enc) {
	case ISA_ENC_VOP1:
	case ISA_ENC_VOP2:
	case ISA_ENC_VOPC:
		low_vgprs(&dw[0], 8, 0);
		if (f->enc != ISA_ENC_VOP1)
			low_vgprs(&dw[0], 16, 9);
		if (f->enc != ISA_ENC_VOPC)
			low_vgprs(&dw[0], 24, 17);
		/* SDWA and DPP words have a register at the bottom. */
		if (get_bits(dw[0], 8, 0) == 249 || get_bits(dw[0], 8, 0) == 250)
			low_vgprs(&dw[1], 7, 0);
		break;
	case ISA_ENC_VOP3:
	case ISA_ENC_VOP3P:
		low_vgprs(&dw[0], 7, 0);
		low_vgprs(&dw[1], 8, 0);
		low_vgprs(&dw[1], 17, 9);
		low_vgprs(&dw[1], 26, 18);
		break;
	case ISA_ENC_DS:
	case ISA_ENC_FLAT:
	case ISA_ENC_GLOBAL:
	case ISA_ENC_SCRATCH:
		low_vgprs(&dw[1], 7, 0);
		low_vgprs(&dw[1], 15, 8);
		if (f->enc == ISA_ENC_DS)
			low_vgprs(&dw[1], 23, 16);
		else if (dw[2] & 1)
			put_bits(&dw[1], 22, 16, 0x7f);
		else
			put_bits(&dw[1], 22, 16, dw[2] >> 8 & 0xe);
		low_vgprs(&dw[1], 31, 24);
		if (dw[2] & 2)
			put_bits(&dw[0], 12, 0, dw[2] >> 16 & 0x3f);
		break;
	case ISA_ENC_MUBUF:
	case ISA_ENC_MTBUF:
		low_vgprs(&dw[1], 7, 0);
		low_vgprs(&dw[1], 15, 8);
		put_bits(&dw[1], 20, 16, dw[2] % 4);
		break;
	case ISA_ENC_SMEM:
		put_bits(&dw[0], 5, 0, dw[2] % 8);
		break;
	default:
		break;
	}
}

/* One valid instruction from @bits; its length. */
static u32 pick_insn(const u32 bits[4], u32 *out)
{
	const struct format *f = pick_format(bits[0]);
	u32 op = pick_op(f, bits[0] >> 8), try, mask = ~0u;
	struct isa_insn in;
	int len;

	if (!target->slots[f->enc])
		return 0;
	for (try = 0; try < 6; try++, mask >>= 6) {
		/* Fewer and fewer bits that may be wrong */
		u32 dw[3] = { bits[1] & mask, bits[2] & (try < 4 ? ~0u : 0x1fffffff), bits[3] };

		put_bits(&dw[0], f->hi, f->lo, op);
		shape(f, dw);
		dw[0] = (dw[0] & ~(0xfc000000u)) | (dw[0] & 0x03ffffff);
		if (f->enc == ISA_ENC_VOP2)
			dw[0] = (op << 25) | (dw[0] & 0x01ffffff);
		else if (f->enc == ISA_ENC_VOP1 || f->enc == ISA_ENC_VOPC)
			dw[0] = (dw[0] & 0x01ffffff) | f->match;
		else if (f->enc == ISA_ENC_SOP2)
			dw[0] = (dw[0] & 0x007fffff) | op << 23 | f->match;
		else if (f->enc == ISA_ENC_SOPK)
			dw[0] = (dw[0] & 0x007fffff) | op << 23 | f->match;
		else if (f->enc == ISA_ENC_SOP1 || f->enc == ISA_ENC_SOPC ||
			 f->enc == ISA_ENC_SOPP || f->enc == ISA_ENC_VOP3P)
			dw[0] = (dw[0] & 0x007fffff) | f->match;
		else if (f->enc == ISA_ENC_FLAT || f->enc == ISA_ENC_SCRATCH ||
			 f->enc == ISA_ENC_GLOBAL)
			dw[0] = (dw[0] & 0x03ff3fff) | f->match;
		else
			dw[0] = (dw[0] & 0x03ffffff) | f->match;
		len = isa_decode(target, dw, 3, &in);
		if (len <= 0 || in.enc != f->enc)
			continue;
		/* Branches far away end a program for nothing. */
		if (in.enc == ISA_ENC_SOPP && op >= 2 && op <= 9)
			dw[0] = (dw[0] & 0xffff0000) | (bits[2] & 7);
		memcpy(out, dw, (u32)len * 4);
		return (u32)len;
	}
	return 0;
}

static void make_program(const u8 *data, size_t size)
{
	size_t at;
	u32 n = 0;

	ncode = 0;
	for (at = HEADER; at + PICK <= size && n < MAX_INSNS; at += PICK, n++) {
		u32 bits[4];

		memcpy(bits, data + at, sizeof(bits));
		ncode += pick_insn(bits, code + ncode);
	}
	code[ncode++] = 0xbf810000;	/* s_endpgm */
}

/* ------------------------------------------------------------------- machines */

/* Values that operations treat apart, and any. */
static u32 value(u32 *s)
{
	static const u32 odd[] = {
		0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 1, 0x007fffff,
		0x00800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xffffffff, 0x7fffffff,
		0x3c003c00, 0x7c00fc00, 0x03ff0001, 0x7e007c01, 0x7ff00000, 0x3ff00000, 0x00100000,
		0x4f000000, 0xcf000000, 0x33800000, 0x7fff8000,
	};

	*s ^= *s << 13;
	*s ^= *s >> 17;
	*s ^= *s << 5;
	return *s % 3 ? *s * 2654435761u : odd[*s / 3 % ARRAY_SIZE(odd)];
}

/* What all machines start from */
static u32 first_rows[MAX_ROWS * ISA_LANES], first_pages[PAGES][PAGE / 4];
static u8 first_lds[MAX_LDS + 64];

static void make_memory(void)
{
	u32 n, k;

	for (n = 0; n < PAGES; n++)
		for (k = 0; k < PAGE / 4; k++)
			first_pages[n][k] = n & 1 ? k * 0x01010101 : 0x3f80 + k * 977;
	memset(first_pages[CODE_PAGE], 0, sizeof(first_pages[0]));
	memset(first_pages[CODE_PAGE + 1], 0, sizeof(first_pages[0]));
	for (n = 0; n < sizeof(first_lds); n++)
		first_lds[n] = (u8)(n * 37);
}

static void make_rows(const u8 *cfg)
{
	u32 r, l, s;

	memcpy(&s, cfg + 16, 4);
	s |= 1;
	for (r = 0; r < MAX_ROWS; r++)
		for (l = 0; l < ISA_LANES; l++)
			switch (r % 8) {
			case 1: first_rows[r * 64 + l] = 0; break;
			case 2: first_rows[r * 64 + l] = 0x0fd0 + l * cfg[20]; break;
			case 3: first_rows[r * 64 + l] = l & 32 ? cfg[21] & 3 : 0; break;
			case 4: first_rows[r * 64 + l] = l * 4 + (l & cfg[22]); break;
			case 5: first_rows[r * 64 + l] = 0; break;
			default: first_rows[r * 64 + l] = value(&s); break;
			}
}

static void set_sgprs(struct isa_wave *w, const u8 *cfg)
{
	static const u32 sgpr[16] = {
		0x0ff0, 0, 0x3000, 0, 0x100, 0x00040000, 0x400, 0x00027000,
		0, 0x80040000, 0x1000, 0x00e00000, 0x6ff8, 0, 4, 0x8010,
	};
	u32 n, s;

	memcpy(&s, cfg + 24, 4);
	s |= 1;
	memcpy(w->s, sgpr, sizeof(sgpr));
	for (n = 16; n < 102; n++)
		w->s[n] = value(&s);
	for (n = 0; n < 8; n++)
		w->s[cfg[32 + n] % 16] ^= cfg[40 + n] & 0x3f;
	w->s[ISA_SRC_FLAT_SCR_LO] = 0x3000 + (cfg[28] & 1 ? cfg[29] : 0);
	w->s[ISA_SRC_M0] = cfg[30] | (u32)cfg[31] << 8;
}

static void machine_start(struct machine *m, const struct isa_lane_ops *ops, const u8 *cfg)
{
	static u64 epoch;
	u32 rows = 8 + cfg[1] % (MAX_ROWS - 8), n;
	struct isa_wave_setup s = {
		.mode = cfg[4] | (cfg[5] & 3) << 8 | (u32)(cfg[6] >> 1) << 12,
		.rows = rows, .acc_offset = cfg[2] & 0x3c, .sgprs = 104,
		.shared_base = 2, .private_base = 1, .scratch_base = 0x3000,
		.scratch_lane_bytes = 16, .ids = 3, .packed_ids = true, .size = { 16, 2, 2 },
	};
	u64 exec;

	/* Arithmetic exceptions end programs soon: not in most of them. */
	if (cfg[6] & 1 || cfg[7] % 4)
		s.mode &= 0x3ff;
	m->cu->target = target;
	m->cu->lane = ops;
	m->cu->icache_epoch = ++epoch << 16;
	isa_icache_flush(m->cu->icache);
	m->wg.lds_bytes = cfg[3] % 9 * 512;
	m->wg.lds = m->lds_end - 64 - m->wg.lds_bytes;
	memcpy(m->wg.lds, first_lds, m->wg.lds_bytes + 64);
	for (n = 0; n < PAGES; n++)
		if (m->page[n])
			memcpy(m->page[n], first_pages[n], PAGE);
	memcpy(m->page[CODE_PAGE], code, ncode * 4);
	/* At one end of their memory or the other */
	m->w = isa_wave_init(m->wave_mem, cfg[7] & 0x40 ? m->rows[0] :
			     m->rows[1] + (MAX_ROWS - rows) * ISA_LANES, rows);
	memcpy(&exec, cfg + 8, sizeof(exec));
	isa_wave_reset(m->w, m->cu, &m->wg, CODE_PAGE * PAGE, cfg[7] & 0x80 ? exec : ~0ull);
	isa_wave_setup(m->w, &s);
	memcpy(m->w->v, first_rows, rows * 256);
	set_sgprs(m->w, cfg);
	m->stops = 0;
	m->done = false;
}

static u32 length_at(const struct machine *m, u64 pc)
{
	struct isa_insn in;
	u32 at = (u32)(pc - CODE_PAGE * PAGE) / 4;
	int n = pc >= CODE_PAGE * PAGE && at < ncode ?
		isa_decode(target, code + at, ncode - at, &in) : 0;

	(void)m;
	return n > 0 ? (u32)n : 1;
}

/* What the runner would do about a stop, or something like it: go on. */
static void machine_stop(struct machine *m)
{
	switch (m->ex.why) {
	case ISA_STOP_BUDGET:
		return;
	case ISA_STOP_END:
	case ISA_STOP_HALT:
		m->done = true;
		return;
	case ISA_STOP_BARRIER:
	case ISA_STOP_MSG:
	case ISA_STOP_GWS:
	case ISA_STOP_EXCP:
		break;
	default:
		if (m->ex.access == ISA_X)
			m->done = true;
		m->w->pc += 4 * length_at(m, m->w->pc);
		break;
	}
	m->done |= ++m->stops >= STOPS;
}

/* ----------------------------------------------------------------- comparison */

/* Prints the instruction at @at, returns its length. */
static u32 show_insn(u32 at)
{
	struct isa_insn in;
	char text[256];
	int len = isa_decode(target, code + at, ncode - at, &in);

	if (len <= 0 || isa_disasm(target, &in, text, sizeof(text)) < 0)
		snprintf(text, sizeof(text), "?");
	fprintf(stderr, "%5x: %08x %s\n", CODE_PAGE * PAGE + at * 4, code[at], text);
	return len > 0 ? (u32)len : 1;
}

static void show_program(const u8 *cfg)
{
	u32 at = 0;

	fprintf(stderr, "%s, mode 0x%02x%02x%02x\n", target->name, cfg[6], cfg[5], cfg[4]);
	while (at < ncode) {
		fprintf(stderr, "  ");
		at += show_insn(at);
	}
}

static void show_step(const char *what, u64 pc)
{
	u64 at = (pc - CODE_PAGE * PAGE) / 4;

	fprintf(stderr, "%s ", what);
	if (at < ncode)
		show_insn((u32)at);
	else
		fprintf(stderr, "%llx\n", (unsigned long long)pc);
}

static void run_input(const u8 *data, size_t size);

static void differs(const char *what, u32 n, u64 a, u64 b, const struct machine *m,
		    const u8 *cfg)
{
	u64 pc = m->w->pc;

	if (!again && input) {
		again = true;
		run_input(input, input_size);
		fprintf(stderr, "run again, it differs after no instruction\n");
	}
	show_program(cfg);
	fprintf(stderr, "differs: %s %u: %llx in %s, %llx in %s%s; pc %llx\n", what, n,
		(unsigned long long)a, machines[0].cu->lane->name, (unsigned long long)b,
		m->cu->lane->name, m == &machines[lanes] ? " in long runs" : "",
		(unsigned long long)pc);
	if (step_pc)
		show_step("step", step_pc);
	__builtin_trap();
}

#define SAME(what, n, x, y) do {						\
	if ((x) != (y))								\
		differs(what, n, x, y, m, cfg);					\
} while (0)

static void compare_exit(const struct machine *m, const u8 *cfg)
{
	const struct machine *o = &machines[0];

	SAME("stop", 0, (u64)o->ex.why, (u64)m->ex.why);
	SAME("pc", 0, o->w->pc, m->w->pc);
	if (o->ex.why == ISA_STOP_BUDGET)
		return;
	SAME("info", 0, o->ex.info, m->ex.info);
	SAME("va", 0, o->ex.va, m->ex.va);
	SAME("len", 0, o->ex.len, m->ex.len);
	SAME("access", 0, o->ex.access, m->ex.access);
}

static void compare(const struct machine *m, const u8 *cfg)
{
	const struct isa_wave *a = machines[0].w, *b = m->w;
	u32 n, k;

	for (n = 0; n < 256; n++)
		SAME("s", n, a->s[n], b->s[n]);
	SAME("scc", 0, a->scc, b->scc);
	SAME("mode", 0, a->mode, b->mode);
	SAME("status", 0, a->status, b->status);
	SAME("trapsts", 0, a->trapsts, b->trapsts);
	if (!memcmp(a->v, b->v, a->rows * 256) &&
	    !memcmp(a->wg->lds, b->wg->lds, a->wg->lds_bytes)) {
		for (n = 0; n < PAGES; n++)
			if (m->page[n] && memcmp(machines[0].page[n], m->page[n], PAGE))
				break;
		if (n == PAGES)
			return;
	}
	for (n = 0; n < a->rows * ISA_LANES; n++)
		SAME("v[row * 64 + lane]", n, a->v[n], b->v[n]);
	for (n = 0; n < a->wg->lds_bytes; n++)
		SAME("lds", n, a->wg->lds[n], b->wg->lds[n]);
	for (n = 0; n < PAGES; n++)
		for (k = 0; m->page[n] && k < PAGE / 4; k++)
			SAME("memory", n * PAGE + k * 4, ((u32 *)machines[0].page[n])[k],
			     ((u32 *)m->page[n])[k]);
}

static void step_all(const u8 *cfg)
{
	unsigned int n;
	u32 step;

	for (step = 0; step < STEPS && !machines[0].done; step++) {
		step_pc = machines[0].w->pc;
		if (show)
			show_step("step", step_pc);
		for (n = 0; n < lanes; n++) {
			struct machine *m = &machines[n];
			u32 csr = _mm_getcsr();

			isa_wave_run(m->w, 1, &m->ex);
			if ((_mm_getcsr() & ~0x3fu) != (csr & ~0x3fu))
				differs("host's MXCSR", 0, csr, _mm_getcsr(), m, cfg);
			if (n)
				compare_exit(m, cfg);
			if (n && again)
				compare(m, cfg);
		}
		for (n = 0; n < lanes; n++)
			machine_stop(&machines[n]);
	}
	for (n = 1; n < lanes; n++)
		compare(&machines[n], cfg);
}

/* A program that came to its end does so in runs of any length. */
static void long_run(const u8 *cfg)
{
	struct machine *m = &machines[lanes];
	u32 left = 4 * STEPS;

	if (!machines[0].done || machines[0].stops >= STOPS)
		return;
	while (!m->done && left--) {
		isa_wave_run(m->w, 1 + cfg[23], &m->ex);
		machine_stop(m);
	}
	if (!m->done)
		differs("end", 0, 1, 0, m, cfg);
	compare_exit(m, cfg);
	compare(m, cfg);
}

static void init(void)
{
	unsigned int n;

	show = again = getenv("FUZZ_SHOW");
	make_memory();
	lanes = 1 + !!__builtin_cpu_supports("avx2") + !!__builtin_cpu_supports("avx512bw");
	for (n = 0; n <= lanes; n++)
		machine_init(&machines[n]);
}

static void run_input(const u8 *data, size_t size)
{
	unsigned int n;

	target = isa_target_by_name(target_any(data[0]));
	make_program(data, size);
	make_rows(data);
	if (show)
		show_program(data);
	for (n = 0; n <= lanes; n++)
		machine_start(&machines[n], lane[n < lanes ? n : lanes - 1], data);
	step_all(data);
	long_run(data);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	if (size < HEADER + PICK)
		return 0;
	if (!lanes)
		init();
	input = data;
	input_size = size;
	run_input(data, size);
	return 0;
}

/* Whole instructions come, go, and are changed; now and then anything is. */
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	u32 s = seed * 2654435761u | 1, n, k, at;

	if (size < HEADER + PICK || rnd(&s) % 8 == 0) {
		size = LLVMFuzzerMutate(data, size, max);
		if (size < HEADER + 8 * PICK && max >= HEADER + 8 * PICK) {
			for (n = (u32)size; n < HEADER + 8 * PICK; n++)
				data[n] = (u8)rnd(&s);
			size = HEADER + 8 * PICK;
		}
		return size;
	}
	n = (u32)(size - HEADER) / PICK;
	for (k = rnd(&s) % 3; k; k--)
		data[rnd(&s) % HEADER] = (u8)rnd(&s);
	for (k = rnd(&s) % 4 + 1; k; k--) {
		at = HEADER + rnd(&s) % n * PICK;
		if (rnd(&s) % 3 == 0 && size + PICK <= max && n < MAX_INSNS) {
			memmove(data + at + PICK, data + at, size - at);
			size += PICK;
			n++;
		} else if (rnd(&s) % 8 == 0 && n > 4) {
			memmove(data + at, data + at + PICK, size - at - PICK);
			size -= PICK;
			n--;
			continue;
		}
		if (rnd(&s) % 2) {
			u32 w[4] = { rnd(&s), rnd(&s), rnd(&s), rnd(&s) };

			memcpy(data + at, w, sizeof(w));
		} else {
			data[at + rnd(&s) % PICK] ^= (u8)(1 << rnd(&s) % 8);
		}
	}
	return size;
}
