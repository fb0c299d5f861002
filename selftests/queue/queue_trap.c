// SPDX-License-Identifier: MIT
/*
 * Trap handlers of the process (SET_TRAP_HANDLER), arithmetic exceptions, and
 * global wave sync. The handler here does what the one of ROCm's runtime does:
 * asks for its queue's doorbell, writes down what happened, interrupts, halts.
 */
#include "queue_test.h"

#define ERR_APERTURE	0x20000000
#define ERR_TRAP	0x80000000ll
#define TRAPSTS_DIV0	(1u << 2)
#define TRAPSTS_MEMVIOL	(1u << 8)
#define TRAPSTS_ILLEGAL	(1u << 11)

/* What the handler writes to its TMA. */
struct report {
	volatile u32 count, doorbell, trapsts, id;
	volatile u64 pc;
	volatile u32 ttmp6, ttmp11;
};

/*
 * s_bfe_u32 ttmp2, ttmp1, 0x80010; s_cmp_eq_u32 ttmp2, 3; s_cbranch_scc1 skip
 * s_store_dword ttmp2, [ttmp14,ttmp15], 0xc
 * s_store_dwordx2 [ttmp0,ttmp1], [ttmp14,ttmp15], 0x10
 * s_store_dword ttmp6, [ttmp14,ttmp15], 0x18; s_store_dword ttmp11, [ttmp14,ttmp15], 0x1c
 * s_mov_b32 ttmp2, exec_lo; s_mov_b32 exec_lo, 0x80000000
 * s_sendmsg sendmsg(MSG_GET_DOORBELL)
 * wait: s_nop 7; s_bitcmp0_b32 exec_lo, 31; s_cbranch_scc0 wait
 * s_and_b32 ttmp3, exec_lo, 0x3ff; s_mov_b32 exec_lo, ttmp2
 * s_store_dword ttmp3, [ttmp14,ttmp15], 0x4; s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)
 * s_store_dword ttmp2, [ttmp14,ttmp15], 0x8; s_dcache_wb
 * s_mov_b32 ttmp2, 1; s_atomic_add ttmp2, [ttmp14,ttmp15], 0x0
 * s_mov_b32 ttmp2, m0; s_mov_b32 m0, 0; s_nop 0; s_sendmsg sendmsg(MSG_INTERRUPT)
 * s_mov_b32 m0, ttmp2; s_bitset1_b32 ttmp12, 13; s_branch out
 * skip: s_add_u32 ttmp0, ttmp0, 4; s_addc_u32 ttmp1, ttmp1, 0
 * out: s_and_b32 ttmp1, ttmp1, 0xffff; s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
 * s_rfe_b64 [ttmp0,ttmp1]
 */
static const u32 handler[] = {
	0x92eeff6d, 0x00080010, 0xbf06836e, 0xbf850023, 0xc0421bbd, 0x0000000c,
	0xc0461b3d, 0x00000010, 0xc0421cbd, 0x00000018, 0xc0421dfd, 0x0000001c,
	0xbeee007e, 0xbefe00ff, 0x80000000, 0xbf90000a, 0xbf800007, 0xbf0c9f7e,
	0xbf84fffd, 0x866fff7e, 0x000003ff, 0xbefe006e, 0xc0421bfd, 0x00000004,
	0xb8eef803, 0xc0421bbd, 0x00000008, 0xc0840000, 0x00000000, 0xbeee0081,
	0xc20a1bbd, 0x00000000, 0xbeee007c, 0xbefc0080, 0xbf800000, 0xbf900001,
	0xbefc006e, 0xbef81a8d, 0xbf820002, 0x806c846c, 0x826d806d, 0x866dff6d,
	0x0000ffff, 0xb978f802, 0xbe801f6c,
};

#define NEED_HANDLER(self)							\
do {										\
	if (rig_property((self)->r.gpu_id, "gfx_target_version") >= 100000)	\
		SKIP(return, "the handler stores by the scalar unit, which gfx10 cannot");	\
} while (0)

