/* SPDX-License-Identifier: MIT */
/*
 * A process's GPU through raw ioctls: what the queue tests need to put any
 * bytes into a ring and to take memory away while the GPU uses it. It goes
 * around libthunk and libaql on purpose.
 *
 * Functions give 0 or -errno and print nothing; rig_open() is the only one
 * that may fail without a bug.
 */
#ifndef RIG_H
#define RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/kfd_ioctl.h>

#include "../kfd/queue_area.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define RIG_PAGE	4096ul
#define RIG_RING	64u		/* packets */
#define RIG_SECOND	1000u		/* ms */
#define RIG_LONG	(20 * RIG_SECOND) /* for what must happen, on slow hosts */

/* amd_signal_t */
struct rig_signal {
	s64 kind;
	volatile s64 value;
	u64 mailbox;
	u32 event_id, pad;
	volatile u64 start_ts, end_ts;
	u64 queue, reserved;
};

/* The parts of amd_queue_t in use */
struct rig_amd_queue {
	u8 hsa_queue[40];
	u32 caps, pad0[3];
	volatile u64 write_id;
	u32 group_hi, private_hi;
	u8 pad1[56];
	volatile u64 read_id;
	u32 read_id_offset;
	u32 tmpring;
	u32 srd[4];
	u64 scratch_base, scratch_bytes;
	u32 lane_bytes, properties;
	u64 max_use_index;
	u64 inactive_signal;
	u8 pad2[56];
};

union rig_packet {
	u16 header;
	u64 u64s[8];
	u32 u32s[16];
	u8 bytes[64];
	struct {
		u16 header, setup;
		u16 group[3], reserved0;
		u32 grid[3];
		u32 private_bytes, group_bytes;
		u64 object, kernarg, reserved1, signal;
	} dispatch;
	struct {
		u16 header, reserved0;
		u32 reserved1;
		u64 dep[5], reserved2, signal;
	} barrier;
	struct {
		u16 header;
		u8 format, reserved0;
		u32 reserved1;
		u64 signal, value, mask;
		u32 cond, reserved2;
		u64 reserved3[2], completion;
	} value;
	struct {
		u16 header, format;
		u32 jump[4], remain, reserved[8];
		u64 signal;
	} ib;
};

enum {
	RIG_VENDOR, RIG_INVALID, RIG_DISPATCH, RIG_BARRIER_AND, RIG_AGENT,
	RIG_BARRIER_OR,
};
#define RIG_BARRIER_BIT	(1u << 8)
#define RIG_SCOPES	(2u << 9 | 2u << 11)	/* acquire, release: system */

struct rig_mem {
	void *p;
	size_t bytes;
	u64 handle;
};

struct rig_queue {
	struct rig_mem ring_mem, amd_mem;
	union rig_packet *ring;
	struct rig_amd_queue *amd;
	struct rig_signal *inactive;
	volatile u64 *doorbell;
	u32 id, packets;
};

/* @version: gfx_target_version of its GPU: PM4 differs from gfx10 on */
struct rig_kernel {
	u64 object;
	u32 private_bytes, group_bytes;
	long version;
};

struct rig {
	int kfd, drm;
	u32 gpu_id;
	void *doorbells;
	volatile u64 *event_page;
	struct rig_mem code;
	const u8 *elf;
	size_t elf_bytes;
	struct rig_mem signals;
	unsigned int nsignals;
	struct rig_mem args;
	size_t args_used;
	/*
	 * Of the queues that are created next; 0: one of the rig's own, which they share.
	 * Of two of them only one may be off the GPU with waves.
	 */
	u64 save_area;
	u32 save_bytes, ctl_bytes;	/* of each XCC, 0: what it has to be */
	struct rig_mem shared_area;
	u32 priority;			/* of those, 0: 7, which is normal */
};

