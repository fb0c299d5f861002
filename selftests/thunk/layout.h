/* SPDX-License-Identifier: MIT */
#ifndef LAYOUT_H
#define LAYOUT_H

struct layout_row {
	const char *name;
	unsigned long value;
};

extern const struct layout_row layout_ours[], layout_theirs[];

#endif /* LAYOUT_H */
