/* SPDX-License-Identifier: MIT */
/* Machine code from what LLVM writes. */
#ifndef JIT_OBJECT_H
#define JIT_OBJECT_H

#include "isa_env.h"

/**
 * jit_object_flatten() - code and constants of an object file, one behind the other
 * @obj,@bytes: an ELF object for x86-64
 * @name: the function that is wanted
 * @entry: out: where it begins
 * @out_bytes: out: how much it is
 *
 * Nothing in it depends on where it lies, but for 64 bytes' alignment.
 *
 * Return: memory to be freed, or NULL if the object needs something from outside.
 */
u8 *jit_object_flatten(const u8 *obj, size_t bytes, const char *name, u64 *entry,
		       size_t *out_bytes);

#endif /* JIT_OBJECT_H */
