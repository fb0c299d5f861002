// SPDX-License-Identifier: MIT
/*
 * Queues that are evicted, as when the machine suspends: off the GPU whatever they
 * wait for, and none the worse for it when they are restored. User space, which
 * would be frozen, looks on: a debugfs file does what the suspend of a GPU does.
 *
 * Then the kernel's own suspend, for which GPUs are the first devices to go to sleep.
 * It is broken off there, because the rest of a guest does not survive it: whoever
 * waits for the event of the eviction with EPOLLWAKEUP is a source of wake-ups.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>

#include "../drm/cs_util.h"
#include "queue_test.h"

#define EVICT		"/sys/kernel/debug/kfd/0/suspend"
#define SECOND		"/sys/kernel/debug/kfd/1/suspend"
#define HANG_LIMIT	"/sys/module/vkfd/parameters/hang_ms"
#define EVENTS		(KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_QUEUE_EVICTION) | \
			 KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_QUEUE_RESTORE))
#define COPY_BYTES	(4u << 20)
#define COPIES		16u

static int write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static int read_from(const char *path, char *text, size_t bytes)
{
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, bytes - 1);
	close(fd);
	text[n < 0 ? 0 : n] = 0;
	return n < 0 ? -errno : 0;
}

static int evict(void)
{
	return write_to(EVICT, "1");
}

static int restore(void)
{
	return write_to(EVICT, "0");
}

static void at_exit(void)
{
	restore();
	write_to(SECOND, "0");
	write_to(HANG_LIMIT, "10000");
}

FIXTURE(evict) {
	struct rig r;
	struct rig_queue q;
	struct rig_sdma sdma;
	struct rig_mem data;
	volatile u32 *w;
	int smi;
};

FIXTURE_SETUP(evict)
{
	struct kfd_ioctl_smi_events_args a = { 0 };
	u64 mask = EVENTS;

	restore();
	atexit(at_exit);
	ASSERT_EQ(rig_open(&self->r), 0);
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	ASSERT_EQ(rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &self->sdma), 0);
	ASSERT_EQ(rig_anon(&self->r, 16 * RIG_PAGE, &self->data), 0);
	self->w = self->data.p;
	a.gpuid = self->r.gpu_id;
	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_SMI_EVENTS, &a), 0);
	self->smi = a.anon_fd;
	ASSERT_EQ(write(self->smi, &mask, sizeof(mask)), (ssize_t)sizeof(mask));
}

FIXTURE_TEARDOWN(evict)
{
	restore();
	rig_close(&self->r);
}

static bool stays(const volatile u32 *p)
{
	u32 seen = *p;

	usleep(100000);
	return *p == seen;
}

static bool grows(const volatile u32 *p)
{
	return rig_wait32(p, *p + 1, RIG_LONG);
}

/* One line, exactly; its time in ns. */
static long long expect_event(FIXTURE_DATA(evict) *self, unsigned int event)
{
	char text[128] = "", want[128];
	long long ns = 0;
	size_t i = 0;

	while (i < sizeof(text) - 1 && read(self->smi, &text[i], 1) == 1 && text[i++] != '\n')
		;
	sscanf(text, "%*x %lld", &ns);
	snprintf(want, sizeof(want), "%x %lld -%d %x %d\n", event, ns, getpid(), self->r.gpu_id,
		 event == KFD_SMI_EVENT_QUEUE_EVICTION ? KFD_QUEUE_EVICTION_TRIGGER_SUSPEND : 0);
	EXPECT_STREQ(want, text);
	return ns;
}

static long long evicted_ms(FIXTURE_DATA(evict) *self)
{
	char path[96], text[32];

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/stats_%u/evicted_ms", getpid(),
		 self->r.gpu_id);
	return read_from(path, text, sizeof(text)) ? -1 : atoll(text);
}

/* "spin" or the like on w[0], w[1] */
static struct rig_signal *start_spin(FIXTURE_DATA(evict) *self, const char *name)
{
	struct rig_signal *s = start(&self->r, &self->q, name, (uintptr_t)&self->w[0],
				     (uintptr_t)&self->w[1], 2, 64);

	return rig_wait32(&self->w[1], 1, RIG_LONG) ? s : NULL;
}

