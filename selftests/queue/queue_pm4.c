// SPDX-License-Identifier: MIT
/*
 * PM4 queues in a guest: rings and read indices, packets that write, wait and
 * interrupt, compiled kernels by DISPATCH_DIRECT, and streams that are wrong.
 */
#include <pthread.h>

#include "queue_test.h"
#include "rig_pm4.h"

FIXTURE(pm4) {
	struct rig r;
	struct pm4_queue q;
	struct rig_mem data;
	volatile u32 *w;
};

FIXTURE_SETUP(pm4)
{
	ASSERT_EQ(rig_open(&self->r), 0);
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(pm4_create(&self->r, PM4_RING, 7, &self->q), 0);
	ASSERT_EQ(rig_anon(&self->r, 64 * RIG_PAGE, &self->data), 0);
	self->w = self->data.p;
}

FIXTURE_TEARDOWN(pm4)
{
	rig_close(&self->r);
}

static bool pm4_works(struct pm4_queue *q, volatile u32 *p)
{
	u32 v = *p + 1;

	PM4_SUBMIT(q, PM4_WRITE(p, v));
	return pm4_consumed(q, RIG_LONG) && *p == v;
}

TEST_F(pm4, read_index_is_exact)
{
	self->q.rptr[1] = 0x5a5a5a5a;
	PM4_SUBMIT(&self->q, PM4_ONE_NOP);
	ASSERT_TRUE(rig_wait32(self->q.rptr, 1, RIG_LONG));
	PM4_SUBMIT(&self->q, PM4_WRITE(&self->w[0], 7));
	ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
	EXPECT_EQ(self->w[0], 7);
	EXPECT_EQ(*self->q.rptr, 6);
	EXPECT_EQ(self->q.rptr[1], 0x5a5a5a5a);
	EXPECT_EQ(pm4_destroy(&self->r, &self->q), 0);
}

TEST_F(pm4, ring_wraps_around)
{
	u32 i;

	for (i = 0; i < 3 * PM4_RING / 5; i++) {
		PM4_SUBMIT(&self->q, PM4_WRITE(&self->w[i], i + 1));
		if (i % 100 == 99)
			ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
	}
	ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
	for (i = 0; i < 3 * PM4_RING / 5; i++)
		ASSERT_EQ(self->w[i], i + 1);
}

TEST_F(pm4, half_a_packet_waits_for_the_rest)
{
	const u32 pkt[] = { PM4_WRITE(&self->w[0], 9) };

	pm4_put(&self->q, pkt, 3);
	pm4_ring(&self->q);
	usleep(50000);
	EXPECT_EQ(self->w[0], 0);
	EXPECT_EQ(*self->q.rptr, 0);
	pm4_put(&self->q, pkt + 3, 2);
	pm4_ring(&self->q);
	ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
	EXPECT_EQ(self->w[0], 9);
}

TEST_F(pm4, release_mem_interrupts)
{
	u32 id, slot, i;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_SIGNAL, &id, &slot), 0);
	for (i = 0; i < 100; i++) {
		PM4_SUBMIT(&self->q, PM4_WRITE(&self->w[0], i + 1),
			   PM4_RELEASE(2, 2, &self->r.event_page[slot], id, id));
		ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, NULL), 0);
		ASSERT_EQ(self->w[0], i + 1);
	}
	/* data without an interrupt sets no event */
	PM4_SUBMIT(&self->q, PM4_RELEASE(1, 3, &self->w[1], 5, id));
	ASSERT_TRUE(rig_wait32(&self->w[1], 5, RIG_LONG));
	EXPECT_EQ(rig_event_wait(&self->r, id, 100, NULL), -ETIME);
	/* an id that is none makes the driver look at the slots */
	PM4_SUBMIT(&self->q, PM4_RELEASE(2, 2, &self->r.event_page[slot], id, 0x123456));
	EXPECT_EQ(rig_event_wait(&self->r, id, RIG_LONG, NULL), 0);
}

