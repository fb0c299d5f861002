/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note OR MIT */
/*
 * The part of amdgpu's render node ABI that vkfd answers.
 *
 * Names, numbers and layouts are those of the kernel's amdgpu driver, so that
 * programs compiled against either header are the same binaries; what vkfd
 * does not answer is not here. Nothing is ever renumbered, moved or resized.
 *
 * A field is "in" (caller -> kernel) unless it is marked "out".
 */
#ifndef __AMDGPU_DRM_H__
#define __AMDGPU_DRM_H__

#include <drm/drm.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* ---- ioctls: numbers after DRM_COMMAND_BASE ---- */

#define DRM_AMDGPU_GEM_CREATE	0x00
#define DRM_AMDGPU_GEM_MMAP	0x01
#define DRM_AMDGPU_CTX		0x02
#define DRM_AMDGPU_BO_LIST	0x03
#define DRM_AMDGPU_CS		0x04
#define DRM_AMDGPU_INFO		0x05
#define DRM_AMDGPU_GEM_METADATA	0x06
#define DRM_AMDGPU_GEM_WAIT_IDLE	0x07
#define DRM_AMDGPU_GEM_VA	0x08
#define DRM_AMDGPU_WAIT_CS	0x09
#define DRM_AMDGPU_GEM_OP	0x10
#define DRM_AMDGPU_GEM_USERPTR	0x11
#define DRM_AMDGPU_WAIT_FENCES	0x12
#define DRM_AMDGPU_VM		0x13
#define DRM_AMDGPU_FENCE_TO_HANDLE	0x14
#define DRM_AMDGPU_SCHED	0x15
#define DRM_AMDGPU_USERQ	0x16
#define DRM_AMDGPU_USERQ_SIGNAL	0x17
#define DRM_AMDGPU_USERQ_WAIT	0x18

#define DRM_IOCTL_AMDGPU_GEM_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_GEM_CREATE, union drm_amdgpu_gem_create)
#define DRM_IOCTL_AMDGPU_GEM_MMAP \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_GEM_MMAP, union drm_amdgpu_gem_mmap)
#define DRM_IOCTL_AMDGPU_CTX \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_CTX, union drm_amdgpu_ctx)
#define DRM_IOCTL_AMDGPU_BO_LIST \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_BO_LIST, union drm_amdgpu_bo_list)
#define DRM_IOCTL_AMDGPU_CS \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_CS, union drm_amdgpu_cs)
#define DRM_IOCTL_AMDGPU_WAIT_CS \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_WAIT_CS, union drm_amdgpu_wait_cs)
#define DRM_IOCTL_AMDGPU_GEM_METADATA \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_GEM_METADATA, struct drm_amdgpu_gem_metadata)
#define DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_GEM_WAIT_IDLE, union drm_amdgpu_gem_wait_idle)
#define DRM_IOCTL_AMDGPU_GEM_VA \
	DRM_IOW(DRM_COMMAND_BASE + DRM_AMDGPU_GEM_VA, struct drm_amdgpu_gem_va)
#define DRM_IOCTL_AMDGPU_GEM_OP \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_GEM_OP, struct drm_amdgpu_gem_op)
#define DRM_IOCTL_AMDGPU_GEM_USERPTR \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_GEM_USERPTR, struct drm_amdgpu_gem_userptr)
#define DRM_IOCTL_AMDGPU_VM \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_VM, union drm_amdgpu_vm)
#define DRM_IOCTL_AMDGPU_SCHED \
	DRM_IOW(DRM_COMMAND_BASE + DRM_AMDGPU_SCHED, union drm_amdgpu_sched)
#define DRM_IOCTL_AMDGPU_WAIT_FENCES \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_WAIT_FENCES, union drm_amdgpu_wait_fences)
#define DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_FENCE_TO_HANDLE, union drm_amdgpu_fence_to_handle)
#define DRM_IOCTL_AMDGPU_USERQ \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_USERQ, union drm_amdgpu_userq)
#define DRM_IOCTL_AMDGPU_USERQ_SIGNAL \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_USERQ_SIGNAL, struct drm_amdgpu_userq_signal)
#define DRM_IOCTL_AMDGPU_USERQ_WAIT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_USERQ_WAIT, struct drm_amdgpu_userq_wait)
#define DRM_IOCTL_AMDGPU_INFO \
	DRM_IOW(DRM_COMMAND_BASE + DRM_AMDGPU_INFO, struct drm_amdgpu_info)

