// SPDX-License-Identifier: MIT
/*
 * libFuzzer: files of vkfd-trace from elsewhere, through all that reads them: the check, stat, show,
 * and a replay on a GPU that is made up here. Whatever is in a file, the replayer stays within its own
 * memory, which the GPU that we are looks at: each buffer has to be what the replayer owns.
 *
 * The first byte says how the rest is read: as a file; or as a list of records, each of which takes
 * 16 bytes, so that whole pages need not be invented byte by byte, and some changes of words.
 */
#define _GNU_SOURCE
#include <assert.h>
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
#include "linux/kfd_ioctl.h"
#include "tools/trace.h"
#include "tools/trace_names.h"

#define PAGE_BYTES	((size_t)VKFD_CAPTURE_PAGE_BYTES)
#define RECORDS_MAX	8
#define PAGES_MAX	3	/* of a dispatch */
#define MEMORY_MAX	(64u << 20)
#define FILE_ROOM	(RECORDS_MAX * (PAGES_MAX + 1) * (2 * PAGE_BYTES + 512))

/* ----------------------------------------------------------------- the GPU */

/* What the replayer has mapped, and the queue that it has */
static uint8_t *memory;
static size_t memory_bytes;
static unsigned int queues, signals, buffers, tick;
static uint32_t *packets;

/* Places that are only kept free are not taken from the fuzzer's process */
static void *fake_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	(void)prot; (void)fd; (void)offset;
	if (flags & MAP_FIXED_NOREPLACE)
		return at;
	if (len > MEMORY_MAX) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	assert(!memory && !at);
	memory = aligned_alloc(PAGE_BYTES, len);
	memory_bytes = len;
	memset(memory, 0, len);
	return memory;
}

static int fake_munmap(void *at, size_t len)
{
	assert(at == memory && len == memory_bytes);
	free(memory);
	memory = NULL;
	return 0;
}

static int fake_open(const char *path, int flags)
{
	assert(!strcmp(path, "/dev/kfd"));
	return open("/dev/null", flags);
}

/* A GPU that writes to whatever it is given. Now and then there is no more room. */
static int fake_ioctl(int fd, unsigned long request, void *arg);

#define mmap		fake_mmap
#define munmap		fake_munmap
#define open(...)	fake_open(__VA_ARGS__)
#define ioctl		fake_ioctl
#undef stderr
#define stderr		stdout
#include "../../libthunk/tools/trace_replay.c"
#undef ioctl

static int fake_ioctl(int fd, unsigned long request, void *arg)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args *a = arg;

	assert(fd >= 0);
	if (request == AMDKFD_IOC_FREE_MEMORY_OF_GPU) {
		assert(buffers--);
		return 0;
	}
	if (request != AMDKFD_IOC_ALLOC_MEMORY_OF_GPU)
		return 0;
	assert(a->size && a->size % PAGE == 0 && a->va_addr % PAGE == 0 && a->va_addr);
	assert(a->mmap_offset >= (uintptr_t)memory &&
	       a->mmap_offset + a->size <= (uintptr_t)memory + memory_bytes);
	if (++tick % 61 == 0) {
		errno = ENOMEM;
		return -1;
	}
	if (a->flags & KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE)
		((uint8_t *)(uintptr_t)a->mmap_offset)[tick % a->size]++;
	a->handle = tick;
	buffers++;
	return 0;
}

int aql_open(unsigned int index, struct aql_dev **dev)
{
	*dev = (void *)&tick;
	return index ? -ENODEV : 0;
}

void aql_close(struct aql_dev *dev)
{
	assert(dev && !packets);
}

void aql_dev_get_info(const struct aql_dev *dev, struct aql_dev_info *info)
{
	(void)dev;
	*info = (struct aql_dev_info){ .gfx = "gfx90a", .gpu_id = 1 };
}

int aql_queue_create(struct aql_dev *dev, unsigned int n, struct aql_queue **queue)
{
	(void)dev; (void)n;
	queues++;
	*queue = (void *)&queues;
	return 0;
}

void aql_queue_destroy(struct aql_queue *queue)
{
	queues -= !!queue;
}

