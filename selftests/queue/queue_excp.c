// SPDX-License-Identifier: MIT
/*
 * RUNTIME_ENABLE and the exception channel: what goes wrong in a queue is ORed
 * as bits into the word that the header of its save area names, and the event
 * that it names is set.
 */
#include "queue_test.h"

#define EC(n)			(1ull << ((n) - 1))
#define TRAP_ABORT_AND_MATH	(EC(EC_QUEUE_WAVE_ABORT) | EC(EC_QUEUE_WAVE_MATH_ERROR))

static int runtime(struct rig *r, u32 mode)
{
	struct kfd_ioctl_runtime_enable_args a = { .r_debug = 0x1000, .mode_mask = mode };

	return rig_ioctl(r, AMDKFD_IOC_RUNTIME_ENABLE, &a);
}

static int enable(struct rig *r)
{
	return runtime(r, KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK |
			  KFD_RUNTIME_ENABLE_MODE_TTMP_SAVE_MASK);
}

/* Make self->q a queue whose exceptions go to @word and the event *@id. */
static int listen(FIXTURE_DATA(gpu) *self, volatile u64 *word, u32 *id)
{
	struct kfd_context_save_area_header *h;
	struct rig_mem area;
	u32 slot;
	int ret;

	ret = rig_event(&self->r, KFD_IOC_EVENT_SIGNAL, id, &slot);
	if (!ret)
		ret = rig_area(&self->r, &area);
	if (ret)
		return ret;
	h = area.p;
	h->err_payload_addr = (uintptr_t)word;
	h->err_event_id = *id;
	return rig_queue_create(&self->r, RIG_RING, &self->q);
}

static int enable_and_listen(FIXTURE_DATA(gpu) *self, volatile u64 *word, u32 *id)
{
	int ret = rig_queue_destroy(&self->r, &self->q);

	if (!ret)
		ret = enable(&self->r);
	return ret ?: listen(self, word, id);
}

static u64 *fresh_word(void)
{
	return mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void submit_nonsense(struct rig_queue *q)
{
	union rig_packet pk = { .header = 9 };

	rig_submit(q, &pk);
}

TEST_F(gpu, enable_once_and_before_queues)
{
	EXPECT_EQ(enable(&self->r), -EEXIST);
	ASSERT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	EXPECT_EQ(enable(&self->r), 0);
	EXPECT_EQ(enable(&self->r), -EBUSY);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	EXPECT_EQ(enable(&self->r), -EBUSY);
	EXPECT_EQ(runtime(&self->r, 0), 0);
	EXPECT_EQ(runtime(&self->r, 0), 0);
	EXPECT_EQ(enable(&self->r), -EEXIST);
}

TEST_F(gpu, enabling_is_of_one_process)
{
	struct rig r;
	int status;
	pid_t pid;

	ASSERT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	ASSERT_EQ(enable(&self->r), 0);
	pid = fork();
	if (!pid)
		_exit(rig_open(&r) || enable(&r) || enable(&r) != -EBUSY);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

/* No debugger: the errno of a driver whose queues no hardware schedules. */
TEST_F(gpu, no_debugger)
{
	struct kfd_ioctl_dbg_trap_args a = { .pid = getpid(), .op = KFD_IOC_DBG_TRAP_ENABLE };

	EXPECT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_DBG_TRAP, &a), -EINVAL);
	a.op = 99;
	EXPECT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_DBG_TRAP, &a), -EINVAL);
}

TEST_F(gpu, a_packet_that_is_none)
{
	u64 *word = fresh_word();
	u32 id;

	ASSERT_EQ(enable_and_listen(self, word, &id), 0);
	*word = 1ull << 63;	/* what stands there stays */
	submit_nonsense(&self->q);
	ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, NULL), 0);
	EXPECT_EQ(*word, 1ull << 63 | EC(EC_QUEUE_PACKET_UNSUPPORTED));
	EXPECT_EQ(self->q.inactive->value, 0x20);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
}

/* The word's page is not there yet: it is brought in. */
TEST_F(gpu, a_word_that_is_not_resident)
{
	u64 *word = fresh_word();
	u32 id;

	ASSERT_EQ(enable_and_listen(self, word, &id), 0);
	submit_nonsense(&self->q);
	ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, NULL), 0);
	EXPECT_EQ(*word, EC(EC_QUEUE_PACKET_UNSUPPORTED));
}

TEST_F(gpu, waves_without_a_handler)
{
	static const struct {
		const char *kernel;
		u64 ec;
	} cases[] = {
		{ "illegal", EC(EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION) },
		{ "abort_trap", EC(EC_QUEUE_WAVE_TRAP) },
		{ "misaligned", EC(EC_QUEUE_WAVE_APERTURE_VIOLATION) },
	};
	u64 *word = fresh_word();
	unsigned int i;
	u32 id;

	ASSERT_EQ(enable_and_listen(self, word, &id), 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		*word = 0;
		start(&self->r, &self->q, cases[i].kernel, (uintptr_t)self->words, 0, 1, 64);
		ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, NULL), 0);
		EXPECT_EQ(*word, cases[i].ec);
		ASSERT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	}
}

