// SPDX-License-Identifier: MIT
/*
 * Faults on demand: each file of /sys/kernel/debug/kfd/0/inject makes happen what it says,
 * to those whom it would happen to on hardware, and to nobody else. A write that makes no
 * sense changes nothing.
 */
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <sys/ioctl.h>

#include "../../uapi/drm/amdgpu_drm.h"
#include "../kfd/file_util.h"
#include "queue_test.h"

#define INJECT	"/sys/kernel/debug/kfd/0/inject/"

static int inject(const char *file, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), INJECT "%s", file);
	return file_write(path, text);
}

/* Everything as it was before, whatever a test has left. */
static void heal(void)
{
	inject("alloc_fail", "0");
	inject("alloc_fail_after", "0");
	inject("alloc_delay_us", "0");
	inject("complete_delay_us", "0");
	inject("drop_interrupts", "0");
	inject("throttle", "none");
}

FIXTURE(inject) {
	struct rig r;
	struct rig_queue q;
	struct rig_mem data;
	volatile u32 *w;
	u32 hw, memory;
};

FIXTURE_SETUP(inject)
{
	u32 slot;

	heal();
	ASSERT_EQ(rig_open(&self->r), 0);
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	ASSERT_EQ(rig_anon(&self->r, 64 * RIG_PAGE, &self->data), 0);
	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_HW_EXCEPTION, &self->hw, &slot), 0);
	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &self->memory, &slot), 0);
	self->w = self->data.p;
}

FIXTURE_TEARDOWN(inject)
{
	heal();
	rig_close(&self->r);
}

/* A kernel that runs until word 0 is set, and says in word 1 that it runs. */
static struct rig_signal *start_endless(FIXTURE_DATA(inject) *self)
{
	struct rig_signal *s = start(&self->r, &self->q, "spin", (uintptr_t)&self->w[0],
				     (uintptr_t)&self->w[1], 1, 64);

	ASSERT_TRUE(rig_wait32(&self->w[1], 1, RIG_LONG));
	return s;
}

/* The queue executes nothing any more, and a new one works. */
static void expect_lost(FIXTURE_DATA(inject) *self, struct rig_signal *endless)
{
	struct rig_signal *s;
	struct rig_queue q;

	self->w[0] = 1;
	s = start_add(&self->r, &self->q, (u32 *)&self->w[64], 1, 1);
	EXPECT_FALSE(rig_wait(s, 0, 300));
	EXPECT_EQ(endless->value, 1);
	EXPECT_EQ(self->w[64], 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &q), 0);
	EXPECT_TRUE(queue_works(&self->r, &q, (u32 *)&self->w[128]));
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	EXPECT_EQ(rig_queue_destroy(&self->r, &q), 0);
}

/* A process that has the GPU open and whose queue has nothing to do. */
static pid_t start_bystander(int *ready, int *go)
{
	int up[2], down[2];
	pid_t pid;

	ASSERT_EQ(pipe(up), 0);
	ASSERT_EQ(pipe(down), 0);
	pid = fork();
	if (!pid) {
		struct rig_queue q;
		struct rig_mem m;
		struct rig r;
		u32 event, slot;
		int told = 0;
		char c = 0;

		close(up[0]);
		close(down[1]);
		if (rig_open(&r) || rig_load(&r) || rig_queue_create(&r, RIG_RING, &q) ||
		    rig_anon(&r, RIG_PAGE, &m) ||
		    rig_event(&r, KFD_IOC_EVENT_HW_EXCEPTION, &event, &slot) ||
		    write(up[1], &c, 1) != 1 || read(down[0], &c, 1) != 1)
			_exit(99);
		told = !rig_event_wait(&r, event, 0, NULL);
		_exit(told << 1 | queue_works(&r, &q, m.p));
	}
	close(up[1]);
	close(down[0]);
	*ready = up[0];
	*go = down[1];
	return pid;
}

