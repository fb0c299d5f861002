// SPDX-License-Identifier: MIT
/* Command submission: jobs of PM4 and SDMA packets, lists of objects, contexts, errors. */
#include <pthread.h>
#include <sys/wait.h>

#include "cs_util.h"

FIXTURE(cs) {
	struct cs_file f;
};

FIXTURE_SETUP(cs)
{
	cs_open(&self->f);
}

FIXTURE_TEARDOWN(cs)
{
	cs_close(&self->f);
}

TEST_F(cs, jobs_are_done_in_order)
{
	struct cs_file *f = &self->f;
	uint32_t i;

	for (i = 1; i <= 3; i++) {
		struct cs cs = { .f = f };

		CS_IB(&cs, DMA, 0, SDMA_NOP, SDMA_WRITE, VA(&f->w[i]), 0, 0x1000 + i,
		      SDMA_FENCE, VA(&f->w[8]), i);
		ASSERT_EQ(0, cs_submit(&cs));
		EXPECT_EQ((uint64_t)i, cs.seq);
		EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_DMA, 0, cs.seq));
		EXPECT_EQ(0x1000 + i, f->w[i]);
		EXPECT_EQ(i, f->w[8]);
	}
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_DMA, 0, ~0ull));
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_DMA, 0, 0));
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_DMA, 1, 0));
	EXPECT_EQ(EINVAL, cs_wait(f, AMDGPU_HW_IP_DMA, 0, 4));
	EXPECT_EQ(EINVAL, cs_wait(f, AMDGPU_HW_IP_DMA, 1, 1));
	EXPECT_EQ(EINVAL, cs_wait(f, AMDGPU_HW_IP_DMA, 2, 0));
	EXPECT_EQ(EINVAL, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 4, 0));
	EXPECT_EQ(EINVAL, cs_wait(f, AMDGPU_HW_IP_GFX, 0, 0));
}

/*
 * Each of 64 work-items of each group stores its offset, xor 0x5a5a, at that offset of an array.
 * The same on all GFX9.
 */
static const uint32_t code[] = {
	0x8e038802,		/* s_lshl_b32 s3, s2, 8 */
	0x24020082,		/* v_lshlrev_b32 v1, 2, v0 */
	0x68020203,		/* v_add_u32 v1, s3, v1 */
	0x2a0402ff, 0x5a5a,	/* v_xor_b32 v2, 0x5a5a, v1 */
	0xdc708000, 0x00000201,	/* global_store_dword v1, v2, s[0:1] */
	0xbf810000,		/* s_endpgm */
};

#define SET_CODE(pc)	PM4_HDR(PM4_SET_SH_REG, 4), 0x20c, (uint32_t)((uint64_t)(uintptr_t)(pc) >> 8), \
			(uint32_t)((uint64_t)(uintptr_t)(pc) >> 40), \
			PM4_HDR(PM4_SET_SH_REG, 4), 0x212, 0xc0040, 0x84, \
			PM4_HDR(PM4_SET_SH_REG, 5), 0x207, 64, 1, 1
#define DISPATCH(out, groups) \
			PM4_HDR(PM4_SET_SH_REG, 4), 0x240, VA(out), \
			PM4_HDR(PM4_DISPATCH_DIRECT, 5), groups, 1, 1, 5

static uint32_t wrong(const volatile uint32_t *w, uint32_t n)
{
	uint32_t i, bad = 0;

	for (i = 0; i < n; i++)
		bad += w[i] != (i * 4 ^ 0x5a5a);
	return bad;
}

/* Waves of all four rings, and what a job leaves in registers is there in its next buffer only. */
TEST_F(cs, kernels)
{
	struct cs_file *f = &self->f;
	struct cs bare = { .f = f };
	uint32_t ring;

	memcpy((void *)(f->w + CS_CODE), code, sizeof(code));
	for (ring = 0; ring < 4; ring++) {
		struct cs cs = { .f = f };

		memset((void *)f->w, 0, 2 * PAGE);
		CS_IB(&cs, COMPUTE, ring, SET_CODE(f->w + CS_CODE), DISPATCH(f->w, 3));
		CS_IB(&cs, COMPUTE, ring, DISPATCH(f->w + PAGE / 4, 5));
		ASSERT_EQ(0, cs_submit(&cs));
		EXPECT_EQ(1ull, cs.seq);
		EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_COMPUTE, ring, cs.seq));
		EXPECT_EQ(0u, wrong(f->w, 3 * 64));
		EXPECT_EQ(0u, f->w[3 * 64]);
		EXPECT_EQ(0u, wrong(f->w + PAGE / 4, 5 * 64));
	}
	/* A new job starts with registers that have no kernel: a group of nothing. */
	CS_IB(&bare, COMPUTE, 0, DISPATCH(f->w, 1));
	ASSERT_EQ(0, cs_submit(&bare));
	EXPECT_EQ(ETIME, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 0, bare.seq));
}

