# SPDX-License-Identifier: MIT
"""The helpers of division, and v_trig_preop_f64: ROWS as in valu.OPS."""

from fractions import Fraction

import ieee
from ieee import F16, F64


def fixup(env, far=None):
    """@far: below it, the difference of exponents says that the quotient is too small."""
    def run(c, q, b, a):
        e = getattr(c, env)
        f = e.f
        s = (a ^ b) & f.sign
        for x in (a, b):
            if f.isnan(x):
                return x | f.quiet
        zero = lambda x: not e.arg(x) & ~f.sign
        if (zero(b) and zero(a)) or (f.isinf(b) and f.isinf(a)):
            return f.default
        if zero(b) or f.isinf(a):
            return s | f.inf
        if f.isinf(b) or zero(a) or far and f.exponent(a) - f.exponent(b) < far:
            return s
        # a quotient that is no number overflowed on its way; halves are not scaled
        return s | (f.inf if f.isnan(q) and f is not F16 else q & ~f.sign)
    return run


def div_scale(env, far, step, low):
    """AMD's text with the errata that make divisions come out right: with 1/b
    and a/b both denormal b is scaled down."""
    def run(c, x, b, a):
        e = getattr(c, env)
        f = e.f
        if not e.arg(b) & ~f.sign or not e.arg(a) & ~f.sign:
            return f.inf | f.quiet, 0
        if f.exponent(a) == f.emax or f.exponent(b) == f.emax:
            tiny_r = f.isinf(b)
            tiny_q = f.isinf(b) and f.exponent(a) != f.emax
        else:
            tiny_r = abs(1 / f.value(b)) < f.tiny
            tiny_q = abs(f.value(a) / f.value(b)) < f.tiny
        vcc, n = 0, 0
        if f.exponent(a) - f.exponent(b) >= far:
            vcc, n = 1, step if x == b else 0
        elif not f.exponent(b):
            n = step
        elif tiny_r and tiny_q:
            vcc, n = 1, -step if x == b else 0
        elif tiny_r:
            n = -step
        elif tiny_q:
            vcc, n = 1, step if x == a else 0
        elif f.exponent(a) <= low:
            n = step
        if f.isnan(x):
            return x | f.quiet, vcc
        if not n or f.isinf(x):
            return x, vcc
        v = f.value(e.arg(x)) * ieee.pow2(n)
        return e.done(v, f.neg(x)), vcc
    return run


def div_fmas(env, step):
    def run(c, x, y, z):
        e = getattr(c, env)
        r = e.fma(x, y, z)
        f = e.f
        if not c.cin or e.nan_of(x, y, z) is not None or f.exponent(r) == f.emax and (
                f.isnan(r) or f.isinf(x) or f.isinf(y) or f.isinf(z)):
            return r
        n = step if f.exponent(z) > f.bias else -step
        x, y, z = e.arg(x), e.arg(y), e.arg(z)
        v = (f.value(x) * f.value(y) + f.value(z)) * ieee.pow2(n)
        s = (x ^ y) & f.sign
        return e.done(v, bool(s) if s == z & f.sign else e.rnd == 2)
    return run


def two_over_pi():
    """1201 bits of 2/pi, of a pi of its own"""
    bits = 1400
    unit = 1 << bits
    pi = 4 * (4 * ieee.arctan_inverse(5, unit) - ieee.arctan_inverse(239, unit))
    return (2 * unit * unit // pi) >> (bits - 1201)


TWO_OVER_PI = two_over_pi()


def trig_preop(c, a, b):
    e = F64.exponent(c.d.arg(a))
    shift = (b & 31) * 53 + max(0, e - 1077)
    v = (TWO_OVER_PI << 4096 >> (4096 + 1201 - 53 - shift) if shift <= 1148 else
         TWO_OVER_PI << (shift - 1148)) & ((1 << 53) - 1)
    scale = -53 - shift + (128 if e >= 1968 else 0)
    return c.d.out(F64.round(Fraction(v) * ieee.pow2(scale)))


ROWS = {
    "v_div_fixup_f32": fixup("s", -150),
    "v_div_fixup_f64": fixup("d", -1075),
    "v_div_fixup_f16": fixup("h"),
    "v_div_fixup_legacy_f16": fixup("h"),
    "v_div_scale_f32": div_scale("s", 96, 64, 23),
    "v_div_scale_f64": div_scale("d", 768, 128, 53),
    "v_div_fmas_f32": div_fmas("s", 64),
    "v_div_fmas_f64": div_fmas("d", 128),
    "v_trig_preop_f64": trig_preop,
}