/* ---- GEM ---- */

/* Where memory may be: exactly one of GTT and VRAM; CPU is plain memory, too. */
#define AMDGPU_GEM_DOMAIN_CPU	0x1
#define AMDGPU_GEM_DOMAIN_GTT	0x2
#define AMDGPU_GEM_DOMAIN_VRAM	0x4
#define AMDGPU_GEM_DOMAIN_GDS	0x8
#define AMDGPU_GEM_DOMAIN_GWS	0x10
#define AMDGPU_GEM_DOMAIN_OA	0x20
#define AMDGPU_GEM_DOMAIN_DOORBELL	0x40	/* of user queues */

#define AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED	(1 << 0)
#define AMDGPU_GEM_CREATE_NO_CPU_ACCESS		(1 << 1)
#define AMDGPU_GEM_CREATE_CPU_GTT_USWC		(1 << 2)
#define AMDGPU_GEM_CREATE_VRAM_CLEARED		(1 << 3)
#define AMDGPU_GEM_CREATE_VRAM_CONTIGUOUS	(1 << 5)
#define AMDGPU_GEM_CREATE_VM_ALWAYS_VALID	(1 << 6)
#define AMDGPU_GEM_CREATE_EXPLICIT_SYNC		(1 << 7)
#define AMDGPU_GEM_CREATE_VRAM_WIPE_ON_RELEASE	(1 << 9)
#define AMDGPU_GEM_CREATE_ENCRYPTED		(1 << 10)
#define AMDGPU_GEM_CREATE_DISCARDABLE		(1 << 12)

struct drm_amdgpu_gem_create_in {
	__u64 bo_size;
	__u64 alignment;
	__u64 domains;		/* AMDGPU_GEM_DOMAIN_* */
	__u64 domain_flags;	/* AMDGPU_GEM_CREATE_* */
};

struct drm_amdgpu_gem_create_out {
	__u32 handle;
	__u32 _pad;
};

union drm_amdgpu_gem_create {
	struct drm_amdgpu_gem_create_in in;
	struct drm_amdgpu_gem_create_out out;
};

struct drm_amdgpu_gem_mmap_in {
	__u32 handle;
	__u32 _pad;
};

struct drm_amdgpu_gem_mmap_out {
	__u64 addr_ptr;		/* offset for mmap on the same file */
};

union drm_amdgpu_gem_mmap {
	struct drm_amdgpu_gem_mmap_in in;
	struct drm_amdgpu_gem_mmap_out out;
};

struct drm_amdgpu_gem_wait_idle_in {
	__u32 handle;
	__u32 flags;
	__u64 timeout;		/* absolute ns */
};

struct drm_amdgpu_gem_wait_idle_out {
	__u32 status;		/* 1: still busy */
	__u32 domain;
};

union drm_amdgpu_gem_wait_idle {
	struct drm_amdgpu_gem_wait_idle_in in;
	struct drm_amdgpu_gem_wait_idle_out out;
};

#define AMDGPU_GEM_METADATA_OP_SET_METADATA	1
#define AMDGPU_GEM_METADATA_OP_GET_METADATA	2

/* In and out, as op says. */
struct drm_amdgpu_gem_metadata {
	__u32 handle;
	__u32 op;		/* AMDGPU_GEM_METADATA_OP_* */
	struct {
		__u64 flags;
		__u64 tiling_info;
		__u32 data_size_bytes;
		__u32 data[64];
	} data;
};

#define AMDGPU_GEM_OP_GET_GEM_CREATE_INFO	0	/* struct drm_amdgpu_gem_create_in * */
#define AMDGPU_GEM_OP_SET_PLACEMENT		1	/* value: AMDGPU_GEM_DOMAIN_* */

struct drm_amdgpu_gem_op {
	__u32 handle;
	__u32 op;
	__u64 value;
};

/* GPU only reads; only memory without a file; look at it now; follow what the process does. */
#define AMDGPU_GEM_USERPTR_READONLY	(1 << 0)
#define AMDGPU_GEM_USERPTR_ANONONLY	(1 << 1)
#define AMDGPU_GEM_USERPTR_VALIDATE	(1 << 2)
#define AMDGPU_GEM_USERPTR_REGISTER	(1 << 3)

