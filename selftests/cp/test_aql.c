// SPDX-License-Identifier: MIT
/*
 * AQL packets against a fake memory: what a packet does to the ring, to
 * signals and to the queue. Rows where only the packet differs.
 */
#include <stdlib.h>

#include "fake_env.h"
#include "../../kmod/cp/cp_int.h"
#include "tap.h"

static struct fake_env *fresh(void)
{
	static struct fake_env f;

	fake_env_init(&f);
	return &f;
}

#define HEADER(type)	((type) | 1u << 9 | 1u << 11)
#define SIG(n)		(SIGNAL_VA + 64ull * (n))
#define KD_PROPS	(KERNEL_VA + 56)
#define KD_RSRC1	(KERNEL_VA + 48)
#define KD_RSRC2	(KERNEL_VA + 52)
#define KD_RSRC3	(KERNEL_VA + 44)

/* 24 VGPRs, accum_offset 8, 32 SGPRs, IEEE, DX10_CLAMP, denormals kept */
#define RSRC1		(2u | 2u << 6 | 0xf0u << 12 | 1u << 21 | 1u << 23)
#define RSRC2		(6u << 1 | 1u << 7 | 2u << 11)

static void put_kernel(struct fake_env *f)
{
	fake_put(f, KERNEL_VA + 16, 0x100, 8);
	fake_put(f, KD_RSRC1, RSRC1, 4);
	fake_put(f, KD_RSRC2, RSRC2, 4);
	fake_put(f, KD_RSRC3, 1, 4);
	fake_put(f, KD_PROPS, BIT(1) | BIT(2) | BIT(3), 2);
}

static struct cp_aql_packet dispatch_packet(void)
{
	struct cp_aql_packet p = {
		.header = HEADER(CP_AQL_DISPATCH),
		.dispatch = {
			.setup = 3,
			.group = { 64, 2, 1 },
			.grid = { 100, 4, 3 },
			.kernel_object = KERNEL_VA,
			.kernarg = 0x70000,
		},
		.completion_signal = SIG(0),
	};
	return p;
}

static struct cp_aql_packet barrier_packet(unsigned int type)
{
	struct cp_aql_packet p = {
		.header = HEADER(type),
		.completion_signal = SIG(0),
	};
	return p;
}

static void test_dispatch(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = dispatch_packet();
	struct cp_dispatch *d = f->dispatched;

	put_kernel(f);
	fake_put(f, SIG(0) + 8, 1, 8);
	fake_put(f, SIG(0) + 16, MAILBOX_VA, 8);
	fake_put(f, SIG(0) + 24, 7, 4);
	CHECK(fake_run(f) == CP_IDLE);
	fake_submit(f, 0, &p);
	CHECK(fake_run(f) == CP_IDLE);
	CHECK(f->ndispatched == 1 && cp_queue_in_flight(&f->q) == 1);
	CHECK(d->pc == KERNEL_VA + 0x100 && d->packet_va == RING_VA);
	CHECK(d->groups[0] == 2 && d->groups[1] == 2 && d->groups[2] == 3);
	CHECK(d->total_groups == 12 && d->waves == 2);
	CHECK(d->rows == 24 && d->acc_offset == 8 && d->sgprs == 32);
	CHECK(d->mode == (0xf0 | 1 << 8 | 1 << 9) && d->ids == 3);
	CHECK(d->nuser == 6 && d->wg_id[0] && !d->wg_id[1] && !d->wg_info);
	CHECK(d->user[0] == RING_VA && !d->user[1] && d->user[2] == QUEUE_VA);
	CHECK(d->user[4] == 0x70000 && d->lds_bytes == 0);
	/* the slot stays until the kernel ended: it is reachable by dispatch_ptr */
	CHECK(fake_get(f, RING_VA, 1) == CP_AQL_DISPATCH);
	CHECK(fake_get(f, SIG(0) + 8, 8) == 1);
	fake_finish(f, 0);
	CHECK(fake_get(f, RING_VA, 1) == CP_AQL_INVALID);
	CHECK(fake_get(f, QUEUE_VA + 128, 8) == 1);
	CHECK(fake_get(f, SIG(0) + 8, 8) == 0);
	CHECK(fake_get(f, SIG(0) + 32, 8) < fake_get(f, SIG(0) + 40, 8));
	CHECK(fake_get(f, MAILBOX_VA, 8) == 7 && f->events == 1 && f->last_event == 7);
	CHECK(!cp_queue_in_flight(&f->q));
	report("dispatch: launch, slot, timestamps, value, mailbox, event");
}

