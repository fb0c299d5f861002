// SPDX-License-Identifier: MIT
/*
 * Launch of code objects on the host. Register state at launch follows LLVM's
 * AMDGPUUsage ("Initial Kernel Execution State", "Kernel Descriptor").
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "launch.h"

#define SIM_BYTES	(256ull << 20)
#define SIM_PAGE	4096ull
#define SIM_PAGE_COUNT	(SIM_BYTES / SIM_PAGE)
#define SIM_WAVES	16
#define SIM_STACK	4096u
#define SIM_TURNS	2000000	/* of one work-group: what hangs must end */
/* Buffers lie on both sides of a 4 GiB line: code follows it, data precedes. */
#define SIM_BASE	(0x7e5200000000ull - (4ull << 20))
#define SHARED_BASE	0x00010000u
#define PRIVATE_BASE	0x00020000u

struct sim {
	struct isa_cu cu;
	const struct isa_arch *arch;
	enum sim_paging paging;
	u8 *mem;
	u32 *page;		/* host page of a GPU page */
	u8 *resident;
	u64 used;
	u8 *elf;
	size_t elf_bytes;
	u64 elf_va;
	u64 insns;
	u64 scratch_va, scratch_bytes;
	u64 packet_va;
	struct isa_wave *wave[SIM_WAVES];
	void *wave_mem, *vgprs, *icache_mem;
	u8 *lds;
	u64 exec;		/* what waves may start with */
	u32 epoch;
	sim_run_fn run;
	sim_span_fn span;
	sim_group_fn group;
	void *run_priv;
};

static bool sim_lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *x)
{
	struct sim *s = cu->priv;
	u64 at = va - SIM_BASE;

	(void)access;
	if (at >= SIM_BYTES)
		return false;
	x->access = ISA_R | ISA_W | ISA_X;
	at /= SIM_PAGE;
	if (s->paging == SIM_FLAT) {
		x->host = s->mem + at * SIM_PAGE;
		return true;
	}
	if (!s->resident[at])
		return false;
	x->host = s->mem + s->page[at] * SIM_PAGE;
	return true;
}

static u64 sim_clock(struct isa_cu *cu)
{
	struct timespec t;

	(void)cu;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 100000000ull + (u64)t.tv_nsec / 10;
}

u32 host_cpu(void)
{
	u32 cpu = 0;

	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		cpu |= ISA_CPU_AVX2;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
		cpu |= ISA_CPU_AVX512;
	return cpu;
}

static void *pages(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return p;
}

/* Neighbours in GPU memory are not neighbours in host memory. */
static void shuffle(struct sim *s)
{
	u64 n;

	s->page = pages(SIM_PAGE_COUNT * sizeof(*s->page));
	s->resident = pages(SIM_PAGE_COUNT);
	for (n = 0; n < SIM_PAGE_COUNT; n++)
		s->page[n] = s->paging == SIM_PAGES ?
			     (u32)((n * 40503 + 17) % SIM_PAGE_COUNT) : (u32)n;
}

struct sim *sim_create(const char *target, const char *lane, enum sim_paging paging)
{
	struct sim *s = pages(sizeof(*s));
	size_t wave_bytes = (isa_wave_bytes() + 63) & ~63ull;
	size_t row_bytes = ISA_MAX_ROWS * ISA_LANES * sizeof(u32);
	u32 n;

	s->cu.target = isa_target_by_name(target);
	s->cu.lane = isa_lane_by_name(lane, host_cpu());
	if (!s->cu.target || !s->cu.lane) {
		munmap(s, sizeof(*s));
		return NULL;
	}
	s->arch = isa_target_arch(s->cu.target);
	s->cu.arch = s->arch;
	s->paging = paging;
	s->mem = pages(SIM_BYTES);
	shuffle(s);
	s->wave_mem = pages(wave_bytes * SIM_WAVES);
	s->vgprs = pages(row_bytes * SIM_WAVES);
	for (n = 0; n < SIM_WAVES; n++)
		s->wave[n] = isa_wave_init((u8 *)s->wave_mem + n * wave_bytes,
					   (u32 *)((u8 *)s->vgprs + n * row_bytes),
					   ISA_MAX_ROWS);
	s->lds = pages(65536 + 4096);
	s->icache_mem = pages(isa_icache_bytes(1024));
	s->cu.icache = isa_icache_init(s->icache_mem, 1024);
	s->cu.icache_epoch = ++s->epoch;
	s->cu.insn_count = pages(isa_op_count() * sizeof(u64));
	s->cu.lookup = sim_lookup;
	s->cu.clock = sim_clock;
	s->cu.priv = s;
	s->exec = ~0ull;
	return s;
}

