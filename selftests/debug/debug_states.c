// SPDX-License-Identifier: MIT
/*
 * A process that ends while its GPU is in each state: killed, by exit or exec,
 * with its files closed or its memory unmapped before, with a child that lives
 * on. Each time nothing of it is left, nobody else notices, and the module cannot
 * be unloaded as long as it lives.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "../kfd/kfd_util.h"
#include "../queue/queue_test.h"
#include "../queue/rig_sdma.h"

#define COUNTERS	"/sys/kernel/debug/kfd/counters"
#define MISSING_BYTES	(16 * RIG_PAGE)
#define EVENTS		2u

struct victim {
	struct rig r;
	struct rig_queue q, other;
	struct rig_sdma sdma;
	struct rig_mem data, area;
	u32 *words;
	u32 event[EVENTS];
	void *missing;		/* nobody fills it */
	size_t missing_bytes;
	int stay;		/* readable when children may end */
};

/* ------------------------------------------------------------------- states */

static void open_gpu(struct victim *v)
{
	if (rig_open(&v->r) || rig_load(&v->r) || rig_anon(&v->r, 64 * RIG_PAGE, &v->data))
		_exit(1);
	v->words = v->data.p;
}

static void make_queue(struct victim *v)
{
	if (rig_queue_create(&v->r, RIG_RING, &v->q))
		_exit(1);
}

static void running(struct victim *v)
{
	open_gpu(v);
	make_queue(v);
	if (rig_queue_create(&v->r, RIG_RING, &v->other))
		_exit(1);
	start(&v->r, &v->q, "spin", (uintptr_t)v->words, (uintptr_t)&v->words[1], 4, 64);
	start(&v->r, &v->other, "spin_sleep", (uintptr_t)v->words, (uintptr_t)&v->words[2], 4, 64);
	if (!rig_wait32(&v->words[1], 1, RIG_LONG) || !rig_wait32(&v->words[2], 1, RIG_LONG))
		_exit(1);
}

static void keep_waves(struct victim *v)
{
	u32 *out = v->words + 1024;

	start(&v->r, &v->q, "keep", (uintptr_t)v->words, (uintptr_t)out, 2, 128);
	if (!rig_wait32(&out[0], 1, RIG_LONG) || !rig_wait32(&out[128], 1, RIG_LONG))
		_exit(1);
}

static void waves_saved(struct victim *v)
{
	struct kfd_ioctl_get_queue_wave_state_args a = { 0 };

	open_gpu(v);
	if (rig_area(&v->r, &v->area))
		_exit(1);
	make_queue(v);
	keep_waves(v);
	if (rig_queue_update(&v->r, &v->q, 0))
		_exit(1);
	a.queue_id = v->q.id;
	a.ctl_stack_address = v->r.save_area;
	if (rig_ioctl(&v->r, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &a) || !a.ctl_stack_used_size)
		_exit(1);
}

/* Kernels of every kind of end on a queue, and what the process is told of it. */
static void stop_queue(struct victim *v, const char *how)
{
	struct kfd_event_data d;
	u32 slot;

	open_gpu(v);
	make_queue(v);
	if (rig_event(&v->r, KFD_IOC_EVENT_HW_EXCEPTION, &v->event[0], &slot))
		_exit(1);
	start(&v->r, &v->q, how, (uintptr_t)v->words, 0, 4, 64);
	if (!rig_wait32(&v->words[0], 1, RIG_LONG))
		_exit(1);
	rig_event_wait(&v->r, v->event[0], 100, &d);
}

static void stopped_by_trap(struct victim *v)
{
	stop_queue(v, "abort_trap");
}

static void stopped_by_illegal_code(struct victim *v)
{
	stop_queue(v, "illegal");
}