static void test_dispatch_sgprs(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = dispatch_packet();
	struct cp_dispatch *d = f->dispatched;
	unsigned int i;

	put_kernel(f);
	fake_put(f, KD_PROPS, 0x7f, 2);
	fake_put(f, KD_RSRC2, 1 | 15u << 1 | 7u << 7 | 1u << 10, 4);
	for (i = 0; i < 4; i++)
		fake_put(f, QUEUE_VA + 144 + 4 * i, 0x5100 + i, 4);
	fake_put(f, QUEUE_VA + 140, 8 | 3 << 12, 4);
	fake_put(f, QUEUE_VA + 160, 0x123456789abcull, 8);
	p.dispatch.private_bytes = 48;
	p.dispatch.group_bytes = 513;
	fake_submit(f, 0, &p);
	CHECK(fake_run(f) == CP_IDLE && f->ndispatched == 1);
	for (i = 0; i < 4; i++)
		CHECK(d->user[i] == 0x5100 + i);
	CHECK(d->user[4] == RING_VA && d->user[6] == QUEUE_VA);
	CHECK(d->user[8] == 0x70000 && !d->user[10]);
	CHECK(d->user[12] == 0x56789abc && d->user[13] == 0x1234);
	CHECK(d->user[14] == 48 && d->nuser == 15);
	CHECK(d->scratch_offset && d->wg_info && d->wg_id[0] && d->wg_id[2]);
	CHECK(d->scratch_lane_bytes == 48 && d->scratch_waves == 8);
	CHECK(d->scratch_wave_bytes == 3072 && d->lds_bytes == 1024);
	report("dispatch: every user and system SGPR, scratch, LDS granule");
}

/* One field made wrong: the queue stops with the code, the packet stays. */
static const struct bad_row {
	const char *name;
	u64 at;			/* offset in packet, or va */
	unsigned int bytes;
	u64 val;
	u32 code;
} bad_rows[] = {
	{ "no dimensions", 2, 2, 0, CP_ERR_DIM },
	{ "group size 0", 4, 2, 0, CP_ERR_DIM },
	{ "grid size 0", 16, 4, 0, CP_ERR_DIM },
	{ "group of 1025", 4, 2, 1025, CP_ERR_GROUP_SIZE },
	{ "group of 65535 x 2", 4, 2, 65535, CP_ERR_GROUP_SIZE },
	{ "group of 576 x 2", 4, 2, 576, CP_ERR_GROUP_SIZE },
	{ "64 KiB + 1 of LDS", 28, 4, 65537, CP_ERR_GROUP_MEM },
	{ "4 GiB - 1 of LDS", 28, 4, 0xffffffff, CP_ERR_GROUP_MEM },
	{ "no kernel object", 32, 8, 0, CP_ERR_CODE },
	{ "misaligned kernel object", 32, 8, KERNEL_VA + 8, CP_ERR_CODE },
	{ "non-canonical kernel object", 32, 8, 1ull << 60, CP_ERR_CODE },
	{ "misaligned entry", KERNEL_VA + 16, 8, 0x104, CP_ERR_CODE },
	{ "entry beyond the address space", KERNEL_VA + 16, 8, 1ull << 47, CP_ERR_CODE },
	{ "negative entry", KERNEL_VA + 16, 8, -KERNEL_VA - 256, CP_ERR_CODE },
	{ "wave32", KD_PROPS, 2, BIT(10), CP_ERR_CODE },
	{ "17 user SGPRs", KD_RSRC2, 4, 17 << 1, CP_ERR_CODE },
	{ "scratch needed, none there", 24, 4, 4, CP_ERR_SCRATCH },
	{ "agent dispatch", 0, 2, CP_AQL_AGENT, CP_ERR_PACKET },
	{ "reserved type", 0, 2, 6, CP_ERR_PACKET },
	{ "type 255", 0, 2, 255, CP_ERR_PACKET },
	{ "vendor packet of format 0", 0, 4, 0, CP_ERR_VENDOR },
	{ "misaligned completion signal", 56, 8, SIG(0) + 4, CP_ERR_PACKET },
};

