// SPDX-License-Identifier: MIT
/*
 * The virtual GPU's threads on the host: what may never happen whatever the
 * timing. The kernel's own code (hw/, engine/interp/) against scripted waves.
 */
#include "vgpu_rig.h"
#include "../../kmod/engine/interp/interp.h"

unsigned int test_no, test_failed, checks_failed;

u32 *counter(void)
{
	return fake_alloc(PAGE_SIZE);
}

u32 get(u32 *p)
{
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

u64 cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

/* A minute of our own: the machine may be busy with other tests. */
bool differs(u32 *p, u32 seen)
{
	u64 end = cpu_time_ns() + 60 * 1000000000ull;
	unsigned int i;

	for (i = 0; i < 60000 || (i < 300000 && cpu_time_ns() < end); i++) {
		if (get(p) != seen)
			return true;
		usleep(1000);
	}
	return false;
}

bool starts(u32 *p)
{
	return differs(p, 0);
}

u64 kernel_add(u32 *p)
{
	struct fake_insn prog[] = {
		{ FAKE_BARRIER, 0, 0 }, { FAKE_ADD, 1, (uintptr_t)p }, { FAKE_END, 0, 0 },
	};

	return fake_kernel(prog, 3, 1024);
}

u64 kernel_until(u32 op, u32 *alive, u32 *stop, u32 n)
{
	struct fake_insn prog[] = {
		{ FAKE_ADD, 1, (uintptr_t)alive }, { op, n, (uintptr_t)stop },
		{ FAKE_END, 0, 0 },
	};

	return fake_kernel(prog, 3, 1024);
}

static void test_many_dispatches(void)
{
	struct fake_process p;
	struct fake_queue q;
	u32 *n = counter(), i;
	u64 k = kernel_add(n), *s = fake_signal(20000), t;

	fake_process_init(&p);
	CHECK(!fake_queue_create(&p, 64, &q));
	t = ktime_get_ns();
	for (i = 0; i < 20000; i++)
		fake_dispatch(&q, k, 1, 64, s, false);
	CHECK(fake_wait(s, 0));
	t = ktime_get_ns() - t;
	CHECK(get(n) == 20000);
	printf("# %llu ns per dispatch\n", (unsigned long long)t / 20000);
	fake_queue_destroy(&q);
}

static void test_latency(void)
{
	struct fake_process p;
	struct fake_queue q;
	u32 *n = counter(), i;
	u64 k = kernel_add(n), *s = fake_signal(0), t = 0, start;

	fake_process_init(&p);
	CHECK(!fake_queue_create(&p, 64, &q));
	for (i = 0; i < 2000; i++) {
		if (i % 20 == 0)
			usleep(500);	/* asleep and armed */
		s[1] = 1;
		start = ktime_get_ns();
		fake_dispatch(&q, k, 1, 64, s, true);
		CHECK(fake_wait(s, 0));
		t += ktime_get_ns() - start;
	}
	printf("# %llu ns from doorbell to signal\n", (unsigned long long)t / 2000);
	fake_queue_destroy(&q);
}

static void test_groups(void)
{
	struct fake_process p;
	struct fake_queue q;
	u32 *n = counter();
	u64 *s = fake_signal(3);

	fake_process_init(&p);
	CHECK(!fake_queue_create(&p, 64, &q));
	fake_dispatch(&q, kernel_add(n), 5000, 64, s, false);
	fake_dispatch(&q, kernel_add(n), 1, 1024, s, false);
	fake_dispatch(&q, kernel_add(n), 300, 250, s, true);
	CHECK(fake_wait(s, 0));
	CHECK(get(n) == 5000 + 16 + 300 * 4);
	fake_queue_destroy(&q);
}

static void test_meet(void)
{
	struct fake_process p;
	struct fake_queue q;
	u32 *n = counter();
	u64 *s = fake_signal(1);

	fake_process_init(&p);
	CHECK(!fake_queue_create(&p, 64, &q));
	fake_dispatch(&q, kernel_until(FAKE_MEET, n, n, 100), 100, 64, s, false);
	CHECK(fake_wait(s, 0));
	fake_queue_destroy(&q);
}

static void test_destroy_spinning(void)
{
	struct fake_process p;
	struct fake_queue q;
	unsigned int i;

	fake_process_init(&p);
	for (i = 0; i < 20; i++) {
		u32 *alive = counter(), *stop = counter();
		u64 t;

		CHECK(!fake_queue_create(&p, 64, &q));
		fake_dispatch(&q, kernel_until(i & 1 ? FAKE_SPIN : FAKE_YIELD_UNTIL,
					       alive, stop, 0), 1 + i, 128, NULL, false);
		CHECK(starts(alive));
		t = cpu_ns();
		fake_queue_destroy(&q);
		CHECK(cpu_ns() - t < SOON_NS);
	}
}

static void test_pause(void)
{
	struct gpu_queue_props off, on;
	struct fake_process p;
	struct fake_queue q;
	u32 *n = counter(), *stop = counter(), seen;
	struct fake_insn prog[] = {
		{ FAKE_WORK, 1000, 0 }, { FAKE_ADD, 1, (uintptr_t)n }, { FAKE_END, 0, 0 },
	};
	u64 *s = fake_signal(1);

	(void)stop;
	fake_process_init(&p);
	CHECK(!fake_queue_create(&p, 64, &q));
	on = off = q.q.props;
	off.percentage = 0;
	fake_dispatch(&q, fake_kernel(prog, 3, 0), 20000, 64, s, false);
	CHECK(starts(n));
	CHECK(!vgpu_backend_ops.queue_update(&q.q, &off));
	seen = get(n);
	usleep(20000);
	CHECK(get(n) == seen);
	CHECK(!vgpu_backend_ops.queue_update(&q.q, &on));
	CHECK(fake_wait(s, 0));
	CHECK(get(n) == 20000);
	fake_queue_destroy(&q);
}

/*
 * The signal's page is there, its mailbox is not for longer than a second: kernels of
 * others go on, the value is decremented once, and nothing is a fault.
 */
static void test_late_mailbox(void)
{
	enum { N = 6 };
	struct fake_queue q[N], other;
	struct fake_process p[N], p2;
	u32 *n = counter(), *m = counter(), i, rounds = 0, tries;
	u64 *s[N], *mailbox[N], *t = fake_signal(1), add = kernel_add(m), until;

	fake_process_init(&p2);
	CHECK(!fake_queue_create(&p2, 64, &other));
	for (i = 0; i < N; i++) {
		fake_process_init(&p[i]);
		CHECK(!fake_queue_create(&p[i], 64, &q[i]));
		mailbox[i] = fake_alloc(PAGE_SIZE);
		s[i] = fake_signal(5);
		s[i][2] = (uintptr_t)mailbox[i];
		s[i][3] = 17 + i;
		fake_late(&p[i], mailbox[i]);
		fake_dispatch(&q[i], kernel_add(n), 1, 64, s[i], false);
	}
	/*
	 * Hundreds; on a machine that is very busy, fewer. If they waited for the page: one or two,
	 * each time. A host that has no time for us at all has some later.
	 */
	for (tries = 0; tries < 5 && rounds <= 5; tries++) {
		until = ktime_get_ns() + 1500000000ull;
		for (rounds = 0; ktime_get_ns() < until; rounds++) {
			t[1] = 1;
			fake_dispatch(&other, add, 1, 64, t, false);
			CHECK(fake_wait(t, 0));
		}
	}
	printf("# %u kernels beside\n", rounds);
	CHECK(rounds > 5);
	for (i = 0; i < N; i++) {
		CHECK(!mailbox[i][0]);
		fake_unmap(&p[i], mailbox[i], false);
		CHECK(fake_wait(mailbox[i] - 1, 17 + i));
		CHECK(fake_wait(s[i], 4));
		fake_queue_destroy(&q[i]);
		CHECK(p[i].events == 1 && !p[i].faults && !p[i].hw_exceptions);
	}
	CHECK(get(n) == N);
	fake_queue_destroy(&other);
}

static void test_more_queues_than_slots(void)
{
	enum { N = 12 };
	struct hw *vg = fake_gdev.backend_priv;
	struct interp *ip = to_interp(vg);
	struct fake_process p[2];
	struct fake_queue q[N], other;
	u32 *alive[N], *stop = counter(), *n = counter(), i;
	u64 *s = fake_signal(N), *done = fake_signal(1);

	fake_process_init(&p[0]);
	fake_process_init(&p[1]);
	for (i = 0; i < N; i++) {
		alive[i] = counter();
		CHECK(!fake_queue_create(&p[i % 2], 64, &q[i]));
		fake_dispatch(&q[i], kernel_until(FAKE_SPIN, alive[i], stop, 0), 1000, 64, s,
			      false);
	}
	for (i = 0; i < N; i++)
		CHECK(starts(alive[i]));
	CHECK(!fake_queue_create(&p[0], 64, &other));
	fake_dispatch(&other, kernel_add(n), 4, 64, done, false);
	CHECK(fake_wait(done, 0));
	/* In one turn of the scheduler, under the lock: each of them once. */
	CHECK(READ_ONCE(vg->sched_looks) >= N && READ_ONCE(vg->sched_looks) <= N + 1);
	/* To find a group, a worker looks at those that have a slot. */
	CHECK(READ_ONCE(ip->pick_looks) && READ_ONCE(ip->pick_looks) <= fake_gdev.target->cp_queues);
	__atomic_store_n(stop, 1, __ATOMIC_SEQ_CST);
	CHECK(fake_wait(s, 0));
	for (i = 0; i < N; i++)
		fake_queue_destroy(&q[i]);
	fake_queue_destroy(&other);
}

/*
 * Groups that take a semaphore in turns and work while they have it, the first from
 * when all of them are there: sections that the one worker needed from then on.
 */
static u64 semaphore_sections(u32 groups)
{
	struct hw *vg = fake_gdev.backend_priv;
	struct interp *ip = to_interp(vg);
	struct interp_worker *w = &ip->workers[0];
	u32 *n = counter(), *go = counter(), i, mask = 0;
	u64 *s = fake_signal(2), sections;
	struct fake_process p;
	struct fake_queue q;
	struct fake_insn init[] = {
		{ FAKE_GWS, ISA_GWS_INIT | 1 << 16, 0 }, { FAKE_END, 0, 0 },
	};
	struct fake_insn prog[] = {
		{ FAKE_GWS, ISA_GWS_SEMA_P, 0 }, { FAKE_SPIN, 0, (uintptr_t)go },
		{ FAKE_WORK, 100000, 0 }, { FAKE_ADD, 1, (uintptr_t)n },
		{ FAKE_GWS, ISA_GWS_SEMA_V, 0 }, { FAKE_END, 0, 0 },
	};

	for (i = 0; i < 32; i += ip->nworkers)
		mask |= 1u << i;
	fake_process_init(&p);
	CHECK(!fake_queue_create(&p, 64, &q));
	q.q.gws = 64;
	CHECK(!vgpu_backend_ops.queue_cu_mask(&q.q, &mask, 32));
	fake_dispatch(&q, fake_kernel(init, 2, 0), 1, 64, s, true);
	fake_dispatch(&q, fake_kernel(prog, 6, 0), groups, 64, s, true);
	for (i = 0; i < 20000 && READ_ONCE(w->nresident) != groups; i++)
		usleep(1000);
	CHECK(READ_ONCE(w->nresident) == groups);
	usleep(20000);
	sections = READ_ONCE(w->n.sections);
	__atomic_store_n(go, 1, __ATOMIC_SEQ_CST);
	CHECK(fake_wait(s, 0));
	CHECK(get(n) == groups);
	sections = READ_ONCE(w->n.sections) - sections;
	fake_queue_destroy(&q);
	return sections;
}

static u32 groups_on(struct fake_queue *q, u32 n, u32 worker)
{
	struct hw *vg = fake_gdev.backend_priv;
	u32 i, sum = 0;

	spin_lock(&vg->lock);
	for (i = 0; i < n; i++)
		sum += to_interp_queue(q[i].q.priv)->on_worker[worker].groups;
	spin_unlock(&vg->lock);
	return sum;
}

/*
 * Endless kernels that are all on one worker; then any may have them. How long that takes is up to
 * the machine. Once each has about half of them, it stays so, but for one where the machine has given
 * one of the workers less of its time.
 */
static void test_balance(void)
{
	enum { N = 8 };
	struct hw *vg = fake_gdev.backend_priv;
	u32 mask[HW_MAX_CUS / 32], *alive[N], *stop = counter(), i, j, moved;
	struct fake_process p;
	struct fake_queue q[N];

	fake_process_init(&p);
	for (i = 0; i < N; i++) {
		alive[i] = counter();
		CHECK(!fake_queue_create(&p, 64, &q[i]));
		memset(mask, 0, sizeof(mask));
		for (j = 0; j < vg->ncus; j += to_interp(vg)->nworkers)
			mask[j / 32] |= 1u << j % 32;
		CHECK(!vgpu_backend_ops.queue_cu_mask(&q[i].q, mask, HW_MAX_CUS));
		fake_dispatch(&q[i], kernel_until(FAKE_SPIN, alive[i], stop, 0), 1, 64, NULL,
			      false);
		CHECK(starts(alive[i]));
	}
	memset(mask, 0xff, sizeof(mask));
	for (i = 0; i < N; i++)
		CHECK(!vgpu_backend_ops.queue_cu_mask(&q[i].q, mask, HW_MAX_CUS));
	for (i = 0, moved = 0; i < 60000 && moved < N / 2 - 1; i++) {
		usleep(1000);
		moved = groups_on(q, N, 1);
	}
	CHECK(moved >= N / 2 - 1);
	for (i = 0; i < 300 && moved >= N / 2 - 2 && moved <= N / 2 + 2; i++) {
		usleep(1000);
		moved = groups_on(q, N, 1);
	}
	printf("# %u of %u on the other worker\n", moved, N);
	CHECK(moved >= N / 2 - 2 && moved <= N / 2 + 2);
	for (i = 0; i < N; i++)
		fake_queue_destroy(&q[i]);
	spin_lock(&vg->lock);
	for (i = 0; i < to_interp(vg)->nworkers; i++)
		CHECK(!to_interp(vg)->workers[i].load);
	spin_unlock(&vg->lock);
}

/* Endless work-groups with all registers, of more queues than there is memory for. */
static void test_many_large_groups(void)
{
	enum { N = 64 };
	u32 *alive[N], *stop = counter(), *n = counter(), i;
	struct fake_queue *q = calloc(N, sizeof(*q)), other;
	u64 k, kernel[N], *s = fake_signal(1);
	struct fake_process p;

	fake_process_init(&p);
	for (i = 0; i < N; i++) {
		alive[i] = counter();
		k = kernel_until(FAKE_SPIN, alive[i], stop, 0);
		*(u32 *)(uintptr_t)(k + 48) = 0x3f;	/* VGPRs */
		CHECK(!fake_queue_create(&p, 64, &q[i]));
		kernel[i] = k;
	}
	/* The youngest come first; the oldest have brought no block. */
	for (i = N; i--;) {
		fake_dispatch(&q[i], kernel[i], 1, 256, NULL, false);
		CHECK(starts(alive[i]));
	}
	CHECK(!fake_queue_create(&p, 64, &other));
	k = kernel_add(n);
	*(u32 *)(uintptr_t)(k + 48) = 0x3f;
	fake_dispatch(&other, k, 10, 256, s, false);
	CHECK(fake_wait(s, 0) && get(n) == 40);
	fake_queue_destroy(&other);
	for (i = 0; i < N; i++)
		fake_queue_destroy(&q[i]);
	free(q);
}

/*
 * Two queues of a process whose cgroup has no room, and there are two workers: two groups run in
 * the blocks that serve everybody, the others wait, and go on when there is room again.
 */
static void test_no_room(void)
{
	u32 *alive = counter(), *stop = counter(), *n = counter(), i;
	u64 *s = fake_signal(1), *t = fake_signal(1);
	struct fake_queue q, other;
	struct fake_process p;

	fake_process_init(&p);
	CHECK(!fake_queue_create(&p, 64, &q) && !fake_queue_create(&p, 64, &other));
	__atomic_store_n(&fake_no_room, true, __ATOMIC_SEQ_CST);
	fake_dispatch(&q, kernel_until(FAKE_SPIN, alive, stop, 0), 8, 64, s, false);
	for (i = 0; i < 10000 && get(alive) < 2; i++)
		usleep(1000);
	fake_dispatch(&other, kernel_add(n), 10, 64, t, false);
	usleep(200000);
	CHECK(get(alive) == 2 && !get(n));
	__atomic_store_n(&fake_no_room, false, __ATOMIC_SEQ_CST);
	CHECK(fake_wait(t, 0) && get(n) == 10);
	__atomic_store_n(stop, 1, __ATOMIC_SEQ_CST);
	CHECK(fake_wait(s, 0) && get(alive) == 8);
	fake_queue_destroy(&q);
	fake_queue_destroy(&other);
}

/*
 * The first group waits, so the worker that has run the second one finds no scratch for the third,
 * and sleeps. Then the first one ends, and its worker goes on with the third, which waits. Does
 * somebody begin the fourth? If the second one was faster, the first one ends, and there is scratch
 * for the third: that is not what is to be seen, and does not count in *@met.
 */
static bool scratch_of_xccs(struct fake_queue *q, u32 *met)
{
	struct interp *ip = to_interp(fake_gdev.backend_priv);
	u32 *n = counter(), *go[2] = { counter(), counter() }, i;
	u64 *s = fake_signal(1);
	bool begun;
	struct fake_insn prog[] = {
		{ FAKE_ADD, 1, (uintptr_t)n }, { FAKE_SPIN, 1, (uintptr_t)go[0] },
		{ FAKE_SPIN, 3, (uintptr_t)go[1] }, { FAKE_END, 0, 0 },
	};

	fake_private = 16;
	fake_dispatch(q, fake_kernel(prog, 4, 0), 4, 64, s, false);
	fake_private = 0;
	for (i = 0; i < 10000 && get(n) < 3; i++) {
		if (get(n) == 2 && READ_ONCE(ip->work_wq.waiters) == 1) {
			++*met;
			break;
		}
		usleep(1000);
	}
	__atomic_store_n(go[0], 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < 10000 && get(n) < 4; i++)
		usleep(1000);
	begun = get(n) == 4;
	__atomic_store_n(go[1], 1, __ATOMIC_SEQ_CST);
	CHECK(fake_wait(s, 0) && get(n) == 4);
	return begun;
}

/*
 * Scratch for one wave on each of two XCCs. A worker that found none for the next group is woken
 * when another one has gone on to where there is some.
 */
static void test_scratch_of_xccs(void)
{
	struct hw *vg = fake_gdev.backend_priv;
	struct interp *ip = to_interp(vg);
	u64 grow_ns = ip->grow_ns;
	struct fake_process p;
	struct fake_queue q;
	bool begun = true;
	u32 i, met = 0;

	fake_process_init(&p);
	CHECK(!fake_queue_create(&p, 64, &q));
	*(u32 *)(q.amd + 140) = 1 << 12 | 1;	/* compute_tmpring_size: a wave, a KiB */
	fake_xccs = 2;
	for (i = 0; i < vg->ncus; i++)
		vg->cus[i].xcc = i & 1;
	/* No worker takes two groups because none of them ends. */
	WRITE_ONCE(ip->grow_ns, ~0ull >> 1);
	for (i = 0; i < 1000 && met < 20 && begun; i++)
		begun = scratch_of_xccs(&q, &met);
	WRITE_ONCE(ip->grow_ns, grow_ns);
	printf("# %u of 20 times, in %u rounds\n", begun ? met : met - 1, i);
	CHECK(begun && met);
	fake_queue_destroy(&q);
	for (i = 0; i < vg->ncus; i++)
		vg->cus[i].xcc = 0;
	fake_xccs = 0;
}

/* A hundred that wait cost the one that has the semaphore no turns. */
static void test_semaphore(void)
{
	enum { N = 128 };	/* as many as half of the GPU has room for */
	u64 alone = semaphore_sections(1), all = semaphore_sections(N);

	printf("# %llu sections alone, %llu of %u groups\n", (unsigned long long)alone,
	       (unsigned long long)all, N);
	CHECK(all < 10 * N * (alone + 1));
}

static void test_fault(void)
{
	struct fake_process p, good;
	struct fake_queue q[2], ok;
	u32 *bad = counter(), *stop = counter(), *alive = counter(), *n = counter(), i;
	u64 *s = fake_signal(1);

	fake_process_init(&p);
	fake_process_init(&good);
	for (i = 0; i < 2; i++)
		CHECK(!fake_queue_create(&p, 64, &q[i]));
	CHECK(!fake_queue_create(&good, 64, &ok));
	fake_dispatch(&q[0], kernel_until(FAKE_SPIN, alive, stop, 0), 8, 64, s, false);
	CHECK(starts(alive));
	fake_unmap(&p, bad, true);
	fake_dispatch(&q[1], kernel_add(bad), 64, 64, s, false);
	for (i = 0; i < 10000 && !get(&p.faults); i++)
		usleep(1000);
	CHECK(get(&p.faults) == 1);
	CHECK((p.fault_va & PAGE_MASK) == (uintptr_t)bad);
	CHECK(s[1] == 1);
	fake_dispatch(&ok, kernel_add(n), 64, 64, s, false);
	CHECK(fake_wait(s, 0));
	for (i = 0; i < 2; i++)
		fake_queue_destroy(&q[i]);
	fake_queue_destroy(&ok);
	CHECK(get(&good.faults) == 0);
}

static void test_exceptions(void)
{
	enum { ROUNDS = 2000 };
	static const struct {
		struct fake_insn in;
		u64 code;
		enum gpu_queue_error error;
	} rows[] = {
		{ { FAKE_ILLEGAL, 0, 0 }, CP_ERR_ILLEGAL, GPU_QUEUE_ERR_ILLEGAL },
		{ { FAKE_TRAP, 2, 0 }, CP_ERR_TRAP, GPU_QUEUE_ERR_TRAP },
	};
	typeof(&rows[0]) row;
	struct fake_process p;
	struct fake_queue q;
	bool ok = true;
	unsigned int i;
	u64 *inactive;

	fake_process_init(&p);
	/* Often: the CP thread may look just before the last worker leaves the queue. */
	for (i = 0; i < ROUNDS && ok; i++) {
		row = &rows[i % ARRAY_SIZE(rows)];
		CHECK(!fake_queue_create(&p, 64, &q));
		inactive = (u64 *)(q.amd + 1024);
		/* its page is not resident when the error is to be written */
		fake_dispatch(&q, fake_kernel(&row->in, 1, 0), 500, 256, NULL, false);
		fake_unmap(&p, q.amd, false);
		ok = fake_wait(inactive, row->code);
		fake_queue_destroy(&q);
		ok &= get(&p.errors) == i + 1 && p.error == row->error;
	}
	CHECK(ok);
}

/* Pages come and go under running waves; nothing is lost. */
static void test_shootdown(void)
{
	struct fake_process p;
	struct fake_queue q;
	u32 *n = counter(), i;
	u64 *s = fake_signal(1);
	struct fake_insn prog[] = {
		{ FAKE_ADD, 1, (uintptr_t)n }, { FAKE_WORK, 50, 0 },
		{ FAKE_ADD, 1, (uintptr_t)n }, { FAKE_END, 0, 0 },
	};

	fake_process_init(&p);
	CHECK(!fake_queue_create(&p, 64, &q));
	fake_dispatch(&q, fake_kernel(prog, 4, 0), 20000, 128, s, false);
	for (i = 0; i < 2000; i++) {
		fake_unmap(&p, n, false);
		if (i % 50 == 0)
			usleep(100);
	}
	CHECK(fake_wait(s, 0));
	CHECK(get(n) == 20000 * 2 * 2);
	fake_queue_destroy(&q);
}

struct submitter {
	pthread_t t;
	struct fake_process *p;
	bool ok;
};

static void *submit_loop(void *arg)
{
	struct submitter *me = arg;
	unsigned int round, i;
	struct fake_queue q;
	static pthread_mutex_t set_up = PTHREAD_MUTEX_INITIALIZER;

	me->ok = true;
	for (round = 0; round < 20; round++) {
		u32 *n;
		u64 k, *s;

		pthread_mutex_lock(&set_up);
		n = counter();
		k = kernel_add(n);
		s = fake_signal(100);
		me->ok &= !fake_queue_create(me->p, 32, &q);
		pthread_mutex_unlock(&set_up);
		for (i = 0; i < 100; i++)
			fake_dispatch(&q, k, 1 + i % 3, 64, s, i & 1);
		if (round % 4)
			me->ok &= fake_wait(s, 0) && get(n) == 199;
		fake_queue_destroy(&q);
	}
	return NULL;
}

static void test_create_submit_destroy(void)
{
	struct fake_process p[3];
	struct submitter s[3];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		fake_process_init(&p[i]);
		s[i].p = &p[i];
		pthread_create(&s[i].t, NULL, submit_loop, &s[i]);
	}
	for (i = 0; i < 3; i++) {
		pthread_join(s[i].t, NULL);
		CHECK(s[i].ok);
	}
}

