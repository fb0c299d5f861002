/* SPDX-License-Identifier: MIT */
/*
 * As much of the kernel as hw/ and engine/interp/ use, on threads of a process, so that
 * the protocol between CP thread, workers and front end runs under ThreadSan
 * and at native speed. Force-included; the linux/ headers next to it are links
 * to it. Semantics that matter are kept: locks, wait queues (a condition is
 * looked at after the waiter is visible), stop flags of threads.
 */
#ifndef VGPU_SHIM_H
#define VGPU_SHIM_H

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "../../../kmod/isa/isa_env.h"

/* The kernel's are no data races; ThreadSanitizer must be told. */
#undef READ_ONCE
#undef WRITE_ONCE
#define READ_ONCE(x)	__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELAXED)

#define TASK_COMM_LEN	16
#define msecs_to_jiffies(ms) (ms)
#define HZ		100
#define MAX_SCHEDULE_TIMEOUT ((long)(~0ul >> 1))
#define jiffies		((unsigned long)(ktime_get_ns() / (NSEC_PER_SEC / HZ)))
#define time_before(a, b) ((long)((a) - (b)) < 0)
#define fatal_signal_pending(task) false
#define PAGE_SHIFT	12
#define PAGE_SIZE	4096ul
#define PAGE_MASK	(~(PAGE_SIZE - 1))
typedef unsigned int gfp_t;
typedef struct { unsigned int val; } kuid_t;
#define GFP_KERNEL	0
#define GFP_KERNEL_ACCOUNT 0
#define U64_MAX		(~0ull)
#define NSEC_PER_USEC	1000ull
#define NSEC_PER_MSEC	1000000ull
#define NSEC_PER_SEC	1000000000ull
#define ENOTSUPP	524
#define GENMASK_ULL(h, l) ((~0ull << (l)) & (~0ull >> (63 - (h))))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
/* From a page on the kernel's allocator aligns to pages; the engine counts on 64. */
static inline void *shim_pages(size_t n)
{
	size_t bytes = (n + 63) & ~(size_t)63;
	void *p = aligned_alloc(64, bytes);

	return p ? memset(p, 0, bytes) : NULL;
}

#define ALIGN(x, a)	(((x) + (a) - 1) / (a) * (a))
#define PTR_ALIGN(p, a)	((__typeof__(p))ALIGN((uintptr_t)(p), (uintptr_t)(a)))
#define min(a, b)	((a) < (b) ? (a) : (b))
#define max(a, b)	((a) > (b) ? (a) : (b))
#define min_t(t, a, b)	min((t)(a), (t)(b))
#define clamp_t(t, v, l, h) ((t)(v) < (t)(l) ? (t)(l) : (t)(v) > (t)(h) ? (t)(h) : (t)(v))
#define struct_size(p, m, n) (sizeof(*(p)) + sizeof((p)->m[0]) * (n))
#define container_of(p, t, m) ((t *)((char *)(p) - offsetof(t, m)))
#define IS_ERR(p)	((uintptr_t)(p) >= (uintptr_t)-4095)
#define PTR_ERR(p)	((long)(p))
#define ERR_PTR(e)	((void *)(long)(e))
#define IS_ERR_OR_NULL(p) (!(p) || IS_ERR(p))
#define lockdep_assert_held(l) ((void)(l))
#define IS_ENABLED(option) 0	/* PREEMPT_RT */
#define pr_info(...)	printf("# " __VA_ARGS__)
#define pr_err		pr_info
#define pr_info_ratelimited(...) ((void)0)
#define pr_warn_ratelimited(...) ((void)0)
#define kzalloc(n, f)	calloc(1, n)
#define kvzalloc(n, f)	shim_pages(n)
#define kcalloc(n, s, f) calloc(n, s)
#define kvcalloc(n, s, f) calloc(n, s)
#define kfree		free
#define kvfree		free
#define cmpxchg(p, o, n) ({						\
	__typeof__(*(p)) _o = (o);					\
	__atomic_compare_exchange_n(p, &_o, n, false, __ATOMIC_SEQ_CST,	\
				    __ATOMIC_SEQ_CST);			\
	_o; })
