/* SPDX-License-Identifier: MIT */
/*
 * Compiled units on disk, in a file of the client's user. What is in it becomes code that this
 * user's waves run, so nobody else may write there: neither the file nor its directory.
 */
#ifndef JIT_STORE_H
#define JIT_STORE_H

#include "isa_env.h"

#define JIT_STORE_FD	4	/* the file, once it is open */

struct jit_store;

/**
 * struct jit_stored - a unit
 * @what,@what_bytes: what was compiled, to be compared byte by byte
 * @code,@bytes: position-independent; @entry: where in it to begin
 */
struct jit_stored {
	const void *what, *code;
	u32 what_bytes, bytes, entry;
};

/**
 * jit_store_open() - take a file of a directory for compiled units
 * @dir: a descriptor, which is closed
 * @about: what code depends on besides the program and its libraries: the processor, for example
 *
 * A file belongs to one program, to its libraries as they are, and to one @about. One process
 * adds to it at a time; others read what was there when they came. Its end is at 64 MiB; a file
 * that is nearly full is begun anew by who opens it next. Files that nobody has opened for 30
 * days are removed.
 *
 * Return: NULL if units can't be kept: the directory or the file is not this user's alone, or
 * cannot be read, or the program does not know its own build.
 */
struct jit_store *jit_store_open(int dir, const char *about);

/**
 * jit_store_find() - look for a unit
 * @out: the unit; it is there until the process ends
 */
bool jit_store_find(const struct jit_store *s, const void *what, u32 bytes, struct jit_stored *out);

/**
 * jit_store_add() - keep a unit for who comes later
 *
 * Nothing happens if there is no room, or if another process adds. Makes no call but pwrite().
 */
void jit_store_add(struct jit_store *s, const struct jit_stored *unit);

#endif /* JIT_STORE_H */
