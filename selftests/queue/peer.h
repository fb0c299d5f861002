/* SPDX-License-Identifier: MIT */
/* Other processes of a test, which take turns with it. */
#ifndef QUEUE_PEER_H
#define QUEUE_PEER_H

#include <sys/wait.h>
#include <unistd.h>

#include "queue_test.h"

/* A process at the other end of two pipes: it waits for go() and says when it is done. */
struct peer {
	pid_t pid;
	int go, done;
};

static void peer_go(struct peer *p)
{
	ASSERT_EQ(write(p->go, "", 1), 1);
}

static void peer_wait(struct peer *p)
{
	char c;

	ASSERT_EQ(read(p->done, &c, 1), 1);
}

static void peer_start(struct peer *p, void (*fn)(struct peer *p, u64 arg), u64 arg)
{
	int go[2], done[2];

	ASSERT_EQ(pipe(go), 0);
	ASSERT_EQ(pipe(done), 0);
	p->pid = fork();
	ASSERT_NE(p->pid, -1);
	if (!p->pid) {
		struct peer me = { .go = done[1], .done = go[0] };

		close(go[1]);
		close(done[0]);
		fn(&me, arg);
		_exit(0);
	}
	close(go[0]);
	close(done[1]);
	p->go = go[1];
	p->done = done[0];
}

static void peer_end(struct peer *p)
{
	int status;

	close(p->go);
	ASSERT_EQ(waitpid(p->pid, &status, 0), p->pid);
	EXPECT_EQ(status, 0);
}

#endif /* QUEUE_PEER_H */
