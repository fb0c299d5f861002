// SPDX-License-Identifier: MIT
/*
 * Several packets at once: each is told when it has ended, not when all have; the barrier bit and
 * its scopes; which one it was that failed. Where KFD is in front of a render node, they are
 * dispatches of one submission there.
 */
#define _GNU_SOURCE
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <sys/ioctl.h>
#include "queue_test.h"
#include "rig_sdma.h"
#include "../../uapi/drm/amdgpu_drm.h"

#define GROUPS	4u

static void put_add(struct rig *r, struct rig_queue *q, const void *p, u32 v, u32 header,
		    struct rig_signal *s)
{
	struct add_args a = { (uintptr_t)p, v };
	union rig_packet pk;
	struct rig_kernel k;

	if (rig_kernel(r, "add_to", &k))
		abort();
	rig_dispatch_packet(&pk, &k, GROUPS, 64, rig_args(r, &a, sizeof(a)), s);
	pk.header |= header;
	rig_put(q, &pk);
}

/* A kernel that waits for *@stop. */
static void put_spin(struct rig *r, struct rig_queue *q, u32 *stop, u32 *alive,
		     struct rig_signal *s)
{
	struct word_args a = { (uintptr_t)stop, (uintptr_t)alive };
	union rig_packet pk;
	struct rig_kernel k;

	if (rig_kernel(r, "spin_sleep", &k))
		abort();
	rig_dispatch_packet(&pk, &k, 1, 64, rig_args(r, &a, sizeof(a)), s);
	pk.header |= RIG_BARRIER_BIT;
	rig_put(q, &pk);
}

TEST_F(gpu, an_end_is_told_while_the_next_one_runs)
{
	struct rig_signal *first = rig_signal(&self->r, 1), *last = rig_signal(&self->r, 1);
	u32 *stop = self->words + 1024, *alive = self->words + 1025;

	put_add(&self->r, &self->q, self->words, 3, 0, NULL);
	put_add(&self->r, &self->q, self->words, 4, RIG_BARRIER_BIT, first);
	put_spin(&self->r, &self->q, stop, alive, last);
	put_add(&self->r, &self->q, self->words, 5, RIG_BARRIER_BIT, NULL);
	rig_ring(&self->q, 3);
	EXPECT_TRUE(rig_wait(first, 0, RIG_LONG));
	EXPECT_EQ(self->words[0], 7);
	EXPECT_NE(first->start_ts, 0);
	EXPECT_LE(first->start_ts, first->end_ts);
	/* Their places in the ring, too, before the one behind them has ended */
	EXPECT_TRUE(wait_read(&self->q, 2));
	EXPECT_TRUE(rig_wait32(alive, 1, RIG_LONG));
	EXPECT_EQ(last->value, 1);
	EXPECT_EQ(self->q.amd->read_id, 2);
	__atomic_store_n(stop, 1, __ATOMIC_RELEASE);
	EXPECT_TRUE(rig_wait(last, 0, RIG_LONG));
	EXPECT_TRUE(wait_read(&self->q, 4));
	EXPECT_EQ(self->words[GROUPS * 64 - 1], 12);
	EXPECT_LE(first->end_ts, last->start_ts);
}

/* add_to reads, adds and writes: two at a time would lose something */
TEST_F(gpu, barriers_without_signals)
{
	struct rig_signal *s = rig_signal(&self->r, 1);
	u32 i, n = RIG_RING / 2;

	for (i = 0; i < n; i++)
		put_add(&self->r, &self->q, self->words, i + 1, RIG_BARRIER_BIT,
			i == n - 1 ? s : NULL);
	rig_ring(&self->q, n - 1);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	for (i = 0; i < GROUPS * 64; i++)
		ASSERT_EQ(self->words[i], n * (n + 1) / 2);
	EXPECT_TRUE(wait_read(&self->q, n));
}

