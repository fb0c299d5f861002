// SPDX-License-Identifier: MIT
/*
 * libFuzzer: words as instructions of every target. What the decoder accepts
 * must keep its promises to those who bind and print it: registers inside the
 * files, a length that does not depend on the words behind (but for one that is the first half of
 * another), and text that is cut where the buffer ends.
 */
#include <stdlib.h>
#include "decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(c)	do { if (!(c)) __builtin_trap(); } while (0)

static bool has_null;	/* the target being tried */
static u32 mask_dwords;

static void check_operand(u16 code, const struct isa_opnd *o)
{
	u32 dwords = o->kind == ISA_K_VCC ? mask_dwords : o->dwords ? o->dwords : 1;

	if (code == ISA_SRC_NONE)
		return;
	CHECK(code != 249 && code != 250);
	CHECK(code != ISA_SRC_NULL || has_null);
	if (code == ISA_SRC_NULL)
		return;
	if (code >= ISA_SRC_ACC0)
		CHECK(code + dwords <= ISA_SRC_ACC0 + 256);
	else if (code >= ISA_SRC_VGPR0)
		CHECK(code + dwords <= ISA_SRC_VGPR0 + 256);
	else if (code < 128)
		CHECK(code + dwords <= 128);
}

static void check_insn(const struct isa_target *t, const struct isa_insn *in, int len)
{
	const struct isa_row *r = &isa_rows[in->row];
	char text[512], cut[24], *heap;
	int need, n;

	CHECK(len == in->size && len >= 1 && len <= ISA_INSN_MAX_DWORDS + 1);
	CHECK(in->op > ISA_OP_INVALID && in->op < ISA_OP_COUNT && in->op == r->op);
	CHECK(in->enc < ISA_ENC_COUNT);
	check_operand(in->dst, &r->dst[0]);
	check_operand(in->sdst, &r->dst[1]);
	for (n = 0; n < 3; n++) {
		struct isa_opnd o = r->src[n];

		o.dwords = isa_src_dwords(r, in, n);
		/* An offset to a scalar base has one register. */
		if (in->enc == ISA_ENC_GLOBAL && !n && in->src[1] != ISA_SRC_NONE)
			o.dwords = 1;
		check_operand(in->src[n], &o);
	}
	if (in->enc == ISA_ENC_VOPDX) {
		const struct isa_opnd one = { .kind = ISA_K_X, .dwords = 1 };

		CHECK(in->pair.dst >= ISA_SRC_VGPR0 && in->pair.dst < ISA_SRC_ACC0);
		check_operand(in->pair.src[0], &one);
		check_operand(in->pair.src[1], &one);
	}
	need = isa_disasm(t, in, text, sizeof(text));
	CHECK(need > 2 && need < (int)sizeof(text) && (int)strlen(text) == need);
	CHECK(isa_disasm(t, in, cut, sizeof(cut)) == need && strlen(cut) < sizeof(cut));
	heap = malloc(need);		/* one byte short: the sanitizer watches its end */
	CHECK(heap && isa_disasm(t, in, heap, need) == need);
	free(heap);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u32 words[5] = { 0 }, n = size / 4 < 5 ? (u32)(size / 4) : 5, k, have;
	const struct isa_target *t;
	struct isa_insn in;

	memcpy(words, data, n * 4);
	for (k = 0; (t = isa_target_get(k)); k++) {
		bool looks_behind;
		int len, less;

		has_null = isa_target_has(t, ISA_FEAT_DLC);
		mask_dwords = isa_target_family(t)->wave_size / 32;
		len = isa_decode(t, words, n, &in);
		CHECK(len <= (int)n);
		/* gfx950: scales that are loaded for the matrix operation behind are one with it. */
		looks_behind = len > 0 && in.op == ISA_OP_V_MFMA_LD_SCALE_B32;
		if (len > 0)
			check_insn(t, &in, len);
		for (have = 0; have < n; have++) {
			less = isa_decode(t, words, have, &in);
			CHECK(less == len || (less == 0 && (len <= 0 || (int)have < len ||
							    (looks_behind && (int)have == len))));
		}
	}
	return 0;
}
