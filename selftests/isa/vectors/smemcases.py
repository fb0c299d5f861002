# SPDX-License-Identifier: MIT
"""Cases of scalar memory, from the ISA's text."""

import re

import cases
from cases import Case, old_s
from memory import BASE, BYTES, OFF, SDATA, VA, operand, rmw, window

def smem_words(op, data, off=None, soff=None, glc=0):
    w = op.word | BASE // 2 | data << 6 | glc << 16
    w |= 1 << 17 if off is not None else 0
    if soff is not None and off is not None:
        w |= 1 << 14
    w1 = (off or 0) & 0x1fffff
    if soff is not None:
        w1 |= soff << 25 if off is not None else soff
    return [w, w1]


def smem(book, target, op):
    n = op.name
    if n in ("s_memtime", "s_memrealtime"):
        c = Case(n, op.enc, [op.word | D20 << 6, 0], 1)
        c.scalars("S", D20, 0x1234 * (17 if n == "s_memtime" else 1), 2)
        book.add(c, target)
        return
    if "dcache" in n and "discard" not in n:
        book.add(Case(n, op.enc, [op.word, 0], 1), target)
        return
    buf = "buffer" in n
    width = re.search(r"dwordx(\d+)", n)
    dwords = int(width.group(1)) if width else 1
    rng = cases.random.Random(n)
    if "atomic" in n:
        smem_atomic(book, target, op, buf, rng)
        return
    for part in range(8):
        mem = window()
        off = rng.randrange(0, 64) * 4
        so = rng.randrange(0, 16) * 4
        unit = 64 if "scratch" in n else 1
        with_s, with_i = ((0, 1), (1, 0), (1, 1), (0, 1))[part % 4]
        if target == "gfx906" and with_s and with_i and part < 4:
            pass
        c = Case(n, op.enc, [0], 1)
        total = off * with_i + so * unit * with_s
        limit = None
        if buf:
            limit = total + 4 * dwords - (8 if part > 5 else 0)
            if limit < 4:
                limit = total
            c.put("s", BASE, VA, 0, limit, 0)
        else:
            c.scalars("s", BASE, VA, 2)
        c.put("s", OFF, so)
        data = SDATA
        c.words = smem_words(op, data if op.dst or len(op.src) > 2 else 0,
                             off if with_i else None, OFF if with_s else None)
        if "probe" in n:
            c.words[0] |= 3 << 6
        elif "discard" in n:
            pass
        else:
            out = []
            for k in range(dwords):
                ok = limit is None or total + 4 * k + 4 <= limit
                if "load" in n:
                    out.append(mem.get(total + 4 * k, 4) if ok else 0)
                elif ok:
                    mem.put(total + 4 * k, old_s(data + k), 4)
            if out:
                c.put("S", data, *out)
        mem.expect(c)
        book.add(c, target)


D20 = 20


def smem_atomic(book, target, op, buf, rng):
    what = op.name.split("atomic_")[1]
    kind, bits = what.replace("_x2", ""), 64 if what.endswith("_x2") else 32
    n = bits // 8
    for part in range(10):
        c, mem = Case(op.name, op.enc, [0], 1), window()
        glc = part & 1
        at = rng.randrange(64) * 8
        old, x, y = (operand(kind, bits, rng) for _ in range(3))
        if part % 3 == 0:
            y = old
        mem.preset(c, at, old, n)
        if buf:
            c.put("s", BASE, VA, 0, BYTES, 0)
        else:
            c.scalars("s", BASE, VA, 2)
        c.scalars("s", SDATA, x, n // 4)
        if kind == "cmpswap":
            c.scalars("s", SDATA + n // 4, y, n // 4)
        mem.put(at, rmw(kind, bits, old, x, y), n)
        if glc:
            c.scalars("S", SDATA, old, n // 4)
        mem.expect(c)
        c.words = smem_words(op, SDATA, at, None, glc)
        book.add(c, target)


def generate(book, target, slots):
    for op in slots:
        if op.enc == "smem":
            smem(book, target, op)