/* Bit 1: it was told of a reset; bit 0: its queue works. */
static int end_bystander(pid_t pid, int go)
{
	int status;

	ASSERT_EQ(write(go, "", 1), 1);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_TRUE(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST_F(inject, reset_costs_everybody_the_queues)
{
	struct rig_signal *endless = start_endless(self);
	struct kfd_event_data d;
	int ready, go;
	pid_t pid = start_bystander(&ready, &go);
	char c;

	ASSERT_EQ(read(ready, &c, 1), 1);
	ASSERT_EQ(inject("reset", "hang\n"), 0);
	ASSERT_EQ(rig_event_wait(&self->r, self->hw, RIG_LONG, &d), 0);
	EXPECT_EQ(d.hw_exception_data.reset_type, KFD_HW_EXCEPTION_WHOLE_GPU_RESET);
	EXPECT_EQ(d.hw_exception_data.reset_cause, KFD_HW_EXCEPTION_GPU_HANG);
	EXPECT_EQ(d.hw_exception_data.memory_lost, 1);
	EXPECT_EQ(d.hw_exception_data.gpu_id, self->r.gpu_id);
	EXPECT_EQ(rig_event_wait(&self->r, self->memory, 0, NULL), -ETIME);
	expect_lost(self, endless);
	/* It had lost its queue before it could find out that it works. */
	close(go);
	ASSERT_EQ(waitpid(pid, NULL, 0), pid);
}

/* The lines of a reset: the cause comes with the first one. */
static void expect_told(int smi, const char *cause)
{
	unsigned int event[2], seq[2];
	char line[128] = "", want[128];

	ASSERT_TRUE(read(smi, line, sizeof(line) - 1) > 0);
	ASSERT_EQ(sscanf(line, "%x %x %*[^\n]%x %x", &event[0], &seq[0], &event[1], &seq[1]), 4);
	EXPECT_EQ(seq[1], seq[0]);
	snprintf(want, sizeof(want), "%x %x %s\n%x %x \n", KFD_SMI_EVENT_GPU_PRE_RESET, seq[0],
		 cause, KFD_SMI_EVENT_GPU_POST_RESET, seq[0]);
	EXPECT_STREQ(line, want);
}

TEST_F(inject, resets_are_events)
{
	struct kfd_ioctl_smi_events_args a = { .gpuid = self->r.gpu_id };
	u64 mask = KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_GPU_PRE_RESET) |
		   KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_GPU_POST_RESET);

	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_SMI_EVENTS, &a), 0);
	ASSERT_EQ(write(a.anon_fd, &mask, sizeof(mask)), (ssize_t)sizeof(mask));
	ASSERT_EQ(inject("reset", "hang"), 0);
	expect_told(a.anon_fd, "HWS hang");
	ASSERT_EQ(inject("reset", "ecc"), 0);
	expect_told(a.anon_fd, "RAS error");
}

TEST_F(inject, reset_is_told_to_who_does_nothing)
{
	struct rig_queue q;
	struct rig_mem m;
	struct rig r;
	u32 event, slot;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (rig_open(&r) || rig_queue_create(&r, RIG_RING, &q) || rig_anon(&r, RIG_PAGE, &m) ||
		    rig_event(&r, KFD_IOC_EVENT_HW_EXCEPTION, &event, &slot))
			_exit(99);
		_exit(inject("reset", "hang") || rig_event_wait(&r, event, RIG_LONG, NULL));
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(rig_event_wait(&self->r, self->hw, RIG_LONG, NULL), 0);
}

TEST_F(inject, reset_because_of_ecc)
{
	struct kfd_event_data d;

	ASSERT_EQ(inject("reset", "ecc"), 0);
	ASSERT_EQ(rig_event_wait(&self->r, self->hw, RIG_LONG, &d), 0);
	EXPECT_EQ(d.hw_exception_data.reset_cause, KFD_HW_EXCEPTION_ECC);
	ASSERT_EQ(rig_event_wait(&self->r, self->memory, RIG_LONG, &d), 0);
	EXPECT_EQ(d.memory_exception_data.ErrorType, KFD_MEM_ERR_SRAM_ECC);
	EXPECT_EQ(d.memory_exception_data.failure.imprecise, 1);
	EXPECT_EQ(d.memory_exception_data.gpu_id, self->r.gpu_id);
}

