// SPDX-License-Identifier: MIT
/*
 * Who gets the GPU: more queues than it has slots, priorities, updates of live
 * queues, CU masks. And index addresses as a program without ROCr chooses them.
 */
#include "queue_test.h"
#include "rig_pm4.h"

#define SLOTS	24

/* An AQL queue whose indices stand alone, @apart bytes from each other. */
static int plain_aql(struct rig *r, struct rig_queue *q, u8 *indices, u32 apart)
{
	struct kfd_ioctl_create_queue_args a = {
		.gpu_id = r->gpu_id, .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
		.queue_percentage = 100, .queue_priority = 7,
		.ring_size = RIG_RING * sizeof(union rig_packet),
	};
	u32 i;
	int ret;

	memset(q, 0, sizeof(*q));
	ret = rig_anon(r, RIG_PAGE, &q->ring_mem);
	if (!ret)
		ret = rig_area_args(r, &a);
	if (ret)
		return ret;
	q->ring = q->ring_mem.p;
	q->packets = RIG_RING;
	for (i = 0; i < RIG_RING; i++)
		q->ring[i].header = RIG_INVALID;
	a.ring_base_address = (uintptr_t)q->ring;
	a.write_pointer_address = (uintptr_t)indices;
	a.read_pointer_address = (uintptr_t)indices + apart;
	ret = rig_ioctl(r, AMDKFD_IOC_CREATE_QUEUE, &a);
	if (ret)
		return ret;
	q->id = a.queue_id;
	q->doorbell = rig_doorbell(r, a.doorbell_offset);
	return 0;
}

TEST_F(gpu, aql_indices_anywhere)
{
	static const u32 apart[] = { 8, 64, 2048 };
	struct rig_queue q;
	struct rig_mem m;
	u32 i, n;

	ASSERT_EQ(rig_anon(&self->r, RIG_PAGE, &m), 0);
	for (i = 0; i < 3; i++) {
		volatile u64 *wptr = m.p, *rptr = (u64 *)((u8 *)m.p + apart[i]);

		memset(m.p, 0, RIG_PAGE);
		memset(self->words, 0, 256);
		ASSERT_EQ(plain_aql(&self->r, &q, m.p, apart[i]), 0);
		/* submitted by hand: there is no amd_queue_t to count in */
		for (n = 0; n < 100; n++) {
			struct add_args a = { (uintptr_t)self->words, 2 };
			struct rig_signal *s = rig_signal(&self->r, 1);
			union rig_packet pk;
			struct rig_kernel k;

			ASSERT_EQ(rig_kernel(&self->r, "add_to", &k), 0);
			rig_dispatch_packet(&pk, &k, 1, 64,
					    rig_args(&self->r, &a, sizeof(a)), s);
			memcpy(q.ring[n % RIG_RING].bytes + 4, pk.bytes + 4, 60);
			__atomic_store_n(q.ring[n % RIG_RING].u32s, pk.u32s[0],
					 __ATOMIC_RELEASE);
			*wptr = n + 1;
			rig_ring(&q, n);
			ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
		}
		EXPECT_EQ(*rptr, 100);
		EXPECT_EQ(self->words[63], 200);
		EXPECT_EQ(rig_queue_destroy(&self->r, &q), 0);
	}
}