static int install(struct rig *r, struct report **report)
{
	struct kfd_ioctl_set_trap_handler_args a = { .gpu_id = r->gpu_id };
	struct rig_mem code, data;
	int ret = rig_alloc(r, KFD_IOC_ALLOC_MEM_FLAGS_GTT, RIG_PAGE, &code);

	if (!ret)
		ret = rig_anon(r, RIG_PAGE, &data);
	if (ret)
		return ret;
	memcpy(code.p, handler, sizeof(handler));
	memset(data.p, 0, RIG_PAGE);
	*report = data.p;
	a.tba_addr = (uintptr_t)code.p;
	a.tma_addr = (uintptr_t)data.p;
	return rig_ioctl(r, AMDKFD_IOC_SET_TRAP_HANDLER, &a);
}

/* The handler ran @n times, the queue did not stop, others work. */
static void handled(FIXTURE_DATA(gpu) *self,
		    const struct report *rep, u32 n, const struct rig_signal *s)
{
	struct rig_queue second;

	EXPECT_TRUE(rig_wait32(&rep->count, n, RIG_LONG));
	EXPECT_EQ(self->q.inactive->value, 0);
	EXPECT_EQ(s->value, 1);
	EXPECT_EQ(rep->doorbell, ((uintptr_t)self->q.doorbell - (uintptr_t)self->r.doorbells) / 8);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &second), 0);
	EXPECT_TRUE(queue_works(&self->r, &second, self->words + 1024));
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
}

TEST_F(gpu, s_trap_runs_the_handler)
{
	struct rig_kernel k;
	struct rig_signal *s;
	struct report *rep;

	NEED_HANDLER(self);
	ASSERT_EQ(install(&self->r, &rep), 0);
	ASSERT_EQ(rig_kernel(&self->r, "abort_trap", &k), 0);
	ASSERT_TRUE(queue_works(&self->r, &self->q, self->words));
	s = start(&self->r, &self->q, "abort_trap", (uintptr_t)self->words, 0, 1, 64);
	handled(self, rep, 1, s);
	EXPECT_EQ(rep->id, 2);
	EXPECT_EQ(rep->pc & 0xffff000000000000, 2ull << 48);
	/* the second packet of the ring; gfx942 tells it in TTMP11 */
	if (rig_property(self->r.gpu_id, "gfx_target_version") < 90400)
		EXPECT_EQ(rep->ttmp6, 1);
	EXPECT_EQ(self->words[0], 1);
}

TEST_F(gpu, every_wave_of_a_group_traps)
{
	struct rig_signal *s;
	struct report *rep;

	NEED_HANDLER(self);
	ASSERT_EQ(install(&self->r, &rep), 0);
	s = start(&self->r, &self->q, "abort_trap", (uintptr_t)self->words, 0, 2, 256);
	handled(self, rep, 8, s);
}

TEST_F(gpu, the_handler_skips_a_debug_trap)
{
	struct rig_signal *s;
	struct report *rep;

	NEED_HANDLER(self);
	ASSERT_EQ(install(&self->r, &rep), 0);
	s = start(&self->r, &self->q, "debug_trap", (uintptr_t)self->words, 0, 1, 64);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(self->words[0], 1);
	EXPECT_EQ(rep->count, 0);
}

TEST_F(gpu, an_illegal_instruction_runs_the_handler)
{
	struct rig_signal *s;
	struct report *rep;

	NEED_HANDLER(self);
	ASSERT_EQ(install(&self->r, &rep), 0);
	s = start(&self->r, &self->q, "illegal", (uintptr_t)self->words, 0, 1, 64);
	handled(self, rep, 1, s);
	EXPECT_EQ(rep->trapsts & TRAPSTS_ILLEGAL, TRAPSTS_ILLEGAL);
	EXPECT_EQ(rep->id, 0);
}

TEST_F(gpu, a_memory_violation_runs_the_handler)
{
	struct rig_signal *s;
	struct report *rep;

	NEED_HANDLER(self);
	ASSERT_EQ(install(&self->r, &rep), 0);
	s = start(&self->r, &self->q, "misaligned", (uintptr_t)self->words, 0, 1, 64);
	handled(self, rep, 1, s);
	EXPECT_EQ(rep->trapsts & TRAPSTS_MEMVIOL, TRAPSTS_MEMVIOL);
}

TEST_F(gpu, an_arithmetic_exception_runs_the_handler)
{
	struct rig_signal *s;
	struct report *rep;

	NEED_HANDLER(self);
	ASSERT_EQ(install(&self->r, &rep), 0);
	s = start(&self->r, &self->q, "divide", (uintptr_t)self->words, 0, 1, 64);
	handled(self, rep, 1, s);
	EXPECT_EQ(rep->trapsts, TRAPSTS_DIV0);
	EXPECT_EQ(self->words[0], 1);
}

