/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packet processors: from the bytes of a user's ring to a validated dispatch.
 *
 * Pure C: it builds in the kernel and on the host, allocates nothing, and knows
 * neither threads nor VMs. It accesses guest memory only through struct cp_env, whose
 * operations may sleep. Every byte in a ring, signal or descriptor is hostile and may
 * change at any time. So a packet is copied out of the ring once, then validated, and
 * only the copy is used.
 *
 * Who calls what, and which calls the owner (the backend) must serialise:
 *   cp_queue_*(), cp_step()	one command processor thread per queue
 *   cp_ring_release(),
 *   cp_packet_finish()		any thread, one at a time per queue
 *   cp_signal_*()		any thread
 */
#ifndef CP_H
#define CP_H

#include "../isa/isa_env.h"
#include "../model/target.h"

/**
 * enum cp_status - result of a step
 * @CP_IDLE: nothing to do until a doorbell rings
 * @CP_PROGRESS: a packet was consumed; call again
 * @CP_BLOCKED: waits for an earlier packet, a free slot, or a signal in memory. In the
 *	last case cp_queue.polling is set, because no doorbell announces the change
 * @CP_ERROR: the queue is stopped; cp_queue.state and .error tell why
 */
enum cp_status { CP_IDLE, CP_PROGRESS, CP_BLOCKED, CP_ERROR };

/* Values of queue_inactive_signal (ROCr: AqlQueue::DynamicQueueEventsHandler()). */
#define CP_ERR_SCRATCH		0x1u	/* retried once the signal reads 0 again */
#define CP_ERR_DIM		0x2u
#define CP_ERR_GROUP_MEM	0x4u
#define CP_ERR_CODE		0x8u
#define CP_ERR_PACKET		0x20u
#define CP_ERR_GROUP_SIZE	0x40u
#define CP_ERR_VGPRS		0x80u
#define CP_ERR_VENDOR		0x100u
#define CP_ERR_APERTURE		0x20000000u
#define CP_ERR_ILLEGAL		0x40000000u
#define CP_ERR_TRAP		0x80000000u

enum cp_state {
	CP_STATE_RUN,
	CP_STATE_SCRATCH,	/* insufficient scratch: waits for the runtime */
	CP_STATE_ERROR,		/* reported through queue_inactive_signal */
	CP_STATE_FAULT,		/* a memory operation of the environment failed */
};

/* struct cp_env_ops.cache() */
#define CP_CACHE_WB	BIT(0)
#define CP_CACHE_INV	BIT(1)
#define CP_CACHE_ICACHE	BIT(2)

/* Offsets in amd_queue_t and amd_signal_t (ROCr: amd_hsa_queue.h, amd_hsa_signal.h). */
#define CP_AMD_QUEUE_WRITE_ID	56
#define CP_AMD_QUEUE_READ_ID	128
#define CP_SIGNAL_VALUE		8
#define CP_SIGNAL_START_TS	32
#define CP_SIGNAL_END_TS	40

#define CP_PACKET_BYTES		64
#define CP_PACKET_INVALID	1
#define CP_WINDOW		64	/* packets in flight: bits of cp_queue.done */
#define CP_MAX_USER_SGPRS	16
#define CP_MAX_GROUP_ITEMS	1024

/* Offsets in a kernel descriptor */
#define CP_KD_ENTRY		16
#define CP_KD_RSRC3		44	/* and RSRC1, RSRC2 behind it */
#define CP_KD_PROPERTIES	56

struct cp_queue;

/**
 * struct cp_dispatch - a validated kernel dispatch
 * @index: of the packet in the queue; @packet_va: its slot in the ring
 * @pm4: not from an AQL dispatch packet: @index counts PM4 dispatches
 * @barrier: those before it have to end first; only of a queue with @orders
 * @acquire: and then it acquires memory
 * @early: these had not all ended when its kernel's descriptor was read, which they may write
 * @signal: completion signal or 0
 * @pc: entry point; @grid, @group: sizes in work-items; @groups: size in work-groups
 * @first: id of the first work-group
 * @total_groups: the product of @groups
 * @lanes: lanes per wave
 * @waves: waves per work-group; @rows, @acc_offset, @sgprs, @mode: of each wave
 * @lds_bytes: rounded up to the allocation granule
 * @nuser: number of user SGPRs in @user; the undefined ones are zero
 * @wg_id: which of the ids X, Y, Z follow the user SGPRs; @wg_info, @scratch_offset:
 *	whether these SGPRs follow, too
 * @ids: number of work-item id components in VGPRs, 1..3
 * @rsrc: COMPUTE_PGM_RSRC1 to 3, of which the above was made; @tmpring: COMPUTE_TMPRING_SIZE
 * @properties: and the word of the descriptor that has the kernel's properties
 * @scratch_lane_bytes: private segment of one lane, 0 if none
 * @scratch_base,@scratch_wave_bytes,@scratch_waves: the queue's scratch,
 *	valid if @scratch_lane_bytes or @scratch_offset is set
 */
