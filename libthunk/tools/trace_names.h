/* SPDX-License-Identifier: MIT */
/*
 * The name of a kernel, whose descriptor's address is all that a packet has. Loaders copy a code
 * object to the GPU as it is mapped from its file: the ELF header first, and its dynamic symbols.
 */
#ifndef TRACE_NAMES_H
#define TRACE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_NAME_MAX	200

/**
 * struct trace_memory - somebody's memory, which may say anything
 * @read: @len bytes at @va; false if it cannot be read
 * @from: for @read
 */
struct trace_memory {
	bool (*read)(void *from, uint64_t va, void *to, size_t len);
	void *from;
};

/* The symbol of the descriptor at @object, without its ".kd"; false: none was found. */
bool trace_find_name(const struct trace_memory *m, uint64_t object, char name[TRACE_NAME_MAX]);

/**
 * struct trace_names - kernels that were met, by process and address
 * @slots: a table with free places; @n: how many are taken; @room: its size, a power of two
 */
struct trace_names {
	struct trace_kernel_id {
		uint64_t object;
		uint32_t pid;
	} *slots;
	size_t n, room;
};

/* Was it not met before? It is now. False also if there is no memory to remember it. */
bool trace_names_new(struct trace_names *names, uint32_t pid, uint64_t object);

#endif /* TRACE_NAMES_H */
