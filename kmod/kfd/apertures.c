// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queries and settings of a device as a whole: version, clocks, apertures, the VM,
 * policies, trap handler.
 *
 * Errors are those of the Linux 6.1 driver. A gpu_id that the process does not have
 * is EINVAL. A device whose VM was not acquired is ESRCH in some handlers, and ENODEV
 * where that driver passes the inner error on.
 */
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "gpu/backend.h"
#include "gpu/vm.h"
#include "gpu/svm.h"
#include "model/target.h"
#include "kfd.h"
#include "smi.h"

/*
 * A minor version promises everything that any minor up to it introduced;
 * docs/kfd-versions.md has a row for each of them.
 */
#define VKFD_MAJOR_VERSION	1
#define VKFD_MINOR_VERSION	23

/* GFX9 has no tiling tables; the arrays keep their lengths and are zero. */
#define NUM_TILE_CONFIGS	32
#define NUM_MACRO_TILE_CONFIGS	16

int vkfd_ioctl_get_version(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_get_version_args *args = data;

	args->major_version = VKFD_MAJOR_VERSION;
	args->minor_version = VKFD_MINOR_VERSION;
	return 0;
}

/* Who has to wait for it takes the clock as it was the last time. */
static void vkfd_clock_sync(struct vkfd_process *p, struct vkfd_pdd *pdd)
{
	if (!gpu_backend_clock_drifts(pdd->base.gdev) || !mutex_trylock(&p->base.lock))
		return;
	if (pdd->base.vm)
		gpu_backend_clock_sync(pdd->base.vm);
	mutex_unlock(&p->base.lock);
}

int vkfd_ioctl_get_clock_counters(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_get_clock_counters_args *args = data;
	struct vkfd_pdd *pdd = vkfd_process_pdd(p, args->gpu_id);

	if (pdd)
		vkfd_clock_sync(p, pdd);
	/* An unknown device stands for a node without a GPU, whose clock is 0. */
	args->gpu_clock_counter = pdd ? gpu_device_clock(pdd->base.gdev, pdd->base.vm) : 0;
	args->cpu_clock_counter = ktime_get_raw_ns();
	args->system_clock_counter = ktime_get_boottime_ns();
	args->system_clock_freq = NSEC_PER_SEC;
	return 0;
}

static void vkfd_fill_apertures(const struct vkfd_pdd *pdd,
				struct kfd_process_device_apertures *pa)
{
	pa->gpu_id = pdd->base.gdev->gpu_id;
	pa->lds_base = GPU_LDS_BASE;
	pa->lds_limit = GPU_LDS_LIMIT;
	pa->scratch_base = GPU_SCRATCH_BASE;
	pa->scratch_limit = GPU_SCRATCH_LIMIT;
	pa->gpuvm_base = GPU_GPUVM_BASE;
	pa->gpuvm_limit = GPU_GPUVM_LIMIT;
}

int vkfd_ioctl_get_process_apertures(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_get_process_apertures_args *args = data;
	unsigned int i, n = min_t(unsigned int, p->num_pdds, NUM_OF_SUPPORTED_GPUS);

	for (i = 0; i < n; i++)
		vkfd_fill_apertures(p->pdds[i], &args->process_apertures[i]);
	args->num_of_nodes = n;
	return 0;
}

int vkfd_ioctl_get_process_apertures_new(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_get_process_apertures_new_args *args = data;
	struct kfd_process_device_apertures *pa;
	unsigned int i, n;
	int ret = 0;

	if (!args->num_of_nodes) {
		args->num_of_nodes = p->num_pdds;
		return 0;
	}
	/* User space passes the number of all nodes, including those of CPUs. */
	if (args->num_of_nodes > vkfd_topology_num_nodes())
		return -EINVAL;

	n = min(p->num_pdds, args->num_of_nodes);
	pa = kcalloc(max(n, 1u), sizeof(*pa), GFP_KERNEL);
	if (!pa)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		vkfd_fill_apertures(p->pdds[i], &pa[i]);
	args->num_of_nodes = n;
	if (copy_to_user(u64_to_user_ptr(args->kfd_process_device_apertures_ptr), pa,
			 n * sizeof(*pa)))
		ret = -EFAULT;
	kfree(pa);
	return ret;
}

/*
 * Makes the VM of a DRM file this process's VM on a device. A VM serves one process.
 * Acquiring the same file again succeeds, as user space does so when it restarts its
 * runtime.
 */
