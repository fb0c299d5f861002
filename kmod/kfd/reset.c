// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the processes that use a GPU are told when the whole of it is reset, when one of
 * them reads memory that is marked as bad, and when it gets too hot. Virtual GPUs do so on
 * demand (gpu/inject.c). Events and their contents are those of the real driver:
 * kfd_signal_reset_event(), kfd_signal_poison_consumed_event() (kfd_events.c) and
 * kfd_smi_event_update_thermal_throttling() (kfd_smi_events.c) of Linux 7.2.
 */
#include <linux/sched/signal.h>

#include "gpu/backend.h"
#include "event.h"
#include "reset.h"
#include "smi.h"

/**
 * struct reset_news - what processes are told
 * @gdev: the GPU
 * @hw: for waiters of hardware exceptions
 * @memory: for waiters of memory exceptions, if its ErrorType is set
 * @pid: the only process that is told; 0: all
 * @told: how many were
 */
struct reset_news {
	struct gpu_device *gdev;
	struct kfd_hsa_hw_exception_data hw;
	struct kfd_hsa_memory_exception_data memory;
	pid_t pid;
	unsigned int told;
};

static struct reset_news reset_news(struct gpu_device *gdev, u32 cause, u32 memory_error)
{
	return (struct reset_news){
		.gdev = gdev,
		.hw = {
			.reset_type = KFD_HW_EXCEPTION_WHOLE_GPU_RESET,
			.reset_cause = cause,
			.memory_lost = 1,
			.gpu_id = gdev->gpu_id,
		},
		.memory = {
			.failure.imprecise = true,
			.gpu_id = gdev->gpu_id,
			.ErrorType = memory_error,
		},
	};
}

/* With the GPU's name as @p knows it */
static void reset_tell(struct vkfd_process *p, const struct vkfd_pdd *pdd,
		       const struct reset_news *news)
{
	struct kfd_hsa_memory_exception_data memory = news->memory;
	struct kfd_hsa_hw_exception_data hw = news->hw;

	hw.gpu_id = pdd->user_gpu_id;
	memory.gpu_id = pdd->user_gpu_id;
	vkfd_event_set_hw(p, &hw);
	if (memory.ErrorType != KFD_MEM_ERR_NO_RAS)
		vkfd_event_set_memory(p, &memory);
}

static int reset_process(struct vkfd_process *p, void *data)
{
	struct reset_news *news = data;
	struct vkfd_pdd *pdd = vkfd_process_pdd_on(p, news->gdev);

	if (pdd) {
		reset_tell(p, pdd, news);
		news->told++;
	}
	return 0;
}

int vkfd_host_reset(struct gpu_device *gdev, enum gpu_reset_cause cause)
{
	struct reset_news news = cause == GPU_RESET_ECC ?
		reset_news(gdev, KFD_HW_EXCEPTION_ECC, KFD_MEM_ERR_SRAM_ECC) :
		reset_news(gdev, KFD_HW_EXCEPTION_GPU_HANG, KFD_MEM_ERR_NO_RAS);
	u32 seq = atomic64_inc_return(&vkfd_counters.hw_exceptions);
	int ret;

	vkfd_smi_reset(gdev, KFD_SMI_EVENT_GPU_PRE_RESET, seq,
		       cause == GPU_RESET_ECC ? VKFD_SMI_RAS : VKFD_SMI_HANG);
	ret = gpu_backend_reset(gdev, NULL);
	if (!ret) {
		atomic_inc(&gdev->inject.resets);
		ret = vkfd_processes_tell(reset_process, &news);
	}
	vkfd_smi_reset(gdev, KFD_SMI_EVENT_GPU_POST_RESET, seq, NULL);
	return ret;
}

static int poison_process(struct vkfd_process *p, void *data)
{
	struct vkfd_pdd *pdd = NULL;
	struct reset_news *news = data;
	int ret;

	if (p->base.pid == news->pid)
		pdd = vkfd_process_pdd_on(p, news->gdev);
	if (!pdd)
		return 0;
	ret = gpu_backend_reset(news->gdev, &p->base);
	if (ret)
		return ret;
	reset_tell(p, pdd, news);
	send_sig(SIGBUS, p->base.lead, 0);
	news->told++;
	return 0;
}

int vkfd_host_poison(struct gpu_device *gdev, pid_t pid)
{
	struct reset_news news = reset_news(gdev, KFD_HW_EXCEPTION_ECC,
					    KFD_MEM_ERR_POISON_CONSUMED);
	int ret;

	news.hw.reset_type = 0;
	news.pid = pid;
	ret = vkfd_processes_tell(poison_process, &news);
	return ret ?: news.told ? 0 : -ESRCH;
}

void vkfd_host_throttled(struct gpu_device *gdev, u64 mask, u64 count)
{
	vkfd_smi_event(gdev, 0, KFD_SMI_EVENT_THERMAL_THROTTLE,
		       KFD_EVENT_FMT_THERMAL_THROTTLING(mask, count));
}
