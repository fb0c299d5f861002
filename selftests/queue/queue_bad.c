// SPDX-License-Identifier: MIT
/*
 * Packets, kernels and memory that are wrong: the culprit gets the error the
 * hardware gives, with the address; everybody else goes on.
 */
#include "queue_test.h"

#define ERR_DIM		0x2
#define ERR_GROUP_MEM	0x4
#define ERR_CODE	0x8
#define ERR_PACKET	0x20
#define ERR_GROUP_SIZE	0x40
#define ERR_VENDOR	0x100
#define ERR_APERTURE	0x20000000
#define ERR_ILLEGAL	0x40000000
#define ERR_TRAP	0x80000000ll

/* The memory event that a VM fault raises. */
static int fault_event(struct rig *r, u32 id, struct kfd_hsa_memory_exception_data *m)
{
	struct kfd_event_data d;
	int ret = rig_event_wait(r, id, RIG_LONG, &d);

	if (!ret)
		*m = d.memory_exception_data;
	return ret;
}

/* A page that the GPU does not have; reserved, so that nothing else gets there. */
static void *hole(void)
{
	return mmap(NULL, RIG_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

TEST_F(gpu, store_to_nothing_faults_with_address)
{
	struct kfd_hsa_memory_exception_data m;
	struct rig_signal *s;
	void *bad = hole();
	u32 id, slot;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot), 0);
	s = start(&self->r, &self->q, "store_word", (uintptr_t)bad + 64, 1, 1, 1);
	ASSERT_EQ(fault_event(&self->r, id, &m), 0);
	EXPECT_EQ(m.va, (uintptr_t)bad);
	EXPECT_EQ(m.gpu_id, self->r.gpu_id);
	EXPECT_EQ(m.failure.NotPresent, 1);
	EXPECT_EQ(s->value, 1);
	/* the process's queues are evicted, other processes are not */
	s = start_add(&self->r, &self->q, self->words, 1, 1);
	EXPECT_FALSE(rig_wait(s, 0, 200));
	EXPECT_TRUE(other_process_works());
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
}

TEST_F(gpu, fault_without_listener_hangs_nothing)
{
	start(&self->r, &self->q, "store_word", (uintptr_t)hole(), 1, 64, 64);
	EXPECT_TRUE(other_process_works());
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
}

TEST_F(gpu, store_to_read_only_memory_faults)
{
	struct kfd_hsa_memory_exception_data m;
	struct rig_mem ro;
	void *p = mmap(NULL, RIG_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u32 id, slot;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot), 0);
	if (rig_userptr(&self->r, p, RIG_PAGE, &ro))
		SKIP(return, "read-only memory is not accepted at all");
	start(&self->r, &self->q, "store_word", (uintptr_t)p, 1, 1, 1);
	ASSERT_EQ(fault_event(&self->r, id, &m), 0);
	EXPECT_EQ(m.va, (uintptr_t)p);
}

TEST_F(gpu, unmapped_kernel_object_faults)
{
	struct kfd_hsa_memory_exception_data m;
	struct rig_kernel k = { .object = (uintptr_t)hole() };
	union rig_packet pk;
	u32 id, slot;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot), 0);
	rig_dispatch_packet(&pk, &k, 1, 64, 0, NULL);
	rig_submit(&self->q, &pk);
	ASSERT_EQ(fault_event(&self->r, id, &m), 0);
	EXPECT_EQ(m.va, k.object);
}

TEST_F(gpu, unmapped_ring_faults)
{
	struct kfd_hsa_memory_exception_data m;
	u32 id, slot;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot), 0);
	ASSERT_TRUE(queue_works(&self->r, &self->q, self->words));
	ASSERT_EQ(munmap(self->q.ring_mem.p, self->q.ring_mem.bytes), 0);
	self->q.amd->write_id++;
	rig_ring(&self->q, self->q.amd->write_id - 1);
	ASSERT_EQ(fault_event(&self->r, id, &m), 0);
	EXPECT_EQ(m.va, (uintptr_t)self->q.ring_mem.p);
	EXPECT_TRUE(other_process_works());
}

TEST_F(gpu, unmapped_signal_faults)
{
	struct kfd_hsa_memory_exception_data m;
	union rig_packet pk = { .barrier = { .header = RIG_BARRIER_AND } };
	void *bad = hole();
	u32 id, slot;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot), 0);
	pk.barrier.signal = (uintptr_t)bad;
	rig_submit(&self->q, &pk);
	ASSERT_EQ(fault_event(&self->r, id, &m), 0);
	EXPECT_EQ(m.va, (uintptr_t)bad);
}

