// SPDX-License-Identifier: MIT
// Streams, events and their times, asynchronous copies, several kernels at once.
#include <atomic>
#include <cstring>
#include <vector>
#include "rocm.h"

static __global__ void add(int *data, int n, int what)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] += what;
}

static void copies_both_ways()
{
	const size_t n = 1 << 18;	// 1 MiB: larger than what is copied by a kernel
	std::vector<int> want(n);
	hipStream_t stream;
	int *in, *out, *dev;

	HIP(hipStreamCreate(&stream));
	HIP(hipHostMalloc((void **)&in, n * 4, 0));
	HIP(hipHostMalloc((void **)&out, n * 4, 0));
	HIP(hipMalloc(&dev, n * 4));
	for (size_t i = 0; i < n; i++) {
		in[i] = i * 2654435761u;
		want[i] = in[i] + 3;
	}
	HIP(hipMemcpyAsync(dev, in, n * 4, hipMemcpyHostToDevice, stream));
	add<<<blocks(n, 256), 256, 0, stream>>>(dev, n, 3);
	HIP(hipMemcpyAsync(out, dev, n * 4, hipMemcpyDeviceToHost, stream));
	HIP(hipStreamSynchronize(stream));
	check_equal("out", out, want.data(), n);
	HIP(hipFree(dev));
	HIP(hipHostFree(in));
	HIP(hipHostFree(out));
	HIP(hipStreamDestroy(stream));
}

static void copies_of_odd_sizes()
{
	static const size_t sizes[] = { 1, 3, 63, 4095, 4097, 65537, 300001 };
	std::vector<unsigned char> a(1 << 19), b(1 << 19);
	unsigned char *d1, *d2;

	for (size_t i = 0; i < a.size(); i++)
		a[i] = i * 7 + (i >> 8);
	HIP(hipMalloc(&d1, a.size()));
	HIP(hipMalloc(&d2, a.size()));
	for (size_t n : sizes) {
		memset(b.data(), 0xee, b.size());
		HIP(hipMemset(d2, 0xdd, a.size()));
		HIP(hipMemcpy(d1 + 1, a.data() + 5, n, hipMemcpyHostToDevice));
		HIP(hipMemcpy(d2 + 3, d1 + 1, n, hipMemcpyDeviceToDevice));
		HIP(hipMemcpy(b.data(), d2, n + 4, hipMemcpyDeviceToHost));
		check_equal("copy", b.data() + 3, a.data() + 5, n);
		CHECK(b[2] == 0xdd && b[n + 3] == 0xdd && b[n + 4] == 0xee);
	}
	HIP(hipFree(d1));
	HIP(hipFree(d2));
}

static void copy_rectangle(unsigned char *dev, size_t pitch, size_t w, size_t h)
{
	std::vector<unsigned char> a(w * h), b(w * h);

	for (size_t i = 0; i < a.size(); i++)
		a[i] = i * 31;
	HIP(hipMemcpy2D(dev, pitch, a.data(), w, w, h, hipMemcpyHostToDevice));
	HIP(hipMemcpy2D(b.data(), w, dev, pitch, w, h, hipMemcpyDeviceToHost));
	check_equal("rectangle", b.data(), a.data(), a.size());
}

static void rectangles()
{
	const size_t pitch = 256, h = 40;
	unsigned char *dev;

	HIP(hipMalloc((void **)&dev, pitch * h));
	copy_rectangle(dev, pitch, 100, h);
	copy_rectangle(dev, pitch, 256, h);
	copy_rectangle(dev, pitch, 3, h);
	HIP(hipFree(dev));
}

/* HIP has no pitch for a GPU without images, such as MI300X. */
static void pitched_memory()
{
	const size_t w = 100, h = 40;
	unsigned char *dev;
	size_t pitch;

	HIP(hipMallocPitch((void **)&dev, &pitch, w, h));
	CHECK(pitch >= w);
	copy_rectangle(dev, pitch, w, h);
	HIP(hipFree(dev));
}

static void fills()
{
	const size_t n = 10000;
	std::vector<int> v(n), want(n, 0x12345678);
	int *dev;

	HIP(hipMalloc(&dev, n * 4));
	HIP(hipMemsetD32((hipDeviceptr_t)dev, 0x12345678, n));
	HIP(hipMemcpy(v.data(), dev, n * 4, hipMemcpyDeviceToHost));
	check_equal("D32", v.data(), want.data(), n);
	HIP(hipMemset(dev, 0x5a, n * 4 - 4));
	HIP(hipMemcpy(v.data(), dev, n * 4, hipMemcpyDeviceToHost));
	want.assign(n, 0x5a5a5a5a);
	want[n - 1] = 0x12345678;
	check_equal("D8", v.data(), want.data(), n);
	HIP(hipFree(dev));
}

