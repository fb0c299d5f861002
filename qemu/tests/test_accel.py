#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How vm finds out whether KVM works. QEMU itself is real where the guest is the
test; where it is the answer, a script stands for a machine with KVM, or without."""

import os
import shlex
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [os.path.join(HERE, "../lib")]

import accel    # noqa: E402
from common import VmError, build   # noqa: E402

TCG = [accel.QEMU, *accel.ARGUMENTS["tcg"]]
# This much a busy host may need for what takes half a second
PATIENCE = 60


def firmware(path, code):
    """64 KiB whose reset vector is this code."""
    with open(path, "wb") as f:
        f.write((b"\0" * 0xfff0 + code).ljust(0x10000, b"\0"))
    return path


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="vkfd-accel-")
        self.addCleanup(directory.cleanup)
        self.dir = directory.name

    def path(self, name):
        return os.path.join(self.dir, name)


class Probe(Case):
    """The firmware in QEMU's TCG, which is there everywhere."""

    def test_comes_to_its_end(self):
        self.assertIsNone(accel.probe(TCG, build("probe.rom"), PATIENCE))

    def test_a_guest_that_never_answers(self):
        start = time.monotonic()
        reason = accel.probe(TCG, firmware(self.path("rom"), b"\xfa\xf4"), 2)     # cli; hlt
        self.assertEqual(reason, "a test guest gave no answer within 2 s")
        self.assertLess(time.monotonic() - start, PATIENCE)

    def test_a_wrong_answer(self):
        rom = firmware(self.path("rom"), b"\xb0\x01\xe6\xf4\xf4")    # mov $1, %al; out %al, $0xf4; hlt
        self.assertEqual(accel.probe(TCG, rom, PATIENCE), "a test guest ended with status 3")

    def test_no_answer_but_an_end(self):
        rom = firmware(self.path("rom"), b"\x0f\x01\x1e\0\x10\xcc")    # lidt 0x1000, which is empty; int3
        self.assertEqual(accel.probe(TCG, rom, PATIENCE), "a test guest ended with status 0")


class Choice(Case):
    """Whose answer is taken, told and remembered."""

    def setUp(self):
        super().setUp()
        self.device = self.path("kvm")
        self.said = []
        with open(self.device, "wb"):
            pass

    def machine(self, script):
        """A QEMU that is this shell script, and leaves a line for each start."""
        path = self.path("qemu")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/bash\necho >> {self.path('starts')}\n{script}\n")
        os.chmod(path, 0o755)
        return path

    def starts(self):
        try:
            with open(self.path("starts"), encoding="utf-8") as f:
                return len(f.readlines())
        except FileNotFoundError:
            return 0

    def choose(self, wanted, script):
        return accel.choose(wanted, self.said.append, self.device, self.path("cache/accel"),
                            self.machine(script))

    # A machine with KVM does what TCG does, only faster
    WORKS = 'exec ' + shlex.join(TCG) + ' "${@:5}"'
    HANGS = 'exec sleep 1000'
    FAILS = 'echo "failed to initialize KVM" >&2; exit 1'

    def test_works(self):
        self.assertEqual(self.choose("auto", self.WORKS), "kvm")
        self.assertEqual(self.choose("auto", self.WORKS), "kvm")
        self.assertEqual(self.choose("kvm", self.WORKS), "kvm")
        self.assertEqual((self.said, self.starts()), ([], 1))

    def test_hangs(self):
        start = time.monotonic()
        self.assertEqual(self.choose("auto", self.HANGS), "tcg")
        self.assertGreaterEqual(time.monotonic() - start, accel.SECONDS)
        self.assertEqual(self.said, ["no KVM here, going on with TCG: "
                                     "a test guest gave no answer within 3 s"])
        self.assertEqual(self.choose("auto", self.HANGS), "tcg")
        self.assertEqual((len(self.said), self.starts()), (1, 1))

    def test_fails(self):
        self.assertEqual(self.choose("auto", self.FAILS), "tcg")
        self.assertRegex(self.said[0], r"ended with status 1 \(failed to initialize KVM\)$")

    def test_by_name_is_no_wish(self):
        for _ in range(2):
            with self.assertRaisesRegex(VmError, "^--accel kvm: a test guest ended with status 1"):
                self.choose("kvm", self.FAILS)
        self.assertEqual(self.starts(), 2)

    def test_by_name_asks_again(self):
        self.choose("auto", self.FAILS)
        self.assertEqual(self.choose("kvm", self.WORKS), "kvm")
        self.assertEqual(self.choose("auto", self.FAILS), "kvm")
        self.assertEqual(self.starts(), 2)

    def test_another_machine(self):
        self.choose("auto", self.FAILS)
        with open(self.path("cache/accel"), "r+", encoding="utf-8") as f:
            f.write("0" * 32)
        self.assertEqual(self.choose("auto", self.WORKS), "kvm")

    def test_a_damaged_answer(self):
        os.mkdir(self.path("cache"))
        with open(self.path("cache/accel"), "wb") as f:
            f.write(b"\xff\n\0kvm")
        self.assertEqual(self.choose("auto", self.FAILS), "tcg")

    def test_nowhere_to_remember(self):
        with open(self.path("cache"), "wb"):
            pass
        self.assertEqual([self.choose("auto", self.FAILS) for _ in range(2)], ["tcg", "tcg"])
        self.assertEqual(self.starts(), 2)

    def test_no_device(self):
        os.unlink(self.device)
        self.assertEqual(self.choose("auto", self.WORKS), "tcg")
        with self.assertRaisesRegex(VmError, "No such file"):
            self.choose("kvm", self.WORKS)
        self.assertEqual((self.said, self.starts()), ([], 0))

    def test_a_device_that_does_not_open_and_then_does(self):
        os.unlink(self.device)
        os.mkdir(self.device)
        self.assertEqual([self.choose("auto", self.WORKS) for _ in range(2)], ["tcg", "tcg"])
        self.assertEqual((len(self.said), self.starts()), (1, 0))
        os.rmdir(self.device)
        with open(self.device, "wb"):
            pass
        self.assertEqual(self.choose("auto", self.WORKS), "kvm")

    def test_tcg_asks_nobody(self):
        self.assertEqual(self.choose("tcg", self.WORKS), "tcg")
        self.assertEqual(self.starts(), 0)


if __name__ == "__main__":
    unittest.main()
