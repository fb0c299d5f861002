// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of a process as an SDMA engine sees it. Copies and fills look up a run of pages and
 * move what is resident in one section. Preemption is off in a section, so a run is short, and
 * others get a chance between sections. If a page of the process is not resident, -EAGAIN is
 * returned all the way up, and the packet continues later from where it was.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "sdma.h"

#define RUN_PAGES	16u

static struct hw_sdma_env *to_env(struct sdma_env *env)
{
	return container_of(env, struct hw_sdma_env, env);
}

static int env_err(struct hw_sdma_env *e, int err)
{
	if (err)
		e->err = err;
	return err;
}

static struct gpu_vm_worker *env_worker(struct hw_sdma_env *e)
{
	return &e->sq->s->vmw;
}

static struct gpu_vm *env_vm(struct hw_sdma_env *e)
{
	return e->sq->hq.q->vm;
}

static int mover_err(struct hw_sdma_env *e, int err)
{
	if (err == -EFAULT)
		e->sq->s->vg->mover->fault(e->sq->mover, &e->fault);
	return env_err(e, err);
}

int hw_sdma_settle(struct hw_sdma_env *e)
{
	struct hw_sdma_queue *sq = e->sq;
	int err;

	if (!sq->moving)
		return 0;
	err = sq->s->vg->mover->settle(sq->mover);
	if (!err)
		sq->moving = false;
	return mover_err(e, err);
}

static int env_read(struct sdma_env *env, u64 va, void *dst, u32 len)
{
	struct hw_sdma_env *e = to_env(env);
	const struct cp_sdma *cp = &e->sq->cp;
	int err = 0;

	/* Packets may be read before earlier ones have moved their data; other memory may not. */
	if (va - cp->ring_va >= cp->ring_bytes)
		err = hw_sdma_settle(e);
	return err ?: env_err(e, gpu_vm_read(env_worker(e), env_vm(e), va, dst, len, &e->fault));
}

static int env_write(struct sdma_env *env, u64 va, const void *src, u32 len)
{
	struct hw_sdma_env *e = to_env(env);
	int err = hw_sdma_settle(e);

	return err ?: env_err(e, gpu_vm_write(env_worker(e), env_vm(e), va, src, len, &e->fault));
}

static void *env_hold(struct hw_sdma_env *e, u64 va, u32 bytes, u32 access)
{
	void *p = hw_hold(env_worker(e), env_vm(e), va, bytes, access, &e->fault);

	if (IS_ERR(p))
		env_err(e, PTR_ERR(p));
	return p;
}

static int load_word(struct hw_sdma_env *e, u64 va, u32 bytes, u64 *val)
{
	int err = hw_sdma_settle(e);
	void *p = err ? ERR_PTR(err) : env_hold(e, va, bytes, GPU_R);

	if (IS_ERR(p))
		return PTR_ERR(p);
	*val = hw_held_load(env_worker(e), p, bytes);
	return 0;
}

static int store_word(struct hw_sdma_env *e, u64 va, u32 bytes, u64 val)
{
	int err = hw_sdma_settle(e);
	void *p = err ? ERR_PTR(err) : env_hold(e, va, bytes, GPU_W);

	if (IS_ERR(p))
		return PTR_ERR(p);
	hw_held_store(env_worker(e), p, bytes, val);
	return 0;
}

static int env_read32(struct sdma_env *env, u64 va, u32 *val)
{
	u64 wide;
	int err = load_word(to_env(env), va, sizeof(*val), &wide);

	if (!err)
		*val = (u32)wide;
	return err;
}

static int env_read64(struct sdma_env *env, u64 va, u64 *val)
{
	return load_word(to_env(env), va, sizeof(*val), val);
}

/* Behind a copy of a mover, the mover itself writes the fence, in order. */
static int env_write32(struct sdma_env *env, u64 va, u32 val)
{
	struct hw_sdma_env *e = to_env(env);

	if (e->sq->moving)
		return mover_err(e, e->sq->s->vg->mover->store(e->sq->mover, va, val));
	return store_word(e, va, sizeof(val), val);
}

static int env_write64(struct sdma_env *env, u64 va, u64 val)
{
	return store_word(to_env(env), va, sizeof(val), val);
}

