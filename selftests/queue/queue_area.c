// SPDX-License-Identifier: MIT
/*
 * Save areas in the process's own memory, through SVM, as libhsakmt of today has them.
 * A process may unmap one under a live queue. Then all its queues are off the GPU for
 * good, and it is told by an event; nobody else notices (svm_range_unmap_from_cpu() of
 * Linux 6.12).
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>

#include "queue_test.h"

#define CHECKS		"/sys/module/vkfd/parameters/queue_buffers"
#define EVENTS		(KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_QUEUE_EVICTION) | \
			 KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_QUEUE_RESTORE))

/* Only kernels from 6.12 on look at save areas; here all do, as the module is told. */
static void checks(const char *how)
{
	FILE *f = fopen(CHECKS, "w");

	ASSERT_NE(NULL, (void *)f);
	fputs(how, f);
	ASSERT_EQ(0, fclose(f));
}

static void as_ever(void)
{
	checks("-1\n");
}

FIXTURE(area) {
	struct rig r;
	struct rig_queue q, other;
	struct rig_mem data;
	volatile u32 *w;
	u8 *area;
	size_t bytes;
	int smi;
	u32 fault;
};

/* All of it for the GPU at any time */
static int share_always(struct rig *r, void *p, size_t bytes)
{
	struct {
		struct kfd_ioctl_svm_args a;
		struct kfd_ioctl_svm_attribute attr[2];
	} s = {
		.a = { (uintptr_t)p, bytes, KFD_IOCTL_SVM_OP_SET_ATTR, 2 },
		.attr = { { KFD_IOCTL_SVM_ATTR_ACCESS, r->gpu_id },
			  { KFD_IOCTL_SVM_ATTR_SET_FLAGS, KFD_IOCTL_SVM_FLAG_GPU_ALWAYS_MAPPED } },
	};

	return rig_ioctl(r, _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20, sizeof(s)), &s);
}

FIXTURE_SETUP(area)
{
	struct kfd_ioctl_smi_events_args smi = { 0 };
	u64 mask = EVENTS;
	u32 slot;

	ASSERT_EQ(rig_open(&self->r), 0);
	checks("1\n");
	atexit(as_ever);
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(rig_area_size(&self->r, &self->bytes), 0);
	self->area = mmap(NULL, self->bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	self->r.save_area = (uintptr_t)self->area;
	ASSERT_EQ(rig_anon(&self->r, 16 * RIG_PAGE, &self->data), 0);
	self->w = self->data.p;
	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &self->fault, &slot), 0);
	smi.gpuid = self->r.gpu_id;
	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_SMI_EVENTS, &smi), 0);
	self->smi = smi.anon_fd;
	ASSERT_EQ(write(self->smi, &mask, sizeof(mask)), (ssize_t)sizeof(mask));
}

FIXTURE_TEARDOWN(area)
{
	rig_close(&self->r);
}

static void create_queues(FIXTURE_DATA(area) *self)
{
	ASSERT_EQ(share_always(&self->r, self->area, self->bytes), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->other), 0);
}

/* Kernels on both queues that count in w[1], w[2] until w[0] is set */
static void start_spin(FIXTURE_DATA(area) *self)
{
	start(&self->r, &self->q, "spin", (uintptr_t)&self->w[0], (uintptr_t)&self->w[1], 1, 64);
	start(&self->r, &self->other, "spin", (uintptr_t)&self->w[0], (uintptr_t)&self->w[2], 1,
	      64);
	ASSERT_TRUE(rig_wait32(&self->w[1], 1, RIG_LONG));
	ASSERT_TRUE(rig_wait32(&self->w[2], 1, RIG_LONG));
}

/* The next line of the event file begins with "EVENT TIME -PID GPU_ID REST\n". */
static bool told(FIXTURE_DATA(area) *self, unsigned int event, const char *rest)
{
	struct pollfd p = { .fd = self->smi, .events = POLLIN };
	char text[128] = "", want[128];
	long long ns = 0;
	size_t i = 0;

	if (poll(&p, 1, RIG_LONG * th_slow()) != 1)
		return false;
	while (i < sizeof(text) - 1 && read(self->smi, &text[i], 1) == 1 && text[i++] != '\n')
		;
	sscanf(text, "%*x %lld", &ns);
	snprintf(want, sizeof(want), "%x %lld -%d %x %s\n", event, ns, getpid(), self->r.gpu_id,
		 rest);
	if (strcmp(want, text))
		TH_LOG("event \"%s\"", text);
	return !strcmp(want, text);
}

static bool told_within(FIXTURE_DATA(area) *self, int ms)
{
	struct pollfd p = { .fd = self->smi, .events = POLLIN };

	return poll(&p, 1, ms);
}

static bool told_nothing(FIXTURE_DATA(area) *self)
{
	return !told_within(self, 0);
}

static bool stays(const volatile u32 *p)
{
	u32 seen = *p;

	usleep(100000);
	return *p == seen;
}

