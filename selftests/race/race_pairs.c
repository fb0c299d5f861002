// SPDX-License-Identifier: MIT
/*
 * Every entry point of the driver against every other, in tasks that share their
 * memory and descriptors in every way that clone() knows (see race.h). Takes
 * VKFD_RACE_S seconds (default 20, times VKFD_SLOW); VKFD_RACE_SEED chooses where in
 * the list of all pairs it begins, and all chances. VKFD_RACE_MODE, VKFD_RACE_PAIR
 * ("mmap-event alloc") choose by name, VKFD_RACE_DELAY_US how long the driver lingers
 * at places where threads meet (kmod/race.h), where it can. VKFD_RACE_BACKGROUND=0: nobody moves
 * memory to the GPU, and out of it, beside (background.c).
 *
 * It fails if the kernel complains, if somebody cannot be killed, or if something of
 * the driver's outlives the processes, or if no queue of a type ever came to be. The
 * kernel's log says what ran.
 */
#define _GNU_SOURCE
#include <sys/prctl.h>
#include <sys/sysinfo.h>
#include <time.h>

#include "../kfd/kfd_util.h"
#include "background.h"
#include "race.h"

#define TOTAL_S		20u
#define ROUND_MS	50u
#define LIFE_MS		10u	/* at most, of that */
#define START_S		5u	/* until both tasks are there, on a busy host */
#define END_S		20u	/* for whom it is time to go */
#define PATIENCE_S	30u	/* more for a mode in which nobody has done a step */
#define DELAY_US	500u
#define ACTORS		64u
#define TRIES		300u	/* for a queue, of which one must succeed */

#define DEBUGFS		"/sys/kernel/debug/kfd"
#define DELAY		"/sys/module/vkfd/parameters/race_delay_us"
#define USER_QUEUE	"/sys/module/vkfd/parameters/user_queue"
#define MIGRATE		"/sys/module/vkfd/parameters/svm_migrate"

static struct {
	struct race_machine machine;
	struct race_life *life;
	const struct race_actor *actor[ACTORS];
	unsigned int nactors, npairs;
	uint64_t rng;
	uint32_t seed;
	int kmsg;
	unsigned int rounds, lives, splats, steps;
	struct race_queues queues[RACE_QUEUE_TYPES];
	char last[160];		/* round */
	char splat[256];
} r;

static uint64_t rnd(void)
{
	r.rng ^= r.rng << 13;
	r.rng ^= r.rng >> 7;
	r.rng ^= r.rng << 17;
	return r.rng >> 8;
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *s = getenv(name);

	return s ? strtoul(s, NULL, 0) : otherwise;
}

/* ------------------------------------------------------------------- machine */

static void link_name(const char *path, char *out, size_t bytes)
{
	char buf[256];
	ssize_t n = readlink(path, buf, sizeof(buf) - 1);
	const char *slash;

	if (n < 0)
		n = 0;
	buf[n] = 0;
	slash = strrchr(buf, '/');
	snprintf(out, bytes, "%s", slash ? slash + 1 : "");
}

/* The first GPU. Its minor may be another after it was bound again. */
static bool look(struct race_machine *m)
{
	char path[64];
	int node = gpu_node(0);

	if (node < 0)
		return false;
	m->gpu_id = node_gpu_id(node);
	snprintf(m->render, sizeof(m->render), "/dev/dri/renderD%lld",
		 node_prop(node, "drm_render_minor"));
	m->area = queue_area(node);
	snprintf(m->card, sizeof(m->card), "/dev/dri/card0");
	snprintf(m->debugfs, sizeof(m->debugfs), DEBUGFS "/0");
	snprintf(path, sizeof(path), "/sys/class/drm/%s/device", m->render + strlen("/dev/dri/"));
	if (m->pci[0])
		return true;
	link_name(path, m->pci, sizeof(m->pci));
	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/amdgpu/%s", m->pci);
	if (access(path, F_OK))
		m->pci[0] = 0;
	return true;
}

/* After somebody was torn away in the middle of it. */
static void put_right(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/suspend", r.machine.debugfs);
	race_write(path, "0");
	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/amdgpu/%s", r.machine.pci);
	if (r.machine.pci[0] && access(path, F_OK))
		race_write("/sys/bus/pci/drivers/amdgpu/bind", r.machine.pci);
	if (!look(&r.machine))
		snprintf(r.splat, sizeof(r.splat), "the GPU did not come back");
}

