// SPDX-License-Identifier: MIT
/*
 * The demonstration: kernels that a compiler made run on the GPU behind /dev/kfd, their results
 * are those of the CPU, and submitting them does not enter the kernel.
 *
 *	vkfd-demo [DIRECTORY-OF-HSACO-FILES]
 *
 * The exit status is 0 only if every comparison and every claim printed held.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "demo.h"

#define QUEUE_PACKETS	1024

double demo_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

int demo_fail(const char *what, int err)
{
	fflush(stdout);
	fprintf(stderr, "demo: %s: %s\n", what, aql_strerror(err));
	return EXIT_FAILURE;
}

static int load(struct demo *d, const char *dir, const char *stem, struct aql_code **code)
{
	char path[PATH_MAX + 64];
	int err;

	snprintf(path, sizeof(path), "%s/%s-%s.hsaco", dir, stem, d->info.gfx);
	err = aql_code_load_file(d->dev, path, code);
	return err ? demo_fail(path, err) : 0;
}

static int set_up(struct demo *d, const char *dir)
{
	int err = aql_open(0, &d->dev);

	if (err)
		return demo_fail("cannot open the GPU", err);
	aql_dev_get_info(d->dev, &d->info);
	if (load(d, dir, "kernels", &d->bench) || load(d, dir, "vadd", &d->own))
		return EXIT_FAILURE;
	err = aql_queue_create(d->dev, QUEUE_PACKETS, &d->queue);
	if (err)
		return demo_fail("cannot make a queue", err);
	err = aql_signal_create(d->dev, 1, 0, &d->done);
	return err ? demo_fail("cannot make a signal", err) : 0;
}

static void describe(const struct demo *d)
{
	const struct aql_dev_info *i = &d->info;
	struct aql_queue_info q;

	aql_queue_get_info(d->queue, &q);
	printf("  device    %s%s%s, %u compute units, %" PRIu64 " MiB, node %u, gpu_id %u\n",
	       i->isa, *i->name ? ", " : "", i->name, i->cu_count, i->vram_bytes >> 20, i->node,
	       i->gpu_id);
	printf("  queue     %u packets at %p, AQL\n", q.packets, q.ring);
	printf("  doorbell  %p, 64 bits, mapped from /dev/kfd\n", (void *)q.doorbell);
	fflush(stdout);
}

static void tear_down(struct demo *d)
{
	aql_queue_destroy(d->queue);
	aql_signal_destroy(d->done);
	aql_code_unload(d->bench);
	aql_code_unload(d->own);
	aql_close(d->dev);
}

/* Where the program is, where its kernels are as well. */
static const char *own_directory(void)
{
	static char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0)
		return ".";
	path[n] = '\0';
	return dirname(path);
}

int main(int argc, char **argv)
{
	struct demo d = { 0 };
	double start = demo_seconds();
	int failed;

	if (argc > 2) {
		fprintf(stderr, "usage: vkfd-demo [DIRECTORY-OF-HSACO-FILES]\n");
		return 2;
	}
	puts("vkfd demo");
	if (set_up(&d, argc > 1 ? argv[1] : own_directory())) {
		tear_down(&d);
		return EXIT_FAILURE;
	}
	describe(&d);
	failed = demo_kernels(&d);
	if (!failed) {
		failed += demo_submit(&d);
		fflush(stdout);
		failed += demo_idle(&d);
	}
	tear_down(&d);
	printf("\n%s, %.1f s\n", failed ? "FAILED" : "all results are the CPU's",
	       demo_seconds() - start);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
