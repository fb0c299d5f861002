/* SPDX-License-Identifier: MIT */
/*
 * A checkpoint as CRIU and its amdgpu plugin make one: the process is traced, its file of
 * /dev/kfd is borrowed, its memory and the contents of its buffers are copied. All of it is put
 * back in another process, at the same addresses.
 */
#ifndef CRIU_UTIL_H
#define CRIU_UTIL_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "queue_test.h"

#define DUMP_MAX	64
#define DUMP_PAGES	16384
#define DUMP_ARENA	(64ul << 20)

/* Memory that the process has and its parent has not */
struct dump_area {
	u64 start, bytes;
	bool anon;
};

/*
 * @pages, @page_at: those pages of anonymous memory that are not zero
 * @arena: memory for all that, which has to be there before the process is: what it maps later must
 *	be free here
 */
struct dump {
	pid_t pid;
	int kfd;
	struct kfd_ioctl_criu_args args;
	struct kfd_criu_device_bucket devices[32];
	struct kfd_criu_bo_bucket bos[DUMP_MAX];
	void *contents[DUMP_MAX], *priv;
	struct dump_area area[DUMP_MAX];
	u32 areas, npages, ndevices;
	u8 (*pages)[RIG_PAGE], *arena;
	size_t used;
	u64 page_at[DUMP_PAGES];
	u64 doorbells;		/* where those of @gpu_id are mapped, 0: nowhere */
	u32 gpu_id;
};

