// SPDX-License-Identifier: MIT
/*
 * Memory of others: dma-buf export and import.
 *
 * Sharing by 32-byte handle and reading another process's memory were ioctls outside of the
 * upstream kernel (0x80, 0x81, 0x83); there is nothing to implement them on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "object.h"
#include "va.h"

THUNK_API HSAKMT_STATUS hsaKmtExportDMABufHandle(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
						 int *DMABufFd, HSAuint64 *Offset)
{
	struct kfd_ioctl_export_dmabuf_args args = { .flags = 02000000 | 02 };
	HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_PARAMETER;
	struct mem_object *o;
	uint64_t off = 0;
	int err;

	THUNK_CHECK_OPEN();
	if (!MemoryAddress || !MemorySizeInBytes || !DMABufFd || !Offset)
		return status;

	pthread_mutex_lock(&thunk.mem_lock);
	o = obj_find(MemoryAddress);
	if (o && o->has_handle) {
		off = (uintptr_t)MemoryAddress - o->cpu;
		args.handle = o->handle;
		if (off < o->size && MemorySizeInBytes <= o->size - off)
			status = HSAKMT_STATUS_SUCCESS;
	}
	pthread_mutex_unlock(&thunk.mem_lock);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;

	err = thunk_ioctl(AMDKFD_IOC_EXPORT_DMABUF, &args);
	if (err)
		return thunk_status(err);
	*DMABufFd = args.dmabuf_fd;
	*Offset = off;
	return HSAKMT_STATUS_SUCCESS;
}

/* Size, owner and metadata of a dma-buf; the metadata is the caller's to free. */
static int dmabuf_info(int fd, struct kfd_ioctl_get_dmabuf_info_args *args, void **metadata)
{
	void *more;
	int err = -EINVAL;

	memset(args, 0, sizeof(*args));
	args->dmabuf_fd = fd;
	args->metadata_size = 256;
	*metadata = NULL;
	/* the first answer may only say how large the metadata is */
	for (int i = 0; i < 2 && err; i++) {
		more = realloc(*metadata, args->metadata_size ? args->metadata_size : 1);
		if (!more) {
			err = -ENOMEM;
			break;
		}
		*metadata = more;
		args->metadata_ptr = (uintptr_t)more;
		err = thunk_ioctl(AMDKFD_IOC_GET_DMABUF_INFO, args);
		if (err && err != -EINVAL)
			break;
	}
	if (err) {
		free(*metadata);
		*metadata = NULL;
	}
	return err;
}

static int import_dmabuf(int fd, struct mem_object *o)
{
	struct kfd_ioctl_get_dmabuf_info_args info;
	struct kfd_ioctl_import_dmabuf_args args = { .dmabuf_fd = fd };
	struct thunk_gpu *gpu;
	int err = dmabuf_info(fd, &info, &o->metadata);

	if (err)
		return err;
	gpu = thunk_gpu_by_id(info.gpu_id);
	if (!gpu)
		return -ENODEV;
	o->type = HSA_POINTER_REGISTERED_GRAPHICS;
	o->size = o->cpu_size = align_up(info.size, THUNK_PAGE);
	o->reserved = va_reserve(o->size, o->size >= 2ul << 20 ? 2ul << 20 : 65536, THUNK_PAGE);
	o->reserved_size = o->size + THUNK_PAGE;
	if (!o->reserved)
		return -ENOMEM;
	o->va = o->cpu = (uintptr_t)o->reserved;
	o->gpu_id = gpu->gpu_id;
	o->node = gpu->node;
	args.va_addr = o->va;
	args.gpu_id = gpu->gpu_id;
	err = thunk_ioctl(AMDKFD_IOC_IMPORT_DMABUF, &args);
	if (err)
		return err;
	o->handle = args.handle;
	o->has_handle = true;
	o->user_data = (void *)(uintptr_t)info.metadata_size;
	return 0;
}

