// SPDX-License-Identifier: MIT
/*
 * The topology as callers see it: the parsed snapshot, GPUs the caller may use, names, and the
 * heaps that are not memory banks of sysfs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "thunk.h"
#include "topology.h"

static const struct topo_roots system_roots = {
	.kfd = "/sys/devices/virtual/kfd/kfd/topology",
	.numa = "/sys/devices/system/node",
	.cpuinfo = "/proc/cpuinfo",
};

/* Render node minors start here; a GPU without one cannot be used at all. */
#define RENDER_MINOR_FIRST	128

/* Heaps of a GPU node besides its banks: LDS, scratch, the shared address space. */
#define GPU_EXTRA_HEAPS		3

/*
 * Find or make the process's record of a GPU.  A GPU that is not for this process (its render
 * node is missing or the device cgroup says no) is hidden; any other failure is an error.
 */
static int adopt_gpu(struct topo_node *nd)
{
	struct thunk_gpu *gpu = thunk_gpu_by_id(nd->gpu_id);
	int fd;

	if (gpu)
		return 0;
	if (nd->props.DrmRenderMinor < RENDER_MINOR_FIRST)
		return -ENODEV;
	if (thunk.nr_gpus == THUNK_MAX_GPUS)
		return -ENOSPC;
	fd = thunk_drm_open(nd->props.DrmRenderMinor);
	if (fd == -ENOENT || fd == -EPERM) {
		nd->hidden = true;
		return 0;
	}
	if (fd < 0)
		return fd;

	gpu = &thunk.gpus[thunk.nr_gpus++];
	memset(gpu, 0, sizeof(*gpu));
	gpu->gpu_id = nd->gpu_id;
	gpu->gfxv = nd->gfxv;
	gpu->drm_fd = fd;
	return 0;
}

static void name_gpu(struct topo_node *nd)
{
	const struct thunk_gpu *gpu = thunk_gpu_by_id(nd->gpu_id);
	uint32_t device, revision, family;
	char name[HSA_PUBLIC_NAME_SIZE];

	if (thunk_drm_info(gpu->drm_fd, &device, &revision, &family))
		return;
	if (!nd->props.FamilyID)
		nd->props.FamilyID = family;
	thunk_drm_marketing_name(device, revision, name, sizeof(name));
	for (size_t i = 0; name[i]; i++)
		nd->props.MarketingName[i] = (unsigned char)name[i];
}

/* Called with thunk.lock held. */
int thunk_topology_take(void)
{
	struct topo *t;
	int err;

	err = topo_parse(&system_roots, &t);
	if (err)
		return err;
	for (uint32_t i = 0; i < t->nr_nodes && !err; i++)
		if (t->nodes[i].gpu_id && !t->nodes[i].hidden)
			err = adopt_gpu(&t->nodes[i]);
	if (!err)
		err = topo_drop_hidden(t);
	if (!err)
		err = topo_add_indirect_links(t);
	if (err) {
		topo_free(t);
		return err;
	}
	for (uint32_t i = 0; i < t->nr_nodes; i++) {
		if (!t->nodes[i].gpu_id)
			continue;
		thunk_gpu_by_id(t->nodes[i].gpu_id)->node = i;
		name_gpu(&t->nodes[i]);
	}
	topo_free(thunk.topo);
	thunk.topo = t;
	return 0;
}

/* Called with thunk.lock held. */
void thunk_topology_drop(void)
{
	topo_free(thunk.topo);
	thunk.topo = NULL;
	thunk.topo_acquired = false;
}

uint32_t thunk_nr_cpu_nodes(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; thunk.topo && i < thunk.topo->nr_nodes; i++)
		n += thunk.topo->nodes[i].props.NumCPUCores != 0;
	return n;
}

/**
 * thunk_gpu_by_node() - the GPU of a node; takes thunk.lock
 *
 * Return: 0 with @gpu NULL for a CPU node, -EINVAL for a node that is not there.
 */
int thunk_gpu_by_node(uint32_t node, struct thunk_gpu **gpu)
{
	int err = 0;

	*gpu = NULL;
	pthread_mutex_lock(&thunk.lock);
	if (!thunk.topo || node >= thunk.topo->nr_nodes)
		err = -EINVAL;
	else if (thunk.topo->nodes[node].gpu_id)
		*gpu = thunk_gpu_by_id(thunk.topo->nodes[node].gpu_id);
	pthread_mutex_unlock(&thunk.lock);
	return err;
}

/* The same where only a GPU will do. */
HSAKMT_STATUS thunk_gpu_required(uint32_t node, struct thunk_gpu **gpu)
{
	if (thunk_gpu_by_node(node, gpu) || !*gpu)
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	return HSAKMT_STATUS_SUCCESS;
}

THUNK_API HSAKMT_STATUS hsaKmtAcquireSystemProperties(HsaSystemProperties *SystemProperties)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	int err = 0;

	THUNK_CHECK_OPEN();
	if (!SystemProperties)
		return HSAKMT_STATUS_INVALID_PARAMETER;

	pthread_mutex_lock(&thunk.lock);
	if (!thunk.topo_acquired)
		err = thunk_topology_take();
	if (!err)
		err = thunk_memory_init();
	if (err) {
		status = err == -ENOMEM ? HSAKMT_STATUS_NO_MEMORY : HSAKMT_STATUS_ERROR;
	} else {
		thunk.topo_acquired = true;
		*SystemProperties = thunk.topo->sys;
	}
	pthread_mutex_unlock(&thunk.lock);
	return status;
}

