/* SPDX-License-Identifier: MIT */
/*
 * A test harness with the macro names of the kernel's kselftest_harness.h, so
 * that tests can move there. It is our own code: header packages do not carry
 * the kernel's.
 *
 * Each test runs in a child of its own, in its own process group, and prints
 * one TAP line. A child that dies, hangs (30 s, times VKFD_SLOW) or forgets its
 * exit fails; what it left running is killed.
 *
 *   TEST(name) { ... }
 *   FIXTURE(f) { ... };  FIXTURE_SETUP(f) { ... }  FIXTURE_TEARDOWN(f) { ... }
 *   TEST_F(f, name) { self->... }
 *   ASSERT_*(expected, seen) ends the test, EXPECT_*(expected, seen) goes on
 *   SKIP(return, "why") ends the test; use it only for what the machine lacks,
 *   never for what is under test: without the module every test has to fail
 *   TEST_HARNESS_MAIN
 *
 * VKFD_ONLY=PATTERN runs the tests of that name alone, VKFD_ROUNDS=N each so often.
 * VKFD_TIMES=1 says how long each took.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TH_PASS		0
#define TH_FAIL		1
#define TH_SKIP		77
#define TH_TIMEOUT_S	30

/* Passed to every test and fixture as _metadata, for helpers that want it. */
struct __test_metadata {
	const char *name;
	void (*fn)(struct __test_metadata *_metadata);
	struct __test_metadata *next;
};
#define th_test			__test_metadata
#define TH_PARAM		__attribute__((unused)) struct __test_metadata *_metadata

static struct th_test *th_first, **th_last = &th_first;
static bool th_failed;		/* of the running test, in its child */

static inline void th_add(struct th_test *t)
{
	*th_last = t;
	th_last = &t->next;
}

