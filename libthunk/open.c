// SPDX-License-Identifier: MIT
/*
 * Opening and closing /dev/kfd, the ioctl call, status codes, and what fork does to us.
 *
 * A forked child has the descriptor but not the kernel's process object: every ioctl of its
 * answers EBADF, and none of the GPU mappings came with it.  The child therefore starts from
 * nothing and may open again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "thunk.h"

struct thunk_state thunk = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.mem_lock = PTHREAD_MUTEX_INITIALIZER,
	.kfd_fd = -1,
};

/**
 * thunk_ioctl() - call /dev/kfd
 *
 * Return: 0 or a negative errno.  Interrupted calls are repeated, as all of the ABI's are safe
 * to repeat; WAIT_EVENTS has written back the time that is left by then.
 */
int thunk_ioctl(unsigned long cmd, void *arg)
{
	int r;

	do {
		r = ioctl(thunk.kfd_fd, cmd, arg);
	} while (r < 0 && (errno == EINTR || errno == EAGAIN));
	return r < 0 ? -errno : 0;
}

HSAKMT_STATUS thunk_status(int err)
{
	switch (-err) {
	case 0:
		return HSAKMT_STATUS_SUCCESS;
	case ENOMEM:
		return HSAKMT_STATUS_NO_MEMORY;
	case ENOSPC:
		return HSAKMT_STATUS_OUT_OF_RESOURCES;
	case EBADF:
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	case ENOTTY:
	case EOPNOTSUPP:
	case EPERM:
		return HSAKMT_STATUS_NOT_SUPPORTED;
	default:
		return HSAKMT_STATUS_ERROR;
	}
}

bool thunk_is_open(void)
{
	return __atomic_load_n(&thunk.opens, __ATOMIC_ACQUIRE) != 0;
}

struct thunk_gpu *thunk_gpu_by_id(uint32_t gpu_id)
{
	for (unsigned int i = 0; i < thunk.nr_gpus; i++)
		if (thunk.gpus[i].gpu_id == gpu_id)
			return &thunk.gpus[i];
	return NULL;
}

static void fork_prepare(void)
{
	pthread_mutex_lock(&thunk.lock);
	pthread_mutex_lock(&thunk.mem_lock);
}

static void fork_parent(void)
{
	pthread_mutex_unlock(&thunk.mem_lock);
	pthread_mutex_unlock(&thunk.lock);
}

static void fork_child(void)
{
	pthread_mutex_init(&thunk.lock, NULL);
	pthread_mutex_init(&thunk.mem_lock, NULL);

	if (thunk.kfd_fd >= 0)
		close(thunk.kfd_fd);
	for (unsigned int i = 0; i < thunk.nr_gpus; i++)
		if (thunk.gpus[i].drm_fd >= 0)
			close(thunk.gpus[i].drm_fd);
	thunk.kfd_fd = -1;
	thunk.opens = 0;
	thunk.nr_gpus = 0;
	memset(thunk.gpus, 0, sizeof(thunk.gpus));
	thunk.event_page = NULL;
	thunk_topology_drop();
	thunk_memory_forget();
	thunk_queues_forget();
	thunk_events_forget();
}

static void fork_setup(void)
{
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}

static int read_version(void)
{
	struct kfd_ioctl_get_version_args args = { 0 };
	int err = thunk_ioctl(AMDKFD_IOC_GET_VERSION, &args);

	if (err)
		return err;
	thunk.version.KernelInterfaceMajorVersion = args.major_version;
	thunk.version.KernelInterfaceMinorVersion = args.minor_version;
	return args.major_version == KFD_IOCTL_MAJOR_VERSION ? 0 : -EPROTO;
}

static HSAKMT_STATUS open_first(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	HSAKMT_STATUS status = HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	int err;

	pthread_once(&once, fork_setup);

	thunk.kfd_fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	if (thunk.kfd_fd < 0)
		return status;

	err = read_version();
	if (err) {
		status = err == -EPROTO ? HSAKMT_STATUS_DRIVER_MISMATCH : thunk_status(err);
		goto err_close;
	}
	err = thunk_topology_take();
	if (err) {
		status = HSAKMT_STATUS_ERROR;
		goto err_close;
	}
	err = thunk_memory_init();
	if (err) {
		status = err == -ENOMEM ? HSAKMT_STATUS_NO_MEMORY : HSAKMT_STATUS_ERROR;
		goto err_topo;
	}
	return HSAKMT_STATUS_SUCCESS;

err_topo:
	thunk_topology_drop();
err_close:
	close(thunk.kfd_fd);
	thunk.kfd_fd = -1;
	return status;
}

/**
 * hsaKmtOpenKFD() - open the driver for this process
 *
 * Return: SUCCESS the first time, KERNEL_ALREADY_OPENED when it was open already; both count.
 */
THUNK_API HSAKMT_STATUS hsaKmtOpenKFD(void)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_KERNEL_ALREADY_OPENED;

	pthread_mutex_lock(&thunk.lock);
	if (!thunk.opens)
		status = open_first();
	if (status == HSAKMT_STATUS_SUCCESS || status == HSAKMT_STATUS_KERNEL_ALREADY_OPENED)
		__atomic_store_n(&thunk.opens, thunk.opens + 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&thunk.lock);
	return status;
}

THUNK_API HSAKMT_STATUS hsaKmtCloseKFD(void)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;

	pthread_mutex_lock(&thunk.lock);
	if (!thunk.opens) {
		status = HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	} else {
		__atomic_store_n(&thunk.opens, thunk.opens - 1, __ATOMIC_RELEASE);
		if (!thunk.opens) {
			thunk_topology_drop();
			close(thunk.kfd_fd);
			thunk.kfd_fd = -1;
		}
	}
	pthread_mutex_unlock(&thunk.lock);
	return status;
}