TEST_F(area, unmapped_under_a_live_queue)
{
	struct kfd_ioctl_get_queue_wave_state_args ws = {
		.ctl_stack_address = (uintptr_t)self->w,
	};
	struct kfd_event_data d;
	u32 seen;

	create_queues(self);
	ws.queue_id = self->q.id;
	start_spin(self);
	ASSERT_EQ(munmap(self->area + RIG_PAGE, RIG_PAGE), 0);
	ASSERT_TRUE(told(self, KFD_SMI_EVENT_QUEUE_EVICTION, "0"));
	/* The SMI line comes first, queues stop behind it: this waits for that. */
	ASSERT_EQ(rig_queue_update(&self->r, &self->other, 100), 0);
	EXPECT_TRUE(stays(&self->w[1]));
	EXPECT_TRUE(stays(&self->w[2]));
	/* Once is enough, and what was unmapped is not looked for. */
	ASSERT_EQ(munmap(self->area, self->bytes), 0);
	EXPECT_EQ(rig_queue_update(&self->r, &self->q, 0), 0);
	EXPECT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &ws), -EFAULT);
	EXPECT_EQ(rig_queue_update(&self->r, &self->q, 100), 0);
	seen = self->w[1];
	EXPECT_EQ(-ETIME, rig_event_wait(&self->r, self->fault, 100, &d));
	EXPECT_TRUE(told_nothing(self));
	EXPECT_EQ(seen, self->w[1]);
	/* Nor does a new queue run. */
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->other), 0);
	EXPECT_TRUE(other_process_works());
}

/* What is done to a queue right behind munmap comes after the eviction. */
TEST_F(area, an_update_comes_later)
{
	struct kfd_event_data d;
	u32 i;

	create_queues(self);
	start_spin(self);
	ASSERT_EQ(munmap(self->area, self->bytes), 0);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(rig_queue_update(&self->r, &self->q, i & 1 ? 100 : 0), 0);
	EXPECT_TRUE(stays(&self->w[1]));
	EXPECT_TRUE(told(self, KFD_SMI_EVENT_QUEUE_EVICTION, "0"));
	EXPECT_EQ(-ETIME, rig_event_wait(&self->r, self->fault, 100, &d));
}

/*
 * Beside it, or when no queue has it any more: queues run on. They stop for a moment when it gets
 * other pages, as it is always mapped (svm_range_evict()).
 */
TEST_F(area, what_no_queue_has)
{
	u8 *beside = mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	ASSERT_EQ(share_always(&self->r, beside, RIG_PAGE), 0);
	create_queues(self);
	start_spin(self);
	ASSERT_EQ(munmap(beside, RIG_PAGE), 0);
	EXPECT_FALSE(told_within(self, 100));
	ASSERT_EQ(madvise(self->area, self->bytes, MADV_DONTNEED), 0);
	EXPECT_TRUE(told(self, KFD_SMI_EVENT_QUEUE_EVICTION, "0"));
	EXPECT_TRUE(told(self, KFD_SMI_EVENT_QUEUE_RESTORE, "0"));
	EXPECT_TRUE(rig_wait32(&self->w[1], self->w[1] + 2, RIG_LONG));
	EXPECT_TRUE(rig_wait32(&self->w[2], self->w[2] + 2, RIG_LONG));
	self->w[0] = 1;
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->other), 0);
	ASSERT_EQ(munmap(self->area, self->bytes), 0);
	/* Whoever evicts would have done so before this one is made. */
	self->r.save_area = 0;
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, (u32 *)self->data.p + 64));
	EXPECT_TRUE(told_nothing(self));
}

/* All of it has to be shared, from the first byte to the last. */
TEST_F(area, with_a_hole)
{
	u64 half = self->bytes / 2 & -RIG_PAGE;

	ASSERT_EQ(share_always(&self->r, self->area, half), 0);
	EXPECT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), -EINVAL);
	ASSERT_EQ(share_always(&self->r, self->area + half + RIG_PAGE,
			       self->bytes - half - RIG_PAGE), 0);
	EXPECT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), -EINVAL);
	ASSERT_EQ(share_always(&self->r, self->area + half, RIG_PAGE), 0);
	EXPECT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
}

static void leave_with_a_queue(FIXTURE_DATA(area) *self, int fd)
{
	struct rig r;

	if (rig_open(&r) || share_always(&r, self->area, self->bytes))
		_exit(1);
	r.save_area = (uintptr_t)self->area;
	checks("1\n");
	if (rig_queue_create(&r, RIG_RING, &self->q) || write(fd, "x", 1) != 1)
		_exit(1);
	/* Its end unmaps the area, too. */
	_exit(0);
}

TEST_F(area, the_end_of_a_process_evicts_nobody)
{
	u64 mask = EVENTS | KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_ALL_PROCESS);
	int go[2], status;
	pid_t pid;
	char c;

	ASSERT_EQ(write(self->smi, &mask, sizeof(mask)), (ssize_t)sizeof(mask));
	ASSERT_EQ(pipe(go), 0);
	pid = fork();
	if (!pid)
		leave_with_a_queue(self, go[1]);
	ASSERT_EQ(read(go[0], &c, 1), 1);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(0, status);
	EXPECT_TRUE(told_nothing(self));
}

TEST_HARNESS_MAIN