#define div_u64(a, b)	((a) / (b))
#define div64_u64(a, b)	((a) / (b))
#define mul_u64_u32_div(a, mul, b) ((u64)((unsigned __int128)(a) * (mul) / (b)))
#define cond_resched()	((void)0)
#define cond_resched_tasks_rcu_qs() ((void)0)
#define cpu_relax()	__builtin_ia32_pause()
#define usleep_range(a, b) usleep(a)
#define kernel_fpu_begin() ((void)0)
#define kernel_fpu_end() ((void)0)
#define num_online_cpus() 2u
#define boot_cpu_has(f)	((f) <= shim_simd())
#define cpu_has_xfeatures(m, n) true
#define cpuid(a, b, c, d, e) ((void)(b), (void)(c), (void)(d), (void)(e))
#define WARN_ON_ONCE(c)	((void)(c))
/* What must not happen ends a test. */
#define WARN_ONCE(c, ...) ({						\
	if (c) {							\
		fprintf(stderr, __VA_ARGS__);				\
		abort();						\
	}								\
})

/* The remainder; the quotient stays in @n. */
#define do_div(n, base) ({						\
	u32 rem_ = (n) % (base);					\
									\
	(n) /= (base);							\
	rem_;								\
})
static inline u64 div_u64_rem(u64 a, u32 b, u32 *rem)
{
	*rem = a % b;
	return a / b;
}

static inline u64 ktime_get_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}
#define ktime_get_boottime_ns() ktime_get_ns()
#define ns_to_ktime(n)	(n)

/* Module parameters: nothing sets them here. */
struct kernel_param;
struct kernel_param_ops {
	int (*set)(const char *val, const struct kernel_param *kp);
	int (*get)(char *buf, const struct kernel_param *kp);
};
#define module_param(n, t, p) _Static_assert(1, "")
#define module_param_cb(n, ops, a, p) \
	static const struct kernel_param_ops *const param_##n __maybe_unused = ops
#define MODULE_PARM_DESC(n, d) _Static_assert(1, "")
#define sysfs_emit(buf, ...) sprintf(buf, __VA_ARGS__)
#define sysfs_match_string(a, v) ((void)(v), 0)

/* Lists */
struct list_head {
	struct list_head *next, *prev;
};
#define INIT_LIST_HEAD(l) ((l)->next = (l)->prev = (l))
#define LIST_HEAD(l)	struct list_head l = { &(l), &(l) }
#define list_empty(l)	(READ_ONCE((l)->next) == (l))
#define list_entry	container_of
#define list_first_entry(l, t, m) list_entry((l)->next, t, m)
#define list_for_each_entry(p, l, m)					\
	for (p = list_entry((l)->next, __typeof__(*p), m); &p->m != (l);	\
	     p = list_entry(p->m.next, __typeof__(*p), m))
#define list_first_entry_or_null(l, t, m) (list_empty(l) ? NULL : list_first_entry(l, t, m))
#define list_for_each_entry_reverse(p, l, m)				\
	for (p = list_entry((l)->prev, __typeof__(*p), m); &p->m != (l);	\
	     p = list_entry(p->m.prev, __typeof__(*p), m))
#define list_for_each_entry_safe(p, n, l, m)				\
	for (p = list_entry((l)->next, __typeof__(*p), m),		\
	     n = list_entry(p->m.next, __typeof__(*p), m); &p->m != (l);	\
	     p = n, n = list_entry(n->m.next, __typeof__(*n), m))

static inline void list_add(struct list_head *e, struct list_head *at)
{
	e->next = at->next;
	e->prev = at;
	at->next->prev = e;
	WRITE_ONCE(at->next, e);
}

static inline void list_add_tail(struct list_head *e, struct list_head *l)
{
	list_add(e, l->prev);
}

static inline void list_del(struct list_head *e)
{
	e->next->prev = e->prev;
	WRITE_ONCE(e->prev->next, e->next);
}

static inline void list_del_init(struct list_head *e)
{
	list_del(e);
	INIT_LIST_HEAD(e);
}

static inline void list_move_tail(struct list_head *e, struct list_head *l)
{
	list_del(e);
	list_add_tail(e, l);
}