struct drm_amdgpu_gem_userptr {
	__u64 addr;
	__u64 size;
	__u32 flags;		/* AMDGPU_GEM_USERPTR_* */
	__u32 handle;		/* out */
};

/* ---- GPU address space of a file ---- */

#define AMDGPU_VA_OP_MAP	1
#define AMDGPU_VA_OP_UNMAP	2
#define AMDGPU_VA_OP_CLEAR	3
#define AMDGPU_VA_OP_REPLACE	4

#define AMDGPU_VM_DELAY_UPDATE		(1 << 0)
#define AMDGPU_VM_PAGE_READABLE		(1 << 1)
#define AMDGPU_VM_PAGE_WRITEABLE	(1 << 2)
#define AMDGPU_VM_PAGE_EXECUTABLE	(1 << 3)
#define AMDGPU_VM_PAGE_PRT		(1 << 4)
#define AMDGPU_VM_MTYPE_MASK		(0xf << 5)
#define AMDGPU_VM_PAGE_NOALLOC		(1 << 9)

struct drm_amdgpu_gem_va {
	__u32 handle;
	__u32 _pad;
	__u32 operation;	/* AMDGPU_VA_OP_* */
	__u32 flags;		/* AMDGPU_VM_* */
	__u64 va_address;
	__u64 offset_in_bo;
	__u64 map_size;
	/* from here on since Linux 6.16: absent is 0 */
	__u64 vm_timeline_point;	/* 0: not of a timeline */
	__u32 vm_timeline_syncobj_out;	/* 0: none; signalled when the GPU sees the change */
	__u32 num_syncobj_handles;
	__u64 input_fence_syncobj_handles; /* array of __u32: waited for before */
};

/* ---- VM ---- */

#define AMDGPU_VM_OP_RESERVE_VMID	1
#define AMDGPU_VM_OP_UNRESERVE_VMID	2

struct drm_amdgpu_vm_in {
	__u32 op;		/* AMDGPU_VM_OP_* */
	__u32 flags;
};

struct drm_amdgpu_vm_out {
	__u64 flags;
};

union drm_amdgpu_vm {
	struct drm_amdgpu_vm_in in;
	struct drm_amdgpu_vm_out out;
};

/* ---- contexts ---- */

#define AMDGPU_CTX_OP_ALLOC_CTX		1
#define AMDGPU_CTX_OP_FREE_CTX		2
#define AMDGPU_CTX_OP_QUERY_STATE	3
#define AMDGPU_CTX_OP_QUERY_STATE2	4
#define AMDGPU_CTX_OP_GET_STABLE_PSTATE	5
#define AMDGPU_CTX_OP_SET_STABLE_PSTATE	6

#define AMDGPU_CTX_NO_RESET		0
#define AMDGPU_CTX_GUILTY_RESET		1
#define AMDGPU_CTX_UNKNOWN_RESET	3
#define AMDGPU_CTX_QUERY2_FLAGS_RESET	(1 << 0)
#define AMDGPU_CTX_QUERY2_FLAGS_VRAMLOST (1 << 1)
#define AMDGPU_CTX_QUERY2_FLAGS_GUILTY	(1 << 2)
#define AMDGPU_CTX_QUERY2_FLAGS_RAS_CE	(1 << 3)
#define AMDGPU_CTX_QUERY2_FLAGS_RAS_UE	(1 << 4)

#define AMDGPU_CTX_PRIORITY_VERY_LOW	-1023
#define AMDGPU_CTX_PRIORITY_LOW		-512
#define AMDGPU_CTX_PRIORITY_NORMAL	0
#define AMDGPU_CTX_PRIORITY_HIGH	512
#define AMDGPU_CTX_PRIORITY_VERY_HIGH	1023

#define AMDGPU_CTX_STABLE_PSTATE_FLAGS_MASK	0xf
#define AMDGPU_CTX_STABLE_PSTATE_NONE	0
#define AMDGPU_CTX_STABLE_PSTATE_STANDARD	1
#define AMDGPU_CTX_STABLE_PSTATE_MIN_SCLK	2
#define AMDGPU_CTX_STABLE_PSTATE_MIN_MCLK	3
#define AMDGPU_CTX_STABLE_PSTATE_PEAK	4

