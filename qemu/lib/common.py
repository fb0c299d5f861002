# SPDX-License-Identifier: MIT
"""What the parts of vm share: paths, the error type, the cache of built files."""

import hashlib
import os

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("VKFD_BUILD", os.path.join(REPO, "build"))
CACHE = os.path.join(BUILD, "qemu")


class VmError(Exception):
    """The request cannot be carried out; nothing has run."""


def fingerprint(*paths, extra=""):
    """A short name for the state of some files, by path, size and time."""
    h = hashlib.sha256(extra.encode())
    for path in paths:
        st = os.stat(path)
        h.update(f"{path} {st.st_size} {st.st_mtime_ns}\n".encode())
    return h.hexdigest()[:16]


def cached(path, make):
    """The file at path, made by make(temporary name) unless it exists.

    Two makers at a time both work and the later rename wins, with the same
    contents."""
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        temporary = f"{path}.{os.getpid()}"
        try:
            make(temporary)
            os.rename(temporary, path)
        finally:
            if os.path.exists(temporary):
                os.unlink(temporary)
    return path
