// SPDX-License-Identifier: MIT
/*
 * A GPU's memory that is wanted by more than it has room for: what KFD refuses, what leaves for
 * whom, and that whoever has to leave goes on, none the worse for it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>

#include "../drm/cs_util.h"
#include "peer.h"
#include "queue_test.h"

#define VRAM		KFD_IOC_ALLOC_MEM_FLAGS_VRAM
#define MASK(name)	KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_##name)
#define SMALL		(16 * MB)
#define ROUNDS		20
#define ROUNDS_MS	10000	/* they end after that, too */
#define PEACE_MS	10

FIXTURE(pressure) {
	struct rig r;
	struct rig_queue q;
	int smi;
	u64 vram;		/* bytes that nobody has */
	struct rig_mem data;	/* in VRAM */
	volatile u32 *w;
};

static u64 info(int fd, u32 query)
{
	u64 n = 0;

	ASSERT_EQ(drm_info(fd, query, &n, sizeof(n)), 0);
	return n;
}

static u64 vram_free(int fd)
{
	struct drm_amdgpu_info_vram_gtt g;

	ASSERT_EQ(drm_info(fd, AMDGPU_INFO_VRAM_GTT, &g, sizeof(g)), 0);
	return g.vram_size - vram_used(fd);
}

/* Memory of a process that has just ended, of an earlier test, may still be on its way back. */
static u64 settled_vram(int fd)
{
	u64 end = rig_ms() + RIG_LONG, room = vram_free(fd), was;

	do {
		was = room;
		usleep(20000);
		room = vram_free(fd);
	} while (room != was && rig_ms() < end);
	return room;
}

static bool vram_becomes(int fd, u64 used)
{
	u64 end = rig_ms() + RIG_LONG;

	while (vram_used(fd) != used && rig_ms() < end)
		usleep(1000);
	return vram_used(fd) == used;
}

static u64 part(u64 bytes, unsigned int tenths)
{
	return (bytes / 10 * tenths) & -RIG_PAGE;
}

static u64 evictions(int fd)
{
	return info(fd, AMDGPU_INFO_NUM_EVICTIONS);
}

static int listen(struct rig *r, u64 mask)
{
	struct kfd_ioctl_smi_events_args a = { .gpuid = r->gpu_id };

	ASSERT_EQ(rig_ioctl(r, AMDKFD_IOC_SMI_EVENTS, &a), 0);
	ASSERT_EQ(write(a.anon_fd, &mask, sizeof(mask)), (ssize_t)sizeof(mask));
	return a.anon_fd;
}

/*
 * As libhsakmt has it for what it allocates: fork() write-protects memory that child and parent
 * share, and the queues of a process stop when its USERPTRs change.
 */
static void not_for_children(const struct rig_mem *m)
{
	ASSERT_EQ(madvise(m->p, m->bytes, MADV_DONTFORK), 0);
}

static int setup(FIXTURE_DATA(pressure) *self)
{
	int ret = rig_open(&self->r);

	if (ret)
		return ret;
	self->smi = listen(&self->r, MASK(QUEUE_EVICTION) | MASK(QUEUE_RESTORE) |
			   MASK(MIGRATE_START));
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	not_for_children(&self->r.signals);
	not_for_children(&self->r.args);
	not_for_children(&self->r.shared_area);
	not_for_children(&self->q.ring_mem);
	not_for_children(&self->q.amd_mem);
	ASSERT_EQ(rig_alloc(&self->r, VRAM, 16 * RIG_PAGE, &self->data), 0);
	self->w = self->data.p;
	self->vram = settled_vram(self->r.drm);
	return 0;
}

FIXTURE_SETUP(pressure)
{
	struct drm_amdgpu_info_vram_gtt g;

	ASSERT_EQ(setup(self), 0);
	ASSERT_EQ(drm_info(self->r.drm, AMDGPU_INFO_VRAM_GTT, &g, sizeof(g)), 0);
	if (g.vram_size > g.gtt_size)
		SKIP(return, "system memory has no room for what leaves");
}

FIXTURE_TEARDOWN(pressure)
{
	rig_close(&self->r);
}