void sim_destroy(struct sim *s)
{
	size_t wave_bytes = (isa_wave_bytes() + 63) & ~63ull;

	munmap(s->cu.insn_count, isa_op_count() * sizeof(u64));
	munmap(s->icache_mem, isa_icache_bytes(1024));
	munmap(s->lds, 65536 + 4096);
	munmap(s->vgprs, ISA_MAX_ROWS * ISA_LANES * sizeof(u32) * SIM_WAVES);
	munmap(s->wave_mem, wave_bytes * SIM_WAVES);
	munmap(s->resident, SIM_PAGE_COUNT);
	munmap(s->page, SIM_PAGE_COUNT * sizeof(*s->page));
	munmap(s->mem, SIM_BYTES);
	free(s->elf);
	munmap(s, sizeof(*s));
}

void sim_reset(struct sim *s)
{
	u64 n, used = (s->used + SIM_PAGE - 1) / SIM_PAGE;

	for (n = 0; n < used; n++)
		memset(s->mem + s->page[n] * SIM_PAGE, 0, SIM_PAGE);
	memset(s->resident, 0, SIM_PAGE_COUNT);
	isa_tlb_flush(&s->cu.tlb);
	s->cu.icache_epoch = ++s->epoch;
	s->used = 0;
	s->scratch_bytes = 0;
	free(s->elf);
	s->elf = NULL;
}

u64 sim_alloc(struct sim *s, u64 bytes, u32 skew)
{
	u64 at = (s->used + SIM_PAGE - 1) & -SIM_PAGE;

	s->used = at + bytes + skew;
	if (s->used > SIM_BYTES) {
		fprintf(stderr, "out of simulated memory\n");
		exit(1);
	}
	return SIM_BASE + at + skew;
}

static void copy(struct sim *s, u64 va, void *buf, u64 bytes, bool in)
{
	u8 *b = buf;

	while (bytes) {
		u64 at = va - SIM_BASE, n = SIM_PAGE - at % SIM_PAGE;
		u8 *p = s->mem + s->page[at / SIM_PAGE] * SIM_PAGE + at % SIM_PAGE;

		n = n < bytes ? n : bytes;
		if (in)
			memcpy(p, b, n);
		else
			memcpy(b, p, n);
		va += n;
		b += n;
		bytes -= n;
	}
}

void sim_write(struct sim *s, u64 va, const void *src, u64 bytes)
{
	copy(s, va, (void *)(uintptr_t)src, bytes, true);
}

void sim_read(struct sim *s, u64 va, void *dst, u64 bytes)
{
	copy(s, va, dst, bytes, false);
}

void *sim_host(struct sim *s, u64 va)
{
	return s->mem + (va - SIM_BASE);
}

void sim_set_exec(struct sim *s, u64 exec)
{
	s->exec = exec;
}

void sim_set_run(struct sim *s, sim_run_fn run, void *priv)
{
	s->run = run;
	s->run_priv = priv;
}

void sim_set_span(struct sim *s, sim_span_fn span)
{
	s->span = span;
}

void sim_set_group(struct sim *s, sim_group_fn group)
{
	s->group = group;
}

u64 sim_insns(const struct sim *s)
{
	return s->insns;
}

void sim_count(const struct sim *s, u64 *counters)
{
	isa_icache_count(&s->cu, counters);
}

static u8 *read_file(const char *path, size_t *bytes)
{
	FILE *f = fopen(path, "rb");
	u8 *p = NULL;
	long n;

	if (!f)
		return NULL;
	if (!fseek(f, 0, SEEK_END) && (n = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET)) {
		p = malloc((size_t)n);
		if (p && fread(p, 1, (size_t)n, f) != (size_t)n) {
			free(p);
			p = NULL;
		}
		*bytes = (size_t)n;
	}
	fclose(f);
	return p;
}

