// SPDX-License-Identifier: MIT
/*
 * Waves in the save area of a queue that was taken off the GPU: found as a
 * debugger finds them (ROCdbgapi's way through the control stack), changed as
 * one changes them, and none the worse for it after hundreds of times.
 */
#include "queue_test.h"

#define MAX_WAVES	64
#define GROUPS		4u
#define GROUP		128u
#define ITEMS		(GROUPS * GROUP)

/* A wave of the control stack, as the reader computes it. */
struct wave {
	u32 *vgpr, *acc, *sgpr, *hwreg, *ttmp, *lds;
	u32 vgprs, accs, lds_bytes, lanes;
	bool first, last;
};

struct waves {
	struct wave w[MAX_WAVES];
	u32 n;
	struct kfd_context_save_area_header h;
};

static u32 bits(u32 v, int lo, int hi)
{
	return v >> lo & ((2u << (hi - lo)) - 1);
}

/* Lanes of a wave of "keep" */
static u32 lanes_of(const struct rig *r)
{
	return rig_property(r->gpu_id, "wave_front_size");
}

static bool gpu_is(const struct rig *r, long gfx)
{
	return rig_property(r->gpu_id, "gfx_target_version") >= gfx;
}

/* Of STATUS; from gfx12 on, of STATE_PRIV, which has its place */
static u32 halt_bit(const struct rig *r)
{
	return gpu_is(r, 120000) ? 1u << 14 : 1u << 13;
}

/* Its work-group of a grid of one dimension. gfx12 has the id where it gives it to the code. */
static u32 group_of(const struct rig *r, const struct wave *w)
{
	return gpu_is(r, 120000) ? w->ttmp[9] : w->ttmp[8];
}

/* Which wave of its work-group */
static u32 number_of(const struct rig *r, const struct wave *w)
{
	return gpu_is(r, 120000) ? w->ttmp[8] >> 25 & 31 : w->ttmp[11] & 0x3f;
}

/* gfx10 to gfx12: rows have as many dwords as the wave has lanes, SGPRs room for 128. */
static char *parse_wave_rdna(struct wave *w, u32 state, u32 wave, char *top)
{
	u32 lanes = bits(state, 24, 24) ? 32 : 64;

	w->first = bits(wave, 12, 12);
	w->last = bits(wave, 29, 29);
	w->lds_bytes = bits(state, 10, 17) * 512;
	w->vgprs = (bits(state, 0, 5) + 1) * (lanes == 32 ? 8 : 4);
	w->accs = 0;
	if (w->first)
		top -= w->lds_bytes;
	w->lds = w->first ? (u32 *)top : NULL;
	top -= 64;
	w->ttmp = (u32 *)top;
	top -= 64;
	w->hwreg = (u32 *)top;
	top -= 512;
	w->sgpr = (u32 *)top;
	top -= w->vgprs * lanes * 4;
	w->vgpr = (u32 *)top;
	w->lanes = lanes;
	return top;
}

/* One record; the address below it. */
static char *parse_wave(const struct rig *r, struct wave *w, u32 state, u32 wave, char *top)
{
	bool unified = gpu_is(r, 90010);

	if (gpu_is(r, 100000))
		return parse_wave_rdna(w, state, wave, top);
	w->lanes = 64;
	w->first = bits(wave, 17, 17);
	w->last = bits(wave, 16, 16);
	w->lds_bytes = bits(state, 9, unified ? 16 : 17) * (gpu_is(r, 90500) ? 1280 : 512);
	if (unified) {
		w->vgprs = (bits(state, 24, 29) + 1) * 4;
		w->accs = (bits(state, 0, 5) + 1) * 8 - w->vgprs;
	} else {
		w->vgprs = (bits(state, 0, 5) + 1) * 4;
		w->accs = rig_property(r->gpu_id, "gfx_target_version") == 90008 ? w->vgprs : 0;
	}
	top -= 64;
	if (w->first)
		top -= w->lds_bytes;
	w->lds = w->first ? (u32 *)top : NULL;
	top -= 64;
	w->ttmp = (u32 *)top;
	top -= 64;
	w->hwreg = (u32 *)top;
	top -= (bits(state, 6, 8) + 1) * 64 - 64;
	w->sgpr = (u32 *)top;
	top -= w->accs * 256;
	w->acc = (u32 *)top;
	top -= w->vgprs * 256;
	w->vgpr = (u32 *)top;
	return top;
}

