// SPDX-License-Identifier: MIT
/* libaql on the driver: kernels that need something of the runtime, and everything going wrong. */
#define _GNU_SOURCE
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "aql/aql.h"
#include "fork_tap.h"

#define SECOND	1000000000ull

static struct aql_dev *dev;
static struct aql_code *code;
static struct aql_queue *queue;
static struct aql_signal *done;
static uint32_t *out;
static char data_dir[PATH_MAX];

static void set_up(unsigned int packets)
{
	struct aql_dev_info info;
	char hsaco[PATH_MAX + 32];

	NEED(aql_open(0, &dev) == 0);
	aql_dev_get_info(dev, &info);
	snprintf(hsaco, sizeof(hsaco), "%s/aql-%s.hsaco", data_dir, info.gfx);
	NEED(aql_code_load_file(dev, hsaco, &code) == 0);
	NEED(aql_queue_create(dev, packets, &queue) == 0);
	NEED(aql_signal_create(dev, 1, 0, &done) == 0);
	NEED(aql_alloc(dev, 65536, AQL_MEM_VRAM, (void **)&out) == 0);
	memset(out, 0, 65536);
}

static struct aql_kernel *kernel(const char *name)
{
	struct aql_kernel *k = NULL;

	NEED(aql_code_kernel(code, name, &k) == 0);
	return k;
}

/* A kernel whose only argument is the buffer, on one queue, to its end. */
static int run(struct aql_queue *q, const char *name, uint32_t grid, uint16_t group)
{
	const struct aql_launch l = { .grid = { grid }, .group = { group } };
	const void *args[] = { &out };
	int err;

	aql_signal_store(done, 1);
	err = aql_dispatch(q, kernel(name), &l, args, 1, done);
	return err ? err : aql_wait(q, done, 60 * SECOND);
}

static uint32_t sum_of(uint32_t i)
{
	return 64 * i + 63 * 64 / 2;
}

static void test_scratch(void)
{
	uint32_t want = 0;

	set_up(64);
	CHECK(run(queue, "scratch64", 1024, 64) == 0);
	for (uint32_t i = 0; i < 1024; i++)
		CHECK(out[i] == sum_of(i));
	/* sixteen times as much, then the small one again */
	CHECK(run(queue, "scratch1k", 1024, 64) == 0);
	for (uint32_t k = 0; k < 1024; k += 16)
		want += k * 7 & 1023;
	for (uint32_t i = 0; i < 1024; i++)
		CHECK(out[i] == 64 * i + want);
	memset(out, 0, 4096);
	CHECK(run(queue, "scratch64", 1024, 64) == 0);
	CHECK(out[1023] == sum_of(1023));
}

static void test_hidden(void)
{
	const struct aql_launch l = { .grid = { 100, 30, 7 }, .group = { 32, 4, 2 } };
	static const uint32_t want[] = { 3, 7, 3, 32, 4, 2, 4, 2, 1, 3 };
	const void *args[] = { &out };

	set_up(64);
	CHECK(aql_dispatch(queue, kernel("hidden"), &l, args, 1, done) == 0);
	CHECK(aql_wait(queue, done, 60 * SECOND) == 0);
	for (int i = 0; i < 10; i++)
		CHECK(out[i] == want[i]);
}

static void test_locals(void)
{
	const struct aql_launch l = { .grid = { 64 }, .group = { 64 } };
	uint32_t a = 256, b = 256, n = 500;
	const void *args[] = { &out, &a, &b, &n };

	set_up(64);
	CHECK(aql_dispatch(queue, kernel("locals"), &l, args, 4, done) == 0);
	CHECK(aql_wait(queue, done, 60 * SECOND) == 0);
	for (uint32_t i = 0; i < 64; i++)
		CHECK(out[i] == (63 - i) * 1000 + 500 - (63 - i));
	b = 1 << 20;
	CHECK(aql_dispatch(queue, kernel("locals"), &l, args, 4, done) == -EINVAL);
}

