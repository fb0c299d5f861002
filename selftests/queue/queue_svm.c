// SPDX-License-Identifier: MIT
/* SVM as the GPU sees it: which memory of the process kernels and SDMA reach. */
#define _GNU_SOURCE
#include <pthread.h>

#include "missing.h"
#include "queue_test.h"
#include "rig_sdma.h"

#define MEM_BYTES	(16 * RIG_PAGE)

enum { ACCESS = KFD_IOCTL_SVM_ATTR_ACCESS, NO_ACCESS = KFD_IOCTL_SVM_ATTR_NO_ACCESS,
       SET = KFD_IOCTL_SVM_ATTR_SET_FLAGS };

static u32 *anon(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(p, MAP_FAILED);
	return p;
}

FIXTURE(svm) {
	struct rig r;
	struct rig_queue q;
	u32 *words;	/* MEM_BYTES, no attributes yet */
	u32 fault;
};

static int setup(FIXTURE_DATA(svm) *self, int mode)
{
	struct kfd_ioctl_set_xnack_mode_args x = { .xnack_enabled = mode };
	u32 slot;
	int ret;

	ret = rig_open(&self->r);
	if (!ret && mode)
		ret = rig_ioctl(&self->r, AMDKFD_IOC_SET_XNACK_MODE, &x);
	if (ret)
		return ret;
	ASSERT_EQ(rig_load(&self->r), 0);
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &self->fault, &slot), 0);
	self->words = anon(MEM_BYTES);
	return 0;
}

FIXTURE_SETUP(svm)
{
	ASSERT_EQ(setup(self, 0), 0);
}

FIXTURE_TEARDOWN(svm)
{
	rig_close(&self->r);
}

static int share(FIXTURE_DATA(svm) *self, void *p, size_t bytes)
{
	return rig_svm_set(&self->r, p, bytes, ACCESS, self->r.gpu_id);
}

/* The kernel at work on @p gets a memory exception there. */
static bool faults(FIXTURE_DATA(svm) *self, const char *name, void *p)
{
	struct kfd_event_data d;

	start(&self->r, &self->q, name, (uintptr_t)p, 1, 1, 64);
	if (rig_event_wait(&self->r, self->fault, RIG_LONG, &d))
		return false;
	return d.memory_exception_data.va == ((uintptr_t)p & -RIG_PAGE) &&
	       d.memory_exception_data.gpu_id == self->r.gpu_id;
}

static bool stores(FIXTURE_DATA(svm) *self, u32 *p, u32 value)
{
	struct rig_signal *s = start(&self->r, &self->q, "store_word", (uintptr_t)p, value, 1, 1);
	u32 seen;

	if (!rig_wait(s, 0, RIG_LONG)) {
		TH_LOG("no completion: write %llu, read %llu, inactive signal 0x%llx",
		       (unsigned long long)self->q.amd->write_id,
		       (unsigned long long)self->q.amd->read_id,
		       (unsigned long long)self->q.inactive->value);
		return false;
	}
	seen = *(volatile u32 *)p;
	if (seen != value) {
		getppid();
		TH_LOG("%p is %u, not %u; after a system call it is %u", (void *)p, seen, value,
		       *(volatile u32 *)p);
	}
	return seen == value;
}

TEST_F(svm, kernels_read_and_write)
{
	u32 *w = self->words, i;

	ASSERT_EQ(share(self, w, MEM_BYTES), 0);
	for (i = 0; i < MEM_BYTES / 4; i++)
		w[i] = i;
	ASSERT_TRUE(rig_wait(start_add(&self->r, &self->q, w, 5, MEM_BYTES / 256), 0, RIG_LONG));
	for (i = 0; i < MEM_BYTES / 4 && w[i] == i + 5; i++)
		;
	EXPECT_EQ(i, MEM_BYTES / 4);
}

/* Nobody has touched it: the GPU brings it in, from both ends of a range. */
TEST_F(svm, first_touch_by_the_gpu)
{
	ASSERT_EQ(share(self, self->words, MEM_BYTES), 0);
	EXPECT_TRUE(stores(self, self->words, 1));
	EXPECT_TRUE(stores(self, self->words + MEM_BYTES / 4 - 1, 2));
}