int aql_alloc(struct aql_dev *dev, size_t size, unsigned int flags, void **ptr)
{
	(void)dev; (void)flags;
	assert(!packets);
	*ptr = packets = calloc(1, size);
	return 0;
}

int aql_free(struct aql_dev *dev, void *ptr)
{
	(void)dev;
	assert(ptr == packets);
	free(ptr);
	packets = NULL;
	return 0;
}

int aql_signal_create(struct aql_dev *dev, int64_t value, unsigned int flags, struct aql_signal **signal)
{
	(void)dev; (void)value; (void)flags;
	*signal = (void *)&signals;
	signals++;
	return 0;
}

void aql_signal_destroy(struct aql_signal *signal)
{
	assert(signal);
}

int aql_submit_raw(struct aql_queue *queue, const void *packet, uint16_t header)
{
	const uint32_t *dw = packet;

	assert(queue && !dw[14] && !dw[15] && header);
	return 0;
}

int aql_barrier(struct aql_queue *queue, struct aql_signal *const *deps, unsigned int n, bool any,
		struct aql_signal *done)
{
	(void)deps; (void)n; (void)any;
	assert(queue && done);
	return 0;
}

int aql_wait(struct aql_queue *queue, struct aql_signal *signal, uint64_t timeout_ns)
{
	(void)timeout_ns;
	assert(queue && signal);
	return ++tick % 7 ? 0 : -EFAULT;
}

int aql_queue_error(struct aql_queue *queue, uint64_t *code)
{
	assert(queue);
	*code = tick % 3;
	return tick % 3;
}

const char *aql_queue_error_name(uint64_t code)
{
	(void)code;
	return "an error";
}

const char *aql_strerror(int err)
{
	return strerror(err < 0 ? -err : err);
}

const char *device_why(unsigned int index, int err)
{
	(void)index;
	return aql_strerror(err);
}

int aql_dev_fault(struct aql_dev *dev, struct aql_fault *fault)
{
	(void)dev;
	*fault = (struct aql_fault){ .va = PAGE };
	return tick % 2;
}

/* ----------------------------------------------------------------- files */

struct file {
	uint8_t *data;
	size_t size;
};

static void *add(struct file *f, uint32_t type, size_t bytes)
{
	struct vkfd_capture_record *r = (void *)(f->data + f->size);

	assert(f->size + bytes <= FILE_ROOM);
	memset(r, 0, bytes);
	r->type = type;
	r->bytes = (uint32_t)bytes;
	f->size += bytes;
	return r;
}

static void add_page(struct file *f, uint8_t what)
{
	uint32_t flags = what & 7;
	size_t bytes = sizeof(struct vkfd_capture_page) + (flags & VKFD_CAPTURE_ZERO ? 0 : PAGE_BYTES) +
		       (flags & VKFD_CAPTURE_CHANGED ? PAGE_BYTES : 0);
	struct vkfd_capture_page *p = add(f, VKFD_CAPTURE_PAGE, bytes);

	p->va = (16u + (what >> 3)) * PAGE_BYTES;
	p->access = what >> 1 & 7;
	p->flags = flags;
	if (bytes > sizeof(*p))
		((uint8_t *)(p + 1))[what] = what;
}

