# SPDX-License-Identifier: MIT
"""Modules for the guest's kernel where there is no work tree to make them in: those
that DKMS has built, or built from the package's sources in the user's cache, once."""

import fcntl
import glob
import os
import re
import subprocess
import sys
import time

import kernel
from common import BUILD, INSTALLED, PROG, REPO, VmError

LINES = 20


def our_version():
    with open(os.path.join(REPO, "kmod/vkfd.h"), encoding="utf-8") as f:
        return re.search(r'VKFD_VERSION\s+"(.*)"', f.read()).group(1)


def from_dkms(directory, out):
    """Take the module that DKMS has for this kernel, if it is of our version."""
    for path in glob.glob(os.path.join(directory, "updates/dkms/vkfd.ko*")):
        name, data = kernel.load_module_file(path)
        if f"\0version={our_version()}\0".encode() not in data:
            continue
        os.makedirs(out, exist_ok=True)
        with open(os.path.join(out, name), "wb") as f:
            f.write(data)
        return True
    return False


def show_progress(text, process):
    """A line that counts seconds where somebody looks; else one at the beginning."""
    start = time.monotonic()
    live = sys.stderr.isatty()
    sys.stderr.write(f"{PROG}: {text}" + ("" if live else "\n"))
    while True:
        if live:
            sys.stderr.write(f"\r{PROG}: {text}: {time.monotonic() - start:.0f} s\033[K")
        sys.stderr.flush()
        try:
            status = process.wait(1)
            break
        except subprocess.TimeoutExpired:
            pass
    if live:
        sys.stderr.write("\r\033[K")
    return status


def build(version, directory, out, uml):
    headers = os.path.join(directory, "build")
    if not os.path.exists(os.path.join(headers, "Makefile")):
        raise VmError(f"no headers of the kernel {version}: apt-get install linux-headers-{version}")
    log = out + ".log"
    os.makedirs(os.path.dirname(log), exist_ok=True)
    env = dict(os.environ, KDIR=headers, OUT=out)
    if uml:
        env["ARCH"] = "um"
    with open(log, "wb") as f:
        process = subprocess.Popen([os.path.join(REPO, "scripts/build-modules")], env=env, stdin=subprocess.DEVNULL,
                                   stdout=f, stderr=subprocess.STDOUT)
        try:
            status = show_progress(f"building vkfd.ko for {version}, once; it takes minutes", process)
        finally:
            if process.poll() is None:
                process.terminate()
    if status:
        with open(log, encoding="utf-8", errors="replace") as f:
            tail = "".join(f.readlines()[-LINES:])
        raise VmError(f"vkfd.ko does not build for {version} (all of it: {log}):\n{tail.rstrip()}")


def module_directory(o, version, directory, wanted):
    """Where the modules for this kernel lie, with those that are wanted if we can
    see to that."""
    if not INSTALLED:
        return kernel.module_build(version)
    out = os.path.join(BUILD, "kmod-" + version)

    def missing():
        return [name for name in wanted if not os.path.exists(os.path.join(out, name))]

    if not missing():
        return out
    os.makedirs(BUILD, exist_ok=True)
    with open(os.path.join(BUILD, ".modules-" + version), "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if missing() == ["vkfd.ko"] and wanted == ["vkfd.ko"] and from_dkms(directory, out):
            return out
        if not missing():
            return out
        # Its headers have the names of files in the root
        if o.root != "/" and directory.startswith(o.root.rstrip("/") + "/"):
            raise VmError(f"no vkfd.ko for {version}, the kernel of {o.root}: install vkfd-dkms there, or "
                          "choose a kernel of this machine (--kernel VERSION)")
        build(version, directory, out, o.kernel in kernel.UML)
    return out
