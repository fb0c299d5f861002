/* SPDX-License-Identifier: MIT */
/* vkfd-trace: what its files tell each other. */
#ifndef TRACE_H
#define TRACE_H

#include <stdint.h>

#include "trace_file.h"

/* trace_record.c: runs @argv; -1: to stderr why not; else its exit status, as a shell has it */
int trace_record(const char *path, unsigned int megabytes, char **argv);

/**
 * struct replay_options - what to replay
 * @gpu: on which GPU
 * @only: the number of the dispatch, counted from 1; 0: all
 * @timeout_s: for each
 */
struct replay_options {
	unsigned int gpu;
	uint64_t only;
	unsigned int timeout_s;
};

/* Room for the packets of a dispatch */
#define TRACE_PM4_DWORDS	64

/* trace_pm4.c: NULL, or why no packets can be made of it */
const char *trace_pm4_check(const struct vkfd_capture_dispatch *d,
			    const struct vkfd_capture_pm4 *p);
/* One that was checked; how many dwords (at most TRACE_PM4_DWORDS) */
unsigned int trace_pm4_packets(const struct vkfd_capture_dispatch *d,
			       const struct vkfd_capture_pm4 *p, uint32_t *packets);
/* An AQL packet, but for its header, that runs PM4 packets which are at @va */
void trace_pm4_buffer(uint8_t packet[64], uint64_t va, unsigned int dwords);

/* trace_replay.c: the exit status */
int trace_replay(const struct trace *t, const struct replay_options *o);

/* trace_stat.c: a table; a plot, unless @svg is NULL. The exit status */
int trace_stat(const struct trace *t, const char *svg);
/* One line for each record. */
int trace_show(const struct trace *t);

#endif /* TRACE_H */
