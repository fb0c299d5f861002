// SPDX-License-Identifier: MIT
/*
 * Sizes, offsets and command numbers of uapi/linux/kfd_ioctl.h against the figures of the real
 * ABI.  All checks happen when this is compiled; running it says how many there were.
 */
#include <stddef.h>
#include <stdio.h>

#include "linux/kfd_ioctl.h"

static int nr_checks;

#define SIZE(type, size)							\
	_Static_assert(sizeof(struct type) == (size), #type);			\
	__attribute__((constructor)) static void size_##type(void) { nr_checks++; }
#define OFFSET(type, field, off)						\
	_Static_assert(offsetof(struct type, field) == (off), #type "." #field);	\
	__attribute__((constructor)) static void off_##type##_##field(void) { nr_checks++; }
#define CMD(name, value)							\
	_Static_assert(AMDKFD_IOC_##name == (value##u), #name);			\
	__attribute__((constructor)) static void cmd_##name(void) { nr_checks++; }

CMD(GET_VERSION, 0x80084b01)
CMD(CREATE_QUEUE, 0xc0604b02)
CMD(DESTROY_QUEUE, 0xc0084b03)
CMD(SET_MEMORY_POLICY, 0x40204b04)
CMD(GET_CLOCK_COUNTERS, 0xc0284b05)
CMD(GET_PROCESS_APERTURES, 0x81904b06)
CMD(UPDATE_QUEUE, 0x40184b07)
CMD(CREATE_EVENT, 0xc0204b08)
CMD(DESTROY_EVENT, 0x40084b09)
CMD(SET_EVENT, 0x40084b0a)
CMD(RESET_EVENT, 0x40084b0b)
CMD(WAIT_EVENTS, 0xc0184b0c)
CMD(DBG_REGISTER_DEPRECATED, 0x40084b0d)
CMD(DBG_UNREGISTER_DEPRECATED, 0x40084b0e)
CMD(DBG_ADDRESS_WATCH_DEPRECATED, 0x40104b0f)
CMD(DBG_WAVE_CONTROL_DEPRECATED, 0x40104b10)
CMD(SET_SCRATCH_BACKING_VA, 0xc0104b11)
CMD(GET_TILE_CONFIG, 0xc0284b12)
CMD(SET_TRAP_HANDLER, 0x40184b13)
CMD(GET_PROCESS_APERTURES_NEW, 0xc0104b14)
CMD(ACQUIRE_VM, 0x40084b15)
CMD(ALLOC_MEMORY_OF_GPU, 0xc0284b16)
CMD(FREE_MEMORY_OF_GPU, 0x40084b17)
CMD(MAP_MEMORY_TO_GPU, 0xc0184b18)
CMD(UNMAP_MEMORY_FROM_GPU, 0xc0184b19)
CMD(SET_CU_MASK, 0x40104b1a)
CMD(GET_QUEUE_WAVE_STATE, 0xc0184b1b)
CMD(GET_DMABUF_INFO, 0xc0204b1c)
CMD(IMPORT_DMABUF, 0xc0184b1d)
CMD(ALLOC_QUEUE_GWS, 0xc0104b1e)
CMD(SMI_EVENTS, 0xc0084b1f)
CMD(SVM, 0xc0184b20)
CMD(SET_XNACK_MODE, 0xc0044b21)
CMD(CRIU_OP, 0xc0384b22)
CMD(AVAILABLE_MEMORY, 0xc0104b23)
CMD(EXPORT_DMABUF, 0xc0104b24)
CMD(RUNTIME_ENABLE, 0xc0104b25)
CMD(DBG_TRAP, 0xc0204b26)
CMD(CREATE_PROCESS, 0x00004b27)
CMD(PROFILER, 0xc0104b28)

OFFSET(kfd_ioctl_create_queue_args, doorbell_offset, 24)
OFFSET(kfd_ioctl_create_queue_args, ring_size, 32)
OFFSET(kfd_ioctl_create_queue_args, queue_id, 52)
OFFSET(kfd_ioctl_create_queue_args, eop_buffer_address, 56)
OFFSET(kfd_ioctl_create_queue_args, ctl_stack_size, 84)
OFFSET(kfd_ioctl_create_queue_args, sdma_engine_id, 88)
OFFSET(kfd_ioctl_update_queue_args, queue_priority, 20)
OFFSET(kfd_ioctl_create_event_args, event_slot_index, 28)
OFFSET(kfd_ioctl_wait_events_args, wait_result, 20)
OFFSET(kfd_ioctl_get_tile_config_args, num_ranks, 36)
OFFSET(kfd_ioctl_alloc_memory_of_gpu_args, mmap_offset, 24)
OFFSET(kfd_ioctl_alloc_memory_of_gpu_args, flags, 36)
OFFSET(kfd_ioctl_get_dmabuf_info_args, dmabuf_fd, 28)
OFFSET(kfd_ioctl_svm_args, attrs, 24)
OFFSET(kfd_ioctl_criu_args, op, 48)
OFFSET(kfd_ioctl_dbg_trap_args, enable, 8)
OFFSET(kfd_event_data, kfd_event_data_ext, 32)
OFFSET(kfd_event_data, event_id, 40)
OFFSET(kfd_hsa_memory_exception_data, va, 16)
OFFSET(kfd_hsa_memory_exception_data, ErrorType, 28)
OFFSET(kfd_process_device_apertures, gpu_id, 48)
OFFSET(kfd_context_save_area_header, err_payload_addr, 24)
OFFSET(kfd_context_save_area_header, err_event_id, 32)

SIZE(kfd_event_data, 48)
SIZE(kfd_process_device_apertures, 56)
SIZE(kfd_context_save_area_header, 40)
SIZE(kfd_queue_snapshot_entry, 64)
SIZE(kfd_dbg_device_info_entry, 128)
SIZE(kfd_runtime_info, 16)
SIZE(kfd_criu_bo_bucket, 48)
SIZE(kfd_criu_device_bucket, 16)
SIZE(kfd_ioctl_svm_attribute, 8)

int main(void)
{
	printf("TAP version 13\n1..1\n");
	printf("ok 1 kfd_ioctl.h: %d sizes, offsets and numbers checked by the compiler\n",
	       nr_checks);
	return 0;
}
