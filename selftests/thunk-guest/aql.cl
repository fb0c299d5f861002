// SPDX-License-Identifier: MIT
// Kernels for aql_runtime.c.
typedef unsigned int u32;

kernel void add(global volatile u32 *sum, u32 n)
{
	__scoped_atomic_fetch_add(sum, n, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}

kernel void scratch64(global u32 *out)
{
	u32 i = __builtin_amdgcn_workgroup_id_x() * 64u + __builtin_amdgcn_workitem_id_x();
	volatile u32 a[64];
	u32 s = 0;

	for (u32 k = 0; k < 64; k++)
		a[k] = i + k;
	for (u32 k = 0; k < 64; k++)
		s += a[k * 7 & 63];
	out[i] = s;
}

kernel void scratch1k(global u32 *out)
{
	u32 i = __builtin_amdgcn_workgroup_id_x() * 64u + __builtin_amdgcn_workitem_id_x();
	volatile u32 a[1024];
	u32 s = 0;

	for (u32 k = 0; k < 1024; k++)
		a[k] = i + k;
	for (u32 k = 0; k < 1024; k += 16)
		s += a[k * 7 & 1023];
	out[i] = s;
}

// What the hidden arguments say, as version 5 has them: counts, sizes, remainders.
kernel void hidden(global u32 *out)
{
	constant uchar *h = (constant uchar *)__builtin_amdgcn_implicitarg_ptr();
	constant u32 *count = (constant u32 *)h;
	constant ushort *sizes = (constant ushort *)(h + 12);

	if (__builtin_amdgcn_workgroup_id_x() || __builtin_amdgcn_workgroup_id_y() ||
	    __builtin_amdgcn_workgroup_id_z() || __builtin_amdgcn_workitem_id_x() ||
	    __builtin_amdgcn_workitem_id_y() || __builtin_amdgcn_workitem_id_z())
		return;
	for (u32 i = 0; i < 3; i++) {
		out[i] = count[i];
		out[3 + i] = sizes[i];
		out[6 + i] = sizes[3 + i];
	}
	out[9] = *(constant ushort *)(h + 64);
}

kernel void locals(global u32 *out, local u32 *a, local u32 *b, u32 n)
{
	u32 i = __builtin_amdgcn_workitem_id_x();

	a[i] = i;
	b[i] = n - i;
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
	out[i] = a[63 - i] * 1000 + b[63 - i];
}

kernel void wild(global u32 *out)
{
	*(volatile global u32 *)0x123456789000ul = 5;
	out[0] = 1;
}

kernel void illegal(global u32 *out)
{
	__asm volatile(".long 0xbf9fffff");
	out[0] = 1;
}

kernel void trap(global u32 *out)
{
	__builtin_trap();
	out[0] = 1;
}

kernel void spin(global volatile u32 *out)
{
	while (!out[0])
		__builtin_amdgcn_s_sleep(1);
}