TEST_F(svm, heap)
{
	u32 *p = aligned_alloc(RIG_PAGE, 8 * RIG_PAGE);

	ASSERT_EQ(share(self, p, 8 * RIG_PAGE), 0);
	EXPECT_TRUE(stores(self, p + 1024, 7));
}

TEST_F(svm, sdma_reaches_it)
{
	struct rig_sdma q = { 0 };

	ASSERT_EQ(rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &q), 0);
	ASSERT_EQ(share(self, self->words, MEM_BYTES), 0);
	memset(self->words, 0x5a, MEM_BYTES / 2);
	rig_sdma_copy(&q, (char *)self->words + MEM_BYTES / 2, self->words, MEM_BYTES / 2);
	ASSERT_TRUE(rig_sdma_run(&q));
	EXPECT_EQ(memcmp(self->words, (char *)self->words + MEM_BYTES / 2, MEM_BYTES / 2), 0);
	EXPECT_EQ(rig_sdma_destroy(&self->r, &q), 0);
}

TEST_F(svm, not_without_access)
{
	EXPECT_TRUE(faults(self, "store_word", self->words));
}

TEST_F(svm, not_beside_the_range)
{
	self->words[0] = 0;
	self->words[1024] = 0;
	ASSERT_EQ(share(self, self->words, RIG_PAGE), 0);
	EXPECT_TRUE(stores(self, self->words, 1));
	EXPECT_TRUE(faults(self, "store_word", self->words + 1024));
	EXPECT_EQ(self->words[1024], 0);
}

TEST_F(svm, access_is_taken_away)
{
	ASSERT_EQ(share(self, self->words, MEM_BYTES), 0);
	EXPECT_TRUE(stores(self, self->words, 1));
	ASSERT_EQ(rig_svm_set(&self->r, self->words, MEM_BYTES, NO_ACCESS, self->r.gpu_id), 0);
	EXPECT_TRUE(faults(self, "store_word", self->words));
	EXPECT_EQ(self->words[0], 1);
}

TEST_F(svm, in_place_is_access)
{
	ASSERT_EQ(rig_svm_set(&self->r, self->words, MEM_BYTES, KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE,
			  self->r.gpu_id), 0);
	EXPECT_TRUE(stores(self, self->words, 1));
}

TEST_F(svm, read_only_by_flag)
{
	self->words[0] = 17;
	ASSERT_EQ(share(self, self->words, MEM_BYTES), 0);
	ASSERT_EQ(rig_svm_set(&self->r, self->words, MEM_BYTES, SET, KFD_IOCTL_SVM_FLAG_GPU_RO), 0);
	ASSERT_EQ(share(self, self->words + 1024, RIG_PAGE), 0);
	ASSERT_EQ(rig_svm_set(&self->r, self->words + 1024, RIG_PAGE, KFD_IOCTL_SVM_ATTR_CLR_FLAGS,
			  KFD_IOCTL_SVM_FLAG_GPU_RO), 0);
	ASSERT_TRUE(rig_wait(start(&self->r, &self->q, "load_word", (uintptr_t)self->words,
				   (uintptr_t)(self->words + 1024), 1, 1), 0, RIG_LONG));
	EXPECT_EQ(self->words[1024], 17);
	EXPECT_TRUE(faults(self, "store_word", self->words));
	EXPECT_EQ(self->words[0], 17);
}

TEST_F(svm, read_only_memory)
{
	self->words[0] = 17;
	ASSERT_EQ(mprotect(self->words, RIG_PAGE, PROT_READ), 0);
	ASSERT_EQ(share(self, self->words, MEM_BYTES), 0);
	ASSERT_TRUE(rig_wait(start(&self->r, &self->q, "load_word", (uintptr_t)self->words,
				   (uintptr_t)(self->words + 1024), 1, 1), 0, RIG_LONG));
	EXPECT_EQ(self->words[1024], 17);
	EXPECT_TRUE(faults(self, "store_word", self->words));
}

