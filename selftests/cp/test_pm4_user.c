// SPDX-License-Identifier: MIT
/*
 * PM4 packets that only user queues of the render node may use: fences of their progress; and
 * those that differ from gfx10 on.
 */
#include "pm4_rig.h"

/* Packets of user queues; on others they are refused (test_pm4). */
static void test_user_fences(void)
{
	struct fake_env *f = fresh();
	u32 n;

	f->q.pm4.protected = true;
	CHECK(SUBMIT(f, WRITE(DATA_VA, 1), HDR(PROTECTED_FENCE_SIGNAL, 2), 0) == CP_IDLE);
	CHECK(f->signals == 1 && f->signaled == wptr && at(f, 0) == 1);
	/* from a buffer: the position after the packet that called it */
	n = PUT(f, IB_VA, WRITE(DATA_VA, 2), HDR(PROTECTED_FENCE_SIGNAL, 2), 0);
	CHECK(SUBMIT(f, IB(IB_VA, n)) == CP_IDLE && f->signals == 2 && f->signaled == wptr);
	/* after the dispatches before it */
	put_shader(f, 4u << 1);
	CHECK(SUBMIT(f, HDR(DISPATCH_DIRECT, 5), 1, 1, 1, 1, HDR(PROTECTED_FENCE_SIGNAL, 2), 0,
		     WRITE(DATA_VA, 3)) == CP_BLOCKED);
	CHECK(f->signals == 2 && at(f, 0) == 3);
	fake_finish(f, 0);
	CHECK(fake_run(f) == CP_IDLE && f->signals == 3 && f->signaled == wptr - 5);
	/* each word in turn; more than what was asked for will do */
	fake_put(f, DATA_VA + 64, 5, 8);
	CHECK(SUBMIT(f, HDR(FENCE_WAIT_MULTI, 6), 0, LO(DATA_VA + 64), 0, 4, 0) == CP_IDLE);
	CHECK(SUBMIT(f, HDR(FENCE_WAIT_MULTI, 10), 0, LO(DATA_VA + 64), 0, 5, 0,
		     LO(DATA_VA + 72), 0, 0, 1, WRITE(DATA_VA, 4)) == CP_BLOCKED);
	CHECK(f->q.polling && at(f, 0) == 3);
	fake_put(f, DATA_VA + 72, 0xffffffffu, 8);
	CHECK(fake_run(f) == CP_BLOCKED);
	fake_put(f, DATA_VA + 72, 1ull << 33, 8);
	/* The first is not looked at again. */
	fake_put(f, DATA_VA + 64, 0, 8);
	CHECK(fake_run(f) == CP_IDLE && at(f, 0) == 4);
	CHECK(SUBMIT(f, HDR(FENCE_WAIT_MULTI, 7), 0, LO(DATA_VA + 64), 0, 0, 0, 0) == CP_ERROR);
	report("PROTECTED_FENCE_SIGNAL, FENCE_WAIT_MULTI");
}

/* GCR_CNTL is the last dword, COHER_CNTL has no bit of the instruction cache. */
static void test_gcr(void)
{
	static const u32 gpus[] = { 100300, 110000, 120001 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(gpus); i++) {
		struct fake_env *f = fresh_version(gpus[i]);

		CHECK(SUBMIT(f, HDR(ACQUIRE_MEM, 8), 1u << 29, ~0u, 0, 0, 0, 4, 0xc3c0) == CP_IDLE);
		CHECK(f->icache == 0);
		CHECK(SUBMIT(f, HDR(ACQUIRE_MEM, 8), 0, ~0u, 0, 0, 0, 4, 0xc3c1) == CP_IDLE);
		CHECK(f->icache == 1);
		/* RELEASE_MEM: GCR bits of the first dword, which wait for nothing here */
		CHECK(SUBMIT(f, HDR(RELEASE_MEM, 8), 0x14 | 5 << 8 | 0x307 << 12, 1u << 29,
			     LO(DATA_VA), 0, 0x1234, 0, 0) == CP_IDLE);
		CHECK(at(f, 0) == 0x1234);
		CHECK(SUBMIT(f, HDR(ACQUIRE_MEM, 7), 0, ~0u, 0, 0, 0, 4) == CP_ERROR);
	}
	report("ACQUIRE_MEM and RELEASE_MEM of gfx10, gfx11 and gfx12");
}

static const struct cp_dispatch *last(const struct fake_env *f)
{
	return &f->dispatched[f->ndispatched - 1];
}

/* INITIATOR.CS_W32_EN: as many items are twice as many waves; registers are counted by 8. */
static void test_wave32(void)
{
	struct fake_env *f = fresh_version(110000);

	put_shader(f, 4u << 1);
	CHECK(SUBMIT(f, HDR(DISPATCH_DIRECT, 5), 1, 1, 1, 1) == CP_IDLE);
	CHECK(last(f)->lanes == 64);
	put_shader(f, 4u << 1);
	CHECK(SUBMIT(f, HDR(DISPATCH_DIRECT, 5), 1, 1, 1, 1 | 1u << 15) == CP_IDLE);
	CHECK(last(f)->lanes == 32 && last(f)->rows % 8 == 0 && last(f)->sgprs == 106);
	report("DISPATCH_DIRECT: waves of 32");
}

/* RSRC2 bit 6: TRAP_PRESENT, which asks for nothing here; ENABLE_DYNAMIC_VGPR of gfx12 does. */
static void test_dynamic_vgprs(void)
{
	static const u32 gpus[] = { 90010, 100300, 110000, 120001 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(gpus); i++) {
		struct fake_env *f = fresh_version(gpus[i]);
		bool gfx12 = gpus[i] == 120001;

		put_shader(f, 4u << 1 | 1u << 6);
		CHECK(SUBMIT(f, HDR(DISPATCH_DIRECT, 5), 1, 1, 1, 1) ==
		      (gfx12 ? CP_ERROR : CP_IDLE));
		CHECK(f->ndispatched == !gfx12);
		CHECK(!gfx12 || f->q.error == CP_ERR_PACKET);
	}
	report("DISPATCH_DIRECT: dynamic registers of gfx12 are refused");
}

int main(void)
{
	printf("TAP version 13\n1..4\n");
	test_user_fences();
	test_gcr();
	test_wave32();
	test_dynamic_vgprs();
	return test_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
