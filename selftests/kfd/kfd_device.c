// SPDX-License-Identifier: MIT
/* Version, clocks, apertures, VM, policies: what a process says of a device. */
#include "kfd_util.h"

TEST(version)
{
	struct kfd_ioctl_get_version_args v = { 0 };
	int fd = kfd_open();

	ASSERT_IOCTL(0, fd, AMDKFD_IOC_GET_VERSION, &v);
	EXPECT_EQ(1u, v.major_version);
	EXPECT_EQ(23u, v.minor_version);
}

FIXTURE(dev) {
	struct gpu g;
};

FIXTURE_SETUP(dev)
{
	gpu_open(&self->g);
}

FIXTURE_TEARDOWN(dev)
{
	close(self->g.drm);
	close(self->g.kfd);
}

TEST_F(dev, clocks_advance)
{
	struct kfd_ioctl_get_clock_counters_args a = { .gpu_id = self->g.id }, b = a;

	ASSERT_IOCTL(0, self->g.kfd, AMDKFD_IOC_GET_CLOCK_COUNTERS, &a);
	usleep(20000);
	ASSERT_IOCTL(0, self->g.kfd, AMDKFD_IOC_GET_CLOCK_COUNTERS, &b);
	EXPECT_EQ(1000000000ull, a.system_clock_freq);
	EXPECT_LT(a.gpu_clock_counter, b.gpu_clock_counter);
	EXPECT_LT(a.cpu_clock_counter, b.cpu_clock_counter);
	EXPECT_LT(a.system_clock_counter, b.system_clock_counter);
}

TEST_F(dev, clock_runs_at_100_mhz)
{
	struct kfd_ioctl_get_clock_counters_args a = { .gpu_id = self->g.id }, b = a;
	double ratio;

	ASSERT_IOCTL(0, self->g.kfd, AMDKFD_IOC_GET_CLOCK_COUNTERS, &a);
	usleep(200000);
	ASSERT_IOCTL(0, self->g.kfd, AMDKFD_IOC_GET_CLOCK_COUNTERS, &b);
	ratio = (double)(b.gpu_clock_counter - a.gpu_clock_counter) * 10 /
		(b.system_clock_counter - a.system_clock_counter);
	EXPECT_TRUE(ratio > 0.9 && ratio < 1.1);
}

TEST_F(dev, clock_of_unknown_gpu_stands)
{
	struct kfd_ioctl_get_clock_counters_args a = { .gpu_id = BAD_GPU };

	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_GET_CLOCK_COUNTERS, &a);
	EXPECT_EQ(0ull, a.gpu_clock_counter);
	EXPECT_LT(0ull, a.system_clock_counter);
}

static void expect_apertures(const struct kfd_process_device_apertures *pa)
{
	EXPECT_EQ(0x0001000000000000ull, pa->lds_base);
	EXPECT_EQ(0x00010000ffffffffull, pa->lds_limit);
	EXPECT_EQ(0x0002000000000000ull, pa->scratch_base);
	EXPECT_EQ(0x00020000ffffffffull, pa->scratch_limit);
	EXPECT_EQ(0x7fffffffffffull, pa->gpuvm_limit);
	EXPECT_LT(0ull, pa->gpuvm_base);
	EXPECT_NE(0u, pa->gpu_id);
}

TEST_F(dev, apertures)
{
	struct kfd_ioctl_get_process_apertures_args a = { 0 };
	uint32_t i;

	ASSERT_IOCTL(0, self->g.kfd, AMDKFD_IOC_GET_PROCESS_APERTURES, &a);
	ASSERT_LE(1u, a.num_of_nodes);
	for (i = 0; i < a.num_of_nodes; i++)
		expect_apertures(&a.process_apertures[i]);
	EXPECT_EQ(self->g.id, a.process_apertures[0].gpu_id);
}