TEST_F(gpu, an_arithmetic_exception_stops_the_queue_without_handler)
{
	struct rig_signal *s;

	s = start(&self->r, &self->q, "divide", (uintptr_t)self->words, 4, 1, 64);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(self->words[0], 0x3e800000);
	s = start(&self->r, &self->q, "divide", (uintptr_t)self->words, 0, 1, 64);
	EXPECT_TRUE(rig_wait(self->q.inactive, ERR_TRAP, RIG_LONG));
	EXPECT_EQ(s->value, 1);
}

/* A handler that is nowhere: its page faults, as any code's would. */
TEST_F(gpu, a_handler_that_is_not_there)
{
	struct kfd_ioctl_set_trap_handler_args a = { .gpu_id = self->r.gpu_id };
	struct kfd_event_data d;
	u32 id, slot;

	a.tba_addr = (uintptr_t)mmap(NULL, RIG_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
				     -1, 0);
	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot), 0);
	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_SET_TRAP_HANDLER, &a), 0);
	start(&self->r, &self->q, "abort_trap", (uintptr_t)self->words, 0, 1, 64);
	ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, &d), 0);
	EXPECT_EQ(d.memory_exception_data.va, a.tba_addr);
	EXPECT_TRUE(other_process_works());
}

/* gfx12 has no instructions for it. */
#define NEED_GWS(self)								\
do {										\
	struct rig_kernel gws;							\
										\
	if (rig_kernel(&(self)->r, "gws_init", &gws))				\
		SKIP(return, "no global wave sync");				\
} while (0)

TEST_F(gpu, no_gws_without_allocation)
{
	NEED_GWS(self);
	start(&self->r, &self->q, "gws_init", (uintptr_t)self->words, 3, 1, 64);
	EXPECT_TRUE(rig_wait(self->q.inactive, ERR_APERTURE, RIG_LONG));
	EXPECT_EQ(self->words[0], 0);
}

TEST_F(gpu, gws_barrier_of_a_grid)
{
	const u32 groups = 24;
	struct kfd_ioctl_alloc_queue_gws_args a = { .queue_id = self->q.id, .num_gws = 64 };
	struct rig_signal *s;
	int ret = rig_ioctl(&self->r, AMDKFD_IOC_ALLOC_QUEUE_GWS, &a);

	NEED_GWS(self);
	if (ret)
		SKIP(return, "ALLOC_QUEUE_GWS: %d", ret);
	memset(self->words, 0, RIG_PAGE);
	s = start(&self->r, &self->q, "gws_init", (uintptr_t)self->words, groups - 1, 1, 64);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	memset(self->words, 0, RIG_PAGE);
	s = start(&self->r, &self->q, "gws_meet", (uintptr_t)self->words, groups - 1, groups, 1);
	ASSERT_TRUE(rig_wait(s, 0, 3 * RIG_LONG));
	EXPECT_EQ(self->words[0], groups);
	EXPECT_EQ(self->words[1], 0);
	EXPECT_EQ(self->words[2], groups);
}

/* A thousand waves at a semaphore: who has it gets on. */
TEST_F(gpu, gws_semaphore_of_many)
{
	struct kfd_ioctl_alloc_queue_gws_args a = { .queue_id = self->q.id, .num_gws = 64 };
	struct rig_signal *s;
	u32 groups = 10000;

	NEED_GWS(self);
	/* They all take turns until the one that has it sees that it may go on. */
	alarm(8 * TH_TIMEOUT_S * th_slow());
	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_ALLOC_QUEUE_GWS, &a), 0);
	self->words[0] = 0;
	s = start(&self->r, &self->q, "gws_init", (uintptr_t)&self->words[2], 1, 1, 64);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	self->words[1] = 0;
	s = start(&self->r, &self->q, "gws_count", (uintptr_t)self->words, 0, groups, 1);
	sleep(5);	/* as many as there is room for come to it */
	EXPECT_EQ(self->words[0], 0);
	__atomic_store_n(&self->words[1], 1, __ATOMIC_RELEASE);
	EXPECT_TRUE(rig_wait(s, 0, 8 * RIG_LONG));
	EXPECT_EQ(self->words[0], groups);
}

TEST_HARNESS_MAIN
