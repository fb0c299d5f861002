/* SPDX-License-Identifier: MIT */
/* A process that is worth a checkpoint: a kernel amid its work, and queues that wait. */
#ifndef CRIU_WORKER_H
#define CRIU_WORKER_H

#include "criu_util.h"
#include "rig_pm4.h"
#include "rig_sdma.h"

#define KEEP_GROUPS	8u
#define KEEP_ITEMS	(KEEP_GROUPS * 128u)
#define OUT		1024u	/* words of the data: what "keep" writes */
#define SUM		4096u	/* what a kernel behind it adds to */
#define WORD_BYTES	(16 * RIG_PAGE)

/* What the process that is saved says of itself; the same memory in all of them */
struct said {
	volatile u32 ready, go;
	struct rig r;
	struct rig_queue q;
	struct rig_sdma sdma;
	struct pm4_queue pm4;
	struct rig_mem data, vram;
	struct rig_signal *kernel, *behind;
	u32 event, slot, fence;
	u32 *shared;
};

FIXTURE(criu) {
	struct said *said;
	struct dump d;
	pid_t pid;
};

static inline int event_signal(struct said *s, struct rig_signal *sig)
{
	int ret = rig_event(&s->r, KFD_IOC_EVENT_SIGNAL, &s->event, &s->slot);

	sig->event_id = s->event;
	sig->mailbox = (uintptr_t)&s->r.event_page[s->slot];
	return ret;
}

static inline struct rig_signal *start_keep(struct said *s)
{
	u32 *w = s->data.p;

	return start(&s->r, &s->q, "keep", (uintptr_t)&w[0], (uintptr_t)&w[OUT], KEEP_GROUPS, 128);
}

static inline bool keep_runs(const struct said *s)
{
	u32 *w = s->data.p, i;

	for (i = 0; i < KEEP_ITEMS; i += 32)
		if (!rig_wait32(&w[OUT + i], 1, RIG_LONG))
			return false;
	return true;
}

static inline bool keep_right(const struct said *s)
{
	u32 *w = s->data.p, i;

	for (i = 0; i < KEEP_ITEMS; i++)
		if (w[OUT + i] != 0x10000 + i + (i % 128) * 3 + 1)
			return false;
	return true;
}

/* Adds 5, but not before the packets in front have ended. */
static inline struct rig_signal *start_behind(struct said *s, u32 *p)
{
	struct add_args a = { (uintptr_t)p, 5 };
	struct rig_signal *sig = rig_signal(&s->r, 1);
	union rig_packet pk;
	struct rig_kernel k;

	if (rig_kernel(&s->r, "add_to", &k))
		return sig;
	rig_dispatch_packet(&pk, &k, 1, 64, rig_args(&s->r, &a, sizeof(a)), sig);
	pk.dispatch.header |= RIG_BARRIER_BIT;
	rig_submit(&s->q, &pk);
	return sig;
}

