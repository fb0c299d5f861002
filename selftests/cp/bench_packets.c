// SPDX-License-Identifier: MIT
/*
 * How fast packets go through: the packet processors, and with them the
 * virtual GPU's threads, on this machine. Memory is a flat array (fake_gpu.c)
 * and kernels end at once, so what is timed is the path of the packets.
 *
 *   bench_packets [MILLISECONDS]
 *
 * CPU time is that of all threads but the one that submits: packets per second
 * of it are packets per second and core.
 */
#include <sys/resource.h>
#include <time.h>

#include "fake_gpu.h"

#define RING	1024u
#define BAR	200000.0	/* packets per second and core that are asked for */

static u64 budget_ns = 1000000000;

static double cpu_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* CPU time of everybody else. */
static double others_ns(void)
{
	return cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

static double report(const char *what, u64 packets, double wall, double cpu)
{
	printf("packets %-28s %9.0f /s, %9.0f /s and core\n", what, packets / wall * 1e9,
	       packets / cpu * 1e9);
	return packets / cpu * 1e9;
}

/* Let others have the core while the ring is full. */
static void wait_room(const volatile u64 *read_id, u64 index, u32 packets)
{
	struct timespec t = { 0, 20000 };

	while (index - __atomic_load_n(read_id, __ATOMIC_ACQUIRE) > packets - 64)
		nanosleep(&t, NULL);
}

static void put(struct fake_queue *q, u64 index, const u8 *pk)
{
	u8 *slot = q->ring + index % q->packets * CP_PACKET_BYTES;

	memcpy(slot + 4, pk + 4, CP_PACKET_BYTES - 4);
	__atomic_store_n((u32 *)slot, *(const u32 *)pk, __ATOMIC_RELEASE);
	__atomic_store_n((u64 *)(q->amd + CP_AMD_QUEUE_WRITE_ID), index + 1, __ATOMIC_RELEASE);
}

static double run_aql(struct fake_process *p, const char *what, const u8 *pk)
{
	struct fake_queue q;
	double wall, cpu;
	u64 n = 0, i;

	if (fake_queue_create(p, RING, &q))
		abort();
	cpu = others_ns();
	wall = cpu_ns(CLOCK_MONOTONIC);
	while (cpu_ns(CLOCK_MONOTONIC) - wall < budget_ns) {
		wait_room((u64 *)(q.amd + CP_AMD_QUEUE_READ_ID), n + 256, RING);
		for (i = 0; i < 256; i++)
			put(&q, n++, pk);
		__atomic_store_n(&p->db.val[q.q.doorbell], n - 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&p->db.armed, __ATOMIC_SEQ_CST))
			vgpu_backend_ops.doorbell(&p->db);
	}
	wait_room((u64 *)(q.amd + CP_AMD_QUEUE_READ_ID), n, 64);
	wall = cpu_ns(CLOCK_MONOTONIC) - wall;
	cpu = others_ns() - cpu;
	fake_queue_destroy(&q);
	return report(what, n, wall, cpu);
}

static void dispatch_packet(u8 *pk, u64 kernel)
{
	const u16 head[] = { 2, 1, 64, 1, 1, 0 };
	const u32 grid[] = { 64, 1, 1 };

	memset(pk, 0, CP_PACKET_BYTES);
	memcpy(pk, head, sizeof(head));
	memcpy(pk + 12, grid, sizeof(grid));
	memcpy(pk + 32, &kernel, sizeof(kernel));
}

#define HALF	(RING / 2)

/* Half a PM4 ring full of packets of @n dwords, over and over. */
static double run_pm4(struct fake_process *p, const char *what, const u32 *dw, u32 n)
{
	u64 wptr = 0, packets = 0, end;
	u8 *memory = fake_alloc(2 * PAGE_SIZE);
	volatile u32 *rptr = (u32 *)(memory + PAGE_SIZE);
	u32 *ring = (u32 *)memory, i;
	struct timespec nap = { 0, 20000 };
	struct gpu_queue q = {
		.process = &p->base, .pdd = &p->pdd, .gdev = &fake_gdev, .vm = &p->vm,
		.doorbell = p->ndoorbells++ % GPU_DOORBELL_COUNT,
		.props = {
			.type = GPU_QUEUE_PM4, .ring_va = (uintptr_t)ring, .ring_bytes = PAGE_SIZE,
			.rptr_va = (uintptr_t)rptr, .wptr_va = (uintptr_t)rptr + 8,
			.percentage = 100, .priority = 7,
		},
	};
	double wall, cpu;

	p->db.val[q.doorbell] = 0;
	if (vgpu_backend_ops.queue_init(&q))
		abort();
	cpu = others_ns();
	wall = cpu_ns(CLOCK_MONOTONIC);
	while (cpu_ns(CLOCK_MONOTONIC) - wall < budget_ns) {
		for (end = wptr + HALF; wptr + n <= end; packets++)
			for (i = 0; i < n; i++)
				ring[wptr++ % RING] = dw[i];
		while (wptr < end)
			ring[wptr++ % RING] = 2u << 30;
		__atomic_store_n(&p->db.val[q.doorbell], wptr, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&p->db.armed, __ATOMIC_SEQ_CST))
			vgpu_backend_ops.doorbell(&p->db);
		while (__atomic_load_n(rptr, __ATOMIC_ACQUIRE) != wptr % RING)
			nanosleep(&nap, NULL);
	}
	wall = cpu_ns(CLOCK_MONOTONIC) - wall;
	cpu = others_ns() - cpu;
	vgpu_backend_ops.queue_fini(&q);
	return report(what, packets, wall, cpu);
}

int main(int argc, char **argv)
{
	static const struct fake_insn end = { FAKE_END, 0, 0 };
	u8 dispatch[CP_PACKET_BYTES], barrier[CP_PACKET_BYTES] = { 3 };
	struct fake_process p;
	double least;
	u64 kernel, target;

	if (argc > 1)
		budget_ns = strtoull(argv[1], NULL, 0) * 1000000;
	setvbuf(stdout, NULL, _IOLBF, 0);
	fake_init();
	fake_process_init(&p);
	kernel = fake_kernel(&end, 1, 0);
	dispatch_packet(dispatch, kernel);
	least = run_aql(&p, "AQL empty kernels", dispatch);
	run_aql(&p, "AQL barriers", barrier);
	target = (uintptr_t)fake_alloc(PAGE_SIZE);
	{
		const u32 nop[] = { 3u << 30 | 0x3fff << 16 | 0x10 << 8 };
		const u32 write[] = {
			3u << 30 | 3 << 16 | 0x37 << 8, 5 << 8, (u32)target,
			(u32)(target >> 32), 1,
		};

		run_pm4(&p, "PM4 NOPs", nop, 1);
		run_pm4(&p, "PM4 WRITE_DATA", write, 5);
	}
	vgpu_backend_ops.fini(&fake_gdev);
	printf("packets %-28s %9.0f /s and core asked for: %s\n", "bar", BAR,
	       least >= BAR ? "met" : "NOT MET");
	return 0;
}
