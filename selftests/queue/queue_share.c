// SPDX-License-Identifier: MIT
/*
 * Partitions of a GPU that share its memory (compute_partition_mem_alloc_mode): each has its share
 * (CAPPING), or as much as there is (ALL); all of them never have more than the range of memory
 * that they are in.
 *
 * Whoever has opened /dev/kfd has all GPUs, so nobody could divide them. Tests use it in children.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "../drm/drm_util.h"
#include "../kfd/file_util.h"
#include "peer.h"

#define PARTS	8u
#define VRAM	KFD_IOC_ALLOC_MEM_FLAGS_VRAM
#define SMALL	(64ull << 20)
#define ALIGN	(2ull << 20)	/* of what is told as available */

/* The first GPU that has partitions: its directory, and what it is called there */
FIXTURE(shared) {
	char dir[128];
	long bus;
};

static const char *file(const FIXTURE_DATA(shared) *c, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", c->dir, name);
	return path;
}

static int divide(const FIXTURE_DATA(shared) *c, const char *mode)
{
	return file_write(file(c, "current_compute_partition"), mode);
}

static int set_mode(const FIXTURE_DATA(shared) *c, const char *mode)
{
	return file_write(file(c, "compute_partition_mem_alloc_mode"), mode);
}

static const char *mode(const FIXTURE_DATA(shared) *c)
{
	static char t[32];

	if (file_read(file(c, "compute_partition_mem_alloc_mode"), t, sizeof(t)) < 0)
		t[0] = '\0';
	return t;
}

/* The driver of this kernel has the file; if it has no GPUs of this kind, all is shown. */
static bool kernel_has_it(void)
{
	unsigned int major = 0, minor = 0;
	char release[64];

	ASSERT_LE(0, file_read("/proc/sys/kernel/osrelease", release, sizeof(release)));
	ASSERT_EQ(2, sscanf(release, "%u.%u", &major, &minor));
	return major * 100 + minor >= 701 || major * 100 + minor < 605;
}

FIXTURE_SETUP(shared)
{
	char real[PATH_MAX];
	glob_t g;

	if (glob("/sys/class/drm/card*/device/current_compute_partition", 0, NULL, &g))
		SKIP(return, "no GPU has partitions");
	ASSERT_NE(NULL, realpath(g.gl_pathv[0], real));
	globfree(&g);
	*strrchr(real, '/') = '\0';
	snprintf(self->dir, sizeof(self->dir), "%.100s", real);
	ASSERT_EQ(1, sscanf(strrchr(real, '/') + 1, "%*x:%lx:", &self->bus));
	ASSERT_EQ(kernel_has_it(), !access(file(self, "compute_partition_mem_alloc_mode"), F_OK));
	if (!kernel_has_it())
		SKIP(return, "the driver of this kernel has no such file");
	ASSERT_EQ(0, divide(self, "SPX"));
	ASSERT_EQ(0, divide(self, "CPX"));
}

FIXTURE_TEARDOWN(shared)
{
	EXPECT_EQ(0, divide(self, "SPX"));
}

/* ------------------------------------------------------------ in a child */

static void open_parts(const FIXTURE_DATA(shared) *c, struct rig *parts)
{
	char path[96];
	u32 i, n = 0;
	long id;
	int fd;

	for (i = 0; i < 64 && n < PARTS; i++) {
		snprintf(path, sizeof(path), "/sys/class/kfd/kfd/topology/nodes/%u/gpu_id", i);
		id = access(path, R_OK) ? 0 : file_number(path);
		if (id <= 0 || rig_property(id, "location_id") >> 8 != c->bus)
			continue;
		snprintf(path, sizeof(path), "/dev/dri/renderD%ld",
			 rig_property(id, "drm_render_minor"));
		fd = open(path, O_RDWR | O_CLOEXEC);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, rig_open_on(&parts[n++], fd, id));
	}
	ASSERT_EQ(PARTS, n);
}

static u64 available(struct rig *r)
{
	struct kfd_ioctl_get_available_memory_args a = { .gpu_id = r->gpu_id };

	ASSERT_EQ(0, rig_ioctl(r, AMDKFD_IOC_AVAILABLE_MEMORY, &a));
	return a.available;
}

