// SPDX-License-Identifier: GPL-2.0-only
/*
 * GEM_VA: maps a file's objects in the file's GPU address space. KFD maps its objects in
 * the same one if the file was given to ACQUIRE_VM. Updates take effect at once: there
 * are no page tables to write later, so DELAY_UPDATE changes nothing. Memory is always
 * cache coherent with the CPU, whatever memory type is asked for.
 *
 * Partially resident textures (PRT) are not supported.
 */
#include <drm/drm_gem.h>

#include "../gpu/bo.h"
#include "../gpu/vm.h"
#include "drm_int.h"
#include "../../uapi/drm/amdgpu_drm.h"

#define VDRM_VA_FLAGS \
	(AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE | \
	 AMDGPU_VM_PAGE_EXECUTABLE | AMDGPU_VM_MTYPE_MASK | AMDGPU_VM_PAGE_NOALLOC)
#define VDRM_VA_PRT_FLAGS	(AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_PRT)

/* In the order of the real driver's checks; gpu_vm_map() checks the rest. */
static int vdrm_va_check(const struct drm_amdgpu_gem_va *args)
{
	if (args->va_address < VDRM_VA_RESERVED ||
	    (args->va_address >= VDRM_VA_HOLE_START && args->va_address < VDRM_VA_HOLE_END))
		return -EINVAL;
	if (args->flags & ~VDRM_VA_FLAGS && args->flags & ~VDRM_VA_PRT_FLAGS)
		return -EINVAL;
	if (args->operation < AMDGPU_VA_OP_MAP || args->operation > AMDGPU_VA_OP_REPLACE)
		return -EINVAL;
	return 0;
}

static u32 vdrm_va_access(u32 flags)
{
	return (flags & AMDGPU_VM_PAGE_READABLE ? GPU_R : 0) |
	       (flags & AMDGPU_VM_PAGE_WRITEABLE ? GPU_W : 0) |
	       (flags & AMDGPU_VM_PAGE_EXECUTABLE ? GPU_X : 0);
}

int vdrm_ioctl_gem_va(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct gpu_vm *vm = ((struct vdrm_file *)file->driver_priv)->vm;
	const struct drm_amdgpu_gem_va *args = data;
	struct drm_gem_object *obj;
	int ret = vdrm_va_check(args);

	if (ret)
		return ret;
	if (args->operation == AMDGPU_VA_OP_CLEAR)
		return gpu_vm_clear(vm, args->va_address, args->map_size);
	if (args->flags & AMDGPU_VM_PAGE_PRT)
		return -EOPNOTSUPP;

	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;
	if (args->operation == AMDGPU_VA_OP_UNMAP)
		ret = gpu_vm_unmap(vm, to_gpu_bo(obj), args->va_address) ? -ENOENT : 0;
	else
		ret = gpu_vm_map_gem(vm, to_gpu_bo(obj), args->va_address, args->offset_in_bo,
				     args->map_size, vdrm_va_access(args->flags),
				     args->operation == AMDGPU_VA_OP_REPLACE);
	drm_gem_object_put(obj);
	return ret;
}

/* ----------------------------------------------------------------- handles */

/*
 * When the last handle of an object in a file is closed, the file's mappings of it end.
 * A file may have several handles of an object (GEM_OPEN by name), so count them.
 */
int vdrm_bo_open(struct gpu_bo *bo, struct drm_file *file)
{
	struct vdrm_file *vf = file->driver_priv;
	unsigned long key = (unsigned long)bo, n;
	int ret;

	mutex_lock(&vf->lock);
	n = xa_to_value(xa_load(&vf->handles, key) ?: xa_mk_value(0));
	ret = xa_err(xa_store(&vf->handles, key, xa_mk_value(n + 1), GFP_KERNEL_ACCOUNT));
	mutex_unlock(&vf->lock);
	return ret;
}

void vdrm_bo_close(struct gpu_bo *bo, struct drm_file *file)
{
	struct vdrm_file *vf = file->driver_priv;
	unsigned long key = (unsigned long)bo, n;

	mutex_lock(&vf->lock);
	n = xa_to_value(xa_load(&vf->handles, key)) - 1;
	if (n)
		xa_store(&vf->handles, key, xa_mk_value(n), GFP_KERNEL_ACCOUNT);
	else
		xa_erase(&vf->handles, key);
	mutex_unlock(&vf->lock);
	if (!n)
		gpu_vm_unmap_gem(vf->vm, bo);
}