static inline void list_splice_init(struct list_head *from, struct list_head *to)
{
	while (!list_empty(from)) {
		struct list_head *e = from->next;

		list_del(e);
		list_add(e, to);
	}
}

/* Locks */
typedef pthread_rwlock_t rwlock_t;
#define rwlock_init(l) pthread_rwlock_init(l, NULL)
#define read_lock(l) pthread_rwlock_rdlock(l)
#define read_unlock(l) pthread_rwlock_unlock(l)
#define write_lock(l) pthread_rwlock_wrlock(l)
#define write_unlock(l) pthread_rwlock_unlock(l)

typedef pthread_mutex_t spinlock_t;
#define spin_lock_init(l) pthread_mutex_init(l, NULL)
#define spin_lock	pthread_mutex_lock
#define spin_unlock	pthread_mutex_unlock
typedef spinlock_t raw_spinlock_t;
#define raw_spin_lock_init spin_lock_init
#define raw_spin_lock	spin_lock
#define raw_spin_unlock	spin_unlock
struct mutex {
	pthread_mutex_t m;
};
#define mutex_init(l)	pthread_mutex_init(&(l)->m, NULL)
#define mutex_destroy(l) pthread_mutex_destroy(&(l)->m)
#define mutex_lock(l)	pthread_mutex_lock(&(l)->m)
#define mutex_unlock(l)	pthread_mutex_unlock(&(l)->m)

/* Atomics */
typedef struct { int v; } atomic_t;
typedef struct { s64 v; } atomic64_t;
#define atomic_read(a)	__atomic_load_n(&(a)->v, __ATOMIC_RELAXED)
#define atomic_read_acquire(a) __atomic_load_n(&(a)->v, __ATOMIC_ACQUIRE)
#define atomic_set(a, n) __atomic_store_n(&(a)->v, n, __ATOMIC_RELAXED)
#define atomic_inc(a)	((void)__atomic_fetch_add(&(a)->v, 1, __ATOMIC_SEQ_CST))
#define atomic64_read	atomic_read
#define atomic64_inc	atomic_inc
#define atomic64_add(n, a) ((void)__atomic_fetch_add(&(a)->v, n, __ATOMIC_SEQ_CST))
#define atomic64_sub(n, a) ((void)__atomic_fetch_sub(&(a)->v, n, __ATOMIC_SEQ_CST))

/* Wait queues: who waits is counted before the condition is looked at. */
typedef struct {
	pthread_mutex_t m;
	pthread_cond_t c;
	u64 seq;
	int waiters;
} wait_queue_head_t;

void shim_wait_init(wait_queue_head_t *q);
void shim_wait(wait_queue_head_t *q, u64 seq, u64 ns);
void wake_up(wait_queue_head_t *q);
#define init_waitqueue_head shim_wait_init
#define wake_up_nr(q, n) ((void)(n), wake_up(q))
#define waitqueue_active(q) (__atomic_load_n(&(q)->waiters, __ATOMIC_SEQ_CST) != 0)
#define SHIM_WAIT(q, cond, ns, once) do {					\
	__atomic_fetch_add(&(q).waiters, 1, __ATOMIC_SEQ_CST);			\
	for (;;) {								\
		u64 seq_ = __atomic_load_n(&(q).seq, __ATOMIC_SEQ_CST);		\
		if (cond)							\
			break;							\
		shim_wait(&(q), seq_, ns);					\
		if (once)							\
			break;							\
	}									\
	__atomic_fetch_sub(&(q).waiters, 1, __ATOMIC_SEQ_CST);			\
} while (0)
#define SHIM_TICK	10000000ull	/* stop flags are looked at that often */
#define wait_event(q, cond) SHIM_WAIT(q, cond, SHIM_TICK, false)
#define wait_event_idle	wait_event
#define wait_event_killable(q, cond) ({ wait_event(q, cond); 0; })
#define wait_event_idle_exclusive wait_event
#define wait_event_idle_exclusive_timeout(q, cond, t)			\
	SHIM_WAIT(q, cond, SHIM_TICK, (t) < MAX_SCHEDULE_TIMEOUT)
#define wait_event_interruptible_hrtimeout(q, cond, t) SHIM_WAIT(q, cond, t, true)

