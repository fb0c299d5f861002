// SPDX-License-Identifier: MIT
/* vkfd-top: what the queues of the GPUs are doing, live.  See vkfd-top(1). */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "keys.h"
#include "screen.h"

#define DEBUGFS		"/sys/kernel/debug/kfd"
#define KFD_SYSFS	"/sys/class/kfd/kfd"
#define MAX_GPUS	64
#define MAX_QUEUES	4096
#define MAX_PROCESSES	256
#define FIRST_S		0.3	/* until the first table, on a terminal */

static const char usage_text[] =
"Usage: vkfd-top [-b] [-d SECONDS] [-n COUNT]\n"
"       vkfd-top --version\n"
"\n"
"Show the queues of each GPU: who owns them, how busy they are, how fast they go.\n"
"  -b          print one table after the other instead of redrawing the screen\n"
"              (the default where output is no terminal, or TERM is dumb)\n"
"  -d SECONDS  time between two looks (default 2)\n"
"  -n COUNT    end after COUNT tables (default: never)\n";

/* A queue as the debugfs file `queues` of its GPU shows it. */
struct queue {
	int pid;
	unsigned int id;
	char state[48];
	uint64_t in_flight, packets, dispatches, busy_ns, error;
};

struct process {
	int pid;
	uint64_t vram;
};

struct gpu {
	unsigned int index, dir, gpu_id, target;	/* dir: its directory in debugfs */
	uint64_t vram_bytes, vram_used;
	uint64_t busy_ns, packets, dispatches, waves;
	double when, queues_when;	/* these were read, and those of queues */
	unsigned int nqueues, nprocesses;
	struct queue *queues;
	struct process processes[MAX_PROCESSES];	/* with memory there */
};

struct look {
	unsigned int ngpus;
	struct gpu gpus[MAX_GPUS];
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* The number after @key in a file of "key value" lines; 0 if it is not there. */
static uint64_t file_value(const char *path, const char *key)
{
	char line[256], name[64];
	uint64_t v = 0, n;
	FILE *f = fopen(path, "r");

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %" SCNu64, name, &n) == 2 && !strcmp(name, key)) {
			v = n;
			break;
		}
	fclose(f);
	return v;
}

static uint64_t file_number(const char *path)
{
	uint64_t v = 0;
	FILE *f = fopen(path, "r");

	if (!f)
		return 0;
	if (fscanf(f, "%" SCNu64, &v) != 1)
		v = 0;
	fclose(f);
	return v;
}

static uint64_t process_vram(int pid, unsigned int gpu_id)
{
	char path[128];

	snprintf(path, sizeof(path), KFD_SYSFS "/proc/%d/vram_%u", pid, gpu_id);
	return file_number(path);
}

static void process_name(int pid, char *name, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "r");
	if (!f || !fgets(name, size, f))
		snprintf(name, size, "?");
	else
		name[strcspn(name, "\n")] = 0;
	/* Whoever chose it does not choose what our user's terminal does, nor how wide a column is */
	for (char *c = name; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	if (f)
		fclose(f);
}

/* "pid 12 queue 0 active mapped next 5 ... busy_ns 7": words, then pairs. */
static bool parse_queue(char *line, struct queue *q)
{
	char *save, *key = strtok_r(line, " \n", &save), *value;

	memset(q, 0, sizeof(*q));
	q->pid = -1;
	for (; key; key = strtok_r(NULL, " \n", &save)) {
		if (!strcmp(key, "active") || !strcmp(key, "inactive") ||
		    !strcmp(key, "dead") || !strcmp(key, "mapped") || !strcmp(key, "paused") ||
		    !strcmp(key, "evicted")) {
			if (q->state[0])
				strncat(q->state, ",", sizeof(q->state) - strlen(q->state) - 1);
			strncat(q->state, key, sizeof(q->state) - strlen(q->state) - 1);
			continue;
		}
		value = strtok_r(NULL, " \n", &save);
		if (!value)
			break;
		if (!strcmp(key, "sdma"))
			snprintf(q->state, sizeof(q->state), "sdma%s", value);
		if (!strcmp(key, "pid"))
			q->pid = atoi(value);
		else if (!strcmp(key, "queue"))
			q->id = strtoul(value, NULL, 0);
		else if (!strcmp(key, "in_flight"))
			q->in_flight = strtoull(value, NULL, 0);
		else if (!strcmp(key, "packets"))
			q->packets = strtoull(value, NULL, 0);
		else if (!strcmp(key, "dispatches"))
			q->dispatches = strtoull(value, NULL, 0);
		else if (!strcmp(key, "busy_ns"))
			q->busy_ns = strtoull(value, NULL, 0);
		else if (!strcmp(key, "error"))
			q->error = strtoull(value, NULL, 0);
	}
	return q->pid >= 0;
}

