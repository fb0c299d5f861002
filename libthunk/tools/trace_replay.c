// SPDX-License-Identifier: MIT
/*
 * Replaying: the memory of each dispatch is put where the GPU saw it, the dispatch runs, and the
 * memory is compared with what the recording has of it. Each stands for itself.
 *
 * These addresses have to be free on the GPU. What the CPU has there does no harm, as the GPU's
 * address space has only what is mapped for it. So the addresses that are free are reserved before
 * the GPU is opened, and nothing that is made for it later can lie there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "aql/aql.h"
#include "device.h"
#include "linux/kfd_ioctl.h"
#include "trace.h"

#define PAGE		((uint64_t)VKFD_CAPTURE_PAGE_BYTES)
#define RUNS_MAX	30000	/* the kernel gives a process 65530 mappings */
#define SHOWN		4	/* differences of a dispatch that are printed */
#define SCRATCH_MAX	(1ull << 30)	/* private memory of a dispatch of PM4 packets */
#define SCRATCHES_MAX	(64ull << 30)	/* of all of them, where it is not the same */

/* Barrier, fences of the system's scope; a dispatch packet is of type 2, a buffer of PM4 of 0 */
#define BUFFER_HEADER	(1u << 8 | 2u << 9 | 2u << 11)
#define DISPATCH_HEADER	(2u | BUFFER_HEADER)

/* Pages side by side, with the same rights. */
struct run {
	uint64_t va, pages, first;	/* the number of its first page */
	uint32_t access;
	uint64_t handle;	/* of the kernel's buffer, 0: none */
};

struct replay {
	const struct trace *t;
	const struct replay_options *o;
	struct aql_dev *dev;
	struct aql_queue *queue;
	struct aql_dev_info info;
	uint32_t *pm4;			/* room for a dispatch's packets, which the GPU sees */
	int kfd;
	struct trace_page *pages;	/* of the dispatch, by address */
	uint8_t *mem;			/* their memory, in the same order */
	struct run *runs;
	uint64_t npages, nruns;
	uint64_t equal, different, failed, left_out;
};

static int page_order(const void *a, const void *b)
{
	const struct trace_page *x = a, *y = b;

	return x->va < y->va ? -1 : x->va > y->va;
}

/* @rights: pages with different ones are different runs. -1: the same page twice, or too many. */
static int make_runs(struct trace_page *pages, uint64_t n, bool rights, struct run **runs,
		     uint64_t *nruns)
{
	uint64_t i, k = 0;

	qsort(pages, n, sizeof(*pages), page_order);
	*runs = calloc(n + 1, sizeof(**runs));
	if (!*runs)
		return -1;
	for (i = 0; i < n; i++) {
		struct run *last = k ? &(*runs)[k - 1] : NULL;

		if (i && rights && pages[i].va == pages[i - 1].va)
			return -1;
		if (last && pages[i].va < last->va + last->pages * PAGE)
			continue;
		if (last && pages[i].va == last->va + last->pages * PAGE &&
		    (!rights || pages[i].access == last->access))
			last->pages++;
		else
			(*runs)[k++] = (struct run){ .va = pages[i].va, .pages = 1, .first = i,
						     .access = pages[i].access };
	}
	*nruns = k;
	return k > RUNS_MAX ? -1 : 0;
}

/* What is free of it. Something else may lie in the middle of a run. */
static void reserve_run(const struct run *run)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;

	if (mmap((void *)run->va, run->pages * PAGE, PROT_NONE, flags, -1, 0) != MAP_FAILED)
		return;
	for (uint64_t i = 0; i < run->pages; i++)
		mmap((void *)(run->va + i * PAGE), PAGE, PROT_NONE, flags, -1, 0);
}

/*
 * Private memory of PM4 dispatches, which has no pages in the recording. Return: its pages, of
 * the dispatch that has most; -1: it is too much.
 */
