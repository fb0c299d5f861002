#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The generator of the instruction tables: what it makes of meanings, and that a
row which cannot be right stops the build with its file and line. TAP.

    isa_gen ISA	ISA: kmod/isa, where generated/gen-isa is
"""

import os
import subprocess
import sys
import tempfile

ISA = sys.argv[1]
ROW = "op v_test vop3 v32 x32,x32,x32 - gfx900=0x1c0\n"
ROW16 = "op v_test vop3 v32 x16,x16 - gfx900=0x1c0\n"

# Name, table, what "gen-isa lanes" must say of it: on line 2 unless a number comes first
WRONG = [
    ("types of an operator", ROW + "\tD.u32 = S0.u32 + S1.f32\n", "no fn + of (u32, f32)"),
    ("type of the result", ROW + "\tD.f32 = S0.u32 + S1.u32\n", "the result is u32, not f32"),
    ("one operand, two types", ROW + "\tD.u32 = S0.u32 + u32(S0.u16)\n", "S0 has two types"),
    ("unknown type", ROW + "\tD.u31 = S0.u32\n", "unknown type u31"),
    ("unknown primitive", ROW + "\tD.u32 = frobnicate(S0.u32)\n", "no fn frobnicate of (u32)"),
    ("an operand too many", ROW + "\tD.u32 = S0.u32 + S3.u32\n", "no operand S3"),
    ("a literal that is none", ROW + "\tD.u32 = S0.u32 + K.u32\n", "no operand K"),
    ("bits outside", ROW + "\tD.u32 = S0.u32[32:1]\n", "no bits 32 to 1 of u32"),
    ("bits of a float", ROW + "\tD.f32 = S0.f32[3:0]\n", "no bits 3 to 0 of f32"),
    ("unknown word", ROW + "\tD.u32 = S0.u32 {hot}\n", "unknown word hot"),
    ("a bracket", ROW + "\tD.u32 = (S0.u32 + S1.u32\n", "')' is missing"),
    ("something behind", ROW + "\tD.u32 = S0.u32 S1.u32\n", "nothing may follow here"),
    ("half of 32 bits", ROW + "\tD[15:0].u32 = S0.u32\n", "wants 16 bits"),
    ("no way to compute", ROW + "\tD.u32 = perm(popcount(S0.u32), S1.u32, S2.u32)\n",
     "no way to compute this"),
    ("two rows of a number", ROW + ROW.replace("v_test", "v_other"), "is v_test already"),
    ("number outside", ROW + ROW.replace("0x1c0", "0x400"), "is outside of vop3"),
    ("unknown operand", "\n" + ROW.replace("x32,x32", "y32,x32"), "unknown operand y32"),
]

# Name, table, C that must be there
RIGHT = [
    ("a vector expression", ROW + "\tD.u32 = (S0.u32 << S1.u32[4:0]) + S2.u32\n",
     ["return vi_add(vi_sllv(a, vi_cnt(b)), c);"]),
    ("a masked operand in place", ROW + "\tD.u32 = (S0.u32 << S1.u32[4:0]) + S2.u32 {in:2}\n",
     ["v_test_into2", "return vi_add(vi_in(m, vi_sllv(a, vi_cnt(b))), c);"]),
    ("a result merged in place", ROW + "\tD.u32 = S0.u32 - S1.u32 {in:01}\n",
     ["return vi_sub(a, vi_in(m, b));", "return vi_keep(m, b, vi_sub(a, b));"]),
    ("one lane at a time", ROW + "\tD.u32 = sad_u8(S0.u32, S1.u32) + S2.u32 {sat}\n",
     ["(int_sad_u8(a, b) + c)", "sat_u32(((s64)int_sad_u8((u32)(s64)a, (u32)(s64)b) + (s64)c))"]),
    ("signed bits without bounds", ROW + "\tD.i32 = S0.i32[23:0] * S1.i32[23:0] {sat}\n",
     ["((s64)((s32)((u32)(s64)a << 8) >> 8) * (s64)((s32)((u32)(s64)b << 8) >> 8))"]),
    ("the other half stays", ROW16 + "\tD[15:0].u16 = S0.u16 + S1.u16\n", [".flags = LF_KEEP,"]),
    ("the old destination", ROW + "\tD.f32 = fma(S0.f32, S1.f32, D.f32)\n",
     ["return vf_fmac(a, b, c);", ".flags = LF_ACC,"]),
    ("precedence", ROW + "\tD.u32 = S0.u32 | S1.u32 ^ S2.u32 & S0.u32\n",
     ["return vi_or(a, vi_xor(b, vi_and(c, a)));"]),
]


def run(table, path):
    with open(path, "w", encoding="ascii") as f:
        f.write(table)
    tabs = [os.path.join(ISA, "tab", n) for n in ("gen.tab", "prim.tab")]
    return subprocess.run([os.path.join(ISA, "generated/gen-isa"), "lanes", *tabs, path],
                          capture_output=True, text=True, check=False)


def main():
    failed = 0
    print(f"TAP version 13\n1..{len(WRONG) + len(RIGHT)}")
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "test.tab")
        for number, (name, table, want) in enumerate(WRONG + RIGHT, 1):
            done = run(table, path)
            if isinstance(want, str):
                ok = done.returncode == 1 and done.stderr.startswith(f"{path}:2: ") and want in done.stderr
            else:
                ok = done.returncode == 0 and all(w in done.stdout for w in want)
            if not ok:
                failed += 1
                print("# " + (done.stderr or done.stdout).replace("\n", "\n# "))
            print(f"{'' if ok else 'not '}ok {number} {name}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