static void test_bad_dispatch(const struct bad_row *r)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = dispatch_packet();
	char name[80];

	put_kernel(f);
	fake_put(f, INACTIVE_VA + 16, MAILBOX_VA, 8);
	fake_put(f, INACTIVE_VA + 24, 9, 4);
	if (r->at < sizeof(p))
		memcpy((u8 *)&p + r->at, &r->val, r->bytes);
	else
		fake_put(f, r->at, r->val, r->bytes);
	fake_submit(f, 0, &p);
	CHECK(fake_run(f) == (r->code == CP_ERR_SCRATCH ? CP_BLOCKED : CP_ERROR));
	CHECK(f->q.error == r->code && f->ndispatched == 0);
	CHECK(fake_get(f, INACTIVE_VA + 8, 8) == r->code);
	CHECK(fake_get(f, MAILBOX_VA, 8) == 9 && f->last_event == 9);
	CHECK(f->errors == (r->code != CP_ERR_SCRATCH));
	CHECK(fake_get(f, QUEUE_VA + 128, 8) == 0);
	CHECK(fake_get(f, RING_VA, 2) == p.header);
	snprintf(name, sizeof(name), "bad dispatch: %s", r->name);
	report(name);
}

static void test_vgprs(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = dispatch_packet();

	put_kernel(f);
	p.dispatch.group[0] = 1024;
	p.dispatch.group[1] = 1;
	fake_put(f, KD_RSRC1, 15, 4);		/* 128 rows: 4 waves a SIMD fit */
	fake_submit(f, 0, &p);
	CHECK(fake_run(f) == CP_IDLE && f->ndispatched == 1);
	CHECK(f->dispatched[0].rows == 128);
	fake_put(f, KD_RSRC1, 16, 4);
	fake_submit(f, 1, &p);
	CHECK(fake_run(f) == CP_BLOCKED);	/* in order: after the first */
	fake_finish(f, 0);
	CHECK(fake_run(f) == CP_ERROR && f->q.error == CP_ERR_VGPRS);
	CHECK(fake_get(f, QUEUE_VA + 128, 8) == 1);
	report("register file: 128 rows for 16 waves fit, 136 do not");
}

/*
 * A SIMD of gfx1100 has 1536 rows of 32 lanes. 32 waves: 16 a SIMD of a CU, 8 a SIMD of a pair,
 * which the descriptor's WGP_MODE lets them use.
 */
static void test_wave32(void)
{
	static const struct {
		u32 blocks, wgp;
		bool fits;
	} cases[] = { { 12, 0, true }, { 13, 0, false }, { 24, 1, true }, { 25, 1, false } };
	struct cp_aql_packet p = dispatch_packet();
	unsigned int i;

	p.dispatch.group[0] = 1024;
	p.dispatch.group[1] = 1;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fake_env *f = fresh();
		const struct cp_dispatch *d = f->dispatched;

		f->q.target = gpu_target_by_version(110000);
		put_kernel(f);
		fake_put(f, KD_RSRC1, (cases[i].blocks - 1) | cases[i].wgp << 29, 4);
		fake_put(f, KD_PROPS, BIT(1) | BIT(2) | BIT(3) | BIT(10), 2);
		fake_submit(f, 0, &p);
		if (!cases[i].fits) {
			CHECK(fake_run(f) == CP_ERROR && f->q.error == CP_ERR_VGPRS);
			continue;
		}
		CHECK(fake_run(f) == CP_IDLE && f->ndispatched == 1);
		CHECK(d->lanes == 32 && d->waves == 32 && d->rows == 8 * cases[i].blocks);
		CHECK(d->sgprs == 106);
	}
	report("waves of 32 lanes: in a CU and in a pair of them");
}