TEST_F(cs, many_jobs)
{
	struct cs_file *f = &self->f;
	uint64_t first = 0;
	uint32_t i;

	for (i = 0; i < 100; i++) {
		struct cs cs = { .f = f };

		CS_IB(&cs, COMPUTE, 1, PM4_WRITE(f->w + i, i + 1));
		ASSERT_EQ(0, cs_submit(&cs));
		if (!first)
			first = cs.seq;
	}
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 1, ~0ull));
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 1, first));
	for (i = 0; i < 100; i++)
		ASSERT_EQ(i + 1, f->w[i]);
}

/* One ring of a context does not hold up another one, nor does one context another. */
TEST_F(cs, rings_are_independent)
{
	struct cs_file *f = &self->f;
	uint32_t ctx = f->ctx;
	uint64_t a, b, c;

	a = cs_block(f, AMDGPU_HW_IP_COMPUTE, 0, f->w);
	b = cs_block(f, AMDGPU_HW_IP_DMA, 0, f->w + 1);
	EXPECT_TRUE(cs_busy(f, AMDGPU_HW_IP_COMPUTE, 0, a));
	f->w[1] = 1;
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_DMA, 0, b));
	f->w[2] = 1;
	c = cs_block(f, AMDGPU_HW_IP_COMPUTE, 1, f->w + 2);
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 1, c));
	f->ctx = cs_new_ctx(f->fd);
	c = cs_block(f, AMDGPU_HW_IP_COMPUTE, 0, f->w + 2);
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 0, c));
	f->ctx = ctx;
	EXPECT_TRUE(cs_busy(f, AMDGPU_HW_IP_COMPUTE, 0, a));
	f->w[0] = 1;
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 0, a));
}

/* One submission for several rings: its last ring stands for all, and all run at once. */
TEST_F(cs, a_gang)
{
	struct cs_file *f = &self->f;
	struct cs cs = { .f = f }, five = { .f = f };
	uint32_t i;

	CS_IB(&cs, DMA, 1, SDMA_POLL_EQ, VA(f->w), 1, ~0u, SDMA_POLL_FOREVER, SDMA_FENCE,
	      VA(f->w + 1), 1);
	CS_IB(&cs, COMPUTE, 2, PM4_WRITE(f->w, 1), PM4_WAIT(f->w + 1, 1), PM4_WRITE(f->w + 2, 7));
	ASSERT_EQ(0, cs_submit(&cs));
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 2, cs.seq));
	EXPECT_EQ(7u, f->w[2]);
	EXPECT_EQ(EINVAL, cs_wait(f, AMDGPU_HW_IP_DMA, 1, 1));
	for (i = 0; i < 5; i++)
		CS_IB(&five, COMPUTE, i & 3, PM4_ONE_NOP);
	CS_IB(&five, DMA, 0, SDMA_NOP);
	EXPECT_EQ(EINVAL, cs_submit(&five));
}

static int list_op(int fd, uint32_t op, uint32_t *id, const uint32_t *handles, uint32_t n)
{
	struct drm_amdgpu_bo_list_entry e[4] = { { 0 } };
	union drm_amdgpu_bo_list l = {
		.in = { op, *id, n, sizeof(e[0]), (uintptr_t)e },
	};
	uint32_t i;

	for (i = 0; i < n; i++)
		e[i].bo_handle = handles[i];
	if (ioctl(fd, DRM_IOCTL_AMDGPU_BO_LIST, &l))
		return errno;
	*id = l.out.list_handle;
	return 0;
}

