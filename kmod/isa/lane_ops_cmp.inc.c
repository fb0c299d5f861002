/* SPDX-License-Identifier: GPL-2.0-only */
/* Op list: compares. C: 32 bits, D: 64 bits, B: one lane at a time. */

#define CMP_INT(T, gt)							\
C(F_##T, T, vm_xor(vm_eq(a, a), vm_eq(a, a)))				\
C(LT_##T, T, gt(b, a))							\
C(EQ_##T, T, vm_eq(a, b))						\
C(LE_##T, T, vm_not(gt(a, b)))						\
C(GT_##T, T, gt(a, b))							\
C(NE_##T, T, vm_not(vm_eq(a, b)))					\
C(GE_##T, T, vm_not(gt(b, a)))						\
C(T_##T, T, vm_eq(a, a))
CMP_INT(I32, vm_gts)
CMP_INT(U32, vm_gtu)
#undef CMP_INT

C(F_F32, F32, vm_xor(vm_eq(a, a), vm_eq(a, a)))
C(LT_F32, F32, fm_lt(a, b))
C(EQ_F32, F32, fm_eq(a, b))
C(LE_F32, F32, fm_le(a, b))
C(GT_F32, F32, fm_lt(b, a))
C(LG_F32, F32, vm_not(vm_or(fm_eq(a, b), fm_uno(a, b))))
C(GE_F32, F32, fm_le(b, a))
C(O_F32, F32, vm_not(fm_uno(a, b)))
C(U_F32, F32, fm_uno(a, b))
C(NGE_F32, F32, vm_not(fm_le(b, a)))
C(NLG_F32, F32, vm_or(fm_eq(a, b), fm_uno(a, b)))
C(NGT_F32, F32, vm_not(fm_lt(b, a)))
C(NLE_F32, F32, vm_not(fm_le(a, b)))
C(NEQ_F32, F32, vm_not(fm_eq(a, b)))
C(NLT_F32, F32, vm_not(fm_lt(a, b)))
C(TRU_F32, F32, vm_eq(a, a))

#define CMP_INT(T, gt)							\
D(F_##T, T, vi_zero())							\
D(LT_##T, T, gt(b, a))							\
D(EQ_##T, T, vq_eq(a, b))						\
D(LE_##T, T, vi_not(gt(a, b)))						\
D(GT_##T, T, gt(a, b))							\
D(NE_##T, T, vi_not(vq_eq(a, b)))					\
D(GE_##T, T, vi_not(gt(b, a)))						\
D(T_##T, T, vi_splat(~0u))
CMP_INT(I64, vq_gts)
CMP_INT(U64, vq_gtu)
#undef CMP_INT

D(F_F64, F64, vi_zero())
D(LT_F64, F64, vd_lt(a, b))
D(EQ_F64, F64, vd_eq(a, b))
D(LE_F64, F64, vd_le(a, b))
D(GT_F64, F64, vd_lt(b, a))
D(LG_F64, F64, vi_not(vi_or(vd_eq(a, b), vd_uno(a, b))))
D(GE_F64, F64, vd_le(b, a))
D(O_F64, F64, vi_not(vd_uno(a, b)))
D(U_F64, F64, vd_uno(a, b))
D(NGE_F64, F64, vi_not(vd_le(b, a)))
D(NLG_F64, F64, vi_or(vd_eq(a, b), vd_uno(a, b)))
D(NGT_F64, F64, vi_not(vd_lt(b, a)))
D(NLE_F64, F64, vi_not(vd_le(a, b)))
D(NEQ_F64, F64, vi_not(vd_eq(a, b)))
D(NLT_F64, F64, vi_not(vd_lt(a, b)))
D(TRU_F64, F64, vi_splat(~0u))

#define CMP_INT(T)							\
B(F_##T, T, false)							\
B(LT_##T, T, a < b)							\
B(EQ_##T, T, a == b)							\
B(LE_##T, T, a <= b)							\
B(GT_##T, T, a > b)							\
B(NE_##T, T, a != b)							\
B(GE_##T, T, a >= b)							\
B(T_##T, T, true)
CMP_INT(I16)
CMP_INT(U16)
#undef CMP_INT

#define FA f_of_bits(f32_of_f16(a))
#define FB f_of_bits(f32_of_f16(b))
B(F_F16, F16, false)
B(LT_F16, F16, FA < FB)
B(EQ_F16, F16, FA == FB)
B(LE_F16, F16, FA <= FB)
B(GT_F16, F16, FA > FB)
B(LG_F16, F16, FA < FB || FA > FB)
B(GE_F16, F16, FA >= FB)
B(O_F16, F16, !f16_nan(a) && !f16_nan(b))
B(U_F16, F16, f16_nan(a) || f16_nan(b))
B(NGE_F16, F16, !(FA >= FB))
B(NLG_F16, F16, !(FA < FB || FA > FB))
B(NGT_F16, F16, !(FA > FB))
B(NLE_F16, F16, !(FA <= FB))
B(NEQ_F16, F16, !(FA == FB))
B(NLT_F16, F16, !(FA < FB))
B(TRU_F16, F16, true)
#undef FA
#undef FB

K(CLASS_F32, F32, class_f32(a) & b)
K(CLASS_F64, F64, class_f64(a) & b)
K(CLASS_F16, F16, class_f16(a) & b)
