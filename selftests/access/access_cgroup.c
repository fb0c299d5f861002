// SPDX-License-Identifier: MIT
/*
 * A device cgroup that denies a render node hides that GPU from KFD, as
 * containers rely on: its topology cannot be read, and processes do not get it.
 */
#include <sys/mount.h>
#include <sys/stat.h>

#include "../kfd/file_util.h"
#include "../kfd/kfd_util.h"

#define CGROUPS	"/run/vkfd-devices"
#define GROUP	CGROUPS "/denied"

FIXTURE(group) {
	int node, gpus;
	uint32_t gpu_id;
	char rule[32];
};

FIXTURE_SETUP(group)
{
	self->node = gpu_node(0);
	ASSERT_GE(self->node, 0);
	self->gpu_id = node_gpu_id(self->node);
	while (gpu_node(self->gpus) >= 0)
		self->gpus++;
	snprintf(self->rule, sizeof(self->rule), "c 226:%lld rwm",
		 node_prop(self->node, "drm_render_minor"));
	mkdir(CGROUPS, 0755);
	if (mount("cgroup", CGROUPS, "cgroup", 0, "devices"))
		SKIP(return, "no device controller of version 1");
	ASSERT_TRUE(!mkdir(GROUP, 0755) || errno == EEXIST);
	ASSERT_EQ(0, file_write(GROUP "/devices.deny", self->rule));
}

/* The test's own process is what was in it. */
FIXTURE_TEARDOWN(group)
{
	EXPECT_EQ(0, file_write(CGROUPS "/cgroup.procs", "0"));
	EXPECT_EQ(0, file_write(GROUP "/devices.allow", self->rule));
	EXPECT_EQ(0, rmdir(GROUP));
	EXPECT_EQ(0, umount(CGROUPS));
}

static void enter(void)
{
	ASSERT_EQ(0, file_write(GROUP "/cgroup.procs", "0"));
}

/* 0 or the errno of reading @file of node @node. */
static int read_err(int node, const char *file)
{
	char path[128], byte;
	int fd, err = 0;

	snprintf(path, sizeof(path), NODES "/%d/%s", node, file);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return errno;
	if (read(fd, &byte, 1) < 0)
		err = errno;
	close(fd);
	return err;
}

TEST_F(group, topology_is_hidden)
{
	static const char * const files[] = {
		"gpu_id", "name", "properties", "mem_banks/0/properties",
		"caches/0/properties", "io_links/0/properties",
	};
	unsigned int i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		EXPECT_EQ(0, read_err(self->node, files[i]));
	enter();
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		EXPECT_EQ(EPERM, read_err(self->node, files[i]));
	EXPECT_EQ(0, read_err(0, "properties"));
}

static int num_apertures(int kfd, uint32_t unwanted)
{
	struct kfd_process_device_apertures ap[32];
	struct kfd_ioctl_get_process_apertures_new_args args = {
		.kfd_process_device_apertures_ptr = (uintptr_t)ap,
		.num_of_nodes = count_nodes(),
	};
	unsigned int i;

	ASSERT_IOCTL(0, kfd, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args);
	for (i = 0; i < args.num_of_nodes; i++)
		EXPECT_NE(unwanted, ap[i].gpu_id);
	return args.num_of_nodes;
}

TEST_F(group, processes_do_not_get_it)
{
	struct kfd_ioctl_get_available_memory_args avail = { .gpu_id = self->gpu_id };
	int kfd;

	enter();
	kfd = kfd_open();
	EXPECT_EQ(self->gpus - 1, num_apertures(kfd, self->gpu_id));
	EXPECT_IOCTL(EINVAL, kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &avail);
	close(kfd);
}

TEST_F(group, nor_the_node)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/dri/renderD%lld",
		 node_prop(self->node, "drm_render_minor"));
	enter();
	EXPECT_EQ(-1, open(path, O_RDWR));
	EXPECT_EQ(EPERM, errno);
}

TEST_F(group, the_others_are_there)
{
	int other = gpu_node(1), kfd, drm;

	if (other < 0)
		SKIP(return, "one GPU only");
	drm = open_render(other);
	enter();
	EXPECT_EQ(0, read_err(other, "properties"));
	kfd = kfd_open();
	EXPECT_EQ(0, acquire_vm(kfd, drm, node_gpu_id(other)));
	close(kfd);
	close(drm);
}

TEST_HARNESS_MAIN