TEST_F(svm, file_mapping)
{
	int fd = memfd_create("svm", 0);
	u32 *p, got;

	ASSERT_EQ(ftruncate(fd, RIG_PAGE), 0);
	p = mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE((void *)p, MAP_FAILED);
	ASSERT_EQ(share(self, p, RIG_PAGE), 0);
	EXPECT_TRUE(stores(self, p + 5, 99));
	ASSERT_EQ(pread(fd, &got, 4, 20), 4);
	EXPECT_EQ(got, 99);
}

TEST_F(svm, munmap_ends_access)
{
	ASSERT_EQ(share(self, self->words, MEM_BYTES), 0);
	EXPECT_TRUE(stores(self, self->words, 1));
	ASSERT_EQ(munmap(self->words, RIG_PAGE), 0);
	EXPECT_TRUE(faults(self, "store_word", self->words));
}

/* A new mapping at an old address is not shared because the old one was. */
TEST_F(svm, remapped_memory_is_not_shared)
{
	u32 *p = self->words;

	ASSERT_EQ(share(self, p, MEM_BYTES), 0);
	EXPECT_TRUE(stores(self, p, 1));
	ASSERT_EQ((void *)p, mmap(p, RIG_PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	EXPECT_TRUE(stores(self, p + 1024, 2));
	EXPECT_TRUE(faults(self, "store_word", p));
	EXPECT_EQ(*p, 0);
}

TEST_F(svm, madvise_gives_new_pages)
{
	ASSERT_EQ(share(self, self->words, MEM_BYTES), 0);
	EXPECT_TRUE(stores(self, self->words, 1));
	ASSERT_EQ(madvise(self->words, MEM_BYTES, MADV_DONTNEED), 0);
	EXPECT_EQ(self->words[0], 0);
	EXPECT_TRUE(stores(self, self->words + 1, 2));
	EXPECT_EQ(self->words[0], 0);
}

/* What the GPU writes after a fork is the parent's alone. */
TEST_F(svm, fork_copies)
{
	int go[2], status;
	pid_t pid;
	char c;

	ASSERT_EQ(pipe(go), 0);
	ASSERT_EQ(share(self, self->words, MEM_BYTES), 0);
	EXPECT_TRUE(stores(self, self->words, 1));
	pid = fork();
	ASSERT_NE(pid, -1);
	if (!pid)
		_exit(read(go[0], &c, 1) != 1 ? 100 : self->words[0] != 1 ? 10 + self->words[0] : 0);
	EXPECT_TRUE(stores(self, self->words, 2));
	ASSERT_EQ(write(go[1], "x", 1), 1);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

static int fill_it(FIXTURE_DATA(svm) *self, u32 *p, u32 *alive)
{
	struct {
		u64 p;
		u32 n, pad;
		u64 alive;
	} a = { .p = (uintptr_t)p, .n = MEM_BYTES / 4, .alive = (uintptr_t)alive };
	union rig_packet pk;
	struct rig_kernel k;

	if (rig_kernel(&self->r, "fill_for_ever", &k))
		return -1;
	rig_dispatch_packet(&pk, &k, 1, 64, rig_args(&self->r, &a, sizeof(a)), NULL);
	rig_submit(&self->q, &pk);
	return rig_wait32(alive, 1, RIG_LONG) ? 0 : -1;
}

TEST_F(svm, munmap_while_running)
{
	struct kfd_event_data d;
	u32 *alive = anon(RIG_PAGE);

	ASSERT_EQ(share(self, self->words, MEM_BYTES), 0);
	ASSERT_EQ(share(self, alive, RIG_PAGE), 0);
	ASSERT_EQ(fill_it(self, self->words, alive), 0);
	ASSERT_EQ(munmap(self->words, MEM_BYTES), 0);
	ASSERT_EQ(rig_event_wait(&self->r, self->fault, RIG_LONG, &d), 0);
	EXPECT_GE(d.memory_exception_data.va, (uintptr_t)self->words);
	EXPECT_LT(d.memory_exception_data.va, (uintptr_t)self->words + MEM_BYTES);
	EXPECT_TRUE(other_process_works());
}

/* The pages go all the time; the kernel does not mind. */
TEST_F(svm, madvise_while_running)
{
	u32 *alive = anon(RIG_PAGE), before, i;

	ASSERT_EQ(share(self, self->words, MEM_BYTES), 0);
	ASSERT_EQ(share(self, alive, RIG_PAGE), 0);
	ASSERT_EQ(fill_it(self, self->words, alive), 0);
	for (i = 0; i < 200; i++)
		ASSERT_EQ(madvise(self->words + 1024 * (i % 16), RIG_PAGE, MADV_DONTNEED), 0);
	before = *(volatile u32 *)alive;
	EXPECT_TRUE(rig_wait32(alive, before + 2, RIG_LONG));
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
}

/* Attributes change all the time, access stays. */
TEST_F(svm, set_while_running)
{
	u32 *alive = anon(RIG_PAGE), before, i;

	ASSERT_EQ(share(self, self->words, MEM_BYTES), 0);
	ASSERT_EQ(share(self, alive, RIG_PAGE), 0);
	ASSERT_EQ(fill_it(self, self->words, alive), 0);
	for (i = 0; i < 200; i++)
		ASSERT_EQ(rig_svm_set(&self->r, self->words + 1024 * (i % 16), RIG_PAGE,
				  i & 16 ? SET : KFD_IOCTL_SVM_ATTR_CLR_FLAGS,
				  KFD_IOCTL_SVM_FLAG_COHERENT), 0);
	before = *(volatile u32 *)alive;
	EXPECT_TRUE(rig_wait32(alive, before + 2, RIG_LONG));
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
}

/* A buffer that is mapped there later is what the GPU sees, until it goes. */
TEST_F(svm, buffer_over_a_range)
{
	void *va = mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kfd_ioctl_alloc_memory_of_gpu_args a = {
		.va_addr = (uintptr_t)va, .size = RIG_PAGE, .gpu_id = self->r.gpu_id,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
	};
	struct kfd_ioctl_map_memory_to_gpu_args m = {
		.device_ids_array_ptr = (uintptr_t)&self->r.gpu_id, .n_devices = 1,
	};
	u32 *p = va;

	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
	ASSERT_EQ(share(self, p, RIG_PAGE), 0);
	EXPECT_TRUE(stores(self, p, 1));
	m.handle = a.handle;
	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &m), 0);
	ASSERT_TRUE(rig_wait(start(&self->r, &self->q, "store_word", (uintptr_t)p, 2, 1, 1), 0,
			     RIG_LONG));
	EXPECT_EQ(*p, 1);
	m.n_success = 0;
	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &m), 0);
	EXPECT_TRUE(stores(self, p, 3));
}

