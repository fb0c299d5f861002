/* SPDX-License-Identifier: MIT */
/* Memory whose pages are not there until a test fills them: a range of a userfaultfd. */
#ifndef MISSING_H
#define MISSING_H

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "queue_test.h"

#define MISSING_BYTES	(16 * RIG_PAGE)

/* A range that faults into @uffd; it is the begin of @bytes. */
static inline void *missing_memory(size_t bytes, int *uffd)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (uintptr_t)p, MISSING_BYTES }, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	*uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (*uffd < 0)
		SKIP(return NULL, "no userfaultfd");
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, ioctl(*uffd, UFFDIO_API, &api));
	ASSERT_EQ(0, ioctl(*uffd, UFFDIO_REGISTER, &reg));
	return p;
}

/* The same, and where the GPU sees it */
static inline void *missing_range(struct rig *r, size_t bytes, int *uffd)
{
	void *p = missing_memory(bytes, uffd);
	struct rig_mem m;

	ASSERT_EQ(0, rig_userptr(r, p, MISSING_BYTES, &m));
	return p;
}

static inline void *missing(struct rig *r, int *uffd)
{
	return missing_range(r, MISSING_BYTES, uffd);
}

/* Somebody's fault in the range has arrived. */
static inline bool asked(int uffd, u64 *addr)
{
	struct pollfd p = { .fd = uffd, .events = POLLIN };
	struct uffd_msg msg;

	if (poll(&p, 1, RIG_LONG * th_slow()) != 1 || read(uffd, &msg, sizeof(msg)) != sizeof(msg))
		return false;
	*addr = msg.arg.pagefault.address & ~(RIG_PAGE - 1);
	return msg.event == UFFD_EVENT_PAGEFAULT;
}

static inline void fill(int uffd, u64 addr, const void *page)
{
	struct uffdio_copy copy = { .dst = addr, .src = (uintptr_t)page, .len = RIG_PAGE };

	ASSERT_EQ(0, ioctl(uffd, UFFDIO_COPY, &copy));
}

#endif /* MISSING_H */
