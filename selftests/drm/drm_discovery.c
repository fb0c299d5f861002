// SPDX-License-Identifier: MIT
/* ip_discovery/: the hardware blocks of a GPU, as amdgpu shows them. */
#include <dirent.h>
#include <sys/stat.h>

#include "drm_util.h"
#include "sysfs_util.h"

#define DIE	DEVICE "/ip_discovery/die/0"

static long long version(void)
{
	return node_prop(gpu_node(0), "gfx_target_version");
}

/* Since 6.17 for every card, before for those with a table of their own (MI300, Navi 31). */
static bool expected(void)
{
	unsigned int major, minor;
	char release[64];

	ASSERT_LT(0, file_read("/proc/sys/kernel/osrelease", release, sizeof(release)));
	ASSERT_EQ(2, sscanf(release, "%u.%u", &major, &minor));
	return (version() >= 90400 && version() != 100300) || major > 6 || (major == 6 && minor >= 17);
}

static long long number(const char *block, int instance, const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), DIE "/%s/%d/%s", block, instance, file);
	return file_number(path);
}

/* Directories (not links) in @path whose names are numbers; calls @fn of each. */
static int directories(const char *path, int (*fn)(const char *path))
{
	char sub[PATH_MAX];
	DIR *dir = opendir(path);
	struct dirent *e;
	struct stat st;
	int n = 0;

	if (!dir)
		return 0;
	while ((e = readdir(dir))) {
		snprintf(sub, sizeof(sub), "%s/%s", path, e->d_name);
		if (e->d_name[0] == '.' || lstat(sub, &st) || !S_ISDIR(st.st_mode))
			continue;
		EXPECT_NE('\0', e->d_name[0]);
		EXPECT_EQ(strlen(e->d_name), strspn(e->d_name, "0123456789"));
		n += fn ? fn(sub) : 1;
	}
	closedir(dir);
	return n;
}

static int instances(const char *block)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), DIE "/%s", block);
	return directories(path, NULL);
}

/* What every instance has, in its format. */
static int check_instance(const char *path)
{
	static const char * const decimal[] = {
		"hw_id", "num_instance", "major", "minor", "revision", "num_base_addresses",
	};
	char file[PATH_MAX], buf[256], *line, *rest = buf;
	unsigned int i, bases = 0;
	long long wanted;

	for (i = 0; i < sizeof(decimal) / sizeof(decimal[0]); i++) {
		snprintf(file, sizeof(file), "%s/%s", path, decimal[i]);
		ASSERT_LT(0, file_read(file, buf, sizeof(buf)));
		EXPECT_EQ(strlen(buf) - 1, strspn(buf, "0123456789"));
	}
	wanted = atoll(buf);
	snprintf(file, sizeof(file), "%s/num_instance", path);
	EXPECT_EQ((long long)atoi(strrchr(path, '/') + 1), file_number(file));
	snprintf(file, sizeof(file), "%s/harvest", path);
	ASSERT_EQ(4, file_read(file, buf, sizeof(buf)));
	EXPECT_EQ(0, strncmp(buf, "0x", 2));
	snprintf(file, sizeof(file), "%s/base_addr", path);
	ASSERT_LT(0, file_read(file, buf, sizeof(buf)));
	while ((line = strsep(&rest, "\n")) && *line) {
		EXPECT_EQ(10u, strlen(line));
		EXPECT_EQ(8u, strspn(line + 2, "0123456789ABCDEF"));
		bases++;
	}
	EXPECT_EQ(wanted, (long long)bases);
	return 1;
}

static int check_block(const char *path)
{
	return directories(path, check_instance);
}

TEST(tree)
{
	ASSERT_LT(0ll, version());
	EXPECT_EQ(expected() ? 0 : -1, access(DEVICE "/ip_discovery", F_OK));
	if (!expected())
		return;
	EXPECT_EQ(file_number(DIE "/num_ips"), (long long)directories(DIE, check_block));
	/* gfx1201 shows no memory controllers: their addresses are not known. */
	EXPECT_LT(13ll, file_number(DIE "/num_ips"));
}

/* A name and a number are the same block. */
TEST(names)
{
	static const struct {
		const char *name, *id;
	} blocks[] = {
		{ "GC", "11" }, { "SDMA0", "42" }, { "UMC", "150" }, { "MP1", "1" },
		{ "MP0", "255" }, { "UVD", "12" }, { "NBIF", "108" }, { "OSSSYS", "40" },
		{ "HDP", "41" }, { "MMHUB", "34" },
	};
	char path[PATH_MAX], target[64];
	unsigned int i;
	ssize_t n;

	ASSERT_LT(0ll, version());
	if (!expected())
		return;
	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		if (version() == 120001 && !strcmp(blocks[i].name, "UMC"))
			continue;
		snprintf(path, sizeof(path), DIE "/%s", blocks[i].name);
		n = readlink(path, target, sizeof(target) - 1);
		ASSERT_LT(0, n);
		target[n] = '\0';
		EXPECT_STREQ(blocks[i].id, target);
		EXPECT_EQ(atoll(blocks[i].id), number(blocks[i].name, 0, "hw_id"));
	}
}

/* GC's version is not the code's: gfx90a is 9.4.2, gfx942 is 9.4.3. */
TEST(versions)
{
	static const struct {
		long long gfx, major, minor, revision, sdma_major, sdma_minor;
		int xccs, sdmas, umcs;
	} *t, cards[] = {
		{ 90006, 9, 4, 0, 4, 2, 1, 1, 1 },
		{ 90008, 9, 4, 1, 4, 2, 1, 4, 8 },
		{ 90010, 9, 4, 2, 4, 4, 1, 5, 4 },
		{ 90402, 9, 4, 3, 4, 4, 8, 16, 16 },
		{ 90500, 9, 5, 0, 4, 4, 8, 16, 16 },
		{ 100300, 10, 3, 0, 5, 2, 1, 1, 1 },
		{ 110000, 11, 0, 0, 6, 0, 1, 1, 6 },
		{ 120001, 12, 0, 1, 7, 0, 1, 1, 0 },
	};
	unsigned int i;

	ASSERT_LT(0ll, version());
	if (!expected())
		return;
	for (i = 0, t = NULL; i < sizeof(cards) / sizeof(cards[0]); i++)
		if (cards[i].gfx == version())
			t = &cards[i];
	ASSERT_TRUE(t);
	EXPECT_EQ(t->xccs, instances("11"));
	EXPECT_EQ(t->sdmas, instances("42"));
	EXPECT_EQ(t->umcs, instances("150"));
	for (i = 0; (int)i < t->xccs; i++) {
		EXPECT_EQ(t->major, number("GC", i, "major"));
		EXPECT_EQ(t->minor, number("GC", i, "minor"));
		EXPECT_EQ(t->revision, number("GC", i, "revision"));
	}
	for (i = 0; (int)i < t->sdmas; i++) {
		EXPECT_EQ(t->sdma_major, number("SDMA0", i, "major"));
		EXPECT_EQ(t->sdma_minor, number("SDMA0", i, "minor"));
	}
}

TEST_HARNESS_MAIN
