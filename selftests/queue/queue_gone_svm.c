// SPDX-License-Identifier: MIT
/*
 * Ranges of shared memory whose attributes name a GPU that was taken away: nobody sets such an
 * attribute any more, those that are set stay and harm nobody, and the memory is the process's.
 *
 * Whoever has opened /dev/kfd loses the GPU for good, so this is about one process: the test's.
 */
#define _GNU_SOURCE
#include <poll.h>

#include "../kfd/file_util.h"
#include "../kfd/kfd_util.h"
#include "gone.h"

#define PAGES		64u
#define BYTES		(PAGES * RIG_PAGE)
#define TURN_US		50000	/* a range that has come stays for 10 ms */

enum { PREFERRED = KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, PREFETCH = KFD_IOCTL_SVM_ATTR_PREFETCH_LOC,
       ACCESS = KFD_IOCTL_SVM_ATTR_ACCESS, IN_PLACE = KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE,
       NO_ACCESS = KFD_IOCTL_SVM_ATTR_NO_ACCESS, SET_FLAGS = KFD_IOCTL_SVM_ATTR_SET_FLAGS,
       GRANULARITY = KFD_IOCTL_SVM_ATTR_GRANULARITY };

FIXTURE(gone) {
	struct rig r;
	u32 *p;
};

/* Also of a test that fails meanwhile */
static struct {
	char function[32];
	mode_t mode;
	bool away;
} gpu;

static void take(void)
{
	ASSERT_EQ(file_write(DRIVER "/unbind", gpu.function), 0);
	gpu.away = true;
}

static void give_back(void)
{
	if (!gpu.away)
		return;
	gpu.away = false;
	file_write(DRIVER "/bind", gpu.function);
	nodes_mode(gpu.mode);
}

FIXTURE_SETUP(gone)
{
	u32 i;

	if (!have_unbind())
		SKIP(return, "no PCI driver");
	ASSERT_EQ(rig_open(&self->r), 0);
	function_of(self->r.drm, gpu.function);
	gpu.mode = nodes_mode(0);
	atexit(give_back);
	self->p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE((void *)self->p, MAP_FAILED);
	for (i = 0; i < BYTES / 4; i++)
		self->p[i] = 3 * i;
}

FIXTURE_TEARDOWN(gone)
{
	give_back();
	rig_close(&self->r);
}

static int set(FIXTURE_DATA(gone) *self, u32 type, u32 value)
{
	return rig_svm_set(&self->r, self->p, BYTES, type, value);
}

/* Negative: the error; else the attribute's value, and @type what it has become */
static long get(FIXTURE_DATA(gone) *self, u32 *type, u32 value)
{
	struct {
		struct kfd_ioctl_svm_args a;
		struct kfd_ioctl_svm_attribute attr;
	} s = {
		.a = { (uintptr_t)self->p, BYTES, KFD_IOCTL_SVM_OP_GET_ATTR, 1 },
		.attr = { *type, value },
	};
	int err = rig_ioctl(&self->r, AMDKFD_IOC_SVM + (sizeof(s.attr) << _IOC_SIZESHIFT), &s);

	*type = s.attr.type;
	return err ? err : (long)s.attr.value;
}

static void expect_value(FIXTURE_DATA(gone) *self, u32 type, u32 value)
{
	EXPECT_EQ(get(self, &type, 0), (long)value);
}

static void expect_refused(FIXTURE_DATA(gone) *self)
{
	static const u32 types[] = { PREFERRED, PREFETCH, ACCESS, IN_PLACE, NO_ACCESS };
	u32 i, access = ACCESS;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		EXPECT_EQ(set(self, types[i], self->r.gpu_id), -EINVAL);
	EXPECT_EQ(get(self, &access, self->r.gpu_id), -EINVAL);
}

