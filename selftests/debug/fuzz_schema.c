// SPDX-License-Identifier: MIT
/* The ioctls as the fuzzer knows them: from the uapi headers and kfd/ioctls.def. */
#include <string.h>

#include "../../uapi/drm/amdgpu_drm.h"
#include "../../uapi/linux/kfd_ioctl.h"
#include "fuzz.h"

#define FIELD(_type, _field, _kind, ...) \
	{ offsetof(struct _type, _field), sizeof(((struct _type *)0)->_field), FZ_##_kind, \
	  __VA_ARGS__ }
#define KFD(_name, _weight, ...) \
	{ .name = #_name, .cmd = AMDKFD_IOC_##_name, .weight = _weight, __VA_ARGS__ }
#define IN(...)		.in = { __VA_ARGS__ }
#define OUT(_type, _field, _kind) \
	.out = { offsetof(struct _type, _field), sizeof(((struct _type *)0)->_field), FZ_##_kind, 0 }

#define MEM_FLAGS	0xff80001full

static const struct fuzz_call kfd_calls[] = {
	KFD(CREATE_QUEUE, 12, IN(
		FIELD(kfd_ioctl_create_queue_args, ring_base_address, RING, 0),
		FIELD(kfd_ioctl_create_queue_args, write_pointer_address, INDEX, 0),
		FIELD(kfd_ioctl_create_queue_args, read_pointer_address, INDEX, 0),
		FIELD(kfd_ioctl_create_queue_args, ring_size, RING_BYTES, 0),
		FIELD(kfd_ioctl_create_queue_args, gpu_id, GPU, 0),
		FIELD(kfd_ioctl_create_queue_args, queue_type, ENUM, 4),
		FIELD(kfd_ioctl_create_queue_args, queue_percentage, ENUM, 100),
		FIELD(kfd_ioctl_create_queue_args, queue_priority, ENUM, 15),
		FIELD(kfd_ioctl_create_queue_args, eop_buffer_address, EOP, 0),
		FIELD(kfd_ioctl_create_queue_args, eop_buffer_size, EOP_BYTES, 0),
		FIELD(kfd_ioctl_create_queue_args, ctx_save_restore_address, AREA, 0),
		FIELD(kfd_ioctl_create_queue_args, ctx_save_restore_size, AREA_BYTES, 0),
		FIELD(kfd_ioctl_create_queue_args, ctl_stack_size, STACK_BYTES, 0),
		FIELD(kfd_ioctl_create_queue_args, sdma_engine_id, ENUM, 6)),
	    OUT(kfd_ioctl_create_queue_args, queue_id, QUEUE)),
	KFD(DESTROY_QUEUE, 4, IN(FIELD(kfd_ioctl_destroy_queue_args, queue_id, QUEUE, 0))),
	KFD(UPDATE_QUEUE, 4, IN(
		FIELD(kfd_ioctl_update_queue_args, ring_base_address, RING, 0),
		FIELD(kfd_ioctl_update_queue_args, queue_id, QUEUE, 0),
		FIELD(kfd_ioctl_update_queue_args, ring_size, RING_BYTES, 0),
		FIELD(kfd_ioctl_update_queue_args, queue_percentage, ENUM, 100),
		FIELD(kfd_ioctl_update_queue_args, queue_priority, ENUM, 15))),
	KFD(SET_CU_MASK, 2, IN(
		FIELD(kfd_ioctl_set_cu_mask_args, queue_id, QUEUE, 0),
		FIELD(kfd_ioctl_set_cu_mask_args, num_cu_mask, BITS, 0xffffffe0),
		FIELD(kfd_ioctl_set_cu_mask_args, cu_mask_ptr, MEM, 0))),
	KFD(GET_QUEUE_WAVE_STATE, 2, IN(
		FIELD(kfd_ioctl_get_queue_wave_state_args, ctl_stack_address, AREA, 0),
		FIELD(kfd_ioctl_get_queue_wave_state_args, queue_id, QUEUE, 0))),
	KFD(ALLOC_QUEUE_GWS, 2, IN(
		FIELD(kfd_ioctl_alloc_queue_gws_args, queue_id, QUEUE, 0),
		FIELD(kfd_ioctl_alloc_queue_gws_args, num_gws, SMALL, 0))),
	KFD(SET_MEMORY_POLICY, 1, IN(
		FIELD(kfd_ioctl_set_memory_policy_args, alternate_aperture_base, VA, 0),
		FIELD(kfd_ioctl_set_memory_policy_args, alternate_aperture_size, SIZE, 0),
		FIELD(kfd_ioctl_set_memory_policy_args, gpu_id, GPU, 0),
		FIELD(kfd_ioctl_set_memory_policy_args, default_policy, ENUM, 1),
		FIELD(kfd_ioctl_set_memory_policy_args, alternate_policy, ENUM, 1))),
	KFD(GET_CLOCK_COUNTERS, 1, IN(FIELD(kfd_ioctl_get_clock_counters_args, gpu_id, GPU, 0))),
	KFD(GET_PROCESS_APERTURES_NEW, 1, IN(
		FIELD(kfd_ioctl_get_process_apertures_new_args, kfd_process_device_apertures_ptr, MEM, 0),
		FIELD(kfd_ioctl_get_process_apertures_new_args, num_of_nodes, SMALL, 0))),
	KFD(CREATE_EVENT, 4, IN(
		FIELD(kfd_ioctl_create_event_args, event_page_offset, PAGE, 0),
		FIELD(kfd_ioctl_create_event_args, event_type, ENUM, 8),
		FIELD(kfd_ioctl_create_event_args, auto_reset, ENUM, 1),
		FIELD(kfd_ioctl_create_event_args, node_id, SMALL, 0)),
	    OUT(kfd_ioctl_create_event_args, event_id, EVENT)),
	KFD(DESTROY_EVENT, 2, IN(FIELD(kfd_ioctl_destroy_event_args, event_id, EVENT, 0))),
	KFD(SET_EVENT, 2, IN(FIELD(kfd_ioctl_set_event_args, event_id, EVENT, 0))),
	KFD(RESET_EVENT, 1, IN(FIELD(kfd_ioctl_reset_event_args, event_id, EVENT, 0))),
	KFD(WAIT_EVENTS, 3, IN(
		FIELD(kfd_ioctl_wait_events_args, events_ptr, MEM, 0),
		FIELD(kfd_ioctl_wait_events_args, num_events, SMALL, 0),
		FIELD(kfd_ioctl_wait_events_args, wait_for_all, ENUM, 1),
		FIELD(kfd_ioctl_wait_events_args, timeout, ENUM, 20))),
	KFD(SET_SCRATCH_BACKING_VA, 1, IN(
		FIELD(kfd_ioctl_set_scratch_backing_va_args, va_addr, VA, 0),
		FIELD(kfd_ioctl_set_scratch_backing_va_args, gpu_id, GPU, 0))),
	KFD(GET_TILE_CONFIG, 1, IN(
		FIELD(kfd_ioctl_get_tile_config_args, tile_config_ptr, MEM, 0),
		FIELD(kfd_ioctl_get_tile_config_args, macro_tile_config_ptr, MEM, 0),
		FIELD(kfd_ioctl_get_tile_config_args, num_tile_configs, SMALL, 0),
		FIELD(kfd_ioctl_get_tile_config_args, num_macro_tile_configs, SMALL, 0),
		FIELD(kfd_ioctl_get_tile_config_args, gpu_id, GPU, 0))),
	KFD(SET_TRAP_HANDLER, 2, IN(
		FIELD(kfd_ioctl_set_trap_handler_args, tba_addr, VA, 0),
		FIELD(kfd_ioctl_set_trap_handler_args, tma_addr, VA, 0),
		FIELD(kfd_ioctl_set_trap_handler_args, gpu_id, GPU, 0))),
	KFD(ACQUIRE_VM, 3, IN(
		FIELD(kfd_ioctl_acquire_vm_args, drm_fd, DRM, 0),
		FIELD(kfd_ioctl_acquire_vm_args, gpu_id, GPU, 0))),
	KFD(ALLOC_MEMORY_OF_GPU, 12, IN(
		FIELD(kfd_ioctl_alloc_memory_of_gpu_args, va_addr, VA, 0),
		FIELD(kfd_ioctl_alloc_memory_of_gpu_args, size, SIZE, 0),
		FIELD(kfd_ioctl_alloc_memory_of_gpu_args, mmap_offset, VA, 0),
		FIELD(kfd_ioctl_alloc_memory_of_gpu_args, gpu_id, GPU, 0),
		FIELD(kfd_ioctl_alloc_memory_of_gpu_args, flags, BITS, MEM_FLAGS)),
	    OUT(kfd_ioctl_alloc_memory_of_gpu_args, handle, HANDLE)),
	KFD(FREE_MEMORY_OF_GPU, 5, IN(FIELD(kfd_ioctl_free_memory_of_gpu_args, handle, HANDLE, 0))),
	KFD(MAP_MEMORY_TO_GPU, 10, IN(
		FIELD(kfd_ioctl_map_memory_to_gpu_args, handle, HANDLE, 0),
		FIELD(kfd_ioctl_map_memory_to_gpu_args, device_ids_array_ptr, MEM, 0),
		FIELD(kfd_ioctl_map_memory_to_gpu_args, n_devices, ENUM, 2),
		FIELD(kfd_ioctl_map_memory_to_gpu_args, n_success, ENUM, 1))),
	KFD(UNMAP_MEMORY_FROM_GPU, 5, IN(
		FIELD(kfd_ioctl_unmap_memory_from_gpu_args, handle, HANDLE, 0),
		FIELD(kfd_ioctl_unmap_memory_from_gpu_args, device_ids_array_ptr, MEM, 0),
		FIELD(kfd_ioctl_unmap_memory_from_gpu_args, n_devices, ENUM, 2),
		FIELD(kfd_ioctl_unmap_memory_from_gpu_args, n_success, ENUM, 1))),
	KFD(GET_DMABUF_INFO, 2, IN(
		FIELD(kfd_ioctl_get_dmabuf_info_args, metadata_ptr, MEM, 0),
		FIELD(kfd_ioctl_get_dmabuf_info_args, metadata_size, SMALL, 0),
		FIELD(kfd_ioctl_get_dmabuf_info_args, dmabuf_fd, BUF, 0))),
	KFD(IMPORT_DMABUF, 4, IN(
		FIELD(kfd_ioctl_import_dmabuf_args, va_addr, VA, 0),
		FIELD(kfd_ioctl_import_dmabuf_args, gpu_id, GPU, 0),
		FIELD(kfd_ioctl_import_dmabuf_args, dmabuf_fd, BUF, 0)),
	    OUT(kfd_ioctl_import_dmabuf_args, handle, HANDLE)),
	KFD(EXPORT_DMABUF, 4, IN(
		FIELD(kfd_ioctl_export_dmabuf_args, handle, HANDLE, 0),
		FIELD(kfd_ioctl_export_dmabuf_args, flags, BITS, 02000002)),
	    OUT(kfd_ioctl_export_dmabuf_args, dmabuf_fd, BUF)),
	KFD(SMI_EVENTS, 2, IN(FIELD(kfd_ioctl_smi_events_args, gpuid, GPU, 0)),
	    OUT(kfd_ioctl_smi_events_args, anon_fd, BUF)),
	KFD(AVAILABLE_MEMORY, 1, IN(FIELD(kfd_ioctl_get_available_memory_args, gpu_id, GPU, 0))),
	KFD(SET_XNACK_MODE, 1, IN(FIELD(kfd_ioctl_set_xnack_mode_args, xnack_enabled, ENUM, 1))),
	/* With room for eight attributes: the size is part of the number */
	{ .name = "SVM", .weight = 6,
	  .cmd = _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20, sizeof(struct kfd_ioctl_svm_args) + 64),
	  IN(FIELD(kfd_ioctl_svm_args, start_addr, VA, 0), FIELD(kfd_ioctl_svm_args, size, SIZE, 0),
	     FIELD(kfd_ioctl_svm_args, op, ENUM, 1), FIELD(kfd_ioctl_svm_args, nattr, ENUM, 8),
	     { 24, 4, FZ_ENUM, 7 }, { 28, 4, FZ_GPU, 0 }, { 32, 4, FZ_ENUM, 7 },
	     { 36, 4, FZ_ENUM, 0xff }, { 40, 4, FZ_ENUM, 7 }, { 44, 4, FZ_GPU, 0 },
	     { 48, 4, FZ_ENUM, 7 }, { 52, 4, FZ_ENUM, 0x3f }) },
	KFD(RUNTIME_ENABLE, 3, IN(
		FIELD(kfd_ioctl_runtime_enable_args, r_debug, MEM, 0),
		FIELD(kfd_ioctl_runtime_enable_args, mode_mask, ENUM, 3))),
	KFD(PROFILER, 1, IN(FIELD(kfd_ioctl_profiler_args, op, ENUM, 4),
			    FIELD(kfd_ioctl_profiler_args, pmc, ANY, 0))),
	{ .name = "DBG_TRAP", .weight = 4, .cmd = _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x26, 32),
	  IN({ 0, 4, FZ_SMALL, 0 }, { 4, 4, FZ_ENUM, 14 }, { 8, 8, FZ_ANY, 0 },
	     { 16, 8, FZ_MEM, 0 }, { 24, 4, FZ_SMALL, 0 }, { 28, 4, FZ_SMALL, 0 }) },
};

