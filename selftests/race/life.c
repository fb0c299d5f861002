// SPDX-License-Identifier: MIT
/*
 * A life: the first process opens the GPU, makes the second task in the way of the
 * mode, and both call their actors until their end comes, each in its own way.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "race.h"

#define STACK_BYTES	(256u << 10)

#define THREAD	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)
#define ANY	.first = RACE_ENDS, .second = RACE_ENDS

const struct race_mode race_modes[] = {
	{ .name = "threads", .flags = THREAD, ANY },
	/* The thread that lives on has another pid and mm then, and the leader is gone */
	{ .name = "exec by a thread", .flags = THREAD, .first = RACE_ENDS, .second = RACE_EXEC },
	{ .name = "leader gone", .flags = THREAD, .first = RACE_EXIT_THREAD,
	  .second = RACE_ENDS },
	{ .name = "CLONE_VM", .flags = CLONE_VM | SIGCHLD, ANY },
	{ .name = "CLONE_VM, opener gone", .flags = CLONE_VM | SIGCHLD, .first = RACE_EXIT,
	  .second = RACE_RETURN },
	{ .name = "CLONE_VM, opener execs", .flags = CLONE_VM | SIGCHLD, .first = RACE_EXEC,
	  .second = RACE_RETURN },
	{ .name = "CLONE_VM|CLONE_FILES", .flags = CLONE_VM | CLONE_FILES | SIGCHLD, ANY },
	{ .name = "CLONE_VM|CLONE_SIGHAND", .flags = CLONE_VM | CLONE_SIGHAND | CLONE_FS | SIGCHLD,
	  ANY },
	{ .name = "vfork", .flags = CLONE_VM | CLONE_VFORK | SIGCHLD, .vfork = true, ANY },
	{ .name = "fork", .flags = SIGCHLD, ANY },
	{ .name = "CLONE_FILES", .flags = CLONE_FILES | SIGCHLD, ANY },
	{ .name = "SCM_RIGHTS", .flags = SIGCHLD, .scm = true, ANY },
	{ .name = "strangers", .flags = SIGCHLD, .apart = true, ANY },
};
const unsigned int race_nr_modes = sizeof(race_modes) / sizeof(race_modes[0]);

static struct race_life *life;
static struct race_world world;
static struct race_task task[2];
static int channel[2];

/* -------------------------------------------------------------------- world */

static void acquire(const struct race_task *t)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args m = {
		.va_addr = RACE_GPU_VA, .size = RACE_SLOT, .gpu_id = world.machine->gpu_id,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
			 KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC,
	};
	struct kfd_ioctl_acquire_vm_args a = { .drm_fd = world.drm,
					       .gpu_id = world.machine->gpu_id };
	struct kfd_ioctl_create_event_args e = { .event_type = KFD_IOC_EVENT_SIGNAL };

	if (race_kfd(t, AMDKFD_IOC_ACQUIRE_VM, &a))
		return;
	if (!race_kfd(t, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &m)) {
		world.handle = m.handle;
		world.offset = m.mmap_offset;
		race_map(t, m.handle, true);
	}
	if (!race_kfd(t, AMDKFD_IOC_CREATE_EVENT, &e))
		world.event = e.event_id;
	world.bo = race_mmap(NULL, RACE_SLOT, PROT_READ | PROT_WRITE, MAP_SHARED, world.drm,
			     world.offset);
}

static void open_gpu(const struct race_task *t)
{
	const uint64_t gpu = KFD_MMAP_GPU_ID(world.machine->gpu_id);

	world.pid = race_call(getpid);
	world.kfd = race_open("/dev/kfd", O_RDWR);
	world.drm = race_open(world.machine->render, O_RDWR);
	if (!life->bare)
		acquire(t);
	world.doorbells = race_mmap(NULL, RACE_DOORBELLS, PROT_READ | PROT_WRITE, MAP_SHARED,
				    world.kfd, KFD_MMAP_TYPE_DOORBELL | gpu);
	world.event_page = race_mmap(NULL, RACE_EVENTS, PROT_READ | PROT_WRITE, MAP_SHARED,
				     world.kfd, KFD_MMAP_TYPE_EVENTS);
}

/* Every other slot has a page already. */
static bool make_arena(void)
{
	unsigned int i;

	if (!race_mmap(RACE_ARENA, RACE_ARENA_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0))
		return false;
	for (i = 0; i < RACE_SLOTS; i += 2)
		RACE_ARENA[i * RACE_SLOT] = i;
	return true;
}

