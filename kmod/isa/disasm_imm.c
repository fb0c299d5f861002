// SPDX-License-Identifier: GPL-2.0-only
/*
 * Immediates with a syntax of their own: hardware registers, messages, wait
 * counters, branch distances. Names: LLVM AMDGPUUsage.
 */
#include "disasm.h"

static const char * const hwregs[] = {
	[1] = "HW_REG_MODE", [2] = "HW_REG_STATUS", [3] = "HW_REG_TRAPSTS",
	[4] = "HW_REG_HW_ID", [5] = "HW_REG_GPR_ALLOC", [6] = "HW_REG_LDS_ALLOC",
	[7] = "HW_REG_IB_STS", [15] = "HW_REG_SH_MEM_BASES", [16] = "HW_REG_TBA_LO",
	[17] = "HW_REG_TBA_HI", [18] = "HW_REG_TMA_LO", [19] = "HW_REG_TMA_HI",
};

static const char * const hwregs_xcc[] = {
	[20] = "HW_REG_XCC_ID", [21] = "HW_REG_SQ_PERF_SNAPSHOT_DATA",
	[22] = "HW_REG_SQ_PERF_SNAPSHOT_DATA1", [23] = "HW_REG_SQ_PERF_SNAPSHOT_PC_LO",
	[24] = "HW_REG_SQ_PERF_SNAPSHOT_PC_HI",
};

static void put_hwreg(struct isa_text *x, u32 imm)
{
	u32 id = imm & 63, off = imm >> 6 & 31, size = (imm >> 11 & 31) + 1;
	const char *name = id < ARRAY_SIZE(hwregs) ? hwregs[id] : NULL;

	if (isa_target_has(x->t, ISA_FEAT_XCC_REGS) && id < ARRAY_SIZE(hwregs_xcc) &&
	    hwregs_xcc[id])
		name = hwregs_xcc[id];
	if (name)
		isa_put(x, "hwreg(%s", name);
	else
		isa_put(x, "hwreg(%u", id);
	if (off || size != 32)
		isa_put(x, ", %u, %u", off, size);
	isa_put(x, ")");
}

void isa_dis_counters(struct isa_text *x, u32 vm, u32 exp, u32 lgkm, u32 full)
{
	bool all = vm == 63 && exp == 7 && lgkm == full;
	const char *sep = "";

	if (all || vm != 63) {
		isa_put(x, "vmcnt(%u)", vm);
		sep = " ";
	}
	if (all || exp != 7) {
		isa_put(x, "%sexpcnt(%u)", sep, exp);
		sep = " ";
	}
	if (all || lgkm != full)
		isa_put(x, "%slgkmcnt(%u)", sep, lgkm);
}

static void put_waitcnt(struct isa_text *x, u32 imm)
{
	isa_dis_counters(x, (imm & 15) | (imm >> 14 & 3) << 4, imm >> 4 & 7, imm >> 8 & 15, 15);
}

static const char * const messages[16] = {
	[1] = "MSG_INTERRUPT", [2] = "MSG_GS", [3] = "MSG_GS_DONE", [4] = "MSG_SAVEWAVE",
	[5] = "MSG_STALL_WAVE_GEN", [6] = "MSG_HALT_WAVES", [7] = "MSG_ORDERED_PS_DONE",
	[8] = "MSG_EARLY_PRIM_DEALLOC", [9] = "MSG_GS_ALLOC_REQ", [10] = "MSG_GET_DOORBELL",
	[15] = "MSG_SYSMSG",
};

static const char * const gs_ops[] = { "GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT" };
static const char * const sys_ops[] = {
	NULL, "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD",
	"SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC",
};

/* Message id 3:0, operation 6:4, GS stream 9:8. */
static void put_message(struct isa_text *x, u32 imm)
{
	u32 id = imm & 15, op = imm >> 4 & 7, stream = imm >> 8 & 3;
	const char *name = messages[id];

	if (id == 2 || id == 3) {
		if (op < ARRAY_SIZE(gs_ops) && (id == 3 || op) && (op || !stream)) {
			isa_put(x, "sendmsg(%s, %s", name, gs_ops[op]);
			isa_put(x, op ? ", %u)" : ")", stream);
			return;
		}
	} else if (id == 15) {
		if (op && op < ARRAY_SIZE(sys_ops) && !stream) {
			isa_put(x, "sendmsg(%s, %s)", name, sys_ops[op]);
			return;
		}
	} else if (name && !op && !stream) {
		isa_put(x, "sendmsg(%s)", name);
		return;
	}
	if (imm & ~0x37fu)
		isa_put(x, "%u", imm);
	else
		isa_put(x, "sendmsg(%u, %u, %u)", id, op, stream);
}

static void put_gpr_idx(struct isa_text *x, u32 imm)
{
	static const char * const names[] = { "SRC0", "SRC1", "SRC2", "DST" };
	const char *sep = "";
	u32 n;

	if (imm > 15) {
		isa_put(x, "0x%x", imm);
		return;
	}
	isa_put(x, "gpr_idx(");
	for (n = 0; n < ARRAY_SIZE(names); n++) {
		if (!(imm >> n & 1))
			continue;
		isa_put(x, "%s%s", sep, names[n]);
		sep = ",";
	}
	isa_put(x, ")");
}

void isa_dis_imm(struct isa_text *x, unsigned int kind)
{
	u32 imm = x->in->offset & 0xffff;

	if (kind == ISA_K_CODE && !imm)
		return;
	isa_put_sep(x);
	switch (kind) {
	case ISA_K_HWREG:
		put_hwreg(x, imm);
		break;
	case ISA_K_WAIT:
		put_waitcnt(x, imm);
		break;
	case ISA_K_MSG:
		put_message(x, imm);
		break;
	case ISA_K_GPRIDX:
		put_gpr_idx(x, imm);
		break;
	case ISA_K_LABEL:
	case ISA_K_CODE:
		isa_put(x, "%u", imm);
		break;
	case ISA_K_DEC:
		isa_put(x, imm <= 64u ? "%u" : "0x%x", imm);
		break;
	default:
		isa_put(x, "0x%x", imm);
	}
}