/* INDEX_STRIDE of the queue's V# becomes that of the wave where waves have two sizes. */
static void test_scratch_stride(void)
{
	static const struct {
		u32 gpu, wave32, stride;
	} cases[] = { { 100300, BIT(10), 2 }, { 100300, 0, 3 }, { 90010, 0, 1 } };
	struct cp_aql_packet p = dispatch_packet();
	unsigned int i;

	p.dispatch.private_bytes = 16;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fake_env *f = fresh();

		f->q.target = gpu_target_by_version(cases[i].gpu);
		put_kernel(f);
		fake_put(f, KD_PROPS, BIT(0) | cases[i].wave32, 2);
		fake_put(f, KD_RSRC2, 4 << 1, 4);
		fake_put(f, QUEUE_VA + 140, 32 | 1 << 12, 4);
		fake_put(f, QUEUE_VA + 156, 0xa0800fac | 1 << 21, 4);
		fake_submit(f, 0, &p);
		CHECK(fake_run(f) == CP_IDLE && f->ndispatched == 1);
		CHECK(f->dispatched->user[3] == (0xa0800fac | cases[i].stride << 21));
	}
	report("scratch: INDEX_STRIDE of the wave's size");
}

static void test_scratch_retry(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = dispatch_packet();

	put_kernel(f);
	p.dispatch.private_bytes = 16;
	fake_submit(f, 0, &p);
	CHECK(fake_run(f) == CP_BLOCKED && f->q.polling);
	CHECK(fake_run(f) == CP_BLOCKED && f->events == 0);
	fake_put(f, QUEUE_VA + 140, 32 | 1 << 12, 4);
	CHECK(fake_run(f) == CP_BLOCKED && f->ndispatched == 0);
	fake_put(f, INACTIVE_VA + 8, 0, 8);
	CHECK(fake_run(f) == CP_IDLE && f->ndispatched == 1);
	CHECK(f->q.error == 0 && f->errors == 0);
	report("insufficient scratch: told, waits for 0, retries");
}

static void test_barrier_and(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = barrier_packet(CP_AQL_BARRIER_AND);

	p.barrier.dep[0] = SIG(1);
	p.barrier.dep[4] = SIG(2);
	fake_put(f, SIG(0) + 8, 1, 8);
	fake_put(f, SIG(1) + 8, 1, 8);
	fake_put(f, SIG(2) + 8, 1, 8);
	fake_submit(f, 0, &p);
	CHECK(fake_run(f) == CP_BLOCKED && f->q.polling);
	fake_put(f, SIG(1) + 8, 0, 8);
	CHECK(fake_run(f) == CP_BLOCKED);
	fake_put(f, SIG(1) + 8, 1, 8);		/* reused: it was seen at 0 */
	fake_put(f, SIG(2) + 8, 0, 8);
	CHECK(fake_run(f) == CP_IDLE);
	CHECK(fake_get(f, SIG(0) + 8, 8) == 0 && fake_get(f, QUEUE_VA + 128, 8) == 1);
	report("barrier-AND: each dependency seen at zero once");
}

static void test_barrier_or(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = barrier_packet(CP_AQL_BARRIER_OR);

	p.barrier.dep[1] = SIG(1);
	p.barrier.dep[2] = SIG(2);
	fake_put(f, SIG(1) + 8, 1, 8);
	fake_put(f, SIG(2) + 8, -1, 8);
	fake_submit(f, 0, &p);
	CHECK(fake_run(f) == CP_BLOCKED && f->q.polling);
	fake_put(f, SIG(2) + 8, 0, 8);
	CHECK(fake_run(f) == CP_IDLE && f->q.next == 1);
	report("barrier-OR: one is enough, an empty slot is none");
}