/* The queue stops with @code and is the only one that does. */
static bool stops_with(FIXTURE_DATA(gpu) *self, s64 code, const struct rig_signal *s)
{
	struct rig_queue second;

	EXPECT_TRUE(rig_wait(self->q.inactive, code, RIG_LONG)) {
		TH_LOG("inactive signal is 0x%llx, not 0x%llx",
		       (long long)self->q.inactive->value, (long long)code);
	}
	if (s)
		EXPECT_EQ(s->value, 1);
	if (rig_queue_create(&self->r, RIG_RING, &second))
		return false;
	return queue_works(&self->r, &second, self->words + 1024);
}

TEST_F(gpu, illegal_instruction)
{
	struct rig_signal *s;

	s = start(&self->r, &self->q, "illegal", (uintptr_t)self->words, 0, 4, 64);
	EXPECT_TRUE(stops_with(self, ERR_ILLEGAL, s));
	EXPECT_EQ(self->words[0], 1);
}

TEST_F(gpu, trap_2_aborts)
{
	struct rig_signal *s;

	s = start(&self->r, &self->q, "abort_trap", (uintptr_t)self->words, 0, 1, 64);
	EXPECT_TRUE(stops_with(self, ERR_TRAP, s));
}

TEST_F(gpu, trap_3_is_nothing_without_debugger)
{
	struct rig_signal *s;

	s = start(&self->r, &self->q, "debug_trap", (uintptr_t)self->words, 0, 1, 64);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(self->words[0], 1);
}

TEST_F(gpu, misaligned_atomic)
{
	struct rig_signal *s;

	s = start(&self->r, &self->q, "misaligned", (uintptr_t)self->words, 0, 1, 64);
	EXPECT_TRUE(stops_with(self, ERR_APERTURE, s));
}

/* A dispatch with one field spoilt */
static const struct bad_packet {
	const char *name;
	unsigned int at, bytes;
	u64 val;
	s64 code;
} bad_packets[] = {
	{ "no dimensions", 2, 2, 0, ERR_DIM },
	{ "group of 0", 4, 2, 0, ERR_DIM },
	{ "group of 1025", 4, 2, 1025, ERR_GROUP_SIZE },
	{ "LDS of 4 GiB", 28, 4, ~0u, ERR_GROUP_MEM },
	{ "no kernel object", 32, 8, 0, ERR_CODE },
	{ "misaligned kernel object", 32, 8, 0x1008, ERR_CODE },
	{ "agent dispatch", 0, 1, RIG_AGENT, ERR_PACKET },
	{ "type 77", 0, 1, 77, ERR_PACKET },
	{ "vendor format 200", 0, 4, 200 << 16, ERR_VENDOR },
};

TEST_F(gpu, bad_packets_stop_the_queue_with_their_code)
{
	struct rig_kernel k;
	size_t i;

	ASSERT_EQ(rig_kernel(&self->r, "add_to", &k), 0);
	for (i = 0; i < sizeof(bad_packets) / sizeof(*bad_packets); i++) {
		const struct bad_packet *b = &bad_packets[i];
		struct rig_queue q;
		union rig_packet pk;

		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
		ASSERT_TRUE(queue_works(&self->r, &q, self->words));
		rig_dispatch_packet(&pk, &k, 1, 64, 0, NULL);
		memcpy(pk.bytes + b->at, &b->val, b->bytes);
		rig_submit(&q, &pk);
		EXPECT_TRUE(rig_wait(q.inactive, b->code, RIG_LONG)) {
			TH_LOG("%s: 0x%llx", b->name, (long long)q.inactive->value);
		}
		EXPECT_EQ(q.amd->read_id, 1);
		EXPECT_EQ(rig_queue_destroy(&self->r, &q), 0);
	}
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

TEST_F(gpu, random_rings)
{
	u32 seed = 1, i, j;

	for (i = 0; i < 30; i++) {
		struct rig_queue q;

		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
		for (j = 0; j < RIG_RING * 16; j++) {
			seed = seed * 1664525 + 1013904223;
			q.ring[j / 16].u32s[j % 16] = seed >> 3;
		}
		for (j = 0; j < RIG_RING; j++)
			q.ring[j].bytes[0] = j % 7;
		q.amd->write_id = RIG_RING;
		rig_ring(&q, seed);
		usleep(2000);
		EXPECT_EQ(rig_queue_destroy(&self->r, &q), 0);
	}
	EXPECT_TRUE(other_process_works());
}

TEST_HARNESS_MAIN
