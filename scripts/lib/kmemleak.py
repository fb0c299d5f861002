# SPDX-License-Identifier: MIT
"""Memory that nothing points to any more, as the kernel's kmemleak finds it."""

import re
import time

FILE = "/sys/kernel/debug/kmemleak"
# An object counts only when it is older than this (MSECS_MIN_AGE)
MIN_AGE = 5.5
# "[<address>] function+at/size [module]"; newer kernels leave the address out
FRAME = re.compile(r"^ {4}(?:\[<[0-9a-f]+>\] )?(\S+)(?: \[(\w+)\])?$")


def available():
    """Is it there, and on? The file takes no command where it is off."""
    try:
        with open(FILE, "w", encoding="ascii") as f:
            f.write("scan=off\n")       # no scans but ours
        return True
    except OSError:
        return False


def command(text):
    with open(FILE, "w", encoding="ascii") as f:
        f.write(text + "\n")


def start():
    """What has leaked until now is not ours."""
    command("scan")
    command("clear")


def objects(text):
    """The reports: lists of lines, each begins with the object's own."""
    out = []
    for line in text.splitlines():
        if line.startswith("unreferenced object"):
            out.append([])
        if out:
            out[-1].append(line)
    return out


def is_ours(lines, modules=("vkfd", "amdgpu")):
    """Allocated by one of the modules: a frame says so, or no longer has a name."""
    for line in lines:
        match = FRAME.search(line)
        if match and (match.group(2) in modules or match.group(1).startswith("0x")):
            return True
    return False


def find():
    """Reports of what leaked since start(): (ours, others). Two scans, because
    a pointer that moves while one goes on is missed; then what is left stays."""
    time.sleep(MIN_AGE)
    command("scan")
    command("scan")
    with open(FILE, encoding="utf-8", errors="replace") as f:
        reports = objects(f.read())
    command("clear")
    return ([r for r in reports if is_ours(r)], [r for r in reports if not is_ours(r)])