/* ------------------------------------------------- descriptors to a stranger */

union control {
	struct cmsghdr header;
	uint8_t bytes[CMSG_SPACE(2 * sizeof(int))];
};

static void message(struct msghdr *m, struct iovec *io, char *byte, union control *c)
{
	*io = (struct iovec) { byte, 1 };
	*m = (struct msghdr) { .msg_iov = io, .msg_iovlen = 1, .msg_control = c,
			       .msg_controllen = sizeof(*c) };
}

static void send_files(void)
{
	int fds[2] = { world.kfd, world.drm };
	union control c;
	struct msghdr m;
	struct iovec io;
	char byte = 0;

	message(&m, &io, &byte, &c);
	c.header = (struct cmsghdr) { .cmsg_len = CMSG_LEN(sizeof(fds)), .cmsg_level = SOL_SOCKET,
				      .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(&c.header), fds, sizeof(fds));
	race_call(sendmsg, channel[0], &m, 0);
}

static void receive_files(void)
{
	int fds[2] = { -1, -1 };
	union control c;
	struct msghdr m;
	struct iovec io;
	char byte;

	race_close(world.kfd);
	race_close(world.drm);
	message(&m, &io, &byte, &c);
	if (race_call(recvmsg, channel[1], &m, 0) > 0 && m.msg_controllen >= CMSG_LEN(sizeof(fds)))
		memcpy(fds, CMSG_DATA(&c.header), sizeof(fds));
	world.kfd = fds[0];
	world.drm = fds[1];
}

/* --------------------------------------------------------------------- tasks */

static uint64_t now_us(void)
{
	struct timespec ts;

	race_call(clock_gettime, CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ull + ts.tv_nsec / 1000;
}

static void end(enum race_end how)
{
	static char * const argv[] = { (char *)"race", (char *)"--nothing", NULL };
	static char * const envp[] = { NULL };
	pid_t me = race_call(getpid);

	switch (how) {
	case RACE_EXIT_THREAD:
		race_call(exit, 0);
		break;
	case RACE_EXEC:
		race_call(execve, "/proc/self/exe", argv, envp);
		break;
	case RACE_KILLED:
		race_call(kill, me, SIGKILL);
		break;
	default:
		break;
	}
	race_call(exit_group, 0);
}

static int run(void *arg)
{
	struct race_task *t = arg;
	unsigned int i = t - task;
	enum race_end how = life->end[i];
	bool works = !t->actor->prepare || t->actor->prepare(t);
	uint64_t at;

	life->tgid[i] = race_call(getpid);
	life->ready[i] = 1;
	while (!life->ready[!i] && !life->stop)
		race_call(sched_yield);
	at = now_us() + life->end_us[i];
	while (!life->stop && (how == RACE_RETURN || now_us() < at)) {
		if (works)
			t->actor->step(t);
		else
			race_sleep_us(1000);
		life->steps[i]++;
	}
	if (how == RACE_RETURN && works && t->actor->finish)
		t->actor->finish(t);
	end(how);
	return 0;
}

static int run_stranger(void *arg)
{
	if (life->mode->apart)
		open_gpu(arg);
	if (life->mode->scm)
		receive_files();
	return run(arg);
}

static uint8_t *stack(void)
{
	uint8_t *p = race_mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	return p ? p + STACK_BYTES : NULL;
}

void race_live(struct race_life *l)
{
	uint8_t *stacks[2] = { stack(), stack() };
	unsigned int i;

	life = l;
	world.machine = life->machine;
	for (i = 0; i < 2; i++)
		task[i] = (struct race_task) {
			.actor = life->actor[i], .world = &world,
			.rng = (life->seed + i) * 0x9e3779b97f4a7c15ull | 1,
			.peer = getpid(), .queues = life->queues[i],
		};
	race_on_fault();
	if (!stacks[0] || !stacks[1] || !make_arena() ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel))
		_exit(4);
	if (!life->mode->apart)
		open_gpu(&task[0]);
	if (life->mode->scm)
		send_files();
	if (life->mode->vfork)
		clone(run, stacks[0], THREAD, &task[0]);
	/* In vfork this returns when the child is gone or another image */
	clone(run_stranger, stacks[1], life->mode->flags, &task[1]);
	if (life->mode->vfork) {
		while (!life->stop)
			race_sleep_us(1000);
		race_call(exit_group, 0);
	}
	if (life->mode->apart)
		open_gpu(&task[0]);
	run(&task[0]);
	_exit(0);
}
