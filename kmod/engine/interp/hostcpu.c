// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose waves a CPU has run. Code of a GPU chooses what the interpreter does, so it
 * teaches the CPU's branch predictors, and leaves data in its buffers. Before code of
 * another process runs there, both are cleared as far as the CPU can. This goes by
 * CPU and not by worker: workers of one process and of another may follow each
 * other on a CPU with no switch of address spaces between them, which is where the
 * kernel does the same.
 */
#include <linux/percpu.h>

#include "interp.h"
#include "../../compat/cpu_state.h"

/* The process (gpu_process.id) whose waves ran last; of all GPUs */
static DEFINE_PER_CPU(u64, cpu_owner);

void interp_own_cpu(struct interp_worker *w, u64 owner)
{
	if (likely(this_cpu_read(cpu_owner) == owner))
		return;
	this_cpu_write(cpu_owner, owner);
	w->n.owner_changes++;
	w->n.barriers += compat_cpu_forget();
}

u64 interp_cpu_clock_ns(void)
{
	return compat_cpu_clock_ns();
}
