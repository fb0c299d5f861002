# SPDX-License-Identifier: MIT
"""A part of rocsparse-test's data. Records of one size are behind a head that is as long as one of them and
two names of ten bytes (rocSPARSE, rocsparse_arguments.hpp: Arguments::validate()). Each record names the
function that it is for; the program reads all of them for each of its suites, of which there are hundreds,
before it lists or runs anything."""

import os
import re

BEGIN, END = b"rocSPARSE\0", b"ROCsparse\0"
NAME = 64               # bytes of a function's name


class Bad(Exception):
    """It is no such data."""


def sample(data, each):
    """(@each records of each function, evenly spread over those it has, and how many records there are)."""
    head = data.find(END) + len(END)
    size = head - len(BEGIN) - len(END)
    if not data.startswith(BEGIN) or size < NAME or (len(data) - head) % size:
        raise Bad("this is no test data of rocSPARSE's")
    count = (len(data) - head) // size
    # The first text in a record is that name
    first = re.search(rb"[a-z]\w{3,}\0", data[head:head + size])
    if not first:
        raise Bad("its records do not say which function they are for")
    at, of = head + first.start(), {}
    for n in range(count):
        name = data[at + n * size:at + n * size + NAME].split(b"\0")[0]
        if not re.fullmatch(rb"\w{3,}", name):
            raise Bad(f"record {n} does not say which function it is for")
        of.setdefault(name, []).append(n)
    chosen = set()
    for numbers in of.values():
        k = min(each, len(numbers))
        chosen |= {numbers[(2 * i + 1) * len(numbers) // (2 * k)] for i in range(k)}
    return data[:head] + b"".join(data[head + n * size:head + (n + 1) * size] for n in sorted(chosen)), count


def part(source, path, each):
    """Have such a part of the file @source in @path; how many records @source has."""
    if not os.path.exists(path):
        with open(source, "rb") as f:
            data, count = sample(f.read(), each)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".count", "w", encoding="utf-8") as f:
            f.write(str(count))
        with open(path + ".new", "wb") as f:
            f.write(data)
        os.rename(path + ".new", path)
    with open(path + ".count", encoding="utf-8") as f:
        return int(f.read())
