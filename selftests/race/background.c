// SPDX-License-Identifier: MIT
/*
 * Two processes that go on beside all lives: one has memory that moves to the GPU and back, the
 * other wants all of the GPU's memory, so that whatever is there has to leave it, with the queues
 * of whom it belongs to stopped meanwhile. Lives may take the GPU away from both; they try again.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/prctl.h>

#include "../../uapi/drm/amdgpu_drm.h"
#include "../kfd/kfd_util.h"
#include "background.h"

#define PAGES		64u
#define BYTES		(PAGES * PAGE)
#define PAUSE_US	2000u
#define END_MS		20000u

static struct {
	pid_t mover, taker;
	/* The counts of both, whatever becomes of them */
	atomic_uint *rounds;
} b;

/* ------------------------------------------------------------------ the mover */

struct user {
	int kfd, drm;
	uint32_t gpu_id;
	unsigned int seed;
};

static bool user_open(struct user *u)
{
	int node = gpu_node(0);
	char path[64];

	u->kfd = u->drm = -1;
	if (node < 0)
		return false;
	u->gpu_id = node_gpu_id(node);
	snprintf(path, sizeof(path), "/dev/dri/renderD%lld", node_prop(node, "drm_render_minor"));
	u->drm = open(path, O_RDWR | O_CLOEXEC);
	u->kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	return u->kfd >= 0 && u->drm >= 0;
}

static void user_close(struct user *u)
{
	close(u->kfd);
	close(u->drm);
}

static int prefetch(const struct user *u, char *p, size_t bytes, uint32_t to)
{
	struct {
		struct kfd_ioctl_svm_args a;
		struct kfd_ioctl_svm_attribute attr[2];
	} s = {
		.a = { .start_addr = (uintptr_t)p, .size = bytes, .op = KFD_IOCTL_SVM_OP_SET_ATTR,
		       .nattr = 2 },
		.attr = { { KFD_IOCTL_SVM_ATTR_ACCESS, u->gpu_id },
			  { KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, to } },
	};

	return kfd_err(u->kfd, _IOC(_IOC_READ | _IOC_WRITE, 'K', _IOC_NR(AMDKFD_IOC_SVM),
				    sizeof(s)), &s);
}

static void touch(char *p, size_t bytes, unsigned int step)
{
	size_t i;

	for (i = 0; i < bytes; i += step * PAGE)
		++*(volatile char *)(p + i);
}