int main(void)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} tests[] = {
		{ "20000 dispatches of one group", test_many_dispatches },
		{ "doorbells after sleep", test_latency },
		{ "groups, waves and barriers add up", test_groups },
		{ "barriers that are signalled first and waited for later", test_split_barriers },
		{ "no LDS has what waves had there before", test_clean_lds },
		{ "no VGPR has what another kernel left", test_clean_rows },
		{ "work-groups that wait for each other", test_meet },
		{ "destroy with a spinning kernel", test_destroy_spinning },
		{ "pause and resume", test_pause },
		{ "evict and restore", test_evict },
		{ "changed while evicted", test_change_evicted },
		{ "destroyed while evicted", test_destroy_evicted },
		{ "evicted while it waits for a page", test_evict_waiting },
		{ "a mailbox whose page is late", test_late_mailbox },
		{ "more spinning queues than slots", test_more_queues_than_slots },
		{ "queues of a busy worker move to an idle one", test_balance },
		{ "a block for each of many queues", test_many_large_groups },
		{ "no memory for more work-groups", test_no_room },
		{ "scratch of two XCCs keeps two workers busy", test_scratch_of_xccs },
		{ "waves that wait for a semaphore stand aside", test_semaphore },
		{ "a fault stops one process", test_fault },
		{ "exceptions stop the queue", test_exceptions },
		{ "pages taken away while waves run", test_shootdown },
		{ "three threads create, submit, destroy", test_create_submit_destroy },
	};
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	fake_init();
	printf("TAP version 13\n1..%zu\n", ARRAY_SIZE(tests) + 1);
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		tests[i].fn();
		report(tests[i].name);
	}
	vgpu_backend_ops.fini(&fake_gdev);
	CHECK(list_empty(&fake_gdev.workers));
	report("the threads end");
	return !!test_failed;
}