static int add(struct aql_queue *q, struct aql_kernel *k, uint32_t n, struct aql_signal *s)
{
	const struct aql_launch l = { .grid = { 1 }, .group = { 1 } };
	const void *args[] = { &out, &n };

	return aql_dispatch(q, k, &l, args, 2, s);
}

/* A ring of 16 packets and 1000 dispatches. */
static void test_full_ring(void)
{
	struct aql_queue_info info;
	struct aql_kernel *k;

	set_up(16);
	k = kernel("add");
	for (int i = 0; i < 1000; i++)
		CHECK(add(queue, k, 1, i == 999 ? done : NULL) == 0);
	CHECK(aql_wait(queue, done, 60 * SECOND) == 0);
	CHECK(out[0] == 1000);
	aql_queue_get_info(queue, &info);
	CHECK(info.write_index == 1000 && info.read_index == 1000 && info.packets == 16);
}

/* More argument blocks than there is room for: none is overwritten while it is in use. */
static void test_argument_blocks(void)
{
	enum { N = 12000 };
	uint32_t want = 0;
	struct aql_kernel *k;

	set_up(16384);
	k = kernel("add");
	for (uint32_t i = 0; i < N; i++) {
		want += i * i;
		CHECK(add(queue, k, i * i, i == N - 1 ? done : NULL) == 0);
	}
	CHECK(aql_wait(queue, done, 100 * tap_slow() * SECOND) == 0);
	CHECK(out[0] == want);
}

static void test_barriers(void)
{
	struct aql_signal *dep[7];
	struct aql_kernel *k;

	set_up(64);
	k = kernel("add");
	for (int i = 0; i < 7; i++)
		NEED(aql_signal_create(dev, 1, 0, &dep[i]) == 0);
	CHECK(aql_barrier(queue, dep, 7, true, NULL) == -E2BIG);
	CHECK(aql_barrier(queue, NULL, 1, false, NULL) == -EINVAL);
	CHECK(aql_barrier(queue, dep, 7, false, NULL) == 0);
	CHECK(add(queue, k, 1, done) == 0);
	for (int i = 0; i < 7; i++) {
		CHECK(aql_wait(queue, done, SECOND / 50) == -ETIMEDOUT);
		aql_signal_store(dep[i], 0);
	}
	CHECK(aql_wait(queue, done, 60 * SECOND) == 0 && out[0] == 1);

	for (int i = 0; i < 5; i++)
		aql_signal_store(dep[i], 1);
	aql_signal_store(done, 1);
	CHECK(aql_barrier(queue, dep, 5, true, done) == 0);
	CHECK(aql_wait(queue, done, SECOND / 50) == -ETIMEDOUT);
	aql_signal_store(dep[3], 0);
	CHECK(aql_wait(queue, done, 60 * SECOND) == 0);
	for (int i = 0; i < 7; i++)
		aql_signal_destroy(dep[i]);
}

static void *submitter(void *arg)
{
	struct aql_kernel *k = arg;
	long bad = 0;

	for (int i = 0; i < 250; i++)
		bad += add(queue, k, 1, NULL) != 0;
	return (void *)bad;
}

static void test_threads(void)
{
	pthread_t t[4];
	void *bad;

	set_up(64);
	for (int i = 0; i < 4; i++)
		NEED(!pthread_create(&t[i], NULL, submitter, kernel("add")));
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &bad);
		CHECK(!bad);
	}
	CHECK(aql_barrier(queue, NULL, 0, false, done) == 0);
	CHECK(aql_wait(queue, done, 60 * SECOND) == 0);
	CHECK(out[0] == 1000);
}

static void test_wild(void)
{
	struct aql_fault f;

	set_up(64);
	CHECK(aql_dev_fault(dev, NULL) == 0);
	CHECK(run(queue, "wild", 64, 64) == -EFAULT);
	CHECK(aql_dev_fault(dev, &f) == -EFAULT);
	CHECK(f.va == 0x123456789000 && f.not_present && !f.reset);
}

