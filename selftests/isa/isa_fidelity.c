// SPDX-License-Identifier: MIT
/*
 * The fidelity report: for every opcode of every target whether it is executed,
 * and how exactly. Whether it is executed, the decoder's tables and the binders
 * of all SIMD builds tell; how exactly, test vectors: isa_vectors, isa_matrix,
 * isa_scale, isa_move and isa_image run theirs and print how many of each opcode came out as they must. What
 * fails there, or has none, is not called exact.
 *
 *	isa_fidelity DIR		the report, an opcode a line, and a summary;
 *					DIR: where those are
 *	isa_fidelity DIR check		TAP: all is executed but what is named below,
 *					with vectors, alike in all SIMD builds
 */
#include <stdlib.h>
#include "decode.h"
#include "lanes.h"
#include "refused.h"
#include "tables.h"
#include "targets.h"

#define TRIES	20000
#define ROWS	512

static const char * const encodings[ISA_ENC_COUNT] = {
	"sop1", "sop2", "sopk", "sopc", "sopp", "smem", "vop1", "vop2", "vopc", "vop3",
	"vop3p", "ds", "flat", "global", "scratch", "mubuf", "mtbuf", "mimg",
	[ISA_ENC_SCALED] = "scaled",
};

static u64 seed;

static u32 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (u32)(seed >> 16);
}

/* The decoder's own: where the bits of an encoding and of its opcodes are. */
static const struct isa_format *format_of(const struct isa_target *t, unsigned int enc)
{
	const struct isa_family *f = isa_target_family(t);
	unsigned int n;

	if (enc == ISA_ENC_SCALED)	/* behind the scales stands a VOP3P */
		enc = ISA_ENC_VOP3P;
	for (n = 0; n < f->num_formats; n++)
		if (f->formats[n].enc == enc)
			return &f->formats[n];
	return NULL;
}

/* Random operands of an opcode, tame ones first. */
static void words(const struct isa_format *f, u32 op, u32 try, u32 *w)
{
	u32 keep = f->mask | ((2u << (f->hi - f->lo)) - 1) << f->lo;
	u32 first = f->match | op << f->lo, enc = f->enc, k;

	w[0] = first | (try % 4 ? rnd() & rnd() & ~keep : 0);
	if (enc == ISA_ENC_DS || enc == ISA_ENC_MUBUF)
		w[0] = try & 1 ? w[0] | 1u << 16 : w[0] & ~(1u << 16);
	w[1] = rnd() & (try % 3 ? 0x1f1f1f1f : 0xffffffff);
	if (enc == ISA_ENC_VOP3 || enc == ISA_ENC_VOP3P) {
		static const u32 masks[] = { 0x1ff, 0x3ffff, 0x7ffffff, 0 };

		w[1] = (0x04020100 | (rnd() & 0x387878)) & masks[try / 2 % 4];
		if (try % 16 > 11)
			w[1] &= ~0x100u | rnd();
		w[0] &= ~0xff00u;
	}
	if (enc == ISA_ENC_GLOBAL || enc == ISA_ENC_SCRATCH)
		w[1] |= 0x7f0000;
	if (enc == ISA_ENC_FLAT)
		w[1] &= ~0x7f0000u;
	if (enc == ISA_ENC_DS)
		for (k = 0; k < 4; k++)
			if (rnd() & 1)
				w[1] &= ~(0xffu << 8 * k);
	if (enc == ISA_ENC_VOP1 || enc == ISA_ENC_VOP2 || enc == ISA_ENC_VOPC)
		w[0] = (w[0] & ~0x1ffu) | 0x100 | (rnd() & 31);
	w[2] = rnd();
}

enum state { REFUSED, EXECUTED, DIFFERS };

/* Whether the builds execute some operands of an opcode; all must agree. */
static enum state state_of(const struct isa_target *t, unsigned int enc, u32 op)
{
	static const char * const names[] = { "sse2", "avx2", "avx512" };
	const struct isa_format *f = format_of(t, enc);
	enum state s = REFUSED;
	u32 try, n, w[4];

	seed = 0x9e3779b97f4a7c15ull;
	for (try = 0; f && try < TRIES && s == REFUSED; try++) {
		u32 yes = 0, builds = 0, is;
		struct isa_insn in;

		words(f, op, try, w);
		w[3] = rnd();
		if (enc == ISA_ENC_SCALED) {
			w[2] = w[0] | 0x800;	/* scaled */
			w[3] = w[1];
			w[0] = 0xd3ac0000;
			w[1] = 0x00020700;	/* by v0, v3 */
		}
		if (isa_decode(t, w, 4, &in) <= 0)
			continue;
		is = isa_rows[in.row].enc == ISA_ENC_SCALED ? ISA_ENC_SCALED : in.enc;
		if (is != enc)
			continue;
		for (n = 0; n < ARRAY_SIZE(names); n++) {
			const struct isa_lane_ops *lane = isa_lane_by_name(names[n], lt_cpu());
			struct isa_slot slot = { .in = in };

			if (!lane)
				continue;
			builds++;
			yes += isa_bind(lane, t, &slot);
		}
		if (yes)
			s = yes == builds ? EXECUTED : DIFFERS;
	}
	return s;
}

/* What the vectors of an opcode say. */
struct evidence {
	char target[12], enc[12], name[48];
	u32 vectors, ulp;
};

static struct evidence evidence[8192];
static u32 nevidence;

