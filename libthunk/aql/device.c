// SPDX-License-Identifier: MIT
/* Opening a GPU and describing it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "aql_int.h"

/* Enter the thunk; KERNEL_ALREADY_OPENED counts as well as SUCCESS. */
static int thunk_enter(HsaSystemProperties *sys)
{
	HSAKMT_STATUS status = hsaKmtOpenKFD();

	if (status != HSAKMT_STATUS_SUCCESS && status != HSAKMT_STATUS_KERNEL_ALREADY_OPENED)
		return aql_status(status);
	status = hsaKmtAcquireSystemProperties(sys);
	if (status != HSAKMT_STATUS_SUCCESS)
		hsaKmtCloseKFD();
	return aql_status(status);
}

/* The node of the GPU with this index; -ENODEV if there are fewer. */
static int find_gpu(const HsaSystemProperties *sys, unsigned int index, uint32_t *node,
		    HsaNodeProperties *props)
{
	for (uint32_t i = 0; i < sys->NumNodes; i++) {
		if (hsaKmtGetNodeProperties(i, props) != HSAKMT_STATUS_SUCCESS)
			return -EIO;
		if (!props->NumFComputeCores)
			continue;
		if (!index--) {
			*node = i;
			return 0;
		}
	}
	return -ENODEV;
}

/**
 * aql_device_count() - how many GPUs there are
 *
 * Return: the number, or a negative errno; -ENXIO if the driver is not there.
 */
AQL_API int aql_device_count(void)
{
	HsaSystemProperties sys;
	HsaNodeProperties props;
	uint32_t node;
	int n = 0, err = thunk_enter(&sys);

	if (err)
		return err;
	while (!find_gpu(&sys, n, &node, &props))
		n++;
	hsaKmtCloseKFD();
	return n;
}

static void read_heaps(struct aql_dev *dev)
{
	HsaMemoryProperties *heaps = calloc(dev->props.NumMemoryBanks + 1, sizeof(*heaps));

	if (!heaps)
		return;
	if (hsaKmtGetNodeMemoryProperties(dev->node, dev->props.NumMemoryBanks, heaps) ==
	    HSAKMT_STATUS_SUCCESS) {
		for (uint32_t i = 0; i < dev->props.NumMemoryBanks; i++) {
			switch ((int)heaps[i].HeapType) {
			case HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC:
				dev->info.host_visible = true;
				/* fallthrough */
			case HSA_HEAPTYPE_FRAME_BUFFER_PRIVATE:
				dev->info.vram_bytes += heaps[i].SizeInBytes;
				break;
			case HSA_HEAPTYPE_GPU_LDS:
				dev->lds_base = heaps[i].VirtualBaseAddress;
				break;
			case HSA_HEAPTYPE_GPU_SCRATCH:
				dev->private_base = heaps[i].VirtualBaseAddress;
				break;
			default:
				break;
			}
		}
	}
	free(heaps);
}

/* The rate of the GPU's clock from the render node, in Hz; 0 if it does not say. */
static uint64_t counter_rate(int32_t minor)
{
	struct {
		uint64_t pointer;
		uint32_t size, query, in[4];
	} args = { 0 };
	uint32_t head[8] = { 0 };	/* of struct drm_amdgpu_info_device; [7] is in kHz */
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/dri/renderD%d", minor);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return 0;
	args.pointer = (uintptr_t)head;
	args.size = sizeof(head);
	args.query = 0x16;
	if (ioctl(fd, _IOC(_IOC_WRITE, 'd', 0x45, sizeof(args)), &args))
		head[7] = 0;
	close(fd);
	return head[7] * 1000ull;
}

static bool has_sramecc(uint32_t major, uint32_t minor, uint32_t step)
{
	return major == 9 && ((!minor && (step == 6 || step == 8 || step == 10)) || minor >= 4);
}

static void fill_names(struct aql_dev *dev)
{
	const HSA_ENGINE_ID id = dev->props.EngineId;
	struct aql_dev_info *i = &dev->info;
	bool ecc = has_sramecc(id.ui32.Major, id.ui32.Minor, id.ui32.Stepping);

	snprintf(i->gfx, sizeof(i->gfx), "gfx%u%x%x", id.ui32.Major, id.ui32.Minor,
		 id.ui32.Stepping);
	snprintf(i->isa, sizeof(i->isa), "amdgcn-amd-amdhsa--%s%s%s", i->gfx,
		 !ecc ? "" : dev->props.Capability.ui32.SRAM_EDCSupport ? ":sramecc+" : ":sramecc-",
		 id.ui32.Major != 9 ? "" : dev->xnack ? ":xnack+" : ":xnack-");
	for (size_t c = 0; c + 1 < sizeof(i->name) && dev->props.MarketingName[c]; c++)
		i->name[c] = dev->props.MarketingName[c];
}

