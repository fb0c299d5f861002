// SPDX-License-Identifier: MIT
/*
 * Two GPUs of a process: memory of one, mapped on both, in copies, kernels and atomics of
 * either; and what MAP and UNMAP say when a list of GPUs fails half-way.
 */
#include "queue_test.h"
#include "rig_sdma.h"

#define BYTES	(64 * 1024u)
#define VRAM	(KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC)
#define GROUPS	8u

FIXTURE(peers) {
	struct rig a, b;
	struct rig_mem near, far;	/* in VRAM of a and b, both mapped on both */
	u32 *na, *fb;
};

static int map_list(struct rig *r, unsigned long nr, u64 handle, const u32 *ids, u32 n, u32 *done)
{
	struct kfd_ioctl_map_memory_to_gpu_args args = {
		.handle = handle, .device_ids_array_ptr = (uintptr_t)ids, .n_devices = n,
		.n_success = *done,
	};
	int ret = rig_ioctl(r, nr, &args);

	*done = args.n_success;
	return ret;
}

static int map(struct rig *r, u64 handle, u32 gpu_id)
{
	u32 done = 0;

	return map_list(r, AMDKFD_IOC_MAP_MEMORY_TO_GPU, handle, &gpu_id, 1, &done);
}

FIXTURE_SETUP(peers)
{
	u32 id;
	int fd;

	ASSERT_EQ(0, rig_open(&self->a));
	fd = rig_find_gpu(self->a.gpu_id, &id);
	if (fd < 0)
		SKIP(return, "needs two GPUs");
	ASSERT_EQ(0, rig_open_on(&self->b, fd, id));
	ASSERT_EQ(0, rig_alloc(&self->a, VRAM, BYTES, &self->near));
	ASSERT_EQ(0, rig_alloc(&self->b, VRAM, BYTES, &self->far));
	ASSERT_EQ(0, map(&self->a, self->near.handle, self->b.gpu_id));
	ASSERT_EQ(0, map(&self->a, self->far.handle, self->a.gpu_id));
	self->na = self->near.p;
	self->fb = self->far.p;
}

FIXTURE_TEARDOWN(peers)
{
	rig_close(&self->b);
	rig_close(&self->a);
}

/* By each kind of engine of either GPU, to and from the other's memory */
static void copy_by(struct rig *r, u32 type, u32 engine, u32 *dst, u32 *src, u32 seed)
{
	struct rig_sdma q = { 0 };
	u32 i;

	for (i = 0; i < BYTES / 4; i++) {
		src[i] = seed + i * 2654435761u;
		dst[i] = 0;
	}
	ASSERT_EQ(0, rig_sdma_create(r, type, engine, &q));
	rig_sdma_copy(&q, dst, src, BYTES);
	EXPECT_TRUE(rig_sdma_run(&q));
	EXPECT_EQ(0, memcmp(dst, src, BYTES));
	EXPECT_EQ(0, rig_sdma_destroy(r, &q));
}

TEST_F(peers, copies)
{
	long xgmi = rig_property(self->a.gpu_id, "num_sdma_xgmi_engines");
	long engines = rig_property(self->a.gpu_id, "num_sdma_engines");

	copy_by(&self->a, KFD_IOC_QUEUE_TYPE_SDMA, 0, self->fb, self->na, 1);
	copy_by(&self->a, KFD_IOC_QUEUE_TYPE_SDMA, 0, self->na, self->fb, 2);
	copy_by(&self->b, KFD_IOC_QUEUE_TYPE_SDMA, 0, self->fb, self->na, 3);
	copy_by(&self->b, KFD_IOC_QUEUE_TYPE_SDMA, 0, self->na, self->fb, 4);
	if (xgmi > 0) {
		copy_by(&self->a, KFD_IOC_QUEUE_TYPE_SDMA_XGMI, 0, self->fb, self->na, 5);
		copy_by(&self->b, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, engines + xgmi - 1,
			self->na, self->fb, 6);
	}
}

