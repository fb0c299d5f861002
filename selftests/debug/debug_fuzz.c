// SPDX-License-Identifier: MIT
/*
 * Fuzzes the driver's calls for VKFD_FUZZ_S seconds (default 5), each program in
 * a process of its own. Where the kernel has KCOV, programs that reach new code
 * are kept and varied (VKFD_FUZZ_DIR keeps them in files, which the next run
 * begins with). VKFD_FUZZ_SEED makes another run of it.
 *
 * It fails if the kernel complains, a process cannot be killed, or something of
 * the driver's outlives the processes. VKFD_FUZZ_RUN=FILE runs one program.
 */
#include <dirent.h>
#include <time.h>

#include "../kfd/kfd_util.h"
#include "fuzz.h"

#define COUNTERS	"/sys/kernel/debug/kfd/counters"
#define KCOV		"/sys/kernel/debug/kcov"
#define KCOV_INIT_TRACE	_IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)
#define COVER_WORDS	(64ul << 10)
#define SEEN_BITS	(1u << 20)
#define CORPUS		1024u
#define WAVES_IN	100u	/* programs; some of them come to saved waves */
#define QUEUES_IN	100u	/* tries; an eighth of them makes a queue */
#define CHECK_EVERY	200u
#define RECENT		4u
#define PROGRAM_S	3u
#define PATIENCE	20u	/* of tests: others may have the CPUs meanwhile */

static struct {
	uint64_t rng, ns;
	int kcov;
	uint64_t *cover;
	uint64_t seen[SEEN_BITS / 64];
	unsigned int edges, corpus_n, runs, ended[65];	/* by that signal */
	struct fuzz_prog corpus[CORPUS], recent[RECENT];
	int kmsg;
	long long bos;
} z;

static uint64_t rnd(void)
{
	z.rng ^= z.rng << 13;
	z.rng ^= z.rng >> 7;
	z.rng ^= z.rng << 17;
	return z.rng;
}

/* ----------------------------------------------------------------- programs */

static unsigned int weight(const struct fuzz_call *c, bool work)
{
	return c->work || !work ? c->weight : 0;
}

static uint16_t random_call(bool work)
{
	const struct fuzz_call *c;
	unsigned int i, n = fuzz_calls(&c), sum = 0, at;

	for (i = 0; i < n; i++)
		sum += weight(&c[i], work);
	at = rnd() % sum;
	for (i = 0; at >= weight(&c[i], work); i++)
		at -= weight(&c[i], work);
	return i;
}

static struct fuzz_op random_op(bool work)
{
	struct fuzz_op op = { .call = random_call(work) };
	unsigned int i;

	for (i = 0; i < FUZZ_WORDS; i++)
		op.v[i] = rnd();
	return op;
}

static void make(struct fuzz_prog *p)
{
	unsigned int i;
	bool work;

	p->bare = rnd() % 8 == 0;
	p->race = rnd() % 4 == 0;
	p->checked = rnd() % 3 == 0;
	p->n = 8 + rnd() % (FUZZ_OPS - 8);
	/* Every other program is half work: alone, chance hardly saves a wave */
	work = rnd() & 1;
	for (i = 0; i < p->n; i++)
		p->op[i] = random_op(work && rnd() & 1);
}

static void insert(struct fuzz_prog *p, const struct fuzz_op *op)
{
	unsigned int at = rnd() % (p->n + 1);

	if (p->n == FUZZ_OPS)
		return;
	memmove(&p->op[at + 1], &p->op[at], (p->n++ - at) * sizeof(*op));
	p->op[at] = *op;
}

static void mutate(struct fuzz_prog *p)
{
	const struct fuzz_prog *other = &z.corpus[rnd() % z.corpus_n];
	struct fuzz_op op;
	unsigned int at = rnd() % p->n;

	switch (rnd() % 8) {
	case 0: case 1:
		op = random_op(rnd() % 4 == 0);
		insert(p, &op);
		break;
	case 2:
		if (p->n > 1)
			memmove(&p->op[at], &p->op[at + 1], (--p->n - at) * sizeof(op));
		break;
	case 3:
		insert(p, &p->op[at]);
		break;
	case 4:
		insert(p, &other->op[rnd() % other->n]);
		break;
	case 5:
		if (rnd() & 1)
			p->race = !p->race;
		else
			p->checked = !p->checked;
		break;
	default:
		p->op[at].v[rnd() % FUZZ_WORDS] = rnd();
	}
}