/* A bad packet has no signal to be told by, and stops its queue all the same. */
TEST_F(gpu, aql_error_without_a_signal)
{
	struct rig_queue q;
	struct rig_mem m;

	ASSERT_EQ(rig_anon(&self->r, RIG_PAGE, &m), 0);
	ASSERT_EQ(plain_aql(&self->r, &q, m.p, 8), 0);
	q.ring[0].header = RIG_AGENT;
	*(volatile u64 *)m.p = 1;
	rig_ring(&q, 0);
	usleep(50000);
	EXPECT_EQ(((volatile u64 *)m.p)[1], 0);
	EXPECT_EQ(rig_queue_destroy(&self->r, &q), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

/* ------------------------------------------------------------ more than slots */

TEST_F(gpu, sixty_five_pm4_queues)
{
	struct pm4_queue *q = calloc(65, sizeof(*q));
	u32 i, n;

	ASSERT_NE(q, NULL);
	for (i = 0; i < 65; i++)
		ASSERT_EQ(pm4_create(&self->r, PM4_RING, 7, &q[i]), 0);
	for (n = 1; n <= 100; n++)
		for (i = 0; i < 65; i++)
			PM4_SUBMIT(&q[i], PM4_WRITE(&self->words[i], n));
	for (i = 0; i < 65; i++) {
		ASSERT_TRUE(pm4_consumed(&q[i], RIG_LONG));
		EXPECT_EQ(self->words[i], 100);
	}
	for (i = 0; i < 65; i++)
		EXPECT_EQ(pm4_destroy(&self->r, &q[i]), 0);
	free(q);
}

/*
 * For tests that wait for each of many queues: what hangs is found by the waits, each
 * of which has a limit, and all of them together may take long on a busy host.
 */
static void many_waits(void)
{
	alarm(10 * TH_TIMEOUT_S * th_slow());
}

/* Kernels that never end, in more queues than there are slots: all get on. */
TEST_F(gpu, endless_kernels_share_the_slots)
{
	enum { N = SLOTS + 8 };
	struct rig_queue *q = calloc(N, sizeof(*q));
	u32 i, seen[N];

	many_waits();
	ASSERT_NE(q, NULL);
	for (i = 0; i < N; i++) {
		struct spin_args a = { (uintptr_t)&self->words[0],
				       (uintptr_t)&self->words[16 + i] };

		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q[i]), 0);
		start(&self->r, &q[i], "spin", a.stop, a.alive, 1, 1);
	}
	for (i = 0; i < N; i++)
		ASSERT_TRUE(rig_wait32(&self->words[16 + i], 1, RIG_LONG));
	for (i = 0; i < N; i++)
		seen[i] = self->words[16 + i];
	for (i = 0; i < N; i++)
		EXPECT_TRUE(rig_wait32(&self->words[16 + i], seen[i] + 1, RIG_LONG));
	__atomic_store_n(&self->words[0], 1, __ATOMIC_RELEASE);
	for (i = 0; i < N; i++)
		EXPECT_EQ(rig_queue_destroy(&self->r, &q[i]), 0);
	free(q);
}

/* Short kernels get through, and work-groups that wait for each other. */
static bool gets_on(FIXTURE_DATA(gpu) *self, u32 *words)
{
	u32 n;

	for (n = 0; n < 3; n++)
		if (!queue_works(&self->r, &self->q, words))
			return false;
	memset(words, 0, sizeof(*words));
	return rig_wait(start(&self->r, &self->q, "meet_sleep", (uintptr_t)words, 12, 12, 64), 0,
			RIG_LONG);
}

/* More waves that never end than there are registers for: others get their share. */
TEST_F(gpu, waves_that_fill_the_gpu)
{
	struct rig_queue q;

	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
	start_glutton(&self->r, &q, self->words, 16, 4000);
	ASSERT_TRUE(rig_wait32(&self->words[16], 1, RIG_LONG));
	sleep(4);	/* until none more is let in */
	EXPECT_TRUE(gets_on(self, self->words + 1024));
	EXPECT_EQ(rig_queue_destroy(&self->r, &q), 0);
}

/* Work-groups that wait for each other, while others' come and go all the time. */
TEST_F(gpu, meeting_beside_a_stream)
{
	struct rig_queue q;

	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
	start(&self->r, &q, "store_word", (uintptr_t)&self->words[16], 1, 100 * 1000 * 1000, 64);
	ASSERT_TRUE(rig_wait32(&self->words[16], 1, RIG_LONG));
	EXPECT_TRUE(gets_on(self, self->words + 1024));
	EXPECT_EQ(rig_queue_destroy(&self->r, &q), 0);
}