/* An SDMA queue of one GPU waits for what one of the other writes into its memory. */
TEST_F(peers, engines_wait_for_each_other)
{
	struct rig_sdma qa = { 0 }, qb = { 0 };
	u32 fa, fb;

	ASSERT_EQ(0, rig_sdma_create(&self->a, KFD_IOC_QUEUE_TYPE_SDMA, 0, &qa));
	ASSERT_EQ(0, rig_sdma_create(&self->b, KFD_IOC_QUEUE_TYPE_SDMA, 0, &qb));
	self->na[0] = 0;
	self->fb[0] = 0;
	SDMA_PUT(&qa, SDMA_POLL_EQ, VA(&self->na[0]), 1, ~0u, SDMA_POLL_FOREVER);
	SDMA_PUT(&qa, SDMA_WRITE, VA(&self->fb[0]), 0, 2);
	SDMA_PUT(&qb, SDMA_WRITE, VA(&self->na[0]), 0, 1);
	SDMA_PUT(&qb, SDMA_POLL_EQ, VA(&self->fb[0]), 2, ~0u, SDMA_POLL_FOREVER);
	SDMA_PUT(&qb, SDMA_WRITE, VA(&self->fb[1]), 0, 3);
	fa = rig_sdma_submit(&qa);
	fb = rig_sdma_submit(&qb);
	EXPECT_TRUE(rig_sdma_wait(&qa, fa, NEVER_MS));
	EXPECT_TRUE(rig_sdma_wait(&qb, fb, NEVER_MS));
	EXPECT_EQ(3u, self->fb[1]);
	EXPECT_EQ(0, rig_sdma_destroy(&self->a, &qa));
	EXPECT_EQ(0, rig_sdma_destroy(&self->b, &qb));
}

/* Both GPUs count in the same word at the same time, and no increment is lost. */
static void count_together(struct rig *a, struct rig *b, char *zeros, u32 *count)
{
	struct { u64 p; u32 apart, pad; u64 count; } args = {
		(uintptr_t)zeros, 4, 0, (uintptr_t)count,
	};
	struct rig *rig[2] = { a, b };
	struct rig_signal *s[2];
	struct rig_queue q[2];
	union rig_packet pk;
	struct rig_kernel k;
	int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, rig_load(rig[i]));
		ASSERT_EQ(0, rig_queue_create(rig[i], RIG_RING, &q[i]));
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, rig_kernel(rig[i], "read_far", &k));
		s[i] = rig_signal(rig[i], 1);
		rig_dispatch_packet(&pk, &k, GROUPS, 64, rig_args(rig[i], &args, sizeof(args)),
				    s[i]);
		rig_submit(&q[i], &pk);
	}
	for (i = 0; i < 2; i++) {
		EXPECT_TRUE(rig_wait(s[i], 0, NEVER_MS));
		EXPECT_EQ(0, rig_queue_destroy(rig[i], &q[i]));
	}
	EXPECT_EQ(2 * 64 * GROUPS, *(volatile u32 *)count);
}

TEST_F(peers, kernels_and_atomics)
{
	memset(self->na, 0, BYTES);
	memset(self->fb, 0, BYTES);
	/* Reads in one GPU's memory, atomics in the other's */
	count_together(&self->a, &self->b, (char *)self->na, &self->fb[7]);
}

/* What worked stays, and the call goes on from there when the list is right. */
TEST_F(peers, partial_failures)
{
	u32 ids[3] = { self->a.gpu_id, 0xdead, self->b.gpu_id };
	struct rig_mem m;
	u32 done = 0;

	ASSERT_EQ(0, rig_alloc(&self->a, VRAM, RIG_PAGE, &m));
	EXPECT_EQ(-EINVAL, map_list(&self->a, AMDKFD_IOC_MAP_MEMORY_TO_GPU, m.handle, ids, 3, &done));
	EXPECT_EQ(1u, done);
	ids[1] = self->b.gpu_id;
	EXPECT_EQ(0, map_list(&self->a, AMDKFD_IOC_MAP_MEMORY_TO_GPU, m.handle, ids, 3, &done));
	EXPECT_EQ(3u, done);
	ids[1] = 0xdead;
	done = 0;
	EXPECT_EQ(-EINVAL, map_list(&self->a, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, m.handle, ids, 3,
				    &done));
	EXPECT_EQ(1u, done);
	/* The other GPU still has it. */
	EXPECT_EQ(-EBUSY, rig_free(&self->a, &m));
	done = 2;
	EXPECT_EQ(0, map_list(&self->a, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, m.handle, ids, 3, &done));
	EXPECT_EQ(3u, done);
	EXPECT_EQ(0, rig_free(&self->a, &m));
	done = 4;
	EXPECT_EQ(-EINVAL, map_list(&self->a, AMDKFD_IOC_MAP_MEMORY_TO_GPU, self->near.handle, ids, 3,
				    &done));
}

TEST_HARNESS_MAIN