static bool gather(const char *dir, const char *program)
{
	char command[4096], line[256];
	FILE *f;

	snprintf(command, sizeof(command), "%s/%s", dir, program);
	f = popen(command, "r");
	if (!f)
		return false;
	while (nevidence < ARRAY_SIZE(evidence) && fgets(line, sizeof(line), f)) {
		struct evidence *e = &evidence[nevidence];

		nevidence += sscanf(line, "%11s %11s %47s %u %u", e->target, e->enc, e->name,
				    &e->vectors, &e->ulp) == 5;
	}
	return !pclose(f);
}

static const struct evidence *evidence_of(const char *target, const char *enc, const char *name)
{
	u32 n;

	for (n = 0; n < nevidence; n++)
		if (!strcmp(evidence[n].name, name) && !strcmp(evidence[n].enc, enc) &&
		    !strcmp(evidence[n].target, target))
			return &evidence[n];
	return NULL;
}

/* Results that may be one unit in the last place off. */
static bool is_approximate(unsigned int op)
{
	struct ref_in in = { .s = { 0x3fc00000, 0x3fc00000, 0x3fc00000 }, .mode = 0x3f0 };
	struct ref_out o;
	unsigned int n;

	for (n = 0; n < lt_op_count; n++)
		if (lt_ops[n].op == op)
			return ref_op(&lt_ops[n], &in, &o) && o.ulp;
	return false;
}

struct sums {
	u32 slots, exact, ulp, unsupported, surprising, differing, unproved;
	u64 vectors;
};

/* One opcode: a line of the report, and its place in the sums. */
static void judge(const struct isa_target *t, unsigned int e, unsigned int op, struct sums *s,
		  char *what, size_t len)
{
	const struct isa_row *r = &isa_rows[t->slots[e][op]];
	enum state st = state_of(t, e, op);
	const struct evidence *ev = evidence_of(t->name, encodings[e], isa_op_name(r->op));
	const char *why = refused_why(t, isa_target_op_name(t, r->op));

	s->slots++;
	if (st == DIFFERS) {
		s->differing++;
		snprintf(what, len, "DIFFERS BETWEEN BUILDS");
	} else if (st == REFUSED) {
		s->unsupported++;
		s->surprising += !why;
		snprintf(what, len, "unsupported%s%s", why ? ": " : "", why ? why : "");
	} else if (!ev) {
		s->unproved++;
		snprintf(what, len, "UNPROVED: no vectors, or they fail");
	} else if (ev->ulp || is_approximate(r->op)) {
		s->ulp++;
		s->vectors += ev->vectors;
		snprintf(what, len, "within %u ulp, %u vectors", ev->ulp ? ev->ulp : 1, ev->vectors);
	} else {
		s->exact++;
		s->vectors += ev->vectors;
		snprintf(what, len, "exact, %u vectors", ev->vectors);
	}
}

static void target_report(const struct isa_target *t, bool print, struct sums *s)
{
	unsigned int e, op;
	char what[128];

	memset(s, 0, sizeof(*s));
	for (e = 0; e < ISA_ENC_COUNT; e++)
		for (op = 0; t->slots[e] && op < t->nslots[e]; op++) {
			u32 bad = s->surprising + s->differing + s->unproved;
			const char *name;

			if (!t->slots[e][op])
				continue;
			name = isa_target_op_name(t, isa_rows[t->slots[e][op]].op);
			judge(t, e, op, s, what, sizeof(what));
			if (print)
				printf("%-8s %-8s 0x%03x %-36s %s\n", t->name, encodings[e], op,
				       name, what);
			else if (bad != s->surprising + s->differing + s->unproved)
				printf("# %s: %s %s: %s\n", t->name, encodings[e], name, what);
		}
}

static int check(struct sums *s)
{
	int failed = 0;
	u32 n;

	printf("TAP version 13\n1..%u\n", 3 * target_count());
	for (n = 0; n < target_count(); n++) {
		target_report(isa_target_by_name(target_name(n)), false, &s[n]);
		printf("%sok %u - %s: %u of %u opcodes executed, the rest on purpose\n",
		       s[n].surprising ? "not " : "", 3 * n + 1, target_name(n),
		       s[n].slots - s[n].unsupported, s[n].slots);
		printf("%sok %u - %s: SIMD builds execute the same\n",
		       s[n].differing ? "not " : "", 3 * n + 2, target_name(n));
		printf("%sok %u - %s: no opcode without vectors; %llu in all\n",
		       s[n].unproved ? "not " : "", 3 * n + 3, target_name(n),
		       (unsigned long long)s[n].vectors);
		failed |= s[n].surprising || s[n].differing || s[n].unproved;
	}
	return failed;
}

int main(int argc, char **argv)
{
	struct sums s[MAX_TARGETS];
	u32 n;

	if (argc < 2 || !gather(argv[1], "isa_vectors counts") ||
	    !gather(argv[1], "isa_matrix counts") || !gather(argv[1], "isa_scale counts") ||
	    !gather(argv[1], "isa_move counts") || !gather(argv[1], "isa_image counts")) {
		printf("Bail out! isa_vectors, isa_matrix, isa_scale, isa_move or isa_image "
		       "does not run\n");
		return 1;
	}
	if (argc > 2)
		return check(s);
	for (n = 0; n < target_count(); n++)
		target_report(isa_target_by_name(target_name(n)), true, &s[n]);
	for (n = 0; n < target_count(); n++)
		printf("%s: %u opcodes: %u exact, %u within 1 ulp, %u unsupported, %u unproved; "
		       "%llu vectors\n", target_name(n), s[n].slots, s[n].exact, s[n].ulp,
		       s[n].unsupported, s[n].unproved, (unsigned long long)s[n].vectors);
	return 0;
}
