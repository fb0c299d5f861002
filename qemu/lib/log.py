# SPDX-License-Identifier: MIT
"""The kernel log of a run, from two sources: records that init read from
/dev/kmsg (complete, but it ends where the guest died) and the serial console
(warnings and worse, up to the last breath)."""

import re

import splat

STAMP = re.compile(r"^\[ *\d+\.\d+\](\[ *[TC]\d+\])? ?")
DUMP = "sysrq: Show Blocked State"
MAX_SHOWN = 120


def from_records(data):
    """Lines as dmesg prints them; a record is "LEVEL SECONDS TEXT"."""
    out = []
    for record in data.decode(errors="replace").splitlines():
        parts = record.split(" ", 2)
        if len(parts) == 3 and "." in parts[1]:
            seconds, _, micro = parts[1].partition(".")
            out.append(f"[{seconds:>5}.{micro}] {parts[2]}")
    return out


def text_of(line):
    return STAMP.sub("", line)


def merge(records, serial):
    lines = from_records(records)
    seen = set(lines)
    rest = [line for line in serial.decode(errors="replace").replace("\r", "").splitlines()
            if line.strip() and line not in seen]
    return lines + (["--- seen on the console only ---"] + rest if rest else [])


def splats(lines):
    """Splats of the run, without the state that vm asked for at its end."""
    texts = [text_of(line) for line in lines]
    end = next((i for i, text in enumerate(texts) if text.startswith(DUMP)), len(texts))
    return splat.find(texts[:end])


def excerpt(lines, found):
    """The part that a reader wants first: around the first splat, or the end."""
    if found:
        start = max(found[0][0] - 10, 0)
        return lines[start:start + MAX_SHOWN]
    dump = next((i for i, line in enumerate(lines) if text_of(line).startswith(DUMP)), None)
    if dump is not None:
        return lines[max(dump - 10, 0):dump + MAX_SHOWN]
    return lines[-20:]


def is_text_poke(lines):
    return splat.is_text_poke([text_of(line) for line in lines])
