// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dispatch packet + kernel descriptor + amd_queue_t -> struct cp_dispatch.
 *
 * Descriptor bits and the order of initial SGPRs: LLVM, AMDGPUUsage,
 * "Kernel Descriptor" and "Initial Kernel Execution State".
 */
#include "cp_int.h"

/* The fields of the kernel descriptor that we use; 64 bytes in memory */
struct kernel_descriptor {
	u32 group_bytes, private_bytes, kernarg_bytes, reserved0;
	u64 entry_offset;
	u32 reserved1[5];
	u32 rsrc3, rsrc1, rsrc2;
	u32 properties;		/* 16 bits, and what to preload */
	u32 reserved2;
};

/* amd_queue_t from compute_tmpring_size on (ROCr: amd_hsa_queue.h) */
#define AMD_QUEUE_SCRATCH	140
struct queue_scratch {
	u32 tmpring;
	u32 srd[4];
	u64 base, bytes;
} __packed;

#define PROP_SCRATCH_BUFFER	BIT(0)
#define PROP_DISPATCH_PTR	BIT(1)
#define PROP_QUEUE_PTR		BIT(2)
#define PROP_KERNARG_PTR	BIT(3)
#define PROP_DISPATCH_ID	BIT(4)
#define PROP_SCRATCH_INIT	BIT(5)
#define PROP_PRIVATE_SIZE	BIT(6)
#define PROP_WAVE32		BIT(10)

#define CODE_ALIGN		256

#define RSRC1_WGP_MODE		BIT(29)	/* a work-group may use the CUs of a pair */

static u32 round_up_to(u32 v, u32 step)
{
	return (v + step - 1) / step * step;
}

/* Parses grid and work-group size; unused dimensions count as 1. */
static u32 kd_parse_shape(const struct cp_aql_packet *p, struct cp_dispatch *d)
{
	unsigned int dims = p->dispatch.setup & 3, i;
	u64 total = 1;
	u32 items = 1;

	if (!dims)
		return CP_ERR_DIM;
	for (i = 0; i < 3; i++) {
		d->group[i] = i < dims ? p->dispatch.group[i] : 1;
		d->grid[i] = i < dims ? p->dispatch.grid[i] : 1;
		if (!d->group[i] || !d->grid[i])
			return CP_ERR_DIM;
		if (d->group[i] > CP_MAX_GROUP_ITEMS)
			return CP_ERR_GROUP_SIZE;
		items *= d->group[i];
		if (items > CP_MAX_GROUP_ITEMS)
			return CP_ERR_GROUP_SIZE;
		d->groups[i] = (d->grid[i] - 1) / d->group[i] + 1;
		if (total > (1ull << 62) / d->groups[i])
			return CP_ERR_DIM;
		total *= d->groups[i];
	}
	d->total_groups = total;
	return 0;
}

u32 cp_waves_parse(const struct gpu_target *t, bool wave32, struct cp_dispatch *d)
{
	u32 items = d->group[0] * d->group[1] * d->group[2];

	d->lanes = wave32 ? 32 : 64;
	if (!(t->arch->wave_sizes & d->lanes))
		return CP_ERR_CODE;
	d->waves = isa_arch_units(items, d->lanes);
	return 0;
}

u32 cp_registers_parse(const struct gpu_target *t, const struct cp_rsrc *r,
		       struct cp_dispatch *d)
{
	const struct isa_arch *a = t->arch;
	u32 r1 = r->rsrc1, r2 = r->rsrc2;
	bool wgp = isa_arch_has(a, ISA_ARCH_WGP) && (r1 & RSRC1_WGP_MODE);
	u32 per_simd = isa_arch_units(d->waves, t->simd_per_cu << wgp);

