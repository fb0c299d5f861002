// SPDX-License-Identifier: MIT
/* See rig_pm4.h. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "rig_pm4.h"

int pm4_create(struct rig *r, u32 dwords, u32 priority, struct pm4_queue *q)
{
	struct kfd_ioctl_create_queue_args a = {
		.gpu_id = r->gpu_id, .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE,
		.queue_percentage = 100, .queue_priority = priority,
	};
	int ret;

	memset(q, 0, sizeof(*q));
	ret = rig_anon(r, (dwords * 4 + RIG_PAGE - 1) & ~(RIG_PAGE - 1), &q->ring_mem);
	if (!ret)
		ret = rig_anon(r, RIG_PAGE, &q->index_mem);
	if (!ret)
		ret = rig_area_args(r, &a);
	if (ret)
		return ret;
	q->dwords = dwords;
	q->ring = q->ring_mem.p;
	q->rptr = (u32 *)q->index_mem.p + 4;
	q->wptr_mem = q->index_mem.p;
	a.ring_base_address = (uintptr_t)q->ring;
	a.ring_size = dwords * 4;
	a.write_pointer_address = (uintptr_t)q->wptr_mem;
	a.read_pointer_address = (uintptr_t)q->rptr;
	ret = rig_ioctl(r, AMDKFD_IOC_CREATE_QUEUE, &a);
	if (ret)
		return ret;
	q->id = a.queue_id;
	q->doorbell = rig_doorbell(r, a.doorbell_offset);
	return q->doorbell ? 0 : -ENOMEM;
}

int pm4_update(struct rig *r, struct pm4_queue *q, void *ring, u32 dwords, u32 percentage)
{
	struct kfd_ioctl_update_queue_args a = {
		.ring_base_address = (uintptr_t)ring, .queue_id = q->id,
		.ring_size = dwords * 4, .queue_percentage = percentage, .queue_priority = 7,
	};

	return rig_ioctl(r, AMDKFD_IOC_UPDATE_QUEUE, &a);
}

int pm4_destroy(struct rig *r, struct pm4_queue *q)
{
	struct kfd_ioctl_destroy_queue_args a = { .queue_id = q->id };

	return rig_ioctl(r, AMDKFD_IOC_DESTROY_QUEUE, &a);
}

void pm4_put(struct pm4_queue *q, const u32 *dw, u32 n)
{
	while (n--)
		q->ring[q->wptr++ % q->dwords] = *dw++;
}

void pm4_ring(struct pm4_queue *q)
{
	__atomic_store_n(q->wptr_mem, q->wptr, __ATOMIC_RELEASE);
	__atomic_store_n(q->doorbell, q->wptr, __ATOMIC_RELEASE);
}

bool pm4_consumed(struct pm4_queue *q, unsigned int ms)
{
	u64 end = rig_ms() + ms;

	while (__atomic_load_n(q->rptr, __ATOMIC_ACQUIRE) != q->wptr % q->dwords) {
		if (rig_ms() > end)
			return false;
		usleep(200);
	}
	return true;
}

/* The parts of a kernel descriptor in use (LLVM, AMDGPUUsage) */
#define KD_ENTRY	16
#define KD_RSRC3	44
#define KD_RSRC1	48
#define KD_RSRC2	52
#define KD_PROPERTIES	56
#define KD_WAVE32	(1u << 10)

static u32 kd32(const struct rig_kernel *k, u32 at)
{
	u32 v;

	memcpy(&v, (const u8 *)(uintptr_t)k->object + at, sizeof(v));
	return v;
}

u32 pm4_kernel(const struct rig_kernel *k, u64 args, u32 groups, u32 group, u32 *dw)
{
	u64 pc = k->object + (s64)(int32_t)kd32(k, KD_ENTRY);
	u32 properties = kd32(k, KD_PROPERTIES), user = 0;
	u32 lds = (k->group_bytes + 511) / 512;
	/* ACQUIRE_MEM invalidates the code's cache; from gfx10 on its last dword says so. */
	const u32 acquire[2][8] = {
		{ PM4_HDR(PM4_ACQUIRE_MEM, 7), 1u << 29, ~0u, 0, 0, 0, 4 },
		{ PM4_HDR(PM4_ACQUIRE_MEM, 8), 0, ~0u, 0, 0, 0, 4, 1 },
	};
	const u32 packets[] = {
		PM4_HDR(PM4_SET_SH_REG, 8), 0x204, 0, 0, 0, group, 1, 1,
		PM4_HDR(PM4_SET_SH_REG, 4), 0x20c, (u32)(pc >> 8), (u32)(pc >> 40),
		PM4_HDR(PM4_SET_SH_REG, 4), 0x212, kd32(k, KD_RSRC1),
		kd32(k, KD_RSRC2) | lds << 15,
		PM4_HDR(PM4_SET_SH_REG, 3), 0x22d, kd32(k, KD_RSRC3),
	};
	bool gfx10 = k->version >= 100000;
	u32 n = gfx10 ? 8 : 7;

	/* Scratch buffer, dispatch and queue pointer come before the arguments. */
	user += properties & 1 ? 4 : 0;
	user += properties & 2 ? 2 : 0;
	user += properties & 4 ? 2 : 0;
	memcpy(dw, acquire[gfx10], n * sizeof(dw[0]));
	memcpy(dw + n, packets, sizeof(packets));
	n += sizeof(packets) / sizeof(packets[0]);
	dw[n++] = PM4_HDR(PM4_SET_SH_REG, 4);
	dw[n++] = 0x240 + user;
	dw[n++] = PM4_LO(args);
	dw[n++] = PM4_HI(args);
	dw[n++] = PM4_HDR(PM4_DISPATCH_DIRECT, 5);
	dw[n++] = groups;
	dw[n++] = 1;
	dw[n++] = 1;
	/* COMPUTE_SHADER_EN, FORCE_START_AT_000, CS_W32_EN: as the descriptor says */
	dw[n++] = 5 | (gfx10 && properties & KD_WAVE32 ? 1 << 15 : 0);
	return n;
}

u32 pm4_scratch(const struct rig_kernel *k, u64 base, u32 waves, u32 wave_bytes, u32 *dw)
{
	u32 properties = kd32(k, KD_PROPERTIES), user = 0, n;
	u32 unit = k->version < 110000 ? 1024 : 256;
	const u32 packets[] = {
		PM4_HDR(PM4_SET_SH_REG, 4), 0x210, (u32)(base >> 8), (u32)(base >> 40),
		PM4_HDR(PM4_SET_SH_REG, 3), 0x218, waves | wave_bytes / unit << 12,
	};

	memcpy(dw, packets, sizeof(packets));
	n = sizeof(packets) / sizeof(packets[0]);
	if (properties & 1) {
		dw[n++] = PM4_HDR(PM4_SET_SH_REG, 6);
		dw[n++] = 0x240;
		rig_scratch_srd(k->version, base, (u64)waves * wave_bytes, dw + n);
		n += 4;
		user = 4;
	}
	/* Behind them dispatch, queue and argument pointer and the packet's id */
	for (u32 bit = 1; bit < 5; bit++)
		user += properties & 1u << bit ? 2 : 0;
	if (properties & 1u << 5) {
		dw[n++] = PM4_HDR(PM4_SET_SH_REG, 4);
		dw[n++] = 0x240 + user;
		dw[n++] = PM4_LO(base);
		dw[n++] = PM4_HI(base);
	}
	return n;
}