/* How many areas there are: topology names XCCs from Linux 6.5 on. */
static u32 xccs(const struct rig *r)
{
	long n = rig_property(r->gpu_id, "num_xcc");

	return n > 0 ? n : 1;
}

static int parse_area(const struct rig *r, struct waves *ws, char *area)
{
	u32 *stack, words, i, state = 0;
	char *top;

	memcpy(&ws->h, area, sizeof(ws->h));
	stack = (u32 *)(area + ws->h.wave_state.control_stack_offset);
	words = ws->h.wave_state.control_stack_size / 4;
	top = area + ws->h.wave_state.wave_state_offset;
	if (ws->h.wave_state.control_stack_offset + words * 4 != r->ctl_bytes)
		return 1;
	if (ws->h.wave_state.wave_state_offset !=
	    r->ctl_bytes + ws->h.wave_state.wave_state_size)
		return 2;
	for (i = 2; i < words; i++) {
		if (bits(stack[i], 30, 30))
			continue;
		if (bits(stack[i], 31, 31)) {
			state = stack[i];
			i += gpu_is(r, 100000);	/* COMPUTE_RELAUNCH2 */
			continue;
		}
		if (!state || ws->n == MAX_WAVES)
			return 3;
		top = parse_wave(r, &ws->w[ws->n++], state, stack[i], top);
	}
	return top == area + r->ctl_bytes ? 0 : 4;
}

/* What GET_QUEUE_WAVE_STATE says; 0, or what is wrong with it. */
static int parse(const struct rig *r, struct waves *ws)
{
	char *area = (char *)(uintptr_t)r->save_area;
	u32 n = xccs(r);
	int ret = 0;

	for (; n-- && !ret; area += r->save_bytes)
		ret = parse_area(r, ws, area);
	return ret;
}

static int wave_state(struct rig *r, struct rig_queue *q,
		      struct kfd_ioctl_get_queue_wave_state_args *a)
{
	*a = (struct kfd_ioctl_get_queue_wave_state_args) {
		.ctl_stack_address = r->save_area, .queue_id = q->id,
	};
	return rig_ioctl(r, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, a);
}

/* Take the queue off and find its waves. */
static int look(struct rig *r, struct rig_queue *q, struct waves *ws)
{
	struct kfd_ioctl_get_queue_wave_state_args a;
	int ret = rig_queue_update(r, q, 0);

	memset(ws, 0, sizeof(*ws));
	if (!ret)
		ret = wave_state(r, q, &a);
	return ret ?: parse(r, ws);
}

/* Find its waves where it is. */
static int look_evicted(struct rig *r, struct rig_queue *q, struct waves *ws)
{
	struct kfd_ioctl_get_queue_wave_state_args a;
	int ret = wave_state(r, q, &a);

	memset(ws, 0, sizeof(*ws));
	return ret ?: parse(r, ws);
}

static int with_area(FIXTURE_DATA(gpu) *self)
{
	struct rig_mem area;
	int ret = rig_queue_destroy(&self->r, &self->q);

	if (!ret)
		ret = rig_area(&self->r, &area);
	return ret ?: rig_queue_create(&self->r, RIG_RING, &self->q);
}

/* @groups groups of "keep" that have all come to their loop; stop is words[0]. */
static struct rig_signal *start_keep(FIXTURE_DATA(gpu) *self, u32 groups)
{
	u32 *out = self->words + 1024, i;
	struct rig_signal *s;

	self->words[0] = 0;
	memset(out, 0, ITEMS * sizeof(*out));
	s = start(&self->r, &self->q, "keep", (uintptr_t)self->words, (uintptr_t)out, groups,
		  GROUP);
	for (i = 0; i < groups * GROUP; i += lanes_of(&self->r))
		if (!rig_wait32(&out[i], 1, RIG_LONG))
			return NULL;
	usleep(100000);
	return s;
}

