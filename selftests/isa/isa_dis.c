// SPDX-License-Identifier: MIT
/*
 * Disassembles hexadecimal words from standard input, an instruction a line:
 * prints its length in words and its text, or "0" if it is none.
 *	isa_dis TARGET < WORDS
 *	isa_dis TARGET list		the opcodes: encoding, number, name
 */
#include <stdlib.h>
#include "tables.h"

static const char * const encodings[ISA_ENC_COUNT] = {
	"sop1", "sop2", "sopk", "sopc", "sopp", "smem", "vop1", "vop2", "vopc", "vop3",
	"vop3p", "ds", "flat", "global", "scratch", "mubuf", "mtbuf", "mimg",
	"vimage", "vsample", "vopdx", "vopdy", "vinterp", "ldsdir", "exp", "scaled",
};

static int list(const struct isa_target *t)
{
	unsigned int e, n;

	for (e = 0; e < ISA_ENC_COUNT; e++)
		for (n = 0; t->slots[e] && n < t->nslots[e]; n++)
			if (t->slots[e][n])
				printf("%s %u %s\n", encodings[e], n,
				       isa_target_op_name(t, isa_rows[t->slots[e][n]].op));
	return 0;
}

int main(int argc, char **argv)
{
	const struct isa_target *t = isa_target_by_name(argc > 1 ? argv[1] : "gfx90a");
	char line[256], text[512];

	if (!t) {
		fprintf(stderr, "isa_dis: no target %s\n", argv[1]);
		return 1;
	}
	if (argc > 2)
		return list(t);
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
