// SPDX-License-Identifier: MIT
/*
 * Registers as PM4 packets name them: every row of the table by every packet, the
 * flush of the host data path as drivers ask for it, and what is refused.
 */
#include "pm4_rig.h"

#define HDP_REQ		0xe26u
#define HDP_DONE	0xe27u
#define REMAP_FLUSH	0x1fc00u
#define ADDRESSES	0x40000u	/* of 18 bits */

#define TO_REG(reg, val)	HDR(WRITE_DATA, 5), 0, reg, 0, val
#define COPY(sel, src, dst)	HDR(COPY_DATA, 6), sel, src, 0, dst, 0
#define WAIT(what, a, b, ref, mask) HDR(WAIT_REG_MEM, 7), what, a, b, ref, mask, 4
#define REG_TO_L2		(0u | 2u << 8)
#define REG_TO_L2_64		(REG_TO_L2 | 1u << 16)
#define WRITE_WAIT		(1u << 6)

struct row {
	u32 first, count;
	const char *kind, *name;
};

#define PM4_REGISTERS(_first, _count, _kind, _at, _name) { _first, _count, #_kind, #_name },
#define PM4_REFUSED(_first, _count, _name)		 { _first, _count, NULL, #_name },
static const struct row rows[] = {
#include "../../kmod/cp/pm4_registers.def"
};

static const struct row *row_of(u32 reg)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (reg - rows[i].first < rows[i].count)
			return &rows[i];
	return NULL;
}

static bool is(const struct row *r, const char *kind)
{
	return !strcmp(r->kind, kind);
}

/* The queue stops for @reg, and says so. */
static bool stopped_for(struct fake_env *f, u32 reg)
{
	const struct row *r = row_of(reg);
	const char *name = cp_pm4_reg_name(reg);

	return f->q.state == CP_STATE_ERROR && f->q.pm4.bad_reg == reg &&
	       (r ? name && !strcmp(name, r->name) : !name);
}

/* Write @reg in each way there is; what it reads as then, or -1 if all are refused. */
static s64 through(u32 reg)
{
	u32 val = 0x10000 + reg, got[3];
	unsigned int way, refused = 0;
	struct fake_env *f;

	for (way = 0; way < 3; way++) {
		f = fresh();
		if (!way)
			SUBMIT(f, TO_REG(reg, val));
		else if (way == 1)
			SUBMIT(f, COPY(5, val, reg));
		else if (reg >= 0xc000 && reg < 0x10000)
			SUBMIT(f, HDR(SET_UCONFIG_REG, 3), reg - 0xc000, val);
		else if (reg >= 0x2c00 && reg < 0x3000)
			SUBMIT(f, HDR(SET_SH_REG, 3), reg - 0x2c00, val);
		else
			SUBMIT(f, COPY(5 | 4u << 8, val, reg));
		refused += f->q.state != CP_STATE_RUN;
		CHECK(f->q.state == CP_STATE_RUN || stopped_for(f, reg));
		if (f->q.state == CP_STATE_RUN) {
			fake_put(f, DATA_VA, ~0ull, 8);
			CHECK(SUBMIT(f, COPY(REG_TO_L2 | (way & 1) << 2, reg, LO(DATA_VA))) ==
			      CP_IDLE);
			got[way] = at(f, 0);
			CHECK(at(f, 1) == ~0u);
		}
	}
	if (refused) {
		CHECK(refused == 3);
		f = fresh();
		SUBMIT(f, COPY(REG_TO_L2, reg, LO(DATA_VA)));
		CHECK(stopped_for(f, reg));
		return -1;
	}
	CHECK(got[0] == got[1] && got[1] == got[2]);
	return got[0];
}

static void test_rows(void)
{
	unsigned int i, end, reg;
	s64 got;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (end = 0; end < 2; end++) {
			reg = rows[i].first + (end ? rows[i].count - 1 : 0);
			if (row_of(reg) != &rows[i])
				continue;
			got = through(reg);
			if (!rows[i].kind)
				CHECK(got == -1);
			else if (is(&rows[i], "REG_SH") || is(&rows[i], "REG_KEPT"))
				CHECK(got == 0x10000 + reg);
			else	/* GPU_HDP_FLUSH_DONE, too: nobody asked for a flush */
				CHECK(!got);
			if (checks_failed)
				printf("# %s, 0x%x: %lld\n", rows[i].name, reg, (long long)got);
		}
	}
	report("each row of the table, written and read by each packet");
}