/* Signals with and without somebody who waits for an event: some end a submission, some do not. */
TEST_F(gpu, all_kinds_of_signals_in_order)
{
	enum { N = RIG_RING / 2 };
	struct rig_signal *s[N];
	u32 i, id, slot;
	u64 end = 0;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_SIGNAL, &id, &slot), 0);
	for (i = 0; i < N; i++) {
		s[i] = i % 4 < 2 || i == N - 1 ? rig_signal(&self->r, 1) : NULL;
		if (s[i] && (i % 4 == 1 || i == N - 1)) {
			s[i]->event_id = id;
			s[i]->mailbox = (uintptr_t)&self->r.event_page[slot];
		}
		put_add(&self->r, &self->q, self->words, i + 1, RIG_BARRIER_BIT, s[i]);
		rig_ring(&self->q, i);
	}
	while (s[N - 1]->value)
		ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, NULL), 0);
	EXPECT_EQ(self->words[0], N * (N + 1) / 2);
	for (i = 0; i < N; i++) {
		if (!s[i])
			continue;
		EXPECT_EQ(s[i]->value, 0);
		EXPECT_LE(end, s[i]->start_ts);
		EXPECT_LE(s[i]->start_ts, s[i]->end_ts);
		end = s[i]->end_ts;
	}
}

/* Times of the GPU, and those of packets that no GPU sees, are of the clock that KFD tells. */
TEST_F(gpu, times_are_the_clock_of_the_ioctl)
{
	struct kfd_ioctl_get_clock_counters_args c[2] = {
		{ .gpu_id = self->r.gpu_id }, { .gpu_id = self->r.gpu_id },
	};
	struct rig_signal *s[3];
	union rig_packet pk = { .header = RIG_BARRIER_AND | RIG_SCOPES | RIG_BARRIER_BIT };
	u32 i;

	for (i = 0; i < 3; i++)
		s[i] = rig_signal(&self->r, 1);
	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_GET_CLOCK_COUNTERS, &c[0]), 0);
	put_add(&self->r, &self->q, self->words, 1, RIG_BARRIER_BIT, s[0]);
	pk.barrier.signal = (uintptr_t)s[1];
	rig_put(&self->q, &pk);
	put_add(&self->r, &self->q, self->words, 1, RIG_BARRIER_BIT, s[2]);
	rig_ring(&self->q, 2);
	for (i = 0; i < 3; i++)
		ASSERT_TRUE(rig_wait(s[i], 0, RIG_LONG));
	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_GET_CLOCK_COUNTERS, &c[1]), 0);
	EXPECT_LE(c[0].gpu_clock_counter, s[0]->start_ts);
	for (i = 0; i < 3; i++) {
		EXPECT_LE(s[i]->start_ts, s[i]->end_ts);
		EXPECT_LE(s[i]->end_ts, i < 2 ? s[i + 1]->end_ts : c[1].gpu_clock_counter);
	}
}

/* Where a client's page holds what the node below answers: the GPU's time is what it says. */
static bool answer_page(char **at)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[256], mode[8];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, "[vkfd]") &&
			sscanf(line, "%lx-%lx %7s", &start, &end, mode) == 3 && mode[1] == 'w';
	if (f)
		fclose(f);
	*at = (char *)start;
	return found;
}

/* It moves that page away, so that what it has put in stays. */
static int lie_about_the_time(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	struct kfd_ioctl_get_clock_counters_args c = {};
	struct rig_queue q;
	char *page, *to;
	struct rig r;

	if (rig_open(&r) || rig_queue_create(&r, RIG_RING, &q))
		return 1;
	if (!answer_page(&page))
		return 0;		/* no node below */
	to = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mremap(page, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to ||
	    mmap(page, 4096, PROT_READ | PROT_WRITE, flags, -1, 0) != page)
		return 2;
	*page = 1;
	*(volatile u64 *)to = 0x7fff000000000000;
	c.gpu_id = r.gpu_id;
	return rig_ioctl(&r, AMDKFD_IOC_GET_CLOCK_COUNTERS, &c) ? 3 : 0;
}

