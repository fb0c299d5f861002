# SPDX-License-Identifier: MIT
"""The initial RAM file system: a cached part (init, kernel modules) and a part
for this run (the job, the modules under test), one cpio archive behind the
other. The reader of the job is qemu/init/job.c."""

import io
import os
import subprocess
import tempfile

import kernel
from common import CACHE, VmError, build, cached, fingerprint


class Cpio:
    """An archive in the "newc" format (Documentation/driver-api/early-userspace)."""

    def __init__(self):
        self.out = io.BytesIO()
        self.inode = 0

    def _entry(self, name, mode, data=b"", rdev=(0, 0)):
        self.inode += 1
        raw = name.encode() + b"\0"
        fields = [self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, *rdev, len(raw), 0]
        self.out.write(b"070701" + b"".join(b"%08x" % f for f in fields) + raw)
        self._pad()
        self.out.write(data)
        self._pad()

    def _pad(self):
        self.out.write(b"\0" * (-self.out.tell() % 4))

    def directory(self, name):
        self._entry(name, 0o040755)

    def file(self, name, data, mode=0o644):
        self._entry(name, 0o100000 | mode, data if isinstance(data, bytes) else os.fsencode(data))

    def console(self):
        """PID 1 gets its first descriptors from this node."""
        self.directory("dev")
        self._entry("dev/console", 0o020600, rdev=(5, 1))

    def finish(self):
        self._entry("TRAILER!!!", 0)
        return self.out.getvalue()


def base(modules, wanted):
    """The cached part, with the modules that are wanted before the command."""
    init = build("init")
    files = modules.order(wanted)
    key = fingerprint(init, os.path.abspath(__file__), *files)

    def make(out):
        cpio = Cpio()
        cpio.console()
        cpio.directory("mods")
        with open(init, "rb") as f:
            cpio.file("init", f.read(), 0o755)
        order = []
        for path in files:
            name, data = kernel.load_module_file(path)
            cpio.file("mods/" + name, data)
            order.append(name)
        cpio.file("mods/order", "\n".join(order) + "\n")
        with open(out, "wb") as f:
            f.write(cpio.finish())

    return cached(os.path.join(CACHE, "initrd-" + key), make)


def stripped(path):
    """A module without its debug information, which is 20 times its size."""
    with tempfile.TemporaryDirectory(prefix="vkfd-vm-") as tmp:
        out = os.path.join(tmp, "module.ko")
        subprocess.run(["strip", "-g", "-o", out, path], check=True)
        with open(out, "rb") as f:
            return f.read()


class Job:
    """What one run is to do."""

    def __init__(self, argv, env, cwd, root):
        self.argv = argv
        self.env = env
        self.conf = ["cwd " + cwd, "root " + root]
        self.files = []

    def line(self, text):
        if "\n" in text:
            raise VmError(f"a line break cannot be passed: {text!r}")
        self.conf.append(text)

    def module(self, path, args, load):
        """A module under test: laid down in the guest, and loaded if asked."""
        name = os.path.basename(path)
        self.files.append((name, stripped(path)))
        self.line(" ".join(["load" if load else "keep", name, *args]))

    def pack(self):
        cpio = Cpio()
        cpio.directory("job")
        cpio.file("job/argv", "".join(a + "\0" for a in self.argv))
        cpio.file("job/env", "".join(f"{k}={v}\0" for k, v in self.env.items()))
        cpio.file("job/conf", "\n".join(self.conf) + "\n")
        for name, data in self.files:
            cpio.file("job/" + name, data)
        return cpio.finish()
