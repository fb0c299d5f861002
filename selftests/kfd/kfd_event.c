// SPDX-License-Identifier: MIT
/* Events: ids, set and reset, waiting for any and all, the signal page. */
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

#include "kfd_util.h"

#define SLOTS		4096
#define FOREVER		0xffffffffu
#define FIRST_OTHER	0x40000000u

FIXTURE(ev) {
	int fd;
};

FIXTURE_SETUP(ev)
{
	self->fd = kfd_open();
}

FIXTURE_TEARDOWN(ev)
{
	close(self->fd);
}

static uint32_t create(int fd, uint32_t type, bool auto_reset)
{
	struct kfd_ioctl_create_event_args c = { .event_type = type, .auto_reset = auto_reset };

	ASSERT_IOCTL(0, fd, AMDKFD_IOC_CREATE_EVENT, &c);
	ASSERT_EQ(c.event_id, c.event_trigger_data);
	return c.event_id;
}

static int simple(int fd, unsigned long cmd, uint32_t id)
{
	struct kfd_ioctl_set_event_args a = { .event_id = id };

	return kfd_err(fd, cmd, &a);
}

static int set(int fd, uint32_t id)
{
	return simple(fd, AMDKFD_IOC_SET_EVENT, id);
}

/* The wait result; *err the errno. */
static uint32_t wait_on(int fd, const uint32_t *ids, uint32_t n, bool all, uint32_t ms, int *err)
{
	struct kfd_event_data data[8] = { 0 };
	struct kfd_ioctl_wait_events_args w = {
		.events_ptr = (uintptr_t)data, .num_events = n, .wait_for_all = all,
		.timeout = ms,
	};
	uint32_t i;

	for (i = 0; i < n; i++)
		data[i].event_id = ids[i];
	*err = kfd_err(fd, AMDKFD_IOC_WAIT_EVENTS, &w);
	return w.wait_result;
}

#define EXPECT_WAIT(_result, _errno, _fd, _ids, _n, _all, _ms) \
	do { \
		int w_err; \
		EXPECT_EQ((uint32_t)(_result), wait_on(_fd, _ids, _n, _all, _ms, &w_err)); \
		EXPECT_EQ(_errno, w_err); \
	} while (0)
#define COMPLETE	KFD_IOC_WAIT_RESULT_COMPLETE
#define TIMEOUT		KFD_IOC_WAIT_RESULT_TIMEOUT
#define FAILED		KFD_IOC_WAIT_RESULT_FAIL

TEST_F(ev, ids)
{
	struct kfd_ioctl_create_event_args c = { .event_type = KFD_IOC_EVENT_SIGNAL };

	ASSERT_IOCTL(0, self->fd, AMDKFD_IOC_CREATE_EVENT, &c);
	EXPECT_EQ(1u, c.event_id);
	EXPECT_EQ(1u, c.event_slot_index);
	EXPECT_EQ(KFD_MMAP_TYPE_EVENTS, c.event_page_offset);
	EXPECT_EQ(2u, create(self->fd, KFD_IOC_EVENT_DEBUG_EVENT, false));
	EXPECT_EQ(0, simple(self->fd, AMDKFD_IOC_DESTROY_EVENT, 1));
	EXPECT_EQ(1u, create(self->fd, KFD_IOC_EVENT_SIGNAL, false));
	EXPECT_EQ(FIRST_OTHER, create(self->fd, KFD_IOC_EVENT_MEMORY, false));
	EXPECT_EQ(FIRST_OTHER + 1, create(self->fd, KFD_IOC_EVENT_HW_EXCEPTION, false));
	EXPECT_EQ(FIRST_OTHER + 2, create(self->fd, 1234, false));
}

TEST_F(ev, destroy_bad)
{
	EXPECT_EQ(EINVAL, simple(self->fd, AMDKFD_IOC_DESTROY_EVENT, 0));
	EXPECT_EQ(EINVAL, simple(self->fd, AMDKFD_IOC_DESTROY_EVENT, 7));
	EXPECT_EQ(EINVAL, simple(self->fd, AMDKFD_IOC_DESTROY_EVENT, 0xffffffff));
	EXPECT_EQ(EINVAL, set(self->fd, 7));
	EXPECT_EQ(EINVAL, simple(self->fd, AMDKFD_IOC_RESET_EVENT, 7));
}