TEST_F(cs, lists)
{
	struct cs_file *f = &self->f;
	struct cs cs = { .f = f };
	uint32_t two[3] = { f->h, 0, f->h }, bad = 0xdead, id = 0;
	struct drm_amdgpu_bo_list_entry e = { .bo_handle = f->h };
	struct drm_amdgpu_bo_list_in in = { ~0u, ~0u, 1, sizeof(e), (uintptr_t)&e };

	ASSERT_EQ(0, gem_create(f->fd, PAGE, AMDGPU_GEM_DOMAIN_VRAM, 0, &two[1]));
	EXPECT_EQ(ENOENT, list_op(f->fd, AMDGPU_BO_LIST_OP_CREATE, &id, &bad, 1));
	ASSERT_EQ(0, list_op(f->fd, AMDGPU_BO_LIST_OP_CREATE, &id, two, 3));
	EXPECT_NE(0u, id);
	EXPECT_EQ(0, gem_close(f->fd, two[1]));
	CS_IB(&cs, DMA, 0, SDMA_FENCE, VA(f->w), 77);
	cs.list = id;
	EXPECT_EQ(0, cs_submit(&cs));
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_DMA, 0, cs.seq));
	EXPECT_EQ(77u, f->w[0]);
	cs.list = id + 1;
	EXPECT_EQ(ENOENT, cs_submit(&cs));
	cs.list = 0;
	cs_chunk(&cs, AMDGPU_CHUNK_ID_BO_HANDLES, &in, sizeof(in));
	EXPECT_EQ(0, cs_submit(&cs));
	cs.list = id;
	EXPECT_EQ(EINVAL, cs_submit(&cs));
	cs.list = 0;
	e.bo_handle = bad;
	EXPECT_EQ(ENOENT, cs_submit(&cs));
	EXPECT_EQ(0, list_op(f->fd, AMDGPU_BO_LIST_OP_UPDATE, &id, two, 1));
	EXPECT_EQ(EINVAL, list_op(f->fd, 3, &id, two, 1));
	bad = id + 1;
	EXPECT_EQ(ENOENT, list_op(f->fd, AMDGPU_BO_LIST_OP_UPDATE, &bad, two, 1));
	EXPECT_EQ(0, list_op(f->fd, AMDGPU_BO_LIST_OP_DESTROY, &id, NULL, 0));
}

static int submit_ib(struct cs_file *f, const struct drm_amdgpu_cs_chunk_ib *ib)
{
	struct cs cs = { .f = f };

	cs_chunk(&cs, AMDGPU_CHUNK_ID_IB, ib, sizeof(*ib));
	return cs_submit(&cs);
}

TEST_F(cs, what_is_not_taken)
{
	struct cs_file *f = &self->f;
	struct drm_amdgpu_cs_chunk_ib good = {
		.va_start = (uintptr_t)(f->w + CS_IBS), .ib_bytes = 4, .ip_type = AMDGPU_HW_IP_DMA,
	}, ib;
	struct cs cs = { .f = f };
	uint64_t chunks[1] = { 8 };
	union drm_amdgpu_cs raw = { .in = { f->ctx, 0, 1, 0, (uintptr_t)chunks } };

	f->w[CS_IBS] = SDMA_NOP;
	ib = good, ib.ip_type = AMDGPU_HW_IP_GFX;
	EXPECT_EQ(EINVAL, submit_ib(f, &ib));
	ib = good, ib.ip_type = AMDGPU_HW_IP_NUM;
	EXPECT_EQ(EINVAL, submit_ib(f, &ib));
	ib = good, ib.ip_instance = 1;
	EXPECT_EQ(EINVAL, submit_ib(f, &ib));
	ib = good, ib.ring = 2;
	EXPECT_EQ(EINVAL, submit_ib(f, &ib));
	ib = good, ib.flags = AMDGPU_IB_FLAG_CE;
	EXPECT_EQ(EINVAL, submit_ib(f, &ib));
	ib = good, ib.va_start += 2;
	EXPECT_EQ(EINVAL, submit_ib(f, &ib));
	ib = good, ib.ib_bytes = 0x400000;
	EXPECT_EQ(EINVAL, submit_ib(f, &ib));
	EXPECT_EQ(-1, ioctl(f->fd, DRM_IOCTL_AMDGPU_CS, &raw));
	EXPECT_EQ(EFAULT, errno);
	raw.in = (struct drm_amdgpu_cs_in){ f->ctx, 0, 1, 0, 8 };
	EXPECT_EQ(-1, ioctl(f->fd, DRM_IOCTL_AMDGPU_CS, &raw));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(EINVAL, cs_submit(&cs));		/* no chunk */
	cs_chunk(&cs, AMDGPU_CHUNK_ID_DEPENDENCIES, NULL, 0);
	EXPECT_EQ(EINVAL, cs_submit(&cs));		/* no buffer */
	cs_chunk(&cs, AMDGPU_CHUNK_ID_IB, &good, sizeof(good));
	EXPECT_EQ(0, cs_submit(&cs));
	cs_chunk(&cs, 0x77, NULL, 0);
	EXPECT_EQ(EINVAL, cs_submit(&cs));
	cs.n = 0;
	cs_chunk(&cs, AMDGPU_CHUNK_ID_IB, &good, sizeof(good) - 4);
	EXPECT_EQ(EINVAL, cs_submit(&cs));
	f->ctx += 7;
	EXPECT_EQ(EINVAL, submit_ib(f, &good));
	EXPECT_EQ(EINVAL, cs_wait(f, AMDGPU_HW_IP_DMA, 0, 0));
	f->ctx -= 7;
	EXPECT_EQ(0, submit_ib(f, &good));
}

