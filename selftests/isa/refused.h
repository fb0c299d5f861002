/* SPDX-License-Identifier: MIT */
/* What the tables say is decoded and not executed. */
#ifndef REFUSED_H
#define REFUSED_H

#include <string.h>

static const struct {
	const char *prefix, *why;
} refused[] = {
#include "generated/isa_refused.h"
};

/* Why the operation is not executed; NULL: it has to be */
static inline const char *refused_why(const char *name)
{
	unsigned int n;

	for (n = 0; n < sizeof(refused) / sizeof(refused[0]); n++)
		if (!strncmp(name, refused[n].prefix, strlen(refused[n].prefix)))
			return refused[n].why;
	return NULL;
}

#endif /* REFUSED_H */
