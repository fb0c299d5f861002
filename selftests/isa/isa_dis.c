// SPDX-License-Identifier: MIT
/*
 * Disassembles hexadecimal words from standard input, an instruction a line:
 * prints its length in words and its text, or "0" if it is none.
 *	isa_dis TARGET < WORDS
 */
#include <stdlib.h>
#include "isa_int.h"

int main(int argc, char **argv)
{
	const struct isa_target *t = isa_target_by_name(argc > 1 ? argv[1] : "gfx90a");
	char line[256], text[512];

	if (!t) {
		fprintf(stderr, "isa_dis: no target %s\n", argv[1]);
		return 1;
	}
	while (fgets(line, sizeof(line), stdin)) {
		struct isa_insn in;
		u32 dw[8];
		char *p = line, *end;
		unsigned int n = 0;
		int len;

		while (n < ARRAY_SIZE(dw)) {
			dw[n] = (u32)strtoul(p, &end, 16);
			if (end == p)
				break;
			p = end;
			n++;
		}
		len = isa_decode(t, dw, n, &in);
		if (len <= 0 || isa_disasm(t, &in, text, sizeof(text)) < 0)
			printf("%d\n", len > 0 ? -1 : 0);
		else
			printf("%d %s\n", len, text);
	}
	return 0;
}
