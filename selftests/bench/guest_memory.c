// SPDX-License-Identifier: MIT
/*
 * Memory that moves: shared memory to a GPU and back, where the kernel has page frames for that,
 * against memcpy(); memory that the GPU is the first to touch; and copies from GPU to GPU, against
 * copies of host memory by the same engine.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "guest.h"
#include "rig_sdma.h"
#include "work.h"

#define MB		(1ul << 20)
#define MOVE_BYTES	(256 * MB)
#define MOVE_ROUNDS	3u
#define TOUCH_BYTES	(64 * MB)
#define TOUCH_ROUNDS	5u
#define PEER_BYTES	(16 * MB)
#define PEER_ROUNDS	100u
#define TICK_NS		10.0		/* of a dispatch's time stamps */
#define PARAM		"/sys/module/vkfd/parameters/svm_migrate"

enum { PREFETCH = KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, ACCESS = KFD_IOCTL_SVM_ATTR_ACCESS };

static double mb_per_s(double bytes, const double *t, u32 n)
{
	return bytes / best(t, n) * 1e3;
}

/* Small pages, so that nothing is made of them meanwhile; at a granule of the default size */
static char *memory(size_t bytes)
{
	char *p = mmap(NULL, bytes + 2 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	p = (char *)(((uintptr_t)p + 2 * MB - 1) & -(2 * MB));
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

static void fill(char *p, size_t bytes, u32 seed)
{
	u32 *words = (u32 *)p;
	size_t i;

	for (i = 0; i < bytes / 4; i++)
		words[i] = seed + i * 2654435761u;
}

static bool filled(const char *p, size_t bytes, u32 seed)
{
	const u32 *words = (const u32 *)p;
	size_t i;

	for (i = 0; i < bytes / 4; i++)
		if (words[i] != seed + (u32)i * 2654435761u)
			return false;
	return true;
}

/* ------------------------------------------------------------------ migration */

static bool set_param(const char *value)
{
	int fd = open(PARAM, O_WRONLY);
	bool done = fd >= 0 && write(fd, value, 1) == 1;

	if (fd >= 0)
		close(fd);
	return done;
}

/* All of it but what the kernel has in its hands */
static bool moved(u64 before, u64 after)
{
	return after - before >= MOVE_BYTES / RIG_PAGE * 99 / 100;
}

enum { BY_MEMCPY, IN_PREFETCH, BACK_FAULT, BACK_PREFETCH, MOVES };

/* A CPU reads a word of each page. */
static u32 read_pages(const char *p)
{
	u32 sum = 0;
	size_t i;

	for (i = 0; i < MOVE_BYTES; i += RIG_PAGE)
		sum += *(volatile u32 *)(p + i);
	return sum;
}

static bool move_to(struct bench_gpu *g, char *p, bool in, double *ns)
{
	const char *counter = in ? "page_in" : "page_out";
	u64 before = rig_counter(&g->r, counter);
	int ret;

	*ns = now_ns();
	ret = rig_svm_set(&g->r, p, MOVE_BYTES, PREFETCH, in ? g->r.gpu_id : 0);
	*ns = now_ns() - *ns;
	return !ret && moved(before, rig_counter(&g->r, counter));
}

static void move_rounds(struct bench_gpu *g, char *p, char *other)
{
	static const char * const names[MOVES] = {
		"memory_memcpy", "memory_in_prefetch", "memory_back_fault", "memory_back_prefetch",
	};
	double t[MOVES][MOVE_ROUNDS], again;
	u32 n, i;
	u64 out;

	for (n = 0; n < MOVE_ROUNDS; n++) {
		fill(p, MOVE_BYTES, n);
		t[BY_MEMCPY][n] = now_ns();
		memcpy(other, p, MOVE_BYTES);
		t[BY_MEMCPY][n] = now_ns() - t[BY_MEMCPY][n];
		if (!move_to(g, p, true, &t[IN_PREFETCH][n]) ||
		    !move_to(g, p, false, &t[BACK_PREFETCH][n]) || !move_to(g, p, true, &again))
			complain(g, "memory", "a prefetch has not moved it");
		out = rig_counter(&g->r, "page_out");
		t[BACK_FAULT][n] = now_ns();
		read_pages(p);
		t[BACK_FAULT][n] = now_ns() - t[BACK_FAULT][n];
		if (!moved(out, rig_counter(&g->r, "page_out")))
			complain(g, "memory", "a touch has not brought it back");
		if (!filled(p, MOVE_BYTES, n))
			complain(g, "memory", "wrong bytes");
	}
	for (i = 0; i < MOVES; i++)
		row(names[i], mb_per_s(MOVE_BYTES, t[i], MOVE_ROUNDS), "MB_per_s");
}

static void bench_moves(struct bench_gpu *g)
{
	char *p, *other;

	if (access(PARAM, F_OK)) {
		printf("# memory: this kernel has no device-private pages, so nothing moves\n");
		return;
	}
	p = memory(MOVE_BYTES);
	other = memory(MOVE_BYTES);
	if (!p || !other || !set_param("Y") ||
	    rig_svm_set(&g->r, p, MOVE_BYTES, ACCESS, g->r.gpu_id)) {
		complain(g, "memory", "no memory to move");
		return;
	}
	memset(other, 1, MOVE_BYTES);
	move_rounds(g, p, other);
	set_param("N");
	munmap(p, MOVE_BYTES);
	munmap(other, MOVE_BYTES);
}

/* ---------------------------------------------------------------- first touch */

static bool touch_by_gpu(struct bench_gpu *g, char *p, double *ns)
{
	const u64 args[1] = { (uintptr_t)p };
	struct rig_signal *s = rig_signal(&g->r, 1);
	union rig_packet packet;
	struct rig_kernel k;

	if (rig_kernel(&g->r, "touch_pages", &k))
		return false;
	rig_dispatch_packet(&packet, &k, TOUCH_BYTES / RIG_PAGE / BENCH_GROUP, BENCH_GROUP,
			    rig_args(&g->r, args, sizeof(args)), s);
	*ns = now_ns();
	rig_submit(&g->q, &packet);
	/* Asleep: the thread that brings pages in wants a CPU, too. */
	if (!rig_wait(s, 0, RIG_LONG))
		return false;
	*ns = (s->end_ts - s->start_ts) * TICK_NS;
	return true;
}

static void touch_by_cpu(char *p, double *ns)
{
	u32 i;

	*ns = now_ns();
	for (i = 0; i < TOUCH_BYTES / RIG_PAGE; i++)
		*(volatile u32 *)(p + i * RIG_PAGE) = i + 1;
	*ns = now_ns() - *ns;
}

static bool touched(const char *p)
{
	u32 i;

	for (i = 0; i < TOUCH_BYTES / RIG_PAGE; i++)
		if (*(volatile u32 *)(p + i * RIG_PAGE) != i + 1)
			return false;
	return true;
}

/* Memory of the process that nobody has touched; in no range, as XNACK lets the GPU. */
static void bench_touch(struct bench_gpu *g)
{
	double gpu[TOUCH_ROUNDS], cpu[TOUCH_ROUNDS];
	u32 n;

	for (n = 0; n < TOUCH_ROUNDS; n++) {
		char *p = memory(TOUCH_BYTES), *q = memory(TOUCH_BYTES);

		if (!p || !q || !touch_by_gpu(g, p, &gpu[n])) {
			complain(g, "first touch", "no memory, or no end");
			return;
		}
		touch_by_cpu(q, &cpu[n]);
		if (!touched(p) || !touched(q))
			complain(g, "first touch", "wrong words");
		munmap(p, TOUCH_BYTES);
		munmap(q, TOUCH_BYTES);
	}
	row("touch_gpu", TOUCH_BYTES / RIG_PAGE / best(gpu, TOUCH_ROUNDS) * 1e9, "pages_per_s");
	row("touch_cpu", TOUCH_BYTES / RIG_PAGE / best(cpu, TOUCH_ROUNDS) * 1e9, "pages_per_s");
}

/* XNACK is set while there is no queue. */
static bool xnack_on(struct bench_gpu *g)
{
	struct kfd_ioctl_set_xnack_mode_args x = { .xnack_enabled = 1 };

	return !rig_queue_destroy(&g->r, &g->q) &&
	       !rig_ioctl(&g->r, AMDKFD_IOC_SET_XNACK_MODE, &x) &&
	       !rig_queue_create(&g->r, RING, &g->q);
}

/* ---------------------------------------------------------------------- peers */

static int map_on(struct rig *r, const struct rig_mem *m, u32 gpu_id)
{
	struct kfd_ioctl_map_memory_to_gpu_args args = {
		.handle = m->handle, .device_ids_array_ptr = (uintptr_t)&gpu_id, .n_devices = 1,
	};

	return rig_ioctl(r, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args);
}

static double copy_once(struct bench_gpu *g, struct rig_sdma *q, char *dst, char *src)
{
	double t;

	memset(dst, 0, PEER_BYTES);
	t = now_ns();
	rig_sdma_copy(q, dst, src, PEER_BYTES);
	if (!spin_until(q->fences, rig_sdma_submit(q)))
		complain(g, "peers", "no end");
	t = now_ns() - t;
	if (memcmp(dst, src, PEER_BYTES))
		complain(g, "peers", "wrong bytes");
	return t;
}

static void peer_rounds(struct bench_gpu *g, struct rig_mem *m)
{
	double peer[PEER_ROUNDS], host[PEER_ROUNDS];
	struct rig_sdma q = { 0 };
	u32 n;

	if (rig_sdma_create(&g->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &q)) {
		complain(g, "peers", "no queue");
		return;
	}
	fill(m[0].p, PEER_BYTES, 3);
	fill(m[2].p, PEER_BYTES, 4);
	for (n = 0; n < PEER_ROUNDS; n++) {
		peer[n] = copy_once(g, &q, m[1].p, m[0].p);
		host[n] = copy_once(g, &q, m[3].p, m[2].p);
	}
	row("peer_sdma", mb_per_s(PEER_BYTES, peer, PEER_ROUNDS), "MB_per_s");
	row("peer_host_sdma", mb_per_s(PEER_BYTES, host, PEER_ROUNDS), "MB_per_s");
	if (rig_sdma_destroy(&g->r, &q))
		complain(g, "peers", "the queue cannot be destroyed");
}

/* From one GPU's memory to another's, by an engine of the first */
static void bench_peers(struct bench_gpu *g)
{
	struct rig_mem m[4];
	struct rig other;
	u32 id;
	int fd = rig_find_gpu(g->r.gpu_id, &id);

	if (fd < 0) {
		printf("# peers: there is one GPU\n");
		return;
	}
	if (rig_open_on(&other, fd, id) || rig_alloc(&g->r, VRAM, PEER_BYTES, &m[0]) ||
	    rig_alloc(&other, VRAM, PEER_BYTES, &m[1]) || map_on(&g->r, &m[1], g->r.gpu_id) ||
	    rig_anon(&g->r, PEER_BYTES, &m[2]) || rig_anon(&g->r, PEER_BYTES, &m[3])) {
		complain(g, "peers", "no memory");
		return;
	}
	peer_rounds(g, m);
	rig_close(&other);
}

void bench_memory(struct bench_gpu *g)
{
	struct utsname u;

	uname(&u);
	printf("# memory: Linux %s\n", u.release);
	bench_moves(g);
	bench_peers(g);
	if (xnack_on(g))
		bench_touch(g);
	else
		complain(g, "first touch", "no XNACK");
}