TEST_F(pm4, timestamps_are_the_clock_of_the_ioctl)
{
	struct kfd_ioctl_get_clock_counters_args c[2] = {
		{ .gpu_id = self->r.gpu_id }, { .gpu_id = self->r.gpu_id },
	};
	volatile u64 *ts = (u64 *)self->data.p;

	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_GET_CLOCK_COUNTERS, &c[0]), 0);
	PM4_SUBMIT(&self->q, PM4_RELEASE(3, 0, &ts[0], 0, 0),
		   PM4_HDR(PM4_COPY_DATA, 6), 9 | 2 << 8 | 1 << 16, 0, 0,
		   PM4_LO(&ts[1]), PM4_HI(&ts[1]));
	ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_GET_CLOCK_COUNTERS, &c[1]), 0);
	EXPECT_GE(ts[0], c[0].gpu_clock_counter);
	EXPECT_GE(ts[1], ts[0]);
	EXPECT_LE(ts[1], c[1].gpu_clock_counter);
}

TEST_F(pm4, wait_reg_mem_waits_for_the_cpu)
{
	u32 i;

	for (i = 1; i < 20; i++) {
		PM4_SUBMIT(&self->q, PM4_WAIT(&self->w[0], i), PM4_WRITE(&self->w[1], i));
		usleep(i * 500);
		EXPECT_EQ(self->w[1], i - 1);
		__atomic_store_n(&self->w[0], i, __ATOMIC_RELEASE);
		ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
		ASSERT_EQ(self->w[1], i);
	}
	/* destroying a queue that waits */
	PM4_SUBMIT(&self->q, PM4_WAIT(&self->w[0], 1000));
	usleep(10000);
	EXPECT_EQ(pm4_destroy(&self->r, &self->q), 0);
}

/* A memory barrier of the driver's rings and of tinygrad */
TEST_F(pm4, hdp_flush_by_registers)
{
	u32 *ib = (u32 *)self->data.p + 4096;
	const u32 flush[] = { PM4_HDP_FLUSH, PM4_WRITE(&self->w[1], 2) };
	union rig_packet p = {
		.ib = { .header = RIG_VENDOR | RIG_SCOPES, .format = 1, .remain = 10 },
	};
	struct rig_queue aql;

	PM4_SUBMIT(&self->q, PM4_HDP_FLUSH, PM4_WRITE(&self->w[0], 1));
	ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
	EXPECT_EQ(self->w[0], 1);
	/* from an AQL queue */
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &aql), 0);
	memcpy(ib, flush, sizeof(flush));
	p.ib.jump[0] = PM4_HDR(PM4_INDIRECT_BUFFER, 4) & ~2u;
	p.ib.jump[1] = PM4_LO(ib);
	p.ib.jump[2] = PM4_HI(ib);
	p.ib.jump[3] = sizeof(flush) / 4 | 1 << 23;
	p.ib.signal = (uintptr_t)rig_signal(&self->r, 1);
	rig_submit(&aql, &p);
	ASSERT_TRUE(rig_wait((struct rig_signal *)p.ib.signal, 0, RIG_LONG));
	EXPECT_EQ(self->w[1], 2);
	EXPECT_EQ(aql.inactive->value, 0);
}

TEST_F(pm4, registers_are_a_queues_own)
{
	struct pm4_queue other;

	self->w[2] = 1;
	ASSERT_EQ(pm4_create(&self->r, PM4_RING, 7, &other), 0);
	PM4_SUBMIT(&self->q, PM4_HDR(PM4_SET_UCONFIG_REG, 4), 0x40, 0x11, 0x22);
	ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
	PM4_SUBMIT(&other, PM4_HDR(PM4_COPY_DATA, 6), 2 << 8 | 1 << 16, 0xc040, 0,
		   PM4_LO(&self->w[2]), PM4_HI(&self->w[2]));
	PM4_SUBMIT(&self->q, PM4_HDR(PM4_COPY_DATA, 6), 2 << 8 | 1 << 16, 0xc040, 0,
		   PM4_LO(self->w), PM4_HI(self->w));
	ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
	ASSERT_TRUE(pm4_consumed(&other, RIG_LONG));
	EXPECT_EQ(self->w[0], 0x11);
	EXPECT_EQ(self->w[1], 0x22);
	EXPECT_EQ(self->w[2], 0);
}

