# SPDX-License-Identifier: MIT
"""Cases of the vector ALU: every form of every operation."""

import re

import cases
import tab
import valu
from cases import Case, FULL, LANES, M32, MODE, old_s, old_v
from valu import OPS, Context, sx

SRC = (8, 12, 16)       # first rows of the sources
DST = 20
SDST, CIN, SSRC = 20, 30, 40
ACC = 32                # row of a0
MODES = {"full": (MODE, 0x0f5, 0x1fa, 0x20f), "e32": (MODE, 0x200)}
ACCUMULATES = re.compile(r"v_(mac_|fmac_|dot\w+c_|pk_fmac)")
CARRIES_IN = re.compile(r"v_(cndmask|addc_co|subb_co|subbrev_co)")
INLINE = {128 + 7: 7, 192 + 5: -5, 242: 1.0, 245: -2.0}
BITS_OF = {1.0: (0x3c00, 0x3f800000, 0x3ff0 << 48), -2.0: (0xc000, 0xc0000000, 0xc000 << 48)}


def result_bits(op):
    """16 if the operation gives a half register."""
    n = op.name
    if "_pk" in n or "pack" in n or op.dst[0].bits != 32 or "mix" in n or n.startswith("v_dot"):
        return op.dst[0].bits
    m = re.match(r"v_cvt_(norm_)?(\w\d+)_", n)
    kind = m.group(2) if m else re.search(r"_(\w\d+)(_f16)?$", n).group(1)
    if re.match(r"v_(mad_[iu]32_[iu]16|frexp_exp_i32)", n):
        return 32
    return 16 if kind[1:] == "16" else op.dst[0].bits


def is_float(op, n):
    """Whether source @n takes signs: the tables' m flag."""
    for f in op.flags:
        if re.match(r"m\d", f):
            return int(f[1:]) >> n & 1
    return 0


def is_f(op, n):
    """Whether source @n is a float, by the name, for its values."""
    if op.src[n].bits == 64:
        return op.src[n].isfloat
    return is_float(op, n) or re.search(r"f32|f16", op.name)


def draw(op, n, rng):
    bits = op.src[n].bits
    if re.match(r"v_(pk_\w+_f32|fma_mix)", op.name) and bits == 64:
        return cases.f32(rng) | cases.f32(rng) << 32
    if bits == 64:
        return cases.f64(rng) if op.src[n].isfloat else cases.integer(rng, 64)
    if bits == 128:
        return rng.getrandbits(128)
    if op.name in ("v_dot2_f32_bf16", "v_dot2c_f32_bf16") and n < 2:
        return cases.f32(rng) >> 16 | cases.f32(rng) >> 16 << 16
    if op.enc == "vop3p" and "f16" in op.name and "mix" not in op.name and n < 2 or bits == 16:
        if is_f(op, n) and "_i16" not in op.name and "u16" not in op.name:
            return cases.f16(rng) | cases.f16(rng) << 16
        if "f16" in op.name and n == 0:
            return cases.f16(rng) | rng.getrandbits(16) << 16
        return cases.integer(rng)
    if "class" in op.name and n == 1 or "ldexp" in op.name and n == 1:
        return rng.choice([rng.getrandbits(10), 1 << rng.randrange(10), rng.getrandbits(32),
                           rng.getrandbits(8), -rng.getrandbits(8) & M32])
    if "mix" in op.name and rng.random() < 0.5:
        return cases.f16(rng) | cases.f16(rng) << 16
    return cases.f32(rng) if is_f(op, n) or "f64" in op.name else cases.integer(rng)


class Form:
    """A way to write an operation; sources per lane and what becomes of the result."""

    def __init__(self, op, target, tag, mode=MODE, execmask=FULL):
        self.op, self.target, self.tag, self.mode, self.exec = op, target, tag, mode, execmask
        self.signs = [(0, 0)] * 3
        self.codes = [None] * 3         # scalar source codes
        self.opsel, self.sdst, self.cin = 0, None, None
        self.sdwa = self.dpp = self.literal = None

    @property
    def nsrc(self):
        return len([s for s in self.op.src if s.kind not in ("vcc",)])


