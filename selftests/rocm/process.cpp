// SPDX-License-Identifier: MIT
// Several processes. The parent touches HIP only where a test says so.
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <vector>
#include "rocm.h"

static __global__ void iota(int *data, int n, int first)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] = first + i;
}

// 0 if the GPU computes for this process
static int use_gpu(int first)
{
	const int n = 3000;
	std::vector<int> v(n);
	int *dev;

	for (int round = 0; round < 2; round++) {
		if (hipMalloc(&dev, n * 4) != hipSuccess)
			return 1;
		iota<<<blocks(n, 128), 128>>>(dev, n, first + round);
		if (hipMemcpy(v.data(), dev, n * 4, hipMemcpyDeviceToHost) != hipSuccess)
			return 2;
		for (int i = 0; i < n; i++)
			if (v[i] != first + round + i)
				return 3;
		if (hipFree(dev) != hipSuccess)
			return 4;
	}
	return 0;
}

static int wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static pid_t child_with_gpu(int first)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(150);
		_exit(use_gpu(first));
	}
	return pid;
}

static void two_at_once()
{
	pid_t a = child_with_gpu(1000), b = child_with_gpu(2000000);

	CHECK(wait_for(a) == 0);
	CHECK(wait_for(b) == 0);
}

static void killed_while_at_work()
{
	int pipes[2];
	pid_t pid;
	char c;

	NEED(!pipe(pipes));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(150);
		use_gpu(1);
		if (write(pipes[1], "x", 1) == 1)
			while (!use_gpu(5))
				;
		_exit(1);
	}
	close(pipes[1]);
	NEED(read(pipes[0], &c, 1) == 1);
	close(pipes[0]);
	kill(pid, SIGKILL);
	CHECK(wait_for(pid) == 128 + SIGKILL);
	CHECK(wait_for(child_with_gpu(7)) == 0);
}

// A child that execs has nothing of the parent's GPU; nor does it disturb it
static void parent_after_fork_and_exec()
{
	pid_t pid;

	CHECK(use_gpu(10) == 0);
	pid = fork();
	if (!pid) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(9);
	}
	CHECK(wait_for(pid) == 0);
	CHECK(use_gpu(20) == 0);
	// Nor one that just ends
	pid = fork();
	if (!pid)
		_exit(0);
	CHECK(wait_for(pid) == 0);
	CHECK(use_gpu(30) == 0);
}

// The runtime of a process that used the GPU is of no use in its child, which
// has neither its threads nor its mappings. A program that the child executes is
// on its own, and the parent keeps what it has.
static void child_after_use()
{
	pid_t pid;

	CHECK(use_gpu(60) == 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		execl("/proc/self/exe", "process", "use", (char *)NULL);
		_exit(99);
	}
	CHECK(use_gpu(70) == 0);
	CHECK(wait_for(pid) == 0);
	pid = fork();
	if (!pid) {
		// It may fail in any way, SIGALRM's included; that is the runtime's affair
		alarm(5);
		_exit(use_gpu(80));
	}
	CHECK(wait_for(pid) >= 0);
	CHECK(use_gpu(90) == 0);
}

static void one_after_another()
{
	pid_t pid = child_with_gpu(50);

	CHECK(wait_for(child_with_gpu(1)) == 0);
	CHECK(wait_for(pid) == 0);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "use")) {
		alarm(150);
		return use_gpu(100);
	}
	TEST(two_at_once);
	TEST(killed_while_at_work);
	TEST(one_after_another);
	TEST(parent_after_fork_and_exec);
	TEST(child_after_use);
	return tap_done();
}
