// SPDX-License-Identifier: MIT
/* Names of kernels, as vkfd-trace finds them in memory; included by test_trace.c. */
#include "elf_image.h"

#define LOADED	0x7f1200000000ull

/* A code object as loaders put it into memory; what is asked beyond it is not there. */
struct loaded {
	uint8_t *bytes;
	size_t size;
	struct elf_image img;
	void *file;
};

static bool read_loaded(void *from, uint64_t va, void *to, size_t len)
{
	const struct loaded *l = from;

	if (va < LOADED || va - LOADED > l->size || len > l->size - (va - LOADED))
		return false;
	memcpy(to, l->bytes + (va - LOADED), len);
	return true;
}

static bool load(struct loaded *l)
{
	FILE *f = fopen(KERNELS, "rb");
	long size;

	*l = (struct loaded){ 0 };
	if (!f)
		return false;
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	l->file = malloc(size);
	if (fread(l->file, 1, size, f) != (size_t)size || elf_parse(&l->img, l->file, size)) {
		fclose(f);
		return false;
	}
	fclose(f);
	l->size = l->img.span;
	l->bytes = calloc(1, l->size);
	for (unsigned int i = 0; i < l->img.nr_segments; i++)
		memcpy(l->bytes + l->img.seg[i].vaddr, l->img.bytes + l->img.seg[i].offset,
		       l->img.seg[i].filesz);
	return true;
}

static void unload(struct loaded *l)
{
	free(l->bytes);
	free(l->file);
}

static void test_kernel_names(void)
{
	static const char * const names[] = { "saxpy", "sgemm", "scratch" };
	struct loaded l;
	const struct trace_memory m = { .read = read_loaded, .from = &l };
	char name[TRACE_NAME_MAX], symbol[32];
	uint64_t at = 0, size;

	CHECK(load(&l));
	for (unsigned int i = 0; i < 3; i++) {
		snprintf(symbol, sizeof(symbol), "%s.kd", names[i]);
		CHECK(!elf_symbol(&l.img, symbol, strlen(symbol), &at, &size));
		CHECK(trace_find_name(&m, LOADED + at, name) && !strcmp(name, names[i]));
	}
	CHECK(!trace_find_name(&m, LOADED + at + 8, name));
	CHECK(!trace_find_name(&m, LOADED - 64, name));
	CHECK(!trace_find_name(&m, LOADED + l.size + 4096, name));
	CHECK(!trace_find_name(&m, 0, name) && !trace_find_name(&m, ~63ull, name));
	/* Without the header there is no code object */
	l.bytes[0] = 0;
	CHECK(!trace_find_name(&m, LOADED + at, name));
	unload(&l);
}

/* Whatever is there, what is found is a name. */
static void test_damaged_names(void)
{
	unsigned int found = 0, other = 0;
	struct loaded l;
	const struct trace_memory m = { .read = read_loaded, .from = &l };
	char name[TRACE_NAME_MAX];
	uint64_t at, size;
	uint8_t *good;
	size_t whole;

	CHECK(load(&l) && !elf_symbol(&l.img, "sgemm.kd", 8, &at, &size));
	whole = l.size;
	good = malloc(whole);
	memcpy(good, l.bytes, whole);
	srandom(18);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		/* Most of what is read is at the beginning */
		for (unsigned int n = random() % 4 + 1; n; n--)
			l.bytes[random() % (random() % 2 ? 256 : at)] = random();
		l.size = random() % 16 ? whole : (size_t)random() % whole;
		if (trace_find_name(&m, LOADED + at, name)) {
			found++;
			other += !!strcmp(name, "sgemm");
			for (char *c = name; *c; c++)
				tap_bad += *c <= ' ' || *c > '~';
		}
		memcpy(l.bytes, good, whole);
	}
	CHECK(found > ROUNDS / 100 && other && other < found);
	free(good);
	unload(&l);
}

static void test_met(void)
{
	struct trace_names names = { 0 };

	for (unsigned int round = 0; round < 2; round++)
		for (uint32_t pid = 1; pid < 4; pid++)
			for (uint64_t i = 1; i < 3000; i++)
				if (trace_names_new(&names, pid, LOADED + i * 64) == !!round)
					tap_bad++;
	CHECK(names.n == 3 * 2999 && names.n * 2 <= names.room);
	CHECK(!trace_names_new(&names, 1, 0));
	free(names.slots);
}

/* The table has the name where there is one, and the address where there is none. */
static void test_table(void)
{
	struct file f = { 0 };
	struct vkfd_capture_header *h = add(&f, VKFD_CAPTURE_HEADER, sizeof(*h));
	struct vkfd_capture_dispatch *d;
	struct vkfd_capture_name *n;
	char path[] = "/tmp/test_trace.XXXXXX", text[4096] = "", line[64];
	int fd = mkstemp(path), out = dup(STDOUT_FILENO);
	struct trace t;

	h->magic = VKFD_CAPTURE_MAGIC;
	for (uint64_t i = 1; i < 3; i++) {
		d = add(&f, VKFD_CAPTURE_DISPATCH, sizeof(*d));
		d->pid = 7;
		d->kernel_object = LOADED + i * 64;
	}
	/* Another process's, and one that does not run */
	for (uint32_t i = 0; i < 3; i++) {
		n = add(&f, VKFD_CAPTURE_NAME, sizeof(*n) + 8);
		n->pid = i ? 7 : 8;
		n->object = LOADED + (i < 2 ? 64 : 0);
		memcpy(n + 1, i == 1 ? "na<me\033!" : "wrong", i == 1 ? 7 : 5);
	}
	t = (struct trace){ .data = f.data, .size = f.size };
	CHECK(fd >= 0 && out >= 0 && !trace_check(&t));
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	trace_stat(&t, NULL);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	CHECK(pread(fd, text, sizeof(text) - 1, 0) > 0);
	snprintf(line, sizeof(line), "  0x%llx\n", LOADED + 128);
	CHECK(strstr(text, "  na?me?!\n") && strstr(text, line) && !strstr(text, "wrong"));
	close(fd);
	close(out);
	unlink(path);
	free(f.data);
}
