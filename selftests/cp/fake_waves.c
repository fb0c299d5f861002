// SPDX-License-Identifier: MIT
/*
 * An engine whose waves run scripts (struct fake_insn) instead of code: what
 * engine/interp sees of isa/, with every stop reason on demand.
 */
#include "fake_gpu.h"
#include "../../kmod/isa/barrier.h"
#include "../../kmod/isa/isa_int.h"

static const struct isa_lane_ops fake_lanes = { .name = "fake" };

const struct isa_target *isa_target_find(u32 major, u32 minor, u32 step)
{
	(void)major;
	(void)minor;
	(void)step;
	return (const struct isa_target *)&fake_lanes;
}

const struct isa_lane_ops *isa_lane_pick(u32 cpu)
{
	(void)cpu;
	return &fake_lanes;
}

const struct isa_lane_ops *isa_lane_by_name(const char *name, u32 cpu)
{
	(void)name;
	return isa_lane_pick(cpu);
}

const char *isa_lane_name(const struct isa_lane_ops *ops)
{
	return ops->name;
}

size_t isa_icache_bytes(unsigned int lines)
{
	return lines;
}

struct isa_icache *isa_icache_init(void *mem, unsigned int lines)
{
	(void)lines;
	return mem;
}

void isa_tlb_flush(struct isa_tlb *tlb)
{
	memset(tlb, 0, sizeof(*tlb));
}

size_t isa_wave_bytes(void)
{
	return sizeof(struct isa_wave);
}

struct isa_wave *isa_wave_init(void *mem, u32 *vgprs, unsigned int rows)
{
	struct isa_wave *w = mem;

	memset(w, 0, sizeof(*w));
	w->v = vgprs;
	w->rows = rows;
	return w;
}

void isa_wave_reset(struct isa_wave *w, struct isa_cu *cu, struct isa_wg *wg,
		    u64 pc, u64 exec)
{
	w->cu = cu;
	w->wg = wg;
	w->pc = pc;
	isa_set_exec(w, exec);
}

void isa_wave_again(struct isa_wave *w, struct isa_cu *cu, struct isa_wg *wg, u64 pc, u64 exec)
{
	isa_wave_reset(w, cu, wg, pc, exec);
}

void isa_wave_move(struct isa_wave *w, struct isa_cu *cu)
{
	w->cu = cu;
}

u32 fake_foreign_rows;

/*
 * The register file is really there: every row of every wave. A wave leaves the kernel's address in
 * it. Whoever is to keep what is there must find nothing but that, or zeros.
 */
void isa_wave_setup(struct isa_wave *w, const struct isa_wave_setup *s)
{
	u32 i;

	for (i = 0; i < s->rows * ISA_LANES; i++) {
		if (s->keep_rows && w->v[i] && w->v[i] != (u32)w->pc)
			__atomic_add_fetch(&fake_foreign_rows, 1, __ATOMIC_SEQ_CST);
		w->v[i] = w->pc;
	}
	for (i = 0; i < w->wg->lds_bytes; i++)
		*(volatile u8 *)&w->wg->lds[i] = w->wg->lds[i];
}

u64 isa_wave_pc(const struct isa_wave *w)
{
	return w->pc;
}

/* A trap handler is a script, too. */
bool isa_wave_trap(struct isa_wave *w, const struct isa_exit *ex, u64 tba, u64 tma)
{
	(void)ex;
	(void)tma;
	if (w->status & (ISA_STATUS_PRIV | ISA_STATUS_HALT))
		return false;
	w->status |= ISA_STATUS_PRIV;
	w->pc = tba;
	return true;
}

bool isa_wave_in_trap(const struct isa_wave *w)
{
	return w->status & ISA_STATUS_PRIV;
}

void isa_wave_skip_trap(struct isa_wave *w)
{
	w->pc += sizeof(u32);
}

u32 isa_wave_m0(const struct isa_wave *w)
{
	return w->s[ISA_SRC_M0];
}

enum isa_msg isa_wave_msg(const struct isa_wave *w, u32 info)
{
	return isa_arch_gfx90a.msg[info % ISA_MSG_IDS];
}

void isa_wave_doorbell(struct isa_wave *w, u32 info, u32 doorbell)
{
	w->s[ISA_SRC_EXEC_LO] = doorbell;
}

void isa_wave_set_scc(struct isa_wave *w, bool scc)
{
	w->scc = scc;
}

/* A script does not say what waits. */
void isa_wave_lead(struct isa_wave *w, bool lead)
{
	w->lead = false;
}

bool isa_wave_leads(const struct isa_wave *w)
{
	return w->lead;
}

/* Nothing of a fake wave is worth saving: its area holds its PC. */
u32 *isa_wave_rows(struct isa_wave *w)
{
	return w->v;
}

u32 isa_saved_row_bytes(const struct isa_wave *w)
{
	return 0;
}

u32 isa_saved_rows_bytes(const struct isa_wave *w)
{
	return 0;
}