#define TH_LOG(fmt, ...) \
	printf("# %s:%d: " fmt "\n", __FILE__, __LINE__, ##__VA_ARGS__)

/* The statement is kselftest's way to end the test; the exit does it here. */
#define SKIP(_statement, fmt, ...) \
	do { \
		printf("# SKIP " fmt "\n", ##__VA_ARGS__); \
		exit(TH_SKIP); \
		_statement; \
	} while (0)

#define TH_REGISTER(_id, _name, _fn) \
	static struct th_test th_test_##_id = { .name = _name, .fn = _fn }; \
	__attribute__((constructor)) static void th_add_##_id(void) \
	{ \
		th_add(&th_test_##_id); \
	}

#define TEST(_name) \
	static void th_fn_##_name(TH_PARAM); \
	TH_REGISTER(_name, #_name, th_fn_##_name) \
	static void th_fn_##_name(TH_PARAM)

#define FIXTURE_DATA(_f)	struct th_fixture_##_f
#define FIXTURE(_f)		FIXTURE_DATA(_f)
#define TH_SELF(_f)		__attribute__((unused)) FIXTURE_DATA(_f) *self
#define FIXTURE_SETUP(_f)	static __attribute__((unused)) void th_setup_##_f(TH_PARAM, TH_SELF(_f))
#define FIXTURE_TEARDOWN(_f)	static __attribute__((unused)) void th_teardown_##_f(TH_PARAM, TH_SELF(_f))

#define TEST_F(_f, _name) \
	static void th_body_##_f##_##_name(TH_PARAM, TH_SELF(_f)); \
	static void th_fn_##_f##_##_name(TH_PARAM) \
	{ \
		FIXTURE_DATA(_f) self; \
		memset(&self, 0, sizeof(self)); \
		th_setup_##_f(_metadata, &self); \
		th_body_##_f##_##_name(_metadata, &self); \
		th_teardown_##_f(_metadata, &self); \
	} \
	TH_REGISTER(_f##_##_name, #_f "." #_name, th_fn_##_f##_##_name) \
	static void th_body_##_f##_##_name(TH_PARAM, TH_SELF(_f))

/* After a failed check and what the test says of it in a block behind it. */
static inline bool th_bail(bool end)
{
	th_failed = true;
	if (end) {
		fflush(stdout);
		exit(TH_FAIL);
	}
	return false;
}

/*
 * A check is one statement; a block behind it runs when it failed. Values are
 * compared in their own types and shown as 64-bit numbers.
 */
#define TH_CHECK(_ok, _end) \
	for (bool th_hit = !(_ok); th_hit; th_hit = th_bail(_end))

#define TH_COMPARE(_want, _op, _seen, _end) \
	TH_CHECK(({ \
		_Pragma("GCC diagnostic push") \
		_Pragma("GCC diagnostic ignored \"-Wsign-compare\"") \
		__typeof__(_want) th_want = (_want); \
		__typeof__(_seen) th_seen = (_seen); \
		bool th_ok = th_want _op th_seen; \
		if (!th_ok) \
			TH_LOG("expected %s (%lld) %s %s (%lld), errno %d", #_want, \
			       (long long)(intptr_t)th_want, #_op, #_seen, \
			       (long long)(intptr_t)th_seen, errno); \
		_Pragma("GCC diagnostic pop") \
		th_ok; \
	}), _end)

#define TH_STRINGS(_want, _seen, _end) \
	TH_CHECK(({ \
		const char *th_want = (_want), *th_seen = (_seen); \
		bool th_ok = !strcmp(th_want, th_seen); \
		if (!th_ok) \
			TH_LOG("expected \"%s\", seen \"%s\" (%s)", th_want, th_seen, #_seen); \
		th_ok; \
	}), _end)

#define ASSERT_EQ(w, s)		TH_COMPARE(w, ==, s, true)
#define ASSERT_NE(w, s)		TH_COMPARE(w, !=, s, true)
#define ASSERT_LT(w, s)		TH_COMPARE(w, <, s, true)
#define ASSERT_LE(w, s)		TH_COMPARE(w, <=, s, true)
#define ASSERT_GT(w, s)		TH_COMPARE(w, >, s, true)
#define ASSERT_GE(w, s)		TH_COMPARE(w, >=, s, true)
#define ASSERT_TRUE(s)		TH_COMPARE(0, !=, !!(s), true)
#define ASSERT_FALSE(s)		TH_COMPARE(0, ==, !!(s), true)
#define ASSERT_STREQ(w, s)	TH_STRINGS(w, s, true)
#define EXPECT_EQ(w, s)		TH_COMPARE(w, ==, s, false)
#define EXPECT_NE(w, s)		TH_COMPARE(w, !=, s, false)
#define EXPECT_LT(w, s)		TH_COMPARE(w, <, s, false)
#define EXPECT_LE(w, s)		TH_COMPARE(w, <=, s, false)
#define EXPECT_GT(w, s)		TH_COMPARE(w, >, s, false)
#define EXPECT_GE(w, s)		TH_COMPARE(w, >=, s, false)
#define EXPECT_TRUE(s)		TH_COMPARE(0, !=, !!(s), false)
#define EXPECT_FALSE(s)		TH_COMPARE(0, ==, !!(s), false)
#define EXPECT_STREQ(w, s)	TH_STRINGS(w, s, false)

/* How many times as long as usual things may take in this guest (qemu/vm says). */
static inline unsigned int th_slow(void)
{
	const char *s = getenv("VKFD_SLOW");
	int n = s ? atoi(s) : 1;

	return n > 1 ? n : 1;
}

static inline void th_run_child(struct th_test *t)
{
	setpgid(0, 0);
	alarm(TH_TIMEOUT_S * th_slow());
	t->fn(t);
	fflush(stdout);
	exit(th_failed ? TH_FAIL : TH_PASS);
}

/* Prints the result line; true unless the test failed. */
static inline bool th_report(const struct th_test *t, unsigned int n, int status)
{
	bool skip = WIFEXITED(status) && WEXITSTATUS(status) == TH_SKIP;
	bool pass = skip || (WIFEXITED(status) && WEXITSTATUS(status) == TH_PASS);

	if (WIFSIGNALED(status))
		printf("# %s: signal %d%s\n", t->name, WTERMSIG(status),
		       WTERMSIG(status) == SIGALRM ? ", it hung" : "");
	else if (!pass)
		printf("# %s: exit status %d\n", t->name, WEXITSTATUS(status));
	printf("%sok %u %s%s\n", pass ? "" : "not ", n, t->name, skip ? " # SKIP" : "");
	fflush(stdout);
	return pass;
}

static inline bool th_wanted(const struct th_test *t)
{
	const char *only = getenv("VKFD_ONLY");

	return !only || !fnmatch(only, t->name, 0);
}

/* How the test ended */
static inline int th_run(struct th_test *t)
{
	struct timespec begin, end;
	int status;
	pid_t pid;

	fflush(stdout);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pid = fork();
	if (!pid)
		th_run_child(t);
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		printf("# %s: no child: %s\n", t->name, strerror(errno));
		status = TH_FAIL << 8;
	}
	if (pid > 0)
		kill(-pid, SIGKILL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (getenv("VKFD_TIMES"))
		printf("# %s: %.1f s\n", t->name, (double)(end.tv_sec - begin.tv_sec) +
		       (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
	return status;
}

static inline int th_main(void)
{
	const char *s = getenv("VKFD_ROUNDS");
	unsigned int rounds = s ? atoi(s) : 1, n = 0, failed = 0, i;
	struct th_test *t;

	for (t = th_first; t; t = t->next)
		n += th_wanted(t) * rounds;
	printf("TAP version 13\n1..%u\n", n);
	n = 0;
	for (t = th_first; t; t = t->next)
		for (i = 0; th_wanted(t) && i < rounds; i++)
			failed += !th_report(t, ++n, th_run(t));
	return failed ? TH_FAIL : TH_PASS;
}

#define TEST_HARNESS_MAIN \
	int main(void) \
	{ \
		return th_main(); \
	}

#endif /* HARNESS_H */
