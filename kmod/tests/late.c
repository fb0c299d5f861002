// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/kernel.h>

#include "late.h"

/* In order, and once: nothing asks such a kernel for a suite later. */
void vkfd_late_suites_run(void)
{
	struct kunit_suite *suites[] = {
		vkfd_late_pc_suite, vkfd_late_topo_suite, vkfd_late_vm_suite,
	};

	__kunit_test_suites_init(suites, ARRAY_SIZE(suites));
}

/* Their results lie in debugfs, and point into the module. */
void vkfd_late_suites_forget(void)
{
	struct kunit_suite *suites[] = {
		vkfd_late_pc_suite, vkfd_late_topo_suite, vkfd_late_vm_suite,
	};

	__kunit_test_suites_exit(suites, ARRAY_SIZE(suites));
}
