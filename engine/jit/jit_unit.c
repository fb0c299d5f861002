// SPDX-License-Identifier: MIT
/*
 * Units: decode from an entry on, and sort instructions into what is compiled inline,
 * what is a call of its handler, and what ends the unit.
 */
#include "icache.h"
#include "mem.h"
#include "jit_unit.h"

#define JIT_VEC(op, fn, expr, n, f, a, fl)					\
	[op] = { .kind = JIT_KIND_VEC, .nsrc = n, .floats = f, .acc = a, .flush = fl, .name = #fn },
#define JIT_PAIR(op, fn, src, expr, n)						\
	[op] = { .kind = JIT_KIND_PAIR, .nsrc = n, .wide = 0xf, .name = #fn, .source = #src },
#define JIT_CMP(op, fn, expr, f)						\
	[op] = { .kind = JIT_KIND_CMP, .nsrc = 2, .floats = f, .name = #fn },
#define JIT_WIDE(op, fn, src, expr, n, wd, ta, tb, tc, a, f)			\
	[op] = { .kind = JIT_KIND_WIDE, .nsrc = n, .wide = wd, .acc = a, .f64 = f,	\
		 .name = #fn, .source = #src },
#define JIT_SALU(op, fn, handler, b)						\
	[op] = { .kind = b ? JIT_KIND_BRANCH : JIT_KIND_SALU, .branch = b, .name = #fn },
#define CARRY(op, cin_, how_)							\
	[op] = { .kind = JIT_KIND_CARRY, .nsrc = 2, .cin = cin_, .how = how_ }
#define MAD64(op, src, sign)							\
	[op] = { .kind = JIT_KIND_MAD64, .nsrc = 3, .wide = 0xc, .how = sign, .source = #src }

static const struct jit_op ops[ISA_OP_COUNT] = {
#include "generated/isa_jit.h"
	[ISA_OP_V_CNDMASK_B32] = { .kind = JIT_KIND_CNDMASK, .nsrc = 2, .floats = 3, .cin = true },
	CARRY(ISA_OP_V_ADD_CO_U32, 0, 0), CARRY(ISA_OP_V_SUB_CO_U32, 0, 1),
	CARRY(ISA_OP_V_SUBREV_CO_U32, 0, 2), CARRY(ISA_OP_V_ADDC_CO_U32, 1, 0),
	CARRY(ISA_OP_V_SUBB_CO_U32, 1, 1), CARRY(ISA_OP_V_SUBBREV_CO_U32, 1, 2),
	MAD64(ISA_OP_V_MAD_U64_U32, jit_source_v_mad_u64_u32, 0),
	MAD64(ISA_OP_V_MAD_I64_I32, jit_source_v_mad_i64_i32, 1),
	[ISA_OP_V_PK_MOV_B32] = { .kind = JIT_KIND_PAIR, .nsrc = 2, .wide = 0xf,
				  .source = "jit_source_v_pk_mov_b32" },
	[ISA_OP_GLOBAL_LOAD_DWORD] = { .kind = JIT_KIND_LOAD, .how = 1 },
	[ISA_OP_GLOBAL_LOAD_DWORDX2] = { .kind = JIT_KIND_LOAD, .how = 2 },
	[ISA_OP_GLOBAL_LOAD_DWORDX4] = { .kind = JIT_KIND_LOAD, .how = 4 },
	[ISA_OP_FLAT_LOAD_DWORD] = { .kind = JIT_KIND_LOAD, .how = 1 },
	[ISA_OP_FLAT_LOAD_DWORDX2] = { .kind = JIT_KIND_LOAD, .how = 2 },
	[ISA_OP_FLAT_LOAD_DWORDX4] = { .kind = JIT_KIND_LOAD, .how = 4 },
	[ISA_OP_GLOBAL_STORE_DWORD] = { .kind = JIT_KIND_STORE, .how = 1 },
	[ISA_OP_FLAT_STORE_DWORD] = { .kind = JIT_KIND_STORE, .how = 1 },
	[ISA_OP_DS_READ_B32] = { .kind = JIT_KIND_LOAD, .how = 1 },
	[ISA_OP_DS_WRITE_B32] = { .kind = JIT_KIND_STORE, .how = 1 },
	[ISA_OP_S_LOAD_DWORD] = { .kind = JIT_KIND_S_LOAD, .how = 1 },
	[ISA_OP_S_LOAD_DWORDX2] = { .kind = JIT_KIND_S_LOAD, .how = 2 },
	[ISA_OP_S_LOAD_DWORDX4] = { .kind = JIT_KIND_S_LOAD, .how = 4 },
	[ISA_OP_S_LOAD_DWORDX8] = { .kind = JIT_KIND_S_LOAD, .how = 8 },
	[ISA_OP_S_LOAD_DWORDX16] = { .kind = JIT_KIND_S_LOAD, .how = 16 },
	[ISA_OP_S_ENDPGM] = { .kind = JIT_KIND_END },
	[ISA_OP_S_BARRIER] = { .kind = JIT_KIND_BARRIER },
};

const struct jit_op *jit_op_of(const struct isa_insn *i)
{
	return &ops[i->op];
}

bool jit_fetch(struct isa_wave *w, u64 pc, u32 *dw, u32 n)
{
	for (; n; n--, pc += 4, dw++) {
		u64 left;
		u8 *p = isa_translate(w->cu, pc, ISA_X, &left);

		if (!p || left < 4)
			return false;
		memcpy(dw, p, 4);
	}
	return true;
}

u32 jit_row(const struct jit_key *k, u32 code)
{
	return code >= ISA_SRC_ACC0 ? code - ISA_SRC_ACC0 + k->acc_row : code - ISA_SRC_VGPR0;
}

u64 jit_next_pc(const struct jit_insn *x)
{
	return x->pc + 4ull * x->i.size;
}

struct jit_insn *jit_unit_at(struct jit_unit *u, u64 pc)
{
	u32 n;

	for (n = 0; n < u->ninsns; n++)
		if (u->insn[n].pc == pc)
			return &u->insn[n];
	return NULL;
}

static int decode(const struct isa_wave *w, const u32 *dw, u32 n, struct isa_insn *out)
{
	const struct isa_cu *cu = w->cu;
	const struct isa_family *f = cu->family ?: isa_target_family(cu->target);

	return isa_decode_as(cu->target, f, w->lanes, dw, n, out);
}

/* As the interpreter's decode_slot() and fold_waits(), so that both count alike. */
static bool decode_at(struct isa_wave *w, u64 pc, struct jit_insn *x)
{
	u32 dw[ISA_INSN_MAX_DWORDS], n, slot = (u32)(pc % ISA_LINE_BYTES / 4);
	struct isa_insn next;
	int len = 0;

	memset(x, 0, sizeof(*x));
	for (n = 1; n <= ISA_INSN_MAX_DWORDS && !len; n++) {
		if (!jit_fetch(w, pc + 4 * (n - 1), &dw[n - 1], 1))
			return false;
		len = decode(w, dw, n, &x->i);
	}
	if (len <= 0 || !isa_rows_ok(w, &x->i) || !isa_bind(w->cu->lane, w->cu->target, &x->slot))
		return false;
	x->pc = pc;
	while (slot + x->i.size < ISA_LINE_DWORDS && x->i.size < 32 &&
	       jit_fetch(w, pc + 4ull * x->i.size, dw, 1) && decode(w, dw, 1, &next) == 1 &&
	       next.enc == ISA_ENC_SOPP && isa_salu_is_wait(next.op))
		x->i.size++;
	x->crosses = slot + x->i.size >= ISA_LINE_DWORDS;
	return true;
}

/* ---- what is done with an instruction ---- */

static bool is_plain_valu(const struct isa_insn *i)
{
	return !(i->mods & (ISA_MOD_CLAMP | ISA_MOD_SDWA | ISA_MOD_DPP)) && !i->omod && !i->opsel &&
	       i->enc != ISA_ENC_VOP3P;
}

/* A mask goes to SGPRs or VCC, not to EXEC or NULL. */
static bool is_plain_mask(u32 code)
{
	return code == ISA_SRC_NONE || code < ISA_SRC_M0;
}

static bool split_mode(u32 mode)
{
	return (mode ^ mode >> 2) & 0x33;
}

static enum jit_kind valu_kind(const struct jit_key *k, const struct jit_insn *x)
{
	const struct isa_insn *i = &x->i;
	const struct jit_op *op = x->op;
	enum jit_kind kind = op->kind;
	u32 n;

	if (i->op == ISA_OP_V_SWAP_B32 || i->op == ISA_OP_V_SWAP_B16 ||
	    x->slot.exec[0] == isa_exec_illegal)
		return JIT_KIND_NONE;
	if (kind == JIT_KIND_PAIR) {
		bool vgpr = i->dst >= ISA_SRC_VGPR0 && i->dst < ISA_SRC_ACC0;

		/* Moves have no signs to change. */
		return i->enc == ISA_ENC_VOP3P && !(i->mods & ISA_MOD_CLAMP) && !i->omod && vgpr &&
		       (op->name || !(i->neg | i->abs)) ? kind : JIT_KIND_CALL;
	}
	if (kind < JIT_KIND_VEC || !is_plain_valu(i))
		return JIT_KIND_CALL;
	for (n = 0; n < op->nsrc; n++)
		if (i->src[n] == ISA_SRC_NONE && !(op->acc && n == 2))
			return JIT_KIND_CALL;
	if (op->flush && kind == JIT_KIND_VEC && k->mode & 0x30)
		return JIT_KIND_CALL;
	if (kind == JIT_KIND_WIDE && op->f64 && (split_mode(k->mode) || i->neg || i->abs))
		return JIT_KIND_CALL;
	if ((kind == JIT_KIND_CMP || kind == JIT_KIND_CARRY || kind == JIT_KIND_MAD64) &&
	    !is_plain_mask(i->sdst))
		return JIT_KIND_CALL;
	if (kind == JIT_KIND_MAD64 && (i->neg || i->abs))
		return JIT_KIND_CALL;
	if (kind != JIT_KIND_CMP && (i->dst < ISA_SRC_VGPR0 || i->dst >= ISA_SRC_ACC0))
		return JIT_KIND_CALL;
	return kind;
}

static enum jit_kind mem_kind(const struct jit_key *k, const struct jit_insn *x)
{
	const struct isa_insn *i = &x->i;
	const bool lds = i->enc == ISA_ENC_DS;
	u32 data = x->op->kind == JIT_KIND_LOAD ? i->dst : i->src[lds ? 1 : 2];

	if (i->mods & ISA_MOD_TFE && i->enc == ISA_ENC_MUBUF)
		return JIT_KIND_NONE;
	if (x->op->kind != JIT_KIND_LOAD && x->op->kind != JIT_KIND_STORE)
		return JIT_KIND_CALL;
	/* Only what the interpreter's own fast path does, and no register that there is not. */
	if ((lds && i->mods) || i->mods & (ISA_MOD_LDS | ISA_MOD_TFE) || data < ISA_SRC_VGPR0 ||
	    data == ISA_SRC_NONE || i->src[0] < ISA_SRC_VGPR0 || i->src[0] >= ISA_SRC_ACC0 ||
	    jit_row(k, data) + x->op->how > k->rows || jit_row(k, i->src[0]) + !lds >= k->rows)
		return JIT_KIND_CALL;
	return x->op->kind;
}

static enum jit_kind smem_kind(const struct jit_insn *x)
{
	const struct isa_insn *i = &x->i;

	/* Waits of a kind, and what makes code new, are the interpreter's. */
	if (i->dst == ISA_SRC_NONE)
		return JIT_KIND_NONE;
	if (x->op->kind != JIT_KIND_S_LOAD || i->mods & ISA_MOD_SOE ||
	    i->dst + x->op->how > ISA_SRC_VCC_LO)
		return JIT_KIND_CALL;
	return JIT_KIND_S_LOAD;
}

/* What changes memory, reads a clock, or speaks to others is not. */
static bool is_repeatable(const struct jit_insn *x)
{
	const char *name = isa_op_names[x->i.op];

	switch (x->i.enc) {
	case ISA_ENC_SMEM:
		return !strncmp(name, "s_load", 6) || !strncmp(name, "s_buffer_load", 13);
	case ISA_ENC_DS:
		return mem_op(&x->i).kind != DS_GWS;
	case ISA_ENC_GLOBAL:
	case ISA_ENC_FLAT:
	case ISA_ENC_SCRATCH:
	case ISA_ENC_MUBUF:
	case ISA_ENC_MTBUF:
		return mem_op(&x->i).kind == MEM_LOAD || mem_op(&x->i).kind == MEM_LOAD_FMT;
	default:
		return true;
	}
}

static enum jit_kind kind_of(const struct jit_key *k, struct jit_insn *x)
{
	const struct isa_insn *i = &x->i;

	x->op = jit_op_of(i);
	switch (i->enc) {
	case ISA_ENC_SOP1:
	case ISA_ENC_SOP2:
	case ISA_ENC_SOPK:
	case ISA_ENC_SOPC:
	case ISA_ENC_SOPP:
		if (isa_salu_is_wait(i->op))
			return JIT_KIND_WAIT;
		return x->op->kind;
	case ISA_ENC_SMEM:
		return smem_kind(x);
	case ISA_ENC_VOP1:
	case ISA_ENC_VOP2:
	case ISA_ENC_VOPC:
	case ISA_ENC_VOP3:
	case ISA_ENC_VOP3P:
		return valu_kind(k, x);
	case ISA_ENC_DS:
	case ISA_ENC_GLOBAL:
	case ISA_ENC_FLAT:
	case ISA_ENC_SCRATCH:
	case ISA_ENC_MUBUF:
	case ISA_ENC_MTBUF:
		return mem_kind(k, x);
	default:
		return JIT_KIND_NONE;
	}
}

u64 jit_target_pc(const struct jit_insn *x)
{
	return x->pc + 4 + 4ull * (u64)(s64)(s32)x->i.lit;
}

struct work {
	u64 pc[JIT_MAX_INSNS * 2 + 2];
	u32 n;
};

static void push(struct work *k, u64 pc)
{
	if (k->n < ARRAY_SIZE(k->pc))
		k->pc[k->n++] = pc;
}

u32 jit_unit_words(const struct jit_unit *u)
{
	u32 n, words = 0;

	for (n = 0; n < u->ninsns; n++)
		words += u->insn[n].i.size;
	return words;
}

bool jit_unit_keep(struct jit_unit *u, struct isa_wave *w)
{
	u32 n;

	u->nwords = 0;
	for (n = 0; n < u->ninsns; n++) {
		if (!jit_fetch(w, u->insn[n].pc, u->word + u->nwords, u->insn[n].i.size))
			return false;
		u->nwords += u->insn[n].i.size;
	}
	return true;
}

bool jit_unit_form(struct jit_unit *u, struct isa_wave *w, struct jit_insn *insn, bool repeatable)
{
	struct work work;
	struct jit_insn *x;
	u32 n;

	u->insn = insn;
	u->ninsns = 0;
	work.n = 0;
	push(&work, u->key.pc);
	while (work.n) {
		u64 pc = work.pc[--work.n];

		while (u->ninsns < u->key.max && !jit_unit_at(u, pc)) {
			x = &u->insn[u->ninsns];
			if (!decode_at(w, pc, x))
				break;
			x->kind = kind_of(&u->key, x);
			if (repeatable && !is_repeatable(x))
				x->kind = JIT_KIND_NONE;
			if (x->kind == JIT_KIND_NONE)
				break;
			u->ninsns++;
			pc = jit_next_pc(x);
			if (x->kind == JIT_KIND_BRANCH) {
				push(&work, jit_target_pc(x));
				if (x->i.op == ISA_OP_S_BRANCH)
					break;
			}
			if (x->kind == JIT_KIND_END || x->kind == JIT_KIND_BARRIER)
				break;
		}
	}
	if (!u->ninsns)
		return false;
	u->stream = jit_unit_is_stream(u);
	u->insn[0].leader = true;
	for (n = 0; n < u->ninsns; n++) {
		struct jit_insn *t;

		x = &u->insn[n];
		if (x->kind != JIT_KIND_BRANCH)
			continue;
		t = jit_unit_at(u, jit_target_pc(x));
		if (t)
			t->leader = true;
		t = jit_unit_at(u, jit_next_pc(x));
		if (t)
			t->leader = true;
	}
	return true;
}

/* What differs between waves besides */
static bool reads_ttmp(const struct jit_insn *x)
{
	u32 n;

	for (n = 0; n < ARRAY_SIZE(x->i.src); n++)
		if (x->i.src[n] >= ISA_SRC_TTMP0 && x->i.src[n] < ISA_SRC_M0)
			return true;
	return false;
}

bool jit_unit_is_stream(const struct jit_unit *u)
{
	u64 pc = u->key.pc;
	u32 n;

	if (!u->key.full)
		return false;
	for (n = 0; n < u->ninsns; n++) {
		const struct jit_insn *x = &u->insn[n];

		if (x->pc != pc || reads_ttmp(x))
			return false;
		pc = jit_next_pc(x);
		switch (x->kind) {
		case JIT_KIND_END:
			return n && n + 1 == u->ninsns;
		case JIT_KIND_NONE:
		case JIT_KIND_CALL:
		case JIT_KIND_BARRIER:
			return false;
		case JIT_KIND_BRANCH:
			if (x->i.op != ISA_OP_S_CBRANCH_EXECZ)
				return false;
			break;
		default:
			break;
		}
	}
	return false;
}

bool jit_unit_same(const struct jit_unit *u, struct isa_wave *w)
{
	u32 n, k, at = 0;

	for (n = 0; n < u->ninsns; n++)
		for (k = 0; k < u->insn[n].i.size; k++) {
			u32 dw;

			if (!jit_fetch(w, u->insn[n].pc + 4 * k, &dw, 1) || dw != u->word[at++])
				return false;
		}
	return true;
}
