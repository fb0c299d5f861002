// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/kernel.h>

#include "late.h"

/* Runs the suites once, in this order; an old kernel does not run them again later. */
void vkfd_late_suites_run(void)
{
	struct kunit_suite *suites[] = {
		vkfd_late_mem_suite, vkfd_late_pc_suite, vkfd_late_topo_suite,
		vkfd_late_vm_suite, vkfd_late_vram_suite,
	};

	__kunit_test_suites_init(suites, ARRAY_SIZE(suites));
}

/* The suites' results are in debugfs files that point into the module: remove them. */
void vkfd_late_suites_forget(void)
{
	struct kunit_suite *suites[] = {
		vkfd_late_mem_suite, vkfd_late_pc_suite, vkfd_late_topo_suite,
		vkfd_late_vm_suite, vkfd_late_vram_suite,
	};

	__kunit_test_suites_exit(suites, ARRAY_SIZE(suites));
}
