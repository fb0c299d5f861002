// SPDX-License-Identifier: MIT
/* vkfd-trace: record what a program has GPUs do, and do it again.  See vkfd-trace(1). */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define EXIT_USAGE	2
#define EXIT_RECORD	125	/* record itself failed, not the command */
#define FILE_NAME	"vkfd.trace"

static const char usage_text[] =
"Usage: vkfd-trace record [-o FILE] [-m MB] -- COMMAND [ARGUMENT]...\n"
"       vkfd-trace replay [-n NUMBER] [-g GPU] [-t SECONDS] [FILE]\n"
"       vkfd-trace stat [--svg PLOT.svg] [FILE]\n"
"       vkfd-trace show [FILE]\n"
"       vkfd-trace --version\n"
"\n"
"record runs a command and keeps its dispatches, and the memory that they touch; replay runs\n"
"these again without it, and compares; stat sums up each kernel; show lists what there is.\n"
"  -o FILE      where to (default " FILE_NAME ")\n"
"  -m MB        room for the memory of a dispatch (64)\n"
"  -n NUMBER    only this dispatch, counted from 1\n"
"  -g GPU       on which GPU (0)\n"
"  -t SECONDS   for each dispatch (60)\n"
"  --svg FILE   draw the time of each kernel\n";

struct options {
	const char *file, *svg;
	unsigned int megabytes;
	struct replay_options replay;
};

static int bad(const char *what)
{
	fprintf(stderr, "vkfd-trace: %s; try 'vkfd-trace --help'\n", what);
	return EXIT_USAGE;
}

/* Options with a number, and what it may be */
static const struct {
	char letter;
	unsigned long min, max;
} numbers[] = { { 'm', 1, 4096 }, { 'n', 1, 1000000000 }, { 'g', 0, 127 }, { 't', 1, 1000000 } };

/* 0 also for an option without one */
static int take_number(int letter, const char *text, unsigned long *out)
{
	unsigned int i = 0;
	char *end;

	while (i < sizeof(numbers) / sizeof(*numbers) && numbers[i].letter != letter)
		i++;
	if (i == sizeof(numbers) / sizeof(*numbers))
		return 0;
	errno = 0;
	*out = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *out >= numbers[i].min &&
	    *out <= numbers[i].max)
		return 0;
	fprintf(stderr, "vkfd-trace: -%c '%s': it must be a number from %lu to %lu\n", letter, text,
		numbers[i].min, numbers[i].max);
	return EXIT_USAGE;
}

static int take_options(struct options *o, int argc, char **argv, const char *letters)
{
	static const struct option longopts[] = {
		{ "svg", required_argument, NULL, 's' }, { "help", no_argument, NULL, 'h' }, { 0 },
	};
	unsigned long v = 0;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, longopts, NULL)) != -1) {
		if (c == 'h') {
			fputs(usage_text, stdout);
			exit(EXIT_SUCCESS);
		}
		if (take_number(c, optarg, &v))
			return EXIT_USAGE;
		switch (c) {
		case 'o':
			o->file = optarg;
			break;
		case 'm':
			o->megabytes = v;
			break;
		case 'n':
			o->replay.only = v;
			break;
		case 'g':
			o->replay.gpu = v;
			break;
		case 't':
			o->replay.timeout_s = v;
			break;
		case 's':
			if (!strchr(letters, 's'))
				return bad("--svg is for stat");
			o->svg = optarg;
			break;
		default:
			fprintf(stderr, "vkfd-trace: option '%s': there is none like it here, or its value "
				"is missing; try 'vkfd-trace --help'\n", argv[optind - 1]);
			return EXIT_USAGE;
		}
	}
	return 0;
}

static int record(struct options *o, int argc, char **argv)
{
	int status = take_options(o, argc, argv, "+o:m:h");

	if (status)
		return status;
	if (optind == argc)
		return bad("record what? A command is missing");
	status = trace_record(o->file, o->megabytes, argv + optind);
	return status < 0 ? EXIT_RECORD : status;
}

static int on_file(struct options *o, int argc, char **argv, const char *letters, char what)
{
	int status = take_options(o, argc, argv, letters);
	struct trace t;

	if (status)
		return status;
	if (argc - optind > 1)
		return bad("one file is enough");
	if (!trace_open(&t, optind < argc ? argv[optind] : o->file))
		return EXIT_FAILURE;
	status = what == 'r' ? trace_replay(&t, &o->replay) :
		 what == 's' ? trace_stat(&t, o->svg) : trace_show(&t);
	trace_close(&t);
	if (fflush(stdout)) {
		perror("vkfd-trace: standard output");
		status = EXIT_FAILURE;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct options o = {
		.file = FILE_NAME, .replay = { .timeout_s = 60 },
	};
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "--help") || !strcmp(what, "-h")) {
		fputs(usage_text, stdout);
		return EXIT_SUCCESS;
	}
	if (!strcmp(what, "--version")) {
		puts("vkfd-trace " VKFD_VERSION);
		return EXIT_SUCCESS;
	}
	if (!strcmp(what, "record"))
		return record(&o, argc - 1, argv + 1);
	if (!strcmp(what, "replay"))
		return on_file(&o, argc - 1, argv + 1, "n:g:t:h", 'r');
	if (!strcmp(what, "stat"))
		return on_file(&o, argc - 1, argv + 1, "sh", 's');
	if (!strcmp(what, "show"))
		return on_file(&o, argc - 1, argv + 1, "h", 'l');
	return bad("record, replay, stat or show?");
}