/* Evict all queues, as the machine's suspend does, or restore them. */
static int evict(bool on)
{
	FILE *f = fopen("/sys/kernel/debug/kfd/0/suspend", "w");
	int ret;

	if (!f)
		return -errno;
	ret = fputs(on ? "1" : "0", f) < 0 ? -errno : 0;
	return fclose(f) ? -errno : ret;
}

static void restore_all(void)
{
	evict(false);
}

static u32 keep_result(u32 i)
{
	return 0x10000 + i + (i % GROUP) * 3 + 1;
}

TEST_F(gpu, a_wave_is_where_debuggers_look)
{
	struct rig_signal *s;
	struct waves ws;
	u32 waves = GROUP / lanes_of(&self->r), i, lane, item, leaders = 0, group = 0;

	ASSERT_EQ(with_area(self), 0);
	s = start_keep(self, GROUPS);
	ASSERT_NE(s, NULL);
	ASSERT_EQ(look(&self->r, &self->q, &ws), 0);
	ASSERT_EQ(ws.n, GROUPS * waves);
	for (i = 0; i < ws.n; i++) {
		struct wave *w = &ws.w[i];

		group = group_of(&self->r, w);
		item = group * GROUP + number_of(&self->r, w) * w->lanes;
		ASSERT_LT(group, GROUPS);
		EXPECT_GE(w->vgprs, 43);
		for (lane = 0; lane < w->lanes; lane++) {
			ASSERT_EQ(w->vgpr[40 * w->lanes + lane], 0x10000 + item + lane);
			ASSERT_EQ(w->vgpr[41 * w->lanes + lane], 0x5a5a5a5a);
		}
		EXPECT_EQ(w->sgpr[60], 0x1234567);
		EXPECT_EQ(w->hwreg[0], 0x77);
		EXPECT_EQ(w->hwreg[3], ~0u);
		EXPECT_EQ(w->hwreg[4], w->lanes == 64 ? ~0u : 0);
		EXPECT_LT((w->hwreg[1] | (u64)w->hwreg[2] << 32) - (uintptr_t)self->r.code.p,
			  self->r.code.bytes);
		EXPECT_EQ(w->hwreg[5] & halt_bit(&self->r), 0);
		leaders += w->first;
		EXPECT_EQ(w->first, i % waves == 0);
		EXPECT_EQ(w->last, i % waves == waves - 1);
		for (lane = 0; w->first && lane < GROUP; lane++)
			ASSERT_EQ(w->lds[lane], lane * 3 + 1);
	}
	EXPECT_EQ(leaders, GROUPS);
	self->words[0] = 1;
	ASSERT_EQ(rig_queue_update(&self->r, &self->q, 100), 0);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	for (i = 0; i < ITEMS; i++)
		ASSERT_EQ(self->words[1024 + i], keep_result(i));
}

/* Groups go round XCCs first, and each XCC has an area of its own. */
TEST_F(gpu, groups_of_every_xcc)
{
	struct kfd_ioctl_get_queue_wave_state_args a;
	u32 n = xccs(&self->r), i;
	struct rig_signal *s;
	struct waves ws;

	ASSERT_EQ(with_area(self), 0);
	s = start_keep(self, n);
	ASSERT_NE(s, NULL);
	ASSERT_EQ(look(&self->r, &self->q, &ws), 0);
	ASSERT_EQ(ws.n, n * GROUP / lanes_of(&self->r));
	ASSERT_EQ(wave_state(&self->r, &self->q, &a), 0);
	for (i = 0; i < n; i++) {
		memset(&ws, 0, sizeof(ws));
		ASSERT_EQ(parse_area(&self->r, &ws,
				     (char *)(uintptr_t)self->r.save_area + i * self->r.save_bytes), 0);
		EXPECT_EQ(ws.n, GROUP / lanes_of(&self->r));
		EXPECT_EQ(ws.h.wave_state.control_stack_size, a.ctl_stack_used_size);
		EXPECT_EQ(ws.h.wave_state.wave_state_size, a.save_area_used_size);
	}
	self->words[0] = 1;
	ASSERT_EQ(rig_queue_update(&self->r, &self->q, 100), 0);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	for (i = 0; i < n * GROUP; i++)
		ASSERT_EQ(self->words[1024 + i], keep_result(i));
}

