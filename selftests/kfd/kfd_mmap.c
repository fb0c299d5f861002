// SPDX-License-Identifier: MIT
/* What offsets of /dev/kfd can be mmapped, and how long it lasts. */
#include <sys/stat.h>

#include "kfd_util.h"

#define SLICE	8192ul

FIXTURE(map) {
	struct gpu g;
};

FIXTURE_SETUP(map)
{
	gpu_open(&self->g);
}

FIXTURE_TEARDOWN(map)
{
	close(self->g.kfd);
}

/* NULL and errno, or the address. */
static void *map_at(const struct gpu *g, uint64_t type, uint32_t gpu_id, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, g->kfd,
		       (off_t)(type | KFD_MMAP_GPU_ID(gpu_id)));

	return p == MAP_FAILED ? NULL : p;
}

#define EXPECT_NO_MAP(_errno, _type, _gpu, _bytes) \
	do { \
		errno = 0; \
		EXPECT_EQ(NULL, map_at(&self->g, _type, _gpu, _bytes)); \
		EXPECT_EQ(_errno, errno); \
	} while (0)

TEST_F(map, doorbells)
{
	volatile uint64_t *db = map_at(&self->g, KFD_MMAP_TYPE_DOORBELL, self->g.id, SLICE);
	volatile uint64_t *again = map_at(&self->g, KFD_MMAP_TYPE_DOORBELL, self->g.id, SLICE);

	ASSERT_NE(NULL, (void *)db);
	ASSERT_NE(NULL, (void *)again);
	EXPECT_EQ(0ull, db[0]);
	db[1023] = 7;
	EXPECT_EQ(7ull, again[1023]);
}

/* CRIU looks at the name, the offset, and what opens by /proc/PID/map_files. */
TEST_F(map, doorbells_are_the_devices)
{
	uint64_t want = KFD_MMAP_TYPE_DOORBELL | KFD_MMAP_GPU_ID(self->g.id);
	char *p = map_at(&self->g, KFD_MMAP_TYPE_DOORBELL, self->g.id, SLICE);
	unsigned long from, to, offset;
	char line[512], path[256];
	struct stat of, device;
	bool found = false;
	FILE *f;

	ASSERT_NE(NULL, p);
	f = fopen("/proc/self/maps", "r");
	ASSERT_NE(NULL, f);
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &from, &to, &offset,
			       path) == 4 && from == (uintptr_t)p;
	fclose(f);
	ASSERT_TRUE(found);
	EXPECT_STREQ("/dev/kfd", path);
	EXPECT_EQ(want, offset);
	snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", from, to);
	ASSERT_EQ(0, stat("/dev/kfd", &device));
	ASSERT_EQ(0, stat(path, &of));
	EXPECT_EQ(device.st_rdev, of.st_rdev);
	/* What was cut off has its own place. */
	*(volatile uint64_t *)(p + PAGE) = 11;
	ASSERT_EQ(0, munmap(p, PAGE));
	EXPECT_EQ(11ull, *(volatile uint64_t *)(p + PAGE));
}

/* Bits of the offset that say neither what nor whose do not matter, nor do they to what is there. */
TEST_F(map, doorbells_at_another_offset)
{
	off_t at = KFD_MMAP_TYPE_DOORBELL | KFD_MMAP_GPU_ID(self->g.id);
	volatile uint64_t *p = map_at(&self->g, KFD_MMAP_TYPE_DOORBELL, self->g.id, SLICE), *q;

	ASSERT_NE(NULL, (void *)p);
	q = mmap(NULL, SLICE, PROT_READ | PROT_WRITE, MAP_SHARED, self->g.kfd, at + PAGE);
	ASSERT_NE(MAP_FAILED, (void *)q);
	q[3] = 17;
	EXPECT_EQ(17ull, p[3]);
	p[PAGE / 8] = 18;
	EXPECT_EQ(18ull, q[PAGE / 8]);
	/* Whoever asks for pages of it holds its file. */
	EXPECT_EQ(0, madvise((void *)q, SLICE, MADV_WILLNEED));
}

TEST_F(map, doorbells_bad)
{
	EXPECT_NO_MAP(EINVAL, KFD_MMAP_TYPE_DOORBELL, self->g.id, PAGE);
	EXPECT_NO_MAP(EINVAL, KFD_MMAP_TYPE_DOORBELL, self->g.id, 2 * SLICE);
	EXPECT_NO_MAP(ENODEV, KFD_MMAP_TYPE_DOORBELL, 0, SLICE);
	EXPECT_NO_MAP(ENODEV, KFD_MMAP_TYPE_DOORBELL, BAD_GPU, SLICE);
}

