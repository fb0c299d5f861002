// SPDX-License-Identifier: MIT
// A kernel for which the compiler wants the hidden arguments of code object version 5.
kernel void hidden(global unsigned int *out, local unsigned int *scratch)
{
	constant unsigned int *hidden = (constant unsigned int *)__builtin_amdgcn_implicitarg_ptr();
	unsigned int i = __builtin_amdgcn_workitem_id_x();

	scratch[i] = hidden[0] + __builtin_amdgcn_workgroup_size_x();
	out[i] = scratch[i];
}