/* A thread that sleeps until one of the events comes, and then again. */
static void *wait_for_ever(void *arg)
{
	struct victim *v = arg;

	for (;;) {
		struct kfd_event_data d[EVENTS] = {
			{ .event_id = v->event[0], .signal_event_data.last_event_age = 1 },
			{ .event_id = v->event[1] },
		};
		struct kfd_ioctl_wait_events_args a = {
			.events_ptr = (uintptr_t)d, .num_events = EVENTS, .timeout = ~0u,
			.wait_for_all = d[0].signal_event_data.last_event_age & 1,
		};

		if (rig_ioctl(&v->r, AMDKFD_IOC_WAIT_EVENTS, &a))
			return NULL;
	}
}

static void in_background(struct victim *v, void *(*fn)(void *arg))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, v))
		_exit(1);
	usleep(20000);
}

/* With exceptions told by the save area's header, which come while it sleeps. */
static void waits_for_exceptions(struct victim *v)
{
	struct kfd_ioctl_runtime_enable_args e = {
		.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK |
			     KFD_RUNTIME_ENABLE_MODE_TTMP_SAVE_MASK,
	};
	struct kfd_context_save_area_header *h;
	u32 slot;

	open_gpu(v);
	if (rig_ioctl(&v->r, AMDKFD_IOC_RUNTIME_ENABLE, &e) ||
	    rig_event(&v->r, KFD_IOC_EVENT_SIGNAL, &v->event[0], &slot) ||
	    rig_event(&v->r, KFD_IOC_EVENT_MEMORY, &v->event[1], &slot) ||
	    rig_area(&v->r, &v->area))
		_exit(1);
	h = v->area.p;
	h->err_payload_addr = (uintptr_t)&v->words[512];
	h->err_event_id = v->event[0];
	make_queue(v);
	in_background(v, wait_for_ever);
	start(&v->r, &v->q, "abort_trap", (uintptr_t)v->words, 0, 1, 64);
	if (!rig_wait32(&v->words[512], 1, RIG_LONG))
		_exit(1);
}

static void *anon(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		_exit(1);
	return p;
}

/* Many ranges, and a kernel that walks over some of them for ever. */
static void svm_ranges(struct victim *v)
{
	struct {
		u64 p;
		u32 n, pad;
		u64 alive;
	} a = { .n = 16 * 1024 };
	union rig_packet pk;
	struct rig_kernel k;
	char *p = anon(64 * RIG_PAGE);
	unsigned int i;

	open_gpu(v);
	make_queue(v);
	if (rig_svm_set(&v->r, p, 32 * RIG_PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, v->r.gpu_id))
		_exit(1);
	for (i = 0; i < 64; i += 2)
		if (rig_svm_set(&v->r, p + i * RIG_PAGE, RIG_PAGE,
				KFD_IOCTL_SVM_ATTR_GRANULARITY, i / 8))
			_exit(1);
	v->missing = p;
	v->missing_bytes = 64 * RIG_PAGE;
	a.p = (uintptr_t)p;
	a.alive = (uintptr_t)v->words;
	if (rig_kernel(&v->r, "fill_for_ever", &k))
		_exit(1);
	rig_dispatch_packet(&pk, &k, 1, 64, rig_args(&v->r, &a, sizeof(a)), NULL);
	rig_submit(&v->q, &pk);
	usleep(20000);
}

/* Memory that faults into a userfaultfd that nobody serves. */
static int missing(struct victim *v, size_t bytes)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, 0);

	v->missing = anon(bytes);
	v->missing_bytes = bytes;
	reg.range.start = (uintptr_t)v->missing;
	reg.range.len = bytes;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &reg))
		_exit(1);
	return fd;
}

static void await_fault(int fd)
{
	struct uffd_msg msg;

	if (read(fd, &msg, sizeof(msg)) != sizeof(msg))
		_exit(1);
}

static void show_missing(struct victim *v)
{
	struct rig_mem m;

	if (rig_userptr(&v->r, v->missing, v->missing_bytes, &m))
		_exit(1);
}

