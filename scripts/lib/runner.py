# SPDX-License-Identifier: MIT
"""Run test programs, each in a process group of its own and with a time limit."""

import fnmatch
import os
import signal
import subprocess
import sys
import threading

import tap

KILL_WAIT = 10
MAX_CHATTER = 160

# Failures of a program, not of one of its tests: they are never excused.
WHOLE = ("kernel log", "time", "end", "plan", "bail out", "unload")


def programs(directory, patterns):
    """Executable files of a directory, sorted; patterns select by name."""
    names = sorted(n for n in os.listdir(directory)
                   if os.access(os.path.join(directory, n), os.X_OK)
                   and os.path.isfile(os.path.join(directory, n)))
    if patterns:
        names = [n for n in names if any(fnmatch.fnmatch(n, p) for p in patterns)]
    return [os.path.join(directory, n) for n in names]


def wait_channels(group):
    """Where the processes of a group sit, for the report of a hang."""
    out = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getpgid(int(pid)) != group:
                continue
            for task in os.listdir(f"/proc/{pid}/task"):
                base = f"/proc/{pid}/task/{task}/"
                with open(base + "comm", encoding="utf-8") as f:
                    out.append(f"task {task} {f.read().strip()}")
                with open(base + "stack", encoding="utf-8") as f:
                    out += ["  " + line for line in f.read().splitlines()]
        except OSError:
            continue
    return out


class Outcome:
    """A program's suite and what it printed besides TAP; unsteady: it failed, and then did not."""

    def __init__(self, name):
        self.suite = tap.Suite(name)
        self.chatter = []
        self.stuck = False
        self.unsteady = False


def kill_group(process, outcome):
    outcome.chatter += wait_channels(process.pid)
    os.killpg(process.pid, signal.SIGKILL)
    try:
        process.wait(KILL_WAIT)
    except subprocess.TimeoutExpired:
        outcome.stuck = True


def run(path, timeout, env=None):
    """Run one program to its end or its time limit."""
    outcome = Outcome(os.path.basename(path))
    process = subprocess.Popen([path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True, env=env)

    def read():
        for raw in process.stdout:
            line = raw.decode(errors="replace").rstrip("\n")
            if not outcome.suite.feed(line) and line.strip():
                outcome.chatter.append(line)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        kill_group(process, outcome)
        outcome.suite.fail("time", f"still running after {timeout} s")
    # What it left behind would disturb the next program and hold its output open
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    reader.join(KILL_WAIT)
    if outcome.stuck:
        outcome.suite.fail("end", "cannot be killed")
    outcome.suite.finish(0 if process.returncode is None else process.returncode)
    return outcome


def try_again(outcome, run, times):
    """Failures are called unsteady if run() gives no other, times in a row."""
    suite = outcome.suite
    failed = [name for status, name, _ in suite.results if status == tap.FAIL]
    if not times or not failed or outcome.stuck or any(name in WHOLE for name in failed):
        return
    for _ in range(times):
        again = run()
        if again.stuck or again.suite.count(tap.FAIL):
            outcome.chatter += ["again:"] + again.chatter
            return
    why = f"UNSTEADY: failed, then passed {times} times"
    suite.results = [(tap.SKIP, name, why) if status == tap.FAIL else (status, name, rest)
                     for status, name, rest in suite.results]
    outcome.unsteady = True


def report(writer, outcome):
    """Chatter is for reading when something failed, the end of it rather than
    the whole; the program alone prints all."""
    if outcome.suite.count(tap.FAIL) or outcome.unsteady:
        left_out = len(outcome.chatter) - MAX_CHATTER
        if left_out > 0:
            writer.comment(f"{outcome.suite.name}: {left_out} lines left out")
        writer.comment("\n".join(outcome.chatter[-MAX_CHATTER:]))
    writer.suite(outcome.suite)


def nothing_found(directory):
    sys.stderr.write(f"no test programs in {directory}\n")
    return 1
