#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""More pages that lie apart than the host maps for a process: argument 1 is their number. They keep
what is in them, in a child as well, and while several threads read them."""

import mmap
import os
import sys
import threading

STEP = 2 * mmap.PAGESIZE    # the page between is never touched, so each page is a mapping
COUNT = int(sys.argv[1])


def wrong(memory, plus):
    return sum(memory[i * STEP] != (i + plus) % 251 for i in range(COUNT))


def main():
    memory = mmap.mmap(-1, COUNT * STEP, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for i in range(COUNT):
        memory[i * STEP] = i % 251
    child = os.fork()
    if not child:
        for i in range(COUNT):
            memory[i * STEP] = (memory[i * STEP] + 3) % 251
        os._exit(bool(wrong(memory, 3)))
    if os.waitpid(child, 0)[1]:
        print("wrong in the child")
    found = []
    threads = [threading.Thread(target=lambda: found.append(wrong(memory, 0))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("wrong:", *found)


main()
