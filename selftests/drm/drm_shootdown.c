// SPDX-License-Identifier: MIT
/*
 * When munmap, mmap or madvise returns, the GPU is off the old page. A wave
 * counts in a page of a file, without end; other mappings replace it under the
 * wave's feet, and the file, seen through a mapping of its own, must stand
 * still from that moment on. Waves run for long between two looks at the
 * world, so a driver that does not wait for them is seen at once.
 */
#define _GNU_SOURCE
#include "../queue/queue_test.h"

struct window {
	u32 *seen;	/* the page for the GPU: rw */
	u32 *file;	/* the same page of the file, ours alone */
	int fd;
};

static void window_open(struct rig *r, struct window *w)
{
	struct rig_mem m;

	w->fd = memfd_create("window", 0);
	ASSERT_GE(w->fd, 0);
	ASSERT_EQ(0, ftruncate(w->fd, RIG_PAGE));
	w->file = mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, 0);
	w->seen = mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)w->file);
	ASSERT_NE(MAP_FAILED, (void *)w->seen);
	ASSERT_EQ(0, rig_userptr(r, w->seen, RIG_PAGE, &m));
}

static void window_to_file(struct window *w)
{
	ASSERT_EQ((void *)w->seen, mmap(w->seen, RIG_PAGE, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_FIXED, w->fd, 0));
}

static void window_to_ram(struct window *w)
{
	ASSERT_EQ((void *)w->seen, mmap(w->seen, RIG_PAGE, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
}

static void stands_still(struct window *w)
{
	u32 was = __atomic_load_n(w->file, __ATOMIC_ACQUIRE);
	u32 i;

	for (i = 0; i < 20000; i++)
		if (__atomic_load_n(w->file, __ATOMIC_ACQUIRE) != was)
			break;
	EXPECT_EQ(was, __atomic_load_n(w->file, __ATOMIC_ACQUIRE));
}

static void count_in_window(FIXTURE_DATA(gpu) *self, void (*leave)(struct window *w))
{
	struct window win, *w = &win;
	u32 i, before;

	window_open(&self->r, w);
	self->words[0] = 0;
	start(&self->r, &self->q, "spin", (uintptr_t)&self->words[0], (uintptr_t)w->seen, 1, 64);
	for (i = 0; i < 30; i++) {
		before = *w->file;
		ASSERT_TRUE(rig_wait32(w->file, before + 1, RIG_LONG));
		leave(w);
		stands_still(w);
		/* It goes on where it is now. */
		ASSERT_TRUE(rig_wait32(w->seen, 1, RIG_LONG));
		window_to_file(w);
	}
	__atomic_store_n(&self->words[0], 1, __ATOMIC_RELEASE);
}

TEST_F(gpu, mmap_over_the_page)
{
	count_in_window(self, window_to_ram);
}

static void leave_by_mremap(struct window *w)
{
	void *p = mmap(NULL, RIG_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ((void *)w->seen, mremap(p, RIG_PAGE, RIG_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
					  w->seen));
}

TEST_F(gpu, mremap_over_the_page)
{
	count_in_window(self, leave_by_mremap);
}

/* It never comes back: the wave faults, and the file has its last value. */
TEST_F(gpu, munmap_of_the_page)
{
	struct window w;

	window_open(&self->r, &w);
	self->words[0] = 0;
	start(&self->r, &self->q, "spin", (uintptr_t)&self->words[0], (uintptr_t)w.seen, 1, 64);
	ASSERT_TRUE(rig_wait32(w.file, 1, RIG_LONG));
	ASSERT_EQ(0, munmap(w.seen, RIG_PAGE));
	stands_still(&w);
}

TEST_F(gpu, truncate_of_the_file)
{
	struct window w;

	window_open(&self->r, &w);
	self->words[0] = 0;
	start(&self->r, &self->q, "spin", (uintptr_t)&self->words[0], (uintptr_t)w.seen, 1, 64);
	ASSERT_TRUE(rig_wait32(w.file, 1, RIG_LONG));
	ASSERT_EQ(0, ftruncate(w.fd, 0));
	/* A new page: what is in it is nobody's but ours. */
	ASSERT_EQ(0, ftruncate(w.fd, RIG_PAGE));
	EXPECT_EQ(0, rig_queue_destroy(&self->r, &self->q));
}

/* The ioctl's promise: after UNMAP the GPU is off the object. */
TEST_F(gpu, unmap_of_the_object)
{
	struct rig_mem m;
	u32 *p, was;

	ASSERT_EQ(0, rig_anon(&self->r, RIG_PAGE, &m));
	p = m.p;
	self->words[0] = 0;
	start(&self->r, &self->q, "spin", (uintptr_t)&self->words[0], (uintptr_t)p, 1, 64);
	ASSERT_TRUE(rig_wait32(p, 1, RIG_LONG));
	ASSERT_EQ(0, rig_unmap(&self->r, &m));
	was = *(volatile u32 *)p;
	usleep(20000);
	EXPECT_EQ(was, *(volatile u32 *)p);
}

TEST_HARNESS_MAIN
