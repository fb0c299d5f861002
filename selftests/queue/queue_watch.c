// SPDX-License-Identifier: MIT
/* What others see of queues: tracepoints, what has run, vkfd-top. */
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "queue_test.h"
#include "rig_pm4.h"
#include "rig_sdma.h"

#define TRACEFS		"/sys/kernel/tracing"
#define INSTANCE	TRACEFS "/instances/vkfd-test"
#define TEXT_BYTES	(1 << 20)

static bool put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fputs(text, f) >= 0;

	return f && !fclose(f) && ok;
}

static char *slurp(FILE *f)
{
	char *text = malloc(TEXT_BYTES);
	size_t n;

	ASSERT_NE(NULL, (void *)f);
	ASSERT_NE(NULL, (void *)text);
	n = fread(text, 1, TEXT_BYTES - 1, f);
	text[n] = 0;
	return text;
}

/* A buffer of our own, in which only vkfd's events are. */
static bool trace_begin(void)
{
	if (access(TRACEFS "/trace", F_OK))
		mount("tracefs", TRACEFS, "tracefs", 0, NULL);
	rmdir(INSTANCE);
	if (mkdir(INSTANCE, 0700))
		return false;
	if (put(INSTANCE "/events/vkfd/enable", "1"))
		return true;
	rmdir(INSTANCE);
	return false;
}

static char *trace_text(void)
{
	FILE *f = fopen(INSTANCE "/trace", "r");
	char *text = slurp(f);

	fclose(f);
	return text;
}

/* Number after @key in the first line with @event and @part; -1 if there is none. */
static long long field(const char *text, const char *event, const char *part, const char *key)
{
	const char *end;
	char line[512];

	for (; (end = strchr(text, '\n')); text = end + 1) {
		const char *at;

		snprintf(line, sizeof(line), "%.*s", (int)(end - text), text);
		if (!strstr(line, event) || !strstr(line, part))
			continue;
		at = strstr(line, key);
		return at ? strtoll(at + strlen(key), NULL, 0) : -1;
	}
	return -1;
}

/*
 * The trace, once it has both events of @mine, or when that can come no more: memory and
 * signals say what has been done before the trace does.
 */
static char *trace_end(const char *event, const char *mine, const char *event2, const char *mine2)
{
	u64 end = rig_ms() + NEVER_MS;
	char *text;

	for (;;) {
		text = trace_text();
		if (rig_ms() > end || (field(text, event, mine, "queue=") >= 0 &&
				       field(text, event2, mine2, "queue=") >= 0))
			break;
		free(text);
		usleep(20000);
	}
	ASSERT_TRUE(put(INSTANCE "/events/vkfd/enable", "0"));
	rmdir(INSTANCE);
	return text;
}

TEST_F(gpu, a_dispatch_in_the_trace)
{
	char mine[64], *text;
	struct rig_kernel k;

	if (!trace_begin())
		SKIP(return, "no tracefs with vkfd's events");
	ASSERT_EQ(rig_kernel(&self->r, "add_to", &k), 0);
	EXPECT_TRUE(queue_works(&self->r, &self->q, self->words));
	EXPECT_TRUE(rig_wait(start_add(&self->r, &self->q, self->words, 1, 3), 0, RIG_LONG));
	snprintf(mine, sizeof(mine), "pid=%d queue=%u index=1 ", getpid(), self->q.id);
	text = trace_end("vkfd_packet:", mine, "vkfd_dispatch:", mine);
	EXPECT_EQ((long long)self->r.gpu_id, field(text, "vkfd_packet:", mine, "gpu_id="));
	EXPECT_EQ(2ll, field(text, "vkfd_packet:", mine, "header=") & 0xff);
	EXPECT_EQ((long long)self->r.gpu_id, field(text, "vkfd_dispatch:", mine, "gpu_id="));
	EXPECT_EQ((long long)k.object, field(text, "vkfd_dispatch:", mine, "kernel_object="));
	EXPECT_EQ(192ll, field(text, "vkfd_dispatch:", mine, "grid="));
	EXPECT_LT(0ll, field(text, "vkfd_dispatch:", mine, " ns="));
	EXPECT_LE(0ll, field(text, "vkfd_doorbell:", "", "offset="));
	free(text);
}

TEST_F(gpu, other_packets_in_the_trace)
{
	struct pm4_queue pm4;
	struct rig_sdma sdma = { 0 };
	char mine[64], copies[64], *text;

	ASSERT_EQ(pm4_create(&self->r, PM4_RING, 7, &pm4), 0);
	ASSERT_EQ(rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &sdma), 0);
	if (!trace_begin())
		SKIP(return, "no tracefs with vkfd's events");
	PM4_SUBMIT(&pm4, PM4_WRITE(&self->words[0], 7));
	EXPECT_TRUE(rig_wait32(&self->words[0], 7, RIG_LONG));
	SDMA_PUT(&sdma, SDMA_FILL_WORDS, VA(&self->words[1]), 8, 0);
	EXPECT_TRUE(rig_sdma_run(&sdma));
	EXPECT_EQ(8u, self->words[1]);
	snprintf(mine, sizeof(mine), "pid=%d queue=%u index=0 ", getpid(), pm4.id);
	snprintf(copies, sizeof(copies), "pid=%d queue=%u index=0 ", getpid(), sdma.id);
	text = trace_end("vkfd_packet:", mine, "vkfd_packet:", copies);
	EXPECT_EQ(0x37ll, field(text, "vkfd_packet:", mine, "header=") >> 8 & 0xff);
	EXPECT_EQ((long long)SDMA_FILL, field(text, "vkfd_packet:", copies, "header=") & 0xff);
	free(text);
}

