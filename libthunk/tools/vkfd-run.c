// SPDX-License-Identifier: MIT
/* vkfd-run: launch a kernel of a code object from the shell.  See vkfd-run(1). */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "argspec.h"
#include "aql/aql.h"
#include "device.h"

#define MAX_ARGS	64
#define EXIT_USAGE	2

struct save {
	unsigned int arg;
	const char *path;
};

struct run {
	const char *file, *kernel_name;
	unsigned int gpu, repeat, nr_args, nr_saves;
	uint32_t grid[3], group[3];
	uint64_t timeout_s, dump_count;
	enum elem dump;
	bool list, quiet;
	const char *texts[MAX_ARGS];
	struct arg_spec specs[MAX_ARGS];
	void *buffers[MAX_ARGS];
	struct save saves[MAX_ARGS];

	struct aql_dev *dev;
	struct aql_code *code;
	struct aql_kernel *kernel;
	struct aql_queue *queue;
	struct aql_signal *done;
};

static const char usage_text[] =
"Usage: vkfd-run FILE.hsaco KERNEL --grid X[,Y[,Z]] --group X[,Y[,Z]] [--arg SPEC]...\n"
"       vkfd-run FILE.hsaco --list\n"
"\n"
"Launch a kernel and wait for it.\n"
"\n"
"  --grid X[,Y[,Z]]    work-items in all\n"
"  --group X[,Y[,Z]]   work-items of a work-group\n"
"  --arg SPEC          the next argument:\n"
"      TYPE:VALUE          i8 u8 i16 u16 i32 u32 x32 i64 u64 x64 f32 f64\n"
"      buf:SIZE[=FILL]     a buffer; SIZE takes K, M, G\n"
"      out:SIZE[=FILL]     a buffer that is printed afterwards\n"
"      local:SIZE          group memory\n"
"    FILL is zero, iota:TYPE, rand[:SEED] or the name of a file\n"
"  --dump TYPE         how out buffers are printed (u32)\n"
"  --count N           how many elements of each are (16; 0 for all)\n"
"  --save N=FILE       write the buffer of argument N, counted from 0, to a file\n"
"  --repeat N          launch N times and print the times (1)\n"
"  --timeout S         seconds to wait for a launch (60)\n"
"  --gpu N             which GPU (0)\n"
"  --list              print the kernels of the file and their arguments\n"
"  --quiet             print no times\n"
"  --help              this; --version: of vkfd\n";

static int complain(const char *what, int err)
{
	fprintf(stderr, "vkfd-run: %s: %s\n", what, aql_strerror(err));
	return EXIT_FAILURE;
}

static int bad(const char *what, const char *text, const char *why)
{
	fprintf(stderr, "vkfd-run: %s '%s': %s\n", what, text, why);
	return EXIT_USAGE;
}

static int parse_number(const char *name, const char *text, uint64_t max, uint64_t *out)
{
	if (size_parse(text, out) || *out > max)
		return bad(name, text, "not a number, or too large");
	return 0;
}

static int parse_save(struct run *r, const char *text)
{
	char *end;
	struct save *s;

	if (r->nr_saves == MAX_ARGS)
		return bad("--save", text, "too many");
	s = &r->saves[r->nr_saves++];
	s->arg = strtoul(text, &end, 10);
	if (end == text || *end != '=' || !end[1])
		return bad("--save", text, "it must be ARGUMENT=FILE");
	s->path = end + 1;
	return 0;
}

static int parse_arg(struct run *r, const char *text)
{
	const char *why;

	if (r->nr_args == MAX_ARGS)
		return bad("--arg", text, "too many arguments");
	why = arg_parse(text, &r->specs[r->nr_args]);
	if (why)
		return bad("--arg", text, why);
	r->texts[r->nr_args++] = text;
	return 0;
}

enum { OPT_GRID = 1, OPT_GROUP, OPT_ARG, OPT_DUMP, OPT_COUNT, OPT_SAVE, OPT_REPEAT, OPT_TIMEOUT,
       OPT_GPU, OPT_LIST, OPT_QUIET, OPT_HELP, OPT_VERSION };