static void read_queues(struct gpu *g)
{
	char path[96], line[512];
	FILE *f;

	snprintf(path, sizeof(path), DEBUGFS "/%u/queues", g->dir);
	f = fopen(path, "r");
	if (!f)
		return;
	g->queues_when = seconds();
	g->queues = calloc(MAX_QUEUES, sizeof(*g->queues));
	while (g->queues && g->nqueues < MAX_QUEUES && fgets(line, sizeof(line), f))
		if (parse_queue(line, &g->queues[g->nqueues]))
			g->nqueues++;
	fclose(f);
}

/* Who has memory of the GPU, and how much there is of that. */
static void read_processes(struct gpu *g)
{
	DIR *d = opendir(KFD_SYSFS "/proc");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct process p = { .pid = atoi(e->d_name) };

		p.vram = p.pid > 0 ? process_vram(p.pid, g->gpu_id) : 0;
		g->vram_used += p.vram;
		if (p.vram && g->nprocesses < MAX_PROCESSES)
			g->processes[g->nprocesses++] = p;
	}
	if (d)
		closedir(d);
}

static void read_gpu(struct gpu *g, unsigned int node)
{
	char path[128];

	snprintf(path, sizeof(path), KFD_SYSFS "/topology/nodes/%u/properties", node);
	g->target = file_value(path, "gfx_target_version");
	/* GPUs come and go: who has bus N + 1 has directory N, whatever its place in the list */
	g->dir = file_value(path, "location_id") / 256 - 1;
	snprintf(path, sizeof(path), KFD_SYSFS "/topology/nodes/%u/mem_banks/0/properties", node);
	g->vram_bytes = file_value(path, "size_in_bytes");
	read_processes(g);
	snprintf(path, sizeof(path), DEBUGFS "/%u/stats", g->dir);
	g->when = seconds();
	g->busy_ns = file_value(path, "busy_ns");
	g->packets = file_value(path, "packets");
	g->dispatches = file_value(path, "dispatches");
	g->waves = file_value(path, "waves");
	read_queues(g);
}

/* GPUs are numbered as the topology lists them, CPU nodes left out. */
static void look(struct look *l)
{
	char path[96];
	unsigned int node;

	memset(l, 0, sizeof(*l));
	for (node = 0; l->ngpus < MAX_GPUS; node++) {
		struct gpu *g = &l->gpus[l->ngpus];

		snprintf(path, sizeof(path), KFD_SYSFS "/topology/nodes/%u/gpu_id", node);
		if (access(path, F_OK))
			return;
		g->gpu_id = file_number(path);
		if (!g->gpu_id)
			continue;
		g->index = l->ngpus++;
		read_gpu(g, node);
	}
}

static void forget(struct look *l)
{
	for (unsigned int i = 0; i < l->ngpus; i++)
		free(l->gpus[i].queues);
}

/* Its place in the list is another one when one before it was unplugged. */
static const struct gpu *same_gpu(const struct look *l, const struct gpu *g)
{
	static const struct gpu none;

	for (unsigned int i = 0; i < l->ngpus; i++)
		if (l->gpus[i].gpu_id == g->gpu_id)
			return &l->gpus[i];
	return &none;
}

static const struct queue *same_queue(const struct gpu *g, const struct queue *q)
{
	static const struct queue none;

	for (unsigned int i = 0; i < g->nqueues; i++)
		if (g->queues[i].pid == q->pid && g->queues[i].id == q->id &&
		    g->queues[i].packets <= q->packets)
			return &g->queues[i];
	return &none;
}

static double rate(uint64_t now, uint64_t before, double time)
{
	return now >= before && time > 0 ? (now - before) / time : 0;
}

/* In percent. The clock is read beside the file, not at the same moment, so it may be a little more. */
static double busy_percent(uint64_t now, uint64_t before, double time)
{
	double percent = rate(now, before, time) * 1e-7;

	return percent < 100 ? percent : 100;
}

