// SPDX-License-Identifier: MIT
/* What a GPU says of itself as a PCI function, to lspci, libdrm and the kernel. */
#include <dirent.h>

#include "pci_util.h"

#define CAP_PM	1
#define CAP_MSI	5
#define CAP_EXP	0x10

FIXTURE(function) {
	int node, config;
	char name[16], dir[64];
};

FIXTURE_SETUP(function)
{
	char path[80];

	self->node = gpu_node(0);
	ASSERT_GE(self->node, 0);
	pci_name(self->node, self->name);
	snprintf(self->dir, sizeof(self->dir), PCI "/devices/%s", self->name);
	snprintf(path, sizeof(path), "%s/config", self->dir);
	self->config = open(path, O_RDWR);
	ASSERT_GE(self->config, 0);
}

FIXTURE_TEARDOWN(function)
{
	close(self->config);
}

static uint32_t config_get(int fd, unsigned int at, unsigned int bytes)
{
	uint32_t v = 0;

	ASSERT_EQ((ssize_t)bytes, pread(fd, &v, bytes, at));
	return v;
}

static unsigned long attr(const char *dir, const char *name)
{
	char buf[64];

	return strtoul(sysfs_read(dir, name, buf, sizeof(buf)), NULL, 0);
}

TEST_F(function, ids)
{
	struct drm_amdgpu_info_device d = { 0 };
	int drm = open_render(self->node);

	EXPECT_EQ(0x1002ul, attr(self->dir, "vendor"));
	EXPECT_EQ(node_prop(self->node, "device_id"), (long long)attr(self->dir, "device"));
	EXPECT_EQ(0x1002ul, attr(self->dir, "subsystem_vendor"));
	EXPECT_NE(0ul, attr(self->dir, "subsystem_device"));
	EXPECT_NE(0ul, attr(self->dir, "class") >> 16);
	EXPECT_EQ(attr(self->dir, "vendor"), config_get(self->config, 0, 2));
	EXPECT_EQ(attr(self->dir, "device"), config_get(self->config, 2, 2));
	EXPECT_EQ(attr(self->dir, "class"), config_get(self->config, 8, 4) >> 8);

	ASSERT_EQ(0, drm_info(drm, AMDGPU_INFO_DEV_INFO, &d, sizeof(d)));
	EXPECT_EQ(attr(self->dir, "device"), d.device_id);
	EXPECT_EQ(attr(self->dir, "revision"), d.pci_rev);
	close(drm);
}

TEST_F(function, the_driver_is_amdgpu)
{
	char buf[64];

	EXPECT_STREQ("amdgpu", sysfs_link(self->dir, "driver", buf, sizeof(buf)));
	EXPECT_STREQ("pci", sysfs_link(self->dir, "subsystem", buf, sizeof(buf)));
}

/* Nothing but our functions is driven by it. */
TEST_F(function, the_driver_has_no_other_device)
{
	DIR *dir = opendir(PCI "/drivers/amdgpu");
	struct dirent *e;

	ASSERT_TRUE(dir);
	while ((e = readdir(dir)))
		if (strchr(e->d_name, ':'))
			EXPECT_EQ(0, strncmp(e->d_name, self->name, 5));
	closedir(dir);
}

/* The render node's device is this function. */
TEST_F(function, drm_hangs_below)
{
	char dir[64], buf[64], path[128];
	long long minor = node_prop(self->node, "drm_render_minor");
	bool found = false;
	FILE *f;

	snprintf(dir, sizeof(dir), "/sys/dev/char/226:%lld", minor);
	EXPECT_STREQ(self->name, sysfs_link(dir, "device", buf, sizeof(buf)));
	snprintf(path, sizeof(path), "%s/drm/renderD%lld", self->dir, minor);
	EXPECT_EQ(0, access(path, F_OK));
	snprintf(path, sizeof(path), "%s/device/uevent", dir);
	f = fopen(path, "r");
	ASSERT_TRUE(f);
	while (fgets(buf, sizeof(buf), f)) {
		buf[strcspn(buf, "\n")] = '\0';
		if (!strncmp(buf, "PCI_SLOT_NAME=", 14)) {
			found = true;
			EXPECT_STREQ(self->name, buf + 14);
		}
	}
	fclose(f);
	EXPECT_TRUE(found);
}

TEST_F(function, link)
{
	static const char * const files[] = { "current_link_speed", "max_link_speed" };
	struct drm_amdgpu_info_device d = { 0 };
	int drm = open_render(self->node);
	unsigned int i;
	char buf[64];

	for (i = 0; i < 2; i++)
		EXPECT_TRUE(strstr(sysfs_read(self->dir, files[i], buf, sizeof(buf)), "GT/s PCIe"));
	EXPECT_EQ(16ul, attr(self->dir, "current_link_width"));
	EXPECT_EQ(16ul, attr(self->dir, "max_link_width"));
	ASSERT_EQ(0, drm_info(drm, AMDGPU_INFO_DEV_INFO, &d, sizeof(d)));
	EXPECT_EQ(16u, d.pcie_num_lanes);
	EXPECT_LE(4u, d.pcie_gen);
	close(drm);
}

TEST_F(function, capabilities)
{
	unsigned int at = config_get(self->config, 0x34, 1), seen = 0, n = 0;

	while (at) {
		ASSERT_LE(0x40u, at);
		ASSERT_GT(48u, n++);
		seen |= 1u << (config_get(self->config, at, 1) & 31);
		at = config_get(self->config, at + 1, 1);
	}
	EXPECT_EQ(1u << CAP_PM | 1u << CAP_MSI | 1u << CAP_EXP, seen);
	/* No extended ones. */
	EXPECT_EQ(0u, config_get(self->config, 0x100, 4));
}

/* Identity cannot be written, and what can be is kept. */
TEST_F(function, config_writes)
{
	uint32_t ids = config_get(self->config, 0, 4), all = ~0u;
	uint8_t line = config_get(self->config, 0x3c, 1), other = line ^ 0x5a;

	EXPECT_EQ(4, pwrite(self->config, &all, 4, 0));
	EXPECT_EQ(ids, config_get(self->config, 0, 4));
	EXPECT_EQ(1, pwrite(self->config, &other, 1, 0x3c));
	EXPECT_EQ(other, config_get(self->config, 0x3c, 1));
	EXPECT_EQ(1, pwrite(self->config, &line, 1, 0x3c));
	EXPECT_EQ(0, pread(self->config, &all, 4, 4096));
}

/* Nothing answers behind the BARs, so nobody may map them. */
TEST_F(function, bars_cannot_be_mapped)
{
	static const char * const files[] = { "resource0", "resource2", "resource5" };
	char path[96];
	unsigned int i;
	int fd;

	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", self->dir, files[i]);
		fd = open(path, O_RDWR);
		ASSERT_GE(fd, 0);
		EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0));
		close(fd);
	}
}

TEST(every_gpu_has_its_own)
{
	char name[16], other[16], path[64];
	int i, j;

	ASSERT_GE(gpu_node(0), 0);
	for (i = 0; gpu_node(i) >= 0; i++) {
		pci_name(gpu_node(i), name);
		snprintf(path, sizeof(path), PCI "/devices/%s", name);
		EXPECT_EQ(0, access(path, F_OK));
		for (j = 0; j < i; j++) {
			pci_name(gpu_node(j), other);
			EXPECT_NE(0, strcmp(name, other));
		}
	}
}

TEST_HARNESS_MAIN