TEST_F(evict, a_kernel_stands_still)
{
	struct rig_signal *s = start_spin(self, "spin"), *behind;
	u32 *p = (u32 *)self->data.p + 1024;
	long long from, to;
	u64 ms = rig_ms();

	ASSERT_NE(s, NULL);
	EXPECT_EQ(evicted_ms(self), 0);
	ASSERT_EQ(evict(), 0);
	from = expect_event(self, KFD_SMI_EVENT_QUEUE_EVICTION);
	self->w[0] = 1;
	behind = start_add(&self->r, &self->q, p, 1, 1);
	EXPECT_TRUE(stays(&self->w[1]));
	EXPECT_EQ(s->value, 1);
	EXPECT_EQ(p[0], 0);
	EXPECT_EQ(evicted_ms(self), 0);
	ASSERT_EQ(evict(), 0);			/* it is */
	self->w[0] = 0;
	ASSERT_EQ(restore(), 0);
	to = expect_event(self, KFD_SMI_EVENT_QUEUE_RESTORE);
	ms = rig_ms() - ms + 1;
	EXPECT_GE(evicted_ms(self), 100);
	EXPECT_LE(evicted_ms(self), (long long)ms);
	EXPECT_LE(to - from, (long long)ms * 1000000);
	EXPECT_TRUE(grows(&self->w[1]));
	self->w[0] = 1;
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_TRUE(rig_wait(behind, 0, RIG_LONG));
	EXPECT_EQ(read(self->smi, &ms, sizeof(ms)), -1);
}

/* Registers and LDS of all waves, and what a trap handler would not save. */
TEST_F(evict, waves_go_on_where_they_were)
{
	u32 *out = (u32 *)self->data.p + 1024, i;
	struct rig_signal *s;

	s = start(&self->r, &self->q, "keep", (uintptr_t)self->w, (uintptr_t)out, 8, 128);
	for (i = 0; i < 8 * 128; i += 64)
		ASSERT_TRUE(rig_wait32(&out[i], 1, RIG_LONG));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(evict(), 0);
		if (i == 19)
			self->w[0] = 1;
		usleep(5000);
		EXPECT_EQ(s->value, 1);
		ASSERT_EQ(restore(), 0);
		usleep(i * 1000);
	}
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	for (i = 0; i < 8 * 128; i++)
		ASSERT_EQ(out[i], 0x10000 + i + (i % 128) * 3 + 1);
}

/* What a packet waits for comes while the queue is off: nobody looks. */
TEST_F(evict, packets_wait_on)
{
	struct rig_signal *dep = rig_signal(&self->r, 1), *s = rig_signal(&self->r, 1);
	union rig_packet pk = { .barrier = { .header = RIG_BARRIER_AND | RIG_SCOPES,
					     .dep = { (uintptr_t)dep },
					     .signal = (uintptr_t)s } };
	struct pm4_queue pm4;
	u32 fence;

	ASSERT_EQ(pm4_create(&self->r, PM4_RING, 7, &pm4), 0);
	rig_submit(&self->q, &pk);
	SDMA_PUT(&self->sdma, SDMA_POLL_EQ, VA(&self->w[0]), 1, ~0u, SDMA_POLL_FOREVER);
	fence = rig_sdma_submit(&self->sdma);
	PM4_SUBMIT(&pm4, PM4_WAIT(&self->w[1], 1), PM4_WRITE(&self->w[2], 1));
	usleep(50000);
	ASSERT_EQ(evict(), 0);
	dep->value = 0;
	self->w[0] = self->w[1] = 1;
	usleep(100000);
	EXPECT_EQ(s->value, 1);
	EXPECT_EQ(*self->sdma.fences, 0);
	EXPECT_EQ(self->w[2], 0);
	ASSERT_EQ(restore(), 0);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_TRUE(rig_sdma_wait(&self->sdma, fence, RIG_LONG));
	EXPECT_TRUE(rig_wait32(&self->w[2], 1, RIG_LONG));
}