/* The same of queues that take turns in the slots: who lost its own keeps nobody out. */
TEST_F(gpu, waves_without_a_slot_keep_nobody_out)
{
	enum { N = SLOTS + 8 };
	struct rig_queue *q = calloc(N, sizeof(*q));
	u32 i, seen;

	many_waits();
	ASSERT_NE(q, NULL);
	for (i = 0; i < N; i++) {
		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q[i]), 0);
		start_glutton(&self->r, &q[i], self->words, 16 + i, 4000);
	}
	for (i = 0; i < N; i++)
		EXPECT_TRUE(rig_wait32(&self->words[16 + i], 1, RIG_LONG));
	EXPECT_TRUE(gets_on(self, self->words + 1024));
	for (i = 0; i < N; i++) {
		seen = self->words[16 + i];
		EXPECT_TRUE(rig_wait32(&self->words[16 + i], seen + 1, RIG_LONG));
	}
	for (i = 0; i < N; i++)
		EXPECT_EQ(rig_queue_destroy(&self->r, &q[i]), 0);
	free(q);
}

static int child_of_sixteen(void)
{
	struct rig_queue q[4];
	struct rig_signal *s[4];
	struct rig_mem m;
	struct rig r;
	u32 i, n;

	if (rig_open(&r) || rig_load(&r) || rig_anon(&r, RIG_PAGE, &m))
		return 1;
	for (i = 0; i < 4; i++)
		if (rig_queue_create(&r, RIG_RING, &q[i]))
			return 2;
	for (n = 0; n < 5; n++) {
		for (i = 0; i < 4; i++)
			s[i] = start_add(&r, &q[i], (u32 *)m.p + 64 * i, i + 1, 1);
		for (i = 0; i < 4; i++)
			if (!rig_wait(s[i], 0, RIG_LONG))
				return 3;
	}
	for (i = 0; i < 4; i++)
		if (((u32 *)m.p)[64 * i + 63] != 5 * (i + 1))
			return 4;
	return 0;
}

TEST(sixteen_processes)
{
	int status, i, bad = 0;
	pid_t pid[16];

	for (i = 0; i < 16; i++) {
		pid[i] = fork();
		if (!pid[i])
			_exit(child_of_sixteen());
	}
	for (i = 0; i < 16; i++) {
		ASSERT_EQ(waitpid(pid[i], &status, 0), pid[i]);
		bad += !WIFEXITED(status) || WEXITSTATUS(status);
	}
	EXPECT_EQ(bad, 0);
}

/* Looks are half a second apart. */
enum { PROCESSES = 16, EACH = 5, FIRST_LOOK = 8, LOOKS = 24 };

struct fair {
	u32 ready, failed, go, had[PROCESSES][EACH];
};

/* Endless kernels in queues of its own: how far each has got since they all may go. */
static int fair_child(struct fair *f, u32 me)
{
	struct rig_queue q[EACH];
	struct rig_mem m;
	struct rig r;
	u32 i, *words, first[EACH];

	if (rig_open(&r) || rig_load(&r) || rig_anon(&r, RIG_PAGE, &m))
		return 1;
	words = m.p;
	for (i = 0; i < EACH; i++) {
		struct spin_args a = { (uintptr_t)words, (uintptr_t)&words[16 + 16 * i] };

		if (rig_queue_create(&r, RIG_RING, &q[i]))
			return 2;
		start(&r, &q[i], "spin", a.stop, a.alive, 1, 1);
	}
	for (i = 0; i < EACH; i++)
		if (!rig_wait32(&words[16 + 16 * i], 1, RIG_LONG))
			return 3;
	__atomic_fetch_add(&f->ready, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&f->go, __ATOMIC_SEQ_CST))
		usleep(10000);
	for (i = 0; i < EACH; i++)
		first[i] = words[16 + 16 * i];
	while (__atomic_load_n(&f->go, __ATOMIC_SEQ_CST) == 1) {
		for (i = 0; i < EACH; i++)
			f->had[me][i] = words[16 + 16 * i] - first[i];
		usleep(50000);
	}
	return 0;
}