/* The next line of events within @ms: its number, and the rest of it; 0: none. */
static unsigned int event(int smi, unsigned int ms, char *text, size_t bytes)
{
	struct pollfd p = { .fd = smi, .events = POLLIN };
	unsigned int id = 0;
	size_t i = 0;

	text[0] = 0;
	if (poll(&p, 1, ms) != 1)
		return 0;
	while (i < bytes - 1 && read(smi, &text[i], 1) == 1 && text[i++] != '\n')
		;
	text[i] = 0;
	sscanf(text, "%x", &id);
	return id;
}

/* An event of the queues: when, in ns, and its last number. */
static long long queue_event(FIXTURE_DATA(pressure) *self, unsigned int id, int *what)
{
	char text[128];
	long long ns = 0;
	int pid = 0;
	unsigned int gpu = 0;

	EXPECT_EQ(event(self->smi, RIG_LONG, text, sizeof(text)), id);
	EXPECT_EQ(sscanf(text, "%*x %lld -%d %x %d", &ns, &pid, &gpu, what), 4);
	EXPECT_EQ(pid, getpid());
	EXPECT_EQ(gpu, self->r.gpu_id);
	return ns;
}

static struct rig_signal *start_spin(FIXTURE_DATA(pressure) *self)
{
	struct rig_signal *s = start(&self->r, &self->q, "spin", (uintptr_t)&self->w[0],
				     (uintptr_t)&self->w[1], 2, 64);

	ASSERT_TRUE(rig_wait32(&self->w[1], 1, RIG_LONG));
	return s;
}

static void stop_spin(FIXTURE_DATA(pressure) *self, struct rig_signal *s)
{
	u32 seen = self->w[1];

	EXPECT_TRUE(rig_wait32(&self->w[1], seen + 1, RIG_LONG));
	self->w[0] = 1;
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
}

/* ------------------------------------------------------------- what is refused */

static void allocates(struct peer *me, u64 bytes)
{
	struct kfd_ioctl_get_available_memory_args a = { 0 };
	struct rig_mem m;
	struct rig r;

	peer_wait(me);
	ASSERT_EQ(rig_open(&r), 0);
	a.gpu_id = r.gpu_id;
	ASSERT_EQ(rig_ioctl(&r, AMDKFD_IOC_AVAILABLE_MEMORY, &a), 0);
	EXPECT_LT(a.available, bytes);
	EXPECT_EQ(rig_alloc(&r, VRAM, bytes, &m), -ENOMEM);
	EXPECT_EQ(rig_alloc(&r, VRAM, bytes / 3, &m), 0);
}

/* What all processes have allocated together never exceeds a GPU's memory. */
TEST_F(pressure, kfd_is_not_overcommitted)
{
	u64 before = evictions(self->r.drm);
	struct rig_mem m;
	struct peer p;

	peer_start(&p, allocates, part(self->vram, 7));
	ASSERT_EQ(rig_alloc(&self->r, VRAM, part(self->vram, 7), &m), 0);
	peer_go(&p);
	peer_end(&p);
	EXPECT_EQ(evictions(self->r.drm), before);
}

/* ------------------------------------------------------ who leaves, who comes back */

static void takes_vram(struct peer *me, u64 bytes)
{
	int fd = drm_open();
	u64 used = vram_used(fd);
	u32 h;

	peer_wait(me);
	ASSERT_EQ(gem_create(fd, bytes, AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT, 0, &h), 0);
	EXPECT_EQ(vram_used(fd), used);
	EXPECT_EQ(gem_close(fd, h), 0);
	ASSERT_EQ(gem_create(fd, bytes, AMDGPU_GEM_DOMAIN_VRAM, 0, &h), 0);
	peer_go(me);
	peer_wait(me);
}