TEST_F(gone, attributes)
{
	u32 id = self->r.gpu_id, i, wrong = 0;

	ASSERT_EQ(set(self, ACCESS, id), 0);
	ASSERT_EQ(set(self, PREFERRED, id), 0);
	ASSERT_EQ(set(self, PREFETCH, id), 0);
	take();
	expect_refused(self);
	expect_value(self, PREFERRED, id);
	expect_value(self, PREFETCH, id);
	/* What names no GPU can be set, and so can other places. */
	EXPECT_EQ(set(self, GRANULARITY, 3), 0);
	expect_value(self, GRANULARITY, 3);
	EXPECT_EQ(set(self, SET_FLAGS, KFD_IOCTL_SVM_FLAG_GPU_EXEC), 0);
	EXPECT_EQ(set(self, PREFETCH, 0), 0);
	expect_value(self, PREFETCH, 0);
	EXPECT_EQ(set(self, PREFERRED, KFD_IOCTL_SVM_LOCATION_UNDEFINED), 0);
	expect_value(self, PREFERRED, KFD_IOCTL_SVM_LOCATION_UNDEFINED);
	for (i = 0; i < BYTES / 4; i++)
		wrong += self->p[i] != 3 * i;
	EXPECT_EQ(wrong, 0);
	/* One that comes back is another one, for this process. */
	give_back();
	expect_refused(self);
	EXPECT_TRUE(other_process_works());
}

/* Memory that is there when its GPU goes: written, moved, cut, shared with a child, unmapped */
TEST_F(gone, memory_that_was_there)
{
	char *at = (char *)self->p;
	int status;
	pid_t pid;

	ASSERT_EQ(set(self, ACCESS, self->r.gpu_id), 0);
	ASSERT_EQ(set(self, PREFETCH, self->r.gpu_id), 0);
	take();
	self->p[5] = 1;
	pid = fork();
	if (!pid)
		_exit(self->p[5] != 1 || self->p[6] != 18);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	ASSERT_EQ(mprotect(at, RIG_PAGE, PROT_READ), 0);
	ASSERT_EQ(madvise(at + 2 * RIG_PAGE, RIG_PAGE, MADV_DONTNEED), 0);
	EXPECT_EQ(self->p[2 * RIG_PAGE / 4 + 1], 0);
	ASSERT_EQ(munmap(at + 4 * RIG_PAGE, RIG_PAGE), 0);
	ASSERT_NE(mremap(at + 8 * RIG_PAGE, RIG_PAGE, RIG_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
			 at + 4 * RIG_PAGE), MAP_FAILED);
	EXPECT_EQ(self->p[4 * RIG_PAGE / 4], 3 * (8 * (u32)RIG_PAGE / 4));
	ASSERT_EQ(munmap(at, BYTES), 0);
}

/* ----------------------------------------------------------------- two GPUs */

static int xnack_on(struct rig *r)
{
	struct kfd_ioctl_set_xnack_mode_args x = { .xnack_enabled = 1 };

	return rig_ioctl(r, AMDKFD_IOC_SET_XNACK_MODE, &x);
}

/* A GPU that faults takes what would rather be, or is, with the one that has gone. */
static void fault_of_the_other(FIXTURE_DATA(gone) *self, u32 where)
{
	struct rig *a = &self->r, b;
	struct rig_signal *s;
	struct rig_queue q;
	u32 id;
	int fd;

	fd = rig_find_gpu(a->gpu_id, &id);
	if (fd < 0)
		SKIP(return, "needs two GPUs");
	ASSERT_EQ(rig_open_on(&b, fd, id), 0);
	if (xnack_on(a) == -EPERM)
		SKIP(return, "this GPU has no XNACK mode");
	ASSERT_EQ(rig_load(&b), 0);
	ASSERT_EQ(rig_queue_create(&b, RIG_RING, &q), 0);
	ASSERT_EQ(set(self, ACCESS, a->gpu_id), 0);
	ASSERT_EQ(set(self, ACCESS, id), 0);
	ASSERT_EQ(set(self, where, a->gpu_id), 0);
	take();
	usleep(TURN_US);
	s = start(&b, &q, "store_word", (uintptr_t)self->p, 77, 1, 1);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(*(volatile u32 *)self->p, 77);
	EXPECT_EQ(rig_counter(&b, "page_in"), PAGES);
	rig_close(&b);
}

TEST_F(gone, it_was_to_be_there)
{
	fault_of_the_other(self, PREFERRED);
}

TEST_F(gone, it_was_there)
{
	fault_of_the_other(self, PREFETCH);
}

TEST_HARNESS_MAIN