struct drm_amdgpu_ctx_in {
	__u32 op;		/* AMDGPU_CTX_OP_* */
	__u32 flags;
	__u32 ctx_id;
	__s32 priority;		/* AMDGPU_CTX_PRIORITY_* */
};

union drm_amdgpu_ctx_out {
	struct {
		__u32 ctx_id;
		__u32 _pad;
	} alloc;
	struct {
		__u64 flags;
		__u32 hangs;
		__u32 reset_status;
	} state;
	struct {
		__u32 flags;
		__u32 _pad;
	} pstate;
};

union drm_amdgpu_ctx {
	struct drm_amdgpu_ctx_in in;
	union drm_amdgpu_ctx_out out;
};

/* For the master of a card node only: it changes priorities of another file. */
#define AMDGPU_SCHED_OP_PROCESS_PRIORITY_OVERRIDE	1
#define AMDGPU_SCHED_OP_CONTEXT_PRIORITY_OVERRIDE	2

struct drm_amdgpu_sched_in {
	__u32 op;		/* AMDGPU_SCHED_OP_* */
	__u32 fd;
	__s32 priority;		/* AMDGPU_CTX_PRIORITY_* */
	__u32 ctx_id;
};

union drm_amdgpu_sched {
	struct drm_amdgpu_sched_in in;
};

/* ---- BO_LIST, CS, WAIT_CS ---- */

#define AMDGPU_BO_LIST_OP_CREATE	0
#define AMDGPU_BO_LIST_OP_DESTROY	1
#define AMDGPU_BO_LIST_OP_UPDATE	2

struct drm_amdgpu_bo_list_in {
	__u32 operation;
	__u32 list_handle;
	__u32 bo_number;
	__u32 bo_info_size;	/* of an entry */
	__u64 bo_info_ptr;
};

struct drm_amdgpu_bo_list_entry {
	__u32 bo_handle;
	__u32 bo_priority;
};

struct drm_amdgpu_bo_list_out {
	__u32 list_handle;
	__u32 _pad;
};

union drm_amdgpu_bo_list {
	struct drm_amdgpu_bo_list_in in;
	struct drm_amdgpu_bo_list_out out;
};

#define AMDGPU_CHUNK_ID_IB		0x01
#define AMDGPU_CHUNK_ID_FENCE		0x02
#define AMDGPU_CHUNK_ID_DEPENDENCIES	0x03
#define AMDGPU_CHUNK_ID_SYNCOBJ_IN	0x04
#define AMDGPU_CHUNK_ID_SYNCOBJ_OUT	0x05
#define AMDGPU_CHUNK_ID_BO_HANDLES	0x06
#define AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES	0x07
#define AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT	0x08
#define AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL	0x09

struct drm_amdgpu_cs_chunk {
	__u32 chunk_id;
	__u32 length_dw;
	__u64 chunk_data;
};

struct drm_amdgpu_cs_in {
	__u32 ctx_id;
	__u32 bo_list_handle;
	__u32 num_chunks;
	__u32 flags;
	__u64 chunks;		/* array of addresses */
};

struct drm_amdgpu_cs_out {
	__u64 handle;
};

union drm_amdgpu_cs {
	struct drm_amdgpu_cs_in in;
	struct drm_amdgpu_cs_out out;
};

#define AMDGPU_IB_FLAG_CE		(1 << 0)
#define AMDGPU_IB_FLAG_PREAMBLE		(1 << 1)
#define AMDGPU_IB_FLAG_EMIT_MEM_SYNC	(1 << 6)

struct drm_amdgpu_cs_chunk_ib {
	__u32 _pad;
	__u32 flags;
	__u64 va_start;
	__u32 ib_bytes;
	__u32 ip_type;
	__u32 ip_instance;
	__u32 ring;
};

struct drm_amdgpu_cs_chunk_dep {
	__u32 ip_type;
	__u32 ip_instance;
	__u32 ring;
	__u32 ctx_id;
	__u64 handle;
};

/* The job's number goes to @offset of an object of one page when the job is done. */
struct drm_amdgpu_cs_chunk_fence {
	__u32 handle;
	__u32 offset;
};

struct drm_amdgpu_cs_chunk_sem {
	__u32 handle;		/* of a syncobj */
};

