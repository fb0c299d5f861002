// SPDX-License-Identifier: MIT
/*
 * vkfd-jit compiles GPU code for the process that has started it: see jit_remote.h. Its descriptor
 * 3 is the memory that the two share. What it reads there is its client's, as everything it has;
 * a request that makes no sense costs nobody else anything. Descriptor 4 is a directory of the
 * client's user for what was compiled once (jit_store.h), or it is closed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jit_remote.h"
#include "jit_store.h"

#define SHARED_FD	3
#define BUCKETS		256u

/* What was compiled already: another thread asks for the same */
struct known {
	struct known *next;
	u64 at, ns;
	u32 ninsns;
	struct jit_key key;
	struct jit_insn insn[];
};

static struct jit_shared *shared;
static u8 *code;
static size_t used;
static struct known *known[BUCKETS];
static struct jit_store *store;

static u32 hash(const void *p, size_t n)
{
	const u8 *b = p;
	u32 h = 2166136261u;

	for (; n; n--)
		h = (h ^ *b++) * 16777619u;
	return h;
}

/* Would the engine have sorted it like that? Who has sent it is not trusted. */
static bool is_sane(const struct jit_insn *x)
{
	const struct jit_op *op;

	if (x->i.op >= ISA_OP_COUNT || !x->i.size)
		return false;
	op = jit_op_of(&x->i);
	return x->kind == JIT_KIND_CALL || x->kind == JIT_KIND_WAIT ||
	       (x->kind == op->kind && op->kind != JIT_KIND_NONE);
}

/* A copy that nobody changes any more, of which pointers are left out */
static struct known *copy(const struct jit_request *q)
{
	u32 n = __atomic_load_n(&q->ninsns, __ATOMIC_RELAXED), k;
	struct known *x;

	if (!n || n > JIT_MAX_INSNS)
		return NULL;
	x = aligned_alloc(64, (sizeof(*x) + n * sizeof(*x->insn) + 127) & -64ul);
	if (!x)
		return NULL;
	memset(x, 0, sizeof(*x));
	x->ninsns = n;
	x->key = q->key;
	x->key.lane = NULL;
	x->key.target = NULL;
	memcpy(x->insn, q->insn, n * sizeof(*x->insn));
	for (k = 0; k < n; k++) {
		x->insn[k].op = NULL;
		x->insn[k].slot.exec[0] = NULL;
		x->insn[k].slot.exec[1] = NULL;
		if (!is_sane(&x->insn[k])) {
			free(x);
			return NULL;
		}
	}
	return x;
}

/* All that its code depends on: the key and the instructions */
static struct jit_stored stored(const struct known *x)
{
	return (struct jit_stored){
		.what = &x->key,
		.what_bytes = (u32)((const u8 *)&x->insn[x->ninsns] - (const u8 *)&x->key),
	};
}

static bool place(struct known *x, const void *what, size_t bytes, size_t entry)
{
	if (bytes > JIT_CODE_BYTES - used)
		return false;
	memcpy(code + used, what, bytes);
	x->at = used + entry;
	used = (used + bytes + 63) & -64ul;
	return true;
}

static bool load(struct known *x)
{
	struct jit_stored is = stored(x);

	return store && jit_store_find(store, is.what, is.what_bytes, &is) &&
	       place(x, is.code, is.bytes, is.entry);
}

static bool compile(struct jit_llvm *l, struct known *x)
{
	struct jit_insn *insn = aligned_alloc(64, x->ninsns * sizeof(*insn));
	struct jit_unit u = { .key = x->key, .insn = insn, .ninsns = x->ninsns };
	struct jit_stored is = stored(x);
	struct jit_blob b = { 0 };
	bool done;
	u32 k;

	if (!insn)
		return false;
	memcpy(insn, x->insn, x->ninsns * sizeof(*insn));
	for (k = 0; k < x->ninsns; k++)
		insn[k].op = jit_op_of(&insn[k].i);
	done = jit_llvm_compile(l, &u, &b) && place(x, b.code, b.bytes, b.entry);
	x->ns = b.ns;
	if (done && store) {
		is.code = b.code;
		is.bytes = (u32)b.bytes;
		is.entry = (u32)b.entry;
		jit_store_add(store, &is);
	}
	free(b.code);
	free(insn);
	return done;
}