TEST_F(inject, reset_of_contexts)
{
	union drm_amdgpu_ctx c = { .in.op = AMDGPU_CTX_OP_ALLOC_CTX };
	u32 id, before = 0, after = 0;
	struct drm_amdgpu_info in = {
		.query = AMDGPU_INFO_VRAM_LOST_COUNTER, .return_size = sizeof(before),
		.return_pointer = (uintptr_t)&before,
	};

	ASSERT_EQ(ioctl(self->r.drm, DRM_IOCTL_AMDGPU_CTX, &c), 0);
	id = c.out.alloc.ctx_id;
	ASSERT_EQ(ioctl(self->r.drm, DRM_IOCTL_AMDGPU_INFO, &in), 0);
	ASSERT_EQ(inject("reset", "hang"), 0);
	in.return_pointer = (uintptr_t)&after;
	ASSERT_EQ(ioctl(self->r.drm, DRM_IOCTL_AMDGPU_INFO, &in), 0);
	EXPECT_EQ(after, before + 1);

	c = (union drm_amdgpu_ctx){ .in = { .op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = id } };
	ASSERT_EQ(ioctl(self->r.drm, DRM_IOCTL_AMDGPU_CTX, &c), 0);
	EXPECT_EQ(c.out.state.flags,
		  (u64)(AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_VRAMLOST));
	c = (union drm_amdgpu_ctx){ .in = { .op = AMDGPU_CTX_OP_QUERY_STATE, .ctx_id = id } };
	ASSERT_EQ(ioctl(self->r.drm, DRM_IOCTL_AMDGPU_CTX, &c), 0);
	EXPECT_EQ(c.out.state.reset_status, AMDGPU_CTX_UNKNOWN_RESET);
	c = (union drm_amdgpu_ctx){ .in = { .op = AMDGPU_CTX_OP_QUERY_STATE, .ctx_id = id } };
	ASSERT_EQ(ioctl(self->r.drm, DRM_IOCTL_AMDGPU_CTX, &c), 0);
	EXPECT_EQ(c.out.state.reset_status, AMDGPU_CTX_NO_RESET);
}

TEST_F(inject, poison_costs_one_process_the_queues)
{
	struct timespec limit = { .tv_sec = RIG_LONG / RIG_SECOND };
	struct rig_signal *endless;
	struct kfd_event_data d;
	sigset_t bus;
	char text[16], c;
	int ready, go;
	pid_t pid = start_bystander(&ready, &go);

	ASSERT_EQ(read(ready, &c, 1), 1);
	sigemptyset(&bus);
	sigaddset(&bus, SIGBUS);
	ASSERT_EQ(sigprocmask(SIG_BLOCK, &bus, NULL), 0);
	endless = start_endless(self);
	snprintf(text, sizeof(text), "%d\n", getpid());
	ASSERT_EQ(inject("poison", text), 0);
	EXPECT_EQ(sigtimedwait(&bus, NULL, &limit), SIGBUS);
	ASSERT_EQ(rig_event_wait(&self->r, self->hw, RIG_LONG, &d), 0);
	EXPECT_EQ(d.hw_exception_data.reset_cause, KFD_HW_EXCEPTION_ECC);
	ASSERT_EQ(rig_event_wait(&self->r, self->memory, RIG_LONG, &d), 0);
	EXPECT_EQ(d.memory_exception_data.ErrorType, KFD_MEM_ERR_POISON_CONSUMED);
	expect_lost(self, endless);
	EXPECT_EQ(end_bystander(pid, go), 1);
}

/* The lines "ue: N", "ce: N" of a counter. */
static long long ecc_count(struct rig *r, const char *kind)
{
	char path[128], text[128], *at;

	snprintf(path, sizeof(path), "/sys/class/drm/renderD%ld/device/ras/umc_err_count",
		 rig_property(r->gpu_id, "drm_render_minor"));
	if (file_read(path, text, sizeof(text)) < 0)
		return -1;
	at = strstr(text, kind);
	return at ? atoll(at + strlen(kind)) : -1;
}

