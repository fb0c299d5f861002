// SPDX-License-Identifier: MIT
/*
 * Activity is measured: what sysfs says of a GPU that works, and of one that
 * has just stopped. With an argument: keep the GPU busy until killed, with 16
 * MiB of VRAM, for tests of monitoring tools.
 */
#include "../queue/queue_test.h"
#include "../queue/rig_sdma.h"
#include "sysfs_util.h"

#define A_WINDOW	1500000		/* us, longer than what is averaged over */

static struct rig_signal *start_spin(FIXTURE_DATA(gpu) *self)
{
	struct rig_signal *s;

	self->words[0] = 0;
	self->words[1] = 0;
	s = start(&self->r, &self->q, "spin", (uintptr_t)&self->words[0],
		  (uintptr_t)&self->words[1], 1, 64);
	ASSERT_TRUE(rig_wait32(&self->words[1], 1, RIG_LONG));
	return s;
}

static void stop_spin(FIXTURE_DATA(gpu) *self, struct rig_signal *s)
{
	__atomic_store_n(&self->words[0], 1, __ATOMIC_RELEASE);
	ASSERT_TRUE(rig_wait(s, 0, RIG_LONG));
}

static bool comes_to_work(void)
{
	return comes_to(dev_number, "gpu_busy_percent", 60, 100);
}

TEST_F(gpu, busy_percent)
{
	struct rig_signal *s;

	EXPECT_TRUE(comes_to_rest());
	s = start_spin(self);
	EXPECT_TRUE(comes_to_work());
	stop_spin(self, s);
	EXPECT_TRUE(comes_to_rest());
}

TEST_F(gpu, the_model_follows)
{
	struct rig_signal *s;
	long long watts, hot, mhz, mv;

	ASSERT_TRUE(comes_to_rest());
	watts = hwmon_number("power1_average");
	hot = hwmon_number("temp2_input");
	mhz = hwmon_number("freq1_input");
	mv = hwmon_number("in0_input");
	ASSERT_LT(0ll, watts);
	s = start_spin(self);
	ASSERT_TRUE(comes_to_work());
	EXPECT_LT(watts, hwmon_number("power1_average"));
	EXPECT_LT(hot, hwmon_number("temp2_input"));
	EXPECT_LT(mhz, hwmon_number("freq1_input"));
	EXPECT_LT(mv, hwmon_number("in0_input"));
	EXPECT_GE(hwmon_number("power1_cap"), hwmon_number("power1_average"));
	stop_spin(self, s);
	EXPECT_TRUE(comes_to(hwmon_number, "power1_average", watts, watts));
	EXPECT_TRUE(comes_to(hwmon_number, "freq1_input", mhz, mhz));
}

/* Energy per time between two looks at gpu_metrics */
static double power(const struct metrics_v1_3 *from, const struct metrics_v1_3 *to)
{
	return (double)(to->energy_accumulator - from->energy_accumulator) /
	       (to->system_clock_counter - from->system_clock_counter);
}

/* gfx_activity_acc and the energy in gpu_metrics only grow, and with work faster. */
TEST_F(gpu, accumulators)
{
	struct rig_signal *s;
	struct metrics_v1_3 a, b, c;

	ASSERT_TRUE(comes_to_rest());
	if (metrics_read(&a, sizeof(a)) != sizeof(a))
		SKIP(return, "this card's gpu_metrics has no accumulators");
	usleep(A_WINDOW);
	ASSERT_EQ(sizeof(b), metrics_read(&b, sizeof(b)));
	s = start_spin(self);
	usleep(A_WINDOW);
	ASSERT_TRUE(comes_to_work());
	ASSERT_EQ(sizeof(c), metrics_read(&c, sizeof(c)));
	stop_spin(self, s);
	EXPECT_EQ(a.gfx_activity_acc, b.gfx_activity_acc);
	EXPECT_LT(b.gfx_activity_acc + 60 * A_WINDOW / 1000, c.gfx_activity_acc);
	EXPECT_LT(a.energy_accumulator, b.energy_accumulator);
	EXPECT_LT(power(&a, &b), power(&b, &c));
	EXPECT_LT(0, c.gfx_activity);
}

