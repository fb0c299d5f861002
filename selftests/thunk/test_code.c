// SPDX-License-Identifier: MIT
/*
 * The code object parsers: on compiled kernels, on each prefix of them, and on thousands of
 * damaged copies.  Built with sanitizers; a parser may refuse, it may not stray.
 *
 *	test_code FILE.hsaco...
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "code_meta.h"
#include "elf_image.h"
#include "msgpack.h"
#include "tap.h"

#define MUTATIONS	4000

static const char *kernels_path, *own_path;

static uint8_t *read_all(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p = NULL;

	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	*size = ftell(f);
	rewind(f);
	p = malloc(*size);
	if (p && fread(p, 1, *size, f) != *size) {
		free(p);
		p = NULL;
	}
	fclose(f);
	return p;
}

static const struct meta_kernel *find(const struct meta_code *m, const char *name)
{
	for (uint32_t i = 0; i < m->nr_kernels; i++)
		if (!strcmp(m->kernels[i].info.name, name))
			return &m->kernels[i];
	return NULL;
}

static void test_real(void)
{
	static const char * const names[] = { "saxpy", "sgemm", "lds_reduce", "trans", "inthash",
					      "diverge", "f64", "scratch" };
	const uint32_t nr_names = sizeof(names) / sizeof(names[0]);
	const struct meta_kernel *k;
	struct elf_image img;
	struct meta_code m;
	uint64_t v, s;
	size_t size;
	uint8_t *file = read_all(kernels_path, &size);

	CHECK(file);
	if (!file)
		return;
	CHECK(elf_parse(&img, file, size) == 0);
	CHECK(meta_parse(img.metadata, img.metadata_size, &m) == 0);
	CHECK(!strncmp(m.target, "amdgcn-amd-amdhsa--gfx90a", 25));
	CHECK(m.nr_kernels == nr_names);
	for (uint32_t i = 0; i < nr_names; i++) {
		k = find(&m, names[i]);
		CHECK(k);
		if (!k)
			continue;
		CHECK(elf_symbol(&img, k->symbol, strlen(k->symbol), &v, &s) == 0);
		CHECK(s == 64 && v % 64 == 0 && v + 64 <= img.span);
		CHECK(k->info.wave_size == 64 && k->info.reqd_group[0] == 256);
	}
	k = find(&m, "sgemm");
	if (k) {
		CHECK(k->info.nr_args == 4);
		CHECK(k->info.args[0].kind == AQL_ARG_BUFFER && k->info.args[0].size == 8);
		CHECK(k->info.args[3].kind == AQL_ARG_VALUE && k->info.args[3].size == 4);
		CHECK(k->info.args[3].offset == 24);
	}
	k = find(&m, "lds_reduce");
	CHECK(k && k->info.group_bytes == 1024);
	CHECK(elf_symbol(&img, "none", 4, &v, &s) == -ENOENT);
	meta_free(&m);
	free(file);
}

/* Hidden arguments are not the caller's. */
static void test_hidden(void)
{
	const struct meta_kernel *k;
	struct elf_image img;
	struct meta_code m;
	size_t size;
	uint8_t *file = read_all(own_path, &size);

	CHECK(file && elf_parse(&img, file, size) == 0);
	if (!file)
		return;
	CHECK(meta_parse(img.metadata, img.metadata_size, &m) == 0);
	k = find(&m, "hidden");
	CHECK(k);
	if (k) {
		CHECK(k->info.nr_args == 2 && k->info.args[1].kind == AQL_ARG_LOCAL);
		CHECK(k->nr_hidden > 6);
		for (uint32_t i = 0; i < k->nr_hidden; i++)
			CHECK(k->hidden[i].kind != HIDDEN_COUNT_Y || k->hidden[i].size == 4);
	}
	meta_free(&m);
	free(file);
}

