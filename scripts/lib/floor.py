# SPDX-License-Identifier: MIT
"""Lists of tests that must pass: what passed once may not fail later."""

import tap


def load(path, gpu=""):
    """{(program, test)} of the lines that are for this GPU."""
    out = set()
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.partition("#")[0].strip()
            if not line:
                continue
            test, _, gpus = line.partition(" @ ")
            program, _, name = test.partition(": ")
            if not gpus or gpu in gpus.split():
                out.add((program, name.strip()))
    return out


def judge(suite, wanted):
    """Of a suite's failures, those that are not wanted become skips; what is
    wanted and did not pass becomes a failure."""
    results, passed = [], set()
    for status, name, why in suite.results:
        if status == tap.PASS:
            passed.add(name)
        elif status == tap.FAIL and name not in wanted:
            status, why = tap.SKIP, "known to fail" + (f": {why}" if why else "")
        results.append((status, name, why))
    seen = {name for status, name, _ in results if status != tap.SKIP}
    suite.results = results
    for name in sorted(wanted - passed - seen):
        suite.fail(name, "is to pass, and did not run to its end")