struct adder {
	volatile u32 *p;
	u32 n;
};

static void *add_by_cpu(void *arg)
{
	struct adder *a = arg;
	u32 i;

	for (i = 0; i < a->n; i++)
		__atomic_fetch_add(a->p, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

TEST_F(pm4, atomics_against_the_cpu)
{
	struct adder a = { self->w, 200000 };
	pthread_t t;
	u32 i;

	ASSERT_EQ(pthread_create(&t, NULL, add_by_cpu, &a), 0);
	for (i = 0; i < 500; i++) {
		PM4_SUBMIT(&self->q, PM4_HDR(PM4_ATOMIC_MEM, 9), 0x0f, PM4_LO(self->w),
			   PM4_HI(self->w), 1, 0, 0, 0, 0);
		if (i % 100 == 99)
			ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
	}
	pthread_join(t, NULL);
	EXPECT_EQ(self->w[0], 200500);
}

TEST_F(pm4, dma_copies_and_fills)
{
	struct rig_mem a, b;
	u32 i, *s, *d;

	ASSERT_EQ(rig_anon(&self->r, 256 * RIG_PAGE, &a), 0);
	ASSERT_EQ(rig_alloc(&self->r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM |
			    KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE, 256 * RIG_PAGE, &b), 0);
	s = a.p;
	d = b.p;
	for (i = 0; i < 256 * 1024; i++)
		s[i] = i * 2654435761u;
	PM4_SUBMIT(&self->q, PM4_HDR(PM4_DMA_DATA, 7), 3u << 29 | 3u << 20, PM4_LO(s), PM4_HI(s),
		   PM4_LO(d), PM4_HI(d), 256 * (u32)RIG_PAGE - 8);
	ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
	EXPECT_EQ(memcmp(s, d, 256 * RIG_PAGE - 8), 0);
	EXPECT_EQ(d[256 * 1024 - 1], 0);
	PM4_SUBMIT(&self->q, PM4_HDR(PM4_DMA_DATA, 7), 2u << 29, 0xdeadbeef, 0,
		   PM4_LO(d), PM4_HI(d), 4096);
	ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
	EXPECT_EQ(d[0], 0xdeadbeef);
	EXPECT_EQ(d[1023], 0xdeadbeef);
	EXPECT_EQ(d[1024], s[1024]);
}

TEST_F(pm4, indirect_buffers)
{
	u32 *ib = (u32 *)self->data.p + 4096;
	const u32 second[] = { PM4_WRITE(&self->w[1], 2) };
	const u32 first[] = {
		PM4_WRITE(&self->w[0], 1), PM4_IB(ib + 64, 5), PM4_WRITE(&self->w[2], 3),
		PM4_CHAIN(ib + 128, 5), PM4_WRITE(&self->w[3], 99),
	};
	const u32 third[] = { PM4_WRITE(&self->w[4], 5) };

	memcpy(ib, first, sizeof(first));
	memcpy(ib + 64, second, sizeof(second));
	memcpy(ib + 128, third, sizeof(third));
	PM4_SUBMIT(&self->q, PM4_IB(ib, sizeof(first) / 4), PM4_WRITE(&self->w[5], 6));
	ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
	EXPECT_EQ(self->w[0], 1);
	EXPECT_EQ(self->w[1], 2);
	EXPECT_EQ(self->w[2], 3);
	EXPECT_EQ(self->w[3], 0);
	EXPECT_EQ(self->w[4], 5);
	EXPECT_EQ(self->w[5], 6);
}

TEST_F(pm4, dispatch_runs_a_compiled_kernel)
{
	struct add_args a = { (uintptr_t)self->w, 3 };
	u32 dw[64], n, i, id, slot;
	struct rig_kernel k;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_SIGNAL, &id, &slot), 0);
	ASSERT_EQ(rig_kernel(&self->r, "add_to", &k), 0);
	n = pm4_kernel(&k, rig_args(&self->r, &a, sizeof(a)), 100, 64, dw);
	for (i = 0; i < 3; i++) {
		pm4_put(&self->q, dw, n);
		PM4_SUBMIT(&self->q, PM4_HDR(PM4_EVENT_WRITE, 2), 0x407);
	}
	PM4_SUBMIT(&self->q, PM4_RELEASE(2, 2, &self->r.event_page[slot], id, id));
	ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, NULL), 0);
	for (i = 0; i < 6400; i++)
		ASSERT_EQ(self->w[i], 9);
	EXPECT_EQ(self->w[6400], 0);
}

