# SPDX-License-Identifier: MIT
"""How fast this machine's time stamp counter is.

Without hardware virtualisation QEMU shows guests the host's counter. A guest's kernel finds out
its frequency by counting for milliseconds of an emulated timer, and if the host does something
else meanwhile, it is wrong without noticing: a factor of 12 was seen, and then guest time passes
12 times as fast and nothing in the guest keeps its time limit. So the kernel is told.
"""

import ctypes
import mmap
import platform
import time

# rdtsc; shl rdx, 32; or rax, rdx; ret
RDTSC = bytes.fromhex("0f31" "48c1e220" "4809d0" "c3")
WINDOW_S = 0.05
CLOSE_NS = 2000         # apart are two looks at the clock, with one at the counter between them
PATIENCE_S = 5


def reader():
    code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(RDTSC)
    at = ctypes.addressof(ctypes.c_char.from_buffer(code))
    # The function needs the page for as long as it is called.
    function = ctypes.CFUNCTYPE(ctypes.c_uint64)(at)
    function.code = code
    return function


def look(rdtsc):
    """(ns, ticks) of one moment: the best of many tries, or the first that is good."""
    best, end = None, time.monotonic() + PATIENCE_S
    while True:
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        ticks = rdtsc()
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        if best is None or after - before < best[0]:
            best = (after - before, (before + after) // 2, ticks)
        if best[0] <= CLOSE_NS or time.monotonic() > end:
            return best[1:]


def khz():
    """0 if there is none that a guest would see."""
    if platform.machine() != "x86_64":
        return 0
    try:
        rdtsc = reader()
    except OSError:     # no memory may be executed
        return 0
    first = look(rdtsc)
    time.sleep(WINDOW_S)
    last = look(rdtsc)
    return (last[1] - first[1]) * 1000000 // (last[0] - first[0])


def argument():
    """For the kernel command line of a guest."""
    value = khz()
    return f"tsc_early_khz={value}" if value else ""