TEST_F(inject, ecc_counts)
{
	union drm_amdgpu_ctx c = { .in.op = AMDGPU_CTX_OP_ALLOC_CTX };
	long long ce = ecc_count(&self->r, "ce: "), ue = ecc_count(&self->r, "ue: ");
	u32 id;

	if (ce < 0)
		SKIP(return, "no counters of memory errors");
	ASSERT_EQ(ioctl(self->r.drm, DRM_IOCTL_AMDGPU_CTX, &c), 0);
	id = c.out.alloc.ctx_id;
	ASSERT_EQ(inject("ecc", "umc ce 3\n"), 0);
	EXPECT_EQ(ecc_count(&self->r, "ce: "), ce + 3);
	EXPECT_EQ(ecc_count(&self->r, "ue: "), ue);
	ASSERT_EQ(inject("ecc", "umc ue"), 0);
	EXPECT_EQ(ecc_count(&self->r, "ue: "), ue + 1);
	c = (union drm_amdgpu_ctx){ .in = { .op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = id } };
	ASSERT_EQ(ioctl(self->r.drm, DRM_IOCTL_AMDGPU_CTX, &c), 0);
	EXPECT_EQ(c.out.state.flags,
		  (u64)(AMDGPU_CTX_QUERY2_FLAGS_RAS_CE | AMDGPU_CTX_QUERY2_FLAGS_RAS_UE));
	/* Memory that is bad and that nobody reads costs nobody anything. */
	EXPECT_TRUE(queue_works(&self->r, &self->q, (u32 *)self->w));
	EXPECT_EQ(rig_event_wait(&self->r, self->hw, 0, NULL), -ETIME);
}

/* The words that gpu_metrics has for throttling; all ones: that version has no such word. */
struct throttling {
	u32 status;
	u64 independent;
};

static struct throttling throttling(struct rig *r)
{
	struct throttling t = { ~0u, ~0ull };
	char path[128], m[256];
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/class/drm/renderD%ld/device/gpu_metrics",
		 rig_property(r->gpu_id, "drm_render_minor"));
	n = file_read(path, m, sizeof(m));
	/* Table 1.0 has 80 bytes, 1.3 has 120 (kgd_pp_interface.h). */
	if (n == 80) {
		memcpy(&t.status, m + 68, sizeof(t.status));
	} else if (n == 120) {
		memcpy(&t.status, m + 68, sizeof(t.status));
		memcpy(&t.independent, m + 112, sizeof(t.independent));
	}
	return t;
}

/* Of the edge, in thousandths of a degree; -1: this GPU has no such sensor. */
static long long edge(struct rig *r)
{
	long long value = -1;
	char path[128], text[32];
	glob_t g;

	snprintf(path, sizeof(path), "/sys/class/drm/renderD%ld/device/hwmon/hwmon*/temp1_input",
		 rig_property(r->gpu_id, "drm_render_minor"));
	if (!glob(path, 0, NULL, &g)) {
		if (file_read(g.gl_pathv[0], text, sizeof(text)) > 0)
			value = atoll(text);
		globfree(&g);
	}
	return value;
}

static int smi_open(struct rig *r, u64 mask)
{
	struct kfd_ioctl_smi_events_args a = { .gpuid = r->gpu_id };

	if (ioctl(r->kfd, AMDKFD_IOC_SMI_EVENTS, &a) ||
	    write(a.anon_fd, &mask, sizeof(mask)) != sizeof(mask))
		return -1;
	return a.anon_fd;
}