/* The most and the least of @n numbers */
static u64 most_of(const u64 *v, u32 n, u64 *least)
{
	u64 most = 0;

	for (*least = ~0ull; n; n--, v++) {
		most = *v > most ? *v : most;
		*least = *v < *least ? *v : *least;
	}
	return most;
}

static bool shares_are_fair(const struct fair *f)
{
	u64 sum[PROCESSES] = { 0 }, each[PROCESSES * EACH], most, least, most_p, least_p;
	u32 i;

	for (i = 0; i < PROCESSES * EACH; i++) {
		each[i] = f->had[i / EACH][i % EACH];
		sum[i / EACH] += each[i];
	}
	most = most_of(each, PROCESSES * EACH, &least);
	most_p = most_of(sum, PROCESSES, &least_p);
	TH_LOG("queues got %llu to %llu, processes %llu to %llu", (unsigned long long)least,
	       (unsigned long long)most, (unsigned long long)least_p, (unsigned long long)most_p);
	return 16 * least > most && 8 * least_p > most_p;
}

/* All at once, until their shares are fair or there were LOOKS; false if one of them failed. */
static bool sixteen_at_once(struct fair *f, bool *fair)
{
	pid_t pid[PROCESSES];
	int status, bad = 0;
	u32 i;

	memset(f, 0, sizeof(*f));
	for (i = 0; i < PROCESSES; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			status = fair_child(f, i);
			__atomic_fetch_add(&f->failed, !!status, __ATOMIC_SEQ_CST);
			_exit(status);
		}
	}
	for (i = 0; i < 2000 * th_slow() && f->ready < PROCESSES && !f->failed; i++)
		usleep(10000);
	/* The others end with the test. */
	if (f->failed)
		return false;
	bad += f->ready != PROCESSES;
	__atomic_store_n(&f->go, 1, __ATOMIC_SEQ_CST);
	for (i = 0, *fair = false; i < LOOKS && !*fair; i++) {
		usleep(500000);
		*fair = i >= FIRST_LOOK && shares_are_fair(f);
	}
	__atomic_store_n(&f->go, 2, __ATOMIC_SEQ_CST);
	for (i = 0; i < PROCESSES; i++)
		bad += waitpid(pid[i], &status, 0) != pid[i] || !WIFEXITED(status) ||
		       WEXITSTATUS(status);
	return !bad;
}

/*
 * Sixteen processes with more queues than there are slots, none of which is ever done.
 * Shares are not equal at once: who had little before is given more at first, and a
 * worker may have many more work-groups than another, if the host let that one wait. What
 * has evened out after some seconds needs no more of them.
 * A host that goes on so is met by chance; who shares out badly does it every time.
 */
TEST(shares_of_sixteen_processes)
{
	struct fair *f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool fair = false;
	u32 i;

	many_waits();
	ASSERT_NE(MAP_FAILED, (void *)f);
	for (i = 0; i < 3 && !fair; i++)
		ASSERT_TRUE(sixteen_at_once(f, &fair));
	EXPECT_TRUE(fair);
}

/* ---------------------------------------------------------------- priorities */

/* Endless kernels on two queues: the one of high priority gets more done. */
TEST_F(gpu, priority_is_a_share)
{
	struct pm4_queue q[2];
	struct rig_kernel k;
	u32 dw[64], i, n, had[2];

	ASSERT_EQ(rig_kernel(&self->r, "spin", &k), 0);
	for (i = 0; i < 2; i++) {
		struct spin_args a = { (uintptr_t)&self->words[0],
				       (uintptr_t)&self->words[16 + 16 * i] };

		ASSERT_EQ(pm4_create(&self->r, PM4_RING, i ? 15 : 0, &q[i]), 0);
		/* enough waves for every worker */
		n = pm4_kernel(&k, rig_args(&self->r, &a, sizeof(a)), 64, 1, dw);
		pm4_put(&q[i], dw, n);
	}
	for (i = 0; i < 2; i++)
		pm4_ring(&q[i]);
	for (i = 0; i < 2; i++)
		ASSERT_TRUE(rig_wait32(&self->words[16 + 16 * i], 1, RIG_LONG));
	for (i = 0; i < 2; i++)
		had[i] = self->words[16 + 16 * i];
	usleep(3000000);
	for (i = 0; i < 2; i++)
		had[i] = self->words[16 + 16 * i] - had[i];
	TH_LOG("low %u, high %u", had[0], had[1]);
	EXPECT_GT(had[1], 3 * (u64)had[0]);
	EXPECT_EQ(pm4_destroy(&self->r, &q[0]), 0);
	EXPECT_EQ(pm4_destroy(&self->r, &q[1]), 0);
}

