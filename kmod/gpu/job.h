/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A job: indirect buffers of packets that a GPU executes once, without a queue of the user's.
 */
#ifndef GPU_JOB_H
#define GPU_JOB_H

#include <linux/types.h>
#include <linux/wait.h>

struct gpu_vm;

/* Who executes: a compute pipe takes PM4 packets, an SDMA engine those of its own. */
enum gpu_job_ring { GPU_JOB_COMPUTE, GPU_JOB_SDMA };

/* Who runs the waves of jobs: decided once for a file, and then so for all of its jobs. */
enum gpu_job_runner {
	GPU_JOB_UNDECIDED,
	GPU_JOB_KERNEL,		/* the kernel, or hardware */
	GPU_JOB_PROCESS,	/* a process of the client's user */
};

/* An indirect buffer. @dwords may be 0. */
struct gpu_ib {
	u64 va;
	u32 dwords;
};

/**
 * struct gpu_job - what gpu_backend_job_run() executes
 * @vm: address space of the packets and of what they name
 * @ring: who executes it; @engine: SDMA: index of the engine
 * @priority: 0 to 15, as of queues
 * @owner: as gpu_process.id: jobs of different owners see nothing of each other
 * @pid: for logs
 * @ib,@nibs: the buffers, in order
 * @runner: from gpu_backend_jobs_open(), of the file whose job it is
 * @wq: waited on by the backend, which also looks at @cancelled
 * @cancelled: somebody wants it to end. Wake @wq after setting it
 * @at: for the backend: buffers begun
 * @over: for the backend: it has ended; @err: why, if it failed
 */
struct gpu_job {
	struct gpu_vm *vm;
	enum gpu_job_ring ring;
	u32 engine, priority;
	u64 owner;
	pid_t pid;
	enum gpu_job_runner runner;
	const struct gpu_ib *ib;
	u32 nibs;
	wait_queue_head_t wq;
	bool cancelled;
	u32 at;
	bool over;
	int err;
};

#endif /* GPU_JOB_H */