TEST_F(ev, only_signals_are_set_by_the_cpu)
{
	uint32_t mem = create(self->fd, KFD_IOC_EVENT_MEMORY, false);
	uint32_t dbg = create(self->fd, KFD_IOC_EVENT_DEBUG_EVENT, false);

	EXPECT_EQ(EINVAL, set(self->fd, mem));
	EXPECT_EQ(EINVAL, simple(self->fd, AMDKFD_IOC_RESET_EVENT, mem));
	EXPECT_EQ(EINVAL, set(self->fd, dbg));
}

TEST_F(ev, set_stays_until_reset)
{
	uint32_t id = create(self->fd, KFD_IOC_EVENT_SIGNAL, false);

	EXPECT_WAIT(TIMEOUT, 0, self->fd, &id, 1, false, 0);
	EXPECT_EQ(0, set(self->fd, id));
	EXPECT_WAIT(COMPLETE, 0, self->fd, &id, 1, false, 0);
	EXPECT_WAIT(COMPLETE, 0, self->fd, &id, 1, true, FOREVER);
	EXPECT_EQ(0, simple(self->fd, AMDKFD_IOC_RESET_EVENT, id));
	EXPECT_WAIT(TIMEOUT, 0, self->fd, &id, 1, false, 0);
}

TEST_F(ev, auto_reset_is_taken_once)
{
	uint32_t id = create(self->fd, KFD_IOC_EVENT_SIGNAL, true);

	EXPECT_EQ(0, set(self->fd, id));
	EXPECT_WAIT(COMPLETE, 0, self->fd, &id, 1, false, 0);
	EXPECT_WAIT(TIMEOUT, 0, self->fd, &id, 1, false, 0);
}

TEST_F(ev, any_and_all)
{
	uint32_t ids[2] = { create(self->fd, KFD_IOC_EVENT_SIGNAL, false),
			    create(self->fd, KFD_IOC_EVENT_SIGNAL, false) };

	EXPECT_EQ(0, set(self->fd, ids[1]));
	EXPECT_WAIT(COMPLETE, 0, self->fd, ids, 2, false, 0);
	EXPECT_WAIT(TIMEOUT, 0, self->fd, ids, 2, true, 20);
	EXPECT_EQ(0, set(self->fd, ids[0]));
	EXPECT_WAIT(COMPLETE, 0, self->fd, ids, 2, true, 20);
}

TEST_F(ev, bad_id_consumes_nothing)
{
	uint32_t ids[2] = { create(self->fd, KFD_IOC_EVENT_SIGNAL, true), 999 };

	EXPECT_EQ(0, set(self->fd, ids[0]));
	EXPECT_WAIT(FAILED, EINVAL, self->fd, ids, 2, false, 0);
	EXPECT_WAIT(COMPLETE, 0, self->fd, ids, 1, false, 0);
}

