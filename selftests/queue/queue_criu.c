// SPDX-License-Identifier: MIT
/*
 * Checkpoints (CRIU_OP), made and restored as CRIU's amdgpu plugin does it (criu_util.h): a kernel
 * that is in the middle of its work goes on in another process, and so does what queues wait for.
 */
#define _GNU_SOURCE
#include "../kfd/file_util.h"
#include "criu_worker.h"
#include "gone.h"

static u32 svm_granularity(struct said *s)
{
	struct {
		struct kfd_ioctl_svm_args a;
		struct kfd_ioctl_svm_attribute attr;
	} a = {
		.a = { .start_addr = (uintptr_t)s->shared, .size = 4 * RIG_PAGE,
		       .op = KFD_IOCTL_SVM_OP_GET_ATTR, .nattr = 1 },
		.attr = { KFD_IOCTL_SVM_ATTR_GRANULARITY, 0 },
	};

	if (rig_ioctl(&s->r, _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20, sizeof(a)), &a))
		return ~0u;
	return a.attr.value;
}

/* Which GPU the process's queue is on, by its real name */
static u32 queue_gpu(u32 id)
{
	char path[96];
	u32 gpu = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/queues/%u/gpuid", getpid(), id);
	f = fopen(path, "r");
	if (f && fscanf(f, "%u", &gpu) != 1)
		gpu = 0;
	if (f)
		fclose(f);
	return gpu;
}

#define MUST(cond)	do {						\
	if (!(cond)) {							\
		TH_LOG("not so: %s", #cond);				\
		return __LINE__ & 0x7f;					\
	}								\
} while (0)

/* Everything goes on: waves with their registers, packets behind, queues that waited. */
static int goes_on(struct said *s, u32 gpu)
{
	u32 *w = s->data.p, i, id, slot;

	MUST(s->kernel->value == 1);
	MUST(queue_gpu(s->q.id) == gpu);
	for (i = 0; i < WORD_BYTES / 4; i++)
		MUST(((u32 *)s->vram.p)[i] == i * 7 + 3);
	MUST(w[SUM] == 0 && w[3] == 0);
	w[0] = 1;
	MUST(rig_wait(s->kernel, 0, RIG_LONG));
	MUST(keep_right(s));
	MUST(!rig_event_wait(&s->r, s->event, RIG_LONG, NULL));
	MUST(rig_wait(s->behind, 0, RIG_LONG));
	for (i = 0; i < 64; i++)
		MUST(w[SUM + i] == 5);
	MUST(*s->sdma.fences != s->fence);
	w[1] = 1;
	MUST(rig_sdma_wait(&s->sdma, s->fence, RIG_LONG));
	MUST(w[3] == 0);
	w[2] = 1;
	MUST(rig_wait32(&w[3], 77, RIG_LONG));
	/* And all of it takes new work, with ids that are not the old ones. */
	MUST(!rig_load(&s->r));
	MUST(queue_works(&s->r, &s->q, &w[SUM]));
	MUST(queue_works(&s->r, &s->q, s->shared));
	MUST(svm_granularity(s) == 5);
	MUST(!rig_event(&s->r, KFD_IOC_EVENT_SIGNAL, &id, &slot) && id != s->event);
	rig_sdma_copy(&s->sdma, s->vram.p, s->data.p, RIG_PAGE);
	MUST(rig_sdma_run(&s->sdma));
	MUST(!memcmp(s->vram.p, s->data.p, RIG_PAGE));
	MUST(!rig_queue_destroy(&s->r, &s->q) && !rig_sdma_destroy(&s->r, &s->sdma));
	MUST(!pm4_destroy(&s->r, &s->pm4));
	return 0;
}

static int resume(pid_t pid)
{
	struct kfd_ioctl_criu_args a = { .pid = pid };
	int kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	int ret = criu_op(kfd, KFD_CRIU_OP_RESUME, &a);

	close(kfd);
	return ret;
}

static int pm4_goes_on(struct said *s, u32 gpu)
{
	u32 *w = s->data.p, n = w[1];

	MUST(queue_gpu(s->pm4.id) == gpu);
	MUST(rig_wait32(&w[1], n + 1, RIG_LONG));
	MUST(w[2] == 0);
	w[0] = 1;
	MUST(rig_wait32(&w[2], 77, RIG_LONG));
	PM4_SUBMIT(&s->pm4, PM4_WRITE(&w[3], 5));
	MUST(rig_wait32(&w[3], 5, RIG_LONG));
	return 0;
}

