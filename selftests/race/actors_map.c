// SPDX-License-Identifier: MIT
/* Mappings of /dev/kfd and of the render node, faults on them, and what else an mm does. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "race.h"

static void step_mmap(struct race_task *t, uint64_t type, size_t bytes)
{
	uint64_t offset = type | KFD_MMAP_GPU_ID(t->world->machine->gpu_id);
	uint8_t *p = race_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, t->world->kfd,
			       offset);

	if (!p)
		return;
	race_touch(p + (race_random(t) % bytes & ~7ul), race_random(t) & 1);
	/* Some stay, until they are torn away */
	if (race_random(t) & 3)
		race_munmap(p, bytes);
}

static void step_mmap_doorbell(struct race_task *t)
{
	step_mmap(t, KFD_MMAP_TYPE_DOORBELL, RACE_DOORBELLS);
}

static void step_mmap_event(struct race_task *t)
{
	step_mmap(t, KFD_MMAP_TYPE_EVENTS, RACE_EVENTS);
}

static void step_mmap_mmio(struct race_task *t)
{
	step_mmap(t, KFD_MMAP_TYPE_MMIO, RACE_PAGE);
}

static void step_mmap_bo(struct race_task *t)
{
	bool shared = race_random(t) & 3;
	uint8_t *p = race_mmap(NULL, RACE_SLOT, shared ? PROT_READ | PROT_WRITE : PROT_NONE,
			       shared ? MAP_SHARED : MAP_PRIVATE, t->world->drm, t->world->offset);

	if (!p)
		return;
	race_touch(p + race_random(t) % RACE_SLOT, true);
	if (race_random(t) & 3)
		race_munmap(p, RACE_SLOT);
}

/* Pages that are there, and go, and are there again. */
static void step_fault(struct race_task *t)
{
	volatile uint8_t *mapped[] = { (void *)t->world->doorbells, t->world->event_page,
				       t->world->bo };
	static const size_t bytes[] = { RACE_DOORBELLS, RACE_EVENTS, RACE_SLOT };
	unsigned int i = race_random(t) % 3;

	if (!mapped[i])
		return;
	race_touch(mapped[i] + (race_random(t) % bytes[i] & ~7ul), race_random(t) & 1);
	race_call(madvise, mapped[i], bytes[i], MADV_DONTNEED);
	race_touch(mapped[i] + (race_random(t) % bytes[i] & ~7ul), race_random(t) & 1);
}

/* Memory of the process's own, which may be the GPU's, too. */
static void step_memory(struct race_task *t)
{
	static const int advice[] = { MADV_DONTNEED, MADV_HUGEPAGE, MADV_DONTFORK, MADV_DOFORK };
	uint8_t *p = race_slot(t);
	unsigned int i;

	switch (race_random(t) % 5) {
	case 0:
		race_call(madvise, p, RACE_SLOT, advice[race_random(t) % 4]);
		break;
	case 1:
		race_call(mprotect, p, RACE_SLOT, PROT_READ);
		race_call(mprotect, p, RACE_SLOT, PROT_READ | PROT_WRITE);
		break;
	case 2:
		race_mmap(p, RACE_SLOT, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	case 3:
		race_call(mremap, p, RACE_SLOT, RACE_SLOT, MREMAP_MAYMOVE | MREMAP_FIXED,
			  race_slot(t));
		race_mmap(p, RACE_SLOT, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	}
	for (i = 0; i < 4; i++)
		race_touch(p + i * RACE_PAGE, true);
}

/* Mappings of the driver's are moved, cut, protected; and made anew. */
static void step_remap(struct race_task *t)
{
	uint64_t offset = KFD_MMAP_TYPE_DOORBELL | KFD_MMAP_GPU_ID(t->world->machine->gpu_id);
	uint8_t *p = (uint8_t *)t->world->doorbells;
	long moved;

	if (p && race_random(t) & 1) {
		moved = race_call(mremap, p, RACE_DOORBELLS, RACE_DOORBELLS, MREMAP_MAYMOVE);
		if (race_ok(moved))
			t->world->doorbells = (void *)moved;
		race_call(mprotect, moved, RACE_PAGE, PROT_READ);
		return;
	}
	race_munmap(p, race_random(t) & 1 ? RACE_DOORBELLS : RACE_PAGE);
	t->world->doorbells = race_mmap(NULL, RACE_DOORBELLS, PROT_READ | PROT_WRITE, MAP_SHARED,
					t->world->kfd, offset);
}

/* ------------------------------------------------------ others look into it */

static bool prepare_access(struct race_task *t)
{
	char path[40];

	race_path(path, sizeof(path), "/proc/%/mem", t->peer);
	t->fd[0] = race_open(path, O_RDWR);
	return t->fd[0] >= 0;
}

/* As a debugger does; and as one process copies from another. */
static void step_access(struct race_task *t)
{
	volatile void *mapped[] = { t->world->doorbells, t->world->event_page, t->world->bo,
				    race_slot(t) };
	void *at = (void *)mapped[race_random(t) % 4];
	uint64_t word[4];
	struct iovec local = { word, sizeof(word) }, remote = { at, sizeof(word) };

	if (!at)
		return;
	race_call(pread64, t->fd[0], word, sizeof(word), at);
	race_call(pwrite64, t->fd[0], word, sizeof(word), at);
	race_call(process_vm_readv, t->peer, &local, 1, &remote, 1, 0);
}

static void finish_access(struct race_task *t)
{
	race_close(t->fd[0]);
}

/* ----------------------------------------------------- descriptors, children */

/* Each close of a descriptor is a flush. */
static void step_flush(struct race_task *t)
{
	long fd = race_call(fcntl, t->world->kfd, F_DUPFD_CLOEXEC, 3);

	race_close(fd);
	fd = race_call(fcntl, t->world->drm, F_DUPFD_CLOEXEC, 3);
	race_close(fd);
}

/* A child that has a copy of everything, uses the descriptors and ends. */
static void step_fork(struct race_task *t)
{
	struct kfd_ioctl_get_version_args v = { 0 };
	long pid = race_call(clone, SIGCHLD, 0, 0, 0, 0);
	int status;

	if (!pid) {
		race_kfd(t, AMDKFD_IOC_GET_VERSION, &v);
		step_mmap_doorbell(t);
		race_touch(race_slot(t), true);
		race_call(exit_group, 0);
	}
	if (pid > 0 && race_random(t) & 1)
		race_call(kill, pid, SIGKILL);
	if (pid > 0)
		race_call(wait4, pid, &status, 0, NULL);
}

const struct race_actor race_map_actors[] = {
	{ .name = "mmap-doorbell", .step = step_mmap_doorbell },
	{ .name = "mmap-event", .step = step_mmap_event },
	{ .name = "mmap-mmio", .step = step_mmap_mmio },
	{ .name = "mmap-bo", .step = step_mmap_bo },
	{ .name = "fault", .step = step_fault },
	{ .name = "memory", .step = step_memory },
	{ .name = "remap", .step = step_remap },
	{ .name = "access", .prepare = prepare_access, .step = step_access,
	  .finish = finish_access },
	{ .name = "flush", .step = step_flush },
	{ .name = "fork", .step = step_fork },
	{ 0 }
};