static void save(const struct fuzz_prog *p, const char *dir, unsigned int number)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%08x-%u", dir, (unsigned int)z.runs, number);
	f = fopen(path, "w");
	if (f) {
		fwrite(p, sizeof(*p), 1, f);
		fclose(f);
	}
}

static bool load(struct fuzz_prog *p, const char *path)
{
	FILE *f = fopen(path, "r");
	bool ok = f && fread(p, sizeof(*p), 1, f) == 1 && p->n && p->n <= FUZZ_OPS;

	if (f)
		fclose(f);
	return ok;
}

static void load_all(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[512];

	while (d && z.corpus_n < CORPUS && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		z.corpus_n += load(&z.corpus[z.corpus_n], path);
	}
	if (d)
		closedir(d);
}

static void print(const struct fuzz_prog *p)
{
	const struct fuzz_call *c;
	unsigned int i, k;

	fuzz_calls(&c);
	printf("# program of %u%s%s%s\n", p->n, p->bare ? ", bare" : "",
	       p->race ? ", racing" : "", p->checked ? ", checked" : "");
	for (i = 0; i < p->n; i++) {
		printf("#  %s", c[p->op[i].call].name);
		for (k = 0; k < FUZZ_WORDS; k++)
			printf(" %llx", (unsigned long long)p->op[i].v[k]);
		printf("\n");
	}
}

/* ----------------------------------------------------------------- coverage */

static void kcov_open(void)
{
	z.kcov = open(KCOV, O_RDWR | O_CLOEXEC);
	if (z.kcov < 0)
		return;
	ASSERT_EQ(0, ioctl(z.kcov, KCOV_INIT_TRACE, COVER_WORDS));
	z.cover = mmap(NULL, COVER_WORDS * 8, PROT_READ | PROT_WRITE, MAP_SHARED, z.kcov, 0);
	ASSERT_NE(MAP_FAILED, (void *)z.cover);
}

/* Pairs of places that no program went through one after the other before. */
static unsigned int new_edges(void)
{
	uint64_t n = z.cover ? z.cover[0] : 0, prev = 0, i;
	unsigned int found = 0;

	for (i = 1; i <= n && i < COVER_WORDS; i++) {
		uint64_t pc = z.cover[i];
		uint32_t h = (pc * 0x9e3779b97f4a7c15ull ^ prev * 0xc2b2ae3d27d4eb4full) >> 44;

		if (!(z.seen[h / 64] >> h % 64 & 1)) {
			z.seen[h / 64] |= 1ull << h % 64;
			found++;
		}
		prev = pc;
	}
	z.edges += found;
	return found;
}

/* --------------------------------------------------------------------- runs */

/* Without them, half of the render node's calls say no more than that. */
static void set_user_queues(int on)
{
	FILE *f = fopen("/sys/module/vkfd/parameters/user_queue", "w");

	ASSERT_NE(NULL, (void *)f);
	fprintf(f, "%d", on);
	ASSERT_EQ(0, fclose(f));
}

/* Other tests' queues are as the driver of this kernel has them. */
static void buffers_as_ever(void)
{
	set_queue_buffers(-1);
	set_user_queues(-1);
}

static void run(const struct fuzz_prog *p)
{
	static int checked = -1;
	uint64_t begin = fuzz_now();
	int status;
	pid_t pid;

	if (checked != p->checked) {
		if (checked < 0) {
			atexit(buffers_as_ever);
			set_user_queues(1);
		}
		checked = p->checked;
		set_queue_buffers(checked);
	}

	if (z.cover)
		z.cover[0] = 0;
	pid = fork();
	if (!pid) {
		alarm(PROGRAM_S * th_slow() * fuzz_patience);
		if (z.cover)
			ioctl(z.kcov, KCOV_ENABLE, 0);
		fuzz_exec(p);
		_exit(0);
	}
	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	z.ns += fuzz_now() - begin;
	z.ended[WIFSIGNALED(status) ? WTERMSIG(status) : 0]++;
	z.recent[z.runs++ % RECENT] = *p;
}

/* Does the kernel complain? The runner decides it; here is what led to it. */
static bool complaint(void)
{
	static const char * const words[] = { "BUG:", "WARNING:", "KASAN", "UBSAN", "Call Trace" };
	char record[4096];
	unsigned int i;
	ssize_t n;

	while ((n = read(z.kmsg, record, sizeof(record) - 1)) > 0 || errno == EPIPE) {
		record[n > 0 ? n : 0] = 0;
		for (i = 0; n > 0 && i < sizeof(words) / sizeof(words[0]); i++)
			if (strstr(record, words[i])) {
				printf("# %s", record);
				return true;
			}
	}
	return false;
}