TEST_F(gpu, who_lies_about_the_time_misleads_itself)
{
	struct kfd_ioctl_get_clock_counters_args c[2] = {
		{ .gpu_id = self->r.gpu_id }, { .gpu_id = self->r.gpu_id },
	};
	int status;
	pid_t pid;

	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_GET_CLOCK_COUNTERS, &c[0]), 0);
	pid = fork();
	if (!pid)
		_exit(lie_about_the_time());
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_EQ(status, 0);
	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_GET_CLOCK_COUNTERS, &c[1]), 0);
	EXPECT_GE(c[1].gpu_clock_counter, c[0].gpu_clock_counter);
	/* Days, of a clock of 100 MHz */
	EXPECT_LE(c[1].gpu_clock_counter - c[0].gpu_clock_counter, 1ull << 44);
}

/* Each of two queues counts one signal down, at the same time. */
TEST_F(gpu, a_signal_of_two_queues)
{
	struct rig_signal *s = rig_signal(&self->r, 2 * (s64)RIG_RING);
	struct rig_queue other;
	u32 i;

	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &other), 0);
	for (i = 0; i < RIG_RING; i++) {
		put_add(&self->r, &self->q, self->words, 1, RIG_BARRIER_BIT, s);
		put_add(&self->r, &other, self->words + 1024, 1, RIG_BARRIER_BIT, s);
	}
	rig_ring(&self->q, RIG_RING - 1);
	rig_ring(&other, RIG_RING - 1);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(self->words[0], RIG_RING);
	EXPECT_EQ(self->words[1024], RIG_RING);
	EXPECT_EQ(rig_queue_destroy(&self->r, &other), 0);
}

TEST_F(gpu, what_was_before_the_one_that_failed)
{
	void *bad = mmap(NULL, RIG_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rig_signal *before = rig_signal(&self->r, 1), *after = rig_signal(&self->r, 1);
	struct kfd_event_data d;
	u32 i, id, slot;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot), 0);
	for (i = 0; i < 3; i++)
		put_add(&self->r, &self->q, self->words, 1, RIG_BARRIER_BIT, i == 2 ? before : NULL);
	put_add(&self->r, &self->q, bad, 1, RIG_BARRIER_BIT, NULL);
	put_add(&self->r, &self->q, self->words, 1, RIG_BARRIER_BIT, after);
	rig_ring(&self->q, 4);
	ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, &d), 0);
	EXPECT_EQ(d.memory_exception_data.va, (uintptr_t)bad);
	EXPECT_EQ(d.memory_exception_data.gpu_id, self->r.gpu_id);
	/* The three before it are done, and nothing else is. */
	EXPECT_EQ(before->value, 0);
	EXPECT_EQ(self->q.amd->read_id, 3);
	EXPECT_EQ(self->words[0], 3);
	EXPECT_EQ(after->value, 1);
}

/* Queues of all GPUs that have this weight */
static u32 queues_of_weight(u32 weight)
{
	char line[512], want[32];
	u32 n = 0;
	glob_t g;
	size_t i;

	snprintf(want, sizeof(want), " weight %u ", weight);
	if (glob("/sys/kernel/debug/kfd/*/queues", 0, NULL, &g))
		return 0;
	for (i = 0; i < g.gl_pathc; i++) {
		FILE *f = fopen(g.gl_pathv[i], "r");

		while (f && fgets(line, sizeof(line), f))
			n += strstr(line, want) != NULL;
		if (f)
			fclose(f);
	}
	globfree(&g);
	return n;
}

/* Do AQL queues go to a render node by submissions? Neither on a GPU itself nor as user queues. */
static bool is_submitted(FIXTURE_DATA(gpu) *self)
{
	long was = stats_sum("submissions ");

	return queue_works(&self->r, &self->q, self->words) && stats_sum("submissions ") > was;
}

