// SPDX-License-Identifier: MIT
// Kernels that go wrong end as users know it: with the runtime's message on stderr
// and SIGABRT, from HIP 7 on with an error for the caller. Each runs in a child; the
// GPU works on after it.
#include <cassert>
#include <csignal>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include "rocm.h"

struct ending {
	int status;
	std::string text;	// stdout and stderr
};

static ending in_child(void (*fn)())
{
	ending e = {};
	char buf[4096];
	int pipes[2];
	ssize_t n;
	pid_t pid;

	fflush(stdout);
	if (pipe(pipes))
		return e;
	pid = fork();
	if (!pid) {
		dup2(pipes[1], 1);
		dup2(pipes[1], 2);
		close(pipes[0]);
		close(pipes[1]);
		alarm(150);
		fn();
		fflush(stdout);
		_exit(0);
	}
	close(pipes[1]);
	while ((n = read(pipes[0], buf, sizeof(buf))) > 0)
		e.text.append(buf, n);
	close(pipes[0]);
	waitpid(pid, &e.status, 0);
	return e;
}

static void sync_and_tell()
{
	printf("synchronize: %s\n", hipGetErrorName(hipDeviceSynchronize()));
}

#if HIP_VERSION_MAJOR >= 7
#define TELLS 1
#else
#define TELLS 0
#endif

static bool ended(const ending &e)
{
	return TELLS ? e.status == 0 : WIFSIGNALED(e.status) && WTERMSIG(e.status) == SIGABRT;
}

static void show(const ending &e)
{
	printf("# status %#x\n# ", e.status);
	for (char c : e.text) {
		putchar(c);
		if (c == '\n')
			printf("# ");
	}
	printf("\n");
}

#define ENDED(e)								\
	do {									\
		if (!ended(e)) {						\
			COMPLAIN("not the end that it should have");		\
			show(e);						\
		}								\
	} while (0)

#define SAYS(e, what)								\
	do {									\
		if ((e).text.find(what) == std::string::npos) {			\
			COMPLAIN("no \"%s\"", what);				\
			show(e);						\
		}								\
	} while (0)

static void check_fault(const ending &e, const char *address)
{
	ENDED(e);
	if (TELLS) {
		SAYS(e, "hipErrorIllegalAddress");
		return;
	}
	SAYS(e, "Memory access fault by GPU node-1");
	SAYS(e, address);
}

static __global__ void store(int *p)
{
	p[threadIdx.x] = 1;
}

static void run_wild_store()
{
	store<<<1, 64>>>((int *)0x123456789000);
	sync_and_tell();
}

static void wild_store()
{
	ending e = in_child(run_wild_store);

	check_fault(e, "on address 0x123456789000");
	if (!TELLS)
		SAYS(e, "Page not present or supervisor privilege");
}

static __global__ void load(const int *p, int *q)
{
	*q = *p;
}

static void run_null_load()
{
	int *q;

	if (hipMalloc(&q, 4) == hipSuccess)
		load<<<1, 1>>>(NULL, q);
	sync_and_tell();
}

static void null_load()
{
	ending e = in_child(run_null_load);

	check_fault(e, "on address (nil)");
}

static __global__ void trap()
{
	if (threadIdx.x == 3)
		__builtin_trap();
}

static void run_trap()
{
	trap<<<1, 64>>>();
	sync_and_tell();
}

static void builtin_trap()
{
	ending e = in_child(run_trap);

	ENDED(e);
	SAYS(e, TELLS ? "hipErrorLaunchFailure" : "HSA_STATUS_ERROR_EXCEPTION");
}

static __global__ void call_abort()
{
	abort();
}

static void run_abort()
{
	call_abort<<<1, 64>>>();
	sync_and_tell();
}

static void abort_in_kernel()
{
	ending e = in_child(run_abort);

	ENDED(e);
	SAYS(e, TELLS ? "hipErrorLaunchFailure" : "HSA_STATUS_ERROR_EXCEPTION");
}

static __global__ void check_small(int n)
{
	assert((int)threadIdx.x < n);
}

static void run_assert()
{
	check_small<<<1, 64>>>(63);
	sync_and_tell();
}

static void assert_in_kernel()
{
	ending e = in_child(run_assert);

	ENDED(e);
	SAYS(e, "ssertion `(int)threadIdx.x < n' failed");
}

