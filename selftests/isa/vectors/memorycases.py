# SPDX-License-Identifier: MIT
"""Cases of LDS, flat and buffer memory, from the ISA's text."""

import re

import cases
import formats
import tab
from cases import Case, FULL, LANES, M32, old_v
from memory import (VA, BYTES, ADDR, DATA, DATA2, DST, BASE, OFF, SHARED, PRIVATE, window, lds,
                    rmw, operand, atomic)
from scalarcases import STOP
from valu import popcount, sx

# ---- DS ----

DS_KIND = {"cmpst": "cmpswap", "wrxchg": "swap", "mskor": "mskor", "wrap": "wrap", "pk_add": "pk_add"}


def ds_words(op, off=0, off1=0, gds=0):
    w = op.word | off & 0xff | off1 << 8 | gds << 16 | (off & 0xff00)
    w1 = ADDR if op.src and op.src[0] else 0
    if len(op.src) > 1 and op.src[1]:
        w1 |= DATA << 8
    if len(op.src) > 2 and op.src[2]:
        w1 |= DATA2 << 16
    return [w, w1 | (DST << 24 if op.dst else 0)]


def ds_atomic_kind(name):
    mt = re.fullmatch(r"ds_(\w+?)(_rtn)?_([a-z]+)(\d+)", name)
    verb, t, bits = mt.group(1), mt.group(3), int(mt.group(4))
    isf = t in ("f", "bf")
    if verb == "pk_add":
        return "pk_add_%s16" % t, 32
    verb = DS_KIND.get(verb, verb)
    if verb in ("min", "max"):
        verb = ("f" if isf else "s" if t == "i" else "u") + verb
    elif isf:
        verb = "f" + verb
    return verb, bits


def ds_atomic(book, target, op):
    kind, bits = ds_atomic_kind(op.name)
    off = 24

    def prepare(c, at, x, y, dwords):
        c.rows("v", ADDR, [a - off for a in at])
        if "cmp" in kind:           # compares with the first, stores the second
            x, y = y, x
        c.rows("v", DATA, x, dwords)
        if len(op.src) > 2 and op.src[2]:
            c.rows("v", DATA2, y, dwords)
    atomic(book, target, op, lambda: ds_words(op, off), lds, kind, bits,
           DST if op.dst else 0, prepare)


def lanes_case(op, rng, execmask, key="v"):
    c = Case(op.name, op.enc, [op.word], popcount(execmask))
    if execmask != FULL:
        c.put("exec", execmask)
    return c


def extend(v, n, signed, d16, hi, old):
    if n < 4 and signed:
        v = sx(v, 8 * n) & M32
    if not d16:
        return v
    v &= 0xffff
    return old & 0xffff | v << 16 if hi else old & 0xffff0000 | v