/* Of the queue, and behind a render node of the job that runs there, or of the queue there alone */
TEST_F(gpu, a_high_priority_is_one_below)
{
	u32 *stop = self->words + 1024, *alive = self->words + 1025, was = queues_of_weight(16);
	struct rig_signal *s = rig_signal(&self->r, 1);
	struct rig_queue q;

	if (stats_sum("packets ") < 0)
		SKIP(return, "no debugfs");
	self->r.priority = 15;
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
	put_spin(&self->r, &q, stop, alive, s);
	rig_ring(&q, 0);
	EXPECT_TRUE(rig_wait32(alive, 1, RIG_LONG));
	EXPECT_EQ(queues_of_weight(16) - was,
		  is_submitted(self) ? 2 : 1);
	__atomic_store_n(stop, 1, __ATOMIC_RELEASE);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(rig_queue_destroy(&self->r, &q), 0);
}

/* What is submitted after an update has the new priority, and comes after what was before. */
TEST_F(gpu, an_updated_priority_is_one_below)
{
	u32 *stop = self->words + 1024, *alive = self->words + 1025, was = queues_of_weight(16);
	struct kfd_ioctl_update_queue_args a = {
		.ring_base_address = (uintptr_t)self->q.ring, .queue_id = self->q.id,
		.ring_size = self->q.packets * sizeof(union rig_packet),
		.queue_percentage = 100, .queue_priority = 15,
	};
	struct rig_signal *s = rig_signal(&self->r, 1);
	u64 at = self->q.amd->write_id;

	if (stats_sum("packets ") < 0)
		SKIP(return, "no debugfs");
	if (!is_submitted(self))
		SKIP(return, "the GPU is not behind a render node, or has user queues");
	at = self->q.amd->write_id;
	put_add(&self->r, &self->q, self->words, 1, 0, NULL);
	rig_ring(&self->q, at);
	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_UPDATE_QUEUE, &a), 0);
	put_spin(&self->r, &self->q, stop, alive, s);
	rig_ring(&self->q, at + 1);
	EXPECT_TRUE(rig_wait32(alive, 1, RIG_LONG));
	EXPECT_EQ(self->words[0], 3 + 1);
	EXPECT_EQ(queues_of_weight(16) - was, 2);
	__atomic_store_n(stop, 1, __ATOMIC_RELEASE);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	a.queue_priority = 7;
	EXPECT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_UPDATE_QUEUE, &a), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
	EXPECT_EQ(queues_of_weight(16), was);
}

/* While a kernel holds the ring, others gather. */
TEST_F(gpu, what_is_ready_goes_in_few_submissions)
{
	struct rig_signal *last = rig_signal(&self->r, 1);
	u32 *stop = self->words + 1024, *alive = self->words + 1025;
	u64 end = rig_ms() + RIG_LONG, at;
	long submissions, packets;
	u32 i, n = 30;

	if (!is_submitted(self))
		SKIP(return, "the GPU is not behind a render node, or has user queues");
	self->words[0] = 0;
	at = self->q.amd->write_id;
	submissions = stats_sum("submissions ");
	packets = stats_sum("packets ");
	put_spin(&self->r, &self->q, stop, alive, NULL);
	rig_ring(&self->q, at);
	ASSERT_TRUE(rig_wait32(alive, 1, RIG_LONG));
	for (i = 0; i < n; i++)
		put_add(&self->r, &self->q, self->words, 1, RIG_BARRIER_BIT,
			i == n - 1 ? last : NULL);
	rig_ring(&self->q, at + n);
	while (stats_sum("packets ") < packets + n + 1 && rig_ms() < end)
		usleep(1000);
	EXPECT_EQ(last->value, 1);
	__atomic_store_n(stop, 1, __ATOMIC_RELEASE);
	ASSERT_TRUE(rig_wait(last, 0, RIG_LONG));
	EXPECT_EQ(self->words[0], n);
	/* The kernel; what came first; the rest, 16 at a time */
	EXPECT_LE(stats_sum("submissions ") - submissions, 4);
}

/* One word */
static void put_add_word(struct rig *r, struct rig_queue *q, const u32 *p, u32 v)
{
	struct add_args a = { (uintptr_t)p, v };
	union rig_packet pk;
	struct rig_kernel k;

	if (rig_kernel(r, "add_to", &k))
		abort();
	rig_dispatch_packet(&pk, &k, 1, 1, rig_args(r, &a, sizeof(a)), NULL);
	pk.header |= RIG_BARRIER_BIT;
	rig_put(q, &pk);
}

