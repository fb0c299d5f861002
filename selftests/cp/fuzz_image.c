// SPDX-License-Identifier: MIT
/*
 * libFuzzer: states of packet processors from a checkpoint with any words changed, and private
 * data of any bytes. A state that is taken in has to be one that the packet processor can go on
 * from: no access outside of its memory, no endless step, counts that fit together.
 *
 * The first byte says what it is, the second which GPU. Then come changes, six bytes each: where,
 * and what word is there.
 */
#include <assert.h>

#include "fake_env.h"
#include "fake_sdma.h"
#include "../../kmod/cp/image.h"
#include "../../kmod/kfd/criu_parse.h"

#define RING_BYTES	1024u
#define MAX_STEPS	2000

static const struct gpu_target *target(u8 n)
{
	unsigned int targets = 0;

	while (gpu_target_get(targets))
		targets++;
	return gpu_target_get(n % targets);
}

static void change(void *image, size_t bytes, const u8 *data, size_t size)
{
	u16 at;

	for (; size >= 6; data += 6, size -= 6) {
		memcpy(&at, data, sizeof(at));
		memcpy((u8 *)image + at % (bytes / 4) * 4, data + 2, 4);
	}
}

static void queue(enum cp_kind kind, const struct gpu_target *t, const u8 *data, size_t size)
{
	static struct fake_env f;
	struct cp_queue_image im;
	struct cp_dispatch_image dim;
	struct cp_in_flight flight;
	struct cp_dispatch d;
	unsigned int i;
	u32 packet[16] = { kind == CP_KIND_AQL ? CP_PACKET_INVALID : 0 };

	fake_env_init(&f);
	for (i = 0; i < RING_BYTES / 64; i++)
		memcpy((u8 *)fake_at(&f, RING_VA) + i * 64, packet, sizeof(packet));
	if (cp_queue_init(&f.q, t, kind, RING_VA, RING_BYTES, QUEUE_VA + CP_AMD_QUEUE_READ_ID,
			  QUEUE_VA + CP_AMD_QUEUE_WRITE_ID))
		__builtin_trap();
	cp_queue_save(&f.q, 1000, &im);
	change(&im, sizeof(im), data, size);
	if (cp_queue_load(&f.q, 1000, &im))
		return;
	cp_queue_in_flight_set(&f.q, &flight);
	memset(&dim, 0, sizeof(dim));
	for (i = 0; i < 3; i++)
		dim.grid[i] = dim.group[i] = dim.groups[i] = 1;
	dim.lanes = t->arch->wave_size;
	dim.pm4 = kind == CP_KIND_PM4;
	change(&dim, sizeof(dim), data, size);
	if (!cp_dispatch_load(t, &d, &dim)) {
		cp_in_flight_take(&flight, &d);
		if (cp_in_flight_take(&flight, &d) || d.nuser > CP_MAX_USER_SGPRS ||
		    d.rows > t->wave_vgprs || !d.total_groups ||
		    d.lds_bytes > t->lds_kbytes * 1024u || !d.waves ||
		    d.waves * d.lanes > CP_MAX_GROUP_ITEMS + d.lanes)
			__builtin_trap();
	}
	/* It goes on, as if all that was in flight had been there. */
	for (i = 0; i < MAX_STEPS; i++)
		if (cp_step(&f.q, &f.env) != CP_PROGRESS)
			break;
	if (f.q.pm4.depth > CP_PM4_IBS || f.q.pm4.fences > CP_PM4_FENCES ||
	    cp_queue_in_flight(&f.q) > 2 * CP_WINDOW + ARRAY_SIZE(f.dispatched))
		__builtin_trap();
	cp_queue_save(&f.q, 2000, &im);
}

static void sdma(const struct gpu_target *t, const u8 *data, size_t size)
{
	static struct fake_sdma f;
	struct cp_sdma_image im;
	unsigned int i;

	fake_sdma_init(&f, t->gfx_version, 0);
	cp_sdma_save(&f.q, &im);
	change(&im, sizeof(im), data, size);
	if (cp_sdma_load(&f.q, &im))
		return;
	cp_sdma_ring(&f.q, &f.env, f.q.doorbell);
	for (i = 0; i < MAX_STEPS; i++) {
		u64 bytes = f.q.bytes;

		if (cp_sdma_step(&f.q, &f.env) != CP_PROGRESS)
			break;
		if (f.q.bytes - bytes > 2 * SDMA_STEP_BYTES)
			__builtin_trap();
	}
	cp_sdma_report(&f.q, &f.env);
	cp_sdma_save(&f.q, &im);
}

/* Every object lies within the data, and all of them are the data. */
static void private_data(const u8 *data, size_t size)
{
	static u64 copy[4096];
	struct vkfd_criu_data d = { .data = copy };
	struct vkfd_criu_process *process = (void *)copy;
	struct vkfd_criu_object o;
	u64 at, end, sum = 0;
	u32 i;

	if (size < 8)
		return;
	d.devices = data[0] % 4;
	d.bos = data[1] % 8;
	d.objects = data[2];
	d.bytes = size - 8;
	memcpy(copy, data + 8, d.bytes < sizeof(copy) ? d.bytes : sizeof(copy));
	if (data[3] & 1 && d.bytes >= sizeof(*process))
		*process = (struct vkfd_criu_process){ VKFD_CRIU_VERSION, data[3] >> 7 };
	if (d.bytes > sizeof(copy) || vkfd_criu_check(&d))
		return;
	at = vkfd_criu_objects_at(d.devices, d.bos);
	for (i = 0; i < d.objects; i++) {
		end = at;
		if (!vkfd_criu_next(&d, &at, &o) || o.at != (u8 *)copy + end || at - end != o.bytes ||
		    at > d.bytes || (o.type == VKFD_CRIU_QUEUE && o.bytes < sizeof(*o.queue)))
			__builtin_trap();
		sum += o.bytes;
	}
	if (sum + vkfd_criu_objects_at(d.devices, d.bos) != d.bytes)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	if (size < 2)
		return 0;
	switch (data[0] % 4) {
	case 0:
		queue(CP_KIND_AQL, target(data[1]), data + 2, size - 2);
		break;
	case 1:
		queue(CP_KIND_PM4, target(data[1]), data + 2, size - 2);
		break;
	case 2:
		sdma(target(data[1]), data + 2, size - 2);
		break;
	default:
		private_data(data + 2, size - 2);
	}
	return 0;
}
