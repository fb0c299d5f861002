// SPDX-License-Identifier: MIT
/*
 * The GPU's address space as this process's. What is free here shows the GPU's pages at their own
 * addresses, from the start; where this process itself lies (its image, stacks, sections), and
 * above its addresses, pages of the GPU are shown in windows instead, one at a time.
 *
 * Only the module says what is resident, and it may take any page away at any moment. A page that
 * is gone is a signal: it is asked for again. If it cannot be had, the wave stops where it is, which
 * may be within an instruction; the module makes a fault of that.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <ucontext.h>

#include "engine.h"

#define LOWEST		0x10000ull	/* vm.mmap_min_addr */
#define HIGHEST		0x7fffffff0000ull
#define GRAIN		0x10000ull	/* areas in use are left out in units of this */
#define OFFSET_MASK	((1ull << 48) - 1)
#define MAX_RANGES	256u
#define PF_WRITE	2
#define PF_INSTR	16

/*
 * Where this process's own mappings begin, or up to HOME_RANDOM above: programs have nothing near
 * it. Where the kernel puts mappings when it is not asked for an address, clients have theirs, too,
 * and at the very same addresses if these are not random.
 */
#define HOME		0x200000000000ull
#define HOME_RANDOM	0x100000000000ull

static struct range {
	u64 start, end;
} ranges[MAX_RANGES];
static unsigned int nranges;

void *space_room(size_t bytes)
{
	static u64 next;
	u64 at, random = 0;

	if (!next) {
		/* Without random numbers it still works. */
		if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
			random = 0;
		next = HOME + random % HOME_RANDOM / GRAIN * GRAIN;
	}
	at = next;
	next += (bytes + GRAIN - 1) & -GRAIN;
	return (void *)at;
}

static bool map_at(u64 start, u64 end)
{
	void *p = mmap((void *)start, end - start, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, VKFD_ENGINE_FD,
		       (off_t)start);

	if (p == MAP_FAILED)
		return false;
	if (p != (void *)start)
		die("MAP_FIXED_NOREPLACE is not known here\n");
	return true;
}

/* Maps the free parts of a range. When ranges[] is full, windows serve the rest. */
static void map_free(u64 start, u64 end)
{
	u64 half;

	if (nranges == MAX_RANGES)
		return;
	if (map_at(start, end)) {
		if (nranges && ranges[nranges - 1].end == start)
			ranges[nranges - 1].end = end;
		else
			ranges[nranges++] = (struct range){ start, end };
		return;
	}
	if (end - start <= GRAIN)
		return;
	half = start + (end - start) / 2 / GRAIN * GRAIN;
	map_free(start, half);
	map_free(half, end);
}

/* The end of the addresses that this process can use */
static u64 space_end(void)
{
	u64 low = LOWEST, high = HIGHEST;

	while (high - low > GRAIN) {
		u64 at = low + (high - low) / 2 / GRAIN * GRAIN;
		void *p = mmap((void *)at, PAGE, PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		/* EEXIST: something is mapped there, so the address is usable */
		bool there = p != MAP_FAILED || errno == EEXIST;

		if (p != MAP_FAILED)
			munmap(p, PAGE);
		if (there)
			low = at;
		else
			high = at;
	}
	return low;
}

void space_map(void)
{
	map_free(LOWEST, space_end());
	if (!nranges)
		die("the address space cannot be mapped\n");
}

static bool is_mapped(u64 va)
{
	unsigned int i;

	for (i = 0; i < nranges; i++)
		if (va >= ranges[i].start && va < ranges[i].end)
			return true;
	return false;
}

/* -------------------------------------------------------------------- windows */

void space_forget(struct thread *t)
{
	t->windows = 0;
	t->no_window = false;
	memset(t->known, 0, KNOWN * sizeof(*t->known));
	isa_tlb_flush(&t->cu->tlb);
}

static u8 *window(struct thread *t, u64 va)
{
	unsigned int i;
	u8 *p;

	for (i = 0; i < t->windows; i++)
		if (t->window_va[i] == va)
			return t->window + i * PAGE;
	if (i == WINDOWS) {
		t->no_window = true;
		return NULL;
	}
	p = mmap(t->window + i * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 VKFD_ENGINE_FD, (off_t)(va & OFFSET_MASK));
	if (p == MAP_FAILED)
		die("no window\n");
	t->window_va[t->windows++] = va;
	return p;
}

static int touch(const struct thread *t, u64 va, u32 *access)
{
	struct vkfd_engine_touch x = { .va = va, .access = *access, .thread = t->number };

	if (ioctl(VKFD_ENGINE_FD, VKFD_ENGINE_TOUCH, &x))
		return errno;
	*access = x.access;
	return 0;
}

/*
 * What the module has said of a page holds until it says that the address space has changed, as it
 * does for the TLB, which has fewer pages. A page that goes meanwhile is a fault.
 */
bool space_lookup(struct isa_cu *cu, u64 va, u32 access, struct isa_page *page)
{
	struct thread *t = cu->priv;
	u64 *known = &t->known[va / PAGE % KNOWN];

	va &= -PAGE;
	if ((*known & -PAGE) != va || access & ~(u32)(*known & (PAGE - 1))) {
		if (touch(t, va, &access))
			return false;
		*known = va | access;
	}
	page->access = (u32)(*known & (PAGE - 1));
	page->host = is_mapped(va) ? (u8 *)va : window(t, va);
	return page->host;
}

/* --------------------------------------------------------------------- faults */

static u64 va_of(const struct thread *t, u64 addr)
{
	u64 in = addr - (u64)t->window;

	if (in < t->windows * PAGE)
		return t->window_va[in / PAGE];
	return is_mapped(addr) ? addr & -PAGE : ~0ull;
}

static void fault(int sig __attribute__((unused)), siginfo_t *info, void *ctx)
{
	const ucontext_t *uc = ctx;
	struct thread *t = self;
	u32 access;
	u64 va;
	int err;

	if (!t || !t->running)
		die("a fault of its own\n");
	t->running = false;
	if (uc->uc_mcontext.gregs[REG_ERR] & PF_INSTR)
		die("a jump to what is no code\n");
	va = va_of(t, (u64)info->si_addr);
	if (va == ~0ull)
		die("a fault of its own, at no address of the GPU\n");
	t->torn_access = uc->uc_mcontext.gregs[REG_ERR] & PF_WRITE ? ISA_W : ISA_R;
	/* How long is up to the page's owner. The instruction can't be begun anew, so this waits. */
	do {
		access = t->torn_access | VKFD_ENGINE_TOUCH_WAIT;
		err = touch(t, va, &access);
	} while (err == EAGAIN || err == EINTR);
	if (!err) {
		t->running = true;
		return;
	}
	t->torn_va = va;
	siglongjmp(t->torn, 1);
}

void space_catch_faults(void)
{
	/* Waves are left by siglongjmp(), and to save signals before each would be a call. */
	struct sigaction sa = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_NODEFER };

	if (sigaction(SIGSEGV, &sa, NULL) || sigaction(SIGBUS, &sa, NULL))
		die("sigaction\n");
}