/* Of a kernel, as it would be at @at */
static void descriptor(struct rig *r, const char *name, const u32 *at, u32 kd[16])
{
	struct rig_kernel k;
	u64 entry;

	if (rig_kernel(r, name, &k))
		abort();
	memcpy(kd, (void *)(uintptr_t)k.object, 64);
	memcpy(&entry, kd + 4, sizeof(entry));
	entry += k.object - (uintptr_t)at;
	memcpy(kd + 4, &entry, sizeof(entry));
}

static void put_described(struct rig *r, struct rig_queue *q, const u32 *kd, const u32 *p, u32 v,
			  struct rig_signal *s)
{
	struct rig_kernel k = { .object = (uintptr_t)kd };
	struct add_args a = { (uintptr_t)p, v };
	union rig_packet pk;

	rig_dispatch_packet(&pk, &k, 1, 64, rig_args(r, &a, sizeof(a)), s);
	pk.header |= RIG_BARRIER_BIT;
	rig_put(q, &pk);
}

/* A packet's kernel is what its descriptor says when the barrier bit lets the packet begin. */
TEST_F(gpu, a_descriptor_that_a_kernel_before_it_writes)
{
	u32 *stop = self->words + 1024, *alive = self->words + 1025, *kd = self->words + 2048;
	struct rig_signal *last = rig_signal(&self->r, 1);
	u64 at = self->q.amd->write_id, end = rig_ms() + RIG_LONG;
	u32 want[16], i, round, n = 0;
	long packets, stale = stats_sum("stale_descriptors ");
	struct rig_signal *s[3];

	packets = stats_sum("packets ");
	descriptor(&self->r, "add_to", kd, kd);
	put_spin(&self->r, &self->q, stop, alive, NULL);
	n++;
	/* There and back, and there: it is not what it was before them twice. */
	for (round = 0; round < 3; round++) {
		s[round] = rig_signal(&self->r, 1);
		descriptor(&self->r, round == 1 ? "add_to" : "store_word", kd, want);
		for (i = 0; i < 16; i++) {
			u32 was[16];

			descriptor(&self->r, round == 1 ? "store_word" : "add_to", kd, was);
			if (want[i] == was[i])
				continue;
			put_add_word(&self->r, &self->q, kd + i, want[i] - was[i]);
			n++;
		}
		put_described(&self->r, &self->q, kd, self->words + 64 * round, 7, s[round]);
		put_add(&self->r, &self->q, self->words + 256, 1, RIG_BARRIER_BIT, NULL);
		n += 2;
	}
	put_add(&self->r, &self->q, self->words + 256, 1, RIG_BARRIER_BIT, last);
	n++;
	ASSERT_LE(n, RIG_RING);
	for (i = 0; i < 192; i++)
		self->words[i] = 100;
	rig_ring(&self->q, at + n - 1);
	ASSERT_TRUE(rig_wait32(alive, 1, RIG_LONG));
	/* Whoever reads ahead shall have time to do so. */
	while (packets >= 0 && stats_sum("packets ") < packets + n && rig_ms() < end &&
	       rig_ms() + RIG_LONG - end < 500)
		usleep(1000);
	__atomic_store_n(stop, 1, __ATOMIC_RELEASE);
	ASSERT_TRUE(rig_wait(last, 0, RIG_LONG));
	EXPECT_EQ(s[0]->value, 0);
	EXPECT_EQ(s[1]->value, 0);
	EXPECT_EQ(s[2]->value, 0);
	EXPECT_LE(s[0]->end_ts, s[1]->start_ts);
	EXPECT_LE(s[1]->end_ts, s[2]->start_ts);
	/* store_word, and not add_to; then that, on each of its words */
	for (i = 0; i < 3; i += 2) {
		EXPECT_EQ(self->words[64 * i], 7);
		EXPECT_EQ(self->words[64 * i + 1], 100);
	}
	for (i = 0; i < 64; i++)
		EXPECT_EQ(self->words[64 + i], 107);
	/* What came behind it has run once. */
	EXPECT_EQ(self->words[256], 4);
	EXPECT_TRUE(wait_read(&self->q, at + n));
	if (is_submitted(self))
		EXPECT_EQ(stats_sum("stale_descriptors ") - stale, 2);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
}

