/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System management events, for who has one to report. Callers may hold
 * spinlocks and must not sleep; whether anybody listens is smi.c's business.
 */
#ifndef VKFD_SMI_H
#define VKFD_SMI_H

#include <linux/compiler.h>
#include <linux/types.h>

struct gpu_device;

/**
 * vkfd_smi_event() - tell the clients of a device
 * @gdev: where it happened
 * @pid: the process whose event it is; 0: of the device as a whole
 * @event: KFD_SMI_EVENT_*
 * @fmt: what follows the event's number; ends the line
 */
__printf(4, 5)
void vkfd_smi_event(struct gpu_device *gdev, pid_t pid, unsigned int event, const char *fmt, ...);

struct gpu_process;

/* A process begins to use a device, or does no longer: everybody hears of it. */
void vkfd_smi_process(struct gpu_device *gdev, const struct gpu_process *p, unsigned int event);

#endif /* VKFD_SMI_H */
