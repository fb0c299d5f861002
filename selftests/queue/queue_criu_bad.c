// SPDX-License-Identifier: MIT
/*
 * Checkpoints that are no checkpoints, and processes that end in the middle of one. Private data
 * comes from a file: whatever is in it, RESTORE refuses it, and takes back what it had made, or
 * makes a process that can be killed.
 */
#define _GNU_SOURCE
#include <dirent.h>

#include "../kfd/file_util.h"
#include "criu_worker.h"

#define DELAY		"/sys/module/vkfd/parameters/race_delay_us"
#define BAD_PTR		16ul

static u32 open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	u32 n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

/* RESTORE in a process of its own; what it answered */
static int try_restore(struct dump *d, int (*body)(struct dump *d, int kfd))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		int drm[32], kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);

		load_nodes(d, drm);
		_exit(-body(d, kfd) & 0xff);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -ECHILD;
	return -WEXITSTATUS(status);
}

static int plain(struct dump *d, int kfd)
{
	return criu_op(kfd, KFD_CRIU_OP_RESTORE, &d->args);
}

#define REFUSED(err, place, bad) do {					\
	__typeof__(place) was_ = (place);				\
									\
	(place) = (bad);						\
	EXPECT_EQ(try_restore(&self->d, plain), -(err));		\
	(place) = was_;							\
} while (0)

static struct dump_priv {
	u32 version, xnack;
} *process_of(struct dump *d)
{
	return d->priv;
}

TEST_F(criu, sizes_and_counts)
{
	struct kfd_ioctl_criu_args *a = &self->d.args;

	dump_all(self);
	REFUSED(EINVAL, a->num_devices, 0);
	REFUSED(EINVAL, a->num_devices, a->num_devices + 1);
	REFUSED(EINVAL, a->num_devices, ~0u);
	REFUSED(EINVAL, a->num_bos, a->num_bos + 1);
	REFUSED(EINVAL, a->num_bos, a->num_bos - 1);
	REFUSED(EINVAL, a->num_bos, ~0u);
	REFUSED(EINVAL, a->num_objects, a->num_objects + 1);
	REFUSED(EINVAL, a->num_objects, a->num_objects - 1);
	REFUSED(EINVAL, a->num_objects, ~0u);
	REFUSED(EINVAL, a->priv_data_size, 0);
	REFUSED(EINVAL, a->priv_data_size, 7);
	REFUSED(EINVAL, a->priv_data_size, a->priv_data_size - 8);
	REFUSED(EINVAL, a->priv_data_size, a->priv_data_size + 8);
	REFUSED(ENOMEM, a->priv_data_size, 1ull << 40);
	REFUSED(ENOMEM, a->priv_data_size, ~0ull);
	REFUSED(EINVAL, a->devices, 0);
	REFUSED(EINVAL, a->bos, 0);
	REFUSED(EINVAL, a->priv_data, 0);
	REFUSED(EFAULT, a->devices, BAD_PTR);
	REFUSED(EFAULT, a->bos, BAD_PTR);
	REFUSED(EFAULT, a->priv_data, BAD_PTR);
	/* That of the real driver: what follows would not be ours. */
	REFUSED(EINVAL, process_of(&self->d)->version, 1);
	REFUSED(EINVAL, process_of(&self->d)->version, process_of(&self->d)->version + 1);
	REFUSED(EINVAL, process_of(&self->d)->xnack, 2);
	EXPECT_EQ(try_restore(&self->d, plain), 0);
	EXPECT_TRUE(other_process_works());
}

TEST_F(criu, devices_and_buffers)
{
	struct kfd_criu_device_bucket *dev = self->d.devices;
	struct kfd_criu_bo_bucket *bo = self->d.bos;

	dump_all(self);
	REFUSED(EINVAL, dev[0].user_gpu_id, 0);
	REFUSED(EINVAL, dev[0].actual_gpu_id, dev[0].actual_gpu_id ^ 0x1234);
	REFUSED(ENODEV, bo[0].gpu_id, bo[0].gpu_id ^ 0x1234);
	REFUSED(EINVAL, bo[0].size, 0);
	REFUSED(EINVAL, bo[0].size, 100);
	REFUSED(ENOMEM, bo[0].size, 1ull << 60);
	REFUSED(EINVAL, bo[0].alloc_flags, 0);
	REFUSED(EINVAL, bo[0].alloc_flags, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL);
	REFUSED(EINVAL, bo[0].alloc_flags, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP);
	/* Two at one place */
	EXPECT_EQ(bo[0].gpu_id, bo[1].gpu_id);
	REFUSED(EINVAL, bo[1].addr, bo[0].addr);
	EXPECT_EQ(try_restore(&self->d, plain), 0);
}