/* What the kernel has to say, as run-guest sees it, too; here is what led to it. */
static bool complaint(void)
{
	static const char * const words[] = {
		"BUG:", "WARNING:", "KASAN:", "UBSAN:", "KCSAN:", "INFO: task", "Oops",
		"possible circular", "refcount_t:", "ODEBUG:", "corruption", "stall",
	};
	char record[2048];
	unsigned int i;
	ssize_t n;

	while ((n = read(r.kmsg, record, sizeof(record) - 1)) > 0 || errno == EPIPE) {
		const char *text;

		record[n > 0 ? n : 0] = 0;
		text = strchr(record, ';');
		for (i = 0; text && !r.splat[0] && i < sizeof(words) / sizeof(words[0]); i++)
			if (strstr(text, words[i]))
				snprintf(r.splat, sizeof(r.splat), "%.*s",
					 (int)strcspn(text + 1, "\n"), text + 1);
	}
	return r.splat[0];
}

/* In one write, and by no stream: the file cannot seek. As an error: consoles show it. */
static void tell_kernel(const char *text)
{
	char line[200];

	snprintf(line, sizeof(line), "<3>race: %s\n", text);
	race_write("/dev/kmsg", line);
}

/* ---------------------------------------------------------------------- lives */

/* True when none is left of the process group @pid. */
static bool reap(pid_t pid)
{
	int status;
	pid_t got;

	do {
		got = waitpid(-pid, &status, WNOHANG);
	} while (got > 0);
	return got < 0;
}

static bool reap_within(pid_t pid, unsigned int ms)
{
	uint64_t end = now_ms() + ms;

	while (!reap(pid)) {
		if (now_ms() >= end)
			return false;
		usleep(500);
	}
	return true;
}

static enum race_end choose_end(enum race_end wanted)
{
	static const enum race_end ends[] = {
		RACE_RETURN, RACE_RETURN, RACE_RETURN, RACE_EXIT, RACE_EXIT_THREAD, RACE_EXEC,
		RACE_KILLED, RACE_KILLED,
	};

	return wanted == RACE_ENDS ? ends[rnd() % (sizeof(ends) / sizeof(ends[0]))] : wanted;
}

/* From outside and at any moment, also before the life has begun to race. */
static void kill_one(unsigned int i, pid_t pid)
{
	pid_t victim = r.life->tgid[i] ? r.life->tgid[i] : pid;

	if (victim > 1)
		kill(victim, SIGKILL);
}

static void live(const struct race_mode *mode, const struct race_actor *a,
		 const struct race_actor *b)
{
	struct race_life *l = r.life;
	bool swap = rnd() & 1, early = !(rnd() % 8);
	unsigned int slow = th_slow(), ms = (1 + rnd() % LIFE_MS) * slow, i;
	uint64_t end;
	pid_t pid;

	*l = (struct race_life) {
		.mode = mode, .machine = &r.machine,
		.actor = { swap ? b : a, swap ? a : b },
		.bare = (a->bare || b->bare) && rnd() & 1, .seed = rnd(),
		.end = { choose_end(mode->first), choose_end(mode->second) },
	};
	for (i = 0; i < 2; i++)
		l->end_us[i] = rnd() % (ms * 1000);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		race_live(l);
	}
	if (pid < 0) {
		snprintf(r.splat, sizeof(r.splat), "no process: %s", strerror(errno));
		return;
	}
	setpgid(pid, pid);
	end = now_ms() + START_S * 1000 * slow;
	while (!(l->ready[0] && l->ready[1]) && now_ms() < end && !reap(pid)) {
		if (early && l->ready[rnd() & 1])
			break;
		usleep(200);
	}
	end = now_ms() + ms;
	for (i = 0; i < 2; i++) {
		if (l->end[i] != RACE_KILLED)
			continue;
		usleep(rnd() % (ms * 500));
		kill_one(i, pid);
	}
	while (now_ms() < end && !reap(pid))
		usleep(500);
	l->stop = 1;
	if (!reap_within(pid, 100 * slow))
		kill(-pid, SIGKILL);
	if (!reap_within(pid, END_S * 1000 * slow))
		snprintf(r.splat, sizeof(r.splat), "somebody of process group %d cannot be killed",
			 pid);
	r.lives++;
	r.steps += l->steps[0] + l->steps[1];
	for (i = 0; i < RACE_QUEUE_TYPES; i++) {
		r.queues[i].tried += l->queues[0][i].tried + l->queues[1][i].tried;
		r.queues[i].made += l->queues[0][i].made + l->queues[1][i].made;
	}
	if (a->global || b->global)
		put_right();
}