static int env_cas(struct sdma_env *env, u64 va, u32 bytes, u64 *old, u64 val)
{
	struct hw_sdma_env *e = to_env(env);
	int err = hw_sdma_settle(e);
	void *p = err ? ERR_PTR(err) : env_hold(e, va, bytes, GPU_R | GPU_W);

	if (IS_ERR(p))
		return PTR_ERR(p);
	*old = hw_held_cas(env_worker(e), p, bytes, *old, val);
	return 0;
}

/* ----------------------------------------------------------- copy and fill */

/*
 * String instructions are the fastest way to copy on a real CPU, but the slowest on an
 * emulated one, which executes them a byte at a time.
 */
static void copy_words(u8 *dst, const u8 *src, size_t n)
{
	const u64 *s = (const u64 *)src;
	u64 *d = (u64 *)dst;

	for (; n >= 64; n -= 64, s += 8, d += 8) {
		u64 a0 = READ_ONCE(s[0]), a1 = READ_ONCE(s[1]);
		u64 a2 = READ_ONCE(s[2]), a3 = READ_ONCE(s[3]);
		u64 a4 = READ_ONCE(s[4]), a5 = READ_ONCE(s[5]);
		u64 a6 = READ_ONCE(s[6]), a7 = READ_ONCE(s[7]);

		d[0] = a0;
		d[1] = a1;
		d[2] = a2;
		d[3] = a3;
		d[4] = a4;
		d[5] = a5;
		d[6] = a6;
		d[7] = a7;
	}
	if (n)
		memcpy(d, s, n);
}

/* Fills with @word, starting at @dst with its first byte. The caller keeps words in phase. */
static void fill_words(u8 *dst, u32 word, size_t n)
{
	u64 both = word | (u64)word << 32;

	for (; n >= sizeof(both); n -= sizeof(both), dst += sizeof(both))
		memcpy(dst, &both, sizeof(both));
	if (n)
		memcpy(dst, &both, n);
}

static size_t page_left(u64 va)
{
	return PAGE_SIZE - (va & (PAGE_SIZE - 1));
}

/* Number of pages that @len bytes at @va touch, limited to a run. */
static unsigned int run_pages(u64 va, size_t len)
{
	size_t n = ((va & (PAGE_SIZE - 1)) + len + PAGE_SIZE - 1) / PAGE_SIZE;

	return min_t(size_t, n, RUN_PAGES);
}

/* Bytes from @va to the end of the last of @pages pages. */
static size_t run_bytes(u64 va, unsigned int pages)
{
	return pages ? page_left(va) + (pages - 1) * PAGE_SIZE : 0;
}

static void copy_run(bool emulated, void **to, void **from, u64 dst, u64 src, size_t len)
{
	u64 d = dst & (PAGE_SIZE - 1), s = src & (PAGE_SIZE - 1);
	size_t n;

	for (; len; len -= n, d += n, s += n) {
		u8 *t = to[d / PAGE_SIZE] + d % PAGE_SIZE;
		const u8 *f = from[s / PAGE_SIZE] + s % PAGE_SIZE;

		n = min_t(size_t, len, min_t(size_t, page_left(d), page_left(s)));
		if (emulated)
			copy_words(t, f, n);
		else
			memcpy(t, f, n);
	}
}

/* Returns the bytes copied in one section; 0 if *@va_out is not resident for *@want_out. */
static size_t copy_some(struct hw_sdma_env *e, u64 dst, u64 src, size_t len,
			u64 *va_out, u32 *want_out)
{
	void *from[RUN_PAGES], *to[RUN_PAGES];
	struct gpu_vm *vm = env_vm(e);
	size_t n = len, have;

	gpu_vm_enter(env_worker(e), vm);
	have = run_bytes(src, gpu_vm_lookup_run(vm, src, GPU_R, from, run_pages(src, len)));
	n = min(n, have);
	*va_out = src;
	*want_out = GPU_R;
	if (n) {
		have = run_bytes(dst, gpu_vm_lookup_run(vm, dst, GPU_W, to,
							run_pages(dst, n)));
		n = min(n, have);
		*va_out = dst;
		*want_out = GPU_W;
	}
	if (n)
		copy_run(e->sq->s->vg->slow, to, from, dst, src, n);
	gpu_vm_exit(env_worker(e));
	return n;
}

