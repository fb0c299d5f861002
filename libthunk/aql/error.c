// SPDX-License-Identifier: MIT
/* Errors: the thunk's status as errno, and words for all of them. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "aql_int.h"

int aql_status(HSAKMT_STATUS status)
{
	switch (status) {
	case HSAKMT_STATUS_SUCCESS:
		return 0;
	case HSAKMT_STATUS_INVALID_PARAMETER:
	case HSAKMT_STATUS_INVALID_HANDLE:
	case HSAKMT_STATUS_MEMORY_ALIGNMENT:
		return -EINVAL;
	case HSAKMT_STATUS_INVALID_NODE_UNIT:
		return -ENODEV;
	case HSAKMT_STATUS_NO_MEMORY:
		return -ENOMEM;
	case HSAKMT_STATUS_OUT_OF_RESOURCES:
		return -ENOSPC;
	case HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED:
		return -ENXIO;
	case HSAKMT_STATUS_DRIVER_MISMATCH:
		return -EPROTO;
	case HSAKMT_STATUS_NOT_IMPLEMENTED:
	case HSAKMT_STATUS_NOT_SUPPORTED:
		return -EOPNOTSUPP;
	case HSAKMT_STATUS_WAIT_TIMEOUT:
		return -ETIMEDOUT;
	default:
		return -EIO;
	}
}

uint64_t aql_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* Where the errno's own text would not say what is wrong. */
static const struct {
	int err;
	const char *text;
} texts[] = {
	{ EBADMSG, "malformed packet or metadata" },
	{ ECANCELED, "the GPU stopped working for this process" },
	{ EFAULT, "the GPU accessed memory that is not mapped for it" },
	{ EILSEQ, "the GPU met an instruction it does not have" },
	{ ENODEV, "no such GPU" },
	{ ENOEXEC, "not a code object, or a damaged one" },
	{ ENOTSUP, "not supported by this device or this version of the library" },
	{ ENXIO, "cannot open /dev/kfd: the driver is not loaded, or access is denied" },
	{ EPROTO, "the driver speaks another version of the interface" },
	{ ESRCH, "no kernel of that name in the code object" },
	{ ETIMEDOUT, "timed out" },
	{ ENOTRECOVERABLE, "a wave ran into a trap" },
	{ EXDEV, "the code object is for another GPU or other features of it" },
};

/**
 * aql_strerror() - words for an error
 * @err: what a function of the library returned
 *
 * Return: a string that stays valid.
 */
AQL_API const char *aql_strerror(int err)
{
	if (err < 0)
		err = -err;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].err == err)
			return texts[i].text;
	return strerror(err);
}

static const struct {
	uint64_t bit;
	int err;
	const char *name;
} queue_errors[] = {
	{ 0x1, ENOMEM, "insufficient scratch memory" },
	{ 0x2, EINVAL, "invalid number of dimensions" },
	{ 0x4, ENOMEM, "group memory larger than the device has" },
	{ 0x8, ENOEXEC, "invalid kernel object" },
	{ 0x20, EBADMSG, "invalid packet" },
	{ 0x40, EINVAL, "work-group too large" },
	{ 0x80, EINVAL, "kernel needs more registers than there are" },
	{ 0x100, EBADMSG, "invalid vendor packet" },
	{ 0x400, ENOMEM, "insufficient scratch memory" },
	{ 0x20000000, EFAULT, "memory aperture violation" },
	{ 0x40000000, EILSEQ, "illegal instruction" },
	{ 0x80000000, ENOTRECOVERABLE, "trap" },
};

static int lookup(uint64_t code)
{
	for (size_t i = 0; i < sizeof(queue_errors) / sizeof(queue_errors[0]); i++)
		if (code & queue_errors[i].bit)
			return i;
	return -1;
}

/**
 * aql_queue_error_name() - words for the code that stopped a queue
 */
AQL_API const char *aql_queue_error_name(uint64_t code)
{
	int i = lookup(code);

	return !code ? "no error" : i < 0 ? "unknown error" : queue_errors[i].name;
}

/**
 * aql_queue_error() - whether the GPU stopped a queue, and why
 * @queue: the queue
 * @code: what the GPU reported, may be NULL; see aql_queue_error_name()
 *
 * A queue that has stopped does not run again; destroy it.
 *
 * Return: 0 if it runs, else the negative errno that goes with the code.
 */
AQL_API int aql_queue_error(struct aql_queue *queue, uint64_t *code)
{
	int i;

	aql_queue_lock(queue);
	aql_queue_service(queue);
	aql_queue_unlock(queue);
	if (code)
		*code = queue->error;
	i = lookup(queue->error);
	return !queue->error ? 0 : i < 0 ? -EIO : -queue_errors[i].err;
}
