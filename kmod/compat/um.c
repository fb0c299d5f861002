// SPDX-License-Identifier: GPL-2.0-only
/*
 * User Mode Linux, where the kernel is a process of the host and every mm is
 * one more, the stub. Only built for arch um.
 */
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/mutex.h>
#include <linux/smp.h>

/* um walks the VMAs to flush a TLB, and does not lock them for that. */
void compat_zap_begin(struct mm_struct *mm)
{
	mmap_read_lock(mm);
}

/* The interrupt itself does what is needed: um's handler alarms the stub. */
static void compat_um_kick(void *unused)
{
}

/*
 * um changes the mappings of a stub when it enters user mode the next time.
 * That is soon enough for a process that changes its own mappings, but a stub
 * that runs on another CPU keeps what we have just zapped, and a store to an
 * armed doorbell would not fault. So interrupt all CPUs, which makes the stubs
 * on them stop, and wait for this one to have stopped: um holds the turnstile
 * of an mm while its stub runs, and synchronises the mappings when it has
 * taken it again.
 */
void compat_zap_end(struct mm_struct *mm)
{
	mmap_read_unlock(mm);
	smp_call_function(compat_um_kick, NULL, 1);
	mutex_lock(&mm->context.turnstile);
	mutex_unlock(&mm->context.turnstile);
}
