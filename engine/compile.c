// SPDX-License-Identifier: MIT
/*
 * The JIT. Its compiler is a program of its own, vkfd-jit beside this one, which is a child with
 * the client's user and groups: this process needs no LLVM, and maps nothing once it is locked up.
 *
 * The compiler keeps what it has made where the administrator has made room for that (make
 * engine-install does): each user has a directory there, which is made when it is first wanted.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine.h"
#include "jit_remote.h"

#define ROOM		"/var/cache/vkfd-jit"
#define UNITS_BYTES	(16ul << 20)	/* of a thread; code that does not fit is interpreted */
#define HOT		8u		/* visits before code is compiled */
/*
 * To compile an instruction takes half a millisecond to a whole one. A wave interprets some hundred
 * thousand in that time. The compiler often has a processor to itself, so half of that is enough.
 */
#define WORTH		50000u

static struct jit_remote *compiler;
static u32 how;		/* enum vkfd_engine_jit */
static int room = -1;

void compile_find_room(const struct vkfd_engine_hello *h)
{
	struct stat st;
	char name[16];

	if (!h->jit)
		return;
	room = open(ROOM, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (room < 0)
		return;
	snprintf(name, sizeof(name), "%u", h->uid);
	if (fstat(room, &st) || st.st_uid || st.st_mode & 0022) {
		close(room);
		room = -1;
	} else if (!mkdirat(room, name, 0700) && h->uid &&
		   fchownat(room, name, h->uid, h->gid, AT_SYMLINK_NOFOLLOW)) {
		unlinkat(room, name, AT_REMOVEDIR);
	}
}

/* The compiler looks whether it is this user's alone. */
static int open_own_room(const struct vkfd_engine_hello *h)
{
	char name[16];
	int fd = -1;

	snprintf(name, sizeof(name), "%u", h->uid);
	if (room >= 0) {
		fd = openat(room, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(room);
		room = -1;
	}
	return fd;
}

void compile_start(const struct vkfd_engine_hello *h)
{
	const char *self = (const char *)getauxval(AT_EXECFN);
	char dir[PATH_MAX - 16], path[PATH_MAX];
	int own = open_own_room(h);

	if (!h->jit || !self || strlen(self) >= sizeof(dir) || !strcmp(h->lanes, "sse2"))
		goto out;
	strcpy(dir, self);
	snprintf(path, sizeof(path), "%s/vkfd-jit", dirname(dir));
	compiler = jit_remote_start(path, h->lanes, own, space_room);
	how = h->jit;
out:
	if (own >= 0)
		close(own);
}

void compile_init(struct thread *t)
{
	const struct jit_options o = {
		.hot = HOT, .worth = how == VKFD_ENGINE_JIT_ON ? WORTH : 0,
		.check = how == VKFD_ENGINE_JIT_CHECK,
	};

	if (compiler)
		t->jit = jit_remote_create(compiler, &o, take(UNITS_BYTES), UNITS_BYTES);
}
