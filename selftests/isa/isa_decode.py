#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The decoder and disassembler against LLVM's, TAP on standard output.

Every opcode of every target's table is tried with many operand patterns, and
words with random bits follow; both sides must agree whether the words are an
instruction, how long it is and how it is spelled. What we print must assemble
to an instruction that prints the same again.

LLVM 19 does not know gfx950: that wants LLVM 22, installed or in the root "sid" of
qemu/root.

Environment: ISA_DECODE_SEED (default 1), ISA_DECODE_SCALE (default 1), ISA_DECODE_WORDS: how many
random words a target gets from isa_words besides (default 200000 by the scale), and
ISA_DECODE_TARGETS: only these, with commas between them (such as gfx1100,gfx1201).
"""

import functools
import os
import random
import re
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
DIS = os.path.join(HERE, "../isa/isa_dis")
SEED = int(os.environ.get("ISA_DECODE_SEED", "1"))
SCALE = float(os.environ.get("ISA_DECODE_SCALE", "1"))
MANY = int(os.environ.get("ISA_DECODE_WORDS", 200000 * SCALE))
ONLY = [t for t in os.environ.get("ISA_DECODE_TARGETS", "").split(",") if t]
GFX9 = ("gfx906", "gfx908", "gfx90a", "gfx942", "gfx950")
RDNA = ("gfx1030", "gfx1100", "gfx1151", "gfx1201")


def wanted(*targets):
    """Those of the targets that are asked for; a name that no target has ends the program."""
    unknown = [t for t in ONLY if t not in GFX9 + RDNA]
    if unknown:
        sys.exit("ISA_DECODE_TARGETS: no target is called " + ", ".join(unknown))
    return [t for t in targets if not ONLY or t in ONLY]


def sid():
    """Debian sid's root, None if it is not there."""
    # From here, or from build/selftests/host
    for top in ("../..", "../../.."):
        program = os.path.join(HERE, top, "qemu/root")
        if os.path.exists(program):
            run = subprocess.run([program, "--path", "sid"], capture_output=True, text=True)
            return run.stdout.strip() if not run.returncode else None
    return None


def newest():
    """How LLVM 22's llvm-mc is run, and a program that gets its library: the installed one's, or
    by the loader of that root; None if there is none."""
    if shutil.which("llvm-mc-22"):
        return ["llvm-mc-22"], []
    root = sid()
    if not root or not os.path.exists(root + "/usr/bin/llvm-mc-22"):
        return None, None
    loader = [root + "/lib64/ld-linux-x86-64.so.2", "--library-path",
              root + "/usr/lib/x86_64-linux-gnu:" + root + "/usr/lib/llvm-22/lib"]
    return loader + [root + "/usr/bin/llvm-mc-22"], loader


MC22, LOADER22 = newest()
MC = {"gfx950": MC22}
MC19 = ["llvm-mc-19"]


