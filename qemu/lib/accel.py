# SPDX-License-Identifier: MIT
"""KVM or TCG? That /dev/kvm can be opened says little: in a virtual machine whose
host gives no nested one, KVM may refuse, or its guests may hang. So a tiny guest
(qemu/init/probe.S) has to come to its end, in 3 seconds. The answer is kept, until
this machine boots again or has another kernel, CPU or QEMU."""

import hashlib
import os
import signal
import subprocess

from common import KEPT, VmError, build
from guest import die_with_parent

QEMU = "qemu-system-x86_64"
ARGUMENTS = {"kvm": ["-accel", "kvm", "-cpu", "host"], "tcg": ["-accel", "tcg", "-cpu", "max"]}
DEVICE = "/dev/kvm"
SECONDS = 3
# What probe.S writes to the port of isa-debug-exit is 0x15
WORKS = 0x15 << 1 | 1


def probe(arguments, rom, seconds=SECONDS):
    """None if QEMU runs the firmware to its end with these arguments, else why not."""
    command = [*arguments, "-nodefaults", "-display", "none", "-machine", "pc,hpet=off", "-m", "16",
               "-no-reboot", "-bios", rom, "-device", "isa-debug-exit,iobase=0xf4,iosize=1"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, errors="replace",
                               preexec_fn=die_with_parent)
    try:
        said = process.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"a test guest gave no answer within {seconds:g} s"
    if process.returncode == WORKS:
        return None
    said = [line for line in said.splitlines() if line.strip()]
    end = f"status {process.returncode}" if process.returncode >= 0 else \
        f"signal {signal.Signals(-process.returncode).name}"
    return f"a test guest ended with {end}" + (f" ({said[-1].strip()})" if said else "")


def closed(device):
    """Why the device cannot be opened, or None."""
    try:
        os.close(os.open(device, os.O_RDWR | os.O_CLOEXEC))
    except OSError as e:
        return f"{device}: {e.strerror}"
    return None


def first_cpu():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        lines = f.read().partition("\n\n")[0].splitlines()
    return [line for line in lines if line.startswith(("vendor_id", "cpu family", "model", "stepping", "flags"))]


def this_machine(rom):
    """A name for all that the answer depends on."""
    with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as f:
        parts = [f.read()]
    version = subprocess.run([QEMU, "--version"], capture_output=True, text=True, check=True).stdout
    with open(rom, "rb") as f:
        parts += [hashlib.sha256(f.read()).hexdigest(), version, *os.uname(), *first_cpu()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


class Memory:
    """The last answer: a file with the machine's name and, behind it, why not KVM."""

    def __init__(self, path):
        self.path = path

    def read(self, machine):
        """(is there an answer, why not KVM or None)"""
        try:
            with open(self.path, encoding="utf-8", errors="replace") as f:
                name, _, reason = f.read().strip().partition(" ")
        except OSError:
            return False, None
        return name == machine, reason or None

    def write(self, machine, reason):
        temporary = f"{self.path}.{os.getpid()}"
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with open(temporary, "w", encoding="utf-8") as f:
                f.write(f"{machine} {reason or ''}\n")
            os.rename(temporary, self.path)
        except OSError:
            pass            # the next one probes again


def choose(wanted, say, device=DEVICE, path=os.path.join(KEPT, "accel"), qemu=QEMU):
    """"kvm" or "tcg". Where KVM does not work, auto takes TCG and says why, once;
    without the device there is nothing to tell."""
    if wanted == "tcg" or (wanted == "auto" and not os.path.exists(device)):
        return "tcg"
    rom = build("probe.rom")
    memory, machine = Memory(path), this_machine(rom)
    known, before = memory.read(machine)
    reason = closed(device)
    if not reason:
        # Who asks for KVM by name may know that something has changed
        again = not known or (before and (wanted == "kvm" or before.startswith(device)))
        reason = probe([qemu, *ARGUMENTS["kvm"]], rom) if again else before
    if wanted == "kvm" and reason:
        raise VmError(f"--accel kvm: {reason}")
    if not known or reason != before:
        memory.write(machine, reason)
        if reason:
            say(f"no KVM here, going on with TCG: {reason}")
    return "tcg" if reason else "kvm"