/* The processor reads on while a kernel runs, and finds what has been added meanwhile. */
TEST_F(pm4, packets_come_while_a_kernel_runs)
{
	const u32 groups = 16384, nops[] = { PM4_ONE_NOP, PM4_ONE_NOP, PM4_ONE_NOP };
	struct add_args a = { .v = 3 };
	struct rig_kernel k;
	struct rig_mem m;
	u32 dw[64], n, i;
	volatile u32 *w;

	ASSERT_EQ(rig_anon(&self->r, groups * 256, &m), 0);
	w = m.p;
	a.p = (uintptr_t)w;
	ASSERT_EQ(rig_kernel(&self->r, "add_to", &k), 0);
	n = pm4_kernel(&k, rig_args(&self->r, &a, sizeof(a)), groups, 64, dw);
	pm4_put(&self->q, dw, n);
	pm4_ring(&self->q);
	for (i = 0; i < 100; i++) {
		pm4_put(&self->q, nops, 3);
		pm4_ring(&self->q);
		usleep(200);
	}
	PM4_SUBMIT(&self->q, PM4_RELEASE(1, 0, &self->w[0], 1, 0));
	ASSERT_TRUE(rig_wait32(&self->w[0], 1, 10 * RIG_LONG));
	for (i = 0; i < groups * 64; i++)
		ASSERT_EQ(w[i], 3);
}

TEST_F(pm4, dispatch_in_a_buffer_fenced_as_kfdtest_does)
{
	struct add_args a = { (uintptr_t)self->w, 1 };
	u32 *ib = (u32 *)self->data.p + 16384, n, i;
	struct rig_kernel k;

	ASSERT_EQ(rig_kernel(&self->r, "add_to", &k), 0);
	for (i = 1; i <= 50; i++) {
		n = pm4_kernel(&k, rig_args(&self->r, &a, sizeof(a)), 4, 64, ib);
		/* the payload of a NOP is where the release goes */
		const u32 tail[] = {
			PM4_HDR(PM4_NOP, 2), 0,
			PM4_RELEASE(1, 3, &ib[n + 1], 0xdeadbeef, 0),
			PM4_WAIT(&ib[n + 1], 0xdeadbeef),
		};
		memcpy(ib + n, tail, sizeof(tail));
		PM4_SUBMIT(&self->q, PM4_IB(ib, n + sizeof(tail) / 4));
		ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
		ASSERT_EQ(self->w[0], i);
		ASSERT_EQ(self->w[255], i);
	}
}

