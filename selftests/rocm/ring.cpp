// SPDX-License-Identifier: MIT
// An all-reduce as RCCL does it: a process for each GPU, a ring of memory that the neighbour has by
// a HIP IPC handle, and a kernel for all steps, whose groups wait within the GPU until their
// neighbour is there. So all GPUs have to get on at the same time, however few CPUs there are.
//
// Sums of floats depend on their order. The ring's is known, so results have to be the same bits.
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <vector>
#include "rocm.h"

#define MAX_RANKS	8
#define CHANNELS	4	// groups of the kernel; each has a ring of its own
#define THREADS		256
#define PART		512	// floats of a chunk that a group moves
#define CHUNK		(CHANNELS * PART)
#define ROUNDS		3
#define LIMIT_S		300

// What a rank shows its neighbours
struct rank_memory {
	unsigned int done[CHANNELS];	// steps, of all rounds
	float data[MAX_RANKS * CHUNK];
};

// What all processes have, by the parent
static struct shared {
	hipIpcMemHandle_t handle[MAX_RANKS];
	unsigned int came;		// to barriers
	int failed;
} *shared;

static int ranks;

#define DO(call)								\
	do {									\
		hipError_t err_ = (call);					\
		if (err_ != hipSuccess) {					\
			printf("# rank %d: %s: %s\n", rank, #call,		\
			       hipGetErrorName(err_));				\
			return 1;						\
		}								\
	} while (0)

static __device__ void wait_for(const unsigned int *done, unsigned int steps)
{
	if (!threadIdx.x)
		while (__hip_atomic_load(done, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) < steps)
			__builtin_amdgcn_s_sleep(16);
	__syncthreads();
	__threadfence_system();
}

static __device__ void say(unsigned int *done, unsigned int steps)
{
	__threadfence_system();
	__syncthreads();
	if (!threadIdx.x)
		__hip_atomic_store(done, steps, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

// Chunk c is summed from rank c on, around the ring, and then handed on the same way. Who reads a
// chunk has done so before it changes: the writer's step needs, around the ring, the reader's.
static __global__ void all_reduce(struct rank_memory *mine, const struct rank_memory *before,
				  int rank, int ranks, unsigned int first)
{
	const unsigned int *theirs = &before->done[blockIdx.x];
	unsigned int *done = &mine->done[blockIdx.x];

	for (int step = 0; step < 2 * (ranks - 1); step++) {
		bool sum = step < ranks - 1;
		int chunk = sum ? rank - 1 - step : rank - (step - (ranks - 1));
		size_t at = ((chunk + 2 * ranks) % ranks) * CHUNK + blockIdx.x * PART;

		wait_for(theirs, first + step);
		for (int i = threadIdx.x; i < PART; i += THREADS) {
			float f = before->data[at + i];

			mine->data[at + i] = sum ? f + mine->data[at + i] : f;
		}
		say(done, first + step + 1);
	}
}

static float input(int rank, int round, size_t i)
{
	unsigned int x = (unsigned int)i * 2654435761u + rank * 40503u + round * 97u;

	x ^= x >> 15;
	x *= 2246822519u;
	x ^= x >> 13;
	return ((int)(x >> 8) - (1 << 23)) * 1.1920929e-7f * (1 << (x & 7));
}

static float expected(int round, size_t i)
{
	int c = i / CHUNK;
	float sum = input(c, round, i);

	for (int k = 1; k < ranks; k++)
		sum = sum + input((c + k) % ranks, round, i);
	return sum;
}

// All ranks come here before one goes on; false: one of them has failed.
static bool meet(unsigned int *barriers)
{
	struct timespec pause = { 0, 2000000 };
	unsigned int want = ++*barriers * ranks;

	__atomic_fetch_add(&shared->came, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&shared->came, __ATOMIC_SEQ_CST) < want) {
		if (__atomic_load_n(&shared->failed, __ATOMIC_SEQ_CST))
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

static int reduce(int rank)
{
	size_t n = (size_t)ranks * CHUNK, bad = 0;
	struct rank_memory *mine;
	std::vector<float> v(n);
	unsigned int barriers = 0;
	void *before;

	DO(hipSetDevice(rank));
	DO(hipExtMallocWithFlags((void **)&mine, sizeof(*mine), hipDeviceMallocFinegrained));
	DO(hipMemset(mine, 0, sizeof(*mine)));
	DO(hipDeviceSynchronize());
	DO(hipIpcGetMemHandle(&shared->handle[rank], mine));
	if (!meet(&barriers))
		return 1;
	DO(hipIpcOpenMemHandle(&before, shared->handle[(rank + ranks - 1) % ranks],
			       hipIpcMemLazyEnablePeerAccess));
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < n; i++)
			v[i] = input(rank, round, i);
		DO(hipMemcpy(mine->data, v.data(), n * sizeof(float), hipMemcpyHostToDevice));
		if (!meet(&barriers))
			return 1;
		all_reduce<<<CHANNELS, THREADS>>>(mine, (struct rank_memory *)before, rank, ranks,
						  round * 2 * (ranks - 1));
		DO(hipDeviceSynchronize());
		// Nobody's input changes while the neighbour reads
		if (!meet(&barriers))
			return 1;
		DO(hipMemcpy(v.data(), mine->data, n * sizeof(float), hipMemcpyDeviceToHost));
		for (size_t i = 0; i < n; i++) {
			float want = expected(round, i);

			if (memcmp(&v[i], &want, sizeof(want)) && !bad++)
				printf("# rank %d, round %d: element %zu is %a, not %a\n", rank,
				       round, i, v[i], want);
		}
	}
	DO(hipIpcCloseMemHandle(before));
	// Who is asked for a handle has to be there
	if (!meet(&barriers))
		return 1;
	DO(hipFree(mine));
	return bad != 0;
}

// A child that asks how many GPUs there are: the parent does not touch them.
static int count_gpus()
{
	int status, n = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(hipGetDeviceCount(&n) == hipSuccess ? n : 0);
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
		WEXITSTATUS(status) : 0;
}

static void ring()
{
	pid_t pid[MAX_RANKS];
	int status;

	// ROCr shares memory by ioctls that no Linux has, until 6.1
	if (HIP_VERSION_MAJOR < 6)
		SKIP("ROCr wants ioctls that no Linux has");
	ranks = count_gpus();
	if (ranks < 2)
		SKIP("one GPU makes no ring");
	if (ranks > MAX_RANKS)
		ranks = MAX_RANKS;
	printf("# %d GPUs\n", ranks);
	shared = (struct shared *)mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	NEED(shared != MAP_FAILED);
	fflush(stdout);
	for (int i = 0; i < ranks; i++) {
		pid[i] = fork();
		NEED(pid[i] >= 0);
		if (!pid[i]) {
			alarm(LIMIT_S);
			status = reduce(i);
			if (status)
				__atomic_store_n(&shared->failed, 1, __ATOMIC_SEQ_CST);
			fflush(stdout);
			_exit(status);
		}
	}
	for (int i = 0; i < ranks; i++) {
		NEED(waitpid(pid[i], &status, 0) == pid[i]);
		if (status)
			__atomic_store_n(&shared->failed, 1, __ATOMIC_SEQ_CST);
		CHECK(!status);
	}
}

int main()
{
	TEST(ring);
	return tap_done();
}
