// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a process learns of a device and sets for it as a whole: version,
 * clocks, apertures, the VM, policies, trap handler.
 *
 * Errors are those of the Linux 6.1 driver: a gpu_id that is not of this
 * process is EINVAL; a device whose VM was not acquired is ESRCH here and
 * ENODEV where the driver passes the inner error on.
 */
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "gpu/vm.h"
#include "gpu/svm.h"
#include "model/target.h"
#include "kfd.h"
#include "smi.h"

/*
 * The minor is a promise of all that came up to it: 1.5 is SVM, 1.12
 * EXPORT_DMABUF, 1.13 RUNTIME_ENABLE and the debugger, 1.14 the age of events.
 * Two things below it are not here, and a real driver may lack them under the
 * same number, too: CRIU_OP (1.7), which answers nobody without its capability,
 * and DBG_TRAP without a hardware scheduler. ROCr 6 and younger want
 * AVAILABLE_MEMORY (1.9) and abort without it. 1.15 is GEM_VA on compute VMs,
 * 1.16 contiguous VRAM, 1.17 SDMA queues by engine. VRAM is contiguous where
 * that can be seen, in the GPU's address space. 1.18 is a flag for a model that
 * is not here, 1.19 CREATE_PROCESS.
 */
#define VKFD_MAJOR_VERSION	1
#define VKFD_MINOR_VERSION	17

/* Of PROFILER (since 1.23), as the driver of Linux 7.2 answers. */
#define VKFD_PROFILER_VERSION	1

/* GFX9 has no tiling tables any more; the arrays keep their lengths, zeroed. */
#define NUM_TILE_CONFIGS	32
#define NUM_MACRO_TILE_CONFIGS	16

int vkfd_ioctl_get_version(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_get_version_args *args = data;

	args->major_version = VKFD_MAJOR_VERSION;
	args->minor_version = VKFD_MINOR_VERSION;
	return 0;
}

int vkfd_ioctl_get_clock_counters(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_get_clock_counters_args *args = data;
	struct vkfd_pdd *pdd = vkfd_process_pdd(p, args->gpu_id);

	/* An unknown device is a node without a GPU: its clock stands at 0. */
	args->gpu_clock_counter = pdd ? gpu_device_clock(pdd->base.gdev) : 0;
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
	/* User space passes the count of all nodes, those of CPUs included. */
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
 * Makes the VM of a DRM file this process's VM on a device. A VM serves one
 * process; the same file again is fine, as user space does after a restart
 * of its runtime.
 */
static int vkfd_acquire_vm_locked(struct vkfd_process *p, struct vkfd_pdd *pdd,
				  struct file *drm_file)
{
	struct gpu_device *gdev = pdd->base.gdev;
	struct gpu_vm *vm;
	int ret;

	lockdep_assert_held(&p->base.lock);
	if (pdd->base.drm_file)
		return pdd->base.drm_file == drm_file ? 0 : -EBUSY;

	ret = gdev->drm_ops->file_vm(gdev, drm_file, &vm);
	if (!ret)
		ret = vkfd_process_hold(p);
	if (ret)
		return ret;
	/* Two processes may have the file, and race for it. */
	if (cmpxchg(&vm->process, NULL, &p->base))
		return -EINVAL;
	gpu_vm_get(vm);
	pdd->base.vm = vm;
	pdd->base.drm_file = get_file(drm_file);
	if (gpu_target_has(gdev->target, GPU_FEAT_SVM))
		gpu_svm_attach(p->svm, vm, pdd->index);
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
	ret = pdd ? vkfd_acquire_vm_locked(p, pdd, drm_file) : -EINVAL;
	mutex_unlock(&p->base.lock);
	fput(drm_file);
	return ret;
}

/* The bound pdd with the error of those handlers that hide what was missing. */
static struct vkfd_pdd *vkfd_pdd_or_esrch(struct vkfd_process *p, u32 gpu_id)
{
	struct vkfd_pdd *pdd = vkfd_process_bound_pdd(p, gpu_id);

	return IS_ERR(pdd) && PTR_ERR(pdd) == -ENODEV ? ERR_PTR(-ESRCH) : pdd;
}

/* CPU caches are the GPU's caches: both policies are coherent, none is kept. */
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
 * The real driver programs the address only where no firmware schedules queues; with
 * firmware, as here, each queue brings its own (amd_queue_t), and this one goes nowhere.
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

/* The debugger interface before 1.13, which the driver took out of use. */
int vkfd_ioctl_dbg_deprecated(struct vkfd_process *p, void *data)
{
	return -EPERM;
}

/*
 * Who profiles asks for the version first. There are no performance counters that
 * a process could lock for itself, and no tracing to switch.
 */
int vkfd_ioctl_profiler(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_profiler_args *args = data;

	if (args->op != KFD_IOC_PROFILER_VERSION)
		return -EINVAL;
	args->version = VKFD_PROFILER_VERSION;
	return 0;
}