/* ---------------------------------------------------------------- what has run */

#define OPCODES		"/sys/kernel/debug/kfd/0/opcodes"

/* How often an opcode ran, by all that have used the GPU. */
static long long ran(const char *opcode)
{
	char name[64];
	long long n;
	FILE *f = fopen(OPCODES, "r");

	ASSERT_NE(NULL, (void *)f);
	while (fscanf(f, "%63s %lld", name, &n) == 2)
		if (!strcmp(name, opcode)) {
			fclose(f);
			return n;
		}
	fclose(f);
	return 0;
}

/*
 * Each wave stores once and ends once, whatever else it does on the way. It ends before it has been
 * counted: waves in user mode when their thread has nothing left to do.
 */
TEST_F(gpu, opcodes_that_ran)
{
	long long ends = ran("s_endpgm"), stores = ran("global_store_dword"),
		  misses = ran("v_mfma_f64_16x16x4f64");
	u64 end;

	EXPECT_TRUE(rig_wait(start_add(&self->r, &self->q, self->words, 1, 100), 0, RIG_LONG));
	/* A wave ends before it has been counted, and opcodes are counted one after another. */
	for (end = rig_ms() + NEVER_MS;
	     (ran("s_endpgm") < ends + 100 || ran("global_store_dword") < stores + 100) &&
	     rig_ms() < end;)
		usleep(10000);
	EXPECT_EQ(ends + 100, ran("s_endpgm"));
	EXPECT_EQ(stores + 100, ran("global_store_dword"));
	EXPECT_EQ(misses, ran("v_mfma_f64_16x16x4f64"));
}

/* ----------------------------------------------------------------- vkfd-top */

/* build/selftests/guest/x: the tool is in build/libthunk. */
static bool top_path(char *path, size_t size)
{
	char self[256];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int i;

	if (n < 0)
		return false;
	self[n] = 0;
	for (i = 0; i < 3; i++)
		*strrchr(self, '/') = 0;
	snprintf(path, size, "%s/libthunk/vkfd-top", self);
	return !access(path, X_OK);
}

/* Dispatches without an end, or memory alone. */
static void watched(bool works, int ready)
{
	struct rig_mem vram, data;
	struct rig_queue q;
	struct rig r;
	u32 *words;

	if (rig_open(&r) || rig_load(&r) || rig_anon(&r, RIG_PAGE, &data) ||
	    rig_alloc(&r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
		      works ? 8 << 20 : 16 << 20, &vram) ||
	    (works && rig_queue_create(&r, RIG_RING, &q)))
		_exit(1);
	words = data.p;
	if (write(ready, "", 1) != 1)
		_exit(1);
	while (works) {
		r.nsignals = 0;
		r.args_used = 0;
		if (!queue_works(&r, &q, words))
			_exit(2);
	}
	pause();
}

static pid_t start_watched(bool works)
{
	int p[2];
	char c;
	pid_t pid;

	ASSERT_EQ(0, pipe(p));
	pid = fork();
	if (!pid)
		watched(works, p[1]);
	close(p[1]);
	ASSERT_EQ(1, read(p[0], &c, 1));
	close(p[0]);
	return pid;
}

TEST(top)
{
	pid_t works = start_watched(true), has = start_watched(false);
	double busy = 0, packets = 0, dispatches = 0;
	char tool[320], command[352], row[64], *text, *at;
	unsigned long in_flight, vram = 0;
	FILE *f;

	if (!top_path(tool, sizeof(tool)))
		SKIP(goto out_kill, "no vkfd-top");
	snprintf(command, sizeof(command), "%s -b -n 1 -d %u", tool, th_slow() > 9 ? 9 : th_slow());
	f = popen(command, "r");
	text = slurp(f);
	EXPECT_EQ(0, pclose(f));
	printf("# %s\n", text);
	EXPECT_NE(NULL, strstr(text, "GPU 0  gfx"));
	snprintf(row, sizeof(row), "\n  %7d ", works);
	at = strstr(text, row);
	EXPECT_NE(NULL, at);
	if (at) {
		EXPECT_EQ(5, sscanf(at, " %*d %*s %*u %*s %lf %lf %lf %lu %lu", &busy, &packets,
				    &dispatches, &in_flight, &vram));
		EXPECT_LT(0, busy);
		EXPECT_LT(0, packets);
		EXPECT_LT(0, dispatches);
		EXPECT_LE(8u, vram);
	}
	snprintf(row, sizeof(row), "\n  %7d ", has);
	at = strstr(text, row);
	EXPECT_NE(NULL, at);
	if (at) {
		EXPECT_EQ(1, sscanf(at, " %*d %*s - - - - - - %lu", &vram));
		EXPECT_EQ(16u, vram);
	}
	free(text);
out_kill:
	kill(works, SIGKILL);
	kill(has, SIGKILL);
	waitpid(works, NULL, 0);
	waitpid(has, NULL, 0);
}

TEST_HARNESS_MAIN