static const struct option options[] = {
	{ "arg", required_argument, NULL, OPT_ARG },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "dump", required_argument, NULL, OPT_DUMP },
	{ "gpu", required_argument, NULL, OPT_GPU },
	{ "grid", required_argument, NULL, OPT_GRID },
	{ "group", required_argument, NULL, OPT_GROUP },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "quiet", no_argument, NULL, OPT_QUIET },
	{ "repeat", required_argument, NULL, OPT_REPEAT },
	{ "save", required_argument, NULL, OPT_SAVE },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static int take_option(struct run *r, int opt, const char *text)
{
	uint64_t v;

	switch (opt) {
	case OPT_GRID:
		return dims_parse(optarg, r->grid, UINT32_MAX) ?
		       bad("--grid", optarg, "it must be X[,Y[,Z]], each 1 or more") : 0;
	case OPT_GROUP:
		return dims_parse(optarg, r->group, 1024) ?
		       bad("--group", optarg, "it must be X[,Y[,Z]], each from 1 to 1024") : 0;
	case OPT_ARG:
		return parse_arg(r, optarg);
	case OPT_DUMP:
		return elem_parse(optarg, strlen(optarg), &r->dump) ?
		       bad("--dump", optarg, "not a type") : 0;
	case OPT_COUNT:
		return parse_number("--count", optarg, UINT64_MAX, &r->dump_count);
	case OPT_SAVE:
		return parse_save(r, optarg);
	case OPT_REPEAT:
		if (parse_number("--repeat", optarg, 1000000, &v))
			return EXIT_USAGE;
		if (!v)
			return bad("--repeat", optarg, "it must be 1 or more");
		r->repeat = v;
		return 0;
	case OPT_TIMEOUT:
		return parse_number("--timeout", optarg, 1000000, &r->timeout_s);
	case OPT_GPU:
		if (parse_number("--gpu", optarg, 1000, &v))
			return EXIT_USAGE;
		r->gpu = v;
		return 0;
	case OPT_LIST:
		r->list = true;
		return 0;
	case OPT_QUIET:
		r->quiet = true;
		return 0;
	case OPT_HELP:
		fputs(usage_text, stdout);
		exit(EXIT_SUCCESS);
	case OPT_VERSION:
		puts("vkfd-run " VKFD_VERSION);
		exit(EXIT_SUCCESS);
	default:
		fprintf(stderr, "vkfd-run: option '%s': there is none like it, or its value is missing or "
			"too much; try 'vkfd-run --help'\n", text);
		return EXIT_USAGE;
	}
}

static int parse_command(struct run *r, int argc, char **argv)
{
	int opt, bad_option;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		bad_option = take_option(r, opt, argv[optind - 1]);
		if (bad_option)
			return bad_option;
	}
	if (argc - optind != (r->list ? 1 : 2)) {
		fputs("vkfd-run: it takes a file and a kernel; try 'vkfd-run --help'\n", stderr);
		return EXIT_USAGE;
	}
	r->file = argv[optind];
	r->kernel_name = r->list ? NULL : argv[optind + 1];
	if (!r->list && (!r->grid[0] || !r->group[0])) {
		fputs("vkfd-run: --grid and --group are needed\n", stderr);
		return EXIT_USAGE;
	}
	for (unsigned int i = 0; i < r->nr_saves; i++) {
		unsigned int a = r->saves[i].arg;

		if (a >= r->nr_args || (r->specs[a].what != ARG_BUF && r->specs[a].what != ARG_OUT))
			return bad("--save", r->saves[i].path, "that argument is no buffer");
	}
	return 0;
}

static const char *kind_name(enum aql_arg_kind kind)
{
	static const char * const names[] = { "value", "buffer", "local", "other" };

	return names[kind];
}

static void list_kernels(const struct aql_code *code)
{
	for (unsigned int i = 0; i < aql_code_count(code); i++) {
		struct aql_kernel_info k;

		aql_kernel_get_info(aql_code_kernel_at(code, i), &k);
		printf("%s: %u bytes of arguments, group %u, private %u, %u SGPRs, %u VGPRs",
		       k.name, k.kernarg_bytes, k.group_bytes, k.private_bytes, k.sgprs, k.vgprs);
		if (k.reqd_group[0])
			printf(", work-group %ux%ux%u", k.reqd_group[0], k.reqd_group[1],
			       k.reqd_group[2]);
		putchar('\n');
		for (unsigned int a = 0; a < k.nr_args; a++)
			printf("  %u: %s %s %s, %u bytes\n", a, kind_name(k.args[a].kind),
			       k.args[a].type, k.args[a].name, k.args[a].size);
	}
}