/* Objects of others make a process leave, oldest objects first, and it comes back. */
TEST_F(pressure, queues_stop_and_go_on)
{
	long long off, on;
	struct rig_signal *s;
	u64 used, before;
	struct rig_mem m;
	struct peer p;
	u32 seen;
	int what;

	ASSERT_EQ(rig_alloc(&self->r, VRAM, part(self->vram, 7), &m), 0);
	peer_start(&p, takes_vram, part(self->vram, 6));
	s = start_spin(self);
	before = evictions(self->r.drm);
	used = vram_used(self->r.drm);
	peer_go(&p);
	off = queue_event(self, KFD_SMI_EVENT_QUEUE_EVICTION, &what);
	EXPECT_EQ(what, KFD_QUEUE_EVICTION_TRIGGER_TTM);
	on = queue_event(self, KFD_SMI_EVENT_QUEUE_RESTORE, &what);
	EXPECT_EQ(what, 0);
	EXPECT_GE(on - off, 50 * 1000000);
	peer_wait(&p);
	seen = self->w[1];
	EXPECT_TRUE(rig_wait32(&self->w[1], seen + 1, RIG_LONG));
	/* Code, data and the large object left; the other's made room for them, as nobody uses it. */
	EXPECT_TRUE(vram_becomes(self->r.drm, used));
	EXPECT_GE(evictions(self->r.drm), before + 4);
	peer_go(&p);
	peer_end(&p);
	stop_spin(self, s);
}

/* A process is not stopped for itself: its object goes to system memory. */
TEST_F(pressure, own_objects_stay)
{
	u64 before = evictions(self->r.drm), used;
	struct rig_mem m;
	int fd = drm_open();
	u32 h;

	ASSERT_EQ(rig_alloc(&self->r, VRAM, part(self->vram, 7), &m), 0);
	used = vram_used(fd);
	ASSERT_EQ(gem_create(fd, part(self->vram, 6), AMDGPU_GEM_DOMAIN_VRAM, 0, &h), 0);
	EXPECT_EQ(vram_used(fd), used);
	EXPECT_EQ(evictions(fd), before);
}

static void *allocate(void *arg)
{
	FIXTURE_DATA(pressure) *self = arg;
	u64 end = rig_ms() + RIG_LONG;
	struct rig_mem m;
	int ret;

	do
		ret = rig_alloc(&self->r, VRAM, part(self->vram, 9), &m);
	while (ret == -ENOMEM && rig_ms() < end);
	ASSERT_EQ(ret, 0);
	return NULL;
}

static void chunk_of(struct cs *cs, struct drm_amdgpu_bo_list_in *in,
		     struct drm_amdgpu_bo_list_entry *e, u32 handle)
{
	*e = (struct drm_amdgpu_bo_list_entry){ .bo_handle = handle };
	*in = (struct drm_amdgpu_bo_list_in){
		.operation = ~0u, .list_handle = ~0u, .bo_number = 1,
		.bo_info_size = sizeof(*e), .bo_info_ptr = (uintptr_t)e,
	};
	cs_chunk(cs, AMDGPU_CHUNK_ID_BO_HANDLES, in, sizeof(*in));
}

/* KFD's objects displace others', but not while these are in use. */
TEST_F(pressure, jobs_end_first)
{
	struct drm_amdgpu_bo_list_entry e;
	struct drm_amdgpu_bo_list_in in;
	struct cs_file f;
	struct cs cs = { .f = &f };
	u64 before, ms;
	struct rig_mem m;
	pthread_t t;
	u32 h, *p, i;

	cs_open(&f);
	ASSERT_EQ(gem_create(f.fd, part(self->vram, 2), AMDGPU_GEM_DOMAIN_VRAM, 0, &h), 0);
	p = gem_map(f.fd, h, part(self->vram, 2));
	ASSERT_NE((void *)p, MAP_FAILED);
	p[5] = 55;
	before = evictions(f.fd);
	CS_IB(&cs, DMA, 0, SDMA_POLL_EQ, VA(&f.w[0]), 1, ~0u, SDMA_POLL_FOREVER);
	chunk_of(&cs, &in, &e, h);
	ASSERT_EQ(cs_submit(&cs), 0);
	ASSERT_EQ(pthread_create(&t, NULL, allocate, self), 0);
	usleep(200000);
	EXPECT_EQ(evictions(f.fd), before);
	/* Nobody else of the process waits for it: two seconds, if so, as on a busy host once. */
	for (i = 0, ms = 1500; i < 5 && ms >= 1500; i++) {
		usleep(100000);		/* until the thread is in it again */
		ms = rig_ms();
		ASSERT_EQ(rig_alloc(&self->r, KFD_IOC_ALLOC_MEM_FLAGS_GTT, RIG_PAGE, &m), 0);
		ms = rig_ms() - ms;
	}
	EXPECT_LT(ms, 1500);
	f.w[0] = 1;
	ASSERT_EQ(pthread_join(t, NULL), 0);
	EXPECT_EQ(evictions(f.fd), before + 1);
	EXPECT_EQ(p[5], 55);
	cs_close(&f);
}