TEST_F(evict, a_copy_goes_on)
{
	struct rig_mem src, dst;
	u32 fence = 0, i, k, on = 0;

	/* More if a host that does other things let each of them end before. */
	ASSERT_EQ(rig_anon(&self->r, COPY_BYTES, &src), 0);
	ASSERT_EQ(rig_anon(&self->r, COPY_BYTES, &dst), 0);
	for (i = 0; i < COPY_BYTES / 4; i++)
		((u32 *)src.p)[i] = i * 2654435761u | 1;
	for (i = 0; i < COPIES || (!on && i < 20 * COPIES); i++) {
		for (k = 0; k < 4; k++)
			rig_sdma_copy(&self->sdma, dst.p, src.p, COPY_BYTES);
		fence = rig_sdma_submit(&self->sdma);
		usleep(i % COPIES * 200);
		ASSERT_EQ(evict(), 0);
		if (*self->sdma.fences != fence) {
			u32 n = 0, seen = *self->sdma.fences;

			on++;
			memset(dst.p, 0, COPY_BYTES);
			usleep(20000);
			for (k = 0; k < COPY_BYTES / 4; k++)
				n += ((u32 *)dst.p)[k] != 0;
			EXPECT_EQ(n, 0);
			EXPECT_EQ(*self->sdma.fences, seen);
			rig_sdma_copy(&self->sdma, dst.p, src.p, COPY_BYTES);
			fence = rig_sdma_submit(&self->sdma);
		}
		ASSERT_EQ(restore(), 0);
		ASSERT_TRUE(rig_sdma_wait(&self->sdma, fence, RIG_LONG));
		ASSERT_EQ(memcmp(src.p, dst.p, COPY_BYTES), 0);
	}
	printf("# evicted within %u of %u copies\n", on, i);
	EXPECT_GT(on, 0);
}

/* What is done to queues that are off shows when they are back. */
TEST_F(evict, queues_are_made_changed_and_destroyed)
{
	u32 *p = (u32 *)self->data.p + 1024;
	struct rig_queue fresh, gone;
	struct rig_signal *s[4];

	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &gone), 0);
	s[3] = start(&self->r, &gone, "spin", (uintptr_t)&self->w[4], (uintptr_t)&self->w[5], 2, 64);
	ASSERT_TRUE(rig_wait32(&self->w[5], 1, RIG_LONG));
	ASSERT_EQ(evict(), 0);
	EXPECT_EQ(rig_queue_destroy(&self->r, &gone), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &fresh), 0);
	s[0] = start_add(&self->r, &fresh, p, 1, 1);
	s[1] = start_add(&self->r, &self->q, p + 64, 2, 1);
	EXPECT_EQ(rig_queue_update(&self->r, &self->q, 0), 0);
	usleep(100000);
	EXPECT_EQ(p[0] + p[64], 0);
	ASSERT_EQ(restore(), 0);
	EXPECT_TRUE(rig_wait(s[0], 0, RIG_LONG));
	EXPECT_EQ(p[0], 1);
	EXPECT_FALSE(rig_wait(s[1], 0, 100));
	ASSERT_EQ(evict(), 0);
	EXPECT_EQ(rig_queue_update(&self->r, &self->q, 100), 0);
	EXPECT_FALSE(rig_wait(s[1], 0, 100));
	ASSERT_EQ(restore(), 0);
	EXPECT_TRUE(rig_wait(s[1], 0, RIG_LONG));
	EXPECT_EQ(p[64], 2);
	EXPECT_EQ(s[3]->value, 1);
	EXPECT_TRUE(queue_works(&self->r, &fresh, p));
}

TEST_F(evict, nobody_new)
{
	int fd;

	ASSERT_EQ(evict(), 0);
	fd = open("/dev/kfd", O_RDWR);
	EXPECT_EQ(-1, fd);
	EXPECT_EQ(EAGAIN, errno);
	ASSERT_EQ(restore(), 0);
	EXPECT_TRUE(other_process_works());
}

/* Half a packet is a hang, but not while nobody looks at it. */
TEST_F(evict, it_is_no_hang)
{
	const u32 half[] = { SDMA_WRITE, VA(&self->w[0]) };
	unsigned int ms = 2500 * th_slow();	/* more than a busy host keeps us waiting */
	u32 event, slot, fence;
	char text[16];

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_HW_EXCEPTION, &event, &slot), 0);
	snprintf(text, sizeof(text), "%u", ms);
	ASSERT_EQ(write_to(HANG_LIMIT, text), 0);
	rig_sdma_put(&self->sdma, half, 3);
	rig_sdma_ring(&self->sdma);
	usleep(20000);
	ASSERT_EQ(evict(), 0);
	usleep(1200 * ms);
	EXPECT_EQ(rig_event_wait(&self->r, event, 0, NULL), -ETIME);
	ASSERT_EQ(restore(), 0);
	usleep(50000);
	SDMA_PUT(&self->sdma, 0, 77);
	fence = rig_sdma_submit(&self->sdma);
	EXPECT_TRUE(rig_sdma_wait(&self->sdma, fence, RIG_LONG));
	EXPECT_EQ(self->w[0], 77);
	EXPECT_EQ(rig_event_wait(&self->r, event, 0, NULL), -ETIME);
}

