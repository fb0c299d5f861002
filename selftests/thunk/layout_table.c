// SPDX-License-Identifier: MIT
/* Built twice, with our header and with the distribution's: a table of sizes and offsets. */
#include <stddef.h>

#include HEADER
#include "layout.h"

const struct layout_row TABLE[] = {
#define TYPE(type)		{ "sizeof " #type, sizeof(type) },
#define FIELD(type, field)	{ #type "." #field, offsetof(type, field) },
#define VALUE(name)		{ #name, (unsigned long)name },
#include "layout.def"
	{ NULL, 0 },
};
