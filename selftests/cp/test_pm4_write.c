// SPDX-License-Identifier: MIT
/*
 * AQL -> PM4 -> launch: a dispatch packet is parsed, written as PM4 packets, and these are
 * executed. What our PM4 processor launches then must be what the AQL packet asked for.
 */
#include "pm4_rig.h"
#include "../../kmod/cp/pm4_write.h"

#define ROOM		512u
#define PER_TARGET	3000

static u64 seed = 1;

static u32 rnd(u32 below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(seed >> 33) % below;
}

static const u32 versions[] = { 90006, 90008, 90010, 90402, 90500 };

static void fresh_queue(struct fake_env *f, const struct gpu_target *t, enum cp_kind kind)
{
	fake_env_init(f);
	if (cp_queue_init(&f->q, t, kind, RING_VA, kind == CP_KIND_PM4 ? RING_DWORDS * 4 : 1024,
			  kind == CP_KIND_PM4 ? RPTR_VA : QUEUE_VA + CP_AMD_QUEUE_READ_ID,
			  kind == CP_KIND_PM4 ? QUEUE_VA + 8 : QUEUE_VA + CP_AMD_QUEUE_WRITE_ID))
		abort();
}

/* Any kernel, any queue's scratch, any shape: about half of them can be launched. */
static struct cp_aql_packet random_packet(struct fake_env *f)
{
	struct cp_aql_packet p = {
		.header = CP_AQL_DISPATCH | 1u << 9 | 1u << 11,
		.dispatch = {
			.setup = 1 + rnd(3),
			.group = { 1 + rnd(256), 1 + rnd(3), 1 + rnd(2) },
			.grid = { 1 + rnd(100000), 1 + rnd(100), 1 + rnd(9) },
			.private_bytes = rnd(2) ? rnd(64) : 0,
			.group_bytes = rnd(65536),
			.kernel_object = KERNEL_VA,
			.kernarg = rnd(1u << 30) * 16ull,
		},
	};
	unsigned int i;

	fake_put(f, KERNEL_VA + 16, 0x100 + rnd(64) * 0x100, 8);
	fake_put(f, KERNEL_VA + 44, rnd(64), 4);
	fake_put(f, KERNEL_VA + 48, rnd(8) | rnd(8) << 6 | rnd(1u << 20) << 12, 4);
	fake_put(f, KERNEL_VA + 52, (p.dispatch.private_bytes ? 1 : rnd(2)) | rnd(17) << 1 | rnd(64) << 7 |
		 rnd(512) << 15 | rnd(128) << 24, 4);
	fake_put(f, KERNEL_VA + 56, rnd(128), 2);
	fake_put(f, QUEUE_VA + 140, (8 + rnd(100)) | (1 + rnd(100)) << 12, 4);
	for (i = 0; i < 4; i++)
		fake_put(f, QUEUE_VA + 144 + 4 * i, rnd(~0u), 4);
	fake_put(f, QUEUE_VA + 160, (u64)rnd(1u << 30) << 16, 8);
	return p;
}

/* What is no matter of the launch: who asked for it. And how far a lane's scratch may reach. */
static void strip(struct cp_dispatch *d)
{
	unsigned int i;

	d->index = 0;
	d->packet_va = 0;
	d->kernel_object = 0;
	d->signal = 0;
	d->pm4 = false;
	d->properties = 0;
	for (i = d->nuser; i < CP_MAX_USER_SGPRS; i++)
		d->user[i] = 0;
	/* Group memory is in the second: lds_bytes is compared. Old GPUs have no third. */
	d->rsrc[1] = 0;
	d->rsrc[2] = 0;
	d->scratch_lane_bytes = !!d->scratch_lane_bytes;
	if (d->scratch_lane_bytes)
		return;
	d->scratch_base = 0;
	d->tmpring = 0;
	d->scratch_wave_bytes = 0;
	d->scratch_waves = 0;
}

