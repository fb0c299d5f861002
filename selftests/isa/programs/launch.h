/* SPDX-License-Identifier: MIT */
/*
 * A machine to run code objects on natively: memory with its own address
 * space, a loader, and the launch of a grid through the interpreter.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "barrier.h"
#include "isa.h"

/**
 * enum sim_paging - how GPU addresses lie in host memory
 * @SIM_FLAT: one stretch
 * @SIM_PAGES: 4 KiB pages in random order, not resident until first touched
 */
enum sim_paging { SIM_FLAT, SIM_PAGES };

struct sim;
struct sim_kernel {
	u64 kd_va;
	u8 kd[64];
};

struct sim *sim_create(const char *target, const char *lane, enum sim_paging paging);
void sim_destroy(struct sim *s);
/* GPU address of @bytes of zeroed memory; page aligned plus @skew. */
u64 sim_alloc(struct sim *s, u64 bytes, u32 skew);
void sim_write(struct sim *s, u64 va, const void *src, u64 bytes);
void sim_read(struct sim *s, u64 va, void *dst, u64 bytes);
/* Host pointer, SIM_FLAT only. */
void *sim_host(struct sim *s, u64 va);
/* Loads an ELF code object; 0 or a negative errno. */
int sim_load(struct sim *s, const char *path);
int sim_kernel(struct sim *s, const char *name, struct sim_kernel *k);
/* Forgets code and memory, keeps the machine. */
void sim_reset(struct sim *s);

/**
 * sim_launch() - run a grid to its end
 * @s: machine
 * @k: kernel
 * @group: work-group size
 * @groups: work-groups
 * @kernarg: GPU address of the arguments
 * @err: text of what went wrong, if anything
 * @len: size of @err
 *
 * Return: 0, or -1 with @err.
 */
int sim_launch(struct sim *s, const struct sim_kernel *k, const u16 group[3],
	       const u16 groups[3], u64 kernarg, char *err, size_t len);
/* Lanes that waves may start with; all, until it is called. */
void sim_set_exec(struct sim *s, u64 exec);
/* Wave-instructions retired since sim_create(). */
u64 sim_insns(const struct sim *s);
/* Adds how often each opcode ran since sim_create(), isa_op_count() entries. */
void sim_count(const struct sim *s, u64 *counters);

/*
 * Who runs waves; NULL: isa_wave_run(). @priv goes with each call.
 */
typedef enum isa_stop (*sim_run_fn)(void *priv, struct isa_wave *w, unsigned int budget,
				    struct isa_exit *ex);
void sim_set_run(struct sim *s, sim_run_fn run, void *priv);

/**
 * struct sim_span - waves of a grid that have not begun
 * @waves: how many; @item: first work-item of the first one, of @items in each group
 * @id: SGPR that has the number of the group
 */
struct sim_span {
	u64 waves;
	u32 item, items, id;
};

/*
 * Who may run waves of whole rows one after another, the first of which is @w, before it is one by
 * one; how many have ended.
 */
typedef u64 (*sim_span_fn)(void *priv, struct isa_wave *w, const struct sim_span *g, u32 budget,
			   u64 *insns);
void sim_set_span(struct sim *s, sim_span_fn span);

/*
 * Who may run the waves of a group in turns, before they run one by one: takes what sim_group says
 * on, as far as it can. @budget: instructions of a turn.
 */
struct sim_group {
	struct isa_wave *const *wave;
	u32 waves, runs, waits, next;	/* bits of waves; neither: it has ended */
	struct isa_barriers *barriers;
	u64 insns;
};

typedef enum isa_stop (*sim_group_fn)(void *priv, struct sim_group *g, u32 budget,
				      struct isa_exit *ex);
void sim_set_group(struct sim *s, sim_group_fn group);

/* ISA_CPU_* of this machine. */
u32 host_cpu(void);

#endif /* LAUNCH_H */
