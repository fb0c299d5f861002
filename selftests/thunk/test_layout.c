// SPDX-License-Identifier: MIT
/* Our public types against the distribution's, where its header is installed. */
#include <stddef.h>

#include "layout.h"
#include "tap.h"

static void compare(void)
{
#ifdef HAVE_THEIRS
	for (size_t i = 0; layout_ours[i].name; i++) {
		if (layout_ours[i].value == layout_theirs[i].value)
			continue;
		tap_bad++;
		printf("# %s: %lu here, %lu there\n", layout_ours[i].name, layout_ours[i].value,
		       layout_theirs[i].value);
	}
#endif
}

int main(void)
{
	printf("TAP version 13\n");
#ifdef HAVE_THEIRS
	tap_test("types have the distribution's layout", compare);
	return tap_done();
#else
	compare();
	printf("ok 1 types have the distribution's layout # SKIP libhsakmt-dev is not installed\n");
	printf("1..1\n");
	return 0;
#endif
}