static void test_barrier_empty(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = barrier_packet(CP_AQL_BARRIER_AND);

	fake_submit(f, 0, &p);
	p = barrier_packet(CP_AQL_BARRIER_OR);
	fake_submit(f, 1, &p);
	CHECK(fake_run(f) == CP_IDLE && f->q.next == 2);
	CHECK((s64)fake_get(f, SIG(0) + 8, 8) == -2);
	report("barriers without dependencies complete");
}

static const struct value_row {
	u32 cond;
	u64 value, mask, signal;
	bool pass;
} value_rows[] = {
	{ 0, 5, ~0ull, 5, true }, { 0, 5, ~0ull, 4, false },
	{ 0, 5, 0xf, 0xf5, true }, { 1, 5, ~0ull, 4, true },
	{ 1, 5, ~0ull, 5, false }, { 2, 5, ~0ull, 4, true },
	{ 2, 5, ~0ull, 5, false }, { 2, 0, ~0ull, ~0ull, true },
	{ 3, 5, ~0ull, 5, true }, { 3, 5, ~0ull, 4, false },
	{ 3, 0, ~0ull, ~0ull, false }, { 3, ~0ull, ~0ull, 0, true },
};

static void test_barrier_value(void)
{
	struct fake_env *f;
	struct cp_aql_packet p;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(value_rows); i++) {
		const struct value_row *r = &value_rows[i];

		f = fresh();
		p = barrier_packet(CP_AQL_VENDOR);
		p.barrier_value.format = 2;
		p.barrier_value.signal = SIG(3);
		p.barrier_value.value = r->value;
		p.barrier_value.mask = r->mask;
		p.barrier_value.cond = r->cond;
		fake_put(f, SIG(3) + 8, r->signal, 8);
		fake_submit(f, 0, &p);
		CHECK(fake_run(f) == (r->pass ? CP_IDLE : CP_BLOCKED));
		CHECK(f->q.next == r->pass);
		if (checks_failed)
			printf("# row %u\n", i);
	}
	f = fresh();
	p.barrier_value.cond = 4;
	fake_submit(f, 0, &p);
	CHECK(fake_run(f) == CP_ERROR && f->q.error == CP_ERR_VENDOR);
	report("barrier-value: EQ NE LT GTE, signed, masked; cond 4 is an error");
}

static struct cp_aql_packet ib_packet(u32 dwords)
{
	struct cp_aql_packet p = barrier_packet(CP_AQL_VENDOR);

	p.pm4_ib.format = 1;
	p.pm4_ib.jump[0] = 0xc0023f00;
	p.pm4_ib.jump[1] = (u32)IB_VA;
	p.pm4_ib.jump[3] = dwords | 1 << 23;
	p.pm4_ib.dw_cnt_remain = 10;
	return p;
}

static void test_pm4_ib(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = ib_packet(1000);
	unsigned int i;

	/* NOPs of one dword, one NOP of 900, ACQUIRE_MEM across the reads */
	for (i = 0; i < 70; i++)
		fake_put(f, IB_VA + 4 * i, 0xffff1000, 4);
	fake_put(f, IB_VA + 4 * 70, 0xc0055800, 4);
	fake_put(f, IB_VA + 4 * 71, BIT(29), 4);
	fake_put(f, IB_VA + 4 * 77, 0xc0001000 | (923 - 2) << 16, 4);
	fake_submit(f, 0, &p);
	CHECK(fake_run(f) == CP_IDLE && f->q.next == 1);
	CHECK(f->icache == 1 && (s64)fake_get(f, SIG(0) + 8, 8) == -1);
	report("PM4 IB: cache operations run, the packet completes");
}