/*
 * Neighbours of a page that a GPU touches come along, but not where a buffer is. The range's pages
 * are there first; the buffer's is asked for later.
 */
TEST_F(svm, buffer_within_a_range)
{
	u32 *p = self->words, *word = p + RIG_PAGE / 4, i;
	struct kfd_ioctl_alloc_memory_of_gpu_args a = {
		.va_addr = (uintptr_t)word, .size = RIG_PAGE, .gpu_id = self->r.gpu_id,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
	};
	struct kfd_ioctl_map_memory_to_gpu_args m = {
		.device_ids_array_ptr = (uintptr_t)&self->r.gpu_id, .n_devices = 1,
	};

	for (i = 0; i < MEM_BYTES / RIG_PAGE; i++)
		p[i * RIG_PAGE / 4] = 7;
	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
	ASSERT_EQ(share(self, p, MEM_BYTES), 0);
	m.handle = a.handle;
	ASSERT_EQ(rig_ioctl(&self->r, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &m), 0);
	EXPECT_TRUE(stores(self, p, 1));
	ASSERT_TRUE(rig_wait(start(&self->r, &self->q, "store_word", (uintptr_t)word, 2, 1, 1), 0,
			     RIG_LONG));
	EXPECT_EQ(*word, 7);
	EXPECT_TRUE(stores(self, p + RIG_PAGE / 2, 3));
}

