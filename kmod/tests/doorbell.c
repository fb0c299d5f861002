// SPDX-License-Identifier: GPL-2.0-only
/* Doorbells as a process sees them: armed, rung by a store that faults, armed again. */
#include <kunit/test.h>
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../gpu/device.h"
#include "../gpu/doorbell.h"
#include "../gpu/gpu_int.h"
#include "process.h"

struct db_test {
	struct test_process tp;
	struct gpu_doorbells *db;
	u64 __user *user;
};

static int db_mmap(struct file *f, struct vm_area_struct *vma)
{
	return gpu_doorbells_mmap(f->private_data, vma);
}

static const struct file_operations db_fops = { .owner = THIS_MODULE, .mmap = db_mmap };

static int db_init(struct kunit *test)
{
	struct db_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	test_process_init(test, &t->tp);
	t->db = gpu_doorbells_create(t->tp.process, t->tp.gdev);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->db);
	return 0;
}

/* The mapping goes away with the mm, which belongs to the thread that ran the case. */
static void db_exit(struct kunit *test)
{
	struct db_test *t = test->priv;

	if (!t)
		return;
	if (!IS_ERR_OR_NULL(t->db))
		gpu_doorbells_put(t->db);
	test_process_fini(&t->tp);
}

static unsigned long db_map(struct kunit *test, unsigned long bytes, unsigned long flags)
{
	struct db_test *t = test->priv;
	struct file *f = anon_inode_getfile("vkfd-test", &db_fops, t->db, O_RDWR);
	unsigned long addr;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f);
	addr = vm_mmap(f, 0, bytes, PROT_READ | PROT_WRITE, flags, 0);
	fput(f);
	return addr;
}

static void db_map_whole(struct kunit *test)
{
	struct db_test *t = test->priv;
	unsigned long addr = db_map(test, GPU_DOORBELL_BYTES, MAP_SHARED);

	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	t->user = (u64 __user *)addr;
}

static void db_mmap_rejects(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, (long)db_map(test, PAGE_SIZE, MAP_SHARED), (long)-EINVAL);
	KUNIT_EXPECT_EQ(test, (long)db_map(test, 2 * GPU_DOORBELL_BYTES, MAP_SHARED),
			(long)-EINVAL);
	KUNIT_EXPECT_EQ(test, (long)db_map(test, GPU_DOORBELL_BYTES, MAP_PRIVATE), (long)-EINVAL);
}

static void db_rings(struct kunit *test)
{
	struct db_test *t = test->priv;

	db_map_whole(test);
	KUNIT_EXPECT_TRUE(test, t->db->armed);
	KUNIT_ASSERT_EQ(test, put_user(5ull, &t->user[3]), 0);
	KUNIT_EXPECT_EQ(test, gpu_doorbell_read(t->db, 3), 5ull);
	KUNIT_EXPECT_FALSE(test, t->db->armed);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->db->rings), 1);

	/* not armed: a store does not fault */
	KUNIT_ASSERT_EQ(test, put_user(6ull, &t->user[3]), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->db->rings), 1);

	gpu_doorbells_arm(t->db);
	gpu_doorbells_arm(t->db);
	KUNIT_EXPECT_TRUE(test, t->db->armed);
	KUNIT_EXPECT_EQ(test, gpu_doorbell_read(t->db, 3), 6ull);
	KUNIT_ASSERT_EQ(test, put_user(7ull, &t->user[3]), 0);
	KUNIT_EXPECT_EQ(test, gpu_doorbell_read(t->db, 3), 7ull);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->db->rings), 2);
}

static void db_pages(struct kunit *test)
{
	struct db_test *t = test->priv;
	unsigned int last = GPU_DOORBELL_COUNT - 1;

	db_map_whole(test);
	KUNIT_ASSERT_EQ(test, put_user(1ull, &t->user[0]), 0);
	KUNIT_ASSERT_EQ(test, put_user(2ull, &t->user[last]), 0);
	KUNIT_EXPECT_EQ(test, gpu_doorbell_read(t->db, 0), 1ull);
	KUNIT_EXPECT_EQ(test, gpu_doorbell_read(t->db, last), 2ull);
	gpu_doorbell_reset(t->db, last);
	KUNIT_EXPECT_EQ(test, gpu_doorbell_read(t->db, last), 0ull);
}

static void db_outlives_owner(struct kunit *test)
{
	struct db_test *t = test->priv;

	db_map_whole(test);
	gpu_doorbells_put(t->db);	/* the mapping has a reference */
	KUNIT_EXPECT_EQ(test, put_user(9ull, &t->user[1]), 0);
	KUNIT_EXPECT_EQ(test, gpu_doorbell_read(t->db, 1), 9ull);
	t->db = NULL;
}

static struct kunit_case db_list[] = {
	KUNIT_CASE(db_mmap_rejects),
	KUNIT_CASE(db_rings),
	KUNIT_CASE(db_pages),
	KUNIT_CASE(db_outlives_owner),
	{}
};

static struct kunit_suite db_suite = {
	.name = "vkfd_doorbell",
	.init = db_init,
	.exit = db_exit,
	.test_cases = db_list,
};

kunit_test_suite(db_suite);
