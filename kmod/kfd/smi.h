/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System management events: for code that reports them. Callers may hold spinlocks and
 * must not sleep. smi.c knows whether anybody listens.
 */
#ifndef VKFD_SMI_H
#define VKFD_SMI_H

#include <linux/compiler.h>
#include <linux/types.h>

struct gpu_device;

/**
 * vkfd_smi_event() - send an event to the clients of a device
 * @gdev: the device
 * @pid: the process the event belongs to; 0 if it concerns the device as a whole
 * @event: KFD_SMI_EVENT_*
 * @fmt: the text after the event's number; it must end the line
 */
__printf(4, 5)
void vkfd_smi_event(struct gpu_device *gdev, pid_t pid, unsigned int event, const char *fmt, ...);

struct gpu_process;

/* A process starts or stops using a device; all its clients get the event. */
void vkfd_smi_process(struct gpu_device *gdev, const struct gpu_process *p, unsigned int event);

/* Causes of resets, as amdgpu_reset_get_desc() has them */
#define VKFD_SMI_HANG	"HWS hang"
#define VKFD_SMI_RAS	"RAS error"

/* @cause: NULL where the real driver says none: when the reset is over */
void vkfd_smi_reset(struct gpu_device *gdev, unsigned int event, u32 seq, const char *cause);

#endif /* VKFD_SMI_H */