/* Code in a range needs the flag. */
TEST_F(svm, not_executable)
{
	struct rig_kernel k = { 0 };
	union rig_packet pk;
	struct kfd_event_data d;
	u8 *copy = (u8 *)anon(self->r.code.bytes);

	memcpy(copy, self->r.code.p, self->r.code.bytes);
	ASSERT_EQ(share(self, copy, self->r.code.bytes), 0);
	ASSERT_EQ(share(self, self->words, MEM_BYTES), 0);
	ASSERT_EQ(rig_kernel(&self->r, "store_word", &k), 0);
	k.object += copy - (u8 *)self->r.code.p;
	rig_dispatch_packet(&pk, &k, 1, 1,
			    rig_args(&self->r, &(struct word_args) { (uintptr_t)self->words, 4 }, 16),
			    NULL);
	rig_submit(&self->q, &pk);
	ASSERT_EQ(rig_event_wait(&self->r, self->fault, RIG_LONG, &d), 0);
	EXPECT_TRUE(d.memory_exception_data.failure.NoExecute);
}

TEST_F(svm, executable)
{
	struct rig_kernel k = { 0 };
	union rig_packet pk;
	struct rig_signal *s = rig_signal(&self->r, 1);
	u8 *copy = (u8 *)anon(self->r.code.bytes);

	memcpy(copy, self->r.code.p, self->r.code.bytes);
	ASSERT_EQ(share(self, copy, self->r.code.bytes), 0);
	ASSERT_EQ(rig_svm_set(&self->r, copy, self->r.code.bytes, SET,
			      KFD_IOCTL_SVM_FLAG_GPU_EXEC), 0);
	ASSERT_EQ(share(self, self->words, MEM_BYTES), 0);
	ASSERT_EQ(rig_kernel(&self->r, "store_word", &k), 0);
	k.object += copy - (u8 *)self->r.code.p;
	rig_dispatch_packet(&pk, &k, 1, 1,
			    rig_args(&self->r, &(struct word_args) { (uintptr_t)self->words, 4 }, 16),
			    s);
	rig_submit(&self->q, &pk);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(self->words[0], 4);
}

static void *churn(void *arg)
{
	volatile bool *stop = arg;

	while (!*stop) {
		void *p = mmap(NULL, 64 * RIG_PAGE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		munmap(p, 64 * RIG_PAGE);
	}
	return NULL;
}

/* The mm changes elsewhere all the time; faults in the range still get through. */
TEST_F(svm, faults_while_the_mm_changes)
{
	volatile bool stop = false;
	pthread_t t;
	u32 i;

	ASSERT_EQ(share(self, self->words, MEM_BYTES), 0);
	ASSERT_EQ(pthread_create(&t, NULL, churn, (void *)&stop), 0);
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(madvise(self->words, MEM_BYTES, MADV_DONTNEED), 0);
		ASSERT_TRUE(stores(self, self->words + 1024 * (i % 16), i + 1));
	}
	stop = true;
	pthread_join(t, NULL);
}