/* Each specification against what the kernel wants there. */
static int match_args(const struct run *r, const struct aql_kernel_info *k)
{
	if (r->nr_args != k->nr_args) {
		fprintf(stderr, "vkfd-run: %s takes %u arguments, %u were given\n", k->name,
			k->nr_args, r->nr_args);
		return EXIT_USAGE;
	}
	for (unsigned int i = 0; i < k->nr_args; i++) {
		const struct arg_spec *s = &r->specs[i];
		const struct aql_arg_info *a = &k->args[i];

		if (s->what == ARG_LOCAL ? a->kind != AQL_ARG_LOCAL : a->kind == AQL_ARG_LOCAL)
			return bad("--arg", r->texts[i], "local: goes with local arguments only");
		if ((s->what == ARG_BUF || s->what == ARG_OUT) && a->size != sizeof(void *))
			return bad("--arg", r->texts[i], "the kernel takes no address there");
		if (s->what == ARG_VALUE && s->value_bytes != a->size) {
			fprintf(stderr, "vkfd-run: --arg '%s': the argument has %u bytes\n",
				r->texts[i], a->size);
			return EXIT_USAGE;
		}
	}
	return 0;
}

static int fill_from_file(const struct arg_spec *s, void *to)
{
	FILE *f = fopen(s->path, "rb");
	int err = 0;

	if (!f)
		return complain(s->path, -errno);
	memset(to, 0, s->size);
	if (fread(to, 1, s->size, f) < s->size && ferror(f))
		err = complain(s->path, -EIO);
	fclose(f);
	return err;
}

static int make_buffers(struct run *r)
{
	for (unsigned int i = 0; i < r->nr_args; i++) {
		const struct arg_spec *s = &r->specs[i];
		int err;

		if (s->what != ARG_BUF && s->what != ARG_OUT)
			continue;
		err = aql_alloc(r->dev, s->size, AQL_MEM_VRAM, &r->buffers[i]);
		if (err)
			return complain(r->texts[i], err);
		if (s->fill != FILL_FILE)
			arg_fill(s, r->buffers[i]);
		else if (fill_from_file(s, r->buffers[i]))
			return EXIT_FAILURE;
	}
	return 0;
}