/* What a submission may have the kernel copy and remember has a limit. */
TEST_F(cs, too_much)
{
	const uint32_t dwords = 0x100000, deps = 0x10001;
	struct drm_amdgpu_cs_chunk_sem *sem;
	struct cs_file *f = &self->f;
	struct cs block = { .f = f }, cs = { .f = f };
	struct drm_syncobj_create s = { 0 };
	uint32_t i;

	ASSERT_EQ(0, ioctl(f->fd, DRM_IOCTL_SYNCOBJ_CREATE, &s));
	sem = calloc(dwords, sizeof(*sem));
	ASSERT_NE(NULL, (void *)sem);
	CS_IB(&block, COMPUTE, 0, PM4_WAIT(f->w, 1));
	sem[0].handle = s.handle;
	cs_chunk(&block, AMDGPU_CHUNK_ID_SYNCOBJ_OUT, sem, sizeof(*sem));
	ASSERT_EQ(0, cs_submit(&block));

	CS_IB(&cs, DMA, 0, SDMA_NOP);
	cs_chunk(&cs, AMDGPU_CHUNK_ID_SYNCOBJ_IN, sem, dwords * 4);
	EXPECT_EQ(ENOMEM, cs_submit(&cs));	/* with the buffer's chunk, it is more */
	cs.chunk[1].length_dw = dwords / 2;
	cs_chunk(&cs, AMDGPU_CHUNK_ID_SYNCOBJ_IN, sem, dwords * 2);
	EXPECT_EQ(ENOMEM, cs_submit(&cs));
	cs.n = 2;

	for (i = 0; i < deps; i++)
		sem[i].handle = s.handle;
	cs.chunk[1].length_dw = deps;
	EXPECT_EQ(ENOMEM, cs_submit(&cs));	/* all of them the same fence */
	cs.chunk[1].length_dw = 2;
	EXPECT_EQ(0, cs_submit(&cs));
	f->w[0] = 1;
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_DMA, 0, cs.seq));
	free(sem);
}

#define RINGS	6	/* 4 of the compute pipes, 2 of SDMA */

/* How many of @n jobs have said that they run. */
static uint32_t how_many_run(struct cs_file *f, uint32_t n)
{
	uint32_t i, sum = 0;

	for (i = 0; i < n; i++)
		sum += f->w[16 + i];
	return sum;
}

