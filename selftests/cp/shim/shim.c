// SPDX-License-Identifier: MIT
/* See shim.h. */
#include "shim.h"

static __thread struct task_struct *current_task;

void shim_wait_init(wait_queue_head_t *q)
{
	pthread_condattr_t a;

	pthread_mutex_init(&q->m, NULL);
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&q->c, &a);
	q->seq = 0;
	q->waiters = 0;
}

void shim_wait(wait_queue_head_t *q, u64 seq, u64 ns)
{
	u64 end = ktime_get_ns() + ns;
	struct timespec ts = { end / 1000000000ull, end % 1000000000ull };

	pthread_mutex_lock(&q->m);
	if (q->seq == seq)
		pthread_cond_timedwait(&q->c, &q->m, &ts);
	pthread_mutex_unlock(&q->m);
}

void wake_up(wait_queue_head_t *q)
{
	pthread_mutex_lock(&q->m);
	__atomic_fetch_add(&q->seq, 1, __ATOMIC_SEQ_CST);
	pthread_cond_broadcast(&q->c);
	pthread_mutex_unlock(&q->m);
}

static void *thread_main(void *arg)
{
	struct task_struct *t = arg;

	current_task = t;
	t->fn(t->arg);
	return NULL;
}

struct task_struct *shim_kthread_create(int (*fn)(void *arg), void *arg)
{
	struct task_struct *t = calloc(1, sizeof(*t));

	t->fn = fn;
	t->arg = arg;
	return t;
}

void wake_up_process(struct task_struct *t)
{
	if (pthread_create(&t->t, NULL, thread_main, t))
		abort();
}

int kthread_stop(struct task_struct *t)
{
	__atomic_store_n(&t->stop, true, __ATOMIC_SEQ_CST);
	pthread_join(t->t, NULL);
	free(t);
	return 0;
}

bool kthread_should_stop(void)
{
	return current_task && __atomic_load_n(&current_task->stop, __ATOMIC_SEQ_CST);
}

int shim_simd(void)
{
	const char *env = getenv("SHIM_SIMD");
	int level = __builtin_cpu_supports("avx512bw") ? 2 :
		    __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 1 : 0;

	return env ? min(level, atoi(env)) : level;
}