/* The new process, which does @body; it is resumed by this one. Its exit status. */
static int run_restored(FIXTURE_DATA(criu) *self, int (*body)(struct said *s, u32 gpu))
{
	struct said *s = self->said;
	int status;
	pid_t pid;

	fflush(stdout);
	s->ready = s->go = 0;
	pid = fork();
	if (!pid) {
		int ret = restore(&self->d, s);

		s->ready = 1;
		while (!ret && !s->go)
			usleep(1000);
		ret = ret ?: body(s, self->d.devices[gpu_at(&self->d)].actual_gpu_id);
		fflush(stdout);
		_exit(ret);
	}
	while (!s->ready)
		usleep(1000);
	usleep(20000);
	EXPECT_EQ(resume(pid), 0);
	EXPECT_EQ(resume(pid), -EINVAL);
	s->go = 1;
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define KERNEL_ENGINE()	do {						\
	if (waves_in_user_mode())					\
		SKIP(return, "waves in user mode are not saved");	\
} while (0)

TEST_F(criu, a_kernel_goes_on_in_another_process)
{
	KERNEL_ENGINE();
	dump_all(self);
	EXPECT_EQ(run_restored(self, goes_on), 0);
}

TEST_F(criu, a_kernel_of_pm4_goes_on)
{
	KERNEL_ENGINE();
	kill_worker(self);
	self->pid = start_worker(self->said, worker_pm4);
	ASSERT_GT(self->pid, 0);
	ASSERT_EQ(dump_seize(&self->d, self->pid, self->said->r.kfd), 0);
	self->d.doorbells = (uintptr_t)self->said->r.doorbells;
	dump_all(self);
	EXPECT_EQ(run_restored(self, pm4_goes_on), 0);
}

/* What was on the first GPU is to go on on the second one. */
static void exchange_gpus(FIXTURE_DATA(criu) *self)
{
	struct kfd_criu_device_bucket *dev = self->d.devices;
	u32 id = dev[0].actual_gpu_id;

	dev[0].actual_gpu_id = dev[1].actual_gpu_id;
	dev[1].actual_gpu_id = id;
}

/* On another GPU of the same kind, which the process knows by the name of the old one. */
TEST_F(criu, on_another_gpu)
{
	KERNEL_ENGINE();
	dump_all(self);
	if (self->d.args.num_devices < 2)
		SKIP(return, "one GPU");
	exchange_gpus(self);
	EXPECT_EQ(run_restored(self, goes_on), 0);
}

/* When that one is taken away, the process hears of the old one. */
static int is_told_of_a_loss(struct said *s, u32 gpu)
{
	struct kfd_event_data d;
	char function[32];
	u32 event, slot;
	int ret;

	MUST(gpu != s->r.gpu_id);
	MUST(!rig_event(&s->r, KFD_IOC_EVENT_HW_EXCEPTION, &event, &slot));
	function_of(s->r.drm, function);
	MUST(!file_write(DRIVER "/unbind", function));
	ret = rig_event_wait(&s->r, event, RIG_LONG, &d);
	MUST(!file_write(DRIVER "/bind", function));
	MUST(!ret && d.hw_exception_data.gpu_id == s->r.gpu_id);
	return 0;
}

TEST_F(criu, a_lost_gpu_has_its_old_name)
{
	mode_t mode = nodes_mode(0);

	KERNEL_ENGINE();
	if (!have_unbind())
		SKIP(return, "GPUs are no PCI functions");
	dump_all(self);
	if (self->d.args.num_devices < 2)
		SKIP(return, "one GPU");
	exchange_gpus(self);
	EXPECT_EQ(run_restored(self, is_told_of_a_loss), 0);
	nodes_mode(mode);
}

/* The old process goes on; its exit status. */
static int worker_ends(FIXTURE_DATA(criu) *self)
{
	int status;

	self->said->go = 1;
	ASSERT_EQ(ptrace(PTRACE_DETACH, self->pid, 0, 0), 0);
	ASSERT_EQ(waitpid(self->pid, &status, 0), self->pid);
	self->pid = 0;
	return status;
}

/* The old process does, too. */
TEST_F(criu, unpaused)
{
	KERNEL_ENGINE();
	ASSERT_EQ(dump_info(&self->d), 0);
	ASSERT_EQ(dump_checkpoint(&self->d), 0);
	ASSERT_EQ(dump_info(&self->d), 0);	/* it is paused already */
	ASSERT_EQ(criu_op(self->d.kfd, KFD_CRIU_OP_UNPAUSE, &self->d.args), 0);
	EXPECT_EQ(criu_op(self->d.kfd, KFD_CRIU_OP_UNPAUSE, &self->d.args), -EINVAL);
	EXPECT_EQ(worker_ends(self), 0);
}

/* They are not lost by it. */
TEST_F(criu, waves_in_user_mode_are_refused)
{
	if (!waves_in_user_mode())
		SKIP(return, "waves run in the kernel");
	EXPECT_EQ(dump_info(&self->d), -EOPNOTSUPP);
	EXPECT_EQ(criu_op(self->d.kfd, KFD_CRIU_OP_UNPAUSE, &self->d.args), -EINVAL);
	EXPECT_EQ(worker_ends(self), 0);
}

TEST_HARNESS_MAIN
