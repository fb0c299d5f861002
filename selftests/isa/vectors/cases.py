# SPDX-License-Identifier: MIT
"""Test cases as text, and the state of a wave that they start from.

	case NAME ENC TARGETS COUNT	TARGETS: bits of tab.TARGETS; COUNT: vectors
	w WORD...			the instruction
	mode X | exec X | scc X		state before, where it is not the usual one
	s CODE WORD...			scalar registers from operand code CODE on
	v ROW WORD...			one word for all lanes, or 64
	m OFFSET WORD... | l ...	memory, LDS
	S V M L scc! mode! exec! ...	what is expected, in the same way
	u ULP				how far floats in V may be off
	stop WHY [INFO]			why the wave stops, if not at its end
	pc BYTES			where it goes on, from the instruction
	end

What no line names holds pattern() and must not change.
"""

import random

import tab

M32 = 0xffffffff
LANES = 64
FULL = (1 << 64) - 1
PATTERN_V, PATTERN_S, PATTERN_M, PATTERN_L = 0x10000, 0x20000, 0x30000, 0x40000
MODE = 0x3f0        # keep denormals, IEEE, DX10_CLAMP


def pattern(i):
    x = (i + 1) * 2654435761 & M32
    x ^= x >> 15
    x = x * 0x85ebca6b & M32
    return x ^ x >> 13


def old_v(row, lane):
    return pattern(PATTERN_V + row * LANES + lane)


def old_s(code):
    return pattern(PATTERN_S + code)


def old_m(at):
    return pattern(PATTERN_M + at // 4)


def old_l(at):
    return pattern(PATTERN_L + at // 4)


def mask_of(targets):
    return sum(1 << tab.TARGETS.index(t) for t in targets)


class Case:
    def __init__(self, name, enc, words, count=LANES):
        self.name, self.enc, self.words, self.count = name, enc, words, count
        self.lines = []
        self.rng = random.Random("%s %s %s" % (name, enc, words))

    def put(self, key, *values):
        self.lines.append(key + "".join(" %x" % v for v in values))

    def scalars(self, key, code, value, dwords):
        self.put(key, code, *[value >> 32 * k & M32 for k in range(dwords)])

    def rows(self, key, row, values, dwords=1):
        """@values: an integer a lane."""
        for k in range(dwords):
            column = [v >> 32 * k & M32 for v in values]
            self.put(key, row + k, *(column[:1] if len(set(column)) == 1 else column))

    def text(self, targets):
        head = "case %s %s %x %d\nw%s\n" % (self.name, self.enc, targets, self.count,
                                            "".join(" %x" % w for w in self.words))
        return head + "\n".join(self.lines) + "\nend\n"


class Book:
    """Cases; the same one for several targets is written once."""

    def __init__(self):
        self.order, self.targets, self.known = [], {}, {}

    def add(self, case, target, ident=None):
        key = (case.name, case.enc, tuple(case.words), tuple(case.lines))
        if key not in self.targets:
            self.targets[key] = 0
            self.order.append((key, case))
        self.targets[key] |= mask_of([target])
        if ident:
            self.known[ident] = key

    def again(self, ident, target):
        """Whether what @ident names was made for another target; then it is this one's, too."""
        key = self.known.get(ident)
        if key:
            self.targets[key] |= mask_of([target])
        return bool(key)

    def write(self, f):
        for key, case in self.order:
            f.write(case.text(self.targets[key]))


# ---- operand values: corners and random bits ----

F32_CORNERS = [0, 1, 0x80000000, 0x80000001, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
               0x7f800001, 0xff9abcde, 0x00800000, 0x007fffff, 0x80800000, 0x7f7fffff, 0x3f800000,
               0xbf800000, 0x3f000000, 0xbf000000, 0x3f7fffff, 0x4b000000, 0x4affffff, 0x4f000000,
               0x4effffff, 0x4f800000, 0xcf000000, 0x43800000, 0x3e800000, 0x3fc00000, 0x40200000]
INT_CORNERS = [0, 1, 2, 31, 32, 33, 63, 64, 255, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
               0xffffffff, 0x00ff00ff, 0x7fff8000, 0x80007fff, 0xffff0000, 0x01010101, 0x0c0d0bff]
F16_CORNERS = [0, 1, 0x8000, 0x8001, 0x7c00, 0xfc00, 0x7e00, 0xfe12, 0x7c01, 0xfd55, 0x0400, 0x03ff,
               0x8400, 0x7bff, 0xfbff, 0x3c00, 0xbc00, 0x3800, 0x3bff, 0x6400, 0x63ff, 0x7800]
F64_CORNERS = [0, 1, 1 << 63, 0x7ff0 << 48, 0xfff0 << 48, 0x7ff8 << 48, 0xfff8000000012345,
               0x7ff0000000000001, 0x0010 << 48, 0x000fffffffffffff, 0x7fefffffffffffff,
               0x3ff0 << 48, 0xbff0 << 48, 0x3fe0 << 48, 0x41dfffffffc00000, 0x41e0 << 48,
               0xc1e0 << 48, 0x41f0 << 48, 0x4330 << 48, 0x3ff8 << 48, 0x8000000000000001]
I64_CORNERS = [0, 1, M32, 1 << 32, 1 << 63, FULL, FULL >> 1, (1 << 63) + 1]


def f32(rng):
    k = rng.random()
    if k < 0.25:
        return rng.choice(F32_CORNERS)
    if k < 0.65:    # of middling size
        return rng.getrandbits(32) & 0x80ffffff | rng.randrange(0x30, 0x4f) << 24
    if k < 0.75:
        return rng.getrandbits(32) & 0x80ffffff
    return rng.getrandbits(32)


def f16(rng):
    return rng.choice(F16_CORNERS) if rng.random() < 0.25 else rng.getrandbits(16)


def f64(rng):
    k = rng.random()
    if k < 0.25:
        return rng.choice(F64_CORNERS)
    if k < 0.65:
        return rng.getrandbits(64) & 0x800fffffffffffff | rng.randrange(0x3c0, 0x440) << 52
    if k < 0.7:
        return rng.getrandbits(64) & 0x803fffffffffffff
    return rng.getrandbits(64)


def integer(rng, bits=32):
    k = rng.random()
    if bits == 64:
        return rng.choice(I64_CORNERS) if k < 0.3 else rng.getrandbits(64)
    if k < 0.25:
        return rng.choice(INT_CORNERS)
    return rng.getrandbits(8) if k < 0.4 else rng.getrandbits(32)


def exec_of(rng):
    return rng.choice([rng.getrandbits(64), rng.getrandbits(64) | rng.getrandbits(64),
                       0x5555555555555555, 1 << 63, FULL >> 7])
