// SPDX-License-Identifier: MIT
// What a HIP program sees of faults that it survives (docs/faults.md), and of a GPU that is taken
// away; those that end it are in fatal.cpp. Each fault is asked for as root asks, and taken back.
#include <climits>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>
#include <sys/wait.h>
#include "rocm.h"

#define INJECT	"/sys/kernel/debug/kfd/0/inject/"
#define MB	(1ul << 20)
#define N	4096

static bool put(const std::string &path, const char *text)
{
	FILE *f = fopen(path.c_str(), "w");
	bool good = f && fprintf(f, "%s\n", text) > 0;

	if (f && fclose(f))
		good = false;
	return good;
}

static bool inject(const char *file, const char *text)
{
	return put(std::string(INJECT) + file, text);
}

static double seconds()
{
	timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static __global__ void triple(int *p)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

	p[i] = 3 * i;
}

static int *numbers;

// All of it is there, whatever the way was on which the program got to know that
static void check_numbers()
{
	static int got[N], want[N];

	for (int i = 0; i < N; i++)
		want[i] = 3 * i;
	HIP(hipMemcpy(got, numbers, sizeof(got), hipMemcpyDeviceToHost));
	check_equal("numbers", got, want, N);
	HIP(hipMemset(numbers, 0, sizeof(got)));
}

// The first launch has the runtime load the code, which is not to be part of what is measured
static void warm_up()
{
	HIP(hipMalloc(&numbers, N * sizeof(int)));
	triple<<<N / 64, 64>>>(numbers);
	HIP(hipDeviceSynchronize());
	check_numbers();
}

static void completion_comes_late()
{
	hipStream_t s;
	double begin;

	NEED(numbers);
	HIP(hipStreamCreate(&s));
	triple<<<N / 64, 64, 0, s>>>(numbers);
	HIP(hipStreamSynchronize(s));
	NEED(inject("complete_delay_us", "700000"));
	begin = seconds();
	triple<<<N / 64, 64, 0, s>>>(numbers);
	CHECK(hipStreamQuery(s) == hipErrorNotReady);
	HIP(hipStreamSynchronize(s));
	CHECK(seconds() - begin >= 0.7);
	CHECK(inject("complete_delay_us", "0"));
	check_numbers();
	HIP(hipStreamDestroy(s));
}

// The signal's value is in memory all the same: who looks there sees the end
static void interrupts_get_lost()
{
	hipError_t err = hipErrorNotReady;
	double begin;

	NEED(numbers);
	NEED(inject("drop_interrupts", "1000000"));
	begin = seconds();
	triple<<<N / 64, 64>>>(numbers);
	while (err == hipErrorNotReady && seconds() - begin < 60)
		err = hipStreamQuery(0);
	CHECK(inject("drop_interrupts", "0"));
	CHECK(err == hipSuccess);
	HIP(hipDeviceSynchronize());
	check_numbers();
}

static void allocation_takes_longer()
{
	double begin = seconds();
	void *p;

	NEED(inject("alloc_delay_us", "600000"));
	CHECK(hipMalloc(&p, 64 * MB) == hipSuccess);
	CHECK(seconds() - begin >= 0.6);
	CHECK(inject("alloc_delay_us", "0"));
	HIP(hipFree(p));
}

// Large ones, each of which is one allocation of the driver's
static void later_allocation_fails()
{
	void *p = NULL, *q = NULL;

	NEED(inject("alloc_fail_after", "1") && inject("alloc_fail", "100"));
	CHECK(hipMalloc(&p, 64 * MB) == hipSuccess);
	CHECK(hipMalloc(&q, 64 * MB) == hipErrorOutOfMemory);
	CHECK(inject("alloc_fail", "0") && inject("alloc_fail_after", "0"));
	HIP(hipMalloc(&q, 64 * MB));
	HIP(hipFree(p));
	HIP(hipFree(q));
}

