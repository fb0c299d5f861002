#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The decoder and disassembler against LLVM 22's: isa_decode_rdna.py with the newer LLVM, which
spells some things differently, checks fewer reserved fields, and knows more. TAP on standard output.

    isa_decode_22 ISA_DIS

LLVM 22 is installed or in the root "sid" of qemu/root. Environment: see isa_decode.py; where a
part of the operands is asked for, as before each commit, this is left out: it takes a minute.
"""

import functools
import os
import random
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import isa_decode as base       # pylint: disable=wrong-import-position
import isa_decode_rdna as rdna  # pylint: disable=wrong-import-position

# What LLVM is told of a target besides its name. On gfx12 it knows halves of VGPRs, but does not
# print them unless it is told so; on gfx11 it does.
FEATURES = {"gfx1030": "", "gfx1100": "", "gfx1151": "", "gfx1201": "+real-true16"}

# Targets of isa_decode.py
GFX9 = ("gfx90a", "gfx942", "gfx950")

# Where we differ on purpose: target, who sees an instruction where the other sees none or another,
# what matches the text of that one (one of the two), why, and perhaps which words.
OURS, THEIRS, BOTH = range(3)


def signs(words):
    """VOP3: abs or neg of anything"""
    return words[0] & 0x700 or words[1] >> 29


EXCEPTIONS = [
    (".*", THEIRS, r"src_flat_scratch_base_(lo|hi)", "a name of gfx1250, LLVM 22 takes it everywhere"),
    (".*", THEIRS, r"\bv\[2\d\d:(25[6-9]|2[6-9]\d)\]", "LLVM 22 counts more than 256 registers"),
    ("gfx1.*", THEIRS, r"^v_fma_mix\w+ ", "LLVM 22 takes GFX9's encodings, too",
     lambda words: words[0] >> 23 == 0xd3800000 >> 23),
    (".*", THEIRS, r"^v_(cndmask_b(16|32)|\w+_co_ci_u32)(_e64)?(_dpp)? .*, v\d+( |$)",
     "no VGPR is a lane mask"),
    (".*", THEIRS, r"^v_align(bit|byte)_b32(_e64_dpp)? .*( clamp|op_sel:\[(1|0,1|.,.,.,1))",
     "LLVM 22 takes halves of what is whole, and a clamp of bits"),
    ("gfx1030", BOTH, r"^v_align(bit|byte)_b32 .*op_sel:", "LLVM 22 prints halves of what is whole"),
    ("gfx1.*", THEIRS, r"^v_cmpx?_class_f16\S* .*, -?\|", "no mask has a sign"),
    ("gfx1.*", THEIRS, r"^v_cmpx?_class_f\d+_e64", "no mask has a sign, and this none has halves",
     lambda words: words[0] & 0x7a00 or words[1] & 1 << 30),
    ("gfx1[12].*", THEIRS, r"^v_interp_", "LLVM 22 takes halves of what is whole"),
    ("gfx1030", THEIRS, r"^v_(mul_lo|max|min|lshrrev|lshlrev|ashrrev)_[iub]16 .* clamp", "nothing to clamp"),
    (".*", OURS, r"^v_(permlane|(mad|min3|max3|med3|add_nc|sub_nc|mad_[iu]32)_[iu]16)", "signs: LLVM 19 takes them",
     signs),
    ("gfx1201", OURS, r"^v_(minimum|maximum)_f16", "LLVM 19 takes a half of no source",
     lambda words: words[0] & 0x2000),
    ("gfx1[12].*", OURS, r"^v_cmpx_\w+_e64", "LLVM 22 wants EXEC where the destination would be",
     lambda words: words[0] & 0xff != 126),
    (".*", OURS, r"^v_dot[48]_.* op_sel:", "LLVM 19 has it, gfx10 does it (LLVM PR 100485)"),
    ("gfx1[12].*", BOTH, r"^v_ldexp_f16_", "LLVM 22 prints no signs of the exponent"),
    ("gfx1[12].*", THEIRS, r"^v_ldexp_f16_e64", "LLVM 22 ignores signs of the exponent",
     signs),
    ("gfx1201", BOTH, r"^v_cndmask_b32_dpp .*, vcc_lo\|", "LLVM prints vcc_lo inside of the bars"),
    ("gfx1[12].*", BOTH, r"^v_fma_mix(lo|hi)_f16_e64_dpp .*quad_perm", "LLVM 22 loses its highest bit",
     lambda words: words[2] & 0x8000),
    ("gfx1.*", BOTH, r"^ds_swizzle_b32 .*swizzle\((FFT|ROTATE)", "LLVM 19 prints a number"),
    ("gfx11.*", OURS, r"^buffer_load_lds_", "AMD's shader manual has none (LLVM PR 132916), LLVM 19 has"),
    ("gfx1(151|201)", OURS, r"^s_singleuse_vdst ", "a hint that LLVM 22 does not know any more"),
    ("gfx9.*", THEIRS, r"^t?buffer_\w+ .*, 0x[0-9a-f]+\b", "no literal is an offset of a buffer"),
    ("gfx9.*", THEIRS, r"^v_pk_fmac_f16_(dpp|e64|sdwa)", "LLVM 22 has it (PR 144782), LLVM 19 and we have not"),
    ("gfx9[45].", OURS, r"^(flat|global)_atomic_(pk_add_b?f16|(add|min|max)_f64) a", "LLVM 22 has them with VGPRs only"),
    ("gfx1201", OURS, r"^s_(buffer_)?load_b96 ttmp\[12:14\]", "LLVM 22 has no such three"),
    ("gfx1201", OURS, r"^(s_(atc_probe_)?|t?)buffer(_\w+)? .*(offset:|, )-",
     "AMD's shader manual has no negative offsets there (LLVM PR 145504); they wrap to far outside"),
]


VOP3, VOP3P = 0x35, 0x33        # bits 26 to 31
VOP3_GFX9 = 0x34                # the same, for both
VINTERP = 0xcd                  # bits 24 to 31
DPP16 = 0xfa                    # bits 0 to 8
# Floats of 16 bits that are constants
HALVES = {0x3118: "0.15915494", 0x3800: "0.5", -0x4800: "-0.5", 0x3c00: "1.0", -0x4400: "-1.0",
          0x4000: "2.0", -0x4000: "-2.0", 0x4400: "4.0", -0x3c00: "-4.0"}


@functools.lru_cache
def rows(target, who):
    return [(re.compile(pattern), more[0] if more else None)
            for name, side, pattern, _, *more in EXCEPTIONS
            if side == who and re.fullmatch(name, target)]


def excused(target, words, mine, text):
    who = BOTH if mine and text else OURS if mine else THEIRS
    return any((pattern.search(mine) or pattern.search(text)) and (not which or which(words))
               for pattern, which in rows(target, who))


def halves(word, text):
    """Registers of which halves are named as LLVM 19 and we do: nothing is a low half, and a high
    one only in short encodings. Where register and op_sel disagree, nothing changes."""
    if word >> 26 != VOP3 and word >> 24 != VINTERP:
        return re.sub(r"\b(v\d+)\.l\b", r"\1", text)
    name, space, rest = text.partition(" ")
    operands = rest.split(", ")
    first = name.startswith("v_cmpx")           # has no destination
    for n, operand in enumerate(operands, first):
        half = "lh"[word >> (10 + n if n else 14) & 1]
        operands[n - first] = re.sub(r"\b(v\d+)\.%s(?![.\w])" % half, r"\1", operand)
    return name + space + ", ".join(operands)


def literal(value):
    """The lower half of a literal as LLVM 19 prints it"""
    value &= 0xffff
    value -= value >> 15 << 16
    return str(value) if -16 <= value <= 64 else HALVES.get(value) or hex(value & 0xffff)


def as_ours(target, words, text):
    """LLVM 22's text in the way that LLVM 19 and we spell it"""
    if target != "gfx1030" and target not in GFX9:
        text = halves(words[0], text)
    if target == "gfx1201":
        # Bits of gfx1250 that gfx1201 ignores
        text = re.sub(r" (scale_offset|nv)\b", "", text)
        text = text.replace("hwreg(HW_REG_WAVE_SCHED_MODE", "hwreg(26")
        text = text.replace("hwreg(HW_REG_WAVE_", "hwreg(HW_REG_")
        text = text.replace(" th:TH_STORE_WB", " th:TH_STORE_RT_WB")
        if text.startswith("v_cvt_pk_f32_"):
            text = re.sub(r"\blit\(0x[0-9a-f]+\)", lambda m: hex(words[1] & 0xffff), text)
    # Literals of halves, all bits of them
    return re.sub(r"\blit\(0x([0-9a-f]+)\)", lambda m: literal(int(m.group(1), 16)), text)


