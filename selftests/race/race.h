/* SPDX-License-Identifier: MIT */
/*
 * Entry points of the driver against each other.
 *
 *   actor   an entry point (or a few that belong together), called again and again
 *   mode    how the two tasks that call share their memory and descriptors
 *   life    one process tree: two tasks, an actor each, until both have ended in one
 *           way or another
 *   round   a pair of actors in one mode, for a bounded time: some lives
 *
 * Tasks are made by clone() with any flags, so several may share one thread pointer,
 * and with it errno and the locks of stdio and malloc. What runs in them therefore
 * makes system calls by race_call() and uses nothing of libc that keeps anything.
 */
#ifndef RACE_H
#define RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include "../kfd/queue_area.h"
#include "../../uapi/linux/kfd_ioctl.h"

#define RACE_ARENA	((uint8_t *)0x200000000ul)
#define RACE_ARENA_BYTES 0x200000ul
/* Of the arena: memory of tasks, which actors map, change and unmap as they like. */
#define RACE_SLOT	0x10000ul
#define RACE_SLOTS	16u
/* Where GPU memory without a place of its own goes. */
#define RACE_GPU_VA	0x300000000ul
#define RACE_DOORBELLS	8192ul
#define RACE_EVENTS	(KFD_SIGNAL_EVENT_LIMIT * 8ul)
#define RACE_PAGE	4096ul
#define RACE_QUEUE_TYPES (KFD_IOC_QUEUE_TYPE_SDMA_XGMI + 1)

struct race_task;

/**
 * struct race_actor - an entry point
 * @prepare: once for each task; false: there is nothing to do here. NULL: nothing to prepare
 * @step: again and again; any of its calls may fail
 * @finish: unless the task is torn away
 * @bare: likes a process that has not acquired its VM
 * @global: changes what others see: it is put right after the life
 */
struct race_actor {
	const char *name;
	bool (*prepare)(struct race_task *t);
	void (*step)(struct race_task *t);
	void (*finish)(struct race_task *t);
	bool bare, global;
};

/* All of the machine's that lives need; the parent of all of them looks it up. */
struct race_machine {
	uint32_t gpu_id;
	char render[32], card[32];
	char debugfs[40];	/* of the GPU */
	char pci[16];		/* its name on the bus, or "" */
	unsigned int gfx;	/* gfx_target_version */
	struct queue_area area;	/* of its compute queues */
};

/* What an mm, or a copy of it, has on the GPU. Any task may change it any time. */
struct race_world {
	const struct race_machine *machine;
	int kfd, drm;
	pid_t pid;		/* of whom it is */
	uint64_t handle;	/* a buffer of a slot's size, @offset: for mmap */
	uint64_t offset;
	uint32_t event, queue;
	volatile uint64_t *doorbells;
	volatile uint8_t *bo, *event_page;
};

/*
 * Queues that actors wanted, and those that they got. Who is no thread of the opener is rightly
 * refused (EBADF), and not counted. @error: of the last one that was not made.
 */
struct race_queues {
	volatile int32_t error;
	volatile uint32_t tried, made;
};

/**
 * struct race_task - who calls
 * @world: of its mm
 * @rng: state of its random numbers
 * @peer: pid of the other one, or its own
 * @queues: by type, KFD_IOC_QUEUE_TYPE_*
 * @fd,@id,@map: what the actor keeps between its steps
 */
struct race_task {
	const struct race_actor *actor;
	struct race_world *world;
	uint64_t rng;
	pid_t peer;
	struct race_queues *queues;
	int fd[3];
	uint64_t id[3];
	uint8_t *map;
};

/* -errno, or what the call gives. */
static inline long race_call6(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#define race_call_n(_n, _a, _b, _c, _d, _e, _f, ...) \
	race_call6(SYS_##_n, (long)(_a), (long)(_b), (long)(_c), (long)(_d), (long)(_e), (long)(_f))
#define race_call(_n, ...)	race_call_n(_n, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)

#define race_ok(_ret)		((unsigned long)(_ret) < -4095ul)

uint64_t race_random(struct race_task *t);
void race_sleep_us(unsigned int us);
long race_open(const char *path, int flags);
void race_close(int fd);
long race_kfd(const struct race_task *t, unsigned long cmd, void *arg);
long race_drm(const struct race_task *t, unsigned long cmd, void *arg);
/* NULL if there is nothing. */
void *race_mmap(void *at, size_t bytes, int prot, int flags, int fd, uint64_t offset);
void race_munmap(volatile void *p, size_t bytes);
/* A load, or a store of what is there: false if there is nothing. */
bool race_touch(volatile void *p, bool write);
bool race_store(volatile void *p, uint64_t value);
/* The file to its end. */
void race_read(const char *path);
void race_write(const char *path, const char *text);
/* "%" in @format: @n. */
void race_path(char *out, size_t bytes, const char *format, unsigned int n);
/* Memory of the task's own choice in the arena. */
uint8_t *race_slot(struct race_task *t);
void race_on_fault(void);

/* A buffer of memory that is the process's own, mapped: its handle, or 0 */
uint64_t race_userptr(const struct race_task *t, void *p, size_t bytes);
void race_free(const struct race_task *t, uint64_t handle);
long race_map(const struct race_task *t, uint64_t handle, bool map);

/* actors_*.c: rows that end with an empty one */
extern const struct race_actor race_kfd_actors[], race_map_actors[], race_drm_actors[],
	race_sys_actors[];

/* How a task ends. */
enum race_end {
	RACE_RETURN,		/* finishes */
	RACE_EXIT_THREAD,	/* alone */
	RACE_EXIT,		/* with its process */
	RACE_EXEC,
	RACE_KILLED,		/* by the parent */
	RACE_ENDS
};

struct race_mode {
	const char *name;
	unsigned long flags;	/* of clone() */
	bool vfork, scm, apart;
	enum race_end first, second;	/* RACE_ENDS: any */
};

extern const struct race_mode race_modes[];
extern const unsigned int race_nr_modes;

/* What the parent and all tasks of a life share. */
struct race_life {
	const struct race_mode *mode;
	const struct race_machine *machine;
	const struct race_actor *actor[2];
	bool bare;
	uint64_t seed;
	enum race_end end[2];
	uint32_t end_us[2];	/* after the start */
	/* Told by the tasks */
	volatile pid_t tgid[2];
	volatile uint32_t steps[2], ready[2];
	struct race_queues queues[2][RACE_QUEUE_TYPES];
	volatile uint32_t stop;
};

/* The process that fork() just made: becomes the tasks, and does not return. */
void race_live(struct race_life *life) __attribute__((noreturn));

#endif /* RACE_H */