TEST_F(gpu, what_is_changed_there_takes_effect)
{
	struct rig_signal *s;
	struct waves ws;
	struct wave *w;
	u32 item;

	ASSERT_EQ(with_area(self), 0);
	s = start_keep(self, 1);
	ASSERT_NE(s, NULL);
	ASSERT_EQ(look(&self->r, &self->q, &ws), 0);
	ASSERT_EQ(ws.n, GROUP / lanes_of(&self->r));
	w = &ws.w[0];
	item = number_of(&self->r, w) * w->lanes;
	w->vgpr[40 * w->lanes + 5] = 0x777;
	w->lds[9] = 0x100;
	ws.w[1].hwreg[5] |= halt_bit(&self->r);
	self->words[0] = 1;
	ASSERT_EQ(rig_queue_update(&self->r, &self->q, 100), 0);
	/* One wave is held; it is let go as it was stopped. */
	EXPECT_FALSE(rig_wait(s, 0, 300));
	ASSERT_EQ(look(&self->r, &self->q, &ws), 0);
	ASSERT_EQ(ws.n, 1);
	EXPECT_EQ(ws.w[0].hwreg[5] & halt_bit(&self->r), halt_bit(&self->r));
	EXPECT_TRUE(ws.w[0].first && ws.w[0].last);
	ws.w[0].hwreg[5] &= ~halt_bit(&self->r);
	ASSERT_EQ(rig_queue_update(&self->r, &self->q, 100), 0);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(self->words[1024 + item + 5], 0x777 + (item + 5) * 3 + 1);
	EXPECT_EQ(self->words[1024 + 9], 0x10000 + 9 + 0x100);
	EXPECT_EQ(self->words[1024 + 64], keep_result(64));
}

/* A queue that is evicted is off for whoever asks, and goes on with what is changed. */
TEST_F(gpu, waves_of_an_evicted_queue)
{
	struct kfd_ioctl_get_queue_wave_state_args a;
	struct rig_signal *s;
	struct waves ws, again;
	u32 item;

	atexit(restore_all);
	ASSERT_EQ(with_area(self), 0);
	s = start_keep(self, 1);
	ASSERT_NE(s, NULL);
	EXPECT_EQ(wave_state(&self->r, &self->q, &a), -EINVAL);	/* it is on */
	ASSERT_EQ(evict(true), 0);
	ASSERT_EQ(look_evicted(&self->r, &self->q, &ws), 0);
	ASSERT_EQ(ws.n, GROUP / lanes_of(&self->r));
	item = number_of(&self->r, &ws.w[0]) * ws.w[0].lanes;
	EXPECT_EQ(ws.w[0].vgpr[40 * ws.w[0].lanes + 7], 0x10000 + item + 7);
	ws.w[0].vgpr[40 * ws.w[0].lanes + 5] = 0x777;
	/* asking once more does not put back what was there */
	ASSERT_EQ(look_evicted(&self->r, &self->q, &again), 0);
	ASSERT_EQ(again.n, ws.n);
	EXPECT_EQ(again.w[0].vgpr[40 * again.w[0].lanes + 5], 0x777);
	self->words[0] = 1;
	EXPECT_FALSE(rig_wait(s, 0, 100));
	ASSERT_EQ(evict(false), 0);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	EXPECT_EQ(self->words[1024 + item + 5], 0x777 + (item + 5) * 3 + 1);
	EXPECT_EQ(self->words[1024 + item + 6], keep_result(item + 6));
	EXPECT_EQ(wave_state(&self->r, &self->q, &a), -EINVAL);
}

