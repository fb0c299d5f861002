/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints: what happens between a doorbell and an event. They also prove that a
 * submission does not enter the kernel: while the GPU is busy, a submission shows packets
 * and dispatches without a vkfd_ioctl or vkfd_doorbell in between.
 *
 * A packet's index counts packets for AQL, dwords for PM4, and is a running number for
 * SDMA. The kernel object of a PM4 dispatch is the address of its program.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM vkfd

#if !defined(VKFD_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define VKFD_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(vkfd_ioctl,
	TP_PROTO(pid_t pid, unsigned int nr, const char *name, long ret),
	TP_ARGS(pid, nr, name, ret),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__field(unsigned int, nr)
		__string(name, name)
		__field(long, ret)
	),
	TP_fast_assign(
		__entry->pid = pid;
		__entry->nr = nr;
		COMPAT_ASSIGN_STR(name, name);
		__entry->ret = ret;
	),
	TP_printk("pid=%d nr=0x%02x %s ret=%ld", __entry->pid, __entry->nr,
		  __get_str(name), __entry->ret)
);

TRACE_EVENT(vkfd_doorbell,
	TP_PROTO(u32 gpu_id, pid_t pid, unsigned long offset),
	TP_ARGS(gpu_id, pid, offset),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(pid_t, pid)
		__field(unsigned long, offset)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->offset = offset;
	),
	TP_printk("gpu_id=%u pid=%d offset=0x%lx", __entry->gpu_id, __entry->pid,
		  __entry->offset)
);

TRACE_EVENT(vkfd_packet,
	TP_PROTO(u32 gpu_id, pid_t pid, u32 queue, u64 index, u32 header),
	TP_ARGS(gpu_id, pid, queue, index, header),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(pid_t, pid)
		__field(u32, queue)
		__field(u64, index)
		__field(u32, header)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->queue = queue;
		__entry->index = index;
		__entry->header = header;
	),
	TP_printk("gpu_id=%u pid=%d queue=%u index=%llu header=0x%x",
		  __entry->gpu_id, __entry->pid, __entry->queue, __entry->index,
		  __entry->header)
);

TRACE_EVENT(vkfd_dispatch,
	TP_PROTO(u32 gpu_id, pid_t pid, u32 queue, u64 index, u64 kernel_object,
		 const u32 *grid, u64 ns),
	TP_ARGS(gpu_id, pid, queue, index, kernel_object, grid, ns),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(pid_t, pid)
		__field(u32, queue)
		__field(u64, index)
		__field(u64, kernel_object)
		__array(u32, grid, 3)
		__field(u64, ns)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->queue = queue;
		__entry->index = index;
		__entry->kernel_object = kernel_object;
		memcpy(__entry->grid, grid, sizeof(__entry->grid));
		__entry->ns = ns;
	),
	TP_printk("gpu_id=%u pid=%d queue=%u index=%llu kernel_object=0x%llx grid=%ux%ux%u ns=%llu",
		  __entry->gpu_id, __entry->pid, __entry->queue, __entry->index,
		  __entry->kernel_object, __entry->grid[0], __entry->grid[1],
		  __entry->grid[2], __entry->ns)
);

TRACE_EVENT(vkfd_fault,
	TP_PROTO(u32 gpu_id, pid_t pid, u64 va, u32 access),
	TP_ARGS(gpu_id, pid, va, access),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(pid_t, pid)
		__field(u64, va)
		__field(u32, access)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->va = va;
		__entry->access = access;
	),
	TP_printk("gpu_id=%u pid=%d va=0x%llx access=%c%c%c", __entry->gpu_id,
		  __entry->pid, __entry->va, __entry->access & 1 ? 'r' : '-',
		  __entry->access & 2 ? 'w' : '-', __entry->access & 4 ? 'x' : '-')
);

TRACE_EVENT(vkfd_event,
	TP_PROTO(pid_t pid, u32 event_id, u32 type),
	TP_ARGS(pid, event_id, type),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__field(u32, event_id)
		__field(u32, type)
	),
	TP_fast_assign(
		__entry->pid = pid;
		__entry->event_id = event_id;
		__entry->type = type;
	),
	TP_printk("pid=%d event_id=0x%x type=%u", __entry->pid, __entry->event_id,
		  __entry->type)
);

/* The queues are off the GPU while @evictions is not 0 */
TRACE_EVENT(vkfd_eviction,
	TP_PROTO(u32 gpu_id, pid_t pid, unsigned int queues, unsigned int evictions),
	TP_ARGS(gpu_id, pid, queues, evictions),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(pid_t, pid)
		__field(unsigned int, queues)
		__field(unsigned int, evictions)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->queues = queues;
		__entry->evictions = evictions;
	),
	TP_printk("gpu_id=%u pid=%d queues=%u evictions=%u", __entry->gpu_id,
		  __entry->pid, __entry->queues, __entry->evictions)
);

#endif /* VKFD_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
