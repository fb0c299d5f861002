#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The decoder and disassembler of gfx10 to gfx12 against LLVM's: isa_decode.py for
targets that no GPU model has yet. TAP on standard output.

    isa_decode_rdna ISA_DIS

Environment: see isa_decode.py.
"""

import os
import random
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import isa_decode as base       # pylint: disable=wrong-import-position

# Where LLVM 19 and 22 differ from us
EXCEPTIONS = [
    (".*", r"/\*", "LLVM prints the instruction and says itself that it is invalid"),
    (".*", r"pops_exiting_wave_id", "graphics only, not an operand of compute waves"),
    (".*", r"^(exp |export )", "exports are decoded to be refused by name"),
    ("gfx1[01].*", r"^image_", "registers of images behind the first are not known to the decoder"),
    ("gfx1201", r"^image_bvh", "ray tracing is decoded to be refused by name"),
    (".*", r"^v_interp_(p1|p2_f|p2_legacy|mov|p1l).*attr", "parameter interpolation is no compute"),
    ("gfx1030", r"^v_interp_", "parameter interpolation is no compute"),
    (".*", r"^v_interp_.* -?(src_|null)", "constants are no VGPRs"),
    ("gfx1[12].*", r"^v_ldexp_f16_dpp .*\|v", "LLVM prints no abs of an integer source"),
    ("gfx1201", r"^v_interp_", "LLVM ignores the highest bits of the opcode"),
    (".*", r"^s_(movrel|rfe|setpc|quadmask|barrier_\w+|get_barrier_state|sleep_var)\w* .*src_",
     "constants are no registers"),
    (".*", r"^(s_barrier_|s_get_barrier|s_wakeup_barrier)", "LLVM takes any operand for a barrier"),
    (".*", r"UC_VERSION", "s_version's names are not worth a table"),
    ("gfx1[12].*", r"src_lds_direct", "there is none from gfx11 on, but LLVM prints it"),
    (".*", r"^v_(readlane|readfirstlane|swap|swaprel|writelane|movrel\w*)(_b32)?\w* .*(src_|null)",
     "constants are no VGPRs"),
    (".*", r"^v_permlane\w+ .*(src_|null|0x)", "constants are no VGPRs, literals no lane selectors"),
    ("gfx1201", r"^v_s_\w+ src_", "constants are no destinations"),
    (".*", r"^v_(cmpx?|cndmask|add_co_ci|sub_co_ci|subrev_co_ci|div_scale|\w+_co)_\w+ .*src_",
     "constants are no lane masks"),
    (".*", r"^v_(s?wmma|s?wmmac|mqsad_u32_u8|dot|pk_)\w* .*src_", "wide constants"),
    (".*", r"^v_(s?wmma|s?wmmac|mqsad_u32_u8)\w* .*null", "wide constants"),
    (".*", r"sext\(", "LLVM prints neg bits of integer sources as sext"),
    (".*", r"_e64_dpp [^:]*, [-|neg(]*0x[0-9a-f]+\b", "DPP leaves no room for a literal"),
    (".*", r"^t?buffer_\w+ .*, 0x[0-9a-f]+\b", "no literal is an offset of a buffer"),
    (".*", r"_sdwa .*(src_lds_direct|UNUSED_PAD src0_sel)", "LLVM prints a 3 there as UNUSED_PAD"),
]
# Where LLVM 19 does; isa_decode_22.py has those of LLVM 22.
EXCEPTIONS_19 = [
    ("gfx1[12].*", r"\bv\d+\.[lh]\b", "LLVM 19 knows no halves of VGPRs, or only here"),
    ("gfx1[12].*", r"^v_mov_b16", "LLVM 19 has it for halves of VGPRs only"),
    ("gfx1[12].*", r"^v_swap_b16", "LLVM 19 has it for halves of VGPRs only"),
    ("gfx1[12].*", r"^v_cmpx?_class_f16", "LLVM 19 knows no halves of its mask"),
    ("gfx1[12].*", r"^v_align(bit|byte)_b32", "LLVM 19 knows no halves of how far it shifts"),
    ("gfx1[12].*", r"v_(dual_)?dot2acc", "LLVM 19 knows not all of them"),
    ("gfx11.*", r"^v_wmma_\w+ .*0\.15915494", "LLVM 19 prints it as a double for 32 lanes only"),
    ("gfx1201", r"^v_cvt_pk_f32_(fp8|bf8)", "LLVM 19 takes no half as one, and knows no op_sel[3]"),
    (".*", r"^v_pk_fmac_f16_dpp", "gfx10 has it, later ones do not (LLVM PR 144782, 148751)"),
    ("gfx1[12].*", r"^v_dot2_f32_bf16_e64_dpp", "LLVM 19 does not know it (LLVM PR 142451)"),
    ("gfx1030", r"^v_(mul_lo|lshlrev|lshrrev|ashrrev|max|min)_[iub]16 .*op_sel:",
     "LLVM 19 does not know it"),
    ("gfx1201", r"^(s_alloc_vgpr|ds_bvh_stack_push|ds_bpermute_fi)", "LLVM 19 does not know it"),
    ("gfx1201", r"^v_cndmask_b32_dpp .*, vcc_lo\|", "LLVM 19 prints vcc_lo inside of the bars"),
]

COMMON = {
    "sop2": (0x80000000, 23, 0x7fffff), "sopk": (0xb0000000, 23, 0x7fffff),
    "sop1": (0xbe800000, 8, 0x7f00ff), "sopc": (0xbf000000, 16, 0xffff),
    "sopp": (0xbf800000, 16, 0xffff), "vop2": (0, 25, 0x1ffffff), "vopc": (0x7c000000, 17, 0x1ffff),
    "vop1": (0x7e000000, 9, 0x1fe01ff), "vop3": (0xd4000000, 16, 0xffff),
    "vop3p": (0xcc000000, 16, 0xffff), "ds": (0xd8000000, 18, 0x3ffff),
    "smem": (0xf4000000, 18, 0x3ffff), "flat": (0xdc000000, 18, 0x33fff),
    "mubuf": (0xe0000000, 18, 0x3ffff), "mtbuf": (0xe8000000, 16, 0x3f8ffff),
    "exp": (0xf8000000, 26, 0x3ffffff),
}
# encoding: first word, shift of the opcode, bits of the first word that are operands
WORDS = {
    "gfx10": dict(COMMON, scratch=(0xdc004000, 18, 0x33fff),
                  **{"global": (0xdc008000, 18, 0x33fff)}),
    "gfx11": dict(COMMON, flat=(0xdc000000, 18, 0xffff), scratch=(0xdc010000, 18, 0xffff),
                  mtbuf=(0xe8000000, 15, 0x3f87fff), vinterp=(0xcd000000, 16, 0xffff),
                  ldsdir=(0xce000000, 20, 0xfffff), vopdx=(0xc8000000, 22, 0x3fffff),
                  **{"global": (0xdc020000, 18, 0xffff)}),
}
WORDS["gfx12"] = dict(WORDS["gfx11"], smem=(0xf4000000, 13, 0x1e01fff), flat=(0xec000000, 14, 0x7f),
                      scratch=(0xed000000, 14, 0x7f), mubuf=(0xc4000000, 14, 0x40007f),
                      mtbuf=(0xc4200000, 14, 0x7f), vimage=(0xd0000000, 14, 0x3c00070),
                      vsample=(0xe4000000, 14, 0x3c02078), **{"global": (0xee000000, 14, 0x7f)})
DPP = (233, 234, 250)
# Texts that LLVM prints and its assembler refuses: offsets of FLAT that are too far, hints
# that fit no scope, formats, constants of scalar halves that it prints as a second literal.
NOT_ASSEMBLED = (r"flat_.* offset:|.* th:|s_version|t?buffer_|lds_|ds_(param|direct)_load|"
                 r"s_wait_event|s_waitcnt_(vm|vs|exp|lgkm)|s_\w*barrier|s_.* src_(vccz|execz)|"
                 r"s_\w*f16 (.*, )?0x\w+, 0x")


def vector(rng, target, enc, words):
    """Forms of the vector ALU that random words hardly ever are."""
    long = enc in ("vop3", "vop3p", "vinterp")
    if long:
        words[1] &= rng.choice((0x1ff, 0x3ffff, 0x7ffffff, 0xffffffff))
        words[1] &= 0x7ffffff if rng.random() < 0.6 else 0xffffffff
        words[0] &= ~(rng.choice((0, 0xff00, rng.getrandbits(8) << 8)))
        if enc == "vop3p" and rng.random() < 0.6:
            words[0] |= 0x4000
            words[1] |= 0x18000000
    kind = rng.random()
    at = 1 if long else 0
    if kind < 0.3 and not (long and target == "gfx1030"):
        words[at] = words[at] & ~0x1ff | rng.choice(DPP)
        words[at + 1] &= ~(rng.getrandbits(32) & 0xf00000)
    elif kind < 0.4 and target == "gfx1030" and not long:
        words[0] = words[0] & ~0x1ff | 249
        words[1] &= ~(rng.getrandbits(32) & 0xf838e000) & ~0x1000
    elif kind < 0.5 and not long:
        base.small_literal(rng, words)
    elif kind < 0.7 and long:
        words[1] |= 0x100
    if not long and rng.random() < 0.4:         # low halves, sources of 16 bits
        words[0] &= ~0x01010080
        words[1] &= ~0x80
    if enc in ("vop1", "vop3") and rng.random() < 0.1:
        words[0] &= ~0x01fe0000 if enc == "vop1" else ~0xffff
        words[1] = 0


def flat(rng, target, words):
    if target == "gfx1201":
        if rng.random() < 0.6:
            words[0] = words[0] & ~0x7f | 124
        words[1] &= ~(1 << 17) if rng.random() < 0.7 else ~0
        return
    if rng.random() < 0.6:
        null = 125 if target == "gfx1030" else 124
        words[1] = words[1] & ~0x7f0000 | rng.choice((null, null, null, 127)) << 16
    words[1] &= ~(1 << 23) if rng.random() < 0.7 else ~0
    if target == "gfx1030" and rng.random() < 0.7:
        words[0] &= ~(1 << 13)


def image_addresses(name, dim, a16):
    """How many registers of addresses an image instruction has, by its name."""
    parts = name.split("_")
    last = 1 if "resinfo" in parts else (1, 2, 3, 3, 2, 3, 3, 4)[dim] + bool(
        {"l", "cl", "mip"} & set(parts))
    slopes = (2, 4, 6, 4, 2, 4, 4, 4)[dim] if "d" in parts else 0
    if "g16" in parts:
        slopes = (slopes // 2 + 1) // 2 * 2
    return len({"o", "b", "c"} & set(parts)) + slopes + ((last + 1) // 2 if a16 else last)


def image(rng, name, words):
    """Registers that are there, dimensions and masks that LLVM has instructions for, no reserved
    bits, of which LLVM ignores some, and no address that is not used."""
    atomic = "atomic" in name
    dim = rng.choice((6, 7) if "msaa" in name else (0, 1, 2, 4, 5))
    words[0] = words[0] & ~7 | dim
    if atomic or "resinfo" in name or "_pck" in name or "lod" in name:
        words[0] &= ~0x20
    mask = words[0] >> 22 & 15
    if atomic:
        mask = rng.choice((3, 15) if "cmpswap" in name else (1, 3))
        words[1] &= ~(1 << 23)
    elif "gather" in name or "msaa" in name:
        mask = 1 << rng.randrange(4)
        if words[0] & 0x20:             # LLVM has no three registers there
            words[0] &= ~8
    words[0] = words[0] & ~0x3c00000 | (mask or 1) << 22
    words[1] = words[1] & ~0x300ff | rng.randrange(240)
    words[1] = words[1] & ~0xfe00 | 4 * rng.randrange(24) << 9
    addresses = image_addresses(name, dim, words[0] >> 6 & 1)
    # LLVM takes a v0 behind the first as one that is not there.
    words[2] = (words[2] & 0x7f7f7f7f | 0x01010100) & (1 << 8 * min(addresses, 4)) - 1
    if "sample" in name or "gather" in name or "lod" in name or "msaa" in name:
        words[1] = words[1] & 0x7fffff | 4 * rng.randrange("msaa" in name or 24) << 23
        words[0] &= ~0x1f80
    else:
        words[0] &= ~0x3f88
        words[1] &= ~0xff000100


def pattern(rng, target, enc, op, name=""):
    """Words of an opcode: operands random, reserved bits mostly clear."""
    first, shift, mask = WORDS[target[:5]][enc]
    low = op & 7 if enc == "mtbuf" and target == "gfx1030" else op
    words = [first | low << shift | rng.getrandbits(32) & mask] + \
            [rng.getrandbits(32) for _ in range(4)]
    if enc.startswith("vop") and enc != "vopdx" or enc == "vinterp":
        vector(rng, target, enc, words)
    elif enc == "ds":
        words[1] &= rng.choice((0xff0000ff, 0xffff, 0xffffff, 0xff00ffff, 0xff, 0xffffffff,
                                0xff000000, 0xff00, 0))
        words[0] &= ~0xffff if rng.random() < 0.1 else ~0
        words[0] &= ~0x20000 if rng.random() < 0.5 else ~0
    elif enc in ("flat", "global", "scratch"):
        flat(rng, target, words)
    elif enc == "vopdx" and rng.random() < 0.7:
        words[0] |= 0x100
        words[1] |= 0x100
    elif enc == "smem" and rng.random() < 0.5:  # no SGPR for the offset
        null = 125 if target == "gfx1030" else 124
        words[1] = words[1] & 0x1ffffff | null << 25
    elif enc == "mubuf" and target != "gfx1201" and rng.random() < 0.3:
        words[0] &= ~0x1f000
        words[1] &= ~0xe00000
    elif enc == "mtbuf" and target == "gfx1030":
        words[1] = words[1] & ~(1 << 21) | (op >> 3) << 21
    elif enc in ("vimage", "vsample"):
        image(rng, name, words)
    if enc == "sopp" and rng.random() < 0.4:
        words[0] &= ~0xffff
    if enc == "sopk" and op == 1:               # s_version
        words[0] |= 0x100
    return words


def scramble(rng, target, images):
    words = [rng.getrandbits(32) for _ in range(5)]
    if target == "gfx1201" and words[0] >> 26 in (0x34, 0x39):
        name = images.get((words[0] >> 26 == 0x39, words[0] >> 14 & 255))
        if name:
            image(rng, name, words)
    enc = base.classify(words)[0]
    if target == "gfx1030" and enc in ("vop1", "vop2", "vopc"):
        base.tame(enc, 0, words)        # what LLVM 19 dies of
    return words


def reserved_bits(target, words):
    """Images of gfx12: LLVM ignores their reserved bits, see image()."""
    return target == "gfx1201" and words[0] >> 26 in (0x34, 0x39)


def slots_of(target):
    """What is compared: Y of VOPD comes with X, images before gfx12 are not."""
    return [s for s in base.our_list(target)
            if s[0] not in ("mimg", "vopdy", "exp") and not s[2].startswith("image_bvh")]


def patterns(rng, target, slots, per_op):
    more = {"vop3": 3, "vop3p": 3, "vopdx": 10}
    return [(pattern(rng, target, enc, op, name), (enc, op)) for enc, op, name in slots
            for _ in range(per_op * more.get(enc, 1))]


def compare(target, cases):
    bad, good = base.compare(target, [words for words, _ in cases])
    seen = {tuple(words) for words, _ in good}
    return bad, good, {slot for words, slot in cases
                       if any(tuple(words[:n]) in seen for n in range(1, 5))}


def test_target(tap, target, per_op, words):
    rng = random.Random("%d %s" % (base.SEED, target))
    slots = slots_of(target)
    cases = patterns(rng, target, slots, per_op)
    bad, good, seen = compare(target, cases)
    tap.result(not bad, "%s: %d opcodes, %d patterns, %d valid, spelled as LLVM does"
               % (target, len(slots), len(cases), len(good)), bad)
    for _ in range(12):
        missing = [s for s in slots if s[:2] not in seen]
        seen |= compare(target, patterns(rng, target, missing, 40))[2] if missing else set()
    unseen = ["%s %d %s never compared" % s for s in slots
              if s[:2] not in seen and not base.excused(target, s[2] + " ")]
    tap.result(not unseen, "%s: every opcode was compared" % target, unseen)
    texts = sorted({t for _, t in good if not base.refusable("gfx906", t) and
                    not re.match(NOT_ASSEMBLED, t)})
    lost = base.reassemble(target, texts)
    tap.result(not lost, "%s: %d texts assemble" % (target, len(texts)), lost)
    bad, good = [], 0
    images = {(s[0] == "vsample", s[1]): s[2] for s in slots if s[0] in ("vimage", "vsample")}
    for n in range(0, words, 50000):
        more, fine = base.compare(target, [scramble(rng, target, images)
                                           for _ in range(min(50000, words - n))])
        bad += more
        good += len(fine)
    tap.result(not bad, "%s: %d random words, %d valid, agree" % (target, words, good), bad)


def same(target, _words, mine, other):
    """LLVM 19 does not say of which halves long encodings of gfx11 and gfx12 are."""
    if target != "gfx1030" and "16" in mine.split(" ", 1)[0] and "op_sel:" not in other:
        mine = re.sub(r" op_sel:\[[01,]+\]", "", mine)
    return mine == other


def ignoring(target, differences):
    """LLVM 19 ignores op_sel of these, also that of a source that is not there."""
    return [(words, mine, other) for words, mine, other in differences
            if mine or target != "gfx1030" or not words[0] & 0x2000 or
            not re.match(r"v_(mul_lo|lshlrev|lshrrev|ashrrev|max|min)_[iub]16 ", other)]


def main():
    if not shutil.which(base.MC19[0]):
        print("1..0 # SKIP no %s: run scripts/install-deps" % base.MC19[0])
        return 0
    if not base.wanted(*base.RDNA):
        print("1..0 # SKIP no target of RDNA is asked for")
        return 0
    base.DIS = sys.argv[1]
    base.EXCEPTIONS = EXCEPTIONS + EXCEPTIONS_19
    base.same = same
    base.ignoring = ignoring
    tap = base.Tap()
    for target in base.wanted(*base.RDNA):
        test_target(tap, target, int(6 * base.SCALE), int(15000 * base.SCALE))
        base.test_many_words(tap, target, reserved_bits)
    print("1..%d" % tap.n)
    return tap.failed != 0


if __name__ == "__main__":
    sys.exit(main())