/* Registers that keep what is written are all different ones. */
static void test_kept(void)
{
	struct fake_env *f = fresh();
	u32 reg;

	for (reg = 0; reg < ADDRESSES; reg++)
		if (row_of(reg) && row_of(reg)->kind && (is(row_of(reg), "REG_SH") ||
							 is(row_of(reg), "REG_KEPT")))
			CHECK(SUBMIT(f, TO_REG(reg, reg ^ 0x5a5a)) == CP_IDLE);
	for (reg = 0; reg < ADDRESSES; reg++) {
		if (!row_of(reg) || !row_of(reg)->kind || !(is(row_of(reg), "REG_SH") ||
							    is(row_of(reg), "REG_KEPT")))
			continue;
		CHECK(SUBMIT(f, COPY(REG_TO_L2, reg, LO(DATA_VA))) == CP_IDLE);
		CHECK(at(f, 0) == (reg ^ 0x5a5a));
	}
	report("registers that keep what is written share nothing");
}

static void test_unknown(void)
{
	struct fake_env *f;
	u32 reg, unknown = 0;

	for (reg = 0; reg < ADDRESSES; reg++) {
		if (row_of(reg)) {
			CHECK(!strcmp(cp_pm4_reg_name(reg), row_of(reg)->name));
			continue;
		}
		CHECK(!cp_pm4_reg_name(reg));
		/* each to its neighbours, and a few far off */
		if (reg % 0x1000 && row_of(reg - 1) == row_of(reg + 1))
			continue;
		f = fresh();
		CHECK(SUBMIT(f, TO_REG(reg, 1)) == CP_ERROR && stopped_for(f, reg));
		unknown++;
	}
	CHECK(unknown > 40);
	/* packets that set several stop at the first that is refused */
	f = fresh();
	CHECK(SUBMIT(f, HDR(SET_UCONFIG_REG, 12), 0x40, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) == CP_ERROR);
	CHECK(stopped_for(f, 0xc048) && f->q.pm4.kept[7] == 8);
	/* what stops for another reason names none */
	f = fresh();
	CHECK(SUBMIT(f, HDR(EVENT_WRITE, 2), 0x17) == CP_ERROR &&
	      f->q.pm4.bad_reg == CP_PM4_NO_REG);
	report("what has no row is refused by its number");
}

static const struct {
	const char *who;
	u32 what, ref, mask;
	bool passes;
} hdp_rows[] = {
	{ "gfx_v9_0_ring_emit_hdp_flush, pipe 0 of the MEC", 3 | WRITE_WAIT, 4, 4, true },
	{ "the same, pipe 3", 3 | WRITE_WAIT, 32, 32, true },
	{ "tinygrad", 5 | WRITE_WAIT, ~0u, ~0u, true },
	{ "tinygrad, earlier", 3 | WRITE_WAIT, ~0u, ~0u, true },
	{ "always", 0 | WRITE_WAIT, 1, 1, true },
	{ "never: not what was asked for", 3 | WRITE_WAIT, 4, ~3u & 8, false },
};

static void test_hdp(void)
{
	struct fake_env *f;
	unsigned int i, ib;

	for (i = 0; i < 2 * ARRAY_SIZE(hdp_rows); i++) {
		const u32 what = hdp_rows[i / 2].what, ref = hdp_rows[i / 2].ref;
		const u32 mask = hdp_rows[i / 2].mask;

		ib = i & 1;
		f = fresh();
		PUT(f, IB_VA, WAIT(what, HDP_REQ, HDP_DONE, ref, mask), WRITE(DATA_VA, 1));
		if (ib)
			SUBMIT(f, IB(IB_VA, 12));
		else
			SUBMIT(f, WAIT(what, HDP_REQ, HDP_DONE, ref, mask), WRITE(DATA_VA, 1));
		CHECK(f->flushes == 1);
		if (hdp_rows[i / 2].passes)
			CHECK(at(f, 0) == 1 && f->q.state == CP_STATE_RUN && rptr(f) == wptr);
		else
			CHECK(!at(f, 0) && stopped_for(f, HDP_DONE));
		if (checks_failed)
			printf("# %s%s\n", hdp_rows[i / 2].who, ib ? " (IB)" : "");
	}
	/* in two packets; what other clients asked for stays done */
	f = fresh();
	CHECK(SUBMIT(f, TO_REG(HDP_REQ, 4), WAIT(3, HDP_DONE, 0, 4, 4), TO_REG(HDP_REQ, 8),
		     WAIT(3, HDP_DONE, 0, 12, 12)) == CP_IDLE && f->flushes == 2);
	/* as amdgpu's hdp funcs do */
	CHECK(SUBMIT(f, TO_REG(REMAP_FLUSH, 0), TO_REG(0xff1, 1)) == CP_IDLE && f->flushes == 4);
	/* nobody asked: for ever */
	CHECK(SUBMIT(f, WAIT(3, HDP_DONE, 0, 1, 1)) == CP_ERROR && stopped_for(f, HDP_DONE));
	/* registers of others */
	f = fresh();
	CHECK(SUBMIT(f, WAIT(3 | WRITE_WAIT, 0x2004, HDP_DONE, 1, 1)) == CP_ERROR);
	CHECK(stopped_for(f, 0x2004));
	f = fresh();
	CHECK(SUBMIT(f, WAIT(3 | WRITE_WAIT, HDP_REQ, 0x2004, 1, 1)) == CP_ERROR);
	CHECK(stopped_for(f, 0x2004));
	report("HDP flushes, as drivers ask for them");
}

