// SPDX-License-Identifier: GPL-2.0-only
/*
 * A wave's state at launch. Initial register contents: LLVM AMDGPUUsage,
 * "Initial Kernel Execution State"; HW_ID and STATUS fields: CDNA2 ISA 3.
 */
#include "isa_int.h"

size_t isa_wave_bytes(void)
{
	return sizeof(struct isa_wave);
}

/* The values of source codes 128..248, CDNA2 ISA table "Scalar operands". */
static void fill_constants(u32 *s)
{
	static const u32 floats[] = {
		0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
		0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983,
	};
	u32 n;

	for (n = 0; n <= 64; n++)
		s[ISA_SRC_INT0 + n] = n;
	for (n = 1; n <= 16; n++)
		s[192 + n] = -n;
	for (n = 0; n < ARRAY_SIZE(floats); n++)
		s[240 + n] = floats[n];
}

static void set_size(struct isa_wave *w, u32 lanes)
{
	w->lanes = lanes;
	w->all = ~0ull >> (ISA_LANES - lanes);
}

/**
 * isa_wave_init() - lay a wave out in caller's memory
 * @mem: isa_wave_bytes(), 64-byte aligned
 * @vgprs: @rows rows of 64 dwords, 64-byte aligned
 * @rows: rows at most; isa_wave_setup() may allocate fewer
 */
struct isa_wave *isa_wave_init(void *mem, u32 *vgprs, unsigned int rows)
{
	struct isa_wave *w = mem;

	memset(w, 0, sizeof(*w));
	fill_constants(w->s);
	w->v = vgprs;
	set_size(w, ISA_LANES);
	w->max_rows = rows;
	w->rows = rows;
	w->acc_row = rows;
	return w;
}

/*
 * The constants behind the SGPRs stay what isa_wave_init() made them. In parts: of the whole,
 * compilers make one string instruction, which takes longer to start than this takes.
 */
static void clear_scalars(struct isa_wave *w)
{
	u32 n;

#pragma GCC unroll 8
	for (n = 0; n < ISA_SRC_INT0; n += 16)
		__builtin_memset(w->s + n, 0, 16 * sizeof(w->s[0]));
}

void isa_wave_again(struct isa_wave *w, struct isa_cu *cu, struct isa_wg *wg, u64 pc, u64 exec)
{
	w->pc = pc;
	w->scc = 0;
	w->mode = 0;
	w->trapsts = 0;
	w->ib_sts = 0;
	w->record = false;
	w->lead = false;
	w->redo = 0;
	w->status = ISA_STATUS_IN_TG | ISA_STATUS_VALID;
	w->cu = cu;
	w->wg = wg;
	w->ex = NULL;
	w->slots = NULL;
	set_size(w, ISA_LANES);
	isa_set_exec(w, exec);
}

void isa_wave_lead(struct isa_wave *w, bool lead)
{
	w->lead = lead;
}

bool isa_wave_leads(const struct isa_wave *w)
{
	return w->lead;
}

void isa_wave_reset(struct isa_wave *w, struct isa_cu *cu, struct isa_wg *wg,
		    u64 pc, u64 exec)
{
	clear_scalars(w);
	isa_wave_again(w, cu, wg, pc, exec);
}

void isa_wave_move(struct isa_wave *w, struct isa_cu *cu)
{
	w->cu = cu;
	w->slots = NULL;
}

#define MAX_ITEMS	1024u	/* of a work-group */
#define IDS4(n)		(n), (n) + 1, (n) + 2, (n) + 3
#define IDS16(n)	IDS4(n), IDS4((n) + 4), IDS4((n) + 8), IDS4((n) + 12)
#define IDS64(n)	IDS16(n), IDS16((n) + 16), IDS16((n) + 32), IDS16((n) + 48)
#define IDS256(n)	IDS64(n), IDS64((n) + 64), IDS64((n) + 128), IDS64((n) + 192)

static const u32 item_ids[MAX_ITEMS] __aligned(64) = {
	IDS256(0), IDS256(256), IDS256(512), IDS256(768)
};

/* All 64 lanes count up from @first: two at a time, of which none waits for those before. */
static noinline void ids_row(u32 *v, u32 first)
{
	const u64 both = first | (u64)first << 32;
	u64 two;
	u32 lane;

#pragma GCC unroll 8
	for (lane = 0; lane < ISA_LANES; lane += 2) {
		__builtin_memcpy(&two, item_ids + lane, sizeof(two));
		two += both;
		__builtin_memcpy(v + lane, &two, sizeof(two));
	}
}