TEST_F(dev, apertures_new)
{
	struct kfd_process_device_apertures pa[64];
	struct kfd_ioctl_get_process_apertures_new_args a = {
		.kfd_process_device_apertures_ptr = (uintptr_t)pa,
	};
	uint32_t i, gpus;

	/* Zero asks for the number of GPUs; the array takes all nodes' count. */
	ASSERT_IOCTL(0, self->g.kfd, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &a);
	gpus = a.num_of_nodes;
	ASSERT_LE(1u, gpus);
	a.num_of_nodes = count_nodes();
	ASSERT_IOCTL(0, self->g.kfd, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &a);
	EXPECT_EQ(gpus, a.num_of_nodes);
	for (i = 0; i < gpus; i++)
		expect_apertures(&pa[i]);

	a.num_of_nodes = count_nodes() + 1;
	EXPECT_IOCTL(EINVAL, self->g.kfd, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &a);
	a.num_of_nodes = 1;
	a.kfd_process_device_apertures_ptr = BAD_PTR;
	EXPECT_IOCTL(EFAULT, self->g.kfd, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &a);
}

TEST_F(dev, acquire_vm_again)
{
	int other = open_render(self->g.node), copy = dup(self->g.drm);

	EXPECT_EQ(0, acquire_vm(self->g.kfd, self->g.drm, self->g.id));
	EXPECT_EQ(0, acquire_vm(self->g.kfd, copy, self->g.id));
	EXPECT_EQ(EBUSY, acquire_vm(self->g.kfd, other, self->g.id));
}

TEST(acquire_vm_bad)
{
	int kfd = kfd_open(), node = gpu_node(0), drm = open_render(node);
	int null = open("/dev/null", O_RDWR);
	uint32_t id = node_gpu_id(node);

	EXPECT_EQ(EINVAL, acquire_vm(kfd, -1, id));
	EXPECT_EQ(EINVAL, acquire_vm(kfd, 9999, id));
	EXPECT_EQ(EINVAL, acquire_vm(kfd, null, id));
	EXPECT_EQ(EINVAL, acquire_vm(kfd, kfd, id));
	EXPECT_EQ(EINVAL, acquire_vm(kfd, drm, BAD_GPU));
	EXPECT_EQ(0, acquire_vm(kfd, drm, id));
}

static int child_takes_vm(void *arg)
{
	struct gpu *g = arg;
	int kfd = open("/dev/kfd", O_RDWR);

	return kfd < 0 ? errno : acquire_vm(kfd, g->drm, g->id);
}

TEST_F(dev, vm_serves_one_process)
{
	EXPECT_EQ(EINVAL, in_child(child_takes_vm, &self->g));
}

TEST(without_vm)
{
	struct kfd_ioctl_set_memory_policy_args pol = { .gpu_id = node_gpu_id(gpu_node(0)) };
	struct kfd_ioctl_set_trap_handler_args trap = { .gpu_id = pol.gpu_id };
	struct kfd_ioctl_set_scratch_backing_va_args scr = { .gpu_id = pol.gpu_id };
	struct kfd_ioctl_alloc_memory_of_gpu_args mem = {
		.gpu_id = pol.gpu_id, .size = PAGE, .flags = VRAM, .va_addr = 0x10000000,
	};
	int fd = kfd_open();

	EXPECT_IOCTL(ESRCH, fd, AMDKFD_IOC_SET_MEMORY_POLICY, &pol);
	EXPECT_IOCTL(ESRCH, fd, AMDKFD_IOC_SET_TRAP_HANDLER, &trap);
	EXPECT_IOCTL(ENODEV, fd, AMDKFD_IOC_SET_SCRATCH_BACKING_VA, &scr);
	EXPECT_IOCTL(ENODEV, fd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &mem);
}

