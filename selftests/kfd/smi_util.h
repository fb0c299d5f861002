/* SPDX-License-Identifier: MIT */
/* A client of SMI_EVENTS: its file, its mask, its lines */
#ifndef SMI_UTIL_H
#define SMI_UTIL_H

#include <poll.h>

#include "kfd_util.h"

#define BIT_OF(_event)	KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_##_event)

static inline int smi_open(int kfd, uint32_t gpu_id)
{
	struct kfd_ioctl_smi_events_args a = { .gpuid = gpu_id };
	int err = kfd_err(kfd, AMDKFD_IOC_SMI_EVENTS, &a);

	return err ? -err : (int)a.anon_fd;
}

static inline bool readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1 && p.revents & POLLIN;
}

static inline void enable(int fd, uint64_t mask)
{
	ASSERT_EQ((ssize_t)sizeof(mask), write(fd, &mask, sizeof(mask)));
}

/* Without what comes behind it */
static inline void read_line(int fd, char *line, size_t bytes)
{
	size_t n = 0;

	do {
		ASSERT_TRUE(readable(fd, 5000));
		ASSERT_LT(n, bytes - 1);
		ASSERT_EQ(1, read(fd, &line[n], 1));
	} while (line[n++] != '\n');
	line[n] = 0;
}

#endif /* SMI_UTIL_H */
