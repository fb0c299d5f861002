# SPDX-License-Identifier: MIT
"""Reports of KCSAN, the kernel's detector of data races.

A report begins with its title, tells of one or two accesses with the stack of each,
and ends with a line of "=". It is about us if a function of vkfd stands in one of
the stacks; races of the kernel with itself are not ours to mend. Of ours,
selftests/kcsan-ignored lists what is right as it is, with the reason."""

import fnmatch
import os
import re

TITLE = re.compile(r"BUG: KCSAN: (?:data-race|assert: race) in (.*)")
OURS = re.compile(r"\[(vkfd|amdgpu)\]")
END = "=" * 20
MAX_LINES = 120
HERE = os.path.dirname(os.path.realpath(__file__))
IGNORED = os.path.join(HERE, "../../selftests/kcsan-ignored")


def functions(title):
    """The functions of "a [vkfd] / b+0x1/0x2", in order."""
    return sorted(part.split()[0].partition("+")[0] for part in title.split(" / "))


def read_ignored(path=IGNORED):
    """[functions with patterns, reason]"""
    with open(path, encoding="utf-8") as f:
        lines = [line.strip() for line in f if line.strip() and not line.startswith("#")]
    rows = [line.split("\t", 1) for line in lines]
    return [(functions(row[0].strip()), row[1].strip()) for row in rows]


def ignored(title, rows):
    """The reason why a race between these functions is none, or None."""
    found = functions(title)
    for patterns, reason in rows:
        if len(patterns) == len(found) and any(
                all(fnmatch.fnmatchcase(f, p) for f, p in zip(order, patterns))
                for order in (found, found[::-1])):
            return reason
    return None


def body(lines, start):
    """The report whose title is line number start."""
    for i in range(start + 1, min(start + MAX_LINES, len(lines))):
        if lines[i].startswith(END):
            return lines[start:i]
    return lines[start:start + MAX_LINES]


def harmless(lines, start, rows):
    """Is line number start the title of a report that nobody has to look at?"""
    match = TITLE.search(lines[start])
    if not match:
        return False
    if not any(OURS.search(line) for line in body(lines, start)):
        return True
    return ignored(match.group(1), rows) is not None