TEST_F(dev, memory_policy)
{
	struct kfd_ioctl_set_memory_policy_args a = {
		.gpu_id = self->g.id, .default_policy = 1, .alternate_policy = 0,
		.alternate_aperture_base = 0x200000, .alternate_aperture_size = 0x7fffffe00000,
	};

	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_SET_MEMORY_POLICY, &a);
	a.default_policy = 2;
	EXPECT_IOCTL(EINVAL, self->g.kfd, AMDKFD_IOC_SET_MEMORY_POLICY, &a);
	a.default_policy = 0;
	a.alternate_policy = 2;
	EXPECT_IOCTL(EINVAL, self->g.kfd, AMDKFD_IOC_SET_MEMORY_POLICY, &a);
	a.alternate_policy = 1;
	a.gpu_id = BAD_GPU;
	EXPECT_IOCTL(EINVAL, self->g.kfd, AMDKFD_IOC_SET_MEMORY_POLICY, &a);
}

TEST_F(dev, trap_handler_and_scratch)
{
	struct kfd_ioctl_set_trap_handler_args t = { .gpu_id = self->g.id, .tba_addr = 0x100000 };
	struct kfd_ioctl_set_scratch_backing_va_args s = { .gpu_id = self->g.id, .va_addr = 0x7f00 };

	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_SET_TRAP_HANDLER, &t);
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_SET_SCRATCH_BACKING_VA, &s);
	t.gpu_id = BAD_GPU;
	s.gpu_id = BAD_GPU;
	EXPECT_IOCTL(EINVAL, self->g.kfd, AMDKFD_IOC_SET_TRAP_HANDLER, &t);
	EXPECT_IOCTL(EINVAL, self->g.kfd, AMDKFD_IOC_SET_SCRATCH_BACKING_VA, &s);
}

TEST_F(dev, tile_config)
{
	uint32_t tile[40], macro[40];
	struct kfd_ioctl_get_tile_config_args a = {
		.gpu_id = self->g.id, .num_tile_configs = 40, .num_macro_tile_configs = 40,
		.tile_config_ptr = (uintptr_t)tile, .macro_tile_config_ptr = (uintptr_t)macro,
	};

	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_GET_TILE_CONFIG, &a);
	EXPECT_EQ(32u, a.num_tile_configs);
	EXPECT_EQ(16u, a.num_macro_tile_configs);
	EXPECT_NE(0u, a.gb_addr_config);
	a.tile_config_ptr = BAD_PTR;
	EXPECT_IOCTL(EFAULT, self->g.kfd, AMDKFD_IOC_GET_TILE_CONFIG, &a);
	EXPECT_EQ(0u, a.num_tile_configs);
	a.gpu_id = BAD_GPU;
	EXPECT_IOCTL(EINVAL, self->g.kfd, AMDKFD_IOC_GET_TILE_CONFIG, &a);
}

TEST_F(dev, xnack_mode)
{
	struct kfd_ioctl_set_xnack_mode_args a = { .xnack_enabled = -1 };

	/* What switching it on does is in kfd_svm.c. */
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_SET_XNACK_MODE, &a);
	EXPECT_EQ(0, a.xnack_enabled);
	EXPECT_IOCTL(0, self->g.kfd, AMDKFD_IOC_SET_XNACK_MODE, &a);
}

static int profiler_pmc(int fd, uint32_t gpu_id, uint32_t lock)
{
	struct kfd_ioctl_profiler_args a = {
		.op = KFD_IOC_PROFILER_PMC,
		.pmc = { .gpu_id = gpu_id, .lock = lock, .perfcount_enable = lock },
	};

	return kfd_err(fd, AMDKFD_IOC_PROFILER, &a);
}

TEST(profiler)
{
	struct kfd_ioctl_profiler_args a = { .op = KFD_IOC_PROFILER_VERSION };
	int fd = kfd_open();

	EXPECT_IOCTL(0, fd, AMDKFD_IOC_PROFILER, &a);
	EXPECT_EQ(1u, a.version);
	EXPECT_EQ((uint32_t)KFD_IOC_PROFILER_VERSION, a.op);
	a.op = 1;
	EXPECT_IOCTL(EINVAL, fd, AMDKFD_IOC_PROFILER, &a);
	a.op = 4711;
	EXPECT_IOCTL(EINVAL, fd, AMDKFD_IOC_PROFILER, &a);
}