# Where we differ on purpose: target, what matches the words' text as either
# side spells it, why.
EXCEPTIONS = [
    (".*", r"/\*", "LLVM prints the instruction and says itself that it is invalid"),
    (".*", r"\bnull\b", "GFX9 has no null register, code 125 is reserved"),
    (".*", r"pops_exiting_wave_id", "graphics only, not an operand of compute waves"),
    (".*", r"^s_(movrel|rfe|setpc|cbranch_join|quadmask)\w* .*src_", "constants are no registers"),
    (".*", r"^buffer_store_lds_dword .*([gs]lc|scc)", "LLVM prints lds before the cache bits"),
    (".*", r"^v_ldexp_f16_dpp .*sext", "LLVM prints neg bits of integer sources as sext"),
    (".*", r"^v_cvt_pk_u8_f32 .*sext", "LLVM prints neg bits of integer sources as sext"),
    (".*", r"^flat_.* offset:(4[1-9]|[5-8])", "FLAT ignores the sign bit of its offset"),
    (".*", r"^flat_.* offset:40(9[6-9])", "FLAT ignores the sign bit of its offset"),
    (".*", r"^(v_interp|exp )", "parameter interpolation and export are no compute"),
    (".*", r"_sdwa .*src_lds_direct", "SDWA has no LDS operand"),
    (".*", r"^v_(readlane|readfirstlane|swap|permlane\d+_swap)_\w+ .*src_", "constants are no VGPRs"),
    (".*", r"^v_(cmpx?|cndmask|addc|subb|subbrev)_\w+ .*src_", "constants are no lane masks"),
    (".*", r"^v_mqsad_u32_u8 .*src_", "constants are no 128-bit operand"),
    ("gfx9(0[068]|0a)", r"^image_", "images are decoded, not executed; widths depend on formats"),
    ("gfx950", r"^v_permlane(16|32)_swap_b32_e64", "LLVM 22 ignores fields of sources that are not there"),
    ("gfx950", r"src_flat_scratch_base", "LLVM 22 takes names of later generations"),
    ("gfx950", r"[va]\[2\d\d:(25[6-9]|2[6-9]\d)\]", "LLVM 22 counts more than 256 registers"),
    ("gfx950", r"^v_\w+ .*, (-|\||neg\()*0x", "VOP3 has no literals on GFX9"),
    ("gfx950", r"^v_cvt_f32_bf16_e32 .*0x", "LLVM 22 prints all bits of a literal of 16"),
    ("gfx950", r"^v_(prng_b32|cvt_f32_bf16|dot2c_f32_bf16)_e64|^v_cvt_(scalef32_|sr_b?f16|pk_b?f16_f32)",
     "LLVM 22 ignores fields of sources that are not there"),
    ("gfx950", r"^v_mfma_ld_scale_b32", "LLVM 22 takes literals and ignores fields"),
    ("gfx9[45].", r"^buffer_(wbinvl1|store_lds)", "LLVM 19 knows them, the hardware does not"),
    ("gfx9[45].", r"^v_cvt_(pk_)?f32_(fp8|bf8)_sdwa ", "LLVM 19 knows no destination selector here"),
]

# encoding: first word, mask of the encoding, opcode shift and bits, dwords
FORMATS = {
    "sop2": (0x80000000, 0xc0000000, 23, 7, 1), "sopk": (0xb0000000, 0xf0000000, 23, 5, 1),
    "sop1": (0xbe800000, 0xff800000, 8, 8, 1), "sopc": (0xbf000000, 0xff800000, 16, 7, 1),
    "sopp": (0xbf800000, 0xff800000, 16, 7, 1), "smem": (0xc0000000, 0xfc000000, 18, 8, 2),
    "vop2": (0x00000000, 0x80000000, 25, 6, 1), "vopc": (0x7c000000, 0xfe000000, 17, 8, 1),
    "vop1": (0x7e000000, 0xfe000000, 9, 8, 1), "vop3": (0xd0000000, 0xfc000000, 16, 10, 2),
    "vop3p": (0xd3800000, 0xff800000, 16, 7, 2), "ds": (0xd8000000, 0xfc000000, 17, 8, 2),
    "flat": (0xdc000000, 0xfc00c000, 18, 7, 2), "scratch": (0xdc004000, 0xfc00c000, 18, 7, 2),
    "global": (0xdc008000, 0xfc00c000, 18, 7, 2), "mubuf": (0xe0000000, 0xfc000000, 18, 7, 2),
    "mtbuf": (0xe8000000, 0xfc000000, 15, 4, 2), "mimg": (0xf0000000, 0xfc000000, 18, 7, 2),
}
LD_SCALE = 0xd3ac0000           # the scales that stand before a matrix operation
SDWA, DPP = 0xf9, 0xfa
MARK = "[0x34,0x12,0x80,0xbf]"          # s_nop 0x1234, between the cases


def our_list(target):
    """(encoding, number, name) of every opcode slot of a target."""
    out = subprocess.run([DIS, target, "list"], check=True, capture_output=True, text=True).stdout
    return [(e, int(n), name) for e, n, name in (line.split() for line in out.splitlines())]


def ours(target, cases):
    """[(dwords, text)], 0 dwords where the words are no instruction."""
    text = "".join(" ".join("%x" % w for w in words) + "\n" for words in cases)
    out = subprocess.run([DIS, target], input=text, check=True, capture_output=True, text=True)
    rows = [line.partition(" ") for line in out.stdout.splitlines()]
    assert len(rows) == len(cases)
    return [(int(n), t) for n, _, t in rows]