static bool has_queue(const struct gpu *g, int pid)
{
	for (unsigned int i = 0; i < g->nqueues; i++)
		if (g->queues[i].pid == pid)
			return true;
	return false;
}

/* What a terminal of 80 columns has no room for is left out there. */
#define WIDE_COLS	106

static void print_row(const struct screen *s, int pid, const char *name, const char *queue,
		      const char *state, const char *busy, const char *packets,
		      const char *dispatches, const char *flight, const char *vram)
{
	if (s->cols >= WIDE_COLS)
		fprintf(s->out, "  %7d %-16s %5s %-22s %6s %10s %10s %8s %9s", pid, name, queue,
			state, busy, packets, dispatches, flight, vram);
	else
		fprintf(s->out, "  %7d %-15.15s %5s %-13.13s %5s %9s %6s %8s", pid, name, queue,
			state, busy, dispatches, flight, vram);
}

static void print_names(const struct screen *s)
{
	if (s->cols >= WIDE_COLS)
		fprintf(s->out, SCREEN_NAMES "  %7s %-16s %5s %-22s %6s %10s %10s %8s %9s\n", "PID",
			"COMMAND", "QUEUE", "STATE", "BUSY%", "PACKETS/s", "DISPATCH/s", "INFLIGHT",
			"VRAM MiB");
	else
		fprintf(s->out, SCREEN_NAMES "  %7s %-15s %5s %-13s %5s %9s %6s %8s\n", "PID",
			"COMMAND", "QUEUE", "STATE", "BUSY%", "DISP/s", "FLIGHT", "VRAM MiB");
}

/* Those that have memory and no queue to be named with. */
static void print_others(const struct screen *s, const struct gpu *g)
{
	for (unsigned int i = 0; i < g->nprocesses; i++) {
		const struct process *p = &g->processes[i];
		char name[32], vram[24];

		if (has_queue(g, p->pid))
			continue;
		process_name(p->pid, name, sizeof(name));
		snprintf(vram, sizeof(vram), "%" PRIu64, p->vram >> 20);
		print_row(s, p->pid, name, "-", "-", "-", "-", "-", "-", vram);
		fputc('\n', s->out);
	}
}

static void print_queue(const struct screen *s, const struct gpu *g, const struct queue *q,
			const struct queue *before, double time)
{
	char name[32], id[16], busy[16], packets[24], dispatches[24], flight[24], vram[24];

	process_name(q->pid, name, sizeof(name));
	snprintf(id, sizeof(id), "%u", q->id);
	snprintf(busy, sizeof(busy), "%.1f", busy_percent(q->busy_ns, before->busy_ns, time));
	snprintf(packets, sizeof(packets), "%.0f", rate(q->packets, before->packets, time));
	snprintf(dispatches, sizeof(dispatches), "%.0f",
		 rate(q->dispatches, before->dispatches, time));
	snprintf(flight, sizeof(flight), "%" PRIu64, q->in_flight);
	snprintf(vram, sizeof(vram), "%" PRIu64, process_vram(q->pid, g->gpu_id) >> 20);
	if (q->error)
		fputs(SCREEN_BAD, s->out);
	print_row(s, q->pid, name, id, q->state, busy, packets, dispatches, flight, vram);
	if (q->error && s->cols >= WIDE_COLS)
		fprintf(s->out, "  error 0x%" PRIx64, q->error);
	else if (q->error)	/* there is no room beside it */
		fprintf(s->out, "\n" SCREEN_BAD "          error 0x%" PRIx64, q->error);
	fputc('\n', s->out);
}

static void print_gpu(const struct screen *s, const struct gpu *g, const struct gpu *b)
{
	bool wide = s->cols >= WIDE_COLS;
	double time = b->when ? g->when - b->when : 0;

	fprintf(s->out, SCREEN_HEAD "GPU %u  gfx%u%x%x  busy %3.0f %%  VRAM %" PRIu64 " of %" PRIu64
		" MiB", g->index, g->target / 10000, g->target / 100 % 100, g->target % 100,
		busy_percent(g->busy_ns, b->busy_ns, time), g->vram_used >> 20, g->vram_bytes >> 20);
	if (wide)
		fprintf(s->out, "  packets %.0f/s", rate(g->packets, b->packets, time));
	fprintf(s->out, wide ? "  dispatches %.0f/s  waves %.0f/s\n" : "  disp. %.0f/s  waves %.0f/s\n",
		rate(g->dispatches, b->dispatches, time), rate(g->waves, b->waves, time));
	if (!g->nqueues && !g->nprocesses)
		return;
	print_names(s);
	for (unsigned int i = 0; i < g->nqueues; i++)
		print_queue(s, g, &g->queues[i], same_queue(b, &g->queues[i]),
			    g->queues_when - b->queues_when);
	print_others(s, g);
}