static const struct {
	const char *name;
	u32 dwords, words[3], code;
} ib_rows[] = {
	{ "empty", 0, { 0 }, 0 },
	{ "unknown opcode", 3, { 0xc0013700, 0, 0 }, CP_ERR_VENDOR },
	{ "beyond the end", 3, { 0xc0021000, 0, 0 }, CP_ERR_VENDOR },
	{ "ACQUIRE_MEM too short", 3, { 0xc0015800, 0, 0 }, CP_ERR_VENDOR },
	{ "type 0", 1, { 0 }, CP_ERR_VENDOR },
	{ "type 2 filler", 1, { 0x80000000 }, 0 },
};

static void test_pm4_bad(void)
{
	struct cp_aql_packet p;
	struct fake_env *f;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(ib_rows); i++) {
		f = fresh();
		p = ib_packet(ib_rows[i].dwords);
		for (j = 0; j < 3; j++)
			fake_put(f, IB_VA + 4 * j, ib_rows[i].words[j], 4);
		fake_submit(f, 0, &p);
		CHECK(fake_run(f) == (ib_rows[i].code ? CP_ERROR : CP_IDLE));
		CHECK(f->q.error == ib_rows[i].code);
		if (checks_failed)
			printf("# %s\n", ib_rows[i].name);
	}
	f = fresh();
	p = ib_packet(1);
	p.pm4_ib.jump[0] = 0xc0023700;
	fake_submit(f, 0, &p);
	CHECK(fake_run(f) == CP_ERROR && f->q.error == CP_ERR_VENDOR);
	CHECK(f->q.error_word == 0xc0023700);
	f = fresh();
	p = ib_packet(0xfffff);
	p.pm4_ib.jump[2] = 0x7fff;
	fake_submit(f, 0, &p);
	CHECK(fake_run(f) == CP_ERROR && f->q.state == CP_STATE_FAULT);
	report("PM4 IB: unknown, short, long and unmapped ones stop the queue");
}

static void test_barrier_bit(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = dispatch_packet();

	put_kernel(f);
	fake_submit(f, 0, &p);
	fake_submit(f, 1, &p);
	p.header |= CP_AQL_BARRIER;
	fake_submit(f, 2, &p);
	CHECK(fake_run(f) == CP_BLOCKED && f->ndispatched == 2);
	fake_finish(f, 1);			/* out of order */
	CHECK(fake_get(f, QUEUE_VA + 128, 8) == 0);
	CHECK(fake_run(f) == CP_BLOCKED && f->ndispatched == 2);
	fake_finish(f, 0);
	CHECK(fake_get(f, QUEUE_VA + 128, 8) == 2);
	CHECK(fake_run(f) == CP_IDLE && f->ndispatched == 3);
	report("barrier bit waits; slots go back in order");
}

/* Where the owner keeps the order of dispatches, they do not wait here; all else does. */
static void test_barrier_bit_ahead(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = dispatch_packet();

	put_kernel(f);
	f->q.orders = true;
	p.completion_signal = 0;
	fake_submit(f, 0, &p);
	p.header = (CP_AQL_DISPATCH | CP_AQL_BARRIER | 1u << 9);
	fake_submit(f, 1, &p);
	p.header = (CP_AQL_DISPATCH | CP_AQL_BARRIER);
	fake_submit(f, 2, &p);
	CHECK(fake_run(f) == CP_IDLE && f->ndispatched == 3);
	CHECK(!f->dispatched[0].barrier && f->dispatched[0].acquire);
	CHECK(f->dispatched[1].barrier && f->dispatched[1].acquire);
	CHECK(f->dispatched[2].barrier && !f->dispatched[2].acquire);
	p = barrier_packet(CP_AQL_BARRIER_AND);
	p.header |= CP_AQL_BARRIER;
	fake_put(f, SIG(0) + 8, 1, 8);
	fake_submit(f, 3, &p);
	CHECK(fake_run(f) == CP_BLOCKED);
	p = dispatch_packet();
	p.header |= CP_AQL_BARRIER;
	p.dispatch.kernel_object = 0;
	fake_submit(f, 4, &p);
	fake_finish(f, 0);
	fake_finish(f, 1);
	CHECK(fake_run(f) == CP_BLOCKED && fake_get(f, SIG(0) + 8, 8) == 1);
	fake_finish(f, 2);
	CHECK(fake_run(f) == CP_ERROR && !fake_get(f, SIG(0) + 8, 8));
	CHECK(f->last_error == CP_ERR_CODE && fake_get(f, QUEUE_VA + 128, 8) == 4);
	report("barrier bit of dispatches that the owner orders");
}