def same(target, words, mine, other):
    other = as_ours(target, words, other)
    if other.startswith("v_cndmask_b16"):      # its halves are only seen in registers' names
        mine = no_opsel(mine)
    if re.match("v_dot[48]_", other):           # see the table
        mine = re.sub(r" op_sel_hi:\[[01,]+\]", "", mine)
    return mine == other


def bare_dpp(words):
    """DPP16 of a short encoding without signs, of which integers have none"""
    return [words[0], words[1] & ~0xf00000, *words[2:]]


def without(words, text):
    """Words of VOP3 without what @text does not show: modifiers, and sources behind the first,
    the second, the third. LLVM 22 ignores such fields, but LLVM 19 and we take reserved ones
    only if they are zero."""
    first, second, rest = words[0], words[1], words[2:]
    packed = first >> 26 == VOP3P or first >> 23 == 0xd3800000 >> 23
    if "clamp" not in text:
        first &= ~0x8000
    if not packed and "mul:" not in text and "div:" not in text:
        second &= ~0x18000000
    signs = re.search(r"-[^\d]|neg[(_]", text)
    for sources in range(4):
        gone = 7 << sources & 7
        one = first & ~((gone if packed or "|" in text else 7) << 8)
        two = second & ~((gone if signs else 7) << 29)
        for n in range(sources, 3):
            two &= ~(0x1ff << 9 * n)
        if packed:
            one &= ~(gone << 11)
            yield [one | (gone & 4) << 12, two | (gone & 3) << 27, *rest]
            yield [one & ~((gone & 4) << 12), two & ~((gone & 3) << 27), *rest]
        elif "op_sel:" not in text and "byte_sel:" not in text:
            yield [one & ~0x7800, two, *rest]
            yield [first, two, *rest]           # bits of a second destination
        else:
            for keep in range(16):
                yield [one & ~(keep << 11), two, *rest]