/* Executes the buffer on a fresh PM4 queue; how many dispatches that started. */
static unsigned int execute(struct fake_env *f, const struct gpu_target *t,
			    const struct cp_pm4_out *o)
{
	fresh_queue(f, t, CP_KIND_PM4);
	wptr = 0;
	memcpy(fake_at(f, IB_VA), o->dw, o->n * 4);
	CHECK(SUBMIT(f, IB(IB_VA, o->n)) != CP_ERROR);
	CHECK(f->q.state == CP_STATE_RUN);
	return f->ndispatched;
}

static void test_same(u32 version)
{
	const struct gpu_target *t = gpu_target_by_version(version);
	static struct fake_env aql, pm4;
	unsigned int i, launched = 0, refused = 0, scratch = 0;
	char name[64];

	CHECK(t && cp_pm4_writable(t));
	for (i = 0; t && i < PER_TARGET && !checks_failed; i++) {
		u32 dw[ROOM], code = 0;
		struct cp_pm4_out o = { .dw = dw, .room = ROOM };
		struct cp_aql_packet p;
		struct cp_dispatch d;

		fresh_queue(&aql, t, CP_KIND_AQL);
		p = random_packet(&aql);
		CHECK(!cp_dispatch_parse(&aql.q, &aql.env, &p, &d, &code));
		refused += !!code;
		if (code)
			continue;
		cp_pm4_put_acquire(&o, true);
		CHECK(cp_pm4_put_dispatch(&o, t, &d));
		CHECK(o.n <= CP_PM4_ACQUIRE_DWORDS + CP_PM4_DISPATCH_DWORDS && !o.full);
		cp_pm4_put_padding(&o, 8);
		CHECK(o.n % 8 == 0);
		CHECK(execute(&pm4, t, &o) == 1);
		launched++;
		scratch += !!d.scratch_lane_bytes;
		strip(&d);
		strip(&pm4.dispatched[0]);
		CHECK(!memcmp(&d, &pm4.dispatched[0], sizeof(d)));
		if (checks_failed)
			printf("# dispatch %u of gfx %u\n", i, version);
	}
	CHECK(launched > PER_TARGET / 20 && refused && scratch > 20);
	snprintf(name, sizeof(name), "gfx %u: PM4 launches what AQL does", version);
	report(name);
}

/* What comes from a PM4 stream may begin after group 0, and goes through unchanged, too. */
static void test_offset(void)
{
	const struct gpu_target *t = gpu_target_by_version(90010);
	static struct fake_env first, again;
	u32 dw[ROOM];
	struct cp_pm4_out o = { .dw = dw, .room = ROOM };
	struct cp_dispatch d, *e = again.dispatched;

	fresh_queue(&first, t, CP_KIND_PM4);
	wptr = 0;
	put_shader(&first, 4u << 1 | 1u << 7);
	SUBMIT(&first, HDR(SET_SH_REG, 5), 0x204, 3, 1, 0,
	       HDR(DISPATCH_DIRECT, 5), 7, 4, 2, 1);
	CHECK(first.ndispatched == 1);
	d = first.dispatched[0];
	CHECK(d.first[0] == 3 && d.groups[0] == 4 && d.groups[1] == 3 && d.grid[0] == 256);
	CHECK(cp_pm4_put_dispatch(&o, t, &d));
	CHECK(execute(&again, t, &o) == 1);
	CHECK(!memcmp(d.first, e->first, sizeof(d.first)) && d.pc == e->pc);
	CHECK(!memcmp(d.groups, e->groups, sizeof(d.groups)));
	CHECK(!memcmp(d.grid, e->grid, sizeof(d.grid)));
	CHECK(!memcmp(d.user, e->user, sizeof(d.user)));
	d.first[2] = ~0u;
	d.group[2] = 2;
	o.n = 0;
	CHECK(!cp_pm4_put_dispatch(&o, t, &d) && !o.n);
	report("a grid that begins after group 0; one that ends beyond 32 bits");
}