THUNK_API HSAKMT_STATUS
hsaKmtRegisterGraphicsHandleToNodes(HSAuint64 GraphicsResourceHandle,
				    HsaGraphicsResourceInfo *GraphicsResourceInfo,
				    HSAuint64 NumberOfNodes, HSAuint32 *NodeArray)
{
	uint32_t ids[THUNK_MAX_GPUS];
	struct mem_object *o;
	int err;

	THUNK_CHECK_OPEN();
	if (!GraphicsResourceInfo || (NumberOfNodes && !NodeArray))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (NumberOfNodes > THUNK_MAX_GPUS || mem_nodes_to_ids(NodeArray, NumberOfNodes, ids))
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	o = obj_new();
	if (!o)
		return HSAKMT_STATUS_NO_MEMORY;

	pthread_mutex_lock(&thunk.mem_lock);
	err = import_dmabuf(GraphicsResourceHandle, o);
	if (!err)
		err = ids_set(&o->registered, ids, NumberOfNodes);
	if (!err)
		err = obj_insert(o);
	if (!err) {
		o->reg_count = 1;
		GraphicsResourceInfo->MemoryAddress = o->reserved;
		GraphicsResourceInfo->SizeInBytes = o->size;
		GraphicsResourceInfo->Metadata = o->metadata;
		GraphicsResourceInfo->MetadataSizeInBytes = (uintptr_t)o->user_data;
		GraphicsResourceInfo->NodeId = o->node;
		o->user_data = NULL;
	} else if (o->reserved) {
		va_release(o->reserved, o->reserved_size);
	}
	pthread_mutex_unlock(&thunk.mem_lock);
	if (!err)
		return HSAKMT_STATUS_SUCCESS;
	obj_free(o);
	return err == -ENOMEM ? HSAKMT_STATUS_NO_MEMORY : HSAKMT_STATUS_ERROR;
}

THUNK_API HSAKMT_STATUS hsaKmtShareMemory(void *MemoryAddress, HSAuint64 SizeInBytes,
					  HsaSharedMemoryHandle *SharedMemoryHandle)
{
	THUNK_CHECK_OPEN();
	if (!MemoryAddress || !SizeInBytes || !SharedMemoryHandle)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

THUNK_API HSAKMT_STATUS
hsaKmtRegisterSharedHandle(const HsaSharedMemoryHandle *SharedMemoryHandle, void **MemoryAddress,
			   HSAuint64 *SizeInBytes)
{
	return hsaKmtRegisterSharedHandleToNodes(SharedMemoryHandle, MemoryAddress, SizeInBytes,
						 0, NULL);
}

THUNK_API HSAKMT_STATUS
hsaKmtRegisterSharedHandleToNodes(const HsaSharedMemoryHandle *SharedMemoryHandle,
				  void **MemoryAddress, HSAuint64 *SizeInBytes,
				  HSAuint64 NumberOfNodes, HSAuint32 *NodeArray)
{
	THUNK_CHECK_OPEN();
	if (!SharedMemoryHandle || !MemoryAddress || !SizeInBytes || (NumberOfNodes && !NodeArray))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

THUNK_API HSAKMT_STATUS hsaKmtProcessVMRead(HSAuint32 Pid, HsaMemoryRange *LocalMemoryArray,
					    HSAuint64 LocalMemoryArrayCount,
					    HsaMemoryRange *RemoteMemoryArray,
					    HSAuint64 RemoteMemoryArrayCount,
					    HSAuint64 *SizeCopied)
{
	(void)Pid;
	THUNK_CHECK_OPEN();
	if (!LocalMemoryArray || !RemoteMemoryArray || !LocalMemoryArrayCount ||
	    !RemoteMemoryArrayCount)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (SizeCopied)
		*SizeCopied = 0;
	return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

THUNK_API HSAKMT_STATUS hsaKmtProcessVMWrite(HSAuint32 Pid, HsaMemoryRange *LocalMemoryArray,
					     HSAuint64 LocalMemoryArrayCount,
					     HsaMemoryRange *RemoteMemoryArray,
					     HSAuint64 RemoteMemoryArrayCount,
					     HSAuint64 *SizeCopied)
{
	return hsaKmtProcessVMRead(Pid, LocalMemoryArray, LocalMemoryArrayCount,
				   RemoteMemoryArray, RemoteMemoryArrayCount, SizeCopied);
}

THUNK_API HSAKMT_STATUS hsaKmtMapGraphicHandle(HSAuint32 NodeId, HSAuint64 GraphicDeviceHandle,
					       HSAuint64 GraphicResourceHandle,
					       HSAuint64 GraphicResourceOffset,
					       HSAuint64 GraphicResourceSize,
					       HSAuint64 *FlatMemoryAddress)
{
	(void)NodeId;
	(void)GraphicDeviceHandle;
	(void)GraphicResourceHandle;
	(void)GraphicResourceOffset;
	(void)GraphicResourceSize;
	(void)FlatMemoryAddress;
	THUNK_CHECK_OPEN();
	return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

THUNK_API HSAKMT_STATUS hsaKmtUnmapGraphicHandle(HSAuint32 NodeId, HSAuint64 FlatMemoryAddress,
						 HSAuint64 SizeInBytes)
{
	(void)NodeId;
	(void)FlatMemoryAddress;
	(void)SizeInBytes;
	THUNK_CHECK_OPEN();
	return HSAKMT_STATUS_NOT_IMPLEMENTED;
}
