#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/lib/progress.sh: a line for a terminal, nothing for a log, and nothing stays behind."""

import os
import pty
import subprocess
import tempfile
import unittest

PATH = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../scripts/lib/progress.sh")
SCRIPT = r"""
set -euo pipefail
. "$1"
exec 9> "$2"
flock 9
# Whoever asks again has written the first line
far() { echo "7 of 80 files"; [ ! -e "$0.asked" ] || touch "$0.seen"; touch "$0.asked"; }
progress_begin "test: working" far
until [ -z "$3" ] || [ -e "$0.seen" ]; do sleep 0.1; done
[ "$4" = dies ] && kill -KILL $$
progress_end
echo output
"""


def run(directory, wait, how, stderr):
    script = os.path.join(directory, "script")
    with open(script, "w", encoding="utf-8") as f:
        f.write(SCRIPT)
    return subprocess.run(["bash", script, PATH, os.path.join(directory, "lock"), wait, how],
                          stdout=subprocess.PIPE, stderr=stderr, check=False, timeout=300)


def on_terminal(directory, how):
    """(what it wrote to the terminal, exit status, output)"""
    master, slave = pty.openpty()
    done = run(directory, "wait", how, slave)
    os.close(slave)
    said = b""
    while True:     # until the last who has the terminal open is gone
        try:
            data = os.read(master, 4096)
        except OSError:
            break
        if not data:
            break
        said += data
    os.close(master)
    return said.decode(), done.returncode, done.stdout


class Progress(unittest.TestCase):
    def test_log(self):
        with tempfile.TemporaryDirectory() as d:
            done = run(d, "", "ends", subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"output\n", b""))

    def test_terminal(self):
        with tempfile.TemporaryDirectory() as d:
            said, status, output = on_terminal(d, "ends")
            self.assertEqual((status, output), (0, b"output\n"))
            self.assertRegex(said, r"^\rtest: working: 7 of 80 files, \d+ s\x1b\[K")
            self.assertTrue(said.endswith("\r\x1b[K"), said)
            subprocess.run(["flock", "-n", os.path.join(d, "lock"), "true"], check=True)

    def test_death(self):
        """Whoever writes the line ends by itself, and holds no lock meanwhile."""
        with tempfile.TemporaryDirectory() as d:
            _, status, output = on_terminal(d, "dies")
            self.assertEqual((status, output), (-9, b""))
            subprocess.run(["flock", "-n", os.path.join(d, "lock"), "true"], check=True)


if __name__ == "__main__":
    unittest.main()
