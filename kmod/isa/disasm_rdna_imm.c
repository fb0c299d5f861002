// SPDX-License-Identifier: GPL-2.0-only
/* Immediates of gfx10, 11 and 12 with a syntax of their own. Names: LLVM AMDGPUUsage. */
#include "disasm.h"
#include "format.h"

/* A number's name before gfx11, on gfx11, on gfx12 */
struct names {
	u8 id;
	const char *name[3];
};

static const struct names hwregs[] = {
#define SAME(s)	{ s, s, s }
	{ 1, SAME("HW_REG_MODE") }, { 2, SAME("HW_REG_STATUS") },
	{ 3, { "HW_REG_TRAPSTS", "HW_REG_TRAPSTS" } },
	{ 4, { NULL, NULL, "HW_REG_STATE_PRIV" } },
	{ 5, SAME("HW_REG_GPR_ALLOC") }, { 6, SAME("HW_REG_LDS_ALLOC") },
	{ 7, SAME("HW_REG_IB_STS") },
	{ 10, { NULL, NULL, "HW_REG_PERF_SNAPSHOT_DATA" } },
	{ 11, { NULL, NULL, "HW_REG_PERF_SNAPSHOT_PC_LO" } },
	{ 12, { NULL, NULL, "HW_REG_PERF_SNAPSHOT_PC_HI" } },
	{ 15, { "HW_REG_SH_MEM_BASES", "HW_REG_SH_MEM_BASES", "HW_REG_PERF_SNAPSHOT_DATA1" } },
	{ 16, { "HW_REG_TBA_LO", NULL, "HW_REG_PERF_SNAPSHOT_DATA2" } },
	{ 17, { "HW_REG_TBA_HI", NULL, "HW_REG_EXCP_FLAG_PRIV" } },
	{ 18, { "HW_REG_TMA_LO", "HW_REG_PERF_SNAPSHOT_PC_LO", "HW_REG_EXCP_FLAG_USER" } },
	{ 19, { "HW_REG_TMA_HI", "HW_REG_PERF_SNAPSHOT_PC_HI", "HW_REG_TRAP_CTRL" } },
	{ 20, { "HW_REG_FLAT_SCR_LO", "HW_REG_FLAT_SCR_LO", "HW_REG_SCRATCH_BASE_LO" } },
	{ 21, { "HW_REG_FLAT_SCR_HI", "HW_REG_FLAT_SCR_HI", "HW_REG_SCRATCH_BASE_HI" } },
	{ 23, SAME("HW_REG_HW_ID1") }, { 24, SAME("HW_REG_HW_ID2") },
	{ 25, { "HW_REG_POPS_PACKER" } },
	{ 27, { NULL, "HW_REG_PERF_SNAPSHOT_DATA" } },
	{ 29, { "HW_REG_SHADER_CYCLES", "HW_REG_SHADER_CYCLES", "HW_REG_SHADER_CYCLES_LO" } },
	{ 30, { NULL, NULL, "HW_REG_SHADER_CYCLES_HI" } },
	{ 31, { NULL, NULL, "HW_REG_DVGPR_ALLOC_LO" } },
	{ 32, { NULL, NULL, "HW_REG_DVGPR_ALLOC_HI" } },
};