/* Two dispatches, a barrier between them, and the time when all is over */
static void test_stream(void)
{
	const struct gpu_target *t = gpu_target_by_version(90010);
	static struct fake_env aql, f;
	u32 dw[ROOM], code = 0;
	struct cp_pm4_out o = { .dw = dw, .room = ROOM };
	struct cp_aql_packet p;
	struct cp_dispatch d;

	do {
		fresh_queue(&aql, t, CP_KIND_AQL);
		p = random_packet(&aql);
		CHECK(!cp_dispatch_parse(&aql.q, &aql.env, &p, &d, &code));
	} while (code);
	cp_pm4_put_dispatch(&o, t, &d);
	cp_pm4_put_idle(&o);
	cp_pm4_put_dispatch(&o, t, &d);
	cp_pm4_put_release(&o, DATA_VA, CP_PM4_DATA_CLOCK, 0, false);
	cp_pm4_put_release(&o, DATA_VA + 8, CP_PM4_DATA_64, 0x123456789abcull, true);
	cp_pm4_put_release(&o, DATA_VA + 16, CP_PM4_DATA_32, 7, false);
	CHECK(execute(&f, t, &o) == 1);
	CHECK(!fake_get(&f, DATA_VA, 8) && !fake_get(&f, DATA_VA + 8, 8));
	fake_finish(&f, 0);
	ring(&f);
	CHECK(f.ndispatched == 2 && !fake_get(&f, DATA_VA + 8, 8));
	fake_finish(&f, 1);
	ring(&f);
	CHECK(fake_get(&f, DATA_VA, 8) && fake_get(&f, DATA_VA, 8) <= f.now);
	CHECK(fake_get(&f, DATA_VA + 8, 8) == 0x123456789abcull);
	CHECK(fake_get(&f, DATA_VA + 16, 4) == 7 && f.events == 1);
	report("a barrier, the clock and fences after dispatches");
}

/*
 * What a dispatch's end does to its signal: by the processor of AQL packets on one side, and on the
 * other by packets, but for the mailbox and the event.
 */
static void test_complete(void)
{
	const struct gpu_target *t = gpu_target_by_version(90010);
	static struct fake_env aql, f;
	struct cp_done done = { .signal = SIGNAL_VA };
	u32 dw[ROOM], code = 0;
	struct cp_pm4_out o = { .dw = dw, .room = ROOM };
	struct cp_aql_packet p;
	struct cp_dispatch d;
	unsigned int side;

	do {
		fresh_queue(&aql, t, CP_KIND_AQL);
		p = random_packet(&aql);
		CHECK(!cp_dispatch_parse(&aql.q, &aql.env, &p, &d, &code));
	} while (code);
	cp_pm4_put_clock(&o, SIGNAL_VA + CP_SIGNAL_START_TS);
	cp_pm4_put_dispatch(&o, t, &d);
	cp_pm4_put_complete(&o, SIGNAL_VA);
	CHECK(o.n <= CP_PM4_CLOCK_DWORDS + CP_PM4_DISPATCH_DWORDS + CP_PM4_COMPLETE_DWORDS);
	for (side = 0; side < 2; side++) {
		struct fake_env *e = side ? &f : &aql;

		fresh_queue(e, t, side ? CP_KIND_PM4 : CP_KIND_AQL);
		e->now = 1000;
		fake_put(e, SIGNAL_VA + CP_SIGNAL_VALUE, 0x100000000ull, 8);
		fake_put(e, SIGNAL_VA + 16, MAILBOX_VA, 8);
		fake_put(e, SIGNAL_VA + 24, 7, 4);
	}
	done.start = ++aql.now;
	done.end = ++aql.now;
	CHECK(!cp_signal_complete(&aql.env, &done) && aql.events == 1);
	wptr = 0;
	memcpy(fake_at(&f, IB_VA), dw, o.n * 4);
	SUBMIT(&f, IB(IB_VA, o.n));
	CHECK(f.ndispatched == 1 && fake_get(&f, SIGNAL_VA + CP_SIGNAL_VALUE, 8) == 1ull << 32);
	CHECK(!fake_get(&f, SIGNAL_VA + CP_SIGNAL_END_TS, 8));
	/* From here on, the owner only has to tell who waits. */
	done = (struct cp_done){ .signal = SIGNAL_VA };
	CHECK(!cp_signal_promise(&f.env, SIGNAL_VA, &done));
	f.flushes = 0;
	fake_finish(&f, 0);
	ring(&f);
	CHECK(f.q.state == CP_STATE_RUN && f.flushes && !f.events);
	CHECK(fake_get(&f, SIGNAL_VA + CP_SIGNAL_VALUE, 8) == 0xffffffffull);
	CHECK(fake_get(&f, SIGNAL_VA + CP_SIGNAL_START_TS, 8) == 1001);
	CHECK(fake_get(&f, SIGNAL_VA + CP_SIGNAL_END_TS, 8) > 1001 &&
	      fake_get(&f, SIGNAL_VA + CP_SIGNAL_END_TS, 8) <= f.now);
	CHECK(!fake_get(&f, MAILBOX_VA, 8));
	CHECK(!cp_signal_complete(&f.env, &done) && f.events == 1 && f.last_event == 7);
	CHECK(fake_get(&f, MAILBOX_VA, 8) == 7);
	fake_put(&f, SIGNAL_VA + CP_SIGNAL_END_TS, fake_get(&aql, SIGNAL_VA + CP_SIGNAL_END_TS, 8), 8);
	CHECK(!memcmp(fake_at(&f, SIGNAL_VA), fake_at(&aql, SIGNAL_VA), 64));
	done = (struct cp_done){ };
	CHECK(cp_signal_promise(&f.env, ~0xfffull, &done) && !done.counted);
	report("a signal that packets complete is as one that AQL completes");
}