/* The process that is saved: a kernel in the middle, a packet behind it, two queues that wait. */
static inline int worker(struct said *s)
{
	u32 *w, i;
	int ret;

	ret = rig_open(&s->r);
	if (!ret)
		ret = rig_load(&s->r);
	if (!ret)
		ret = rig_queue_create(&s->r, RIG_RING, &s->q);
	if (!ret)
		ret = rig_sdma_create(&s->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &s->sdma);
	if (!ret)
		ret = pm4_create(&s->r, PM4_RING, 7, &s->pm4);
	if (!ret)
		ret = rig_anon(&s->r, WORD_BYTES, &s->data);
	if (!ret)
		ret = rig_alloc(&s->r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM |
				KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC, WORD_BYTES, &s->vram);
	if (ret) {
		TH_LOG("worker: %d", ret);
		fflush(stdout);
		return 1;
	}
	for (i = 0; i < WORD_BYTES / 4; i++)
		((u32 *)s->vram.p)[i] = i * 7 + 3;
	s->shared = mmap(NULL, 4 * RIG_PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(s->shared, 0, 4 * RIG_PAGE);
	if (rig_svm_set(&s->r, s->shared, 4 * RIG_PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, s->r.gpu_id) ||
	    rig_svm_set(&s->r, s->shared, 4 * RIG_PAGE, KFD_IOCTL_SVM_ATTR_GRANULARITY, 5))
		return 2;
	w = s->data.p;
	s->kernel = start_keep(s);
	if (event_signal(s, s->kernel))
		return 3;
	s->behind = start_behind(s, &w[SUM]);
	SDMA_PUT(&s->sdma, SDMA_POLL_EQ, VA(&w[1]), 1, ~0u, SDMA_POLL_FOREVER);
	s->fence = rig_sdma_submit(&s->sdma);
	PM4_SUBMIT(&s->pm4, PM4_WAIT(&w[2], 1), PM4_WRITE(&w[3], 77));
	if (!keep_runs(s))
		return 4;
	usleep(50000);
	s->ready = 1;
	while (!s->go)
		usleep(1000);
	w[0] = w[1] = w[2] = 1;
	return !rig_wait(s->kernel, 0, RIG_LONG) || !keep_right(s) ||
	       !rig_wait(s->behind, 0, RIG_LONG) ? 5 : 0;
}

/* The same with a kernel that a PM4 queue has started, and a fence behind it. */
static inline int worker_pm4(struct said *s)
{
	struct spin_args a;
	struct rig_kernel k;
	u32 dw[64], n, *w;

	if (rig_open(&s->r) || rig_load(&s->r) || pm4_create(&s->r, PM4_RING, 7, &s->pm4) ||
	    rig_anon(&s->r, WORD_BYTES, &s->data) || rig_kernel(&s->r, "spin", &k))
		return 1;
	w = s->data.p;
	a = (struct spin_args){ (uintptr_t)&w[0], (uintptr_t)&w[1] };
	n = pm4_kernel(&k, rig_args(&s->r, &a, sizeof(a)), 3, 64, dw);
	pm4_put(&s->pm4, dw, n);
	PM4_SUBMIT(&s->pm4, PM4_RELEASE(1, 0, &w[2], 77, 0));
	if (!rig_wait32(&w[1], 1, RIG_LONG))
		return 2;
	s->ready = 1;
	for (;;)
		pause();
}

static inline pid_t start_worker(struct said *s, int (*body)(struct said *s))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	memset(s, 0, sizeof(*s));
	pid = fork();
	if (!pid)
		_exit(body(s));
	while (pid > 0 && !s->ready && !waitpid(pid, &status, WNOHANG))
		usleep(1000);
	if (!s->ready)
		TH_LOG("worker: status %x", status);
	return s->ready ? pid : -1;
}

FIXTURE_SETUP(criu)
{
	self->said = mmap(NULL, sizeof(*self->said), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(self->said, MAP_FAILED);
	ASSERT_EQ(dump_init(&self->d), 0);
	self->pid = start_worker(self->said, worker);
	ASSERT_GT(self->pid, 0);
	ASSERT_EQ(dump_seize(&self->d, self->pid, self->said->r.kfd), 0);
	self->d.doorbells = (uintptr_t)self->said->r.doorbells;
	self->d.gpu_id = self->said->r.gpu_id;
}

FIXTURE_TEARDOWN(criu)
{
	if (self->pid > 0) {
		kill(self->pid, SIGKILL);
		waitpid(self->pid, NULL, 0);
	}
}

static inline void kill_worker(FIXTURE_DATA(criu) *self)
{
	kill(self->pid, SIGKILL);
	ASSERT_EQ(waitpid(self->pid, NULL, 0), self->pid);
	self->pid = 0;
	close(self->d.kfd);
}

/* Everything of the worker, which is then gone. */
static inline void dump_all(FIXTURE_DATA(criu) *self)
{
	ASSERT_EQ(dump_info(&self->d), 0);
	EXPECT_EQ(self->d.args.pid, (u32)self->pid);
	ASSERT_EQ(dump_checkpoint(&self->d), 0);
	ASSERT_EQ(dump_memory(&self->d), 0);
	kill_worker(self);
}

/* ------------------------------------------------------- in the new process */

/* As the plugin: RESTORE, then the process's memory; RESUME comes from outside. */
static inline int restore(struct dump *d, struct said *s)
{
	int drm[32], ret, kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);

	if (kfd < 0)
		return 10;
	load_nodes(d, drm);
	ret = criu_op(kfd, KFD_CRIU_OP_RESTORE, &d->args);
	if (!ret)
		ret = load_memory(d);
	if (!ret)
		ret = load_buffers(d, kfd, drm);
	if (ret) {
		TH_LOG("restore: %d", ret);
		return 11;
	}
	s->r.kfd = kfd;
	s->r.drm = drm[gpu_at(d)];
	return 0;
}

#endif /* CRIU_WORKER_H */