/* One record of 16 bytes: type, number of pages, and what goes into its head */
static void add_record(struct file *f, const uint8_t in[16])
{
	static const uint32_t types[] = { VKFD_CAPTURE_LOST, VKFD_CAPTURE_TEXT, VKFD_CAPTURE_OPCODE,
					  VKFD_CAPTURE_COMMAND, VKFD_CAPTURE_NAME };
	struct vkfd_capture_dispatch *d;
	struct vkfd_capture_pm4 *p;
	bool pm4 = in[0] & 1;

	if (in[0] & 2) {
		void *r = add(f, types[in[1] % 5], 64);

		memcpy((uint8_t *)r + 8, in + 2, 14);
		return;
	}
	d = add(f, VKFD_CAPTURE_DISPATCH, sizeof(*d) + (pm4 ? sizeof(*p) : 0));
	d->flags = (pm4 ? VKFD_CAPTURE_PM4 : 0) | (in[0] & 4 ? VKFD_CAPTURE_BESIDE : 0);
	d->pages = in[1] % (PAGES_MAX + 1);
	d->gfx = in[0] & 8 ? 110000 : 90010;
	d->instructions = in[2];
	d->waves = in[3];
	d->kernel_object = pm4 ? 0 : in[4] * 64u;
	d->pc = in[5] * 256u;
	for (unsigned int i = 0; i < 3; i++) {
		d->grid[i] = in[6 + i];
		d->group[i] = 1u + in[9 + i];
	}
	if (pm4) {
		p = (void *)(d + 1);
		p->lanes = in[0] & 16 ? 32 : 64;
		p->scratch = (16ull + in[12]) * PAGE_BYTES + (in[13] & 15) * 256u;
		p->scratch_bytes = (uint64_t)in[14] << (in[15] & 15);
	}
	for (uint32_t i = 0; i < d->pages; i++)
		add_page(f, in[4 + i] ^ in[15]);
}

/* Inputs are short at first, and begin again at their end. */
static void take(const uint8_t *data, size_t size, size_t *at, uint8_t *to, size_t n)
{
	for (; n--; (*at)++)
		*to++ = data[*at % size] ^ (uint8_t)(*at / size * 37);
}

static void make_file(struct file *f, const uint8_t *data, size_t size)
{
	struct vkfd_capture_header *h = add(f, VKFD_CAPTURE_HEADER, sizeof(*h));
	uint8_t counts[3], in[16] = { 0 };
	size_t at = 0;

	h->magic = VKFD_CAPTURE_MAGIC;
	take(data, size, &at, counts, sizeof(counts));
	for (unsigned int n = counts[0] % (RECORDS_MAX + 1); n; n--) {
		take(data, size, &at, in, sizeof(in));
		add_record(f, in);
	}
	/* Changes: where, and what word is there */
	for (unsigned int n = counts[1] % 4; n; n--) {
		uint16_t where;

		take(data, size, &at, in, 6);
		memcpy(&where, in, sizeof(where));
		memcpy(f->data + where % (f->size / 4) * 4, in + 2, 4);
	}
	if (counts[2] > 250)
		f->size -= in[0] % f->size;
}

/* A code object in a process's memory, which may end anywhere */
static bool read_file(void *from, uint64_t va, void *to, size_t len)
{
	const struct file *f = from;

	if (va > f->size || len > f->size - va)
		return false;
	memcpy(to, f->data + va, len);
	return true;
}

static void name(const struct file *f)
{
	/* From the second page on: the first address is none */
	struct file moved = { .data = calloc(1, f->size + PAGE_BYTES), .size = f->size + PAGE_BYTES };
	const struct trace_memory m = { .read = read_file, .from = &moved };
	char text[TRACE_NAME_MAX];

	memcpy(moved.data + PAGE_BYTES, f->data, f->size);
	if (trace_find_name(&m, (moved.size - 1) & ~63ull, text))
		assert(*text && strlen(text) < TRACE_NAME_MAX);
	free(moved.data);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc; (void)argv;
	/* What is printed is of no interest */
	return !freopen("/dev/null", "w", stdout);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct replay_options options = { .timeout_s = 1 };
	static uint8_t room[FILE_ROOM];
	struct file f = { .data = room };
	struct trace t;
	int status;

	if (size < 2)
		return 0;
	tick = data[0];
	if (data[0] % 8 == 0) {
		f.size = size - 1;
		memcpy(f.data, data + 1, f.size);
		name(&f);
	} else {
		make_file(&f, data + 1, size - 1);
	}
	/* Memory that ends where the file does */
	t = (struct trace){ .data = memcpy(malloc(f.size + 1), f.data, f.size), .size = f.size };
	if (!trace_check(&t)) {
		trace_stat(&t, NULL);
		trace_show(&t);
		status = trace_replay(&t, &options);
		assert(status == EXIT_SUCCESS || status == EXIT_FAILURE);
		assert(!memory && !queues && !buffers && !packets);
	}
	free((void *)t.data);
	return 0;
}