struct drm_amdgpu_cs_chunk_syncobj {
	__u32 handle;
	__u32 flags;		/* DRM_SYNCOBJ_WAIT_FLAGS_* */
	__u64 point;		/* 0: not of a timeline */
};

struct drm_amdgpu_wait_cs_in {
	__u64 handle;
	__u64 timeout;		/* absolute ns */
	__u32 ip_type;
	__u32 ip_instance;
	__u32 ring;
	__u32 ctx_id;
};

struct drm_amdgpu_wait_cs_out {
	__u64 status;		/* 1: still busy */
};

union drm_amdgpu_wait_cs {
	struct drm_amdgpu_wait_cs_in in;
	struct drm_amdgpu_wait_cs_out out;
};

/* ---- WAIT_FENCES, FENCE_TO_HANDLE ---- */

struct drm_amdgpu_fence {
	__u32 ctx_id;
	__u32 ip_type;
	__u32 ip_instance;
	__u32 ring;
	__u64 seq_no;
};

struct drm_amdgpu_wait_fences_in {
	__u64 fences;		/* array of struct drm_amdgpu_fence */
	__u32 fence_count;
	__u32 wait_all;
	__u64 timeout_ns;	/* absolute */
};

struct drm_amdgpu_wait_fences_out {
	__u32 status;		/* 1: done */
	__u32 first_signaled;
};

union drm_amdgpu_wait_fences {
	struct drm_amdgpu_wait_fences_in in;
	struct drm_amdgpu_wait_fences_out out;
};

#define AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ	0
#define AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ_FD	1
#define AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD	2

union drm_amdgpu_fence_to_handle {
	struct {
		struct drm_amdgpu_fence fence;
		__u32 what;	/* AMDGPU_FENCE_TO_HANDLE_* */
		__u32 pad;
	} in;
	struct {
		__u32 handle;
	} out;
};

/* ---- USERQ, USERQ_SIGNAL, USERQ_WAIT ---- */

#define AMDGPU_USERQ_OP_CREATE	1
#define AMDGPU_USERQ_OP_FREE	2

#define AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_MASK	0x3
#define AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_SHIFT	0
#define AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_NORMAL_LOW	0
#define AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_LOW		1
#define AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_NORMAL_HIGH	2
#define AMDGPU_USERQ_CREATE_FLAGS_QUEUE_PRIORITY_HIGH		3	/* CAP_SYS_NICE */
#define AMDGPU_USERQ_CREATE_FLAGS_QUEUE_SECURE			(1 << 2)
/*
 * AQL packets on a compute queue. Not in Linux 7.2: ROCm's runtime has asked for it since July 2026
 * (ROCm/rocm-systems, pull request 8650), of a driver that is to come.
 */
#define AMDGPU_USERQ_CREATE_FLAGS_QUEUE_AQL_COMPUTE		(1 << 3)

/* FREE: all but op and queue_id must be 0. */
struct drm_amdgpu_userq_in {
	__u32 op;		/* AMDGPU_USERQ_OP_* */
	__u32 queue_id;
	__u32 ip_type;		/* AMDGPU_HW_IP_* */
	__u32 doorbell_handle;	/* of an object in the doorbell domain */
	__u32 doorbell_offset;	/* index of a doorbell of 8 bytes there */
	__u32 flags;		/* AMDGPU_USERQ_CREATE_FLAGS_* */
	__u64 queue_va;
	__u64 queue_size;	/* bytes, a power of two */
	__u64 rptr_va;
	__u64 wptr_va;		/* in an object of one page */
	__u64 mqd;		/* struct drm_amdgpu_userq_mqd_*, by ip_type */
	__u64 mqd_size;
};

struct drm_amdgpu_userq_out {
	__u32 queue_id;
	__u32 _pad;
};

union drm_amdgpu_userq {
	struct drm_amdgpu_userq_in in;
	struct drm_amdgpu_userq_out out;
};

struct drm_amdgpu_userq_mqd_compute_gfx11 {
	__u64 eop_va;
};

struct drm_amdgpu_userq_mqd_sdma_gfx11 {
	__u64 csa_va;
};

