// SPDX-License-Identifier: MIT
/* See fake_sdma.h. */
#include "fake_sdma.h"
#include "../../kmod/cp/sdma_int.h"

static u8 executed[256][256];

static struct fake_sdma *to_fake(struct sdma_env *env)
{
	return (struct fake_sdma *)env;
}

static void was_read(struct fake_sdma *f)
{
	if (f->meddle && !f->nth--) {
		f->meddle(f);
		f->meddle = NULL;
	}
}

static int fake_read(struct sdma_env *env, u64 va, void *dst, u32 len)
{
	int err = fake_mem_read(&to_fake(env)->m, va, dst, len);

	if (!err)
		was_read(to_fake(env));
	return err;
}

static int fake_write(struct sdma_env *env, u64 va, const void *src, u32 len)
{
	return fake_mem_write(&to_fake(env)->m, va, src, len);
}

static int fake_read32(struct sdma_env *env, u64 va, u32 *val)
{
	if (va % 4)
		__builtin_trap();
	return fake_read(env, va, val, 4);
}

static int fake_read64(struct sdma_env *env, u64 va, u64 *val)
{
	if (va % 8)
		__builtin_trap();
	return fake_read(env, va, val, 8);
}

static int fake_write32(struct sdma_env *env, u64 va, u32 val)
{
	return fake_mem_store(&to_fake(env)->m, va, val, 4);
}

static int fake_write64(struct sdma_env *env, u64 va, u64 val)
{
	return fake_mem_store(&to_fake(env)->m, va, val, 8);
}

static int fake_cas(struct sdma_env *env, u64 va, u32 bytes, u64 *old, u64 val)
{
	return fake_mem_cas(&to_fake(env)->m, va, bytes, old, val);
}

static void size_seen(struct fake_sdma *f, u32 len)
{
	if (len > f->largest)
		f->largest = len;
}

static int fake_copy(struct sdma_env *env, u64 dst, u64 src, u32 len)
{
	u8 *d = fake_mem_at(&to_fake(env)->m, dst, len), *s = fake_mem_at(&to_fake(env)->m, src, len);

	size_seen(to_fake(env), len);
	if (!d || !s)
		return -EFAULT;
	memmove(d, s, len);
	return 0;
}

static int fake_fill(struct sdma_env *env, u64 dst, u32 word, u32 len)
{
	u8 *d = fake_mem_at(&to_fake(env)->m, dst, len);
	u32 i;

	size_seen(to_fake(env), len);
	if (!d)
		return -EFAULT;
	for (i = 0; i < len; i++)
		d[i] = word >> i % 4 * 8;
	return 0;
}

static void fake_trap(struct sdma_env *env, u32 context)
{
	to_fake(env)->traps++;
	to_fake(env)->trap_rptr = fake_sdma_get(to_fake(env), SD_RPTR, 8);
	to_fake(env)->context = context;
}

static void fake_flush(struct sdma_env *env)
{
	to_fake(env)->flushes++;
}

static u64 fake_clock(struct sdma_env *env)
{
	return ++to_fake(env)->now;
}

static const struct sdma_env_ops fake_ops = {
	.read = fake_read,
	.write = fake_write,
	.read32 = fake_read32,
	.read64 = fake_read64,
	.write32 = fake_write32,
	.write64 = fake_write64,
	.cas = fake_cas,
	.copy = fake_copy,
	.fill = fake_fill,
	.trap = fake_trap,
	.flush = fake_flush,
	.clock = fake_clock,
};

void *fake_sdma_at(struct fake_sdma *f, u64 va)
{
	return fake_mem_at(&f->m, va, 1);
}

u64 fake_sdma_get(struct fake_sdma *f, u64 va, unsigned int bytes)
{
	return fake_mem_get(&f->m, va, bytes);
}

void fake_sdma_put(struct fake_sdma *f, u64 va, u64 val, unsigned int bytes)
{
	fake_mem_put(&f->m, va, val, bytes);
}

void fake_sdma_init(struct fake_sdma *f, u32 gfx, u32 engine)
{
	memset(f, 0, sizeof(*f));
	f->env.ops = &fake_ops;
	f->m = (struct fake_mem){ f->mem, sizeof(f->mem) };
	f->now = 1000;
	if (cp_sdma_init(&f->q, gpu_target_by_version(gfx), engine, SD_RING, SD_RING_BYTES,
			 SD_WPTR, SD_RPTR))
		__builtin_trap();
}

void fake_sdma_write(struct fake_sdma *f, const u32 *dw, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++, f->wptr += 4)
		fake_sdma_put(f, SD_RING + f->wptr % SD_RING_BYTES, dw[i], 4);
}

bool fake_sdma_executed(u8 op, u8 sub_op)
{
	return executed[op][sub_op];
}

/* A step, and whose end it was. */
static enum cp_status step(struct fake_sdma *f)
{
	u64 packets = f->q.packets;
	enum cp_status status = cp_sdma_step(&f->q, &f->env);

	if (f->q.packets != packets)
		executed[SDMA_OP(f->q.pkt[0])][SDMA_SUB_OP(f->q.pkt[0])] = 1;
	return status;
}

enum cp_status fake_sdma_run(struct fake_sdma *f)
{
	enum cp_status status = CP_IDLE;
	unsigned int i;

	if (cp_sdma_ring(&f->q, &f->env, f->wptr))
		for (i = 0; i < 100000; i++) {
			status = step(f);
			if (status != CP_PROGRESS)
				break;
		}
	if (cp_sdma_report(&f->q, &f->env) == CP_ERROR)
		status = CP_ERROR;
	return status;
}