struct waiter {
	struct rig *r;
	u32 event;
	volatile int ret;
};

static void *wait_for_event(void *arg)
{
	struct waiter *w = arg;

	w->ret = rig_event_wait(w->r, w->event, RIG_LONG, NULL);
	return NULL;
}

TEST_F(evict, a_wait_goes_on)
{
	struct waiter w = { .r = &self->r, .ret = 1 };
	struct rig_signal *s;
	pthread_t t;
	u32 slot;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_SIGNAL, &w.event, &slot), 0);
	s = start_spin(self, "spin_sleep");
	ASSERT_NE(s, NULL);
	s->mailbox = (uintptr_t)&self->r.event_page[slot];
	s->event_id = w.event;
	ASSERT_EQ(pthread_create(&t, NULL, wait_for_event, &w), 0);
	ASSERT_EQ(evict(), 0);
	self->w[0] = 1;
	usleep(200000);
	EXPECT_EQ(w.ret, 1);
	ASSERT_EQ(restore(), 0);
	ASSERT_EQ(pthread_join(t, NULL), 0);
	EXPECT_EQ(w.ret, 0);
	EXPECT_EQ(s->value, 0);
}

static void spin_for_ever(int ready)
{
	struct rig_queue q;
	struct rig_mem m;
	struct rig r;

	if (rig_open(&r) || rig_load(&r) || rig_anon(&r, RIG_PAGE, &m) ||
	    rig_queue_create(&r, RIG_RING, &q))
		_exit(1);
	start(&r, &q, "spin", (uintptr_t)m.p, (uintptr_t)m.p + 64, 4, 64);
	if (!rig_wait32((u32 *)m.p + 16, 1, RIG_LONG) || write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static pid_t spinning_child(void)
{
	int fds[2];
	char c;
	pid_t pid;

	if (pipe(fds))
		return -1;
	pid = fork();
	if (!pid)
		spin_for_ever(fds[1]);
	close(fds[1]);
	if (read(fds[0], &c, 1) != 1)
		pid = -1;
	close(fds[0]);
	return pid;
}

/* The first GPU that sleeps takes all queues along, the last that wakes brings them back. */
TEST_F(evict, several_gpus)
{
	struct rig_signal *s = start_spin(self, "spin");

	ASSERT_NE(s, NULL);
	if (access(SECOND, W_OK))
		SKIP(return, "one GPU");
	ASSERT_EQ(write_to(SECOND, "1"), 0);
	EXPECT_TRUE(stays(&self->w[1]));
	ASSERT_EQ(evict(), 0);
	ASSERT_EQ(write_to(SECOND, "0"), 0);
	EXPECT_TRUE(stays(&self->w[1]));
	EXPECT_EQ(-1, open("/dev/kfd", O_RDWR));
	ASSERT_EQ(restore(), 0);
	EXPECT_TRUE(grows(&self->w[1]));
	self->w[0] = 1;
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	expect_event(self, KFD_SMI_EVENT_QUEUE_EVICTION);
	expect_event(self, KFD_SMI_EVENT_QUEUE_RESTORE);
}

/* A process that dies in it gives back what it had, at once. */
TEST_F(evict, killed)
{
	char path[64];
	int status, i;
	pid_t pid;

	for (i = 0; i < 3; i++) {
		pid = spinning_child();
		ASSERT_LT(0, pid);
		snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d", pid);
		ASSERT_EQ(access(path, F_OK), 0);
		ASSERT_EQ(evict(), 0);
		if (i == 2)
			ASSERT_EQ(restore(), 0);
		ASSERT_EQ(kill(pid, SIGKILL), 0);
		ASSERT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT_EQ(access(path, F_OK), -1);
		ASSERT_EQ(restore(), 0);
		EXPECT_TRUE(queue_works(&self->r, &self->q, (u32 *)self->data.p + 1024));
	}
	EXPECT_TRUE(other_process_works());
}

/* --------------------------------------------------------- the kernel's own */

/* Any event of @fd keeps the machine awake, now and later. */
static int wake_by(int fd)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLWAKEUP };
	int ep = epoll_create1(0);

	return ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev) ? -errno : ep;
}