TEST_F(inject, throttling)
{
	int fd = smi_open(&self->r, KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_THERMAL_THROTTLE));
	unsigned long long mask, count;
	struct throttling t = throttling(&self->r);
	long long cool = edge(&self->r);
	char line[64];
	u32 event;
	ssize_t n;

	ASSERT_TRUE(fd >= 0);
	EXPECT_EQ(t.status, 0);
	ASSERT_EQ(inject("throttle", "gpu power\n"), 0);
	n = read(fd, line, sizeof(line) - 1);
	ASSERT_TRUE(n > 0);
	line[n] = '\0';
	ASSERT_EQ(sscanf(line, "%x %llx:%llx\n", &event, &mask, &count), 3);
	EXPECT_EQ(event, (u32)KFD_SMI_EVENT_THERMAL_THROTTLE);
	EXPECT_EQ(mask, 0x100000001ull);
	EXPECT_TRUE(count > 0);
	t = throttling(&self->r);
	EXPECT_EQ(__builtin_popcount(t.status), 2);
	EXPECT_TRUE(t.independent == 0x100000001ull || t.independent == ~0ull);
	/* Who is told of the edge alone, as by rocm-smi, sees that it is hot. */
	if (cool >= 0)
		EXPECT_TRUE(edge(&self->r) > 80000);
	/* The same again is no event, nor is its end. */
	ASSERT_EQ(inject("throttle", "power gpu"), 0);
	ASSERT_EQ(inject("throttle", "none"), 0);
	EXPECT_EQ(read(fd, line, sizeof(line)), -1);
	EXPECT_EQ(throttling(&self->r).status, 0);
}

/* A number of a line of ras/event_state; -1: there is no such file or line. */
static long long ras_event(struct rig *r, const char *format)
{
	char path[128], text[512], *line;
	long long n = -1;
	ssize_t got;

	snprintf(path, sizeof(path), "/sys/class/drm/renderD%ld/device/ras/event_state",
		 rig_property(r->gpu_id, "drm_render_minor"));
	got = file_read(path, text, sizeof(text) - 1);
	if (got <= 0)
		return -1;
	text[got] = 0;
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (sscanf(line, format, &n) == 1)
			return n;
	return -1;
}

#define FATAL	"Fatal Error: count:%lld"
#define CREATED	"Poison Creation: count:%lld"
#define SEQNO	"current seqno: %lld"

TEST_F(inject, events_of_bad_memory)
{
	long long fatal = ras_event(&self->r, FATAL), created = ras_event(&self->r, CREATED);
	long long seqno = ras_event(&self->r, SEQNO);

	if (fatal < 0)
		SKIP(return, "no ras/event_state");
	ASSERT_EQ(inject("ecc", "umc ue"), 0);
	ASSERT_EQ(inject("reset", "hang"), 0);
	EXPECT_EQ(ras_event(&self->r, SEQNO), seqno);
	ASSERT_EQ(inject("ecc", "umc de 2"), 0);
	EXPECT_EQ(ras_event(&self->r, CREATED), created + 1);
	ASSERT_EQ(inject("reset", "ecc"), 0);
	EXPECT_EQ(ras_event(&self->r, FATAL), fatal + 1);
	EXPECT_EQ(ras_event(&self->r, "Fatal Error: count:%*d, last_seqno:%lld"), seqno + 2);
	EXPECT_EQ(ras_event(&self->r, SEQNO), seqno + 2);
}

static int alloc_page(struct rig *r)
{
	struct rig_mem m;
	int err = rig_alloc(r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
			    RIG_PAGE, &m);

	if (!err)
		err = rig_unmap(r, &m);
	return err ?: rig_free(r, &m);
}

TEST_F(inject, the_third_allocation_fails)
{
	ASSERT_EQ(inject("alloc_fail_after", "2"), 0);
	ASSERT_EQ(inject("alloc_fail", "1"), 0);
	EXPECT_EQ(alloc_page(&self->r), 0);
	EXPECT_EQ(alloc_page(&self->r), 0);
	EXPECT_EQ(file_number(INJECT "alloc_fail"), 1);
	EXPECT_EQ(alloc_page(&self->r), -ENOMEM);
	EXPECT_EQ(alloc_page(&self->r), 0);
	EXPECT_EQ(file_number(INJECT "alloc_fail"), 0);
}

