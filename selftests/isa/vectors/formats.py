# SPDX-License-Identifier: MIT
"""Formatted elements: what a component in memory is in a register, and back.

Conversions to and from normalised numbers are exact and rounded once, to
nearest even; integers lose what does not fit.
"""

from fractions import Fraction

import cases
from ieee import F16, F32, Format, convert
from valu import sx

UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT = 0, 1, 2, 3, 4, 5, 7
# data format: bits of the components, from the least significant on
BITS = {1: (8,), 4: (32,), 5: (16, 16), 8: (2, 10, 10, 10), 9: (10, 10, 10, 2), 10: (8,) * 4,
        11: (32, 32), 12: (16,) * 4, 14: (32,) * 4}


def components(dfmt):
    return len(BITS[dfmt])


def size(dfmt):
    return sum(BITS[dfmt]) // 8


def draw(nfmt, d16, rng):
    if nfmt in (UINT, SINT):
        return cases.integer(rng)
    if d16:
        return cases.f16(rng) | cases.f16(rng) << 16
    return cases.f32(rng)


def to_register(nfmt, bits, x, d16):
    """A component as a register's value."""
    f = F16 if d16 else F32
    if nfmt == UINT:
        return x & 0xffff if d16 else x
    if nfmt == SINT:
        x = sx(x, bits)
        return x & (0xffff if d16 else 0xffffffff)
    if nfmt == FLOAT:
        src = F32 if bits == 32 else F16
        if src is f:
            return x
        return convert(x, src, f)
    if nfmt == UNORM:
        return f.round(Fraction(x, (1 << bits) - 1))
    if nfmt == SNORM:
        return f.round(max(Fraction(-1), Fraction(sx(x, bits), (1 << bits - 1) - 1)))
    return f.round(Fraction(x if nfmt == USCALED else sx(x, bits)))


def load(dfmt, nfmt, element, comps, d16):
    """@element None: out of range, all zero."""
    out = []
    for k in range(comps):
        if element is None:
            out.append(0)
        elif k < components(dfmt):
            at = sum(BITS[dfmt][:k])
            bits = BITS[dfmt][k]
            out.append(to_register(nfmt, bits, element >> at & (1 << bits) - 1, d16))
        else:           # what the format lacks
            out.append(0)
    return out


def from_register(nfmt, bits, x, d16):
    f = F16 if d16 else F32
    m = (1 << bits) - 1
    if nfmt == UINT:
        return min(x & 0xffff if d16 else x, m)
    if nfmt == SINT:
        return max(-1 << bits - 1, min(sx(x, 16 if d16 else 32), m >> 1)) & m
    if nfmt == FLOAT:
        dst = F32 if bits == 32 else F16
        return x if dst is f else convert(x, f, dst)
    lo, hi, scale = {UNORM: (0, 1, m), SNORM: (-1, 1, m >> 1), USCALED: (0, m, 1),
                     SSCALED: (-1 << bits - 1, m >> 1, 1)}[nfmt]
    if f.isnan(x):
        return 0
    v = Fraction(lo if f.neg(x) else hi) if f.isinf(x) else f.value(x)
    v = max(Fraction(lo), min(Fraction(hi), v)) * scale
    k = Format._units(abs(v), 0, 3 if scale == 1 else 0, v < 0)
    return (-k if v < 0 else k) & m


def store(dfmt, nfmt, values, d16):
    """Components that the instruction does not have are 0."""
    at = element = 0
    for k, v in enumerate(values):
        element |= from_register(nfmt, BITS[dfmt][k], v, d16) << at
        at += BITS[dfmt][k]
    return element
