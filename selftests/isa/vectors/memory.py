# SPDX-License-Identifier: MIT
"""The window of memory that cases of any kind of memory use, and what atomics do to it."""

import struct

import cases
from cases import Case, FULL, LANES, M32, old_v
from ieee import F16, F32, F64, Env
from valu import popcount, sx

VA = 0x108000           # of the data window
BYTES = 4096
ADDR, DATA, DATA2, DST = 8, 12, 16, 20
BASE, OFF, SDATA, SDST = 40, 44, 48, 60
M64 = (1 << 64) - 1
SHARED, PRIVATE = 0x10000 << 32, 0x20000 << 32


class Memory:
    """The window, and what of it has changed."""

    def __init__(self, key, old):
        self.key = key
        self.bytes = bytearray(b"".join(struct.pack("<I", old(4 * k)) for k in range(BYTES // 4)))
        self.before = bytes(self.bytes)

    def get(self, at, n):
        if at < 0 or at + n > BYTES:
            return None
        return int.from_bytes(self.bytes[at:at + n], "little")

    def put(self, at, v, n):
        if 0 <= at and at + n <= BYTES:
            self.bytes[at:at + n] = (v & (1 << 8 * n) - 1).to_bytes(n, "little")

    def preset(self, case, at, v, n):
        """Before the instruction, by whole dwords."""
        self.put(at, v, n)
        case.put(self.key, at, *[v >> 32 * k & M32 for k in range(n // 4)])
        self.before = bytes(self.bytes)

    def expect(self, case):
        k = 0
        while k < BYTES:
            end = k
            while end < BYTES and self.bytes[end:end + 4] != self.before[end:end + 4]:
                end += 4
            if end > k:
                case.put(self.key.upper(), k, *struct.unpack("<%dI" % ((end - k) // 4),
                                                             self.bytes[k:end]))
            k = end + 4


def window():
    return Memory("m", cases.old_m)


def lds():
    return Memory("l", cases.old_l)


# ---- read-modify-write ----

def float_pick(f, old, data, want_max):
    """Signalling NaNs win, quieted; a number wins over a quiet one."""
    for x in (old, data):
        if f.issnan(x):
            return x | f.quiet
    if f.isnan(old) or f.isnan(data):
        return data if f.isnan(old) and not f.isnan(data) else old
    c = Env(f, 0, 3, 1).compare(data, old)
    return data if c == (1 if want_max else -1) else old


def bf16_add(a, b):
    r = Env(F32, 0, 3, 1).add(a << 16, b << 16)
    if F32.isnan(r):
        return r >> 16 | 0x40
    return r + 0x7fff + (r >> 16 & 1) >> 16


def halves(fn, a, b):
    return fn(a & 0xffff, b & 0xffff) | fn(a >> 16, b >> 16) << 16


def rmw(kind, bits, old, x, y=0, flush=False):
    """@x the operand; compare-and-swap stores @x where it finds @y."""
    m = (1 << bits) - 1
    f = F32 if bits == 32 else F64
    keep = 0 if flush else 3
    return {
        "swap": lambda: x, "cmpswap": lambda: x if old == y else old,
        "add": lambda: old + x & m, "sub": lambda: old - x & m, "rsub": lambda: x - old & m,
        "smin": lambda: min(sx(old, bits), sx(x, bits)) & m, "umin": lambda: min(old, x),
        "smax": lambda: max(sx(old, bits), sx(x, bits)) & m, "umax": lambda: max(old, x),
        "and": lambda: old & x, "or": lambda: old | x, "xor": lambda: old ^ x,
        "inc": lambda: 0 if old >= x else old + 1,
        "dec": lambda: x if old == 0 or old > x else old - 1,
        "mskor": lambda: old & ~x | y, "wrap": lambda: old - x if old >= x else old + y & m,
        "fadd": lambda: Env(f, 0, keep, 1).add(old, x),
        "fmin": lambda: float_pick(f, old, x, False), "fmax": lambda: float_pick(f, old, x, True),
        "fcmpswap": lambda: x if Env(f, 0, 3, 1).compare(old, y) == 0 else old,
        "pk_add_f16": lambda: halves(Env(F16, 0, 3, 1).add, old, x),
        "pk_add_bf16": lambda: halves(bf16_add, old, x),
    }[kind]() & m


def operand(kind, bits, rng):
    if kind in ("pk_add_f16", "pk_add_bf16"):
        return cases.f16(rng) | cases.f16(rng) << 16
    if kind[0] == "f":
        return cases.f32(rng) if bits == 32 else cases.f64(rng)
    if kind in ("inc", "dec", "wrap") and rng.random() < 0.6:
        return rng.getrandbits(3)
    return cases.integer(rng, bits)


def atomic(book, target, op, encode, mem_of, kind, bits, rtn, prepare, flush=False):
    """Atomics of lanes: each its own place, then all the same one."""
    two = kind in ("cmpswap", "fcmpswap", "mskor", "wrap")
    n = bits // 8
    ident = "%s %s %d" % (op.name, flush, rtn)
    for shared in (False, True):
        c = Case(op.name, op.enc, [op.word], LANES)
        rng = cases.random.Random(ident + str(shared))
        execmask = FULL if not shared else cases.exec_of(rng)
        c.count = popcount(execmask)
        mem = mem_of()
        order = list(range(LANES))
        rng.shuffle(order)
        at = [64 if shared else 256 + n * k for k in order]
        x = [operand(kind, bits, rng) for _ in range(LANES)]
        y = [operand(kind, bits, rng) for _ in range(LANES)]
        for k in range(LANES):
            if not shared or k == 0:
                v = operand(kind, bits, rng)
                if kind == "wrap" and rng.random() < 0.5:
                    v = x[k]
                mem.preset(c, at[k], v, n)
                if two and "cmp" in kind and rng.random() < 0.5:
                    y[k] = v
        olds = [sum(old_v(DST + j, k) << 32 * j for j in range(n // 4)) for k in range(LANES)]
        got = list(olds)
        for k in range(LANES):
            if execmask >> k & 1:
                got[k] = mem.get(at[k], n)
                mem.put(at[k], rmw(kind, bits, got[k], x[k], y[k], flush), n)
        if execmask != FULL:
            c.put("exec", execmask)
        prepare(c, at, x, y, n // 4)
        if rtn:
            c.rows("V", rtn, [g if execmask >> k & 1 else (olds[k] if rtn == DST else x[k])
                              for k, g in enumerate(got)], n // 4)
        mem.expect(c)
        c.words = encode()
        book.add(c, target)