static __global__ void work(float *out, int rounds)
{
	float x = threadIdx.x;

	for (int i = 0; i < rounds; i++)
		x = x * 0.999f + 1.0f;
	out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

static void event_times()
{
	hipEvent_t start, middle, stop;
	float *out, small = 0, large = 0, whole = 0;

	HIP(hipEventCreate(&start));
	HIP(hipEventCreate(&middle));
	HIP(hipEventCreate(&stop));
	HIP(hipMalloc(&out, 4 * 64 * 4));
	work<<<4, 64>>>(out, 10);	// whatever is done at the first launch
	HIP(hipDeviceSynchronize());
	// The machine may do something else in the midst of the small one, but not always
	for (int i = 0; !i || (i < 5 && large <= small); i++) {
		// The GPU is busy until all is submitted, so that no time between is the host's
		work<<<4, 64>>>(out, 20000);
		HIP(hipEventRecord(start, 0));
		work<<<4, 64>>>(out, 100);
		HIP(hipEventRecord(middle, 0));
		work<<<4, 64>>>(out, 20000);
		HIP(hipEventRecord(stop, 0));
		HIP(hipEventSynchronize(stop));
		CHECK(hipEventQuery(start) == hipSuccess);
		HIP(hipEventElapsedTime(&small, start, middle));
		HIP(hipEventElapsedTime(&large, middle, stop));
		HIP(hipEventElapsedTime(&whole, start, stop));
	}
	CHECK(small > 0 && large > 0 && large < 60000);
	CHECK(large > small);
	CHECK(whole >= large);
	HIP(hipFree(out));
	HIP(hipEventDestroy(start));
	HIP(hipEventDestroy(middle));
	HIP(hipEventDestroy(stop));
}

#define STREAMS	4

static void stream_order()
{
	const int n = 5000, rounds = 8;
	hipStream_t stream[STREAMS];
	std::vector<int> v(n), want(n);
	int *dev[STREAMS];

	for (int s = 0; s < STREAMS; s++) {
		HIP(hipStreamCreateWithFlags(&stream[s], hipStreamNonBlocking));
		HIP(hipMalloc(&dev[s], n * 4));
		HIP(hipMemsetAsync(dev[s], 0, n * 4, stream[s]));
	}
	for (int r = 0; r < rounds; r++)
		for (int s = 0; s < STREAMS; s++)
			add<<<blocks(n, 128), 128, 0, stream[s]>>>(dev[s], n, s + 1);
	for (int s = 0; s < STREAMS; s++) {
		HIP(hipMemcpyAsync(v.data(), dev[s], n * 4, hipMemcpyDeviceToHost, stream[s]));
		HIP(hipStreamSynchronize(stream[s]));
		want.assign(n, rounds * (s + 1));
		check_equal("stream", v.data(), want.data(), n);
		HIP(hipFree(dev[s]));
		HIP(hipStreamDestroy(stream[s]));
	}
}

static __global__ void wait_and_set(volatile int *flags, int me)
{
	if (threadIdx.x)
		return;
	__hip_atomic_store((int *)flags + me, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
	while (!__hip_atomic_load((int *)flags + !me, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM))
		__builtin_amdgcn_s_sleep(1);
	flags[2 + me] = 1;
}

// Two kernels that end only if both run at once
static void kernels_at_once()
{
	hipStream_t a, b;
	int *flags;

	HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
	HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
	HIP(hipHostMalloc((void **)&flags, 16, hipHostMallocCoherent));
	memset(flags, 0, 16);
	wait_and_set<<<1, 64, 0, a>>>(flags, 0);
	wait_and_set<<<1, 64, 0, b>>>(flags, 1);
	HIP(hipStreamSynchronize(a));
	HIP(hipStreamSynchronize(b));
	CHECK(flags[2] == 1 && flags[3] == 1);
	HIP(hipHostFree(flags));
	HIP(hipStreamDestroy(a));
	HIP(hipStreamDestroy(b));
}

// One stream waits for the other's event: the sum comes before the copy of it
static void event_across_streams()
{
	const int n = 4096;
	std::vector<int> v(n), want(n, 7);
	hipStream_t a, b;
	hipEvent_t ready;
	int *x, *y;

	HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
	HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
	HIP(hipEventCreateWithFlags(&ready, hipEventDisableTiming));
	HIP(hipMalloc(&x, n * 4));
	HIP(hipMalloc(&y, n * 4));
	HIP(hipMemsetAsync(x, 0, n * 4, a));
	for (int i = 0; i < 7; i++)
		add<<<blocks(n, 256), 256, 0, a>>>(x, n, 1);
	HIP(hipEventRecord(ready, a));
	HIP(hipStreamWaitEvent(b, ready, 0));
	HIP(hipMemcpyAsync(y, x, n * 4, hipMemcpyDeviceToDevice, b));
	HIP(hipMemcpyAsync(v.data(), y, n * 4, hipMemcpyDeviceToHost, b));
	HIP(hipStreamSynchronize(b));
	check_equal("v", v.data(), want.data(), n);
	HIP(hipStreamSynchronize(a));
	HIP(hipFree(x));
	HIP(hipFree(y));
	HIP(hipEventDestroy(ready));
	HIP(hipStreamDestroy(a));
	HIP(hipStreamDestroy(b));
}

static std::atomic<int> called;

static void on_host(hipStream_t, hipError_t status, void *data)
{
	if (status == hipSuccess)
		called = *(volatile int *)data;
}

static void host_callback()
{
	hipStream_t stream;
	int *flag;

	HIP(hipStreamCreate(&stream));
	HIP(hipHostMalloc((void **)&flag, 4, 0));
	*flag = 0;
	add<<<1, 64, 0, stream>>>(flag, 1, 42);
	HIP(hipStreamAddCallback(stream, on_host, flag, 0));
	HIP(hipStreamSynchronize(stream));
	for (int i = 0; i < 5000 && !called; i++)
		usleep(1000);
	CHECK(called == 42);
	HIP(hipHostFree(flag));
	HIP(hipStreamDestroy(stream));
}

int main()
{
	TEST(copies_both_ways);
	TEST(copies_of_odd_sizes);
	TEST(rectangles);
	TEST(pitched_memory);
	TEST(fills);
	TEST(event_times);
	TEST(stream_order);
	TEST(kernels_at_once);
	TEST(event_across_streams);
	TEST(host_callback);
	return tap_done();
}