def ds_plain(book, target, op):
    """Reads, writes and exchanges, of one place or two."""
    n = op.name
    bits = int(re.search(r"[bui](\d+)", n.replace("2st64", "").replace("read2", "read")).group(1))
    size, two, st64 = bits // 8, "2" in n.split("_")[1], "st64" in n
    for part in range(3):
        rng = cases.random.Random("%s %d" % (n, part))
        execmask = FULL if part == 0 else cases.exec_of(rng)
        c = lanes_case(op, rng, execmask)
        mem = lds()
        unit = size * (64 if st64 else 1)
        o0, o1 = (rng.randrange(3), rng.randrange(3, 5)) if two else (rng.randrange(300), 0)
        span = 24 if size > 8 else 16
        base = [span * k + (4 * rng.randrange(4) if size >= 4 else rng.randrange(8))
                for k in range(LANES)]
        if part == 2:           # some outside
            base = [b if rng.random() < 0.7 else BYTES - rng.randrange(8) for b in base]
        offs = [o0 * unit, o1 * unit] if two else [o0]
        c.rows("v", ADDR, base)
        c.words = ds_words(op, o0, o1)
        on = [k for k in range(LANES) if execmask >> k & 1]
        if "read" in n:
            out = []
            d16, hi = "d16" in n, n.endswith("_hi")
            signed = "_i" in n
            dwords = op.dst[0].dwords
            for k in range(LANES):
                old = sum(old_v(DST + j, k) << 32 * j for j in range(dwords))
                v = 0
                for j, o in enumerate(offs):
                    g = mem.get(base[k] + o, size)
                    v |= (g or 0) << bits * j
                was = 0 if d16 and tab.clears_halves(target) else old
                out.append(extend(v, size, signed, d16, hi, was) if k in on else old)
            c.rows("V", DST, out, dwords)
        else:
            x = [[rng.getrandbits(8 * max(size, 4)) for _ in range(LANES)] for _ in offs]
            for j, v in enumerate(x):
                c.rows("v", (DATA, DATA2)[j], v, max(1, size // 4))
            dwords = size // 4
            got = [sum(old_v(DST + j, k) << 32 * j for j in range(2 * dwords))
                   for k in range(LANES)]
            if "wrxchg" in n:
                for k in on:
                    got[k] = 0
                    for j, o in enumerate(offs):
                        got[k] |= (mem.get(base[k] + o, size) or 0) << bits * j
                        mem.put(base[k] + o, x[j][k], size)
                c.rows("V", DST, got, 2 * dwords)
            else:
                for j, o in enumerate(offs):
                    for k in on:
                        mem.put(base[k] + o, x[j][k] >> (16 if n.endswith("_hi") else 0), size)
        mem.expect(c)
        book.add(c, target)


def swizzle(mode, k):
    if mode & 0x8000:
        return k & ~3 | mode >> 2 * (k & 3) & 3
    return k & 32 | ((k & mode & 31 | mode >> 5 & 31) ^ mode >> 10 & 31)


def ds_lanes(book, target, op):
    """Exchange between lanes."""
    n = op.name
    for part in range(4):
        rng = cases.random.Random("%s %d" % (n, part))
        execmask = FULL if part % 2 == 0 else cases.exec_of(rng)
        c = lanes_case(op, rng, execmask)
        off = 0
        on = [k for k in range(LANES) if execmask >> k & 1]
        out = [old_v(DST, k) for k in range(LANES)]
        if n == "ds_swizzle_b32":
            off = (0x041f, 0x801b, 0x7c1f, 0x03e0)[part]
            for k in on:
                s = swizzle(off, k)
                out[k] = old_v(ADDR, s) if execmask >> s & 1 else 0
        else:
            off = 4 * part
            a = [rng.randrange(64) * 4 for _ in range(LANES)]
            c.rows("v", ADDR, a)
            sent = [0] * LANES
            for k in on:
                to = (a[k] + off) // 4 % 64
                if n == "ds_permute_b32":
                    sent[to] = old_v(DATA, k)
                else:
                    sent[k] = old_v(DATA, to) if execmask >> to & 1 else 0
            for k in on:
                out[k] = sent[k]
        c.rows("V", DST, out)
        c.words = ds_words(op, off)
        book.add(c, target)


def ds_tid(book, target, op):
    """Addresses of M0 and the lane; counters of lanes."""
    for part in range(2):
        rng = cases.random.Random("%s %d" % (op.name, part))
        execmask = FULL if not part else cases.exec_of(rng)
        c = lanes_case(op, rng, execmask)
        mem = lds()
        m0, off = 0x340 * part, 0x20
        c.put("s", 124, m0)
        on = [k for k in range(LANES) if execmask >> k & 1]
        out = [old_v(DST, k) for k in range(LANES)]
        if op.name in ("ds_append", "ds_consume"):
            v = mem.get(m0 + off, 4)
            mem.put(m0 + off, v + popcount(execmask) * (1 if "append" in op.name else -1), 4)
            for k in on:
                out[k] = v
        elif "write" in op.name:
            for k in on:
                mem.put(m0 + off + 4 * k, old_v(DATA, k), 4)
        else:
            for k in on:
                out[k] = mem.get(m0 + off + 4 * k, 4)
        if op.dst:
            c.rows("V", DST, out)
        mem.expect(c)
        c.words = ds_words(op, off)
        book.add(c, target)


def ds_src2(book, target, op):
    """DS[A] = DS[A] op DS[B]; B by the offset, or by the address's upper bits."""
    mt = re.match(r"ds_(\w+)_src2_([a-z])(\d+)", op.name)
    kind, bits = ds_atomic_kind("ds_%s_%s%s" % mt.groups()) if mt.group(1) != "write" else \
        ("swap", int(mt.group(3)))
    n = bits // 8
    for part in range(2):
        rng = cases.random.Random("%s %d" % (op.name, part))
        execmask = FULL if not part else cases.exec_of(rng)
        c = lanes_case(op, rng, execmask)
        mem = lds()
        at = [8 * k for k in range(LANES)]
        off = 0x8000 if part else 512 // 4
        for k in range(LANES):
            mem.preset(c, at[k], operand(kind, bits, rng), n)
            mem.preset(c, at[k] + 512, operand(kind, bits, rng), n)
        c.rows("v", ADDR, [a | 128 << 17 if part else a for a in at])
        for k in range(LANES):
            if execmask >> k & 1:
                mem.put(at[k], rmw(kind, bits, mem.get(at[k], n), mem.get(at[k] + 512, n)), n)
        mem.expect(c)
        c.words = ds_words(op, off)
        book.add(c, target)


GWS = ("init", "sema_v", "sema_br", "sema_p", "sema_release_all", "barrier")


def ds_misc(book, target, op):
    n = op.name
    if n.startswith("ds_gws"):
        for part in range(2):
            c = Case(n, op.enc, ds_words(op, 3, 0, 1), 1)
            c.put("s", 124, 5 * part << 16)
            c.put("stop", STOP["gws"], GWS.index(n[7:]) | 3 + 5 * part << 8)
            book.add(c, target)
    elif n == "ds_nop":
        book.add(Case(n, op.enc, [op.word, 0], 1), target)
    elif n == "ds_condxchg32_rtn_b64":
        rng = cases.random.Random(n)
        c, mem = Case(n, op.enc, ds_words(op, 8)), lds()
        c.rows("v", ADDR, [8 * k for k in range(LANES)])
        data = [rng.getrandbits(64) for _ in range(LANES)]
        c.rows("v", DATA, data, 2)
        c.rows("V", DST, [mem.get(8 * k + 8, 8) for k in range(LANES)], 2)
        for k in range(LANES):
            for j in (0, 4):
                d = data[k] >> 8 * j & M32
                if d >> 31:
                    mem.put(8 * k + 8 + j, d & 0x7fffffff, 4)
        mem.expect(c)
        book.add(c, target)


def ds(book, target, op):
    n = op.name
    if n.startswith("ds_gws") or n in ("ds_nop", "ds_condxchg32_rtn_b64"):
        ds_misc(book, target, op)
    elif "src2" in n:
        ds_src2(book, target, op)
    elif "addtid" in n or n in ("ds_append", "ds_consume"):
        ds_tid(book, target, op)
    elif "permute" in n or "swizzle" in n:
        ds_lanes(book, target, op)
    elif re.match(r"ds_(read|write|wrxchg2)", n):
        ds_plain(book, target, op)
    elif n != "ds_ordered_count":
        ds_atomic(book, target, op)


# ---- flat, global, scratch, buffers: one element a lane ----

SIZES = {"ubyte": 1, "sbyte": 1, "byte": 1, "ushort": 2, "sshort": 2, "short": 2, "dword": 4,
         "dwordx2": 8, "dwordx3": 12, "dwordx4": 16}


def flat_words(op, off, saddr=None, glc=0, addr=ADDR):
    none = 0x7f if op.enc != "flat" else 0
    w = op.word | off & 0x1fff | glc << 16
    data = DATA if len(op.src) > 2 and op.src[2] else 0
    return [w, addr | data << 8 | (none if saddr is None else saddr) << 16 |
            (DST << 24 if op.dst and (glc or not data) else 0)]


def buffer_words(op, off, offen=0, idxen=0, soff=128, glc=0):
    return [op.word | off | offen << 12 | idxen << 13 | glc << 14,
            ADDR | (DST if "load" in op.name else DATA) << 8 | BASE // 4 << 16 | soff << 24]


def resource(c, base, stride, records, third=0x27fac, swizzle=0):
    c.put("s", BASE, base & M32, base >> 32 | stride << 16 | swizzle << 31, records, third)


class Way:
    """How lanes get at bytes of the window: sets registers up, gives the words
    and the place of each byte."""

    def __init__(self, op, target, name):
        self.op, self.target, self.name = op, target, name
        self.off = 0
        self.limit = None

    def prepare(self, c, at):
        """@at: wanted offsets in the window, or in the lane's scratch."""
        o, n = self.op, self.name
        self.off = {"flat": 40, "global": -24, "saddr": 20, "scratch": 8, "sscratch": 4,
                    "raw": 12, "offen": 16, "idxen": 4, "both": 8}.get(n, 0)
        base = VA - self.off
        if n in ("flat", "global"):
            c.rows("v", ADDR, [base + a for a in at], 2)
            return flat_words(o, self.off, None)
        if n == "lds":
            c.rows("v", ADDR, [SHARED + a for a in at], 2)
            return flat_words(o, 0, None)
        if n == "private":
            self.scratch(c)
            c.rows("v", ADDR, [PRIVATE + a for a in at], 2)
            return flat_words(o, 0, None)
        if n == "saddr":
            c.rows("v", ADDR, at)
            c.scalars("s", OFF, base, 2)
            return flat_words(o, self.off, OFF)
        if n == "scratch":
            self.scratch(c)
            c.rows("v", ADDR, [a - self.off & M32 for a in at])
            w = flat_words(o, self.off, None)
            w[0] |= tab.descends(self.target, "gfx942") << 13     # sve: there is a VGPR
            return w
        if n == "sscratch":
            self.scratch(c)
            c.put("s", OFF, at[0] - self.off)
            return flat_words(o, self.off, OFF, addr=0)
        c.put("s", OFF, 32)
        if n == "offen":
            resource(c, base - 32, 0, BYTES)
            c.rows("v", ADDR, at)
            return buffer_words(o, self.off, 1, 0, OFF)
        if n == "idxen":
            resource(c, base, 16, 60)       # the last lanes are outside
            self.limit = 60
            c.rows("v", ADDR, [a // 16 for a in at])
            return buffer_words(o, self.off, 0, 1)
        if n == "both":
            resource(c, base - 32, 16, LANES)
            c.rows("v", ADDR, [a // 16 for a in at])
            c.rows("v", ADDR + 1, [a % 16 for a in at])
            return buffer_words(o, self.off, 1, 1, OFF)
        raise KeyError(n)

    def scratch(self, c):
        if not tab.descends(self.target, "gfx942"):
            c.scalars("s", 102, VA, 2)

    def place(self, at, lane, byte):
        """Where a byte of an element is."""
        if "scratch" in self.name or self.name == "private":
            a = at + byte
            return a // 4 * 256 + lane * 4 + a % 4
        return at + byte

    def inside(self, at):
        return self.limit is None or at // 16 < self.limit

    def offsets(self, rng, size):
        """Wanted offsets: one a lane."""
        if "scratch" in self.name or self.name == "private":
            a = 4 * rng.randrange(4) + (rng.randrange(4) if size < 4 else 0)
            if self.name == "sscratch":
                return [16 + a] * LANES
            return [8 + a + 4 * rng.randrange(4) for _ in range(LANES)]
        if self.name in ("idxen", "both"):
            return [16 * k for k in range(LANES)]
        step = rng.choice([size if size >= 4 else 4, 32])
        shift = rng.randrange(4) * 4
        return [128 + shift + step * k + (rng.randrange(4) if size < 4 else 0)
                for k in range(LANES)]


WAYS = {"flat": ("flat", "lds", "private"), "global": ("global", "saddr"),
        "scratch": ("scratch", "sscratch"), "mubuf": ("offen", "idxen", "both")}


def transfer(book, target, op):
    """Loads and stores of memory and registers."""
    mt = re.match(r"\w+?_(load|store)_([a-z]+\d?|[a-z]+x\d)(_d16)?(_hi)?$", op.name)
    load, size = mt.group(1) == "load", SIZES[mt.group(2)]
    signed, d16, hi = mt.group(2)[0] == "s" and mt.group(2) != "short", mt.group(3), mt.group(4)
    dwords = max(1, size // 4)
    for name in WAYS[op.enc]:
        for part in range(2):
            rng = cases.random.Random("%s %s %d" % (op.name, name, part))
            execmask = FULL if not part else cases.exec_of(rng)
            c = lanes_case(op, rng, execmask)
            way = Way(op, target, name)
            mem = lds() if name == "lds" else window()
            at = way.offsets(rng, size)
            c.words = way.prepare(c, at)
            on = [k for k in range(LANES) if execmask >> k & 1]
            if load:
                out = [sum(old_v(DST + j, k) << 32 * j for j in range(dwords))
                       for k in range(LANES)]
                for k in on:
                    v = 0
                    for b in range(size):
                        v |= mem.get(way.place(at[k], k, b), 1) << 8 * b
                    if not way.inside(at[k]):
                        v = 0
                    was = 0 if d16 and tab.clears_halves(target) else out[k] & M32
                    out[k] = extend(v, size, signed, d16, hi, was)
                c.rows("V", DST, out, dwords)
            else:
                for k in on:
                    v = sum(old_v(DATA + j, k) << 32 * j for j in range(dwords))
                    for b in range(size):
                        if way.inside(at[k]):
                            mem.put(way.place(at[k], k, b), v >> 8 * b + (16 if hi else 0), 1)
            mem.expect(c)
            book.add(c, target)


def to_lds(book, target, op):
    """Between memory and the LDS; the LDS dword is M0 + offset + lane * 4."""
    store = "store" in op.name
    size = SIZES[op.name.rsplit("_", 1)[1]]
    for part in range(2):
        rng = cases.random.Random("%s %d" % (op.name, part))
        execmask = FULL if not part else cases.exec_of(rng)
        c = lanes_case(op, rng, execmask)
        way = Way(op, target, {"global": "global", "scratch": "scratch", "mubuf": "offen"}[op.enc])
        mem, share = window(), lds()
        at = way.offsets(rng, size)
        c.words = way.prepare(c, at)
        if op.enc == "mubuf":       # no VGPR: the lane's number counts
            at = [4 * k for k in range(LANES)]
            c.lines = c.lines[:1] if execmask != FULL else []
            resource(c, VA - way.off, 4, 0, 1 << 23)
            c.words = [op.word | way.off | 1 << 16, BASE // 4 << 16 | 128 << 24]
        m0 = 0x440
        c.put("s", 124, m0)
        for k in range(LANES):
            if not execmask >> k & 1:
                continue
            to = m0 + way.off + 4 * k
            if store:
                mem.put(at[k], share.get(to, 4), 4)
                continue
            v = sum(mem.get(way.place(at[k], k, b), 1) << 8 * b for b in range(size))
            share.put(to, sx(v, 8 * size) if "_s" in op.name[10:] else v, 4)
        share.expect(c)
        mem.expect(c)
        book.add(c, target)


ATOMICS = {"add_f32": ("fadd", 32), "add_f64": ("fadd", 64), "min_f64": ("fmin", 64),
           "max_f64": ("fmax", 64), "pk_add_f16": ("pk_add_f16", 32),
           "pk_add_bf16": ("pk_add_bf16", 32)}


def memory_atomic(book, target, op):
    what = op.name.split("_atomic_")[1]
    kind, bits = ATOMICS.get(what, (what.replace("_x2", ""), 64 if what.endswith("_x2") else 32))
    way = Way(op, target, WAYS[op.enc][0])
    for glc in (0,) if "noglc" in op.flags else (0, 1):
        words = []

        def prepare(c, at, x, y, dwords):
            words[:] = way.prepare(c, at)
            c.rows("v", DATA, x, dwords)
            if kind == "cmpswap":
                c.rows("v", DATA + dwords, y, dwords)
            if op.enc == "mubuf":
                words[0] |= glc << 14
                words[1] = words[1] & ~0xff00 | DATA << 8
            elif glc:
                words[0] |= 1 << 16
                words[1] = words[1] & 0xffffff | DST << 24
            else:
                words[1] &= 0xffffff
        rtn = 0 if not glc else DATA if op.enc == "mubuf" else DST
        atomic(book, target, op, lambda: list(words), window, kind, bits, rtn, prepare,
               kind == "fadd" and bits == 32 and not tab.descends(target, "gfx942"))


# ---- formatted buffers ----

FORMATS = ((14, 4), (14, 7), (10, 0), (10, 1), (10, 4), (10, 5), (12, 7), (12, 0), (12, 5), (10, 2),
           (10, 3), (12, 3), (4, 7), (4, 4), (11, 4), (9, 0), (8, 4))


def formatted(book, target, op):
    n = op.name
    load, d16 = "load" in n, "d16" in n
    comps = len(n.rsplit("_", 1)[1])
    hi = "hi_x" in n
    for dfmt, nfmt in FORMATS:
        have = formats.components(dfmt)
        if comps > have and not load:
            continue
        rng = cases.random.Random("%s %d %d" % (n, dfmt, nfmt))
        execmask = FULL if rng.random() < 0.5 else cases.exec_of(rng)
        c = lanes_case(op, rng, execmask)
        mem = window()
        size = formats.size(dfmt)
        c.rows("v", ADDR, list(range(LANES)))
        resource(c, VA, 16, LANES - 2, 0xfac | nfmt << 12 | dfmt << 15)
        c.words = buffer_words(op, 0, 0, 1)
        if op.enc == "mtbuf":
            c.words[0] |= dfmt << 19 | nfmt << 23
        regs = (comps + 1) // 2 if d16 else comps
        reg = DST if load else DATA
        rows = [[old_v(reg + r, k) for k in range(LANES)] for r in range(regs)]
        if load and dfmt != 9 and nfmt == 7:        # floats worth converting
            for k in range(LANES):
                v = sum((cases.f16(rng) if dfmt == 12 else cases.f32(rng)) << size * 8 // have * j
                        for j in range(have))
                mem.preset(c, 16 * k, v, size)
        elif not load:
            rows = [[formats.draw(nfmt, d16, rng) for k in range(LANES)] for r in range(regs)]
            for r in range(regs):
                c.rows("v", reg + r, rows[r])
        for k in range(LANES):
            if not execmask >> k & 1:
                continue
            if load:
                v = formats.load(dfmt, nfmt, mem.get(16 * k, size) if k < LANES - 2 else None,
                                 comps, d16)
                if d16 and tab.clears_halves(target):
                    for r in range(regs):
                        rows[r][k] = 0
                if hi:
                    rows[0][k] = rows[0][k] & 0xffff | v[0] << 16
                elif d16:
                    for r in range(regs):
                        up = v[2 * r + 1] if 2 * r + 1 < comps else rows[r][k] >> 16
                        rows[r][k] = v[2 * r] | up << 16
                else:
                    for r in range(regs):
                        rows[r][k] = v[r]
            elif k < LANES - 2:
                v = [rows[j // 2][k] >> 16 * (j & 1) & 0xffff for j in range(comps)] if d16 else \
                    [rows[j][k] for j in range(comps)]
                if hi:
                    v = [rows[0][k] >> 16]
                mem.put(16 * k, formats.store(dfmt, nfmt, v, d16), size)
        if load:
            for r in range(regs):
                c.rows("V", reg + r, rows[r])
        mem.expect(c)
        book.add(c, target)


def generate(book, target, slots):
    for op in slots:
        n = op.name
        if re.search("_tr_b|lds_dwordx", n):    # gfx950's: isa_move tests them
            continue
        if op.enc == "ds":
            ds(book, target, op)
        elif "format" in n:
            formatted(book, target, op)
        elif "_lds_" in n:
            to_lds(book, target, op)
        elif op.enc in WAYS and "_atomic_" in n:
            memory_atomic(book, target, op)
        elif op.enc in WAYS and re.search("_(load|store)_", n):
            transfer(book, target, op)
        elif op.enc == "mubuf":         # caches
            book.add(Case(n, op.enc, [op.word, 0], 1), target)