static int64_t reserve_scratch(const struct replay *r)
{
	const struct vkfd_capture_record *rec;
	const struct vkfd_capture_dispatch *d;
	const struct vkfd_capture_pm4 *p;
	uint64_t sum = 0, most = 0, first, last = 0;
	size_t at;

	for (at = 0; (rec = trace_next(r->t, &at));) {
		d = trace_dispatch(rec);
		p = d ? trace_pm4(d) : NULL;
		if (!p || !p->scratch_bytes || p->scratch_bytes > SCRATCH_MAX ||
		    trace_pm4_check(d, p))
			continue;
		first = p->scratch / PAGE;
		struct run run = {
			.va = first * PAGE,
			.pages = (p->scratch + p->scratch_bytes) / PAGE - first,
		};

		most = run.pages > most ? run.pages : most;
		/* One after another, dispatches of a program have the same */
		if (first == last || !run.pages)
			continue;
		last = first;
		sum += run.pages * PAGE;
		if (sum > SCRATCHES_MAX) {
			fprintf(stderr, "vkfd-trace: more private memory than is possible\n");
			return -1;
		}
		reserve_run(&run);
	}
	return most;
}

/* All pages of all dispatches, so that nothing that is opened later takes their place. */
static int reserve(struct replay *r)
{
	const struct vkfd_capture_record *rec;
	struct trace_page *pages;
	uint64_t n = 0, nruns = 0;
	struct run *runs = NULL;
	int64_t scratch = reserve_scratch(r);
	size_t at;
	int err = 0;

	if (scratch < 0)
		return -1;
	for (at = 0; (rec = trace_next(r->t, &at));)
		n += rec->type == VKFD_CAPTURE_PAGE;
	pages = calloc(n + 1, sizeof(*pages));
	r->pages = calloc(n + scratch + 1, sizeof(*r->pages));
	if (!pages || !r->pages) {
		free(pages);
		fprintf(stderr, "vkfd-trace: out of memory\n");
		return -1;
	}
	for (at = 0, n = 0; (rec = trace_next(r->t, &at));)
		n += trace_page(rec, &pages[n]);
	if (make_runs(pages, n, false, &runs, &nruns)) {
		fprintf(stderr, "vkfd-trace: more pieces of memory than a process can have\n");
		err = -1;
	}
	for (uint64_t i = 0; i < nruns && !err; i++)
		reserve_run(&runs[i]);
	free(runs);
	free(pages);
	return err;
}

static int start(struct replay *r)
{
	int err = aql_open(r->o->gpu, &r->dev);
	void *p;

	if (err) {
		fprintf(stderr, "vkfd-trace: %s\n", device_why(r->o->gpu, err));
		return err;
	}
	aql_dev_get_info(r->dev, &r->info);
	err = aql_queue_create(r->dev, 64, &r->queue);
	if (!err)
		err = aql_alloc(r->dev, PAGE, AQL_MEM_HOST | AQL_MEM_EXEC, &p);
	if (!err)
		r->pm4 = p;
	if (!err) {
		r->kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
		err = r->kfd < 0 ? -errno : 0;
	}
	if (err)
		fprintf(stderr, "vkfd-trace: GPU %u: %s\n", r->o->gpu, aql_strerror(err));
	return err;
}

/* ----------------------------------------------------------------- memory */

static void put_pages(const struct replay *r)
{
	for (uint64_t i = 0; i < r->npages; i++)
		if (r->pages[i].before)
			memcpy(r->mem + i * PAGE, r->pages[i].before, PAGE);
}

static int map_run(struct replay *r, struct run *run)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args alloc = {
		.va_addr = run->va, .size = run->pages * PAGE, .mmap_offset = (uintptr_t)r->mem + run->first * PAGE,
		.gpu_id = r->info.gpu_id,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE |
			 (run->access & 2 ? KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE : 0) |
			 (run->access & 4 ? KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE : 0) |
			 KFD_IOC_ALLOC_MEM_FLAGS_COHERENT,
	};
	struct kfd_ioctl_map_memory_to_gpu_args map = {
		.device_ids_array_ptr = (uintptr_t)&r->info.gpu_id, .n_devices = 1,
	};

	if (ioctl(r->kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &alloc))
		return -errno;
	run->handle = alloc.handle;
	map.handle = alloc.handle;
	return ioctl(r->kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map) ? -errno : 0;
}

static void unmap_runs(struct replay *r)
{
	for (uint64_t i = 0; i < r->nruns; i++) {
		struct run *run = &r->runs[i];
		struct kfd_ioctl_unmap_memory_from_gpu_args unmap = {
			.device_ids_array_ptr = (uintptr_t)&r->info.gpu_id, .n_devices = 1,
			.handle = run->handle,
		};
		struct kfd_ioctl_free_memory_of_gpu_args gone = { .handle = run->handle };

		if (run->handle) {
			ioctl(r->kfd, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &unmap);
			ioctl(r->kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &gone);
		}
	}
	free(r->runs);
	r->runs = NULL;
	r->nruns = 0;
	if (r->mem)
		munmap(r->mem, r->npages * PAGE);
	r->mem = NULL;
}

