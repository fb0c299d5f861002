// SPDX-License-Identifier: MIT
/*
 * Compiled kernels through everything below the front end, on the host: ring,
 * packet processor, workers and the real engine. Usage: test_engine CODE, or
 * next to code/queue-gfx90a.hsaco.
 */
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "fake_gpu.h"
#include "tap.h"

static const u8 *elf;
static u8 *code;

static bool load(const char *path)
{
	const Elf64_Phdr *ph;
	const Elf64_Ehdr *e;
	off_t bytes;
	int fd = open(path, O_RDONLY), i;

	bytes = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	if (bytes <= 0)
		return false;
	elf = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	code = fake_alloc(1 << 20);
	e = (const Elf64_Ehdr *)elf;
	ph = (const Elf64_Phdr *)(elf + e->e_phoff);
	for (i = 0; i < e->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD)
			memcpy(code + ph[i].p_vaddr, elf + ph[i].p_offset,
			       ph[i].p_filesz);
	return true;
}

static u64 kernel(const char *name)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)elf;
	const Elf64_Shdr *sh = (const Elf64_Shdr *)(elf + e->e_shoff);
	char want[64];
	int i;

	snprintf(want, sizeof(want), "%s.kd", name);
	for (i = 0; i < e->e_shnum; i++) {
		const char *names = (const char *)elf + sh[sh[i].sh_link].sh_offset;
		const Elf64_Sym *s = (const Elf64_Sym *)(elf + sh[i].sh_offset);
		size_t n = sh[i].sh_size / sizeof(*s);

		if (sh[i].sh_type != SHT_DYNSYM)
			continue;
		for (; n; n--, s++)
			if (!strcmp(names + s->st_name, want))
				return (uintptr_t)code + s->st_value;
	}
	return 0;
}

struct rig {
	struct fake_process p;
	struct fake_queue q;
	u32 *words;
	u64 *args;
};

static struct rig *fresh(void)
{
	static struct rig r;

	fake_process_init(&r.p);
	CHECK(!fake_queue_create(&r.p, 64, &r.q));
	r.words = fake_alloc(64 * PAGE_SIZE);
	r.args = fake_alloc(PAGE_SIZE);
	r.args[0] = (uintptr_t)r.words;
	return &r;
}

static u64 *run(struct rig *r, const char *name, u32 groups, u32 size)
{
	u64 *s = fake_signal(1);

	fake_dispatch_args(&r->q, kernel(name), groups, size, s, (uintptr_t)r->args);
	return s;
}

static void test_add(void)
{
	struct rig *r = fresh();
	u32 i;

	((u32 *)r->args)[2] = 7;
	CHECK(fake_wait(run(r, "add_to", 256, 64), 0));
	for (i = 0; i < 256 * 64; i++)
		if (r->words[i] != 7)
			break;
	CHECK(i == 256 * 64);
	fake_queue_destroy(&r->q);
}

static void test_lds(void)
{
	struct rig *r = fresh();
	u32 i;

	for (i = 0; i < 4096; i++)
		r->words[i] = i;
	CHECK(fake_wait(run(r, "reverse", 4, 1024), 0));
	for (i = 0; i < 4096; i++)
		if (r->words[i] != ((i & ~1023u) | (1023 - (i & 1023))))
			break;
	CHECK(i == 4096);
	fake_queue_destroy(&r->q);
}

static void test_meet(void)
{
	struct rig *r = fresh();
	u32 i;

	((u32 *)r->args)[2] = 40;
	for (i = 0; i < 2; i++) {
		r->words[0] = 0;
		CHECK(fake_wait(run(r, i ? "meet" : "meet_sleep", 40, 128), 0));
		CHECK(r->words[0] == 40);
	}
	fake_queue_destroy(&r->q);
}

static void test_spin(void)
{
	struct rig *r = fresh();
	u64 *s;

	r->args[1] = (uintptr_t)&r->words[1];
	s = run(r, "spin_sleep", 4, 64);
	while (!__atomic_load_n(&r->words[1], __ATOMIC_SEQ_CST))
		usleep(100);
	CHECK(s[1] == 1);
	__atomic_store_n(&r->words[0], 1, __ATOMIC_SEQ_CST);
	CHECK(fake_wait(s, 0));
	run(r, "spin", 4, 64);
	fake_queue_destroy(&r->q);
}

