// SPDX-License-Identifier: MIT
// ROCr alone: a process may start and stop the runtime as often as it likes, with a queue and
// memory of the GPU in each round.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include "tap.h"

#define ROUNDS	6
#define OK(call)								\
	do {									\
		hsa_status_t status_ = (call);					\
		if (status_ != HSA_STATUS_SUCCESS) {				\
			COMPLAIN("round %d: %s: %#x", round, #call, status_);	\
			return;							\
		}								\
	} while (0)

static int round;

struct agents {
	hsa_agent_t gpu;
	hsa_amd_memory_pool_t vram;
	int gpus, pools;
};

static hsa_status_t find_pool(hsa_amd_memory_pool_t pool, void *data)
{
	struct agents *a = data;
	bool alloc = false;

	hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &alloc);
	if (alloc && !a->pools++)
		a->vram = pool;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_gpu(hsa_agent_t agent, void *data)
{
	struct agents *a = data;
	hsa_device_type_t type;

	hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
	if (type != HSA_DEVICE_TYPE_GPU || a->gpus++)
		return HSA_STATUS_SUCCESS;
	a->gpu = agent;
	return hsa_amd_agent_iterate_memory_pools(agent, find_pool, a);
}

/* A barrier packet that waits for nothing. */
static void use_queue(hsa_queue_t *q, hsa_signal_t done)
{
	uint64_t at = hsa_queue_add_write_index_relaxed(q, 1);
	hsa_barrier_and_packet_t *p = (hsa_barrier_and_packet_t *)q->base_address + at % q->size;

	*p = (hsa_barrier_and_packet_t){
		.header = HSA_PACKET_TYPE_INVALID, .completion_signal = done,
	};
	__atomic_store_n(&p->header, HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE,
			 __ATOMIC_RELEASE);
	hsa_signal_store_screlease(q->doorbell_signal, at);
	CHECK(!hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, 20000000000,
					 HSA_WAIT_STATE_BLOCKED));
}

static void one_round(void)
{
	struct agents a = {};
	hsa_signal_t done;
	hsa_queue_t *q;
	void *p;

	OK(hsa_init());
	OK(hsa_iterate_agents(find_gpu, &a));
	NEED(a.gpus == 1 && a.pools);
	OK(hsa_amd_memory_pool_allocate(a.vram, 64 << 20, 0, &p));
	OK(hsa_signal_create(1, 0, NULL, &done));
	OK(hsa_queue_create(a.gpu, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, 0, 0, &q));
	use_queue(q, done);
	OK(hsa_queue_destroy(q));
	OK(hsa_signal_destroy(done));
	/* Every other round leaves its memory to the runtime. */
	if (round % 2)
		OK(hsa_amd_memory_pool_free(p));
	OK(hsa_shut_down());
}

static void start_and_stop(void)
{
	for (round = 0; round < ROUNDS && !tap_bad; round++)
		one_round();
}

int main(void)
{
	TEST(start_and_stop);
	return tap_done();
}