TEST_F(pm4, dispatch_indirect)
{
	struct add_args a = { (uintptr_t)self->w, 5 };
	volatile u32 *dim = self->w + 10000;
	u32 dw[64], n;
	struct rig_kernel k;

	dim[0] = 2;
	dim[1] = 1;
	dim[2] = 1;
	ASSERT_EQ(rig_kernel(&self->r, "add_to", &k), 0);
	n = pm4_kernel(&k, rig_args(&self->r, &a, sizeof(a)), 0, 64, dw) - 5;
	pm4_put(&self->q, dw, n);
	PM4_SUBMIT(&self->q, PM4_HDR(PM4_DISPATCH_INDIRECT, 4), PM4_LO(dim), PM4_HI(dim), 5,
		   PM4_RELEASE(1, 0, &self->w[9000], 1, 0));
	ASSERT_TRUE(rig_wait32(&self->w[9000], 1, RIG_LONG));
	EXPECT_EQ(self->w[127], 5);
	EXPECT_EQ(self->w[128], 0);
}

/* Registers say here where private memory is, which an AQL queue has in its block. */
TEST_F(pm4, dispatch_with_private_memory)
{
	const u32 waves = 8, wave_bytes = 64 * 256;
	struct add_args a = { (uintptr_t)self->w, 0 };
	struct rig_mem backing;
	struct rig_kernel k;
	u32 dw[96], n, i;

	ASSERT_EQ(rig_alloc(&self->r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM,
			    rig_scratch_parts(&self->r) * waves * wave_bytes, &backing), 0);
	ASSERT_EQ(rig_kernel(&self->r, "scratch", &k), 0);
	n = pm4_scratch(&k, (uintptr_t)backing.p, waves, wave_bytes, dw);
	n += pm4_kernel(&k, rig_args(&self->r, &a, sizeof(a)), 16, 64, dw + n);
	pm4_put(&self->q, dw, n);
	PM4_SUBMIT(&self->q, PM4_RELEASE(1, 0, &self->w[9000], 1, 0));
	ASSERT_TRUE(rig_wait32(&self->w[9000], 1, RIG_LONG));
	for (i = 0; i < 16 * 64; i++)
		ASSERT_EQ(self->w[i], 32 * (i * 32) + 31 * 32 / 2);
	EXPECT_EQ(self->w[i], 0);
}

/* RELEASE_MEM waits for its kernel, what is behind it does not. */
TEST_F(pm4, the_stream_goes_on_past_a_release)
{
	struct spin_args a = { (uintptr_t)&self->w[0], (uintptr_t)&self->w[1] };
	struct rig_kernel k;
	u32 dw[64], n;

	ASSERT_EQ(rig_kernel(&self->r, "spin", &k), 0);
	n = pm4_kernel(&k, rig_args(&self->r, &a, sizeof(a)), 2, 64, dw);
	pm4_put(&self->q, dw, n);
	PM4_SUBMIT(&self->q, PM4_RELEASE(1, 0, &self->w[2], 1, 0), PM4_WRITE(&self->w[3], 1));
	ASSERT_TRUE(rig_wait32(&self->w[3], 1, RIG_LONG));
	ASSERT_TRUE(rig_wait32(&self->w[1], 100, RIG_LONG));
	EXPECT_EQ(self->w[2], 0);
	/* the GPU itself ends it */
	PM4_SUBMIT(&self->q, PM4_WRITE(&self->w[0], 1));
	EXPECT_TRUE(rig_wait32(&self->w[2], 1, RIG_LONG));
}

/* ------------------------------------------------------- wrong or endless */

TEST_F(pm4, a_million_nops_keep_nobody_waiting)
{
	const u32 n = 1 << 20;
	struct rig_queue aql;
	struct rig_mem m;
	u32 i, *ib;

	ASSERT_EQ(rig_anon(&self->r, (n - 1) / 1024 * RIG_PAGE + RIG_PAGE, &m), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &aql), 0);
	ib = m.p;
	for (i = 0; i < n; i++)
		ib[i] = PM4_ONE_NOP;
	PM4_SUBMIT(&self->q, PM4_IB(ib, n - 1), PM4_WRITE(&self->w[0], 1));
	EXPECT_TRUE(queue_works(&self->r, &aql, (u32 *)self->w + 64));
	ASSERT_TRUE(rig_wait32(&self->w[0], 1, 10 * RIG_LONG));
}

