// SPDX-License-Identifier: MIT
/*
 * Shared virtual memory attributes, and whether GPUs retry page faults.
 *
 * Attributes that name a place carry a node in the interface above and a gpu_id in the kernel's;
 * 0xffffffff is "undefined" in both, and a CPU node is 0 below.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "thunk.h"

static bool names_place(uint32_t type)
{
	return type <= HSA_SVM_ATTR_NO_ACCESS;
}

static bool names_location(uint32_t type)
{
	return type == HSA_SVM_ATTR_PREFERRED_LOC || type == HSA_SVM_ATTR_PREFETCH_LOC;
}

static HSAKMT_STATUS to_kernel(struct kfd_ioctl_svm_attribute *k, const HSA_SVM_ATTRIBUTE *a,
			       bool get)
{
	struct thunk_gpu *gpu;

	k->type = a->type;
	k->value = a->value;
	if (!names_place(a->type) || (get && names_location(a->type)))
		return HSAKMT_STATUS_SUCCESS;
	if (names_location(a->type) && a->value == INVALID_NODEID)
		return HSAKMT_STATUS_SUCCESS;
	if (thunk_gpu_by_node(a->value, &gpu))
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	/* a CPU can be a location, but the GPUs' access is all there is to give */
	if (!gpu && !names_location(a->type))
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	k->value = gpu ? gpu->gpu_id : 0;
	return HSAKMT_STATUS_SUCCESS;
}

static void from_kernel(HSA_SVM_ATTRIBUTE *a, const struct kfd_ioctl_svm_attribute *k)
{
	const struct thunk_gpu *gpu;

	a->type = k->type;
	a->value = k->value;
	if (!names_place(k->type) || k->value == KFD_IOCTL_SVM_LOCATION_UNDEFINED)
		return;
	gpu = k->value ? thunk_gpu_by_id(k->value) : NULL;
	a->value = gpu ? gpu->node : 0;
}

static HSAKMT_STATUS svm(void *addr, uint64_t size, unsigned int nattr, HSA_SVM_ATTRIBUTE *attrs,
			 uint32_t op)
{
	const bool get = op == KFD_IOCTL_SVM_OP_GET_ATTR;
	struct kfd_ioctl_svm_args *args;
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	size_t tail = nattr * sizeof(struct kfd_ioctl_svm_attribute);
	unsigned long cmd;
	int err;

	THUNK_CHECK_OPEN();
	if (!addr || !size || (uintptr_t)addr % THUNK_PAGE || size % THUNK_PAGE)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if ((nattr && !attrs) || sizeof(*args) + tail >= 1u << _IOC_SIZEBITS)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	args = calloc(1, sizeof(*args) + tail);
	if (!args)
		return HSAKMT_STATUS_NO_MEMORY;
	args->start_addr = (uintptr_t)addr;
	args->size = size;
	args->op = op;
	args->nattr = nattr;
	for (unsigned int i = 0; i < nattr && status == HSAKMT_STATUS_SUCCESS; i++)
		status = to_kernel(&args->attrs[i], &attrs[i], get);
	if (status == HSAKMT_STATUS_SUCCESS) {
		cmd = _IOC(_IOC_READ | _IOC_WRITE, AMDKFD_IOCTL_BASE, _IOC_NR(AMDKFD_IOC_SVM),
			   sizeof(*args) + tail);
		err = thunk_ioctl(cmd, args);
		status = thunk_status(err);
		for (unsigned int i = 0; !err && get && i < nattr; i++)
			from_kernel(&attrs[i], &args->attrs[i]);
	}
	free(args);
	return status;
}

THUNK_API HSAKMT_STATUS hsaKmtSVMSetAttr(void *start_addr, HSAuint64 size, unsigned int nattr,
					 HSA_SVM_ATTRIBUTE *attrs)
{
	return svm(start_addr, size, nattr, attrs, KFD_IOCTL_SVM_OP_SET_ATTR);
}

THUNK_API HSAKMT_STATUS hsaKmtSVMGetAttr(void *start_addr, HSAuint64 size, unsigned int nattr,
					 HSA_SVM_ATTRIBUTE *attrs)
{
	return svm(start_addr, size, nattr, attrs, KFD_IOCTL_SVM_OP_GET_ATTR);
}

THUNK_API HSAKMT_STATUS hsaKmtSetXNACKMode(HSAint32 enable)
{
	struct kfd_ioctl_set_xnack_mode_args args = { .xnack_enabled = enable };
	int err;

	THUNK_CHECK_OPEN();
	err = thunk_ioctl(AMDKFD_IOC_SET_XNACK_MODE, &args);
	return err == -EBUSY ? HSAKMT_STATUS_ERROR : thunk_status(err);
}

THUNK_API HSAKMT_STATUS hsaKmtGetXNACKMode(HSAint32 *enable)
{
	struct kfd_ioctl_set_xnack_mode_args args = { .xnack_enabled = -1 };
	int err;

	THUNK_CHECK_OPEN();
	if (!enable)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	err = thunk_ioctl(AMDKFD_IOC_SET_XNACK_MODE, &args);
	if (err)
		return thunk_status(err);
	*enable = args.xnack_enabled;
	return HSAKMT_STATUS_SUCCESS;
}
