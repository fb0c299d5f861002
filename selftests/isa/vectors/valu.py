# SPDX-License-Identifier: MIT
"""What one lane of a vector operation gives, from the ISA's text.

OPS[name](c, a, b, c2) takes raw operand bits (modifiers done) and a context:
its result, or (result, lane mask bit); compares give the mask bit alone.
"""

from fractions import Fraction

import division
import ieee
from ieee import F16, F32, F64, Env, convert

M16, M32, M64 = 0xffff, 0xffffffff, (1 << 64) - 1


class Context:
    def __init__(self, mode, lane=0, cin=0, dots_flush=False):
        self.mode, self.lane, self.cin = mode, lane, cin
        i = mode >> 9 & 1
        self.s = Env(F32, mode & 3, mode >> 4 & 3, i)
        self.d = Env(F64, mode >> 2 & 3, mode >> 6 & 3, i)
        self.h = Env(F16, mode >> 2 & 3, mode >> 6 & 3, i)
        self.flushed = Env(F32, mode & 3, 0, i)     # v_mad, v_mac, approximations
        self.dots = Env(F32, 0, 0 if dots_flush else mode >> 4 & 3, 1)
        self.dot_half = Env(F16, 0, 0 if dots_flush else mode >> 6 & 3, 1)


OPS = {}
APPROX = {}     # name: units in the last place that a result may be off


def op(name, fn):
    assert name not in OPS, name
    OPS[name] = fn