static void round_of(const struct race_mode *mode, const struct race_actor *a,
		     const struct race_actor *b)
{
	uint64_t end = now_ms() + ROUND_MS * th_slow();

	snprintf(r.last, sizeof(r.last), "%s: %s, %s (seed %u, round %u)", mode->name, a->name,
		 b->name, r.seed, r.rounds);
	tell_kernel(r.last);
	do
		live(mode, a, b);
	while (now_ms() < end && !r.splat[0]);
	r.rounds++;
	complaint();
}

/* ---------------------------------------------------------------------- pairs */

static void add_actors(const struct race_actor *list)
{
	for (; list->name; list++)
		if (!list->prepare || strcmp(list->name, "bind") || r.machine.pci[0])
			r.actor[r.nactors++] = list;
}

/* The @n-th of all pairs, in an order in which neighbours have little in common. */
static void pair(unsigned int n, const struct race_actor **a, const struct race_actor **b)
{
	unsigned int i, k;

	/* A prime that divides no number of pairs that we come to */
	k = (uint64_t)n * 7919 % r.npairs;
	for (i = 0; k >= r.nactors - i; i++)
		k -= r.nactors - i;
	*a = r.actor[i];
	*b = r.actor[i + k];
}

static bool wanted(const char *what, const char *name)
{
	return !what || !strcmp(what, name);
}

static bool wanted_pair(const char *what, const struct race_actor *a, const struct race_actor *b)
{
	char name[2][64];

	snprintf(name[0], sizeof(name[0]), "%s %s", a->name, b->name);
	snprintf(name[1], sizeof(name[1]), "%s %s", b->name, a->name);
	return wanted(what, name[0]) || wanted(what, name[1]);
}

/* ------------------------------------------------------------ what is left over */

static long number_in(const char *path)
{
	long n = -1;
	FILE *f = fopen(path, "r");

	if (!f)
		return -1;
	if (fscanf(f, "%ld", &n) != 1)
		n = -1;
	fclose(f);
	return n;
}

static long lines_in(const char *path)
{
	FILE *f = fopen(path, "r");
	long n = 0;
	int c;

	if (!f)
		return -1;
	while ((c = fgetc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

/* The first number of each line of mem_limit and its like, added up. */
static long used_in(const char *path)
{
	long sum = 0, n;
	FILE *f = fopen(path, "r");
	char line[256];

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "used") && sscanf(line, "%*[^0-9]%ld", &n) == 1)
			sum += n;
	fclose(f);
	return sum;
}

struct left {
	long processes, bos, mqds, memory, references;
};

static struct left count_left(void)
{
	return (struct left) {
		.processes = lines_in(DEBUGFS "/processes"),
		.bos = prop_get(DEBUGFS "/counters", "bo_count"),
		.mqds = lines_in(DEBUGFS "/mqds"),
		.memory = used_in(DEBUGFS "/mem_limit"),
		.references = number_in("/sys/module/vkfd/refcnt"),
	};
}

static bool nothing_left(const struct left *was)
{
	unsigned int i, tries = 500 * th_slow();
	struct left is;

	for (i = 0; i < tries; i++) {
		is = count_left();
		if (!memcmp(&is, was, sizeof(is)))
			return true;
		usleep(20000);
	}
	printf("# left over: processes %ld (were %ld lines), buffers %ld (%ld), queues %ld (%ld), memory %ld (%ld), module references %ld (%ld)\n",
	       is.processes, was->processes, is.bos, was->bos, is.mqds, was->mqds, is.memory,
	       was->memory, is.references, was->references);
	return false;
}

/* ------------------------------------------------------------------------ main */

/* Whose queues are all refused races with nobody. */
static bool queues_were_made(void)
{
	bool ok = true;
	unsigned int i;

	for (i = 0; i < RACE_QUEUE_TYPES; i++) {
		const struct race_queues *q = &r.queues[i];

		if (!q->tried)
			continue;
		printf("# queues of type %u: %u made of %u, last error %d\n", i, q->made, q->tried,
		       q->error);
		ok &= q->made || q->tried < TRIES;
	}
	return ok;
}

/* Where the driver lingers, and whether anybody came by. */
static unsigned int points(void)
{
	return lines_in(DEBUGFS "/race_points") > 0 ? lines_in(DEBUGFS "/race_points") : 0;
}

static bool set_param(const char *path, int value)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return false;
	fprintf(f, "%d\n", value);
	fclose(f);
	return true;
}

static void say(bool ok, unsigned int index, unsigned int rounds, unsigned int lives,
		unsigned int steps)
{
	printf("# %s: %u rounds, %u lives, %u steps\n", race_modes[index].name, rounds, lives,
	       steps);
	printf("%sok %u %s\n", ok ? "" : "not ", index + 1, race_modes[index].name);
	fflush(stdout);
}

