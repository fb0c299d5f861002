# SPDX-License-Identifier: MIT
# Two faults of Linux 7.2's arch/um, and one of what its configuration can say. qemu/kernel
# runs this over the files that have them.

# kernel/tlb.c: flush_tlb_mm() walks all VMAs, and may be called with nothing that keeps
# them (tlb_finish_mmu() of a truncation while another thread unmaps): lockdep says
# "suspicious RCU usage" then, by chance. What the walk marks ends up as one range from
# the first to the last VMA; this marks that much without looking at any.
/^void flush_tlb_mm(/,/^}/c\
void flush_tlb_mm(struct mm_struct *mm)\
{\
	um_tlb_mark_sync(mm, 0, TASK_SIZE);\
}

# kernel/time.c: the scheduler's clock steps by jiffies, 10 ms. All that happens between
# two ticks takes no time then: a thread that is woken waits for the tick, and idle CPUs
# do not take over threads. The host's clock is as cheap and is exact. The function that is
# there is for time travel only, which kernels with several CPUs can't have; others got that
# of kernel/sched/clock.c. So it stands between marks that end and begin that part.
/vkfd: sched_clock \*\/$/d
/^notrace unsigned long long sched_clock(/,/^}/c\
#endif /* vkfd: sched_clock */\
#include <linux/sched/clock.h> /* vkfd: sched_clock */\
notrace unsigned long long sched_clock(void)\
{\
	static unsigned long long start;\
	unsigned long long extra = 0;\
\
#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT\
	extra = (unsigned long long)tt_extra_sched_jiffies * (NSEC_PER_SEC / HZ);\
#endif\
	if (!start)\
		start = os_nsecs();\
	return os_nsecs() - start + extra;\
}\
#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT /* vkfd: sched_clock */

# mm/Kconfig: drivers select these two. Of those that um can have only InfiniBand does, whose
# core takes as long to compile as DRM's. With a name of their own they can be chosen.
/^config \(MMU_NOTIFIER\|HMM_MIRROR\)$/,/^$/s/^\tbool$/\tbool "For modules from outside the tree"/