/* Who wants room of a job of his own that does not end gets system memory, and so does not hang. */
TEST_F(pressure, jobs_that_do_not_end)
{
	struct drm_amdgpu_bo_list_entry e;
	struct drm_amdgpu_bo_list_in in;
	struct cs_file f;
	struct cs cs = { .f = &f };
	u64 used;
	u32 h;

	cs_open(&f);
	ASSERT_EQ(gem_create(f.fd, part(self->vram, 7), AMDGPU_GEM_DOMAIN_VRAM, 0, &h), 0);
	CS_IB(&cs, DMA, 0, SDMA_POLL_EQ, VA(&f.w[0]), 1, ~0u, SDMA_POLL_FOREVER);
	chunk_of(&cs, &in, &e, h);
	ASSERT_EQ(cs_submit(&cs), 0);
	used = vram_used(f.fd);
	ASSERT_EQ(gem_create(f.fd, part(self->vram, 7), AMDGPU_GEM_DOMAIN_VRAM, 0, &h), 0);
	EXPECT_EQ(vram_used(f.fd), used);
	f.w[0] = 1;
	ASSERT_EQ(cs_wait(&f, AMDGPU_HW_IP_DMA, 0, cs.seq), 0);
	cs_close(&f);
}

/* ------------------------------------------------------------- both get on */

/* Objects that come and go, each displaced, filled by SDMA, and read by the CPU. */
static void submits(struct peer *me, u64 end)
{
	struct drm_amdgpu_bo_list_entry e;
	struct drm_amdgpu_bo_list_in in;
	struct cs_file f;
	u32 h, i, k, *p;

	peer_wait(me);
	cs_open(&f);
	for (i = 1; i <= ROUNDS && rig_ms() < end; i++) {
		struct cs cs = { .f = &f };

		ASSERT_EQ(gem_create(f.fd, SMALL, AMDGPU_GEM_DOMAIN_VRAM, 0, &h), 0);
		p = gem_map(f.fd, h, SMALL);
		ASSERT_NE((void *)p, MAP_FAILED);
		ASSERT_EQ(gem_va(f.fd, AMDGPU_VA_OP_MAP, h, p, 0, SMALL, RWX), 0);
		CS_IB(&cs, DMA, 0, SDMA_FILL_WORDS, VA(p), i * 3, 64 * RIG_PAGE - 1);
		chunk_of(&cs, &in, &e, h);
		ASSERT_EQ(cs_submit(&cs), 0);
		ASSERT_EQ(cs_wait(&f, AMDGPU_HW_IP_DMA, 0, cs.seq), 0);
		for (k = 0; k < 64 * RIG_PAGE / 4; k += 512)
			ASSERT_EQ(p[k], i * 3);
		munmap(p, SMALL);
		ASSERT_EQ(gem_close(f.fd, h), 0);
		usleep(20000);
	}
	peer_go(me);
	peer_wait(me);
}

