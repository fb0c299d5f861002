/* SPDX-License-Identifier: MIT */
/*
 * libaql: a small runtime for GPUs behind /dev/kfd.
 *
 * Open a GPU, allocate memory, load a code object, make a queue, dispatch, wait.  Functions
 * return 0 or a negative errno; aql_strerror() says it in words.  A handle may be used by any
 * thread; destroying one while another thread uses it is the caller's mistake.
 *
 * Submitting a packet makes no system call: it is stores to the ring, the write index and the
 * doorbell.  Only a full ring, or a kernel that needs more scratch memory than the queue has,
 * makes a submission wait.
 */
#ifndef AQL_H
#define AQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct aql_dev;
struct aql_code;
struct aql_kernel;
struct aql_queue;
struct aql_signal;

#define AQL_FOREVER	UINT64_MAX	/* as a timeout */

/* ---- device ---- */

/**
 * struct aql_dev_info - what there is to know of a GPU
 * @name: product name, empty if unknown
 * @isa: LLVM's name of the target with its features, amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-
 * @gfx: the processor alone, gfx90a
 * @node: its node in the topology
 * @gpu_id: the kernel's id of it
 * @pci_domain: @pci_bus, @pci_dev and @pci_fn say where it is
 * @cu_count: compute units
 * @simd_per_cu: SIMD units of one compute unit
 * @waves_per_simd: waves that one SIMD holds
 * @wave_size: work-items of a wave
 * @lds_bytes: group memory of one work-group at most
 * @vram_bytes: local memory in all
 * @max_clock_mhz: engine clock
 * @counter_hz: rate of dispatch timestamps
 * @host_visible: the CPU can reach all of the local memory
 */
struct aql_dev_info {
	char name[64];
	char isa[96];
	char gfx[16];
	uint32_t node;
	uint32_t gpu_id;
	uint32_t pci_domain;
	uint8_t pci_bus;
	uint8_t pci_dev;
	uint8_t pci_fn;
	uint32_t cu_count;
	uint32_t simd_per_cu;
	uint32_t waves_per_simd;
	uint32_t wave_size;
	uint32_t lds_bytes;
	uint64_t vram_bytes;
	uint32_t max_clock_mhz;
	uint64_t counter_hz;
	uint64_t unique_id;
	bool host_visible;
};

int aql_device_count(void);
int aql_open(unsigned int index, struct aql_dev **dev);
void aql_close(struct aql_dev *dev);
void aql_dev_get_info(const struct aql_dev *dev, struct aql_dev_info *info);
int aql_clock(struct aql_dev *dev, uint64_t *gpu, uint64_t *system_ns);

/**
 * struct aql_fault - a fault of the GPU, which ends all its work for this process
 * @va: the address, page aligned; 0 for an exception of the device
 * @not_present: nothing is mapped there
 * @read_only: it was written to and may not be
 * @no_execute: it was run and may not be
 * @reset: the device had to be reset
 */
struct aql_fault {
	uint64_t va;
	bool not_present;
	bool read_only;
	bool no_execute;
	bool reset;
};

int aql_dev_fault(struct aql_dev *dev, struct aql_fault *fault);

/* ---- memory ---- */

#define AQL_MEM_VRAM	0x1u	/* local memory, mapped for the CPU as well */
#define AQL_MEM_HOST	0x2u	/* system memory, coherent */
#define AQL_MEM_EXEC	0x4u	/* may hold code */
#define AQL_MEM_PRIVATE	0x8u	/* with VRAM: the CPU does not need it */

int aql_alloc(struct aql_dev *dev, size_t size, unsigned int flags, void **ptr);
int aql_free(struct aql_dev *dev, void *ptr);
int aql_copy(struct aql_dev *dev, void *dst, const void *src, size_t size);

/* ---- code objects ---- */

enum aql_arg_kind {
	AQL_ARG_VALUE,		/* bytes */
	AQL_ARG_BUFFER,		/* address of global memory */
	AQL_ARG_LOCAL,		/* size of group memory that the launch adds */
	AQL_ARG_OTHER,		/* image, sampler, pipe, queue: bytes to us */
};

/**
 * struct aql_arg_info - one explicit argument of a kernel
 * @name: as in the source, empty if the compiler left it out
 * @type: type name, likewise
 * @kind: what the caller gives
 * @offset: in the argument block
 * @size: bytes
 */
