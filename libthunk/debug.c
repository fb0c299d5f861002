// SPDX-License-Identifier: MIT
/*
 * Runtime registration and the debugger's calls; the kernel decides what it supports.
 *
 * The per-node calls of the first debugger (register, wave control, address watch) are refused
 * by every kernel since 6.1, so they are refused here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "thunk.h"
#include "topology.h"

#define DEBUG_MINOR	13	/* of the KFD interface */

static bool have_debugger(void)
{
	return thunk.version.KernelInterfaceMinorVersion >= DEBUG_MINOR;
}

static HSAKMT_STATUS debug_status(int err)
{
	switch (-err) {
	case EBUSY:
	case EALREADY:
		return HSAKMT_STATUS_UNAVAILABLE;
	case EINVAL:
		return HSAKMT_STATUS_INVALID_PARAMETER;
	default:
		return thunk_status(err);
	}
}

THUNK_API HSAKMT_STATUS hsaKmtRuntimeEnable(void *rDebug, bool setupTtmp)
{
	struct kfd_ioctl_runtime_enable_args args = {
		.r_debug = (uintptr_t)rDebug,
		.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK |
			     (setupTtmp ? KFD_RUNTIME_ENABLE_MODE_TTMP_SAVE_MASK : 0),
	};

	THUNK_CHECK_OPEN();
	if (!have_debugger())
		return HSAKMT_STATUS_NOT_SUPPORTED;
	return debug_status(thunk_ioctl(AMDKFD_IOC_RUNTIME_ENABLE, &args));
}

THUNK_API HSAKMT_STATUS hsaKmtRuntimeDisable(void)
{
	struct kfd_ioctl_runtime_enable_args args = { 0 };

	THUNK_CHECK_OPEN();
	if (!have_debugger())
		return HSAKMT_STATUS_NOT_SUPPORTED;
	return debug_status(thunk_ioctl(AMDKFD_IOC_RUNTIME_ENABLE, &args));
}

THUNK_API HSAKMT_STATUS hsaKmtGetRuntimeCapabilities(HSAuint32 *caps_mask)
{
	THUNK_CHECK_OPEN();
	if (!caps_mask)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	*caps_mask = 0;
	return HSAKMT_STATUS_SUCCESS;
}

/* Whether the kernel and every GPU of the snapshot can report exceptions to the runtime. */
THUNK_API HSAKMT_STATUS hsaKmtCheckRuntimeDebugSupport(void)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;

	THUNK_CHECK_OPEN();
	if (!have_debugger())
		return HSAKMT_STATUS_NOT_SUPPORTED;
	pthread_mutex_lock(&thunk.lock);
	for (uint32_t i = 0; thunk.topo && i < thunk.topo->nr_nodes; i++) {
		const struct topo_node *nd = &thunk.topo->nodes[i];

		if (nd->gpu_id && !nd->props.Capability.ui32.DebugSupportedFirmware)
			status = HSAKMT_STATUS_NOT_SUPPORTED;
	}
	pthread_mutex_unlock(&thunk.lock);
	return status;
}

/* The version of the out-of-tree debugger call (0x82), which upstream kernels never had. */
THUNK_API HSAKMT_STATUS hsaKmtGetKernelDebugTrapVersionInfo(HSAuint32 *Major, HSAuint32 *Minor)
{
	THUNK_CHECK_OPEN();
	if (!Major || !Minor)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	return HSAKMT_STATUS_NOT_SUPPORTED;
}

