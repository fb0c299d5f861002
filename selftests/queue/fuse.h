/* SPDX-License-Identifier: MIT */
/* A file whose server does not answer: FUSE. */
#ifndef FUSE_H
#define FUSE_H

#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "queue_test.h"

#define FUSE_DIR	"/tmp/vkfd-fuse"
#define FUSE_BYTES	(16 * RIG_PAGE)

static inline void fuse_reply(int fd, u64 unique, int error, const void *data, size_t bytes)
{
	char buf[512];
	struct fuse_out_header *h = (void *)buf;

	*h = (struct fuse_out_header){ .len = sizeof(*h) + bytes, .error = error,
				       .unique = unique };
	if (bytes)
		memcpy(buf + sizeof(*h), data, bytes);
	if (write(fd, buf, h->len) != (ssize_t)h->len)
		TH_LOG("fuse: reply of %zu bytes refused: %d", bytes, errno);
}

static inline struct fuse_attr fuse_attr(u64 node)
{
	return (struct fuse_attr){
		.ino = node, .mode = node == 1 ? S_IFDIR | 0755 : S_IFREG | 0666, .nlink = 1,
		.size = node == 1 ? 0 : FUSE_BYTES, .blksize = 4096,
	};
}

/* Reads that fail before there are no more answers */
static volatile unsigned int fuse_failing;
static volatile unsigned int fuse_reads;	/* that have arrived */

/* One directory with one file in it, every name is that file's; reads are not answered. */
static inline void *fuse_server(void *arg)
{
	static char buf[1 << 17];
	struct fuse_in_header *h = (void *)buf;
	int fd = *(int *)arg;

	while (read(fd, buf, sizeof(buf)) > 0) {
		struct fuse_init_out init = { .major = 7, .minor = 31, .max_write = 4096 };
		struct fuse_entry_out entry = { .nodeid = 2, .attr = fuse_attr(2) };
		struct fuse_attr_out attr = { .attr = fuse_attr(h->nodeid) };
		struct fuse_open_out open_out = { .fh = 1, .open_flags = FOPEN_KEEP_CACHE };

		if (h->opcode == FUSE_INIT)
			fuse_reply(fd, h->unique, 0, &init, sizeof(init));
		else if (h->opcode == FUSE_LOOKUP)
			fuse_reply(fd, h->unique, 0, &entry, sizeof(entry));
		else if (h->opcode == FUSE_GETATTR)
			fuse_reply(fd, h->unique, 0, &attr, sizeof(attr));
		else if (h->opcode == FUSE_OPEN || h->opcode == FUSE_OPENDIR)
			fuse_reply(fd, h->unique, 0, &open_out, sizeof(open_out));
		else if (h->opcode == FUSE_RELEASE)
			fuse_reply(fd, h->unique, 0, NULL, 0);
		else if (h->opcode == FUSE_FLUSH)
			fuse_reply(fd, h->unique, -ENOSYS, NULL, 0);
		else if (h->opcode == FUSE_READ && fuse_reads++ < fuse_failing)
			fuse_reply(fd, h->unique, -EIO, NULL, 0);
	}
	return NULL;
}

static int fuse_fd;

static inline void fuse_mount(void)
{
	char options[64];
	pthread_t t;

	if (access("/sys/fs/fuse", F_OK) && system("modprobe -q fuse"))
		SKIP(return, "no FUSE in this kernel");
	fuse_fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fuse_fd);
	mkdir(FUSE_DIR, 0755);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40755,user_id=0,group_id=0", fuse_fd);
	ASSERT_EQ(0, mount("vkfd", FUSE_DIR, "fuse", MS_NOSUID | MS_NODEV, options));
	ASSERT_EQ(0, pthread_create(&t, NULL, fuse_server, &fuse_fd));
}

static inline void fuse_umount(void)
{
	umount2(FUSE_DIR, MNT_FORCE);
	umount2(FUSE_DIR, MNT_DETACH);
}

#endif /* FUSE_H */
