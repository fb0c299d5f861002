// SPDX-License-Identifier: MIT
/*
 * What calls of the render node copy, and fences that they make, are charged to the memory cgroup
 * of who calls: a call may wait with such memory for as long as its caller likes.
 */
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../kfd/file_util.h"
#include "../queue/missing.h"
#include "cs_util.h"

#define CGROUPS	"/sys/fs/cgroup"
#define GROUP	CGROUPS "/vkfd-charged"

enum { DONE, LOST = 42, BROKEN };

FIXTURE(group) {
	int unused;
};

FIXTURE_SETUP(group)
{
	file_write(CGROUPS "/cgroup.subtree_control", "+memory");
	rmdir(GROUP);
	mkdir(GROUP, 0755);
	if (access(GROUP "/memory.current", R_OK))
		SKIP(return, "no memory controller of version 2");
	self->unused = 0;
}

FIXTURE_TEARDOWN(group)
{
	unsigned int i;

	(void)self;
	/* The last process may be on its way out. */
	for (i = 0; rmdir(GROUP) && errno == EBUSY && i < 500 * th_slow(); i++)
		usleep(10000);
}

static int ends_with(int (*body)(void))
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		status = file_write(GROUP "/cgroup.procs", "0") ? BROKEN : body();
		fflush(stdout);
		_exit(status);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static long long charged(void)
{
	return file_number(GROUP "/memory.current");
}

/* ------------------------------------------------------ calls that copy an array */

struct call {
	struct cs_file f;
	void *array;
	int (*make)(struct call *c);
};

/* As many fences as there may be: 24 bytes each. */
static int wait_fences(struct call *c)
{
	union drm_amdgpu_wait_fences w = {
		.in = { .fences = (uintptr_t)c->array, .fence_count = 0x10000 },
	};

	return ioctl(c->f.fd, DRM_IOCTL_AMDGPU_WAIT_FENCES, &w) ? errno : 0;
}

/* A chunk of 2 MB that nobody knows: as with the real driver, it is copied and ignored. */
static int submit(struct call *c)
{
	struct cs cs = { .f = &c->f };

	cs_chunk(&cs, 0x1000, c->array, 2048ll * 1024);
	return cs_submit(&cs);
}

static void *call_thread(void *arg)
{
	struct call *c = arg;

	c->make(c);
	return NULL;
}

/* It waits for the first page of its array, and has memory for all of it. */
static int waits_with(int (*make)(struct call *c), long long bytes)
{
	struct call c = { .make = make };
	long long before, more;
	pthread_t thread;
	int uffd;
	u64 addr;

	cs_open(&c.f);
	c.array = missing_memory(4096ll * 1024, &uffd);
	if (!c.array)
		return DONE;
	before = charged();
	if (pthread_create(&thread, NULL, call_thread, &c) || !asked(uffd, &addr))
		return BROKEN;
	more = charged() - before;
	TH_LOG("%lld KiB more, of %lld", more / 1024, bytes / 1024);
	close(uffd);	/* whoever waits goes on with zeroes */
	pthread_join(thread, NULL);
	return more > bytes / 2 ? DONE : LOST;
}

static int waits_with_fences(void)
{
	return waits_with(wait_fences, 0x10000 * 24);
}

static int waits_with_chunks(void)
{
	return waits_with(submit, 2048ll * 1024);
}

TEST_F(group, fences_that_a_call_waits_for)
{
	EXPECT_EQ(DONE << 8, ends_with(waits_with_fences));
}

TEST_F(group, chunks_of_a_submission)
{
	EXPECT_EQ(DONE << 8, ends_with(waits_with_chunks));
}

/* -------------------------------------------------------------------- chains */

#define POINTS	256u	/* of a job, at most */
#define JOBS	24u

/*
 * Points of timelines that are not reached: a fence each, of more than 100 bytes. A timeline for
 * each job, as a new point walks those before it, and the job that all wait for has a time limit.
 */
static int has_points(void)
{
	static struct drm_amdgpu_cs_chunk_syncobj signal[POINTS];
	struct drm_syncobj_create obj = { 0 };
	long long before = 0, more;
	struct cs_file f;
	u32 i, job;
	int err;

	cs_open(&f);
	cs_block(&f, AMDGPU_HW_IP_DMA, 0, f.w);
	for (job = 0; job < JOBS; job++) {
		struct cs cs = { .f = &f };

		if (job == 1)	/* the first one's own memory is not counted */
			before = charged();
		if (ioctl(f.fd, DRM_IOCTL_SYNCOBJ_CREATE, &obj))
			return BROKEN;
		for (i = 0; i < POINTS; i++)
			signal[i] = (struct drm_amdgpu_cs_chunk_syncobj){
				.handle = obj.handle, .point = i + 1,
			};
		CS_IB(&cs, DMA, 0, SDMA_NOP);
		cs_chunk(&cs, AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, signal, sizeof(signal));
		err = cs_submit(&cs);
		if (err) {
			TH_LOG("job %u: %d", job, err);
			return BROKEN;
		}
	}
	more = charged() - before;
	f.w[0] = 1;
	TH_LOG("%lld KiB more for %u points", more / 1024, (JOBS - 1) * POINTS);
	return more > 100 * (JOBS - 1) * POINTS ? DONE : LOST;
}

TEST_F(group, points_of_timelines)
{
	EXPECT_EQ(DONE << 8, ends_with(has_points));
}

TEST_HARNESS_MAIN
