// SPDX-License-Identifier: MIT
/*
 * The JIT. Its compiler is a program of its own, vkfd-jit beside this one, which is a child with
 * the client's user and groups: this process needs no LLVM, and maps nothing once it is locked up.
 */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "engine.h"
#include "jit_remote.h"

#define UNITS_BYTES	(16ul << 20)	/* of a thread; what has no room is interpreted */
#define HOT		8u		/* times that waves come somewhere before it is compiled */

static struct jit_remote *compiler;
static bool check;

void compile_start(const struct vkfd_engine_hello *h)
{
	const char *self = (const char *)getauxval(AT_EXECFN);
	char dir[PATH_MAX - 16], path[PATH_MAX];

	if (!h->jit || !self || strlen(self) >= sizeof(dir) || !strcmp(h->lanes, "sse2"))
		return;
	strcpy(dir, self);
	snprintf(path, sizeof(path), "%s/vkfd-jit", dirname(dir));
	compiler = jit_remote_start(path, h->lanes);
	check = h->jit == VKFD_ENGINE_JIT_CHECK;
}

void compile_init(struct thread *t)
{
	const struct jit_options o = { .hot = HOT, .check = check };

	if (compiler)
		t->jit = jit_remote_create(compiler, &o, take(UNITS_BYTES), UNITS_BYTES);
}