/* However many contexts a file has: its jobs leave threads of the kernel to others. */
TEST_F(cs, as_many_jobs_run_as_there_are_rings)
{
	enum { CONTEXTS = 3, JOBS = CONTEXTS * RINGS };
	uint64_t patience = cs_in_ms(20000 * th_slow());
	struct cs_file *f = &self->f;
	uint32_t ctx[JOBS], ring[JOBS], ip[JOBS], i;
	uint64_t seq[JOBS];

	for (i = 0; i < JOBS; i++) {
		struct cs cs = { .f = f };
		volatile uint32_t *runs = f->w + 16 + i;

		if (i % RINGS == 0)
			f->ctx = cs_new_ctx(f->fd);
		ctx[i] = f->ctx;
		ring[i] = i % RINGS % 4;
		ip[i] = i % RINGS < 4 ? AMDGPU_HW_IP_COMPUTE : AMDGPU_HW_IP_DMA;
		if (ip[i] == AMDGPU_HW_IP_COMPUTE)
			CS_IB(&cs, COMPUTE, ring[i], PM4_WRITE(runs, 1), PM4_WAIT(f->w, 1));
		else
			CS_IB(&cs, DMA, ring[i], SDMA_FENCE, VA(runs), 1, SDMA_POLL_EQ, VA(f->w), 1,
			      ~0u, SDMA_POLL_FOREVER);
		ASSERT_EQ(0, cs_submit(&cs));
		seq[i] = cs.seq;
	}
	while (how_many_run(f, JOBS) < RINGS && cs_in_ms(0) < patience)
		usleep(10000);
	usleep(200000);
	EXPECT_EQ((uint32_t)RINGS, how_many_run(f, JOBS));
	f->w[0] = 1;
	for (i = 0; i < JOBS; i++) {
		f->ctx = ctx[i];
		EXPECT_EQ(0, cs_wait(f, ip[i], ring[i], seq[i]));
	}
	EXPECT_EQ((uint32_t)JOBS, how_many_run(f, JOBS));
}

/* Each file with jobs may keep threads of the kernel waiting, which nobody counts for its user. */
TEST_F(cs, so_many_files_have_jobs)
{
	struct cs_file other, *f = &self->f;
	struct cs a = { .f = f }, b = { .f = &other }, again = { .f = &other };
	int err;

	cs_open(&other);
	EXPECT_TRUE(set_parameter("job_files", 1));
	CS_IB(&a, DMA, 0, SDMA_NOP);
	EXPECT_EQ(0, cs_submit(&a));
	CS_IB(&b, DMA, 0, SDMA_NOP);
	err = cs_submit(&b);
	EXPECT_TRUE(set_parameter("job_files", 1024));
	EXPECT_EQ(ENOMEM, err);
	CS_IB(&again, DMA, 0, SDMA_NOP);
	EXPECT_EQ(0, cs_submit(&again));
	EXPECT_EQ(0, cs_wait(&other, AMDGPU_HW_IP_DMA, 0, again.seq));
	cs_close(&other);
}

/* 0 or the errno of a submission to @f by the user @uid, whose share it counts against */
static int submits_as(struct cs_file *f, uid_t uid)
{
	struct cs cs = { .f = f };
	int status;
	pid_t pid;

	CS_IB(&cs, DMA, 0, SDMA_NOP);	/* into memory that a child does not have */
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(setuid(uid) ? EXIT_FAILURE : cs_submit(&cs));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -status;
}

/* A user may have half of what the others have left, and root all of it. */
TEST_F(cs, a_user_has_a_share_of_them)
{
	struct cs_file other[3];
	int err[5], i;

	for (i = 0; i < 3; i++)
		cs_open(&other[i]);
	EXPECT_TRUE(set_parameter("job_files", 4));
	for (i = 0; i < 3; i++)
		err[i] = submits_as(&other[i], 65534);
	err[3] = submits_as(&other[2], 65533);
	err[4] = submits_as(&self->f, 0);
	EXPECT_TRUE(set_parameter("job_files", 1024));
	EXPECT_EQ(0, err[0]);
	EXPECT_EQ(0, err[1]);
	EXPECT_EQ(ENOMEM, err[2]);
	EXPECT_EQ(0, err[3]);
	EXPECT_EQ(0, err[4]);
	for (i = 0; i < 3; i++)
		cs_close(&other[i]);
}

static void is_guilty(struct cs_file *f, struct cs *cs, uint32_t ip)
{
	union drm_amdgpu_ctx c;
	struct cs good = { .f = f };

	ASSERT_EQ(0, cs_submit(cs));
	EXPECT_EQ(ETIME, cs_wait(f, ip, 0, cs->seq));
	EXPECT_EQ(0, cs_ctx(f->fd, AMDGPU_CTX_OP_QUERY_STATE, f->ctx, 0, &c));
	EXPECT_EQ((uint32_t)AMDGPU_CTX_UNKNOWN_RESET, c.out.state.reset_status);
	EXPECT_EQ(0, cs_ctx(f->fd, AMDGPU_CTX_OP_QUERY_STATE, f->ctx, 0, &c));
	EXPECT_EQ((uint32_t)AMDGPU_CTX_NO_RESET, c.out.state.reset_status);
	EXPECT_EQ(0, cs_ctx(f->fd, AMDGPU_CTX_OP_QUERY_STATE2, f->ctx, 0, &c));
	EXPECT_EQ((uint64_t)(AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY),
		  (uint64_t)c.out.state.flags);
	EXPECT_EQ(ECANCELED, cs_submit(cs));
	/* Another context is innocent. */
	f->ctx = cs_new_ctx(f->fd);
	CS_IB(&good, DMA, 0, SDMA_FENCE, VA(f->w + 5), cs->seq + 100);
	f->w[5] = 0;
	ASSERT_EQ(0, cs_submit(&good));
	EXPECT_EQ(0, cs_wait(f, AMDGPU_HW_IP_DMA, 0, good.seq));
	EXPECT_EQ((uint32_t)cs->seq + 100, f->w[5]);
}

