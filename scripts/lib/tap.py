# SPDX-License-Identifier: MIT
"""TAP and KTAP: read what a test program printed, judge it, print it again.

Silence is a failure: so is a missing plan, a result too few or too many, and an
exit status that contradicts the results."""

import re

VERSION = re.compile(r"^K?TAP version \d+$")
PLAN = re.compile(r"^1\.\.(\d+)(?:\s*#\s*SKIP\b\s*(.*))?$", re.I)
# In lower case only: a line "OK" is what unittest says, not a result
RESULT = re.compile(r"^(not )?ok\b\s*(\d+)?\s*(?:- )?(.*?)"
                    r"(?:\s*#\s*((?i:SKIP|XFAIL))\b:?\s*(.*))?$")
BAIL = re.compile(r"^Bail out!\s*(.*)$")

PASS, FAIL, SKIP = "passed", "failed", "skipped"


class Suite:
    """What one stream of TAP says: results are (status, name, remark)."""

    def __init__(self, name):
        self.name = name
        self.results = []
        self.plan = None
        self.plan_skip = None
        self.bailed = None

    def feed(self, line):
        """One line without its end; True if it was part of the protocol.
        Indented lines are subtests, which their parent's line sums up."""
        if VERSION.match(line):
            return True
        match = PLAN.match(line)
        if match:
            if self.plan is not None:
                self.fail("plan", "a second plan")
            self.plan = int(match.group(1))
            self.plan_skip = match.group(2)
            return True
        match = BAIL.match(line)
        if match:
            self.bailed = match.group(1) or "no reason given"
            return True
        match = RESULT.match(line)
        if match:
            self._result(*match.groups())
        return bool(match)

    def _result(self, negative, number, name, word, why):
        count = len(self.results) + 1
        if number and int(number) != count:
            self.fail(name, f"number {number} where {count} is due")
            return
        word = (word or "").upper()
        if word == "SKIP":
            self.results.append((SKIP, name, why))
        elif negative:
            self.results.append((FAIL, name, why))
        else:
            self.results.append((PASS, name, ""))

    def fail(self, name, why):
        self.results.append((FAIL, name, why))

    def finish(self, status=0):
        """Judge the whole: status is the program's, negative for a signal."""
        count = len(self.results)
        if self.bailed is not None:
            self.fail("bail out", self.bailed)
        if self.plan is None:
            self.fail("plan", "no plan" if count else "no output at all")
        elif self.plan == 0 and not count:
            self.results.append((SKIP, "all", self.plan_skip or "nothing planned"))
        elif self.plan != count:
            self.fail("plan", f"{self.plan} results planned, {count} seen")
        if status < 0:
            self.fail("end", f"killed by signal {-status}")
        elif status and not any(r[0] == FAIL for r in self.results) and status not in (4, 77):
            self.fail("end", f"exit status {status} with no failed test")
        return self

    def count(self, what):
        return sum(status == what for status, _, _ in self.results)


def parse(name, text, status=0):
    suite = Suite(name)
    for line in text.splitlines():
        suite.feed(line)
    return suite.finish(status)


class Writer:
    """One flat stream out of many suites; the plan comes at the end."""

    def __init__(self, out):
        self.out = out
        self.number = 0
        self._print("TAP version 13")

    def _print(self, line):
        self.out.write(line + "\n")
        self.out.flush()

    def comment(self, text):
        for line in text.splitlines():
            self._print("# " + line)

    def suite(self, suite):
        for status, name, why in suite.results:
            self.number += 1
            line = f"{'not ok' if status == FAIL else 'ok'} {self.number} - {suite.name}: {name}"
            if status == SKIP:
                line += f" # SKIP {why}"
            elif status == FAIL and why:
                self.comment(f"{suite.name}: {name}: {why}")
            self._print(line.rstrip())

    def plan(self):
        self._print(f"1..{self.number}")


def summary(suites):
    """The last line of every test run."""
    passed, failed, skipped = (sum(s.count(w) for s in suites) for w in (PASS, FAIL, SKIP))
    line = f"{passed} passed, {failed} failed"
    return line + (f", {skipped} skipped" if skipped else "")


def ok(suites):
    """At least one test passed and none failed."""
    return any(s.count(PASS) for s in suites) and not any(s.count(FAIL) for s in suites)
