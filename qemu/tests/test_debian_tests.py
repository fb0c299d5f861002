#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/debian-tests: what it makes of names, lists and results."""

import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
PATH = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../scripts/debian-tests")
LOADER = importlib.machinery.SourceFileLoader("debian_tests", PATH)
dt = importlib.util.module_from_spec(importlib.util.spec_from_loader("debian_tests", LOADER))
LOADER.exec_module(dt)

SCRIPT = """#!/bin/sh
case $1 in
*good) echo "[  PASSED  ] 1 test."; [ -c /dev/null ];;
*lies) echo "no such test"; exit 0;;
*bad) echo "[  PASSED  ] 1 test."; exit 3;;
*skips) echo "[  SKIPPED ] 1 test, listed below:"; exit 0;;
*hangs) sleep 60 & sleep 60;;
esac
"""

# A program with a list: the second fails unless it is alone, the third kills it, the fourth hangs
GTEST = """#!/bin/sh
rest=${1#--gtest_filter=}:
alone=$([ "${rest%%:*}:" = "$rest" ] && echo yes)
while [ "$rest" ]; do
    t=${rest%%:*}; rest=${rest#*:}
    echo "[ RUN      ] $t"
    case $t in
    *lost) exit 7;;
    *hangs) sleep 60 & sleep 60;;
    *second) [ "$alone" ] || { echo "[  FAILED  ] $t, where GetParam() = 3 (2 ms)"; continue; };;
    *wrong) echo "[  FAILED  ] $t (2 ms)"; bad=1; continue;;
    *absent) echo "[  SKIPPED ] $t (0 ms)"; continue;;
    *gpu) [ -e "$GPU" ] || { echo "[  FAILED  ] $t (2 ms)"; continue; };;
    *error) [ -e "$GPU" ] && echo HSA_STATUS_ERROR_EXCEPTION;;
    esac
    echo "[       OK ] $t (1500 ms)"
done
[ "$bad" ] || echo "[  PASSED  ] 1 test."
exit ${bad:-0}
"""


