/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The other way round: from a validated dispatch to PM4 packets, for GPUs that take their work
 * as indirect buffers. Packets are those of GFX9's compute pipes.
 *
 * A buffer that is too small is left as it is after the last packet that fits, and says so by
 * @full, which stays. Nothing else fails.
 */
#ifndef CP_PM4_WRITE_H
#define CP_PM4_WRITE_H

#include "cp.h"

#define CP_PM4_ACQUIRE_DWORDS	7u
#define CP_PM4_DISPATCH_DWORDS	66u	/* at most */
#define CP_PM4_IDLE_DWORDS	2u
#define CP_PM4_RELEASE_DWORDS	8u
#define CP_PM4_CLOCK_DWORDS	6u
#define CP_PM4_COMPLETE_DWORDS	24u
#define CP_PM4_CHECK_DWORDS	54u
#define CP_PM4_IF_DWORDS	5u

/**
 * struct cp_pm4_out - where packets go
 * @dw,@room: the buffer, in dwords; @n: of them that are used
 */
struct cp_pm4_out {
	u32 *dw;
	u32 room, n;
	bool full;
};

/* What cp_pm4_put_release() writes. */
enum cp_pm4_data { CP_PM4_DATA_32 = 1, CP_PM4_DATA_64, CP_PM4_DATA_CLOCK };

/* Are these functions written for this GPU's packet processor? */
bool cp_pm4_writable(const struct gpu_target *t);
/* Drops what caches have of memory, and of @code, that others may have written. */
void cp_pm4_put_acquire(struct cp_pm4_out *o, bool code);
/**
 * cp_pm4_put_dispatch() - start a dispatch
 * @o: the buffer
 * @t: cp_pm4_writable() is true
 * @d: from cp_dispatch_parse(), or another PM4 stream's
 *
 * The packets set all registers that the dispatch depends on. It is not waited for.
 * Return: false if there is no packet for it: its last work-item's number has more than 32 bits.
 */
bool cp_pm4_put_dispatch(struct cp_pm4_out *o, const struct gpu_target *t,
			 const struct cp_dispatch *d);
/* Waits until all dispatches of the stream have ended. */
void cp_pm4_put_idle(struct cp_pm4_out *o);
/*
 * Once all dispatches have ended and their writes are in memory, stores @data, or the clock, at
 * @va: 4 bytes, or 8, aligned naturally. @interrupt: raises one, too.
 */
void cp_pm4_put_release(struct cp_pm4_out *o, u64 va, enum cp_pm4_data what, u64 data,
			bool interrupt);
/* Stores the clock at @va, 8 bytes, when the stream comes to it. */
void cp_pm4_put_clock(struct cp_pm4_out *o, u64 va);
/*
 * Waits until all dispatches of the stream have ended; then does what their end does to the signal
 * at @signal_va: stores the clock as its end, and decrements its value.
 */
void cp_pm4_put_complete(struct cp_pm4_out *o, u64 signal_va);
/*
 * When the stream comes to it: is what @d was made of still what the kernel's descriptor says? If
 * not, stores 0 in the 32 bits at @flag_va.
 */
void cp_pm4_put_check(struct cp_pm4_out *o, const struct cp_dispatch *d, u64 flag_va);
/*
 * What is put between these two is left out if the 32 bits at @flag_va are 0 then. Return: for
 * cp_pm4_put_end_if()
 */
u32 cp_pm4_put_if(struct cp_pm4_out *o, u64 flag_va);
void cp_pm4_put_end_if(struct cp_pm4_out *o, u32 at);
/* Fills the last @dwords, a power of two, with NOPs: buffers have to be multiples of that. */
void cp_pm4_put_padding(struct cp_pm4_out *o, u32 dwords);

#endif /* CP_PM4_WRITE_H */
