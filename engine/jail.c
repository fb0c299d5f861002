// SPDX-License-Identifier: MIT
/*
 * The system calls that a thread which runs waves may make: ioctls of its file, mappings of its
 * file at its own addresses, and calls that wait, return from a signal, read the time, or exit.
 * Any other call ends the process. (Where the kernel has no seccomp, as some test kernels, the
 * module logs that.)
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine.h"

#define ARG(n)	(offsetof(struct seccomp_data, args) + 8 * (n))	/* its low half */
#define LOAD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at))
#define RETURN(x) BPF_STMT(BPF_RET | BPF_K, (x))
/* Unless it is @x, the program skips @n. */
#define UNLESS(x, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (x), 0, (n))
#define ALLOW(nr) UNLESS(nr, 1), RETURN(SECCOMP_RET_ALLOW)
#define DENY	RETURN(SECCOMP_RET_KILL_PROCESS)

void jail(void)
{
	static struct sock_filter rules[] = {
		LOAD(offsetof(struct seccomp_data, arch)),
		UNLESS(AUDIT_ARCH_X86_64, 1),
		BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
		DENY,
		LOAD(offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_rt_sigreturn),
		ALLOW(SYS_rt_sigprocmask),
		ALLOW(SYS_clock_gettime),
		ALLOW(SYS_futex),
		ALLOW(SYS_pause),
		ALLOW(SYS_restart_syscall),
		ALLOW(SYS_exit),
		ALLOW(SYS_exit_group),
		UNLESS(SYS_ioctl, 4),
		LOAD(ARG(0)),
		UNLESS(VKFD_ENGINE_FD, 1),
		RETURN(SECCOMP_RET_ALLOW),
		DENY,
		UNLESS(SYS_mmap, 8),
		LOAD(ARG(2)),
		UNLESS(PROT_READ | PROT_WRITE, 6),
		LOAD(ARG(3)),
		UNLESS(MAP_SHARED | MAP_FIXED, 4),
		LOAD(ARG(4)),
		UNLESS(VKFD_ENGINE_FD, 2),
		RETURN(SECCOMP_RET_ALLOW),
		DENY,
		DENY,
	};
	struct sock_fprog prog = { .len = ARRAY_SIZE(rules), .filter = rules };

	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog))
		die("no seccomp\n");
}
