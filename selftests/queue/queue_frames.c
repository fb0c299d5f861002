// SPDX-License-Identifier: MIT
/*
 * Memory that GPUs no longer need is the machine's again: pages of buffers with the buffer, page
 * frames of shared memory that has moved (svm_migrate) when the machine is short of memory.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kfd/kfd_util.h"
#include "queue_test.h"

#define PARAM		"/sys/module/vkfd/parameters/svm_migrate"
#define ZONE		"/sys/kernel/debug/kfd/zone"
#define BIG		(128ll << 20)
#define SLACK		(64ll << 20)	/* what others take or give back meanwhile */
#define MOVED		(2l << 20)
#define SHOWN_VRAM	(KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC)

/* A line of @path that begins with @name: the number behind it; -1: there is none */
static long long line(const char *path, const char *name)
{
	size_t n = strlen(name);
	long long value = -1;
	char text[128];
	FILE *f = fopen(path, "r");

	while (f && fgets(text, sizeof(text), f))
		if (!strncmp(text, name, n) && (text[n] == ' ' || text[n] == ':'))
			value = strtoll(text + n + 1, NULL, 10);
	if (f)
		fclose(f);
	return value;
}

static bool put(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);
	bool done = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);

	if (fd >= 0)
		close(fd);
	return done;
}

/* Each CPU's counts are added up now and then, or when somebody asks for that. */
static long long available(void)
{
	put("/proc/sys/vm/stat_refresh", "1");
	return line("/proc/meminfo", "MemAvailable") * 1024;
}

/* Objects die a moment after the last one lets go of them. */
static bool comes_back(long long before)
{
	u32 i;

	for (i = 0; i < RIG_LONG / 10; i++) {
		if (available() >= before - SLACK)
			return true;
		usleep(10000);
	}
	TH_LOG("%lld of %lld bytes are back", available(), before);
	return false;
}

/* As buffers die one by one, and as the process that has them does */
TEST(buffers)
{
	long long before;
	struct rig_mem m;
	struct rig r;
	int status, fds[2];
	pid_t pid;
	char c;

	ASSERT_EQ(rig_open(&r), 0);
	before = available();
	ASSERT_EQ(rig_alloc(&r, SHOWN_VRAM, BIG, &m), 0);
	memset(m.p, 1, BIG);
	EXPECT_GE(before - BIG + SLACK, available());
	ASSERT_EQ(rig_unmap(&r, &m), 0);
	ASSERT_EQ(rig_free(&r, &m), 0);
	munmap(m.p, BIG);
	EXPECT_TRUE(comes_back(before));
	rig_close(&r);

	ASSERT_EQ(pipe(fds), 0);
	pid = fork();
	ASSERT_NE(pid, -1);
	if (!pid) {
		if (rig_open(&r) || rig_alloc(&r, SHOWN_VRAM, BIG, &m))
			_exit(1);
		memset(m.p, 1, BIG);
		if (write(fds[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	ASSERT_EQ(read(fds[0], &c, 1), 1);
	EXPECT_GE(before - BIG + SLACK, available());
	ASSERT_EQ(kill(pid, SIGKILL), 0);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_TRUE(comes_back(before));
}

/* ------------------------------------------------------------- page frames */

static bool becomes(const char *name, long long least, long long most)
{
	long long value = -1;
	u32 i;

	for (i = 0; i < RIG_LONG / 10; i++) {
		value = line(ZONE, name);
		if (value >= least && value <= most)
			return true;
		usleep(10000);
	}
	TH_LOG("%s is %lld", name, value);
	return false;
}

FIXTURE(frames) {
	struct rig r;
	char *p;		/* MOVED bytes */
};

FIXTURE_SETUP(frames)
{
	char *p;

	if (access(PARAM, F_OK))
		SKIP(return, "this kernel has no device-private pages");
	ASSERT_EQ(rig_open(&self->r), 0);
	ASSERT_TRUE(put(PARAM, "Y"));
	p = mmap(NULL, 2 * MOVED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE((void *)p, MAP_FAILED);
	madvise(p, 2 * MOVED, MADV_NOHUGEPAGE);
	self->p = (char *)(((uintptr_t)p + MOVED - 1) & -MOVED);
	memset(self->p, 3, MOVED);
	ASSERT_EQ(rig_svm_set(&self->r, self->p, MOVED, KFD_IOCTL_SVM_ATTR_ACCESS,
			      self->r.gpu_id), 0);
}

FIXTURE_TEARDOWN(frames)
{
	rig_close(&self->r);
	put(PARAM, "N");
}

static void move(FIXTURE_DATA(frames) *self, u32 to)
{
	ASSERT_EQ(rig_svm_set(&self->r, self->p, MOVED, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, to), 0);
}

/* Frames in use stay, and their content with them; chunks without any go. */
TEST_F(frames, under_pressure)
{
	long long returned = line(ZONE, "returned_chunks");
	u32 i;

	move(self, self->r.gpu_id);
	EXPECT_LT(MOVED / 4096 / 2, line(ZONE, "used"));
	ASSERT_TRUE(put("/proc/sys/vm/drop_caches", "2"));
	usleep(100000);
	EXPECT_LT(MOVED / 4096 / 2, line(ZONE, "used"));
	EXPECT_LT(0, line(ZONE, "free"));
	for (i = 0; i < MOVED; i += 4096)
		ASSERT_EQ(self->p[i], 3);

	move(self, 0);
	EXPECT_TRUE(becomes("used", 0, 0));
	EXPECT_LE(1, line(ZONE, "idle_chunks"));
	ASSERT_TRUE(put("/proc/sys/vm/drop_caches", "2"));
	EXPECT_TRUE(becomes("idle_chunks", 0, 0));
	EXPECT_EQ(line(ZONE, "free"), 0);
	EXPECT_TRUE(becomes("returned_chunks", returned + 1, LLONG_MAX));
}

/* They come again when they are needed, also while others are being given back. */
TEST_F(frames, again_and_again)
{
	u32 i, k;

	for (i = 0; i < 20; i++) {
		memset(self->p, i, MOVED);
		move(self, self->r.gpu_id);
		ASSERT_TRUE(put("/proc/sys/vm/drop_caches", "2"));
		if (i % 2)
			move(self, 0);
		ASSERT_TRUE(put("/proc/sys/vm/drop_caches", "2"));
		for (k = 0; k < MOVED; k += 4096)
			ASSERT_EQ(self->p[k], (char)i);
	}
	move(self, self->r.gpu_id);
	EXPECT_LT(0, line(ZONE, "used"));
}

/* What a machine without memory takes are not the frames that came for somebody a moment ago. */
TEST_F(frames, kept_for_who_wants_them)
{
	pid_t child = fork();
	u32 i;

	ASSERT_GE(child, 0);
	if (!child)
		for (;;)
			put("/proc/sys/vm/drop_caches", "2");
	for (i = 0; i < 50; i++) {
		memset(self->p, i, MOVED);
		move(self, self->r.gpu_id);
		EXPECT_LT(0, line(ZONE, "used"));
		move(self, 0);
	}
	kill(child, SIGKILL);
	EXPECT_EQ(waitpid(child, NULL, 0), child);
}

TEST_HARNESS_MAIN