/* To @state, until the eviction wakes the machine; what that said. */
static int sleep_until_evicted(FIXTURE_DATA(evict) *self, const char *state)
{
	char text[128], count[32];
	int ep, ret;

	if (read_from("/sys/power/state", text, sizeof(text)) || !strstr(text, state) ||
	    read_from("/sys/power/wakeup_count", count, sizeof(count)))
		SKIP(return 0, "this kernel does not sleep so");
	/* One device after the other, ours first */
	ret = write_to("/sys/power/pm_async", "0");
	ep = wake_by(self->smi);
	ASSERT_LE(0, ep);
	if (!ret)
		ret = write_to("/sys/power/wakeup_count", count);
	if (!ret)
		ret = write_to("/sys/power/state", state);
	write_to("/sys/power/pm_async", "1");
	close(ep);
	return ret;
}

static void sleeps(FIXTURE_DATA(evict) *self, const char *state)
{
	u32 *p = (u32 *)self->data.p + 1024;
	struct rig_signal *s = start_spin(self, "spin");
	char text[256] = "", want[256];
	long long from = 0, to = 0;
	u64 begin = rig_ms();

	/* To make room for an image of the memory takes a slow machine most of a minute. */
	alarm(10 * TH_TIMEOUT_S * th_slow());
	ASSERT_NE(s, NULL);
	EXPECT_EQ(sleep_until_evicted(self, state), -EBUSY);
	/* The queues are put back after the event that says so, and are evicted until then. */
	EXPECT_LE(evicted_ms(self), (long long)(rig_ms() - begin) + 1);
	ASSERT_LT(0, read(self->smi, text, sizeof(text) - 1));
	sscanf(text, "%*x %lld -%*d %*x %*d\n%*x %lld", &from, &to);
	snprintf(want, sizeof(want), "9 %lld -%d %x 3\na %lld -%d %x 0\n", from, getpid(),
		 self->r.gpu_id, to, getpid(), self->r.gpu_id);
	EXPECT_STREQ(want, text);
	printf("# evicted for %lld us\n", (to - from) / 1000);
	EXPECT_TRUE(grows(&self->w[1]));
	self->w[0] = 1;
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_TRUE(queue_works(&self->r, &self->q, p));
	EXPECT_TRUE(other_process_works());
}

TEST_F(evict, the_machine_suspends)
{
	sleeps(self, "freeze");
}

/* Jobs of the render node end by then, or as those that hang. */
TEST_F(evict, a_job_does_not_keep_the_machine_awake)
{
	uint32_t ctx[2];
	char text[128] = "";
	struct cs_file f;
	u64 seq[2];

	cs_open(&f);
	ctx[0] = f.ctx;
	seq[0] = cs_block(&f, AMDGPU_HW_IP_COMPUTE, 0, f.w);
	EXPECT_TRUE(cs_busy(&f, AMDGPU_HW_IP_COMPUTE, 0, seq[0]));
	ctx[1] = f.ctx = cs_new_ctx(f.fd);
	seq[1] = cs_block(&f, AMDGPU_HW_IP_DMA, 0, f.w);
	EXPECT_TRUE(cs_busy(&f, AMDGPU_HW_IP_DMA, 0, seq[1]));
	ASSERT_EQ(write_to(HANG_LIMIT, "1000"), 0);
	EXPECT_EQ(sleep_until_evicted(self, "freeze"), -EBUSY);
	/* It came as far as the GPUs. */
	EXPECT_LT(0, read(self->smi, text, sizeof(text) - 1));
	EXPECT_EQ('9', text[0]);
	EXPECT_EQ(ETIME, cs_wait(&f, AMDGPU_HW_IP_DMA, 0, seq[1]));
	f.ctx = ctx[0];
	EXPECT_EQ(ETIME, cs_wait(&f, AMDGPU_HW_IP_COMPUTE, 0, seq[0]));
	/* Whoever comes later is not in a hurry. */
	ASSERT_EQ(write_to(HANG_LIMIT, "10000"), 0);
	f.ctx = cs_new_ctx(f.fd);
	seq[0] = cs_block(&f, AMDGPU_HW_IP_COMPUTE, 0, f.w);
	EXPECT_TRUE(cs_busy(&f, AMDGPU_HW_IP_COMPUTE, 0, seq[0]));
	f.w[0] = 1;
	EXPECT_EQ(0, cs_wait(&f, AMDGPU_HW_IP_COMPUTE, 0, seq[0]));
	cs_close(&f);
}

/* There is no thaw of ours: the end of all wakes the GPU. */
TEST_F(evict, the_machine_hibernates)
{
	sleeps(self, "disk");
}

TEST_HARNESS_MAIN