int vkfd_acquire_vm(struct vkfd_process *p, struct vkfd_pdd *pdd, struct file *drm_file)
{
	struct gpu_device *gdev = pdd->base.gdev;
	struct gpu_vm *vm;
	int ret;

	lockdep_assert_held(&p->base.lock);
	if (pdd->base.drm_file)
		return pdd->base.drm_file == drm_file ? 0 : -EBUSY;

	ret = gpu_backend_vm_from_file(gdev, drm_file, &vm);
	if (ret)
		return ret;
	ret = vkfd_process_hold(p);
	/* Two processes may share the file and race to acquire its VM. */
	if (!ret && cmpxchg(&vm->process, NULL, &p->base))
		ret = -EINVAL;
	if (ret) {
		gpu_vm_put(vm);
		return ret;
	}
	pdd->base.vm = vm;
	gpu_doorbells_set_vm(pdd->base.doorbells, vm);
	pdd->base.drm_file = get_file(drm_file);
	if (!p->primary && gpu_target_has(gdev->target, GPU_FEAT_SVM)) {
		gpu_svm_name(p->svm, pdd->index, pdd->user_gpu_id);
		gpu_svm_attach(p->svm, vm, pdd->index);
	}
	vkfd_smi_process(gdev, &p->base, KFD_SMI_EVENT_PROCESS_START);
	return 0;
}

int vkfd_ioctl_acquire_vm(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_acquire_vm_args *args = data;
	struct vkfd_pdd *pdd;
	struct file *drm_file;
	int ret;

	drm_file = fget(args->drm_fd);
	if (!drm_file)
		return -EINVAL;
	mutex_lock(&p->base.lock);
	pdd = vkfd_process_pdd(p, args->gpu_id);
	ret = pdd ? vkfd_acquire_vm(p, pdd, drm_file) : -EINVAL;
	mutex_unlock(&p->base.lock);
	fput(drm_file);
	return ret;
}

/* For handlers that return ESRCH where others return ENODEV for a missing VM. */
static struct vkfd_pdd *vkfd_pdd_or_esrch(struct vkfd_process *p, u32 gpu_id)
{
	struct vkfd_pdd *pdd = vkfd_process_bound_pdd(p, gpu_id);

	return IS_ERR(pdd) && PTR_ERR(pdd) == -ENODEV ? ERR_PTR(-ESRCH) : pdd;
}

/*
 * The GPU uses the CPU's caches, so both policies are coherent and we store neither. The
 * flag for precise matrix operations (1.18) is for gfx950 alone; other GPUs ignore it, and
 * ours are always precise. Unknown flags are ignored, too (kfd_device_queue_manager_v9.c of
 * Linux 7.2).
 */
int vkfd_ioctl_set_memory_policy(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_set_memory_policy_args *args = data;
	struct vkfd_pdd *pdd;

	if (args->default_policy > KFD_IOC_CACHE_POLICY_NONCOHERENT ||
	    args->alternate_policy > KFD_IOC_CACHE_POLICY_NONCOHERENT)
		return -EINVAL;
	mutex_lock(&p->base.lock);
	pdd = vkfd_pdd_or_esrch(p, args->gpu_id);
	mutex_unlock(&p->base.lock);
	return PTR_ERR_OR_ZERO(pdd);
}

int vkfd_ioctl_set_trap_handler(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_set_trap_handler_args *args = data;
	struct vkfd_pdd *pdd;

	mutex_lock(&p->base.lock);
	pdd = vkfd_pdd_or_esrch(p, args->gpu_id);
	if (!IS_ERR(pdd)) {
		WRITE_ONCE(pdd->base.tba, args->tba_addr);
		WRITE_ONCE(pdd->base.tma, args->tma_addr);
	}
	mutex_unlock(&p->base.lock);
	return PTR_ERR_OR_ZERO(pdd);
}

/*
 * The real driver programs the address only where no firmware schedules queues. With
 * firmware, and so here, each queue has its own (in amd_queue_t), and this one is unused.
 */
int vkfd_ioctl_set_scratch_backing_va(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_set_scratch_backing_va_args *args = data;
	struct vkfd_pdd *pdd;

	mutex_lock(&p->base.lock);
	pdd = vkfd_process_bound_pdd(p, args->gpu_id);
	mutex_unlock(&p->base.lock);
	return PTR_ERR_OR_ZERO(pdd);
}

int vkfd_ioctl_get_tile_config(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_get_tile_config_args *args = data;
	struct vkfd_pdd *pdd = vkfd_process_pdd(p, args->gpu_id);

	if (!pdd)
		return -EINVAL;
	args->gb_addr_config = pdd->base.gdev->target->gb_addr_config;
	args->num_banks = 0;
	args->num_ranks = 0;

	args->num_tile_configs = min_t(u32, args->num_tile_configs, NUM_TILE_CONFIGS);
	if (clear_user(u64_to_user_ptr(args->tile_config_ptr),
		       args->num_tile_configs * sizeof(u32))) {
		args->num_tile_configs = 0;
		return -EFAULT;
	}
	args->num_macro_tile_configs = min_t(u32, args->num_macro_tile_configs,
					     NUM_MACRO_TILE_CONFIGS);
	if (clear_user(u64_to_user_ptr(args->macro_tile_config_ptr),
		       args->num_macro_tile_configs * sizeof(u32))) {
		args->num_macro_tile_configs = 0;
		return -EFAULT;
	}
	return 0;
}

/* The debugger interface before 1.13, which the real driver has disabled. */
int vkfd_ioctl_dbg_deprecated(struct vkfd_process *p, void *data)
{
	return -EPERM;
}
