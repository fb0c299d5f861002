// SPDX-License-Identifier: MIT
/*
 * KFD's queues as user queues of a render node (amdgpu_queues=user): what is particular to them.
 * What they share with other queues, the other tests of queues say, which run there as well.
 */
#include <fcntl.h>
#include <sys/ioctl.h>

#include <drm/amdgpu_drm.h>

#include "queue_test.h"

/* Some node may have them: is this an AQL queue that is one? */
static bool is_user_queue(FIXTURE_DATA(gpu) *self)
{
	long was = stats_sum("user_queues_made "), submissions = stats_sum("submissions ");

	return was > 0 && queue_works(&self->r, &self->q, self->words) &&
	       stats_sum("submissions ") == submissions;
}

#define ONLY_USER_QUEUES do {						\
	if (!is_user_queue(self))					\
		SKIP(return, "queues are no user queues");		\
} while (0)

TEST_F(gpu, nothing_is_submitted)
{
	long was;
	u32 i;

	ONLY_USER_QUEUES;
	was = stats_sum("submissions ");
	for (i = 0; i < 20; i++)
		ASSERT_TRUE(queue_works(&self->r, &self->q, self->words));
	EXPECT_EQ(stats_sum("submissions "), was);
}

static int update(struct rig *r, struct rig_queue *q, void *ring, u32 bytes, u32 percentage,
		  u32 priority)
{
	struct kfd_ioctl_update_queue_args a = {
		.ring_base_address = (uintptr_t)ring, .queue_id = q->id, .ring_size = bytes,
		.queue_percentage = percentage, .queue_priority = priority,
	};

	return rig_ioctl(r, AMDKFD_IOC_UPDATE_QUEUE, &a);
}

/* Which a runtime wants, too, right after it has made a queue. */
TEST_F(gpu, a_queue_that_nobody_has_used)
{
	u32 bytes = RIG_RING * sizeof(union rig_packet), i;
	struct rig_queue q;

	ONLY_USER_QUEUES;
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
		EXPECT_EQ(update(&self->r, &q, q.ring, bytes, 100, i ? 0 : 15), 0);
		if (i) {
			EXPECT_EQ(update(&self->r, &q, i == 1 ? NULL : q.ring, bytes,
					 i == 1 ? 100 : 0, 7), 0);
			/* Off: nothing happens, but it will be done. */
			memset(self->words, 0, 256);
			start_add(&self->r, &q, self->words, 5, 1);
			usleep(20000);
			EXPECT_EQ(self->words[0], 0);
			EXPECT_EQ(update(&self->r, &q, q.ring, bytes, 100, 7), 0);
			EXPECT_TRUE(rig_wait32(&self->words[0], 5, RIG_LONG));
		}
		EXPECT_TRUE(queue_works(&self->r, &q, self->words));
		EXPECT_EQ(update(&self->r, &q, q.ring, bytes, 0, 7), -EINVAL);
		EXPECT_TRUE(queue_works(&self->r, &q, self->words));
		EXPECT_EQ(rig_queue_destroy(&self->r, &q), 0);
	}
}

/* A queue that has stopped for good is off already: a runtime wants it so after an error. */
TEST_F(gpu, a_queue_that_has_failed_is_off)
{
	u32 bytes = self->q.packets * sizeof(union rig_packet);
	u64 end = rig_ms() + RIG_LONG;
	union rig_packet pk;
	struct rig_kernel k;

	ONLY_USER_QUEUES;
	ASSERT_EQ(rig_kernel(&self->r, "add_to", &k), 0);
	rig_dispatch_packet(&pk, &k, 1, 64, 0, NULL);
	pk.bytes[0] = 77;	/* no type of a packet */
	rig_submit(&self->q, &pk);
	while (!__atomic_load_n(&self->q.inactive->value, __ATOMIC_ACQUIRE) && rig_ms() < end)
		usleep(1000);
	EXPECT_NE(self->q.inactive->value, 0);
	EXPECT_EQ(update(&self->r, &self->q, self->q.ring, bytes, 0, 7), 0);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	EXPECT_TRUE(other_process_works());
}