/* Fences of what the queue has been given up to its write index of now. */
struct drm_amdgpu_userq_signal {
	__u32 queue_id;
	__u32 pad;
	__u64 syncobj_handles;	/* array of __u32, as the next two */
	__u16 num_syncobj_handles;
	__u16 pad0;
	__u32 pad1;
	__u64 bo_read_handles;
	__u64 bo_write_handles;
	__u32 num_bo_read_handles;
	__u32 num_bo_write_handles;
};

/* The fence has signaled when the 64-bit word at @va is at least @value. */
struct drm_amdgpu_userq_fence_info {
	__u64 va;
	__u64 value;
};

/* Fences that the GPU can wait for. Others are waited for here. */
struct drm_amdgpu_userq_wait {
	__u32 waitq_id;		/* the queue that will wait */
	__u32 pad;
	__u64 syncobj_handles;	/* array of __u32, as are all but the points */
	__u64 syncobj_timeline_handles;
	__u64 syncobj_timeline_points;
	__u64 bo_read_handles;
	__u64 bo_write_handles;
	__u16 num_syncobj_timeline_handles;
	__u16 num_fences;	/* in: room; 0: only count them. out */
	__u16 num_syncobj_handles;
	__u16 pad0;
	__u32 num_bo_read_handles;
	__u32 num_bo_write_handles;
	__u64 out_fences;	/* array of struct drm_amdgpu_userq_fence_info */
};

/* ---- INFO ---- */

#define AMDGPU_INFO_ACCEL_WORKING	0x00	/* __u32 */
#define AMDGPU_INFO_HW_IP_INFO		0x02	/* struct drm_amdgpu_info_hw_ip */
#define AMDGPU_INFO_HW_IP_COUNT		0x03	/* __u32 */
#define AMDGPU_INFO_TIMESTAMP		0x05	/* __u64 */
#define AMDGPU_INFO_FW_VERSION		0x0e	/* struct drm_amdgpu_info_firmware */
#define AMDGPU_INFO_NUM_BYTES_MOVED	0x0f	/* __u64 */
#define AMDGPU_INFO_VRAM_USAGE		0x10	/* __u64 */
#define AMDGPU_INFO_GTT_USAGE		0x11	/* __u64 */
#define AMDGPU_INFO_GDS_CONFIG		0x13	/* struct drm_amdgpu_info_gds */
#define AMDGPU_INFO_VRAM_GTT		0x14	/* struct drm_amdgpu_info_vram_gtt */
#define AMDGPU_INFO_READ_MMR_REG	0x15	/* __u32[count] */
#define AMDGPU_INFO_DEV_INFO		0x16	/* struct drm_amdgpu_info_device */
#define AMDGPU_INFO_VIS_VRAM_USAGE	0x17	/* __u64 */
#define AMDGPU_INFO_NUM_EVICTIONS	0x18	/* __u64 */
#define AMDGPU_INFO_MEMORY		0x19	/* struct drm_amdgpu_memory_info */
#define AMDGPU_INFO_VBIOS		0x1b	/* by vbios_info.type */
#define AMDGPU_INFO_SENSOR		0x1d	/* __u32 */
#define AMDGPU_INFO_NUM_VRAM_CPU_PAGE_FAULTS	0x1e	/* __u64 */
#define AMDGPU_INFO_VRAM_LOST_COUNTER	0x1f	/* __u32 */
#define AMDGPU_INFO_RAS_ENABLED_FEATURES	0x20	/* __u64 */
#define AMDGPU_INFO_GPUVM_FAULT		0x23	/* struct drm_amdgpu_info_gpuvm_fault; since 3.55 */
#define AMDGPU_INFO_UQ_FW_AREAS		0x24	/* by query_hw_ip.type */

#define AMDGPU_HW_IP_GFX		0
#define AMDGPU_HW_IP_COMPUTE		1
#define AMDGPU_HW_IP_DMA		2
#define AMDGPU_HW_IP_UVD		3
#define AMDGPU_HW_IP_VCE		4
#define AMDGPU_HW_IP_UVD_ENC		5
#define AMDGPU_HW_IP_VCN_DEC		6
#define AMDGPU_HW_IP_VCN_ENC		7
#define AMDGPU_HW_IP_VCN_JPEG		8
#define AMDGPU_HW_IP_NUM		9
#define AMDGPU_HW_IP_INSTANCE_MAX_COUNT	1