/* -------------------------------------------------------------------- update */

TEST_F(gpu, a_live_queue_moves_to_another_ring)
{
	struct rig_mem other;
	struct pm4_queue q;
	u32 i;

	ASSERT_EQ(pm4_create(&self->r, PM4_RING, 7, &q), 0);
	ASSERT_EQ(rig_anon(&self->r, 4 * RIG_PAGE, &other), 0);
	for (i = 0; i < 20; i++) {
		bool large = i & 1;

		q.ring = large ? other.p : q.ring_mem.p;
		q.dwords = large ? 4 * PM4_RING : PM4_RING;
		ASSERT_EQ(pm4_update(&self->r, &q, q.ring, q.dwords, 50 + i), 0);
		PM4_SUBMIT(&q, PM4_WRITE(&self->words[0], i + 1),
			   PM4_WRITE(&self->words[1], i + 1));
		ASSERT_TRUE(pm4_consumed(&q, RIG_LONG));
		ASSERT_EQ(self->words[1], i + 1);
	}
	EXPECT_EQ(pm4_update(&self->r, &q, q.ring, 3000, 100), -EINVAL);
	EXPECT_EQ(pm4_update(&self->r, &q, q.ring, PM4_RING, 101), -EINVAL);
	q.id = 4711;
	EXPECT_EQ(pm4_update(&self->r, &q, q.ring, PM4_RING, 100), -EFAULT);
}

/* ------------------------------------------------------------------- CU masks */

static int set_mask(struct rig *r, u32 queue, const u32 *mask, u32 bits)
{
	struct kfd_ioctl_set_cu_mask_args a = {
		.queue_id = queue, .num_cu_mask = bits, .cu_mask_ptr = (uintptr_t)mask,
	};

	return rig_ioctl(r, AMDKFD_IOC_SET_CU_MASK, &a);
}

