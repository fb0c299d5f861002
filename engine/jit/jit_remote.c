// SPDX-License-Identifier: MIT
/*
 * Units are compiled by vkfd-jit, a child. It ends with this process; if it ends before, waves
 * are interpreted. Nothing here allocates or maps once waves run: a process that runs waves is
 * locked up.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jit_int.h"
#include "jit_remote.h"

#ifndef MFD_EXEC
#define MFD_EXEC	0x10u
#endif

#define WAIT_MS		120000u

struct jit_remote {
	struct jit_shared *s;
	const u8 *code;
};

static struct jit_request *request(struct jit_remote *r)
{
	u32 n, want;

	for (n = 0; n < JIT_REQUESTS; n++) {
		want = JIT_REQUEST_FREE;
		if (__atomic_compare_exchange_n(&r->s->req[n].state, &want, JIT_REQUEST_TAKEN,
						false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return &r->s->req[n];
	}
	return NULL;
}

static void poll(struct jit *j, struct jit_unit *u)
{
	struct jit_remote *r = j->priv;
	struct jit_request *q = &r->s->req[u->request];
	u32 state = __atomic_load_n(&q->state, __ATOMIC_ACQUIRE);
	u64 at;

	if (state != JIT_REQUEST_DONE && state != JIT_REQUEST_FAILED)
		return;
	at = q->at;
	u->compile_ns = q->ns;
	__atomic_store_n(&q->state, JIT_REQUEST_FREE, __ATOMIC_RELEASE);
	if (state == JIT_REQUEST_DONE && at < JIT_CODE_BYTES)
		u->code = (jit_code)(uintptr_t)(r->code + at);
	jit_set_compiled(j, u);
}

static void submit(struct jit *j, struct jit_unit *u)
{
	struct jit_remote *r = j->priv;
	struct jit_request *q = request(r);
	u32 n;

	if (!q) {
		jit_set_state(u, JIT_COLD);	/* the next time that a wave comes */
		return;
	}
	u->request = (u32)(q - r->s->req);
	q->ninsns = u->ninsns;
	q->key = u->key;
	q->key.pc = 0;
	q->key.max = 0;
	q->key.lane = NULL;
	q->key.target = NULL;
	memcpy(q->insn, u->insn, u->ninsns * sizeof(*q->insn));
	for (n = 0; n < u->ninsns; n++) {
		q->insn[n].pc -= u->key.pc;
		q->insn[n].op = NULL;
		q->insn[n].slot.exec[0] = NULL;
		q->insn[n].slot.exec[1] = NULL;
	}
	__atomic_store_n(&q->state, JIT_REQUEST_MADE, __ATOMIC_RELEASE);
	__atomic_add_fetch(&r->s->made, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &r->s->made, FUTEX_WAKE, 1, NULL, NULL, 0);
	/* For tests: a compiler that has ended answers nothing, and says so by that. */
	for (n = 0; j->o.wait && u->state == JIT_QUEUED && n < WAIT_MS; n++) {
		usleep(1000);
		poll(j, u);
	}
}

static const struct jit_ops remote_ops = { .submit = submit, .poll = poll };

struct jit *jit_remote_create(struct jit_remote *r, const struct jit_options *o, void *mem,
			      size_t bytes)
{
	size_t at = (sizeof(struct jit) + 63) & -64ul;
	struct jit *j = mem;

	if (bytes < at)
		return NULL;
	j->o = *o;
	j->ops = &remote_ops;
	j->priv = r;
	j->lane = r->s->lane;
	j->mem = (u8 *)mem + at;
	j->bytes = bytes - at;
	return j;
}

/*
 * To load LLVM costs a tenth of a second of processor time (on a quiet EPYC), which is much for a
 * program that never has anything compiled. So it is loaded with the first request. This child
 * waits for that, as a process that runs waves can start nothing any more.
 */
static void await_request(const struct jit_shared *s)
{
	while (!__atomic_load_n(&s->made, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &s->made, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void be_compiler(const char *program, const struct jit_shared *s, int fd, int dir,
			pid_t parent) __attribute__((noreturn));
static void be_compiler(const char *program, const struct jit_shared *s, int fd, int dir,
			pid_t parent)
{
	char *const argv[] = { (char *)program, NULL }, *const envp[] = { NULL };
	int null = open("/dev/null", O_RDWR);

	/* Who is started by the kernel has no output: @fd may be any of the first ones. */
	fd = fcntl(fd, F_DUPFD, 5);
	dir = dir < 0 ? dir : fcntl(dir, F_DUPFD, 5);
	/* The file of the GPU is none of its business, and it shall not outlive its parent. */
	if (fd < 0 || null < 0 || dup2(null, 0) || dup2(null, 1) != 1 || dup2(null, 2) != 2 ||
	    dup2(fd, 3) != 3 || (dir >= 0 && dup2(dir, 4) != 4) ||
	    syscall(SYS_close_range, dir < 0 ? 4 : 5, ~0u, 0))
		_exit(1);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	prctl(PR_SET_NAME, "vkfd-jit");	/* it is no engine any more */
	await_request(s);
	execve(program, argv, envp);
	_exit(1);
}

struct jit_remote *jit_remote_start(const char *program, const char *lane, int dir,
				    void *(*room)(size_t bytes))
{
	const size_t bytes = JIT_SHARED_BYTES + JIT_CODE_BYTES;
	struct jit_remote *r = calloc(1, sizeof(*r));
	pid_t parent = getpid(), child;
	int fd = -1;
	void *code;

	if (!r || access(program, X_OK))
		goto out;
	/* Linux before 6.3 does not know the flag. */
	fd = memfd_create("vkfd-jit", MFD_EXEC);
	if (fd < 0)
		fd = memfd_create("vkfd-jit", 0);
	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		goto out;
	r->s = mmap(room ? room(JIT_SHARED_BYTES) : NULL, JIT_SHARED_BYTES,
		    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	code = mmap(room ? room(JIT_CODE_BYTES) : NULL, JIT_CODE_BYTES,
		    PROT_READ | PROT_EXEC, MAP_SHARED, fd, (off_t)JIT_SHARED_BYTES);
	if (r->s == MAP_FAILED || code == MAP_FAILED)
		goto out;
	r->code = code;
	r->s->abi = jit_abi();
	memcpy(r->s->lane, lane, strnlen(lane, sizeof(r->s->lane) - 1));
	signal(SIGCHLD, SIG_IGN);	/* nobody waits for it */
	child = fork();
	if (!child)
		be_compiler(program, r->s, fd, dir, parent);
	close(fd);
	if (child > 0)
		return r;
	fd = -1;
out:
	/* What is mapped by then stays: this is once in the life of a process. */
	if (fd >= 0)
		close(fd);
	free(r);
	return NULL;
}
