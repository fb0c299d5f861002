// SPDX-License-Identifier: MIT
/*
 * What threads and page faults cost in a guest, and whether threads see each other's
 * changes of memory. "speed" prints a line per figure, "costs" and "turns" some of them;
 * "stress SECONDS" ends with "ok".
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096ul
#define WORDS (PAGE / sizeof(long))
#define MAPPERS 3
#define STRETCH 256	/* steps that are timed together */

static volatile int stop;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static void fail(const char *what, long is)
{
	printf("failed: %s: %ld\n", what, is);
	fflush(stdout);
	_exit(1);
}

static void *pages(size_t n)
{
	void *p = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		fail("mmap of pages", n);
	return p;
}

/* ------------------------------------------------------------------ speed */

static void *work(void *rounds)
{
	volatile unsigned long x = 1;
	long i;

	for (i = 0; i < (long)rounds; i++)
		x = x * 3 + 1;
	return NULL;
}

static void *spin(void *unused)
{
	while (!stop)
		;
	return unused;
}

/* Whoever finds its own number writes the other's */
static volatile long turn;

static void *take_turns(void *arg)
{
	long me = (long)arg, turns = 0;

	while (!stop) {
		if (turn == me) {
			turn = !me;
			turns++;
		}
	}
	return (void *)turns;
}

static void turns(void)
{
	pthread_t thread[2];
	void *turns;
	long i;

	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, take_turns, (void *)i);
	sleep(1);
	stop = 1;
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], &turns);
	printf("turns %ld\n", (long)turns);
	stop = 0;
}

/*
 * What one of @count steps costs in us: on average, and in the quickest stretch. The host may
 * have other work; it rarely interrupts a stretch of a few milliseconds each time.
 */
static void cost(const char *name, long count, void (*step)(char *p, long i), char *p)
{
	double start = now(), begin = start, least = 1e9;
	long i;

	for (i = 0; i < count; i++) {
		if (i && i % STRETCH == 0) {
			double end = now();

			if (end - begin < least)
				least = end - begin;
			begin = end;
		}
		step(p, i);
	}
	printf("%s_us %.2f\n", name, (now() - start) / count * 1e6);
	printf("%s_least_us %.2f\n", name, least / STRETCH * 1e6);
}

static void call(char *p, long i)
{
	(void)p;
	(void)i;
	syscall(SYS_getpid);
}

static void touch(char *p, long i)
{
	p[i * PAGE] = 1;
}

static void costs(void)
{
	const long calls = 20000, count = 32768;
	char *p;

	cost("syscall", calls, call, NULL);
	p = pages(count);
	/* Where a host would take huge pages of its own accord, a guest has none */
	madvise(p, count * PAGE, MADV_NOHUGEPAGE);
	cost("page", count, touch, p);
	munmap(p, count * PAGE);
}

static void speed(void)
{
	const long rounds = 200000000;
	pthread_t thread[2];
	double start, one;
	long i;

	costs();

	start = now();
	work((void *)rounds);
	one = now() - start;
	start = now();
	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, work, (void *)rounds);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	printf("gain_of_two_threads %.2f\n", 2 * one / (now() - start));

	turns();

	pthread_create(&thread[0], NULL, spin, NULL);
	start = now();
	for (i = 0; i < 50; i++)
		usleep(100);
	printf("sleeps_beside_a_spinner_ms %.0f\n", (now() - start) * 1e3);
	stop = 1;
	pthread_join(thread[0], NULL);
}

/* ----------------------------------------------------------------- stress */

static void expect(long *p, size_t n, long base, const char *what)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i * WORDS] != (base ? base + (long)i : 0))
			fail(what, p[i * WORDS]);
}

static void *map_and_unmap(void *arg)
{
	unsigned int seed = (long)arg;
	long base = (long)arg * 1000, rounds = 0, *p;
	size_t n, i;

	while (!stop) {
		n = 5 + rand_r(&seed) % 60;
		p = pages(n);
		expect(p, n, 0, "fresh page");
		for (i = 0; i < n; i++)
			p[i * WORDS] = base + i;
		expect(p, n, base, "page");
		mprotect(p, n * PAGE, PROT_READ);
		expect(p, n, base, "read-only page");
		mprotect(p, n * PAGE, PROT_READ | PROT_WRITE);
		madvise(p + WORDS, 3 * PAGE, MADV_DONTNEED);
		expect(p + WORDS, 3, 0, "page after DONTNEED");
		p[WORDS] = 5;
		munmap(p, n * PAGE);
		rounds++;
	}
	return (void *)rounds;
}

static volatile long *shared;

static void *write_on(void *unused)
{
	while (!stop)
		shared[0]++;
	return unused;
}

/* The parent's threads write on, and none of it may reach the child */
static void fork_once(void)
{
	volatile long i;
	long before;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		before = shared[0];
		for (i = 0; i < 300000; i++)
			;
		_exit(shared[0] != before);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		fail("a child sees what its parent writes after fork", status);
}

static void stress(int seconds)
{
	pthread_t mapper[MAPPERS], writer;
	long i, forks = 0, rounds = 0;
	double end;
	void *done;

	shared = pages(1);
	for (i = 0; i < MAPPERS; i++)
		pthread_create(&mapper[i], NULL, map_and_unmap, (void *)(i + 1));
	pthread_create(&writer, NULL, write_on, NULL);
	for (end = now() + seconds; now() < end; forks++)
		fork_once();
	stop = 1;
	pthread_join(writer, NULL);
	for (i = 0; i < MAPPERS; i++) {
		pthread_join(mapper[i], &done);
		rounds += (long)done;
	}
	printf("%ld forks, %ld mappings\nok\n", forks, rounds);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && !strcmp(argv[1], "speed"))
		speed();
	else if (argc == 2 && !strcmp(argv[1], "costs"))
		costs();
	else if (argc == 2 && !strcmp(argv[1], "turns"))
		turns();
	else if (argc == 3 && !strcmp(argv[1], "stress"))
		stress(atoi(argv[2]));
	else
		return 2;
	return 0;
}