TEST_F(pressure, both_get_on)
{
	u64 before = evictions(self->r.drm);
	u32 i = 0, k, n, *p = self->data.p;
	struct pollfd done;
	struct rig_mem m;
	struct peer peer;

	peer_start(&peer, submits, rig_ms() + ROUNDS_MS);
	ASSERT_EQ(rig_alloc(&self->r, VRAM, vram_free(self->r.drm) - SMALL / 2, &m), 0);
	peer_go(&peer);
	done = (struct pollfd){ .fd = peer.done, .events = POLLIN };
	do {
		n = ++i;
		ASSERT_TRUE(rig_wait(start_add(&self->r, &self->q, p, 1, 16), 0, RIG_LONG));
		for (k = 0; k < 16 * 64 && p[k] == n; k++)
			;
		ASSERT_EQ(k, 16 * 64);
	} while (!poll(&done, 1, 0));
	printf("# %u dispatches, %llu evictions\n", i,
	       (unsigned long long)(evictions(self->r.drm) - before));
	EXPECT_GE(evictions(self->r.drm), before + 3);
	peer_wait(&peer);
	peer_go(&peer);
	peer_end(&peer);
}

/* An object that had to leave comes back with the next job that needs it, if that is soon. */
TEST_F(pressure, jobs_bring_objects_back)
{
	struct drm_amdgpu_bo_list_entry e;
	struct drm_amdgpu_bo_list_in in;
	struct cs_file f;
	struct cs cs = { .f = &f };
	struct rig_mem m;
	u64 used, moved;
	u32 h;

	cs_open(&f);
	ASSERT_EQ(gem_create(f.fd, SMALL, AMDGPU_GEM_DOMAIN_VRAM, 0, &h), 0);
	ASSERT_EQ(rig_alloc(&self->r, VRAM, vram_free(f.fd) + SMALL / 2, &m), 0);
	ASSERT_EQ(rig_unmap(&self->r, &m), 0);
	ASSERT_EQ(rig_free(&self->r, &m), 0);
	munmap(m.p, m.bytes);
	used = vram_used(f.fd);
	moved = info(f.fd, AMDGPU_INFO_NUM_BYTES_MOVED);
	CS_IB(&cs, DMA, 0, SDMA_WRITE, VA(&f.w[0]), 0, 7);
	chunk_of(&cs, &in, &e, h);
	ASSERT_EQ(cs_submit(&cs), 0);
	ASSERT_EQ(cs_wait(&f, AMDGPU_HW_IP_DMA, 0, cs.seq), 0);
	EXPECT_EQ(f.w[0], 7);
	EXPECT_EQ(vram_used(f.fd), used + SMALL);
	EXPECT_EQ(info(f.fd, AMDGPU_INFO_NUM_BYTES_MOVED), moved + SMALL);
	cs_close(&f);
}

/* ------------------------------------------------------------------ killed */

static void spins(struct peer *me, u64 unused)
{
	FIXTURE_DATA(pressure) self;
	struct rig_mem m;

	(void)unused;
	ASSERT_EQ(setup(&self), 0);
	ASSERT_EQ(rig_alloc(&self.r, VRAM, vram_free(self.r.drm) - SMALL / 2, &m), 0);
	start_spin(&self);
	peer_go(me);
	for (;;)
		pause();
}

/* Somebody who looks at the process at this moment may keep its memory a little longer. */
static bool vram_returns(int fd, u64 room)
{
	u64 end = rig_ms() + RIG_LONG;

	while (vram_free(fd) < room && rig_ms() < end)
		usleep(1000);
	return vram_free(fd) >= room;
}

/* Killed while it is off, and while it is being taken off or put back. */
TEST(killed_in_it)
{
	u64 end = rig_ms() + ROUNDS_MS, room;
	int i, fd = drm_open(), status;
	struct peer p;
	u32 h;

	room = settled_vram(fd);
	for (i = 0; i < ROUNDS && rig_ms() < end; i++) {
		peer_start(&p, spins, 0);
		peer_wait(&p);
		if (i & 1) {
			ASSERT_EQ(gem_create(fd, SMALL, AMDGPU_GEM_DOMAIN_VRAM, 0, &h), 0);
			usleep(i * 10000);
			kill(p.pid, SIGKILL);
		} else {
			kill(p.pid, SIGKILL);
			ASSERT_EQ(gem_create(fd, SMALL, AMDGPU_GEM_DOMAIN_VRAM, 0, &h), 0);
		}
		ASSERT_EQ(waitpid(p.pid, &status, 0), p.pid);
		EXPECT_TRUE(WIFSIGNALED(status));
		ASSERT_EQ(gem_close(fd, h), 0);
		close(p.go);
		close(p.done);
		EXPECT_TRUE(vram_returns(fd, room));
	}
	EXPECT_TRUE(other_process_works());
}

