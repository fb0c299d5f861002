// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any bytes as dispatch packet, kernel descriptor and the queue's
 * scratch fields. What is accepted must be within the target's limits, for the
 * worker sizes register files, LDS and scratch by it; what the packet asks for
 * must not change while it is parsed.
 */
#include <stdlib.h>
#include "../../kmod/cp/cp_int.h"

#define CHECK(c)	do { if (!(c)) __builtin_trap(); } while (0)
#define DESCRIPTOR	64
#define QUEUE_VA	0x10000ull
#define SCRATCH_AT	140

static const u8 *input;
static size_t left;

/* Memory is the rest of the input, in the order in which it is read. */
static int take(void *dst, u32 len)
{
	if (len > left)
		return -EFAULT;
	memcpy(dst, input, len);
	input += len;
	left -= len;
	return 0;
}

static int fake_read(struct cp_env *env, u64 va, void *dst, u32 len)
{
	(void)env;
	CHECK(va == QUEUE_VA + SCRATCH_AT || !(va % DESCRIPTOR));
	return take(dst, len);
}

static void check_dispatch(const struct gpu_target *t, const struct cp_dispatch *d)
{
	u64 total = 1;
	unsigned int n;

	for (n = 0; n < 3; n++) {
		CHECK(d->group[n] && d->grid[n] && d->groups[n]);
		CHECK((u64)d->groups[n] * d->group[n] >= d->grid[n]);
		CHECK((u64)(d->groups[n] - 1) * d->group[n] < d->grid[n]);
		total *= d->groups[n];
	}
	CHECK(total == d->total_groups && total < 1ull << 63);
	CHECK((u32)d->group[0] * d->group[1] * d->group[2] <= CP_MAX_GROUP_ITEMS);
	CHECK(d->lanes == 64 || (d->lanes == 32 && t->arch->wave_sizes & 32));
	CHECK(d->waves && d->waves <= CP_MAX_GROUP_ITEMS / d->lanes);
	CHECK(d->rows && d->rows <= t->wave_vgprs && d->acc_offset <= d->rows);
	CHECK(d->sgprs && d->sgprs <= t->arch->max_sgprs && d->nuser <= CP_MAX_USER_SGPRS);
	CHECK(d->lds_bytes <= t->lds_kbytes * 1024 && !(d->lds_bytes % t->arch->lds_granule));
	CHECK(d->ids >= 1 && d->ids <= 3 && !(d->pc % 256));
	CHECK((u64)d->scratch_lane_bytes * d->lanes <= d->scratch_wave_bytes ||
	      !d->scratch_lane_bytes);
}

static unsigned int targets(void)
{
	unsigned int n = 0;

	while (gpu_target_get(n))
		n++;
	return n;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct cp_env_ops ops = { .read = fake_read };
	struct cp_env env = { .ops = &ops };
	struct cp_aql_packet p, was;
	struct cp_dispatch d;
	struct cp_queue q;
	u32 code = 0;

	if (size < 1 + sizeof(p))
		return 0;
	memset(&q, 0, sizeof(q));
	q.target = gpu_target_get(data[0] % 128 % targets());
	q.ring_packets = 64;
	q.amd_queue_va = data[0] & 0x80 ? QUEUE_VA : 0;
	memcpy(&p, data + 1, sizeof(p));
	was = p;
	input = data + 1 + sizeof(p);
	left = size - 1 - sizeof(p);
	if (!cp_dispatch_parse(&q, &env, &p, &d, &code) && !code)
		check_dispatch(q.target, &d);
	CHECK(!memcmp(&p, &was, sizeof(p)));
	return 0;
}