static void test_clock(void)
{
	struct fake_env *f = fresh();

	f->now = 0x1122334455667787ull;
	CHECK(SUBMIT(f, TO_REG(0xec26, 1), COPY(REG_TO_L2, 0xec24, LO(DATA_VA)),
		     COPY(REG_TO_L2, 0xec25, LO(DATA_VA + 4)),
		     COPY(REG_TO_L2_64, 0xec24, LO(DATA_VA + 8))) == CP_IDLE);
	CHECK(fake_get(f, DATA_VA, 8) == 0x1122334455667788ull);
	CHECK(fake_get(f, DATA_VA + 8, 8) == 0x1122334455667788ull);
	/* a pair of registers from an immediate of 64 bits */
	CHECK(SUBMIT(f, HDR(COPY_DATA, 6), 5 | 1u << 16, 7, 8, 0xc044, 0,
		     COPY(REG_TO_L2_64, 0xc044, LO(DATA_VA))) == CP_IDLE);
	CHECK(at(f, 0) == 7 && at(f, 1) == 8);
	CHECK(SUBMIT(f, COPY(REG_TO_L2_64, 0xc047, LO(DATA_VA))) == CP_ERROR);
	CHECK(stopped_for(f, 0xc048));
	report("the RLC's clock, pairs of registers");
}

static const struct {
	u32 function, value, ref, mask;
	bool writes;
} cond_rows[] = {
	{ 0, 1, 2, ~0u, true }, { 1, 1, 2, ~0u, true }, { 1, 2, 2, ~0u, false },
	{ 2, 2, 2, ~0u, true }, { 2, 3, 2, ~0u, false }, { 3, 0x12, 2, 0xf, true },
	{ 3, 0x13, 2, 0xf, false }, { 4, 2, 2, ~0u, false }, { 4, 3, 2, ~0u, true },
	{ 5, 2, 2, ~0u, true }, { 5, 1, 2, ~0u, false }, { 6, 3, 2, ~0u, true },
	{ 6, 2, 2, ~0u, false },
};

static void test_cond_write(void)
{
	struct fake_env *f;
	unsigned int i;
	u32 poll, dst;

	for (i = 0; i < 4 * ARRAY_SIZE(cond_rows); i++) {
		poll = i & 1;		/* 1: memory */
		dst = i >> 1 & 1;
		f = fresh();
		fake_put(f, DATA_VA, cond_rows[i / 4].value, 4);
		SUBMIT(f, TO_REG(0xc041, cond_rows[i / 4].value),
		       HDR(COND_WRITE, 9), cond_rows[i / 4].function | poll << 4 | dst << 8,
		       poll ? LO(DATA_VA) : 0xc041, 0, cond_rows[i / 4].ref,
		       cond_rows[i / 4].mask, dst ? LO(DATA_VA + 4) : 0xc042, 0, 77);
		CHECK(f->q.state == CP_STATE_RUN);
		CHECK((dst ? at(f, 1) : f->q.pm4.kept[2]) == (cond_rows[i / 4].writes ? 77 : 0));
		CHECK(!(dst ? f->q.pm4.kept[2] : at(f, 1)));
		if (checks_failed)
			printf("# row %u, %u to %u\n", i / 4, poll, dst);
	}
	f = fresh();
	SUBMIT(f, HDR(COND_WRITE, 9), 1u << 8, 0x2004, 0, 0, 0, LO(DATA_VA), 0, 1);
	CHECK(stopped_for(f, 0x2004));
	f = fresh();
	SUBMIT(f, HDR(COND_WRITE, 9), 0, 0xc040, 0, 0, 0, 0xd808, 0, 1);
	CHECK(stopped_for(f, 0xd808));
	report("COND_WRITE between memory and registers");
}

int main(void)
{
	static void (* const tests[])(void) = {
		test_rows, test_kept, test_unknown, test_hdp, test_clock, test_cond_write,
	};
	unsigned int i;

	printf("TAP version 13\n1..%zu\n", ARRAY_SIZE(tests));
	for (i = 0; i < ARRAY_SIZE(tests); i++)
		tests[i]();
	return test_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
