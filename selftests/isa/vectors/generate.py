#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Write the test vectors of every opcode of every target: generate.py OUTPUT"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
sys.dont_write_bytecode = True

import cases
import tab
import memorycases
import scalarcases
import smemcases
import valucases

PARTS = [scalarcases, smemcases, memorycases, valucases]


def main():
    book = cases.Book()
    for target in tab.TARGETS:
        slots = tab.slots(target)
        for part in PARTS:
            part.generate(book, target, slots)
    with open(sys.argv[1], "w", encoding="ascii") as f:
        book.write(f)
    return 0


if __name__ == "__main__":
    sys.exit(main())