static void creates_for_ever(struct peer *me, u64 bytes)
{
	int fd = drm_open();
	u32 h;

	peer_go(me);
	for (;;) {
		ASSERT_EQ(gem_create(fd, bytes, AMDGPU_GEM_DOMAIN_VRAM, 0, &h), 0);
		ASSERT_EQ(gem_close(fd, h), 0);
	}
}

TEST_F(pressure, the_other_is_killed)
{
	u64 end = rig_ms() + ROUNDS_MS;
	struct rig_signal *s;
	struct rig_mem m;
	struct peer p;
	int i, status;

	ASSERT_EQ(rig_alloc(&self->r, VRAM, vram_free(self->r.drm) - SMALL / 2, &m), 0);
	s = start_spin(self);
	for (i = 0; i < ROUNDS && rig_ms() < end; i++) {
		peer_start(&p, creates_for_ever, SMALL);
		peer_wait(&p);
		usleep(i * 3000);
		kill(p.pid, SIGKILL);
		ASSERT_EQ(waitpid(p.pid, &status, 0), p.pid);
		close(p.go);
		close(p.done);
	}
	stop_spin(self, s);
}

/*
 * When @self's queues are next evicted. Who comes back while others' objects come and go may find
 * room for none of its buffers, and then nobody has to displace it: so @m, one of them, is made
 * anew.
 */
static long long next_eviction(FIXTURE_DATA(pressure) *self, struct rig_mem *m)
{
	struct pollfd p = { .fd = self->smi, .events = POLLIN };
	u64 end = rig_ms() + RIG_LONG, bytes = m->bytes;
	int what;

	while (poll(&p, 1, 500) == 0 && rig_ms() < end) {
		ASSERT_EQ(rig_unmap(&self->r, m), 0);
		ASSERT_EQ(rig_free(&self->r, m), 0);
		munmap((void *)m->p, bytes);
		/* What is in the way may be going just now. */
		while (rig_alloc(&self->r, VRAM, bytes, m) && rig_ms() < end)
			;
	}
	return queue_event(self, KFD_SMI_EVENT_QUEUE_EVICTION, &what);
}

/* However many want its memory, a process that has come back has a while. */
TEST_F(pressure, peace)
{
	u64 end = rig_ms() + ROUNDS_MS, bytes = (self->vram / 20) & -RIG_PAGE;
	struct peer p[4];
	struct rig_signal *s;
	long long off, on;
	struct rig_mem m;
	int i, what, status;

	/* Not one large one, as others' objects that are going just now would keep that away. */
	for (i = 0; i < 20; i++)
		ASSERT_EQ(rig_alloc(&self->r, VRAM, bytes, &m), 0);
	s = start_spin(self);
	for (i = 0; i < 4; i++)
		peer_start(&p[i], creates_for_ever, part(self->vram, 2));
	next_eviction(self, &m);
	for (i = 0; i < 10 && rig_ms() < end; i++) {
		on = queue_event(self, KFD_SMI_EVENT_QUEUE_RESTORE, &what);
		off = next_eviction(self, &m);
		EXPECT_GE(off - on, PEACE_MS * 1000000);
	}
	for (i = 0; i < 4; i++) {
		kill(p[i].pid, SIGKILL);
		ASSERT_EQ(waitpid(p[i].pid, &status, 0), p[i].pid);
		close(p[i].go);
		close(p[i].done);
	}
	stop_spin(self, s);
}

/* ------------------------------------------------------------ shared memory */

static u32 *shared(FIXTURE_DATA(pressure) *self, u64 bytes)
{
	u32 *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	ASSERT_NE((void *)p, MAP_FAILED);
	ASSERT_EQ(rig_svm_set(&self->r, p, bytes, KFD_IOCTL_SVM_ATTR_ACCESS, self->r.gpu_id), 0);
	ASSERT_EQ(rig_svm_set(&self->r, p, bytes, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC,
			      self->r.gpu_id), 0);
	return p;
}