static void wave_in_a_fault(struct victim *v)
{
	int fd;

	open_gpu(v);
	make_queue(v);
	fd = missing(v, MISSING_BYTES);
	show_missing(v);
	start(&v->r, &v->q, "store_word", (uintptr_t)v->missing, 42, 4, 64);
	await_fault(fd);
}

static void wave_in_an_svm_fault(struct victim *v)
{
	int fd;

	open_gpu(v);
	make_queue(v);
	fd = missing(v, MISSING_BYTES);
	if (rig_svm_set(&v->r, v->missing, MISSING_BYTES, KFD_IOCTL_SVM_ATTR_ACCESS, v->r.gpu_id))
		_exit(1);
	start(&v->r, &v->q, "store_word", (uintptr_t)v->missing, 42, 4, 64);
	await_fault(fd);
}

static void copy_in_a_fault(struct victim *v)
{
	int fd;

	open_gpu(v);
	fd = missing(v, MISSING_BYTES);
	show_missing(v);
	if (rig_sdma_create(&v->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &v->sdma))
		_exit(1);
	rig_sdma_copy(&v->sdma, v->words, v->missing, 2 * RIG_PAGE);
	rig_sdma_submit(&v->sdma);
	await_fault(fd);
}

static void *take_off(void *arg)
{
	struct victim *v = arg;

	rig_queue_update(&v->r, &v->q, 0);
	return NULL;
}

/* The area is missing memory: who takes the queue off the GPU waits for it. */
static void save_in_a_fault(struct victim *v)
{
	size_t bytes;
	int fd;

	open_gpu(v);
	if (rig_area_size(&v->r, &bytes))
		_exit(1);
	fd = missing(v, bytes);
	show_missing(v);
	v->r.save_area = (uintptr_t)v->missing;
	make_queue(v);
	start(&v->r, &v->q, "keep", (uintptr_t)v->words, (uintptr_t)(v->words + 1024), 1, 64);
	if (!rig_wait32(v->words + 1024, 1, RIG_LONG))
		_exit(1);
	in_background(v, take_off);
	await_fault(fd);
}

/* Buffers and events that others could have, and who listens. */
static void shared(struct victim *v)
{
	struct kfd_ioctl_smi_events_args s = { 0 };
	struct kfd_ioctl_export_dmabuf_args x = { 0 };
	struct rig_mem m;

	running(v);
	s.gpuid = v->r.gpu_id;
	if (rig_ioctl(&v->r, AMDKFD_IOC_SMI_EVENTS, &s) ||
	    rig_alloc(&v->r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC, RIG_PAGE,
		      &m))
		_exit(1);
	x.handle = m.handle;
	if (rig_ioctl(&v->r, AMDKFD_IOC_EXPORT_DMABUF, &x))
		_exit(1);
	memset(m.p, 1, RIG_PAGE);
}

/* --------------------------------------------------------------------- ends */

static void by_kill(struct victim *v)
{
	(void)v;
	kill(getpid(), SIGKILL);
}

static void by_exit(struct victim *v)
{
	(void)v;
	_exit(0);
}

static void by_exec(struct victim *v)
{
	(void)v;
	execl("/bin/true", "true", (char *)NULL);
	_exit(1);
}

static void by_close_and_exit(struct victim *v)
{
	(void)v;
	close_range(3, ~0u, 0);
	_exit(0);
}

/* Everything that the GPU uses, under its hands. */
static void by_munmap(struct victim *v)
{
	const struct rig_mem *m[] = {
		&v->data, &v->q.ring_mem, &v->q.amd_mem, &v->r.signals, &v->r.args, &v->area,
		&v->r.code,
	};
	unsigned int i;

	if (v->missing)
		munmap(v->missing, v->missing_bytes);
	for (i = 0; i < sizeof(m) / sizeof(m[0]); i++)
		if (m[i]->p)
			munmap(m[i]->p, m[i]->bytes);
	usleep(20000);
	_exit(0);
}