static void run_and_wait(int fd)
{
	FIXTURE_DATA(svm) self;
	u32 *alive;

	if (setup(&self, 0))
		_exit(1);
	alive = anon(RIG_PAGE);
	if (share(&self, self.words, MEM_BYTES) || share(&self, alive, RIG_PAGE) ||
	    fill_it(&self, self.words, alive) || write(fd, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

TEST_F(svm, kill_9_while_running)
{
	int p[2], status, i;
	pid_t pid;
	char c;

	ASSERT_EQ(pipe(p), 0);
	for (i = 0; i < 3; i++) {
		pid = fork();
		if (!pid)
			run_and_wait(p[1]);
		ASSERT_EQ(read(p[0], &c, 1), 1);
		kill(pid, SIGKILL);
		ASSERT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	EXPECT_TRUE(other_process_works());
}

/* ------------------------------------------------------------------- XNACK */

FIXTURE(xnack) {
	FIXTURE_DATA(svm) s;
};

FIXTURE_SETUP(xnack)
{
	int ret = setup(&self->s, 1);

	if (ret == -EPERM)
		SKIP(return, "this GPU has no XNACK mode");
	ASSERT_EQ(ret, 0);
}

FIXTURE_TEARDOWN(xnack)
{
	rig_close(&self->s.r);
}

static u32 global_word;

/* The driver counts what it served. */
static u64 retry_faults(const struct rig *r)
{
	unsigned long long n = 0;
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/counters_%u/faults", getpid(),
		 r->gpu_id);
	f = fopen(path, "r");
	ASSERT_NE(NULL, (void *)f);
	ASSERT_EQ(1, fscanf(f, "%llu", &n));
	fclose(f);
	return n;
}

TEST_F(xnack, everything_is_reachable)
{
	u32 on_stack = 0, *heap = malloc(4096);
	u64 before = retry_faults(&self->s.r);

	EXPECT_TRUE(stores(&self->s, self->s.words, 1));
	EXPECT_TRUE(stores(&self->s, heap, 2));
	EXPECT_TRUE(stores(&self->s, &global_word, 3));
	EXPECT_TRUE(stores(&self->s, &on_stack, 4));
	EXPECT_LT(before, retry_faults(&self->s.r));
	free(heap);
}

TEST_F(xnack, what_was_mapped_later)
{
	u32 *p = anon(RIG_PAGE);

	EXPECT_TRUE(stores(&self->s, p, 1));
	ASSERT_EQ(munmap(p, RIG_PAGE), 0);
	ASSERT_EQ((void *)p, mmap(p, RIG_PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	EXPECT_TRUE(stores(&self->s, p + 1, 2));
	EXPECT_EQ(p[0], 0);
}

TEST_F(xnack, not_what_is_not_there)
{
	u32 *p = anon(RIG_PAGE);

	EXPECT_TRUE(stores(&self->s, p, 1));
	ASSERT_EQ(munmap(p, RIG_PAGE), 0);
	EXPECT_TRUE(faults(&self->s, "store_word", p));
}

TEST_F(xnack, not_where_forbidden)
{
	EXPECT_TRUE(stores(&self->s, self->s.words, 1));
	ASSERT_EQ(rig_svm_set(&self->s.r, self->s.words, RIG_PAGE, NO_ACCESS, self->s.r.gpu_id), 0);
	EXPECT_TRUE(stores(&self->s, self->s.words + 1024, 1));
	EXPECT_TRUE(faults(&self->s, "store_word", self->s.words));
}

/*
 * A retry fault stops its wave: others of the dispatch go on meanwhile. (New groups of the process may
 * wait with it, as what they run in is memory of the process, too.)
 */
TEST_F(xnack, a_wave_waits_alone)
{
	static u32 page[RIG_PAGE / 4] __attribute__((aligned(4096)));
	const u32 groups = RIG_PAGE / 256;	/* of a page: 64 lanes of a word */
	struct rig_signal *s;
	u64 addr;
	int uffd;
	u32 *p;

	p = missing_memory(MISSING_BYTES, &uffd);
	fill(uffd, (uintptr_t)p + RIG_PAGE, page);
	s = start_add(&self->s.r, &self->s.q, p, 3, 2 * groups);
	ASSERT_TRUE(asked(uffd, &addr));
	EXPECT_EQ((uintptr_t)p, addr);
	EXPECT_TRUE(rig_wait32(p + 2 * RIG_PAGE / 4 - 1, 3, RIG_LONG));
	EXPECT_EQ(s->value, 1);
	fill(uffd, addr, page);
	EXPECT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(p[0], 3);
	EXPECT_EQ(p[RIG_PAGE / 4 - 1], 3);
}

/*
 * Waves that walk through memory beside each other, however many: a fault brings in what is left of
 * 16 pages. (If a wave is slow, its pages may come in more portions.)
 */
TEST_F(xnack, many_waves_walk)
{
	const u32 groups = 64, pages = 64;
	struct rig_signal *s;
	u64 before, faults;
	u32 *p, i, wrong = 0;

	p = anon(groups * pages * RIG_PAGE);
	before = rig_counter(&self->s.r, "faults");
	s = start(&self->s.r, &self->s.q, "walk", (uintptr_t)p, pages, groups, 64);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	faults = rig_counter(&self->s.r, "faults") - before;
	for (i = 0; i < groups * pages; i++)
		wrong += p[i * 1024] != i % pages + 1;
	EXPECT_EQ(wrong, 0);
	TH_LOG("%llu faults for %u pages", (unsigned long long)faults, groups * pages);
	EXPECT_LT(faults, groups * pages / 4);
}

TEST_F(xnack, not_where_read_only)
{
	ASSERT_EQ(mprotect(self->s.words, RIG_PAGE, PROT_READ), 0);
	EXPECT_TRUE(faults(&self->s, "store_word", self->s.words));
}

TEST_HARNESS_MAIN
