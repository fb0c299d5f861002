// SPDX-License-Identifier: MIT
/*
 * Rings, indirect buffers, kernel objects and code that a CPU thread rewrites
 * while the GPU reads them: a word is good when it is checked and another one
 * when it is used. The GPU stays up, and nobody else notices.
 */
#include <pthread.h>

#include "queue_test.h"
#include "rig_pm4.h"
#include "rig_sdma.h"

#define ROUNDS		4u
#define ROUND_MS	150u

/* Words of @bytes at @p become others, back and forth, until *@stop. */
struct writer {
	volatile u32 *p;
	size_t words;
	u32 (*other)(u32 seed);
	volatile bool stop;
	pthread_t thread;
};

static u32 step(u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Single words, as between a check and a use; in the end all is what it was. */
static void *rewrite(void *arg)
{
	struct writer *w = arg;
	u32 seed = 1, was, i, n;

	while (!w->stop) {
		i = step(&seed) % w->words;
		was = w->p[i];
		for (n = 0; n < 20; n++) {
			w->p[i] = w->other(step(&seed));
			w->p[i] = was;
		}
		if (step(&seed) % 8)
			continue;
		w->p[i] = w->other(step(&seed));
		usleep(100);
		w->p[i] = was;
	}
	return NULL;
}

static void writer_start(struct writer *w, volatile void *p, size_t bytes, u32 (*other)(u32 seed))
{
	*w = (struct writer){ .p = p, .words = bytes / 4, .other = other };
	ASSERT_EQ(pthread_create(&w->thread, NULL, rewrite, w), 0);
}

static void writer_end(struct writer *w)
{
	w->stop = true;
	pthread_join(w->thread, NULL);
}

static u32 any_word(u32 seed)
{
	static const u32 words[] = { 0, ~0u, 0x7fff0000, 0xfff, 0x80000000, 0x3f };

	return seed & 8 ? words[seed % 6] : seed * 2654435761u;
}

static u32 any_aql(u32 seed)
{
	return seed & 1 ? (seed >> 8) % 7 | RIG_SCOPES | 1 << 16 : any_word(seed);
}

TEST_F(gpu, aql_packets)
{
	struct rig_signal *s = rig_signal(&self->r, 1 << 30);
	struct add_args a = { (uintptr_t)self->words, 1 };
	u64 args = rig_args(&self->r, &a, sizeof(a)), end;
	union rig_packet pk;
	struct rig_kernel k;
	struct writer w;
	u32 i;

	ASSERT_EQ(rig_kernel(&self->r, "add_to", &k), 0);
	rig_dispatch_packet(&pk, &k, 2, 64, args, s);
	for (i = 0; i < ROUNDS; i++) {
		struct rig_queue q;

		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
		writer_start(&w, q.ring, RIG_RING * 64, any_aql);
		for (end = rig_ms() + ROUND_MS; rig_ms() < end; usleep(50))
			if (q.amd->write_id < q.amd->read_id + RIG_RING)
				rig_submit(&q, &pk);
		writer_end(&w);
		EXPECT_EQ(rig_queue_destroy(&self->r, &q), 0);
	}
	EXPECT_TRUE(other_process_works());
}

static u32 any_pm4(u32 seed)
{
	static const u8 ops[] = {
		PM4_NOP, PM4_DISPATCH_DIRECT, PM4_DISPATCH_INDIRECT, PM4_ATOMIC_MEM,
		PM4_WRITE_DATA, PM4_WAIT_REG_MEM, PM4_INDIRECT_BUFFER, PM4_COPY_DATA,
		PM4_EVENT_WRITE, PM4_RELEASE_MEM, PM4_DMA_DATA, PM4_ACQUIRE_MEM, PM4_SET_SH_REG,
	};

	if (!(seed & 3))
		return any_word(seed);
	return PM4_HDR(ops[(seed >> 4) % sizeof(ops)], 2 + (seed >> 12) % 9);
}

/* A ring and a buffer that it goes through, which chains to itself. */
TEST_F(gpu, pm4_packets)
{
	u32 *ib = self->words + 4096;
	const u32 loop[] = {
		PM4_WRITE(self->words, 1), PM4_WAIT(self->words, 1), PM4_WRITE(self->words, 1),
		PM4_CHAIN(ib, 21),
	};
	struct writer w[2];
	struct pm4_queue q;
	u64 end;
	u32 i;

	for (i = 0; i < ROUNDS; i++) {
		memcpy(ib, loop, sizeof(loop));
		ASSERT_EQ(pm4_create(&self->r, PM4_RING, 7, &q), 0);
		writer_start(&w[0], q.ring, PM4_RING * 4, any_pm4);
		writer_start(&w[1], ib, sizeof(loop), any_pm4);
		PM4_SUBMIT(&q, PM4_WRITE(self->words, 1), PM4_IB(ib, 21));
		for (end = rig_ms() + ROUND_MS; rig_ms() < end; usleep(1000))
			*q.doorbell = q.wptr;
		writer_end(&w[1]);
		writer_end(&w[0]);
		EXPECT_EQ(pm4_destroy(&self->r, &q), 0);
	}
	EXPECT_TRUE(other_process_works());
}

static u32 any_sdma(u32 seed)
{
	return seed & 1 ? (seed >> 4) % 16 | (seed >> 8 & 7) << 8 : any_word(seed);
}

TEST_F(gpu, sdma_packets)
{
	struct rig_sdma q;
	struct writer w;
	u64 end;
	u32 i;

	for (i = 0; i < ROUNDS; i++) {
		memset(&q, 0, sizeof(q));
		ASSERT_EQ(rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &q), 0);
		writer_start(&w, q.ring, 4096, any_sdma);
		for (end = rig_ms() + ROUND_MS; rig_ms() < end && q.written < 4096 - 256;) {
			rig_sdma_copy(&q, self->words + 1024, self->words + 8192, 4096);
			SDMA_PUT(&q, SDMA_FENCE, VA(self->words + 4), 7);
			rig_sdma_ring(&q);
			usleep(500);
		}
		while (rig_ms() < end)
			usleep(1000);
		writer_end(&w);
		EXPECT_EQ(rig_sdma_destroy(&self->r, &q), 0);
	}
	EXPECT_TRUE(other_process_works());
}

/* Descriptors, instructions and arguments of kernels that run in loops. */
TEST_F(gpu, code_and_arguments)
{
	struct writer w[2];
	u64 end;
	u32 i;

	for (i = 0; i < ROUNDS; i++) {
		struct rig_queue q;

		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
		writer_start(&w[0], self->r.code.p, self->r.code.bytes, any_word);
		writer_start(&w[1], self->r.args.p, self->r.args.bytes, any_word);
		for (end = rig_ms() + ROUND_MS; rig_ms() < end; usleep(500)) {
			if (q.amd->write_id >= q.amd->read_id + RIG_RING)
				continue;
			start_add(&self->r, &q, self->words, 1, 2);
			start(&self->r, &q, "spin", (uintptr_t)self->words,
			      (uintptr_t)&self->words[1], 1, 64);
		}
		writer_end(&w[1]);
		writer_end(&w[0]);
		EXPECT_EQ(rig_queue_destroy(&self->r, &q), 0);
	}
	EXPECT_TRUE(other_process_works());
}

TEST_HARNESS_MAIN