/* A child that has all of its files and memory, and stays. */
static void leave_a_child(struct victim *v)
{
	char c;

	if (fork())
		return;
	if (v->data.p)
		v->words[0] = 1;
	if (read(v->stay, &c, 1))
		_exit(1);
	_exit(0);
}

static void by_kill_with_a_child(struct victim *v)
{
	leave_a_child(v);
	kill(getpid(), SIGKILL);
}

/* Nobody can tell from the files of the GPU that the process ends. */
static void by_close_with_a_child(struct victim *v)
{
	leave_a_child(v);
	close_range(3, ~0u, 0);
	kill(getpid(), SIGKILL);
}

static void (*const ends[])(struct victim *v) = {
	by_kill, by_exit, by_exec, by_close_and_exit, by_munmap, by_kill_with_a_child,
	by_close_with_a_child,
};

static const char * const end_names[] = {
	"kill", "exit", "exec", "close and exit", "munmap", "kill with a child",
	"close with a child",
};

/* -------------------------------------------------------------------- tests */

static bool objects_are(long long want)
{
	u64 end = rig_ms() + RIG_LONG * th_slow();

	while (prop_get(COUNTERS, "bo_count") != want) {
		if (rig_ms() > end)
			return false;
		usleep(10000);
	}
	return true;
}

static pid_t start_victim(void (*into)(struct victim *v), unsigned int end, int ready, int go,
			  const int stay[2])
{
	pid_t pid = fork();
	struct victim v = { .stay = stay[0] };
	char c;

	if (pid)
		return pid;
	close(stay[1]);
	into(&v);
	if (write(ready, "x", 1) != 1 || read(go, &c, 1) != 1)
		_exit(1);
	ends[end](&v);
	_exit(1);
}

static void one_end(void (*into)(struct victim *v), unsigned int end)
{
	long long bos = prop_get(COUNTERS, "bo_count");
	int ready[2], go[2], stay[2], status;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe2(stay, O_CLOEXEC));
	/* A child ends when nobody can write any more: its parent's copy goes first */
	pid = start_victim(into, end, ready[1], go[0], stay);
	ASSERT_LT(0, pid);
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &c, 1)) {
		TH_LOG("the victim did not get there");
	}
	EXPECT_EQ(-1, syscall(SYS_delete_module, "vkfd", O_NONBLOCK));
	EXPECT_EQ(EWOULDBLOCK, errno);
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) || !WEXITSTATUS(status));
	EXPECT_TRUE(gone_from_kfd(pid, RIG_LONG * th_slow())) {
		TH_LOG("it is still there after: %s", end_names[end]);
	}
	EXPECT_TRUE(other_process_works());
	close(stay[1]);
	EXPECT_TRUE(objects_are(bos)) {
		TH_LOG("objects are left after: %s", end_names[end]);
	}
	close(stay[0]);
	close(ready[0]);
	close(go[0]);
	close(go[1]);
}

static void each_end(void (*into)(struct victim *v))
{
	unsigned int i;

	alarm(60 * th_slow());
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		one_end(into, i);
}

#define STATE(_name) \
	TEST(_name) \
	{ \
		each_end(_name); \
	}

#define FAULT_STATE(_name) \
	TEST(_name) \
	{ \
		int fd = syscall(SYS_userfaultfd, O_CLOEXEC); \
	\
		ASSERT_EQ(0, access("/dev/kfd", R_OK | W_OK)); \
		if (fd < 0) \
			SKIP(return, "no userfaultfd"); \
		close(fd); \
		each_end(_name); \
	}

STATE(running)
STATE(waves_saved)
STATE(stopped_by_trap)
STATE(stopped_by_illegal_code)
STATE(waits_for_exceptions)
STATE(svm_ranges)
STATE(shared)
FAULT_STATE(wave_in_a_fault)
FAULT_STATE(wave_in_an_svm_fault)
FAULT_STATE(copy_in_a_fault)
FAULT_STATE(save_in_a_fault)

TEST_HARNESS_MAIN
