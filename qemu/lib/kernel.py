# SPDX-License-Identifier: MIT
"""Kernels and their modules: where they are and in which order they load."""

import gzip
import glob
import lzma
import os
import re
import struct
import subprocess

from common import BUILD, CACHE, INSTALLED, REPO, VmError, cached, command, fingerprint

# Kernels that qemu/kernel builds, and where the image lies in the build
UML = ("uml", "uml-kasan", "uml-fast")
BZIMAGE = "arch/x86/boot/bzImage"
BUILT = {"rt": "vmlinuz", **{name: BZIMAGE for name in ("debug", "kcsan", "preempt-none")},
         **{name: "linux" for name in UML}}
# How many times as long as elsewhere things may take: tests read VKFD_SLOW
SLOW = {"debug": 8, "kcsan": 8, "uml-kasan": 2}
# What some want on their command line
ARGS = {"kcsan": "kcsan.early_enable=1 kcsan.skip_watch=300 kcsan.udelay_task=100"}

GET_KERNEL = "apt-get install linux-image-amd64 linux-headers-amd64" if INSTALLED else \
    "run scripts/install-deps, or qemu/root"


def version_key(text):
    return [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", text)]


def root_directory(spec):
    """The directory of a --root argument."""
    if spec == "host":
        return "/"
    if "/" in spec or not os.path.isdir(os.path.join(REPO, "qemu/roots", spec)):
        if not os.path.isdir(spec):
            raise VmError(f"{spec}: no such root directory")
        return os.path.abspath(spec)
    run = subprocess.run([os.path.join(REPO, "qemu/root"), "--path", spec],
                         capture_output=True, text=True, check=False)
    if run.returncode:
        raise VmError(f"the root {spec} is not built yet: run {command('root')} {spec}")
    return run.stdout.strip()


def by_version(spec, root):
    """The newest image of a version such as 6.1 in the root, else on this
    machine; without one, the root's newest (in a work tree, this machine: 6.1)."""
    if spec is None:
        spec = "6.1" if root == "/" and not INSTALLED else ""
    if not re.fullmatch(r"[0-9.]*", spec):
        raise VmError(f"unknown kernel {spec}: give a version such as 6.1, or a path")
    pattern = f"vmlinuz-{spec}[.-]*" if spec else "vmlinuz-*"
    for top in (root, "/"):
        found = sorted(glob.glob(os.path.join(top, "boot", pattern)), key=version_key)
        if found:
            return found[-1], top
    if not spec:
        raise VmError(f"no kernel in {root.rstrip('/')}/boot: {GET_KERNEL}")
    raise VmError(f"unknown kernel {spec}: none in {root.rstrip('/')}/boot: {GET_KERNEL}")


def find_built(name):
    """(the image, its module directory), built if it is not there."""
    tool = os.path.join(REPO, "qemu/kernel")
    if subprocess.run([tool, name], stdin=subprocess.DEVNULL, check=False).returncode:
        raise VmError(f"there is no kernel {name}")
    directory = subprocess.run([tool, "--print", name], check=True, capture_output=True,
                               text=True).stdout.strip()
    with open(os.path.join(directory, ".ready"), encoding="utf-8") as f:
        release = f.read().strip()
    return os.path.join(directory, BUILT[name]), f"{directory}/root/lib/modules/{release}"


def find(spec, modules, root):
    """(image, module directory) for a --kernel and a --modules argument."""
    if spec in BUILT:
        return find_built(spec)
    if spec is None or "/" not in spec:
        image, top = by_version(spec, root)
        version = os.path.basename(image).split("-", 1)[1]
        modules = modules or os.path.join(top, "lib/modules", version)
    else:
        image = spec
        if not modules:
            raise VmError("--kernel PATH needs --modules DIR, the kernel's lib/modules/VERSION")
    if not os.path.isfile(image):
        raise VmError(f"{image}: no such kernel")
    if not os.path.isfile(os.path.join(modules, "modules.dep")):
        raise VmError(f"{modules}/modules.dep: missing, is this lib/modules/VERSION?")
    return image, modules


def module_build(version):
    """Where vkfd.ko for a kernel lies; the one that make modules builds by
    default has no version in its name."""
    path = os.path.join(BUILD, "kmod-" + version)
    return path if os.path.isdir(path) else os.path.join(BUILD, "kmod")


def unpack(blob, what):
    if blob.startswith(b"\xfd7zXZ"):
        return lzma.LZMADecompressor().decompress(blob)
    if blob.startswith(b"\x1f\x8b"):
        return gzip.decompress(blob)
    if blob.startswith(b"\x28\xb5\x2f\xfd"):
        return subprocess.run(["zstd", "-dcq"], input=blob, check=True, capture_output=True).stdout
    raise VmError(f"{what}: compressed in a way that vm does not know")


def bzimage_payload(data, path):
    """The compressed vmlinux in a bzImage, as the x86 boot protocol lays it out."""
    if data[0x202:0x206] < b"\x08\x02" and data[0x1fe:0x200] != b"\x55\xaa":
        raise VmError(f"{path}: neither vmlinux nor bzImage")
    setup_sects = data[0x1f1] or 4
    offset, length = struct.unpack_from("<II", data, 0x248)
    start = (setup_sects + 1) * 512 + offset
    payload = data[start:start + length]
    # The last word is the unpacked size, no part of an xz or zstd stream
    return payload if payload.startswith(b"\xfd7zXZ") else payload[:-4]


def vmlinux(image):
    """An ELF image that QEMU boots through PVH: 3 s faster than the bzImage. Those
    of qemu/kernel keep it: KASAN has no memory yet where PVH enters."""
    if image.endswith(BZIMAGE):
        return image
    with open(image, "rb") as f:
        if f.read(4) == b"\x7fELF":
            return image

    def extract(out):
        with open(image, "rb") as f:
            data = f.read()
        elf = unpack(bzimage_payload(data, image), image)
        if not elf.startswith(b"\x7fELF"):
            raise VmError(f"{image}: the payload is no ELF file")
        with open(out, "wb") as f:
            f.write(elf)

    return cached(os.path.join(CACHE, "vmlinux-" + fingerprint(image)), extract)


class Modules:
    """A lib/modules/VERSION directory."""

    def __init__(self, directory):
        self.directory = directory
        self.deps = {}
        self.paths = {}
        self.builtin = set()
        for line in self._lines("modules.dep"):
            path, _, deps = line.partition(":")
            self.paths[self.name(path)] = path
            self.deps[path] = deps.split()
        for line in self._lines("modules.builtin"):
            self.builtin.add(self.name(line))

    def _lines(self, name):
        with open(os.path.join(self.directory, name), encoding="utf-8") as f:
            return [line.strip() for line in f if line.strip()]

    @staticmethod
    def name(path):
        return os.path.basename(path).split(".ko")[0].replace("-", "_")

    def order(self, names):
        """Files to load for these modules, dependencies first, each once."""
        out = []

        def add(path):
            for dep in self.deps[path]:
                add(dep)
            if path not in out:
                out.append(path)

        for name in map(self.name, names):
            if name in self.builtin:
                continue
            if name not in self.paths:
                raise VmError(f"the kernel in {self.directory} has no module {name}")
            add(self.paths[name])
        return [os.path.join(self.directory, path) for path in out]


def load_module_file(path):
    """(plain name, uncompressed contents) of a module file."""
    with open(path, "rb") as f:
        data = f.read()
    name = os.path.basename(path)
    if not name.endswith(".ko"):
        data = unpack(data, path)
        name = name[:name.index(".ko") + 3]
    return name, data


def modinfo(data):
    """The key=value pairs of a module's .modinfo section; needs no section
    table: the strings are found by the form they have in every module."""
    out = {}
    for key in (b"depends", b"vermagic", b"name"):
        match = re.search(rb"\0" + key + rb"=([^\0]*)\0", data)
        out[key.decode()] = match.group(1).decode() if match else ""
    return out