static __global__ void endless(volatile int *started)
{
	*started = 1;
	for (;;)
		__builtin_amdgcn_s_sleep(1);
}

// An endless kernel, then what root asks of the first GPU (docs/faults.md).
static void run_until(const char *file, const char *text)
{
	int *started;
	FILE *f;

	if (hipHostMalloc((void **)&started, 4, 0) != hipSuccess)
		return;
	*(volatile int *)started = 0;
	endless<<<1, 64>>>(started);
	while (!*(volatile int *)started)
		usleep(1000);
	f = fopen(file, "w");
	if (!f || fprintf(f, "%s\n", text) < 0 || fclose(f))
		puts("cannot be injected");
	sync_and_tell();
}

#define INJECT "/sys/kernel/debug/kfd/0/inject/"

// A GPU that lost memory tells of a memory exception and of one of the hardware, as the real driver
// does. ROCr has a thread for each, and the faster one chooses what HIP says.
static void check_loss(const ending &e)
{
	if (!TELLS || e.text.find("hipErrorIllegalAddress") == std::string::npos)
		SAYS(e, TELLS ? "hipErrorLaunchFailure" : "by GPU node-1");
}

// A reset that tells of no memory error leaves programs of ROCr before 6 waiting for ever,
// on hardware, too: they do not listen to hardware exceptions.
static void run_reset()
{
	run_until(INJECT "reset", "ecc");
}

static void reset_of_the_gpu()
{
	ending e = in_child(run_reset);

	ENDED(e);
	check_loss(e);
}

#if HIP_VERSION_MAJOR >= 6
static void run_hang()
{
	run_until(INJECT "reset", "hang");
}

// Nothing of its memory is bad: there is only the exception of the hardware
static void hang_and_reset()
{
	ending e = in_child(run_hang);

	ENDED(e);
	check_loss(e);
}
#endif

static void run_poison()
{
	signal(SIGBUS, SIG_IGN);
	run_until(INJECT "poison", std::to_string(getpid()).c_str());
}

static void poisoned_memory()
{
	ending e = in_child(run_poison);

	ENDED(e);
	check_loss(e);
}

static void run_bus_error()
{
	run_until(INJECT "poison", std::to_string(getpid()).c_str());
}

static void bus_error()
{
	ending e = in_child(run_bus_error);

	CHECK(WIFSIGNALED(e.status));
}

static void run_no_memory()
{
	FILE *f = fopen(INJECT "alloc_fail", "w");
	void *p;

	if (hipMalloc(&p, 4096) != hipSuccess || !f || fprintf(f, "100\n") < 0 || fflush(f))
		puts("cannot be injected");
	printf("malloc: %s\n", hipGetErrorName(hipMalloc(&p, 64 << 20)));
	rewind(f);
	if (fprintf(f, "0\n") < 0 || fclose(f))
		puts("cannot be healed");
	printf("and again: %s\n", hipGetErrorName(hipMalloc(&p, 64 << 20)));
}

static void allocation_that_fails()
{
	ending e = in_child(run_no_memory);

	CHECK(e.status == 0);
	SAYS(e, "malloc: hipErrorOutOfMemory");
	SAYS(e, "and again: hipSuccess");
}

static void run_good_assert()
{
	int *p;

	check_small<<<1, 64>>>(64);
	if (hipDeviceSynchronize() != hipSuccess || hipMalloc(&p, 256) != hipSuccess)
		abort();
	store<<<1, 64>>>(p);
	if (hipDeviceSynchronize() != hipSuccess)
		abort();
	puts("fine");
}

static void next_process_is_fine()
{
	ending e = in_child(run_good_assert);

	CHECK(e.status == 0);
	SAYS(e, "fine");
}

int main()
{
	TEST(wild_store);
	TEST(null_load);
	TEST(builtin_trap);
	TEST(abort_in_kernel);
	TEST(assert_in_kernel);
	TEST(reset_of_the_gpu);
#if HIP_VERSION_MAJOR >= 6
	TEST(hang_and_reset);
#endif
	TEST(poisoned_memory);
	TEST(bus_error);
	TEST(allocation_that_fails);
	TEST(next_process_is_fine);
	return tap_done();
}
