// SPDX-License-Identifier: MIT
/* Start: greet the module, take memory, map the address space, lock up, run. */
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine.h"

#define STACK_BYTES	(256 * 1024)

void die(const char *what)
{
	/* Standard error leads nowhere; strace shows the message. */
	if (write(2, what, strlen(what)) < 0)
		_exit(3);
	_exit(2);
}

/*
 * Takes on the client's user and group. When the user changes from root, the kernel drops all
 * capabilities; for a client that is root, the module starts this process without any.
 */
static void become(uid_t uid, gid_t gid)
{
	if (!uid)
		return;
	if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		die("setresuid\n");
	/* setresuid() sets this anew, to what fs.suid_dumpable says. */
	if (prctl(PR_SET_DUMPABLE, 0))
		die("prctl\n");
}

static void start_thread(struct thread *t)
{
	pthread_attr_t a;
	pthread_t id;

	if (pthread_attr_init(&a) || pthread_attr_setstacksize(&a, STACK_BYTES) ||
	    pthread_create(&id, &a, thread_main, t))
		die("no thread\n");
	pthread_attr_destroy(&a);
}

int main(void)
{
	struct vkfd_engine_hello h = { .version = VKFD_ENGINE_VERSION };
	struct rlimit none = { 0, 0 };
	struct thread *threads;
	unsigned int i;

	/* No debugger and no core file may show registers and memory of a client's waves. */
	if (prctl(PR_SET_DUMPABLE, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    setrlimit(RLIMIT_CORE, &none))
		die("prctl\n");
	if (ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_HELLO, &h))
		die("vkfd-engine is started by the module vkfd of the same version only\n");
	compile_find_room(&h);
	become(h.uid, h.gid);
	compile_start(&h);
	threads = calloc(h.threads, sizeof(*threads));
	if (!threads)
		die("no memory\n");
	for (i = 0; i < h.threads; i++)
		thread_init(&threads[i], i, &h);
	space_catch_faults();
	gate_close();
	for (i = 0; i < h.threads; i++)
		start_thread(&threads[i]);
	space_map();
	gate_wait(h.threads);
	if (h.confine)
		jail();
	gate_open();
	for (;;)
		pause();
}