/* The next range that moves. Without XNACK, queues stop for each: kfd_smi_memory tests that. */
static unsigned int move(FIXTURE_DATA(pressure) *self, char *text, size_t bytes)
{
	unsigned int id;

	do
		id = event(self->smi, RIG_LONG, text, bytes);
	while (id == KFD_SMI_EVENT_QUEUE_EVICTION || id == KFD_SMI_EVENT_QUEUE_RESTORE);
	return id;
}

static u64 page_out(const struct rig *r)
{
	return rig_counter(r, "page_out");
}

static void shares(struct peer *me, u64 bytes)
{
	FIXTURE_DATA(pressure) self;
	u32 *p, i;

	peer_wait(me);
	ASSERT_EQ(setup(&self), 0);
	p = shared(&self, bytes);
	for (i = 1; i <= ROUNDS; i++) {
		ASSERT_TRUE(rig_wait(start_add(&self.r, &self.q, p, 1, 16), 0, RIG_LONG));
		ASSERT_EQ(p[100], i);
	}
	peer_go(me);
	peer_wait(me);
}

/* Two processes of 0.7 of it each: the second one's range displaces the first one's. */
TEST_F(pressure, shared_memory_may_be_too_much)
{
	u64 bytes = part(self->vram, 7), out = page_out(&self->r);
	unsigned long long first, pages;
	unsigned int from = 1, to = 1;
	struct peer peer;
	u32 i, *p;
	char text[128];
	int why = 0;

	peer_start(&peer, shares, bytes);
	p = shared(self, bytes);
	EXPECT_EQ(move(self, text, sizeof(text)), KFD_SMI_EVENT_MIGRATE_START);
	EXPECT_EQ(page_out(&self->r), out);
	peer_go(&peer);
	for (i = 1; i <= ROUNDS; i++) {
		ASSERT_TRUE(rig_wait(start_add(&self->r, &self->q, p, 1, 16), 0, RIG_LONG));
		ASSERT_EQ(p[100], i);
	}
	peer_wait(&peer);
	EXPECT_EQ(move(self, text, sizeof(text)), KFD_SMI_EVENT_MIGRATE_START);
	EXPECT_EQ(sscanf(text, "%*x %*d -%*d @%llx(%llx) %x->%x %*x:%*x %d", &first, &pages, &from,
			 &to, &why), 5);
	EXPECT_EQ(first, (uintptr_t)p / RIG_PAGE);
	EXPECT_EQ(pages, bytes / RIG_PAGE);
	EXPECT_EQ(from, self->r.gpu_id);
	EXPECT_EQ(to, 0);
	EXPECT_EQ(why, KFD_MIGRATE_TRIGGER_TTM_EVICTION);
	EXPECT_EQ(page_out(&self->r), out + bytes / RIG_PAGE);
	ASSERT_TRUE(rig_wait(start_add(&self->r, &self->q, p, 1, 16), 0, RIG_LONG));
	EXPECT_EQ(p[100], ROUNDS + 1);
	peer_go(&peer);
	peer_end(&peer);
}

/* A buffer displaces it, too, and it stays away where buffers have all of the room. */
TEST_F(pressure, shared_memory_makes_room_for_buffers)
{
	u64 bytes = part(self->vram, 5), out = page_out(&self->r), used;
	u64 page = bytes / RIG_PAGE;
	struct rig_mem m;
	u32 *p;

	p = shared(self, bytes);
	ASSERT_EQ(rig_alloc(&self->r, VRAM, part(self->vram, 7), &m), 0);
	EXPECT_EQ(page_out(&self->r), out + page);
	used = vram_used(self->r.drm);
	ASSERT_EQ(rig_svm_set(&self->r, p, bytes, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC,
			      self->r.gpu_id), 0);
	EXPECT_EQ(vram_used(self->r.drm), used);
	ASSERT_TRUE(rig_wait(start_add(&self->r, &self->q, p, 1, 16), 0, RIG_LONG));
	EXPECT_EQ(p[100], 1);
}

TEST_HARNESS_MAIN