#define DRM(_name, _weight, ...) \
	{ .name = #_name, .cmd = DRM_IOCTL_##_name, .drm = true, .weight = _weight, __VA_ARGS__ }

static const struct fuzz_call drm_calls[] = {
	DRM(AMDGPU_GEM_CREATE, 6, IN(
		FIELD(drm_amdgpu_gem_create_in, bo_size, SIZE, 0),
		FIELD(drm_amdgpu_gem_create_in, alignment, SIZE, 0),
		FIELD(drm_amdgpu_gem_create_in, domains, BITS, 0x47),
		FIELD(drm_amdgpu_gem_create_in, domain_flags, BITS, 0x16ef)),
	    OUT(drm_amdgpu_gem_create_out, handle, GEM)),
	DRM(AMDGPU_GEM_MMAP, 2, IN(FIELD(drm_amdgpu_gem_mmap_in, handle, GEM, 0))),
	DRM(AMDGPU_CTX, 2, IN(
		FIELD(drm_amdgpu_ctx_in, op, ENUM, 6), FIELD(drm_amdgpu_ctx_in, ctx_id, CTX, 0),
		FIELD(drm_amdgpu_ctx_in, priority, ENUM, 0)),
	    .out = { 0, 4, FZ_CTX, 0 }),
	DRM(AMDGPU_INFO, 3, IN(
		FIELD(drm_amdgpu_info, return_pointer, MEM, 0),
		FIELD(drm_amdgpu_info, return_size, SIZE, 0),
		FIELD(drm_amdgpu_info, query, ENUM, 0x22), { 16, 4, FZ_SMALL, 0 }, { 20, 4, FZ_SMALL, 0 },
		{ 24, 4, FZ_SMALL, 0 })),
	DRM(AMDGPU_GEM_METADATA, 2, IN(
		FIELD(drm_amdgpu_gem_metadata, handle, GEM, 0),
		FIELD(drm_amdgpu_gem_metadata, op, ENUM, 3),
		FIELD(drm_amdgpu_gem_metadata, data.data_size_bytes, ENUM, 300))),
	DRM(AMDGPU_GEM_WAIT_IDLE, 1, IN(FIELD(drm_amdgpu_gem_wait_idle_in, handle, GEM, 0))),
	DRM(AMDGPU_GEM_VA, 10, IN(
		FIELD(drm_amdgpu_gem_va, handle, GEM, 0), FIELD(drm_amdgpu_gem_va, operation, ENUM, 4),
		FIELD(drm_amdgpu_gem_va, flags, BITS, 0xf), FIELD(drm_amdgpu_gem_va, va_address, VA, 0),
		FIELD(drm_amdgpu_gem_va, offset_in_bo, SIZE, 0),
		FIELD(drm_amdgpu_gem_va, map_size, SIZE, 0),
		FIELD(drm_amdgpu_gem_va, vm_timeline_point, SMALL, 0),
		FIELD(drm_amdgpu_gem_va, vm_timeline_syncobj_out, ENUM, 3),
		FIELD(drm_amdgpu_gem_va, num_syncobj_handles, ENUM, 3),
		FIELD(drm_amdgpu_gem_va, input_fence_syncobj_handles, MEM, 0))),
	DRM(AMDGPU_GEM_USERPTR, 4, IN(
		FIELD(drm_amdgpu_gem_userptr, addr, MEM, 0), FIELD(drm_amdgpu_gem_userptr, size, SIZE, 0),
		FIELD(drm_amdgpu_gem_userptr, flags, BITS, 0x1f)),
	    OUT(drm_amdgpu_gem_userptr, handle, GEM)),
	DRM(AMDGPU_VM, 1, IN(
		FIELD(drm_amdgpu_vm_in, op, ENUM, 3), FIELD(drm_amdgpu_vm_in, flags, BITS, 1))),
	DRM(AMDGPU_GEM_OP, 2, IN(
		FIELD(drm_amdgpu_gem_op, handle, GEM, 0), FIELD(drm_amdgpu_gem_op, op, ENUM, 2),
		FIELD(drm_amdgpu_gem_op, value, MEM, 0))),
	DRM(AMDGPU_BO_LIST, 3, IN(
		FIELD(drm_amdgpu_bo_list_in, operation, ENUM, 3),
		FIELD(drm_amdgpu_bo_list_in, list_handle, LIST, 0),
		FIELD(drm_amdgpu_bo_list_in, bo_number, SMALL, 0),
		FIELD(drm_amdgpu_bo_list_in, bo_info_size, SMALL, 0),
		FIELD(drm_amdgpu_bo_list_in, bo_info_ptr, MEM, 0)),
	    .out = { 0, 4, FZ_LIST, 0 }),
	/* Chunks by chance are none; fuzz_op_job() knows what they are */
	DRM(AMDGPU_CS, 2, IN(
		FIELD(drm_amdgpu_cs_in, ctx_id, CTX, 0), FIELD(drm_amdgpu_cs_in, bo_list_handle, LIST, 0),
		FIELD(drm_amdgpu_cs_in, num_chunks, ENUM, 3), FIELD(drm_amdgpu_cs_in, chunks, MEM, 0))),
	DRM(AMDGPU_WAIT_CS, 2, IN(
		FIELD(drm_amdgpu_wait_cs_in, handle, SMALL, 0),
		FIELD(drm_amdgpu_wait_cs_in, ip_type, ENUM, 3),
		FIELD(drm_amdgpu_wait_cs_in, ring, ENUM, 2), FIELD(drm_amdgpu_wait_cs_in, ctx_id, CTX, 0))),
	DRM(AMDGPU_WAIT_FENCES, 1, IN(
		FIELD(drm_amdgpu_wait_fences_in, fences, MEM, 0),
		FIELD(drm_amdgpu_wait_fences_in, fence_count, ENUM, 4),
		FIELD(drm_amdgpu_wait_fences_in, wait_all, ENUM, 2))),
	DRM(AMDGPU_FENCE_TO_HANDLE, 1, IN(
		FIELD(drm_amdgpu_fence, ctx_id, CTX, 0), FIELD(drm_amdgpu_fence, ip_type, ENUM, 3),
		FIELD(drm_amdgpu_fence, ring, ENUM, 4), FIELD(drm_amdgpu_fence, seq_no, SMALL, 0))),
	DRM(AMDGPU_USERQ, 6, IN(
		FIELD(drm_amdgpu_userq_in, op, ENUM, 3), FIELD(drm_amdgpu_userq_in, queue_id, SMALL, 0),
		FIELD(drm_amdgpu_userq_in, ip_type, ENUM, 2),
		FIELD(drm_amdgpu_userq_in, doorbell_handle, GEM, 0),
		FIELD(drm_amdgpu_userq_in, doorbell_offset, SMALL, 0),
		FIELD(drm_amdgpu_userq_in, flags, BITS, 7), FIELD(drm_amdgpu_userq_in, queue_va, VA, 0),
		FIELD(drm_amdgpu_userq_in, queue_size, RING_BYTES, 0),
		FIELD(drm_amdgpu_userq_in, rptr_va, VA, 0), FIELD(drm_amdgpu_userq_in, wptr_va, VA, 0),
		FIELD(drm_amdgpu_userq_in, mqd, MEM, 0), FIELD(drm_amdgpu_userq_in, mqd_size, ENUM, 8))),
	DRM(AMDGPU_USERQ_SIGNAL, 3, IN(
		FIELD(drm_amdgpu_userq_signal, queue_id, ENUM, 3),
		FIELD(drm_amdgpu_userq_signal, syncobj_handles, MEM, 0),
		FIELD(drm_amdgpu_userq_signal, num_syncobj_handles, ENUM, 2),
		FIELD(drm_amdgpu_userq_signal, bo_read_handles, MEM, 0),
		FIELD(drm_amdgpu_userq_signal, bo_write_handles, MEM, 0),
		FIELD(drm_amdgpu_userq_signal, num_bo_read_handles, ENUM, 2),
		FIELD(drm_amdgpu_userq_signal, num_bo_write_handles, ENUM, 2))),
	DRM(AMDGPU_USERQ_WAIT, 3, IN(
		FIELD(drm_amdgpu_userq_wait, waitq_id, ENUM, 3),
		FIELD(drm_amdgpu_userq_wait, bo_read_handles, MEM, 0),
		FIELD(drm_amdgpu_userq_wait, bo_write_handles, MEM, 0),
		FIELD(drm_amdgpu_userq_wait, num_fences, ENUM, 3),
		FIELD(drm_amdgpu_userq_wait, num_bo_read_handles, ENUM, 2),
		FIELD(drm_amdgpu_userq_wait, num_bo_write_handles, ENUM, 2),
		FIELD(drm_amdgpu_userq_wait, out_fences, MEM, 0))),
	DRM(GEM_CLOSE, 3, IN(FIELD(drm_gem_close, handle, GEM, 0))),
	DRM(PRIME_HANDLE_TO_FD, 4, IN(
		FIELD(drm_prime_handle, handle, GEM, 0), FIELD(drm_prime_handle, flags, BITS, 02000002)),
	    OUT(drm_prime_handle, fd, BUF)),
	DRM(PRIME_FD_TO_HANDLE, 4, IN(FIELD(drm_prime_handle, fd, BUF, 0)),
	    OUT(drm_prime_handle, handle, GEM)),
};

/* The driver's lists, so that nothing of them is forgotten. */
#define VKFD_IOCTL(_name, _nr, _bytes, _fn) { .name = #_name, .weight = 1, .cmd = AMDKFD_IOC_##_name },
#define VKFD_IOCTL_VAR	VKFD_IOCTL
#define VKFD_IOCTL_FILE	VKFD_IOCTL
#define VKFD_IOCTL_CRIU	VKFD_IOCTL
#define VDRM_IOCTL(_name, _fn) \
	{ .name = #_name, .weight = 1, .cmd = DRM_IOCTL_AMDGPU_##_name, .drm = true },
#define VDRM_IOCTL_MASTER	VDRM_IOCTL
static const struct fuzz_call driver_calls[] = {
#include "../../kmod/kfd/ioctls.def"
#include "../../kmod/drm/ioctls.def"
};
#undef VKFD_IOCTL
#undef VKFD_IOCTL_VAR
#undef VKFD_IOCTL_FILE
#undef VKFD_IOCTL_CRIU
#undef VDRM_IOCTL
#undef VDRM_IOCTL_MASTER

#define COUNT(_a)	(sizeof(_a) / sizeof((_a)[0]))

static bool in_list(const struct fuzz_call *list, unsigned int n, const struct fuzz_call *c)
{
	for (; n; n--, list++)
		if (_IOC_NR(list->cmd) == _IOC_NR(c->cmd))
			return true;
	return false;
}

static bool has_schema(const struct fuzz_call *c)
{
	return c->drm ? in_list(drm_calls, COUNT(drm_calls), c) :
			in_list(kfd_calls, COUNT(kfd_calls), c);
}

/* Words of anything: for calls that nobody has described. */
static void rubbish(struct fuzz_call *c)
{
	unsigned int i;

	for (i = 0; i < FUZZ_WORDS && (i + 1) * 8 <= _IOC_SIZE(c->cmd); i++)
		c->in[i] = (struct fuzz_field) { i * 8, 8, FZ_ANY, 0 };
}

unsigned int fuzz_calls(const struct fuzz_call **calls)
{
	static struct fuzz_call all[FUZZ_CALLS];
	static unsigned int n;
	unsigned int i;

	*calls = all;
	if (n)
		return n;
	memcpy(all, kfd_calls, sizeof(kfd_calls));
	n = COUNT(kfd_calls);
	memcpy(all + n, drm_calls, sizeof(drm_calls));
	n += COUNT(drm_calls);
	memcpy(all + n, fuzz_ops, fuzz_nr_ops * sizeof(*all));
	n += fuzz_nr_ops;
	for (i = 0; i < COUNT(driver_calls) && n < FUZZ_CALLS; i++)
		if (!has_schema(&driver_calls[i])) {
			all[n] = driver_calls[i];
			rubbish(&all[n++]);
		}
	return n;
}