/* Taken off by both, in either order: its waves come back once, with the last. */
TEST_F(gpu, evicted_and_off)
{
	struct rig_signal *s;
	struct waves ws;
	u32 i, round;

	atexit(restore_all);
	ASSERT_EQ(with_area(self), 0);
	for (round = 0; round < 4; round++) {
		s = start_keep(self, 1);
		ASSERT_NE(s, NULL);
		if (round & 1)
			ASSERT_EQ(rig_queue_update(&self->r, &self->q, 0), 0);
		ASSERT_EQ(evict(true), 0);
		ASSERT_EQ(look_evicted(&self->r, &self->q, &ws), 0);
		ASSERT_EQ(ws.n, GROUP / lanes_of(&self->r));
		ws.w[0].vgpr[40 * ws.w[0].lanes] ^= 0x100;
		if (!(round & 1))
			ASSERT_EQ(rig_queue_update(&self->r, &self->q, 0), 0);
		self->words[0] = 1;
		if (round & 2)
			ASSERT_EQ(evict(false), 0);
		ASSERT_EQ(rig_queue_update(&self->r, &self->q, 100), 0);
		if (!(round & 2))
			ASSERT_EQ(evict(false), 0);
		ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
		for (i = 1; i < GROUP; i++)
			if (i % lanes_of(&self->r))
				ASSERT_EQ(self->words[1024 + i], keep_result(i));
	}
}

/* It is saved when the eviction ends, as who took it off expects. */
TEST_F(gpu, off_while_evicted)
{
	struct rig_signal *s;
	struct waves ws;

	atexit(restore_all);
	ASSERT_EQ(with_area(self), 0);
	s = start_keep(self, 1);
	ASSERT_NE(s, NULL);
	ASSERT_EQ(evict(true), 0);
	ASSERT_EQ(rig_queue_update(&self->r, &self->q, 0), 0);
	ASSERT_EQ(evict(false), 0);
	ASSERT_EQ(look_evicted(&self->r, &self->q, &ws), 0);
	EXPECT_EQ(ws.n, GROUP / lanes_of(&self->r));
	self->words[0] = 1;
	EXPECT_FALSE(rig_wait(s, 0, 100));
	ASSERT_EQ(rig_queue_update(&self->r, &self->q, 100), 0);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
}

TEST_F(gpu, an_evicted_queue_whose_area_has_gone)
{
	struct kfd_event_data d;
	struct waves ws;
	u32 id, slot;
	size_t bytes;

	atexit(restore_all);
	ASSERT_EQ(with_area(self), 0);
	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot), 0);
	ASSERT_NE(start_keep(self, 1), NULL);
	ASSERT_EQ(evict(true), 0);
	ASSERT_EQ(look_evicted(&self->r, &self->q, &ws), 0);
	ASSERT_EQ(rig_area_size(&self->r, &bytes), 0);
	ASSERT_EQ(munmap((void *)(uintptr_t)self->r.save_area, bytes), 0);
	ASSERT_EQ(evict(false), 0);
	ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, &d), 0);
	EXPECT_GE(d.memory_exception_data.va, self->r.save_area);
	EXPECT_LT(d.memory_exception_data.va, self->r.save_area + bytes);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	EXPECT_TRUE(other_process_works());
}

/* Anything at all in the area: this process alone has to live with it. */
TEST_F(gpu, nonsense_in_the_area)
{
	struct kfd_event_data d;
	struct waves ws;
	u32 id, slot, *area, n = xccs(&self->r);
	size_t i;

	ASSERT_EQ(with_area(self), 0);
	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot), 0);
	ASSERT_NE(start_keep(self, 2), NULL);
	ASSERT_EQ(look(&self->r, &self->q, &ws), 0);
	area = (u32 *)(uintptr_t)self->r.save_area;
	for (; n--; area += self->r.save_bytes / sizeof(*area))
		for (i = 0; i < 1 << 18; i++)
			area[i] = (u32)(i * 2654435761u) | 1;
	ASSERT_EQ(rig_queue_update(&self->r, &self->q, 100), 0);
	rig_event_wait(&self->r, id, 500, &d);
	EXPECT_EQ(rig_queue_update(&self->r, &self->q, 0), 0);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	EXPECT_TRUE(other_process_works());
}

/* The area has gone when the waves are wanted back: a memory fault. */
TEST_F(gpu, the_area_has_gone)
{
	struct kfd_event_data d;
	struct waves ws;
	u32 id, slot;
	size_t bytes;

	ASSERT_EQ(with_area(self), 0);
	ASSERT_EQ(rig_event(&self->r, KFD_IOC_EVENT_MEMORY, &id, &slot), 0);
	ASSERT_NE(start_keep(self, 1), NULL);
	ASSERT_EQ(look(&self->r, &self->q, &ws), 0);
	ASSERT_EQ(rig_area_size(&self->r, &bytes), 0);
	ASSERT_EQ(munmap((void *)(uintptr_t)self->r.save_area, bytes), 0);
	EXPECT_EQ(rig_queue_update(&self->r, &self->q, 100), 0);
	ASSERT_EQ(rig_event_wait(&self->r, id, RIG_LONG, &d), 0);
	EXPECT_GE(d.memory_exception_data.va, self->r.save_area);
	EXPECT_LT(d.memory_exception_data.va, self->r.save_area + bytes);
	EXPECT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	EXPECT_TRUE(other_process_works());
}

