/* SPDX-License-Identifier: GPL-2.0-only */
/* Waves that run in user mode: remote.c. Without VKFD_ENGINE_USER (host tests) there are none. */
#ifndef INTERP_REMOTE_H
#define INTERP_REMOTE_H

#include "interp.h"

#if VKFD_ENGINE_USER
/*
 * The engine process of @q's address space, started if there is none; NULL: the kernel is to run
 * the queue's waves. ERR_PTR: the queue must not be. It is started for KFD's queues only, under
 * process->lock; others' was by interp_jobs_open().
 */
struct interp_remote *interp_remote_get(struct interp *ip, struct gpu_queue *q);
/* A queue of it is gone, or a file with jobs; with the last one it ends. */
void interp_remote_put(struct interp_remote *r);
/* See struct engine_ops */
int interp_jobs_open(struct hw *vg, struct gpu_vm *vm, enum gpu_job_runner *runner, void **priv);
void interp_jobs_close(struct hw *vg, void *priv);
/* How many threads it has; CU i of its queues belongs to thread i modulo this */
unsigned int interp_remote_threads(const struct interp_remote *r);
/* Who is to run waves of new address spaces: the GPU's own choice, else the module's */
enum gpu_engine interp_engine(const struct interp *ip);
/* What new processes do about compiling: enum vkfd_engine_jit */
u32 interp_engine_jit(void);
/* Adds the counter at @at of all engine processes' threads, or takes the maximum. */
u64 interp_remote_sum(struct interp *ip, size_t at, bool max, u64 v);
/* Adds how often each opcode ran in engine processes: isa_op_count() of them. */
void interp_remote_opcodes(struct interp *ip, u64 *count);
void interp_remote_show(struct interp *ip, struct seq_file *m);
#else
static inline struct interp_remote *interp_remote_get(struct interp *ip, struct gpu_queue *q)
{
	return NULL;
}

static inline void interp_remote_put(struct interp_remote *r)
{
}

static inline unsigned int interp_remote_threads(const struct interp_remote *r)
{
	return 0;
}

static inline int interp_jobs_open(struct hw *vg, struct gpu_vm *vm, enum gpu_job_runner *runner,
				   void **priv)
{
	return 0;
}

static inline void interp_jobs_close(struct hw *vg, void *priv)
{
}
#endif

#endif /* INTERP_REMOTE_H */