/* What the interface can't do is refused, and the queue is as before. */
TEST_F(gpu, what_is_refused)
{
	u32 bytes = self->q.packets * sizeof(union rig_packet), mask = 1;
	struct kfd_ioctl_set_cu_mask_args cu = {
		.queue_id = self->q.id, .num_cu_mask = 32, .cu_mask_ptr = (uintptr_t)&mask,
	};
	struct kfd_ioctl_get_queue_wave_state_args waves = {
		.ctl_stack_address = (uintptr_t)self->words, .queue_id = self->q.id,
	};
	struct rig_mem other;

	ONLY_USER_QUEUES;
	ASSERT_EQ(rig_anon(&self->r, bytes, &other), 0);
	EXPECT_EQ(update(&self->r, &self->q, self->q.ring, bytes, 0, 7), -EINVAL);
	EXPECT_EQ(update(&self->r, &self->q, NULL, bytes, 100, 7), -EINVAL);
	EXPECT_EQ(update(&self->r, &self->q, other.p, bytes, 100, 7), -EINVAL);
	EXPECT_EQ(update(&self->r, &self->q, self->q.ring, bytes, 100, 15), -EINVAL);
	EXPECT_EQ(update(&self->r, &self->q, self->q.ring, bytes, 100, 7), 0);
	EXPECT_EQ(update(&self->r, &self->q, self->q.ring, bytes, 50, 8), 0);
	EXPECT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_SET_CU_MASK, &cu), -EINVAL);
	EXPECT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &waves), -EINVAL);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

/* The doorbells are those of the address space: without one there are none. */
TEST(doorbells_without_an_address_space)
{
	u32 id = 0;
	int drm = rig_find_gpu(0, &id), kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	struct kfd_ioctl_acquire_vm_args vm = { .drm_fd = drm, .gpu_id = id };
	u64 at = KFD_MMAP_TYPE_DOORBELL | KFD_MMAP_GPU_ID(id);
	void *p;

	if (stats_sum("user_queues_made ") < 0)
		SKIP(return, "queues are no user queues");
	ASSERT_GE(drm, 0);
	ASSERT_GE(kfd, 0);
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, kfd, at);
	if (p != MAP_FAILED)
		SKIP(return, "queues are no user queues");
	EXPECT_EQ(errno, EINVAL);
	ASSERT_EQ(ioctl(kfd, AMDKFD_IOC_ACQUIRE_VM, &vm), 0);
	EXPECT_EQ(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, kfd, at), MAP_FAILED);
	EXPECT_EQ(mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, kfd, at), MAP_FAILED);
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, kfd, at);
	ASSERT_NE(p, MAP_FAILED);
	((volatile u64 *)p)[1023] = 5;
	EXPECT_EQ(((volatile u64 *)p)[1023], 5);
	close(kfd);
	close(drm);
}

static int free_below(int drm, u32 id)
{
	union drm_amdgpu_userq a = { .in = { .op = AMDGPU_USERQ_OP_FREE, .queue_id = id } };

	return ioctl(drm, DRM_IOCTL_AMDGPU_USERQ, &a) ? -errno : 0;
}

/* The file is the client's, and so are the queues there: it may end them. */
TEST_F(gpu, freed_by_the_client)
{
	struct rig_queue q;
	u32 id, n = 0;

	ONLY_USER_QUEUES;
	for (id = 1; id < 16; id++)
		n += !free_below(self->r.drm, id);
	EXPECT_EQ(n, 1);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
	EXPECT_TRUE(queue_works(&self->r, &q, self->words));
	EXPECT_EQ(rig_queue_destroy(&self->r, &q), 0);
}

/* Whoever closes all handles of the file has spoilt what is there, and nobody else's. */
TEST_F(gpu, handles_closed_by_the_client)
{
	struct rig_queue q;
	u32 h;

	ONLY_USER_QUEUES;
	for (h = 1; h < 256; h++) {
		struct drm_gem_close c = { .handle = h };

		ioctl(self->r.drm, DRM_IOCTL_GEM_CLOSE, &c);
	}
	EXPECT_EQ(rig_queue_create(&self->r, RIG_RING, &q), -EINVAL);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	EXPECT_TRUE(other_process_works());
}

/* The queue goes on below until KFD's end of it, whatever the file's descriptor does. */
TEST_F(gpu, descriptor_closed_by_the_client)
{
	ONLY_USER_QUEUES;
	close(self->r.drm);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
}

TEST_HARNESS_MAIN