struct cp_dispatch {
	u64 index, packet_va, kernel_object, signal;
	bool pm4, barrier, acquire, early;
	u64 pc;
	u32 grid[3];
	u16 group[3];
	u32 groups[3], first[3];
	u64 total_groups;
	u32 lanes, waves, rows, acc_offset, sgprs, mode;
	u32 lds_bytes;
	u32 nuser;
	u32 user[CP_MAX_USER_SGPRS];
	bool wg_id[3], wg_info, scratch_offset;
	u32 ids;
	u32 rsrc[3], tmpring, properties;
	u32 scratch_lane_bytes;
	u64 scratch_base;
	u32 scratch_wave_bytes, scratch_waves;
};

/**
 * struct cp_done - a finished packet
 * @start,@end: GPU clock
 * @pm4: a PM4 dispatch without a packet in the ring: call cp_pm4_dispatch_done()
 * @counted: the signal's value was already decremented; to complete it, only @event_id
 *	has to be written to @mailbox and raised
 */
struct cp_done {
	u64 index, signal, start, end;
	bool pm4;
	bool counted;
	u32 event_id;
	u64 mailbox;
};

/**
 * struct cp_env - what a packet processor can reach; embedded by the owner
 */
struct cp_env {
	const struct cp_env_ops *ops;
};

/**
 * struct cp_env_ops - all may sleep. Memory operations return 0 or -errno; after an
 *	error the queue is stopped (the environment keeps the details)
 * @read,@write: any length, any alignment, unordered
 * @read32,@read64: naturally aligned, single load, acquire
 * @write64: naturally aligned, single store, release
 * @add64: atomic add
 * @cas: compare and swap of 4 or 8 naturally aligned bytes; *@old is the expected value
 *	and returns the value found
 * @dispatch: start @d, complete it later; -EBUSY: no free slot, try again
 * @complete: the packet is done. Calls cp_ring_release(), cp_signal_complete() and
 *	cp_packet_finish(), in this order
 * @event: raise the interrupt that carries @event_id
 * @cache: CP_CACHE_*
 * @error: the queue was stopped with @code, which the signal has already
 * @fence: all that the stream asked for before position @at of its ring is done (PM4 queues with
 *	@protected only)
 * @clock: the GPU clock, 100 MHz
 */
struct cp_env_ops {
	int (*read)(struct cp_env *env, u64 va, void *dst, u32 len);
	int (*write)(struct cp_env *env, u64 va, const void *src, u32 len);
	int (*read32)(struct cp_env *env, u64 va, u32 *val);
	int (*read64)(struct cp_env *env, u64 va, u64 *val);
	int (*write64)(struct cp_env *env, u64 va, u64 val);
	int (*add64)(struct cp_env *env, u64 va, u64 val, u64 *old);
	int (*cas)(struct cp_env *env, u64 va, u32 bytes, u64 *old, u64 val);
	int (*dispatch)(struct cp_env *env, struct cp_queue *q,
			const struct cp_dispatch *d);
	int (*complete)(struct cp_env *env, struct cp_queue *q,
			struct cp_done *done);
	void (*event)(struct cp_env *env, u32 event_id);
	int (*fence)(struct cp_env *env, u64 at);
	void (*cache)(struct cp_env *env, u32 flags);
	void (*error)(struct cp_env *env, struct cp_queue *q, u32 code);
	u64 (*clock)(struct cp_env *env);
};

/* The kind of packets in a queue's ring. */
enum cp_kind { CP_KIND_AQL, CP_KIND_PM4 };