static int take(struct rig *r, u64 bytes, struct rig_mem *m)
{
	return rig_alloc(r, VRAM, bytes, m);
}

static void give_back(struct rig *r, struct rig_mem *m)
{
	struct kfd_ioctl_unmap_memory_from_gpu_args a = {
		.handle = m->handle, .device_ids_array_ptr = (uintptr_t)&r->gpu_id, .n_devices = 1,
	};

	ASSERT_EQ(0, rig_ioctl(r, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &a));
	ASSERT_EQ(0, rig_free(r, m));
	/* A CPU's mapping keeps it, too. */
	if (m->p)
		munmap(m->p, m->bytes);
}

/* What one has, the others have not; and what is too much stays, but nothing more. */
static void take_in_turn(struct peer *me, u64 arg)
{
	const FIXTURE_DATA(shared) *c = (const void *)(uintptr_t)arg;
	static struct rig r[PARTS];
	struct rig_mem a, b;
	u64 share, all;

	open_parts(c, r);
	share = available(&r[0]);
	ASSERT_EQ(-ENOMEM, take(&r[0], share + ALIGN, &a));
	ASSERT_EQ(0, set_mode(c, "all"));
	ASSERT_STREQ("ALL\n", mode(c));
	all = available(&r[0]);
	ASSERT_LE(PARTS * share, all);
	ASSERT_EQ(all, available(&r[7]));
	ASSERT_EQ(0, take(&r[0], 3 * share, &a));
	ASSERT_EQ(all - 3 * share, available(&r[7]));
	ASSERT_EQ(-ENOMEM, take(&r[7], all - 2 * share, &b));
	ASSERT_EQ(0, take(&r[7], all - 3 * share, &b));
	ASSERT_EQ(0, available(&r[3]));
	give_back(&r[7], &b);

	ASSERT_EQ(0, set_mode(c, "CAPPING"));
	ASSERT_EQ(0, available(&r[0]));
	ASSERT_EQ(-ENOMEM, take(&r[0], RIG_PAGE, &b));
	ASSERT_EQ(share, available(&r[7]));
	ASSERT_EQ(0, take(&r[7], share, &b));
	ASSERT_EQ(-ENOMEM, take(&r[7], ALIGN, &a));
	peer_go(me);
}

/* Objects of one partition's render node leave for another partition, as the range is full. */
static void displace(struct peer *me, u64 arg)
{
	const FIXTURE_DATA(shared) *c = (const void *)(uintptr_t)arg;
	static struct rig r[PARTS];
	struct rig_mem a, b;
	uint32_t h;

	open_parts(c, r);
	ASSERT_EQ(0, set_mode(c, "ALL"));
	ASSERT_EQ(0, take(&r[0], available(&r[0]) - SMALL, &a));
	ASSERT_EQ(0, gem_create(r[1].drm, SMALL, AMDGPU_GEM_DOMAIN_VRAM, 0, &h));
	ASSERT_EQ(0, take(&r[2], SMALL / 2, &b));
	ASSERT_EQ(-ENOMEM, take(&r[3], SMALL, &b));
	peer_go(me);
}

/* ------------------------------------------------------------------- tests */

static void in_a_child(FIXTURE_DATA(shared) *self, void (*fn)(struct peer *me, u64 arg))
{
	struct peer p;

	peer_start(&p, fn, (uintptr_t)self);
	peer_wait(&p);
	peer_end(&p);
}

TEST_F(shared, names)
{
	EXPECT_STREQ("CAPPING\n", mode(self));
	EXPECT_EQ(0, set_mode(self, "All"));
	EXPECT_STREQ("ALL\n", mode(self));
	EXPECT_EQ(0, set_mode(self, "capping"));
	EXPECT_STREQ("CAPPING\n", mode(self));
	EXPECT_EQ(EINVAL, set_mode(self, "HALF"));
	EXPECT_EQ(0, set_mode(self, "ALL"));
	EXPECT_EQ(0, divide(self, "DPX"));
	EXPECT_STREQ("CAPPING\n", mode(self));
}

TEST_F(shared, one_has_what_the_others_have_not)
{
	in_a_child(self, take_in_turn);
}

TEST_F(shared, others_leave)
{
	in_a_child(self, displace);
}

TEST_HARNESS_MAIN