int sim_load(struct sim *s, const char *path)
{
	const Elf64_Ehdr *e;
	const Elf64_Phdr *ph;
	u64 top = 0;
	u32 n;

	free(s->elf);
	s->elf = read_file(path, &s->elf_bytes);
	if (!s->elf)
		return -ENOENT;
	e = (const Elf64_Ehdr *)s->elf;
	if (s->elf_bytes < sizeof(*e) || memcmp(e->e_ident, ELFMAG, SELFMAG))
		return -ENOEXEC;
	ph = (const Elf64_Phdr *)(s->elf + e->e_phoff);
	for (n = 0; n < e->e_phnum; n++)
		if (ph[n].p_type == PT_LOAD && ph[n].p_vaddr + ph[n].p_memsz > top)
			top = ph[n].p_vaddr + ph[n].p_memsz;
	s->elf_va = sim_alloc(s, top, 0);
	for (n = 0; n < e->e_phnum; n++) {
		if (ph[n].p_type != PT_LOAD)
			continue;
		if (ph[n].p_offset + ph[n].p_filesz > s->elf_bytes)
			return -ENOEXEC;
		sim_write(s, s->elf_va + ph[n].p_vaddr, s->elf + ph[n].p_offset,
			  ph[n].p_filesz);
	}
	return 0;
}

int sim_kernel(struct sim *s, const char *name, struct sim_kernel *k)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)s->elf;
	const Elf64_Shdr *sh = (const Elf64_Shdr *)(s->elf + e->e_shoff);
	char want[128];
	u32 n, j;

	snprintf(want, sizeof(want), "%s.kd", name);
	for (n = 0; n < e->e_shnum; n++) {
		const Elf64_Sym *sym = (const Elf64_Sym *)(s->elf + sh[n].sh_offset);
		const char *str;

		if (sh[n].sh_type != SHT_DYNSYM)
			continue;
		str = (const char *)s->elf + sh[sh[n].sh_link].sh_offset;
		for (j = 0; j < sh[n].sh_size / sizeof(*sym); j++) {
			if (strcmp(str + sym[j].st_name, want))
				continue;
			k->kd_va = s->elf_va + sym[j].st_value;
			sim_read(s, k->kd_va, k->kd, sizeof(k->kd));
			return 0;
		}
	}
	return -ENOENT;
}

static u32 kd32(const struct sim_kernel *k, u32 at)
{
	u32 v;

	memcpy(&v, k->kd + at, 4);
	return v;
}

/*
 * Private bytes a lane needs. A kernel that calls recursively says that its
 * stack is dynamic; how much it needs is then the launcher's to know.
 */
static u32 private_bytes(const struct sim_kernel *k)
{
	return kd32(k, 4) + (kd32(k, 56) >> 11 & 1 ? SIM_STACK : 0);
}

/* Lanes of its waves: a choice from gfx10 on. */
static u32 wave_lanes(const struct sim *s, const struct sim_kernel *k)
{
	if (s->arch->wave_sizes & 32 && kd32(k, 56) >> 10 & 1)
		return 32;
	return ISA_LANES;
}

/* What is behind the size in a V# of scratch, swizzled by lane; gfx10: never out of range */
static u32 scratch_word3(const struct sim *s, u32 lanes)
{
	u32 v = (lanes == 32 ? 2u : 3u) << 21 | 1u << 23;

	return s->arch->wave_sizes & 32 ? v | 22u << 12 | 1u << 24 | 2u << 28 : v | 0x00027000;
}

/* User SGPRs, in the order of AMDGPUUsage. */
static void user_sgprs(const struct sim *s, const struct sim_kernel *k, u64 kernarg,
		       struct isa_wave_setup *u)
{
	const u32 props = kd32(k, 56) & 0xffff, rsrc2 = kd32(k, 52);
	u64 sbase = s->scratch_va;
	u32 n = 0;