static void test_order_of_rings(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = barrier_packet(CP_AQL_BARRIER_AND);

	/* 0 and 1 reserved; 1 published and rung first, then 0 with 0 */
	fake_put(f, QUEUE_VA + 56, 2, 8);
	memcpy(fake_at(f, RING_VA + 64), &p, sizeof(p));
	CHECK(cp_queue_ring(&f->q, &f->env, 1));
	CHECK(fake_run(f) == CP_IDLE && f->q.next == 0 && !f->q.polling);
	memcpy(fake_at(f, RING_VA), &p, sizeof(p));
	CHECK(cp_queue_ring(&f->q, &f->env, 0));
	CHECK(fake_run(f) == CP_IDLE && f->q.next == 2);
	CHECK(!cp_queue_ring(&f->q, &f->env, 0));
	/* only the lower of two rings was seen */
	fake_put(f, QUEUE_VA + 56, 4, 8);
	memcpy(fake_at(f, RING_VA + 128), &p, sizeof(p));
	memcpy(fake_at(f, RING_VA + 192), &p, sizeof(p));
	CHECK(cp_queue_ring(&f->q, &f->env, 2));
	CHECK(fake_run(f) == CP_IDLE && f->q.next == 4);
	report("doorbells out of order lose nothing");
}

static void test_unrung(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = barrier_packet(CP_AQL_BARRIER_AND);

	memcpy(fake_at(f, RING_VA), &p, sizeof(p));
	CHECK(!cp_queue_ring(&f->q, &f->env, ~0ull));
	CHECK(fake_run(f) == CP_IDLE && f->q.next == 0);
	report("a packet that nobody rang for is not executed");
}

static void test_wrap_and_full(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = dispatch_packet();
	unsigned int i;

	put_kernel(f);
	f->slots = 64;
	for (i = 0; i < RING_PACKETS; i++)
		fake_submit(f, i, &p);
	CHECK(fake_run(f) == CP_IDLE && f->ndispatched == RING_PACKETS);
	/* the ring is in flight as a whole: its old headers are no packets */
	cp_queue_ring(&f->q, &f->env, 1000);
	CHECK(fake_run(f) == CP_BLOCKED && f->ndispatched == RING_PACKETS);
	for (i = RING_PACKETS; i-- > 0;)
		fake_finish(f, i);
	CHECK(fake_get(f, QUEUE_VA + 128, 8) == RING_PACKETS);
	CHECK(fake_run(f) == CP_IDLE && !cp_queue_in_flight(&f->q));
	fake_submit(f, RING_PACKETS, &p);
	CHECK(fake_run(f) == CP_IDLE && f->ndispatched == RING_PACKETS + 1);
	CHECK(f->dispatched[RING_PACKETS].packet_va == RING_VA);
	report("ring full, wrap around, hostile doorbell");
}

static void test_no_slot(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = dispatch_packet();

	put_kernel(f);
	f->slots = 1;
	fake_submit(f, 0, &p);
	fake_submit(f, 1, &p);
	CHECK(fake_run(f) == CP_BLOCKED && !f->q.polling && f->ndispatched == 1);
	fake_finish(f, 0);
	CHECK(fake_run(f) == CP_IDLE && f->ndispatched == 2);
	report("no free slot: the same packet is tried again");
}

static const struct {
	const char *name;
	u64 at, val;
} fault_rows[] = {
	{ "kernel object", 32, 0x900000 },
	{ "completion signal", 56, 0x900000 },
};

