/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TESTS_PROCESS_H
#define TESTS_PROCESS_H

#include "../gpu/device.h"
#include "../gpu/process.h"

struct kunit;

/**
 * struct test_process - what cases about a process's memory need
 * @gdev: the first GPU, with a reference
 * @process: has an address space that belongs to the thread that runs the case
 */
struct test_process {
	struct gpu_device *gdev;
	struct gpu_process *process;
};

/* Fails the case if there is no GPU or no memory. */
void test_process_init(struct kunit *test, struct test_process *tp);
/* Also after the case has failed in test_process_init(). */
void test_process_fini(struct test_process *tp);

#endif /* TESTS_PROCESS_H */
