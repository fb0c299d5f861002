// SPDX-License-Identifier: MIT
/*
 * Another engine behind hw/engine.h: it has no waves and no registers, a work-group is a
 * number that is counted. What hw/ and backend/vgpu promise an engine, and want of it, holds
 * for this one as for the interpreter, of which nothing is linked here.
 */
#include "fake_gpu.h"
#include "tap.h"
#include "../../kmod/engine/engines.h"
#include "../../kmod/hw/engine.h"

/* Which group of a grid reports an illegal instruction instead of ending; none: U64_MAX */
static u64 illegal_group = U64_MAX;
static bool no_queues;		/* queues cannot be created */
static u32 closed;		/* groups do not end */
static u32 holds, ended, dropped, kills;

/* The engine's only thread, and the group that it has */
static struct {
	struct hw *vg;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	bool kicked, stop;
	struct gpu_vm_worker w;
	struct hw_grid *grid;
	u64 index;
} counter;

static u32 read32(u32 *p)
{
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

static void add(u32 *p)
{
	__atomic_add_fetch(p, 1, __ATOMIC_SEQ_CST);
}

static void counter_kick(struct hw *vg)
{
	pthread_mutex_lock(&counter.lock);
	counter.kicked = true;
	pthread_cond_signal(&counter.more);
	pthread_mutex_unlock(&counter.lock);
}

/* Takes the next group of any queue that runs. */
static void counter_take(struct hw *vg)
{
	struct hw_compute *vq;

	spin_lock(&vg->lock);
	vq = list_first_entry_or_null(&vg->ready, struct hw_compute, ready);
	if (vq) {
		counter.grid = list_first_entry(&vq->waits, struct hw_grid, node);
		counter.index = hw_grid_take_locked(counter.grid);
		counter.grid->resident++;
		add(&holds);
	}
	spin_unlock(&vg->lock);
}

static void counter_leave(struct hw *vg, bool finished)
{
	struct hw_grid *grid = counter.grid;
	struct hw_grid_left left;

	counter.grid = NULL;
	add(finished ? &ended : &dropped);
	spin_lock(&vg->lock);
	hw_grid_leave_locked(grid, finished, &left);
	spin_unlock(&vg->lock);
	hw_grid_left(vg, &counter.w, grid, &left);
}

/* "Runs" the group inside its queue, until it ends or has to leave. */
static void counter_turn(struct hw *vg)
{
	struct hw_compute *vq = counter.grid->vq;
	struct hw_exception x = { .kind = HW_EXC_ILLEGAL, .pc = 0x1000, .info = 0xffffffff };
	bool in;

	if (READ_ONCE(counter.grid->aborted)) {
		counter_leave(vg, false);
		return;
	}
	spin_lock(&vg->lock);
	in = hw_queue_enter_locked(&vq->hq);
	spin_unlock(&vg->lock);
	if (!in)
		return;
	if (counter.index == illegal_group) {
		hw_wave_exception(vq, &x);
	} else {
		while (read32(&closed) && hw_queue_running(&vq->hq) &&
		       !READ_ONCE(counter.grid->aborted))
			usleep(100);
		if (!read32(&closed) && !READ_ONCE(counter.grid->aborted))
			counter_leave(vg, true);
	}
	hw_queue_leave(&vq->hq);
}

static void *counter_thread(void *vg)
{
	bool stop = false;

	while (!stop) {
		if (!counter.grid)
			counter_take(vg);
		if (counter.grid)
			counter_turn(vg);
		pthread_mutex_lock(&counter.lock);
		while (!counter.grid && list_empty(&((struct hw *)vg)->ready) &&
		       !counter.kicked && !counter.stop)
			pthread_cond_wait(&counter.more, &counter.lock);
		counter.kicked = false;
		stop = counter.stop;
		pthread_mutex_unlock(&counter.lock);
		usleep(10);	/* queues that do not run are looked at again */
	}
	return NULL;
}

static int counter_init(struct hw *vg)
{
	counter.vg = vg;
	pthread_mutex_init(&counter.lock, NULL);
	pthread_cond_init(&counter.more, NULL);
	gpu_vm_worker_add(vg->gdev, &counter.w);
	return pthread_create(&counter.thread, NULL, counter_thread, vg) ? -ENOMEM : 0;
}

static void counter_fini(struct hw *vg)
{
	pthread_mutex_lock(&counter.lock);
	counter.stop = true;
	pthread_cond_signal(&counter.more);
	pthread_mutex_unlock(&counter.lock);
	pthread_join(counter.thread, NULL);
	gpu_vm_worker_del(vg->gdev, &counter.w);
}

static void counter_admit(struct hw_compute *vq, u64 groups)
{
	counter_kick(vq->vg);
}

static void counter_kill(struct hw *vg)
{
	add(&kills);
	counter_kick(vg);
}

static bool counter_trap(const struct hw_exception *x, u64 tba, u64 tma)
{
	return false;
}

static int counter_save(struct hw_compute *vq)
{
	return 0;
}

static int counter_saved(struct hw_compute *vq, u32 xcc, struct gpu_wave_state *s, u32 *stack)
{
	*s = (struct gpu_wave_state) {};
	return 0;
}

static struct hw_compute *counter_queue_create(struct hw *vg, struct gpu_queue *q)
{
	struct hw_compute *vq = no_queues ? NULL : calloc(1, sizeof(*vq));

	return vq ?: ERR_PTR(-ENOMEM);
}

static void counter_queue_destroy(struct hw_compute *vq)
{
	free(vq);
}

static bool counter_queue_idle(const struct hw_compute *vq)
{
	return true;
}

static void counter_cu_mask(struct hw_compute *vq)
{
}

static void counter_code_changed(struct hw *vg)
{
}

static u32 counter_busy_cus(struct hw *vg, const struct gpu_process *p)
{
	return 0;
}

static void counter_show(struct hw *vg, struct seq_file *m)
{
}

/* The only engine that backend/vgpu finds in this program */
const struct engine_ops interp_engine_ops = {
	.name = "counter",
	.init = counter_init,
	.fini = counter_fini,
	.admit = counter_admit,
	.run = counter_kick,
	.kill = counter_kill,
	.trap = counter_trap,
	.save = counter_save,
	.load = counter_save,
	.saved = counter_saved,
	.queue_create = counter_queue_create,
	.queue_destroy = counter_queue_destroy,
	.queue_idle_locked = counter_queue_idle,
	.cu_mask_locked = counter_cu_mask,
	.code_changed = counter_code_changed,
	.busy_cus = counter_busy_cus,
	.show = counter_show,
};

static u64 kernel(void)
{
	struct fake_insn end = { FAKE_END, 0, 0 };

	return fake_kernel(&end, 1, 0);
}

static void fresh(struct fake_process *p)
{
	holds = 0;
	ended = 0;
	dropped = 0;
	kills = 0;
	fake_process_init(p);
}

/* Waits until *@p is @want; deadlines are hang detection alone. */
static bool becomes(u32 *p, u32 want)
{
	unsigned int i;

	for (i = 0; i < 100000 && read32(p) != want; i++)
		usleep(1000);
	return read32(p) == want;
}

static void test_groups(void)
{
	struct fake_process p;
	struct fake_queue q;
	u64 *s = fake_signal(3);
	unsigned int i;

	fresh(&p);
	CHECK(!fake_queue_create(&p, 64, &q));
	for (i = 0; i < 3; i++)
		fake_dispatch(&q, kernel(), 100, 64, s, i == 1);
	CHECK(fake_wait(s, 0));
	CHECK(read32(&ended) == 300 && !read32(&dropped));
	fake_queue_destroy(&q);
}

static void test_no_queue(void)
{
	struct fake_process p;
	struct fake_queue q;

	fresh(&p);
	no_queues = true;
	CHECK(fake_queue_create(&p, 64, &q) == -ENOMEM);
	no_queues = false;
	CHECK(!fake_queue_create(&p, 64, &q));
	fake_queue_destroy(&q);
}

/* The group stays with the engine, which is out of the queue when the eviction returns. */
static void test_evict(void)
{
	struct fake_process p;
	struct fake_queue q;
	u64 *s = fake_signal(1);

	fresh(&p);
	__atomic_store_n(&closed, 1, __ATOMIC_SEQ_CST);
	CHECK(!fake_queue_create(&p, 64, &q));
	fake_dispatch(&q, kernel(), 2, 64, s, false);
	CHECK(becomes(&holds, 1));
	q.q.evicted = true;
	vgpu_backend_ops.queue_evict(&q.q);
	__atomic_store_n(&closed, 0, __ATOMIC_SEQ_CST);
	usleep(20000);
	CHECK(!read32(&ended) && !read32(&dropped) && s[1] == 1);
	q.q.evicted = false;
	vgpu_backend_ops.queue_restore(&q.q);
	CHECK(fake_wait(s, 0));
	CHECK(read32(&ended) == 2);
	fake_queue_destroy(&q);
}

/* A queue goes although a group of it never ends: the engine is told, and gives it back. */
static void test_kill(void)
{
	struct fake_process p;
	struct fake_queue q;
	u64 *s = fake_signal(1);

	fresh(&p);
	__atomic_store_n(&closed, 1, __ATOMIC_SEQ_CST);
	CHECK(!fake_queue_create(&p, 64, &q));
	fake_dispatch(&q, kernel(), 4, 64, s, false);
	CHECK(becomes(&holds, 1));
	fake_queue_destroy(&q);
	CHECK(read32(&kills) && read32(&dropped) == 1 && !read32(&ended));
	CHECK(s[1] == 1);
	__atomic_store_n(&closed, 0, __ATOMIC_SEQ_CST);
}

/* hw/ judges an exception: without a trap handler it stops the queue. */
static void test_exception(void)
{
	struct fake_process p;
	struct fake_queue q;
	u64 *s = fake_signal(1);

	fresh(&p);
	illegal_group = 1;
	CHECK(!fake_queue_create(&p, 64, &q));
	fake_dispatch(&q, kernel(), 4, 64, s, false);
	CHECK(becomes(&dropped, 1));
	CHECK(becomes((u32 *)&p.errors, 1) && p.error == GPU_QUEUE_ERR_ILLEGAL);
	CHECK(s[1] == 1 && read32(&ended) == 1);
	fake_queue_destroy(&q);
	illegal_group = U64_MAX;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	fake_init();
	printf("TAP version 13\n1..5\n");
	test_groups();
	report("groups of three dispatches");
	test_no_queue();
	report("an engine that can create no queue");
	test_evict();
	report("an eviction waits until the engine has left");
	test_kill();
	report("a queue is destroyed while the engine has a group");
	test_exception();
	report("an exception stops the queue");
	vgpu_backend_ops.fini(&fake_gdev);
	return !!test_failed;
}