TEST_F(cs, a_bad_job_makes_its_context_guilty)
{
	struct cs_file *f = &self->f;
	char *end = (char *)f->w + CS_BYTES;
	unsigned int i;

	f->w[CS_CODE] = 0xbfff0000;			/* no instruction */
	for (i = 0; i < 7; i++) {
		struct cs cs = { .f = f };

		if (i == 0)
			CS_IB(&cs, DMA, 0, 0xff);				/* unknown */
		else if (i == 1)
			CS_IB(&cs, DMA, 0, SDMA_WRITE, VA(end), 0, 1);		/* not mapped */
		else if (i == 2)
			CS_IB(&cs, DMA, 0, SDMA_WRITE, VA(f->w), 6, 1);		/* half a packet */
		else if (i == 3)
			CS_IB(&cs, COMPUTE, 0, PM4_HDR(0x01, 2), 0);		/* unknown */
		else if (i == 4)
			CS_IB(&cs, COMPUTE, 0, PM4_WRITE(end, 1));		/* not mapped */
		else if (i == 5)
			CS_IB(&cs, COMPUTE, 0, SET_CODE(end), DISPATCH(f->w, 1)); /* no code */
		else
			CS_IB(&cs, COMPUTE, 0, SET_CODE(f->w + CS_CODE), DISPATCH(f->w, 1));
		is_guilty(f, &cs, i < 3 ? AMDGPU_HW_IP_DMA : AMDGPU_HW_IP_COMPUTE);
	}
}

static void last_fault_is(struct cs_file *f, uint64_t va, uint32_t status)
{
	struct drm_amdgpu_info_gpuvm_fault fault = { .addr = 1, .status = 1, .vmhub = 1 };

	EXPECT_EQ(0, drm_info(f->fd, AMDGPU_INFO_GPUVM_FAULT, &fault, sizeof(fault)));
	EXPECT_EQ(va, (uint64_t)fault.addr);
	EXPECT_EQ(status, fault.status);
	EXPECT_EQ(0u, fault.vmhub);
}

/* Status: nothing is there (bit 4), and it was a write (6, 18). */
TEST_F(cs, the_last_fault_is_told)
{
	struct cs_file *f = &self->f;
	char *end = (char *)f->w + CS_BYTES;
	struct cs write = { .f = f }, packet = { .f = f };

	last_fault_is(f, 0, 0);
	CS_IB(&write, COMPUTE, 0, PM4_WRITE(end + 8, 1));
	is_guilty(f, &write, AMDGPU_HW_IP_COMPUTE);
	last_fault_is(f, (uintptr_t)end, 1 << 4 | 1 << 6 | 1 << 18);
	/* What is wrong with a packet is no fault. */
	CS_IB(&packet, COMPUTE, 0, PM4_HDR(0x01, 2), 0);
	is_guilty(f, &packet, AMDGPU_HW_IP_COMPUTE);
	last_fault_is(f, (uintptr_t)end, 1 << 4 | 1 << 6 | 1 << 18);
}

TEST_F(cs, faults_of_sdma_are_told)
{
	struct cs_file *f = &self->f;
	char *end = (char *)f->w + CS_BYTES;
	struct cs cs = { .f = f };

	CS_IB(&cs, DMA, 0, SDMA_WRITE, VA(end), 0, 1);
	is_guilty(f, &cs, AMDGPU_HW_IP_DMA);
	last_fault_is(f, (uintptr_t)end, 1 << 4 | 1 << 6 | 1 << 18);
}

