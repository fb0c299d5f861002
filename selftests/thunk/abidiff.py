#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Is a libhsakmt a drop-in for the distribution's? TAP.

abidiff.py OURS THEIRS HEADER: the shared libraries, and the hsakmt.h that
comes with THEIRS. Debian's library has no debug information, so abidiff alone
would see names and versions only. Hence a stand-in is compiled from HEADER:
every function that it declares, with an empty body. abidiff compares ours with
THEIRS by symbols, and with the stand-in by every type that a function reaches.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

SUPPRESSIONS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "abidiff.suppr")
PROTOTYPE = re.compile(r"^(HSAKMT_STATUS|\w+)\s+(hsaKmt\w+)\s*(\([^;{]*\))\s*;", re.M)


def exported(library):
    """{symbol: version} of what a library defines."""
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                         check=True).stdout
    return dict(re.findall(r" T (hsaKmt\w+)@@(\w+)", out))


def stand_in(header, symbols, work):
    """A library of the header's types with the given symbols."""
    text = subprocess.run(["gcc", "-E", "-P", "-x", "c", header], capture_output=True, text=True,
                          check=True).stdout
    declared = set()

    def body(match):
        declared.add(match.group(2))
        return f"{match.group(1)} {match.group(2)}{match.group(3)} {{ __builtin_trap(); }}"

    source, out = os.path.join(work, "standin.c"), os.path.join(work, "standin.so")
    with open(source, "w", encoding="utf-8") as f:
        f.write(PROTOTYPE.sub(body, text))
    versions = os.path.join(work, "standin.map")
    names = "".join(f"\t{name};\n" for name in sorted(declared & set(symbols)))
    with open(versions, "w", encoding="utf-8") as f:
        f.write("HSAKMT_1 {\nglobal:\n" + names + "local: *;\n};\n")
    subprocess.run(["gcc", "-g", "-w", "-shared", "-fPIC", "-o", out, source,
                    "-Wl,-soname,libhsakmt.so.1", "-Wl,--version-script=" + versions], check=True)
    return out, declared


def older(header):
    """Has the header reserved words where ours has members?"""
    types = os.path.join(os.path.dirname(os.path.realpath(header)), "hsakmttypes.h")
    with open(types, encoding="utf-8") as f:
        return "KFDGpuID" not in f.read()


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def result(self, good, name, why=""):
        self.count += 1
        self.failed += not good
        for line in ("" if good else why).splitlines()[:60]:
            print("# " + line)
        print(f"{'ok' if good else 'not ok'} {self.count} {name}")


def abidiff(tap, name, theirs, ours, *options):
    """New symbols are no difference, since nobody who uses THEIRS can notice."""
    run = subprocess.run(["abidiff", "--no-added-syms", *options, theirs, ours],
                         capture_output=True, text=True, check=False)
    tap.result(run.returncode == 0, name, run.stdout + run.stderr)


def main(ours, theirs, header):
    for needed, why in ((shutil.which("abidiff"), "abidiff is not installed (abigail-tools)"),
                        (os.path.exists(theirs), theirs + " is not there"),
                        (os.path.exists(header), header + " is not there")):
        if not needed:
            print(f"1..0 # SKIP {why}")
            return 0
    tap = Tap()
    mine, wanted = exported(ours), exported(theirs)
    wrong = [f"{name}@@{version}: ours is {mine.get(name, 'missing')}"
             for name, version in sorted(wanted.items()) if mine.get(name) != version]
    tap.result(wanted and not wrong, f"all {len(wanted)} symbols with their versions",
               "\n".join(wrong))
    abidiff(tap, "abidiff against the library", theirs, ours)
    with tempfile.TemporaryDirectory(prefix="vkfd-abi-") as work:
        library, declared = stand_in(header, wanted, work)
        # Else the comparison would be of nothing
        tap.result(len(declared & set(wanted)) * 10 > len(wanted) * 9, "the header declares them",
                   f"only {len(declared & set(wanted))} of {len(wanted)}")
        options = ["--suppr", SUPPRESSIONS] if older(header) else []
        abidiff(tap, "abidiff against the header's types", library, ours, *options)
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
