// SPDX-License-Identifier: MIT
// Memory and events that two processes share, by HIP's handles and by dma-bufs. Each side
// is a child of its own; the parent does not touch the GPU.
#include <cstring>
#include <dlfcn.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <vector>
#include "rocm.h"

#define N	5000
#define BYTES	(N * sizeof(int))

// In a side: says which call failed, and ends it
#define DO(call)								\
	do {									\
		hipError_t err_ = (call);					\
		if (err_ != hipSuccess) {					\
			printf("# %s: %s: %s\n", __func__, #call,		\
			       hipGetErrorName(err_));				\
			return 1;						\
		}								\
	} while (0)

#define IS(cond)								\
	do {									\
		if (!(cond)) {							\
			printf("# %s: %s\n", __func__, #cond);			\
			return 1;						\
		}								\
	} while (0)

typedef int (*side_fn)(int socket);

static __global__ void iota(int *data, int n, int first)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] = first + i;
}

static __global__ void add(int *data, int n, int what)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] += what;
}

static pid_t start(side_fn side, int mine, int theirs)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	close(theirs);
	alarm(150);
	status = side(mine);
	fflush(stdout);
	_exit(status);
}

static void two_sides(side_fn a, side_fn b)
{
	int s[2], status_a, status_b;
	pid_t pid_a, pid_b;

	NEED(!socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	pid_a = start(a, s[0], s[1]);
	pid_b = start(b, s[1], s[0]);
	close(s[0]);
	close(s[1]);
	NEED(pid_a > 0 && pid_b > 0);
	NEED(waitpid(pid_a, &status_a, 0) == pid_a && waitpid(pid_b, &status_b, 0) == pid_b);
	CHECK(!status_a);
	CHECK(!status_b);
}

static bool put(int s, const void *what, size_t size)
{
	return send(s, what, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static bool get(int s, void *what, size_t size)
{
	return recv(s, what, size, MSG_WAITALL) == (ssize_t)size;
}

// Until the other side has come to the same place
static bool meet(int s)
{
	char c = 'm';

	return put(s, &c, 1) && get(s, &c, 1) && c == 'm';
}

static bool put_fd(int s, int fd)
{
	alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(fd))] = {};
	char c = 'f';
	struct iovec iov = { &c, 1 };
	struct msghdr msg = {};
	struct cmsghdr *head;

	msg.msg_iov = &iov;
	msg.msg_iovlen = 1;
	msg.msg_control = control;
	msg.msg_controllen = sizeof(control);
	head = CMSG_FIRSTHDR(&msg);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	return sendmsg(s, &msg, MSG_NOSIGNAL) == 1;
}

static int get_fd(int s)
{
	alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
	char c;
	struct iovec iov = { &c, 1 };
	struct msghdr msg = {};
	struct cmsghdr *head;
	int fd = -1;

	msg.msg_iov = &iov;
	msg.msg_iovlen = 1;
	msg.msg_control = control;
	msg.msg_controllen = sizeof(control);
	if (recvmsg(s, &msg, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	head = CMSG_FIRSTHDR(&msg);
	if (head && head->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

// Every element is first + i
static bool holds(const int *data, int first)
{
	for (int i = 0; i < N; i++) {
		if (data[i] != first + i) {
			printf("# element %d is %d, not %d\n", i, data[i], first + i);
			return false;
		}
	}
	return true;
}

static bool device_holds(const int *dev, int first)
{
	std::vector<int> v(N);

	return hipMemcpy(v.data(), dev, BYTES, hipMemcpyDeviceToHost) == hipSuccess &&
	       holds(v.data(), first);
}

static int ipc_exporter(int s)
{
	hipIpcMemHandle_t handle;
	int *dev;

	// Not the first of its allocation: handles know the offset
	DO(hipMalloc(&dev, 2 * BYTES));
	iota<<<blocks(N, 128), 128>>>(dev, N, 1000);
	DO(hipDeviceSynchronize());
	DO(hipIpcGetMemHandle(&handle, dev));
	IS(put(s, &handle, sizeof(handle)));
	IS(meet(s));
	IS(device_holds(dev, 1007));
	iota<<<blocks(N, 128), 128>>>(dev, N, -50);
	DO(hipDeviceSynchronize());
	IS(meet(s));
	IS(meet(s));
	DO(hipFree(dev));
	return 0;
}

static int ipc_importer(int s)
{
	hipIpcMemHandle_t handle;
	void *p;

	IS(get(s, &handle, sizeof(handle)));
	DO(hipIpcOpenMemHandle(&p, handle, hipIpcMemLazyEnablePeerAccess));
	IS(device_holds((int *)p, 1000));
	add<<<blocks(N, 128), 128>>>((int *)p, N, 7);
	DO(hipDeviceSynchronize());
	IS(meet(s));
	IS(meet(s));
	IS(device_holds((int *)p, -50));
	DO(hipIpcCloseMemHandle(p));
	IS(meet(s));
	return 0;
}

// Until 6.1 ROCr shares memory by ioctls that only AMD's own kernels have: it takes no
// notice of HSA_ENABLE_IPC_MODE_LEGACY=0 then
#define BY_DMABUF()								\
	do {									\
		if (HIP_VERSION_MAJOR < 6)					\
			SKIP("ROCr wants ioctls that no Linux has");		\
	} while (0)

static void ipc_memory()
{
	BY_DMABUF();
	two_sides(ipc_exporter, ipc_importer);
}

// Memory of a process that is gone lives as long as somebody has it open
static int ipc_leaver(int s)
{
	hipIpcMemHandle_t handle;
	int *dev;

	DO(hipMalloc(&dev, BYTES));
	iota<<<blocks(N, 128), 128>>>(dev, N, 77);
	DO(hipDeviceSynchronize());
	DO(hipIpcGetMemHandle(&handle, dev));
	IS(put(s, &handle, sizeof(handle)));
	IS(meet(s));
	return 0;
}

static int ipc_keeper(int s)
{
	struct pollfd left = { s, 0, 0 };
	hipIpcMemHandle_t handle;
	void *p;

	IS(get(s, &handle, sizeof(handle)));
	DO(hipIpcOpenMemHandle(&p, handle, hipIpcMemLazyEnablePeerAccess));
	IS(meet(s));
	IS(poll(&left, 1, 100000) == 1 && left.revents & POLLHUP);
	IS(device_holds((int *)p, 77));
	add<<<blocks(N, 128), 128>>>((int *)p, N, 1);
	IS(device_holds((int *)p, 78));
	DO(hipIpcCloseMemHandle(p));
	return 0;
}

static void ipc_exporter_is_gone()
{
	BY_DMABUF();
	two_sides(ipc_leaver, ipc_keeper);
}

static int event_recorder(int s)
{
	hipIpcEventHandle_t handle;
	hipEvent_t event;
	int *dev;

	DO(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
	DO(hipIpcGetEventHandle(&handle, event));
	IS(put(s, &handle, sizeof(handle)));
	DO(hipMalloc(&dev, BYTES));
	for (int i = 0; i < 20; i++)
		iota<<<blocks(N, 128), 128>>>(dev, N, i);
	DO(hipEventRecord(event, 0));
	IS(meet(s));
	IS(device_holds(dev, 19));
	IS(meet(s));
	DO(hipEventDestroy(event));
	return 0;
}

static int event_waiter(int s)
{
	hipIpcEventHandle_t handle;
	hipEvent_t event;

	IS(get(s, &handle, sizeof(handle)));
	DO(hipIpcOpenEventHandle(&event, handle));
	IS(meet(s));
	DO(hipEventSynchronize(event));
	DO(hipEventQuery(event));
	DO(hipEventDestroy(event));
	IS(meet(s));
	return 0;
}

static void ipc_event()
{
	two_sides(event_recorder, event_waiter);
}

// ROCr has them from 5.3 on; HIP has the first from 7 on
typedef int (*export_fn)(const void *p, size_t size, int *fd, uint64_t *offset);

static export_fn find_export()
{
	void *rocr = dlopen("libhsa-runtime64.so.1", RTLD_NOW);

	return rocr ? (export_fn)dlsym(rocr, "hsa_amd_portable_export_dmabuf") : NULL;
}

static int export_dmabuf(int *dev, uint64_t *offset)
{
	export_fn fn = find_export();
	int fd = -1;

	if (fn && fn(dev, BYTES, &fd, offset))
		printf("# hsa_amd_portable_export_dmabuf fails\n");
	return fd;
}

static int dmabuf_exporter(int s)
{
	uint64_t offset = ~0ull;
	int *dev, fd;

	DO(hipMalloc(&dev, 1 << 20));
	dev += 1024;
	iota<<<blocks(N, 128), 128>>>(dev, N, 31);
	DO(hipDeviceSynchronize());
	fd = export_dmabuf(dev, &offset);
	IS(fd >= 0);
	IS(offset % 4096 == 0 && offset < 1 << 20);
	IS(put(s, &offset, sizeof(offset)));
	IS(put_fd(s, fd));
	close(fd);
	IS(meet(s));
	IS(device_holds(dev, 33));
	IS(meet(s));
	DO(hipFree(dev - 1024));
	return 0;
}

// Who imports it is a GPU's driver, or a CPU that maps it
static int dmabuf_importer(int s)
{
	hipExternalMemoryHandleDesc desc = {};
	hipExternalMemoryBufferDesc buffer = {};
	hipExternalMemory_t memory;
	uint64_t offset;
	int *cpu, *p, fd;
	off_t size;

	IS(get(s, &offset, sizeof(offset)));
	fd = get_fd(s);
	IS(fd >= 0);
	size = lseek(fd, 0, SEEK_END);
	IS(size >= (off_t)(offset + BYTES));
	cpu = (int *)mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	IS(cpu != MAP_FAILED);
	IS(holds(cpu + offset / 4, 31));
	for (int i = 0; i < N; i++)
		cpu[offset / 4 + i]++;
	munmap(cpu, size);

	desc.type = hipExternalMemoryHandleTypeOpaqueFd;
	desc.handle.fd = fd;
	desc.size = size;
	DO(hipImportExternalMemory(&memory, &desc));
	// The whole, as HIP 5.7 takes no notice of an offset
	buffer.size = size;
	DO(hipExternalMemoryGetMappedBuffer((void **)&p, memory, &buffer));
	p += offset / 4;
	IS(device_holds(p, 32));
	add<<<blocks(N, 128), 128>>>(p, N, 1);
	DO(hipDeviceSynchronize());
	DO(hipDestroyExternalMemory(memory));
	IS(meet(s));
	IS(meet(s));
	return 0;
}

static void dmabuf()
{
	if (!find_export())
		SKIP("ROCr exports no dma-bufs");
	two_sides(dmabuf_exporter, dmabuf_importer);
}

#if HIP_VERSION_MAJOR >= 7
static int range_exporter(int s)
{
	int *dev, fd = -1;
	size_t page = sysconf(_SC_PAGESIZE), size = (BYTES + page - 1) / page * page;

	DO(hipMalloc(&dev, size));
	iota<<<blocks(N, 128), 128>>>(dev, N, 5);
	DO(hipDeviceSynchronize());
	DO(hipMemGetHandleForAddressRange(&fd, dev, size, hipMemRangeHandleTypeDmaBufFd, 0));
	IS(fd >= 0);
	IS(put_fd(s, fd));
	close(fd);
	IS(meet(s));
	DO(hipFree(dev));
	return 0;
}

static int range_importer(int s)
{
	int fd = get_fd(s), *cpu;

	IS(fd >= 0);
	cpu = (int *)mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
	IS(cpu != MAP_FAILED);
	IS(holds(cpu, 5));
	IS(meet(s));
	munmap(cpu, BYTES);
	return 0;
}
#endif

static void range_handle()
{
#if HIP_VERSION_MAJOR >= 7
	two_sides(range_exporter, range_importer);
#else
	SKIP("HIP has no hipMemGetHandleForAddressRange");
#endif
}

int main()
{
	TEST(ipc_memory);
	TEST(ipc_exporter_is_gone);
	TEST(ipc_event);
	TEST(dmabuf);
	TEST(range_handle);
	return tap_done();
}