static bool function_path(std::string &path)
{
	char name[64], real[PATH_MAX];

	if (hipDeviceGetPCIBusId(name, sizeof(name), 0) != hipSuccess)
		return false;
	path = std::string("/sys/bus/pci/devices/") + name;
	return realpath(path.c_str(), real);
}

static long long errors_of(const char *kind)
{
	std::string path, text;
	char line[80];
	long long n = -1;
	FILE *f;

	if (!function_path(path))
		return -1;
	f = fopen((path + "/ras/umc_err_count").c_str(), "r");
	// With the accelerator check architecture (MI300X on)
	if (!f)
		f = fopen((path + "/ras/aca_umc").c_str(), "r");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, kind, strlen(kind)))
			n = atoll(line + strlen(kind));
	if (f)
		fclose(f);
	return n;
}

// Counted, and corrected: the program goes on with right numbers
static void corrected_errors()
{
	long long before = errors_of("ce: ");

	NEED(numbers);
	if (before < 0)
		SKIP("this GPU counts no errors");
	NEED(inject("ecc", "umc ce 3"));
	triple<<<N / 64, 64>>>(numbers);
	HIP(hipDeviceSynchronize());
	check_numbers();
	CHECK(errors_of("ce: ") == before + 3);
}

// Told of by the counters; who reads what is bad gets poison (fatal.cpp)
static void uncorrected_errors()
{
	long long before = errors_of("ue: "), corrected = errors_of("ce: ");

	NEED(numbers);
	if (before < 0)
		SKIP("this GPU counts no errors");
	NEED(inject("ecc", "umc ue 2"));
	triple<<<N / 64, 64>>>(numbers);
	HIP(hipDeviceSynchronize());
	check_numbers();
	CHECK(errors_of("ue: ") == before + 2);
	CHECK(errors_of("ce: ") == corrected);
}

static void throttled()
{
	NEED(numbers);
	NEED(inject("throttle", "power gpu"));
	triple<<<N / 64, 64>>>(numbers);
	CHECK(hipDeviceSynchronize() == hipSuccess);
	CHECK(inject("throttle", "none"));
	check_numbers();
}

static __global__ void endless(volatile int *started)
{
	*started = 1;
	for (;;)
		__builtin_amdgcn_s_sleep(1);
}

// In a child, as a process that has opened /dev/kfd has no GPU any more after that
static int lose_it()
{
	std::string path;
	int *started;

	if (!function_path(path) || hipHostMalloc((void **)&started, 4, 0) != hipSuccess)
		return 3;
	*(volatile int *)started = 0;
	endless<<<1, 64>>>(started);
	while (!*(volatile int *)started)
		usleep(1000);
	if (!put(path + "/remove", "1"))
		return 3;
	return hipDeviceSynchronize() == hipSuccess ? 4 : 0;
}

static int work()
{
	warm_up();
	return tap_bad != 0;
}

// Before the parent has opened anything; -1: it does not end
static int in_child(int (*fn)())
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(120);
		_exit(fn());
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? -1 : status;
}

// An error, or an end by SIGABRT with what the runtime says of it, but neither success nor waiting
// for ever. ROCr before 6 does not listen to hardware exceptions, which is all that it is told.
static void gpu_is_taken_away()
{
	int status;

	if (HIP_VERSION_MAJOR < 6)
		SKIP("this runtime waits for ever, as on hardware");
	status = in_child(lose_it);
	CHECK(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT));
	if (status)
		printf("# status %#x\n", status);
	CHECK(put("/sys/bus/pci/rescan", "1"));
}

static void next_process_works()
{
	CHECK(in_child(work) == 0);
}

int main()
{
	TEST(gpu_is_taken_away);
	TEST(next_process_works);
	TEST(warm_up);
	TEST(completion_comes_late);
	TEST(interrupts_get_lost);
	TEST(allocation_takes_longer);
	TEST(later_allocation_fails);
	TEST(corrected_errors);
	TEST(uncorrected_errors);
	TEST(throttled);
	return tap_done();
}