/* Runs of @n lanes in which only X counts up */
static void ids_run(u32 *v, u32 first, u32 step, u32 n)
{
	const u64 two = 2 * (step | (u64)step << 32);
	u64 pair = first | (u64)(first + step) << 32;
	u32 lane;

	if (step && n == ISA_LANES) {
		/* Mostly the other ids are 0, and it is one of the numbers that there are. */
		if (first <= MAX_ITEMS - ISA_LANES)
			memcpy(v, item_ids + first, ISA_LANES * sizeof(u32));
		else
			ids_row(v, first);
		return;
	}
#pragma GCC unroll 4
	for (lane = 0; lane + 2 <= n; lane += 2) {
		__builtin_memcpy(v + lane, &pair, sizeof(pair));
		pair += two;
	}
	if (lane < n)
		v[lane] = (u32)pair;
}

/* Lanes count up X, then Y, then Z: divisions a wave, if any, none a lane. */
static void set_ids(struct isa_wave *w, const struct isa_wave_setup *s)
{
	u32 sx = s->size[0] ? s->size[0] : 1, sy = s->size[1] ? s->size[1] : 1;
	u32 x = s->first_item, y = 0, z = 0;
	u32 *v0 = isa_row(w, 0), *v1 = isa_row(w, 1), *v2 = isa_row(w, 2);
	u32 lane, n;

	/* Most groups are one row of lanes. */
	if (x >= sx) {
		y = x / sx;
		x %= sx;
		z = y / sy;
		y %= sy;
	}
	for (lane = 0; lane < w->lanes; lane += n) {
		n = sx - x < w->lanes - lane ? sx - x : w->lanes - lane;
		if (s->packed_ids) {
			ids_run(v0 + lane, x | (y & 0x3ff) << 10 | (z & 0x3ff) << 20, 1, n);
		} else {
			ids_run(v0 + lane, x, 1, n);
			if (s->ids > 1)
				ids_run(v1 + lane, y, 0, n);
			if (s->ids > 2)
				ids_run(v2 + lane, z, 0, n);
		}
		x = 0;
		if (++y == sy) {
			y = 0;
			z++;
		}
	}
}

/*
 * VGPRs of the first waves of a grid are zero: what was there before may be another
 * process's. Waves that come after them find what they left, as on hardware.
 */
void isa_wave_setup(struct isa_wave *w, const struct isa_wave_setup *s)
{
	u32 n, nsgpr = s->nsgpr < ARRAY_SIZE(s->sgpr) ? s->nsgpr : ARRAY_SIZE(s->sgpr);
	u32 first = 0;

	if (s->lanes == ISA_LANES / 2) {
		set_size(w, s->lanes);
		isa_set_exec(w, isa_exec(w));
	}
	w->rows = s->rows < 4 ? 4 : s->rows;
	if (w->rows > w->max_rows)
		w->rows = w->max_rows;
	w->acc_row = s->acc_offset < w->rows ? s->acc_offset : w->rows;
	w->nsgpr = s->sgprs;
	w->mode = isa_mode_of(isa_wave_arch(w), s->mode);
	w->shared_base = s->shared_base;
	w->private_base = s->private_base;
	w->scratch_base = s->scratch_base;
	w->scratch_lane_bytes = s->scratch_lane_bytes;
	w->hw_id = s->hw_id;
	w->xcc_id = s->xcc_id;
	/* By pairs, as most code reads them first. */
	for (n = 0; n + 2 <= nsgpr; n += 2)
		__builtin_memcpy(w->s + n, s->sgpr + n, 2 * sizeof(w->s[0]));
	if (n < nsgpr)
		w->s[n] = s->sgpr[n];
	__builtin_memcpy(w->s + ISA_SRC_TTMP0, s->ttmp, sizeof(s->ttmp));
	/* Rows that ids fill for all 64 lanes need not be cleared. */
	if (w->lanes == ISA_LANES)
		first = s->packed_ids ? 1 : s->ids < 2 ? 1 : s->ids;
	if (!s->keep_rows)
		memset(isa_row(w, first), 0, (size_t)(w->rows - first) * ISA_LANES * sizeof(u32));
	set_ids(w, s);
}

u64 isa_wave_pc(const struct isa_wave *w)
{
	return w->pc;
}

static int dump_scalars(const struct isa_wave *w, char *buf, size_t len)
{
	u32 n;
	int at = 0;

	for (n = 0; n < 104 && (size_t)at < len; n += 4)
		at += snprintf(buf + at, len - at, "s[%u] %08x %08x %08x %08x\n", n,
			       w->s[n], w->s[n + 1], w->s[n + 2], w->s[n + 3]);
	return at;
}

int isa_wave_dump(const struct isa_wave *w, char *buf, size_t len)
{
	int at;

	if (!len)
		return 0;
	at = snprintf(buf, len,
		      "pc %016llx exec %016llx vcc %016llx scc %u m0 %08x mode %08x trapsts %08x\n",
		      (unsigned long long)w->pc, (unsigned long long)isa_exec(w),
		      (unsigned long long)isa_vcc(w), w->scc, w->s[ISA_SRC_M0],
		      w->mode, w->trapsts);
	if ((size_t)at < len)
		at += dump_scalars(w, buf + at, len - at);
	return (size_t)at < len ? at : (int)len - 1;
}
