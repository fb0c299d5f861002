// SPDX-License-Identifier: MIT
// Kinds of memory: managed, registered, mapped, and much of it one after another.
#include <cstring>
#include <sys/mman.h>
#include <vector>
#include "rocm.h"

static __global__ void scale(int *data, int n, int by)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] *= by;
}

static void managed()
{
	const int n = 20000;
	std::vector<int> want(n);
	int *data;

	HIP(hipMallocManaged((void **)&data, n * 4));
	for (int round = 1; round < 4; round++) {
		for (int i = 0; i < n; i++) {
			data[i] = i + round;
			want[i] = (i + round) * round;
		}
		scale<<<blocks(n, 256), 256>>>(data, n, round);
		HIP(hipDeviceSynchronize());
		check_equal("data", data, want.data(), n);
	}
	HIP(hipFree(data));
}

static void registered()
{
	const int n = 50000;
	std::vector<int> want(n);
	int *raw, *dev;

	raw = (int *)mmap(NULL, n * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(raw != MAP_FAILED);
	for (int i = 0; i < n; i++) {
		raw[i] = i;
		want[i] = i * 5;
	}
	HIP(hipHostRegister(raw, n * 4, hipHostRegisterMapped));
	HIP(hipHostGetDevicePointer((void **)&dev, raw, 0));
	scale<<<blocks(n, 256), 256>>>(dev, n, 5);
	HIP(hipDeviceSynchronize());
	check_equal("raw", raw, want.data(), n);
	HIP(hipHostUnregister(raw));
	CHECK(hipHostUnregister(raw) != hipSuccess);
	munmap(raw, n * 4);
}

static void mapped_host()
{
	const int n = 3000;
	int *host, *dev;

	HIP(hipHostMalloc((void **)&host, n * 4, hipHostMallocMapped));
	HIP(hipHostGetDevicePointer((void **)&dev, host, 0));
	for (int i = 0; i < n; i++)
		host[i] = i;
	scale<<<blocks(n, 64), 64>>>(dev, n, -1);
	HIP(hipDeviceSynchronize());
	for (int i = 0; i < n; i++)
		if (host[i] != -i)
			COMPLAIN("%d is %d", i, host[i]);
	HIP(hipHostFree(host));
}

// A leak of any size would use VRAM up
static void malloc_and_free()
{
	size_t before, after, total, size;
	void *p;

	HIP(hipMemGetInfo(&before, &total));
	CHECK(before <= total && total >= 64 << 20);
	size = total / 4;
	for (int i = 0; i < 40; i++) {
		HIP(hipMalloc(&p, size));
		HIP(hipMemset((char *)p + size - 64, i, 64));
		HIP(hipFree(p));
	}
	for (int i = 0; i < 200; i++) {
		HIP(hipMalloc(&p, 1 + i * 97));
		HIP(hipFree(p));
	}
	HIP(hipMemGetInfo(&after, &total));
	CHECK(before - after < 64 << 20 || after > before);
}

static void too_much()
{
	size_t avail, total;
	void *p = NULL;

	HIP(hipMemGetInfo(&avail, &total));
	CHECK(hipMalloc(&p, total * 8) == hipErrorOutOfMemory);
	CHECK(!p);
	(void)hipGetLastError();
	HIP(hipMalloc(&p, 4096));
	HIP(hipFree(p));
}

static void many_buffers()
{
	const int count = 64, n = 1000;
	std::vector<int *> dev(count);
	std::vector<int> v(n), want(n);

	for (int b = 0; b < count; b++) {
		HIP(hipMalloc(&dev[b], n * 4));
		HIP(hipMemsetD32((hipDeviceptr_t)dev[b], b + 1, n));
	}
	for (int b = 0; b < count; b++)
		scale<<<blocks(n, 256), 256>>>(dev[b], n, 3);
	for (int b = 0; b < count; b += 7) {
		HIP(hipMemcpy(v.data(), dev[b], n * 4, hipMemcpyDeviceToHost));
		want.assign(n, 3 * (b + 1));
		check_equal("buffer", v.data(), want.data(), n);
	}
	for (int b = 0; b < count; b++)
		HIP(hipFree(dev[b]));
}

static void attributes()
{
	hipPointerAttribute_t attr;
	hipDeviceProp_t prop;
	void *dev, *host;

	HIP(hipGetDeviceProperties(&prop, 0));
	CHECK(!strncmp(prop.gcnArchName, "gfx", 3));
	CHECK(prop.name[0] && prop.multiProcessorCount > 0);
	/* gfx9 has three characters behind "gfx", gfx10 and gfx11 have four. */
	CHECK(prop.warpSize == (strcspn(prop.gcnArchName, ":") > 6 ? 32 : 64));
	CHECK(prop.totalGlobalMem >= 64 << 20 && prop.clockRate > 0);
	HIP(hipMalloc(&dev, 4096));
	HIP(hipHostMalloc(&host, 4096, 0));
	HIP(hipPointerGetAttributes(&attr, dev));
	CHECK(attr.devicePointer == dev);
	HIP(hipPointerGetAttributes(&attr, host));
	CHECK(attr.hostPointer == host);
	HIP(hipFree(dev));
	HIP(hipHostFree(host));
}

int main()
{
	TEST(managed);
	TEST(registered);
	TEST(mapped_host);
	TEST(malloc_and_free);
	TEST(too_much);
	TEST(many_buffers);
	TEST(attributes);
	return tap_done();
}