static int map_runs(struct replay *r)
{
	void *mem = NULL;
	int err = 0;

	if (r->npages)
		mem = mmap(NULL, r->npages * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		return -errno;
	r->mem = mem;
	put_pages(r);
	for (uint64_t i = 0; i < r->nruns && !err; i++)
		err = map_run(r, &r->runs[i]);
	return err;
}

/* -------------------------------------------------------------- dispatches */

static int run_packet(struct replay *r, const struct vkfd_capture_dispatch *d)
{
	uint8_t packet[64];
	struct aql_signal *done;
	uint16_t header = DISPATCH_HEADER;
	int err = aql_signal_create(r->dev, 1, 0, &done);

	if (err)
		return err;
	if (d->flags & VKFD_CAPTURE_PM4) {
		trace_pm4_buffer(packet, (uintptr_t)r->pm4,
				 trace_pm4_packets(d, trace_pm4(d), r->pm4));
		header = BUFFER_HEADER;
	} else {
		memcpy(packet, d->packet, sizeof(packet));
	}
	/* The signal of the recording is not here; a barrier behind the packet tells its end */
	memset(packet + 56, 0, 8);
	err = aql_submit_raw(r->queue, packet, header);
	if (!err)
		err = aql_barrier(r->queue, NULL, 0, false, done);
	if (!err)
		err = aql_wait(r->queue, done, r->o->timeout_s * 1000000000ull);
	/* After an error the packet may still complete some day, so its signal stays */
	if (!err)
		aql_signal_destroy(done);
	return err;
}

static bool compare_page(const struct trace_page *p, const uint8_t *got, unsigned int shown)
{
	static const uint8_t zeros[VKFD_CAPTURE_PAGE_BYTES];
	const uint8_t *want = p->after ? p->after : p->before ? p->before : zeros;
	uint32_t recorded, now;
	unsigned int i = 0;

	if (p->flags & VKFD_CAPTURE_GONE || !memcmp(want, got, PAGE))
		return true;
	/* A word: one byte of a sum does not tell how far apart the two are. */
	while (i < PAGE - sizeof(now) && !memcmp(want + i, got + i, sizeof(now)))
		i += sizeof(now);
	memcpy(&recorded, want + i, sizeof(recorded));
	memcpy(&now, got + i, sizeof(now));
	if (!shown)
		putchar('\n');
	if (shown < SHOWN)
		printf("  address 0x%" PRIx64 ": recorded %08" PRIx32 ", now %08" PRIx32 "\n",
		       p->va + i, recorded, now);
	return false;
}

/* Its queue is of no use any more. */
static int complain(struct replay *r, int err)
{
	struct aql_fault f;
	uint64_t code;

	printf("failed: %s", aql_strerror(err));
	if (aql_queue_error(r->queue, &code))
		printf(", %s", aql_queue_error_name(code));
	if (aql_dev_fault(r->dev, &f))
		printf(", address 0x%" PRIx64 "%s", f.va, f.not_present ? " (not in the recording)" : "");
	putchar('\n');
	r->failed++;
	aql_queue_destroy(r->queue);
	r->queue = NULL;
	return aql_queue_create(r->dev, 64, &r->queue);
}

static const char *why_not(const struct replay *r, const struct vkfd_capture_dispatch *d)
{
	const struct vkfd_capture_pm4 *p = trace_pm4(d);
	static char text[64];
	unsigned int major, minor, step;

	if (d->flags & VKFD_CAPTURE_PM4 && !p)
		return "of PM4 packets, without their registers";
	if (p && trace_pm4_check(d, p))
		return trace_pm4_check(d, p);
	if (p && p->scratch_bytes > SCRATCH_MAX)
		return "its private memory is too much";
	if (d->flags & VKFD_CAPTURE_SHORT)
		return "not all of its memory was recorded (record -m)";
	if (!d->instructions && !d->pages)
		return "nothing of it was recorded";
	major = d->gfx / 10000;
	minor = d->gfx / 100 % 100;
	step = d->gfx % 100;
	snprintf(text, sizeof(text), "gfx%u%x%x", major, minor, step);
	if (strcmp(text, r->info.gfx)) {
		snprintf(text, sizeof(text), "recorded on gfx%u%x%x, this is %s", major, minor, step,
			 r->info.gfx);
		return text;
	}
	return NULL;
}

/* Its private memory: contents at the end depend on which wave had which part of it. */
static void add_scratch(struct replay *r, const struct vkfd_capture_dispatch *d)
{
	const struct vkfd_capture_pm4 *p = trace_pm4(d);
	uint64_t n = r->npages;

	if (!p || !p->scratch_bytes)
		return;
	qsort(r->pages, n, sizeof(*r->pages), page_order);
	for (uint64_t i = p->scratch / PAGE; i < (p->scratch + p->scratch_bytes) / PAGE; i++) {
		struct trace_page page = { .va = i * PAGE, .access = 3,
					   .flags = VKFD_CAPTURE_ZERO | VKFD_CAPTURE_GONE };

		if (!bsearch(&page, r->pages, n, sizeof(page), page_order))
			r->pages[r->npages++] = page;
	}
}

static int replay_one(struct replay *r, const struct vkfd_capture_dispatch *d, uint64_t number)
{
	const char *why = why_not(r, d);
	unsigned int bad = 0;
	int err;

	printf("%" PRIu64 ": kernel 0x%" PRIx64 ", %ux%ux%u: ", number,
	       trace_kernel(d), d->grid[0], d->grid[1], d->grid[2]);
	if (!why)
		add_scratch(r, d);
	if (!why && make_runs(r->pages, r->npages, true, &r->runs, &r->nruns))
		why = "a page twice, or more pieces of memory than a process can have";
	if (why) {
		printf("left out: %s\n", why);
		r->left_out++;
		r->nruns = 0;
		free(r->runs);
		r->runs = NULL;
		return 0;
	}
	err = map_runs(r);
	if (!err)
		err = run_packet(r, d);
	if (err) {
		err = complain(r, err);
		unmap_runs(r);
		return err;
	}
	for (uint64_t i = 0; i < r->npages; i++)
		bad += !compare_page(&r->pages[i], r->mem + i * PAGE, bad);
	if (bad)
		printf("  %u of %" PRIu64 " pages differ%s\n", bad, r->npages,
		       d->flags & VKFD_CAPTURE_BESIDE ? "; another dispatch ran beside it" : "");
	else
		printf("%" PRIu64 " pages equal\n", r->npages);
	r->equal += !bad;
	r->different += !!bad;
	unmap_runs(r);
	return 0;
}

static int replay_all(struct replay *r)
{
	const struct vkfd_capture_dispatch *d;
	const struct vkfd_capture_record *rec;
	uint64_t number = 0;
	size_t at = 0;
	int err = 0;

	while (!err && (rec = trace_next(r->t, &at))) {
		d = trace_dispatch(rec);
		if (!d)
			continue;
		r->npages = 0;
		for (uint32_t i = 0; i < d->pages; i++)
			r->npages += trace_page(trace_next(r->t, &at), &r->pages[r->npages]);
		number++;
		if (!r->o->only || r->o->only == number)
			err = replay_one(r, d, number);
	}
	if (err)
		fprintf(stderr, "vkfd-trace: the GPU takes no more: %s\n", aql_strerror(err));
	return err;
}

int trace_replay(const struct trace *t, const struct replay_options *o)
{
	struct replay r = { .t = t, .o = o, .kfd = -1 };
	int err;

	setvbuf(stdout, NULL, _IOLBF, 0);
	err = reserve(&r);
	if (!err)
		err = start(&r);
	if (!err)
		err = replay_all(&r);
	if (r.dev)
		printf("%" PRIu64 " equal, %" PRIu64 " different, %" PRIu64 " failed, %" PRIu64
		       " left out\n", r.equal, r.different, r.failed, r.left_out);
	if (r.kfd >= 0)
		close(r.kfd);
	aql_queue_destroy(r.queue);
	if (r.dev)
		aql_free(r.dev, r.pm4);
	if (r.dev)
		aql_close(r.dev);
	free(r.pages);
	/* What was only left out is not shown to be right */
	return err || r.different || r.failed || !r.equal ?
	       EXIT_FAILURE : EXIT_SUCCESS;
}