static u64 stored_at;

static int store_where(struct cp_env *env, u64 va, u64 val)
{
	stored_at = va;
	return 0;
}

/* Packets have 48 bits of an address, and render nodes addresses whose other bits are ones. */
static void test_high(void)
{
	static const u64 addresses[] = { 0xffff800000008000ull, 0x00007ffffffff008ull };
	const struct gpu_target *t = gpu_target_by_version(90010);
	static struct fake_env f;
	struct cp_env_ops ops;
	unsigned int i;
	u32 dw[ROOM];

	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		struct cp_pm4_out o = { .dw = dw, .room = ROOM };

		cp_pm4_put_release(&o, addresses[i], CP_PM4_DATA_64, 1, false);
		fresh_queue(&f, t, CP_KIND_PM4);
		memcpy(fake_at(&f, IB_VA), dw, o.n * 4);
		ops = *f.env.ops;
		ops.write64 = store_where;
		f.env.ops = &ops;
		wptr = 0;
		SUBMIT(&f, IB(IB_VA, o.n));
		CHECK(f.q.state == CP_STATE_RUN && stored_at == addresses[i]);
	}
	report("addresses above the hole");
}

/* What of a descriptor makes a dispatch is looked at, bit by bit, and nothing else. */
static void test_check(void)
{
	const struct gpu_target *t = gpu_target_by_version(90010);
	static struct fake_env aql, f;
	u32 dw[ROOM], code = 0, bit, seen = 0, at;
	struct cp_pm4_out o = { .dw = dw, .room = ROOM };
	struct cp_aql_packet p;
	struct cp_dispatch d;

	do {
		fresh_queue(&aql, t, CP_KIND_AQL);
		p = random_packet(&aql);
		CHECK(!cp_dispatch_parse(&aql.q, &aql.env, &p, &d, &code));
	} while (code);
	cp_pm4_put_check(&o, &d, DATA_VA);
	CHECK(o.n == CP_PM4_CHECK_DWORDS);
	at = cp_pm4_put_if(&o, DATA_VA);
	CHECK(o.n == CP_PM4_CHECK_DWORDS + CP_PM4_IF_DWORDS);
	cp_pm4_put_dispatch(&o, t, &d);
	cp_pm4_put_release(&o, DATA_VA + 8, CP_PM4_DATA_32, 1, false);
	cp_pm4_put_end_if(&o, at);
	cp_pm4_put_release(&o, DATA_VA + 16, CP_PM4_DATA_32, 1, false);
	/* The bit behind the last one: nothing is changed. */
	for (bit = 0; bit <= 512; bit++) {
		bool same;

		fresh_queue(&f, t, CP_KIND_PM4);
		memcpy(fake_at(&f, KERNEL_VA), fake_at(&aql, KERNEL_VA), 64);
		if (bit < 512)
			*((u8 *)fake_at(&f, KERNEL_VA) + bit / 8) ^= 1u << bit % 8;
		fake_put(&f, DATA_VA, 1, 4);
		wptr = 0;
		memcpy(fake_at(&f, IB_VA), dw, o.n * 4);
		CHECK(SUBMIT(&f, IB(IB_VA, o.n)) != CP_ERROR && f.q.state == CP_STATE_RUN);
		same = fake_get(&f, DATA_VA, 4);
		CHECK(f.ndispatched == same);
		if (same)
			fake_finish(&f, 0);
		ring(&f);
		CHECK(fake_get(&f, DATA_VA + 8, 4) == same && fake_get(&f, DATA_VA + 16, 4) == 1);
		seen += !same;
		CHECK(bit < 512 || same);
	}
	CHECK(seen == (2 + 3 + 1) * 32);
	report("a descriptor that has changed: its dispatch is left out");
}