def no_opsel(text):
    return re.sub(r" op_sel:\[[01,]+\]", "", text)


def falls_back(words, mine, text):
    """Are there bits of op_sel that belong to no operand? Then LLVM 22 ignores all of them."""
    found = re.search(r" op_sel:\[([01,]+)\]", mine)
    if words[0] >> 26 != VOP3 or not found or "op_sel:" in text:
        return False
    sources = found.group(1).count(",") + mine.startswith("v_cmpx")
    used = (1 << sources) - 1 | (0 if mine.startswith("v_cmp") else 8)
    return words[0] >> 11 & 15 & ~used and no_opsel(mine) == text


def ignoring(target, differences):
    """All but where we see no instruction, but the same one as LLVM 22 if fields are cleared that
    its text does not show; and but what a table excuses"""
    cases, owners = [], []
    for n, (words, mine, text) in enumerate(differences):
        if not mine and text:
            long = (VOP3_GFX9,) if target in GFX9 else (VOP3, VOP3P)
            more = list(without(words, text)) if words[0] >> 26 in long else \
                [bare_dpp(words)] if words[0] & 0x800001ff == DPP16 else []
            cases += more
            owners += [n] * len(more)
    fine = {n for n, words, (_, mine) in zip(owners, cases, base.ours(target, cases))
            if mine and same(target, words, mine, differences[n][2])}
    return [d for n, d in enumerate(differences)
            if n not in fine and not falls_back(*d) and not excused(target, *d)]


def test_patterns(tap, target, per_op):
    """Every opcode with many kinds of operands"""
    rng = random.Random("%d %s" % (base.SEED, target))
    slots = rdna.slots_of(target)
    cases = rdna.patterns(rng, target, slots, per_op)
    bad, good, seen = rdna.compare(target, cases)
    tap.result(not bad, "%s: %d opcodes, %d patterns, %d valid, as LLVM 22 has them"
               % (target, len(slots), len(cases), len(good)), bad)
    for _ in range(12):
        missing = [s for s in slots if s[:2] not in seen]
        more = rdna.patterns(rng, target, missing, 40) if missing else []
        seen |= rdna.compare(target, more)[2] if more else set()
    unseen = ["%s %d %s never compared" % s for s in slots if s[:2] not in seen and
              not base.excused(target, s[2] + " ") and not excused(target, [0, 0], s[2] + " ", "")]
    tap.result(not unseen, "%s: every opcode was compared with LLVM 22's" % target, unseen)


def main():
    if not base.MC22:
        print("1..0 # SKIP no llvm-mc-22: run scripts/install-deps or qemu/root sid")
        return 0
    if base.SCALE < 1:
        print("1..0 # SKIP a part of the operands is asked for")
        return 0
    if not base.wanted(*GFX9, *FEATURES):
        print("1..0 # SKIP no target of this program is asked for")
        return 0
    base.DIS = sys.argv[1]
    base.same = same
    base.ignoring = ignoring
    tap = base.Tap()
    base.EXCEPTIONS = [e for e in base.EXCEPTIONS if "LLVM 19" not in e[2]]
    for target in base.wanted(*GFX9):
        base.test_many_words(tap, target, version=22)
    base.excuses.cache_clear()
    base.EXCEPTIONS = rdna.EXCEPTIONS
    for target in base.wanted(*FEATURES):
        features = FEATURES[target]
        base.MC[target] = base.MC22 + ["-mattr=" + features]
        test_patterns(tap, target, int(6 * base.SCALE))
        base.test_many_words(tap, target, rdna.reserved_bits, 22, features)
    print("1..%d" % tap.n)
    return tap.failed != 0


if __name__ == "__main__":
    sys.exit(main())
