// SPDX-License-Identifier: MIT
/*
 * The buffers of queues as the driver of Linux 6.12 and later looks at them:
 * each mapped from its start and in its size, and not unmapped under a queue.
 */
#include "kfd_util.h"

#define RING_BYTES	(16 * KB)
#define SVM_ACCESS	2
#define SVM_SET_FLAGS	5
#define SVM_ALWAYS_MAPPED 0x40

FIXTURE(bufs) {
	struct gpu g;
	struct mem ring, index, eop, area;
	struct queue_area size;
	struct kfd_ioctl_create_queue_args c, sdma;
};

static struct mem mapped(struct gpu *g, size_t bytes)
{
	struct mem m = mem_alloc(g, GTT | HOST, bytes);

	ASSERT_EQ(0, mem_map(g, m.handle));
	return m;
}

FIXTURE_SETUP(bufs)
{
	gpu_open(&self->g);
	set_queue_buffers(1);
	self->size = queue_area(self->g.node);
	self->ring = mapped(&self->g, RING_BYTES);
	self->index = mapped(&self->g, PAGE);
	self->eop = mapped(&self->g, PAGE);
	self->area = mapped(&self->g, self->size.bytes);
	self->c = (struct kfd_ioctl_create_queue_args) {
		.ring_base_address = (uintptr_t)self->ring.va, .ring_size = RING_BYTES,
		.write_pointer_address = (uintptr_t)self->index.va + 56,
		.read_pointer_address = (uintptr_t)self->index.va + 128,
		.eop_buffer_address = (uintptr_t)self->eop.va, .eop_buffer_size = PAGE,
		.ctx_save_restore_address = (uintptr_t)self->area.va,
		.ctx_save_restore_size = self->size.cwsr, .ctl_stack_size = self->size.ctl,
		.gpu_id = self->g.id, .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE,
		.queue_percentage = 100, .queue_priority = 7,
	};
	self->sdma = self->c;
	self->sdma.queue_type = KFD_IOC_QUEUE_TYPE_SDMA;
	self->sdma.eop_buffer_address = 0;
	self->sdma.ctx_save_restore_address = 0;
	self->sdma.ctx_save_restore_size = 0;
	self->sdma.ctl_stack_size = 0;
}

FIXTURE_TEARDOWN(bufs)
{
	set_queue_buffers(-1);
	close(self->g.drm);
	close(self->g.kfd);
}

static int create(FIXTURE_DATA(bufs) *self, struct kfd_ioctl_create_queue_args *c)
{
	return kfd_err(self->g.kfd, AMDKFD_IOC_CREATE_QUEUE, c);
}

static int destroy(FIXTURE_DATA(bufs) *self, uint32_t id)
{
	struct kfd_ioctl_destroy_queue_args d = { .queue_id = id };

	return kfd_err(self->g.kfd, AMDKFD_IOC_DESTROY_QUEUE, &d);
}

#define EXPECT_CREATE(_errno, _from, _field, _value)				\
	do {									\
		struct kfd_ioctl_create_queue_args c_ = (_from);		\
		c_._field = (_value);						\
		EXPECT_EQ(_errno, create(self, &c_));				\
		if (!(_errno))							\
			EXPECT_EQ(0, destroy(self, c_.queue_id));		\
	} while (0)

TEST_F(bufs, sizes_and_places)
{
	EXPECT_CREATE(0, self->c, queue_priority, 7);
	EXPECT_CREATE(EINVAL, self->c, ring_base_address, 0);
	EXPECT_CREATE(EINVAL, self->c, ring_base_address, self->c.ring_base_address + PAGE);
	EXPECT_CREATE(EINVAL, self->c, ring_size, 2 * RING_BYTES);
	EXPECT_CREATE(EINVAL, self->c, ring_size, RING_BYTES / 2);
	EXPECT_CREATE(EINVAL, self->c, write_pointer_address, (uintptr_t)&self->c & ~7ul);
	EXPECT_CREATE(EINVAL, self->c, read_pointer_address, self->c.ring_base_address);
	EXPECT_CREATE(EINVAL, self->c, eop_buffer_size, PAGE / 2);
	EXPECT_CREATE(EINVAL, self->c, eop_buffer_size, 2 * PAGE);
	EXPECT_CREATE(0, self->c, eop_buffer_address, 0);
	EXPECT_CREATE(EINVAL, self->c, ctl_stack_size, self->size.ctl + PAGE);
	EXPECT_CREATE(EINVAL, self->c, ctx_save_restore_size, self->size.cwsr - PAGE);
	EXPECT_CREATE(EINVAL, self->c, ctx_save_restore_size, self->size.cwsr + PAGE);
	EXPECT_CREATE(EINVAL, self->c, ctx_save_restore_address, 0);
}

/* What newer kernels tell in topology is what is asked for. */
TEST_F(bufs, topology_tells_the_sizes)
{
	if (node_prop(self->g.node, "cwsr_size") < 0)
		SKIP(return, "no such lines in this kernel's topology");
	EXPECT_EQ(self->size.cwsr, node_prop(self->g.node, "cwsr_size"));
	EXPECT_EQ(self->size.ctl, node_prop(self->g.node, "ctl_stack_size"));
}

TEST_F(bufs, sdma_has_a_ring_and_indices)
{
	EXPECT_CREATE(0, self->sdma, queue_priority, 7);
	EXPECT_CREATE(EINVAL, self->sdma, ring_base_address, 0);
	EXPECT_CREATE(EINVAL, self->sdma, ring_size, 2 * RING_BYTES);
}

