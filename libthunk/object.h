/* SPDX-License-Identifier: MIT */
/*
 * Memory objects of the process and the index over their addresses.
 *
 * An object has a GPU range and, if the CPU may touch it, a CPU range; they are the same unless
 * user memory was registered twice.  All functions want thunk.mem_lock held.
 */
#ifndef THUNK_OBJECT_H
#define THUNK_OBJECT_H

#include "thunk.h"

struct id_list {
	uint32_t *v;
	uint32_t n;
};

struct mem_object {
	HSA_POINTER_TYPE type;
	bool scratch;			/* part of a scratch reservation */
	uint64_t va;			/* GPU range */
	uint64_t size;
	uint64_t cpu;			/* what the caller knows it by */
	uint64_t cpu_size;
	void *reserved;			/* address range to give back, NULL if not ours */
	uint64_t reserved_size;
	bool has_handle;
	uint64_t handle;
	uint32_t gpu_id;		/* 0: system memory without a GPU */
	uint32_t node;
	HsaMemFlags flags;
	unsigned int map_count;
	unsigned int reg_count;
	struct id_list registered;	/* gpu_ids that Map without a list goes to */
	struct id_list mapped;		/* gpu_ids */
	struct id_list reg_nodes;	/* the same as nodes, for QueryPointerInfo */
	struct id_list map_nodes;
	void *metadata;			/* of an imported graphics buffer */
	void *user_data;
};

struct mem_object *obj_new(void);
void obj_free(struct mem_object *o);
int obj_insert(struct mem_object *o);
void obj_remove(struct mem_object *o);
struct mem_object *obj_find(const void *addr);
struct mem_object *obj_find_exact(const void *addr);
bool obj_overlaps(uint64_t va, uint64_t size);
struct mem_object *obj_first_in(uint64_t va, uint64_t size);
void obj_forget_all(void);

int ids_set(struct id_list *l, const uint32_t *v, uint32_t n);
int ids_add(struct id_list *l, uint32_t id);
void ids_del(struct id_list *l, uint32_t id);
bool ids_have(const struct id_list *l, uint32_t id);
int ids_to_nodes(struct id_list *nodes, const struct id_list *gpus);

/* memory.c and map.c, for the other families of memory calls */
int mem_map_object(struct mem_object *o, const uint32_t *gpu_ids, uint32_t n);
int mem_unmap_object(struct mem_object *o);
int mem_free_object(struct mem_object *o);
int mem_ioctl_alloc(struct mem_object *o, struct thunk_gpu *gpu, uint32_t ioc, uint64_t *offset);
uint32_t mem_ioc_flags(HsaMemFlags f);
int mem_nodes_to_ids(const uint32_t *nodes, uint64_t n, uint32_t *ids);

/* scratch.c */
HSAKMT_STATUS mem_alloc_scratch(struct thunk_gpu *gpu, uint64_t size, void **addr);
struct thunk_gpu *mem_scratch_owner(const void *addr);
int mem_map_scratch(struct thunk_gpu *gpu, void *addr, uint64_t size);
int mem_free_scratch(struct thunk_gpu *gpu);

#endif /* THUNK_OBJECT_H */