/* GPU_HDP_FLUSH_REQ and _DONE, at the same place on all GPUs so far (pm4_registers.def) */
#define CP_REG_HDP_FLUSH_REQ	0x0e26u
#define CP_REG_HDP_FLUSH_DONE	0x0e27u

#define CP_PM4_SH_FIRST		0x2e00	/* COMPUTE_DISPATCH_INITIATOR */
#define CP_PM4_SH_REGS		128
#define CP_PM4_KEPT_REGS	12	/* other registers that can be read back */
#define CP_PM4_SET_REGS		128	/* most registers that one packet sets */
#define CP_PM4_NO_REG		(~0u)
#define CP_PM4_IBS		2	/* a buffer, and one that it calls */
#define CP_PM4_FENCES		16
#define CP_PM4_WAIT_FENCES	256	/* most that a FENCE_WAIT_MULTI waits for */
#define CP_PM4_FENCE_DWORDS	7

/**
 * struct cp_pm4 - state of a PM4 stream: that of a PM4 queue, or of the indirect
 *	buffer of an AQL packet
 * @sh: compute shader registers; @kept: other registers that can be read back
 *	(pm4_registers.def); @hdp_done: GPU_HDP_FLUSH_DONE; @clock: captured by
 *	RLC_CAPTURE_GPU_CLOCK_COUNT
 * @ib: indirect buffers being executed, innermost last; @depth: their number
 * @skip: dwords to discard before the next packet of the ring
 * @moved: progress in the current packet, for those executed in pieces
 * @chains: number of jumps made within the ring's current packet
 * @rptr_late: the ring's current packet counts as consumed once its buffer has ended
 * @atomic_return: the value that the last ATOMIC_MEM found
 * @no_ring: there is no ring; the owner starts buffers by cp_pm4_begin()
 * @protected: the owner takes PROTECTED_FENCE_SIGNAL: a user queue of the render node
 * @packets: packets executed; @bad_opcode: opcode that stopped the queue; @bad_reg:
 *	register that this packet named and may not use, or CP_PM4_NO_REG
 * @issued: dispatches started; @released: all dispatches before this one are done;
 *	@done: bit n: dispatch @released + n is done; @finished: number that are done
 * @fence: a ring of RELEASE_MEM packets, each waiting until all dispatches before its
 *	@after are done; @first_fence: the oldest; @fences: their number
 */
struct cp_pm4 {
	u32 sh[CP_PM4_SH_REGS];
	u32 kept[CP_PM4_KEPT_REGS], hdp_done;
	u64 clock;
	struct {
		u64 va;
		u32 dwords, pos;
	} ib[CP_PM4_IBS];
	u32 depth, skip, moved, chains;
	bool rptr_late, no_ring, protected;
	u64 atomic_return;
	u64 packets;
	u32 bad_opcode, bad_reg;
	u64 issued, released, done, finished;
	struct {
		u64 after;
		u32 body[CP_PM4_FENCE_DWORDS];
	} fence[CP_PM4_FENCES];
	u32 first_fence, fences;
};

/**
 * struct cp_queue - a queue as its packet processor sees it
 * @target: limits and layout; @ops: of its kind
 * @ring_va,@ring_packets: the ring, a power of two of packets (PM4: dwords)
 * @rptr_va,@wptr_va: addresses of the read and the write index
 * @amd_queue_va: the amd_queue_t that contains the indices, 0 if there is none
 * @doorbell: value last seen, ~0 if none was
 * @limit: packets before this index may be read
 * @next: index of the next packet to consume
 * @header: of the packet consumed last, for traces
 * @orders: the owner executes dispatches in the order that their barrier bits ask for. So these are
 *	handed over early, and the kernel's descriptor is read while those before it may still run:
 *	the owner sees to it that it is still the same then (cp_dispatch.early)
 * @packet_start: clock when @next was first looked at, 0 before that
 * @seen: dependencies of the barrier packet at @next that were already seen at zero
 * @polling: the last step waits for memory that changes without a doorbell
 * @takes_more: it was blocked with no packet to read; the next step takes new ones
 * @state,@error: why it is stopped; @error_word: the word at fault, for logs
 * @inactive_signal: the signal that CP_STATE_SCRATCH waits for
 * @release: all packets before this index are released; the value of read_dispatch_id
 * @told: the value last written to read_dispatch_id
 * @done: bit n: packet @release + n is done, but an earlier one is not
 * @finished: number of packets finished; @next - @finished are in flight
 */
