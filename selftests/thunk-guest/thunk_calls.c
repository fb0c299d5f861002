// SPDX-License-Identifier: MIT
/* The thunk's functions with good and with bad arguments, on the driver. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "fork_tap.h"
#include "hsakmt/hsakmt.h"

#define OK		HSAKMT_STATUS_SUCCESS
#define NOT_OPEN	HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED
#define BAD_PARAMETER	HSAKMT_STATUS_INVALID_PARAMETER
#define BAD_NODE	HSAKMT_STATUS_INVALID_NODE_UNIT
#define PAGE		4096ul

static HsaSystemProperties sys;
static HsaNodeProperties gpu_props;
static uint32_t gpu;

static void open_all(void)
{
	NEED(hsaKmtOpenKFD() == OK);
	NEED(hsaKmtAcquireSystemProperties(&sys) == OK);
	for (gpu = 0; gpu < sys.NumNodes; gpu++) {
		NEED(hsaKmtGetNodeProperties(gpu, &gpu_props) == OK);
		if (gpu_props.NumFComputeCores)
			return;
	}
	NEED(!"a GPU");
}

static void test_open(void)
{
	HsaVersionInfo v;

	CHECK(hsaKmtGetVersion(&v) == NOT_OPEN);
	CHECK(hsaKmtCloseKFD() == NOT_OPEN);
	NEED(hsaKmtOpenKFD() == OK);
	CHECK(hsaKmtOpenKFD() == HSAKMT_STATUS_KERNEL_ALREADY_OPENED);
	CHECK(hsaKmtGetVersion(NULL) == BAD_PARAMETER);
	CHECK(hsaKmtGetVersion(&v) == OK && v.KernelInterfaceMajorVersion == 1);
	CHECK(hsaKmtCloseKFD() == OK && hsaKmtGetVersion(&v) == OK);
	CHECK(hsaKmtCloseKFD() == OK && hsaKmtGetVersion(&v) == NOT_OPEN);
	CHECK(hsaKmtOpenKFD() == OK && hsaKmtGetVersion(&v) == OK);
	CHECK(hsaKmtCloseKFD() == OK);
}

static void test_topology(void)
{
	HsaMemoryProperties mem[16];
	HsaCacheProperties cache;
	HsaIoLinkProperties link;
	HsaNodeProperties p;

	NEED(hsaKmtOpenKFD() == OK);
	CHECK(hsaKmtGetNodeProperties(0, &p) == BAD_NODE);
	CHECK(hsaKmtAcquireSystemProperties(NULL) == BAD_PARAMETER);
	CHECK(hsaKmtCloseKFD() == OK);
	open_all();
	CHECK(hsaKmtGetNodeProperties(sys.NumNodes, &p) == BAD_NODE);
	CHECK(hsaKmtGetNodeProperties(gpu, NULL) == BAD_PARAMETER);
	CHECK(gpu_props.EngineId.ui32.Major >= 9 && gpu_props.NumSIMDPerCU);
	NEED(gpu_props.NumMemoryBanks <= 16);
	CHECK(hsaKmtGetNodeMemoryProperties(gpu, gpu_props.NumMemoryBanks, mem) == OK);
	CHECK(mem[0].HeapType == HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC && mem[0].SizeInBytes);
	CHECK(hsaKmtGetNodeMemoryProperties(gpu, 1, NULL) == BAD_PARAMETER);
	CHECK(hsaKmtGetNodeCacheProperties(gpu, 0, 1, &cache) == OK && cache.CacheLevel == 1);
	CHECK(hsaKmtGetNodeIoLinkProperties(gpu, 1, &link) == OK && link.NodeFrom == gpu);
	CHECK(hsaKmtReleaseSystemProperties() == OK);
	CHECK(hsaKmtGetNodeProperties(gpu, &p) == BAD_NODE);
}

static void test_clock(void)
{
	HsaClockCounters a, b;

	open_all();
	CHECK(hsaKmtGetClockCounters(gpu, &a) == OK);
	usleep(1000);
	CHECK(hsaKmtGetClockCounters(gpu, &b) == OK);
	CHECK(b.GPUClockCounter > a.GPUClockCounter && b.SystemClockCounter > a.SystemClockCounter);
	CHECK(a.SystemClockFrequencyHz == 1000000000);
	CHECK(hsaKmtGetClockCounters(sys.NumNodes, &a) == BAD_NODE);
	CHECK(hsaKmtGetClockCounters(gpu, NULL) == BAD_PARAMETER);
}

static void touch(void *p, uint64_t size)
{
	memset(p, 0x5a, size);
	CHECK(((unsigned char *)p)[size - 1] == 0x5a);
}

static void test_memory_kinds(void)
{
	const HsaMemFlags kinds[] = {
		{ .ui32 = { .HostAccess = 1, .CoarseGrain = 1 } },
		{ .ui32 = { .HostAccess = 1, .NonPaged = 1 } },
		{ .ui32 = { .HostAccess = 1, .ExecuteAccess = 1 } },
		{ .ui32 = { .HostAccess = 1, .Uncached = 1 } },
	};

	open_all();
	for (uint32_t node = 0; node <= gpu; node += gpu) {
		for (size_t k = 0; k < 4; k++) {
			void *p = NULL;
			HSAuint64 va = 0;

			CHECK(hsaKmtAllocMemory(node, 3 * PAGE, kinds[k], &p) == OK);
			if (!p)
				continue;
			touch(p, 3 * PAGE);
			CHECK(hsaKmtMapMemoryToGPU(p, 3 * PAGE, &va) == OK);
			CHECK(va == (uintptr_t)p);
			CHECK(hsaKmtUnmapMemoryToGPU(p) == OK);
			CHECK(hsaKmtFreeMemory(p, 3 * PAGE) == OK);
			CHECK(hsaKmtFreeMemory(p, 3 * PAGE) != OK);
		}
	}
}

static void test_memory_arguments(void)
{
	HsaMemFlags f = { .ui32.HostAccess = 1 };
	HSAuint64 avail;
	void *p, *q;

	open_all();
	CHECK(hsaKmtAllocMemory(gpu, 0, f, &p) == BAD_PARAMETER);
	CHECK(hsaKmtAllocMemory(gpu, 100, f, &p) == BAD_PARAMETER);
	CHECK(hsaKmtAllocMemory(gpu, PAGE, f, NULL) == BAD_PARAMETER);
	CHECK(hsaKmtAllocMemory(sys.NumNodes, PAGE, f, &p) == BAD_NODE);
	CHECK(hsaKmtAllocMemory(gpu, 1ull << 46, f, &p) == HSAKMT_STATUS_NO_MEMORY);
	CHECK(hsaKmtAllocMemoryAlign(gpu, PAGE, 12345, f, &p) == BAD_PARAMETER);
	CHECK(hsaKmtAllocMemoryAlign(gpu, PAGE, 1 << 21, f, &p) == OK);
	CHECK((uintptr_t)p % (1 << 21) == 0);
	CHECK(hsaKmtFreeMemory(p, PAGE) == OK);
	CHECK(hsaKmtFreeMemory(NULL, PAGE) != OK);
	CHECK(hsaKmtMapMemoryToGPU(NULL, PAGE, NULL) == BAD_PARAMETER);
	CHECK(hsaKmtMapMemoryToGPU(&avail, PAGE, NULL) != OK);
	CHECK(hsaKmtAvailableMemory(gpu, &avail) == OK && avail);
	CHECK(hsaKmtAvailableMemory(0, &avail) == BAD_NODE);

	/* at an address of our choice, once */
	CHECK(hsaKmtAllocMemory(gpu, PAGE, f, &p) == OK && hsaKmtFreeMemory(p, PAGE) == OK);
	f.ui32.FixedAddress = 1;
	q = p;
	CHECK(hsaKmtAllocMemory(gpu, PAGE, f, &q) == OK && q == p);
	CHECK(hsaKmtAllocMemory(gpu, PAGE, f, &q) != OK);
	q = NULL;
	CHECK(hsaKmtAllocMemory(gpu, PAGE, f, &q) == BAD_PARAMETER);
	CHECK(hsaKmtFreeMemory(p, PAGE) == OK);
}

