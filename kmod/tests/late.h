/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Suites that need a GPU. Kernels from about 6.7 on run a module's suites after its init
 * (kunit_module_notify() at MODULE_STATE_LIVE). Older kernels run them before it
 * (MODULE_STATE_COMING), so there the module's init starts these suites itself.
 */
#ifndef TESTS_LATE_H
#define TESTS_LATE_H

struct kunit_suite;

#if IS_ENABLED(CONFIG_KUNIT) && !defined(COMPAT_HAVE_KUNIT_MM)
extern struct kunit_suite * const vkfd_late_mem_suite;
extern struct kunit_suite * const vkfd_late_pc_suite;
extern struct kunit_suite * const vkfd_late_topo_suite;
extern struct kunit_suite * const vkfd_late_vm_suite;
extern struct kunit_suite * const vkfd_late_vram_suite;

#define VKFD_LATE_SUITE(_suite)	struct kunit_suite * const vkfd_late_##_suite = &_suite

void vkfd_late_suites_run(void);
void vkfd_late_suites_forget(void);
#else
#define VKFD_LATE_SUITE(_suite)	kunit_test_suite(_suite)

static inline void vkfd_late_suites_run(void)
{
}

static inline void vkfd_late_suites_forget(void)
{
}
#endif

#endif /* TESTS_LATE_H */