TEST_F(inject, allocations_take_longer)
{
	u64 start_ms = rig_ms();

	ASSERT_EQ(inject("alloc_delay_us", "200000"), 0);
	EXPECT_EQ(alloc_page(&self->r), 0);
	EXPECT_TRUE(rig_ms() - start_ms >= 200);
}

TEST_F(inject, completions_come_later)
{
	u64 start_ms = rig_ms();

	ASSERT_EQ(inject("complete_delay_us", "300000"), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, (u32 *)self->w));
	EXPECT_TRUE(rig_ms() - start_ms >= 300);
}

/* A kernel that does nothing, whose signal tells an event. */
static struct rig_signal *start_with_event(FIXTURE_DATA(inject) *self, u32 event, u32 slot)
{
	struct add_args a = { (uintptr_t)self->w, 1 };
	struct rig_signal *s = rig_signal(&self->r, 1);
	union rig_packet pk;
	struct rig_kernel k;

	s->mailbox = (uintptr_t)&self->r.event_page[slot];
	s->event_id = event;
	ASSERT_EQ(rig_kernel(&self->r, "add_to", &k), 0);
	rig_dispatch_packet(&pk, &k, 1, 64, rig_args(&self->r, &a, sizeof(a)), s);
	rig_submit(&self->q, &pk);
	return s;
}

TEST_F(inject, an_interrupt_gets_lost)
{
	u32 event, slot;

	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_SIGNAL, &event, &slot), 0);
	EXPECT_TRUE(rig_wait(start_with_event(self, event, slot), 0, RIG_LONG));
	EXPECT_EQ(rig_event_wait(&self->r, event, RIG_LONG, NULL), 0);
	ASSERT_EQ(inject("drop_interrupts", "1"), 0);
	EXPECT_TRUE(rig_wait(start_with_event(self, event, slot), 0, RIG_LONG));
	EXPECT_EQ(rig_event_wait(&self->r, event, 300, NULL), -ETIME);
	EXPECT_EQ(file_number(INJECT "drop_interrupts"), 0);
	EXPECT_TRUE(rig_wait(start_with_event(self, event, slot), 0, RIG_LONG));
	EXPECT_EQ(rig_event_wait(&self->r, event, RIG_LONG, NULL), 0);
}

TEST_F(inject, nonsense_changes_nothing)
{
	static const struct {
		const char *file, *text;
		int err;
	} rows[] = {
		{ "reset", "", EINVAL }, { "reset", "now", EINVAL }, { "reset", "hang ecc", EINVAL },
		{ "poison", "", EINVAL }, { "poison", "x", EINVAL }, { "poison", "-1", ESRCH },
		{ "poison", "0", ESRCH }, { "poison", "1", ESRCH },
		{ "ecc", "umc", EINVAL }, { "ecc", "umc xe", EINVAL }, { "ecc", "foo ce", EINVAL },
		{ "ecc", "umc ce 0", EINVAL }, { "ecc", "umc ce 1 2", EINVAL },
		{ "ecc", "umc ce -1", EINVAL }, { "ecc", "umc ce 99999999999", EINVAL },
		{ "throttle", "", EINVAL }, { "throttle", "hot", EINVAL },
		{ "throttle", "gpu none", EINVAL },
		{ "alloc_fail", "-1", EINVAL }, { "alloc_fail", "1000001", EINVAL },
		{ "alloc_delay_us", "1000001", EINVAL }, { "alloc_delay_us", "x", EINVAL },
		{ "complete_delay_us", "18446744073709551615", EINVAL },
		{ "drop_interrupts", "4294967297", EINVAL },
		{ "reset", "0123456789012345678901234567890123456789012345678901234567890123456789",
		  EINVAL },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (inject(rows[i].file, rows[i].text) != rows[i].err) {
			TH_LOG("%s: \"%s\"", rows[i].file, rows[i].text);
			EXPECT_TRUE(false);
		}
	EXPECT_TRUE(queue_works(&self->r, &self->q, (u32 *)self->w));
	EXPECT_EQ(rig_event_wait(&self->r, self->hw, 0, NULL), -ETIME);
}

TEST_HARNESS_MAIN