TEST_F(pm4, a_buffer_that_chains_to_itself)
{
	u32 *ib = (u32 *)self->data.p + 4096;
	const u32 loop[] = { PM4_WRITE(&self->w[0], 1), PM4_CHAIN(ib, 9) };
	struct rig_queue aql;
	u64 t;

	memcpy(ib, loop, sizeof(loop));
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &aql), 0);
	PM4_SUBMIT(&self->q, PM4_IB(ib, 9));
	ASSERT_TRUE(rig_wait32(&self->w[0], 1, RIG_LONG));
	EXPECT_TRUE(queue_works(&self->r, &aql, (u32 *)self->w + 64));
	EXPECT_TRUE(other_process_works());
	EXPECT_EQ(*self->q.rptr, 0);
	t = rig_ms();
	EXPECT_EQ(pm4_destroy(&self->r, &self->q), 0);
	EXPECT_LT(rig_ms() - t, NEVER_MS);
	EXPECT_TRUE(queue_works(&self->r, &aql, (u32 *)self->w + 64));
}

TEST_F(pm4, dying_in_a_loop)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct pm4_queue q;
		struct rig_mem m;
		struct rig r;
		u32 *ib;

		if (rig_open(&r) || pm4_create(&r, PM4_RING, 7, &q) ||
		    rig_anon(&r, RIG_PAGE, &m))
			_exit(1);
		ib = m.p;
		const u32 loop[] = { PM4_WRITE(ib + 64, 1), PM4_CHAIN(ib, 9) };
		memcpy(ib, loop, sizeof(loop));
		PM4_SUBMIT(&q, PM4_IB(ib, 9));
		if (!rig_wait32(ib + 64, 1, RIG_LONG))
			_exit(2);
		kill(getpid(), SIGKILL);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_TRUE(pm4_works(&self->q, self->w));
}

static const u32 unknown[] = { PM4_HDR(0x2f, 2), 0 };
static const u32 too_long[] = { PM4_HDR(PM4_RELEASE_MEM, 9), 0x514, 0, 0, 0, 0, 0, 0 };
static const u32 counters[] = { PM4_HDR(PM4_SET_UCONFIG_REG, 3), 0x1808, 1 };
static const u32 config[] = { PM4_HDR(PM4_SET_CONFIG_REG, 3), 0x40, 1 };

/* How often this was refused, by stats of all GPUs in debugfs. */
static long refused(const char *name)
{
	char want[64];

	snprintf(want, sizeof(want), "illegal %s ", name);
	return stats_sum(want) < 0 ? 0 : stats_sum(want);
}

TEST_F(pm4, a_bad_packet_resets_its_queue_only)
{
	struct { const u32 *dw; u32 n; const char *name; } rows[] = {
		{ unknown, 2, "NUM_INSTANCES" }, { too_long, 8, "RELEASE_MEM" },
		{ counters, 3, "CP_PERFMON_CNTL" }, { config, 3, "SET_CONFIG_REG" },
	};
	struct kfd_event_data d;
	struct pm4_queue other;
	u32 i, id, slot;

	ASSERT_EQ(pm4_create(&self->r, PM4_RING, 7, &other), 0);
	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_HW_EXCEPTION, &id, &slot), 0);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		long before = refused(rows[i].name);
		struct pm4_queue q;

		ASSERT_EQ(pm4_create(&self->r, PM4_RING, 7, &q), 0);
		pm4_put(&q, rows[i].dw, rows[i].n);
		pm4_ring(&q);
		/* all is fetched, as hardware does, and nothing runs any more */
		EXPECT_TRUE(pm4_consumed(&q, RIG_LONG));
		ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, &d), 0);
		EXPECT_EQ(d.hw_exception_data.gpu_id, self->r.gpu_id);
		EXPECT_EQ(d.hw_exception_data.reset_cause, 0);
		EXPECT_EQ(refused(rows[i].name), before + 1);
		PM4_SUBMIT(&q, PM4_WRITE(&self->w[1], 1));
		usleep(20000);
		EXPECT_EQ(self->w[1], 0);
		EXPECT_EQ(pm4_destroy(&self->r, &q), 0);
		EXPECT_TRUE(pm4_works(&other, self->w));
	}
	EXPECT_TRUE(other_process_works());
}