struct cp_queue {
	const struct gpu_target *target;
	const struct cp_queue_ops *ops;
	u64 ring_va;
	u32 ring_packets;
	u64 rptr_va, wptr_va;
	u64 amd_queue_va;

	u64 doorbell;
	u64 limit;
	u64 next;
	u32 header;
	u64 packet_start;
	u32 seen;
	bool polling, takes_more, orders;
	enum cp_state state;
	u32 error, error_word;
	u64 inactive_signal;

	u64 release;
	u64 told;
	u64 done;
	u64 finished;

	struct cp_pm4 pm4;
};

/* kd.c */
/*
 * Makes @d anew, of its packet and the kernel's descriptor as they are now. Memory errors as those
 * of the environment; *@code: it can't be launched any more, or it is not the same dispatch.
 */
int cp_dispatch_renew(const struct cp_queue *q, struct cp_env *env, struct cp_dispatch *d,
		      u32 *code);

/* queue.c */
int cp_queue_init(struct cp_queue *q, const struct gpu_target *target, enum cp_kind kind,
		  u64 ring_va, u32 ring_bytes, u64 rptr_va, u64 wptr_va);
int cp_queue_move(struct cp_queue *q, u64 ring_va, u32 ring_bytes);
/* The doorbell has become @value; true if cp_step() may have something to do. */
bool cp_queue_ring(struct cp_queue *q, struct cp_env *env, u64 value);
/* Executes at most one packet. */
enum cp_status cp_step(struct cp_queue *q, struct cp_env *env);
/* Stops the queue with an error found elsewhere (by a wave). Nothing may be in flight. */
enum cp_status cp_queue_fail(struct cp_queue *q, struct cp_env *env, u32 code);
enum cp_status cp_queue_fault(struct cp_queue *q);
u64 cp_queue_in_flight(const struct cp_queue *q);
/* True if cp_step() has something to do, now or once the packets in flight have finished. */
bool cp_queue_busy(const struct cp_queue *q);

/**
 * cp_ring_release() - give the packet's slot back to the producer
 *
 * Slots are given back in order. Kernels read their dispatch packet through
 * dispatch_ptr, so a slot stays untouched until its kernel has ended. After a failure
 * the call may be repeated.
 */
int cp_ring_release(struct cp_queue *q, struct cp_env *env, u64 index);
void cp_packet_finish(struct cp_queue *q);

/* pm4_compute.c: replaces the two calls above if cp_done.pm4; serialise it like them */
void cp_pm4_dispatch_done(struct cp_queue *q, u64 index);
/* pm4.c: for the owner of a queue without a ring (cp_pm4.no_ring) */
/* Begins to execute @dwords at @va, after a buffer that has ended. */
void cp_pm4_begin(struct cp_queue *q, u64 va, u32 dwords);
/* COMPUTE_PGM_RSRC1 to 3 and COMPUTE_TMPRING_SIZE, as the next dispatch would use them. */
void cp_pm4_resources(const struct cp_queue *q, u32 rsrc[3], u32 *tmpring);
/* Has the last buffer ended? What it started may still be running. */
static inline bool cp_pm4_ended(const struct cp_queue *q)
{
	return !q->pm4.depth;
}

/* pm4_compute.c: have its dispatches ended, and the packets that wait for them? */
bool cp_pm4_drained(const struct cp_queue *q);
/* pm4.c: for logs; NULL if the opcode has no row. */
const char *cp_pm4_name(u32 opcode);
/* pm4_regs.c: the name of a register, likewise. */
const char *cp_pm4_reg_name(u32 reg);

/* signal.c */
/*
 * Writes timestamps, decrements the value, writes the mailbox, raises the event. Does
 * nothing if done->signal is 0. After a transient error it may be called again with the
 * same @done; it does no step twice.
 */
int cp_signal_complete(struct cp_env *env, struct cp_done *done);
/*
 * Somebody else will write the timestamps and decrement the value of @signal_va, which is not 0:
 * prepares @done for cp_signal_complete(), which does the rest then. 0, or the error of the memory.
 */
int cp_signal_promise(struct cp_env *env, u64 signal_va, struct cp_done *done);
/* Sets the value to @value, writes the mailbox, raises the event. */
int cp_signal_store(struct cp_env *env, u64 signal_va, u64 value);

#endif /* CP_H */
