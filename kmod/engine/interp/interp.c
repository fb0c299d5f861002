// SPDX-License-Identifier: GPL-2.0-only
/* The interpreter as an engine: its ops table. */
#include "interp.h"

const struct engine_ops interp_engine_ops = {
	.admit = interp_work_kick,
	.queue_init = interp_queue_init,
	.queue_fini = interp_queue_fini,
	.queue_idle_locked = interp_queue_idle_locked,
	.cu_mask = interp_cu_mask,
	.load = interp_waves_load,
	.update = interp_waves_update,
	.restore = interp_waves_restore,
	.wave_state = interp_wave_state,
};