/* What waits behind a job that fails is not executed. */
TEST_F(cs, jobs_behind_a_bad_one_are_cancelled)
{
	struct cs_file *f = &self->f;
	struct cs bad = { .f = f }, next = { .f = f };

	CS_IB(&bad, COMPUTE, 0, PM4_WAIT(f->w, 1), PM4_HDR(0x01, 2), 0);
	ASSERT_EQ(0, cs_submit(&bad));
	CS_IB(&next, COMPUTE, 0, PM4_WRITE(f->w + 1, 1));
	ASSERT_EQ(0, cs_submit(&next));
	EXPECT_TRUE(cs_busy(f, AMDGPU_HW_IP_COMPUTE, 0, next.seq));
	f->w[0] = 1;
	EXPECT_EQ(ETIME, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 0, bad.seq));
	EXPECT_EQ(ECANCELED, cs_wait(f, AMDGPU_HW_IP_COMPUTE, 0, next.seq));
	EXPECT_EQ(0u, f->w[1]);
}

TEST_F(cs, priorities)
{
	struct cs_file *f = &self->f;
	union drm_amdgpu_ctx c;
	int status;
	pid_t pid;

	EXPECT_EQ(0, cs_ctx(f->fd, AMDGPU_CTX_OP_ALLOC_CTX, 0, AMDGPU_CTX_PRIORITY_VERY_LOW, &c));
	EXPECT_EQ(0, cs_ctx(f->fd, AMDGPU_CTX_OP_ALLOC_CTX, 0, 12345, &c));
	EXPECT_EQ(0, cs_ctx(f->fd, AMDGPU_CTX_OP_ALLOC_CTX, 0, AMDGPU_CTX_PRIORITY_VERY_HIGH, &c));
	pid = fork();
	if (!pid) {
		if (setuid(65534))
			_exit(1);
		_exit(cs_ctx(f->fd, AMDGPU_CTX_OP_ALLOC_CTX, 0, AMDGPU_CTX_PRIORITY_HIGH, &c) !=
		      EACCES);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, cs_ctx(f->fd, AMDGPU_CTX_OP_FREE_CTX, f->ctx, 0, &c));
	EXPECT_EQ(EINVAL, cs_ctx(f->fd, AMDGPU_CTX_OP_FREE_CTX, f->ctx, 0, &c));
	EXPECT_EQ(EINVAL, cs_ctx(f->fd, AMDGPU_CTX_OP_QUERY_STATE, f->ctx, 0, &c));
}

static int pstate_set(int fd, uint32_t ctx, uint32_t pstate)
{
	union drm_amdgpu_ctx c = { .in = {
		.op = AMDGPU_CTX_OP_SET_STABLE_PSTATE, .flags = pstate, .ctx_id = ctx,
	} };

	return ioctl(fd, DRM_IOCTL_AMDGPU_CTX, &c) ? errno : 0;
}

static int64_t pstate_get(int fd, uint32_t ctx)
{
	union drm_amdgpu_ctx c;

	if (cs_ctx(fd, AMDGPU_CTX_OP_GET_STABLE_PSTATE, ctx, 0, &c))
		return -1;
	return c.out.pstate.flags;
}

