// SPDX-License-Identifier: MIT
// Kernels of the queue tests: no device library, no implicit arguments.
typedef unsigned int u32;
typedef float float4 __attribute__((ext_vector_type(4)));
#define LID	__builtin_amdgcn_workitem_id_x()
#define WGID	__builtin_amdgcn_workgroup_id_x()

/* A load that sees what the host has stored */
#ifdef __gfx942__
#define FRESH	"sc0 sc1"
#else
#define FRESH	"glc"
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

// One word, wherever it is
kernel void store_word(global u32 *p, u32 v)
{
	*p = v;
}

kernel void load_word(global u32 *p, global u32 *out)
{
	*out = *p;
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
	for (u32 v = 1;; v++) {
		for (u32 i = LID; i < n; i += 64)
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
	__asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 4\n"
			 "v_rcp_f32 %0, %1" : "=v"(r) : "v"((float)by));
	*p = __builtin_bit_cast(u32, r);
}

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
	__builtin_amdgcn_s_waitcnt(0);
	__builtin_amdgcn_ds_gws_sema_v(0);
}

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

// Known values in registers and LDS until *stop: v40, v41, s60, m0; then out[i] = v40 + LDS
// (v100: GFX9 before gfx90a gives half as many VGPRs for the same descriptor)
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void keep(global u32 *stop, global u32 *out)
{
	local u32 t[128];
	u32 i = WGID * 128 + LID, r;

	t[LID] = LID * 3 + 1;
	out[i] = 1;
	__asm__ volatile("s_waitcnt vmcnt(0) lgkmcnt(0)\n"
			 "v_mov_b32 v40, %1\n"
			 "v_mov_b32 v41, 0x5a5a5a5a\n"
			 "s_mov_b32 s60, 0x1234567\n"
			 "s_mov_b32 m0, 0x77\n"
			 "keep_wait:\n"
			 "global_load_dword v42, %2, off " FRESH "\n"
			 "s_waitcnt vmcnt(0)\n"
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
		out[WGID] = __builtin_amdgcn_s_getreg(4 | 31 << 11);
}

// Nobody lets it go on
kernel void halt(global u32 *p)
{
	*p = 1;
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
	__asm__ volatile("s_sethalt 1");
	*p = 2;
}