/* Parse a copy of exactly this size, so that a read beyond it is seen. */
static int try(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct elf_image img;
	struct meta_code m;
	struct elf_reloc r;
	uint64_t v, s;
	int err;

	memcpy(copy, bytes, size);
	err = elf_parse(&img, copy, size);
	if (!err)
		err = meta_parse(img.metadata, img.metadata_size, &m);
	if (!err) {
		for (uint32_t i = 0; i < m.nr_kernels; i++)
			elf_symbol(&img, m.kernels[i].symbol, strlen(m.kernels[i].symbol), &v, &s);
		for (size_t i = 0; i < elf_nr_relocs(&img); i++)
			elf_reloc_at(&img, i, &r);
		meta_free(&m);
	}
	free(copy);
	return err;
}

static void test_prefixes(void)
{
	size_t size;
	uint8_t *file = read_all(kernels_path, &size);

	CHECK(file);
	for (size_t n = 0; file && n < size; n += n < 4096 ? 7 : 61)
		try(file, n);
	CHECK(file && try(file, 0) == -ENOEXEC && try(file, 63) == -ENOEXEC);
	CHECK(file && try(file, size) == 0);
	free(file);
}

static void test_mutations(void)
{
	uint32_t seed = 1;
	int refused = 0;
	size_t size;
	uint8_t *file = read_all(kernels_path, &size), *copy;

	CHECK(file);
	if (!file)
		return;
	copy = malloc(size);
	for (int i = 0; i < MUTATIONS; i++) {
		memcpy(copy, file, size);
		for (int n = 0; n <= i % 8; n++) {
			size_t at;

			seed = seed * 1664525 + 1013904223;
			/* headers, notes and symbols are at the front */
			at = (seed >> 8) % (i & 1 ? 1024 : size < 6144 ? size : 6144);
			seed = seed * 1664525 + 1013904223;
			copy[at] = i & 2 ? seed >> 24 : copy[at] ^ 1u << (seed >> 29);
		}
		refused += try(copy, size) != 0;
	}
	CHECK(refused > 0 && refused < MUTATIONS);
	free(copy);
	free(file);
}

static void expect(const char *bytes, size_t n, int err, enum mp_type type, uint64_t u)
{
	struct mp_reader r = { .p = (const uint8_t *)bytes, .end = (const uint8_t *)bytes + n };
	struct mp_value v;

	CHECK(mp_next(&r, &v) == err);
	if (!err)
		CHECK(v.type == type && (type == MP_STR ? v.len : v.u) == u);
}

static void test_msgpack(void)
{
	struct mp_reader r;
	uint8_t deep[100];

	expect("\x05", 1, 0, MP_UINT, 5);
	expect("\xff", 1, 0, MP_INT, UINT64_MAX);
	expect("\xd0\x80", 2, 0, MP_INT, (uint64_t)-128);
	expect("\xcd\x01\x02", 3, 0, MP_UINT, 258);
	expect("\xcf\0\0\0\1\0\0\0\0", 9, 0, MP_UINT, 1ull << 32);
	expect("\xa3" "abc", 4, 0, MP_STR, 3);
	expect("\xa3" "ab", 3, -EBADMSG, MP_STR, 0);
	expect("\xdb\xff\xff\xff\xff" "a", 6, -EBADMSG, MP_STR, 0);
	expect("\xc1", 1, -EBADMSG, MP_NIL, 0);
	expect("\xcd\x01", 2, -EBADMSG, MP_UINT, 0);
	expect("", 0, -EBADMSG, MP_NIL, 0);
	memset(deep, 0x91, sizeof(deep));
	r = (struct mp_reader){ .p = deep, .end = deep + sizeof(deep) };
	CHECK(mp_skip(&r) == -EBADMSG);
	r = (struct mp_reader){ .p = (const uint8_t *)"\xdd\xff\xff\xff\xff\1",
				.end = (const uint8_t *)"" };
	r.end = r.p + 6;
	CHECK(mp_skip(&r) == -EBADMSG);
}

int main(int argc, char **argv)
{
	kernels_path = argc > 1 ? argv[1] : KERNELS;
	own_path = argc > 2 ? argv[2] : HIDDEN;
	printf("TAP version 13\n");
	tap_test("metadata and symbols of the kernels of the bench", test_real);
	tap_test("hidden and local arguments", test_hidden);
	tap_test("every prefix", test_prefixes);
	tap_test("damaged copies", test_mutations);
	tap_test("MessagePack values", test_msgpack);
	return tap_done();
}