def sx(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def clamp(x, lo, hi):
    return max(lo, min(hi, x))


def halves(fn):
    """Both halves of packed operands."""
    return lambda c, *s: fn(c, *[x & M16 for x in s]) & M16 | \
        (fn(c, *[x >> 16 & M16 for x in s]) & M16) << 16


def table(rows):
    for name, fn in rows.items():
        op(name, fn)


def bits_msb(x, n):
    return n - x.bit_length() if x else M32


def popcount(x):
    return bin(x).count("1")


def fields(x, bits, signed=False):
    out = [x >> bits * n & ((1 << bits) - 1) for n in range(32 // bits)]
    return [sx(f, bits) for f in out] if signed else out


def dot(a, b, bits, signed):
    return sum(x * y for x, y in zip(fields(a, bits, signed), fields(b, bits, signed)))


def sad(a, b, bits, masked=False):
    return sum(abs(x - y) for x, y in zip(fields(a, bits), fields(b, bits)) if y or not masked)


def perm(c, a, b, sel):
    data, out = a << 32 | b, 0
    for n in range(4):
        s = sel >> 8 * n & 255
        if s >= 13:
            v = 255
        elif s == 12:
            v = 0
        elif s >= 8:
            v = 255 * (data >> (16 * (s - 8) + 15) & 1)
        else:
            v = data >> 8 * s & 255
        out |= v << 8 * n
    return out


def quad_sad(a, b, c, masked):
    return sum((sad(a >> 8 * n & M32, b, 8, masked) + (c >> 16 * n) & M16) << 16 * n
               for n in range(4))


def mask_below(lane, base):
    return (1 << max(0, min(32, lane - base))) - 1


def wide(fn):
    """(low 32 bits, bit 32 of a sum or borrow)"""
    def run(c, *s):
        v = fn(c, *s)
        return v & M32, v >> 32 & 1
    return run


def mad64(c, a, b, d, signed):
    v = (sx(a, 32) * sx(b, 32) + sx(d, 64)) if signed else a * b + d
    return v & M64, v >> 64 & 1


u3 = {"min3": lambda v: min(v), "max3": lambda v: max(v), "med3": lambda v: sorted(v)[1]}

table({
    "v_mov_b32": lambda c, a: a, "v_mov_b64": lambda c, a: a,
    "v_not_b32": lambda c, a: a ^ M32,
    "v_bfrev_b32": lambda c, a: int(format(a, "032b")[::-1], 2),
    "v_ffbh_u32": lambda c, a: bits_msb(a, 32),
    "v_ffbl_b32": lambda c, a: (a & -a).bit_length() - 1 & M32,
    "v_ffbh_i32": lambda c, a: M32 if a in (0, M32) else bits_msb(a ^ M32 if a >> 31 else a, 32),
    "v_cndmask_b32": lambda c, a, b: b if c.cin else a,
    "v_mul_i32_i24": lambda c, a, b: sx(a, 24) * sx(b, 24) & M32,
    "v_mul_hi_i32_i24": lambda c, a, b: sx(a, 24) * sx(b, 24) >> 32 & M32,
    "v_mul_u32_u24": lambda c, a, b: (a & 0xffffff) * (b & 0xffffff) & M32,
    "v_mul_hi_u32_u24": lambda c, a, b: (a & 0xffffff) * (b & 0xffffff) >> 32,
    "v_mad_i32_i24": lambda c, a, b, d: sx(a, 24) * sx(b, 24) + d & M32,
    "v_mad_u32_u24": lambda c, a, b, d: (a & 0xffffff) * (b & 0xffffff) + d & M32,
    "v_mul_lo_u32": lambda c, a, b: a * b & M32, "v_mul_hi_u32": lambda c, a, b: a * b >> 32,
    "v_mul_hi_i32": lambda c, a, b: sx(a, 32) * sx(b, 32) >> 32 & M32,
    "v_min_i32": lambda c, a, b: min(sx(a, 32), sx(b, 32)) & M32,
    "v_max_i32": lambda c, a, b: max(sx(a, 32), sx(b, 32)) & M32,
    "v_min_u32": lambda c, a, b: min(a, b), "v_max_u32": lambda c, a, b: max(a, b),
    "v_lshrrev_b32": lambda c, a, b: b >> (a & 31),
    "v_ashrrev_i32": lambda c, a, b: sx(b, 32) >> (a & 31) & M32,
    "v_lshlrev_b32": lambda c, a, b: b << (a & 31) & M32,
    "v_lshlrev_b64": lambda c, a, b: b << (a & 63) & M64,
    "v_lshrrev_b64": lambda c, a, b: b >> (a & 63),
    "v_ashrrev_i64": lambda c, a, b: sx(b, 64) >> (a & 63) & M64,
    "v_and_b32": lambda c, a, b: a & b, "v_or_b32": lambda c, a, b: a | b,
    "v_xor_b32": lambda c, a, b: a ^ b, "v_xnor_b32": lambda c, a, b: a ^ b ^ M32,
    "v_add_co_u32": wide(lambda c, a, b: a + b), "v_sub_co_u32": wide(lambda c, a, b: a - b),
    "v_subrev_co_u32": wide(lambda c, a, b: b - a),
    "v_addc_co_u32": wide(lambda c, a, b: a + b + c.cin),
    "v_subb_co_u32": wide(lambda c, a, b: a - b - c.cin),
    "v_subbrev_co_u32": wide(lambda c, a, b: b - a - c.cin),
    "v_add_u32": lambda c, a, b: a + b & M32, "v_sub_u32": lambda c, a, b: a - b & M32,
    "v_subrev_u32": lambda c, a, b: b - a & M32, "v_add_i32": lambda c, a, b: a + b & M32,
    "v_sub_i32": lambda c, a, b: a - b & M32,
    "v_bfe_u32": lambda c, a, b, d: a >> (b & 31) & ((1 << (d & 31)) - 1),
    "v_bfe_i32": lambda c, a, b, d: sx(sx(a, 32) >> (b & 31), d & 31) & M32 if d & 31 else 0,
    "v_bfi_b32": lambda c, a, b, d: a & b | ~a & d & M32,
    "v_bfm_b32": lambda c, a, b: ((1 << (a & 31)) - 1) << (b & 31) & M32,
    "v_bcnt_u32_b32": lambda c, a, b: popcount(a) + b & M32,
    "v_mbcnt_lo_u32_b32": lambda c, a, b: popcount(a & mask_below(c.lane, 0)) + b & M32,
    "v_mbcnt_hi_u32_b32": lambda c, a, b: popcount(a & mask_below(c.lane, 32)) + b & M32,
    "v_alignbit_b32": lambda c, a, b, d: (a << 32 | b) >> (d & 31) & M32,
    "v_alignbyte_b32": lambda c, a, b, d: (a << 32 | b) >> 8 * (d & 3) & M32,
    "v_lshl_add_u32": lambda c, a, b, d: (a << (b & 31)) + d & M32,
    "v_add_lshl_u32": lambda c, a, b, d: a + b << (d & 31) & M32,
    "v_add3_u32": lambda c, a, b, d: a + b + d & M32,
    "v_lshl_or_b32": lambda c, a, b, d: a << (b & 31) & M32 | d,
    "v_and_or_b32": lambda c, a, b, d: a & b | d, "v_or3_b32": lambda c, a, b, d: a | b | d,
    "v_xad_u32": lambda c, a, b, d: (a ^ b) + d & M32,
    "v_lshl_add_u64": lambda c, a, b, d: (a << (b & 7 if b & 7 < 5 else 0)) + d & M64,
    "v_sad_u8": lambda c, a, b, d: sad(a, b, 8) + d & M32,
    "v_sad_hi_u8": lambda c, a, b, d: (sad(a, b, 8) << 16) + d & M32,
    "v_sad_u16": lambda c, a, b, d: sad(a, b, 16) + d & M32,
    "v_sad_u32": lambda c, a, b, d: abs(a - b) + d & M32,
    "v_msad_u8": lambda c, a, b, d: sad(a, b, 8, True) + d & M32,
    "v_qsad_pk_u16_u8": lambda c, a, b, d: quad_sad(a, b, d, False),
    "v_mqsad_pk_u16_u8": lambda c, a, b, d: quad_sad(a, b, d, True),
    "v_mqsad_u32_u8": lambda c, a, b, d: sum(
        (sad(a >> 8 * n & M32, b, 8, True) + (d >> 32 * n) & M32) << 32 * n for n in range(4)),
    "v_mad_u64_u32": lambda c, a, b, d: mad64(c, a, b, d, False),
    "v_mad_i64_i32": lambda c, a, b, d: mad64(c, a, b, d, True),
    "v_perm_b32": perm,
    "v_lerp_u8": lambda c, a, b, d: sum(
        (x + y + (z & 1) >> 1) << 8 * n
        for n, (x, y, z) in enumerate(zip(fields(a, 8), fields(b, 8), fields(d, 8)))),
    "v_sat_pk_u8_i16": lambda c, a: clamp(sx(a, 16), 0, 255) | clamp(sx(a >> 16, 16), 0, 255) << 8,
    "v_cvt_pk_u16_u32": lambda c, a, b: min(a, M16) | min(b, M16) << 16,
    "v_cvt_pk_i16_i32": lambda c, a, b: clamp(sx(a, 32), -32768, 32767) & M16 |
        (clamp(sx(b, 32), -32768, 32767) & M16) << 16,
    "v_pack_b32_f16": lambda c, a, b: c.h.arg(a) | c.h.arg(b) << 16,
    "v_mad_u32_u16": lambda c, a, b, d: a * b + d & M32,
    "v_mad_i32_i16": lambda c, a, b, d: sx(a, 16) * sx(b, 16) + d & M32,
    "v_accvgpr_read_b32": lambda c, a: a, "v_accvgpr_write_b32": lambda c, a: a,
    "v_accvgpr_mov_b32": lambda c, a: a,
})

for _n, _f in u3.items():
    op("v_%s_i32" % _n, lambda c, *s, f=_f: f([sx(x, 32) for x in s]) & M32)
    op("v_%s_u32" % _n, lambda c, *s, f=_f: f(s))
    op("v_%s_i16" % _n, lambda c, *s, f=_f: f([sx(x, 16) for x in s]) & M16)
    op("v_%s_u16" % _n, lambda c, *s, f=_f: f(s))

_HALF = {
    "add_u16": lambda c, a, b: a + b, "sub_u16": lambda c, a, b: a - b,
    "mul_lo_u16": lambda c, a, b: a * b, "lshlrev_b16": lambda c, a, b: b << (a & 15),
    "lshrrev_b16": lambda c, a, b: b >> (a & 15),
    "ashrrev_i16": lambda c, a, b: sx(b, 16) >> (a & 15),
    "max_u16": lambda c, a, b: max(a, b), "min_u16": lambda c, a, b: min(a, b),
    "max_i16": lambda c, a, b: max(sx(a, 16), sx(b, 16)),
    "min_i16": lambda c, a, b: min(sx(a, 16), sx(b, 16)),
    "add_i16": lambda c, a, b: a + b, "sub_i16": lambda c, a, b: a - b,
}
for _n, _f in _HALF.items():
    op("v_" + _n, lambda c, a, b, f=_f: f(c, a, b) & M16)
    op("v_pk_" + _n, halves(_f))
op("v_subrev_u16", lambda c, a, b: b - a & M16)
for _n in ("u16", "i16"):
    op("v_mad_" + _n, lambda c, a, b, d: a * b + d & M16)
    op("v_mad_legacy_" + _n, lambda c, a, b, d: a * b + d & M16)
    op("v_pk_mad_" + _n, halves(lambda c, a, b, d: a * b + d))
for _bits, _s, _n in ((16, 1, "v_dot2_i32_i16"), (16, 0, "v_dot2_u32_u16"),
                      (8, 1, "v_dot4_i32_i8"), (8, 0, "v_dot4_u32_u8"),
                      (4, 1, "v_dot8_i32_i4"), (4, 0, "v_dot8_u32_u4"),
                      (16, 1, "v_dot2c_i32_i16"), (8, 1, "v_dot4c_i32_i8"),
                      (4, 1, "v_dot8c_i32_i4")):
    op(_n, lambda c, a, b, d, bits=_bits, s=_s: dot(a, b, bits, s) + d & M32)


# ---- floating point ----

def legacy_mul(e, a, b):
    if not e.arg(a) & 0x7fffffff or not e.arg(b) & 0x7fffffff:
        return 0
    return e.mul(a, b)


def f32_of(x):
    return convert(x, F16, F32)


def dot2(single, c, a, b, d):
    """@single: a half as a float. Products (of bf16) and sums round to nearest, in order."""
    e = c.dots
    for k in (0, 16):
        d = e.add(e.mul(single(c, a >> k), single(c, b >> k)), d)
    return d


def dot2_then(c, a, b, d):
    """v_dot2_f32_bf16: the products are added before @d (AMD's CDNA4 ISA)."""
    e = c.dots
    p, q = (e.mul((a >> k & M16) << 16, (b >> k & M16) << 16) for k in (0, 16))
    return e.add(e.add(p, q), d)


def chosen(e, x):
    """What min and max give next to a NaN is flushed in halves alone, as far as is known."""
    return e.out(x) if e.f is F16 else x


def pairs(fn):
    return lambda c, *s: fn(c, *[x & M32 for x in s]) | fn(c, *[x >> 32 for x in s]) << 32


for _t, _e in (("f32", "s"), ("f64", "d"), ("f16", "h")):
    def _env(c, e=_e):
        return getattr(c, e)
    op("v_add_" + _t, lambda c, a, b, e=_env: e(c).add(a, b))
    op("v_mul_" + _t, lambda c, a, b, e=_env: e(c).mul(a, b))
    op("v_fma_" + _t, lambda c, a, b, d, e=_env: e(c).fma(a, b, d))
    op("v_min_" + _t, lambda c, a, b, e=_env: chosen(e(c), e(c).minmax(a, b, False)))
    op("v_max_" + _t, lambda c, a, b, e=_env: chosen(e(c), e(c).minmax(a, b, True)))
    for _n, _m in (("trunc", 3), ("ceil", 1), ("floor", 2), ("rndne", 0)):
        op("v_%s_%s" % (_n, _t), lambda c, a, e=_env, m=_m: e(c).integral(a, m))
    op("v_fract_" + _t, lambda c, a, e=_env: e(c).fract(a))

    def _approx(c, e="flushed" if _e == "s" else _e):
        return getattr(c, e)
    op("v_sqrt_" + _t, lambda c, a, e=_approx: e(c).sqrt(a))
    op("v_rcp_" + _t, lambda c, a, e=_approx: e(c).div(e(c).f.bias << e(c).f.mbits, a))
    op("v_frexp_mant_" + _t, lambda c, a, e=_env: e(c).out(e(c).frexp_mant(a)))
    if _t != "f64":
        op("v_sub_" + _t, lambda c, a, b, e=_env: sub(e(c), a, b))
        op("v_subrev_" + _t, lambda c, a, b, e=_env: sub(e(c), b, a))
        for _n, _w in (("min3", False), ("max3", True)):
            op("v_%s_%s" % (_n, _t), lambda c, x, y, z, e=_env, w=_w:
               chosen(e(c), e(c).minmax(e(c).minmax(x, y, w), z, w)))
        op("v_med3_" + _t, lambda c, x, y, z, e=_env: chosen(e(c), e(c).med3(x, y, z)))


def sub(e, a, b):
    n = e.nan_of(a, b)
    return n if n is not None else e.add(a, b ^ e.f.sign)


def ulp_op(name, env, fn, units=1):
    """A function of a finite number: fn gives a Fraction, or bits as int."""
    def run(c, a):
        e = getattr(c, env)
        n = e.nan_of(a)
        if n is not None:
            return n
        v = fn(e, e.arg(a))
        return v if isinstance(v, int) else e.out(e.f.round(v, e.rnd, True))
    op(name, run)
    if units:
        APPROX[name] = units


def rsq(e, a):
    f = e.f
    if not a & ~f.sign:
        return a | f.inf
    if a & f.sign:
        return f.default
    return 0 if f.isinf(a) else 1 / ieee.sqrt_approx(f.value(a))


def exp_(e, a):
    f = e.f
    if f.isinf(a):
        return 0 if f.neg(a) else a
    return ieee.exp2(f.value(a))


def log_(e, a):
    f = e.f
    if not a & ~f.sign:
        return f.sign | f.inf
    if a & f.sign:
        return f.default
    return a if f.isinf(a) else ieee.log2(f.value(a))


def trig(quarter):
    def fn(e, a):
        f = e.f
        if f.isinf(a):
            return f.default
        v = f.value(a)
        if abs(v) > 256:        # "out of range input results in 0 (sin), 1 (cos)"
            return Fraction(1) if quarter else 0
        r = ieee.sin_turns(v + (Fraction(1, 4) if quarter else 0))
        return a & f.sign if r == 0 and not quarter else r
    return fn


for _t, _e, _a in (("f32", "s", "flushed"), ("f16", "h", "h")):
    ulp_op("v_rsq_" + _t, _a, rsq)
    ulp_op("v_exp_" + _t, _a, exp_)
    ulp_op("v_log_" + _t, _a, log_)
    ulp_op("v_sin_" + _t, _e, trig(False))
    ulp_op("v_cos_" + _t, _e, trig(True))
ulp_op("v_rsq_f64", "d", rsq)
ulp_op("v_exp_legacy_f32", "flushed", exp_)
ulp_op("v_log_legacy_f32", "flushed", log_)
op("v_rcp_iflag_f32", OPS["v_rcp_f32"])

for _n in ("fmac", "fmamk", "fmaak"):
    op("v_%s_f32" % _n, OPS["v_fma_f32"])
op("v_fmac_f64", OPS["v_fma_f64"])
op("v_fma_legacy_f16", OPS["v_fma_f16"])


def mad32(c, a, b, d):
    return c.flushed.add(c.flushed.mul(a, b), d)


def mad16(c, a, b, d):
    """Denormals are flushed at the ends only, if MODE says so."""
    e = Env(F16, c.h.rnd, 3, 1)
    a, b, d = c.h.arg(a), c.h.arg(b), c.h.arg(d)
    return c.h.out(e.add(e.mul(a, b), d))


for _n in ("mad", "mac", "madmk", "madak"):
    op("v_%s_f32" % _n, mad32)
    op("v_%s_f16" % _n, mad16)
op("v_mad_legacy_f16", mad16)
op("v_mul_legacy_f32", lambda c, a, b: legacy_mul(c.s, a, b))
op("v_mad_legacy_f32", lambda c, a, b, d: c.flushed.add(legacy_mul(c.flushed, a, b), d))
op("v_fma_mix_f32", OPS["v_fma_f32"])


def fma_mix16(c, a, b, d):
    """The single-precision sum rounds as halves do, then becomes one."""
    e = Env(F32, c.h.rnd, c.mode >> 6 & 3, 1)
    return convert(e.fma(a, b, d), F32, F16, c.h.rnd, c.h.keep_out)


op("v_fma_mixlo_f16", fma_mix16)
op("v_fma_mixhi_f16", fma_mix16)
for _n in ("add", "mul", "fma", "min", "max"):
    op("v_pk_%s_f16" % _n, halves(OPS["v_%s_f16" % _n]))
op("v_pk_fmac_f16", halves(OPS["v_fma_f16"]))
for _n in ("add", "mul", "fma"):
    op("v_pk_%s_f32" % _n, pairs(OPS["v_%s_f32" % _n]))
op("v_pk_mov_b32", lambda c, a, b: a & M32 | b >> 32 << 32)
for _n in ("v_dot2_f32_f16", "v_dot2c_f32_f16"):
    op(_n, lambda *v: dot2(lambda c, x: f32_of(c.dot_half.arg(x)), *v))
op("v_dot2_f32_bf16", dot2_then)
op("v_dot2c_f32_bf16", lambda *v: dot2(lambda c, x: (x & M16) << 16, *v))

op("v_ldexp_f32", lambda c, a, b: c.s.ldexp(a, sx(b, 32)))
op("v_ldexp_f64", lambda c, a, b: c.d.ldexp(a, sx(b, 32)))
op("v_ldexp_f16", lambda c, a, b: c.h.ldexp(a, sx(b, 16)))
op("v_frexp_exp_i32_f32", lambda c, a: c.s.frexp_exp(a) & M32)
op("v_frexp_exp_i32_f64", lambda c, a: c.d.frexp_exp(a) & M32)
op("v_frexp_exp_i16_f16", lambda c, a: c.h.frexp_exp(a) & M16)

# conversions
I32, U32 = (-1 << 31, (1 << 31) - 1), (0, M32)


def to_f(e, v):
    return e.f.round(Fraction(v), e.rnd)


def rpi(c, a):
    """floor(a + 0.5) in single precision: the sum is rounded"""
    return c.s.to_int(Env(F32, 0, 3, 0).add(c.s.arg(a), 0x3f000000), *I32, mode=2) & M32


def norm(f, x, lo, scale):
    """To a normalised integer, rounded to nearest even."""
    if f.isnan(x):
        return 0
    v = (Fraction(-2) if f.neg(x) else Fraction(2)) if f.isinf(x) else f.value(x)
    v = max(Fraction(lo), min(Fraction(1), v)) * scale
    k = ieee.Format._units(abs(v), 0, 0, v < 0)
    return (-k if v < 0 else k) & M16


def pknorm(env, lo, scale):
    return lambda c, a, b: norm(getattr(c, env).f, getattr(c, env).arg(a), lo, scale) | \
        norm(getattr(c, env).f, getattr(c, env).arg(b), lo, scale) << 16


def pk_u8(c, a, b, d):
    at = 8 * (b & 3)
    return d & ~(255 << at) & M32 | F32_INT(a, 0, 255) << at


def F32_INT(a, lo, hi):
    return Env(F32, 0, 3, 0).to_int(a, lo, hi)


def pkrtz(c, a, b):
    return convert(c.s.arg(a), F32, F16, 3) | convert(c.s.arg(b), F32, F16, 3) << 16


table({
    "v_cvt_f32_i32": lambda c, a: to_f(c.s, sx(a, 32)), "v_cvt_f32_u32": lambda c, a: to_f(c.s, a),
    "v_cvt_f64_i32": lambda c, a: to_f(c.d, sx(a, 32)), "v_cvt_f64_u32": lambda c, a: to_f(c.d, a),
    "v_cvt_i32_f32": lambda c, a: c.s.to_int(a, *I32) & M32,
    "v_cvt_u32_f32": lambda c, a: c.s.to_int(a, *U32),
    "v_cvt_i32_f64": lambda c, a: c.d.to_int(a, *I32) & M32,
    "v_cvt_u32_f64": lambda c, a: c.d.to_int(a, *U32),
    "v_cvt_rpi_i32_f32": rpi,
    "v_cvt_flr_i32_f32": lambda c, a: c.s.to_int(c.s.arg(a), *I32, mode=2) & M32,
    "v_cvt_off_f32_i4": lambda c, a: to_f(c.s, Fraction(sx(a, 4), 16)),
    "v_cvt_f16_f32": lambda c, a: convert(c.s.arg(a), F32, F16, c.h.rnd, c.h.keep_out),
    "v_cvt_f32_f16": lambda c, a: convert(a, F16, F32),
    "v_cvt_f64_f32": lambda c, a: convert(c.s.arg(a), F32, F64),
    "v_cvt_f32_f64": lambda c, a: convert(c.d.arg(a), F64, F32, c.s.rnd, c.s.keep_out),
    "v_cvt_f16_u16": lambda c, a: to_f(c.h, a), "v_cvt_f16_i16": lambda c, a: to_f(c.h, sx(a, 16)),
    "v_cvt_u16_f16": lambda c, a: c.h.to_int(c.h.arg(a), 0, M16),
    "v_cvt_i16_f16": lambda c, a: c.h.to_int(c.h.arg(a), -32768, 32767) & M16,
    "v_cvt_norm_i16_f16": lambda c, a: norm(F16, c.h.arg(a), -1, 32767),
    "v_cvt_norm_u16_f16": lambda c, a: norm(F16, c.h.arg(a), 0, 65535),
    "v_cvt_pknorm_i16_f16": pknorm("h", -1, 32767), "v_cvt_pknorm_u16_f16": pknorm("h", 0, 65535),
    "v_cvt_pknorm_i16_f32": pknorm("s", -1, 32767), "v_cvt_pknorm_u16_f32": pknorm("s", 0, 65535),
    "v_cvt_pkrtz_f16_f32": pkrtz, "v_cvt_pk_u8_f32": pk_u8,
    "v_cvt_pkaccum_u8_f32": lambda c, a, b, old: pk_u8(c, a, b, old),
})
for _k in range(4):
    op("v_cvt_f32_ubyte%d" % _k, lambda c, a, k=_k: F32.round(Fraction(a >> 8 * k & 255)))


# cube maps: face of the largest coordinate, z before y before x
def cube(what):
    def size(c, v):
        v = c.s.arg(v)
        return None if F32.isnan(v) else Fraction(1 << 200) if F32.isinf(v) else abs(F32.value(v))

    def least(p, q):
        return p is not None and q is not None and p >= q

    def run(c, x, y, z):
        ax, ay, az = size(c, x), size(c, y), size(c, z)
        face = 2 if least(az, ax) and least(az, ay) else 1 if least(ay, ax) else 0
        m = (x, y, z)[face]
        neg = F32.neg(m) and bool(c.s.arg(m) & 0x7fffffff) and not F32.isnan(m)
        flip = lambda v, s: v ^ (0x80000000 if s else 0)
        if what == "id":
            return F32.round(Fraction(2 * face + neg))
        if what == "ma":
            return c.s.mul(m, 0x40000000)
        if what == "sc":
            return x if face == 1 else flip(x, neg) if face == 2 else flip(z, not neg)
        return flip(z, neg) if face == 1 else flip(y, True)
    return run


for _w in ("id", "ma", "sc", "tc"):
    op("v_cube%s_f32" % _w, cube(_w))


table(division.ROWS)


# compares
REL = {"f": (), "lt": (-1,), "eq": (0,), "le": (-1, 0), "gt": (1,), "lg": (-1, 1), "ge": (0, 1),
       "o": (-1, 0, 1), "u": (None,), "nge": (None, -1), "nlg": (None, 0), "ngt": (None, -1, 0),
       "nle": (None, 1), "neq": (None, -1, 1), "nlt": (None, 0, 1), "tru": (None, -1, 0, 1)}
INT_REL = {"f": (), "lt": (-1,), "eq": (0,), "le": (-1, 0), "gt": (1,), "ne": (-1, 1),
           "ge": (0, 1), "t": (-1, 0, 1)}
for _x in ("v_cmp_", "v_cmpx_"):
    for _t, _e in (("f16", "h"), ("f32", "s"), ("f64", "d")):
        for _r, _w in REL.items():
            op("%s%s_%s" % (_x, _r, _t),
               lambda c, a, b, e=_e, w=_w: getattr(c, e).compare(a, b) in w)
    for _bits in (16, 32, 64):
        for _r, _w in INT_REL.items():
            op("%s%s_i%d" % (_x, _r, _bits), lambda c, a, b, n=_bits, w=_w:
               (sx(a, n) > sx(b, n)) - (sx(a, n) < sx(b, n)) in w)
            op("%s%s_u%d" % (_x, _r, _bits), lambda c, a, b, w=_w: (a > b) - (a < b) in w)


def classes(f):
    def run(c, a, b):
        if f.isnan(a):
            bit = 0 if f.issnan(a) else 1
        elif f.isinf(a):
            bit = 2 if f.neg(a) else 9
        elif f.exponent(a):
            bit = 3 if f.neg(a) else 8
        elif a & ~f.sign:
            bit = 4 if f.neg(a) else 7
        else:
            bit = 5 if f.neg(a) else 6
        return bool(b >> bit & 1)
    return run


for _x in ("v_cmp_", "v_cmpx_"):
    for _t, _f in (("f16", F16), ("f32", F32), ("f64", F64)):
        op("%sclass_%s" % (_x, _t), classes(_f))


# 8-bit floats, FNUZ: bias 8 or 16, 0x80 is the only NaN, no infinities
def fp8_value(x, mbits):
    bias, e, m = 1 << (6 - mbits), x >> mbits & ((1 << (7 - mbits)) - 1), x & ((1 << mbits) - 1)
    v = (m + (1 << mbits)) * ieee.pow2(e - bias - mbits) if e else m * ieee.pow2(1 - bias - mbits)
    return -v if x & 0x80 else v


def fp8_f32(x, mbits):
    return 0x7fc00000 if x & 0xff == 0x80 else F32.round(fp8_value(x & 0xff, mbits))


def fp8_of(v, mbits):
    """The nearest code, ties to the even one; NaN if that is beyond the largest."""
    a, lo, hi = abs(v), 0, 0x80
    while hi - lo > 1:
        mid = (lo + hi) // 2
        lo, hi = (mid, hi) if fp8_value(mid, mbits) <= a else (lo, mid)
    top = fp8_value(0x7f, mbits)
    up = fp8_value(hi, mbits) if hi < 0x80 else 2 * top - fp8_value(0x7e, mbits)
    down = fp8_value(lo, mbits)
    code = lo if a - down < up - a or (a - down == up - a and not lo & 1) else hi
    if code == 0x80:
        return 0x80
    return code | 0x80 * (v < 0) if code else 0


def fp8_rne(x, mbits):
    return 0x80 if F32.exponent(x) == 255 else fp8_of(F32.value(x), mbits)


def fp8_sr(c, x, rnd, mbits):
    size = x & 0x7fffffff
    if size >= 0x7f800000:
        return 0x80
    if size:
        size += rnd >> (9 + mbits)
    top, step = fp8_value(0x7f, mbits), fp8_value(0x7f, mbits) - fp8_value(0x7e, mbits)
    if size >= 0x7f800000 or F32.value(size) >= top + step:
        return 0x80
    code = max(k for k in range(0x80) if fp8_value(k, mbits) <= F32.value(size))
    return code | 0x80 * (x >> 31) if code else 0


for _n, _m in (("fp8", 3), ("bf8", 2)):
    op("v_cvt_f32_" + _n, lambda c, a, m=_m: fp8_f32(a, m))
    op("v_cvt_pk_f32_" + _n, lambda c, a, m=_m: fp8_f32(a, m) | fp8_f32(a >> 8, m) << 32)
    op("v_cvt_pk_%s_f32" % _n, lambda c, a, b, m=_m: fp8_rne(a, m) | fp8_rne(b, m) << 8)
    op("v_cvt_sr_%s_f32" % _n, lambda c, a, b, m=_m: fp8_sr(c, a, b, m))