int rig_open(struct rig *r);
/* The same on a render node that is open: its VM may have been another process's. */
int rig_open_on(struct rig *r, int drm, u32 gpu_id);
/* Only what the fd's owner would lose by dying; memory stays mapped. */
void rig_close(struct rig *r);
int rig_ioctl(const struct rig *r, unsigned long nr, void *arg);
/* A GPU of the topology but @other_than: its render node, opened. */
int rig_find_gpu(u32 other_than, u32 *gpu_id);
/* What TMPRING_SIZE's waves are of: XCCs, on gfx11 shader engines. Each has memory of its own. */
u32 rig_scratch_parts(const struct rig *r);
/* Matrix operations: not on gfx906, and of RDNA from gfx11 on */
bool rig_has_matrix(const struct rig *r);
long rig_property(u32 gpu_id, const char *name);	/* -1: none */

/* Memory at the same address for CPU and GPU; @flags: KFD_IOC_ALLOC_MEM_FLAGS_* */
int rig_alloc(struct rig *r, u32 flags, size_t bytes, struct rig_mem *m);
/* The process's own memory made visible */
int rig_userptr(struct rig *r, void *p, size_t bytes, struct rig_mem *m);
int rig_anon(struct rig *r, size_t bytes, struct rig_mem *m);
/* Sets an attribute (KFD_IOCTL_SVM_ATTR_*) of a range of the process's own memory. */
int rig_svm_set(struct rig *r, void *p, size_t bytes, u32 type, u32 value);
int rig_unmap(struct rig *r, struct rig_mem *m);
int rig_free(struct rig *r, struct rig_mem *m);
/* One of KFD's counters of this process and GPU (page_in, page_out); ~0: there is none. */
u64 rig_counter(const struct rig *r, const char *name);

/* Where CREATE_QUEUE's doorbell_offset is mapped; NULL if it cannot be. */
volatile u64 *rig_doorbell(struct rig *r, u64 offset);
/* What a save area has to be, for all XCCs; sets @save_bytes and @ctl_bytes. */
int rig_area_size(struct rig *r, size_t *bytes);
/* A save area of this process for the queues that are created next */
int rig_area(struct rig *r, struct rig_mem *m);
/* The same into the arguments of CREATE_QUEUE */
int rig_area_args(struct rig *r, struct kfd_ioctl_create_queue_args *a);
int rig_queue_create(struct rig *r, u32 packets, struct rig_queue *q);
int rig_queue_update(struct rig *r, struct rig_queue *q, u32 percentage);
int rig_queue_destroy(struct rig *r, struct rig_queue *q);

/* The code object of the tests (RIG_CODE, next to the program) */
int rig_load(struct rig *r);
int rig_kernel(struct rig *r, const char *name, struct rig_kernel *k);

/* The buffer resource by which a kernel sees its private memory */
void rig_scratch_srd(long version, u64 base, u64 bytes, u32 srd[4]);

struct rig_signal *rig_signal(struct rig *r, s64 value);
/* Copy arguments to memory that the GPU sees */
u64 rig_args(struct rig *r, const void *args, size_t bytes);

/* Put a packet behind the last one; header last. Rings nothing. */
u64 rig_put(struct rig_queue *q, const union rig_packet *p);
void rig_ring(struct rig_queue *q, u64 index);
void rig_submit(struct rig_queue *q, const union rig_packet *p);
void rig_dispatch_packet(union rig_packet *p, const struct rig_kernel *k,
			 u32 groups, u32 group, u64 args, struct rig_signal *s);

/* Poll; false if it did not happen within @ms */
bool rig_wait(const struct rig_signal *s, s64 value, unsigned int ms);
bool rig_wait32(const volatile u32 *p, u32 at_least, unsigned int ms);
u64 rig_ms(void);
/* For who has waited in vain: prints the GPU's queues and who runs (rig_state.c). */
void rig_say_state(void);

int rig_event(struct rig *r, u32 type, u32 *id, u32 *slot);
/* 0 event happened, -ETIME not; *@data if wanted */
int rig_event_wait(struct rig *r, u32 id, unsigned int ms,
		   struct kfd_event_data *data);

#endif /* RIG_H */