static const struct names messages[] = {
	{ 1, SAME("MSG_INTERRUPT") },
	{ 2, { "MSG_GS", "MSG_HS_TESSFACTOR", "MSG_HS_TESSFACTOR" } },
	{ 3, { "MSG_GS_DONE", "MSG_DEALLOC_VGPRS", "MSG_DEALLOC_VGPRS" } },
	{ 4, { "MSG_SAVEWAVE" } }, { 5, { "MSG_STALL_WAVE_GEN", "MSG_STALL_WAVE_GEN" } },
	{ 6, { "MSG_HALT_WAVES", "MSG_HALT_WAVES" } }, { 7, { "MSG_ORDERED_PS_DONE" } },
	{ 8, { "MSG_EARLY_PRIM_DEALLOC" } }, { 9, SAME("MSG_GS_ALLOC_REQ") },
	{ 10, { "MSG_GET_DOORBELL" } }, { 11, { "MSG_GET_DDID" } }, { 15, SAME("MSG_SYSMSG") },
#define RTN(s)	{ NULL, s, s }
	{ 128, RTN("MSG_RTN_GET_DOORBELL") }, { 129, RTN("MSG_RTN_GET_DDID") },
	{ 130, RTN("MSG_RTN_GET_TMA") }, { 131, RTN("MSG_RTN_GET_REALTIME") },
	{ 132, RTN("MSG_RTN_SAVE_WAVE") }, { 133, RTN("MSG_RTN_GET_TBA") },
	{ 134, RTN("MSG_RTN_GET_TBA_TO_PC") }, { 135, { NULL, NULL, "MSG_RTN_GET_SE_AID_ID" } },
};

static const char *name_of(const struct isa_text *x, const struct names *n, size_t count, u32 id)
{
	u32 which = isa_target_has(x->t, ISA_FEAT_SCOPES) ? 2 :
		    isa_target_has(x->t, ISA_FEAT_GFX11_TEXT) ? 1 : 0;

	for (; count--; n++)
		if (n->id == id)
			return n->name[which];
	return NULL;
}

static void put_hwreg(struct isa_text *x, u32 imm)
{
	u32 id = imm & 63, off = imm >> 6 & 31, size = (imm >> 11 & 31) + 1;
	const char *name = name_of(x, hwregs, ARRAY_SIZE(hwregs), id);

	if (name)
		isa_put(x, "hwreg(%s", name);
	else
		isa_put(x, "hwreg(%u", id);
	if (off || size != 32)
		isa_put(x, ", %u, %u", off, size);
	isa_put(x, ")");
}

static void put_waitcnt(struct isa_text *x, u32 imm)
{
	bool gfx11 = isa_target_has(x->t, ISA_FEAT_GFX11_TEXT);
	u32 vm = gfx11 ? imm >> 10 & 63 : (imm & 15) | (imm >> 14 & 3) << 4;
	u32 exp = gfx11 ? imm & 7 : imm >> 4 & 7;

	isa_dis_counters(x, vm, exp, gfx11 ? imm >> 4 & 63 : imm >> 8 & 63, 63);
}

static void put_message(struct isa_text *x, u32 imm)
{
	static const char * const gs[] = { "GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT",
					   "GS_OP_EMIT_CUT" };
	static const char * const sys[] = { NULL, "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD",
					    NULL, "SYSMSG_OP_TTRACE_PC" };
	bool gfx11 = isa_target_has(x->t, ISA_FEAT_GFX11_TEXT);
	u32 id = imm & (gfx11 ? 255 : 15), op = gfx11 ? 0 : imm >> 4 & 7;
	u32 stream = gfx11 ? 0 : imm >> 8 & 3;
	const char *name = name_of(x, messages, ARRAY_SIZE(messages), id);

	if (!gfx11 && (id == 2 || id == 3)) {
		if (op < ARRAY_SIZE(gs) && (id == 3 || op) && (op || !stream)) {
			isa_put(x, "sendmsg(%s, %s", name, gs[op]);
			if (op)
				isa_put(x, ", %u", stream);
			isa_put(x, ")");
			return;
		}
	} else if (id == 15) {
		if (op < ARRAY_SIZE(sys) && sys[op] && !stream) {
			isa_put(x, "sendmsg(%s, %s)", name, sys[op]);
			return;
		}
	} else if (name && !op && !stream) {
		isa_put(x, "sendmsg(%s)", name);
		return;
	}
	if ((id | op << 4 | stream << 8) == imm)
		isa_put(x, "sendmsg(%u, %u, %u)", id, op, stream);
	else
		isa_put(x, "%u", imm);
}