def mc(target, text, *args):
    return subprocess.run([*MC.get(target, MC19), "-arch=amdgcn", "-mcpu=" + target, *args], input=text,
                          capture_output=True, text=True)


def theirs(target, cases):
    """What LLVM prints for the words of each case, a list of lines each."""
    blocks = [MARK]
    for words in cases:
        data = struct.pack("<%dI" % len(words), *words)
        blocks += ["[" + ",".join("0x%02x" % b for b in data) + "]", MARK]
    run = mc(target, "\n".join(blocks) + "\n", "-disassemble")
    out, current = [], None
    for line in run.stdout.splitlines():
        line = re.sub(r"\s+//.*", "", line).strip()
        if line == "s_nop 0x1234":
            if current is not None:
                out.append(current)
            current = []
        elif line and line != ".text":
            current.append(re.sub(r" +", " ", line))
    if len(out) == len(cases):
        return out
    if len(cases) == 1:
        return [["/* crash */"]]
    half = len(cases) // 2      # LLVM died of one of them
    return theirs(target, cases[:half]) + theirs(target, cases[half:])


def tame(enc, op, words):
    """Keep off what LLVM 19's printer dies of: matrix operands that are no
    registers, selectors of SDWA that do not exist."""
    if enc == "vop3p" and op >= 60:
        words[1] |= 0x100 if op in (88, 89) else 0x04020100
    if enc == "ds" and op >= 0xe0:      # no GDS: LLVM 22 ignores the bit
        words[0] &= ~0x10000
    if enc == "vop1" and op == 82:
        words[0] |= 0x100
    if enc in ("vop1", "vop2", "vopc") and words[0] & 0x1ff == SDWA:
        for bit in (8, 16, 24):
            if words[1] >> bit & 7 == 7:
                words[1] &= ~(1 << bit)
        if words[1] >> 11 & 3 == 3:
            words[1] &= ~(1 << 12)
    return words


def classify(words):
    word = words[0]
    if word & 0xffff0000 == LD_SCALE and len(words) == 4:
        return "scaled", words[2] >> 16 & 127
    for enc in ("sop1", "sopc", "sopp", "sopk", "sop2", "vop1", "vopc", "vop2", "smem", "vop3p",
                "vop3", "ds", "flat", "scratch", "global", "mubuf", "mtbuf", "mimg"):
        base, mask, shift, bits, _ = FORMATS[enc]
        if word & mask == base:
            return enc, word >> shift & ((1 << bits) - 1)
    return None, 0


def small_literal(rng, words):
    """A literal whose lower half is a small number, which LLVM prints as one where it takes halves."""
    words[0] = words[0] & ~0x1ff | 255
    words[1] = words[1] & ~0xffff | rng.randrange(-16, 65) & 0xffff


def pattern(rng, enc, op):
    """Words of an opcode: operands random, reserved bits mostly clear."""
    if enc == "scaled":
        return [LD_SCALE | rng.getrandbits(16), 0x20100 | rng.getrandbits(32)] + \
            [w | x for w, x in zip(pattern(rng, "vop3p", op)[:2], (0x800, 0))]
    base, mask, shift, bits, dwords = FORMATS[enc]
    fixed = mask | ((1 << bits) - 1) << shift
    first = base | op << shift | rng.getrandbits(32) & ~fixed
    if rng.random() < 0.5:
        first &= fixed | rng.getrandbits(32) & rng.getrandbits(32) | 0xff
    words = [first, rng.getrandbits(32), rng.getrandbits(32)]
    if rng.random() < 0.1:
        words = [base | op << shift | (0x10000 if enc in ("ds", "mubuf") else 0) *
                 rng.getrandbits(1), 0, 0]
    if dwords == 2 and rng.random() < 0.8:
        keep = {"vop3": 0x7ffffff, "vop3p": 0x7ffffff}.get(enc, 0xffffffff)
        words[1] &= keep if rng.random() < 0.7 else 0xffffffff
        # One, two or three sources
        if enc in ("vop3", "vop3p"):
            words[1] &= rng.choice((0x1ff, 0x3ffff, 0xffffffff))
            if rng.random() < 0.6:
                words[0] &= ~0xff00 | 0x7f00 * (rng.random() < 0.2)
        elif enc == "ds":
            words[1] &= rng.choice((0xff0000ff, 0xffff, 0xffffff, 0xff00ffff, 0xff, 0xffffffff,
                                    0xff000000, 0xff00, 0))
        elif enc == "flat":
            words[1] &= ~0x7f0000
        elif enc in ("global", "scratch"):
            if rng.random() < 0.5:
                words[1] |= 0x7f0000
        if enc in ("flat", "global", "scratch", "mubuf") and rng.random() < 0.8:
            words[0] &= ~((1 << 13 if enc != "mubuf" else 1 << 16) | 1 << 25)
    if enc in ("vop1", "vop2", "vopc"):
        kind = rng.random()
        if kind < 0.2:
            words[0] = words[0] & ~0x1ff | SDWA
            words[1] &= ~(rng.getrandbits(32) & 0xf838e000)
        elif kind < 0.4:
            words[0] = words[0] & ~0x1ff | DPP
            words[1] &= ~(0x160000 | rng.getrandbits(32) & 0xf00000)
        elif kind < 0.5:
            small_literal(rng, words)
    if enc == "sopp" and rng.random() < 0.5:
        words[0] &= ~0xffff
    return tame(enc, op, words)