/* A queue that stopped is stopped; another one goes on. */
static void stops(const char *name, int err)
{
	struct aql_queue *other;
	uint64_t reason = 0;

	set_up(64);
	NEED(aql_queue_create(dev, 64, &other) == 0);
	CHECK(run(queue, name, 64, 64) == err);
	CHECK(aql_queue_error(queue, &reason) == err && reason);
	CHECK(strcmp(aql_queue_error_name(reason), "no error"));
	CHECK(run(queue, "scratch64", 64, 64) != 0);
	CHECK(run(other, "scratch64", 64, 64) == 0 && out[63] == sum_of(63));
	CHECK(aql_queue_error(other, NULL) == 0);
	aql_queue_destroy(queue);
	CHECK(run(other, "scratch64", 64, 64) == 0);
}

static void test_illegal(void)
{
	stops("illegal", -EILSEQ);
}

static void test_trap(void)
{
	stops("trap", -ENOTRECOVERABLE);
}

static void test_endless(void)
{
	const struct aql_launch l = { .grid = { 64 }, .group = { 64 } };
	const void *args[] = { &out };

	set_up(64);
	CHECK(aql_dispatch(queue, kernel("spin"), &l, args, 1, done) == 0);
	CHECK(aql_wait(queue, done, SECOND / 5) == -ETIMEDOUT);
	/* it sees what the CPU writes */
	__atomic_store_n(&out[0], 1, __ATOMIC_SEQ_CST);
	CHECK(aql_wait(queue, done, 60 * SECOND) == 0);
	out[0] = 0;
	aql_signal_store(done, 1);
	CHECK(aql_dispatch(queue, kernel("spin"), &l, args, 1, done) == 0);
	CHECK(aql_wait(queue, done, SECOND / 5) == -ETIMEDOUT);
	/* and can be stopped while it runs */
	aql_queue_destroy(queue);
	CHECK(aql_signal_load(done) == 1);
}

static void test_bad_packet(void)
{
	const uint8_t packet[64] = { 0 };
	uint64_t reason;

	set_up(64);
	CHECK(aql_submit_raw(queue, packet, 0x17) == 0);
	CHECK(aql_wait(queue, done, 10 * SECOND) == -EBADMSG);
	CHECK(aql_queue_error(queue, &reason) == -EBADMSG && reason == 0x20);
}

static void test_launch_arguments(void)
{
	struct aql_launch l = { .grid = { 64 }, .group = { 64 } };
	const void *args[] = { &out, &out };
	struct aql_kernel *k;

	set_up(64);
	k = kernel("scratch64");
	CHECK(aql_dispatch(queue, k, &l, args, 2, done) == -EINVAL);
	CHECK(aql_dispatch(queue, k, &l, args, 0, done) == -EINVAL);
	CHECK(aql_dispatch(queue, k, &l, NULL, 1, done) == -EINVAL);
	CHECK(aql_dispatch(queue, NULL, &l, args, 1, done) == -EINVAL);
	args[0] = NULL;
	CHECK(aql_dispatch(queue, k, &l, args, 1, done) == -EINVAL);
	args[0] = &out;
	l.group[0] = 0;
	CHECK(aql_dispatch(queue, k, &l, args, 1, done) == -EINVAL);
	l.group[0] = 1024;
	l.group[1] = 2;
	CHECK(aql_dispatch(queue, k, &l, args, 1, done) == -EINVAL);
	l.group[0] = 64;
	l.group[1] = 1;
	l.group_bytes = 1 << 20;
	CHECK(aql_dispatch(queue, k, &l, args, 1, done) == -EINVAL);
	CHECK(aql_queue_create(dev, 100, &queue) == -EINVAL);
	CHECK(aql_queue_create(dev, 8, &queue) == -EINVAL);
	CHECK(aql_queue_create(dev, 1 << 21, &queue) == -EINVAL);
	CHECK(run(queue, "scratch64", 64, 64) == 0);
}

