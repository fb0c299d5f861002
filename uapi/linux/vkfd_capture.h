/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note OR MIT */
/*
 * What /sys/kernel/debug/kfd/N/capture gives to its reader, and what a file of vkfd-trace(1)
 * holds: records, each with its type and its length. A dispatch is followed by as many pages as
 * it says. A reader skips types that it does not know. The byte order is the machine's.
 */
#ifndef VKFD_CAPTURE_H
#define VKFD_CAPTURE_H

#include <linux/types.h>

#define VKFD_CAPTURE_PAGE_BYTES	4096

/**
 * struct vkfd_capture_record - what each record begins with
 * @type: enum vkfd_capture_type
 * @bytes: length of the record with this header, a multiple of 8
 */
struct vkfd_capture_record {
	__u32 type;
	__u32 bytes;
};

/*
 * The first three come from the kernel. vkfd-trace(1) adds the others: its own header, a line of
 * text (an event of the kernel's tracing), how often an opcode ran, the command, and the name of
 * a kernel.
 */
enum vkfd_capture_type {
	VKFD_CAPTURE_DISPATCH = 1,
	VKFD_CAPTURE_PAGE = 2,
	VKFD_CAPTURE_LOST = 3,
	VKFD_CAPTURE_HEADER = 16,
	VKFD_CAPTURE_TEXT = 17,
	VKFD_CAPTURE_OPCODE = 18,
	VKFD_CAPTURE_COMMAND = 19,
	VKFD_CAPTURE_NAME = 20,
};

#define VKFD_CAPTURE_PM4	(1u << 0)	/* of PM4: struct vkfd_capture_pm4 follows */
#define VKFD_CAPTURE_SHORT	(1u << 1)	/* it touched more pages than there was room for */
#define VKFD_CAPTURE_BESIDE	(1u << 2)	/* another dispatch ran beside it */

/**
 * struct vkfd_capture_dispatch - a dispatch, after it has ended
 * @start_ns: CLOCK_MONOTONIC; @ns: how long it ran
 * @index: of its packet in the queue
 * @instructions: that its waves executed; @waves: how many these were
 * @kernel_object: address of the kernel descriptor, 0 for PM4; @pc: of the first instruction
 * @gfx: version of the GPU's instruction set, 90010 for gfx90a
 * @pid,@comm: the process; @queue: KFD's id of the queue
 * @flags: VKFD_CAPTURE_PM4, _SHORT, _BESIDE
 * @pages: number of page records that follow
 * @grid: work-items; @group: work-items of a work-group
 * @packet: as it was in the ring
 */
struct vkfd_capture_dispatch {
	struct vkfd_capture_record rec;
	__u64 start_ns, ns;
	__u64 index;
	__u64 instructions, waves;
	__u64 kernel_object, pc;
	__u32 gpu_id, gfx;
	__u32 pid, queue;
	__u32 flags, pages;
	__u32 grid[3], group[3];
	__u8 comm[16];
	__u8 packet[64];
};

/**
 * struct vkfd_capture_pm4 - registers of a dispatch of PM4 packets
 * @start: id of the first work-group
 * @lanes: of a wave, 32 or 64
 * @rsrc,@tmpring: COMPUTE_PGM_RSRC1 to 3, COMPUTE_TMPRING_SIZE
 * @scratch,@scratch_bytes: where its private memory is, of which no pages are recorded; 0: it
 *	has none
 * @user: COMPUTE_USER_DATA_0 to 15
 *
 * Follows the struct vkfd_capture_dispatch, within the same record, if VKFD_CAPTURE_PM4 is set
 * and the record is long enough; older ones end before it.
 */
struct vkfd_capture_pm4 {
	__u32 start[3], lanes;
	__u32 rsrc[3], tmpring;
	__u64 scratch, scratch_bytes;
	__u32 user[16];
};

#define VKFD_CAPTURE_ZERO	(1u << 0)	/* zero before the dispatch: not in the record */
#define VKFD_CAPTURE_CHANGED	(1u << 1)	/* its contents after the dispatch follow, too */
#define VKFD_CAPTURE_GONE	(1u << 2)	/* nothing is known of it after the dispatch */

/**
 * struct vkfd_capture_page - a page that a dispatch has touched
 * @va: address, a multiple of 4096
 * @access: 1 read, 2 write, 4 execute: what was allowed
 * @flags: VKFD_CAPTURE_ZERO, _CHANGED, _GONE
 *
 * Behind it come its contents before the dispatch (unless ZERO), then those after it (if
 * CHANGED), 4096 bytes each.
 */
struct vkfd_capture_page {
	struct vkfd_capture_record rec;
	__u64 va;
	__u32 access, flags;
};

/**
 * struct vkfd_capture_lost - dispatches that were not captured
 * @dispatches: how many since the last such record; they were killed, or had waited too long
 */
struct vkfd_capture_lost {
	struct vkfd_capture_record rec;
	__u64 dispatches;
};

/* The first record of a file. */
#define VKFD_CAPTURE_MAGIC	0x3163727444464b56ull	/* "VKFDtrc1" */

struct vkfd_capture_header {
	struct vkfd_capture_record rec;
	__u64 magic;
};

/**
 * struct vkfd_capture_opcode - how often an opcode ran while recording
 * @count: on all GPUs, by all processes
 */
struct vkfd_capture_opcode {
	struct vkfd_capture_record rec;
	__u64 count;
	char name[48];
};

/**
 * struct vkfd_capture_name - the name of a kernel
 * @object: the address of its descriptor, as in its dispatches
 * @pid: the process
 *
 * The name follows, up to a zero or the record's end. There is none for a kernel whose code object
 * has no symbols in memory, nor for one that PM4 packets dispatch.
 */
struct vkfd_capture_name {
	struct vkfd_capture_record rec;
	__u64 object;
	__u32 pid, reserved;
};

#endif /* VKFD_CAPTURE_H */