static void test_many(void)
{
	enum { N = 400 };
	HsaMemFlags f = { .ui32.HostAccess = 1 };
	static void *p[N];
	HsaPointerInfo info;

	open_all();
	for (int i = 0; i < N; i++) {
		NEED(hsaKmtAllocMemory(i & 1 ? gpu : 0, (1 + i % 5) * PAGE, f, &p[i]) == OK);
		*(int *)p[i] = i;
	}
	for (int i = 0; i < N; i += 2) {
		CHECK(hsaKmtFreeMemory(p[i], 0) == OK);
		CHECK(hsaKmtQueryPointerInfo(p[i], &info) != OK);
		CHECK(info.Type == HSA_POINTER_UNKNOWN);
	}
	for (int i = 1; i < N; i += 2) {
		CHECK(*(int *)p[i] == i);
		CHECK(hsaKmtQueryPointerInfo((char *)p[i] + 17, &info) == OK);
		CHECK(info.CPUAddress == p[i] && info.SizeInBytes == (1 + i % 5) * PAGE);
		CHECK(info.Type == HSA_POINTER_ALLOCATED && info.Node == gpu);
		CHECK(hsaKmtFreeMemory(p[i], 0) == OK);
	}
}

static void test_register(void)
{
	HsaMemFlags f = { .ui32.HostAccess = 1 };
	HsaMemMapFlags mf = { .Value = 0 };
	HsaPointerInfo info;
	HSAuint64 va, again;
	char *p;

	open_all();
	p = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(p != MAP_FAILED);
	CHECK(hsaKmtDeregisterMemory(p) == HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
	CHECK(hsaKmtRegisterMemoryWithFlags(NULL, PAGE, f) == BAD_PARAMETER);
	CHECK(hsaKmtRegisterMemoryWithFlags(p, 0, f) == BAD_PARAMETER);
	CHECK(hsaKmtRegisterMemoryWithFlags(p + 100, 2 * PAGE, f) == OK);
	CHECK(hsaKmtMapMemoryToGPUNodes(p + 100, 2 * PAGE, &va, mf, 1, &gpu) == OK);
	CHECK(hsaKmtQueryPointerInfo(p + 200, &info) == OK);
	CHECK(info.Type == HSA_POINTER_REGISTERED_USER && info.CPUAddress == p + 100);
	CHECK(info.GPUAddress == va && info.NMappedNodes == 1 && info.MappedNodes[0] == gpu);
	CHECK(hsaKmtSetMemoryUserData(p + 100, &va) == OK);
	CHECK(hsaKmtQueryPointerInfo(p + 100, &info) == OK && info.UserData == &va);

	/* the same pages once more, as another range */
	CHECK(hsaKmtRegisterMemoryWithFlags(p, PAGE, f) == OK);
	CHECK(hsaKmtMapMemoryToGPU(p, PAGE, &again) == OK && again != va - 100);
	CHECK(hsaKmtDeregisterMemory(p) == OK);
	CHECK(hsaKmtDeregisterMemory(p + 100) == OK);
	CHECK(hsaKmtDeregisterMemory(p + 100) == HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
	CHECK(hsaKmtMapMemoryToGPUNodes(p, PAGE, &va, mf, 1, &sys.NumNodes) == BAD_NODE);
}

static void test_scratch(void)
{
	HsaMemFlags f = { .ui32.Scratch = 1 };
	HSAuint64 va;
	void *p;

	open_all();
	CHECK(hsaKmtAllocMemory(0, 1 << 20, f, &p) == BAD_PARAMETER);
	NEED(hsaKmtAllocMemory(gpu, 1 << 30, f, &p) == OK);
	CHECK((uintptr_t)p % 65536 == 0);
	CHECK(hsaKmtMapMemoryToGPU((char *)p + (1 << 20), 1 << 16, &va) == OK);
	CHECK(va == (uintptr_t)p + (1 << 20));
	CHECK(hsaKmtMapMemoryToGPU((char *)p + (1 << 30) - PAGE, 2 * PAGE, &va) != OK);
	CHECK(hsaKmtUnmapMemoryToGPU((char *)p + (1 << 20)) == OK);
	CHECK(hsaKmtMapMemoryToGPU(p, 1 << 16, &va) == OK);
	CHECK(hsaKmtFreeMemory(p, 1 << 30) == OK);
	CHECK(hsaKmtAllocMemory(gpu, 1 << 20, f, &p) == OK && hsaKmtFreeMemory(p, 0) == OK);
}

static void test_events(void)
{
	HsaEventDescriptor d = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaEvent *a, *b, *fault, *both[2];

	open_all();
	CHECK(hsaKmtCreateEvent(NULL, false, false, &a) == BAD_PARAMETER);
	CHECK(hsaKmtCreateEvent(&d, false, false, NULL) == BAD_PARAMETER);
	NEED(hsaKmtCreateEvent(&d, false, false, &a) == OK);
	NEED(hsaKmtCreateEvent(&d, true, true, &b) == OK);
	CHECK(a->EventId != b->EventId && a->EventData.HWData2 != b->EventData.HWData2);
	CHECK(hsaKmtQueryEventState(a) == HSAKMT_STATUS_WAIT_TIMEOUT);
	CHECK(hsaKmtWaitOnEvent(b, 0) == OK && hsaKmtWaitOnEvent(b, 0) == OK);
	CHECK(hsaKmtResetEvent(b) == OK && hsaKmtWaitOnEvent(b, 1) == HSAKMT_STATUS_WAIT_TIMEOUT);
	CHECK(hsaKmtSetEvent(a) == OK && hsaKmtWaitOnEvent(a, 1000) == OK);
	CHECK(hsaKmtWaitOnEvent(a, 0) == HSAKMT_STATUS_WAIT_TIMEOUT);
	both[0] = a;
	both[1] = b;
	CHECK(hsaKmtSetEvent(a) == OK);
	CHECK(hsaKmtWaitOnMultipleEvents(both, 2, true, 1) == HSAKMT_STATUS_WAIT_TIMEOUT);
	CHECK(hsaKmtSetEvent(a) == OK && hsaKmtSetEvent(b) == OK);
	CHECK(hsaKmtWaitOnMultipleEvents(both, 2, true, 1000) == OK);
	CHECK(hsaKmtWaitOnMultipleEvents(NULL, 2, true, 0) == HSAKMT_STATUS_INVALID_HANDLE);
	CHECK(hsaKmtSetEvent(NULL) == HSAKMT_STATUS_INVALID_HANDLE);
	CHECK(hsaKmtDestroyEvent(NULL) == HSAKMT_STATUS_INVALID_HANDLE);

	d.EventType = HSA_EVENTTYPE_MEMORY;
	NEED(hsaKmtCreateEvent(&d, true, false, &fault) == OK);
	CHECK(hsaKmtSetEvent(fault) == HSAKMT_STATUS_ERROR);
	CHECK(hsaKmtDestroyEvent(fault) == OK);
	CHECK(hsaKmtDestroyEvent(a) == OK && hsaKmtDestroyEvent(b) == OK);
}

static void test_queues(void)
{
	enum { N = 8 };
	HsaMemFlags f = { .ui32 = { .HostAccess = 1, .ExecuteAccess = 1 } };
	HsaQueueResource r[N];
	void *ring, *block;

	open_all();
	NEED(hsaKmtAllocMemory(0, PAGE, f, &ring) == OK);
	NEED(hsaKmtAllocMemory(0, PAGE, f, &block) == OK);
	NEED(hsaKmtMapMemoryToGPU(ring, PAGE, NULL) == OK);
	NEED(hsaKmtMapMemoryToGPU(block, PAGE, NULL) == OK);
	memset(r, 0, sizeof(r));
	for (int i = 0; i < N; i++) {
		r[i].QueueWptrValue = (uintptr_t)block + 56;
		r[i].QueueRptrValue = (uintptr_t)block + 128;
		CHECK(hsaKmtCreateQueue(gpu, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL,
					ring, PAGE, NULL, &r[i]) == OK);
		CHECK(r[i].Queue_DoorBell && r[i].QueueId);
		for (int j = 0; j < i; j++)
			CHECK(r[i].QueueDoorBell != r[j].QueueDoorBell);
	}
	CHECK(hsaKmtUpdateQueue(r[0].QueueId, 0, HSA_QUEUE_PRIORITY_HIGH, ring, PAGE, NULL) == OK);
	CHECK(hsaKmtUpdateQueue(0, 0, HSA_QUEUE_PRIORITY_HIGH, ring, PAGE, NULL) == BAD_PARAMETER);
	for (int i = 0; i < N; i++)
		CHECK(hsaKmtDestroyQueue(r[i].QueueId) == OK);
	CHECK(hsaKmtDestroyQueue(r[0].QueueId) == BAD_PARAMETER);
	CHECK(hsaKmtCreateQueue(gpu, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, ring,
				PAGE, NULL, NULL) == BAD_PARAMETER);
	CHECK(hsaKmtCreateQueue(0, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, ring,
				PAGE, NULL, &r[0]) == BAD_NODE);
	CHECK(hsaKmtCreateQueue(gpu, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, ring,
				1000, NULL, &r[0]) != OK);
	CHECK(hsaKmtCreateQueue(gpu, 99, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, PAGE, NULL,
				&r[0]) == BAD_PARAMETER);
}

/* A child has nothing of its parent's, and can start anew; the parent notices nothing. */
static void test_fork(void)
{
	HsaMemFlags f = { .ui32.HostAccess = 1 };
	HsaVersionInfo v;
	int status;
	void *p;

	open_all();
	NEED(hsaKmtAllocMemory(gpu, PAGE, f, &p) == OK);
	fflush(stdout);
	if (!fork()) {
		CHECK(hsaKmtGetVersion(&v) == NOT_OPEN);
		open_all();
		CHECK(hsaKmtFreeMemory(p, PAGE) != OK);
		CHECK(hsaKmtAllocMemory(gpu, PAGE, f, &p) == OK);
		touch(p, PAGE);
		CHECK(hsaKmtCloseKFD() == OK);
		fflush(stdout);
		_exit(tap_bad);
	}
	CHECK(wait(&status) > 0 && status == 0);
	touch(p, PAGE);
	CHECK(hsaKmtFreeMemory(p, PAGE) == OK);
}

static void test_reopen(void)
{
	HsaEventDescriptor d = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaMemFlags f = { .ui32.HostAccess = 1 };
	HsaEvent *e;
	void *p;

	for (int i = 0; i < 5; i++) {
		open_all();
		CHECK(hsaKmtAllocMemory(gpu, PAGE, f, &p) == OK);
		touch(p, PAGE);
		CHECK(hsaKmtMapMemoryToGPU(p, PAGE, NULL) == OK);
		CHECK(hsaKmtCreateEvent(&d, false, false, &e) == OK);
		CHECK(hsaKmtDestroyEvent(e) == OK);
		if (i & 1)
			CHECK(hsaKmtFreeMemory(p, PAGE) == OK);
		CHECK(hsaKmtCloseKFD() == OK);
	}
}

static void test_absent(void)
{
	HSATraceId id = 0;
	bool loss;

	open_all();
	CHECK(hsaKmtPmcStopTrace(id) == HSAKMT_STATUS_NOT_IMPLEMENTED);
	CHECK(hsaKmtSPMSetDestBuffer(gpu, 0, NULL, NULL, NULL, &loss) ==
	      HSAKMT_STATUS_NOT_IMPLEMENTED);
	CHECK(hsaKmtDbgRegister(gpu) == HSAKMT_STATUS_NOT_SUPPORTED);
	CHECK(hsaKmtDbgRegister(sys.NumNodes) == BAD_NODE);
}

int main(void)
{
	printf("TAP version 13\n");
	tap_test("open, close, count", test_open);
	tap_test("topology", test_topology);
	tap_test("clocks", test_clock);
	tap_test("every kind of memory", test_memory_kinds);
	tap_test("memory: arguments", test_memory_arguments);
	tap_test("memory: hundreds of allocations, pointer info", test_many);
	tap_test("registered memory", test_register);
	tap_test("scratch ranges", test_scratch);
	tap_test("events", test_events);
	tap_test("queues", test_queues);
	tap_test("fork", test_fork);
	tap_test("close and open again", test_reopen);
	tap_test("what is not there says so", test_absent);
	return tap_done();
}