/*
 * Where the node below has the word by which the GPU leaves out dispatches, of the process's first
 * queue: behind its four indirect buffers and the mark (kmod/backend/amdgpu/batch.h).
 */
static u64 go_va(struct rig *r)
{
	struct drm_amdgpu_info_device dev = {};
	struct drm_amdgpu_info info = {
		.return_pointer = (uintptr_t)&dev, .return_size = sizeof(dev),
		.query = AMDGPU_INFO_DEV_INFO,
	};

	return ioctl(r->drm, DRM_IOCTL_AMDGPU_INFO, &info) ? 0 :
	       dev.high_va_offset + 4 * 12288 + 8;
}

/* That word is within the reach of the client's code: it stops its own queues, as by a reset. */
TEST_F(gpu, who_makes_the_gpu_leave_out_dispatches_loses_its_queues)
{
	struct rig_signal *s = rig_signal(&self->r, 1);
	u64 at;

	if (!is_submitted(self))
		SKIP(return, "the GPU is not behind a render node, or has user queues");
	ASSERT_NE(go_va(&self->r), 0);
	ASSERT_TRUE(rig_wait(start(&self->r, &self->q, "store_word", go_va(&self->r), 0, 1, 1), 0,
			     RIG_LONG));
	self->words[0] = 0;
	at = self->q.amd->write_id;
	/* While that is in flight, what follows may be taken for one whose descriptor has changed. */
	ASSERT_TRUE(wait_read(&self->q, at));
	put_add(&self->r, &self->q, self->words, 1, RIG_BARRIER_BIT, s);
	rig_ring(&self->q, at);
	EXPECT_FALSE(rig_wait(s, 0, 500));
	EXPECT_EQ(self->words[0], 0);
	EXPECT_TRUE(other_process_works());
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
}

/* Files of DRM that a thread of the module (vkfd-...) has, and of this process; -1: no debugfs */
static int owners_of_files(int *ours)
{
	char line[256], name[32];
	int pid, threads = 0;
	glob_t found;
	size_t i;
	FILE *f;

	*ours = 0;
	if (glob("/sys/kernel/debug/dri/*/clients", 0, NULL, &found))
		return -1;
	for (i = 0; i < found.gl_pathc; i++) {
		f = fopen(found.gl_pathv[i], "r");
		while (f && fgets(line, sizeof(line), f)) {
			if (sscanf(line, "%31s %d", name, &pid) != 2)
				continue;
			*ours += pid == getpid();
			threads += !strncmp(name, "vkfd-", 5);
		}
		if (f)
			fclose(f);
	}
	globfree(&found);
	return threads;
}

/* Whose file it is, whoever calls on it: fdinfo and the tools that read it count by that. */
TEST_F(gpu, the_client_owns_its_file)
{
	struct rig_sdma sdma = { 0 };
	int ours;

	if (!is_submitted(self))
		SKIP(return, "the GPU is not behind a render node, or has user queues");
	ASSERT_EQ(owners_of_files(&ours), 0);
	EXPECT_GE(ours, 1);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
	EXPECT_EQ(owners_of_files(&ours), 0);
	EXPECT_GE(ours, 1);
	ASSERT_EQ(rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &sdma), 0);
	self->words[0] = 7;
	rig_sdma_copy(&sdma, self->words + 64, self->words, 4);
	EXPECT_TRUE(rig_wait32(sdma.fences, rig_sdma_submit(&sdma), RIG_LONG));
	EXPECT_EQ(self->words[64], 7);
	EXPECT_EQ(owners_of_files(&ours), 0);
	EXPECT_GE(ours, 1);
	EXPECT_EQ(rig_sdma_destroy(&self->r, &sdma), 0);
}

TEST_HARNESS_MAIN
