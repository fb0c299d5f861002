# SPDX-License-Identifier: MIT
"""The table of docs/debian-tests.md, of what scripts/debian-tests has run."""

import os
import re

RESULTS = ("passed", "failed", "void", "skipped", "slow")
MARK = "<!-- results -->\n"


def kept(text, score):
    """(rows, {key: lines}) of the old table: what ran elsewhere, of which there are no results here."""
    rows, names, key = [], {}, None
    for line in text.splitlines():
        cells = tuple(c.strip() for c in line.strip("|").split("|"))
        if line.startswith("| lib") and cells[:3] not in score:
            rows.append((cells[:3], line))
        elif m := re.fullmatch(r"(\S+) (\S+) on (.*):", line):
            key = m.groups()
        elif line.startswith("    ") and key and key not in score:
            names.setdefault(key, []).append(line.strip())
    return rows, names


def merge_results(path, jobs, totals):
    """Write the results of @jobs into the table, which is the end of a file, and return it. @totals: how many
    tests there are, by package and version."""
    score, names = {}, {}
    for job in jobs:
        how = job["gpu"] if job.get("engine", "kernel") == "kernel" else f'{job["gpu"]}, engine={job["engine"]}'
        key = (job["package"], job["version"], how)
        row = score.setdefault(key, dict.fromkeys(RESULTS, 0) | {"seconds": 0})
        for t in job["tests"]:
            row[t["result"]] += 1
            row["seconds"] += t["seconds"]
            if t["result"] in ("failed", "slow"):
                names.setdefault(key, []).append(
                    f'{os.path.basename(job["program"])} {t["test"]}: {t["result"]}')
    with open(path, encoding="utf-8") as f:
        head, mark, old = f.read().partition(MARK)
    if not mark:
        raise ValueError("no line " + MARK.strip())
    rows, old_names = kept(old, score)
    names |= old_names
    for key, row in score.items():
        rows.append((key, "| " + " | ".join(str(x) for x in (
            *key, sum(row[r] for r in RESULTS), totals.get(key[:2], "?"), *(row[r] for r in RESULTS),
            round(row["seconds"]))) + " |"))
    lines = ["| package | version | GPU | tests run | of | " + " | ".join(RESULTS) + " | seconds |",
             "|---|---|---|" + "--:|" * (len(RESULTS) + 3), *(row for _, row in sorted(rows))]
    for key, failed in sorted(names.items()):
        lines += ["", f"{key[0]} {key[1]} on {key[2]}:", ""] + ["    " + f for f in failed]
    with open(path, "w", encoding="utf-8") as f:
        f.write(head + mark + "\n" + "\n".join(lines) + "\n")
    return "\n".join(lines)