static void check(void)
{
	long long bos = 0;
	unsigned int i;

	for (i = 0; i < 1000 * th_slow(); i++) {
		bos = prop_get(COUNTERS, "bo_count");
		if (bos == z.bos)
			break;
		usleep(10000);
	}
	if (bos != z.bos || complaint()) {
		for (i = 0; i < RECENT; i++)
			print(&z.recent[(z.runs + i) % RECENT]);
		ASSERT_EQ(z.bos, bos);
		ASSERT_TRUE(!"the kernel complains");
	}
}

static unsigned int setting(const char *name, unsigned int otherwise)
{
	const char *s = getenv(name);

	return s ? strtoul(s, NULL, 0) : otherwise;
}

static unsigned int tried(unsigned int row)
{
	return fuzz_stats->tried[0][row] + fuzz_stats->tried[1][row];
}

static unsigned int done(unsigned int row)
{
	return fuzz_stats->done[0][row] + fuzz_stats->done[1][row];
}

/* What programs came to. */
static void tell_calls(void)
{
	const struct fuzz_call *c;
	unsigned int i, n = fuzz_calls(&c), rows = 0, ok = 0, sum = 0;

	for (i = 0; i < n; i++) {
		rows += !!c[i].cmd;
		ok += c[i].cmd && done(i);
		sum += tried(i);
	}
	printf("# %u of %u ioctls succeeded; waves in the save area %u times; never:", ok, rows,
	       fuzz_stats->waves);
	for (i = 0; i < n; i++)
		if (c[i].cmd && !done(i))
			printf(" %s (of %u)", c[i].name, tried(i));
	printf("\n# %u operations; successes, in brackets where buffers of queues are checked:\n#",
	       sum);
	for (i = 0; i < n; i++)
		if (done(i) && (c[i].cmd || c[i].work))
			printf(" %s %u of %u (%u of %u)", c[i].name, done(i), tried(i),
			       fuzz_stats->done[1][i], fuzz_stats->tried[1][i]);
	printf("\n");
}

/* Queues come about in both modes, by the struct as by the operation. */
static void expect_queues(void)
{
	const struct fuzz_call *c;
	unsigned int i, k, n = fuzz_calls(&c);

	for (i = 0; i < n; i++) {
		if (c[i].cmd != AMDKFD_IOC_CREATE_QUEUE && strcmp(c[i].name, "queue"))
			continue;
		for (k = 0; k < 2; k++)
			if (fuzz_stats->tried[k][i] >= QUEUES_IN)
				EXPECT_LE(fuzz_stats->tried[k][i] / 8, fuzz_stats->done[k][i]);
	}
}

/* The calls that took most of it. */
static void tell_times(uint64_t total_ns)
{
	const struct fuzz_call *c;
	unsigned int i, k, most, n = fuzz_calls(&c);

	printf("# ms: %llu, of which %llu setting up, %llu in operations:",
	       (unsigned long long)total_ns / 1000000,
	       (unsigned long long)fuzz_stats->setup_ns / 1000000,
	       (unsigned long long)fuzz_stats->ops_ns / 1000000);
	for (k = 0; k < 8; k++) {
		for (most = 0, i = 1; i < n; i++)
			if (fuzz_stats->ns[i] > fuzz_stats->ns[most])
				most = i;
		printf(" %s %llu (%u)", c[most].name,
		       (unsigned long long)fuzz_stats->ns[most] / 1000000,
		       tried(most));
		fuzz_stats->ns[most] = 0;
	}
	printf("\n");
}

static void fuzz(unsigned int seconds, const char *dir)
{
	time_t begin = time(NULL), end = begin + seconds, told = begin;
	struct fuzz_prog p;
	unsigned int i, first = z.corpus_n, replay = 0;

	while (time(NULL) < end) {
		if (time(NULL) >= told + 60) {
			told = time(NULL);
			printf("# %ld s: %u programs, %u kept, %u pairs\n", (long)(told - begin),
			       z.runs, z.corpus_n, z.edges);
			fflush(stdout);
		}
		if (replay < first) {
			p = z.corpus[replay++];
		} else if (!z.corpus_n || rnd() % 5 == 0) {
			make(&p);
		} else {
			p = z.corpus[rnd() % z.corpus_n];
			for (i = 1 + rnd() % 4; i; i--)
				mutate(&p);
		}
		run(&p);
		if ((new_edges() || (!z.cover && rnd() % 64 == 0)) && replay >= first) {
			i = z.corpus_n < CORPUS ? z.corpus_n++ : rnd() % CORPUS;
			z.corpus[i] = p;
			if (dir)
				save(&p, dir, i);
		}
		if (z.runs % CHECK_EVERY == 0 || complaint())
			check();
	}
}

