# SPDX-License-Identifier: MIT
"""What the parts of vm share: paths, the error type, the cache of built files."""

import hashlib
import os
import subprocess

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("VKFD_BUILD", os.path.join(REPO, "build"))
CACHE = os.path.join(BUILD, "qemu")
# The package's command, see qemu/vkfd-vm; in a work tree it is empty
INSTALLED = os.environ.get("VKFD_PROG", "")
PROG = INSTALLED or "vm"
# What outlives a build, as in qemu/kernel and qemu/root
KEPT = os.environ.get("VKFD_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "vkfd")


def command(name):
    """What somebody types to run qemu/NAME."""
    return f"{INSTALLED} {name}" if INSTALLED else f"qemu/{name}"


class VmError(Exception):
    """The request cannot be carried out; nothing has run."""


def build(name):
    """A product of qemu/init. By make, which knows best whether it is up to date."""
    path = os.path.join(CACHE, name)
    run = subprocess.run(["make", "-s", "-C", os.path.join(REPO, "qemu/init"), "BUILD=" + CACHE, path],
                         capture_output=True, text=True, check=False)
    if run.returncode:
        raise VmError(f"cannot build {name} for the guest:\n" + run.stdout + run.stderr)
    return path


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