/* What may happen to memory that is with the GPU */
static void change(struct user *u, char *p)
{
	char *part = p + rand_r(&u->seed) % PAGES * PAGE;
	pid_t pid;

	switch (rand_r(&u->seed) % 6) {
	case 0:
		mprotect(p, BYTES, PROT_READ);
		mprotect(p, BYTES, PROT_READ | PROT_WRITE);
		break;
	case 1:
		madvise(part, PAGE, MADV_DONTNEED);
		break;
	case 2:
		mmap(part, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	case 3:
		pid = fork();
		if (!pid) {
			touch(p, BYTES, 3);
			_exit(0);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
		break;
	default:
		touch(p, BYTES, 1 + rand_r(&u->seed) % 8);
	}
}

/* The process's own object stays with it, so each round of another opener is another process. */
static void move(struct user *u, uint32_t rounds)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args m = {
		.va_addr = (uintptr_t)va_reserve(BYTES), .size = BYTES,
		.flags = VRAM | HOST,
	};
	char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kfd_ioctl_map_memory_to_gpu_args map = { .n_devices = 1 };
	uint32_t i;

	if (p == MAP_FAILED || !user_open(u) || acquire_vm(u->kfd, u->drm, u->gpu_id))
		return;
	/* A buffer that has to leave, and with it all queues of the process */
	m.gpu_id = u->gpu_id;
	if (!kfd_err(u->kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &m)) {
		map.handle = m.handle;
		map.device_ids_array_ptr = (uintptr_t)&u->gpu_id;
		kfd_err(u->kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map);
	}
	for (i = 0; i < rounds; i++) {
		if (prefetch(u, p, BYTES, rand_r(&u->seed) % 4 ? u->gpu_id : 0))
			return;
		change(u, p);
		atomic_fetch_add(&b.rounds[0], 1);
	}
}

/* A process each, some of which are killed in the middle of it */
static void mover(void)
{
	unsigned int seed = 1;
	pid_t pid;

	for (;;) {
		pid = fork();
		if (!pid) {
			struct user u = { .seed = seed };

			prctl(PR_SET_PDEATHSIG, SIGKILL);
			move(&u, 50);
			_exit(0);
		}
		if (pid > 0 && rand_r(&seed) % 2) {
			usleep(rand_r(&seed) % (40 * PAUSE_US));
			kill(pid, SIGKILL);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
		usleep(PAUSE_US);
	}
}

/* ------------------------------------------------------------------ the taker */

static uint64_t vram_free(int drm)
{
	struct drm_amdgpu_memory_info m = { 0 };
	struct drm_amdgpu_info in = {
		.return_pointer = (uintptr_t)&m, .return_size = sizeof(m),
		.query = AMDGPU_INFO_MEMORY,
	};

	if (kfd_err(drm, DRM_IOCTL_AMDGPU_INFO, &in))
		return 0;
	return m.vram.total_heap_size - m.vram.heap_usage;
}

/* All that is free, and then a little more, for which somebody has to leave */
static bool take(int drm)
{
	union drm_amdgpu_gem_create c[2] = { 0 };
	struct drm_gem_close g = { 0 };
	unsigned int i;
	bool took = false;

	for (i = 0; i < 2; i++) {
		uint64_t bytes = i ? BYTES : vram_free(drm) & -PAGE;

		if (!bytes)
			continue;
		c[i].in.bo_size = bytes;
		c[i].in.domains = AMDGPU_GEM_DOMAIN_VRAM;
		if (kfd_err(drm, DRM_IOCTL_AMDGPU_GEM_CREATE, &c[i]))
			break;
		took = true;
	}
	while (i--) {
		g.handle = c[i].out.handle;
		if (g.handle)
			kfd_err(drm, DRM_IOCTL_GEM_CLOSE, &g);
	}
	return took;
}

static void taker(void)
{
	unsigned int seed = 2;
	struct user u;

	for (;;) {
		if (user_open(&u))
			while (take(u.drm)) {
				atomic_fetch_add(&b.rounds[1], 1);
				usleep(rand_r(&seed) % (2 * PAUSE_US));
			}
		user_close(&u);
		usleep(PAUSE_US);
	}
}

/* ----------------------------------------------------------------------- both */

static pid_t start(void (*fn)(void))
{
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fn();
		_exit(0);
	}
	if (pid > 0)
		setpgid(pid, pid);
	return pid;
}

void race_background_start(void)
{
	if (!b.rounds)
		b.rounds = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	b.mover = start(mover);
	b.taker = start(taker);
}

/* The mover's children are of its group, and come to us when it has ended. */
static bool end(pid_t group)
{
	unsigned int i, ms = END_MS * th_slow();

	if (group <= 0)
		return false;
	kill(-group, SIGKILL);
	for (i = 0; i < ms; i++) {
		while (waitpid(-group, NULL, WNOHANG) > 0)
			;
		if (kill(-group, 0) && errno == ESRCH)
			return true;
		kill(-group, SIGKILL);
		usleep(1000);
	}
	return false;
}

bool race_background_stop(void)
{
	bool ended = end(b.mover);

	return end(b.taker) && ended;
}

void race_background_rounds(unsigned int *moves, unsigned int *takes)
{
	*moves = b.rounds ? b.rounds[0] : 0;
	*takes = b.rounds ? b.rounds[1] : 0;
}