def scramble(rng):
    words = [rng.getrandbits(32) for _ in range(3)]
    enc, op = classify(words)
    return tame(enc, op, words) if enc else words


@functools.lru_cache
def excuses(target):
    return re.compile("|".join("(?:%s)" % p for t, p, _ in EXCEPTIONS if re.fullmatch(t, target)))


def excused(target, *texts):
    return any(excuses(target).search(x) for x in texts if x)


# LLVM 22 checks fewer reserved fields than LLVM 19. What a target shares with one that
# LLVM 19 knows is compared there: here neither side may see a difference between the two.
LIKE = {"gfx950": "gfx942"}


def same(_target, _words, mine, other):
    """Is it spelled alike? isa_decode_22.py has another."""
    return mine == other


def ignoring(_target, differences):
    """Those of (words, our text, LLVM's) that count; isa_decode_22.py leaves some out."""
    return differences


def spelled_out(target, differences):
    """Lines about those of (words, our text, LLVM's) that count"""
    return ["%s: ours %s; LLVM %s" % (" ".join("%08x" % w for w in words), mine or "invalid",
                                      other or "invalid")
            for words, mine, other in ignoring(target, differences)]


def compare(target, cases):
    """Differences as lines, and our (words, text) of what both sides accept."""
    mine = ours(target, cases)
    # LLVM gets just the words that we say it takes, or all of them
    given = [c[:n] if n else c for c, (n, _) in zip(cases, mine)]
    llvm = theirs(target, given)
    like = [False] * len(cases)
    if target in LIKE:
        MC[LIKE[target]] = MC[target]
        like = [a == b and (c[:1] == d[:1] or (d and "/*" in d[0])) for a, b, c, d in
                zip(mine, ours(LIKE[target], cases), llvm, theirs(LIKE[target], given))]
        del MC[LIKE[target]]
    bad, good = [], []
    for words, (n, text), lines, alike in zip(cases, mine, llvm, like):
        other = lines[0] if lines else ""
        if n and len(lines) == 1 and same(target, words, text, other):
            good.append((words[:n], text))
        elif alike:
            continue
        elif (n or other) and not excused(target, text, other):
            bad.append((words[:n or 5], text, other))
    return spelled_out(target, bad), good


def reassemble(target, texts):
    """Texts that LLVM does not assemble to something that prints the same."""
    run = mc(target, "\n".join(texts) + "\n", "-show-inst=0", "-filetype=asm")
    bad = {int(m.group(1)) - 1 for m in re.finditer(r"<stdin>:(\d+):\d+: error", run.stderr)}
    return [texts[n] for n in sorted(bad) if n < len(texts)]