	d->rows = isa_arch_rows(a, d->lanes, r1, r->rsrc3, &d->acc_offset);
	if (d->rows > t->wave_vgprs || per_simd > t->waves_per_simd ||
	    per_simd * d->rows * d->lanes > t->simd_vgprs * a->wave_size)
		return CP_ERR_VGPRS;
	d->sgprs = (isa_field_get(a->rsrc1_sgprs, r1) / 2 + 1) * a->sgpr_granule;
	if (d->sgprs > a->max_sgprs || !a->rsrc1_sgprs.bits)
		d->sgprs = a->max_sgprs;
	/* FLOAT_MODE, DX10_CLAMP, IEEE_MODE, EXCP_EN, FP16_OVFL of MODE */
	d->mode = ((r1 >> 12) & 0xff) | ((r1 >> 21) & 1) << 8 |
		  ((r1 >> 23) & 1) << 9 | ((r2 >> 24) & 0x7f) << 12 |
		  ((r1 >> 26) & 1) << 23;
	d->ids = ((r2 >> 11) & 3) + 1;
	if (d->ids > 3)
		d->ids = 3;
	d->wg_id[0] = r2 & BIT(7);
	d->wg_id[1] = r2 & BIT(8);
	d->wg_id[2] = r2 & BIT(9);
	d->wg_info = r2 & BIT(10);
	d->scratch_offset = (r2 & BIT(0)) && !isa_arch_has(a, ISA_ARCH_ARCH_SCRATCH);
	d->nuser = (r2 >> 1) & 0x1f;
	return d->nuser > CP_MAX_USER_SGPRS ? CP_ERR_CODE : 0;
}

/* Loads only as many SGPRs as the descriptor's user count says, even if it asks for more. */
static void kd_add_user(struct cp_dispatch *d, u32 *at, const u32 *v, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++, (*at)++)
		if (*at < d->nuser)
			d->user[*at] = v[i];
}

static void kd_add_user64(struct cp_dispatch *d, u32 *at, u64 v)
{
	const u32 dw[2] = { (u32)v, (u32)(v >> 32) };

	kd_add_user(d, at, dw, 2);
}

static void kd_parse_user_sgprs(const struct cp_queue *q,
				const struct cp_aql_packet *p,
				const struct queue_scratch *s, u16 prop,
				struct cp_dispatch *d)
{
	u32 size = p->dispatch.private_bytes, srd[4], at = 0;

	memcpy(srd, s->srd, sizeof(srd));
	/*
	 * Waves of 32 and of 64 lanes share the queue's V#: its INDEX_STRIDE is for the packet
	 * processor to set (HIP of Debian 13 leaves it 0 on gfx1030; seen in its results).
	 */
	if (q->target->arch->wave_size == 32)
		srd[3] = (srd[3] & ~(3u << 21)) | (d->lanes == 32 ? 2u : 3u) << 21;
	if (prop & PROP_SCRATCH_BUFFER)
		kd_add_user(d, &at, srd, 4);
	if (prop & PROP_DISPATCH_PTR)
		kd_add_user64(d, &at, d->packet_va);
	if (prop & PROP_QUEUE_PTR)
		kd_add_user64(d, &at, q->amd_queue_va);
	if (prop & PROP_KERNARG_PTR)
		kd_add_user64(d, &at, p->dispatch.kernarg);
	if (prop & PROP_DISPATCH_ID)
		kd_add_user64(d, &at, d->index);
	if (prop & PROP_SCRATCH_INIT)
		kd_add_user64(d, &at, s->base);
	if (prop & PROP_PRIVATE_SIZE)
		kd_add_user(d, &at, &size, 1);
}

void cp_tmpring_parse(const struct isa_arch *a, u32 tmpring, struct cp_dispatch *d)
{
	d->scratch_wave_bytes = isa_field_get(a->tmpring_size, tmpring) * a->tmpring_bytes;
	d->scratch_waves = isa_field_get(a->tmpring_waves, tmpring);
}

/*
 * The queue's scratch must hold at least one work-group of these waves; each wave takes
 * whole KiB. Too little is not fatal: the runtime enlarges the scratch and retries.
 */
static u32 kd_parse_scratch(const struct isa_arch *a, const struct cp_aql_packet *p,
			    const struct queue_scratch *s, struct cp_dispatch *d)
{
	u64 need = (u64)p->dispatch.private_bytes * d->lanes;

	d->scratch_lane_bytes = p->dispatch.private_bytes;
	d->scratch_base = s->base;
	cp_tmpring_parse(a, s->tmpring, d);
	if (!need)
		return 0;
	if (need > d->scratch_wave_bytes || d->waves > d->scratch_waves)
		return CP_ERR_SCRATCH;
	return 0;
}