#define AMDGPU_INFO_FW_VCE		0x01
#define AMDGPU_INFO_FW_UVD		0x02
#define AMDGPU_INFO_FW_GMC		0x03
#define AMDGPU_INFO_FW_GFX_ME		0x04
#define AMDGPU_INFO_FW_GFX_PFP		0x05
#define AMDGPU_INFO_FW_GFX_CE		0x06
#define AMDGPU_INFO_FW_GFX_RLC		0x07
#define AMDGPU_INFO_FW_GFX_MEC		0x08
#define AMDGPU_INFO_FW_SMC		0x0a
#define AMDGPU_INFO_FW_SDMA		0x0b
#define AMDGPU_INFO_FW_SOS		0x0c
#define AMDGPU_INFO_FW_ASD		0x0d
#define AMDGPU_INFO_FW_VCN		0x0e

/* vbios_info.type */
#define AMDGPU_INFO_VBIOS_SIZE		0x1	/* __u32 */
#define AMDGPU_INFO_VBIOS_IMAGE		0x2	/* bytes from vbios_info.offset on */
#define AMDGPU_INFO_VBIOS_INFO		0x3	/* struct drm_amdgpu_info_vbios */

/* sensor_info.type */
#define AMDGPU_INFO_SENSOR_GFX_SCLK		0x1	/* MHz */
#define AMDGPU_INFO_SENSOR_GFX_MCLK		0x2
#define AMDGPU_INFO_SENSOR_GPU_TEMP		0x3	/* millidegrees Celsius */
#define AMDGPU_INFO_SENSOR_GPU_LOAD		0x4	/* percent */
#define AMDGPU_INFO_SENSOR_GPU_AVG_POWER	0x5	/* W */
#define AMDGPU_INFO_SENSOR_VDDNB		0x6	/* mV */
#define AMDGPU_INFO_SENSOR_VDDGFX		0x7
#define AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_SCLK	0x8	/* MHz */
#define AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_MCLK	0x9

struct drm_amdgpu_info {
	__u64 return_pointer;
	__u32 return_size;	/* of the buffer; a shorter answer is cut off */
	__u32 query;		/* AMDGPU_INFO_* */
	union {
		struct {
			__u32 type;		/* AMDGPU_HW_IP_* */
			__u32 ip_instance;
		} query_hw_ip;
		struct {
			__u32 dword_offset;
			__u32 count;
			__u32 instance;
			__u32 flags;
		} read_mmr_reg;
		struct {
			__u32 fw_type;		/* AMDGPU_INFO_FW_* */
			__u32 ip_instance;
			__u32 index;
			__u32 _pad;
		} query_fw;
		struct {
			__u32 type;		/* AMDGPU_INFO_VBIOS_* */
			__u32 offset;
		} vbios_info;
		struct {
			__u32 type;		/* AMDGPU_INFO_SENSOR_* */
		} sensor_info;
	};
};

struct drm_amdgpu_info_vbios {
	__u8 name[64];
	__u8 vbios_pn[64];
	__u32 version;
	__u32 pad;
	__u8 vbios_ver_str[32];
	__u8 date[32];
};

struct drm_amdgpu_info_hw_ip {
	__u32 hw_ip_version_major;
	__u32 hw_ip_version_minor;
	__u64 capabilities_flags;
	__u32 ib_start_alignment;
	__u32 ib_size_alignment;
	__u32 available_rings;
	__u32 ip_discovery_version;
	__u32 userq_num_slots;		/* since 3.64 */
};

/* What user queues need. */
struct drm_amdgpu_info_uq_metadata_compute {
	__u32 eop_size;
	__u32 eop_alignment;
};

struct drm_amdgpu_info_uq_metadata_sdma {
	__u32 csa_size;
	__u32 csa_alignment;
};

struct drm_amdgpu_info_uq_metadata {
	union {
		__u32 words[4];		/* the longest, that of graphics */
		struct drm_amdgpu_info_uq_metadata_compute compute;
		struct drm_amdgpu_info_uq_metadata_sdma sdma;
	};
};

struct drm_amdgpu_info_firmware {
	__u32 ver;
	__u32 feature;
};

/* The last one of the file's address space; all 0: none. */
struct drm_amdgpu_info_gpuvm_fault {
	__u64 addr;
	__u32 status;	/* VM_L2_PROTECTION_FAULT_STATUS */
	__u32 vmhub;
};