def matrix_words(op, name):
    """A matrix operation with every kind of operand and modifier."""
    out = []
    third = [0x100 | 20, 0x100, 0x1e0] if "smfmac" in name else \
        [0x100 | 20, 0x100, 128, 192, 193, 208] + list(range(240, 249))
    for acc in range(8):            # AccVGPRs: C and D, A, B
        for src2 in third:
            for mods in (0, 1 << 8, 4 << 8 | 15 << 11, 1 << 29, 7 << 29, 2 << 8 | 3 << 11 | 5 << 29):
                out.append([0xd3800000 | op << 16 | 40 | (acc & 1) << 15 | mods & 0x7f00,
                            0x100 | 4 | (0x100 | 8) << 9 | src2 << 18 | (acc >> 1) << 27 |
                            mods & 0xe0000000])
    return out


def packed_words(op, name):
    """A packed operation: selectors and signs of every source, all constants."""
    out = []
    for bit in range(32):           # each bit of the modifiers alone, then all but it
        for first in (0, 0x7f00):
            flags = 1 << bit if not first else 0x7fff ^ 1 << bit & 0x7fff
            out.append([0xd3800000 | op << 16 | 6 | (flags & 0xff) << 8,
                        0x100 | 2 | (0x100 | 4) << 9 | (0x100 | 8) << 18 |
                        (flags >> 8 & 31) << 27])
    for code in (0, 3, 101, 106, 107, 124, 126, 128, 192, 208, 240, 247, 248, 0x100):
        for at in (0, 9, 18):
            out.append([0xd3804000 | op << 16 | 6,
                        (0x18000000 | 0x100 | 2 | (0x100 | 4) << 9 | (0x100 | 8) << 18) &
                        ~(0x1ff << at) | code << at])
    return out


def byte_words(enc, op, name):
    """Conversions of 8-bit floats: selectors of SDWA, op_sel, signs."""
    if enc == "vop1":
        return [[0x7e0000f9 | op << 9 | 6 << 17, 4 | 6 << 8 | sel << 16 | more]
                for sel in range(7) for more in (0, 1 << 13)] + [[0x7e000104 | op << 9 | 6 << 17]]
    return [[0xd0000000 | op << 16 | 6 | sel << 11 | sign << 8,
             0x100 | 2 | (0x100 | 4) << 9 | sign << 29] for sel in range(16) for sign in range(4)]


def test_operands(tap, target):
    """Matrix, packed and 8-bit operations: not a sample, but all of it."""
    cases = []
    for enc, op, name in our_list(target):
        if enc == "vop3p" and re.match("v_s?mfma", name):
            cases += matrix_words(op, name)
        elif enc == "vop3p" and not name.startswith("v_accvgpr"):
            cases += packed_words(op, name)
        elif re.search("fp8|bf8", name) and enc in ("vop1", "vop3"):
            cases += byte_words(enc, op, name)
    bad, good = compare(target, cases)
    tap.result(not bad, "%s: %d matrix, packed and 8-bit operands, %d valid, agree"
               % (target, len(cases), len(good)), bad)


class Tap:
    def __init__(self):
        self.n = self.failed = 0
        print("TAP version 13")

    def result(self, ok, name, lines=()):
        self.n += 1
        self.failed += not ok
        for line in list(lines)[:30]:
            print("# " + line)
        print("%s %d - %s" % ("ok" if ok else "not ok", self.n, name), flush=True)


def test_target(tap, target, per_op, words):
    rng = random.Random("%d %s" % (SEED, target))
    slots = our_list(target)
    cases, owner = [], []
    for enc, op, name in slots:
        for _ in range(per_op * (3 if enc in ("vop3", "ds", "vop3p") else 1)):
            cases.append(pattern(rng, enc, op))
            owner.append((enc, op))
    bad, good = compare(target, cases)
    tap.result(not bad, "%s: %d opcodes, %d patterns, %d valid, spelled as LLVM does"
               % (target, len(slots), len(cases), len(good)), bad)
    seen = {classify(w) for w, _ in good}
    if target in LIKE:
        shared = set(our_list(LIKE[target]))
        slots = [s for s in slots if s not in shared]
    for _ in range(12):
        missing = [s for s in slots if (s[0], s[1]) not in seen]
        again = [pattern(rng, enc, op) for enc, op, _ in missing for _ in range(40)]
        again += [w for enc, op, name in missing if enc == "vop3p" and "mfma" in name
                  for w in matrix_words(op, name)[:40]]
        again += [[LD_SCALE, 0x20100, w[0] | 0x800, w[1]] for enc, op, name in missing
                  if enc == "scaled" for w in matrix_words(op, name)[:40]]
        seen |= {classify(w) for w, _ in compare(target, again)[1]} if again else set()
    unseen = ["%s %d %s never compared" % s for s in slots if (s[0], s[1]) not in seen
              and s[0] != "mimg" and not excused(target, s[2])]
    tap.result(not unseen, "%s: every opcode was compared" % target, unseen)
    texts = sorted({t for _, t in good if not refusable(target, t)})
    lost = reassemble(target, texts)
    tap.result(not lost, "%s: what is printed assembles" % target, lost)
    bad, good = compare(target, [scramble(rng) for _ in range(words)])
    tap.result(not bad, "%s: %d random words, %d valid, agree" % (target, words, len(good)), bad)


