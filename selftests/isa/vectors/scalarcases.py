# SPDX-License-Identifier: MIT
"""Cases of the scalar ALU and of program control, from the ISA's text."""

import cases
import tab
from cases import Case, FULL, M32, old_s, old_v
from valu import sx, clamp, popcount

A, B, D = 40, 44, 20        # registers of the sources and the destination
PC = 0x100000 + 0x800       # where the runner puts the instruction
MODE_VSKIP, MODE_IDX = 1 << 28, 1 << 27
STOP = {n: k for k, n in enumerate((
    "none", "budget", "end", "barrier", "miss", "msg", "trap", "illegal", "memviol", "halt",
    "gws", "excp"))}


def m(bits):
    return (1 << bits) - 1


def nz(v):
    return v, int(v != 0)


def quads(v, bits, whole):
    out = 0
    for k in range(bits // 4):
        if v >> 4 * k & 15:
            out |= 15 << 4 * k if whole else 1 << k
    return out


def first(v, bits, what):
    for k in range(bits):
        if (v >> k & 1) == what:
            return k
    return M32


def last(v, bits):
    for k in range(bits):
        if v >> bits - 1 - k & 1:
            return k
    return M32


def last_signed(v, bits):
    for k in range(1, bits):
        if (v >> bits - 1 - k & 1) != v >> bits - 1:
            return k
    return M32


def bfe(v, how, bits, signed):
    at, n = how & bits - 1, how >> 16 & 127
    v = v >> at
    n = min(n, bits - at) if signed else n
    if not n:
        return 0
    v &= m(n)
    return sx(v, n) & m(bits) if signed else v & m(bits)


def overflow(v):
    return v & M32, int(not -1 << 31 <= v < 1 << 31)


# name without the width suffix: fn(bits, a, b, scc) -> result, scc (None: as it was)
BITWISE = {
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "andn2": lambda a, b: a & ~b, "orn2": lambda a, b: a | ~b, "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b), "xnor": lambda a, b: ~(a ^ b),
}
SOP2 = {
    "s_add_u32": lambda a, b, s: (a + b & M32, a + b >> 32),
    "s_sub_u32": lambda a, b, s: (a - b & M32, int(b > a)),
    "s_add_i32": lambda a, b, s: overflow(sx(a, 32) + sx(b, 32)),
    "s_sub_i32": lambda a, b, s: overflow(sx(a, 32) - sx(b, 32)),
    "s_addc_u32": lambda a, b, s: (a + b + s & M32, a + b + s >> 32),
    "s_subb_u32": lambda a, b, s: (a - b - s & M32, int(b + s > a)),
    "s_min_i32": lambda a, b, s: (a, 1) if sx(a, 32) < sx(b, 32) else (b, 0),
    "s_max_i32": lambda a, b, s: (a, 1) if sx(a, 32) >= sx(b, 32) else (b, 0),
    "s_min_u32": lambda a, b, s: (a, 1) if a < b else (b, 0),
    "s_max_u32": lambda a, b, s: (a, 1) if a >= b else (b, 0),
    "s_mul_i32": lambda a, b, s: (a * b & M32, None),
    "s_mul_hi_u32": lambda a, b, s: (a * b >> 32, None),
    "s_mul_hi_i32": lambda a, b, s: (sx(a, 32) * sx(b, 32) >> 32 & M32, None),
    "s_absdiff_i32": lambda a, b, s: nz(abs(sx(a - b, 32)) & M32),
    "s_pack_ll_b32_b16": lambda a, b, s: (a & 0xffff | (b & 0xffff) << 16, None),
    "s_pack_lh_b32_b16": lambda a, b, s: (a & 0xffff | b >> 16 << 16, None),
    "s_pack_hh_b32_b16": lambda a, b, s: (a >> 16 | b >> 16 << 16, None),
}
SOP1 = {
    "s_brev_b32": lambda a: (int(format(a, "032b")[::-1], 2), None),
    "s_brev_b64": lambda a: (int(format(a, "064b")[::-1], 2), None),
    "s_sext_i32_i8": lambda a: (sx(a, 8) & M32, None),
    "s_sext_i32_i16": lambda a: (sx(a, 16) & M32, None),
    "s_abs_i32": lambda a: nz(abs(sx(a, 32)) & M32),
    "s_bitreplicate_b64_b32": lambda a: (sum((a >> k & 1) * 3 << 2 * k for k in range(32)), None),
    "s_flbit_i32": lambda a: (last_signed(a, 32), None),
    "s_flbit_i32_i64": lambda a: (last_signed(a, 64), None),
}
SOPC = {}
for _bits in (32, 64):
    _t = "b%d" % _bits
    for _n, _f in BITWISE.items():
        SOP2["s_%s_%s" % (_n, _t)] = lambda a, b, s, f=_f, n=_bits: nz(f(a, b) & m(n))
    SOP2["s_cselect_" + _t] = lambda a, b, s: (a if s else b, None)
    SOP2["s_lshl_" + _t] = lambda a, b, s, n=_bits: nz(a << (b & n - 1) & m(n))
    SOP2["s_lshr_" + _t] = lambda a, b, s, n=_bits: nz(a >> (b & n - 1))
    SOP2["s_ashr_i%d" % _bits] = lambda a, b, s, n=_bits: nz(sx(a, n) >> (b & n - 1) & m(n))
    SOP2["s_bfm_" + _t] = lambda a, b, s, n=_bits: (m(a & n - 1) << (b & n - 1) & m(n), None)
    SOP2["s_bfe_u%d" % _bits] = lambda a, b, s, n=_bits: nz(bfe(a, b, n, False))
    SOP2["s_bfe_i%d" % _bits] = lambda a, b, s, n=_bits: nz(bfe(a, b, n, True))
    SOP1["s_mov_" + _t] = lambda a: (a, None)
    SOP1["s_not_" + _t] = lambda a, n=_bits: nz(~a & m(n))
    SOP1["s_wqm_" + _t] = lambda a, n=_bits: nz(quads(a, n, True))
    SOP1["s_quadmask_" + _t] = lambda a, n=_bits: nz(quads(a, n, False))
    SOP1["s_bcnt0_i32_" + _t] = lambda a, n=_bits: nz(n - popcount(a))
    SOP1["s_bcnt1_i32_" + _t] = lambda a: nz(popcount(a))
    SOP1["s_ff0_i32_" + _t] = lambda a, n=_bits: (first(a, n, 0), None)
    SOP1["s_ff1_i32_" + _t] = lambda a, n=_bits: (first(a, n, 1), None)
    SOP1["s_flbit_i32_" + _t] = lambda a, n=_bits: (last(a, n), None)
    for _k in (0, 1):
        SOPC["s_bitcmp%d_%s" % (_k, _t)] = lambda a, b, n=_bits, k=_k: (a >> (b & n - 1) & 1) == k
for _k in range(1, 5):
    SOP2["s_lshl%d_add_u32" % _k] = lambda a, b, s, k=_k: (
        (a << k) + b & M32, int((a << k) + b > M32))
RELATIONS = {"eq": (0,), "lg": (-1, 1), "gt": (1,), "ge": (0, 1), "lt": (-1,), "le": (-1, 0)}
for _r, _w in RELATIONS.items():
    SOPC["s_cmp_%s_i32" % _r] = lambda a, b, w=_w: \
        (sx(a, 32) > sx(b, 32)) - (sx(a, 32) < sx(b, 32)) in w
    SOPC["s_cmp_%s_u32" % _r] = lambda a, b, w=_w: (a > b) - (a < b) in w
    SOPC["s_cmp_%s_u64" % _r] = lambda a, b, w=_w: (a > b) - (a < b) in w
SAVEEXEC = dict(BITWISE, andn1=lambda a, e: ~a & e, orn1=lambda a, e: ~a | e)


def source(case, op, k, code, value):
    """Puts a source in; returns its code and value."""
    o = op.src[k]
    if code is None:
        case.scalars("s", (A, B)[k], value & m(o.bits), o.dwords)
        return (A, B)[k], value & m(o.bits)
    return code, {135: 7, 197: m(o.bits) - 4, 242: 0x3f800000 if o.bits == 32 else 0x3ff0 << 48,
                  255: 0x89abcdef if o.bits == 32 else None}[code]


def alu(book, op, target):
    rng = cases.random.Random(op.name)
    codes = [(None, None)] * 14 + [(135, None), (197, None), (255, None)]
    if len(op.src) > 1:
        codes += [(None, 135), (None, 197), (None, 255)]
    for n, pair in enumerate(codes):
        if any(c == 255 and op.src[k].bits == 64 for k, c in enumerate(pair) if k < len(op.src)):
            continue
        c = Case(op.name, op.enc, [n], 1)
        args, words = [], []
        for k, o in enumerate(op.src):
            v = cases.integer(rng, o.bits)
            if "bfe" in op.name and k == 1:
                v = rng.randrange(70) | rng.randrange(70) << 16 | rng.getrandbits(8) << 8 & 0x8000
            code, v = source(c, op, k, pair[k], v)
            args.append(v)
            words.append(code)
        scc = rng.getrandbits(1)
        if scc:
            c.put("scc", 1)
        w = op.word | sum(code << 8 * k for k, code in enumerate(words))
        if op.enc == "sop2":
            d, out = SOP2[op.name](*args, scc)
        elif op.enc == "sopc":
            d, out = None, int(SOPC[op.name](*args))
        else:
            d, out = SOP1[op.name](*args)
        if d is not None:
            w |= D << 16
            c.scalars("S", D, d, op.dst[0].dwords)
        if out is not None:
            c.put("scc!", out)
        c.words = [w] + ([0x89abcdef] if 255 in pair else [])
        book.add(c, target)


def saveexec(book, op, target):
    name = op.name.split("_")[1]
    rng = cases.random.Random(op.name)
    for n in range(12):
        e = FULL if n == 0 else 0 if n == 1 else rng.getrandbits(64)
        a = e if n == 2 else rng.getrandbits(64)
        c = Case(op.name, op.enc, [op.word | D << 16 | A], 1)
        c.scalars("s", A, a, 2)
        c.put("exec", e)
        new = SAVEEXEC[name](a, e) & FULL
        c.scalars("S", D, new if "wrexec" in op.name else e, 2)
        c.put("exec!", new)
        c.put("scc!", int(new != 0))
        book.add(c, target)


def sopk(book, op, target):
    rng = cases.random.Random(op.name)
    for n in range(10):
        k = rng.choice((0, 1, 0x7fff, 0x8000, 0xffff, rng.getrandbits(16)))
        r = rng.choice((sx(k, 16) & M32, k, rng.getrandbits(32), 0x7fffffff, 0x80000000))
        s = n & 1
        signed = sx(k, 16)
        c = Case(op.name, op.enc, [op.word | D << 16 | k], 1)
        c.put("s", D, r)
        if s:
            c.put("scc", s)
        if "cmpk" in op.name:
            _, rel, t = op.name[2:].split("_")
            x, y = (sx(r, 32), signed) if t == "i32" else (r, k)
            c.put("scc!", int((x > y) - (x < y) in RELATIONS[rel]))
        elif op.name == "s_movk_i32" or op.name == "s_cmovk_i32" and s:
            c.put("S", D, signed & M32)
        elif op.name == "s_addk_i32":
            v, o = overflow(sx(r, 32) + signed)
            c.put("S", D, v)
            c.put("scc!", o)
        elif op.name == "s_mulk_i32":
            c.put("S", D, r * signed & M32)
        book.add(c, target)


def bits(book, op, target):
    """s_bitset and s_cmov: the old destination counts."""
    rng = cases.random.Random(op.name)
    n = op.dst[0].bits
    for k in range(8):
        a = rng.getrandbits(64)
        old = sum(old_s(D + j) << 32 * j for j in range(n // 32))
        c = Case(op.name, op.enc, [op.word | D << 16 | A], 1)
        c.scalars("s", A, a, op.src[0].dwords)
        if "cmov" in op.name:
            if k & 1:
                c.put("scc", 1)
                c.scalars("S", D, a & m(n), n // 32)
        else:
            bit = 1 << (a & n - 1)
            c.scalars("S", D, old | bit if "bitset1" in op.name else old & ~bit, n // 32)
        book.add(c, target)


# ---- control: each a function of (case maker) ----

def simple(words, **what):
    return [(words, what)]


def jump(taken, k):
    return 4 + 4 * sx(k, 16) if taken else 4


def control(op, target):
    """[(words after the opcode's own, {line: values})]"""
    n, out = op.name, []
    s = [A, 0]
    pair = lambda code, v: (code, v & M32, v >> 32)
    if n in ("s_branch", "s_cbranch_cdbgsys", "s_cbranch_cdbguser", "s_cbranch_cdbgsys_or_user",
             "s_cbranch_cdbgsys_and_user"):
        return [([k], {"pc": jump(n == "s_branch", k)}) for k in (0, 7, 0xfffd, 0x40)]
    if n.startswith("s_cbranch_scc"):
        return [([k], {"scc": scc, "pc": jump(scc == int(n[-1]), k)})
                for k in (5, 0xfff0) for scc in (0, 1)]
    if n.startswith("s_cbranch_vcc"):
        return [([k], {"s": pair(106, v), "pc": jump((v == 0) == (n[-2] != "n"), k)})
                for k in (5, 0xfff0) for v in (0, 1, 1 << 63, FULL)]
    if n.startswith("s_cbranch_exec"):
        return [([k], {"exec": v, "pc": jump((v == 0) == (n[-2] != "n"), k)})
                for k in (5, 0xfff0) for v in (0, 1, 1 << 63, FULL)]
    if n == "s_getpc_b64":
        return [([D << 16], {"S": pair(D, PC + 4)})]
    if n in ("s_setpc_b64", "s_swappc_b64"):
        for t in (PC - 256, PC + 64):
            what = {"s": pair(A, t), "pc": t - PC}
            if n == "s_swappc_b64":
                what["S"] = pair(D, PC + 4)
            out.append(([D << 16 if "swap" in n else 0, A], what))
        return out
    if n == "s_call_b64":
        return [([D << 16 | k], {"S": pair(D, PC + 4), "pc": jump(True, k)}) for k in (9, 0xff00)]
    if n.startswith("s_movrel"):
        wide = n.endswith("64")
        for idx in (0, 2, 12):
            src, dst = (A + idx, D) if n[8] == "s" else (A, D + idx)
            v = [old_s(src + k) for k in range(1 + wide)]
            out.append(([D << 16 | A], {"s": (124, idx), "S": (dst, *v)}))
        return out + [([D << 16 | A], {"s": (124, 0x7fffffff), "stop": (STOP["illegal"],), "pc": 0})]
    if n == "s_set_gpr_idx_on":
        return [([k << 8 | A], {"s": (A, v), "S": (124, old_s(124) & ~0xf0ff | v & 255 | k << 12),
                                "mode!": 0x3f0 | MODE_IDX}) for k, v in ((1, 5), (15, 0x1ff))]
    if n == "s_set_gpr_idx_off":
        return [([0], {"mode": 0x3f0 | MODE_IDX, "mode!": 0x3f0})]
    if n == "s_set_gpr_idx_idx":
        return [([A], {"s": (A, v), "S": (124, old_s(124) & ~255 | v & 255)}) for v in (3, 0x280)]
    if n == "s_set_gpr_idx_mode":
        return [([k], {"S": (124, old_s(124) & ~0xf000 | k << 12)}) for k in (0, 9, 15)]
    if n == "s_setvskip":
        return [([A | (128 + b) << 8], {"s": (A, v), "mode!": 0x3f0 | MODE_VSKIP * (v >> b & 1)})
                for v, b in ((4, 2), (4, 3), (1 << 31, 31))]
    if n == "s_getreg_b32":
        # LDS_ALLOC: 4096 bytes in units of 512, or 1280
        units = 4 if tab.descends(target, "gfx950") else 8
        for reg, at, size, v in ((1, 0, 32, 0x3f0), (1, 4, 2, 3), (4, 0, 32, 0x12345678),
                                 (4, 8, 12, 0x456), (6, 12, 9, units), (3, 0, 32, 0)):
            out.append(([D << 16 | reg | at << 6 | size - 1 << 11], {"S": (D, v)}))
        return out + [([D << 16 | 40 | 31 << 11], {"stop": (STOP["illegal"],), "pc": 0})]
    if n.startswith("s_setreg"):
        for at, size, v, mode in ((0, 4, 9, 0x3f9), (4, 4, 0, 0x300), (9, 1, 0, 0x1f0),
                                  (8, 1, 0xffffffff, 0x3f0)):
            k = 1 | at << 6 | size - 1 << 11
            what = {"mode!": mode}
            if n == "s_setreg_b32":
                what["s"] = (A, v)
                out.append(([A << 16 | k], what))
            else:
                out.append(([k, None, v], what))
        return out
    if n.startswith("s_rfe"):
        # only in a trap handler, which isa_system tests
        return [(s[:1] if "restore" not in n else [A | B << 8],
                 {"stop": (STOP["illegal"],), "pc": 0})]
    if n in ("s_cbranch_g_fork", "s_cbranch_i_fork"):
        return fork(n)
    if n == "s_cbranch_join":
        where = (4, 0x1234, 0x5678, PC + 32, 0)
        return [([A], {"s": (A, 1), "mode": 0x3f0 | 2 << 29, "s+": where, "mode!": 0x3f0 | 1 << 29,
                       "exec!": 0x567800001234, "pc": 32}),
                ([A], {"s": (A, 2), "mode": 0x3f0 | 2 << 29})]
    if n in ("s_endpgm", "s_endpgm_saved", "s_endpgm_ordered_ps_done"):
        return [([0], {"stop": (STOP["end"],)})]
    if n == "s_barrier":
        return [([0], {"stop": (STOP["barrier"],)})]
    if n in ("s_sendmsg", "s_sendmsghalt"):
        return [([k], {"stop": (STOP["msg"], k)}) for k in (1, 4, 0x122)]
    if n == "s_trap":
        return [([k], {"stop": (STOP["trap"], k), "pc": 0}) for k in (1, 2, 255)]
    if n == "s_sethalt":
        return [([0], {}), ([1], {"stop": (STOP["halt"],)})]
    if n == "s_setkill":
        return [([0], {}), ([1], {"stop": (STOP["end"],)})]
    return None


def fork(n):
    """Both groups: the smaller goes on, the other waits on the stack of CSP."""
    out = []
    target = PC + 4 + 4 * 16
    for mask, e in ((FULL, FULL), (0, FULL), (0xff, FULL), (~0xff & FULL, FULL), (3, 7), (1, 3)):
        yes, no = mask & e, ~mask & e
        what = {"s": (A, mask & M32, mask >> 32), "s+": (B, target, 0), "exec": e}
        if yes == e:
            what["pc"] = target - PC
        elif no == e:
            what["pc"] = 4
        else:
            go = popcount(no) >= popcount(yes)
            other, pc = (no, PC + 4) if go else (yes, target)
            what.update({"S": (4, other & M32, other >> 32, pc, 0), "exec!": yes if go else no,
                         "mode": 0x3f0 | 1 << 29, "mode!": 0x3f0 | 2 << 29,
                         "pc": target - PC if go else 4})
        out.append(([A | B << 8] if "_g_" in n else [A << 16 | 16], what))
    return out


NO_EFFECT = ("s_nop", "s_wakeup", "s_waitcnt", "s_sleep", "s_setprio", "s_icache_inv",
             "s_incperflevel", "s_decperflevel", "s_ttracedata")


def generate(book, target, slots):
    for op in slots:
        if op.enc not in ("sop1", "sop2", "sopc", "sopk", "sopp"):
            continue
        n = op.name
        if n in SOP2 or n in SOPC or n in SOP1:
            alu(book, op, target)
        elif "saveexec" in n or "wrexec" in n:
            saveexec(book, op, target)
        elif "bitset" in n or n.startswith("s_cmov_"):
            bits(book, op, target)
        elif op.enc == "sopk" and ("cmpk" in n or n in (
                "s_movk_i32", "s_cmovk_i32", "s_addk_i32", "s_mulk_i32")):
            sopk(book, op, target)
        elif n in NO_EFFECT:
            for k in (0, 1) if n not in ("s_wakeup", "s_icache_inv", "s_ttracedata") else (0,):
                book.add(Case(n, op.enc, [op.word | k], 1), target)
        else:
            for words, what in control(op, target) or ():
                w = op.word
                for x in words:
                    if x is None:
                        break
                    w |= x
                c = Case(n, op.enc, [w] + (words[words.index(None) + 1:] if None in words else []), 1)
                for key, v in what.items():
                    c.put(key.rstrip("+"), *(v if isinstance(v, tuple) else (v,)))
                book.add(c, target)
