// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which process's waves a CPU has run last. GPU code determines what the interpreter does, so
 * it trains the CPU's branch predictors and leaves data in the CPU's buffers. Before code of
 * another process runs on that CPU, both are cleared as far as the CPU can. This is tracked by
 * CPU and not by worker, because workers of two processes may follow each other on a CPU
 * without a switch of address spaces, which is where the kernel would clear them.
 */
#include <linux/percpu.h>

#include "interp.h"
#include "../../compat/cpu_state.h"

/* gpu_process.id of the process whose waves ran last on this CPU, on any GPU */
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