TEST_F(bufs, a_live_queue_keeps_its_buffers)
{
	struct mem *all[] = { &self->ring, &self->index, &self->eop, &self->area };
	struct kfd_ioctl_create_queue_args other = self->sdma;
	unsigned int i;

	ASSERT_EQ(0, create(self, &self->c));
	ASSERT_EQ(0, create(self, &other));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(EBUSY, mem_unmap(&self->g, all[i]->handle));
		EXPECT_EQ(EBUSY, mem_free(&self->g, all[i]->handle));
	}
	EXPECT_EQ(0, destroy(self, self->c.queue_id));
	/* The other one has these two as well. */
	EXPECT_EQ(EBUSY, mem_unmap(&self->g, self->ring.handle));
	EXPECT_EQ(EBUSY, mem_unmap(&self->g, self->index.handle));
	EXPECT_EQ(0, destroy(self, other.queue_id));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(0, mem_unmap(&self->g, all[i]->handle));
		EXPECT_EQ(0, mem_free(&self->g, all[i]->handle));
	}
}

TEST_F(bufs, an_update_brings_another_ring)
{
	struct mem ring = mapped(&self->g, 2 * RING_BYTES);
	struct kfd_ioctl_update_queue_args u = {
		.ring_base_address = (uintptr_t)ring.va, .ring_size = RING_BYTES,
		.queue_percentage = 100, .queue_priority = 7,
	};

	ASSERT_EQ(0, create(self, &self->c));
	u.queue_id = self->c.queue_id;
	EXPECT_IOCTL(EFAULT, self->g.kfd, AMDKFD_IOC_UPDATE_QUEUE, &u);
	EXPECT_EQ(EBUSY, mem_unmap(&self->g, self->ring.handle));
	u.ring_size = 2 * RING_BYTES;
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_UPDATE_QUEUE, &u);
	EXPECT_EQ(0, mem_unmap(&self->g, self->ring.handle));
	EXPECT_EQ(EBUSY, mem_unmap(&self->g, ring.handle));
	/* Without a ring it rests, and keeps what it had. */
	u.ring_base_address = 0;
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_UPDATE_QUEUE, &u);
	EXPECT_EQ(EBUSY, mem_unmap(&self->g, ring.handle));
	EXPECT_EQ(0, destroy(self, self->c.queue_id));
	EXPECT_EQ(0, mem_unmap(&self->g, ring.handle));
}

/* As libhsakmt of today has it: the process's own memory, through SVM. */
TEST_F(bufs, a_save_area_in_svm)
{
	size_t bytes = self->size.bytes;
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct {
		struct kfd_ioctl_svm_args a;
		struct kfd_ioctl_svm_attribute attr[2];
	} s = {
		.a = { (uintptr_t)p, bytes, KFD_IOCTL_SVM_OP_SET_ATTR, 1 },
		.attr = { { SVM_ACCESS, self->g.id }, { SVM_SET_FLAGS, SVM_ALWAYS_MAPPED } },
	};

	ASSERT_NE(MAP_FAILED, (void *)p);
	EXPECT_CREATE(EINVAL, self->c, ctx_save_restore_address, (uintptr_t)p);
	ASSERT_EQ(0, kfd_err(self->g.kfd, AMDKFD_IOC_SVM + (1u << _IOC_SIZESHIFT) * 8, &s));
	EXPECT_CREATE(EINVAL, self->c, ctx_save_restore_address, (uintptr_t)p);
	s.a.nattr = 2;
	ASSERT_EQ(0, kfd_err(self->g.kfd, AMDKFD_IOC_SVM + (1u << _IOC_SIZESHIFT) * 16, &s));
	EXPECT_CREATE(0, self->c, ctx_save_restore_address, (uintptr_t)p);
}

TEST_F(bufs, off_is_off)
{
	set_queue_buffers(0);
	EXPECT_CREATE(0, self->c, ring_size, 2 * RING_BYTES);
	ASSERT_EQ(0, create(self, &self->c));
	EXPECT_EQ(0, mem_unmap(&self->g, self->ring.handle));
	EXPECT_EQ(0, destroy(self, self->c.queue_id));
}

/* The ring of metadata (1.22) lies behind an AQL queue's ring, in the same buffer. */
TEST_F(bufs, metadata_ring)
{
	struct kfd_ioctl_create_queue_args c = self->c;
	struct mem both = mapped(&self->g, 5 * RING_BYTES);
	struct kfd_ioctl_update_queue_args u = {
		.ring_base_address = (uintptr_t)both.va, .ring_size = RING_BYTES,
		.queue_percentage = 50, .queue_priority = 7,
	};

	c.metadata_ring_size = 4 * RING_BYTES;
	EXPECT_EQ(0, create(self, &c));		/* PM4 has none: not looked at */
	EXPECT_EQ(0, destroy(self, c.queue_id));
	c.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
	EXPECT_EQ(EINVAL, create(self, &c));
	c.ring_base_address = (uintptr_t)both.va;
	ASSERT_EQ(0, create(self, &c));
	u.queue_id = c.queue_id;
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_UPDATE_QUEUE, &u);
	/* a buffer without a place for the metadata */
	u.ring_base_address = self->c.ring_base_address;
	EXPECT_IOCTL(EFAULT, self->g.kfd, AMDKFD_IOC_UPDATE_QUEUE, &u);
	EXPECT_EQ(0, destroy(self, c.queue_id));
	c.metadata_ring_size = 0;
	EXPECT_EQ(EINVAL, create(self, &c));
}

TEST_HARNESS_MAIN
