/* SPDX-License-Identifier: MIT */
/* Memory whose pages go to a GPU for real (svm_migrate), for tests of that */
#ifndef QUEUE_ZONE_H
#define QUEUE_ZONE_H

#include <fcntl.h>

#include "../kfd/file_util.h"
#include "queue_test.h"

#define PARAM		"/sys/module/vkfd/parameters/svm_migrate"
#define ZONE		"/sys/kernel/debug/kfd/zone"
#define PAGES		64u
#define ZONE_ALIGN	(2ul << 20)
#define BYTES		(PAGES * RIG_PAGE)
#define PM_SWAP		(1ull << 62)	/* what is not present, but no hole */
#define PM_PRESENT	(1ull << 63)

enum { PREFETCH = KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, ACCESS = KFD_IOCTL_SVM_ATTR_ACCESS,
       GRANULARITY = KFD_IOCTL_SVM_ATTR_GRANULARITY };

static inline bool set_param(const char *value)
{
	int fd = open(PARAM, O_WRONLY);
	bool done = fd >= 0 && write(fd, value, 1) == 1;

	if (fd >= 0)
		close(fd);
	return done;
}

/*
 * At a granule of the default size. Without MADV_NOHUGEPAGE, khugepaged makes it a huge page at any
 * moment: it touches all pages for that, and so brings them back.
 */
static inline u32 *memory_with(int advice)
{
	char *p = mmap(NULL, 4ul << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE((void *)p, MAP_FAILED);
	/* EINVAL: there are no huge pages. */
	madvise(p, 4ul << 20, advice);
	return (u32 *)(((uintptr_t)p + ZONE_ALIGN - 1) & -ZONE_ALIGN);
}

static inline u32 *memory(void)
{
	return memory_with(MADV_NOHUGEPAGE);
}

static inline void fill(u32 *p, u32 from)
{
	u32 i;

	for (i = 0; i < BYTES / 4; i++)
		p[i] = from + i;
}

static inline u32 wrong(const u32 *p, u32 from)
{
	u32 i, n = 0;

	for (i = 0; i < BYTES / 4; i++)
		n += p[i] != from + i;
	return n;
}

/* Pages that no CPU can reach, but which are there */
static inline u32 away_of(int pagemap, const void *p, u32 n)
{
	u64 entries[PAGES];
	u32 i, away = 0;

	ASSERT_EQ(pread(pagemap, entries, n * 8, (uintptr_t)p / RIG_PAGE * 8), (ssize_t)(n * 8));
	for (i = 0; i < n; i++)
		away += (entries[i] & (PM_SWAP | PM_PRESENT)) == PM_SWAP;
	return away;
}

/* Page frames in use, of all processes */
static inline long frames_used(void)
{
	return file_value(ZONE, "used");
}

static inline bool frames_return(long used)
{
	u64 end = rig_ms() + RIG_LONG * th_slow();

	while (frames_used() > used) {
		if (rig_ms() > end)
			return false;
		usleep(10000);
	}
	return true;
}

#endif /* QUEUE_ZONE_H */