def misprinted(_target, words):
    """What tame() keeps off; with luck, LLVM prints it instead of dying of it."""
    enc, op = classify(words)
    return enc is not None and len(words) > 1 and tame(enc, op, list(words)) != words


def test_many_words(tap, target, left_out=misprinted, version=19, features=""):
    """Random words as they are, in a program with both decoders in it; @left_out: not these."""
    program = os.path.join(os.path.dirname(DIS), "isa_words")
    if not os.path.exists(program):
        tap.result(True, "%s: many random words # SKIP built without LLVM 19 (llvm-19-dev)" % target)
        return
    bad, left, last = [], 0, ""
    with subprocess.Popen([*(LOADER22 if version == 22 else []), program, target, str(SEED),
                           str(MANY), "libLLVM-%d.so" % version, features],
                          stdout=subprocess.PIPE, text=True, encoding="utf-8",
                          errors="replace") as run:
        for last in run.stdout:
            if last.startswith("# "):
                continue
            words, mine, other = last.rstrip("\n").split("\t")
            words = [int(w, 16) for w in words.split()]
            if left_out(target, words):
                left += 1
            elif not same(target, words, mine, other) and not excused(target, mine, other):
                bad.append((words, mine, other))
    bad = spelled_out(target, bad)
    ended = re.fullmatch(r"# (\d+) words, (\d+) valid, (\d+) died\n", last)
    if run.returncode or not ended or int(ended.group(1)) != MANY:
        bad.append("isa_words ended early (%s): %s" % (run.returncode, last))
    tap.result(not bad, "%s: %d random words in one program, %s valid, %s of which LLVM dies, "
               "%d left out, agree"
               % (target, MANY, *(ended.groups()[1:] if ended else "??"), left), bad)


# Texts that LLVM prints and its own assembler refuses: rules of the constant
# bus and of operands that the disassembler does not check.
def refusable(target, text):
    if text.startswith(("v_", "image_")) or re.search(r"g_fork|hwreg\(\d|sendmsg|gpr_idx|tfe|RESERVED|INVALID|"
                                              r"xnack|s\[\d+:10[23]\]|^s_.* (offset:)?-0x", text):
        return True
    return target != "gfx906" and re.search(r"[va]\[\d*[13579]:|gws.* [va]\d*[13579]", text)


def main():
    if not shutil.which(MC19[0]):
        print("1..0 # SKIP no %s: run scripts/install-deps" % MC19[0])
        return 0
    if not wanted(*GFX9):
        print("1..0 # SKIP no target of GFX9 is asked for")
        return 0
    tap = Tap()
    for target in wanted("gfx90a", "gfx942", "gfx906", "gfx908"):
        often = target == "gfx90a"
        test_target(tap, target, int((12 if often else 6) * SCALE),
                    int((50000 if often else 15000) * SCALE))
    for target in wanted("gfx906", "gfx908", "gfx90a", "gfx942"):
        test_operands(tap, target)
        test_many_words(tap, target)
    for target in wanted("gfx950"):
        if not MC[target]:
            tap.result(True, "gfx950: the decoder # SKIP no llvm-mc-22: run qemu/root sid")
            continue
        test_target(tap, target, int(12 * SCALE), int(15000 * SCALE))
        test_operands(tap, target)
    print("1..%d" % tap.n)
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