static void test_code(void)
{
	static const char text[200] = "no code object";
	struct aql_code *c;
	struct aql_kernel *k;

	set_up(64);
	CHECK(aql_code_load(dev, text, sizeof(text), &c) == -ENOEXEC);
	CHECK(aql_code_load(dev, NULL, 0, &c) == -EINVAL);
	CHECK(aql_code_load_file(dev, "/nonexistent", &c) == -ENOENT);
	CHECK(aql_code_load_file(dev, "/dev/null", &c) == -ENOEXEC);
	CHECK(aql_code_kernel(code, "no such", &k) == -ESRCH);
	CHECK(aql_code_kernel_at(code, aql_code_count(code)) == NULL);
}

static void test_copy(void)
{
	char text[32] = "to the GPU and back again";
	char back[32];
	void *p, *q;

	set_up(64);
	CHECK(aql_copy(dev, out, text, sizeof(text)) == 0);
	CHECK(aql_copy(dev, (char *)out + 4096, out, sizeof(text)) == 0);
	CHECK(aql_copy(dev, back, (char *)out + 4096, sizeof(back)) == 0 && !strcmp(text, back));
	CHECK(aql_copy(dev, (char *)out + 65536 - 8, text, 16) == -ERANGE);
	NEED(aql_alloc(dev, 4096, AQL_MEM_VRAM | AQL_MEM_PRIVATE, &p) == 0);
	CHECK(aql_copy(dev, p, text, 16) == -EACCES);
	CHECK(aql_free(dev, p) == 0 && aql_free(dev, p) == -EINVAL && aql_free(dev, NULL) == 0);
	CHECK(aql_alloc(dev, 0, AQL_MEM_VRAM, &p) == -EINVAL);
	CHECK(aql_alloc(dev, 1, 0, &p) == -EINVAL);
	CHECK(aql_alloc(dev, 1, AQL_MEM_VRAM | AQL_MEM_HOST, &p) == -EINVAL);
	CHECK(aql_alloc(dev, 1ull << 45, AQL_MEM_VRAM, &p) == -ENOMEM);
	CHECK(aql_alloc(dev, 1, AQL_MEM_HOST, &q) == 0 && aql_free(dev, q) == 0);
}

static void test_open_close(void)
{
	struct aql_dev *other;

	CHECK(aql_device_count() >= 1);
	CHECK(aql_open(1000, &other) == -ENODEV);
	for (int i = 0; i < 3; i++) {
		set_up(64);
		CHECK(run(queue, "scratch64", 64, 64) == 0);
		aql_queue_destroy(queue);
		aql_signal_destroy(done);
		aql_code_unload(code);
		CHECK(aql_free(dev, out) == 0);
		aql_close(dev);
	}
}

int main(void)
{
	char self[PATH_MAX] = "";
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	snprintf(data_dir, sizeof(data_dir), "%.*s/data", PATH_MAX - 32,
		 n > 0 ? dirname(self) : ".");
	printf("TAP version 13\n");
	tap_test("open, run and close, several times", test_open_close);
	tap_test("kernels that need private memory", test_scratch);
	tap_test("hidden arguments", test_hidden);
	tap_test("group memory by argument", test_locals);
	tap_test("a ring that is full", test_full_ring);
	tap_test("more argument blocks than room", test_argument_blocks);
	tap_test("barriers", test_barriers);
	tap_test("four threads on one queue", test_threads);
	tap_test("a kernel that leaves its memory", test_wild);
	tap_test("an illegal instruction", test_illegal);
	tap_test("a trap", test_trap);
	tap_test("a kernel that does not end", test_endless);
	tap_test("a packet that is none", test_bad_packet);
	tap_test("launches that cannot be", test_launch_arguments);
	tap_test("code objects that are none", test_code);
	tap_test("memory and copies", test_copy);
	return tap_done();
}