TEST_F(gpu, an_area_that_is_too_small)
{
	struct kfd_ioctl_get_queue_wave_state_args a;
	struct rig_signal *s;
	u32 i;

	ASSERT_EQ(with_area(self), 0);
	ASSERT_EQ(rig_queue_destroy(&self->r, &self->q), 0);
	self->r.save_bytes = self->r.ctl_bytes + RIG_PAGE;
	if (queue_buffers_checked()) {
		EXPECT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), -EINVAL);
		return;
	}
	ASSERT_EQ(rig_queue_create(&self->r, RIG_RING, &self->q), 0);
	s = start_keep(self, 1);
	ASSERT_NE(s, NULL);
	ASSERT_EQ(rig_queue_update(&self->r, &self->q, 0), 0);
	EXPECT_EQ(wave_state(&self->r, &self->q, &a), -EINVAL);
	self->words[0] = 1;
	ASSERT_EQ(rig_queue_update(&self->r, &self->q, 100), 0);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	for (i = 0; i < GROUP; i++)
		ASSERT_EQ(self->words[1024 + i], keep_result(i));
}

TEST_F(gpu, no_waves)
{
	struct kfd_ioctl_get_queue_wave_state_args a;
	struct waves ws;

	ASSERT_EQ(with_area(self), 0);
	EXPECT_EQ(wave_state(&self->r, &self->q, &a), -EINVAL);	/* it is on */
	ASSERT_EQ(look(&self->r, &self->q, &ws), 0);
	EXPECT_EQ(ws.n, 0);
	ASSERT_EQ(wave_state(&self->r, &self->q, &a), 0);
	EXPECT_EQ(a.ctl_stack_used_size, 0);
	EXPECT_EQ(a.save_area_used_size, 0);
	EXPECT_EQ(ws.h.wave_state.control_stack_offset, self->r.ctl_bytes);
}

/*
 * Off and on at whatever instruction: the sums are right. How often a kernel of @n matrix
 * operations was taken off while it ran.
 */
static u32 off_and_on(FIXTURE_DATA(gpu) *self, u32 n)
{
	const u32 rounds = 300;
	float *d = (float *)self->words;
	u64 start_ms = rig_ms();
	struct rig_signal *s;
	u32 i, on = 0;

	s = start(&self->r, &self->q, "matrix", (uintptr_t)d, n, 16, 64);
	for (i = 0; i < rounds && s->value; i++) {
		ASSERT_EQ(rig_queue_update(&self->r, &self->q, 0), 0);
		on += s->value != 0;
		ASSERT_EQ(rig_queue_update(&self->r, &self->q, 100), 0);
		usleep(1000);
	}
	printf("# off and on %u times while it ran, %llu ms\n", on,
	       (unsigned long long)(rig_ms() - start_ms));
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
	for (i = 0; i < 16 * 256; i++)
		ASSERT_EQ(d[i], 4.0f * n * (i % 256 / 64 + i % 64 / 16 * 4 + 1));
	return on;
}

TEST_F(gpu, hundreds_of_times)
{
	u32 n = 1000, kernels, on = 0;

	if (!rig_has_matrix(&self->r))
		SKIP(return, "no matrix operations");
	ASSERT_EQ(with_area(self), 0);
	/* As long and as many as this machine needs; the sums are exact up to 2^24 */
	alarm(8 * TH_TIMEOUT_S * th_slow());
	for (kernels = 0; on < 20 && kernels < 20; kernels++) {
		on += off_and_on(self, n);
		if (n < 256000)
			n *= 4;
	}
	EXPECT_GE(on, 20);
}

TEST_HARNESS_MAIN