struct aql_arg_info {
	const char *name;
	const char *type;
	enum aql_arg_kind kind;
	uint32_t offset;
	uint32_t size;
};

/**
 * struct aql_kernel_info - a kernel of a code object
 * @name: its name
 * @nr_args: explicit arguments, the hidden ones are the library's
 * @args: what they are
 * @kernarg_bytes: size of the argument block
 * @group_bytes: group memory, without what launches add
 * @private_bytes: private memory of one work-item
 * @wave_size: 32 or 64
 * @max_group: work-items of a work-group at most, 0 if not said
 * @reqd_group: required work-group size, 0 if any will do
 * @sgprs: scalar registers
 * @vgprs: vector registers
 */
struct aql_kernel_info {
	const char *name;
	uint32_t nr_args;
	const struct aql_arg_info *args;
	uint32_t kernarg_bytes;
	uint32_t group_bytes;
	uint32_t private_bytes;
	uint32_t wave_size;
	uint32_t max_group;
	uint32_t reqd_group[3];
	uint32_t sgprs;
	uint32_t vgprs;
};

int aql_code_load(struct aql_dev *dev, const void *image, size_t size, struct aql_code **code);
int aql_code_load_file(struct aql_dev *dev, const char *path, struct aql_code **code);
void aql_code_unload(struct aql_code *code);
unsigned int aql_code_count(const struct aql_code *code);
struct aql_kernel *aql_code_kernel_at(const struct aql_code *code, unsigned int i);
int aql_code_kernel(const struct aql_code *code, const char *name, struct aql_kernel **kernel);
void aql_kernel_get_info(const struct aql_kernel *kernel, struct aql_kernel_info *info);

/* ---- signals ---- */

#define AQL_SIGNAL_POLL	0x1u	/* no event: waiting spins */

int aql_signal_create(struct aql_dev *dev, int64_t value, unsigned int flags,
		      struct aql_signal **signal);
void aql_signal_destroy(struct aql_signal *signal);
int64_t aql_signal_load(const struct aql_signal *signal);
void aql_signal_store(struct aql_signal *signal, int64_t value);
void aql_signal_times(const struct aql_signal *signal, uint64_t *start, uint64_t *end);

/* ---- queues ---- */

/**
 * struct aql_launch - shape of a dispatch
 * @grid: work-items in x, y, z; 0 in y or z means 1
 * @group: work-items of a work-group, likewise
 * @group_bytes: group memory on top of what the kernel and its AQL_ARG_LOCAL arguments have
 * @no_barrier: may run beside the packets before it
 */
struct aql_launch {
	uint32_t grid[3];
	uint16_t group[3];
	uint32_t group_bytes;
	bool no_barrier;
};

/**
 * struct aql_queue_info - where a queue is, for those who want to look
 * @ring: @packets packets of 64 bytes
 * @doorbell: the doorbell, a word of a page of the device
 * @write_index: packets submitted so far
 * @read_index: packets the GPU has taken
 */
struct aql_queue_info {
	const void *ring;
	uint32_t packets;
	const volatile void *doorbell;
	uint64_t write_index;
	uint64_t read_index;
};

int aql_queue_create(struct aql_dev *dev, unsigned int packets, struct aql_queue **queue);
void aql_queue_single_producer(struct aql_queue *queue);
void aql_queue_destroy(struct aql_queue *queue);
void aql_queue_get_info(const struct aql_queue *queue, struct aql_queue_info *info);
int aql_dispatch(struct aql_queue *queue, const struct aql_kernel *kernel,
		 const struct aql_launch *launch, const void *const *args, unsigned int nr_args,
		 struct aql_signal *done);
int aql_barrier(struct aql_queue *queue, struct aql_signal *const *deps, unsigned int nr_deps,
		bool any, struct aql_signal *done);
int aql_submit_raw(struct aql_queue *queue, const void *packet, uint16_t header);
int aql_wait(struct aql_queue *queue, struct aql_signal *signal, uint64_t timeout_ns);
int aql_queue_error(struct aql_queue *queue, uint64_t *code);

const char *aql_queue_error_name(uint64_t code);
const char *aql_strerror(int err);

#ifdef __cplusplus
}
#endif

#endif /* AQL_H */