THUNK_API HSAKMT_STATUS hsaKmtDebugTrapIoctl(struct kfd_ioctl_dbg_trap_args *arg,
					     HSA_QUEUEID *Queues, HSAuint64 *DebugReturn)
{
	int err;

	THUNK_CHECK_OPEN();
	if (!arg)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (Queues && arg->op == KFD_IOC_DBG_TRAP_SUSPEND_QUEUES)
		arg->suspend_queues.queue_array_ptr = (uintptr_t)Queues;
	if (Queues && arg->op == KFD_IOC_DBG_TRAP_RESUME_QUEUES)
		arg->resume_queues.queue_array_ptr = (uintptr_t)Queues;
	err = thunk_ioctl(AMDKFD_IOC_DBG_TRAP, arg);
	if (DebugReturn)
		*DebugReturn = err;
	return err ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

static int debug_self(struct kfd_ioctl_dbg_trap_args *args, uint32_t op)
{
	args->pid = getpid();
	args->op = op;
	return thunk_ioctl(AMDKFD_IOC_DBG_TRAP, args);
}

THUNK_API HSAKMT_STATUS hsaKmtDbgEnable(void **runtime_info, HSAuint32 *data_size)
{
	struct kfd_ioctl_dbg_trap_args args = { 0 };
	struct kfd_runtime_info *info;
	int fd, err;

	THUNK_CHECK_OPEN();
	if (!runtime_info || !data_size)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	info = calloc(1, sizeof(*info));
	if (!info)
		return HSAKMT_STATUS_NO_MEMORY;
	fd = memfd_create("kfd-debug", MFD_CLOEXEC);
	if (fd < 0) {
		free(info);
		return HSAKMT_STATUS_NO_MEMORY;
	}
	args.enable.rinfo_ptr = (uintptr_t)info;
	args.enable.rinfo_size = sizeof(*info);
	args.enable.dbg_fd = fd;
	err = debug_self(&args, KFD_IOC_DBG_TRAP_ENABLE);
	close(fd);
	if (err) {
		free(info);
		return debug_status(err);
	}
	*runtime_info = info;
	*data_size = args.enable.rinfo_size;
	return HSAKMT_STATUS_SUCCESS;
}

THUNK_API HSAKMT_STATUS hsaKmtDbgDisable(void)
{
	struct kfd_ioctl_dbg_trap_args args = { 0 };

	THUNK_CHECK_OPEN();
	return debug_status(debug_self(&args, KFD_IOC_DBG_TRAP_DISABLE));
}

/* Ask for the number, then for the entries; the caller frees them. */
static HSAKMT_STATUS snapshot(uint32_t op, uint32_t entry, void **data, uint32_t *n,
			      uint32_t *entry_size)
{
	struct kfd_ioctl_dbg_trap_args args = { 0 };
	void *buf;
	int err;

	args.device_snapshot.entry_size = entry;
	err = debug_self(&args, op);
	if (err)
		return debug_status(err);
	*n = args.device_snapshot.num_devices;
	buf = calloc(*n ? *n : 1, entry);
	if (!buf)
		return HSAKMT_STATUS_NO_MEMORY;
	args.device_snapshot.entry_size = entry;
	args.device_snapshot.snapshot_buf_ptr = (uintptr_t)buf;
	err = debug_self(&args, op);
	if (err) {
		free(buf);
		return debug_status(err);
	}
	*n = args.device_snapshot.num_devices;
	*entry_size = args.device_snapshot.entry_size;
	*data = buf;
	return HSAKMT_STATUS_SUCCESS;
}

/* One union member serves both snapshots: they must agree. */
_Static_assert(sizeof(struct kfd_ioctl_dbg_trap_queue_snapshot_args) ==
	       sizeof(struct kfd_ioctl_dbg_trap_device_snapshot_args), "snapshot arguments differ");

THUNK_API HSAKMT_STATUS hsaKmtDbgGetDeviceData(void **data, HSAuint32 *n_entries,
					       HSAuint32 *entry_size)
{
	THUNK_CHECK_OPEN();
	if (!data || !n_entries || !entry_size)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	return snapshot(KFD_IOC_DBG_TRAP_GET_DEVICE_SNAPSHOT,
			sizeof(struct kfd_dbg_device_info_entry), data, n_entries, entry_size);
}

static HSAKMT_STATUS suspend_all(const struct kfd_queue_snapshot_entry *q, uint32_t n)
{
	struct kfd_ioctl_dbg_trap_args args = { 0 };
	uint32_t *ids = calloc(n ? n : 1, sizeof(*ids));
	int r;

	if (!ids)
		return HSAKMT_STATUS_NO_MEMORY;
	for (uint32_t i = 0; i < n; i++)
		ids[i] = q[i].queue_id;
	args.suspend_queues.queue_array_ptr = (uintptr_t)ids;
	args.suspend_queues.num_queues = n;
	r = debug_self(&args, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES);
	free(ids);
	return r < 0 ? debug_status(r) : HSAKMT_STATUS_SUCCESS;
}

THUNK_API HSAKMT_STATUS hsaKmtDbgGetQueueData(void **data, HSAuint32 *n_entries,
					      HSAuint32 *entry_size, bool suspend_queues)
{
	HSAKMT_STATUS status;

	THUNK_CHECK_OPEN();
	if (!data || !n_entries || !entry_size)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = snapshot(KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT,
			  sizeof(struct kfd_queue_snapshot_entry), data, n_entries, entry_size);
	if (status != HSAKMT_STATUS_SUCCESS || !suspend_queues || !*n_entries)
		return status;
	status = suspend_all(*data, *n_entries);
	if (status != HSAKMT_STATUS_SUCCESS) {
		free(*data);
		*data = NULL;
	}
	return status;
}

static HSAKMT_STATUS old_debugger(uint32_t node)
{
	struct thunk_gpu *gpu;
	HSAKMT_STATUS status;

	THUNK_CHECK_OPEN();
	status = thunk_gpu_required(node, &gpu);
	return status == HSAKMT_STATUS_SUCCESS ? HSAKMT_STATUS_NOT_SUPPORTED : status;
}

THUNK_API HSAKMT_STATUS hsaKmtDbgRegister(HSAuint32 NodeId)
{
	return old_debugger(NodeId);
}

THUNK_API HSAKMT_STATUS hsaKmtDbgUnregister(HSAuint32 NodeId)
{
	return old_debugger(NodeId);
}

THUNK_API HSAKMT_STATUS hsaKmtDbgWavefrontControl(HSAuint32 NodeId, HSA_DBG_WAVEOP Operand,
						  HSA_DBG_WAVEMODE Mode, HSAuint32 TrapId,
						  HsaDbgWaveMessage *DbgWaveMsgRing)
{
	(void)Operand;
	(void)Mode;
	(void)TrapId;
	(void)DbgWaveMsgRing;
	return old_debugger(NodeId);
}

THUNK_API HSAKMT_STATUS hsaKmtDbgAddressWatch(HSAuint32 NodeId, HSAuint32 NumWatchPoints,
					      HSA_DBG_WATCH_MODE WatchMode[],
					      void *WatchAddress[], HSAuint64 WatchMask[],
					      HsaEvent *WatchEvent[])
{
	(void)NumWatchPoints;
	(void)WatchMode;
	(void)WatchAddress;
	(void)WatchMask;
	(void)WatchEvent;
	return old_debugger(NodeId);
}