TEST_F(ev, wait_bad)
{
	struct kfd_ioctl_wait_events_args w = { .num_events = 4097, .events_ptr = BAD_PTR };

	EXPECT_IOCTL(ENOMEM, self->fd, AMDKFD_IOC_WAIT_EVENTS, &w);
	w.num_events = 0xffffffff;
	EXPECT_IOCTL(ENOMEM, self->fd, AMDKFD_IOC_WAIT_EVENTS, &w);
	w.num_events = 1;
	EXPECT_IOCTL(EFAULT, self->fd, AMDKFD_IOC_WAIT_EVENTS, &w);
	w.num_events = 0;
	EXPECT_IOCTL(0, self->fd, AMDKFD_IOC_WAIT_EVENTS, &w);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

TEST_F(ev, timeout_lasts)
{
	uint32_t id = create(self->fd, KFD_IOC_EVENT_SIGNAL, false);
	uint64_t start = now_ms();

	/* It is counted in jiffies, which lag behind the clock where ticks come late. */
	EXPECT_WAIT(TIMEOUT, 0, self->fd, &id, 1, false, 200);
	EXPECT_LE(100ull, now_ms() - start);
}

struct later {
	int fd;
	uint32_t id;
	unsigned long cmd;
};

static void *do_later(void *arg)
{
	struct later *l = arg;

	usleep(100000);
	simple(l->fd, l->cmd, l->id);
	return NULL;
}

static void start_later(struct later *l)
{
	pthread_t t;

	ASSERT_EQ(0, pthread_create(&t, NULL, do_later, l));
}

TEST_F(ev, set_wakes)
{
	struct later l = { self->fd, create(self->fd, KFD_IOC_EVENT_SIGNAL, true),
			   AMDKFD_IOC_SET_EVENT };

	start_later(&l);
	EXPECT_WAIT(COMPLETE, 0, self->fd, &l.id, 1, false, FOREVER);
	/* The waiter took it. */
	EXPECT_WAIT(TIMEOUT, 0, self->fd, &l.id, 1, false, 0);
}

TEST_F(ev, destroy_fails_the_waiter)
{
	struct later l = { self->fd, create(self->fd, KFD_IOC_EVENT_SIGNAL, false),
			   AMDKFD_IOC_DESTROY_EVENT };

	start_later(&l);
	EXPECT_WAIT(FAILED, EIO, self->fd, &l.id, 1, false, FOREVER);
}

/* The first event is taken when the call begins, and gone before it ends. */
TEST_F(ev, destroy_fails_the_taker)
{
	struct later l = { self->fd, create(self->fd, KFD_IOC_EVENT_SIGNAL, true),
			   AMDKFD_IOC_DESTROY_EVENT };
	uint32_t ids[] = { l.id, create(self->fd, KFD_IOC_EVENT_SIGNAL, true) };

	EXPECT_EQ(0, set(self->fd, ids[0]));
	start_later(&l);
	EXPECT_WAIT(FAILED, EIO, self->fd, ids, 2, true, 10000);
	EXPECT_EQ(EINVAL, set(self->fd, ids[0]));
	EXPECT_EQ(0, set(self->fd, ids[1]));
}

/* A signal event tells nothing, so nothing is written to its element. */
TEST_F(ev, signals_write_no_data)
{
	struct kfd_event_data *data = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kfd_ioctl_wait_events_args w = {
		.events_ptr = (uintptr_t)data, .num_events = 1,
	};

	ASSERT_NE(MAP_FAILED, data);
	data->event_id = create(self->fd, KFD_IOC_EVENT_SIGNAL, false);
	EXPECT_EQ(0, set(self->fd, data->event_id));
	ASSERT_EQ(0, mprotect(data, PAGE, PROT_READ));
	EXPECT_IOCTL(0, self->fd, AMDKFD_IOC_WAIT_EVENTS, &w);
	EXPECT_EQ((uint32_t)COMPLETE, w.wait_result);
}

struct waiter {
	int fd;
	uint32_t id, result;
	pid_t tid;
};

static void *wait_thread(void *arg)
{
	struct waiter *w = arg;
	int err;

	__atomic_store_n(&w->tid, syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	w->result = wait_on(w->fd, &w->id, 1, false, TH_TIMEOUT_S * 500 * th_slow(), &err);
	return NULL;
}

/* It sleeps, and there is nothing but its call in which it could. */
static bool sleeps(struct waiter *w)
{
	uint64_t end = now_ms() + TH_TIMEOUT_S * 500 * th_slow();
	char path[64], state = 0;
	FILE *f;

	do {
		usleep(10000);
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat",
			 (int)__atomic_load_n(&w->tid, __ATOMIC_SEQ_CST));
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 0;
		fclose(f);
	} while (state != 'S' && now_ms() < end);
	return state == 'S';
}

TEST_F(ev, auto_reset_wakes_all_waiters)
{
	uint32_t id = create(self->fd, KFD_IOC_EVENT_SIGNAL, true);
	struct waiter w[4];
	pthread_t t[4];
	int i;

	for (i = 0; i < 4; i++) {
		w[i] = (struct waiter) { self->fd, id, 99, 0 };
		ASSERT_EQ(0, pthread_create(&t[i], NULL, wait_thread, &w[i]));
	}
	for (i = 0; i < 4; i++)
		ASSERT_TRUE(sleeps(&w[i]));
	EXPECT_EQ(0, set(self->fd, id));
	for (i = 0; i < 4; i++) {
		pthread_join(t[i], NULL);
		EXPECT_EQ((uint32_t)COMPLETE, w[i].result);
	}
}

static void *wait_4096_times(void *arg)
{
	struct kfd_event_data *data = calloc(4096, sizeof(*data));
	const uint32_t *a = arg;
	struct kfd_ioctl_wait_events_args w = {
		.events_ptr = (uintptr_t)data, .num_events = 4096, .timeout = 20000,
	};
	int i, err;

	for (i = 0; i < 4096; i++)
		data[i].event_id = a[1];
	/* Who looks whether there is room for one more takes that room for a moment */
	while ((err = kfd_err(a[0], AMDKFD_IOC_WAIT_EVENTS, &w)) == ENOMEM)
		usleep(1000);
	free(data);
	return (void *)(intptr_t)err;
}

TEST_F(ev, waiters_of_an_event_have_an_end)
{
	uint32_t id = create(self->fd, KFD_IOC_EVENT_SIGNAL, false);
	uint32_t other = create(self->fd, KFD_IOC_EVENT_SIGNAL, false);
	uint32_t arg[2] = { self->fd, id }, both[2] = { other, id };
	uint64_t end = now_ms() + 20000 * th_slow();
	int err = 0;
	pthread_t t;
	void *ret;

	ASSERT_EQ(0, pthread_create(&t, NULL, wait_4096_times, arg));
	/* Until it waits */
	do {
		usleep(10000);
		wait_on(self->fd, both, 2, false, 0, &err);
	} while (!err && now_ms() < end);
	EXPECT_EQ(ENOMEM, err);
	/* Nothing of the refused call is left on the other event */
	EXPECT_WAIT(TIMEOUT, 0, self->fd, &other, 1, false, 0);
	EXPECT_EQ(0, set(self->fd, id));
	ASSERT_EQ(0, pthread_join(t, &ret));
	EXPECT_EQ(NULL, ret);
	EXPECT_WAIT(COMPLETE, 0, self->fd, both, 2, false, 0);
}

/* And those of a process: one interrupt may have to look at all of them. */
TEST_F(ev, waiters_of_a_process_have_an_end)
{
	enum { THREADS = 16 };	/* with 4096 each */
	uint32_t arg[THREADS][2], other = create(self->fd, KFD_IOC_EVENT_SIGNAL, false);
	uint64_t end = now_ms() + 20000 * th_slow();
	pthread_t t[THREADS];
	int i, err = 0;
	void *ret;

	for (i = 0; i < THREADS; i++) {
		arg[i][0] = self->fd;
		arg[i][1] = create(self->fd, KFD_IOC_EVENT_SIGNAL, false);
		ASSERT_EQ(0, pthread_create(&t[i], NULL, wait_4096_times, arg[i]));
	}
	/* Until all of them wait */
	do {
		usleep(10000);
		wait_on(self->fd, &other, 1, false, 0, &err);
	} while (!err && now_ms() < end);
	EXPECT_EQ(ENOMEM, err);
	for (i = 0; i < THREADS; i++)
		EXPECT_EQ(0, set(self->fd, arg[i][1]));
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_join(t[i], &ret));
		EXPECT_EQ(NULL, ret);
	}
	EXPECT_WAIT(TIMEOUT, 0, self->fd, &other, 1, false, 0);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* And every 50 ms from then on: the first may come before the call that it is for. */
