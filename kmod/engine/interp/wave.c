// SPDX-License-Identifier: GPL-2.0-only
/* Translates the requests of a stopped wave into calls of hw/. */
#include "interp.h"

static enum hw_exception_kind kind_of(enum isa_stop why)
{
	switch (why) {
	case ISA_STOP_TRAP:
		return HW_EXC_TRAP;
	case ISA_STOP_EXCP:
		return HW_EXC_ARITH;
	case ISA_STOP_MEMVIOL:
		return HW_EXC_APERTURE;
	default:
		return HW_EXC_ILLEGAL;
	}
}

/* What hw_exception.wave points to during hw_wave_exception(). */
struct stopped_wave {
	struct isa_wave *wave;
	const struct isa_exit *ex;
};

void interp_wave_exception(struct hw_compute *vq, struct isa_wave *wave,
			   const struct isa_exit *ex)
{
	struct stopped_wave stopped = { wave, ex };
	const struct hw_exception x = {
		.kind = kind_of(ex->why),
		.wave = &stopped,
		.pc = isa_wave_pc(wave),
		.info = ex->info,
		.why = ex->why,
		.va = ex->va,
		.name = ex->name,
		.in_trap = isa_wave_in_trap(wave),
	};

	if (hw_wave_exception(vq, &x))
		isa_wave_skip_trap(wave);
}

bool interp_trap(const struct hw_exception *x, u64 tba, u64 tma)
{
	struct stopped_wave *stopped = x->wave;

	return isa_wave_trap(stopped->wave, stopped->ex, tba, tma);
}

/* Other messages are for graphics stages and have no effect on compute. */
void interp_wave_message(struct hw_compute *vq, struct isa_wave *wave, u32 message)
{
	switch (isa_wave_msg(wave, message)) {
	case ISA_MSG_INTERRUPT:
		hw_wave_interrupt(vq, isa_wave_m0(wave), isa_wave_in_trap(wave));
		break;
	case ISA_MSG_GET_DOORBELL:
		isa_wave_doorbell(wave, message, vq->hq.q->doorbell);
		break;
	case ISA_MSG_DEALLOC_VGPRS:	/* nobody gets them before the wave's end, which is next */
	case ISA_MSG_NONE:
		break;
	}
}
