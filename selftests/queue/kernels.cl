// SPDX-License-Identifier: MIT
// Kernels of the queue tests: no device library, no implicit arguments.
typedef unsigned int u32;
typedef float float4 __attribute__((ext_vector_type(4)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
#define LID	__builtin_amdgcn_workitem_id_x()
#define WGID	__builtin_amdgcn_workgroup_id_x()

#if defined(__gfx942__) || defined(__gfx950__)
#define CACHE_SCOPES	/* SC0 and SC1; hardware knows where scratch is */
#endif
#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define RDNA		/* waves of 32 */
#define VCC		"vcc_lo"
#define HW_ID		23
#else
#define VCC		"vcc"
#define HW_ID		4
#endif

/* A load that sees what the host has stored */
#ifdef CACHE_SCOPES
#define FRESH	"sc0 sc1"
#elif defined(__GFX12__)
#define FRESH	"scope:SCOPE_SYS"
#else
#define FRESH	"glc"
#endif

/* gfx12 counts loads, stores and LDS apart, and has a register of no value for an offset of 0. */
#ifdef __GFX12__
#define WAIT_LOADS	"s_wait_loadcnt 0x0"
#define WAIT_FLAT	"s_wait_loadcnt_dscnt 0x0"
#define WAIT_ALL	"s_wait_storecnt 0x0\n\ts_wait_loadcnt_dscnt 0x0"
#define NO_OFFSET	"null"
#define EXCEPTIONS	"HW_REG_EXCP_FLAG_USER"
#define ENABLES		"HW_REG_TRAP_CTRL, 0, 7"
#else
#define WAIT_LOADS	"s_waitcnt vmcnt(0)"
#define WAIT_FLAT	"s_waitcnt vmcnt(0) lgkmcnt(0)"
#define WAIT_ALL	WAIT_FLAT
#define NO_OFFSET	"0"
#define EXCEPTIONS	"HW_REG_TRAPSTS"
#define ENABLES		"HW_REG_MODE, 12, 7"
#endif

static u32 load(global u32 *p)
{
	return __scoped_atomic_load_n(p, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}

static u32 add(global u32 *p, u32 v)
{
	return __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}

// p[i] += v, work-groups of 64
kernel void add_to(global u32 *p, u32 v)
{
	u32 i = WGID * 64 + LID;

	p[i] += v;
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#ifdef __GFX12__
typedef half half8 __attribute__((ext_vector_type(8)));
typedef float float8 __attribute__((ext_vector_type(8)));

// The same; here a lane has half of what is multiplied, and a register rows that are apart by 8
kernel void matrix(global float *d, u32 n)
{
	half8 a = 0, b = 1;
	float8 acc = 0;
	u32 i;

	for (i = 0; i < 2; i++)
		a[i] = (half)(LID % 16 + 1);
	for (i = 0; i < n; i++)
		acc = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, acc);
	for (i = 0; i < 8; i++) {
		u32 row = i + LID / 16 % 2 * 8;

		d[WGID * 256 + row % 4 * 64 + row / 4 * 16 + LID % 16] = acc[i];
	}
}
#endif

#ifdef __GFX11__
typedef half half16 __attribute__((ext_vector_type(16)));
typedef float float8 __attribute__((ext_vector_type(8)));

// What the next one computes, where that puts it; both waves of a work-group do the same
kernel void matrix(global float *d, u32 n)
{
	half16 a = 0, b = 1;
	float8 acc = 0;
	u32 i;

	for (i = 0; i < 4; i++)
		a[i] = (half)(LID % 16 + 1);
	for (i = 0; i < n; i++)
		acc = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, acc);
	for (i = 0; i < 8; i++) {
		u32 row = 2 * i + LID / 16 % 2;

		d[WGID * 256 + row % 4 * 64 + row / 4 * 16 + LID % 16] = acc[i];
	}
}
#endif

#if !defined(__gfx906__) && !defined(RDNA)
// 16x16 products, A[i][k] = i + 1, B = 1: n times 4 (i + 1); d has a row of 64 a register
kernel void matrix(global float *d, u32 n)
{
	float4 acc = 0;
	u32 i;

	for (i = 0; i < n; i++)
		acc = __builtin_amdgcn_mfma_f32_16x16x4f32((float)(LID % 16 + 1), 1.0f, acc, 0, 0, 0);
	for (i = 0; i < 4; i++)
		d[WGID * 256 + i * 64 + LID] = acc[i];
}
#endif

// One word, wherever it is
kernel void store_word(global u32 *p, u32 v)
{
	*p = v;
}

kernel void load_word(global u32 *p, global u32 *out)
{
	*out = *p;
}

// Each group stores a word to each of its @pages, upwards
kernel void walk(global u32 *p, u32 pages)
{
	for (u32 i = 0; LID == 0 && i < pages; i++)
		*(volatile global u32 *)(p + (WGID * pages + i) * 1024) = i + 1;
}

// A word every @apart bytes, one for each work-item; how many in *count
kernel void read_far(global char *p, u32 apart, global u32 *count)
{
	ulong i = WGID * 64 + LID;

	add(count, 1 + (load((global u32 *)(p + i * apart)) != 0));
}

// Count in *alive until *stop is set; every work-item
kernel void spin(global u32 *stop, global u32 *alive)
{
	while (!load(stop))
		add(alive, 1);
}

kernel void spin_sleep(global u32 *stop, global u32 *alive)
{
	while (!load(stop)) {
		add(alive, 1);
		__builtin_amdgcn_s_sleep(10);
	}
}

// Nobody gets past before @n work-groups are here
kernel void meet(global u32 *counter, u32 n)
{
	if (LID == 0) {
		add(counter, 1);
		while (load(counter) < n)
			;
	}
	__builtin_amdgcn_s_barrier();
}

kernel void meet_sleep(global u32 *counter, u32 n)
{
	if (LID == 0) {
		add(counter, 1);
		while (load(counter) < n)
			__builtin_amdgcn_s_sleep(2);
	}
	__builtin_amdgcn_s_barrier();
}

// Walk over @n words for ever
kernel void fill_for_ever(global u32 *p, u32 n, global u32 *alive)
{
	u32 lanes = __builtin_amdgcn_wavefrontsize();

	if (LID >= lanes)	/* one wave is enough: two would not keep step */
		return;
	for (u32 v = 1;; v++) {
		for (u32 i = LID; i < n; i += lanes)
			__builtin_nontemporal_store(v, p + i);
		add(alive, 1);
	}
}

kernel void abort_trap(global u32 *p)
{
	*p = 1;
	__builtin_trap();
}

kernel void debug_trap(global u32 *p)
{
	__builtin_debugtrap();
	*p = 1;
}

// SOPP opcode 127 is none
kernel void illegal(global u32 *p)
{
	*p = 1;
	__asm__ volatile(".long 0xbfff0000");
}

// Address bit 0 set: an atomic must be aligned
kernel void misaligned(global u32 *p)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
	add((global u32 *)((global char *)p + 1), 1);
}

// Division by zero, with that exception enabled in MODE
kernel void divide(global u32 *p, u32 by)
{
	float r;

	*p = 1;
	__asm__ volatile("s_setreg_imm32_b32 hwreg(" ENABLES "), 4\n"
			 "v_rcp_f32 %0, %1" : "=v"(r) : "v"((float)by));
	*p = __builtin_bit_cast(u32, r);
}

#ifndef __GFX12__
// Global wave sync: one wave says how many others come
kernel void gws_init(global u32 *p, u32 n)
{
	__builtin_amdgcn_ds_gws_init(n, 0);
	*p = 1;
}

// Every work-group sees what all others wrote before the barrier
kernel void gws_meet(global u32 *p, u32 n)
{
	add(p, 1);
	__builtin_amdgcn_ds_gws_barrier(n, 0);
	if (load(p) < n + 1)
		add(p + 1, 1);
	__builtin_amdgcn_ds_gws_barrier(n, 0);
	add(p + 2, 1);
}

// One at a time, by a semaphore; no atomics. The first keeps it until it is told
kernel void gws_count(global u32 *p)
{
	__builtin_amdgcn_ds_gws_sema_p(0);
	if (!*(volatile global u32 *)p)
		while (!load(p + 1))
			;
	*(volatile global u32 *)p += 1;
	__asm__ volatile(WAIT_ALL : : : "memory");
	__builtin_amdgcn_ds_gws_sema_v(0);
}
#endif

// What a work-item knows about itself, for partial work-groups
kernel void who(global u32 *out, u32 stride_y, u32 size_x, u32 size_y)
{
	u32 x = WGID * size_x + LID;
	u32 y = __builtin_amdgcn_workgroup_id_y() * size_y +
		__builtin_amdgcn_workitem_id_y();

	out[y * stride_y + x] = LID | __builtin_amdgcn_workitem_id_y() << 8 |
				WGID << 16 | __builtin_amdgcn_workgroup_id_y() << 24;
}

// 16 waves through LDS and barriers: reverse 1024 words
kernel __attribute__((reqd_work_group_size(1024, 1, 1)))
void reverse(global u32 *p)
{
	local u32 t[1024];

	t[LID] = p[WGID * 1024 + LID];
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
	p[WGID * 1024 + LID] = t[1023 - LID];
}

#ifdef __GFX12__
#define SIGNAL	__builtin_amdgcn_s_barrier_signal(-1)
#define WAIT	__builtin_amdgcn_s_barrier_wait(-1)
#define WAVE	__builtin_amdgcn_readfirstlane(LID / 32)

static void set(global u32 *p)
{
	__scoped_atomic_store_n(p, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}

// Barriers in two halves, waves of 32. The first signals, and waits only once p[0] is set; the
// second may signal when p[1] is, and the others end without when p[2] is. p[8 + wave]: it is
// there, p[16 + wave]: it has waited.
kernel void split(global u32 *p)
{
	u32 w = WAVE;

	if (w > 1) {
		set(p + 8 + w);
		while (!load(p + 2))
			;
		return;
	}
	if (w == 0)
		SIGNAL;
	set(p + 8 + w);
	while (!load(p + w))
		;
	if (w == 1)
		SIGNAL;
	WAIT;
	set(p + 16 + w);
}

// What each wave does between its two halves takes longer or shorter each time. *p: words of
// others that were not there behind a barrier; p[1]: work-items that have come to the end
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void split_rounds(global u32 *p, u32 rounds)
{
	local volatile u32 t[256];
	u32 w = WAVE;

	for (u32 n = 0; n < rounds; n++) {
		t[LID] = n << 8 | LID;
		__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
		SIGNAL;
		for (u32 i = (w * 7 + n * 5) % 23; i; i--)
			__builtin_amdgcn_s_sleep(0);
		WAIT;
		__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
		if (t[(LID + 97) & 255] != (n << 8 | ((LID + 97) & 255)))
			add(p, 1);
		__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
		SIGNAL;
		WAIT;
	}
	add(p + 1, 1);
}
#endif

// Known values in registers and LDS until *stop: v40, v41, s60, m0; then out[i] = v40 + LDS
// (v100: GFX9 before gfx90a gives half as many VGPRs for the same descriptor)
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void keep(global u32 *stop, global u32 *out)
{
	local u32 t[128];
	u32 i = WGID * 128 + LID, r;

	t[LID] = LID * 3 + 1;
	out[i] = 1;
	__asm__ volatile(WAIT_ALL "\n"
			 "v_mov_b32 v40, %1\n"
			 "v_mov_b32 v41, 0x5a5a5a5a\n"
			 "s_mov_b32 s60, 0x1234567\n"
			 "s_mov_b32 m0, 0x77\n"
			 "keep_wait:\n"
			 "global_load_dword v42, %2, off " FRESH "\n"
			 WAIT_LOADS "\n"
			 "v_readfirstlane_b32 s61, v42\n"
			 "s_cmp_eq_u32 s61, 0\n"
			 "s_cbranch_scc1 keep_wait\n"
			 "s_cmp_eq_u32 s60, 0x1234567\n"
			 "s_cselect_b32 s61, 0, 0x80000000\n"
			 "v_or_b32 v40, s61, v40\n"
			 "v_mov_b32 %0, v40"
			 : "=v"(r) : "v"(0x10000 + i), "v"(stop)
			 : "v40", "v41", "v42", "v100", "s60", "s61", "scc", "memory");
	out[i] = r + t[LID];
}

// Something of everything, @rounds times: integers of 32 and 64 bits, floats of both widths,
// branches that part the lanes, LDS and barriers, memory
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void churn(global u32 *p, u32 rounds)
{
	local u32 t[256];
	u32 i = WGID * 256 + LID, a = p[i];
	float f = (float)(a & 0xffff) * 0.37f + 1.0f;
	double d = f;
	ulong w = a * 0x9e3779b97f4a7c15ul;

	for (u32 n = 0; n < rounds; n++) {
		a = (a * 1664525 + 1013904223) ^ a >> 13;
		if (a & 1)
			f = f * 1.0009765625f - (float)(int)a;
		else if (a & 2)
			f = 3.0f / f;
		w += (ulong)a * (a >> 3) + (w >> 29);
		d = d * 0.75 + (double)f;
		t[LID] = a ^ (u32)w;
		__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
		__builtin_amdgcn_s_barrier();
		__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
		a += t[(LID + n) & 255];
		__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
		__builtin_amdgcn_s_barrier();
		__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
		p[i] = a ^ __builtin_bit_cast(u32, f) ^ (u32)(w >> 32);
		a += p[i] >> 5;
	}
	p[i] ^= (u32)__builtin_bit_cast(ulong, d) ^ (u32)(__builtin_bit_cast(ulong, d) >> 32);
}

// Read where *at says, again and again, until that is NULL
kernel void follow(global ulong *at, global u32 *count)
{
	global u32 *p;

	while ((p = (global u32 *)__scoped_atomic_load_n(at, __ATOMIC_RELAXED,
							 __MEMORY_SCOPE_SYSTEM)))
		add(count, 1 + (load(p) == 0xffffffff));
}

static void meet_group(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// All read what one changes without a barrier in between. Sometimes one of four waves keeps the
// others waiting, so that it comes to the barrier as the last one.
kernel void read_then_changed(global u32 *p)
{
	local volatile u32 x;
	u32 sum = 0;

	if (!LID)
		x = 1;
	meet_group();
	for (u32 k = 0; k < 200; k++) {
		u32 v = x;

		if (!LID)
			x = v * 3 + k;
		if (k % 8 == 0 && LID / 64 == k / 8 % 4)
			for (u32 n = 0; n < 8000; n++)
				__asm__ volatile("s_mov_b32 s30, 0" ::: "s30");
		meet_group();
		sum = sum * 5 + v;
	}
	p[WGID * 256 + LID] = sum;
}

// The first wave reads what the others overwrite behind a load, without a barrier in between
kernel void read_then_overwritten(global u32 *p)
{
	local volatile u32 x[256], go;
	u32 sum = 0;

	if (!LID)
		go = 1;
	for (u32 k = 0; k < 200; k++) {
		x[LID] = LID * 7 + k;
		meet_group();
		if (LID < 64)
			sum = sum * 5 + x[LID + 64];
		if (!go)
			break;
	}
	p[WGID * 256 + LID] = sum;
}

// A private array that stays in memory: needs scratch
kernel void scratch(global u32 *p)
{
	volatile u32 a[32];
	u32 i = WGID * 64 + LID, s = 0;

	for (u32 k = 0; k < 32; k++)
		a[(k * 7 + i) & 31] = i * 32 + k;
	for (u32 k = 0; k < 32; k++)
		s += a[k];
	p[i] = s;
}

// Mailbox, then the interrupt, as device code signals the host
kernel void send_event(global ulong *mailbox, u32 id)
{
	__scoped_atomic_store_n(mailbox, (ulong)id, __ATOMIC_RELEASE,
				__MEMORY_SCOPE_SYSTEM);
	__builtin_amdgcn_s_sendmsg(1, id);
}

// HW_ID of each work-group's first wave
kernel void hw_ids(global u32 *out)
{
	if (LID == 0)
		out[WGID] = __builtin_amdgcn_s_getreg(HW_ID | 31 << 11);
}

// XCC_ID of each work-group's first wave, where there is one
kernel void xcc_ids(global u32 *out)
{
#if defined(__gfx942__) || defined(__gfx950__)
	if (LID == 0)
		out[WGID] = __builtin_amdgcn_s_getreg(20 | 31 << 11);
#endif
}

// Nobody lets it go on
kernel void halt(global u32 *p)
{
	*p = 1;
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
	__asm__ volatile("s_sethalt 1");
	*p = 2;
}

/* ---------------------------------------------- instructions that take long */

typedef float float16 __attribute__((ext_vector_type(16)));
typedef half half4 __attribute__((ext_vector_type(4)));
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define TIMES4(x)	x x x x
#define TIMES16(x)	TIMES4(TIMES4(x))

/*
 * The dearest instructions there are, one kind a kernel, in a loop until *@stop is
 * set. @p: 64 pages. Each work-item has an address whose elements cross into the next
 * page.
 */
#define DEAR(name, ...)							\
kernel void dear_##name(global u32 *stop, global u32 *p)			\
{										\
	global char *at = (global char *)p + 4091 + LID % 60 * 4096;		\
	u32 all = LID * 0x9e3779b9;						\
										\
	(void)at;								\
	(void)all;								\
	while (!load(stop)) {							\
		__VA_ARGS__							\
	}									\
}

#if !defined(__gfx906__) && !defined(RDNA)
DEAR(matrix, {
	half4 inf = (half4)(__builtin_inff());
	float16 acc = 0;

	for (u32 i = 0; i < 16; i++)
		acc = __builtin_amdgcn_mfma_f32_32x32x8f16(inf, inf, acc, 0, 0, 0);
	p[LID] = acc[3];
})
#endif

#ifdef __GFX12__
DEAR(matrix, {
	half8 inf = (half8)(__builtin_inff());
	float8 acc = 0;

	for (u32 i = 0; i < 16; i++)
		acc = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(inf, inf, acc);
	p[LID] = acc[3];
})
#endif

#ifdef __GFX11__
DEAR(matrix, {
	half16 inf = (half16)(__builtin_inff());
	float8 acc = 0;

	for (u32 i = 0; i < 16; i++)
		acc = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(inf, inf, acc);
	p[LID] = acc[3];
})
#endif

DEAR(division, {
	double d = (double)all, e;

	TIMES16(__asm__ volatile("v_div_scale_f64 %0, " VCC ", %1, %1, %1\n\t"
				 "v_div_fixup_f64 %0, %1, %1, %1\n\t"
				 "v_sqrt_f64 %0, %1\n\t"
				 "v_trig_preop_f64 %0, %1, %2"
				 : "=&v"(e) : "v"(d), "v"(all) : "vcc");)
})

DEAR(load, {
	float4 d;

	TIMES16(__asm__ volatile("flat_load_dwordx4 %0, %1\n\t" WAIT_FLAT
				 : "=&v"(d) : "v"(at) : "memory");)
})

DEAR(store, {
	float4 d = 1;

	TIMES16(__asm__ volatile("flat_store_dwordx4 %1, %0" : : "v"(d), "v"(at) : "memory");)
})

/* All on one word, with the lanes of other workers */
#if !defined(__gfx906__) && !defined(__gfx908__) && !defined(RDNA)
DEAR(contended, {
	double d = 1;

	TIMES16(__asm__ volatile("flat_atomic_add_f64 %1, %0" : : "v"(d), "v"(p) : "memory");)
})
#endif

DEAR(contended_int, {
	TIMES16(__asm__ volatile("flat_atomic_inc %1, %0" : : "v"(~0u), "v"(p) : "memory");)
})

/* Four halves to four floats: word 3 of a buffer */
#if defined(__GFX11__) || defined(__GFX12__)
#define HALVES	(0xfacu | 57 << 12 | 3 << 28)
#elif defined(RDNA)
#define HALVES	(0xfacu | 71 << 12 | 1 << 24 | 3 << 28)
#else
#define HALVES	0x00067fac
#endif

DEAR(formatted, {
	/* An address in each page */
	u32 off = 4092 + LID % 60 * 4096;
	u32x4 v = (u32x4)((u32)(size_t)p, (u32)((size_t)p >> 32), 64 * 4096, HALVES);
	float4 d;

	TIMES16(__asm__ volatile("buffer_load_format_xyzw %0, %1, %2, " NO_OFFSET " offen\n\t"
				 WAIT_LOADS
				 : "=&v"(d) : "v"(off), "s"(v) : "memory");)
})

#ifndef RDNA
DEAR(indexed, {
	u32 d;

	__asm__ volatile("s_set_gpr_idx_on %0, gpr_idx(SRC0)" : : "s"(0));
	TIMES16(__asm__ volatile("v_add_f16 %0, %1, %1" : "=&v"(d) : "v"(all));)
	__asm__ volatile("s_set_gpr_idx_off");
})
#endif

/* From a look at TRAPSTS on, floating-point exceptions are recorded */
DEAR(recorded, {
	double d = (double)all, e;
	u32 s;

	__asm__ volatile("s_getreg_b32 %0, hwreg(" EXCEPTIONS ")" : "=s"(s));
	TIMES16(__asm__ volatile("v_div_fixup_f64 %0, %1, %1, %1\n\t"
				 "v_fma_f64 %0, %1, %1, %1"
				 : "=&v"(e) : "v"(d));)
})

/* ---------------------------------------------- misaligned words for atomics */

kernel void misaligned_flat(global u32 *p)
{
	global char *at = (global char *)(p + LID) + 2;

	__asm__ volatile("flat_atomic_add %0, %1" : : "v"(at), "v"(1) : "memory");
}

#if defined(__GFX11__) || defined(__GFX12__)
#define SWIZZLED	(1u << 30)
#else
#define SWIZZLED	(1u << 31)
#endif

// The base of swizzled memory by a byte off, every offset 0
kernel void misaligned_buffer(global u32 *p)
{
	u32x4 v = (u32x4)((u32)(size_t)p + 1, (u32)((size_t)p >> 32) | SWIZZLED | 4 << 16, 4096,
			  3 << 21 | 1 << 23);

	__asm__ volatile("buffer_atomic_umax %0, %1, %2, " NO_OFFSET " offen"
			 : : "v"(1), "v"(0), "s"(v) : "memory");
}

#if !defined(CACHE_SCOPES) && !defined(RDNA)
// The same with scratch, which the kernel says where it is
kernel void misaligned_scratch(global u32 *p)
{
	__asm__ volatile("s_mov_b32 flat_scratch_hi, %1\n\t"
			 "s_add_u32 flat_scratch_lo, %0, 2\n\t"
			 "s_mov_b64 s[20:21], src_private_base\n\t"
			 "v_mov_b32 v10, 0\n\t"
			 "v_mov_b32 v11, s21\n\t"
			 "v_mov_b32 v12, 1\n\t"
			 "flat_atomic_umax v[10:11], v12"
			 : : "s"((u32)(size_t)p), "s"((u32)((size_t)p >> 32))
			 : "s20", "s21", "v10", "v11", "v12", "memory");
}
#endif

#if defined(RDNA) || defined(__gfx906__)
#ifdef RDNA
#define DIM_2D " dim:SQ_RSRC_IMG_2D"
#else
#define DIM_2D		// the image says what it is
#endif
typedef u32 u32x8 __attribute__((ext_vector_type(8)));
typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef float float2 __attribute__((ext_vector_type(2)));

struct descriptors {
	u32x8 from, to;
	u32x4 sampler;
};

// A quarter of a texel on in an image of 16 by 4, to p and to another one
kernel void image_filter(global float4 *p, constant struct descriptors *d)
{
	u32x2 at = (u32x2)(LID % 16, LID / 16);
	float2 place = (float2)((float)at.x + 0.75f, (float)at.y + 0.5f);
	float4 v;

#ifdef __GFX12__
	__asm__ volatile("image_sample_lz %0, [%1, %2], %3, %4 dmask:0xf dim:SQ_RSRC_IMG_2D\n\t"
			 "s_wait_samplecnt 0x0"
			 : "=&v"(v) : "v"(place.x), "v"(place.y), "s"(d->from), "s"(d->sampler)
			 : "memory");
	p[LID] = v;
	__asm__ volatile("image_store %0, [%1, %2], %3 dmask:0xf dim:SQ_RSRC_IMG_2D"
			 : : "v"(v), "v"(at.x), "v"(at.y), "s"(d->to) : "memory");
#else
	__asm__ volatile("image_sample_lz %0, %1, %2, %3 dmask:0xf" DIM_2D "\n\t"
			 "s_waitcnt vmcnt(0)"
			 : "=&v"(v) : "v"(place), "s"(d->from), "s"(d->sampler) : "memory");
	p[LID] = v;
	__asm__ volatile("image_store %0, %1, %2 dmask:0xf" DIM_2D " unorm"
			 : : "v"(v), "v"(at), "s"(d->to) : "memory");
#endif
}
#endif
