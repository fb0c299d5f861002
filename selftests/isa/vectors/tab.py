# SPDX-License-Identifier: MIT
"""The instruction tables of kmod/isa/tab, and words made of their rows.

Only numbers and operand kinds are taken from there; what an operation does is
in valu.py, scalar.py and memory.py.
"""

import os
import re

TAB = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../../kmod/isa/tab")
MODEL = os.path.join(TAB, "../../model/target.c")
PROMOTE = {"vopc": 0, "vop2": 0x100, "vop1": 0x140}

# encoding: first word, shift of the opcode
FORMATS = {
    "sop2": (0x80000000, 23), "sopk": (0xb0000000, 23), "sop1": (0xbe800000, 8),
    "sopc": (0xbf000000, 16), "sopp": (0xbf800000, 16), "smem": (0xc0000000, 18),
    "vop2": (0x00000000, 25), "vopc": (0x7c000000, 17), "vop1": (0x7e000000, 9),
    "vop3": (0xd0000000, 16), "vop3p": (0xd3800000, 16), "ds": (0xd8000000, 17),
    "flat": (0xdc000000, 18), "scratch": (0xdc004000, 18), "global": (0xdc008000, 18),
    "mubuf": (0xe0000000, 18), "mtbuf": (0xe8000000, 15), "mimg": (0xf0000000, 18),
}


def model_names():
    """The GPUs that there are: rows of the model."""
    with open(MODEL, encoding="ascii") as f:
        return tuple(re.findall(r'^\t\t\.name = "(\w+)"', f.read(), re.M))


def generations():
    """Each generation's parent, and the features that it adds."""
    parent, features = {}, {}
    with open(os.path.join(TAB, "gen.tab"), encoding="ascii") as f:
        for line in f:
            w = line.split()
            if w and w[0] == "gen":
                parent[w[1]] = w[4] if len(w) > 3 else None
                features[w[1]] = set(w[5:])
    return parent, features


TARGETS = model_names()
PARENT, FEATURES = generations()


def descends(target, ancestor):
    while target and target != ancestor:
        target = PARENT[target]
    return bool(target)


def clears_halves(target):
    """Whether loads of 16 bits clear the other half of the register: memory with ECC."""
    return descends(target, "gfx908")


def dots_flush(target):
    """Whether dot products of floats flush denormals, whatever MODE says."""
    return descends(target, "gfx90a")


class Operand:
    """Kind, width in bits, whether it is marked as a float."""

    def __init__(self, text):
        self.kind = text.rstrip("f0123456789")
        self.isfloat = text.endswith("f")
        digits = text[len(self.kind):].rstrip("f")
        self.bits = int(digits) if digits else 0
        if self.kind == "vcc":
            self.bits = 64

    @property
    def dwords(self):
        return max(1, self.bits // 32)


def operands(text):
    if text == "-":
        return []
    return [None if o == "-" else Operand(o) for o in text.split(",")]


class Op:
    """An opcode slot of one target."""

    def __init__(self, name, enc, num, dst, src, flags, native):
        self.name, self.enc, self.num, self.native = name, enc, num, native
        self.dst, self.src = operands(dst), operands(src)
        self.flags = set(flags.split(",")) - {"-"}

    @property
    def word(self):
        base, shift = FORMATS[self.enc]
        return base | self.num << shift


def rows():
    for name in sorted(os.listdir(TAB)):
        if not name.endswith(".tab") or name == "gen.tab":
            continue
        with open(os.path.join(TAB, name), encoding="ascii") as f:
            for line in f:
                fields = line.split()
                if fields and fields[0] == "op":
                    yield fields[1:6] + [dict(x.split("=") for x in fields[6:])]


def slots(target):
    """Every opcode slot of a target: rows and their VOP3 forms."""
    out = []
    for name, enc, dst, src, flags, gens in rows():
        gen = target
        while gen and gen not in gens:
            gen = PARENT[gen]
        if not gen or gens[gen] == "-":
            continue
        num = int(gens[gen], 16)
        out.append(Op(name, enc, num, dst, src, flags, enc))
        if enc in PROMOTE and "noe64" not in flags.split(","):
            out.append(Op(name, "vop3", num + PROMOTE[enc], dst, src, flags, enc))
    return out