/* The error, and what the GPU has to say about it. */
static int explain(struct run *r, int err)
{
	struct aql_fault f;
	uint64_t code = 0;
	bool fault;

	fprintf(stderr, "vkfd-run: %s: %s", r->kernel_name, aql_strerror(err));
	if (aql_queue_error(r->queue, &code))
		fprintf(stderr, " (%s, code 0x%" PRIx64 ")", aql_queue_error_name(code), code);
	fault = aql_dev_fault(r->dev, &f);
	if (fault && f.reset)	/* of the whole GPU: that has no address */
		fprintf(stderr, " (it was reset or unplugged)");
	else if (fault)
		fprintf(stderr, " (address 0x%" PRIx64 "%s%s%s)", f.va,
			f.not_present ? ", not mapped" : "", f.read_only ? ", read-only" : "",
			f.no_execute ? ", not executable" : "");
	fputc('\n', stderr);
	return EXIT_FAILURE;
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static int launch(struct run *r)
{
	struct aql_launch l = { 0 };
	struct aql_dev_info info;
	const void *args[MAX_ARGS];
	uint32_t local[MAX_ARGS];

	aql_dev_get_info(r->dev, &info);
	for (int d = 0; d < 3; d++) {
		l.grid[d] = r->grid[d];
		l.group[d] = r->group[d];
	}
	for (unsigned int i = 0; i < r->nr_args; i++) {
		local[i] = r->specs[i].size;
		args[i] = r->specs[i].what == ARG_VALUE ? (const void *)r->specs[i].value :
			  r->specs[i].what == ARG_LOCAL ? (const void *)&local[i] :
			  (const void *)&r->buffers[i];
	}
	for (unsigned int n = 0; n < r->repeat; n++) {
		uint64_t start, end;
		double t;
		int err;

		aql_signal_store(r->done, 1);
		t = seconds();
		err = aql_dispatch(r->queue, r->kernel, &l, args, r->nr_args, r->done);
		if (!err)
			err = aql_wait(r->queue, r->done,
				       r->timeout_s ? r->timeout_s * 1000000000ull : AQL_FOREVER);
		t = seconds() - t;
		if (err)
			return explain(r, err);
		if (r->quiet)
			continue;
		aql_signal_times(r->done, &start, &end);
		printf("%s: %.6f s", r->kernel_name, t);
		if (info.counter_hz && end >= start)
			printf(", %.6f s on the GPU", (double)(end - start) / info.counter_hz);
		putchar('\n');
	}
	return 0;
}

static void dump_buffer(const struct run *r, unsigned int i)
{
	unsigned int each = elem_size(r->dump);
	uint64_t n = r->specs[i].size / each;
	char text[64];

	if (r->dump_count && r->dump_count < n)
		n = r->dump_count;
	printf("arg %u:", i);
	for (uint64_t e = 0; e < n; e++) {
		elem_print(text, sizeof(text), r->dump, (char *)r->buffers[i] + e * each);
		printf("%s%s", e && e % 8 == 0 ? "\n       " : " ", text);
	}
	putchar('\n');
}

static int save_buffer(const struct run *r, const struct save *s)
{
	uint64_t size = r->specs[s->arg].size;
	FILE *f = fopen(s->path, "wb");
	int err = 0;

	if (!f)
		return complain(s->path, -errno);
	if (fwrite(r->buffers[s->arg], 1, size, f) != size)
		err = -EIO;
	if (fclose(f))
		err = -errno;
	return err ? complain(s->path, err) : 0;
}

static int show_results(const struct run *r)
{
	int err = 0;

	for (unsigned int i = 0; i < r->nr_args; i++)
		if (r->specs[i].what == ARG_OUT)
			dump_buffer(r, i);
	for (unsigned int i = 0; i < r->nr_saves && !err; i++)
		err = save_buffer(r, &r->saves[i]);
	return err;
}

/* Whoever has compiled for another GPU wants to know which one this is. */
static int refuse_file(const struct run *r, int err)
{
	struct aql_dev_info info;

	if (err != -EXDEV)
		return complain(r->file, err);
	aql_dev_get_info(r->dev, &info);
	fprintf(stderr, "vkfd-run: %s: %s; this GPU is %s\n", r->file, aql_strerror(err), info.isa);
	return EXIT_FAILURE;
}

static int run(struct run *r)
{
	struct aql_kernel_info k;
	int err;

	err = aql_open(r->gpu, &r->dev);
	if (err) {
		fprintf(stderr, "vkfd-run: %s\n", device_why(r->gpu, err));
		return EXIT_FAILURE;
	}
	err = aql_code_load_file(r->dev, r->file, &r->code);
	if (err)
		return refuse_file(r, err);
	if (r->list) {
		list_kernels(r->code);
		return 0;
	}
	err = aql_code_kernel(r->code, r->kernel_name, &r->kernel);
	if (err) {
		fprintf(stderr, "vkfd-run: %s: %s (vkfd-run --list %s has those that there are)\n",
			r->kernel_name, aql_strerror(err), r->file);
		return EXIT_FAILURE;
	}
	aql_kernel_get_info(r->kernel, &k);
	err = match_args(r, &k);
	if (err)
		return err;
	err = make_buffers(r);
	if (err)
		return err;
	err = aql_queue_create(r->dev, 64, &r->queue);
	if (!err)
		err = aql_signal_create(r->dev, 1, 0, &r->done);
	if (err)
		return complain("cannot make a queue", err);
	err = launch(r);
	return err ? err : show_results(r);
}

static void finish(struct run *r)
{
	aql_queue_destroy(r->queue);
	aql_signal_destroy(r->done);
	for (unsigned int i = 0; i < r->nr_args; i++)
		aql_free(r->dev, r->buffers[i]);
	aql_code_unload(r->code);
	aql_close(r->dev);
}

int main(int argc, char **argv)
{
	static struct run r = { .repeat = 1, .timeout_s = 60, .dump_count = 16, .dump = ELEM_U32 };
	int status = parse_command(&r, argc, argv);

	if (status)
		return status;
	status = run(&r);
	finish(&r);
	if (fflush(stdout))
		status = complain("standard output", -errno);
	return status;
}