static void test_exceptions(void)
{
	static const struct {
		const char *name;
		u64 code;
	} rows[] = {
		{ "illegal", CP_ERR_ILLEGAL }, { "abort_trap", CP_ERR_TRAP },
		{ "misaligned", CP_ERR_APERTURE },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig *r = fresh();

		run(r, rows[i].name, 4, 64);
		CHECK(fake_wait((u64 *)(r->q.amd + 1024), rows[i].code));
		fake_queue_destroy(&r->q);
	}
}

static void test_debug_trap(void)
{
	struct rig *r = fresh();

	CHECK(fake_wait(run(r, "debug_trap", 1, 64), 0));
	CHECK(r->words[0] == 1);
	fake_queue_destroy(&r->q);
}

/* A barrier of a whole grid: nobody sees less than all others' stores. */
static void test_gws(void)
{
	const u32 groups = 24;
	struct rig *r = fresh();
	u32 i;

	((u32 *)r->args)[2] = groups - 1;
	r->q.q.gws = 64;
	CHECK(fake_wait(run(r, "gws_init", 1, 64), 0));
	for (i = 0; i < 4; i++) {
		memset(r->words, 0, 12);
		CHECK(fake_wait(run(r, "gws_meet", groups, 1), 0));
		CHECK(r->words[0] == groups && !r->words[1] && r->words[2] == groups);
	}
	fake_queue_destroy(&r->q);

	r = fresh();
	run(r, "gws_init", 1, 64);
	CHECK(fake_wait((u64 *)(r->q.amd + 1024), CP_ERR_APERTURE));
	fake_queue_destroy(&r->q);
}

/* Waves that a trap handler halts leave the queue as it is. */
static void test_handler(void)
{
	/* s_mov_b32 ttmp2, 1; s_atomic_add ttmp2, [ttmp14,ttmp15], 0x0; */
	/* s_bitset1_b32 ttmp12, 13; s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12; */
	/* s_rfe_b64 [ttmp0,ttmp1] */
	static const u32 handler[] = {
		0xbeee0081, 0xc20a1bbd, 0x00000000, 0xbef81a8d, 0xb978f802, 0xbe801f6c,
	};
	struct rig *r = fresh();
	u32 *code = fake_alloc(PAGE_SIZE), *tma = fake_alloc(PAGE_SIZE);
	u64 *s;

	memcpy(code, handler, sizeof(handler));
	r->p.pdd.tba = (uintptr_t)code;
	r->p.pdd.tma = (uintptr_t)tma;
	s = run(r, "abort_trap", 4, 128);
	while (__atomic_load_n(tma, __ATOMIC_SEQ_CST) < 8)
		usleep(100);
	CHECK(s[1] == 1);
	CHECK(*(u64 *)(r->q.amd + 1024 + CP_SIGNAL_VALUE) == 0);
	fake_queue_destroy(&r->q);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} tests[] = {
		{ "add", test_add }, { "16 waves, LDS, barrier", test_lds },
		{ "groups that meet", test_meet }, { "spin", test_spin },
		{ "exceptions", test_exceptions }, { "s_trap 3", test_debug_trap },
		{ "global wave sync", test_gws }, { "trap handler", test_handler },
	};
	char path[512] = "";
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(path, sizeof(path), "%s", argv[0]);
	if (strrchr(path, '/'))
		*strrchr(path, '/') = 0;
	strncat(path, "/code/queue-gfx90a.hsaco", sizeof(path) - strlen(path) - 1);
	fake_init();
	if (!load(argc > 1 ? argv[1] : path)) {
		printf("Bail out! no code object\n");
		return 1;
	}
	printf("TAP version 13\n1..%zu\n", ARRAY_SIZE(tests));
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		tests[i].fn();
		report(tests[i].name);
	}
	vgpu_backend_ops.fini(&fake_gdev);
	return !!test_failed;
}
