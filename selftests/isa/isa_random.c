// SPDX-License-Identifier: MIT
/*
 * Random programs, those of fuzz_program.c, on every SIMD build that this CPU has, without
 * libFuzzer: also to run what that found, and under an emulator that has another CPU.
 *
 *	isa_random [-s SEED] [-n PROGRAMS] [-t SECONDS] [FILE...]
 *
 * The inputs are those files, if there are any.
 */
#include "fuzz_program.c"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static u32 seed_now;
static const char *file_now;

size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max)
{
	(void)data, (void)max;
	return size;
}

/* What differs() ends with, and what else a program ends with */
static void say_input(int sig)
{
	char text[128];
	int n;

	if (file_now)
		n = snprintf(text, sizeof(text), "# signal %d, file %.80s\nnot ok 1\n", sig, file_now);
	else
		n = snprintf(text, sizeof(text), "# signal %d; again: isa_random -n 1 -s %u\nnot ok 1\n",
			     sig, seed_now);
	n = (int)write(1, text, (size_t)n);
	_exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static size_t make_input(u8 *data, u32 seed)
{
	u32 s = seed * 2654435761u | 1, k, insns;
	size_t n;

	for (k = 0; k < 8; k++)
		rnd(&s);
	insns = 4 + rnd(&s) % 44;
	for (n = 0; n < HEADER + insns * PICK; n++)
		data[n] = (u8)(rnd(&s) >> 11);
	return n;
}

static bool run_file(const char *path, u8 *data, size_t max)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f) {
		perror(path);
		return false;
	}
	file_now = path;
	n = fread(data, 1, max, f);
	fclose(f);
	LLVMFuzzerTestOneInput(data, n);
	return true;
}

int main(int argc, char **argv)
{
	static u8 data[HEADER + MAX_INSNS * PICK];
	u32 seed = 1, programs = 20000, n = 0;
	double end = now() + 1e9;
	bool ok = true;
	int a;

	while ((a = getopt(argc, argv, "s:n:t:")) > 0) {
		if (a == 's')
			seed = (u32)atoi(optarg);
		else if (a == 'n')
			programs = (u32)atoi(optarg);
		else if (a == 't')
			end = now() + atof(optarg);
		else
			return 2;
	}
	signal(SIGILL, say_input);
	signal(SIGSEGV, say_input);
	signal(SIGBUS, say_input);
	signal(SIGABRT, say_input);
	printf("TAP version 13\n1..1\n");
	fflush(stdout);
	if (optind < argc) {
		for (; optind < argc; optind++, n++)
			ok &= run_file(argv[optind], data, sizeof(data));
	} else {
		for (; n < programs && now() < end; n++) {
			seed_now = seed + n;
			LLVMFuzzerTestOneInput(data, make_input(data, seed_now));
		}
	}
	ok &= n != 0;
	printf("# %u programs on %u builds\n", n, lanes);
	printf("%sok 1 - random programs do the same on every SIMD build%s\n", ok ? "" : "not ",
	       ok && lanes == 1 ? " # SKIP this CPU has one" : "");
	return !ok;
}