/* No GPU has a limit of peak operations: there is none to lift. */
TEST(profiler_peak_limit)
{
	struct kfd_ioctl_profiler_args a = { .op = KFD_IOC_PROFILER_PTL_CONTROL };
	int fd = kfd_open();

	a.ptl.gpu_id = node_gpu_id(gpu_node(0));
	EXPECT_IOCTL(EOPNOTSUPP, fd, AMDKFD_IOC_PROFILER, &a);
	a.ptl.enable = 1;
	EXPECT_IOCTL(0, fd, AMDKFD_IOC_PROFILER, &a);
	a.ptl.gpu_id = BAD_GPU;
	EXPECT_IOCTL(EINVAL, fd, AMDKFD_IOC_PROFILER, &a);
}

static int child_profiles(void *arg)
{
	uint32_t id = *(uint32_t *)arg;
	int fd = kfd_open();

	if (profiler_pmc(fd, id, 1) != EBUSY || profiler_pmc(fd, id, 0) != EINVAL)
		return 1;
	return 0;
}

static int child_keeps_lock(void *arg)
{
	return profiler_pmc(kfd_open(), *(uint32_t *)arg, 1);
}

static int child_without_rights(void *arg)
{
	int fd = kfd_open();

	if (setreuid(65534, 65534))
		return 1;
	return profiler_pmc(fd, *(uint32_t *)arg, 1) == EPERM ? 0 : 1;
}

TEST(profiler_lock)
{
	uint32_t id = node_gpu_id(gpu_node(0));
	int fd = kfd_open();

	EXPECT_EQ(EINVAL, profiler_pmc(fd, BAD_GPU, 1));
	EXPECT_EQ(EINVAL, profiler_pmc(fd, id, 0));
	EXPECT_EQ(EINVAL, profiler_pmc(fd, id, 2));
	EXPECT_EQ(0, in_child(child_without_rights, &id));
	ASSERT_EQ(0, profiler_pmc(fd, id, 1));
	EXPECT_EQ(EALREADY, profiler_pmc(fd, id, 1));
	EXPECT_EQ(0, in_child(child_profiles, &id));
	EXPECT_EQ(0, profiler_pmc(fd, id, 0));
	EXPECT_EQ(EINVAL, profiler_pmc(fd, id, 0));
	/* Whoever has it and ends gives it back. */
	EXPECT_EQ(0, in_child(child_keeps_lock, &id));
	EXPECT_EQ(0, profiler_pmc(fd, id, 1));
	EXPECT_EQ(0, profiler_pmc(fd, id, 0));
}

static int child_checkpoints(void *arg)
{
	struct kfd_ioctl_criu_args a = { .op = KFD_CRIU_OP_PROCESS_INFO };
	int fd = kfd_open();

	(void)arg;
	if (setreuid(65534, 65534))
		return 1;
	return kfd_err(fd, AMDKFD_IOC_CRIU_OP, &a) == EACCES ? 0 : 1;
}

/* Who may not is told so first. The rest is queue_criu's. */
TEST(criu)
{
	struct kfd_ioctl_criu_args a = { .op = KFD_CRIU_OP_CHECKPOINT };
	int fd = kfd_open();

	EXPECT_IOCTL(EINVAL, fd, AMDKFD_IOC_CRIU_OP, &a);
	a.op = KFD_CRIU_OP_RESTORE;
	EXPECT_IOCTL(EINVAL, fd, AMDKFD_IOC_CRIU_OP, &a);
	a.op = KFD_CRIU_OP_UNPAUSE;
	EXPECT_IOCTL(EINVAL, fd, AMDKFD_IOC_CRIU_OP, &a);
	a.op = KFD_CRIU_OP_RESUME + 1;
	EXPECT_IOCTL(EINVAL, fd, AMDKFD_IOC_CRIU_OP, &a);
	EXPECT_EQ(0, in_child(child_checkpoints, NULL));
}

TEST_HARNESS_MAIN