TEST_F(pm4, a_bad_address_is_a_memory_event)
{
	void *bad = mmap(NULL, RIG_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kfd_event_data d;
	u32 id, slot;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot), 0);
	PM4_SUBMIT(&self->q, PM4_WRITE(bad, 1));
	ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, &d), 0);
	EXPECT_EQ(d.memory_exception_data.va, (uintptr_t)bad);
	EXPECT_TRUE(other_process_works());
}

/* ------------------------------------------------------------------ update */

TEST_F(pm4, null_ring_or_zero_percentage_pauses)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		self->w[0] = 0;
		ASSERT_EQ(i ? pm4_update(&self->r, &self->q, self->q.ring, PM4_RING, 0) :
			      pm4_update(&self->r, &self->q, NULL, PM4_RING, 100), 0);
		PM4_SUBMIT(&self->q, PM4_WRITE(&self->w[0], 4));
		usleep(300000);
		EXPECT_EQ(self->w[0], 0);
		ASSERT_EQ(pm4_update(&self->r, &self->q, self->q.ring, PM4_RING, 100), 0);
		ASSERT_TRUE(pm4_consumed(&self->q, RIG_LONG));
		EXPECT_EQ(self->w[0], 4);
	}
}

TEST_F(pm4, as_many_as_the_gpu_has_slots)
{
	struct pm4_queue q[24];
	u32 i;

	for (i = 0; i < 24; i++)
		ASSERT_EQ(pm4_create(&self->r, PM4_RING, 7, &q[i]), 0);
	for (i = 0; i < 24; i++)
		PM4_SUBMIT(&q[i], PM4_WRITE(&self->w[i], i + 1),
			   PM4_RELEASE(1, 0, &self->w[100 + i], 1, 0));
	for (i = 0; i < 24; i++) {
		/* The read index moves before a packet's write is there for certain. */
		ASSERT_TRUE(rig_wait32(&self->w[100 + i], 1, RIG_LONG));
		ASSERT_TRUE(pm4_consumed(&q[i], RIG_LONG));
		EXPECT_EQ(self->w[i], i + 1);
		EXPECT_EQ(pm4_destroy(&self->r, &q[i]), 0);
	}
}

/* amdgpu_queues=auto where only PM4 queues are taken below: both kinds, in one process. */
TEST_F(pm4, beside_a_queue_that_is_submitted)
{
	long made = stats_sum("user_queues_made "), submissions;
	struct pm4_queue below;
	struct rig_queue q;
	u32 i;

	ASSERT_EQ(pm4_create(&self->r, PM4_RING, 7, &below), 0);
	if (made < 0 || stats_sum("user_queues_made ") == made)
		SKIP(return, "PM4 queues are no user queues");
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
	if (stats_sum("user_queues_made ") == made + 2)
		SKIP(return, "AQL queues are user queues, too");
	submissions = stats_sum("submissions ");
	for (i = 0; i < 20; i++) {
		EXPECT_TRUE(pm4_works(&below, self->w));
		EXPECT_TRUE(queue_works(&self->r, &q, (u32 *)self->w + 1024));
	}
	EXPECT_EQ(stats_sum("submissions "), submissions + 20);
	EXPECT_EQ(pm4_destroy(&self->r, &below), 0);
	EXPECT_TRUE(queue_works(&self->r, &q, (u32 *)self->w + 1024));
}

TEST_HARNESS_MAIN
