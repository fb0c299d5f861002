// SPDX-License-Identifier: MIT
/* A JIT with its compiler in the same process: in a thread of its own, or, for tests, at once. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "jit_int.h"

#define UNITS_BYTES	(256ul << 20)	/* of addresses; memory comes when touched */
#define CODE_BYTES	(64ul << 20)
#define PAGE		4096ul

struct local {
	struct jit j;			/* first */
	struct jit_llvm *llvm;		/* of the thread that compiles */
	bool broken;
	u8 *code;
	size_t used;

	pthread_t thread;
	bool started;
	pthread_mutex_t lock;		/* of the following */
	pthread_cond_t more;
	struct jit_unit *queue[JIT_MAX_UNITS];
	u32 head, tail;
	bool end;
};

/* Never to be written and to be run at once; a unit has its pages for itself. */
static jit_code put_code(struct local *l, const struct jit_blob *b)
{
	size_t bytes = (b->bytes + PAGE - 1) & -PAGE;
	u8 *at = l->code + l->used;

	if (bytes > CODE_BYTES - l->used || mprotect(at, bytes, PROT_READ | PROT_WRITE))
		return NULL;
	memcpy(at, b->code, b->bytes);
	if (mprotect(at, bytes, PROT_READ | PROT_EXEC))
		return NULL;
	l->used += bytes;
	return (jit_code)(uintptr_t)(at + b->entry);
}

static void compile(struct local *l, struct jit_unit *u)
{
	struct jit_blob b;

	if (!l->llvm && !l->broken)
		l->llvm = jit_llvm_create(l->j.lane, l->j.o.verify);
	l->broken = !l->llvm;
	if (l->llvm && jit_llvm_compile(l->llvm, u, &b)) {
		u->code = put_code(l, &b);
		u->compile_ns = b.ns;
		free(b.code);
	}
	jit_set_compiled(&l->j, u);
}

static void *compiler(void *arg)
{
	struct local *l = arg;

	pthread_mutex_lock(&l->lock);
	while (!l->end) {
		struct jit_unit *u;

		if (l->head == l->tail) {
			pthread_cond_wait(&l->more, &l->lock);
			continue;
		}
		u = l->queue[l->head++ % JIT_MAX_UNITS];
		pthread_mutex_unlock(&l->lock);
		compile(l, u);
		pthread_mutex_lock(&l->lock);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static void submit(struct jit *j, struct jit_unit *u)
{
	struct local *l = (struct local *)j;

	if (j->o.wait) {
		compile(l, u);
		return;
	}
	if (!l->started)
		l->started = !pthread_create(&l->thread, NULL, compiler, l);
	if (!l->started) {
		jit_set_state(u, JIT_FAILED);
		return;
	}
	pthread_mutex_lock(&l->lock);
	l->queue[l->tail++ % JIT_MAX_UNITS] = u;
	pthread_cond_signal(&l->more);
	pthread_mutex_unlock(&l->lock);
}

static const struct jit_ops local_ops = { .submit = submit };

static void *reserve(size_t bytes, int prot)
{
	void *p = mmap(NULL, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

struct jit *jit_create(const struct jit_options *o)
{
	struct local *l = aligned_alloc(64, (sizeof(*l) + 63) & -64ul);

	if (!l)
		return NULL;
	memset(l, 0, sizeof(*l));
	l->j.o = *o;
	l->j.ops = &local_ops;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->more, NULL);
	l->j.lane = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
		    __builtin_cpu_supports("avx512vl") ? "avx512" : "avx2";
	if (o->lane)
		l->j.lane = o->lane;
	l->j.bytes = UNITS_BYTES;
	l->j.mem = reserve(UNITS_BYTES, PROT_READ | PROT_WRITE);
	l->code = reserve(CODE_BYTES, PROT_NONE);
	if (!l->j.mem || !l->code || !strcmp(l->j.lane, "sse2")) {
		jit_destroy(&l->j);
		return NULL;
	}
	return &l->j;
}

void jit_destroy(struct jit *j)
{
	struct local *l = (struct local *)j;

	if (l->started) {
		pthread_mutex_lock(&l->lock);
		l->end = true;
		pthread_cond_signal(&l->more);
		pthread_mutex_unlock(&l->lock);
		pthread_join(l->thread, NULL);
	}
	if (j->mem)
		munmap(j->mem, UNITS_BYTES);
	if (l->code)
		munmap(l->code, CODE_BYTES);
	if (l->llvm)
		jit_llvm_destroy(l->llvm);
	pthread_cond_destroy(&l->more);
	pthread_mutex_destroy(&l->lock);
	free(l);
}