/* Threads */
struct task_struct {
	pthread_t t;
	int (*fn)(void *arg);
	void *arg;
	bool stop, started;
};
struct task_struct *shim_kthread_create(int (*fn)(void *arg), void *arg);
void wake_up_process(struct task_struct *t);
int kthread_stop(struct task_struct *t);
bool kthread_should_stop(void);
#define kthread_create(fn, arg, ...) shim_kthread_create(fn, arg)

/* Bitmaps */
#define DECLARE_BITMAP(n, bits) unsigned long n[(bits + 63) / 64]
static inline bool shim_bit(const unsigned long *m, unsigned long n)
{
	return m[n / 64] >> n % 64 & 1;
}

static inline void __set_bit(unsigned long n, unsigned long *m)
{
	m[n / 64] |= 1ul << n % 64;
}

static inline void __clear_bit(unsigned long n, unsigned long *m)
{
	m[n / 64] &= ~(1ul << n % 64);
}

#define test_bit(n, m)	shim_bit(m, n)
#define for_each_set_bit(n, m, size)					\
	for ((n) = 0; (n) < (size); (n)++)				\
		if (test_bit(n, m))
#define bitmap_zero(m, n) memset(m, 0, ((n) + 63) / 64 * 8)

static inline unsigned long find_first_zero_bit(const unsigned long *m, unsigned long n)
{
	unsigned long i;

	for (i = 0; i < n && shim_bit(m, i); i++)
		;
	return i;
}

static inline unsigned int bitmap_weight(const unsigned long *m, unsigned int size)
{
	unsigned int n, bits = 0;

	for (n = 0; n < size; n++)
		bits += shim_bit(m, n);
	return bits;
}

static inline void bitmap_set(unsigned long *m, unsigned int at, unsigned int n)
{
	for (; n; n--, at++)
		m[at / 64] |= 1ul << at % 64;
}

static inline void bitmap_clear(unsigned long *m, unsigned int at, unsigned int n)
{
	for (; n; n--, at++)
		m[at / 64] &= ~(1ul << at % 64);
}

static inline unsigned long bitmap_find_next_zero_area(const unsigned long *m,
						       unsigned long size,
						       unsigned long at, unsigned int n,
						       unsigned long align)
{
	unsigned long i, run = 0;

	(void)align;
	for (i = at; i < size; i++) {
		run = shim_bit(m, i) ? 0 : run + 1;
		if (run == n)
			return i - n + 1;
	}
	return size + 1;
}

/* What gpu.h embeds and vgpu never looks into */
typedef unsigned long pgoff_t;
struct kref { int n; };
struct xarray { int n; };
struct rb_node { int n; };
struct rb_root_cached { int n; };
struct rw_semaphore { int n; };
struct work_struct { int n; };
struct mmu_interval_notifier { int n; };
struct hrtimer { int n; };
struct drm_gem_object { int n; };
struct mm_struct;
struct vm_area_struct;
struct page;
struct inode;
struct dentry;
struct file;
struct seq_file;
#define seq_printf(m, ...) ((void)(m))

/* Tracepoints: nothing. */
#define TRACE_EVENT(name, proto, args, strct, assign, print) \
	static inline void trace_##name(proto) {}
#define TP_PROTO(...)	__VA_ARGS__
#define TP_ARGS(...)
#define TP_STRUCT__entry(...)
#define TP_fast_assign(...)
#define TP_printk(...)

/* CPU features: 1 AVX2, 2 AVX-512; SHIM_SIMD in the environment says less. */
int shim_simd(void);
#define X86_FEATURE_HYPERVISOR 9
#define X86_FEATURE_AVX2 1
#define X86_FEATURE_FMA 1
#define X86_FEATURE_F16C 1
#define X86_FEATURE_AVX512F 2
#define X86_FEATURE_AVX512VL 2
#define X86_FEATURE_AVX512DQ 2
#define X86_FEATURE_AVX512BW 2
#define XFEATURE_MASK_SSE 0
#define XFEATURE_MASK_YMM 0
#define XFEATURE_MASK_AVX512 0

#endif /* VGPU_SHIM_H */
