# SPDX-License-Identifier: MIT
"""The JIT's compiler in guests whose root is another Debian: it needs this machine's LLVM, which
such a root does not have. Its libraries are put beside it, where it looks first."""

import os
import re
import shutil
import subprocess

from common import BUILD

PROGRAM = os.path.join(BUILD, "engine/vkfd-jit")
# The root's own, which are as new, or newer than those here
OF_GLIBC = re.compile(r"^(ld-linux|lib(c|m|dl|rt|pthread|util|resolv|anl|nss_\w+)\.so)")


def needed():
    """{name: path} of the libraries that the compiler loads here."""
    told = subprocess.run(["ldd", PROGRAM], stdout=subprocess.PIPE, text=True, check=False)
    return {name: path for name, path in re.findall(r"^\s*(\S+) => (/\S+) \(", told.stdout, re.M)
            if not OF_GLIBC.match(name)}


def provide():
    """Copy what is missing, or was changed here since; without a compiler there is nothing to do."""
    if not os.path.exists(PROGRAM):
        return
    beside = os.path.join(os.path.dirname(PROGRAM), "lib")
    for name, path in needed().items():
        copy = os.path.join(beside, name)
        if os.path.realpath(path).startswith(beside + "/"):
            continue    # it is what the compiler found there
        if os.path.exists(copy) and os.path.getmtime(copy) >= os.path.getmtime(path):
            continue
        os.makedirs(beside, exist_ok=True)
        part = f"{copy}.{os.getpid()}"
        shutil.copyfile(path, part)
        os.replace(part, copy)
