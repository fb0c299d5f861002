// SPDX-License-Identifier: MIT
/* Clocks, and the small per-GPU settings: tile configuration, trap handler, SMI events. */
#include "thunk.h"

THUNK_API HSAKMT_STATUS hsaKmtGetClockCounters(HSAuint32 NodeId, HsaClockCounters *Counters)
{
	struct kfd_ioctl_get_clock_counters_args args = { 0 };
	struct thunk_gpu *gpu;
	int err;

	THUNK_CHECK_OPEN();
	if (!Counters)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (thunk_gpu_by_node(NodeId, &gpu))
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	args.gpu_id = gpu ? gpu->gpu_id : 0;
	err = thunk_ioctl(AMDKFD_IOC_GET_CLOCK_COUNTERS, &args);
	if (err)
		return thunk_status(err);
	Counters->GPUClockCounter = args.gpu_clock_counter;
	Counters->CPUClockCounter = args.cpu_clock_counter;
	Counters->SystemClockCounter = args.system_clock_counter;
	Counters->SystemClockFrequencyHz = args.system_clock_freq;
	return HSAKMT_STATUS_SUCCESS;
}

THUNK_API HSAKMT_STATUS hsaKmtGetTileConfig(HSAuint32 NodeId, HsaGpuTileConfig *config)
{
	struct kfd_ioctl_get_tile_config_args args = { 0 };
	HSAKMT_STATUS status;
	struct thunk_gpu *gpu;

	THUNK_CHECK_OPEN();
	if (!config)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = thunk_gpu_required(NodeId, &gpu);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	args.gpu_id = gpu->gpu_id;
	args.tile_config_ptr = (uintptr_t)config->TileConfig;
	args.macro_tile_config_ptr = (uintptr_t)config->MacroTileConfig;
	args.num_tile_configs = config->NumTileConfigs;
	args.num_macro_tile_configs = config->NumMacroTileConfigs;
	if (thunk_ioctl(AMDKFD_IOC_GET_TILE_CONFIG, &args))
		return HSAKMT_STATUS_ERROR;
	config->NumTileConfigs = args.num_tile_configs;
	config->NumMacroTileConfigs = args.num_macro_tile_configs;
	config->GbAddrConfig = args.gb_addr_config;
	config->NumBanks = args.num_banks;
	config->NumRanks = args.num_ranks;
	return HSAKMT_STATUS_SUCCESS;
}

THUNK_API HSAKMT_STATUS hsaKmtSetTrapHandler(HSAuint32 NodeId, void *TrapHandlerBaseAddress,
					     HSAuint64 TrapHandlerSizeInBytes,
					     void *TrapBufferBaseAddress,
					     HSAuint64 TrapBufferSizeInBytes)
{
	struct kfd_ioctl_set_trap_handler_args args = { 0 };
	HSAKMT_STATUS status;
	struct thunk_gpu *gpu;

	(void)TrapHandlerSizeInBytes;
	(void)TrapBufferSizeInBytes;
	THUNK_CHECK_OPEN();
	status = thunk_gpu_required(NodeId, &gpu);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	args.gpu_id = gpu->gpu_id;
	args.tba_addr = (uintptr_t)TrapHandlerBaseAddress;
	args.tma_addr = (uintptr_t)TrapBufferBaseAddress;
	return thunk_ioctl(AMDKFD_IOC_SET_TRAP_HANDLER, &args) ? HSAKMT_STATUS_ERROR :
								 HSAKMT_STATUS_SUCCESS;
}

THUNK_API HSAKMT_STATUS hsaKmtOpenSMI(HSAuint32 NodeId, int *fd)
{
	struct kfd_ioctl_smi_events_args args = { 0 };
	HSAKMT_STATUS status;
	struct thunk_gpu *gpu;
	int err;

	THUNK_CHECK_OPEN();
	if (!fd)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = thunk_gpu_required(NodeId, &gpu);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	args.gpuid = gpu->gpu_id;
	err = thunk_ioctl(AMDKFD_IOC_SMI_EVENTS, &args);
	if (err)
		return thunk_status(err);
	*fd = args.anon_fd;
	return HSAKMT_STATUS_SUCCESS;
}
