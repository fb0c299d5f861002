// SPDX-License-Identifier: MIT
/* What the fuzzer does besides ioctls: descriptors, mappings, rings, processes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kfd/kfd_util.h"
#include "fuzz.h"

static int any_fd(struct fuzz_state *s, uint64_t v)
{
	switch (v % 3) {
	case 0:
		return FUZZ_GET(s->kfd, s->nkfd, v / 3);
	case 1:
		return FUZZ_GET(s->drm, s->ndrm, v / 3);
	}
	return FUZZ_GET(s->buf, s->nbuf, v / 3);
}

static bool op_open_kfd(struct fuzz_state *s, const uint64_t *v)
{
	int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);

	(void)v;
	if (fd >= 0)
		FUZZ_PUT(s->kfd, s->nkfd, fd);
	return true;
}

static bool op_open_drm(struct fuzz_state *s, const uint64_t *v)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), v[0] & 7 ? "/dev/dri/renderD%d" : "/dev/dri/card0",
		 s->render_minor);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		FUZZ_PUT(s->drm, s->ndrm, fd);
	return true;
}

static bool op_close(struct fuzz_state *s, const uint64_t *v)
{
	int fd = any_fd(s, v[0]);

	if (fd > 2)
		close(fd);
	return true;
}

static uint8_t *slot(struct fuzz_state *s, uint64_t v)
{
	return s->arena + v % FUZZ_SLOTS * FUZZ_SLOT;
}

static const size_t lengths[] = { 0x1000, 0x2000, 0x8000, FUZZ_SLOT };

static bool op_mmap_drm(struct fuzz_state *s, const uint64_t *v)
{
	uint64_t offset = FUZZ_GET(s->offset, s->noffsets, v[1]) + (v[2] & 7 ? 0 : 0x1000);

	mmap(slot(s, v[0]), lengths[v[3] & 3], v[4] & 3 ? PROT_READ | PROT_WRITE : PROT_NONE,
	     (v[4] & 4 ? MAP_PRIVATE : MAP_SHARED) | MAP_FIXED, FUZZ_GET(s->drm, s->ndrm, v[5]),
	     offset);
	return true;
}

static bool op_mmap_kfd(struct fuzz_state *s, const uint64_t *v)
{
	uint64_t offset = (v[1] & 3) << KFD_MMAP_TYPE_SHIFT | KFD_MMAP_GPU_ID(s->gpu_id);

	mmap(slot(s, v[0]), v[2] & 3 ? 8192 : lengths[v[3] & 3], PROT_READ | PROT_WRITE,
	     MAP_SHARED | MAP_FIXED, FUZZ_GET(s->kfd, s->nkfd, v[5]),
	     v[2] & 64 ? offset : offset + (v[2] & 0x7000));
	return true;
}

static bool op_mmap_anon(struct fuzz_state *s, const uint64_t *v)
{
	mmap(slot(s, v[0]), lengths[v[1] & 3], v[2] & 7 ? PROT_READ | PROT_WRITE : PROT_READ,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | (v[2] & 8 ? MAP_POPULATE : 0), -1, 0);
	return true;
}

static bool op_munmap(struct fuzz_state *s, const uint64_t *v)
{
	munmap(slot(s, v[0]) + (v[1] & 3 ? 0 : 0x1000), lengths[v[2] & 3]);
	return true;
}

static bool op_mprotect(struct fuzz_state *s, const uint64_t *v)
{
	static const int prots[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE };

	mprotect(slot(s, v[0]), lengths[v[2] & 3], prots[v[1] % 3]);
	return true;
}

static bool op_madvise(struct fuzz_state *s, const uint64_t *v)
{
	static const int advice[] = { MADV_DONTNEED, MADV_HUGEPAGE, MADV_FREE, MADV_DONTFORK,
				      MADV_COLD };

	madvise(slot(s, v[0]), lengths[v[2] & 3], advice[v[1] % 5]);
	return true;
}

static bool op_mremap(struct fuzz_state *s, const uint64_t *v)
{
	size_t len = lengths[v[2] & 3];

	mremap(slot(s, v[0]), len, len, MREMAP_MAYMOVE | MREMAP_FIXED, slot(s, v[1]));
	return true;
}

/* A page of a slot: faults end the operation. */
static bool op_touch(struct fuzz_state *s, const uint64_t *v)
{
	volatile uint64_t *p = (void *)(slot(s, v[0]) + (v[1] & 0xfff8));

	if (v[2] & 1)
		*p = v[3];
	else
		(void)*p;
	return true;
}

/* ------------------------------------------------------------------- packets */

/* Headers that mean something to one of the three kinds of rings. */
static uint32_t header(uint32_t type, uint64_t v)
{
	static const uint8_t pm4[] = { 0x10, 0x37, 0x40, 0x1e, 0x3c, 0x50, 0x3f, 0x76, 0x79, 0x15,
				       0x16, 0x46, 0x58, 0x49, 0x22, 0x23, 0x93 };

	switch (type) {
	case KFD_IOC_QUEUE_TYPE_COMPUTE_AQL:
		return v % 7 | (v & 0x700) | 2 << 9 | 2 << 11 | 1 << 16;
	case KFD_IOC_QUEUE_TYPE_COMPUTE:
		return 3u << 30 | (v / 64 % 8) << 16 | pm4[v % sizeof(pm4)] << 8;
	}
	return v % 17 | (v / 32 % 10) << 8;
}

/*
 * What has an address gets one that may be mapped; a kernel object finds rubbish
 * to decode there, or a kernel that ends.
 */
