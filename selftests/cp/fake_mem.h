/* SPDX-License-Identifier: MIT */
/*
 * The memory of a GPU as one flat array; what lies outside faults. Words must
 * be aligned: who asks for one that is not has a bug, whatever a packet says.
 */
#ifndef FAKE_MEM_H
#define FAKE_MEM_H

#include "../../kmod/cp/cp.h"

#define MEM_BASE	0x10000ull

struct fake_mem {
	u8 *at;
	u32 bytes;
};

static inline u8 *fake_mem_at(const struct fake_mem *m, u64 va, u32 len)
{
	if (va < MEM_BASE || va - MEM_BASE > m->bytes || len > m->bytes - (va - MEM_BASE))
		return NULL;
	return m->at + (va - MEM_BASE);
}

static inline int fake_mem_read(const struct fake_mem *m, u64 va, void *dst, u32 len)
{
	const u8 *p = fake_mem_at(m, va, len);

	if (!p)
		return -EFAULT;
	memcpy(dst, p, len);
	return 0;
}

static inline int fake_mem_write(const struct fake_mem *m, u64 va, const void *src, u32 len)
{
	u8 *p = fake_mem_at(m, va, len);

	if (!p)
		return -EFAULT;
	memcpy(p, src, len);
	return 0;
}

static inline int fake_mem_store(const struct fake_mem *m, u64 va, u64 val, u32 bytes)
{
	if (va % bytes)
		__builtin_trap();
	return fake_mem_write(m, va, &val, bytes);
}

static inline int fake_mem_cas(const struct fake_mem *m, u64 va, u32 bytes, u64 *old, u64 val)
{
	u64 now = 0;
	int err;

	if (va % bytes || (bytes != 4 && bytes != 8))
		__builtin_trap();
	err = fake_mem_read(m, va, &now, bytes);
	if (!err && now == *old)
		err = fake_mem_write(m, va, &val, bytes);
	*old = now;
	return err;
}

/* For the tests themselves, whose addresses are right. */
static inline u64 fake_mem_get(const struct fake_mem *m, u64 va, u32 bytes)
{
	u64 val = 0;

	if (fake_mem_read(m, va, &val, bytes))
		__builtin_trap();
	return val;
}

static inline void fake_mem_put(const struct fake_mem *m, u64 va, u64 val, u32 bytes)
{
	if (fake_mem_write(m, va, &val, bytes))
		__builtin_trap();
}

#endif /* FAKE_MEM_H */