struct drm_amdgpu_info_gds {
	__u32 gds_gfx_partition_size;
	__u32 compute_partition_size;
	__u32 gds_total_size;
	__u32 gws_per_gfx_partition;
	__u32 gws_per_compute_partition;
	__u32 oa_per_gfx_partition;
	__u32 oa_per_compute_partition;
	__u32 _pad;
};

struct drm_amdgpu_info_vram_gtt {
	__u64 vram_size;
	__u64 vram_cpu_accessible_size;
	__u64 gtt_size;
};

struct drm_amdgpu_heap_info {
	__u64 total_heap_size;
	__u64 usable_heap_size;
	__u64 heap_usage;
	__u64 max_allocation;
};

struct drm_amdgpu_memory_info {
	struct drm_amdgpu_heap_info vram;
	struct drm_amdgpu_heap_info cpu_accessible_vram;
	struct drm_amdgpu_heap_info gtt;
};

/* ids_flags: an APU */
#define AMDGPU_IDS_FLAGS_FUSION		0x1

#define AMDGPU_VRAM_TYPE_UNKNOWN	0
#define AMDGPU_VRAM_TYPE_HBM		6
#define AMDGPU_VRAM_TYPE_GDDR6		9
#define AMDGPU_VRAM_TYPE_LPDDR5		12

#define AMDGPU_FAMILY_UNKNOWN		0
#define AMDGPU_FAMILY_AI		141	/* GFX9 discrete parts */
#define AMDGPU_FAMILY_GC_11_0_0		145

struct drm_amdgpu_info_device {
	__u32 device_id;
	__u32 chip_rev;
	__u32 external_rev;
	__u32 pci_rev;
	__u32 family;
	__u32 num_shader_engines;
	__u32 num_shader_arrays_per_engine;
	__u32 gpu_counter_freq;			/* kHz */
	__u64 max_engine_clock;			/* kHz */
	__u64 max_memory_clock;			/* kHz */
	__u32 cu_active_number;
	__u32 cu_ao_mask;
	__u32 cu_bitmap[4][4];
	__u32 enabled_rb_pipes_mask;
	__u32 num_rb_pipes;
	__u32 num_hw_gfx_contexts;
	__u32 pcie_gen;
	__u64 ids_flags;
	__u64 virtual_address_offset;
	__u64 virtual_address_max;
	__u32 virtual_address_alignment;
	__u32 pte_fragment_size;
	__u32 gart_page_size;
	__u32 ce_ram_size;
	__u32 vram_type;
	__u32 vram_bit_width;
	__u32 vce_harvest_config;
	__u32 gc_double_offchip_lds_buf;
	__u64 prim_buf_gpu_addr;
	__u64 pos_buf_gpu_addr;
	__u64 cntl_sb_buf_gpu_addr;
	__u64 param_buf_gpu_addr;
	__u32 prim_buf_size;
	__u32 pos_buf_size;
	__u32 cntl_sb_buf_size;
	__u32 param_buf_size;
	__u32 wave_front_size;
	__u32 num_shader_visible_vgprs;
	__u32 num_cu_per_sh;
	__u32 num_tcc_blocks;
	__u32 gs_vgt_table_depth;
	__u32 gs_prim_buffer_depth;
	__u32 max_gs_waves_per_vgt;
	__u32 pcie_num_lanes;
	__u32 cu_ao_bitmap[4][4];
	__u64 high_va_offset;
	__u64 high_va_max;
	__u32 pa_sc_tile_steering_override;
	__u64 tcc_disabled_mask;
	__u64 min_engine_clock;			/* kHz; from here on since 3.50 */
	__u64 min_memory_clock;
	__u32 tcp_cache_size;			/* KiB, as the next five */
	__u32 num_sqc_per_wgp;
	__u32 sqc_data_cache_size;
	__u32 sqc_inst_cache_size;
	__u32 gl1c_cache_size;
	__u32 gl2c_cache_size;
	__u64 mall_size;			/* bytes */
	__u32 enabled_rb_pipes_mask_hi;
	__u32 shadow_size;
	__u32 shadow_alignment;
	__u32 csa_size;
	__u32 csa_alignment;
	__u32 userq_ip_mask;
};

#if defined(__cplusplus)
}
#endif

#endif /* __AMDGPU_DRM_H__ */