def const_bits(code, bits):
    v = INLINE[code]
    if isinstance(v, float):
        return BITS_OF[v][{16: 0, 32: 1, 64: 2}[bits]]
    return v & ((1 << bits) - 1)


def scalar_value(f, n):
    bits = f.op.src[n].bits
    code = f.codes[n]
    if code == 255:
        return f.literal
    if code in INLINE:
        if "bf16" in f.op.name and n < 2 and isinstance(INLINE[code], float):
            return const_bits(code, 32) >> 16
        return const_bits(code, bits)
    return sum(old_s(code + k) << 32 * k for k in range(max(1, bits // 32)))


def sign(v, bits, neg, absolute):
    top = 1 << (bits - 1)
    if absolute:
        v &= ~top
    return v ^ top if neg else v


def words(f):
    """The instruction's words; fills in implied registers."""
    op = f.op
    src = [256 + SRC[n] if f.codes[n] is None else f.codes[n] for n in range(3)]
    if op.src and op.src[0].kind == "a":
        src[0] = 256 + SRC[0]
    n = f.nsrc
    enc = op.enc
    if enc in ("vop1", "vop2", "vopc"):
        first = 0xf9 if f.sdwa is not None else 0xfa if f.dpp is not None else src[0]
        w = op.word | first
        if enc != "vop1":
            w |= (src[2] if op.src[1].kind == "k" else src[1]) % 256 << 9
        if enc != "vopc":
            w |= DST << 17
        second = f.sdwa if f.sdwa is not None else f.dpp
        if second is not None:
            return [w, second | SRC[0]]
        return [w, f.literal] if f.literal is not None else [w]
    w0 = op.word
    w0 |= f.sdst if op.native == "vopc" else DST
    if f.sdst is not None and op.native != "vopc":
        w0 |= f.sdst << 8
    w1 = sum(src[k] << 9 * k for k in range(n))
    if f.cin is not None and op.native == "vop2":
        w1 |= f.cin << 18
    for k in range(3):
        w1 |= f.signs[k][0] << (29 + k)
    if enc == "vop3p":
        hi = f.opsel >> 4 & 7
        w0 |= (f.opsel & 7) << 11 | (hi >> 2) << 14
        w1 |= (hi & 3) << 27
        for k in range(3):
            w0 |= f.signs[k][1] << (8 + k)
    else:
        w0 |= f.opsel << 11
        if f.sdst is None or op.native == "vopc":
            for k in range(3):
                w0 |= f.signs[k][1] << (8 + k)
    return [w0, w1]


# ---- SDWA and DPP ----

def selected(v, sel, sext):
    bits, at = (8, 8 * sel) if sel < 4 else (16, 16 * (sel - 4)) if sel < 6 else (32, 0)
    v = v >> at & ((1 << bits) - 1)
    return sx(v, bits) & M32 if sext else v


def sdwa_merge(old, v, sel, unused):
    if sel == 6:
        return v
    bits, at = (8, 8 * sel) if sel < 4 else (16, 16 * (sel - 4))
    m = (1 << bits) - 1
    v &= m
    if unused == 2:
        return old & ~(m << at) & M32 | v << at
    if unused == 1:
        return sx(v, bits) << at & M32
    return v << at


def dpp_source(ctrl, lane):
    """The lane that is read, None outside."""
    row, k = lane & ~15, lane & 15
    if ctrl < 0x100:
        return lane & ~3 | ctrl >> 2 * (lane & 3) & 3
    kind, n = ctrl & 0x1f0, ctrl & 15
    if kind == 0x100:
        return row | k + n if k + n < 16 else None
    if kind == 0x110:
        return row | k - n if k >= n else None
    if kind == 0x120:
        return row | k - n & 15
    if kind == 0x150:
        return row | n
    to = {0x130: lane + 1, 0x134: lane + 1 & 63, 0x138: lane - 1, 0x13c: lane - 1 & 63,
          0x140: row | 15 - k, 0x141: lane & ~7 | 7 - (lane & 7),
          0x142: row - 1 if row else lane, 0x143: 31 if lane >= 32 else lane}[ctrl]
    return to if to is not None and 0 <= to < 64 else None


DPP_CTRL = (0x1b, 0xe4, 0x4e, 0x101, 0x10f, 0x111, 0x118, 0x121, 0x12c, 0x130, 0x134, 0x138, 0x13c,
            0x140, 0x141, 0x142, 0x143)


# ---- one case ----

def packed_args(f, s):
    """Operands of a packed operation, halves chosen and signs applied."""
    out = []
    for k, v in enumerate(s):
        bits = 16 if f.op.src[k].bits != 64 else 32
        pairs = f.op.src[k].bits == 16 or "bf16" in f.op.name
        if f.op.name.startswith("v_dot") and (k == 2 or not pairs):
            out.append(sign(v, 32, f.signs[k][0], 0))
            continue
        m = (1 << bits) - 1
        lo = v >> bits * (f.opsel >> k & 1) & m
        hi = v >> bits * (f.opsel >> 4 + k & 1) & m
        if f.op.name == "v_pk_mov_b32":     # low of the first, high of the second
            out.append((v >> 32 * (f.opsel >> k & 1) & M32) << 32 * k)
            continue
        out.append(sign(lo, bits, f.signs[k][0], 0) | sign(hi, bits, f.signs[k][1], 0) << bits)
    return out


def mix_args(f, s):
    out = []
    for k, v in enumerate(s):
        if f.opsel >> 4 + k & 1:
            v = valu.f32_of(v >> 16 * (f.opsel >> k & 1) & 0xffff)
        out.append(sign(v, 32, f.signs[k][0], f.signs[k][1]))
    return out


def arguments(f, s):
    op = f.op
    if op.enc == "vop3p" and not op.name.startswith("v_accvgpr"):
        return mix_args(f, s) if "_mix" in op.name else packed_args(f, s)
    out = []
    for k, v in enumerate(s):
        bits = op.src[k].bits
        if op.name == "v_dot2c_f32_bf16" and k < 2:     # abs is neg of the upper half
            out.append(v ^ f.signs[k][0] << 15 ^ f.signs[k][1] << 31)
            continue
        if bits == 16:
            v = v >> 16 * (f.opsel >> k & 1) & 0xffff
        elif "f32" in op.name and "pk_fp8" in op.name or "_sr_" in op.name:
            pass
        out.append(sign(v, bits, *f.signs[k]))
    return out


def merged(f, value, old):
    op = f.op
    name = op.name
    if f.sdwa is not None:
        return sdwa_merge(old, value, f.sdwa >> 8 & 7, f.sdwa >> 11 & 3)
    if "mixhi" in name or (re.match(r"v_cvt_pk_[fb]p?f?8_f32", name) and f.opsel & 8):
        return old & 0xffff | value << 16
    if "mixlo" in name or re.match(r"v_cvt_pk_(fp8|bf8)_f32", name):
        return old & ~0xffff & M32 | value
    if "_sr_" in name:
        at = 8 * (f.opsel >> 2 & 3)
        return old & ~(255 << at) & M32 | value << at
    if result_bits(op) == 16 and "opsel" in op.flags:
        return old & 0xffff | value << 16 if f.opsel & 8 else old & 0xffff0000 | value
    return value


def valu_case(book, f):
    op = f.op
    c = Case(op.name, op.enc + f.tag, words(f))
    dots_flush = "dot2" in op.name and tab.dots_flush(f.target)
    ident = (op.name, op.enc + f.tag, tuple(c.words), f.mode, f.exec, dots_flush)
    if book.again(ident, f.target):
        return
    fn, rng = OPS[op.name], c.rng
    n = f.nsrc
    vectors = [[draw(op, k, rng) for k in range(n)] for _ in range(LANES)]
    base = [ACC + SRC[0] if op.src[0].kind == "a" else SRC[0], SRC[1], SRC[2]]
    accumulates = ACCUMULATES.match(op.name)
    dst = DST + (ACC if op.dst[0].kind == "a" else 0)
    dwords = op.dst[0].dwords if op.enc != "vopc" and op.native != "vopc" else 0
    olds = [sum(old_v(dst + k, lane) << 32 * k for k in range(max(1, dwords)))
            for lane in range(LANES)]
    if accumulates:
        olds = [draw(op, 0, rng) for _ in range(LANES)]
        c.rows("v", dst, olds, dwords)
    for k in range(n):
        if f.codes[k] is not None:
            v = scalar_value(f, k)
            for lane in range(LANES):
                vectors[lane][k] = v
        else:
            row = base[k]
            c.rows("v", row, [v[k] for v in vectors], op.src[k].dwords)
    if f.mode != MODE:
        c.put("mode", f.mode)
    if f.exec != FULL:
        c.put("exec", f.exec)
    cin = None
    if CARRIES_IN.match(op.name) or "div_fmas" in op.name:
        cin = rng.getrandbits(64)
        c.scalars("s", f.cin if f.cin is not None and op.native == "vop2" else 106, cin, 2)
    out, mask, enabled = [], 0, f.exec
    for lane in range(LANES):
        s = list(vectors[lane])
        if f.dpp is not None:
            ctrl, source = f.dpp >> 8 & 0x1ff, None
            source = dpp_source(ctrl, lane)
            if source is not None and not f.exec >> source & 1:
                source = None
            if source is None and not f.dpp >> 19 & 1 or not f.dpp >> 28 + lane // 16 & 1 or \
                    not f.dpp >> 24 + lane // 4 % 4 & 1:
                enabled &= ~(1 << lane)
            s[0] = 0 if source is None else vectors[source][0]
        if f.sdwa is not None:
            for k in range(n):
                s[k] = selected(s[k], f.sdwa >> 16 + 8 * k & 7, f.sdwa >> 19 + 8 * k & 1)
        args = arguments(f, s)
        if accumulates:
            old = olds[lane]
            args.append(old & 0xffff if op.src[0].bits == 16 and dwords == 1 and
                        "pk" not in op.name and "dot" not in op.name else old)
        elif "pkaccum" in op.name:
            args.append(olds[lane])
        ctx = Context(f.mode, lane, cin >> lane & 1 if cin is not None else 0, dots_flush)
        r = fn(ctx, *args)
        if dwords:
            if isinstance(r, tuple):
                r, bit = r
                mask |= bit << lane
            out.append(merged(f, r, olds[lane]))
        else:
            mask |= int(r) << lane
    c.count = valu.popcount(f.exec)
    if dwords:
        c.rows("V", dst, [o if enabled >> lane & 1 else olds[lane]
                          for lane, o in enumerate(out)], dwords)
        if op.name in valu.APPROX:
            c.put("u", valu.APPROX[op.name])
    if f.sdst is not None or op.enc == "vopc" or (op.dst[1:] and op.enc == "vop2"):
        sdst = 106 if f.sdst is None else f.sdst
        c.scalars("S", sdst, mask & f.exec, 2)
        if "cmpx" in op.name:
            c.put("exec!", mask & f.exec)
    book.add(c, f.target, ident)


def forms(op, target):
    """Every form that an opcode slot is tried in."""
    rng = cases.random.Random("%s %s" % (op.name, op.enc))
    isf = re.search(r"_f(16|32|64)", op.name) and "cmp" not in op.name or "cvt" in op.name
    masks = op.native == "vopc" or len(op.dst) > 1
    modes = MODES["e32" if op.enc in ("vop1", "vop2", "vopc") else "full"] if isf else (MODE, 0)[:1]
    if "_cmp" in op.name and "_f" in op.name:
        modes = (MODE, 0x200)
    out = []

    def form(tag, mode=MODE, execmask=FULL):
        f = Form(op, target, tag, mode, execmask)
        if op.enc == "vop3" and masks:
            f.sdst = SDST
        if op.enc == "vop3" and CARRIES_IN.match(op.name):
            f.cin = CIN
        if op.enc == "vop3p":
            f.opsel = 0x70 if "_mix" not in op.name else 0
        out.append(f)
        return f
    if op.src[1:] and any(s.kind == "k" for s in op.src):
        for mode in modes:
            f = form("", mode, cases.exec_of(rng) if mode != MODE else FULL)
            k = [s.kind for s in op.src].index("k")
            f.codes[k] = 255
            f.literal = 0x4248c000 if "f32" in op.name else 0x4a01
        return out
    for n, mode in enumerate(modes):
        form("", mode, FULL if n % 2 == 0 else cases.exec_of(rng))
    form(".partial", MODE, cases.exec_of(rng))
    if op.name.startswith("v_accvgpr"):
        return out
    n = form("").nsrc
    out.pop()
    for code in (SSRC, 135, 197, 242, 245):
        k = 0 if op.enc in ("vop1", "vop2", "vopc") else rng.randrange(n)
        bits = op.src[k].bits
        if op.src[k].kind not in ("x", "c") or bits > 64 or code == SSRC and op.enc == "vop3p" and \
                bits == 64 and not tab.descends(target, "gfx90a"):
            continue
        if code > 240 and (not is_f(op, k) or bits == 64 and not op.src[k].isfloat or
                           op.enc == "vop3p" or bits == 32 and "f16" in op.name):
            continue
        if code in (135, 197) and (op.enc == "vop3p" and ("pk_" in op.name or "dot2" in op.name) or
                                   op.name == "v_trig_preop_f64"):
            continue
        form(".s" if code == SSRC else ".c").codes[k] = code
    if op.enc == "vop3" and any(is_float(op, k) for k in range(n)):
        for pick in range(3):
            f = form(".sign", modes[pick % len(modes)])
            for k in range(n):
                if is_float(op, k):
                    f.signs[k] = (rng.getrandbits(1), rng.getrandbits(1) if not f.sdst or
                                  op.native == "vopc" else 0)
    if "opsel" in op.flags:
        for _ in range(4):
            f = form(".opsel", MODE, cases.exec_of(rng))
            f.opsel = rng.randrange(1, 16)
            if "_pknorm_" in op.name or "pack" in op.name or "_sr_" in op.name:
                f.opsel &= 12 if "_sr_" in op.name else 3
            if "_pk_fp8" in op.name or "_pk_bf8" in op.name:
                f.opsel &= 8
            if re.match(r"v_mad_[iu]32_[iu]16", op.name):
                f.opsel &= 3
            if n == 2 and "16" in op.name:
                f.opsel &= 11
    if op.enc == "vop3p":
        packed_forms(op, form, rng)
    if op.enc in ("vop1", "vop2", "vopc"):
        sub_forms(op, target, form, rng)
    return out


def packed_forms(op, form, rng):
    n = form("").nsrc
    if re.match(r"v_dot[248]", op.name):
        return
    for k in range(4):
        f = form(".opsel", MODE, cases.exec_of(rng))
        f.opsel = rng.getrandbits(3) & (1 << n) - 1 | (rng.getrandbits(3) | 8 - (1 << n)) << 4
        if "_f16" in op.name or "_f32" in op.name:
            f.signs = [(rng.getrandbits(1), rng.getrandbits(1)) if j < n else (0, 0)
                       for j in range(3)]


def sub_forms(op, target, form, rng):
    n = form("").nsrc
    if "nosdwa" not in op.flags:
        for k in range(4):
            f = form(".sdwa", MODE, FULL if k % 2 else cases.exec_of(rng))
            w = 0
            for s in range(n):
                w |= rng.randrange(7) << 16 + 8 * s
                if not is_float(op, s):
                    w |= rng.getrandbits(1) << 19 + 8 * s
                else:
                    f.signs[s] = (rng.getrandbits(1), rng.getrandbits(1))
                    w |= (f.signs[s][0] << 4 | f.signs[s][1] << 5) << 16 + 8 * s
            if op.enc == "vopc":
                f.sdst = SDST if k % 2 else None
                w |= 0x8000 | SDST << 8 if k % 2 else 0
            else:
                exact = op.name not in valu.APPROX
                sel = rng.randrange(7) if exact and "fp8" not in op.name and "bf8" not in op.name else 6
                w |= sel << 8 | rng.randrange(3) << 11
            f.sdwa = w
    if op.enc != "vopc" and "nodpp" not in op.flags and len(op.dst) == 1 and n:
        wide = any(o.bits == 64 for o in op.src + op.dst if o.kind != "vcc")
        if wide and not tab.descends(target, "gfx90a"):
            return
        for k in range(2):
            ctrl = 0x150 + rng.randrange(16) if wide else rng.choice(DPP_CTRL)
            f = form(".dpp", MODE, FULL if k else cases.exec_of(rng))
            w = ctrl << 8 | rng.getrandbits(1) << 19
            w |= 0xff << 24 if k else rng.getrandbits(8) << 24
            for s in range(min(n, 2)):
                if is_float(op, s):
                    f.signs[s] = (rng.getrandbits(1), rng.getrandbits(1))
                    w |= (f.signs[s][0] | f.signs[s][1] << 1) << 20 + 2 * s
            f.dpp = w


SPECIAL = ("v_nop", "v_clrexcp", "v_readfirstlane_b32", "v_readlane_b32", "v_writelane_b32",
           "v_swap_b32")


def special(book, op, target):
    """Operations that are not lane by lane."""
    row = SRC[0]
    for execmask in (FULL, 0x00f0f00000000000, 0, 1 << 63):
        if op.name in ("v_nop", "v_clrexcp"):
            c = Case(op.name, op.enc, [op.word] if op.enc == "vop1" else [op.word, 0])
            c.count = 1
        elif op.name == "v_swap_b32":
            c = Case(op.name, op.enc, [op.word | DST << 17 | 256 + row])
            c.rows("V", DST, [old_v(row if execmask >> k & 1 else DST, k) for k in range(LANES)])
            c.rows("V", row, [old_v(DST if execmask >> k & 1 else row, k) for k in range(LANES)])
        elif op.name == "v_readfirstlane_b32":
            first = (execmask & -execmask).bit_length() - 1 if execmask else 0
            c = Case(op.name, op.enc, [op.word | SDST << 17 | 256 + row])
            c.put("S", SDST, old_v(row, first))
            c.count = 1
        elif op.name == "v_readlane_b32":
            for code, lane in ((128 + 5, 5), (128 + 63, 63), (SSRC, old_s(SSRC) & 63)):
                c = Case(op.name, op.enc, [op.word | SDST, 256 + row | code << 9])
                c.put("exec", execmask)
                c.put("S", SDST, old_v(row, lane))
                c.count = 1
                book.add(c, target)
            continue
        else:
            for code, lane in ((128 + 5, 5), (128 + 63, 63), (SSRC, old_s(SSRC) & 63)):
                c = Case(op.name, op.enc, [op.word | DST, 128 + 33 | code << 9])
                c.put("exec", execmask)
                c.rows("V", DST, [33 if k == lane else old_v(DST, k) for k in range(LANES)])
                c.count = 1
                book.add(c, target)
            continue
        if execmask != FULL:
            c.put("exec", execmask)
        book.add(c, target)


def generate(book, target, slots):
    for op in slots:
        if op.name in SPECIAL:
            special(book, op, target)
        elif op.name in OPS:
            for f in forms(op, target):
                valu_case(book, f)
