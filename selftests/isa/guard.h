/* SPDX-License-Identifier: MIT */
/* Memory for fuzz targets between pages that nobody may touch. */
#ifndef GUARD_H
#define GUARD_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define GUARD_PAGE	4096ul

/*
 * @bytes whose end, or start, is that of accessible memory. Never freed: targets
 * get what they need once.
 */
static inline void *guard_alloc(size_t bytes, bool at_start)
{
	size_t room = (bytes + GUARD_PAGE - 1) & -GUARD_PAGE;
	char *p = mmap(NULL, room + 2 * GUARD_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED ||
	    mprotect(p + GUARD_PAGE, room, PROT_READ | PROT_WRITE)) {
		perror("guard_alloc");
		exit(1);
	}
	return p + GUARD_PAGE + (at_start ? 0 : room - bytes);
}

#endif /* GUARD_H */
