// SPDX-License-Identifier: GPL-2.0-only
/*
 * RUNTIME_ENABLE: a runtime announces that it handles exceptions itself
 * (exception.c), and where a debugger finds its state. Errors are those of the Linux
 * 7.2 driver: EBUSY if it is already enabled, EEXIST if there are queues. Disabling
 * never fails.
 *
 * The trap temporary registers (TTMPs) are always set up here, so the mode's bit for
 * them changes nothing.
 *
 * There is no debugger interface. DBG_TRAP answers every request as the real driver
 * does where no hardware schedules the queues (sched_policy=2), and the topology does
 * not claim that traps can be debugged.
 */
#include <linux/capability.h>

#include "kfd.h"

static void vkfd_runtime_set(struct vkfd_process *p, bool on)
{
	unsigned int i;

	lockdep_assert_held(&p->base.lock);
	p->runtime.state = on ? DEBUG_RUNTIME_STATE_ENABLED : DEBUG_RUNTIME_STATE_DISABLED;
	for (i = 0; i < p->num_pdds; i++)
		WRITE_ONCE(p->pdds[i]->base.exception_debug, on);
}

static int vkfd_runtime_enable(struct vkfd_process *p,
			       const struct kfd_ioctl_runtime_enable_args *args)
{
	lockdep_assert_held(&p->base.lock);
	if (p->runtime.state != DEBUG_RUNTIME_STATE_DISABLED)
		return -EBUSY;
	if (p->num_queues)
		return -EEXIST;
	p->runtime.r_debug = args->r_debug;
	p->runtime.ttmp_setup = args->mode_mask & KFD_RUNTIME_ENABLE_MODE_TTMP_SAVE_MASK;
	vkfd_runtime_set(p, true);
	return 0;
}

static void vkfd_runtime_disable(struct vkfd_process *p)
{
	lockdep_assert_held(&p->base.lock);
	p->runtime.r_debug = 0;
	p->runtime.ttmp_setup = false;
	vkfd_runtime_set(p, false);
}

int vkfd_ioctl_runtime_enable(struct vkfd_process *p, void *data)
{
	struct kfd_ioctl_runtime_enable_args *args = data;
	int ret = 0;

	mutex_lock(&p->base.lock);
	if (args->mode_mask & KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK)
		ret = vkfd_runtime_enable(p, args);
	else
		vkfd_runtime_disable(p);
	mutex_unlock(&p->base.lock);
	return ret;
}

int vkfd_ioctl_dbg_trap(struct vkfd_process *p, void *data)
{
	return p->primary ? -EOPNOTSUPP : -EINVAL;
}