static inline int criu_op(int kfd, u32 op, struct kfd_ioctl_criu_args *a)
{
	int ret;

	a->op = op;
	do {
		ret = ioctl(kfd, AMDKFD_IOC_CRIU_OP, a);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

static inline void *dump_anon(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Before the process is forked. */
static inline int dump_init(struct dump *d)
{
	d->pages = dump_anon(DUMP_PAGES * RIG_PAGE);
	d->arena = dump_anon(DUMP_ARENA);
	return d->pages && d->arena ? 0 : -ENOMEM;
}

static inline void *dump_alloc(struct dump *d, size_t bytes)
{
	void *p = d->arena + d->used;

	d->used += (bytes + 63) & ~63ul;
	return d->used <= DUMP_ARENA ? p : NULL;
}

/* Stops the process and borrows its file: @fd there. */
static inline int dump_seize(struct dump *d, pid_t pid, int fd)
{
	int pidfd, status;

	d->pid = pid;
	if (ptrace(PTRACE_SEIZE, pid, 0, 0) || ptrace(PTRACE_INTERRUPT, pid, 0, 0) ||
	    waitpid(pid, &status, __WALL) != pid)
		return -errno;
	pidfd = syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return -errno;
	d->kfd = syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	close(pidfd);
	return d->kfd < 0 ? -errno : 0;
}

static inline int dump_info(struct dump *d)
{
	int ret;

	memset(&d->args, 0, sizeof(d->args));
	ret = criu_op(d->kfd, KFD_CRIU_OP_PROCESS_INFO, &d->args);
	if (ret)
		return ret;
	if (d->args.num_bos > DUMP_MAX || d->args.num_devices > 32)
		return -E2BIG;
	d->ndevices = d->args.num_devices;
	d->args.devices = (uintptr_t)d->devices;
	d->args.bos = (uintptr_t)d->bos;
	d->priv = dump_alloc(d, d->args.priv_data_size);
	d->args.priv_data = (uintptr_t)d->priv;
	return 0;
}

/* The contents of a buffer, through its dma-buf */
static inline int dump_copy(const struct kfd_criu_bo_bucket *b, void *contents, bool out)
{
	void *p = mmap(NULL, b->size, out ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED,
		       b->dmabuf_fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	memcpy(out ? contents : p, out ? p : contents, b->size);
	munmap(p, b->size);
	return 0;
}

static inline int dump_checkpoint(struct dump *d)
{
	int ret = criu_op(d->kfd, KFD_CRIU_OP_CHECKPOINT, &d->args);
	u32 i;

	for (i = 0; i < d->args.num_bos && !ret; i++) {
		if (d->bos[i].dmabuf_fd == ~0u)
			continue;
		d->contents[i] = dump_alloc(d, d->bos[i].size);
		ret = !d->contents[i] ? -E2BIG : dump_copy(&d->bos[i], d->contents[i], true);
		close(d->bos[i].dmabuf_fd);
	}
	return ret;
}

/*
 * The first part of @start to @end that this process has not mapped. A kernel may make one area of
 * what the process has inherited and what it has mapped itself.
 */
static inline bool dump_gap(u64 start, u64 end, struct dump_area *a)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long long from, to;
	char line[512];

	while (start < end && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx-%llx", &from, &to) != 2 || to <= start)
			continue;
		if (from > start) {
			end = from < end ? from : end;
			break;
		}
		start = to;
	}
	fclose(f);
	*a = (struct dump_area){ start, end - start, true };
	return start < end;
}

static inline int dump_pages(struct dump *d, const struct dump_area *a)
{
	static u8 buf[256 * RIG_PAGE];
	static const u8 zero[RIG_PAGE];
	u64 at, i;

	for (at = 0; at < a->bytes; at += sizeof(buf)) {
		size_t n = a->bytes - at < sizeof(buf) ? a->bytes - at : sizeof(buf);
		struct iovec to = { buf, n }, from = { (void *)(a->start + at), n };

		if (process_vm_readv(d->pid, &to, 1, &from, 1, 0) != (ssize_t)n)
			return -errno;
		for (i = 0; i < n; i += RIG_PAGE) {
			if (!memcmp(buf + i, zero, RIG_PAGE))
				continue;
			if (d->npages == DUMP_PAGES)
				return -E2BIG;
			memcpy(d->pages[d->npages], buf + i, RIG_PAGE);
			d->page_at[d->npages++] = a->start + at + i;
		}
	}
	return 0;
}

/* Memory that the process has, and this one, from which it was forked, not; without heap, stack. */
static inline int dump_memory(struct dump *d)
{
	unsigned long long from, to, inode;
	char line[512], perm[8];
	struct dump_area *a;
	int ret = 0;
	FILE *f;

	snprintf(line, sizeof(line), "/proc/%d/maps", d->pid);
	f = fopen(line, "r");
	if (!f)
		return -errno;
	while (!ret && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx-%llx %7s %*x %*s %llu", &from, &to, perm, &inode) != 4 ||
		    strncmp(perm, "rw-p", 4) || inode || strchr(line, '['))
			continue;
		while (!ret && d->areas < DUMP_MAX && dump_gap(from, to, &d->area[d->areas])) {
			a = &d->area[d->areas++];
			ret = dump_pages(d, a);
			from = a->start + a->bytes;
		}
		if (d->areas == DUMP_MAX)
			ret = -E2BIG;
	}
	fclose(f);
	return ret;
}

/* Which device it is that the process calls @gpu_id */
static inline u32 gpu_at(const struct dump *d)
{
	u32 i = 0;

	while (d->devices[i].user_gpu_id != d->gpu_id)
		i++;
	return i;
}

/* ------------------------------------------------------------- in the new process */

static inline int load_memory(const struct dump *d)
{
	u32 i;

	for (i = 0; i < d->areas; i++)
		if (mmap((void *)d->area[i].start, d->area[i].bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
			 -1, 0) == MAP_FAILED)
			return -errno;
	for (i = 0; i < d->npages; i++)
		memcpy((void *)d->page_at[i], d->pages[i], RIG_PAGE);
	return 0;
}

/* Where the old process had mapped buffers and doorbells; their contents come through dma-bufs. */
static inline int load_buffers(struct dump *d, int kfd, const int *drm)
{
	u32 i, dev;
	int ret = 0;
	void *p;

	for (i = 0; i < d->args.num_bos && !ret; i++) {
		struct kfd_criu_bo_bucket *b = &d->bos[i];

		if (b->dmabuf_fd == ~0u)
			continue;
		ret = dump_copy(b, d->contents[i], false);
		close(b->dmabuf_fd);
		for (dev = 0; d->devices[dev].user_gpu_id != b->gpu_id; dev++)
			;
		if (mmap((void *)b->addr, b->size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED_NOREPLACE, drm[dev],
			 b->restored_offset) == MAP_FAILED)
			return -errno;
	}
	if (ret || !d->doorbells)
		return ret;
	dev = gpu_at(d);
	p = mmap((void *)d->doorbells, 8192, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED_NOREPLACE, kfd,
		 KFD_MMAP_TYPE_DOORBELL | KFD_MMAP_GPU_ID(d->devices[dev].actual_gpu_id));
	return p == MAP_FAILED ? -errno : 0;
}

/* Opens what RESTORE wants: the render nodes of the devices; of those that are none, -1. */
static inline void load_nodes(struct dump *d, int *drm)
{
	char path[64];
	u32 i;

	for (i = 0; i < d->ndevices; i++) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%ld",
			 rig_property(d->devices[i].actual_gpu_id, "drm_render_minor"));
		drm[i] = open(path, O_RDWR | O_CLOEXEC);
		d->devices[i].drm_fd = drm[i];
	}
}

#endif /* CRIU_UTIL_H */