TEST_F(map, doorbells_not_without_end)
{
	void *first = map_at(&self->g, KFD_MMAP_TYPE_DOORBELL, self->g.id, SLICE);
	int n = 1;

	ASSERT_NE(NULL, first);
	while (n < 1000 && map_at(&self->g, KFD_MMAP_TYPE_DOORBELL, self->g.id, SLICE))
		n++;
	EXPECT_LE(16, n);
	EXPECT_GT(1000, n);
	EXPECT_NO_MAP(ENOMEM, KFD_MMAP_TYPE_DOORBELL, self->g.id, SLICE);
	munmap(first, SLICE);
	EXPECT_NE(NULL, map_at(&self->g, KFD_MMAP_TYPE_DOORBELL, self->g.id, SLICE));
}

TEST_F(map, mmio)
{
	volatile uint32_t *p = map_at(&self->g, KFD_MMAP_TYPE_MMIO, self->g.id, PAGE);

	ASSERT_NE(NULL, (void *)p);
	p[KFD_MMIO_REMAP_HDP_MEM_FLUSH_CNTL / 4] = 1;
	p[KFD_MMIO_REMAP_HDP_REG_FLUSH_CNTL / 4] = 1;
	(void)p[0];
	EXPECT_NO_MAP(EINVAL, KFD_MMAP_TYPE_MMIO, self->g.id, 2 * PAGE);
	EXPECT_NO_MAP(ENODEV, KFD_MMAP_TYPE_MMIO, 0, PAGE);
	EXPECT_NO_MAP(ENODEV, KFD_MMAP_TYPE_MMIO, BAD_GPU, PAGE);
}

TEST_F(map, reserved_memory)
{
	EXPECT_NO_MAP(EINVAL, KFD_MMAP_TYPE_RESERVED_MEM, self->g.id, PAGE);
	EXPECT_NO_MAP(ENODEV, KFD_MMAP_TYPE_RESERVED_MEM, 0, PAGE);
}

static int child_touches(void *arg)
{
	signal(SIGSEGV, SIG_DFL);
	return *(volatile uint8_t *)arg;
}

/* Mappings stay behind at a fork: touching one is a fault. */
TEST_F(map, fork_does_not_copy)
{
	void *db = map_at(&self->g, KFD_MMAP_TYPE_DOORBELL, self->g.id, SLICE);
	void *mmio = map_at(&self->g, KFD_MMAP_TYPE_MMIO, self->g.id, PAGE);

	ASSERT_NE(NULL, db);
	ASSERT_NE(NULL, mmio);
	EXPECT_EQ(-1, in_child(child_touches, db));
	EXPECT_EQ(-1, in_child(child_touches, mmio));
}

static int child_maps(void *arg)
{
	return map_at(arg, KFD_MMAP_TYPE_DOORBELL, ((struct gpu *)arg)->id, SLICE) ? 0 : errno;
}

TEST_F(map, forked_child_maps_nothing)
{
	EXPECT_EQ(EINVAL, in_child(child_maps, &self->g));
}

static int child_sees_clean_doorbells(void *arg)
{
	struct gpu *parent = arg, g = { .kfd = open("/dev/kfd", O_RDWR), .id = parent->id };
	volatile uint64_t *db = map_at(&g, KFD_MMAP_TYPE_DOORBELL, g.id, SLICE);

	return db ? db[5] != 0 : 99;
}

TEST_F(map, every_process_has_its_own)
{
	volatile uint64_t *db = map_at(&self->g, KFD_MMAP_TYPE_DOORBELL, self->g.id, SLICE);

	ASSERT_NE(NULL, (void *)db);
	db[5] = 0x5ec7e7;
	EXPECT_EQ(0, in_child(child_sees_clean_doorbells, &self->g));
}

TEST_F(map, lives_on_after_close)
{
	volatile uint64_t *db = map_at(&self->g, KFD_MMAP_TYPE_DOORBELL, self->g.id, SLICE);

	ASSERT_NE(NULL, (void *)db);
	close(self->g.kfd);
	db[3] = 9;
	EXPECT_EQ(9ull, db[3]);
	self->g.kfd = kfd_open();
}

TEST_HARNESS_MAIN