/* A render node that is none, and a descriptor that nobody has */
static int wrong_file(struct dump *d, int kfd)
{
	d->devices[0].drm_fd = kfd;
	return plain(d, kfd);
}

static int no_file(struct dump *d, int kfd)
{
	d->devices[0].drm_fd = 1000;
	return plain(d, kfd);
}

static int twice(struct dump *d, int kfd)
{
	return plain(d, kfd) ? -1 : plain(d, kfd);
}

static int acquired_before(struct dump *d, int kfd)
{
	struct kfd_ioctl_acquire_vm_args vm = {
		.drm_fd = d->devices[0].drm_fd, .gpu_id = d->devices[0].actual_gpu_id,
	};

	return ioctl(kfd, AMDKFD_IOC_ACQUIRE_VM, &vm) ? -1 : plain(d, kfd);
}

/* Has the process any queue, or VRAM? */
static bool has_nothing(const struct dump *d)
{
	char path[128];
	long bytes = -1;
	u32 n = 0;
	FILE *f;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/queues", getpid());
	dir = opendir(path);
	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/vram_%u", getpid(), d->gpu_id);
	f = fopen(path, "r");
	if (f && fscanf(f, "%ld", &bytes) != 1)
		bytes = -1;
	if (f)
		fclose(f);
	return n == 2 && !bytes;
}

