// SPDX-License-Identifier: MIT
/* Arguments in words, as vkfd-run takes them. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tap.h"
#include "tools/argspec.h"

static uint64_t value(const char *text)
{
	struct arg_spec a;
	uint64_t v = 0;
	const char *why = arg_parse(text, &a);

	CHECK(!why);
	if (!why)
		memcpy(&v, a.value, a.value_bytes);
	return v;
}

static bool refused(const char *text)
{
	struct arg_spec a;
	const char *why = arg_parse(text, &a);

	return why && strlen(why) > 10;
}

static void test_values(void)
{
	struct arg_spec a;
	float f;
	double d;

	CHECK(value("i32:5") == 5);
	CHECK(value("i32:-5") == 0xfffffffb);
	CHECK(value("u8:255") == 255);
	CHECK(value("x32:0xdeadbeef") == 0xdeadbeef);
	CHECK(value("u64:18446744073709551615") == UINT64_MAX);
	CHECK(value("i64:-9223372036854775808") == 1ull << 63);
	CHECK(!arg_parse("f32:1.5", &a) && a.value_bytes == 4);
	memcpy(&f, a.value, 4);
	CHECK(f == 1.5f);
	CHECK(!arg_parse("f64:-inf", &a) && a.value_bytes == 8);
	memcpy(&d, a.value, 8);
	CHECK(isinf(d) && d < 0);
}

static void test_buffers(void)
{
	struct arg_spec a;
	uint32_t v[4];
	uint8_t odd[13], again[13];

	CHECK(!arg_parse("buf:4K", &a) && a.what == ARG_BUF && a.size == 4096);
	CHECK(!arg_parse("out:1M=zero", &a) && a.what == ARG_OUT && a.size == 1 << 20);
	CHECK(!arg_parse("local:256", &a) && a.what == ARG_LOCAL && a.size == 256);
	CHECK(!arg_parse("buf:16=iota:u32", &a) && a.fill == FILL_IOTA);
	arg_fill(&a, v);
	CHECK(v[0] == 0 && v[3] == 3);
	CHECK(!arg_parse("buf:13=rand:7", &a) && a.fill == FILL_RAND && a.seed == 7);
	arg_fill(&a, odd);
	arg_fill(&a, again);
	CHECK(!memcmp(odd, again, sizeof(odd)));
	CHECK(!arg_parse("buf:13=some/file", &a) && a.fill == FILL_FILE &&
	      !strcmp(a.path, "some/file"));
}

static void test_refused(void)
{
	static const char * const texts[] = {
		"", "5", "i32", "i32:", "i32:x", "i32:5x", "i32:2147483648", "i32:-2147483649",
		"u8:256", "u8:-1", "u64:18446744073709551616", "f32:", "f32:abc", "i33:5",
		":5", "buf:", "buf:0", "buf:-1", "buf:4Q", "buf:4K=", "buf:4Kx", "buf:4=iota:",
		"buf:99999G", "buf:4=iota:f99", "buf:4=rand:", "buf:4=rand:x",
		"local:", "local:4=zero", "buffer:4",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		CHECK(refused(texts[i]));
		if (!refused(texts[i]))
			printf("# '%s' was taken\n", texts[i]);
	}
}

static void test_dims(void)
{
	uint32_t d[3];

	CHECK(!dims_parse("64", d, 1024) && d[0] == 64 && d[1] == 1 && d[2] == 1);
	CHECK(!dims_parse("1K,2,3", d, 1024) && d[0] == 1024 && d[2] == 3);
	CHECK(dims_parse("", d, 1024) && dims_parse("0", d, 1024) && dims_parse("1025", d, 1024));
	CHECK(dims_parse("1,2,3,4", d, 1024) && dims_parse("1,", d, 1024) &&
	      dims_parse("a", d, 1024) && dims_parse("-1", d, 1024));
}

static void test_print(void)
{
	const uint32_t u = 0xfffffffe;
	const float f = 0.5f;
	char buf[64];

	elem_print(buf, sizeof(buf), ELEM_I32, &u);
	CHECK(!strcmp(buf, "-2"));
	elem_print(buf, sizeof(buf), ELEM_X32, &u);
	CHECK(!strcmp(buf, "0xfffffffe"));
	elem_print(buf, sizeof(buf), ELEM_U8, &u);
	CHECK(!strcmp(buf, "254"));
	elem_print(buf, sizeof(buf), ELEM_F32, &f);
	CHECK(!strcmp(buf, "0.5"));
}

int main(void)
{
	printf("TAP version 13\n");
	tap_test("values", test_values);
	tap_test("buffers and what fills them", test_buffers);
	tap_test("bad specifications are refused with a reason", test_refused);
	tap_test("dimensions", test_dims);
	tap_test("printing", test_print);
	return tap_done();
}