static void put_delay(struct isa_text *x, u32 imm)
{
	static const char * const ids[16] = {
		NULL, "VALU_DEP_1", "VALU_DEP_2", "VALU_DEP_3", "VALU_DEP_4", "TRANS32_DEP_1",
		"TRANS32_DEP_2", "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1", "SALU_CYCLE_1",
		"SALU_CYCLE_2", "SALU_CYCLE_3",
	};
	static const char * const skips[8] = {
		NULL, "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4",
	};
	const char *sep = "";

	if (imm & 15) {
		isa_put(x, "instid0(%s)", ids[imm & 15] ?: "?");
		sep = " | ";
	}
	if (imm >> 4 & 7) {
		isa_put(x, "%sinstskip(%s)", sep, skips[imm >> 4 & 7] ?: "?");
		sep = " | ";
	}
	if (imm >> 7 & 15)
		isa_put(x, "%sinstid1(%s)", sep, ids[imm >> 7 & 15] ?: "?");
	else if (!*sep)
		isa_put(x, "0");
}

/* Counters of s_waitcnt_depctr; a counter that is not waited for has all its bits set. */
static void put_depctr(struct isa_text *x, u32 imm)
{
	static const struct {
		const char *name;
		u8 shift, max;
	} fields[] = {
		{ "depctr_hold_cnt", 7, 1 }, { "depctr_sa_sdst", 0, 1 },
		{ "depctr_va_vdst", 12, 15 },
		{ "depctr_va_sdst", 9, 7 }, { "depctr_va_ssrc", 8, 1 }, { "depctr_va_vcc", 1, 1 },
		{ "depctr_vm_vsrc", 2, 7 },
	};
	bool all = (imm & 0xff9f) == 0xff9f;
	const char *sep = "";
	size_t n;

	if (imm & 0x60) {
		isa_put(x, "0x%x", imm);
		return;
	}
	for (n = 0; n < ARRAY_SIZE(fields); n++) {
		u32 v = imm >> fields[n].shift & fields[n].max;

		if (!all && v == fields[n].max)
			continue;
		isa_put(x, "%s%s(%u)", sep, fields[n].name, v);
		sep = " ";
	}
}

/* A buffer's format; 8_UNORM goes without saying. */
static void put_format(struct isa_text *x)
{
	enum isa_buf_formats formats = isa_target_has(x->t, ISA_FEAT_GFX11_TEXT) ?
				       ISA_BUF_FORMATS_GFX11 : ISA_BUF_FORMATS_GFX10;
	u32 code = x->in->ctl, data, num;

	if (code == 1)
		return;
	if (isa_buf_format(formats, code, &data, &num))
		isa_put(x, " format:[BUF_FMT_%s_%s]", isa_data_format_names[data],
			isa_num_format_names[num]);
	else if (!code)
		isa_put(x, " format:[BUF_FMT_INVALID]");
	else
		isa_put(x, " format:%u", code);
}

static void put_version(struct isa_text *x, u32 imm)
{
	isa_put(x, imm & 0x1f00 ? "0x%x" : "%u", imm);
}

/* Immediates that are written differently than on GFX9 */
static void (*const put_kind[])(struct isa_text *x, u32 imm) = {
	[ISA_K_HWREG] = put_hwreg,
	[ISA_K_WAIT] = put_waitcnt,
	[ISA_K_MSG] = put_message,
	[ISA_K_DELAY] = put_delay,
	[ISA_K_DEPCTR] = put_depctr,
	[ISA_K_VERSION] = put_version,
};

void isa_dis_rdna_imm(struct isa_text *x, unsigned int kind)
{
	if (kind == ISA_K_NONE) {
		put_format(x);
	} else if (kind < ARRAY_SIZE(put_kind) && put_kind[kind]) {
		isa_put_sep(x);
		put_kind[kind](x, x->in->offset & 0xffff);
	} else {
		isa_dis_imm(x, kind);
	}
}
