#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""rocminfo, rocm-smi and the like: what they must say about the GPU."""

import glob
import re
import shutil
import subprocess
import sys

# target: (marketing name, ISA, compute units, LDS KB, device id)
GPUS = {
    "gfx906": ("MI50|MI60|Vega 20", "amdgcn-amd-amdhsa--gfx906:sramecc.:xnack-", "60|64", 64, "66a."),
    "gfx908": ("MI100", "amdgcn-amd-amdhsa--gfx908:sramecc[+]:xnack-", "120", 64, "738c"),
    "gfx90a": ("MI2[15]0X?", "amdgcn-amd-amdhsa--gfx90a:sramecc[+]:xnack-", "104", 64, "740[cf]"),
    "gfx942": ("MI300X", "amdgcn-amd-amdhsa--gfx942:sramecc[+]:xnack-", "304", 64, "74a1"),
    "gfx950": ("MI355X", "amdgcn-amd-amdhsa--gfx950:sramecc[+]:xnack-", "256", 160, "75a3"),
    "gfx1030": ("W6800", "amdgcn-amd-amdhsa--gfx1030", "60", 64, "73a3"),
    "gfx1100": ("W7900", "amdgcn-amd-amdhsa--gfx1100", "96", 64, "7448"),
    "gfx1151": ("8060S", "amdgcn-amd-amdhsa--gfx1151", "40", 64, "1586"),
    "gfx1201": ("RX 9070 XT", "amdgcn-amd-amdhsa--gfx1201", "64", 64, "7550"),
}

# MB of video memory where tools are asked, which know only what an APU's firmware cut off
VRAM = 1024
CUT_OFF = {"gfx1151": 512}


def vram(target):
    return CUT_OFF.get(target, VRAM)


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def ok(self, cond, name, why=""):
        self.count += 1
        print(f"{'ok' if cond else 'not ok'} {self.count} {name}", flush=True)
        if not cond:
            self.failed += 1
            for line in str(why).splitlines():
                print("# " + line)


def output(*argv):
    """What a tool prints; its errors too if it fails."""
    try:
        run = subprocess.run(argv, capture_output=True, text=True, timeout=150, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        return False, str(e)
    return run.returncode == 0, run.stdout + (run.stderr if run.returncode else "")


def driver_target():
    """The target that the driver says, as gfxNNN."""
    for path in glob.glob("/sys/class/kfd/kfd/topology/nodes/*/properties"):
        with open(path, encoding="utf-8") as f:
            match = re.search(r"^gfx_target_version (\d+)$", f.read(), re.M)
        if match and int(match.group(1)):
            version = int(match.group(1))
            return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"
    return None


def agent(text):
    """The GPU's part of rocminfo's output."""
    parts = re.split(r"^\*+\s*\nAgent \d+\s*\n\*+\s*\n", text, flags=re.M)[1:]
    return next((p for p in parts if re.search(r"Device Type:\s+GPU", p)), "")


def check_rocminfo(tap, target):
    name, isa, units, lds, device = GPUS[target]
    done, text = output("rocminfo")
    gpu = agent(text)

    def says(what, pattern, part):
        tap.ok(re.search(pattern, part, re.M), "rocminfo " + what, part)

    tap.ok(done and gpu, "rocminfo runs", text)
    says("name", rf"^\s+Name:\s+{target}\s*$", gpu)
    says("marketing name", rf"^\s+Marketing Name:.*({name})", gpu)
    says("ISA", rf"^\s+Name:\s+{isa}\s*$", gpu)
    says("compute units", rf"^\s+Compute Unit:\s+({units})\b", gpu)
    says("chip id", rf"^\s+Chip ID:\s+\d+\(0x{device}\)", gpu)
    says("L2", r"^\s+L2:\s+[1-9]\d*", gpu)
    says("LDS pool", rf"GROUP\s*\n\s+Size:\s+{lds}\(", gpu)
    says("VRAM pool", r"GLOBAL; FLAGS: COARSE GRAINED\s*\n\s+Size:\s+1048576\(", gpu)
    says("CPU pools", r"KERNARG", text)
    says("end", r"\*\*\* Done \*\*\*", text)


SMI = [
    ("product", ["--showproductname"], r"Card series|Card Series"),
    ("id", ["--showid"], r"0x({device})"),
    ("VRAM", ["--showmeminfo", "vram"], r"VRAM Total Memory \(B\): {vram}\b"),
    ("VRAM used", ["--showmeminfo", "vram"], r"VRAM Total Used Memory \(B\): \d+"),
    ("clocks", ["--showclocks"], r"sclk clock level"),
    ("temperature", ["--showtemp"], r"Temperature .*: \d+"),
    ("power", ["--showpower"], r"Power.*: \d+"),
    ("use", ["--showuse"], r"GPU use \(%\): \d+"),
    ("processes", ["--showpids"], r"No KFD PIDs currently running|KFD process information"),
    ("unique id", ["--showuniqueid"], r"Unique ID: 0x[0-9a-f]+"),
    ("bus", ["--showbus"], r"PCI Bus: [0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:"),
]


def check_rocm_smi(tap, target):
    device = GPUS[target][4]
    # All at once, as an interpreter that starts takes seconds in a guest. The
    # exit status tells of clocks that this GPU does not have, too
    options = sorted({option for _, args, _ in SMI for option in args} - {"vram"})
    at = options.index("--showmeminfo") + 1
    _, text = output("rocm-smi", *options[:at], "vram", *options[at:])
    for name, _, pattern in SMI:
        tap.ok(re.search(pattern.replace("{device}", device).replace("{vram}", str(vram(target) << 20)), text), "rocm-smi " + name, text)


AMD_SMI = [
    ("static", r"TARGET_GRAPHICS_VERSION: {target}\b"),
    ("static", r"NUM_COMPUTE_UNITS: ({units})\b"),
    ("static", r"DEVICE_ID: 0x({device})"),
    ("static", r"SIZE: {vram} MB"),
    ("metric", r"GFX_ACTIVITY: \d+ %"),
    ("metric", r"SOCKET_POWER: \d+ W"),
    ("metric", r"TOTAL_VRAM: {vram} MB"),
    ("process", r"GPU: 0"),
]


def check_amd_smi(tap, target):
    """The younger tool; its exit status is to be trusted."""
    _, _, units, _, device = GPUS[target]
    said = {}
    for command in sorted({c for c, _ in AMD_SMI}):
        done, said[command] = output("amd-smi", command)
        tap.ok(done, "amd-smi " + command, said[command])
    for command, pattern in AMD_SMI:
        pattern = pattern.format(target=target, units=units, device=device, vram=vram(target))
        tap.ok(re.search(pattern, said[command]), f"amd-smi {command} {pattern.split(':')[0]}",
               said[command])


def check_lspci(tap, target):
    done, text = output("lspci", "-n", "-d", "1002:")
    tap.ok(done and re.search(rf"1002:({GPUS[target][4]})", text), "lspci", text)


def main():
    tap = Tap()
    target = driver_target()
    if target not in GPUS:
        print(f"1..0 # SKIP nothing known of {target}")
        return 0
    check_rocminfo(tap, target)
    check_rocm_smi(tap, target)
    if shutil.which("amd-smi"):
        check_amd_smi(tap, target)
    check_lspci(tap, target)
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