u32 isa_saved_bytes(const struct isa_wave *w, bool first)
{
	return sizeof(struct isa_saved) + (first ? w->wg->lds_bytes : 0);
}

u32 isa_saved_gap(const struct isa_wave *w)
{
	return 0;
}

void isa_wave_save(const struct isa_wave *w, struct isa_saved *s)
{
	memset(s, 0, sizeof(*s));
	memcpy(s->hwreg, &w->pc, sizeof(w->pc));
}

void isa_wave_load(struct isa_wave *w, const struct isa_saved *s)
{
	memcpy(&w->pc, s->hwreg, sizeof(w->pc));
}

void isa_wave_keep(const struct isa_wave *w, struct isa_kept *k)
{
	*k = (struct isa_kept){};
}

void isa_wave_take(struct isa_wave *w, const struct isa_kept *k)
{
}

bool isa_wave_halted(const struct isa_wave *w)
{
	return false;
}

u32 isa_relaunch_states(const struct isa_wave *w)
{
	return 1;
}

u32 isa_relaunch_state(const struct isa_wave *w)
{
	return 0;
}

u32 isa_relaunch_wave(const struct isa_wave *w, u32 se, s32 slot, bool first, bool last)
{
	return 0;
}

unsigned int isa_op_count(void)
{
	return 1;
}

static void *reach(struct isa_wave *w, u64 va, struct isa_exit *ex)
{
	u32 n = (va >> PAGE_SHIFT) % ISA_TLB_ENTRIES;
	u64 in = va % ISA_PAGE_BYTES;

	if (w->cu->tlb.e[n].tag != va - in) {
		struct isa_page fresh = { 0 };

		if (!w->cu->lookup(w->cu, va, ISA_R, &fresh)) {
			ex->va = va;
			ex->access = ISA_R;
			return NULL;
		}
		w->cu->tlb.e[n].tag = va - in;
		w->cu->tlb.e[n].host = fresh.host;
	}
	return w->cu->tlb.e[n].host + in;
}

static enum isa_stop step(struct isa_wave *w, struct isa_exit *ex)
{
	const struct fake_insn *i = reach(w, w->pc, ex);
	struct fake_insn in;
	u32 *p, n;

	if (!i)
		return ISA_STOP_MISS;
	in = *i;
	p = in.va ? reach(w, in.va, ex) : NULL;
	if (in.va && !p)
		return ISA_STOP_MISS;
	switch (in.op) {
	case FAKE_ADD:
		w->s[0] = __atomic_add_fetch(p, in.n, __ATOMIC_SEQ_CST);
		break;
	case FAKE_SPIN:
		if (in.n && in.n != w->s[0])
			break;
		if (!__atomic_load_n(p, __ATOMIC_SEQ_CST))
			return ISA_STOP_NONE;
		break;
	case FAKE_YIELD_UNTIL:
		if (!__atomic_load_n(p, __ATOMIC_SEQ_CST)) {
			ex->info = 1;
			return ISA_STOP_BUDGET;
		}
		break;
	case FAKE_MEET:
		if (__atomic_load_n(p, __ATOMIC_SEQ_CST) < in.n)
			return ISA_STOP_NONE;
		break;
	case FAKE_WORK:
		if (++w->scc < in.n)
			return ISA_STOP_NONE;
		w->scc = 0;
		break;
	case FAKE_BARRIER:
		w->pc += sizeof(in);
		return ISA_STOP_BARRIER;
	case FAKE_LDS:
		for (n = 0; n < w->wg->lds_bytes; n++)
			__atomic_add_fetch(p, !!w->wg->lds[n], __ATOMIC_SEQ_CST);
		break;
	case FAKE_SIGNAL:
	case FAKE_WAIT:
		ex->info = in.n | (in.op == FAKE_SIGNAL ? ISA_BARRIER_SIGNAL : ISA_BARRIER_WAIT);
		w->pc += sizeof(in);
		return ISA_STOP_BARRIER;
	case FAKE_GWS:
		ex->info = in.n & 0xffff;
		ex->va = in.n >> 16;
		w->pc += sizeof(in);
		return ISA_STOP_GWS;
	case FAKE_END:
		return ISA_STOP_END;
	case FAKE_TRAP:
		ex->info = in.n;
		return ISA_STOP_TRAP;
	default:
		ex->name = "fake";
		return ISA_STOP_ILLEGAL;
	}
	w->pc += sizeof(in);
	return ISA_STOP_NONE;
}

enum isa_stop isa_wave_run(struct isa_wave *w, unsigned int budget, struct isa_exit *ex)
{
	memset(ex, 0, sizeof(*ex));
	for (ex->insns = 0; ex->insns < budget; ex->insns++) {
		ex->cost = ex->insns;
		ex->why = step(w, ex);
		if (ex->why != ISA_STOP_NONE)
			return ex->why;
	}
	ex->cost = ex->insns;
	ex->why = ISA_STOP_BUDGET;
	return ex->why;
}
