// SPDX-License-Identifier: MIT
// Addresses and memory apart: hipMemAddressReserve, hipMemCreate, hipMemMap, and the handle
// that takes such memory to another process.
#include <cstring>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <vector>
#include "rocm.h"

static size_t granule;
static hipMemAllocationProp prop;
static hipMemAccessDesc access_desc;

static __global__ void iota(int *data, int n, int first)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] = first + i;
}

// In a child, too, so that the runtime never is in both
static bool supported()
{
#if HIP_VERSION_MAJOR >= 6 || HIP_VERSION_MAJOR == 5 && HIP_VERSION_MINOR >= 7
	int yes = 0;

	return hipDeviceGetAttribute(&yes, hipDeviceAttributeVirtualMemoryManagementSupported,
				     0) == hipSuccess && yes;
#else
	return false;
#endif
}

static bool prepare()
{
	prop.type = hipMemAllocationTypePinned;
	prop.location.type = hipMemLocationTypeDevice;
	prop.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
	access_desc.location = prop.location;
	access_desc.flags = hipMemAccessFlagsProtReadWrite;
	return hipMemGetAllocationGranularity(&granule, &prop,
					      hipMemAllocationGranularityMinimum) == hipSuccess &&
	       granule;
}

#define VMM()									\
	do {									\
		if (!supported())						\
			SKIP("this HIP has no virtual memory management here");	\
		NEED(prepare());						\
	} while (0)

static void check_range(const int *dev, size_t n, int first)
{
	std::vector<int> v(n), want(n);

	for (size_t i = 0; i < n; i++)
		want[i] = first + i;
	HIP(hipMemcpy(v.data(), dev, n * 4, hipMemcpyDeviceToHost));
	check_equal("range", v.data(), want.data(), n);
}

static void map_and_use()
{
	hipMemGenericAllocationHandle_t handle;
	size_t n;
	void *p;

	VMM();
	n = granule / 4;
	HIP(hipMemAddressReserve(&p, granule, 0, NULL, 0));
	HIP(hipMemCreate(&handle, granule, &prop, 0));
	HIP(hipMemMap(p, granule, 0, handle, 0));
	HIP(hipMemSetAccess(p, granule, &access_desc, 1));
	iota<<<blocks(n, 256), 256>>>((int *)p, n, 11);
	HIP(hipDeviceSynchronize());
	check_range((int *)p, n, 11);
	HIP(hipMemUnmap(p, granule));
	HIP(hipMemRelease(handle));
	HIP(hipMemAddressFree(p, granule));
}

// One range of addresses grows by pieces of memory, as allocators do
static void range_that_grows()
{
	hipMemGenericAllocationHandle_t handles[4];
	const size_t parts = 4;
	size_t n;
	char *p;

	VMM();
	n = granule * parts / 4;
	HIP(hipMemAddressReserve((void **)&p, granule * parts, 0, NULL, 0));
	for (size_t i = 0; i < parts; i++) {
		HIP(hipMemCreate(&handles[i], granule, &prop, 0));
		HIP(hipMemMap(p + i * granule, granule, 0, handles[i], 0));
		HIP(hipMemSetAccess(p + i * granule, granule, &access_desc, 1));
	}
	iota<<<blocks(n, 256), 256>>>((int *)p, n, -3);
	HIP(hipDeviceSynchronize());
	check_range((int *)p, n, -3);
	for (size_t i = 0; i < parts; i++) {
		HIP(hipMemUnmap(p + i * granule, granule));
		HIP(hipMemRelease(handles[i]));
	}
	HIP(hipMemAddressFree(p, granule * parts));
}

// What was written stays with the memory, not with the address
static void memory_moves()
{
	hipMemGenericAllocationHandle_t handle;
	size_t n;
	void *a, *b;

	VMM();
	n = granule / 4;
	HIP(hipMemAddressReserve(&a, granule, 0, NULL, 0));
	HIP(hipMemAddressReserve(&b, granule, 0, NULL, 0));
	CHECK(a != b);
	HIP(hipMemCreate(&handle, granule, &prop, 0));
	HIP(hipMemMap(a, granule, 0, handle, 0));
	HIP(hipMemSetAccess(a, granule, &access_desc, 1));
	iota<<<blocks(n, 256), 256>>>((int *)a, n, 400);
	HIP(hipDeviceSynchronize());
	HIP(hipMemUnmap(a, granule));
	HIP(hipMemMap(b, granule, 0, handle, 0));
	HIP(hipMemSetAccess(b, granule, &access_desc, 1));
	check_range((int *)b, n, 400);
	HIP(hipMemUnmap(b, granule));
	HIP(hipMemRelease(handle));
	HIP(hipMemAddressFree(a, granule));
	HIP(hipMemAddressFree(b, granule));
}

static void too_much_is_refused()
{
	hipMemGenericAllocationHandle_t handle;

	VMM();
	CHECK(hipMemCreate(&handle, 1ull << 40, &prop, 0) != hipSuccess);
	HIP(hipMemCreate(&handle, granule, &prop, 0));
	HIP(hipMemRelease(handle));
}

// The descriptor is inherited: the child has a runtime of its own after it executes itself
static void descriptor()
{
	hipMemGenericAllocationHandle_t handle;
	char number[16];
	int fd = -1, status;
	size_t n;
	pid_t pid;
	void *p;

	VMM();
	n = granule / 4;
	HIP(hipMemAddressReserve(&p, granule, 0, NULL, 0));
	HIP(hipMemCreate(&handle, granule, &prop, 0));
	HIP(hipMemMap(p, granule, 0, handle, 0));
	HIP(hipMemSetAccess(p, granule, &access_desc, 1));
	iota<<<blocks(n, 256), 256>>>((int *)p, n, 70);
	HIP(hipDeviceSynchronize());
	HIP(hipMemExportToShareableHandle(&fd, handle, hipMemHandleTypePosixFileDescriptor, 0));
	NEED(fd >= 0);
	fd = dup(fd);	// without close-on-exec
	snprintf(number, sizeof(number), "%d", fd);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		execl("/proc/self/exe", "vmm", number, (char *)NULL);
		_exit(99);
	}
	NEED(waitpid(pid, &status, 0) == pid);
	CHECK(!status);
	check_range((int *)p, n, 72);
	HIP(hipMemUnmap(p, granule));
	HIP(hipMemRelease(handle));
	HIP(hipMemAddressFree(p, granule));
}

static void import(int fd)
{
	hipMemGenericAllocationHandle_t handle;
	size_t n;
	void *p;

	NEED(prepare());
	n = granule / 4;
	HIP(hipMemImportFromShareableHandle(&handle, (void *)(intptr_t)fd,
					    hipMemHandleTypePosixFileDescriptor));
	HIP(hipMemAddressReserve(&p, granule, 0, NULL, 0));
	HIP(hipMemMap(p, granule, 0, handle, 0));
	HIP(hipMemSetAccess(p, granule, &access_desc, 1));
	check_range((int *)p, n, 70);
	iota<<<blocks(n, 256), 256>>>((int *)p, n, 72);
	HIP(hipDeviceSynchronize());
	HIP(hipMemUnmap(p, granule));
	HIP(hipMemRelease(handle));
	HIP(hipMemAddressFree(p, granule));
}

int main(int argc, char **argv)
{
	if (argc == 2) {
		alarm(150);
		import(atoi(argv[1]));
		fflush(stdout);
		return tap_bad != 0;
	}
	TEST(map_and_use);
	TEST(range_that_grows);
	TEST(memory_moves);
	TEST(too_much_is_refused);
	TEST(descriptor);
	return tap_done();
}