TEST_F(gpu, cu_mask_errors)
{
	u32 mask[64] = { 3 };	/* whole pairs, of GPUs that have those */

	EXPECT_EQ(set_mask(&self->r, self->q.id, mask, 0), -EINVAL);
	EXPECT_EQ(set_mask(&self->r, self->q.id, mask, 31), -EINVAL);
	EXPECT_EQ(set_mask(&self->r, self->q.id, mask, 33), -EINVAL);
	EXPECT_EQ(set_mask(&self->r, self->q.id, NULL, 32), -EFAULT);
	EXPECT_EQ(set_mask(&self->r, 4711, mask, 32), -EFAULT);
	/* bits beyond 1024 are dropped */
	EXPECT_EQ(set_mask(&self->r, self->q.id, mask, 2048), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

/* SE and CU of HW_ID on gfx90a, as the bit of a mask: engines go first. */
static u32 mask_bit(u32 hw_id)
{
	return (hw_id >> 13 & 7) + (hw_id >> 8 & 0xf) * 8;
}

TEST_F(gpu, waves_stay_on_the_cus_of_the_mask)
{
	static const u32 masks[][4] = {
		{ 1, 0, 0, 0 }, { 0, 0x80, 0, 0 }, { 0x0000ff00, 0, 0, 0 },
		{ 0x5a5a5a5a, 0x12345678, 0x0f0f0f0f, 0xff },
	};
	u32 i, w, used[4], bit;
	struct rig_signal *s;

	if (rig_property(self->r.gpu_id, "gfx_target_version") != 90010)
		SKIP(return, "HW_ID is another one");
	/* without a mask many are used */
	s = start(&self->r, &self->q, "hw_ids", (uintptr_t)self->words, 0, 2000, 64);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	memset(used, 0, sizeof(used));
	for (w = 0; w < 2000; w++)
		used[mask_bit(self->words[w]) / 32] |= 1u << mask_bit(self->words[w]) % 32;
	/* A worker runs every other CU, and one may have had nearly all the groups. */
	for (i = 0, bit = 0; i < 4; i++)
		bit += __builtin_popcount(used[i]);
	EXPECT_GE(bit, 104 / 2);
	EXPECT_EQ(used[3] & ~0xff, 0);	/* 104 CUs */
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(set_mask(&self->r, self->q.id, masks[i], 128), 0);
		memset(self->words, 0xff, 2000 * 4);
		s = start(&self->r, &self->q, "hw_ids", (uintptr_t)self->words, 0, 2000, 64);
		ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
		memset(used, 0, sizeof(used));
		for (w = 0; w < 2000; w++) {
			bit = mask_bit(self->words[w]);
			ASSERT_LT(bit, 104);
			used[bit / 32] |= 1u << bit % 32;
		}
		for (w = 0; w < 4; w++)
			EXPECT_EQ(used[w] & ~masks[i][w], 0);
		EXPECT_NE(used[0] | used[1] | used[2] | used[3], 0);
	}
	/* a narrow mask is no obstacle to work-groups that meet */
	ASSERT_EQ(set_mask(&self->r, self->q.id, masks[0], 32), 0);
	self->words[0] = 0;
	s = start(&self->r, &self->q, "meet", (uintptr_t)self->words, 8, 8, 64);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
}

/* ------------------------------------------------------------------ wave state */

TEST_F(gpu, wave_state_errors)
{
	struct kfd_ioctl_get_queue_wave_state_args a = { .queue_id = 4711 };

	EXPECT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &a), -EFAULT);
	a.queue_id = self->q.id;
	a.ctl_stack_address = (uintptr_t)self->words;
	EXPECT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &a), -EINVAL);
	/* off, and nobody can be told there; or there is nothing to tell */
	ASSERT_EQ(rig_queue_update(&self->r, &self->q, 0), 0);
	a.ctl_stack_address = RIG_PAGE;
	EXPECT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &a), -EFAULT);
	a.ctl_stack_address = (uintptr_t)self->r.shared_area.p;
	EXPECT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &a), 0);
	EXPECT_EQ(a.save_area_used_size, 0);
}

/* ------------------------------------------------------------------------- GWS */

static int set_gws(struct rig *r, u32 queue, u32 n)
{
	struct kfd_ioctl_alloc_queue_gws_args g = { .queue_id = queue, .num_gws = n };

	return rig_ioctl(r, AMDKFD_IOC_ALLOC_QUEUE_GWS, &g);
}

TEST_F(gpu, gws_is_for_one_queue)
{
	struct rig_queue q;

	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
	EXPECT_EQ(set_gws(&self->r, 4711, 64), -EINVAL);
	EXPECT_EQ(set_gws(&self->r, q.id, 0), -EINVAL);
	EXPECT_EQ(set_gws(&self->r, self->q.id, 64), 0);
	EXPECT_EQ(set_gws(&self->r, self->q.id, 64), -EBUSY);
	EXPECT_EQ(set_gws(&self->r, q.id, 64), -EBUSY);
	EXPECT_EQ(set_gws(&self->r, q.id, 0), -EINVAL);
	EXPECT_EQ(set_gws(&self->r, self->q.id, 0), 0);
	EXPECT_EQ(set_gws(&self->r, q.id, 1), 0);
	/* and goes with its queue */
	EXPECT_EQ(rig_queue_destroy(&self->r, &q), 0);
	EXPECT_EQ(set_gws(&self->r, self->q.id, 64), 0);
}

TEST_HARNESS_MAIN