	if (props & 1) {
		u->sgpr[n++] = (u32)sbase;
		u->sgpr[n++] = (u32)(sbase >> 32) | 1u << 31;
		u->sgpr[n++] = (u32)s->scratch_bytes;
		u->sgpr[n++] = scratch_word3(s, u->lanes);
	}
	if (props & 2) {
		u->sgpr[n++] = (u32)s->packet_va;
		u->sgpr[n++] = (u32)(s->packet_va >> 32);
	}
	n += props & 4 ? 2 : 0;			/* queue: none here */
	if (props & 8) {
		u->sgpr[n++] = (u32)kernarg;
		u->sgpr[n++] = (u32)(kernarg >> 32);
	}
	n += props & 16 ? 2 : 0;		/* dispatch id 0 */
	if (props & 32) {
		u->sgpr[n++] = (u32)sbase;
		u->sgpr[n++] = (u32)(sbase >> 32);
	}
	if (props & 64)
		u->sgpr[n++] = private_bytes(k);
	u->nsgpr = rsrc2 >> 1 & 31;
}

/* What all waves of a grid have in common */
static void grid_setup(const struct sim *s, const struct sim_kernel *k, const u16 group[3],
		       u64 kernarg, struct isa_wave_setup *u)
{
	const u32 rsrc1 = kd32(k, 48), rsrc2 = kd32(k, 52), rsrc3 = kd32(k, 44);

	*u = (struct isa_wave_setup) {
		.mode = (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9,
		.sgprs = 104,
		.lanes = wave_lanes(s, k),
		.shared_base = SHARED_BASE,
		.private_base = PRIVATE_BASE,
		.scratch_lane_bytes = private_bytes(k),
		.ids = (rsrc2 >> 11 & 3) + 1,
		.packed_ids = isa_arch_has(s->arch, ISA_ARCH_PACKED_IDS),
	};
	u->rows = isa_arch_rows(s->arch, u->lanes, rsrc1, rsrc3, &u->acc_offset);
	memcpy(u->size, group, sizeof(u->size));
	user_sgprs(s, k, kernarg, u);
}

/* The waves of one work-group; @u: of the grid, what differs is filled in. */
static void group_start(struct sim *s, const struct sim_kernel *k, struct isa_wg *wg,
			const u32 id[3], u32 waves, u32 items, struct isa_wave_setup *u)
{
	const u32 rsrc2 = kd32(k, 52), user = rsrc2 >> 1 & 31;
	const u32 lanes = u->lanes, wave_bytes = (u->scratch_lane_bytes * lanes + 1023) & ~1023u;
	const bool offset = rsrc2 & 1 && !isa_arch_has(s->arch, ISA_ARCH_ARCH_SCRATCH);
	const bool wanted[3] = { rsrc2 >> 7 & 1, rsrc2 >> 8 & 1, rsrc2 >> 9 & 1 };
	u64 entry, exec;
	u32 n;

	memcpy(&entry, k->kd + 16, 8);
	u->nsgpr = user;
	isa_setup_group(s->arch, u, id, wanted);
	if (rsrc2 >> 10 & 1)
		u->sgpr[u->nsgpr++] = 0;
	u->nsgpr += offset;
	for (n = 0; n < waves; n++) {
		exec = ~0ull >> (ISA_LANES - lanes);
		if (items - n * lanes < lanes)
			exec = (1ull << (items - n * lanes)) - 1;
		u->scratch_base = s->scratch_va + (u64)n * wave_bytes;
		u->first_item = n * lanes;
		if (offset)
			u->sgpr[u->nsgpr - 1] = n * wave_bytes;
		(u->keep_rows ? isa_wave_again : isa_wave_reset)(s->wave[n], &s->cu, wg,
								 k->kd_va + entry, exec & s->exec);
		isa_wave_setup(s->wave[n], u);
	}
}

static bool make_resident(struct sim *s, u64 va)
{
	u64 at = va - SIM_BASE;

	if (at >= SIM_BYTES || s->resident[at / SIM_PAGE])
		return false;
	s->resident[at / SIM_PAGE] = 1;
	return true;
}

static int complain(const struct isa_wave *w, const struct isa_exit *ex, char *err,
		    size_t len)
{
	static const char *const names[] = {
		[ISA_STOP_MISS] = "miss", [ISA_STOP_MSG] = "message", [ISA_STOP_TRAP] = "trap",
		[ISA_STOP_ILLEGAL] = "illegal", [ISA_STOP_MEMVIOL] = "memory violation",
		[ISA_STOP_HALT] = "halt",
	};

	snprintf(err, len, "%s %s: pc %#llx info %#x va %#llx len %u",
		 ex->why < ARRAY_SIZE(names) && names[ex->why] ? names[ex->why] : "stop",
		 ex->name ? ex->name : "", (unsigned long long)isa_wave_pc(w), ex->info,
		 (unsigned long long)ex->va, ex->len);
	return -1;
}

/* Where the waves of a group wait that have not ended and don't run, by wave */
struct places {
	u32 at[SIM_WAVES];
};

/* All waves that wait do so at the barrier of the group. */
static bool at_one_barrier(const struct sim_group *g, const struct places *p)
{
	u32 n;

	for (n = 0; n < g->waves; n++)
		if (g->waits & BIT(n) && p->at[n] != ISA_BARRIER_GROUP)
			return false;
	return true;
}

/* The next wave's turn; false: it can't run. */
static bool run_turn(struct sim *s, struct sim_group *g, struct places *p, u32 budget,
		     enum isa_stop *why, struct isa_exit *ex)
{
	u32 n = g->next;

	if (g->waits & BIT(n) && isa_barrier_wait(g->barriers, n, p->at[n])) {
		g->waits &= ~BIT(n);
		g->runs |= BIT(n);
	}
	if (!(g->runs & BIT(n)))
		return false;
	do {
		*why = s->run ? s->run(s->run_priv, s->wave[n], budget, ex) :
				isa_wave_run(s->wave[n], budget, ex);
		s->insns += ex->insns;
	} while (*why == ISA_STOP_MISS && make_resident(s, ex->va));
	return true;
}

/* What a stop means to others; false: it is an error. */
static bool stopped(struct sim_group *g, struct places *p, const struct isa_exit *ex)
{
	u32 n = g->next;

	switch ((u32)ex->why) {
	case ISA_STOP_END:
		g->runs &= ~BIT(n);
		isa_barriers_wave_ends(g->barriers);
		return true;
	case ISA_STOP_BARRIER:
		if (ex->info & ISA_BARRIER_FIRST)
			isa_wave_set_scc(g->wave[n],
					 isa_barrier_is_first(g->barriers, ex->info, g->waves));
		p->at[n] = ex->info & ISA_BARRIER_ID;
		if (isa_barrier_stop(g->barriers, ex->info)) {
			g->runs &= ~BIT(n);
			g->waits |= BIT(n);
		}
		return true;
	default:
		return ex->why == ISA_STOP_BUDGET;
	}
}

/* The waves of a work-group by turns until all have ended; the first @gone have. */
static int run_group(struct sim *s, u32 waves, u32 gone, char *err, size_t len)
{
	const u32 budget = s->paging == SIM_PAGES ? 997 : 4096;
	struct isa_barriers b;
	struct places p = { { 0 } };
	struct sim_group g = {
		.wave = s->wave, .waves = waves, .runs = (BIT(waves) - 1) & ~(BIT(gone) - 1),
		.next = gone, .barriers = &b,
	};
	u32 turn;

	isa_barriers_init(&b, waves - gone);
	for (turn = 0; turn < SIM_TURNS && (g.runs | g.waits); turn++) {
		enum isa_stop why = ISA_STOP_NONE;
		struct isa_exit ex;

		if (g.next >= waves)
			g.next = 0;
		if (s->group && at_one_barrier(&g, &p)) {
			g.insns = 0;
			why = s->group(s->run_priv, &g, budget, &ex);
			s->insns += g.insns;
			if (why == ISA_STOP_MISS && make_resident(s, ex.va))
				continue;
		}
		if (why == ISA_STOP_NONE && !run_turn(s, &g, &p, budget, &why, &ex)) {
			g.next++;
			continue;
		}
		if (!stopped(&g, &p, &ex))
			return complain(s->wave[g.next], &ex, err, len);
		g.next++;
	}
	if (!(g.runs | g.waits))
		return 0;
	snprintf(err, len, "no end after %u turns, pc %#llx", SIM_TURNS,
		 (unsigned long long)isa_wave_pc(s->wave[0]));
	return -1;
}

/* The AQL packet: code reads the work-group size from it. */
static void make_packet(struct sim *s, const struct sim_kernel *k, const u16 group[3],
			const u16 groups[3], u64 kernarg)
{
	u32 d, dims = groups[2] * group[2] > 1 ? 3 : groups[1] * group[1] > 1 ? 2 : 1;
	struct {
		u16 header, setup, group[3], reserved;
		u32 grid[3], private_bytes, group_bytes;
		u64 kernel, kernarg, reserved2, signal;
	} p = { .header = 2, .setup = (u16)dims, .private_bytes = private_bytes(k),
		.group_bytes = kd32(k, 0), .kernel = k->kd_va, .kernarg = kernarg };

	BUILD_BUG_ON(sizeof(p) != 64);
	for (d = 0; d < 3; d++) {
		p.group[d] = group[d];
		p.grid[d] = (u32)group[d] * groups[d];
	}
	s->packet_va = sim_alloc(s, sizeof(p), 0);
	sim_write(s, s->packet_va, &p, sizeof(p));
}

#define SPAN_BUDGET	32768u	/* instructions, as a section has at most */

/* Waves one after another from the first of @group on, which is launched; how many have ended */
static u64 run_span(struct sim *s, const struct sim_kernel *k, u32 items, u32 groups, u32 group)
{
	const u32 rsrc2 = kd32(k, 52);
	const struct sim_span g = {
		.waves = (u64)(groups - group) * (items / ISA_LANES), .items = items,
		.id = rsrc2 >> 1 & 31,
	};
	u64 insns = 0, n;

	/* No other number of a group, no scratch, no other lanes */
	if (!s->span || s->exec != ~0ull || items % ISA_LANES || (rsrc2 >> 7 & 7) != 1 ||
	    rsrc2 & 1 || private_bytes(k) || s->arch->group_ids == ISA_GROUP_IDS_TTMPS)
		return 0;
	n = s->span(s->run_priv, s->wave[0], &g, SPAN_BUDGET, &insns);
	s->insns += insns;
	return n;
}

/* A grid of one row of groups, each of one row of work-items */
static int run_row(struct sim *s, const struct sim_kernel *k, struct isa_wg *wg, u32 items,
		   u32 groups, struct isa_wave_setup *u, char *err, size_t len)
{
	const u32 waves = (items + u->lanes - 1) / u->lanes;
	u32 id[3] = { 0 }, gone;
	u64 n;

	while (id[0] < groups) {
		group_start(s, k, wg, id, waves, items, u);
		u->keep_rows = true;
		n = u->lanes == ISA_LANES ? run_span(s, k, items, groups, id[0]) : 0;
		id[0] += (u32)(n / waves);
		gone = (u32)(n % waves);
		if (n && !gone)
			continue;
		if (n)
			group_start(s, k, wg, id, waves, items, u);
		if (run_group(s, waves, gone, err, len))
			return -1;
		id[0]++;
	}
	return 0;
}

int sim_launch(struct sim *s, const struct sim_kernel *k, const u16 group[3],
	       const u16 groups[3], u64 kernarg, char *err, size_t len)
{
	const u32 items = group[0] * group[1] * group[2];
	const u32 lanes = wave_lanes(s, k), waves = (items + lanes - 1) / lanes;
	const u32 wave_bytes = (private_bytes(k) * lanes + 1023) & ~1023u;
	struct isa_wg wg = { .lds = s->lds, .lds_bytes = kd32(k, 0) };
	struct isa_wave_setup u;
	u32 id[3];

	if (waves > SIM_WAVES || wg.lds_bytes > 65536) {
		snprintf(err, len, "work-group too large");
		return -1;
	}
	if ((u64)wave_bytes * waves > s->scratch_bytes) {
		s->scratch_bytes = (u64)wave_bytes * waves;
		s->scratch_va = sim_alloc(s, s->scratch_bytes, 0);
	}
	make_packet(s, k, group, groups, kernarg);
	memset(s->lds, 0, wg.lds_bytes);
	grid_setup(s, k, group, kernarg, &u);
	if (groups[1] == 1 && groups[2] == 1 && group[1] == 1 && group[2] == 1)
		return run_row(s, k, &wg, items, groups[0], &u, err, len);
	for (id[2] = 0; id[2] < groups[2]; id[2]++)
		for (id[1] = 0; id[1] < groups[1]; id[1]++)
			for (id[0] = 0; id[0] < groups[0]; id[0]++) {
				group_start(s, k, &wg, id, waves, items, &u);
				if (run_group(s, waves, 0, err, len))
					return -1;
				u.keep_rows = true;
			}
	return 0;
}