class DebianTests(unittest.TestCase):
    def test_names(self):
        self.assertEqual(dt.package("rocprim"), "librocprim-tests")
        self.assertEqual(dt.package("libhipcub-tests"), "libhipcub-tests")
        self.assertEqual(dt.package("rocfft"), "librocfft0-tests")
        self.assertEqual(dt.package("librocsparse1-tests"), "librocsparse1-tests")
        for name in ("roc", "nonsense", "", "rocprimm"):
            self.assertRaises(dt.Wrong, dt.package, name)

    def test_suite_that_is_none(self):
        self.assertRaisesRegex(dt.Wrong, "no suite warty; there are: deb12 ", dt.base_root,
                               argparse.Namespace(suite="warty"))

    def test_lists(self):
        text = ("Running main() from gtest_main.cc\nA/0.  # TypeParam = int\n  one\n  two  # GetParam() = 7\n"
                "B.\n  DISABLED_x\n  three\nDISABLED_C.\n  four\n")
        self.assertEqual(dt.gtests(text), ["A/0.one", "A/0.two", "B.three"])
        self.assertEqual(dt.gtests("no HIP device\n"), [])

    def test_results_of_a_test(self):
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "t")
            with open(path, "w", encoding="utf-8") as f:
                f.write(SCRIPT)
            os.chmod(path, 0o755)
            for name, wanted in (("good", "passed"), ("lies", "failed"), ("bad", "failed"),
                                 ("skips", "skipped"), ("hangs", "slow")):
                self.assertEqual(dt.one_test(path, name, 2, False)[0], wanted, name)

    def test_thrusts_own_framework(self):
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "t")
            with open(path, "w", encoding="utf-8") as f:
                f.write("""#!/bin/sh
# KNOWN FAILURE
case $1 in
--list) printf 'TestGood\\nTestBad\\n'; exit;;
TestGood) n=0;;
TestBad) n=1;;
*) exit 0;;
esac
echo "Totals: $n failures, 0 known failures, 0 errors, and $((1 - n)) passes."
""")
            os.chmod(path, 0o755)
            kept, dt.chroot = dt.chroot, lambda root, *command, **more: subprocess.run(
                command, capture_output=True, text=True, check=False)
            try:
                self.assertEqual(dt.listed("", path), ["TestGood", "TestBad"])
            finally:
                dt.chroot = kept
            for name, wanted in (("TestGood", "passed"), ("TestBad", "failed"), ("TestNone", "failed")):
                self.assertEqual(dt.one_test(path, name, 5, False)[0], wanted, name)

    def test_results_of_a_job(self):
        tests = ["A.gpu", "A.second", "A.lost", "A.void", "A.hangs", "A.absent", "A.wrong", "A.error"]
        with tempfile.TemporaryDirectory() as d:
            path, gpu = os.path.join(d, "t"), os.path.join(d, "gpu")
            for name, text in ((path, GTEST), (gpu, "")):
                with open(name, "w", encoding="utf-8") as f:
                    f.write(text)
            os.chmod(path, 0o755)
            kept, dt.hide = dt.hide, lambda hidden, command: ["env", "GPU=" + ("" if hidden else gpu), *command]
            try:
                rows = {test: (result, seconds) for test, result, seconds, _ in dt.together(path, tests, 2)}
            finally:
                dt.hide = kept
        self.assertEqual({t: r for t, (r, _) in rows.items()}, {
            "A.gpu": "passed", "A.second": "void", "A.lost": "failed", "A.void": "void", "A.hangs": "slow",
            "A.absent": "skipped", "A.wrong": "failed", "A.error": "failed"})
        self.assertEqual(rows["A.gpu"][1], 1.5)

    def test_follows_a_guest(self):
        rows = [{"test": f"T.{n}", "result": "passed", "seconds": 1} for n in range(3)]
        script = "echo vm: a line >&2; " + "; ".join(f"echo '{json.dumps(r)}'; sleep 0.1" for r in rows) + \
            "; echo noise; printf '{cut sho'; echo lost >&2; exit 125"
        self.assertEqual(dt.follow("p/q/1-1", ["sh", "-c", script], 4), (rows, "vm: a line\nlost\n", 125))

    def test_lists_of_a_guest(self):
        with tempfile.TemporaryDirectory() as d:
            paths = [os.path.join(d, name) for name in ("lists", "none", "silent", "hangs", "dies")]
            for path, does in zip(paths, ("printf 'A.\\n  one\\n  two\\n'", "exit 1", "sleep 60",
                                          "printf 'B.\\n  three\\n'; sleep 60", "printf 'B.\\n  three\\n'; exit 3")):
                with open(path, "w", encoding="utf-8") as f:
                    f.write(f"#!/bin/sh\n{does}\n")
                os.chmod(path, 0o755)
            *paths, hangs, dies = paths
            wanted = dict(zip(paths, (["A.one", "A.two"], [], [])))
            o = argparse.Namespace(out=d, limit=2, sample=None)
            kept, dt.guest_command = dt.guest_command, lambda *_: ["sh", "-c", 'while [ "$1" != -- ]; do shift; done; '
                                                                   'shift; exec "$@"', "vm"]
            try:
                self.assertEqual(dt.listed_by_guest(o, d, "p-tests", paths), wanted)
                # Nobody knows how many tests such a list lacks
                with self.assertRaisesRegex(dt.Wrong, "hangs listed 1 tests, and then did not end in 2 s"):
                    dt.listed_by_guest(o, d, "p-tests", [*paths, hangs])
                with self.assertRaisesRegex(dt.Wrong, "dies listed 1 tests, and then ended with status 3"):
                    dt.listed_by_guest(o, d, "p-tests", [dies])
                dt.guest_command = lambda *_: ["sh", "-c", "echo vm: lost >&2; exit 125"]
                with self.assertRaisesRegex(dt.Wrong, "p-tests: the guest ended after 0 of 3 lists: vm: lost"):
                    dt.listed_by_guest(o, d, "p-tests", paths)
            finally:
                dt.guest_command = kept

    def test_merge(self):
        with tempfile.TemporaryDirectory() as d:
            o = argparse.Namespace(out=d, score=os.path.join(d, "score.md"), gpu="gfx90a", engine="kernel",
                                   sample=None)
            with open(o.score, "w", encoding="utf-8") as f:
                f.write("text\n<!-- results -->\nold\n| p-tests | 1 | gfx90a | 9 |\n| lib-tests | 2 | gfx906 | 8 |\n\n"
                        "p-tests 1 on gfx90a:\n\n    prog old: failed\n\n"
                        "lib-tests 2 on gfx906:\n\n    prog T.8: slow\n")
            for n, result in enumerate(("passed", "failed", "void", "passed")):
                path = dt.result_path(o, f"p-tests/prog/{n}-4")
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as f:
                    json.dump({"package": "p-tests", "version": "1", "gpu": "gfx90a",
                               "program": "/x/prog", "tests": [
                                   {"test": f"T.{n}", "result": result, "seconds": 1.5}]}, f)
            with contextlib.redirect_stdout(io.StringIO()):
                dt.merge(o)
                dt.merge(o)
            with open(o.score, encoding="utf-8") as f:
                text = f.read()
        self.assertTrue(text.startswith("text\n<!-- results -->\n"))
        self.assertNotIn("old", text)
        self.assertEqual(text.count("| p-tests | 1 | gfx90a | 4 | ? | 2 | 1 | 1 | 0 | 0 | 6 |"), 1)
        self.assertEqual(text.count("prog T.1: failed"), 1)
        # What ran elsewhere stays
        self.assertEqual(text.count("| lib-tests | 2 | gfx906 | 8 |"), 1)
        self.assertEqual(text.count("lib-tests 2 on gfx906:\n\n    prog T.8: slow\n"), 1)

    def test_a_part_of_the_data(self):
        size = 100
        def record(name, n):
            return (struct.pack("<I", n) + name + bytes(size))[:size]
        names = [b"axpby", b"spmv_csr"] * 6 + [b"sddmm"]
        head = dt.sparse_data.BEGIN + bytes(range(size)) + dt.sparse_data.END
        records = [record(name, n) for n, name in enumerate(names)]
        part, count = dt.sparse_data.sample(head + b"".join(records), 2)
        self.assertEqual(count, 13)
        self.assertEqual(part, head + b"".join(records[n] for n in (2, 3, 8, 9, 12)))
        self.assertEqual(dt.sparse_data.sample(head + b"".join(records), 99)[0], head + b"".join(records))
        for bad in (b"", b"x" * 1000, head, head + b"".join(records)[:-1], head + bytes(size * 2)):
            self.assertRaises(dt.sparse_data.Bad, dt.sparse_data.sample, bad, 1)

    def test_which_part(self):
        with tempfile.TemporaryDirectory() as d:
            o = argparse.Namespace(out=d, gpu="gfx90a", engine="kernel", sample=3)
            self.assertTrue(dt.result_path(o, "librocsparse1-tests/p/1-2").endswith("p_1-2.sample3.json"))
            self.assertTrue(dt.result_path(o, "librocprim-tests/p/1-2").endswith("p_1-2.json"))
            self.assertEqual(dt.sampled(o, d, "librocprim-tests"), (None, None))

    def test_one_line(self):
        for args, says in ((["--limit", "x", "list", "rocprim"], "--limit: invalid int value: 'x'; try .*--help'"),
                           ([], "required: .*; try 'debian-tests --help'"),
                           (["check", "/nowhere"], "/nowhere: No such file or directory"),
                           (["list", "nope"], "no package nope; there are: .*")):
            r = subprocess.run([PATH, *args], capture_output=True, text=True, check=False)
            self.assertEqual(r.returncode, 2)
            self.assertRegex(r.stderr, rf"\Adebian-tests: .*{says}\n\Z")

    def test_every_job_once(self):
        tests = [f"T.{n}" for n in range(45)]
        lists = {"/x/prog": tests, "/x/other": ["*"]}
        kept, dt.tests_of = dt.tests_of, lambda *_: lists
        try:
            jobs = dt.jobs_of(None, None, "p-tests")
        finally:
            dt.tests_of = kept
        self.assertEqual(sorted(jobs), ["p-tests/other/1-1"] + [f"p-tests/prog/{n}-3" for n in (1, 2, 3)])
        self.assertEqual(sorted(sum((t for p, t in jobs.values() if p == "/x/prog"), [])), sorted(tests))


if __name__ == "__main__":
    unittest.main()