THUNK_API HSAKMT_STATUS hsaKmtReleaseSystemProperties(void)
{
	pthread_mutex_lock(&thunk.lock);
	thunk.topo_acquired = false;
	pthread_mutex_unlock(&thunk.lock);
	return HSAKMT_STATUS_SUCCESS;
}

/* Enter a query of @node: returns with thunk.lock held on success. */
static HSAKMT_STATUS query_begin(uint32_t node, const void *out, struct topo_node **nd)
{
	THUNK_CHECK_OPEN();
	if (!out)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	pthread_mutex_lock(&thunk.lock);
	if (!thunk.topo_acquired || !thunk.topo || node >= thunk.topo->nr_nodes) {
		pthread_mutex_unlock(&thunk.lock);
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	}
	*nd = &thunk.topo->nodes[node];
	return HSAKMT_STATUS_SUCCESS;
}

static void query_end(void)
{
	pthread_mutex_unlock(&thunk.lock);
}

static uint32_t extra_heaps(const struct topo_node *nd)
{
	const struct thunk_gpu *gpu = nd->gpu_id ? thunk_gpu_by_id(nd->gpu_id) : NULL;

	return gpu ? GPU_EXTRA_HEAPS + (gpu->mmio != NULL) : 0;
}

THUNK_API HSAKMT_STATUS hsaKmtGetNodeProperties(HSAuint32 NodeId,
						HsaNodeProperties *NodeProperties)
{
	struct topo_node *nd;
	HSAKMT_STATUS status = query_begin(NodeId, NodeProperties, &nd);

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	*NodeProperties = nd->props;
	NodeProperties->NumMemoryBanks += extra_heaps(nd);
	query_end();
	return HSAKMT_STATUS_SUCCESS;
}

static uint32_t fill_heaps(const struct topo_node *nd, HsaMemoryProperties *heap)
{
	const struct thunk_gpu *gpu = thunk_gpu_by_id(nd->gpu_id);
	uint32_t n = 0;

	memset(heap, 0, (GPU_EXTRA_HEAPS + 1) * sizeof(*heap));
	heap[n].HeapType = HSA_HEAPTYPE_GPU_LDS;
	heap[n].SizeInBytes = (uint64_t)nd->props.LDSSizeInKB * 1024;
	heap[n++].VirtualBaseAddress = gpu->aperture.lds_base;
	heap[n].HeapType = HSA_HEAPTYPE_GPU_SCRATCH;
	heap[n].SizeInBytes = gpu->aperture.scratch_limit - gpu->aperture.scratch_base + 1;
	heap[n++].VirtualBaseAddress = gpu->aperture.scratch_base;
	heap[n].HeapType = HSA_HEAPTYPE_DEVICE_SVM;
	heap[n].SizeInBytes = gpu->aperture.gpuvm_limit - gpu->aperture.gpuvm_base + 1;
	heap[n++].VirtualBaseAddress = gpu->aperture.gpuvm_base;
	if (gpu->mmio) {
		heap[n].HeapType = HSA_HEAPTYPE_MMIO_REMAP;
		heap[n].SizeInBytes = THUNK_PAGE;
		heap[n++].VirtualBaseAddress = (uintptr_t)gpu->mmio;
	}
	return n;
}

THUNK_API HSAKMT_STATUS hsaKmtGetNodeMemoryProperties(HSAuint32 NodeId, HSAuint32 NumBanks,
						      HsaMemoryProperties *MemoryProperties)
{
	HsaMemoryProperties heaps[GPU_EXTRA_HEAPS + 1];
	struct topo_node *nd;
	HSAKMT_STATUS status = query_begin(NodeId, MemoryProperties, &nd);
	uint32_t n = 0, extra;

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	memset(MemoryProperties, 0, NumBanks * sizeof(*MemoryProperties));
	for (; n < NumBanks && n < nd->props.NumMemoryBanks; n++)
		MemoryProperties[n] = nd->mem[n];
	if (extra_heaps(nd)) {
		extra = fill_heaps(nd, heaps);
		for (uint32_t i = 0; i < extra && n < NumBanks; i++)
			MemoryProperties[n++] = heaps[i];
	}
	query_end();
	return HSAKMT_STATUS_SUCCESS;
}

/* ProcessorId is of no use: the caches of all processors are given, as there is room. */
THUNK_API HSAKMT_STATUS hsaKmtGetNodeCacheProperties(HSAuint32 NodeId, HSAuint32 ProcessorId,
						     HSAuint32 NumCaches,
						     HsaCacheProperties *CacheProperties)
{
	struct topo_node *nd;
	HSAKMT_STATUS status = query_begin(NodeId, CacheProperties, &nd);

	(void)ProcessorId;
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (NumCaches > nd->props.NumCaches)
		status = HSAKMT_STATUS_INVALID_PARAMETER;
	for (uint32_t i = 0; i < NumCaches && i < nd->props.NumCaches; i++)
		CacheProperties[i] = nd->caches[i];
	query_end();
	return status;
}

THUNK_API HSAKMT_STATUS hsaKmtGetNodeIoLinkProperties(HSAuint32 NodeId, HSAuint32 NumIoLinks,
						      HsaIoLinkProperties *IoLinkProperties)
{
	struct topo_node *nd;
	HSAKMT_STATUS status = query_begin(NodeId, IoLinkProperties, &nd);

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (NumIoLinks > nd->props.NumIOLinks)
		status = HSAKMT_STATUS_INVALID_PARAMETER;
	for (uint32_t i = 0; i < NumIoLinks && i < nd->props.NumIOLinks; i++)
		IoLinkProperties[i] = nd->links[i];
	query_end();
	return status;
}