static void packet(struct fuzz_state *s, const struct fuzz_queue *q, uint32_t *w, const uint64_t *v)
{
	static const struct fuzz_field va = { .kind = FZ_VA };
	unsigned int i;

	for (i = 1; i < 16; i++)
		w[i] = v[i] & 1 ? v[i] >> 8 & 0xff : v[i] & 2 ? 0 : v[i] >> 8;
	for (i = 4 + (v[1] & 1); i + 1 < 16; i += 4) {
		uint64_t a = fuzz_value(s, &va, v[i]);

		w[i] = a;
		w[i + 1] = a >> 32;
	}
	__atomic_store_n(&w[0], header(q->type, v[0] >> 8), __ATOMIC_RELEASE);
}

static bool op_ring(struct fuzz_state *s, const uint64_t *v)
{
	struct fuzz_queue q = FUZZ_GET(s->queue, s->nqueues, v[14]);
	volatile uint64_t *wptr = (void *)q.wptr;
	bool aql = q.type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
	uint64_t at;
	unsigned int i, n = 1 + v[13] % 4;

	if (!q.bytes || q.bytes & (q.bytes - 1))
		return false;
	at = *wptr * (aql ? 64 : q.type == KFD_IOC_QUEUE_TYPE_COMPUTE ? 4 : 1);
	for (i = 0; i < n; i++, at += 64)
		packet(s, &q, (uint32_t *)(q.ring + (at & (q.bytes - 1) & ~63ul)), v);
	at = at / (aql ? 64 : q.type == KFD_IOC_QUEUE_TYPE_COMPUTE ? 4 : 1);
	*wptr = at;
	if (s->doorbells)
		s->doorbells[(q.doorbell & (FUZZ_DOORBELLS - 1)) / 8] = aql ? at - 1 : at;
	if (v[12] & 1)
		usleep(v[12] >> 8 & 0xfff);
	return true;
}

/* Any word of the doorbells, also those of nobody. */
static bool op_doorbell(struct fuzz_state *s, const uint64_t *v)
{
	if (s->doorbells)
		s->doorbells[v[0] % (FUZZ_DOORBELLS / 8)] = v[1] & 1 ? v[1] >> 8 & 0xff : v[1];
	return true;
}

/* ---------------------------------------------------------------- the others */

static bool op_file(struct fuzz_state *s, const uint64_t *v)
{
	static const char * const names[] = {
		"/sys/kernel/debug/kfd/mqds", "/sys/kernel/debug/kfd/hqds",
		"/sys/kernel/debug/kfd/rls", "/sys/kernel/debug/kfd/processes",
		"/sys/kernel/debug/kfd/mem_limit", "/sys/kernel/debug/kfd/counters",
		"/sys/kernel/debug/kfd/0/queues", "/sys/kernel/debug/kfd/0/stats",
		"/sys/kernel/debug/kfd/0/opcodes",
	};
	char buf[4096];
	int fd = open(names[v[0] % (sizeof(names) / sizeof(names[0]))], O_RDONLY | O_CLOEXEC);

	(void)s;
	if (fd < 0)
		return false;
	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
	return true;
}

/* Of an SMI file, a dma-buf or a device. */
static bool op_io(struct fuzz_state *s, const uint64_t *v)
{
	int fd = any_fd(s, v[0]);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char buf[256];

	if (fd <= 2)
		return false;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (v[1] & 1)
		(void)!write(fd, &v[2], v[1] & 2 ? 8 : v[3] & 63);
	if (poll(&p, 1, 0) > 0 || v[1] & 4)
		(void)!read(fd, buf, v[1] & 8 ? sizeof(buf) : v[3] & 63);
	if (v[1] & 16)
		lseek(fd, 0, SEEK_END);
	return true;
}

/* A child that has all of it, uses some, and ends in one way or another. */
static bool op_fork(struct fuzz_state *s, const uint64_t *v)
{
	int status;
	pid_t pid = fork();

	if (pid) {
		if (pid > 0 && v[0] & 1)
			kill(pid, SIGKILL);
		if (pid > 0)
			waitpid(pid, &status, 0);
		return pid > 0;
	}
	alarm(2);
	op_touch(s, v + 1);
	if (v[0] & 2)
		op_open_kfd(s, v);
	op_io(s, v + 4);
	op_munmap(s, v + 6);
	_exit(0);
	return true;
}

static bool op_sleep(struct fuzz_state *s, const uint64_t *v)
{
	(void)s;
	usleep(v[0] & 0x1fff);
	return true;
}

static bool op_die(struct fuzz_state *s, const uint64_t *v)
{
	(void)s;
	if (!(v[0] & 3))
		kill(getpid(), SIGKILL);
	return true;
}

#define OP(_name, _weight)	{ .name = #_name, .weight = _weight, .fn = op_##_name }
#define WORK(_name, _weight)	{ .name = #_name, .weight = _weight, .fn = fuzz_op_##_name, \
				  .work = true }

const struct fuzz_call fuzz_ops[] = {
	OP(open_kfd, 2), OP(open_drm, 2), OP(close, 2), OP(mmap_drm, 6), OP(mmap_kfd, 4),
	OP(mmap_anon, 4), OP(munmap, 4), OP(mprotect, 2), OP(madvise, 3), OP(mremap, 2),
	OP(touch, 8), OP(ring, 12), OP(doorbell, 3), OP(file, 2), OP(io, 3), OP(fork, 1),
	OP(sleep, 2), OP(die, 1), WORK(queue, 8), WORK(kernel, 12), WORK(pause, 5),
	WORK(wave_state, 6), WORK(save, 5), WORK(scribble, 2), WORK(wait, 4), WORK(job, 4),
};
const unsigned int fuzz_nr_ops = sizeof(fuzz_ops) / sizeof(fuzz_ops[0]);
