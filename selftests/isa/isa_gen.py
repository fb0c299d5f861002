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
SOP2 = "op s_test sop2 s32 c32,c32 - gfx900=0x00\n"
SOP2W = "op s_test sop2 s64 c64,c64 - gfx900=0x00\n"
SOPK = "op s_test sopk s32 i16 - gfx900=0x00\n"
SOPC = "op s_test sopc - c32,c32 - gfx900=0x00\n"
EXCP = "op v_excp vop3 v32 x32,x32,x32 - gfx900=0x1c0\n"
SOPP = "op s_test sopp - l16 - gfx900=0x00\n"

# Name, table, what gen-isa must say of it: on line 2 unless a number comes first
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
    ("unknown class of exceptions", ROW + "\tD.u32 = S0.u32 {raises:nothing}\n",
     "unknown class of exceptions nothing"),
    ("exceptions out of order", EXCP + "\tD.f32 = fma(S1.f32, S0.f32, S2.f32)\n",
     "want sources in order"),
    ("no way to compute", ROW + "\tD.u32 = perm(popcount(S0.u32), S1.u32, S2.u32)\n",
     "no way to compute this"),
    ("a refusal without a reason", "#\nrefuse v_test\n", "refuse PREFIX REASON"),
    ("two rows of a number", ROW + ROW.replace("v_test", "v_other"), "is v_test already"),
    ("number outside", ROW + ROW.replace("0x1c0", "0x400"), "is outside of vop3"),
    ("a type wider than its operand", ROW + "\tD.u32 = u32(S0.u64 > S1.u64)\n", "S0 is x32, not u64"),
    ("64 bits of a register", ROW + "\tD.u64 = S0.u64 + S1.u64\n", "D is v32, not u64"),
    ("scalar: types of an operator", SOP2 + "\tD.u32 = S0.u32 + S1.i32\n",
     "no fn + of (u32, i32)"),
    ("scalar: type of D", SOP2 + "\tD.i32 = S0.u32 & S1.u32\n", "D is u32, not i32"),
    ("scalar: type of SCC", SOPC + "\tSCC = S0.u32 & S1.u32\n", "SCC is u32, not bit"),
    ("scalar: type of EXEC", SOP2W + "\tD.b64 = S0.b64; EXEC.b32 = S0.b64\n", "EXEC is b64"),
    ("scalar: TMP of another type", SOP2 + "\tTMP.u64 = u64(S0.u32); D.u32 = TMP.u32\n",
     "TMP is u64"),
    ("scalar: D of two types", SOP2 + "\tD.u32 = S0.u32; D.i32 = S1.i32\n", "D has two types"),
    ("scalar: a source wider than its operand", SOP2 + "\tD.u32 = u32(S0.u64)\n",
     "S0 is c32, not u64"),
    ("scalar: D wider than its operand", SOP2 + "\tD.u64 = u64(S0.u32)\n", "D is s32, not u64"),
    ("scalar: sign of an immediate", SOPK + "\tD.u32 = u32(S0.u16)\n", "S0 is i16, not u16"),
    ("scalar: no destination", SOPC + "\tD.u32 = S0.u32\n", "no operand D"),
    ("scalar: no second source", SOPK + "\tD.i32 = S1.i32\n", "no operand S1"),
    ("scalar: D is not written", SOP2 + "\tSCC = S0.u32 < S1.u32\n", "nothing is written to D"),
    ("scalar: unknown target", SOPC + "\tSCD = S0.u32 < S1.u32\n", "no target: SCD"),
    ("scalar: a primitive of vectors", SOP2 + "\tD.u32 = perm(S0.u32, S1.u32, S1.u32)\n",
     "no fn perm of"),
    ("scalar: half of ?:", SOP2 + "\tD.u32 = SCC ? S0.u32\n", "':' is missing"),
    ("scalar: ?: of no bit", SOP2 + "\tD.u32 = S0.u32 ? S0.u32 : S1.u32\n", "no fn ?: of"),
    ("a later row with other widths", "\n" + SOP2.replace("0x00", "0x01") + "\tD.u32 = S0.u32\n" +
     "op s_test sop1 s64 c32 - gfx900=0x00\n", 4, "D is s64, not u32"),
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
    ("the other half stays", ROW16 + "\tD[15:0].u16 = S0.u16 + S1.u16\n", [".flags = LF_KEEP | LF_PLACE,"]),
    ("the old destination", ROW + "\tD.f32 = fma(S0.f32, S1.f32, D.f32)\n",
     ["return vf_fmac(a, b, c);", ".flags = LF_ACC | LF_PLACE,"]),
    ("exceptions: of the outermost", EXCP + "\tD.f32 = fma(S0.f32, S1.f32, S2.f32)\n",
     ["[ISA_OP_V_EXCP] = { RAISES_FMA, F32, F32, 0 },"]),
    ("exceptions: of a product and a sum", EXCP + "\tD.f32 = S0.f32 * S1.f32 + S2.f32 {flush}\n",
     ["{ RAISES_MAD, F32, F32, RULE_FLUSH },"]),
    ("exceptions: operands changed places", EXCP + "\tD.f32 = S1.f32 - S0.f32\n",
     ["{ RAISES_SUBREV, F32, F32, 0 },"]),
    ("exceptions: as the row says", EXCP + "\tD.f32 = rcp(S0.f32) {raises:iflag}\n",
     ["{ RAISES_IFLAG, F32, F32, RULE_FLUSH },"]),
    ("exceptions: denormals that a primitive flushes", EXCP + "\tD.f32 = sqrt(S0.f32)\n",
     ["{ RAISES_SQRT, F32, F32, RULE_FLUSH },"]),
    ("exceptions: ... and one that does not", EXCP + "\tD.f32 = sin(S0.f32)\n",
     ["{ RAISES_TRIG, F32, F32, 0 },"]),
    ("scalar: a word", SOP2 + "\tD.u32 = S0.u32 & S1.u32; SCC = D.u32 != 0\n",
     ["u32 a = w->s[i->src[0]];", "u32 a = isa_sget32(w, i, i->src[0]);", "\td = (a & b);",
      "w->scc = (d != 0u);", "isa_sput32(w, i->dst, (u32)d);",
      "[ISA_OP_S_TEST] = { s_test_fast, s_test_any },"]),
    ("scalar: halves of 64 bits", SOP2W + "\tD.b64 = S0.b64 & ~S1.b64; SCC = D.b64 != 0\n",
     ["u32 lo = (a[0] & (~b[0])), hi = (a[1] & (~b[1]));", "isa_sget64(w, i, i->src[1])"]),
    ("scalar: EXEC before and after", SOP2W + "\tD.b64 = EXEC.b64; EXEC.b64 = S0.b64 & EXEC.b64\n",
     ["u64 exec = isa_exec(w);", "d = exec;\n\texec = (a & exec) & w->all;\n\tisa_set_exec(w, exec);"]),
    ("scalar: the old destination", SOPK + "\tD.i32 = D.i32 + i32(S0.i16)\n",
     ["s32 a = (s32)i->lit;", "s32 d = (s32)w->s[i->dst];"]),
    ("scalar: a condition", SOP2 + "\tD.u32 = SCC ? S0.u32 : S1.u32\n", ["d = (w->scc ? a : b);"]),
    ("scalar: a branch", SOPP + "\tBRANCH = !SCC\n",
     ["return (!w->scc) ? ISA_STOP_BRANCH : ISA_STOP_NONE;", "{ s_test_fast, s_test_fast }"]),
    ("scalar: a function", SOPP + "\t@salu_test\n", ["[ISA_OP_S_TEST] = { salu_test, salu_test },"]),
    ("precedence", ROW + "\tD.u32 = S0.u32 | S1.u32 ^ S2.u32 & S0.u32\n",
     ["return vi_or(a, vi_xor(b, vi_and(c, a)));"]),
]


def run(table, path):
    with open(path, "w", encoding="ascii") as f:
        f.write(table)
    tabs = [os.path.join(ISA, "tab", n)
            for n in ("gen.tab", "prim.tab", "prim_cmp.tab", "prim_scalar.tab", "raises.tab")]
    what = "scalars" if " sop" in table else "excp" if "v_excp" in table else "lanes"
    return subprocess.run([os.path.join(ISA, "generated/gen-isa"), what, *tabs, path],
                          capture_output=True, text=True, check=False)


def main():
    failed = 0
    print(f"TAP version 13\n1..{len(WRONG) + len(RIGHT)}")
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "test.tab")
        for number, (name, table, *line, want) in enumerate(WRONG + RIGHT, 1):
            done = run(table, path)
            if isinstance(want, str):
                at = f"{path}:{(*line, 2)[0]}: "
                ok = done.returncode == 1 and done.stderr.startswith(at) and want in done.stderr
            else:
                ok = done.returncode == 0 and all(w in done.stdout for w in want)
            if not ok:
                failed += 1
                print("# " + (done.stderr or done.stdout).replace("\n", "\n# "))
            print(f"{'' if ok else 'not '}ok {number} {name}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