/*
 * s_mov_b32 m0, TRAP_ABORT_AND_MATH << 10 | 0x3ff; s_nop 0
 * s_sendmsg sendmsg(MSG_INTERRUPT); s_bitset1_b32 ttmp12, 13
 * s_and_b32 ttmp1, ttmp1, 0xffff; s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
 * s_rfe_b64 [ttmp0,ttmp1]
 */
static const u32 handler_gfx9[] = {
	0xbefc00ff, TRAP_ABORT_AND_MATH << 10 | 0x3ff, 0xbf800000, 0xbf900001, 0xbef81a8d,
	0x866dff6d, 0x0000ffff, 0xb978f802, 0xbe801f6c,
};

static const u32 handler_gfx10[] = {
	0xbefc03ff, TRAP_ABORT_AND_MATH << 10 | 0x3ff, 0xbf800000, 0xbf900001, 0xbef81d8d,
	0x876dff6d, 0x0000ffff, 0xb9f8f802, 0xbe80226c,
};

/*
 * The same with the doorbell, as ROCr's handler has it: s_sendmsg_rtn_b32 ttmp3,
 * sendmsg(MSG_RTN_GET_DOORBELL); s_waitcnt lgkmcnt(0); s_and_b32 ttmp3, ttmp3, 0x3ff
 * s_or_b32 ttmp3, ttmp3, TRAP_ABORT_AND_MATH << 10; s_mov_b32 m0, ttmp3
 */
static const u32 handler_gfx11[] = {
	0xbeef4c80, 0xbf89fc07, 0x8b6fff6f, 0x000003ff, 0x8c6fff6f, TRAP_ABORT_AND_MATH << 10,
	0xbefd006f, 0xbfb60001, 0xbef8128d, 0x8b6dff6d, 0x0000ffff, 0xb978f802, 0xbe804a6c,
};

/* The same; the bit and the register that halt a wave are others. */
static const u32 handler_gfx12[] = {
	0xbeef4c80, 0xbfc70000, 0x8b6fff6f, 0x000003ff, 0x8c6fff6f, TRAP_ABORT_AND_MATH << 10,
	0xbefd006f, 0xbfb60001, 0xbef8128e, 0x8b6dff6d, 0x0000ffff, 0xb978f804, 0xbe804a6c,
};

/* Returns how long it is. */
static size_t handler_of(const struct rig *r, const u32 **code)
{
	long version = rig_property(r->gpu_id, "gfx_target_version");

	*code = version < 100000 ? handler_gfx9 : version < 110000 ? handler_gfx10 :
		version < 120000 ? handler_gfx11 : handler_gfx12;
	return version < 110000 ? sizeof(handler_gfx9) : sizeof(handler_gfx11);
}

TEST_F(gpu, what_the_handler_says)
{
	struct kfd_ioctl_set_trap_handler_args a = { .gpu_id = self->r.gpu_id };
	u64 *word = fresh_word();
	const u32 *handler;
	struct rig_mem code;
	size_t bytes;
	u32 id;

	ASSERT_EQ(enable_and_listen(self, word, &id), 0);
	ASSERT_EQ(rig_alloc(&self->r, KFD_IOC_ALLOC_MEM_FLAGS_GTT, RIG_PAGE, &code), 0);
	bytes = handler_of(&self->r, &handler);
	memcpy(code.p, handler, bytes);
	a.tba_addr = (uintptr_t)code.p;
	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_SET_TRAP_HANDLER, &a), 0);
	start(&self->r, &self->q, "illegal", (uintptr_t)self->words, 0, 1, 64);
	ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, NULL), 0);
	EXPECT_EQ(*word, TRAP_ABORT_AND_MATH);
	EXPECT_EQ(self->q.inactive->value, 0);
	EXPECT_EQ(rig_queue_update(&self->r, &self->q, 0), 0);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

/* The signal is all that who has not enabled anything gets. */
TEST_F(gpu, not_enabled)
{
	u64 *word = fresh_word();
	u32 id;

	ASSERT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	ASSERT_EQ(listen(self, word, &id), 0);
	submit_nonsense(&self->q);
	ASSERT_TRUE(rig_wait(self->q.inactive, 0x20, RIG_LONG));
	EXPECT_EQ(rig_event_wait(&self->r, id, 200, NULL), -ETIME);
	EXPECT_EQ(*word, 0);
}

/* Words that cannot be written, headers that have gone: nobody falls over it. */
TEST_F(gpu, words_that_are_nowhere)
{
	u64 *word = fresh_word();
	u64 *const nowhere[] = { NULL, (u64 *)8, (u64 *)~7ull, word + 1, (u64 *)((char *)word + 3) };
	struct kfd_context_save_area_header *h;
	unsigned int i;
	u32 id;

	ASSERT_EQ(munmap(word, RIG_PAGE), 0);
	ASSERT_EQ(enable_and_listen(self, word, &id), 0);
	h = (void *)(uintptr_t)self->r.save_area;
	for (i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		h->err_payload_addr = (uintptr_t)nowhere[i];
		submit_nonsense(&self->q);
		ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, NULL), 0);
		ASSERT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	}
	munmap(h, 2 * RIG_PAGE);
	submit_nonsense(&self->q);
	EXPECT_TRUE(rig_wait(self->q.inactive, 0x20, RIG_LONG));
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	EXPECT_TRUE(other_process_works());
}

TEST_HARNESS_MAIN