static size_t fill_some(struct hw_sdma_env *e, u64 dst, u32 word, size_t len)
{
	struct gpu_vm *vm = env_vm(e);
	void *to[RUN_PAGES];
	size_t n, part, at = 0;

	gpu_vm_enter(env_worker(e), vm);
	n = run_bytes(dst, gpu_vm_lookup_run(vm, dst, GPU_W, to, run_pages(dst, len)));
	n = min(n, len);
	for (; at < n; at += part) {
		u64 d = (dst & (PAGE_SIZE - 1)) + at;

		part = min_t(size_t, n - at, page_left(d));
		fill_words(to[d / PAGE_SIZE] + d % PAGE_SIZE, word, part);
	}
	gpu_vm_exit(env_worker(e));
	return n;
}

/* Brings in a missing page. Gives up if the queue is dead, or after too many tries. */
static int bring_page(struct hw_sdma_env *e, u64 va, u32 want, unsigned int *tries)
{
	int err;

	if (hw_queue_stopped(&e->sq->hq))
		return -ESRCH;
	err = gpu_vm_bring(env_vm(e), va, want, tries, &e->fault);
	/* Do not delay other queues any longer than this: return, and continue here later. */
	if (err == -EAGAIN && gpu_vm_fault_wait(env_vm(e), 1, true))
		err = 0;
	return err;
}

static int env_copy(struct sdma_env *env, u64 dst, u64 src, u32 len)
{
	struct hw_sdma_env *e = to_env(env);
	unsigned int tries = 0;
	int err = 0;

	if (e->sq->mover) {
		e->sq->moving = true;
		return mover_err(e, e->sq->s->vg->mover->copy(e->sq->mover, dst, src, len));
	}

	while (len && !err) {
		u64 va;
		u32 want;
		size_t n = copy_some(e, dst, src, len, &va, &want);

		if (n)
			tries = 0;
		else
			err = bring_page(e, va, want, &tries);
		dst += n;
		src += n;
		len -= n;
	}
	return env_err(e, err);
}

static int env_fill(struct sdma_env *env, u64 dst, u32 word, u32 len)
{
	struct hw_sdma_env *e = to_env(env);
	unsigned int tries = 0;
	int err = 0;

	/* Movers know whole words; the rest is a CPU's. */
	if (e->sq->mover && !((dst | len) % sizeof(word))) {
		e->sq->moving = true;
		return mover_err(e, e->sq->s->vg->mover->fill(e->sq->mover, dst, word, len));
	}
	err = hw_sdma_settle(e);

	while (len && !err) {
		size_t n = fill_some(e, dst, word, len);

		if (n)
			tries = 0;
		else
			err = bring_page(e, dst, GPU_W, &tries);
		dst += n;
		len -= n;
	}
	return env_err(e, err);
}

/* -------------------------------------------------------------------- rest */

static void env_trap(struct sdma_env *env, u32 context)
{
	struct hw_sdma_queue *sq = to_env(env)->sq;

	/* If it failed, the end of the turn finds that, too. */
	hw_sdma_settle(to_env(env));
	hw_interrupt(sq->s->vg, gpu_queue_of_kfd(sq->hq.q) ? sq->hq.q->process : NULL, context);
}

static void env_flush(struct sdma_env *env)
{
	/* The GPU uses the host's caches, so only ordering is needed. */
	smp_mb();
}

static u64 env_clock(struct sdma_env *env)
{
	struct hw_sdma_queue *sq = to_env(env)->sq;

	return hw_now(sq->s->vg, sq->hq.q->vm);
}

static const struct sdma_env_ops hw_sdma_env_ops = {
	.read = env_read,
	.write = env_write,
	.read32 = env_read32,
	.read64 = env_read64,
	.write32 = env_write32,
	.write64 = env_write64,
	.cas = env_cas,
	.copy = env_copy,
	.fill = env_fill,
	.trap = env_trap,
	.flush = env_flush,
	.clock = env_clock,
};

void hw_sdma_env_init(struct hw_sdma_env *e, struct hw_sdma_queue *sq)
{
	memset(e, 0, sizeof(*e));
	e->env.ops = &hw_sdma_env_ops;
	e->sq = sq;
}
