/* SPDX-License-Identifier: MIT */
/* What the tables say is decoded and not executed. */
#ifndef REFUSED_H
#define REFUSED_H

#include <string.h>
#include "tables.h"

static const struct {
	const char *prefix, *why;
} refused[] = {
#include "generated/isa_refused.h"
};

/* Why the operation is not executed; NULL: it has to be. "TARGET:" before a name: on that one */
static inline const char *refused_why(const struct isa_target *t, const char *name)
{
	const size_t len = strlen(isa_target_name(t));
	unsigned int n;

	for (n = 0; n < sizeof(refused) / sizeof(refused[0]); n++) {
		const char *prefix = refused[n].prefix;

		if (strchr(prefix, ':')) {
			if (strncmp(prefix, isa_target_name(t), len) || prefix[len] != ':')
				continue;
			prefix += len + 1;
		}
		if (!strncmp(name, prefix, strlen(prefix)))
			return refused[n].why;
	}
	return NULL;
}

#endif /* REFUSED_H */