/* A number that KFD's sysfs has for this process and GPU. */
static long long proc_number(const struct rig *r, const char *format)
{
	char path[128];
	int n = snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/", getpid());

	snprintf(path + n, sizeof(path) - n, format, r->gpu_id);
	return file_number(path);
}

TEST_F(gpu, occupancy)
{
	struct rig_signal *s;

	EXPECT_EQ(0ll, proc_number(&self->r, "stats_%u/cu_occupancy"));
	s = start_spin(self);
	EXPECT_EQ(1ll, proc_number(&self->r, "stats_%u/cu_occupancy"));
	stop_spin(self, s);
}

static long long us_since(u64 ms)
{
	return (long long)(rig_ms() - ms + 1) * 1000;
}

/* SDMA uses memory and no compute unit; its time is the process's. */
TEST_F(gpu, sdma_is_memory)
{
	u32 *src = self->words, *dst = src + 32 * RIG_PAGE / sizeof(u32);
	struct rig_sdma q = { 0 };
	long long us, busy = 0;
	u64 begin = rig_ms(), end;
	u32 i;

	ASSERT_EQ(0, rig_sdma_create(&self->r, KFD_IOC_QUEUE_TYPE_SDMA, 0, &q));
	/* The queue has worked no longer than it exists; a look at its indices is all. */
	us = proc_number(&self->r, "sdma_%u");
	EXPECT_GE(us_since(begin), us);
	EXPECT_TRUE(comes_to(dev_number, "gpu_busy_percent", 0, 0));
	/*
	 * There is always some work ahead: on a loaded machine it is long until we see the end of
	 * any, and a queue that waits for us meanwhile is idle.
	 */
	for (end = rig_ms() + NEVER_MS; busy <= 0 && rig_ms() < end;) {
		for (i = 0; i < 512; i++)
			rig_sdma_copy(&q, dst, src, 32 * RIG_PAGE);
		rig_sdma_ring(&q);
		busy = dev_number("mem_busy_percent");
	}
	EXPECT_LT(0ll, busy);
	ASSERT_TRUE(rig_sdma_run(&q));
	EXPECT_EQ(0ll, dev_number("gpu_busy_percent"));
	us = proc_number(&self->r, "sdma_%u");
	EXPECT_LT(1000ll, us);
	EXPECT_GE(us_since(begin), us);
	ASSERT_EQ(0, rig_sdma_destroy(&self->r, &q));
	EXPECT_LE(us, proc_number(&self->r, "sdma_%u"));
}

TEST_F(gpu, vram_used)
{
	long long before = dev_number("mem_info_vram_used");
	struct rig_mem m;

	ASSERT_LE(0ll, before);
	ASSERT_EQ(0, rig_alloc(&self->r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM |
			       KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC |
			       KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE, 16 << 20, &m));
	EXPECT_EQ(before + (16 << 20), dev_number("mem_info_vram_used"));
	EXPECT_EQ(before + (16 << 20), dev_number("mem_info_vis_vram_used"));
	ASSERT_EQ(0, rig_unmap(&self->r, &m));
	ASSERT_EQ(0, rig_free(&self->r, &m));
	ASSERT_EQ(0, munmap(m.p, m.bytes));
	EXPECT_EQ(before, dev_number("mem_info_vram_used"));
}

static int keep_busy(void)
{
	FIXTURE_DATA(gpu) self;
	struct rig_mem m;

	memset(&self, 0, sizeof(self));
	th_setup_gpu(NULL, &self);
	if (rig_alloc(&self.r, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC |
		      KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE, 16 << 20, &m))
		return 1;
	start_spin(&self);
	printf("busy\n");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	(void)argv;
	return argc > 1 ? keep_busy() : th_main();
}