static struct fuzz_op *add_op(struct fuzz_prog *p, const char *name)
{
	const struct fuzz_call *c;
	unsigned int i, n = fuzz_calls(&c);

	for (i = 0; i < n && strcmp(c[i].name, name); i++)
		;
	ASSERT_LT(i, n);
	p->op[p->n] = (struct fuzz_op){ .call = i };
	return &p->op[p->n++];
}

/* What programs are made of is good for waves that run, are saved and go on. */
TEST(operations_reach_waves)
{
	struct fuzz_prog p = { 0 };
	struct fuzz_op *op;

	fuzz_patience = PATIENCE;
	fuzz_setup();
	op = add_op(&p, "queue");
	op->v[1] = op->v[3] = op->v[4] = op->v[5] = op->v[6] = 1;
	op = add_op(&p, "kernel");
	op->v[12] = FUZZ_KERNEL_WAITS;
	add_op(&p, "pause");
	add_op(&p, "wave_state");
	add_op(&p, "scribble")->v[4] = 0x12345;
	add_op(&p, "pause")->v[1] = 1;
	run(&p);
	EXPECT_EQ(1u, z.ended[0]);
	EXPECT_EQ(1u, fuzz_stats->waves);
}

/* What one operation does of it. */
TEST(save_reaches_waves)
{
	struct fuzz_prog p = { 0 };
	unsigned int i;

	fuzz_patience = PATIENCE;
	fuzz_setup();
	for (i = 0; i < 8; i++) {
		struct fuzz_op *op = add_op(&p, "save");

		op->v[0] = 0x11;	/* they stay off: nobody waits for a worker */
		op->v[3] = i << 8;
		op->v[1] = op->v[8] = 1;
		op->v[13] = i;
	}
	run(&p);
	EXPECT_EQ(1u, z.ended[0]);
	EXPECT_EQ(8u, fuzz_stats->waves);
}

/* A job of the kind that programs submit is done to its end. */
TEST(job_is_done)
{
	struct fuzz_prog p = { 0 };
	struct fuzz_op *op;

	fuzz_setup();
	op = add_op(&p, "job");
	op->v[4] = 1;
	op->v[8] = 7 * 9 + 2;	/* CONST_FILL */
	run(&p);
	EXPECT_EQ(1u, z.ended[0]);
	EXPECT_EQ(1u, done(op->call));
}

TEST(programs)
{
	const char *dir = getenv("VKFD_FUZZ_DIR"), *one = getenv("VKFD_FUZZ_RUN");
	unsigned int i, seconds = setting("VKFD_FUZZ_S", 5);

	alarm((seconds + 60) * th_slow());
	z.rng = setting("VKFD_FUZZ_SEED", 1) * 0x9e3779b97f4a7c15ull + 1;
	z.kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, z.kmsg);
	lseek(z.kmsg, 0, SEEK_END);
	fuzz_setup();
	z.bos = prop_get(COUNTERS, "bo_count");
	ASSERT_LE(0, z.bos);
	kcov_open();
	if (one) {
		ASSERT_TRUE(load(&z.corpus[0], one));
		print(&z.corpus[0]);
		run(&z.corpus[0]);
	} else {
		if (dir)
			load_all(dir);
		fuzz(seconds, dir);
	}
	check();
	printf("# %u programs in %u s, %u kept, %u pairs of places%s; ended by signals:", z.runs,
	       seconds, z.corpus_n, z.edges, z.cover ? "" : " (no KCOV)");
	for (i = 1; i < 65; i++)
		if (z.ended[i])
			printf(" %u by %u", z.ended[i], i);
	printf("\n");
	if (!one) {
		EXPECT_TRUE(z.runs < WAVES_IN || fuzz_stats->waves);
		tell_calls();
		expect_queues();
		tell_times(z.ns);
	}
}

TEST_HARNESS_MAIN