static void answer(struct jit_llvm *l, struct jit_request *q)
{
	struct known *x = copy(q), *k, **bucket;
	size_t n;

	if (x) {
		n = x->ninsns * sizeof(*x->insn);
		bucket = &known[hash(x->insn, n) % BUCKETS];
		for (k = *bucket; k; k = k->next)
			if (k->ninsns == x->ninsns && !memcmp(&k->key, &x->key, sizeof(x->key)) &&
			    !memcmp(k->insn, x->insn, n))
				break;
		if (k) {
			free(x);
			x = k;
			x->ns = 0;	/* it took none */
		} else if (load(x) || compile(l, x)) {
			x->next = *bucket;
			*bucket = x;
		} else {
			free(x);
			x = NULL;
		}
	}
	q->at = x ? x->at : 0;
	q->ns = x ? x->ns : 0;
	__atomic_store_n(&q->state, x ? JIT_REQUEST_DONE : JIT_REQUEST_FAILED, __ATOMIC_RELEASE);
}

#define LOAD(at)	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at))
#define RETURN(x)	BPF_STMT(BPF_RET | BPF_K, (x))
#define JUMP(op, x, yes, no)	BPF_JUMP(BPF_JMP | (op) | BPF_K, (x), (yes), (no))
#define ALLOW(nr)	JUMP(BPF_JEQ, nr, 0, 1), RETURN(SECCOMP_RET_ALLOW)

/*
 * What a compiler needs that has its files and its memory: more of that, but none to be run, to
 * write to what is open, and to say what is wrong. Its client may be in a container; this is not.
 * All else fails. (Some test kernels have no seccomp.)
 */
static bool lock_up(void)
{
	static struct sock_filter rules[] = {
		LOAD(offsetof(struct seccomp_data, arch)),
		JUMP(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_brk),
		ALLOW(SYS_clock_gettime),
		ALLOW(SYS_exit),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_futex),
		ALLOW(SYS_madvise),
		ALLOW(SYS_mremap),
		ALLOW(SYS_munmap),
		ALLOW(SYS_pwrite64),	/* jit_store_add() */
		ALLOW(SYS_restart_syscall),
		ALLOW(SYS_rt_sigprocmask),
		ALLOW(SYS_rt_sigreturn),
		ALLOW(SYS_sysinfo),	/* qsort() of older glibc */
		ALLOW(SYS_write),
		JUMP(BPF_JEQ, SYS_mmap, 1, 0),
		JUMP(BPF_JEQ, SYS_mprotect, 0, 3),
		LOAD(offsetof(struct seccomp_data, args) + 2 * sizeof(__u64)),
		JUMP(BPF_JSET, PROT_EXEC, 1, 0),
		RETURN(SECCOMP_RET_ALLOW),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog prog = { .len = ARRAY_SIZE(rules), .filter = rules };

	return !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) || errno == ENOSYS ||
	       errno == EINVAL;
}

static struct jit_store *open_store(const char *lane)
{
	char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures(), about[256];
	struct stat st;
	int n;

	n = snprintf(about, sizeof(about), "lane=%.16s abi=%llx cpu=%s features=%x,%zu", lane,
		     (unsigned long long)jit_abi(), cpu, hash(features, strlen(features)),
		     strlen(features));
	LLVMDisposeMessage(features);
	LLVMDisposeMessage(cpu);
	if (n < 0 || n >= (int)sizeof(about) || fstat(JIT_STORE_FD, &st))
		return NULL;
	signal(SIGXFSZ, SIG_IGN);	/* a limit of the user's is an error like others */
	return jit_store_open(JIT_STORE_FD, about);
}

int main(void)
{
	char lane[sizeof(shared->lane)] = "";
	struct jit_llvm *l;
	u32 seen, n;

	if (prctl(PR_SET_DUMPABLE, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 1;
	shared = mmap(NULL, JIT_SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD, 0);
	code = mmap(NULL, JIT_CODE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD,
		    (off_t)JIT_SHARED_BYTES);
	if (shared == MAP_FAILED || code == MAP_FAILED)
		return 1;
	memcpy(lane, shared->lane, sizeof(lane) - 1);
	l = shared->abi == jit_abi() ? jit_llvm_create(lane, false) : NULL;
	store = l ? open_store(lane) : NULL;
	if (!lock_up())
		return 1;
	for (;;) {
		seen = __atomic_load_n(&shared->made, __ATOMIC_ACQUIRE);
		for (n = 0; n < JIT_REQUESTS; n++) {
			struct jit_request *q = &shared->req[n];

			if (__atomic_load_n(&q->state, __ATOMIC_ACQUIRE) != JIT_REQUEST_MADE)
				continue;
			if (l)
				answer(l, q);
			else
				__atomic_store_n(&q->state, JIT_REQUEST_FAILED, __ATOMIC_RELEASE);
		}
		syscall(SYS_futex, &shared->made, FUTEX_WAIT, seen, NULL, NULL, 0);
	}
}