static void fill_info(struct aql_dev *dev)
{
	const HsaNodeProperties *p = &dev->props;
	struct aql_dev_info *i = &dev->info;
	HSAint32 xnack = 0;

	dev->xnack = hsaKmtGetXNACKMode(&xnack) == HSAKMT_STATUS_SUCCESS && xnack > 0;
	i->node = dev->node;
	i->gpu_id = p->KFDGpuID;
	i->pci_domain = p->Domain;
	i->pci_bus = p->LocationId >> 8;
	i->pci_dev = p->LocationId >> 3 & 0x1f;
	i->pci_fn = p->LocationId & 7;
	i->simd_per_cu = p->NumSIMDPerCU;
	i->cu_count = p->NumSIMDPerCU ? p->NumFComputeCores / p->NumSIMDPerCU : 0;
	i->waves_per_simd = p->MaxWavesPerSIMD;
	i->wave_size = p->WaveFrontSize;
	i->lds_bytes = p->LDSSizeInKB * 1024;
	i->max_clock_mhz = p->MaxEngineClockMhzFCompute;
	i->unique_id = p->UniqueID;
	i->counter_hz = counter_rate(p->DrmRenderMinor);
	read_heaps(dev);
	fill_names(dev);
}

static int make_events(struct aql_dev *dev)
{
	HsaEventDescriptor d = { .EventType = HSA_EVENTTYPE_MEMORY, .NodeId = dev->node };
	HSAKMT_STATUS status = hsaKmtCreateEvent(&d, true, false, &dev->fault_event);

	if (status != HSAKMT_STATUS_SUCCESS)
		return aql_status(status);
	d.EventType = HSA_EVENTTYPE_HW_EXCEPTION;
	return aql_status(hsaKmtCreateEvent(&d, true, false, &dev->reset_event));
}

/**
 * aql_open() - open a GPU
 * @index: 0 for the first
 * @dev: the handle
 *
 * Return: 0; -ENXIO if there is no driver, -ENODEV if there is no such GPU, or another errno.
 */
AQL_API int aql_open(unsigned int index, struct aql_dev **dev)
{
	HsaSystemProperties sys;
	struct aql_dev *d;
	int err;

	err = thunk_enter(&sys);
	if (err)
		return err;
	d = calloc(1, sizeof(*d));
	if (!d) {
		hsaKmtCloseKFD();
		return -ENOMEM;
	}
	pthread_mutex_init(&d->lock, NULL);
	err = find_gpu(&sys, index, &d->node, &d->props);
	if (!err) {
		fill_info(d);
		err = make_events(d);
	}
	if (err) {
		aql_close(d);
		return err;
	}
	*dev = d;
	return 0;
}

/**
 * aql_close() - close a GPU
 *
 * Destroy its queues and signals and unload its code first; memory that was not freed stays
 * with the process.
 */
AQL_API void aql_close(struct aql_dev *dev)
{
	if (!dev)
		return;
	aql_signals_fini(dev);
	if (dev->fault_event)
		hsaKmtDestroyEvent(dev->fault_event);
	if (dev->reset_event)
		hsaKmtDestroyEvent(dev->reset_event);
	pthread_mutex_destroy(&dev->lock);
	free(dev);
	hsaKmtCloseKFD();
}

/**
 * aql_dev_get_info() - describe a GPU
 */
AQL_API void aql_dev_get_info(const struct aql_dev *dev, struct aql_dev_info *info)
{
	*info = dev->info;
}

/**
 * aql_clock() - read the GPU's clock and the system's together
 * @gpu: the counter that dispatch timestamps are made of
 * @system_ns: CLOCK_BOOTTIME
 */
AQL_API int aql_clock(struct aql_dev *dev, uint64_t *gpu, uint64_t *system_ns)
{
	HsaClockCounters c;
	int err = aql_status(hsaKmtGetClockCounters(dev->node, &c));

	if (err)
		return err;
	if (gpu)
		*gpu = c.GPUClockCounter;
	if (system_ns)
		*system_ns = c.SystemClockFrequencyHz ?
			(uint64_t)((unsigned __int128)c.SystemClockCounter * 1000000000u /
				   c.SystemClockFrequencyHz) : 0;
	return 0;
}

/**
 * aql_dev_fault() - whether the GPU faulted for this process
 * @fault: what happened, may be NULL
 *
 * Return: 0 if not, -EFAULT for an access, -ECANCELED if the device was reset.
 */
AQL_API int aql_dev_fault(struct aql_dev *dev, struct aql_fault *fault)
{
	HsaEvent *events[] = { dev->fault_event, dev->reset_event };
	int err;

	if (hsaKmtWaitOnMultipleEvents(events, 2, false, 0) == HSAKMT_STATUS_SUCCESS)
		aql_dev_take_fault(dev);
	pthread_mutex_lock(&dev->lock);
	err = !dev->lost ? 0 : dev->fault.reset ? -ECANCELED : -EFAULT;
	if (fault)
		*fault = dev->fault;
	pthread_mutex_unlock(&dev->lock);
	return err;
}
