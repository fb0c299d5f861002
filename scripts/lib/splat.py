# SPDX-License-Identifier: MIT
"""What in a kernel log means that the kernel found itself to be wrong.

Each row: a pattern and what it is. Patterns meet the text of a line, without
its time stamp. ^ keeps "RETBleed: WARNING: ..." of a plain boot out."""

import re

import kcsan

PATTERNS = [
    (r"\bBUG: KCSAN: ", "data race"),
    (r"\bBUG: ", "bug"),
    (r"kernel BUG at ", "bug"),
    (r"^WARNING: ", "warning"),
    (r"\bOops\b", "oops"),
    (r"Internal error: ", "oops"),
    (r"Unable to handle kernel ", "oops"),
    (r"general protection fault", "oops"),
    (r"double fault:|invalid opcode: \d|divide error: \d|int3: \d|stack segment: \d", "oops"),
    (r"Kernel panic - not syncing", "panic"),
    (r"Call Trace:", "stack trace"),
    (r"INFO: possible (circular|recursive) locking", "lockdep"),
    (r"INFO: inconsistent lock state|inconsistent \{.*usage", "lockdep"),
    (r"possible irq lock inversion|HARDIRQ-safe|SOFTIRQ-safe", "lockdep"),
    (r"suspicious RCU usage|Illegal context switch in RCU", "rcu"),
    (r"\bINFO: rcu\w* .*stall|rcu: INFO: .*stall|self-detected stall", "rcu stall"),
    (r"INFO: task .* blocked for more than", "hung task"),
    (r"soft lockup|hard LOCKUP", "lockup"),
    (r"\bKASAN\b.*\b(in|at)\b|\bKFENCE: |\bKMSAN: ", "memory checker"),
    (r"\bUBSAN: ", "undefined behaviour"),
    (r"kmemleak: \d+ new suspected", "leak"),
    (r"refcount_t: ", "refcount"),
    (r"scheduling while atomic|sleeping function called from invalid context", "atomic sleep"),
    (r"Bad page state|Bad rss-counter|bad: scheduling", "memory"),
    (r"Objects remaining in .* on __kmem_cache_shutdown|Slab cache still has objects", "leak"),
    (r"list_(add|del) corruption|corrupted (double )?linked list", "corruption"),
    (r"unregister_netdevice: waiting|stack-protector:|detected buffer overflow", "corruption"),
    (r"\bleaked\b", "leak"),
    (r"kobject .* (tried to init|is not initialized)|does not have a release\(\) function", "kobject"),
    (r"DEBUG_LOCKS_WARN_ON|ODEBUG:|DMA-API: .*: device driver", "debug check"),
]

ANY = re.compile("|".join(pattern for pattern, _ in PATTERNS))

OOM = re.compile(r" invoked oom-killer: ")
OOM_KILL = "oom-kill:constraint="
# The whole report if each process of the cgroup is already ending. Of the whole machine it starts
# with "Mem-Info:".
CGROUP_USAGE = re.compile(r"\bmemory: usage \d+kB, limit \d+kB")
NOBODY_LEFT = "Out of memory and no killable processes"

# The failure of multi-threaded TCG, and nothing else: a CPU traps on the
# breakpoint of a text patch that is over. Newer kernels die of the breakpoint;
# 6.1 returns to it for ever, so a stall finds it at a patched no-op in
# __schedule, where no code of the kernel's own can loop.
FORGOTTEN_INT3 = re.compile(r"\bint3: \d{4} \[#|Oops: int3")
STALL = re.compile(r"self-detected stall on CPU|soft lockup - CPU")
AT_PATCH_SITE = re.compile(r"RIP: 0010:__schedule\+\S+\nCode: [^\n]*<(0f> 1f 44 00 00|cc>|eb>|e9>)")

# Taint bits that only a misbehaving kernel sets (Documentation/admin-guide/tainted-kernels)
TAINT = {4: "machine check", 5: "bad page", 7: "oops", 9: "warning", 14: "soft lockup"}


def kind(line):
    """What the line tells of, or None."""
    if not ANY.search(line):
        return None
    return next(name for pattern, name in PATTERNS if re.search(pattern, line))


def cgroup_is_full(lines, at):
    """Is this stack trace part of what the kernel says when it kills a process of a memory
    cgroup that has reached its limit? That is what limits are for."""
    before = [i for i in range(max(at - 40, 0), at) if OOM.search(lines[i])]
    after = lines[at:at + 200]
    end = next((i for i, line in enumerate(after)
                if OOM.search(line) or OOM_KILL in line or NOBODY_LEFT in line), None)
    if not before or end is None:
        return False
    if NOBODY_LEFT in after[end]:
        return any(CGROUP_USAGE.search(line) for line in after[:end])
    return OOM_KILL + "CONSTRAINT_MEMCG," in after[end]


def find(lines):
    """(index, kind) of every line that tells of a splat."""
    found = [(i, kind(line)) for i, line in enumerate(lines) if ANY.search(line)]
    if any(kcsan.TITLE.search(lines[i]) for i, _ in found):
        rows = kcsan.read_ignored()
        found = [(i, what) for i, what in found if not kcsan.harmless(lines, i, rows)]
    return [(i, what) for i, what in found
            if what != "stack trace" or not cgroup_is_full(lines, i)]


def taints(word):
    return [name for bit, name in TAINT.items() if word >> bit & 1]


def is_text_poke(lines):
    """Is this the known failure of multi-threaded TCG?"""
    text = "\n".join(lines)
    return bool(FORGOTTEN_INT3.search(text) or (STALL.search(text) and AT_PATCH_SITE.search(text)))
