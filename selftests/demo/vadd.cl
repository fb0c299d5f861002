// SPDX-License-Identifier: MIT
// The demo's own kernels; the others are selftests/bench/kernels.cl.

kernel void vadd(global float *restrict c, global const float *restrict a,
		 global const float *restrict b)
{
	unsigned int i = __builtin_amdgcn_workgroup_id_x() * 256u +
			 __builtin_amdgcn_workitem_id_x();

	c[i] = a[i] + b[i];
}

// What is submitted when the submission is what is measured.
kernel void nop(void)
{
}