static void test_faults(void)
{
	struct cp_aql_packet p;
	struct fake_env *f;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		f = fresh();
		put_kernel(f);
		p = i ? barrier_packet(CP_AQL_BARRIER_AND) : dispatch_packet();
		memcpy((u8 *)&p + fault_rows[i].at, &fault_rows[i].val, 8);
		fake_submit(f, 0, &p);
		CHECK(fake_run(f) == CP_ERROR && f->q.state == CP_STATE_FAULT);
		CHECK(fake_run(f) == CP_ERROR && f->errors == 0);
	}
	f = fresh();
	p = barrier_packet(CP_AQL_BARRIER_AND);
	p.barrier.dep[0] = 0x900000;
	fake_submit(f, 0, &p);
	CHECK(fake_run(f) == CP_ERROR && f->q.state == CP_STATE_FAULT);
	f = fresh();
	cp_queue_move(&f->q, 0x900000, 4096);
	cp_queue_ring(&f->q, &f->env, 0);
	CHECK(fake_run(f) == CP_ERROR && f->q.state == CP_STATE_FAULT);
	CHECK(!cp_queue_ring(&f->q, &f->env, 1));
	report("unmapped ring, signal, dependency, kernel object: a fault");
}

static void test_no_inactive_signal(void)
{
	struct fake_env *f = fresh();
	struct cp_aql_packet p = barrier_packet(CP_AQL_AGENT);

	fake_put(f, QUEUE_VA + 192, 0, 8);
	fake_submit(f, 0, &p);
	CHECK(fake_run(f) == CP_ERROR && f->q.state == CP_STATE_ERROR);
	CHECK(f->errors == 1 && f->last_error == CP_ERR_PACKET);
	report("an error without an inactive signal still stops the queue");
}

static void test_init(void)
{
	const struct gpu_target *t = gpu_target_by_version(90010);
	struct cp_queue q;

	CHECK(t && !gpu_target_by_version(80003));
	CHECK(cp_queue_init(&q, t, CP_KIND_AQL, 0x1000, 3 * 64, 0x2080, 0x2038) == -EINVAL);
	CHECK(cp_queue_init(&q, t, CP_KIND_AQL, 0x1000, 0, 0x2080, 0x2038) == -EINVAL);
	CHECK(cp_queue_init(&q, t, CP_KIND_AQL, 0x1020, 64, 0x2080, 0x2038) == -EINVAL);
	CHECK(cp_queue_init(&q, t, CP_KIND_AQL, 0x1000, 64, 0x2084, 0x2038) == -EINVAL);
	CHECK(cp_queue_init(&q, t, CP_KIND_AQL, 0x1000, 64, 0x40, 0x44) == -EINVAL);
	CHECK(cp_queue_init(&q, t, CP_KIND_AQL, 0x1000, 64, 0x2080, 0x2038) == 0);
	CHECK(q.amd_queue_va == 0x2000 && q.ring_packets == 1);
	CHECK(cp_queue_init(&q, t, CP_KIND_AQL, 0x1000, 64, 0x40, 0x3000) == 0);
	CHECK(!q.amd_queue_va);
	report("queue geometry");
}

int main(void)
{
	static void (* const tests[])(void) = {
		test_init, test_dispatch, test_dispatch_sgprs, test_vgprs,
		test_wave32, test_scratch_stride, test_scratch_retry, test_barrier_and, test_barrier_or,
		test_barrier_empty, test_barrier_value, test_pm4_ib,
		test_pm4_bad, test_barrier_bit, test_barrier_bit_ahead, test_order_of_rings,
		test_unrung, test_wrap_and_full, test_no_slot, test_faults,
		test_no_inactive_signal,
	};
	unsigned int i;

	printf("TAP version 13\n1..%zu\n",
	       ARRAY_SIZE(tests) + ARRAY_SIZE(bad_rows));
	for (i = 0; i < ARRAY_SIZE(tests); i++)
		tests[i]();
	for (i = 0; i < ARRAY_SIZE(bad_rows); i++)
		test_bad_dispatch(&bad_rows[i]);
	return test_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