static timer_t alarm_in_50ms(bool restart)
{
	struct sigaction sa = { .sa_handler = on_alarm, .sa_flags = restart ? SA_RESTART : 0 };
	timer_t timer;
	struct sigevent se = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec at = {
		.it_value.tv_nsec = 50000000, .it_interval.tv_nsec = 50000000,
	};

	sigaction(SIGUSR1, &sa, NULL);
	ASSERT_EQ(0, timer_create(CLOCK_MONOTONIC, &se, &timer));
	ASSERT_EQ(0, timer_settime(timer, 0, &at, NULL));
	return timer;
}

TEST_F(ev, signal_interrupts)
{
	uint32_t id = create(self->fd, KFD_IOC_EVENT_SIGNAL, false);

	alarm_in_50ms(false);
	EXPECT_WAIT(FAILED, EINTR, self->fd, &id, 1, false, FOREVER);
}

TEST_F(ev, restarted_wait_keeps_its_deadline)
{
	uint32_t id = create(self->fd, KFD_IOC_EVENT_SIGNAL, false);
	uint64_t start = now_ms();

	alarm_in_50ms(true);
	EXPECT_WAIT(TIMEOUT, 0, self->fd, &id, 1, false, 400);
	EXPECT_LE(300ull, now_ms() - start);
	/* A wait without a deadline would have none. */
	EXPECT_GT(TH_TIMEOUT_S * 500ull * th_slow(), now_ms() - start);
}