/* One context at a time chooses the clocks, of the whole card, until it ends. */
TEST_F(cs, stable_power_states)
{
	int fd = self->f.fd, other = drm_open();
	uint32_t ctx = self->f.ctx, second;
	union drm_amdgpu_ctx c;

	ASSERT_LE(0, other);
	second = cs_new_ctx(other);
	EXPECT_EQ(0, pstate_get(fd, ctx));
	EXPECT_EQ(EINVAL, pstate_set(fd, ctx, AMDGPU_CTX_STABLE_PSTATE_PEAK + 1));
	EXPECT_EQ(EINVAL, pstate_set(fd, ctx, 1u << 4));
	EXPECT_EQ(EINVAL, pstate_set(fd, ctx + 100, AMDGPU_CTX_STABLE_PSTATE_PEAK));
	EXPECT_EQ(-1, pstate_get(fd, ctx + 100));
	/* What is there anyway is nobody's. */
	EXPECT_EQ(0, pstate_set(other, second, AMDGPU_CTX_STABLE_PSTATE_NONE));
	EXPECT_EQ(0, pstate_set(fd, ctx, AMDGPU_CTX_STABLE_PSTATE_PEAK));
	EXPECT_EQ(AMDGPU_CTX_STABLE_PSTATE_PEAK, pstate_get(fd, ctx));
	EXPECT_EQ(AMDGPU_CTX_STABLE_PSTATE_PEAK, pstate_get(other, second));
	EXPECT_EQ(EBUSY, pstate_set(other, second, AMDGPU_CTX_STABLE_PSTATE_MIN_MCLK));
	EXPECT_EQ(0, pstate_set(fd, ctx, AMDGPU_CTX_STABLE_PSTATE_MIN_SCLK));
	EXPECT_EQ(AMDGPU_CTX_STABLE_PSTATE_MIN_SCLK, pstate_get(other, second));
	EXPECT_EQ(0, cs_ctx(fd, AMDGPU_CTX_OP_FREE_CTX, ctx, 0, &c));
	EXPECT_EQ(AMDGPU_CTX_STABLE_PSTATE_NONE, pstate_get(other, second));
	/* Or until its file ends */
	EXPECT_EQ(0, pstate_set(other, second, AMDGPU_CTX_STABLE_PSTATE_STANDARD));
	self->f.ctx = cs_new_ctx(fd);
	EXPECT_EQ(AMDGPU_CTX_STABLE_PSTATE_STANDARD, pstate_get(fd, self->f.ctx));
	close(other);
	EXPECT_EQ(AMDGPU_CTX_STABLE_PSTATE_NONE, pstate_get(fd, self->f.ctx));
}

static void *release_soon(void *at)
{
	usleep(100000);
	*(volatile uint32_t *)at = 1;
	return NULL;
}

/* As in the real driver, a job finds what was mapped when it was submitted. */
TEST_F(cs, unmapping_waits)
{
	struct cs_file *f = &self->f;
	volatile uint32_t *w;
	struct cs cs = { .f = f };
	pthread_t thread;
	uint32_t h;

	ASSERT_EQ(0, gem_create(f->fd, PAGE, AMDGPU_GEM_DOMAIN_GTT, 0, &h));
	w = gem_map(f->fd, h, PAGE);
	ASSERT_EQ(0, gem_va(f->fd, AMDGPU_VA_OP_MAP, h, (void *)w, 0, PAGE, RWX));
	CS_IB(&cs, COMPUTE, 0, PM4_WAIT(f->w, 1), PM4_WRITE(w, 9));
	ASSERT_EQ(0, cs_submit(&cs));
	ASSERT_EQ(0, pthread_create(&thread, NULL, release_soon, (void *)f->w));
	EXPECT_EQ(0, gem_va(f->fd, AMDGPU_VA_OP_UNMAP, h, (void *)w, 0, PAGE, 0));
	EXPECT_EQ(9u, w[0]);
	EXPECT_EQ(0, cs_wait_until(f, AMDGPU_HW_IP_COMPUTE, 0, cs.seq, 1));
	pthread_join(thread, NULL);
}

static int has_ended(pid_t pid, unsigned int ms)
{
	int status;

	for (; ms; ms--) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return 1;
		usleep(1000);
	}
	return 0;
}

/* KFD has a reference to the file from now on; closing it is not its end. */
static void give_to_kfd(int fd)
{
	int kfd = kfd_open();

	ASSERT_LE(0, kfd);
	ASSERT_EQ(0, acquire_vm(kfd, fd, node_gpu_id(gpu_node(0))));
	close(fd);
}

/*
 * Jobs that wait for ever go with their file: after a second, or at once if it is killed. By
 * themselves they would end after two minutes.
 */
TEST_F(cs, jobs_end_with_their_file)
{
	unsigned int i;
	pid_t pid;

	for (i = 0; i < 8; i++) {
		pid = fork();
		if (!pid) {
			struct cs_file f;

			cs_open(&f);
			cs_block(&f, i & 1 ? AMDGPU_HW_IP_DMA : AMDGPU_HW_IP_COMPUTE, 0, f.w);
			cs_block(&f, i & 1 ? AMDGPU_HW_IP_DMA : AMDGPU_HW_IP_COMPUTE, 0, f.w);
			if (i & 4)
				give_to_kfd(f.fd);
			if (i & 2)
				_exit(0);
			for (;;)
				pause();
		}
		usleep(300000);
		if (!(i & 2))
			ASSERT_EQ(0, kill(pid, SIGKILL));
		EXPECT_TRUE(has_ended(pid, 30000));
	}
}

TEST_HARNESS_MAIN
