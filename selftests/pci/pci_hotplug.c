// SPDX-License-Identifier: MIT
/* A GPU that is unbound, removed and found again, with and without users. */
#include "pci_util.h"

FIXTURE(slot) {
	char name[16], dir[64];
	int nodes;
	long long generation;
};

static long long generation(void)
{
	char buf[32];

	return atoll(sysfs_read(NODES "/..", "generation_id", buf, sizeof(buf)));
}

FIXTURE_SETUP(slot)
{
	int node = gpu_node(0);

	ASSERT_GE(node, 0);
	pci_name(node, self->name);
	snprintf(self->dir, sizeof(self->dir), PCI "/devices/%s", self->name);
	self->nodes = count_nodes();
	self->generation = generation();
}

/* Whatever a test did, the next one finds the GPU. */
FIXTURE_TEARDOWN(slot)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/driver", self->dir);
	if (access(self->dir, F_OK))
		file_write(PCI "/rescan", "1");
	else if (access(path, F_OK))
		file_write(PCI "/drivers/amdgpu/bind", self->name);
	EXPECT_EQ(self->nodes, count_nodes());
}

static int unbind(const char *name)
{
	return file_write(PCI "/drivers/amdgpu/unbind", name);
}

static int bind(const char *name)
{
	return file_write(PCI "/drivers/amdgpu/bind", name);
}

/* The minor of the function's render node as the topology has it now; -1: none. */
static int minor_of(const char *name)
{
	char other[16];
	int i, node;

	for (i = 0; (node = gpu_node(i)) >= 0; i++) {
		pci_name(node, other);
		if (!strcmp(other, name))
			return node_prop(node, "drm_render_minor");
	}
	return -1;
}

static bool has_render(int minor)
{
	char path[32];

	snprintf(path, sizeof(path), "/dev/dri/renderD%d", minor);
	return !access(path, F_OK);
}

TEST_F(slot, unbind_bind)
{
	int i, minor;

	for (i = 0; i < 3; i++) {
		minor = minor_of(self->name);
		ASSERT_TRUE(has_render(minor));
		ASSERT_EQ(0, unbind(self->name));
		EXPECT_FALSE(has_render(minor));
		EXPECT_EQ(-1, minor_of(self->name));
		EXPECT_EQ(self->nodes - 1, count_nodes());
		EXPECT_LT(self->generation, generation());
		EXPECT_EQ(0, access(self->dir, F_OK));
		EXPECT_EQ(ENODEV, unbind(self->name));
		ASSERT_EQ(0, bind(self->name));
		EXPECT_TRUE(has_render(minor_of(self->name)));
		EXPECT_EQ(self->nodes, count_nodes());
	}
}

/*
 * DRM gives a number again when nobody has the old node open any more. Until then the
 * node that comes back has another; and no number is lost: one is this test's own, and
 * one more may wait for a moment until the last reference to its device is gone.
 */
TEST_F(slot, a_node_that_is_open)
{
	int first = minor_of(self->name), i, minor, fd;
	char path[32];

	for (i = 0; i < 6; i++) {
		minor = minor_of(self->name);
		EXPECT_GE(first + 2, minor);
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", minor);
		fd = open(path, O_RDWR);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, unbind(self->name));
		EXPECT_FALSE(has_render(minor));
		ASSERT_EQ(0, bind(self->name));
		EXPECT_FALSE(has_render(minor));
		EXPECT_NE(minor, minor_of(self->name));
		EXPECT_TRUE(has_render(minor_of(self->name)));
		close(fd);
	}
}