/* Rows that are too few for it are for GPUs */
#define HEAD_ROWS	10

static void print_head(const struct screen *s, const struct look *l, double delay, bool keys)
{
	unsigned int queues = 0;
	time_t now = time(NULL);
	char clock[16];

	if (s->rows < HEAD_ROWS)
		return;
	for (unsigned int i = 0; i < l->ngpus; i++)
		queues += l->gpus[i].nqueues;
	strftime(clock, sizeof(clock), "%T", localtime(&now));
	fprintf(s->out, "vkfd-top %s, every %g s: %u GPU%s, %u queue%s%s\n\n", clock, delay, l->ngpus,
		l->ngpus == 1 ? "" : "s", queues, queues == 1 ? "" : "s", keys ? "   (q: quit)" : "");
}

static int watch(double delay, unsigned long count, bool batch)
{
	bool keys = false;
	static struct look before, now;
	struct screen screen;
	unsigned long i;
	char path[96];

	look(&before);
	if (!before.ngpus) {
		fprintf(stderr, "vkfd-top: no GPU below " KFD_SYSFS "/topology: is vkfd.ko loaded?\n");
		return EXIT_FAILURE;
	}
	snprintf(path, sizeof(path), DEBUGFS "/%u/queues", before.gpus[0].dir);
	if (access(path, R_OK)) {
		fprintf(stderr, "vkfd-top: %s: %s (%s)\n", path, strerror(errno),
			errno == EACCES ? "try sudo" : "mount -t debugfs none /sys/kernel/debug");
		forget(&before);
		return EXIT_FAILURE;
	}
	if (!batch)
		keys = keys_begin();
	for (i = 0; !count || i < count; i++) {
		/* Somebody waits before an empty screen */
		int key = keys_wait(i || batch ? delay : delay < FIRST_S ? delay : FIRST_S);

		if (key == 'q' || key == 'Q')
			break;
		look(&now);
		if (!screen_begin(&screen))
			return EXIT_FAILURE;
		if (batch && i)
			fputc('\n', screen.out);
		if (!batch)
			print_head(&screen, &now, delay, keys);
		for (unsigned int g = 0; g < now.ngpus; g++)
			print_gpu(&screen, &now.gpus[g], same_gpu(&before, &now.gpus[g]));
		if (!batch && !i)
			fputs("\033[2J", stdout);
		screen_end(&screen, !batch);
		forget(&before);
		before = now;
		if (ferror(stdout)) {
			fprintf(stderr, "vkfd-top: cannot write: %s\n", strerror(errno));
			forget(&before);
			return EXIT_FAILURE;
		}
	}
	forget(&before);
	return EXIT_SUCCESS;
}

static int bad(const char *option, const char *text, const char *why)
{
	fprintf(stderr, "vkfd-top: %s '%s': %s\n", option, text, why);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "help", no_argument, NULL, 'h' }, { "version", no_argument, NULL, 'V' }, { 0 },
	};
	bool batch = !screen_redraws();
	unsigned long count = 0;
	double delay = 2;
	char *end;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "bd:n:h", longopts, NULL)) != -1) {
		switch (c) {
		case 'b':
			batch = true;
			break;
		case 'd':
			delay = strtod(optarg, &end);
			if (end == optarg || *end || !(delay >= 0.05 && delay <= 3600))
				return bad("-d", optarg, "it must be seconds from 0.05 to 3600");
			break;
		case 'n':
			count = strtoul(optarg, &end, 10);
			if (*optarg < '0' || *optarg > '9' || *end || !count)
				return bad("-n", optarg, "it must be a number of screens, 1 or more");
			break;
		case 'h':
			fputs(usage_text, stdout);
			return EXIT_SUCCESS;
		case 'V':
			puts("vkfd-top " VKFD_VERSION);
			return EXIT_SUCCESS;
		default:
			return bad("option", argv[optind - 1],
				   "there is none like it, or its value is missing; try 'vkfd-top --help'");
		}
	}
	if (optind != argc)
		return bad("argument", argv[optind], "it takes none; try 'vkfd-top --help'");
	return watch(delay, count, batch);
}
