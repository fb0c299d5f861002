/* SPDX-License-Identifier: MIT */
/*
 * A fuzzer of the driver's calls. A program is a list of operations; each has a
 * few random words, which the operation's row in the schema makes values of: ids
 * that are alive, addresses that are mapped, flags, and now and then rubbish. So
 * a program stays a program whatever is cut out of it or put in.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define FUZZ_WORDS	16	/* of an operation */
#define FUZZ_OPS	48	/* of a program: a process costs more than ten of them */
#define FUZZ_POOL	16	/* live things of a kind */
#define FUZZ_CALLS	128	/* of the schema, at most */

struct fuzz_op {
	uint16_t call;		/* row of the schema */
	uint64_t v[FUZZ_WORDS];
};

struct fuzz_prog {
	unsigned int n;
	bool bare;		/* begins with nothing open */
	bool race;		/* the halves run at the same time */
	bool checked;		/* buffers of queues are, as from Linux 6.12 on */
	struct fuzz_op op[FUZZ_OPS];
};

/* What a field is made of, and what a result is. */
enum fuzz_kind {
	FZ_END,
	FZ_GPU, FZ_QUEUE, FZ_EVENT, FZ_HANDLE, FZ_GEM, FZ_CTX, FZ_LIST,	/* live ones */
	FZ_DRM, FZ_BUF,		/* descriptors */
	FZ_VA,			/* of the arena or of memory on the GPU */
	FZ_MEM,			/* where arguments may be read and written */
	FZ_AREA,		/* where waves are saved, mostly */
	/* Of queues: as the driver wants them if it looks, else any VA or SIZE */
	FZ_RING, FZ_INDEX, FZ_EOP, FZ_RING_BYTES, FZ_EOP_BYTES, FZ_AREA_BYTES, FZ_STACK_BYTES,
	FZ_SIZE,		/* pages, mostly */
	FZ_ENUM,		/* 0..arg */
	FZ_BITS,		/* some of arg */
	FZ_SMALL,		/* a small count */
	FZ_PAGE,		/* memory for events: mostly the kernel's */
	FZ_ANY,
};

struct fuzz_field {
	uint16_t at;
	uint8_t bytes, kind;
	uint64_t arg;
};

struct fuzz_state;

struct fuzz_call {
	const char *name;
	unsigned long cmd;	/* of an ioctl; 0: @fn */
	bool drm;		/* on the render node */
	bool work;		/* queues and what runs on them */
	uint8_t weight;
	struct fuzz_field in[FUZZ_WORDS];
	struct fuzz_field out;	/* joins the pool of its kind */
	bool (*fn)(struct fuzz_state *s, const uint64_t *v);	/* it came to something */
};

/* fuzz_schema.c; rows of the driver's own list that have no schema are words of rubbish */
unsigned int fuzz_calls(const struct fuzz_call **calls);

/* fuzz_exec.c: in a child of its own, which it may take down */
void fuzz_setup(void);			/* once, before any program */
void fuzz_exec(const struct fuzz_prog *p);
uint64_t fuzz_value(struct fuzz_state *s, const struct fuzz_field *f, uint64_t v);

/* fuzz_ops.c: what is no ioctl, or more than one */
extern const struct fuzz_call fuzz_ops[];
extern const unsigned int fuzz_nr_ops;

/* fuzz_work.c: operations that mean something */
#define FUZZ_KERNEL_WAITS 0x3eu	/* in word 12 of a kernel: go on when it runs */
bool fuzz_op_queue(struct fuzz_state *s, const uint64_t *v);
bool fuzz_op_kernel(struct fuzz_state *s, const uint64_t *v);
bool fuzz_op_pause(struct fuzz_state *s, const uint64_t *v);
bool fuzz_op_wave_state(struct fuzz_state *s, const uint64_t *v);
bool fuzz_op_save(struct fuzz_state *s, const uint64_t *v);
bool fuzz_op_scribble(struct fuzz_state *s, const uint64_t *v);
bool fuzz_op_wait(struct fuzz_state *s, const uint64_t *v);
bool fuzz_op_job(struct fuzz_state *s, const uint64_t *v);

struct fuzz_queue {
	uint32_t id, bytes, type;
	uint64_t ring, wptr, doorbell;
	uint32_t area_bytes;	/* of an XCC */
};

struct queue_area;

/* What the process has; several threads use it, and any value may be stale. */
struct fuzz_state {
	uint32_t gpu_id;
	int render_minor;
	const struct queue_area *size;
	bool checked;	/* queues are, and their buffers stand alone */
	int kfd[FUZZ_POOL], drm[FUZZ_POOL], buf[FUZZ_POOL];
	uint64_t pool[FZ_ANY][FUZZ_POOL];
	unsigned int n[FZ_ANY];
	unsigned int nkfd, ndrm, nbuf, nqueues;
	uint64_t offset[FUZZ_POOL];	/* for mmap on the render node */
	unsigned int noffsets;
	struct fuzz_queue queue[FUZZ_POOL];
	uint8_t *arena, *mem, *area;
	volatile uint64_t *doorbells;
};

/* What came of it, over all programs. */
struct fuzz_stats {
	/* By whether buffers of queues were checked, and row of the schema. */
	uint32_t tried[2][FUZZ_CALLS], done[2][FUZZ_CALLS];
	uint64_t ns[FUZZ_CALLS];
	uint64_t setup_ns, ops_ns;	/* of processes, before and in operations */
	uint32_t waves;		/* looks at a save area that had some */
};

extern struct fuzz_stats *fuzz_stats;

/* How many times as long as in fuzzing operations wait for their kernels. */
extern unsigned int fuzz_patience;

static inline uint64_t fuzz_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

#define FUZZ_SLOT	0x10000ul	/* bytes of a slot of the arena */
#define FUZZ_SLOTS	32u
#define FUZZ_MEM	0x10000ul
#define FUZZ_AREA	0x40000ul	/* for waves that an XCC saves */
#define FUZZ_DOORBELLS	8192ul

/* Slot 0, which the GPU sees: rings, their indices, EOP, then kernels and their arguments. */
#define FUZZ_RINGS	4u
#define FUZZ_RING	0x1000ul
#define FUZZ_INDICES	0x4000ul
#define FUZZ_EOP	0x5000ul
#define FUZZ_KERNELS	0x6000ul

struct kfd_ioctl_create_queue_args;

/* fuzz_exec.c: a queue that was created joins the pools */
void fuzz_remember_queue(struct fuzz_state *s, const struct kfd_ioctl_create_queue_args *a);

/* Remember in a ring of the last ones. */
#define FUZZ_PUT(_array, _n, _value)	((_array)[(_n)++ % FUZZ_POOL] = (_value))
#define FUZZ_GET(_array, _n, _v) \
	((_array)[(_v) % ((_n) < FUZZ_POOL ? (_n) ? (_n) : 1 : FUZZ_POOL)])

#endif /* FUZZ_H */