static bool run_mode(unsigned int index, unsigned int ms, unsigned int *first)
{
	const char *what = getenv("VKFD_RACE_PAIR");
	const struct race_mode *mode = &race_modes[index];
	unsigned int rounds = r.rounds, lives = r.lives, steps = r.steps, skipped = 0;
	const struct race_actor *a, *b;
	uint64_t end = now_ms() + ms, patience = end + PATIENCE_S * 1000 * th_slow();
	bool background = setting("VKFD_RACE_BACKGROUND", 1), ok = true;
	struct left was = count_left();

	if (background)
		race_background_start();
	while ((now_ms() < end || (r.steps == steps && now_ms() < patience)) && !r.splat[0]) {
		pair((*first)++ % r.npairs, &a, &b);
		if (wanted_pair(what, a, b)) {
			round_of(mode, a, b);
			skipped = 0;
		} else if (skipped++ > r.npairs) {
			printf("# no such pair: %s\n", what);
			break;
		}
	}
	if (background && !race_background_stop() && !r.splat[0])
		snprintf(r.splat, sizeof(r.splat), "somebody beside cannot be killed");
	if (r.splat[0]) {
		printf("# after %s: %s\n", r.last, r.splat);
		r.splats++;
		ok = false;
	} else if (!nothing_left(&was)) {
		printf("# the last round was %s\n", r.last);
		ok = false;
	}
	complaint();
	/* Tasks that do nothing race with nobody */
	if (ok && (r.rounds == rounds || r.steps == steps))
		ok = false;
	say(ok, index, r.rounds - rounds, r.lives - lives, r.steps - steps);
	return ok;
}

static void begin(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	r.seed = setting("VKFD_RACE_SEED", time(NULL) % 100000);
	r.rng = (r.seed + 1) * 0x9e3779b97f4a7c15ull;
	r.kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (r.kmsg >= 0)
		lseek(r.kmsg, 0, SEEK_END);
	r.life = mmap(NULL, sizeof(*r.life), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	add_actors(race_kfd_actors);
	add_actors(race_map_actors);
	add_actors(race_drm_actors);
	add_actors(race_sys_actors);
	r.npairs = r.nactors * (r.nactors + 1) / 2;
}

int main(int argc, char **argv)
{
	unsigned int total_ms = setting("VKFD_RACE_S", TOTAL_S * th_slow()) * 1000, i, first;
	const char *only = getenv("VKFD_RACE_MODE");
	unsigned int modes = only ? 1 : race_nr_modes;
	unsigned int moves, takes;
	bool ok = true, delays;

	/* Another image of one of the tasks */
	if (argc > 1 && !strcmp(argv[1], "--nothing"))
		return 0;
	printf("TAP version 13\n1..%u\n", race_nr_modes);
	if (!look(&r.machine)) {
		printf("Bail out! no GPU\n");
		return 1;
	}
	begin();
	set_param(USER_QUEUE, 1);
	set_param(MIGRATE, 1);
	first = r.seed * (total_ms / ROUND_MS + 1);
	delays = set_param(DELAY, setting("VKFD_RACE_DELAY_US", DELAY_US));
	printf("# seed %u, %u ms a mode, %u actors, %u pairs in each of %u modes, %d CPUs, %s\n",
	       r.seed, total_ms / modes, r.nactors, r.npairs, race_nr_modes, get_nprocs(),
	       delays ? "the driver lingers" : "no delays in this driver");
	fflush(stdout);
	for (i = 0; i < race_nr_modes; i++) {
		if (r.splat[0])
			printf("not ok %u %s # the kernel has complained\n", i + 1,
			       race_modes[i].name);
		else if (!wanted(only, race_modes[i].name))
			printf("ok %u %s # SKIP not asked for\n", i + 1, race_modes[i].name);
		else
			ok &= run_mode(i, total_ms / modes, &first);
	}
	set_param(USER_QUEUE, -1);
	set_param(MIGRATE, 0);
	if (delays)
		set_param(DELAY, 0);
	if (delays)
		printf("# %u places in the driver were passed\n", points());
	if (!only)
		ok &= queues_were_made();
	race_background_rounds(&moves, &takes);
	printf("# beside: memory moved %u times, all was taken %u times\n", moves, takes);
	if (!only && setting("VKFD_RACE_BACKGROUND", 1))
		ok &= moves && takes;
	printf("# race: pairs %u, rounds %u, splats %u\n", r.npairs * race_nr_modes, r.rounds,
	       r.splats);
	return ok && !r.splat[0] ? 0 : 1;
}