/* All of it is made; then there is no room for what is told. What was made is gone. */
static int undone(struct dump *d, int kfd)
{
	u32 files = open_files();
	void *ro = mmap(NULL, sizeof(d->bos), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kfd_ioctl_create_event_args ev = { .event_type = KFD_IOC_EVENT_SIGNAL };
	int ret;

	memcpy(ro, d->bos, sizeof(d->bos));
	mprotect(ro, sizeof(d->bos), PROT_READ);
	d->args.bos = (uintptr_t)ro;
	ret = plain(d, kfd);
	if (ret != -EFAULT)
		return -1;
	if (!has_nothing(d) || open_files() != files)
		return -2;
	/* It is a process like any other, with an address space. */
	if (ioctl(kfd, AMDKFD_IOC_CREATE_EVENT, &ev) || ev.event_id != 1)
		return -3;
	d->args.pid = getpid();
	return criu_op(kfd, KFD_CRIU_OP_RESUME, &d->args) == -EINVAL ? 0 : -4;
}

/* Of the process; @mode -1 only asks. A negative errno: it has none, or not this one. */
static int xnack_mode(int kfd, int mode)
{
	struct kfd_ioctl_set_xnack_mode_args a = { .xnack_enabled = mode };

	return ioctl(kfd, AMDKFD_IOC_SET_XNACK_MODE, &a) ? -errno : a.xnack_enabled;
}

/* Where it ends before anything is made, and where all has been made */
static int keeps_its_mode(struct dump *d, int kfd)
{
	struct kfd_criu_device_bucket *dev = d->devices;
	u32 drm = dev->drm_fd;
	int first = xnack_mode(kfd, -1), ret;

	dev->drm_fd = kfd;
	if (plain(d, kfd) != -EINVAL || xnack_mode(kfd, -1) != first)
		return -1;
	dev->drm_fd = drm;
	ret = undone(d, kfd);
	if (ret)
		return ret - 10;
	return xnack_mode(kfd, -1) == first ? 0 : -2;
}

TEST_F(criu, the_xnack_mode_comes_back)
{
	u32 *mode;
	int kfd;

	kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	if (xnack_mode(kfd, -1) < 0 || xnack_mode(kfd, 1) < 0)
		SKIP(return, "this GPU has no XNACK mode");
	EXPECT_EQ(xnack_mode(kfd, 0), 0);
	close(kfd);
	dump_all(self);
	mode = &process_of(&self->d)->xnack;
	EXPECT_EQ(*mode, 0u);
	*mode = 1;
	EXPECT_EQ(try_restore(&self->d, keeps_its_mode), 0);
}

TEST_F(criu, processes_that_may_not_be_restored)
{
	dump_all(self);
	EXPECT_EQ(try_restore(&self->d, wrong_file), -EINVAL);
	EXPECT_EQ(try_restore(&self->d, no_file), -EINVAL);
	EXPECT_EQ(try_restore(&self->d, twice), -EINVAL);
	EXPECT_EQ(try_restore(&self->d, acquired_before), -EINVAL);
	EXPECT_EQ(try_restore(&self->d, undone), 0);
	EXPECT_TRUE(other_process_works());
}

/* As it is, or with something else in one place; then it runs for a moment. */
static int run_for_a_moment(struct dump *d, int kfd)
{
	struct kfd_ioctl_criu_args a = { .pid = getpid() };

	if (plain(d, kfd) || load_memory(d))
		return 0;
	criu_op(kfd, KFD_CRIU_OP_RESUME, &a);
	usleep(2000);
	return 0;
}

/* Every word of it in turn would take minutes, and hosts differ. */
TEST_F(criu, any_word_wrong)
{
	static const u32 bad[] = { 0, 1, ~0u, 0x80000000, 0x7fffffff, 63, 64, 0x10000 };
	u32 *words, n, i, at, was;
	unsigned int seed = getenv("VKFD_SEED") ? atoi(getenv("VKFD_SEED")) : 1;
	u64 end = rig_ms() + 8 * RIG_SECOND;

	dump_all(self);
	words = self->d.priv;
	n = self->d.args.priv_data_size / 4;
	for (i = 0; i < 600 && (i < 30 || rig_ms() < end); i++) {
		at = rand_r(&seed) % n;
		was = words[at];
		words[at] = i % 2 ? was ^ 1u << rand_r(&seed) % 32 :
				    bad[rand_r(&seed) % (sizeof(bad) / sizeof(bad[0]))];
		EXPECT_EQ(try_restore(&self->d, run_for_a_moment), 0);
		words[at] = was;
	}
	EXPECT_TRUE(other_process_works());
}

/* ---------------------------------------------------- of the process that is saved */

TEST_F(criu, wrong_order_and_wrong_callers)
{
	struct dump *d = &self->d;
	struct kfd_ioctl_criu_args a, *args = &d->args;
	u32 files;

	d->args = (struct kfd_ioctl_criu_args){
		.devices = (uintptr_t)d->devices, .bos = (uintptr_t)d->bos,
		.priv_data = (uintptr_t)d->bos, .num_devices = 1,
	};
	EXPECT_EQ(criu_op(d->kfd, KFD_CRIU_OP_CHECKPOINT, args), -EINVAL);
	EXPECT_EQ(criu_op(d->kfd, KFD_CRIU_OP_UNPAUSE, args), -EINVAL);
	ASSERT_EQ(dump_info(d), 0);
	files = open_files();
	a = *args;
	a.num_bos++;
	EXPECT_EQ(criu_op(d->kfd, KFD_CRIU_OP_CHECKPOINT, &a), -EINVAL);
	a = *args;
	a.num_objects--;
	EXPECT_EQ(criu_op(d->kfd, KFD_CRIU_OP_CHECKPOINT, &a), -EINVAL);
	a = *args;
	a.priv_data_size += 8;
	EXPECT_EQ(criu_op(d->kfd, KFD_CRIU_OP_CHECKPOINT, &a), -EINVAL);
	a = *args;
	a.bos = BAD_PTR;
	EXPECT_EQ(criu_op(d->kfd, KFD_CRIU_OP_CHECKPOINT, &a), -EFAULT);
	a = *args;
	a.priv_data = BAD_PTR;
	EXPECT_EQ(criu_op(d->kfd, KFD_CRIU_OP_CHECKPOINT, &a), -EFAULT);
	EXPECT_EQ(open_files(), files);
	/* Memory of another process cannot be made its own. */
	EXPECT_EQ(criu_op(d->kfd, KFD_CRIU_OP_RESTORE, args), -EBADF);
	EXPECT_EQ(criu_op(d->kfd, KFD_CRIU_OP_RESUME + 1, args), -EINVAL);
	/* Who does not trace it may not even ask. */
	ASSERT_EQ(ptrace(PTRACE_DETACH, self->pid, 0, 0), 0);
	EXPECT_EQ(criu_op(d->kfd, KFD_CRIU_OP_PROCESS_INFO, &a), -EBADF);
	a.pid = self->pid;
	EXPECT_EQ(criu_op(d->kfd, KFD_CRIU_OP_RESUME, &a), -EBADF);
}

TEST_F(criu, a_process_that_is_gone)
{
	struct kfd_ioctl_criu_args a;

	ASSERT_EQ(dump_info(&self->d), 0);
	a = self->d.args;
	kill(self->pid, SIGKILL);
	ASSERT_EQ(waitpid(self->pid, NULL, 0), self->pid);
	EXPECT_EQ(criu_op(self->d.kfd, KFD_CRIU_OP_CHECKPOINT, &a), -EBADF);
	a.pid = self->pid;
	self->pid = 0;
	close(self->d.kfd);
	self->d.kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	EXPECT_EQ(criu_op(self->d.kfd, KFD_CRIU_OP_RESUME, &a), -ESRCH);
	EXPECT_TRUE(other_process_works());
}

/* All stages of saving, again and again */
static int save_and_drop(struct dump *d)
{
	int ret = dump_info(d);
	u32 i;

	d->used = 0;
	if (!ret)
		ret = criu_op(d->kfd, KFD_CRIU_OP_CHECKPOINT, &d->args);
	if (ret)
		return ret;
	for (i = 0; i < d->args.num_bos; i++)
		if (d->bos[i].dmabuf_fd != ~0u)
			close(d->bos[i].dmabuf_fd);
	return criu_op(d->kfd, KFD_CRIU_OP_UNPAUSE, &d->args);
}

/* Another process kills it while it is being saved, at any time. */
TEST_F(criu, it_ends_meanwhile)
{
	u32 i;

	ASSERT_EQ(save_and_drop(&self->d), 0);
	for (i = 0; i < 12; i++) {
		pid_t killer = fork();

		if (!killer) {
			usleep(i * 300);
			kill(self->pid, SIGKILL);
			_exit(0);
		}
		while (!save_and_drop(&self->d))
			;
		waitpid(killer, NULL, 0);
		waitpid(self->pid, NULL, 0);
		close(self->d.kfd);
		self->pid = start_worker(self->said, worker);
		ASSERT_GT(self->pid, 0);
		self->d.used = 0;
		ASSERT_EQ(dump_seize(&self->d, self->pid, self->said->r.kfd), 0);
	}
	EXPECT_TRUE(other_process_works());
}

/*
 * The GPU is reset while it is being saved: its queues, and their groups, end at any time. Kernels
 * that look for mistakes are slow where groups are looked at.
 */
TEST_F(criu, the_gpu_is_reset_meanwhile)
{
	u32 i;
	int ret;

	if (waves_in_user_mode())
		SKIP(return, "waves in user mode are not saved");
	for (i = 0; i < 8; i++) {
		pid_t resetter = fork();

		if (!resetter) {
			usleep(5000 + i * 7000);
			_exit(file_write("/sys/kernel/debug/kfd/0/inject/reset", "hang"));
		}
		file_write(DELAY, "10000");
		while (waitpid(resetter, NULL, WNOHANG) != resetter) {
			ret = dump_info(&self->d);
			EXPECT_TRUE(!ret || ret == -EAGAIN);
			self->d.used = 0;
		}
		file_write(DELAY, "0");
		/* What has been lost is part of the image. */
		EXPECT_EQ(dump_info(&self->d), 0);
		EXPECT_EQ(dump_checkpoint(&self->d), 0);
		kill_worker(self);
		self->d.used = 0;
		self->pid = start_worker(self->said, worker);
		ASSERT_GT(self->pid, 0);
		ASSERT_EQ(dump_seize(&self->d, self->pid, self->said->r.kfd), 0);
	}
	EXPECT_TRUE(other_process_works());
}

/* The new process is killed while it is being restored, at any time. */
TEST_F(criu, the_new_one_ends_meanwhile)
{
	u32 i;

	dump_all(self);
	for (i = 0; i < 60; i++) {
		pid_t pid = fork();

		if (!pid) {
			struct kfd_ioctl_criu_args a = { .pid = getpid() };

			restore(&self->d, self->said);
			criu_op(self->said->r.kfd, KFD_CRIU_OP_RESUME, &a);
			for (;;)
				pause();
		}
		usleep(i * 150);
		kill(pid, SIGKILL);
		ASSERT_EQ(waitpid(pid, NULL, 0), pid);
	}
	EXPECT_TRUE(other_process_works());
}

TEST_HARNESS_MAIN