/* An auto-reset event taken by a call that is then restarted must not be lost. */
TEST_F(ev, restart_gives_back)
{
	uint32_t ids[2] = { create(self->fd, KFD_IOC_EVENT_SIGNAL, true),
			    create(self->fd, KFD_IOC_EVENT_SIGNAL, false) };

	timer_t timer;

	EXPECT_EQ(0, set(self->fd, ids[0]));
	timer = alarm_in_50ms(true);
	EXPECT_WAIT(TIMEOUT, 0, self->fd, ids, 2, true, 200);
	timer_delete(timer);
	EXPECT_EQ(0, set(self->fd, ids[0]));
	timer = alarm_in_50ms(false);
	EXPECT_WAIT(FAILED, EINTR, self->fd, ids, 2, true, FOREVER);
	timer_delete(timer);
	EXPECT_WAIT(COMPLETE, 0, self->fd, ids, 1, true, 0);
}

TEST_F(ev, kernel_page)
{
	uint64_t *slots;
	size_t bytes = SLOTS * 8;

	/* Nothing to map before the first event. */
	EXPECT_EQ(MAP_FAILED, mmap(NULL, bytes, PROT_READ, MAP_SHARED, self->fd,
				   (off_t)KFD_MMAP_TYPE_EVENTS));
	create(self->fd, KFD_IOC_EVENT_SIGNAL, false);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * bytes, PROT_READ, MAP_SHARED, self->fd,
				   (off_t)KFD_MMAP_TYPE_EVENTS));
	slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
		     (off_t)KFD_MMAP_TYPE_EVENTS);
	ASSERT_NE(MAP_FAILED, (void *)slots);
	EXPECT_EQ(~0ull, slots[0]);
	EXPECT_EQ(~0ull, slots[SLOTS - 1]);
}

static int create_until_full(int fd, uint32_t *made)
{
	struct kfd_ioctl_create_event_args c;
	int err;

	for (*made = 0; *made <= SLOTS; (*made)++) {
		c = (struct kfd_ioctl_create_event_args) { .event_type = KFD_IOC_EVENT_SIGNAL };
		err = kfd_err(fd, AMDKFD_IOC_CREATE_EVENT, &c);
		if (err)
			return err;
	}
	return 0;
}

TEST_F(ev, unmapped_page_has_few_slots)
{
	uint32_t made;

	EXPECT_EQ(ENOSPC, create_until_full(self->fd, &made));
	EXPECT_EQ(255u, made);
}

/* Wait for @id, knowing *@age; the wait result. */
static uint32_t wait_aged(int fd, uint32_t id, uint64_t *age, uint32_t ms)
{
	struct kfd_event_data data = { .event_id = id };
	struct kfd_ioctl_wait_events_args w = {
		.events_ptr = (uintptr_t)&data, .num_events = 1, .timeout = ms,
	};

	data.signal_event_data.last_event_age = *age;
	EXPECT_IOCTL(0, fd, AMDKFD_IOC_WAIT_EVENTS, &w);
	*age = data.signal_event_data.last_event_age;
	return w.wait_result;
}

