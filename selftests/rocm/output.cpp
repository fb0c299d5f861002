// SPDX-License-Identifier: MIT
// printf from kernels, by way of the host-call service or the printf buffer.
#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>
#include "rocm.h"

// What the kernels of fn print goes to a file meanwhile
static std::string captured(void (*fn)())
{
	char text[65536];
	FILE *f = tmpfile();
	int saved = dup(1);
	size_t n;

	fflush(stdout);
	dup2(fileno(f), 1);
	fn();
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	rewind(f);
	n = fread(text, 1, sizeof(text), f);
	fclose(f);
	return std::string(text, n);
}

static __global__ void hello()
{
	printf("item %d of %s: %.3f %lld\n", (int)threadIdx.x, "kernel", threadIdx.x * 0.5,
	       1ll << threadIdx.x);
}

static void say_hello()
{
	hello<<<1, 40>>>();
	HIP(hipDeviceSynchronize());
}

static void lines_of_all_items()
{
	std::string text = captured(say_hello);
	std::multiset<std::string> got, want;
	size_t start = 0, end;
	char line[100];

	for (; (end = text.find('\n', start)) != text.npos; start = end + 1)
		got.insert(text.substr(start, end - start));
	for (int i = 0; i < 40; i++) {
		snprintf(line, sizeof(line), "item %d of %s: %.3f %lld", i, "kernel", i * 0.5, 1ll << i);
		want.insert(line);
	}
	CHECK(got.size() == 40);
	CHECK(got == want);
	CHECK(start == text.size());
}

static __global__ void masked()
{
	if (threadIdx.x % 32 == 5)
		printf("block %d lane %d\n", (int)blockIdx.x, (int)threadIdx.x);
}

static void say_some()
{
	masked<<<3, 64>>>();
	HIP(hipDeviceSynchronize());
}

static void lines_of_some_items()
{
	std::string text = captured(say_some);
	char line[100];

	CHECK(std::count(text.begin(), text.end(), '\n') == 6);
	for (int b = 0; b < 3; b++)
		for (int i = 5; i < 64; i += 32) {
			snprintf(line, sizeof(line), "block %d lane %d\n", b, i);
			CHECK(text.find(line) != text.npos);
		}
}

int main()
{
	TEST(lines_of_all_items);
	TEST(lines_of_some_items);
	return tap_done();
}