static u32 kd_parse_entry(u64 kernel_object, const struct kernel_descriptor *kd,
			  struct cp_dispatch *d)
{
	d->pc = kernel_object + kd->entry_offset;
	return d->pc % CODE_ALIGN || d->pc >= CP_VA_END ? CP_ERR_CODE : 0;
}

/* @index: of the packet */
static int parse_at(const struct cp_queue *q, struct cp_env *env, const struct cp_aql_packet *p,
		    u64 index, struct cp_dispatch *d, u32 *code)
{
	u64 object = p->dispatch.kernel_object;
	const struct gpu_target *t = q->target;
	struct kernel_descriptor kd;
	struct queue_scratch s = {};
	struct cp_rsrc rsrc;
	int err;

	BUILD_BUG_ON(sizeof(kd) != 64);
	/* cp_pm4_put_check() looks there. */
	BUILD_BUG_ON(offsetof(struct kernel_descriptor, entry_offset) != CP_KD_ENTRY);
	BUILD_BUG_ON(offsetof(struct kernel_descriptor, rsrc3) != CP_KD_RSRC3);
	BUILD_BUG_ON(offsetof(struct kernel_descriptor, properties) != CP_KD_PROPERTIES);

	memset(d, 0, sizeof(*d));
	d->index = index;
	d->packet_va = q->ring_va + (index & (q->ring_packets - 1)) * CP_PACKET_BYTES;
	d->kernel_object = object;
	d->signal = p->completion_signal;
	*code = kd_parse_shape(p, d);
	if (!*code && p->dispatch.group_bytes > t->lds_kbytes * 1024)
		*code = CP_ERR_GROUP_MEM;
	if (!*code && (!object || object % 64 || object >= CP_VA_END))
		*code = CP_ERR_CODE;
	if (*code)
		return 0;
	d->lds_bytes = round_up_to(p->dispatch.group_bytes, t->arch->lds_granule);

	err = env->ops->read(env, object, &kd, sizeof(kd));
	if (!err && q->amd_queue_va)
		err = env->ops->read(env, q->amd_queue_va + AMD_QUEUE_SCRATCH,
				     &s, sizeof(s));
	if (err)
		return err;
	rsrc = (struct cp_rsrc){ kd.rsrc1, kd.rsrc2, kd.rsrc3 };
	d->rsrc[0] = kd.rsrc1;
	d->rsrc[1] = kd.rsrc2;
	d->rsrc[2] = kd.rsrc3;
	d->properties = kd.properties;
	d->tmpring = s.tmpring;
	*code = kd_parse_entry(object, &kd, d);
	if (!*code)
		*code = cp_waves_parse(t, kd.properties & PROP_WAVE32, d);
	if (!*code)
		*code = cp_registers_parse(t, &rsrc, d);
	if (!*code)
		*code = kd_parse_scratch(t->arch, p, &s, d);
	if (!*code)
		kd_parse_user_sgprs(q, p, &s, (u16)kd.properties, d);
	return 0;
}

int cp_dispatch_parse(struct cp_queue *q, struct cp_env *env,
		      const struct cp_aql_packet *p, struct cp_dispatch *d,
		      u32 *code)
{
	return parse_at(q, env, p, q->next, d, code);
}

/* Its packet is where it was, as long as it has not ended, unless the client meddles with it. */
int cp_dispatch_renew(const struct cp_queue *q, struct cp_env *env, struct cp_dispatch *d,
		      u32 *code)
{
	struct cp_dispatch was = *d;
	struct cp_aql_packet p;
	int err = env->ops->read(env, was.packet_va, &p, sizeof(p));

	if (err)
		return err;
	err = parse_at(q, env, &p, was.index, d, code);
	if (!err && !*code &&
	    (CP_AQL_TYPE(p.header) != CP_AQL_DISPATCH || d->signal != was.signal ||
	     d->total_groups != was.total_groups))
		*code = CP_ERR_PACKET;
	d->barrier = was.barrier;
	d->acquire = was.acquire;
	return err;
}