TEST_F(ev, age_counts_what_was_missed)
{
	uint32_t id = create(self->fd, KFD_IOC_EVENT_SIGNAL, true), other[] = { id };
	uint64_t age = 1;

	EXPECT_EQ(TIMEOUT, wait_aged(self->fd, id, &age, 0));
	EXPECT_EQ(1u, age);
	EXPECT_EQ(0, set(self->fd, id));
	EXPECT_EQ(COMPLETE, wait_aged(self->fd, id, &age, 0));
	EXPECT_EQ(2u, age);
	EXPECT_EQ(TIMEOUT, wait_aged(self->fd, id, &age, 0));
	/* Set twice and consumed by somebody else: still news. */
	EXPECT_EQ(0, set(self->fd, id));
	EXPECT_EQ(0, set(self->fd, id));
	EXPECT_WAIT(COMPLETE, 0, self->fd, other, 1, false, 0);
	EXPECT_EQ(COMPLETE, wait_aged(self->fd, id, &age, FOREVER));
	EXPECT_EQ(4u, age);
	EXPECT_EQ(TIMEOUT, wait_aged(self->fd, id, &age, 0));
}

TEST_F(ev, no_age_is_asked_for_with_0)
{
	uint32_t id = create(self->fd, KFD_IOC_EVENT_SIGNAL, true);
	uint64_t age = 0;

	EXPECT_EQ(0, set(self->fd, id));
	EXPECT_EQ(COMPLETE, wait_aged(self->fd, id, &age, 0));
	EXPECT_EQ(0u, age);
	EXPECT_EQ(TIMEOUT, wait_aged(self->fd, id, &age, 50));
	EXPECT_EQ(0u, age);
}

FIXTURE(page) {
	struct gpu g;
	struct mem m;
	uint64_t *slots;
};

FIXTURE_SETUP(page)
{
	gpu_open(&self->g);
	self->m = mem_alloc(&self->g, GTT | HOST, SLOTS * 8);
	self->slots = mem_mmap(&self->g, &self->m);
	ASSERT_NE(MAP_FAILED, (void *)self->slots);
}

FIXTURE_TEARDOWN(page)
{
	close(self->g.drm);
	close(self->g.kfd);
}

static int create_with_page(const struct gpu *g, uint64_t handle)
{
	struct kfd_ioctl_create_event_args c = {
		.event_type = KFD_IOC_EVENT_SIGNAL, .event_page_offset = handle,
	};

	return kfd_err(g->kfd, AMDKFD_IOC_CREATE_EVENT, &c);
}

TEST_F(page, user_page)
{
	uint32_t made;

	EXPECT_EQ(0, create_with_page(&self->g, self->m.handle));
	EXPECT_EQ(~0ull, self->slots[0]);
	EXPECT_EQ(~0ull, self->slots[SLOTS - 1]);
	EXPECT_EQ(EPERM, mem_free(&self->g, self->m.handle));
	/* There is one already. */
	EXPECT_EQ(EINVAL, create_with_page(&self->g, self->m.handle));
	EXPECT_EQ(ENOSPC, create_until_full(self->g.kfd, &made));
	EXPECT_EQ(SLOTS - 2u, made);
	/* It is the render node's to map. */
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SLOTS * 8, PROT_READ, MAP_SHARED, self->g.kfd,
				   (off_t)KFD_MMAP_TYPE_EVENTS));
}

TEST_F(page, user_page_bad)
{
	struct mem small = mem_alloc(&self->g, GTT | HOST, SLOTS * 8 - PAGE);
	char *p = mmap(NULL, SLOTS * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mem user;

	ASSERT_EQ(0, mem_alloc_at(&self->g, USERPTR | RW, p, SLOTS * 8, (uintptr_t)p, &user));
	EXPECT_EQ(EINVAL, create_with_page(&self->g, small.handle));
	EXPECT_EQ(EINVAL, create_with_page(&self->g, user.handle));
	EXPECT_EQ(EINVAL, create_with_page(&self->g, (uint64_t)self->g.id << 32 | 99));
	EXPECT_EQ(EINVAL, create_with_page(&self->g, (uint64_t)BAD_GPU << 32));
	EXPECT_EQ(0, create_with_page(&self->g, self->m.handle));
}

TEST_HARNESS_MAIN