TEST_F(slot, remove_rescan)
{
	char path[96];
	int i, minor;

	snprintf(path, sizeof(path), "%s/remove", self->dir);
	for (i = 0; i < 3; i++) {
		minor = minor_of(self->name);
		ASSERT_TRUE(has_render(minor));
		ASSERT_EQ(0, file_write(path, "1"));
		EXPECT_NE(0, access(self->dir, F_OK));
		EXPECT_FALSE(has_render(minor));
		EXPECT_EQ(self->nodes - 1, count_nodes());
		ASSERT_EQ(0, file_write(PCI "/rescan", "1"));
		EXPECT_EQ(0, access(self->dir, F_OK));
		EXPECT_TRUE(has_render(minor_of(self->name)));
		EXPECT_EQ(self->nodes, count_nodes());
	}
}

/* Who uses the GPU loses it, and can end in peace. */
TEST_F(slot, users_lose_it)
{
	struct kfd_ioctl_create_event_args ev = {
		.event_type = KFD_IOC_EVENT_HW_EXCEPTION, .auto_reset = 0,
	};
	struct kfd_event_data data = { 0 };
	struct kfd_ioctl_wait_events_args wait = {
		.events_ptr = (uintptr_t)&data, .num_events = 1, .timeout = 0,
	};
	struct kfd_ioctl_get_available_memory_args avail = { 0 };
	struct drm_amdgpu_info_vram_gtt vram;
	struct gpu g;
	struct mem m;

	gpu_open(&g);
	m = mem_alloc(&g, VRAM | HOST, MB);
	avail.gpu_id = g.id;
	ASSERT_IOCTL(0, g.kfd, AMDKFD_IOC_CREATE_EVENT, &ev);
	data.event_id = ev.event_id;
	ASSERT_EQ(0, unbind(self->name));

	EXPECT_EQ(ENODEV, drm_info(g.drm, AMDGPU_INFO_VRAM_GTT, &vram, sizeof(vram)));
	EXPECT_IOCTL(EINVAL, g.kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &avail);
	EXPECT_NE(0, mem_free(&g, m.handle));
	EXPECT_IOCTL(0, g.kfd, AMDKFD_IOC_WAIT_EVENTS, &wait);
	EXPECT_EQ((uint32_t)KFD_IOC_WAIT_RESULT_COMPLETE, wait.wait_result);
	EXPECT_EQ(g.id, data.hw_exception_data.gpu_id);
	EXPECT_EQ(1u, data.hw_exception_data.memory_lost);

	/* It is another GPU that comes back, for this process. */
	ASSERT_EQ(0, bind(self->name));
	EXPECT_IOCTL(EINVAL, g.kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &avail);
}

/* A dma-buf of the GPU as it was is somebody else's for the GPU as it is. */
TEST_F(slot, dmabuf_outlives_the_binding)
{
	int drm = drm_open(), dmabuf, i;
	uint32_t h;

	ASSERT_EQ(0, gem_create(drm, MB, AMDGPU_GEM_DOMAIN_VRAM, 0, &h));
	dmabuf = gem_export(drm, h, O_RDWR);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, unbind(self->name));
	ASSERT_EQ(0, bind(self->name));
	close(drm);
	drm = drm_open();
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, gem_import(drm, dmabuf, &h));
		EXPECT_EQ(0, gem_close(drm, h));
	}
	ASSERT_EQ(0, gem_create(drm, MB, AMDGPU_GEM_DOMAIN_VRAM, 0, &h));
}

/* A new process gets what was taken from another. */
TEST_F(slot, all_memory_comes_back)
{
	struct kfd_ioctl_get_available_memory_args before = { 0 }, after;
	struct gpu g;
	pid_t pid;
	int status;

	pid = fork();
	if (!pid) {
		gpu_open(&g);
		mem_alloc(&g, VRAM | HOST, 16 * MB);
		exit(unbind(self->name) || bind(self->name));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	gpu_open(&g);
	before.gpu_id = g.id;
	after = before;
	ASSERT_IOCTL(0, g.kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &before);
	mem_alloc(&g, VRAM | HOST, 16 * MB);
	ASSERT_IOCTL(0, g.kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &after);
	EXPECT_EQ(before.available, after.available + 16 * MB);
}

TEST_HARNESS_MAIN