static void test_room(void)
{
	const struct gpu_target *t = gpu_target_by_version(90010);
	u32 dw[ROOM], room, whole;
	struct cp_pm4_out o = { .dw = dw, .room = ROOM };
	struct cp_dispatch d = { .group = { 64, 1, 1 }, .grid = { 64, 1, 1 }, .lanes = 64 };

	cp_pm4_put_dispatch(&o, t, &d);
	whole = o.n;
	for (room = 0; room < whole; room++) {
		o = (struct cp_pm4_out){ .dw = dw, .room = room };
		memset(dw, 0xa5, sizeof(dw));
		cp_pm4_put_dispatch(&o, t, &d);
		CHECK(o.full && !o.n && dw[room] == 0xa5a5a5a5);
	}
	o = (struct cp_pm4_out){ .dw = dw, .room = whole };
	cp_pm4_put_dispatch(&o, t, &d);
	CHECK(!o.full && o.n == whole);
	cp_pm4_put_idle(&o);
	CHECK(o.full && o.n == whole);
	for (room = 0; room < CP_PM4_COMPLETE_DWORDS; room++) {
		o = (struct cp_pm4_out){ .dw = dw, .room = room };
		cp_pm4_put_complete(&o, SIGNAL_VA);
		CHECK(o.full && !o.n);
	}
	report("a buffer that is too small");
}

static void test_padding(void)
{
	const struct gpu_target *t = gpu_target_by_version(90010);
	static struct fake_env f;
	u32 dw[ROOM], i;

	for (i = 0; i < 16; i++) {
		struct cp_pm4_out o = { .dw = dw, .room = ROOM };
		u32 n;

		for (n = 0; n < i; n++)
			cp_pm4_put_padding(&o, 1);	/* none */
		for (n = 0; n < i; n++)
			dw[o.n++] = 3u << 30 | 0x3fffu << 16 | NOP << 8;
		cp_pm4_put_release(&o, DATA_VA, CP_PM4_DATA_32, i + 1, false);
		cp_pm4_put_padding(&o, 16);
		CHECK(o.n % 16 == 0 && o.n < i + CP_PM4_RELEASE_DWORDS + 16);
		execute(&f, t, &o);
		CHECK(fake_get(&f, DATA_VA, 4) == i + 1);
	}
	report("padding is skipped");
}

int main(void)
{
	unsigned int i;

	printf("1..%zu\n", ARRAY_SIZE(versions) + 7);
	for (i = 0; i < ARRAY_SIZE(versions); i++)
		test_same(versions[i]);
	test_offset();
	test_stream();
	test_complete();
	test_check();
	test_high();
	test_room();
	test_padding();
	return test_failed ? 1 : 0;
}
